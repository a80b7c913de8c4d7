"""Runs the bot or GTP engine of one game on a thread of its own, and restarts it when it fails or hangs."""

import asyncio
import contextlib
import json
import queue
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from gtp_variants.bot_process.player import BotDeadlines, FreshProcess, make_player
from gtp_variants.bridge.core.config import EngineConfig
from gtp_variants.bridge.core.game.game_sync import GameReplay
from gtp_variants.errors import PeerError, PeerGarbled, PeerGone, PeerSilent
from gtp_variants.gtp.client.peer import Launch, Peer, TalkLog, empty_secrets
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.json_values import Json
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.rules.outcome import Outcome

R = TypeVar("R")

# How an engine is asked for a move and what it thinks of it, the best first, and the arguments after the colour.
ANALYSING = {"cgos-genmove_analyze": (), "kata-genmove_analyze": ("100000",), "lz-genmove_analyze": ("100000",)}
_NUMBERS = {"visits": int, "winrate": float, "prior": float, "scoreMean": float, "scoreLead": float, "order": int}
_INFO = re.compile(r"\binfo\b")
_LONGEST_NOTE = 4000
# A thread that does not come back is left behind after so much more than its time.
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class EngineMove:
    """An action, and what the engine says of it: JSON for a server that takes it, words for people."""

    action: int
    json: str = ""
    words: str = ""


class SupervisedPlayer:
    """The player of one colour in one game. After PeerError it is of no more use: it failed once too often."""

    def __init__(
        self,
        config: EngineConfig,
        make_replay: Callable[[], GameReplay],
        seed: str,
        colour: int,
        talk: Path,
        log: Callable[[str], None],
    ) -> None:
        self.config = config
        self.colour = colour
        self.failures = 0
        self._make_replay, self._seed = make_replay, seed
        self._engines = _GameEngines(config, talk)
        self._log = log
        self._replay: GameReplay | None = None
        self._player: Player | None = None
        self._thread = _Worker()
        self._busy = asyncio.Lock()

    async def choose(self, steps: Sequence[object], clock: Clock) -> EngineMove:
        """What the player does after these steps. Raises PeerError when it failed too often."""
        return await self._supervise(lambda: self._choose(steps, clock), self._patience_s(clock))

    async def dead(self, steps: Sequence[object]) -> tuple[str, ...]:
        """A vertex of each chain that the engine calls dead; () where it does not say. Raises PeerError."""
        return await self._supervise(lambda: self._dead(steps), self.config.limits.command_s + _PATIENCE_S)

    async def close(self) -> None:
        """The game is over, or left."""
        async with self._busy:
            with contextlib.suppress(PeerError):
                await self._thread.run(self._leave, self.config.limits.command_s)
            self._thread.end()

    def _patience_s(self, clock: Clock) -> float:
        limit_s = clock.longest_s if clock.control.kind != "none" else self.config.limits.command_s
        return limit_s + self.config.limits.startup_s + _PATIENCE_S

    async def _supervise(self, work: Callable[[], R], limit_s: float) -> R:
        async with self._busy:
            while True:
                try:
                    return await self._thread.run(work, limit_s)
                except PeerError as error:
                    self.failures += 1
                    self._log(f"the engine failed ({self.failures}): {error}")
                    await self._give_up_player(error)
                    if self.failures > self.config.restarts:
                        raise
                    await asyncio.sleep(self.config.grace_s * self.failures)

    async def _give_up_player(self, error: PeerError) -> None:
        if isinstance(error, _WorkerStuck):
            self._thread.end()
            self._thread = _Worker()
            self._player = self._replay = None
            return
        with contextlib.suppress(PeerError):
            await self._thread.run(self._leave, self.config.limits.command_s)

    # -- on the thread -------------------------------------------------------------------------------------------------

    def _choose(self, steps: Sequence[object], clock: Clock) -> EngineMove:
        replay, player = self._at(steps)
        try:
            action = replay.choose(self.colour, clock)
        except PeerError:
            raise
        except Exception as error:
            raise PeerGone(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}") from error
        return EngineMove(action, self._engines.analysis(), str(getattr(player, "explanation", ""))[:200])

    def _dead(self, steps: Sequence[object]) -> tuple[str, ...]:
        _, player = self._at(steps)
        if not isinstance(player, GtpPlayer):
            return ()
        answer = player.engine().ask("final_status_list", "dead") or ""
        return tuple(line.split()[0].upper() for line in answer.splitlines() if line.split())

    def _at(self, steps: Sequence[object]) -> tuple[GameReplay, Player]:
        """The player, who has heard these steps."""
        if self._replay is None:
            self._replay = self._make_replay()
        fault = self._replay.follow(steps)
        if fault is not None:
            raise PeerGarbled(f"step {fault.index + 1} cannot be played: {fault.error}")
        if not self._replay.has_seat(self.colour):
            if self._player is None:
                self._player = self._make_player()
            self._replay.seat(self.colour, self._player, self._seed)
        assert self._player is not None
        return self._replay, self._player

    def _make_player(self) -> Player:
        config = self.config
        if not config.bot:
            return GtpPlayer(self._engines)
        deadlines = BotDeadlines(config.limits.startup_s, config.limits.command_s)
        processes = FreshProcess(self._engines.talk.with_suffix(".stderr"))
        return make_player(config.bot, processes, deadlines, is_trusted=config.is_trusted)

    def _leave(self) -> None:
        player, self._player, self._replay = self._player, None, None
        if player is not None:
            player.leave(None)


