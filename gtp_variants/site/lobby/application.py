"""The site: the page with its games, the lobby, pages without scripts, and `/health` and `/metrics`."""

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants.base.connection_gate import Gate
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.lang import say
from gtp_variants.site.access.passwords import load_key, remember
from gtp_variants.site.access.visitors import Visitors
from gtp_variants.site.http import CLOSED, HEADERS, GatedHttp, find_language, read_number
from gtp_variants.site.lobby import pages
from gtp_variants.site.lobby.browsers import LobbyBrowsers
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.page.board_dice import DiceRoutes
from gtp_variants.site.page.game_socket import GameSocket
from gtp_variants.site.page.games import GameRoutes, game_kind_routes
from gtp_variants.site.page.guard import AccessPolicy, Guard
from gtp_variants.site.page.requests import Services, answer_error
from gtp_variants.site.page.server import LiveRoutes, page_routes
from gtp_variants.site.site_file import SiteStore
from gtp_variants.site.tournaments import Tournaments

# A function that makes a page from the archive, or returns None if there is nothing to show.
PageMaker = Callable[..., str | None]

_POLICY = f"{CLOSED}; style-src 'self'; img-src 'self' data:"
# Seconds for which a finished page is kept in memory.
_FRESH_S = 2.0
_MOST_PAGES = 64
# Maximum games in progress on a page.
_MOST_RUNNING = 30
# The access rules of a site in public.
PUBLIC = AccessPolicy(None)


