"""Plays games in processes, several at a time: on this machine, or beside the workers of a Dask cluster."""

import os
import pickle
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from secrets import token_hex
from time import monotonic
from typing import Any

from gtp_variants.ai.samples.thought import Decisions
from gtp_variants.arena import openings
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import CRASH, HANG, KILLED, PROTOCOL, TIME, FinishedGame
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.game_record import RefereeVerdict, make_record, make_row
from gtp_variants.arena.run.observer import MatchObserver
from gtp_variants.arena.run.timed_player import Forfeit
from gtp_variants.arena.run.worker import pack_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.base.processes.dask_cluster import TRIES, DaskCluster, open_cluster
from gtp_variants.base.processes.guardian import GuardedProcess, is_guarded
from gtp_variants.errors import VariantsError
from gtp_variants.players.isolated.description import protect_memory
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import FLAG, FORFEIT
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome

# After which failures `on_crash: replay` plays a game again.
REPLAYED = (CRASH, HANG, PROTOCOL)

_ROOT = Path(__file__).resolve().parents[3]
_MAIN = """\
import sys
sys.path.insert(0, sys.argv[1])
from gtp_variants.arena.run.worker import main
main(*sys.argv[2:])
"""
# How late a bot may be before the process it plays in is ended.
_SLACK_S = 1.0
# So often in a row a process must be seen stopped.
_LOOKS = 2
# How often a game is begun again of which somebody killed a process.
_KILLS = 5
_KILLED_STATUS = -9
# Games of a cluster that wait for each that is played, so that no worker is idle while results travel.
_WAITING = 1


class WorkerFailed(VariantsError):
    """A game could not be played, and no player is to blame."""


