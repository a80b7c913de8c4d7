"""Conversion between KGS's values and ours: points, time, proposals, results, chat, and games as trees of SGF events.

The tree has nodes with properties, and one node is active. The position results from the path from the root to the
active node; moves that were taken back stay in the tree, off this path.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core.config import ChallengeConfig, OfferConfig, find_rank, rank_word
from gtp_variants.bridge.core.server import UNREADABLE, ServerMove, Terms, same_name
from gtp_variants.errors import PeerGarbled
from gtp_variants.lang import load
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.records.katago_rules import rules_of_play
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import column_name, read_vertex
from gtp_variants.rules.rule_sets import KGS_RULES

PASS = "pass"
COLOURS = {"black": BLACK, "white": WHITE}
ROLES = {colour: role for role, colour in COLOURS.items()}
# Roles are sent as `black`, as `KRole[black]` or as numbers.
_ROLE = re.compile(r"(?:KRole\[)?(\w+)\]?")
_NUMBERED = {"4": "black", "2": "white"}
_LINE = re.compile(r"([A-Za-z0-9]{1,10})(?: \[[^\]\n]*\])?: (.*)")
_HOW = {"RESIGN": "R", "TIME": "T", "FORFEIT": "F"}
# Time system, which is our kind with another spelling -> field of `TimeControl` -> the server's key.
_CONTROLS: Mapping[str, Mapping[str, str]] = load(Path(__file__).with_suffix(".toml"))["controls"]
LONGEST_CHAT, LONGEST_OFFER = 1000, 80
# Flags of users: without an account, so that others may use the name later; and a program.
GUEST, ROBOT = "g", "r"


def vertex_of(loc: object, size: int) -> str:
    """Return the vertex of a location, which counts from the top left, or `pass`. Raises PeerGarbled for others."""
    if loc == "PASS":
        return PASS
    if isinstance(loc, Mapping) and all(isinstance(loc.get(key), int) for key in "xy"):
        return f"{column_name(loc['x'])}{size - loc['y']}"
    raise PeerGarbled(f"{str(loc)[:40]}: expected x and y, or PASS")


def loc_of(vertex: str, size: int) -> str | dict[str, int]:
    """Return a vertex or `pass` as the server's location."""
    return "PASS" if vertex == PASS else point_of(vertex, size)


def point_of(vertex: str, size: int) -> dict[str, int]:
    """Return a vertex as the server's location, which counts from the top left."""
    x, y = read_vertex(vertex)
    return {"x": x, "y": size - 1 - y}


def role_of(value: object) -> str:
    """Return a role such as `black`, in whichever form the server writes it."""
    found = _ROLE.fullmatch(str(value))
    word = found[1] if found is not None else ""
    return _NUMBERED.get(word, word)


def name_of(user: object) -> str:
    """Return the name of a user, whom the server sends as an object or as a name."""
    return str(user.get("name", "")) if isinstance(user, Mapping) else str(user or "")


def has_flag(user: object, flag: str) -> bool:
    """Return True if a user has a flag, such as GUEST or ROBOT."""
    return isinstance(user, Mapping) and flag in str(user.get("flags", ""))


def rank_of(user: object) -> float | None:
    """Return a user's rank, or None if it is unknown or uncertain."""
    return find_rank(str(user.get("rank", ""))) if isinstance(user, Mapping) else None


def chat_lines(comment: str) -> list[tuple[str, str]]:
    """Return (speaker, text) for each line `name [rank]: text`. Any other line continues the previous line."""
    said: list[tuple[str, str]] = []
    for line in comment.splitlines():
        found = _LINE.fullmatch(line)
        if found is not None:
            said.append((found[1], found[2]))
        elif said:
            said[-1] = said[-1][0], f"{said[-1][1]}\n{line}"
    return said


