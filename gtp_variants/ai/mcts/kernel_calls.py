"""Searches by playouts in the kernel; importing this module raises ImportError if the kernel was not built."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Generic, Protocol, TypeVar

from gtp_variants.ai.kernel._kernel import KernelPuctResult, KernelResult, KernelState, make_search, playouts
from gtp_variants.ai.kernel.states import state_of
from gtp_variants.ai.mcts.result import OnProgress, PlayoutCounts, SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMoves, SearchLimits, SearchSettings
from gtp_variants.base.interruption import ShouldStop
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

Found = TypeVar("Found", covariant=True)


def count_playouts(rules: Rules, position: Position, n: int, seed: int, threads: int) -> PlayoutCounts:
    """Count the outcomes of `n` playouts."""
    counts = playouts(state_of(rules, position), n, seed, threads)
    return PlayoutCounts(counts.wins, counts.draws, counts.turns)


class _Search(Protocol[Found]):
    """The interface of the kernel's searches."""

    @property
    def is_pondering(self) -> bool: ...
    def go_on(self, state: KernelState, moves: Sequence[int] | None) -> None: ...
    def think(self, limits: dict[str, object], should_stop: ShouldStop | None = None) -> Found: ...
    def so_far(self) -> Found: ...
    def ponder(self) -> None: ...
    def stop(self) -> None: ...


class KernelSearchTree(Generic[Found]):
    """A search in the kernel, as a `SearchTree`; `read` converts its results."""

    def __init__(self, rules: Rules, search: _Search[Found], read: Callable[[Found], SearchResult]) -> None:
        self._rules, self._search, self._read = rules, search, read
        self.ponder, self.stop = search.ponder, search.stop

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        self._search.go_on(state_of(self._rules, position), moves)

    def think(self, limits: SearchLimits, on_progress: OnProgress | None = None) -> SearchResult:
        read, search = self._read, self._search
        should_stop = None if on_progress is None else lambda: not on_progress(lambda: read(search.so_far()))
        return read(search.think(settings_by_name(limits), should_stop=should_stop))

    @property
    def is_pondering(self) -> bool:
        return self._search.is_pondering


class KernelTree(KernelSearchTree[KernelResult]):
    """A search without a network in the kernel; `plain.tree.PlainTree` is its twin in Python."""

    def __init__(
        self,
        rules: Rules,
        position: Position,
        settings: SearchSettings,
        avoided: AvoidedMoves = (),
        target: int | None = None,
    ) -> None:
        aim = -1 if target is None else target
        search = make_search(state_of(rules, position), settings_by_name(settings.reduced), tuples_of(avoided), aim)
        super().__init__(rules, search, _result_of)


def tuples_of(avoided: AvoidedMoves) -> list[tuple[int, int, int]]:
    """Return moves to avoid as the kernel expects them: tuples (colour, move, depth)."""
    return [(each.colour, each.move, each.until_depth) for each in avoided]


def settings_by_name(settings: SearchLimits) -> dict[str, object]:
    """Return settings as a dict. `dataclasses.asdict` is not used, because it takes as long as many playouts."""
    return {field.name: getattr(settings, field.name) for field in fields(settings)}


def read_result(found: KernelResult | KernelPuctResult) -> SearchResult:
    """Return a result with the fields that both kinds of search in the kernel fill."""
    return SearchResult(
        action=found.action,
        visits=dict(found.visits),
        values=tuple(found.values),
        principal_variation=tuple(found.principal_variation),
        playouts=found.playouts,
        turns=found.turns,
        proved={1: True, -1: False}.get(found.proved),
        shares=dict(found.shares),
        ownership=tuple(found.ownership),
        priors=dict(found.priors),
    )


def _result_of(found: KernelResult) -> SearchResult:
    score = found.score
    return replace(
        read_result(found),
        lines={move: tuple(line.moves) for move, line in found.lines},
        line_visits={move: tuple(line.visits) for move, line in found.lines},
        score=None if score is None else score.mean,
        score_stdev=None if score is None else score.deviation,
        scores={move: (of_move.mean, of_move.deviation) for move, of_move in found.scores},
    )
