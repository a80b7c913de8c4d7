"""Detects players that hang, crash or exceed their time, and turns each case into a forfeit with a reason.

`TimedPlayer`, in the process that plays the game, sets a deadline for each call and times the player. It ends programs
and bots that have a process of their own. `GuardedLog` has the system end the game's process if a bot inside it misses
its deadline. The process that stores the games then reads the deadline from the crash log, and `judge_end` returns the
forfeit.
"""

import faulthandler
import os
import signal
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from operator import index
from time import monotonic
from typing import TypeVar

from gtp_variants.ai.samples.thought import Thought, find_thought
from gtp_variants.arena.config.player_config import TimeLimits
from gtp_variants.arena.result_row import CRASH, HANG, ILLEGAL, KILLED, TIME
from gtp_variants.arena.run.crash_log import Asked, CrashLog, GameObserver
from gtp_variants.base.processes.channel import describe_exit
from gtp_variants.errors import PeerError
from gtp_variants.gtp.client.isolated_bot import IsolatedBot
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players.agreements import Agreement
from gtp_variants.players.bot_description import describe_error, quote_value
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import PASS, RESIGN, SWAP
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

T = TypeVar("T")

# A call to a player in another process, which limits each command itself, may take this many command deadlines.
_ELSEWHERE = 20
# Seconds by which a bot may be late before its process is ended, and the fewest seconds to that end.
_SLACK_S, _SOONEST_S = 1.0, 0.001
# The exit status of a process that was ended because it was late.
_STATUS_OF_HUNG = -signal.SIGALRM if os.name == "posix" else 1


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
        self.colour, self.limits = colour, limits
        self.thought_s = self.slowest_s = 0.0
        self.thought: Thought | None = None
        self._player, self._observer = player, observer
        self._own_control = replace(limits.control)
        self._is_elsewhere = isinstance(player, GtpPlayer | IsolatedBot)
        self._has_sat = self._has_failed = False
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
        """Return the player's action. Raises PlayerFailed if the answer is late or no action that players may take."""
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
        assert self._rules is not None
        # Ignore what the player still has from an earlier move, because it is not this move's thought.
        before, self._found = self._found, getattr(self._player, "found", None)
        is_new = self._found is not None and self._found is not before
        self.thought = find_thought(self._rules, self._found) if is_new else None
        return self._action(answer)

    def propose(self) -> str:
        """Return the agreement that a program proposes now, or "". Bots propose nothing."""
        if not isinstance(self._player, GtpPlayer):
            return ""
        return self._call("propose", self.limits.command_s, partial(self._player.negotiate, "variant-propose"))

    def accepts(self, table: Table, agreement: Agreement, text: str) -> bool:
        """Return True if a player accepts an agreement, which `text` says in words."""
        if not isinstance(self._player, GtpPlayer):
            return agreement.is_fair(table)
        accept = partial(self._player.negotiate, "variant-accept", text)
        return self._call("accept", self.limits.command_s, accept) == "true"

    def find_dead(self) -> Collection[int] | None:
        """Return the points of the stones that a program calls dead, or None if the player does not say."""
        if not isinstance(self._player, GtpPlayer):
            return None
        return self._call("find_dead", self.limits.command_s, self._player.find_dead)

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


class GuardedLog(CrashLog):
    """The crash log of this process. The system ends the process if it is over a second late for a deadline."""

    def on_ask(self, colour: int, until: float, is_here: bool) -> None:
        super().on_ask(colour, until, is_here)
        end_process_at(until + _SLACK_S)


def end_process_at(until: float) -> None:
    """Have the system end this process at a time of the monotonic clock, even if a bot never returns; inf: never."""
    left_s = max(until - monotonic(), _SOONEST_S)
    if os.name == "posix":
        signal.setitimer(signal.ITIMER_REAL, 0 if left_s == inf else left_s)
    elif left_s == inf:
        faulthandler.cancel_dump_traceback_later()
    else:
        faulthandler.dump_traceback_later(left_s, exit=True)


def find_hung(asked: Asked, status: int) -> int:
    """Return the colour of the bot whose hanging ended a process with this status, or 0 if no bot hung."""
    is_late = status == _STATUS_OF_HUNG and monotonic() >= asked.until + _SLACK_S
    return asked.colour if is_late and asked.is_here else 0


def judge_end(colour: int, status: int, *, is_hung: bool, has_clock: bool) -> Forfeit:
    """Return the forfeit for a process's end or a hang; the colour 0 is the referee's process, ended from outside."""
    if not colour:
        return Forfeit(0, KILLED, f"the referee's process was ended or stopped from outside ({describe_exit(status)})")
    if is_hung:
        return Forfeit(colour, TIME if has_clock else HANG, "did not answer and was killed")
    return Forfeit(colour, CRASH, f"ended its process ({describe_exit(status)})")
