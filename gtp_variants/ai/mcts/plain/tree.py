"""UCT with RAVE and random playouts in plain Python.

`kernel/tree/tree.cpp` is its C++ twin and does more: it has replies and shapes in playouts, priors for new moves, and
proofs of won and lost positions. With `variant=plain`, one thread, and the same seed and number of playouts, both
choose the same moves.

* A node's children are the moves that its side would play: no move that fills an own eye, no lone suicide while other
  moves are left, in Go no suicide at all; and a pass if the game has passes.
* Dice need no chance nodes. They are thrown at every visit, and only moves on open lines may be chosen, so a node's
  mean approaches the expectation.
* A child's value combines its own mean with the mean of all playouts in which its side played this move later. A bonus
  that grows with the square root of the node's visits ensures that no move is abandoned for good.
* Games are counted in sixths, so that a drawn game gives each of two or three players a whole number.
* When the memory is used up, the least visited nodes are dropped until half of the memory is free.
* Moves forbidden by superko are not among the children; playouts know only the simple ko.
* When the game moves on, the subtree of the new position is kept, and its legal moves are determined again.

Source: S. Gelly, D. Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011.
"""

import time
from collections.abc import Container, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from math import sqrt

from gtp_variants.ai.mcts.plain.playout import ENDED, Allowed, DicedPlayout, Playout
from gtp_variants.ai.mcts.plain.playouts import begin_playout
from gtp_variants.ai.mcts.plain.ponderer import BETWEEN_ASKING_S, BETWEEN_LOOKS, ONLY_MOVE, Ponderer, is_enough
from gtp_variants.ai.mcts.result import OnProgress, SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMoves, SearchLimits, SearchSettings, find_depths_to_avoid
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.history import RepetitionRule
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

_NOWHERE: AbstractSet[int] = frozenset()


class Superko:
    """The boards on the path of the current playout; `kernel/tree/superko.hpp` is its C++ twin."""

    def __init__(self, rules: Rules, position: Position, is_enforced: bool) -> None:
        name = str(rules.profile.kernel_facts(rules).get("repetition", ""))
        self._is_enforced = (
            is_enforced and rules.is_scored and bool(rules.profile.kernel_game) and name in ("psk", "ssk", "nssk")
        )
        self._rule = RepetitionRule(name, rules.colours)
        self._root = position
        # For each colour, the points that its stones may have left since an earlier board.
        self._root_left: dict[int, AbstractSet[int]] = dict.fromkeys(rules.colours, _NOWHERE)
        if self._is_enforced:
            for board in position.history:
                self._root_left = self._leave(self._root_left, board[: len(position.stones)], position.stones)
        self.begin()

    def begin(self) -> None:
        """Start another playout."""
        self._history = self._root.history
        self._stones = self._root.stones
        self._left = self._root_left

    def note(self, game: Playout, mover: int, move: int) -> None:
        """Record the board after a move of `mover`."""
        if self._is_enforced:
            stones = game.stones
            if move != PASS and stones.count(EMPTY) >= self._stones.count(EMPTY):
                self._left = self._leave(self._left, self._stones, stones)
            self._stones = stones
            self._history = self._rule.add(self._history, stones, mover, move != PASS)

    def find_forbidden(self, game: Playout) -> AbstractSet[int]:
        """Return the points that superko alone forbids to the side to play."""
        if not self._is_enforced or not self._left[game.mover]:
            return _NOWHERE
        mover = game.mover
        forbidden = set[int]()
        # Only a stone on a point that a stone of this colour has left can make a board recur.
        for point in self._left[mover]:
            if game.stones[point] == EMPTY and game.may_place(point, mover):
                after = game.copy()
                after.play_point(point)
                if self._rule.forbids(self._history, b"", after.stones, mover):
                    forbidden.add(point)
        return forbidden

    @staticmethod
    def _leave(left: dict[int, AbstractSet[int]], before: bytes, now: bytes) -> dict[int, AbstractSet[int]]:
        """Return, by colour, the points in `left` and the points that stones left between two boards."""
        gone = {point: colour for point, colour in enumerate(before) if colour and now[point] != colour}
        if not gone:
            return left
        return {
            colour: points | {point for point, own in gone.items() if own == colour} for colour, points in left.items()
        }


