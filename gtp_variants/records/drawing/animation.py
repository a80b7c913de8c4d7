"""A whole game as a picture that moves: an SVG that shows one turn after another and begins again.

SVG, and not GIF or APNG: it is drawn as every other picture of a board, needs no library that paints, is sharp at any
size and a tenth as long. It moves by itself wherever a browser shows it, also as an `<img>`, without scripts; what
does not know movement shows the end of the game.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from gtp_variants.records.drawing.drawing_model import Picture, picture
from gtp_variants.records.drawing.svg import BoardFrame, SvgText, draw_apart, draw_grid, draw_labels
from gtp_variants.rules.actions import CHANCE, EMPTY
from gtp_variants.rules.game import Game

# The end is looked at for so many turns.
_LAST_TURNS = 4
# Layers below and above the lines of the board.
_BELOW, _ABOVE = (0,), (1, 2, 3)


def animate(game: Game, turn_s: float = 0.8) -> SvgText:
    """A game as an SVG document that moves, a turn every `turn_s` seconds. Raises ValueError for no such time.

    >>> import gtp_variants as gv
    >>> from gtp_variants.records.drawing.animation import animate
    >>> animate(gv.random_game(gv.parse("go:size=5"), seed=1, plies=3)).count("<animate") > 0
    True
    """
    if not turn_s > 0:
        raise ValueError(f"turn_s: {turn_s}, expected a time")
    rules = game.rules
    moments = [picture(rules, game.positions[index]) for index in _find_moments(game)]
    shown = [replace(each, lines=(*each.lines, f"○ {each.mark}") if each.marked else each.lines) for each in moments]
    longest = max((line for each in shown for line in each.lines), key=len, default="")
    most = max(len(each.lines) for each in shown)
    frame = BoardFrame(rules.board, [longest] * most, max(len(each.faces) for each in shown))
    clock = _Clock(len(shown), turn_s)
    drawn = _gather(frame, shown)
    colours = sorted({colour for each in shown for colour in each.stones} - {EMPTY})
    parts = [
        *frame.head(rules.title, colours),
        *(clock.draw(element, when) for layer in _BELOW for element, when in drawn.get(layer, {}).items()),
        *draw_grid(rules.board, frame),
        *draw_labels(rules.board, frame),
        *(clock.draw(element, when) for layer in _ABOVE for element, when in drawn.get(layer, {}).items()),
        "</svg>",
    ]
    return SvgText("\n".join(parts) + "\n")


def _find_moments(game: Game) -> list[int]:
    """The positions that are shown: the start, and each after a turn with the dice thrown; of tries only the last."""
    events = game.events
    ends = [index + 1 for index, event in enumerate(events) if event.actor == CHANCE or game.is_turn(index)]
    # A throw belongs to the move before it.
    shown = [end for end in ends if end == len(events) or events[end].actor != CHANCE]
    start = [] if events and events[0].actor == CHANCE else [0]
    return sorted({*start, *shown, len(events)})


def _gather(frame: BoardFrame, shown: Sequence[Picture]) -> dict[int, dict[str, list[int]]]:
    """What is to be seen by layer, with the numbers of the moments at which it is."""
    found: dict[int, dict[str, list[int]]] = {}
    stones: dict[tuple[int, int], str] = {}
    for number, each in enumerate(shown):
        for layer, element in draw_apart(frame, each, stones):
            if element:
                found.setdefault(layer, {}).setdefault(element, []).append(number)
    return found


class _Clock:
    """When what is seen, in a film of so many moments."""

    def __init__(self, count: int, turn_s: float) -> None:
        self._count = count
        self._all = count + _LAST_TURNS - 1
        self._whole_s = f"{self._all * turn_s:.2f}"

    def draw(self, element: str, moments: Iterable[int]) -> str:
        """An element that is there at some moments only; where nothing moves it is there if it is there at the end."""
        runs = [[number for _, number in run] for _, run in groupby(enumerate(moments), lambda pair: pair[1] - pair[0])]
        if len(runs) == 1 and len(runs[0]) == self._count:
            return element
        values, times = ["none"], ["0"]
        for run in runs:
            if run[0] == 0:
                values, times = [], []
            values.append("inline")
            times.append(f"{run[0] / self._all:.5f}" if run[0] else "0")
            if run[-1] + 1 < self._count:
                values.append("none")
                times.append(f"{(run[-1] + 1) / self._all:.5f}")
        is_last = runs[-1][-1] + 1 == self._count
        hidden = "" if is_last else ' display="none"'
        return (
            f"<g{hidden}>"
            f'<animate attributeName="display" calcMode="discrete" dur="{self._whole_s}s" repeatCount="indefinite"'
            f' values="{";".join(values)}" keyTimes="{";".join(times)}"/>{element}</g>'
        )
