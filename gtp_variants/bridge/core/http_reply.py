"""HTTP requests with a limit on the length of replies, so that an endless reply cannot fill the memory."""

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
    """Send a request and return the reply. Raises httpx.HTTPError, OSError, or PeerGarbled for a reply over 16 MiB."""
    async with http.stream(method, url, content=content, headers=headers) as response:
        found = bytearray()
        async for chunk in response.aiter_bytes():
            found += chunk
            if len(found) > _LONGEST:
                raise PeerGarbled(f"reply longer than {_LONGEST} bytes")
        # Drop all other headers, because the content is decompressed by now, and UTF-8 whatever charset they name.
        names = {key: value for key, value in response.headers.items() if key.lower() == "retry-after"}
        return httpx.Response(response.status_code, headers=names, content=bytes(found))
