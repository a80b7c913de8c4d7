"""Games as files: records to look at, SGF and JSON, pictures that stand still or move.

Dice for people at a real board: thrown one after the other, with a log that can be checked.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, NotationError, RecordError
from gtp_variants.records import dice_log
from gtp_variants.records.drawing.svg import animate, svg
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.records.sgf.syntax import declare_utf8, decode
from gtp_variants.records.sgf.variations import add_variations, describe_remarks
from gtp_variants.site.http import PageRefused, read_number
from gtp_variants.site.page.advice import copy_game, play_branch, read_branches
from gtp_variants.site.page.board_dice import ThrownDice
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.requests import (
    DOCUMENT_POLICY,
    LONGEST_REQUEST,
    Services,
    answer_errors,
    read_body,
    read_request,
    sentence,
)
from gtp_variants.site.page.seat_locks import new_token


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


_LONGEST_NUMBER = 6
_SGF = "application/x-go-sgf"
# A film of more events is longer than anybody looks at.
_MOST_SHOWN = 3000


def game_file_routes(services: Services) -> list[BaseRoute]:
    """The addresses of games as files."""
    routes = GameFileRoutes(services)
    return [
        Route("/api/records", answer_errors(routes.upload), methods=["POST"]),
        Route("/api/games/{game}/record.sgf", answer_errors(routes.record_with_variations), methods=["POST"]),
        Route("/api/games/{game}/record.{form}", answer_errors(routes.record)),
        Route("/api/games/{game}/animation.svg", answer_errors(routes.animation)),
        Route("/api/games/{game}/picture.svg", answer_errors(routes.picture)),
    ]


class GameFileRoutes:
    """What is answered with a game as a file."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._drawing = asyncio.Lock()

    async def upload(self, request: Request) -> Response:
        """A record to look at."""
        self._services.expect_token(request)
        content = await read_body(request, self._services.games.limits.upload)
        try:
            record, notes = await asyncio.to_thread(_read_record, content)
        except (RecordError, NotationError, IllegalMove) as error:
            raise PageRefused("page.no_record", why=sentence(error, "en")) from error
        return JSONResponse({"game": self._services.games.show(record, notes).name}, 201)

    async def record(self, request: Request) -> Response:
        """A game as a file; of a hidden one only when it is over."""
        game, form = self._services.find_game(request), request.path_params["form"]
        if form not in ("sgf", "json"):
            raise PageRefused("page.no_game", 404)
        record = game.public_record()
        text = _sgf_of(game, record) if form == "sgf" else to_json(record) + "\n"
        kind = _SGF if form == "sgf" else "application/json"
        return Response(text, media_type=kind, headers=_as_file(game, form))

    async def record_with_variations(self, request: Request) -> Response:
        """A game as SGF with what somebody tried of it."""
        asked = await read_request(request, self._services.games.limits.upload)
        game = self._services.find_game(request)
        record, tried = _copy_record(game), read_branches(asked.get("branches"))

        def write() -> str:
            lines = (play_branch(record.game, branch) for branch in tried)
            return add_variations(_sgf_of(game, record), record, lines)

        return Response(await self._draw(write), media_type=_SGF, headers=_as_file(game, "sgf"))

    async def animation(self, request: Request) -> Response:
        """A game as a picture that moves; of a hidden one only when it is over."""
        game = self._services.find_game(request)
        played = _copy_record(game).game
        if len(played.events) > _MOST_SHOWN:
            raise PageRefused("page.long_record", count=_MOST_SHOWN)
        text = await self._draw(partial(animate, played))
        headers = _as_file(game, "svg") | {"Content-Security-Policy": DOCUMENT_POLICY}
        return Response(text, media_type="image/svg+xml", headers=headers)

    async def _draw(self, work: Callable[[], str]) -> str:
        """What takes long to write, one after the other: whoever asks for many leaves threads to others."""
        async with self._drawing:
            return await asyncio.to_thread(work)

    async def picture(self, request: Request) -> Response:
        """A game as a picture, after `at` events; of a hidden one only when it is over."""
        game = self._services.find_game(request)
        played = game.public_record().game
        last = len(played.positions) - 1
        position = played.positions[min(read_number(request, "at", _LONGEST_NUMBER, last), last)]
        text = await asyncio.to_thread(svg, played.rules, position)
        return Response(text, media_type="image/svg+xml", headers={"Content-Security-Policy": DOCUMENT_POLICY})


def _copy_record(game: PageGame) -> Record:
    """A game as anybody may have it, for a thread: of one that goes on somebody may play meanwhile."""
    record = game.public_record()
    return replace(record, game=copy_game(record.game))


def _sgf_of(game: PageGame, record: Record) -> str:
    """A game as SGF; a file that was opened is given back with all that is in it."""
    return str(game.hosted.notes.get("file") or to_sgf(record))


def _as_file(game: PageGame, form: str) -> dict[str, str]:
    """The header that makes a browser keep an answer as a file."""
    return {"Content-Disposition": f'attachment; filename="{game.hosted.rules.name}-{game.name[:6]}.{form}"'}


def _read_record(content: bytes) -> tuple[Record, Json]:
    """A file that is opened, and what is kept of it besides the game."""
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
