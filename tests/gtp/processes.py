"""Whether processes live, for tests that end them."""

import os
import time
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether a process lives; one that has ended and waits for its burial does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc").is_dir()


def is_gone_soon(pid: int) -> bool:
    """Whether a process ends, waited for so long that a busy machine is no excuse."""
    deadline = time.monotonic() + 60
    while is_alive(pid) and time.monotonic() < deadline:
        os.sched_yield()
    return not is_alive(pid)
