"""Which chains are dead, alive or in seki where a game of stones and area has ended, judged by searches.

1. What nobody can capture is alive (Benson), and so is what no rule can capture.
2. Playouts of a short search say who owns each point in the end; a chain whose points nearly always fall to one side is
   judged by that.
3. For any other chain a search of its own, in which nothing counts but whether it is captured, says whether it lives
   though the other side begins, or dies though its own does. Passing is allowed: what may not be touched is in seki.
4. Where neither side can be shown to be right, who owns the points decides.

Whoever has other ownership to offer, as a network does, gives it to `judge_chains`; steps 1, 3 and 4 are the same.
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
# Playouts that say who owns the points, half of them with each side to move; and those of a chain's own search. Plain
# Python, sixty times slower, makes do with fewer.
_OWNERS, _READING = 2000, 1000
_PLAIN_SHARE = 8
# From -1 to 1: beyond this the points of a chain are certainly one side's.
_CERTAIN = 0.7
# And from here on on the whole: if its own search says the same, others need not look behind it.
_LIKELY = 0.3
# A chain that is kept more rarely than that, or more often than one less it, has a clear search.
_CLEAR = 0.25
# A chain's own search looks at points so many empty points away from it.
_REACH = 6
# A chain that is kept so often by who begins lives if they do.
_EVEN = 0.5
# In an area of so many points nobody keeps its owner from two eyes: what has it is in no seki.
_TWO_EYES = 7
# To the end of every game.
_ALWAYS = 10_000
_CACHE = 32


class Status(StrEnum):
    """What becomes of a chain, in GTP's words."""

    ALIVE = "alive"
    SEKI = "seki"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class JudgedChain:
    """A chain's points, and what becomes of it."""

    points: tuple[int, ...]
    status: Status


def judge_position(rules: Rules, position: Position) -> Sequence[JudgedChain]:
    """What becomes of every chain of a position, in the order of their lowest points; the same whoever is to move.

    In a game without area every chain is alive. The same position is judged alike on every machine that has the kernel,
    and remembered.
    """
    if not isinstance(rules, AreaRules):
        return all_alive(rules, position)
    return _judge(rules, position.stones)


def find_dead_chains(rules: Rules, position: Position) -> Sequence[tuple[int, ...]]:
    """The chains of a position that are judged dead by searches, each with its points in order; none without area.

    Raises ConfigError for a position that cannot be of this game.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> gv.find_dead_chains(rules, rules.start())
    []
    """
    check_fits(rules, position)
    return [each.points for each in judge_position(rules, position) if each.status is Status.DEAD]


def all_alive(rules: Rules, position: Position) -> Sequence[JudgedChain]:
    """Every chain of a position, none of them judged."""
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
    """A search of a board on which nobody has passed."""
    position = rules.start({point: colour for point, colour in enumerate(stones) if colour}, mover)
    wanted = {"seed": _SEED, "playouts": playouts, "stop_early": target is not None}
    settings = make_settings(**{**rules.profile.search_defaults, **wanted})
    return make_playout_tree(rules, position, settings, avoided, target).think(settings)


def judge_chains(
    rules: AreaRules, stones: bytes, ownership: Sequence[float], playouts: int = _READING
) -> Sequence[JudgedChain]:
    """What becomes of every chain of a board; `ownership` of each point is from 1, Black's, to -1, White's.

    So many `playouts` are spent on each search of a chain that it leaves open.
    """
    return _Judgement(rules, stones, ownership, playouts).chains()


