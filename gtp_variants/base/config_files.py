"""YAML configuration files as dataclasses: the declaration of each key says how to read, check and explain it.

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

A fault is noted with its path and reading continues, so that one error lists all the faults in a file.

Every scalar is kept as the text in the file: `time: 10:00` is not read as 600, `name: no` as False, or `version: 1.10`
as 1.1. Merge keys (`<<`) and anchors work; `~`, `null` and an empty value are None. A duplicate key is a fault.
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

from gtp_variants.base.folders import open_file
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError

_SHOWN = 40
# Limits on the number and depth of places, because a short text with aliases can describe an endless tree.
_MOST_PLACES = 100_000
_DEEPEST_PLACE = 64
_KEPT = {"tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}
_RESOLVERS = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _RESOLVERS


# Line and column, both counted from 1.
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML text as a tree, with the place of each value and key by its path, such as `players.mine`."""

    tree: Any  # of dicts, lists, texts and None, with the last value of a duplicate key
    values: Mapping[str, Place] = field(default_factory=dict)
    keys: Mapping[str, Place] = field(default_factory=dict)
    repeated: tuple[tuple[str, Place, str], ...] = ()  # path, place and a sentence for each duplicate key


def read_yaml(text: str, file: str = "") -> Document:
    """Return a YAML text as a Document. Raises ConfigError for invalid or too deeply nested YAML."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        # Find duplicates before the tree is built, because building it adds the merged keys.
        repeated = _find_duplicate_keys(node)
        tree = None if node is None else loader.construct_document(node)
        # Find places after the tree is built, to include the merged keys.
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
    """Return the start of a fault message: FILE:LINE:COLUMN, which editors recognise, or words if `file` is empty."""
    line, column = place
    return f"{file}:{line}:{column}: " if file else f"line {line}, column {column}: "


def _find_places(root: yaml.Node | None) -> tuple[dict[str, Place], dict[str, Place]]:
    """Return the places of all values and of all keys, by path; an alias has the place of its anchor."""
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
            # Of duplicate keys, the dict keeps the last, which counts.
            by_key = {str(key.value): (key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
            for word, (key, value) in by_key.items():
                where = f"{path}.{word}".removeprefix(".")
                keys[where] = key.start_mark.line + 1, key.start_mark.column + 1
                left.append((where, value, depth + 1))
    return values, keys


def _find_duplicate_keys(root: yaml.Node | None) -> tuple[tuple[str, Place, str], ...]:
    """Return the path and place of each duplicate key and a sentence about it, from the top of the text down."""
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
                # "?" stands for a key that is not a scalar, because building the tree reports such keys.
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
# The JSON Schema of a text, with these types because an editor may take a text for a number or a boolean.
SCALAR: Json = {"type": ["string", "number", "boolean"]}


class FieldUnreadable(Exception):
    """A value cannot be read. The reason has already been noted among the faults."""


@dataclass(slots=True)
class Source:
    """The file that nodes come from, and the places of its values."""

    name: str = ""  # "" if there is no file
    document: Document = dataclasses.field(default_factory=lambda: Document(None))
    misspelt: dict[str, str] = dataclasses.field(default_factory=dict)  # correct path of a key -> path in the file
    wrong: set[str] = dataclasses.field(default_factory=set)  # paths with faults
    places: dict[str, Place] = dataclasses.field(default_factory=dict)  # fault message -> its place

    def place(self, path: str, *, is_key: bool = False) -> Place:
        """Return the place of a value or of its key; for a missing value, the place of the nearest block around it."""
        path = self.written(path)
        if is_key and path in self.document.keys:
            return self.document.keys[path]
        while path and path not in self.document.values:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.document.values.get(path, (1, 1))

    def written(self, path: str) -> str:
        """Return a path as it is written in the file, with its misspelt keys."""
        for known in sorted(self.misspelt, key=len, reverse=True):
            if path == known or path.startswith((f"{known}.", f"{known}[")):
                return self.misspelt[known] + path[len(known) :]
        return path


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a configuration file and its path, such as `players.mine.limits`.

    `value` is a dict, a list, a text, or None for a key without a value. All nodes of a file share `faults`, which
    begin with file, line and column if `source` names a file. Paths in the file are relative to `folder`.
    """

    value: Any
    path: str = ""
    faults: list[str] = dataclasses.field(default_factory=list)
    folder: Path = Path()
    source: Source = dataclasses.field(default_factory=Source)

    def child(self, key: str | int, value: Any = None) -> "Node":
        path = f"{self.path}[{key}]" if isinstance(key, int) else f"{self.path}.{key}".removeprefix(".")
        return Node(value, path, self.faults, self.folder, self.source)

    def fault(self, sentence: str, *, is_key: bool = False, place: Place | None = None) -> None:
        """Note a fault of this value, or of its key if `is_key`, at `place` if given. A fault is noted only once."""
        fault = f"{self.path}: {sentence}" if self.path else sentence
        place = place or self.source.place(self.path, is_key=is_key)
        if self.source.name:
            fault = locate(self.source.name, place) + fault
        self.source.wrong.add(self.path)
        if fault not in self.faults:
            self.faults.append(fault)
            self.source.places[fault] = place

    def missing(self, expected: str) -> None:
        """Note that an expected value is missing, unless this path or a path below it already has a fault."""
        below = f"{self.path}[", f"{self.path}."
        if not any(path == self.path or path.startswith(below) for path in self.source.wrong):
            self.fault(f"is missing; {expected}" if expected else "is missing")

    def error(self) -> ConfigError:
        """Return all faults as a ConfigError, in the order of their places in the file, if there is a file."""
        places = self.source.places if self.source.name else {}
        return ConfigError(sorted(self.faults, key=lambda fault: places.get(fault, (0, 0))))

    def refuse(self, sentence: str) -> NoReturn:
        """Note a fault and raise FieldUnreadable."""
        self.fault(sentence)
        raise FieldUnreadable

    def text(self) -> str:
        if isinstance(self.value, dict | list) or self.value is None:
            self.refuse("expected a string" if self.value is not None else "has no value")
        return str(self.value)

    def items(self) -> "list[Node]":
        """Return a list's items; a single value is one item. Raises FieldUnreadable for a mapping or no value."""
        if isinstance(self.value, dict) or self.value is None:
            self.refuse("expected a list")
        found = self.value if isinstance(self.value, list) else [self.value]
        return [self.child(index, each) for index, each in enumerate(found)]

    def entries(self, known: Sequence[str]) -> "dict[str, Node]":
        """Return the nodes of the known keys of a mapping, or {} for an empty value. Unknown keys are faults.

        Any other value is refused. A misspelt key's value is read under the correct name, to report its faults too.
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
    missing: str | None = None  # what is expected, if the key is required


@dataclass(frozen=True, slots=True)
class Reader(Generic[T_co]):
    """A way to read a value, and its description for people and for editors."""

    expected: str  # a description of valid values
    read: Callable[[Node], T_co]  # notes a fault and raises FieldUnreadable for an invalid value
    keys: tuple[Key, ...] = ()  # the declared keys of a mapping
    place: str = ""  # where the keys are: "" in the mapping itself, ".NAME" in each named entry, "[]" in each list item
    show: Callable[[Any], str] = str  # formats a default
    schema: Json = dataclasses.field(default_factory=lambda: SCALAR)  # the JSON Schema of a value without keys

    def read_text(self, text: str) -> T_co:
        """Return the value of a text outside files, such as a command's option. Raises ValueError with any faults."""
        node = Node(text)
        try:
            return self.read(node)
        except FieldUnreadable:
            raise ValueError("; ".join(node.faults)) from None


