"""One login at KGS over HTTP: a POST is a message to the server, a GET waits for its next messages.

A cookie names the login, and each has a jar of its own: a cookie of another login would be taken for that one. Exactly
one GET waits at any time. Posts go out one after the other, in order, and not faster than the server may like.
"""

import asyncio
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

import httpx

from gtp_variants.base.json_values import Json, parse_json
from gtp_variants.bridge.core.http_reply import HttpReply, ask
from gtp_variants.errors import PeerGarbled, PeerGone, PeerSilent

Message = Json

# What `receive` gives for a post that was answered 400: with the message as `refused` and why as `text`.
REFUSED = "(refused)"
_CONNECT_S = 20.0
_POST_S = 60.0
# So many posts may go at once before the pace holds.
_BURST = 10
_DRAIN_S = 5.0
# How long the poll of a login that has ended is listened to.
_LAST_WORD_S = 2.0
_TOO_FAST = (429, 503)
_WAIT_S, _LONGEST_WAIT_S = 5.0, 300.0
# A server that answers a poll at once and with nothing is not asked more often than this.
_GAP_S = 1.0
_HEADERS = {"Content-Type": "application/json; charset=utf-8"}
_LONGEST_REASON = 2000
_SAID = re.compile(r":KGS:(.*?):KGS:", re.DOTALL)


class Transport:
    """A login's line to the server. `answers` is asked for each message that arrives what must be answered at once."""

    def __init__(
        self,
        url: str,
        log: Callable[[str], None],
        answers: Callable[[Message], Message | None],
        may_post: Callable[[Message], bool],
        *,
        silence_s: float,
        pace: float,
    ) -> None:
        """`may_post` is asked right before a message goes out; `pace` is posts a second."""
        self._url, self._log, self._answers, self._may_post = url, log, answers, may_post
        self._gap_s = 1 / pace
        self._next_at = 0.0
        self._http = httpx.AsyncClient(
            headers={"User-Agent": "gtp-variants"},
            timeout=httpx.Timeout(_POST_S, connect=_CONNECT_S, read=silence_s),
        )
        self._arrived: asyncio.Queue[Message | Exception] = asyncio.Queue()
        self._outbox: deque[Message] = deque()
        self._news = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._error: Exception | None = None

    async def open(self, login: Message) -> None:
        """Send the first message, which makes the cookie, and begin to listen. Raises PeerGone."""
        await self._post(login)
        self._tasks = [asyncio.create_task(self._guard(work())) for work in (self._listen, self._send)]

    async def receive(self) -> Message:
        """The next message. Raises PeerError when the line is lost."""
        if self._error is not None and self._arrived.empty():
            raise self._error
        item = await self._arrived.get()
        if isinstance(item, Exception):
            raise item
        return item

    def post(self, message: Message, *, is_urgent: bool = False) -> None:
        """Send a message after those before it, or before them. Raises PeerGone where the line is lost already."""
        if self._error is not None or not self._tasks:
            raise PeerGone("there is no line")
        if is_urgent:
            self._outbox.appendleft(message)
        else:
            self._outbox.append(message)
        self._is_idle.clear()
        self._news.set()

    async def close(self, last: Message | None = None) -> None:
        """Send what waits, the last message after it, and end. May be called again."""
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

    # -- both ways -----------------------------------------------------------------------------------------------------

    async def _guard(self, work: Awaitable[None]) -> None:
        try:
            await work
        except httpx.TimeoutException:
            self._lost(PeerSilent("nothing was heard for too long"))
        except (httpx.HTTPError, OSError) as error:
            self._lost(PeerGone(f"the line broke: {error or type(error).__name__}"))
        except Exception as error:
            # Whatever it was: without this task the login hears nothing, or says nothing.
            self._lost(error)

    def _lost(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
            self._arrived.put_nowait(error)
            self._is_idle.set()

    async def _listen(self) -> None:
        while True:
            began = asyncio.get_running_loop().time()
            reply = await ask(self._http, "GET", self._url)
            if reply.status in _TOO_FAST:
                await self._wait(reply)
                continue
            # A client of theirs takes 204 for no news, another for the end: the next GET will tell.
            if reply.status not in (200, 204):
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
            await self._keep_pace()
            message = self._outbox.popleft()
            if self._may_post(message):
                await self._post_or_listen(message)

    async def _post_or_listen(self, message: Message) -> None:
        """Send a message; where it cannot be sent the poll that waits may say why: that there is another login."""
        try:
            await self._post(message)
        except PeerGone:
            listening = self._tasks[:1]
            if listening:
                await asyncio.wait(listening, timeout=_LAST_WORD_S)
            raise

    async def _keep_pace(self) -> None:
        now = asyncio.get_running_loop().time()
        self._next_at = max(self._next_at, now - _BURST * self._gap_s) + self._gap_s
        if self._next_at > now:
            await asyncio.sleep(self._next_at - now)

    async def _post(self, message: Message) -> None:
        """Send a message; one that came too fast again, after a while. Raises PeerGone."""
        self._log(f"> {_format(message)}")
        body = json.dumps(message, ensure_ascii=True).encode("ascii")
        while True:
            try:
                reply = await ask(self._http, "POST", self._url, content=body, headers=_HEADERS)
            except (httpx.HTTPError, OSError) as error:
                raise PeerGone(f"{self._url}: {error or type(error).__name__}") from None
            if reply.status not in _TOO_FAST:
                break
            await self._wait(reply)
        if reply.status == 400:
            self._log(f"refused: {_why(reply)}")
            self._arrived.put_nowait({"type": REFUSED, "refused": message, "text": _why(reply)})
        elif not reply.is_success:
            raise PeerGone(f"{message['type']}: {_why(reply)}")

    async def _wait(self, reply: HttpReply) -> None:
        told = reply.headers.get("retry-after", "")
        wait_s = min(_LONGEST_WAIT_S, float(told)) if re.fullmatch(r"\d+(\.\d+)?", told) else _WAIT_S
        self._log(f"status {reply.status}: waits {wait_s:g} s")
        await asyncio.sleep(wait_s)


def _messages(reply: HttpReply) -> list[Message]:
    """The messages of a poll; {} has none. Raises PeerGarbled."""
    if not reply.content:
        return []
    try:
        found = parse_json(reply.content)
    except ValueError as error:
        raise PeerGarbled(f"{reply.text[:80]!r} is no answer to a poll: {error}") from None
    messages = found.get("messages", []) if isinstance(found, dict) else None
    if not isinstance(messages, list):
        raise PeerGarbled(f"{reply.text[:80]!r} is no answer to a poll")
    return [message for message in messages if isinstance(message, dict) and isinstance(message.get("type"), str)]


def _why(reply: HttpReply) -> str:
    said = _SAID.search(reply.text[:_LONGEST_REASON])
    words = said[1].strip() if said else reply.text[:200].strip()
    return f"status {reply.status}" + (f", {words}" if words else "")


def _format(message: Message) -> str:
    fields = {key: value for key, value in message.items() if key not in ("type", "password")}
    return f"{message['type']} {json.dumps(fields, ensure_ascii=False)}" if fields else str(message["type"])
