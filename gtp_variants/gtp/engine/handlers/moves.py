"""Commands that make or take back moves: play, undo, genmove and its relatives."""

import time

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.commands import command, read_whole, register_all
from gtp_variants.gtp.engine.engine_host import OGS
from gtp_variants.gtp.engine.handlers.server_chat import tell_server
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.lang import say
from gtp_variants.players.table import is_undoable


@command("play")
def play(session: Session, arguments: list[str]) -> None:
    session.table_play.take_move(session.colour(arguments[0]), session.action(arguments[1]))
    _show_suspension(session)


@command("genmove", in_seat=False)
def genmove(session: Session, arguments: list[str]) -> str:
    colour = session.colour(arguments[0])
    decided = session.play.decide(colour)
    names = session.play.find_decoys(colour)
    began = time.monotonic()
    action = session.bot.generate(colour) if decided is None else decided
    if session.quirks.chat == OGS and decided is None:
        tell_server(session, time.monotonic() - began)
    _show_suspension(session)
    return session.word(names.get(action, action))


def _show_suspension(session: Session) -> None:
    """If the game is suspended, say so in GoGui's status bar, with the score if it may be shown."""
    if session.is_hosted and session.table.suspended:
        outcome = session.table.game.outcome if session.viewer is None or session.rules.is_open else None
        said = [say("game.suspended", session.rules.lang), outcome.sentence(session.rules.lang) if outcome else ""]
        log(f"gogui-gfx: TEXT {' '.join(said).strip()}")


@command("kgs-genmove_cleanup", in_seat=False)
def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    from gtp_variants.players.thinking.endgame import find_cleanup_move

    colour = session.colour(arguments[0])
    cleans = session.play.decide(colour) is None and session.rules.profile.is_go
    action = find_cleanup_move(session.table, colour, session.clocks[colour]) if cleans else None
    if action is None:
        return genmove(session, arguments)
    session.table_play.take_move(colour, action)
    return session.word(action)


@command("reg_genmove")
def reg_genmove(session: Session, arguments: list[str]) -> str:
    colour = session.colour(arguments[0])
    decided = session.play.decide(colour)
    return session.word(session.play.consider(colour) if decided is None else decided)


def take_back(session: Session, count: int = 1) -> None:
    """Take back the last `count` moves. Raises CommandFailed if there are fewer moves or the dice are revealed."""
    game = session.table.game
    available = sum(1 for index in range(len(game.events)) if is_undoable(game, index))
    if not 0 <= count <= available or session.table_play.is_revealed:
        raise CommandFailed("cannot undo")
    for _ in range(count):
        session.table.undo()


command("genmove", "kgs-genmove_cleanup", in_seat=True)(
    lambda session, given: session.word(session.bot.generate(session.colour(given[0])))
)
register_all(
    {
        "undo": lambda session, _: take_back(session),
        "gg-undo": lambda session, given: take_back(session, read_whole(given[0], "gg-undo NUMBER") if given else 1),
    }
)


@command("gogui-play_sequence")
def play_sequence(session: Session, arguments: list[str]) -> None:
    if len(arguments) % 2:
        raise NotationError("expected pairs of COLOUR VERTEX")
    with session.table.all_or_nothing():
        for colour, vertex in zip(arguments[::2], arguments[1::2], strict=True):
            session.table_play.take_move(session.colour(colour), session.action(vertex))
