"""Where the stones may be that a seat of Go Fantôme does not see: from its news and nothing else."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gtp_variants.belief.particles import Worlds
from gtp_variants.errors import GameOver
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.rules import words
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import View
from gtp_variants.terminal.display.blocks import EstimatesBlock, TextBlock
from gtp_variants.terminal.games.host import GameHost

# How many games are imagined, and how long more of them are looked for.
_WORLDS, _MOST_S = 32, 4.0
_BAR = 20
_MOST_LISTED = 6


class Estimates:
    """The chance of a stone of the other side on each point, for one seat; they go on with its news."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self._other = others(rules.colours, colour)[0]
        self._worlds = Worlds(rules, colour, _WORLDS, "odds")
        self._heard = 0

    def find(self, view: View) -> tuple[tuple[float, ...], int] | None:
        """The chance for each point, and how many different boards say so; None if none was found in time.

        `view` is that of the seat, each time a later one.
        """
        for news in view.news[self._heard :]:
            self._worlds.hear(news)
        self._heard = len(view.news)
        deadline_s = time.monotonic() + _MOST_S
        try:
            positions = self._worlds.positions(lambda: time.monotonic() > deadline_s)
        except GameOver:
            return None
        boards = [position.stones for position in positions]
        shares = (sum(stones[point] == self._other for stones in boards) for point in range(len(view.stones)))
        return tuple(share / len(boards) for share in shares), len(set(boards))

    def show(self, host: GameHost, view: View) -> EstimatesBlock | TextBlock:
        """The board with the chances on it, and the likeliest points below; a sentence if there are none."""
        found = self.find(view)
        if found is None:
            return host.error("terminal.odds_none")
        chances, boards = found
        seen = replace(picture(host.rules, None, view), last=None, tried=frozenset())
        stones = words.stones(self._other, view.hidden, host.lang)
        notes = (host.say("terminal.odds_how", stones=stones, boards=boards), *_likeliest(host, view, chances))
        title = host.say("terminal.odds", name=host.name(view.colour))
        return EstimatesBlock(host.rules.board, seen, chances, notes, title)


def _likeliest(host: GameHost, view: View, chances: Sequence[float]) -> Iterator[str]:
    """The points where a hidden stone is likeliest, a line each, the likeliest first."""
    hidden = [point for point in host.rules.board.order if not view.stones[point] and chances[point]]
    for point in sorted(hidden, key=lambda point: -chances[point])[:_MOST_LISTED]:
        percent, vertex = int(100 * chances[point] + 0.5), host.rules.board.vertex(point)
        yield host.say("terminal.odds_of", vertex=vertex, percent=percent, bar=bar(chances[point]))


def bar(chance: float) -> str:
    """A chance as a line of twenty letters."""
    length = int(_BAR * chance + 0.5)
    return "#" * length + "-" * (_BAR - length)
