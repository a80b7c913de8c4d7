"""KGS's values and ours: points, time, proposals, results, and the lines of chat in a comment."""

import re
from collections.abc import Mapping, Sequence

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core.config import ChallengeConfig, OfferConfig, rank_word, read_rank
from gtp_variants.bridge.core.server import UNREADABLE, Terms
from gtp_variants.errors import PeerGarbled
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import column_name, read_vertex

PASS = "pass"
COLOURS = {"black": BLACK, "white": WHITE}
ROLES = {colour: role for role, colour in COLOURS.items()}
# A role arrives as `black`, as `KRole[black]` or as a number.
_ROLE = re.compile(r"(?:KRole\[)?(\w+)\]?")
_NUMBERED = {"4": "black", "2": "white"}
_LINE = re.compile(r"([A-Za-z0-9]{1,10})(?: \[[^\]\n]*\])?: (.*)")
_HOW = {"RESIGN": "R", "TIME": "T", "FORFEIT": "F"}
_KINDS = {"none": "none", "absolute": "absolute", "byo_yomi": "byoyomi", "canadian": "canadian"}
LONGEST_CHAT, LONGEST_OFFER = 1000, 80


def vertex_of(loc: object, size: int) -> str:
    """The vertex of a place, which is counted from the top left; `pass`. Raises PeerGarbled."""
    if loc == "PASS":
        return PASS
    if isinstance(loc, Mapping) and all(isinstance(loc.get(key), int) for key in "xy"):
        return f"{column_name(loc['x'])}{size - loc['y']}"
    raise PeerGarbled(f"{str(loc)[:40]}: expected x and y, or PASS")


def loc_of(vertex: str, size: int) -> str | dict[str, int]:
    """The place of a vertex or of `pass`."""
    if vertex == PASS:
        return "PASS"
    return point_of(vertex, size)


def point_of(vertex: str, size: int) -> dict[str, int]:
    """The place of a vertex."""
    x, y = read_vertex(vertex)
    return {"x": x, "y": size - 1 - y}


def role_of(value: object) -> str:
    """A role, however it is written: black, KRole[black], 4."""
    found = _ROLE.fullmatch(str(value))
    word = found[1] if found is not None else ""
    return _NUMBERED.get(word, word)


def name_of(user: object) -> str:
    """The name of a user, who is sent as an object and told as a name."""
    return str(user.get("name", "")) if isinstance(user, Mapping) else str(user or "")


def is_guest(user: object) -> bool:
    """Return True if a user has no account: the name is anybody's who comes next."""
    return isinstance(user, Mapping) and "g" in str(user.get("flags", ""))


def is_program(user: object) -> bool:
    """Return True if the server calls a user a robot."""
    return isinstance(user, Mapping) and "r" in str(user.get("flags", ""))


def rank_of(user: object) -> float | None:
    """The rank of a user, None where it is not known, or not sure."""
    try:
        return float(read_rank(str(user.get("rank", "")))) if isinstance(user, Mapping) else None
    except ValueError:
        return None


def same_name(one: str, other: str) -> bool:
    """Return True if two names are one account's; the server does not mind their case."""
    return one.lower() == other.lower()


def chat_lines(comment: str) -> list[tuple[str, str]]:
    """Return speaker and text of each line `name [rank]: text`. A line of no known name continues the one before."""
    said: list[tuple[str, str]] = []
    for line in comment.splitlines():
        found = _LINE.fullmatch(line)
        if found is not None:
            said.append((found[1], found[2]))
        elif said:
            said[-1] = said[-1][0], f"{said[-1][1]}\n{line}"
    return said


def control_of(rules: Json) -> TimeControl:
    """The time control in the fields of a game's rules."""
    kind = _KINDS.get(str(rules.get("timeSystem", "none")), "none")
    if kind == "none":
        return TimeControl()
    main_s, period_s = float(rules.get("mainTime", 0)), float(rules.get("byoYomiTime", 0))
    if kind == "byoyomi":
        return TimeControl(kind, main_s, period_s=period_s, periods=int(rules.get("byoYomiPeriods", 0)))
    if kind == "canadian":
        return TimeControl(kind, main_s, period_s=period_s, stones=int(rules.get("byoYomiStones", 0)))
    return TimeControl(kind, main_s)


def time_fields(control: TimeControl) -> Json:
    """A time control as fields of a game's rules. Increments are unknown to the server."""
    if control.kind == "none":
        return {"timeSystem": "none"}
    fields: Json = {"timeSystem": "absolute", "mainTime": round(control.main_s)}
    if control.kind == "byoyomi":
        periods = {"byoYomiTime": round(control.period_s), "byoYomiPeriods": control.periods}
        fields |= {"timeSystem": "byo_yomi", **periods}
    elif control.kind == "canadian":
        stones = {"byoYomiTime": round(control.period_s), "byoYomiStones": control.stones}
        fields |= {"timeSystem": "canadian", **stones}
    return fields


