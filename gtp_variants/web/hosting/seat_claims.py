"""Who takes the seats of games: their locks as they change and are kept, and what was answered to who took one."""

import logging
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace

from gtp_variants.web.page_game import PageGame
from gtp_variants.web.refusals import Full
from gtp_variants.web.seat_locks import SeatClaim, SeatLock, claim_seat
from gtp_variants.web.store import PageStore

_log = logging.getLogger("gtp_variants.web")

# So many claims are remembered whose seat nobody has opened yet.
_MOST_UNOPENED = 1000


class SeatClaims:
    """The seats that people take; `tell_who` is called with each game that has another lock."""

    def __init__(self, store: PageStore, tell_who: Callable[[PageGame], None]) -> None:
        self._store = store
        self._tell_who = tell_who
        # What was answered to who took a seat, until they open it: the answer may be lost on its way.
        self._unopened: dict[tuple[str, int], SeatClaim] = {}

    def note_opening(self, name: str, colour: int) -> None:
        """Somebody sits there with what they were answered: it need not be told again."""
        self._unopened.pop((name, colour), None)

    def give(self, game: PageGame, colour: int, token: str, creator: str = "") -> SeatClaim:
        """Somebody takes a seat, with a token they may have made themselves; what they are answered. Raises Full."""
        lock, claim = claim_seat(game.name, colour, game.locks[colour], token)
        self.change(game, colour, lock)
        claim = replace(claim, creator=creator)
        while len(self._unopened) >= _MOST_UNOPENED:
            del self._unopened[next(iter(self._unopened))]
        self._unopened[game.name, colour] = claim
        return claim

    def repeat(self, game: PageGame, colour: int, token: str) -> SeatClaim:
        """The answer again to who has a seat by this token; what is told once, only until they have opened it."""
        return self._unopened.get((game.name, colour), SeatClaim(colour, token))

    def change(self, game: PageGame, colour: int, lock: SeatLock) -> None:
        """Another lock for a seat, kept before anybody hears of it. Raises Full, and then nothing has changed."""
        self.write(game.name, {colour: lock})
        game.locks[colour] = lock
        self._tell_who(game)

    def write(self, name: str, locks: Mapping[int, SeatLock]) -> None:
        """Keep the locks of seats of a game. Raises Full."""
        try:
            self._store.write_locks(name, locks)
        except sqlite3.Error as error:
            _log.error("the seats of game %s cannot be kept: %s", name[:6], error)
            raise Full("page.cannot_keep") from None
