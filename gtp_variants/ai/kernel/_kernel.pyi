"""Types of the C++ kernel; `kernel/binding/binding.cpp` defines it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gtp_variants.base.interruption import ShouldStop

class KernelRules:
    def __init__(self, facts: Mapping[str, Any]) -> None: ...

class KernelState:
    stones: bytes
    mover: int
    turn: int
    passes: int
    komi: float
    button: int
    last: tuple[int, int] | None
    earlier: list[int]
    captured: Sequence[int]
    taken: Sequence[int]
    out: Sequence[tuple[int, int]]
    dead: Sequence[int]
    settled: bool
    tried: Sequence[int]
    seen: Sequence[int]
    tries: int
    dice: tuple[int, int]
    draws: Sequence[int]
    casts: tuple[int, int]
    final: bool
    passes_left: int
    def __init__(self, rules: KernelRules, stones: bytes, to_play: int = -1) -> None: ...
    @property
    def effective_komi(self) -> float: ...
    @property
    def to_play(self) -> int: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def suspended(self) -> bool: ...
    @property
    def hash(self) -> tuple[int, int]: ...
    @property
    def ko(self) -> int: ...
    @property
    def boards_seen(self) -> int: ...
    def mask(self) -> bytes: ...
    def actions(self) -> list[int]: ...
    def legal(self) -> list[int]: ...
    def open_lines(self) -> list[int] | None: ...
    def outcome(self) -> tuple[int, str, float] | None: ...
    def area(self) -> list[int]: ...
    def occurrences(self) -> int: ...
    def play(self, action: int, actor: int = -1) -> str: ...
    def copy(self) -> KernelState: ...
    def forget(self) -> None: ...
    def remember(self, key: bytes, count: int) -> None: ...
    def end(self, winner: int, how: str) -> None: ...
    def set_before(self, stones: bytes) -> None: ...

class KernelEncoder:
    def __init__(self, rules: KernelRules, flags: Sequence[float]) -> None: ...
    @property
    def scales(self) -> bytes: ...
    @property
    def global_count(self) -> int: ...
    def encode(
        self,
        state: KernelState,
        viewer: int,
        planes: NDArray[np.uint8] | memoryview,
        globals: NDArray[np.float32] | memoryview,
    ) -> None: ...

class KernelCounts:
    """The wins of playouts by colour in turn order, the draws, and the total number of turns."""

    @property
    def wins(self) -> list[int]: ...
    @property
    def draws(self) -> int: ...
    @property
    def turns(self) -> int: ...

def playouts(state: KernelState, n: int, seed: int, threads: int, first: int = 0) -> KernelCounts: ...
def trace(
    state: KernelState,
    seed: int,
    index: int,
    tactics: bool = False,
    atari: bool = False,
    shapes: bool = False,
    obliged: bool = False,
) -> list[int]: ...
def check_playout_board(
    state: KernelState,
    seed: int,
    index: int,
    tactics: bool = False,
    atari: bool = False,
    shapes: bool = False,
    obliged: bool = False,
) -> str: ...

class KernelLine:
    """A move and its continuation, with the visits of each move."""

    @property
    def moves(self) -> list[int]: ...
    @property
    def visits(self) -> list[int]: ...

class KernelScore:
    """The first colour's lead at the end of playouts, in points."""

    @property
    def mean(self) -> float: ...
    @property
    def deviation(self) -> float: ...

class KernelResult:
    """The result of a search by playouts; see `SearchResult`."""

    @property
    def action(self) -> int: ...
    @property
    def visits(self) -> list[tuple[int, int]]: ...
    @property
    def shares(self) -> list[tuple[int, float]]: ...
    @property
    def priors(self) -> list[tuple[int, float]]: ...
    @property
    def lines(self) -> list[tuple[int, KernelLine]]: ...
    @property
    def scores(self) -> list[tuple[int, KernelScore]]: ...
    @property
    def score(self) -> KernelScore | None: ...
    @property
    def values(self) -> list[float]: ...
    @property
    def ownership(self) -> list[float]: ...
    @property
    def principal_variation(self) -> list[int]: ...
    @property
    def playouts(self) -> int: ...
    @property
    def turns(self) -> int: ...
    @property
    def proved(self) -> int: ...

