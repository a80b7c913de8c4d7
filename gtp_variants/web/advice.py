"""Advice for people at a game or looking at one: hints, where hidden stones may be, how a moment stands.

One thread thinks for all of them, so that no bot waits long for people who are curious.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from gtp_variants.belief.stone_odds import StoneOdds
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.gtp.engine.bot.sliced_search import OpenSearch, Owners
from gtp_variants.json_values import Json
from gtp_variants.mcts.result import SearchResult
from gtp_variants.players.bots import suggest_move
from gtp_variants.players.counting import find_seeming_dead
from gtp_variants.players.hosted_game import seed_from
from gtp_variants.players.participants import ELSEWHERE
from gtp_variants.players.seat_views import view_after
from gtp_variants.players.table import view_to_move
from gtp_variants.players.transcript import ALL, REFEREE
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import BLACK, CHANCE
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View
from gtp_variants.rules.words import COLOUR_LETTERS, COLOUR_WORDS
from gtp_variants.web.page_game import PageGame
from gtp_variants.web.refusals import PageRefused

# So many answers about moments of games are kept, and so many people may wait for one.
_MOST_KEPT, _MOST_WAITING = 500, 20
_log = logging.getLogger("gtp_variants.web")
_MOST_MOVES = 8
_LEAST_ODD = 0.01
_SEARCH_S, _OWNERS_S = 0.4, 0.4


class Advice:
    """What is thought for people. Each call raises PageRefused where it is unfair, fails, or too many ask."""

    def __init__(self) -> None:
        self._thinking = ThreadPoolExecutor(1, thread_name_prefix="advice")
        self._waiting = 0
        self._advised: set[str] = set()
        self._kept: dict[tuple[str, int, int, int], Json] = {}
        # What a seat imagines, by game and colour.
        self._imagined: dict[tuple[str, int], StoneOdds] = {}

    def close(self) -> None:
        """Think no more."""
        self._thinking.shutdown(wait=False, cancel_futures=True)

    def forget(self, game: PageGame) -> None:
        """A game is over, or nobody is there any more."""
        for key in [key for key in self._imagined if key[0] == game.name]:
            del self._imagined[key]

    async def hint(self, game: PageGame, colour: int | None) -> Json:
        """What a bot would do in somebody's place."""
        seat = _alone(game, colour)
        heard, view = game.hosted.table.game.heard(seat), view_to_move(game.hosted.table, seat)
        seed = seed_from(game.hosted.record, f"hint {len(heard)}")
        return {**await self._once(game, hint, game.hosted.rules, seat, seed, heard, view), "turn": view.turn}

    async def dead(self, game: PageGame, colour: int | None) -> Json:
        """The points of each chain that seems dead, where people may call chains dead."""
        hosted = game.hosted
        may_say = hosted.is_counting or (hosted.rules.is_open and hosted.table.suspended)
        if colour is None or not hosted.rules.agrees_on_dead or not may_say:
            raise PageRefused("refusals.dead_when")
        return {**await self._think(partial(seem_dead, hosted.table.game)), "turn": hosted.table.position.turn}

    async def hidden(self, game: PageGame, colour: int | None) -> Json:
        """Where hidden stones may be, from nothing but what somebody's seat knows."""
        seat = _alone(game, colour)
        if game.hosted.rules.is_open:
            raise PageRefused("refusals.nothing_hidden")
        view = view_to_move(game.hosted.table, seat)
        return {
            "odds": await self._once(game, hidden, game.hosted.rules, view, self._odds(game, seat)),
            "turn": view.turn,
        }

    async def analysis(self, game: PageGame, request: Json) -> Json:
        """How the moment `at` of a game stands, counted in pieces of news: in an open game for everybody, in a hidden
        one where stones may have been for the seat `of`. Raises NotationError for what is no moment.
        """
        at, of = request.get("at"), request.get("of", "")
        is_elsewhere = bool(game.hosted.rules.is_open) and all(
            each.kind == ELSEWHERE for each in game.hosted.seats.values()
        )
        if not game.hosted.is_over and not is_elsewhere:
            raise PageRefused("page.no_analysis")
        colour = COLOUR_WORDS.get(of, ALL) if isinstance(of, str) else ALL
        if (of != "" or not game.hosted.rules.is_open) and colour not in game.hosted.rules.colours:
            raise NotationError("of: expected a colour of this game, or nothing where nothing is hidden")
        if type(at) is not int or not 0 <= at <= len(game.hosted.transcript(colour).items):
            raise NotationError("at: expected a number of news of this game")
        key = game.name, game.hosted.epoch, colour, at
        if key not in self._kept:
            found = await self._think(self._moment(game, colour, at))
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = found
        return {**self._kept[key], "at": at, "of": of}

    def _moment(self, game: PageGame, colour: int, at: int) -> Callable[[], Json]:
        """What is to be thought of a moment."""
        if game.hosted.rules.is_open:
            positions = game.hosted.table.game.positions
            # Whoever resigned or passed left a board that can be looked at.
            while at and game.hosted.rules.is_over(positions[at]):
                at -= 1
            return partial(analysis, game.hosted.rules, positions[at])
        view, odds = view_after(game.hosted.table.game, colour, at), self._odds(game, colour)
        return lambda: {"odds": hidden(game.hosted.rules, view, odds)}

    def _odds(self, game: PageGame, colour: int) -> StoneOdds:
        return self._imagined.setdefault((game.name, colour), StoneOdds())

    async def _once(self, game: PageGame, think: Callable[..., Json], *about: object) -> Json:
        """What is thought for somebody who plays: one thing at a time."""
        if game.name in self._advised:
            raise PageRefused("page.hint_comes")
        self._advised.add(game.name)
        try:
            return await self._think(think, *about)
        finally:
            self._advised.discard(game.name)

    async def _think(self, think: Callable[..., Json], *about: object) -> Json:
        if self._waiting >= _MOST_WAITING:
            raise PageRefused("page.much_advice")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thinking, think, *about)
        except VariantsError:
            raise
        except Exception as error:
            _log.warning("no advice: %s", error, exc_info=True)
            raise PageRefused("page.hint_failed", why=f"{type(error).__name__}: {error}") from error
        finally:
            self._waiting -= 1


