"""The point that a person names at a host of games, refused in words of their language."""

import re

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.lang import RequestRefused
from gtp_variants.records.record import printable
from gtp_variants.rules.boards.board import Board

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
