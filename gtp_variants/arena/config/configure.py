"""A match from typed values, as Python programs make it: what a match file says, without the file."""

import atexit
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

from gtp_variants.arena.config.command_line import name_of, trust, unique
from gtp_variants.arena.config.match_blocks import (
    BOT_PREFIX,
    COMMAND,
    GameBlock,
    MatchFile,
    MatchupBlock,
    OpeningsBlock,
    PlayerBlock,
    TournamentBlock,
    read_command,
)
from gtp_variants.arena.config.match_config import DICE, GameSettings, MatchConfig, Outputs, Sprt, Stops
from gtp_variants.arena.config.player_config import NO_LIMITS, BotConfig, PlayerConfig, TimeLimits
from gtp_variants.arena.config.resolve import resolve
from gtp_variants.base.config_files import FieldUnreadable, Node, either, keys_of
from gtp_variants.errors import ConfigError
from gtp_variants.players.config_readers import NAME
from gtp_variants.rules.actions import whole
from gtp_variants.rules.rules import Rules

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
    if isinstance(openings, str | Path):
        openings = OpeningsBlock(str(openings))
    node = Node(None)
    file = MatchFile(
        "1",
        name,
        description,
        players=trust(_read_players(players, node), trusted, node),
        defaults=game_block(settings, limits),
        tournament=tournament or TournamentBlock("roundrobin", pairs=100),
        openings=openings,
        stop=stop or Stops(),
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
        "openings": file.openings,
        "stop": file.stop,
    }
    blocks |= {f"tournament.matchups[{index}]": each for index, each in enumerate(file.tournament.matchups or ())}
    for path, block in (blocks | {"stop.sprt": file.stop.sprt, "outputs": file.outputs}).items():
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


def _read_players(players: Players, node: Node) -> dict[str, PlayerBlock | None]:
    if isinstance(players, str):
        raise ConfigError([f"players: expected several, not only {players!r}"])
    if isinstance(players, Mapping):
        return {name: read_command(name, text, node) for name, text in players.items()}
    found: dict[str, PlayerBlock | None] = {}
    for player in players:
        if isinstance(player, str):
            name = unique(name_of(BOT_PREFIX + player), found)
            found[name] = read_command(name, BOT_PREFIX + player, node)
        else:
            found[unique(player.name, found)] = _check_player(player, node)
    return found


def _check_player(player: PlayerConfig, node: Node) -> PlayerBlock | None:
    """A player as the block of a file; None after a fault."""
    child = node.child(f"players.{player.name}")
    with suppress(FieldUnreadable):
        NAME.read(replace(child, value=player.name))
        if isinstance(player, BotConfig):
            COMMAND.read(child.child("command", BOT_PREFIX + player.bot))
        return PlayerBlock(player, _unusual(player.limits, NO_LIMITS))
    return None


def _make_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="gtp-variants-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
