"""What a server needs of its machine: as many open files as it may have, and a certificate."""

import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gtp_variants.errors import ConfigError


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
        """Raises ConfigError for files that are none."""
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
