"""The lobby of the server: who is there, who plays whom, whose clock runs.

It knows connections only as somebody to say lines to.
"""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Protocol

from gtp_variants.base.connection_gate import plain_address
from gtp_variants.records.record import printable
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import Account, Anchors, check_name
from gtp_variants.site.access.logins import Bans, Logins, banned_as
from gtp_variants.site.access.passwords import HashQueue, PasswordChecks, load_key
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.account_store import ServerStore
from gtp_variants.site.lobby.game_keeper import BackgroundWork, GameKeeper
from gtp_variants.site.lobby.guests import (
    Entrance,
    Guest,
    LobbySettings,
    LoginStage,
    OfferedGames,
    PlayerLines,
    RunningGames,
)
from gtp_variants.site.lobby.observers import Metrics, Observers
from gtp_variants.site.lobby.pairing import Pair, pairs

# So many games begin before those that are on have their turn.
_BEGUN_AT_ONCE = 4
# Of so many games that are over viewers are told.
_MATCHES_TOLD = 40


class PairingSource(Protocol):
    """Somebody who lets games begin, such as those of a tournament, before all others are paired."""

    def pair(self) -> set[str]:
        """Begin what can begin; the names that are to be paired for nothing else."""

    def finish(self, game: AccountGame) -> None:
        """A game is over, whoever began it."""


