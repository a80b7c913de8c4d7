"""The guests of a server: their connections and logins, and the lines sent to them during a game."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.errors import Refused
from gtp_variants.players.clock import TimeControl
from gtp_variants.records.json import to_json
from gtp_variants.records.record import printable
from gtp_variants.rules import GAMES, find_games, game_class
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.site.access.accounts import BOT, PERSON, Account
from gtp_variants.site.access.logins import Bans, Logins
from gtp_variants.site.access.visitors import shown_name
from gtp_variants.site.lobby.account_game import AccountGame, find_untold_options, rules_to_host
from gtp_variants.site.refusals import PageRefused

# Maximum logged refusals of one network: at once, and per second.
_REFUSALS, _REFUSALS_A_SECOND = 50.0, 1.0


class LoginStage(IntEnum):
    """The stage of a connection. From WAITING on, its client has logged in or is a viewer."""

    PROTOCOL = 0
    NAME = 1
    PASSWORD = 2
    CHECKING = 3
    WAITING = 4
    PLAYING = 5
    OVER = 6
    WATCHING = 7


@dataclass(frozen=True, slots=True)
class Seek:
    """An offer of a game by one player, to everybody or `to` one. `low` and `high` bound the other's rating."""

    number: int
    spec: str
    title: str
    control: TimeControl
    is_rated: bool
    low: int
    high: int
    to: str


@dataclass(eq=False, slots=True)
class Guest:
    """A connection: functions to send a line and to close it, its address, and what the client said about itself."""

    say: Callable[[str], None]
    hang_up: Callable[[], None]
    address: str = ""
    network: str = ""
    stage: LoginStage = LoginStage.PROTOCOL
    name: str = ""
    program: str = ""
    kind: str = BOT
    # The games for which the client may be paired, and whether it understands the extensions to CGOS, and agreements.
    games: frozenset[str] = frozenset(find_games(lambda cls: cls.profile.is_go))
    is_told: bool = False
    agrees: bool = False
    game: AccountGame | None = None
    # The number of events of `game` that have been sent to the client.
    told: int = 0
    is_gone: bool = False
    # For people: called with the game at which they are seated. They play it through another connection.
    take_seat: Callable[[AccountGame], None] | None = None
    # The visitor in whose name a person's seats are kept, and the game that the person offers.
    visitor: str = ""
    seek: Seek | None = None

    @property
    def is_in(self) -> bool:
        """True if the client has logged in or is a viewer."""
        return self.stage >= LoginStage.WAITING

    def refuse(self, why: str) -> None:
        """Say why the connection is closed, and close it."""
        self.say(f"Error: {why}")
        self.hang_up()


class Guests(dict[str, Guest]):
    """The players logged in, by name."""

    def find(self, name: str) -> Guest | None:
        """Return the player with this name, ignoring case, or None if there is none."""
        return self.get(name) or next((each for word, each in self.items() if word.lower() == name.lower()), None)


class OfferedGames:
    """The SPECs a server offers, and which guests can play each."""

    def __init__(self, specs: Sequence[str]) -> None:
        """Read the SPECs. Raises SpecError or PeerUnfit for a game that cannot be hosted."""
        self.specs = tuple(rules_to_host(spec).spec for spec in specs)
        self._needs: dict[str, tuple[str, list[str]]] = {}

    def find_needs(self, spec: str) -> tuple[str, list[str]]:
        """Return the name of the game in a SPEC, and the facts that plain CGOS cannot state."""
        if spec not in self._needs:
            rules = rules_to_host(spec)
            self._needs[spec] = rules.name, find_untold_options(rules)
        return self._needs[spec]

    def can_play(self, guest: Guest, spec: str) -> bool:
        """Return True if a guest may be paired for a game, and the protocol can tell its client all the rules."""
        name, untold = self.find_needs(spec)
        return name in guest.games and (guest.is_told or not untold)

    def find_playable(self, guest: Guest) -> list[str]:
        """Return the offered SPECs that a guest can play."""
        return [spec for spec in self.specs if self.can_play(guest, spec)]


