"""Monte Carlo tree search in plain Python: UCT whose moves also learn from later ones (RAVE), with random playouts.

`kernel/tree.cpp` is the same in C++ and knows more: replies and shapes in playouts, priors of new moves, proofs of won
and lost positions. With `variant=plain`, one thread, one seed and a number of playouts both choose the same moves.

* A node's children are the moves its side would play: no own eye, and no lone suicide, while there is anything else. A
  pass is a child where the game has one.
* Dice need no nodes for chance: at every visit they are thrown and only the moves on the lines they open may be chosen,
  so that a node's mean is the expectation by odds.
* A child's value is its own mean, weighed against the mean of all playouts in which its side played there later.
* When the game has moved on, what was found of the position it came to is kept. Its moves are looked up anew, because
  only at the root repetitions are known.

Source: S. Gelly, D. Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011.
"""

import time
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import log, sqrt

from gtp_variants.mcts.plain.diced_playout import DicedPlayout
from gtp_variants.mcts.plain.limits import is_enough
from gtp_variants.mcts.plain.playout import ENDED, Allowed, Playout
from gtp_variants.mcts.plain.playouts import begin_playout
from gtp_variants.mcts.plain.ponderer import Ponderer
from gtp_variants.mcts.result import Ask, SearchResult
from gtp_variants.mcts.settings import Avoided, SearchLimits, SearchSettings
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

# What the kernel's nodes and moves take, in bytes; a node under dice also has a flag for each line.
_NODE_BYTES = 16
_MOVE_BYTES = 48
# Playouts between two looks at whether more would change anything.
_BETWEEN_LOOKS = 16
_BETWEEN_ASKING_S = 0.02
# One of so many virtual games of a new move is won; a pass is rarely right while there is anything to play.
_EVEN = 2
_PASS_IN = 10


@dataclass(slots=True)
class _Node:
    """A position of the tree; the lists are parallel, an entry for each move."""

    mover: int
    moves: list[int]
    room: list[bool]
    is_over: bool
    winner: int
    games: list[float] = field(default_factory=list)
    won: list[float] = field(default_factory=list)
    later_games: list[float] = field(default_factory=list)
    later_won: list[float] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)
    nodes: list["_Node | None"] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return _NODE_BYTES + _MOVE_BYTES * len(self.moves) + (len(self.room) + 7) // 8 * 8

    @property
    def best(self) -> int:
        """The child that is visited most, the first of equals."""
        return max(range(len(self.visits)), key=self.visits.__getitem__)


