"""Help with thinking: what a bot would do, how a position stands, where hidden stones may be, what dice may open."""

import time
from dataclasses import replace
from typing import Any

from gtp_variants.gtp.engine.handlers.analysis import OpenSearch, Owners
from gtp_variants.gtp.engine.remote_seat import Odds
from gtp_variants.players import bots
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, RESIGN, SWAP
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.web.refusals import PageRefused

_WORDS = {PASS: "pass", SWAP: "swap", RESIGN: "resign"}
_MOST_MOVES = 8
_LEAST_ODD = 0.01
_SEARCH_S, _OWNERS_S = 0.4, 0.4


def hint(rules: Rules, colour: int, seed: str, heard: list[News], view: View) -> dict[str, Any]:
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
    return {"at": _word(rules, action), **_told(rules, view.position, found)}


def analysis(rules: Rules, position: Any) -> dict[str, Any]:
    """How a position of an open game stands: `moves`, `shares` and `owners` as in a hint; all empty when it is over."""
    if rules.is_final(position) or position.to_play == CHANCE:
        return _told(rules, position, None)
    search, until = OpenSearch(rules, position), time.monotonic() + _SEARCH_S
    found = search.more()
    while time.monotonic() < until:
        found = search.more()
    return _told(rules, position, found)


def _told(rules: Rules, position: Any, found: Any) -> dict[str, Any]:
    """What a search found of a position; None where there was no search, or something is hidden."""
    told: dict[str, Any] = {"moves": [], "shares": {}, "owners": {}}
    if found is None or not found.values:
        return told
    total = max(1, sum(found.visits.values()))
    best = sorted(found.visits.items(), key=lambda item: -item[1])[:_MOST_MOVES]
    told["moves"] = [{"at": _word(rules, move), "part": round(visits / total, 3)} for move, visits in best]
    told["shares"] = {COLOUR_LETTERS[c]: round(share, 3) for c, share in zip(rules.colours, found.values, strict=True)}
    if rules.is_scored and position is not None:
        told["owners"] = _owners(rules, position, found)
    return told


def hidden(rules: Rules, view: View, kept: Odds) -> dict[str, float]:
    """How likely a stone of the other's stands on each point, from nothing but what a seat knows.

    `kept` is what was imagined for that seat before. Raises PageRefused if no game is found that agrees with the news.
    """
    odds = kept.of(rules, view)
    if odds is None:
        raise PageRefused("page.no_worlds")
    return {vertex: round(odd, 2) for vertex, odd in zip(rules.board.vertices, odds, strict=True) if odd >= _LEAST_ODD}


def _owners(rules: Rules, position: Any, found: Any) -> dict[str, float]:
    owners, until = Owners(rules, BLACK), time.monotonic() + _OWNERS_S
    owners.more(position, found)
    while time.monotonic() < until:
        owners.more(position, found)
    return {vertex: round(share, 2) for vertex, share in zip(rules.board.vertices, owners.shares(found), strict=True)}


def odds(rules: Rules, position: Any) -> dict[int, float]:
    """How likely each line is to be open if the dice were thrown now."""
    game: Any = rules
    unthrown = replace(position, draws=())
    shares: dict[int, float] = {}
    for action, share in zip(game.actions(unthrown), game.odds(unthrown), strict=True):
        if share:
            for line in game.open_lines(replace(position, draws=(action,))) or ():
                shares[line] = shares.get(line, 0.0) + share
    return shares


def _word(rules: Rules, action: int) -> str:
    return _WORDS.get(action) or rules.board.vertex(action)
