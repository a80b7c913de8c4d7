"""All games of the page: who listens to them, the bots that think in threads, what is kept.

Everything but thinking happens in the one thread of the event loop.
"""

import asyncio
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gtp_variants.broadcast.publisher import HEARTBEAT_S
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.json_values import Json
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.participants import BOT, PERSON, Participant
from gtp_variants.players.strength.titles import meaning, title
from gtp_variants.players.table import view_to_move
from gtp_variants.players.transcript import REFEREE
from gtp_variants.records.record import Record
from gtp_variants.rules import words
from gtp_variants.rules.actions import CHANCE, FORFEIT, Event
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.game import Game
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.web.board_dice import BoardDice
from gtp_variants.web.guard import Rates
from gtp_variants.web.opponents import Opponents, SeatedBot
from gtp_variants.web.page_game import MOST_EVENTS, PageGame, load_game, new_game
from gtp_variants.web.page_listener import PageListener
from gtp_variants.web.publishing.live_games import LiveGames
from gtp_variants.web.refusals import Full, PageRefused
from gtp_variants.web.seat_locks import (
    NewSeats,
    SeatClaim,
    SeatLock,
    claim_seat,
    digest,
    find_by_invitation,
    find_by_recovery,
    find_by_token,
    invite,
    is_token,
    new_token,
)
from gtp_variants.web.social.chat import PLAYERS, expect_open, message_of
from gtp_variants.web.social.rematch import Rematches, play_again
from gtp_variants.web.store import PageStore
from gtp_variants.web.study.advice import Advice, line_odds
from gtp_variants.web.study.branches import play_branch, read_branch

_log = logging.getLogger("gtp_variants.web")

