"""Proposals between the people at a game (undo, other dice, count, break off), until all have agreed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

# What is asked for in most games: to take back, other dice, to count the board as it is marked, no result.
UNDO, DICE, COUNT, BREAK_OFF = "undo", "dice", "count", "break off"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the person of a colour asks for, with a `value` such as which dice; `agreed` are all who want the same."""

    kind: str
    colour: int
    value: str
    agreed: frozenset[int]


class Agreements:
    """Who would like what, by kind of proposal. Somebody's last word on a kind counts."""

    def __init__(self, words: Mapping[str, Mapping[int, str]] | None = None) -> None:
        self._words = {kind: dict(each) for kind, each in (words or {}).items() if each}

    @property
    def words(self) -> Mapping[str, Mapping[int, str]]:
        """What everybody would like, by kind and colour, in the order in which it was said."""
        return self._words

    def add(self, kind: str, colours: Collection[int], value: str, people: Collection[int]) -> bool:
        """Note what the people of some colours would like; whether all people want the same now, which settles it."""
        said = self._words.setdefault(kind, {})
        said.update(dict.fromkeys(colours, value))
        if any(said.get(each) != value for each in people):
            return False
        self.clear(kind)
        return True

    def find(self, *kinds: str) -> Proposal | None:
        """What was asked for first and is not settled, of these kinds; None for nothing."""
        for kind in kinds:
            for colour, value in self._words.get(kind, {}).items():
                agreed = frozenset(each for each, theirs in self._words[kind].items() if theirs == value)
                return Proposal(kind, colour, value, agreed)
        return None

    def value_of_others(self, kind: str, colour: int) -> str | None:
        """What somebody else would like, None for nothing."""
        return next((value for each, value in self._words.get(kind, {}).items() if each != colour), None)

    def clear(self, *kinds: str) -> None:
        """Forget what was asked for."""
        for kind in kinds:
            self._words.pop(kind, None)
