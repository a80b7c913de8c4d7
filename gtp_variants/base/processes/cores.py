"""The number of cores available to this process, and the number a bot may use."""

import os
from contextlib import suppress
from pathlib import Path

from gtp_variants.errors import ConfigError

CORES_VARIABLE = "GTP_VARIANTS_CORES"
# Maximum threads by default. With more of them, the threads of one search wait for each other.
_MOST = 8
# The maximum number of threads that the variable may ask for.
_MOST_TOLD = 1024
# Microseconds of CPU time that a container may use per period, or "max", and the length of the period (cgroup v2).
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """Return the number of cores that this process may use, at least 1, within the quota of its container."""
    try:
        there = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        # Count all cores, because this system does not say which of them a process may use.
        there = os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = map(int, _QUOTA.read_text(encoding="ascii").split())
        there = min(there, -(-quota // period))
    return max(1, there)


def usable_cores() -> int:
    """Return the number of cores, at most 8, or GTP_VARIANTS_CORES. Raises ConfigError unless that is 1 to 1024."""
    told = os.environ.get(CORES_VARIABLE, "")
    if not told:
        return min(available_cores(), _MOST)
    if not (told.isascii() and told.isdecimal() and len(told) <= 4 and 1 <= int(told) <= _MOST_TOLD):
        raise ConfigError([f"{CORES_VARIABLE}={told[:40]}: expected a whole number, 1 to {_MOST_TOLD}"])
    return int(told)


def one_core() -> dict[str, str]:
    """Return the variables that limit an engine to one core, unless our own environment already sets a number."""
    return {CORES_VARIABLE: os.environ.get(CORES_VARIABLE, "1")}