class Worker:
    """A process that plays one game at a time, started when there is one to play and again when it was lost.

    Programs write what they say into `logs`. `slot` tells workers at the same match apart.
    """

    def __init__(self, logs: Path, slot: int = 1, observers: Sequence[MatchObserver] = ()) -> None:
        self._logs = logs
        self._slot = slot
        self._observers = observers
        self._opened = ExitStack()
        self._log_file, self._log_fds = self._make_log_file()
        self._log = CrashLog(self._log_file)
        self._process: GuardedProcess | None = None
        self._is_playing = False
        self._is_killed = False  # by the watcher
        self._ended_for = 0  # the colour that was waited for in vain
        # The watcher judges and kills under this lock, so never a game that began or ended meanwhile.
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def _make_log_file(self) -> tuple[Path, tuple[int, ...]]:
        """Where the crash log is, and what the process must inherit to find it.

        It has no name where a process can inherit such a file: it holds the stones that are hidden from a player.
        """
        if os.name == "posix":
            number, path = tempfile.mkstemp(prefix="gtp-variants-")
            self._opened.callback(os.close, number)
            Path(path).unlink()
            return Path(f"/dev/fd/{number}"), (number,)
        folder = tempfile.TemporaryDirectory(prefix="gtp-variants-", ignore_cleanup_errors=True)
        return Path(self._opened.enter_context(folder)) / "log", ()

    def play(self, fixture: Fixture) -> FinishedGame:
        """A game; after a crash or hang it is played again as often as the settings say, after a kill anyway.

        Raises WorkerFailed.
        """
        fixture = replace(fixture, slot=self._slot)
        earlier: tuple[tuple[str, str, str], ...] = ()
        replays, kills = fixture.game.replays, _KILLS
        while True:
            game = self._once(fixture)
            row = game.row
            failure = row.failures[0][1] if row.kind == "forfeit" else ""
            if failure == KILLED and kills:
                kills -= 1
                fixture = _begin_anew(fixture)
            elif failure in REPLAYED and replays:
                replays -= 1
                fixture = _begin_again(fixture)
            else:
                # The one that lost the game stays the first.
                return replace(game, row=replace(row, failures=row.failures + earlier))
            earlier += row.failures

    def _once(self, fixture: Fixture) -> FinishedGame:
        for _ in range(_KILLS):
            process = self._running()
            self._log.begin()
            for observer in self._observers:
                observer.on_begin(fixture, self._log)
            answer = self._answer(process, fixture)
            for observer in self._observers:
                observer.on_end(fixture)
            # A killed process may have answered just before; it plays no other game.
            status = self._release(process) if answer is None or self._is_killed else 0
            if isinstance(answer, str):
                raise WorkerFailed(f"{fixture.id} ({' against '.join(fixture.names)}): {answer}")
            if answer is not None:
                return answer
            asked = self._log.asked
            colour = self._ended_for or (asked.colour if asked.is_here else 0)
            # Killed from outside, or while no player was at work in it: nobody is to blame.
            if self._closed.is_set() or (self._ended_for == 0 and (status == _KILLED_STATUS or colour == 0)):
                fixture = _begin_anew(fixture)
                continue
            return self._give_up(fixture, colour, status)
        raise WorkerFailed(f"{fixture.id}: its process was killed {_KILLS} times")

    def _release(self, process: GuardedProcess) -> int:
        """Let go of a process that ends, and return its exit status."""
        status = process.wait()
        self._process = None
        process.close()
        return status

    def _answer(self, process: GuardedProcess, fixture: Fixture) -> FinishedGame | str | None:
        """What the process says, None if it ended instead."""
        with self._lock:
            self._is_playing = True
        try:
            process.stdin.write(pickle.dumps(fixture))
            process.stdin.flush()
            answer: FinishedGame | str = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            return None
        finally:
            with self._lock:
                self._is_playing = False
        return answer

    def _running(self) -> GuardedProcess:
        if self._closed.is_set():
            raise WorkerFailed("closed")
        if self._process is None:
            self._ended_for, self._is_killed = 0, False
            command = [sys.executable, "-P", "-c", _MAIN, str(_ROOT), str(self._log_file), str(self._logs.absolute())]
            self._process = GuardedProcess([*command, "guarded" if is_guarded() else ""], self._log_fds)
        return self._process

    def _watch(self) -> None:
        """End the process when a bot in it does not come back, or somebody stopped it."""
        stopped = 0
        while not self._closed.wait(_SLACK_S):
            with self._lock:
                if self._process is None or not self._is_playing:
                    continue
                stopped = stopped + 1 if _is_stopped(self._log.pid) else 0
                asked = self._log.asked
                is_late = monotonic() > asked.until + _SLACK_S
                if stopped < _LOOKS and not is_late:
                    continue
                if stopped < _LOOKS:
                    self._ended_for = asked.colour if asked.is_here else 0
                self._is_killed = True
                self._process.kill()

    def _give_up(self, fixture: Fixture, colour: int, status: int) -> FinishedGame:
        """The game that a player ended by ending the process, or by never coming back."""
        rules = parse(fixture.game.spec)
        dice = DiceStream(fixture.secret)
        begun = openings.begin(rules, lambda: dice, fixture.opening, fixture.game.handicap)
        events = self._log.events or begun.game.events
        game = Game.replay(rules, events, begun.game.setup, begun.game.first)
        table = Table.of(game, lambda: dice, begun.draws.told)
        has_clock = fixture.player(colour).limits.control.kind != "none"
        kind = CRASH if not self._ended_for else TIME if has_clock else HANG
        why = "did not come back and was ended" if self._ended_for else f"ended its process ({_describe_exit(status)})"
        if not table.is_final:
            table.play(colour, FLAG if kind == TIME else FORFEIT)
        # Of three players the others share what is left: they cannot go on without their process.
        outcome = table.game.outcome or Outcome(None, "forfeit")
        verdict = RefereeVerdict("forfeit", outcome, (Forfeit(colour, kind, why),), why)
        row = make_row(fixture, table, verdict)
        # What it told of its moves is lost with the process.
        decisions: Decisions = dict.fromkeys(range(len(begun.game.events), len(events)))
        return pack_game(fixture, row, make_record(fixture, table, dice, row), decisions)

    def dismiss(self) -> None:
        """Let the process end by itself: programs that it kept are told to quit, a game that is on is given up."""
        self._closed.set()
        process = self._process
        if process is not None:
            with suppress(OSError):
                process.stdin.close()

    def close(self) -> None:
        """End the process, one that does not end by itself too."""
        self.dismiss()
        process = self._process
        if process is not None:
            process.wait()
            process.close()
        self._watcher.join()
        self._log.close()
        self._opened.close()


def _begin_anew(fixture: Fixture) -> Fixture:
    """A game that somebody interrupted. With a seed of the user's the same comes out, however often they do."""
    return _begin_again(fixture) if fixture.has_fresh_seed else fixture


def _begin_again(fixture: Fixture) -> Fixture:
    """The same game with other dice: who saw how it went knows nothing of how it goes."""
    seed = token_hex(32) if fixture.has_fresh_seed else fixture.seed
    return replace(fixture, seed=seed, attempt=fixture.attempt + 1)


