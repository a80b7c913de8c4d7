"""The server of the page: its routes behind the guard and the gate. What crosses it is described in `docs/web.md`.

Games that are played elsewhere: which there are, and how one stands now.

The page itself: its first page, and what keeps its files for times without a connection.
"""

import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from gtp_variants._version import __version__
from gtp_variants.base.connection_gate import ConnectionLimits, Gate, TokenBucket
from gtp_variants.lang import option_meanings, sentences
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.http import PageRefused, configure
from gtp_variants.site.page.game_files import dice_routes, game_file_routes
from gtp_variants.site.page.game_socket import socket_routes
from gtp_variants.site.page.games import game_kind_routes, game_routes
from gtp_variants.site.page.guard import AccessPolicy, Guard
from gtp_variants.site.page.page_games import PageGames
from gtp_variants.site.page.requests import COMPRESSED, Services, answer_errors, read_request

_EVERYWHERE = ("main", "ui/words", "data/kept", "ui/dom", "data/net", "ui/parts", "ui/press", "board/board")


def page_routes() -> list[BaseRoute]:
    """The addresses of the page and its files."""
    return [
        Route("/", _index, middleware=COMPRESSED),
        Route("/sw.js", _service_worker),
        Route("/static/words/{lang}.json", _words, middleware=COMPRESSED),
        Mount("/static", GZipMiddleware(StaticFiles(directory=str(files("gtp_variants.site.page") / "static")))),
    ]


async def _index(request: Request) -> Response:
    return Response(_first_page(), media_type="text/html")


@lru_cache
def _first_page() -> str:
    """The page, which names the modules that every screen needs, so that a browser asks for all of them at once."""
    text = (files("gtp_variants.site.page") / "static" / "index.html").read_text(encoding="utf-8")
    links = "\n".join(f'<link rel="modulepreload" href="/static/{name}.js">' for name in _EVERYWHERE)
    return text.replace("</head>", f"{links}\n</head>")


async def _words(request: Request) -> Response:
    """What the page says in a language: the words of the catalogue, and what options of the rules mean."""
    lang = request.path_params["lang"]
    if lang not in LANGUAGES:
        raise HTTPException(404)
    return Response(words_in(lang), media_type="application/json")


@lru_cache
def words_in(lang: str) -> str:
    """Return the texts of the page in a language by key, and meanings of options by option, as JSON."""
    texts = {key: forms[lang] for key, forms in sentences("page_words").items()}
    book = {"texts": texts, "meanings": option_meanings(lang)}
    return json.dumps(book, ensure_ascii=False, separators=(",", ":"))


async def _service_worker(request: Request) -> Response:
    """What keeps the page's own files for times without a connection."""
    text = (
        (files("gtp_variants.site.page") / "static" / "sw.js")
        .read_text(encoding="utf-8")
        .replace("VERSION", __version__)
    )
    return Response(text, media_type="text/javascript")


# All publishers together may say so much a second.
_PUBLISHED_HZ = 200
_NAME = re.compile(r"[A-Za-z0-9_-]{22,64}")


def live_routes(services: Services) -> list[BaseRoute]:
    """The addresses of games that are played elsewhere."""
    routes = LiveRoutes(services)
    return [
        Route("/api/live", answer_errors(routes.live)),
        Route("/api/live/{game}", answer_errors(routes.publish), methods=["POST"]),
    ]


class LiveRoutes:
    """What is answered about games that are played elsewhere."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._publishing = TokenBucket(2 * _PUBLISHED_HZ, _PUBLISHED_HZ, time.monotonic())

    async def live(self, request: Request) -> Response:
        """The games that are played elsewhere."""
        self._services.expect_token(request)
        return JSONResponse({"games": self._services.games.list_live()})

    async def publish(self, request: Request) -> Response:
        """How a game stands that is played elsewhere."""
        if not self._services.access.publishes(request.headers):
            raise PageRefused("page.key", 401)
        if not self._publishing.allows(time.monotonic()):
            raise PageRefused("page.rate", 429)
        name = request.path_params["game"]
        if not _NAME.fullmatch(name):
            raise PageRefused("page.live_name", 404)
        self._services.games.publish(name, await read_request(request, self._services.games.limits.upload))
        return JSONResponse({})


def configuration(games: PageGames, access: AccessPolicy, addresses: Sequence[str] = ()) -> uvicorn.Config:
    """What uvicorn serves, and how. `addresses` are those under which other devices reach it.

    Connections that have joined no game stand behind a gate: whoever holds hundreds open displaces their own.
    """
    gate = Gate(ConnectionLimits())
    # A message that is only a bit too long is refused with a word, a longer one by closing.
    longest, app = 4 * games.limits.message, _application(games, access, addresses, gate)
    return configure(app, gate, longest, connections=2 * games.limits.sockets)


def _application(games: PageGames, access: AccessPolicy, addresses: Sequence[str], gate: Gate) -> Starlette:
    services = Services(games, access)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await games.close()

    routes = [
        *page_routes(),
        *game_kind_routes(),
        *game_routes(services, addresses),
        *game_file_routes(services),
        *live_routes(services),
        *dice_routes(services),
        *socket_routes(services, gate),
    ]
    return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Guard, access=access)])
