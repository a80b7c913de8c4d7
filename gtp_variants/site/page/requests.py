"""What all answers share: what they are made from, how requests are read, and how errors are told."""

from dataclasses import dataclass

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, NotationError, SpecError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.records.record import printable
from gtp_variants.site.http import CLOSED, Endpoint, PageRefused, find_language, read_object
from gtp_variants.site.page.guard import AccessPolicy
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.page_games import PageGames

# What is the same for everybody is compressed; in what holds a secret its length could tell of it.
COMPRESSED = (Middleware(GZipMiddleware),)
# What a document may load that shows rules or a game, and is no page of ours.
DOCUMENT_POLICY = f"{CLOSED}; style-src 'unsafe-inline'"
# What is sent with most requests is no longer.
LONGEST_REQUEST = 5000


@dataclass(frozen=True, slots=True)
class Services:
    """What the answers of the page's server are made from: its games, and who may ask."""

    games: PageGames
    access: AccessPolicy

    def expect_token(self, request: Request) -> None:
        """Check that who asks knows the token of the server. Raises PageRefused."""
        if not self.access.opens(request.headers):
            raise PageRefused("page.token", 401)

    def find_game(self, request: Request) -> PageGame:
        """The game that an address names. Raises PageRefused for none."""
        game = self.games.find(request.path_params["game"])
        if game is None:
            raise PageRefused("page.no_game", 404)
        return game


def answer_errors(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its errors as answers: a sentence under the key `error`."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except VariantsError as error:
            status = error.status if isinstance(error, PageRefused) else 400
            return JSONResponse({"error": sentence(error, find_language(request))}, status)

    return answer


def sentence(error: VariantsError, lang: str) -> str:
    """Why something cannot be done, for a person."""
    if isinstance(error, SpecError):
        error = PageRefused("page.bad_game", why=error.reason(lang))
    if isinstance(error, RequestRefused):
        return printable(error.reason(lang))
    # What is wrong is quoted, and may be anything.
    return printable((error.sentence if isinstance(error, IllegalMove) else "") or str(error))


async def read_request(request: Request, most: int) -> Json:
    """The object of JSON that was sent with a request, of at most so many bytes."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise PageRefused("page.no_json", 415)
    asked = read_object(await read_body(request, most))
    if asked is None:
        raise NotationError("expected an object of JSON")
    return asked


async def read_body(request: Request, most: int) -> bytes:
    """What was sent with a request, as far as it is not too long."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise PageRefused("page.large", 413, count=most)
    return content
