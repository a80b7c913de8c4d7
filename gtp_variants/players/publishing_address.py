"""The address at which games are published: the server's URL and the key that admits publishers.

A running server writes its address into a file beside its store, readable only by its user, as one line::

    http://127.0.0.1:8361/#publish=KEY

Programs of the same user find it there. On another computer people enter the line by hand.
"""

import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gtp_variants.base.folders import state_folder
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.records.files import write

_KEY = re.compile(r"publish=([A-Za-z0-9_-]{16,200})")
_EXPECTED = "expected an address such as http://127.0.0.1:8361/#publish=KEY, or a file that holds one"
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Address:
    """A server's `url`, such as http://127.0.0.1:8361, and the `key` that admits publishers."""

    url: str
    key: str

    @property
    def line(self) -> str:
        """The address in its written form."""
        return f"{self.url}/#publish={self.key}"


class Place:
    """A place to publish: a fixed address, or a file read before each use, as a server may start at any time.

    Without words it is the address file of this user's server. Raises ConfigError if the words are neither.
    """

    def __init__(self, words: str = "") -> None:
        self._address = None if not words or Path(words).is_file() else parse_address(words)
        try:
            self._file = Path(words) if words else address_file(default_store())
        except NotationError as error:
            raise ConfigError([f"--watch: no server can be found without a home: {error}"]) from None
        if words and self._address is None and self.find() is None:
            raise ConfigError([f"{words[:80]}: {_EXPECTED}"])

    def find(self) -> Address | None:
        """Return the current address, or None if there is no server."""
        if self._address is not None:
            return self._address
        with suppress(OSError, UnicodeDecodeError, ConfigError):
            return parse_address(self._file.read_text(encoding="ascii"))
        return None


def default_store() -> Path:
    """Return the file in which this user's server keeps its games. Raises NotationError if there is no home folder."""
    return state_folder() / "web.sqlite3"


def address_file(store: Path) -> Path:
    """Return the file in which the server with this store writes its address."""
    return store.with_name(f"{store.name}.address")


def parse_address(text: str) -> Address:
    """Parse an address line. Raises ConfigError if it is invalid."""
    line = text.strip()
    try:
        parts = urlsplit(line) if len(line) < _LONGEST else urlsplit("")
        key = _KEY.search(parts.fragment)
        if parts.scheme in ("http", "https") and parts.hostname and key and parts.port != 0:
            return Address(f"{parts.scheme}://{parts.netloc}", key[1])
    except ValueError:
        pass
    raise ConfigError([f"{line[:80]}: {_EXPECTED}"])


def announce(store: Path, url: str) -> Address:
    """Write the server's address beside its store. Keep the key of an earlier address. Raises OSError."""
    file = address_file(store)
    try:
        key = parse_address(file.read_text(encoding="ascii")).key
    except (OSError, UnicodeDecodeError, ConfigError):
        key = secrets.token_urlsafe(24)
    address = Address(url, key)
    write(file, f"{address.line}\n".encode("ascii"), 0o600)
    return address
