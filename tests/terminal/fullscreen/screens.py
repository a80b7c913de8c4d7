"""`gtp-variants play` on a whole screen of some size, as a person sees it and drives it by keys and mouse."""

import re
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pexpect
import pytest

from gtp_variants.rules.boards.board import Board
from gtp_variants.terminal.fullscreen.screen_model import BoardCursor
from tests.support.programs import COMMAND, environment

# Without the extra `terminal` there is no such screen.
pytest.importorskip("prompt_toolkit")
pyte = pytest.importorskip("pyte")

KEYS: Mapping[str, str] = MappingProxyType(
    {
        "up": "\x1b[A",
        "down": "\x1b[B",
        "right": "\x1b[C",
        "left": "\x1b[D",
        "up-left": "\x1b[H",
        "down-left": "\x1b[F",
        "up-right": "\x1b[5~",
        "down-right": "\x1b[6~",
        "f1": "\x1bOP",
        "f2": "\x1bOQ",
        "f3": "\x1bOR",
        "f4": "\x1bOS",
        "f5": "\x1b[15~",
        "f6": "\x1b[17~",
        "f10": "\x1b[21~",
        "tab": "\t",
        "escape": "\x1b",
        "enter": "\r",
        "ctrl-c": "\x03",
        "ctrl-d": "\x04",
        "backspace": "\x7f",
    }
)
TIMEOUT_S = 60


class WholeScreen:
    """A game on a terminal of a given size."""

    def __init__(self, *arguments: str, state: Path, columns: int = 80, rows: int = 24, **more: str) -> None:
        usual = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", "XDG_STATE_HOME": str(state)}
        known = environment(**(usual | more))
        for name in {"LINES", "COLUMNS", "NO_COLOR", "COLORTERM"} - set(more):
            known.pop(name, None)
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(
            COMMAND[0], [*COMMAND[1:], "play", *arguments], env=known, dimensions=(rows, columns), timeout=TIMEOUT_S
        )
        self.child.delaybeforesend = None
        self.raw = b""

    # -- seeing --------------------------------------------------------------------------------------------------------

    def _read(self, timeout_s: float) -> bool:
        try:
            data: bytes = self.child.read_nonblocking(65536, timeout_s)  # type: ignore[assignment]
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            return False
        self.raw += data
        self._stream.feed(data)
        return True

    @property
    def text(self) -> str:
        """Return the screen's text."""
        return "\n".join(self.screen.display)

    @property
    def words(self) -> str:
        """Return the screen's words, regardless of lines."""
        return " ".join(self.text.split())

    def sees(self, *texts: str, without: str = "") -> str:
        """Wait until all of some texts are there, and another is not."""
        until = time.monotonic() + TIMEOUT_S
        while not all(text in self.text or text in self.words for text in texts) or (without and without in self.text):
            if time.monotonic() > until:
                raise AssertionError(f"no {texts} (without {without!r}) in\n{self.text}")
            self._read(0.2)
        return self.text

    @property
    def vertex(self) -> str:
        """The point under the cursor, as the panel names it."""
        for row in self.screen.display[:2]:
            found = re.search(r" ([A-Z]{1,2}[0-9]{1,2}) *$", row)
            if found:
                return found[1]
        return ""

    def style_at(self, row: int, column: int) -> Any:
        """The letter with its colours."""
        return self.screen.buffer[row][column]

    # -- doing ---------------------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Press keys, or type letters."""
        self.child.send("".join(KEYS.get(key, key) for key in keys))

    def types(self, line: str) -> None:
        """Type a line."""
        self.press(line, "enter")

    def clicks(self, row: int, column: int) -> None:
        """Click somewhere."""
        self.child.send(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")

    def goes_to(self, board: Board, vertex: str) -> None:
        """Move the cursor to a point by the keys that lead there, as a person would follow the cross."""
        if vertex != self.vertex:
            self.press(*path(board, board.point(self.vertex), board.point(vertex)))
            until = time.monotonic() + TIMEOUT_S
            while self.vertex != vertex:
                assert time.monotonic() < until, f"{vertex} is not reached:\n{self.text}"
                self._read(0.2)

    def sees_end(self) -> str:
        """Wait until the program has ended well; what it left on the screen."""
        until = time.monotonic() + TIMEOUT_S
        while self.child.isalive() or self._read(0):
            assert time.monotonic() < until, self.text
            self._read(0.1)
        self.child.close()
        assert self.child.exitstatus == 0, self.text
        return self.text

    def close(self) -> None:
        """End the program, if it still runs."""
        self.child.close(force=True)


def path(board: Board, first: int, last: int) -> list[str]:
    """The fewest keys from one point to another (breadth first)."""
    before: dict[int, tuple[int, str]] = {first: (first, "")}
    queue = deque([first])
    while queue and last not in before:
        at = queue.popleft()
        for key in ("left", "right", "up-left", "up-right", "down-left", "down-right", "up", "down"):
            cursor = BoardCursor(board)
            cursor.go_to(at)
            if key in ("up", "down") and board.geometry == "hex":
                # Where these lead depends on where the cursor came from.
                continue
            cursor.move(key)
            if cursor.point not in before:
                before[cursor.point] = (at, key)
                queue.append(cursor.point)
    keys: list[str] = []
    while last != first:
        last, key = before[last]
        keys.append(key)
    return keys[::-1]
