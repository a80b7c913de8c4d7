"""Which stones capture dead ones without harm to their own side, and when there is no time to look for any."""

import pytest

from gtp_variants.gtp.engine.bot.dead_stone_cleanup import cleaning_move, is_sound
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK
from tests.boards import begin
from tests.gtp.talk import Talk

RULES = parse("go:size=5")
DIAGRAM = """
    . O . . .
    . O O . .
    X O . O .
    O O O . .
    . X . X O
"""


@pytest.mark.parametrize(
    ("vertex", "is_good", "why"),
    [
        ("A4", False, "the chain has A5 only"),
        ("C1", True, "the chain has A1 and D2"),
        ("E2", True, "it captures E1"),
        ("D2", True, "the chain has C1 and E2"),
        ("E4", True, "it stands alone, with three liberties"),
    ],
)
def test_a_stone_is_sound_if_it_captures_or_keeps_two_liberties(vertex: str, is_good: bool, why: str) -> None:
    position = begin(RULES, DIAGRAM, BLACK)
    assert is_sound(RULES, position, RULES.board.point(vertex)) == is_good, why


@pytest.mark.parametrize(("left_s", "is_looked"), [(4, False), (5, True)])
def test_with_less_than_five_seconds_nothing_is_looked_for(left_s: int, is_looked: bool) -> None:
    talk = Talk("go:size=5")
    # A wall, and a lone white stone behind it.
    for point in ("A4", "B4", "C4", "D4", "E4"):
        talk(f"play b {point}")
    talk.does(f"play w C2/time_settings 60 0 0/time_left b {left_s} 0")
    assert (cleaning_move(talk.session, BLACK) is not None) == is_looked
