"""The layout of the screen: the board with the panel beside or below it, or a page of text, and the line of keys."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from gtp_variants.lang import say
from gtp_variants.records.drawing.diagram import STONES
from gtp_variants.terminal.fullscreen.board_drawing import STONE_STYLES, BoardWindow, Row, fit, row_of
from gtp_variants.terminal.fullscreen.screen_model import ScreenModel
from gtp_variants.terminal.games.commands import PLAY, help_lines
from gtp_variants.terminal.games.host import clock_text
from gtp_variants.terminal.games.scene import GameScene, SceneSeat

# With fewer columns than this, the panel is placed below the board.
_NARROW = 64
# Minimum and maximum columns of the panel, and minimum columns and rows of the screen.
_LEAST_PANEL, _MOST_PANEL = 24, 46
_LEAST_WIDTH, _LEAST_HEIGHT = 20, 6
# With fewer rows than this, a screen has room for a board and little else.
_LOW = 12
# Minimum and maximum rows of the list of moves.
_FEWEST_MOVES, _MOST_MOVES = 2, 6
# Matches the first column of a line with two columns: some words, then their meaning.
_TWO_COLUMNS = re.compile(r"\S+(?: \S+)*  +(?=\S)")
# Matches the blanks in hints such as "J13 (7 %)". Non-breaking spaces replace them, so that no line is broken there.
_BEFORE_PART = re.compile(r" (?=\([0-9]+ %\))|(?<=[0-9]) (?=%\))")
_NO_BREAK = "\u00a0"


@dataclass(frozen=True, slots=True)
class Frame:
    """A composed screen: its rows, all of full width, and the window of the board if a board is shown.

    `scroll` is the number of rows by which messages are actually scrolled, or None if no messages are shown.
    """

    rows: tuple[Row, ...]
    window: BoardWindow | None = None
    scroll: int | None = None


def compose(model: ScreenModel, width: int, height: int) -> Frame:
    """Return the part of the screen above the input line."""
    prompt = [fit(row_of(text, "prompt"), width) for text in prompt_lines(model, width)[:-1]][:height]
    frame = _compose_game(model, width, height - len(prompt))
    return replace(frame, rows=(*frame.rows, *prompt))


def _compose_game(model: ScreenModel, width: int, height: int) -> Frame:
    if width < _LEAST_WIDTH or height < _LEAST_HEIGHT:
        return _centre(say("fullscreen.too_small", model.scene.lang), width, height)
    if model.page:
        return _page(model, width, height)
    if model.board is None:
        return _centre(model.scene.prompt, width, height)
    return _above(model, width, height) if width < _NARROW else _beside(model, width, height)


def prompt_lines(model: ScreenModel, width: int) -> list[str]:
    """Return the lines of the prompt. The last line is shown before the input."""
    prompt = "> " if model.board is None and not model.is_leaving else model.prompt
    # The last line leaves room to type a word.
    *above, last = wrap(prompt, max(1, width)) or [""]
    found = [*above, *(wrap(last, max(10, width - 12)) or [""])]
    return [*found[:-1], found[-1] + " "]


def _beside(model: ScreenModel, width: int, height: int) -> Frame:
    shown = model.board
    assert shown is not None
    room = width - _LEAST_PANEL - 1
    board_width = min(room, max(model.drawing.width_in(room), len(shown.title)))
    panel_width = min(_MOST_PANEL, width - board_width - 1)
    title = [row_of(shown.title, "title")] if shown.title else []
    window = model.drawing.draw(shown, model.cursor.point, model.overlay, board_width, height - len(title))
    # If there is room, the board begins one row further down.
    top = min(1, height - len(title) - len(window.rows))
    board_rows = [*title, *[row_of("")] * top, *window.rows]
    panel_rows, scroll = _panel_rows(model, panel_width, height)
    left, right = _fill(board_rows, board_width, height), _fill(panel_rows, width - board_width - 1, height)
    rows = tuple([*board, ("", " "), *panel] for board, panel in zip(left, right, strict=True))
    where = {point: (len(title) + top + row, column) for point, (row, column) in window.where.items()}
    return Frame(rows, replace(window, where=where), scroll)


def _above(model: ScreenModel, width: int, height: int) -> Frame:
    shown = model.board
    assert shown is not None
    # The panel needs two rows for the state of the game and two for an answer.
    panel_height = max(5 if height >= _LOW else 4, min(height // 3, 12))
    window = model.drawing.draw(shown, model.cursor.point, model.overlay, width, height - panel_height)
    below, scroll = _narrow_panel_rows(model, width, height - len(window.rows))
    return Frame(_fill([*window.rows, *below], width, height), window, scroll)


def _page(model: ScreenModel, width: int, height: int) -> Frame:
    rows = page_rows(model, width)
    seen = rows[model.page_top : model.page_top + height - 1]
    hint = [("", " "), *row_of(say("fullscreen.page", model.scene.lang), "hint")]
    return Frame((*_fill([[("", " "), *row] for row in seen], width, height - 1), fit(hint, width)))


def page_rows(model: ScreenModel, width: int) -> list[Row]:
    """Return the rows of the page on a screen of `width` columns."""
    return [row for text in model.page for row in _page_lines(text, width - 2)]


def _page_lines(text: str, width: int) -> list[Row]:
    # Diagrams and tables fit as they are. In a wrapped line of two columns, the second column keeps its indent.
    if len(text) <= width:
        return [row_of(text)]
    columns = _TWO_COLUMNS.match(text)
    indent = columns.end() if columns is not None and columns.end() < width // 2 else 0
    return [row_of(line) for line in wrap(text, max(8, width), subsequent_indent=" " * indent)]


def _centre(text: str, width: int, height: int) -> Frame:
    found = wrap(text, max(10, width - 4))
    top = max(0, (height - len(found)) // 2)
    rows = [row_of("")] * top + [row_of(line.center(width), "title") for line in found]
    return Frame(_fill(rows, width, height))


def _fill(rows: Sequence[Row], width: int, height: int) -> tuple[Row, ...]:
    """Return rows of the given width and height, cut or filled with blanks."""
    return tuple(fit(rows[i] if i < len(rows) else [], width) for i in range(height))


# -- the panel ---------------------------------------------------------------------------------------------------------


def _panel_rows(model: ScreenModel, width: int, height: int) -> tuple[list[Row], int]:
    """Return the panel in at most `height` rows, and the number of rows by which its messages are scrolled."""
    scene = model.scene
    head = [_join(("title", scene.title), ("", "  "), _pointed_at(model))]
    for seat in scene.seats:
        head += _seat_rows(model, seat, width)
    head += [row for note in scene.notes for row in _text_rows(note, "", width)]
    if scene.faces:
        head.append(row_of(" ".join(f"[{face}]" for face in scene.faces), "said"))
    head.append([])
    said, first = _message_rows(model, width)
    room = height - len(head)
    count = max(_FEWEST_MOVES, min(_MOST_MOVES, room - len(said) - 1))
    moves = [*_move_rows(scene, width)[-count:], []] if scene.moves else []
    seen, scroll = _visible_messages(model, said, first, max(1, room - len(moves)))
    return [*head, *moves, *seen][:height], scroll


def _narrow_panel_rows(model: ScreenModel, width: int, height: int) -> tuple[list[Row], int]:
    """Return the panel of a narrow screen, and the number of rows by which its messages are scrolled."""
    scene, sides = model.scene, []
    for seat in scene.seats:
        clock = clock_text(seat.clock, None, _elapsed_s(model, seat))
        style = "asked" if seat.is_asked else ""
        sides += [_stone(model, seat), (style, f" {seat.taken} "), ("", f"{clock} " if clock else "")]
    head = [_join(_pointed_at(model), ("", " "), *sides)]
    faces = "".join(f" [{face}]" for face in scene.faces)
    # The first note names the throw, so the faces of the dice follow it.
    notes = [f"{note}{'' if at else faces}" for at, note in enumerate(scene.notes)]
    head += [row for note in notes[-2:] for row in _text_rows(note, "", width)]
    seen, scroll = _visible_messages(model, *_message_rows(model, width), max(1, height - len(head)))
    return [*head, *seen][:height], scroll


def _pointed_at(model: ScreenModel) -> tuple[str, str]:
    return ("label.lit", f" {model.vertex} ") if model.vertex else ("", "")


def _stone(model: ScreenModel, seat: SceneSeat) -> tuple[str, str]:
    return f"wood {STONE_STYLES[seat.colour]}", f" {STONES[seat.colour] if model.is_letters else '●'} "


def _elapsed_s(model: ScreenModel, seat: SceneSeat) -> float:
    """Return the seconds for which a seat's clock has run since the scene was made."""
    return max(0.0, time.monotonic() - model.made_s) if seat.is_asked else 0.0


