"""One login at OGS: JSON frames over a WebSocket, and HTTP requests.

Our frames are `[command, data]`, or `[command, data, id]` to get an answer. The server sends `[event, data]`, or
`[id, data, error]` for an answer. A ping every ten seconds measures the difference between the clocks.
"""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from gtp_variants.base.json_values import Json, parse_json
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core.config import ServerConfig
from gtp_variants.bridge.core.http_reply import ask
from gtp_variants.errors import PeerGarbled, PeerGone, PeerSilent

_CONNECT_S, _REST_S = 20.0, 60.0
_PING_S = 10.0
# Number of chat lines that the site accepts in a burst. It is a guess that this also applies to games.
_CHAT_BURST = 5
# Seconds allowed for sending queued chat before the connection is closed.
_LAST_WORDS_S = 10.0
_LONGEST = 16 * 1024 * 1024
# Maximum number of characters in one line of chat.
LONGEST_CHAT = 1024
_HEADERS = {"Content-Type": "application/json"}
# Fields whose values must never be logged.
_SECRET = ("bot_apikey", "apikey", "jwt")


@dataclass(frozen=True, slots=True)
class OgsNews:
    """An event with its data; or, with a `number`, the answer to our frame of that number, with its `error`."""

    event: str
    data: object = None
    number: int | None = None
    error: str = ""


