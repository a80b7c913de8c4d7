"""Routes to begin, join, describe, save and remove games, and to describe the game of a SPEC."""

import asyncio
import json
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from io import BytesIO

import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants._version import __version__
from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, NotationError, RecordError
from gtp_variants.handbook.pages import page
from gtp_variants.players import bots
from gtp_variants.players.levels import level_meanings, title
from gtp_variants.players.transcript import NoSeat
from gtp_variants.records.drawing.svg import UNIT, animate, stage, svg
from gtp_variants.records.files import decode_json, encode
from gtp_variants.records.json import to_json
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.records.sgf.variations import add_variations, describe_remarks
from gtp_variants.records.state import describe_rules
from gtp_variants.rules import AMONG_PEOPLE, GAMES, game_class, parse
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import random_game
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules
from gtp_variants.site.access.visitors import find_account, find_visitor
from gtp_variants.site.http import find_network, read_number
from gtp_variants.site.page.advice import copy_game, play_branch, read_branches
from gtp_variants.site.page.lessons import describe_lesson, find_lesson
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.requests import (
    COMPRESSED,
    DOCUMENT_POLICY,
    LONGEST_REQUEST,
    Services,
    answer_with_etag,
    read_body,
    read_request,
    sentence,
)
from gtp_variants.site.page.thinking_queue import ThinkingQueue
from gtp_variants.site.refusals import PageRefused

_LONGEST_SPEC = 5000
_REMEMBERED = 64
_EXAMPLE_SEED = 7
_LONGEST_NUMBER = 6
# What a description of a game has for forms, and a board does not need.
_OF_FORMS = ("options", "rule_sets", "levels", "handicap", "faces")
_SGF = "application/x-go-sgf"
# Maximum events in an animation; nobody watches a longer animation.
_MOST_SHOWN = 3000


def game_kind_routes() -> list[BaseRoute]:
    """Return the routes that describe the game of a SPEC: its options, rules, lesson and picture."""
    return [
        Route("/api/describe", _describe, middleware=COMPRESSED),
        Route("/api/rules", _rules, middleware=COMPRESSED),
        Route("/api/lesson", _lesson, middleware=COMPRESSED),
        Route("/api/picture", _picture, middleware=COMPRESSED),
    ]


async def _describe(request: Request) -> Response:
    text = await asyncio.to_thread(_describe_spec, _spec(request), "brief" in request.query_params)
    return answer_with_etag(request, text, "application/json")


async def _rules(request: Request) -> Response:
    text = await asyncio.to_thread(_page, _spec(request))
    return answer_with_etag(request, text, "text/html", {"Content-Security-Policy": DOCUMENT_POLICY})


async def _lesson(request: Request) -> Response:
    rules = parse(_spec(request))
    lesson = find_lesson(rules.name)
    if lesson is None:
        raise PageRefused("page.no_lesson", 404)
    return JSONResponse(await asyncio.to_thread(describe_lesson, lesson, rules.lang))


