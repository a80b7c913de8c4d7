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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from secrets import token_hex

from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, Matchup, Opening
from gtp_variants.arena.config.player_config import PlayerConfig
from gtp_variants.arena.config.tuning_config import Parameters
from gtp_variants.arena.halving import HalvingStanding, count_pairs
from gtp_variants.arena.knockout import KnockoutStanding
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.tuning.tuner import Tuning
from gtp_variants.pairing.swiss import SwissStanding
from gtp_variants.rules.actions import BLACK, RED, WHITE

LEGS = "abc"
COLOURS = (BLACK, WHITE, RED)


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game that is to be played. `players` are in the order Black, White, Red; `pair` counts from 1.

    With `shares_dice` all legs of a pair have the same dice: who remembers the first game knows them in the second.
    `attempt` counts from 1 how often it was begun: who saw it fail does not know the dice of the next time. With
    `has_fresh_seed` nobody but this process knows the seed. `slot` is which of the games that go on at the same time it
    is, from 1, `is_shown` whether a page to look at it is wished, `export` in which format samples are, or "none"; they
    decide nothing. While a match tunes, `parameters` are what its players' commands were filled in with, by player.
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
    export: str = "none"
    slot: int = 1
    parameters: Parameters = field(default_factory=dict)

    @property
    def pair_id(self) -> str:
        """The name of the pair, such as mine-greedy/0007: what its legs have in common."""
        return f"{self.matchup}/{self.pair:04}"

    @property
    def id(self) -> str:
        """The name of the game and of its record, such as mine-greedy/0007b."""
        return self.pair_id + self.leg

    @property
    def secret(self) -> bytes:
        """The secret of the dice, 32 bytes: it tells nothing of other games', or is the same in all legs of a pair."""
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
    """The games that are judged together: a pair, or a round of three.

    While a match tunes `choose` says what the commands of this pair's players are filled in with, by player. It may
    take long, so it is asked only when the pair is to be played.
    """

    matchup: Matchup
    pair: int
    choose: Callable[[], Parameters] = field(default=dict, compare=False)

    @property
    def id(self) -> str:
        """The name of the unit, such as mine-greedy/0007."""
        return f"{self.matchup.id}/{self.pair:04}"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its games."""
        return tuple(self.id + leg for leg in LEGS[: len(self.matchup.players)])

    def fixtures(self, config: MatchConfig) -> Iterator[Fixture]:
        """Its games."""
        players, parameters = self.matchup.players, self.choose()
        if config.tuning is not None:
            players = tuple(config.tuning.fill(player, parameters.get(player.name)) for player in players)
        if len(players) > 2 and self.pair % 2 == 0:
            players = players[::-1]
        opening, is_shown = config.opening(self.pair), "html" in config.outputs.report.formats
        shares_dice, game = config.dice == "shared", self.matchup.game
        is_fresh = config.has_fresh_seeds and not shares_dice
        for turn, leg in enumerate(LEGS[: len(players)]):
            seated = players[-turn:] + players[:-turn] if turn else players
            seed = token_hex(32) if is_fresh else config.seed
            about = (self.matchup.id, self.pair, leg, seed, seated, game, opening)
            yield Fixture(
                *about,
                shares_dice=shares_dice,
                has_fresh_seed=is_fresh,
                is_shown=is_shown,
                export=config.outputs.export,
                parameters=parameters,
            )


def derive(seed: str, *about: str) -> bytes:
    """32 bytes that follow from a seed and what they are for."""
    return hmac.digest(seed.encode(), "\n".join(about).encode(), hashlib.sha256)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` (from 1) of a match that `of` machines share: every `of`th pair."""

    number: int = 1
    of: int = 1


WHOLE = Shard()


class Schedule:
    """The pairs of a match in order, each as soon as it is known: the first of each matchup, then the second of each.

    `rows` are the finished games by id; whoever adds to them asks again. `standing` is how a knockout or a halving
    stands, `tuning` how far a tuning is; None in any other match. `byes` are the rounds of a Swiss tournament in which
    each player sits out.
    """

    def __init__(self, config: MatchConfig, rows: Mapping[str, ResultRow], shard: Shard = WHOLE) -> None:
        names = list(dict.fromkeys(name for matchup in config.matchups for name in matchup.names))
        self.standing: KnockoutStanding | HalvingStanding | None = None
        self.tuning: Tuning | None = None
        self.byes: Mapping[str, Sequence[int]] = {}
        source: Iterator[Unit | None]
        if config.type == "swiss":
            table = SwissStanding(names, config.matchups[0].pairs if config.matchups else 0)
            self.byes = table.byes
            source = _swiss(config, rows, table)
        elif config.type == "knockout":
            self.standing = KnockoutStanding(names, config.matchups[0].pairs)
            source = _in_rounds(config, rows, self.standing)
        elif config.type == "halving":
            self.standing = _halving(config, names)
            source = _in_rounds(config, rows, self.standing)
        elif config.tuning is not None:
            self.tuning = Tuning(config.tuning, config.seed)
            source = _tune(config, rows, self.tuning)
        else:
            source = _all(config.matchups)
        self._units = (unit for index, unit in enumerate(source) if index % shard.of == shard.number - 1)

    def next(self) -> Unit | None:
        """The next pair; None while games of earlier ones are waited for, and when there is none left."""
        return next(self._units, None)


