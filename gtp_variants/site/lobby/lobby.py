"""The lobby of the server: who is connected, who plays whom, and whose clock runs."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, count
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Protocol

from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.errors import RecordError, Refused
from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import AGREE, SINGLE_DIE
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.levels import opponents_of
from gtp_variants.records.files import write
from gtp_variants.records.record import printable
from gtp_variants.records.sgf.own_format import sgf_pieces
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.site.access.accounts import GUEST, Account, check_name
from gtp_variants.site.access.logins import Bans, Logins
from gtp_variants.site.access.passwords import PasswordChecks, load_key
from gtp_variants.site.access.visitors import is_guest, shown_name
from gtp_variants.site.game_store import GameLine, GameRows, GameStore, NewRatings, line_of
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import (
    Entrance,
    Guest,
    Guests,
    LobbySettings,
    LoginStage,
    OfferedGames,
    PlayerLines,
    RunningGames,
)
from gtp_variants.site.lobby.observers import Metrics, Observers
from gtp_variants.site.page.listeners import BrowserLine, PageLimits
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.page_games import PageGames
from gtp_variants.site.site_file import SiteStore

# Seconds for which guests are remembered after their last game, and between looks for guests to be forgotten.
_GUESTS_KEPT_S, _FORGETTING_S = 90 * 86_400.0, 86_400.0
# Nodes of a record written in one step, which takes a millisecond or two on a large board.
_NODES_AT_ONCE = 16


class GameFiles:
    """The files in a lobby's `folder`: the record of each finished game, and the lines of unreadable games."""

    def __init__(self, store: GameStore, folder: Path, log: Callable[[str], None]) -> None:
        self._store, self._log = store, log
        self._records, self._aside = folder / "records", folder / "aside"

    def read(self, stored: Sequence[GameRows]) -> Iterator[AccountGame]:
        """Yield the readable games; end the others and write their lines to files."""
        for each in stored:
            try:
                game = each.replay()
                assert isinstance(game, AccountGame)
                yield game
            except RecordError as error:
                self._put_aside(each, str(error))

    def _put_aside(self, stored: GameRows, why: str) -> None:
        assert stored.number is not None
        path = self._aside / f"{stored.number:06}.jsonl"
        try:
            self._aside.mkdir(mode=0o700, parents=True, exist_ok=True)
            write(path, "".join(f"{line}\n" for _, line in stored.lines).encode(), 0o600)
            self._store.put_aside(stored.number)
        except OSError as error:
            self._log(f"game {stored.number} cannot be read ({why}) or put aside: {error}")
        else:
            self._log(f"game {stored.number} cannot be read ({why}); it was ended, and its lines are in {path}")

    async def file_missing(self) -> None:
        """Write the records that an earlier process could not write. Raises OSError if the games cannot be read."""
        for game in self.read(self._store.find_unfiled(is_over=True)):
            await self.file(game)

    def remove(self, number: int) -> None:
        """Remove the record of a game."""
        for path in self._records.glob(f"{number:06}-*.sgf"):
            path.unlink(missing_ok=True)

    async def file(self, game: AccountGame) -> None:
        """Write the record of a finished game into a file, in small steps between moves of other games."""
        path = self._records / f"{game.number:06}-{game.names[BLACK]}-{game.names[WHITE]}.sgf"
        pieces: list[str] = []
        try:
            for piece in sgf_pieces(game.record()):
                pieces.append(piece)
                if len(pieces) % _NODES_AT_ONCE == 0:
                    await asyncio.sleep(0)
            self._records.mkdir(parents=True, exist_ok=True)
            write(path, "".join(pieces).encode())
            self._store.file(game.number)
        except OSError as error:
            self._log(f"cannot write the record of game {game.number}: {error}")


# Maximum games begun before the event loop returns to the games in progress.
_BEGUN_AT_ONCE = 4
# Maximum finished games listed for a new viewer.
_MATCHES_TOLD = 40
# The score of Black by the first letter of a result.
_SCORES = {"B": 1.0, "W": 0.0, "D": 0.5}


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
        possible = [
            (sum(_times(met, one, other, spec) for spec in common), one, other, common)
            for one, other in combinations(names[first : first + _GROUP], 2)
            if (common := [spec for spec in waiting[one] if spec in waiting[other]])
        ]
        found: dict[str, Pair] = {}
        for _, one, other, common in sorted(possible, key=itemgetter(0)):
            if one not in found and other not in found:
                found[one] = found[other] = _pair(one, other, common, met)
        yield list(dict.fromkeys(found.values()))


def _pair(one: str, other: str, common: Sequence[str], met: Met) -> Pair:
    spec = min(common, key=lambda spec: _times(met, one, other, spec))
    if met[one, other, spec] > met[other, one, spec]:
        one, other = other, one
    return Pair(spec, one, other)


