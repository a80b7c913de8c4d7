"""Commands from GNU Go that regression suites use, about legal moves, stones on the board and moves played."""

from collections.abc import Sequence

from gtp_variants.ai.mcts.candidates import find_candidates
from gtp_variants.ai.mcts.settings import avoid_all_but
from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.commands import command, register_all
from gtp_variants.gtp.engine.handlers.gogui_rules import visible_stones
from gtp_variants.gtp.engine.handlers.moves import reg_genmove, take_back
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import is_undoable
from gtp_variants.rules.actions import EMPTY, PASS, Event
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.boards.unconditional_life import unconditional_territory, unconditionally_alive
from gtp_variants.rules.colour_names import COLOUR_NAMES
from gtp_variants.rules.turn_rules import AreaRules

_MOST_MOVES = 10


@command("query_boardsize")
def query_boardsize(session: Session, arguments: list[str]) -> str:
    board = session.rules.board
    return str(board.width) if board.width == board.height else f"{board.width} {board.height}"


@command("list_stones")
def list_stones(session: Session, arguments: list[str]) -> str:
    colour, stones = session.colour(arguments[0]), visible_stones(session)
    return " ".join(session.rules.board.vertices_of(point for point, there in enumerate(stones) if there == colour))


def _liberties(session: Session, arguments: Sequence[str]) -> list[str]:
    """Return the vertices of a chain's liberties. Raises CommandFailed for an empty point."""
    board, stones = session.rules.board, visible_stones(session)
    point = board.point(arguments[0])
    if stones[point] == EMPTY:
        raise CommandFailed("vertex must not be empty")
    return board.vertices_of(liberties(board, stones, chain(board, stones, point)))


@command("unconditional_status")
def unconditional_status(session: Session, arguments: list[str]) -> str:
    """Judge a point as alive, dead, territory or undecided, assuming that its owner never answers an attack."""
    rules, point = session.rules, session.rules.board.point(arguments[0])
    if not isinstance(rules, AreaRules) or not rules.is_open:
        raise CommandFailed("cannot judge: expected an open game of area scoring")
    stones = session.position.stones
    for colour in rules.colours:
        if any(point in members for members in unconditionally_alive(rules.board, stones, colour, rules.lives)):
            return "alive"
        # A stone in the territory of its own colour may be a sacrifice, so it stays undecided.
        if stones[point] != colour and point in unconditional_territory(rules.board, stones, colour, rules.lives):
            return "dead" if stones[point] else f"{COLOUR_NAMES[colour]}_territory"
    return "undecided"


@command("all_legal")
def all_legal(session: Session, arguments: list[str]) -> str:
    points = (action for action in session.play.actions(session.colour(arguments[0])) if action >= 0)
    return " ".join(session.rules.board.vertices_of(points))


def _list_moves(session: Session) -> list[str]:
    """Return the colour and vertex of each move, the last move first."""
    turns = reversed(session.table.game.turns())
    return [f"{COLOUR_NAMES[event.actor]} {session.word(event.action)}" for event in turns]


@command("last_move")
def last_move(session: Session, arguments: list[str]) -> str:
    moves = _list_moves(session)
    if not moves:
        raise CommandFailed("no previous move known")
    return moves[0]


@command("trymove")
def try_move(session: Session, arguments: list[str]) -> None:
    before = _last_to_undo(session)
    session.table_play.take_move(session.colour(arguments[0]), session.action(arguments[1]))
    after = _last_to_undo(session)
    if after is not None and after is not before:
        session.table_play.tried_moves.append(after)


@command("popgo")
def pop_move(session: Session, arguments: list[str]) -> None:
    last = _last_to_undo(session)
    if all(move is not last for move in session.table_play.tried_moves):
        raise CommandFailed("stack empty")
    take_back(session)


def _last_to_undo(session: Session) -> Event | None:
    game = session.table.game
    return next((game.events[i] for i in reversed(range(len(game.events))) if is_undoable(game, i)), None)


@command("restricted_genmove")
def restricted_genmove(session: Session, arguments: list[str]) -> str:
    colour = session.colour(arguments[0])
    wanted = {session.action(word) for word in arguments[1:]}
    if wanted.isdisjoint(session.play.actions(colour)):
        raise NotationError("none of these moves is legal")
    session.bot.avoided = avoid_all_but(session.rules, colour, wanted, 1)
    try:
        return session.word(session.play.consider(colour))
    finally:
        session.bot.avoided = ()


@command("top_moves")
def top_moves(session: Session, arguments: list[str]) -> str:
    """List the bot's best moves with win rates in per cent, or its choice if it does not search; none after the end."""
    colour = session.colour(arguments[0]) if arguments else session.play.mover
    if session.play.decide(colour) is not None:
        return ""
    action, found = session.play.consider(colour), session.bot.found
    if found is None:
        return "" if action == PASS else session.word(action)
    moves = find_candidates(session.rules, found, colour, session.play.actions(colour))
    seen = [each for each in moves if each.move >= 0 and each.visits]
    return " ".join(f"{session.word(each.move)} {100 * each.winrate:.2f}" for each in seen[:_MOST_MOVES])


register_all(
    {
        "color": lambda session, given: COLOUR_NAMES[visible_stones(session)[session.rules.board.point(given[0])]],
        "countlib": lambda session, given: str(len(_liberties(session, given))),
        "findlib": lambda session, given: " ".join(_liberties(session, given)),
        "captures": lambda session, given: str(session.position.taken[session.colour(given[0])]),
        "is_legal": lambda session, given: str(
            int(session.action(given[1]) in session.play.actions(session.colour(given[0])))
        ),
        "move_history": lambda session, _: "\n".join(_list_moves(session)),
        # The seed has no effect, as `reg_genmove` always gives the same answer.
        "gg_genmove": reg_genmove,
        "echo": lambda _, given: " ".join(given),
    }
)
