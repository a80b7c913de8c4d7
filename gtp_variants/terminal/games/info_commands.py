"""What somebody may ask about a game without changing it: liberties, ataris, draws, moves, the score.

A hint: the move a bot would play here, and others it thought of, each with its part of the search.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gtp_variants.records.notation import write_move
from gtp_variants.rules import words
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.boards.chains import chain, chains, liberties
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, CandidatesBlock, SuggestedMove, TextBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.host import GameHost

_MOST_DRAWS = 12


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
    stones = words.stones(view.stones[point], len(members), host.lang)
    key = "terminal.liberties" if host.rules.is_open else "terminal.liberties_seen"
    return TextBlock(host.say(key, stones=stones, vertex=vertex, count=count, list=" ".join(free)))


def tell_ataris(host: GameHost, view: View) -> Block:
    """The chains with one liberty, as far as the seat sees them."""
    board, found = host.rules.board, []
    for members in chains(board, view.stones):
        free = liberties(board, view.stones, members)
        if len(free) == 1:
            stones = words.stones(view.stones[members[0]], len(members), host.lang)
            found.append(f"{stones} ({' '.join(board.vertices_of(members))}; {board.vertex(free.pop())})")
    if found:
        return TextBlock(host.say("terminal.atari", list=", ".join(found)))
    return TextBlock(host.say("terminal.no_atari" if host.rules.is_open else "terminal.no_atari_seen"))


def tell_draws(host: GameHost) -> Iterator[Block]:
    """The dice that fell last, and the commitment to them."""
    rules, game = host.rules, host.table.game
    if not isinstance(rules, DicedRules):
        yield host.refuse("refusals.no_dice")
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
    moves: list[str] = []
    for news in view.news:
        is_turn = news.action is None or news.action >= 0 or news.action in (PASS, SWAP)
        if news.actor == CHANCE or news.refused or not is_turn:
            continue
        word = "?" if news.action is None else word_of(host, news.action)
        moves.append(f"{len(moves) + 1}. {host.name(news.actor)} {word}")
    return TextBlock(" ".join(moves) if moves else host.say("terminal.no_record"))


def word_of(host: GameHost, action: int) -> str:
    """What a person types for a point, a pass, a swap or a resignation."""
    name = write_move(host.rules.board, action)
    command = next((each for each in commands.PLAY if each.name == name), None)
    return name if command is None else command.word(host.lang)


if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

_MOST_MOVES = 4
# What was looked at less was only looked at.
_LEAST_PART = 0.03


def tell_hint(host: GameHost, action: int, found: "SearchResult | None") -> Iterator[Block]:
    """The move first, then others that were taken seriously; the move alone where no search says more of it."""
    candidates = _candidates(action, found)
    yield CandidatesBlock(candidates, ())
    first, *others = [f"{word_of(host, each.action)}{_percent(each.part)}" for each in candidates]
    key = "terminal.hint_or" if others else "terminal.hint"
    yield TextBlock(host.say(key, action=first, others=", ".join(others)))


def _candidates(action: int, found: "SearchResult | None") -> tuple[SuggestedMove, ...]:
    if found is None or not found.visits.get(action):
        return (SuggestedMove(action),)
    total = sum(found.visits.values())
    others = [move for move in found.rank_moves(found.visits) if move != action]
    moves = [action, *(move for move in others if found.visits[move] >= _LEAST_PART * total)]
    return tuple(SuggestedMove(move, found.visits[move] / total) for move in moves[:_MOST_MOVES])


def _percent(part: float | None) -> str:
    return "" if part is None else f" ({int(100 * part + 0.5)} %)"
