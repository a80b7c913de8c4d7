"""The players of a match: bots or programs that speak GTP, how a file says them, their time, what identifies them."""

import hashlib
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from gtp_variants._version import __version__
from gtp_variants.base.config_files import FieldUnreadable, Key, Node, Reader, keys_of, option, part, quote, read_keys
from gtp_variants.base.folders import user_path
from gtp_variants.base.json_values import Json
from gtp_variants.players import bots, config_readers as times
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.config_readers import (
    BOT,
    CONTROL,
    DURATION,
    FOLDER,
    NAME,
    PAIRS,
    TEXTS,
    TRUTH,
    choice,
    command,
    whole,
)
from gtp_variants.players.isolated.player import describe

NO_CLOCK = TimeControl()

BOT_PREFIX = "bot:"
PARAMETER = r"[A-Za-z_]\w*"
# Places of a program's command that are filled in for every game.
GIVEN_PLACES = ("seed", "game", "slot")
_PLACE = re.compile(rf"\{{({PARAMETER})\}}")
_INTERPRETER = re.compile(r"(python|pypy|java|node|perl|ruby|lua|bash|sh|wine)[0-9.]*")


def _read_deadline(node: Node) -> float:
    return DURATION.read(node) or node.refuse("expected more than nothing")


_DEADLINE = replace(DURATION, read=_read_deadline)


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long a player may take. A clock of kind "none" means that it has none."""

    control: TimeControl = option("time", CONTROL, NO_CLOCK, "the clock of each player")
    margin_s: float = option("margin", DURATION, 0.1, "how late a move may come and still be in time")
    startup_s: float = option("startup", _DEADLINE, 30.0, "deadline of a program's first answer")
    command_s: float = option("command", _DEADLINE, 60.0, "deadline of any other answer, and of a move without a clock")


NO_LIMITS = TimeLimits()


@dataclass(frozen=True, slots=True)
class BotConfig:
    """A player that is a bot; `bot` as `players.bots.load` reads it. `threads` is by default as the bot says.

    `own_limits` are the fields of `TimeLimits` that a file gives this player; `limits` are those it plays under.
    """

    name: str
    bot: str
    limits: TimeLimits = NO_LIMITS
    threads: int = 1
    is_trusted: bool = option(
        "trusted",
        TRUTH,
        False,
        "a bot of yours plays in the referee's own process, where it could find out everything, instead of one of its "
        "own",
    )
    own_limits: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def is_isolated(self) -> bool:
        """Whether it plays in a process of its own: whoever is neither ours nor trusted."""
        return not self.is_trusted and not bots.is_ours(self.bot)


@dataclass(frozen=True, slots=True)
class ProgramConfig:
    """A player that is a program, started by a command and spoken to in GTP.

    `command` is a program and its arguments, for no shell; {seed}, {game} and {slot} in an argument stand for the seed
    of this seat in this game, the id of the game (`a-b/0007b`) and `slot`, the number from 1 of the games that go on
    at the same time. `gtp_log` is "never", "on-failure" or "always"; what is kept only on failure is deleted by whoever
    runs the match, not by the player. `version` is what it says that it is and `takes_seed` whether it has
    `set_random_seed`, None before it was asked. One that `is_analysing` is asked for what it thinks of its moves, too.
    `own_limits` are as in `BotConfig`.
    """

    name: str
    command: tuple[str, ...]
    cwd: Path | None = option("cwd", FOLDER, None, "the folder it runs in, seen from the file; none: where we run")
    env: Mapping[str, str] = option("env", PAIRS, {}, "variables that are laid over our environment")
    startup: tuple[str, ...] = option("startup", TEXTS, (), "GTP commands that are sent before each game")
    restart: str = option(
        "restart",
        choice("game", "never", "on-failure"),
        "game",
        "when a fresh process is started: for each game, never, or after a game in which it failed",
    )
    stderr: str = option(
        "stderr", choice("file", "discard", "sgf"), "file", "where its standard error goes; sgf: into the record"
    )
    aliases: Mapping[str, str] = option("aliases", PAIRS, {}, "GTP commands and what this program calls them")
    threads: int = option("threads", whole(), 1, "how many cores it uses")
    limits: TimeLimits = NO_LIMITS
    gtp_log: str = "on-failure"
    slot: int = 1
    is_analysing: bool = False
    version: str | None = None
    takes_seed: bool | None = None
    own_limits: Mapping[str, Any] = field(default_factory=dict, compare=False)


PlayerConfig = BotConfig | ProgramConfig


def has_places(text: str) -> bool:
    """Whether there are names in braces in a text."""
    return _PLACE.search(text) is not None


def places_in(player: PlayerConfig) -> set[str]:
    """The names in braces in a player's command, and in what a program is sent before each game."""
    words: Iterable[str] = (player.bot,) if isinstance(player, BotConfig) else (*player.command, *player.startup)
    return {name for word in words for name in _PLACE.findall(word)}


