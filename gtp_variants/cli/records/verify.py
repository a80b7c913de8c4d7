"""The command `gtp-variants verify`, which checks game records and dice logs."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import IllegalMove, RecordError
from gtp_variants.lang import say
from gtp_variants.records import dice_log, json, record
from gtp_variants.records.files import complain, load_each

# Distinguishes records from the reports of a match, which are also JSON files.
_RECORD_BEGINS = re.compile(rf'\s*\{{\s*"format":\s*"{json.FORMAT}"'.encode())
_LONGEST_BEGINNING = 400


# Exit statuses, the gravest first: a file cannot be read, is false, or with --strict, is not proven.
_UNREADABLE, _FALSE, _NOT_PROVEN = 2, 1, 4
_GRAVITY = (0, _NOT_PROVEN, _FALSE, _UNREADABLE)


def main(arguments: Sequence[str]) -> int:
    """Check records and dice logs. Return 0 if no file is false, 1 if a file is false, 2 if a file cannot be read.

    With `--strict`, return 4 if no file is false but a file is not proven.
    """
    given = parser().parse_args(arguments)
    check = _Check(language_of(given), given.strict, given.commitment)
    for path in map(Path, given.records):
        if path.is_dir():
            check.check_folder(path)
        else:
            check.check_file(path)
    return check.status


def parser() -> CommandParser:
    made = CommandParser("verify")
    made.add_argument("records", nargs="+", metavar="RECORD")
    made.add_argument("--strict", action="store_true")
    made.add_argument("--commitment", type=_read_commitment, metavar="HEX")
    return made


def _read_commitment(text: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise ValueError("expected 64 hex digits")
    return text.lower()


@dataclass(slots=True)
class _Check:
    """The outcome of the checks so far: the exit status, and the number of games by verdict."""

    lang: str
    is_strict: bool
    commitment: str | None
    status: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def check_folder(self, folder: Path) -> None:
        """Check every record in a folder and print the totals."""
        before = self.counts.copy()
        for path in sorted(path for path in folder.rglob("*") if _is_record(path)):
            self.check_file(path, is_brief=True)
        counts = self.counts - before
        if counts:
            numbers = {key: counts[key] for key in ("proven", "consistent", "false", "bad")}
            sys.stdout.write(self._say("sum", folder=folder, **numbers))
        else:
            self._complain(RecordError(say("verify.none", self.lang, folder=folder)))

    def check_file(self, path: Path, is_brief: bool = False) -> None:
        """Check the games in a file. With `is_brief`, print details only for games that are false."""
        try:
            for number, verdict in enumerate(self._verdicts(path), 1):
                if isinstance(verdict, RecordError):
                    self.counts["bad"] += 1
                    self._complain(verdict)
                    continue
                name = str(path) if number == 1 else say("verify.game", self.lang, name=path, number=number)
                what = "_and_".join(verdict.unproved)
                cannot = say(f"verify.unproved_{what}", self.lang) if verdict.kind == "consistent" else ""
                sys.stdout.write(self._say(verdict.kind, name=name, cannot=cannot))
                if not (is_brief and verdict.ok):
                    sys.stdout.writelines(f"  {line}\n" for line in (*verdict.faults, *verdict.lines))
                self.counts[verdict.kind] += 1
                self._lower(_FALSE if not verdict.ok else _NOT_PROVEN if verdict.unproved and self.is_strict else 0)
        except (OSError, RecordError) as error:
            self.counts["bad"] += 1
            self._complain(error)

    def _verdicts(self, path: Path) -> Iterator[record.Verdict | RecordError]:
        """Yield the verdict on a dice log or on each game in a file, or the error of a game that cannot be read."""
        if dice_log.is_dice_log(path):
            yield dice_log.verify(dice_log.load(path), self.lang, self.commitment)
            return
        for each in load_each(path):
            if not isinstance(each, RecordError):
                yield record.verify(each, self.lang, self.commitment)
            elif _is_of_a_move(each):
                # The record was read, but its moves are impossible, so it is false.
                yield record.Verdict((str(each),), ())
            else:
                yield each

    def _complain(self, error: Exception) -> None:
        self._lower(complain("verify", error, self.lang))

    def _lower(self, status: int) -> None:
        self.status = max(self.status, status, key=_GRAVITY.index)

    def _say(self, key: str, **parts: object) -> str:
        return say(f"verify.{key}", self.lang, **parts) + "\n"


def _is_record(path: Path) -> bool:
    """Return True if a file in a folder looks like a game record or a dice log."""
    if path.suffix.lower() == ".sgf":
        return path.is_file()
    if path.suffix.lower() not in (".json", ".jsonl") or not path.is_file():
        return False
    try:
        if dice_log.is_dice_log(path):
            return True
        with path.open("rb") as file:
            return _RECORD_BEGINS.match(file.read(_LONGEST_BEGINNING)) is not None
    except OSError:
        # Count the file as a record, so that `check_file` reports the error.
        return True


def _is_of_a_move(error: BaseException | None) -> bool:
    """Return True if an error or one of its causes is an illegal move."""
    while error is not None and not isinstance(error, IllegalMove):
        error = error.__cause__
    return error is not None
