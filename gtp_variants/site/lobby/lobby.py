"""The lobby of the server: who is there, who plays whom, whose clock runs.

It knows connections only as somebody to say lines to.
"""

import asyncio
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Protocol

from gtp_variants.base.connection_gate import TokenBuckets, plain_address
from gtp_variants.errors import Refused
from gtp_variants.records.json import to_json
from gtp_variants.records.record import printable
from gtp_variants.rules import GAMES
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.site.access.accounts import PERSON, Account, Anchors, check_name
from gtp_variants.site.access.logins import Bans, Logins, banned_as
from gtp_variants.site.access.passwords import HashQueue, PasswordChecks, load_key
from gtp_variants.site.lobby.account_game import AccountGame, find_untold_options, rules_to_host
from gtp_variants.site.lobby.account_store import ServerStore
from gtp_variants.site.lobby.game_keeper import BackgroundWork, GameKeeper
from gtp_variants.site.lobby.observers import Guest as Guest, LoginStage as LoginStage, Metrics, Observers
from gtp_variants.site.lobby.pairing import Pair, pairs

# So many games begin before those that are on have their turn.
_BEGUN_AT_ONCE = 4
# Of so many games that are over viewers are told.
_MATCHES_TOLD = 40
# Refusals of one network that are logged at once, and a second.
_REFUSALS, _REFUSALS_A_SECOND = 50.0, 1.0


