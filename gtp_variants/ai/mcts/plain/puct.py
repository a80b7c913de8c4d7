"""PUCT in plain Python: tree search with an evaluator, for games and machines without the kernel.

A playout has four steps.

1. Select: starting at the root, go to the child with the highest sum of value and bonus (`_select`) until a node has no
   children. At a throw of dice, go to the outcome with the fewest visits relative to its odds, so that the mean
   approaches the expectation.
2. Evaluate: the end of a game has its exact value. For any other position the evaluator returns a share of the score
   for each colour and a prior for each move.
3. Expand: the node gets one child, with its prior, for each legal move.
4. Back up: every node on the path adds the shares to its totals. Totals are kept by colour and read for the side to
   move in the parent, so that signs never change and three players need no special case.

The kernel's search (`kernel/puct/puct.hpp`) does more: it collects batches of leaves from one tree, proves won and lost
games, makes and prevents fives, counts repetition as a draw, chooses by confidence bounds, and has root noise,
temperature and Gumbel's sequential halving. With one leaf at a time (`batch=1`) and without `tactics`, `proofs`,
`lcb_weight` and `exploration_growth` it visits the same moves as this search.

Sources: D. Silver and others, "A general reinforcement learning algorithm that masters chess, shogi and Go through
self-play", 2018. D. Wu, "Accelerating Self-Play Learning in Go", 2019 (first-play urgency, growing exploration).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from typing import TYPE_CHECKING

from gtp_variants.ai.backend import describe_missing_kernel
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMoves, PuctSettings, find_depths_to_avoid
from gtp_variants.errors import ConfigError
from gtp_variants.rules.actions import CHANCE, PASS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import faces_of

if TYPE_CHECKING:
    from gtp_variants.ai.nets.encoder import Encoder
    from gtp_variants.ai.nets.evaluators import Floats, LeafBatch

# Settings that plain Python refuses; it ignores all other settings that only the kernel knows.
_ONLY_IN_KERNEL = ("noise", "wide_root_noise", "temperature", "gumbel")
# Estimated bytes of a node, and the bytes that its position, totals and list of children add once it is visited.
_NODE_BYTES = 145
_POSITION_BYTES = 1100
# Number of visits that scales the growth of the exploration weight (as in KataGo).
_GROWTH_VISITS = 500


@dataclass(slots=True, eq=False, repr=False)
class _PuctNode:
    """The node after a move or a throw; its position is computed at the first visit.

    `shares` has each colour's share of the win, 0 to 1, if the game ends here, else None. `totals` are the sums, by
    colour, of the shares backed up. `seat` is the index in turn order of the side to play.
    """

    move: int
    prior: float
    visits: int = 0
    totals: Sequence[float] = ()
    children: "Sequence[_PuctNode]" = ()
    position: Position = field(init=False)
    seat: int = 0
    is_chance: bool = False
    shares: tuple[float, ...] | None = None

    def value_for(self, seat: int) -> float:
        """Return the mean value for the colour with index `seat`, from -1 (lost) to 1 (won)."""
        return 2 * (self.totals[seat] / self.visits) - 1

    def add(self, shares: Sequence[float]) -> None:
        self.visits += 1
        self.totals = [total + share for total, share in zip(self.totals, shares, strict=True)]


class PuctTree:
    """A `LeafTree` that collects one leaf at a time. Raises ConfigError for settings in `_ONLY_IN_KERNEL`."""

    def __init__(
        self, rules: Rules, position: Position, settings: PuctSettings, avoided: AvoidedMoves, encoder: "Encoder"
    ) -> None:
        missing = describe_missing_kernel(rules)
        faults = [
            f"{name}: expected 0 in plain Python; only the kernel knows this setting, and {missing}"
            for name in _ONLY_IN_KERNEL
            if getattr(settings, name) > 0
        ]
        if faults:
            raise ConfigError(faults)
        self._rules = rules
        self._settings = settings
        self._avoided_until = find_depths_to_avoid(avoided)
        self._encoder = encoder
        self._index_of = {int(action): index for index, action in enumerate(encoder.actions)}
        # The path from the root to the collected leaf.
        self._asked: list[_PuctNode] = []
        self._bytes = 0
        self._root = self._new_root(position)
        self.begin(0)

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        known = None
        if moves is not None:
            throws = self._totals_thrown(position)
            found = [node for node in _find(self._root, moves) if self._totals_thrown(node.position) == throws]
            known = max(found, key=lambda node: node.visits, default=None)
        self._root = self._new_root(position) if known is None or not known.children else known
        self._root.position = position
        self.begin(0)

    def begin(self, playouts: int) -> None:
        self.playouts = self._turns = 0
        self._bytes = sum(_bytes_of(node) for node in _walk(self._root))

    def _new_root(self, position: Position) -> _PuctNode:
        root = _PuctNode(PASS, 1.0)
        self._enter(root, position)
        return root

    def _totals_thrown(self, position: Position) -> list[int]:
        """Return the sum of each known throw; throws with the same sum open the same lines."""
        return [sum(faces_of(self._rules, position, draw)) for draw in position.draws]

    def collect(self, most: int, playouts: int, leaves: "LeafBatch", first: int) -> int:
        """Make playouts until a leaf has to be judged, and write it to row `first`. Return 1, or 0 if there is none."""
        for _ in range(min(most, playouts)):
            path = self._descend()
            node = path[-1]
            if node.shares is None:
                leaves.planes[first], leaves.globals[first] = self._encoder.encode(node.position)
                leaves.mask[first] = False
                leaves.mask[first, [self._index_of[move] for move in self._legal(node)]] = True
                leaves.to_play[first] = node.position.mover
                self._asked = path
                return 1
            self._back_up(path, node.shares)
        return 0

    def update(self, priors: "Floats", values: "Floats", first: int) -> None:
        if self._asked:
            path, self._asked = self._asked, []
            self._expand(path, {move: float(priors[first][index]) for move, index in self._index_of.items()})
            self._back_up(path, self._share_among_players([float(value) for value in values[first]]))

    def discard(self) -> None:
        self._asked = []

    def _descend(self) -> list[_PuctNode]:
        """Return the nodes from the root to a leaf or to the end of a game."""
        node = self._root
        path = [node]
        while node.shares is None:
            if node.is_chance and not node.children:
                self._add_children(node, self._list_throws(node.position))
            if not node.children:
                break
            if node.is_chance:
                # Take the outcome with the fewest visits relative to its odds.
                child = max(node.children, key=lambda child: child.prior / (1 + child.visits))
            else:
                child = self._select(node)
            if not child.totals:
                self._enter(child, self._rules.play(node.position, child.move))
                # Skip this after a throw, which never ends a game but may follow an end that players can still revoke.
                if not node.is_chance:
                    child.shares = self._shares_at_end(child.position)
            node = child
            path.append(node)
        return path

    def _select(self, node: _PuctNode) -> _PuctNode:
        """Return the child with the highest value plus bonus; the bonus grows with the prior and falls with visits."""
        seat, settings = node.seat, self._settings
        tried = max(1, node.visits - 1)
        growth = settings.exploration_growth * log((tried + _GROWTH_VISITS) / _GROWTH_VISITS)
        scale = (settings.exploration + growth) * sqrt(tried)
        # First-play urgency: the more prior the visited moves have, the less an unvisited move is worth.
        tried_priors = sum(child.prior for child in node.children if child.visits)
        unvisited = node.value_for(seat) - settings.fpu_reduction * sqrt(tried_priors)

        def score(child: _PuctNode) -> float:
            value = child.value_for(seat) if child.visits else unvisited
            return value + scale * child.prior / (1 + child.visits)

        return max(node.children, key=score)

    def _enter(self, node: _PuctNode, position: Position) -> None:
        node.position = position
        node.seat = self._rules.colours.index(position.mover)
        node.is_chance = position.to_play == CHANCE
        node.totals = [0.0] * len(self._rules.colours)
        self._bytes += _POSITION_BYTES

    def _legal(self, node: _PuctNode) -> list[int]:
        """Return the legal moves in the order of policy indices."""
        known = [move for move in self._rules.legal(node.position) if move in self._index_of]
        return sorted(known, key=self._index_of.__getitem__)

    def _expand(self, path: Sequence[_PuctNode], priors: dict[int, float]) -> None:
        """Give a leaf one child for each legal move, including avoided moves only if no other moves are left."""
        leaf, depth = path[-1], _count_moves(path)
        legal = self._legal(leaf)
        mover = leaf.position.mover
        wanted = [move for move in legal if depth >= self._avoided_until.get((mover, move), 0)] or legal
        total = sum(priors[move] for move in wanted)
        self._add_children(leaf, [(move, priors[move] / total if total else 1 / len(wanted)) for move in wanted])

    def _list_throws(self, position: Position) -> list[tuple[int, float]]:
        """Return one throw for each sum of the dice, and the odds of the sum."""
        by_total: dict[int, tuple[int, float]] = {}
        for throw, odds in zip(self._rules.actions(position), self._rules.odds(position), strict=True):
            if odds > 0:
                total = sum(faces_of(self._rules, position, throw))
                first, before = by_total.get(total, (throw, 0.0))
                by_total[total] = first, before + odds
        return list(by_total.values())

    def _add_children(self, node: _PuctNode, moves: Sequence[tuple[int, float]]) -> None:
        node.children = [_PuctNode(move, prior) for move, prior in moves]
        self._bytes += _NODE_BYTES * len(moves)

    def _back_up(self, path: Sequence[_PuctNode], shares: Sequence[float]) -> None:
        """Add a leaf's value to all nodes on its path; only a path that contains a move counts as a playout."""
        for node in path:
            node.add(shares)
        turns = _count_moves(path)
        self._turns += turns
        self.playouts += turns > 0

    def _shares_at_end(self, position: Position) -> tuple[float, ...] | None:
        """Return each colour's share of the win if the game is over, else None; players share a drawn game equally."""
        outcome = self._rules.outcome(position)
        if outcome is None:
            return None
        winners = [outcome.winner] if outcome.winner else self._list_players(position)
        return tuple(1 / len(winners) if colour in winners else 0.0 for colour in self._rules.colours)

    def _list_players(self, position: Position) -> list[int]:
        gone = {event.actor for event in position.out}
        return [colour for colour in self._rules.colours if colour not in gone]

    def _share_among_players(self, shares: list[float]) -> list[float]:
        """Divide the shares of colours that have left the game among the remaining colours."""
        players = self._list_players(self._root.position)
        if len(players) == len(shares):
            return shares
        kept = [share if colour in players else 0.0 for share, colour in zip(shares, self._rules.colours, strict=True)]
        total = sum(kept)
        return [
            (share / total if total else 1 / len(players)) if colour in players else 0.0
            for share, colour in zip(kept, self._rules.colours, strict=True)
        ]

    @property
    def is_full(self) -> bool:
        """True if the tree's estimated size has reached the memory limit."""
        return self._bytes >= self._settings.memory_mb * 2**20

    def prune(self) -> None:
        """Turn the least visited nodes into leaves, which keep their values, until half of the memory is free."""
        least = 1
        while self._bytes > self._settings.memory_mb * 2**19 and least <= self._root.visits:
            least *= 2
            for node in _walk(self._root):
                if node.visits < least and node is not self._root:
                    node.children = ()
            self._bytes = sum(_bytes_of(node) for node in _walk(self._root))

    @property
    def is_decided(self) -> bool:
        return not self._root.is_chance and len(self._root.children) == 1

    @property
    def is_proved(self) -> bool:
        """False, because only the kernel proves results."""
        return False

    def result(self) -> SearchResult:
        """Return the result so far: the most visited move, or a pass before the evaluator's first answer."""
        root, roots = self._root, list(_roots(self._root, 1.0))
        if not roots:
            return SearchResult(PASS, {}, (0.0,) * len(self._rules.colours), (), 0, 0)
        visits: dict[int, int] = {}
        won: dict[int, float] = {}
        # For each move, its node under the throw where the move has most visits.
        tried: dict[int, _PuctNode] = {}
        for node, _ in roots:
            for child in node.children:
                visits[child.move] = visits.get(child.move, 0) + child.visits
                if child.visits:
                    won[child.move] = won.get(child.move, 0.0) + child.totals[node.seat]
                    tried[child.move] = max(tried.get(child.move, child), child, key=lambda each: each.visits)
        priors = _mean_by_move(roots, lambda node: [child.prior for child in node.children])
        action = max(visits, key=lambda move: (visits[move], priors[move]))
        lines = {move: _line(child) for move, child in tried.items()}
        return SearchResult(
            action=action,
            visits=visits,
            values=tuple(each / root.visits for each in root.totals),
            principal_variation=tuple(node.move for node in lines.get(action, [])) or (action,),
            playouts=self.playouts,
            turns=self._turns,
            shares={move: won[move] / visits[move] for move in won},
            priors=priors,
            lines={move: tuple(node.move for node in line) for move, line in lines.items()},
            line_visits={move: tuple(node.visits for node in line) for move, line in lines.items()},
            policy=_mean_by_move(roots, _policy_of),
        )