def fill_places(text: str, words: Mapping[str, str]) -> str:
    """The text with words in the places that are called like them."""
    return _PLACE.sub(lambda found: words.get(found[1], found[0]), text)


_PROGRAM = command("a program and its arguments, or bot:NAME")


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


_PLAYER_KEYS = (
    Key("command", COMMAND, "bot:NAME for one of ours or a class in a file; or a program that speaks GTP", missing=""),
    *keys_of(ProgramConfig),
    *keys_of(BotConfig),
    Key("limits", part(TimeLimits), "how long it may take, laid over the limits of the games", "own_limits"),
)


def read_player(name: str, node: Node) -> PlayerConfig:
    """Return the player of a block; after a fault in its name or command one without a bot, for nobody to use."""
    with suppress(FieldUnreadable):
        NAME.read(replace(node, value=name))
    with suppress(FieldUnreadable):
        return _read_player(name, node)
    return BotConfig(name, "")


def _read_player(name: str, node: Node) -> PlayerConfig:
    if isinstance(node.value, dict):
        # What stood behind a comma of a command in `{}`, which makes keys of it.
        cut = [str(key) for key, value in node.value.items() if value is None and "=" in str(key)]
        for key in cut:
            sentence = f"ends before {quote(key)}; a command with commas stands in quotes"
            node.child("command").fault(sentence)
        node = replace(node, value={key: value for key, value in node.value.items() if str(key) not in cut})
    values = read_keys(node, _PLAYER_KEYS)
    command = values.pop("command", None)
    is_bot = isinstance(command, str)
    for each in keys_of(ProgramConfig if is_bot else BotConfig):
        if each.name != "threads" and each.name in (node.value or ()):
            node.child(each.name).fault(f"belongs to {'programs' if is_bot else 'bots'}")
            values.pop(each.attribute, None)
    return BotConfig(name, "") if command is None else configure_player(name, command, **values)


def _read_players(node: Node) -> dict[str, PlayerConfig]:
    if not isinstance(node.value, dict) or not node.value:
        node.refuse("expected at least two, such as `mine: {command: bot:greedy}`")
    return {str(key): read_player(str(key), node.child(str(key), value)) for key, value in node.value.items()}


PLAYERS = Reader("players by name", _read_players, _PLAYER_KEYS, ".NAME")


def process(player: PlayerConfig) -> str:
    """Whose process a player plays in: "own", or "referee" where it could find out everything if it wished to."""
    return "referee" if isinstance(player, BotConfig) and not player.is_isolated else "own"


def identity(player: PlayerConfig) -> Json:
    """What makes a player who it is: whoever changes it is another player.

    Of files that are named, a program's own among them, it is their content, not where they lie.
    """
    limits = player.limits
    found: Json = {"time": times.control_text(limits.control), "margin": f"{limits.margin_s:g}s"}
    if isinstance(player, BotConfig):
        file = bots.file_of(player.bot)
        is_file = file is not None and file.is_file()
        found["bot"] = without_folders(player.bot[player.bot.index(file.name) :] if file and is_file else player.bot)
        # One that has a name is known by the package whose search it may use, too.
        source = file if is_file else describe(player.bot).source
        digest = f"sha256:{_digest(source)}" if source and source.is_file() else ""
        found["version"] = digest if is_file else f"gtp-variants {__version__} {digest}".strip()
        named = map(user_path, bots.split(player.bot)[1].values())
        if files := {each.name: f"sha256:{_digest(each)}" for each in named if each.is_file()}:
            found["files"] = files
        if player.is_trusted:
            found["trusted"] = True
        return found
    found["command"] = " ".join([Path(player.command[0]).name, *map(_without_folder, player.command[1:])])
    found["files"] = {Path(word).name: f"sha256:{_digest(file)}" for word, file in _files(player)}
    found["version"] = player.version
    found["startup"], found["restart"] = list(player.startup), player.restart
    found["env"], found["aliases"] = dict(sorted(player.env.items())), dict(sorted(player.aliases.items()))
    return found


def without_folders(bot: str) -> str:
    """A bot as it is named, with the names of the files among its parameters and not where they lie."""
    for word in bots.split(bot)[1].values():
        bot = bot.replace(f"={word}", f"={_without_folder(word)}")
    return bot


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
