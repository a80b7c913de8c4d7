"""The command `gtp-variants replay`: step through a record in the terminal, by keys or by typed lines."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from textwrap import wrap

from rich.console import Console
from rich.control import Control
from rich.text import Text

from gtp_variants.lang import say
from gtp_variants.records.drawing.diagram import Canvas, draw_board, legend
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.files import write_out
from gtp_variants.records.steps import RecordSteps, text_of
from gtp_variants.terminal import drawing
from gtp_variants.terminal.blocks import BoardBlock
from gtp_variants.terminal.signals import end_in_order

# Commands by character sequence, as terminals send them for keys other than letters.
_SEQUENCES = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", " "), "n"),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "\x7f", "\x08"), "b"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~"), "f"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~"), "l"),
    "\x04": "q",
}
_LOOK_S = 0.2  # seconds between two checks of the terminal's size
_LONGEST_NUMBER = 6  # digits
_SIDE, _GAP = 30, 3  # minimum columns for the text beside a board, and columns between them
_BOARD_ROWS = 3  # minimum rows of a board, however small the terminal is


def replay(moments: RecordSteps) -> None:
    """Show a record until the person quits, or print all of it if only the input is a terminal."""
    reader = ReplayCursor(moments)
    console = Console(highlight=False, markup=False, emoji=False)
    if not sys.stdin.isatty():
        _by_lines(reader)
    elif not sys.stdout.isatty():
        write_out("\n".join(text_of(moments, moment) for moment in moments.all))
    elif console.is_dumb_terminal or sys.platform == "win32":
        _by_lines(reader)
    else:
        _by_keys(reader, console)


class ReplayCursor:
    """A position within a record, which keys and typed commands move."""

    def __init__(self, moments: RecordSteps) -> None:
        self.moments = moments
        self.number = 0
        self.note = ""
        self.typed = ""
        self.has_left = False

    def press(self, key: str) -> None:
        """Handle a key. A letter acts at once, while digits wait for Enter."""
        self.note = ""
        if key.isascii() and key.isdigit():
            self.typed = (self.typed + key)[:_LONGEST_NUMBER]
            self.note = self.say("replay.go_to", number=self.typed)
        elif key in ("\r", "\n"):
            typed, self.typed = self.typed, ""
            if typed:
                self._go(int(typed))
        elif self.typed and key == "\x7f":
            self.typed = self.typed[:-1]
            self.note = self.say("replay.go_to", number=self.typed)
        else:
            self.typed = ""
            self.obey(_SEQUENCES.get(key, key))

    def obey(self, word: str) -> None:
        """Carry out a command: a letter, or the number of a move."""
        self.note = ""
        last = len(self.moments.all) - 1
        steps = {"n": self.number + 1, "b": self.number - 1, "f": 0, "l": last}
        if word in steps:
            self.number = max(0, min(last, steps[word]))
        elif word in ("c", "C"):
            self._seek_capture(1 if word == "c" else -1)
        elif word == "q":
            self.has_left = True
        elif word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER:
            self._go(int(word))
        else:
            self.note = self.say("replay.unknown", word=repr(word[:10]))

    def _go(self, move: int) -> None:
        found = self.moments.at_move(move)
        if found is None:
            self.note = self.say("replay.no_move", number=move, count=self.moments.last_move)
        else:
            self.number = found

    def _seek_capture(self, step: int) -> None:
        moments = self.moments.all
        numbers = range(self.number + step, len(moments) if step > 0 else -1, step)
        found = next((number for number in numbers if moments[number].captures), None)
        if found is None:
            self.note = self.say("replay.no_capture")
        else:
            self.number = found

    def say(self, key: str, **parts: object) -> str:
        """Return the text of a key in the language of the record."""
        return say(key, self.moments.rules.lang, **parts)

    def text(self) -> str:
        """Return the current step as text, for output without a screen."""
        return text_of(self.moments, self.moments.all[self.number])

    def page(self, width: int, height: int, is_painted: bool = False) -> list[Text]:
        """Return the current step as a screen of `width` columns, with the event, the board, remarks and the keys.

        Remarks are placed beside the board if there is room there but not below it. If a board is too large for the
        screen, only the part around the last stone is shown.
        """
        moments = self.moments
        moment, rules = moments.all[self.number], moments.rules
        seen = picture(rules, moments.position(moment), moments.view(moment))
        shown = BoardBlock(rules.board, seen, legend=tuple(legend(seen, rules.lang)))
        canvas = drawing.fit(shown, width)[0] or draw_board(rules.board, seen, drawing.steps(shown)[-1])
        board = drawing.draw(canvas, shown, is_painted)
        said = [*map(Text, seen.lines), *drawing.legend(shown, is_painted), *map(Text, moments.remark(moment))]
        head = [moments.title(), *moments.caption(moment), ""]
        rows, columns = height - len(head) - 1, max(map(len, board))
        is_beside = len(board) + 1 + len(said) > rows and columns + _GAP + _SIDE <= width
        if not is_beside:
            rows = max(_BOARD_ROWS, rows - 1 - len(said))
        fits = len(board) <= rows and columns <= width
        cut = board if fits else _part(canvas, board, seen.last, rows, width)
        middle = _side_by_side(cut, said, columns, width) if is_beside else [*cut, Text(), *said]
        page = [*(Text(line, "bold") for line in head), *middle]
        # The most important key comes first, because a narrow screen cuts off the rest.
        keys = ("replay.quit", "replay.keys") if fits else ("replay.quit", "replay.larger", "replay.keys")
        foot = Text(self.note, "bold") if self.note else Text("  ".join(map(self.say, keys)), "dim")
        return [*page[: height - 1], foot]


def _side_by_side(board: Sequence[Text], said: Sequence[Text], columns: int, width: int) -> list[Text]:
    """Return the rows of a board with text to its right. The board is `columns` columns wide."""
    room = width - columns - _GAP
    beside = [piece for line in said for piece in ([line] if len(line) <= room else map(Text, wrap(line.plain, room)))]
    rows = []
    for line, text in zip_longest(board, beside[: len(board)], fillvalue=Text()):
        line.pad_right(columns + _GAP - len(line))
        # Each row starts from an empty Text, because the style of the board's row must not apply to the words.
        rows.append(Text().append_text(line).append_text(text))
    return rows


def _part(canvas: Canvas, board: Sequence[Text], last: int | None, rows: int, columns: int) -> list[Text]:
    """Return the part of a board around its last stone that fits. A square board keeps the labels at its edges."""
    names = canvas.margin - 1 if canvas.board.geometry == "rect" else 0
    inner = board[:-1] if names else board
    rows, columns = rows - bool(names), (columns - names) // canvas.step * canvas.step
    widest = max(map(len, inner)) - names
    row, column = (len(inner) // 2, widest // 2) if last is None else canvas.where(last)
    top, left = _start(row, rows, len(inner)), _start(column - names, columns, widest)
    left = names + left // canvas.step * canvas.step
    kept = [*inner[top : top + max(rows, 0)], *board[len(inner) :]]
    return [_between(line, 0, names) + _between(line, left, left + columns) for line in kept]


def _between(line: Text, start: int, end: int) -> Text:
    """Return the columns of a line from `start` up to `end`."""
    return line[start : max(start, min(end, len(line)))] if start < len(line) else Text()


def _start(middle: int, size: int, whole: int) -> int:
    return max(0, min(middle - size // 2, whole - size))


def _by_lines(reader: ReplayCursor) -> None:
    """Print a step after each typed command. A line may have several commands."""
    write_out(f"{reader.text()}\n{reader.say('replay.quit')}  {reader.say('replay.keys')}\n")
    for line in sys.stdin:
        for word in line.split():
            reader.obey(word)
            if reader.has_left:
                return
            write_out(f"\n{reader.note}\n" if reader.note else f"\n{reader.text()}")


def _by_keys(reader: ReplayCursor, console: Console) -> None:
    """Show a step after each key, on the terminal's alternate screen."""
    with _own_screen(console):
        shown: tuple[object, ...] = ()
        keys = _keys()
        while not reader.has_left:
            wanted = (reader.number, reader.note, console.size)
            if wanted != shown:
                _draw(console, reader)
                shown = wanted
            for key in next(keys):
                reader.press(key)


