"""Who plays whom, and what: who met least, what they played least, colours in turn. It decides and does nothing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

# Black, White, SPEC -> games.
Met = Counter[tuple[str, str, str]]


_GROUP = 40


@dataclass(frozen=True, slots=True)
class Pair:
    """A game to be played."""

    spec: str
    black: str
    white: str


def pairs(waiting: Mapping[str, Sequence[str]], met: Met, rng: Random) -> Iterator[list[Pair]]:
    """Pairs of those who wait, each with the SPECs it can play; who shares no game with anybody waits on.

    Every pair of a crowd is looked at only within groups of it, which come one by one: games that are on do not wait.
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
