"""Declared keys of configuration files: read, checked with every fault at once, nested, partial."""

import doctest
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.base import config_files as fields
from gtp_variants.base.config_files import FieldUnreadable, Node, Reader, block, option, part, read, required
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.config_readers import (
    CONTROL,
    DURATION,
    FOLDER,
    NAME,
    PAIRS,
    TEXT,
    TEXTS,
    TRUTH,
    choice,
    command,
    list_of,
    number,
    or_none,
    whole,
)


@dataclass(frozen=True, slots=True)
class Pace:
    margin_s: float = option("margin", DURATION, 1.0, "kept back")
    games: int | None = option("games", or_none(whole()), 3, "games a day")


@dataclass(frozen=True, slots=True)
class Account:
    name: str = required("name", NAME, "the name to log in with", "who logs in")
    pace: Pace = option("pace", block(Pace), Pace(), "how fast")
    laid_over: Mapping[str, Any] = option("over", part(Pace), {}, "what is laid over it")
    password: str = ""  # no key: the file does not say it


def test_the_documented_example_runs() -> None:
    assert doctest.testmod(fields).failed == 0


def test_a_block_is_read_with_what_is_nested_in_it() -> None:
    tree = {"name": "me", "pace": {"margin": "2s", "games": "none"}, "over": {"games": "7"}}
    node = Node(tree)
    assert read(Account, node, password="x") == Account("me", Pace(2.0, None), {"games": 7}, "x")
    assert read(Account, Node({"name": "me"})) == Account("me", Pace(1.0, 3), {})
    assert not node.faults


def test_every_fault_is_noted_once_with_its_path_and_the_nearest_key() -> None:
    node = Node({"nmae": "x", "pace": {"margin": "soon", "games": "0", "password": "y"}, "over": "fast"}, "account")
    found = read(Account, node)
    read(Account, node)
    assert (found.pace, found.laid_over) == (Pace(), {})
    assert [fault.partition(", 30s,")[0] for fault in node.faults] == [
        "account.nmae: unknown key; did you mean name?",
        "account.pace.password: unknown key; known: margin, games",
        "account.pace.margin: expected a duration such as 250ms",
        "account.pace.games: expected a whole number of 1 or more, not '0'",
        "account.over: expected a mapping with the keys margin, games",
    ]


@pytest.mark.parametrize(
    ("reader", "value", "found"),
    [
        (TEXT, "a b", "a b"),
        (TRUTH, "Yes", True),
        (TRUTH, "off", False),
        (whole(), "12", 12),
        (whole(0), "0", 0),
        (number(), "-.5", -0.5),
        (CONTROL, "30s+1s", TimeControl("fischer", 30, increment_s=1)),
        (TEXTS, "one", ("one",)),
        (list_of(whole()), ["1", "2"], (1, 2)),
        (PAIRS, {"A": "1", "b": "no"}, {"A": "1", "b": "no"}),
        (or_none(number()), None, None),
        (or_none(number()), "none", None),
        (choice("a", "b"), "b", "b"),
        (command(), "x 'y z'", ("x", "y z")),
        (command(), ["x", "y z"], ("x", "y z")),
    ],
)
def test_values(reader: Reader[Any], value: object, found: object) -> None:
    assert reader.read(Node(value)) == found


@pytest.mark.parametrize(
    ("reader", "value", "fault"),
    [
        (TEXT, None, "x: has no value"),
        (TEXT, ["a"], "x: expected a string"),
        (TRUTH, "maybe", "x: expected true or false, not 'maybe'"),
        (whole(2), "1", "x: expected a whole number of 2 or more, not '1'"),
        (whole(), "1e3", "x: expected a whole number of 1 or more, not '1e3'"),
        (whole(1, 65535), "65536", "x: expected at most 65535, not 65536"),
        (number(), "nan", "x: expected a number, not 'nan'"),
        (number(above=0), "-3", "x: expected a number above 0, not -3"),
        (number(above=0, below=0.5), "0.5", "x: expected a number between 0 and 0.5, not 0.5"),
        (choice("score", "void"), "scores", "x: expected score or void, not 'scores'; did you mean score?"),
        (NAME, "a/b", "x: 'a/b': expected letters, digits and . _ + - only, as files are named after it"),
        (PAIRS, "a", "x: expected a mapping"),
        (TEXTS, {"a": "b"}, "x: expected a list"),
        (command(), "x 'y", "x: cannot be read: No closing quotation"),
        (command("a program"), [], "x: expected a program"),
    ],
)
def test_unreadable_input_is_reported(reader: Reader[Any], value: object, fault: str) -> None:
    node = Node(value, "x")
    with pytest.raises(FieldUnreadable):
        reader.read(node)
    assert node.faults == [fault]


def test_a_list_keeps_what_can_be_read() -> None:
    node = Node(["1", "x", "3"], "sizes")
    assert list_of(whole()).read(node) == (1, 3)
    assert node.faults == ["sizes[1]: expected a whole number of 1 or more, not 'x'"]


def test_a_folder_is_sought_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    assert FOLDER.read(Node("here", "cwd", [], tmp_path)) == tmp_path / "here"
    node = Node("gone", "cwd", [], tmp_path)
    with pytest.raises(FieldUnreadable):
        FOLDER.read(node)
    assert node.faults == [f"cwd: there is no folder {tmp_path / 'gone'}"]