# A bot that may be refused in private acts every so many pauses.
_PRIVATE_STEPS = 4
# So many claims are remembered whose seat nobody has opened yet.
_MOST_UNOPENED = 1000
# So many names of those who watch are told.
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much the server takes on.

    `games` are kept at most: those that are over make room, then those without a move that are older than `unbegun_s`,
    then those that nobody has gone on with for `idle_s`. `live` ones are shown that are played elsewhere, each given up
    for lost after `lost_s` without a word; `sockets` of those who watch are open at most, `listeners` to one game, and
    `seated` from its seats; `queue` messages wait for a slow client;
    `rate_hz` messages a second may come from one in the long run and `burst` at once; `message` bytes in one, `upload`
    bytes in a record; `recoveries` of seats of a game may be tried at once and `recovery_hz` a second; `threads` bots
    and `engines` engines think at the same time. A bot's move takes `pause_s` at least, so that a person sees it; who
    came and went is told after `meeting_s`.
    """

    games: int = 1000
    unbegun_s: float = 3600.0
    idle_s: float = 30 * 86_400.0
    sockets: int = 600
    listeners: int = 300
    seated: int = 60
    queue: int = 64
    live: int = 100
    rate_hz: float = 10.0
    burst: int = 40
    message: int = 4096
    upload: int = 1_000_000
    join_s: float = 10.0
    pause_s: float = 0.5
    meeting_s: float = 0.2
    lost_s: float = 3 * HEARTBEAT_S
    engines: int = 16
    recoveries: int = 5
    recovery_hz: float = 0.1
    threads: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))


class PageGames:
    """The games of one server."""

    def __init__(self, store: PageStore, limits: PageLimits = PageLimits(), opponents: Opponents | None = None) -> None:
        self.store = store
        self.limits = limits
        self.opponents = opponents or Opponents()
        self.dice = BoardDice(store, limits.games)
        self.advice = Advice()
        self._games: dict[str, PageGame] = {}
        self._listeners: dict[str, set[PageListener]] = {}
        self._bots: dict[tuple[str, int, int], SeatedBot] = {}
        self._driving: dict[str, asyncio.Task[None]] = {}
        self._flags: dict[str, asyncio.TimerHandle] = {}
        # When listeners hear who came and went.
        self._meetings: dict[str, asyncio.TimerHandle] = {}
        self.live = LiveGames(limits.live, limits.lost_s, self._listeners.__contains__, self._tell, self._tell_who)
        self._thinking = ThreadPoolExecutor(limits.threads, thread_name_prefix="bot")
        # Who waits for an engine does not keep bots from thinking.
        self._awaiting = ThreadPoolExecutor(limits.engines, thread_name_prefix="engine")
        self._unkept: set[str] = set()
        self._unreadable: set[str] = set()
        # How often recovery words are tried, by where from and for which game.
        self._recovering = Rates(limits.recovery_hz, limits.recoveries, time.monotonic)
        # What was answered to who took a seat, until they open it: the answer may be lost on its way.
        self._unopened: dict[tuple[str, int], SeatClaim] = {}
        self._rematches = Rematches()

    async def close(self) -> None:
        """Everybody leaves; the games are kept already."""
        for handle in (*self._flags.values(), *self._meetings.values()):
            handle.cancel()
        self.live.close()
        tasks = list(self._driving.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.advice.close()
        for pool in (self._thinking, self._awaiting):
            pool.shutdown(wait=False, cancel_futures=True)
        self.store.close()

    # -- games ---------------------------------------------------------------------------------------------------------

    def begin(self, asked: Json) -> tuple[PageGame, NewSeats]:
        """A new game from a SPEC and who sits where; what opens its seats. Raises VariantsError, Full."""
        start = None if "from" not in asked else self._position_of(asked)
        game, opening = new_game(asked, self.opponents, start)
        self._add(game)
        return game, opening

    def _position_of(self, asked: Json) -> Game:
        """The game that is to be played on: that of the name `from` after `at` events and those of a branch.

        Raises PageRefused, NotationError, RecordError.
        """
        source = self.find(asked["from"])
        if source is None:
            raise PageRefused("page.no_game", 404)
        base, branch = source.public_record().game, read_branch(asked)
        if branch.at > len(base.events) or not base.rules.is_open:
            raise PageRefused("page.no_moment")
        played = play_branch(base, branch)
        if played.outcome is not None:
            raise PageRefused("page.no_moment")
        return played

    def show(self, record: Record, notes: Json | None = None) -> PageGame:
        """A record to look at; `notes` are what its file says besides, see `PageGame`.

        Raises PageRefused for one that no screen can show, Full.
        """
        if record.game.position.to_play == CHANCE and not record.game.rules.is_final(record.game.position):
            raise PageRefused("page.before_a_throw")
        if len(record.game.events) > MOST_EVENTS:
            raise PageRefused("page.long_record", count=MOST_EVENTS)
        game = PageGame(new_token(), HostedGame.new(record, {}, notes=notes))
        self._add(game)
        return game

    def _add(self, game: PageGame) -> None:
        """Keep a new game, where the oldest of those that are over make room."""
        spare = self.store.count() - self.limits.games + 1
        if spare > 0:
            spare -= self.store.forget_over(spare)
        if spare > 0 and self._forget_idle(spare) < spare:
            raise Full("page.many_games", count=self.limits.games)
        self._write_locks(game.name, game.locks)
        self._keep(game)
        if game.name in self._unkept:
            self._unkept.discard(game.name)
            raise Full("page.cannot_keep")

    def _forget_idle(self, spare: int) -> int:
        """Remove so many of the games that nobody goes on with and nobody is at; how many there were to remove."""
        ages_s = {False: self.limits.unbegun_s, True: self.limits.idle_s}
        removed = 0
        for is_begun, age_s in ages_s.items():
            for name in self.store.idle(is_begun, age_s):
                if removed == spare:
                    return removed
                if name not in self._listeners:
                    self._forget(name)
                    removed += 1
        return removed

    def delete(self, game: PageGame, tokens: Iterable[str]) -> None:
        """Remove a game, for who holds all its seats of people that are taken. Raises PageRefused."""
        held = {game.colour_of(token) for token in tokens}
        taken = {colour for colour in game.hosted.people if game.is_claimed(colour)}
        if not held - {None} or not (REFEREE in held or taken <= held):
            raise PageRefused("page.not_yours", 403)
        self._forget(game.name)

    def _forget(self, name: str) -> None:
        """Remove a game; whoever is at it is sent away."""
        self.store.delete(name)
        self._unkept.discard(name)
        for listener in self._listeners.get(name, ()):
            listener.is_lost.set()
        game = self._games.pop(name, None)
        if game is None:
            return
        for handles in (self._flags, self._meetings):
            handle = handles.pop(name, None)
            if handle is not None:
                handle.cancel()
        task = self._driving.pop(name, None)
        if task is not None:
            task.cancel()
        self._dismiss(game)

    def find(self, name: object) -> PageGame | None:
        """The game of a name, from the store if need be; None if there is none."""
        if not isinstance(name, str) or not name.isascii():
            return None
        game = self._games.get(name) or self.live.get(name)
        if game is None:
            lines = self.store.load(name)
            game = load_game(name, lines, self.store.load_locks(name)) if lines else None
        return game

    def latest(self, most: int = 20) -> list[Json]:
        """The games that something happened in last: what anybody may know of them who may watch them.

        One that cannot be read, such as one of rules that have changed since, is logged once and left out.
        """
        found = []
        for name in self.store.ids(most):
            try:
                game = self.find(name)
            except VariantsError as error:
                if name not in self._unreadable:
                    self._unreadable.add(name)
                    _log.warning("game %s cannot be read: %s", name[:6], error)
                continue
            if game is not None:
                found.append(self.summary(game))
        return found

    def list_live(self) -> list[Json]:
        """The games that are played elsewhere, those that go on first, of each kind the latest first."""
        return [
            {**self.summary(each), "source": each.head.source, "name": each.head.title, "lost": each.is_lost}
            for each in self.live.all()
        ]

    def summary(self, game: PageGame) -> Json:
        """What anybody may know of a game who may watch it."""
        return {
            "game": game.name,
            "title": game.hosted.rules.title,
            "spec": game.hosted.rules.spec,
            "turn": game.hosted.table.position.turn,
            "over": game.hosted.is_over,
            "seats": self.seats(game),
        }

    def publish(self, name: str, told: Json) -> None:
        """A game that is played elsewhere stands so now. Raises VariantsError, Full, Unknown."""
        if self.live.get(name) is None and self.find(name) is not None:
            raise NotationError("a game of this name is played here")
        self.live.publish(name, told)

    def _keep(self, game: PageGame, is_anew: bool = False) -> None:
        """Write a game; where that fails it goes on, and those at it are told. One that was removed stays so."""
        hosted, is_new = game.hosted, game.take_news()
        try:
            self.store.write(
                game.name, hosted.lines, hosted.is_over, is_new, is_anew, is_begun=hosted.table.position.turn > 1
            )
            self._unkept.discard(game.name)
        except sqlite3.Error as error:
            _log.error("game %s cannot be kept: %s", game.name[:6], error)
            self._unkept.add(game.name)

    # -- seats ---------------------------------------------------------------------------------------------------------

    def claim(self, game: PageGame, invitation: str, token: str = "", name: str = "") -> SeatClaim:
        """Somebody called `name` exchanges an invitation, which is good once, for a token of their own.

        Who made the token themselves may ask again for what they have already. Raises PageRefused, Full.
        """
        colour = find_by_invitation(game.locks, invitation)
        if colour is None:
            raise PageRefused("page.no_invitation", 404)
        if game.locks[colour].is_claimed:
            if not is_token(token, game.locks[colour].token):
                raise PageRefused("page.seat_taken", 409)
            return self._claim_again(game, colour, token)
        waited, claim = game.awaits_players, self._give_seat(game, colour, token)
        if name:
            game.hosted.change_seat(colour, replace(game.hosted.seats[colour], name=name))
        is_anew = waited and not game.awaits_players
        if is_anew:
            game.take_new_dice()
        self._keep(game, is_anew)
        if game.name in self._listeners:
            self._tell(game)
            self._go_on(game)
        return claim

    def renew(self, game: PageGame, creator: str, letter: str) -> str:
        """A new invitation to a seat nobody has taken, for who began the game; the old one is dead.

        Raises PageRefused, Full.
        """
        if not is_token(creator, game.hosted.notes.get("creator", "")):
            raise PageRefused("page.not_creator", 403)
        colour = next((colour for colour in game.locks if COLOUR_LETTERS[colour] == letter), None)
        if colour is None or game.locks[colour].is_claimed:
            raise PageRefused("page.seat_taken", 409)
        lock, code = invite(game.locks[colour])
        self._change_lock(game, colour, lock)
        return code

    def recover(self, game: PageGame, word: str, host: str, token: str = "") -> SeatClaim:
        """Somebody who took a seat comes back by their recovery word: with a new token, a new word.

        The old token opens nothing any more, and who is there by it is sent away; of who began the game the old token
        that renews invitations, too. `host` is where they come from: so many may be tried from there. Who made the
        token themselves may ask again for what they have already. Raises PageRefused, Full.
        """
        if not self._recovering.allows(f"{host} {game.name}"):
            raise PageRefused("page.rate", 429)
        colour = find_by_recovery(game.name, game.locks, word)
        if colour is None:
            colour = find_by_token(game.locks, token)
            if colour is None:
                raise PageRefused("page.no_recovery", 404)
            return self._claim_again(game, colour, token)
        creator = new_token() if game.is_creators(colour) else ""
        claim = self._give_seat(game, colour, token, creator)
        self._rematches.shut(game.name, colour)
        if creator:
            game.hosted.remember("creator", digest(creator))
            self._keep(game)
        for listener in self._listeners.get(game.name, ()):
            if listener.colour == colour:
                listener.is_lost.set()
        return claim

    def _give_seat(self, game: PageGame, colour: int, token: str, creator: str = "") -> SeatClaim:
        lock, claim = claim_seat(game.name, colour, game.locks[colour], token)
        self._change_lock(game, colour, lock)
        claim = replace(claim, creator=creator)
        while len(self._unopened) >= _MOST_UNOPENED:
            del self._unopened[next(iter(self._unopened))]
        self._unopened[game.name, colour] = claim
        return claim

    def _claim_again(self, game: PageGame, colour: int, token: str) -> SeatClaim:
        """The answer again to who has a seat by this token; what is told once, only until they have opened it."""
        return self._unopened.get((game.name, colour), SeatClaim(colour, token))

    def _change_lock(self, game: PageGame, colour: int, lock: SeatLock) -> None:
        """Another lock for a seat, kept before anybody hears of it. Raises Full, and then nothing has changed."""
        self._write_locks(game.name, {colour: lock})
        game.locks[colour] = lock
        if game.name in self._listeners:
            self._tell_who(game)

    def _write_locks(self, name: str, locks: Mapping[int, SeatLock]) -> None:
        try:
            self.store.write_locks(name, locks)
        except sqlite3.Error as error:
            _log.error("the seats of game %s cannot be kept: %s", name[:6], error)
            raise Full("page.cannot_keep") from None

    # -- listening -----------------------------------------------------------------------------------------------------

    def join(self, game: PageGame, colour: int | None, lang: str = "en", name: str = "") -> PageListener:
        """A socket listens to a game from now on, from a seat or as one who watches, called `name`; told of errors in a
        language.

        Raises Full.
        """
        listeners = self._listeners.get(game.name, set())
        if colour is None and sum(map(len, self._listeners.values())) >= self.limits.sockets:
            raise Full("page.many_sockets")
        # Those who watch keep nobody from a seat, who would lose on time.
        alike = sum((each.colour is None) == (colour is None) for each in listeners)
        if alike >= (self.limits.listeners if colour is None else self.limits.seated):
            raise Full("page.many_listeners")
        self._listeners[game.name] = listeners
        game = self._games.setdefault(game.name, game)
        listener = PageListener(game, colour, self.limits.queue, lang, name)
        listeners.add(listener)
        game.take_news()
        if colour is not None:
            self._unopened.pop((game.name, colour), None)
        self._tell(game, [listener])
        self._tell_chat([listener])
        self._tell_who(game)
        self._go_on(game)
        return listener

    def leave(self, listener: PageListener) -> None:
        """A socket is gone. A game nobody listens to sleeps in the store."""
        game = listener.game
        listeners = self._listeners[game.name]
        listeners.discard(listener)
        self._rematches.withdraw(listener)
        if listeners:
            self._tell_who(game)
            return
        del self._listeners[game.name]
        self._rematches.forget(game.name)
        if game.name in self._unkept:
            self._keep(game)
        if game.name in self._unkept:
            return
        if game.hosted.clocks.control.kind == "none" or game.hosted.is_over:
            self._games.pop(game.name, None)
            task = self._driving.pop(game.name, None)
            if task is not None:
                task.cancel()
            self._dismiss(game)

    def seats(self, game: PageGame) -> Json:
        """Who sits where, and whether somebody is there."""
        here = {listener.colour for listener in self._listeners.get(game.name, ())}
        return {
            COLOUR_LETTERS[colour]: {
                "kind": each.kind,
                "bot": "" if each.kind == PERSON else each.name,
                "level": each.level,
                "here": each.kind != PERSON or colour in here or REFEREE in here,
                "claimed": game.is_claimed(colour),
                **({"name": each.name} if each.kind == PERSON and each.name else {}),
                **(self._titles(each, game.hosted.rules) if each.kind == BOT else {}),
            }
            for colour, each in game.hosted.seats.items()
        }

    def _titles(self, seat: Participant, rules: Rules) -> Json:
        """What a bot is called and how it plays, in every language."""
        if self.opponents.is_engine(seat.name):
            return {}
        return {
            "title": {lang: title(seat.bot, lang) for lang in words.LANGUAGES},
            "meaning": {lang: meaning(seat.bot, rules, lang) for lang in words.LANGUAGES},
        }

    def _who(self, game: PageGame) -> Json:
        return {
            "seats": self.seats(game),
            "watching": sum(each.colour is None for each in self._listeners[game.name]),
            "watchers": sorted({each.name for each in self._listeners[game.name] if each.colour is None and each.name})[
                :_MOST_NAMES
            ],
            "again": [COLOUR_LETTERS[colour] for colour in self._rematches.wishes(game.name)],
            "kept": game.name not in self._unkept,
            "lost": game.is_lost,
        }

    def _tell_who(self, game: PageGame) -> None:
        """Tell soon who is there: of many who come at once the others hear once."""
        if game.name in self._listeners and game.name not in self._meetings:
            later = asyncio.get_running_loop().call_later
            self._meetings[game.name] = later(self.limits.meeting_s, self._meet, game)

    def _meet(self, game: PageGame) -> None:
        del self._meetings[game.name]
        if game.name not in self._listeners:
            return
        who = self._who(game)
        text = json.dumps({"type": "who", **who})
        for listener in self._listeners[game.name]:
            listener.send(text)
            listener.standing["lost"] = who["lost"]

    def _tell(self, game: PageGame, only: Iterable[PageListener] | None = None) -> None:
        """Tell listeners what they have not heard yet; each audience's message is written once."""
        listeners = self._listeners.get(game.name, ()) if only is None else only
        if not listeners:
            return
        shared = self._who(game)
        written: dict[tuple[object, ...], tuple[str, Json]] = {}
        # Who plays hears before the many who may be watching.
        for listener in sorted(listeners, key=lambda each: each.colour is None):
            if listener.is_lost.is_set():
                continue
            audience = game.hosted.audience(listener.colour)
            heard = listener.heard
            if heard is not None and heard[:2] != (audience, game.hosted.epoch):
                heard = None
            key = audience, heard, listener.colour if heard is None else None, listener.lang
            if key not in written:
                message = self._message(listener, audience, heard, shared)
                written[key] = json.dumps(message, ensure_ascii=False), _standing(message)
            text, standing = written[key]
            count = len(game.hosted.transcript(audience).items)
            # Who hears nothing is sent nothing: that a message comes would tell that something happened.
            if heard is None or count > heard[2] or standing != listener.standing:
                listener.send(text)
            listener.heard, listener.standing = (audience, game.hosted.epoch, count), dict(standing)

    def _message(self, listener: PageListener, audience: int, heard: tuple[int, int, int] | None, shared: Json) -> Json:
        game, colour, lang = listener.game, listener.colour, listener.lang
        if heard is not None:
            return {
                "type": "news",
                "news": game.hosted.transcript(audience, lang).items[heard[2] :],
                "state": game.state(audience, lang),
                **shared,
            }
        return {
            "type": "game",
            "game": game.name,
            "you": None if colour is None or colour == REFEREE else COLOUR_LETTERS[colour],
            "referee": colour == REFEREE,
            **game.title_and_dice(),
            **game.whole(audience, lang),
            **shared,
        }

    # -- what happens --------------------------------------------------------------------------------------------------

    def act(self, listener: PageListener, request: Json) -> None:
        """Somebody at a seat does something. Raises VariantsError."""
        game = listener.game
        if listener.colour is None:
            raise PageRefused("page.watching")
        game.act(listener.colour, request, listener.lang)
        self._announce_change(game)

    def chat(self, listener: PageListener, text: object) -> None:
        """Somebody says something to those in their room. Raises VariantsError."""
        game, colour = listener.game, listener.colour
        hosted = game.hosted
        expect_open(bool(hosted.seats) and hosted.notes.get("chat") != "off", hosted.is_shown)
        if colour is None:
            said = game.chat.say("", listener.name, text)
        else:
            speaker = hosted.rules.colours[0] if colour == REFEREE else colour
            said = game.chat.say(COLOUR_LETTERS[speaker], hosted.seats[speaker].name, text)
        told = json.dumps(message_of([said]), ensure_ascii=False)
        for each in self._listeners[game.name]:
            if said.room == PLAYERS or each.colour is None or hosted.is_over:
                each.send(told)

    def _tell_chat(self, listeners: Iterable[PageListener]) -> None:
        for each in listeners:
            lines = each.game.chat.lines_for(each.colour is not None, each.game.hosted.is_over)
            if lines:
                each.send(json.dumps({**message_of(lines), "all": True}, ensure_ascii=False))

    def play_again(self, listener: PageListener, tokens: Iterable[str]) -> None:
        """Somebody would play a game that is over again, from all seats they hold; once all would, it begins.

        Raises PageRefused, Full.
        """
        game = listener.game
        is_agreed = self._rematches.wish(listener, tokens)
        self._tell_who(game)
        if is_agreed:
            new, claims = play_again(game)
            self._add(new)
            self._rematches.follow(game, new, claims, self._listeners[game.name])

    def _announce_change(self, game: PageGame) -> None:
        """Something happened: keep it before anybody hears of it, so that no dice are seen that a crash could undo."""
        self._keep(game)
        self._tell(game)
        if game.hosted.is_over:
            # Now those who played may read what was said by those who watched.
            self._tell_chat(each for each in self._listeners.get(game.name, ()) if each.colour is not None)
        self._go_on(game)

    def _go_on(self, game: PageGame) -> None:
        """Let bots act and clocks run out."""
        self._set_flag(game)
        if game.hosted.is_over:
            self._dismiss(game)
            if game.name not in self._listeners:
                self._games.pop(game.name, None)
        elif game.name not in self._driving and self._find_bot_to_act(game) is not None:
            task = asyncio.create_task(self._drive(game))
            self._driving[game.name] = task
            task.add_done_callback(_log_failure)

    def _find_bot_to_act(self, game: PageGame) -> int | None:
        colour = game.hosted.asked()
        if colour is None or game.hosted.seats[colour].kind != BOT or game.awaits_players:
            return None
        # An engine this server was not given makes the game wait for one that has it.
        return colour if self.opponents.knows(game.hosted.seats[colour].name) else None

    async def _drive(self, game: PageGame) -> None:
        """Let the bots of a game act, one after another, until a person is asked."""
        try:
            heard_s = time.monotonic()
            while (colour := self._find_bot_to_act(game)) is not None:
                if await self._let_act(game, colour, heard_s):
                    heard_s = time.monotonic()
        finally:
            # At once, so that whoever acts next finds nobody driving.
            if self._driving.get(game.name) is asyncio.current_task():
                del self._driving[game.name]

    async def _let_act(self, game: PageGame, colour: int, heard_s: float) -> bool:
        """One thing a bot does that was heard of last at `heard_s`; whether others hear of this one.

        One that fails forfeits the game.
        """
        begun, is_heard = moment_of(game.hosted), True
        try:
            action = await self._chosen(game, colour)
            is_heard = moment_of(game.hosted) != begun or others_hear(game.hosted, colour, action)
            if is_heard:
                await asyncio.sleep(self._pause_s(game, time.monotonic() - heard_s))
            if moment_of(game.hosted) != begun:
                # Something happened meanwhile, such as a resignation or an undo.
                return True
            game.hosted.answer(colour, action)
        except Exception as error:
            _log.warning(
                "%s in game %s failed: %s", game.hosted.seats[colour].name, game.name[:6], error, exc_info=True
            )
            if moment_of(game.hosted) != begun:
                return True
            if not game.hosted.is_over:
                game.hosted.play(colour, FORFEIT)
        self._announce_change(game)
        return is_heard

    def _pause_s(self, game: PageGame, spent_s: float) -> float:
        """How long a bot waits that has thought for a while, so that a person sees what it does.

        Where it may have been refused in private it acts at full steps only: each try takes time that others see.
        """
        rules, pause_s = game.hosted.rules, self.limits.pause_s
        if not (isinstance(rules, HiddenRules) and rules.refusal_is_private):
            return max(0.0, pause_s - spent_s)
        step_s = _PRIVATE_STEPS * pause_s
        return step_s - spent_s % step_s if step_s else 0.0

    async def _chosen(self, game: PageGame, colour: int) -> int:
        """What a bot does."""
        key = game.name, colour, game.hosted.epoch
        bot = self._bots.get(key)
        if bot is None:
            seat = game.hosted.seats[colour]
            bot = self._bots[key] = SeatedBot(self.opponents.make(seat.name, seat.level), game.hosted, colour)
        table = game.hosted.table
        heard, view, clock = table.game.heard(colour), view_to_move(table, colour), game.hosted.clocks.clock(colour)
        loop = asyncio.get_running_loop()
        pool = self._awaiting if self.opponents.is_elsewhere(game.hosted.seats[colour].name) else self._thinking
        return await loop.run_in_executor(pool, bot.choose, heard, view, clock)

    def _dismiss(self, game: PageGame) -> None:
        """The bots of a game leave."""
        self.advice.forget(game)
        for key in [key for key in self._bots if key[0] == game.name]:
            bot = self._bots.pop(key)
            with suppress(RuntimeError):  # the server ends
                self._awaiting.submit(_quietly, bot.leave)

    def _set_flag(self, game: PageGame) -> None:
        handle = self._flags.pop(game.name, None)
        if handle is not None:
            handle.cancel()
        left_s = game.hosted.clocks.time_left_s()
        if left_s is not None:
            later = asyncio.get_running_loop().call_later
            self._flags[game.name] = later(max(0.0, left_s) + 0.01, self._flag, game)

    def _flag(self, game: PageGame) -> None:
        if game.hosted.flag():
            self._announce_change(game)
        else:
            self._set_flag(game)


