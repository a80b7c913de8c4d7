"""An account at KGS in any role: its login over HTTP, and its rooms, games and conversations.

A POST sends a message and a GET waits for messages. A cookie identifies the login, so each login has its own cookies.
Exactly one GET waits at any time. Posts go out in order, no faster than the configured pace, and never to a closed
channel, because the server would end the login.

`KgsClient.receive` returns each message after processing it, with its chat. Warnings of idleness and reports of
expired clocks are answered before they are returned.
"""

import asyncio
import json
import re
import textwrap
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from gtp_variants.base.json_values import Json, parse_json
from gtp_variants.bridge.core.config import ServerConfig
from gtp_variants.bridge.core.http_reply import ask
from gtp_variants.bridge.core.server import UNREADABLE, LoginReplaced, same_name
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.values import COLOURS, GUEST, ROBOT, KgsGame, has_flag, name_of, role_of
from gtp_variants.errors import PeerGarbled, PeerGone, PeerSilent, Refused
from gtp_variants.lang import load

Message = Json

# The type of the message that `receive` returns for a post with status 400.
REFUSED = "(refused)"
_CONNECT_S = 20.0
_POST_S = 60.0
# Maximum number of posts sent in a burst before the pace applies.
_BURST = 10
_DRAIN_S = 5.0
# Seconds for which a poll is awaited after a failed post.
_LAST_WORD_S = 2.0
_TOO_FAST = (429, 503)
_WAIT_S, _LONGEST_WAIT_S = 5.0, 300.0
# The shortest time between two polls without news, in seconds.
_GAP_S = 1.0
_HEADERS = {"Content-Type": "application/json; charset=utf-8"}
_LONGEST_REASON = 2000
_SAID = re.compile(r":KGS:(.*?):KGS:", re.DOTALL)