def _count_moves(path: Sequence[_PuctNode]) -> int:
    """Return the number of moves on a path, without throws."""
    return sum(not node.is_chance for node in path[:-1])


def _find(node: _PuctNode, moves: Sequence[int]) -> Iterator[_PuctNode]:
    """Yield the visited nodes reached by `moves`, whatever was thrown in between."""
    if not moves:
        yield node
    for child in node.children:
        if child.visits and (node.is_chance or child.move in moves[:1]):
            yield from _find(child, moves if node.is_chance else moves[1:])


def _roots(node: _PuctNode, odds: float) -> Iterator[tuple[_PuctNode, float]]:
    """Yield the nodes whose children are the moves to choose from, with their odds: the root, or a node per throw."""
    if not node.is_chance and node.children:
        yield node, odds
    elif node.is_chance:
        for child in node.children:
            yield from _roots(child, odds * child.prior)


def _policy_of(node: _PuctNode) -> list[float]:
    """Return the policy that a network should learn: shares of visits, or the priors before any visit."""
    total = sum(child.visits for child in node.children)
    return [child.visits / total if total else child.prior for child in node.children]


def _mean_by_move(
    roots: Sequence[tuple[_PuctNode, float]], numbers: Callable[[_PuctNode], Sequence[float]]
) -> dict[int, float]:
    """Return, for each move, the mean of its `numbers` over all throws, weighted by the odds of the throws."""
    total: dict[int, float] = {}
    for node, odds in roots:
        for child, number in zip(node.children, numbers(node), strict=True):
            total[child.move] = total.get(child.move, 0.0) + odds * number
    whole = sum(odds for _, odds in roots)
    return {move: number / whole for move, number in total.items()}


def _line(node: _PuctNode) -> list[_PuctNode]:
    """Return a node and the nodes reached from it by the most visited moves, under the most visited throws."""
    line = [node]
    while node.children:
        best = max(node.children, key=lambda child: child.visits)
        if not best.visits:
            break
        if not node.is_chance:
            line.append(best)
        node = best
    return line


def _walk(node: _PuctNode) -> Iterator[_PuctNode]:
    """Yield all nodes of a tree, parents first."""
    nodes = [node]
    while nodes:
        node = nodes.pop()
        yield node
        nodes += node.children


def _bytes_of(node: _PuctNode) -> int:
    return _NODE_BYTES + (_POSITION_BYTES if node.visits else 0)
