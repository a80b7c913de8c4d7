"""People in the lobby: they sign in with a password, hear who is here, and are seated at games.

The browser sends {"do": "seek", "games": NAMES} to be paired, and {"do": "rest"} to wait no longer. It receives
{"type": "lobby"}, with who is here and which games are played, whenever that changes; {"type": "seat", "game": NAME}
when it is seated; {"type": "info", "text": TEXT}; and {"type": "away"} if it must not reconnect by itself. The game
itself comes through the socket of games.
"""

import asyncio
import json
import time

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from gtp_variants.base.connection_gate import Arrival, Gate, TokenBucket
from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import Timers
from gtp_variants.errors import Refused
from gtp_variants.rules import GAMES, split_spec
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import PERSON, check_name
from gtp_variants.site.access.visitors import Visitors, find_visitor, is_guest
from gtp_variants.site.http import converse, find_address, find_network, read_first, read_message
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import Guest, LoginStage
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.page.listeners import BrowserLine
from gtp_variants.site.page.requests import LONGEST_REQUEST, read_request
from gtp_variants.site.refusals import PageRefused

_POLICY_VIOLATED = 1008
_LAST_WORDS_S = 1.0
# Maximum players and games listed.
_MOST_LISTED = 200


class LobbyBrowsers:
    """The browsers of people in a lobby."""

    def __init__(self, lobby: Lobby, gate: Gate, visitors: Visitors) -> None:
        self._lobby, self._gate, self._visitors = lobby, gate, visitors
        self._limits = lobby.games.limits
        self._lines: set[BrowserLine] = set()
        # The timer of the pending update, which simultaneous arrivals share.
        self._updates = Timers(self._update)
        lobby.note_presence = self._schedule

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/session", self._session, methods=["POST", "DELETE"]),
            WebSocketRoute("/api/lobby", self._serve),
        ]

    def close(self) -> None:
        self._updates.stop_all()
        for line in self._lines:
            line.is_lost.set()

    async def _session(self, request: Request) -> Response:
        """Sign a browser in to an account, which is created if nobody has its name, or (DELETE) out of its account."""
        if request.method == "DELETE":
            return self._answer_as(self._visitors.new_guest(), request)
        asked = await read_request(request, LONGEST_REQUEST)
        name, network = str(asked.get("name", "")), find_network(request)
        try:
            password = str(asked.get("password", ""))
            account = await self._lobby.entrance.open_account(check_name(name), password, network, PERSON)
        except Refused as error:
            self._gate.note_fault(network)
            guest = Guest(lambda line: None, lambda: None, find_address(request), network, name=name)
            self._lobby.note_refusal(guest, error.answer)
            raise PageRefused("page.sign_in", 403, why=error.answer) from error
        if is_guest(visitor := find_visitor(request)):
            self._lobby.games.adopt(visitor, account.name)
        return self._answer_as(account.name, request)

    def _answer_as(self, name: str, request: Request) -> Response:
        """Return the answer whose cookie gives a browser this name."""
        return JSONResponse({"name": name}, headers={"set-cookie": self._visitors.write(name, request)})

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            first = await read_first(socket, self._gate, self._limits.join_s, self._limits.message)
            if first is None:
                await socket.close(_POLICY_VIOLATED)
                return
        except (WebSocketDisconnect, RuntimeError):
            return
        line = BrowserLine(asyncio.Queue(self._limits.queue))
        guest = _guest_of(socket, line)
        arrival = Arrival(guest.network, lambda why: line.is_lost.set())
        self._lobby.enter(guest)
        self._lines.add(line)
        if is_guest(find_visitor(socket)):
            # Somebody who only looks stays at the gate, where a network that has the most displaces its own.
            self._gate.enter(arrival)
        try:
            line.send(json.dumps(self._describe()))
            await converse(socket, line, self._listen(socket, line, guest, first))
        finally:
            self._gate.leave(arrival)
            self._lines.discard(line)
            self._lobby.leave(guest)

    async def _listen(self, socket: WebSocket, line: BrowserLine, guest: Guest, told: Json | None) -> None:
        bucket = TokenBucket(self._limits.burst, self._limits.rate_hz, time.monotonic())
        name = find_visitor(socket)
        try:
            if not is_guest(name):
                self._lobby.admit(guest, name)
                self._rest(guest)
            while told is not None and bucket.allows(time.monotonic()):
                if told.get("do") == "ping":
                    # Pages ask, because browsers do not tell them whether a connection is still alive.
                    line.send(_message("pong"))
                elif guest.is_in:
                    self._answer(guest, told)
                elif told.get("do") == "seek":
                    raise Refused("login", "sign in first")
                told = await read_message(socket, self._limits.message)
        except Refused as error:
            self._lobby.note_refusal(guest, error.answer)
            await socket.send_text(_message("info", text=error.answer))
            await socket.send_text(_message("away"))
        await socket.close(_POLICY_VIOLATED)

    def _answer(self, guest: Guest, told: Json) -> None:
        if told.get("do") == "rest":
            self._rest(guest)
        elif told.get("do") == "seek":
            games = told.get("games")
            guest.games = frozenset(GAMES).intersection(map(str, games) if isinstance(games, list) else GAMES)
            self._lobby.seek(guest)
            self._schedule()

    def _rest(self, guest: Guest) -> None:
        """Let a guest who waits for a game wait no longer."""
        if guest.stage == LoginStage.WAITING:
            guest.stage = LoginStage.OVER
            self._schedule()

    def _schedule(self) -> None:
        if self._lines and None not in self._updates:
            self._updates.set(None, self._limits.meeting_s, None)

    def _update(self, _: None) -> None:
        text = json.dumps(self._describe())
        for line in self._lines:
            line.send(text)

    def _describe(self) -> Json:
        """Return the message that lists the players and games. It does not change with the moves of a game."""
        lobby = self._lobby
        here = sorted(lobby.guests.values(), key=lambda guest: guest.name.lower())[:_MOST_LISTED]
        return {
            "type": "lobby",
            "games": list(dict.fromkeys(split_spec(spec)[0].name for spec in lobby.offered.specs)),
            "here": [
                {
                    "name": guest.name,
                    "kind": guest.kind,
                    "ratings": {game: each.shown for game, each in lobby.accounts.ratings(guest.name).items()},
                    "waits": sorted(guest.games) if guest.stage == LoginStage.WAITING else [],
                }
                for guest in here
            ],
            "running": [
                {"game": game.name, "title": game.rules.title, "players": [game.names[BLACK], game.names[WHITE]]}
                for game in list(lobby.running.values())[-_MOST_LISTED:]
            ],
        }


def _guest_of(socket: WebSocket, line: BrowserLine) -> Guest:
    """Return the guest of a browser, which receives `info` and `Error:` lines, but no lines of a game."""

    def say(text: str) -> None:
        kind, _, rest = text.partition(" ")
        if kind in ("info", "Error:"):
            line.send(_message("info", text=rest))

    def take_seat(game: AccountGame) -> None:
        line.send(_message("seat", game=game.name))

    def hang_up() -> None:
        # The browser must not reconnect by itself: two tabs with one account would displace each other for ever.
        line.send(_message("away"))
        asyncio.get_running_loop().call_later(_LAST_WORDS_S, line.is_lost.set)

    guest = Guest(say, hang_up, find_address(socket), find_network(socket), kind=PERSON, is_told=True)
    guest.program, guest.stage, guest.take_seat = "page", LoginStage.NAME, take_seat
    guest.games = frozenset(GAMES)
    return guest


def _message(kind: str, **more: object) -> str:
    return json.dumps({"type": kind, **more})
