"""Damaged and hostile files: each quickly leads to a RecordError or a game."""

import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from gtp_variants.errors import RecordError
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import MAX_EVENTS, Record
from gtp_variants.records.sgf.games import from_sgf, read_collection, to_sgf
from gtp_variants.records.sgf.syntax import games_of
from gtp_variants.rules.game import Game
from tests.records.damage import damaged_records, read_wholly
from tests.records.games import HANDMADE, game

RECORDS = [Record(played, "secret", "ab" * 32, b"s", frozenset({1}), {1: "Ada"}, comment="x") for played in HANDMADE]
JSON = [to_json(record) for record in RECORDS]
SGF = [to_sgf(record) for record in RECORDS]


def read_in_time(read: Callable[[Any], object], text: str | bytes) -> None:
    began = time.process_time()
    with suppress(RecordError):
        read(text)
    assert time.process_time() - began < 1.0, text[:2000]


@pytest.mark.long
@pytest.mark.parametrize("count", [300, pytest.param(1000, marks=pytest.mark.slow)])
def test_damaged_records(tmp_path: Path, count: int) -> None:
    """`benchmarks/correctness/mutated_records.py` reads 20,000 of them and measures time and memory."""
    read = 0
    for suffix, content in damaged_records(seed=0, count=count):
        file = tmp_path / f"record{suffix}"
        file.write_bytes(content)
        read += bool(read_wholly(file))
    assert count / 20 < read < count / 2


@given(st.text(alphabet="()[];:\\ \nBWAEVNTabt19-", max_size=80))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_as_sgf(text: str) -> None:
    read_in_time(from_sgf, text)
    read_in_time(read_collection, "(;SZ[9]" + text + ")")


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
    )
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_value_under_every_key(value: object) -> None:
    good = json.loads(JSON[5])
    for key in good:
        read_in_time(from_json, json.dumps({**good, key: value}))


def test_every_cut_of_a_file_is_refused_or_reported() -> None:
    for text, read in ((JSON[7], from_json), (SGF[7], from_sgf)):
        for length in range(len(text.rstrip())):
            with suppress(RecordError):
                record = read(text[:length])
                # Without VARIANT the beginning of our file looks like one of another program.
                keys = [caveat.key for caveat in record.caveats]
                # Its name of rules of Go may be cut, too.
                assert keys in (["ends"], ["ends", "rules"])
                assert "VARIANT[" not in text[:length]


# For each text: its beginning, the repeated piece, the number of repetitions, and its end.
HOSTILE = {
    "many games": ("", "(;)", 30_000, ""),
    "deep variations": ("", "(;", 900_000, ""),
    "many nodes": ("(", ";", 3_000_000, ")"),
    "one long value": ("(;C[", "\\]", 4_000_000, "])"),
    "a value that does not end": ("(;C[", "a", 8_000_000, ""),
    "escapes that do not end": ("(;C[", "\\]", 4_000_000, ""),
    "many values": ("(;C", "[]", 1_900_000, ")"),
    "many setups": ("(;SZ[25]", ";AB[aa:yx];W[yy];AE[yy]", 20_000, ")"),
    "blanks": ("", " ", 16_000_000, ""),
    "parentheses without nodes": ("", "(", 16_000_000, ""),
    "half starts": ("", "(      ", 2_000_000, ""),
}


_MOVES = ";B[dd]C[Hello, world]BL[600.5];W[pp]" * 30
# Pieces of a game that are repeated up to five million bytes.
LARGE = {
    "variations": f"({_MOVES})",
    # A line has at most 100,000 nodes.
    "a main line": _MOVES.replace("Hello, world", "Hello, world" * 10),
    "a comment": "C[" + "word \\] " * 500 + "]",
    "points": "AB" + "[aa]" * 300,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_five_million_bytes_are_parsed_within_a_second(name: str) -> None:
    unit = LARGE[name]
    text = "(;SZ[19];B[aa]" + unit * (5_000_000 // len(unit)) + ")"
    began = time.process_time()
    assert next(games_of(text)).main_line()[1]["B"] == ["aa"]
    # This is ten times the time needed, because other processes use the machine too.
    assert time.process_time() - began < 5.0


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_large_hostile_sgf_ends_soon(name: str) -> None:
    head, unit, count, tail = HOSTILE[name]
    text = head + unit * count + tail
    began = time.process_time()
    with suppress(RecordError):
        for _ in read_collection(text):
            pass
    assert time.process_time() - began < 10.0


@pytest.mark.slow
def test_a_record_beyond_the_event_limit_is_refused() -> None:
    played: Game = game("phantom:size=5", "b A1")
    text = re.sub(r'\["b","A1"\]', '["b","A1"]' + ',["w","A1"]' * MAX_EVENTS, to_json(Record(played)))
    with pytest.raises(RecordError, match=f"events: expected at most {MAX_EVENTS}, got {MAX_EVENTS + 1}"):
        from_json(text)
    tries = "[w A1]" * MAX_EVENTS
    with pytest.raises(RecordError, match=f"more than {MAX_EVENTS} events"):
        from_sgf(f"(;VARIANT[phantom:size=5];B[ae];EVENT{tries})")
