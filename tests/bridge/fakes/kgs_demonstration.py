"""Demonstration boards on a local KGS: their owner edits the tree as they like, within what the server endures."""

from typing import Any

from tests.bridge.fakes.kgs_table import Fields, Table

_EVENTS = ("CHILD_ADDED", "ACTIVATED", "PROP_ADDED")


class Demonstration(Table):
    """A board that one account owns."""

    def _actions(self) -> list[Fields]:
        return [{"action": "EDIT", "user": {"name": self.players["owner"]}}]

    def move(self, name: str, loc: Any) -> bool:
        return False

    def change(self, name: str, events: list[Fields]) -> str:
        if name != self.players["owner"]:
            return "an edit without EDIT"
        for event in events:
            fault = self._apply(event)
            if fault:
                return fault
        self._tell_tree(*events)
        return ""

    def _apply(self, event: Fields) -> str:
        kind, number = event["type"], event["nodeId"]
        if kind not in _EVENTS:
            return f"{kind} is no event of an edit"
        if kind == "CHILD_ADDED":
            if event["childNodeId"] != len(self.nodes) or number >= len(self.nodes):
                return f"a node with the number {event['childNodeId']}"
            self.nodes.append((number, []))
        elif number >= len(self.nodes):
            return f"there is no node {number}"
        elif kind == "ACTIVATED":
            if event["prevNodeId"] != self.line[-1]:
                return f"{event['prevNodeId']} was not the active node"
            self.line = [number]
            while (parent := self.nodes[self.line[0]][0]) is not None:
                self.line.insert(0, parent)
        else:
            return self._add(self.nodes[number][1], event["prop"])
        return ""

    def _add(self, props: list[Fields], prop: Fields) -> str:
        names = {each["name"] for each in props}
        if prop["name"] == "COMMENT" or (prop["name"] == "ADDSTONE" and "MOVE" in names):
            return f"{prop['name']} there"
        props.append(prop)
        return ""

    @property
    def shown(self) -> dict[str, str]:
        """The stones that are seen now: vertex -> colour."""
        stones: dict[str, str] = {}
        for number in self.line:
            for prop in self.nodes[number][1]:
                if prop["name"] == "ADDSTONE":
                    stones[self.game.rules.board.vertex(self.point(prop["loc"]))] = prop["color"]
        return {vertex: colour for vertex, colour in stones.items() if colour != "empty"}

    def root(self, name: str) -> list[Fields]:
        """The properties of a name at the root."""
        return [prop for prop in self.nodes[0][1] if prop["name"] == name]

    @property
    def count(self) -> int:
        """Return the number of drawn moves on the shown path."""
        return sum(any(prop["name"] == "SETWHOSEMOVE" for prop in self.nodes[number][1]) for number in self.line)