class HttpServer(uvicorn.Server):
    """A uvicorn server that shares its event loop and leaves signals to the owner of the loop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class SitePort:
    """The site of a lobby, which answers on a port. `docs/web-api.md` describes its interface.

    Connections that have neither signed in nor joined a game wait behind the gate, where a client with hundreds
    displaces its own. Only `proxies` may set X-Forwarded-For. Other devices reach the site at `addresses`.
    """

    def __init__(
        self,
        lobby: Lobby,
        folder: Path,
        gate: Gate,
        listening: socket.socket,
        tournaments: Tournaments | None = None,
        proxies: Collection[str] = (),
        access: AccessPolicy = PUBLIC,
        addresses: Sequence[str] = (),
    ) -> None:
        self._lobby, self._tournaments, self._listening = lobby, tournaments, listening
        self._made = OrderedDict[tuple[str, int, str, str], tuple[float, str]]()
        # Make one page at a time, so that many requests leave threads for other work.
        self._making = asyncio.Lock()
        self.port = listening.getsockname()[1]
        visitors = Visitors(load_key(folder / "session.key"), lobby.accounts.is_signed_in)
        self._services = services = Services(lobby.games, access, visitors, addresses)
        self._browsers = LobbyBrowsers(lobby, gate, services)
        self._archive = SiteStore(lobby.file, "read", lobby.accounts.anchors)
        app = Starlette(
            routes=[*self._routes(), *self._browsers.routes(), *GameSocket(services, gate).routes()],
            middleware=[Middleware(Guard, gate=gate, access=access, visitors=visitors)],
            exception_handlers={VariantsError: answer_error},
        )
        limits = lobby.games.limits
        self._server = HttpServer(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=bool(proxies),
                forwarded_allow_ips=list(proxies),
                http=GatedHttp.behind(gate, proxies),
                ws="websockets-sansio",
                # A message slightly too long is answered with an error; a much longer message closes the connection.
                ws_max_size=4 * limits.message,
                ws_per_message_deflate=False,
                limit_concurrency=2 * (limits.sockets + lobby.settings.players),
                timeout_graceful_shutdown=1,
            )
        )
        self._serving = asyncio.get_running_loop().create_task(self._server.serve([listening]))

    async def close(self) -> None:
        """Stop answering, then stop the bots and clocks of all games."""
        self._server.should_exit = True
        self._browsers.close()
        await self._serving
        await self._lobby.games.close()
        self._archive.close()

    def _routes(self) -> list[BaseRoute]:
        services = self._services
        return [
            *page_routes(),
            *game_kind_routes(),
            *GameRoutes(services).routes(),
            *LiveRoutes(services).routes(),
            *DiceRoutes(services).routes(),
            Route("/game/{number}.sgf", self._sgf),
            *(Route(path, partial(self._page, make)) for path, make in pages.PAGES.items()),
            Route("/owner/{key}", self._enter),
            # The address of the page in older versions.
            Route("/play", RedirectResponse("/")),
            Route("/health", self._health),
            Route("/metrics", self._metrics),
        ]

    async def _health(self, request: Request) -> Response:
        """Answer 200 while the server accepts players and can read its store, else 503."""
        lobby = self._lobby
        try:
            await asyncio.to_thread(self._archive.games.results, 1, 1)
        except OSError as error:
            return JSONResponse({"status": "failing", "why": str(error)}, 503)
        status = "draining" if lobby.entrance.is_draining else "ok"
        answer = {"status": status, "players": len(lobby.guests), "games": len(lobby.running)}
        return JSONResponse(answer, 503 if lobby.entrance.is_draining else 200)

    async def _metrics(self, request: Request) -> Response:
        self._services.expect_token(request)
        return PlainTextResponse(self._lobby.metrics.write(), media_type="text/plain; version=0.0.4")

    async def _sgf(self, request: Request) -> Response:
        self._services.expect_token(request)
        try:
            found = await self._make(partial(pages.sgf, number=request.path_params["number"]))
        except (OSError, RecordError):
            return PlainTextResponse("the record cannot be read at the moment; try again later\n", 503)
        if found is None:
            return PlainTextResponse("no finished game has this number\n", 404)
        return Response(found, media_type="application/x-go-sgf", headers=HEADERS)

    async def _enter(self, request: Request) -> Response:
        """Sign the user of this computer in, whose address has a key that is good once, and lead to the page."""
        owner, lang = self._services.access.owner, find_language(request)
        if self._services.is_owner(request):
            return RedirectResponse("/", 303)
        if owner is None or not owner.has_key(request.path_params["key"]):
            return _html(pages.page("base", lang, "403", text=say("server.owner_key", lang)), 403)
        if request.method == "HEAD":  # sent by programs that only look at a link
            return _html("")
        headers = self._browsers.rename(request, owner.account)
        owner.renew()
        return RedirectResponse("/", 303, headers)

    async def _make(self, make: PageMaker) -> str | None:
        async with self._making:
            return await asyncio.to_thread(make, self._archive)

    async def _page(self, make: PageMaker, request: Request) -> Response:
        """Return a page, from memory if it was made less than `_FRESH_S` ago."""
        self._services.expect_token(request)
        lang = find_language(request)
        before, played = read_number(request, "before", 17, 2**62), request.query_params.get("game", "")
        key = (request.url.path.lower(), before, played, lang)
        known = self._made.get(key)
        if known is None or known[0] < time.monotonic():
            here, running = set(self._lobby.guests), list(self._lobby.running.values())[:_MOST_RUNNING]
            begun = [] if self._tournaments is None else self._tournaments.all
            asked = pages.PageVisit(lang, before, played, request.path_params, here, running, begun)
            try:
                made = await self._make(partial(make, asked=asked))
            except OSError:
                return _error(503, lang)
            if made is None:
                return _error(404, lang)
            known = (time.monotonic() + _FRESH_S, made)
            remember(self._made, key, known, _MOST_PAGES)
        return _html(known[1])


def _html(text: str, status: int = 200) -> Response:
    return HTMLResponse(text, status, {**HEADERS, "Content-Security-Policy": _POLICY})


def _error(status: int, lang: str) -> Response:
    why = say("server.missing" if status == 404 else "server.unreadable", lang)
    return _html(pages.page("base", lang, str(status), text=why), status)
