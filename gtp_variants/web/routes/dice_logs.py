"""Dice for people at a real board: thrown one after the other, with a log that can be checked."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants.records import dice_log
from gtp_variants.web.board_dice import ThrownDice
from gtp_variants.web.refusals import PageRefused
from gtp_variants.web.routes.requests import LONGEST_REQUEST, Services, answer_errors, read_request
from gtp_variants.web.seat_locks import new_token


def dice_routes(services: Services) -> list[BaseRoute]:
    """The addresses of dice for people at a real board."""
    routes = DiceRoutes(services)
    return [
        Route("/api/dice", answer_errors(routes.new_dice), methods=["POST"]),
        Route("/api/dice/{name}", answer_errors(routes.dice), methods=["GET", "POST"]),
        Route("/api/dice/{name}/log", answer_errors(routes.dice_log)),
    ]


class DiceRoutes:
    """What is answered about dice for people at a real board."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def new_dice(self, request: Request) -> Response:
        """Dice for people at a real board."""
        self._services.expect_token(request)
        name = new_token()
        thrown = self._services.games.dice.begin(await read_request(request, LONGEST_REQUEST), name)
        return JSONResponse({"log": name, **thrown.as_json()}, 201)

    async def dice(self, request: Request) -> Response:
        """What was thrown so far; or a throw, or the dice are put away."""
        # While what is sent still comes somebody else may throw.
        asked = await read_request(request, LONGEST_REQUEST) if request.method == "POST" else None
        name, thrown = self._thrown(request)
        if asked is not None:
            thrown = self._services.games.dice.act(name, thrown, asked)
        return JSONResponse(thrown.as_json())

    async def dice_log(self, request: Request) -> Response:
        """All throws as a file that `gtp-variants verify` reads; the secret in it once the dice are put away."""
        name, thrown = self._thrown(request)
        headers = {"Content-Disposition": f'attachment; filename="dice-{name[:6]}.jsonl"'}
        return Response(dice_log.text(thrown.public_log), media_type="application/jsonl", headers=headers)

    def _thrown(self, request: Request) -> tuple[str, ThrownDice]:
        name = request.path_params["name"]
        thrown = self._services.games.dice.find(name)
        if thrown is None:
            raise PageRefused("page.no_log", 404)
        return name, thrown
