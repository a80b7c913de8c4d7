"""The syntax of SGF FF[4]: text to nodes and values to text. What the properties mean is in `games.py`.

A node is a dict of property -> values, unescaped; a game is the list of nodes of its main line.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from gtp_variants.errors import RecordError
from gtp_variants.records.record import MAX_BYTES, MAX_EVENTS, place_of

Node = dict[str, list[str]]

_MAX_TOKENS = 2_000_000
# Some programs leave out the ; before the first root's properties.
_START = re.compile(r"\(\s*;|\A\s*\(\s*[A-Za-z]{1,20}\s*\[")
_TOKEN = re.compile(r"\s*+(?:([();])|([A-Za-z0-9]+)|\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\])", re.DOTALL)
_BLANK = re.compile(r"[^\S\n]")
_CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.:+-]{1,40})\s*\]")
_HEAD_BYTES = 4096
# Encodings in which ASCII stands for itself; whatever else Python knows is no text, or no SGF is written in it.
_CHARSETS = {
    *("utf-8", "ascii", "mac-roman", "cp437", "cp850", "cp866", "cp874", "koi8-r", "koi8-u"),
    *(f"iso8859-{part}" for part in range(1, 17)),
    *(f"cp125{page}" for page in range(9)),
    *("shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949", "johab"),
    *("gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "cp950"),
}
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Names that programs write and Python does not know.
_ALIASES = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gbk", "x-euc-kr": "euc_kr", "unicode": "utf-8"}


def decode(content: bytes) -> str:
    """The text of an SGF file: as its byte order mark or CA property says; else UTF-8 if it is that, or Latin-1.

    Bytes that do not belong there become U+FFFD. Raises RecordError for an encoding no SGF has.
    """
    if len(content) > MAX_BYTES:
        raise RecordError(f"longer than {MAX_BYTES} bytes")
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
    if charset not in _CHARSETS:
        raise RecordError(f"CA[{name}]: unknown encoding")
    return content.decode(charset, errors="replace")


def parse_sgf(text: str | bytes, most: int | None = None) -> list[list[Node]]:
    """The main line of every game of a collection, of the first `most` only if given.

    Raises RecordError with line and column where the text is damaged, and if there is no game in it.
    """
    return list(islice(games_of(text), most))


def games_of(text: str | bytes) -> Iterator[list[Node]]:
    """The main lines of a collection's games one by one; raises as `parse_sgf` does, for each game when it is due."""
    source = decode(text) if isinstance(text, bytes) else _refuse_unreadable(text)
    budget = _MAX_TOKENS
    start = _START.search(source)
    if start is None:
        raise RecordError("there is no game in it: expected (;")
    while start is not None:
        game, end, budget = _read_game(source, start.start(), budget)
        yield game
        start = _START.search(source, end)


def _refuse_unreadable(text: str) -> str:
    if len(text) > MAX_BYTES:
        raise RecordError(f"longer than {MAX_BYTES} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RecordError(f"{place_of(text, error.start)}: half of a surrogate pair") from None
    return text.removeprefix("\ufeff")


class _Tree:
    """An open parenthesis: whether it lies on the main line, and whether a variation followed in it."""

    __slots__ = ("branched", "is_main", "offset")

    def __init__(self, is_main: bool, offset: int) -> None:
        self.is_main = is_main
        self.offset = offset
        self.branched = False


def _read_game(text: str, offset: int, budget: int) -> tuple[list[Node], int, int]:
    """The main line of the game that begins at `offset`, where it ends, and how many tokens may follow."""
    nodes: list[Node] = []
    trees: list[_Tree] = []
    values: list[str] | None = None
    in_node = False
    while budget:
        budget -= 1
        token = _TOKEN.match(text, offset)
        if token is None:
            raise _fault(text, offset, trees)
        offset = token.end()
        mark, name, value = token.groups()
        if value is not None:
            if values is None:
                raise RecordError(f"{place_of(text, token.start(3) - 1)}: a value without a property")
            values.append(value)
        elif name is not None:
            if not in_node and nodes:
                raise RecordError(f"{place_of(text, token.start(2))}: a property outside of a node")
            if not nodes:
                in_node = True
                nodes.append({})
            values = nodes[-1].setdefault(_short(name), []) if trees[-1].is_main else []
        elif mark == ";":
            if trees[-1].branched:
                raise RecordError(f"{place_of(text, token.start(1))}: a node after a variation")
            in_node, values = True, None
            if trees[-1].is_main:
                nodes.append({})
        elif mark == "(":
            if len(trees) >= MAX_EVENTS:
                raise RecordError(f"{place_of(text, token.start(1))}: more than {MAX_EVENTS} variations in each other")
            trees.append(_Tree(not trees or (trees[-1].is_main and not trees[-1].branched), token.start(1)))
            if len(trees) > 1:
                trees[-2].branched = True
            in_node, values = False, None
        else:
            trees.pop()
            in_node, values = False, None
            if not trees:
                return [_unescape_node(node) for node in nodes], offset, budget
    raise RecordError(f"more than {_MAX_TOKENS} nodes and properties")


def _short(name: str) -> str:
    """The name as FF[4] writes it: older files have lower-case letters in it that do not count."""
    return "".join(letter for letter in name if not letter.islower()) or name.upper()


def _fault(text: str, offset: int, trees: list[_Tree]) -> RecordError:
    rest = text[offset : offset + 200].lstrip()
    if not rest and not text[offset:].strip():
        begun = place_of(text, trees[0].offset)
        return RecordError(f"{place_of(text, len(text))}: the text ends before the ) of {begun}")
    if rest.startswith("["):
        return RecordError(f"{place_of(text, text.index('[', offset))}: a value that does not end")
    return RecordError(f"{place_of(text, offset)}: expected ( ) ; or a property, found {rest[:10]!r}")


def _unescape_node(node: Node) -> Node:
    return {name: [_unescape(value) for value in values] for name, values in node.items()}


def _unescape(value: str) -> str:
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    if "\\" in value:
        # A backslash before a line end takes it away, before anything else it is only dropped.
        value = re.sub(r"\\(\n|.)", lambda match: "" if match[1] == "\n" else match[1], value, flags=re.DOTALL)
    return _BLANK.sub(" ", value)


def property_text(name: str, *values: str) -> str:
    """A property with its values, escaped."""
    return name + "".join(f"[{value.translate(_ESCAPES)}]" for value in values)


_ESCAPES = str.maketrans({"\\": "\\\\", "]": "\\]"})
