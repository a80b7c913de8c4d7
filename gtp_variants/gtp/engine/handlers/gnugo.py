"""Questions that GNU Go answers and regression suites ask: what is legal, where stones stand, what was played."""

import time
from collections.abc import Sequence

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.commands import command, seat_command, table_command
from gtp_variants.gtp.engine.handlers.gogui_rules import visible_stones
from gtp_variants.gtp.engine.handlers.moves import reg_genmove, undo
from gtp_variants.gtp.engine.handlers.score import final_score, final_score_in_seat
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import search_of
from gtp_variants.players.table import is_undoable
from gtp_variants.rules.actions import EMPTY, PASS, Event
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.boards.unconditional_life import unconditional_territory, unconditionally_alive
from gtp_variants.rules.colour_names import COLOUR_NAMES
from gtp_variants.rules.turn_rules import AreaRules

_MOST_MOVES = 10
# How long a score is estimated, and at least where the host has said more.
_ESTIMATE_S, _LEAST_S = 1.0, 0.05


@command("query_boardsize")
def query_boardsize(session: Session, arguments: list[str]) -> str:
    """One number, or two where the board is not square."""
    board = session.rules.board
    return str(board.width) if board.width == board.height else f"{board.width} {board.height}"


@command("color")
def color(session: Session, arguments: list[str]) -> str:
    return COLOUR_NAMES[visible_stones(session)[session.rules.board.point(arguments[0])]]


@command("list_stones")
def list_stones(session: Session, arguments: list[str]) -> str:
    colour, stones = session.colour(arguments[0]), visible_stones(session)
    return " ".join(session.rules.board.vertices_of(point for point, there in enumerate(stones) if there == colour))


@command("countlib")
def count_liberties(session: Session, arguments: list[str]) -> str:
    return str(len(_liberties(session, arguments)))


@command("findlib")
def list_liberties(session: Session, arguments: list[str]) -> str:
    return " ".join(session.rules.board.vertices_of(_liberties(session, arguments)))


def _liberties(session: Session, arguments: Sequence[str]) -> set[int]:
    board, stones = session.rules.board, visible_stones(session)
    point = board.point(arguments[0])
    if stones[point] == EMPTY:
        raise CommandFailed("vertex must not be empty")
    return set(liberties(board, stones, chain(board, stones, point)))


@command("captures")
def captures(session: Session, arguments: list[str]) -> str:
    """How many stones of others a colour has taken."""
    return str(session.position.taken[session.colour(arguments[0])])


@command("unconditional_status")
def unconditional_status(session: Session, arguments: list[str]) -> str:
    """What a point is though its owner never answers: alive, dead, somebody's territory, or undecided."""
    rules, point = session.rules, session.rules.board.point(arguments[0])
    if not isinstance(rules, AreaRules) or not rules.is_open:
        raise CommandFailed("cannot tell")
    stones = session.position.stones
    for colour in rules.colours:
        if any(point in members for members in unconditionally_alive(rules.board, stones, colour, rules.lives)):
            return "alive"
        # An own stone in it may be given up.
        if stones[point] != colour and point in unconditional_territory(rules.board, stones, colour, rules.lives):
            return "dead" if stones[point] else f"{COLOUR_NAMES[colour]}_territory"
    return "undecided"


# -- moves -------------------------------------------------------------------------------------------------------------


@command("is_legal")
def is_legal(session: Session, arguments: list[str]) -> str:
    return str(int(session.action(arguments[1]) in session.play.actions(session.colour(arguments[0]))))


@command("all_legal")
def all_legal(session: Session, arguments: list[str]) -> str:
    """The points where a colour may place a stone; it may also pass where the game has passes."""
    points = (action for action in session.play.actions(session.colour(arguments[0])) if action >= 0)
    return " ".join(session.rules.board.vertices_of(points))


@command("move_history")
def move_history(session: Session, arguments: list[str]) -> str:
    """The moves, the last one first."""
    turns = session.table.game.turns()
    return "\n".join(f"{COLOUR_NAMES[event.actor]} {session.word(event.action)}" for event in reversed(turns))


