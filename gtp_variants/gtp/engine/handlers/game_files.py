"""Commands that show the whole game, write it to a file or read one: showboard, printsgf, loadsgf, variant-record."""

from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, GameOver, RecordError
from gtp_variants.gtp.engine.handler import Handler, need, read_whole
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules.diced import DicedRules

if TYPE_CHECKING:
    from gtp_variants.records.record import Record


def showboard(session: Session, arguments: list[str]) -> str:
    if session.refereed_seat is not None:
        from gtp_variants.gtp.engine.handlers.gogui.rules import board_rows

        return "\n" + board_rows(session.rules.board, session.refereed_seat.view.stones)
    from gtp_variants.records.drawing.diagram import diagram

    return "\n" + diagram(session.rules, session.position)


def printsgf(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.sgf.games import to_sgf

    text = to_sgf(record_of(session))
    if not arguments:
        return text
    from pathlib import Path

    try:
        Path(arguments[0]).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CommandFailed(f"cannot write file: {error}") from None
    return ""


def loadsgf(session: Session, arguments: list[str]) -> str:
    from pathlib import Path

    from gtp_variants.gtp.engine.sgf_loader import load_sgf

    need(arguments, 1, "loadsgf FILE [MOVE]")
    if session.refereed_seat is not None:
        raise CommandFailed("under a referee")
    before = read_whole(arguments[1], "loadsgf FILE [MOVE]") if len(arguments) > 1 else None
    try:
        load_sgf(session, Path(arguments[0]), before)
    except (OSError, ValueError, GameOver, RecordError) as error:
        raise CommandFailed(f"cannot load file: {error}") from None
    return ""


def variant_record(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.json import to_json

    return to_json(record_of(session))


def record_of(session: Session) -> "Record":
    """The game so far as it would be written to a file; the secret only once it is revealed."""
    from gtp_variants.records.record import Record

    game = session.table.game
    if not isinstance(session.rules, DicedRules):
        return Record(game)
    told = frozenset(turn for turn, _ in session.table.draws.told)
    if session.seed is None:
        return Record(game, dice="shared", told=told)
    from gtp_variants.rules.dice.stream import DiceStream

    dice = DiceStream(session.seed)
    secret = dice.secret if session.is_revealed else None
    return Record(game, dice="secret", commitment=dice.commitment, secret=secret, told=told)


HANDLERS: dict[str, Handler] = {
    "loadsgf": loadsgf,
    "printsgf": printsgf,
    "showboard": showboard,
    "variant-record": variant_record,
}
