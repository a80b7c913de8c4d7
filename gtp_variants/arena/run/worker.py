"""A process that plays games for a match: it reads fixtures from a pipe and writes finished games, all pickled.

A player's crash or endless loop ends only this process, never the match. `Worker` runs on the match's side, `main` in
the process. The process and every program that it has started end when its input ends.
"""

import os
import pickle
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from secrets import token_hex
from traceback import format_exc
from typing import Any

from gtp_variants.ai.samples.thought import Decisions
from gtp_variants.arena.result_row import CRASH, HANG, KILLED, PROTOCOL, TIME, FinishedGame, ResultRow
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.hangs import HangWatch, judge_end
from gtp_variants.arena.run.referee import RefereeVerdict, make_record, make_row, play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.base.processes.guardian import GuardedProcess, end_strays, is_guarded
from gtp_variants.errors import VariantsError
from gtp_variants.players.agreements import agreed_rules
from gtp_variants.players.isolated.description import protect_memory
from gtp_variants.players.table import Table
from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules.actions import FLAG, FORFEIT
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome

# Failures after which `on_crash: replay` replays the game.
REPLAYED = (CRASH, HANG, PROTOCOL)

_ROOT = Path(__file__).resolve().parents[3]
_MAIN = """\
import sys
sys.path.insert(0, sys.argv[1])
from gtp_variants.arena.run.worker import main
main(*sys.argv[2:])
"""
# Maximum number of attempts at a game whose process is killed from outside.
_KILLS = 5
_KILLED_STATUS = -9


class MatchObserver:
    """Follows a match in the process that stores its games. Its methods must return quickly."""

    def on_begin(self, fixture: Fixture, log: CrashLog) -> None:
        """Take note of a game that begins on this machine, and of the log that follows its events."""

    def on_end(self, fixture: Fixture) -> None:
        """Take note that the log no longer shows this game."""

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        """Take note of a game that is over and stored: game `number` out of `of` in the match."""


class WorkerFailed(VariantsError):
    """Raised if a game could not be played through no fault of a player."""


class Worker:
    """A process that plays one game at a time. It is started when needed, and restarted if it has been lost.

    GTP logs of programs are written into the folder `logs`. `slot` numbers the workers of the match, from 1.
    """

    def __init__(self, logs: Path, slot: int = 1, observers: Sequence[MatchObserver] = ()) -> None:
        self._logs = logs
        self._slot = slot
        self._observers = observers
        self._opened = ExitStack()
        self._log_file, self._log_fds = self._make_log_file()
        self._log = CrashLog(self._log_file)
        self._process: GuardedProcess | None = None
        self._is_closed = False
        self._hangs = HangWatch(self._log)

    def _make_log_file(self) -> tuple[Path, tuple[int, ...]]:
        """Return the path of the crash log and the file descriptors that the process must inherit to open it.

        On POSIX the file has no name, because it contains stones that are hidden from the players.
        """
        if os.name == "posix":
            number, path = tempfile.mkstemp(prefix="gtp-variants-")
            self._opened.callback(os.close, number)
            Path(path).unlink()
            return Path(f"/dev/fd/{number}"), (number,)
        folder = tempfile.TemporaryDirectory(prefix="gtp-variants-", ignore_cleanup_errors=True)
        return Path(self._opened.enter_context(folder)) / "log", ()

    def play(self, fixture: Fixture) -> FinishedGame:
        """Play a game. It is replayed after crashes and hangs as often as the settings allow, and after any kill.

        Raises WorkerFailed if the game cannot be played.
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
                fixture = _retry(fixture, has_failed=False)
            elif failure in REPLAYED and replays:
                replays -= 1
                fixture = _retry(fixture, has_failed=True)
            else:
                # The first failure is the one that lost the game.
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
            status = 0
            # A killed process may have answered just before it was killed, but it cannot play another game.
            if answer is None or self._hangs.is_killed:
                status = process.wait()
                self._process = None
                process.close()
            if isinstance(answer, str):
                raise WorkerFailed(f"{fixture.id} ({' against '.join(fixture.names)}): {answer}")
            if answer is not None:
                return answer
            asked, ended_for = self._log.asked, self._hangs.ended_for
            colour = ended_for or (asked.colour if asked.is_here else 0)
            # If the process was killed from outside, or while no player in it was at work, no player is to blame.
            if self._is_closed or (ended_for == 0 and (status == _KILLED_STATUS or colour == 0)):
                fixture = _retry(fixture, has_failed=False)
                continue
            return self._give_up(fixture, colour, status)
        raise WorkerFailed(f"{fixture.id}: its process was killed {_KILLS} times")

    def _answer(self, process: GuardedProcess, fixture: Fixture) -> FinishedGame | str | None:
        """Return the answer of the process, which is a game or an error message, or None if the process ended."""
        try:
            with self._hangs.watch(process):
                process.stdin.write(pickle.dumps(fixture))
                process.stdin.flush()
                answer: FinishedGame | str = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            return None
        return answer

    def _running(self) -> GuardedProcess:
        if self._is_closed:
            raise WorkerFailed("closed")
        if self._process is None:
            self._hangs.reset()
            command = [sys.executable, "-P", "-c", _MAIN, str(_ROOT), str(self._log_file), str(self._logs.absolute())]
            self._process = GuardedProcess([*command, "guarded" if is_guarded() else ""], self._log_fds)
        return self._process

    def _give_up(self, fixture: Fixture, colour: int, status: int) -> FinishedGame:
        """Return the game as a loss for the player that ended the process or never answered."""
        dice = DiceStream(fixture.secret)
        begun = fixture.begin(dice)
        events = self._log.events or begun.game.events
        rules = agreed_rules(begun.rules, [event.action for event in events])
        game = Game.replay(rules, events, begun.game.setup, begun.game.first)
        table = Table.of(game, lambda: dice, begun.draws.told)
        has_clock = fixture.player(colour).limits.control.kind != "none"
        forfeit = judge_end(colour, status, is_hung=self._hangs.ended_for != 0, has_clock=has_clock)
        if not table.is_final:
            table.play(colour, FLAG if forfeit.kind == TIME else FORFEIT)
        # The two remaining players of three share the points: they cannot continue without their process.
        outcome = table.game.outcome or Outcome(None, "forfeit")
        verdict = RefereeVerdict("forfeit", outcome, (forfeit,), forfeit.why)
        row = make_row(fixture, table, verdict)
        # The players' analyses of their moves were lost with the process.
        decisions: Decisions = dict.fromkeys(range(len(begun.game.events), len(events)))
        return pack_game(fixture, row, make_record(fixture, table, dice, row), decisions)

    def dismiss(self) -> None:
        """Close the process's input, so that it tells its programs to quit, abandons any game in progress and ends."""
        self._is_closed = True
        self._hangs.stop()
        process = self._process
        if process is not None:
            with suppress(OSError):
                process.stdin.close()

    def close(self) -> None:
        """End the process; kill it if it does not end by itself."""
        self.dismiss()
        process = self._process
        if process is not None:
            process.wait()
            process.close()
        self._hangs.close()
        self._log.close()
        self._opened.close()


