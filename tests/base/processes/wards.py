"""A module whose `main` runs under a guardian."""

import ctypes
import os
import time

# Option 3 is PR_GET_DUMPABLE.
WAS_READABLE = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)


def main(act: str) -> None:
    """Write the process ID and whether other programs could read this process, then do as told."""
    print(os.getpid(), WAS_READABLE, flush=True)
    if act == "wait":
        time.sleep(600)
