"""A program as a process: how it ends."""

import sys

import pytest

from gtp_variants.base.processes import channel
from gtp_variants.base.processes.channel import ProcessChannel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the states of processes are visible on Linux only")
# After the end of its input a program computes for 0.3 s of its own processor time, or sleeps or computes for ever.
BEGIN = "import sys, time; print('ready', end='', flush=True); sys.stdin.read(); "
COMPUTES = BEGIN + "[0 for _ in iter(lambda: time.process_time() > 0.3, True)]"
SLEEPS = BEGIN + "time.sleep(1000)"
NEVER_ENDS = BEGIN + "[0 for _ in iter(int, 1)]"
LATE = "did not end within 0.1 s when it was told to quit"


def end(program: str) -> str:
    """Start a program and tell it to quit. Return its fault."""
    process = ProcessChannel([sys.executable, "-c", program], grace_s=0.1)
    assert process.read(600) == b"ready"
    return process.close()


@pytest.mark.parametrize(("program", "how"), [(COMPUTES, ""), (SLEEPS, LATE)])
def test_only_a_program_that_computes_has_more_time_to_end(program: str, how: str) -> None:
    assert end(program) == how


def test_program_that_computes_has_a_bound_of_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "_BUSY", 1)
    assert end(NEVER_ENDS) == LATE