class _Judgement:
    """The chains of one board, and of each how well it lives, from 1 to -1; below 0 it is dead."""

    def __init__(self, rules: AreaRules, stones: bytes, ownership: Sequence[float], playouts: int) -> None:
        self._rules, self._board, self._stones = rules, rules.board, stones
        self._playouts = playouts
        self._chains = chains(rules.board, stones)
        self._chain_at = {point: number for number, members in enumerate(self._chains) for point in members}
        self._life = [self._owned_share(members, ownership) for members in self._chains]
        for colour in (BLACK, WHITE):
            for members in unconditionally_alive(rules.board, stones, colour, rules.lives):
                self._life[self._chain_at[members[0]]] = 1.0
        self._open = [number for number, life in enumerate(self._life) if abs(life) < _CERTAIN]
        self._walls: set[int] = set()
        self._read_all()
        self._spare_the_strongest()

    def chains(self) -> Sequence[JudgedChain]:
        """Every chain and its status."""
        return tuple(
            JudgedChain(tuple(sorted(members)), self._status(number)) for number, members in enumerate(self._chains)
        )

    def _status(self, number: int) -> Status:
        if self._life[number] < 0:
            return Status.DEAD
        rivals = [other for other in self._sharing(number, self._liberties(number)) if self._stands_open(other)]
        return Status.SEKI if self._stands_open(number) and rivals else Status.ALIVE

    def _stands_open(self, number: int) -> bool:
        """Whether a chain that random play does not see alive cannot be captured, and not for its own area."""
        return number in self._open and self._life[number] == 1.0 and self._own_area(number) < _TWO_EYES

    def _own_area(self, number: int) -> int:
        """How many empty points beside a chain its colour alone surrounds, dead stones taken off."""
        stones = bytearray(self._stones)
        for members, life in zip(self._chains, self._life, strict=True):
            for point in members if life < 0 else ():
                stones[point] = EMPTY
        own = {point for point in areas(self._board, stones)[self._colour(number)] if not stones[point]}
        near = own & liberties(self._board, stones, self._chains[number])
        return len({point for start in near for point in chain(self._board, stones, start)})

    def _colour(self, number: int) -> int:
        return self._stones[self._chains[number][0]]

    def _owned_share(self, members: Sequence[int], ownership: Sequence[float]) -> float:
        sign = 1 if self._stones[members[0]] == BLACK else -1
        return sign * sum(ownership[point] for point in members) / len(members)

    def _liberties(self, number: int) -> set[int]:
        return liberties(self._board, self._stones, self._chains[number])

    def _sharing(self, number: int, empty: Collection[int]) -> list[int]:
        """The chains of the other side beside these empty points, and beside the chain itself."""
        near = {
            n for point in (*empty, *self._chains[number]) for n in self._board.neighbours[point] if self._stones[n]
        }
        return sorted({self._chain_at[n] for n in near if self._stones[n] != self._colour(number)})

    # -- a chain's own searches ----------------------------------------------------------------------------------------

    def _read_all(self) -> None:
        """Judge every open chain by its own searches.

        All are read before any is judged: what is open is open to every search. Searches that are not clear are made
        anew within walls: a dead stone beyond a wall makes playouts doubt the wall, and a search that looks behind it
        too sees a seki less well.
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
        """How well a chain lives by searches of it alone, and whether they are clear.

        Who owns its points decides if both sides have it by beginning.
        """
        colour, avoided = self._colour(number), self._outside(number)
        chance = self._chance(number, colour, avoided)
        if chance < _EVEN:
            return chance - 1, chance < _CLEAR
        other_chance = self._chance(number, WHITE if colour == BLACK else BLACK, avoided)
        if other_chance < _EVEN:
            return self._life[number], False
        return 1.0, other_chance > 1 - _CLEAR

    def _chance(self, number: int, first: int, avoided: Sequence[AvoidedMove]) -> float:
        """How often a chain is kept, from 0 to 1, if a colour begins."""
        target = self._chains[number][0]
        found = _search(self._rules, self._stones, first, self._playouts, avoided, target)
        return found.values[self._rules.colours.index(self._colour(number))]

    def _outside(self, number: int) -> Sequence[AvoidedMove]:
        """Every point that is too far away to matter to a chain, or behind stones whose fate is certain."""
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

    # -- what contradicts itself ---------------------------------------------------------------------------------------

    def _spare_the_strongest(self) -> None:
        """Dead stones take nothing: a chain lives if all that could take it is dead itself, the strongest first."""
        for number in sorted(self._open, key=self._life.__getitem__, reverse=True):
            region: set[int] = set()
            for liberty in self._liberties(number):
                if liberty not in region:
                    region.update(chain(self._board, self._stones, liberty))
            takers = self._sharing(number, region)
            if self._life[number] < 0 and takers and all(self._life[other] < 0 for other in takers):
                self._life[number] = 0.0