# Size in bytes of the kernel's nodes and moves; under dice a node also has a flag for each line.
_NODE_BYTES = 16
_MOVE_BYTES = 32
# One game in the unit of all counts, sixths of a game.
_GAME = 6
# Minimum part of the exploration bonus, for moves that have always or never won.
_CERTAIN = 0.05
# A new move wins one in this many virtual games; a pass wins fewer, because passing early is rarely right.
_EVEN = 2
_PASS_IN = 10


@dataclass(slots=True)
class _Node:
    """A position of the tree; its lists from `games` on have one entry per move."""

    mover: int
    moves: list[int]
    room: list[bool]
    is_over: bool
    winner: int
    games: list[int] = field(default_factory=list)
    won: list[int] = field(default_factory=list)
    later_games: list[int] = field(default_factory=list)
    later_won: list[int] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)
    nodes: list["_Node | None"] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return _NODE_BYTES + _MOVE_BYTES * len(self.moves) + (len(self.room) + 7) // 8 * 8

    @property
    def best(self) -> int:
        """The index of the most visited child; if several are equal, the first."""
        return max(range(len(self.visits)), key=self.visits.__getitem__)


class PlainTree:
    """A `SearchTree` in one thread. With a `target`, a point, the owner of its stone wins by keeping the stone."""

    def __init__(
        self,
        rules: Rules,
        position: Position,
        settings: SearchSettings,
        avoided: AvoidedMoves = (),
        target: int | None = None,
    ) -> None:
        self._rules = rules
        self._settings = settings
        self._target = target
        self._holder = EMPTY if target is None else position.stones[target]
        self._avoided_until = find_depths_to_avoid(avoided)
        self._most_bytes = int(settings.memory_mb * 2**20)
        # Weight of a sixth of a later game, relative to the move's own games.
        self._a_later_game = 1 / (_GAME * settings.equivalence)
        self._next_playout = 0
        self._ponderer = Ponderer(self._ponder_once)
        self.ponder, self.stop = self._ponderer.start, self._ponderer.stop
        self.go_on(position, None)

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        self.stop()
        known = None if moves is None else self._find(moves)
        rules = self._rules
        self._start = start = begin_playout(rules, position, self._settings.dice_aware, obliged=True)
        legal = rules.legal(position)
        if isinstance(start, DicedPlayout) and isinstance(rules, DicedRules):
            # Consider moves on every line, because each playout throws the dice again.
            legal = rules.points_of_any_draw(position)
            if len(start.known) > 1:
                # If two throws are known, results under other throws would mislead, so the tree is dropped.
                known = None
        self._legal = frozenset(legal)
        # In a search about a target, superko is not enforced: repeating a board loses instead.
        self._superko = Superko(rules, position, is_enforced=self._target is None)
        self._bytes = 0
        self._shares = dict.fromkeys(rules.colours, 0.0)
        self._turns = 0
        # Over all playouts from this root: their number, and the sum of each point's owners (1: first colour, else -1).
        self._counted = 0
        self._owned = [0] * len(rules.board) if rules.is_scored else []
        self._root = self._expand(start.copy(), 0)
        self._root_won = self._root.won.copy()
        self._root_visits = 0
        # For each root move: the number of its scored playouts, and the sums of their scores and of their squares.
        self._scores = [(0, 0.0, 0.0)] * len(self._root.moves)
        if known is not None:
            self._take_over(known)

    def think(self, limits: SearchLimits, on_progress: OnProgress | None = None) -> SearchResult:
        self.stop()
        self._ponderer.raise_error()
        clock = time.thread_time if limits.cpu_time else time.monotonic
        self._shares = dict.fromkeys(self._rules.colours, 0.0)
        self._turns = done = 0
        begun, asked = clock(), time.monotonic()
        while limits.playouts == 0 or done < limits.playouts:
            if self._bytes >= self._most_bytes:
                self._prune()
            self._simulate()
            done += 1
            took_s = clock() - begun if limits.seconds > 0 else 0.0
            root = self._root
            if root.is_over or (len(root.moves) <= 1 and limits.stop_early and done >= ONLY_MOVE):
                break
            if is_enough(limits, root.visits, done, took_s, done % BETWEEN_LOOKS == 0):
                break
            if on_progress is not None and time.monotonic() - asked >= BETWEEN_ASKING_S:
                if not on_progress(partial(self._result, done)):
                    break
                asked = time.monotonic()
        return self._result(done)

    @property
    def is_pondering(self) -> bool:
        return self._ponderer.is_running

    def _ponder_once(self) -> bool:
        """Make one playout in the background; return False if there is nothing left to do."""
        if self._root.is_over or self._bytes >= self._most_bytes:
            return False
        self._simulate()
        return True

    def _find(self, moves: Sequence[int]) -> _Node | None:
        """Return the node after `moves`, or None if it does not exist."""
        node: _Node | None = self._root
        for move in moves:
            if node is None or move not in node.moves:
                return None
            node = node.nodes[node.moves.index(move)]
        return node

    def _take_over(self, known: _Node) -> None:
        """Give the root the results of `known`, a node for the same position, for moves that the throw allows."""
        root, start = self._root, self._start
        is_open: Container[int] | None = None
        if isinstance(start, DicedPlayout) and start.known:
            is_open = start.open_moves(start.openings[start.known[0]], root.room)
        for child, move in enumerate(root.moves):
            # With a known throw, moves on other lines are impossible, so their results no longer count.
            if move not in known.moves or (is_open is not None and move not in is_open):
                continue
            before = known.moves.index(move)
            root.games[child], root.won[child] = known.games[before], known.won[before]
            root.later_games[child], root.later_won[child] = known.later_games[before], known.later_won[before]
            root.nodes[child], root.visits[child] = known.nodes[before], known.visits[before]
        self._root_visits = sum(root.visits)
        self._bytes = sum(node.bytes for node in self._nodes())

    def _nodes(self) -> list[_Node]:
        """Return all nodes of the tree, the root first."""
        nodes = [self._root]
        for node in nodes:
            nodes.extend(child for child in node.nodes if child is not None)
        return nodes

    def _prune(self) -> None:
        """Drop the least visited nodes until the rest use half of the memory; they can be expanded again."""
        nodes, root = self._nodes(), self._root
        # Bytes of nodes by bit length of visits. No child has more visits than its parent, so whole subtrees are freed.
        of_digits = [0] * 33
        for node in nodes:
            for visits, below in zip(node.visits, node.nodes, strict=True):
                if below is not None:
                    of_digits[visits.bit_length()] += below.bytes
        kept, least = self._bytes - root.bytes, 0
        while kept > max(0, self._most_bytes - root.bytes) // 2:
            kept -= of_digits[least]
            least += 1
        for node in nodes:
            for child, visits in enumerate(node.visits):
                if visits.bit_length() < least:
                    node.nodes[child] = None
        self._bytes = root.bytes + kept

    def _simulate(self) -> None:
        settings = self._settings
        rng = Rng.of_playout(settings.seed, self._next_playout)
        self._next_playout += 1
        game, node, path = self._start.copy(), self._root, list[tuple[_Node, int]]()
        visits = self._root_visits
        self._root_visits += 1
        seen, is_settled = [game.stones], False
        self._superko.begin()
        while True:
            if node.is_over:
                game.end(node.winner)
                break
            child = self._select(node, visits, game.throw(rng, node.room))
            path.append((node, child))
            mover = game.mover
            game.play(node.moves[child])
            self._superko.note(game, mover, node.moves[child])
            if self._target is not None and node.moves[child] != PASS:
                is_settled = self._settle(game, mover, seen)
            if game.is_over:
                break
            below, visits = node.nodes[child], node.visits[child] + 1
            if below is None:
                if visits >= settings.expand_at and self._bytes < self._most_bytes:
                    node.nodes[child] = self._expand(game, len(path))
                break
            node = below
        following = game.next
        if not game.is_over:
            game.finish(rng)
        if self._target is not None and not is_settled:
            game.winner = self._holder if game.stones[self._target] == self._holder else _other(game, self._holder)
        self._turns += game.turns
        self._count_owners(game)
        if path and game.lead is not None and self._target is None:
            count, total, squares = self._scores[path[0][1]]
            self._scores[path[0][1]] = count + 1, total + game.lead, squares + game.lead * game.lead
        self._update(path, game, following)

    def _settle(self, game: Playout, mover: int, seen: list[bytes]) -> bool:
        """End the game if the target is captured or the mover, who then loses, repeats a board. Return True if over."""
        assert self._target is not None
        stones = game.stones
        if stones[self._target] != self._holder:
            game.end(_other(game, self._holder))
        elif stones in seen:
            game.end(_other(game, mover))
        seen.append(stones)
        return game.is_over

    def _count_owners(self, game: Playout) -> None:
        """Count the owner of each point at the end of a game with a score."""
        owned, first = self._owned, self._rules.colours[0]
        if not owned:
            return
        self._counted += 1
        for point, colour in enumerate(game.stones):
            if colour:
                owned[point] += 1 if colour == first else -1
        for owner, region in game.regions():
            for point in region:
                owned[point] += 1 if owner == first else -1

    def _select(self, node: _Node, visits: int, is_open: Container[int] | None) -> int:
        """Return the child of highest value among moves in `is_open`, if given; if none is open, the last, a pass."""
        bonus = _GAME * self._settings.exploration * sqrt(visits)
        best, highest = len(node.moves) - 1, -1.0
        for child, move in enumerate(node.moves):
            if is_open is None or move in is_open:
                value = self._value(node, child, bonus)
                if value > highest:
                    best, highest = child, value
        return best

    def _value(self, node: _Node, child: int, bonus: float) -> float:
        """Return a move's share of wins, in its own and later games combined, plus its exploration bonus."""
        games = node.games[child]
        if games == 0:
            return self._settings.first_play + bonus
        later = node.later_games[child]
        weight = 1 + later * self._a_later_game
        of_all = 1 / (games * weight + later)
        won = (node.won[child] * weight + node.later_won[child]) * of_all
        # A move that nearly always wins or loses needs little exploring, so its bonus shrinks.
        return won + bonus * (weight * of_all) * (4 * won * (1 - won) + _CERTAIN)

    def _expand(self, game: Playout, depth: int) -> _Node:
        """Return a new node for the position of a game; end the game if there are no moves."""
        mover = game.mover
        legal: Allowed | None = None if depth else self._legal.__contains__
        forbidden = self._superko.find_forbidden(game) if depth else frozenset()
        avoided = {move for (colour, move), until in self._avoided_until.items() if colour == mover and depth < until}

        def may_look_at(move: int) -> bool:
            is_legal = move == PASS or (move not in forbidden if legal is None else legal(move))
            return move not in avoided and is_legal

        moves = game.moves(may_look_at if avoided or forbidden or legal else None)
        if avoided and not moves:
            # If every move is to be avoided, search them all.
            avoided.clear()
            game.is_over = False
            moves = game.moves(may_look_at)
        node = _Node(mover, moves, game.find_room(legal, forbidden), game.is_over, game.winner)
        even, count = self._settings.even, len(moves)
        pass_in = _PASS_IN if self._target is None else _EVEN
        node.games, node.visits, node.nodes = [_in_sixths(even)] * count, [0] * count, [None] * count
        node.won = [_in_sixths(even / (pass_in if move == PASS else _EVEN)) for move in moves]
        if self._settings.rave:
            node.later_games, node.later_won = node.games.copy(), node.won.copy()
        else:
            node.later_games, node.later_won = [0] * count, [0] * count
        self._bytes += node.bytes
        return node

    def _update(self, path: list[tuple[_Node, int]], game: Playout, following: int) -> None:
        """Back up a playout's result; `following` indexes the colour that was to move when the random part began."""
        winner, players = game.winner, len(self._start.order)
        for colour in game.order:
            self._shares[colour] += 1.0 / players if winner == EMPTY else float(winner == colour)
        rave = self._settings.rave
        owner = _first_on_each_point(game, following) if rave else []
        for node, child in reversed(path):
            mover, moves = node.mover, node.moves
            gained = _GAME // players if winner == EMPTY else _GAME * (winner == mover)
            node.games[child] += _GAME
            node.visits[child] += 1
            node.won[child] += gained
            if not rave:
                continue
            # From this node on, its mover is the first to play on the move's point.
            if moves[child] >= 0:
                owner[moves[child]] = mover
            later_games, later_won = node.later_games, node.later_won
            for other, move in enumerate(moves):
                if move >= 0 and owner[move] == mover:
                    later_games[other] += _GAME
                    later_won[other] += gained

    def _result(self, done: int) -> SearchResult:
        root = self._root
        lines = {root.moves[child]: _line(root, child) for child, visits in enumerate(root.visits) if visits}
        action = root.moves[root.best] if root.moves else PASS
        scores = {
            move: _mean_and_stdev([tally]) for move, tally in zip(root.moves, self._scores, strict=True) if tally[0]
        }
        score, score_stdev = _mean_and_stdev(self._scores) if scores else (None, None)
        return SearchResult(
            action=action,
            visits=dict(zip(root.moves, root.visits, strict=True)),
            values=tuple(share / done if done else 0.0 for share in self._shares.values()),
            principal_variation=tuple(move for move, _ in lines.get(action, [(action, 0)])) if root.moves else (),
            playouts=done,
            turns=self._turns,
            shares={
                move: min(1.0, max(0.0, (won - virtual) / (_GAME * visits)))
                for move, visits, won, virtual in zip(root.moves, root.visits, root.won, self._root_won, strict=True)
                if visits
            },
            ownership=tuple(owned / self._counted for owned in self._owned) if self._counted else (),
            priors=self._priors(),
            lines={move: tuple(each for each, _ in line) for move, line in lines.items()},
            line_visits={move: tuple(visits for _, visits in line) for move, line in lines.items()},
            score=score,
            score_stdev=score_stdev,
            scores=scores,
        )

    def _priors(self) -> dict[int, float]:
        """Return each move's prior: its virtual wins times its virtual win rate, divided by the sum over all moves."""
        games = _in_sixths(self._settings.even)
        weights = [won * won / games if games else 1.0 for won in self._root_won]
        whole = 0.0
        for weight in weights:
            whole += weight
        return {move: weight / whole for move, weight in zip(self._root.moves, weights, strict=True)}


