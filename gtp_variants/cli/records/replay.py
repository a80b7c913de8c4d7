"""The command `gtp-variants replay`: step through a record in the terminal."""

from collections.abc import Sequence

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.cli.records.show import add_record, seat_of
from gtp_variants.records.files import load_record
from gtp_variants.records.steps import RecordSteps
from gtp_variants.terminal.replay import replay


def main(arguments: Sequence[str]) -> int:
    """Replay a record until the user leaves. Raises VariantsError or OSError if it cannot be read."""
    given = parser().parse_args(arguments)
    record = load_record(given.record, given.game)
    replay(RecordSteps(record, seat_of(record, given.seat), language_of(given)))
    return 0


def parser() -> CommandParser:
    made = CommandParser("replay")
    add_record(made)
    return made
