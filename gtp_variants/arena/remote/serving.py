"""The serving side: what it answers to machines that joined, and the games they play as they end.

Three threads meet here: those of the HTTP server answer machines, and that of the match hands out games and keeps them.
"""

import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic

from gtp_variants._version import __version__
from gtp_variants.arena.config.match_config import MatchConfig, Outputs
from gtp_variants.arena.config.player_config import identity
from gtp_variants.arena.remote.leases import TERM_S, LeaseBook, Machine
from gtp_variants.arena.remote.messages import HEARTBEAT, JOIN, LEASE, LEAVE, RESULT, lend, pack, read_report
from gtp_variants.arena.remote.result_check import check_game
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.pool import Feed
from gtp_variants.arena.statistics.worker_differences import MachineTally, differing_machines
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.json_values import Json

# Games that wait for whoever asks next.
_AHEAD = 4
_TICK_S = 0.2
# How long machines are told at the end that it is over.
_FAREWELL_S = 5.0


class GameServer:
    """Leases the games of a match to machines that ask, and takes what they played."""

    def __init__(
        self,
        config: MatchConfig,
        say: Callable[[str], None],
        clock: Callable[[], float] = monotonic,
        term_s: float = TERM_S,
    ) -> None:
        self.config = config
        self._say = say
        self._clock = clock
        self._book = LeaseBook(clock, term_s)
        self._term_s = term_s
        self._lock = threading.Lock()
        self._finished: SimpleQueue[FinishedGame] = SimpleQueue()
        self._is_over = False
        self.tallies: dict[str, MachineTally] = {}

    # -- the match's thread --------------------------------------------------------------------------------------------

    def games(self, feed: Feed) -> Generator[FinishedGame, None, None]:
        """Games as they end, by whomever they were played. Left early, machines are told that it is over."""
        try:
            while True:
                self._refill(feed)
                try:
                    game = self._finished.get(timeout=_TICK_S)
                except Empty:
                    with self._lock:
                        if self._book.is_idle and self._finished.empty():
                            return
                    continue
                yield game
        finally:
            self._take_leave()

    def _refill(self, feed: Feed) -> None:
        with self._lock:
            for name, count in self._book.expire():
                self._say(f"{name} was not heard of for {self._term_s:g} s: {count} games wait again")
            wished = _AHEAD * max(1, len(self._book.machines))
            while self._book.waiting < wished and (fixture := feed()) is not None:
                self._book.put(fixture)

    def _take_leave(self) -> None:
        """Wait until every machine knows that it is over, or for a while."""
        until_s = self._clock() + _FAREWELL_S
        self._is_over = True
        told = threading.Event()
        while self._clock() < until_s:
            with self._lock:
                if not self._book.machines:
                    return
            told.wait(_TICK_S)

    # -- the threads of the HTTP server --------------------------------------------------------------------------------

    def answer(self, address: str, message: Json) -> Json:
        """What a machine is told that sent a message to an address. Raises RecordError for what is no message."""
        if address == JOIN:
            return self._join(message)
        with self._lock:
            machine = self._book.find(word := str(message.get("machine")))
            reason = self._book.reason(word)
        if reason:
            return {"state": "refused", "why": reason}
        if machine is None:
            return {"state": "unknown"}
        if self._is_over:
            with self._lock:
                self._book.remove(word)
            return {"state": "over"}
        if address == HEARTBEAT:
            return {"state": "known"}
        if address == LEASE:
            return self._lease(machine)
        if address == RESULT:
            return self._result(word, machine, message)
        if address == LEAVE:
            return self._leave(word, machine)
        raise RecordError(f"{address[:40]}: there is no such address")

    def _join(self, message: Json) -> Json:
        if message.get("version") != __version__:
            theirs = str(message.get("version"))[:40]
            return {"state": "refused", "why": f"gtp-variants {theirs} there, {__version__} here"}
        name = str(message.get("name"))[:60]
        with self._lock:
            word = self._book.add_machine(name)
        self._say(f"{name} joined")
        return {
            "state": "known",
            "machine": word,
            "term_s": self._term_s,
            "match": pack(_public_part(self.config)),
            "players": {name: identity(player) for name, player in self.config.players.items()},
        }

    def _lease(self, machine: Machine) -> Json:
        with self._lock:
            taken = self._book.take(machine)
        if taken is None:
            return {"state": "wait"}
        lease, fixture = taken
        return {"state": "game", "lease": lease, "game": pack(lend(fixture))}

    def _result(self, word: str, machine: Machine, message: Json) -> Json:
        """Check a game and keep it; whoever hands in what cannot be is sent away."""
        lease = str(message.get("lease"))
        fixture = machine.leases.get(lease)
        if fixture is None:
            return {"state": "late"}
        try:
            game = check_game(lend(fixture), read_report(message.get("game") or {}))
        except VariantsError as error:
            with self._lock:
                count = self._book.remove(word, str(error))
            self._say(f"{machine.name} was sent away, {count} games wait again: {error}")
            return {"state": "refused", "why": str(error)}
        with self._lock:
            if machine.leases.pop(lease, None) is None:
                return {"state": "late"}
            self._count(machine, game)
            self._finished.put(game)
        return {"state": "kept"}

    def _count(self, machine: Machine, game: FinishedGame) -> None:
        known = differing_machines(self.tallies)
        self.tallies.setdefault(machine.name, MachineTally()).add(game.row)
        for name, chance in differing_machines(self.tallies).items():
            if name not in known:
                self._say(f"warning: {name} gets other results than the others (p = {chance:.1g})")

    def _leave(self, word: str, machine: Machine) -> Json:
        with self._lock:
            count = self._book.remove(word)
        self._say(f"{machine.name} left" + (f": {count} games wait again" if count else ""))
        return {"state": "over"}


def _public_part(config: MatchConfig) -> MatchConfig:
    """The match without what tells of games to come: its seed, and so the order of its openings."""
    return replace(config, seed="", opening_order="sequential", outputs=Outputs(Path()), executor="local")
