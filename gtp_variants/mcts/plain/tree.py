"""Tree search in plain Python: UCT whose children share what all later moves told (RAVE), with playouts.

The twin of `kernel/tree.cpp`: with one thread, one seed and a number of playouts both forms choose the same moves. What
is written there as a comment holds here; plain Python always uses one thread.

* A node's children are the moves its side would play: no own eye, and in Alter Igo no lone suicide, while there is
  anything else. A pass is a child where the game has one.
* Aléago needs no nodes for chance: at every visit the dice are thrown and only the moves on the lines they open may be
  chosen, so that a node's mean is the expectation by odds. Where a pass would suspend the game own eyes are moves, too.
* A child's value is its own mean, weighed against the mean of all playouts in which its side played there later.
* Wins and losses of Pentalath and Alter Igo between two are carried up the tree as proofs; draws are not.
* In Alter Igo a position that comes again on the way from the root is a draw, as the third time would be by the rules,
  and a move that makes one is known from the start: no playout tells that a reply which is bad elsewhere saves a game.
* When the game has moved on, what was found of the position it came to is kept. Its moves are looked up anew, because
  only at the root repetitions are known.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf, log, sqrt
from threading import Thread
from weakref import ref

from gtp_variants.mcts.plain.playout import ENDED, Moment, Opening, Playout, Start
from gtp_variants.mcts.plain.playout_board import NONE, Board, RichBoard
from gtp_variants.mcts.plain.priors import Priors
from gtp_variants.mcts.plain.replies import Style
from gtp_variants.mcts.plain.threats import Threats
from gtp_variants.mcts.result import Ask, SearchResult
from gtp_variants.mcts.settings import Avoided, SearchLimits, SearchSettings
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import EMPTY, PASS, WHITE
from gtp_variants.rules.games.aleago import AleagoPosition, AleagoRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

# A draw is known only on the way by which the tree comes to it: it proves nothing of other nodes.
_UNKNOWN, _WON, _LOST, _DRAWN = range(4)
# Which of them is played first.
_RANKS = (1, 2, 0, 1)


# Pentalath: boards that a search for threats may look at, at the root and at other nodes.
_THREATS_AT_ROOT, _THREATS_AT_NODES = 4000, 60
# What the kernel's nodes and moves take, in bytes; a node of Aléago also has a flag for each line.
_NODE_BYTES, _MOVE_BYTES = 16, 48
_BETWEEN_LOOKS = 16
_BETWEEN_ASKING_S = 0.02
# Alter Igo: the stones, whose turn it is, and how often White may still pass.
_Scene = tuple[bytes, int, int]
# So many times the visits of the second move make the best one clear.
_CLOSE = 2.5


@dataclass(slots=True)
class _Node:
    """A position of the tree; the lists are parallel, an entry for each move."""

    mover: int
    moves: list[int] = field(default_factory=list)
    games: list[float] = field(default_factory=list)
    won: list[float] = field(default_factory=list)
    later_games: list[float] = field(default_factory=list)
    later_won: list[float] = field(default_factory=list)
    nodes: list["_Node | None"] = field(default_factory=list)
    proofs: list[int] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)
    is_whole: bool = False
    is_over: bool = False
    winner: int = EMPTY
    room: list[bool] = field(default_factory=list)


class PlainTree:
    """A search that goes on from move to move with what it has found so far."""

    def __init__(self, rules: Rules, position: Position, settings: SearchSettings, avoided: Avoided = ()) -> None:
        self._rules = rules
        self._until: dict[tuple[int, int], int] = {}
        for colour, move, depth in avoided:
            self._until[colour, move] = max(depth, self._until.get((colour, move), 0))
        self._settings = settings
        self._colours = rules.colours
        self._tells_sides = rules.values.get("repetition") == "situation"
        self._repeat_count = int(rules.values["repeat_count"]) if rules.name == "alter-igo" else 0  # type: ignore[arg-type]
        self._most_bytes = int(settings.memory_mb * 2**20)
        self._next = 0
        self._is_told = False
        self._ponderer: Thread | None = None
        self.go_on(position, None)

    def go_on(self, position: Position, moves: Sequence[int] | None) -> None:
        """Go on to a position that lies so many moves ahead of the one before, or, without them, to any one anew."""
        self.stop()
        known = None if moves is None else self._find(moves)
        rules = self._rules
        settings = self._settings
        # Pentalath's proofs ask for more than its own tactics.
        is_rich = settings.atari or settings.shapes or settings.priors or rules.name == "pentalath"
        self._start = start = Start(rules, position, is_rich, settings.dice_aware)
        self._game = start.game
        self._style = Style(settings.tactics, settings.atari, settings.shapes, obliged=True)
        self._priors = Priors(start, self._style) if settings.priors else None
        # Where two throws are known, what was found under all the others misleads.
        if len(start.known) > 1:
            known = None
        self._legal = set(rules.legal(position))
        if start.game == "aleago" and isinstance(rules, AleagoRules) and isinstance(position, AleagoPosition):
            self._legal = set(rules.legal_points(position))
        self._history = position.history
        tactical = start.game in ("pentalath", "alter-igo") and len(start.order) == 2
        self._has_proofs = settings.proofs and tactical
        self._knows_draws = self._has_proofs and start.game == "alter-igo"
        self._bytes = 0
        self._shares = [0.0] * 4
        self._turns = 0
        self._board: Board = start.board.copy()
        self._path: list[tuple[_Node, int]] = []
        self._moves: list[int] = []
        moment = start.moment()
        self._seen = [self._scene(moment)]
        self._root = self._expand(moment, True)
        if known is not None:
            self._take_over(known)

    def think(self, limits: SearchLimits, ask: Ask | None = None) -> SearchResult:
        """Search until the playouts are done, the time is over, the game is decided, or `ask` says so."""
        self.stop()
        clock = time.thread_time if limits.cpu_time else time.monotonic
        self._shares = [0.0] * 4
        self._turns = done = 0
        begun, asked = clock(), time.monotonic()
        while limits.playouts == 0 or done < limits.playouts:
            self._simulate(self._next)
            self._next += 1
            done += 1
            took_s = clock() - begun if limits.seconds > 0 else 0.0
            if self._is_decided() or self._is_enough(limits, done, took_s):
                break
            if ask is not None and time.monotonic() - asked >= _BETWEEN_ASKING_S:
                if not ask(partial(self._found, done)):
                    break
                asked = time.monotonic()
        return self._found(done)

    def ponder(self) -> None:
        """Think in the background, without a limit, until `stop`, or until the memory is used up."""
        self.stop()
        self._is_told = False
        # The thread holds on to the tree only while a playout runs, so that it ends with whoever owns the tree.
        self._ponderer = Thread(target=_ponder, args=(ref(self),), daemon=True)
        self._ponderer.start()

    def stop(self) -> None:
        """End what `ponder` began; nothing runs any more when this returns."""
        self._is_told = True
        if self._ponderer is not None:
            self._ponderer.join()
            self._ponderer = None

    @property
    def is_pondering(self) -> bool:
        """Whether it thinks in the background."""
        return self._ponderer is not None and self._ponderer.is_alive()

    def ponder_once(self) -> bool:
        """One playout in the background; False if there is to be no other."""
        if self._is_told or self._root.is_over or self._bytes >= self._most_bytes or self._proved() is not None:
            return False
        self._simulate(self._next)
        self._next += 1
        return True

    def _find(self, moves: Sequence[int]) -> "_Node | None":
        """The node so many moves below the root, None if there is none."""
        node: _Node | None = self._root
        for move in moves:
            if node is None or move not in node.moves:
                return None
            node = node.nodes[node.moves.index(move)]
        return node

    def _take_over(self, known: "_Node") -> None:
        """Give the root what another node of the same position has found."""
        root, start = self._root, self._start
        is_open = self._open_moves(root, start.openings[start.known[0]], start.passes) if start.known else None
        places = {move: place for place, move in enumerate(known.moves)}
        for child, move in enumerate(root.moves):
            place = places.get(move)
            # Under a known throw the moves on other lines are not to be had: what was found of them counts no more.
            if place is None or (is_open and not is_open[PASS if move == PASS else start.bucket_of[move]]):
                continue
            root.games[child], root.won[child] = known.games[place], known.won[place]
            root.later_games[child], root.later_won[child] = known.later_games[place], known.later_won[place]
            root.nodes[child], root.visits[child] = known.nodes[place], known.visits[place]
            # What is a draw may be none any more, and the other way round.
            if known.proofs[place] in (_WON, _LOST):
                root.proofs[child] = known.proofs[place]
        below = [root]
        for node in below:
            below.extend(child for child in node.nodes if child is not None)
        self._bytes = sum(map(_size, below))

    # -- one playout ---------------------------------------------------------------------------------------------------

    def _simulate(self, index: int) -> None:
        start, settings = self._start, self._settings
        self._board = start.board.copy()
        rng = Rng.of_playout(settings.seed, index)
        moment = start.moment()
        self._path, self._moves, self._seen = [], [], self._seen[:1]
        node, winner, is_over = self._root, EMPTY, False
        while True:
            if node.is_over:
                winner, is_over = node.winner, True
                break
            opening = start.openings[start.draw(moment, rng)] if self._game == "aleago" else None
            child = self._select(node, opening, moment.passes)
            self._path.append((node, child))
            if node.proofs[child] == _WON:
                winner, is_over = node.mover, True
                break
            is_over, winner = self._step(moment, node.moves[child])
            if self._knows_draws and is_over != (node.proofs[child] == _DRAWN):
                node.proofs[child] = _DRAWN if is_over else _UNKNOWN
            if is_over:
                break
            below = node.nodes[child]
            if below is not None:
                node = below
                continue
            if node.visits[child] + 1 >= settings.expand_at and self._bytes < self._most_bytes:
                leaf = node.nodes[child] = self._expand(moment, False)
                winner, is_over = leaf.winner, leaf.is_over
            break
        following = moment.next
        if is_over:
            self._turns += moment.turns
        else:
            ending = Playout(start, self._board, rng, moment, self._moves, self._style).run()
            winner = ending.winner
            self._turns += ending.turns
        self._update(winner, following, is_over)

    def _step(self, moment: Moment, move: int) -> tuple[bool, int]:
        """Carry out a move of the tree: whether the game is over, and who has won then."""
        start, board = self._start, self._board
        mover = start.order[moment.next]
        moment.next = (moment.next + 1) % len(start.order)
        moment.turns += 1
        moment.tell(move)
        if move == PASS:
            moment.passes += 1
            if self._game == "alter-igo":
                moment.passes_left -= 1
                return False, EMPTY
            board.ko = -1
            if self._game == "pentalath":
                return moment.passes >= len(start.order), EMPTY
            judge = Playout(start, board, Rng(0), moment)
            return (True, judge.winner()) if judge.is_ended_by(moment.passes) else (False, EMPTY)
        moment.passes = 0
        points = board.empties[start.bucket_of[move]]
        board.play_at(points, points.index(move), mover)
        if self._game == "pentalath":
            return board.has_five, mover
        return self._game == "alter-igo" and self._is_repeated(moment), EMPTY

    def _is_repeated(self, moment: Moment) -> bool:
        """Alter Igo: whether the position that a move has led to is a draw."""
        now = self._scene(moment)
        is_drawn = self._is_drawn(now)
        self._seen.append(now)
        return is_drawn

    def _is_drawn(self, now: _Scene) -> bool:
        """By the rules, or because the game has gone in a circle since the root."""
        # Whoever has better than a draw leaves a circle: nothing on it is worth more to who closes it.
        if self._knows_draws and now in self._seen:
            return True
        key = self._key(now)
        # The root is one of the history.
        before = self._history.count(key) + sum(self._key(seen) == key for seen in self._seen[1:])
        return before + 1 >= self._repeat_count

    def _would_draw(self, move: int, moment: Moment) -> bool:
        """Alter Igo: whether a move of the side to play, no lone suicide, would be a draw at once."""
        if move == PASS:
            return False
        board, mover = self._board, self._start.order[moment.next]
        if board.takes(move, mover) or not board.is_legal(move, mover):
            after = board.copy()
            after.play_at(after.empties[0], after.empties[0].index(move), mover)
            stones = bytes(after.colour)
        else:
            stones = bytes((*board.colour[:move], mover, *board.colour[move + 1 :]))
        return self._is_drawn((stones, 3 - mover, moment.passes_left))

    def _scene(self, moment: Moment) -> _Scene:
        return bytes(self._board.colour), self._start.order[moment.next], moment.passes_left

    def _key(self, scene: _Scene) -> bytes:
        """What the rules compare of it."""
        stones, mover, _ = scene
        return stones + bytes((mover,)) if self._tells_sides else stones

    # -- the tree ------------------------------------------------------------------------------------------------------

    def _expand(self, moment: Moment, is_root: bool) -> _Node:
        mover, depth = self._start.order[moment.next], 0 if is_root else len(self._path)
        avoided = {move for (colour, move), until in self._until.items() if colour == mover and depth < until}
        node = self._look(moment, is_root, avoided)
        if avoided and not node.moves:
            # Where nothing but avoided moves is left, they are looked at all the same.
            node = self._look(moment, is_root, set())
        elif avoided:
            node.is_whole = False
        self._bytes += _size(node)
        return node

    def _look(self, moment: Moment, is_root: bool, avoided: set[int]) -> _Node:
        start, board = self._start, self._board
        node = _Node(start.order[moment.next])
        mover = node.mover
        points = range(start.points) if board.stones[mover] < start.supply else range(0)
        empty = [p for p in points if not board.colour[p] and (not is_root or p in self._legal) and p not in avoided]
        proof = _UNKNOWN
        if self._game == "pentalath":
            legal = [p for p in empty if board.is_legal(p, mover)]
            node.is_whole = True
            moves = self._forced(node, legal, moment) if self._settings.tactics and points else []
            if not moves and self._has_proofs and self._settings.tactics:
                moves, proof = self._threat(node, moment, is_root, avoided), _WON
            if not moves and not node.is_over:
                node.is_whole, proof = True, _UNKNOWN
                moves = legal or self._judge_blocked(node, moment)
        elif self._game == "alter-igo":
            safe = [p for p in empty if not board.is_lone_suicide(p, mover)]
            moves = [p for p in safe if not board.is_eye(p, mover)]
            if mover == WHITE and moment.passes_left > 0 and PASS not in avoided:
                moves.append(PASS)
            if not moves:
                moves = safe
            if not moves:
                node.is_over, node.winner = True, 3 - mover
        else:
            legal = [p for p in empty if board.is_legal(p, mover)]
            moves = [p for p in legal if not board.is_eye(p, mover)]
            if moves and self._game == "aleago" and not start.may_pass(moment.passes):
                moves += [p for p in legal if board.is_eye(p, mover)]
            if PASS not in avoided:
                moves.append(PASS)
        if self._game == "aleago":
            node.room = [self._has_room(bucket, mover, is_root) for bucket in range(start.buckets)]
        count = len(moves)
        node.moves = moves
        self._give(node, moment)
        node.nodes, node.proofs, node.visits = [None] * count, [proof] * count, [0] * count
        if self._knows_draws:
            node.proofs = [_DRAWN if self._would_draw(move, moment) else _UNKNOWN for move in moves]
        return node

    def _give(self, node: _Node, moment: Moment) -> None:
        """The virtual games of a new node."""
        priors, even = self._priors, self._settings.even
        # A pass is rarely right while there is anything to play.
        given = [(even, even / 10 if move == PASS else even / 2) for move in node.moves]
        if priors is not None:
            assert isinstance(self._board, RichBoard)
            priors.look(self._board, moment)
            for child, move in enumerate(node.moves):
                if move != PASS:
                    games, won = priors.of(move, node.mover)
                    given[child] = given[child][0] + games, given[child][1] + won
        node.games, node.won = [games for games, _ in given], [won for _, won in given]
        node.later_games, node.later_won = node.games.copy(), node.won.copy()

    def _forced(self, node: _Node, legal: list[int], moment: Moment) -> list[int]:
        """Pentalath: the own fives; or, if the next player threatens one, what prevents it or takes stones."""
        board, mover, order = self._board, node.mover, self._start.order
        assert isinstance(board, RichBoard)
        following = order[(moment.next + 1) % len(order)]
        if board.fours[mover]:
            fives = [p for p in legal if board.makes_five(p, mover)]
            if fives:
                node.is_whole = False
                return fives
        if board.fours[following]:
            threats = {p for p in board.empties[0] if board.makes_five(p, following) and board.is_legal(p, following)}
            if threats:
                # What else there is loses at once, but for stones that make a five illegal.
                node.is_whole = all(board.stays_legal(p, following) for p in threats)
                return [p for p in legal if p in threats or board.takes(p, mover)]
        return []

    def _threat(self, node: _Node, moment: Moment, is_root: bool, avoided: set[int]) -> list[int]:
        """Pentalath between two: the move that begins a win by threats; below the root the node is won."""
        most = _THREATS_AT_ROOT if is_root else _THREATS_AT_NODES
        assert isinstance(self._board, RichBoard)
        found = Threats(self._start).find(self._board, node.mover, self._start.order[1 - moment.next], most)
        if found == NONE:
            return []
        if is_root:
            return [] if found in avoided else [found]
        node.is_over, node.winner = True, node.mover
        return []

    def _judge_blocked(self, node: _Node, moment: Moment) -> list[int]:
        """Pentalath: whoever is to move has no move."""
        start = self._start
        no_move = start.rules.values["no_move"]
        if no_move == "pass":
            return [PASS]
        node.is_over = True
        if no_move == "loss" and len(self._colours) == 2:
            node.winner = start.order[1 if moment.next == 0 else 0]
        return []

    def _has_room(self, bucket: int, mover: int, is_root: bool) -> bool:
        board, mind_ko = self._board, self._start.fallback_ko
        points = board.empties[bucket]
        if is_root:
            return any(point in self._legal for point in points)
        return any(board.is_legal(point, mover, mind_ko) for point in points)

    def _select(self, node: _Node, opening: Opening | None, passes: int) -> int:
        """The child to go on with.

        Under a throw only the moves on the lines it opens may be chosen, and a pass that is not free only if they have
        none.
        """
        settings, bucket_of = self._settings, self._start.bucket_of
        is_open = None if opening is None else self._open_moves(node, opening, passes)
        bonus = 0.0
        if settings.exploration > 0:
            total = 0.0
            for games in node.games:
                total += games
            bonus = settings.exploration * sqrt(log(total + 1))
        moves, proofs = node.moves, node.proofs
        best, highest, best_is_lost = len(moves) - 1, -1.0, True
        for child, move in enumerate(moves):
            if is_open is not None and not is_open[PASS if move == PASS else bucket_of[move]]:
                continue
            if proofs[child] == _WON:
                return child
            is_lost = proofs[child] == _LOST
            if is_lost and not best_is_lost:
                continue
            value = self._value(node, child, bonus)
            if value > highest or (best_is_lost and not is_lost):
                best, highest, best_is_lost = child, value, is_lost
        return best

    def _value(self, node: _Node, child: int, bonus: float) -> float:
        settings, games = self._settings, node.games[child]
        if node.proofs[child] == _DRAWN:
            return self._share(EMPTY, node.mover)
        if games == 0:
            return settings.first_play + bonus
        value = node.won[child] / games
        later = node.later_games[child]
        if settings.rave and later > 0:
            weight = later / (later + games + games * later / settings.equivalence)
            value = (1 - weight) * value + weight * (node.later_won[child] / later)
        return value + bonus / sqrt(games) if bonus > 0 else value

    def _open_moves(self, node: _Node, opening: Opening, passes: int) -> list[bool]:
        """Which lines a stone may be placed on: those of the throw, or the first one below that has room.

        The last flag is that of a pass.
        """
        is_open = [False] * self._start.buckets + [self._start.may_pass(passes)]
        if any(node.room[bucket] for bucket in opening.buckets):
            for bucket in opening.buckets:
                is_open[bucket] = True
            return is_open
        for bucket in range(opening.below - 1, -1, -1):
            if node.room[bucket]:
                is_open[bucket] = True
                break
        return is_open

    # -- what a playout told -------------------------------------------------------------------------------------------

    def _share(self, winner: int, colour: int) -> float:
        if winner == EMPTY:
            return 1.0 / len(self._start.order)
        return 1.0 if winner == colour else 0.0

    def _update(self, winner: int, following: int, is_over: bool) -> None:
        for colour in self._start.order:
            self._shares[colour] += self._share(winner, colour)
        rave = self._settings.rave
        owner = self._later(following) if rave else []
        for node, child in reversed(self._path):
            mover = node.mover
            gained = self._share(winner, mover)
            node.games[child] += 1
            node.visits[child] += 1
            node.won[child] += gained
            if not rave:
                continue
            # From here on, the first to play on a point is whoever moved there now.
            moves, later_games, later_won = node.moves, node.later_games, node.later_won
            if moves[child] >= 0:
                owner[moves[child]] = mover
            for other, move in enumerate(moves):
                if move >= 0 and owner[move] == mover:
                    later_games[other] += 1
                    later_won[other] += gained
        if self._has_proofs and is_over and self._path:
            self._prove(winner)

    def _later(self, following: int) -> list[int]:
        """Who was the first to play on each point in the playout; `following` is whose turn it was when it began."""
        order = self._start.order
        turns = [move for move in self._moves if move > ENDED]
        owner = [EMPTY] * self._start.points
        for number in range(len(turns) - 1, -1, -1):
            if turns[number] >= 0:
                owner[turns[number]] = order[(following + number) % len(order)]
        return owner

    def _prove(self, winner: int) -> None:
        """Carry a game that is over up the tree, as far as it decides nodes. A draw decides nothing."""
        if winner == EMPTY:
            return
        for node, child in reversed(self._path):
            node.proofs[child] = _WON if winner == node.mover else _LOST
            # A lost move loses the node only if every move was looked at.
            if node.proofs[child] == _LOST and not _all_lost(node):
                return

    def _is_decided(self) -> bool:
        return self._root.is_over or len(self._root.moves) <= 1 or self._proved() is not None

    def _proved(self) -> bool | None:
        """True if a win of the side to play was proved, False if a loss was."""
        root = self._root
        if not self._has_proofs:
            return None
        if root.is_over:
            return None if root.winner == EMPTY else root.winner == root.mover
        if _WON in root.proofs:
            return True
        return False if _all_lost(root) else None

    def _is_enough(self, limits: SearchLimits, done: int, took_s: float) -> bool:
        """Whether the time is over, or more of it would change nothing."""
        root, best, second = self._root, 0, 0
        is_asked = limits.stop_early and done % _BETWEEN_LOOKS == 0
        if not is_asked and not 0 < limits.seconds <= took_s:
            return False
        for visits, proof in zip(root.visits, root.proofs, strict=True):
            if proof != _LOST:
                best, second = max(best, visits), max(second, min(best, visits))
        end_s = max(limits.seconds, limits.most_seconds) if best < _CLOSE * second else limits.seconds
        if limits.seconds > 0 and took_s >= end_s:
            return True
        left = limits.playouts - done if limits.playouts > 0 else inf
        if limits.seconds > 0:
            left = min(left, done * (end_s - took_s) / max(took_s, 1e-6))
        return is_asked and best - second > left

    # -- the answer ----------------------------------------------------------------------------------------------------

    def _found(self, done: int) -> SearchResult:
        root = self._root
        visits = dict(zip(root.moves, root.visits, strict=True))
        principal: list[int] = []
        node: _Node | None = root
        while node is not None and node.moves:
            best = _best_of(node)
            if node is not root and not node.visits[best]:
                break
            principal.append(node.moves[best])
            node = node.nodes[best]
        values = tuple(self._shares[colour] / done if done else 0.0 for colour in self._colours)
        action = principal[0] if principal else PASS
        shares = {
            move: won / games for move, won, games in zip(root.moves, root.won, root.games, strict=True) if games > 0
        }
        return SearchResult(action, visits, values, tuple(principal), done, self._turns, self._proved(), shares)


def _ponder(tree: "ref[PlainTree]") -> None:
    while True:
        there = tree()
        if there is None or not there.ponder_once():
            return
        del there


def _size(node: _Node) -> int:
    """Bytes of a node with its moves, as the kernel counts them."""
    return _NODE_BYTES + _MOVE_BYTES * len(node.moves) + (len(node.room) + 7) // 8 * 8


def _all_lost(node: _Node) -> bool:
    return node.is_whole and all(proof == _LOST for proof in node.proofs)


def _best_of(node: _Node) -> int:
    """The child that is visited most, a won one before all, a lost one only if there is no other."""
    best = 0
    for child in range(len(node.moves)):
        rank, highest = _RANKS[node.proofs[child]], _RANKS[node.proofs[best]]
        if rank > highest or (rank == highest and node.visits[child] > node.visits[best]):
            best = child
    return best
