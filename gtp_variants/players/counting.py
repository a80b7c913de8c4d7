"""Counting for hosts: each side's points, chains that seem dead, and tries refused in a row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from gtp_variants.rules.actions import EMPTY, WHITE
from gtp_variants.rules.boards.chains import areas, without
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.turn_rules import BUTTON, AreaRules


def points(game: Game) -> dict[int, int]:
    """Return each colour's territory plus its stones or prisoners, without komi and with dead stones removed."""
    counted = count_board(game)
    return {colour: counted.pieces[colour] + len(counted.territory[colour]) for colour in game.rules.colours}


@dataclass(frozen=True, slots=True)
class Count:
    """A counted board without dead stones.

    By colour, `pieces` is the number of stones on the board, or of prisoners if `counts_prisoners`; `territory` lists
    the surrounded points; `komi` is the sum of all other points. `neutral` lists the points without an owner.
    """

    pieces: Mapping[int, int]
    territory: Mapping[int, Sequence[int]]
    komi: Mapping[int, float]
    neutral: Sequence[int]
    counts_prisoners: bool


def count_board(game: Game) -> Count:
    rules, position = game.rules, game.position
    stones = without(position.stones, position.dead) if position.dead else position.stones
    owned = areas(rules.board, stones)
    pieces = {colour: stones.count(colour) for colour in rules.colours}
    komi = dict.fromkeys(rules.colours, 0.0)
    counts_prisoners = isinstance(rules, AreaRules) and rules.counts_territory
    if isinstance(rules, AreaRules):
        komi[WHITE] = rules.game_komi(position.handicap)
        if position.button != EMPTY:
            komi[position.button] += BUTTON
    if counts_prisoners:
        dead = [position.stones[point] for point in position.dead]
        pieces = {each: position.taken[each] + len(dead) - dead.count(each) for each in rules.colours}
    territory = {colour: [point for point in owned[colour] if not stones[point]] for colour in rules.colours}
    return Count(pieces, territory, komi, owned[EMPTY], counts_prisoners)


def find_seeming_dead(game: Game) -> Sequence[tuple[int, ...]]:
    """Return the chains of a finished game that a search judges dead, except chains already marked dead."""
    from gtp_variants.ai.mcts.final_status import find_dead_chains

    position = game.position
    return [points for points in find_dead_chains(game.rules, position) if points[0] not in position.dead]


def outcome_without(game: Game, dead: Iterable[Sequence[int]]) -> Outcome | None:
    """Return the outcome of a finished game if these chains are dead too, or None in a game without a count."""
    rules, position = game.rules, game.position
    if not isinstance(rules, AreaRules):
        return None
    return rules.score(position, position.dead.union(*dead))


def refused_in_a_row(game: Game) -> int:
    """Return the number of refused tries since the last event of any other kind."""
    return sum(1 for _ in takewhile(game.is_refused, reversed(range(len(game.events)))))
