"""A cheating bot finds nothing in its own process."""

from pathlib import Path

import pytest

from benchmarks.correctness import cheating_bot

pytestmark = pytest.mark.slow


def test_a_cheating_bot_in_its_own_process_guesses_no_better(tmp_path: Path) -> None:
    for name, scores in cheating_bot.main(["--games", "2", "--folder", str(tmp_path)]).items():
        for source in ("frames", "collector", "replaced functions", "thread", "files", "process memory"):
            score = scores[source]
            assert score.guesses > 20
            # What lies about of games that are over may fit once by accident.
            assert score.leads <= 1, (name, source)
        # Of its own worlds, and of other games: they tell no more.
        for source in ("attributes", "earlier games"):
            score = scores[source]
            assert score.right < score.honest + 6 * (score.of * 3 / 16) ** 0.5, (name, source)


def test_a_cheating_bot_in_the_referees_process_finds_everything(tmp_path: Path) -> None:
    for scores in cheating_bot.main(["--games", "2", "--folder", str(tmp_path), "--trusted"]).values():
        for source in ("frames", "thread"):
            assert scores[source].right > 0.85 * scores[source].of
            assert scores[source].right > scores[source].honest
        assert scores["collector"].leads > 0
