"""Configures a match without a file, from typed Python values or from command-line options."""

import argparse
import atexit
import re
import shutil
import tempfile
import tomllib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from gtp_variants.arena.config import match_config, player_config
from gtp_variants.arena.config.match_config import GameBlock, GameSettings, MatchConfig, MatchFile, TournamentBlock
from gtp_variants.arena.config.player_config import BOT_PREFIX, NO_LIMITS, BotConfig, PlayerConfig, TimeLimits
from gtp_variants.arena.config.resolve import resolve, unique
from gtp_variants.base.config_files import FieldUnreadable, Node, either, keys_of, nearest, quote, read
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError
from gtp_variants.players.config_readers import NAME
from gtp_variants.rules.actions import whole
from gtp_variants.rules.rules import Rules

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.+-]*)=(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")

# A list of bot names and player configurations; or, as in a file, commands by player name.
Players = Sequence[str | PlayerConfig] | Mapping[str, str]


def configure(
    game: Rules | GameSettings | str,
    players: Players,
    tournament: TournamentBlock | None = None,
    *,
    limits: TimeLimits = NO_LIMITS,
    openings: match_config.OpeningsBlock | str | Path | None = None,
    stop: match_config.Stops | None = None,
    seed: int | str | None = None,
    dice: str | None = None,
    jobs: int = 1,
    executor: str = "local",
    trusted: Collection[str] = (),
    outputs: match_config.Outputs | None = None,
    name: str = "match",
    description: str = "",
) -> MatchConfig:
    """Return the match that these values describe. Each value means the same as the key of a match file.

    `game` is a SPEC, rules or settings. `players` are bot names and player configurations or, as in a file, commands
    by player name. `tournament` is by default a round robin of 100 pairs. `limits` apply to players without limits of
    their own. `jobs` games are played at the same time (`concurrency`). The bots of the `trusted` players run in the
    referee's process. Without `outputs`, games are kept in a temporary folder until this process ends. Raises
    ConfigError with every fault and the path it would have in a file.

    >>> from gtp_variants import matches
    >>> engine = matches.ProgramConfig("gnugo", ("gnugo", "--mode", "gtp"), restart="never")
    >>> test = matches.Stops(sprt=matches.Sprt(elo0=0, elo1=20))
    >>> config = matches.configure("go:size=9", ("greedy", engine), stop=test, seed=1)
    >>> [matchup.id for matchup in config.matchups], config.stops.sprt.players
    (['greedy-gnugo'], ('greedy', 'gnugo'))
    """
    jobs = whole("jobs", jobs)
    if jobs < 1:
        raise ConfigError([f"jobs={jobs}: expected 1 or more"])
    if dice not in (None, *match_config.DICE):
        raise ConfigError([f"dice={dice!r}: expected {either(match_config.DICE)}"])
    settings = game if isinstance(game, GameSettings) else GameSettings(game if isinstance(game, str) else game.spec)
    book = match_config.OpeningsBlock(str(openings)) if isinstance(openings, str | Path) else openings
    node = Node(None)
    file = MatchFile(
        "1",
        name,
        description,
        players=trust(_read_players(players, node), trusted, node),
        defaults=game_block(settings, limits),
        tournament=tournament or TournamentBlock("roundrobin", pairs=100),
        book=book or match_config.OpeningsBlock(),
        stops=stop or match_config.Stops(),
        seed="" if seed is None else str(seed),
        dice=dice or "",
        concurrency=jobs,
        executor=executor,
        outputs=outputs or match_config.Outputs(_make_folder(), sgf="none"),
    )
    _check_blocks(file, settings, node)
    return resolve(file, node)


def game_block(settings: GameSettings, limits: TimeLimits = NO_LIMITS) -> GameBlock:
    """Return a game and its limits as a block of a file, with only the settings that differ from the defaults."""
    values = _differences(settings, GameSettings(settings.spec))
    values.pop("replays", None)
    on_crash = (settings.on_crash, settings.replays) if values.pop("on_crash", None) else None
    return GameBlock(settings.spec, on_crash=on_crash, limits=_differences(limits, NO_LIMITS), settings=values)


def _differences(value: GameSettings | TimeLimits, default: GameSettings | TimeLimits) -> dict[str, object]:
    """Return the fields in which a value differs from the default."""
    found = {each.name: getattr(value, each.name) for each in fields(value)}
    return {key: each for key, each in found.items() if each != getattr(default, key)}


def _check_blocks(file: MatchFile, settings: GameSettings, node: Node) -> None:
    """Note a fault for each value that a file could not have; `settings` are the settings of the games."""
    blocks: dict[str, Any] = {
        "defaults": settings,
        "tournament": file.tournament,
        "openings": file.book,
        "stop": file.stops,
        "stop.sprt": file.stops.sprt,
        "outputs": file.outputs,
    }
    blocks |= {f"tournament.matchups[{index}]": each for index, each in enumerate(file.tournament.matchups or ())}
    for path, block in blocks.items():
        for key in () if block is None else keys_of(type(block)):
            value, schema = getattr(block, key.attribute), key.reader.schema
            is_limited = "enum" in schema or schema.get("type") in ("integer", "number") or "anyOf" in schema
            if value in (None, "") or not is_limited:
                continue
            # The notation 1e-07 is not allowed in a file, so write such a number out.
            text = f"{value:.9f}" if isinstance(value, float) and "e" in str(value) else str(value)
            with suppress(FieldUnreadable):
                key.reader.read(node.child(f"{path}.{key.name}", text))


def _read_players(players: Players, node: Node) -> dict[str, PlayerConfig]:
    if isinstance(players, str):
        raise ConfigError([f"players: expected several players, not only {players!r}"])
    found: dict[str, PlayerConfig] = {}
    for player in players:
        if isinstance(player, BotConfig | player_config.ProgramConfig):
            found[unique(player.name, found)] = _check_player(player, node)
            continue
        command = players[player] if isinstance(players, Mapping) else BOT_PREFIX + player
        name = player if isinstance(players, Mapping) else unique(name_of(command), found)
        found[name] = player_config.read_player(name, node.child(f"players.{name}", {"command": command}))
    return found


def _check_player(player: PlayerConfig, node: Node) -> PlayerConfig:
    """Return a player with `own_limits` as in a file. Note a fault for a name or bot that a file could not have."""
    child = node.child(f"players.{player.name}")
    with suppress(FieldUnreadable):
        NAME.read(replace(child, value=player.name))
        if isinstance(player, BotConfig):
            player_config.COMMAND.read(child.child("command", BOT_PREFIX + player.bot))
    return replace(player, own_limits=_differences(player.limits, NO_LIMITS))


def _make_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="gtp-variants-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


USUAL_PAIRS = 10
# By name: the options that replace a key of a match file, as the TOML file explains.
_OPTIONS: dict[str, Json] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that replace a match file."""
    group = parser.add_argument_group("group_without_a_file")
    group.add_argument(*("--player", "-p"), action="append", metavar="[NAME=]COMMAND")
    group.add_argument("--trusted", action="append", metavar="NAME")
    for name, option in _OPTIONS.items():
        read = partial(_check_option, name) if option.get("checked") else str
        group.add_argument(_flag(name), type=read, metavar=option["metavar"])


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def read_option(name: str, text: str) -> Any:
    """Return the value of an option, read like the key that it replaces. Raises ValueError if it cannot be read."""
    keys = keys_of(MatchFile)
    for word in _OPTIONS[name]["path"].split("."):
        key = next(each for each in keys if each.name == word)
        keys = key.reader.keys
    return key.reader.read_text(text)


def _check_option(name: str, text: str) -> str:
    """Return the text of an option unchanged. Raises ValueError if the text cannot be read."""
    read_option(name, text)
    return text


def used_options(options: argparse.Namespace) -> list[str]:
    """Return the options given on the command line that replace keys of a match file."""
    return [_flag(name) for name in ("player", "trusted", *_OPTIONS) if getattr(options, name) is not None]


def match_of(options: argparse.Namespace) -> MatchConfig:
    """Return the match that the options describe. Raises ConfigError with every fault and its path in a file."""
    players = _commands(options)
    names = list(players)
    words = {name: word for name in _OPTIONS if (word := getattr(options, name)) is not None}
    words.setdefault("pairs", str(USUAL_PAIRS))
    words.setdefault("tournament", "playoff" if len(players) == 2 else "roundrobin")
    words.setdefault("name", "-".join([*names, name_of(words.get("variant", "").partition(":")[0])]))
    restart = words.pop("restart", None)
    if "plies" in words:
        # Read --plies even without --openings, to report its faults.
        words.setdefault("openings", "")
    tree: dict[str, Any] = {"arena": "1", "players": {}}
    for name, text in players.items():
        is_program = not text.startswith(BOT_PREFIX)
        tree["players"][name] = {"command": text, **({"restart": restart} if restart and is_program else {})}
    for name, word in words.items():
        *path, last = _OPTIONS[name]["path"].split(".")
        block = tree
        for key in path:
            block = block.setdefault(key, {})
        block[last] = _test(word, names) if name == "sprt" else word
    if words["tournament"] == "gauntlet":
        tree["tournament"]["seeds"] = names[:1]
    node = Node(tree)
    file = read(MatchFile, node)
    return resolve(replace(file, players=trust(file.players, options.trusted or (), node)), node)


def _commands(options: argparse.Namespace) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in options.player:
        named = _NAMED.fullmatch(text)
        # Match only NAME=COMMAND: in bot:mcts:level=3 the = belongs to the bot.
        name, command = (named[1], named[2]) if named else (name_of(text), text)
        found[unique(name, found)] = command
    return found


def _test(text: str, names: list[str]) -> dict[str, Any]:
    """Return `--sprt` as a block of a file. With more than two players the test compares the first two."""
    found: dict[str, Any] = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ConfigError([f"--sprt: {part[:40]!r}: expected key=value, such as elo0=0,elo1=20"])
        found[key] = value
    if len(names) > 2:
        found.setdefault("players", names[:2])
    return found


def trust(players: Mapping[str, PlayerConfig], names: Collection[str], node: Node) -> dict[str, PlayerConfig]:
    """Return the players, of which those in `names` are trusted. Note a fault for each unknown name."""
    found = dict(players)
    for name in names:
        player = players.get(name)
        if player is None:
            node.child("trusted").fault(f"no player is called {quote(name)}; {nearest(name, list(players))}")
        else:
            found[name] = replace(player, is_trusted=True)
    return found


def name_of(text: str) -> str:
    """Return the default name of a player with this command: the name of its bot or program, or else "player"."""
    command = text.removeprefix(BOT_PREFIX)
    first = command.split()[0] if command.split() else ""
    if text.startswith(BOT_PREFIX):
        first = first.partition(":")[0]
    found = _WORD.findall(first.replace("\\", "/").rpartition("/")[2])
    return found[0].strip(".-+_") or "player" if found else "player"
