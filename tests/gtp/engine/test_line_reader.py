"""Lines from a host arrive complete and in order; peeking happens only on request."""

import io
import os
import queue

import pytest

from gtp_variants.gtp.engine import stdio
from gtp_variants.gtp.engine.stdio import LineReader
from tests.support.waiting import wait_until


def taken(box: LineReader) -> list[bytes]:
    found = []
    while (line := box.take()) is not None:
        found.append(line[0])
    return found


@pytest.mark.parametrize("looks", [False, True])
def test_every_line_comes_in_order_and_the_last_needs_no_newline(looks: bool) -> None:
    box = LineReader(io.BytesIO(b"name\r\n\nversion\nquit"))
    assert box.has_more() if looks else True
    assert taken(box) == [b"name\r", b"", b"version", b"quit"]
    assert box.take() is None
    assert box.has_more()


def test_lines_that_were_read_before_somebody_looked_are_not_lost() -> None:
    box = LineReader(io.BytesIO(b"one\ntwo\nthree\n"))
    assert box.take() == (b"one", False)
    box.has_more()
    assert taken(box) == [b"two", b"three"]


def test_a_line_that_is_too_long_is_cut_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE", 10)
    monkeypatch.setattr(stdio, "_CHUNK", 7)
    box = LineReader(io.BytesIO(b"0123456789\n0123456789a\n" + b"x" * 50 + b"\nname\n" + b"y" * 11))
    whole = [(b"0123456789", False), (b"0123456789", True), (b"x" * 10, True), (b"name", False), (b"y" * 10, True)]
    assert [box.take() for _ in whole] == whole
    assert box.take() is None


def test_peeking_leaves_the_line_in_the_queue() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as stream:
        box = LineReader(stream)
        assert not box.has_more()
        os.write(writing, b"# interr")
        assert not box.has_more()
        os.write(writing, b"upt\nname\n")
        wait_until(box.has_more)
        wait_until(box.has_interrupt)
        assert box.take() == (b"# interrupt", False)
        assert not box.has_interrupt()
        assert box.take() == (b"name", False)
        assert not box.has_more()
        os.close(writing)
        wait_until(box.has_more)
        assert box.take() is None


def test_the_end_is_seen_before_its_turn_comes() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as stream:
        box = LineReader(stream)
        os.write(writing, b"genmove b\nquit\n")
        wait_until(box.has_more)
        assert not box.has_ended()
        os.close(writing)
        wait_until(box.has_ended)
        assert taken(box) == [b"genmove b", b"quit"]
        assert box.has_ended()


def test_an_interrupt_is_over_when_its_turn_has_come_and_the_next_is_another() -> None:
    box = LineReader(io.BytesIO(b"# interrupt\ngenmove b\n# interrupt\r\ngenmove w\n"))
    wait_until(box.has_more)
    wait_until(box.has_interrupt)
    assert [box.take() for _ in range(2)] == [(b"# interrupt", False), (b"genmove b", False)]
    # The second one is read ahead, too.
    wait_until(box.has_interrupt)
    assert [box.take() for _ in range(2)] == [(b"# interrupt\r", False), (b"genmove w", False)]
    assert not box.has_interrupt()


def test_an_interrupt_and_the_end_are_known_only_once_they_wait_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that they end must find them among what the host has said."""
    reader = LineReader(io.BytesIO(b"# interrupt\n"))
    known: list[tuple[int, bool]] = []

    class Ahead(queue.SimpleQueue[stdio.Line | None]):
        def put(self, line: stdio.Line | None, block: bool = True, timeout: float | None = None) -> None:
            known.append((reader._interrupts_read, reader._is_end_read))
            super().put(line)

    reader._fill(Ahead())
    assert known == [(0, False), (1, False)]
