"""What happens before the first game: programs are tried, and the match is compared with what was played before."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gtp_variants.arena.config import openings
from gtp_variants.arena.config.match_blocks import BOT_PREFIX
from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, Matchup, Opening
from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, ProgramConfig
from gtp_variants.arena.run import engines
from gtp_variants.arena.store import MatchStore
from gtp_variants.bot_process.player import describe, explain_refusal
from gtp_variants.errors import ConfigError, PeerError, VariantsError
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players import bots
from gtp_variants.rules import parse
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.diced import DicedRules

# Where the talk with programs that are tried is kept, beside that of games.
START = "start"


class MatchChanged(VariantsError):
    """The games that are kept of a match were played otherwise than they would be now."""


def prepare(config: MatchConfig, store: MatchStore) -> MatchConfig:
    """The match as it is going to be played: with a seed and dice, and knowing what its programs say they are.

    Raises ConfigError for programs that cannot play, MatchChanged if the games in the store were played otherwise.
    """
    _expect_bots_that_play(config)
    if not config.seed:
        config = replace(config, seed=store.make_seed(), has_fresh_seeds=True)
    config = replace(config, dice=config.dice or store.dice() or "own")
    if not config.executor.startswith("dask:"):
        config = try_programs(config)
    _expect_unchanged(config, store)
    return config


def try_programs(config: MatchConfig) -> MatchConfig:
    """The match after each program was started and sat down to each of its games. Raises ConfigError."""
    faults: list[str] = []
    versions: dict[str, tuple[str, bool]] = {}
    folder = config.folder / "logs" / START
    for player, game in _programs(config):
        try:
            versions[player.name] = _version(player, game, config.opening(1), folder)
        except PeerError as error:
            faults.append(f"players.{player.name}: cannot play {parse(game.spec).name}: {error}{_suggest_bot(player)}")
    engines.end_all()
    if faults:
        raise ConfigError([*faults, f"what they said is in {folder}"])
    shutil.rmtree(folder, ignore_errors=True)

    def fill_player(player: PlayerConfig) -> PlayerConfig:
        if not isinstance(player, ProgramConfig) or player.name not in versions:
            return player
        version, takes_seed = versions[player.name]
        return replace(player, version=version, takes_seed=takes_seed)

    def fill_matchup(matchup: Matchup) -> Matchup:
        return replace(matchup, players=tuple(map(fill_player, matchup.players)))

    return replace(
        config,
        players={name: fill_player(player) for name, player in config.players.items()},
        matchups=tuple(map(fill_matchup, config.matchups)),
    )


def find_repeating(config: MatchConfig) -> list[str]:
    """A warning for each matchup of a prepared match in whose games nothing differs: equal games are no evidence."""
    return [
        f"{matchup.id}: nothing makes its games differ: no openings, no dice, and neither "
        f"{' nor '.join(matchup.names)} draws lots or is told a seed ({{seed}} in its command, or set_random_seed); "
        f"{matchup.pairs} pairs of equal games say as much as one"
        for matchup in config.matchups
        if matchup.pairs > 1
        and not config.openings
        and not isinstance(parse(matchup.game.spec), DicedRules)
        and not any(map(_draws_lots, matchup.players))
    ]


def _draws_lots(player: PlayerConfig) -> bool:
    """Whether a player may play otherwise in another game that begins alike."""
    if isinstance(player, BotConfig):
        return describe(player.bot).draws_lots
    return player.takes_seed is not False or any("{seed}" in word or "{game}" in word for word in player.command)


def _programs(config: MatchConfig) -> Iterator[tuple[ProgramConfig, GameSettings]]:
    """Each program with each kind of game that it plays."""
    seen = set()
    for matchup in config.matchups:
        for player in matchup.players:
            if isinstance(player, ProgramConfig) and (player.name, matchup.game) not in seen:
                seen.add((player.name, matchup.game))
                yield player, matchup.game


def _suggest_bot(player: ProgramConfig) -> str:
    """What to add where there is no such program, but a bot of that name; "" otherwise."""
    word = player.command[0]
    is_program = shutil.which(word, path=player.env.get("PATH")) is not None
    if is_program or word.partition(":")[0] not in bots.names():
        return ""
    return f"; did you mean {BOT_PREFIX}{word}?"


def _expect_bots_that_play(config: MatchConfig) -> None:
    """Raises ConfigError for bots that would have to play what they cannot see, or with a network of another game."""
    faults: dict[str, str] = {}
    for matchup in config.matchups:
        rules = parse(matchup.game.spec)
        named = [player for player in matchup.players if isinstance(player, BotConfig)]
        for player in named:
            if refusal := explain_refusal(player.bot, rules):
                faults[player.name] = refusal
    if faults:
        raise ConfigError([f"players.{name}: {why}" for name, why in faults.items()])


def _version(player: ProgramConfig, game: GameSettings, opening: Opening | None, folder: Path) -> tuple[str, bool]:
    """What a program says that it is, once it sat down to a game, and whether it takes a seed."""
    rules = parse(game.spec)
    table = openings.begin(rules, lambda: DiceStream(START), opening, game.handicap)
    seat = engines.make_program(player, folder, START, START)
    assert isinstance(seat, GtpPlayer)
    try:
        table.seat(rules.colours[0], seat, START)
        peer = seat.engine()
        return f"{peer.name} {peer.version}".strip(), peer.knows("set_random_seed")
    finally:
        seat.leave(None)


def _expect_unchanged(config: MatchConfig, store: MatchStore) -> None:
    changes = store.changes(config)
    if not changes:
        return
    lines = [f"the games in {store.path} were played otherwise:", *(f"  {change}" for change in changes)]
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
