"""Alter Igo: Go without a score and, by default, without passes; all strings without a liberty are removed at once.

Source: the file 003_998ee6034542098c.txt of the specification, in which no rule has number 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gtp_variants.rules import turn_rules
from gtp_variants.rules.actions import BLACK, PASS, WHITE, Event
from gtp_variants.rules.boards.board import rectangle
from gtp_variants.rules.boards.chains import breathless, without
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name
from gtp_variants.rules.illegal_moves import explain, illegal
from gtp_variants.rules.options import SIZE_LIMIT, Option, OptionSet
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.profile import GameProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterIgoPosition(Position):
    """A position of Alter Igo. `passes_left` is the number of passes White has left."""

    passes_left: int = 0


def _kernel_facts(rules: "AlterIgoRules") -> dict[str, object]:
    values = rules.values
    return {
        "repetition": values["repetition"],
        "repeat_count": rules.most_occurrences,
        "first": BLACK if values["first"] == "b" else WHITE,
        "white_passes": values["white_passes"],
    }


PROFILE = GameProfile(
    small_spec="alter-igo",
    bench_specs=("alter-igo:size=5", "alter-igo:size=9"),
    fits_go_hosts=True,
    expected_turns_a_point=2.0,
    # The losing side can force a tie by repetition, so bots avoid ties. Twice this contempt is too much.
    default_contempt=0.1,
    mark_names=("losing",),
    decisive_marks=("losing",),
    limits_passes=True,
    kernel_game="alter-igo",
    kernel_facts=_kernel_facts,
)


class AlterIgoRules(turn_rules.TurnRules[AlterIgoPosition], turn_rules.RepeatingRules[AlterIgoPosition]):
    """Go with simultaneous capture. A player whose new stone is the only stone removed loses the game."""

    name = "alter-igo"
    title = "Alter Igo"
    aliases = ("alterigo", "epago", "epägo")
    is_scored = False
    profile = PROFILE
    draws_by_repetition = True
    options = OptionSet(
        (
            Option("width", "int", 9, "columns of the board", low=1, high=SIZE_LIMIT),
            Option("height", "int", 9, "rows of the board", low=1, high=SIZE_LIMIT),
            Option.choice("first", ("b", "w"), "the colour that begins"),
            Option.choice(
                "repetition",
                ("board", "situation"),
                "repetitions that count: of the board, or of the board and the side to move",
            ),
            Option("repeat_count", "int", 3, "occurrences that make a draw", low=2, high=1000),
            Option("white_passes", "int", 0, "number of passes that White has", low=0, high=10_000),
            Option.lang(),
        ),
        shorthands={"size": ("width", "height")},
    )

    def configure(self) -> None:
        values = self.values
        self.board = rectangle(values.number("width"), values.number("height"))
        self._first = BLACK if values["first"] == "b" else WHITE
        self._repeats_with_turn = values["repetition"] == "situation"
        self.most_occurrences = values.number("repeat_count")
        self.has_pass = values.number("white_passes") > 0

    def start(self, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> AlterIgoPosition:
        stones = turn_rules.lay_out(self.board, self.colours, setup)
        first = self._first if to_play is None else turn_rules.check_colour(self.colours, to_play)
        return AlterIgoPosition(
            board=self.board,
            stones=stones,
            mover=first,
            passes_left=self.values.number("white_passes"),
            history=History().add(self._key(stones, first)),
        )

    def _key(self, stones: bytes, mover: int) -> bytes:
        return stones + bytes((mover,)) if self._repeats_with_turn else stones

    def turn_to(self, position: AlterIgoPosition, colour: int) -> AlterIgoPosition:
        moved = super().turn_to(position, colour)
        # Begin the history again, because the start position counts with the starting colour to move.
        return replace(moved, history=History().add(self._key(moved.stones, colour)))

    def actions(self, position: AlterIgoPosition) -> Sequence[int]:
        if self.is_over(position):
            return ()
        points = [point for point, colour in enumerate(position.stones) if not colour]
        return (*points, PASS) if self._may_pass(position) else points

    def _may_pass(self, position: AlterIgoPosition) -> bool:
        return position.mover == WHITE and position.passes_left > 0

    def put(self, position: AlterIgoPosition, point: int) -> AlterIgoPosition:
        stones, mover = position.stones, position.mover
        self.expect_room(position, point)
        other = turn_rules.next_mover(self.colours, position, mover)
        placed = stones[:point] + bytes((mover,)) + stones[point + 1 :]
        removed = self.find_removed(placed, point)
        after = without(placed, removed) if removed else placed
        history = position.history.add(self._key(after, other))
        ended = None
        if removed == (point,):
            # Source: rule 5, "places a stone so that it is the only stone to be immediately removed".
            ended = Outcome(other, "suicide")
        elif history.count(self._key(after, other)) >= self.most_occurrences:
            ended = Outcome(None, "repetition")
        return replace(
            position,
            stones=after,
            mover=other,
            turn=position.turn + 1,
            passes=0,
            last=Event(mover, point),
            earlier=self.earlier_after(position),
            captured=removed,
            taken=turn_rules.tally_captures(position, mover, [gone for gone in removed if gone != point]),
            ended=ended,
            history=history,
        )

    def find_removed(self, placed: bytes, point: int) -> tuple[int, ...]:
        """Return the points that a new stone empties, judging all strings before any is removed. Source: rule 4."""
        gone: set[int] = set()
        for start in (point, *self.board.neighbours[point]):
            # Check only these strings, because no other string can have lost its last liberty.
            if placed[start] and start not in gone:
                gone.update(breathless(self.board, placed, start) or ())
        return tuple(sorted(gone))

    def pass_turn(self, position: AlterIgoPosition) -> AlterIgoPosition:
        if not self._may_pass(position):
            key = "no pass left" if position.mover == WHITE and self.values.number("white_passes") else "no pass"
            error = illegal("no pass", self.lang)
            error.sentence = explain(key, self.lang, name=colour_name(position.mover, self.lang))
            raise error
        return replace(
            position,
            mover=turn_rules.next_mover(self.colours, position, position.mover),
            turn=position.turn + 1,
            passes=position.passes + 1,
            passes_left=position.passes_left - 1,
            last=Event(position.mover, PASS),
            earlier=self.earlier_after(position),
            captured=(),
        )

    def losing(self, position: AlterIgoPosition, colour: int) -> list[int]:
        """Return the points where a stone of `colour` would be the only stone removed, and so lose the game."""
        return [point for point in range(len(self.board)) if self._is_alone_taken(position.stones, point, colour)]

    def loses(self, position: AlterIgoPosition, point: int) -> bool:
        return self._is_alone_taken(position.stones, point, position.mover)

    def _is_alone_taken(self, stones: bytes, point: int, colour: int) -> bool:
        if stones[point] or any(stones[near] in (0, colour) for near in self.board.neighbours[point]):
            return False
        return self.find_removed(stones[:point] + bytes((colour,)) + stones[point + 1 :], point) == (point,)

    def is_over(self, position: AlterIgoPosition) -> bool:
        return position.ended is not None or bool(position.out)

    def outcome(self, position: AlterIgoPosition) -> Outcome | None:
        return position.ended or turn_rules.outcome_of_leaving(self.colours, position)

    def find_marks(self, position: AlterIgoPosition, colour: int | None = None) -> dict[str, list[int]]:
        is_over = self.is_over(position)
        return {"losing": [] if is_over else self.losing(position, position.mover if colour is None else colour)}

    def repeats(self, position: AlterIgoPosition) -> Mapping[int, int]:
        if self.is_over(position):
            return {}
        stones, mover, history = position.stones, position.mover, position.history
        other = turn_rules.next_mover(self.colours, position, mover)
        found = {}
        for point in (point for point, there in enumerate(stones) if not there):
            placed = stones[:point] + bytes((mover,)) + stones[point + 1 :]
            removed = self.find_removed(placed, point)
            # A stone that is removed alone loses at once, so repetition is not considered.
            times = 0 if removed == (point,) else history.count(self._key(without(placed, removed), other))
            if times:
                found[point] = times
        return found

    def occurrences(self, position: AlterIgoPosition) -> int:
        return position.history.count(self._key(position.stones, position.mover))

    def facts(self, position: AlterIgoPosition) -> dict[str, int | dict[str, int]]:
        return {
            "occurrences": self.occurrences(position),
            "passes_left": {COLOUR_LETTERS[BLACK]: 0, COLOUR_LETTERS[WHITE]: position.passes_left},
        }
