"""A KGS on loopback that speaks the JSON protocol over HTTP, errors and all.

Cookies, long polls, one message a post, strict order, echoes, challenges both ways, archives, conversations, fences,
idleness, second logins, and the end of a login that posts to a channel which is closed. What was posted against the
protocol is noted in `faults`. Lines can be cut at any message in two ways: the login dies, or only the connection.
"""

import asyncio
import contextlib
import json
import random
import socket
import time
from collections import deque
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.bridge.kgs_table import Fields, Table

ROOMS = {1: "English Game Room", 2: "Dice Room", 3: "Computer Go"}
_UNKNOWN = "Internal error (check webapp logs for details): java.lang.RuntimeException: Unknown channel {}"
_NO_CHANNEL = ("JOIN_REQUEST",)


@dataclass(eq=False)
class Login:
    """A session: its cookie, what waits to be told, and the channels it is in."""

    name: str
    cookie: str = field(default_factory=lambda: token_hex(16))
    waiting: deque[Fields] = field(default_factory=deque)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_polling: bool = False
    is_dead: bool = False
    channels: set[int] = field(default_factory=set)
    posts: deque[float] = field(default_factory=deque)
    ports: set[int] = field(default_factory=set)
    idle: asyncio.TimerHandle | None = None

    def push(self, kind: str, **fields: Any) -> None:
        self.waiting.append({"type": kind, **fields})
        self.news.set()


@dataclass(eq=False)
class Challenge:
    """An open challenge: the owner's proposal now, and what was submitted."""

    channel: int
    room: int
    owner: str
    proposal: Fields
    text: str
    submitted: dict[str, Fields] = field(default_factory=dict)
    shown: Fields | None = None

    def listed(self) -> Fields:
        return {
            "channelId": self.channel,
            "gameType": "challenge",
            "roomId": self.room,
            "name": self.text,
            "initialProposal": downstream(self.proposal),
            "players": {"challengeCreator": {"name": self.owner}},
        }


def downstream(proposal: Fields) -> Fields:
    """Users are objects on their way down, and nested."""
    seats = []
    for seat in proposal["players"]:
        kept = {key: value for key, value in seat.items() if key != "name"}
        seats.append({**kept, **({"user": {"name": seat["name"], "rank": "?"}} if seat.get("name") else {})})
    return {**proposal, "players": seats}


def _proposal(message: Fields) -> Fields:
    """Nested or flat: both are taken."""
    if "proposal" in message:
        return dict(message["proposal"])
    return {key: value for key, value in message.items() if key not in ("type", "channelId", "callbackKey")}