def _draw(console: Console, reader: ReplayCursor) -> None:
    width, height = console.size
    page = reader.page(width, height, drawing.can_draw_in_colours(console))
    console.control(Control.home(), Control.clear())
    for line in page[:-1]:
        console.print(line, no_wrap=True, overflow="crop", crop=True)
    console.print(page[-1], no_wrap=True, overflow="crop", crop=True, end="")


@contextmanager
def _own_screen(console: Console) -> Iterator[None]:
    """Switch to the alternate screen and read single keys without echo. Restore the terminal at the end."""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    with end_in_order():
        try:
            tty.setcbreak(descriptor)
            # Ctrl-Z and Ctrl-\ would leave the terminal on the alternate screen, so only Ctrl-C keeps its signal.
            mode = termios.tcgetattr(descriptor)
            for key in (termios.VSUSP, termios.VQUIT):
                mode[6][key] = b"\x00"
            termios.tcsetattr(descriptor, termios.TCSANOW, mode)
            console.set_alt_screen(True)
            console.show_cursor(False)
            yield
        finally:
            console.show_cursor(True)
            console.set_alt_screen(False)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _keys() -> Iterator[list[str]]:
    """Yield the keys pressed since the last time, or [] after a pause without keys."""
    from select import select

    descriptor = sys.stdin.fileno()
    while True:
        ready, _, _ = select([descriptor], [], [], _LOOK_S)
        content = b""
        if ready:
            with suppress(OSError):
                content = os.read(descriptor, 1024)
            if not content:
                # The terminal has been closed, so quit.
                yield ["q"]
        yield split_keys(content.decode(errors="replace"))


def split_keys(text: str) -> list[str]:
    """Split a terminal's input into keys. Keys such as arrows are sequences of several characters."""
    keys: list[str] = []
    while text:
        key = next((sequence for sequence in _SEQUENCES if text.startswith(sequence)), text[0])
        if key == "\x1b":
            # The key is unknown. Its other characters would be taken for commands, so the rest is dropped.
            return keys
        keys.append(key)
        text = text[len(key) :]
    return keys
