"""Visitors of the site in a browser. A signed cookie names each visitor: a guest or an account.

A guest has a random name that no account can have. The name marks the guest's seats in games, so it is never shown.
"""

import hmac
import time
from base64 import b32encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.records.files import write
from gtp_variants.site.access.accounts import GUESTS

if TYPE_CHECKING:
    # Import this only for type checking, because commands load this module even without the extra `web`.
    from starlette.requests import HTTPConnection

_GUEST = "~"
# Seconds for which a browser is remembered after its first visit or its last sign-in.
_STAY_S = 400 * 86_400


def is_guest(visitor: str) -> bool:
    """Return True unless a visitor has signed in to an account."""
    return not visitor or visitor.startswith(_GUEST)


def shown_name(visitor: str) -> str:
    """Return the name under which a visitor plays in the lobby: an account's, or a name that only this guest has."""
    return GUESTS + b32encode(sha256(visitor.encode()).digest())[:8].decode().lower() if is_guest(visitor) else visitor


def find_visitor(connection: "HTTPConnection") -> str:
    """Return the visitor that `Guard` found for a request or a socket; "" for a socket without a cookie."""
    return str(connection.scope["visitor"])


def find_account(connection: "HTTPConnection") -> str:
    """Return the account that a visitor has signed in to, or "" for a guest."""
    return "" if is_guest(visitor := find_visitor(connection)) else visitor


class OwnerAddress:
    """The address at which the user of this computer signs in to `account`. Its key is good once.

    A private file has the address with the next key.
    """

    def __init__(self, account: str, base: str, file: Path) -> None:
        """Write the file; `base` is the address of the site. Raises OSError if that fails."""
        self.account, self._base, self.file = account, base, file
        SECRET_PLACES.add(file.absolute())
        self.renew()

    def renew(self) -> None:
        """Replace the key. If the next cannot be written, raise OSError and keep this one."""
        key = token_urlsafe(24)
        text = f"{self._base}/owner/{key}"
        write(self.file, f"{text}\n".encode(), 0o600)
        self._key, self.text = key, text

    def has_key(self, key: str) -> bool:
        return hmac.compare_digest(key.encode(), self._key.encode())


class Visitors:
    """Signs and reads the cookies of one site with its secret `key`."""

    def __init__(self, key: bytes, is_signed_in: Callable[[str, float], bool] = lambda name, made_s: True) -> None:
        """`is_signed_in` returns True if an account's cookie, made at a time (as time.time), is still valid."""
        self._is_signed_in = is_signed_in
        # Derive a separate key, so that no signature for another purpose is valid here.
        self._key = hmac.digest(key, b"visitors", "sha256")
        # Browsers send a cookie to all ports of a host, so two sites on a host need different names for theirs.
        self._cookie = f"visitor-{hmac.digest(self._key, b'site', 'sha256').hex()[:8]}"

    def find_name(self, connection: "HTTPConnection") -> str:
        """Return the name in a browser's cookie, or "" if the cookie is missing, false or too old."""
        name, _, rest = connection.cookies.get(self._cookie, "").partition(":")
        until, _, mac = rest.partition(":")
        is_ours = hmac.compare_digest(mac.encode(), self._sign(name, until).encode())
        if not is_ours or float(until) <= time.time():
            return ""
        return name if is_guest(name) or self._is_signed_in(name, float(until) - _STAY_S) else ""

    def new_guest(self) -> str:
        """Return the name of a new guest."""
        return f"{_GUEST}{token_urlsafe(12)}"

    def write(self, name: str, connection: "HTTPConnection") -> str:
        """Return the header that lets a browser keep a name. Scripts and other sites cannot read or use the cookie."""
        until = f"{time.time() + _STAY_S:.6f}"
        value = f"{self._cookie}={name}:{until}:{self._sign(name, until)}"
        # `Lax` lets a browser send the cookie when a person follows a link from elsewhere, such as an invitation.
        is_secure = connection.url.scheme in ("https", "wss")
        return f"{value}; Max-Age={_STAY_S}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_secure else ''}"

    def _sign(self, name: str, until: str) -> str:
        return hmac.digest(self._key, f"{name}:{until}".encode(), "sha256").hex()
