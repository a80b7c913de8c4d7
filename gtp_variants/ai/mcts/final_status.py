"""Life and death at the end of a game scored by area: searches find which chains are alive, dead or in seki.

1. Chains that are unconditionally alive (Benson), or that the rules protect, are alive.
2. The playouts of a short search estimate each point's owner. This decides any chain whose points clearly belong to one
   side.
3. Every other chain gets searches of its own, in which only its capture counts. While a search is unclear, its move is
   played and the next position searched. The chain is alive if it survives even when the enemy begins, and dead if it
   is captured even when its own side begins. Passing is allowed.
4. If a chain proves neither alive nor dead, the owners of its points decide. A chain in doubt is dead only if one of
   its possible captors is surely alive.
5. A chain that lives by step 3 is in seki if it shares a liberty with an enemy chain that also lives by step 3, if no
   region beside either chain has room for two eyes, and if no single move makes either chain unconditionally alive.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMove, make_settings
from gtp_variants.ai.mcts.tree_search import make_playout_tree
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, WHITE
from gtp_variants.rules.boards.chains import chain, chains, liberties, without
from gtp_variants.rules.boards.unconditional_life import unconditionally_alive
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits
from gtp_variants.rules.turn_rules import AreaRules

_SEED = 20
# Playouts for estimating ownership (half with each side to move), and per search of one chain. Plain Python is much
# slower, so it uses an eighth of these playouts.
_OWNERS, _READING = 2000, 1000
_PLAIN_SHARE = 8
# Absolute ownership, 0 to 1, beyond which a chain's fate is certain.
_CERTAIN = 0.7
# Absolute ownership from which a fate is likely. Chains so likely to live are walls if their own searches confirm it.
_LIKELY = 0.3
# A search of a chain is clear if the chain's survival rate is below this value, or above 1 minus this value.
_CLEAR = 0.25
# The moves of unclear searches are played until the chain's survival rate is below `_DECIDED` or above 1 - `_DECIDED`,
# or until `_FOLLOWED` moves. With more than `_ROOM` empty points in reach no move is played, because it would be poor.
_DECIDED, _FOLLOWED, _ROOM = 0.1, 60, 30
# Maximum distance from a chain, in empty points, that its own searches consider.
_REACH = 6
# Survival rate in a search from which a chain is considered to survive.
_EVEN = 0.5
# Size, in points, of a region with room for two eyes: no chain beside it is in seki.
_TWO_EYES = 7
# A depth greater than the length of any game.
_ALWAYS = 10_000
_CACHE = 32


class Status(StrEnum):
    """The fate of a chain, in GTP's terms."""

    ALIVE = "alive"
    SEKI = "seki"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class JudgedChain:
    """A chain's points and fate."""

    points: tuple[int, ...]
    status: Status


def judge_position(rules: Rules, position: Position) -> Sequence[JudgedChain]:
    """Return every chain of a position with its fate, in order of lowest point, whichever side is to move.

    In a game without area scoring every chain is alive. Results are cached, and equal on all machines with the kernel.
    """
    if not isinstance(rules, AreaRules):
        return all_alive(rules, position)
    return _judge(rules, position.stones)


def find_dead_chains(rules: Rules, position: Position) -> Sequence[tuple[int, ...]]:
    """Return the points of each dead chain, judged by searches; [] in a game without area scoring.

    Raises ConfigError for a position of another game.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> gv.find_dead_chains(rules, rules.start())
    []
    """
    check_fits(rules, position)
    return [each.points for each in judge_position(rules, position) if each.status is Status.DEAD]


def find_other_winner(rules: Rules, position: Position) -> Outcome | None:
    """Return the outcome without the dead stones if its winner is not the winner of the board as it stands, else None.

    Chains are searched only if the owners of their points suggest another winner.
    """
    if not isinstance(rules, AreaRules) or not any(position.stones):
        return None
    winner = rules.score(position, ()).winner
    if rules.score(position, _begin(rules, position.stones).find_unlikely()).winner == winner:
        return None
    outcome = rules.score(position, [point for members in find_dead_chains(rules, position) for point in members])
    return None if outcome.winner == winner else outcome


def all_alive(rules: Rules, position: Position) -> Sequence[JudgedChain]:
    """Return every chain of a position as alive."""
    found = chains(rules.board, position.stones)
    return [JudgedChain(tuple(sorted(members)), Status.ALIVE) for members in found]


