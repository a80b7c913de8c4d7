"""The output of `plan`: games, time, openings and seeds."""

import re
import sys
from pathlib import Path

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.report.plan import render_games
from gtp_variants.arena.report.text_report import duration_words
from tests.arena.matches import COMPLETE, run, write_match


def test_plan_starts_no_program_and_writes_no_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = f"{{command: [{sys.executable}, -c, \"open('started', 'w')\"]}}"
    file = write_match(
        *(here, {"mine": program, "ours": "bot:greedy"}, 7),
        spec="go:size=9",
        game="limits: {time: 30s+1s}",
        more='seed: "1"\nopenings: {file: go-9x9, order: sequential}',
    )
    assert run("small.yaml", "plan") == COMPLETE
    said = capsys.readouterr().out
    assert list(here.iterdir()) == [file]
    for words in (
        "small: 14 games, 14 of them left; all files are in out\n",
        "  mine-ours: 7 pairs of go:size=9\n",
        "  ours: bot:greedy\n",
        "time: unknown until games have been played; --max-games 20 plays some; at most 107 minutes by the clocks, 1 ",
        "openings: ",
        "seed: 1; a game that is played again has the same random numbers\n",
        "\nand 4 more\n",
        "No game has been played yet",
    ):
        assert words in said, said
    (first,) = [line for line in said.splitlines() if line.startswith("mine-ours/0001a")]
    assert first.split()[1:3] == ["mine", "ours"]
    assert all(word.isdecimal() for word in first.split()[-2:])


@pytest.mark.parametrize(
    ("tournament", "said", "games"),
    [
        ("swiss, rounds: 3", "3 rounds of a Swiss tournament", 12),
        ("knockout", "a knockout", 6),
        ("halving, seeds: [a]", "a halving in 1 pairs", 10),
    ],
)
def test_plan_lists_no_matchups_when_results_decide_them(
    tournament: str, said: str, games: int, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = dict.fromkeys("abcd", "bot:greedy")
    config = resolve.load(
        write_match(here, players, 1, tournament=tournament, spec="go:size=9", game="limits: {time: 9s}")
    )
    planned = render_games(config, {}, 1)
    assert f"  {said} of 4: go:size=9\n" in planned
    assert " pairs of go:size=9" not in planned
    # Count two clocks of nine seconds for each game that is played, not for each possible matchup.
    assert f"; at most {duration_words(games * 18)} by the clocks, 1 at a time" in planned
    assert run("small.yaml", "check") == COMPLETE
    assert f"  {said} of 4: go:size=9\n" in capsys.readouterr().out


def test_plan_hides_secret_seeds_and_their_openings(here: Path) -> None:
    config = resolve.load(write_match(here, more="openings: {file: go-9x9}", spec="go:size=9"))
    said = render_games(config, {}, 2)
    assert "seed: none given; each game gets its own secret seed" in said
    assert said.splitlines()[-1].split() == ["greedy-uniform/0003b", "uniform", "greedy", "?", "secret", "secret"]


@pytest.mark.slow
def test_plan_measures_the_time_when_games_were_played(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_match(here, pairs=2, spec="go:size=3", game="limits: {time: 30s+1s}")
    assert run("small.yaml", "--max-games", "2") == COMPLETE
    capsys.readouterr()
    assert run("small.yaml", "plan") == COMPLETE
    said = capsys.readouterr().out
    assert re.search(r"\ntime: about \d+ (second|minute)s? more: [0-9.]+ s per game \(mean of 2\), 1 at a time\n", said)
    assert "clocks" not in said
    assert run("small.yaml") == COMPLETE
    capsys.readouterr()
    run("small.yaml", "plan")
    assert "time: all games have been played; " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (119, "119 seconds"),
        (121, "2 minutes"),
        (34.67 * 3600, "35 hours"),
        (86_400 * 6.6, "7 days"),
    ],
)
def test_durations_are_in_the_largest_plural_unit(seconds: float, said: str) -> None:
    assert duration_words(seconds) == said
