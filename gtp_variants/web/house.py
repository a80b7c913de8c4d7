"""All games of one server: who listens to them, the bots that think in threads, what is kept.

Everything but thinking happens in the one thread of the event loop.
"""

import asyncio
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeGuard

from gtp_variants.broadcast.publisher import HEARTBEAT_S
from gtp_variants.errors import NotationError
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.player import Player
from gtp_variants.players.table import view_to_move
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.web.advice import Advice
from gtp_variants.web.dice import Dice
from gtp_variants.web.hints import odds
from gtp_variants.web.live import LiveGames, NoRoom, Relay
from gtp_variants.web.opponents import Opponents
from gtp_variants.web.refusals import PageRefused
from gtp_variants.web.room import BOT, MOST_EVENTS, PERSON, Chair, Room, begun, digest, from_text, new_token
from gtp_variants.web.store import Store
from gtp_variants.web.told import REFEREE, Json

_DAY_S = 86_400
_log = logging.getLogger("gtp_variants.web")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the server takes on.

    `games` are kept at most and `live` ones shown that are played elsewhere, each given up for lost after `lost_s`
    without a word; `sockets` are open at most, `listeners` to one game; `queue` messages wait for a slow client;
    `rate_hz` messages a second may come from one in the long run and `burst` at once; `message` bytes in one, `upload`
    bytes in a record; `threads` bots and `engines` engines think at the same time. A bot's move takes `pause_s` at
    least, so that a person sees it; who came and went is told after `meeting_s`.
    """

    games: int = 1000
    sockets: int = 600
    listeners: int = 300
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
    threads: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))


class Full(PageRefused):
    """A limit of the server is reached, or it cannot keep anything."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(key, 503, **parts)


class Listener:
    """One socket: what it was told last, and what waits to be sent to it."""

    def __init__(self, room: Room, colour: int | None, most: int, lang: str = "en") -> None:
        self.room = room
        self.colour = colour
        self.lang = lang
        self.queue: asyncio.Queue[str] = asyncio.Queue(most)
        # As what it listens, how often something had been taken back then, how much news it has.
        self.heard: tuple[int, int, int] | None = None
        # Set when it reads so slowly that it is given up; it may come again.
        self.is_lost = asyncio.Event()

    def send(self, text: str) -> None:
        """Put a message in the queue."""
        try:
            self.queue.put_nowait(text)
        except asyncio.QueueFull:
            self.is_lost.set()