def _retry(fixture: Fixture, *, has_failed: bool) -> Fixture:
    """Return the fixture with other dice, because its players may remember the first attempt.

    If the user gave a seed, a game that was interrupted without a failure keeps its dice and therefore its result.
    """
    if not has_failed and not fixture.has_fresh_seed:
        return fixture
    seed = token_hex(32) if fixture.has_fresh_seed else fixture.seed
    return replace(fixture, seed=seed, attempt=fixture.attempt + 1)


def main(log_file: str, logs: str, guarded: str) -> None:
    """Play the fixtures from standard input until it ends. Answer each with a game or an error message.

    `guarded` is "" if no guardian process supervises this one.
    """
    protect_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Answers use a copy of standard output, so that nothing printed by a bot is taken for an answer.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        log = CrashLog(Path(log_file))
        log.note_process()
        asked: SimpleQueue[Any] = SimpleQueue()
        playing = threading.Event()
        threading.Thread(target=_receive, args=(asked, playing), daemon=True).start()
        while (fixture := asked.get()) is not None:
            log.begin()
            answer: object
            try:
                decisions: Decisions = {}
                row, record = play_game(fixture, Path(logs), log, decisions)
                answer = pack_game(fixture, row, record, decisions)
            except VariantsError as error:
                answer = str(error)
            except Exception:
                answer = format_exc()
            if guarded and not engines.has_processes():
                end_strays()
            try:
                pickle.dump(answer, answers)
                playing.clear()
                answers.flush()
            except BrokenPipeError:
                os._exit(0)
    engines.end_all()


def pack_game(fixture: Fixture, row: ResultRow, record: Record, decisions: Decisions) -> FinishedGame:
    """Return a game with its record as text, which is much smaller to send than its positions."""
    samples = b""
    if fixture.export != "none":
        from gtp_variants.ai.samples.files import write_samples
        from gtp_variants.ai.samples.game_samples import encode_game

        players = {COLOUR_LETTERS[colour]: fixture.player(colour).name for colour in record.game.rules.colours}
        samples = write_samples(encode_game(row.id, record.game, decisions, row.result, players), fixture.export)
    return FinishedGame(row, to_sgf(record), replay(record) if fixture.is_shown else "", samples)


def _receive(asked: "SimpleQueue[Any]", playing: threading.Event) -> None:
    """Queue the fixtures that arrive. At the end of the input, abandon any game in progress and end the process."""
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            fixture = pickle.load(sys.stdin.buffer)
            playing.set()
            asked.put(fixture)
    if playing.is_set():
        os._exit(0)
    asked.put(None)
