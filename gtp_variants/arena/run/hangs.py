"""Detects players that hang, crash or exceed their time, and turns each case into a forfeit with a reason.

`TimedPlayer`, in the process that plays the game, sets a deadline for each call and times the player. It ends programs
and bots that have a process of their own. `HangWatch`, in the process that stores the games, reads the deadline from
the crash log. If a bot inside the game's process misses its deadline, `HangWatch` kills that process and `judge_end`
returns the forfeit.
"""

import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from operator import index
from pathlib import Path
from time import monotonic
from typing import TypeVar

from gtp_variants.ai.samples.thought import Thought, find_thought
from gtp_variants.arena.config.player_config import TimeLimits
from gtp_variants.arena.result_row import CRASH, HANG, ILLEGAL, TIME
from gtp_variants.arena.run.crash_log import CrashLog, GameObserver
from gtp_variants.base.processes.guardian import GuardedProcess
from gtp_variants.errors import PeerError
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players.agreements import Agreement
from gtp_variants.players.clock import Clock
from gtp_variants.players.isolated.description import describe_error, quote_value
from gtp_variants.players.isolated.player import IsolatedBot
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import PASS, RESIGN, SWAP
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

T = TypeVar("T")

# A call to a player in another process may take this many command deadlines: there each command has its own.
_ELSEWHERE = 20
# Seconds by which a bot may be late before its process is killed; also the seconds between two checks.
_SLACK_S = 1.0
# Number of consecutive checks that must find a process stopped by a signal before it is killed.
_LOOKS = 2


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game lost through a player's failure. `kind` is one of `result_row.FAILURES`; `why` is the reason in words."""

    colour: int
    kind: str
    why: str


class PlayerFailed(Exception):
    """A failure that makes a player lose its game."""

    def __init__(self, forfeit: Forfeit) -> None:
        super().__init__(forfeit.why)
        self.forfeit = forfeit


class TimedPlayer:
    """Wraps a player to time its thinking and to turn every exception into PlayerFailed.

    Players in other processes have their deadlines there. For a bot in this process, the observer is told the deadline.
    `thought` is the player's analysis of its last move.
    """

    def __init__(self, colour: int, player: Player, limits: TimeLimits, observer: GameObserver) -> None:
        self.colour = colour
        self.limits = limits
        self.thought_s = 0.0
        self.slowest_s = 0.0
        self.thought: Thought | None = None
        self._player = player
        self._own_control = replace(limits.control)
        self._observer = observer
        self._is_elsewhere = isinstance(player, GtpPlayer | IsolatedBot)
        self._has_sat = False
        self._has_failed = False
        self._rules: Rules | None = None
        self._found: object = None

    def _call(self, name: str, within_s: float, act: Callable[[], T]) -> T:
        # One call may send a player in another process several commands, each with a deadline of its own.
        until = monotonic() + (_ELSEWHERE * within_s if self._is_elsewhere else within_s)
        self._observer.on_ask(self.colour, until, not self._is_elsewhere)
        try:
            return act()
        except PeerError as error:
            raise self._failure(error.failure, f"in {name}: {quote_value(error, str)}") from error
        except (Exception, SystemExit) as error:
            raise self._failure(CRASH, f"in {name}: {describe_error(error)}") from error
        finally:
            self._observer.on_answer()

    def _failure(self, kind: str, why: str) -> PlayerFailed:
        self._has_failed = True
        return PlayerFailed(Forfeit(self.colour, kind, why))

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        self._has_sat, self._rules = True, rules
        self._call("sit", self.limits.startup_s, lambda: self._player.sit(rules, colour, seed))

    def hear(self, news: News) -> None:
        self._call("hear", self.limits.command_s, lambda: self._player.hear(news))

    def choose(self, view: View, clock: Clock) -> int:
        """Return the player's action. Raises PlayerFailed if it is late or not an action that players may take."""
        own_clock = Clock(self._own_control, clock.left_s, clock.left_count)
        has_clock = clock.longest_s < inf
        most_s = clock.longest_s + self.limits.margin_s if has_clock else self.limits.command_s
        start = monotonic()
        try:
            answer = self._call("choose", most_s, lambda: self._player.choose(view, own_clock))
        finally:
            spent_s = monotonic() - start
            self.thought_s += spent_s
            self.slowest_s = max(self.slowest_s, spent_s)
        # Without a clock, each command to a player in another process already had its own deadline.
        if spent_s > most_s and (has_clock or not self._is_elsewhere):
            allowed = f"had {clock.longest_s:.3f} s left" if has_clock else f"may take {most_s:g} s"
            raise self._failure(TIME if has_clock else HANG, f"took {spent_s:.3f} s for a move, {allowed}")
        self._note_thought()
        return self._action(answer)

    def propose(self) -> str:
        """Return the agreement that a program proposes now, or "". Bots propose nothing."""
        player = self._player
        if not isinstance(player, GtpPlayer):
            return ""
        return self._call("propose", self.limits.command_s, lambda: player.negotiate("variant-propose"))

    def accepts(self, table: Table, agreement: Agreement, text: str) -> bool:
        """Return True if a player accepts an agreement, which `text` says in words."""
        player = self._player
        if not isinstance(player, GtpPlayer):
            return agreement.is_fair(table)
        return self._call("accept", self.limits.command_s, lambda: player.negotiate("variant-accept", text)) == "true"

    def find_dead(self) -> Collection[int] | None:
        """Return the points of the stones that a program calls dead, or None if the player does not say."""
        player = self._player
        if not isinstance(player, GtpPlayer):
            return None
        return self._call("find_dead", self.limits.command_s, player.find_dead)

    def _note_thought(self) -> None:
        """Note the findings of the player's search, unless they are left over from an earlier move."""
        assert self._rules is not None
        before, self._found = self._found, getattr(self._player, "found", None)
        is_new = self._found is not None and self._found is not before
        self.thought = find_thought(self._rules, self._found) if is_new else None

    def _action(self, answer: object) -> int:
        try:
            action = None if isinstance(answer, bool) else index(answer)  # type: ignore[arg-type]
        except Exception:
            action = None
        if action is None:
            raise self._failure(ILLEGAL, f"chose {quote_value(answer)}, expected an action")
        # The other negative actions are agreements and departures, which no single player decides.
        if action < 0 and action not in (PASS, SWAP, RESIGN):
            raise self._failure(ILLEGAL, f"chose action {action}, expected a point, a pass, a swap or a resignation")
        return action

    def name_action(self, action: int) -> str:
        """Return an action in words; if it is outside the board, return the program's own answer."""
        assert self._rules is not None
        board = self._rules.board
        if action < len(board):
            return write_move(board, action)
        return self._player.answer if isinstance(self._player, GtpPlayer) else f"point {action}"

    def leave(self, outcome: Outcome | None) -> None:
        """Dismiss the player. Its failure to leave is ignored if it has failed before."""
        if not self._has_sat:
            return
        had_failed, own_outcome = self._has_failed, outcome and replace(outcome)
        try:
            self._call("leave", self.limits.command_s, lambda: self._player.leave(own_outcome))
        except PlayerFailed:
            if not had_failed:
                raise


