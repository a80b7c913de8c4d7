"""Messages on standard error for the person at the GUI."""

import sys
from contextlib import suppress


def log(text: str) -> None:
    """Write a line; where a full disk or a host that has closed it takes none, the game goes on without."""
    with suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