@lru_cache(maxsize=_CACHE)
def _judge(rules: AreaRules, stones: bytes) -> Sequence[JudgedChain]:
    return _begin(rules, stones).judge() if any(stones) else ()


def _begin(rules: AreaRules, stones: bytes) -> "_Judgement":
    share = _PLAIN_SHARE if search_backend(rules) == "python" else 1
    starts = (_start(rules, stones, mover) for mover in (BLACK, WHITE))
    halves = [_search(rules, start, _OWNERS // 2 // share).ownership for start in starts]
    ownership = [(one + other) / 2 for one, other in zip(*halves, strict=True)]
    return _Judgement(rules, stones, ownership, _READING // share, _FOLLOWED // share)


def _start(rules: Rules, stones: bytes, mover: int) -> Position:
    """Return a position with these stones and no history, in which `mover` is to move."""
    return rules.start({point: colour for point, colour in enumerate(stones) if colour}, mover)


def _search(
    rules: Rules, position: Position, playouts: int, avoided: Sequence[AvoidedMove] = (), target: int | None = None
) -> SearchResult:
    wanted = {"seed": _SEED, "playouts": playouts, "stop_early": target is not None}
    settings = make_settings(**{**rules.profile.search_defaults, **wanted})
    return make_playout_tree(rules, position, settings, avoided, target).think(settings)


class _Judgement:
    """The chains of one board, and the safety of each from 1 to -1; a chain below 0 is dead."""

    def __init__(
        self, rules: AreaRules, stones: bytes, ownership: Sequence[float], playouts: int, followed: int
    ) -> None:
        self._rules, self._board, self._stones = rules, rules.board, stones
        self._playouts, self._followed = playouts, followed
        self._chains = chains(rules.board, stones)
        self._chain_at = {point: number for number, members in enumerate(self._chains) for point in members}
        signs = {BLACK: 1, WHITE: -1}
        self._life = [
            signs[stones[members[0]]] * sum(ownership[point] for point in members) / len(members)
            for members in self._chains
        ]
        for colour in (BLACK, WHITE):
            for members in unconditionally_alive(rules.board, stones, colour, rules.lives):
                self._life[self._chain_at[members[0]]] = 1.0
        self._open = [number for number, life in enumerate(self._life) if abs(life) < _CERTAIN]
        self._walls: set[int] = set()
        # Numbers of the chains that are settled: not in `_open`, or with clear searches of their own (see `_CLEAR`).
        self._clear = set(range(len(self._chains))).difference(self._open)

    def find_unlikely(self) -> Sequence[int]:
        """Return the points of the chains that are unlikely to live. Nothing is searched."""
        return [point for members, life in zip(self._chains, self._life, strict=True) if life < 0 for point in members]

    def judge(self) -> Sequence[JudgedChain]:
        """Search the chains of uncertain fate, and return every chain with its fate."""
        self._read_all()
        self._spare_the_strongest()
        return tuple(
            JudgedChain(tuple(sorted(members)), self._status(number)) for number, members in enumerate(self._chains)
        )

    def _status(self, number: int) -> Status:
        if self._life[number] < 0:
            return Status.DEAD
        shared = (near for point in self._liberties(number) for near in self._board.neighbours[point])
        rivals = {self._chain_at[near] for near in shared if self._stones[near] not in (EMPTY, self._colour(number))}
        is_seki = self._is_cramped(number) and any(map(self._is_cramped, rivals))
        return Status.SEKI if is_seki else Status.ALIVE

    def _is_cramped(self, number: int) -> bool:
        """Return True if a chain lives by its searches alone, without room for two eyes or a move that secures life."""
        if number not in self._open or self._life[number] < 1.0:
            return False
        board, colour, members = self._board, self._colour(number), self._chains[number]
        stones = without(self._stones, self.find_unlikely())
        near = liberties(board, stones, members)
        regions = [chain(board, stones, point) for point in near]
        if any(len(region) >= _TWO_EYES for region in regions):
            return False
        for point in {point for region in regions for point in region}:
            after = stones[:point] + bytes((colour,)) + stones[point + 1 :]
            if any(members[0] in each for each in unconditionally_alive(board, after, colour, self._rules.lives)):
                return False
        return True

    def _colour(self, number: int) -> int:
        return self._stones[self._chains[number][0]]

    def _liberties(self, number: int) -> set[int]:
        return liberties(self._board, self._stones, self._chains[number])

    def _read_all(self) -> None:
        """Judge every chain of uncertain fate by its own searches.

        All these chains are searched before any is judged, so that every search sees the same board. Unclear searches
        are then repeated, playing out their best moves. There, chains that both the ownership estimate and their own
        search call alive act as walls, because dead stones beyond the walls could distort playouts and hide a seki.
        """
        likely = tuple(self._life)
        found = {number: self._read(number, 0) for number in self._open}
        for number, (life, is_clear) in found.items():
            self._note(number, life, is_clear)
        alive = {number for number in self._clear.intersection(self._open) if self._life[number] > 0}
        self._walls = {number for number in alive if likely[number] >= _LIKELY}
        for number in set(self._open) - self._clear:
            self._life[number] = likely[number]
            self._note(number, *self._read(number, self._followed))

    def _note(self, number: int, life: float, is_clear: bool) -> None:
        self._life[number] = life
        if is_clear:
            self._clear.add(number)

    def _read(self, number: int, followed: int) -> tuple[float, bool]:
        """Return a chain's safety by its own searches with up to `followed` moves, and True if these are clear."""
        colour, near = self._colour(number), self._reach(number)
        avoided = [
            AvoidedMove(each, point, _ALWAYS)
            for each in (BLACK, WHITE)
            for point in range(len(self._stones))
            if point not in near
        ]
        if sum(not self._stones[point] for point in near) > _ROOM:
            followed = 0
        chance = self._chance(number, colour, avoided, followed)
        if chance < _EVEN:
            return chance - 1, chance < _CLEAR
        other_chance = self._chance(number, WHITE if colour == BLACK else BLACK, avoided, followed)
        if other_chance < _EVEN:
            # Whichever side begins saves or captures the chain, so its safety remains as estimated.
            return self._life[number], False
        return 1.0, other_chance > 1 - _CLEAR

    def _chance(self, number: int, first: int, avoided: Sequence[AvoidedMove], followed: int) -> float:
        """Return a chain's chance of survival, 0 to 1, if `first` moves first; play at most `followed` best moves."""
        rules, target, colour = self._rules, self._chains[number][0], self._colour(number)
        position = _start(rules, self._stones, first)
        for left in range(followed, -1, -1):
            found = _search(rules, position, self._playouts, avoided, target)
            chance = found.values[rules.colours.index(colour)]
            if not left or not _DECIDED <= chance <= 1 - _DECIDED or position.to_play == CHANCE:
                break
            position = rules.play(position, found.action)
            if position.stones[target] != colour:
                return 0.0
            if rules.is_over(position):
                return 1.0
        return chance

    def _reach(self, number: int) -> Collection[int]:
        """Return the points that matter to a chain: near it, and not behind walls or stones whose fate is certain."""
        distance = dict.fromkeys(self._chains[number], 0)
        queue = list(distance)
        for point in queue:
            for near in self._board.neighbours[point]:
                if near in distance or distance[point] >= _REACH:
                    continue
                if not self._stones[near]:
                    distance[near] = distance[point] + 1
                    queue.append(near)
                elif self._chain_at[near] in self._open and self._chain_at[near] not in self._walls:
                    members = self._chains[self._chain_at[near]]
                    distance.update(dict.fromkeys(members, distance[point]))
                    queue += members
        return distance

    def _spare_the_strongest(self) -> None:
        """Revive dead chains, strongest first, whose possible captors are dead or, for a chain in doubt, unsettled."""
        for number in sorted(self._open, key=self._life.__getitem__, reverse=True):
            region: set[int] = set()
            for liberty in self._liberties(number):
                if liberty not in region:
                    region.update(chain(self._board, self._stones, liberty))
            beside = {n for point in (*region, *self._chains[number]) for n in self._board.neighbours[point]}
            takers = {self._chain_at[n] for n in beside if self._stones[n] not in (EMPTY, self._colour(number))}
            living = {other for other in takers if self._life[other] >= 0}
            is_in_doubt = number not in self._clear and self._life[number] > -_LIKELY
            if self._life[number] < 0 and not (living & self._clear if is_in_doubt else living):
                self._life[number] = 0.0
