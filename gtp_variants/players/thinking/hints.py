"""Hints: the move that the game's default bot would play in a person's seat."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gtp_variants.players.bots import lend_cores, load, parameters, set_parameter
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.rules.actions import PASS, RESIGN
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

# Number of playouts for a hint in a hidden game.
_PLAYOUTS = 12_000


def suggest_move(
    rules: Rules, colour: int, seed: str, heard: Iterable[News], view: View, cores: int = 1
) -> "tuple[int, SearchResult | None]":
    """Suggest a move from a seat's news and view, but never resignation. Also return the search result, if any."""
    bot = load(rules.profile.default_bot)
    if "resign" in parameters(bot):
        set_parameter(bot, "resign", "false")
    if not rules.is_open and "playouts" in parameters(bot):
        # The thinking time must not reveal what the other players did unseen, so the playouts are fixed.
        set_parameter(bot, "playouts", f"{_PLAYOUTS}")
    lend_cores(bot, cores)
    bot.sit(rules, colour, seed)
    for news in heard:
        bot.hear(news)
    action = bot.choose(view, NO_LIMIT)
    found: SearchResult | None = getattr(bot, "found", None)
    bot.leave(None)
    if action == RESIGN:
        action = PASS if PASS in view.actions else view.actions[0]
    return action, found
