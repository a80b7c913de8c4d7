"""Keeps this process's secrets from the other programs of its user: its memory, and passwords in its environment."""

import os
import re
import sys
from pathlib import Path

_SECRET = re.compile(r"PASSW|SECRET|TOKEN|API_?KEY", re.IGNORECASE)
_PR_SET_DUMPABLE = 4
# The values of variables that have been erased from the environment.
_taken: dict[str, str] = {}
# Files and folders with secrets of this process, by absolute paths. No player that it starts behind a wall sees them.
SECRET_PLACES: set[Path] = set()


def protect_memory() -> None:
    """Hide our memory from the user's other processes, on Linux. Forks stay protected; new programs must call this."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def take_variable(name: str) -> str:
    """Return an environment variable, "" if unset, and erase it, also from the copy in /proc/PID/environ."""
    if text := os.environ.get(name, ""):
        _taken[name] = text
        if os.name == "posix":
            import ctypes

            find = ctypes.CDLL(None).getenv
            find.restype = ctypes.c_void_p
            if place := find(os.fsencode(name)):
                ctypes.memset(place, 0, len(os.fsencode(text)))
        del os.environ[name]
    return _taken.get(name, "")


def is_secret(variable: str) -> bool:
    """Return True if the name of a variable says that it holds a secret."""
    return _SECRET.search(variable) is not None


def empty_secrets() -> dict[str, str]:
    """Return the secret variables of our environment, with empty values."""
    return {name: "" for name in os.environ if is_secret(name)}
