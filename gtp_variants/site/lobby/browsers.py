"""People in the lobby: guests, and those who sign in with a password. They hear who is here, and are seated at games.

The browser sends `{"do": ...}`: "seek" with "games" to be paired, "offer" and "accept" for a game of its choice, "rest"
to take back either, and "look" to hear the news only. It receives {"type": "lobby"}, with who is here, what they offer
and which games are played, whenever that changes; {"type": "seat", "game": NAME} when it is seated; {"type": "info",
"text": TEXT}; and {"type": "away"} if it must not reconnect by itself. The game itself comes through the socket of
games. The first message, {"type": "you", "name": NAME}, says under which name the browser plays.
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
from gtp_variants.errors import Refused, VariantsError
from gtp_variants.rules import GAMES, split_spec
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.access.accounts import PERSON, check_name
from gtp_variants.site.access.visitors import Visitors, find_account, find_visitor, is_guest, shown_name
from gtp_variants.site.http import converse, find_address, find_network, read_first, read_message
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import Guest, LoginStage
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.lobby.seeks import Seeks
from gtp_variants.site.page.listeners import BrowserLine
from gtp_variants.site.page.requests import LONGEST_REQUEST, read_request, sentence
from gtp_variants.site.refusals import PageRefused

_POLICY_VIOLATED = 1008
_LAST_WORDS_S = 1.0
# The stages of somebody who may begin a game.
_FREE = (LoginStage.OVER, LoginStage.WAITING)
# Maximum players and games listed.
_MOST_LISTED = 200


class LobbyBrowsers:
    """The browsers of people in a lobby."""

    def __init__(self, lobby: Lobby, gate: Gate, visitors: Visitors) -> None:
        self._lobby, self._gate, self._visitors = lobby, gate, visitors
        self._limits, self._seeks = lobby.games.limits, Seeks(lobby)
        self._lines: set[BrowserLine] = set()
        # The timer of the pending update, which simultaneous arrivals share.
        self._updates = Timers(self._update)
        lobby.note_presence = self._schedule

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/session", self._session, methods=["POST", "DELETE"]),
            Route("/api/account", self._account, methods=["PUT", "DELETE"]),
            WebSocketRoute("/api/lobby", self._serve),
        ]

    def close(self) -> None:
        self._updates.stop_all()
        for line in self._lines:
            line.is_lost.set()

    async def _session(self, request: Request) -> Response:
        """Sign a browser in to an account, which is created if nobody has its name, or (DELETE) all browsers out."""
        if request.method == "DELETE":
            if account := find_account(request):
                self._lobby.accounts.sign_out(account)
            return self._answer_as(self._visitors.new_guest(), request)
        asked = await read_request(request, LONGEST_REQUEST)
        account = await self._open(request, str(asked.get("name", "")), asked)
        if is_guest(visitor := find_visitor(request)):
            self._lobby.games.owners.adopt(visitor, account)
        return self._answer_as(account, request)

    async def _account(self, request: Request) -> Response:
        """Change the password of the account that a browser is signed in to, or (DELETE) delete the account."""
        asked = await read_request(request, LONGEST_REQUEST)
        name = await self._open(request, find_account(request), asked)
        try:
            if request.method == "DELETE":
                self._lobby.delete_account(name)
                return self._answer_as(self._visitors.new_guest(), request)
            await self._lobby.change_password(name, str(asked.get("new", "")))
        except Refused as error:
            raise PageRefused("page.sign_in", 403, why=error.answer) from error
        return self._answer_as(name, request)

    async def _open(self, request: Request, name: str, asked: Json) -> str:
        """Return the name of the account that the password in a request opens. Raises PageRefused otherwise."""
        network = find_network(request)
        try:
            password = str(asked.get("password", ""))
            return (await self._lobby.entrance.open_account(check_name(name), password, network, PERSON)).name
        except Refused as error:
            self._gate.note_fault(network)
            guest = Guest(lambda line: None, lambda: None, find_address(request), network, name=name)
            self._lobby.note_refusal(guest, error.answer)
            raise PageRefused("page.sign_in", 403, why=error.answer) from error

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
            line.send(_message("you", name=shown_name(find_visitor(socket))))
            line.send(json.dumps(self._describe()))
            await converse(socket, line, self._listen(socket, line, guest, arrival, first))
        finally:
            self._gate.leave(arrival)
            self._lines.discard(line)
            self._lobby.leave(guest)

    async def _listen(
        self, socket: WebSocket, line: BrowserLine, guest: Guest, arrival: Arrival, told: Json | None
    ) -> None:
        bucket = TokenBucket(self._limits.burst, self._limits.rate_hz, time.monotonic())
        name = find_visitor(socket)
        try:
            if not is_guest(name):
                self._admit(guest, name)
            while told is not None and bucket.allows(time.monotonic()):
                if told.get("do") == "ping":
                    # Pages ask, because browsers do not tell them whether a connection is still alive.
                    line.send(_message("pong"))
                elif told.get("do") != "look":
                    if not guest.is_in:
                        self._admit(guest, name)
                        self._gate.leave(arrival)
                    self._answer(guest, line, told)
                told = await read_message(socket, self._limits.message)
        except Refused as error:
            self._lobby.note_refusal(guest, error.answer)
            await socket.send_text(_message("info", text=error.answer))
            await socket.send_text(_message("away"))
        await socket.close(_POLICY_VIOLATED)

    def _admit(self, guest: Guest, visitor: str) -> None:
        """Admit a person, who waits for no game yet. Raises Refused for a ban, or a guest whose browser is unknown."""
        if not visitor:
            raise Refused("login", "your browser must keep cookies")
        self._lobby.admit(guest, visitor)
        self._rest(guest)

    def _answer(self, guest: Guest, line: BrowserLine, told: Json) -> None:
        """Carry out a request, and say why if it is refused."""
        try:
            match told.get("do"):
                case "rest":
                    self._rest(guest)
                case "seek":
                    games = told.get("games")
                    guest.games = frozenset(GAMES).intersection(map(str, games) if isinstance(games, list) else GAMES)
                    self._lobby.seek(guest)
                case "offer" if guest.stage in _FREE:
                    self._seeks.offer(guest, told)
                case "accept" if guest.stage in _FREE:
                    self._seeks.accept(guest, told.get("seek"))
        except VariantsError as error:
            lang = told.get("lang")
            line.send(_message("info", text=sentence(error, lang if lang in LANGUAGES else "en")))
        self._schedule()

    def _rest(self, guest: Guest) -> None:
        """Let a guest wait no longer for a game, and offer none."""
        guest.seek = None
        if guest.stage == LoginStage.WAITING:
            guest.stage = LoginStage.OVER

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
            "seeks": self._seeks.describe(),
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
