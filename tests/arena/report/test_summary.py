"""The last lines of a match: a sentence that says who won, and commands for viewing a game and for playing."""

from pathlib import Path

import pytest

from gtp_variants.cli import main
from gtp_variants.cli.commands import PROGRAM, called_as

GREEDY, UNIFORM = ("--player", "bot:greedy"), ("--player", "bot:uniform")


def last_lines(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> list[str]:
    command = ["match", "--variant", "go:size=5,komi=0.5", "--seed", "3", "--dir", str(folder), *arguments]
    assert main(command) == 0
    return capsys.readouterr().err.splitlines()[-4:]


def test_match_of_two_ends_with_the_winner_a_record_and_a_game_to_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    won, see, play, where = last_lines(capsys, tmp_path / "two", *GREEDY, *UNIFORM, "--pairs", "2")
    assert won == "greedy won all 4 games."
    record = see.removeprefix(f"To see a game: {called_as()} replay ")
    assert Path(record) == tmp_path / "two" / "greedy-uniform" / "0002b.sgf"
    assert Path(record).is_file()
    assert play == f"To play yourself: {called_as()} play go:size=5,komi=0.5"
    assert where == f"All files are in {tmp_path / 'two'}."


def test_match_that_was_over_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for expected in ("1/2  greedy", "No game was left to play: all results are from earlier runs."):
        assert main(["match", *GREEDY, *UNIFORM, "--variant=go:size=3", "--dir", str(tmp_path), "--pairs=1"]) == 0
        assert expected in capsys.readouterr().err


@pytest.mark.slow
def test_match_of_three_ends_with_the_points_of_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    third = ("--player", "bot:mcts:playouts=20", "--tournament", "roundrobin", "--pairs", "1")
    first = last_lines(capsys, tmp_path / "three", *GREEDY, *UNIFORM, *third)[0]
    assert first == "Result: mcts 4 points in 4 games, greedy 2 points in 4 games, uniform 0 points in 4 games."


@pytest.mark.parametrize(
    ("typed", "on_path", "shown"),
    [
        ("/home/ann/clone/.venv/bin/gtp-variants", "/usr/bin/gtp-variants", "/home/ann/clone/.venv/bin/gtp-variants"),
        (".venv/bin/gtp-variants", None, ".venv/bin/gtp-variants"),
        ("/usr/bin/gtp-variants", "/usr/bin/gtp-variants", PROGRAM),
        ("/somewhere/gtp_variants/__main__.py", None, PROGRAM),
    ],
)
def test_program_is_named_as_it_was_typed(
    typed: str, on_path: str | None, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [typed])
    monkeypatch.setattr("shutil.which", lambda name: on_path)
    assert called_as() == shown
