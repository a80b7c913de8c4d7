"""The engine or bot that plays one seat, each in a process that can be ended from outside.

One thread uses a seat. The rules check each answer before anybody sees it. A thread that hangs keeps its seat for
itself: the next one has another.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.samples.thought import find_thought
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.base.processes.cores import one_core
from gtp_variants.base.processes.hidden_variables import empty_secrets
from gtp_variants.bridge.core.config import EngineConfig
from gtp_variants.bridge.core.game_sync import GameReplay
from gtp_variants.errors import PeerError, PeerGarbled, PeerGone, VariantsError
from gtp_variants.gtp.client.analysis import AnalysingPeer, read_analysis
from gtp_variants.gtp.client.peer import Launch, Peer, TalkLog
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock
from gtp_variants.players.isolated.player import BotDeadlines, make_player
from gtp_variants.players.isolated.process import BotProcess
from gtp_variants.players.player import Player
from gtp_variants.records.notation import write_move
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules

# Of so many moves a server is told something, and of so many that follow each.
_MOST_MOVES = 5
_LONGEST_LINE = 20
_LONGEST_NOTE = 4000


def note_of_analysis(said: str) -> str:
    """Return an engine's remarks on its move; "" for none, and for too many."""
    return _write(read_analysis(said, _MOST_MOVES))


def note_of_search(rules: Rules, colour: int, found: object) -> str:
    """Return the findings of a bot's search, with the colour's shares; "" for none. Other results say less."""
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
    """The engine wants a move that the rules forbid, as far as its seat can know, or that is no move at all."""


class Thinkers(Protocol):
    """The source of the player of a seat."""

    def make(self) -> Player:
        """A new player."""
        ...

    def kill(self) -> None:
        """End at once whatever process the last one has; from any thread."""
        ...

    def note(self, rules: Rules, colour: int) -> str:
        """Return its remarks on its last move as that colour, as JSON; "" for none."""
        ...


@dataclass(frozen=True, slots=True)
class EngineMove:
    """An action, and what the engine says of it: JSON for a server that takes it, words for people."""

    action: int
    json: str = ""
    words: str = ""


class EngineSeat:
    """The player of one colour, and the game as it follows it."""

    def __init__(self, make_replay: Callable[[], GameReplay], thinkers: Thinkers, seed: str, colour: int) -> None:
        self._make_replay, self._thinkers = make_replay, thinkers
        self._seed, self._colour = seed, colour
        self._replay: GameReplay | None = None
        self._player: Player | None = None
        self._is_abandoned = False

    @property
    def is_ready(self) -> bool:
        """True if the player sits here already, so that nothing has to be started."""
        return self._replay is not None and self._replay.has_seat(self._colour)

    def start(self, steps: Sequence[object]) -> None:
        """Have the player sit here and hear these steps. Raises PeerError."""
        with _as_peer_error():
            self.follow(steps)

    def choose(self, steps: Sequence[object], clock: Clock) -> EngineMove:
        """Return the player's move after these steps. Raises PeerError, IllegalAnswer among them."""
        with _as_peer_error():
            replay, player = self.follow(steps)
            action = replay.choose(self._colour, clock)
            why = replay.why_not(self._colour, action)
        if why:
            raise IllegalAnswer(f"it wants {_name(replay.rules, action)}: {why}")
        note = self._thinkers.note(replay.rules, self._colour)
        return EngineMove(action, note, str(getattr(player, "explanation", ""))[:200])

    def find_dead(self, steps: Sequence[object]) -> tuple[str, ...]:
        """A vertex of each chain that it calls dead; () where it does not say. Raises PeerError."""
        replay, player = self.follow(steps)
        if not isinstance(player, GtpPlayer):
            return replay.find_dead()
        answer = player.engine().ask("final_status_list", "dead") or ""
        dead = tuple(line.split()[0].upper() for line in answer.splitlines() if line.split())
        try:
            for vertex in dead:
                replay.rules.board.point(vertex)
        except VariantsError as error:
            raise PeerGarbled(f"it answers final_status_list with {answer[:40]!r}: {error}") from None
        return dead

    def follow(self, steps: Sequence[object]) -> tuple[GameReplay, Player]:
        """The player, who has heard these steps. Raises PeerError."""
        if self._is_abandoned:
            raise PeerGone("it was left behind")
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
        """Have the player hear these steps before it is asked. One that fails at it will fail again when it is."""
        try:
            self.follow(steps)
        except (PeerError, VariantsError):
            self.leave()

    def leave(self) -> None:
        """The player goes; the next one begins afresh."""
        player, self._player, self._replay = self._player, None, None
        if player is not None:
            with suppress(PeerError):
                player.leave(None)

    def abandon(self) -> None:
        """The thread does not come back: end the player's process under it. For any other thread."""
        self._is_abandoned = True
        self._thinkers.kill()


