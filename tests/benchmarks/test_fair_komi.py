"""The fair komi: the komi of the next game, and what is reported, by value."""

from pathlib import Path

import gtp_variants as gv
from benchmarks.strength import fair_komi
from benchmarks.strength.fair_komi import PlayedGame, Series, count_groups, load_games, next_komi

SERIES = Series("rosette:n=2", 8, "none")


def game(margin: float) -> PlayedGame:
    return PlayedGame(SERIES, 0, 7.5, margin, 50, 10, 2)


def test_the_next_game_has_the_median_so_far_as_its_komi() -> None:
    assert next_komi(SERIES, []) == 7.5
    assert next_komi(SERIES, [game(3), game(-20), game(5)]) == 3.5
    assert next_komi(SERIES, [game(-3), game(-2)]) == -2.5


def test_groups_are_connected_by_stones_and_territory() -> None:
    """Black's corner is one group with its territory; White's wall is one, and the lone black stone another."""
    rules = gv.parse("go:size=5")
    text = "b.bwb bb.w. wwwww ..... .w.w."
    stones = bytes({"b": gv.BLACK, "w": gv.WHITE}.get(letter, gv.EMPTY) for letter in text.replace(" ", ""))
    assert count_groups(rules.board, stones) == 3


def test_a_series_is_played_once_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    asked = ["rosette:n=2", "--games", "3", "--playouts", "8", "--net", "none", "--into", str(file)]
    assert fair_komi.main(asked) == 0
    games = load_games(file, SERIES)
    assert [each.number for each in games] == [0, 1, 2]
    assert [each.komi for each in games] == [next_komi(SERIES, games[:number]) for number in range(3)]
    assert all(each.captured < each.placed and abs(each.margin) <= 24 for each in games)
    before = file.read_bytes()
    fair_komi.main(asked)
    assert file.read_bytes() == before
