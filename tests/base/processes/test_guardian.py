"""A guardian starts protected processes, starts them again, and says how they ended."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.base.processes.guardian import GuardedProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guardian needs Linux")


@pytest.fixture
def waiting() -> Iterator[GuardedProcess]:
    process = GuardedProcess("tests.base.processes.wards", ["wait"])
    yield process
    if process.is_running:
        process.kill()
    process.wait()
    process.close()


def begin(process: GuardedProcess) -> int:
    """Start a process; return its ID once it has said that no other program can read it."""
    process.start()
    pid, was_readable = map(int, process.stdout.readline().split())
    assert not was_readable
    return pid


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_ward_is_protected_at_every_start_and_its_end_is_reported(waiting: GuardedProcess, number: int) -> None:
    for _ in range(2):
        os.kill(begin(waiting), number)
        # A stopped ward is killed, and its status says that it was stopped.
        assert waiting.wait(60) == -number
        assert not waiting.is_running


def test_ward_starts_again_under_another_guardian_when_the_first_was_killed(waiting: GuardedProcess) -> None:
    pid = begin(waiting)
    guardian = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    os.kill(guardian, signal.SIGKILL)
    assert waiting.wait(60) == -signal.SIGKILL
    assert begin(waiting) != pid


def test_status_of_a_ward_that_ends_by_itself_is_zero() -> None:
    process = GuardedProcess("tests.base.processes.wards", ["leave"])
    begin(process)
    assert process.wait(60) == 0
    process.close()
