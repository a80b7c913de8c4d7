"""Comments, marks, labels and variations in SGF files: reading them, and adding variations to the text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.records.notation import write_move
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import move_of, nodes_of, points_of
from gtp_variants.records.sgf.syntax import Node, parse_sgf, short_name, variations_of
from gtp_variants.rules.actions import CHANCE, PASS
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game

# The kinds of marks on points, by property.
MARKS = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross"}
_MOST_VARIATIONS = 200
_LONGEST_VARIATION = 60
_LONGEST_LABEL = 3


@dataclass(frozen=True, slots=True)
class Remark:
    """Remarks on a position: a comment, the marked points by kind of mark, and the labels by point."""

    comment: str = ""
    marks: dict[str, list[int]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A variation after `after` moves of the main line: its moves as (colour, point or PASS), and its first comment."""

    after: int
    moves: list[tuple[int, int]]
    comment: str


def read_remarks(text: str | bytes, board: Board) -> tuple[dict[int, Remark], list[OtherLine]]:
    """Return the remarks on the first game, by the number of moves before them (0 for the start), and its variations.

    Remarks on points off the board are left out. Raises RecordError for text that is not SGF.
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
    """Return JSON with `remarks` (number of moves: remark) and `variations`, in which points are vertices."""
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


# Property values, which may contain any characters, and the characters that structure a file.
_TOKEN = re.compile(r"\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]|[();]", re.DOTALL)
_NAME = re.compile(r"([A-Za-z]+)\s*\Z")
_MOVES = ("B", "W", "R")
_PROPERTY = re.compile(r"\s*([A-Za-z0-9]+)\s*((?:\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]\s*+)++)", re.DOTALL)
_BEGINNING = re.compile(r"\(\s*;?")
# Properties that are moved out of the root with its move: those about the move, then its remarks and marks.
_WITH_MOVE = {
    *(*_MOVES, "KO", "MN", "BL", "WL", "OB", "OW", "BM", "DO", "IT", "TE"),
    *("C", "N", "DM", "GB", "GW", "HO", "UC", "V", "AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TR", "VW"),
}
# The property that `to_sgf` writes for events other than moves, such as throws, refused tries and resignations.
_EVENT = "EVENT"


# A tree of nodes: the text of each node that may follow -> the tree of the nodes after that one.
_Twig = dict[str, "_Twig"]


def add_variations(text: str, record: Record, tried: Iterable[Game]) -> str:
    """Return the text of a record's file with other games added as variations. Shared moves are written once.

    Raises RecordError if the text does not belong to the record.
    """
    by_moves: dict[int, _Twig] = {}
    for game in tried:
        count = _count_common_moves(record.game, game)
        twig = by_moves.setdefault(count, {})
        for node in _nodes_after(record, game, count):
            twig = twig.setdefault(node, {})
    # Insert from the end to the start, so that places earlier in the text stay valid.
    for count in sorted(by_moves, reverse=True):
        twigs = _write(by_moves[count])
        if twigs:
            text = text if count else _free_root(text)
            text = _insert(text, count, "".join(f"\n({twig})" for twig in twigs))
    return text


def _free_root(text: str) -> str:
    """Return the text with any move in the root put into a new node, because a root cannot have variations."""
    beginning = _BEGINNING.search(text)
    at = beginning.end() if beginning is not None else 0
    stays, goes, has_move = "", "", False
    while (found := _PROPERTY.match(text, at)) is not None:
        at = found.end()
        name = short_name(found[1])
        has_move |= name in _MOVES
        if name in _WITH_MOVE:
            goes += found[0].strip()
        else:
            stays += found[0]
    if beginning is None or not has_move:
        return text
    opening = beginning[0] if ";" in beginning[0] else f"{beginning[0]};"
    return f"{text[: beginning.start()]}{opening}{stays}\n;{goes}{text[at:]}"


def _count_common_moves(main: Game, other: Game) -> int:
    count = 0
    for index, (mine, theirs) in enumerate(zip(main.events, other.events, strict=False)):
        if mine != theirs:
            break
        count += mine.actor != CHANCE and mine.action >= PASS and main.is_turn(index)
    return count


def _nodes_after(record: Record, game: Game, count: int) -> list[str]:
    """Return the nodes of a game after its first `count` moves."""
    nodes = list(nodes_of(replace(record, game=game, times={}, comment="")))
    passed, after_moves = 0, len(nodes)
    for index, node in enumerate(nodes):
        names = [short_name(name) for name in re.sub(_TOKEN, " ", node).split()]
        if any(name in _MOVES for name in names):
            passed, after_moves = passed + 1, len(nodes)
        elif _EVENT in names:
            after_moves = min(after_moves, index)
        if passed > count:
            return nodes[index:]
    was_played = record.game.events[: len(game.events)] == game.events
    return [] if was_played else nodes[after_moves:]


def _write(root: _Twig) -> list[str]:
    """Return the variations that begin at a twig, each without its outer parentheses."""
    return [f";{node}{_write_on(twig)}" for node, twig in root.items()]


def _write_on(twig: _Twig) -> str:
    written = ""
    # This is a loop, because recursion would be too deep for a long line without branches.
    while len(twig) == 1:
        ((node, twig),) = twig.items()
        written += f"\n;{node}"
    return written + "".join(f"\n({each})" for each in _write(twig))


@dataclass(slots=True)
class _OpenTree:
    """An open parenthesis; `is_main` is True if it is on the main line."""

    is_main: bool
    has_nodes: bool = False
    has_trees: bool = False


def _insert(text: str, count: int, variations: str) -> str:
    """Insert variations as alternatives to move `count` + 1 of the main line, or to the events after its last move."""
    trees: list[_OpenTree] = []
    moves, node_at, is_counted, end = 0, 0, True, 0
    target: tuple[int, _OpenTree, bool] | None = None
    # The first node with events after the last move.
    after_moves: tuple[int, _OpenTree, bool] | None = None
    starts_tree = False
    for token in _TOKEN.finditer(text, text.index("(")):
        mark = token[0]
        if mark == "(":
            is_main = not trees or (trees[-1].is_main and not trees[-1].has_trees)
            if trees:
                trees[-1].has_trees = True
            trees.append(_OpenTree(is_main))
        elif mark == ")":
            tree = trees.pop()
            target = target or (after_moves if tree.is_main else None)
            if tree.is_main and (target is None or tree is target[1]):
                return _put(text, token.start(), target, variations)
        elif mark == ";" and trees[-1].is_main:
            node_at, is_counted, starts_tree = token.start(), False, not trees[-1].has_nodes
            trees[-1].has_nodes = True
        elif trees[-1].is_main and not is_counted:
            name = _NAME.search(text, end, token.start())
            if name is not None and name[1] == _EVENT and moves and after_moves is None:
                after_moves = node_at, trees[-1], starts_tree
            if name is not None and short_name(name[1]) in _MOVES:
                moves, is_counted, after_moves = moves + 1, True, None
                if moves == count + 1:
                    target = node_at, trees[-1], starts_tree
        end = token.end()
    raise RecordError("the text ends before its game does")


def _put(text: str, end: int, target: tuple[int, _OpenTree, bool] | None, variations: str) -> str:
    """Insert variations beside the main line from `target` to `end`, or at `end` without a target."""
    if target is None:
        # The main line ends here. An empty node makes it the first of the variations.
        return f"{text[:end]}\n(;){variations}{text[end:]}"
    start, _, starts_tree = target
    if starts_tree:
        return text[: end + 1] + variations + text[end + 1 :]
    return f"{text[:start]}({text[start:end]}){variations}{text[end:]}"
