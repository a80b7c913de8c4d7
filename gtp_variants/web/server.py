"""The server: addresses, WebSocket, static files. What crosses it is described in `docs/web.md`."""

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache, partial
from importlib.resources import files
from io import BytesIO

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from gtp_variants._version import __version__
from gtp_variants.connections.gate import Arrival, ConnectionLimits, Gate, network_of, plain_address
from gtp_variants.connections.gated_http import GatedHttp
from gtp_variants.errors import IllegalMove, NotationError, RecordError, SpecError, VariantsError
from gtp_variants.handbook.web_page import page
from gtp_variants.json_values import Json, parse_object
from gtp_variants.lang import RequestRefused, accepted_language
from gtp_variants.players import bots
from gtp_variants.players.strength.titles import level_meanings, title
from gtp_variants.records import dice_log
from gtp_variants.records.drawing.animation import animate
from gtp_variants.records.drawing.svg import UNIT, stage, svg
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record, printable
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.records.sgf.remarks import describe_remarks
from gtp_variants.records.sgf.syntax import declare_utf8, decode
from gtp_variants.records.sgf.variations import add_variations
from gtp_variants.records.state import describe_rules
from gtp_variants.rules import GAMES, game_class, parse, words
from gtp_variants.rules.game import random_game
from gtp_variants.rules.rules import Rules
from gtp_variants.web.board_dice import ThrownDice
from gtp_variants.web.guard import AccessPolicy, Guard, Rate
from gtp_variants.web.hosting.page_listener import PageListener
from gtp_variants.web.lessons import describe_lesson, find_lesson
from gtp_variants.web.page_game import PageGame, read_name
from gtp_variants.web.page_games import PageGames, odds_of
from gtp_variants.web.publishing.published_games import Unknown
from gtp_variants.web.refusals import Full, PageRefused
from gtp_variants.web.seat_locks import is_made_well, new_token
from gtp_variants.web.study.branches import copy_game, play_branch, read_branches

_RULES_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
_LONGEST_SPEC = 5000
_REMEMBERED = 64
_EXAMPLE_SEED = 7
_LONGEST_NUMBER = 7
_SGF = "application/x-go-sgf"
# A film of more events is longer than anybody looks at.
_MOST_SHOWN = 3000
_EVERYWHERE = ("main", "words", "kept", "dom", "net", "parts", "board")
# All publishers together may say so much a second.
_PUBLISHED_HZ = 200
_NAME = re.compile(r"[A-Za-z0-9_-]{22,64}")
# Codes of WebSocket: a message that is refused, a server that is full, a game or seat that is not there.
_POLICY_VIOLATED, _TRY_LATER, _NOT_FOUND = 1008, 1013, 4404

_log = logging.getLogger("gtp_variants.web")

Endpoint = Callable[[Request], Awaitable[Response]]


