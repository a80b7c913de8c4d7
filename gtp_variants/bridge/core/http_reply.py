"""An answer over HTTP, read no further than it may be long: a server that never ends it fills no memory."""

from collections.abc import Mapping

import httpx

from gtp_variants.errors import PeerGarbled

_LONGEST = 16 * 1024 * 1024


async def ask(
    http: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    content: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    """Ask and read the answer. Raises httpx.HTTPError and OSError, and PeerGarbled for more than 16 MiB."""
    async with http.stream(method, url, content=content, headers=headers) as response:
        found = bytearray()
        async for chunk in response.aiter_bytes():
            found += chunk
            if len(found) > _LONGEST:
                raise PeerGarbled(f"an answer of over {_LONGEST} bytes")
        # The content is unpacked by now, and UTF-8 whatever the server calls it.
        names = {key: value for key, value in response.headers.items() if key.lower() == "retry-after"}
        return httpx.Response(response.status_code, headers=names, content=bytes(found))
