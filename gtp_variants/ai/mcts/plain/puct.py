"""Tree search with an evaluator in plain Python: PUCT with its priors and values for each colour, in batches.

`kernel/puct/puct.cpp` and `puct_choice.cpp` are the same in C++: with one seed, a number of playouts and an evaluator
that gives the same numbers both visit every move equally often.

* A node is a position in which a player moves, or the dice are to be thrown. A new one is a leaf: it is put to the
  evaluator, whose values go up the path and whose priors rank its moves. The end of a game has its exact value.
* Leaves are collected before the evaluator is asked. Until it answers each move on the way counts as a lost game for
  whoever made it (virtual loss), so that the next descent goes elsewhere. One that ends at a leaf already asked about
  is given up.
* Where the dice are thrown the outcome follows that is visited least for its odds, so that the mean of what is found
  under it comes close to the expectation. Throws with the same total open the same lines: they are one outcome.
* Games without a score are proved: a node is won once one of its moves wins, and worth the best of them once all are
  proved. Who goes in a circle has drawn. In Pentalath a five is made, and one that threatens is prevented.
* At the root there may be noise on the priors, or sequential halving among moves drawn by Gumbel variables.

Sources: D. Silver and others, "A general reinforcement learning algorithm that masters chess, shogi and Go through
self-play", 2018 (PUCT, noise, virtual loss). D. Wu, "Accelerating Self-Play Learning in Go", 2019, and KataGo's
`searchexplorehelpers.cpp` (first-play urgency). I. Danihelka and others, "Policy improvement by planning with Gumbel",
2022, and `mctx` (Gumbel root; the outcome with the highest p/(N+1) at chance nodes).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, frexp, log, sqrt
from typing import TYPE_CHECKING

from gtp_variants.ai.mcts.plain.forced_moves import ForcedMoves, find_forced_moves
from gtp_variants.ai.mcts.plain.random_variables import dirichlet, gumbel
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMove, PuctSettings, find_depths_to_avoid
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import CHANCE, EMPTY, PASS
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import faces_of
from gtp_variants.rules.turn_rules import RepeatingRules

if TYPE_CHECKING:
    from gtp_variants.ai.nets.encoder import Encoder
    from gtp_variants.ai.nets.evaluators import Floats, LeafBatch

# Bytes that the kernel needs for a node, for a node's list of moves unless it is empty, and for each move in it.
_NODE_BYTES = 104
_LIST_BYTES = 8
_MOVE_BYTES = 40
# Share of the memory that nodes and moves may take; the kernel needs the rest beside them.
_USABLE = 0.98
# The logarithm of a prior is that of at least this.
_SMALLEST = 1e-30
# Moves with a smaller part of the most visits are not chosen for what they seem to be worth: it may be luck (KataGo's
# minVisitPropForLCB).
_LEAST_PART = 0.1
# `kernel/puct/puct_choice.cpp`: how the exploration grows.
_GROWTH_VISITS = 500.0
_LOG_2 = 0.6931471805599453
# More digits than visits have.
_NEVER = 33
# Of a node of which nobody knows who wins.
_NOT_PROVED = -1
# What is drawn for a turn, each from a generator of its own.
_FOR_ROOT, _FOR_CHOICE, _PURPOSES = range(3)


@dataclass(slots=True, eq=False)
class _PuctNode:
    """A position of the tree; the lists are parallel, an entry for each move or outcome of the dice.

    `shares` is what each colour got if the game ended here. `judged` is what the evaluator said for the side to move,
    `count` how many values came up through here and `total` their sums by colour; `waiting` the sum of `in_flight`.
    `proof` is who wins whatever anybody does, EMPTY for a draw; `is_whole` that what is not among `moves` is no better.
    """

    position: Position
    seat: int
    is_chance: bool
    shares: tuple[float, ...] | None
    total: list[float]
    moves: list[int] = field(default_factory=list)
    priors: list[float] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)
    won: list[float] = field(default_factory=list)
    in_flight: list[int] = field(default_factory=list)
    nodes: list["_PuctNode | None"] = field(default_factory=list)
    judged: float = 0.0
    count: int = 0
    waiting: int = 0
    is_asked: bool = False
    is_whole: bool = True
    proof: int = _NOT_PROVED

    @property
    def is_leaf(self) -> bool:
        """Whether nobody has said yet what it is worth and which moves deserve a look."""
        return not self.priors and self.shares is None

    @property
    def bytes(self) -> int:
        return _NODE_BYTES + self.move_bytes

    @property
    def move_bytes(self) -> int:
        return _LIST_BYTES + _MOVE_BYTES * len(self.moves) if self.moves else 0

    def add_moves(self, moves: Sequence[int], priors: Sequence[float]) -> None:
        count = len(moves)
        self.moves, self.priors = list(moves), list(priors)
        self.visits, self.in_flight = [0] * count, [0] * count
        self.won, self.nodes = [0.0] * count, [None] * count


_Path = list[tuple[_PuctNode, int]]


class PuctTree:
    """The tree of one game: leaves are collected from it and their values brought back, as often as one likes."""

    def __init__(
        self,
        rules: Rules,
        position: Position,
        settings: PuctSettings,
        avoided: Sequence[AvoidedMove],
        encoder: "Encoder",
    ) -> None:
        self._rules = rules
        self._settings = settings
        self._most_bytes = _USABLE * settings.memory_mb * 2**20
        self._encoder = encoder
        self._index_of = {int(action): index for index, action in enumerate(encoder.actions)}
        self._avoided_until = find_depths_to_avoid(avoided)
        self._asked: list[tuple[_PuctNode, _Path]] = []
        self._has_proofs = settings.proofs and not rules.is_scored
        self._has_circles = self._has_proofs and isinstance(rules, RepeatingRules) and rules.draws_by_repetition
        self._root: _PuctNode = self._make_node(position, None)
        self.go_on(position, None)

    # -- from move to move ---------------------------------------------------------------------------------------------

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        """Go on to a position that lies so many moves ahead of the one before, or, without them, to any one anew."""
        begins_anew = self._settings.noise > 0 or self._settings.gumbel > 0
        known = None
        if moves is not None and not begins_anew:
            wanted = self._throws(position)
            found = [node for node in self._find(self._root, moves) if self._throws(node.position) == wanted]
            known = max(found, key=lambda node: node.count, default=None)
        if known is None or known.is_leaf or known.shares is not None:
            known = self._make_node(position, None)
        known.position = position
        self._root = known
        self._root_priors = known.priors
        below = [known]
        for node in below:
            below.extend(child for child in node.nodes if child is not None)
        self._bytes = sum(node.bytes for node in below)
        self.begin(0)

    def _find(self, node: _PuctNode, moves: Sequence[int]) -> Iterator[_PuctNode]:
        """The nodes so many moves below one, whatever was thrown in between."""
        if not moves:
            yield node
        if node.is_chance or moves:
            for move, child in zip(node.moves, node.nodes, strict=True):
                if child is not None and (node.is_chance or move == moves[0]):
                    yield from self._find(child, moves if node.is_chance else moves[1:])

    def _throws(self, position: Position) -> list[int]:
        """The totals of the draws that are known."""
        return [sum(faces_of(self._rules, position, draw)) for draw in position.draws]

    # -- collect leaves, bring their values back -----------------------------------------------------------------------

    def begin(self, playouts: int) -> None:
        """Count playouts anew; `playouts` is how many there will be, 0 if nobody knows."""
        self._planned = playouts
        self.playouts = self._turns = 0
        self._gumbels: list[float] | None = None
        self._considered: list[int] = []

    def collect(self, most: int, playouts: int, leaves: "LeafBatch", first: int) -> int:
        """Write up to so many leaves into rows from `first` on, in at most so many playouts; answers how many rows.

        Who looks for nothing but ends of games finds none; who gets rows must call `update` or `discard`.
        """
        blocked: list[_Path] = []
        begun = 0
        for _ in range(2 * most):
            if len(self._asked) == most or begun == playouts:
                break
            path, node = self._descend(begun)
            if node.shares is not None or (node.proof != _NOT_PROVED and path):
                self._update_path(path, node, self._exact_shares(node))
                self._prove(path)
                begun += 1
            elif node.is_asked:
                blocked.append(path)
                if not path or self._settings.gumbel > 0:
                    break
            else:
                self._ask(node, path, leaves, first + len(self._asked))
                begun += _length(path) > 0
        for path in blocked:
            self._leave(path)
        return len(self._asked)

    def update(self, priors: "Floats", values: "Floats", first: int) -> None:
        """Bring back what the evaluator said about the leaves; theirs are the rows from `first` on."""
        for row, (node, path) in enumerate(self._asked, first):
            shares = self._share_among_players([float(value) for value in values[row]])
            node.is_asked = False
            node.judged = shares[node.seat]
            given = [float(priors[row][self._index_of[move]]) for move in node.moves]
            total = _sum(given)
            node.add_moves(node.moves, [prior / total if total > 0 else 1 / len(given) for prior in given])
            if node is self._root:
                self._prepare_root()
            self._bytes += node.move_bytes
            self._update_path(path, node, shares)
        self._asked.clear()

    def _share_among_players(self, shares: list[float]) -> list[float]:
        """An evaluator's shares of those who are still in the game: who has left it wins nothing."""
        gone = {event.actor for event in self._root.position.out}
        if not gone:
            return shares
        stays = [colour not in gone for colour in self._rules.colours]
        total = _sum([share for share, is_in in zip(shares, stays, strict=True) if is_in])
        players = sum(stays)
        return [
            (share / total if total > 0 else 1 / players) if is_in else 0.0
            for share, is_in in zip(shares, stays, strict=True)
        ]

    def discard(self) -> None:
        """Forget the leaves that were collected: nobody will answer."""
        for node, path in self._asked:
            node.is_asked = False
            node.moves = []
            self._leave(path)
        self._asked.clear()

    def _descend(self, begun: int) -> tuple[_Path, _PuctNode]:
        """From the root to a leaf or an end."""
        path: _Path = []
        node = self._root
        seen = [_seen(node.position)] if self._has_circles else []
        while node.shares is None and not node.is_leaf and (not path or node.proof == _NOT_PROVED):
            if node.is_chance:
                child = _select_outcome(node)
            elif node is self._root and self._settings.gumbel > 0:
                child = self._select_by_halving(node, self.playouts + begun)
            else:
                child = self._select(node)
            node.in_flight[child] += 1
            node.waiting += 1
            path.append((node, child))
            below = node.nodes[child]
            if below is None:
                below = node.nodes[child] = self._make_child(node, node.moves[child], seen)
            node = below
            if self._has_circles:
                seen.append(_seen(node.position))
        return path, node

    def _make_child(self, node: _PuctNode, move: int, seen: Sequence[object]) -> _PuctNode:
        position = self._rules.play(node.position, move)
        outcome = self._rules.outcome(position)
        if outcome is None and _seen(position) in seen:
            outcome = Outcome(None, "repetition")
        # Dice end no game: they are only thrown after an end at a root from where it may be taken up again.
        shares = None if node.is_chance or outcome is None else self._shares(position, outcome.winner)
        child = self._make_node(position, shares)
        if shares is not None and outcome is not None and self._has_proofs:
            child.proof = outcome.winner or EMPTY
        self._bytes += child.bytes
        return child

    def _make_node(self, position: Position, shares: tuple[float, ...] | None) -> _PuctNode:
        rules = self._rules
        is_chance = position.to_play == CHANCE and shares is None
        seat = rules.colours.index(position.mover)
        node = _PuctNode(position, seat, is_chance, shares, [0.0] * len(rules.colours))
        if is_chance:
            outcomes: dict[int, tuple[int, float]] = {}
            for action, odds in zip(rules.actions(position), rules.odds(position), strict=True):
                if odds > 0:
                    total = sum(faces_of(rules, position, action))
                    before = outcomes.get(total, (action, 0.0))
                    outcomes[total] = before[0], before[1] + odds
            node.add_moves([action for action, _ in outcomes.values()], [odds for _, odds in outcomes.values()])
        return node

    def _shares(self, position: Position, winner: int | None) -> tuple[float, ...]:
        """What each colour gets at an end; a draw is shared by those who have not left."""
        gone = {event.actor for event in position.out}
        staying = len(self._rules.colours) - len(gone)
        if not winner:
            return tuple(0.0 if colour in gone else 1.0 / staying for colour in self._rules.colours)
        return tuple(1.0 if colour == winner else 0.0 for colour in self._rules.colours)

    def _exact_shares(self, node: _PuctNode) -> tuple[float, ...]:
        """What is known for certain: the end of a game, or what was proved."""
        return self._shares(self._root.position, node.proof) if node.shares is None else node.shares

    def _ask(self, node: _PuctNode, path: _Path, leaves: "LeafBatch", row: int) -> None:
        """Put a leaf into a row, with its moves in the order of policy indices."""
        position = node.position
        legal = sorted(
            (move for move in self._rules.legal(position) if move in self._index_of), key=self._index_of.__getitem__
        )
        leaves.planes[row], leaves.globals[row] = self._encoder.encode(position)
        leaves.mask[row] = False
        for move in legal:
            leaves.mask[row, self._index_of[move]] = True
        leaves.to_play[row] = position.mover
        depth = _length(path)
        # Where nothing but avoided moves is left, they are looked at all the same.
        forced = find_forced_moves(self._rules, position, legal) if self._settings.tactics else ForcedMoves()
        legal = [move for move in legal if not forced.points or move < 0 or move in forced.points]
        wanted = [move for move in legal if depth >= self._avoided_until.get((position.mover, move), 0)]
        node.moves = wanted or legal
        node.is_whole = forced.is_all and node.moves == legal
        node.is_asked = True
        self._asked.append((node, path))

    def _update_path(self, path: _Path, leaf: _PuctNode, shares: Sequence[float]) -> None:
        self._leave(path)
        leaf.count += 1
        _add(leaf.total, shares)
        for node, child in path:
            node.visits[child] += 1
            node.won[child] += shares[node.seat]
            node.count += 1
            _add(node.total, shares)
        turns = _length(path)
        self._turns += turns
        self.playouts += turns > 0

    @staticmethod
    def _leave(path: _Path) -> None:
        """End the virtual losses of a descent."""
        for node, child in path:
            node.in_flight[child] -= 1
            node.waiting -= 1

    # -- memory --------------------------------------------------------------------------------------------------------

    def prune(self) -> None:
        """Give back the moves of the nodes that were visited least, until half of the memory is free.

        What lies below goes with them. The nodes are judged anew at their next visit, and keep their values. Chance
        nodes keep their throws.
        """
        of_digits = [0] * (_NEVER + 1)
        for node, own, moves in self._places():
            of_digits[own] += _NODE_BYTES
            of_digits[moves] += node.move_bytes
        least = 0
        while least < _NEVER and self._bytes > self._most_bytes / 2:
            self._bytes -= of_digits[least]
            least += 1
        for node, _, moves in self._places():
            if moves < least:
                node.add_moves([], [])

    def _places(self) -> Iterator[tuple[_PuctNode, int, int]]:
        """Each node, the digits of the visits with which it goes, and those with which its moves go."""
        left = [(self._root, _NEVER, _NEVER)]
        while left:
            place = left.pop()
            yield place
            node, _, moves = place
            for visits, in_flight, below in zip(node.visits, node.in_flight, node.nodes, strict=True):
                if below is not None:
                    digits = _NEVER if in_flight else visits.bit_length()
                    left.append((below, moves, moves if below.is_chance else min(moves, digits)))

    # -- what was proved -----------------------------------------------------------------------------------------------

    def _prove(self, path: _Path) -> None:
        """Take a proof up the path as far as it goes."""
        for node, _ in reversed(path):
            if self._has_proofs and not node.is_chance and node.proof == _NOT_PROVED:
                node.proof = self._proof_of(node)
            if node.proof == _NOT_PROVED:
                return

    def _proof_of(self, node: _PuctNode) -> int:
        """Who wins from a node on, by its moves; of three colours only if all moves say the same, for a loser may
        choose who wins."""
        mover = self._rules.colours[node.seat]
        proofs = {_NOT_PROVED if below is None else below.proof for below in node.nodes}
        if mover in proofs:
            return mover
        if not node.is_whole or _NOT_PROVED in proofs:
            return _NOT_PROVED
        if len(proofs) == 1:
            return proofs.pop()
        return EMPTY if EMPTY in proofs and len(self._rules.colours) == 2 else _NOT_PROVED

    def _wins(self, node: _PuctNode, child: int) -> bool:
        below = node.nodes[child]
        return below is not None and below.proof == self._rules.colours[node.seat]

    def _loses(self, node: _PuctNode, child: int) -> bool:
        below = node.nodes[child]
        return below is not None and below.proof > EMPTY and below.proof != self._rules.colours[node.seat]

    def _share_of(self, node: _PuctNode, child: int) -> float:
        """The share that the side to play of a node gets by a move that was visited."""
        below = node.nodes[child]
        if below is not None and below.proof != _NOT_PROVED:
            return self._exact_shares(below)[node.seat]
        return node.won[child] / node.visits[child]

    # -- which move is next --------------------------------------------------------------------------------------------

    def _select(self, node: _PuctNode) -> int:
        """The move with the highest sum of its value, from -1 to 1, and a bonus by prior and visits (PUCT)."""
        settings, lost = self._settings, self._settings.virtual_loss
        visited = 0.0
        for prior, visits, in_flight in zip(node.priors, node.visits, node.in_flight, strict=True):
            if visits + in_flight > 0:
                visited += prior
        is_noisy = node is self._root and settings.noise > 0
        value = 2 * (node.total[node.seat] / node.count) - 1
        unvisited = value - (0.0 if is_noisy else settings.fpu_reduction) * sqrt(visited)
        scale = self._exploration_at(node)
        best, highest, best_loses = 0, -1e300, True
        for child, prior in enumerate(node.priors):
            tries = node.visits[child] + node.in_flight[child]
            games = node.visits[child] + lost * node.in_flight[child]
            value = 2 * (node.won[child] / games) - 1 if games > 0 else unvisited
            score = value + scale * prior / (1 + tries)
            loses = self._loses(node, child)
            if score > highest if loses == best_loses else best_loses:
                best, highest, best_loses = child, score, loses
        return best

    def _exploration_at(self, node: _PuctNode) -> float:
        """What a prior counts there, before it is shared by the visits of its move."""
        below = float(max(1, node.count - 1 + node.waiting))
        return (self._settings.exploration + self._settings.exploration_growth * _growth_after(below)) * sqrt(below)

    def _select_by_halving(self, node: _PuctNode, playout: int) -> int:
        """The best of the moves whose turn it is in sequential halving: those with so many visits as planned."""
        if self._gumbels is None:
            self._plan(node)
        considered = self._considered[min(playout, len(self._considered) - 1)]
        best, highest = -1, 0.0
        for child, score in enumerate(self._gumbel_scores(node)):
            if node.visits[child] + node.in_flight[child] == considered and (best < 0 or score > highest):
                best, highest = child, score
        return best if best >= 0 else _most(node.visits)

    def _plan(self, node: _PuctNode) -> None:
        """Draw the Gumbel variables of a root, and work out how often each playout's move was visited before."""
        rng, count = self._rng(_FOR_ROOT), len(node.moves)
        self._gumbels = [gumbel(rng) if self._settings.gumbel_noise else 0.0 for _ in range(count)]
        left = min(self._settings.gumbel, count)
        halvings = max(1, (left - 1).bit_length())
        visits, self._considered = [0] * left, []
        while len(self._considered) < max(1, self._planned):
            for _ in range(max(1, self._planned // (halvings * left))):
                self._considered += visits[:left]
                visits = [each + 1 if index < left else each for index, each in enumerate(visits)]
            left = max(min(2, left), left // 2)

    def _gumbel_scores(self, node: _PuctNode) -> list[float]:
        gumbels = self._gumbels or [0.0] * len(node.moves)
        return [drawn + logit for drawn, logit in zip(gumbels, self._improved_logits(node), strict=True)]

    def _improved_logits(self, node: _PuctNode) -> list[float]:
        """The logarithms of the priors plus what the values say; an unvisited move has the mixed value of the node."""
        settings = self._settings
        weight = weighted = 0.0
        for child, prior in enumerate(node.priors):
            if node.visits[child] > 0:
                weight += prior
                weighted += prior * self._share_of(node, child)
        total = sum(node.visits)
        mixed = (node.judged + total * (weighted / weight)) / (1 + total) if weight > 0 else node.judged
        scale = (settings.visit_offset + max(node.visits)) * settings.value_scale
        return [
            log(max(prior, _SMALLEST)) + scale * (self._share_of(node, child) if node.visits[child] > 0 else mixed)
            for child, prior in enumerate(node.priors)
        ]

    def _prepare_root(self) -> None:
        """Remember the evaluator's priors of the root, and mix noise into those that are used."""
        root, part = self._root, self._settings.noise
        self._root_priors = root.priors
        if part > 0:
            noise = dirichlet(self._rng(_FOR_ROOT), self._settings.noise_total / len(root.moves), len(root.moves))
            root.priors = [(1 - part) * prior + part * drawn for prior, drawn in zip(root.priors, noise, strict=True)]

    def _rng(self, purpose: int) -> Rng:
        return Rng.of_playout(self._settings.seed, self._root.position.turn * _PURPOSES + purpose)

    # -- what was found ------------------------------------------------------------------------------------------------

    @property
    def is_decided(self) -> bool:
        """Whether there is no choice at the root."""
        root = self._root
        return not root.is_chance and not root.is_leaf and len(root.moves) == 1

    @property
    def is_proved(self) -> bool:
        """Whether it was proved who wins, or that nobody does."""
        return self._root.proof != _NOT_PROVED

    @property
    def is_full(self) -> bool:
        """Whether it takes as much memory as it may."""
        return self._bytes >= self._most_bytes

    def visits(self) -> dict[int, int]:
        """How often each move of the root was tried, under whatever throw."""
        visits: dict[int, int] = {}
        for node, _ in self._roots():
            for move, count in zip(node.moves, node.visits, strict=True):
                visits[move] = visits.get(move, 0) + count
        return visits

    def result(self) -> SearchResult:
        """What was found so far; before the first answer a pass and nothing else."""
        root, roots = self._root, self._roots()
        if not roots:
            return SearchResult(PASS, {}, (0.0,) * len(self._rules.colours), (), 0, 0)
        visits = self.visits()
        action = self._choose(visits, roots)
        # Of each move the line under the throw where it was tried most.
        lines: dict[int, list[tuple[int, int]]] = {}
        tried = dict.fromkeys(visits, 0)
        won = dict.fromkeys(visits, 0.0)
        for node, _ in roots:
            for child, move in enumerate(node.moves):
                won[move] += node.won[child]
                if node.visits[child] > tried[move]:
                    tried[move] = node.visits[child]
                    lines[move] = [(move, node.visits[child]), *_line(node.nodes[child])]
        values = tuple(total / root.count if root.count else 0.0 for total in root.total)
        is_proved = root.proof != _NOT_PROVED
        return SearchResult(
            action=action,
            visits=visits,
            values=self._exact_shares(root) if is_proved else values,
            principal_variation=tuple(move for move, _ in lines.get(action, [(action, 0)])),
            playouts=self.playouts,
            turns=self._turns,
            proved=root.proof == self._rules.colours[root.seat] if is_proved and root.proof != EMPTY else None,
            shares={move: won[move] / count for move, count in visits.items() if count},
            priors=self._by_move(roots, [self._priors_of(node) for node, _ in roots]),
            lines={move: tuple(each for each, _ in line) for move, line in lines.items()},
            line_visits={move: tuple(count for _, count in line) for move, line in lines.items()},
            policy=self._by_move(roots, [self._policy_of(node) for node, _ in roots]),
        )

    def _roots(self) -> list[tuple[_PuctNode, float]]:
        """The root and 1; while the dice are to be thrown, the nodes under every throw and the odds of each."""
        found: list[tuple[_PuctNode, float]] = []
        nodes: list[tuple[_PuctNode | None, float]] = [(self._root, 1.0)]
        for node, odds in nodes:
            if node is not None and node.is_chance:
                nodes += [(below, odds * prior) for below, prior in zip(node.nodes, node.priors, strict=True)]
            elif node is not None and not node.is_leaf:
                found.append((node, odds))
        return found

    def _choose(self, visits: Mapping[int, int], roots: list[tuple[_PuctNode, float]]) -> int:
        """The move to play: one that wins, else of those that do not lose the one that is worth most at least; or one
        drawn by visits. Under several throws, and where every move loses, the most visited."""
        (node, _), *others = roots
        moves, counts = list(visits), list(visits.values())
        if others:
            return moves[_most(counts)]
        wins = [child for child in range(len(moves)) if self._wins(node, child)]
        if wins:
            return moves[wins[0]]
        lost = [self._loses(node, child) for child in range(len(moves))]
        # Where every move loses, the one that was looked at most holds out longest.
        if not all(lost):
            counts = [0 if loses else count for count, loses in zip(counts, lost, strict=True)]
        scores = self._gumbel_scores(node) if self._settings.gumbel > 0 else node.priors
        if self._settings.temperature <= 0 or not any(counts):
            least: float = max(counts)
            if self._settings.lcb_weight > 0 and self._settings.gumbel <= 0 and least > 0 and not all(lost):
                scores = [self._bound_of(node, child) if visits else 0.0 for child, visits in enumerate(node.visits)]
                least *= _LEAST_PART
            able = [count >= least and (count > 0 or not loses) for count, loses in zip(counts, lost, strict=True)]
            return moves[_most([score if is_able else -1e300 for is_able, score in zip(able, scores, strict=True)])]
        weights = [(count / max(counts)) ** (1 / self._settings.temperature) for count in counts]
        left, chosen = self._rng(_FOR_CHOICE).random() * _sum(weights), 0
        for child, weight in enumerate(weights):
            if weight > 0:
                chosen = child
            left -= weight
            if left < 0:
                break
        return moves[chosen]

    def _bound_of(self, node: _PuctNode, child: int) -> float:
        """What a move that was visited is worth at least to the side to play."""
        below = node.nodes[child]
        if below is not None and (below.shares is not None or below.proof != _NOT_PROVED):
            return self._exact_shares(below)[node.seat]
        return node.won[child] / node.visits[child] - self._settings.lcb_weight / sqrt(node.visits[child])

    def _priors_of(self, node: _PuctNode) -> list[float]:
        return self._root_priors if node is self._root else node.priors

    def _policy_of(self, node: _PuctNode) -> list[float]:
        """What a network should learn: the visits, or the priors as the values improve them (Gumbel); or what wins."""
        if node.proof == self._rules.colours[node.seat]:
            wins = [1.0 if self._wins(node, child) else 0.0 for child in range(len(node.moves))]
            return [each / _sum(wins) for each in wins]
        if self._settings.gumbel <= 0 or node is not self._root:
            counts = self._visits_without_noise(node)
            total = _sum(counts)
            return [visits / total for visits in counts] if total > 0 else node.priors
        logits = self._improved_logits(node)
        highest = max(logits)
        weights = [exp(logit - highest) for logit in logits]
        total_weight = _sum(weights)
        return [weight / total_weight for weight in weights]

    def _visits_without_noise(self, node: _PuctNode) -> list[float]:
        """Visits of the moves; at a root with noise all but the most visited are cut.

        What is left is what their values and their priors without noise would have got them ("policy target pruning",
        Wu, "Accelerating Self-Play Learning in Go", 2019).
        """
        visits = [float(count) for count in node.visits]
        if node is not self._root or self._settings.noise <= 0 or not any(visits):
            return visits
        best, scale = _most(visits), self._exploration_at(node)
        highest = 2 * self._share_of(node, best) - 1 + scale * self._root_priors[best] / (1 + visits[best])
        for child, count in enumerate(visits):
            if child == best or not count:
                continue
            behind = highest - (2 * self._share_of(node, child) - 1)
            if behind > 0:
                visits[child] = min(max(scale * self._root_priors[child] / behind - 1, 0.0), count)
        return visits

    @staticmethod
    def _by_move(roots: list[tuple[_PuctNode, float]], numbers: list[list[float]]) -> dict[int, float]:
        """A number for each move, averaged by the odds of the throws that were looked at."""
        total: dict[int, float] = {}
        for (node, odds), of_moves in zip(roots, numbers, strict=True):
            for move, number in zip(node.moves, of_moves, strict=True):
                total[move] = total.get(move, 0.0) + odds * number
        weight = _sum([odds for _, odds in roots])
        return {move: number / weight for move, number in total.items()}


def _add(total: list[float], shares: Sequence[float]) -> None:
    for seat, share in enumerate(shares):
        total[seat] += share


def _sum(numbers: Sequence[float]) -> float:
    """One after the other, as the kernel adds; Python's own sum rounds differently."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _most(numbers: Sequence[float]) -> int:
    """The index of the highest, the first of equals."""
    return max(range(len(numbers)), key=numbers.__getitem__)


def _length(path: _Path) -> int:
    """How many moves, throws not counted."""
    return sum(not node.is_chance for node, _ in path)


def _select_outcome(node: _PuctNode) -> int:
    """The outcome of the dice that was visited least for its odds."""
    best, highest = 0, -1.0
    for child, odds in enumerate(node.priors):
        score = odds / (1 + node.visits[child] + node.in_flight[child])
        if score > highest:
            best, highest = child, score
    return best


def _growth_after(visits: float) -> float:
    """How much the exploration has grown: the logarithm of (visits + 500) / 500, straight between powers of two."""
    mantissa, exponent = frexp((visits + _GROWTH_VISITS) / _GROWTH_VISITS)
    return _LOG_2 * (exponent - 2 + 2 * mantissa)


def _seen(position: Position) -> tuple[bytes, int, int]:
    """What comes again in a circle."""
    return position.stones, position.mover, getattr(position, "passes_left", 0)


def _line(node: _PuctNode | None) -> Iterator[tuple[int, int]]:
    """The most visited moves from a position on and how often, under the most visited throws."""
    while node is not None and any(node.visits):
        child = _most(node.visits)
        if not node.is_chance:
            yield node.moves[child], node.visits[child]
        node = node.nodes[child]
