"""Games that are played elsewhere: which there are, and how one stands now."""

import re
import time

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants.connections.token_buckets import TokenBucket
from gtp_variants.web.refusals import PageRefused
from gtp_variants.web.routes.requests import Services, answer_errors, read_request

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
