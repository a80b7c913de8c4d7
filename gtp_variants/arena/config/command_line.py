"""A match straight from the options of the command line, without a file."""

import argparse
import re
from collections.abc import Collection, Container, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from gtp_variants.arena.config.match_blocks import (
    BOT_PREFIX,
    GameBlock,
    MatchFile,
    OpeningsBlock,
    PlayerBlock,
    TournamentBlock,
    read_command,
)
from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, Outputs, Sprt, Stops
from gtp_variants.arena.config.player_config import BotConfig, ProgramConfig, TimeLimits
from gtp_variants.arena.config.resolve import resolve
from gtp_variants.base.config_files import FieldUnreadable, Node, keys_of, nearest, quote, read
from gtp_variants.errors import ConfigError

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.+-]*)=(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that say what a file says otherwise."""
    group = parser.add_argument_group("group_without_a_file")
    group.add_argument(*("--player", "-p"), action="append", metavar="[NAME=]COMMAND")
    group.add_argument("--trusted", action="append", metavar="NAME")
    group.add_argument("--variant", metavar="SPEC")
    group.add_argument("--pairs", metavar="N")
    group.add_argument("--tournament", metavar="TYPE")
    group.add_argument("--time", metavar="TIME")
    group.add_argument("--margin", metavar="TIME")
    group.add_argument("--restart", metavar="WHEN")
    group.add_argument("--handicap", metavar="N")
    group.add_argument("--move-limit", metavar="N")
    group.add_argument("--openings", metavar="FILE")
    group.add_argument("--plies", metavar="N")
    group.add_argument("--dice", metavar="WHOSE")
    group.add_argument("--sprt", metavar="elo0=0,elo1=20,...")
    group.add_argument("--elo-error", metavar="ELO")
    group.add_argument("--name")
    group.add_argument("--dir", metavar="FOLDER")


_OPTIONS = (
    *("player", "trusted", "variant", "pairs", "tournament", "time", "margin", "restart", "handicap", "move_limit"),
    *("openings", "plies", "dice", "sprt", "elo_error", "name", "dir"),
)


def used_options(options: argparse.Namespace) -> list[str]:
    """The options of this kind that were used."""
    return ["--" + key.replace("_", "-") for key in _OPTIONS if getattr(options, key) is not None]


def match_of(options: argparse.Namespace) -> MatchConfig:
    """The match. Raises ConfigError with every fault; paths in it are those that a file would have."""
    node = Node(None)
    players = _players(options, node)
    names = list(players)
    kind = _read(TournamentBlock, "type", "tournament", options.tournament, node)
    kind = kind or {"type": "playoff" if len(players) == 2 else "roundrobin"}
    pairs = _read(TournamentBlock, "pairs", "tournament", options.pairs or "10", node)
    seeds = tuple(names[:1]) if kind["type"] == "gauntlet" else None
    time = _read(TimeLimits, "time", "defaults.limits", options.time, node)
    margin = _read(TimeLimits, "margin", "defaults.limits", options.margin, node)
    handicap = _read(GameSettings, "handicap", "defaults", options.handicap, node)
    move_limit = _read(GameSettings, "move_limit", "defaults", options.move_limit, node)
    plies = _read(OpeningsBlock, "plies", "openings", options.plies, node)
    error = _read(Stops, "elo_error", "stop", options.elo_error, node)
    test = None if options.sprt is None else _test(options.sprt, names, node)
    game = name_of((options.variant or "").partition(":")[0])
    name = _read(MatchFile, "name", "", options.name or "-".join([*names, game]), node)
    file = MatchFile(
        "1",
        **name,
        **_read(MatchFile, "dice", "", options.dice, node),
        players=players,
        defaults=GameBlock(options.variant, limits={**time, **margin}, settings={**handicap, **move_limit}),
        tournament=TournamentBlock(**kind, seeds=seeds, **pairs),
        openings=None if options.openings is None else OpeningsBlock(options.openings, **plies),
        stop=Stops(test, **error),
        outputs=Outputs(**_read(Outputs, "dir", "outputs", options.dir, node)),
    )
    return resolve(file, node)


def _read(kind: type, name: str, path: str, word: str | None, node: Node) -> dict[str, Any]:
    """What an option says, as the field of a dataclass that declares it; {} if it is not used or wrong."""
    if word is None:
        return {}
    key = next(key for key in keys_of(kind) if key.name == name)
    with suppress(FieldUnreadable):
        return {key.attribute: key.reader.read(node.child(f"{path}.{name}".removeprefix("."), word))}
    return {}


def _players(options: argparse.Namespace, node: Node) -> dict[str, PlayerBlock | None]:
    found: dict[str, PlayerBlock | None] = {}
    for text in options.player:
        named = _NAMED.fullmatch(text)
        # In bot:mcts:level=3 the = belongs to the bot.
        name, command = (named[1], named[2]) if named else (name_of(text), text)
        name = unique(name, found)
        is_bot = command.startswith(BOT_PREFIX)
        restart = {} if is_bot else _read(ProgramConfig, "restart", f"players.{name}", options.restart, node)
        found[name] = read_command(name, command, node, **restart)
    return trust(found, options.trusted or (), node)


def trust(
    players: Mapping[str, PlayerBlock | None], names: Collection[str], node: Node
) -> dict[str, PlayerBlock | None]:
    """The players, some of whom are trusted; that must be bots."""
    found = dict(players)
    for name in names:
        block = players.get(name)
        if name not in players:
            node.child("trusted").fault(f"no player is called {quote(name)}; {nearest(name, list(players))}")
        elif block is not None and isinstance(block.player, BotConfig):
            found[name] = replace(block, player=replace(block.player, is_trusted=True))
        elif block is not None:
            node.child("trusted").fault(f"{name} is a program; only bots can be trusted")
    return found


def unique(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it if it is taken."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def name_of(text: str) -> str:
    """What a player is called after its command: the bot's name, or that of the program."""
    command = text.removeprefix(BOT_PREFIX)
    first = command.split()[0] if command.split() else ""
    if text.startswith(BOT_PREFIX):
        first = first.partition(":")[0]
    found = _WORD.findall(first.replace("\\", "/").rpartition("/")[2])
    return found[0].strip(".-+_") or "player" if found else "player"


def _test(text: str, names: list[str], node: Node) -> Sprt:
    found = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ConfigError([f"--sprt: {part[:40]!r}: expected key=value, such as elo0=0,elo1=20"])
        found[key] = value
    test = read(Sprt, node.child("stop.sprt", found))
    return replace(test, players=tuple(names[:2])) if len(names) > 2 and not test.players else test
