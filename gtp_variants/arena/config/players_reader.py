"""Reads the players of a match file: bots of ours and programs, and how long they may take."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gtp_variants.arena.config.match_config import NO_LIMITS, BotConfig, PlayerConfig, ProgramConfig
from gtp_variants.config.tree import Tree, shown
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.players import bots

BOT = "bot:"
_PLAYER = ("command", "cwd", "env", "startup", "restart", "limits", "stderr", "aliases", "threads")
_OF_PROGRAMS = ("cwd", "env", "startup", "restart", "stderr", "aliases")
_LIMITS = ("time", "margin", "startup", "command")


@dataclass(slots=True)
class Given:
    """A player as the file has it: without limits of the games it plays."""

    player: PlayerConfig
    limits: dict[str, Any]

    def under(self, limits: Mapping[str, Any]) -> PlayerConfig:
        """The player in games with these limits."""
        return replace(self.player, limits=replace(NO_LIMITS, **{**limits, **self.limits}))


class PlayersReader(Tree):
    """Reads the `players` block into `players`; files it names are sought from a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.players: dict[str, Given] = {}

    def read_players(self, tree: Any, gtp_log: str) -> None:
        if not isinstance(tree, dict) or not tree:
            self.fault("players", "expected at least two, such as `mine: {command: bot:greedy}`")
            return
        for key, value in tree.items():
            path = f"players.{key}"
            self.name(key, path)
            block = self.mapping(self.whole_command(value, path), path, _PLAYER)
            if "command" not in block:
                self.fault(f"{path}.command", "is missing")
            command = block.get("command")
            is_bot = isinstance(command, str) and command.strip().startswith(BOT)
            read = self.bot if is_bot or command is None else self.program
            limits = self.limits(block.get("limits"), f"{path}.limits")
            player = read(str(key), block, path)
            if isinstance(player, ProgramConfig):
                player = replace(player, gtp_log=gtp_log)
            self.players[str(key)] = Given(player, limits)

    def whole_command(self, tree: Any, path: str) -> Any:
        """The tree of a player without what stood behind a comma of a command in `{}`, which makes keys of it."""
        if not isinstance(tree, dict):
            return tree
        for key in [str(key) for key, value in tree.items() if value is None and "=" in str(key)]:
            self.fault(f"{path}.command", f"ends before {shown(key)}; a command with commas stands in quotes")
        return {key: value for key, value in tree.items() if value is not None or "=" not in str(key)}

    def bot(self, name: str, block: Mapping[str, Any], path: str) -> PlayerConfig:
        for key in _OF_PROGRAMS:
            if key in block:
                self.fault(f"{path}.{key}", "belongs to programs; a bot plays in the arena's own process")
        word = str(block.get("command") or "").strip().removeprefix(BOT).strip()
        bot = bots.seen_from(self.folder, word)
        own_threads = 1
        if "command" in block:
            try:
                own_threads = getattr(bots.load(bot), "threads", None) or 1
            except ConfigError as error:
                for sentence in error.faults:
                    self.fault(f"{path}.command", sentence)
            except VariantsError as error:
                self.fault(f"{path}.command", str(error))
        return BotConfig(name, bot, threads=self.take(block, "threads", path, self.whole, own_threads))

    def program(self, name: str, block: Mapping[str, Any], path: str) -> PlayerConfig:
        def restart(value: Any, path: str) -> str | None:
            return self.choice(value, path, ("game", "never", "on-failure"))

        def stderr(value: Any, path: str) -> str | None:
            return self.choice(value, path, ("file", "discard", "sgf"))

        return ProgramConfig(
            name,
            self.words(block["command"], f"{path}.command"),
            self.take(block, "cwd", path, self.place, None),
            self.take(block, "env", path, self.pairs, {}),
            self.take(block, "startup", path, self.texts, ()),
            self.take(block, "restart", path, restart, "game"),
            stderr=self.take(block, "stderr", path, stderr, "file"),
            aliases=self.take(block, "aliases", path, self.pairs, {}),
            threads=self.take(block, "threads", path, self.whole, 1),
        )

    def words(self, value: Any, path: str) -> tuple[str, ...]:
        """A command as a program and its arguments."""
        if isinstance(value, list):
            found = self.texts(value, path)
        else:
            text = self.text(value, path) or ""
            try:
                # There a backslash separates folders.
                found = tuple(shlex.split(text.replace("\\", "\\\\") if os.name == "nt" else text))
            except ValueError as error:
                self.fault(path, f"cannot be read: {error}")
                return ("?",)
        if not found or not found[0]:
            self.fault(path, "expected a program and its arguments, or bot:NAME")
            return ("?",)
        return found

    def place(self, value: Any, path: str) -> Path | None:
        word = self.text(value, path)
        if word is None:
            return None
        where = (self.folder / Path(word).expanduser()).absolute()
        if not where.is_dir():
            self.fault(path, f"there is no folder {where}")
        return where

    def limits(self, tree: Any, path: str) -> dict[str, Any]:
        """The fields of `TimeLimits` that a block gives."""
        block = self.mapping(tree, path, _LIMITS)
        readers = {"time": ("control", self.control), "margin": ("margin_s", self.duration)}
        readers |= {"startup": ("startup_s", self.duration), "command": ("command_s", self.duration)}
        found = {}
        for key, value in block.items():
            name, read = readers[key]
            known = read(value, f"{path}.{key}")
            if key in ("startup", "command") and known == 0:
                self.fault(f"{path}.{key}", "expected more than nothing")
            elif known is not None:
                found[name] = known
        return found
