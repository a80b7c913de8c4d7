"""The terminal: how blocks look on it and how a line is read from it; without colours, and without a terminal, too.

The loop between a session and a terminal: lines in, blocks out, and what Ctrl-C means.
"""

import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from getpass import getpass
from random import Random

from rich.console import Console
from rich.text import Text as Styled

from gtp_variants.errors import ConfigError
from gtp_variants.lang import say
from gtp_variants.records.drawing.diagram import Canvas
from gtp_variants.terminal import drawing
from gtp_variants.terminal.blocks import (
    Block,
    BoardBlock,
    CandidatesBlock,
    ClearScreen,
    DiceBlock,
    EstimatesBlock,
    SecretBegins,
    SecretEnds,
    TextBlock,
    ThinkingBlock,
)
from gtp_variants.terminal.games.commands import answer_of
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.referee_session import RefereeSession
from gtp_variants.terminal.signals import end_in_order

_STYLES = {"plain": "", "title": "bold", "said": "bold cyan", "error": "red", "quiet": "dim"}
# So that a bot's answer can be followed with the eyes, and a die is seen to roll.
_SHORTEST_THOUGHT_S = 0.5
_FRAMES = 6
# Where nobody reads on a terminal, the longest lines of all boards have room.
_UNLIMITED = 101
_FRAME_S = 0.05

# Another screen that has no scrollback, then everything on it and whatever scrolled away all the same.
_ENTER_OTHER, _LEAVE_OTHER = "\x1b[?1049h", "\x1b[?1049l"
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


