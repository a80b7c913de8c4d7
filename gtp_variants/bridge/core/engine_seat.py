"""The player of one seat in a game, an engine or a bot. Whatever the player does, a legal move is ready in time.

Each engine has its own process, which can be killed, and only one thread uses the seat. The rules check each answer
before it is used. An engine that crashes, hangs or answers nonsense is restarted and asked again while the clock
allows it. The fallback plays if the engine wants an illegal move, runs out of time or has failed too often. A thread
that hangs is abandoned with its seat and does not keep the program from ending.
"""

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TypeVar

from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.samples.thought import find_thought
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.base.processes.cores import one_core
from gtp_variants.base.processes.secrecy import empty_secrets
from gtp_variants.base.processes.wall import Wall
from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import RESIGN, EngineConfig
from gtp_variants.bridge.core.game_sync import GameReplay, MakeReplay, TableReplay
from gtp_variants.errors import PeerError, PeerGarbled, PeerGone, PeerSilent, VariantsError
from gtp_variants.gtp.client.isolated_bot import launch_bot, make_player
from gtp_variants.gtp.client.peer import AnalysingPeer, Launch, Peer, TalkLog, read_analysis
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players import bots
from gtp_variants.players.agreements import PASSES, find_agreements
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.players.player import Player
from gtp_variants.records.notation import write_move
from gtp_variants.rules import actions
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules

# Maximum moves in an analysis, maximum moves in the continuation of each, and maximum characters in all.
_MOST_MOVES = 5
_LONGEST_LINE = 20
_LONGEST_NOTE = 4000


def note_of_analysis(said: str) -> str:
    """Return an engine's analysis as JSON, or "" if it is missing or too long."""
    return _write(read_analysis(said, _MOST_MOVES))


def note_of_search(rules: Rules, colour: int, found: object) -> str:
    """Return the figures of a bot's search as JSON, or "" if they are missing, too long or not for two colours."""
    thought = find_thought(rules, found)
    if thought is None or len(rules.colours) != 2:
        return ""
    note: Json = {}
    if thought.values:
        note["winrate"] = round(thought.values[rules.colours.index(colour)], 4)
    sign = 1 if colour == rules.colours[0] else -1
    result = found if isinstance(found, SearchResult) else None
    if result is not None and result.score is not None:
        note["score"] = round(sign * result.score, 2)
    visits = thought.visits
    best = sorted(visits, key=lambda move: -visits[move]) if result is None else result.rank_moves(visits)
    note["visits"] = sum(visits.values())
    note["moves"] = [_note_of_move(rules, action, visits[action], result) for action in best[:_MOST_MOVES]]
    return _write(note)


def _note_of_move(rules: Rules, action: int, visits: int, result: SearchResult | None) -> Json:
    move: Json = {"move": write_move(rules.board, action), "visits": visits}
    if result is None:
        return move
    for key, numbers in (("winrate", result.shares), ("prior", result.priors)):
        if action in numbers:
            move[key] = round(numbers[action], 4)
    line = result.lines.get(action, ())[:_LONGEST_LINE]
    if line:
        move["pv"] = " ".join(write_move(rules.board, each) for each in line)
    return move


def _write(note: Json) -> str:
    text = json.dumps(note, separators=(",", ":")) if note else ""
    return text if len(text) <= _LONGEST_NOTE else ""


class IllegalAnswer(PeerGarbled):
    """The engine's answer is not a move, or is illegal as far as its seat can know."""


@dataclass(frozen=True, slots=True)
class EngineMove:
    """An action, the engine's analysis as JSON, its explanation for people, and the agreement that it proposes."""

    action: int
    json: str = ""
    words: str = ""
    proposal: str = ""


