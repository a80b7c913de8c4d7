"""What a match is: typed values from a YAML file. Every fault is told at once, with its path and the nearest known key.

Only what this version does is accepted. The rest of the format is known by name, so that it is refused as such and not
as a slip of the pen.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path
from typing import Any

from gtp_variants.arena import yaml
from gtp_variants.errors import ConfigError, SpecError, VariantsError
from gtp_variants.players import bots
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

BOT = "bot:"
MOVE_LIMIT = 1000
AT_LIMIT = ("score", "void", "draw")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")
_WHOLE = re.compile(r"[0-9]{1,9}")
_YES = {"yes": "true", "on": "true", "no": "false", "off": "false"}

# Keys that work, and keys of the format that this version knows only by name.
_TOP = ("arena", "name", "description", "players", "defaults", "tournament", "seed", "concurrency", "outputs")
_TOP_LATER = ("openings", "stop", "executor")
_PLAYER = ("command",)
_PLAYER_LATER = ("cwd", "env", "startup", "restart", "limits", "stderr", "aliases", "threads")
_GAME = ("variant", "options", "komi", "move_limit", "on_move_limit", "max_failures")
_GAME_LATER = ("limits", "on_timeout")
_TOURNAMENT = ("type", "players", "pairs", "matchups")
_TOURNAMENT_LATER = ("seeds",)
_OUTPUTS = ("dir",)
_OUTPUTS_LATER = ("db", "sgf", "gtp_log", "csv", "report")
# Keys of which one value works.
_ONLY = {"illegal": "loss", "on_crash": "loss", "score": "referee", "handicap": "0"}
LATER = "this version cannot do that yet"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a player may take. `control` is its clock in the game, of kind "none" where it has none.

    A move that takes up to `margin_s` more than the clock has left is still in time. `startup_s` is the deadline for a
    program's first answer, `command_s` that of every other one; a move without a clock has `command_s`, too.
    """

    control: TimeControl = TimeControl()
    margin_s: float = 0.1
    startup_s: float = 30.0
    command_s: float = 60.0


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
    kept only on failure is deleted by whoever runs the match, not by the player.
    """

    name: str
    command: tuple[str, ...]
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    startup: tuple[str, ...] = ()
    restart: str = "game"
    limits: Limits = Limits()
    stderr: str = "file"
    aliases: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    gtp_log: str = "on-failure"
    slot: int = 1


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What the games of a matchup have in common.

    `move_limit` counts stones and passes; `on_move_limit` is what a game is then: "score" (as the board stands),
    "void" or "draw". After `max_failures` failures of one player the match stops; None never stops it.
    """

    spec: str
    move_limit: int = MOVE_LIMIT
    on_move_limit: str = "score"
    max_failures: int | None = 5


@dataclass(frozen=True, slots=True)
class Matchup:
    """Two players who meet in pairs of games. `id` is the same whenever the same match is read again."""

    id: str
    players: tuple[str, str]
    pairs: int
    game: GameSettings


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """A whole match. `players` are name -> bot as `players.bots.load` reads it.

    `seed` is "" where the file has none: then the match gets one of its own, see `Store.seed`.
    """

    name: str
    players: Mapping[str, str]
    matchups: tuple[Matchup, ...]
    seed: str
    folder: Path
    concurrency: int = 1
    description: str = ""

    def settings(self, matchup: Matchup) -> dict[str, Any]:
        """Everything that decides how the games of a matchup go, and nothing else: not how many there are."""
        return {
            "seed": self.seed,
            "spec": matchup.game.spec,
            "move_limit": matchup.game.move_limit,
            "on_move_limit": matchup.game.on_move_limit,
            "players": {name: _identity(self.players[name]) for name in matchup.players},
        }


def _identity(bot: str) -> str:
    """A bot's name; of a file its content instead of its folder, as who changes the file changes the match."""
    file = bots.file_of(bot)
    if file is None or not file.is_file():
        return bot
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return f"{bot[bot.index(file.name) :]} sha256:{digest[:16]}"


