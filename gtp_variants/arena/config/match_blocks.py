"""The blocks of a match file as dataclasses, which declare what each key is, how it is read and what it means."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from gtp_variants.arena.config.match_config import ADAPTIVE, DICE, MOST_PAIRS, GameSettings, Outputs, Stops
from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, ProgramConfig, TimeLimits
from gtp_variants.arena.config.tuning_config import GIVEN_PLACES, METHODS, PARAMETER, TuneParameter, has_places
from gtp_variants.base.config_files import (
    FieldUnreadable,
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
from gtp_variants.base.processes.dask_cluster import EXECUTORS, LOCAL, TlsFiles, read_executor
from gtp_variants.players import bots
from gtp_variants.players.config_readers import (
    BOT,
    FILE,
    NAME,
    PAIRS,
    TEXT,
    TEXTS,
    choice,
    command,
    list_of,
    scalar,
    whole,
)
from gtp_variants.players.isolated.player import describe

TYPES = ("playoff", "roundrobin", "gauntlet", *ADAPTIVE)
BOT_PREFIX = "bot:"

_PROGRAM = command("a program and its arguments, or bot:NAME")


# -- players -----------------------------------------------------------------------------------------------------------


def _read_command(node: Node) -> str | tuple[str, ...]:
    word = node.value.strip() if isinstance(node.value, str) else ""
    if word.startswith(BOT_PREFIX):
        bot = replace(node, value=word.removeprefix(BOT_PREFIX))
        # Whether a bot with places for parameters can be, is seen when they are filled in.
        return bots.relocate(node.folder, bot.value.strip()) if has_places(bot.value) else BOT.read(bot)
    return _PROGRAM.read(node)


# The name of a bot, or a program and its arguments.
COMMAND: Reader[str | tuple[str, ...]] = Reader(_PROGRAM.expected, _read_command, schema=_PROGRAM.schema)


def configure_player(name: str, command: str | tuple[str, ...], **more: Any) -> PlayerConfig:
    """A player who is a bot, given by its name, or a program, given by its command."""
    if isinstance(command, tuple):
        return ProgramConfig(name, command, **more)
    threads = 1 if has_places(command) else describe(command).threads
    return BotConfig(name, command, **{"threads": threads, **more})


@dataclass(frozen=True, slots=True)
class PlayerBlock:
    """A player as the file has it: without the limits of the games it plays. `limits` are fields of `TimeLimits`."""

    player: PlayerConfig
    limits: Mapping[str, Any] = field(default_factory=dict)


_PLAYER_KEYS = (
    Key("command", COMMAND, "bot:NAME for one of ours or a class in a file; or a program that speaks GTP", missing=""),
    *keys_of(ProgramConfig),
    *keys_of(BotConfig),
    Key("limits", part(TimeLimits), "how long it may take, laid over the limits of the games"),
)


def _read_player(name: str, node: Node) -> PlayerBlock | None:
    """A player; None after a fault in its command, without which nobody knows what it is."""
    if isinstance(node.value, dict):
        # What stood behind a comma of a command in `{}`, which makes keys of it.
        cut = [str(key) for key, value in node.value.items() if value is None and "=" in str(key)]
        for key in cut:
            sentence = f"ends before {quote(key)}; a command with commas stands in quotes"
            node.child("command").fault(sentence)
        node = replace(node, value={key: value for key, value in node.value.items() if str(key) not in cut})
    values = read_keys(node, _PLAYER_KEYS)
    command, limits = values.pop("command", None), values.pop("limits", {})
    is_bot = isinstance(command, str)
    for each in keys_of(ProgramConfig if is_bot else BotConfig):
        if each.name != "threads" and each.name in node.value:
            node.child(each.name).fault(f"belongs to {'programs' if is_bot else 'bots'}")
            values.pop(each.attribute, None)
    return None if command is None else PlayerBlock(configure_player(name, command, **values), limits)


def read_command(name: str, command: str, node: Node, **more: Any) -> PlayerBlock | None:
    """A player from its name and the text of its command, with `more` fields; None after a fault."""
    child = node.child(f"players.{name}")
    with suppress(FieldUnreadable):
        NAME.read(replace(child, value=name))
        return PlayerBlock(configure_player(name, COMMAND.read(child.child("command", command)), **more))
    return None


def _read_players(node: Node) -> dict[str, PlayerBlock | None]:
    if not isinstance(node.value, dict) or not node.value:
        node.refuse("expected at least two, such as `mine: {command: bot:greedy}`")
    found: dict[str, PlayerBlock | None] = dict.fromkeys(map(str, node.value))
    for key, value in node.value.items():
        child = node.child(str(key), value)
        with suppress(FieldUnreadable):
            NAME.read(replace(child, value=str(key)))
        with suppress(FieldUnreadable):
            found[str(key)] = _read_player(str(key), child)
    return found


_PLAYERS = Reader("players by name", _read_players, _PLAYER_KEYS, ".NAME")


# -- games -------------------------------------------------------------------------------------------------------------


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


# -- who meets, and how games begin ------------------------------------------------------------------------------------


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


# -- where games are played --------------------------------------------------------------------------------------------

_TLS_KEYS = (
    Key("ca", FILE, "certificates: whoever shows one of them, or one they signed, is trusted", missing="a PEM file"),
    Key("cert", FILE, "the certificate of this machine", missing="a PEM file"),
    Key("key", FILE, "the private key of that certificate", missing="a PEM file"),
)


def _read_tls(node: Node) -> TlsFiles | None:
    files = read_keys(node, _TLS_KEYS)
    return TlsFiles(**files) if len(files) == len(_TLS_KEYS) else None


_TLS = Reader("a block", _read_tls, _TLS_KEYS)


# -- the whole file ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchFile:
    """All that a match file can say. Whether its blocks fit each other is seen once all are read."""

    arena: str = required("arena", choice("1"), "this version reads `arena: 1`", "version of this format")
    name: str = option("name", NAME, "", "what the match is called, if not like the file")
    description: str = option("description", TEXT, "", "a sentence for the report")
    players: Mapping[str, PlayerBlock | None] = option("players", _PLAYERS, {}, "each a name of your own and a block")
    defaults: GameBlock = option("defaults", _GAME, GameBlock(), "what all games have in common")
    tournament: TournamentBlock = option("tournament", block(TournamentBlock), TournamentBlock(), "who meets whom")
    openings: OpeningsBlock | None = option("openings", block(OpeningsBlock), None, "how the games begin")
    stop: Stops = option("stop", block(Stops), Stops(), "when it ends before its last pair")
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
