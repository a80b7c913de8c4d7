"""Ordinary Go, and the rules its relatives share: capture, repetition, passes, area score, on any board.

The relatives override a few small methods: which chains live without a liberty, whether a chain may be left without
one, how the game ends. Source of the shared rules: 002_de0d3e2916539ccb.txt, which is the French federation's rule
word for word.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gtp_variants.errors import NotationError
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, WHITE, Event
from gtp_variants.rules.boards.board import Board, rectangle
from gtp_variants.rules.boards.chains import area, chain, last_liberties, place, without
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.options import (
    dead_option,
    komi_option,
    lang_option,
    repetition_option,
    size_option,
)
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class GoPosition(Position):
    """A position of the Go family.

    `before`   the stones before the last move, for the simple ko
    `dead`     stones both sides agreed to be dead after the end
    `settled`  whether the provisional end was declared final
    """

    before: bytes = b""
    dead: frozenset[int] = frozenset()
    settled: bool = False


G = TypeVar("G", bound=GoPosition)


class GoFamily(Rules[G]):
    """Rules of Go on any board; two passes suspend the game, a third confirms its end."""

    handicap = "fixed"
    end_passes = 2
    reopens = True

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        super().__init__(given)
        komi = self.values["komi"]
        assert isinstance(komi, int | float)
        self.komi = komi
        self.repetition = self._text("repetition")

    def kernel_facts(self) -> dict[str, object]:
        return {
            "komi": float(self.komi),
            "repetition": self.repetition,
            "dead_agreed": self.agrees_on_dead,
            "end_passes": self.end_passes,
            "reopens": self.reopens,
        }

    def make_board(self) -> Board:
        size = self._int("size")
        return rectangle(size, size)

    def first_position(self, **facts: Any) -> G:
        """A position of this game's type with the given facts."""
        return GoPosition(**facts)  # type: ignore[return-value]

    def start(self, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> G:
        stones = self.lay_out(setup)
        mover = self.opener(to_play, BLACK)
        return self.first_position(
            stones=stones, mover=mover, before=stones, history=self._seen(History(), stones, self._other(mover), False)
        )

    # -- what may be played ------------------------------------------------------------------------------------------

    def actions(self, position: G) -> Sequence[int]:
        if self.is_final(position):
            return ()
        return (*self.legal_points(position), PASS)

    def legal_points(self, position: G) -> list[int]:
        """The points where the side to move may place a stone, as far as capture, suicide and repetition go."""
        return list(self.allowed(position, range(len(self.board))))

    def allowed(self, position: G, points: Iterable[int], by_repetition: bool = True) -> Iterable[int]:
        """Those of the points where a stone may be placed; without `by_repetition` that reason does not count."""
        stones, mover = position.stones, position.mover
        if not self.has_supply(position):
            return
        neighbours = self.board.neighbours
        ataris = last_liberties(self.board, stones, mover)
        # Until something was captured every stone makes a board that was never seen.
        watch = by_repetition and self.repetition != "none"
        fresh = not any(position.taken)
        stone = bytes((mover,))
        for point in points:
            if stones[point]:
                continue
            if point not in ataris and any(not stones[near] for near in neighbours[point]):
                after = stones[:point] + stone + stones[point + 1 :]
                if not watch or fresh or not self._is_repeated(position, after):
                    yield point
                continue
            placed = place(self.board, stones, mover, point, self.lives, self.may_stand)
            if placed is not None and not (watch and self._is_repeated(position, placed[0])):
                yield point

    def has_supply(self, position: G) -> bool:
        """Whether the side to move has a stone left to place."""
        return True

    def try_point(self, position: G, point: int) -> tuple[bytes, tuple[int, ...]]:
        """The stones after a placement and the captured points. Raises IllegalMove."""
        stones = position.stones
        vertex = self.board.vertex(point)
        if stones[point]:
            raise self.illegal("occupied", vertex=vertex, stone=words.adjective(stones[point], self.lang))
        if not self.has_supply(position):
            raise self.illegal("supply", name=words.name(position.mover, self.lang))
        placed = place(self.board, stones, position.mover, point, self.lives, self.may_stand)
        if placed is None:
            raise self.illegal("suicide", vertex=vertex)
        if self._is_repeated(position, placed[0]):
            raise self.illegal("repetition", vertex=vertex)
        return placed

    def put(self, position: G, point: int) -> G:
        after, captured = self.try_point(position, point)
        return self.placed(position, point, after, captured)

    def placed(self, position: G, point: int, after: bytes, captured: tuple[int, ...], **more: Any) -> G:
        """The position after a stone that has been found legal."""
        mover = position.mover
        return replace(
            position,
            stones=after,
            mover=self._other(mover),
            turn=position.turn + 1,
            passes=0,
            last=Event(mover, point),
            captured=captured,
            taken=self.count_taken(position, mover, captured) if captured else position.taken,
            history=self._seen(position.history, after, mover, True),
            before=position.stones,
            dead=frozenset(),
            **more,
        )

    def pass_turn(self, position: G, **more: Any) -> G:
        mover = position.mover
        return replace(
            position,
            mover=self._other(mover),
            turn=position.turn + 1,
            passes=position.passes + 1,
            last=Event(mover, PASS),
            captured=(),
            history=self._seen(position.history, position.stones, mover, False),
            before=position.stones,
            **more,
        )

    def turn_to(self, position: G, colour: int) -> G:
        if self.is_final(position):
            raise self.illegal("game over")
        if colour not in self.colours:
            raise self.not_turn(position)
        history = self._seen(position.history, position.stones, self._other(colour), False)
        # Only passes of both players end the game; a provisional end stays one until somebody places a stone.
        passes = position.passes if self.suspended(position) else 0
        return replace(position, mover=colour, history=history, passes=passes)

    def lives(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        """Whether an enemy chain without a liberty stays on the board."""
        return False

    def may_stand(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        """Whether a player may leave his own chain without a liberty."""
        return False

    # -- repetition --------------------------------------------------------------------------------------------------

    def _other(self, colour: int) -> int:
        return WHITE if colour == BLACK else BLACK

    def _is_repeated(self, position: G, after: bytes) -> bool:
        """Whether a board made by the side to move is forbidden as a repetition."""
        if self.repetition == "none":
            return False
        if self.repetition in ("simple", "draw"):
            return after == position.before
        return self._key(after, position.mover) in position.history

    def _seen(self, history: History, stones: bytes, maker: int, by_placing: bool) -> History:
        """The history after `maker` left this board to the other side."""
        return history.add(self._key(stones, maker)) if self._is_kept(by_placing) else history

    def history_of(self, boards: Iterable[tuple[bytes, int, bool]]) -> History:
        """The history of these boards: the stones, who left them to the other side, and whether by placing one."""
        suffixes = {colour: self._suffix(colour) for colour in self.colours}
        kept = self._is_kept(False), self._is_kept(True)
        return History.of([stones + suffixes[maker] for stones, maker, by_placing in boards if kept[by_placing]])

    def _is_kept(self, by_placing: bool) -> bool:
        """Whether a board may matter later. Only placements count for nssk."""
        return self.repetition not in ("none", "simple") and (self.repetition != "nssk" or by_placing)

    def _key(self, stones: bytes, maker: int) -> bytes:
        return stones + self._suffix(maker)

    def _suffix(self, maker: int) -> bytes:
        """What besides the stones must be the same for a board to be one that was seen before."""
        if self.repetition in ("psk", "draw"):
            return b""
        return bytes((self._other(maker) if self.repetition == "ssk" else maker,))

    # -- the end -----------------------------------------------------------------------------------------------------

    def is_over(self, position: G) -> bool:
        return position.passes >= self.end_passes or position.settled or bool(position.out)

    def suspended(self, position: G) -> bool:
        return self.reopens and position.passes == self.end_passes and not position.settled and not position.out

    def next_pass_ends(self, position: G) -> bool:
        return position.passes + 1 >= self.end_passes

    def resume(self, position: G) -> G:
        if not self.suspended(position):
            raise NotationError(self.sentence("not suspended"))
        return replace(position, passes=0, dead=frozenset())

    def settle_end(self, position: G) -> G:
        if not self.suspended(position):
            raise NotationError(self.sentence("not suspended"))
        return replace(position, settled=True)

    def mark_dead(self, position: G, point: int) -> G:
        if self.values["dead"] != "agreed":
            raise NotationError("dead stones count as they stand: the game was not set with dead=agreed")
        if self.reopens and self.is_final(position):
            raise self.illegal("game over")
        if position.passes < self.end_passes or position.out:
            raise NotationError("dead stones are agreed on after the passes that end the game")
        if point >= len(self.board) or position.stones[point] == EMPTY:
            raise NotationError("there is no stone on that point")
        members = frozenset(chain(self.board, position.stones, point))
        return replace(position, dead=position.dead ^ members)

    def outcome(self, position: G) -> Outcome | None:
        if position.out:
            return self.last_left(position)
        return self.standing(position) if self.is_over(position) else None

    def standing(self, position: G) -> Outcome:
        counted = area(self.board, without(position.stones, position.dead) if position.dead else position.stones)
        margin = round(counted[BLACK] - counted[WHITE] - self.komi, 6)
        if margin == 0:
            return Outcome(None, "score")
        return Outcome(BLACK if margin > 0 else WHITE, "score", abs(margin))

    def stands(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        return self.lives(stones, members)


class GoRules(GoFamily[GoPosition]):
    """Ordinary Go under area scoring."""

    name = "go"
    title = "Go"
    is_go = True
    fits_go_hosts = True
    captures_as_go = True
    small_spec = "go:size=9"
    kernel_game = "go"
    options = (
        size_option(19),
        komi_option(),
        repetition_option("psk"),
        dead_option(),
        lang_option(),
    )
