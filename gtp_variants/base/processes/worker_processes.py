"""Processes that work for another one, and end with it."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def end_with_parent() -> None:
    """Let this process end as soon as the one that started it has, and leave Ctrl-C to that one.

    To be called first in the process: the initializer of a pool. If the parent was killed, nobody else ends it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started here do not hear Ctrl-C, which is for the process that started them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heard)


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
