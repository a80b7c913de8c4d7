"""Two games that one seat cannot tell apart: a program on it is sent the same lines by a match, at the same moments."""

from pathlib import Path

import pytest

from gtp_variants.rules.actions import BLACK, WHITE
from tests.arena.twins import compare_matches
from tests.support.twins import ALL_SPECS, QUICK_SPECS, make_twins


def test_a_program_is_sent_the_same_lines_of_twin_games(tmp_path: Path) -> None:
    compare_matches(tmp_path, BLACK, *make_twins(QUICK_SPECS[1], BLACK, 1))


@pytest.mark.slow
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_a_program_is_sent_the_same_lines_whatever_is_announced(tmp_path: Path, colour: int) -> None:
    for seed, spec in enumerate(ALL_SPECS[colour::29]):
        compare_matches(tmp_path / str(seed), colour, *make_twins(spec, colour, seed))
