"""To which games a plane or a feature applies, by what their rules declare."""

from collections.abc import Callable

from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import RepeatingRules

Applies = Callable[[Rules], bool]


def always(rules: Rules) -> bool:
    """To every game."""
    return True


def for_three(rules: Rules) -> bool:
    """Where three play."""
    return len(rules.colours) > 2


def with_score(rules: Rules) -> bool:
    """Where a score decides."""
    return rules.is_scored


def with_end_by_passes(rules: Rules) -> bool:
    """Where passes end the game."""
    return rules.end_passes > 0


def with_repetition(rules: Rules) -> bool:
    """Where it matters that a board comes again."""
    return isinstance(rules, RepeatingRules)


def with_repetition_draws(rules: Rules) -> bool:
    """Where a board that comes again and again may draw the game."""
    return isinstance(rules, RepeatingRules) and rules.draws_by_repetition


def with_passes_left(rules: Rules) -> bool:
    """Where an option says how often somebody may pass."""
    return rules.profile.limits_passes


def with_supply(rules: Rules) -> bool:
    """Where an option says how many stones there are."""
    return "supply" in rules.values


def with_fives(rules: Rules) -> bool:
    """Where runs of five count."""
    return bool(rules.board.fives)


def with_faces(rules: Rules) -> bool:
    """Where hexagons of points count."""
    return bool(rules.board.faces)


def with_dice(rules: Rules) -> bool:
    """Where dice name the lines that are open."""
    return isinstance(rules, DicedRules)


def with_hidden_stones(rules: Rules) -> bool:
    """Where a seat does not see every stone."""
    return isinstance(rules, HiddenRules)


def with_mark(name: str) -> Applies:
    """Where the rules find points under a name."""
    return lambda rules: name in rules.profile.decisive_marks


def both(first: Applies, second: Applies) -> Applies:
    """Where two things hold."""
    return lambda rules: first(rules) and second(rules)