class Transport:
    """A login's connection to the server. `answers` returns the answer that a message needs at once, or None."""

    def __init__(
        self,
        config: ServerConfig,
        log: Callable[[str], None],
        answers: Callable[[Message], Message | None],
        may_post: Callable[[Message], bool],
    ) -> None:
        """`may_post` decides, just before a message is sent, whether to send it; the pace is in posts per second."""
        self._url, self._log, self._answers, self._may_post = config.url, log, answers, may_post
        self._gap_s = 1 / config.pace
        self._next_at = 0.0
        limits = httpx.Timeout(_POST_S, connect=_CONNECT_S, read=config.silence_s)
        self._http = httpx.AsyncClient(headers={"User-Agent": "gtp-variants"}, timeout=limits)
        self._arrived: asyncio.Queue[Message | Exception] = asyncio.Queue()
        self._outbox: deque[Message] = deque()
        self._news = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._error: Exception | None = None

    async def open(self, login: Message) -> None:
        """Send the first message, which sets the cookie, and start listening. Raises PeerGone if that fails."""
        await self._post(login)
        self._tasks = [asyncio.create_task(self._guard(work())) for work in (self._listen, self._send)]

    async def receive(self) -> Message:
        """Return the next message. Raises PeerError when the connection is lost."""
        if self._error is not None and self._arrived.empty():
            raise self._error
        item = await self._arrived.get()
        if isinstance(item, Exception):
            raise item
        return item

    def post(self, message: Message, *, is_urgent: bool = False) -> None:
        """Queue a message, or put an urgent message first. Raises PeerGone if the connection is lost."""
        if self._error is not None or not self._tasks:
            raise PeerGone("not connected")
        if is_urgent:
            self._outbox.appendleft(message)
        else:
            self._outbox.append(message)
        self._is_idle.clear()
        self._news.set()

    async def close(self, last: Message | None = None) -> None:
        """Send the queued messages and `last`, and close the connection, if it is open."""
        if self._tasks and self._error is None:
            if last is not None:
                self.post(last)
            with suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_S):
                    await self._is_idle.wait()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._http.aclose()

    async def _guard(self, work: Awaitable[None]) -> None:
        try:
            await work
            return
        except httpx.TimeoutException:
            error: Exception = PeerSilent("nothing received for too long")
        except (httpx.HTTPError, OSError) as raised:
            error = PeerGone(f"connection lost: {raised or type(raised).__name__}")
        except Exception as raised:
            # Without this task the login could no longer send or receive, so any error ends the login.
            error = raised
        if self._error is None:
            self._error = error
            self._arrived.put_nowait(error)
            self._is_idle.set()

    async def _listen(self) -> None:
        while True:
            began = asyncio.get_running_loop().time()
            reply = await ask(self._http, "GET", self._url)
            if reply.status_code in _TOO_FAST:
                await self._wait(reply)
                continue
            # KGS's clients disagree on whether 204 means no news or the end of the login, so let the next GET show.
            if reply.status_code not in (200, 204):
                raise PeerGone(f"the login has ended: {_why(reply)}")
            messages = _messages(reply)
            for message in messages:
                self._log(f"< {_format(message)}")
                answer = self._answers(message)
                if answer is not None:
                    self.post(answer, is_urgent=True)
                self._arrived.put_nowait(message)
            if not messages:
                await asyncio.sleep(max(0.0, began + _GAP_S - asyncio.get_running_loop().time()))

    async def _send(self) -> None:
        while True:
            while not self._outbox:
                self._is_idle.set()
                self._news.clear()
                await self._news.wait()
            now = asyncio.get_running_loop().time()
            self._next_at = max(self._next_at, now - _BURST * self._gap_s) + self._gap_s
            if self._next_at > now:
                await asyncio.sleep(self._next_at - now)
            message = self._outbox.popleft()
            if not self._may_post(message):
                continue
            try:
                await self._post(message)
            except PeerGone:
                # Wait for the poll, which may give the reason, such as another login.
                if listening := self._tasks[:1]:
                    await asyncio.wait(listening, timeout=_LAST_WORD_S)
                raise

    async def _post(self, message: Message) -> None:
        """Send a message, again later if we post too fast. Raises PeerGone if it cannot be sent."""
        self._log(f"> {_format(message)}")
        body = json.dumps(message, ensure_ascii=True).encode("ascii")
        while True:
            try:
                reply = await ask(self._http, "POST", self._url, content=body, headers=_HEADERS)
            except (httpx.HTTPError, OSError) as error:
                raise PeerGone(f"{self._url}: {error or type(error).__name__}") from None
            if reply.status_code not in _TOO_FAST:
                break
            await self._wait(reply)
        if reply.status_code == 400:
            self._log(f"refused: {_why(reply)}")
            self._arrived.put_nowait({"type": REFUSED, "refused": message, "text": _why(reply)})
        elif not reply.is_success:
            raise PeerGone(f"{message['type']}: {_why(reply)}")

    async def _wait(self, reply: httpx.Response) -> None:
        told = reply.headers.get("retry-after", "")
        wait_s = min(_LONGEST_WAIT_S, float(told)) if re.fullmatch(r"\d+(\.\d+)?", told) else _WAIT_S
        self._log(f"status {reply.status_code}: waits {wait_s:g} s")
        await asyncio.sleep(wait_s)


def _messages(reply: httpx.Response) -> list[Message]:
    """Return the messages in the reply to a poll. Raises PeerGarbled for any other reply."""
    if not reply.content:
        return []
    try:
        found = parse_json(reply.content)
    except ValueError as error:
        raise PeerGarbled(f"{reply.text[:80]!r}: expected a reply to a poll: {error}") from None
    messages = found.get("messages", []) if isinstance(found, dict) else None
    if not isinstance(messages, list):
        raise PeerGarbled(f"{reply.text[:80]!r}: expected a reply to a poll")
    return [message for message in messages if isinstance(message, dict) and isinstance(message.get("type"), str)]


def _why(reply: httpx.Response) -> str:
    said = _SAID.search(reply.text[:_LONGEST_REASON])
    words = said[1].strip() if said else reply.text[:200].strip()
    return f"status {reply.status_code}" + (f", {words}" if words else "")


