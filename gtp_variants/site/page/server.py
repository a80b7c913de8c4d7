"""The routes of the page's files, and of games played elsewhere."""

import json
import re
import time
from dataclasses import asdict
from functools import lru_cache
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from gtp_variants._version import __version__
from gtp_variants.base.connection_gate import TokenBucket
from gtp_variants.lang import option_meanings, sentences
from gtp_variants.players.levels import measurements, opponents_of
from gtp_variants.rules import GAMES
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.http import find_language
from gtp_variants.site.page.requests import COMPRESSED, Services, answer_with_etag, read_request
from gtp_variants.site.refusals import PageRefused

_STATIC = files("gtp_variants.site.page") / "static"


def page_routes() -> list[BaseRoute]:
    """Return the routes of the page and its files."""
    return [
        Route("/", _index, middleware=COMPRESSED),
        Route("/sw.js", _service_worker),
        Route("/static/words/{lang}.json", _words, middleware=COMPRESSED),
        Mount("/static", GZipMiddleware(StaticFiles(directory=str(_STATIC)))),
    ]


async def _index(request: Request) -> Response:
    return answer_with_etag(request, _first_page(find_language(request)), "text/html", {"Vary": "Accept-Language"})


@lru_cache
def _first_page(lang: str) -> str:
    """Return the page with a preload link for the texts in a language."""
    link = f'<link rel="preload" as="fetch" crossorigin href="/static/words/{lang}.json">'
    return (_STATIC / "index.html").read_text(encoding="utf-8").replace("</head>", f"{link}\n</head>")


async def _words(request: Request) -> Response:
    """Return the texts of the page, and the meanings of rule options, in a language."""
    lang = request.path_params["lang"]
    if lang not in LANGUAGES:
        raise HTTPException(404)
    return answer_with_etag(request, words_in(lang), "application/json")


@lru_cache
def words_in(lang: str) -> str:
    """Return the texts of the page in a language by key, the meanings of options, and the opponents, as JSON."""
    texts = {key: forms[lang] for key, forms in sentences("page_words").items()}
    book = {
        "texts": texts,
        "meanings": option_meanings(lang),
        "opponents": {game: list(map(asdict, opponents_of(game))) for game in GAMES},
        "strengths": measurements()["strengths"],
    }
    return json.dumps(book, ensure_ascii=False, separators=(",", ":"))


async def _service_worker(request: Request) -> Response:
    """Return the service worker, which keeps the page's files for offline use."""
    text = (_STATIC / "sw.js").read_text(encoding="utf-8")
    return Response(text.replace("VERSION", __version__), media_type="text/javascript")


# Maximum messages per second from all publishers together.
_PUBLISHED_HZ = 200
_NAME = re.compile(r"[A-Za-z0-9_-]{22,64}")


class LiveRoutes:
    """The routes of games played elsewhere."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._publishing = TokenBucket(2 * _PUBLISHED_HZ, _PUBLISHED_HZ, time.monotonic())

    def routes(self) -> list[BaseRoute]:
        return [Route("/api/live", self._live), Route("/api/live/{game}", self._publish, methods=["POST"])]

    async def _live(self, request: Request) -> Response:
        self._services.expect_token(request)
        summary, shown = self._services.games.listeners.summary, self._services.games.live.all()
        told = [summary(each) | {"source": each.source, "name": each.title, "lost": each.is_lost} for each in shown]
        return JSONResponse({"games": told})

    async def _publish(self, request: Request) -> Response:
        if not self._services.access.publishes(request.headers):
            raise PageRefused("page.key", 401)
        if not self._publishing.allows(time.monotonic()):
            raise PageRefused("page.rate", 429)
        name = request.path_params["game"]
        if not _NAME.fullmatch(name):
            raise PageRefused("page.live_name", 404)
        self._services.games.live.publish(name, await read_request(request, self._services.games.limits.upload))
        return JSONResponse({})
