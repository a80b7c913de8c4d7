"""A tree search for a whole game: what it found is kept from move to move."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts.result import NO_RESULT, OnProgress, SearchResult
from gtp_variants.ai.mcts.settings import (
    AvoidedMove,
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
    """`PlainTree`, `kernel_calls.KernelTree`, `kernel_puct.KernelNetworkTree`, or `puct_search.PuctSearch`."""

    def go_on(self, position: Position, moves: list[int] | None) -> None: ...
    def think(self, limits: SearchLimits, on_progress: OnProgress | None = None) -> SearchResult: ...
    def ponder(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def is_pondering(self) -> bool: ...


class Thinker:
    """A search for a game from its first move to its last; the settings are those of `SearchSettings`.

    With an `evaluator`, any object as `nets.evaluators.Evaluator` describes it, they are those of `PuctSettings`; so
    they are with a `network`: a weight file, or "auto" for the one of the package, which is used where it pays and
    where no setting asks for the search without one. `network` then is what judges the positions, None without one.

    Moves that are `avoided` are left out. What is not set suits the game. It keeps what it found of the position that
    is asked for next, if that is what one or a few moves made of the one before: own moves, the others', passes, under
    whatever dice. After anything else it begins anew. Only one thread may use it. Raises ConfigError for wrong
    settings, and for a position or avoided moves that cannot be of this game.

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
            raise ConfigError(["evaluator and network: expected one of them"])
        if evaluator is None and self.network is None:
            if network == "auto":
                settings = playout_settings(settings)
            self.settings = make_settings(seed=seed, **{**rules.profile.search_defaults, **settings})
        else:
            defaults = {} if self.network is None else _network_defaults(rules, self.network)
            self.settings = make_puct_settings(seed=seed, **{**defaults, **settings})
        self._tree: SearchTree | None = None
        self._position: Position | None = None

    def think(
        self, at: "Position | Game | View", on_progress: OnProgress | None = None, **limits: Setting
    ) -> SearchResult:
        """Look for the best move of the side to play, within limits that are those of the settings if not given.

        Every few hundredths of a second `on_progress` is called with a way to see what was found so far; its False ends
        the search. Seconds count from the call on. A game that is over for good has no moves: the answer is a pass.
        While the dice are still to be thrown it looks at every throw: the values are those before it, the visits those
        under all of them together. Raises ConfigError for wrong limits or none, GameOver where something is hidden.
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
        report = None if on_progress is None else self._report_at(position, on_progress)
        return self._locate(tree.think(chosen, report), position)

    def _report_at(self, position: Position, on_progress: OnProgress) -> OnProgress:
        return lambda so_far: on_progress(lambda: self._locate(so_far(), position))

    def _locate(self, found: SearchResult, position: Position) -> SearchResult:
        return replace(found, rules=self.rules, at=position)

    def ponder(self, at: "Position | Game | View") -> None:
        """Think of a position in the background, until told to do something else or until the memory is full.

        The dice may be still to be thrown.
        """
        position = position_of(self.rules, at)
        if self.rules.is_final(position):
            self.forget()
        else:
            self._tree_at(position).ponder()

    def stop(self) -> None:
        """End what `ponder` began; nothing runs in the background when this returns."""
        if self._tree is not None:
            self._tree.stop()

    @property
    def is_pondering(self) -> bool:
        """Whether it thinks in the background."""
        return self._tree is not None and self._tree.is_pondering

    def forget(self) -> None:
        """Stop, and give back the memory."""
        self.stop()
        self._tree = self._position = None

    def _tree_at(self, position: Position) -> SearchTree:
        self.stop()
        before, tree = self._position, self._tree
        self._position = position
        # Avoided moves are counted from the root: what was found under another one is not what is asked for.
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


def _network_defaults(rules: Rules, network: "Network") -> Mapping[str, Setting]:
    """The settings of a search that suit a game and the network that judges it."""
    # Of the positions of another game, such as those that a seat imagines, nobody knows what comes true.
    calibration = network.calibration if network.game == rules.name else 1.0
    return {"calibration": calibration, **rules.profile.network_search_defaults(rules)}


def make_playout_tree(
    rules: Rules,
    position: Position,
    settings: SearchSettings,
    avoided: Sequence[AvoidedMove] = (),
    target: int | None = None,
) -> SearchTree:
    """A search by playouts, in the kernel if it is there.

    With a `target`, a point with a stone in a game of stones and area, whoever has that stone wins by keeping it.
    """
    if search_backend(rules) == "python":
        from gtp_variants.ai.mcts.plain.tree import PlainTree

        return PlainTree(rules, position, settings, avoided, target)
    from gtp_variants.ai.mcts.kernel_calls import KernelTree

    return KernelTree(rules, position, settings, avoided, target)


def position_of(rules: Rules, at: "Position | Game | View") -> Position:
    """The position of a game or a view.

    Raises GameOver where something is hidden, ConfigError where the rules cannot be those of the position.
    """
    if isinstance(at, View):
        check_fits(rules, at)
        if at.position is None:
            raise GameOver("a position with hidden stones cannot be searched")
    position = at.position if isinstance(at, View | Game) else at
    check_fits(rules, position)
    assert position is not None
    return position


def check_moves_to_avoid(rules: Rules, avoided: Sequence[object]) -> None:
    """Raises ConfigError, with every fault at once, for moves to avoid that nobody can play in a game."""
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
    """The moves by which a position became another, at most one of each player; None if it did not, or by more."""
    turns = after.turn - before.turn
    if not 0 <= turns <= len(rules.colours):
        return None
    if turns == 0:
        return [] if _without_draws(rules, before) == _without_draws(rules, after) else None
    for move in _candidates(before, after, turns):
        try:
            then = rules.play(_with_any_draw(rules, before), move)
        except IllegalMove:
            continue
        rest = moves_between(rules, then, after)
        if rest is not None:
            return [move, *rest]
    return None


def _candidates(before: Position, after: Position, turns: int) -> Iterator[int]:
    """What may have been the first of so many moves."""
    if turns == 1:
        if after.last is not None:
            yield after.last.action
        return
    for point, colour in enumerate(before.stones):
        # The stone stands there, or the last move took it off.
        if not colour and (after.stones[point] == before.mover or point in after.captured):
            yield point
    yield PASS


def _with_any_draw(rules: Rules, position: Position) -> Position:
    """The position with every line open, if the dice are still to be thrown."""
    while position.to_play == CHANCE:
        position = rules.play(position, rules.actions(position)[-1])
    return position


def _without_draws(rules: Rules, position: Position) -> Position:
    return rules.with_draws(position, ()) if isinstance(rules, DicedRules) else position
