"""A program as a process: how it ends."""

import sys

import pytest

from gtp_variants.base.processes.channel import ProcessChannel

# Computes for 1.5 s of its own processor time after the end of its input, or sleeps for ever.
COMPUTES = "import sys, time; sys.stdin.read(); [0 for _ in iter(lambda: time.process_time() > 1.5, True)]"
SLEEPS = "import sys, time; sys.stdin.read(); time.sleep(1000)"


@pytest.mark.skipif(sys.platform != "linux", reason="the states of processes are visible on Linux only")
@pytest.mark.parametrize(
    ("program", "how"), [(COMPUTES, ""), (SLEEPS, "did not end within 1 s when it was told to quit")]
)
def test_only_a_program_that_computes_has_more_time_to_end(program: str, how: str) -> None:
    channel = ProcessChannel([sys.executable, "-c", program], grace_s=1.0)
    assert channel.close() == how
