"""The server's pages for people, and `/health` and `/metrics` for programs. A separate process makes the pages."""

import asyncio
import multiprocessing
import os
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketClose

from gtp_variants.base.connection_gate import Gate, plain_address
from gtp_variants.base.processes.worker_processes import end_with_parent
from gtp_variants.lang import say
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import Anchors
from gtp_variants.site.http import CLOSED, HEADERS, configure, find_language, read_number
from gtp_variants.site.lobby import pages
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.account_store import Archive, GameLine
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.lobby.people import PersonLine
from gtp_variants.site.tournaments import Tournament, Tournaments

_NICENESS = 5
# A function that makes a page from the archive, or returns None if there is nothing to show.
PageMaker = Callable[[Archive], str | None]


class PageProcess:
    """Makes pages from a server's folder, one at a time, in a process that starts when first needed."""

    def __init__(self, folder: Path, anchors: Anchors) -> None:
        self._open = partial(_open, folder, anchors)
        self._pool: ProcessPoolExecutor | None = None

    async def make(self, maker: PageMaker) -> str | None:
        """Call `maker`, a module-level function, in the process. Raises OSError if the store cannot be read."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), self._open)
        try:
            return await asyncio.wrap_future(self._pool.submit(_make, maker))
        except BrokenExecutor as error:
            await self.close()
            raise OSError(f"cannot make pages: {error}") from error

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)


# The archive, in the process that makes the pages.
_archives: list[Archive] = []


def _open(folder: Path, anchors: Anchors) -> None:
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    _archives.append(Archive(folder, anchors))


def _make(maker: PageMaker) -> str | None:
    return maker(_archives[-1])


_POLICY = f"{CLOSED}; style-src 'self'; img-src 'self' data:"
# A page that replays a game is one file with its own style and script.
_REPLAY_POLICY = f"{CLOSED}; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_PLAY_POLICY = f"{_POLICY}; script-src 'self'; connect-src 'self'"
# Seconds for caching most pages, and for caching the page of a finished game.
_FRESH_S, _KEPT_S = 2.0, 3600.0
_MOST_PAGES = 64
# Maximum pages given to the process at once.
_AT_ONCE = 2
_FILES = {"/play.js": "javascript", "/style.css": "css"}
_LONGEST_MESSAGE = 4096
_CONNECTIONS = 500


class GameNumber(IntegerConvertor):
    """The number of a game in a URL. A number too large for the store matches no route."""

    regex = "[0-9]{1,18}"


register_url_convertor("game", GameNumber())


class AddressCheck:
    """Refuses all requests from addresses that the gate refuses, for a ban or for repeated faults."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client is None or not self._gate.refuses(plain_address(client[0])):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await PlainTextResponse("access from this address is refused at the moment\n", 403)(scope, receive, send)


