"""One game of a series: its opening, its dice, its players and what came of it.

Everything random follows from a seed. Pair number n has the same opening and the same dice in all series at one SPEC.
In leg "a" of a pair the first player of the series has Black, in leg "b" the second.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import gtp_variants as gv
from benchmarks.strength.matches import blind, gnugo
from benchmarks.strength.matches.series import LEGS, Series
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.run.referee import Referee
from gtp_variants.arena.schedule import derive
from gtp_variants.players import bots
from gtp_variants.players.levels import Level, level_of

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
        decisive: list[object] = [_rules(series.spec).spec, *self.bots, series.form, self.seed, OPENING_PLIES]
        if series.openings:
            decisive.append(opening_lines(series.openings))
        # A network keeps its file's name when it has learnt more.
        decisive += [digest for bot in self.bots if (digest := _weights_digest(bot))]
        # Nor does a level say what it is today.
        decisive += [repr(level) for bot in self.bots if (level := _level(bot, series.spec))]
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
    if bot.startswith((gnugo.PREFIX, gnugo.PROGRAM_PREFIX)):
        return gnugo.load(bot)
    return blind.load(bot.removeprefix(blind.PREFIX)) if bot.startswith(blind.PREFIX) else bots.load(bot)


def play(fixture: Fixture) -> Played:
    """Play a game to its end. Raises GameFailed that says what went wrong."""
    series, pair = fixture.series, f"{fixture.pair}"
    rules = _rules(series.spec)
    dice = gv.DiceStream(_secret(rules.spec, fixture.seed, fixture.pair))
    table = gv.Table(rules, lambda: dice)
    opening = opening_of(fixture, rules)
    for point in opening:
        # Of a file, whose stones say which lines were open.
        table.play_for_host(table.position.mover, point)
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


def opening_of(fixture: Fixture, rules: gv.Rules) -> Sequence[int]:
    """The points with which a game begins. Raises ConfigError if a file has no line for its pair."""
    file = fixture.series.openings
    if not file:
        return openings(rules.spec, fixture.seed, fixture.pair)[-1]
    return file_opening(file, fixture.pair - 1, rules)


def file_opening(file: str, index: int, rules: gv.Rules) -> list[int]:
    """The points of a line of an opening file, counted from 0. Raises ConfigError if it has not so many."""
    lines = opening_lines(file)
    if index >= len(lines):
        raise gv.ConfigError([f"{file}: {len(lines)} openings, expected at least {index + 1}"])
    return [rules.board.point(vertex) for vertex in lines[index].split()]


@cache
def opening_lines(file: str) -> tuple[str, ...]:
    """The moves of each opening of a file; comments begin with #."""
    text = Path(file).read_text(encoding="utf-8")
    return tuple(moves for line in text.splitlines() if (moves := line.partition("#")[0].strip()))


def _weights_digest(bot: str) -> str:
    """A word for the weight file that a bot names; "" if it names none."""
    found = re.search(r"\bnet=([^,]+)", bot)
    file = Path(found[1]) if found else None
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file and file.is_file() else ""


def _level(bot: str, spec: str) -> Level | None:
    """What the level of a bot stands for at a game; None if it names none."""
    found = re.search(r"\blevel=(\d+)", bot)
    return level_of(_rules(spec), int(found[1])) if found else None


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
    parts = ("rules", "mcts", "belief", "nets", "players")
    files = [file for part in parts for file in sorted((package / part).rglob("*"))]
    digest = hashlib.sha256()
    for file in (*files, *sorted((package.parent / "bots").glob("*.py"))):
        if file.suffix in (".py", ".so", ".pyd", ".json", ".safetensors"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]