class _Sitter:
    """A bot at a chair, which is told what it missed when it is asked. Used by one thread at a time."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._count: int | None = None
        # A thread cannot be stopped: who leaves waits for it.
        self._lock = Lock()

    def choose(self, room: Room, colour: int, heard: list[News], view: View, clock: Clock) -> int:
        with self._lock:
            if self._count is None:
                self._player.sit(room.rules, colour, room.seed(f"seat {colour}"))
                self._count = 0
            for news in heard[self._count :]:
                self._player.hear(news)
            self._count = len(heard)
            return self._player.choose(view, clock)

    def leave(self, room: Room) -> None:
        with self._lock:
            if self._count is not None:
                self._player.leave(room.table.game.outcome)


class House:
    """The games of one server."""

    def __init__(self, store: Store, limits: Limits = Limits(), opponents: Opponents | None = None) -> None:
        self.store = store
        self.limits = limits
        self.opponents = opponents or Opponents()
        self.live = LiveGames(limits.live)
        self.dice = Dice(store, limits.games)
        self.advice = Advice()
        self._rooms: dict[str, Room] = {}
        self._listeners: dict[str, set[Listener]] = {}
        self._sitters: dict[tuple[str, int, int], _Sitter] = {}
        self._driving: dict[str, asyncio.Task[None]] = {}
        self._flags: dict[str, asyncio.TimerHandle] = {}
        # When listeners hear who came and went.
        self._meetings: dict[str, asyncio.TimerHandle] = {}
        # When a game that is played elsewhere is given up for lost.
        self._silences: dict[str, asyncio.TimerHandle] = {}
        self._thinking = ThreadPoolExecutor(limits.threads, thread_name_prefix="bot")
        # Who waits for an engine does not keep bots from thinking.
        self._awaiting = ThreadPoolExecutor(limits.engines, thread_name_prefix="engine")
        self._unkept: set[str] = set()

    async def close(self) -> None:
        """Everybody leaves; the games are kept already."""
        for handle in (*self._flags.values(), *self._meetings.values(), *self._silences.values()):
            handle.cancel()
        tasks = list(self._driving.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.advice.close()
        for pool in (self._thinking, self._awaiting):
            pool.shutdown(wait=False, cancel_futures=True)
        self.store.close()

    # -- games ---------------------------------------------------------------------------------------------------------

    def begin(self, asked: Mapping[str, Any]) -> tuple[Room, dict[str, str]]:
        """A new game from a SPEC and who sits where; the token of each person's seat. Raises VariantsError, Full."""
        spec = asked.get("spec")
        if not isinstance(spec, str):
            raise NotationError("spec: expected a text")
        rules = parse(spec, {"lang": asked["lang"]} if isinstance(asked.get("lang"), str) else {})
        chairs, tokens = _seated(rules, asked.get("seats", {}), self.opponents)
        control, referee = _control(asked.get("clock")), ""
        if asked.get("referee"):
            if len(tokens) < len(chairs):
                raise NotationError("referee: expected people at all seats")
            # They sit at real boards: one token is all there is.
            chairs, tokens = dict.fromkeys(chairs, Chair(PERSON)), {"referee": new_token()}
            referee = digest(tokens["referee"])
        self._make_room()
        room = Room(new_token(), begun(rules), chairs, control, referee=referee)
        self._add(room)
        return room, tokens

    def show(self, record: Record) -> Room:
        """A record to look at. Raises PageRefused for one that no screen can show, Full."""
        if record.game.position.to_play == CHANCE and not record.game.rules.is_final(record.game.position):
            raise PageRefused("page.before_a_throw")
        if len(record.game.events) > MOST_EVENTS:
            raise PageRefused("page.long_record", count=MOST_EVENTS)
        self._make_room()
        room = Room(new_token(), record, {})
        self._add(room)
        return room

    def _make_room(self) -> None:
        spare = self.store.count() - self.limits.games + 1
        if spare > 0 and self.store.forget_over(spare) < spare:
            raise Full("page.many_games", count=self.limits.games)

    def _add(self, room: Room) -> None:
        self._keep(room)
        if room.name in self._unkept:
            self._unkept.discard(room.name)
            raise Full("page.cannot_keep")

    def room(self, name: object) -> Room | None:
        """The game of a name, from the store if need be; None if there is none."""
        if not isinstance(name, str) or not name.isascii():
            return None
        room = self._rooms.get(name) or self.live.get(name)
        if room is None:
            text = self.store.load(name)
            room = None if text is None else from_text(name, text)
        return room

    def latest(self, most: int = 20) -> list[Json]:
        """The games that something happened in last: what anybody may know of them who may watch them."""
        rooms = [room for room in map(self.room, self.store.ids(most)) if room is not None]
        return [self._summary(room) for room in rooms]

    def shown(self) -> list[Json]:
        """The games that are played elsewhere, those that go on first, of each kind the latest first."""
        relays = sorted(self.live.all(), key=lambda relay: relay.is_over or relay.is_lost)
        return [
            {**self._summary(each), "source": each.head.source, "name": each.head.title, "lost": each.is_lost}
            for each in relays
        ]

    def _summary(self, room: Room) -> Json:
        return {
            "game": room.name,
            "title": room.rules.title,
            "spec": room.rules.spec,
            "turn": room.table.position.turn,
            "over": room.is_over,
            "seats": self.seats(room),
        }

    def publish(self, name: str, told: Mapping[str, Any]) -> None:
        """A game that is played elsewhere stands so now. Raises VariantsError, Full, Unknown."""
        if self.live.get(name) is None and self.room(name) is not None:
            raise NotationError("a game of this name is played here")
        try:
            relay = self.live.tell(name, told, self._listeners.__contains__)
        except NoRoom:
            raise Full("page.many_live", count=self.limits.live) from None
        self._tell(relay)
        handle = self._silences.pop(name, None)
        if handle is not None:
            handle.cancel()
        if not relay.is_over:
            later = asyncio.get_running_loop().call_later
            self._silences[name] = later(self.limits.lost_s, self._lose, relay)

    def _lose(self, relay: Relay) -> None:
        """Nothing was heard of a game for a while."""
        del self._silences[relay.name]
        relay.is_lost = True
        if relay.name in self._listeners:
            self._tell_who(relay)

    def _keep(self, room: Room) -> None:
        """Write a game; where that fails it goes on, and those at it are told."""
        try:
            self.store.keep(room.name, room.to_text(), room.is_over)
            self._unkept.discard(room.name)
        except sqlite3.Error as error:
            _log.error("game %s cannot be kept: %s", room.name[:6], error)
            self._unkept.add(room.name)

    # -- listening -----------------------------------------------------------------------------------------------------

    def join(self, room: Room, colour: int | None, lang: str = "en") -> Listener:
        """A socket listens to a game from now on, from a seat or as one who watches; told of errors in a language.

        Raises Full.
        """
        if sum(map(len, self._listeners.values())) >= self.limits.sockets:
            raise Full("page.many_sockets")
        listeners = self._listeners.setdefault(room.name, set())
        if len(listeners) >= self.limits.listeners:
            raise Full("page.many_listeners")
        room = self._rooms.setdefault(room.name, room)
        listener = Listener(room, colour, self.limits.queue, lang)
        listeners.add(listener)
        self._tell(room, [listener])
        self._tell_who(room)
        self._go_on(room)
        return listener

    def leave(self, listener: Listener) -> None:
        """A socket is gone. A game nobody listens to sleeps in the store."""
        room = listener.room
        listeners = self._listeners[room.name]
        listeners.discard(listener)
        if listeners:
            self._tell_who(room)
            return
        del self._listeners[room.name]
        if room.name in self._unkept:
            self._keep(room)
        if room.name in self._unkept:
            return
        if room.control.kind == "none" or room.is_over:
            self._rooms.pop(room.name, None)
            task = self._driving.pop(room.name, None)
            if task is not None:
                task.cancel()
            self._dismiss(room)

    def seats(self, room: Room) -> Json:
        """Who sits where, and whether somebody is there."""
        here = {listener.colour for listener in self._listeners.get(room.name, ())}
        return {
            COLOUR_LETTERS[colour]: {
                "kind": chair.kind,
                "bot": chair.bot,
                "level": chair.level,
                "here": chair.kind != PERSON or colour in here or REFEREE in here,
            }
            for colour, chair in room.chairs.items()
        }

    def _who(self, room: Room) -> Json:
        return {
            "seats": self.seats(room),
            "watching": sum(each.colour is None for each in self._listeners[room.name]),
            "kept": room.name not in self._unkept,
            "lost": room.is_lost,
        }

    def _tell_who(self, room: Room) -> None:
        """Tell soon who is there: of many who come at once the others hear once."""
        if room.name not in self._meetings:
            later = asyncio.get_running_loop().call_later
            self._meetings[room.name] = later(self.limits.meeting_s, self._meet, room)

    def _meet(self, room: Room) -> None:
        del self._meetings[room.name]
        if room.name not in self._listeners:
            return
        text = json.dumps({"type": "who", **self._who(room)})
        for listener in self._listeners[room.name]:
            listener.send(text)

    def _tell(self, room: Room, only: Iterable[Listener] | None = None) -> None:
        """Tell listeners what they have not heard yet; each audience's message is written once."""
        listeners = self._listeners.get(room.name, ()) if only is None else only
        if not listeners:
            return
        shared = self._who(room)
        written: dict[tuple[int, tuple[int, int, int] | None, int | None], str] = {}
        for listener in listeners:
            if listener.is_lost.is_set():
                continue
            audience = room.audience(listener.colour)
            heard = listener.heard
            if heard is not None and heard[:2] != (audience, room.epoch):
                heard = None
            key = audience, heard, listener.colour if heard is None else None
            if key not in written:
                written[key] = json.dumps(
                    self._message(room, audience, heard, listener.colour, shared), ensure_ascii=False
                )
            listener.heard = audience, room.epoch, len(room.transcript(audience).items)
            listener.send(written[key])

    def _message(
        self, room: Room, audience: int, heard: tuple[int, int, int] | None, colour: int | None, shared: Json
    ) -> Json:
        if heard is not None:
            state = room.state(audience)
            return {"type": "news", "news": room.transcript(audience).items[heard[2] :], "state": state, **shared}
        return {
            "type": "game",
            "game": room.name,
            "spec": room.rules.spec,
            "title": room.rules.title,
            "you": None if colour is None or colour == REFEREE else COLOUR_LETTERS[colour],
            "referee": colour == REFEREE,
            "open": bool(room.rules.is_open),
            "commitment": room.record.commitment if hasattr(room.rules, "dice") else None,
            **room.told(audience),
            **shared,
        }

    # -- what happens --------------------------------------------------------------------------------------------------

    def act(self, listener: Listener, words_of: Mapping[str, Any]) -> None:
        """Somebody at a seat does something. Raises VariantsError."""
        room = listener.room
        if listener.colour is None:
            raise PageRefused("page.watching")
        room.act(listener.colour, words_of)
        self._changed(room)

    def _changed(self, room: Room) -> None:
        """Something happened: keep it before anybody hears of it, so that no dice are seen that a crash could undo."""
        self._keep(room)
        self._tell(room)
        self._go_on(room)

    def _go_on(self, room: Room) -> None:
        """Let bots act and clocks run out."""
        self._set_flag(room)
        if room.is_over:
            self._dismiss(room)
            if room.name not in self._listeners:
                self._rooms.pop(room.name, None)
        elif room.name not in self._driving and self._bot_asked(room) is not None:
            task = asyncio.create_task(self._drive(room))
            self._driving[room.name] = task
            task.add_done_callback(_log_failure)

    def _bot_asked(self, room: Room) -> int | None:
        colour = room.asked()
        if colour is None or room.chairs[colour].kind != BOT:
            return None
        # An engine this server was not given makes the game wait for one that has it.
        return colour if room.chairs[colour].bot in self.opponents.names() else None

    async def _drive(self, room: Room) -> None:
        """Let the bots of a game act, one after another, until a person is asked."""
        try:
            while (colour := self._bot_asked(room)) is not None:
                await self._let_act(room, colour)
        finally:
            # At once, so that whoever acts next finds nobody driving.
            if self._driving.get(room.name) is asyncio.current_task():
                del self._driving[room.name]

    async def _let_act(self, room: Room, colour: int) -> None:
        """One thing a bot does; one that fails forfeits the game."""
        version = room.version
        try:
            action = await self._chosen(room, colour)
            if room.version != version:
                # Something happened meanwhile, such as a resignation or an undo.
                return
            room.answer(colour, action)
        except Exception as error:
            _log.warning("%s in game %s failed: %s", room.chairs[colour].bot, room.name[:6], error, exc_info=True)
            if room.version != version:
                return
            room.forfeit(colour)
        self._changed(room)

    async def _chosen(self, room: Room, colour: int) -> int:
        """What a bot does; it takes a moment at least."""
        key = room.name, colour, room.epoch
        sitter = self._sitters.get(key)
        if sitter is None:
            chair = room.chairs[colour]
            sitter = self._sitters[key] = _Sitter(self.opponents.make(chair.bot, chair.level))
        heard, view = room.table.game.heard(colour), view_to_move(room.table, colour)
        loop = asyncio.get_running_loop()
        pool = self._awaiting if self.opponents.is_engine(room.chairs[colour].bot) else self._thinking
        pause = asyncio.sleep(self.limits.pause_s)
        action, _ = await asyncio.gather(
            loop.run_in_executor(pool, sitter.choose, room, colour, heard, view, room.clock(colour)), pause
        )
        return action

    def _dismiss(self, room: Room) -> None:
        """The bots of a game leave."""
        self.advice.forget(room)
        for key in [key for key in self._sitters if key[0] == room.name]:
            sitter = self._sitters.pop(key)
            with suppress(RuntimeError):  # the server ends
                self._awaiting.submit(_quietly, sitter.leave, room)

    def _set_flag(self, room: Room) -> None:
        handle = self._flags.pop(room.name, None)
        if handle is not None:
            handle.cancel()
        left_s = room.left_s()
        if left_s is not None:
            later = asyncio.get_running_loop().call_later
            self._flags[room.name] = later(max(0.0, left_s) + 0.01, self._flag, room)

    def _flag(self, room: Room) -> None:
        if room.flag():
            self._changed(room)
        else:
            self._set_flag(room)


