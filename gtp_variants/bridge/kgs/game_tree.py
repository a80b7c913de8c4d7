"""A game at KGS: a tree of nodes with properties, of which one is active, and what is said about it now.

The board of a game is that of the way from the root to the active node: whatever was undone is still in the tree,
beside that way. Nothing here asks who looks on: a player, an observer or the owner of a demonstration.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core.server import UNREADABLE, ServerMove
from gtp_variants.bridge.kgs.values import COLOURS, PASS, chat_lines, clock_of, control_of, name_of, role_of, vertex_of
from gtp_variants.players.clock import Clock, TimeControl

ROOT = 0
FLAGS = ("over", "adjourned", "paused", "private", "saved", "global")
# What there is once on a node; of other properties there is one a place.
_SINGLE = ("RULES", "MOVE", "COMMENT", "GAMENAME", "DATE", "PLACE", "EVENT", "RESULT", "SETWHOSEMOVE", "DONESCORING")
_FOR_EACH_SIDE = ("TIMELEFT", "PLAYERNAME")


@dataclass(slots=True)
class KgsNode:
    """A node: the one before it, None at the root, and its properties in order."""

    parent: int | None = None
    props: list[Json] = field(default_factory=list)

    def all(self, name: str) -> list[Json]:
        """Its properties of a name."""
        return [prop for prop in self.props if prop.get("name") == name]

    @property
    def comment(self) -> str:
        """The lines of this node's comment."""
        return "".join(str(prop.get("text", "")) for prop in self.all("COMMENT"))


@dataclass(slots=True)
class KgsTree:
    """All nodes by number; `active` is where the game stands."""

    nodes: dict[int, KgsNode] = field(default_factory=lambda: {ROOT: KgsNode()})
    active: int = ROOT

    def apply(self, events: Sequence[Json]) -> tuple[list[tuple[str, str]], list[str]]:
        """Take in what happened, in any order: who said what in comments that grew, and what could not be read."""
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
        # A node that is told of before it is made hangs in the air until it is.
        number = int(event["nodeId"])
        node = self.nodes.setdefault(number, KgsNode())
        before = node.comment
        if kind == "CHILD_ADDED":
            self.nodes.setdefault(int(event["childNodeId"]), KgsNode()).parent = number
        elif kind == "ACTIVATED":
            self.active = number
        elif kind in ("PROP_ADDED", "PROP_CHANGED"):
            _put(node, event["prop"])
        elif kind == "PROP_REMOVED":
            _remove(node, event["prop"])
        elif kind == "PROP_GROUP_ADDED":
            for prop in event["props"]:
                _put(node, prop)
        elif kind == "PROP_GROUP_REMOVED":
            for prop in event["props"]:
                _remove(node, prop)
        return _new_lines(before, node.comment) if node.comment != before else []

    def path(self) -> list[KgsNode]:
        """The nodes from the root to the active one."""
        found: list[KgsNode] = []
        number: int | None = self.active
        while number is not None and len(found) <= len(self.nodes):
            found.append(self.nodes[number])
            number = self.nodes[number].parent
        return found[::-1]

    def next_number(self) -> int:
        """A number that no node has."""
        return max(self.nodes) + 1


def _identity(prop: Json) -> tuple[object, ...]:
    name = prop["name"]
    if name in _SINGLE:
        return (name,)
    place = prop.get("loc")
    where = tuple(sorted(place.items())) if isinstance(place, Mapping) else place
    return name, where, prop.get("color") if name in _FOR_EACH_SIDE else None


def _put(node: KgsNode, prop: Json) -> None:
    _remove(node, prop)
    node.props.append(dict(prop))


def _remove(node: KgsNode, prop: Json) -> None:
    identity = _identity(prop)
    node.props[:] = [each for each in node.props if _identity(each) != identity]


def _new_lines(before: str, after: str) -> list[tuple[str, str]]:
    """Return the lines that are new in a comment: comments only grow."""
    if after.startswith(before):
        return chat_lines(after[len(before) :].lstrip("\n"))
    old = chat_lines(before)
    return chat_lines(after)[len(old) :]


@dataclass(slots=True)
class KgsGame:
    """A game in a channel: `timestamp` is its name on the whole server; `players` are names by role."""

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
        """Take in a GAME_STATE, GAME_JOIN or GAME_OVER. Fields it leaves out stay, except flags that are gone."""
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
        """The fields of the game's rules."""
        return next(iter(self.tree.nodes[ROOT].all("RULES")), {})

    @property
    def size(self) -> int:
        """Its board's."""
        return int(self.rules.get("size", 19))

    @property
    def control(self) -> TimeControl:
        """The time control."""
        return control_of(self.rules)

    def clocks(self) -> dict[int, Clock]:
        """The clock of each side, as far as the server told it."""
        control = self.control
        return {COLOURS[role]: clock_of(told, control) for role, told in self.clock_fields.items() if role in COLOURS}

    def moves(self) -> tuple[ServerMove, ...]:
        """The moves on the way to where the game stands."""
        return tuple(
            (COLOURS[str(prop["color"])], vertex_of(prop["loc"], self.size))
            for node in self.tree.path()
            for prop in node.all("MOVE")
            if prop.get("color") in COLOURS
        )

    def handicap_stones(self) -> tuple[str, ...]:
        """Black's stones that were placed before the first move."""
        before = takewhile(lambda node: not node.all("MOVE"), self.tree.path())
        stones = [prop for node in before for prop in node.all("ADDSTONE") if prop.get("color") == "black"]
        return tuple(vertex_of(prop["loc"], self.size) for prop in stones)

    def dead(self) -> tuple[str, ...]:
        """The stones that are called dead."""
        return tuple(vertex_of(prop["loc"], self.size) for prop in self.tree.path()[-1].all("DEAD"))

    def may(self, action: str, user: str) -> bool:
        """Return True if the server lets a user do something now."""
        return any(each == action and name.lower() == user.lower() for each, name in self.actions)

    def role(self, user: str) -> str:
        """The role of a user, "" for somebody who looks on."""
        return next((role for role, name in self.players.items() if name.lower() == user.lower()), "")

    @property
    def ends_in_passes(self) -> bool:
        """True if the last two moves are passes."""
        return [vertex for _, vertex in self.moves()[-2:]] == [PASS, PASS]
