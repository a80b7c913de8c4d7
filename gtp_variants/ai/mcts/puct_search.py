"""Search with an evaluator: the leaves of one or more trees are collected and judged in batches."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts.plain.ponderer import BETWEEN_ASKING_S, BETWEEN_LOOKS, ONLY_MOVE, Ponderer, is_enough
from gtp_variants.ai.mcts.plain.puct import PuctTree
from gtp_variants.ai.mcts.result import OnProgress, SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMoves, PuctSettings, SearchLimits
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.evaluators import Evaluator, Floats, LeafBatch, batch_of, judge
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

_NO_LIMIT = 2**62


class LeafTree(Protocol):
    """A search tree that hands out its leaves: `plain.puct.PuctTree` or `kernel_puct.KernelPuctTree`.

    `begin` resets the count of `playouts`; its argument is the number of playouts to follow, 0 if unknown. `collect`
    writes up to `most` leaves into rows from `first` on, making at most `playouts` playouts, and returns the number of
    rows. `update` backs up the evaluator's answers in the same rows; `discard` drops the leaves instead. `prune` frees
    half of the memory, dropping the least visited nodes first. `is_decided` is True if the root leaves no choice,
    `is_proved` if the result is certain.
    """

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None: ...
    def begin(self, playouts: int) -> None: ...
    def collect(self, most: int, playouts: int, leaves: LeafBatch, first: int) -> int: ...
    def update(self, priors: Floats, values: Floats, first: int) -> None: ...
    def discard(self) -> None: ...
    def result(self) -> SearchResult: ...
    @property
    def playouts(self) -> int: ...
    def prune(self) -> None: ...
    @property
    def is_decided(self) -> bool: ...
    @property
    def is_proved(self) -> bool: ...
    @property
    def is_full(self) -> bool: ...


@dataclass(slots=True)
class TreeShare:
    """One tree of a search, the weight of its position, and the number of playouts it should get."""

    tree: LeafTree
    weight: int = 1
    playouts: int = _NO_LIMIT
    stop_early: bool = False

    @property
    def left(self) -> int:
        """The number of playouts left to make; 0 if the tree is full or more playouts would change nothing."""
        tree = self.tree
        if tree.is_proved or tree.is_full or (self.stop_early and tree.is_decided and tree.playouts >= ONLY_MOVE):
            return 0
        return max(0, self.playouts - tree.playouts)

    def make_room(self) -> None:
        """Drop the least visited nodes if the memory is used up."""
        if self.tree.is_full:
            self.tree.prune()


class EvaluatorLoop:
    """Queries an evaluator repeatedly, each time with one batch of leaves from all trees.

    With a `view`, there is a tree for each of several positions that agree with the view; otherwise there is a single
    tree. Raises ConfigError if the evaluator's `batch` is invalid.
    """

    def __init__(self, rules: Rules, settings: PuctSettings, evaluator: Evaluator, view: View | None = None) -> None:
        self._rules, self._view = rules, view
        most = batch_of(evaluator)
        self._colours = len(rules.colours)
        self._settings = settings
        self._evaluator = evaluator
        self.encoder = Encoder(rules)
        self._rows = min(settings.batch or most, most)
        self._leaves = LeafBatch.allocate(self.encoder, self._rows)
        # The sums of the evaluator's ownership and scores, with the number of positions that each sum covers.
        self._sums: dict[str, tuple[Floats, int]] = {}

    def run(
        self, trees: Sequence[tuple[LeafTree, int]], limits: SearchLimits, on_progress: OnProgress | None
    ) -> SearchResult:
        """Search all trees in proportion to their weights, until a limit is reached or `on_progress` returns False."""
        clock = time.thread_time if limits.cpu_time else time.monotonic
        begun, asked, looked = clock(), time.monotonic(), 0
        shares = _divide(trees, limits)
        self._sums.clear()
        while self.run_once(shares):
            for share in shares:
                share.make_room()
            took_s = clock() - begun if limits.seconds > 0 else 0.0
            looks = sum(share.tree.playouts for share in shares) // BETWEEN_LOOKS
            if (limits.stop_early and looks > looked) or 0 < limits.seconds <= took_s:
                looked = looks
                so_far = self._so_far(shares)
                if is_enough(limits, so_far.visits.values(), so_far.playouts, took_s, True):
                    break
            if on_progress is not None and time.monotonic() - asked >= BETWEEN_ASKING_S:
                if not on_progress(partial(self._result, shares)):
                    break
                asked = time.monotonic()
        return self._result(shares)

    def run_once(self, shares: Sequence[TreeShare]) -> bool:
        """Collect one batch of leaves and have it judged; return False if there is nothing left to do."""
        # The trees that are furthest behind their share come first.
        active = sorted((each for each in shares if each.left), key=lambda each: each.tree.playouts / each.weight)
        rows, weight = 0, sum(share.weight for share in active)
        collected: list[tuple[LeafTree, int]] = []
        try:
            for share in active:
                most = min(self._rows - rows, max(1, self._rows * share.weight // weight))
                if most > 0:
                    collected.append((share.tree, rows))
                    rows += share.tree.collect(most, share.left, self._leaves, rows)
            if rows:
                judgement = judge(self._evaluator, self._leaves.first(rows), self._colours)
                for tree, first in collected:
                    tree.update(judgement.priors, judgement.values, first)
                for name, numbers in judgement.extras.items():
                    before, count = self._sums.get(name, (0 * numbers[0], 0))
                    self._sums[name] = before + numbers.sum(axis=0), count + rows
        except BaseException:
            for tree, _ in collected:
                tree.discard()
            raise
        return bool(active)

    def _so_far(self, shares: Sequence[TreeShare]) -> SearchResult:
        found = [share.tree.result().calibrate(self._settings.calibration) for share in shares]
        return found[0] if self._view is None else SearchResult.merge(found, self._rules, self._view)

    def _result(self, shares: Sequence[TreeShare]) -> SearchResult:
        found = self._so_far(shares)
        means = {name: total / count for name, (total, count) in self._sums.items()}
        ownership = tuple(map(float, means["ownership"])) if "ownership" in means else ()
        return replace(found, ownership=ownership, score=float(means["score"]) if "score" in means else None)


def _divide(trees: Sequence[tuple[LeafTree, int]], limits: SearchLimits) -> list[TreeShare]:
    """Divide the playouts (0: no limit) among the trees, and start each tree with room to grow."""
    playouts = limits.playouts
    shares, weight_left, playouts_left = [], sum(weight for _, weight in trees), playouts
    for tree, weight in trees:
        part = playouts_left * weight // weight_left
        tree.begin(part)
        shares.append(TreeShare(tree, weight, part if playouts else _NO_LIMIT, limits.stop_early))
        shares[-1].make_room()
        weight_left, playouts_left = weight_left - weight, playouts_left - part
    return shares


class PuctSearch:
    """A search with an evaluator, in Python or in the kernel, as a `SearchTree`."""

    def __init__(
        self, rules: Rules, position: Position, settings: PuctSettings, avoided: AvoidedMoves, evaluator: Evaluator
    ) -> None:
        self._loop = EvaluatorLoop(rules, settings, evaluator)
        self._tree = make_tree(rules, position, settings, avoided, self._loop.encoder)
        self._ponderer = Ponderer(self._ponder_once)
        self.stop = self._ponderer.stop

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        self.stop()
        self._tree.go_on(position, moves)

    def think(self, limits: SearchLimits, on_progress: OnProgress | None = None) -> SearchResult:
        self.stop()
        self._ponderer.raise_error()
        return self._loop.run([(self._tree, 1)], limits, on_progress)

    def ponder(self) -> None:
        """Search in the background; the next `think` raises any exception that the evaluator raised."""
        self.stop()
        self._tree.begin(0)
        self._ponderer.start()

    @property
    def is_pondering(self) -> bool:
        return self._ponderer.is_running

    def _ponder_once(self) -> bool:
        return self._loop.run_once([TreeShare(self._tree)])


def make_tree(
    rules: Rules, position: Position, settings: PuctSettings, avoided: AvoidedMoves, encoder: Encoder
) -> LeafTree:
    """Return a tree for a position that is not final; the tree is in the kernel if the kernel knows the game."""
    if search_backend(rules) == "python":
        return PuctTree(rules, position, settings, avoided, encoder)
    from gtp_variants.ai.mcts.kernel_puct import KernelPuctTree

    return KernelPuctTree(rules, position, settings, avoided)
