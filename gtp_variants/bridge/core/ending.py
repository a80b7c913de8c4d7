"""How a game ends: which passes ended it, which stones count, and how our game ends as the server's did."""

from collections.abc import Sequence

from gtp_variants.errors import VariantsError
from gtp_variants.players.table import Table
from gtp_variants.rules.actions import CHANCE, FLAG, FORFEIT, MARK_DEAD, PASS, RESIGN, SETTLE, pack
from gtp_variants.rules.boards.chains import chain
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position

# How an SGF says that nobody knows a result.
UNKNOWN = "?"


def positions_of_passes(game: Game) -> tuple[Position, Position] | None:
    """The positions in which the last two passes were made, None if it were not passes."""
    passes = [
        game.positions[i] for i, event in enumerate(game.events) if event.action == PASS and event.actor != CHANCE
    ]
    if len(passes) < 2 or game.position.passes < 2:
        return None
    return passes[-2], passes[-1]


def stones_of(table: Table, colour: int, vertices: Sequence[str]) -> list[str]:
    """The vertices, of those given, with a stone of a colour."""
    return [vertex for vertex in vertices if _is_of(table, colour, vertex)]


def _is_of(table: Table, colour: int, vertex: str) -> bool:
    try:
        point = table.rules.board.point(vertex)
    except VariantsError:
        return False
    return bool(table.position.stones[point] == colour)


def stones_of_chains(table: Table, vertices: Sequence[str]) -> frozenset[str]:
    """All stones of the chains that some of the vertices are on."""
    board, stones = table.rules.board, table.position.stones
    points = {each for point in map(board.point, vertices) if stones[point] for each in chain(board, stones, point)}
    return frozenset(map(board.vertex, points))


def one_of_each_chain(table: Table, vertices: Sequence[str]) -> list[str]:
    """The first vertex of each chain that some of the vertices are on."""
    board, stones = table.rules.board, table.position.stones
    seen: set[int] = set()
    found = []
    for vertex in vertices:
        point = board.point(vertex)
        if stones[point] and point not in seen:
            seen.update(chain(board, stones, point))
            found.append(vertex)
    return found


def settle(table: Table, result: str, removed: Sequence[str]) -> None:
    """End our game as the server did, where our rules can say it.

    `result` is the server's, as in SGF; on `removed` lie the stones that it counted as dead.
    """
    if table.is_final or not result:
        return
    how = {"R": RESIGN, "T": FLAG, "F": FORFEIT}.get(result[2:])
    winner = {"B": 1, "W": 2}.get(result[:1])
    if how is not None and winner is not None:
        table.play(3 - winner, how)
    elif table.suspended:
        if table.rules.agrees_on_dead:
            for vertex in one_of_each_chain(table, removed):
                table.play(table.position.mover, pack(MARK_DEAD, table.rules.board.point(vertex)))
        table.play(table.position.mover, SETTLE)


def stated_result(game: Game, result: str) -> str:
    """What a record says of a game that is over on the server: by our rules if they see its end, else as the server."""
    outcome = game.outcome
    return outcome.sgf if outcome is not None else result or UNKNOWN
