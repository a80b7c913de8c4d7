"""Questions about a game that do not change it: liberties, moves, throws, the score, hints, analysis and odds.

The search modules are loaded only when a question first needs them, so that the first board appears at once.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

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
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, BoardBlock, CandidatesBlock, SuggestedMove, TextBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.seats import Interruption, Keyboard

if TYPE_CHECKING:
    from gtp_variants.ai.belief.stone_odds import StoneOdds
    from gtp_variants.ai.mcts.result import SearchResult

# Maximum numbers of listed throws, hints, analysed moves, moves in a line, and likely points.
_MOST_DRAWS = 12
_MOST_HINTS = 4
_MOST_MOVES = 6
_LONGEST_LINE = 6
_MOST_LISTED = 6
# Minimum share of a search's visits for a further move in a hint.
_LEAST_PART = 0.03
# Maximum seconds to look for boards that agree with a seat's news.
_ODDS_S = 4.0
# Seconds of an analysis.
_SEARCH_S = 1.0
# Number of characters in a bar.
_BAR = 20


class Enquiries:
    """Answers to questions from the seat at the keyboard. A search may use `cores` cores."""

    def __init__(self, host: GameHost, keyboard: Keyboard, interruption: Interruption, cores: int) -> None:
        self._host = host
        self._keyboard = keyboard
        self._interruption = interruption
        self._cores = cores
        self._odds: StoneOdds | None = None

    def handlers(self) -> dict[str, Callable[[str], Iterator[Block]]]:
        """Return the handlers of the questions by command name. A handler takes the text after the command word."""
        return {
            "rules": lambda _: self._show_rules(),
            "liberties": lambda text: iter([self._liberties(text)]),
            "atari": lambda _: iter([self._ataris()]),
            "draws": lambda _: self._draws(),
            "score": lambda _: iter([self._score()]),
            "record": lambda _: iter([self._moves()]),
            "hint": lambda _: self._hint(),
            "analysis": lambda _: self._analysis(),
            "odds": lambda _: self._show_odds(),
        }

    def _show_rules(self) -> Iterator[Block]:
        from gtp_variants.handbook.pages import text

        yield TextBlock(text(self._host.rules).rstrip())

    def _liberties(self, text: str) -> Block:
        """Return the liberties of the chain on a point, as far as the seat can see them."""
        host, stones = self._host, self._keyboard.view.stones
        board = host.rules.board
        point = commands.point_of(board, text, host.lang)
        vertex = board.vertex(point)
        if not stones[point]:
            return host.error("terminal.empty" if host.rules.is_open else "terminal.unseen", vertex=vertex)
        members = chain(board, stones, point)
        free = board.vertices_of(liberties(board, stones, members))
        count = host.say("terminal.liberty_one" if len(free) == 1 else "terminal.liberty_more", count=len(free))
        named = count_stones(stones[point], len(members), host.lang)
        key = "terminal.liberties" if host.rules.is_open else "terminal.liberties_seen"
        return TextBlock(host.say(key, stones=named, vertex=vertex, count=count, list=" ".join(free)))

    def _ataris(self) -> Block:
        """Return the chains with one liberty, as far as the seat can see them."""
        host, stones = self._host, self._keyboard.view.stones
        board, found = host.rules.board, []
        for members in chains(board, stones):
            free = liberties(board, stones, members)
            if len(free) == 1:
                named = count_stones(stones[members[0]], len(members), host.lang)
                found.append(f"{named} ({' '.join(board.vertices_of(members))}; {board.vertex(free.pop())})")
        if found:
            return TextBlock(host.say("terminal.atari", list=", ".join(found)))
        return TextBlock(host.say("terminal.no_atari" if host.rules.is_open else "terminal.no_atari_seen"))

    def _draws(self) -> Iterator[Block]:
        """Yield the last throws and the commitment to the dice."""
        host, rules, game = self._host, self._host.rules, self._host.table.game
        if not isinstance(rules, DicedRules):
            raise RequestRefused("refused_requests.no_dice")
        lines = []
        for before, event in zip(game.positions, game.events, strict=False):
            if event.actor == CHANCE and event.action >= 0:
                slot = len(before.draws)
                faces = " + ".join(map(str, faces_of(rules, before, event.action))) or host.say("dice.free")
                name = host.name(rules.owner(before, slot))
                lines.append(host.say("dice.turn_throw", turn=before.turn + slot, name=name, faces=faces))
        yield from (TextBlock(line) for line in lines[-_MOST_DRAWS:])
        yield TextBlock(host.say("dice.commitment", commitment=host.game.record.commitment), "quiet")
        yield from (TextBlock(host.say("dice.nonce", nonce=nonce), "quiet") for nonce in host.game.record.nonces)

    def _score(self) -> Block:
        host = self._host
        standing = host.rules.standing(host.table.position) if host.rules.is_open else None
        if standing is None:
            return host.error("terminal.no_score" if host.rules.is_open else "terminal.no_score_hidden")
        return TextBlock(host.say("counting.standing", result=standing.sentence(host.lang)))

    def _moves(self) -> Block:
        """Return the turns played so far, as the seat heard of them."""
        host = self._host
        turns = enumerate(heard_turns(host, self._keyboard.view), 1)
        moves = [f"{number}. {host.name(colour)} {word}" for number, (colour, word, _) in turns]
        return TextBlock(" ".join(moves) if moves else host.say("terminal.no_record"))

    def _hint(self) -> Iterator[Block]:
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

    def _analysis(self) -> Iterator[Block]:
        """Show the best moves found by a short search, and the expected result."""
        from gtp_variants.ai.mcts.tree_search import Thinker

        host, table, seat = self._host, self._host.table, self._keyboard.seat
        if not host.rules.is_open:
            raise RequestRefused("refused_requests.hidden_analysis")
        yield host.thinking(seat)
        if table.suspended or table.is_final:
            raise RequestRefused("refused_requests.not_now")
        thinker = Thinker(host.rules, network="auto", threads=self._cores)
        position = position_to_move(table, seat)
        found = thinker.think(position, lambda _: not self._interruption.is_set, seconds=_SEARCH_S)
        self._interruption.check()
        yield _describe_analysis(host, found)

    def _show_odds(self) -> Iterator[Block]:
        """Show the chance of a hidden stone on each point."""
        from gtp_variants.ai.belief.stone_odds import StoneOdds

        host, view = self._host, self._keyboard.view
        if host.rules.is_open:
            raise RequestRefused("refused_requests.nothing_hidden")
        yield host.thinking(view.colour)
        self._odds = self._odds or StoneOdds()
        deadline_s = time.monotonic() + _ODDS_S
        found = self._odds.find(host.rules, view, lambda: time.monotonic() > deadline_s)
        if found is None:
            yield host.error("terminal.odds_none")
            return
        seen = replace(picture(host.rules, None, view), last=None, tried=frozenset())
        stones = count_stones(others(host.rules.colours, view.colour)[0], view.hidden, host.lang)
        source = host.say("terminal.odds_how", stones=stones, boards=found.boards)
        key = "terminal.odds_counted" if found.error == 0 else "terminal.odds_error"
        certainty = host.say(key, percent=_percent(found.error))
        notes = (f"{source} {certainty}", *_likeliest(host, view, found.chances))
        title = host.say("terminal.odds", name=host.name(view.colour))
        yield BoardBlock(host.rules.board, seen, notes, title=title, chances=found.chances)


def heard_turns(host: GameHost, view: View) -> Iterator[tuple[int, str, int]]:
    """Yield the colour, word and captures of each stone, pass or swap. The word of a hidden move is "?"."""
    for news in view.news:
        is_turn = news.action is None or news.action >= 0 or news.action in (PASS, SWAP)
        if news.actor != CHANCE and not news.refused and is_turn:
            yield news.actor, "?" if news.action is None else word_of(host, news.action), news.count


def word_of(host: GameHost, action: int) -> str:
    """Return the word that a person types for a move."""
    name = write_move(host.rules.board, action)
    command = next((each for each in commands.PLAY if each.name == name), None)
    return name if command is None else command.word(host.lang)


def tell_hint(host: GameHost, action: int, found: "SearchResult | None") -> Iterator[Block]:
    """Yield the suggested move and any other moves that the search visited often, if there was a search."""
    moves: list[SuggestedMove] = [SuggestedMove(action)]
    if found is not None and found.visits.get(action):
        total = sum(found.visits.values())
        rest = [move for move in found.rank_moves(found.visits) if move != action]
        listed = [action, *(move for move in rest if found.visits[move] >= _LEAST_PART * total)]
        moves = [SuggestedMove(move, found.visits[move] / total) for move in listed[:_MOST_HINTS]]
    yield CandidatesBlock(tuple(moves), ())
    parts = ("" if each.part is None else f" ({_percent(each.part)} %)" for each in moves)
    first, *more = [f"{word_of(host, each.action)}{part}" for each, part in zip(moves, parts, strict=True)]
    yield TextBlock(host.say("terminal.hint_or" if more else "terminal.hint", action=first, others=", ".join(more)))


def _describe_analysis(host: GameHost, found: "SearchResult") -> CandidatesBlock:
    from gtp_variants.ai.mcts.candidates import playable_line

    total = max(1, sum(found.visits.values()))
    moves = [move for move in found.rank_moves(found.visits)[:_MOST_MOVES] if found.visits[move]]
    lines = {move: playable_line(found, found.lines.get(move, (move,))) for move in moves}
    parts = {move: found.visits[move] / total for move in moves}
    candidates = tuple(SuggestedMove(move, parts[move], found.shares.get(move), lines[move]) for move in moves)
    stands = zip(host.rules.colours, found.values, strict=False)
    chances = ", ".join(f"{host.name(colour)} {_percent(share)} %" for colour, share in stands)
    notes = [host.say("terminal.analysis_stands", chances=chances, playouts=found.playouts)] if chances else []
    if found.score is not None:
        leader = host.rules.colours[0 if found.score >= 0 else 1]
        points = format_number(abs(round(found.score, 1)), host.lang)
        notes.append(host.say("terminal.analysis_leads", name=host.name(leader), points=points))
    for number, each in enumerate(candidates, 1):
        line = " ".join(word_of(host, move) for move in each.line[:_LONGEST_LINE])
        share = "" if each.share is None else f"{_percent(each.share)} %"
        notes.append(f"{number}. {line}  {share}")
    return CandidatesBlock(candidates, tuple(notes))


def _likeliest(host: GameHost, view: View, chances: Sequence[float]) -> Iterator[str]:
    """Yield one line for each of the most likely points of hidden stones."""
    hidden = [point for point in host.rules.board.order if not view.stones[point] and chances[point]]
    for point in sorted(hidden, key=lambda point: -chances[point])[:_MOST_LISTED]:
        percent, vertex = _percent(chances[point]), host.rules.board.vertex(point)
        yield host.say("terminal.odds_of", vertex=vertex, percent=percent, bar=bar(chances[point]))


def _percent(share: float) -> int:
    return int(100 * share + 0.5)


def bar(chance: float) -> str:
    """Return a chance as a bar of twenty characters."""
    length = int(_BAR * chance + 0.5)
    return "#" * length + "-" * (_BAR - length)