class EngineSeat:
    """The player of one colour, with the game as that player follows it."""

    def __init__(self, make_replay: MakeReplay, thinkers: "GtpThinkers", seed: str, colour: int) -> None:
        self._make_replay, self._thinkers = make_replay, thinkers
        self._seed, self._colour = seed, colour
        self._replay: GameReplay | None = None
        self._player: Player | None = None
        self._is_abandoned = False

    @property
    def is_ready(self) -> bool:
        """True if the player is seated, so that nothing has to be started."""
        return self._replay is not None and self._replay.has_seat(self._colour)

    def start(self, steps: Sequence[object]) -> None:
        """Seat the player and send it these steps. Raises PeerError if the player fails."""
        with _as_peer_error():
            self.follow(steps)

    def choose(self, steps: Sequence[object], clock: Clock) -> EngineMove:
        """Return the player's move after these steps. Raises IllegalAnswer, or PeerError if the player fails."""
        with _as_peer_error():
            replay, player = self.follow(steps)
            may_propose = isinstance(replay, TableReplay) and bool(find_agreements(replay.table))
            proposal = player.negotiate("variant-propose") if isinstance(player, GtpPlayer) and may_propose else ""
            action = replay.choose(self._colour, clock)
            why = replay.why_not(self._colour, action)
        if why:
            raise IllegalAnswer(f"it wants {_name(replay.rules, action)}: {why}")
        note = self._thinkers.note(replay.rules, self._colour)
        return EngineMove(action, note, str(getattr(player, "explanation", ""))[:200], proposal)

    def find_dead(self, steps: Sequence[object]) -> tuple[str, ...]:
        """Return vertices of the chains that the player calls dead, or () if unknown. Raises PeerError if it fails."""
        replay, player = self.follow(steps)
        if not isinstance(player, GtpPlayer):
            return replay.find_dead()
        return tuple(replay.rules.board.vertices_of(sorted(player.find_dead() or ())))

    def accepts(self, steps: Sequence[object], text: str) -> bool:
        """Return True if the player accepts an agreement. Raises PeerError if it fails.

        Bots accept all that is possible. For an engine without `variant-accept` all but passes for White are accepted.
        """
        _, player = self.follow(steps)
        if not isinstance(player, GtpPlayer):
            return True
        unasked = "false" if text.startswith(PASSES) else "true"
        return player.negotiate("variant-accept", text, unasked) == "true"

    def follow(self, steps: Sequence[object]) -> tuple[GameReplay, Player]:
        """Return the game and its player, both brought up to these steps. Raises PeerError if that fails."""
        if self._is_abandoned:
            raise PeerGone("the engine was abandoned")
        if self._replay is None:
            self._replay = self._make_replay()
        fault = self._replay.follow(steps)
        if fault is not None:
            raise PeerGarbled(f"step {fault.index + 1} cannot be played: {fault.error}")
        if not self._replay.has_seat(self._colour):
            if self._player is None:
                self._player = self._thinkers.make()
            self._replay.seat(self._colour, self._player, self._seed)
        assert self._player is not None
        return self._replay, self._player

    def prepare(self, steps: Sequence[object]) -> None:
        """Send the player these steps in advance. After an error, dismiss the player, and raise nothing."""
        try:
            self.follow(steps)
        except (PeerError, VariantsError):
            self.leave()

    def leave(self) -> None:
        """Dismiss the player. The next player starts from scratch."""
        player, self._player, self._replay = self._player, None, None
        if player is not None:
            with suppress(PeerError):
                player.leave(None)

    def abandon(self) -> None:
        """Kill the player's process, from any thread, because the seat's thread hangs."""
        self._is_abandoned = True
        self._thinkers.kill()


@contextmanager
def _as_peer_error() -> Iterator[None]:
    try:
        yield
    except PeerError:
        raise
    except Exception as error:
        raise PeerGone(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}") from error


def _name(rules: Rules, action: object) -> str:
    """Return the name of an action, valid or not, for a message."""
    try:
        return write_move(rules.board, action) if isinstance(action, int) else repr(action)[:40]
    except (VariantsError, IndexError):
        return f"point {action}"