def _times(met: Met, one: str, other: str, spec: str) -> int:
    return met[one, other, spec] + met[other, one, spec]


class PairingSource(Protocol):
    """A source of games that come before ordinary pairings, such as a tournament.

    The `reserved` accounts, in lower case, begin no other games. `pair` begins the games that can begin. `finish` hears
    of the end of any game, and `forget` of an account's, which has another name in the store. `describe` returns the
    news for the browsers in the lobby.
    """

    @property
    def reserved(self) -> set[str]: ...
    def pair(self) -> None: ...
    def finish(self, game: AccountGame) -> None: ...
    def forget(self, name: str) -> None: ...
    def describe(self) -> list[Json]: ...


class Lobby:
    """One server without its sockets. Times are read from the monotonic clock."""

    def __init__(
        self,
        settings: LobbySettings,
        store: SiteStore,
        folder: Path,
        log: Callable[[str], None],
        rng: Random | None = None,
        opponents: Opponents | None = None,
        limits: PageLimits | None = None,
    ) -> None:
        """Continue the stored games. Raises VariantsError or OSError on failure."""
        self.offered = OfferedGames(settings.specs)
        self.settings = settings
        self.metrics = Metrics()
        self.guests = Guests()
        # All connections: players, viewers, and clients that have not logged in yet.
        self.connected: dict[Guest, None] = {}
        self.matchmakers: list[PairingSource] = []
        # The browsers in the lobby, each with its visitor.
        self.browsers: dict[BrowserLine, str] = {}
        # Rated games that have ended lately, the latest last.
        self.results = deque[GameLine](maxlen=_MATCHES_TOLD)
        # Since when accounts that were signed out are to be looked at, and when guests are forgotten next (time.time).
        self._looked_s, self._forgets_s = time.time(), 0.0
        self.is_empty = asyncio.Event()
        self.accounts, self._store, self.file = store.accounts, store.games, store.path
        self._log, self._rng = log, rng or Random()
        # Called when somebody comes or goes.
        self.note_presence: Callable[[], None] = lambda: None
        self._met = self._store.met()
        # Counted in memory, because a game uses up its number even if it cannot be written.
        self._numbers = count(self._store.next_number())
        checks = PasswordChecks(load_key(folder / "session.key"))
        self.logins = Logins(store.accounts, checks, log, is_open=settings.is_open, new_accounts=settings.new_accounts)
        self.logins.note_wrong = self._warn
        self.bans = Bans(store.accounts)
        self.running = RunningGames()
        self._lines = PlayerLines(self.guests)
        self.entrance = Entrance(settings, self.guests, self.running, self.offered, self.logins, self.bans, log)
        self.observers = Observers(settings.viewers, settings.viewers_from_one_address)
        self._tasks = BackgroundTasks(lambda error: log(str(error)), OSError)
        self._files = GameFiles(store.games, folder, log)
        self.games = PageGames(store.games, limits, opponents)
        self.games.go_on_in_lobby, self.games.rate = self._go_on, self._rate
        self.games.expect_welcome = self.entrance.expect_visitor
        # No player is connected yet, but the clock of the side to move starts with this process.
        for game in self._files.read(store.games.find_unfiled(is_over=False)):
            self.running[game.number] = game
            game.start()
            self.games.host(game)
        self._tasks.start(self._files.file_missing())
        if self.running:
            log(f"{len(self.running)} games continue")
        self.metrics.gauges |= {
            "viewers": lambda: len(self.observers),
            "players": lambda: len(self.guests),
            "games": lambda: len(self.running),
            "waiting_passwords": lambda: self.logins.waiting,
        }

    def close(self) -> None:
        """Stop. A record that is not written yet is written at the next start."""
        self._tasks.stop()
        self.logins.close()

    # -- connections ---------------------------------------------------------------------------------------------------

    def enter(self, guest: Guest) -> None:
        self.metrics.add("connections")
        self.connected[guest] = None
        if guest.stage == LoginStage.PROTOCOL:
            guest.say("protocol variants agreements")

    def leave(self, guest: Guest) -> None:
        """Remove a closed connection; its game continues."""
        guest.is_gone = True
        self.connected.pop(guest, None)
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
            self.observers.enter(guest, self._store.results(most=_MATCHES_TOLD)[::-1], self.running.values())
        else:
            self.entrance.introduce(guest, words)

    async def log_in(self, guest: Guest, line: str) -> None:
        """Handle the line with the password. Raises Refused if the login fails."""
        if await self.entrance.log_in(guest, line):
            self._welcome(guest)

    def admit(self, guest: Guest, visitor: str) -> None:
        """Admit a person in a browser, a guest or signed in to an account. Raises Refused for a ban or without room."""
        name = shown_name(visitor)
        account = Account(name, "", GUEST) if is_guest(visitor) else self.accounts.find(name)
        if account is None:
            raise Refused("login", f"there is no account {name}")
        self.entrance.expect_welcome(name)
        guest.kind, guest.visitor = account.kind, visitor
        self.entrance.admit(guest, account)
        self._welcome(guest)

    def _welcome(self, guest: Guest) -> None:
        self.metrics.add("logins")
        self._warn(guest.name)
        # Do not resume the game of a person on a page, who may look at the lobby during a game.
        if guest.take_seat is None:
            self._resume(guest)
        self.note_presence()

    def _warn(self, name: str) -> None:
        """Tell the owner of an account, if connected, how many wrong passwords were given for it."""
        guest = self.guests.get(name)
        if guest is not None and (count := self.logins.guesses.take_count(name)):
            guest.say(f"info {count} wrong passwords were given for your account")

    def delete_account(self, name: str) -> None:
        """Delete an account. Raises Refused while it has a game or a tournament in progress."""
        if self.is_reserved(name) or any(name in game.names.values() for game in self.running.values()):
            raise Refused("delete", "finish your games first")
        if (guest := self.guests.get(name)) is not None:
            guest.hang_up()
            self.leave(guest)
        nobody = self.accounts.delete(name)
        for line in [each for each in self.results if name in (each.black, each.white)]:
            self.results.remove(line)
        self.close_signed_out(name)
        self.games.forget_player(name, nobody)
        for matchmaker in self.matchmakers:
            matchmaker.forget(name)

    def close_signed_out(self, *names: str) -> None:
        """Close the boards and lobbies that accounts opened before they were signed out or got a new password."""
        boards = {each: each.visitor for each in self.games.listeners.all()}
        for line, visitor in [*boards.items(), *self.browsers.items()]:
            if visitor in names and not self.accounts.is_signed_in(visitor, line.opened_s):
                line.is_lost.set()

    def keep_house(self, now_s: float) -> None:
        """Close the sockets of accounts that the operator gave another password, and forget guests once a day."""
        try:
            since_s, self._looked_s = self._looked_s, now_s
            self.close_signed_out(*self.accounts.changed_since(since_s))
            if self.settings.forgets_guests and now_s >= self._forgets_s:
                self._forgets_s = now_s + _FORGETTING_S
                for number in self.games.forget_guests(now_s - _GUESTS_KEPT_S):
                    self._files.remove(number)
        except OSError as error:
            self._log(str(error))

    def draw_colours(self, spec: str, one: str, other: str) -> tuple[str, str]:
        """Return two players as Black and White: Black has had fewer such games as Black, or is chosen by chance."""
        first, second = self._rng.sample((one, other), 2)
        pair = _pair(first, second, [spec], self._met)
        return pair.black, pair.white

    def note_refusal(self, guest: Guest, why: str) -> None:
        """Count a refused connection and log the reason."""
        self.metrics.add("refusals")
        self.entrance.note_refusal(guest, why)

    def _resume(self, guest: Guest) -> None:
        """Seat a player at their first game in progress. There may be two if an end could not be written."""
        if (game := self.running.find_with(guest.name)) is not None:
            self._lines.seat(guest, game)
            if game.hosted.clocks.is_started and game.asked == game.colour(guest.name):
                self._lines.ask(game)

    # -- games ---------------------------------------------------------------------------------------------------------

    def pair(self) -> None:
        """Begin games between waiting players."""
        self.games.keep_late()
        self.keep_house(time.time())
        if self.entrance.is_draining:
            self._leave_if_empty()
            return
        for matchmaker in self.matchmakers:
            matchmaker.pair()
        waiting = {
            name: self.offered.find_playable(guest)
            for name, guest in self.guests.items()
            if guest.stage == LoginStage.WAITING and not self.is_reserved(name)
        }
        self._tasks.start(self._begin_all(pairs(waiting, self._met, self._rng)))

    def is_reserved(self, name: str) -> bool:
        """Return True if an account plays in a tournament, and must begin no other games."""
        return any(name.lower() in matchmaker.reserved for matchmaker in self.matchmakers)

    async def _begin_all(self, groups: Iterator[list[Pair]]) -> None:
        for group in groups:
            for number, pair in enumerate(group, 1):
                guests = [self.guests.get(name) for name in (pair.black, pair.white)]
                are_waiting = all(guest is not None and guest.stage == LoginStage.WAITING for guest in guests)
                if are_waiting and not self.entrance.is_draining:
                    self.begin(pair)
                if number % _BEGUN_AT_ONCE == 0:
                    await asyncio.sleep(0)
            await asyncio.sleep(0)

    def begin(
        self, pair: Pair, event: str = "", control: TimeControl | None = None, is_rated: bool = True
    ) -> AccountGame:
        """Begin a game between two waiting players, as part of the tournament `event` if given.

        A player who is not here is an opponent of this package.
        """
        settings, number = self.settings, next(self._numbers)
        names, played = {BLACK: pair.black, WHITE: pair.white}, self.offered.find_needs(pair.spec)[0]
        players = {colour: self.guests[name] for colour, name in names.items() if name in self.guests}
        ours = {each.account: each for each in opponents_of(played)}
        game = AccountGame.new(
            number,
            pair.spec,
            names,
            settings.level_s,
            settings.gift_s,
            ratings={colour: self.accounts.rating(name, played).shown for colour, name in names.items()},
            event=event,
            control=control,
            owners={colour: each.visitor or each.name for colour, each in players.items()},
            is_rated=is_rated and all(each.kind != GUEST for each in players.values()),
            opponents={colour: ours[name] for colour, name in names.items() if colour not in players},
        )
        self._met[pair.black, pair.white, pair.spec] += 1
        self.games.host(game)
        self.running[number] = game
        self.observers.begin(game)
        self._log(f"game {number}: {pair.black} plays {pair.white}, {pair.spec}")
        self.note_presence()
        for each in players.values():
            self._lines.seat(each, game)
        if settings.pause_s:
            asyncio.get_running_loop().call_later(settings.pause_s, self._start, game)
        else:
            self._start(game)
        return game

    def _start(self, game: AccountGame) -> None:
        if not game.hosted.clocks.is_started and game.asked is not None:
            game.start()
            self.games.announce_change(game)

    def _answer(self, guest: Guest, text: str) -> None:
        """Play the move in a line; ignore the line if it is not the player's turn."""
        game = guest.game
        if game is None or game.number not in self.running or not game.hosted.clocks.is_started or not text:
            return
        colour = game.colour(guest.name)
        if guest.agrees and text.startswith(("propose ", "accept ", "decline")):
            self._negotiate(game, colour, text)
        elif game.asked == colour:
            since_s = time.perf_counter()
            game.play(text.split()[0])
            self.games.announce_change(game)
            self.metrics.add("moves")
            self.metrics.time_move(time.perf_counter() - since_s)

    def _negotiate(self, game: AccountGame, colour: int, text: str) -> None:
        """Pass an offer of a single die on to the other side, or its answer; then the side to move is asked again."""
        word, _, agreement = text.partition(" ")
        others = [guest for other, guest in self._lines.guests_at(game) if other != colour and guest.agrees]
        if (game.asked != colour) if word == "propose" else (game.hosted.agreements.find(AGREE) is None):
            return
        with suppress(RequestRefused):
            if word == "accept":
                game.hosted.accept(colour)
            elif word == "decline":
                game.hosted.decline(colour)
            elif others and agreement.startswith(SINGLE_DIE):
                game.hosted.propose(colour, AGREE, agreement)
                others[0].say(f"propose {COLOUR_LETTERS[colour]} {agreement}")
                return
        self.games.announce_change(game)

    def _go_on(self, game: PageGame) -> None:
        """Send the news of a stored game, and ask for the next move."""
        assert isinstance(game, AccountGame)
        self._lines.tell(game)
        self.observers.show(game)
        if game.result:
            self._finish(game)
        elif game.hosted.clocks.is_started:
            self._lines.ask(game)

    def _rate(self, game: PageGame) -> NewRatings:
        """Return both players' new ratings after a finished game, {} if neither won nor drawn; note the change once."""
        assert isinstance(game, AccountGame)
        score, names, played = _SCORES.get(game.result[:1]), (game.names[BLACK], game.names[WHITE]), game.rules.name
        found = {} if score is None else self.accounts.rate(played, names, score)
        if found and "rating" not in game.hosted.notes:
            shown = [[self.accounts.rating(name, played).shown, new.shown] for (name, _), new in found.items()]
            game.hosted.remember("rating", dict(zip("bw", shown, strict=True)))
        return found

    def _finish(self, game: AccountGame) -> None:
        del self.running[game.number]
        self.metrics.add("finished_games")
        self._log(f"game {game.number}: {game.result} ({game.hosted.why})")
        self._lines.end(game)
        if game.is_rated and game.result[:1] in _SCORES:
            self.results.append(line_of(game))
        self._tasks.start(self._files.file(game))
        self.note_presence()
        for matchmaker in self.matchmakers:
            matchmaker.finish(game)
        self._leave_if_empty()

    # -- the operator --------------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Begin no more games; `is_empty` is set after the last game ends."""
        self.entrance.is_draining = True
        self._log("no more games begin; the server ends after the games in progress")
        for guest in self.guests.values():
            guest.say("info the server ends after the games in progress")
        self._leave_if_empty()

    def _leave_if_empty(self) -> None:
        if self.entrance.is_draining and not self.running:
            self.is_empty.set()
