"""Blocks of a configuration file as dataclasses: one declaration of a key reads it, checks it and explains it.

>>> from gtp_variants.players.config_readers import DURATION, whole
>>> @dataclass(frozen=True, slots=True)
... class Times:
...     margin_s: float = option("margin", DURATION, 1.0, "how much of the clock is kept back")
...     games: int = option("games", whole(), 10, "games a day")
>>> node = Node({"margin": "250ms", "gmes": "3"}, "times")
>>> read(Times, node)
Times(margin_s=0.25, games=3)
>>> node.faults
['times.gmes: unknown key; did you mean games?']

What is wrong is noted with its path, and reading goes on: whoever reads a file raises all its faults together.

YAML as people mean it: every scalar is the text that stands there; whoever reads the tree says what it should be.

So `time: 10:00` is no 600, `name: no` no False and `version: 1.10` not 1.1. Merge keys (`<<`) and anchors work; `~`,
`null` and nothing at all are None. A key that is given twice is a fault.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar, cast

import yaml

from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError

_SHOWN = 40
# Aliases can make of a short text a tree without end, and one that contains itself paths without end.
_MOST_PLACES = 100_000
_DEEPEST_PLACE = 64
_KEPT = {"tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}
_RESOLVERS = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _RESOLVERS


# Line and column, from 1.
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML text: its tree of dicts, lists, texts and None, and where things stand in it.

    `values` and `keys` are the places of values and of their keys by path, such as `players.mine`; `repeated` are keys
    that are given twice: path, place and a sentence for each. The last value of such a key is in the tree.
    """

    tree: Any
    values: Mapping[str, Place] = field(default_factory=dict)
    keys: Mapping[str, Place] = field(default_factory=dict)
    repeated: tuple[tuple[str, Place, str], ...] = ()


