"""Advice for people at a game: hints, odds of hidden stones, analyses, and variations of a finished game.

One thread thinks for everybody, for each visitor in turn, so that curious people hardly slow down the bots. The server
keeps no variations: a client sends its own with each request.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

from gtp_variants.ai.belief.stone_odds import StoneOdds
from gtp_variants.ai.mcts.candidates import playable_line, winrate_after
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.tree_search import Thinker
from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, RecordError, VariantsError
from gtp_variants.players.agreements import ELSEWHERE
from gtp_variants.players.counting import find_seeming_dead, outcome_without
from gtp_variants.players.hosted_game import seed_from
from gtp_variants.players.player import view_after
from gtp_variants.players.table import Table, view_to_move
from gtp_variants.players.thinking.hints import suggest_move
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.players.transcript import Audience, NoSeat, tell_all
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules.actions import BLACK, CHANCE, Event
from gtp_variants.rules.colour_names import COLOUR_LETTERS, COLOUR_WORDS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.views import News, View
from gtp_variants.site.page.listeners import PageListener
from gtp_variants.site.page.page_game import PageGame, TokenHolder, read_event
from gtp_variants.site.page.thinking_queue import ThinkingQueue
from gtp_variants.site.refusals import PageRefused

# Limits on variations, so that they fit into a message: events, variations in a file, moves in one request.
_MOST_EVENTS, _MOST_BRANCHES, _MOST_PLAYS = 400, 100, 60


@dataclass(frozen=True, slots=True)
class Branch:
    """A variation: events that might have followed the first `at` events of a game."""

    at: int
    events: tuple[Event, ...] = ()


def expect_finished(game: PageGame) -> None:
    """Raise PageRefused while analysis is unfair: during a game, unless it is open and played elsewhere."""
    hosted = game.hosted
    is_elsewhere = bool(hosted.rules.is_open) and all(each.kind == ELSEWHERE for each in hosted.seats.values())
    if not hosted.is_over and not is_elsewhere:
        raise PageRefused("page.no_analysis")


def read_branch(asked: Mapping[str, object]) -> Branch:
    """Return a branch from `at` and `events`, pairs of actor and action. Raises NotationError if they are invalid."""
    at, events = asked.get("at"), asked.get("events", [])
    if type(at) is not int or at < 0:
        raise NotationError("at: expected a whole number of events, 0 or more")
    if not isinstance(events, list) or len(events) > _MOST_EVENTS:
        raise NotationError(f"events: expected a list of at most {_MOST_EVENTS} pairs")
    return Branch(at, tuple(map(read_event, events)))


def read_branches(asked: object) -> list[Branch]:
    """Return the branches in a list. Raises NotationError if the list or a branch is invalid."""
    if not isinstance(asked, list) or len(asked) > _MOST_BRANCHES or not all(isinstance(each, dict) for each in asked):
        raise NotationError(f"branches: expected a list of at most {_MOST_BRANCHES} objects")
    return [read_branch(each) for each in asked]


def play_branch(base: Game, branch: Branch) -> Game:
    """Return a copy of the game with the branch played. Raises NotationError or RecordError if that is impossible."""
    if branch.at > len(base.events):
        raise NotationError("at: expected no more than this game's number of events")
    game = copy_game(base)
    game.cut(branch.at)
    for number, event in enumerate(branch.events, branch.at + 1):
        try:
            game.play(event.actor, event.action)
        except VariantsError as error:
            raise RecordError(f"event {number}: {error}") from error
    return game


def copy_game(game: Game) -> Game:
    """Return a copy of the game for a thread; its positions are shared, not replayed."""
    copy = Game(game.rules, game.setup, game.first)
    copy.go_back(game.mark())
    return copy


def grow(base: Game, secret: bytes | str, branch: Branch, plays: Sequence[str]) -> Json:
    """Return a branch and its news after more `plays`, with dice from `secret`. Raises VariantsError if illegal."""
    played = play_branch(base, branch)
    table = Table.of(played, lambda: DiceStream(secret), {})
    for word in plays:
        table.play(table.position.mover, read_move(table.rules.board, word))
    position, events = table.position, played.events[branch.at :]
    if len(events) > _MOST_EVENTS:
        raise PageRefused("page.too_long")
    return {
        "type": "branch",
        "at": branch.at,
        "events": [[event.actor, event.action] for event in events],
        "news": tell_all(table, branch.at),
        "mover": None if table.rules.is_over(position) else COLOUR_LETTERS[position.mover],
    }


# Maximum analyses kept for the next person who asks.
_MOST_KEPT = 500
# Maximum requests of one visitor that wait at once.
_MOST_WAITING = 4
# Maximum moves shown in an analysis, and maximum moves in each move's continuation.
_MOST_MOVES = 8
_LONGEST_LINE = 10
# Odds of a hidden stone below this are not shown.
_LEAST_ODD = 0.01
# Seconds of search for the best moves, and for the owner of each point; and minimum seconds for each outcome of a
# coming throw.
_SEARCH_S = 0.4
_OWNERS_S = 0.4
_LEAST_THROW_S = 0.08

_log = logging.getLogger("gtp_variants.site.page")


class Advice:
    """Computes advice for people. A request raises PageRefused if it is unfair, if it fails, or if too many wait."""

    def __init__(self) -> None:
        self._thinking = ThinkingQueue(1, "advice")
        # Playing in a variation must not wait for an analysis, so it has a thread of its own.
        self._trying = ThinkingQueue(1, "branches")
        self._advised: set[str] = set()
        self._kept: dict[tuple[str, int, Audience, Branch], Json] = {}
        # The seats' models of hidden stones, of games in memory.
        self._odds = WeakKeyDictionary[PageGame, StoneOdds]()

    def close(self) -> None:
        """Cancel all waiting requests."""
        self._thinking.close()
        self._trying.close()

    def forget(self, game: PageGame) -> None:
        """Drop the models of a game that is over or has no listeners."""
        self._odds.pop(game, None)

    async def hint(self, listener: PageListener) -> Json:
        """Return the move a bot would play in this seat."""
        game, seat = listener.game, _alone(listener.game, listener.colour)
        heard, view = game.hosted.table.game.heard(seat), view_to_move(game.hosted.table, seat)
        seed = seed_from(game.hosted.record, f"hint {len(heard)}")
        return {**await self._once(listener, hint, game.hosted.rules, seat, seed, heard, view), "turn": view.turn}

    async def dead(self, listener: PageListener) -> Json:
        """Return the answer of `seem_dead` if dead chains may be marked now. Raises PageRefused otherwise."""
        hosted = listener.game.hosted
        may_say = hosted.is_counting or (hosted.rules.is_open and hosted.table.suspended)
        if listener.colour is None or not hosted.rules.agrees_on_dead or not may_say:
            raise PageRefused("refused_requests.dead_when")
        found = await self._think(listener, seem_dead, copy_game(hosted.table.game), listener.lang)
        return {**found, "turn": hosted.table.position.turn}

    async def hidden(self, listener: PageListener) -> Json:
        """Return the odds of hidden stones, from the knowledge of one seat alone."""
        game, seat = listener.game, _alone(listener.game, listener.colour)
        if game.hosted.rules.is_open:
            raise PageRefused("refused_requests.nothing_hidden")
        view, odds = view_to_move(game.hosted.table, seat), self._odds.setdefault(game, StoneOdds())
        return {"odds": await self._once(listener, hidden, game.hosted.rules, view, odds), "turn": view.turn}

    async def analysis(self, listener: PageListener, request: Json) -> Json:
        """Analyse the game after `at` news items.

        In an open game, the `events` of a branch may follow. In a hidden game, only the odds of hidden stones are
        returned, as the seat `of` could know them. Raises VariantsError for a wrong moment.
        """
        game = listener.game
        expect_finished(game)
        of = request.get("of", "")
        audience: Audience = COLOUR_WORDS.get(str(of), NoSeat.ALL)
        if (of != "" or not game.hosted.rules.is_open) and audience not in game.hosted.rules.colours:
            raise NotationError("of: expected a colour of this game, or nothing in an open game")
        branch = read_branch(request)
        if branch.at > len(game.hosted.transcript(audience).items):
            raise NotationError("at: expected no more than this game's number of news items")
        key = game.name, game.hosted.epoch, audience, branch
        if key not in self._kept:
            found = await self._think(listener, self._moment(game, audience, branch))
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = found
        events = [[event.actor, event.action] for event in branch.events]
        return {**self._kept[key], "at": branch.at, "of": of, "events": events}

    async def grow(self, listener: PageListener, request: Json) -> Json:
        """Play more moves in a branch of a finished game. Raises VariantsError if the request is refused."""
        game = listener.game
        expect_finished(game)
        branch, plays = read_branch(request), request.get("plays", [])
        if not isinstance(plays, list) or len(plays) > _MOST_PLAYS or not all(isinstance(word, str) for word in plays):
            raise NotationError(f"plays: expected at most {_MOST_PLAYS} moves")
        # Use the game's own dice. Copy the game, because a game played elsewhere may continue meanwhile.
        secret, base = game.hosted.record.secret or game.name, copy_game(game.hosted.table.game)
        return await self._trying.do(listener.owner, partial(grow, base, secret, branch, plays))

    def _moment(self, game: PageGame, audience: Audience, branch: Branch) -> Callable[[], Json]:
        """Return a function that analyses a moment, to be called in a thread."""
        table, at = game.hosted.table, branch.at
        if not game.hosted.rules.is_open:
            assert not isinstance(audience, NoSeat), "a hidden game is analysed for one seat"
            view, odds = view_after(table.game, audience, at), self._odds.setdefault(game, StoneOdds())
            return lambda: {"odds": hidden(game.hosted.rules, view, odds)}
        if branch.events:
            base = copy_game(table.game)
            return lambda: analysis(game.hosted.rules, play_branch(base, branch).position)
        positions = table.game.positions
        # If the game is over at this moment, go back to the last position that can be analysed.
        while at and game.hosted.rules.is_over(positions[at]):
            at -= 1
        return partial(analysis, game.hosted.rules, positions[at])

    async def _once(self, listener: PageListener, think: Callable[..., Json], *about: object) -> Json:
        """Think for a player. Raises PageRefused while another request of this game is being answered."""
        name = listener.game.name
        if name in self._advised:
            raise PageRefused("page.hint_comes")
        self._advised.add(name)
        try:
            return await self._think(listener, think, *about)
        finally:
            self._advised.discard(name)

    async def _think(self, listener: PageListener, think: Callable[..., Json], *about: object) -> Json:
        if self._thinking.count_waiting(listener.owner) >= _MOST_WAITING:
            raise PageRefused("page.much_advice")
        try:
            return await self._thinking.do(listener.owner, partial(think, *about))
        except VariantsError:
            raise
        except Exception as error:
            _log.warning("no advice: %s", error, exc_info=True)
            raise PageRefused("page.hint_failed", why=f"{type(error).__name__}: {error}") from error


def _alone(game: PageGame, colour: TokenHolder | None) -> int:
    """Return the colour of the person to move if all others are bots. Raises PageRefused otherwise."""
    is_alone = len(game.hosted.people) == 1 and not game.awaits_players
    if colour is None or colour is NoSeat.REFEREE or not is_alone or game.hosted.asked() != colour:
        raise PageRefused("page.no_hint")
    return colour


def seem_dead(game: Game, lang: str) -> Json:
    """Return the points of each chain that a search finds dead and nobody has marked, and the outcome without them."""
    found = find_seeming_dead(game)
    outcome = outcome_without(game, found)
    result = "" if outcome is None else outcome.sentence(lang)
    return {"chains": [game.rules.board.vertices_of(points) for points in found], "result": result}


def hint(rules: Rules, colour: int, seed: str, heard: list[News], view: View) -> Json:
    """Return our strongest bot's move with this seat's knowledge, and its candidate moves if it searched.

    Each of `moves` has its share of the visits and a continuation; `shares` is each colour's expected share of the
    game, 0 to 1; `owners`, in scored games, is the expected owner of each point, from -1 (White) to 1 (Black).
    """
    action, found = suggest_move(rules, colour, seed, heard, view)
    return {"at": write_move(rules.board, action), **_findings(rules, view.position, found)}


def analysis(rules: Rules, position: Position) -> Json:
    """Analyse a position of an open game: `moves`, `shares` and `owners` as in a hint, empty after the end.

    In a two-player game with dice `worth` is the first colour's share under best play, or before a throw its mean over
    all throws. `worth` separates the luck of the dice from the quality of the moves.
    """
    is_diced = isinstance(rules, DicedRules) and len(rules.colours) == 2
    if rules.is_final(position):
        return _findings(rules, position, None)
    if position.to_play == CHANCE:
        assert isinstance(rules, DicedRules)
        return _findings(rules, position, None) | {"worth": round(_worth_before_a_throw(rules, position), 4)}
    found = _search(rules, position, _SEARCH_S)
    return _findings(rules, position, found) | ({"worth": round(_worth(rules, position, found), 4)} if is_diced else {})


def _search(rules: Rules, position: Position, seconds: float) -> SearchResult:
    return Thinker(rules, network="auto").think(position, seconds=seconds)


def _worth(rules: Rules, position: Position, found: SearchResult) -> float:
    """Return the first colour's expected share of the game, 0 to 1, if the side to move plays its best move."""
    share = winrate_after(found, found.action)
    return share if position.mover == rules.colours[0] else 1 - share


