"""The server of the page: its routes behind the guard and the gate. What crosses it is described in `docs/web.md`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from gtp_variants.connections.gate import ConnectionLimits, Gate
from gtp_variants.connections.gated_http import GatedHttp
from gtp_variants.web.guard import AccessPolicy, Guard
from gtp_variants.web.page_games import PageGames
from gtp_variants.web.routes.dice_logs import dice_routes
from gtp_variants.web.routes.game_files import game_file_routes
from gtp_variants.web.routes.game_kinds import game_kind_routes
from gtp_variants.web.routes.game_socket import socket_routes
from gtp_variants.web.routes.games import game_routes
from gtp_variants.web.routes.live_games import live_routes
from gtp_variants.web.routes.page_files import page_routes
from gtp_variants.web.routes.requests import Services


def configuration(games: PageGames, access: AccessPolicy, addresses: Sequence[str] = ()) -> uvicorn.Config:
    """What uvicorn serves, and how. `addresses` are those under which other devices reach it.

    Connections that have joined no game stand behind a gate: whoever holds hundreds open displaces their own.
    """
    gate = Gate(ConnectionLimits())
    return uvicorn.Config(
        _application(games, access, addresses, gate),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=GatedHttp.behind(gate),
        ws="websockets-sansio",
        # A message that is only a bit too long is refused with a word, a longer one by closing.
        ws_max_size=4 * games.limits.message,
        ws_per_message_deflate=False,
        limit_concurrency=2 * games.limits.sockets,
        timeout_graceful_shutdown=1,
    )


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
