"""A player at a replay of one game, used by one thread; what it answers is checked by the rules before anybody sees it.

A thread that hangs keeps its seat for itself: the next one has another.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from gtp_variants.bridge.core.game.game_sync import GameReplay
from gtp_variants.errors import PeerError, PeerGarbled, PeerGone, VariantsError
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.records.notation import write_move
from gtp_variants.rules.rules import Rules


class IllegalAnswer(PeerGarbled):
    """The engine wants a move that the rules forbid, as far as its seat can know, or that is no move at all."""


class Thinkers(Protocol):
    """Where the player of a seat comes from."""

    def make(self) -> Player:
        """A new player."""
        ...

    def kill(self) -> None:
        """End at once whatever process the last one has; from any thread."""
        ...

    def note(self, rules: Rules, colour: int) -> str:
        """What it thought of its last move as that colour, as JSON; "" for nothing."""
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
        """Whether the player sits here already, so that nothing has to be started."""
        return self._replay is not None and self._replay.has_seat(self._colour)

    def start(self, steps: Sequence[object]) -> None:
        """Have the player sit here and hear these steps. Raises PeerError."""
        with _as_peer_error():
            self.follow(steps)

    def choose(self, steps: Sequence[object], clock: Clock) -> EngineMove:
        """What the player does after these steps. Raises PeerError, IllegalAnswer among them."""
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