def odds_of(game: PageGame) -> Json:
    """How likely each line is to open at the next throw. Raises PageRefused in a game without dice."""
    rules = game.hosted.rules
    if not isinstance(rules, DicedRules):
        raise PageRefused("refusals.no_dice")
    if game.hosted.is_over:
        return {}
    return {str(line): round(odd, 4) for line, odd in line_odds(rules, game.hosted.table.position).items()}


def _standing(message: Json) -> Json:
    """How a game stands by a message, apart from the time that passes, from who is there and whether it can be kept.

    These are told in their own time or with the next news: told earlier they would tell that something happened.
    """
    return {key: value for key, value in message["state"].items() if key not in ("clocks", "periods")} | {
        "lost": message["lost"]
    }


def moment_of(hosted: HostedGame) -> tuple[int, int, int | None]:
    """What tells two moments of a game apart for whoever is asked; people's proposals do not, or they could make a bot
    think again and again until its time is over.
    """
    return hosted.epoch, len(hosted.table.game.events), hosted.asked()


def others_hear(hosted: HostedGame, colour: int, action: int) -> bool:
    """Whether anybody else will hear that the side which is asked does this."""
    rules, before = hosted.rules, hosted.table.position
    if rules.is_open or action < 0 or before.mover != colour:
        return True
    event, after = Event(colour, action), rules.play(before, action)
    return any(rules.hears(before, event, after, other) is not None for other in others(rules.colours, colour))


def _log_failure(done: "asyncio.Task[None]") -> None:
    if not done.cancelled() and done.exception() is not None:
        _log.error("a game stopped", exc_info=done.exception())


def _quietly(leave: Callable[[], None]) -> None:
    with suppress(Exception):
        leave()
