"""GNU Go's questions about tactics in Go: captures, connections, and the life of groups."""

from functools import partial

from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.engine.commands import command, register_all
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.boards.chains import chains


def _points(session: Session, arguments: list[str], count: int) -> list[int]:
    """Return the points of stones. Raises CommandFailed for an empty one."""
    points = [session.rules.board.point(word) for word in arguments[:count]]
    if not all(session.position.stones[point] for point in points):
        raise CommandFailed("vertex must not be empty")
    return points


def _first(session: Session, point: int, is_attack: bool) -> int:
    """Return who moves first: the owner of a stone, or its enemy."""
    owner = session.position.stones[point]
    return owner if not is_attack else BLACK if owner == WHITE else WHITE


def _word(session: Session, move: int) -> str:
    return "PASS" if move == PASS else session.word(move)


def _read(session: Session, arguments: list[str], *, is_attack: bool, count: int = 1) -> str:
    """Read out a chain, or the connection of two chains."""
    from gtp_variants.ai.mcts.reading import read_capture

    points = _points(session, arguments, count)
    if len({session.position.stones[point] for point in points}) > 1:
        raise CommandFailed("vertices must have same color")
    result, move = read_capture(session.rules, session.position, _first(session, points[0], is_attack), *points)
    return f"{result:d} {_word(session, move)}" if result else "0"


def _search(session: Session, point: int, first: int) -> tuple[bool, str]:
    """Return whether a group lives if a colour moves first, and that colour's move."""
    from gtp_variants.ai.mcts.reading import search_life

    lives, move = search_life(session.rules, session.position, first, point)
    return lives, _word(session, move)


def _owl(session: Session, arguments: list[str], *, is_attack: bool) -> str:
    (point,) = _points(session, arguments, 1)
    lives, move = _search(session, point, _first(session, point, is_attack))
    return "0" if lives == is_attack else f"1 {move}"


def _status(session: Session, point: int) -> str:
    """Return alive, dead, or critical with the moves that kill and save a group."""
    lives, attack = _search(session, point, _first(session, point, is_attack=True))
    if lives:
        return "alive"
    lives, defence = _search(session, point, _first(session, point, is_attack=False))
    return f"critical {attack} {defence}" if lives else "dead"


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
    """Show whether the first group lives and kills the second if its owner moves first, and the move."""
    own, other = _points(session, arguments, 2)
    first = session.position.stones[own]
    if session.position.stones[other] == first:
        raise CommandFailed("vertices must have different colors")
    (lives, defence), (other_lives, attack) = _search(session, own, first), _search(session, other, first)
    kills = not other_lives and lives
    return f"{int(lives)} {int(kills)} {attack if kills else defence if lives else 'PASS'}"


register_all(
    {
        "attack": partial(_read, is_attack=True),
        "defend": partial(_read, is_attack=False),
        "disconnect": partial(_read, is_attack=True, count=2),
        "connect": partial(_read, is_attack=False, count=2),
        "owl_attack": partial(_owl, is_attack=True),
        "owl_defend": partial(_owl, is_attack=False),
    }
)