class _WorkerStuck(PeerSilent):
    """The thread itself did not come back."""


class _Worker:
    """A thread that does one thing after the other. One that hangs is left behind and keeps nobody from ending."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=_work_off, args=(self._work,), daemon=True).start()

    async def run(self, work: Callable[[], R], limit_s: float) -> R:
        """What the work returns or raises. Raises PeerSilent after so long."""
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
            raise _WorkerStuck(f"it did not answer within {limit_s:.0f} s") from None

    def end(self) -> None:
        """No more work comes."""
        self._work.put(None)


def _work_off(work: "queue.SimpleQueue[Callable[[], None] | None]") -> None:
    while (job := work.get()) is not None:
        job()


class _GameEngines:
    """Engines of one game: a process each, its talk and its standard error in files."""

    def __init__(self, config: EngineConfig, talk: Path) -> None:
        self.config = config
        self.talk = talk
        self._peer: _AnalysingPeer | None = None

    def take(self, colour: int, seed: str) -> Peer:
        launch = Launch(
            self.config.command,
            folder=self.config.folder,
            environment={**empty_secrets(), **self.config.environment},
            startup_s=self.config.limits.startup_s,
            command_s=self.config.limits.command_s,
        )
        self.talk.parent.mkdir(parents=True, exist_ok=True)
        channel = launch.start(self.talk.with_suffix(".stderr"))
        self._peer = _AnalysingPeer(channel, launch, TalkLog(self.talk))
        try:
            self._peer.begin(self.config.startup)
        except PeerError as error:
            self._peer.close(error)
            raise
        return self._peer

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        with contextlib.suppress(PeerError):
            peer.close(failure)

    def analysis(self) -> str:
        """What the engine thought of its last move, as JSON."""
        return self._peer.analysis if self._peer is not None else ""


class _AnalysingPeer(Peer):
    """An engine that is asked for its thoughts along with its move, where it has a command for it."""

    analysis = ""

    def send(self, command: str, *arguments: object, timeout_s: float | None = None) -> str:
        way = next((name for name in ANALYSING if self.knows(name)), None) if command == "genmove" else None
        if way is None:
            return super().send(command, *arguments, timeout_s=timeout_s)
        answer = super().send(way, *arguments, *ANALYSING[way], timeout_s=timeout_s)
        said, _, last = answer.rpartition("\n")
        self.analysis = note_of(said)
        return last.removeprefix("play").strip()


def note_of(said: str) -> str:
    """What an engine said of its move as JSON in CGOS's form: taken as it is if it is JSON, else read from `info`."""
    last = said.strip().rpartition("\n")[2].strip()
    try:
        note = json.loads(last)
    except ValueError:
        note = _read_info(last)
    if not isinstance(note, dict) or not note:
        return ""
    text = json.dumps(note, separators=(",", ":"))
    return text if len(text) <= _LONGEST_NOTE else ""


def _read_info(line: str) -> Json:
    moves = [_read_one(part.split()) for part in _INFO.split(line) if part.strip()]
    moves = sorted((move for move in moves if "move" in move), key=lambda move: move.pop("order", 0))
    if not moves:
        return {}
    best = moves[0]
    note: Json = {key: best[key] for key in ("winrate", "score") if key in best}
    note["visits"] = sum(move.get("visits", 0) for move in moves)
    return {**note, "moves": moves[:5]}


def _read_one(words: Sequence[str]) -> Json:
    move: Json = {}
    for index, word in enumerate(words[:-1]):
        if word == "pv":
            move["pv"] = " ".join(words[index + 1 : index + 21])
            break
        if word == "move":
            move["move"] = words[index + 1]
        elif word in _NUMBERS:
            with contextlib.suppress(ValueError):
                move[word] = _NUMBERS[word](float(words[index + 1]))
    for name in ("scoreLead", "scoreMean"):
        if name in move:
            move["score"] = move.pop(name)
    # Leela Zero counts in hundredths of a per cent.
    for name in ("winrate", "prior"):
        if move.get(name, 0) > 1:
            move[name] /= 10_000
    return move
