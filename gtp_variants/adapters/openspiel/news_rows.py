"""`NewsRows`: pieces of news as rows of numbers, so that a tensor recalls all of them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gtp_variants.rules.actions import PASS, SWAP
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

# What a referee says: see `gtp_variants.rules.views.Announcement`.
_CODES = ("played", "captured", "atari", "self_atari", "impossible", "passed", "repeated")
# So many points go into one number: float32 holds whole numbers up to 2**24 exactly.
_POINTS_IN_A_NUMBER = 24


class NewsRows:
    """Writes news as rows of numbers from 0 to 1; different news give different rows, and no news a row of zeros.

    Who acted; what they did, 0 where that is not told. In a hidden game then whether it was refused, and what was
    shown; how often each of the referee's announcements counted, 0 where it was not made; and the captured points that
    were shown, 24 of them in a number.
    """

    def __init__(self, rules: Rules, actions: int, outcomes: int) -> None:
        self._points = len(rules.board)
        self._most = max(actions, outcomes)
        self._is_open = rules.is_open
        self._masks = -(-self._points // _POINTS_IN_A_NUMBER)
        self.width = 2 if self._is_open else 4 + len(_CODES) + self._masks

    def write(self, heard: Iterable[News], rows: NDArray[np.float32]) -> None:
        """Write news into the first rows, in order."""
        for row, news in zip(rows, heard, strict=False):
            row[0] = (news.actor + 1) / 4
            row[1] = 0 if news.action is None else (self._number(news.action) + 1) / self._most
            if not self._is_open:
                self._write_hidden(news, row)

    def _number(self, action: int) -> int:
        return {SWAP: self._points, PASS: self._points + 1}.get(action, action)

    def _write_hidden(self, news: News, row: NDArray[np.float32]) -> None:
        row[2] = news.refused
        row[3] = 0 if news.shown is None else (news.shown + 1) / 4
        for item in news.said:
            row[4 + _CODES.index(item.code)] = (item.count + 1) / (self._points + 1)
        for point in news.captured:
            number, bit = divmod(point, _POINTS_IN_A_NUMBER)
            row[4 + len(_CODES) + number] += 2.0 ** (bit - _POINTS_IN_A_NUMBER)
