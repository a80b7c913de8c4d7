"""Searches with an evaluator in the C++ kernel: a tree of leaves for an evaluator, and a search with a network.

Importing this raises ImportError where the kernel was not built.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gtp_variants.ai.kernel._kernel import (
    KernelNetworkSearch,
    KernelPuct,
    KernelPuctResult,
)
from gtp_variants.ai.kernel.states import state_of
from gtp_variants.ai.mcts.kernel_calls import KernelSearchTree, settings_by_name, tuples_of
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMove, PuctSettings
from gtp_variants.ai.nets.kernel_encoder import kernel_encoder
from gtp_variants.ai.nets.kernel_network import kernel_network, network_board
from gtp_variants.ai.nets.network import Network
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.nets.evaluators import Floats, LeafBatch


class KernelPuctTree:
    """The tree of one game: leaves are written into arrays, without the interpreter's lock, and their values read."""

    def __init__(
        self, rules: Rules, position: Position, settings: PuctSettings, avoided: Sequence[AvoidedMove]
    ) -> None:
        self._rules = rules
        self._encoder = kernel_encoder(rules)
        self._tree = KernelPuct(state_of(rules, position), settings_by_name(settings), tuples_of(avoided))

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        """Go on to a position that lies so many moves ahead of the one before, or, without them, to any one anew."""
        self._tree.go_on(state_of(self._rules, position), moves)

    def begin(self, playouts: int) -> None:
        """Count playouts anew; `playouts` is how many there will be, 0 if nobody knows."""
        self._tree.begin(playouts)

    def collect(self, most: int, playouts: int, leaves: "LeafBatch", first: int) -> int:
        """Write up to so many leaves into rows from `first` on, in at most so many playouts; answers how many rows."""
        arrays = leaves.planes, leaves.globals, leaves.mask, leaves.to_play
        return self._tree.collect(most, playouts, self._encoder, *arrays, first)

    def update(self, priors: "Floats", values: "Floats", first: int) -> None:
        """Bring back what the evaluator said about the leaves; theirs are the rows from `first` on."""
        self._tree.update(priors, values, first)

    def discard(self) -> None:
        """Forget the leaves that were collected: nobody will answer."""
        self._tree.discard()

    @property
    def playouts(self) -> int:
        """How many were made since `begin`."""
        return self._tree.playouts

    @property
    def is_decided(self) -> bool:
        """Whether there is no choice at the root, or it was proved who wins."""
        return self._tree.is_decided

    @property
    def is_proved(self) -> bool:
        """Whether it was proved who wins, or that nobody does."""
        return self._tree.is_proved

    def prune(self) -> None:
        """Give back the moves of the nodes that were visited least, until half of the memory is free."""
        self._tree.prune()

    @property
    def is_full(self) -> bool:
        """Whether it takes as much memory as it may."""
        return self._tree.is_full

    def result(self) -> SearchResult:
        """What was found so far; before the first answer a pass and nothing else."""
        return _result_of(self._tree.result())


class KernelNetworkTree(KernelSearchTree[KernelPuctResult]):
    """A search with a network, without Python and without numpy.

    `network` must be one that fits the game: see `nets.adaptation`.
    """

    def __init__(
        self, rules: Rules, position: Position, settings: PuctSettings, avoided: Sequence[AvoidedMove], network: Network
    ) -> None:
        search = KernelNetworkSearch(
            state_of(rules, position),
            settings_by_name(settings),
            tuples_of(avoided),
            kernel_network(network),
            network_board(rules, settings.symmetries),
            kernel_encoder(rules),
        )
        super().__init__(rules, search, lambda found: _result_of(found).calibrate(settings.calibration))


def _result_of(found: KernelPuctResult) -> SearchResult:
    return SearchResult(
        action=found.action,
        visits=dict(found.visits),
        values=tuple(found.values),
        principal_variation=tuple(found.principal_variation),
        playouts=found.playouts,
        turns=found.turns,
        shares=dict(found.shares),
        priors=dict(found.priors),
        proved={1: True, -1: False}.get(found.proved),
        lines={move: tuple(line) for move, line in found.lines},
        line_visits={move: tuple(visits) for move, visits in found.line_visits},
        policy=dict(found.policy),
        ownership=tuple(found.ownership),
        score=found.score,
        score_stdev=None if found.score is None else found.score_stdev,
        scores=dict(found.scores),
        leaf_owners=dict(found.owners),
    )