def odds_of(room: Room) -> Json:
    """How likely each line is to open at the next throw. Raises PageRefused in a game without dice."""
    if not hasattr(room.rules, "dice"):
        raise PageRefused("refusals.no_dice")
    return (
        {}
        if room.is_over
        else {str(line): round(odd, 4) for line, odd in odds(room.rules, room.table.position).items()}
    )


def _log_failure(done: "asyncio.Task[None]") -> None:
    if not done.cancelled() and done.exception() is not None:
        _log.error("a game stopped", exc_info=done.exception())


def _quietly(leave: Callable[[Room], None], room: Room) -> None:
    with suppress(Exception):
        leave(room)


def _seated(rules: Rules, seats: object, opponents: Opponents) -> tuple[dict[int, Chair], dict[str, str]]:
    """Who sits at each colour, a person where nobody is named; the tokens by the colours' letters."""
    letters = {COLOUR_LETTERS[colour]: colour for colour in rules.colours}
    if not isinstance(seats, dict) or not set(seats) <= set(letters):
        raise NotationError(f"seats: expected who plays {' '.join(letters)}")
    chairs, tokens = dict[int, Chair](), dict[str, str]()
    for letter, colour in letters.items():
        chairs[colour], token = _chair(rules, seats.get(letter, {"kind": PERSON}), opponents)
        if token:
            tokens[letter] = token
    return chairs, tokens


def _chair(rules: Rules, asked: object, opponents: Opponents) -> tuple[Chair, str]:
    """Who sits at a colour, and the token if it is a person. Raises NotationError for what is no such thing."""
    if not isinstance(asked, dict) or asked.get("kind") not in (PERSON, BOT):
        raise NotationError('seats: expected {"kind": "person"} or {"kind": "bot", "bot": NAME, "level": 5}')
    if asked["kind"] == PERSON:
        token = new_token()
        return Chair(PERSON, digest(token)), token
    chair = Chair(BOT, "", asked.get("bot") or bots.default(rules), asked.get("level"))
    opponents.make(chair.bot, chair.level)
    return chair, ""


def _control(asked: object) -> TimeControl:
    """The time control of a new game: main time and seconds for each move. Raises NotationError."""
    if asked is None:
        return TimeControl()
    if isinstance(asked, dict):
        main_s, increment_s = asked.get("main_s"), asked.get("increment_s")
        if _is_time(main_s, 1) and _is_time(increment_s, 0):
            return TimeControl("fischer", main_s=main_s, increment_s=increment_s)
    raise NotationError("clock: expected main_s of 1 to 86400 and increment_s of 0 to 86400")


def _is_time(value: object, least: float) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= _DAY_S
