"""Search and playouts in the kernel or in plain Python, including views with hidden stones."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts.result import NO_RESULT, OnProgress, SearchResult
from gtp_variants.ai.mcts.settings import (
    AvoidedMove,
    Setting,
    make_limits,
    make_puct_settings,
    playout_settings,
    read_playouts,
)
from gtp_variants.ai.mcts.tree_search import Thinker, position_of
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from pathlib import Path

    from gtp_variants.ai.nets.evaluators import Evaluator
    from gtp_variants.ai.nets.network import Network

# Maximum number of positions searched for a view with hidden stones.
_WORLDS = 24
# Minimum memory for a tree in MiB: room for the root and some moves on the largest board.
_LEAST_MB = 0.125
_SHORTEST_S = 1e-4


def playouts(rules: Rules, at: Position | Game, n: int, seed: int = 0, threads: int = 1) -> tuple[float, ...]:
    """Return each colour's mean share of the score over `n` random playouts, in turn order.

    A win counts as 1; a drawn game is shared by the players still in it. The same seed gives the same shares with and
    without the kernel and with any number of threads; plain Python uses one thread. Raises ConfigError for an invalid
    `n`, `seed` or `threads`, and for a position of another game.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("pentalath")
    >>> shares = gv.playouts(rules, rules.start(), n=200, seed=1)
    >>> abs(sum(shares) - 1) < 1e-9
    True
    """
    n, seed, threads = read_playouts(n=n, seed=seed, threads=threads).values()
    position = position_of(rules, at)
    if search_backend(rules) == "python":
        from gtp_variants.ai.mcts.plain.playouts import run_playouts

        counts = run_playouts(rules, position, n, seed)
    else:
        from gtp_variants.ai.mcts import kernel_calls

        counts = kernel_calls.count_playouts(rules, position, n, seed, threads)
    gone = {event.actor for event in position.out}
    staying = sum(colour not in gone for colour in rules.colours)
    return tuple(
        (won + (0 if colour in gone else counts.draws / staying)) / n
        for colour, won in zip(rules.colours, counts.wins, strict=True)
    )


def search(
    rules: Rules,
    at: Position | Game | View,
    playouts: int = 0,
    seconds: float = 0.0,
    seed: int = 0,
    on_progress: OnProgress | None = None,
    avoided: Sequence[AvoidedMove] = (),
    evaluator: "Evaluator | None" = None,
    network: "Network | Path | str | None" = None,
    hidden_network: "Network | Path | str | None" = None,
    **settings: Setting,
) -> SearchResult:
    """Search for the best move for the side to play, until `playouts` are made or `seconds` have passed.

    Other settings are fields of `SearchSettings`, with defaults that suit the game. With a number of playouts, one
    thread and a seed, the move is the same on every machine, unless the time runs out first; without the kernel, it is
    the move of `variant=plain`. For a view with hidden stones, positions that agree with its news are searched, or the
    nearest board if no position is found in time; `SearchResult.merge` combines the results, and the rules may refuse
    some of the moves. If the dice have not been thrown yet, every throw is searched: values average over the throws,
    and visits are summed. `on_progress` and `avoided` are as in `Thinker`, which keeps its tree from move to move.

    An `evaluator` (see `nets.evaluators.Evaluator`; needs numpy) judges positions in place of playouts. The settings
    are then fields of `PuctSettings`, and exceptions from the evaluator propagate. A `network`, a weight file or "auto"
    for the package's own, judges them in the kernel without numpy; a `hidden_network` predicts hidden stones.

    Raises ConfigError for invalid settings, a network that does not fit the game, and a position or avoided moves of
    another game; EvaluatorError for an invalid answer from the evaluator; and GameOver if no position agrees with the
    news of a view.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> found = gv.search(rules, rules.start(), playouts=200, seed=1)
    >>> rules.board.vertex(found.action), sum(found.visits.values()) >= 200
    ('C3', True)
    """
    if hidden_network is not None:
        from gtp_variants.ai.nets.weight_choice import choose_hidden_network

        # Refuse an invalid network even if nothing is hidden.
        choose_hidden_network(rules, hidden_network)
    if isinstance(at, View) and at.position is None:
        check_fits(rules, at)
        limits = {"playouts": playouts, "seconds": seconds}
        told = evaluator, network, hidden_network
        return HiddenSearch(rules, at, seed, avoided, on_progress, *told, {**limits, **settings}).think()

    thinker = Thinker(rules, seed, avoided, evaluator, network, playouts=playouts, seconds=seconds, **settings)
    return thinker.think(at, on_progress)


def find_priors(rules: Rules, position: Position, network: str, settings: Mapping[str, Setting]) -> Mapping[int, float]:
    """Return each move's prior by `network`, which analysis programs show as the policy. No move is avoided."""
    return Thinker(rules, 0, (), None, network, **settings).think(position, playouts=1).priors


class HiddenSearch:
    """A search for a seat that cannot see all stones. Raises ConfigError for invalid settings or no limit."""

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
        """Return the merged result of searching all positions (see `SearchResult.merge`).

        Each position gets playouts and time in proportion to how often it was sampled. If none is found in time, the
        nearest board is searched. A finished game yields a pass. Raises GameOver if no position agrees with the news.
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
        """Return the result of searching all positions together, with their leaves in shared batches."""
        from gtp_variants.ai.mcts.puct_search import EvaluatorLoop, make_tree

        settings = make_puct_settings(seed=self._seed, **self._settings)
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
        """Return distinct positions and their counts, most frequent first; no more positions than playouts."""
        from gtp_variants.ai.belief.worlds import Worlds

        asked = min(_WORLDS, self._limits.playouts or _WORLDS)
        worlds = Worlds(self._rules, self._view.colour, asked, self._seed)
        for news in self._view.news:
            worlds.hear(news)
        if self._hidden_network is not None:
            from gtp_variants.ai.nets.raw_evaluation import hidden_stone_chances

            chances = hidden_stone_chances(self._rules, self._view, self._hidden_network)
            if chances is not None:
                worlds.expect(chances)
        return worlds.sample(self._view.to_play, self._left_s(), lambda: not self._report(), now=self._now)

    def _left_s(self) -> float:
        """Return the seconds left, always above 0; or 0 if time is unlimited."""
        seconds = self._limits.seconds
        return max(_SHORTEST_S, self._begun + seconds - self._now()) if seconds > 0 else 0.0

    def _so_far(self, current: Callable[[], SearchResult] | None = None) -> SearchResult:
        return SearchResult.merge([*self._found, *([] if current is None else [current()])], self._rules, self._view)

    def _report(self, current: Callable[[], SearchResult] | None = None) -> bool:
        """Report progress; return False if the search is to stop. `current` returns the running search's result."""
        return self._on_progress is None or self._on_progress(partial(self._so_far, current))