class RunningGames(dict[int, AccountGame]):
    """The games in progress, by number."""

    def find_with(self, name: str) -> AccountGame | None:
        """Return an account's first game in progress that is not played over days, or None. Case does not matter."""
        known = name.lower()
        return next((game for game in self.values() if known in game.players and not game.is_slow), None)


class PlayerLines:
    """Sends the lines of games to their connected players. `guests` are the players logged in, by name."""

    def __init__(self, guests: Mapping[str, Guest]) -> None:
        self._guests = guests

    def guests_at(self, game: AccountGame) -> Iterator[tuple[int, Guest]]:
        """Yield the connected players of a game, with their colours."""
        for colour, name in game.names.items():
            guest = self._guests.get(name)
            if guest is not None and guest.game is game:
                yield colour, guest

    def seat(self, guest: Guest, game: AccountGame) -> None:
        """Seat a guest at a game, and send a program the game from the beginning."""
        colour = game.colour(guest.name)
        guest.game, guest.stage, guest.seek = game, LoginStage.PLAYING, None
        guest.told = game.lines.told_count
        if guest.take_seat is not None:
            guest.take_seat(game)
            return
        if guest.is_told:
            guest.say(game.lines.opening(colour))
            for line in game.lines.for_seat(colour, 0, with_own=True):
                guest.say(line)
        guest.say(game.lines.setup(with_moves=not guest.is_told))

    def ask(self, game: AccountGame) -> None:
        for colour, guest in self.guests_at(game):
            if colour == game.asked:
                left_s = game.hosted.clocks.clock(colour).left_s
                guest.say(f"genmove {COLOUR_LETTERS[colour]} {max(0, int(left_s * 1000))}")

    def tell(self, game: AccountGame) -> None:
        """Send both players the new events of a game."""
        for colour, guest in self.guests_at(game):
            for line in game.lines.for_seat(colour, guest.told, with_own=False):
                if guest.is_told or line.startswith("play"):
                    guest.say(line)
            guest.told = game.lines.told_count

    def end(self, game: AccountGame) -> None:
        record = game.record()
        for _, guest in self.guests_at(game):
            guest.stage = LoginStage.OVER
            if guest.is_told:
                guest.say(f"record {to_json(record)}")
            guest.say(game.lines.gameover())


@dataclass(frozen=True, slots=True)
class LobbySettings:
    """The settings of a lobby: the games, the clocks, and the limits on accounts and connections."""

    specs: tuple[str, ...] = field(default_factory=lambda: tuple(game_class(name).profile.small_spec for name in GAMES))
    # Seconds per side, free seconds per move, and seconds before the first move.
    level_s: float = 300.0
    gift_s: float = 0.25
    pause_s: float = 3.0
    # If open, logging in under an unknown name creates an account: at most `new_accounts` per hour from one network.
    is_open: bool = True
    new_accounts: int = 20
    # Maximum players logged in, places among them reserved for games in progress, and maximum from one network.
    players: int = 1000
    reserved: int = 100
    from_one_address: int = 300
    # Maximum viewers in addition to the players, and maximum from one network.
    viewers: int = 200
    viewers_from_one_address: int = 20
    # Whether guests and their games are forgotten after a time; on somebody's own computer they are kept.
    forgets_guests: bool = True


