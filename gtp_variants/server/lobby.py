"""The lobby of the server: who is there, who plays whom, whose clock runs.

It knows connections only as somebody to say lines to.
"""

import asyncio
import itertools
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from random import Random

from gtp_variants.errors import Refused
from gtp_variants.records.files import save
from gtp_variants.records.json import to_json
from gtp_variants.rules import GAMES, find_games, split_spec
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.server.account_game import AccountGame, find_untold_options, rules_to_host
from gtp_variants.server.accounts import Account, Newcomers, check_name, check_password, fits, hash_password, rate
from gtp_variants.server.pairing import Pair, pairs
from gtp_variants.server.store import ServerStore, Unreadable


class LoginStage(IntEnum):
    """Where a connection stands; from WAITING on it has logged in."""

    PROTOCOL = 0
    NAME = 1
    PASSWORD = 2
    CHECKING = 3
    WAITING = 4
    PLAYING = 5
    OVER = 6


# Passwords that are checked at a time: each takes 16 MiB and a processor, which the games need, too.
_CHECKED_AT_ONCE = 2
# What an unknown name costs whoever guesses passwords.
_WRONG_S = 1.0
# Ends of games that wait for a disk that is full.
_MOST_LATE = 100


@dataclass(frozen=True, slots=True)
class LobbySettings:
    """What is played and how: SPECs, seconds a side, seconds a move that cost nothing, seconds before the first.

    `is_open`: an unknown name gets an account when it logs in, at most `new_accounts` an hour from one address.
    """

    specs: tuple[str, ...]
    level_s: float = 300.0
    gift_s: float = 0.25
    pause_s: float = 3.0
    is_open: bool = True
    new_accounts: int = 20


