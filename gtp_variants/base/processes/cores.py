"""How many cores there are to use, and how many a bot may think with."""

import os
from contextlib import suppress
from pathlib import Path

from gtp_variants.errors import ConfigError

CORES_VARIABLE = "GTP_VARIANTS_CORES"
# Beyond so many, threads of one search wait for each other.
_MOST = 8
# So many threads a search may have that is told how many.
_MOST_TOLD = 1024
# What a container may use of the processor in a period, both in microseconds, or "max" (Linux, cgroup v2).
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """The cores that this process may use, at least one, and no more than the quota of its container is worth."""
    try:
        there = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        # Not every system says which of them are ours.
        there = os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = map(int, _QUOTA.read_text(encoding="ascii").split())
        there = min(there, -(-quota // period))
    return max(1, there)


def usable_cores() -> int:
    """The available cores, 8 at most, or as many as the environment variable GTP_VARIANTS_CORES says.

    Raises ConfigError if that is no whole number from 1 to 1024.
    """
    told = os.environ.get(CORES_VARIABLE, "")
    if not told:
        return min(available_cores(), _MOST)
    if not (told.isascii() and told.isdecimal() and len(told) <= 4 and 1 <= int(told) <= _MOST_TOLD):
        raise ConfigError([f"{CORES_VARIABLE}={told[:40]}: expected a whole number, 1 to {_MOST_TOLD}"])
    return int(told)


def one_core() -> dict[str, str]:
    """The environment of an engine that shares the cores with others, as far as ours says nothing else."""
    return {CORES_VARIABLE: os.environ.get(CORES_VARIABLE, "1")}