class KernelSearch:
    """A search by playouts that keeps its tree from move to move; see `KernelTree`."""

    def go_on(self, state: KernelState, moves: Sequence[int] | None) -> None: ...
    def think(self, limits: Mapping[str, Any], should_stop: ShouldStop | None = None) -> KernelResult: ...
    def so_far(self) -> KernelResult: ...
    def ponder(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def is_pondering(self) -> bool: ...

def make_search(
    state: KernelState, settings: Mapping[str, Any], avoided: Sequence[tuple[int, int, int]] = (), target: int = -1
) -> KernelSearch: ...

class KernelGame:
    """A game for a learner; see `PlainGame`."""

    def __init__(self, rules: KernelRules, seed: int, number: int, throws_dice: bool) -> None: ...
    @property
    def to_play(self) -> int: ...
    @property
    def played(self) -> list[int]: ...
    def play(self, action: int) -> bool: ...
    def outcome(self) -> tuple[int, str, float] | None: ...
    def actions(self) -> list[int]: ...
    def mask(self, out: NDArray[np.bool_]) -> None: ...
    def encode(
        self, encoder: KernelEncoder, planes: NDArray[np.uint8] | NDArray[np.float32], globals: NDArray[np.float32]
    ) -> None: ...
    def copy(self) -> KernelGame: ...

class KernelBatch:
    """Many games stepped together; see `PlainBatch`."""

    def __init__(
        self,
        rules: KernelRules,
        encoder: KernelEncoder,
        seed: int,
        threads: int,
        throws_dice: bool,
        planes: NDArray[np.uint8] | NDArray[np.float32],
        globals: NDArray[np.float32],
        mask: NDArray[np.bool_],
        to_play: NDArray[np.int8],
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
    ) -> None: ...
    def reset(self) -> None: ...
    def step(self, indices: NDArray[np.int32]) -> int: ...
    def actions(self, game: int) -> list[int]: ...
    def ended_actions(self, game: int) -> list[int]: ...

class KernelOwnerSums:
    """Sums of each point's owner over leaves; see `mcts.result.OwnerSums`."""

    @property
    def count(self) -> int: ...
    @property
    def sums(self) -> list[float]: ...
    @property
    def squares(self) -> list[float]: ...

class KernelPuctResult:
    """The result of a search with an evaluator; see `SearchResult`."""

    @property
    def action(self) -> int: ...
    @property
    def visits(self) -> list[tuple[int, int]]: ...
    @property
    def values(self) -> list[float]: ...
    @property
    def principal_variation(self) -> list[int]: ...
    @property
    def playouts(self) -> int: ...
    @property
    def turns(self) -> int: ...
    @property
    def shares(self) -> list[tuple[int, float]]: ...
    @property
    def utility(self) -> float | None: ...
    @property
    def utilities(self) -> list[tuple[int, tuple[float, float]]]: ...
    @property
    def priors(self) -> list[tuple[int, float]]: ...
    @property
    def lines(self) -> list[tuple[int, list[int]]]: ...
    @property
    def policy(self) -> list[tuple[int, float]]: ...
    @property
    def line_visits(self) -> list[tuple[int, list[int]]]: ...
    @property
    def proved(self) -> int: ...
    @property
    def score(self) -> float | None: ...
    @property
    def score_stdev(self) -> float: ...
    @property
    def scores(self) -> list[tuple[int, tuple[float, float]]]: ...
    @property
    def ownership(self) -> list[float]: ...
    @property
    def owners(self) -> list[tuple[int | None, KernelOwnerSums]]: ...

class KernelPuct:
    """The tree of a search with an evaluator; see `mcts.kernel_puct.KernelPuctTree`."""

    def __init__(
        self, state: KernelState, settings: Mapping[str, Any], avoided: Sequence[tuple[int, int, int]]
    ) -> None: ...
    def go_on(self, state: KernelState, moves: Sequence[int] | None) -> None: ...
    def begin(self, playouts: int, /) -> None: ...
    def collect(
        self,
        most: int,
        playouts: int,
        encoder: KernelEncoder,
        planes: NDArray[np.float32],
        globals: NDArray[np.float32],
        mask: NDArray[np.bool_],
        to_play: NDArray[np.int8],
        first: int,
    ) -> int: ...
    def update(self, priors: NDArray[np.float32], values: NDArray[np.float32], first: int) -> None: ...
    def discard(self) -> None: ...
    def search_evenly(self, batch: int, playouts: int) -> None:
        """Search with an evaluator that finds all moves equal, to measure the cost of the tree alone."""

    def search_network(
        self, network: KernelNetwork, board: KernelNetworkBoard, encoder: KernelEncoder, playouts: int
    ) -> None:
        """Search with a network, without Python. Raises ValueError for a network of another game."""

    def result(self) -> KernelPuctResult: ...
    @property
    def playouts(self) -> int: ...
    @property
    def is_decided(self) -> bool: ...
    @property
    def is_proved(self) -> bool: ...
    def prune(self) -> None: ...
    @property
    def is_full(self) -> bool: ...

class KernelNetworkSearch:
    """A search with a network that keeps its tree; see `mcts.kernel_puct.KernelNetworkTree`."""

    def __init__(
        self,
        state: KernelState,
        settings: Mapping[str, Any],
        avoided: Sequence[tuple[int, int, int]],
        network: KernelNetwork,
        board: KernelNetworkBoard,
        encoder: KernelEncoder,
    ) -> None: ...
    def go_on(self, state: KernelState, moves: Sequence[int] | None) -> None: ...
    def think(self, limits: Mapping[str, Any], should_stop: ShouldStop | None = None) -> KernelPuctResult: ...
    def so_far(self) -> KernelPuctResult: ...
    def ponder(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def is_pondering(self) -> bool: ...

class KernelNetworkBoard:
    """A board as a network sees it: `table` has the taps of each point (off the board: `points`).

    `maps` give where each point goes under each symmetry, the identity first.
    """

    def __init__(self, points: int, taps: int, table: Sequence[int], maps: Sequence[Sequence[int]] = ()) -> None: ...
    @property
    def symmetries(self) -> int: ...

class KernelNetwork:
    """A network of integer weights; see `nets.network.Network`."""

    def __init__(
        self,
        shape: Mapping[str, Any],
        scales: Sequence[int],
        tensors: Mapping[str, bytes],
        instruction_set: str = "",
    ) -> None: ...
    @property
    def instruction_set(self) -> str: ...
    def evaluate(
        self,
        board: KernelNetworkBoard,
        planes: bytes,
        globals: Sequence[float],
        times: int = 1,
        symmetry: int = 0,
    ) -> dict[str, Any]:
        """Evaluate a position; under a symmetry the result is for the transformed board."""

def instruction_sets() -> list[str]: ...
def softmax(logits: Sequence[int], mask: bytes) -> list[float]: ...
def play_games(
    rules: KernelRules,
    network: KernelNetwork,
    board: KernelNetworkBoard,
    encoder: KernelEncoder,
    settings: Mapping[str, Any],
    search: Mapping[str, Any],
    deep_search: Mapping[str, Any],
    first: int,
    count: int,
    threads: int,
) -> dict[str, bytes]:
    """Play games of a network against itself; see `training.self_play.PlayedGames`."""

class KernelSelfPlayBatch:
    """The games of `play_games`, played side by side and judged elsewhere; see `training.pytorch.integer_network`."""

    def __init__(
        self,
        rules: KernelRules,
        shape: Mapping[str, Any],
        encoder: KernelEncoder,
        settings: Mapping[str, Any],
        search: Mapping[str, Any],
        deep_search: Mapping[str, Any],
        first: int,
        count: int,
        rows: int,
        threads: int,
    ) -> None: ...
    def advance(
        self,
        planes: NDArray[np.uint8],
        globals: NDArray[np.float32],
        logits: NDArray[np.int32],
        board: NDArray[np.int32],
    ) -> int: ...
    def games(self) -> dict[str, bytes]: ...

class KernelReplay:
    """Encodes positions of games given as actions; see `training.replay_window.BoardSamples`."""

    def __init__(self, rules: KernelRules, encoder: KernelEncoder, symmetries: Sequence[int], threads: int) -> None: ...
    def read(
        self,
        actions: NDArray[np.int32],
        begins: NDArray[np.int64],
        places: NDArray[np.int32],
        symmetries: NDArray[np.int32],
        before_throws: NDArray[np.uint8],
        planes: NDArray[np.uint8],
        globals: NDArray[np.float32],
        mask: NDArray[np.uint8],
        to_play: NDArray[np.int8],
        hidden: NDArray[np.int8] | None = None,
    ) -> None:
        """Write a row for each position. Raises ValueError for arrays of wrong shapes and illegal actions.

        Games with hidden stones need `hidden`; positions are then the views of the side to move.
        """