def read_yaml(text: str, file: str = "") -> Document:
    """What a YAML text says. Raises ConfigError, with the name of the file if there is one, for what is no YAML."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        # Before the tree is made: then the keys of merges stand among those that were given.
        repeated = _find_duplicate_keys(node)
        tree = None if node is None else loader.construct_document(node)
        # Afterwards: then the keys of merges stand where they are merged, too.
        values, keys = _find_places(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = "" if mark is None else locate(file, (mark.line + 1, mark.column + 1))
        raise ConfigError([f"{where}{error.problem or error.context}"]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError([f"not YAML: {' '.join(str(error).split())}"]) from None
    except RecursionError:
        raise ConfigError(["nested too deeply"]) from None
    return Document(tree, values, keys, repeated)


def locate(file: str, place: Place) -> str:
    """What stands before a fault: FILE:LINE:COLUMN as editors and terminals find it, or in words without a file."""
    line, column = place
    return f"{file}:{line}:{column}: " if file else f"line {line}, column {column}: "


def _find_places(root: yaml.Node | None) -> tuple[dict[str, Place], dict[str, Place]]:
    """The places of all values and keys by path; of what is aliased the place where it is written."""
    values: dict[str, Place] = {}
    keys: dict[str, Place] = {}
    left = [("", root, 0)]
    while left:
        path, node, depth = left.pop()
        if node is None or depth > _DEEPEST_PLACE or len(values) > _MOST_PLACES:
            continue
        values[path] = node.start_mark.line + 1, node.start_mark.column + 1
        if isinstance(node, yaml.SequenceNode):
            left += [(f"{path}[{index}]", each, depth + 1) for index, each in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            # The last one of a key counts.
            by_key = {str(key.value): (key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
            for word, (key, value) in by_key.items():
                where = f"{path}.{word}".removeprefix(".")
                keys[where] = key.start_mark.line + 1, key.start_mark.column + 1
                left.append((where, value, depth + 1))
    return values, keys


def _find_duplicate_keys(root: yaml.Node | None) -> tuple[tuple[str, Place, str], ...]:
    """The keys that a mapping has more than once, with path, place and a sentence, from the top of the text down."""
    found: list[tuple[Place, str, str]] = []
    seen: set[int] = set()
    left = [("", root)]
    while left:
        path, node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            left += [(f"{path}[{index}]", each) for index, each in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            lines: dict[str, int] = {}
            for key, value in node.value:
                # Any other key cannot be read at all, which is told elsewhere.
                word, mark = str(key.value) if isinstance(key, yaml.ScalarNode) else "?", key.start_mark
                line = mark.line + 1
                where = f"{path}.{word[:_SHOWN]}".removeprefix(".")
                if word in lines:
                    on = f"on line {line}" if lines[word] == line else f"on lines {lines[word]} and {line}"
                    found.append(((line, mark.column + 1), where, f"is given twice, {on}"))
                lines.setdefault(word, line)
                left.append((where, value))
    return tuple((path, place, sentence) for place, path, sentence in sorted(found))


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
D = TypeVar("D")

_LONGEST_QUOTE = 40
_PLACE = re.compile(r".+:[0-9]+:[0-9]+: ")
# Of whatever is a text to us, as an editor sees it.
SCALAR: Json = {"type": ["string", "number", "boolean"]}


class FieldUnreadable(Exception):
    """A value cannot be read; why is noted among the faults already."""


@dataclass(slots=True)
class Source:
    """The file that nodes come from: its name, "" for none, and where things stand in it.

    `misspelt` says of the path of a key as it should be called how it is called there; `wrong` are paths with faults.
    """

    name: str = ""
    document: Document = dataclasses.field(default_factory=lambda: Document(None))
    misspelt: dict[str, str] = dataclasses.field(default_factory=dict)
    wrong: set[str] = dataclasses.field(default_factory=set)
    places: dict[str, Place] = dataclasses.field(default_factory=dict)  # of the faults

    def place(self, path: str, *, is_key: bool = False) -> Place:
        """Where a value stands, or its key; of what is not there the block that it belongs to."""
        path = self.written(path)
        if is_key and path in self.document.keys:
            return self.document.keys[path]
        while path and path not in self.document.values:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.document.values.get(path, (1, 1))

    def written(self, path: str) -> str:
        """A path as the file has it, misspelt keys and all."""
        for known in sorted(self.misspelt, key=len, reverse=True):
            if path == known or path.startswith((f"{known}.", f"{known}[")):
                return self.misspelt[known] + path[len(known) :]
        return path


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a configuration file and its path, such as `players.mine.limits`.

    `value` is a dict, a list, a text, or None for a key without a value. All nodes of a file note what is wrong in the
    same `faults`, with file, line and column where `source` knows them; files that it names are sought from `folder`.
    """

    value: Any
    path: str = ""
    faults: list[str] = dataclasses.field(default_factory=list)
    folder: Path = Path()
    source: Source = dataclasses.field(default_factory=Source)

    def child(self, key: str | int, value: Any = None) -> "Node":
        """The node of a key, or of an item of a list."""
        path = f"{self.path}[{key}]" if isinstance(key, int) else f"{self.path}.{key}".removeprefix(".")
        return Node(value, path, self.faults, self.folder, self.source)

    def fault(self, sentence: str, *, is_key: bool = False, place: Place | None = None) -> None:
        """Note what is wrong here, with `is_key` in the key itself; the same is noted once."""
        fault = f"{self.path}: {sentence}" if self.path else sentence
        place = place or self.source.place(self.path, is_key=is_key)
        if self.source.name:
            fault = locate(self.source.name, place) + fault
        self.source.wrong.add(self.path)
        if fault not in self.faults:
            self.faults.append(fault)
            self.source.places[fault] = place

    def missing(self, expected: str) -> None:
        """Note that what is expected is missing here, unless what stands here is wrong already."""
        below = f"{self.path}[", f"{self.path}."
        if not any(path == self.path or path.startswith(below) for path in self.source.wrong):
            self.fault(f"is missing; {expected}" if expected else "is missing")

    def error(self) -> ConfigError:
        """All faults; those of a file from its top to its end."""
        places = self.source.places if self.source.name else {}
        return ConfigError(sorted(self.faults, key=lambda fault: places.get(fault, (0, 0))))

    def refuse(self, sentence: str) -> NoReturn:
        """Note what is wrong here, and raise FieldUnreadable."""
        self.fault(sentence)
        raise FieldUnreadable

    def text(self) -> str:
        """The scalar as it stands there."""
        if isinstance(self.value, dict | list) or self.value is None:
            self.refuse("expected a text" if self.value is not None else "has no value")
        return str(self.value)

    def items(self) -> "list[Node]":
        """The items of a list; a single text is a list of one."""
        if isinstance(self.value, dict) or self.value is None:
            self.refuse("expected a list")
        return [self.child(index, each) for index, each in enumerate(as_list(self.value))]

    def entries(self, known: Sequence[str]) -> "dict[str, Node]":
        """The keys of a mapping that are known, each with its node; the others are faults. Nothing at all is {}.

        What stands behind a misspelt key is read as if it were spelt right, so that its faults are told, too.
        """
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            self.refuse(f"expected a mapping with the keys {', '.join(known)}")
        found = {key: self.child(key, value) for key, value in self.value.items() if key in known}
        for key, value in self.value.items():
            if key in known:
                continue
            child = self.child(str(key))
            child.fault(f"unknown key; {nearest(str(key), known)}", is_key=True)
            for meant in get_close_matches(str(key), [word for word in known if word not in found], 1):
                found[meant] = self.child(meant, value)
                self.source.misspelt[found[meant].path] = self.source.written(child.path)
        return found


@dataclass(frozen=True, slots=True)
class Key:
    """One declared key of a block: `name` in the file, `attribute` in the dataclass."""

    name: str
    reader: "Reader[Any]"
    meaning: str
    attribute: str = ""
    default: Any = None
    missing: str | None = None  # what is expected, of a key that must be given


