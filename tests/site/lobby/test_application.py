"""Games between accounts on the site's board: what players, other accounts and guests can do there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from gtp_variants.site.lobby.application import SitePort
from gtp_variants.site.page.game_store import PageStore
from tests.site.lobby.people import Person, site
from tests.site.lobby.servers import Server, run, serving
from tests.support.waiting import until


@asynccontextmanager
async def playing(folder: Path, *specs: str, **more: Any) -> AsyncIterator[tuple[Server, SitePort, Person, Person]]:
    """A server, its site, and Black and White at game 1, Black to move."""
    async with serving(folder, *specs, **more) as server, site(server) as served:
        people = {name: await Person.come(served, name) for name in ("Anna", "Bert")}
        for person in people.values():
            await person.sit()
        names = server.lobby.running[1].names
        black, white = people[names[1]], people[names[2]]
        await black.until_asked()
        yield server, served, black, white
        for person in people.values():
            await person.leave()


def test_nobody_removes_a_rated_game(tmp_path: Path) -> None:
    async def test() -> None:
        async with playing(tmp_path) as (server, served, black, white):
            await black.do("play", at="C3")
            await white.until_asked()

            async def remove() -> list[int]:
                found = []
                for cookie in (black.cookie, white.cookie, ""):
                    async with httpx.AsyncClient(headers={"Cookie": cookie} if cookie else {}) as browser:
                        answer = await browser.delete(f"http://127.0.0.1:{served.port}/api/games/1")
                        found.append(answer.status_code)
                return found

            def count() -> list[tuple[Any, ...]]:
                rows = "select (select count(*) from games), (select count(*) from lines where game = '1')"
                return server.store.database.rows(rows)

            before = count()
            assert await remove() == [403] * 3
            await white.do("resign")
            await until(lambda: not server.lobby.running, "the end")
            assert await remove() == [403] * 3
            PageStore(server.store.database).delete("1")
            assert (before, count(), server.store.next_number()) == ([(1, 2)], [(1, 4)], 2)

    run(test())