class GtpThinkers:
    """The GTP engines of one game, each in its own process. Their conversation and standard error go to files."""

    def __init__(self, config: EngineConfig, talk: Path) -> None:
        self.config = config
        self.talk = talk
        self._log: TalkLog | None = TalkLog(talk)
        self._channel: ProcessChannel | None = None
        self._peer: AnalysingPeer | None = None
        self._is_killed = False

    def make(self) -> Player:
        return GtpPlayer(self)

    def _launch(self) -> Launch:
        return Launch(
            self.config.command,
            folder=self.config.folder,
            environment={**empty_secrets(), **one_core(), **self.config.environment},
            startup_s=self.config.limits.startup_s,
            command_s=self.config.limits.any_command_s,
            wall=None if self.config.is_trusted else Wall(self.config.paths, self.config.network),
        )

    def take(self, colour: int, seed: str) -> Peer:
        """Start an engine and return it; `colour` and `seed` are not used. Raises PeerError if it does not start."""
        launch = self._launch()
        self._channel = launch.start(self.talk.with_suffix(".stderr"))
        if self._is_killed:
            # The engine was given up while its process was starting, so end the process.
            self._channel.close(0.0)
            raise PeerGone("the engine was abandoned")
        self._peer = AnalysingPeer(self._channel, launch, self._log)
        try:
            self._peer.begin(self.config.startup)
        except PeerError as error:
            self._peer.close(error)
            raise
        return self._peer

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        with suppress(PeerError):
            peer.close(failure)

    def kill(self) -> None:
        self._is_killed = True
        if self._channel is not None:
            self._channel.kill()

    def note(self, rules: Rules, colour: int) -> str:
        """Return the engine's analysis of its last move as JSON, or "" if there is none."""
        return note_of_analysis(self._peer.analysis) if self._peer is not None else ""


class BotThinkers(GtpThinkers):
    """The bots of one game. Our own bots and trusted bots run in this process, others in processes of their own."""

    def __init__(self, name: str, config: EngineConfig, talk: Path, *, is_trusted: bool) -> None:
        super().__init__(config, talk)
        # Keep no log, because nobody can read pickled arguments.
        self._log = None
        self._name, self._is_trusted = name, is_trusted
        self._player: Player | None = None

    def make(self) -> Player:
        self._player = make_player(self._name, self, is_trusted=self._is_trusted)
        return self._player

    def _launch(self) -> Launch:
        limits, wall = self.config.limits, Wall(self.config.paths, self.config.network)
        return launch_bot(self._name, wall, startup_s=limits.startup_s, command_s=limits.any_command_s)

    def note(self, rules: Rules, colour: int) -> str:
        """Return the result of the bot's last search as JSON, or "" if there is none."""
        return note_of_search(rules, colour, getattr(self._player, "found", None))


def find_thinkers(config: EngineConfig, talk: Path, fallback: str = "") -> GtpThinkers:
    """Return the bot named by `fallback`, else by `config`, else the GTP engine, which logs its commands to `talk`."""
    if not (fallback or config.bot):
        return GtpThinkers(config, talk)
    is_trusted = bots.is_ours(fallback) if fallback else config.is_trusted
    return BotThinkers(fallback or config.bot, config, talk, is_trusted=is_trusted)


R = TypeVar("R")


class ThreadStuck(PeerSilent):
    """The seat's thread did not finish its work in time."""


# Seconds that a player may take to leave.
_LEAVE_S = 5.0
# Minimum time limit, in seconds, for asking a failed engine again.
_SHORTEST_TRY_S = 0.5
# Seconds for the fallback to think, and extra seconds before it counts as late.
_FALLBACK_S, _FALLBACK_PATIENCE_S = 1.0, 4.0


