"""One game of a series: its opening, its dice, its players and what came of it.

Everything random follows from a seed. Pair number n has the same opening and the same dice in all series at one SPEC.
In leg "a" of a pair the first player of the series has Black, in leg "b" the second.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import gtp_variants as gv
from benchmarks.strength import blind, gnugo
from benchmarks.strength.series import LEGS, Series
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.run.referee import Referee
from gtp_variants.arena.schedule import derive
from gtp_variants.players import bots

OPENING_PLIES = 2
# The bots that can think by the processor's clock.
_BY_TIME = ("mcts", "phantom", "blind")
# So often another opening is tried where a pair has got one that an earlier pair has.
_TRIES = 100


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game that is to be played. With `wall` the seconds of a move are those of the clock on the wall, else those
    that the processor spends on it, which no other load can bend.
    """

    series: Series
    pair: int
    leg: str
    seed: str
    wall: bool = False

    @property
    def bots(self) -> tuple[str, str]:
        """First and second player of the series, with the clock they think by."""
        return self._clocked(self.series.first), self._clocked(self.series.second)

    def _clocked(self, bot: str) -> str:
        by_time = bot.partition(":")[0] in _BY_TIME and "seconds=0," not in f"{bot},"
        return f"{bot}{',' if ':' in bot else ':'}cpu_time=true" if by_time and not self.wall else bot

    @property
    def settings(self) -> str:
        """A word that differs as soon as anything differs that decides how the games of the series go."""
        series = self.series
        decisive = [_rules(series.spec).spec, *self.bots, series.form, self.seed, OPENING_PLIES]
        return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()[:12]

    @property
    def id(self) -> tuple[str, str, int, str]:
        """What a game is known by in a file of results."""
        return self.series.name, self.settings, self.pair, self.leg


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game. Pairs of numbers are those of the first and the second player of the series.

    `score` is the first player's: 1, 0.5 or 0. `moves` are how often each thought, `playouts` and `seconds` what it
    took in all. `refused` counts moves of GNU Go that our rules forbid. `build` tells versions of our code apart.
    """

    series: str
    settings: str
    pair: int
    leg: str
    score: float
    result: str
    how: str
    plies: int
    moves: tuple[int, int]
    playouts: tuple[int, int]
    seconds: tuple[float, float]
    wall_s: float
    refused: int
    opening: str
    build: str

    @property
    def id(self) -> tuple[str, str, int, str]:
        """As of the fixture."""
        return self.series, self.settings, self.pair, self.leg

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> "Played":
        """The game of a line. Raises ValueError, TypeError or KeyError for anything else."""
        facts: dict[str, Any] = json.loads(line)
        pairs = {key: tuple(facts[key]) for key in ("moves", "playouts", "seconds")}
        return cls(**{**facts, **pairs})


class GameFailed(Exception):
    """A player broke the rules or down; the game counts for nobody."""


class _Measured:
    """A player whose moves, playouts and seconds are counted."""

    def __init__(self, player: Any, clock: Callable[[], float]) -> None:
        self._player = player
        self._clock = clock
        self.sit, self.hear, self.leave = player.sit, player.hear, player.leave
        self.moves = self.playouts = 0
        self.seconds = 0.0

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        begun = self._clock()
        action: int = self._player.choose(view, clock)
        self.seconds += self._clock() - begun
        self.moves += 1
        found = getattr(self._player, "found", None)
        self.playouts += found.playouts if found else 0
        return action


def load(bot: str) -> Any:
    """A player by name. Raises ConfigError or NotationError for what there is not."""
    if bot.startswith(gnugo.PREFIX):
        return gnugo.GnuGo(bot.removeprefix(gnugo.PREFIX))
    return blind.load(bot.removeprefix(blind.PREFIX)) if bot.startswith(blind.PREFIX) else bots.load(bot)


def play(fixture: Fixture) -> Played:
    """Play a game to its end. Raises GameFailed that says what went wrong."""
    series, pair = fixture.series, f"{fixture.pair}"
    rules = _rules(series.spec)
    dice = gv.DiceStream(_secret(rules.spec, fixture.seed, fixture.pair))
    table = gv.Table(rules, lambda: dice)
    opening = openings(rules.spec, fixture.seed, fixture.pair)[-1]
    for point in opening:
        table.play(table.position.mover, point)
    players = [load(bot) for bot in fixture.bots]
    # A process of its own is not seen by our processor clock.
    watched = [_Measured(each, _clock(fixture.wall or isinstance(each, gnugo.GnuGo))) for each in players]
    seats = dict(zip(rules.colours, watched if fixture.leg == LEGS[0] else reversed(watched), strict=True))
    seeds = {c: derive(fixture.seed, "seat", series.name, pair, fixture.leg, str(c)).hex() for c in seats}
    begun = time.monotonic()
    verdict = Referee(table, seats, seeds, GameSettings(series.spec)).run()
    outcome = verdict.outcome
    if verdict.failures or outcome is None:
        raise GameFailed(f"{series.name} {pair}{fixture.leg}: {verdict.kind}: {verdict.why}")
    first = rules.colours[LEGS.index(fixture.leg)]
    return Played(
        *fixture.id,
        0.5 if outcome.winner is None else float(outcome.winner == first),
        outcome.sgf,
        outcome.how if verdict.kind == "played" else verdict.kind,
        int(table.position.turn) - 1,
        (watched[0].moves, watched[1].moves),
        (watched[0].playouts, watched[1].playouts),
        (round(watched[0].seconds, 3), round(watched[1].seconds, 3)),
        round(time.monotonic() - begun, 3),
        sum(each.refused for each in players if isinstance(each, gnugo.GnuGo)),
        " ".join(map(rules.board.vertex, opening)),
        build(),
    )


# Some boards take a while to make.
_rules = cache(gv.parse)


def _clock(wall: bool) -> Callable[[], float]:
    return time.perf_counter if wall else time.process_time


def _secret(spec: str, seed: str, pair: int) -> bytes:
    return derive(seed, "dice", spec, f"{pair}")


def openings(spec: str, seed: str, count: int) -> list[tuple[int, ...]]:
    """The points of the openings of the first `count` pairs, all different as long as the board has enough of them."""
    found: list[tuple[int, ...]] = []
    for pair in range(1, count + 1):
        tries = [_random_opening(spec, seed, pair, 0)]
        while tries[-1] in found and len(tries) < _TRIES:
            tries.append(_random_opening(spec, seed, pair, len(tries)))
        found.append(tries[-1])
    return found


@cache
def _random_opening(spec: str, seed: str, pair: int, attempt: int) -> tuple[int, ...]:
    """Random stones, away from the edge where that is possible: a stone on the first lines would decide too much."""
    rules, dice = _rules(spec), gv.DiceStream(_secret(spec, seed, pair))
    table, board = gv.Table(rules, lambda: dice), rules.board
    rng = Random(derive(seed, "opening", spec, f"{pair}", f"{attempt}"))
    widest = max(map(len, board.neighbours))
    inner = {point for point, near in enumerate(board.neighbours) if len(near) == widest}
    played: list[int] = []
    for _ in range(OPENING_PLIES):
        position = table.position
        points = [point for point in rules.legal(position) if point >= 0 and not rules.loses(position, point)]
        away = [point for point in points if {point, *board.neighbours[point]} <= inner]
        played.append(rng.choice(away or points))
        table.play(position.mover, played[-1])
    return tuple(played)


@cache
def build() -> str:
    """A word that changes with any code that decides how we play."""
    package = Path(gv.__file__).parent
    files = [file for part in ("rules", "thinking", "players") for file in sorted((package / part).glob("*"))]
    digest = hashlib.sha256()
    for file in (*files, *sorted((package.parent / "bots").glob("*.py"))):
        if file.suffix in (".py", ".so", ".pyd"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]
