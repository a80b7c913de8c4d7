"""Messages of a server that means ill, or is broken: a value is of another type, far too large, missing, or doubled."""

import copy
import random
from collections.abc import Iterator
from typing import Any

# What stands in a field where something else should.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**31, 10**40, 0.5, -1e308, float("inf"), float("nan")),
    *("", "x", "x" * 5000, "\ud800", "\0", "black", "PASS", "..", "aa", "9" * 400, "1e999"),
    *([], {}, [[]], [None], {"id": {}}, [[[[[[]]]]]]),
)
_Place = tuple[Any, Any]


def _places(value: Any) -> Iterator[_Place]:
    """Every container in a value with each of its keys."""
    keys: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def mutate(message: Any, rng: random.Random, keep: frozenset[str] = frozenset()) -> Any:
    """A copy of a message with one to three things wrong in it; values at the keys to `keep` stay."""
    changed = copy.deepcopy(message)
    for _ in range(rng.randint(1, 3)):
        places = [(at, key) for at, key in _places(changed) if key not in keep]
        if not places:
            return changed
        at, key = rng.choice(places)
        match rng.randrange(5):
            case 0 if isinstance(at, dict):
                del at[key]
            case 1 if isinstance(at, list):
                at.append(copy.deepcopy(at[key]))
            case 2 if isinstance(at[key], int | float) and not isinstance(at[key], bool):
                at[key] = rng.choice((-at[key], at[key] * 10**9, at[key] + 1, str(at[key])))
            case _:
                at[key] = copy.deepcopy(rng.choice(VALUES))
    return changed
