"""GNU Go's questions about tactics in Go: captures, connections, and the life of groups."""

from functools import partial

from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.engine.commands import command, register_all
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.boards.chains import chains


def _points(session: Session, arguments: list[str], count: int) -> list[int]:
    """Return the points of the first `count` vertices. Raises CommandFailed for an empty point."""
    points = [session.rules.board.point(word) for word in arguments[:count]]
    if not all(session.position.stones[point] for point in points):
        raise CommandFailed("vertex must not be empty")
    return points


def _solve(session: Session, points: list[int], *, is_attack: bool, is_life: bool) -> tuple[int, str]:
    """Return GNU Go's code, and the move, of the side that moves first: the enemy if `is_attack`, else the owner."""
    from gtp_variants.ai.mcts.reading import read_capture, search_life

    owner = session.position.stones[points[0]]
    first = owner if not is_attack else BLACK if owner == WHITE else WHITE
    solve = search_life if is_life else read_capture
    result, move = solve(session.rules, session.position, first, *points)
    return int(result), "PASS" if move == PASS else session.word(move)


def _answer(session: Session, arguments: list[str], *, is_attack: bool, is_life: bool = False, count: int = 1) -> str:
    points = _points(session, arguments, count)
    if len({session.position.stones[point] for point in points}) > 1:
        raise CommandFailed("vertices must have same color")
    code, move = _solve(session, points, is_attack=is_attack, is_life=is_life)
    return f"{code} {move}" if code else "0"


def _status(session: Session, point: int) -> str:
    """Return alive, dead, or critical with the moves that kill and save a group."""
    kills, attack = _solve(session, [point], is_attack=True, is_life=True)
    if not kills:
        return "alive"
    saves, defence = _solve(session, [point], is_attack=False, is_life=True)
    return f"critical {attack} {defence}" if saves else "dead"


@command("dragon_status")
def dragon_status(session: Session, arguments: list[str]) -> str:
    """Judge one group, or every chain with its lowest vertex."""
    if arguments:
        return _status(session, *_points(session, arguments, 1))
    board = session.rules.board
    lowest = [min(members) for members in chains(board, session.position.stones)]
    return "\n".join(f"{board.vertex(point)}: {_status(session, point)}" for point in lowest)


@command("analyze_semeai")
def analyze_semeai(session: Session, arguments: list[str]) -> str:
    """Show if group one, moving first, lives and kills group two, and how. Raises CommandFailed for equal colours."""
    own, other = _points(session, arguments, 2)
    if session.position.stones[own] == session.position.stones[other]:
        raise CommandFailed("vertices must have different colors")
    saves, defence = _solve(session, [own], is_attack=False, is_life=True)
    kills, attack = _solve(session, [other], is_attack=True, is_life=True)
    return f"{saves} {kills and saves} {attack if kills and saves else defence if saves else 'PASS'}"


register_all(
    {
        "attack": partial(_answer, is_attack=True),
        "defend": partial(_answer, is_attack=False),
        "disconnect": partial(_answer, is_attack=True, count=2),
        "connect": partial(_answer, is_attack=False, count=2),
        "owl_attack": partial(_answer, is_attack=True, is_life=True),
        "owl_defend": partial(_answer, is_attack=False, is_life=True),
    }
)
