"""Two games that one account cannot tell apart: what the server sends it is the same, line by line, clocks included."""

from pathlib import Path

import pytest

from tests.site.lobby.twins import compare_lines
from tests.support.twins import EVERY_TWO, QUICK_PAIRS, twin_pair


@pytest.mark.parametrize("number", [*QUICK_PAIRS, *(pytest.param(each, marks=pytest.mark.slow) for each in EVERY_TWO)])
def test_an_account_is_sent_the_same_lines_of_twin_games(tmp_path: Path, number: int) -> None:
    compare_lines(tmp_path, twin_pair(number))
