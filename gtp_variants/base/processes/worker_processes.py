"""Processes that work for a parent process, and end with it."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def end_with_parent() -> None:
    """From now on, end this process with its parent, even a killed one, and leave Ctrl-C to it. Call this first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Let processes started in this context ignore Ctrl-C, which is meant for the process that started them."""
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
