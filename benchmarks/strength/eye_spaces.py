"""Find out exactly how often a surrounded group lives in Aléago, and in Go.

    python -m benchmarks.strength.eye_spaces [--points 3 4 5 6] [SPEC ...]

A black chain encloses some connected empty points and has no other liberties; the white stones around it are safe.
Each side may play there or pass, and nothing else is at stake: every line of the board has another point to play, and
White may try as long as the game allows. The group lives unless White captures it. Every such space on the board
counts once. A retaken ko waits for a turn, as without ko threats.

Without dice, best play decides: a space is dead, alive, or unsettled if the first move decides. With dice, the program
computes the chance of life with best play of both sides, by value iteration. Printed are, by number of points and what
a space is without dice, the number of spaces and the chances of life in per cent, White first and Black first.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import gtp_variants as gv
from gtp_variants.rules.games.aleago import AleagoRules

SPECS = ("aleago:size=9", "aleago:size=13")
# Value iteration ends when no chance changes by more than this.
EXACT = 1e-6
Space = tuple[int, ...]
# The stones on the points of a space, and the index of the point that a ko forbids, or -1.
Inside = tuple[tuple[int, ...], int]
Chances = tuple[float, float]
# Place of the captured group among the successors of all states; other states follow.
CAPTURED = 0


class Shape:
    """The moves in a space.

    `near` has the neighbours of each point of the space, and last those of the chain around it, which counts as one
    more point. `after[state, move]` is the state after a move, -1 if it is illegal; the last move is a pass. State 1 is
    the empty space with White to play, 2 with Black. `is_white` says where White is to play.
    """

    def __init__(self, near: tuple[tuple[int, ...], ...]) -> None:
        self._near = near
        empty: Inside = (*[gv.EMPTY] * (len(near) - 1), gv.BLACK), -1
        states = {(empty, gv.WHITE): CAPTURED + 1, (empty, gv.BLACK): CAPTURED + 2}
        rows = [[CAPTURED] * len(near)]
        waiting = list(states)
        for inside, mover in waiting:
            rows.append([])
            for move in (*range(len(near) - 1), gv.PASS):
                after = (inside[0], -1) if move == gv.PASS else self._play(*inside, mover, move)
                if after is None or not after[0][-1]:
                    rows[-1].append(-1 if after is None else CAPTURED)
                    continue
                state = after, gv.BLACK + gv.WHITE - mover
                if state not in states:
                    states[state] = len(states) + 1
                    waiting.append(state)
                rows[-1].append(states[state])
        self.after = np.array(rows)
        self.is_white = np.array([False, *(mover == gv.WHITE for _, mover in waiting)])

    def _play(self, stones: tuple[int, ...], ko: int, mover: int, move: int) -> Inside | None:
        """Return what a stone leads to, or None if it is illegal."""
        if stones[move] or move == ko:
            return None
        after = [*stones[:move], mover, *stones[move + 1 :]]
        beside = [near for near in self._near[move] if after[near] == gv.BLACK + gv.WHITE - mover]
        taken = {point for near in beside for point in self._without_liberties(after, near)}
        for point in taken:
            after[point] = gv.EMPTY
        if self._without_liberties(after, move):
            return None
        is_ko = len(taken) == 1 and all(after[near] != mover for near in self._near[move])
        is_ko = is_ko and sum(after[near] == gv.EMPTY for near in self._near[move]) == 1
        return tuple(after), min(taken) if is_ko else -1

    def _without_liberties(self, stones: Sequence[int], start: int) -> list[int]:
        """Return the points of a chain if it has no liberty, else none."""
        chain = [start]
        for point in chain:
            for near in self._near[point]:
                if stones[near] == gv.EMPTY:
                    return []
                if stones[near] == stones[start] and near not in chain:
                    chain.append(near)
        return chain

    def chances(self, throws: np.ndarray) -> Chances:
        """Return the chance of life if White plays first, and if Black does.

        `throws` says for each throw, all equally likely, which points it opens.
        """
        captured = np.zeros(len(self.after))
        captured[CAPTURED] = 1
        may = np.concatenate([throws, np.ones((len(throws), 1), bool)], axis=1)[:, None, :] & (self.after >= 0)
        change = 1.0
        while change > EXACT:
            values = captured[self.after]
            best = np.where(self.is_white, np.where(may, values, 0).max(2), np.where(may, values, 1).min(2)).mean(0)
            change = float(np.abs(best - captured).max())
            captured = best
        return 1 - float(captured[CAPTURED + 1]), 1 - float(captured[CAPTURED + 2])


_shape = cache(Shape)


@dataclass(frozen=True, slots=True)
class SolvedSpace:
    """The chances of life, White first and Black first, without and with dice; `count` spaces are alike by symmetry."""

    count: int
    plain: Chances
    diced: Chances

    @property
    def kind(self) -> str:
        """The status of the space without dice: dead, unsettled or alive."""
        return "unsettled" if self.plain[0] < self.plain[1] else "alive" if self.plain[0] else "dead"


def solve(rules: AleagoRules, points: int) -> Iterator[SolvedSpace]:
    """Yield the spaces of a number of points on a board."""
    for space, count in spaces(rules, points):
        shape, throws = shape_of(rules, space), find_throws(rules, space)
        yield SolvedSpace(count, shape.chances(np.ones((1, points), bool)), shape.chances(throws))


def spaces(rules: gv.Rules[Any], points: int) -> Iterator[tuple[Space, int]]:
    """Yield connected sets of points, one of those that symmetries of the board make equal, with their number."""
    found: set[Space] = {(point,) for point in range(len(rules.board))}
    for _ in range(points - 1):
        found = {
            tuple(sorted({*space, near}))
            for space in found
            for point in space
            for near in rules.board.neighbours[point]
            if near not in space
        }
    turns = gv.symmetries(rules).tolist()
    while found:
        space = min(found)
        equal = {tuple(sorted(turn[point] for point in space)) for turn in turns}
        found -= equal
        yield space, len(equal)


def shape_of(rules: gv.Rules[Any], space: Space) -> Shape:
    """Return the shape of a space on a board."""
    around, neighbours = len(space), rules.board.neighbours
    near = [{space.index(each) if each in space else around for each in neighbours[point]} for point in space]
    near.append({index for index, points in enumerate(near) if around in points})
    return _shape(tuple(tuple(sorted(points)) for points in near))


def find_throws(rules: AleagoRules, space: Space) -> np.ndarray:
    """Return for each throw which points of a space it opens."""
    table, dice = rules.line_table, rules.dice
    drawn = [table.drawn_lines(dice, dice.faces(outcome)) for outcome in table.outcomes(dice)]
    return np.array([[rules.lines[point] in lines for point in space] for lines in drawn])


def report(found: Sequence[SolvedSpace]) -> Iterator[str]:
    """Yield a line for each kind of space, and one for all."""
    for kind in ("dead", "unsettled", "alive", "all"):
        chosen = [each for each in found if kind in (each.kind, "all")]
        number = sum(each.count for each in chosen)
        if not chosen:
            continue
        texts = []
        for name, chances in (("Go", [each.plain for each in chosen]), ("Aléago", [each.diced for each in chosen])):
            weighted = [(100 * each.count / number, both) for each, both in zip(chosen, chances, strict=True)]
            first, second = (sum(weight * both[side] for weight, both in weighted) for side in (0, 1))
            texts.append(f"{name} {first:5.1f} {second:5.1f}")
        yield f"{kind:9} {number:6} spaces: " + ", ".join(texts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=SPECS, metavar="SPEC", help="of Aléago; 9x9 and 13x13 by default")
    parser.add_argument("--points", nargs="+", type=int, default=[3, 4, 5, 6])
    options = parser.parse_args(arguments)
    for spec in options.specs:
        rules = gv.parse(spec)
        if not isinstance(rules, AleagoRules):
            parser.error(f"{spec}: expected a SPEC of aleago")
        for points in options.points:
            found: list[SolvedSpace] = []
            for each in solve(rules, points):
                found.append(each)
                sys.stderr.write(f"\r{spec}, {points} points: {len(found)} spaces ")
            sys.stderr.write("\n")
            for line in report(found):
                print(f"{spec} {points} points, {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
