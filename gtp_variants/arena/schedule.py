"""The games of a match and their order, for each type of tournament.

A game is identified by matchup, pair and leg. The legs of a pair have the same opening and swapped colours, and each
leg has its own dice unless the match shares them. Three players have rounds of three legs, in which each player has
every colour once; every second round reverses the order.

Everything random in a game follows from its identity and a seed. If the user gives a seed, replaying a game repeats it,
in any order of games and on any number of processes. Otherwise each game has its own random seed, which is never
written to disk during the game, so that nothing on the disk reveals the dice.
"""

import hashlib
import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest

from gtp_variants.arena import openings
from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, Matchup, Parameters
from gtp_variants.arena.config.player_config import PlayerConfig
from gtp_variants.arena.openings import Opening
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.tuning import Tuning
from gtp_variants.players.pairing import SwissStanding
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, MATCH, RED, WHITE, pack
from gtp_variants.rules.dice_stream import DiceStream


class HalvingStanding:
    """Sequential halving: in each round the better half of the candidates advances, until one candidate is left.

    The rounds share the budget of `pairs` equally, and so do the remaining candidates in each round. With `seeds`, all
    candidates meet the seeds, and all points count. Without seeds they meet each other, and only the points of the
    current round count. On equal points the first named advances. Source: Karnin, Koren and Somekh, "Almost Optimal
    Exploration in Multi-Armed Bandits" (2013).
    """

    def __init__(self, candidates: Sequence[str], pairs: int, seeds: Sequence[str] = ()) -> None:
        self.rounds: list[list[str]] = []
        self.winner: str | None = None
        self.points = dict.fromkeys(candidates, 0.0)
        self._candidates, self._pairs, self._seeds = list(candidates), pairs, list(seeds)

    def add(self, scores: Mapping[str, float]) -> None:
        """Count a game by the points of its players."""
        for player, score in scores.items():
            if player in self.points:
                self.points[player] += score

    def pair_up(self) -> list[tuple[str, str, int]]:
        """Return the meetings of the next round with their numbers of pairs; no meetings if one candidate is left."""
        alive = self._candidates
        if self.rounds:
            # The better half advances, the best first.
            last = self.rounds[-1]
            order = sorted(last, key=lambda name: (-self.points[name], self._candidates.index(name)))
            alive = order[: (len(last) + 1) // 2]
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
        """Return text lines: the candidates of each round, the previous round's best first, and the winner."""
        found = [f"Round {number}: {', '.join(names)}" for number, names in enumerate(self.rounds, 1)]
        return [*found, f"Left: {self.winner}"] if self.winner else found


def pairs_each(candidates: int, alive: int, pairs: int, seeds: int) -> int:
    """Return a candidate's number of pairs in a round of halving: against each seed or, without seeds, in total."""
    meetings = alive * seeds if seeds else alive // 2
    rounds = (candidates - 1).bit_length()
    return max(1, pairs // (rounds * meetings))


def count_pairs(candidates: int, pairs: int, seeds: int) -> int:
    """Return the number of pairs in all rounds of halving; each candidate plays at least one pair in a round."""
    total, alive = 0, candidates
    while alive > 1:
        meetings = alive * seeds if seeds else alive // 2
        total += meetings * pairs_each(candidates, alive, pairs, seeds)
        alive = (alive + 1) // 2
    return total


def _meet_each_other(alive: Sequence[str], count: int) -> list[tuple[str, str, int]]:
    """Return meetings in which each player plays `count` pairs against changing opponents, by the circle method."""
    circle: list[str | None] = [*alive, *([None] if len(alive) % 2 else [])]
    found: dict[tuple[str, str], int] = {}
    for _ in range(count):
        for one, other in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
            if one is not None and other is not None:
                meeting = (one, other) if alive.index(one) < alive.index(other) else (other, one)
                found[meeting] = found.get(meeting, 0) + 1
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [(one, other, pairs) for (one, other), pairs in found.items()]


# Number of extra pairs after which the better seed advances from a level meeting.
MOST_EXTRA = 10


class KnockoutStanding:
    """The bracket of a knockout with `pairs` pairs per meeting. `names` are in seeding order, the best first.

    If the number of players is not a power of 2, the best seeds sit out the first round. The best seeds meet as late as
    possible. A level meeting continues pair by pair.
    """

    def __init__(self, names: Sequence[str], pairs: int) -> None:
        self.rounds: list[list[tuple[str, str]]] = []
        self._results: list[list[str]] = []
        self.points: dict[str, float] = {}
        self._names, self._alive, self._pairs = list(names), list(names), pairs
        self._extra: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, scores: Mapping[str, float]) -> None:
        """Count a game of the current round by the points of its players."""
        for player, score in scores.items():
            self.points[player] = self.points.get(player, 0.0) + score

    def pair_up(self) -> list[tuple[str, str, int]]:
        """Return the next meetings with their numbers of pairs: level meetings or the next round; [] at the end."""
        open_meetings = [meeting for meeting in self.rounds[-1] if self._is_open(meeting)] if self.rounds else []
        for meeting in open_meetings:
            self._extra[meeting] += 1
        if open_meetings:
            return [(*meeting, 1) for meeting in open_meetings]
        if self.rounds:
            losers = {self._loser(meeting) for meeting in self.rounds[-1]}
            self._results.append([self._words(meeting) for meeting in self.rounds[-1]])
            self._alive = [name for name in self._alive if name not in losers]
        if len(self._alive) < 2:
            return []
        # The best remaining seed meets the worst, and so on; in the first round the best seeds have byes.
        size = 1 << (len(self._alive) - 1).bit_length()
        playing = self._alive[size - len(self._alive) :]
        self.rounds.append([(playing[index], playing[-1 - index]) for index in range(len(playing) // 2)])
        self.points = {}
        self._extra.clear()
        return [(*meeting, self._pairs) for meeting in self.rounds[-1]]

    def _is_open(self, meeting: tuple[str, str]) -> bool:
        one, other = meeting
        level = self.points.get(one, 0.0) == self.points.get(other, 0.0)
        return level and self._extra[meeting] < MOST_EXTRA

    def _words(self, meeting: tuple[str, str]) -> str:
        loser = self._loser(meeting)
        winner = meeting[meeting[0] == loser]
        return f"{winner} - {loser} {self.points.get(winner, 0.0):g}:{self.points.get(loser, 0.0):g}"

    def lines(self) -> list[str]:
        """Return text lines: the results of the finished rounds, and the winner."""
        found = [f"Round {number}: {', '.join(words)}" for number, words in enumerate(self._results, 1)]
        return [*found, f"Winner: {self.winner}"] if self.winner else found

    def _loser(self, meeting: tuple[str, str]) -> str:
        """Return the player with fewer points in a meeting of the current round; if it is level, the worse seed."""
        return min(meeting, key=lambda name: (self.points.get(name, 0.0), -self._names.index(name)))

    @property
    def winner(self) -> str | None:
        """The winner of the final; None until it is over."""
        return self._alive[0] if len(self._alive) == 1 else None


LEGS = "abc"
COLOURS = (BLACK, WHITE, RED)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game to be played. `players` are in the order Black, White, Red; `pair` counts from 1.

    With `shares_dice` all legs of a pair have the same dice. `attempt` counts from 1; each attempt has different dice.
    With `has_fresh_seed` the process that plays the game makes a seed, and tells nobody before the end. In a tuning,
    `parameters` are the values for each player's command. The other fields do not affect the game: `slot` numbers the
    games being played at the same time, from 1; `is_shown` asks for an HTML page; `export` is the format of samples, or
    "none"; `interferences` is the number of games between these players that are void because of interference.
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
    interferences: int = 0
    parameters: Parameters = field(default_factory=dict)

    @property
    def pair_id(self) -> str:
        """The id of the pair, such as mine-greedy/0007."""
        return f"{self.matchup}/{self.pair:04}"

    @property
    def id(self) -> str:
        """The id of the game and the name of its record, such as mine-greedy/0007b."""
        return self.pair_id + self.leg

    @property
    def secret(self) -> bytes:
        """The 32-byte secret of the dice. It reveals nothing about other games unless they share its dice."""
        return derive(self.seed, "dice", self.pair_id if self.shares_dice else self.id, *self._attempt)

    @property
    def _attempt(self) -> tuple[str, ...]:
        return () if self.attempt == 1 else (f"attempt {self.attempt}",)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in the order of the colours."""
        return tuple(player.name for player in self.players)

    def begin(self, dice: DiceStream) -> Table:
        """Return the table with the opening played. In a match of two games, the first event tells which game it is."""
        game = self.game
        number = LEGS.index(self.leg) + 2 * (game.tiebreak == "black_moves")
        terms = [pack(MATCH, number)] * (game.match == 2)
        return openings.begin(parse(game.spec), lambda: dice, self.opening, game.handicap, terms)

    def seat_seed(self, colour: int) -> str:
        """Return the seed for one player's random choices. It reveals nothing about the dice."""
        return derive(self.seed, "seat", self.id, str(colour), *self._attempt).hex()

    def player(self, colour: int) -> PlayerConfig:
        """Return the player who has this colour."""
        return self.players[COLOURS.index(colour)]


@dataclass(frozen=True, slots=True)
class Unit:
    """Games that are judged together: a pair between two players, or a round between three.

    In a tuning, `choose` returns the values for each player's command. This may take long, so it is called only when
    the pair is played.
    """

    matchup: Matchup
    pair: int
    choose: Callable[[], Parameters] = field(default=dict, compare=False)

    @property
    def id(self) -> str:
        """The id of the unit, such as mine-greedy/0007."""
        return f"{self.matchup.id}/{self.pair:04}"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the unit's games."""
        return tuple(self.id + leg for leg in LEGS[: len(self.matchup.players)])

    def fixtures(self, config: MatchConfig) -> Iterator[Fixture]:
        """Yield the games of this unit."""
        players, parameters = self.matchup.players, self.choose()
        if config.tuning is not None:
            players = tuple(config.tuning.fill(player, parameters.get(player.name)) for player in players)
        if len(players) > 2 and self.pair % 2 == 0:
            players = players[::-1]
        shares_dice = config.dice == "shared"
        is_fresh = config.has_fresh_seeds and not shares_dice
        for turn, leg in enumerate(LEGS[: len(players)]):
            yield Fixture(
                *(self.matchup.id, self.pair, leg),
                "" if is_fresh else config.seed,
                players[-turn:] + players[:-turn] if turn else players,
                self.matchup.game,
                config.opening(self.pair),
                shares_dice=shares_dice,
                has_fresh_seed=is_fresh,
                is_shown="html" in config.outputs.report.formats,
                export=config.outputs.export,
                parameters=parameters,
            )


def derive(seed: str, *purpose: str) -> bytes:
    """Return 32 bytes that follow from a seed and the purpose of these bytes."""
    return hmac.digest(seed.encode(), "\n".join(purpose).encode(), hashlib.sha256)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number`, from 1, of a match shared by `of` machines. Each part has every `of`th pair."""

    number: int = 1
    of: int = 1


WHOLE = Shard()


class Schedule:
    """The pairs of a match as far as they are known: first the first pair of each matchup, then the second of each.

    `rows` are the finished games by id; after adding some, call `next` again. `standing` is the state of a knockout or
    halving, and `tuning` the state of a tuning; each is None in any other match. `byes` are the rounds of a Swiss
    tournament that each player sits out.
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
            source = _play_rounds(_swiss_rounds(config, table), rows, table)
        elif config.tournament.type in ("knockout", "halving"):
            if config.tournament.type == "knockout":
                self.standing = KnockoutStanding(names, config.matchups[0].pairs)
            else:
                seeds = config.tournament.seeds or ()
                candidates = [name for name in names if name not in seeds]
                self.standing = HalvingStanding(candidates, config.tournament.pairs or 0, seeds)
            source = _play_rounds(_rounds(config, self.standing), rows, self.standing)
        elif config.tuning is not None:
            self.tuning = Tuning(config.tuning, config.seed)
            source = _tune(config, rows, self.tuning)
        else:
            source = _all(config.matchups)
        self._units = (unit for index, unit in enumerate(source) if index % shard.of == shard.number - 1)

    def next(self) -> Unit | None:
        """Return the next pair; None if it depends on unfinished games or if no pair is left."""
        return next(self._units, None)


def units(config: MatchConfig, rows: Mapping[str, ResultRow], shard: Shard = WHOLE) -> Iterator[Unit]:
    """Yield the pairs that are known so far, in the order of the schedule."""
    return iter(Schedule(config, rows, shard).next, None)


def _all(matchups: Sequence[Matchup]) -> Iterator[Unit]:
    for pair in range(1, max((matchup.pairs for matchup in matchups), default=0) + 1):
        yield from (Unit(matchup, pair) for matchup in matchups if pair <= matchup.pairs)


# A matchup, the number of its first pair in this meeting, and the number of pairs.
_Meeting = tuple[Matchup, int, int]


def _swiss_rounds(config: MatchConfig, table: SwissStanding) -> Iterator[list[_Meeting]]:
    between = {matchup.names: matchup for matchup in config.matchups}
    for number in range(config.swiss_rounds):
        met = [between[meeting] for meeting in table.pair_up()]
        yield [(matchup, number * matchup.pairs + 1, matchup.pairs) for matchup in met]


def _rounds(config: MatchConfig, standing: KnockoutStanding | HalvingStanding) -> Iterator[list[_Meeting]]:
    between = {frozenset(matchup.names): matchup for matchup in config.matchups}
    begun: Counter[str] = Counter()
    while meetings := standing.pair_up():
        found = []
        for one, other, pairs in meetings:
            matchup = between[frozenset((one, other))]
            found.append((matchup, begun[matchup.id] + 1, pairs))
            begun[matchup.id] += pairs
        yield found


def _play_rounds(
    rounds: Iterator[list[_Meeting]],
    rows: Mapping[str, ResultRow],
    standing: SwissStanding | KnockoutStanding | HalvingStanding,
) -> Iterator[Unit | None]:
    """Yield the pairs of each round. Once all games of a round are finished, count them and continue."""
    for meetings in rounds:
        columns = [[Unit(matchup, pair) for pair in range(first, first + count)] for matchup, first, count in meetings]
        found = [unit for line in zip_longest(*columns) for unit in line if unit is not None]
        yield from found
        yield from _wait(found, rows)
        for row in _rows_of(found, rows):
            standing.add({player: row.score(player) for player in row.players})


def _tune(config: MatchConfig, rows: Mapping[str, ResultRow], tuning: Tuning) -> Iterator[Unit | None]:
    """Yield batches of pairs, each chosen when all earlier results are known, then pairs that confirm the result."""
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
    """Return the values that a pair tries; once its first game is finished, return that game's values."""
    begun = [row for id in Unit(matchup, pair).ids if (row := rows.get(id)) is not None]
    return begun[0].parameters if begun else tuning.ask(pair, matchup.names)


def _wait(found: Sequence[Unit], rows: Mapping[str, ResultRow]) -> Iterator[None]:
    """Yield None until all games of these pairs are finished."""
    for unit in found:
        while not all(id in rows for id in unit.ids):
            yield None


def _rows_of(found: Sequence[Unit], rows: Mapping[str, ResultRow]) -> list[ResultRow]:
    return [rows[id] for unit in found for id in unit.ids]


def count_games(config: MatchConfig, shard: Shard = WHOLE) -> int:
    """Return the number of games in a match that does not end early, without extra pairs of a knockout."""
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
