"""What a file says beside its moves: comments, marks, letters on points, and what might have been played instead."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gtp_variants.errors import RecordError
from gtp_variants.json_values import Json
from gtp_variants.records.notation import write_move
from gtp_variants.records.sgf.games import move_of, points_of
from gtp_variants.records.sgf.syntax import Node, parse_sgf, variations_of
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.words import COLOUR_LETTERS

# How a point may be marked, by the property that does it.
MARKS = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross"}
_MOST_VARIATIONS = 200
_LONGEST_VARIATION = 60
_LONGEST_LABEL = 3


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said of a position: `marks` are points by how they are marked, `labels` words by point."""

    comment: str = ""
    marks: dict[str, list[int]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherLine:
    """What might have been played after so many moves: colours with points, PASS among them, and what is said of it."""

    after: int
    moves: list[tuple[int, int]]
    comment: str


def read_remarks(text: str | bytes, board: Board) -> tuple[dict[int, Remark], list[OtherLine]]:
    """The remarks of a text's first game by number of moves before them, 0 for the start; and its variations.

    What is on no point of the board is left out. Raises RecordError for what is no SGF.
    """
    nodes = parse_sgf(text, 1)[0]
    counts = list(_count_moves(nodes))
    remarks: dict[int, Remark] = {}
    for count, node in zip(counts, nodes, strict=True):
        remark = _remark(node, board, remarks.get(count))
        if remark is not None:
            remarks[count] = remark
    lines = [_line(counts[each.after - 1], each.nodes, board) for each in variations_of(text, _MOST_VARIATIONS)]
    return remarks, [line for line in lines if line.moves]


def describe_remarks(text: str | bytes, board: Board) -> Json:
    """Remarks and variations of SGF as JSON: `remarks` {number of moves: remark}, `variations`, points as vertices."""
    remarks, lines = read_remarks(text, board)
    return {
        "remarks": {
            str(count): {
                "comment": remark.comment,
                "marks": {mark: board.vertices_of(points) for mark, points in remark.marks.items()},
                "labels": {board.vertices[point]: label for point, label in remark.labels.items()},
            }
            for count, remark in remarks.items()
        },
        "variations": [
            {
                "after": line.after,
                "moves": [[COLOUR_LETTERS[colour], write_move(board, action)] for colour, action in line.moves],
                "comment": line.comment,
            }
            for line in lines
        ],
    }


def _count_moves(nodes: Sequence[Node]) -> Iterator[int]:
    count = 0
    for node in nodes:
        count += any(name in node for name in "BWR")
        yield count


def _remark(node: Node, board: Board, before: Remark | None) -> Remark | None:
    comment = "\n".join(filter(None, [before.comment if before else "", *node.get("C", ())]))
    marks = dict(before.marks) if before else {}
    for name, mark in MARKS.items():
        points = [point for value in node.get(name, ()) for point in _points(board, name, value)]
        if points:
            marks[mark] = [*marks.get(mark, ()), *points]
    labels = dict(before.labels) if before else {}
    for value in node.get("LB", ()):
        where, _, label = value.partition(":")
        labels |= dict.fromkeys(_points(board, "LB", where), label[:_LONGEST_LABEL])
    return Remark(comment, marks, labels) if comment or marks or labels else None


def _line(after: int, nodes: Sequence[Node], board: Board) -> OtherLine:
    moves: list[tuple[int, int]] = []
    for node in nodes[:_LONGEST_VARIATION]:
        try:
            move = move_of(board, node)
        except RecordError:
            break
        moves += [] if move is None else [move]
    return OtherLine(after, moves, next((text for node in nodes for text in node.get("C", ())), ""))


def _points(board: Board, name: str, value: str) -> list[int]:
    with suppress(RecordError):
        return points_of(board, name, value)
    return []
