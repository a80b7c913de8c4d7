"""No engine outlives the process that started it, however that ends and whatever the engine does against it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gtp_variants.base.processes import wall
from tests.gtp.processes import is_alive, is_gone_soon
from tests.support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups are those of POSIX")

# Answers with its own number and that of a child, and ends for nothing but KILL.
CLINGING = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
sys.stdin.readline()
print("=", os.getpid(), child.pid, end="\\n\\n", flush=True)
while "leave" not in sys.argv:
    time.sleep(1000)
"""

RUNNER = """
import os, signal, sys, time
from pathlib import Path
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
peer = GtpController(ProcessChannel([sys.executable, "-c", *sys.argv[2:]], grace_s=0.1))
print(peer.send("name", timeout_s=60), flush=True)
if sys.argv[1] == "watchdog":
    # Somebody ends the watchdog first; the next engine gets another.
    watchdog = peer.channel._watchdog._process
    watchdog.kill()
    watchdog.wait()
    other = GtpController(ProcessChannel([sys.executable, "-c", *sys.argv[2:]], grace_s=0.1))
    print(other.send("name", timeout_s=60), flush=True)
elif sys.argv[1] == "exit":
    sys.exit()
elif sys.argv[1] == "close":
    peer.close()
print("ready", flush=True)
time.sleep(1000)
"""


def runner(ending: str, *behaviour: str) -> tuple["subprocess.Popen[str]", list[int]]:
    """A process that has started engines, and the numbers of all that these are."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, ending, CLINGING, *behaviour],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert process.stdout is not None
    pids: list[int] = []
    for line in process.stdout:
        if line == "ready\n":
            break
        pids += map(int, line.split())
    process.stdout.close()
    return process, pids


@pytest.mark.parametrize("behaviour", [(), ("leave",)], ids=" ".join)
@pytest.mark.parametrize("ending", ["KILL", "TERM", "exit", "watchdog"])
def test_an_engine_ends_with_its_runner(ending: str, behaviour: tuple[str, ...]) -> None:
    process, pids = runner(ending, *behaviour)
    assert len(pids) == (4 if ending == "watchdog" else 2)
    if ending != "exit":
        process.send_signal(signal.SIGTERM if ending == "TERM" else signal.SIGKILL)
    process.wait(60)
    assert all(is_gone_soon(pid) for pid in pids)


@pytest.mark.parametrize("behaviour", [(), ("leave",)], ids=" ".join)
def test_an_engine_that_is_closed_leaves_nothing(behaviour: tuple[str, ...]) -> None:
    process, pids = runner("close", *behaviour)
    assert not is_alive(pids[0])
    assert is_gone_soon(pids[1])
    process.kill()
    process.wait(60)


NESTED = """
import sys, time
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
sys.stdin.readline()
inner = GtpController(ProcessChannel([sys.executable, "-c", *sys.argv[1:]], grace_s=0.1))
print("=", inner.send("name", timeout_s=60), end="\\n\\n", flush=True)
time.sleep(1000)
"""


def test_an_engine_that_runs_engines_takes_them_along() -> None:
    command = [sys.executable, "-c", RUNNER, "KILL", NESTED, CLINGING]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) == 2
        process.kill()
    assert all(is_gone_soon(pid) for pid in pids)


WALLED = """
import os, sys
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.base.processes.wall import WALL
channel = ProcessChannel(["sh", "-c", f"setsid sleep {sys.argv[1]} & echo ready; cat"], wall=WALL)
assert channel.read(60) == b"ready\\n"
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("kind", [wall.BUBBLEWRAP, wall.LANDLOCK])
def test_child_that_leaves_its_group_ends_with_the_wall(kind: str) -> None:
    if not wall._works(kind):
        pytest.skip(f"{kind} does not work here")
    # Behind the wall the child has another number, so that it is found by its command.
    seconds = f"1000.{os.getpid()}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), wall.VARIABLE: kind}
    done = subprocess.run([sys.executable, "-c", WALLED, seconds], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    wait_until(lambda: not any(seconds in command for command in commands()))


def commands() -> Iterator[str]:
    """Yield the commands of all `sleep` processes."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if (command := file.read_text(errors="replace")).startswith("sleep"):
                yield command