def _alone(game: PageGame, colour: int | None) -> int:
    """The colour of a person who is to move and plays against bots only."""
    if colour is None or colour == REFEREE or len(game.hosted.people) > 1 or game.hosted.asked() != colour:
        raise PageRefused("page.no_hint")
    return colour


# -- what is thought ---------------------------------------------------------------------------------------------------


def seem_dead(game: Game) -> Json:
    """The points of each chain that a search calls dead and nobody has yet."""
    return {"chains": [game.rules.board.vertices_of(points) for points in find_seeming_dead(game)]}


def hint(rules: Rules, colour: int, seed: str, heard: list[News], view: View) -> Json:
    """The move the strongest of our bots would play, knowing what the seat knows; with a search, its best moves.

    `moves` are words with the part of the visits they had, `shares` each colour's part of the score, 0 to 1; `owners`,
    where points are counted, is for each point from -1 (White's) to 1 (Black's) who may own it in the end.
    """
    action, found = suggest_move(rules, colour, seed, heard, view)
    return {"at": write_move(rules.board, action), **_findings(rules, view.position, found)}


def analysis(rules: Rules, position: Position) -> Json:
    """How a position of an open game stands: `moves`, `shares` and `owners` as in a hint; all empty when it is over."""
    if rules.is_final(position) or position.to_play == CHANCE:
        return _findings(rules, position, None)
    search, until = OpenSearch(rules, position), time.monotonic() + _SEARCH_S
    found = search.more()
    while time.monotonic() < until:
        found = search.more()
    return _findings(rules, position, found)


def _findings(rules: Rules, position: Position | None, found: SearchResult | None) -> Json:
    """What a search found of a position; None where there was no search, or something is hidden."""
    told: Json = {"moves": [], "shares": {}, "owners": {}}
    if found is None or not found.values:
        return told
    total = max(1, sum(found.visits.values()))
    best = sorted(found.visits.items(), key=lambda item: -item[1])[:_MOST_MOVES]
    told["moves"] = [{"at": write_move(rules.board, move), "part": round(visits / total, 3)} for move, visits in best]
    told["shares"] = {COLOUR_LETTERS[c]: round(share, 3) for c, share in zip(rules.colours, found.values, strict=True)}
    if rules.is_scored and position is not None:
        told["owners"] = _owners(rules, position, found)
    return told


def hidden(rules: Rules, view: View, kept: StoneOdds) -> dict[str, float]:
    """How likely a stone of the other's stands on each point, from nothing but what a seat knows.

    `kept` is what was imagined for that seat before. Raises PageRefused if no game is found that agrees with the news.
    """
    odds = kept.of(rules, view)
    if odds is None:
        raise PageRefused("page.no_worlds")
    return {vertex: round(odd, 2) for vertex, odd in zip(rules.board.vertices, odds, strict=True) if odd >= _LEAST_ODD}


def _owners(rules: Rules, position: Position, found: SearchResult) -> dict[str, float]:
    owners, until = Owners(rules, BLACK), time.monotonic() + _OWNERS_S
    owners.more(position, found)
    while time.monotonic() < until:
        owners.more(position, found)
    return {vertex: round(share, 2) for vertex, share in zip(rules.board.vertices, owners.shares(found), strict=True)}


def line_odds(rules: DicedRules, position: Position) -> dict[int, float]:
    """How likely each line is to be open if the dice were thrown now."""
    unthrown = rules.with_draws(position, ())
    shares: dict[int, float] = {}
    for action, share in zip(rules.actions(unthrown), rules.odds(unthrown), strict=True):
        if share:
            for line in rules.open_lines(rules.with_draws(position, (action,))) or ():
                shares[line] = shares.get(line, 0.0) + share
    return shares