@dataclass(eq=False, slots=True)
class Entrance:
    """Admits players by their first lines, with a name and a password, if there is room."""

    _settings: LobbySettings
    _guests: Guests
    _running: RunningGames
    _offered: OfferedGames
    _logins: Logins
    _bans: Bans
    _log: Callable[[str], None]
    # Once draining, only players with a game in progress are admitted.
    is_draining: bool = False
    _refusals: TokenBuckets = field(default_factory=lambda: TokenBuckets(_REFUSALS, _REFUSALS_A_SECOND))

    def is_banned(self, address: str) -> bool:
        return self._bans.why(address) is not None

    def note_refusal(self, guest: Guest, why: str) -> None:
        """Log why a connection is closed, in a form for programs such as fail2ban."""
        # Limit the rate, so that a flood of connections cannot fill the disk.
        if self._refusals.take(guest.network, time.monotonic()):
            self._log(f"refused {guest.address} {printable(guest.name)[:32] or '-'}: {why}")

    def introduce(self, guest: Guest, words: Sequence[str]) -> None:
        """Handle the first line of a player. Raises Refused if it is invalid."""
        if words[:1] != ["e1"]:
            raise Refused("login", "invalid response: expected `e1 NAME/VERSION`, or `v1 NAME/VERSION` to watch")
        offered = next((word for word in words[2:] if word.partition("=")[0] == "variants"), None)
        if offered is not None:
            guest.is_told, guest.agrees = True, "agreements" in words[2:]
            guest.games = frozenset(GAMES).intersection(offered.partition("=")[2].lower().split(","))
        guest.stage = LoginStage.NAME
        guest.say("username")

    async def log_in(self, guest: Guest, line: str) -> bool:
        """Handle the password; return False if the connection closed meanwhile. Raises Refused if the login fails."""
        old, _, new = line.strip().partition(" ")
        self._expect_room(guest)
        account = await self.open_account(guest.name, old, guest.network, BOT)
        if new:
            await self._logins.change_password(account, new)
        if guest.is_gone:
            return False
        self.admit(guest, account)
        return True

    async def open_account(self, name: str, password: str, network: str, kind: str) -> Account:
        """Return the account with this name, created if unknown. Raises Refused for a ban or if the login fails."""
        self.expect_welcome(name)
        plays = self._running.find_with(name) is not None
        account = await self._logins.open(name, password, network, kind, plays=plays)
        if account.kind != kind:
            where = "belongs to a person; sign in on the page" if account.kind == PERSON else "belongs to a bot"
            raise Refused("login", f"the account {account.name} {where}")
        return account

    def expect_welcome(self, name: str) -> None:
        """Raise Refused if an account is banned."""
        if (why := self._bans.why(name)) is not None:
            raise Refused("login", f"this account is banned{why and ': '}{why}")

    def expect_visitor(self, visitor: str) -> None:
        """Raise PageRefused if a visitor's account is banned."""
        try:
            self.expect_welcome(shown_name(visitor))
        except Refused as error:
            raise PageRefused("page.sign_in", 403, why=error.answer) from error

    def admit(self, guest: Guest, account: Account) -> None:
        """Let a guest in, replacing an earlier connection. Raises Refused without room or for an unsuitable client."""
        running = self._running.find_with(account.name)
        if running is not None and not guest.is_told and find_untold_options(running.rules):
            raise Refused("login", f"your game {running.number} is in progress and needs a client that says `variants`")
        guest.name = account.name
        self._expect_room(guest)
        before = self._guests.get(account.name)
        if before is not None:
            before.say("info another login is being attempted using this user name")
            # Take the game from the old connection, so that lines still arriving from there are not taken for moves.
            before.stage, before.game = LoginStage.OVER, None
            before.hang_up()
        self._guests[account.name] = guest
        guest.stage = LoginStage.WAITING
        games = ", ".join(sorted(guest.games))
        self._log(f"{account.name} logged in from {guest.address} for {games}")
        self._tell_of_games(guest)

    def _expect_room(self, guest: Guest) -> None:
        """Raise Refused if there is no room. Players already logged in or with a game in progress have room."""
        settings, name = self._settings, guest.name
        if self._running.find_with(name) is not None or self._guests.find(name) is not None:
            return
        if self.is_draining:
            raise Refused("login", "the server is closing and admits only players with a game in progress")
        if len(self._guests) >= settings.players - settings.reserved:
            raise Refused("login", "the server is full; come back later")
        beside = sum(each.network == guest.network for each in self._guests.values())
        if beside >= settings.from_one_address:
            raise Refused("login", "too many connections from your address; come back later")

    def _tell_of_games(self, guest: Guest) -> None:
        """Log the requested games for which a guest cannot be paired, and tell a guest that can play no game."""
        playable = self._offered.find_playable(guest)
        for spec in self._offered.specs:
            name, untold = self._offered.find_needs(spec)
            if spec not in playable and name in guest.games:
                self._log(f"{guest.name} is not paired for {spec}: CGOS has no words for {', '.join(untold)}")
        if not playable:
            guest.say("info this server offers no game that your client can play")
            self._log(f"{guest.name} can play no game of this server and is not paired")
