"""What is kept: events are only added, and whatever a killed server leaves behind, the next one goes on with."""

import json
import random
import shutil
from pathlib import Path

import pytest

from gtp_variants.errors import RecordError
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.server.journal import Kept, head_of, lines_of, match_of
from gtp_variants.server.match import Match
from gtp_variants.server.store import Store

SPECS = ("go:size=5", "aleago:size=5,crystal_ball=true", "phantom:size=5", "pentalath")


def new(number: int = 1, spec: str = "go:size=5", black: str = "alpha", white: str = "bravo") -> Match:
    return Match.new(number, spec, {BLACK: black, WHITE: white}, 600.0, 0.25, bytes([number] * 32))


def play(match: Match, moves: int, seed: int = 1) -> None:
    rng = random.Random(seed)
    for _ in range(moves):
        if match.asked is None:
            return
        actions = list(match.rules.actions(match.table.position))
        action = rng.choice([a for a in actions if a >= 0] or actions)
        match.play(match.rules.board.vertex(action) if action >= 0 else "pass", 0.5)


def left_behind(folder: Path, copy: str) -> Path:
    """The files as a server leaves them that is killed now."""
    (folder / copy).mkdir()
    for file in folder.glob("server.sqlite3*"):
        shutil.copy(file, folder / copy / file.name)
    return folder / copy / "server.sqlite3"


def running(path: Path) -> list[Match]:
    store = Store(path)
    try:
        return list(store.running())
    finally:
        store.close()


@pytest.mark.parametrize("spec", SPECS)
def test_who_is_killed_has_every_move_that_was_written(tmp_path: Path, spec: str) -> None:
    store = Store(tmp_path / "server.sqlite3")
    match = new(1, spec)
    for number in range(25):
        store.keep(match)
        if number % 5 == 0:
            (found,) = running(left_behind(tmp_path, f"killed {number}"))
            assert found.table.game == match.table.game
            assert (found.left_s, found.times, found.names) == (match.left_s, match.times, match.names)
            assert found.dice.commitment == match.dice.commitment
        play(match, 1, number)
    store.close()


def test_a_move_adds_its_events_and_writes_nothing_anew(tmp_path: Path) -> None:
    store = Store(tmp_path / "server.sqlite3")
    match = new(1, "aleago:size=19")
    rows = -1
    for _ in range(60):
        before = store._file.total_changes
        events = len(match.table.game.events)
        store.keep(match)
        # The row of the game and one for each new event.
        assert store._file.total_changes - before == 1 + events - max(rows, 0)
        rows = events
        play(match, 1, rows)
    store.close()


def test_what_could_not_be_written_is_written_with_the_next_move(tmp_path: Path) -> None:
    store = Store(tmp_path / "server.sqlite3")
    match = new(1, "aleago:size=5")
    for full in (True, True, False, True, True, False):
        store._file.execute(f"pragma query_only = {int(full)}")
        if full:
            with pytest.raises(OSError, match="game 1 cannot be kept"):
                store.keep(match)
        else:
            store.keep(match)
        play(match, 1)
    (found,) = store.running()
    assert 0 < len(found.table.game.events) < len(match.table.game.events)
    store.close()


def test_a_file_that_is_torn_anywhere_has_a_beginning_of_the_game(tmp_path: Path) -> None:
    store = Store(tmp_path / "server.sqlite3")
    store.close()
    store = Store(tmp_path / "server.sqlite3")
    match = new(1, "aleago:size=5")
    for number in range(8):
        store.keep(match)
        play(match, 1, number)
    lines = lines_of(match, 0)
    whole = (tmp_path / "server.sqlite3-wal").stat().st_size
    counts = []
    rng = random.Random(3)
    for number, length in enumerate(sorted(rng.randrange(whole) for _ in range(40))):
        path = left_behind(tmp_path, f"torn {number}")
        with path.with_name("server.sqlite3-wal").open("r+b") as file:
            file.truncate(length)
        for found in running(path):
            counts.append(len(found.table.game.events))
            assert lines_of(found, 0) == lines[: counts[-1]]
    store.close()
    assert counts == sorted(counts)
    assert len(set(counts)) > 4


def _damaged(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    match rng.randrange(4):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + rng.choice('{}[]",:0b9\x00é\ud800') + text[at + 1 :]
        case 2:
            return rng.choice(["", "null", "[]", "{}", "[1,2]", '["b",5]', "[" * 10_000, "NaN", '["b","D4",NaN,1]'])
        case _:
            return text[:at] + text[at:] * 2


@pytest.mark.parametrize("spec", SPECS)
def test_damaged_lines_are_a_game_or_said_to_be_none(spec: str) -> None:
    rng = random.Random(5)
    match = new(1, spec)
    play(match, 12)
    lines, refused, longest = lines_of(match, 0), 0, 0
    for _ in range(400):
        damaged, head, secret = list(lines), head_of(match), match.dice.secret
        what = rng.randrange(8)
        if what < 3:
            head = _damaged(head, rng)
        elif what == 3:
            secret = rng.randbytes(rng.randrange(40))
        else:
            at = rng.randrange(len(damaged))
            damaged[at] = _damaged(damaged[at], rng)
        try:
            match_of(Kept(1, head, damaged, secret))
        except RecordError as error:
            refused += 1
            longest = max(longest, len(str(error)))
    assert refused > 250
    assert longest < 500


def test_a_game_for_three_or_without_an_end_is_none() -> None:
    match = new(1, "pentalath")
    head = json.loads(head_of(match))
    three = json.dumps({**head, "spec": "pentalath:players=3"})
    with pytest.raises(RecordError, match="a Black and a White"):
        match_of(Kept(1, three, [], match.dice.secret))
    with pytest.raises(RecordError, match="over and has no result"):
        match_of(Kept(1, json.dumps(head), ['["b","resign"]'], match.dice.secret))
