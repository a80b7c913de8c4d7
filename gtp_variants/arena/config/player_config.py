"""The players of a match, bots and GTP programs: their keys in a match file, and what identifies them."""

import hashlib
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from gtp_variants._version import __version__
from gtp_variants.base.config_files import FieldUnreadable, Key, Node, Reader, keys_of, option, part, quote, read_keys
from gtp_variants.base.folders import user_path
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.wall import NONE, Wall, wall_kind
from gtp_variants.gtp.client.bot_reader import BOT
from gtp_variants.gtp.client.isolated_bot import describe
from gtp_variants.players import bots, config_readers as readers
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.config_readers import CONTROL, DURATION, FOLDER, NAME, PAIRS, TEXTS, TRUTH, choice, whole

NO_CLOCK = TimeControl()

BOT_PREFIX = "bot:"
# The name of a placeholder such as {seed}.
PARAMETER = r"[A-Za-z_]\w*"
# Placeholders in a program's command that every game fills in.
GIVEN_PLACEHOLDERS = ("seed", "game", "slot")
_PLACEHOLDER = re.compile(rf"\{{({PARAMETER})\}}")
_INTERPRETER = re.compile(r"(python|pypy|java|node|perl|ruby|lua|bash|sh|wine)[0-9.]*")


_DEADLINE = replace(DURATION, read=lambda node: DURATION.read(node) or node.refuse("expected more than 0"))


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """The time that a player may take. A control of kind "none" sets no limit."""

    control: TimeControl = option("time", CONTROL, NO_CLOCK, "clock of each player")
    margin_s: float = option("margin", DURATION, 0.1, "lateness of a move that is tolerated")
    startup_s: float = option("startup", _DEADLINE, 30.0, "deadline of a program's first answer")
    command_s: float = option("command", _DEADLINE, 60.0, "deadline of any other answer, and of a move without a clock")


NO_LIMITS = TimeLimits()


@dataclass(frozen=True, slots=True)
class BotConfig:
    """A player that is a bot. `bot` is a name or FILE:CLASS, as accepted by `players.bots.load`.

    The bot plays under `limits`; `own_limits` has the fields of `limits` that its block in a file sets.
    """

    name: str
    bot: str
    limits: TimeLimits = NO_LIMITS
    threads: int = 1
    is_trusted: bool = False
    network: bool = False
    paths: tuple[Path, ...] = ()
    own_limits: Mapping[str, Any] = field(default_factory=dict, compare=False)


_RESTART = choice("game", "never", "on-failure")


@dataclass(frozen=True, slots=True)
class ProgramConfig:
    """A player that is a program, started by a command and spoken to in GTP.

    `command` is a program and its arguments, run without a shell. In an argument {seed} stands for the player's seed
    in this game, {game} for the game's id (`a-b/0007b`), and {slot} for `slot`, which numbers the games in
    progress from 1. `gtp_log` is "never", "on-failure" or "always"; with "on-failure" the match deletes the logs of
    games without failures. `version` is the version that the program reports, and `takes_seed` is True if it has the
    command `set_random_seed`; both are None until the program has been queried. With `is_analysing` the program also
    reports its analysis of each move. `own_limits` means the same as in `BotConfig`.
    """

    name: str
    command: tuple[str, ...]
    cwd: Path | None = option("cwd", FOLDER, None, "folder it runs in, relative to the file (default: the current one)")
    env: Mapping[str, str] = option("env", PAIRS, {}, "environment variables, added to the inherited ones")
    startup: tuple[str, ...] = option("startup", TEXTS, (), "GTP commands sent before each game")
    restart: str = option("restart", _RESTART, "game", "start a process for each game, once, or again after a failure")
    stderr: str = option(
        "stderr", choice("file", "discard", "sgf"), "file", "place of its standard error; sgf: the record"
    )
    aliases: Mapping[str, str] = option("aliases", PAIRS, {}, "GTP commands, each with this program's name for it")
    threads: int = option("threads", whole(), 1, "cores it uses")
    is_trusted: bool = option("trusted", TRUTH, False, "play without a wall, a bot in the referee's process")
    network: bool = option("network", TRUTH, False, "let it talk to other computers")
    paths: tuple[Path, ...] = option(
        "paths", readers.PATHS, (), "files and folders outside its wall that it may change"
    )
    limits: TimeLimits = NO_LIMITS
    gtp_log: str = "on-failure"
    slot: int = 1
    is_analysing: bool = False
    version: str | None = None
    takes_seed: bool | None = None
    own_limits: Mapping[str, Any] = field(default_factory=dict, compare=False)


PlayerConfig = BotConfig | ProgramConfig
# Keys that bots and programs share.
_SHARED = frozenset(("threads", "trusted", "network", "paths"))


def wall_of(player: PlayerConfig, folder: Path) -> Wall | None:
    """Return a player's wall, or None if it is trusted. The wall hides the match's folder, which has `folder` in it."""
    hidden = tuple(each.parent for each in folder.absolute().parents if each.name == "logs")
    return None if player.is_trusted else Wall(player.paths, player.network, hidden=hidden)


def placeholders_in(player: PlayerConfig) -> set[str]:
    """Return the names of the placeholders in a player's command and startup commands."""
    words = (player.bot,) if isinstance(player, BotConfig) else (*player.command, *player.startup)
    return {name for word in words for name in _PLACEHOLDER.findall(word)}


