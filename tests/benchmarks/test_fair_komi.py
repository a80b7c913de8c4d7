"""The fair komi: the komi of the next games, groups, and the report, by value."""

import pytest

import gtp_variants as gv
from benchmarks.strength import fair_komi
from benchmarks.strength.fair_komi import CHUNK, PlayedGame, count_groups, next_komi, report

SPEC = "rosette:n=2"


def game(margin: float) -> PlayedGame:
    return PlayedGame(margin, placed=50, captured=10, groups=2)


def test_the_next_games_have_the_median_so_far_as_their_komi() -> None:
    assert next_komi(SPEC, []) == 7.5
    assert next_komi(SPEC, [game(3), game(-20), game(5)]) == 3.5
    assert next_komi(SPEC, [game(-3), game(-2)]) == -2.5


def test_groups_are_connected_by_stones_and_territory() -> None:
    """Black has a corner and a lone stone, White a wall and a lone point."""
    owners = [
        {"b": gv.BLACK, "w": gv.WHITE, ".": gv.EMPTY}[letter]
        for letter in "bbbwb bbwww wwwww w.... ...w.".replace(" ", "")
    ]
    assert count_groups(gv.parse("go:size=5").board, owners) == 4


def test_the_first_games_only_find_the_komi() -> None:
    """Of the others, two have 3 points, one 9: White wins two of three at 7.5."""
    said = report(SPEC, [game(100)] * CHUNK + [game(3), game(3), game(9)])
    assert said.startswith(f"{SPEC}: 19 games, fair komi 3.0 [3.0, 9.0], White wins at 7.5 66.7 [0.0, 100.0], ")
    assert said.endswith("stones 50.0 [50.0, 50.0], captured of 100 20.0 [20.0, 20.0], groups 2.0 [2.0, 2.0]")


def test_the_komi_of_a_game_is_not_the_readers(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fair_komi.main(["go:komi=5.5"])
    assert "go:komi=5.5: expected a SPEC without komi" in capsys.readouterr().err
