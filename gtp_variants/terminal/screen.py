"""A terminal, or plain files in its place, to show a session's blocks and read typed lines."""

import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from getpass import getpass
from random import Random
from textwrap import fill

from rich.console import Console
from rich.text import Text as Styled

from gtp_variants.errors import ConfigError
from gtp_variants.lang import say
from gtp_variants.terminal import blocks, drawing
from gtp_variants.terminal.games.commands import answer_of
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.referee_session import RefereeSession
from gtp_variants.terminal.signals import end_in_order

_STYLES = {"plain": "", "title": "bold", "said": "bold cyan", "error": "red", "quiet": "dim"}
# Minimum seconds for which a bot's thinking is shown, so that its move does not come as a surprise.
_SHORTEST_THOUGHT_S = 0.5
# Number of pictures of rolling dice, and seconds for which the first is shown.
_FRAMES, _FRAME_S = 6, 0.05
# Columns assumed without a terminal: enough for the longest line of any board.
_UNLIMITED = 101

# Codes that switch to a screen without scrollback and back, and a code that clears a screen and its scrollback.
_ENTER_OTHER, _LEAVE_OTHER = "\x1b[?1049h", "\x1b[?1049l"
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


class TerminalScreen:
    """Standard input and output for a person. `speak`, if given, says a referee's announcements aloud."""

    def __init__(self, lang: str, speak: Callable[[str], None] | None = None) -> None:
        self.lang = lang
        self.is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self.console = Console(highlight=False, markup=False, emoji=False)
        self._speak = speak
        self._in_secret = False
        self._is_echoing = True
        self._random = Random()
        self._since: float | None = None
        if self.is_interactive:
            # Let people edit lines and recall earlier lines, where possible.
            with suppress(ImportError):
                import readline

                # The history of this game is kept separate from the history of other programs.
                readline.set_auto_history(True)
                readline.clear_history()

    @property
    def can_clear(self) -> bool:
        """Return True if the screen can be cleared."""
        return self.is_interactive and not self.console.is_dumb_terminal and not self.console.legacy_windows

    @property
    def is_lively(self) -> bool:
        """Return True if the terminal can show colours and moving pictures."""
        return self.console.is_terminal and self.console.color_system is not None and not self.console.no_color

    @property
    def is_painted(self) -> bool:
        """Return True if boards are shown in colour, not as letters."""
        return drawing.can_draw_in_colours(self.console)

    @property
    def width(self) -> int:
        """The current number of columns of the terminal."""
        return shutil.get_terminal_size().columns if self.console.is_terminal else _UNLIMITED

    # -- secrets -------------------------------------------------------------------------------------------------------

    def end_secret(self) -> None:
        """Clear the alternate screen and leave it."""
        if self._in_secret and self.can_clear:
            self._control(_CLEAR + _LEAVE_OTHER)
        self._in_secret = False

    def _control(self, codes: str) -> None:
        sys.stdout.write(codes)
        sys.stdout.flush()

    # -- showing -------------------------------------------------------------------------------------------------------

    def show_all(self, shown: Iterable[blocks.Block]) -> None:
        """Show blocks one by one as they arrive."""
        for block in shown:
            self.show(block)

    def show(self, block: blocks.Block) -> None:
        """Show one block."""
        if self._since is not None:
            # Wipe away the line that said that a bot was thinking.
            time.sleep(max(0.0, _SHORTEST_THOUGHT_S - (time.monotonic() - self._since)))
            self._since = None
            self._control("\r\x1b[K")
        if self._in_secret and not self.can_clear and block is not blocks.Secret.ENDS:
            return
        match block:
            case blocks.TextBlock():
                self._print(Styled(block.text, _STYLES[block.kind]))
                if block.kind == "said" and self._speak is not None:
                    self._speak(block.text)
            case blocks.BoardBlock():
                self._show_board(block)
            case blocks.CandidatesBlock():
                for line in block.notes:
                    self._print(Styled(line))
            case blocks.DiceBlock():
                self._show_throw(block)
            case blocks.ThinkingBlock():
                if self.is_lively and self.is_interactive:
                    self.console.print(Styled(block.text, "dim"), end="", soft_wrap=True)
                    self._since = time.monotonic()
            case blocks.Secret.BEGINS:
                # If the terminal has no alternate screen, nothing is shown until `end_secret`.
                self._in_secret = True
                if self.can_clear:
                    self._control(_ENTER_OTHER + _CLEAR)
                else:
                    self._print(Styled(say("terminal.no_clear", self.lang), _STYLES["error"]))
            case blocks.Secret.CLEARED:
                if self._in_secret and self.can_clear:
                    self._control(_CLEAR)
            case blocks.Secret.ENDS:
                self.end_secret()

    def _print(self, text: Styled) -> None:
        # A word longer than a line, such as a path, is wrapped by the terminal, so that it can be copied in one piece.
        is_long = any(len(word) >= self.width for word in text.plain.split())
        if self.console.is_terminal and not is_long and not text.spans:
            # Wrap here, because Rich would also break lines at non-breaking spaces.
            text = Styled("\n".join(fill(line, self.width) for line in text.plain.split("\n")), text.style)
        self.console.print(text, width=self.width, soft_wrap=is_long or not self.console.is_terminal)

    def _show_board(self, shown: blocks.BoardBlock) -> None:
        """Print the title, the widest drawing that fits or else an error, and the lines below the board."""
        self._print(Styled(""))
        if shown.title:
            self._print(Styled(shown.title, "bold"))
        # The last column stays free, because some terminals wrap the line when it is filled.
        canvas, needs = drawing.fit(shown, self.width - 1)
        if canvas is None:
            self._print(Styled(say("terminal.too_narrow", self.lang, needs=needs + 1, has=self.width), "red"))
        for row in drawing.draw(canvas, shown, self.is_painted) if canvas is not None else ():
            self.console.print(row, soft_wrap=True)
        for line in (*map(Styled, shown.notes), *drawing.legend(shown, self.is_painted)):
            self._print(line)

    def _show_throw(self, thrown: blocks.DiceBlock) -> None:
        """Show rolling dice if the terminal can show them, then the throw in words."""
        is_ascii = not self.console.encoding.startswith("utf")
        rows = drawing.draw_dice(thrown.faces, is_ascii)
        if self.is_lively and rows and max(map(len, rows)) < self.width:
            for frame in range(_FRAMES if self.is_interactive else 0):
                faces = [self._random.randint(1, thrown.sides) for _ in thrown.faces]
                self._control("".join(f"{row}   \n" for row in drawing.draw_dice(faces, is_ascii)))
                time.sleep(_FRAME_S * (1 + frame / 4))
                self._control("\x1b[3A\r")
            for row in rows:
                self.console.print(Styled(row, "bold yellow"), Styled("   "), sep="", soft_wrap=True)
        self._print(Styled(thrown.text, _STYLES["said"]))

    # -- reading -------------------------------------------------------------------------------------------------------

    def echo(self, is_on: bool) -> None:
        """Turn on or off the echo of what is typed while no line is being read."""
        if not self.is_interactive or is_on == self._is_echoing:
            return
        try:
            import termios
        except ImportError:  # a Windows terminal does not echo what is typed until a line is read
            return
        descriptor = sys.stdin.fileno()
        mode = termios.tcgetattr(descriptor)
        mode[3] = mode[3] | termios.ECHO if is_on else mode[3] & ~termios.ECHO
        termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
        self._is_echoing = is_on

    def ask(self, prompt: str) -> str | None:
        """Read the next line, or return None at the end of the input. Raises KeyboardInterrupt on Ctrl-C."""
        self._since = None
        self.echo(True)
        try:
            if self.is_interactive and not self._in_secret:
                return input(prompt)
            if self.is_interactive and sys.platform == "win32":
                # Read without the line editing of a Windows terminal, which would recall what the other player typed.
                return getpass(prompt)
            if self.is_interactive:
                # Read without line editing, because its keys would recall text that the other player typed or cut.
                self._control(prompt)
            line = sys.stdin.readline()
        except EOFError:
            self._control("\n")
            return None
        if not line and self.is_interactive:
            self._control("\n")
        return line.rstrip("\r\n") if line else None

    def ask_unseen(self, prompt: str) -> str | None:
        """Read the next line without showing it or anything typed before it. Return None at the end of the input."""
        if not self.is_interactive:
            return self.ask(prompt)
        self.echo(False)
        try:
            return getpass(prompt)
        except EOFError:
            self._control("\n")
            return None

    def wants_to_leave(self) -> bool:
        """Ask whether the person wants to leave. The end of the input or a second Ctrl-C means yes."""
        if not self.is_interactive:
            return True
        try:
            while True:
                line = self.ask(say("terminal.leave", self.lang) + " ")
                word = None if line is None else answer_of(line, self.lang)
                if line is None or word is not None:
                    return word is not False
        except KeyboardInterrupt:
            self._control("\n")
            return True