def option(name: str, reader: Reader[T], default: D, meaning: str) -> T | D:
    """Return a dataclass field for an optional key."""
    metadata = {"key": Key(name, reader, meaning, default=default)}
    if isinstance(default, dict):
        return cast(D, dataclasses.field(default_factory=default.copy, metadata=metadata))
    return dataclasses.field(default=default, metadata=metadata)


def required(name: str, reader: Reader[T], missing: str, meaning: str) -> T:
    """Return a dataclass field for a required key; an error says "is missing; " and `missing`."""
    return cast(T, dataclasses.field(default=None, metadata={"key": Key(name, reader, meaning, missing=missing)}))


def keys_of(kind: type) -> tuple[Key, ...]:
    """Return the keys that a dataclass declares."""
    declared = (each for each in dataclasses.fields(kind) if "key" in each.metadata)
    return tuple(dataclasses.replace(each.metadata["key"], attribute=each.name) for each in declared)


def read_keys(node: Node, keys: Iterable[Key]) -> dict[str, Any]:
    """Return the values of a block's readable keys by attribute."""
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
    """Return a dataclass with a block's values and the values in `more`, which do not come from the file.

    A required key that is missing or wrong becomes None. Then a fault is noted, and the result must not be used.
    """
    values: dict[str, Any] = {}
    with suppress(FieldUnreadable):
        values = read_keys(node, keys_of(cast(type, kind)))
    return kind(**values, **more)


