"""Whether a game can have the whole screen here, and how it gets it."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from gtp_variants.terminal.fullscreen.themes import PLAIN
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.signals import end_in_order

_POOR_TERMINALS = ("", "dumb", "unknown")


def can_fill_screen() -> bool:
    """Whether standard input and output are a terminal that can be drawn on, and the extra `terminal` is installed."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or find_spec("prompt_toolkit") is None:
        return False
    return sys.platform == "win32" or os.environ.get("TERM", "") not in _POOR_TERMINALS


def play_on_whole_screen(session: PlaySession, is_resumed: bool, theme: str) -> None:
    """Go on until the game is over or the person leaves; its end stays on the screen that was there before."""
    from gtp_variants.terminal.fullscreen.client import FullscreenClient

    if os.environ.get("NO_COLOR"):
        theme = PLAIN
    with end_in_order(), _hold_errors():
        client = FullscreenClient(session, is_resumed, theme)
        session = client.run()
    from gtp_variants.terminal.screen import TerminalScreen

    screen = TerminalScreen(session.lang)
    if session.is_finished:
        screen.show_all(session.last_words(client.result))
    else:
        screen.show_all(session.farewell())


@contextmanager
def _hold_errors() -> Iterator[None]:
    """What is written on standard error, by bots too, comes after the game and not across the screen."""
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(before, 2)
            os.close(before)
            kept.seek(0)
            sys.stderr.write(kept.read().decode(errors="replace"))
            sys.stderr.flush()
