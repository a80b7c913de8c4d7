"""Two games that one seat cannot tell apart: a match sends its program the same lines at the same moments."""

from pathlib import Path

import pytest

from tests.arena.twins import compare_matches
from tests.support.twins import EVERY_TWO, QUICK_PAIRS, twin_pair


@pytest.mark.parametrize(
    "number", [QUICK_PAIRS[1], *(pytest.param(each, marks=pytest.mark.slow) for each in EVERY_TWO[::3])]
)
def test_program_gets_the_same_lines_in_twin_games(tmp_path: Path, number: int) -> None:
    compare_matches(tmp_path, twin_pair(number))