class KgsServer:
    """`async with KgsServer({"alpha": "sesame"}) as server`: it listens at `port` of 127.0.0.1."""

    def __init__(self, passwords: dict[str, str], *, poll_s: float = 5.0, seed: int = 1) -> None:
        self.passwords = passwords
        self.poll_s = poll_s
        self.rng = random.Random(seed)
        self.online: dict[str, Login] = {}
        self.logins: dict[str, Login] = {}
        self.rooms: dict[int, list[str]] = {channel: [] for channel in ROOMS}
        self.challenges: dict[int, Challenge] = {}
        self.tables: dict[int, Table] = {}
        self.archive: list[Table] = []
        self.conversations: dict[int, tuple[str, str]] = {}
        self.faults: list[str] = []
        self.heard: list[tuple[str, Fields]] = []
        self.told: list[tuple[str, Fields]] = []
        self.port = 0
        self.messages = 0
        self.cut_at: set[int] = set()
        self.sever_at: set[int] = set()
        # How the games that begin from now on behave where the real server is not known, or does both.
        self.undo_plies = "one"
        self.chat_as = "both"
        self.state_first = False
        # Posts a second until 429; a status for somebody's next poll; seconds until a warning of idleness.
        self.posts_a_second: int | None = None
        self.poll_status: dict[str, int] = {}
        self.is_stalled = False
        self.idle_s: float | None = None
        self._channel = 100
        self._number = 0
        self._uvicorn: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def table(self) -> Table | None:
        """The game that is open and not over."""
        return next((table for table in self.tables.values() if not table.over), None)

    @property
    def finished(self) -> list[Table]:
        return [table for table in self.archive if table.over]

    # -- HTTP ----------------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> "KgsServer":
        await self.open()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def open(self) -> None:
        application = Starlette(routes=[Route("/json/access", self._access, methods=["GET", "POST"])])
        config = uvicorn.Config(
            application, log_config=None, ws="none", lifespan="off", timeout_graceful_shutdown=1, timeout_keep_alive=300
        )
        self._uvicorn = uvicorn.Server(config)
        # A test's own signals stay its own.
        self._uvicorn.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        # asyncio sends small pieces at once only on a socket that says it is TCP.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        self._task = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))
        while not self._uvicorn.started:
            await asyncio.sleep(0.005)

    async def close(self) -> None:
        """The server goes down: every login is lost, and what was played is in the archive."""
        for login in list(self.logins.values()):
            self._drop(login)
        self._break()
        if self._uvicorn is not None and self._task is not None:
            self._uvicorn.should_exit = True
            await self._task

    def _break(self, login: Login | None = None) -> None:
        """Break the connections of a login, or all."""
        assert self._uvicorn is not None
        for connection in list(self._uvicorn.server_state.connections):
            transport = connection.transport
            port = transport.get_extra_info("peername")[1] if transport is not None else 0
            if transport is not None and (login is None or port in login.ports):
                transport.abort()

    def cut(self, name: str) -> None:
        """The login dies."""
        login = self.online.get(name)
        if login is not None:
            self._drop(login)

    def sever(self, name: str) -> None:
        """Only the connections break: the old login is still there when its owner comes back."""
        login = self.online.get(name)
        if login is not None:
            self._break(login)

    async def _access(self, request: Request) -> Response:
        cookie = request.cookies.get("JSESSIONID", "")
        if cookie in self.logins and request.client is not None:
            self.logins[cookie].ports.add(request.client.port)
        if request.method == "GET":
            return await self._poll(self.logins.get(cookie))
        body = await request.body()
        try:
            message = json.loads(body.decode("ascii"))
            kind = str(message["type"])
        except (ValueError, KeyError, TypeError):
            self.faults.append(f"no message in ASCII: {body[:80]!r}")
            return PlainTextResponse("bad request", 400)
        if kind == "LOGIN":
            return self._log_in(cookie, message)
        login = self.logins.get(cookie)
        if login is None:
            return PlainTextResponse(":KGS: no such session :KGS:", 404)
        if self._is_too_fast(login):
            return PlainTextResponse("slow down", 429, {"Retry-After": "0.2"})
        self.heard.append((login.name, message))
        self._reset_idle(login)
        return self._execute(login, kind, message)

    async def _poll(self, login: Login | None) -> Response:
        if login is None:
            return PlainTextResponse(":KGS: no such session :KGS:", 404)
        if login.is_polling:
            self.faults.append(f"{login.name} polls twice at a time")
        if login.name in self.poll_status:
            return PlainTextResponse("", self.poll_status.pop(login.name), {"Retry-After": "0.2"})
        login.is_polling = True
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.poll_s):
                    while (not login.waiting or self.is_stalled) and not login.is_dead:
                        login.news.clear()
                        await login.news.wait()
        finally:
            login.is_polling = False
        if login.is_dead and not login.waiting:
            return PlainTextResponse(":KGS: no such session :KGS:", 404)
        messages = list(login.waiting)
        login.waiting.clear()
        self.told += [(login.name, message) for message in messages]
        return JSONResponse({"messages": messages} if messages else {})

    def _is_too_fast(self, login: Login) -> bool:
        if self.posts_a_second is None:
            return False
        now = time.monotonic()
        while login.posts and now - login.posts[0] > 1:
            login.posts.popleft()
        if len(login.posts) >= self.posts_a_second:
            return True
        login.posts.append(now)
        return False

    def push(self, name: str, kind: str, **fields: Any) -> None:
        """Tell somebody something, if he is here."""
        login = self.online.get(name)
        if login is None:
            return
        login.push(kind, **fields)
        self.messages += 1
        if self.messages in self.cut_at:
            asyncio.get_running_loop().call_soon(self.cut, name)
        if self.messages in self.sever_at:
            asyncio.get_running_loop().call_soon(self.sever, name)

    # -- logins --------------------------------------------------------------------------------------------------------

    def _log_in(self, cookie: str, message: Fields) -> Response:
        if cookie:
            # Whoever brings a cookie of another login does not get a new one.
            self.faults.append("a login with an old cookie")
            return PlainTextResponse(":KGS: stale session :KGS:", 404)
        name = message["name"]
        login = Login(name)
        self.logins[login.cookie] = login
        login.push("HELLO", versionMajor=3, versionMinor=5, versionBugfix=23)
        if name not in self.passwords:
            login.push("LOGIN_FAILED_NO_SUCH_USER")
        elif self.passwords[name] != message["password"]:
            login.push("LOGIN_FAILED_BAD_PASSWORD")
        else:
            old = self.online.get(name)
            if old is not None:
                old.push("RECONNECT")
                self._drop(old)
            self.online[name] = login
            rooms = [{"channelId": channel, "category": "MAIN"} for channel in ROOMS]
            self.push(name, "LOGIN_SUCCESS", you={"name": name, "rank": "?", "authLevel": "normal"}, rooms=rooms)
            self.push(name, "AUTOMATCH_PREFS", maxHandicap=9, freeOk=True)
            self._reset_idle(login)
        response = PlainTextResponse("OK")
        response.set_cookie("JSESSIONID", login.cookie, path="/json", httponly=True)
        return response

    def _drop(self, login: Login) -> None:
        """A login ends: its cookie is worth nothing, its channels are left, its games are adjourned."""
        login.is_dead = True
        login.news.set()
        self.logins.pop(login.cookie, None)
        if login.idle is not None:
            login.idle.cancel()
        if self.online.get(login.name) is not login:
            return
        del self.online[login.name]
        for channel in sorted(login.channels):
            self._leave(login, channel)

    def _reset_idle(self, login: Login) -> None:
        if login.idle is not None:
            login.idle.cancel()
        if self.idle_s is not None:
            login.idle = asyncio.get_running_loop().call_later(self.idle_s, self._warn_idle, login)

    def _warn_idle(self, login: Login) -> None:
        login.push("IDLE_WARNING")
        assert self.idle_s is not None
        login.idle = asyncio.get_running_loop().call_later(self.idle_s, self._drop, login)

    def _execute(self, login: Login, kind: str, message: Fields) -> Response:
        channel = message.get("channelId")
        if channel is not None and kind not in _NO_CHANNEL and channel not in login.channels:
            self.faults.append(f"{login.name}: {kind} to channel {channel}, which is closed")
            login.push("LOGOUT", text=_UNKNOWN.format(channel))
            self._drop(login)
            return PlainTextResponse("OK")
        found = getattr(self, f"_do_{kind.lower()}", None)
        if found is None:
            self.faults.append(f"{login.name}: {kind}: no such message")
            return PlainTextResponse(":KGS: no such message :KGS:", 400)
        try:
            refused = found(login, message)
        except (KeyError, TypeError, ValueError) as error:
            self.faults.append(f"{login.name}: {message}: {error!r}")
            return PlainTextResponse(f":KGS: {error!r} :KGS:", 400)
        return refused if isinstance(refused, Response) else PlainTextResponse("OK")

    def _do_logout(self, login: Login, message: Fields) -> None:
        login.push("LOGOUT")
        self._drop(login)

    def _do_wake_up(self, login: Login, message: Fields) -> None:
        pass

    def _do_sync_request(self, login: Login, message: Fields) -> None:
        self.push(login.name, "SYNC", callbackKey=message["callbackKey"])

    # -- rooms and channels --------------------------------------------------------------------------------------------

    def _next_channel(self) -> int:
        self._channel += 1
        return self._channel

    def _do_room_names_request(self, login: Login, message: Fields) -> None:
        rooms = [{"channelId": channel, "name": ROOMS[channel]} for channel in message["rooms"]]
        self.push(login.name, "ROOM_NAMES", rooms=rooms)

    def _do_join_request(self, login: Login, message: Fields) -> None:
        """What cannot be joined is not answered."""
        channel = message["channelId"]
        if channel in login.channels:
            self.push(login.name, "CHANNEL_ALREADY_JOINED", channelId=channel)
        elif channel in self.rooms:
            for name in self.rooms[channel]:
                self.push(name, "USER_ADDED", channelId=channel, user={"name": login.name})
            self.rooms[channel].append(login.name)
            login.channels.add(channel)
            users = [{"name": name} for name in self.rooms[channel]]
            games = [challenge.listed() for challenge in self.challenges.values() if challenge.room == channel]
            self.push(login.name, "ROOM_JOIN", channelId=channel, users=users, games=games)
            self.push(login.name, "JOIN_COMPLETE", channelId=channel)
        elif channel in self.challenges:
            self._join_challenge(login, self.challenges[channel])
        elif channel in self.tables:
            self._join_table(login, self.tables[channel])

    def _do_unjoin_request(self, login: Login, message: Fields) -> None:
        self._leave(login, message["channelId"])
        self.push(login.name, "UNJOIN", channelId=message["channelId"])

    def _leave(self, login: Login, channel: int) -> None:
        login.channels.discard(channel)
        name = login.name
        if channel in self.rooms and name in self.rooms[channel]:
            self.rooms[channel].remove(name)
            for other in self.rooms[channel]:
                self.push(other, "USER_REMOVED", channelId=channel, user={"name": name})
        challenge, table = self.challenges.get(channel), self.tables.get(channel)
        if challenge is not None:
            challenge.submitted.pop(name, None)
            if challenge.owner == name:
                self._close_challenge(challenge)
        if table is not None and name in table.users:
            table.users.remove(name)
            self.tell(table, "USER_REMOVED", {"user": {"name": name}})
            table.leave(name)
            if not table.users:
                del self.tables[channel]

    def _close(self, channel: int) -> None:
        for login in self.online.values():
            if channel in login.channels:
                login.channels.discard(channel)
                self.push(login.name, "CLOSE", channelId=channel)

    def lose(self, table: Table) -> None:
        """A game's channel is gone, whoever is in it."""
        del self.tables[table.channel]
        table.users.clear()
        table.adjourned = True
        self._close(table.channel)

    def _do_chat(self, login: Login, message: Fields) -> None:
        channel, text = message["channelId"], message["text"]
        if len(text) > 1000:
            self.faults.append(f"{login.name}: {len(text)} characters of chat")
        if channel in self.tables:
            self.tables[channel].chat(login.name, text)
            return
        for other in list(self.online.values()):
            if channel in other.channels:
                self.push(other.name, "CHAT", channelId=channel, user={"name": login.name}, text=text)

    def _do_convo_request(self, login: Login, message: Fields) -> None:
        key, name = message["callbackKey"], message["name"]
        other = self.online.get(name)
        if other is None:
            self.push(login.name, "CONVO_NO_SUCH_USER", callbackKey=key)
            return
        pair = sorted((login.name, name))
        found = [channel for channel, each in self.conversations.items() if sorted(each) == pair]
        channel = found[0] if found else self._next_channel()
        self.conversations[channel] = login.name, name
        for me, you, more in ((login, name, {"callbackKey": key}), (other, login.name, {})):
            if channel not in me.channels or more:
                me.channels.add(channel)
                self.push(me.name, "CONVO_JOIN", channelId=channel, user={"name": you}, **more)

    def _do_join_archive_request(self, login: Login, message: Fields) -> None:
        channel = self._next_channel()
        login.channels.add(channel)
        games = [table.summary() for table in self.archive if message["name"] in table.players.values()]
        self.push(login.name, "ARCHIVE_JOIN", channelId=channel, user={"name": message["name"]}, games=games)

    # -- challenges ----------------------------------------------------------------------------------------------------

    def _plays(self, name: str) -> bool:
        return any(table.role(name) and not table.over and name in table.users for table in self.tables.values())

    def _do_challenge_create(self, login: Login, message: Fields) -> None:
        key = message["callbackKey"]
        if self._plays(login.name):
            self.push(login.name, "CANT_PLAY_TWICE", callbackKey=key)
            return
        proposal = _proposal(message)
        if "proposal" not in message or len(message.get("text", "")) > 80 or proposal["gameType"] != "free":
            self.push(login.name, "CHALLENGE_NOT_CREATED", callbackKey=key)
            return
        channel = self._next_channel()
        challenge = Challenge(channel, message["channelId"], login.name, proposal, message["text"])
        self.challenges[channel] = challenge
        login.channels.add(channel)
        self.push(login.name, "CHALLENGE_CREATED", callbackKey=key, game=challenge.listed())
        self.push(login.name, "CHALLENGE_JOIN", channelId=channel, proposal=downstream(proposal), actions=[])
        for name in self.rooms[challenge.room]:
            self.push(name, "GAME_LIST", channelId=challenge.room, games=[challenge.listed()])

    def _join_challenge(self, login: Login, challenge: Challenge) -> None:
        login.channels.add(challenge.channel)
        fields = {"channelId": challenge.channel, "proposal": downstream(challenge.proposal)}
        self.push(login.name, "CHALLENGE_JOIN", **fields, actions=[{"action": "CHALLENGE_SETUP"}])
        self.push(login.name, "JOIN_COMPLETE", channelId=challenge.channel)

    def _do_challenge_submit(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        challenge.submitted[login.name] = proposal = _proposal(message)
        fields = {"user": {"name": login.name, "rank": "?"}, "proposal": downstream(proposal)}
        self.push(challenge.owner, "CHALLENGE_SUBMIT", channelId=challenge.channel, **fields)

    def _do_challenge_proposal(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        if challenge.owner != login.name:
            raise ValueError("only the owner proposes")
        challenge.shown = _proposal(message)
        for other in list(self.online.values()):
            if challenge.channel in other.channels:
                fields = {"channelId": challenge.channel, "proposal": downstream(challenge.shown)}
                self.push(other.name, "CHALLENGE_PROPOSAL", **fields)

    def _do_challenge_decline(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        challenge.submitted.pop(message["name"], None)
        self.push(message["name"], "CHALLENGE_DECLINE", channelId=challenge.channel)

    def _do_challenge_accept(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        proposal = _proposal(message)
        names = [seat["name"] for seat in proposal["players"]]
        if proposal != challenge.shown or login.name not in names or login.name == challenge.owner:
            raise ValueError("this is not what was proposed")
        if any(self._plays(name) for name in names):
            self.push(login.name, "CANT_PLAY_TWICE")
            return
        if proposal.get("nigiri"):
            roles = ["white", "black"]
            self.rng.shuffle(roles)
            seats = [{**seat, "role": role} for seat, role in zip(proposal["players"], roles, strict=True)]
            proposal = {**proposal, "players": seats, "nigiri": False}
        table = self._new_table(challenge.room, proposal)
        for other in list(self.online.values()):
            if challenge.channel in other.channels:
                fields = {"gameChannelId": table.channel, "proposal": downstream(proposal)}
                self.push(other.name, "CHALLENGE_FINAL", channelId=challenge.channel, **fields)
        self._close_challenge(challenge)
        for name in names:
            self._join_table(self.online[name], table)

    def _close_challenge(self, challenge: Challenge) -> None:
        self.challenges.pop(challenge.channel, None)
        self._close(challenge.channel)
        for name in self.rooms[challenge.room]:
            fields = {"channelId": challenge.room, "gameId": challenge.channel}
            self.push(name, "GAME_CONTAINER_REMOVE_GAME", **fields)

    # -- games ---------------------------------------------------------------------------------------------------------

    def _new_table(self, room: int, proposal: Fields) -> Table:
        self._number += 1
        players = {seat["role"]: seat["name"] for seat in proposal["players"]}
        stamp = f"2026-11-20T{self._number:02}:00:00.000+0000"
        channel = self._next_channel()
        table = Table(
            channel, stamp, room, proposal, players, self.tell, self.undo_plies, self.chat_as, self.state_first
        )
        self.tables[channel] = table
        self.archive.append(table)
        return table

    def tell(self, table: Table, kind: str, fields: Fields) -> None:
        for name in list(table.users):
            self.push(name, kind, channelId=table.channel, **fields)

    def _join_table(self, login: Login, table: Table) -> None:
        self.tell(table, "USER_ADDED", {"user": {"name": login.name}})
        table.users.append(login.name)
        login.channels.add(table.channel)
        table.come(login.name)
        users = [{"name": name} for name in table.users]
        fields = {"channelId": table.channel, "users": users, "gameSummary": table.summary(), "sgfEvents": table.tree()}
        self.push(login.name, "GAME_JOIN", **fields, **table.state())
        self.push(login.name, "JOIN_COMPLETE", channelId=table.channel)

    def _do_join_game_by_id(self, login: Login, message: Fields) -> None:
        """Not answered where there is no such game open."""
        for table in self.tables.values():
            if table.timestamp == message["timestamp"] and login.name not in table.users:
                self._join_table(login, table)

    def _do_room_load_game(self, login: Login, message: Fields) -> None:
        table = next((each for each in self.archive if each.timestamp == message["timestamp"]), None)
        if table is None or table.over or login.name not in table.players.values() or table.users:
            summary = table.summary() if table is not None else {}
            self.push(login.name, "LOAD_FAILED", channelId=message["channelId"], gameSummary=summary)
            return
        table.channel = self._next_channel()
        table.adjourned = True
        self.tables[table.channel] = table
        # Whoever plays already is not brought in.
        for name in table.players.values():
            if name in self.online and (name == login.name or not self._plays(name)):
                self.push(name, "GAME_NOTIFY", game=table.summary())
                self._join_table(self.online[name], table)

    def _table_of(self, message: Fields) -> Table:
        return self.tables[message["channelId"]]

    def _do_game_move(self, login: Login, message: Fields) -> Response | None:
        if self._table_of(message).move(login.name, message["loc"]):
            return None
        return PlainTextResponse(":KGS: illegal move :KGS:", 400)

    def _do_game_resign(self, login: Login, message: Fields) -> None:
        self._table_of(message).resign(login.name)

    def _do_game_undo_request(self, login: Login, message: Fields) -> None:
        table = self._table_of(message)
        told = table.ask_undo(login.name)
        for name in table.users:
            if told is not None and name != login.name:
                self.push(name, "GAME_UNDO_REQUEST", channelId=table.channel, **told)

    def _do_game_undo_accept(self, login: Login, message: Fields) -> None:
        self._table_of(message).accept_undo(login.name)

    def _do_game_mark_life(self, login: Login, message: Fields) -> None:
        self._table_of(message).mark(login.name, {"x": message["x"], "y": message["y"]}, message["alive"])

    def _do_game_scoring_done(self, login: Login, message: Fields) -> None:
        self._table_of(message).finish(login.name, message["doneId"])

    def expire(self, table: Table) -> None:
        """The clock of the side to move is at zero: is it there?"""
        table.expires = table.players[table.to_play]
        self.push(table.expires, "GAME_TIME_EXPIRED", channelId=table.channel)

    def _do_game_time_expired(self, login: Login, message: Fields) -> None:
        table = self._table_of(message)
        if table.expires == login.name:
            table.end(f"{'W' if table.role(login.name) == 'black' else 'B'}+TIME")
