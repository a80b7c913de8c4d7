"""Shared parts of the page's routes: the services, and functions that read requests and report errors."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, NotationError, SpecError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.records.record import printable
from gtp_variants.site.access.visitors import Visitors, find_account, find_visitor
from gtp_variants.site.http import CLOSED, find_language, find_network, read_object
from gtp_variants.site.page.guard import AccessPolicy
from gtp_variants.site.page.page_game import PageGame, read_name
from gtp_variants.site.page.page_games import PageGames
from gtp_variants.site.refusals import PageRefused

# Only for answers without secrets: the length of a compressed answer can reveal what is in it.
COMPRESSED = (Middleware(GZipMiddleware),)
# The content security policy of the rules and pictures that the page shows.
DOCUMENT_POLICY = f"{CLOSED}; style-src 'unsafe-inline'"
# Maximum bytes in most requests.
LONGEST_REQUEST = 5000
# Games that one network may begin with friends on a public site: at once, and per second.
_GAMES, _GAMES_A_SECOND = 20.0, 1 / 60


@dataclass(frozen=True, slots=True)
class Services:
    """A site's games, access policy and visitors. Other devices reach it at `addresses`.

    On a public site, with a `limit` per network, visitors may begin games with friends, but not list or upload games.
    """

    games: PageGames
    access: AccessPolicy
    visitors: Visitors
    addresses: Sequence[str] = ()
    limit: TokenBuckets = field(default_factory=lambda: TokenBuckets(_GAMES, _GAMES_A_SECOND))

    def lets_in(self, connection: HTTPConnection, told: object = None) -> bool:
        """Return True for who has an account, knows the server's token, or has `told` it in a message."""
        return bool(find_account(connection)) or self.access.opens(connection.headers, told)

    def is_owner(self, request: Request) -> bool:
        """Return True for the user of the computer on which a private site runs, whose account has no password."""
        owner = self.access.owner
        return owner is not None and find_account(request) == owner.account

    def has_signed_out(self, socket: WebSocket) -> bool:
        """Return True if an account has been signed out since one of its sockets opened."""
        return self.visitors.find_name(socket) != find_visitor(socket)

    def expect_token(self, request: Request) -> None:
        """Raise PageRefused for a request by nobody who is to be let in."""
        if not self.lets_in(request):
            raise PageRefused("page.token", 401)

    def expect_private(self, request: Request) -> None:
        """Raise PageRefused for a request that a public site refuses, or that lacks the server's token."""
        if self.access.is_public:
            raise PageRefused("page.only_friends", 403)
        self.expect_token(request)

    def expect_welcome(self, request: Request) -> None:
        """Raise PageRefused if a visitor may begin no game at the moment."""
        self.expect_token(request)
        self.games.expect_welcome(find_visitor(request))
        if self.access.is_public and not self.limit.take(find_network(request), time.monotonic()):
            raise PageRefused("page.rate", 429)

    def find_name(self, connection: HTTPConnection, asked: object) -> str:
        """Return a visitor's name, `asked` for on a private site, else an account's or "". Raises NotationError."""
        return ("" if self.access.is_public else read_name(asked)) or find_account(connection)

    async def find_game(self, request: Request) -> PageGame:
        """Return the game named in the URL. Raises PageRefused if there is no such game."""
        return await self.games.fetch(request.path_params["game"], client=find_network(request))


def answer_with_etag(request: Request, content: str, kind: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a text of the media type `kind`, which a browser keeps and does not get again while it is the same."""
    tag = f'"{sha256(content.encode()).hexdigest()[:32]}"'
    told = {"ETag": tag, **(headers or {})}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=told)
    return Response(content, media_type=kind, headers=told)


async def answer_error(request: Request, error: Exception) -> Response:
    """Return the answer to a VariantsError: its HTTP status, and JSON with a sentence under the key `error`."""
    assert isinstance(error, VariantsError)
    status = error.status if isinstance(error, PageRefused) else 400
    return JSONResponse({"error": sentence(error, find_language(request))}, status)


def sentence(error: VariantsError, lang: str) -> str:
    """Return the reason for an error, as a sentence for people."""
    if isinstance(error, SpecError):
        error = PageRefused("page.bad_game", why=error.reason(lang))
    if isinstance(error, RequestRefused):
        return printable(error.reason(lang))
    # Make the message printable, because it may quote any input.
    return printable((error.sentence if isinstance(error, IllegalMove) else "") or str(error))


async def read_request(request: Request, most: int) -> Json:
    """Return a request's JSON object. Raises PageRefused or NotationError if it is no JSON or over `most` bytes."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise PageRefused("page.no_json", 415)
    asked = read_object(await read_body(request, most))
    if asked is None:
        raise NotationError("expected a JSON object")
    return asked


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request. Raises PageRefused if it has more than `most` bytes."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise PageRefused("page.large", 413, count=most)
    return content
