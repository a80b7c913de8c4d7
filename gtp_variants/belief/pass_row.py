"""Passes in a row where refused tries part them and one seat is not told of the other's."""

from gtp_variants.rules.actions import PASS, RESUME, TURN
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.views import News


class PassRow:
    """What came since the last stone, as far as it counts for passes in a row.

    `parted` are the times of passes of the other side's before which a try of theirs must have been refused that the
    seat was not told of: without it the game would have been over. Where a try was is needed to play a game again; a
    view needs only how many passes there may be in a row, which `rules/games/phantom.py` and the kernel count.
    """

    def __init__(self, rules: HiddenRules, colour: int) -> None:
        self.parted: frozenset[int] = frozenset()
        self._is_wanted = rules.refusal_is_private and rules.refusal_parts_passes
        self._end = rules.end_passes
        self._colour = colour
        self._row: list[tuple[int, News]] = []

    def hear(self, time: int, news: News) -> None:
        """Take in one piece of news: so the game was not over before."""
        if not self._is_wanted:
            return
        if self._is_over(self.parted):
            theirs = (each for each, passed in reversed(self._row) if _is_pass(passed) and passed.actor != self._colour)
            more = (self.parted | {each} for each in theirs)
            self.parted = next((parted for parted in more if not self._is_over(parted)), self.parted)
        if news.refused or news.action in (PASS, TURN):
            self._row.append((time, news))
        elif news.action is None or news.action >= 0 or news.action == RESUME:
            self._row.clear()

    def _is_over(self, parted: frozenset[int]) -> bool:
        """Whether these passes would have ended the game for good."""
        count = 0
        for time, news in self._row:
            if count > self._end:
                return True
            # What is provisionally over stays so.
            if count < self._end and (time in parted or not _is_pass(news)):
                count = 0
            count += _is_pass(news)
        return count > self._end


def _is_pass(news: News) -> bool:
    return news.action == PASS and not news.refused
