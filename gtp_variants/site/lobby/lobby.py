"""The lobby of the server: who is connected, who plays whom, and whose clock runs; and the choice of pairings.

A connection is no more to it than a function that sends lines.
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

# Games begun before the event loop returns to the games in progress.
_BEGUN_AT_ONCE = 4
# Finished games told to a new viewer.
_MATCHES_TOLD = 40


class PairingSource(Protocol):
    """A source of games that come before ordinary pairings, such as a tournament."""

    def pair(self) -> set[str]:
        """Begin the games that can begin; return the accounts not to be paired otherwise."""

    def finish(self, game: AccountGame) -> None:
        """Handle the end of any game."""


class Lobby:
    """One server without its sockets. Times are those of the monotonic clock."""

    def __init__(
        self,
        settings: LobbySettings,
        store: ServerStore,
        folder: Path,
        log: Callable[[str], None],
        rng: Random | None = None,
        show: Callable[[AccountGame], None] = lambda game: None,
    ) -> None:
        """Continue the games of the store; `show` is called whenever a game's clock starts, and at its end.

        Records, and games that cannot be read, are written into the folder. Raises SpecError or PeerUnfit for a game
        that cannot be hosted, OSError if the store cannot be read.
        """
        self.offered = OfferedGames(settings.specs)
        self.settings = settings
        self.metrics = Metrics()
        self.guests: dict[str, Guest] = {}
        # All connections: players, viewers, and those that have not logged in yet.
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
        # Counted here: a game uses up its number even if it cannot be written.
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
        # No player is connected yet, but the clock of the side to move starts with this process.
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
        """Finish background work and stop; the sessions of players who leave now are kept."""
        self._is_closing = True
        self._background.finish()
        self._logins.close()

    # -- connections ---------------------------------------------------------------------------------------------------

    def enter(self, guest: Guest) -> None:
        """Register a new connection."""
        self.metrics.add("connections")
        self._connected[guest] = None
        if guest.stage == LoginStage.PROTOCOL:
            guest.say("protocol variants")

    def leave(self, guest: Guest) -> None:
        """Remove a closed connection; its game continues."""
        guest.is_gone = True
        self._connected.pop(guest, None)
        self._observers.leave(guest)
        if self.guests.get(guest.name) is guest:
            del self.guests[guest.name]
            self._log(f"{guest.name} left")

    def receive(self, guest: Guest, line: str) -> None:
        """Handle a line, except the one with the password. Raises Refused, which ends the connection."""
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
        """Handle the line with the password. Raises Refused."""
        if await self.entrance.log_in(guest, line):
            self.metrics.add("logins")
            self._resume(guest)

    def note_refusal(self, guest: Guest, why: str) -> None:
        """Count and log why a connection is closed."""
        self.metrics.add("refusals")
        self.entrance.note_refusal(guest, why)

    @property
    def is_draining(self) -> bool:
        """True if no more games begin, and the server ends after those in progress."""
        return self.entrance.is_draining

    def _resume(self, guest: Guest) -> None:
        """Seat a player at their game in progress; there may be two if the end of one could not be written."""
        game = self.running.find_with(guest.name)
        if game is None:
            return
        self._lines.seat(guest, game)
        if game.hosted.clocks.is_started and game.asked == game.colour(guest.name):
            self._lines.ask(game)

    # -- games ---------------------------------------------------------------------------------------------------------

    def pair(self) -> None:
        """Begin games between waiting players."""
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
        return self._account(name).rating

    def begin(self, pair: Pair, event: str = "") -> AccountGame:
        """Begin a game between two waiting players, for the tournament `event` if given."""
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
        """Play the move in a line; a line from a player who is not to move is ignored."""
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
        """Write a changed game, then tell it and ask for the next move."""
        self._keeper.keep(game)
        self._lines.tell(game)
        self._show(game)
        self._observers.show(game)
        if game.result:
            self._finish(game)
        else:
            self._lines.ask(game)

    def tick(self) -> None:
        """End the games in which a player has no time left."""
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

    # -- the operator --------------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Begin no more games; `is_empty` is set after the last one ends."""
        self.entrance.is_draining = True
        self._log("no more games begin; the server ends after the games in progress")
        self.tell_all("the server ends after the games in progress")
        self._leave_if_empty()

    def _leave_if_empty(self) -> None:
        if self.is_draining and not self.running:
            self.is_empty.set()

    def tell_all(self, text: str) -> None:
        """Send a message to everybody who has logged in."""
        for guest in self.guests.values():
            guest.say(f"info {printable(text)}")

    def send_away(self, guest: Guest, why: str) -> None:
        """Close a connection for a reason."""
        self.note_refusal(guest, why)
        guest.say(f"Error: {why}")
        guest.hang_up()

    def abort(self, game: AccountGame, why: str) -> None:
        game.hosted.end("Abort", why)
        self._go_on(game)

    def find_guests(self, whom: str) -> Iterator[Guest]:
        """Yield the player of a name, or all connections, viewers too, from an address or its network."""
        place = banned_as(whom) if "/" in whom else plain_address(whom.lower())
        for guest in list(self._connected):
            is_named = self.guests.get(guest.name) is guest and guest.name.lower() == whom.lower()
            if is_named or place in (guest.address, guest.network):
                yield guest

    def viewers(self) -> Iterable[tuple[Guest, list[int]]]:
        """Return the viewers, each with the numbers of the games they watch."""
        return self._observers.viewers()
