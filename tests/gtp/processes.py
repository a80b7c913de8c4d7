"""Checks whether processes are alive, for tests that end them."""

import os
from pathlib import Path

from tests.support.waiting import wait_until


def is_alive(pid: int) -> bool:
    """Return True if a process is alive; a zombie is not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc").is_dir()


def is_gone_soon(pid: int) -> bool:
    """Return True if a process ends within a generous time."""
    return wait_until(lambda: not is_alive(pid), f"the end of process {pid}")