def control_of(rules: Json) -> TimeControl:
    """Return the time control in the fields of a game's rules."""
    system = str(rules.get("timeSystem", "none"))
    given: Json = {ours: float(rules.get(theirs, 0)) for ours, theirs in _CONTROLS.get(system, {}).items()}
    given |= {ours: int(given[ours]) for ours in ("periods", "stones") if ours in given}
    return TimeControl(system.replace("_", "") if given else "none", **given)


def time_fields(control: TimeControl) -> Json:
    """Return a time control as fields of a game's rules, without increments, which the server does not support."""
    systems = {system.replace("_", ""): system for system in _CONTROLS}
    system = "none" if control.kind == "none" else systems.get(control.kind, "absolute")
    told = {theirs: round(getattr(control, ours)) for ours, theirs in _CONTROLS.get(system, {}).items()}
    return {"timeSystem": system, **told}


def clock_of(told: Json, control: TimeControl) -> Clock:
    count = told.get("periodsLeft" if control.kind == "byoyomi" else "stonesLeft", 0)
    return Clock(control, max(0.0, float(told.get("time", 0.0))), max(0, int(count)))


def proposal_of(offer: OfferConfig, me: str, size: int, komi: float, colours: str) -> Json:
    """Return the proposal for our open challenge: we take the first seat, and the other is free."""
    mine = colours if colours in COLOURS else "white"
    rules = {"size": size, "rules": "chinese", "komi": komi, **time_fields(offer.control)}
    players = [{"role": mine, "name": me}, {"role": "white" if mine == "black" else "black"}]
    return {"gameType": "free", "nigiri": colours not in COLOURS, "rules": rules, "players": players}


def automatch_of(offer: OfferConfig, given: ChallengeConfig) -> Json:
    """Return our fields for automatch, in which the server pairs players and sets the terms."""
    speeds = {"blitzOk": "blitz", "fastOk": "rapid", "mediumOk": "live"}
    fields: Json = {
        "maxHandicap": given.handicap[1],
        "freeOk": given.free,
        "rankedOk": given.rated,
        "unrankedOk": True,
        "humanOk": True,
        # Nobody can be refused in automatch, so exclude programs if their share of our games is limited.
        "robotOk": not given.people,
        **{key: given.limits(speed).games != 0 for key, speed in speeds.items()},
    }
    # The documentation has both spellings, so send both, because it is unknown which one the server reads.
    rank = {} if offer.rank is None else dict.fromkeys(("estimatedRank", "estiamtedRank"), rank_word(offer.rank))
    return fields | rank


def upstream(proposal: Json, guest: str | None = None) -> Json:
    """Return a proposal as we send it, with users as names. `guest` takes the free seat."""
    players = []
    for seat in proposal.get("players", ()):
        name = name_of(seat.get("user", seat.get("name"))) or guest or ""
        kept = {key: value for key, value in seat.items() if key not in ("user", "name")}
        players.append({**kept, **({"name": name} if name else {})})
    return {**proposal, "players": players}


def is_same(one: Json, other: Json) -> bool:
    """Return True if two proposals are for the same game."""
    return _key(one) == _key(other)


def _key(proposal: Json) -> tuple[object, ...]:
    rules, is_nigiri = proposal.get("rules", {}), bool(proposal.get("nigiri"))
    seats = [
        (role_of(seat.get("role")), name_of(seat.get("user", seat.get("name"))).lower())
        for seat in proposal.get("players", ())
    ]
    kind = proposal.get("gameType"), is_nigiri, bool(proposal.get("private")), control_of(rules)
    terms = rules.get("size"), float(rules.get("komi", 0)), int(rules.get("handicap", 0)), rules.get("rules")
    return *kind, *terms, len(seats) if is_nigiri else tuple(seats)


def go_options(rules: Json) -> Mapping[str, str]:
    """Return the server's rules as options of our Go, or {} if the rules are unknown."""
    known = KGS_RULES.get(str(rules.get("rules", "")))
    return rules_of_play(known) if known else {}