def _message_rows(model: ScreenModel, width: int) -> tuple[list[Row], int]:
    """Return the rows of all messages, and the number of the row where the unread answer begins."""
    rows: list[Row] = []
    first = None
    for message in model.messages:
        first = len(rows) if message is model.answer_head else first
        rows += _text_rows(message.text, message.style, width)
    return rows, len(rows) if first is None else first


def _visible_messages(model: ScreenModel, said: list[Row], first: int, room: int) -> tuple[list[Row], int]:
    """Return the visible rows of messages, and the number of rows by which they are scrolled."""
    unread = max(0, len(said) - first - room)
    below = max(0, min(unread + model.log_scroll, len(said) - room))
    end = len(said) - below
    seen = said[max(0, end - room) : end]
    if end < len(said) and room > 1:
        seen[-1] = row_of(say("fullscreen.more_below", model.scene.lang), "hint")
    return seen, below - unread


def _seat_rows(model: ScreenModel, seat: SceneSeat, width: int) -> list[Row]:
    style = "asked" if seat.is_asked else ""
    taken = say("fullscreen.taken", model.scene.lang, count=seat.taken)
    clock = clock_text(seat.clock, seat.spent_s, _elapsed_s(model, seat))
    head = say("terminal.who", model.scene.lang, name=seat.name, who=seat.who)
    called, *more = wrap(head, max(8, width - 5)) or [""]
    pointer = " " if not seat.is_asked else ">" if model.is_letters else "▸"
    first = _join((style, pointer), _stone(model, seat), (style, f" {called}"))
    rest = [_join(("", "     "), ("quiet", line)) for line in more]
    return [first, *rest, _join(("", "     "), ("quiet", taken), ("", "  " if clock else ""), (style, clock))]


