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
# The bots that can limit their thinking by processor time.
_BY_TIME = ("mcts", "phantom", "blind")
# Maximum attempts to find an opening that no earlier pair has.
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
        """Return the first and second player of the series, with their kind of clock."""
        return self._clocked(self.series.first), self._clocked(self.series.second)

    def _clocked(self, bot: str) -> str:
        by_time = bot.partition(":")[0] in _BY_TIME and "seconds=0," not in f"{bot},"
        return f"{bot}{',' if ':' in bot else ':'}cpu_time=true" if by_time and not self.wall else bot

    @property
    def settings(self) -> str:
        """Return a word that changes with anything that affects the games of the series."""
        series = self.series
        decisive: list[object] = [_rules(series.spec).spec, *self.bots, series.form, self.seed, OPENING_PLIES]
        if series.openings:
            decisive.append(opening_lines(series.openings))
        # A network's file keeps its name after more training.
        decisive += [digest for bot in self.bots if (digest := _weights_digest(bot))]
        # The meaning of a level may change, too.
        decisive += [repr(level) for bot in self.bots if (level := _level(bot, series.spec))]
        return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()[:12]

    @property
    def id(self) -> tuple[str, str, int, str]:
        """The id of the game in a file of results."""
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
        """The id of the fixture."""
        return self.series, self.settings, self.pair, self.leg

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> "Played":
        """Return the game of a line. Raises ValueError, TypeError or KeyError for an invalid line."""
        facts: dict[str, Any] = json.loads(line)
        pairs = {key: tuple(facts[key]) for key in ("moves", "playouts", "seconds")}
        return cls(**{**facts, **pairs})


class GameFailed(Exception):
    """A player broke the rules or failed, so the game does not count."""


class _Measured:
    """A player whose moves, playouts and seconds are counted.

    The seconds of another program are those of its processes from its first move on, while the opponent thinks, too.
    """

    def __init__(self, player: Any, wall: bool) -> None:
        self._player = player
        self._is_program = isinstance(player, gnugo.GnuGo) and not wall
        self._clock = player.processor_seconds if self._is_program else _clock(wall)
        self.sit, self.hear, self.leave = player.sit, player.hear, player.leave
        self.moves = self.playouts = 0
        self.seconds = self._ended = 0.0

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        begun = self._ended if self._is_program and self.moves else self._clock()
        action: int = self._player.choose(view, clock)
        self._ended = self._clock()
        self.seconds += self._ended - begun
        self.moves += 1
        found = getattr(self._player, "found", None)
        self.playouts += found.playouts if found else 0
        return action


def load(bot: str) -> Any:
    """Return a player by name. Raises ConfigError or NotationError for an unknown one."""
    if bot.startswith((gnugo.PREFIX, gnugo.PROGRAM_PREFIX)):
        return gnugo.load(bot)
    return blind.load(bot.removeprefix(blind.PREFIX)) if bot.startswith(blind.PREFIX) else bots.load(bot)


def play(fixture: Fixture) -> Played:
    """Play a game to its end. Raises GameFailed with the reason."""
    series, pair = fixture.series, f"{fixture.pair}"
    rules = _rules(series.spec)
    dice = gv.DiceStream(_secret(rules.spec, fixture.seed, fixture.pair))
    table = gv.Table(rules, lambda: dice)
    opening = opening_of(fixture, rules)
    for point in opening:
        # The stones of an opening file show which lines were open.
        table.play_for_host(table.position.mover, point)
    players = [load(bot) for bot in fixture.bots]
    watched = [_Measured(each, fixture.wall) for each in players]
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


# Making some boards takes time.
_rules = cache(gv.parse)


def _clock(wall: bool) -> Callable[[], float]:
    return time.perf_counter if wall else time.process_time


def _secret(spec: str, seed: str, pair: int) -> bytes:
    return derive(seed, "dice", spec, f"{pair}")


def opening_of(fixture: Fixture, rules: gv.Rules) -> Sequence[int]:
    """Return the opening points of a game. Raises ConfigError if a file has no line for its pair."""
    file = fixture.series.openings
    if not file:
        return openings(rules.spec, fixture.seed, fixture.pair)[-1]
    return file_opening(file, fixture.pair - 1, rules)


def file_opening(file: str, index: int, rules: gv.Rules) -> list[int]:
    """Return the points of a line, counted from 0, of an opening file. Raises ConfigError if there is none."""
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
    """Return a digest of the weight file that a bot names, or "" without one."""
    found = re.search(r"\bnet=([^,]+)", bot)
    file = Path(found[1]) if found else None
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file and file.is_file() else ""


def _level(bot: str, spec: str) -> Level | None:
    """Return the settings of a bot's level in a game, or None without a level."""
    found = re.search(r"\blevel=(\d+)", bot)
    return level_of(_rules(spec), int(found[1])) if found else None


def openings(spec: str, seed: str, count: int) -> list[tuple[int, ...]]:
    """Return the opening points of the first `count` pairs, all different if the board has enough."""
    found: list[tuple[int, ...]] = []
    for pair in range(1, count + 1):
        tries = [_random_opening(spec, seed, pair, 0)]
        while tries[-1] in found and len(tries) < _TRIES:
            tries.append(_random_opening(spec, seed, pair, len(tries)))
        found.append(tries[-1])
    return found


@cache
def _random_opening(spec: str, seed: str, pair: int, attempt: int) -> tuple[int, ...]:
    """Return random stones, if possible away from the edge, where a stone would decide too much."""
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
    """Return a word that changes with any code that affects play."""
    package = Path(gv.__file__).parent
    parts = ("rules", "ai", "players")
    files = [file for part in parts for file in sorted((package / part).rglob("*"))]
    digest = hashlib.sha256()
    for file in (*files, *sorted((package.parent / "bots").glob("*.py"))):
        if file.suffix in (".py", ".so", ".pyd", ".toml", ".json", ".safetensors"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]
