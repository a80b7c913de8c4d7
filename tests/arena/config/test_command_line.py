"""Matches made from the options of the command line."""

import json
from pathlib import Path

import pytest

from tests.arena.matches import COMPLETE, WRONG, run

GAME = ("--variant", "aleago:size=5,dice=1d2", "--quiet")
pytestmark = pytest.mark.usefixtures("here", "in_one_process")
TWO = ("--player", "bot:greedy", "--player", "bot:uniform")


def test_two_players_make_a_match(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = (*GAME, *TWO, "--pairs", "2", "--seed", "3")
    assert run(*command) == COMPLETE
    assert capsys.readouterr().out.startswith("Results of greedy vs uniform (aleago:size=5,dice=1d2; 4 of 4 games)")
    assert run(*command, "show", "--json") == COMPLETE
    assert json.loads(capsys.readouterr().out)["complete"]
    assert run(*GAME, *TWO, "--pairs", "3", "--seed", "3", "--json") == COMPLETE
    assert json.loads(capsys.readouterr().out)["games"] == 6
    assert (here / "out" / "greedy-uniform-aleago" / "arena.db").is_file()


def test_all_options_set_their_keys(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "first.txt").write_text("C3 B2\nB4\n")
    assert (
        run(
            *(*GAME, "-p", "one=bot:uniform", "-p", "two=bot:uniform", "-p", "bot:greedy", "--tournament", "gauntlet"),
            *("--pairs", "4", "--time", "10s+1s", "--margin", "200ms", "--move-limit", "50", "--openings", "first.txt"),
            *(
                "--plies",
                "1",
                "--sprt",
                "elo1=30,model=logistic",
                "--elo-error",
                "300",
                "--name",
                "all",
                "--dir",
                "here",
            ),
            *("--seed", "x", "-j", "2"),
        )
        == COMPLETE
    )
    said = capsys.readouterr().out
    assert "Results of one vs two" in said
    assert "Results of one vs greedy" in said
    assert "[0.00, 30.00] logistic" in said
    assert (here / "here" / "arena.db").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "expected a FILE, or --variant and at least two of --player"),
        ((*GAME, "--player", "bot:greedy"), "tournament.players: expected at least two players"),
        (TWO, "defaults.variant: is missing"),
        ((*GAME, *TWO, "--pairs", "0"), "--pairs: expected a whole number of 1 or more, not '0'"),
        ((*GAME, *TWO, "--time", "5"), "--time: expected none, or a time such as 10m"),
        ((*GAME, *TWO, "--sprt", "x"), "--sprt: 'x': expected key=value"),
        ((*GAME, *TWO, "--sprt", "elo2=3"), "stop.sprt.elo2: unknown key; did you mean elo1?"),
        ((*GAME, *TWO, "fly"), "'fly': expected one of run, show, report"),
        ((*GAME, *TWO, "show", "more"), "'more': expected only options after show"),
        (
            ("aleago-first", *TWO),
            "as there is no FILE beside --player",
        ),
        (("aleago-first", "--only", "greedy"), "--only is for reset, not for run"),
        (("aleago-first", "show", "--shard", "1/2"), "--shard is for run, not for show"),
        (("aleago-first", "--pairs", "3"), "--pairs is only for a match without a file; write it into the file"),
        (
            (*GAME, "-p", "greedy", "-p", "bot:uniform"),
            "cannot start 'greedy': program not found; did you mean bot:greedy?\n",
        ),
        (
            (*GAME, "-p", "mcts:level=3", "-p", "bot:uniform"),
            "'mcts:level=3': program not found; did you mean bot:mcts:level=3?\n",
        ),
        ((*GAME, "-p", "gredy", "-p", "bot:uniform"), "cannot start 'gredy': program not found\n"),
        ((*GAME, "--player", "bot:gredy", "--player", "bot:uniform"), "players.gredy.command: unknown bot 'gredy'"),
    ],
)
def test_wrong_options_are_reported(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == WRONG
    assert said in capsys.readouterr().err


def test_plan_shows_games_for_an_error_and_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("aleago-first", "plan", "--elo-error", "30") == COMPLETE
    assert "+/- 30 Elo      515    258     -" in capsys.readouterr().out
    assert run("gauntlet-sprt", "plan") == COMPLETE
    assert "mean length of the test of candidate against old:" in capsys.readouterr().out
    for wished in ("x", "nan", "0", "1e-300"):
        assert run("aleago-first", "plan", "--elo-error", wished) == WRONG
        assert "--elo-error: expected a number" in capsys.readouterr().err


def test_players_are_named_after_their_commands() -> None:
    from gtp_variants.arena.config.configure import name_of

    assert [
        name_of(text)
        for text in ("bot:mcts:level=3", "bot:a/b.py:C", "/usr/bin/gnugo --mode gtp", "C:\\x\\pachi.exe", "", "'")
    ] == ["mcts", "b.py", "gnugo", "pachi.exe", "player", "player"]


def test_report_lists_the_settings_of_bots_once(capsys: pytest.CaptureFixture[str]) -> None:
    players = ["bot:uniform", "bot:mcts:playouts=1,seconds=0", "mine=bot:greedy"]
    flags = [word for player in players for word in ("--player", player)]
    assert run("--variant", "go:size=3", "--quiet", *flags, "--pairs", "1") == COMPLETE
    said = capsys.readouterr().out
    assert "\nmcts: Search, 1 playouts a move\n" in said
    assert "uniform: Random" not in said
    assert "mine: " not in said
