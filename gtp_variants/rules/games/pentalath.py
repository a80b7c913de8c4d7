"""Pentalath: five in a row on hexagons, with captures as in Go, for two or three players.

Source: LUDI, "Pentalath" (2007); the file 004_245878c87de04f55.txt of the specification.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gtp_variants.rules import turn_rules
from gtp_variants.rules.actions import BLACK, PASS, RED, SWAP, WHITE, Event
from gtp_variants.rules.boards.board import hexhex5, trapezoid
from gtp_variants.rules.boards.chains import place
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.options import Option, OptionSet, share_supply
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.profile import GameProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class PentalathPosition(Position):
    """A position of Pentalath."""


def _kernel_facts(rules: "PentalathRules") -> dict[str, object]:
    return {
        "repetition": {"none": "none", "draw3": "board", "draw3_situation": "situation"}[rules.repetition],
        "repeat_count": rules.most_occurrences,
        "no_move": rules.no_move,
        "supply": rules.supply,
        "swap": rules.values["swap"],
    }


PROFILE = GameProfile(
    small_spec="pentalath",
    bench_specs=("pentalath", "pentalath:players=3"),
    expected_turns_a_point=0.45,
    mark_names=("line",),
    network_search_defaults=lambda rules: {"exploration": 1.8, "fpu_reduction": 0.0},
    kernel_game="pentalath",
    kernel_facts=_kernel_facts,
)


class PentalathRules(turn_rules.TurnRules[PentalathPosition], turn_rules.RepeatingRules[PentalathPosition]):
    """Five or more in a row win; enemy chains without a liberty are captured. There is no suicide and no ko."""

    name = "pentalath"
    title = "Pentalath"
    aliases = ("ndengrod",)
    is_scored = False
    max_players = 3
    draws_by_repetition = True
    most_occurrences = 3
    profile = PROFILE
    options = OptionSet(
        (
            Option.choice("board", ("trapezoid", "hexhex5"), "70 cells, or the 61 of Yavalath"),
            Option("players", "int", 2, "number of players: White, Black and, third, Red", low=2, high=3),
            Option.choice(
                "repetition",
                ("none", "draw3", "draw3_situation"),
                "a draw at the third occurrence of the stones (draw3) or of stones and turn (draw3_situation)",
            ),
            Option.choice("no_move", ("draw", "loss", "pass"), "the result for a player who has no move"),
            Option.supply("discs"),
            Option("swap", "bool", False, "the second player may take over the first stone"),
            Option.lang(),
        )
    )

    def configure(self) -> None:
        values = self.values
        self.board = trapezoid() if values["board"] == "trapezoid" else hexhex5()
        self.colours = (WHITE, BLACK, RED)[: values.number("players")]
        self.supply = share_supply(values, self.colours)
        self.repetition = values.text("repetition")
        self.no_move = values.text("no_move")
        self.has_swap = bool(values["swap"]) and len(self.colours) == 2
        self.has_pass = self.no_move == "pass"

    def start(self, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> PentalathPosition:
        stones = turn_rules.lay_out(self.board, self.colours, setup)
        first = self.colours[0] if to_play is None else turn_rules.check_colour(self.colours, to_play)
        return self._begin(PentalathPosition(board=self.board, stones=stones, mover=first))

    def _begin(self, position: PentalathPosition) -> PentalathPosition:
        history = self._seen(History(), position.stones, position.mover)
        return self._judge(replace(position, history=history))

    def turn_to(self, position: PentalathPosition, colour: int) -> PentalathPosition:
        return self._begin(super().turn_to(position, colour))

    def _seen(self, history: History, stones: bytes, mover: int) -> History:
        return history if self.repetition == "none" else history.add(self._key(stones, mover))

    def _key(self, stones: bytes, mover: int) -> bytes:
        return stones + bytes((mover,)) if self.repetition == "draw3_situation" else stones

    # -- playing -----------------------------------------------------------------------------------------------------

    def actions(self, position: PentalathPosition) -> Sequence[int]:
        if self.is_over(position):
            return ()
        found = [point for point in range(len(self.board)) if self._fits(position, point)]
        if self._may_swap(position):
            found.append(SWAP)
        if not found and self.no_move == "pass":
            found.append(PASS)
        return found

    def _fits(self, position: PentalathPosition, point: int) -> bool:
        stones = position.stones
        if stones[point] or not self.has_supply(position):
            return False
        return any(not stones[near] for near in self.board.neighbours[point]) or (
            place(self.board, stones, position.mover, point) is not None
        )

    def _is_blocked(self, position: PentalathPosition) -> bool:
        return not self._may_swap(position) and not any(self._fits(position, p) for p in range(len(self.board)))

    def put(self, position: PentalathPosition, point: int) -> PentalathPosition:
        stones, mover = position.stones, position.mover
        self.expect_room(position, point)
        placed = place(self.board, stones, mover, point)
        if placed is None:
            raise illegal("suicide", self.lang, vertex=self.board.vertex(point))
        after, captured = placed
        following = turn_rules.next_mover(self.colours, position, mover)
        moved = replace(
            position,
            stones=after,
            mover=following,
            turn=position.turn + 1,
            passes=0,
            last=Event(mover, point),
            earlier=self.earlier_after(position),
            captured=captured,
            taken=turn_rules.tally_captures(position, mover, captured),
            history=self._seen(position.history, after, following),
        )
        if any(all(after[member] == mover for member in five) for five in self.board.fives_at(point)):
            return replace(moved, ended=Outcome(mover, "five"))
        if self.repetition != "none" and moved.history.count(self._key(after, following)) >= self.most_occurrences:
            return replace(moved, ended=Outcome(None, "repetition"))
        return self._judge(moved)

    def repeats(self, position: PentalathPosition) -> Mapping[int, int]:
        if self.repetition == "none" or self.is_over(position):
            return {}
        following, found = turn_rules.next_mover(self.colours, position, position.mover), {}
        for point in (point for point in range(len(self.board)) if self._fits(position, point)):
            placed = place(self.board, position.stones, position.mover, point)
            times = position.history.count(self._key(placed[0], following)) if placed else 0
            if times:
                found[point] = times
        return found

    def occurrences(self, position: PentalathPosition) -> int:
        return max(1, position.history.count(self._key(position.stones, position.mover)))

    def _judge(self, position: PentalathPosition) -> PentalathPosition:
        """Return the position, with the game ended if the player to move has no move and the rules then end it."""
        if self.no_move == "pass" or not self._is_blocked(position):
            return position
        is_lost = self.no_move == "loss" and len(self.colours) == 2
        winner = turn_rules.next_mover(self.colours, position, position.mover) if is_lost else None
        return replace(position, ended=Outcome(winner, "blocked"))

    def pass_turn(self, position: PentalathPosition) -> PentalathPosition:
        if self.no_move != "pass" or not self._is_blocked(position):
            raise illegal("no pass", self.lang)
        mover = position.mover
        passes = position.passes + 1
        everybody = len(self.colours) - len(position.out)
        return replace(
            position,
            mover=turn_rules.next_mover(self.colours, position, mover),
            turn=position.turn + 1,
            passes=passes,
            last=Event(mover, PASS),
            earlier=self.earlier_after(position),
            captured=(),
            ended=Outcome(None, "blocked") if passes >= everybody else None,
        )

    def _may_swap(self, position: PentalathPosition) -> bool:
        last = position.last
        return self.has_swap and position.turn == 2 and last is not None and last.action >= 0

    def swap(self, position: PentalathPosition) -> PentalathPosition:
        if not self._may_swap(position):
            raise illegal("no swap", self.lang)
        mover = position.mover
        following = turn_rules.next_mover(self.colours, position, mover)
        assert position.last is not None
        taken_over = position.last.action
        stones = position.stones[:taken_over] + bytes((mover,)) + position.stones[taken_over + 1 :]
        return replace(
            position,
            stones=stones,
            mover=following,
            turn=position.turn + 1,
            last=Event(mover, SWAP),
            earlier=self.earlier_after(position),
            captured=(),
            history=self._seen(position.history, stones, following),
        )

    def leave(self, position: PentalathPosition, action: int, actor: int) -> PentalathPosition:
        left = super().leave(position, action, actor)
        return left if self.is_over(left) else self._judge(left)

    # -- the end -----------------------------------------------------------------------------------------------------

    def is_over(self, position: PentalathPosition) -> bool:
        return position.ended is not None or len(position.out) >= len(self.colours) - 1

    def outcome(self, position: PentalathPosition) -> Outcome | None:
        return position.ended or turn_rules.outcome_of_leaving(self.colours, position)

    def find_marks(self, position: PentalathPosition, colour: int | None = None) -> dict[str, list[int]]:
        # The points of the row of five or more that ended the game.
        if position.ended is None or position.ended.how != "five" or position.last is None:
            return {"line": []}
        stones, point = position.stones, position.last.action
        fives = self.board.fives_at(point)
        return {"line": sorted({p for five in fives if all(stones[q] == stones[point] for q in five) for p in five})}