def terms_of(proposal: Json, me: str, user: object = None) -> Terms:
    """Return the terms that a user proposes. Raises PeerGarbled if they are not terms for two players."""
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
            is_program=has_flag(user, ROBOT),
        )
    except UNREADABLE as error:
        raise PeerGarbled(f"{str(proposal)[:80]}: expected a proposal for two players: {error}") from None


def _colour_of(seats: Sequence[Json], me: str) -> int:
    """Return our colour: the colour of the seat with our name, else of the free seat."""
    for name in (me, ""):
        for seat in seats:
            if same_name(name_of(seat.get("user", seat.get("name"))), name):
                return COLOURS[role_of(seat.get("role"))]
    raise ValueError(f"no seat for {me}")


def result_of(score: object) -> str:
    """Return a result as in SGF, or "" without a result. The server sends points, positive for Black, or a word."""
    if isinstance(score, bool) or score is None:
        return ""
    if isinstance(score, int | float):
        return "0" if not score else f"{'B' if score > 0 else 'W'}+{abs(score):g}"
    if score == "NO_RESULT":
        return "Void"
    winner, plus, how = str(score).partition("+")
    return f"{winner}+{_HOW[how]}" if plus and winner in ("B", "W") and how in _HOW else ""


def can_go_on(summary: Json) -> bool:
    """Return True if an archived game is unfinished."""
    return summary.get("gameType") in ("free", "ranked") and (
        bool(summary.get("inPlay")) or summary.get("score") in (None, "UNFINISHED", "UNKNOWN")
    )


ROOT = 0
FLAGS = ("over", "adjourned", "paused", "private", "saved", "global")
# Properties that a node has at most once. It may have any other property once per location.
_SINGLE = ("RULES", "MOVE", "COMMENT", "GAMENAME", "DATE", "PLACE", "EVENT", "RESULT", "SETWHOSEMOVE", "DONESCORING")
_FOR_EACH_SIDE = ("TIMELEFT", "PLAYERNAME")
_CHANGES = ("PROP_ADDED", "PROP_CHANGED", "PROP_REMOVED", "PROP_GROUP_ADDED", "PROP_GROUP_REMOVED")


@dataclass(slots=True)
class KgsNode:
    """A node of the tree; `parent` is None at the root."""

    parent: int | None = None
    props: list[Json] = field(default_factory=list)

    def all(self, name: str) -> list[Json]:
        return [prop for prop in self.props if prop.get("name") == name]

    @property
    def comment(self) -> str:
        return "".join(str(prop.get("text", "")) for prop in self.all("COMMENT"))


@dataclass(slots=True)
class KgsTree:
    """A tree with all nodes by number; `active` is the number of the current node."""

    nodes: dict[int, KgsNode] = field(default_factory=lambda: {ROOT: KgsNode()})
    active: int = ROOT

    def apply(self, events: Sequence[Json]) -> tuple[list[tuple[str, str]], list[str]]:
        """Apply events, whose order does not matter. Return (speaker, text) of new comments, and unreadable events."""
        said: list[tuple[str, str]] = []
        unread: list[str] = []
        for event in events:
            try:
                said += self._apply(event)
            except UNREADABLE as error:
                unread.append(f"{str(event)[:80]}: {error!r}")
        return said, unread

    def _apply(self, event: Json) -> list[tuple[str, str]]:
        kind = event["type"]
        # A node may be mentioned before it is added to its parent, so create it at the first mention.
        number = int(event["nodeId"])
        node = self.nodes.setdefault(number, KgsNode())
        before = node.comment
        if kind == "CHILD_ADDED":
            self.nodes.setdefault(int(event["childNodeId"]), KgsNode()).parent = number
        elif kind == "ACTIVATED":
            self.active = number
        elif kind in _CHANGES:
            for prop in event["props"] if "GROUP" in kind else [event["prop"]]:
                identity = _identity(prop)
                node.props[:] = [each for each in node.props if _identity(each) != identity]
                if not kind.endswith("REMOVED"):
                    node.props.append(dict(prop))
        if node.comment == before:
            return []
        if node.comment.startswith(before):
            return chat_lines(node.comment[len(before) :].lstrip("\n"))
        return chat_lines(node.comment)[len(chat_lines(before)) :]

    def path(self) -> list[KgsNode]:
        """Return the nodes from the root to the active node."""
        found: list[KgsNode] = []
        number: int | None = self.active
        while number is not None and len(found) <= len(self.nodes):
            found.append(self.nodes[number])
            number = self.nodes[number].parent
        return found[::-1]

    def next_number(self) -> int:
        return max(self.nodes) + 1


