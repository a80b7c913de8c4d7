"""All games of the page. One thread does all work except thinking and replaying games for a list."""

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import Timers
from gtp_variants.errors import VariantsError
from gtp_variants.players.agreements import follow_in_match
from gtp_variants.players.hosted_game import VOID, HostedGame, new_record
from gtp_variants.players.transcript import NoSeat
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules
from gtp_variants.site.game_store import GameStore, NewRatings
from gtp_variants.site.page import seat_locks
from gtp_variants.site.page.advice import Advice, play_branch, read_branch
from gtp_variants.site.page.bot_driver import BotDriver
from gtp_variants.site.page.chat import PLAYERS, message_of
from gtp_variants.site.page.listeners import Listeners, PageLimits, PageListener
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.page_game import AWAITS_NONCES, MOST_EVENTS, PageGame, TokenHolder, new_game
from gtp_variants.site.page.published_games import PublishedGames
from gtp_variants.site.page.seat_locks import SeatLock, is_token
from gtp_variants.site.page.thinking_queue import ThinkingQueue
from gtp_variants.site.refusals import Full, PageRefused

_log = logging.getLogger("gtp_variants.site.page")

# Maximum consecutive rematches, which need no server token.
_MOST_REMATCHES = 20
# Maximum events of the replayed games that are kept in memory, besides those of the latest. A game counts `_PER_GAME`
# more, because the empty board takes room too.
_MOST_REPLAYED, _PER_GAME = 3 * MOST_EVENTS, 100


class ReplayedGames:
    """The stored games that were asked for lately. A thread replays one at a time, for each client in turn.

    `find` returns a game that needs no replay, or None.
    """

    def __init__(self, store: GameStore, find: Callable[[str], PageGame | None]) -> None:
        self._store, self._find = store, find
        # The latest last.
        self._kept = OrderedDict[str, PageGame]()
        self._queue = ThinkingQueue(1, "replay")
        # The game that is being replayed, and whether the store has changed it since.
        self._coming, self._is_outdated = "", False

    def close(self) -> None:
        self._queue.close()

    async def fetch(self, name: str, lang: str, client: str) -> PageGame:
        """Return a game, replayed if necessary, with its news in a language. Raises OSError or VariantsError."""

        def prepare() -> Callable[[], PageGame] | None:
            if self._find(name) is not None:
                return None
            self._coming, self._is_outdated = name, False
            return partial(self._replay, name, self._kept.pop(name, None), lang)

        while (here := self._find(name)) is None:
            found = await self._queue.run(client, prepare, is_awaited=True)
            if found is not None and not self._is_outdated:
                self._keep(found)
                return found
        return here

    def _replay(self, name: str, known: PageGame | None, lang: str) -> PageGame:
        game = known or self._store.replay(name)
        # Write the news that `PageGame.whole` will hold: of a long game this takes a while.
        for audience in {game.hosted.audience(seat) for seat in (None, *game.locks)}:
            game.whole(audience, lang)
        return game

    def _keep(self, game: PageGame) -> None:
        self._kept[game.name] = game
        sizes = [_PER_GAME + len(each.hosted.table.game.events) for each in self._kept.values()]
        while len(sizes) > 1 and sum(sizes) > _MOST_REPLAYED:
            del sizes[0]
            self._kept.popitem(last=False)

    def forget(self, names: Collection[str] | None = None) -> None:
        """Forget these games, or all, because the store changes them. What is being replayed is replayed again."""
        for name in list(self._kept) if names is None else names:
            self._kept.pop(name, None)
        self._is_outdated |= names is None or self._coming in names


