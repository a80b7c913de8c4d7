"""Keeps the memory of a process from others of the same user."""

import sys

_PR_SET_DUMPABLE = 4


def protect_memory() -> None:
    """Let no other process of the same user read this one's memory and open files, where the system can (Linux).

    A referee's holds the secrets of dice, and what is hidden from a seat; a bot's holds its own stones. Root reads all.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