class Lobby:
    """One server, without its sockets. Times are those of the monotonic clock."""

    def __init__(
        self,
        settings: LobbySettings,
        store: ServerStore,
        folder: Path,
        log: Callable[[str], None],
        rng: Random | None = None,
        show: Callable[[AccountGame], None] = lambda game: None,
    ) -> None:
        """Records come into the folder, and what cannot be read of the store; `show` is told how each game
        stands when a clock begins to run, and at its end.

        Raises SpecError or PeerUnfit for a game that cannot be hosted, OSError for a store that cannot be read.
        """
        self.offered = OfferedGames(settings.specs)
        self.settings = settings
        self.metrics = Metrics()
        self.guests: dict[str, Guest] = {}
        # Whoever has a line open: players, viewers, and those who have not said yet what they are.
        self._connected: dict[Guest, None] = {}
        self.matchmakers: list[PairingSource] = []
        self.is_empty = asyncio.Event()
        self._is_closing = False
        self._store = store
        self._log = log
        self._rng = rng or Random()
        self._show = show
        self.anchors = Anchors(settings.anchors)
        self._met = store.met()
        # Counted here: a game that could not be written has its number, too.
        self._numbers = itertools.count(store.next_number())
        checks = PasswordChecks(load_key(folder / "session.key"), HashQueue())
        self._logins = Logins(store, checks, log, is_open=settings.is_open, new_accounts=settings.new_accounts)
        self.bans = Bans(store)
        self.running = RunningGames()
        self._lines = PlayerLines(self.guests)
        self.entrance = Entrance(
            settings, self.guests, self.running, self.offered, self._logins, self.bans, self.anchors, log
        )
        self._observers = Observers(settings.viewers, settings.viewers_from_one_address)
        self._background = BackgroundWork()
        self._keeper = GameKeeper(store, folder, self.anchors, log, self._background)
        # Nobody is there yet: the clock of whoever is to move begins with this process.
        for game in self._keeper.load_running().values():
            self.running.begin(game)
            game.hosted.clocks.start()
            show(game)
        self._keeper.file_missing()
        if self.running:
            log(f"{len(self.running)} games go on")
        self.metrics.gauge("viewers", lambda: len(self._observers))
        self.metrics.gauge("players", lambda: len(self.guests))
        self.metrics.gauge("games", lambda: len(self.running))
        self.metrics.gauge("waiting_passwords", lambda: self._logins.waiting)

    def close(self) -> None:
        """The server ends: who leaves now is known again when it is back."""
        self._is_closing = True
        self._background.finish()
        self._logins.close()

    # -- connections ---------------------------------------------------------------------------------------------------

    def enter(self, guest: Guest) -> None:
        """Somebody connected."""
        self.metrics.add("connections")
        self._connected[guest] = None
        if guest.stage == LoginStage.PROTOCOL:
            guest.say("protocol variants")

    def leave(self, guest: Guest) -> None:
        """A connection is gone; its game goes on."""
        guest.is_gone = True
        self._connected.pop(guest, None)
        self._observers.leave(guest)
        if self.guests.get(guest.name) is guest:
            del self.guests[guest.name]
            self._log(f"{guest.name} left")

    def receive(self, guest: Guest, line: str) -> None:
        """Take in a line, that with the password left out. Raises Refused for what ends the connection."""
        text = line.strip()
        match guest.stage:
            case LoginStage.PROTOCOL:
                self._introduce(guest, text.split())
            case LoginStage.NAME:
                guest.name, guest.stage = check_name(text), LoginStage.PASSWORD
                guest.say("password")
            case LoginStage.PLAYING:
                self._answer(guest, text)
            case LoginStage.WATCHING:
                self._observers.receive(guest, text, self.running)
            case LoginStage.WAITING | LoginStage.OVER if text.lower() == "quit":
                guest.hang_up()
            case LoginStage.OVER if text.lower() == "ready" and self.guests.get(guest.name) is guest:
                guest.stage, guest.game = LoginStage.WAITING, None
                self._resume(guest)

    def _introduce(self, guest: Guest, words: Sequence[str]) -> None:
        guest.program = printable(" ".join(words[1:2]))[:40]
        if words[:1] == ["v1"]:
            guest.is_told = "variants" in words[2:]
            self._observers.enter(guest, self._store.latest(_MATCHES_TOLD), self.running.values())
        else:
            self.entrance.introduce(guest, words)

    async def log_in(self, guest: Guest, line: str) -> None:
        """Take in the line with the password. Raises Refused."""
        if await self.entrance.log_in(guest, line):
            self.metrics.add("logins")
            self._resume(guest)

    def note_refusal(self, guest: Guest, why: str) -> None:
        """A connection is closed for a reason."""
        self.metrics.add("refusals")
        self.entrance.note_refusal(guest, why)

    @property
    def is_draining(self) -> bool:
        """Whether no more games begin, and the server ends after those that are on."""
        return self.entrance.is_draining

    def _resume(self, guest: Guest) -> None:
        """Seat somebody at a game of theirs that is on; there may be two where the end of one could not be written."""
        game = self.running.find_with(guest.name)
        if game is None:
            return
        self._lines.seat(guest, game)
        if game.hosted.clocks.is_started and game.asked == game.colour(guest.name):
            self._lines.ask(game)

    # -- games ---------------------------------------------------------------------------------------------------------

    def pair(self) -> None:
        """Let those begin who wait."""
        self._keeper.keep_late()
        self._logins.forget_all_but(self.guests.keys() | self.running.names)
        if self.is_draining:
            self._leave_if_empty()
            return
        busy = {name for matchmaker in self.matchmakers for name in matchmaker.pair()}
        waiting = {
            name: self.offered.find_playable(guest)
            for name, guest in self.guests.items()
            if guest.stage == LoginStage.WAITING and name not in busy
        }
        self._background.add(self._begin_all(pairs(waiting, self._met, self._rng)))

    def _begin_all(self, groups: Iterator[list[Pair]]) -> Iterator[None]:
        """Begin games, a few at each step."""
        for group in groups:
            for first in range(0, len(group), _BEGUN_AT_ONCE):
                for pair in group[first : first + _BEGUN_AT_ONCE]:
                    self._begin_if_waiting(pair)
                yield
            if not group:
                yield

    def _begin_if_waiting(self, pair: Pair) -> None:
        guests = [self.guests.get(name) for name in (pair.black, pair.white)]
        if self._is_closing or self.is_draining:
            return
        if all(guest is not None and guest.stage == LoginStage.WAITING for guest in guests):
            self.begin(pair)

    def rating(self, name: str) -> float:
        """The rating of an account."""
        return self._account(name).rating

    def begin(self, pair: Pair, event: str = "") -> AccountGame:
        """Let two play who wait; `event` is the tournament it belongs to."""
        settings = self.settings
        number = next(self._numbers)
        names = {BLACK: pair.black, WHITE: pair.white}
        ratings = {colour: self._account(name).shown for colour, name in names.items()}
        game = AccountGame.new(
            number, pair.spec, names, settings.level_s, settings.gift_s, ratings=ratings, event=event
        )
        self._met[pair.black, pair.white, pair.spec] += 1
        self._keeper.keep(game)
        self.running.begin(game)
        self._observers.begin(game)
        self._log(f"game {number}: {pair.black} plays {pair.white}, {pair.spec}")
        for name in names.values():
            self._lines.seat(self.guests[name], game)
        if settings.pause_s:
            asyncio.get_running_loop().call_later(settings.pause_s, self._start, game)
        else:
            self._start(game)
        return game

    def _account(self, name: str) -> Account:
        account = self._store.account(name)
        assert account is not None
        return self.anchors.fix(account)

    def _start(self, game: AccountGame) -> None:
        if not game.hosted.clocks.is_started and game.asked is not None:
            game.hosted.clocks.start()
            self._show(game)
            for _, guest in self._lines.guests_at(game):
                guest.refresh()
            self._lines.ask(game)

    def _answer(self, guest: Guest, text: str) -> None:
        """A move, if one was asked for: what comes at another time is not read."""
        game = guest.game
        if game is None or game.number not in self.running or not game.hosted.clocks.is_started or not text:
            return
        if game.asked == game.colour(guest.name):
            since_s = time.perf_counter()
            game.play(text.split()[0])
            self._go_on(game)
            self.metrics.add("moves")
            self.metrics.time_move(time.perf_counter() - since_s)

    def _go_on(self, game: AccountGame) -> None:
        """Something happened: it is written before anybody is told, and then the next move is asked for."""
        self._keeper.keep(game)
        self._lines.tell(game)
        self._show(game)
        self._observers.show(game)
        if game.result:
            self._finish(game)
        else:
            self._lines.ask(game)

    def tick(self) -> None:
        """End the games in which somebody has no time left."""
        for game in list(self.running.values()):
            if game.flag():
                self._go_on(game)

    def _finish(self, game: AccountGame) -> None:
        self.running.end(game)
        self.metrics.add("finished_games")
        self._log(f"game {game.number}: {game.result} ({game.hosted.why})")
        self._lines.end(game)
        for matchmaker in self.matchmakers:
            matchmaker.finish(game)
        self._leave_if_empty()

    # -- who runs the server -------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Begin no more games; `is_empty` is set when the last one is over."""
        self.entrance.is_draining = True
        self._log("no more games begin; the server ends after those that are on")
        self.tell_all("the server ends when the games that are on are over")
        self._leave_if_empty()

    def _leave_if_empty(self) -> None:
        if self.is_draining and not self.running:
            self.is_empty.set()

    def tell_all(self, text: str) -> None:
        """Say something to everybody who has logged in."""
        for guest in self.guests.values():
            guest.say(f"info {printable(text)}")

    def send_away(self, guest: Guest, why: str) -> None:
        """Close somebody's line for a reason."""
        self.note_refusal(guest, why)
        guest.say(f"Error: {why}")
        guest.hang_up()

    def abort(self, game: AccountGame, why: str) -> None:
        """End a game without a result."""
        game.hosted.end("Abort", why)
        self._go_on(game)

    def find_guests(self, whom: str) -> Iterator[Guest]:
        """The player of a name, or whoever has a line open from an address or its network: viewers, too."""
        place = banned_as(whom) if "/" in whom else plain_address(whom.lower())
        for guest in list(self._connected):
            is_named = self.guests.get(guest.name) is guest and guest.name.lower() == whom.lower()
            if is_named or place in (guest.address, guest.network):
                yield guest

    def viewers(self) -> Iterable[tuple[Guest, list[int]]]:
        """Who watches by the line protocol, each with the numbers of the games that they watch."""
        return self._observers.viewers()