class TerminalScreen:
    """Standard input and output as a person uses them; `speak` says aloud what a referee says."""

    def __init__(self, lang: str, speak: Callable[[str], None] | None = None) -> None:
        self.lang = lang
        self.is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self.console = Console(highlight=False, markup=False, emoji=False)
        self._speak = speak
        self._is_veiled = False
        self._is_echoing = True
        self._random = Random()
        self._since: float | None = None
        if self.is_interactive:
            _edit_lines()

    @property
    def can_clear(self) -> bool:
        """Whether what is shown can be made to vanish."""
        return self.is_interactive and not self.console.is_dumb_terminal and not self.console.legacy_windows

    @property
    def is_lively(self) -> bool:
        """Whether anything may move or be painted."""
        return self.console.is_terminal and self.console.color_system is not None and not self.console.no_color

    @property
    def is_painted(self) -> bool:
        """Whether boards are shown in colours and not in letters."""
        return drawing.can_draw_in_colours(self.console)

    @property
    def width(self) -> int:
        """Columns of the terminal as wide as it is now, also of one that can do nothing else."""
        return shutil.get_terminal_size().columns if self.console.is_terminal else _UNLIMITED

    # -- the veil ------------------------------------------------------------------------------------------------------

    def _veil(self) -> None:
        """Go to another screen; where there is none, nothing is shown until it is unveiled."""
        self._is_veiled = True
        if self.can_clear:
            self._control(_ENTER_OTHER + _CLEAR)
        else:
            self._print(Styled(say("terminal.no_clear", self.lang), _STYLES["error"]))

    def unveil(self) -> None:
        """Come back from the other screen; what it held is gone."""
        if self._is_veiled and self.can_clear:
            self._control(_CLEAR + _LEAVE_OTHER)
        self._is_veiled = False

    def _clear(self) -> None:
        if self._is_veiled and self.can_clear:
            self._control(_CLEAR)

    def _control(self, codes: str) -> None:
        sys.stdout.write(codes)
        sys.stdout.flush()

    # -- showing -------------------------------------------------------------------------------------------------------

    def show_all(self, blocks: Iterable[Block]) -> None:
        """Show blocks as they come."""
        for block in blocks:
            self.show(block)

    def show(self, block: Block) -> None:
        """Show one block."""
        self._wipe_thought()
        if self._is_veiled and not self.can_clear and not isinstance(block, SecretEnds):
            return
        match block:
            case TextBlock():
                self._print(Styled(block.text, _STYLES[block.kind]))
                if block.kind == "said" and self._speak is not None:
                    self._speak(block.text)
            case BoardBlock():
                self._show_board(block)
            case EstimatesBlock():
                self._show_guess(block)
            case CandidatesBlock():
                for line in block.notes:
                    self._print(Styled(line))
            case DiceBlock():
                self._show_throw(block)
            case ThinkingBlock():
                self._show_thought(block)
            case SecretBegins():
                self._veil()
            case ClearScreen():
                self._clear()
            case SecretEnds():
                self.unveil()

    def _print(self, text: Styled) -> None:
        # A path that is longer than a line is left to the terminal to wrap, so that it can be copied in one piece.
        is_long = any(len(word) >= self.width for word in text.plain.split())
        self.console.print(text, width=self.width, soft_wrap=is_long or not self.console.is_terminal)

    def _show_guess(self, shown: EstimatesBlock) -> None:
        canvas = self._fitting(shown)
        if canvas is not None:
            drawing.draw_estimates(canvas, shown)
            rows = drawing.draw_in_letters(canvas)
            if self.is_painted:
                rows = drawing.draw_in_colours(canvas, shown)
                drawing.shade_estimates(canvas, shown, rows)
            self._print_rows(rows)
        for line in shown.notes:
            self._print(Styled(line))

    def _fitting(self, shown: BoardBlock | EstimatesBlock) -> Canvas | None:
        """The title, and the widest drawing of the board there is room for; None after it was said that none fits."""
        self._print(Styled(""))
        if shown.title:
            self._print(Styled(shown.title, "bold"))
        # The last column is left free: some terminals wrap when it is written.
        canvas, needs = drawing.fit(shown, self.width - 1)
        if canvas is None:
            self._print(Styled(say("terminal.too_narrow", self.lang, needs=needs + 1, has=self.width), "red"))
        return canvas

    def _print_rows(self, rows: Iterable[Styled]) -> None:
        for row in rows:
            self.console.print(row, soft_wrap=True)

    def _show_board(self, shown: BoardBlock) -> None:
        canvas = self._fitting(shown)
        if canvas is not None:
            self._print_rows(
                drawing.draw_in_colours(canvas, shown) if self.is_painted else drawing.draw_in_letters(canvas)
            )
        for line in (*map(Styled, shown.notes), *drawing.legend(shown, self.is_painted)):
            self._print(line)

    def _show_throw(self, thrown: DiceBlock) -> None:
        """The dice roll where something may move; elsewhere the words do."""
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

    def _show_thought(self, thinking: ThinkingBlock) -> None:
        if self.is_lively and self.is_interactive:
            self.console.print(Styled(thinking.text, "dim"), end="", soft_wrap=True)
            self._since = time.monotonic()

    def _wipe_thought(self) -> None:
        if self._since is not None:
            time.sleep(max(0.0, _SHORTEST_THOUGHT_S - (time.monotonic() - self._since)))
            self._since = None
            self._control("\r\x1b[K")

    # -- reading -------------------------------------------------------------------------------------------------------

    def echo(self, is_on: bool) -> None:
        """Whether the terminal shows what is typed while nothing is asked for: until the next change."""
        if not self.is_interactive or is_on == self._is_echoing:
            return
        try:
            import termios
        except ImportError:  # such a terminal shows nothing before it is asked for
            return
        descriptor = sys.stdin.fileno()
        mode = termios.tcgetattr(descriptor)
        mode[3] = mode[3] | termios.ECHO if is_on else mode[3] & ~termios.ECHO
        termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
        self._is_echoing = is_on

    def ask(self, prompt: str) -> str | None:
        """The next line, None at the end of the input. Raises KeyboardInterrupt for Ctrl-C."""
        self._since = None
        self.echo(True)
        try:
            if self.is_interactive and not self._is_veiled:
                return input(prompt)
            if self.is_interactive and sys.platform == "win32":
                # This terminal edits lines by itself, and would bring back what the other player typed.
                return getpass(prompt)
            if self.is_interactive:
                # Nothing edits this line: a key would bring back what the other player typed or cut.
                self._control(prompt)
            line = sys.stdin.readline()
        except EOFError:
            self._control("\n")
            return None
        if not line and self.is_interactive:
            self._control("\n")
        return line.rstrip("\r\n") if line else None

    def ask_unseen(self, prompt: str) -> str | None:
        """The next line, typed without being shown; nor is what is typed before it is asked for."""
        if not self.is_interactive:
            return self.ask(prompt)
        self.echo(False)
        try:
            return getpass(prompt)
        except EOFError:
            self._control("\n")
            return None

    def wants_to_leave(self) -> bool:
        """Ask whether the person wants to leave; whoever cannot answer, or says it again, does."""
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


def _edit_lines() -> None:
    """Let a person edit lines and bring back old ones, where that is possible."""
    with suppress(ImportError):
        import readline

        # Nothing typed here belongs into anybody's history, and nothing from elsewhere here.
        readline.set_auto_history(True)
        readline.clear_history()


# -- the loop between a session and the terminal -----------------------------------------------------------------------

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
        screen.show_all(session.host.release())


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
