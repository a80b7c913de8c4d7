"""Comments, marks, labels and variations in SGF files: reading them, and adding variations to them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, islice
from operator import itemgetter

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.records.notation import write_move
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.own_format import nodes_of
from gtp_variants.records.sgf.points import MOVES, check_points, move_of, points_of
from gtp_variants.records.sgf.syntax import GameTree, Node, first_game, properties_of, read_node
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

    Remarks on points off the board are left out. Raises RecordError for text that is not SGF or marks too many points.
    """
    game = first_game(text)
    nodes = game.main_line()
    counts = _count_moves(nodes)
    remarks: dict[int, Remark] = {}
    point_count = 0

    def read(name: str, value: str) -> list[int]:
        nonlocal point_count
        found: list[int] = []
        with suppress(RecordError):
            found = points_of(board, name, value)
        point_count += len(found)
        check_points(point_count)
        return found

    for count, pairs in groupby(zip(counts, nodes, strict=True), key=itemgetter(0)):
        remark = _remark([node for _, node in pairs], read)
        if remark is not None:
            remarks[count] = remark
    beside = islice(_variations(game.tree), _MOST_VARIATIONS)
    lines = [_line(counts[after - 1], list(map(read_node, tree.main_line())), board) for after, tree in beside]
    return remarks, [line for line in lines if line.moves]


def _variations(tree: GameTree) -> Iterator[tuple[int, GameTree]]:
    """Yield the variations from the main line, each with the number of nodes of the main line before it."""
    after = len(tree.nodes)
    while tree.trees:
        for beside in tree.trees[1:]:
            yield after, beside
        tree = tree.trees[0]
        after += len(tree.nodes)


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


def _count_moves(nodes: Sequence[Node]) -> list[int]:
    return list(accumulate(int(_has_move(node)) for node in nodes))


def _has_move(node: Node) -> bool:
    return any(name in node for name in MOVES)


def _remark(nodes: Sequence[Node], read: Callable[[str, str], list[int]]) -> Remark | None:
    """Return the remarks of the nodes that show one position, or None; `read` returns the points of a value."""

    def values(name: str) -> Iterator[str]:
        return (value for node in nodes for value in node.get(name, ()))

    comment = "\n".join(filter(None, values("C")))
    marks: dict[str, list[int]] = {}
    for name, mark in MARKS.items():
        if points := dict.fromkeys(point for value in values(name) for point in read(name, value)):
            marks[mark] = list(points)
    labels: dict[int, str] = {}
    for value in values("LB"):
        where, _, label = value.partition(":")
        labels |= dict.fromkeys(read("LB", where), label[:_LONGEST_LABEL])
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


# Properties that are moved out of the root with its move: facts about the move, then its remarks and marks.
_WITH_MOVE = {
    *(*MOVES, "KO", "MN", "BL", "WL", "OB", "OW", "BM", "DO", "IT", "TE"),
    *("C", "N", "DM", "GB", "GW", "HO", "UC", "V", "AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TR", "VW"),
}
# The property that `to_sgf` writes for events other than moves, such as throws, refused tries and resignations.
_EVENT = "EVENT"


# A tree of nodes: the text of each node that may follow -> the tree of the nodes after that node.
_Twig = dict[str, "_Twig"]


def add_variations(text: str, record: Record, tried: Iterable[Game]) -> str:
    """Return the text of a record's file with other games added as variations. Shared moves are written once."""
    by_moves: dict[int, _Twig] = {}
    for game in tried:
        count = _count_common_moves(record.game, game)
        twig = by_moves.setdefault(count, {})
        for node in _nodes_after(record, game, count):
            twig = twig.setdefault(node, {})
    tree = first_game(text).tree
    # Insert from the end to the start, so that numbers of earlier nodes stay valid.
    for count in sorted(filter(by_moves.get, by_moves), reverse=True):
        if not count:
            _free_root(tree)
        tree, end, rest = tree.cut(_find_place(tree, count))
        # If the main line ends here, continue it by an empty node, so that it stays before the variations.
        end.trees[:0] = [rest or GameTree([""]), *_write(by_moves[count])]
    return tree.write() if any(by_moves.values()) else text


def _find_place(tree: GameTree, count: int) -> int:
    """Return the number of nodes before move `count` + 1 of the main line, or before the events after its last move."""
    nodes = list(map(read_node, tree.main_line()))
    counts = _count_moves(nodes)
    after = (i for i, node in enumerate(nodes) if counts[i] == count > 0 and _EVENT in node and not _has_move(node))
    return next((i for i, moves in enumerate(counts) if moves > count), next(after, len(nodes)))


def _free_root(tree: GameTree) -> None:
    """Put any move in the root into a new node, because a root cannot have variations."""
    parts = list(properties_of(tree.nodes[0]))
    if any(name in MOVES for name, _ in parts):
        tree.nodes[:1] = [
            "".join(text for name, text in parts if (name in _WITH_MOVE) is is_with_move)
            for is_with_move in (False, True)
        ]


def _count_common_moves(main: Game, other: Game) -> int:
    count = 0
    for index, (mine, theirs) in enumerate(zip(main.events, other.events, strict=False)):
        if mine != theirs:
            break
        count += mine.actor != CHANCE and mine.action >= PASS and main.is_turn(index)
    return count


def _nodes_after(record: Record, game: Game, count: int) -> list[str]:
    """Return the nodes of a game after its first `count` moves, or [] if the record contains the whole game."""
    nodes = list(nodes_of(replace(record, game=game, times={}, comment="")))
    passed, after_moves = 0, len(nodes)
    for index, text in enumerate(nodes):
        node = read_node(text)
        if _has_move(node):
            passed, after_moves = passed + 1, len(nodes)
        elif _EVENT in node:
            after_moves = min(after_moves, index)
        if passed > count:
            return nodes[index:]
    was_played = record.game.events[: len(game.events)] == game.events
    return [] if was_played else nodes[after_moves:]


def _write(root: _Twig) -> list[GameTree]:
    """Return the variations that begin at a twig."""
    found = []
    for node, twig in root.items():
        nodes = [node]
        # This is a loop, because recursion would be too deep for a long line without branches.
        while len(twig) == 1:
            ((node, twig),) = twig.items()
            nodes.append(node)
        found.append(GameTree(nodes, _write(twig)))
    return found
