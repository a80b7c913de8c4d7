"""The commands `diagram` and `replay`: a position of a record as text, picture, SGF or page, or every step."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from gtp_variants.base.installation import install_command
from gtp_variants.cli.commands import CommandFunctions
from gtp_variants.cli.parser import COUNT, COUNT_OR_NONE, CommandParser, language_of
from gtp_variants.errors import ConfigError
from gtp_variants.lang import RequestRefused
from gtp_variants.records.files import load_record, put_out, write_out
from gtp_variants.records.steps import RecordStep, RecordSteps, text_of
from gtp_variants.terminal.games.commands import colour_of
from gtp_variants.terminal.replay import replay as step_through

# The sans-serif fonts of most systems, because the library for PNG leaves out a text whose font is missing.
_FONTS = "svg{font-family:Helvetica,Arial,'DejaVu Sans','Liberation Sans','Noto Sans',sans-serif}"


def main(arguments: Sequence[str]) -> int:
    """Print or write a position or a record. Raises VariantsError or OSError if that is impossible."""
    given = parser().parse_args(arguments)
    moments = _load_steps(given)
    number = len(moments.all) - 1 if given.move is None else moments.at_move(given.move)
    if number is None:
        raise RequestRefused("cli.no_move", move=given.move, last=moments.last_move)
    _put_out(moments, moments.all[number], given)
    return 0


def parser() -> CommandParser:
    made = _record_parser("diagram")
    made.add_argument("--move", type=COUNT_OR_NONE.read_whole, metavar="N")
    kind = made.add_mutually_exclusive_group()
    for name in ("svg", "png", "sgf", "html"):
        kind.add_argument(f"--{name}", metavar="FILE")
    return made


def _record_parser(command: str) -> CommandParser:
    """Return a parser with the arguments that name a record, and the seat whose view is shown."""
    made = CommandParser(command)
    made.add_argument("record", metavar="RECORD")
    made.add_argument("--game", type=COUNT.read_whole, default=1, metavar="K")
    made.add_argument("--seat", metavar="COLOUR")
    return made


def _load_steps(given: argparse.Namespace) -> RecordSteps:
    record, lang = load_record(given.record, given.game), language_of(given)
    for caveat in record.caveats:
        sys.stderr.write(f"gtp-variants: {given.record}: {caveat.sentence(lang)}\n")
    seat = None if given.seat is None else colour_of(record.game.rules, "--seat", given.seat)
    return RecordSteps(record, seat, lang)


def _put_out(moments: RecordSteps, moment: RecordStep, given: argparse.Namespace) -> None:
    if moments.seat is not None and (given.sgf or given.html) is not None:
        raise RequestRefused("cli.sgf_seat")
    if given.html is not None:
        from gtp_variants.records.drawing.replay_page import replay as replay_page

        put_out(given.html, replay_page(moments.record))
    elif given.sgf is not None:
        from gtp_variants.records.sgf.games import to_sgf

        put_out(given.sgf, to_sgf(moments.record))
    elif given.svg is None and given.png is None:
        write_out(text_of(moments, moment))
    else:
        from gtp_variants.records.drawing.svg import svg

        picture = svg(moments.rules, moments.position(moment), moments.view(moment))
        put_out(given.svg or given.png, picture if given.png is None else _to_png(picture))


def _to_png(picture: str) -> bytes:
    """Return an SVG picture as PNG, twice as large. Raises ConfigError if the library for it is not installed."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise ConfigError([f"--png needs resvg-py; {install_command('png')}"]) from None
    return bytes(svg_to_bytes(svg_string=picture, zoom=2, style_sheet=_FONTS))


def _step_through(arguments: Sequence[str]) -> int:
    """Show a record step by step until the user quits. Raises VariantsError or OSError if it cannot be read."""
    step_through(_load_steps(_record_parser("replay").parse_args(arguments)))
    return 0


replay = CommandFunctions(_step_through, partial(_record_parser, "replay"))
