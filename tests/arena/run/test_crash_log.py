"""The crash log is readable during a write, and after its writer has been killed at any byte."""

import itertools
import mmap
import multiprocessing
from collections.abc import Callable, Iterator
from math import inf
from multiprocessing.synchronize import Event as Signal
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.arena.run.crash_log import Asked, CrashLog
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE, Event

# Mixing the bytes of two of these values never gives a third one.
ASKS = ((BLACK, 1234567.890123, True), (WHITE, 7654321.321, False), (BLACK, 3.5, True))
EVENTS = [Event(CHANCE, 300), Event(BLACK, 70000), Event(WHITE, -1), Event(BLACK, 255)]
Step = Callable[[CrashLog], object]


class WriterKilled(Exception):
    """The simulated death of the writing process."""


class MortalMemory(mmap.mmap):
    """Shared memory whose writer is killed after a given number of bytes."""

    left = inf
    is_backward = False

    def __setitem__(self, where: Any, content: Any) -> None:
        places = range(*where.indices(len(self)))
        pairs = list(zip(places, content, strict=True))
        for place, byte in reversed(pairs) if self.is_backward else pairs:
            if MortalMemory.left <= 0:
                raise WriterKilled
            MortalMemory.left -= 1
            super().__setitem__(place, byte)


@pytest.fixture(params=["forward", "backward"])
def kill_writers(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[Step], Step], Iterator[Path]]:
    """Yield one log for each byte at which its writer can be killed during the last step."""

    def logs(whole: list[Step], last: Step) -> Iterator[Path]:
        monkeypatch.setattr(MortalMemory, "is_backward", request.param == "backward")
        for count in itertools.count():
            path = tmp_path / str(count)
            with monkeypatch.context() as patch:
                patch.setattr("mmap.mmap", MortalMemory)
                patch.setattr(MortalMemory, "left", inf)
                writer = CrashLog(path)
                for step in whole:
                    step(writer)
                MortalMemory.left = count
                is_dead = False
                try:
                    last(writer)
                except WriterKilled:
                    is_dead = True
                writer.close()
            yield path
            path.unlink()
            if not is_dead:
                assert count > 30
                return

    return logs


def ask(number: int) -> Step:
    return lambda log: log.on_ask(*ASKS[number])


def tell(*events: Event) -> Step:
    return lambda log: log.on_events(events)


@pytest.mark.parametrize("earlier", [0, 1, 2])
def test_deadline_is_read_whole_when_its_writer_is_killed_at_any_byte(
    kill_writers: Callable[[list[Step], Step], Iterator[Path]], earlier: int
) -> None:
    known = [Asked(0, False, inf), *(Asked(colour, is_here, until) for colour, until, is_here in ASKS)]
    found = []
    for path in kill_writers([ask(number) for number in range(earlier)], ask(earlier)):
        log = CrashLog(path)
        found.append(log.asked)
        log.close()
    assert set(found) == set(known[earlier : earlier + 2])
    assert found[-1] == known[earlier + 1]


@pytest.mark.parametrize(
    ("before", "after"),
    [([], EVENTS[:1]), (EVENTS[:1], EVENTS[:3]), (EVENTS[:3], EVENTS), (EVENTS, []), (EVENTS, EVENTS[:1])],
)
def test_events_are_read_whole_when_their_writer_is_killed_at_any_byte(
    kill_writers: Callable[[list[Step], Step], Iterator[Path]], before: list[Event], after: list[Event]
) -> None:
    for path in kill_writers([CrashLog.begin, tell(*before)], tell(*after) if after else CrashLog.begin):
        log = CrashLog(path)
        # A shorter list is written as a new game, which has no events for a moment.
        assert log.events in [before, after, *([[]] if len(after) < len(before) else [])]
        assert len(log.events) == log.count
        log.close()


def test_seed_is_read_whole_when_its_writer_is_killed_at_any_byte(
    kill_writers: Callable[[list[Step], Step], Iterator[Path]],
) -> None:
    seeds = "0" * 64, "1" * 64
    found = set()
    for path in kill_writers([lambda log: log.on_seed(seeds[0])], lambda log: log.on_seed(seeds[1])):
        log = CrashLog(path)
        found.add(log.seed)
        log.close()
    assert found == set(seeds)


def test_next_writer_continues_after_one_that_was_killed_at_any_byte(
    kill_writers: Callable[[list[Step], Step], Iterator[Path]],
) -> None:
    for path in kill_writers([ask(0), tell(*EVENTS[:1])], lambda log: (tell(*EVENTS)(log), ask(1)(log))):
        reader, writer = CrashLog(path), CrashLog(path)
        writer.begin()
        writer.on_ask(BLACK, 99.5, True)
        writer.on_events(EVENTS[1:])
        assert reader.asked == Asked(BLACK, True, 99.5)
        assert reader.events == EVENTS[1:]
        writer.close()
        reader.close()


def test_reader_keeps_the_last_whole_value_when_both_copies_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writer, reader = CrashLog(path), CrashLog(path)
    writer.on_ask(*ASKS[0])
    writer.on_events(EVENTS)
    assert reader.asked == Asked(BLACK, True, ASKS[0][1])
    assert reader.events == EVENTS
    with path.open("r+b") as file:
        file.write(b"\x55" * path.stat().st_size)
    assert reader.asked == Asked(BLACK, True, ASKS[0][1])
    assert reader.events == EVENTS
    writer.close()
    reader.close()


def test_a_new_game_has_no_earlier_events(tmp_path: Path) -> None:
    writer, reader = CrashLog(tmp_path / "log"), CrashLog(tmp_path / "log")
    writer.on_events(EVENTS)
    # The watching process begins the game, and the worker plays it.
    reader.begin()
    assert (writer.count, writer.events) == (0, [])
    writer.begin()
    writer.on_events(EVENTS[1:])
    assert (reader.count, reader.events) == (3, EVENTS[1:])
    writer.on_events(EVENTS[:1])
    assert (reader.count, reader.events) == (1, EVENTS[:1])
    writer.close()
    reader.close()


def _ask_without_end(path: Path, stop: Signal) -> None:
    log = CrashLog(path)
    number = 0
    while not stop.is_set():
        number += 1
        log.on_ask(1 + number % 2, 1e6 + number % 2, bool(number % 2))


@pytest.mark.slow
def test_deadline_is_read_whole_while_another_process_writes(tmp_path: Path) -> None:
    method = multiprocessing.get_context("spawn")
    log, stop = CrashLog(tmp_path / "log"), method.Event()
    writer = method.Process(target=_ask_without_end, args=(tmp_path / "log", stop))
    writer.start()
    found = {log.asked for _ in range(200_000)}
    stop.set()
    writer.join()
    assert found <= {Asked(0, False, inf), Asked(1, False, 1e6), Asked(2, True, 1e6 + 1)}
    log.close()
