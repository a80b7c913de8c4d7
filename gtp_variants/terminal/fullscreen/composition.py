"""The screen put together: the board and what stands beside it, or a page of text, in so many columns and rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from gtp_variants.lang import say
from gtp_variants.terminal.fullscreen.board_drawing import BoardWindow, Row, fit, row_of
from gtp_variants.terminal.fullscreen.panel import Panel
from gtp_variants.terminal.fullscreen.screen_model import ScreenModel

# A panel stands beside the board where there are so many columns, and below it otherwise.
_NARROW = 64
_LEAST_PANEL, _MOST_PANEL = 24, 46
# A word or two, and what they mean from some column on.
_TWO_COLUMNS = re.compile(r"\S+(?: \S+)*  +(?=\S)")
_LEAST_WIDTH, _LEAST_HEIGHT = 20, 6
# A screen that has room for a board and little else.
_LOW = 12


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen: its rows, all as wide as it is, and the window in which the board is seen, if it is.

    `scroll` is how far what was said is scrolled, which has an end at both ends; None where nothing of it is seen.
    """

    rows: tuple[Row, ...]
    window: BoardWindow | None = None
    scroll: int | None = None


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key and what it does, for the last line of the screen; `name` is what it asks for."""

    key: str
    label: str
    name: str


def compose(model: ScreenModel, width: int, height: int) -> Frame:
    """Everything above the line that is typed, all but the last line of the prompt included."""
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
    if width < _NARROW:
        return _above(model, width, height)
    return _beside(model, width, height)


def prompt_lines(model: ScreenModel, width: int) -> list[str]:
    """The prompt in lines, of which the last stands before what is typed."""
    return _wrap_prompt("> " if model.board is None and not model.is_leaving else model.prompt, width)


def _wrap_prompt(prompt: str, width: int) -> list[str]:
    # There has to be room for a word after the last line.
    *above, last = wrap(prompt, max(1, width)) or [""]
    found = [*above, *(wrap(last, max(10, width - 12)) or [""])]
    return [*found[:-1], found[-1] + " "]


def _panel(model: ScreenModel) -> Panel:
    said = model.messages
    return Panel(model.scene, model.made_s, said, model.vertex, model.is_letters, model.log_scroll, model.answer_head)


def _beside(model: ScreenModel, width: int, height: int) -> Frame:
    shown = model.board
    assert shown is not None
    room = width - _LEAST_PANEL - 1
    board_width = min(room, max(model.drawing.width_in(room), len(shown.title)))
    panel_width = min(_MOST_PANEL, width - board_width - 1)
    title = [row_of(shown.title, "title")] if shown.title else []
    window = model.drawing.draw(shown, model.cursor.point, model.overlay, board_width, height - len(title))
    # A board that is lower than the screen begins a line further down.
    top = min(1, height - len(title) - len(window.rows))
    board_rows = [*title, *[row_of("")] * top, *window.rows]
    panel_rows, scroll = _panel(model).rows(panel_width, height)
    rows = [
        [*fit(_at(board_rows, i), board_width), ("", " "), *fit(_at(panel_rows, i), width - board_width - 1)]
        for i in range(height)
    ]
    return Frame(tuple(rows), window.moved_down(len(title) + top), scroll)


def _above(model: ScreenModel, width: int, height: int) -> Frame:
    shown = model.board
    assert shown is not None
    # Below two lines of how the game stands there is room for an answer of two.
    panel_height = max(5 if height >= _LOW else 4, min(height // 3, 12))
    window = model.drawing.draw(shown, model.cursor.point, model.overlay, width, height - panel_height)
    below, scroll = _panel(model).compact_rows(width, height - len(window.rows))
    rows = [*window.rows, *below]
    return Frame(tuple(fit(_at(rows, i), width) for i in range(height)), window, scroll)


def _page(model: ScreenModel, width: int, height: int) -> Frame:
    rows = page_rows(model, width)
    seen = rows[model.page_top : model.page_top + height - 1]
    below = say("fullscreen.page", model.scene.lang)
    blank = [row_of("")] * (height - 1 - len(seen))
    return Frame(tuple(fit([("", " "), *row], width) for row in [*seen, *blank, row_of(below, "hint")]))


def page_rows(model: ScreenModel, width: int) -> list[Row]:
    """The lines of the page on a screen of so many columns."""
    return [row for text in model.page for row in _page_lines(text, width - 2)]


def _page_lines(text: str, width: int) -> list[Row]:
    # Diagrams and tables are left as they are; of two columns the second one stays where it is.
    if len(text) <= width:
        return [row_of(text)]
    columns = _TWO_COLUMNS.match(text)
    indent = columns.end() if columns is not None and columns.end() < width // 2 else 0
    return [row_of(line) for line in wrap(text, max(8, width), subsequent_indent=" " * indent)]


def _centre(text: str, width: int, height: int) -> Frame:
    found = wrap(text, max(10, width - 4))
    top = max(0, (height - len(found)) // 2)
    rows = [row_of("")] * top + [row_of(line.center(width), "title") for line in found]
    return Frame(tuple(fit(_at(rows, i), width) for i in range(height)))


def _at(rows: Sequence[Row], index: int) -> Row:
    return rows[index] if index < len(rows) else []


# -- the last line -----------------------------------------------------------------------------------------------------

# What the keys ask for; those that are commands are shown where the command has a use.
KEYS: Mapping[str, str] = {
    "F1": "help",
    "F2": "hint",
    "F3": "analysis",
    "F4": "undo",
    "F5": "pass",
    "F6": "boards",
    "F10": "quit",
}


def key_hints(model: ScreenModel) -> list[KeyHint]:
    """The keys that do something now."""
    scene = model.scene
    if model.is_leaving or scene.is_asking:
        return []
    hints = []
    enter = "Enter" if model.is_letters else "↵"
    if model.page:
        return [KeyHint("Esc", say("fullscreen.key_back", scene.lang), "back")]
    if scene.is_finished:
        hints.append(KeyHint(enter, say("fullscreen.key_close", scene.lang), "enter"))
    elif scene.takes_dead:
        hints.append(KeyHint(enter, say("fullscreen.key_dead", scene.lang), "enter"))
    elif scene.boards and not scene.is_curtained:
        hints.append(KeyHint(enter, say("fullscreen.key_play", scene.lang), "enter"))
        hints.append(KeyHint("Tab", say("fullscreen.key_tab", scene.lang), "tab"))
    else:
        return [KeyHint(enter, say("fullscreen.key_go_on", scene.lang), "enter")]
    for key, name in KEYS.items():
        asks = command_of(model, name)
        if (name == "boards" and len(scene.boards) > 1) or (asks in scene.commands and not scene.is_finished):
            hints.append(KeyHint(key, say(f"fullscreen.key_{asks}", scene.lang), name))
    return hints


def command_of(model: ScreenModel, name: str) -> str:
    """The command that a key asks for in this game: where stones are hidden, odds take the place of analysis."""
    return "odds" if name == "analysis" and "odds" in model.scene.commands else name


def hint_row(hints: Sequence[KeyHint], width: int) -> tuple[Row, list[tuple[int, int, KeyHint]]]:
    """The last line of the screen, and from where to where each key stands on it; what has no room is left out."""
    row: Row = []
    places = []
    for hint in hints:
        cells = [*row_of(hint.key, "key"), *row_of(f" {hint.label} ", "hint")]
        if len(row) + len(cells) > width:
            continue
        places.append((len(row), len(row) + len(cells), hint))
        row += cells
    return fit(row, width), places
