"""`gtp-variants diagram`: a position of a record as text or SVG, or the record as SGF for other programs."""

import argparse
from collections.abc import Sequence

from gtp_variants.cli.parser import COUNT, COUNT_OR_NONE, CommandParser, language_of
from gtp_variants.errors import RecordError
from gtp_variants.records.files import load_record, put_out, write_out
from gtp_variants.records.record import Record
from gtp_variants.records.steps import RecordStep, RecordSteps, text_of
from gtp_variants.terminal.games.commands import colour_of


def main(arguments: Sequence[str]) -> int:
    """Print or write what was asked for. Raises VariantsError or OSError."""
    given = parser().parse_args(arguments)
    record = load_record(given.record, given.game)
    moments = RecordSteps(record, seat_of(record, given.seat), language_of(given))
    number = len(moments.all) - 1 if given.move is None else moments.at_move(given.move)
    if number is None:
        raise RecordError(f"move {given.move}: expected 0 to {moments.last_move}")
    _put_out(moments, moments.all[number], given)
    return 0


def parser() -> CommandParser:
    made = CommandParser("diagram")
    add_record(made)
    made.add_argument("--move", type=COUNT_OR_NONE.read_whole, metavar="N")
    kind = made.add_mutually_exclusive_group()
    kind.add_argument("--svg", metavar="FILE")
    kind.add_argument("--sgf", metavar="FILE")
    return made


def add_record(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a record, and the seat whose view is shown."""
    parser.add_argument("record", metavar="RECORD")
    parser.add_argument("--game", type=COUNT.read_whole, default=1, metavar="K")
    parser.add_argument("--seat", metavar="COLOUR")


def seat_of(record: Record, word: str | None) -> int | None:
    """Return the colour of the argument `--seat`. Raises NotationError if the game has no such colour."""
    return None if word is None else colour_of(record.game.rules, "--seat", word)


def _put_out(moments: RecordSteps, moment: RecordStep, given: argparse.Namespace) -> None:
    if given.sgf is not None:
        if moments.seat is not None:
            raise RecordError("--sgf: cannot be combined with --seat; the file would show hidden stones")
        from gtp_variants.records.sgf.games import to_sgf

        put_out(given.sgf, to_sgf(moments.record))
    elif given.svg is not None:
        from gtp_variants.records.drawing.svg import svg

        put_out(given.svg, svg(moments.rules, moments.position(moment), moments.view(moment)))
    else:
        write_out(text_of(moments, moment))
