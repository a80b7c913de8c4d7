"""Checks before the first game: programs are tried out, and the match is compared with the games already stored."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from gtp_variants.arena import openings
from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, Outputs
from gtp_variants.arena.config.player_config import BOT_PREFIX, BotConfig, PlayerConfig, ProgramConfig, identity
from gtp_variants.arena.openings import Opening
from gtp_variants.arena.run import engines
from gtp_variants.arena.store import MatchStore
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.dask_cluster import open_cluster
from gtp_variants.errors import ConfigError, PeerError, PeerUnfit, VariantsError
from gtp_variants.gtp.client.conformance import find_fault
from gtp_variants.gtp.client.isolated_bot import describe, explain_refusal
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players import bots
from gtp_variants.rules import parse
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules

# Name of the folder with the logs of programs that are tried out, beside the games' logs.
START = "start"
# For each player that is a program: the program's name and version, and True if it takes a seed.
Versions = dict[str, tuple[str, bool]]


class MatchChanged(VariantsError):
    """Raised if the stored games of a match were played with other settings."""


def prepare(config: MatchConfig, store: MatchStore) -> MatchConfig:
    """Return the match as it will be played, with a seed, dice and the versions of its programs.

    Raises ConfigError for programs that cannot play, and MatchChanged if the stored games had other settings.
    """
    _expect_bots_that_play(config)
    if not config.seed:
        config = replace(config, seed=store.make_seed(), has_fresh_seeds=True)
    config = replace(config, dice=config.dice or store.dice() or "own")
    config = try_players(config)
    _expect_unchanged(config, store)
    return config


def try_players(config: MatchConfig) -> MatchConfig:
    """Start each program for each of its games, on the machine where it will play. Return the match with versions.

    Raises ConfigError if a program cannot play, or if players differ between the machines of a cluster.
    """
    is_remote = config.executor.startswith("dask:")
    return _try_on_machines(config) if is_remote else _with_versions(config, _try_programs(config))


def _try_programs(config: MatchConfig) -> Versions:
    faults: list[str] = []
    versions: Versions = {}
    folder = config.folder / "logs" / START
    met = ((player, matchup.game) for matchup in config.matchups for player in matchup.players)
    programs = {(player.name, game): player for player, game in met if isinstance(player, ProgramConfig)}
    for (_, game), player in programs.items():
        try:
            seated = _version(player, game, config.opening(1), folder, has_to_know_rules=config.preflight == "rules")
            versions[player.name] = seated
        except PeerError as error:
            faults.append(f"players.{player.name}: cannot play {parse(game.spec).name}: {error}{_suggest_bot(player)}")
    engines.end_all()
    if faults:
        raise ConfigError([*faults, f"the logs of these programs are in {folder}"])
    shutil.rmtree(folder, ignore_errors=True)
    return versions


def _with_versions(config: MatchConfig, versions: Versions) -> MatchConfig:
    def fill(player: PlayerConfig) -> PlayerConfig:
        if not isinstance(player, ProgramConfig) or player.name not in versions:
            return player
        version, takes_seed = versions[player.name]
        return replace(player, version=version, takes_seed=takes_seed)

    matchups = tuple(replace(each, players=tuple(map(fill, each.players))) for each in config.matchups)
    return replace(config, players={name: fill(each) for name, each in config.players.items()}, matchups=matchups)


def _try_on_machines(config: MatchConfig) -> MatchConfig:
    # Keep the seed here: a worker may know only the dice of its own games.
    asked = replace(config, seed="", openings=(), outputs=Outputs(Path()), tls=None)
    with open_cluster(config.executor, 1, config.tls) as cluster:
        answers = cluster.run_on_hosts(_describe_players, asked)
    if faults := [f"worker {worker}: {fault}" for worker, (_, _, failed) in answers.items() for fault in failed]:
        raise ConfigError(faults)
    # Compare the workers' bots with this machine's, but programs with each other: they may exist only on workers.
    bots_here = [player for player in config.players.values() if isinstance(player, BotConfig)]
    known = {player.name: ("here", identity(player)) for player in bots_here}
    for worker, (_, identities, _) in answers.items():
        for name, found in identities.items():
            where, expected = known.setdefault(name, (f"on {worker}", found))
            faults += [
                f"players.{name}: expected {key} {expected.get(key)!r} as {where}, got {found.get(key)!r} on {worker}"
                for key in sorted(expected.keys() | found.keys())
                if expected.get(key) != found.get(key)
            ]
    if faults:
        raise ConfigError(faults)
    return _with_versions(config, next(iter(answers.values()))[0])


def _describe_players(config: MatchConfig) -> tuple[Versions, dict[str, Json], list[str]]:
    """Return a worker's programs with their versions, the identities of its players, and their faults."""
    try:
        _expect_bots_that_play(config)
        config = replace(config, outputs=Outputs(Path(tempfile.mkdtemp(prefix="gtp-variants-"))))
        versions = _try_programs(config)
        shutil.rmtree(config.folder, ignore_errors=True)
        players = _with_versions(config, versions).players
        return versions, {name: identity(player) for name, player in players.items()}, []
    except ConfigError as error:
        return {}, {}, list(error.faults)
    except (OSError, VariantsError) as error:
        return {}, {}, [str(error)]


