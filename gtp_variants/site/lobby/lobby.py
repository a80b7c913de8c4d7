"""The lobby of the server: who is connected, who plays whom, and whose clock runs."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

from gtp_variants.base.connection_gate import plain_address
from gtp_variants.errors import Refused
from gtp_variants.records.record import printable
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import Account, Anchors, check_name
from gtp_variants.site.access.logins import Bans, Logins, banned_as
from gtp_variants.site.access.passwords import PasswordChecks, load_key
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.account_store import BackgroundWork, GameKeeper, ServerStore
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

# Maximum games begun before the event loop returns to the games in progress.
_BEGUN_AT_ONCE = 4
# Maximum finished games listed for a new viewer.
_MATCHES_TOLD = 40


# Number of games by Black, White and SPEC.
Met = Counter[tuple[str, str, str]]
# Maximum accounts that are compared in one step. More would delay games in progress.
_GROUP = 40


@dataclass(frozen=True, slots=True)
class Pair:
    """A game to begin between two accounts."""

    spec: str
    black: str
    white: str


def pairs(waiting: Mapping[str, Sequence[str]], met: Met, rng: Random) -> Iterator[list[Pair]]:
    """Yield pairs of waiting accounts, in groups. `waiting` has the SPECs that each account can play."""
    names = sorted(waiting)
    rng.shuffle(names)
    for first in range(0, len(names), _GROUP):
        yield _pair_group(names[first : first + _GROUP], waiting, met)


def _pair_group(names: Sequence[str], waiting: Mapping[str, Sequence[str]], met: Met) -> list[Pair]:
    possible = [
        (sum(_times(met, one, other, spec) for spec in common), one, other, common)
        for index, one in enumerate(names)
        for other in names[index + 1 :]
        if (common := [spec for spec in waiting[one] if spec in waiting[other]])
    ]
    found: list[Pair] = []
    taken: set[str] = set()
    for _, one, other, common in sorted(possible, key=lambda each: each[0]):
        if taken.isdisjoint((one, other)):
            taken |= {one, other}
            found.append(_pair(one, other, common, met))
    return found


def _pair(one: str, other: str, common: Sequence[str], met: Met) -> Pair:
    spec = min(common, key=lambda spec: _times(met, one, other, spec))
    if met[one, other, spec] > met[other, one, spec]:
        one, other = other, one
    return Pair(spec, one, other)


def _times(met: Met, one: str, other: str, spec: str) -> int:
    return met[one, other, spec] + met[other, one, spec]


class PairingSource(Protocol):
    """A source of games that come before ordinary pairings, such as a tournament."""

    def pair(self) -> set[str]:
        """Begin the games that can begin. Return the accounts that must not be paired for other games."""

    def finish(self, game: AccountGame) -> None:
        """Handle the end of any game."""


class Lobby:
    """One server without its sockets. Times are read from the monotonic clock."""

    def __init__(
        self,
        settings: LobbySettings,
        store: ServerStore,
        folder: Path,
        log: Callable[[str], None],
        rng: Random | None = None,
    ) -> None:
        """Continue the stored games. Raises VariantsError or OSError on failure."""
        self.offered = OfferedGames(settings.specs)
        self.settings = settings
        self.metrics = Metrics()
        self.guests: dict[str, Guest] = {}
        # All connections: players, viewers, and clients that have not logged in yet.
        self._connected: dict[Guest, None] = {}
        self.matchmakers: list[PairingSource] = []
        self.is_empty = asyncio.Event()
        self._is_closing = False
        self._store, self.database, self.is_signed_in = store, store.database, store.is_signed_in
        self._log = log
        self._rng = rng or Random()
        # Functions called with each game that starts or changes; and a function called when somebody comes or goes.
        self.shows: list[Callable[[AccountGame], None]] = []
        self.note_presence: Callable[[], None] = lambda: None
        # Called with whom the operator sends away, by name, address or network; returns how many boards were closed.
        self.close_boards: Callable[[str], int] = lambda whom: 0
        self.anchors = Anchors(settings.anchors)
        self._met = store.met()
        # Counted in memory, because a game uses up its number even if it cannot be written.
        self._numbers = itertools.count(store.next_number())
        checks = PasswordChecks(load_key(folder / "session.key"))
        self._logins = Logins(store, checks, log, is_open=settings.is_open, new_accounts=settings.new_accounts)
        self.bans = Bans(store)
        self.running = RunningGames()
        self._lines = PlayerLines(self.guests)
        self.entrance = Entrance(
            settings, self.guests, self.running, self.offered, self._logins, self.bans, self.anchors, log
        )
        self.observers = Observers(settings.viewers, settings.viewers_from_one_address)
        self._background = BackgroundWork()
        self._keeper = GameKeeper(store, folder, self.anchors, log, self._background)
        # No player is connected yet, but the clock of the side to move starts with this process.
        for game in self._keeper.load_running().values():
            self.running.begin(game)
            game.start()
        self._keeper.file_missing()
        if self.running:
            log(f"{len(self.running)} games continue")
        self.metrics.gauge("viewers", lambda: len(self.observers))
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
        self.metrics.add("connections")
        self._connected[guest] = None
        if guest.stage == LoginStage.PROTOCOL:
            guest.say("protocol variants")

    def leave(self, guest: Guest) -> None:
        """Remove a closed connection; its game continues."""
        guest.is_gone = True
        self._connected.pop(guest, None)
        self.observers.leave(guest)
        if self.guests.get(guest.name) is guest:
            del self.guests[guest.name]
            self._log(f"{guest.name} left")
            self.note_presence()

    def receive(self, guest: Guest, line: str) -> None:
        """Handle a line, except the password. Raises Refused, which ends the connection, if the line is invalid."""
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
                self.observers.receive(guest, text, self.running)
            case LoginStage.WAITING | LoginStage.OVER if text.lower() == "quit":
                guest.hang_up()
            case LoginStage.OVER if text.lower() == "ready":
                self.seek(guest)

    def seek(self, guest: Guest) -> None:
        """Let a guest in the stage OVER wait for a game."""
        if guest.stage == LoginStage.OVER and self.guests.get(guest.name) is guest:
            guest.stage, guest.game = LoginStage.WAITING, None
            self._resume(guest)

    def _introduce(self, guest: Guest, words: Sequence[str]) -> None:
        guest.program = printable(" ".join(words[1:2]))[:40]
        if words[:1] == ["v1"]:
            guest.is_told = "variants" in words[2:]
            self.observers.enter(guest, self._store.latest(_MATCHES_TOLD), self.running.values())
        else:
            self.entrance.introduce(guest, words)

    async def log_in(self, guest: Guest, line: str) -> None:
        """Handle the line with the password. Raises Refused if the login fails."""
        if await self.entrance.log_in(guest, line):
            self._welcome(guest)

    def admit(self, guest: Guest, name: str) -> None:
        """Admit a person whose browser is signed in to the account of this name. Raises Refused if it is banned."""
        account = self._store.account(name)
        if account is None:
            raise Refused("login", f"there is no account {name}")
        self.entrance.expect_welcome(name)
        self.entrance.admit(guest, account)
        self._welcome(guest)

    def _welcome(self, guest: Guest) -> None:
        self.metrics.add("logins")
        self._resume(guest)
        self.note_presence()

    def note_refusal(self, guest: Guest, why: str) -> None:
        """Count a refused connection and log the reason."""
        self.metrics.add("refusals")
        self.entrance.note_refusal(guest, why)

    def _resume(self, guest: Guest) -> None:
        """Seat a player at their first game in progress. There may be two if an end could not be written."""
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
        if self.entrance.is_draining:
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
        if self._is_closing or self.entrance.is_draining:
            return
        if all(guest is not None and guest.stage == LoginStage.WAITING for guest in guests):
            self.begin(pair)

    def begin(self, pair: Pair, event: str = "") -> AccountGame:
        """Begin a game between two waiting players, as part of the tournament `event` if given."""
        settings = self.settings
        number = next(self._numbers)
        names = {BLACK: pair.black, WHITE: pair.white}
        ratings = {colour: self.account(name).shown for colour, name in names.items()}
        game = AccountGame.new(
            number, pair.spec, names, settings.level_s, settings.gift_s, ratings=ratings, event=event
        )
        self._met[pair.black, pair.white, pair.spec] += 1
        self._keeper.keep(game)
        self.running.begin(game)
        self.observers.begin(game)
        self._log(f"game {number}: {pair.black} plays {pair.white}, {pair.spec}")
        self.note_presence()
        for name in names.values():
            self._lines.seat(self.guests[name], game)
        if settings.pause_s:
            asyncio.get_running_loop().call_later(settings.pause_s, self._start, game)
        else:
            self._start(game)
        return game

    def find_game(self, number: int) -> AccountGame | None:
        """Return a game in progress, or one that is over but could not be written yet."""
        return self.running.get(number) or next((each for each in self._keeper.late if each.number == number), None)

    def account(self, name: str) -> Account:
        """Return an existing account, with its fixed rating if it is an anchor."""
        account = self._store.account(name)
        assert account is not None
        return self.anchors.fix(account)

    def _start(self, game: AccountGame) -> None:
        if not game.hosted.clocks.is_started and game.asked is not None:
            game.start()
            self._show(game)
            self._lines.ask(game)

    def _show(self, game: AccountGame) -> None:
        for show in self.shows:
            show(game)

    def _answer(self, guest: Guest, text: str) -> None:
        """Play the move in a line; ignore the line if it is not the player's turn."""
        game = guest.game
        if game is None or game.number not in self.running or not game.hosted.clocks.is_started or not text:
            return
        if game.asked == game.colour(guest.name):
            since_s = time.perf_counter()
            game.play(text.split()[0])
            self.go_on(game)
            self.metrics.add("moves")
            self.metrics.time_move(time.perf_counter() - since_s)

    def go_on(self, game: AccountGame) -> None:
        """Store a changed game, then send its news and ask for the next move."""
        self._keeper.keep(game)
        self._lines.tell(game)
        self._show(game)
        self.observers.show(game)
        if game.result:
            self._finish(game)
        else:
            self._lines.ask(game)

    def tick(self) -> None:
        """End the games in which a player has no time left."""
        for game in list(self.running.values()):
            if game.flag():
                self.go_on(game)

    def _finish(self, game: AccountGame) -> None:
        self.running.end(game)
        self.metrics.add("finished_games")
        self._log(f"game {game.number}: {game.result} ({game.hosted.why})")
        self._lines.end(game)
        for guest in filter(None, map(self.guests.get, game.names.values())):
            guest.rating = self.account(guest.name).shown
        self.note_presence()
        for matchmaker in self.matchmakers:
            matchmaker.finish(game)
        self._leave_if_empty()

    # -- the operator --------------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Begin no more games; `is_empty` is set after the last game ends."""
        self.entrance.is_draining = True
        self._log("no more games begin; the server ends after the games in progress")
        self.tell_all("the server ends after the games in progress")
        self._leave_if_empty()

    def _leave_if_empty(self) -> None:
        if self.entrance.is_draining and not self.running:
            self.is_empty.set()

    def tell_all(self, text: str) -> None:
        for guest in self.guests.values():
            guest.say(f"info {printable(text)}")

    def send_away(self, guest: Guest, why: str) -> None:
        self.note_refusal(guest, why)
        guest.refuse(why)

    def find_guests(self, whom: str) -> Iterator[Guest]:
        """Yield the player with a name, or all connections from an address or network, including viewers."""
        for guest in list(self._connected):
            name = guest.name if self.guests.get(guest.name) is guest else ""
            if is_meant(whom, name, guest.address, guest.network):
                yield guest


def is_meant(whom: str, name: str, *places: str) -> bool:
    """Return True if the operator's word for somebody, in any case, is this name or stands for one of these places."""
    place = banned_as(whom) if "/" in whom else plain_address(whom.lower())
    return place in places or (bool(name) and name.lower() == whom.lower())
