"""No process can stall or outlive a match: stopped workers, daemons of engines, killed guardians."""

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.worker import MatchObserver, Worker
from gtp_variants.arena.schedule import Fixture, units
from tests.arena.matches import write_match
from tests.gtp.client.engines import GO

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guardian needs Linux")

# Starts a daemon with its own session and environment, and writes the daemon's process id into a file.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    for file in range(3):
        os.close(file)
    os.execve("/bin/sh", ["sh", "-c", 'echo $$ >> "$0"; exec sleep 1000', os.path.abspath("daemons")], {})
os.wait()
# On a busy machine a game may be over before the daemon has written who it is.
while not os.path.exists("daemons") or not open("daemons").read().endswith("\\n"):
    time.sleep(0.01)
"""
# Answers its third genmove only once a file exists.
SLOW = """
import os, time
seen = 0
def wait_for_leave(command):
    global seen
    seen += command == "genmove"
    while seen == 3 and not os.path.exists("leave"):
        time.sleep(0.01)
"""


class Begun(MatchObserver):
    """Observes a game and waits for its events."""

    def __init__(self) -> None:
        self.log: CrashLog | None = None

    def on_begin(self, fixture: Fixture, log: CrashLog) -> None:
        self.log = log

    def wait_for_events(self, count: int) -> None:
        wait_until(lambda: self.log is not None and self.log.count >= count)


def ward_of(worker: Worker) -> int:
    """Return the ID of the process in which a worker plays, or 0 for none."""
    guardian = worker._process._process
    assert guardian is not None
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_bytes().rpartition(b")")[2].split()[:2]
            if int(parent) == guardian.pid and state != b"Z":
                return int(stat.parent.name)
    return 0


def wait_until(is_so: Callable[[], object], timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def fixture_of(folder: Path, engine: str) -> Fixture:
    """Return a game to be played between a program and a built-in bot."""
    (folder / "engine.py").write_text(engine)
    program = f"{{command: [{sys.executable}, engine.py, ''], cwd: '{folder}'}}"
    text = write_match(folder, {"program": program, "ours": "bot:greedy"}, 1, spec="go:size=5", game="move_limit: 10")
    config = resolve.load(text)
    return next(next(units(config, {})).fixtures(config))


@contextmanager
def playing(worker: Worker, fixture: Fixture, found: list[ResultRow]) -> Iterator[None]:
    """Play a game in another thread, which appends its result to `found`."""
    thread = threading.Thread(target=lambda: found.append(worker.play(fixture).row))
    thread.start()
    try:
        yield
        thread.join(60)
        assert not thread.is_alive()
    finally:
        worker.close()


@pytest.mark.slow
def test_daemon_of_an_engine_ends_with_its_game(here: Path) -> None:
    worker, fixture = Worker(here / "logs"), fixture_of(here, DAEMON + GO)
    row = worker.play(fixture).row
    (daemon,) = map(int, (here / "daemons").read_text().split())
    # The worker itself continues.
    wait_until(lambda: not is_alive(daemon))
    worker.close()
    assert not row.failures


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["worker", "guardian"])
def test_daemon_ends_when_its_worker_is_killed(here: Path, victim: str) -> None:
    begun = Begun()
    found: list[ResultRow] = []
    engine = SLOW + DAEMON + GO.replace("    answer(*words)", "    wait_for_leave(words[0]); answer(*words)")
    assert "wait_for_leave(words" in engine
    worker, fixture = Worker(here / "logs", observers=[begun]), fixture_of(here, engine)
    with playing(worker, fixture, found):
        begun.wait_for_events(4)
        pid = ward_of(worker)
        wait_until(lambda: (here / "daemons").exists() and (here / "daemons").read_text().endswith("\n"))
        (daemon,) = map(int, (here / "daemons").read_text().split())
        parent = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        os.kill(pid if victim == "worker" else parent, signal.SIGKILL)
        wait_until(lambda: not is_alive(pid))
        if victim == "worker":
            wait_until(lambda: not is_alive(daemon))
        else:
            # If only the guardian is killed, no other process knows of the daemon.
            os.kill(daemon, signal.SIGKILL)
        (here / "leave").touch()
    assert [row.status for row in found] == ["adjudicated"]


@pytest.mark.slow
def test_stopped_worker_is_replaced_while_a_program_thinks(here: Path) -> None:
    begun = Begun()
    found: list[ResultRow] = []
    engine = SLOW + GO.replace("    answer(*words)", "    wait_for_leave(words[0]); answer(*words)")
    worker, fixture = Worker(here / "logs", observers=[begun]), fixture_of(here, engine)
    with playing(worker, fixture, found):
        begun.wait_for_events(4)
        pid = ward_of(worker)
        os.kill(pid, signal.SIGSTOP)
        stopped = time.monotonic()
        wait_until(lambda: not is_alive(pid))
        assert time.monotonic() - stopped < fixture.players[0].limits.command_s + 5
        wait_until(lambda: ward_of(worker) not in (0, pid))
        (here / "leave").touch()
    assert [row.status for row in found] == ["adjudicated"]


@pytest.mark.slow
def test_bot_keeps_its_game_when_its_process_is_killed_just_after_the_answer(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, fixture = Worker(here / "logs"), fixture_of(here, GO)
    load = pickle.load

    def load_late(file: BinaryIO) -> object:
        answer = load(file)
        monkeypatch.undo()
        pid = ward_of(worker)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not is_alive(pid))
        return answer

    monkeypatch.setattr("pickle.load", load_late)
    first, second = [worker.play(fixture).row for _ in range(2)]
    worker.close()
    assert (first.status, first.failures) == ("adjudicated", ())
    # The second game began in a dead process, and was played again.
    assert (second.status, [failure[:2] for failure in second.failures]) == ("adjudicated", [("", "killed")])