@dataclass(frozen=True, slots=True)
class LobbySettings:
    """What is played and how: SPECs, seconds a side, seconds a move that cost nothing, seconds before the first.

    `is_open`: an unknown name gets an account when it logs in, at most `new_accounts` an hour from one network. So many
    `players` may be logged in, `from_one_address` of them from one network; `reserved` of them must have a game that
    is on. Beside them so many `viewers` may watch. `anchors` are ratings that stay as they are, by account.
    """

    specs: tuple[str, ...]
    level_s: float = 300.0
    gift_s: float = 0.25
    pause_s: float = 3.0
    is_open: bool = True
    new_accounts: int = 20
    players: int = 1000
    reserved: int = 100
    from_one_address: int = 300
    viewers: int = 200
    viewers_from_one_address: int = 20
    anchors: Mapping[str, float] = field(default_factory=dict)


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
        games = [rules_to_host(spec) for spec in settings.specs]
        self.specs = tuple(rules.spec for rules in games)
        self._known_specs = {rules.spec: (rules.name, find_untold_options(rules)) for rules in games}
        self.settings = settings
        self.metrics = Metrics()
        self.guests: dict[str, Guest] = {}
        # Whoever has a line open: players, viewers, and those who have not said yet what they are.
        self._connected: dict[Guest, None] = {}
        self.matchmakers: list[PairingSource] = []
        self.is_draining = False
        self.is_empty = asyncio.Event()
        self._is_closing = False
        self._store = store
        self._log = log
        self._rng = rng or Random()
        self._show = show
        self.anchors = Anchors(settings.anchors)
        self._refusals = TokenBuckets(_REFUSALS, _REFUSALS_A_SECOND)
        self._met = store.met()
        # Counted here: a game that could not be written has its number, too.
        self._numbers = itertools.count(store.next_number())
        checks = PasswordChecks(load_key(folder / "session.key"), HashQueue())
        self._logins = Logins(store, checks, log, is_open=settings.is_open, new_accounts=settings.new_accounts)
        self.bans = Bans(store)
        self._observers = Observers(settings.viewers, settings.viewers_from_one_address)
        self._background = BackgroundWork()
        self._keeper = GameKeeper(store, folder, self.anchors, log, self._background)
        # Nobody is there yet: the clock of whoever is to move begins with this process.
        self.running: dict[int, AccountGame] = {}
        self._games_of = defaultdict[str, list[AccountGame]](list)
        for game in self._keeper.load_running().values():
            self._add(game)
            game.hosted.clocks.start()
            show(game)
        self._keeper.file_missing()
        if self.running:
            log(f"{len(self.running)} games go on")
        self.metrics.gauge("viewers", lambda: len(self._observers))
        self.metrics.gauge("players", lambda: len(self.guests))
        self.metrics.gauge("games", lambda: len(self.running))
        self.metrics.gauge("waiting_passwords", lambda: self._logins.waiting)

    def _add(self, game: AccountGame) -> None:
        self.running[game.number] = game
        for name in game.names.values():
            self._games_of[name].append(game)

    def close(self) -> None:
        """The server ends: who leaves now is known again when it is back."""
        self._is_closing = True
        self._background.finish()
        self._logins.close()

    # -- connections ---------------------------------------------------------------------------------------------------

    def is_banned(self, address: str) -> bool:
        """Whether an address, or its network, is not let in."""
        return self.bans.why(address) is not None

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

    def note_refusal(self, guest: Guest, why: str) -> None:
        """A connection is closed for a reason: a line of the log that programs such as fail2ban can read."""
        self.metrics.add("refusals")
        # Who comes a hundred times a second fills no disk.
        if self._refusals.take(guest.network, time.monotonic()):
            self._log(f"refused {guest.address} {printable(guest.name)[:32] or '-'}: {why}")

    def receive(self, guest: Guest, line: str) -> None:
        """Take in a line, that with the password left out. Raises Refused for what ends the connection."""
        text = line.strip()
        match guest.stage:
            case LoginStage.PROTOCOL:
                self._introduce(guest, text)
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

    def _introduce(self, guest: Guest, text: str) -> None:
        words = text.split()
        guest.program = printable(" ".join(words[1:2]))[:40]
        if words[:1] == ["v1"]:
            guest.is_told = "variants" in words[2:]
            self._observers.enter(guest, self._store.latest(_MATCHES_TOLD), self.running.values())
            return
        if words[:1] != ["e1"]:
            raise Refused("login", "invalid response: expected `e1 NAME/VERSION`, or `v1 NAME/VERSION` to watch")
        offered = next((word for word in words[2:] if word.partition("=")[0] == "variants"), None)
        if offered is not None:
            guest.is_told = True
            guest.games = frozenset(GAMES).intersection(offered.partition("=")[2].lower().split(","))
        guest.stage = LoginStage.NAME
        guest.say("username")

    async def log_in(self, guest: Guest, line: str) -> None:
        """Take in the line with the password. Raises Refused."""
        old, _, new = line.strip().partition(" ")
        if (why := self.bans.why(guest.name)) is not None:
            raise Refused("login", f"this account is banned{why and ': '}{why}")
        self._expect_room(guest)
        plays = self._running_of(guest.name) is not None
        account = await self._logins.open(guest.name, old, guest.network, guest.kind, plays=plays)
        if account.kind != guest.kind:
            where = "plays from the page" if account.kind == PERSON else "is a bot's and does not play from the page"
            raise Refused("login", f"the account {account.name} {where}")
        if new:
            await self._logins.change_password(account, new)
        if guest.is_gone:
            return
        running = self._running_of(account.name)
        if running is not None and not guest.is_told and find_untold_options(running.rules):
            raise Refused("login", f"your game {running.number} goes on, and it needs a client that says `variants`")
        self._expect_room(guest)
        guest.name = account.name
        before = self.guests.get(account.name)
        if before is not None:
            before.say("info another login is being attempted using this user name")
            # Lines of theirs that still come are nobody's moves.
            before.stage, before.game = LoginStage.OVER, None
            before.hang_up()
        self.guests[account.name] = guest
        guest.stage = LoginStage.WAITING
        self.metrics.add("logins")
        shown = self.anchors.fix(account).shown
        games = ", ".join(sorted(guest.games))
        self._log(f"{account.name} ({shown}) logged in from {guest.address} for {games}")
        self._tell_of_games(guest)
        self._resume(guest)

    def _expect_room(self, guest: Guest) -> None:
        """Raises Refused where there is no room; who has a seat, or a game that is on, always comes in."""
        settings, name = self.settings, guest.name
        if self._running_of(name) is not None or any(name.lower() == other.lower() for other in self.guests):
            return
        if self.is_draining:
            raise Refused("login", "the server is about to end, and only games that are on are played")
        if len(self.guests) >= settings.players - settings.reserved:
            raise Refused("login", "the server is full; come back later")
        beside = sum(each.network == guest.network for each in self.guests.values())
        if beside >= settings.from_one_address:
            raise Refused("login", "too many connections from your address; come back later")

    def _tell_of_games(self, guest: Guest) -> None:
        """Say what somebody is not paired for who might expect it."""
        playable = self._playable(guest)
        for spec in self.specs:
            name, untold = self._needs(spec)
            if spec not in playable and name in guest.games:
                self._log(f"{guest.name} is not paired for {spec}: CGOS has no words for {', '.join(untold)}")
        if not playable:
            guest.say("info no game is played here that your client says it can play")
            self._log(f"{guest.name} can play no game of this server and is not paired")

    def _running_of(self, name: str) -> AccountGame | None:
        games = self._games_of.get(name) or next(
            (games for other, games in self._games_of.items() if other.lower() == name.lower()), None
        )
        return games[0] if games else None

    def _resume(self, guest: Guest) -> None:
        """Seat somebody at a game of theirs that is on; there may be two where the end of one could not be written."""
        game = self._running_of(guest.name)
        if game is None:
            return
        self._seat(guest, game)
        if game.hosted.clocks.is_started and game.asked == game.colour(guest.name):
            self._ask(game)

    # -- games ---------------------------------------------------------------------------------------------------------

    def pair(self) -> None:
        """Let those begin who wait."""
        self._keeper.keep_late()
        self._logins.forget_all_but({*self.guests, *self._games_of})
        if self.is_draining:
            self._leave_if_empty()
            return
        busy = {name for matchmaker in self.matchmakers for name in matchmaker.pair()}
        waiting = {
            name: self._playable(guest)
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

    def _playable(self, guest: Guest) -> Sequence[str]:
        return [spec for spec in self.specs if self.can_play(guest, spec)]

    def can_play(self, guest: Guest, spec: str) -> bool:
        """Whether somebody may be paired for a game, and can be told of it."""
        name, untold = self._needs(spec)
        return name in guest.games and (guest.is_told or not untold)

    def _needs(self, spec: str) -> tuple[str, list[str]]:
        """The game of a SPEC, and what a client of CGOS cannot be told of it."""
        if spec not in self._known_specs:
            rules = rules_to_host(spec)
            self._known_specs[spec] = rules.name, find_untold_options(rules)
        return self._known_specs[spec]

    def is_playing(self, name: str) -> bool:
        """Whether a game of an account is on."""
        return self._running_of(name) is not None

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
        self._add(game)
        self._observers.begin(game)
        self._log(f"game {number}: {pair.black} plays {pair.white}, {pair.spec}")
        for name in names.values():
            self._seat(self.guests[name], game)
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
            for _, guest in self._guests_at(game):
                guest.refresh()
            self._ask(game)

    def _guests_at(self, game: AccountGame) -> Iterator[tuple[int, Guest]]:
        """Those of its two players who are there, with their colours."""
        for colour, name in game.names.items():
            guest = self.guests.get(name)
            if guest is not None and guest.game is game:
                yield colour, guest

    def _seat(self, guest: Guest, game: AccountGame) -> None:
        """Tell somebody the game from its beginning."""
        colour = game.colour(guest.name)
        guest.game, guest.stage = game, LoginStage.PLAYING
        guest.told = len(game.game.events)
        if guest.is_told:
            guest.say(game.lines.opening(colour))
            for line in game.lines.lines_for(colour, 0, with_own=True):
                guest.say(line)
        guest.say(game.lines.setup(with_moves=not guest.is_told))

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
            since_s = time.perf_counter()
            game.play(text.split()[0])
            self._go_on(game)
            self.metrics.add("moves")
            self.metrics.time_move(time.perf_counter() - since_s)

    def _go_on(self, game: AccountGame) -> None:
        """Something happened: it is written before anybody is told, and then the next move is asked for."""
        self._keeper.keep(game)
        for colour, guest in self._guests_at(game):
            self._tell(guest, colour, game)
        self._show(game)
        self._observers.show(game)
        if game.result:
            self._finish(game)
        else:
            self._ask(game)

    def _tell(self, guest: Guest, colour: int, game: AccountGame) -> None:
        for line in game.lines.lines_for(colour, guest.told, with_own=False):
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
        for name in game.names.values():
            self._games_of[name].remove(game)
            if not self._games_of[name]:
                del self._games_of[name]
        self.metrics.add("finished_games")
        self._log(f"game {game.number}: {game.result} ({game.hosted.why})")
        record = game.record()
        for _, guest in self._guests_at(game):
            guest.stage = LoginStage.OVER
            if guest.is_told:
                guest.say(f"record {to_json(record)}")
            guest.say(game.lines.gameover())
        for matchmaker in self.matchmakers:
            matchmaker.finish(game)
        self._leave_if_empty()

    # -- who runs the server -------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Begin no more games; `is_empty` is set when the last one is over."""
        self.is_draining = True
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
