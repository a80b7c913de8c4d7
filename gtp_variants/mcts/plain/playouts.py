"""Picks the playout class for a position and runs many playouts, in plain Python."""

from collections.abc import Callable

from gtp_variants.mcts.plain.any_playout import AnyPlayout
from gtp_variants.mcts.plain.diced_playout import DicedPlayout
from gtp_variants.mcts.plain.playout import AreaPlayout, FivePlayout, Playout, SuicidePlayout
from gtp_variants.mcts.plain.playout_board import board_tables
from gtp_variants.mcts.result import PlayoutCounts
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import EMPTY, RED
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules


def begin_playout(rules: Rules, position: Position, dice_aware: bool = True, obliged: bool = False) -> Playout:
    """A game in progress from a position; see `DicedPlayout` for `obliged`.

    Not aware of its dice, a game is played as if every line were open.
    """
    tables = board_tables(rules, dice_aware)
    kind: Callable[..., Playout]
    if not rules.profile.kernel_game:
        kind = AnyPlayout
    elif isinstance(rules, DicedRules) and dice_aware:
        return DicedPlayout(tables, position, obliged)
    elif tables.is_area:
        kind = AreaPlayout
    else:
        kind = SuicidePlayout if tables.takes_own else FivePlayout
    return kind(tables, position)


def run_playouts(rules: Rules, position: Position, n: int, seed: int, first: int = 0) -> PlayoutCounts:
    """Playouts number `first` to `first + n - 1` of a seed."""
    outcome = rules.outcome(position)
    if outcome is not None:
        wins = [n if colour == outcome.winner else 0 for colour in rules.colours]
        return PlayoutCounts(wins, 0 if outcome.winner else n, 0)
    start = begin_playout(rules, position)
    counts = [0] * (RED + 1)
    turns = 0
    for index in range(first, first + n):
        playout = start.copy()
        playout.finish(Rng.of_playout(seed, index))
        counts[playout.winner] += 1
        turns += playout.turns
    return PlayoutCounts([counts[colour] for colour in rules.colours], counts[EMPTY], turns)


def final_stones(start: Playout, index: int, seed: int = 0) -> bytes:
    """The board at the end of one playout from a game in progress, which is left as it is."""
    playout = start.copy()
    playout.finish(Rng.of_playout(seed, index))
    return playout.stones
