"""Games on a local KGS: the tree, clocks, undo, scoring, resignation, time, adjournment.

The board knows only Go. Each game is a channel; who is in it hears everything that happens there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gtp_variants.errors import VariantsError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.boards.chains import area, chain, without
from gtp_variants.rules.boards.handicap import fixed_points
from gtp_variants.rules.game import Game

Fields = dict[str, Any]
COLOURS = {"black": BLACK, "white": WHITE}
# How a role is written in a request for undo: never as it should be.
MALFORMED: dict[str, tuple[Any, ...]] = {"black": ("KRole[black]", 4), "white": ("KRole[white]", 2)}


@dataclass(eq=False)
class Table:
    """A game in a channel; `tell` sends a message to everybody in it."""

    channel: int
    timestamp: str
    room: int
    proposal: Fields
    players: dict[str, str]
    tell: Callable[["Table", str, Fields], None]
    undo_plies: str = "one"
    chat_as: str = "both"
    state_first: bool = False
    refuses: set[str] = field(default_factory=set)
    users: list[str] = field(default_factory=list)
    over: bool = False
    score: Any = None
    adjourned: bool = False
    is_scoring: bool = False
    done_id: int = 0
    done: set[str] = field(default_factory=set)
    dead: set[int] = field(default_factory=set)
    undo_asked: str = ""
    # What the two people see, in order.
    seen: list[str] = field(default_factory=list)
    expires: str = ""
    flags: set[str] = field(default_factory=set)
    # A node: its parent and its properties; the way to the active one is `line`, the root first.
    nodes: list[tuple[int | None, list[Fields]]] = field(default_factory=list)
    line: list[int] = field(default_factory=lambda: [0])
    game: Game = field(init=False)

    def __post_init__(self) -> None:
        rules = self.proposal["rules"]
        self.size = int(rules["size"])
        props: list[Fields] = [{"name": "RULES", **rules}]
        parsed: Any = parse(f"go:size={self.size},komi={rules.get('komi', 0)},repetition=simple")
        points = fixed_points(parsed.board, int(rules.get("handicap", 0))) or []
        props += [{"name": "ADDSTONE", "color": "black", "loc": self.loc(point)} for point in points]
        self.nodes = [(None, props)]
        self.game = Game(parsed, dict.fromkeys(points, BLACK), WHITE if points else None)

    # -- what it is ----------------------------------------------------------------------------------------------------

    def loc(self, point: int) -> Any:
        if point == PASS:
            return "PASS"
        return {"x": point % self.size, "y": self.size - 1 - point // self.size}

    def point(self, loc: Any) -> int:
        if loc == "PASS":
            return PASS
        return int((self.size - 1 - loc["y"]) * self.size + loc["x"])

    def role(self, name: str) -> str:
        return next((role for role, each in self.players.items() if each == name), "")

    @property
    def to_play(self) -> str:
        return "black" if self.game.position.mover == BLACK else "white"

    @property
    def moves(self) -> list[str]:
        board = self.game.rules.board
        return ["pass" if event.action == PASS else board.vertex(event.action) for event in self.game.events]

    @property
    def is_live(self) -> bool:
        return not self.over and not self.adjourned and set(self.players.values()) <= set(self.users)

    def summary(self) -> Fields:
        fields: Fields = {
            "timestamp": self.timestamp,
            "gameType": self.proposal["gameType"],
            "size": self.size,
            "komi": self.proposal["rules"].get("komi", 0),
            "handicap": self.proposal["rules"].get("handicap", 0),
            "players": {role: {"name": name, "rank": "?"} for role, name in self.players.items()},
        }
        if self.over:
            fields["score"] = self.score
        elif self.users:
            fields["inPlay"] = True
        else:
            fields["score"] = "UNFINISHED"
        return fields

    def listed(self) -> Fields:
        fields = self.summary()
        del fields["timestamp"]
        return {"channelId": self.channel, "roomId": self.room, "moveNum": len(self.moves), **fields}

    def state(self) -> Fields:
        rules = self.proposal["rules"]
        fields: Fields = {"actions": self._actions(), "clocks": {}}
        for role in COLOURS:
            clock: Fields = {"time": float(rules.get("mainTime", 0))}
            if rules.get("timeSystem") == "byo_yomi":
                clock["periodsLeft"] = 0
            fields["clocks"][role] = {**clock, **({"running": True} if role == self.to_play else {})}
        if self.is_scoring:
            fields["doneId"] = self.done_id
            fields |= {f"{self.role(name)}DoneSent": True for name in self.done}
        for flag in ("over", "adjourned"):
            if getattr(self, flag):
                fields[flag] = True
        if self.over:
            fields["score"] = self.score
        return fields

    def _actions(self) -> list[Fields]:
        users = {role: {"name": name} for role, name in self.players.items()}
        if self.over or self.adjourned:
            return []
        if self.is_scoring:
            return [{"action": "SCORE", "user": user} for user in users.values()]
        return [{"action": "MOVE", "user": users[self.to_play]}]

    def tree(self) -> list[Fields]:
        """The whole game as events."""
        events: list[Fields] = [{"type": "PROP_GROUP_ADDED", "nodeId": 0, "props": self.nodes[0][1]}]
        for number, (parent, props) in enumerate(self.nodes):
            if parent is not None:
                events.append({"type": "CHILD_ADDED", "nodeId": parent, "childNodeId": number})
                events.append({"type": "PROP_GROUP_ADDED", "nodeId": number, "props": props})
        events.append({"type": "ACTIVATED", "nodeId": self.line[-1], "prevNodeId": 0})
        return events

    # -- what is done --------------------------------------------------------------------------------------------------

    def _tell_state(self) -> None:
        self.tell(self, "GAME_STATE", self.state())

    def _tell_tree(self, *events: Fields) -> None:
        self.tell(self, "GAME_UPDATE", {"sgfEvents": list(events)})

    def move(self, name: str, loc: Any) -> bool:
        """Play a move; return False, answered with 400, if it is refused."""
        if self.over or self.adjourned or self.is_scoring or self.role(name) != self.to_play:
            return False
        colour, point = self.to_play, self.point(loc)
        if point != PASS and self.game.rules.board.vertex(point) in self.refuses:
            return False
        try:
            self.game.play(COLOURS[colour], point)
        except (VariantsError, TypeError, KeyError):
            return False
        self.undo_asked = ""
        self.seen.append(f"{colour.capitalize()} plays {self.moves[-1]}.")
        parent, number = self.line[-1], len(self.nodes)
        prop = {"name": "MOVE", "color": colour, "loc": loc}
        left = {"name": "TIMELEFT", "color": colour, "float": 600.0}
        self.nodes.append((parent, [prop, left]))
        self.line.append(number)
        events: list[Fields] = [
            {"type": "CHILD_ADDED", "nodeId": parent, "childNodeId": number},
            {"type": "ACTIVATED", "nodeId": number, "prevNodeId": parent},
            {"type": "PROP_ADDED", "nodeId": number, "prop": prop},
            {"type": "PROP_ADDED", "nodeId": number, "prop": left},
        ]
        if self.game.position.passes >= 2:
            self.is_scoring = True
            self.dead.clear()
            self.done.clear()
        if self.state_first:
            self._tell_state()
            self._tell_tree(*reversed(events))
        else:
            self._tell_tree(*events)
            self._tell_state()
        return True

    def change(self, name: str, events: list[Fields]) -> str:
        """Edit the tree; what is wrong with that, "" for nothing. In games nobody may."""
        return "an edit where there is no EDIT action"

    def chat(self, name: str, text: str) -> None:
        """Send a line of chat; a player's line also enters the active node."""
        self.seen.append(f"{name}: {text}")
        if not self.role(name) or self.chat_as != "comment":
            self.tell(self, "CHAT", {"user": {"name": name}, "text": text})
        if not self.role(name) or self.chat_as == "chat":
            return
        number = self.line[-1]
        props = self.nodes[number][1]
        old = next((prop for prop in props if prop["name"] == "COMMENT"), None)
        line = f"{name} [?]: {text}"
        new = {"name": "COMMENT", "text": f"{old['text']}\n{line}" if old else line}
        if old is not None:
            props.remove(old)
        props.append(new)
        self._tell_tree({"type": "PROP_CHANGED" if old else "PROP_ADDED", "nodeId": number, "prop": new})

    def ask_undo(self, name: str) -> Fields | None:
        """Return the message to the other side, or None if nothing can be undone."""
        role = self.role(name)
        if not role or self.over or self.adjourned or not self.game.events:
            return None
        self.undo_asked = role
        self.seen.append(f"{role.capitalize()} asks for an undo.")
        return {"role": MALFORMED[role][len(self.game.events) % 2]}

    def accept_undo(self, name: str) -> None:
        role = self.role(name)
        if not self.undo_asked or role == self.undo_asked:
            return
        colour = COLOURS[self.undo_asked]
        self.undo_asked = ""
        self.seen.append(f"{role.capitalize()} lets the move be undone.")
        before = self.line[-1]
        while self.game.events:
            event = self.game.undo()
            self.line.pop()
            if self.undo_plies == "one" or event.actor == colour:
                break
        self.is_scoring = False
        self.dead.clear()
        self.done.clear()
        self._tell_tree({"type": "ACTIVATED", "nodeId": self.line[-1], "prevNodeId": before})
        self._tell_state()

    def mark(self, name: str, loc: Any, alive: bool) -> None:
        if not self.is_scoring or not self.role(name):
            return
        stones, board = self.game.position.stones, self.game.rules.board
        point = self.point(loc)
        if not stones[point]:
            return
        marked = set(chain(board, stones, point))
        self.dead = self.dead - marked if alive else self.dead | marked
        kind = "PROP_REMOVED" if alive else "PROP_ADDED"
        props = [{"name": "DEAD", "loc": self.loc(each)} for each in sorted(marked)]
        self.done_id += 1
        self.done.clear()
        self._tell_tree(*({"type": kind, "nodeId": self.line[-1], "prop": prop} for prop in props))
        self._tell_state()

    def finish(self, name: str, done_id: int) -> None:
        if not self.is_scoring or done_id != self.done_id or not self.role(name):
            return
        self.done.add(name)
        if len(self.done) < 2:
            self._tell_state()
            return
        counted = area(self.game.rules.board, without(self.game.position.stones, self.dead))
        komi = float(self.proposal["rules"].get("komi", 0))
        self.end(counted[BLACK] - counted[WHITE] - komi)

    def end(self, score: Any) -> None:
        self.over, self.score, self.is_scoring = True, score, False
        self.seen.append(f"The game is over: {score}.")
        self.tell(self, "GAME_OVER", {"score": score})
        self._tell_state()

    def resign(self, name: str) -> None:
        if self.role(name) and not self.over:
            self.end(f"{'W' if self.role(name) == 'black' else 'B'}+RESIGN")

    # -- who is here ---------------------------------------------------------------------------------------------------

    def come(self, name: str) -> None:
        """Note that a user has joined; a game continues once both players are here."""
        if self.adjourned and set(self.players.values()) <= set(self.users):
            self.adjourned = False
            self._tell_state()

    def leave(self, name: str) -> None:
        if self.role(name) and not self.over and not self.adjourned:
            self.adjourned = True
            self._tell_state()
