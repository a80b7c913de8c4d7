"""Commands that show the whole game, write it to a file or read one: showboard, printsgf, loadsgf, variant-record."""

from gtp_variants.errors import CommandFailed, GameOver, RecordError
from gtp_variants.gtp.engine.handler import Handler, need, read_whole
from gtp_variants.gtp.engine.session import Session


def showboard(session: Session, arguments: list[str]) -> str:
    if session.seated is not None:
        from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows

        return "\n" + board_rows(session.rules.board, session.seated.view.stones)
    from gtp_variants.records.diagram import diagram

    return "\n" + diagram(session.rules, session.position)


def printsgf(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.sgf import to_sgf

    text = to_sgf(session.record())
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
    before = read_whole(arguments[1], "loadsgf FILE [MOVE]") if len(arguments) > 1 else None
    try:
        load_sgf(session, Path(arguments[0]), before)
    except (OSError, ValueError, GameOver, RecordError) as error:
        raise CommandFailed(f"cannot load file: {error}") from None
    return ""


def variant_record(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.json import to_json

    return to_json(session.record())


HANDLERS: dict[str, Handler] = {
    "loadsgf": loadsgf,
    "printsgf": printsgf,
    "showboard": showboard,
    "variant-record": variant_record,
}
