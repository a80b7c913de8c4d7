"""An account at KGS, whatever it does there: the rooms, games, challenges and conversations it is in.

`receive` gives each message of the server once what it says has been taken in, with what people said in it. What must
be answered at once is answered before: a warning of idleness, a clock that ran out. Nothing is posted to a channel that
is closed: the server ends a login that does.
"""

import asyncio
import textwrap
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from gtp_variants.bridge.core.config import ServerConfig
from gtp_variants.bridge.core.server import UNREADABLE, LoginReplaced
from gtp_variants.bridge.kgs.game_tree import KgsGame
from gtp_variants.bridge.kgs.transport import Message, Transport
from gtp_variants.bridge.kgs.values import COLOURS, LONGEST_CHAT, is_guest, is_program, name_of, role_of, same_name
from gtp_variants.errors import PeerGone, PeerSilent, Refused

_LOGIN_S = 60.0
# What a player says comes as CHAT, as a line of a comment, or as both, at most so long after each other.
_TWICE_WITHIN_S = 20.0
_KEYS = 2**15
_JOINS = (
    *("ROOM_JOIN", "GAME_JOIN", "CHALLENGE_JOIN", "ARCHIVE_JOIN", "CONVO_JOIN", "GLOBAL_GAMES_JOIN", "DETAILS_JOIN"),
)
# Login words that stay true however often one tries.
_FOR_GOOD = {
    "LOGIN_FAILED_NO_SUCH_USER": "there is no such account",
    "LOGIN_FAILED_BAD_PASSWORD": "the password is wrong",
    "LOGIN_FAILED_USER_ALREADY_EXISTS": "the name belongs to somebody; an account needs its password",
    "LOGIN_FAILED_KEEP_OUT": "the account is kept out",
}


@dataclass(frozen=True, slots=True)
class KgsChat:
    """Somebody said something in a channel."""

    channel: int
    user: str
    text: str


@dataclass(frozen=True, slots=True)
class KgsNews:
    """A message, its channel (0 for none), the game it belongs to if any, and what others said in it."""

    message: Message
    channel: int = 0
    game: KgsGame | None = None
    chats: tuple[KgsChat, ...] = ()

    @property
    def kind(self) -> str:
        """The message's type."""
        return str(self.message["type"])


@dataclass(slots=True)
class KgsRoom:
    """A room we are in: who is there, guests among them, the open challenges and the games by channel."""

    channel: int
    users: set[str] = field(default_factory=set)
    guests: set[str] = field(default_factory=set)
    challenges: dict[int, Message] = field(default_factory=dict)
    games: dict[int, Message] = field(default_factory=dict)


