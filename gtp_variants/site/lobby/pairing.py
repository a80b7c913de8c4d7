"""Pairings: opponents who met least, in the game they played least, with alternating colours."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

# Number of games by Black, White and SPEC.
Met = Counter[tuple[str, str, str]]
# Accounts compared with each other at one step.
_GROUP = 40


@dataclass(frozen=True, slots=True)
class Pair:
    """A game to be played."""

    spec: str
    black: str
    white: str


def pairs(waiting: Mapping[str, Sequence[str]], met: Met, rng: Random) -> Iterator[list[Pair]]:
    """Yield pairs of waiting accounts, each given with the SPECs it can play.

    A crowd is paired in groups, one at each step, so that games in progress need not wait.
    """
    names = sorted(waiting)
    rng.shuffle(names)
    for first in range(0, len(names), _GROUP):
        yield _pair_group(names[first : first + _GROUP], waiting, met)


def _pair_group(names: Sequence[str], waiting: Mapping[str, Sequence[str]], met: Met) -> list[Pair]:
    possible = [
        (sum(_times(met, one, other, spec) for spec in common), one, other, common)
        for index, one in enumerate(names)
        for other in names[index + 1 :]
        if (common := [spec for spec in waiting[one] if spec in waiting[other]])
    ]
    found: list[Pair] = []
    taken: set[str] = set()
    for _, one, other, common in sorted(possible, key=lambda each: each[0]):
        if taken.isdisjoint((one, other)):
            taken |= {one, other}
            found.append(_pair(one, other, common, met))
    return found


def _pair(one: str, other: str, common: Sequence[str], met: Met) -> Pair:
    spec = min(common, key=lambda spec: _times(met, one, other, spec))
    if met[one, other, spec] > met[other, one, spec]:
        one, other = other, one
    return Pair(spec, one, other)


def _times(met: Met, one: str, other: str, spec: str) -> int:
    return met[one, other, spec] + met[other, one, spec]
