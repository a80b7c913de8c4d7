"""All games that are played elsewhere and shown here: their room, and the silence after which one is given up."""

import asyncio
from collections.abc import Callable

from gtp_variants.json_values import Json
from gtp_variants.web.publishing.published_games import NoRoom, PublishedGame, PublishedGames
from gtp_variants.web.refusals import Full


class LiveGames:
    """The games that others publish, at most `most`, each given up for lost after `lost_s` without a word.

    `is_watched` says which games must not make room, `tell` is called with each that went on, `tell_lost` with each
    that was given up.
    """

    def __init__(
        self,
        most: int,
        lost_s: float,
        is_watched: Callable[[str], bool],
        tell: Callable[[PublishedGame], None],
        tell_lost: Callable[[PublishedGame], None],
    ) -> None:
        self._games = PublishedGames(most)
        self._most, self._lost_s = most, lost_s
        self._is_watched, self._tell, self._tell_lost = is_watched, tell, tell_lost
        self._silences: dict[str, asyncio.TimerHandle] = {}

    def close(self) -> None:
        """Wait for no more words."""
        for handle in self._silences.values():
            handle.cancel()

    def get(self, name: str) -> PublishedGame | None:
        """The game of a name."""
        return self._games.get(name)

    def all(self) -> list[PublishedGame]:
        """All of them: those that go on first, of each kind the latest first."""
        return sorted(self._games.all(), key=lambda each: each.hosted.is_over or each.is_lost)

    def publish(self, name: str, told: Json) -> None:
        """A game stands so now. Raises VariantsError, Full."""
        try:
            game = self._games.tell(name, told, self._is_watched)
        except NoRoom:
            raise Full("page.many_live", count=self._most) from None
        self._tell(game)
        handle = self._silences.pop(name, None)
        if handle is not None:
            handle.cancel()
        if not game.hosted.is_over:
            later = asyncio.get_running_loop().call_later
            self._silences[name] = later(self._lost_s, self._lose, game)

    def _lose(self, game: PublishedGame) -> None:
        """Nothing was heard of a game for a while."""
        del self._silences[game.name]
        game.is_lost = True
        self._tell_lost(game)
