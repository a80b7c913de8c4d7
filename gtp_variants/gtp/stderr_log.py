"""Messages on standard error for the person using the GUI."""

import sys
from contextlib import suppress


def log(text: str) -> None:
    """Write a line to standard error. A full disk or a closed stream does not stop the game."""
    with suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
