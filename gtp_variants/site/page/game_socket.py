"""The WebSocket of the page: one connection to one game, from the message that joins it to its end."""

import json
import time
from contextlib import suppress

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from gtp_variants.base.connection_gate import Gate, TokenBucket
from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.access.visitors import find_visitor
from gtp_variants.site.http import POLICY_VIOLATED, converse, find_address, find_network, greet, hear
from gtp_variants.site.page.listeners import PageListener
from gtp_variants.site.page.page_games import odds_of
from gtp_variants.site.page.requests import Services, sentence
from gtp_variants.site.refusals import Full, PageRefused

# WebSocket close codes: server full, game or seat not found.
_TRY_LATER, _NOT_FOUND = 1013, 4404


class GameSocket:
    """Serves the connections to games. Each connection waits behind the gate until it has joined a game."""

    def __init__(self, services: Services, gate: Gate) -> None:
        self._services = services
        self._gate = gate

    def routes(self) -> list[BaseRoute]:
        return [WebSocketRoute("/api/socket", self._serve)]

    async def _serve(self, socket: WebSocket) -> None:
        limits = self._services.games.limits
        first = await greet(socket, self._gate, limits.join_s, limits.message)
        listener = None
        if first is not None and self._services.has_signed_out(socket):
            await socket.close(POLICY_VIOLATED)
        elif first is not None:
            with suppress(WebSocketDisconnect, RuntimeError):
                listener = await self._join(socket, first)
        if listener is None:
            return
        try:
            await converse(socket, listener, self._listen(socket, listener))
        finally:
            self._services.games.leave(listener)

    async def _join(self, socket: WebSocket, first: Json) -> PageListener | None:
        """Join the game named in the first message. Return None if that fails."""
        games, lang = self._services.games, str(first.get("lang"))
        lang = lang if lang in LANGUAGES else ""
        try:
            game = await games.fetch(first.get("join"), lang, find_network(socket))
            lang = lang or game.hosted.rules.lang
            visitor = find_visitor(socket)
            games.expect_welcome(visitor)
            colour = games.owners.find(game, visitor, first.get("as"), first.get("seat"))
            name = ""
            with suppress(NotationError):
                name = self._services.find_name(socket, first.get("name", ""))
            who = {"lang": lang, "name": name, "visitor": visitor, "address": find_address(socket)}
            return games.join(game, colour, **who)
        except PageRefused as error:
            refusal = error
        except VariantsError as error:
            # The game cannot be read, perhaps because its rules have changed, so a retry would not help.
            refusal = PageRefused("page.unreadable", why=sentence(error, "en"))
        said = {"type": "error", "error": refusal.reason(lang or "en"), "key": refusal.key}
        await socket.send_text(json.dumps(said))
        await socket.close(_TRY_LATER if isinstance(refusal, Full) else _NOT_FOUND)
        return None

    async def _listen(self, socket: WebSocket, listener: PageListener) -> None:
        limits = self._services.games.limits
        bucket = TokenBucket(limits.burst, limits.rate_hz, time.monotonic())
        async for told in hear(socket, listener, limits.message, bucket):
            # Disconnect a person who has been banned since joining.
            if listener.is_lost.is_set() or self._gate.is_banned(find_address(socket)):
                return
            answer = await self._answer(listener, told)
            if answer is not None:
                listener.send(json.dumps({**answer, "re": told.get("re")}))

    async def _answer(self, listener: PageListener, told: Json) -> Json | None:
        """Carry out a request, and return the answer for this client alone, or None."""
        games, advice = self._services.games, self._services.games.advice
        asked = {"hint": advice.hint, "seem_dead": advice.dead, "hidden": advice.hidden}
        try:
            games.expect_welcome(listener.visitor)
            match told.get("do"):
                case "hint" | "seem_dead" | "hidden" as kind:
                    return {"type": kind, **await asked[kind](listener)}
                case "analysis":
                    return {"type": "analysis", **await advice.analysis(listener, told)}
                case "branch":
                    return await advice.grow(listener, told)
                case "odds":
                    return {"type": "odds", "odds": odds_of(listener.game)}
                case "chat":
                    games.chat(listener, told.get("text"))
                case "again":
                    games.play_again(listener)
                case _:
                    games.act(listener, told)
        except VariantsError as error:
            return {"type": "error", "error": sentence(error, listener.lang)}
        return None