@contextmanager
def _as_peer_error() -> Iterator[None]:
    """Whatever a player raises is a fault of its peer."""
    try:
        yield
    except PeerError:
        raise
    except Exception as error:
        raise PeerGone(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}") from error


def _name(rules: Rules, action: object) -> str:
    """A move for a message, whatever it is."""
    try:
        return write_move(rules.board, action) if isinstance(action, int) else repr(action)[:40]
    except (VariantsError, IndexError):
        return f"point {action}"


class GtpThinkers:
    """Engines of one game that speak GTP: a process each, its talk and its standard error in files."""

    def __init__(self, config: EngineConfig, talk: Path) -> None:
        self.config = config
        self.talk = talk
        self._channel: ProcessChannel | None = None
        self._peer: AnalysingPeer | None = None
        self._is_killed = False

    def make(self) -> Player:
        """A player that takes its engine here."""
        return GtpPlayer(self)

    def take(self, colour: int, seed: str) -> Peer:
        """A new engine."""
        launch = Launch(
            self.config.command,
            folder=self.config.folder,
            environment={**empty_secrets(), **one_core(), **self.config.environment},
            startup_s=self.config.limits.startup_s,
            command_s=self.config.limits.any_command_s,
        )
        self._channel = launch.start(self.talk.with_suffix(".stderr"))
        if self._is_killed:
            # It was given up while the process began.
            self._channel.close(0.0)
            raise PeerGone("it was left behind")
        self._peer = AnalysingPeer(self._channel, launch, TalkLog(self.talk))
        try:
            self._peer.begin(self.config.startup)
        except PeerError as error:
            self._peer.close(error)
            raise
        return self._peer

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        """End an engine."""
        with contextlib.suppress(PeerError):
            peer.close(failure)

    def kill(self) -> None:
        """End the engine at once."""
        self._is_killed = True
        if self._channel is not None:
            self._channel.kill()

    def note(self, rules: Rules, colour: int) -> str:
        """Return the engine's remarks on its last move, as JSON."""
        return note_of_analysis(self._peer.analysis) if self._peer is not None else ""


class BotThinkers:
    """Bots of one game: ours, and those that are trusted, in this process, any other in one of its own."""

    def __init__(self, name: str, deadlines: BotDeadlines, stderr: Path, *, is_trusted: bool) -> None:
        self._name, self._deadlines, self._stderr, self._is_trusted = name, deadlines, stderr, is_trusted
        self._process: BotProcess | None = None
        self._player: Player | None = None

    def make(self) -> Player:
        """A new player."""
        self._player = make_player(self._name, self, self._deadlines, is_trusted=self._is_trusted)
        return self._player

    def take(self, colour: int) -> BotProcess:
        """A process for a bot."""
        self._process = BotProcess(self._stderr)
        return self._process

    def give_back(self, process: BotProcess, failure: PeerError | None) -> None:
        """End it."""
        process.close()

    def kill(self) -> None:
        """End the bot's process, if it has one, at once."""
        if self._process is not None:
            self._process.kill()

    def note(self, rules: Rules, colour: int) -> str:
        """Return the findings of the bot's search, as JSON."""
        return note_of_search(rules, colour, getattr(self._player, "found", None))


def find_thinkers(config: EngineConfig, talk: Path) -> GtpThinkers | BotThinkers:
    """Return the source of players that a configuration names; `talk` is the file of the GTP conversation."""
    if not config.bot:
        return GtpThinkers(config, talk)
    deadlines = BotDeadlines(config.limits.startup_s, config.limits.any_command_s)
    return BotThinkers(config.bot, deadlines, talk.with_suffix(".stderr"), is_trusted=config.is_trusted)


def find_bot(name: str, config: EngineConfig, talk: Path) -> BotThinkers:
    """A bot by its name, in place of the engine of a configuration."""
    deadlines = BotDeadlines(config.limits.startup_s, config.limits.any_command_s)
    return BotThinkers(name, deadlines, talk.with_suffix(".stderr"), is_trusted=bots.is_ours(name))
