"""The guests of a server: who is connected, how they log in, what they can play, and what they are told at a game."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.errors import Refused
from gtp_variants.records.json import to_json
from gtp_variants.records.record import printable
from gtp_variants.rules import GAMES, find_games
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.site.access.accounts import BOT, PERSON, Anchors
from gtp_variants.site.access.logins import Bans, Logins
from gtp_variants.site.lobby.account_game import AccountGame, find_untold_options, rules_to_host

# Refusals of one network that are logged at once, and a second.
_REFUSALS, _REFUSALS_A_SECOND = 50.0, 1.0


class LoginStage(IntEnum):
    """Where a connection stands; from WAITING on it has logged in, or watches."""

    PROTOCOL = 0
    NAME = 1
    PASSWORD = 2
    CHECKING = 3
    WAITING = 4
    PLAYING = 5
    OVER = 6
    WATCHING = 7


@dataclass(eq=False, slots=True)
class Guest:
    """A connection: how to speak to it and how to close it, its address and network, and what it said of itself.

    `refresh` is for who sees the game and not only its lines: it looks different, and no line tells them of it.
    """

    say: Callable[[str], None]
    hang_up: Callable[[], None]
    address: str = ""
    network: str = ""
    stage: LoginStage = LoginStage.PROTOCOL
    name: str = ""
    program: str = ""
    kind: str = BOT
    # The games it may be paired for; `is_told` whether it understands the words beyond CGOS.
    games: frozenset[str] = frozenset(find_games(lambda cls: cls.profile.is_go))
    is_told: bool = False
    game: AccountGame | None = None
    # How many events of its game it was told.
    told: int = 0
    is_gone: bool = False
    refresh: Callable[[], None] = lambda: None

    @property
    def is_in(self) -> bool:
        """Whether it has logged in."""
        return self.stage >= LoginStage.WAITING


class OfferedGames:
    """The SPECs that a server offers, and who can play which."""

    def __init__(self, specs: Sequence[str]) -> None:
        """Raises SpecError or PeerUnfit for a game that cannot be hosted."""
        games = [rules_to_host(spec) for spec in specs]
        self.specs = tuple(rules.spec for rules in games)
        self._needs = {rules.spec: (rules.name, find_untold_options(rules)) for rules in games}

    def find_needs(self, spec: str) -> tuple[str, list[str]]:
        """The game of a SPEC, and what a client of CGOS cannot be told of it."""
        if spec not in self._needs:
            rules = rules_to_host(spec)
            self._needs[spec] = rules.name, find_untold_options(rules)
        return self._needs[spec]

    def can_play(self, guest: Guest, spec: str) -> bool:
        """Whether somebody may be paired for a game, and can be told of it."""
        name, untold = self.find_needs(spec)
        return name in guest.games and (guest.is_told or not untold)

    def find_playable(self, guest: Guest) -> list[str]:
        """The SPECs on offer that somebody can play."""
        return [spec for spec in self.specs if self.can_play(guest, spec)]


class RunningGames(dict[int, AccountGame]):
    """The games that are on, by number and by the names of their players."""

    def __init__(self) -> None:
        super().__init__()
        self._games_of = defaultdict[str, list[AccountGame]](list)

    @property
    def names(self) -> set[str]:
        """The accounts that have a game."""
        return set(self._games_of)

    def begin(self, game: AccountGame) -> None:
        """Add a game."""
        self[game.number] = game
        for name in game.names.values():
            self._games_of[name].append(game)

    def end(self, game: AccountGame) -> None:
        """Remove a game."""
        del self[game.number]
        for name in game.names.values():
            self._games_of[name].remove(game)
            if not self._games_of[name]:
                del self._games_of[name]

    def find_with(self, name: str) -> AccountGame | None:
        """The first game of an account, however its name is capitalised; None if it has none."""
        games = self._games_of.get(name) or next(
            (games for other, games in self._games_of.items() if other.lower() == name.lower()), None
        )
        return games[0] if games else None


class PlayerLines:
    """Tells the players of games what happens, as far as they are there: `guests` are those logged in, by name."""

    def __init__(self, guests: Mapping[str, Guest]) -> None:
        self._guests = guests

    def guests_at(self, game: AccountGame) -> Iterator[tuple[int, Guest]]:
        """Those of its two players who are there, with their colours."""
        for colour, name in game.names.items():
            guest = self._guests.get(name)
            if guest is not None and guest.game is game:
                yield colour, guest

    def seat(self, guest: Guest, game: AccountGame) -> None:
        """Tell somebody the game from its beginning."""
        colour = game.colour(guest.name)
        guest.game, guest.stage = game, LoginStage.PLAYING
        guest.told = len(game.game.events)
        if guest.is_told:
            guest.say(game.lines.opening(colour))
            for line in game.lines.for_seat(colour, 0, with_own=True):
                guest.say(line)
        guest.say(game.lines.setup(with_moves=not guest.is_told))

    def ask(self, game: AccountGame) -> None:
        """Ask for the next move."""
        colour = game.asked
        if colour is None:
            return
        guest = self._guests.get(game.names[colour])
        if guest is not None and guest.game is game:
            left_s = game.hosted.clocks.clock(colour).left_s
            guest.say(f"genmove {COLOUR_LETTERS[colour]} {max(0, int(left_s * 1000))}")

    def tell(self, game: AccountGame) -> None:
        """Tell both players what they have not been told of a game."""
        for colour, guest in self.guests_at(game):
            for line in game.lines.for_seat(colour, guest.told, with_own=False):
                if guest.is_told or line.startswith("play"):
                    guest.say(line)
            guest.told = len(game.game.events)

    def end(self, game: AccountGame) -> None:
        """Tell both players that a game is over."""
        record = game.record()
        for _, guest in self.guests_at(game):
            guest.stage = LoginStage.OVER
            if guest.is_told:
                guest.say(f"record {to_json(record)}")
            guest.say(game.lines.gameover())


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


class Entrance:
    """Lets connections in: by their first lines, with a name and a password, and where there is room."""

    def __init__(
        self,
        settings: LobbySettings,
        guests: dict[str, Guest],
        running: RunningGames,
        offered: OfferedGames,
        logins: Logins,
        bans: Bans,
        anchors: Anchors,
        log: Callable[[str], None],
    ) -> None:
        self._settings, self._guests, self._running, self._offered = settings, guests, running, offered
        self._logins, self._bans, self._anchors, self._log = logins, bans, anchors, log
        # Only those come in who have a game that is on.
        self.is_draining = False
        self._refusals = TokenBuckets(_REFUSALS, _REFUSALS_A_SECOND)

    def is_banned(self, address: str) -> bool:
        """Whether an address, or its network, is not let in."""
        return self._bans.why(address) is not None

    def note_refusal(self, guest: Guest, why: str) -> None:
        """A connection is closed for a reason: a line of the log that programs such as fail2ban can read."""
        # Who comes a hundred times a second fills no disk.
        if self._refusals.take(guest.network, time.monotonic()):
            self._log(f"refused {guest.address} {printable(guest.name)[:32] or '-'}: {why}")

    def introduce(self, guest: Guest, words: Sequence[str]) -> None:
        """Take in the first line of a player. Raises Refused."""
        if words[:1] != ["e1"]:
            raise Refused("login", "invalid response: expected `e1 NAME/VERSION`, or `v1 NAME/VERSION` to watch")
        offered = next((word for word in words[2:] if word.partition("=")[0] == "variants"), None)
        if offered is not None:
            guest.is_told = True
            guest.games = frozenset(GAMES).intersection(offered.partition("=")[2].lower().split(","))
        guest.stage = LoginStage.NAME
        guest.say("username")

    async def log_in(self, guest: Guest, line: str) -> bool:
        """Take in the line with the password; False if the connection is gone meanwhile. Raises Refused."""
        old, _, new = line.strip().partition(" ")
        if (why := self._bans.why(guest.name)) is not None:
            raise Refused("login", f"this account is banned{why and ': '}{why}")
        self._expect_room(guest)
        plays = self._running.find_with(guest.name) is not None
        account = await self._logins.open(guest.name, old, guest.network, guest.kind, plays=plays)
        if account.kind != guest.kind:
            where = "plays from the page" if account.kind == PERSON else "is a bot's and does not play from the page"
            raise Refused("login", f"the account {account.name} {where}")
        if new:
            await self._logins.change_password(account, new)
        if guest.is_gone:
            return False
        running = self._running.find_with(account.name)
        if running is not None and not guest.is_told and find_untold_options(running.rules):
            raise Refused("login", f"your game {running.number} goes on, and it needs a client that says `variants`")
        self._expect_room(guest)
        guest.name = account.name
        before = self._guests.get(account.name)
        if before is not None:
            before.say("info another login is being attempted using this user name")
            # Lines of theirs that still come are nobody's moves.
            before.stage, before.game = LoginStage.OVER, None
            before.hang_up()
        self._guests[account.name] = guest
        guest.stage = LoginStage.WAITING
        shown = self._anchors.fix(account).shown
        games = ", ".join(sorted(guest.games))
        self._log(f"{account.name} ({shown}) logged in from {guest.address} for {games}")
        self._tell_of_games(guest)
        return True

    def _expect_room(self, guest: Guest) -> None:
        """Raises Refused where there is no room; who has a seat, or a game that is on, always comes in."""
        settings, name = self._settings, guest.name
        if self._running.find_with(name) is not None or any(name.lower() == other.lower() for other in self._guests):
            return
        if self.is_draining:
            raise Refused("login", "the server is about to end, and only games that are on are played")
        if len(self._guests) >= settings.players - settings.reserved:
            raise Refused("login", "the server is full; come back later")
        beside = sum(each.network == guest.network for each in self._guests.values())
        if beside >= settings.from_one_address:
            raise Refused("login", "too many connections from your address; come back later")

    def _tell_of_games(self, guest: Guest) -> None:
        """Say what somebody is not paired for who might expect it."""
        playable = self._offered.find_playable(guest)
        for spec in self._offered.specs:
            name, untold = self._offered.find_needs(spec)
            if spec not in playable and name in guest.games:
                self._log(f"{guest.name} is not paired for {spec}: CGOS has no words for {', '.join(untold)}")
        if not playable:
            guest.say("info no game is played here that your client says it can play")
            self._log(f"{guest.name} can play no game of this server and is not paired")