class SeatThread:
    """A seat and the only thread that uses it. If the thread hangs, both are replaced."""

    def __init__(self, make_seat: Callable[[], EngineSeat]) -> None:
        self._make_seat = make_seat
        self._begin()

    def _begin(self) -> None:
        self.seat = self._make_seat()
        self._work: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        threading.Thread(target=_work_off, args=(self._work,), daemon=True).start()

    async def run(self, work: Callable[[EngineSeat], R], limit_s: float) -> R:
        """Return the result of `work`. After `limit_s` seconds, replace seat and thread, and raise ThreadStuck."""
        try:
            return await self._run(work, limit_s)
        except ThreadStuck:
            self._leave_behind()
            self._begin()
            raise

    async def _run(self, work: Callable[[EngineSeat], R], limit_s: float) -> R:
        done, seat = Future[R](), self.seat

        def job() -> None:
            # Do the work even if nobody waits for its result any more.
            is_awaited = done.set_running_or_notify_cancel()
            try:
                result = work(seat)
            except BaseException as error:
                if is_awaited:
                    done.set_exception(error)
            else:
                if is_awaited:
                    done.set_result(result)

        self._work.put(job)
        try:
            async with asyncio.timeout(min(limit_s, 1e6)):
                return await asyncio.wrap_future(done)
        except TimeoutError:
            raise ThreadStuck(f"it did not answer within {limit_s:.1f} s") from None

    def submit(self, work: Callable[[EngineSeat], None]) -> None:
        """Call `work` on the seat without waiting for it."""
        self._work.put(partial(work, self.seat))

    def _leave_behind(self) -> None:
        self.seat.abandon()
        self.submit(EngineSeat.leave)
        self._work.put(None)

    async def close(self) -> None:
        """Let the player leave, and end the thread."""
        try:
            await self._run(EngineSeat.leave, _LEAVE_S)
        except ThreadStuck:
            self._leave_behind()
        else:
            self._work.put(None)


def _work_off(work: queue.SimpleQueue[Callable[[], object] | None]) -> None:
    while (job := work.get()) is not None:
        job()


