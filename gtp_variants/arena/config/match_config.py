"""A match as values: its games, who meets whom, when it stops, what is written. Fields declare the keys of a file."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gtp_variants.ai.samples.formats import FORMATS as SAMPLE_FORMATS
from gtp_variants.arena.config.player_config import PlayerConfig, identity
from gtp_variants.arena.config.tuning_config import TuningConfig
from gtp_variants.base.config_files import Node, Reader, block, option, quote, required
from gtp_variants.base.folders import user_path
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.dask_cluster import LOCAL, TlsFiles
from gtp_variants.players.config_readers import TEXTS, TRUTH, choice, list_of, number, or_none, scalar, whole
from gtp_variants.statistics.sprt import MODELS

MOVE_LIMIT = 1000
# More games than anybody plays by mistake.
MOST_PAIRS = 10_000_000
FORMATS = ("text", "json", "html")
# Tournaments in which results decide who plays what next.
ADAPTIVE = ("swiss", "knockout", "halving", "tune")
DICE = ("own", "shared")

_FOLDER = scalar("a folder", user_path)


def _one_or_two(word: str) -> int:
    if word not in ("1", "2"):
        raise ValueError
    return int(word)


def _read_db(node: Node) -> str:
    word = node.text()
    if word.lower() in ("true", "yes", "on"):
        return "arena.db"
    if word.lower() in ("false", "no", "off") or Path(word).name != word:
        about = "the name of a file in outputs.dir"
        node.refuse(f"expected true or {about}, not {quote(word)}; results live in it")
    return word


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What the games of a matchup have in common.

    `on_crash` is "loss", "replay" (at most `replays` times, then a loss) or "stop", and holds for hangs and garbled
    answers as well. With `match` 2 and `tiebreak` "black_moves", the one with fewer stones wins if both won as Black.
    """

    spec: str
    move_limit: int = option("move_limit", whole(), MOVE_LIMIT, "stones and passes until a game is ended")
    on_move_limit: str = option(
        "on_move_limit", choice("score", "void", "draw"), "score", "what a game is then; score: as the board stands"
    )
    max_failures: int | None = option(
        "max_failures", or_none(whole()), 5, "failures of one player after which the match stops"
    )
    handicap: int = option("handicap", whole(0), 0, "Black's stones before the start")
    on_timeout: str = option("on_timeout", choice("loss", "stop"), "loss", "what overstepping the time costs")
    match: int = option("match", scalar("1 or 2", _one_or_two), 1, "2: the games of a pair are a match of two games")
    tiebreak: str = option(
        "tiebreak", choice("none", "black_moves"), "none", "who wins a match of two that each won as Black: fewer moves"
    )
    try_limit: int | None = option(
        "try_limit", or_none(whole()), None, "tries of a player in one turn of a hidden game; more lose the game"
    )
    on_crash: str = "loss"
    replays: int = 0


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
    """A sequential probability ratio test: whether the first player is `elo1` stronger rather than `elo0`."""

    players: tuple[str, ...] = option("players", TEXTS, (), "the two it is about, the first against the second")
    elo0: float = option("elo0", number(), 0.0, "H0: the first is not stronger than this")
    elo1: float = required(
        "elo1", number(), "how much stronger the first player is if the test is to accept it", "H1: it is this strong"
    )
    alpha: float = option("alpha", number(0, 0.5), 0.05, "how often H1 may be accepted wrongly")
    beta: float = option("beta", number(0, 0.5), 0.05, "how often H0 may be accepted wrongly")
    model: str = option("model", choice(*MODELS), "normalized", "what Elo means")


