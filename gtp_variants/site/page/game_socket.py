"""The WebSocket: one connection to one game, from the word that joins it to its end."""

import asyncio
import json
import logging
import time

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from gtp_variants.base.connection_gate import Arrival, Gate, TokenBucket
from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.http import Full, PageRefused, find_network, read_object
from gtp_variants.site.page.listeners import PageListener
from gtp_variants.site.page.page_game import read_name
from gtp_variants.site.page.page_games import odds_of
from gtp_variants.site.page.requests import Services, sentence

# Codes of WebSocket: a message that is refused, a server that is full, a game or seat that is not there.
_POLICY_VIOLATED, _TRY_LATER, _NOT_FOUND = 1008, 1013, 4404

_log = logging.getLogger("gtp_variants.site.page")


def socket_routes(services: Services, gate: Gate) -> list[BaseRoute]:
    """The address of the WebSocket."""
    return [WebSocketRoute("/api/socket", GameSocket(services, gate).socket)]


class GameSocket:
    """Answers each connection to a game; those that have joined none stand behind the gate."""

    def __init__(self, services: Services, gate: Gate) -> None:
        self._services = services
        self._gate = gate

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
            self._services.games.leave(listener)
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
            game = self._services.games.find(first.get("join"))
        except VariantsError as error:
            # One of rules that have changed since, say: to ask again would not help.
            unreadable = PageRefused("page.unreadable", why=sentence(error, "en"))
            await _say_and_close(socket, _NOT_FOUND, unreadable, lang if lang in LANGUAGES else "en")
            return None
        if lang not in LANGUAGES:
            lang = "en" if game is None else game.hosted.rules.lang
        if game is None:
            await _say_and_close(socket, _NOT_FOUND, PageRefused("page.no_game"), lang)
            return None
        colour = game.find_holder(token) if isinstance(token, str) else None
        if token is not None and colour is None:
            await _say_and_close(socket, _NOT_FOUND, PageRefused("page.no_seat"), lang)
            return None
        try:
            name = read_name(first.get("name", "")) if colour is None else ""
        except NotationError:
            name = ""
        try:
            return self._services.games.join(game, colour, lang, name)
        except Full as error:
            await _say_and_close(socket, _TRY_LATER, error, lang)
            return None

    async def _first_message(self, socket: WebSocket) -> Json | None:
        """What somebody says first, behind the gate until then. Raises TimeoutError, also for who must make room."""
        async with asyncio.timeout(self._services.games.limits.join_s) as patience:
            arrival = Arrival(find_network(socket), lambda why: patience.reschedule(0))
            self._gate.enter(arrival)
            try:
                return _message_of(await socket.receive(), self._services.games.limits.message)
            finally:
                self._gate.leave(arrival)

    async def _listen(self, socket: WebSocket, listener: PageListener) -> None:
        limits = self._services.games.limits
        bucket = TokenBucket(limits.burst, limits.rate_hz, time.monotonic())
        while True:
            told = _message_of(await socket.receive(), limits.message)
            if listener.is_lost.is_set():
                return
            if told is None or not bucket.allows(time.monotonic()):
                await socket.close(_POLICY_VIOLATED)
                return
            answer = await self._answer(listener, told)
            if answer is not None:
                listener.send(json.dumps({**answer, "re": told.get("re")}))

    async def _answer(self, listener: PageListener, told: Json) -> Json | None:
        """What is said to the one who asked, beyond what all are told."""
        game, colour, advice = listener.game, listener.colour, self._services.games.advice
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
                    self._services.games.chat(listener, told.get("text"))
                case "again":
                    tokens = told.get("seats")
                    self._services.games.play_again(listener, _texts(tokens))
                case _:
                    self._services.games.act(listener, told)
        except VariantsError as error:
            return {"type": "error", "error": sentence(error, listener.lang)}
        return None


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
    return None if text is None or len(text) > most else read_object(text)


def _texts(value: object) -> list[str]:
    """The texts of a list; none where there is no list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