def _is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal, where that can be seen (Linux)."""
    try:
        # Its name, in parentheses, may hold anything.
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    except (OSError, IndexError):
        return False


def _describe_exit(status: int) -> str:
    if status >= 0 or os.name == "nt":
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


# The next game to play, None if there is none now; there may be one when a game is over.
Feed = Callable[[], Fixture | None]


def play_in_processes(
    feed: Feed, jobs: int, logs: Path, observers: Sequence[MatchObserver] = ()
) -> Generator[FinishedGame, None, None]:
    """Games as they end, `jobs` at a time. Left early, the processes are ended with the games they play."""
    answers: SimpleQueue[tuple[int, FinishedGame | Exception]] = SimpleQueue()
    workers = [Worker(logs, slot, observers) for slot in range(1, jobs + 1)]
    asked: list[SimpleQueue[Fixture | None]] = [SimpleQueue() for _ in workers]
    idle = list(range(jobs))

    def serve(slot: int) -> None:
        while (fixture := asked[slot].get()) is not None:
            try:
                answers.put((slot, workers[slot].play(fixture)))
            except Exception as error:
                answers.put((slot, error))

    def give_work() -> None:
        while idle and (fixture := feed()) is not None:
            asked[idle.pop(0)].put(fixture)

    for slot in range(jobs):
        threading.Thread(target=serve, args=(slot,), daemon=True).start()
    try:
        give_work()
        while len(idle) < jobs:
            slot, answer = answers.get()
            idle.append(slot)
            if isinstance(answer, Exception):
                raise answer
            # The processes go on while somebody keeps the game; and that may be what the next one waits for.
            give_work()
            yield answer
            give_work()
    finally:
        for queue in asked:
            queue.put(None)
        for worker in workers:
            worker.dismiss()
        for worker in workers:
            worker.close()


def play_on_dask(feed: Feed, jobs: int, config: MatchConfig) -> Generator[FinishedGame, None, None]:
    """Yield games as they end. A cluster on this machine has `jobs` workers; another one brings its own.

    Raises what `open_cluster` raises, and WorkerFailed for a game that could not be played.
    """
    with open_cluster(config.executor, jobs, config.tls) as cluster:
        try:
            yield from _ClusterGames(cluster, feed, config.folder / "logs").run()
        except VariantsError:
            raise
        except Exception as error:
            # Dask's own, as when its scheduler is lost.
            why = str(error).partition("\n")[0] or type(error).__name__
            raise WorkerFailed(f"executor: {why} The same command goes on.") from error


class _ClusterGames:
    """Games played beside the workers of a cluster. Each is a task, and those of a lost worker are played again."""

    def __init__(self, cluster: DaskCluster, feed: Feed, logs: Path) -> None:
        self.cluster = cluster
        self.killed = cluster.distributed.KilledWorker
        self.feed = feed
        self.logs = logs.absolute()
        self.finished = cluster.distributed.as_completed()
        self.playing: dict[Any, tuple[Fixture, int]] = {}

    def run(self) -> Generator[FinishedGame, None, None]:
        """Yield games as they end."""
        self.give_work()
        while self.playing:
            future = next(self.finished)
            fixture, tries = self.playing.pop(future)
            if isinstance(future.exception(), self.killed) and tries < TRIES:
                self.submit(fixture, tries + 1)
                continue
            game: FinishedGame = future.result()
            self.give_work()
            yield game
            self.give_work()

    def give_work(self) -> None:
        """Keep every thread of every worker busy."""
        most = (1 + _WAITING) * self.cluster.threads
        while len(self.playing) < most and (fixture := self.feed()) is not None:
            self.submit(fixture, 1)

    def submit(self, fixture: Fixture, tries: int) -> None:
        future = self.cluster.submit(_play_on_worker, fixture, self.logs)
        self.playing[future] = fixture, tries
        self.finished.add(future)


# In a Dask worker: the process for games of each of its threads.
_processes: dict[int, Worker] = {}


def _play_on_worker(fixture: Fixture, logs: Path) -> FinishedGame:
    """In a Dask worker: play one game."""
    here = threading.get_ident()
    if here not in _processes:
        protect_memory()
        # The folder of the match lies on the machine of the match, or on a disk that the machines share.
        logs = logs if logs.parent.is_dir() else Path(tempfile.mkdtemp(prefix="gtp-variants-"))
        _processes[here] = Worker(logs, len(_processes) + 1)
    if fixture.has_fresh_seed:
        # Only now: nobody can know the dice of a game that waits, and that of a lost worker gets other dice.
        fixture = replace(fixture, seed=token_hex(32))
    try:
        return _processes[here].play(fixture)
    except Exception as error:
        # Other exceptions may not survive pickling.
        raise WorkerFailed(str(error)) from None
