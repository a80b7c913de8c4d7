"""How games ended on NNGS while we were away: `results NAME` lists those of an account, the newest last.

Names are compared without case: the server takes and writes them so.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from gtp_variants.bridge.core.server import OVER, GameUpdate, PastGames, ServerEvent, ServerGame
from gtp_variants.rules.actions import BLACK, WHITE

# White and Black in small letters, by which a game is known.
Pair = tuple[str, str]

# Winner and their colour, loser, and how.
_LINE = re.compile(r"(\S+) +\[.*?\]\(([BW])\) : (\S+) +\[.*?\]\([BW]\) H \d+ K \S+ \d+x\d+ [BW]\+(\S+) ")
_WORDS = {"Resign": "R", "Time": "T"}


class NngsPast(PastGames):
    """The games of the past, and those that were asked about.

    `goes_on` says whether a game is on or waits to be gone on with; `ask` sends for the list. What waits is known as
    soon as `has_stored_list`.
    """

    def __init__(self, goes_on: Callable[[Pair], bool], ask: Callable[[], Awaitable[None]]) -> None:
        self.has_stored_list = False
        self._goes_on, self._ask = goes_on, ask
        self._asked: dict[Pair, ServerGame] = {}
        self._results: dict[Pair, str] = {}

    def has_lost(self, key: str, players: Mapping[int, str]) -> bool:
        return self.has_stored_list and bool(players) and not self._goes_on(pair_of(players))

    async def ask_result(self, key: str, players: Mapping[int, str]) -> bool:
        self._asked[pair_of(players)] = ServerGame(key, 19, BLACK, players, phase=OVER, is_whole=False)
        if len(self._asked) == 1:
            self._results.clear()
            await self._ask()
        return True

    def read(self, text: str) -> bool:
        """Take in a line, if it is one of a game of the past."""
        found = _LINE.match(text)
        if found is None:
            return False
        white, black = (found[1], found[3]) if found[2] == "W" else (found[3], found[1])
        with suppress(ValueError):
            self._results[white.lower(), black.lower()] = f"{found[2]}+{_WORDS.get(found[4]) or f'{float(found[4]):g}'}"
        return True

    def tell(self) -> list[ServerEvent]:
        """The list begins or ends: how the games ended that were asked about, as far as it was told."""
        found = {names: game for names, game in self._asked.items() if names in self._results}
        self._asked = {names: game for names, game in self._asked.items() if names not in found}
        return [GameUpdate(replace(game, result=self._results[names])) for names, game in found.items()]


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same account."""
    return one.lower() == other.lower()


def same_names(names: Mapping[int, str], white: str, black: str) -> bool:
    """Whether these two play a game."""
    return pair_of(names) == (white.lower(), black.lower())


def pair_of(names: Mapping[int, str]) -> Pair:
    """White and Black of a game."""
    return names.get(WHITE, "").lower(), names.get(BLACK, "").lower()
