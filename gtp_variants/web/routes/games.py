"""Games: which there are, a new one, who takes a seat, what one is, and its end."""

from collections.abc import Sequence
from io import BytesIO

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants._version import __version__
from gtp_variants.errors import NotationError
from gtp_variants.players.strength.titles import title
from gtp_variants.rules import GAMES, game_class, words
from gtp_variants.web.page_game import read_name
from gtp_variants.web.routes.requests import LONGEST_REQUEST, Services, answer_errors, read_body, read_request
from gtp_variants.web.seat_locks import is_made_well


def game_routes(services: Services, addresses: Sequence[str]) -> list[BaseRoute]:
    """The addresses of games, and of what the page must know before any."""
    routes = GameRoutes(services, addresses)
    return [
        Route("/api/about", routes.about),
        Route("/api/games", answer_errors(routes.games), methods=["GET", "POST"]),
        Route("/api/games/{game}/seat", answer_errors(routes.claim), methods=["POST"]),
        Route("/api/games/{game}/invitation", answer_errors(routes.invite), methods=["POST"]),
        Route("/api/games/{game}", answer_errors(routes.game), methods=["GET", "DELETE"]),
        Route("/api/qr", answer_errors(routes.qr), methods=["POST"]),
    ]


class GameRoutes:
    """What is answered about games; `addresses` are those under which other devices reach the server."""

    def __init__(self, services: Services, addresses: Sequence[str]) -> None:
        self._services = services
        self._addresses = addresses

    async def about(self, request: Request) -> Response:
        """What the page must know before any game."""
        opponents = self._services.games.opponents
        about = {
            "version": __version__,
            "games": [{"name": name, "title": game_class(name).title} for name in GAMES],
            "bots": [
                {
                    "name": name,
                    "levels": opponents.has_levels(name),
                    "hidden": opponents.plays_hidden(name),
                    "title": {
                        lang: name if opponents.is_engine(name) else title(name, lang) for lang in words.LANGUAGES
                    },
                }
                for name in opponents.names()
            ],
            "addresses": list(self._addresses),
            "token": self._services.access.token is not None and not self._services.access.opens(request.headers),
        }
        return JSONResponse(about)

    async def games(self, request: Request) -> Response:
        """The games of this server, or a new one."""
        self._services.expect_token(request)
        if request.method == "GET":
            return JSONResponse({"games": await self._services.games.latest()})
        game, opening = self._services.games.begin(await read_request(request, LONGEST_REQUEST * 2))
        return JSONResponse({"game": game.name, **opening.as_json()}, 201)

    async def claim(self, request: Request) -> Response:
        """A seat for who comes with an invitation to it, or with the recovery word of who took it."""
        asked = await read_request(request, LONGEST_REQUEST)
        game, token = self._services.find_game(request), asked.get("token", "")
        if not isinstance(token, str) or (token and not is_made_well(token)):
            raise NotationError("token: expected 22 to 64 letters of base64url, at random")
        match asked:
            case {"invitation": str(invitation)}:
                claim = self._services.games.claim(game, invitation, token, read_name(asked.get("name", "")))
            case {"recovery": str(word)}:
                host = request.client.host if request.client else ""
                claim = self._services.games.recover(game, word, host, token)
            case _:
                raise NotationError("expected an invitation or a recovery word")
        return JSONResponse(claim.as_json(), 201)

    async def invite(self, request: Request) -> Response:
        """A new invitation instead of one that nobody has taken."""
        asked = await read_request(request, LONGEST_REQUEST)
        game = self._services.find_game(request)
        match asked:
            case {"creator": str(creator), "colour": str(letter)}:
                return JSONResponse({"invitation": self._services.games.renew(game, creator, letter)}, 201)
            case _:
                raise NotationError("expected the creator's token and a colour")

    async def game(self, request: Request) -> Response:
        """What a game is; or it is removed, for who holds the seats of all who play it."""
        if request.method == "GET":
            return JSONResponse(self._services.games.summary(self._services.find_game(request)))
        asked = await read_request(request, LONGEST_REQUEST)
        match asked:
            case {"seats": list(tokens)} if all(isinstance(token, str) for token in tokens):
                self._services.games.delete(self._services.find_game(request), tokens)
                return JSONResponse({})
            case _:
                raise NotationError("expected the tokens of seats")

    async def qr(self, request: Request) -> Response:
        """An address as a QR code in SVG."""
        import segno

        self._services.expect_token(request)
        text = (await read_body(request, 500)).decode("utf-8", "replace")
        code = BytesIO()
        segno.make_qr(text).save(code, kind="svg", scale=4, dark="#000", light="#fff", border=3)
        return Response(code.getvalue(), media_type="image/svg+xml")
