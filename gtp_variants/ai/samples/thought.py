"""`Thought`: a bot's visits and values for its move; they are checked, because any bot may supply them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from operator import index

from gtp_variants.rules.actions import PASS, SWAP
from gtp_variants.rules.rules import Rules

_MOST_VISITS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Thought:
    """A player's evaluation of the position in which it chose its move.

    `visits`  number of visits to each action that it tried and that has a policy index
    `values`  each colour's expected share of the score, 0 to 1, in turn order; () if unknown
    """

    visits: Mapping[int, int]
    values: tuple[float, ...] = ()


# The decisions of a game, by event number, each with the player's evaluation or None.
Decisions = dict[int, Thought | None]


def find_thought(rules: Rules, found: object) -> Thought | None:
    """Return the visits and values of a search result; None for any object without them."""
    try:
        visits, values = getattr(found, "visits", None), getattr(found, "values", None)
        pairs = visits.items() if isinstance(visits, Mapping) else ()
        return read_thought(rules, pairs, values if isinstance(values, tuple) else ())
    except Exception:
        # Ignore every exception, because a bot's own properties may raise any.
        return None


def read_thought(rules: Rules, visits: Iterable[object], values: Iterable[object]) -> Thought | None:
    """Return the valid visits among (action, count) pairs, and the values if valid; None if both are missing."""
    counts: dict[int, int] = {}
    specials = {PASS: rules.has_pass, SWAP: rules.has_swap}
    for pair in visits:
        with suppress(TypeError, ValueError):
            action, count = (index(each) for each in pair)  # type: ignore[attr-defined]
            if (0 <= action < len(rules.board) or specials.get(action)) and 0 < count <= _MOST_VISITS:
                counts[action] = count
    shares: tuple[float, ...] = ()
    with suppress(TypeError, ValueError):
        shares = tuple(float(each) for each in values)  # type: ignore[arg-type]
    if len(shares) != len(rules.colours) or not all(isfinite(share) and 0 <= share <= 1 for share in shares):
        shares = ()
    return Thought(counts, shares) if counts or shares else None
