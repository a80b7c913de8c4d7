"""Plays what is left of a match, here or in several processes, and keeps every game as soon as it is over."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Protocol, cast

from gtp_variants.arena.config import MatchConfig
from gtp_variants.arena.referee import Played, play
from gtp_variants.arena.report import tallies, too_many_failures
from gtp_variants.arena.schedule import Fixture, fixtures
from gtp_variants.arena.store import Store
from gtp_variants.records.json import to_json

COMPLETE, WRONG, INTERRUPTED, FAILED = range(4)

# A finished game and its record as text.
Game = tuple[Played, str]

_PATIENCE_S = 2.0  # for a worker that was told to end


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
    games = _in_processes(todo, jobs) if jobs > 1 and len(todo) > 1 else map(_play, todo)
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
    except _WorkerDied as error:
        return Ending(FAILED, f"a process died in the middle of game {error}")
    finally:
        if isinstance(games, Generator):
            games.close()
    return Ending(COMPLETE)


def _play(fixture: Fixture) -> Game:
    """Play one game. Its record leaves as text: all the positions of a game would be a heavy thing to hand over."""
    row, record = play(fixture)
    return row, to_json(record) + "\n"


class _WorkerDied(Exception):
    """A worker ended in the middle of a game; the message says which."""


def _in_processes(todo: Sequence[Fixture], jobs: int) -> Generator[Game, None, None]:
    """Games as they end. Left early, the workers are ended with the games they play."""
    # Started afresh: a copy of this process would hold its files and threads in unknown states.
    context = multiprocessing.get_context("spawn")
    left = iter(todo)
    playing: dict[Connection, Fixture] = {}
    workers: dict[Connection, BaseProcess] = {}
    try:
        for fixture in islice(left, jobs):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(theirs,), daemon=True)
            _start_deaf(worker)
            # Only the worker holds its end now, so that its death is the end of our reading.
            theirs.close()
            workers[ours] = worker
            playing[ours] = fixture
            ours.send(fixture)
        while playing:
            for ready in cast("list[Connection]", wait(list(playing))):
                fixture = playing.pop(ready)
                try:
                    answer: Game | Exception = ready.recv()
                except (EOFError, OSError):
                    raise _WorkerDied(f"{fixture.id} ({' against '.join(fixture.players)})") from None
                if isinstance(answer, Exception):
                    raise answer
                following = next(left, None)
                if following is not None:
                    playing[ready] = following
                    ready.send(following)
                yield answer
    finally:
        for connection, process in workers.items():
            connection.close()
            process.terminate()
        for process in workers.values():
            process.join(_PATIENCE_S)
            if process.is_alive():
                process.kill()
                process.join()


def _start_deaf(worker: BaseProcess) -> None:
    """Start a worker that does not hear Ctrl-C, which is for the process that started it, from its first moment on."""
    if threading.current_thread() is not threading.main_thread():
        worker.start()
        return
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        worker.start()
    finally:
        signal.signal(signal.SIGINT, heard)


def _work(connection: Connection) -> None:
    """In a worker: play what is sent, until there is nothing more or whoever sent it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    while True:
        try:
            fixture = connection.recv()
        except EOFError:
            return
        try:
            answer: Game | Exception = _play(fixture)
        except Exception as error:
            answer = error
        connection.send(answer)
