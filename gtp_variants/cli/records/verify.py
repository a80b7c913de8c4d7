"""`gtp-variants verify`: do records and dice logs hold true?"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import RecordError
from gtp_variants.lang import say
from gtp_variants.records import dice_log, record
from gtp_variants.records.files import complain, load_all


def main(arguments: Sequence[str]) -> int:
    """Check records and dice logs: 0 if all hold true, 1 if one does not, 2 if one cannot be read."""
    status = 0
    given = parser().parse_args(arguments)
    lang = language_of(given)
    for name in given.records:
        try:
            for game, verdict in enumerate(_verdicts(Path(name), lang), 1):
                called = name if game == 1 else say("verify.game", lang, name=name, number=game)
                sys.stdout.write(say("verify.holds" if verdict.ok else "verify.fails", lang, name=called) + "\n")
                sys.stdout.writelines(f"  {line}\n" for line in verdict.lines)
                status = max(status, 0 if verdict.ok else 1)
        except (OSError, RecordError) as error:
            status = complain("verify", error, lang)
    return status


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("verify")
    made.add_argument("records", nargs="+", metavar="RECORD")
    return made


def _verdicts(path: Path, lang: str) -> Iterator[record.Verdict]:
    """One for a log of dice, one for each game of a file."""
    if dice_log.is_dice_log(path):
        yield dice_log.verify(dice_log.load(path), lang)
    else:
        yield from (record.verify(each, lang) for each in load_all(path))
