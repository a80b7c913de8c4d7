"""The page itself: its first page, and what keeps its files for times without a connection."""

from functools import lru_cache
from importlib.resources import files

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from gtp_variants._version import __version__
from gtp_variants.web.routes.requests import COMPRESSED

_EVERYWHERE = ("main", "ui/words", "data/kept", "ui/dom", "data/net", "ui/parts", "ui/press", "board/board")


def page_routes() -> list[BaseRoute]:
    """The addresses of the page and its files."""
    return [
        Route("/", _index, middleware=COMPRESSED),
        Route("/sw.js", _service_worker),
        Mount("/static", GZipMiddleware(StaticFiles(directory=str(files("gtp_variants.web") / "static")))),
    ]


async def _index(request: Request) -> Response:
    return Response(_first_page(), media_type="text/html")


@lru_cache
def _first_page() -> str:
    """The page, which names the modules that every screen needs, so that a browser asks for all of them at once."""
    text = (files("gtp_variants.web") / "static" / "index.html").read_text(encoding="utf-8")
    links = "\n".join(f'<link rel="modulepreload" href="/static/{name}.js">' for name in _EVERYWHERE)
    return text.replace("</head>", f"{links}\n</head>")


async def _service_worker(request: Request) -> Response:
    """What keeps the page's own files for times without a connection."""
    text = (files("gtp_variants.web") / "static" / "sw.js").read_text(encoding="utf-8").replace("VERSION", __version__)
    return Response(text, media_type="text/javascript")
