"""A match without a file: from typed values, as Python programs make it, or from the options of the command line."""

import argparse
import atexit
import re
import shutil
import tempfile
from collections.abc import Collection, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from gtp_variants.arena.config.match_config import (
    DICE,
    GameBlock,
    GameSettings,
    MatchConfig,
    MatchFile,
    MatchupBlock,
    OpeningsBlock,
    Outputs,
    Sprt,
    Stops,
    TournamentBlock,
)
from gtp_variants.arena.config.player_config import (
    BOT_PREFIX,
    COMMAND,
    NO_LIMITS,
    BotConfig,
    PlayerConfig,
    ProgramConfig,
    TimeLimits,
    read_player,
)
from gtp_variants.arena.config.resolve import resolve
from gtp_variants.base.config_files import FieldUnreadable, Node, either, keys_of, nearest, quote, read
from gtp_variants.errors import ConfigError
from gtp_variants.players.config_readers import NAME
from gtp_variants.rules.actions import whole
from gtp_variants.rules.rules import Rules

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.+-]*)=(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")
# Whatever of a match has words and numbers that a file may give it.
_Block = GameSettings | TournamentBlock | MatchupBlock | OpeningsBlock | Stops | Sprt | Outputs

# A player as a value, a bot's name, or where players have names of their own the command as in a file.
Players = Sequence[str | PlayerConfig] | Mapping[str, str]


def configure(
    game: Rules | GameSettings | str,
    players: Players,
    tournament: TournamentBlock | None = None,
    *,
    limits: TimeLimits = NO_LIMITS,
    openings: OpeningsBlock | str | Path | None = None,
    stop: Stops | None = None,
    seed: int | str | None = None,
    dice: str | None = None,
    jobs: int = 1,
    executor: str = "local",
    trusted: Collection[str] = (),
    outputs: Outputs | None = None,
    name: str = "match",
    description: str = "",
) -> MatchConfig:
    """The match that these values describe; each means what the key of a match file does that is called like it.

    `game` is a SPEC, rules, or settings with a SPEC among them. `players` are names of bots, players as values, or
    name -> command as in a file. `tournament` is by default a round robin of 100 pairs; `limits` hold for players who
    have none of their own. `jobs` are games at a time (`concurrency`), `trusted` names of players whose bots play in
    the referee's process. Without `outputs` games are kept in a temporary folder that goes with this process. Raises
    ConfigError with every fault, each with the path that it would have in a file.

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
    if dice not in (None, *DICE):
        raise ConfigError([f"dice={dice!r}: expected {either(DICE)}"])
    settings = game if isinstance(game, GameSettings) else GameSettings(game if isinstance(game, str) else game.spec)
    book = OpeningsBlock(str(openings)) if isinstance(openings, str | Path) else openings
    node = Node(None)
    file = MatchFile(
        "1",
        name,
        description,
        players=trust(_read_players(players, node), trusted, node),
        defaults=game_block(settings, limits),
        tournament=tournament or TournamentBlock("roundrobin", pairs=100),
        book=book or OpeningsBlock(),
        stops=stop or Stops(),
        seed="" if seed is None else str(seed),
        dice=dice or "",
        concurrency=jobs,
        executor=executor,
        outputs=outputs or Outputs(_make_folder(), sgf="none"),
    )
    _check_blocks(file, settings, node)
    return resolve(file, node)


def game_block(settings: GameSettings, limits: TimeLimits = NO_LIMITS) -> GameBlock:
    """A game and how it is played as the block of a file: of the settings those that are not as usual."""
    values = _unusual(settings, GameSettings(settings.spec))
    values.pop("replays", None)
    on_crash = (settings.on_crash, settings.replays) if values.pop("on_crash", None) else None
    return GameBlock(settings.spec, on_crash=on_crash, limits=_unusual(limits, NO_LIMITS), settings=values)


def _unusual(value: GameSettings | TimeLimits, usual: GameSettings | TimeLimits) -> dict[str, object]:
    """The fields of a value that are not as they usually are."""
    found = {each.name: getattr(value, each.name) for each in fields(value)}
    return {key: each for key, each in found.items() if each != getattr(usual, key)}


def _check_blocks(file: MatchFile, settings: GameSettings, node: Node) -> None:
    """Note what of a match could not stand in a file; `settings` are those of its games."""
    blocks: dict[str, _Block | None] = {
        "defaults": settings,
        "tournament": file.tournament,
        "openings": file.book,
        "stop": file.stops,
    }
    blocks |= {f"tournament.matchups[{index}]": each for index, each in enumerate(file.tournament.matchups or ())}
    for path, block in (blocks | {"stop.sprt": file.stops.sprt, "outputs": file.outputs}).items():
        if block is not None:
            _check_values(block, node.child(path))


def _check_values(block: _Block, node: Node) -> None:
    """Note the words and numbers of a value that could not stand in a file."""
    for key in keys_of(type(block)):
        value, schema = getattr(block, key.attribute), key.reader.schema
        is_limited = "enum" in schema or schema.get("type") in ("integer", "number") or "anyOf" in schema
        if value in (None, "") or not is_limited:
            continue
        # A file has no room for 1e-07.
        text = f"{value:.9f}" if isinstance(value, float) and "e" in str(value) else str(value)
        with suppress(FieldUnreadable):
            key.reader.read(node.child(key.name, text))


def _read_players(players: Players, node: Node) -> dict[str, PlayerConfig]:
    if isinstance(players, str):
        raise ConfigError([f"players: expected several, not only {players!r}"])
    found: dict[str, PlayerConfig] = {}
    if isinstance(players, Mapping):
        for name, text in players.items():
            found[name] = read_player(name, node.child(f"players.{name}", {"command": text}))
        return found
    for player in players:
        if isinstance(player, str):
            name = unique(name_of(BOT_PREFIX + player), found)
            found[name] = read_player(name, node.child(f"players.{name}", {"command": BOT_PREFIX + player}))
        else:
            found[unique(player.name, found)] = _check_player(player, node)
    return found


def _check_player(player: PlayerConfig, node: Node) -> PlayerConfig:
    """A player with its own limits as a file would have them; what could not stand there is noted."""
    child = node.child(f"players.{player.name}")
    with suppress(FieldUnreadable):
        NAME.read(replace(child, value=player.name))
        if isinstance(player, BotConfig):
            COMMAND.read(child.child("command", BOT_PREFIX + player.bot))
    return replace(player, own_limits=_unusual(player.limits, NO_LIMITS))


def _make_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="gtp-variants-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


USUAL_PAIRS = 10
# The options that stand for a key of a match file: what their values are called, the key, and the block that declares
# it where an option is read by itself.
_OPTIONS: dict[str, tuple[str | None, str, type | None]] = {
    "variant": ("SPEC", "defaults.variant", None),
    "pairs": ("N", "tournament.pairs", TournamentBlock),
    "tournament": ("TYPE", "tournament.type", TournamentBlock),
    "time": ("TIME", "defaults.limits.time", TimeLimits),
    "margin": ("TIME", "defaults.limits.margin", TimeLimits),
    "restart": ("WHEN", "players.NAME.restart", ProgramConfig),
    "handicap": ("N", "defaults.handicap", GameSettings),
    "move_limit": ("N", "defaults.move_limit", GameSettings),
    "openings": ("FILE", "openings.file", None),
    "plies": ("N", "openings.plies", OpeningsBlock),
    "dice": ("WHOSE", "dice", MatchFile),
    "sprt": ("elo0=0,elo1=20,...", "stop.sprt", None),
    "elo_error": ("ELO", "stop.elo_error", Stops),
    "name": ("NAME", "name", MatchFile),
    "dir": ("FOLDER", "outputs.dir", None),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what a file says otherwise."""
    group = parser.add_argument_group("group_without_a_file")
    group.add_argument(*("--player", "-p"), action="append", metavar="[NAME=]COMMAND")
    group.add_argument("--trusted", action="append", metavar="NAME")
    for name, (metavar, _, block) in _OPTIONS.items():
        group.add_argument(_flag(name), type=str if block is None else partial(_check_option, name), metavar=metavar)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def read_option(name: str, text: str) -> Any:
    """Read an option as the key of a match file that it stands for. Raises ValueError."""
    _, path, block = _OPTIONS[name]
    assert block is not None
    key = next(each for each in keys_of(block) if each.name == path.rpartition(".")[2])
    return key.reader.read_text(text)


def _check_option(name: str, text: str) -> str:
    """Return the text of an option, which is read as part of the whole match. Raises ValueError if it cannot be."""
    read_option(name, text)
    return text


def used_options(options: argparse.Namespace) -> list[str]:
    """Return the options of this kind that were used."""
    return [_flag(name) for name in ("player", "trusted", *_OPTIONS) if getattr(options, name) is not None]


def match_of(options: argparse.Namespace) -> MatchConfig:
    """Return the match that the options describe: they are read as the keys of a file that they stand for.

    Raises ConfigError with every fault; paths in it are those that a file would have.
    """
    players = _commands(options)
    names = list(players)
    words = {name: word for name in _OPTIONS if (word := getattr(options, name)) is not None}
    words.setdefault("pairs", str(USUAL_PAIRS))
    words.setdefault("tournament", "playoff" if len(players) == 2 else "roundrobin")
    words.setdefault("name", "-".join([*names, name_of(words.get("variant", "").partition(":")[0])]))
    restart = words.pop("restart", None)
    if "plies" in words:
        # Without openings it is read all the same.
        words.setdefault("openings", "")
    tree: dict[str, Any] = {"arena": "1", "players": {}}
    for name, text in players.items():
        is_program = not text.startswith(BOT_PREFIX)
        tree["players"][name] = {"command": text, **({"restart": restart} if restart and is_program else {})}
    for name, word in words.items():
        *path, last = _OPTIONS[name][1].split(".")
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
    """Return the players' commands by name."""
    found: dict[str, str] = {}
    for text in options.player:
        named = _NAMED.fullmatch(text)
        # In bot:mcts:level=3 the = belongs to the bot.
        name, command = (named[1], named[2]) if named else (name_of(text), text)
        found[unique(name, found)] = command
    return found


def _test(text: str, names: list[str]) -> dict[str, Any]:
    """Return the block of a test as a file has it; of more than two players it is about the first two."""
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
    """The players, some of whom are trusted; that must be bots."""
    found = dict(players)
    for name in names:
        player = players.get(name)
        if player is None:
            node.child("trusted").fault(f"no player is called {quote(name)}; {nearest(name, list(players))}")
        elif isinstance(player, BotConfig):
            found[name] = replace(player, is_trusted=True)
        else:
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
