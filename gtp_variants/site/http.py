"""Shared parts of the two web servers: refusals with a status, headers, languages, and the set-up of uvicorn."""

from collections.abc import Collection

import uvicorn
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from gtp_variants.base.connection_gate import Gate, network_of, plain_address
from gtp_variants.base.gated_http import GatedHttp
from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.lang import RequestRefused, accepted_language

# Headers of every answer.
HEADERS = {
    # A browser must ask each time whether a file has changed.
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# Pages cannot be framed, nor change the base of their addresses.
CLOSED = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"


class PageRefused(RequestRefused):
    """A refusal with an HTTP status."""

    def __init__(self, key: str, status: int = 400, **parts: object) -> None:
        super().__init__(key, **parts)
        self.status = status


class Full(PageRefused):
    """The server has reached a limit, or cannot store anything."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(key, 503, **parts)


def find_language(connection: HTTPConnection) -> str:
    """Return the language a browser asks for, of those we have."""
    return accepted_language(connection.headers.get("accept-language", ""))


def read_object(text: str | bytes) -> Json | None:
    """Return the JSON object in a text; None if there is none."""
    try:
        return parse_object(text)
    except ValueError:
        return None


def read_number(connection: HTTPConnection, key: str, most_digits: int, default: int) -> int:
    """Return a number in the query of an address; the default if it is missing, invalid or too long."""
    text = connection.query_params.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else default


def find_address(socket: WebSocket) -> str:
    """Return the address of the client, "?" if unknown."""
    return plain_address(socket.client.host) if socket.client is not None else "?"


def find_network(socket: WebSocket) -> str:
    """Return the network of the client, as limits count it."""
    return network_of(find_address(socket))


def configure(
    app: ASGIApp, gate: Gate, longest_message: int, connections: int, proxies: Collection[str] = ()
) -> uvicorn.Config:
    """Return how uvicorn serves an application behind a gate, which trusts X-Forwarded-For from `proxies` only."""
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