class PlainTree:
    """A search that goes on from move to move with what it has found so far. It always uses one thread."""

    def __init__(self, rules: Rules, position: Position, settings: SearchSettings, avoided: Avoided = ()) -> None:
        self._rules = rules
        self._settings = settings
        self._avoided_until: dict[tuple[int, int], int] = {}
        for colour, move, depth in avoided:
            self._avoided_until[colour, move] = max(depth, self._avoided_until.get((colour, move), 0))
        self._most_bytes = int(settings.memory_mb * 2**20)
        self._next_playout = 0
        self._ponderer = Ponderer(self._ponder_once)
        self.go_on(position, None)

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        """Go on to a position that lies so many moves ahead of the one before, or, without them, to any one anew."""
        self.stop()
        known = None if moves is None else self._find(moves)
        rules = self._rules
        self._start = start = begin_playout(rules, position, self._settings.dice_aware, obliged=True)
        legal = rules.legal(position)
        if isinstance(start, DicedPlayout) and isinstance(rules, DicedRules):
            # On every line, for the dice may be thrown again.
            legal = rules.points_of_any_draw(position)
            if len(start.known) > 1:
                # Where two throws are known, what was found under all the others misleads.
                known = None
        self._legal = frozenset(legal)
        self._bytes = 0
        self._shares = dict.fromkeys(rules.colours, 0.0)
        self._turns = 0
        self._root = self._expand(start.copy(), 0)
        if known is not None:
            self._take_over(known)

    def think(self, limits: SearchLimits, ask: Ask | None = None) -> SearchResult:
        """Search until the playouts are done, the time is over, there is nothing to choose, or `ask` says so."""
        self.stop()
        self._ponderer.raise_error()
        clock = time.thread_time if limits.cpu_time else time.monotonic
        self._shares = dict.fromkeys(self._rules.colours, 0.0)
        self._turns = done = 0
        begun, asked = clock(), time.monotonic()
        while limits.playouts == 0 or done < limits.playouts:
            self._simulate()
            done += 1
            took_s = clock() - begun if limits.seconds > 0 else 0.0
            root = self._root
            if root.is_over or len(root.moves) <= 1:
                break
            if is_enough(limits, root.visits, done, took_s, done % _BETWEEN_LOOKS == 0):
                break
            if ask is not None and time.monotonic() - asked >= _BETWEEN_ASKING_S:
                if not ask(partial(self._result, done)):
                    break
                asked = time.monotonic()
        return self._result(done)

    # -- on the others' time -------------------------------------------------------------------------------------------

    def ponder(self) -> None:
        """Think in the background, without a limit, until `stop`, or until the memory is used up."""
        self._ponderer.start()

    def stop(self) -> None:
        """End what `ponder` began; nothing runs any more when this returns."""
        self._ponderer.stop()

    @property
    def is_pondering(self) -> bool:
        """Whether it thinks in the background."""
        return self._ponderer.is_running

    def _ponder_once(self) -> bool:
        """One playout in the background; False if there is to be no other."""
        if self._root.is_over or self._bytes >= self._most_bytes:
            return False
        self._simulate()
        return True

    # -- from move to move ---------------------------------------------------------------------------------------------

    def _find(self, moves: Sequence[int]) -> _Node | None:
        """The node so many moves below the root, None if there is none."""
        node: _Node | None = self._root
        for move in moves:
            if node is None or move not in node.moves:
                return None
            node = node.nodes[node.moves.index(move)]
        return node

    def _take_over(self, known: _Node) -> None:
        """Give the root what another node of the same position has found."""
        root, start = self._root, self._start
        is_open: Container[int] | None = None
        if isinstance(start, DicedPlayout) and start.known:
            is_open = start.open_moves(start.openings[start.known[0]], root.room)
        for child, move in enumerate(root.moves):
            # Under a known throw the moves on other lines are not to be had: what was found of them counts no more.
            if move not in known.moves or (is_open is not None and move not in is_open):
                continue
            before = known.moves.index(move)
            root.games[child], root.won[child] = known.games[before], known.won[before]
            root.later_games[child], root.later_won[child] = known.later_games[before], known.later_won[before]
            root.nodes[child], root.visits[child] = known.nodes[before], known.visits[before]
        below = [root]
        for node in below:
            below.extend(child for child in node.nodes if child is not None)
        self._bytes = sum(node.bytes for node in below)

    # -- one playout: descend, play on at random, update ---------------------------------------------------------------

    def _simulate(self) -> None:
        settings = self._settings
        rng = Rng.of_playout(settings.seed, self._next_playout)
        self._next_playout += 1
        game, node, path = self._start.copy(), self._root, list[tuple[_Node, int]]()
        while True:
            if node.is_over:
                game.end(node.winner)
                break
            child = self._select(node, game.throw(rng, node.room))
            path.append((node, child))
            game.play(node.moves[child])
            if game.is_over:
                break
            below = node.nodes[child]
            if below is None:
                if node.visits[child] + 1 >= settings.expand_at and self._bytes < self._most_bytes:
                    node.nodes[child] = self._expand(game, len(path))
                break
            node = below
        following = game.next
        if not game.is_over:
            game.finish(rng)
        self._turns += game.turns
        self._update(path, game, following)

    def _select(self, node: _Node, is_open: Container[int] | None) -> int:
        """The child to go on with; under a throw only the moves on the lines it opens, and a pass if they have none."""
        bonus = 0.0
        if self._settings.exploration > 0:
            total = 0.0
            for games in node.games:
                total += games
            bonus = self._settings.exploration * sqrt(log(total + 1))
        best, highest = len(node.moves) - 1, -1.0
        for child, move in enumerate(node.moves):
            if is_open is None or move in is_open:
                value = self._value(node, child, bonus)
                if value > highest:
                    best, highest = child, value
        return best

    def _value(self, node: _Node, child: int, bonus: float) -> float:
        """What a move is worth: its mean, weighed against that of later moves, and the bonus of seldom tried ones."""
        settings, games = self._settings, node.games[child]
        if games == 0:
            return settings.first_play + bonus
        value = node.won[child] / games
        later = node.later_games[child]
        if settings.rave and later > 0:
            weight = later / (later + games + games * later / settings.equivalence)
            value = (1 - weight) * value + weight * (node.later_won[child] / later)
        return value + bonus / sqrt(games) if bonus > 0 else value

    def _expand(self, game: Playout, depth: int) -> _Node:
        """A new node for the position a game has come to; the game ends there if it has no moves."""
        mover = game.mover
        legal: Allowed | None = None if depth else self._legal.__contains__
        avoided = {move for (colour, move), until in self._avoided_until.items() if colour == mover and depth < until}

        def may_look_at(move: int) -> bool:
            return move not in avoided and (move == PASS or legal is None or legal(move))

        moves = game.moves(may_look_at if avoided or legal else None)
        if avoided and not moves:
            # Where nothing but avoided moves is left, they are looked at all the same.
            avoided.clear()
            game.is_over = False
            moves = game.moves(may_look_at)
        node = _Node(mover, moves, game.find_room(legal), game.is_over, game.winner)
        even, count = self._settings.even, len(moves)
        node.games, node.visits, node.nodes = [even] * count, [0] * count, [None] * count
        node.won = [even / (_PASS_IN if move == PASS else _EVEN) for move in moves]
        node.later_games, node.later_won = node.games.copy(), node.won.copy()
        self._bytes += node.bytes
        return node

    def _share(self, winner: int, colour: int) -> float:
        if winner == EMPTY:
            return 1.0 / len(self._start.order)
        return 1.0 if winner == colour else 0.0

    def _update(self, path: list[tuple[_Node, int]], game: Playout, following: int) -> None:
        """Count the result of a playout in the nodes it went through; `following` was to move when it began."""
        for colour in game.order:
            self._shares[colour] += self._share(game.winner, colour)
        rave = self._settings.rave
        owner = _first_on_each_point(game, following) if rave else []
        for node, child in reversed(path):
            mover, moves = node.mover, node.moves
            gained = self._share(game.winner, mover)
            node.games[child] += 1
            node.visits[child] += 1
            node.won[child] += gained
            if not rave:
                continue
            # From here on, the first to play on a point is whoever moved there now.
            if moves[child] >= 0:
                owner[moves[child]] = mover
            later_games, later_won = node.later_games, node.later_won
            for other, move in enumerate(moves):
                if move >= 0 and owner[move] == mover:
                    later_games[other] += 1
                    later_won[other] += gained

    # -- the end -------------------------------------------------------------------------------------------------------

    def _result(self, done: int) -> SearchResult:
        root = self._root
        principal: list[int] = []
        node: _Node | None = root
        while node is not None and node.moves and (node is root or node.visits[node.best]):
            principal.append(node.moves[node.best])
            node = node.nodes[node.best]
        return SearchResult(
            action=principal[0] if principal else PASS,
            visits=dict(zip(root.moves, root.visits, strict=True)),
            values=tuple(share / done if done else 0.0 for share in self._shares.values()),
            principal_variation=tuple(principal),
            playouts=done,
            turns=self._turns,
            shares={
                move: won / games for move, won, games in zip(root.moves, root.won, root.games, strict=True) if games
            },
        )


def _first_on_each_point(game: Playout, following: int) -> list[int]:
    """Who was the first to play on each point in the random part of a game; `following` was to move when it began."""
    order = game.order
    turns = [move for move in game.record if move > ENDED]
    owner = [EMPTY] * game.tables.points
    for number in range(len(turns) - 1, -1, -1):
        if turns[number] >= 0:
            owner[turns[number]] = order[(following + number) % len(order)]
    return owner