def fill_placeholders(text: str, words: Mapping[str, str]) -> str:
    """Return the text with each placeholder replaced by the word of that name; unknown placeholders stay."""
    return _PLACEHOLDER.sub(lambda found: words.get(found[1], found[0]), text)


_PROGRAM = readers.command("a program and its arguments, or bot:NAME")


def _read_command(node: Node) -> str | tuple[str, ...]:
    word = node.value.strip() if isinstance(node.value, str) else ""
    if not word.startswith(BOT_PREFIX):
        return _PROGRAM.read(node)
    bot = word.removeprefix(BOT_PREFIX)
    # A bot with placeholders is checked only once the placeholders are filled in.
    return bots.relocate(node.folder, bot.strip()) if _PLACEHOLDER.search(bot) else BOT.read(replace(node, value=bot))


# A bot's name as a string, or a program and its arguments as a tuple.
COMMAND: Reader[str | tuple[str, ...]] = Reader(_PROGRAM.expected, _read_command, schema=_PROGRAM.schema)
_PLAYER_KEYS = (
    Key("command", COMMAND, "bot:NAME, a built-in bot or a class in a file; or a program that speaks GTP", missing=""),
    *keys_of(ProgramConfig),
    *keys_of(BotConfig),
    Key("limits", part(TimeLimits), "time it may take; overrides the limits of the games", "own_limits"),
)


def read_player(name: str, node: Node) -> PlayerConfig:
    """Return the player that a block describes; after a fault, a player without a bot, which must not be used."""
    with suppress(FieldUnreadable):
        NAME.read(replace(node, value=name))
    with suppress(FieldUnreadable):
        return _read_player(name, node)
    return BotConfig(name, "")


def _read_player(name: str, node: Node) -> PlayerConfig:
    if isinstance(node.value, dict):
        # In `{command: bot:mcts:level=3,x=1}` YAML reads `x=1` as a key without a value, so ask for quotes.
        cut = [str(key) for key, value in node.value.items() if value is None and "=" in str(key)]
        for key in cut:
            node.child("command").fault(f"ends before {quote(key)}; quote a command that has commas")
        node = replace(node, value={key: value for key, value in node.value.items() if str(key) not in cut})
    values = read_keys(node, _PLAYER_KEYS)
    command = values.pop("command", None)
    is_bot = isinstance(command, str)
    for each in keys_of(ProgramConfig if is_bot else BotConfig):
        if each.name not in _SHARED and each.name in (node.value or ()):
            node.child(each.name).fault(f"belongs to {'programs' if is_bot else 'bots'}")
            values.pop(each.attribute, None)
    if isinstance(command, tuple):
        return ProgramConfig(name, command, **values)
    if command and not _PLACEHOLDER.search(command):
        values.setdefault("threads", describe(command).threads)
    return BotConfig(name, command, **values) if command else BotConfig(name, "")


def _read_players(node: Node) -> dict[str, PlayerConfig]:
    if not isinstance(node.value, dict) or not node.value:
        node.refuse("expected at least two players, each like `mine: {command: bot:greedy}`")
    return {str(key): read_player(str(key), node.child(str(key), value)) for key, value in node.value.items()}


PLAYERS = Reader("players by name", _read_players, _PLAYER_KEYS, ".NAME")


def process(player: PlayerConfig) -> str:
    """Return the process in which a player runs: "referee" for built-in and trusted bots, otherwise "own"."""
    is_inside = isinstance(player, BotConfig) and (player.is_trusted or bots.is_ours(player.bot))
    return "referee" if is_inside else "own"


def wall_around(player: PlayerConfig) -> str:
    """Return the kind of wall around a player on this machine; "none" for one that is trusted or in our process."""
    return NONE if player.is_trusted or process(player) == "referee" else wall_kind()


def identity(player: PlayerConfig) -> Json:
    """Return the values that identify a player, with digests of the files that its command names, program included."""
    limits = player.limits
    found: Json = {"time": readers.control_text(limits.control), "margin": f"{limits.margin_s:g}s"}
    if isinstance(player, BotConfig):
        file = bots.file_of(player.bot)
        is_file = file is not None and file.is_file()
        found["bot"] = without_folders(player.bot[player.bot.index(file.name) :] if file and is_file else player.bot)
        # Unless the bot is a file, the package's version counts too, because the bot may use the package's search.
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
    """Return a bot's name with its file parameters reduced to the names of the files."""
    for word in bots.split(bot)[1].values():
        bot = bot.replace(f"={word}", f"={_without_folder(word)}")
    return bot


def _without_folder(word: str) -> str:
    return Path(word).name if Path(word).is_absolute() else word


def _files(player: ProgramConfig) -> list[tuple[str, Path]]:
    """Return the program and the files that its arguments name, as far as they are on this machine."""
    where = player.cwd or Path()
    named = [(word, where / word) for word in player.command[1:]]
    # If the program is an interpreter, only the script counts: the interpreter itself differs between machines.
    if not _INTERPRETER.fullmatch(Path(player.command[0]).stem.lower()):
        program = shutil.which(player.command[0], path=player.env.get("PATH")) or str(where / player.command[0])
        named.append((player.command[0], Path(program)))
    return [(word, file) for word, file in named if file.is_file()]


def _digest(file: Path) -> str:
    about = file.stat()
    return _digest_of(file, about.st_mtime_ns, about.st_size)


@lru_cache
def _digest_of(file: Path, changed_ns: int, size: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()[:16]