class KgsClient:
    """A login at KGS. After an error it is of no more use: the next login is a new one."""

    def __init__(self, config: ServerConfig, log: Callable[[str], None]) -> None:
        self._config, self._log = config, log
        self._transport = Transport(
            config.url, log, self._answer_to, self._may_post, silence_s=config.silence_s, pace=config.pace
        )
        self.me = config.account
        self.room_names: dict[int, str] = {}
        self.rooms: dict[int, KgsRoom] = {}
        self.games: dict[int, KgsGame] = {}
        self._open: set[int] = set()
        self._key = 0
        self._fences: dict[int, Callable[[], None]] = {}
        # Conversations by name in lower case, and what waits to be said until they are joined. Those with people who
        # left the room are asked for anew: who logs in again is in none.
        self._conversations: dict[str, int] = {}
        self._conversed: dict[int, str] = {}
        self._unsaid: dict[str, list[str]] = {}
        self._asked: dict[int, str] = {}
        self._heard: deque[tuple[float, bool, KgsChat]] = deque()

    async def login(self) -> None:
        """Log in. Raises Refused for good, Replaced, PeerGone and PeerSilent for now."""
        config = self._config
        login = {"type": "LOGIN", "name": config.account, "password": config.password.reveal(), "locale": "en_US"}
        await self._transport.open(login)
        try:
            async with asyncio.timeout(_LOGIN_S):
                while (await self.receive()).kind != "LOGIN_SUCCESS":
                    pass
        except TimeoutError:
            raise PeerSilent("the login is not answered") from None

    async def close(self) -> None:
        """Log out. May be called again."""
        await self._transport.close({"type": "LOGOUT"})

    # -- what we say ---------------------------------------------------------------------------------------------------

    def post(self, kind: str, **fields: object) -> None:
        """Send a message that belongs to no channel. Raises PeerGone."""
        self._transport.post({"type": kind, **fields})

    def to(self, channel: int, kind: str, **fields: object) -> None:
        """Send a message to a channel; dropped where that is closed by the time. Raises PeerGone."""
        self._transport.post({"type": kind, "channelId": channel, **fields})

    def next_key(self) -> int:
        """A number by which the answer to a question is known."""
        self._key = self._key % _KEYS + 1
        return self._key

    def fence(self, then: Callable[[], None]) -> None:
        """Do something once the server has carried out what was posted before. Raises PeerGone."""
        key = self.next_key()
        self._fences[key] = then
        self.post("SYNC_REQUEST", callbackKey=key)

    def join(self, channel: int) -> None:
        """Ask to join a channel; what cannot be joined is not answered, which a `fence` shows. Raises PeerGone."""
        self.to(channel, "JOIN_REQUEST")

    def leave(self, channel: int) -> None:
        """Leave a channel. Raises PeerGone."""
        self.to(channel, "UNJOIN_REQUEST")

    def is_in(self, channel: int) -> bool:
        """Return True if a channel is joined and open."""
        return channel in self._open

    @property
    def is_playing(self) -> bool:
        """True if we play in a game that is not over."""
        return any(game.role(self.me) in COLOURS and "over" not in game.flags for game in self.games.values())

    def chat(self, channel: int, text: str) -> None:
        """Say something in a channel. Raises PeerGone."""
        for line in textwrap.wrap(text, LONGEST_CHAT):
            self.to(channel, "CHAT", text=line)

    def tell(self, user: str, text: str) -> None:
        """Say something to somebody in private. Raises PeerGone."""
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
            # It asks whether we are there; silence would count as a lost line.
            return {"type": "GAME_TIME_EXPIRED", "channelId": message["channelId"]}
        return None

    # -- what we hear --------------------------------------------------------------------------------------------------

    async def receive(self) -> KgsNews:
        """The next message. Raises PeerError when the login has ended, Refused when there will be none."""
        message = await self._transport.receive()
        try:
            return self._take_in(message)
        except UNREADABLE as error:
            self._log(f"cannot be read: {message['type']}: {error!r}")
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
                guests = {name_of(user) for user in users if is_guest(user)}
                self.rooms[channel] = KgsRoom(channel, {name_of(user) for user in users}, guests)
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
                self._close_channel(channel)
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
        return self.rooms.get(channel) or KgsRoom(channel)

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
            room.guests |= {name} if is_guest(user) else set()
        else:
            users.discard(name)
            if game is None:
                self._conversations.pop(name.lower(), None)

    def _add_game(self, channel: int, message: Message) -> KgsGame:
        summary = message["gameSummary"]
        players = {role_of(role): name_of(user) for role, user in summary.get("players", {}).items()}
        game = KgsGame(channel, str(summary.get("timestamp", channel)), str(summary.get("gameType", "")), players)
        game.programs = frozenset(map(name_of, filter(is_program, summary.get("players", {}).values())))
        game.users = {name_of(user) for user in message.get("users", ())}
        game.take_in(message)
        # What was said before we came is no news.
        self._read_comments(game, message)
        self.games[channel] = game
        return game

    def _read_comments(self, game: KgsGame, message: Message) -> list[KgsChat]:
        said, unread = game.tree.apply(message.get("sgfEvents", ()))
        for event in unread:
            self._log(f"cannot be read: {event}")
        return self._new_chats([KgsChat(game.channel, user, text) for user, text in said], True)

    def _new_chats(self, chats: list[KgsChat], is_comment: bool) -> list[KgsChat]:
        """Return the lines of others, once where a line comes both as CHAT and in a comment."""
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

    def _close_channel(self, channel: int) -> None:
        self._open.discard(channel)
        self.games.pop(channel, None)
        self.rooms.pop(channel, None)
        self._conversations = {name: each for name, each in self._conversations.items() if each != channel}