class OgsTransport:
    """A connection to the server. `log` receives each frame, without secrets."""

    def __init__(self, config: ServerConfig, log: Callable[[str], None]) -> None:
        scheme = "s" if config.tls else ""
        usual = 443 if config.tls else 80
        host = config.host if config.port == usual else f"{config.host}:{config.port}"
        self._config, self._log = config, log
        self._ws_url, self._rest_url = f"ws{scheme}://{host}/", f"http{scheme}://{host}"
        self._line: ClientConnection | None = None
        self._http = httpx.AsyncClient(headers={"User-Agent": "gtp-variants"}, timeout=_REST_S)
        # `receive` reports the lost connection, so the tasks ignore it.
        self._tasks = BackgroundTasks(lambda error: None, PeerGone)
        self._number = 0
        # Our clock minus the server's clock.
        self.drift_ms = 0.0
        # The round-trip time of a frame.
        self.latency_ms = 0.0
        # Unsent chat. Each conversation has a pace of its own.
        self._chats: dict[object, asyncio.Queue[tuple[str, Json]]] = {}
        self._is_lost = False
        # HTTP requests must contain our id.
        self.bot_id = 0

    async def open(self) -> None:
        """Connect. Raises PeerGone if that fails."""
        try:
            self._line = await connect(
                self._ws_url,
                max_size=_LONGEST,
                open_timeout=_CONNECT_S,
                close_timeout=1,
                # The protocol has its own pings, so WebSocket pings are off.
                ping_interval=None,
                proxy=None,
                user_agent_header="gtp-variants",
            )
        except (OSError, InvalidHandshake, InvalidURI, TimeoutError) as error:
            raise PeerGone(f"{self._ws_url}: cannot connect: {error or 'no answer'}") from None
        self._tasks.start(self._ping())

    async def close(self) -> None:
        """Send the queued chat, unless the connection is lost, and close the connection, if it is open."""
        if not self._is_lost:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WORDS_S):
                    await asyncio.gather(*(queue.join() for queue in self._chats.values()))
        await self._tasks.cancel()
        line, self._line = self._line, None
        if line is not None:
            await line.close()
        await self._http.aclose()

    async def send(self, command: str, data: Json) -> None:
        await self._write([command, data])

    async def ask(self, command: str, data: Json) -> int:
        """Send a frame and return the number of its answer. Raises PeerGone if the connection is lost."""
        self._number += 1
        number = self._number
        await self._write([command, data, number])
        return number

    async def receive(self) -> OgsNews:
        """Return the next event or answer. Raises PeerGone, PeerSilent, or PeerGarbled for a malformed frame."""
        if self._line is None:
            raise PeerGone("not connected")
        while True:
            try:
                async with asyncio.timeout(self._config.silence_s):
                    text = await self._line.recv()
            except TimeoutError:
                raise PeerSilent("nothing received for too long") from None
            except (ConnectionClosed, OSError) as error:
                self._is_lost = True
                raise PeerGone(f"connection lost: {error}") from None
            news = _read(text)
            if news.event == "net/pong":
                self._set_time(news.data)
                continue
            # The list of other bots is not logged, because it is long and may contain their secrets.
            if news.event != "active-bots":
                shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
                self._log(f"< {shown if len(shown) < 2000 else f'{shown[:2000]}...'}")
            return news

    async def _write(self, frame: list[object]) -> None:
        text = json.dumps(frame, ensure_ascii=False)
        if frame[0] != "net/ping":
            self._log(f"> {json.dumps([_without_secrets(each) for each in frame], ensure_ascii=False)}")
        if self._line is None:
            raise PeerGone("not connected")
        try:
            await self._line.send(text)
        except (ConnectionClosed, OSError) as error:
            self._is_lost = True
            raise PeerGone(f"connection lost: {error}") from None

    def now_ms(self) -> float:
        """Return the server's time, in milliseconds."""
        return time.time() * 1000 - self.drift_ms

    async def _ping(self) -> None:
        while True:
            told = {"client": int(time.time() * 1000), "drift": self.drift_ms, "latency": self.latency_ms}
            await self.send("net/ping", told)
            await asyncio.sleep(_PING_S)

    def _set_time(self, data: object) -> None:
        if isinstance(data, dict) and all(isinstance(data.get(key), int | float) for key in ("client", "server")):
            now = time.time() * 1000
            self.latency_ms = now - data["client"]
            self.drift_ms = now - self.latency_ms / 2 - data["server"]

    def chat(self, conversation: object, command: str, data: Json, key: str) -> None:
        """Send chat, in order within a conversation and at a limited rate. A long text in `data[key]` is split."""
        queue = self._chats.get(conversation)
        if queue is None:
            queue = self._chats[conversation] = asyncio.Queue()
            self._tasks.start(self._send_chats(queue))
        text = str(data[key])
        for start in range(0, max(1, len(text)), LONGEST_CHAT):
            queue.put_nowait((command, {**data, key: text[start : start + LONGEST_CHAT]}))

    async def _send_chats(self, queue: asyncio.Queue[tuple[str, Json]]) -> None:
        loop = asyncio.get_running_loop()
        gap_s, next_at = 1 / self._config.pace, 0.0
        while True:
            command, data = await queue.get()
            try:
                next_at = max(next_at, loop.time() - _CHAT_BURST * gap_s) + gap_s
                await asyncio.sleep(max(0.0, next_at - loop.time()))
                with suppress(PeerGone):
                    await self.send(command, data)
            finally:
                queue.task_done()

    async def post(self, path: str, data: Json) -> Json:
        """Post to the REST interface as the bot; return the answer. Raises PeerGarbled if refused, PeerGone if lost."""
        self._log(f"> POST {path} {json.dumps(data, ensure_ascii=False)}")
        body = {**data, "apikey": self._config.password.reveal(), "bot_id": self.bot_id}
        return await self._request("POST", path, body)

    async def try_post(self, path: str, data: Json) -> None:
        """Post to a path below `/api/v1/`. An error is only logged."""
        try:
            await self.post(f"/api/v1/{path}", data)
        except (PeerGone, PeerGarbled) as error:
            self._log(f"cannot post: {error}")

    async def find_player(self, name: str) -> Json:
        """Return the server's data on an account, with `id`. Raises PeerGarbled if there is none, PeerGone if lost."""
        path = f"/api/v1/players?username={quote(name, safe='')}"
        self._log(f"> GET {path}")
        found = await self._request("GET", path, None)
        for each in found.get("results") or ():
            # Never accept a different account, because it would receive the hidden news of a seat.
            if isinstance(each, dict) and str(each.get("username")).lower() == name.lower() and "id" in each:
                return each
        raise PeerGarbled(f"{name}: there is no such player")

    async def _request(self, method: str, path: str, body: Json | None) -> Json:
        content = None if body is None else json.dumps(body).encode()
        try:
            reply = await ask(self._http, method, f"{self._rest_url}{path}", content=content, headers=_HEADERS)
        except (httpx.HTTPError, OSError) as error:
            raise PeerGone(f"{path}: {error or type(error).__name__}") from None
        self._log(f"< {reply.status_code} {reply.text[:200]}")
        if not reply.is_success:
            raise PeerGarbled(f"{path}: status {reply.status_code}, {reply.text[:200]}")
        with suppress(ValueError):
            found = parse_json(reply.content)
            return found if isinstance(found, dict) else {"results": found}
        return {}


def _read(text: str | bytes) -> OgsNews:
    try:
        frame: object = parse_json(text)
        if not isinstance(frame, list):
            raise ValueError("expected a list")
        first, data, error = (*frame, None, None)[:3]
    except (ValueError, TypeError) as raised:
        raise PeerGarbled(f"{str(text)[:80]!r}: expected a frame: {raised}") from None
    if isinstance(first, int) and not isinstance(first, bool):
        said = error.get("message") or error.get("code") or error if isinstance(error, dict) else error
        return OgsNews("", data, first, str(said) if said else "")
    return OgsNews(str(first), data)


def _without_secrets(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {key: "***" if key in _SECRET and each else each for key, each in value.items()}
