"""The process that plays games for a match: fixtures come in, finished games go out, as pickles on pipes.

A process of its own, so that nothing a player does in it, be it a crash or an endless loop, is the end of the match.
`Worker` is the side of the match, `main` that of the process. The process ends when its input does, and with it every
program that it started.
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
from gtp_variants.arena import openings
from gtp_variants.arena.result_row import CRASH, HANG, KILLED, PROTOCOL, TIME, FinishedGame, ResultRow
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.hangs import HangWatch, judge_end
from gtp_variants.arena.run.referee import RefereeVerdict, make_record, make_row, play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.base.processes.guardian import GuardedProcess, end_strays, is_guarded
from gtp_variants.errors import VariantsError
from gtp_variants.players.isolated.description import protect_memory
from gtp_variants.players.table import Table
from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import FLAG, FORFEIT
from gtp_variants.rules.colour_names import COLOUR_LETTERS
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
# How often a game is begun again of which somebody killed a process.
_KILLS = 5
_KILLED_STATUS = -9


class MatchObserver:
    """Follows a match from the process that keeps its games. It must not keep anybody waiting."""

    def on_begin(self, fixture: Fixture, log: CrashLog) -> None:
        """A game begins here, not on a cluster; what happens in it comes to be in the log."""

    def on_end(self, fixture: Fixture) -> None:
        """What is in the log is no longer that game."""

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        """A game is over and kept, the `number`th of all those of the match."""


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
        self._is_closed = False
        self._hangs = HangWatch(self._log)

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
            status = self._release(process) if answer is None or self._hangs.is_killed else 0
            if isinstance(answer, str):
                raise WorkerFailed(f"{fixture.id} ({' against '.join(fixture.names)}): {answer}")
            if answer is not None:
                return answer
            asked, ended_for = self._log.asked, self._hangs.ended_for
            colour = ended_for or (asked.colour if asked.is_here else 0)
            # Killed from outside, or while no player was at work in it: nobody is to blame.
            if self._is_closed or (ended_for == 0 and (status == _KILLED_STATUS or colour == 0)):
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
        """The game that a player ended by ending the process, or by never coming back."""
        rules = parse(fixture.game.spec)
        dice = DiceStream(fixture.secret)
        begun = openings.begin(rules, lambda: dice, fixture.opening, fixture.game.handicap)
        events = self._log.events or begun.game.events
        game = Game.replay(rules, events, begun.game.setup, begun.game.first)
        table = Table.of(game, lambda: dice, begun.draws.told)
        has_clock = fixture.player(colour).limits.control.kind != "none"
        forfeit = judge_end(colour, status, is_hung=self._hangs.ended_for != 0, has_clock=has_clock)
        if not table.is_final:
            table.play(colour, FLAG if forfeit.kind == TIME else FORFEIT)
        # Of three players the others share what is left: they cannot go on without their process.
        outcome = table.game.outcome or Outcome(None, "forfeit")
        verdict = RefereeVerdict("forfeit", outcome, (forfeit,), forfeit.why)
        row = make_row(fixture, table, verdict)
        # What it told of its moves is lost with the process.
        decisions: Decisions = dict.fromkeys(range(len(begun.game.events), len(events)))
        return pack_game(fixture, row, make_record(fixture, table, dice, row), decisions)

    def dismiss(self) -> None:
        """Let the process end by itself: programs that it kept are told to quit, a game that is on is given up."""
        self._is_closed = True
        self._hangs.stop()
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
        self._hangs.close()
        self._log.close()
        self._opened.close()


def _begin_anew(fixture: Fixture) -> Fixture:
    """A game that somebody interrupted. With a seed of the user's the same comes out, however often they do."""
    return _begin_again(fixture) if fixture.has_fresh_seed else fixture


def _begin_again(fixture: Fixture) -> Fixture:
    """The same game with other dice: who saw how it went knows nothing of how it goes."""
    seed = token_hex(32) if fixture.has_fresh_seed else fixture.seed
    return replace(fixture, seed=seed, attempt=fixture.attempt + 1)


def main(log_file: str, logs: str, guarded: str) -> None:
    """Play what comes on standard input until it ends; answer a game, or in words why there is none.

    `guarded` is "" where no guardian is above this process.
    """
    protect_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a bot prints must not be taken for a game.
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
    """A game as it is handed over: as text, because all its positions would be a heavy thing to send."""
    samples = b"" if fixture.export == "none" else _encode(fixture, row, record, decisions)
    return FinishedGame(row, to_sgf(record), replay(record) if fixture.is_shown else "", samples)


def _encode(fixture: Fixture, row: ResultRow, record: Record, decisions: Decisions) -> bytes:
    from gtp_variants.ai.samples.files import write_samples
    from gtp_variants.ai.samples.game_samples import encode_game

    players = {COLOUR_LETTERS[colour]: fixture.player(colour).name for colour in record.game.rules.colours}
    return write_samples(encode_game(row.id, record.game, decisions, row.result, players), fixture.export)


def _receive(asked: "SimpleQueue[Any]", playing: threading.Event) -> None:
    """Take in what is sent. When whoever sends is gone a game that is on is given up, and the process ends."""
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            fixture = pickle.load(sys.stdin.buffer)
            playing.set()
            asked.put(fixture)
    if playing.is_set():
        os._exit(0)
    asked.put(None)
