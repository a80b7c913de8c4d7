"""The loop between a session and a terminal: lines in, blocks out, and what Ctrl-C means."""

import sys
from collections.abc import Callable

from gtp_variants.errors import ConfigError
from gtp_variants.lang import say
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.referee_session import RefereeSession
from gtp_variants.terminal.screen import TerminalScreen
from gtp_variants.terminal.signals import end_in_order

# What takes lines and answers blocks.
TerminalSession = PlaySession | RefereeSession


def converse(session: TerminalSession, is_resumed: bool, speak: Callable[[str], None] | None = None) -> None:
    """Go on until the game is over or the person leaves. Raises ConfigError where the terminal does not do."""
    screen = TerminalScreen(session.lang, speak)
    if session.is_secret and not screen.can_clear:
        raise ConfigError([say("terminal.no_clear", session.lang)])
    with end_in_order():
        try:
            screen.echo(not session.is_unseen)
            session = _until_left(session, screen, is_resumed)
        finally:
            screen.echo(True)
            screen.unveil()
    if not session.is_finished:
        screen.show_all(session.farewell())


def _until_left(session: TerminalSession, screen: TerminalScreen, is_resumed: bool) -> TerminalSession:
    """The conversation itself: the session at its end."""
    blocks = session.begin(is_resumed)
    while True:
        try:
            screen.show_all(blocks)
        except KeyboardInterrupt:
            sys.stdout.write("\n")
            screen.unveil()
            if session.is_finished or screen.wants_to_leave():
                return session
            # What was going on is broken off; what had happened is kept.
            session = session.again()
            blocks = session.begin(is_resumed=True)
            continue
        if session.is_left or session.is_finished:
            return session
        blocks = session.answer(line) if (line := _line(session, screen)) is not None else iter(())
        if line is None and screen.wants_to_leave():
            return session


def _line(session: TerminalSession, screen: TerminalScreen) -> str | None:
    """The next line, None for Ctrl-C and at the end of the input."""
    try:
        return screen.ask_unseen(session.prompt) if session.is_unseen else screen.ask(session.prompt)
    except KeyboardInterrupt:
        sys.stdout.write("\n")
        return None