def _move_rows(scene: GameScene, width: int) -> list[Row]:
    """Return rows with the last moves, arranged in columns."""
    names = {seat.colour: seat.name[:1] for seat in scene.seats}
    words = [
        f"{move.number}. {names.get(move.colour, '')} {move.word}{f' +{move.taken}' if move.taken else ''}"
        for move in scene.moves[-30:]
    ]
    column = max(map(len, words), default=0) + 2
    per_row = max(1, width // column)
    # Blank entries before the first move keep each move in its column when a new move is added.
    first = (len(scene.moves) - len(words)) % per_row
    padded = [""] * first + words
    return [
        row_of("".join(f"{word:<{column}}" for word in padded[i : i + per_row]).rstrip(), "quiet")
        for i in range(0, len(padded), per_row)
    ]


def _text_rows(text: str, style: str, width: int) -> list[Row]:
    """Return a wrapped text in one style. A move in a hint stays on one line with its share of the search."""
    parts = _BEFORE_PART.sub(_NO_BREAK, text).split("\n")
    wrapped = [line for part in parts for line in wrap(part, max(8, width)) or [""]]
    return [row_of(line.replace(_NO_BREAK, " "), style) for line in wrapped]


def _join(*parts: tuple[str, str]) -> Row:
    return [cell for style, text in parts for cell in row_of(text, style)]


# -- keys --------------------------------------------------------------------------------------------------------------

# The actions of the keys. An action that is also a command is offered only where the command is useful.
KEYS = {"F1": "help", "F2": "hint", "F3": "analysis", "F4": "undo", "F5": "pass", "F6": "boards", "F10": "quit"}


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key and its effect, as shown in the last line of the screen. `name` is the action of the key."""

    key: str
    label: str
    name: str


def key_hints(model: ScreenModel) -> list[KeyHint]:
    """Return the keys that have an effect now."""
    scene = model.scene

    def hint(key: str, label: str, name: str) -> KeyHint:
        return KeyHint(key, say(f"fullscreen.key_{label}", scene.lang), name)

    enter = "Enter" if model.is_letters else "↵"
    if model.is_leaving or scene.is_asking:
        return []
    if model.page:
        return [hint("Esc", "back", "back")]
    if scene.is_finished:
        hints = [hint(enter, "close", "enter")]
    elif scene.takes_dead:
        hints = [hint(enter, "dead", "enter")]
    elif scene.boards and not scene.is_curtained:
        hints = [hint(enter, "play", "enter"), hint("Tab", "tab", "tab")]
    else:
        return [hint(enter, "go_on", "enter")]
    for key, name in KEYS.items():
        asks = command_of(model, name)
        if (name == "boards" and len(scene.boards) > 1) or (asks in scene.commands and not scene.is_finished):
            hints.append(hint(key, asks, name))
    return hints


def command_of(model: ScreenModel, name: str) -> str:
    """Return the command for an action: in a game with hidden stones, odds replace the analysis."""
    return "odds" if name == "analysis" and "odds" in model.scene.commands else name


def hint_row(hints: Sequence[KeyHint], width: int) -> tuple[Row, list[tuple[int, int, KeyHint]]]:
    """Return the last line, and the first and end columns of each key that fits into it."""
    row: Row = []
    places = []
    for hint in hints:
        cells = [*row_of(hint.key, "key"), *row_of(f" {hint.label} ", "hint")]
        if len(row) + len(cells) <= width:
            places.append((len(row), len(row) + len(cells), hint))
            row += cells
    return fit(row, width), places


def help_page(scene: GameScene) -> list[str]:
    """Return the lines of the help page for F1: the keys, and the commands that are useful in this game."""
    example = scene.board.vertices[len(scene.board) // 2]
    kinds = ("arrows", "diagonals", "enter", "mouse", "type", "escape", "log")
    keys = [say(f"fullscreen.help_{kind}", scene.lang, vertex=example) for kind in kinds]
    commands = help_lines([command for command in PLAY if command.name in scene.commands], scene.lang)
    title, heading = say("fullscreen.help_title", scene.lang), say("fullscreen.help_commands", scene.lang)
    return [title, "", *keys, "", heading, "", *commands]
