"""What a session's bot would search, and how: the positions a colour may be in, its network and its settings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, GameOver
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.bots import changed_parameters, parameters
from gtp_variants.players.table import position_to_move
from gtp_variants.players.thinking.sliced_search import PACKAGES_NETWORK, PositionSearch, SlicedSearch, ViewSearch
from gtp_variants.rules.position import Position

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.settings import AvoidedMove, Setting


def search_of(session: Session, colour: int, avoided: "Sequence[AvoidedMove]" = ()) -> SlicedSearch:
    """A search for a colour, as if it were to move; where something is hidden, of what that colour knows.

    Raises CommandFailed where there is nothing to search.
    """
    if session.play.is_over:
        raise CommandFailed("game over")
    positions = positions_of(session, colour)
    if session.rules.is_open:
        return PositionSearch(
            session.rules, positions[0], avoided, network=network_of(session), settings=settings_of(session)
        )
    view = replace(session.play.view(colour), to_play=colour)
    return ViewSearch(session.rules, view, positions, avoided, network_of(session), settings_of(session))


def network_of(session: Session) -> str:
    """What judges positions for the bot, as its `net` says; that of the package for bots that have no such setting."""
    return str(parameters(session.bot.make_player()).get("net", PACKAGES_NETWORK))


def settings_of(session: Session) -> "Mapping[str, Setting]":
    """The settings of the bot's search, as far as somebody has set them; how long it thinks says nothing here."""
    from gtp_variants.ai.mcts.settings import LIMITS, SETTINGS

    own = {"threads": session.bot.cores} | changed_parameters(session.bot.make_player())
    return {
        key: value
        for key in SETTINGS.keys() - set(LIMITS)
        if isinstance(value := own.get(key), bool | int | float | str)
    }


def positions_of(session: Session, colour: int) -> Sequence[Position]:
    """The position with a colour to move; where something is hidden, several that agree with what it knows."""
    if session.rules.is_open:
        return [position_to_move(session.table, colour)]
    try:
        worlds = session.stone_odds.worlds(session.rules, session.play.view(colour))
        return worlds.positions(session.has_pending_command, colour)
    except GameOver as error:
        raise CommandFailed(f"cannot be analysed: {error}") from None
