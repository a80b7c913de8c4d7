"""Processes that work for another one, and end with it."""

import multiprocessing
import os
import signal
import threading


def end_with_parent() -> None:
    """Let this process end as soon as the one that started it has, and leave Ctrl-C to that one.

    To be called first in the process: the initializer of a pool. If the parent was killed, nobody else ends it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
