"""A search for a seat that does not see every stone: many positions that agree with its news, each of them searched."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gtp_variants.ai.belief.worlds import Worlds
from gtp_variants.ai.mcts.result import NO_RESULT, OnProgress, SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMove, Setting, make_limits, make_puct_settings, playout_settings
from gtp_variants.ai.mcts.tree_search import Thinker
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from pathlib import Path

    from gtp_variants.ai.nets.evaluators import Evaluator
    from gtp_variants.ai.nets.network import Network

# How many positions are imagined at most.
_WORLDS = 24
# MiB that a tree needs even if there are many: enough for the root and some moves on the largest board.
_LEAST_MB = 0.125
_SHORTEST_S = 1e-4


class HiddenSearch:
    """One search for a seat of a game that hides something; the settings are those of `Thinker`.

    Raises ConfigError for wrong settings or no limit.
    """

    def __init__(
        self,
        rules: Rules,
        view: View,
        seed: int,
        avoided: Sequence[AvoidedMove],
        on_progress: OnProgress | None,
        evaluator: "Evaluator | None",
        network: "Network | Path | str | None",
        hidden_network: "Network | Path | str | None",
        settings: dict[str, Setting],
    ) -> None:
        self._rules, self._view = rules, view
        self._avoided = avoided
        self._on_progress = on_progress
        self._evaluator = evaluator
        self._hidden_network = hidden_network
        thinker = Thinker(rules, seed, avoided, evaluator, network, **settings)
        self._network, checked = thinker.network, thinker.settings
        judges = evaluator is not None or self._network is not None
        self._settings = settings if judges else playout_settings(settings)
        self._seed = checked.seed
        self._limits = make_limits(checked, {})
        self._now = time.thread_time if checked.cpu_time else time.monotonic
        self._begun = self._now()
        self._found: list[SearchResult] = []

    def think(self) -> SearchResult:
        """What the searches of all positions found together: see `SearchResult.merge`.

        A position that comes up more often gets more of the playouts and of the time. A game that is over for good
        has no moves: the answer is a pass. Raises GameOver if no position agrees with the news; where none was found
        before it has to end the nearest board is searched.
        """
        if self._view.final:
            return NO_RESULT
        counted = self._sample_positions()
        if self._evaluator is not None:
            return self._evaluate(self._evaluator, counted)
        playouts, left = self._limits.playouts, sum(count for _, count in counted)
        for index, (position, count) in enumerate(counted):
            share = playouts * count // left
            limits: dict[str, Setting] = {"playouts": share}
            if self._limits.seconds:
                left_s = self._begun + self._limits.seconds - self._now()
                limits |= {"seconds": max(_SHORTEST_S, left_s * count / left), "most_seconds": 0.0}
                if index and left_s <= 0:
                    break
            thinker = Thinker(self._rules, self._seed + index, self._avoided, None, self._network, **self._settings)
            self._found.append(thinker.think(position, self._on_progress and self._report, **limits))
            playouts, left = playouts - share, left - count
            if not self._report():
                break
        return replace(self._so_far(), rules=self._rules, at=self._view)

    def _evaluate(self, evaluator: "Evaluator", counted: list[tuple[Position, int]]) -> SearchResult:
        """The searches of all positions, whose leaves come into the same batches."""
        from gtp_variants.ai.mcts.puct_search import EvaluatorLoop, make_tree

        settings = make_puct_settings(seed=self._seed, **self._settings)
        # The trees share the memory.
        settings = replace(settings, memory_mb=max(_LEAST_MB, settings.memory_mb / len(counted)))
        loop = EvaluatorLoop(self._rules, settings, evaluator, self._view)
        trees = [
            (make_tree(self._rules, position, settings, self._avoided, loop.encoder), count)
            for position, count in counted
        ]
        limits = self._limits
        if limits.seconds > 0:
            limits = replace(limits, seconds=self._left_s(), most_seconds=0.0)
        return replace(loop.run(trees, limits, self._on_progress), rules=self._rules, at=self._view)

    def _sample_positions(self) -> list[tuple[Position, int]]:
        """Different positions and how often each came up, the frequent ones first; no more than there are playouts."""
        asked = min(_WORLDS, self._limits.playouts or _WORLDS)
        worlds = Worlds(self._rules, self._view.colour, asked, self._seed)
        for news in self._view.news:
            worlds.hear(news)
        if self._hidden_network is not None:
            from gtp_variants.ai.nets.hidden_stones import hidden_stone_chances

            chances = hidden_stone_chances(self._rules, self._view, self._hidden_network)
            if chances is not None:
                worlds.expect(chances)
        return worlds.sample(self._view.to_play, self._left_s(), lambda: not self._report(), now=self._now)

    def _left_s(self) -> float:
        """How much of the time is left, a moment at least; 0 for no limit."""
        seconds = self._limits.seconds
        return max(_SHORTEST_S, self._begun + seconds - self._now()) if seconds > 0 else 0.0

    def _so_far(self, current: Callable[[], SearchResult] | None = None) -> SearchResult:
        return SearchResult.merge([*self._found, *([] if current is None else [current()])], self._rules, self._view)

    def _report(self, current: Callable[[], SearchResult] | None = None) -> bool:
        """Tell the host what was found so far; whether to go on. `current` is what the search that is on has found."""
        return self._on_progress is None or self._on_progress(partial(self._so_far, current))
