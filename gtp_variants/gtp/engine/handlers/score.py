"""Commands about the end of a game: its score, dead stones, result and resignation."""

from collections.abc import Sequence

from gtp_variants.errors import CommandFailed, NotationError, VariantsError
from gtp_variants.gtp.engine.commands import command
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import search_for, search_of
from gtp_variants.rules.actions import EMPTY, MARK_DEAD, RESIGN, pack
from gtp_variants.rules.boards.chains import areas
from gtp_variants.rules.colour_names import COLOUR_NAMES
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.turn_rules import AreaRules

# Seconds that the search for an estimate takes.
_ESTIMATE_S = 1.0


@command("final_score", in_seat=True)
def final_score_in_seat(session: Session, arguments: list[str]) -> str:
    if not session.seat.result:
        raise CommandFailed("cannot score")
    return session.seat.result


@command("final_score", in_seat=False)
def final_score(session: Session, arguments: list[str]) -> str:
    rules, position = session.rules, session.position
    outcome = session.table.game.outcome
    if outcome is None and rules.judges_dead and isinstance(rules, AreaRules) and position.passes:
        outcome = rules.score(position, {point for points in _chains_by_status(session)["dead"] for point in points})
    elif outcome is None:
        outcome = rules.standing(position)
    if outcome is None:
        raise CommandFailed("cannot score")
    return session.quirks.identity.write_score(outcome.gtp)


@command("estimate_score", in_seat=True)
def estimate_score_in_seat(session: Session, arguments: list[str]) -> str:
    # Refuse before the end, because with hidden stones there is no score until the referee announces the result.
    if not session.seat.is_over:
        raise CommandFailed("under a referee")
    return final_score_in_seat(session, arguments)


@command("estimate_score", in_seat=False)
def estimate_score(session: Session, arguments: list[str]) -> str:
    """Estimate the lead by a search. The bounds are White's lead plus and minus one standard deviation.

    If the game has ended, even provisionally, return its score. Raises CommandFailed without a score or an estimate.
    """
    rules = session.rules
    if not rules.is_scored:
        raise CommandFailed("cannot score")
    if session.play.is_over or rules.is_over(session.position):
        return final_score(session, arguments)
    found = search_for(session, search_of(session, session.play.mover), _ESTIMATE_S)
    if found.score is None or found.score_stdev is None:
        raise CommandFailed("cannot score")
    white, stdev = -found.score, found.score_stdev
    leader = "W" if white >= 0 else "B"
    return f"{leader}+{abs(white):.1f} (upper bound: {white + stdev:.1f}, lower: {white - stdev:.1f})"


@command("final_status_list")
def final_status_list(session: Session, arguments: list[str]) -> str:
    status = arguments[0].lower()
    if status not in ("alive", "dead", "seki"):
        raise NotationError(f"{arguments[0][:20]}: expected alive, dead or seki")
    board = session.rules.board
    return "\n".join(" ".join(board.vertices_of(points)) for points in _chains_by_status(session)[status])


@command("final_status")
def final_status(session: Session, arguments: list[str]) -> str:
    """Judge a point in GNU Go's terms: the status of its stone, or whose territory it is."""
    point = session.rules.board.point(arguments[0])
    found = _chains_by_status(session)
    stones = bytearray(session.position.stones)
    if stones[point]:
        return next(status for status, groups in found.items() for points in groups if point in points)
    for points in found["dead"]:
        for dead in points:
            stones[dead] = EMPTY
    owned = areas(session.rules.board, stones)
    owner = next(colour for colour, points in enumerate(owned) if point in points)
    return f"{COLOUR_NAMES[owner]}_territory" if owner else "dame"


def _chains_by_status(session: Session) -> dict[str, list[Sequence[int]]]:
    """Return the chains that are alive, dead or in seki, as agreed by both sides or else as judged by a search.

    No chain is dead before the first pass, or after a player has resigned or otherwise left the game.
    """
    from gtp_variants.ai.mcts.final_status import Status, all_alive, judge_position

    position = session.position
    is_ending = not position.out and (position.passes > 0 or session.rules.is_over(position))
    judge = judge_position if is_ending else all_alive
    found: dict[str, list[Sequence[int]]] = {status: [] for status in Status}
    for each in judge(session.rules, position):
        status = each.status
        if position.dead and each.points[0] in position.dead:
            status = Status.DEAD
        elif position.dead and status is Status.DEAD:
            status = Status.ALIVE
        found[status].append(each.points)
    return found


@command("variant-result", in_seat=True)
def variant_result_in_seat(session: Session, arguments: list[str]) -> str:
    return f"{session.seat.result} {session.seat.reason}" if session.seat.result else "none"


@command("variant-result", in_seat=False)
def variant_result(session: Session, arguments: list[str]) -> str:
    outcome = session.table.game.outcome
    return "none" if outcome is None else f"{outcome.sgf} {outcome.sentence(session.rules.lang)}"


@command("variant-resign")
def variant_resign(session: Session, arguments: list[str]) -> None:
    colour = session.colour(arguments[0])
    if session.table_play.is_revealed:
        raise illegal("game over", session.rules.lang)
    session.table.play(colour, RESIGN)


@command("variant-dead")
def variant_dead(session: Session, arguments: list[str]) -> str:
    """Mark chains dead, or alive again, and return all dead points. Raises CommandFailed, marking none, if refused."""
    table = session.table
    points = [session.rules.board.point(vertex) for vertex in arguments]
    mark = table.mark()
    try:
        for point in points:
            table.play(table.position.mover, pack(MARK_DEAD, point))
    except VariantsError as error:
        table.go_back(mark)
        raise CommandFailed(str(error)) from None
    return " ".join(session.rules.board.vertices_of(table.position.dead))
