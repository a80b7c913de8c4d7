"""Commands for any game: which there are, which is played and how it stands, and points that only some games mark."""

from collections.abc import Sequence

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError
from gtp_variants.gtp.engine.handler import Handler, only_where, remember
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import legal_actions, possible_tries
from gtp_variants.records.state import describe_game, describe_rules, describe_view, write_actions
from gtp_variants.rules import GAMES, game_class, split_spec


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def variant_list(session: Session, arguments: list[str]) -> str:
    return "\n".join(f"{name} {game_class(name).title}" for name in GAMES)


def variant_set(session: Session, arguments: list[str]) -> str:
    if len(arguments) != 1:
        raise NotationError("expected variant-set SPEC, without blanks in it")
    session.set_game(arguments[0])
    return ""


def variant_get(session: Session, arguments: list[str]) -> str:
    return session.rules.spec


def variant_describe(session: Session, arguments: list[str]) -> str:
    rules = session.rules_of(*split_spec(arguments[0])) if arguments else session.rules
    from gtp_variants.ai.backend import search_backend

    return _json({**describe_rules(rules), "search": search_backend(rules)})


def variant_state(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    if session.refereed_seat is not None:
        return _json(_hidden_state(session, session.refereed_seat.colour if seat is None else seat))
    if seat is None:
        return remember(session, "state", lambda: _json(describe_game(session.table.game)))
    if not session.rules.is_open and not session.table.is_final:
        # What a seat heard last is not part of the position.
        return _json(_hidden_state(session, seat))
    return remember(session, f"state {seat}", lambda: _json(_open_state(session, seat)))


def _open_state(session: Session, seat: int) -> Json:
    return describe_game(session.table.game, legal_actions(session.table, seat))


def _hidden_state(session: Session, seat: int) -> Json:
    """What the player of a colour may know."""
    shown = describe_view(session.rules, session.view(seat))
    refereed = session.refereed_seat
    if refereed is not None and refereed.result:
        shown |= {"over": True, "suspended": False, "legal": [], "result": refereed.result, "reason": refereed.reason}
    return shown


def variant_legal_moves(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    if session.refereed_seat is not None:
        view = session.view(session.refereed_seat.colour if seat is None else seat)
        return "" if session.is_over else " ".join(describe_view(session.rules, view)["legal"])
    return remember(session, f"legal {seat}", lambda: " ".join(write_actions(session.rules, _legal(session, seat))))


def _legal(session: Session, seat: int | None) -> Sequence[int]:
    """What may be played: by the side to move, or by the player of a colour as far as they may know."""
    table, rules = session.table, session.rules
    if rules.is_over(table.position):
        return ()
    if seat is None:
        return rules.legal(table.position)
    return legal_actions(table, seat) if rules.is_open else possible_tries(table, seat)


def name_marks(name: str, *, takes_colour: bool = False) -> Handler:
    """The command that lists the points of a mark, in games that have it; a colour may say for whom."""

    @only_where(lambda game: name in game.profile.mark_names)
    def list_marks(session: Session, arguments: list[str]) -> str:
        colour = session.colour(arguments[0]) if takes_colour and arguments else None
        return " ".join(session.rules.board.vertices_of(session.rules.find_marks(session.position, colour)[name]))

    return list_marks


HANDLERS: dict[str, Handler] = {
    "alter-igo-losing_moves": name_marks("losing", takes_colour=True),
    "pentalath-line": name_marks("line"),
    "rosette-immune": name_marks("immune"),
    "variant-describe": variant_describe,
    "variant-get": variant_get,
    "variant-legal_moves": variant_legal_moves,
    "variant-list": variant_list,
    "variant-set": variant_set,
    "variant-state": variant_state,
}
