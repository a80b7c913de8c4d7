"""A proxy before the pages of a server: only the addresses named by `--proxy` are believed."""

from pathlib import Path

import pytest

from tests.site.lobby.servers import PATIENCE_S, run, serving

pytest.importorskip("uvicorn", reason="pages need starlette and uvicorn: pip install 'gtp-variants[web]'")
pytest.importorskip("httpx", reason="the pages are asked for by httpx: pip install 'gtp-variants[kgs]'")

import httpx

from gtp_variants.site.http import open_port
from gtp_variants.site.lobby.application import SitePort


@pytest.mark.parametrize("proxies", [(), ("127.0.0.1",)])
def test_a_header_of_the_pages_is_believed_of_a_proxy_alone(tmp_path: Path, proxies: tuple[str, ...]) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            gate = server.listener.gate
            site = SitePort(server.lobby, tmp_path, gate, open_port("127.0.0.1", 0), proxies=proxies)
            server.lobby.bans.add("203.0.113.9", 3600.0)
            try:
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{site.port}", timeout=PATIENCE_S) as page:
                    # Whatever somebody wrote there themselves stands before what the proxy adds.
                    said = {"X-Forwarded-For": "192.0.2.1, 203.0.113.9"}
                    assert (await page.get("/health", headers=said)).status_code == (403 if proxies else 200)
                    assert (await page.get("/health", headers={"X-Forwarded-For": "203.0.113.8"})).status_code == 200
                    # A proxy keeps lines open for many: they are not one address's that make room for each other.
                    assert gate.half_open == (0 if proxies else 1)
            finally:
                await site.close()

    run(test())