class HttpServer(uvicorn.Server):
    """A uvicorn server that shares its event loop and leaves signals to the owner of the loop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class SitePort:
    """The pages of a lobby, on a separate port behind its server's gate. Raises OSError."""

    def __init__(
        self,
        lobby: Lobby,
        folder: Path,
        gate: Gate,
        host: str,
        port: int,
        tournaments: Tournaments | None = None,
        proxies: Sequence[str] = (),
    ) -> None:
        self._lobby, self._gate, self._tournaments = lobby, gate, tournaments
        self._archive = Archive(folder, lobby.anchors)
        self._process = PageProcess(folder, lobby.anchors)
        self._made = OrderedDict[tuple[str, ...], tuple[float, str]]()
        self._making = asyncio.Semaphore(_AT_ONCE)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listening = socket.create_server((host, port), family=family)
        self._listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = self._listening.getsockname()[1]
        app = Starlette(routes=self._routes(), middleware=[Middleware(AddressCheck, gate=gate)])
        self._server = HttpServer(configure(app, gate, _LONGEST_MESSAGE, _CONNECTIONS, proxies))
        self._serving = asyncio.get_running_loop().create_task(self._server.serve([self._listening]))

    async def close(self) -> None:
        self._server.should_exit = True
        await self._serving
        await self._process.close()
        self._archive.close()

    def _routes(self) -> list[BaseRoute]:
        return [
            Route("/", self._standings),
            Route("/games", self._games),
            Route("/player/{name}", self._player),
            Route("/game/{number:game}", self._game),
            Route("/game/{number:game}.sgf", self._sgf),
            Route("/tournament/{name}", self._tournament),
            Route("/play", self._play),
            WebSocketRoute("/api/play", self._serve_person),
            *(Route(path, _file) for path in _FILES),
            Route("/health", self._health),
            Route("/metrics", self._metrics),
        ]

    async def _health(self, request: Request) -> Response:
        """Answer 200 while the server accepts players and can read its store, else 503."""
        lobby = self._lobby
        try:
            await asyncio.to_thread(self._archive.games, 1, 1)
        except OSError as error:
            return JSONResponse({"status": "failing", "why": str(error)}, 503)
        status = "draining" if lobby.entrance.is_draining else "ok"
        answer = {"status": status, "players": len(lobby.guests), "games": len(lobby.running)}
        return JSONResponse(answer, 503 if lobby.entrance.is_draining else 200)

    async def _metrics(self, request: Request) -> Response:
        return PlainTextResponse(self._lobby.metrics.write(), media_type="text/plain; version=0.0.4")

    async def _standings(self, request: Request) -> Response:
        lang = find_language(request)
        running = [_line_of(game) for game in list(self._lobby.running.values())[:30]]
        begun = [each.plan.name for each in self._all_tournaments][:20]
        make = partial(pages.standings, here=set(self._lobby.guests), running=running, tournaments=begun, lang=lang)
        return await self._page(("standings", lang), make, lang)

    async def _play(self, request: Request) -> Response:
        games = list(dict.fromkeys(split_spec(spec)[0].name for spec in self._lobby.offered.specs))
        return _html(pages.play_page(games, find_language(request)), _PLAY_POLICY)

    async def _serve_person(self, socket: WebSocket) -> None:
        await PersonLine(self._lobby, self._gate, socket).serve()

    async def _tournament(self, request: Request) -> Response:
        lang, name = find_language(request), request.path_params["name"]
        found = next((each for each in self._all_tournaments if each.plan.name == name), None)
        if found is None:
            return _error(404, lang)
        return await self._page(("tournament", name, lang), partial(pages.tournament, found=found, lang=lang), lang)

    @property
    def _all_tournaments(self) -> list[Tournament]:
        return [] if self._tournaments is None else self._tournaments.all

    async def _games(self, request: Request) -> Response:
        lang, before = find_language(request), _before(request)
        make = partial(pages.games, before=before, lang=lang)
        return await self._page(("games", str(before), lang), make, lang)

    async def _player(self, request: Request) -> Response:
        lang, before, name = find_language(request), _before(request), request.path_params["name"]
        make = partial(pages.player, name=name, before=before, lang=lang)
        return await self._page(("player", name.lower(), str(before), lang), make, lang)

    async def _game(self, request: Request) -> Response:
        number, lang = request.path_params["number"], find_language(request)
        running = self._lobby.running.get(number)
        if running is not None and not running.rules.is_open:
            return _html(pages.page(f"{number}", lang, f"<p>{say('server.hidden', lang)}</p>"))
        moment = str(len(running.game.events)) if running is not None else ""
        make = partial(pages.game, number=number, is_on=running is not None)
        # The page of a finished game does not change.
        fresh_s = _FRESH_S if running is not None else _KEPT_S
        return await self._page(("game", str(number), moment), make, lang, _REPLAY_POLICY, fresh_s)

    async def _sgf(self, request: Request) -> Response:
        try:
            found = await self._process.make(partial(pages.sgf, number=request.path_params["number"]))
        except OSError:
            return PlainTextResponse("the record cannot be read at the moment; try again later\n", 503)
        if found is None:
            return PlainTextResponse("no finished game has this number\n", 404)
        return Response(found, media_type="application/x-go-sgf", headers=HEADERS)

    async def _page(
        self, key: tuple[str, ...], make: PageMaker, lang: str, policy: str = _POLICY, fresh_s: float = _FRESH_S
    ) -> Response:
        """Return a page, from memory if it was made in the last `fresh_s` seconds."""
        known = self._made.get(key)
        if known is None or known[0] < time.monotonic():
            try:
                async with self._making:
                    made = await self._process.make(make)
            except OSError:
                return _error(503, lang)
            if made is None:
                return _error(404, lang)
            known = self._made[key] = (time.monotonic() + fresh_s, made)
            self._made.move_to_end(key)
            if len(self._made) > _MOST_PAGES:
                self._made.popitem(last=False)
        return _html(known[1], policy)


def _html(text: str, policy: str = _POLICY, status: int = 200) -> Response:
    return HTMLResponse(text, status, {**HEADERS, "Content-Security-Policy": policy})


def _error(status: int, lang: str) -> Response:
    why = say("server.missing" if status == 404 else "server.unreadable", lang)
    return _html(pages.page(str(status), lang, f"<p>{why}</p>"), _POLICY, status)


def _before(request: Request) -> int:
    return read_number(request, "before", 17, 2**62)


def _line_of(game: AccountGame) -> GameLine:
    return GameLine(game.number, game.rules.spec, game.names[BLACK], game.names[WHITE], "", "", game.event)


async def _file(request: Request) -> Response:
    path = Path(__file__).parent / request.url.path[1:]
    return Response(path.read_bytes(), media_type=f"text/{_FILES[request.url.path]}", headers=HEADERS)
