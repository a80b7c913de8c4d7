"""Atari Go: the first player to capture wins. Many beginners learn Go with this game.

Source: Yasuda Yasutoshi's teaching of Go ("capture go"). Placing and capturing follow ordinary Go.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from gtp_variants.rules.actions import BLACK, Event
from gtp_variants.rules.boards.board import rectangle
from gtp_variants.rules.boards.chains import place
from gtp_variants.rules.colour_names import colour_adjective
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.options import Option, OptionSet
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.profile import GameProfile
from gtp_variants.rules.turn_rules import (
    TurnRules,
    check_colour,
    lay_out,
    next_mover,
    outcome_of_leaving,
    tally_captures,
)

_WON = {"en": "{name} wins: enough stones are captured", "fr": "{name} gagne : assez de pierres sont prises"}

PROFILE = GameProfile(small_spec="atari-go:size=5", fits_go_hosts=True, captures_as_go=True)


class AtariGoRules(TurnRules[Position]):
    """The first player with enough captures wins. There are no passes. A player who cannot move loses."""

    name = "atari-go"
    title = "Atari Go"
    aliases = ("capture-go",)
    is_scored = False
    profile = PROFILE
    has_pass = False
    options = OptionSet(
        (
            Option.size(9),
            Option("captures", "int", 1, "stones to take to win", low=1, high=100),
            Option.lang(),
        )
    )

    def configure(self) -> None:
        size = self.values.number("size")
        self.board = rectangle(size, size)
        self._captures = self.values.number("captures")

    def start(self, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> Position:
        mover = BLACK if to_play is None else check_colour(self.colours, to_play)
        return Position(board=self.board, stones=lay_out(self.board, self.colours, setup), mover=mover)

    def actions(self, position: Position) -> Sequence[int]:
        if self.is_over(position):
            return ()
        return [point for point, there in enumerate(position.stones) if not there and self._place(position, point)]

    def _place(self, position: Position, point: int) -> tuple[bytes, tuple[int, ...]] | None:
        return place(self.board, position.stones, position.mover, point, _never, _never)

    def put(self, position: Position, point: int) -> Position:
        mover, vertex = position.mover, self.board.vertex(point)
        if position.stones[point]:
            stone = colour_adjective(position.stones[point], self.lang)
            raise illegal("occupied", self.lang, vertex=vertex, stone=stone)
        placed = self._place(position, point)
        if placed is None:
            raise illegal("suicide", self.lang, vertex=vertex)
        stones, captured = placed
        after = replace(
            position,
            stones=stones,
            mover=next_mover(self.colours, position, mover),
            turn=position.turn + 1,
            last=Event(mover, point),
            earlier=self.earlier_after(position),
            captured=captured,
            taken=tally_captures(position, mover, captured),
        )
        if after.taken[mover] >= self._captures:
            return replace(after, ended=Outcome(mover, "capture", sentences=_WON))
        return after if self.actions(after) else replace(after, ended=Outcome(mover, "blocked"))

    def is_over(self, position: Position) -> bool:
        return position.ended is not None or bool(position.out)

    def outcome(self, position: Position) -> Outcome | None:
        return position.ended or outcome_of_leaving(self.colours, position)


def _never(_stones: bytes | bytearray, _members: Collection[int]) -> bool:
    """Return False, because no chain may stay on the board without a liberty."""
    return False
