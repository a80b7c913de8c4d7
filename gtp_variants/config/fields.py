"""Blocks of a configuration file as dataclasses: one declaration of a key reads it, checks it and explains it.

>>> from gtp_variants.config.readers import DURATION, whole
>>> @dataclass(frozen=True, slots=True)
... class Times:
...     margin_s: float = option("margin", DURATION, 1.0, "how much of the clock is kept back")
...     games: int = option("games", whole(), 10, "games a day")
>>> node = Node({"margin": "250ms", "gmes": "3"}, "times")
>>> read(Times, node)
Times(margin_s=0.25, games=10)
>>> node.faults
['times.gmes: unknown key; did you mean games?']

What is wrong is noted with its path, and reading goes on: whoever reads a file raises all its faults together.
"""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar, cast

from gtp_variants.config import yaml
from gtp_variants.errors import ConfigError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
D = TypeVar("D")

_LONGEST_QUOTE = 40


class FieldUnreadable(Exception):
    """A value cannot be read; why is noted among the faults already."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a configuration file and its path, such as `players.mine.limits`.

    `value` is a dict, a list, a text, or None for a key without a value. All nodes of a file note what is wrong in the
    same `faults`; files that it names are sought from `folder`.
    """

    value: Any
    path: str = ""
    faults: list[str] = dataclasses.field(default_factory=list)
    folder: Path = Path()

    def child(self, key: str | int, value: Any = None) -> "Node":
        """The node of a key, or of an item of a list."""
        path = f"{self.path}[{key}]" if isinstance(key, int) else f"{self.path}.{key}".removeprefix(".")
        return Node(value, path, self.faults, self.folder)

    def fault(self, sentence: str) -> None:
        """Note what is wrong here; the same is noted once."""
        fault = f"{self.path}: {sentence}" if self.path else sentence
        if fault not in self.faults:
            self.faults.append(fault)

    def missing(self, expected: str) -> None:
        """Note that what is expected is missing here, unless what stands here is wrong already."""
        if not any(fault.startswith((f"{self.path}:", f"{self.path}[", f"{self.path}.")) for fault in self.faults):
            self.fault(f"is missing; {expected}" if expected else "is missing")

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
        """The keys of a mapping that are known, each with its node; the others are faults. Nothing at all is {}."""
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            self.refuse(f"expected a mapping with the keys {', '.join(known)}")
        for key in self.value:
            if key not in known:
                self.child(str(key)).fault(f"unknown key; {nearest(str(key), known)}")
        return {key: self.child(key, value) for key, value in self.value.items() if key in known}


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
    has by name, "[]" for each of a list. `show` is how a default is written.
    """

    expected: str
    read: Callable[[Node], T_co]
    keys: tuple[Key, ...] = ()
    place: str = ""
    show: Callable[[Any], str] = str


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
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError([f"byte {error.start}: not UTF-8"]) from None


def parse(text: str, folder: Path) -> Node:
    """The topmost node of a YAML text; keys that are given twice are among its faults. Raises ConfigError."""
    tree, faults = yaml.read(text)
    return Node(tree, "", list(faults), folder)


def block(kind: type[T]) -> Reader[T]:
    """A mapping whose keys a dataclass declares."""
    return Reader("a block", lambda node: read(kind, node), keys_of(kind))


def part(kind: type) -> Reader[dict[str, Any]]:
    """A mapping as `block` has it, of which only what is said is kept: attribute -> value."""
    return Reader("a block", lambda node: read_keys(node, keys_of(kind)), keys_of(kind))


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
