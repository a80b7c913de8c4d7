"""Answers over HTTP of a server that may send anything."""

import gzip
from unittest.mock import patch

import pytest

from gtp_variants.errors import PeerGarbled

pytest.importorskip("httpx", reason="KGS and OGS need httpx: pip install 'gtp-variants[ogs]'")

import httpx

from gtp_variants.bridge.core.http_reply import ask


async def _reply(content: bytes, **headers: str) -> httpx.Response:
    transport = httpx.MockTransport(lambda request: httpx.Response(299, content=content, headers=headers))
    async with httpx.AsyncClient(transport=transport) as http:
        return await ask(http, "GET", "http://127.0.0.1/")


async def test_an_answer_is_read_whole() -> None:
    reply = await _reply("né\n".encode() + b"\xff", **{"Retry-After": "3"})
    assert (reply.status_code, reply.is_success, reply.text) == (299, True, "né\n�")
    assert reply.headers["retry-after"] == "3"


@pytest.mark.parametrize("is_packed", [False, True])
async def test_an_oversized_reply_is_not_read_to_its_end(is_packed: bool) -> None:
    """Also one that is short on its way."""
    content = b"x" * 100_000
    headers = {"Content-Encoding": "gzip"} if is_packed else {}
    with (
        patch("gtp_variants.bridge.core.http_reply._LONGEST", 99_999),
        pytest.raises(PeerGarbled, match="longer than 99999"),
    ):
        await _reply(gzip.compress(content) if is_packed else content, **headers)
    assert (await _reply(gzip.compress(content) if is_packed else content, **headers)).content == content