def _format(message: Message) -> str:
    fields = {key: value for key, value in message.items() if key not in ("type", "password")}
    return f"{message['type']} {json.dumps(fields, ensure_ascii=False)}" if fields else str(message["type"])


_LOGIN_S = 60.0
# Seconds within which the same chat may arrive both as CHAT and in a comment.
_TWICE_WITHIN_S = 20.0
_KEYS = 2**15
_JOINS = [f"{place}_JOIN" for place in ("ROOM", "GAME", "CHALLENGE", "ARCHIVE", "CONVO", "GLOBAL_GAMES", "DETAILS")]
# Reasons for which a login will always fail.
_FOR_GOOD: Json = load(Path(__file__).with_suffix(".toml"))["refusals"]


@dataclass(frozen=True, slots=True)
class KgsChat:
    """A line that a user said in a channel."""

    channel: int
    user: str
    text: str


@dataclass(frozen=True, slots=True)
class KgsNews:
    """A message, its channel (0 without a channel), its game if any, and the chat of others in the message."""

    message: Message
    channel: int = 0
    game: KgsGame | None = None
    chats: tuple[KgsChat, ...] = ()

    @property
    def kind(self) -> str:
        return str(self.message["type"])


@dataclass(slots=True)
class KgsRoom:
    """A room we are in: its users, which of them are guests, and the open challenges and games by channel."""

    users: set[str] = field(default_factory=set)
    guests: set[str] = field(default_factory=set)
    challenges: dict[int, Message] = field(default_factory=dict)
    games: dict[int, Message] = field(default_factory=dict)


