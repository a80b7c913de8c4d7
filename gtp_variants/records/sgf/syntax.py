"""The syntax of SGF FF[4]: reading text into trees without loss, mending damage, and writing trees as text.

`points.py` and `dialects.py` interpret the properties of a node, a dict of property -> unescaped values.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import starmap

from gtp_variants.errors import RecordError
from gtp_variants.records.record import MAX_EVENTS, Caveat, check_text, place_of
from gtp_variants.records.sgf.conversions import convert
from gtp_variants.records.sgf.decoding import decode
from gtp_variants.records.sgf.ogs_games import OGS_START

Node = dict[str, list[str]]

# Maximum nodes, variations and nodes of one line, to bound memory. The largest opening dictionaries have fewer.
_MAX_NODES, _MAX_VARIATIONS, _LONGEST_LINE = 500_000, 250_000, 2 * MAX_EVENTS
_MAX_VALUES = 2_000_000
_MOST_REPAIRS = 200
# Maximum number of characters quoted from a file.
_QUOTED = 20
# The start of a game. Some programs omit the ; before the properties of the first root.
_START = re.compile(r"\(\s*;|\A\s*\(\s*[A-Za-z]{1,20}\s*\[")
_INSIDE = r"[^\]\\]*+(?:\\.[^\]\\]*+)*+"
_VALUES = rf"(?:\s*+\[{_INSIDE}\])*+"
_NAMED = rf"\s*+[A-Za-z0-9]++{_VALUES}"
_VALUE = re.compile(rf"\[({_INSIDE})\]", re.DOTALL)
_PROPERTY = re.compile(rf"([A-Za-z0-9]++)({_VALUES})", re.DOTALL)
# `_SOME_NODES`: a run of nodes, matched in parts to bound memory. `_NODE`: one node of a run.
_SOME_NODES = re.compile(rf"(?:\s*+;|{_NAMED}){{0,4096}}+", re.DOTALL)
_NODE = re.compile(rf"\s*+(;?)((?:{_NAMED})*+)", re.DOTALL)
_MARK = re.compile(r"\s*+([()])")
_INK = re.compile(r"\S")
# The rest of a value that an unescaped ] ended too early, and text that belongs to no property.
_REST_OF_VALUE = re.compile(r"((?:[^\[\]();\\]|\[[^\[\]();\\]*+\])*+)\]")
_STRAY = re.compile(rf"\[{_INSIDE}\]|(?:[A-Za-z]++(?!\s*\[)|[^\[();A-Za-z])++|.", re.DOTALL)
# Replaces a backslash while a value is unescaped: half of a surrogate pair, which cannot occur in a text.
_BACKSLASH = "\ud800"
_BLANK = re.compile(r"[^\S\n ]")
_ESCAPES = str.maketrans({"\\": "\\\\", "]": "\\]"})
# The values of these properties are points. A point that the end of a file cuts off is dropped.
_POINTS = {"B", "W", "R", "AB", "AW", "AE", "ADDRED", "TR", "SQ", "CR", "MA", "TB", "TW", "DD", "SL", "VW"}
_WHOLE_POINT = re.compile(r"[A-Za-z]{2}")


@dataclass(slots=True, eq=False)
class GameTree:
    """A sequence of nodes, each the text of its properties, and the trees that may follow, main line first.

    The text of a node is as in the file, so that unknown properties and values are written back.
    """

    nodes: list[str] = field(default_factory=list)
    trees: list["GameTree"] = field(default_factory=list)

    def write(self) -> str:
        """Return the tree as text, one node per line."""
        waiting: list[GameTree | str] = [self]
        written: list[str] = []
        while waiting:
            each = waiting.pop()
            if isinstance(each, str):
                written.append(each)
                continue
            written.append("(" + "\n".join(f";{node}" for node in each.nodes))
            waiting.append(")")
            for tree in reversed(each.trees):
                waiting += [tree, "\n"]
        return "".join(written) + "\n"

    def all_trees(self) -> Iterator["GameTree"]:
        """Yield this tree and all within it."""
        waiting = [self]
        while waiting:
            tree = waiting.pop()
            waiting += tree.trees
            yield tree

    def main_line(self) -> list[str]:
        """Return the text of the nodes of the main line."""
        nodes, tree = list(self.nodes), self
        while tree.trees:
            tree = tree.trees[0]
            nodes += tree.nodes
        return nodes

    def cut(self, count: int) -> tuple["GameTree", "GameTree", "GameTree | None"]:
        """Return a copy that ends after `count` nodes of the main line, the copy's last tree, and the rest or None.

        Variations that begin at these nodes stay with the last tree.
        """
        copy = end = GameTree(list(self.nodes), list(self.trees))
        while count > len(end.nodes) and end.trees:
            count -= len(end.nodes)
            first = end.trees[0]
            end.trees[0] = end = GameTree(list(first.nodes), list(first.trees))
        if count < len(end.nodes):
            rest: GameTree | None = GameTree(end.nodes[count:], end.trees)
            end.nodes, end.trees = end.nodes[:count], []
        else:
            rest = end.trees.pop(0) if end.trees else None
        return copy, end, rest


@dataclass(frozen=True, slots=True, eq=False)
class SgfGame:
    """A game of an SGF file: its tree, and what was guessed or mended to read it."""

    tree: GameTree
    caveats: tuple[Caveat, ...]

    def main_line(self) -> list[Node]:
        """Return the nodes of the main line. Raises RecordError if there are too many."""
        texts = self.tree.main_line()
        if len(texts) > _LONGEST_LINE:
            raise RecordError(f"more than {_LONGEST_LINE} nodes in the main line")
        return list(map(read_node, texts))


def games_of(source: str | bytes) -> Iterator[SgfGame]:
    """Yield each game of a collection, mended if it is damaged. A game in GIB, NGF or the JSON of OGS is converted.

    Raises RecordError if the text contains no game, or on reaching a game that cannot be mended.
    """
    if isinstance(source, bytes):
        text, caveats = decode(source)
    else:
        check_text(source)
        text, caveats = source.removeprefix("\ufeff"), []
    start = None if OGS_START.match(text) else _START.search(text)
    if start is None:
        nodes, found = convert(text)
        tree = GameTree(["".join(starmap(_converted_text, node.items())) for node in nodes])
        yield SgfGame(tree, (*caveats, *found))
        return
    beside = text[: start.start()].strip()
    while start is not None:
        reader = _Reader(text, start.start())
        tree = reader.read()
        start = _START.search(text, reader.offset)
        after = text[reader.offset : len(text) if start is None else start.start()].strip()
        found = [Caveat("outside", {"text": each[:_QUOTED]}) for each in (beside, after) if each]
        beside = ""
        yield SgfGame(tree, (*caveats, *found, *reader.caveats))


def first_game(source: str | bytes) -> SgfGame:
    """Return the first game of a text. Raises the same errors as `games_of`."""
    return next(games_of(source))


class _Reader:
    """Reads one game from the parenthesis at `offset`, which moves on to the end of the game."""

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.start = offset
        self.offset = offset + 1
        self.caveats: list[Caveat] = []
        self.count = self.variations = 0

    def read(self) -> GameTree:
        root = GameTree()
        trees = [root]
        while trees:
            self._read_nodes(trees[-1])
            found = _MARK.match(self.text, self.offset)
            if found is None:
                self._mend(trees)
                continue
            self.offset = found.end()
            if found[1] == ")":
                trees.pop()
                continue
            if len(trees) >= MAX_EVENTS:
                place = place_of(self.text, found.start(1))
                raise RecordError(f"{place}: variations nested more than {MAX_EVENTS} deep")
            self.variations += 1
            if self.variations > _MAX_VARIATIONS:
                raise RecordError(f"more than {_MAX_VARIATIONS} variations")
            trees[-1].trees.append(GameTree())
            trees.append(trees[-1].trees[-1])
        if not any(root.nodes) and not root.trees and self.caveats:
            begun = place_of(self.text, self.start)
            raise RecordError(f"{place_of(self.text, self.offset)}: the text ends before the ) for the ( at {begun}")
        return root

    def _read_nodes(self, tree: GameTree) -> None:
        """Read the nodes at the offset into a tree."""
        start, nodes = self.offset, tree.nodes
        while (end := _end_of(_SOME_NODES, self.text, self.offset)) > self.offset:
            if tree.trees and nodes is tree.nodes:
                # Read a node after a variation as one more variation.
                self._say("misplaced", start)
                nodes = []
                tree.trees.append(GameTree(nodes))
            before = len(nodes)
            for mark, properties in _NODE.findall(self.text, self.offset, end):
                if mark:
                    nodes.append(properties)
                elif nodes:
                    nodes[-1] += properties
                elif properties:
                    nodes.append(properties)
                    if start > self.start + 1:
                        self._say("no_semicolon", start)
            self.offset = end
            self.count += len(nodes) - before
            if self.count > _MAX_NODES:
                raise RecordError(f"more than {_MAX_NODES} nodes")

    def _mend(self, trees: list[GameTree]) -> None:
        """Mend the text at the offset, which is neither a node nor a parenthesis, and move on behind the fault."""
        ink, nodes = _INK.search(self.text, self.offset), trees[-1].nodes
        if ink is None or (ink[0] == "[" and _VALUE.match(self.text, ink.start()) is None):
            self._say("ends", len(self.text))
            if ink is not None and nodes:
                nodes[-1] = _close(nodes[-1], self.text[ink.end() :])
                if not nodes[-1].strip() and len(nodes) > 1:
                    nodes.pop()
            self.offset = len(self.text)
            trees.clear()
            return
        rest = _REST_OF_VALUE.match(self.text, self.offset)
        if rest is not None and nodes and "]" in nodes[-1] and not trees[-1].trees:
            self._say("bracket", ink.start())
            head, _, tail = nodes[-1].rpartition("]")
            nodes[-1] = f"{head}\\]{tail}{rest[1].translate(_ESCAPES)}]"
            self.offset = rest.end()
            return
        self.offset = _end_of(_STRAY, self.text, ink.start())
        self._say("stray", ink.start(), text=self.text[ink.start() : self.offset][:_QUOTED])

    def _say(self, key: str, offset: int, **parts: object) -> None:
        if len(self.caveats) >= _MOST_REPAIRS:
            raise RecordError(f"{place_of(self.text, offset)}: more than {_MOST_REPAIRS} faults before this place")
        self.caveats.append(Caveat(key, {"place": place_of(self.text, offset), **parts}))


def _close(node: str, value: str) -> str:
    """Return the last node of a file with the value that the file's end cuts off, unless the value is half a point."""
    name = [found[1] for found in _PROPERTY.finditer(node)][-1:]
    if not name:
        return node
    if short_name(name[0]) in _POINTS and not _WHOLE_POINT.fullmatch(value.strip()):
        return node.removesuffix(name[0])
    # Drop a backslash at the end, because it would escape the bracket.
    whole = value[:-1] if len(value) - len(value.rstrip("\\")) & 1 else value
    return f"{node}[{whole}]"


