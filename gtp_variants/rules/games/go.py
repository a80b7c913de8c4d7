"""Ordinary Go, and the base of its relatives: capture, repetition, passes and area score on any board.

The relatives override a few small methods: which chains live without a liberty, which chains a player may leave without
a liberty, and how the game ends. Source of the shared rules: 002_de0d3e2916539ccb.txt, the French federation's text.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from gtp_variants.errors import NotationError
from gtp_variants.rules import turn_rules
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, PASS, WHITE, Event
from gtp_variants.rules.boards.board import Board, rectangle
from gtp_variants.rules.boards.chains import chain, last_liberties, place, sacrifice
from gtp_variants.rules.boards.history import History, RepetitionRule
from gtp_variants.rules.illegal_moves import explain, illegal, not_turn
from gtp_variants.rules.options import SIZE_LIMIT, Option, OptionSet, Value, rule_options
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.profile import GameProfile
from gtp_variants.rules.rule_sets import RULE_SETS

# Number of points of the largest board on which a search with a network also uses random playouts.
_LARGEST_WITH_PLAYOUTS = 169


@dataclass(frozen=True, slots=True, kw_only=True)
class GoPosition(Position):
    """A position in a game of the Go family."""

    before: bytes = b""  # the stones before the last move, for the simple ko rule
    dead: frozenset[int] = frozenset()
    settled: bool = False  # True if the provisional end has been declared final
    handicap: int = 0  # stones that Black had at the start, or 0 if White had any or Black only one
    button: int = EMPTY  # the colour that took the button
    tolerates: bool = False  # True if a host accepts the next stone, even one that repeats a board or is a suicide


G = TypeVar("G", bound=GoPosition)


def other_of_two(colour: int) -> int:
    return WHITE if colour == BLACK else BLACK


class GoFamily(turn_rules.AreaRules[G], turn_rules.RepeatingRules[G]):
    """The rules of Go on any board. By default two passes suspend the game, and a third confirms its end."""

    handicap = "fixed"
    end_passes = 2
    reopens = True

    def configure(self) -> None:
        self.board = self.make_board()
        komi = self.values["komi"]
        assert isinstance(komi, int | float)
        self.komi = komi
        self.suicide = self.values.get("suicide") is True
        self.counts_territory = self.values.get("scoring") == "territory"
        self.button = self.values.get("button") is True
        self.repetition = self.values.text("repetition")
        self.repetition_rule = RepetitionRule(self.repetition, self.colours)

    def make_board(self) -> Board:
        """Return the board that the options describe; here a square board."""
        size = self.values.number("size")
        return rectangle(size, size)

    def first_position(self, stones: bytes, mover: int, history: History) -> G:
        """Return the position before the first move, as an instance of this game's position class."""
        return GoPosition(  # type: ignore[return-value]
            board=self.board, stones=stones, mover=mover, before=stones, history=history
        )

    def start(self, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> G:
        stones = turn_rules.lay_out(self.board, self.colours, setup, self.lives)
        mover = self.colours[0] if to_play is None else turn_rules.check_colour(self.colours, to_play)
        history = self.repetition_rule.add(History(), stones, other_of_two(mover), False)
        first = self.first_position(stones, mover, history)
        handicap = self.count_handicap(stones.count(BLACK), stones.count(WHITE))
        return replace(first, handicap=handicap) if handicap else first

    @staticmethod
    def count_handicap(black: int, white: int) -> int:
        """Return the number of handicap stones, 0 for an even game, from the stones on the board at the start."""
        return black if black > 1 and not white else 0

    # -- what may be played ------------------------------------------------------------------------------------------

    def actions(self, position: G) -> Sequence[int]:
        if self.is_final(position):
            return ()
        return (*self.legal_points(position), PASS)

    def legal_points(
        self, position: G, points: Iterable[int] | None = None, by_repetition: bool = True
    ) -> Iterator[int]:
        """Yield the points where supply, suicide and repetition allow a stone of the side to move.

        Only points in `points` are considered, if given. If `by_repetition` is False, repetition is ignored.
        """
        stones, mover = position.stones, position.mover
        if not self.has_supply(position):
            return
        neighbours = self.board.neighbours
        ataris = last_liberties(self.board, stones, mover)
        watch = by_repetition and self.repetition != "none"
        # Before the first capture every stone leads to a new board, so no board is repeated.
        fresh = not any(position.taken)
        stone = bytes((mover,))
        for point in range(len(stones)) if points is None else points:
            if stones[point]:
                continue
            if point not in ataris and any(not stones[near] for near in neighbours[point]):
                after = stones[:point] + stone + stones[point + 1 :]
                if not watch or fresh or not self._is_repeated(position, after):
                    yield point
                continue
            placed = self._place(position, point)
            if placed is not None and not (watch and self._is_repeated(position, placed[0])):
                yield point

    def repeats(self, position: G) -> Mapping[int, int]:
        is_new = not any(position.taken) and not self.suicide
        if self.repetition == "none" or self.is_final(position) or is_new:
            return {}
        allowed = set(self.legal_points(position))
        return {point: 1 for point in self.legal_points(position, by_repetition=False) if point not in allowed}

    def _is_repeated(self, position: G, after: bytes) -> bool:
        """Return True if the side to move must not create the board `after` because it repeats an earlier board."""
        return self.repetition_rule.forbids(position.history, position.before, after, position.mover)

    def try_point(self, position: G, point: int) -> tuple[bytes, tuple[int, ...]]:
        """Return the stones after a placement and the removed points. Raises IllegalMove for a forbidden stone.

        The removed points are captured stones, or the player's own if the suicide of several stones is allowed.
        """
        self.expect_room(position, point)
        vertex = self.board.vertex(point)
        placed = self._place(position, point)
        if placed is None:
            raise illegal("suicide", self.lang, vertex=vertex)
        if not position.tolerates and self._is_repeated(position, placed[0]):
            raise illegal("repetition", self.lang, vertex=vertex)
        return placed

    def _place(self, position: G, point: int) -> tuple[bytes, tuple[int, ...]] | None:
        """Return the stones after a placement and the removed points, or None for a forbidden suicide."""
        stones, mover = position.stones, position.mover
        placed = place(self.board, stones, mover, point, self.lives, self.may_stand)
        if placed is None and (self.suicide or position.tolerates):
            placed = sacrifice(self.board, stones, mover, point, self.lives)
        return placed

    def put(self, position: G, point: int) -> G:
        after, captured = self.try_point(position, point)
        mover = position.mover
        return replace(
            position,
            stones=after,
            mover=other_of_two(mover),
            turn=position.turn + 1,
            passes=0,
            last=Event(mover, point),
            earlier=self.earlier_after(position),
            captured=captured,
            taken=self._tally(position, point, captured) if captured else position.taken,
            history=self.repetition_rule.add(position.history, after, mover, True),
            before=position.stones,
            dead=frozenset(),
            tolerates=False,
        )

    def _tally(self, position: G, point: int, captured: Sequence[int]) -> tuple[int, ...]:
        """Return `Position.taken` after a stone has removed stones. A suicide is credited to the other side."""
        if point not in captured:
            return turn_rules.tally_captures(position, position.mover, captured)
        taken = list(position.taken)
        taken[other_of_two(position.mover)] += len(captured)
        return tuple(taken)

    def pass_turn(self, position: G) -> G:
        mover, takes_button = position.mover, self.has_button(position)
        return replace(
            position,
            mover=other_of_two(mover),
            turn=position.turn + 1,
            passes=position.passes if takes_button else position.passes + 1,
            button=mover if takes_button else position.button,
            last=Event(mover, PASS),
            earlier=self.earlier_after(position),
            captured=(),
            history=self.repetition_rule.add(position.history, position.stones, mover, False),
            before=position.stones,
            tolerates=False,
        )

    def turn_to(self, position: G, colour: int) -> G:
        if self.is_final(position):
            raise illegal("game over", self.lang)
        if colour not in self.colours:
            raise not_turn(position.mover, self.lang)
        history = self.repetition_rule.add(position.history, position.stones, other_of_two(colour), False)
        # Only passes by both players end the game, so count again; but a provisional end remains until the next stone.
        passes = position.passes if self.is_suspended(position) else 0
        return replace(position, mover=colour, history=history, passes=passes)

    def lives(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        """Return True if the enemy chain `members` stays on the board without a liberty."""
        return False

    def may_stand(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        """Return True if a player may leave the own chain `members` without a liberty."""
        return False

    # -- the end -----------------------------------------------------------------------------------------------------

    def next_pass_ends(self, position: G) -> bool:
        return super().next_pass_ends(position) and not self.has_button(position)

    def is_over(self, position: G) -> bool:
        return position.passes >= self.end_passes or position.settled or bool(position.out)

    def is_suspended(self, position: G) -> bool:
        return self.reopens and position.passes == self.end_passes and not position.settled and not position.out

    def resume(self, position: G) -> G:
        if not self.is_suspended(position):
            raise NotationError(explain("not suspended", self.lang))
        return replace(position, passes=0, dead=frozenset())

    def settle_end(self, position: G) -> G:
        if not self.is_suspended(position):
            raise NotationError(explain("not suspended", self.lang))
        return replace(position, settled=True)

    def mark_dead(self, position: G, point: int) -> G:
        if not (self.agrees_on_dead or self.judges_dead):
            raise NotationError("dead stones can be marked only in a game with dead=agreed or dead=judged")
        if self.reopens and self.is_final(position):
            raise illegal("game over", self.lang)
        if position.passes < self.end_passes or position.out:
            raise NotationError("dead stones can be marked only after the passes that end the game")
        if point >= len(self.board) or position.stones[point] == EMPTY:
            raise NotationError("there is no stone on that point")
        members = frozenset(chain(self.board, position.stones, point))
        return replace(position, dead=position.dead ^ members)

    def outcome(self, position: G) -> Outcome | None:
        if position.out:
            return turn_rules.outcome_of_leaving(self.colours, position)
        return self.standing(position) if self.is_over(position) else None


def kernel_facts_of_go(rules: GoFamily[G]) -> dict[str, object]:
    """Return the facts that the compiled search needs about any game of the family."""
    return {
        "komi": float(rules.komi),
        "counts_territory": rules.counts_territory,
        "suicide": rules.suicide,
        "button": rules.button,
        "repetition": rules.repetition,
        "dead_agreed": rules.agrees_on_dead or rules.judges_dead,
        "end_passes": rules.end_passes,
        "reopens": rules.reopens,
    }


def _fit_size(values: dict[str, Value]) -> dict[str, Value]:
    """Return the options with only the size of a square, or only the width and height of a rectangle."""
    size = values["size"]
    width, height = (size if values[key] is None else values[key] for key in ("width", "height"))
    if width == height:
        return {**values, "size": width, "width": None, "height": None}
    return {**values, "size": None, "width": width, "height": height}


PROFILE = GameProfile(
    small_spec="go:size=9",
    bench_specs=("go:size=9", "go:size=13", "go:size=19"),
    is_go=True,
    fits_go_hosts=True,
    captures_as_go=True,
    resign_threshold=0.05,
    # No playouts on large boards, because there they take a quarter of the time and say little about the opening.
    network_search_defaults=lambda rules: {"playout_weight": 0.5} if len(rules.board) <= _LARGEST_WITH_PLAYOUTS else {},
    kernel_game="go",
    kernel_facts=kernel_facts_of_go,
)


class GoRules(GoFamily[GoPosition]):
    """Ordinary Go."""

    name = "go"
    title = "Go"
    profile = PROFILE
    options = OptionSet(
        (
            Option.size(19),
            *(
                Option(
                    key, "int", None, f"{what} of a rectangular board", low=1, high=SIZE_LIMIT, none=True, later=True
                )
                for key, what in (("width", "columns"), ("height", "rows"))
            ),
            Option.komi(),
            Option.repetition("psk"),
            Option.dead("judged"),
            *rule_options(named=("suicide", "scoring")),
            Option.lang(),
        ),
        rule_sets=RULE_SETS,
        fit=_fit_size,
    )

    def make_board(self) -> Board:
        if self.values["size"] is None:
            return rectangle(self.values.number("width"), self.values.number("height"))
        return super().make_board()

    def tolerate(self, position: GoPosition, actor: int) -> GoPosition:
        if actor != CHANCE:
            raise NotationError("only the host may accept a stone that the rules forbid")
        if self.is_final(position):
            raise illegal("game over", self.lang)
        return replace(position, tolerates=True)