class KgsClient:
    """A login at KGS; after an error, a new login is needed."""

    def __init__(self, config: ServerConfig, log: Callable[[str], None]) -> None:
        self._config, self._log = config, log
        self._transport = Transport(config, log, self._answer_to, self._may_post)
        self.me = config.account
        self.room_names: dict[int, str] = {}
        self.rooms: dict[int, KgsRoom] = {}
        self.games: dict[int, KgsGame] = {}
        self._open: set[int] = set()
        self._key = 0
        self._fences: dict[int, Callable[[], None]] = {}
        # Conversations by lower-case user name, and texts that wait until a conversation is joined. A conversation ends
        # when the user leaves the room, because the user's next login does not rejoin it.
        self._conversations: dict[str, int] = {}
        self._conversed: dict[int, str] = {}
        self._unsaid: dict[str, list[str]] = {}
        self._asked: dict[int, str] = {}
        self._heard: deque[tuple[float, bool, KgsChat]] = deque()

    async def login(self) -> None:
        """Log in. Raises Refused if every login would fail, else LoginReplaced, PeerGone or PeerSilent."""
        config = self._config
        login = {"type": "LOGIN", "name": config.account, "password": config.password.reveal(), "locale": "en_US"}
        await self._transport.open(login)
        try:
            async with asyncio.timeout(_LOGIN_S):
                while (await self.receive()).kind != "LOGIN_SUCCESS":
                    pass
        except TimeoutError:
            raise PeerSilent("no reply to the login") from None

    async def close(self) -> None:
        """Log out, if we are logged in."""
        await self._transport.close({"type": "LOGOUT"})

    def post(self, kind: str, **fields: object) -> None:
        """Send a message without a channel. Raises PeerGone if the connection is lost."""
        self._transport.post({"type": kind, **fields})

    def to(self, channel: int, kind: str, **fields: object) -> None:
        """Send a message to a channel, or drop it if the channel is closed by then. Raises PeerGone if disconnected."""
        self._transport.post({"type": kind, "channelId": channel, **fields})

    def next_key(self) -> int:
        """Return a new number by which an answer can be recognised."""
        self._key = self._key % _KEYS + 1
        return self._key

    def fence(self, then: Callable[[], None]) -> None:
        """Call `then` once the server has handled everything posted so far. Raises PeerGone if disconnected."""
        key = self.next_key()
        self._fences[key] = then
        self.post("SYNC_REQUEST", callbackKey=key)

    def join(self, channel: int) -> None:
        """Ask to join a channel. Only a `fence` reveals a refusal. Raises PeerGone if the connection is lost."""
        self.to(channel, "JOIN_REQUEST")

    def leave(self, channel: int) -> None:
        self.to(channel, "UNJOIN_REQUEST")

    def is_in(self, channel: int) -> bool:
        return channel in self._open

    @property
    def is_playing(self) -> bool:
        """True if we are playing in an unfinished game."""
        return any(game.role(self.me) in COLOURS and "over" not in game.flags for game in self.games.values())

    def chat(self, channel: int, text: str) -> None:
        """Say something in a channel. Raises PeerGone if the connection is lost."""
        for line in textwrap.wrap(text, values.LONGEST_CHAT):
            self.to(channel, "CHAT", text=line)

    def tell(self, user: str, text: str) -> None:
        """Send a private message. Raises PeerGone if the connection is lost."""
        name = user.lower()
        if name in self._conversations:
            self.chat(self._conversations[name], text)
            return
        waiting = self._unsaid.setdefault(name, [])
        waiting.append(text)
        if len(waiting) == 1:
            key = self.next_key()
            self._asked[key] = name
            self.post("CONVO_REQUEST", callbackKey=key, name=user)

    def _may_post(self, message: Message) -> bool:
        channel, kind = message.get("channelId"), message["type"]
        if channel is None or kind == "JOIN_REQUEST":
            return True
        if channel not in self._open:
            self._log(f"not sent, channel {channel} is closed: {kind}")
            return False
        if kind == "UNJOIN_REQUEST":
            self._open.discard(channel)
        return True

    def _answer_to(self, message: Message) -> Message | None:
        if message["type"] == "IDLE_WARNING":
            return {"type": "WAKE_UP"}
        if message["type"] == "GAME_TIME_EXPIRED" and isinstance(message.get("channelId"), int):
            # Answer at once, because otherwise we would count as disconnected.
            return {"type": "GAME_TIME_EXPIRED", "channelId": message["channelId"]}
        return None

    async def receive(self) -> KgsNews:
        """Return the next message. Raises PeerError when the login has ended, Refused if it was rejected."""
        message = await self._transport.receive()
        try:
            return self._take_in(message)
        except UNREADABLE as error:
            self._log(f"cannot read {message['type']}: {error!r}")
            return KgsNews(message)

    def _take_in(self, message: Message) -> KgsNews:
        kind = message["type"]
        channel = int(message.get("channelId") or 0)
        self._end_of_login(kind, message)
        if kind in _JOINS and channel > 0:
            self._open.add(channel)
        game = self.games.get(channel)
        chats: list[KgsChat] = []
        match kind:
            case "LOGIN_SUCCESS":
                self.me = name_of(message.get("you")) or self.me
                self.room_names = {int(room["channelId"]): "" for room in message.get("rooms", ())}
            case "ROOM_NAMES":
                self.room_names |= {int(room["channelId"]): str(room["name"]) for room in message["rooms"]}
            case "ROOM_JOIN":
                users = message.get("users", ())
                guests = {name_of(user) for user in users if has_flag(user, GUEST)}
                self.rooms[channel] = KgsRoom({name_of(user) for user in users}, guests)
                self._list_games(channel, message)
            case "GAME_LIST":
                self._list_games(channel, message)
            case "GAME_CONTAINER_REMOVE_GAME":
                for listed in (self._room(channel).challenges, self._room(channel).games):
                    listed.pop(int(message["gameId"]), None)
            case "USER_ADDED" | "USER_REMOVED":
                self._people_change(channel, kind, message["user"])
            case "GAME_JOIN":
                game, chats = self._add_game(channel, message), []
            case "GAME_UPDATE" if game is not None:
                chats = self._read_comments(game, message)
            case "GAME_STATE" | "GAME_OVER" if game is not None:
                game.take_in(message)
            case "CHANNEL_ALREADY_JOINED" if channel in self._conversed:
                self._conversation(channel, self._conversed[channel], message.get("callbackKey"))
            case "CHAT":
                chats = self._new_chats([KgsChat(channel, name_of(message["user"]), str(message["text"]))], False)
                if chats and channel in self._conversed:
                    self._conversations[self._conversed[channel].lower()] = channel
            case "CONVO_JOIN":
                self._conversation(channel, name_of(message["user"]), message.get("callbackKey"))
            case "CONVO_NO_SUCH_USER":
                self._unsaid.pop(self._asked.pop(int(message["callbackKey"]), ""), None)
            case "SYNC":
                self._fences.pop(int(message["callbackKey"]), lambda: None)()
            case "UNJOIN" | "CLOSE":
                self._open.discard(channel)
                self.games.pop(channel, None)
                self.rooms.pop(channel, None)
                self._conversations = {name: each for name, each in self._conversations.items() if each != channel}
        return KgsNews(message, channel, game, tuple(chats))

    def _end_of_login(self, kind: str, message: Message) -> None:
        said = str(message.get("text") or "")
        if kind in _FOR_GOOD:
            raise Refused("login", said or _FOR_GOOD[kind])
        if kind == "RECONNECT":
            raise LoginReplaced(said or "another login with this account")
        if kind == "LOGOUT":
            raise PeerGone(f"logged out: {said or 'the server does not say why'}")

    def _room(self, channel: int) -> KgsRoom:
        return self.rooms.get(channel) or KgsRoom()

    def _list_games(self, channel: int, message: Message) -> None:
        room = self._room(channel)
        for listed in message.get("games", ()):
            kept = room.challenges if listed.get("gameType") == "challenge" else room.games
            kept[int(listed["channelId"])] = listed

    def _people_change(self, channel: int, kind: str, user: object) -> None:
        game, room, name = self.games.get(channel), self._room(channel), name_of(user)
        users = game.users if game is not None else room.users
        room.guests.discard(name)
        if kind == "USER_ADDED":
            users.add(name)
            room.guests |= {name} if has_flag(user, GUEST) else set()
        else:
            users.discard(name)
            if game is None:
                self._conversations.pop(name.lower(), None)

    def _add_game(self, channel: int, message: Message) -> KgsGame:
        summary = message["gameSummary"]
        players = {role_of(role): name_of(user) for role, user in summary.get("players", {}).items()}
        game = KgsGame(channel, str(summary.get("timestamp", channel)), str(summary.get("gameType", "")), players)
        users = summary.get("players", {}).values()
        game.programs = frozenset(name_of(user) for user in users if has_flag(user, ROBOT))
        game.users = {name_of(user) for user in message.get("users", ())}
        game.take_in(message)
        # Ignore chat from before we joined.
        self._read_comments(game, message)
        self.games[channel] = game
        return game

    def _read_comments(self, game: KgsGame, message: Message) -> list[KgsChat]:
        said, unread = game.tree.apply(message.get("sgfEvents", ()))
        for event in unread:
            self._log(f"cannot read {event}")
        return self._new_chats([KgsChat(game.channel, user, text) for user, text in said], True)

    def _new_chats(self, chats: list[KgsChat], is_comment: bool) -> list[KgsChat]:
        """Return other users' chat, only once if it arrives both as CHAT and in a comment."""
        now = asyncio.get_running_loop().time()
        while self._heard and now - self._heard[0][0] > _TWICE_WITHIN_S:
            self._heard.popleft()
        found = []
        for chat in chats:
            chat = KgsChat(chat.channel, chat.user, chat.text.strip())
            twin = next((each for each in self._heard if each[1] != is_comment and each[2] == chat), None)
            if twin is not None:
                self._heard.remove(twin)
                continue
            self._heard.append((now, is_comment, chat))
            if not same_name(chat.user, self.me):
                found.append(chat)
        return found

    def _conversation(self, channel: int, user: str, key: int | None) -> None:
        self._conversations[user.lower()] = channel
        self._conversed[channel] = user
        if key is not None:
            self._asked.pop(key, None)
        for text in self._unsaid.pop(user.lower(), ()):
            self.chat(channel, text)