# -- the loop between a session and the terminal -----------------------------------------------------------------------

# A session takes typed lines and answers with blocks.
TerminalSession = PlaySession | RefereeSession


def converse(session: TerminalSession, is_resumed: bool, speak: Callable[[str], None] | None = None) -> None:
    """Play until the game ends or the person leaves. Raises ConfigError if secrets could not be cleared."""
    screen = TerminalScreen(session.lang, speak)
    if session.is_secret and not screen.can_clear:
        raise ConfigError([say("terminal.no_clear", session.lang)])
    with end_in_order():
        try:
            screen.echo(not session.is_unseen)
            session = _until_left(session, screen, is_resumed)
        finally:
            screen.echo(True)
            screen.end_secret()
    if not session.is_finished:
        screen.show_all(session.host.release())


def _until_left(session: TerminalSession, screen: TerminalScreen, is_resumed: bool) -> TerminalSession:
    """Show blocks and read lines until the game ends or the person leaves. Return the last session."""
    answer = session.begin(is_resumed)
    while True:
        try:
            screen.show_all(answer)
        except KeyboardInterrupt:
            sys.stdout.write("\n")
            screen.end_secret()
            if session.is_finished or screen.wants_to_leave():
                return session
            # The rest of the interrupted answer is dropped, and the game continues as last saved.
            session = session.again()
            answer = session.begin(is_resumed=True)
            continue
        if session.is_left or session.is_finished:
            return session
        answer = session.answer(line) if (line := _line(session, screen)) is not None else iter(())
        if line is None and screen.wants_to_leave():
            return session


def _line(session: TerminalSession, screen: TerminalScreen) -> str | None:
    """Read the next line, or return None on Ctrl-C or at the end of the input."""
    try:
        return screen.ask_unseen(session.prompt) if session.is_unseen else screen.ask(session.prompt)
    except KeyboardInterrupt:
        sys.stdout.write("\n")
        return None
