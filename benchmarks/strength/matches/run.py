"""Plays the missing games of series in separate processes, and stores each finished game at once."""

import multiprocessing
import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from itertools import groupby

from benchmarks.strength.matches.game import Fixture, GameFailed, Played, play
from benchmarks.strength.matches.series import LEGS, Series
from gtp_variants.base.processes.worker_processes import deaf_to_interrupts, end_with_parent

Ended = Played | GameFailed


def fixtures(series: Series, games: int, seed: str, wall: bool) -> list[Fixture]:
    """Yield the first games of a series, pair by pair."""
    legs = ((number // len(LEGS) + 1, LEGS[number % len(LEGS)]) for number in range(games))
    return [Fixture(series, pair, leg, seed, wall) for pair, leg in legs]


def play_all(todo: Sequence[Fixture], jobs: int) -> Generator[tuple[Fixture, Ended], None, None]:
    """Yield games as they end, series after series. Leaving early abandons the games in progress.

    Raises BrokenProcessPool if a process dies in the middle of a game.
    """
    for form, group in groupby(todo, key=lambda fixture: fixture.series.form):
        yield from _in_processes(list(group), jobs, form)


def _in_processes(todo: Sequence[Fixture], jobs: int, form: str) -> Iterator[tuple[Fixture, Ended]]:
    # New processes, because each process chooses its form of the search only once.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(form,)) as pool:
        try:
            with deaf_to_interrupts():
                games = {pool.submit(play, fixture): fixture for fixture in todo}
            for done in as_completed(games):
                yield games[done], _ended(done)
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            pool.shutdown(cancel_futures=True)
            raise


def _ended(done: "Future[Played]") -> Ended:
    try:
        return done.result()
    except GameFailed as failure:
        return failure


def _begin(form: str) -> None:
    """Prepare a playing process: choose the form of the search, and end with the parent process."""
    os.environ["GTP_VARIANTS_FORM"] = form
    end_with_parent()
