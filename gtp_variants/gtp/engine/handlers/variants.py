"""Commands for any game: which there are, which is played and how it stands, and points that only some games mark."""

from collections.abc import Sequence

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError
from gtp_variants.gtp.engine.commands import COMMANDS, command, remember, seat_command, table_command
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import legal_actions, possible_tries
from gtp_variants.records.state import describe_game, describe_rules, describe_view, write_actions
from gtp_variants.rules import GAMES, game_class, split_spec


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


@command("variant-list")
def variant_list(session: Session, arguments: list[str]) -> str:
    return "\n".join(f"{name} {game_class(name).title}" for name in GAMES)


@command("variant-set")
def variant_set(session: Session, arguments: list[str]) -> str:
    if len(arguments) != 1:
        raise NotationError(f"expected {COMMANDS['variant-set'].usage}")
    session.set_game(arguments[0])
    return ""


@command("variant-get")
def variant_get(session: Session, arguments: list[str]) -> str:
    return session.rules.spec


@command("variant-describe")
def variant_describe(session: Session, arguments: list[str]) -> str:
    rules = session.rules_of(*split_spec(arguments[0])) if arguments else session.rules
    from gtp_variants.ai.backend import search_backend

    return _json({**describe_rules(rules), "search": search_backend(rules)})


@table_command("variant-state")
def variant_state(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    if seat is None:
        return remember(session, "state", lambda: _json(describe_game(session.table.game)))
    if not session.rules.is_open and not session.table.is_final:
        # What a seat heard last is not part of the position.
        return _json(describe_view(session.rules, session.play.view(seat)))
    return remember(session, f"state {seat}", lambda: _json(_open_state(session, seat)))


def _open_state(session: Session, seat: int) -> Json:
    return describe_game(session.table.game, legal_actions(session.table, seat))


@seat_command("variant-state")
def variant_state_in_seat(session: Session, arguments: list[str]) -> str:
    shown, seat = _describe_seat(session, arguments), session.seat
    if seat.result:
        shown |= {"over": True, "suspended": False, "legal": [], "result": seat.result, "reason": seat.reason}
    return _json(shown)


def _describe_seat(session: Session, arguments: list[str]) -> Json:
    """What the seat knows, for its colour, which may be named."""
    colour = session.colour(arguments[0]) if arguments else session.seat.colour
    return describe_view(session.rules, session.play.view(colour))


@table_command("variant-legal_moves")
def variant_legal_moves(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    return remember(session, f"legal {seat}", lambda: " ".join(write_actions(session.rules, _legal(session, seat))))


@seat_command("variant-legal_moves")
def variant_legal_moves_in_seat(session: Session, arguments: list[str]) -> str:
    known = _describe_seat(session, arguments)
    return "" if session.seat.is_over else " ".join(known["legal"])


def _legal(session: Session, seat: int | None) -> Sequence[int]:
    """What may be played: by the side to move, or by the player of a colour as far as they may know."""
    table, rules = session.table, session.rules
    if rules.is_over(table.position):
        return ()
    if seat is None:
        return rules.legal(table.position)
    return legal_actions(table, seat) if rules.is_open else possible_tries(table, seat)


@command("alter-igo-losing_moves")
def losing_moves(session: Session, arguments: list[str]) -> str:
    return _list_marks(session, "losing", session.colour(arguments[0]) if arguments else None)


@command("pentalath-line")
def winning_row(session: Session, arguments: list[str]) -> str:
    return _list_marks(session, "line")


@command("rosette-immune")
def immune_stones(session: Session, arguments: list[str]) -> str:
    return _list_marks(session, "immune")


def _list_marks(session: Session, name: str, colour: int | None = None) -> str:
    """The points of a mark; a colour may say for whom."""
    return " ".join(session.rules.board.vertices_of(session.rules.find_marks(session.position, colour)[name]))
