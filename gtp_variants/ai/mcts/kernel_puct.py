"""PUCT searches in the kernel; importing this module raises ImportError if the kernel was not built."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gtp_variants.ai.kernel._kernel import KernelNetworkSearch, KernelPuct, KernelPuctResult
from gtp_variants.ai.kernel.states import state_of
from gtp_variants.ai.mcts.kernel_calls import KernelSearchTree, read_result, settings_by_name, tuples_of
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMoves, PuctSettings
from gtp_variants.ai.nets.kernel_network import kernel_encoder, kernel_network, network_board
from gtp_variants.ai.nets.network import Network
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.nets.evaluators import LeafBatch


class KernelPuctTree:
    """The kernel's `LeafTree`; it writes and reads arrays without holding the interpreter's lock."""

    def __init__(self, rules: Rules, position: Position, settings: PuctSettings, avoided: AvoidedMoves) -> None:
        self._rules = rules
        self._encoder = kernel_encoder(rules)
        self._tree = tree = KernelPuct(state_of(rules, position), settings_by_name(settings), tuples_of(avoided))
        self.begin, self.update, self.discard, self.prune = tree.begin, tree.update, tree.discard, tree.prune

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        self._tree.go_on(state_of(self._rules, position), moves)

    def collect(self, most: int, playouts: int, leaves: "LeafBatch", first: int) -> int:
        arrays = leaves.planes, leaves.globals, leaves.mask, leaves.to_play
        return self._tree.collect(most, playouts, self._encoder, *arrays, first)

    @property
    def playouts(self) -> int:
        return self._tree.playouts

    @property
    def is_decided(self) -> bool:
        return self._tree.is_decided

    @property
    def is_proved(self) -> bool:
        return self._tree.is_proved

    @property
    def is_full(self) -> bool:
        return self._tree.is_full

    def result(self) -> SearchResult:
        """Return the result so far; before the evaluator's first answer its move is a pass."""
        return _result_of(self._tree.result())


class KernelNetworkTree(KernelSearchTree[KernelPuctResult]):
    """A search in the kernel with a network that has been adapted to the game: see `nets.adaptation`."""

    def __init__(
        self, rules: Rules, position: Position, settings: PuctSettings, avoided: AvoidedMoves, network: Network
    ) -> None:
        asked = state_of(rules, position), settings_by_name(settings), tuples_of(avoided)
        board = network_board(rules, settings.symmetries)
        search = KernelNetworkSearch(*asked, kernel_network(network), board, kernel_encoder(rules))
        super().__init__(rules, search, lambda found: _result_of(found).calibrate(settings.calibration))


def _result_of(found: KernelPuctResult) -> SearchResult:
    return replace(
        read_result(found),
        utility=found.utility,
        utilities=dict(found.utilities),
        lines={move: tuple(line) for move, line in found.lines},
        line_visits={move: tuple(visits) for move, visits in found.line_visits},
        policy=dict(found.policy),
        score=found.score,
        score_stdev=None if found.score is None else found.score_stdev,
        scores=dict(found.scores),
        leaf_owners=dict(found.owners),
    )