def _end_of(pattern: re.Pattern[str], text: str, offset: int) -> int:
    """Return the end of the match of a pattern at an offset, or the offset itself if it does not match."""
    found = pattern.match(text, offset)
    return offset if found is None else found.end()


def read_node(text: str) -> Node:
    """Return the properties of a node, their names as in FF[4]. Raises RecordError for too many values."""
    if text.count("[") > _MAX_VALUES:
        raise RecordError(f"more than {_MAX_VALUES} values in a node")
    node: Node = {}
    for name, values in _PROPERTY.findall(text):
        node.setdefault(short_name(name), []).extend(map(_unescape, _VALUE.findall(values)))
    return node


def short_name(name: str) -> str:
    """Return a property name as in FF[4]. Older files add lower-case letters, which have no meaning."""
    return name if name.isupper() else "".join(letter for letter in name if not letter.islower()) or name.upper()


def _unescape(value: str) -> str:
    if value.isalnum():
        return value
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    if "\\" in value:
        # A backslash before a line feed removes both. Before any other character, only the backslash is removed.
        value = value.replace("\\\\", _BACKSLASH).replace("\\\n", "").replace("\\", "").replace(_BACKSLASH, "\\")
    return _BLANK.sub(" ", value)


def property_text(name: str, *values: str) -> str:
    """Return a property with its values, escaped."""
    return name + "".join(f"[{value.translate(_ESCAPES)}]" for value in values)


def _converted_text(name: str, value: str | list[str]) -> str:
    return property_text(name, *([value] if isinstance(value, str) else value))


def properties_of(node: str) -> Iterator[tuple[str, str]]:
    """Yield the name as in FF[4] and the text of each property of a node."""
    for found in _PROPERTY.finditer(node):
        yield short_name(found[1]), found[0]


def set_property(node: str, name: str, value: str | None) -> str:
    """Return the text of a node with one value of a property, or without the property for None."""
    new = "" if value is None else property_text(name, value)
    spans = [found.span() for found in _PROPERTY.finditer(node) if short_name(found[1]) == name]
    for start, end in reversed(spans):
        node = node[:start] + node[end:]
    # Put a new property first, because readers look for CA at the beginning.
    place = spans[0][0] if spans else 0
    return node[:place] + new + node[place:]
