"""Plays what is left of a match, here or in several processes, and keeps every game as soon as it is over."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from gtp_variants.arena.config import MatchConfig
from gtp_variants.arena.referee import Played, play
from gtp_variants.arena.report import tallies, too_many_failures
from gtp_variants.arena.schedule import Fixture, fixtures
from gtp_variants.arena.store import Store
from gtp_variants.records.record import Record

COMPLETE, WRONG, INTERRUPTED, FAILED = range(4)

Game = tuple[Played, Record]


class Watch(Protocol):
    """Whoever follows a match."""

    def game(self, row: Played, number: int, of: int) -> None:
        """A game is over, the `number`th of all those of the match."""
        ...


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: COMPLETE (also when as many games were played as were asked for), INTERRUPTED or FAILED."""

    status: int
    why: str = ""


def run(config: MatchConfig, store: Store, watch: Watch, jobs: int = 1, max_games: int | None = None) -> Ending:
    """Play the games that are not in the store yet, at most `max_games` of them, `jobs` at a time."""
    store.begin(config)
    schedule = list(fixtures(config))
    ids = {fixture.id for fixture in schedule}
    rows = {key: row for key, row in store.played().items() if key in ids}
    found = tallies(config, rows.values())
    of_matchup = {tally.matchup.id: tally for tally in found}
    why = too_many_failures(found)
    if why:
        return Ending(FAILED, why)
    todo = [fixture for fixture in schedule if fixture.id not in rows][:max_games]
    games = _in_processes(todo, jobs) if jobs > 1 and len(todo) > 1 else map(play, todo)
    done = len(rows)
    try:
        for row, record in games:
            store.add(row, record)
            of_matchup[row.matchup].add(row)
            done += 1
            watch.game(row, done, len(schedule))
            why = too_many_failures(found)
            if why:
                return Ending(FAILED, why)
            if store.is_asked_to_stop and done < len(schedule):
                return Ending(INTERRUPTED, "stopped as asked")
    except KeyboardInterrupt:
        return Ending(INTERRUPTED, "interrupted")
    except BrokenProcessPool:
        return Ending(FAILED, "a process died in the middle of a game; the bot that ended it is not known")
    finally:
        if isinstance(games, Generator):
            games.close()
    return Ending(COMPLETE)


def _in_processes(todo: Iterable[Fixture], jobs: int) -> Generator[Game, None, None]:
    """Games as they end. Left early, the processes are ended with the games they play."""
    left = iter(todo)
    # Started afresh: a copy of this process would hold its files and threads in unknown states.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=_start_worker)
    try:
        playing: set[Future[Game]] = {pool.submit(play, fixture) for fixture in islice(left, 2 * jobs)}
        while playing:
            over, playing = wait(playing, return_when=FIRST_COMPLETED)
            playing |= {pool.submit(play, fixture) for fixture in islice(left, len(over))}
            for future in over:
                yield future.result()
    except BaseException:
        workers = multiprocessing.active_children()
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()
        raise
    finally:
        pool.shutdown()


def _start_worker() -> None:
    """In a worker: leave Ctrl-C to the process that started it, and end with that process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