def _line(node: _Node, child: int) -> list[tuple[int, int]]:
    """Return tuples (move, visits) for a move and the most visited moves after it."""
    line = [(node.moves[child], node.visits[child])]
    below = node.nodes[child]
    while below is not None and below.moves and below.visits[below.best]:
        line.append((below.moves[below.best], below.visits[below.best]))
        below = below.nodes[below.best]
    return line


def _mean_and_stdev(tallies: Sequence[tuple[int, float, float]]) -> tuple[float, float]:
    """Return the mean and standard deviation of all numbers in tallies (count, sum, sum of squares)."""
    count, total, squares = 0, 0.0, 0.0
    for tally in tallies:
        count, total, squares = count + tally[0], total + tally[1], squares + tally[2]
    mean = total / count
    return mean, sqrt(max(0.0, squares / count - mean * mean))


def _in_sixths(games: float) -> int:
    """Return a number of games in sixths, rounded to a whole number."""
    return int(games * _GAME + 0.5)


def _other(game: Playout, colour: int) -> int:
    return next(other for other in game.order if other != colour)


def _first_on_each_point(game: Playout, following: int) -> list[int]:
    """Return each point's first player, or EMPTY, in a game's random part, which colour number `following` began."""
    order = game.order
    turns = [move for move in game.record if move > ENDED]
    owner = [EMPTY] * game.tables.points
    for number in range(len(turns) - 1, -1, -1):
        if turns[number] >= 0:
            owner[turns[number]] = order[(following + number) % len(order)]
    return owner
