"""What stands beside the board: who plays, captures, clocks, the draw, the last moves, and what was said.

What F1 shows: the keys, and the commands that have a use in this game.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from gtp_variants.lang import say
from gtp_variants.records.drawing.diagram import STONES
from gtp_variants.terminal.fullscreen.board_drawing import Row, row_of
from gtp_variants.terminal.games.commands import PLAY, help_lines
from gtp_variants.terminal.games.host import clock_text
from gtp_variants.terminal.games.scene import GameScene, SceneSeat

_KEYS = (
    "fullscreen.help_arrows",
    "fullscreen.help_diagonals",
    "fullscreen.help_enter",
    "fullscreen.help_mouse",
    "fullscreen.help_type",
    "fullscreen.help_escape",
    "fullscreen.help_log",
)


def help_page(scene: GameScene) -> list[str]:
    """The lines of the page."""
    example = scene.board.vertices[len(scene.board) // 2]
    keys = [say(key, scene.lang, vertex=example) for key in _KEYS]
    offered = [command for command in PLAY if command.name in scene.commands]
    commands = help_lines(offered, scene.lang)
    return [
        say("fullscreen.help_title", scene.lang),
        "",
        *keys,
        "",
        say("fullscreen.help_commands", scene.lang),
        "",
        *commands,
    ]


_FEWEST_MOVES, _MOST_MOVES = 2, 6
# The blanks of "J13 (7 %)", as hints tell it, and one at which no line ends.
_BEFORE_PART = re.compile(r" (?=\([0-9]+ %\))|(?<=[0-9]) (?=%\))")
_NO_BREAK = "\u00a0"
_STYLES = {1: "stone.black", 2: "stone.white", 3: "stone.red"}


@dataclass(frozen=True, slots=True)
class Message:
    """Something that was said, and in which style."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """What a panel is made from: the scene and when it was made, what was said, the point under the cursor.

    Of what was said the newest is seen, but an answer too long for its place from `head` on, its first message; then
    `scroll` rows further up, or down if it is negative.
    """

    scene: GameScene
    made_s: float
    messages: Sequence[Message]
    vertex: str
    is_letters: bool
    scroll: int = 0
    head: Message | None = None

    def rows(self, width: int, height: int) -> tuple[list[Row], int]:
        """So many rows at most, the newest message at the bottom, and how far they are scrolled as it is possible."""
        scene = self.scene
        head = [
            _join(("title", scene.title), ("", "  "), ("label.lit", f" {self.vertex} ") if self.vertex else ("", ""))
        ]
        for seat in scene.seats:
            head += self._seat(seat, width)
        head += [row for note in scene.notes for row in lines(note, "", width)]
        if scene.faces:
            head.append(row_of(" ".join(f"[{face}]" for face in scene.faces), "said"))
        head.append([])
        said, first = self._wrap_messages(width)
        room = height - len(head)
        moves = self._moves(width)[-max(_FEWEST_MOVES, min(_MOST_MOVES, room - len(said) - 1)) :] if scene.moves else []
        below = [*moves, []] if moves else []
        seen, scroll = self._window(said, first, max(1, room - len(below)))
        return [*head, *below, *seen][:height], scroll

    def compact_rows(self, width: int, height: int) -> tuple[list[Row], int]:
        """The panel on a narrow screen: a line of the sides and their captures, then notes and what was said."""
        scene, sides = self.scene, []
        for seat in scene.seats:
            mark = STONES[seat.colour] if self.is_letters else "●"
            sides += [
                (f"wood {_STYLES[seat.colour]}", f" {mark} "),
                ("asked" if seat.is_asked else "", f" {seat.taken} "),
            ]
            clock = clock_text(seat.clock, None, max(0.0, time.monotonic() - self.made_s) if seat.is_asked else 0.0)
            sides.append(("", f"{clock} " if clock else ""))
        head = [_join(("label.lit", f" {self.vertex} ") if self.vertex else ("", ""), ("", " "), *sides)]
        faces = "".join(f" [{face}]" for face in scene.faces)
        # The draw comes first.
        notes = [f"{note}{'' if at else faces}" for at, note in enumerate(scene.notes)]
        head += [row for note in notes[-2:] for row in lines(note, "", width)]
        seen, scroll = self._window(*self._wrap_messages(width), max(1, height - len(head)))
        return [*head, *seen][:height], scroll

    def _wrap_messages(self, width: int) -> tuple[list[Row], int]:
        """All that was said, and at which row the answer begins that is read from its head on."""
        rows: list[Row] = []
        first = None
        for message in self.messages:
            first = len(rows) if message is self.head else first
            rows += lines(message.text, message.style, width)
        return rows, len(rows) if first is None else first

    def _window(self, said: list[Row], first: int, room: int) -> tuple[list[Row], int]:
        """So many rows of what was said, the last one telling of those below it, and how far that is scrolled."""
        unread = max(0, len(said) - first - room)
        below = max(0, min(unread + self.scroll, len(said) - room))
        end = len(said) - below
        seen = said[max(0, end - room) : end]
        if end < len(said) and room > 1:
            seen[-1] = row_of(say("fullscreen.more_below", self.scene.lang), "hint")
        return seen, below - unread

    def _seat(self, seat: SceneSeat, width: int) -> list[Row]:
        scene = self.scene
        mark = STONES[seat.colour] if self.is_letters else "●"
        style = "asked" if seat.is_asked else ""
        taken = say("fullscreen.taken", scene.lang, count=seat.taken)
        elapsed_s = max(0.0, time.monotonic() - self.made_s) if seat.is_asked else 0.0
        clock = clock_text(seat.clock, seat.spent_s, elapsed_s)
        head = say("terminal.who", scene.lang, name=seat.name, who=seat.who)
        called, *more = wrap(head, max(8, width - 5)) or [""]
        pointer = "▸" if not self.is_letters else ">"
        first = _join(
            (style, pointer if seat.is_asked else " "),
            (f"wood {_STYLES[seat.colour]}", f" {mark} "),
            (style, f" {called}"),
        )
        rest = [_join(("", "     "), ("quiet", line)) for line in more]
        return [first, *rest, _join(("", "     "), ("quiet", taken), ("", "  " if clock else ""), (style, clock))]

    def _moves(self, width: int) -> list[Row]:
        """The moves, several in a row, where each has its own column."""
        names = {seat.colour: seat.name[:1] for seat in self.scene.seats}
        words = [
            f"{move.number}. {names.get(move.colour, '')} {move.word}{f' +{move.taken}' if move.taken else ''}"
            for move in self.scene.moves[-30:]
        ]
        column = max(map(len, words), default=0) + 2
        per_row = max(1, width // column)
        # A full row ends the list, so that a move keeps its place in its row.
        first = (len(self.scene.moves) - len(words)) % per_row
        padded = [""] * first + words
        return [
            row_of("".join(f"{word:<{column}}" for word in padded[i : i + per_row]).rstrip(), "quiet")
            for i in range(0, len(padded), per_row)
        ]


def lines(text: str, style: str, width: int) -> list[Row]:
    """A text wrapped at the width, in one style; a move stays with its part of a search."""
    parts = _BEFORE_PART.sub(_NO_BREAK, text).split("\n")
    wrapped = [line for part in parts for line in wrap(part, max(8, width)) or [""]]
    return [row_of(line.replace(_NO_BREAK, " "), style) for line in wrapped]


def _join(*parts: tuple[str, str]) -> Row:
    return [cell for style, text in parts for cell in row_of(text, style)]
