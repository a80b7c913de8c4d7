"""Proposals between the people at a game (undo, other dice, count, break off), until all have agreed.

The point that a person names at a host of games, refused in words of their language.

Who plays a colour of a hosted game.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.lang import RequestRefused
from gtp_variants.players import bots
from gtp_variants.records.record import printable
from gtp_variants.rules.boards.board import Board

PERSON, BOT, ACCOUNT, ELSEWHERE = "person", "bot", "account", "elsewhere"


@dataclass(frozen=True, slots=True)
class Participant:
    """Who plays a colour: a person here, a bot by name, an account of a server, or somebody who plays elsewhere.

    `key` is the SHA-256 of the token that opens a person's seat, `level` that of a bot which has levels.
    """

    kind: str = PERSON
    name: str = ""
    level: int | None = None
    key: str = ""

    @property
    def bot(self) -> str:
        """The bot's name with its level."""
        return self.name if self.level is None else bots.with_parameter(self.name, "level", f"{self.level}")


_LONGEST_WORD = 20
_COLUMN_I = re.compile(r"[a-z]?i[a-z]?[0-9]+", re.IGNORECASE)


def read_point(board: Board, word: str) -> int:
    """The point a word names. Raises RequestRefused if it names none here."""
    try:
        return board.point(word)
    except (NotationError, IllegalMove):
        key = "refusals.no_column_i" if _COLUMN_I.fullmatch(word) else "refusals.no_point"
        shown = f"'{printable(word[:_LONGEST_WORD])}'"
        raise RequestRefused(key, word=shown, example=example_point(board)) from None


def example_point(board: Board) -> str:
    """A point of the board, to show how points are named."""
    return board.vertices[len(board) // 2]


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
