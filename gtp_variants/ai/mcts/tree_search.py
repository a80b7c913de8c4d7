"""`Thinker`: a tree search for a whole game, which keeps its results from move to move."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts.result import NO_RESULT, OnProgress, SearchResult
from gtp_variants.ai.mcts.settings import (
    AvoidedMove,
    AvoidedMoves,
    PuctSettings,
    SearchLimits,
    SearchSettings,
    Setting,
    asks_for_playouts,
    make_limits,
    make_puct_settings,
    make_settings,
    playout_settings,
)
from gtp_variants.errors import ConfigError, GameOver, IllegalMove
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits, list_colours
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from pathlib import Path

    from gtp_variants.ai.nets.evaluators import Evaluator
    from gtp_variants.ai.nets.network import Network

_SHORTEST_S = 1e-6


class SearchTree(Protocol):
    """A search of one game, in the kernel or in plain Python, that keeps its tree from move to move.

    `go_on` moves on to a position that follows the last position by `moves`, or starts afresh if `moves` is None.
    `think` searches until a limit is reached, there is nothing left to choose or `on_progress` returns False. `ponder`
    searches in the background without limits until `stop` is called, or until the memory is first used up. When `stop`
    returns, the background search has ended.
    """

    def go_on(self, position: Position, moves: list[int] | None) -> None: ...
    def think(self, limits: SearchLimits, on_progress: OnProgress | None = None) -> SearchResult: ...
    def ponder(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def is_pondering(self) -> bool: ...


class Thinker:
    """Searches for all moves of a game, from first to last; the settings are fields of `SearchSettings`.

    With an `evaluator` (see `nets.evaluators.Evaluator`) or a `network`, settings are fields of `PuctSettings`. A
    `network` is a weight file, or "auto" for the package's own, used only if it is stronger than a search without a
    network and no setting is for playouts alone, or "self" for the package's own that had no teacher. The attribute
    `network` is the network that judges positions, or None.

    The defaults of settings suit the game; `avoided` moves are left out. The tree is kept if the next position follows
    from the last position by at most one move of each player, whatever the dice; otherwise the search starts afresh.
    Use a `Thinker` from one thread only. Raises ConfigError for invalid settings, and for a position or avoided moves
    of another game.

    >>> import gtp_variants as gv
    >>> game = gv.Game(gv.parse("go:size=5"))
    >>> thinker = gv.Thinker(game.rules, seed=1, playouts=100)
    >>> for _ in range(2):
    ...     action = thinker.think(game).action
    ...     event = game.play(game.position.to_play, action)
    >>> len(game.events)
    2
    """

    def __init__(
        self,
        rules: Rules,
        seed: int = 0,
        avoided: Sequence[AvoidedMove] = (),
        evaluator: "Evaluator | None" = None,
        network: "Network | Path | str | None" = None,
        **settings: Setting,
    ) -> None:
        check_moves_to_avoid(rules, avoided)
        self.rules = rules
        self.network: Network | None = None
        self._avoided = avoided
        self._evaluator = evaluator
        self.settings: SearchSettings | PuctSettings
        if network is not None and (network != "auto" or not asks_for_playouts(settings)):
            from gtp_variants.ai.nets.weight_choice import choose_network

            self.network = choose_network(rules, network)
        if evaluator is not None and self.network is not None:
            raise ConfigError(["evaluator and network: expected only one of them"])
        if evaluator is None and self.network is None:
            if network == "auto":
                settings = playout_settings(settings)
            self.settings = make_settings(seed=seed, **{**rules.profile.search_defaults, **settings})
        else:
            defaults: Mapping[str, Setting] = {}
            if self.network is not None:
                # The calibration holds only for the network's own game, not for a position that a seat imagines.
                calibration = self.network.calibration if self.network.game == rules.name else 1.0
                defaults = {"calibration": calibration, **rules.profile.network_search_defaults(rules)}
            self.settings = make_puct_settings(seed=seed, **{**defaults, **settings})
        self._tree: SearchTree | None = None
        self._position: Position | None = None

    def think(
        self, at: "Position | Game | View", on_progress: OnProgress | None = None, **limits: Setting
    ) -> SearchResult:
        """Search for the best move for the side to play; `limits` override the limits in the settings.

        `on_progress` is called every few hundredths of a second with a function that returns the result so far. If
        `on_progress` returns False, the search ends. Seconds are counted from this call. A finished game yields a pass.
        If the dice have not been thrown yet, every throw is searched: values average over the throws, and visits are
        summed. Raises ConfigError if limits are invalid or missing, and GameOver if the view hides stones.
        """
        begun = time.monotonic()
        chosen = make_limits(self.settings, limits)
        position = position_of(self.rules, at)
        if self.rules.is_final(position):
            self.forget()
            return NO_RESULT
        tree = self._tree_at(position)
        if chosen.seconds > 0 and not chosen.cpu_time:
            spent_s = time.monotonic() - begun
            seconds, most = max(_SHORTEST_S, chosen.seconds - spent_s), max(0.0, chosen.most_seconds - spent_s)
            chosen = replace(chosen, seconds=seconds, most_seconds=most)

        def locate(found: SearchResult) -> SearchResult:
            return replace(found, rules=self.rules, at=position)

        report = None if on_progress is None else lambda so_far: on_progress(lambda: locate(so_far()))
        return locate(tree.think(chosen, report))

    def ponder(self, at: "Position | Game | View") -> None:
        """Search a position in the background until the next call, or until the memory is full."""
        position = position_of(self.rules, at)
        if self.rules.is_final(position):
            self.forget()
        else:
            self._tree_at(position).ponder()

    def stop(self) -> None:
        """Stop the search that `ponder` began, and wait until it has ended."""
        if self._tree is not None:
            self._tree.stop()

    @property
    def is_pondering(self) -> bool:
        """True while a search runs in the background."""
        return self._tree is not None and self._tree.is_pondering

    def forget(self) -> None:
        """Stop searching, and release the memory."""
        self.stop()
        self._tree = self._position = None

    def _tree_at(self, position: Position) -> SearchTree:
        self.stop()
        before, tree = self._position, self._tree
        self._position = position
        # Depths of avoided moves are counted from the root, so a tree with another root cannot be reused.
        if tree is None or before is None or (self._avoided and position != before):
            tree = self._tree = self._make_tree(position)
        elif position != before:
            tree.go_on(position, moves_between(self.rules, before, position))
        return tree

    def _make_tree(self, position: Position) -> SearchTree:
        if self._evaluator is not None:
            assert isinstance(self.settings, PuctSettings)
            from gtp_variants.ai.mcts.puct_search import PuctSearch

            return PuctSearch(self.rules, position, self.settings, self._avoided, self._evaluator)
        if self.network is not None:
            assert isinstance(self.settings, PuctSettings)
            from gtp_variants.ai.mcts.kernel_puct import KernelNetworkTree

            return KernelNetworkTree(self.rules, position, self.settings, self._avoided, self.network)
        assert isinstance(self.settings, SearchSettings)
        return make_playout_tree(self.rules, position, self.settings, self._avoided)


def make_playout_tree(
    rules: Rules, position: Position, settings: SearchSettings, avoided: AvoidedMoves = (), target: int | None = None
) -> SearchTree:
    """Return a search by playouts. With a `target`, a point, the owner of its stone wins by keeping the stone."""
    if search_backend(rules) == "python":
        from gtp_variants.ai.mcts.plain.tree import PlainTree

        return PlainTree(rules, position, settings, avoided, target)
    from gtp_variants.ai.mcts.kernel_calls import KernelTree

    return KernelTree(rules, position, settings, avoided, target)


def position_of(rules: Rules, at: "Position | Game | View") -> Position:
    """Return `at`, or its position. Raises GameOver for a view that hides stones, ConfigError for another game."""
    if isinstance(at, View):
        check_fits(rules, at)
        if at.position is None:
            raise GameOver("a position with hidden stones cannot be searched")
    position = at.position if isinstance(at, View | Game) else at
    check_fits(rules, position)
    assert position is not None
    return position


def check_moves_to_avoid(rules: Rules, avoided: Sequence[object]) -> None:
    """Raise ConfigError, listing every fault, for invalid moves to avoid."""
    faults = []
    for index, each in enumerate(avoided):
        where = f"avoided[{index}]"
        if not isinstance(each, AvoidedMove):
            faults.append(f"{where}={each!r}: expected AvoidedMove(colour, move, until_depth)")
            continue
        if each.colour not in rules.colours:
            faults.append(f"{where}: colour {each.colour}: expected {list_colours(rules)}")
        if not SWAP <= each.move < len(rules.board):
            faults.append(f"{where}: move {each.move}: expected a point, 0 to {len(rules.board) - 1}, PASS or SWAP")
        if each.until_depth < 1:
            faults.append(f"{where}: until_depth {each.until_depth}: expected 1 or more")
    if faults:
        raise ConfigError(faults)


def moves_between(rules: Rules, before: Position, after: Position) -> list[int] | None:
    """Return the moves from a position to a later position, at most one per player, or None if no moves lead there."""
    turns = after.turn - before.turn
    if not 0 <= turns <= len(rules.colours):
        return None
    if turns == 0:
        return [] if without_draws(rules, before) == without_draws(rules, after) else None
    opened = before
    while opened.to_play == CHANCE:
        # Play the last outcome, which opens every line.
        opened = rules.play(opened, rules.actions(opened)[-1])
    for move in _candidates(before, after, turns):
        try:
            then = rules.play(opened, move)
        except IllegalMove:
            continue
        rest = moves_between(rules, then, after)
        if rest is not None:
            return [move, *rest]
    return None


def _candidates(before: Position, after: Position, turns: int) -> Iterator[int]:
    """Yield the moves that may have been the first of `turns` moves."""
    if turns == 1:
        yield from () if after.last is None else (after.last.action,)
        return
    for point, colour in enumerate(before.stones):
        # The first stone is still there, or the last move captured it.
        if not colour and (after.stones[point] == before.mover or point in after.captured):
            yield point
    yield PASS


def without_draws(rules: Rules, position: Position) -> Position:
    """Return a position before its dice are thrown; the same position in a game without dice."""
    return rules.with_draws(position, ()) if isinstance(rules, DicedRules) else position
