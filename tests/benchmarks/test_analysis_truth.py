"""The measurement of calibration and of jumps, which continues after an interruption."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import gtp_variants as gv
from benchmarks.strength import analysis_truth
from benchmarks.strength.analysis_truth import JudgedGame, Task, calibrate, count_jumps, fit_calibration, load_games
from benchmarks.strength.matches.game import opening_lines
from gtp_variants.errors import ConfigError


def judged(values: list[float], won: float, spec: str = "go:size=5") -> JudgedGame:
    """A game of two in which the seats take turns; the values are the first colour's."""
    notes = [(index % 2, (value, 1 - value)) for index, value in enumerate(values)]
    return JudgedGame(spec, 0.01, 0, notes, (won, 1 - won))


def test_a_jump_is_more_than_fifteen_points_either_way() -> None:
    assert count_jumps([judged([0.5, 0.64, 0.4, 0.56, 0.55], 1.0)]) == (2, 4)
    assert count_jumps([judged([0.5], 1.0), judged([], 0.0)]) == (0, 0)


def test_where_stones_are_hidden_each_seat_has_a_graph() -> None:
    assert count_jumps([judged([0.2, 0.8, 0.2, 0.8], 1.0)]) == (3, 3)
    assert count_jumps([judged([0.2, 0.8, 0.2, 0.8], 1.0, "phantom:size=5")]) == (0, 2)


def test_promises_are_those_of_the_side_to_move() -> None:
    """Each game the first colour is promised 65% and gets it in 13 of 20: what the other is promised is right, too."""
    games = [judged([0.65] * 6, float(number < 13)) for number in range(20)]
    bins = calibrate(games)
    found = {place: each for place, each in enumerate(bins) if each is not None}
    assert sorted(found) == [3, 6]
    assert (found[6].positions, found[6].games) == (60, 20)
    assert found[6].got == pytest.approx(0.65)
    assert found[3].promised == pytest.approx(0.35)
    assert all(each.is_right for each in found.values())
    # Thrice as many positions of the same games say no more than the games do.
    wrong = calibrate([judged([0.95] * 60, float(number < 13)) for number in range(20)])[9]
    assert wrong is not None
    assert not wrong.is_right


@pytest.mark.slow
def test_odds_too_near_to_even_need_a_higher_power() -> None:
    """A side with a shown chance of 60% wins 77% of 200 games: odds of 1.5 should be 3.35, their third power."""
    games = [judged([0.6] * 4, float(number < 154)) for number in range(200)]
    fit = fit_calibration(games)
    assert fit is not None
    assert fit.power == pytest.approx(3, rel=0.05)
    assert fit.least < fit.power < fit.most
    # A tenth of the games says less, and as many positions of the same games no more.
    few, long = fit_calibration(games[::10]), fit_calibration([judged([0.6] * 20, each.shares[0]) for each in games])
    assert few is not None
    assert long is not None
    assert few.most - few.least > 1.5 * (fit.most - fit.least)
    assert (long.least, long.most) == (fit.least, fit.most)
    # What was told with odds already raised is what the search compared.
    told = fit_calibration([replace(judged([0.771] * 4, each.shares[0]), calibration=3.0) for each in games])
    assert told is not None
    assert told.power == pytest.approx(3, rel=0.05)
    assert fit_calibration([]) is None


class Begun(Exception):
    """The opening stands."""


@pytest.mark.parametrize("spec", ["go:size=9", "aleago:size=9,dice=1d4", "rosette:n=4"])
def test_a_game_may_begin_with_a_line_of_a_file(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Aléago the stones say what was thrown."""

    def stop(table: gv.Table, *rest: object) -> None:
        raise Begun([board.vertex(event.action) for event in table.game.events if event.actor in (1, 2)])

    monkeypatch.setattr(analysis_truth, "Referee", stop)
    board = gv.parse(spec).board
    names = {"go:size=9": "go-9x9", "rosette:n=4": "rosette-4"}
    file = Path("configs/openings") / f"{names.get(spec, 'aleago-9x9')}.txt"
    lines = opening_lines(str(file))
    for number in range(5):
        with pytest.raises(Begun) as begun:
            analysis_truth.play_game(Task(spec, 0.001, number, str(file)))
        assert begun.value.args[0] == [vertex.upper() for vertex in lines[number].split()]
    with pytest.raises(ConfigError, match=f"{len(lines)} openings, expected at least {len(lines) + 1}"):
        analysis_truth.play_game(Task(spec, 0.001, len(lines), str(file)))


def test_openings_are_of_one_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        analysis_truth.main(["--openings", "some.txt", "--into", str(tmp_path / "games.jsonl")])
    assert "--openings some.txt: expected one SPEC, whose games begin so, not 6" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_continues_where_it_was_ended(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    arguments = ["go:size=5", "pentalath", "--seconds", "0.001", "--into", str(file)]
    analysis_truth.main([*arguments, "--games", "1"])
    # Values that were told otherwise are not mixed with these.
    other = [{**asdict(game), "calibration": 7.0} for game in load_games(file)]
    (tmp_path / "other.jsonl").write_text("".join(json.dumps(game) + "\n" for game in other))
    text = analysis_truth.main([*arguments[:-1], str(tmp_path / "other.jsonl"), "--games", "1"])
    assert len(load_games(tmp_path / "other.jsonl")) == 4
    assert "all: 2 games" in text
    before = file.read_text()
    # The second game's line was torn off.
    file.write_text(before[:-30])
    text = analysis_truth.main([*arguments, "--games", "2", "--jobs", "2"])
    assert file.read_text().startswith(before.splitlines()[0])
    assert sorted(game.number for game in load_games(file)) == [0, 0, 1, 1]
    assert "4 games" in text