class SeatOwners:
    """Finds and stores the owners of seats, also of the `games` in memory; `replayed` forgets what this changes.

    `tell_who` is called when a lock changes.
    """

    def __init__(
        self,
        store: GameStore,
        games: Mapping[str, PageGame],
        replayed: ReplayedGames,
        tell_who: Callable[[PageGame], None],
    ) -> None:
        self._store, self._games, self._replayed, self._tell_who = store, games, replayed, tell_who

    def find(self, game: PageGame, visitor: str, wanted: object, token: object) -> TokenHolder | None:
        """Return one of a visitor's seats: the `wanted` seat, else the seat to move, else any, or None.

        The `token` in a link of an older version gives its seat to the visitor. Raises PageRefused for a wrong token.
        """
        if isinstance(token, str):
            seats = [colour for colour, lock in game.locks.items() if is_token(token, lock.token)]
            if is_token(token, game.hosted.notes.get("referee", "")):
                return NoSeat.REFEREE
            if not seats:
                raise PageRefused("page.no_seat")
            holder = seats[0]
            if visitor and not game.locks[holder].owner:
                self.change(game, holder, replace(game.locks[holder], owner=visitor))
            return holder
        held = game.find_seats(visitor)
        named = [each for each in held if isinstance(each, int) and COLOUR_LETTERS[each] == wanted]
        return next((each for each in (*named, game.hosted.asked(), *held) if each in held), None)

    def adopt(self, guest: str, account: str) -> None:
        """Give all seats and games of a guest to an account. Raises Full if they cannot be stored."""
        self._replayed.forget()
        with _expect_room():
            self._store.change_owner(guest, account)
        for game in self._games.values():
            game.locks |= {
                colour: replace(lock, owner=account) for colour, lock in game.locks.items() if lock.owner == guest
            }
            for key in ("creator", "referee"):
                if game.hosted.notes.get(key) == guest:
                    game.hosted.remember(key, account)
                    self._store.write(game, is_news=False)

    def renew(self, game: PageGame, visitor: str, letter: str) -> str:
        """Replace an open invitation; return the new one. Raises PageRefused for a taken seat or another visitor."""
        if not game.is_creator(visitor):
            raise PageRefused("page.not_creator", 403)
        colour = next((colour for colour in game.locks if COLOUR_LETTERS[colour] == letter), None)
        if colour is None or game.locks[colour].is_claimed:
            raise PageRefused("page.seat_taken", 409)
        lock, code = seat_locks.invite(game.locks[colour])
        self.change(game, colour, lock)
        return code

    def change(self, game: PageGame, colour: int, lock: SeatLock) -> None:
        """Write a new lock, then use it. If this raises Full, nothing has changed."""
        self.write(game.name, {colour: lock})
        game.locks[colour] = lock
        self._tell_who(game)

    def write(self, name: str, locks: Mapping[int, SeatLock]) -> None:
        """Write the locks of a game. Raises Full if that fails."""
        with _expect_room():
            self._store.write_locks(name, locks)


@contextmanager
def _expect_room() -> Iterator[None]:
    """Raise Full if something cannot be written."""
    try:
        yield
    except OSError as error:
        _log.error("%s", error)
        raise Full("page.cannot_keep") from None


def _begin_rematch(old: PageGame) -> PageGame:
    """Create the rematch of a game, with new dice. Each player takes the next colour; nobody needs a new invitation."""
    hosted, colours = old.hosted, old.hosted.rules.colours
    before = {colour: colours[index - 1] for index, colour in enumerate(colours)}
    seats = {colour: hosted.seats[other] for colour, other in before.items()}
    locks = {colour: replace(old.locks[other], invitation="") for colour, other in before.items() if other in old.locks}
    notes = {key: value for key, value in hosted.notes.items() if key == "chat"}
    notes |= {"rematches": hosted.notes.get("rematches", 0) + 1, AWAITS_NONCES: bool(hosted.record.nonces)}
    old_game, rules = hosted.table.game, hosted.rules
    terms, first = follow_in_match(old_game) if hosted.result != VOID else ([], {})
    record = replace(new_record(rules), game=Game(rules, old_game.setup, old_game.first))
    game = HostedGame.new(record, seats, hosted.policy, hosted.clocks.control, notes=notes | first)
    for action in terms:
        game.play(game.asked() or colours[0], action)
    return PageGame(seat_locks.new_token(), game, locks)


