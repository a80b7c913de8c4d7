"""What a match is, as values: players, games, who meets whom, when to stop. `reader` makes them from a file."""

import hashlib
import hmac
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from gtp_variants._version import __version__
from gtp_variants.players import bots
from gtp_variants.players.clock import TimeControl

MOVE_LIMIT = 1000
NO_CLOCK = TimeControl()
# More games than anybody plays by mistake.
MOST_PAIRS = 10_000_000

_INTERPRETER = re.compile(r"(python|pypy|java|node|perl|ruby|lua|bash|sh|wine)[0-9.]*")


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long a player may take. `control` is its clock in the game, of kind "none" where it has none.

    A move that takes up to `margin_s` more than the clock has left is still in time. `startup_s` is the deadline for a
    program's first answer, `command_s` that of every other one; a move without a clock has `command_s`, too.
    """

    control: TimeControl = NO_CLOCK
    margin_s: float = 0.1
    startup_s: float = 30.0
    command_s: float = 60.0


NO_LIMITS = TimeLimits()


@dataclass(frozen=True, slots=True)
class BotConfig:
    """A player that is a bot in the process that plays the game; `bot` as `players.bots.load` reads it."""

    name: str
    bot: str
    limits: TimeLimits = NO_LIMITS
    threads: int = 1


@dataclass(frozen=True, slots=True)
class ProgramConfig:
    """A player that is a program, started by a command and spoken to in GTP.

    `command` is a program and its arguments, for no shell; {seed}, {game} and {slot} in an argument stand for the seed
    of this seat in this game, the id of the game (`a-b/0007b`) and `slot`, the number from 1 of the games that go on
    at the same time. `cwd` is absolute, None where the match runs. `env` is laid over our own environment. `startup`
    are GTP commands sent before each game. `restart` is "game" (a fresh process for each game), "never" or
    "on-failure" (a fresh one after a game in which it failed). `limits` are its own laid over those of the games.
    `stderr` is "file", "discard" or "sgf". `aliases` are command -> what this program calls it. `threads` is how many
    cores it uses. `gtp_log` is "never", "on-failure" or "always": whether the talk with it is written down; what is
    kept only on failure is deleted by whoever runs the match, not by the player. `version` is what it says that it is,
    None before it was asked.
    """

    name: str
    command: tuple[str, ...]
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    startup: tuple[str, ...] = ()
    restart: str = "game"
    limits: TimeLimits = NO_LIMITS
    stderr: str = "file"
    aliases: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    gtp_log: str = "on-failure"
    slot: int = 1
    version: str | None = None


PlayerConfig = BotConfig | ProgramConfig


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What the games of a matchup have in common.

    `move_limit` counts stones and passes; `on_move_limit` is what a game is then: "score" (as the board stands), "void"
    or "draw". `try_limit` is how often a player may try in one turn of a hidden game; whoever does so more often loses;
    None: as often as they like, as the rules have it. `on_crash` is "loss", "replay" (at most `replays` times, then a
    loss) or "stop", and holds for hangs and garbled answers as well; `on_timeout` is "loss" or "stop". After
    `max_failures` failures of one player the match stops; None never stops it. `handicap` are Black's stones before the
    start. With `match` 2 the games of a pair are a match of two, and `tiebreak` "black_moves" decides it where both won
    as Black: fewer stones win.
    """

    spec: str
    move_limit: int = MOVE_LIMIT
    on_move_limit: str = "score"
    max_failures: int | None = 5
    handicap: int = 0
    on_crash: str = "loss"
    replays: int = 0
    on_timeout: str = "loss"
    match: int = 1
    tiebreak: str = "none"
    try_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Matchup:
    """Players who meet in pairs of games, three of them in rounds of three. `id` follows from their names.

    Two players play a pair with swapped colours, three a round in which everybody has every colour once.
    """

    id: str
    players: tuple[PlayerConfig, ...]
    pairs: int
    game: GameSettings

    @property
    def names(self) -> tuple[str, ...]:
        """Who meets."""
        return tuple(player.name for player in self.players)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test: whether the first player is `elo1` stronger rather than `elo0`.

    `model` is what Elo means: "normalized", "logistic" or "bayesian".
    """

    players: tuple[str, str]
    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"


@dataclass(frozen=True, slots=True)
class Stops:
    """When a match ends before its last pair: the first rule that fires, judged on pairs in the order of the schedule.

    `elo_error` is half the width of the 95 % interval, of every player where there are more than two; `games` counts
    games.
    """

    sprt: Sprt | None = None
    elo_error: float | None = None
    games: int | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game begins: stones on the board, who is first then, and moves (colour, action) after them."""

    name: str
    moves: tuple[tuple[int, int], ...]
    setup: tuple[tuple[int, int], ...] = ()
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is written beside the results. `db` is the store's file name in `folder`.

    `sgf` is "per-game", "collection" or "none"; `formats` are of "text", "json" and "html", written after every
    `every` games and at the end.
    """

    folder: Path
    db: str = "arena.db"
    sgf: str = "per-game"
    csv: bool = False
    every: int = 0
    formats: tuple[str, ...] = ()
    gtp_log: str = "on-failure"


@dataclass(frozen=True)
class MatchConfig:
    """A whole match.

    `matchups` are all that can be met; a Swiss tournament of `swiss_rounds` rounds plays only some of them, each
    meeting of as many pairs as the matchup has. `seed` is "" where the file has none: then the match gets one of its
    own, see `MatchStore.seed`. `openings` are as they stand in the file or folder called `opening_file`;
    `opening_order` is "random" (shuffled by the seed) or "sequential", and `opening_start` the number from 1 of the
    one that the first pair takes.
    """

    name: str
    players: Mapping[str, PlayerConfig]
    matchups: tuple[Matchup, ...]
    seed: str
    outputs: Outputs
    type: str = "playoff"
    swiss_rounds: int = 0
    openings: tuple[Opening, ...] = ()
    opening_file: str = ""
    opening_order: str = "random"
    opening_start: int = 1
    stops: Stops = Stops()
    concurrency: int = 1
    executor: str = "local"
    description: str = ""

    @property
    def folder(self) -> Path:
        """Where everything is kept."""
        return self.outputs.folder

    @property
    def store_file(self) -> Path:
        """Where the results are kept."""
        return self.outputs.folder / self.outputs.db

    def opening(self, pair: int) -> Opening | None:
        """How the games of a pair begin, the same for whoever meets; None from the empty board."""
        found = self._ordered_openings
        return found[(self.opening_start + pair - 2) % len(found)] if found else None

    @cached_property
    def _ordered_openings(self) -> tuple[Opening, ...]:
        if self.opening_order == "sequential":
            return self.openings
        # By digests and not by a generator, so that every version of Python agrees.
        keys = [hmac.digest(self.seed.encode(), f"opening\n{i}".encode(), "sha256") for i in range(len(self.openings))]
        return tuple(self.openings[index] for index in sorted(range(len(keys)), key=lambda index: keys[index]))

    @cached_property
    def _openings_digest(self) -> str:
        """What tells these openings in this order from others; "" for none."""
        if not self.openings:
            return ""
        said = [(opening.moves, opening.setup, opening.first) for opening in self.openings]
        about = f"{said} {self.opening_order} {self.opening_start}"
        return hashlib.sha256(about.encode()).hexdigest()[:16]

    def settings(self, matchup: Matchup) -> dict[str, Any]:
        """Everything that decides how the games of a matchup go, and nothing else: not how many there are."""
        game = matchup.game
        found = {
            "seed": self.seed,
            "variant": game.spec,
            "move_limit": game.move_limit,
            "on_move_limit": game.on_move_limit,
            "handicap": game.handicap,
            "on_crash": f"{game.on_crash}:{game.replays}" if game.replays else game.on_crash,
            "openings": self._openings_digest,
            "match": f"{game.match} {game.tiebreak}",
        }
        if game.try_limit is not None:
            found["try_limit"] = game.try_limit
        return {**found, "players": {player.name: identity(player) for player in matchup.players}}


def identity(player: PlayerConfig) -> dict[str, Any]:
    """What makes a player who it is: whoever changes it is another player.

    Of files that are named, a program's own among them, it is their content, not where they lie.
    """
    limits = player.limits
    found: dict[str, Any] = {"time": time_words(limits), "margin": f"{limits.margin_s:g}s"}
    if isinstance(player, BotConfig):
        file = bots.file_of(player.bot)
        is_file = file is not None and file.is_file()
        found["bot"] = player.bot[player.bot.index(file.name) :] if file and is_file else player.bot
        # One that has a name is known by the package whose search it may use, too.
        source = file if is_file else bots.source_of(player.bot)
        digest = f"sha256:{_digest(source)}" if source and source.is_file() else ""
        found["version"] = digest if is_file else f"gtp-variants {__version__} {digest}".strip()
        return found
    found["command"] = " ".join([Path(player.command[0]).name, *map(_without_folder, player.command[1:])])
    found["files"] = {Path(word).name: f"sha256:{_digest(file)}" for word, file in _files(player)}
    found["version"] = player.version
    found["startup"], found["restart"] = list(player.startup), player.restart
    found["env"], found["aliases"] = dict(sorted(player.env.items())), dict(sorted(player.aliases.items()))
    return found


def _without_folder(word: str) -> str:
    return Path(word).name if Path(word).is_absolute() else word


def _files(player: ProgramConfig) -> list[tuple[str, Path]]:
    """The program and every file that its arguments name, as far as they are on this machine."""
    where = player.cwd or Path()
    program = shutil.which(player.command[0], path=player.env.get("PATH")) or str(where / player.command[0])
    named = [(word, where / word) for word in player.command[1:]]
    # Of an interpreter it is the script that matters, and two machines seldom have the same one.
    if not _INTERPRETER.fullmatch(Path(player.command[0]).stem.lower()):
        named.append((player.command[0], Path(program)))
    return [(word, file) for word, file in named if file.is_file()]


def _digest(file: Path) -> str:
    about = file.stat()
    return _digest_of(file, about.st_mtime_ns, about.st_size)


@lru_cache
def _digest_of(file: Path, changed_ns: int, size: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()[:16]


def time_words(limits: TimeLimits) -> str:
    """A player's clock in words, such as 30s+1s; "none" without one."""
    control = limits.control
    main = f"{control.main_s:g}s"
    if control.kind == "fischer":
        return f"{main}+{control.increment_s:g}s"
    if control.kind == "byoyomi":
        return f"{main}+{control.periods}x{control.period_s:g}s"
    if control.kind == "canadian":
        return f"{main}+{control.period_s:g}s/{control.stones}"
    return main if control.kind == "absolute" else "none"


def overtime_words(control: TimeControl) -> str:
    """What follows the main time, as other programs write it into an SGF `OT`; "" if nothing does."""
    period = f"{control.period_s:g}"
    return {
        "fischer": f"{control.increment_s:g} fischer",
        "byoyomi": f"{control.periods}x{period} byo-yomi",
        "canadian": f"{control.stones}/{period} Canadian",
    }.get(control.kind, "")