def _worth_before_a_throw(rules: DicedRules, position: Position) -> float:
    """Return the mean worth over all throws, from a search of the position after each."""
    throws: dict[tuple[int, ...], tuple[Position, float]] = {}
    for action, share in zip(rules.actions(position), rules.odds(position), strict=True):
        after = rules.play(position, action)
        # Throws that open the same lines are searched only once.
        lines = tuple(rules.open_lines(after) or ())
        throws[lines] = after, share + (throws[lines][1] if lines in throws else 0.0)
    # Most throws fall on a few sets of lines; every set gets the same time, however rare it is.
    each_s = max(_LEAST_THROW_S, _SEARCH_S / max(1, len(throws)))
    weighed = [
        (_worth(rules, after, _search(rules, after, each_s)), share)
        for after, share in throws.values()
        if share and not rules.is_final(after) and after.to_play != CHANCE
    ]
    weight = sum(share for _, share in weighed)
    return sum(worth * share for worth, share in weighed) / weight if weight else 0.5


def _findings(rules: Rules, position: Position | None, found: SearchResult | None) -> Json:
    """Return a search's result as JSON, empty if it is None. Without a position, lines and owners are empty, too."""
    told: Json = {"moves": [], "shares": {}, "owners": {}}
    if found is None or not found.values:
        return told
    total = max(1, sum(found.visits.values()))
    told["moves"] = [
        {
            "at": write_move(rules.board, move),
            "part": round(found.visits[move] / total, 3),
            "line": _line(rules, position, playable_line(found, found.lines.get(move, (move,)))),
        }
        for move in found.rank_moves(found.visits)[:_MOST_MOVES]
    ]
    told["shares"] = {COLOUR_LETTERS[c]: round(share, 3) for c, share in zip(rules.colours, found.values, strict=True)}
    if rules.is_scored and position is not None:
        told["owners"] = _owners(rules, position, found)
    return told


