"""Help with thinking: what a bot would do in somebody's place, and what the next dice may open."""

import time
from dataclasses import replace
from typing import Any

from gtp_variants.gtp.analysis import Owners
from gtp_variants.players import bots
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, SWAP
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View
from gtp_variants.rules.words import COLOUR_LETTERS

_WORDS = {PASS: "pass", SWAP: "swap", RESIGN: "resign"}
_MOST_MOVES = 8
_OWNERS_S = 0.4


def hint(rules: Rules[Any], colour: int, seed: str, heard: list[News], view: View) -> dict[str, Any]:
    """The move the strongest of our bots would play, knowing what the seat knows; with a search, its best moves.

    `moves` are words with the part of the visits they had, `shares` each colour's part of the score, 0 to 1; `owners`,
    where points are counted, is for each point from -1 (White's) to 1 (Black's) who may own it in the end.
    """
    bot = bots.load(bots.default(rules))
    bot.sit(rules, colour, seed)
    for news in heard:
        bot.hear(news)
    action = bot.choose(view, NO_LIMIT)
    found = getattr(bot, "found", None)
    bot.leave(None)
    told: dict[str, Any] = {"at": _word(rules, action), "moves": [], "shares": {}, "owners": {}}
    if found is not None and found.values:
        total = max(1, sum(found.visits.values()))
        best = sorted(found.visits.items(), key=lambda item: -item[1])[:_MOST_MOVES]
        told["moves"] = [{"at": _word(rules, move), "part": round(visits / total, 3)} for move, visits in best]
        told["shares"] = {
            COLOUR_LETTERS[c]: round(share, 3) for c, share in zip(rules.colours, found.values, strict=True)
        }
        if rules.is_scored and view.position is not None:
            told["owners"] = _owners(rules, view.position, found)
    return told


def _owners(rules: Rules[Any], position: Any, found: Any) -> dict[str, float]:
    owners, until = Owners(rules, BLACK), time.monotonic() + _OWNERS_S
    owners.more(position, found)
    while time.monotonic() < until:
        owners.more(position, found)
    return {vertex: round(share, 2) for vertex, share in zip(rules.board.vertices, owners.shares(found), strict=True)}


def odds(rules: Rules[Any], position: Any) -> dict[int, float]:
    """How likely each line is to be open if the dice were thrown now."""
    game: Any = rules
    unthrown = replace(position, draws=())
    shares: dict[int, float] = {}
    for action, share in zip(game.actions(unthrown), game.odds(unthrown), strict=True):
        if share:
            for line in game.open_lines(replace(position, draws=(action,))) or ():
                shares[line] = shares.get(line, 0.0) + share
    return shares


def _word(rules: Rules[Any], action: int) -> str:
    return _WORDS.get(action) or rules.board.vertex(action)
