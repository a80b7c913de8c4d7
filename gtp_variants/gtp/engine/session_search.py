"""Searches for a session: the positions to search, and the network and search settings of its bot."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, GameOver
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.bots import changed_parameters, parameters
from gtp_variants.players.table import position_to_move
from gtp_variants.players.thinking import sliced_search
from gtp_variants.rules.position import Position

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult
    from gtp_variants.ai.mcts.settings import AvoidedMove, Setting

# Minimum seconds of a search, even if a line is waiting, and seconds between two reports.
_LEAST_S, _REPORT_EVERY_S = 0.05, 0.5


def search_of(session: Session, colour: int, avoided: "Sequence[AvoidedMove]" = ()) -> sliced_search.SlicedSearch:
    """Return a search for a colour as if it were to move, by what it knows. Raises CommandFailed if there is none."""
    if session.play.is_over:
        raise CommandFailed("game over")
    positions = positions_of(session, colour)
    network = network_of(session)
    more: Mapping[str, Setting] = {"wide_root_noise": session.wide_root_noise} if session.wide_root_noise > 0 else {}
    settings = sliced_search.with_network_settings(session.rules, network, settings_of(session), more)
    if session.rules.is_open:
        return sliced_search.PositionSearch(session.rules, positions[0], avoided, network=network, settings=settings)
    view = replace(session.play.view(colour), to_play=colour)
    return sliced_search.ViewSearch(session.rules, view, positions, avoided, network, settings)


def search_for(
    session: Session,
    search: sliced_search.SlicedSearch,
    seconds: float,
    report: "Callable[[SearchResult], None] | None" = None,
    look: "Callable[[SearchResult], None] | None" = None,
) -> "SearchResult":
    """Search until the time is up or a line arrives. `look` gets every result, `report` two results per second."""
    begun = reported = time.monotonic()
    while True:
        found = search.run_slice()
        if look is not None:
            look(found)
        now = time.monotonic()
        if now - begun >= seconds or (now - begun >= _LEAST_S and session.has_pending_command()):
            return found
        if report is not None and now - reported >= _REPORT_EVERY_S:
            reported = now
            report(found)


def network_of(session: Session) -> str:
    """Return the network to search with: the bot's `net` parameter, or the package's network if it has no `net`."""
    return str(parameters(session.bot.make_player()).get("net", sliced_search.PACKAGES_NETWORK))


def settings_of(session: Session) -> "Mapping[str, Setting]":
    """Return the search's threads and settings that differ from the defaults, without limits on time and playouts."""
    from gtp_variants.ai.mcts.settings import LIMITS, SETTINGS

    own = {"threads": session.bot.cores} | changed_parameters(session.bot.make_player())
    return {
        key: value
        for key in SETTINGS.keys() - set(LIMITS)
        if isinstance(value := own.get(key), bool | int | float | str)
    }


def positions_of(session: Session, colour: int) -> Sequence[Position]:
    """Return the position with a colour to move, or several that fit its knowledge. Raises CommandFailed if none."""
    if session.rules.is_open:
        return [position_to_move(session.table, colour)]
    try:
        worlds = session.stone_odds.worlds(session.rules, session.play.view(colour))
        return worlds.positions(session.has_pending_command, colour)
    except GameOver as error:
        raise CommandFailed(f"cannot analyse: {error}") from None
