"""Counting for hosts: each side's points, chains that seem dead, and tries refused in a row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gtp_variants.rules.boards.chains import areas, without
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.turn_rules import AreaRules


def points(game: Game) -> dict[int, int]:
    """Return each colour's stones plus territory, without komi and with dead stones removed."""
    counted = count_board(game)
    return {colour: len(counted.stones[colour]) + len(counted.territory[colour]) for colour in game.rules.colours}


@dataclass(frozen=True, slots=True)
class Count:
    """A counted board without dead stones. `stones` and `territory` are by colour; `neutral` points have no owner."""

    stones: Mapping[int, Sequence[int]]
    territory: Mapping[int, Sequence[int]]
    neutral: Sequence[int]


def count_board(game: Game) -> Count:
    position, colours = game.position, game.rules.colours
    stones = without(position.stones, position.dead) if position.dead else position.stones
    owned = areas(game.rules.board, stones)
    return Count(
        {colour: [point for point in owned[colour] if stones[point]] for colour in colours},
        {colour: [point for point in owned[colour] if not stones[point]] for colour in colours},
        owned[0],
    )


def find_seeming_dead(game: Game) -> Sequence[tuple[int, ...]]:
    """Return the chains of a finished game that a search judges dead, except those already marked dead."""
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
    count = 0
    while count < len(game.events) and game.is_refused(len(game.events) - 1 - count):
        count += 1
    return count
