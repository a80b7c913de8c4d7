"""Shared parts of the two web servers: refusals with a status, headers, languages, and the configuration of uvicorn."""

import asyncio
from collections.abc import Collection
from typing import cast

import h11
import uvicorn
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol

from gtp_variants.base.connection_gate import Arrival, Gate, network_of, plain_address
from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.lang import RequestRefused, accepted_language

# Headers sent with every answer.
HEADERS = {
    # A browser must ask each time whether a file has changed.
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# A page cannot be shown in a frame, or change the base URL of its links.
CLOSED = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"


class PageRefused(RequestRefused):
    """A refusal with an HTTP status."""

    def __init__(self, key: str, status: int = 400, **parts: object) -> None:
        super().__init__(key, **parts)
        self.status = status


class Full(PageRefused):
    """A refusal because the server has reached a limit or cannot store anything."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(key, 503, **parts)


def find_language(connection: HTTPConnection) -> str:
    """Return the supported language that a browser prefers."""
    return accepted_language(connection.headers.get("accept-language", ""))


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


def find_address(socket: WebSocket) -> str:
    """Return the address of the client, or "?" if it is unknown."""
    return plain_address(socket.client.host) if socket.client is not None else "?"


def find_network(socket: WebSocket) -> str:
    """Return the network of the client, to which limits apply."""
    return network_of(find_address(socket))


def configure(
    app: ASGIApp, gate: Gate, longest_message: int, connections: int, proxies: Collection[str] = ()
) -> uvicorn.Config:
    """Return uvicorn's configuration for an application behind a gate. Only `proxies` may set X-Forwarded-For."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        http=GatedHttp.behind(gate, proxies),
        ws="websockets-sansio",
        ws_max_size=longest_message,
        ws_per_message_deflate=False,
        limit_concurrency=connections,
        timeout_graceful_shutdown=1,
    )


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
