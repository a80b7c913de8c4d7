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
from math import inf
from pathlib import Path
from queue import SimpleQueue
from traceback import format_exc
from typing import Any

from gtp_variants.ai.samples.thought import Decisions
from gtp_variants.arena.config.player_config import BotConfig
from gtp_variants.arena.result_row import CRASH, HANG, PROTOCOL, TIME, FinishedGame, ResultRow
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.hangs import GuardedLog, end_process_at, find_hung, judge_end
from gtp_variants.arena.run.referee import RefereeVerdict, make_record, make_row, play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.arena.tally import MOST_INTERFERENCES
from gtp_variants.base.processes.channel import SENT_SIGNALS, describe_exit
from gtp_variants.base.processes.guardian import GuardedProcess, end_strays
from gtp_variants.errors import VariantsError
from gtp_variants.players import bots
from gtp_variants.players.agreements import agreed_rules
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
        self._slot, self._observers = slot, observers
        self._opened = ExitStack()
        self._log_file, self._log_fds = self._make_log_file()
        self._log = CrashLog(self._log_file)
        arguments = [str(self._log_file), str(logs.absolute())]
        self._process = GuardedProcess("gtp_variants.arena.run.worker", arguments, self._log_fds)
        self._is_closed = False

    def _make_log_file(self) -> tuple[Path, tuple[int, ...]]:
        """Return the crash log's path and the descriptors to inherit. On POSIX the file has no name."""
        if os.name == "posix":
            number, path = tempfile.mkstemp(prefix="gtp-variants-")
            self._opened.callback(os.close, number)
            Path(path).unlink()
            return Path(f"/dev/fd/{number}"), (number,)
        folder = tempfile.TemporaryDirectory(prefix="gtp-variants-", ignore_cleanup_errors=True)
        return Path(self._opened.enter_context(folder)) / "log", ()

    def play(self, fixture: Fixture) -> FinishedGame:
        """Play a game. It is replayed after crashes and hangs as often as the settings allow, and after interference.

        After too much interference the game is void. Raises WorkerFailed if the game cannot be played.
        """
        fixture = replace(fixture, slot=self._slot)
        earlier: tuple[tuple[str, str, str], ...] = ()
        replays = fixture.game.replays
        while True:
            game = self._once(fixture)
            # Add earlier failures at the end: the first failure must be the one that decided this game.
            failures = game.row.failures + earlier
            game = replace(game, row=replace(game.row, failures=failures))
            if game.row.kind == "forfeit" and failures[0][1] in REPLAYED and replays:
                replays -= 1
            elif not (game.row.is_void and 0 < game.row.interferences <= MOST_INTERFERENCES - fixture.interferences):
                return game
            # Change the dice, because the players may remember those of this attempt.
            fixture = replace(fixture, attempt=fixture.attempt + 1)
            earlier = failures

    def _once(self, fixture: Fixture) -> FinishedGame:
        # Clear the log first, so that it says nothing of an earlier game once there is a new process.
        self._log.begin()
        if self._is_closed:
            raise WorkerFailed("closed")
        if not self._process.is_running:
            self._process.start()
        for observer in self._observers:
            observer.on_begin(fixture, self._log)
        answer = self._answer(fixture)
        for observer in self._observers:
            observer.on_end(fixture)
        if isinstance(answer, str):
            raise WorkerFailed(f"{fixture.id} ({' against '.join(fixture.names)}): {answer}")
        return answer or self._give_up(fixture, self._process.wait())

    def _find_culprit(self, fixture: Fixture, status: int) -> int:
        """Return the colour of the bot that ended the process, or 0 if something else did."""
        asked = self._log.asked
        if not asked.is_here or describe_exit(status) in SENT_SIGNALS:
            return 0
        player = fixture.player(asked.colour)
        # Our own bots send no signals, so it is not their fault if a signal ended the process.
        is_ours = isinstance(player, BotConfig) and bots.is_ours(player.bot)
        return 0 if is_ours and status < 0 else asked.colour

    def _answer(self, fixture: Fixture) -> FinishedGame | str | None:
        """Return the answer of the process, which is a game or an error message, or None if the process ended."""
        try:
            self._process.stdin.write(pickle.dumps(fixture))
            self._process.stdin.flush()
            answer: FinishedGame | str = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            return None
        return answer

    def _give_up(self, fixture: Fixture, status: int) -> FinishedGame:
        """Return a game lost by the bot that ended its process or hung, or else void; a game that was over counts."""
        if self._is_closed:
            raise WorkerFailed("closed")
        hung = find_hung(self._log.asked, status)
        colour = hung or self._find_culprit(fixture, status)
        if fixture.has_fresh_seed:
            fixture = replace(fixture, seed=self._log.seed)
        dice = DiceStream(fixture.secret)
        begun = fixture.begin(dice)
        events = self._log.events or begun.game.events
        rules = agreed_rules(begun.rules, [event.action for event in events])
        game = Game.replay(rules, events, begun.game.setup, begun.game.first)
        table = Table.of(game, lambda: dice, begun.draws.told)
        has_clock = colour != 0 and fixture.player(colour).limits.control.kind != "none"
        forfeit = judge_end(colour, status, is_hung=hung != 0, has_clock=has_clock)
        kind = "played" if table.is_final else "forfeit" if colour else "void"
        if kind == "forfeit":
            table.play(colour, FLAG if forfeit.kind == TIME else FORFEIT)
        # The two remaining players of three share the points: they cannot continue without their process.
        outcome = None if kind == "void" else table.game.outcome or Outcome(None, "forfeit")
        verdict = RefereeVerdict(kind, outcome, (forfeit,), forfeit.why)
        row = make_row(fixture, table, RefereeVerdict(kind, outcome) if kind == "played" else verdict)
        # Note that the moves have no analyses, because these were lost with the process.
        decisions: Decisions = dict.fromkeys(range(len(begun.game.events), len(events)))
        return pack_game(fixture, row, make_record(fixture, table, dice, row), decisions)

    def dismiss(self) -> None:
        """Close the process's input, so that it tells its programs to quit, abandons any game in progress and ends."""
        self._is_closed = True
        if self._process.is_running:
            with suppress(OSError):
                self._process.stdin.close()

    def close(self) -> None:
        """End the process; kill it if it does not end by itself."""
        self.dismiss()
        self._process.wait()
        self._process.close()
        self._log.close()
        self._opened.close()


def main(log_file: str, logs: str) -> None:
    """Play the fixtures from standard input until it ends. Answer each with a game or an error message."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Answers use a copy of standard output, so that nothing printed by a bot is taken for an answer.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        log = GuardedLog(Path(log_file))
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
            # Remove the deadline, because an answer that has begun must not be cut off.
            end_process_at(inf)
            if not engines.has_processes():
                end_strays()
            try:
                pickle.dump(answer, answers)
                playing.clear()
                answers.flush()
            except BrokenPipeError:
                os._exit(0)
    engines.end_all()


def pack_game(fixture: Fixture, row: ResultRow, record: Record, decisions: Decisions) -> FinishedGame:
    """Return a finished game with its record as text, and with the HTML page and samples that the fixture asks for."""
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
