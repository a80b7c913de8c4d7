"""Visitors of the site in a browser: a signed cookie names the account of each."""

import hmac
import time

from starlette.requests import HTTPConnection
from starlette.responses import Response

_COOKIE = "visitor"
# How long a browser stays signed in after its last sign-in.
_STAY_S = 90 * 86_400


class Visitors:
    """Signs and reads the cookies of one site with its secret `key`."""

    def __init__(self, key: bytes) -> None:
        # A key of their own, so that no signature for another purpose is valid here.
        self._key = hmac.digest(key, b"visitors", "sha256")

    def find_name(self, connection: HTTPConnection) -> str:
        """Return the account that a browser is signed in to, or "" if its cookie is missing, false or too old."""
        name, _, rest = connection.cookies.get(_COOKIE, "").partition(":")
        until, _, mac = rest.partition(":")
        is_ours = hmac.compare_digest(mac.encode(), self._mac(name, until).encode())
        return name if is_ours and int(until) > time.time() else ""

    def sign_in(self, name: str, connection: HTTPConnection, answer: Response) -> None:
        """Let a browser stay signed in to an account. Scripts and other sites cannot read or send its cookie."""
        until = str(int(time.time()) + _STAY_S)
        self._set(answer, f"{name}:{until}:{self._mac(name, until)}", _STAY_S, connection)

    def sign_out(self, connection: HTTPConnection, answer: Response) -> None:
        """Let a browser forget its account."""
        self._set(answer, "", 0, connection)

    def _set(self, answer: Response, value: str, stay_s: int, connection: HTTPConnection) -> None:
        is_secure = connection.url.scheme in ("https", "wss")
        answer.set_cookie(_COOKIE, value, stay_s, httponly=True, samesite="strict", secure=is_secure)

    def _mac(self, name: str, until: str) -> str:
        return hmac.digest(self._key, f"{name}:{until}".encode(), "sha256").hex()
