"""A match as values: its games, who meets whom, when it stops, what is written. Fields declare the keys of a file.

A field that is declared with `option` or `required` is a key of a match file: how it is read and what it means.
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
from gtp_variants.arena.config.player_config import (
    GIVEN_PLACES,
    PARAMETER,
    PLAYERS,
    PlayerConfig,
    TimeLimits,
    identity,
)
from gtp_variants.arena.config.tuning_config import METHODS, TuneParameter, TuningConfig
from gtp_variants.arena.openings import Opening
from gtp_variants.base.config_files import (
    Key,
    Node,
    Reader,
    block,
    either,
    keys_of,
    option,
    part,
    quote,
    read,
    read_keys,
    required,
)
from gtp_variants.base.folders import user_path
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.dask_cluster import EXECUTORS, LOCAL, TlsFiles, read_executor
from gtp_variants.players.config_readers import (
    FILE,
    NAME,
    PAIRS,
    TEXT,
    TEXTS,
    TRUTH,
    choice,
    list_of,
    number,
    or_none,
    scalar,
    whole,
)
from gtp_variants.statistics.sprt import MODELS

MOVE_LIMIT = 1000
# More games than anybody plays by mistake.
MOST_PAIRS = 10_000_000
FORMATS = ("text", "json", "html")
# Tournaments in which results decide who plays what next.
ADAPTIVE = ("swiss", "knockout", "halving", "tune")
TYPES = ("playoff", "roundrobin", "gauntlet", *ADAPTIVE)
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


def _only(word: str, why: str) -> Reader[str]:
    """A key of which one value is all there is, and why."""

    def parse(given: str) -> str:
        if given != word:
            raise ValueError(f"{quote(given)}: there is only {word}: {why}")
        return given

    return scalar(word, parse)


def _read_on_crash(word: str) -> tuple[str, int]:
    name, _, count = word.partition(":")
    if word in ("loss", "stop"):
        return word, 0
    if name != "replay" or (count and not count.isdecimal()):
        raise ValueError
    return name, int(count or 1)


def _read_options(node: Node) -> dict[str, str]:
    return {key.lower(): word for key, word in PAIRS.read(node).items()}


@dataclass(frozen=True, slots=True)
class GameBlock:
    """A `defaults` or `game` block: the game, and what is said of how it is played.

    `limits` are fields of `TimeLimits`, `settings` fields of `GameSettings`; `path` is where the block stands.
    """

    variant: str | None = option("variant", TEXT, None, "a SPEC such as aleago:size=13")
    options: Mapping[str, str] = option("options", replace(PAIRS, read=_read_options), {}, "laid over the SPEC")
    komi: str | None = option("komi", TEXT, None, "short for options: {komi: ...}")
    score: str = option("score", _only("referee", "the rules count, nobody else"), "referee", "who counts")
    illegal: str = option(
        "illegal",
        _only("loss", "a try that Go Fantôme refuses is no failure, any other loses the game"),
        "loss",
        "what an illegal move costs",
    )
    on_crash: tuple[str, int] | None = option(
        "on_crash",
        scalar("loss, replay:N or stop", _read_on_crash),
        None,
        "what a crash or a hang costs",
    )
    limits: Mapping[str, Any] = option("limits", part(TimeLimits), {}, "how long players may take")
    settings: Mapping[str, Any] = field(default_factory=dict)
    path: str = "defaults"

    @property
    def spec_options(self) -> dict[str, str]:
        """The options with the komi among them."""
        return {**({} if self.komi is None else {"komi": self.komi}), **self.options}

    def over(self, base: "GameBlock") -> "GameBlock":
        """This block laid over another one; options belong to the variant that they stand beside."""
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
    values = read_keys(node, _GAME.keys)
    settings = {key.attribute: values.pop(key.attribute) for key in keys_of(GameSettings) if key.attribute in values}
    return GameBlock(**values, settings=settings, path=node.path)


_GAME = Reader("a block", _read_game, (*keys_of(GameBlock), *keys_of(GameSettings)))


@dataclass(frozen=True, slots=True)
class MatchupBlock:
    """Players who meet, how often, and in which game if not in that of `defaults`."""

    players: tuple[str, ...] = required("players", TEXTS, "those who meet", "who meets")
    pairs: int | None = option("pairs", whole(1, MOST_PAIRS), None, "pairs of games, if not those of the tournament")
    game: GameBlock = option("game", _GAME, GameBlock(), "laid over `defaults`")


def _read_matchups(node: Node) -> tuple[MatchupBlock, ...]:
    if not isinstance(node.value, list) or not node.value:
        node.refuse("expected a list such as [{players: [a, b], pairs: 20}]")
    return list_of(block(MatchupBlock)).read(node)


_MATCHUPS = Reader("a list of blocks", _read_matchups, keys_of(MatchupBlock), "[]")


def _read_parameters(node: Node) -> dict[str, TuneParameter]:
    if not isinstance(node.value, dict) or not node.value:
        node.refuse("expected at least one, such as `exploration: {start: 1, min: 0, max: 2}`")
    found = {}
    for name, value in node.value.items():
        child = node.child(str(name), value)
        if not re.fullmatch(PARAMETER, str(name)) or name in GIVEN_PLACES:
            child.fault(f"expected a word of letters, digits and _ that is not {either(GIVEN_PLACES)}")
        found[str(name)] = read(TuneParameter, child)
    return found


_PARAMETERS = Reader("parameters by name", _read_parameters, keys_of(TuneParameter), ".NAME")


@dataclass(frozen=True, slots=True)
class TournamentBlock:
    """Who meets whom, and how often."""

    type: str = required("type", choice(*TYPES), f"expected {either(TYPES)}", "how they meet")
    players: tuple[str, ...] | None = option("players", TEXTS, None, "who takes part, if not all")
    seeds: tuple[str, ...] | None = option("seeds", TEXTS, None, "of a gauntlet or halving: who meets all the others")
    pairs: int | None = option(
        "pairs", whole(1, MOST_PAIRS), None, "pairs of games with swapped colours; of halving and tune: in all"
    )
    rounds: int | None = option("rounds", whole(), None, "of a swiss tournament: how many")
    matchups: tuple[MatchupBlock, ...] | None = option("matchups", _MATCHUPS, None, "of a playoff: each by itself")
    parameters: Mapping[str, TuneParameter] | None = option(
        "parameters", _PARAMETERS, None, "of tune: what stands in braces in a player's command"
    )
    method: str | None = option("method", choice(*METHODS), None, "of tune: spsa where nothing is said")
    batch: int | None = option("batch", whole(), None, "of tune: pairs that are chosen at a time")
    confirm: int | None = option("confirm", whole(), None, "of tune: pairs of the result against the start values")


@dataclass(frozen=True, slots=True)
class OpeningsBlock:
    """How the games of each pair begin."""

    file: str = required(
        "file",
        TEXT,
        "an SGF file, a folder of them, or a text of moves",
        "SGF, a folder, a text, or one of ours",
    )
    order: str = option("order", choice("random", "sequential"), "random", "shuffled by the seed, or as they stand")
    plies: int | None = option("plies", whole(), None, "so many moves of each")
    start: int = option("start", whole(), 1, "the number of the one that the first pair takes")


_TLS_KEYS = (
    Key("ca", FILE, "certificates: whoever shows one of them, or one they signed, is trusted", missing="a PEM file"),
    Key("cert", FILE, "the certificate of this machine", missing="a PEM file"),
    Key("key", FILE, "the private key of that certificate", missing="a PEM file"),
)


def _read_tls(node: Node) -> TlsFiles | None:
    files = read_keys(node, _TLS_KEYS)
    return TlsFiles(**files) if len(files) == len(_TLS_KEYS) else None


_TLS = Reader("a block", _read_tls, _TLS_KEYS)


@dataclass(frozen=True)
class MatchFile:
    """All that a match file can say. Whether its blocks fit each other is seen once all are read."""

    arena: str = required("arena", choice("1"), "this version reads `arena: 1`", "version of this format")
    name: str = option("name", NAME, "", "what the match is called, if not like the file")
    description: str = option("description", TEXT, "", "a sentence for the report")
    players: Mapping[str, PlayerConfig] = option("players", PLAYERS, {}, "each a name of your own and a block")
    defaults: GameBlock = option("defaults", _GAME, GameBlock(), "what all games have in common")
    tournament: TournamentBlock = option("tournament", block(TournamentBlock), TournamentBlock(), "who meets whom")
    book: OpeningsBlock = option("openings", block(OpeningsBlock), OpeningsBlock(), "how the games begin")
    stops: Stops = option("stop", block(Stops), Stops(), "when it ends before its last pair")
    seed: str = option("seed", TEXT, "", "where everything random comes from; none: a secret of its own")
    dice: str = option(
        "dice",
        choice(*DICE),
        "",
        "own (where nothing is said): no game of a pair tells another's dice; shared: the same dice for all games of a "
        "pair, which takes some chance out of the result, but players who remember know them in the second game",
    )
    concurrency: int = option("concurrency", whole(), 1, "games at a time")
    executor: str = option("executor", scalar(EXECUTORS, read_executor), LOCAL, "where games are played")
    tls: TlsFiles | None = option("tls", _TLS, None, "of an executor dask:tls://HOST:PORT: PEM files")
    outputs: Outputs = option("outputs", block(Outputs), Outputs(), "what is written, and where")


@dataclass(frozen=True)
class MatchConfig(MatchFile):
    """A whole match: what its file says, and what follows from that. Players have the limits that they play under.

    `matchups` are all that can be met; a Swiss tournament plays only some of them, each meeting of as many pairs as the
    matchup has, and a knockout likewise. The first matchup tells what `tuning` asks, the second confirms it.

    `seed` is "" where the file has none: then the match gets one of its own, see `MatchStore.seed`, and
    `has_fresh_seeds`: each game has another beside it, unless dice are shared. `dice` is one of `DICE`: whether each
    game of a pair has dice of its own or all have the same; "" where the file does not say: then as the match was
    begun, see `MatchStore.dice`. `openings` are as they stand in the file or folder of `book`.
    """

    matchups: tuple[Matchup, ...] = ()
    has_fresh_seeds: bool = False
    tuning: TuningConfig | None = None
    openings: tuple[Opening, ...] = ()

    @property
    def is_adaptive(self) -> bool:
        """Whether results decide who plays what next."""
        return self.tournament.type in ADAPTIVE

    @property
    def is_paired_by_results(self) -> bool:
        """Whether results decide who meets whom: `matchups` then are all who may meet."""
        return self.is_adaptive and self.tuning is None

    @property
    def swiss_rounds(self) -> int:
        """The number of rounds of a Swiss tournament, 0 in any other."""
        return self.tournament.rounds or 0

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
        return found[(self.book.start + pair - 2) % len(found)] if found else None

    @cached_property
    def _ordered_openings(self) -> tuple[Opening, ...]:
        if self.book.order == "sequential":
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
        about = f"{said} {self.book.order} {self.book.start}"
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