async def _picture(request: Request) -> Response:
    text = await asyncio.to_thread(_draw_example, parse(_spec(request)).name)
    return Response(text, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


def _spec(request: Request) -> str:
    """Return the requested SPEC with every option resolved. Raises NotationError or SpecError if it is invalid."""
    text, lang = request.query_params.get("spec", ""), request.query_params.get("lang", "en")
    if len(text) > _LONGEST_SPEC or lang not in LANGUAGES:
        raise NotationError(
            f"spec or lang: expected at most {_LONGEST_SPEC} letters, and a language among {' '.join(LANGUAGES)}"
        )
    return parse(text, {**AMONG_PEOPLE, "lang": lang}).spec


@lru_cache(_REMEMBERED)
def _describe_spec(spec: str, is_brief: bool) -> str:
    rules = parse(spec)
    known: Json = {
        "spec": rules.spec,
        "bot": rules.profile.default_bot,
        "open": rules.is_open,
        "picture": _empty_board(rules),
        "handicap": rules.handicap,
        "lesson": find_lesson(rules.name) is not None,
    }
    levels = {name: found for name in bots.names() if (found := level_meanings(name, rules, rules.lang))}
    known |= {"levels": levels, **describe_rules(rules)}
    return json.dumps({key: known[key] for key in known if not (is_brief and key in _OF_FORMS)}, separators=(",", ":"))


def _empty_board(rules: Rules) -> Json:
    """Return the picture of the empty board. `origin` is the place of the board's coordinates 0, 0 in the picture."""
    board, empty = rules.board, stage(rules)
    origin = [place - UNIT * part for place, part in zip(empty.places[0], board.drawn_at(0), strict=True)]
    return {
        "svg": f"{empty.opening}</svg>",
        "origin": [round(part, 2) for part in origin],
        "radius": empty.radius,
        # The points of a face are in order around it, so that it can be drawn as a polygon.
        "faces": [[board.vertices[point] for point in face] for face in empty.faces],
    }


@lru_cache(_REMEMBERED)
def _draw_example(name: str) -> str:
    """Return a picture of a game in progress on a small board."""
    rules = parse(game_class(name).profile.small_spec)
    return svg(rules, random_game(rules, _EXAMPLE_SEED, 2 * len(rules.board) // 3).position)


_page = lru_cache(_REMEMBERED)(lambda spec: page(parse(spec)))


class GameRoutes:
    """The routes of games and their files."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._drawing = ThinkingQueue(1, "drawing")

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/about", self._about, middleware=COMPRESSED),
            Route("/api/games", self._games, methods=["GET", "POST"]),
            Route("/api/games/{game}/seat", self._claim, methods=["POST"]),
            Route("/api/games/{game}/invitation", self._invite, methods=["POST"]),
            Route("/api/games/{game}", self._game, methods=["GET", "DELETE"]),
            Route("/api/qr", self._qr, methods=["POST"]),
            Route("/api/records", self._upload, methods=["POST"]),
            Route("/api/games/{game}/record.sgf", self._record_with_variations, methods=["POST"]),
            Route("/api/games/{game}/record.{form}", self._record),
            Route("/api/games/{game}/animation.svg", self._animation),
            Route("/api/games/{game}/picture.svg", self._picture),
        ]

    async def _about(self, request: Request) -> Response:
        """Return the data that the page needs before any game."""
        opponents = self._services.games.opponents
        about = {
            "version": __version__,
            "games": [{"name": name, "title": game_class(name).title} for name in GAMES],
            "bots": [
                {
                    "name": name,
                    "levels": opponents.has_levels(name),
                    "hidden": opponents.plays_hidden(name),
                    "title": {lang: name if opponents.is_engine(name) else title(name, lang) for lang in LANGUAGES},
                }
                for name in opponents.names()
            ],
            "addresses": list(self._services.addresses),
            "public": self._services.access.is_public,
            "owner": self._services.is_owner(request),
            "you": find_account(request),
            "token": not self._services.lets_in(request),
        }
        return JSONResponse(about)

    async def _games(self, request: Request) -> Response:
        """List the games of this server, or begin a new game."""
        client = find_network(request)
        if request.method == "GET":
            self._services.expect_private(request)
            return JSONResponse({"games": await self._services.games.latest(client)})
        self._services.expect_welcome(request)
        visitor, name = find_visitor(request), find_account(request) if self._services.access.is_public else None
        asked = await read_request(request, LONGEST_REQUEST * 2)
        source = await self._services.games.fetch(asked["from"], client=client) if "from" in asked else None
        game, invitations = self._services.games.begin(asked, visitor, name, source)
        mine = ["referee" if each is NoSeat.REFEREE else COLOUR_LETTERS[each] for each in game.find_seats(visitor)]
        codes = {COLOUR_LETTERS[colour]: code for colour, code in invitations.items()}
        return JSONResponse({"game": game.name, "mine": mine, "invitations": codes}, 201)

    async def _claim(self, request: Request) -> Response:
        """Give a seat to a visitor who has an invitation to it."""
        asked = await read_request(request, LONGEST_REQUEST)
        match asked:
            case {"invitation": str(invitation)}:
                name = self._services.find_name(request, asked.get("name", ""))
                game = await self._services.find_game(request)
                colour = self._services.games.claim(game, invitation, find_visitor(request), name)
                return JSONResponse({"colour": COLOUR_LETTERS[colour]}, 201)
            case _:
                raise NotationError("expected an invitation")

    async def _invite(self, request: Request) -> Response:
        """Replace an invitation that nobody has used."""
        asked = await read_request(request, LONGEST_REQUEST)
        game = await self._services.find_game(request)
        letter = asked.get("colour")
        if not isinstance(letter, str):
            raise NotationError("colour: expected the letter of a colour")
        return JSONResponse({"invitation": self._services.games.owners.renew(game, find_visitor(request), letter)}, 201)

    async def _game(self, request: Request) -> Response:
        """Describe a game, or remove it for a visitor who may do so."""
        game = await self._services.find_game(request)
        if request.method == "GET":
            return JSONResponse(self._services.games.listeners.summary(game))
        self._services.games.delete(game, find_visitor(request))
        return JSONResponse({})

    async def _qr(self, request: Request) -> Response:
        """Return a web address as a QR code in SVG."""
        self._services.expect_token(request)
        text = (await read_body(request, 500)).decode("utf-8", "replace")
        code = BytesIO()
        segno.make_qr(text).save(code, kind="svg", scale=4, dark="#000", light="#fff", border=3)
        return Response(code.getvalue(), media_type="image/svg+xml")

    async def _upload(self, request: Request) -> Response:
        self._services.expect_private(request)
        content = await read_body(request, self._services.games.limits.upload)
        try:
            record, notes = await asyncio.to_thread(_read_record, content)
        except (RecordError, NotationError, IllegalMove) as error:
            raise PageRefused("page.no_record", why=sentence(error, "en")) from error
        return JSONResponse({"game": self._services.games.show(record, notes).name}, 201)

    async def _record(self, request: Request) -> Response:
        game, form = await self._services.find_game(request), request.path_params["form"]
        if form not in ("sgf", "json"):
            raise PageRefused("page.no_game", 404)
        record = _copy_record(game)
        text = await self._draw(request, lambda: _sgf_of(game, record) if form == "sgf" else to_json(record) + "\n")
        kind = _SGF if form == "sgf" else "application/json"
        return Response(text, media_type=kind, headers=_as_file(game, form))

    async def _record_with_variations(self, request: Request) -> Response:
        """Return a game as SGF with the variations in the request."""
        asked = await read_request(request, self._services.games.limits.upload)
        game = await self._services.find_game(request)
        record, tried = _copy_record(game), read_branches(asked.get("branches"))

        def write() -> str:
            lines = (play_branch(record.game, branch) for branch in tried)
            return add_variations(_sgf_of(game, record), record, lines)

        return Response(await self._draw(request, write), media_type=_SGF, headers=_as_file(game, "sgf"))

    async def _animation(self, request: Request) -> Response:
        game = await self._services.find_game(request)
        played = _copy_record(game).game
        if len(played.events) > _MOST_SHOWN:
            raise PageRefused("page.long_record", count=_MOST_SHOWN)
        text = await self._draw(request, partial(animate, played))
        headers = _as_file(game, "svg") | {"Content-Security-Policy": DOCUMENT_POLICY}
        return Response(text, media_type="image/svg+xml", headers=headers)

    async def _draw(self, request: Request, work: Callable[[], str]) -> str:
        """Run slow work in a thread, for each client in turn."""
        return await self._drawing.do(find_network(request), work)

    async def _picture(self, request: Request) -> Response:
        """Return a picture of the position after `at` events, by default of the last position."""
        game = await self._services.find_game(request)
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
    """Return a game as SGF. An uploaded SGF file is returned unchanged."""
    return str(game.hosted.notes.get("file") or to_sgf(record))


def _as_file(game: PageGame, form: str) -> dict[str, str]:
    """Return the header that makes a browser save the response as a file."""
    return {"Content-Disposition": f'attachment; filename="{game.hosted.rules.name}-{game.name[:6]}.{form}"'}


def _read_record(content: bytes) -> tuple[Record, Json]:
    """Return the record in a file, and the notes to keep with it. Raises VariantsError if the file is invalid."""
    is_json = content.removeprefix(BOM_UTF8).lstrip().startswith(b"{")
    record = decode_json(content) if is_json else from_sgf(content, is_lenient=True)
    if record.is_of_file:
        # The page holds texts only: bytes that could not be decoded become U+FFFD.
        text = encode(to_sgf(record)).decode(errors="replace")
        beside = describe_remarks(text, record.game.rules.board)
        return record, {"beside": beside, "file": text, "result": record.result}
    said = {"0": {"comment": record.comment, "marks": {}, "labels": {}}} if record.comment else {}
    return record, {"beside": {"remarks": said, "variations": []}, "result": record.result}
