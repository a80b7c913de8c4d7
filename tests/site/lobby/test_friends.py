"""Games between friends on a public site: begun by invitation, by guests too, and nothing else of a private page."""

from pathlib import Path

import httpx
import pytest

from gtp_variants.site.page import requests
from tests.site.lobby.people import Ear, sign_in, site
from tests.site.lobby.servers import PATIENCE_S, run, serving

INVITED = {"spec": "pentalath", "seats": {"w": {"kind": "invited"}}}


def test_a_guest_invites_a_friend_and_nobody_takes_the_name_of_an_account(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server, site(server) as served:
            base = f"http://127.0.0.1:{served.port}"
            async with (
                httpx.AsyncClient(base_url=base, timeout=PATIENCE_S) as host,
                httpx.AsyncClient(base_url=base, timeout=PATIENCE_S) as friend,
            ):
                await sign_in(served.port, "Anna")
                await host.get("/")
                asked = INVITED | {"seats": {"b": {"kind": "person", "name": "Anna"}, "w": {"kind": "invited"}}}
                made = (await host.post("/api/games", json=asked)).json()
                await friend.post("/api/session", json={"name": "Ben", "password": "secret"})
                said = {"invitation": made["invitations"]["w"], "name": "Anna"}
                assert (await friend.post(f"/api/games/{made['game']}/seat", json=said)).json() == {"colour": "w"}
                cookie = "; ".join(f"{key}={value}" for key, value in host.cookies.items())
                board = await Ear.open(served.port, "/api/socket", cookie, join=made["game"])
                whole = await board.until("game")
                assert (whole["you"], whole["strict"], whole["rated"]) == ("b", False, False)
                assert {letter: each.get("name") for letter, each in whole["seats"].items()} == {"b": None, "w": "Ben"}
                await board.send(do="play", at=whole["state"]["legal"][0])
                await board.close()
                for path, body in (("/api/records", b"(;GM[1])"), ("/api/dice", b"{}")):
                    answer = await host.post(path, content=body, headers={"content-type": "application/json"})
                    assert (answer.status_code, "games with friends" in answer.text) == (403, True), path
                assert (await host.get("/api/games")).status_code == 403
                bot = INVITED | {"seats": {"w": {"kind": "bot", "bot": "greedy"}}}
                assert (await host.post("/api/games", json=bot)).status_code == 400
                assert (await host.get("/api/about")).json()["bots"] == []

    run(test())


def test_a_network_begins_few_games_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_GAMES", 2.0)

    async def test() -> None:
        async with (
            serving(tmp_path) as server,
            site(server) as served,
            httpx.AsyncClient(timeout=PATIENCE_S) as host,
        ):
            codes = [
                (await host.post(f"http://127.0.0.1:{served.port}/api/games", json=INVITED)).status_code
                for _ in range(3)
            ]
            assert codes == [201, 201, 429]

    run(test())
