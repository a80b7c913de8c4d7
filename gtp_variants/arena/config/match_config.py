"""The values that describe a match, and the keys of a match file that fill them.

A field declared with `option` or `required` is a key of a match file.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gtp_variants.ai.samples.formats import FORMATS as SAMPLE_FORMATS
from gtp_variants.arena.config import player_config
from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, ProgramConfig, TimeLimits
from gtp_variants.arena.openings import Opening
from gtp_variants.base import config_files as files
from gtp_variants.base.config_files import Key, Node, Reader, block, either, keys_of, option, part, quote, required
from gtp_variants.base.folders import user_path
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.dask_cluster import EXECUTORS, LOCAL, TlsFiles, read_executor
from gtp_variants.players import config_readers as readers
from gtp_variants.players.config_readers import PAIRS, TEXT, TEXTS, TRUTH, choice, number, or_none, scalar, whole
from gtp_variants.statistics.sprt import MODELS

MOVE_LIMIT = 1000
# Maximum number of pairs; a larger number is taken for a typing error.
MOST_PAIRS = 10_000_000
FORMATS = ("text", "json", "html")
# Tournament types in which results decide which games are played next.
ADAPTIVE = ("swiss", "knockout", "halving", "tune")
TYPES = ("playoff", "roundrobin", "gauntlet", *ADAPTIVE)
DICE = ("own", "shared")
_PAIRS = whole(1, MOST_PAIRS)

METHODS = ("spsa", "bayesian")
# Number of pairs per batch. All pairs of a batch use the same estimate, so that they can be played at the same time.
BATCHES = {"spsa": 8, "bayesian": 16}
# A parameter's default step, as a share of its range, measured by `benchmarks/statistics/tuning.py`.
STEP = 0.1
# The default rate of tuning, measured by the same benchmark.
RATE = 0.05

Values = Mapping[str, float]
# For each player, the values of the placeholders in its command.
Parameters = Mapping[str, Values]


def _one_or_two(word: str) -> int:
    if word not in ("1", "2"):
        raise ValueError
    return int(word)


def _read_db(node: Node) -> str:
    word = node.text()
    if word.lower() in ("true", "yes", "on"):
        return "arena.db"
    if word.lower() in ("false", "no", "off") or Path(word).name != word:
        node.refuse(f"expected true or the name of a file in outputs.dir for the results, not {quote(word)}")
    return word


@dataclass(frozen=True, slots=True)
class GameSettings:
    """The rules and limits that all games of a matchup share.

    `on_crash` is "loss", "replay" (at most `replays` times, then a loss) or "stop"; it also applies to hangs and
    garbled answers. With `match` 2 and `tiebreak` "black_moves", if both players won as Black, the winner with fewer
    stones wins the match.
    """

    spec: str
    move_limit: int = option("move_limit", whole(), MOVE_LIMIT, "stones and passes after which a game is ended")
    on_move_limit: str = option("on_move_limit", choice("score", "void", "draw"), "score", "result at the move limit")
    max_failures: int | None = option("max_failures", or_none(whole()), 5, "failures of a player that stop the match")
    handicap: int = option("handicap", whole(0), 0, "Black's stones before the start")
    on_timeout: str = option("on_timeout", choice("loss", "stop"), "loss", "what happens if a player exceeds its time")
    match: int = option("match", scalar("1 or 2", _one_or_two), 1, "2: the games of a pair are a match of two games")
    tiebreak: str = option("tiebreak", choice("none", "black_moves"), "none", "if both won as Black: fewer moves win")
    try_limit: int | None = option(
        "try_limit", or_none(whole()), None, "tries in one turn of a hidden game; one more loses the game"
    )
    on_crash: str = "loss"
    replays: int = 0


@dataclass(frozen=True, slots=True)
class Matchup:
    """Players who meet. The matchup's `id` is made from their names.

    Two players play pairs of games with swapped colours. Three play rounds in which each player has every colour once.
    """

    id: str
    players: tuple[PlayerConfig, ...]
    pairs: int
    game: GameSettings

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(player.name for player in self.players)


@dataclass(frozen=True, slots=True)
class TuneParameter:
    """A number to be tuned in a player's command. With `is_whole` only whole numbers are tried.

    `step` (fishtest's c_end) is the distance from the estimate at which SPSA tries values in the last pair; None means
    a tenth of the range. `rate` (fishtest's r_end) is the share of a result by which the estimate moves in that pair.
    """

    start: float = required("start", number(), "where tuning begins", "value with which tuning begins")
    low: float = required("min", number(), "the smallest value allowed", "smallest value allowed")
    high: float = required("max", number(), "the largest value allowed", "largest value allowed")
    step: float | None = option(
        "step", number(above=0), None, "spsa: distance tried at the end (default: 0.1 of the range)"
    )
    rate: float = option("rate", number(above=0), RATE, "spsa only: how far a result moves the estimate at the end")
    is_whole: bool = option("whole", TRUTH, False, "whole numbers only")

    @property
    def range(self) -> float:
        """The difference between the largest and the smallest value."""
        return self.high - self.low

    @property
    def last_step(self) -> float:
        """The step in the last pair: `step`, or its default."""
        return STEP * self.range if self.step is None else self.step

    def word(self, value: float) -> str:
        """Return a value as it is written in a command."""
        return f"{value:.0f}" if self.is_whole else f"{value:g}"

    def clip(self, value: float, rounding: float = 0.5) -> float:
        """Return the nearest value that a command can have.

        A whole parameter is rounded up if its fraction is at least 1 - `rounding` (0 to 1).
        """
        value = min(self.high, max(self.low, value))
        return float((value + rounding) // 1) if self.is_whole else float(f"{value:.6g}")


@dataclass(frozen=True)
class TuningConfig:
    """The tuning of a match. The command of `player` has a placeholder for each of the `parameters`.

    `method` is one of `METHODS`. The Bayesian method plays candidates against the player named `against`, or against
    the start values if that is "". The values of `batch` pairs are chosen together.
    """

    player: PlayerConfig
    parameters: Mapping[str, TuneParameter]
    method: str
    pairs: int
    batch: int
    against: str = ""

    @property
    def start(self) -> dict[str, float]:
        """The start value of each parameter."""
        return {name: each.clip(each.start) for name, each in self.parameters.items()}

    def fill(self, player: PlayerConfig, values: Values | None) -> PlayerConfig:
        """Return `player` with the tuned command, `values` in its placeholders; unchanged if `values` is None."""
        if values is None:
            return player
        words = {name: self.parameters[name].word(value) for name, value in values.items()}
        if isinstance(player, BotConfig):
            assert isinstance(self.player, BotConfig)
            return replace(player, bot=player_config.fill_placeholders(self.player.bot, words))
        assert isinstance(self.player, ProgramConfig)
        command, startup = (
            tuple(player_config.fill_placeholders(line, words) for line in lines)
            for lines in (self.player.command, self.player.startup)
        )
        return replace(player, command=command, startup=startup)

    def settings(self) -> Json:
        """Return every setting that affects which values are tried."""
        found = {
            name: [each.start, each.low, each.high, each.last_step, each.rate, each.is_whole]
            for name, each in self.parameters.items()
        }
        return {"method": self.method, "pairs": self.pairs, "batch": self.batch, "parameters": found}


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test of the first player's Elo advantage: at most `elo0` (H0), or `elo1` (H1)."""

    players: tuple[str, ...] = option("players", TEXTS, (), "the two tested players, the first against the second")
    elo0: float = option("elo0", number(), 0.0, "hypothesis H0: the first player's advantage is at most this")
    elo1: float = required(
        "elo1", number(), "how much stronger the first player should be", "hypothesis H1: it is this"
    )
    alpha: float = option("alpha", number(0, 0.5), 0.05, "probability of accepting H1 wrongly")
    beta: float = option("beta", number(0, 0.5), 0.05, "probability of accepting H0 wrongly")
    model: str = option("model", choice(*MODELS), "normalized", "kind of Elo that elo0 and elo1 are given in")


@dataclass(frozen=True, slots=True)
class Stops:
    """The rules that can end a match early. They are checked after each pair, in the order of the schedule."""

    sprt: Sprt | None = option("sprt", block(Sprt), None, "a sequential probability ratio test")
    elo_error: float | None = option(
        "elo_error", number(above=0), None, "half the width of each player's 95 % interval, in Elo"
    )
    games: int | None = option("games", whole(), None, "number of games played")


@dataclass(frozen=True, slots=True)
class ReportOutputs:
    """The reports to write during a match and at its end."""

    every: int = option("every", whole(0), 0, "games between two reports; 0: only one at the end")
    formats: tuple[str, ...] = option("format", readers.list_of(choice(*FORMATS)), (), "formats to write")


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that a match writes. `db` is the file name of the store in `folder`."""

    folder: Path = option("dir", scalar("a folder", user_path), Path("out/{name}"), "folder of all files of the match")
    db: str = option("db", Reader("true or the name of a file", _read_db), "arena.db", "database of the results")
    sgf: str = option("sgf", choice("per-game", "collection", "none"), "per-game", "records of the games")
    gtp_log: str = option("gtp_log", choice("never", "on-failure", "always"), "on-failure", "GTP logs that are kept")
    csv: bool = option("csv", TRUTH, False, "write a table of the games")
    export: str = option(
        "export", choice(*SAMPLE_FORMATS, "none"), "none", "format of training samples, which go into NAME.samples"
    )
    report: ReportOutputs = option("report", block(ReportOutputs), ReportOutputs(), "the reports")


def _only(word: str, why: str) -> Reader[str]:
    """Return a reader that accepts only `word`; its error for anything else contains `why`."""

    def parse(given: str) -> str:
        if given != word:
            raise ValueError(f"expected {word}, not {quote(given)}: {why}")
        return given

    return scalar(word, parse)


def _read_on_crash(word: str) -> tuple[str, int]:
    name, _, count = word.partition(":")
    if word in ("loss", "stop"):
        return word, 0
    if name != "replay" or (count and not count.isdecimal()):
        raise ValueError
    return name, int(count or 1)


_ON_CRASH = scalar("loss, replay:N or stop", _read_on_crash)


def _read_options(node: Node) -> dict[str, str]:
    return {key.lower(): word for key, word in PAIRS.read(node).items()}


@dataclass(frozen=True, slots=True)
class GameBlock:
    """A `defaults` or `game` block of a file: the game and how it is played.

    `limits` has fields of `TimeLimits`, `settings` has fields of `GameSettings`. `path` is the block's path in a file.
    """

    variant: str | None = option("variant", TEXT, None, "a SPEC such as aleago:size=13")
    options: Mapping[str, str] = option("options", replace(PAIRS, read=_read_options), {}, "override those of the SPEC")
    komi: str | None = option("komi", TEXT, None, "short for options: {komi: ...}")
    score: str = option("score", _only("referee", "the rules count, nobody else"), "referee", "who counts")
    illegal: str = option(
        "illegal", _only("loss", "only Go Fantôme allows refused tries"), "loss", "cost of an illegal move"
    )
    on_crash: tuple[str, int] | None = option("on_crash", _ON_CRASH, None, "what happens after a crash or hang")
    limits: Mapping[str, Any] = option("limits", part(TimeLimits), {}, "time that players may take")
    settings: Mapping[str, Any] = field(default_factory=dict)
    path: str = "defaults"

    @property
    def spec_options(self) -> dict[str, str]:
        """The options, including the komi."""
        return {**({} if self.komi is None else {"komi": self.komi}), **self.options}

    def over(self, base: "GameBlock") -> "GameBlock":
        """Return this block merged over `base`, whose options are ignored if this block has a variant of its own."""
        is_own = self.variant is not None
        return replace(
            self if is_own else base,
            options=self.spec_options if is_own else {**base.spec_options, **self.spec_options},
            komi=None,
            on_crash=self.on_crash or base.on_crash,
            limits={**base.limits, **self.limits},
            settings={**base.settings, **self.settings},
        )


def _read_game(node: Node) -> GameBlock:
    values = files.read_keys(node, _GAME.keys)
    settings = {key.attribute: values.pop(key.attribute) for key in keys_of(GameSettings) if key.attribute in values}
    return GameBlock(**values, settings=settings, path=node.path)


_GAME = Reader("a block", _read_game, (*keys_of(GameBlock), *keys_of(GameSettings)))


@dataclass(frozen=True, slots=True)
class MatchupBlock:
    """Players who meet. Without `pairs` the tournament's number applies, and without `game` the `defaults`."""

    players: tuple[str, ...] = required("players", TEXTS, "the players who meet", "the players who meet")
    pairs: int | None = option("pairs", _PAIRS, None, "pairs of games, if not those of the tournament")
    game: GameBlock = option("game", _GAME, GameBlock(), "overrides `defaults`")


def _read_matchups(node: Node) -> tuple[MatchupBlock, ...]:
    if not isinstance(node.value, list) or not node.value:
        node.refuse("expected a list such as [{players: [a, b], pairs: 20}]")
    return readers.list_of(block(MatchupBlock)).read(node)


_MATCHUPS = Reader("a list of blocks", _read_matchups, keys_of(MatchupBlock), "[]")


def _read_parameters(node: Node) -> dict[str, TuneParameter]:
    if not isinstance(node.value, dict) or not node.value:
        node.refuse("expected at least one parameter, such as `exploration: {start: 1, min: 0, max: 2}`")
    found = {}
    for name, value in node.value.items():
        child, given = node.child(str(name), value), player_config.GIVEN_PLACEHOLDERS
        if not re.fullmatch(player_config.PARAMETER, str(name)) or name in given:
            child.fault(f"expected a word of letters, digits and _ that is not {either(given)}")
        found[str(name)] = files.read(TuneParameter, child)
    return found


_PARAMETERS = Reader("parameters by name", _read_parameters, keys_of(TuneParameter), ".NAME")


@dataclass(frozen=True, slots=True)
class TournamentBlock:
    """The pairing system of a match: who meets whom, and how many games they play."""

    type: str = required("type", choice(*TYPES), f"expected {either(TYPES)}", "pairing system")
    players: tuple[str, ...] | None = option("players", TEXTS, None, "players who take part, if not all")
    seeds: tuple[str, ...] | None = option("seeds", TEXTS, None, "gauntlet, halving: players who meet all the others")
    pairs: int | None = option("pairs", _PAIRS, None, "pairs of games with swapped colours; halving, tune: in all")
    rounds: int | None = option("rounds", whole(), None, "swiss: number of rounds")
    matchups: tuple[MatchupBlock, ...] | None = option("matchups", _MATCHUPS, None, "playoff: the matchups, one by one")
    parameters: Mapping[str, TuneParameter] | None = option("parameters", _PARAMETERS, None, "tune: the parameters")
    method: str | None = option("method", choice(*METHODS), None, "tune: method, spsa by default")
    batch: int | None = option("batch", whole(), None, "tune: pairs that are chosen together")
    confirm: int | None = option("confirm", whole(), None, "tune: pairs of the result against the start values")


@dataclass(frozen=True, slots=True)
class OpeningsBlock:
    """The openings of a match: each pair of games begins with one of these openings."""

    file: str = required(
        "file", TEXT, "an SGF file, a folder of them, or a text of moves", "SGF file, folder, text, or a built-in name"
    )
    order: str = option("order", choice("random", "sequential"), "random", "shuffled by the seed, or as in the file")
    plies: int | None = option("plies", whole(), None, "number of moves taken from each opening")
    start: int = option("start", whole(), 1, "number of the first pair's opening")


_TLS_KEYS = (
    Key("ca", readers.FILE, "certificates; peers must show one of them, or one they signed", missing="a PEM file"),
    Key("cert", readers.FILE, "the certificate of this machine", missing="a PEM file"),
    Key("key", readers.FILE, "the private key of that certificate", missing="a PEM file"),
)


def _read_tls(node: Node) -> TlsFiles | None:
    found = files.read_keys(node, _TLS_KEYS)
    return TlsFiles(**found) if len(found) == len(_TLS_KEYS) else None


_TLS = Reader("a block", _read_tls, _TLS_KEYS)


@dataclass(frozen=True)
class MatchFile:
    """The keys that a match file can have. `resolve` checks whether the blocks fit each other."""

    arena: str = required("arena", choice("1"), "this version reads `arena: 1`", "version of this format")
    name: str = option("name", readers.NAME, "", "name of the match; default: the name of the file")
    description: str = option("description", TEXT, "", "a sentence for the report")
    players: Mapping[str, PlayerConfig] = option("players", player_config.PLAYERS, {}, "a block for each, by its name")
    defaults: GameBlock = option("defaults", _GAME, GameBlock(), "settings that all games share")
    tournament: TournamentBlock = option("tournament", block(TournamentBlock), TournamentBlock(), "who meets whom")
    book: OpeningsBlock = option("openings", block(OpeningsBlock), OpeningsBlock(), "how the games begin")
    stops: Stops = option("stop", block(Stops), Stops(), "limits at which the match ends early")
    seed: str = option("seed", TEXT, "", "source of all random choices; by default a new secret")
    dice: str = option(
        "dice", choice(*DICE), "", "own (default): each game has its own; shared: the games of a pair have the same"
    )
    preflight: str = option(
        "preflight", choice("start", "rules"), "start", "programs are started before the first game; rules: tested, too"
    )
    concurrency: int = option("concurrency", whole(), 1, "games played at the same time")
    executor: str = option("executor", scalar(EXECUTORS, read_executor), LOCAL, "where games are played")
    tls: TlsFiles | None = option("tls", _TLS, None, "PEM files for an executor dask:tls://HOST:PORT")
    outputs: Outputs = option("outputs", block(Outputs), Outputs(), "the files that are written")


@dataclass(frozen=True)
class MatchConfig(MatchFile):
    """A complete match: the keys of its file and everything that follows from them.

    `players` include the limits that they play under. `matchups` are all possible matchups: a Swiss tournament,
    knockout or halving plays only some of them. A tuning tries candidates in its first matchup and confirms the result
    in its second.

    `seed` is "" if the file has none. Then `MatchStore.make_seed` makes one and `has_fresh_seeds` is True: each game
    has a seed of its own, unless dice are shared. `dice` is one of `DICE`, or "" if the file has none; then
    `MatchStore.dice` applies. `openings` have the order of the file or folder.
    """

    matchups: tuple[Matchup, ...] = ()
    has_fresh_seeds: bool = False
    tuning: TuningConfig | None = None
    openings: tuple[Opening, ...] = ()

    @property
    def is_adaptive(self) -> bool:
        """True if results decide which games are played next."""
        return self.tournament.type in ADAPTIVE

    @property
    def is_paired_by_results(self) -> bool:
        """True if results decide who meets; then `matchups` are all possible matchups."""
        return self.is_adaptive and self.tuning is None

    @property
    def swiss_rounds(self) -> int:
        """The number of rounds of a Swiss tournament; 0 for any other type."""
        return self.tournament.rounds or 0

    @property
    def folder(self) -> Path:
        """The folder that contains all files of the match."""
        return self.outputs.folder

    @property
    def store_file(self) -> Path:
        """The path of the database with the results."""
        return self.outputs.folder / self.outputs.db

    def opening(self, pair: int) -> Opening | None:
        """Return the opening of a pair, the same in every matchup; None for the empty board."""
        found = self._ordered_openings
        return found[(self.book.start + pair - 2) % len(found)] if found else None

    @cached_property
    def _ordered_openings(self) -> tuple[Opening, ...]:
        if self.book.order == "sequential":
            return self.openings
        # Shuffle by sorting digests, because a random generator may change between versions of Python.
        keys = [hmac.digest(self.seed.encode(), f"opening\n{i}".encode(), "sha256") for i in range(len(self.openings))]
        return tuple(self.openings[index] for index in sorted(range(len(keys)), key=lambda index: keys[index]))

    @cached_property
    def _openings_digest(self) -> str:
        """A digest of the openings and their order; "" without openings."""
        if not self.openings:
            return ""
        said = [(opening.moves, opening.setup, opening.first) for opening in self.openings]
        about = f"{said} {self.book.order} {self.book.start}"
        return hashlib.sha256(about.encode()).hexdigest()[:16]

    def settings(self, matchup: Matchup) -> Json:
        """Return every setting that affects the course of a matchup's games; the number of games is not among them."""
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
        return {**found, "players": {player.name: player_config.identity(player) for player in matchup.players}}
