"""Matches whose games are played right here, without a process of their own: where processes are not the subject."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run import pool
from gtp_variants.arena.run.observer import MatchObserver
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.run.worker import pack_game


@pytest.fixture
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(feed: pool.Feed, jobs: int, logs: Path, observers: Sequence[MatchObserver] = ()) -> Iterator[FinishedGame]:
        while (fixture := feed()) is not None:
            yield pack_game(fixture, *play_game(fixture, logs))

    monkeypatch.setattr(pool, "play_in_processes", play)
