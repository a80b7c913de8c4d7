"""The games of a match. Each is a matchup, a pair and a leg; all that is random in it follows from that and a seed.

So with a seed of the user's a game that is played again is the same game, and games may be played in any order on any
number of processes. Without one each game has a random seed of its own, which is written nowhere while it is played:
what a match keeps on disk then foretells no dice and no player.

The legs of a pair have the same opening and swapped colours, and each has dice of its own unless the match shares them.
Three players have a round of three legs instead, in which everybody has every colour once; every second round goes the
other way round.

Knockout: who loses a meeting is out, and whoever is left at the end has won.

Sequential halving: of many candidates the better half goes on, round by round, until one is left.

A budget of pairs is shared by the rounds, and within a round by those who are left, so that who is hard to tell apart
plays most. Source: Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits" (2013).
"""

import hashlib
import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from secrets import token_hex

from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, Matchup, Parameters
from gtp_variants.arena.config.player_config import PlayerConfig
from gtp_variants.arena.openings import Opening
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.tuning import Tuning
from gtp_variants.players.pairing import SwissStanding
from gtp_variants.rules.actions import BLACK, RED, WHITE


class HalvingStanding:
    """Candidates who are halved by their points. `pairs` are all that may be played.

    With `seeds` candidates meet these, and all their points count, as everybody has met the same; without they meet
    each other, and those of the round count. Of equals who is named first goes on.
    """

    def __init__(self, candidates: Sequence[str], pairs: int, seeds: Sequence[str] = ()) -> None:
        self.rounds: list[list[str]] = []
        self.winner: str | None = None
        self.points = dict.fromkeys(candidates, 0.0)
        self._candidates = list(candidates)
        self._pairs = pairs
        self._seeds = list(seeds)

    def add(self, row: ResultRow) -> None:
        """Count a game."""
        for player in row.players:
            if player in self.points:
                self.points[player] += row.score(player)

    def pair_up(self) -> list[tuple[str, str, int]]:
        """Who meets in the next round, in how many pairs; none when one is left."""
        alive = self.survivors()
        if len(alive) < 2:
            self.winner = alive[0]
            return []
        self.rounds.append(alive)
        each = pairs_each(len(self._candidates), len(alive), self._pairs, len(self._seeds))
        if self._seeds:
            return [(seed, name, each) for name in alive for seed in self._seeds]
        self.points = dict.fromkeys(alive, 0.0)
        return _meet_each_other(alive, each)

    def lines(self) -> list[str]:
        """Who was in every round, the best of the round before first, and who is left."""
        found = [f"Round {number}: {', '.join(names)}" for number, names in enumerate(self.rounds, 1)]
        return [*found, f"Left: {self.winner}"] if self.winner else found

    def survivors(self) -> list[str]:
        """Who goes on after what has been played, the best first."""
        if not self.rounds:
            return self._candidates
        last = self.rounds[-1]
        order = sorted(last, key=lambda name: (-self.points[name], self._candidates.index(name)))
        return order[: (len(last) + 1) // 2]


def count_rounds(candidates: int) -> int:
    """How many rounds leave one of so many."""
    return (candidates - 1).bit_length()


def pairs_each(candidates: int, alive: int, pairs: int, seeds: int) -> int:
    """How many pairs each meeting of a round has: with each seed, or with each of a row of other candidates."""
    meetings = alive * seeds if seeds else alive // 2
    return max(1, pairs // (count_rounds(candidates) * meetings))


def count_pairs(candidates: int, pairs: int, seeds: int) -> int:
    """How many pairs there are in all rounds: the budget, but that everybody plays at least one pair a round."""
    total, alive = 0, candidates
    while alive > 1:
        meetings = alive * seeds if seeds else alive // 2
        total += meetings * pairs_each(candidates, alive, pairs, seeds)
        alive = (alive + 1) // 2
    return total


def _meet_each_other(alive: Sequence[str], count: int) -> list[tuple[str, str, int]]:
    """Everybody plays `count` pairs, each against another as far as there are others: the circle method."""
    circle: list[str | None] = [*alive, *([None] if len(alive) % 2 else [])]
    found: dict[tuple[str, str], int] = {}
    for _ in range(count):
        for one, other in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
            if one is not None and other is not None:
                meeting = (one, other) if alive.index(one) < alive.index(other) else (other, one)
                found[meeting] = found.get(meeting, 0) + 1
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [(one, other, pairs) for (one, other), pairs in found.items()]


# After so many pairs beyond those of a meeting that is still level the better seed goes through.
MOST_EXTRA = 10


class KnockoutStanding:
    """The bracket of a knockout of `pairs` pairs a meeting. `names` are in the order of their seeds, the best first.

    The best seeds sit out the first round where the players are no power of two, and meet as late as can be. A meeting
    that is level goes on pair by pair.
    """

    def __init__(self, names: Sequence[str], pairs: int) -> None:
        self.rounds: list[list[tuple[str, str]]] = []
        self._results: list[list[str]] = []
        self.points: dict[str, float] = {}
        self._names = list(names)
        self._pairs = pairs
        self._extra: dict[tuple[str, str], int] = defaultdict(int)
        self._alive = list(names)

    def add(self, row: ResultRow) -> None:
        """Count a game of the present round."""
        for player in row.players:
            self.points[player] = self.points.get(player, 0.0) + row.score(player)

    def pair_up(self) -> list[tuple[str, str, int]]:
        """Who plays next, in how many pairs: the meetings that are level once more, else the next round, else none."""
        open_meetings = [meeting for meeting in self.rounds[-1] if self._is_open(meeting)] if self.rounds else []
        for meeting in open_meetings:
            self._extra[meeting] += 1
        if open_meetings:
            return [(*meeting, 1) for meeting in open_meetings]
        if self.rounds:
            losers = {self.loser(meeting) for meeting in self.rounds[-1]}
            self._results.append([self._words(meeting) for meeting in self.rounds[-1]])
            self._alive = [name for name in self._alive if name not in losers]
        if len(self._alive) < 2:
            return []
        self.rounds.append(self._next_meetings())
        self.points = {}
        self._extra.clear()
        return [(*meeting, self._pairs) for meeting in self.rounds[-1]]

    def _next_meetings(self) -> list[tuple[str, str]]:
        """The best seed of those left meets the worst, and so on; byes go to the best."""
        size = 1 << (len(self._alive) - 1).bit_length()
        playing = self._alive[size - len(self._alive) :]
        return [(playing[index], playing[-1 - index]) for index in range(len(playing) // 2)]

    def _is_open(self, meeting: tuple[str, str]) -> bool:
        one, other = meeting
        level = self.points.get(one, 0.0) == self.points.get(other, 0.0)
        return level and self._extra[meeting] < MOST_EXTRA

    def _words(self, meeting: tuple[str, str]) -> str:
        loser = self.loser(meeting)
        winner = meeting[meeting[0] == loser]
        return f"{winner} - {loser} {self.points.get(winner, 0.0):g}:{self.points.get(loser, 0.0):g}"

    def lines(self) -> list[str]:
        """What every round came to that is over, and who won."""
        found = [f"Round {number}: {', '.join(words)}" for number, words in enumerate(self._results, 1)]
        return [*found, f"Winner: {self.winner}"] if self.winner else found

    def loser(self, meeting: tuple[str, str]) -> str:
        """Who of a meeting of the present round is out: who has fewer points, of equals the worse seed."""
        return min(meeting, key=lambda name: (self.points.get(name, 0.0), -self._names.index(name)))

    @property
    def winner(self) -> str | None:
        """Who won the last meeting; None before it is over."""
        if len(self._alive) == 1:
            return self._alive[0]
        return None


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
        if config.tournament.type == "swiss":
            table = SwissStanding(names, config.matchups[0].pairs if config.matchups else 0)
            self.byes = table.byes
            source = _swiss(config, rows, table)
        elif config.tournament.type == "knockout":
            self.standing = KnockoutStanding(names, config.matchups[0].pairs)
            source = _in_rounds(config, rows, self.standing)
        elif config.tournament.type == "halving":
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
    seeds = config.tournament.seeds or ()
    return HalvingStanding([name for name in names if name not in seeds], config.tournament.pairs or 0, seeds)


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
    if config.tournament.type == "swiss":
        return config.swiss_rounds * (count // 2) * pairs * 2
    if config.tournament.type == "knockout":
        return (count - 1) * pairs * 2
    if config.tournament.type == "halving":
        seeds = len(config.tournament.seeds or ())
        return count_pairs(count - seeds, config.tournament.pairs or 0, seeds) * 2
    if shard == WHOLE:
        return sum(matchup.pairs * len(matchup.players) for matchup in config.matchups)
    return sum(len(unit.ids) for unit in units(config, {}, shard))
