"""A match straight from the command line, as the tree that a file would be read to."""

import argparse
import re
from collections.abc import Container
from typing import Any

from gtp_variants.arena.config.players_reader import BOT
from gtp_variants.errors import ConfigError

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.+-]*)=(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that say what a file says otherwise."""
    group = parser.add_argument_group("a match without a file")
    group.add_argument(
        *("--player", "-p"),
        action="append",
        metavar="[NAME=]COMMAND",
        help="a player: bot:NAME is ours, anything else a program that speaks GTP; give it twice or more",
    )
    group.add_argument("--variant", metavar="SPEC", help="the game, such as aleago:size=9,dice=1d4")
    group.add_argument("--pairs", metavar="N", help="pairs of games with swapped colours (default 10)")
    group.add_argument("--tournament", metavar="TYPE", help="playoff, roundrobin, gauntlet (the first is the seed)")
    group.add_argument("--time", metavar="TIME", help="clock of each player, such as 30s+1s")
    group.add_argument("--margin", metavar="TIME", help="how late a move may be, such as 250ms")
    group.add_argument("--restart", metavar="WHEN", help="fresh programs: game (default), never, on-failure")
    group.add_argument("--handicap", metavar="N", help="handicap stones of Black")
    group.add_argument("--move-limit", metavar="N", help="stones and passes until a game is ended")
    group.add_argument(
        "--openings", metavar="FILE", help="SGF file, folder or text of moves; or the name of one of ours"
    )
    group.add_argument("--plies", metavar="N", help="moves of the openings that are played")
    group.add_argument(
        "--sprt", metavar="elo0=0,elo1=20,...", help="end by a test; also alpha=, beta=, model= (normalized, logistic)"
    )
    group.add_argument("--elo-error", metavar="ELO", help="end when half the 95 %% interval is below this")
    group.add_argument("--name", help="what the match is called (default: its players and game)")
    group.add_argument("--dir", metavar="FOLDER", help="where it is kept (default out/NAME)")


_OPTIONS = (
    *("player", "variant", "pairs", "tournament", "time", "margin", "restart", "handicap", "move_limit", "openings"),
    *("plies", "sprt", "elo_error", "name", "dir"),
)


def given(options: argparse.Namespace) -> list[str]:
    """The options of this kind that were used."""
    return ["--" + key.replace("_", "-") for key in _OPTIONS if getattr(options, key) is not None]


def tree_of(options: argparse.Namespace) -> dict[str, Any]:
    """The tree. Raises ConfigError where an option cannot be read; what it means is checked like a file."""
    players = _players(options)
    kind = options.tournament or ("playoff" if len(players) == 2 else "roundrobin")
    tournament = {"type": kind, "pairs": options.pairs or "10"}
    names = list(players)
    if kind == "gauntlet":
        tournament["seeds"] = names[:1]
    limits = _known(time=options.time, margin=options.margin)
    game = _known(variant=options.variant, handicap=options.handicap, move_limit=options.move_limit)
    tree: dict[str, Any] = {
        "arena": "1",
        "name": options.name or "-".join([*names, name_of((options.variant or "").partition(":")[0])]),
        "players": players,
        "defaults": game | ({"limits": limits} if limits else {}),
        "tournament": tournament,
    }
    if options.openings is not None:
        tree["openings"] = _known(file=options.openings, plies=options.plies)
    stop = _known(elo_error=options.elo_error)
    if options.sprt is not None:
        stop["sprt"] = _test(options.sprt, names)
    if stop:
        tree["stop"] = stop
    if options.dir is not None:
        tree["outputs"] = {"dir": options.dir}
    return tree


def _known(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _players(options: argparse.Namespace) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for text in options.player:
        named = _NAMED.fullmatch(text)
        # In bot:mcts:level=3 the = belongs to the bot.
        name, command = (named[1], named[2]) if named else (name_of(text), text)
        player = {"command": command}
        if options.restart is not None and not command.startswith(BOT):
            player["restart"] = options.restart
        found[unique(name, found)] = player
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
    command = text.removeprefix(BOT)
    first = command.split()[0] if command.split() else ""
    if text.startswith(BOT):
        first = first.partition(":")[0]
    found = _WORD.findall(first.replace("\\", "/").rpartition("/")[2])
    return found[0].strip(".-+_") or "player" if found else "player"


def _test(text: str, names: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"players": names[:2]} if len(names) > 2 else {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ConfigError([f"--sprt: {part[:40]!r}: expected key=value, such as elo0=0,elo1=20"])
        found[key] = value
    return found
