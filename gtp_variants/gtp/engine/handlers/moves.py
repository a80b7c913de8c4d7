"""Commands that move: play, genmove and its relatives, undo."""

import time

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.handler import Handler, need, read_whole
from gtp_variants.gtp.engine.quirks import OGS
from gtp_variants.gtp.engine.session import Session, decoys
from gtp_variants.players.table import is_undoable
from gtp_variants.rules.actions import PASS, RESIGN


def play(session: Session, arguments: list[str]) -> str:
    need(arguments, 2, "play COLOUR VERTEX")
    session.play(session.colour(arguments[0]), session.action(arguments[1]))
    _tell_gogui_of_suspension(session)
    return ""


def genmove(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "genmove COLOUR")
    colour = session.colour(arguments[0])
    decided = verdict(session, colour)
    names = decoys(session, colour)
    began = time.monotonic()
    action = session.bot.generate(colour) if decided is None else decided
    if session.quirks.chat == OGS and decided is None:
        from gtp_variants.gtp.engine.server_chat import tell_server

        tell_server(session, time.monotonic() - began)
    _tell_gogui_of_suspension(session)
    return session.word(names.get(action, action))


def _tell_gogui_of_suspension(session: Session) -> None:
    """In GoGui's status bar, as its board does not say that a stone opens the game again, nor how it stands."""
    if not session.is_hosted or session.refereed_seat is not None or not session.table.suspended:
        return
    from gtp_variants.gtp.stderr_log import log
    from gtp_variants.lang import say

    outcome = session.table.game.outcome if session.viewer is None or session.rules.is_open else None
    told = [say("game.suspended", session.rules.lang), outcome.sentence(session.rules.lang) if outcome else ""]
    log(f"gogui-gfx: TEXT {' '.join(told).strip()}")


def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    from gtp_variants.players.thinking.endgame import find_cleanup_move

    need(arguments, 1, "kgs-genmove_cleanup COLOUR")
    colour = session.colour(arguments[0])
    decided = verdict(session, colour)
    if decided is not None:
        return session.word(decided)
    clock = session.clocks[colour]
    action = find_cleanup_move(session.table, colour, clock) if session.rules.profile.is_go else None
    if action is None:
        return genmove(session, arguments)
    session.play(colour, action)
    return session.word(action)


def reg_genmove(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "reg_genmove COLOUR")
    colour = session.colour(arguments[0])
    decided = verdict(session, colour)
    return session.word(session.bot.consider(colour) if decided is None else decided)


def verdict(session: Session, colour: int) -> int | None:
    """After the end: a pass of a side that has won or drawn, resignation of one that has lost; None before."""
    if session.refereed_seat is not None:
        return None
    table = session.table
    if not table.is_final and not session.is_revealed:
        return None
    outcome = table.game.outcome
    return PASS if outcome is None or outcome.winner in (None, colour) else RESIGN


def undo(session: Session, arguments: list[str]) -> str:
    _undo(session, 1)
    return ""


def gg_undo(session: Session, arguments: list[str]) -> str:
    count = read_whole(arguments[0], "gg-undo NUMBER") if arguments else 1
    _undo(session, count)
    return ""


def _undo(session: Session, count: int) -> None:
    game = session.table.game
    available = sum(1 for index in range(len(game.events)) if is_undoable(game, index))
    if count < 0 or count > available or session.is_revealed:
        raise CommandFailed("cannot undo")
    for _ in range(count):
        session.table.undo()


def play_sequence(session: Session, arguments: list[str]) -> str:
    if len(arguments) % 2:
        raise NotationError("expected pairs of COLOUR VERTEX")
    table = session.table
    mark = table.mark()
    try:
        for colour, vertex in zip(arguments[::2], arguments[1::2], strict=True):
            session.play(session.colour(colour), session.action(vertex))
    except Exception:
        table.go_back(mark)
        raise
    return ""


HANDLERS: dict[str, Handler] = {
    "genmove": genmove,
    "gg-undo": gg_undo,
    "gogui-play_sequence": play_sequence,
    "kgs-genmove_cleanup": genmove_cleanup,
    "play": play,
    "reg_genmove": reg_genmove,
    "undo": undo,
}