def _identity(prop: Json) -> tuple[object, ...]:
    name = prop["name"]
    if name in _SINGLE:
        return (name,)
    place = prop.get("loc")
    where = tuple(sorted(place.items())) if isinstance(place, Mapping) else place
    return name, where, prop.get("color") if name in _FOR_EACH_SIDE else None


@dataclass(slots=True)
class KgsGame:
    """A game in a channel. `timestamp` identifies it on the whole server; `players` has the names by role."""

    channel: int
    timestamp: str
    kind: str
    players: dict[str, str]
    tree: KgsTree = field(default_factory=KgsTree)
    actions: list[tuple[str, str]] = field(default_factory=list)
    clock_fields: dict[str, Json] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    done_id: int | None = None
    score: object = None
    users: set[str] = field(default_factory=set)
    programs: frozenset[str] = frozenset()

    def take_in(self, message: Json) -> None:
        """Process a GAME_STATE, GAME_JOIN or GAME_OVER. Missing fields keep their values; missing flags turn False."""
        if "actions" in message:
            self.actions = [(str(each.get("action")), name_of(each.get("user"))) for each in message["actions"]]
        if isinstance(message.get("clocks"), Mapping):
            self.clock_fields = {role_of(role): clock for role, clock in message["clocks"].items()}
        if message["type"] in ("GAME_STATE", "GAME_JOIN"):
            self.flags = {flag for flag in FLAGS if message.get(flag)}
        if isinstance(message.get("doneId"), int):
            self.done_id = message["doneId"]
        if message.get("score") is not None:
            self.score = message["score"]
        if message["type"] == "GAME_OVER":
            self.flags.add("over")

    @property
    def rules(self) -> Json:
        return next(iter(self.tree.nodes[ROOT].all("RULES")), {})

    @property
    def size(self) -> int:
        return int(self.rules.get("size", 19))

    def clocks(self) -> dict[int, Clock]:
        """Return the clocks that the server has sent, by colour."""
        control = control_of(self.rules)
        return {COLOURS[role]: clock_of(told, control) for role, told in self.clock_fields.items() if role in COLOURS}

    def moves(self) -> tuple[ServerMove, ...]:
        props = (prop for node in self.tree.path() for prop in node.all("MOVE") if prop.get("color") in COLOURS)
        return tuple((COLOURS[str(prop["color"])], vertex_of(prop["loc"], self.size)) for prop in props)

    def handicap_stones(self) -> tuple[str, ...]:
        """Return Black's stones placed before the first move."""
        before = takewhile(lambda node: not node.all("MOVE"), self.tree.path())
        stones = [prop for node in before for prop in node.all("ADDSTONE") if prop.get("color") == "black"]
        return tuple(vertex_of(prop["loc"], self.size) for prop in stones)

    def dead(self) -> tuple[str, ...]:
        return tuple(vertex_of(prop["loc"], self.size) for prop in self.tree.path()[-1].all("DEAD"))

    def may(self, action: str, user: str) -> bool:
        """Return True if the server lets a user take an action now."""
        return any(each == action and name.lower() == user.lower() for each, name in self.actions)

    def role(self, user: str) -> str:
        """Return a user's role, or "" for spectators."""
        return next((role for role, name in self.players.items() if name.lower() == user.lower()), "")

    @property
    def ends_in_passes(self) -> bool:
        return [vertex for _, vertex in self.moves()[-2:]] == [PASS, PASS]
