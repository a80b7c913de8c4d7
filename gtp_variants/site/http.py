"""What the two web servers of the site share: refusals with a status, headers, languages, and how uvicorn is set up."""

from collections.abc import Awaitable, Callable, Collection

import uvicorn
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from gtp_variants.base.connection_gate import Gate, network_of, plain_address
from gtp_variants.base.gated_http import GatedHttp
from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.lang import RequestRefused, accepted_language

# Every answer carries these.
HEADERS = {
    # A browser asks each time whether a file is still the same.
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# No page is shown within another one, nor reads its addresses from one.
CLOSED = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

Endpoint = Callable[[Request], Awaitable[Response]]


class PageRefused(RequestRefused):
    """A refusal with a status of HTTP."""

    def __init__(self, key: str, status: int = 400, **parts: object) -> None:
        super().__init__(key, **parts)
        self.status = status


class Full(PageRefused):
    """A limit of the server is reached, or it cannot keep anything."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(key, 503, **parts)


def find_language(connection: HTTPConnection) -> str:
    """Return the language that a browser asks for, of those that we speak."""
    return accepted_language(connection.headers.get("accept-language", ""))


def read_object(text: str | bytes) -> Json | None:
    """Return the object of JSON in a text; None for what is none."""
    try:
        return parse_object(text)
    except ValueError:
        return None


def read_number(connection: HTTPConnection, key: str, most_digits: int, default: int) -> int:
    """Return the number under a key of an address's query; the default for what is none, or a longer one."""
    text = connection.query_params.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else default


def find_address(socket: WebSocket) -> str:
    """Return the address of the computer at the other end, "?" if it is not known."""
    return plain_address(socket.client.host) if socket.client is not None else "?"


def find_network(socket: WebSocket) -> str:
    """Return the network that stands for the computer at the other end."""
    return network_of(find_address(socket))


def configure(
    app: ASGIApp, gate: Gate, longest_message: int, connections: int, proxies: Collection[str] = ()
) -> uvicorn.Config:
    """Return how uvicorn serves an application behind a gate, over at most so many connections.

    Who comes from one of the `proxies` is who that says, in X-Forwarded-For; anybody else could write anything there.
    """
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