def load(path: Path) -> MatchConfig:
    """The match a file describes. Raises ConfigError with every fault, OSError if the file cannot be read."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError([f"byte {error.start}: not UTF-8"]) from None
    return read(text, path.stem, path.parent)


def read(text: str, name: str = "match", folder: Path = Path()) -> MatchConfig:
    """The match a YAML text describes; `name` unless it says its own; files of bots are sought from `folder`."""
    reader = _Reader(folder)
    config = reader.match(yaml.read(text), name)
    if reader.faults:
        raise ConfigError(reader.faults)
    assert config is not None
    return config


@dataclass(slots=True)
class _Settings:
    """A `defaults` or `game` block as it stands, before it means anything."""

    path: str = "defaults"
    variant: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


class _Reader:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: list[str] = []
        self._specs: dict[tuple[str, ...], Rules[Any] | None] = {}

    def fault(self, path: str, sentence: str) -> None:
        fault = f"{path}: {sentence}" if path else sentence
        if fault not in self.faults:
            self.faults.append(fault)

    # -- pieces --------------------------------------------------------------------------------------------------------

    def mapping(self, tree: Any, path: str, known: Sequence[str], later: Sequence[str] = ()) -> dict[str, Any]:
        """The keys of a mapping that are known; the others are faults."""
        if tree is None:
            return {}
        if not isinstance(tree, dict):
            self.fault(path, f"expected a mapping with the keys {', '.join(known)}")
            return {}
        kept = {}
        for key, value in tree.items():
            where = f"{path}.{key}" if path else str(key)
            if key in known:
                kept[key] = value
            elif key in later:
                self.fault(where, LATER)
            else:
                near = get_close_matches(str(key), known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                self.fault(where, f"unknown key; {hint}")
        return kept

    def text(self, value: Any, path: str) -> str | None:
        if isinstance(value, dict | list) or value is None:
            self.fault(path, "expected a text" if value is not None else "has no value")
            return None
        return str(value)

    def whole(self, value: Any, path: str, low: int = 1) -> int | None:
        word = self.text(value, path)
        if word is None:
            return None
        if not _WHOLE.fullmatch(word) or int(word) < low:
            self.fault(path, f"expected a whole number of {low} or more, not {word[:40]!r}")
            return None
        return int(word)

    def choice(self, value: Any, path: str, choices: Sequence[str], later: Sequence[str] = ()) -> str | None:
        word = self.text(value, path)
        if word is None or word in choices:
            return word
        if word in later:
            self.fault(path, f"{word}: {LATER}")
            return None
        near = get_close_matches(word, choices, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        self.fault(path, f"expected {_either(choices)}, not {word[:40]!r}{hint}")
        return None

    def take(self, tree: Mapping[str, Any], key: str, path: str, read: Callable[..., Any], default: Any) -> Any:
        """The value of an optional key, read; the default where it is missing or wrong."""
        if key not in tree:
            return default
        value = read(tree[key], f"{path}.{key}" if path else key)
        return default if value is None else value

    # -- the file ------------------------------------------------------------------------------------------------------

    def match(self, tree: Any, name: str) -> MatchConfig | None:
        if not isinstance(tree, dict):
            self.fault("", "expected the keys of a match: " + ", ".join(_TOP))
            return None
        top = self.mapping(tree, "", _TOP, _TOP_LATER)
        if "arena" not in top:
            self.fault("arena", "is missing; this version reads `arena: 1`")
        else:
            self.choice(top["arena"], "arena", ("1",))
        name = self.take(top, "name", "", self.name, name)
        players = self.players(top.get("players"))
        base = self.settings(top.get("defaults"), "defaults")
        matchups = self.tournament(top.get("tournament"), players, base)
        outputs = self.mapping(top.get("outputs"), "outputs", _OUTPUTS, _OUTPUTS_LATER)
        folder = self.take(outputs, "dir", "outputs", self.text, "out/{name}").replace("{name}", name)
        return MatchConfig(
            name,
            players,
            matchups,
            seed=self.take(top, "seed", "", self.text, ""),
            folder=Path(folder).expanduser(),
            concurrency=self.take(top, "concurrency", "", self.whole, 1),
            description=self.take(top, "description", "", self.text, "").strip(),
        )

    def name(self, value: Any, path: str) -> str | None:
        word = self.text(value, path)
        if word is not None and not _NAME.fullmatch(word):
            self.fault(path, f"{word[:40]!r}: expected letters, digits and . _ + - only, as files are named after it")
            return None
        return word

    def players(self, tree: Any) -> dict[str, str]:
        if not isinstance(tree, dict) or not tree:
            self.fault("players", "expected at least two, such as `mine: {command: bot:greedy}`")
            return {}
        found = {}
        for key, value in tree.items():
            path = f"players.{key}"
            self.name(key, path)
            player = self.mapping(value, path, _PLAYER, _PLAYER_LATER)
            if "command" in player:
                found[str(key)] = self.command(player["command"], f"{path}.command")
            else:
                self.fault(f"{path}.command", "is missing")
                found[str(key)] = ""
        return found

    def command(self, value: Any, path: str) -> str:
        """The bot that a command names, its file sought from the folder of the match. "" after a fault."""
        if isinstance(value, list) or (isinstance(value, str) and not value.startswith(BOT)):
            names = " or ".join(BOT + name for name in bots.names())
            self.fault(path, f"programs: {LATER}; it plays bots, such as {names}")
            return ""
        word = self.text(value, path)
        if word is None:
            return ""
        bot = bots.seen_from(self.folder, word.removeprefix(BOT).strip())
        try:
            bots.load(bot)
        except ConfigError as error:
            for sentence in error.faults:
                self.fault(path, sentence)
        except VariantsError as error:
            near = get_close_matches(bot, bots.names(), 1)
            self.fault(path, str(error) + (f"; did you mean {near[0]}?" if near else ""))
        return bot

    # -- games ---------------------------------------------------------------------------------------------------------

    def settings(self, tree: Any, path: str) -> _Settings:
        tree = dict(tree) if isinstance(tree, dict) else tree
        if isinstance(tree, dict):
            for key, only in _ONLY.items():
                value = tree.pop(key, only)
                if value != only:
                    self.fault(f"{path}.{key}", f"{value}: {LATER}, only {only}")
        block = self.mapping(tree, path, _GAME, _GAME_LATER)
        found = _Settings(path, self.take(block, "variant", path, self.text, None))
        given = block.get("options")
        if given is not None and not isinstance(given, dict):
            self.fault(f"{path}.options", "expected a mapping such as {size: 9, dice: 1d4}")
        elif given is not None:
            pairs = {str(key).lower(): self.text(value, f"{path}.options.{key}") for key, value in given.items()}
            found.options = {key: word for key, word in pairs.items() if word is not None}
        komi = self.take(block, "komi", path, self.text, None)
        if komi is not None:
            found.options = {"komi": komi, **found.options}
        for key, value in block.items():
            where = f"{path}.{key}"
            if key == "move_limit":
                found.values[key] = self.whole(value, where)
            elif key == "on_move_limit":
                found.values[key] = self.choice(value, where, AT_LIMIT)
            elif key == "max_failures":
                none = value is None or value == "none"
                found.values[key] = None if none else self.whole(value, where)
        return found

    def game(self, base: _Settings, over: _Settings) -> GameSettings | None:
        """The settings of `defaults` with those of a matchup laid over them."""
        if over.variant is not None:
            variant, options, path = over.variant, over.options, over.path
        elif base.variant is not None:
            variant, options, path = base.variant, {**base.options, **over.options}, base.path
        else:
            self.fault("defaults.variant", "is missing; a SPEC such as aleago:size=13")
            return None
        rules = self.rules(variant, options, path)
        if rules is None:
            return None
        values = {**base.values, **over.values}
        has_score = rules.standing(rules.start()) is not None
        if not has_score and values.get("on_move_limit") == "score":
            self.fault(f"{path}.on_move_limit", f"{rules.name} has no score; expected void or draw")
        values.setdefault("on_move_limit", "score" if has_score else "void")
        values.setdefault("move_limit", MOVE_LIMIT)
        if None in (values["on_move_limit"], values["move_limit"]):
            return None
        return GameSettings(rules.spec, **values)

    def rules(self, variant: str, options: Mapping[str, str], path: str) -> Rules[Any] | None:
        key = (variant, *sorted(f"{name}={word}" for name, word in options.items()))
        if key in self._specs:
            return self._specs[key]
        self._specs[key] = None
        try:
            cls, given = split_spec(variant)
        except SpecError as error:
            self.fault(f"{path}.variant", str(error))
            return None
        known = {option.key: option for option in cls.options}
        words = {}
        for name, word in options.items():
            if name not in known and name not in cls.shorthands:
                near = get_close_matches(name, [*known, *cls.shorthands], 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join([*known, *cls.shorthands])}"
                self.fault(f"{path}.options.{name}", f"unknown option of {cls.name}; {hint}")
                continue
            kinds = {known[full].kind for full in cls.shorthands.get(name, (name,))}
            words[name] = _YES.get(word.lower(), word) if kinds == {"bool"} else word
        try:
            rules = cls({**given, **words})
        except SpecError as error:
            about, _, said = str(error).partition("=")
            if about in words:
                self.fault(f"{path}.options.{about}", said)
            else:
                self.fault(f"{path}.variant", str(error))
            return None
        if len(rules.colours) != 2:
            self.fault(f"{path}.variant", f"{rules.name} for {len(rules.colours)} players: {LATER}")
            return None
        self._specs[key] = rules
        return rules

    # -- who meets whom ------------------------------------------------------------------------------------------------

    def tournament(self, tree: Any, players: Mapping[str, str], base: _Settings) -> tuple[Matchup, ...]:
        path = "tournament"
        block = self.mapping(tree, path, _TOURNAMENT, _TOURNAMENT_LATER)
        kind = self.take(block, "type", path, self.kind, None)
        pairs = self.take(block, "pairs", path, self.whole, None)
        if "type" not in block:
            self.fault(f"{path}.type", "is missing; expected playoff or roundrobin")
        if "matchups" in block:
            if kind == "roundrobin":
                self.fault(f"{path}.matchups", "belong to a playoff; a roundrobin has players")
            return self.matchups(block["matchups"], pairs, players, base)
        names = self.some_players(block.get("players", list(players)), f"{path}.players", players)
        if "pairs" not in block:
            self.fault(f"{path}.pairs", "is missing; each pair is two games, colours swapped")
        if kind == "playoff" and len(names) != 2:
            self.fault(f"{path}.players", f"a playoff has two players or matchups, not {len(names)} players")
        game = self.game(base, _Settings())
        meetings = list(combinations(names, 2)) if kind == "roundrobin" else [(names[0], names[-1])] if names else []
        if game is None or pairs is None:
            return ()
        return _numbered([(meeting, pairs, game) for meeting in meetings])

    def kind(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("playoff", "roundrobin"), later=("gauntlet", "swiss", "knockout"))

    def matchups(
        self, tree: Any, pairs: int | None, players: Mapping[str, str], base: _Settings
    ) -> tuple[Matchup, ...]:
        if not isinstance(tree, list) or not tree:
            self.fault("tournament.matchups", "expected a list such as [{players: [a, b], pairs: 20}]")
            return ()
        found = []
        for index, each in enumerate(tree):
            path = f"tournament.matchups[{index}]"
            block = self.mapping(each, path, ("players", "pairs", "game"))
            names = self.some_players(block.get("players"), f"{path}.players", players)
            if len(names) != 2:
                self.fault(f"{path}.players", "expected two players")
            count = self.take(block, "pairs", path, self.whole, pairs)
            if count is None and "pairs" not in block:
                self.fault(f"{path}.pairs", "is missing")
            game = self.game(base, self.settings(block.get("game"), f"{path}.game"))
            if len(names) == 2 and count is not None and game is not None:
                found.append(((names[0], names[1]), count, game))
        return _numbered(found)

    def some_players(self, tree: Any, path: str, players: Mapping[str, str]) -> list[str]:
        if not isinstance(tree, list):
            self.fault(path, "expected a list of players")
            return []
        names = []
        for index, value in enumerate(tree):
            word = self.text(value, f"{path}[{index}]")
            if word is None:
                continue
            if word not in players:
                near = get_close_matches(word, list(players), 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(players)}"
                self.fault(f"{path}[{index}]", f"no player is called {word[:40]!r}; {hint}")
            if word in names:
                self.fault(f"{path}[{index}]", f"{word} is named twice; a bot that plays itself needs two names")
            names.append(word)
        if len(names) < 2:
            self.fault(path, "expected at least two players")
        return names


def _either(choices: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


def _numbered(meetings: Sequence[tuple[tuple[str, str], int, GameSettings]]) -> tuple[Matchup, ...]:
    """Matchups named after their players; those of a name that is taken get a number."""
    taken: set[str] = set()
    found = []
    for players, pairs, game in meetings:
        name = wanted = "-".join(players)
        number = 1
        while name in taken:
            number += 1
            name = f"{wanted}-{number}"
        taken.add(name)
        found.append(Matchup(name, players, pairs, game))
    return tuple(found)