@dataclass(frozen=True, slots=True)
class Stops:
    """When a match ends before its last pair: the first rule that fires, judged on pairs in their order."""

    sprt: Sprt | None = option("sprt", block(Sprt), None, "a sequential probability ratio test")
    elo_error: float | None = option(
        "elo_error", number(above=0), None, "half the width of the 95 % interval, of every player, in Elo"
    )
    games: int | None = option("games", whole(), None, "so many games")


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game begins: stones on the board, who is first then, and moves (colour, action) after them."""

    name: str
    moves: tuple[tuple[int, int], ...]
    setup: tuple[tuple[int, int], ...] = ()
    first: int | None = None


@dataclass(frozen=True, slots=True)
class ReportOutputs:
    """Which reports are written while a match goes on and at its end."""

    every: int = option("every", whole(0), 0, "after how many games; 0: at the end only")
    formats: tuple[str, ...] = option("format", list_of(choice(*FORMATS)), (), "in which forms")


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is written beside the results. `db` is the store's file name in `folder`."""

    folder: Path = option("dir", _FOLDER, Path("out/{name}"), "the folder, from where the command is run")
    db: str = option("db", Reader("true or the name of a file", _read_db), "arena.db", "the database of the results")
    sgf: str = option("sgf", choice("per-game", "collection", "none"), "per-game", "the records of the games")
    gtp_log: str = option(
        "gtp_log", choice("never", "on-failure", "always"), "on-failure", "whether the talk with programs is kept"
    )
    csv: bool = option("csv", TRUTH, False, "a table of the games")
    export: str = option(
        "export",
        choice(*SAMPLE_FORMATS, "none"),
        "none",
        "what networks learn from, beside the database in NAME.samples: observations, masks, visits, values, outcomes",
    )
    report: ReportOutputs = option("report", block(ReportOutputs), ReportOutputs(), "the reports")


@dataclass(frozen=True)
class MatchConfig:
    """A whole match.

    `matchups` are all that can be met; a Swiss tournament of `swiss_rounds` rounds plays only some of them, each
    meeting of as many pairs as the matchup has, and a knockout likewise. A halving plays `budget` pairs in all, against
    `seeds` if there are any. The first matchup tells what `tuning` asks, the second confirms it.

    `seed` is "" where the file has none: then the match gets one of its own, see `MatchStore.seed`, and
    `has_fresh_seeds`: each game has another beside it, unless dice are shared. `dice` is one of `DICE`: whether each
    game of a pair has dice of its own or all have the same; "" where the file does not say: then as the match was
    begun, see `MatchStore.dice`. `openings` are as they stand in the file or folder called `opening_file`;
    `opening_order` is "random" (shuffled by the seed) or "sequential", and `opening_start` the number from 1 of the one
    that the first pair takes.
    """

    name: str
    players: Mapping[str, PlayerConfig]
    matchups: tuple[Matchup, ...]
    seed: str
    outputs: Outputs
    dice: str = ""
    has_fresh_seeds: bool = False
    type: str = "playoff"
    swiss_rounds: int = 0
    seeds: tuple[str, ...] = ()
    budget: int = 0
    tuning: TuningConfig | None = None
    openings: tuple[Opening, ...] = ()
    opening_file: str = ""
    opening_order: str = "random"
    opening_start: int = 1
    stops: Stops = Stops()
    concurrency: int = 1
    executor: str = LOCAL
    tls: TlsFiles | None = None
    description: str = ""

    @property
    def is_adaptive(self) -> bool:
        """Whether results decide who plays what next."""
        return self.type in ADAPTIVE

    @property
    def is_paired_by_results(self) -> bool:
        """Whether results decide who meets whom: `matchups` then are all who may meet."""
        return self.is_adaptive and self.tuning is None

    @property
    def folder(self) -> Path:
        """Where everything is kept."""
        return self.outputs.folder

    @property
    def store_file(self) -> Path:
        """Where the results are kept."""
        return self.outputs.folder / self.outputs.db

    @property
    def sample_folder(self) -> Path:
        """Where samples are written, if they are: beside the results and called like them."""
        return self.store_file.with_suffix(".samples")

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

    def settings(self, matchup: Matchup) -> Json:
        """Everything that decides how the games of a matchup go, and nothing else: not how many there are."""
        game = matchup.game
        found = {
            "seed": self.seed,
            "dice": self.dice,
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
        if self.tuning is not None:
            found["tuning"] = self.tuning.settings()
        return {**found, "players": {player.name: identity(player) for player in matchup.players}}