class SupervisedPlayer:
    """The player of our seat. An engine with too many `failures` is no longer used."""

    def __init__(
        self,
        config: EngineConfig,
        make_replay: MakeReplay,
        seed: str,
        colour: int,
        talk: Path,
        log: Callable[[str], None],
        report: Callable[[str], None] = lambda why: None,
    ) -> None:
        """`talk` is the file for the GTP conversation; `report` is called with each fault."""
        self.config = config
        self.colour = colour
        self.failures = 0
        self._make_replay, self._seed, self._talk = make_replay, seed, talk
        self._log, self._report = log, report
        self._engine = SeatThread(lambda: self._seat(find_thinkers(config, talk)))
        self._fallback: SeatThread | None = None

    def _seat(self, thinkers: GtpThinkers) -> EngineSeat:
        return EngineSeat(self._make_replay, thinkers, self._seed, self.colour)

    @property
    def is_given_up(self) -> bool:
        """True if the engine has failed too often to be used again."""
        return self.failures > self.config.restarts

    async def choose(
        self, steps: Sequence[object], clock: Clock, by_rule: Callable[[], int], *, is_timed: bool = True
    ) -> EngineMove:
        """Return the move after these steps. The clock runs during the call if `is_timed`.

        `by_rule` returns the move to play if even the fallback fails. Raises PeerError if there is no fallback and the
        engine has failed too often or has run out of time.
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
                    # Starting has its own limit, so that a hang at the first move is noticed in time.
                    start_s = self._start_limit_s(rest, is_timed=is_timed)
                    await self._engine.run(lambda seat: seat.start(steps), start_s)
                    rest = policies.clock_after(clock, loop.time() - began)
                limit_s = self._limit_s(rest, is_timed=is_timed)
                return await self._engine.run(lambda seat, rest=rest: seat.choose(steps, rest), limit_s)  # type: ignore[misc]
            except PeerError as error:
                failure = error
                await self._note_failure(error, rest)
                if isinstance(error, IllegalAnswer) and self.config.fallback != RESIGN:
                    break
        if self.config.fallback == RESIGN:
            raise failure or PeerGone("the engine was given up")
        return await self._fall_back(steps, policies.clock_after(clock, loop.time() - began), by_rule)

    def _limit_s(self, clock: Clock, *, is_timed: bool) -> float:
        return policies.move_limit_s(clock if is_timed else NO_LIMIT, self.config.limits)

    def _start_limit_s(self, clock: Clock, *, is_timed: bool) -> float:
        """Return the time limit for starting an engine. Half of the time left is kept for moves."""
        limit_s = self._limit_s(clock, is_timed=is_timed)
        longest_s = (clock if is_timed else NO_LIMIT).longest_s
        return max(limit_s, min(limit_s + self.config.limits.startup_s, longest_s / 2))

    async def dead(self, steps: Sequence[object]) -> tuple[str, ...]:
        """Return a vertex of each chain that the player calls dead, or () if unknown. Raises PeerError if it fails."""
        if self.is_given_up:
            return ()
        try:
            return await self._engine.run(lambda seat: seat.find_dead(steps), self.config.limits.any_command_s)
        except PeerError as error:
            await self._note_failure(error, NO_LIMIT)
            raise

    async def accepts(self, steps: Sequence[object], text: str) -> bool:
        """Return True if the player accepts an agreement, once it has finished what it does now. Failures mean no."""
        if self.is_given_up:
            return True
        limit_s = self.config.limits.startup_s + self.config.limits.any_command_s
        try:
            # The present work has a limit of its own.
            await self._engine.run(lambda seat: None, inf)
            return await self._engine.run(lambda seat: seat.accepts(steps, text), limit_s)
        except PeerError as error:
            await self._note_failure(error, NO_LIMIT)
            return False

    def prepare(self, steps: Sequence[object]) -> None:
        """Send the engine these steps in advance, so that starting it costs no time on our clock."""
        if not self.is_given_up:
            self._engine.submit(lambda seat: seat.prepare(steps))

    async def close(self) -> None:
        await self._engine.close()
        if self._fallback is not None:
            await self._fallback.close()

    async def _note_failure(self, error: PeerError, clock: Clock) -> None:
        """Count and report a fault, dismiss the engine that caused it, and pause before it is restarted."""
        self.failures += 1
        why = " ".join(str(error).split())
        self._log(f"the engine failed ({self.failures}): {why}")
        self._report(why)
        if not isinstance(error, ThreadStuck):
            self._engine.submit(EngineSeat.leave)
        if not self.is_given_up and not isinstance(error, IllegalAnswer):
            # Pause before the restart, but use only a small part of our time.
            await asyncio.sleep(min(self.config.grace_s * self.failures, clock.longest_s / 20))

    async def _fall_back(self, steps: Sequence[object], clock: Clock, by_rule: Callable[[], int]) -> EngineMove:
        think_s = min(_FALLBACK_S, clock.longest_s / 8)
        limit_s = min(think_s + _FALLBACK_PATIENCE_S, clock.longest_s / 2)
        move: EngineMove | None = None
        try:
            if self._fallback is None:
                name = self.config.fallback or self._make_replay().rules.profile.default_bot
                self._fallback = SeatThread(lambda: self._seat(find_thinkers(self.config, self._talk, name)))
            short = Clock(TimeControl("byoyomi", period_s=think_s, periods=1), think_s, 1)
            move = await self._fallback.run(lambda seat: seat.choose(steps, short), limit_s)
        except (PeerError, VariantsError) as error:
            self._log(f"the fallback failed: {error}")
        self.prepare(steps)
        # The fallback may not resign for the engine, so a move by rule replaces a resignation.
        if move is None or move.action == actions.RESIGN:
            return EngineMove(by_rule(), words="by rule, in the engine's place")
        return EngineMove(move.action, words="by the fallback, in the engine's place")
