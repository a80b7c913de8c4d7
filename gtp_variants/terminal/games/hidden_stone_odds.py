"""Where the stones may be that a seat of Go Fantôme does not see: from its news and nothing else."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gtp_variants.belief.stone_odds import StoneChances, StoneOdds
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.rules import words
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import View
from gtp_variants.terminal.display.blocks import EstimatesBlock, TextBlock
from gtp_variants.terminal.games.host import GameHost

# How long games are looked for.
_MOST_S = 4.0
_BAR = 20
_MOST_LISTED = 6


class Estimates:
    """The chance of a stone of the other side on each point, for one seat; they go on with its news."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self._rules, self._other = rules, others(rules.colours, colour)[0]
        self._odds = StoneOdds()

    def find(self, view: View) -> StoneChances | None:
        """The chance for each point; None if no board was found in time. `view` is that of the seat."""
        deadline_s = time.monotonic() + _MOST_S
        return self._odds.find(self._rules, view, lambda: time.monotonic() > deadline_s)

    def show(self, host: GameHost, view: View) -> EstimatesBlock | TextBlock:
        """The board with the chances on it, and the likeliest points below; a sentence if there are none."""
        found = self.find(view)
        if found is None:
            return host.error("terminal.odds_none")
        seen = replace(picture(host.rules, None, view), last=None, tried=frozenset())
        stones = words.stones(self._other, view.hidden, host.lang)
        said = host.say("terminal.odds_how", stones=stones, boards=found.boards)
        key = "terminal.odds_counted" if found.error == 0 else "terminal.odds_error"
        sure = host.say(key, percent=_percent(found.error))
        notes = (f"{said} {sure}", *_likeliest(host, view, found.chances))
        title = host.say("terminal.odds", name=host.name(view.colour))
        return EstimatesBlock(host.rules.board, seen, found.chances, notes, title)


def _likeliest(host: GameHost, view: View, chances: Sequence[float]) -> Iterator[str]:
    """The points where a hidden stone is likeliest, a line each, the likeliest first."""
    hidden = [point for point in host.rules.board.order if not view.stones[point] and chances[point]]
    for point in sorted(hidden, key=lambda point: -chances[point])[:_MOST_LISTED]:
        percent, vertex = _percent(chances[point]), host.rules.board.vertex(point)
        yield host.say("terminal.odds_of", vertex=vertex, percent=percent, bar=bar(chances[point]))


def _percent(share: float) -> int:
    return int(100 * share + 0.5)


def bar(chance: float) -> str:
    """A chance as a line of twenty letters."""
    length = int(_BAR * chance + 0.5)
    return "#" * length + "-" * (_BAR - length)
