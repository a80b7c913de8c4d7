"""Boards one can see: a diagram becomes a set-up, a position a diagram, and moves are words.

A diagram has one line a row of the board's grid, from the top. Every cell of the grid is one character
and a blank: `X` black, `O` white, `R` red, `.` empty; a cell that is no point of the board is blank. Rows
of the grid that hold no point at all (the upper six of Pentalath's trapezoid) are left out.

Moves are words in one text: `D4`, `pass`, `swap`, `resign`. An `x` behind a vertex says that stones leave
the board by it; without it none do. `b:D4` names who acts, otherwise it is whoever is to play. While dice
are to be thrown a word is what they show: `4`, or `2+5` for two dice, or `free` for no line at all.
"""

from collections.abc import Iterable
from textwrap import dedent
from typing import Any

import pytest

from gtp_variants.errors import IllegalMove
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN, SWAP, TURN
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

MARKS = ".XOR"
_WORDS = {"pass": PASS, "swap": SWAP, "resign": RESIGN, "turn": TURN}


def setup(board: Board, diagram: str) -> dict[int, int]:
    """The stones of a diagram: point -> colour. Fails if the diagram is not of this board."""
    rows = _rows(board)
    lines = drawn(diagram).split("\n")
    assert len(lines) == len(rows), f"the diagram has {len(lines)} rows, the board {len(rows)}"
    stones = {}
    for y, line in zip(rows, lines, strict=True):
        for x in range(max(board.width, (len(line) + 1) // 2)):
            mark = line[2 * x : 2 * x + 1].strip()
            point = board.at(x, y)
            assert bool(mark) == (point is not None), f"row {y + 1}, column {x + 1}: {mark!r}"
            if point is not None and mark != ".":
                stones[point] = MARKS.index(mark)
        assert not line[1::2].strip(), f"row {y + 1}: marks stand at every second character"
    return stones


def picture(board: Board, stones: bytes) -> str:
    """The diagram of some stones, to be compared with `drawn(...)`."""
    lines = []
    for y in _rows(board):
        cells = (board.at(x, y) for x in range(board.width))
        lines.append(" ".join(" " if point is None else MARKS[stones[point]] for point in cells).rstrip())
    return "\n".join(lines)


def drawn(diagram: str) -> str:
    """A diagram as `picture` writes it: margins off."""
    return "\n".join(line.rstrip() for line in dedent(diagram).strip("\n").rstrip().split("\n"))


def begin(rules: Rules, diagram: str, to_play: int | None = None) -> Any:
    """The position of a diagram, before anything happened."""
    return rules.start(setup(rules.board, diagram), to_play)


def played(rules: Rules, position: Any, moves: str) -> Any:
    """The position after moves in words."""
    for move in moves.split():
        position = _one(rules, position, move)
    return position


def reason(rules: Rules, position: Any, move: str) -> str:
    """Why a move is refused: one of the fixed words. Fails if it is not."""
    return refusal(rules, position, move).reason


def refusal(rules: Rules, position: Any, move: str) -> IllegalMove:
    """Return the exception that a move raises. Fails if there is none."""
    with pytest.raises(IllegalMove) as caught:
        _one(rules, position, move)
    return caught.value


def _one(rules: Rules, position: Position, move: str) -> Any:
    word, actor = move, position.to_play
    if ":" in move:
        who, word = move.split(":")
        actor = COLOUR_WORDS[who]
    if word in _WORDS:
        return rules.play(position, _WORDS[word], position.mover if actor == CHANCE else actor)
    if actor == CHANCE:
        return rules.play(position, cast(position, word), CHANCE)
    after = rules.play(position, rules.board.point(word.removesuffix("x")), actor)
    taken = [rules.board.vertex(point) for point in after.captured]
    assert bool(taken) == word.endswith("x"), f"{move} takes {taken or 'nothing'}"
    return after


def cast(position: Any, word: str) -> int:
    """The CHANCE action for what the dice of a position show."""
    dice = position.dice
    return int(dice.outcomes if word == "free" else dice.outcome([int(face) for face in word.split("+")]))


def vertices(board: Board, points: Iterable[int]) -> str:
    """Points in words, by column and row; passes and swaps left out."""
    return " ".join(board.vertex(point) for point in board.in_order(point for point in points if point >= 0))


def legal(rules: Rules, position: Any) -> str:
    """The points where a stone of the side to move is accepted, in words."""
    return vertices(rules.board, rules.legal(position))


def _rows(board: Board) -> list[int]:
    return sorted({y for _, y in board.cells}, reverse=True)
