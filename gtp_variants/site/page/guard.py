"""Access to the server, and the security headers of every answer.

* Another site must not act through the browser of somebody with access: an `Origin` in a request must be the server's
  own. To prevent DNS rebinding, the `Host` must be an IP address or one of the server's names.
* On a server that others can reach, the server's token is needed to begin, list or upload games. To join a game, only
  its link is needed, which is as hard to guess as the token.
"""

import hmac
import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from gtp_variants.base.connection_gate import Gate
from gtp_variants.site.access.visitors import OwnerAddress, Visitors
from gtp_variants.site.http import CLOSED, HEADERS, find_address, find_language
from gtp_variants.site.refusals import PageRefused

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
# A page loads dozens of these files, so they are sent without the headers that only pages need, like all JSON.
_FILES = re.compile(r"/static/.*\.(js|json|css)")


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The access rules: the `token` to begin games and the `key` to publish games, if set.

    `names` are the host names that requests may use. On a public server they are None: requests may use any name.
    The `owner` of a private server is the user of this computer, who needs no password.
    """

    names: frozenset[str] | None
    token: str | None = None
    key: str | None = None
    owner: OwnerAddress | None = None

    @property
    def is_public(self) -> bool:
        return self.names is None

    def lets_in(self, headers: Headers) -> bool:
        """Return True if a request's `Host` is allowed, and its `Origin`, if stated, is the same host."""
        host = headers.get("host", "")
        return self._is_ours(host) and all(_place_of(origin) == host for origin in headers.getlist("origin"))

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return self.names is None or name in self.names
        return True

    def opens(self, headers: Headers, told: object = None) -> bool:
        """Return True if the client, who may have `told` the token in a message, may begin, list and upload games."""
        return self.token is None or _bears(headers, self.token) or _is_same(told, self.token)

    def publishes(self, headers: Headers) -> bool:
        """Return True if the client may publish games played elsewhere."""
        return self.key is not None and _bears(headers, self.key)


def _place_of(origin: str) -> str:
    """Return the name and port of an origin; "" if it is invalid."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _bears(headers: Headers, token: str) -> bool:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and _is_same(given.strip(), token)


def _is_same(told: object, token: str) -> bool:
    return isinstance(told, str) and hmac.compare_digest(told.encode(errors="replace"), token.encode())


class Guard:
    """Wraps an ASGI application with the access policy and the security headers. Notes the visitor in the `scope`.

    Addresses that the `gate` refuses, because of a ban or of repeated faults, are refused here, too.
    """

    def __init__(self, app: ASGIApp, gate: Gate, access: AccessPolicy, visitors: Visitors) -> None:
        self._app, self._gate = app, gate
        self._access, self._visitors = access, visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope)
        if "content-length" in given and "transfer-encoding" in given:
            # A proxy and this server might not agree on where the request ends, and what begins after it.
            why = "a request has Content-Length or Transfer-Encoding, not both\n"
            await PlainTextResponse(why, 400, {"connection": "close"})(scope, receive, send)
            return
        is_file = _FILES.fullmatch(str(scope["path"])) is not None
        connection = HTTPConnection(scope)
        known = self._visitors.find_name(connection)
        # A socket cannot give a browser a cookie, so a new visitor gets no name.
        scope["visitor"] = known or (self._visitors.new_guest() if scope["type"] == "http" else "")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                is_data = is_file or answered.get("content-type") == "application/json"
                headers = _HEADERS_OF_FILES if is_data else _HEADERS
                for name, value in headers.items():
                    answered.setdefault(name, value)
                if not (known or is_file):
                    answered.setdefault("set-cookie", self._visitors.write(scope["visitor"], connection))
            await send(message)

        is_refused = connection.client is not None and self._gate.refuses(find_address(connection))
        if not is_refused and self._access.lets_in(connection.headers):
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            why = PageRefused("page.not_let_in").reason(find_language(connection))
            why = "access from this address is refused at the moment" if is_refused else why
            await PlainTextResponse(f"{why}\n", 403)(scope, receive, send_with_headers)


def own_names(more: Iterable[str] = ()) -> frozenset[str]:
    """Return the names of this computer on its network, and the names in `more`."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name.partition('.')[0]}.local", *(each.lower() for each in more)})
