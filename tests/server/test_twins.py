"""Two games that one account cannot tell apart: what the server sends it is the same, line by line, clocks included."""

from pathlib import Path

import pytest

from gtp_variants.rules.actions import BLACK, WHITE
from tests.server.twins import compare_lines
from tests.support.twins import ALL_SPECS, QUICK_SPECS, make_twins


@pytest.mark.parametrize("spec", QUICK_SPECS)
def test_an_account_is_sent_the_same_lines_of_twin_games(tmp_path: Path, spec: str) -> None:
    for colour in (BLACK, WHITE):
        compare_lines(tmp_path / str(colour), colour, *make_twins(spec, colour, colour))


@pytest.mark.slow
def test_an_account_is_sent_the_same_lines_whatever_is_announced(tmp_path: Path) -> None:
    for seed, spec in enumerate(ALL_SPECS):
        for colour in (BLACK, WHITE):
            compare_lines(tmp_path / f"{seed}-{colour}", colour, *make_twins(spec, colour, seed))
