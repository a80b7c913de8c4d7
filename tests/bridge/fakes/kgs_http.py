"""The HTTP of a local KGS: cookies, long polls, one message a post, strict order, fences, idleness, second logins.

What was posted against the protocol is noted in `faults`. Lines can be cut at any message in two ways: the login dies,
or only the connection. What the messages do is `kgs_server.py`'s.
"""

import asyncio
import contextlib
import json
import time
from abc import abstractmethod
from collections import deque
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.bridge.fakes.fake_server import FakeServer
from tests.bridge.fakes.web_listener import WebListener

Fields = dict[str, Any]
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


class HttpSide(FakeServer[Login]):
    """Logged-in users and their waiting messages; it listens at `port` of 127.0.0.1."""

    def __init__(self, passwords: dict[str, str], poll_s: float) -> None:
        super().__init__(passwords)
        self.poll_s = poll_s
        self.logins: dict[str, Login] = {}
        self.faults: list[str] = []
        # Whose line is cut; and at which messages only its connections break.
        self.unlucky = "botty"
        self.sever_at: set[int] = set()
        # Posts a second until 429; a status for somebody's next poll; seconds until a warning of idleness, and from
        # there to the end of the login, which no busy machine is late for.
        self.posts_a_second: int | None = None
        self.poll_status: dict[str, int] = {}
        self.idle_s: float | None = None
        self.idle_end_s = 60.0
        route = Route("/json/access", self._access, methods=["GET", "POST"])
        self._listener = WebListener(Starlette(routes=[route]))

    @abstractmethod
    def leave(self, login: Login, channel: int) -> None:
        """Somebody is out of a channel."""

    # -- HTTP ----------------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        self._listener.port = self.port
        await self._listener.open()
        self.port = self._listener.port

    async def close(self) -> None:
        """The server goes down: every login is lost, and what was played is in the archive."""
        for login in list(self.logins.values()):
            self._drop(login)
        await self._listener.close()

    def cut(self, name: str) -> None:
        """The login dies."""
        login = self.online.get(name)
        if login is not None:
            self._drop(login)

    def sever(self, name: str) -> None:
        """Only the connections break: the old login is still there when its owner comes back."""
        login = self.online.get(name)
        if login is not None:
            self._listener.abort(login.ports.__contains__)

    async def _access(self, request: Request) -> Response:
        cookie = request.cookies.get("JSESSIONID", "")
        if cookie in self.logins and request.client is not None:
            self.logins[cookie].ports.add(request.client.port)
        if request.method == "GET":
            return await self._poll(self.logins.get(cookie))
        try:
            body = await request.body()
        except ClientDisconnect:
            return PlainTextResponse("cut", 400)
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
        """Send a message to a user who is logged in."""
        login = self.online.get(name)
        if login is None:
            return
        login.push(kind, **fields)
        self.messages += 1
        if self.messages in self.cut_at:
            asyncio.get_running_loop().call_soon(self.cut, self.unlucky)
        if self.messages in self.sever_at:
            asyncio.get_running_loop().call_soon(self.sever, self.unlucky)

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
            self.leave(login, channel)

    def _reset_idle(self, login: Login) -> None:
        if login.idle is not None:
            login.idle.cancel()
        if self.idle_s is not None:
            login.idle = asyncio.get_running_loop().call_later(self.idle_s, self._warn_idle, login)

    def _warn_idle(self, login: Login) -> None:
        login.push("IDLE_WARNING")
        login.idle = asyncio.get_running_loop().call_later(self.idle_end_s, self._drop, login)

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
