"""Commands about how a game ends: its score, dead stones, its result, resignation."""

from gtp_variants.errors import CommandFailed, NotationError, VariantsError
from gtp_variants.gtp.engine.handler import Handler, need
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules import words
from gtp_variants.rules.actions import MARK_DEAD, RESIGN, pack
from gtp_variants.rules.boards.chains import chains


def final_score(session: Session, arguments: list[str]) -> str:
    if session.remote_seat is not None:
        if not session.remote_seat.result:
            raise CommandFailed("cannot score")
        return session.remote_seat.result
    outcome = session.table.game.outcome or session.rules.standing(session.position)
    if outcome is None:
        raise CommandFailed("cannot score")
    return outcome.gtp


def final_status_list(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "alive, dead or seki")
    status = arguments[0].lower()
    if status not in ("alive", "dead", "seki"):
        raise NotationError(f"{arguments[0][:20]}: expected alive, dead or seki")
    position = session.position
    found = [
        session.rules.board.vertices_of(members)
        for members in chains(session.rules.board, position.stones)
        if (members[0] in position.dead) == (status == "dead")
    ]
    return "" if status == "seki" else "\n".join(" ".join(chain) for chain in found)


def variant_result(session: Session, arguments: list[str]) -> str:
    if session.remote_seat is not None:
        return f"{session.remote_seat.result} as the referee says" if session.remote_seat.result else "none"
    outcome = session.table.game.outcome
    return "none" if outcome is None else f"{outcome.sgf} {outcome.sentence(session.rules.lang)}"


def variant_resign(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "variant-resign COLOUR")
    colour = session.colour(arguments[0])
    if session.is_revealed:
        raise words.illegal("game over", session.rules.lang)
    session.table.play(colour, RESIGN)
    return ""


def variant_dead(session: Session, arguments: list[str]) -> str:
    """Both sides agree that the chains on these points are dead (or no longer); answers all that are."""
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


HANDLERS: dict[str, Handler] = {
    "final_score": final_score,
    "final_status_list": final_status_list,
    "variant-dead": variant_dead,
    "variant-resign": variant_resign,
    "variant-result": variant_result,
}
