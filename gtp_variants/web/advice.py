"""Advice for people at a game or looking at one: hints, where hidden stones may be, how a moment stands.

One thread thinks for all of them, so that no bot waits long for people who are curious.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.gtp.engine.remote_seat import Odds
from gtp_variants.players.table import view_to_move
from gtp_variants.rules.words import COLOUR_WORDS
from gtp_variants.web.hints import analysis, hidden, hint
from gtp_variants.web.refusals import PageRefused
from gtp_variants.web.room import ELSEWHERE, Room
from gtp_variants.web.told import ALL, REFEREE, Json

# So many answers about moments of games are kept, and so many people may wait for one.
_MOST_KEPT, _MOST_WAITING = 500, 20
_log = logging.getLogger("gtp_variants.web")


class Advice:
    """What is thought for people. Each call raises PageRefused where it is unfair, fails, or too many ask."""

    def __init__(self) -> None:
        self._thinking = ThreadPoolExecutor(1, thread_name_prefix="advice")
        self._waiting = 0
        self._advised: set[str] = set()
        self._kept: dict[tuple[str, int, int, int], Json] = {}
        # What a seat imagines, by game and colour.
        self._imagined: dict[tuple[str, int], Odds] = {}

    def close(self) -> None:
        """Think no more."""
        self._thinking.shutdown(wait=False, cancel_futures=True)

    def forget(self, room: Room) -> None:
        """A game is over, or nobody is there any more."""
        for key in [key for key in self._imagined if key[0] == room.name]:
            del self._imagined[key]

    async def hint(self, room: Room, colour: int | None) -> Json:
        """What a bot would do in somebody's place."""
        seat = _alone(room, colour)
        heard, view = room.table.game.heard(seat), view_to_move(room.table, seat)
        seed = room.seed(f"hint {len(heard)}")
        return {**await self._once(room, hint, room.rules, seat, seed, heard, view), "turn": view.turn}

    async def hidden(self, room: Room, colour: int | None) -> Json:
        """Where hidden stones may be, from nothing but what somebody's seat knows."""
        seat = _alone(room, colour)
        if room.rules.is_open:
            raise PageRefused("refusals.nothing_hidden")
        view = view_to_move(room.table, seat)
        return {"odds": await self._once(room, hidden, room.rules, view, self._odds(room, seat)), "turn": view.turn}

    async def analysis(self, room: Room, words_of: Mapping[str, Any]) -> Json:
        """How the moment `at` of a game stands, counted in pieces of news: in an open game for everybody, in a hidden
        one where stones may have been for the seat `of`. Raises NotationError for what is no moment.
        """
        at, of = words_of.get("at"), words_of.get("of", "")
        is_elsewhere = bool(room.rules.is_open) and all(each.kind == ELSEWHERE for each in room.chairs.values())
        if not room.is_over and not is_elsewhere:
            raise PageRefused("page.no_analysis")
        colour = COLOUR_WORDS.get(of, ALL) if isinstance(of, str) else ALL
        if (of != "" or not room.rules.is_open) and colour not in room.rules.colours:
            raise NotationError("of: expected a colour of this game, or nothing where nothing is hidden")
        if type(at) is not int or not 0 <= at <= len(room.transcript(colour).items):
            raise NotationError("at: expected a number of news of this game")
        key = room.name, room.epoch, colour, at
        if key not in self._kept:
            found = await self._think(*self._moment(room, colour, at))
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = found
        return {**self._kept[key], "at": at, "of": of}

    def _moment(self, room: Room, colour: int, at: int) -> tuple[Any, ...]:
        if room.rules.is_open:
            positions = room.table.game.positions
            # Whoever resigned or passed left a board that can be looked at.
            while at and room.rules.is_over(positions[at]):
                at -= 1
            return analysis, room.rules, positions[at]
        return _odds_told, room.rules, room.seen_by(colour, at), self._odds(room, colour)

    def _odds(self, room: Room, colour: int) -> Odds:
        return self._imagined.setdefault((room.name, colour), Odds())

    async def _once(self, room: Room, think: Callable[..., Json], *about: object) -> Json:
        """What is thought for somebody who plays: one thing at a time."""
        if room.name in self._advised:
            raise PageRefused("page.hint_comes")
        self._advised.add(room.name)
        try:
            return await self._think(think, *about)
        finally:
            self._advised.discard(room.name)

    async def _think(self, think: Callable[..., Json], *about: object) -> Json:
        if self._waiting >= _MOST_WAITING:
            raise PageRefused("page.much_advice")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thinking, think, *about)
        except VariantsError:
            raise
        except Exception as error:
            _log.warning("no advice: %s", error, exc_info=True)
            raise PageRefused("page.hint_failed", why=f"{type(error).__name__}: {error}") from error
        finally:
            self._waiting -= 1


def _odds_told(*about: Any) -> Json:
    return {"odds": hidden(*about)}


def _alone(room: Room, colour: int | None) -> int:
    """The colour of a person who is to move and plays against bots only."""
    if colour is None or colour == REFEREE or len(room.people) > 1 or room.asked() != colour:
        raise PageRefused("page.no_hint")
    return colour