def units(config: MatchConfig, rows: Mapping[str, ResultRow], shard: Shard = WHOLE) -> Iterator[Unit]:
    """Every pair that is known yet, in the order of the schedule."""
    return iter(Schedule(config, rows, shard).next, None)


def _all(matchups: Sequence[Matchup]) -> Iterator[Unit]:
    for pair in range(1, max((matchup.pairs for matchup in matchups), default=0) + 1):
        yield from (Unit(matchup, pair) for matchup in matchups if pair <= matchup.pairs)


def _swiss(config: MatchConfig, rows: Mapping[str, ResultRow], table: SwissStanding) -> Iterator[Unit | None]:
    between = {matchup.names: matchup for matchup in config.matchups}
    for number in range(config.swiss_rounds):
        meetings = [between[meeting] for meeting in table.pair_up()]
        found = [
            Unit(matchup, number * matchup.pairs + pair)
            for pair in range(1, max((matchup.pairs for matchup in meetings), default=0) + 1)
            for matchup in meetings
        ]
        yield from found
        yield from _wait(found, rows)
        for row in _rows_of(found, rows):
            table.add(row)


def _in_rounds(
    config: MatchConfig, rows: Mapping[str, ResultRow], standing: KnockoutStanding | HalvingStanding
) -> Iterator[Unit | None]:
    between = {frozenset(matchup.names): matchup for matchup in config.matchups}
    begun: Counter[str] = Counter()
    while meetings := standing.pair_up():
        columns = []
        for one, other, pairs in meetings:
            matchup = between[frozenset((one, other))]
            first = begun[matchup.id] + 1
            begun[matchup.id] += pairs
            columns.append([Unit(matchup, pair) for pair in range(first, first + pairs)])
        found = [unit for line in zip_longest(*columns) for unit in line if unit is not None]
        yield from found
        yield from _wait(found, rows)
        for row in _rows_of(found, rows):
            standing.add(row)


def _tune(config: MatchConfig, rows: Mapping[str, ResultRow], tuning: Tuning) -> Iterator[Unit | None]:
    """Pairs in batches, because what the next ones try follows from all before; then those that confirm the result."""
    matchup, *confirm = config.matchups
    for first in range(1, matchup.pairs + 1, tuning.settings.batch):
        batch = range(first, min(first + tuning.settings.batch, matchup.pairs + 1))
        found = [Unit(matchup, pair, partial(_choose, rows, tuning, matchup, pair)) for pair in batch]
        yield from found
        yield from _wait(found, rows)
        for unit in found:
            legs = _rows_of([unit], rows)
            is_void = any(row.is_void for row in legs)
            points = None if is_void else sum(row.score(matchup.names[0]) for row in legs)
            tuning.tell(unit.pair, legs[0].parameters.get(matchup.names[0], {}), points)
    for matchup in confirm:
        choose = partial(tuning.confirm, matchup.names)
        yield from (Unit(matchup, pair, choose) for pair in range(1, matchup.pairs + 1))


def _choose(rows: Mapping[str, ResultRow], tuning: Tuning, matchup: Matchup, pair: int) -> Parameters:
    """What a pair tries: of one that was begun the same as in its first game."""
    begun = [row for id in Unit(matchup, pair).ids if (row := rows.get(id)) is not None]
    return begun[0].parameters if begun else tuning.ask(pair, matchup.names)


def _halving(config: MatchConfig, names: Sequence[str]) -> HalvingStanding:
    return HalvingStanding([name for name in names if name not in config.seeds], config.budget, config.seeds)


def _wait(found: Sequence[Unit], rows: Mapping[str, ResultRow]) -> Iterator[None]:
    """Nothing, until all games of some pairs are there."""
    for unit in found:
        while not all(id in rows for id in unit.ids):
            yield None


def _rows_of(found: Sequence[Unit], rows: Mapping[str, ResultRow]) -> list[ResultRow]:
    return [rows[id] for unit in found for id in unit.ids]


def count_games(config: MatchConfig, shard: Shard = WHOLE) -> int:
    """How many games the match has, if nothing stops it and no meeting of a knockout is level."""
    count = len({name for matchup in config.matchups for name in matchup.names})
    pairs = config.matchups[0].pairs if config.matchups else 0
    if config.type == "swiss":
        return config.swiss_rounds * (count // 2) * pairs * 2
    if config.type == "knockout":
        return (count - 1) * pairs * 2
    if config.type == "halving":
        return count_pairs(count - len(config.seeds), config.budget, len(config.seeds)) * 2
    if shard == WHOLE:
        return sum(matchup.pairs * len(matchup.players) for matchup in config.matchups)
    return sum(len(unit.ids) for unit in units(config, {}, shard))
