"""The games of a match. Each is a matchup, a pair and a leg; all that is random in it follows from that and a seed.

So with a seed of the user's a game that is played again is the same game, and games may be played in any order on any
number of processes. Without one each game has a random seed of its own, which is written nowhere while it is played:
what a match keeps on disk then foretells no dice and no player.

The legs of a pair have the same opening and swapped colours, and each has dice of its own unless the match shares them.
Three players have a round of three legs instead, in which everybody has every colour once; every second round goes the
other way round.
"""

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex

from gtp_variants.arena import swiss
from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, Matchup, Opening
from gtp_variants.arena.config.player_config import PlayerConfig
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.rules.actions import BLACK, RED, WHITE

LEGS = "abc"
COLOURS = (BLACK, WHITE, RED)


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game that is to be played. `players` are in the order Black, White, Red; `pair` counts from 1.

    With `shares_dice` all legs of a pair have the same dice: who remembers the first game knows them in the second.
    `attempt` counts from 1 how often it was begun: who saw it fail does not know the dice of the next time. With
    `has_fresh_seed` nobody but this process knows the seed. `slot` is which of the games that go on at the same time it
    is, from 1, and `is_shown` whether a page to look at it is wished; they decide nothing.
    """

    matchup: str
    pair: int
    leg: str
    seed: str
    players: tuple[PlayerConfig, ...]
    game: GameSettings
    opening: Opening | None = None
    shares_dice: bool = False
    has_fresh_seed: bool = False
    attempt: int = 1
    is_shown: bool = False
    slot: int = 1

    @property
    def pair_id(self) -> str:
        """Such as mine-greedy/0007: what the legs have in common."""
        return f"{self.matchup}/{self.pair:04}"

    @property
    def id(self) -> str:
        """Such as mine-greedy/0007b; also the name of its record."""
        return self.pair_id + self.leg

    @property
    def secret(self) -> bytes:
        """Of the dice: 32 bytes that tell nothing of those of any other game, or are the same in all legs of a pair."""
        return derive(self.seed, "dice", self.pair_id if self.shares_dice else self.id, *self._attempt)

    @property
    def _attempt(self) -> tuple[str, ...]:
        return () if self.attempt == 1 else (f"attempt {self.attempt}",)

    @property
    def names(self) -> tuple[str, ...]:
        """Who plays, in the order of the colours."""
        return tuple(player.name for player in self.players)

    def seat_seed(self, colour: int) -> str:
        """Where everything random in one player's thinking comes from; tells nothing of the dice."""
        return derive(self.seed, "seat", self.id, str(colour), *self._attempt).hex()

    def player(self, colour: int) -> PlayerConfig:
        """Who plays a colour."""
        return self.players[COLOURS.index(colour)]


@dataclass(frozen=True, slots=True)
class Unit:
    """The games that are judged together: a pair, or a round of three."""

    matchup: Matchup
    pair: int

    @property
    def id(self) -> str:
        """Such as mine-greedy/0007."""
        return f"{self.matchup.id}/{self.pair:04}"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its games."""
        return tuple(self.id + leg for leg in LEGS[: len(self.matchup.players)])

    def fixtures(self, config: MatchConfig) -> Iterator[Fixture]:
        """Its games."""
        players = self.matchup.players
        if len(players) > 2 and self.pair % 2 == 0:
            players = players[::-1]
        opening, is_shown = config.opening(self.pair), "html" in config.outputs.report.formats
        shares_dice, game = config.dice == "shared", self.matchup.game
        is_fresh = config.has_fresh_seeds and not shares_dice
        for turn, leg in enumerate(LEGS[: len(players)]):
            seated = players[-turn:] + players[:-turn] if turn else players
            seed = token_hex(32) if is_fresh else config.seed
            about = (self.matchup.id, self.pair, leg, seed, seated, game, opening)
            yield Fixture(*about, shares_dice=shares_dice, has_fresh_seed=is_fresh, is_shown=is_shown)


def derive(seed: str, *about: str) -> bytes:
    """32 bytes that follow from a seed and what they are for."""
    return hmac.digest(seed.encode(), "\n".join(about).encode(), hashlib.sha256)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` (from 1) of a match that `of` machines share: every `of`th pair."""

    number: int = 1
    of: int = 1


WHOLE = Shard()


def units(config: MatchConfig, rows: Mapping[str, ResultRow], shard: Shard = WHOLE) -> Iterator[Unit]:
    """Every pair that is known yet, in the order of the schedule: the first pair of each matchup, then the second.

    A Swiss tournament knows a round once the games of the round before, which are among `rows`, are over.
    """
    found = _swiss(config, rows) if config.type == "swiss" else _all(config.matchups)
    for index, unit in enumerate(found):
        if index % shard.of == shard.number - 1:
            yield unit


def _all(matchups: Sequence[Matchup]) -> Iterator[Unit]:
    for pair in range(1, max((matchup.pairs for matchup in matchups), default=0) + 1):
        yield from (Unit(matchup, pair) for matchup in matchups if pair <= matchup.pairs)


def _swiss(config: MatchConfig, rows: Mapping[str, ResultRow]) -> Iterator[Unit]:
    between = {matchup.names: matchup for matchup in config.matchups}
    names = list(dict.fromkeys(name for matchup in config.matchups for name in matchup.names))
    pairs = config.matchups[0].pairs if config.matchups else 0
    table = swiss.SwissStanding(names, pairs)
    for number in range(config.swiss_rounds):
        meetings = [between[meeting] for meeting in table.pair_up()]
        found = [
            Unit(matchup, number * matchup.pairs + pair)
            for pair in range(1, max((matchup.pairs for matchup in meetings), default=0) + 1)
            for matchup in meetings
        ]
        yield from found
        games = [rows.get(id) for unit in found for id in unit.ids]
        known = [row for row in games if row is not None]
        if len(known) < len(games):
            return
        for row in known:
            table.add(row)


def count_games(config: MatchConfig, shard: Shard = WHOLE) -> int:
    """How many games the match has, if nothing stops it."""
    if config.type == "swiss":
        names = {name for matchup in config.matchups for name in matchup.names}
        pairs = config.matchups[0].pairs if config.matchups else 0
        return config.swiss_rounds * (len(names) // 2) * pairs * 2
    if shard == WHOLE:
        return sum(matchup.pairs * len(matchup.players) for matchup in config.matchups)
    return sum(len(unit.ids) for unit in units(config, {}, shard))
