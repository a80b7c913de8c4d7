"""An orderly exit on SIGTERM and SIGQUIT, which restores the terminal."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

# Most terminals have a key for SIGQUIT; Windows has no such signal.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGQUIT") if hasattr(signal, name)]


@contextmanager
def end_in_order() -> Iterator[None]:
    """In this context, raise SystemExit on SIGTERM and SIGQUIT, which would otherwise end the program at once."""
    before = {number: signal.signal(number, _leave) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)
