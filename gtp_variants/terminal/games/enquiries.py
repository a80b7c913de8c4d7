"""Questions about a game that do not change it: liberties, moves, draws, the score, a hint, an analysis, odds.

Searches are loaded when somebody asks for one, so that the first board does not wait for them.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gtp_variants.base.interruption import ShouldStop
from gtp_variants.lang import RequestRefused
from gtp_variants.players.hosted_game import seed_from
from gtp_variants.players.table import position_to_move, view_to_move
from gtp_variants.players.thinking.hints import suggest_move
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.boards.chains import chain, chains, liberties
from gtp_variants.rules.colour_names import count_stones
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, CandidatesBlock, EstimatesBlock, SuggestedMove, TextBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.seats import Interruption, Keyboard

if TYPE_CHECKING:
    from gtp_variants.ai.belief.stone_odds import StoneChances
    from gtp_variants.ai.mcts.result import SearchResult

# Most draws and hints listed.
_MOST_DRAWS = 12
_MOST_HINTS = 4
# A move with a smaller part of the search is no hint.
_LEAST_PART = 0.03
# Seconds to look for boards that agree with the news of a seat.
_MOST_S = 4.0
_BAR = 20
_MOST_LISTED = 6
_SEARCH_S = 1.0
_MOST_MOVES = 6
_LONGEST_LINE = 6


class Enquiries:
    """Answers to the seat at the keyboard; a search may think with `cores` cores."""

    def __init__(self, host: GameHost, keyboard: Keyboard, interruption: Interruption, cores: int) -> None:
        self._host = host
        self._keyboard = keyboard
        self._interruption = interruption
        self._cores = cores
        self._estimates: dict[int, Estimates] = {}

    def handlers(self) -> dict[str, Callable[[str], Iterator[Block]]]:
        """Return the handler of each enquiry by command name; it takes the text after the command word."""
        return {
            "rules": lambda _: self._tell_rules(),
            "liberties": lambda text: iter([tell_liberties(self._host, self._keyboard.view, text)]),
            "atari": lambda _: iter([tell_ataris(self._host, self._keyboard.view)]),
            "draws": lambda _: tell_draws(self._host),
            "score": lambda _: iter([tell_score(self._host)]),
            "record": lambda _: iter([tell_moves(self._host, self._keyboard.view)]),
            "hint": lambda _: self._tell_hint(),
            "analysis": lambda _: self._tell_analysis(),
            "odds": lambda _: self._tell_odds(),
        }

    def _tell_rules(self) -> Iterator[Block]:
        from gtp_variants.handbook.pages import text

        yield TextBlock(text(self._host.rules).rstrip())

    def _tell_hint(self) -> Iterator[Block]:
        host, seat = self._host, self._keyboard.seat
        yield host.thinking(seat)
        try:
            seed = seed_from(host.game.record, f"hint {len(self._keyboard.view.news)}")
            view, heard = view_to_move(host.table, seat), host.table.game.heard(seat)
            action, found = suggest_move(host.rules, seat, seed, heard, view, self._cores)
        except Exception as error:
            yield host.error("terminal.no_hint", why=f"{type(error).__name__}: {error}")
            return
        self._interruption.check()
        yield from tell_hint(host, action, found)

    def _tell_analysis(self) -> Iterator[Block]:
        if not self._host.rules.is_open:
            raise RequestRefused("refused_requests.hidden_analysis")
        yield self._host.thinking(self._keyboard.seat)
        found = analyse(self._host, self._keyboard.seat, lambda: self._interruption.is_set, self._cores)
        self._interruption.check()
        yield found

    def _tell_odds(self) -> Iterator[Block]:
        host, seat = self._host, self._keyboard.seat
        if host.rules.is_open:
            raise RequestRefused("refused_requests.nothing_hidden")
        yield host.thinking(seat)
        yield self._estimates.setdefault(seat, Estimates(host.rules, seat)).show(host, self._keyboard.view)


# -- what can be seen --------------------------------------------------------------------------------------------------


def tell_liberties(host: GameHost, view: View, text: str) -> Block:
    """The liberties of the chain on a point, as far as the seat sees them."""
    board = host.rules.board
    point = commands.point_of(board, text, host.lang)
    vertex = board.vertex(point)
    if not view.stones[point]:
        return host.error("terminal.empty" if host.rules.is_open else "terminal.unseen", vertex=vertex)
    members = chain(board, view.stones, point)
    free = board.vertices_of(liberties(board, view.stones, members))
    count = host.say("terminal.liberty_one" if len(free) == 1 else "terminal.liberty_more", count=len(free))
    stones = count_stones(view.stones[point], len(members), host.lang)
    key = "terminal.liberties" if host.rules.is_open else "terminal.liberties_seen"
    return TextBlock(host.say(key, stones=stones, vertex=vertex, count=count, list=" ".join(free)))


def tell_ataris(host: GameHost, view: View) -> Block:
    """The chains with one liberty, as far as the seat sees them."""
    board, found = host.rules.board, []
    for members in chains(board, view.stones):
        free = liberties(board, view.stones, members)
        if len(free) == 1:
            stones = count_stones(view.stones[members[0]], len(members), host.lang)
            found.append(f"{stones} ({' '.join(board.vertices_of(members))}; {board.vertex(free.pop())})")
    if found:
        return TextBlock(host.say("terminal.atari", list=", ".join(found)))
    return TextBlock(host.say("terminal.no_atari" if host.rules.is_open else "terminal.no_atari_seen"))


def tell_draws(host: GameHost) -> Iterator[Block]:
    """The dice that fell last, and the commitment to them."""
    rules, game = host.rules, host.table.game
    if not isinstance(rules, DicedRules):
        yield host.refuse("refused_requests.no_dice")
        return
    lines = []
    for before, event in zip(game.positions, game.events, strict=False):
        if event.actor == CHANCE and event.action >= 0:
            slot = len(before.draws)
            faces = " + ".join(map(str, faces_of(rules, before, event.action))) or host.say("dice.free")
            name = host.name(rules.owner(before, slot))
            lines.append(host.say("dice.turn_throw", turn=before.turn + slot, name=name, faces=faces))
    yield from (TextBlock(line) for line in lines[-_MOST_DRAWS:])
    yield TextBlock(host.say("dice.commitment", commitment=host.game.record.commitment), "quiet")


def tell_score(host: GameHost) -> Block:
    """How the game stands."""
    standing = host.rules.standing(host.table.position) if host.rules.is_open else None
    if standing is None:
        return host.error("terminal.no_score" if host.rules.is_open else "terminal.no_score_hidden")
    return TextBlock(host.say("counting.standing", result=standing.sentence(host.lang)))


def tell_moves(host: GameHost, view: View) -> Block:
    """The turns so far as the seat heard them."""
    moves = [
        f"{number}. {host.name(colour)} {word}" for number, (colour, word, _) in enumerate(heard_turns(host, view), 1)
    ]
    return TextBlock(" ".join(moves) if moves else host.say("terminal.no_record"))


def heard_turns(host: GameHost, view: View) -> Iterator[tuple[int, str, int]]:
    """Each stone, pass or swap as the seat heard of it: whose, its word or ?, how many stones it took."""
    for news in view.news:
        is_turn = news.action is None or news.action >= 0 or news.action in (PASS, SWAP)
        if news.actor != CHANCE and not news.refused and is_turn:
            yield news.actor, "?" if news.action is None else word_of(host, news.action), news.count


def word_of(host: GameHost, action: int) -> str:
    """What a person types for a point, a pass, a swap or a resignation."""
    name = write_move(host.rules.board, action)
    command = next((each for each in commands.PLAY if each.name == name), None)
    return name if command is None else command.word(host.lang)


# -- what a search says ------------------------------------------------------------------------------------------------


def tell_hint(host: GameHost, action: int, found: "SearchResult | None") -> Iterator[Block]:
    """The move first, then others that were taken seriously; the move alone where no search says more of it."""
    candidates = _candidates(action, found)
    yield CandidatesBlock(candidates, ())
    first, *others = [f"{word_of(host, each.action)}{_in_brackets(each.part)}" for each in candidates]
    key = "terminal.hint_or" if others else "terminal.hint"
    yield TextBlock(host.say(key, action=first, others=", ".join(others)))


def _candidates(action: int, found: "SearchResult | None") -> tuple[SuggestedMove, ...]:
    if found is None or not found.visits.get(action):
        return (SuggestedMove(action),)
    total = sum(found.visits.values())
    others = [move for move in found.rank_moves(found.visits) if move != action]
    moves = [action, *(move for move in others if found.visits[move] >= _LEAST_PART * total)]
    return tuple(SuggestedMove(move, found.visits[move] / total) for move in moves[:_MOST_HINTS])


def _in_brackets(part: float | None) -> str:
    return "" if part is None else f" ({_percent(part)})"


def analyse(host: GameHost, colour: int, should_stop: ShouldStop, cores: int = 1) -> CandidatesBlock:
    """The best moves of a side, which part of a second's search on so many cores went to each, and how the game stands.

    Raises RequestRefused where nothing can be searched.
    """
    from gtp_variants.ai.mcts.tree_search import Thinker

    table = host.table
    if table.suspended or table.is_final:
        raise RequestRefused("refused_requests.not_now")
    thinker = Thinker(host.rules, network="auto", threads=cores)
    position = position_to_move(table, colour)
    return _tell(host, thinker.think(position, lambda _: not should_stop(), seconds=_SEARCH_S))


def _tell(host: GameHost, found: "SearchResult") -> CandidatesBlock:
    total = max(1, sum(found.visits.values()))
    candidates = tuple(
        SuggestedMove(move, visits / total, found.shares.get(move), _line(found, move))
        for move in found.rank_moves(found.visits)[:_MOST_MOVES]
        if (visits := found.visits[move])
    )
    stands = zip(host.rules.colours, found.values, strict=False)
    chances = ", ".join(f"{host.name(colour)} {_percent(share)}" for colour, share in stands)
    notes = [host.say("terminal.analysis_stands", chances=chances, playouts=found.playouts)] if chances else []
    if found.score is not None:
        leader = host.rules.colours[0 if found.score >= 0 else 1]
        points = format_number(abs(round(found.score, 1)), host.lang)
        notes.append(host.say("terminal.analysis_leads", name=host.name(leader), points=points))
    for number, each in enumerate(candidates, 1):
        line = " ".join(word_of(host, move) for move in each.line[:_LONGEST_LINE])
        share = "" if each.share is None else _percent(each.share)
        notes.append(f"{number}. {line}  {share}")
    return CandidatesBlock(candidates, tuple(notes))


def _percent(share: float) -> str:
    return f"{int(100 * share + 0.5)} %"


def _line(found: "SearchResult", move: int) -> tuple[int, ...]:
    """How play goes on after a move, as far as the rules allow."""
    from gtp_variants.ai.mcts.candidates import playable_line

    return playable_line(found, found.lines.get(move, (move,)))


# -- where hidden stones may be ----------------------------------------------------------------------------------------


class Estimates:
    """The chance of a stone of the other side on each point, for one seat; they go on with its news."""

    def __init__(self, rules: Rules, colour: int) -> None:
        from gtp_variants.ai.belief.stone_odds import StoneOdds

        self._rules, self._other = rules, others(rules.colours, colour)[0]
        self._odds = StoneOdds()

    def find(self, view: View) -> "StoneChances | None":
        """The chance for each point; None if no board was found in time. `view` is that of the seat."""
        deadline_s = time.monotonic() + _MOST_S
        return self._odds.find(self._rules, view, lambda: time.monotonic() > deadline_s)

    def show(self, host: GameHost, view: View) -> EstimatesBlock | TextBlock:
        """The board with the chances on it, and the likeliest points below; a sentence if there are none."""
        found = self.find(view)
        if found is None:
            return host.error("terminal.odds_none")
        seen = replace(picture(host.rules, None, view), last=None, tried=frozenset())
        stones = count_stones(self._other, view.hidden, host.lang)
        said = host.say("terminal.odds_how", stones=stones, boards=found.boards)
        key = "terminal.odds_counted" if found.error == 0 else "terminal.odds_error"
        sure = host.say(key, percent=_whole_percent(found.error))
        notes = (f"{said} {sure}", *_likeliest(host, view, found.chances))
        title = host.say("terminal.odds", name=host.name(view.colour))
        return EstimatesBlock(host.rules.board, seen, found.chances, notes, title)


def _likeliest(host: GameHost, view: View, chances: Sequence[float]) -> Iterator[str]:
    """The points where a hidden stone is likeliest, a line each, the likeliest first."""
    hidden = [point for point in host.rules.board.order if not view.stones[point] and chances[point]]
    for point in sorted(hidden, key=lambda point: -chances[point])[:_MOST_LISTED]:
        percent, vertex = _whole_percent(chances[point]), host.rules.board.vertex(point)
        yield host.say("terminal.odds_of", vertex=vertex, percent=percent, bar=bar(chances[point]))


def _whole_percent(share: float) -> int:
    return int(100 * share + 0.5)


def bar(chance: float) -> str:
    """A chance as a line of twenty letters."""
    length = int(_BAR * chance + 0.5)
    return "#" * length + "-" * (_BAR - length)