def clock_of(told: Json, control: TimeControl) -> Clock:
    """Return the clock of one side."""
    count = told.get("periodsLeft" if control.kind == "byoyomi" else "stonesLeft", 0)
    return Clock(control, max(0.0, float(told.get("time", 0.0))), max(0, int(count)))


def proposal_of(offer: OfferConfig, me: str, size: int, komi: float, colours: str) -> Json:
    """The proposal of a challenge of ours: the owner is named first and the other seat is free."""
    mine = colours if colours in COLOURS else "white"
    return {
        "gameType": "free",
        "nigiri": colours not in COLOURS,
        "rules": {"size": size, "rules": "chinese", "komi": komi, **time_fields(offer.control)},
        "players": [{"role": mine, "name": me}, {"role": _other(mine)}],
    }


def automatch_of(offer: OfferConfig, given: ChallengeConfig) -> Json:
    """Return our fields for automatch, in which the server pairs players and sets the terms."""
    speeds = {"blitzOk": "blitz", "fastOk": "rapid", "mediumOk": "live"}
    fields: Json = {
        "maxHandicap": given.handicap[1],
        "freeOk": given.free,
        "rankedOk": given.rated,
        "unrankedOk": True,
        "humanOk": True,
        # Nobody can be refused there: who wants to meet people first meets only them.
        "robotOk": not given.people,
        **{key: given.limits(speed).games != 0 for key, speed in speeds.items()},
    }
    # The documentation misspells the second, and nobody knows which of both is read.
    rank = {} if offer.rank is None else dict.fromkeys(("estimatedRank", "estiamtedRank"), rank_word(offer.rank))
    return fields | rank


def upstream(proposal: Json, guest: str | None = None) -> Json:
    """A proposal as it is sent: users are names. With `guest` that name takes the free seat."""
    players = []
    for seat in proposal.get("players", ()):
        name = name_of(seat.get("user", seat.get("name"))) or guest or ""
        kept = {key: value for key, value in seat.items() if key not in ("user", "name")}
        players.append({**kept, **({"name": name} if name else {})})
    return {**proposal, "players": players}


def is_same(one: Json, other: Json) -> bool:
    """Return True if two proposals are for the same game."""
    return _comparison_key(one) == _comparison_key(other)


def _comparison_key(proposal: Json) -> tuple[object, ...]:
    rules = proposal.get("rules", {})
    control = control_of(rules)
    seats = [
        (role_of(seat.get("role")), name_of(seat.get("user", seat.get("name"))).lower())
        for seat in proposal.get("players", ())
    ]
    return (
        *(proposal.get("gameType"), bool(proposal.get("nigiri")), bool(proposal.get("private"))),
        *(rules.get("size"), float(rules.get("komi", 0)), int(rules.get("handicap", 0)), rules.get("rules")),
        control,
        len(seats) if proposal.get("nigiri") else tuple(seats),
    )


def terms_of(proposal: Json, me: str, user: object = None) -> Terms:
    """Return the terms that a user proposes. Raises PeerGarbled."""
    try:
        rules, seats = proposal["rules"], proposal["players"]
        if len(seats) != 2:
            raise ValueError(f"{len(seats)} players")
        return Terms(
            int(rules["size"]),
            control_of(rules),
            None if proposal.get("nigiri") else _colour_of(seats, me),
            int(rules.get("handicap", 0)),
            float(rules["komi"]) if "komi" in rules else None,
            proposal.get("gameType") != "free",
            rank=rank_of(user),
            is_program=is_program(user),
        )
    except UNREADABLE as error:
        raise PeerGarbled(f"{str(proposal)[:80]} is no proposal for two: {error}") from None


def _colour_of(seats: Sequence[Json], me: str) -> int:
    """Our colour: of the seat that has our name, else of the free one."""
    for name in (me, ""):
        for seat in seats:
            if same_name(name_of(seat.get("user", seat.get("name"))), name):
                return COLOURS[role_of(seat.get("role"))]
    raise ValueError(f"no seat for {me}")


def _other(role: str) -> str:
    return "white" if role == "black" else "black"


def result_of(score: object) -> str:
    """A result in SGF's words, "" for none: the server gives a number, positive for Black, or a word."""
    if isinstance(score, bool) or score is None:
        return ""
    if isinstance(score, int | float):
        return "0" if not score else f"{'B' if score > 0 else 'W'}+{abs(score):g}"
    if score == "NO_RESULT":
        return "Void"
    winner, plus, how = str(score).partition("+")
    return f"{winner}+{_HOW[how]}" if plus and winner in ("B", "W") and how in _HOW else ""


def can_go_on(summary: Json) -> bool:
    """Return True if a game in an archive waits to be gone on with."""
    return summary.get("gameType") in ("free", "ranked") and (
        bool(summary.get("inPlay")) or summary.get("score") in (None, "UNFINISHED", "UNKNOWN")
    )