class PageGames:
    """The games of one page server."""

    def __init__(self, store: GameStore, limits: PageLimits | None = None, opponents: Opponents | None = None) -> None:
        self.store = store
        self.limits = limits = limits or PageLimits()
        self.opponents = opponents or Opponents()
        self.advice = Advice()
        self._games: dict[str, PageGame] = {}
        self._flags = Timers(self._flag)
        self._unreadable: set[str] = set()
        self._replayed = ReplayedGames(store, lambda name: self._games.get(name) or self.live.get(name))
        # A lobby replaces these: it goes on after each change of a game, rates ended games and refuses banned people.
        self.go_on_in_lobby: Callable[[PageGame], None] = lambda game: None
        self.rate: Callable[[PageGame], NewRatings] = lambda game: {}
        self.expect_welcome: Callable[[str], None] = lambda visitor: None
        self.listeners = Listeners(limits, self.opponents)
        self.owners = SeatOwners(store, self._games, self._replayed, self.listeners.tell_who)
        self._bots = BotDriver(limits, self.opponents, self.announce_change)
        self.live = PublishedGames(limits.live, limits.lost_s, self.listeners, self._is_taken)

    async def close(self) -> None:
        """Stop all timers, bots and advice. Nothing is written, because every game was written when it changed."""
        self._flags.stop_all()
        self.listeners.close()
        self.live.close()
        self.advice.close()
        self._replayed.close()
        await self._bots.close()

    # -- games ---------------------------------------------------------------------------------------------------------

    def begin(
        self, asked: Json, visitor: str, name: str | None = None, source: PageGame | None = None
    ) -> tuple[PageGame, dict[int, str]]:
        """Begin a new game; return it with the invitations to its open seats. Raises VariantsError if refused.

        People are called `name`, or as `asked` if it is None. The game begins with a position of `source`, if given.
        """
        start = None if source is None else _position_of(source, asked)
        game, invitations = new_game(asked, self.opponents, visitor, start, name)
        self._add(game)
        return game, invitations

    def show(self, record: Record, notes: Json | None = None) -> PageGame:
        """Add a record to look at, with the `notes` of `PageGame`. Raises PageRefused if unsuitable or without room."""
        if record.game.position.to_play == CHANCE and not record.game.rules.is_final(record.game.position):
            raise PageRefused("page.before_a_throw")
        if len(record.game.events) > MOST_EVENTS:
            raise PageRefused("page.long_record", count=MOST_EVENTS)
        game = PageGame(seat_locks.new_token(), HostedGame.new(record, {}, notes=notes))
        self._add(game)
        return game

    def _add(self, game: PageGame) -> None:
        """Store a new game, removing old finished or abandoned games for room. Raises Full if that is not enough."""
        spare = self.store.count() - self.limits.games + 1
        if spare > 0:
            removed = self.store.forget_over(spare)
            self._replayed.forget(removed)
            spare -= len(removed)
        if spare > 0 and self._forget_idle(spare) < spare:
            raise Full("page.many_games", count=self.limits.games)
        self.owners.write(game.name, game.locks)
        self._keep(game)
        if not game.is_kept:
            raise Full("page.cannot_keep")

    def _forget_idle(self, spare: int) -> int:
        """Remove up to `spare` abandoned games without listeners, and return the number removed."""
        ages_s = {False: self.limits.unbegun_s, True: self.limits.idle_s}
        removed = 0
        for is_begun, age_s in ages_s.items():
            for name in self.store.idle(is_begun, age_s):
                if removed == spare:
                    return removed
                if name not in self.listeners:
                    self.store.delete(name)
                    self._unload(name)
                    removed += 1
        return removed

    def delete(self, game: PageGame, visitor: str) -> None:
        """Remove a game if a visitor has all taken seats of people, or is the referee. Raises PageRefused otherwise."""
        if game.is_strict:
            raise PageRefused("page.rated", 403)
        held = set(game.find_seats(visitor))
        taken = {colour for colour in game.hosted.people if game.is_claimed(colour)}
        if not held or not (NoSeat.REFEREE in held or taken <= held):
            raise PageRefused("page.not_yours", 403)
        self.store.delete(game.name)
        self._unload(game.name)

    def _unload(self, name: str) -> None:
        """Drop a game from memory and disconnect its listeners."""
        self._replayed.forget([name])
        self.listeners.send_away(name)
        self._flags.stop(name)
        self._drop(name)

    def _drop(self, name: str) -> None:
        """Drop a game from memory, with its bots."""
        if (game := self._games.pop(name, None)) is not None:
            self.advice.forget(game)
            self._bots.stop(game)

    def host(self, game: PageGame) -> None:
        """Keep a lobby game in memory until it is over, and write it to disk. A full disk does not stop the game."""
        self._games[game.name] = game
        self._keep(game)
        with suppress(Full):
            self.owners.write(game.name, game.locks)
        self._go_on(game)

    async def fetch(self, name: object, lang: str = "", client: str = "") -> PageGame:
        """Return the game with this name, to be shown in a language. Raises VariantsError if there is none to read.

        Games that are not in memory are replayed for each `client` in turn. Such a game changes only in the object
        that this returns, so that object is kept for the next who ask. Use it before awaiting anything else.
        """
        if not isinstance(name, str) or not name.isascii():
            raise PageRefused("page.no_game", 404)
        try:
            return await self._replayed.fetch(name, lang, client)
        except OSError as error:
            raise Full("page.unreadable", why=str(error)) from error

    async def latest(self, client: str = "", most: int = 20) -> list[Json]:
        """Return summaries of the games with the latest events; an unreadable game is left out, and logged once."""
        found = []
        for name in self.store.ids(most):
            try:
                found.append(self.listeners.summary(await self.fetch(name, client=client)))
            except VariantsError as error:
                if name not in self._unreadable:
                    self._unreadable.add(name)
                    _log.warning("game %s cannot be read: %s", name[:6], error)
        return found

    def _is_taken(self, name: str) -> bool:
        """Return True if a game that is played here has this name."""
        return name in self._games or self.store.load(name) is not None

    def _keep(self, game: PageGame) -> None:
        """Write a game. After a failure the game continues, and its listeners are told."""
        is_new = game.take_news()
        try:
            self.store.write(game, is_new, self.rate(game) if game.is_rated and game.hosted.is_over else {})
            game.is_kept = True
        except OSError as error:
            _log.error("%s", error)
            game.is_kept = False

    def keep_late(self) -> None:
        """Write the games in memory that could not be written before."""
        for game in [each for each in self._games.values() if not each.is_kept]:
            self._keep(game)
            self._drop_if_idle(game)

    # -- seats ---------------------------------------------------------------------------------------------------------

    def claim(self, game: PageGame, invitation: str, visitor: str, name: str = "") -> int:
        """Give a visitor an invitation's seat; return its colour. Raises PageRefused if unknown or used by others."""
        colour = next((each for each, lock in game.locks.items() if is_token(invitation, lock.invitation)), None)
        if colour is None:
            raise PageRefused("page.no_invitation", 404)
        lock = game.locks[colour]
        if lock.owner == visitor:
            return colour
        if lock.is_claimed:
            raise PageRefused("page.seat_taken", 409)
        waited = game.awaits_players
        self.owners.change(game, colour, replace(lock, owner=visitor))
        if name:
            game.hosted.change_seat(colour, replace(game.hosted.seats[colour], name=name))
        if waited and not game.awaits_players:
            game.show_dice()
        self._keep(game)
        if game.name in self.listeners:
            self.listeners.tell(game)
            self._go_on(game)
        return colour

    # -- listening -----------------------------------------------------------------------------------------------------

    def join(self, game: PageGame, colour: TokenHolder | None, **who: str) -> PageListener:
        """Add a player or spectator; `who` has the other fields of `PageListener`. Raises Full without room."""
        game = self._games.get(game.name, game)
        listener = PageListener(asyncio.Queue(self.limits.queue), game, colour, **who)
        self.listeners.enter(listener)
        game.network = game.network or listener.network
        self._games[game.name] = game
        game.take_news()
        self.listeners.tell(game, [listener])
        self.listeners.tell_chat([listener])
        self.listeners.tell_who(game)
        self._go_on(game)
        return listener

    def leave(self, listener: PageListener) -> None:
        """Remove a listener. A game without listeners is kept only in the store, unless its clocks are running."""
        game = listener.game
        self.listeners.leave(listener)
        game.wishes = {colour: each for colour, each in game.wishes.items() if each is not listener}
        if game.name in self.listeners:
            return
        if not game.is_kept:
            self._keep(game)
        if game.hosted.clocks.control.kind == "none" or game.hosted.is_over:
            self._flags.stop(game.name)
            self._drop_if_idle(game)

    def _drop_if_idle(self, game: PageGame) -> None:
        """Forget a game that is stored, unless somebody listens to it or the lobby goes on with it."""
        if game.name not in self.listeners and game.is_kept and (game.number is None or game.hosted.is_over):
            self._drop(game.name)

    # -- what happens --------------------------------------------------------------------------------------------------

    def act(self, listener: PageListener, request: Json) -> None:
        game = listener.game
        if listener.colour is None:
            raise PageRefused("page.watching")
        game.act(listener.colour, request, listener.lang)
        self.announce_change(game)

    def chat(self, listener: PageListener, text: object) -> None:
        """Post a line in the listener's chat room. Raises PageRefused if the chat is closed or the line invalid."""
        game, colour, hosted = listener.game, listener.colour, listener.game.hosted
        if not hosted.seats or hosted.notes.get("chat") == "off":
            raise PageRefused("page.no_chat")
        if not hosted.is_shown:
            raise PageRefused("page.chat_later")
        if colour is None:
            said = game.chat.say("", listener.name, text)
        else:
            speaker = hosted.rules.colours[0] if colour is NoSeat.REFEREE else colour
            said = game.chat.say(COLOUR_LETTERS[speaker], hosted.seats[speaker].name, text)
        if self.live.get(game.name) is None:
            try:
                self.store.write_chat(game.name, said)
            except OSError as error:
                _log.error("%s", error)
        told = json.dumps(message_of([said]), ensure_ascii=False)
        for each in self.listeners.of(game.name):
            if said.room == PLAYERS or each.colour is None or hosted.is_over:
                each.send(told)

    def remove_chat(self, name: str, number: int) -> bool:
        """Remove a chat line of a game, also from the boards that show it. Return False if there is no such line."""
        is_removed = self.store.remove_chat(name, number)
        self._replayed.forget([name])
        if (game := self._games.get(name)) is not None:
            game.chat.remove(number)
        self.listeners.tell_chat(self.listeners.of(name), is_changed=True)
        return is_removed

    def forget_player(self, name: str, nobody: str) -> None:
        """Forget an account that has been deleted from the store. Boards that show its games open them again."""
        self._replayed.forget()
        for game in list(self._games.values()):
            if game.chat.rename(name, nobody):
                self.listeners.tell_chat(self.listeners.of(game.name), is_changed=True)
            # What is in memory would be written with the name.
            if name in (game.hosted.notes.get("creator"), *game.find_owners()):
                self._unload(game.name)

    def forget_guests(self, before_s: float) -> list[int]:
        """Forget guests as `GameStore.forget_guests` does. Return the numbers of the removed games of the lobby."""
        self._replayed.forget()
        removed = self.store.forget_guests(before_s)
        for name in removed:
            self._unload(name)
        return [number for number in removed.values() if number is not None]

    def play_again(self, listener: PageListener) -> None:
        """Ask for a rematch, begun once all people have asked, or invite to it. Raises PageRefused if refused."""
        game, hosted = listener.game, listener.game.hosted
        if game.is_strict:
            raise PageRefused("page.rated")
        if not hosted.is_over or listener.colour not in hosted.rules.colours:
            raise PageRefused("page.not_over")
        to_invite: Iterable[PageListener] = [listener]
        if "rematch" not in hosted.notes:
            if hosted.notes.get("rematches", 0) >= _MOST_REMATCHES:
                raise PageRefused("page.again_enough")
            held = {listener.colour, *game.find_seats(listener.visitor)}
            game.wishes |= {colour: listener for colour in hosted.people if colour in held}
            self.listeners.tell_who(game)
            if not set(hosted.people) <= set(game.wishes):
                return
            new, game.wishes = _begin_rematch(game), {}
            self._add(new)
            hosted.remember("rematch", new.name)
            self._keep(game)
            to_invite = self.listeners.of(game.name)
        for each in to_invite:
            each.send(json.dumps({"type": "again", "game": hosted.notes["rematch"]}))

    def announce_change(self, game: PageGame) -> None:
        """Store a changed game, then tell its listeners: a crash must not undo dice that somebody has seen."""
        self._keep(game)
        self.listeners.tell(game)
        if game.hosted.is_over:
            # Players may now read the spectators' room.
            self.listeners.tell_chat(each for each in self.listeners.of(game.name) if each.colour is not None)
        if game.number is not None:
            self.go_on_in_lobby(game)
        self._go_on(game)

    def _go_on(self, game: PageGame) -> None:
        """Let bots act and clocks run."""
        self._set_flag(game)
        if game.hosted.is_over:
            self.advice.forget(game)
            self._bots.dismiss(game)
            self._drop_if_idle(game)
        else:
            self._bots.go_on(game)

    def _set_flag(self, game: PageGame) -> None:
        if game.awaits_nonces and game.name in self._flags:
            # Whoever comes meanwhile does not prolong the wait.
            return
        self._flags.stop(game.name)
        left_s = self.limits.nonces_s if game.awaits_nonces else game.hosted.clocks.time_left_s()
        if left_s is not None:
            self._flags.set(game.name, max(0.0, left_s) + 0.01, game)

    def _flag(self, game: PageGame) -> None:
        if game.flag():
            self.announce_change(game)
        else:
            self._set_flag(game)


def _position_of(source: PageGame, asked: Json) -> Game:
    """Return a game as it was after `at` events and a branch. Raises VariantsError if that is impossible."""
    base, branch = source.public_record().game, read_branch(asked)
    if branch.at > len(base.events) or not base.rules.is_open:
        raise PageRefused("page.no_moment")
    played = play_branch(base, branch)
    if played.outcome is not None:
        raise PageRefused("page.no_moment")
    return played


def odds_of(game: PageGame) -> Json:
    """Return the probability of each line at the next throw, {} after the game. Raises PageRefused without dice."""
    rules = game.hosted.rules
    if not isinstance(rules, DicedRules):
        raise PageRefused("refused_requests.no_dice")
    if game.hosted.is_over or game.awaits_players:
        return {}
    return {str(line): round(odd, 4) for line, odd in rules.odds_of_lines(game.hosted.table.position).items()}
