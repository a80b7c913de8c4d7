"""The fair komi: the komi of the next games, groups, and the report, by value."""

import pytest

import gtp_variants as gv
from benchmarks.strength import fair_komi
from benchmarks.strength.fair_komi import CHUNK, PlayedGame, count_groups, fit_komi, next_komi, report


def games(komi: float, white_wins: int, count: int = CHUNK) -> list[PlayedGame]:
    """Return games at a komi, of which White wins a number."""
    return [PlayedGame(komi, number < white_wins, placed=50, captured=10, groups=2) for number in range(count)]


def test_komi_moves_against_the_winner_and_half_as_far_after_a_turn() -> None:
    assert next_komi(7.5, 32, []) == 7.5
    assert next_komi(7.5, 32, games(7.5, 8)) == -24.5
    assert next_komi(7.5, 32, games(7.5, 8) + games(-24.5, 1)) == -8.5
    assert next_komi(7.5, 32, games(7.5, 8) + games(-24.5, 1) + games(-8.5, 3)) == 7.5
    assert next_komi(7.5, 32, games(7.5, 8) + games(-24.5, 1) + games(-8.5, 4)) == -16.5


def test_the_fair_komi_lies_between_wins_of_white_and_of_black() -> None:
    fair, low, high, share = fit_komi(games(10, 30, 30) + games(0, 0, 30), usual=7.5, points=50)
    assert (fair, share > 0.7) == (5, True)
    assert low < fair < high
    assert fit_komi(games(3.5, 2000, 4000), usual=3.5, points=50)[::3] == pytest.approx((3.5, 0.5), abs=1e-6)


def test_groups_are_connected_by_stones_and_territory() -> None:
    """Black has a corner and a lone stone, White a wall and a lone point."""
    owners = [
        {"b": gv.BLACK, "w": gv.WHITE, ".": gv.EMPTY}[letter]
        for letter in "bbbwb bbwww wwwww w.... ...w.".replace(" ", "")
    ]
    assert count_groups(gv.parse("go:size=5").board, owners) == 4


def test_a_report_counts_what_happened_on_the_board() -> None:
    said = report("rosette:n=2", games(0, 4))
    assert said.startswith("rosette:n=2: 8 games, fair komi 0 [-")
    assert said.endswith(" at 7.5, stones 50.0 ±0.0, captured of 100 20.0 ±0.0, groups 2.0 ±0.0")


def test_the_komi_of_a_game_is_not_the_readers(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fair_komi.main(["go:komi=5.5"])
    assert "go:komi=5.5: expected a SPEC without komi" in capsys.readouterr().err
