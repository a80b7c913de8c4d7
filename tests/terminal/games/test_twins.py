"""Twin games at one keyboard and in records: what a seat sees of two games that sound alike to it is the same."""

from pathlib import Path

import pytest

from tests.records.twins import compare_records
from tests.support.twins import EVERY_TWO, QUICK_PAIRS, twin_pair
from tests.terminal.twins import KeyboardTwin, compare_keyboard

MANY = [pytest.param(number, marks=pytest.mark.slow) for number in EVERY_TWO]


@pytest.mark.parametrize("number", [*QUICK_PAIRS, *MANY])
def test_a_seat_at_the_keyboard_sees_the_same_of_twin_games(tmp_path: Path, number: int) -> None:
    compare_keyboard(tmp_path, twin_pair(number))


@pytest.mark.parametrize("number", [*QUICK_PAIRS, *MANY])
def test_a_seats_view_of_twin_records_is_equal(number: int) -> None:
    compare_records(twin_pair(number))


def test_the_other_seat_sees_two_games(tmp_path: Path) -> None:
    pair = twin_pair(QUICK_PAIRS[0])
    one, other = (KeyboardTwin(tmp_path / which, game).play() for which, game in zip("ab", pair.games, strict=True))
    assert one[3 - pair.colour] != other[3 - pair.colour]