@command("last_move")
def last_move(session: Session, arguments: list[str]) -> str:
    turns = session.table.game.turns()
    if not turns:
        raise CommandFailed("no previous move known")
    return f"{COLOUR_NAMES[turns[-1].actor]} {session.word(turns[-1].action)}"


@command("trymove")
def try_move(session: Session, arguments: list[str]) -> str:
    """A move to be taken back by `popgo`."""
    before = _last_to_undo(session)
    session.table_play.take_move(session.colour(arguments[0]), session.action(arguments[1]))
    after = _last_to_undo(session)
    if after is not None and after is not before:
        session.table_play.tried_moves.append(after)
    return ""


@command("popgo")
def pop_move(session: Session, arguments: list[str]) -> str:
    """Takes back the last move if it came by `trymove`."""
    last = _last_to_undo(session)
    if all(move is not last for move in session.table_play.tried_moves):
        raise CommandFailed("stack empty")
    return undo(session, [])


def _last_to_undo(session: Session) -> Event | None:
    game = session.table.game
    return next((game.events[i] for i in reversed(range(len(game.events))) if is_undoable(game, i)), None)


# -- what the bot thinks -----------------------------------------------------------------------------------------------


@command("restricted_genmove")
def restricted_genmove(session: Session, arguments: list[str]) -> str:
    """The best of some moves, which is not played."""
    from gtp_variants.ai.mcts.settings import avoid_all_but

    colour = session.colour(arguments[0])
    wanted = {session.action(word) for word in arguments[1:]}
    if wanted.isdisjoint(session.play.actions(colour)):
        raise NotationError("none of these moves is legal")
    session.bot.avoided = avoid_all_but(session.rules, colour, wanted, 1)
    try:
        return session.word(session.bot.consider(colour))
    finally:
        session.bot.avoided = ()


@command("top_moves")
def top_moves(session: Session, arguments: list[str]) -> str:
    """The moves a bot that searches liked best, each with its win rate in per cent; else the move it would play."""
    colour = session.colour(arguments[0]) if arguments else session.play.mover
    if session.play.decide(colour) is not None:
        return ""
    action, found = session.bot.consider(colour), session.bot.found
    if found is None:
        return "" if action == PASS else session.word(action)
    from gtp_variants.ai.mcts.candidates import find_candidates

    moves = find_candidates(session.rules, found, colour, session.play.actions(colour))
    seen = [each for each in moves if each.move >= 0 and each.visits]
    return " ".join(f"{session.word(each.move)} {100 * each.winrate:.2f}" for each in seen[:_MOST_MOVES])


@seat_command("estimate_score")
def estimate_score_in_seat(session: Session, arguments: list[str]) -> str:
    """The result, if the referee has said it: stones that nobody knows have no score."""
    if not session.seat.is_over:
        raise CommandFailed("under a referee")
    return final_score_in_seat(session, arguments)


@table_command("estimate_score")
def estimate_score(session: Session, arguments: list[str]) -> str:
    """Who leads by how much, as playouts of a search end; the bounds are a standard deviation away, for White.

    Of a game that has ended, if only until somebody objects, it is the score.
    """
    rules = session.rules
    if not rules.is_scored:
        raise CommandFailed("cannot score")
    if session.play.is_over or rules.is_over(session.position):
        return final_score(session, arguments)
    search, begun = search_of(session, session.play.mover), time.monotonic()
    found = search.run_slice()
    while (took_s := time.monotonic() - begun) < _ESTIMATE_S and not (
        took_s > _LEAST_S and session.has_pending_command()
    ):
        found = search.run_slice()
    if found.score is None or found.score_stdev is None:
        raise CommandFailed("cannot score")
    white, stdev = -found.score, found.score_stdev
    leader = "W" if white >= 0 else "B"
    return f"{leader}+{abs(white):.1f} (upper bound: {white + stdev:.1f}, lower: {white - stdev:.1f})"


@command("gg_genmove")
def gg_genmove(session: Session, arguments: list[str]) -> str:
    """`gg_genmove COLOUR [SEED]`: as `reg_genmove`, which says the same each time: the seed changes nothing."""
    return reg_genmove(session, arguments[:1])


@command("echo")
def echo(session: Session, arguments: list[str]) -> str:
    return " ".join(arguments)
