"""Shared parts of the site's routes and sockets: headers, languages, messages, and connections behind the gate."""

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Collection, Coroutine
from contextlib import suppress
from typing import Protocol, cast

import h11
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from gtp_variants.base.connection_gate import Arrival, Gate, TokenBucket, network_of, plain_address
from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.rules.languages import LANGUAGES

_log = logging.getLogger("gtp_variants.site")

# Headers sent with every answer.
HEADERS = {
    # A browser must ask each time whether a file has changed.
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# The WebSocket close code for who breaks the rules.
POLICY_VIOLATED = 1008
# A page cannot be shown in a frame, or change the base URL of its links.
CLOSED = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"


def find_language(connection: HTTPConnection) -> str:
    """Return the first supported language that a browser lists, or else English."""
    listed = connection.headers.get("accept-language", "").split(",")
    wanted = (each.partition(";")[0].strip().lower()[:2] for each in listed)
    return next((lang for lang in wanted if lang in LANGUAGES), "en")


def read_object(text: str | bytes) -> Json | None:
    """Return the JSON object in a text, or None if the text is not a JSON object."""
    try:
        return parse_object(text)
    except ValueError:
        return None


def read_number(connection: HTTPConnection, key: str, most_digits: int, default: int) -> int:
    """Return a number from the query string, or `default` if it is missing, invalid or too long."""
    text = connection.query_params.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else default


def find_address(connection: HTTPConnection) -> str:
    """Return the address of the client, or "?" if it is unknown."""
    return plain_address(connection.client.host) if connection.client is not None else "?"


def find_network(connection: HTTPConnection) -> str:
    """Return the network of the client, to which limits apply."""
    return network_of(find_address(connection))


def open_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port, any free one for 0. Raises OSError if that fails."""
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    # Send at once: otherwise the second of two short messages waits up to 40 ms until the first is acknowledged.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


class Outbox(Protocol):
    """The messages that wait for one browser, and whether it is to be disconnected."""

    queue: asyncio.Queue[str]
    is_lost: asyncio.Event

    def send(self, text: str) -> None: ...


async def converse(socket: WebSocket, outbox: Outbox, listen: Coroutine[None, None, None]) -> None:
    """Send the waiting messages and run `listen`, until either ends or the browser is lost. Log unexpected failures."""
    tasks = [asyncio.create_task(work) for work in (_send_all(socket, outbox), listen, outbox.is_lost.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    failures = [each for each in ended if isinstance(each, Exception)]
    if any(not isinstance(each, WebSocketDisconnect | RuntimeError) for each in failures):
        _log.error("a connection failed", exc_info=failures[0])


async def _send_all(socket: WebSocket, outbox: Outbox) -> None:
    while True:
        await socket.send_text(await outbox.queue.get())


async def _read(socket: WebSocket, most: int) -> Json | None:
    """Return the next message's JSON object, None if invalid or too long. Raises WebSocketDisconnect at the end."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1005)
    text = message.get("text")
    return None if text is None or len(text) > most else read_object(text)


async def greet(socket: WebSocket, gate: Gate, patience_s: float, most: int) -> Json | None:
    """Accept a socket and return its first object, for which it waits behind the gate.

    Close it and return None if the object is invalid, late or displaced.
    """
    await socket.accept()
    with suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
        async with asyncio.timeout(patience_s) as patience:
            arrival = Arrival(find_network(socket), lambda why: patience.reschedule(0))
            gate.enter(arrival)
            try:
                first = await _read(socket, most)
            finally:
                gate.leave(arrival)
        if first is not None:
            return first
    with suppress(RuntimeError):
        await socket.close(POLICY_VIOLATED)
    return None


async def hear(
    socket: WebSocket, outbox: Outbox, most: int, bucket: TokenBucket, told: Json | None = None
) -> AsyncIterator[Json]:
    """Yield `told`, if any, and the further objects. Pings are answered instead.

    Close the socket after an invalid object, or too many at once.
    """
    while (told := told or await _read(socket, most)) is not None and bucket.allows(time.monotonic()):
        if told.get("do") == "ping":
            # Pages ask, because browsers do not tell them whether a connection is still alive.
            outbox.send('{"type": "pong"}')
        else:
            yield told
        told = None
    await socket.close(POLICY_VIOLATED)


class GatedHttp(H11Protocol):
    """An HTTP connection behind the gate of its server.

    A WebSocket leaves the gate here; its handler keeps it at the gate again until the user has logged in or joined a
    game. A connection is busy while the server is answering a complete request, but not while the client is slow to
    read the answer. Connections from `proxies` do not pass the gate, because a proxy has limits of its own.
    """

    gate: Gate
    proxies: Collection[str] = ()
    _arrival: Arrival | None = None

    @classmethod
    def behind(cls, gate: Gate, proxies: Collection[str] = ()) -> type["GatedHttp"]:
        """Return a class of connections behind this gate, for uvicorn to create instances of."""
        return type("GatedHttp", (cls,), {"gate": gate, "proxies": frozenset(proxies)})

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        line = cast(asyncio.Transport, transport)
        super().connection_made(line)
        peer = line.get_extra_info("peername")
        address = plain_address(str(peer[0])) if peer else "?"
        if address not in self.proxies:
            self._arrival = Arrival(network_of(address), lambda why: line.abort())
            self.gate.enter(self._arrival)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        self._note_business()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._note_business()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._note_business()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._note_business()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._leave()
        super().handle_websocket_upgrade(event)

    def _note_business(self) -> None:
        if self._arrival is not None and self.cycle is not None:
            is_answered = not (self.cycle.more_body or self.cycle.response_complete)
            self._arrival.is_busy = is_answered and not self.flow.write_paused

    def _leave(self) -> None:
        if self._arrival is not None:
            self.gate.leave(self._arrival)
