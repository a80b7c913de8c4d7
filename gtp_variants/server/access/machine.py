"""What a server needs of its machine: open files, a certificate, and an interpreter that holds no move up."""

import asyncio
import gc
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gtp_variants.errors import ConfigError

# How often all that was not freed is looked through for what nobody can reach, and never by itself: with a hundred
# games that takes some 5 ms, with what was loaded before them 20.
_COLLECTION_S = 60.0
_NEVER = 10**6


async def spare_pauses() -> None:
    """Let nothing of this program hold up a move for long, once all is loaded that it needs; goes on for ever."""
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    gc.collect()
    gc.freeze()
    while True:
        await asyncio.sleep(_COLLECTION_S)
        gc.collect()


def raise_file_limit() -> None:
    """Let this process have as many files open as its hard limit allows: every connection is one."""
    try:
        import resource
    except ImportError:
        return  # Windows has no such limit.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Certificate:
    """A certificate for TLS 1.2 and later, in a context that can be given its successor while it is used."""

    def __init__(self, cert: Path, key: Path | None) -> None:
        """The certificate in two files, or both parts in one. Raises ConfigError for files that are none."""
        self._cert, self._key = cert, key
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            self.context.load_cert_chain(cert, key)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError([f"--cert {cert}, --key {key or cert}: cannot be used: {error}"]) from error

    def reload(self, log: Callable[[str], None]) -> None:
        """Read the files again; what cannot be used changes nothing."""
        try:
            self.context.load_cert_chain(self._cert, self._key)
        except (OSError, ssl.SSLError) as error:
            log(f"the certificate stays as it was: {self._cert}: {error}")
        else:
            log(f"{self._cert}: read again")