def find_repeating(config: MatchConfig) -> list[str]:
    """Return a warning for each matchup of a prepared match whose games will all be equal and so prove nothing."""
    return [
        f"{matchup.id}: all {matchup.pairs} pairs of games will be equal: no openings, no dice, and neither "
        f"{' nor '.join(matchup.names)} is random or takes a seed ({{seed}} in its command, or set_random_seed)"
        for matchup in config.matchups
        if matchup.pairs > 1
        and not config.openings
        and not isinstance(parse(matchup.game.spec), DicedRules)
        and not any(map(_draws_lots, matchup.players))
    ]


def _draws_lots(player: PlayerConfig) -> bool:
    """Return True if a player may play differently in two games that begin alike."""
    if isinstance(player, BotConfig):
        return describe(player.bot).draws_lots
    return player.takes_seed is not False or any("{seed}" in word or "{game}" in word for word in player.command)


def _suggest_bot(player: ProgramConfig) -> str:
    """Return a hint if a command is not a program but the name of a bot; "" otherwise."""
    word = player.command[0]
    is_program = shutil.which(word, path=player.env.get("PATH")) is not None
    if is_program or word.partition(":")[0] not in bots.names():
        return ""
    return f"; did you mean {BOT_PREFIX}{word}?"


def _expect_bots_that_play(config: MatchConfig) -> None:
    """Raise ConfigError if a bot cannot play its hidden game, or its network is for a different game."""
    faults: dict[str, str] = {}
    for matchup in config.matchups:
        rules = parse(matchup.game.spec)
        for player in matchup.players:
            if isinstance(player, BotConfig) and (refusal := explain_refusal(player.bot, rules)):
                faults[player.name] = refusal
    if faults:
        raise ConfigError([f"players.{name}: {why}" for name, why in faults.items()])


def _version(
    player: ProgramConfig, game: GameSettings, opening: Opening | None, folder: Path, *, has_to_know_rules: bool
) -> tuple[str, bool]:
    """Try a program. Return its name and version, and True if it takes a seed. Raises PeerError if it cannot play."""
    rules = parse(game.spec)
    table = openings.begin(rules, lambda: DiceStream(START), opening, game.handicap)
    seat = engines.make_program(player, folder, START, START)
    assert isinstance(seat, GtpPlayer)
    try:
        table.seat(rules.colours[0], seat, START)
        peer = seat.engine()
        if has_to_know_rules and (fault := find_fault(peer, rules.name)) is not None:
            raise PeerUnfit(fault.text())
        return f"{peer.name} {peer.version}".strip(), peer.knows("set_random_seed")
    finally:
        seat.leave(None)


def _expect_unchanged(config: MatchConfig, store: MatchStore) -> None:
    changes = store.changes(config)
    if not changes:
        return
    lines = [f"the games in {store.path} had other settings:", *(f"  {change}" for change in changes)]
    players = sorted({change.player or "" for change in changes})
    if "" in players:
        lines.append(
            "Undo the change, keep the new games elsewhere (outputs.dir of a match file, --dir, store= in Python), "
            "or delete the old ones (reset, in Python the file)"
        )
    else:
        lines.append(f"Give the changed player ({', '.join(players)}) a name of its own to play it beside the old one,")
        lines += [f"or delete its old games: reset --only {player}" for player in players]
    raise MatchChanged("\n".join(lines))