@dataclass(frozen=True, slots=True)
class Reader(Generic[T_co]):
    """How a value is read: `expected` says in words what it may be, `read` raises FieldUnreadable after it noted why.

    A mapping has declared `keys`, at `place` behind its own path: "" for the mapping itself, ".NAME" for each that it
    has by name, "[]" for each of a list. `show` is how a default is written, `schema` what a JSON Schema says of the
    value unless it has keys.
    """

    expected: str
    read: Callable[[Node], T_co]
    keys: tuple[Key, ...] = ()
    place: str = ""
    show: Callable[[Any], str] = str
    schema: Json = dataclasses.field(default_factory=lambda: SCALAR)

    def read_text(self, text: str) -> T_co:
        """Return the value of a text that stands in no file, such as an option's. Raises ValueError with the faults."""
        node = Node(text)
        try:
            return self.read(node)
        except FieldUnreadable:
            raise ValueError("; ".join(node.faults)) from None


def option(name: str, reader: Reader[T], default: D, meaning: str) -> T | D:
    """A field of a dataclass that stands for a key which may be left out."""
    metadata = {"key": Key(name, reader, meaning, default=default)}
    if isinstance(default, dict):
        return cast(D, dataclasses.field(default_factory=default.copy, metadata=metadata))
    return dataclasses.field(default=default, metadata=metadata)


def required(name: str, reader: Reader[T], missing: str, meaning: str) -> T:
    """A field of a dataclass that stands for a key which must be there; `missing` follows "is missing; "."""
    return cast(T, dataclasses.field(default=None, metadata={"key": Key(name, reader, meaning, missing=missing)}))


def keys_of(kind: type) -> tuple[Key, ...]:
    """The keys that a dataclass declares."""
    return tuple(
        dataclasses.replace(each.metadata["key"], attribute=each.name)
        for each in dataclasses.fields(kind)
        if "key" in each.metadata
    )


def read_keys(node: Node, keys: Iterable[Key]) -> dict[str, Any]:
    """What a block says: attribute -> value of each key that is there and can be read."""
    found = {}
    keys = tuple(keys)
    entries = node.entries([key.name for key in keys])
    for key in keys:
        if key.name in entries:
            try:
                found[key.attribute or key.name] = key.reader.read(entries[key.name])
            except FieldUnreadable:
                continue
        elif key.missing is not None:
            node.child(key.name).missing(key.missing)
    return found


def read(kind: Callable[..., T], node: Node, **more: Any) -> T:
    """A dataclass of what a block says, and `more` that the file does not say.

    Of required keys that are missing or wrong the value is None: with a fault noted, nobody is to use it.
    """
    values: dict[str, Any] = {}
    with suppress(FieldUnreadable):
        values = read_keys(node, keys_of(cast(type, kind)))
    return kind(**values, **more)


def read_or(reader: Reader[T], node: Node, default: D) -> T | D:
    """The value of a node, or the default if it cannot be read."""
    try:
        return reader.read(node)
    except FieldUnreadable:
        return default


def load(path: Path) -> str:
    """The text of a file. Raises ConfigError if it is not UTF-8, OSError if it cannot be read."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = data[: error.start].split(b"\n")
        place = locate(str(path), (len(lines), len(lines[-1]) + 1))
        raise ConfigError([f"{place}byte {error.start}: not UTF-8"]) from None


def parse(text: str, folder: Path, file: str = "") -> Node:
    """The topmost node of a YAML text; keys that are given twice are among its faults. Raises ConfigError.

    With the name of a file every fault begins with FILE:LINE:COLUMN.
    """
    document = read_yaml(text, file)
    node = Node(document.tree, "", [], folder, Source(file, document))
    for path, place, sentence in document.repeated:
        Node(None, path, node.faults, folder, node.source).fault(sentence, place=place)
    return node


def block(kind: type[T]) -> Reader[T]:
    """A mapping whose keys a dataclass declares."""
    return Reader("a block", lambda node: read(kind, node), keys_of(kind))


def part(kind: type) -> Reader[dict[str, Any]]:
    """A mapping as `block` has it, of which only what is said is kept: attribute -> value."""
    return Reader("a block", lambda node: read_keys(node, keys_of(kind)), keys_of(kind))


def list_faults(name: str, error: ConfigError) -> str:
    """What is wrong with a file of this name, in lines for a terminal."""
    if len(error.faults) > 1:
        return "\n  ".join([f"{name}: {len(error.faults)} faults:", *error.faults]) + "\n"
    (fault,) = error.faults
    # One that begins with its place needs no other name before it.
    return f"{fault}\n" if _PLACE.match(fault) else f"{name}: {fault}\n"


def as_list(value: Any) -> list[Any]:
    """A list as it is, anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def nearest(word: str, known: Sequence[str]) -> str:
    """What somebody who wrote an unknown word probably meant, else everything that is known."""
    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"


def quote(word: str) -> str:
    """A text in a message, cut if it is long."""
    return repr(word[:_LONGEST_QUOTE])


def either(words: Sequence[str]) -> str:
    """The words as people list them: a, b or c."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
