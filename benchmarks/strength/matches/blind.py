"""The bot for Go Fantôme, its positions made without looking at the news: what it would be worth without them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import gtp_variants as gv
from gtp_variants.bots.phantom import Phantom
from gtp_variants.players import bots

PREFIX = "blind:"


class Blind(Phantom):  # type: ignore[misc]
    """The same search for the same time, on positions that know only how many stones are hidden."""

    def sample_positions(
        self, view: gv.View, seconds: float, now: Callable[[], float], should_stop: Callable[[], bool]
    ) -> Sequence[tuple[gv.Position, int]]:
        """Positions with the right number of stones, anywhere."""
        return [(self._anywhere(view), 1) for _ in range(self.worlds)]

    def _anywhere(self, view: gv.View) -> gv.Position:
        board, other = self.rules.board, 3 - self.colour
        stones, left = bytearray(view.stones), view.hidden
        points = [point for point, there in enumerate(stones) if not there]
        self.rng.shuffle(points)
        for point in points:
            if not left:
                break
            stones[point] = other
            near = [point, *(there for there in board.neighbours[point] if stones[there])]
            if all(gv.liberties(board, stones, gv.chain(board, stones, there)) for there in near):
                left -= 1
            else:
                stones[point] = gv.EMPTY
        setup = {point: there for point, there in enumerate(stones) if there}
        return cast(gv.Position, self.rules.start(setup, self.colour))


def load(given: str) -> gv.Player:
    """The bot with parameters of `phantom`."""
    return bots.load(f"{Path(__file__)}:{Blind.__name__}:{given}")
