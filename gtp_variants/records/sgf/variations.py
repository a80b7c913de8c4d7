"""Variations written into a file: what was tried of a game goes beside its moves, and the rest of the text stays.

What a file says beside its moves: comments, marks, letters on points, and what might have been played instead.
"""

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


# Values, whatever is in them, and what gives a file its shape.
_TOKEN = re.compile(r"\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]|[();]", re.DOTALL)
_NAME = re.compile(r"([A-Za-z]+)\s*\Z")
_MOVES = ("B", "W", "R")
_PROPERTY = re.compile(r"\s*([A-Za-z0-9]+)\s*((?:\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]\s*+)++)", re.DOTALL)
_BEGINNING = re.compile(r"\(\s*;?")
# What goes with a move that is taken out of a root: its own properties, then what is said and drawn of its moment.
_WITH_MOVE = {
    *(*_MOVES, "KO", "MN", "BL", "WL", "OB", "OW", "BM", "DO", "IT", "TE"),
    *("C", "N", "DM", "GB", "GW", "HO", "UC", "V", "AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TR", "VW"),
}
# What happened without a move, as `to_sgf` writes it: a throw, a refused try, a resignation.
_EVENT = "EVENT"


@dataclass(slots=True)
class _Twig:
    """A node with those that may follow it, by their texts."""

    following: "dict[str, _Twig]" = field(default_factory=dict)


def add_variations(text: str, record: Record, tried: Iterable[Game]) -> str:
    """The text of a record's file with games beside it that begin as its game did; what they share is written once.

    Raises RecordError for a text that is not the record's.
    """
    by_moves: dict[int, _Twig] = {}
    for game in tried:
        count = _count_common_moves(record.game, game)
        _graft(by_moves.setdefault(count, _Twig()), _nodes_after(record, game, count))
    # What comes last goes in first, so that nothing moves under what is still to come.
    for count in sorted(by_moves, reverse=True):
        twigs = _write(by_moves[count])
        if twigs:
            text = text if count else _free_root(text)
            text = _insert(text, count, "".join(f"\n({twig})" for twig in twigs))
    return text


def _free_root(text: str) -> str:
    """The text with a move of its root in a node of its own, as nothing can stand beside a root."""
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
    """The nodes of a game after its first so many moves."""
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


def _graft(twig: _Twig, nodes: Sequence[str]) -> None:
    for node in nodes:
        twig = twig.following.setdefault(node, _Twig())


def _write(root: _Twig) -> list[str]:
    """The variations that begin at a twig, each without the parentheses around it."""
    return [f";{node}{_write_on(twig)}" for node, twig in root.following.items()]


def _write_on(twig: _Twig) -> str:
    written = ""
    # A line without other ways is walked, not climbed: it may be longer than functions may call each other.
    while len(twig.following) == 1:
        ((node, twig),) = twig.following.items()
        written += f"\n;{node}"
    return written + "".join(f"\n({each})" for each in _write(twig))


@dataclass(slots=True)
class _OpenTree:
    """An open parenthesis of the main line or beside it."""

    is_main: bool
    has_nodes: bool = False
    has_trees: bool = False


def _insert(text: str, count: int, variations: str) -> str:
    """The text with variations beside the main line's move number `count` + 1, or what followed its last move."""
    trees: list[_OpenTree] = []
    moves, node_at, is_counted, end = 0, 0, True, 0
    target: tuple[int, _OpenTree, bool] | None = None
    # The node without a move in which more happened after the last one.
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
    """The variations before the parenthesis at `end`, or, where the move begins that parenthesis, after it."""
    if target is None:
        # What comes first is the game, and it ends here.
        return f"{text[:end]}\n(;){variations}{text[end:]}"
    start, _, starts_tree = target
    if starts_tree:
        return text[: end + 1] + variations + text[end + 1 :]
    return f"{text[:start]}({text[start:end]}){variations}{text[end:]}"
