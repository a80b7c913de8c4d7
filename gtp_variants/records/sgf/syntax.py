"""The syntax of SGF FF[4]: parsing text into nodes, and writing values as text. `games.py` interprets the properties.

A node is a dict of property -> unescaped values. A game is the list of the nodes on its main line.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from gtp_variants.errors import RecordError
from gtp_variants.records.record import MAX_EVENTS, check_size, check_text, place_of

Node = dict[str, list[str]]

_MAX_TOKENS = 2_000_000
# Some programs omit the ; before the properties of the first root.
_START = re.compile(r"\(\s*;|\A\s*\(\s*[A-Za-z]{1,20}\s*\[")
_INSIDE = r"[^\]\\]*+(?:\\.[^\]\\]*+)*+"
_VALUES = rf"(?:\s*+\[{_INSIDE}\])*+"
_NODES = rf"(?:\s*+(?:;|[A-Za-z0-9]++{_VALUES}))"
_VALUE = re.compile(rf"\[({_INSIDE})\]", re.DOTALL)
# The parts of a run of nodes: the first property of a node, a further property, or an empty node.
_PROPERTY = re.compile(rf"(;?)\s*+([A-Za-z0-9]++)\s*+(\[{_INSIDE}\])?+({_VALUES})|(;)", re.DOTALL)
_ALL_NODES = re.compile(rf"{_NODES}*+", re.DOTALL)
_SOME_NODES = re.compile(rf"{_NODES}{{0,4096}}+", re.DOTALL)
_MARK = re.compile(r"\s*+([();])")
_INK = re.compile(r"\S")
# Replaces a backslash while a value is unescaped: half of a surrogate pair, which cannot occur in a text.
_BACKSLASH = "\ud800"
_BLANK = re.compile(r"[^\S\n ]")
_CHARSET_PATTERN = r"CA\s*\[\s*([A-Za-z0-9_.:+-]{1,40})\s*\]"
_CHARSET, _CHARSET_IN_TEXT = re.compile(_CHARSET_PATTERN.encode()), re.compile(_CHARSET_PATTERN)
_HEAD_BYTES = 4096
# Encodings that are supersets of ASCII. SGF files do not use other encodings.
_CHARSETS = {
    *("utf-8", "ascii", "mac-roman", "cp437", "cp850", "cp866", "cp874", "koi8-r", "koi8-u"),
    *(f"iso8859-{part}" for part in range(1, 17)),
    *(f"cp125{page}" for page in range(9)),
    *("shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949", "johab"),
    *("gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "cp950"),
}
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Names of encodings that programs write, but Python does not know.
_ALIASES = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gbk", "x-euc-kr": "euc_kr", "unicode": "utf-8"}


@dataclass(frozen=True, slots=True)
class Variation:
    """A variation: its `nodes` follow the first `after` nodes of the main line, counting the root."""

    after: int
    nodes: list[Node]


@dataclass(frozen=True, slots=True)
class _Variations:
    """The variations found so far, and the maximum number to keep."""

    found: list[Variation]
    most: int

    def begin(self, after: int) -> list[Node] | None:
        """Return the list for the nodes of one more variation, or None if there are enough."""
        if len(self.found) >= self.most:
            return None
        self.found.append(Variation(after, []))
        return self.found[-1].nodes


def decode(content: bytes) -> str:
    """Decode an SGF file by its byte order mark or CA property, or else as UTF-8 if possible, or else as Latin-1.

    Undecodable bytes become U+FFFD. Raises RecordError for an unsupported encoding, unless the file is pure ASCII.
    """
    check_size(len(content))
    for mark, named in _MARKS.items():
        if content.startswith(mark):
            return content[len(mark) :].decode(named, errors="replace")
    found = _CHARSET.search(content, 0, _HEAD_BYTES)
    if found is None:
        with suppress(UnicodeDecodeError):
            return content.decode()
        return content.decode("iso8859-1")
    name = found[1].decode()
    try:
        charset = codecs.lookup(_ALIASES.get(name.lower(), name)).name
    except LookupError:
        charset = ""
    if charset not in _CHARSETS and content.isascii():
        return content.decode("ascii")
    if charset not in _CHARSETS:
        raise RecordError(f"CA[{name}]: unknown encoding")
    return content.decode(charset, errors="replace")


def declare_utf8(text: str) -> str:
    """Return the text of a file with its CA property, if it has one, set to UTF-8."""
    found = _CHARSET_IN_TEXT.search(text, 0, _HEAD_BYTES)
    return text if found is None else f"{text[: found.start(1)]}UTF-8{text[found.end(1) :]}"


def parse_sgf(text: str | bytes, most: int | None = None) -> list[list[Node]]:
    """Return the main line of every game of a collection, or only of the first `most`.

    Raises a RecordError with the line and column if the text is damaged, or a RecordError if it contains no game.
    """
    return list(islice(games_of(text), most))


def games_of(text: str | bytes) -> Iterator[list[Node]]:
    """Yield the main line of each game of a collection. Raises the errors of `parse_sgf` on reaching a faulty game."""
    source = _read_source(text)
    start = _START.search(source)
    if start is None:
        raise RecordError("no game found: expected (;")
    while start is not None:
        game, end = _read_game(source, start.start())
        yield game
        start = _START.search(source, end)


def variations_of(text: str | bytes, most: int) -> list[Variation]:
    """Return at most `most` variations from the main line of the first game, each without its own variations.

    Raises the same errors as `parse_sgf`.
    """
    source = _read_source(text)
    start = _START.search(source)
    found: list[Variation] = []
    if start is not None:
        _read_game(source, start.start(), _Variations(found, most))
    return found


def _read_source(text: str | bytes) -> str:
    if isinstance(text, bytes):
        return decode(text)
    check_text(text)
    return text.removeprefix("\ufeff")


@dataclass(slots=True)
class _Tree:
    """An open parenthesis. `is_main` is True on the main line, and `branched` once the first tree inside it has begun.

    `nodes` is the list for the nodes of a variation that is kept. `after` is the number of main-line nodes before the
    first tree inside.
    """

    is_main: bool
    offset: int
    nodes: list[Node] | None = None
    branched: bool = False
    after: int = 0


def _read_game(text: str, offset: int, variations: _Variations | None = None) -> tuple[list[Node], int]:
    """Return the main line of the game that begins at `offset`, and where the game ends.

    Without `variations`, all variations are skipped quickly, one match per run of nodes. Five million bytes take at
    most a second.
    """
    nodes: list[Node] = []
    trees: list[_Tree] = []
    while True:
        found = _MARK.match(text, offset)
        if found is None:
            raise _fault(text, offset, trees)
        mark, place = found[1], found.start(1)
        offset = found.end()
        if mark == "(":
            _open(trees, place, text, len(nodes), variations)
            if not nodes:
                offset = _read_nodes(text, offset, nodes)
        elif mark == ")":
            trees.pop()
            if not trees:
                return nodes, offset
        elif trees[-1].branched:
            raise RecordError(f"{place_of(text, place)}: a node after a variation")
        else:
            line = nodes if trees[-1].is_main else trees[-1].nodes
            offset = _end_of(_ALL_NODES, text, place) if line is None else _read_nodes(text, place, line)


def _open(trees: list[_Tree], place: int, text: str, count: int, variations: _Variations | None) -> None:
    """Add an open parenthesis after `count` nodes of the main line. Raises RecordError if the nesting is too deep."""
    if len(trees) >= MAX_EVENTS:
        raise RecordError(f"{place_of(text, place)}: more than {MAX_EVENTS} variations in each other")
    outer = trees[-1] if trees else None
    is_main = outer is None or (outer.is_main and not outer.branched)
    line = None
    if outer is not None and not is_main:
        # Of the continuations inside a variation, only the first is kept.
        is_beside = outer.is_main and variations is not None
        line = variations.begin(outer.after) if is_beside and variations else None if outer.branched else outer.nodes
    trees.append(_Tree(is_main, place, line))
    if outer is not None and not outer.branched:
        outer.branched, outer.after = True, count


def _read_nodes(text: str, offset: int, nodes: list[Node]) -> int:
    """Read the nodes at an offset into `nodes`, and return the offset of their end."""
    count = 0
    while (end := _end_of(_SOME_NODES, text, offset)) > offset:
        for mark, name, value, more, empty in _PROPERTY.findall(text, offset, end):
            if mark or empty or not nodes:
                nodes.append({})
            if not name:
                continue
            values = nodes[-1].setdefault(short_name(name), [])
            if value:
                values.append(_unescape(value[1:-1]))
            if more:
                values += map(_unescape, _VALUE.findall(more))
            count += 2 + more.count("[")
        if count + len(nodes) > _MAX_TOKENS:
            raise RecordError(f"more than {_MAX_TOKENS} nodes, properties and values on the main line")
        offset = end
    return end


def _end_of(pattern: re.Pattern[str], text: str, offset: int) -> int:
    """Return the end of the match of a pattern at an offset, or the offset itself if it does not match."""
    found = pattern.match(text, offset)
    return offset if found is None else found.end()


def short_name(name: str) -> str:
    """Return a property name as in FF[4]. Older files add lower-case letters, which have no meaning."""
    return name if name.isupper() else "".join(letter for letter in name if not letter.islower()) or name.upper()


def _fault(text: str, offset: int, trees: list[_Tree]) -> RecordError:
    found = _INK.search(text, offset)
    if found is None:
        begun = place_of(text, trees[0].offset)
        return RecordError(f"{place_of(text, len(text))}: the text ends before the ) of {begun}")
    place, first = place_of(text, found.start()), found[0]
    if first == "[":
        is_whole = _VALUE.match(text, found.start()) is not None
        return RecordError(f"{place}: a value {'without a property' if is_whole else 'that does not end'}")
    if first.isascii() and first.isalnum():
        return RecordError(f"{place}: a property outside of a node")
    rest = text[found.start() : found.start() + 10]
    return RecordError(f"{place}: expected ( ) ; or a property, found {rest!r}")


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


_ESCAPES = str.maketrans({"\\": "\\\\", "]": "\\]"})
