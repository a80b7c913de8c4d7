"""Searches in slices of 10 ms, between which the caller can inspect or end them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from gtp_variants.ai.mcts.search import find_priors
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult
    from gtp_variants.ai.mcts.settings import AvoidedMove, Setting
    from gtp_variants.ai.nets.raw_evaluation import RawEvaluation

# Seconds per slice. An engine reads its input between slices.
SLICE_S = 0.01
# Maximum memory of one search over all its positions, in megabytes.
MEMORY_MB = 256.0
# The name for the package's own network, if the package has a network for the game.
PACKAGES_NETWORK = "auto"


def with_network_settings(
    rules: Rules, network: str, settings: "Mapping[str, Setting]", more: "Mapping[str, Setting]"
) -> "Mapping[str, Setting]":
    """Return search settings, with those in `more` if a network will be used."""
    from gtp_variants.ai.nets.weight_choice import choose_network

    return settings if not more or choose_network(rules, network) is None else {**settings, **more}


class PositionSearch:
    """A sliced search of one position."""

    def __init__(
        self,
        rules: Rules,
        position: Position,
        avoided: "Sequence[AvoidedMove]" = (),
        memory_mb: float = MEMORY_MB,
        network: str = PACKAGES_NETWORK,
        settings: "Mapping[str, Setting]" = MappingProxyType({}),
    ) -> None:
        """Prepare the search. `network` is as in a bot's `net`. Raises RecordError or ConfigError for a bad file."""
        from gtp_variants.ai.mcts.tree_search import Thinker

        self.position = position
        self._thinker = Thinker(rules, 0, avoided, None, network, **{**settings, "memory_mb": memory_mb})
        self._priors = find_priors(rules, position, network, settings) if avoided else None

    def judge(self) -> "RawEvaluation | None":
        """Return the network's judgement without any search, or None without a network or before a throw."""
        from gtp_variants.ai.nets.raw_evaluation import evaluate_position

        network, position = self._thinker.network, self.position
        if network is None or position.to_play == CHANCE:
            return None
        return evaluate_position(network, self._thinker.rules, position)

    def run_slice(self, playouts: int = 0) -> "SearchResult":
        """Search for one slice, with at most `playouts` if given, and return the result so far."""
        begun = time.monotonic()
        found = self._thinker.think(self.position, seconds=SLICE_S, playouts=playouts)
        # The search of a decided game returns at once: do not repeat it in a busy loop.
        time.sleep(max(0.0, begun + SLICE_S / 2 - time.monotonic()))
        return found if self._priors is None else replace(found, priors=dict(self._priors))


class ViewSearch:
    """A sliced search of what a seat knows. It searches the possible positions in turn, and merges the results."""

    def __init__(
        self,
        rules: Rules,
        view: View,
        positions: Sequence[Position],
        avoided: "Sequence[AvoidedMove]" = (),
        network: str = PACKAGES_NETWORK,
        settings: "Mapping[str, Setting]" = MappingProxyType({}),
    ) -> None:
        from gtp_variants.ai.belief.worlds import count_positions

        self._rules, self._view = rules, view
        different = [position for position, _ in count_positions(positions)]
        memory_mb = MEMORY_MB / len(different)
        self._searches = [PositionSearch(rules, each, avoided, memory_mb, network, settings) for each in different]
        self._found: list[SearchResult | None] = [None] * len(self._searches)
        self._turn = -1

    @property
    def position(self) -> Position:
        return self._searches[self._turn].position

    def run_slice(self) -> "SearchResult":
        from gtp_variants.ai.mcts.result import SearchResult

        self._turn = (self._turn + 1) % len(self._searches)
        self._found[self._turn] = self._searches[self._turn].run_slice()
        return SearchResult.merge([found for found in self._found if found is not None], self._rules, self._view)


SlicedSearch = PositionSearch | ViewSearch
