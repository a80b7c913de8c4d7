"""Where games are published: the server's URL and the key that lets publishers in.

A server that runs writes both into a file beside its store, as one line that only its user can read::

    http://127.0.0.1:8361/#publish=KEY

so that programs of the same user find it by themselves; on another computer the line is given by hand.
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
    """A server by its `url`, such as http://127.0.0.1:8361, and the `key` that it lets publishers in by."""

    url: str
    key: str

    @property
    def line(self) -> str:
        """The address as it is written and given."""
        return f"{self.url}/#publish={self.key}"


class Place:
    """Where to publish: an address, or a file that is read anew each time, as a server may be started at any time.

    Without words it is the file of this user's server. Raises ConfigError for what is neither address nor file.
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
        """The address now; None while there is no server."""
        if self._address is not None:
            return self._address
        with suppress(OSError, UnicodeDecodeError, ConfigError):
            return parse_address(self._file.read_text(encoding="ascii"))
        return None


def default_store() -> Path:
    """The file in which this user's server keeps its games. Raises NotationError where there is no home."""
    return state_folder() / "web.sqlite3"


def address_file(store: Path) -> Path:
    """The file in which the server with this store says where it is."""
    return store.with_name(f"{store.name}.address")


def parse_address(text: str) -> Address:
    """The address of a line. Raises ConfigError."""
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
    """Say in the store's address file that its server is at `url`; the key is that of the last time, if there was one.

    Raises OSError.
    """
    file = address_file(store)
    try:
        key = parse_address(file.read_text(encoding="ascii")).key
    except (OSError, UnicodeDecodeError, ConfigError):
        key = secrets.token_urlsafe(24)
    address = Address(url, key)
    write(file, f"{address.line}\n".encode("ascii"), 0o600)
    return address
