"""Commands that move: play, genmove and its relatives, undo."""

import time

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.commands import command, read_whole, seat_command, table_command
from gtp_variants.gtp.engine.session import OGS, Session
from gtp_variants.players.table import is_undoable


@command("play")
def play(session: Session, arguments: list[str]) -> str:
    session.table_play.take_move(session.colour(arguments[0]), session.action(arguments[1]))
    _tell_gogui_of_suspension(session)
    return ""


@table_command("genmove")
def genmove(session: Session, arguments: list[str]) -> str:
    colour = session.colour(arguments[0])
    decided = session.play.decide(colour)
    names = session.play.find_decoys(colour)
    began = time.monotonic()
    action = session.bot.generate(colour) if decided is None else decided
    if session.quirks.chat == OGS and decided is None:
        from gtp_variants.gtp.engine.handlers.server_chat import tell_server

        tell_server(session, time.monotonic() - began)
    _tell_gogui_of_suspension(session)
    return session.word(names.get(action, action))


@seat_command("genmove", "kgs-genmove_cleanup")
def genmove_in_seat(session: Session, arguments: list[str]) -> str:
    return session.word(session.bot.generate(session.colour(arguments[0])))


def _tell_gogui_of_suspension(session: Session) -> None:
    """In GoGui's status bar, as its board does not say that a stone opens the game again, nor how it stands."""
    if not session.is_hosted or not session.table.suspended:
        return
    from gtp_variants.gtp.stderr_log import log
    from gtp_variants.lang import say

    outcome = session.table.game.outcome if session.viewer is None or session.rules.is_open else None
    told = [say("game.suspended", session.rules.lang), outcome.sentence(session.rules.lang) if outcome else ""]
    log(f"gogui-gfx: TEXT {' '.join(told).strip()}")


@table_command("kgs-genmove_cleanup")
def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    from gtp_variants.players.thinking.endgame import find_cleanup_move

    colour = session.colour(arguments[0])
    decided = session.play.decide(colour)
    if decided is not None:
        return session.word(decided)
    clock = session.clocks[colour]
    action = find_cleanup_move(session.table, colour, clock) if session.rules.profile.is_go else None
    if action is None:
        return genmove(session, arguments)
    session.table_play.take_move(colour, action)
    return session.word(action)


@command("reg_genmove")
def reg_genmove(session: Session, arguments: list[str]) -> str:
    colour = session.colour(arguments[0])
    decided = session.play.decide(colour)
    return session.word(session.bot.consider(colour) if decided is None else decided)


@command("undo")
def undo(session: Session, arguments: list[str]) -> str:
    _undo(session, 1)
    return ""


@command("gg-undo")
def gg_undo(session: Session, arguments: list[str]) -> str:
    count = read_whole(arguments[0], "gg-undo NUMBER") if arguments else 1
    _undo(session, count)
    return ""


def _undo(session: Session, count: int) -> None:
    game = session.table.game
    available = sum(1 for index in range(len(game.events)) if is_undoable(game, index))
    if count < 0 or count > available or session.table_play.is_revealed:
        raise CommandFailed("cannot undo")
    for _ in range(count):
        session.table.undo()


@command("gogui-play_sequence")
def play_sequence(session: Session, arguments: list[str]) -> str:
    if len(arguments) % 2:
        raise NotationError("expected pairs of COLOUR VERTEX")
    table = session.table
    mark = table.mark()
    try:
        for colour, vertex in zip(arguments[::2], arguments[1::2], strict=True):
            session.table_play.take_move(session.colour(colour), session.action(vertex))
    except Exception:
        table.go_back(mark)
        raise
    return ""
