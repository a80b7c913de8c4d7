"""The command `gtp-variants verify`, which checks game records and dice logs."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import RecordError
from gtp_variants.lang import say
from gtp_variants.records import dice_log, json, record
from gtp_variants.records.files import complain, load_all

# Distinguishes records from the reports of a match, which are also JSON files.
_RECORD_BEGINS = re.compile(rf'\s*\{{\s*"format":\s*"{json.FORMAT}"'.encode())
_LONGEST_BEGINNING = 400


def main(arguments: Sequence[str]) -> int:
    """Check records and dice logs. Return 0 if all are correct, 1 if one is not, or 2 if one cannot be read."""
    given = parser().parse_args(arguments)
    check = _Check(language_of(given))
    for path in map(Path, given.records):
        if path.is_dir():
            check.check_folder(path)
        else:
            check.check_file(path)
    return check.status


def parser() -> CommandParser:
    made = CommandParser("verify")
    made.add_argument("records", nargs="+", metavar="RECORD")
    return made


@dataclass(slots=True)
class _Check:
    """The outcome of the checks so far: the exit status, and the number of games by result."""

    lang: str
    status: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def check_folder(self, folder: Path) -> None:
        """Check every record in a folder and print the totals."""
        before = self.counts.copy()
        for path in sorted(path for path in folder.rglob("*") if _is_record(path)):
            self.check_file(path, is_brief=True)
        counts = self.counts - before
        if counts:
            sys.stdout.write(self._say("sum", folder=folder, **{key: counts[key] for key in ("holds", "fails", "bad")}))
        else:
            self.status = complain("verify", RecordError(say("verify.none", self.lang, folder=folder)), self.lang)

    def check_file(self, path: Path, is_brief: bool = False) -> None:
        """Check the games in a file. With `is_brief`, print details only for games that fail the check."""
        try:
            for number, verdict in enumerate(_verdicts(path, self.lang), 1):
                name = str(path) if number == 1 else say("verify.game", self.lang, name=path, number=number)
                key = "holds" if verdict.ok else "fails"
                sys.stdout.write(self._say(key, name=name))
                if not (is_brief and verdict.ok):
                    sys.stdout.writelines(f"  {line}\n" for line in verdict.lines)
                self.counts[key] += 1
                self.status = max(self.status, 0 if verdict.ok else 1)
        except (OSError, RecordError) as error:
            self.counts["bad"] += 1
            self.status = complain("verify", error, self.lang)

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
        # `check_file` reports the error.
        return True


def _verdicts(path: Path, lang: str) -> Iterator[record.Verdict]:
    """Yield the verdict on a dice log, or on each game in a file."""
    if dice_log.is_dice_log(path):
        yield dice_log.verify(dice_log.load(path), lang)
    else:
        yield from (record.verify(each, lang) for each in load_all(path))
