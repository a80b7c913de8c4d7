"""Messages on standard error for the person at the GUI."""

import sys


def log(text: str) -> None:
    """Write a line."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