class HangWatch:
    """A thread that kills a game's process if a bot in it hangs or if a signal has stopped it.

    `is_killed` is True once the process has been killed. `ended_for` is the colour that did not answer, or 0 for none.
    """

    def __init__(self, log: CrashLog) -> None:
        self.is_killed = False
        self.ended_for = 0
        self._log = log
        self._process: GuardedProcess | None = None
        # The thread holds this lock while it judges and kills, so that no game can begin or end in between.
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def reset(self) -> None:
        """Forget the judgement on an earlier process."""
        self.is_killed, self.ended_for = False, 0

    @contextmanager
    def watch(self, process: GuardedProcess) -> Iterator[None]:
        """Watch a process while it plays a game."""
        with self._lock:
            self._process = process
        try:
            yield
        finally:
            with self._lock:
                self._process = None

    def stop(self) -> None:
        """Stop killing processes."""
        self._stopping.set()

    def close(self) -> None:
        """Stop watching, and wait for the thread to end."""
        self.stop()
        self._thread.join()

    def _watch(self) -> None:
        stopped = 0
        while not self._stopping.wait(_SLACK_S):
            with self._lock:
                if self._process is None:
                    continue
                stopped = stopped + 1 if _is_stopped(self._log.pid) else 0
                asked = self._log.asked
                is_late = monotonic() > asked.until + _SLACK_S
                if stopped < _LOOKS and not is_late:
                    continue
                if stopped < _LOOKS:
                    self.ended_for = asked.colour if asked.is_here else 0
                self.is_killed = True
                self._process.kill()


def judge_end(colour: int, status: int, *, is_hung: bool, has_clock: bool) -> Forfeit:
    """Return the forfeit of a player whose process ended with this status or was killed because the player hung."""
    if is_hung:
        return Forfeit(colour, TIME if has_clock else HANG, "did not answer and was killed")
    return Forfeit(colour, CRASH, f"ended its process ({_describe_exit(status)})")


def _is_stopped(pid: int) -> bool:
    """Return True if a signal has stopped a process. This is visible only on Linux."""
    try:
        # The process's name is in parentheses and may itself contain spaces and parentheses.
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
