"""Games as files: uploaded records, SGF, JSON and pictures."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, NotationError, RecordError
from gtp_variants.records.drawing.svg import animate, svg
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.records.sgf.syntax import declare_utf8, decode
from gtp_variants.records.sgf.variations import add_variations, describe_remarks
from gtp_variants.site.http import PageRefused, read_number
from gtp_variants.site.page.advice import copy_game, play_branch, read_branches
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.requests import (
    DOCUMENT_POLICY,
    Services,
    read_body,
    read_request,
    sentence,
)

_LONGEST_NUMBER = 6
_SGF = "application/x-go-sgf"
# Maximum events in an animation; nobody watches a longer one.
_MOST_SHOWN = 3000


class GameFileRoutes:
    """The addresses of games as files; a hidden game has none until its end."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._drawing = asyncio.Lock()

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/records", self._upload, methods=["POST"]),
            Route("/api/games/{game}/record.sgf", self._record_with_variations, methods=["POST"]),
            Route("/api/games/{game}/record.{form}", self._record),
            Route("/api/games/{game}/animation.svg", self._animation),
            Route("/api/games/{game}/picture.svg", self._picture),
        ]

    async def _upload(self, request: Request) -> Response:
        self._services.expect_token(request)
        content = await read_body(request, self._services.games.limits.upload)
        try:
            record, notes = await asyncio.to_thread(_read_record, content)
        except (RecordError, NotationError, IllegalMove) as error:
            raise PageRefused("page.no_record", why=sentence(error, "en")) from error
        return JSONResponse({"game": self._services.games.show(record, notes).name}, 201)

    async def _record(self, request: Request) -> Response:
        game, form = self._services.find_game(request), request.path_params["form"]
        if form not in ("sgf", "json"):
            raise PageRefused("page.no_game", 404)
        record = game.public_record()
        text = _sgf_of(game, record) if form == "sgf" else to_json(record) + "\n"
        kind = _SGF if form == "sgf" else "application/json"
        return Response(text, media_type=kind, headers=_as_file(game, form))

    async def _record_with_variations(self, request: Request) -> Response:
        """Return a game as SGF with the variations in the request."""
        asked = await read_request(request, self._services.games.limits.upload)
        game = self._services.find_game(request)
        record, tried = _copy_record(game), read_branches(asked.get("branches"))

        def write() -> str:
            lines = (play_branch(record.game, branch) for branch in tried)
            return add_variations(_sgf_of(game, record), record, lines)

        return Response(await self._draw(write), media_type=_SGF, headers=_as_file(game, "sgf"))

    async def _animation(self, request: Request) -> Response:
        game = self._services.find_game(request)
        played = _copy_record(game).game
        if len(played.events) > _MOST_SHOWN:
            raise PageRefused("page.long_record", count=_MOST_SHOWN)
        text = await self._draw(partial(animate, played))
        headers = _as_file(game, "svg") | {"Content-Security-Policy": DOCUMENT_POLICY}
        return Response(text, media_type="image/svg+xml", headers=headers)

    async def _draw(self, work: Callable[[], str]) -> str:
        """Run slow work in a thread, one piece at a time, so that many requests leave threads to others."""
        async with self._drawing:
            return await asyncio.to_thread(work)

    async def _picture(self, request: Request) -> Response:
        """Return a picture of the position after `at` events, by default the last."""
        game = self._services.find_game(request)
        played = game.public_record().game
        last = len(played.positions) - 1
        position = played.positions[min(read_number(request, "at", _LONGEST_NUMBER, last), last)]
        text = await asyncio.to_thread(svg, played.rules, position)
        return Response(text, media_type="image/svg+xml", headers={"Content-Security-Policy": DOCUMENT_POLICY})


def _copy_record(game: PageGame) -> Record:
    """Return a copy of the public record for a thread; the game itself may continue meanwhile."""
    record = game.public_record()
    return replace(record, game=copy_game(record.game))


def _sgf_of(game: PageGame, record: Record) -> str:
    """Return a game as SGF; an uploaded SGF file is returned as it was."""
    return str(game.hosted.notes.get("file") or to_sgf(record))


def _as_file(game: PageGame, form: str) -> dict[str, str]:
    """Return the header that makes a browser save an answer as a file."""
    return {"Content-Disposition": f'attachment; filename="{game.hosted.rules.name}-{game.name[:6]}.{form}"'}


def _read_record(content: bytes) -> tuple[Record, Json]:
    """Return the record in a file, and the notes to keep with it."""
    if not content.lstrip().startswith(b"{"):
        text = decode(content)
        record = from_sgf(text)
        beside = describe_remarks(text, record.game.rules.board)
        return record, {"beside": beside, "file": declare_utf8(text), "result": record.result}
    try:
        record = from_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RecordError(f"byte {error.start}: not UTF-8") from None
    said = {"0": {"comment": record.comment, "marks": {}, "labels": {}}} if record.comment else {}
    return record, {"beside": {"remarks": said, "variations": []}, "result": record.result}