class _Wrong(Exception):
    """A request that no page of ours sends; it is answered with a status and a sentence in English."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


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
    serving = _Serving(games, access, addresses, gate)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await games.close()

    # What is the same for everybody is compressed; in what holds a secret its length could tell of it.
    small = [Middleware(GZipMiddleware)]
    routes = [
        Route("/", _index, middleware=small),
        Route("/sw.js", _service_worker),
        Route("/api/about", serving.about),
        Route("/api/describe", _with_errors(_describe), middleware=small),
        Route("/api/rules", _with_errors(_rules), middleware=small),
        Route("/api/lesson", _with_errors(_lesson), middleware=small),
        Route("/api/picture", _with_errors(_picture), middleware=small),
        Route("/api/games", _with_errors(serving.games), methods=["GET", "POST"]),
        Route("/api/live", _with_errors(serving.live)),
        Route("/api/live/{game}", _with_errors(serving.publish), methods=["POST"]),
        Route("/api/dice", _with_errors(serving.new_dice), methods=["POST"]),
        Route("/api/dice/{name}", _with_errors(serving.dice), methods=["GET", "POST"]),
        Route("/api/dice/{name}/log", _with_errors(serving.dice_log)),
        Route("/api/records", _with_errors(serving.upload), methods=["POST"]),
        Route("/api/games/{game}/seat", _with_errors(serving.claim), methods=["POST"]),
        Route("/api/games/{game}/invitation", _with_errors(serving.invite), methods=["POST"]),
        Route("/api/games/{game}", _with_errors(serving.game), methods=["GET", "DELETE"]),
        Route("/api/games/{game}/record.sgf", _with_errors(serving.record_with_variations), methods=["POST"]),
        Route("/api/games/{game}/record.{form}", _with_errors(serving.record)),
        Route("/api/games/{game}/animation.svg", _with_errors(serving.animation)),
        Route("/api/games/{game}/picture.svg", _with_errors(serving.picture)),
        Route("/api/qr", _with_errors(serving.qr), methods=["POST"]),
        WebSocketRoute("/api/socket", serving.socket),
        Mount("/static", GZipMiddleware(StaticFiles(directory=str(files("gtp_variants.web") / "static")))),
    ]
    return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Guard, access=access)])


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


def _with_errors(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its errors as answers: a sentence under the key `error`."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except _Wrong as error:
            return JSONResponse({"error": str(error)}, error.status)
        except VariantsError as error:
            status = error.status if isinstance(error, PageRefused) else 400
            return JSONResponse(
                {"error": sentence(error, accepted_language(request.headers.get("accept-language", "")))}, status
            )

    return answer


def sentence(error: VariantsError, lang: str) -> str:
    """Why something cannot be done, for a person."""
    if isinstance(error, SpecError):
        error = PageRefused("page.bad_game", why=error.reason(lang))
    if isinstance(error, RequestRefused):
        return printable(error.reason(lang))
    # What is wrong is quoted, and may be anything.
    return printable((error.sentence if isinstance(error, IllegalMove) else "") or str(error))


# -- what depends on a SPEC only ---------------------------------------------------------------------------------------


async def _describe(request: Request) -> Response:
    return Response(await asyncio.to_thread(_describe_spec, _spec(request)), media_type="application/json")


async def _rules(request: Request) -> Response:
    text = await asyncio.to_thread(_page, _spec(request))
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": _RULES_POLICY})


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
    """The SPEC that is asked for, every option resolved."""
    text, lang = request.query_params.get("spec", ""), request.query_params.get("lang", "en")
    if len(text) > _LONGEST_SPEC or lang not in words.LANGUAGES:
        raise _Wrong(400, f"spec or lang: too long or unknown, expected a game and one of {' '.join(words.LANGUAGES)}")
    return parse(text, {"lang": lang}).spec


@lru_cache(_REMEMBERED)
def _describe_spec(spec: str) -> str:
    rules = parse(spec)
    known = {
        "spec": rules.spec,
        "bot": rules.default_bot,
        "open": rules.is_open,
        "picture": _empty_board(rules),
        "handicap": rules.handicap,
        "lesson": find_lesson(rules.name) is not None,
    }
    levels = {name: found for name in bots.names() if (found := level_meanings(name, rules, rules.lang))}
    return json.dumps({**known, "levels": levels, **describe_rules(rules)})


def _empty_board(rules: Rules) -> Json:
    """The picture of the empty board, on which the page puts stones: `origin` is where 0, 0 of `points` lies in it."""
    board, empty = rules.board, stage(rules)
    origin = [place - UNIT * part for place, part in zip(empty.places[0], board.drawn_at(0), strict=True)]
    return {
        "svg": f"{empty.opening}</svg>",
        "origin": [round(part, 2) for part in origin],
        "radius": empty.radius,
        # In the order in which they lie around it: that is how they are drawn.
        "faces": [[board.vertices[point] for point in face] for face in empty.faces],
    }


@lru_cache(_REMEMBERED)
def _draw_example(name: str) -> str:
    """A picture of a game in its middle, on a board that is small enough to be seen at a glance."""
    rules = parse(game_class(name).small_spec)
    return svg(rules, random_game(rules, _EXAMPLE_SEED, 2 * len(rules.board) // 3).position)


@lru_cache(_REMEMBERED)
def _page(spec: str) -> str:
    return page(parse(spec))


# -- games -------------------------------------------------------------------------------------------------------------


class _Serving:
    """The answers that concern the games of the page."""

    def __init__(self, games: PageGames, access: AccessPolicy, addresses: Sequence[str], gate: Gate) -> None:
        self._games = games
        self._gate = gate
        self._access = access
        self._addresses = addresses
        self._drawing = asyncio.Lock()
        self._publishing = Rate(_PUBLISHED_HZ, 2 * _PUBLISHED_HZ, time.monotonic)

    def _expect_token(self, request: Request) -> None:
        if not self._access.opens(request.headers):
            raise PageRefused("page.token", 401)

    async def about(self, request: Request) -> Response:
        """What the page must know before any game."""
        opponents = self._games.opponents
        about = {
            "version": __version__,
            "games": [{"name": name, "title": game_class(name).title} for name in GAMES],
            "bots": [
                {
                    "name": name,
                    "levels": opponents.has_levels(name),
                    "title": {
                        lang: name if opponents.is_engine(name) else title(name, lang) for lang in words.LANGUAGES
                    },
                }
                for name in opponents.names()
            ],
            "addresses": list(self._addresses),
            "token": self._access.token is not None and not self._access.opens(request.headers),
        }
        return JSONResponse(about)

    async def games(self, request: Request) -> Response:
        """The games of this server, or a new one."""
        self._expect_token(request)
        if request.method == "GET":
            return JSONResponse({"games": await self._games.latest()})
        game, opening = self._games.begin(await _read_request(request, _LONGEST_SPEC * 2))
        return JSONResponse({"game": game.name, **opening.as_json()}, 201)

    async def claim(self, request: Request) -> Response:
        """A seat for who comes with an invitation to it, or with the recovery word of who took it."""
        asked = await _read_request(request, _LONGEST_SPEC)
        game, token = self._find_game(request), asked.get("token", "")
        if not isinstance(token, str) or (token and not is_made_well(token)):
            raise _Wrong(400, "token: expected 22 to 64 letters of base64url, at random")
        match asked:
            case {"invitation": str(invitation)}:
                claim = self._games.claim(game, invitation, token, read_name(asked.get("name", "")))
            case {"recovery": str(word)}:
                host = request.client.host if request.client else ""
                claim = self._games.recover(game, word, host, token)
            case _:
                raise _Wrong(400, "expected an invitation or a recovery word")
        return JSONResponse(claim.as_json(), 201)

    async def invite(self, request: Request) -> Response:
        """A new invitation instead of one that nobody has taken."""
        asked = await _read_request(request, _LONGEST_SPEC)
        game = self._find_game(request)
        match asked:
            case {"creator": str(creator), "colour": str(letter)}:
                return JSONResponse({"invitation": self._games.renew(game, creator, letter)}, 201)
            case _:
                raise _Wrong(400, "expected the creator's token and a colour")

    async def game(self, request: Request) -> Response:
        """What a game is; or it is removed, for who holds the seats of all who play it."""
        if request.method == "GET":
            return JSONResponse(self._games.summary(self._find_game(request)))
        asked = await _read_request(request, _LONGEST_SPEC)
        match asked:
            case {"seats": list(tokens)} if all(isinstance(token, str) for token in tokens):
                self._games.delete(self._find_game(request), tokens)
                return JSONResponse({})
            case _:
                raise _Wrong(400, "expected the tokens of seats")

    def _find_game(self, request: Request) -> PageGame:
        """The game that an address names. Raises PageRefused for none."""
        game = self._games.find(request.path_params["game"])
        if game is None:
            raise PageRefused("page.no_game", 404)
        return game

    async def live(self, request: Request) -> Response:
        """The games that are played elsewhere."""
        self._expect_token(request)
        return JSONResponse({"games": self._games.list_live()})

    async def publish(self, request: Request) -> Response:
        """How a game stands that is played elsewhere."""
        if not self._access.publishes(request.headers):
            raise PageRefused("page.key", 401)
        if not self._publishing.allows():
            raise PageRefused("page.rate", 429)
        name = request.path_params["game"]
        if not _NAME.fullmatch(name):
            raise _Wrong(404, "a game is called by 22 letters or more")
        try:
            self._games.publish(name, await _read_request(request, self._games.limits.upload))
        except Unknown:
            raise _Wrong(409, "expected to be told of this game from its beginning") from None
        return JSONResponse({})

    async def upload(self, request: Request) -> Response:
        """A record to look at."""
        self._expect_token(request)
        content = await _body(request, self._games.limits.upload)
        try:
            record, notes = await asyncio.to_thread(_read_record, content)
        except (RecordError, NotationError, IllegalMove) as error:
            raise PageRefused("page.no_record", why=sentence(error, "en")) from error
        return JSONResponse({"game": self._games.show(record, notes).name}, 201)

    async def record(self, request: Request) -> Response:
        """A game as a file; of a hidden one only when it is over."""
        game, form = self._find_game(request), request.path_params["form"]
        if form not in ("sgf", "json"):
            raise PageRefused("page.no_game", 404)
        record = game.public_record()
        text = _sgf_of(game, record) if form == "sgf" else to_json(record) + "\n"
        kind = _SGF if form == "sgf" else "application/json"
        return Response(text, media_type=kind, headers=_as_file(game, form))

    async def record_with_variations(self, request: Request) -> Response:
        """A game as SGF with what somebody tried of it."""
        asked = await _read_request(request, self._games.limits.upload)
        game = self._find_game(request)
        record, tried = _copy_record(game), read_branches(asked.get("branches"))

        def write() -> str:
            lines = (play_branch(record.game, branch) for branch in tried)
            return add_variations(_sgf_of(game, record), record, lines)

        return Response(await self._draw(write), media_type=_SGF, headers=_as_file(game, "sgf"))

    async def animation(self, request: Request) -> Response:
        """A game as a picture that moves; of a hidden one only when it is over."""
        game = self._find_game(request)
        played = _copy_record(game).game
        if len(played.events) > _MOST_SHOWN:
            raise PageRefused("page.long_record", count=_MOST_SHOWN)
        text = await self._draw(partial(animate, played))
        headers = _as_file(game, "svg") | {"Content-Security-Policy": _RULES_POLICY}
        return Response(text, media_type="image/svg+xml", headers=headers)

    async def _draw(self, work: Callable[[], str]) -> str:
        """What takes long to write, one after the other: whoever asks for many leaves threads to others."""
        async with self._drawing:
            return await asyncio.to_thread(work)

    async def picture(self, request: Request) -> Response:
        """A game as a picture, after `at` events; of a hidden one only when it is over."""
        game = self._find_game(request)
        played = game.public_record().game
        at = request.query_params.get("at", "")
        count = int(at) if at.isascii() and at.isdigit() and len(at) < _LONGEST_NUMBER else len(played.positions) - 1
        position = played.positions[min(count, len(played.positions) - 1)]
        text = await asyncio.to_thread(svg, played.rules, position)
        return Response(text, media_type="image/svg+xml", headers={"Content-Security-Policy": _RULES_POLICY})

    async def new_dice(self, request: Request) -> Response:
        """Dice for people at a real board."""
        self._expect_token(request)
        name = new_token()
        thrown = self._games.dice.begin(await _read_request(request, _LONGEST_SPEC), name)
        return JSONResponse({"log": name, **thrown.as_json()}, 201)

    async def dice(self, request: Request) -> Response:
        """What was thrown so far; or a throw, or the dice are put away."""
        # While what is sent still comes somebody else may throw.
        asked = await _read_request(request, _LONGEST_SPEC) if request.method == "POST" else None
        name, thrown = self._thrown(request)
        if asked is not None:
            thrown = self._games.dice.act(name, thrown, asked)
        return JSONResponse(thrown.as_json())

    async def dice_log(self, request: Request) -> Response:
        """All throws as a file that `gtp-variants verify` reads; the secret in it once the dice are put away."""
        name, thrown = self._thrown(request)
        headers = {"Content-Disposition": f'attachment; filename="dice-{name[:6]}.jsonl"'}
        return Response(dice_log.text(thrown.public_log), media_type="application/jsonl", headers=headers)

    def _thrown(self, request: Request) -> tuple[str, ThrownDice]:
        name = request.path_params["name"]
        thrown = self._games.dice.find(name)
        if thrown is None:
            raise PageRefused("page.no_log", 404)
        return name, thrown

    async def qr(self, request: Request) -> Response:
        """An address as a QR code in SVG."""
        import segno

        self._expect_token(request)
        text = (await _body(request, 500)).decode("utf-8", "replace")
        code = BytesIO()
        segno.make_qr(text).save(code, kind="svg", scale=4, dark="#000", light="#fff", border=3)
        return Response(code.getvalue(), media_type="image/svg+xml")

    # -- the socket ----------------------------------------------------------------------------------------------------

    async def socket(self, socket: WebSocket) -> None:
        """One connection to one game, from the word that joins it to its end."""
        await socket.accept()
        try:
            listener = await self._join(socket)
        except (WebSocketDisconnect, RuntimeError):
            return
        if listener is None:
            return
        tasks = [
            asyncio.create_task(work)
            for work in (_send_all(socket, listener), self._listen(socket, listener), listener.is_lost.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            self._games.leave(listener)
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        failures = [each for each in ended if isinstance(each, Exception)]
        if any(not isinstance(each, WebSocketDisconnect | RuntimeError) for each in failures):
            _log.error("a connection failed", exc_info=failures[0])

    async def _join(self, socket: WebSocket) -> PageListener | None:
        """Who joined which game by the first message; None if nobody could."""
        try:
            first = await self._first_message(socket)
        except TimeoutError:
            first = None
        if first is None:
            await socket.close(_POLICY_VIOLATED)
            return None
        token, lang = first.get("seat"), first.get("lang")
        try:
            game = self._games.find(first.get("join"))
        except VariantsError as error:
            # One of rules that have changed since, say: to ask again would not help.
            unreadable = PageRefused("page.unreadable", why=sentence(error, "en"))
            await _say_and_close(socket, _NOT_FOUND, unreadable, lang if lang in words.LANGUAGES else "en")
            return None
        if lang not in words.LANGUAGES:
            lang = "en" if game is None else game.hosted.rules.lang
        if game is None:
            await _say_and_close(socket, _NOT_FOUND, PageRefused("page.no_game"), lang)
            return None
        colour = game.colour_of(token) if isinstance(token, str) else None
        if token is not None and colour is None:
            await _say_and_close(socket, _NOT_FOUND, PageRefused("page.no_seat"), lang)
            return None
        try:
            name = read_name(first.get("name", "")) if colour is None else ""
        except NotationError:
            name = ""
        try:
            return self._games.join(game, colour, lang, name)
        except Full as error:
            await _say_and_close(socket, _TRY_LATER, error, lang)
            return None

    async def _first_message(self, socket: WebSocket) -> Json | None:
        """What somebody says first, behind the gate until then. Raises TimeoutError, also for who must make room."""
        async with asyncio.timeout(self._games.limits.join_s) as patience:
            network = network_of(plain_address(socket.client.host)) if socket.client is not None else "?"
            arrival = Arrival(network, lambda why: patience.reschedule(0))
            self._gate.enter(arrival)
            try:
                return _message_of(await socket.receive(), self._games.limits.message)
            finally:
                self._gate.leave(arrival)

    async def _listen(self, socket: WebSocket, listener: PageListener) -> None:
        limits = self._games.limits
        rate = Rate(limits.rate_hz, limits.burst, time.monotonic)
        while True:
            told = _message_of(await socket.receive(), limits.message)
            if listener.is_lost.is_set():
                return
            if told is None or not rate.allows():
                await socket.close(_POLICY_VIOLATED)
                return
            answer = await self._answer(listener, told)
            if answer is not None:
                listener.send(json.dumps({**answer, "re": told.get("re")}))

    async def _answer(self, listener: PageListener, told: Json) -> Json | None:
        """What is said to the one who asked, beyond what all are told."""
        game, colour, advice = listener.game, listener.colour, self._games.advice
        try:
            match told.get("do"):
                case "ping":
                    # Browsers do not tell a page whether its line still lives.
                    return {"type": "pong"}
                case "hint":
                    return {"type": "hint", **await advice.hint(game, colour)}
                case "seem_dead":
                    return {"type": "seem_dead", **await advice.dead(game, colour)}
                case "hidden":
                    return {"type": "hidden", **await advice.hidden(game, colour)}
                case "analysis":
                    return {"type": "analysis", **await advice.analysis(game, told)}
                case "branch":
                    return await advice.grow(game, told)
                case "odds":
                    return {"type": "odds", "odds": odds_of(game)}
                case "chat":
                    self._games.chat(listener, told.get("text"))
                case "again":
                    tokens = told.get("seats")
                    self._games.play_again(listener, _texts(tokens))
                case _:
                    self._games.act(listener, told)
        except VariantsError as error:
            return {"type": "error", "error": sentence(error, listener.lang)}
        return None


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


async def _send_all(socket: WebSocket, listener: PageListener) -> None:
    while True:
        await socket.send_text(await listener.queue.get())


async def _say_and_close(socket: WebSocket, code: int, why: PageRefused, lang: str) -> None:
    await socket.send_text(json.dumps({"type": "error", "error": why.reason(lang), "key": why.key}))
    await socket.close(code)


def _message_of(message: Message, most: int) -> Json | None:
    """The object a client sent, None if it is none or too long. Raises WebSocketDisconnect when it is gone."""
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1005)
    text = message.get("text")
    return None if text is None or len(text) > most else _object(text)


def _texts(value: object) -> list[str]:
    """The texts of a list; none where there is no list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _object(text: str | bytes) -> Json | None:
    try:
        return parse_object(text)
    except ValueError:
        return None


async def _read_request(request: Request, most: int) -> Json:
    """The object of JSON that was sent with a request, of at most so many bytes."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise _Wrong(415, "expected application/json")
    asked = _object(await _body(request, most))
    if asked is None:
        raise _Wrong(400, "expected an object of JSON")
    return asked


async def _body(request: Request, most: int) -> bytes:
    """What was sent with a request, as far as it is not too long."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise PageRefused("page.large", 413, count=most)
    return content


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
