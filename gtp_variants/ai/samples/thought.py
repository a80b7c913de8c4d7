"""`Thought`: what a player tells of its move, checked: it may come from anybody's bot."""

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
    """What a player tells of its move.

    `visits`  how often it tried each action; only actions that have a policy index, only those it tried
    `values`  the share of the score it expects for each colour, 0 to 1, in turn order; () if it does not say
    """

    visits: Mapping[int, int]
    values: tuple[float, ...] = ()


# The events of a game that players decided, by number, each with what they told of it.
Decisions = dict[int, Thought | None]


def find_thought(rules: Rules, found: object) -> Thought | None:
    """What a search result tells; None for one without visits and values, and for whatever else a bot may hold."""
    try:
        visits, values = getattr(found, "visits", None), getattr(found, "values", None)
        return read_thought(
            rules, visits.items() if isinstance(visits, Mapping) else (), values if isinstance(values, tuple) else ()
        )
    except Exception:
        # A bot's own properties run here.
        return None


def read_thought(rules: Rules, visits: Iterable[object], values: Iterable[object]) -> Thought | None:
    """What pairs of action and count and a list of shares tell, as far as they can be; None for nothing."""
    counts: dict[int, int] = {}
    for pair in visits:
        with suppress(TypeError, ValueError):
            action, count = (index(each) for each in pair)  # type: ignore[attr-defined]
            if _has_index(rules, action) and 0 < count <= _MOST_VISITS:
                counts[action] = count
    shares: tuple[float, ...] = ()
    with suppress(TypeError, ValueError):
        shares = tuple(float(each) for each in values)  # type: ignore[arg-type]
    if len(shares) != len(rules.colours) or not all(isfinite(share) and 0 <= share <= 1 for share in shares):
        shares = ()
    return Thought(counts, shares) if counts or shares else None


def _has_index(rules: Rules, action: int) -> bool:
    specials = {PASS: rules.has_pass, SWAP: rules.has_swap}
    return 0 <= action < len(rules.board) or specials.get(action, False)
