"""The ten levels: what each thinks with, game by game and board by board."""

import json
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path

from gtp_variants.rules.rules import Rules

NUMBERS = range(1, 11)
# Against people who set nothing and have no clock.
DEFAULT_LEVEL = 9
_FILE = Path(__file__).with_name("levels.json")


@dataclass(frozen=True, slots=True)
class Level:
    """What a strength thinks with.

    `playouts` a move, 0 for no such limit, and at most so many `seconds`. With `evaluations` a network judges that many
    positions instead, where there is one that pays; a level in playouts alone searches without. Of its moves the share
    `slips`, which varies from game to game, looks one stone ahead instead, and the share `guesses` is any point.
    """

    playouts: int = 0
    evaluations: int = 0
    seconds: float = 1.0
    slips: float = 0.0
    guesses: float = 0.0

    def playout_limit(self, has_network: bool) -> int:
        """How many playouts a move has, with a network that judges positions or without one; 0 for no such limit."""
        return self.evaluations if has_network and self.evaluations else self.playouts


# The highest levels are times, so that they are what the machine can do.
_BY_TIME = (Level(), Level(seconds=5.0))


def level_of(rules: Rules, number: int) -> Level:
    """A strength, 1 to 10, at a game: that of the board with the most similar number of points.

    Games that were not measured have the levels of the first that was.
    """
    ladders = _ladders()
    boards = ladders.get(rules.name) or next(iter(ladders.values()))
    points = len(rules.board)
    return boards[min(boards, key=lambda measured: abs(log(measured / points)))][number - 1]


@cache
def _ladders() -> dict[str, dict[int, tuple[Level, ...]]]:
    """Game -> points of the board -> its levels from 1 on."""
    found: dict[str, dict[int, tuple[Level, ...]]] = {}
    for ladder in json.loads(_FILE.read_text(encoding="utf-8"))["ladders"]:
        levels = (*(Level(**level) for level in ladder["levels"]), *_BY_TIME)
        found.setdefault(ladder["game"], {})[ladder["points"]] = levels
    return found
