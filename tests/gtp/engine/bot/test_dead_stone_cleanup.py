"""Moves that capture dead stones, and when there is no time to look for any."""

import pytest

from gtp_variants.gtp.engine.bot.dead_stone_cleanup import cleaning_move
from gtp_variants.rules.actions import BLACK
from tests.gtp.talk import Talk


@pytest.mark.parametrize(("left_s", "is_looked"), [(4, False), (5, True)])
def test_with_less_than_five_seconds_nothing_is_looked_for(left_s: int, is_looked: bool) -> None:
    talk = Talk("go:size=5")
    # A wall, and a lone white stone behind it.
    for point in ("A4", "B4", "C4", "D4", "E4"):
        talk(f"play b {point}")
    talk.does(f"play w C2/time_settings 60 0 0/time_left b {left_s} 0")
    assert (cleaning_move(talk.session, BLACK) is not None) == is_looked
