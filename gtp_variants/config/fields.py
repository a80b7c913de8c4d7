"""Blocks of a configuration file as dataclasses: one declaration of a key reads it, checks it and explains it.

>>> from gtp_variants.config.readers import DURATION, whole
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
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar, cast

from gtp_variants.config import yaml
from gtp_variants.errors import ConfigError
from gtp_variants.json_values import Json

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
    document: yaml.Document = dataclasses.field(default_factory=lambda: yaml.Document(None))
    misspelt: dict[str, str] = dataclasses.field(default_factory=dict)
    wrong: set[str] = dataclasses.field(default_factory=set)
    places: dict[str, yaml.Place] = dataclasses.field(default_factory=dict)  # of the faults

    def place(self, path: str, *, is_key: bool = False) -> yaml.Place:
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

    def fault(self, sentence: str, *, is_key: bool = False, place: yaml.Place | None = None) -> None:
        """Note what is wrong here, with `is_key` in the key itself; the same is noted once."""
        fault = f"{self.path}: {sentence}" if self.path else sentence
        place = place or self.source.place(self.path, is_key=is_key)
        if self.source.name:
            fault = yaml.locate(self.source.name, place) + fault
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
        place = yaml.locate(str(path), (len(lines), len(lines[-1]) + 1))
        raise ConfigError([f"{place}byte {error.start}: not UTF-8"]) from None


def parse(text: str, folder: Path, file: str = "") -> Node:
    """The topmost node of a YAML text; keys that are given twice are among its faults. Raises ConfigError.

    With the name of a file every fault begins with FILE:LINE:COLUMN.
    """
    document = yaml.read(text, file)
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