def _line(rules: Rules, position: Position | None, moves: Sequence[int]) -> list[list[str]]:
    """Return a line of play as pairs of colour letter and word; throws in between are left out."""
    if position is None:
        return []
    colours, mover = rules.colours, rules.colours.index(position.mover)
    return [
        [COLOUR_LETTERS[colours[(mover + number) % len(colours)]], write_move(rules.board, move)]
        for number, move in enumerate(moves[:_LONGEST_LINE])
    ]


def hidden(rules: Rules, view: View, kept: StoneOdds) -> dict[str, float]:
    """Return the odds of hidden stones by vertex, from a seat's view and model. Raises PageRefused if nothing fits."""
    odds = kept.of(rules, view)
    if odds is None:
        raise PageRefused("page.no_worlds")
    return {vertex: round(odd, 2) for vertex, odd in zip(rules.board.vertices, odds, strict=True) if odd >= _LEAST_ODD}


def _owners(rules: Rules, position: Position, found: SearchResult) -> dict[str, float]:
    owners, until = OwnershipEstimate(rules, BLACK), time.monotonic() + _OWNERS_S
    owners.sample(position, found)
    # Without the search's own estimate, sample more playouts.
    while not found.leaf_owners and time.monotonic() < until:
        owners.sample(position, found)
    return {vertex: round(share, 2) for vertex, share in zip(rules.board.vertices, owners.shares(found), strict=True)}
