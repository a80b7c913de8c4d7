"""An answer over HTTP, read no further than it may be long: a server that never ends it fills no memory."""

from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from gtp_variants.errors import PeerGarbled

_LONGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HttpReply:
    """The status, the headers by their names in small letters, and all of the content."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_success(self) -> bool:
        """True if the status says that it was done."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The content as UTF-8, as far as it is."""
        return self.content.decode("utf-8", "replace")


async def ask(
    http: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    content: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpReply:
    """Ask and read the answer. Raises httpx.HTTPError and OSError, and PeerGarbled for more than 16 MiB."""
    async with http.stream(method, url, content=content, headers=headers) as response:
        found = bytearray()
        async for chunk in response.aiter_bytes():
            found += chunk
            if len(found) > _LONGEST:
                raise PeerGarbled(f"an answer of over {_LONGEST} bytes")
        names = {name.lower(): value for name, value in response.headers.items()}
        return HttpReply(response.status_code, names, bytes(found))
