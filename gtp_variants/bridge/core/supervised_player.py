"""The player of one colour in one game: whatever its engine does, a legal move comes in time.

An engine that crashes, hangs or answers nonsense is started again and asked again while the clock allows it. The
fallback plays for an engine that wants an illegal move, leaves no time, or failed too often. The engine works in a
thread; one that hangs is left behind and keeps nobody from ending.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import RESIGN, EngineConfig
from gtp_variants.bridge.core.engine_seat import (
    EngineMove,
    EngineSeat,
    IllegalAnswer,
    Thinkers,
    find_bot,
    find_thinkers,
)
from gtp_variants.bridge.core.game_sync import GameReplay
from gtp_variants.errors import PeerError, PeerGone, PeerSilent, VariantsError
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.rules import actions

R = TypeVar("R")


class ThreadStuck(PeerSilent):
    """The thread itself did not come back."""


class EngineThread:
    """A thread, from now on until its `end`."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=_work_off, args=(self._work,), daemon=True).start()

    async def run(self, work: Callable[[], R], limit_s: float) -> R:
        """Return or raise what the work does. Raises ThreadStuck after `limit_s` seconds."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[R] = loop.create_future()

        def tell(result: R | None, error: BaseException | None) -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)  # type: ignore[arg-type]

        def job() -> None:
            result, failure = None, None
            try:
                result = work()
            except BaseException as error:
                failure = error
            # The bridge may have ended meanwhile.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(tell, result, failure)

        self._work.put(job)
        try:
            async with asyncio.timeout(min(limit_s, 1e6)):
                return await done
        except TimeoutError:
            raise ThreadStuck(f"it did not answer within {limit_s:.1f} s") from None

    def submit(self, work: Callable[[], None]) -> None:
        """Do something after what waits already; nobody waits for it."""
        self._work.put(work)

    def end(self) -> None:
        """No more work comes."""
        self._work.put(None)


def _work_off(work: "queue.SimpleQueue[Callable[[], None] | None]") -> None:
    while (job := work.get()) is not None:
        job()


# How long a player may take to leave: the game is over, and nobody waits for it.
_LEAVE_S = 5.0
# A try of fewer seconds is not worth an engine's start.
_SHORTEST_TRY_S = 0.5
# How long the fallback thinks, and how long it is waited for beyond that.
_FALLBACK_S, _FALLBACK_PATIENCE_S = 1.0, 4.0


@dataclass(frozen=True, slots=True)
class Faults:
    """The receivers of an engine's faults: the game's log, and `report`, which counts them."""

    log: Callable[[str], None]
    report: Callable[[str], None] = lambda why: None


class _Thinker:
    """A seat and its thread; both are left behind together."""

    def __init__(self, make_seat: Callable[[], EngineSeat]) -> None:
        self._make_seat = make_seat
        self._begin()

    def _begin(self) -> None:
        self.seat, self._thread = self._make_seat(), EngineThread()

    async def run(self, work: Callable[[EngineSeat], R], limit_s: float) -> R:
        """Return what the work on the seat does. After `limit_s` seconds, take another seat and raise PeerSilent."""
        try:
            return await self._thread.run(partial(work, self.seat), limit_s)
        except ThreadStuck:
            self._leave_behind()
            raise

    def submit(self, work: Callable[[EngineSeat], None]) -> None:
        """Do something on the seat that nobody waits for."""
        self._thread.submit(partial(work, self.seat))

    def _leave_behind(self) -> None:
        self.seat.abandon()
        self._thread.submit(self.seat.leave)
        self._thread.end()
        self._begin()

    async def close(self) -> None:
        """The seat is not needed any more."""
        try:
            await self._thread.run(self.seat.leave, _LEAVE_S)
        except ThreadStuck:
            self.seat.abandon()
            self._thread.submit(self.seat.leave)
        self._thread.end()


class SupervisedPlayer:
    """The player of our seat. `failures` counts the engine's faults; an engine with too many is not asked any more."""

    def __init__(
        self,
        config: EngineConfig,
        make_replay: Callable[[], GameReplay],
        seed: str,
        colour: int,
        talk: Path,
        faults: Faults,
    ) -> None:
        """`talk` is the file for what is said with a GTP engine."""
        self.config = config
        self.colour = colour
        self.failures = 0
        self._make_replay, self._seed, self._talk, self._faults = make_replay, seed, talk, faults
        self._engine = _Thinker(lambda: self._seat(find_thinkers(config, talk)))
        self._fallback: _Thinker | None = None

    def _seat(self, thinkers: Thinkers) -> EngineSeat:
        return EngineSeat(self._make_replay, thinkers, self._seed, self.colour)

    @property
    def is_given_up(self) -> bool:
        """True if the engine failed so often that it is not asked any more."""
        return self.failures > self.config.restarts

    @property
    def resigns(self) -> bool:
        """True if nobody plays where the engine does not."""
        return self.config.fallback == RESIGN

    async def choose(
        self, steps: Sequence[object], clock: Clock, by_rule: Callable[[], int], *, is_timed: bool = True
    ) -> EngineMove:
        """Return the move after these steps. The clock runs from now on if `is_timed`, else it is only shown.

        `by_rule` is played where even the fallback does not answer. Raises PeerError where there is none, and the
        engine failed too often or used up its time.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        failure: PeerError | None = None
        while not self.is_given_up:
            rest = policies.clock_after(clock, loop.time() - began)
            if failure is not None and self._limit_s(rest, is_timed=is_timed) < _SHORTEST_TRY_S:
                break
            try:
                if not self._engine.seat.is_ready:
                    # What a start may take is not what a move may: one that hangs at its first move is noticed as soon.
                    start_s = self._start_limit_s(rest, is_timed=is_timed)
                    await self._engine.run(lambda seat: seat.start(steps), start_s)
                    rest = policies.clock_after(clock, loop.time() - began)
                limit_s = self._limit_s(rest, is_timed=is_timed)
                return await self._engine.run(lambda seat, rest=rest: seat.choose(steps, rest), limit_s)  # type: ignore[misc]
            except PeerError as error:
                failure = error
                await self._note_failure(error, rest)
                if isinstance(error, IllegalAnswer) and not self.resigns:
                    break
        if self.resigns:
            raise failure or PeerGone("the engine was given up")
        return await self._fall_back(steps, policies.clock_after(clock, loop.time() - began), by_rule)

    def _limit_s(self, clock: Clock, *, is_timed: bool) -> float:
        """Return how many seconds we wait for a move."""
        return policies.move_limit_s(clock if is_timed else NO_LIMIT, self.config.limits)

    def _start_limit_s(self, clock: Clock, *, is_timed: bool) -> float:
        """Return how many seconds we wait for an engine to start and hear the game; half of the clock is for moves."""
        limit_s = self._limit_s(clock, is_timed=is_timed)
        longest_s = (clock if is_timed else NO_LIMIT).longest_s
        return max(limit_s, min(limit_s + self.config.limits.startup_s, longest_s / 2))

    async def dead(self, steps: Sequence[object]) -> tuple[str, ...]:
        """A vertex of each chain that the engine calls dead, for one of our bots those that are judged so.

        () where an engine does not say. Raises PeerError.
        """
        if self.is_given_up:
            return ()
        try:
            return await self._engine.run(lambda seat: seat.find_dead(steps), self.config.limits.any_command_s)
        except PeerError as error:
            await self._note_failure(error, NO_LIMIT)
            raise

    def prepare(self, steps: Sequence[object]) -> None:
        """Let the engine hear these steps before it is asked, so that none of its start is on our clock."""
        if not self.is_given_up:
            self._engine.submit(lambda seat: seat.prepare(steps))

    async def close(self) -> None:
        """The game is over, or left."""
        await self._engine.close()
        if self._fallback is not None:
            await self._fallback.close()

    async def _note_failure(self, error: PeerError, clock: Clock) -> None:
        """Count a fault, tell of it, and let go of the engine that made it."""
        self.failures += 1
        why = " ".join(str(error).split())
        self._faults.log(f"the engine failed ({self.failures}): {why}")
        self._faults.report(why)
        if not isinstance(error, ThreadStuck):
            self._engine.submit(EngineSeat.leave)
        if not self.is_given_up and not isinstance(error, IllegalAnswer):
            # Whoever has a clock does not wait long on it.
            await asyncio.sleep(min(self.config.grace_s * self.failures, clock.longest_s / 20))

    async def _fall_back(self, steps: Sequence[object], clock: Clock, by_rule: Callable[[], int]) -> EngineMove:
        """The fallback's move, and one by rule where it has none."""
        think_s = min(_FALLBACK_S, clock.longest_s / 8)
        limit_s = min(think_s + _FALLBACK_PATIENCE_S, clock.longest_s / 2)
        move: EngineMove | None = None
        try:
            if self._fallback is None:
                name = self.config.fallback or self._make_replay().rules.profile.default_bot
                self._fallback = _Thinker(lambda: self._seat(find_bot(name, self.config, self._talk)))
            short = Clock(TimeControl("byoyomi", period_s=think_s, periods=1), think_s, 1)
            move = await self._fallback.run(lambda seat: seat.choose(steps, short), limit_s)
        except (PeerError, VariantsError) as error:
            self._faults.log(f"the fallback failed: {error}")
        self.prepare(steps)
        # Whether a game is lost is for the engine to say.
        if move is None or move.action == actions.RESIGN:
            return EngineMove(by_rule(), words="by rule, in the engine's place")
        return EngineMove(move.action, words="by the fallback, in the engine's place")
