"""The WebSocket of the page: one connection to one game, from the message that joins it to its end."""

import asyncio
import json
import logging
import time
from contextlib import suppress

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

# WebSocket close codes: message refused, server full, game or seat not found.
_POLICY_VIOLATED, _TRY_LATER, _NOT_FOUND = 1008, 1013, 4404

_log = logging.getLogger("gtp_variants.site.page")


class GameSocket:
    """Serves the connections to games. Each waits behind the gate until it has joined a game."""

    def __init__(self, services: Services, gate: Gate) -> None:
        self._services = services
        self._gate = gate

    def routes(self) -> list[BaseRoute]:
        return [WebSocketRoute("/api/socket", self._serve)]

    async def _serve(self, socket: WebSocket) -> None:
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
        """Join the game named in the first message. Return None if that fails."""
        try:
            first = await self._first_message(socket)
        except TimeoutError:
            first = None
        if first is None:
            await socket.close(_POLICY_VIOLATED)
            return None
        token, lang = first.get("seat"), first.get("lang") if first.get("lang") in LANGUAGES else ""
        try:
            game = self._services.games.find(first.get("join"))
            if game is None:
                raise PageRefused("page.no_game")
            lang = lang or game.hosted.rules.lang
            colour = game.find_holder(token) if isinstance(token, str) else None
            if token is not None and colour is None:
                raise PageRefused("page.no_seat")
            name = ""
            if colour is None:
                with suppress(NotationError):
                    name = read_name(first.get("name", ""))
            return self._services.games.join(game, colour, lang, name)
        except PageRefused as error:
            refusal = error
        except VariantsError as error:
            # The game cannot be read, perhaps because its rules have changed. A retry would not help.
            refusal = PageRefused("page.unreadable", why=sentence(error, "en"))
        said = {"type": "error", "error": refusal.reason(lang or "en"), "key": refusal.key}
        await socket.send_text(json.dumps(said))
        await socket.close(_TRY_LATER if isinstance(refusal, Full) else _NOT_FOUND)
        return None

    async def _first_message(self, socket: WebSocket) -> Json | None:
        """Return the first message, waiting behind the gate. Raises TimeoutError if it is late or displaced."""
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
        """Carry out a request, and return the answer for this client alone, if there is one."""
        game, colour, advice = listener.game, listener.colour, self._services.games.advice
        try:
            match told.get("do"):
                case "ping":
                    # Browsers do not tell a page whether its connection is still alive.
                    return {"type": "pong"}
                case "hint":
                    return {"type": "hint", **await advice.hint(game, colour)}
                case "seem_dead":
                    return {"type": "seem_dead", **await advice.dead(game, colour, listener.lang)}
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
                    texts = [each for each in tokens if isinstance(each, str)] if isinstance(tokens, list) else []
                    self._services.games.play_again(listener, texts)
                case _:
                    self._services.games.act(listener, told)
        except VariantsError as error:
            return {"type": "error", "error": sentence(error, listener.lang)}
        return None


async def _send_all(socket: WebSocket, listener: PageListener) -> None:
    while True:
        await socket.send_text(await listener.queue.get())


def _message_of(message: Message, most: int) -> Json | None:
    """Return the object that a client sent, or None if it is invalid or too long. Raises WebSocketDisconnect."""
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1005)
    text = message.get("text")
    return None if text is None or len(text) > most else read_object(text)
