"""Fixtures of match tests: a folder, and games played in the test's own process."""

from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from gtp_variants.ai.samples.thought import Decisions
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run import engines, runner
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.run.worker import MatchObserver, pack_game


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is made the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play_here(
    feed: runner.Feed, jobs: int, logs: Path, observers: Sequence[MatchObserver] = ()
) -> Generator[FinishedGame, None, None]:
    """Play games as `runner.play_in_processes` does, but in the test's process."""
    try:
        while (fixture := feed()) is not None:
            decisions: Decisions = {}
            row, record = play_game(fixture, logs, decisions=decisions)
            yield pack_game(fixture, row, record, decisions)
    finally:
        engines.end_all()


@pytest.fixture
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "play_in_processes", play_here)
