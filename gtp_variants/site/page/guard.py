"""Who may ask the server anything, and what every answer says to the browser.

* A page elsewhere must not speak to the server through the browser of somebody who may: a request with an `Origin` is
  answered only if that is the server's own. A name that is pointed at this computer (DNS rebinding) is refused by the
  `Host`: numbers are let in, names only if they are known to be ours.
* A server that others can reach lets only those begin, list and upload games who know its token. Whoever is given the
  link to a game needs none: the link is as hard to guess.
"""

import hmac
import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gtp_variants.site.http import CLOSED, HEADERS, PageRefused, find_language

_POLICY = (
    f"{CLOSED}; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'none'"
)
_HEADERS_OF_FILES = HEADERS | {"Cross-Origin-Resource-Policy": "same-origin"}
_HEADERS = _HEADERS_OF_FILES | {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "X-Frame-Options": "DENY",
}
# What is no page of its own needs no word on what a page may do; there are dozens of these.
_FILES = re.compile(r"/static/.*\.(js|json|css)")


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Who is let in: `names` this server is called by besides numbers, the `token` to begin games, if there is one, the
    `key` to publish games that are played elsewhere, if that is possible.
    """

    names: frozenset[str]
    token: str | None = None
    key: str | None = None

    def lets_in(self, headers: Headers) -> bool:
        """Whether a request comes to this server by its own name, and from its own page or from no page."""
        host = headers.get("host", "")
        if not self._is_ours(host):
            return False
        return all(_place_of(origin) == host for origin in headers.getlist("origin"))

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self.names
        return True

    def opens(self, headers: Headers) -> bool:
        """Whether who asks may begin, list and upload games."""
        return self.token is None or _bears(headers, self.token)

    def publishes(self, headers: Headers) -> bool:
        """Whether who asks may tell of games that are played elsewhere."""
        return self.key is not None and _bears(headers, self.key)


def _place_of(origin: str) -> str:
    """The name and port of an origin; "" for what is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _bears(headers: Headers, token: str) -> bool:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


class Guard:
    """The ASGI application behind the access, its answers marked."""

    def __init__(self, app: ASGIApp, access: AccessPolicy) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if not self._access.lets_in(Headers(scope=scope)):
            await _refuse(scope, receive, send)
            return
        is_file = _FILES.fullmatch(str(scope["path"])) is not None
        await self._app(scope, receive, _with_headers(send, _HEADERS_OF_FILES if is_file else _HEADERS))


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    why = PageRefused("page.not_let_in").reason(find_language(HTTPConnection(scope)))
    await PlainTextResponse(f"{why}\n", 403)(scope, receive, _with_headers(send))


def _with_headers(send: Send, added: Mapping[str, str] = _HEADERS) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in added.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def own_names(more: Iterable[str] = ()) -> frozenset[str]:
    """What this computer is called on its network."""
    import socket

    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name.partition('.')[0]}.local", *(each.lower() for each in more)})
