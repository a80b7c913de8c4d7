"""Opponents other than people: our bots, bots from installed packages, and engines chosen by the operator.

A client can choose them only by name: with a path or a command it could run any program here.
"""

import os
import shlex
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock

from gtp_variants.base.number_ranges import NumberRange
from gtp_variants.base.processes.cores import one_core
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.gtp.client.isolated_bot import describe, explain_refusal, make_player
from gtp_variants.gtp.client.peer import Launch
from gtp_variants.gtp.client.player import FreshEngines, GtpPlayer
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock
from gtp_variants.players.hosted_game import HostedGame, seed_from
from gtp_variants.players.player import Player
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View
from gtp_variants.site.refusals import PageRefused

_LONGEST_NAME = 40
# The limits per move that a client may set for a bot's thinking.
_LIMITS = {"seconds": NumberRange(0, 60, is_more=True), "playouts": NumberRange(1, 1_000_000, step=1)}
# Remembered, because searching the packages at every turn would take too long.
_is_ours = lru_cache(1000)(bots.is_ours)


class Opponents:
    """The bots, and the GTP engines that the operator has given names.

    Visitors of a public site choose no bots for games of their own: unless it `has_bots`, they play only in its lobby.
    """

    def __init__(self, engines: Mapping[str, Launch] | None = None, *, has_bots: bool = True) -> None:
        self._engines, self._has_bots = dict(engines or {}), has_bots

    @cached_property
    def _bots(self) -> list[str]:
        return bots.names()

    def names(self) -> list[str]:
        """Return the names that visitors may choose, the engines last."""
        return [*(self._bots if self._has_bots else ()), *self._engines]

    def is_engine(self, name: str) -> bool:
        return name in self._engines

    def is_elsewhere(self, name: str) -> bool:
        """Return True for engines and foreign bots, which think in processes of their own."""
        return self.is_engine(name) or not _is_ours(name)

    def plays_hidden(self, name: str) -> bool:
        """Return True if the opponent may play with hidden stones. An engine may try, and can refuse once seated."""
        return self.is_engine(name) or describe(name).plays_hidden

    def has_levels(self, name: str) -> bool:
        return not self.is_engine(name) and "level" in describe(name).parameters

    def knows(self, name: object) -> bool:
        """Return True if this is the name of an opponent, perhaps with limits on its thinking."""
        if not isinstance(name, str):
            return False
        if self.is_engine(name):
            return True
        try:
            base, given = bots.split(name)
        except NotationError:
            return False
        return base in self._bots and all(_is_within(key, word) for key, word in given.items())

    def limit(self, name: str, limits: Mapping[str, object]) -> str:
        """Return a bot's name with limits per move. Raises NotationError for an engine, PageRefused for a bad limit."""
        if self.is_engine(name):
            raise NotationError(f"{' '.join(limits)}: not supported for engine {name!r}")
        for key, value in limits.items():
            if type(value) not in (int, float) or not _is_within(key, f"{value}"):
                raise PageRefused(f"page.bad_{key}", value=f"{value}"[:_LONGEST_NAME], most=_LIMITS[key].most)
            name = bots.with_parameter(name, key, f"{value}")
        return name

    def expect_fit(self, name: str, rules: Rules) -> None:
        """Raise ConfigError if a bot cannot play these rules."""
        if not self.is_engine(name) and (refusal := explain_refusal(name, rules)):
            raise ConfigError([refusal])

    def expect_choice(self, name: object) -> None:
        """Raise NotationError for a name that visitors may not choose."""
        if not self.knows(name) or not (self._has_bots or name in self._engines):
            raise NotationError(f"bot: expected one of {' '.join(self.names())}")

    def make(self, name: str, level: object = None) -> Player:
        """Return a new player of a known name. Raises NotationError or ConfigError for an invalid level."""
        if level is not None and (type(level) is not int or not self.has_levels(name)):
            raise NotationError(
                f"level: expected a whole number, for an opponent with levels, got {level!r} for {name}"
            )
        if self.is_engine(name):
            return GtpPlayer(FreshEngines(self._engines[name], Path(os.devnull)))
        bot = name if level is None else bots.with_parameter(name, "level", str(level))
        # Check the bot now, so that an error appears before its first turn.
        describe(bot)
        return make_player(bot)


class SeatedBot:
    """A bot at a seat. Before it moves, it is told the news it has missed. Used by one thread at a time."""

    def __init__(self, player: Player, game: HostedGame, colour: int, cores: int = 1) -> None:
        """Seat a bot that may use `cores` cores: a fixed number, because a search restarts when the number changes."""
        bots.lend_cores(player, cores)
        self._player = player
        self._game = game
        self._colour = colour
        # A copy, because changes that a player makes to its rules must not affect others.
        self._rules = copy(game.rules)
        # The number of news items the bot has been told; None until it sits down.
        self._count: int | None = None
        # A thinking thread cannot be stopped, so `leave` waits for it.
        self._lock = Lock()

    def choose(self, heard: Sequence[News], view: View, clock: Clock) -> int:
        """Tell the bot all its news and return its choice."""
        with self._lock:
            if self._count is None:
                self._player.sit(self._rules, self._colour, seed_from(self._game.record, f"seat {self._colour}"))
                self._count = 0
            for news in heard[self._count :]:
                self._player.hear(news)
            self._count = len(heard)
            return self._player.choose(view, clock)

    def leave(self) -> None:
        with self._lock:
            if self._count is not None:
                self._player.leave(self._game.table.game.outcome)


def _is_within(key: str, word: str) -> bool:
    """Return True if a client may set this parameter to this value."""
    try:
        return key in _LIMITS and float(word) in _LIMITS[key]
    except ValueError:
        return False


def read_engines(texts: Sequence[str]) -> dict[str, Launch]:
    """Return engines by name, from texts NAME=COMMAND. Raises ConfigError for an invalid text or a taken name."""
    engines: dict[str, Launch] = {}
    for text in texts:
        name, equals, command = text.partition("=")
        try:
            words = tuple(shlex.split(command))
        except ValueError:
            words = ()
        if not equals or not name or len(name) > _LONGEST_NAME or not words:
            raise ConfigError([f"--engine {text[:60]}: expected NAME=COMMAND"])
        if name in engines or name in bots.names():
            raise ConfigError([f"--engine {name}: this name is taken; choose another"])
        engines[name] = Launch(words, environment=one_core())
    return engines