@dataclass(eq=False, slots=True)
class Guest:
    """A connection: how to speak to it and how to close it, where it comes from, and what it said of itself."""

    say: Callable[[str], None]
    hang_up: Callable[[], None]
    address: str = ""
    stage: LoginStage = LoginStage.PROTOCOL
    name: str = ""
    # The games it may be paired for; `is_told` whether it understands the words beyond CGOS.
    games: frozenset[str] = frozenset(find_games(lambda cls: cls.is_go))
    is_told: bool = False
    game: AccountGame | None = None
    # How many events of its game it was told.
    told: int = 0

    @property
    def is_in(self) -> bool:
        """Whether it has logged in."""
        return self.stage >= LoginStage.WAITING


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
        games = [rules_to_host(spec) for spec in settings.specs]
        self.specs = tuple(rules.spec for rules in games)
        # With each SPEC what a client of CGOS cannot be told of it.
        self._untold = {rules.spec: find_untold_options(rules) for rules in games}
        self.settings = settings
        self.guests: dict[str, Guest] = {}
        self._store = store
        self._records, self._aside = folder / "records", folder / "aside"
        self._log = log
        self._rng = rng or Random()
        self._show = show
        self._met = store.met()
        # Counted here: a game that could not be written has its number, too.
        self._numbers = itertools.count(store.next_number())
        self._newcomers = Newcomers(settings.new_accounts)
        self._checking = asyncio.Semaphore(_CHECKED_AT_ONCE)
        # Nobody is there yet: the clock of whoever is to move begins with this process.
        self.running = {game.number: game for game in self._read(store.running())}
        for game in self.running.values():
            game.hosted.clocks.start()
        # Ends of games that could not be written, to be tried again.
        self._late: deque[AccountGame] = deque(maxlen=_MOST_LATE)
        for game in self._read(store.without_record()):
            self._file(game)
        for each in self.running.values():
            show(each)
        if self.running:
            log(f"{len(self.running)} games go on")

    def _read(self, kept: Iterable[AccountGame | Unreadable]) -> Iterator[AccountGame]:
        """The games that can be read; the others are put aside, so that people can look at them."""
        for each in kept:
            if isinstance(each, AccountGame):
                yield each
                continue
            path = self._aside / f"{each.number:06}.jsonl"
            try:
                _write_privately(path, each.lines)
                self._store.put_aside(each.number)
            except OSError as error:
                self._log(f"game {each.number} cannot be read ({each.why}), nor put aside: {error}")
            else:
                self._log(f"game {each.number} cannot be read ({each.why}); it ends, and its lines are in {path}")

    # -- connections ---------------------------------------------------------------------------------------------------

    def enter(self, guest: Guest) -> None:
        """Somebody connected."""
        guest.say("protocol variants")

    def leave(self, guest: Guest) -> None:
        """A connection is gone; its game goes on."""
        if self.guests.get(guest.name) is guest:
            del self.guests[guest.name]
            self._log(f"{guest.name} left")

    async def receive(self, guest: Guest, line: str) -> None:
        """Take in a line. Raises Refused for what ends the connection."""
        text = line.strip()
        match guest.stage:
            case LoginStage.PROTOCOL:
                self._introduce(guest, text)
            case LoginStage.NAME:
                guest.name, guest.stage = check_name(text), LoginStage.PASSWORD
                guest.say("password")
            case LoginStage.PASSWORD:
                guest.stage = LoginStage.CHECKING
                await self._log_in(guest, text)
            case LoginStage.PLAYING:
                self._answer(guest, text)
            case LoginStage.OVER if text.lower() == "ready" and self.guests.get(guest.name) is guest:
                guest.stage, guest.game = LoginStage.WAITING, None
                self._resume(guest)

    def _introduce(self, guest: Guest, text: str) -> None:
        words = text.split()
        if not words or words[0] != "e1":
            raise Refused("login", "invalid response: expected `e1 NAME/VERSION`; there are no viewers here")
        offered = next((word for word in words[2:] if word.partition("=")[0] == "variants"), None)
        if offered is not None:
            guest.is_told = True
            guest.games = frozenset(GAMES).intersection(offered.partition("=")[2].lower().split(","))
        guest.stage = LoginStage.NAME
        guest.say("username")

    async def _log_in(self, guest: Guest, text: str) -> None:
        old, _, new = text.partition(" ")
        account = await self._check(guest, old)
        if new:
            password = await asyncio.to_thread(hash_password, check_password(account.name, new))
            self._keep_account(replace(account, password=password))
        running = self._running_of(account.name)
        if running is not None and not guest.is_told and find_untold_options(running.rules):
            raise Refused("login", f"your game {running.number} goes on, and it needs a client that says `variants`")
        guest.name = account.name
        before = self.guests.get(account.name)
        if before is not None:
            before.say("info another login is being attempted using this user name")
            # Lines of theirs that still come are nobody's moves.
            before.stage, before.game = LoginStage.OVER, None
            before.hang_up()
        self.guests[account.name] = guest
        guest.stage = LoginStage.WAITING
        self._log(f"{account.name} ({account.shown}) logged in for {', '.join(sorted(guest.games))}")
        self._tell_of_games(guest)
        self._resume(guest)

    def _tell_of_games(self, guest: Guest) -> None:
        """Say what somebody is not paired for who might expect it."""
        playable = self._playable(guest)
        for spec in self.specs:
            if spec not in playable and split_spec(spec)[0].name in guest.games:
                unsaid = ", ".join(self._untold[spec])
                self._log(f"{guest.name} is not paired for {spec}: CGOS has no words for {unsaid}")
        if not playable:
            guest.say("info no game is played here that your client says it can play")
            self._log(f"{guest.name} can play no game of this server and is not paired")

    def _running_of(self, name: str) -> AccountGame | None:
        return next((each for each in self.running.values() if name in each.names.values()), None)

    def _resume(self, guest: Guest) -> None:
        """Seat somebody at a game of theirs that is on; there may be two where the end of one could not be written."""
        game = self._running_of(guest.name)
        if game is None:
            return
        self._seat(guest, game)
        if game.hosted.clocks.is_started and game.asked == game.colour(guest.name):
            self._ask(game)

    async def _check(self, guest: Guest, password: str) -> Account:
        """The account that this password opens; an unknown name may get one. Raises Refused."""
        name = guest.name
        check_password(name, password)
        async with self._checking:
            account = self._store.account(name)
            if account is None:
                self._admit(guest)
                made = Account(name, await asyncio.to_thread(hash_password, password))
                # Another connection may have made it meanwhile.
                account = self._store.account(name)
                if account is None:
                    self._keep_account(made)
                    self._log(f"{name}: a new account, from {guest.address}")
                    return made
            if await asyncio.to_thread(fits, account.password, password):
                return account
        await asyncio.sleep(_WRONG_S)
        raise Refused("login", "Sorry, password doesn't match")

    def _admit(self, guest: Guest) -> None:
        """Raises Refused for whom no account is made."""
        if not self.settings.is_open:
            raise Refused("login", "no account has this user name; who runs the server makes them")
        if not self._newcomers.admit(guest.address, time.monotonic()):
            raise Refused("login", "too many new accounts from your address; come back in an hour")

    # -- games ---------------------------------------------------------------------------------------------------------

    def pair(self) -> None:
        """Let those begin who wait."""
        self._keep_late()
        waiting = {
            name: self._playable(guest) for name, guest in self.guests.items() if guest.stage == LoginStage.WAITING
        }
        for pair in pairs(waiting, self._met, self._rng):
            self._begin(pair)

    def _playable(self, guest: Guest) -> Sequence[str]:
        return [
            spec
            for spec in self.specs
            if split_spec(spec)[0].name in guest.games and (guest.is_told or not self._untold[spec])
        ]

    def _begin(self, pair: Pair) -> None:
        settings = self.settings
        number = next(self._numbers)
        names = {BLACK: pair.black, WHITE: pair.white}
        ratings = {colour: self._account(name).shown for colour, name in names.items()}
        game = AccountGame.new(number, pair.spec, names, settings.level_s, settings.gift_s, ratings=ratings)
        self._met[pair.black, pair.white, pair.spec] += 1
        self._write(game)
        self.running[number] = game
        self._log(f"game {number}: {pair.black} plays {pair.white}, {pair.spec}")
        for name in names.values():
            self._seat(self.guests[name], game)
        if settings.pause_s:
            asyncio.get_running_loop().call_later(settings.pause_s, self._start, game)
        else:
            self._start(game)

    def _write(self, game: AccountGame) -> None:
        """A full disk does not stop a game."""
        try:
            self._store.write(game)
        except OSError as error:
            self._log(str(error))

    def _keep_account(self, account: Account) -> None:
        """Raises Refused."""
        try:
            self._store.write_account(account)
        except OSError as error:
            self._log(str(error))
            raise Refused("login", "the server cannot write; come back later") from None

    def _account(self, name: str) -> Account:
        account = self._store.account(name)
        assert account is not None
        return account

    def _start(self, game: AccountGame) -> None:
        if not game.hosted.clocks.is_started and game.asked is not None:
            game.hosted.clocks.start()
            self._show(game)
            self._ask(game)

    def _seat(self, guest: Guest, game: AccountGame) -> None:
        """Tell somebody the game from its beginning."""
        colour = game.colour(guest.name)
        guest.game, guest.stage = game, LoginStage.PLAYING
        guest.told = len(game.game.events)
        if guest.is_told:
            guest.say(game.opening(colour))
            for line in game.lines_for(colour, 0, with_own=True):
                guest.say(line)
        guest.say(game.setup(with_moves=not guest.is_told))

    def _ask(self, game: AccountGame) -> None:
        colour = game.asked
        if colour is None:
            return
        guest = self.guests.get(game.names[colour])
        if guest is not None and guest.game is game:
            left_s = game.hosted.clocks.clock(colour).left_s
            guest.say(f"genmove {COLOUR_LETTERS[colour]} {max(0, int(left_s * 1000))}")

    def _answer(self, guest: Guest, text: str) -> None:
        """A move, if one was asked for: what comes at another time is not read."""
        game = guest.game
        if game is None or game.number not in self.running or not game.hosted.clocks.is_started or not text:
            return
        if game.asked == game.colour(guest.name):
            game.play(text.split()[0])
            self._go_on(game)

    def _go_on(self, game: AccountGame) -> None:
        """Something happened: it is written before anybody is told, and then the next move is asked for."""
        if game.result:
            self._keep_end(game)
        else:
            self._write(game)
        for colour, name in game.names.items():
            guest = self.guests.get(name)
            if guest is not None and guest.game is game:
                self._tell(guest, colour, game)
        self._show(game)
        if game.result:
            self._finish(game)
        else:
            self._ask(game)

    def _tell(self, guest: Guest, colour: int, game: AccountGame) -> None:
        for line in game.lines_for(colour, guest.told, with_own=False):
            if guest.is_told or line.startswith("play"):
                guest.say(line)
        guest.told = len(game.game.events)

    def tick(self) -> None:
        """End the games in which somebody has no time left."""
        for game in list(self.running.values()):
            if game.flag():
                self._go_on(game)

    def _finish(self, game: AccountGame) -> None:
        del self.running[game.number]
        self._log(f"game {game.number}: {game.result} ({game.hosted.why})")
        record = game.record()
        for name in game.names.values():
            guest = self.guests.get(name)
            if guest is not None and guest.game is game:
                guest.stage = LoginStage.OVER
                if guest.is_told:
                    guest.say(f"record {to_json(record)}")
                guest.say(game.gameover())

    def _keep_end(self, game: AccountGame) -> None:
        """Write the end of a game with its ratings; what cannot be written now is tried again."""
        try:
            self._store.end(game, self._rate(game))
        except OSError as error:
            self._log(str(error))
            self._late.append(game)
        else:
            self._file(game)

    def _keep_late(self) -> None:
        """Write the ends of games that could not be written before."""
        while self._late:
            try:
                self._store.end(self._late[0], self._rate(self._late[0]))
            except OSError:
                return
            self._file(self._late.popleft())

    def _rate(self, game: AccountGame) -> Sequence[Account]:
        """Both accounts as they are after a game; none if it has no winner and is no draw, or an account is gone."""
        score = {"B": 1.0, "W": 0.0, "D": 0.5}.get(game.result[:1])
        black, white = (self._store.account(game.names[colour]) for colour in (BLACK, WHITE))
        if score is None or black is None or white is None:
            return ()
        ratings = zip((black, white), rate(black, white, score), strict=True)
        return [replace(account, rating=rating, games=account.games + 1) for account, rating in ratings]

    def _file(self, game: AccountGame) -> None:
        """Write the record of a game that is over to a file of its own; the next start tries again what failed."""
        black, white = game.names[BLACK], game.names[WHITE]
        try:
            self._records.mkdir(parents=True, exist_ok=True)
            save(game.record(), self._records / f"{game.number:06}-{black}-{white}.sgf")
            self._store.file(game.number)
        except OSError as error:
            self._log(f"game {game.number}: its record cannot be kept: {error}")


def _write_privately(path: Path, lines: Iterable[str]) -> None:
    """Write lines where only the user can read them. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
