"""Life and death at the end of a game scored by area: searches find which chains are alive, dead or in seki.

1. Chains that are unconditionally alive (Benson), or that the rules protect, are alive.
2. The playouts of a short search estimate each point's owner. This decides any chain whose points clearly belong to one
   side.
3. Every other chain gets searches of its own, in which only its capture counts. It is alive if it survives even when
   the enemy begins, and dead if it is captured even when its own side begins. Passing is allowed, so chains that
   neither side can attack without loss are in seki.
4. If a chain proves neither alive nor dead, the owners of its points decide.

`judge_chains` accepts, for step 2, ownership from another source such as a network.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.settings import AvoidedMove, make_settings
from gtp_variants.ai.mcts.tree_search import make_playout_tree
from gtp_variants.rules.actions import BLACK, EMPTY, WHITE
from gtp_variants.rules.boards.chains import areas, chain, chains, liberties
from gtp_variants.rules.boards.unconditional_life import unconditionally_alive
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits
from gtp_variants.rules.turn_rules import AreaRules

_SEED = 20
# Number of playouts that estimate owners, half of them with each side to move, and number in each of a chain's own
# searches. Plain Python is sixty times slower and uses an eighth of these.
_OWNERS, _READING = 2000, 1000
_PLAIN_SHARE = 8
# Absolute ownership, 0 to 1, beyond which a chain's fate is certain.
_CERTAIN = 0.7
# Ownership from which a chain is likely to be alive: if its own search agrees, it serves as a wall in other searches.
_LIKELY = 0.3
# A search of a chain is clear if the chain's survival rate is below this, or above 1 minus this.
_CLEAR = 0.25
# Maximum distance from a chain, in empty points, that its own searches consider.
_REACH = 6
# Survival rate in a search from which a chain is considered to survive.
_EVEN = 0.5
# Size, in points, of an area sure to give two eyes: a chain with that much area is not in seki.
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


def all_alive(rules: Rules, position: Position) -> Sequence[JudgedChain]:
    """Return every chain of a position as alive."""
    found = chains(rules.board, position.stones)
    return [JudgedChain(tuple(sorted(members)), Status.ALIVE) for members in found]


@lru_cache(maxsize=_CACHE)
def _judge(rules: AreaRules, stones: bytes) -> Sequence[JudgedChain]:
    if not any(stones):
        return ()
    share = _PLAIN_SHARE if search_backend(rules) == "python" else 1
    halves = [_search(rules, stones, mover, _OWNERS // 2 // share).ownership for mover in (BLACK, WHITE)]
    ownership = [(one + other) / 2 for one, other in zip(*halves, strict=True)]
    return judge_chains(rules, stones, ownership, _READING // share)


def _search(
    rules: Rules,
    stones: bytes,
    mover: int,
    playouts: int,
    avoided: Sequence[AvoidedMove] = (),
    target: int | None = None,
) -> SearchResult:
    """Search a board on which nobody has passed."""
    position = rules.start({point: colour for point, colour in enumerate(stones) if colour}, mover)
    wanted = {"seed": _SEED, "playouts": playouts, "stop_early": target is not None}
    settings = make_settings(**{**rules.profile.search_defaults, **wanted})
    return make_playout_tree(rules, position, settings, avoided, target).think(settings)


def judge_chains(
    rules: AreaRules, stones: bytes, ownership: Sequence[float], playouts: int = _READING
) -> Sequence[JudgedChain]:
    """Return every chain with its fate, given the `ownership` of each point, from 1 (Black) to -1 (White)."""
    return _Judgement(rules, stones, ownership, playouts).chains()


class _Judgement:
    """The chains of one board, and how safe each is, from 1 to -1; below 0 it is dead."""

    def __init__(self, rules: AreaRules, stones: bytes, ownership: Sequence[float], playouts: int) -> None:
        self._rules, self._board, self._stones = rules, rules.board, stones
        self._playouts = playouts
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
        self._read_all()
        self._spare_the_strongest()

    def chains(self) -> Sequence[JudgedChain]:
        return tuple(
            JudgedChain(tuple(sorted(members)), self._status(number)) for number, members in enumerate(self._chains)
        )

    def _status(self, number: int) -> Status:
        if self._life[number] < 0:
            return Status.DEAD
        rivals = [other for other in self._sharing(number, self._liberties(number)) if self._stands_open(other)]
        return Status.SEKI if self._stands_open(number) and rivals else Status.ALIVE

    def _stands_open(self, number: int) -> bool:
        """Return True if a chain left open by playouts cannot be captured although its area is small."""
        return number in self._open and self._life[number] == 1.0 and self._own_area(number) < _TWO_EYES

    def _own_area(self, number: int) -> int:
        """Count the points of empty regions beside a chain that only its colour surrounds, dead stones removed."""
        stones = bytearray(self._stones)
        for members, life in zip(self._chains, self._life, strict=True):
            for point in members if life < 0 else ():
                stones[point] = EMPTY
        own = {point for point in areas(self._board, stones)[self._colour(number)] if not stones[point]}
        near = own & liberties(self._board, stones, self._chains[number])
        return len({point for start in near for point in chain(self._board, stones, start)})

    def _colour(self, number: int) -> int:
        return self._stones[self._chains[number][0]]

    def _liberties(self, number: int) -> set[int]:
        return liberties(self._board, self._stones, self._chains[number])

    def _sharing(self, number: int, empty: Collection[int]) -> list[int]:
        """Return the enemy chains adjacent to the chain or to the points in `empty`."""
        near = {
            n for point in (*empty, *self._chains[number]) for n in self._board.neighbours[point] if self._stones[n]
        }
        return sorted({self._chain_at[n] for n in near if self._stones[n] != self._colour(number)})

    def _read_all(self) -> None:
        """Judge every open chain by its own searches.

        All chains are searched before any is judged, so that every search sees the same open chains. Unclear searches
        are repeated with the chains that are likely alive as walls: a dead stone beyond a wall would distort the
        playouts, and searching there would hide a seki.
        """
        likely = dict(enumerate(self._life))
        clear = {}
        for number, (life, is_clear) in {number: self._read(number) for number in self._open}.items():
            self._life[number], clear[number] = life, is_clear
        self._walls = {number for number in self._open if likely[number] >= _LIKELY and self._life[number] > 0}
        for number in self._open if self._walls else ():
            if not clear[number] and number not in self._walls:
                self._life[number] = likely[number]
                self._life[number], _ = self._read(number)

    def _read(self, number: int) -> tuple[float, bool]:
        """Return how safe a chain is according to its own searches, and whether they are clear."""
        colour, avoided = self._colour(number), self._outside(number)
        chance = self._chance(number, colour, avoided)
        if chance < _EVEN:
            return chance - 1, chance < _CLEAR
        other_chance = self._chance(number, WHITE if colour == BLACK else BLACK, avoided)
        if other_chance < _EVEN:
            # Whichever side begins saves or captures the chain.
            return self._life[number], False
        return 1.0, other_chance > 1 - _CLEAR

    def _chance(self, number: int, first: int, avoided: Sequence[AvoidedMove]) -> float:
        """Return a chain's chance of survival, 0 to 1, if `first` moves first."""
        target = self._chains[number][0]
        found = _search(self._rules, self._stones, first, self._playouts, avoided, target)
        return found.values[self._rules.colours.index(self._colour(number))]

    def _outside(self, number: int) -> Sequence[AvoidedMove]:
        """Return moves to avoid: points too far away to matter, or behind stones whose fate is certain."""
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
        far = [point for point in range(len(self._stones)) if point not in distance]
        return [AvoidedMove(colour, point, _ALWAYS) for colour in (BLACK, WHITE) for point in far]

    def _spare_the_strongest(self) -> None:
        """Revive chains whose possible captors are all dead themselves, the strongest first."""
        for number in sorted(self._open, key=self._life.__getitem__, reverse=True):
            region: set[int] = set()
            for liberty in self._liberties(number):
                if liberty not in region:
                    region.update(chain(self._board, self._stones, liberty))
            takers = self._sharing(number, region)
            if self._life[number] < 0 and takers and all(self._life[other] < 0 for other in takers):
                self._life[number] = 0.0
