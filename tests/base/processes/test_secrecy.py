"""Passwords that were read from the environment are nowhere in it any more."""

import subprocess
import sys
from pathlib import Path

import pytest

from gtp_variants.base.processes.secrecy import take_variable
from tests.support.programs import environment

TAKES = """
import os, subprocess, sys
from pathlib import Path
from gtp_variants.base.processes.secrecy import take_variable

assert [take_variable("BOTTY") for _ in range(2)] == ["hunter2"] * 2
assert b"BOTTY=" in Path("/proc/self/environ").read_bytes()
assert b"hunter2" not in Path("/proc/self/environ").read_bytes()
child = subprocess.run([sys.executable, "-c", "import os; print(os.environ)"], capture_output=True, text=True)
assert "BOTTY" not in child.stdout
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the environment is read from /proc")
def test_taken_variable_is_erased_from_the_environment_of_the_process_and_its_children() -> None:
    subprocess.run([sys.executable, "-c", TAKES], env={**environment(), "BOTTY": "hunter2"}, check=True)


def test_variable_that_is_not_set_is_empty() -> None:
    assert take_variable("NO_SUCH_VARIABLE") == ""
