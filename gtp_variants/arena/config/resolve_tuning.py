"""Makes a tuning of what a match file says of it: whose command has the parameters, whom they meet, all checked."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from gtp_variants.arena.config.match_blocks import PlayerBlock, TournamentBlock
from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, ProgramConfig
from gtp_variants.arena.config.tuning_config import (
    BATCHES,
    GIVEN_PLACES,
    TuneParameter,
    TuningConfig,
    has_places,
    places_in,
)
from gtp_variants.bot_process.player import describe
from gtp_variants.config.fields import FieldUnreadable, Node, either
from gtp_variants.config.readers import BOT

Players = Mapping[str, PlayerBlock | None]


def resolve_tuning(
    tournament: TournamentBlock, names: Sequence[str], players: Players, node: Node
) -> TuningConfig | None:
    """What a tournament of type tune tunes, by players of these names; None after a fault."""
    parameters = tournament.parameters
    if parameters is None:
        node.child("tournament.parameters").missing("what stands in braces in a player's command")
        return None
    _check_bounds(parameters, node)
    known = {name: block.player for name in names if (block := players.get(name)) is not None}
    tuned = [player for player in known.values() if places_in(player) & {*parameters}]
    if len(tuned) != 1:
        found = either([player.name for player in tuned]) if tuned else "no player"
        node.child("tournament.parameters").fault(f"expected one player whose command has them, not {found}")
        return None
    (player,) = tuned
    _check_places(player, parameters, node)
    method = tournament.method or "spsa"
    others = [name for name in names if name != player.name]
    if len(others) > (method != "spsa"):
        told = "nobody: spsa lets two sides of it play each other" if method == "spsa" else "one player at most"
        node.child("tournament.players").fault(f"{player.name} is tuned; beside it expected {told}")
    if node.faults:
        return None
    against = others[0] if others else ""
    return TuningConfig(player, parameters, method, tournament.pairs or 1, tournament.batch or BATCHES[method], against)


def tuning_names(tuning: TuningConfig) -> tuple[str, str]:
    """What the two players of the pairs of a tuning are called."""
    name = tuning.player.name
    if tuning.method == "spsa":
        return f"{name}+", f"{name}-"
    return name, tuning.against or f"{name}-start"


def refuse_open_places(players: Players, node: Node) -> None:
    """Note bots with places that nothing fills in: the sentence is what a bot says of such a parameter."""
    for name, block in players.items():
        if block is not None and isinstance(block.player, BotConfig) and has_places(block.player.bot):
            with suppress(FieldUnreadable):
                BOT.read(node.child(f"players.{name}.command", block.player.bot))


def _check_bounds(parameters: Mapping[str, TuneParameter], node: Node) -> None:
    for name, each in parameters.items():
        if None in (each.start, each.low, each.high):
            continue  # told already
        child = node.child(f"tournament.parameters.{name}")
        if each.high <= each.low:
            child.child("max").fault(f"expected more than min, which is {each.low:g}")
        elif not each.low <= each.start <= each.high:
            child.child("start").fault(f"expected {each.low:g} to {each.high:g}, not {each.start:g}")


def _check_places(player: PlayerConfig, parameters: Mapping[str, TuneParameter], node: Node) -> None:
    places = places_in(player)
    for name in parameters:
        if name not in places:
            node.child(f"tournament.parameters.{name}").fault(f"the command of {player.name} has no {{{name}}}")
    own = set() if isinstance(player, BotConfig) else set(GIVEN_PLACES)
    path = f"players.{player.name}"
    for name in sorted(places - set(parameters) - own):
        node.child(f"{path}.command").fault(f"{{{name}}}: expected one of tournament.parameters")
    if isinstance(player, ProgramConfig) and player.restart != "game" and _is_in_command(player, parameters):
        why = "its command changes; expected game, or parameters in `startup` only"
        node.child(f"{path}.restart").fault(f"{player.restart}: {why}")


def _is_in_command(player: ProgramConfig, parameters: Mapping[str, TuneParameter]) -> bool:
    return bool(places_in(replace(player, startup=())) & {*parameters})


def fill_start(tuning: TuningConfig, node: Node) -> PlayerConfig:
    """The tuned player with its start values; what a bot finds wrong with them is noted."""
    player = tuning.fill(tuning.player, tuning.start)
    if not isinstance(player, BotConfig):
        return player
    with suppress(FieldUnreadable):
        BOT.read(node.child(f"players.{player.name}.command", player.bot))
        return replace(player, threads=max(player.threads, describe(player.bot).threads))
    return player
