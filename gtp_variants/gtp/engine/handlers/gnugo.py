"""Questions that GNU Go answers and regression suites ask: what is legal, where stones stand, what was played."""

import time
from collections.abc import Sequence

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.handler import Handler, need
from gtp_variants.gtp.engine.handlers.gogui_rules import visible_stones
from gtp_variants.gtp.engine.handlers.moves import reg_genmove, undo, verdict
from gtp_variants.gtp.engine.handlers.score import final_score
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import actions_of, search_of
from gtp_variants.players.table import is_undoable
from gtp_variants.rules.actions import EMPTY, PASS, Event
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.boards.unconditional_life import unconditional_territory, unconditionally_alive
from gtp_variants.rules.turn_rules import AreaRules
from gtp_variants.rules.words import COLOUR_NAMES

_MOST_MOVES = 10
# How long a score is estimated, and at least where the host has said more.
_ESTIMATE_S, _LEAST_S = 1.0, 0.05


def query_boardsize(session: Session, arguments: list[str]) -> str:
    """One number, or two where the board is not square."""
    board = session.rules.board
    return str(board.width) if board.width == board.height else f"{board.width} {board.height}"


def color(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "color VERTEX")
    return COLOUR_NAMES[visible_stones(session)[session.rules.board.point(arguments[0])]]


def list_stones(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "list_stones COLOUR")
    colour, stones = session.colour(arguments[0]), visible_stones(session)
    return " ".join(session.rules.board.vertices_of(point for point, there in enumerate(stones) if there == colour))


def count_liberties(session: Session, arguments: list[str]) -> str:
    return str(len(_liberties(session, arguments)))


def list_liberties(session: Session, arguments: list[str]) -> str:
    return " ".join(session.rules.board.vertices_of(_liberties(session, arguments)))


def _liberties(session: Session, arguments: Sequence[str]) -> set[int]:
    need(arguments, 1, "a vertex with a stone")
    board, stones = session.rules.board, visible_stones(session)
    point = board.point(arguments[0])
    if stones[point] == EMPTY:
        raise CommandFailed("vertex must not be empty")
    return set(liberties(board, stones, chain(board, stones, point)))


def captures(session: Session, arguments: list[str]) -> str:
    """How many stones of others a colour has taken."""
    need(arguments, 1, "captures COLOUR")
    return str(session.position.taken[session.colour(arguments[0])])


def unconditional_status(session: Session, arguments: list[str]) -> str:
    """What a point is though its owner never answers: alive, dead, somebody's territory, or undecided."""
    need(arguments, 1, "unconditional_status VERTEX")
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


def is_legal(session: Session, arguments: list[str]) -> str:
    need(arguments, 2, "is_legal COLOUR VERTEX")
    return str(int(session.action(arguments[1]) in actions_of(session, session.colour(arguments[0]))))


def all_legal(session: Session, arguments: list[str]) -> str:
    """The points where a colour may place a stone; it may also pass where the game has passes."""
    need(arguments, 1, "all_legal COLOUR")
    points = (action for action in actions_of(session, session.colour(arguments[0])) if action >= 0)
    return " ".join(session.rules.board.vertices_of(points))


def move_history(session: Session, arguments: list[str]) -> str:
    """The moves, the last one first."""
    turns = session.table.game.turns()
    return "\n".join(f"{COLOUR_NAMES[event.actor]} {session.word(event.action)}" for event in reversed(turns))


def last_move(session: Session, arguments: list[str]) -> str:
    turns = session.table.game.turns()
    if not turns:
        raise CommandFailed("no previous move known")
    return f"{COLOUR_NAMES[turns[-1].actor]} {session.word(turns[-1].action)}"


def try_move(session: Session, arguments: list[str]) -> str:
    """A move to be taken back by `popgo`."""
    need(arguments, 2, "trymove COLOUR VERTEX")
    before = _last_to_undo(session)
    session.play(session.colour(arguments[0]), session.action(arguments[1]))
    after = _last_to_undo(session)
    if after is not None and after is not before:
        session.tried_moves.append(after)
    return ""


def pop_move(session: Session, arguments: list[str]) -> str:
    """Takes back the last move if it came by `trymove`."""
    last = _last_to_undo(session)
    if all(move is not last for move in session.tried_moves):
        raise CommandFailed("stack empty")
    return undo(session, [])


def _last_to_undo(session: Session) -> Event | None:
    game = session.table.game
    return next((game.events[i] for i in reversed(range(len(game.events))) if is_undoable(game, i)), None)


# -- what the bot thinks -----------------------------------------------------------------------------------------------


def restricted_genmove(session: Session, arguments: list[str]) -> str:
    """The best of some moves, which is not played."""
    from gtp_variants.ai.mcts.settings import avoid_all_but

    need(arguments, 2, "restricted_genmove COLOUR VERTEX...")
    colour = session.colour(arguments[0])
    wanted = {session.action(word) for word in arguments[1:]}
    if wanted.isdisjoint(actions_of(session, colour)):
        raise NotationError("none of these moves is legal")
    session.bot.avoided = avoid_all_but(session.rules, colour, wanted, 1)
    try:
        return session.word(session.bot.consider(colour))
    finally:
        session.bot.avoided = ()


def top_moves(session: Session, arguments: list[str]) -> str:
    """The moves a bot that searches liked best, each with its win rate in per cent; else the move it would play."""
    colour = session.colour(arguments[0]) if arguments else session.mover
    if verdict(session, colour) is not None:
        return ""
    action, found = session.bot.consider(colour), session.bot.found
    if found is None:
        return "" if action == PASS else session.word(action)
    from gtp_variants.ai.mcts.candidates import find_candidates

    moves = find_candidates(session.rules, found, colour, actions_of(session, colour))
    seen = [each for each in moves if each.move >= 0 and each.visits]
    return " ".join(f"{session.word(each.move)} {100 * each.winrate:.2f}" for each in seen[:_MOST_MOVES])


def estimate_score(session: Session, arguments: list[str]) -> str:
    """Who leads by how much, as playouts of a search end; the bounds are a standard deviation away, for White.

    Of a game that has ended, if only until somebody objects, it is the score.
    """
    rules = session.rules
    if not rules.is_scored:
        raise CommandFailed("cannot score")
    if session.is_over or rules.is_over(session.position):
        return final_score(session, arguments)
    search, begun = search_of(session, session.mover), time.monotonic()
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


def gg_genmove(session: Session, arguments: list[str]) -> str:
    """`gg_genmove COLOUR [SEED]`: as `reg_genmove`, which says the same each time: the seed changes nothing."""
    return reg_genmove(session, arguments[:1])


def echo(session: Session, arguments: list[str]) -> str:
    return " ".join(arguments)


HANDLERS: dict[str, Handler] = {
    "all_legal": all_legal,
    "captures": captures,
    "color": color,
    "countlib": count_liberties,
    "echo": echo,
    "estimate_score": estimate_score,
    "findlib": list_liberties,
    "gg_genmove": gg_genmove,
    "is_legal": is_legal,
    "last_move": last_move,
    "list_stones": list_stones,
    "move_history": move_history,
    "popgo": pop_move,
    "query_boardsize": query_boardsize,
    "restricted_genmove": restricted_genmove,
    "top_moves": top_moves,
    "trymove": try_move,
    "unconditional_status": unconditional_status,
}