def read_or(reader: Reader[T], node: Node, default: D) -> T | D:
    """Return the value of a node, or the default if it cannot be read."""
    try:
        return reader.read(node)
    except FieldUnreadable:
        return default


def load(path: Path) -> str:
    """Return the text of a file. Raises ConfigError if it is not UTF-8, OSError if it cannot be read."""
    with open_file(path) as file:
        data = file.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = data[: error.start].split(b"\n")
        place = locate(str(path), (len(lines), len(lines[-1]) + 1))
        raise ConfigError([f"{place}byte {error.start}: not UTF-8"]) from None


def parse(text: str, folder: Path, file: str = "") -> Node:
    """Return a YAML text's root node; duplicate keys are faults, which name `file`. Raises ConfigError if not YAML."""
    document = read_yaml(text, file)
    node = Node(document.tree, "", [], folder, Source(file, document))
    for path, place, sentence in document.repeated:
        Node(None, path, node.faults, folder, node.source).fault(sentence, place=place)
    return node


def block(kind: type[T]) -> Reader[T]:
    """Return the reader of a mapping whose keys a dataclass declares."""
    return Reader("a block", lambda node: read(kind, node), keys_of(kind))


def part(kind: type) -> Reader[dict[str, Any]]:
    """Return a reader like `block` that returns a dict, by attribute, of only the readable keys in the file."""
    return Reader("a block", lambda node: read_keys(node, keys_of(kind)), keys_of(kind))


def list_faults(name: str, error: ConfigError, translate: Callable[[str], str] = str) -> str:
    """Return the faults in an error as lines for a terminal; `name` is the file's name."""
    fault, *more = map(translate, error.faults)
    if more:
        return "\n  ".join([translate(f"{name}: {len(error.faults)} faults:"), fault, *more]) + "\n"
    # A fault that begins with its place already names the file, so do not name it again.
    return f"{fault}\n" if _PLACE.match(fault) else f"{translate(name)}: {fault}\n"


def nearest(word: str, known: Sequence[str]) -> str:
    """Return a question with the known word nearest to `word`, or a list of all known words if no word is near."""
    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"


def quote(word: str) -> str:
    """Return a text in quotes for a message, shortened if it is long."""
    return repr(word[:_LONGEST_QUOTE])


def either(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: a, b or c."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


# -- a JSON Schema, which lets editors check and complete --------------------------------------------------------------

_DRAFT = "http://json-schema.org/draft-07/schema#"


def json_schema(kind: type) -> Json:
    """Return the JSON Schema of a file whose topmost block a dataclass declares.

    An editor may take a value that this package reads as a text for a number or a boolean. The schema cannot check that
    a SPEC, a bot or a file exists, or that blocks are consistent with each other.
    """
    about = (kind.__doc__ or "").partition("\n")[0]
    return {"$schema": _DRAFT, "description": about, **_block_schema(keys_of(kind)), "type": "object"}


def _block_schema(keys: Iterable[Key]) -> Json:
    """Return the schema of a mapping with these keys and no others. An empty value counts as an empty mapping."""
    properties: Json = {}
    required: list[str] = []
    for key in keys:
        about: Json = {"description": f"{key.meaning}; {key.reader.expected}"}
        if key.missing is not None:
            required.append(key.name)
        elif not key.reader.keys and key.default not in (None, "", (), {}):
            about["default"] = key.reader.show(key.default)
        properties.setdefault(key.name, {**about, **_value_schema(key.reader)})
    found: Json = {"type": ["object", "null"], "properties": properties, "additionalProperties": False}
    return {**found, "required": required} if required else found


def _value_schema(reader: "Reader[object]") -> Json:
    if not reader.keys:
        return dict(reader.schema)
    block = _block_schema(reader.keys)
    if reader.place == ".NAME":
        return {"type": "object", "additionalProperties": {**block, "type": "object"}}
    if reader.place == "[]":
        return {"type": "array", "items": {**block, "type": "object"}}
    return block
