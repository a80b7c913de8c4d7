"""People in the lobby: guests, and those who sign in with a password. They hear who is here, and are seated at games.

docs/web-api.md has the messages of the lobby. The game itself comes through the socket of games.
"""

import asyncio
import itertools
import json
import time

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from gtp_variants.base.connection_gate import Arrival, Gate, TokenBucket
from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.errors import NotationError, Refused, VariantsError
from gtp_variants.players.levels import opponents_of, rated_points
from gtp_variants.rules import GAMES, parse, split_spec
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.access.accounts import BOT, GUEST, PERSON, Account, check_name
from gtp_variants.site.access.visitors import find_account, find_visitor, is_guest, shown_name
from gtp_variants.site.http import POLICY_VIOLATED, converse, find_address, find_network, greet, hear
from gtp_variants.site.lobby.account_game import AccountGame, rules_to_host
from gtp_variants.site.lobby.guests import Guest, LoginStage, Seek
from gtp_variants.site.lobby.lobby import Lobby, Pair
from gtp_variants.site.page.listeners import BrowserLine
from gtp_variants.site.page.page_game import describe_control, read_control
from gtp_variants.site.page.requests import LONGEST_REQUEST, Services, read_request, sentence
from gtp_variants.site.refusals import PageRefused

_LONGEST_SPEC = 1000
_HIGHEST = 9999
# The number of games that a player may have begun and not ended.
_MOST_GAMES = 20
# The longest main time and increment that hold a bot up. The protocol, which bots speak, has no words for periods.
# Minimum seconds for so many moves in a rated game against a bot of this package, which a quick clock would weaken.
_LEAST_RATED_S, _USUAL_MOVES = 300, 60
_LONGEST_FOR_BOTS_S, _INCREMENT_FOR_BOTS_S = 7200, 60


class Seeks:
    """The offers in a lobby. Each player has at most one, which ends when they leave or begin a game."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._numbers = itertools.count(1)
        # The ratings by game of the opponents of this package, but for those whose names are taken.
        self.ours = lobby.accounts.keep_bots(
            (each.account, game, each.rating) for game in GAMES for each in opponents_of(game)
        )

    def offer(self, guest: Guest, asked: Json) -> None:
        """Offer a game. A bot that is free accepts at once. Raises VariantsError for an invalid or impossible offer."""
        seek = self._read(guest, asked)
        self._expect_free(guest)
        if not seek.to:
            guest.seek = seek
            return
        if ours := next((name for name in self.ours if name.lower() == seek.to.lower()), ""):
            self._expect_measured(seek, ours)
            self._begin(seek, guest, opponent=ours)
            return
        other = self._lobby.guests.find(seek.to)
        if other is None or other is guest:
            raise PageRefused("page.not_here", name=seek.to)
        control, can_play = seek.control, self._lobby.offered.can_play(other, seek.spec)
        is_short = control.main_s <= _LONGEST_FOR_BOTS_S and control.increment_s <= _INCREMENT_FOR_BOTS_S
        can_play &= is_short and control.kind in ("absolute", "fischer") and not self._lobby.entrance.is_draining
        if other.kind != BOT:
            guest.seek = seek
        elif other.stage == LoginStage.WAITING and can_play:
            self._begin(seek, guest, other)
        else:
            raise PageRefused("page.bot_cannot", name=other.name)

    def _expect_measured(self, seek: Seek, opponent: str) -> None:
        """Raise VariantsError if an opponent of this package cannot play a game now, or has no rating for it."""
        rules = parse(seek.spec)
        if rules.name not in self.ours[opponent] or self._lobby.entrance.is_draining:
            raise PageRefused("page.bot_cannot", name=opponent)
        self._lobby.games.opponents.expect_fit(rules.profile.default_bot, rules)
        control, rest_s = seek.control, max(seek.control.increment_s, seek.control.period_s)
        if control.main_s > _LONGEST_FOR_BOTS_S or rest_s * max(1, control.periods) > _LONGEST_FOR_BOTS_S:
            raise PageRefused("page.bot_cannot", name=opponent)
        if seek.is_rated and len(rules.board) != rated_points(rules):
            raise PageRefused("page.unmeasured", name=opponent, points=rated_points(parse(rules.name)))
        if seek.is_rated and control.main_s + _USUAL_MOVES * rest_s < _LEAST_RATED_S:
            raise PageRefused("page.too_quick", name=opponent)

    def accept(self, guest: Guest, number: object) -> None:
        """Begin the game of an offer. Raises PageRefused if it is gone or not for this player."""
        offering = [] if self._lobby.entrance.is_draining else self._lobby.guests.values()
        found = next((each for each in offering if each.seek and each.seek.number == number), None)
        if found is None or found.seek is None or found is guest or found.seek.to not in ("", guest.name):
            raise PageRefused("page.offer_gone")
        seek = found.seek
        if seek.is_rated and guest.kind == GUEST:
            raise PageRefused("page.rated_accounts")
        if not seek.low <= self._lobby.accounts.rating(guest.name, parse(seek.spec).name).value <= seek.high:
            raise PageRefused("page.other_ratings", low=seek.low, high=seek.high)
        self._begin(seek, found, guest)

    def _begin(self, seek: Seek, *players: Guest, opponent: str = "") -> None:
        running = self._lobby.running
        for player in players:
            self._expect_free(player)
            count = sum(player.name in game.names.values() for game in running.values())
            if running.find_with(player.name) is not None or count >= _MOST_GAMES:
                raise PageRefused("page.bot_cannot", name=player.name)
        for player in players:
            player.stage = LoginStage.WAITING
        one, other = filter(None, (*(each.name for each in players), opponent))
        black, white = self._lobby.draw_colours(seek.spec, one, other)
        self._lobby.begin(Pair(seek.spec, black, white), control=seek.control, is_rated=seek.is_rated)

    def _expect_free(self, player: Guest) -> None:
        """Raise PageRefused for a player in a tournament, whose next round must not wait for another game."""
        if self._lobby.is_reserved(player.name):
            raise PageRefused("page.in_tournament", name=player.name)

    def _read(self, guest: Guest, asked: Json) -> Seek:
        spec, to = asked.get("spec"), asked.get("to", "")
        if not isinstance(spec, str) or len(spec) > _LONGEST_SPEC or not isinstance(to, str):
            raise NotationError(f"spec, to: expected strings, the first of at most {_LONGEST_SPEC} letters")
        low, high = asked.get("low", 0), asked.get("high", _HIGHEST)
        if type(low) is not int or type(high) is not int or not 0 <= low <= high <= _HIGHEST:
            raise NotationError(f"low, high: expected whole numbers up to {_HIGHEST}")
        rules, control = rules_to_host(spec), read_control(asked.get("clock"))
        if control.kind == "none":
            raise NotationError("clock: expected a clock")
        is_rated = asked.get("rated") is not False and guest.kind != GUEST
        return Seek(next(self._numbers), rules.spec, rules.title, control, is_rated, low, high, to)

    def describe(self) -> list[Json]:
        """Return the offers as JSON, the latest last."""
        found = [(each.seek, each.name) for each in self._lobby.guests.values() if each.seek is not None]
        return [
            {"seek": seek.number, "by": name, "rated": seek.is_rated, "clock": describe_control(seek.control)}
            | {key: getattr(seek, key) for key in ("spec", "title", "low", "high", "to")}
            for seek, name in sorted(found, key=lambda each: each[0].number)
        ]


_LAST_WORDS_S = 1.0
# The login stages in which somebody may begin a game.
_FREE = (LoginStage.OVER, LoginStage.WAITING)
# The number of browsers that double the time between two updates, and of those that are told in one step.
_CROWD, _TOLD_AT_ONCE = 50, 10
# Maximum players and games listed.
_MOST_LISTED = 200


class LobbyBrowsers:
    """The browsers of people in a lobby."""

    def __init__(self, lobby: Lobby, gate: Gate, services: Services) -> None:
        self._lobby, self._gate, self._services = lobby, gate, services
        self._visitors = services.visitors
        self._limits, self._seeks = lobby.games.limits, Seeks(lobby)
        self._telling, self._in_order = BackgroundTasks(lambda error: None, OSError), asyncio.Lock()
        lobby.note_presence = self._schedule

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/session", self._session, methods=["POST", "DELETE"]),
            Route("/api/account", self._account, methods=["PUT", "DELETE"]),
            WebSocketRoute("/api/lobby", self._serve),
        ]

    def close(self) -> None:
        self._telling.timers.stop_all()
        self._telling.stop()
        for line in self._lobby.browsers:
            line.is_lost.set()

    async def _session(self, request: Request) -> Response:
        """Sign a browser in to an account, which is created if nobody has its name, or (DELETE) all browsers out."""
        if request.method == "DELETE":
            if account := find_account(request):
                self._lobby.accounts.sign_out(account)
                self._lobby.close_signed_out(account)
            return self._answer_as(self._visitors.new_guest(), request)
        asked = await read_request(request, LONGEST_REQUEST)
        self._services.expect_token(request)
        opened = await self._open(request, str(asked.get("name", "")), asked)
        return self._answer_as(opened.name, request)

    async def _account(self, request: Request) -> Response:
        """Change the password of the account that a browser is signed in to, or (DELETE) delete the account."""
        asked = await read_request(request, LONGEST_REQUEST)
        account = await self._open(request, find_account(request), asked)
        try:
            if request.method == "DELETE":
                self._lobby.delete_account(account.name)
                return self._answer_as(self._visitors.new_guest(), request)
            await self._lobby.logins.change_password(account, str(asked.get("new", "")))
            self._lobby.close_signed_out(account.name)
        except Refused as error:
            raise PageRefused("page.sign_in", 403, why=error.answer) from error
        return self._answer_as(account.name, request)

    async def _open(self, request: Request, name: str, asked: Json) -> Account:
        """Return the account that the password in a request opens. Raises PageRefused otherwise."""
        network = find_network(request)
        try:
            password = str(asked.get("password", ""))
            return await self._lobby.entrance.open_account(check_name(name), password, network, PERSON)
        except Refused as error:
            self._gate.note_fault(network)
            guest = Guest(lambda line: None, lambda: None, find_address(request), network, name=name)
            self._lobby.note_refusal(guest, error.answer)
            raise PageRefused("page.sign_in", 403, why=error.answer) from error

    def _answer_as(self, name: str, request: Request) -> Response:
        return JSONResponse({"name": name}, headers=self.rename(request, name))

    def rename(self, request: Request, name: str) -> dict[str, str]:
        """Return the header that gives a browser this name, and give an account the seats of the guest it was."""
        if not is_guest(name) and is_guest(visitor := find_visitor(request)):
            self._lobby.games.owners.adopt(visitor, name)
        return {"set-cookie": self._visitors.write(name, request)}

    async def _serve(self, socket: WebSocket) -> None:
        first = await greet(socket, self._gate, self._limits.join_s, self._limits.message)
        if first is None:
            return
        if self._services.has_signed_out(socket) or not self._services.lets_in(socket, first.get("token")):
            await socket.close(POLICY_VIOLATED)
            return
        line = BrowserLine(asyncio.Queue(self._limits.queue))
        guest = _guest_of(socket, line)
        arrival = Arrival(guest.network, lambda why: line.is_lost.set())
        self._lobby.enter(guest)
        self._lobby.browsers[line] = find_visitor(socket)
        if is_guest(find_visitor(socket)):
            # Keep guests at the gate: if there are too many, it closes a connection of the network with the most.
            self._gate.enter(arrival)
        try:
            line.send(_message("you", name=shown_name(find_visitor(socket))))
            line.send(json.dumps(self._describe()))
            await converse(socket, line, self._listen(socket, line, guest, arrival, first))
        finally:
            self._gate.leave(arrival)
            del self._lobby.browsers[line]
            self._lobby.leave(guest)

    async def _listen(self, socket: WebSocket, line: BrowserLine, guest: Guest, arrival: Arrival, first: Json) -> None:
        bucket = TokenBucket(self._limits.burst, self._limits.rate_hz, time.monotonic())
        name = find_visitor(socket)
        try:
            if not is_guest(name):
                self._admit(guest, name)
            async for told in hear(socket, line, self._limits.message, bucket, first):
                if told.get("do") == "look":
                    continue
                if not guest.is_in:
                    self._admit(guest, name)
                    self._gate.leave(arrival)
                self._answer(guest, line, told)
        except Refused as error:
            self._lobby.note_refusal(guest, error.answer)
            await socket.send_text(_message("info", text=error.answer))
            await socket.send_text(_message("away"))
            await socket.close(POLICY_VIOLATED)

    def _admit(self, guest: Guest, visitor: str) -> None:
        """Admit a person, who waits for no game yet. Raises Refused for a ban, or without a cookie."""
        if not visitor:
            raise Refused("login", "your browser must keep cookies")
        self._lobby.admit(guest, visitor)
        self._rest(guest)

    def _answer(self, guest: Guest, line: BrowserLine, told: Json) -> None:
        """Carry out a request, and say why if it is refused. A connection that was replaced begins no games."""
        is_here = self._lobby.guests.get(guest.name) is guest
        try:
            match told.get("do"):
                case "rest":
                    self._rest(guest)
                case "seek":
                    games = told.get("games")
                    guest.games = frozenset(GAMES).intersection(map(str, games) if isinstance(games, list) else GAMES)
                    self._lobby.seek(guest)
                case "offer" if is_here and guest.stage in _FREE:
                    self._seeks.offer(guest, told)
                case "accept" if is_here and guest.stage in _FREE:
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
        """Tell all browsers soon. Simultaneous arrivals share one update."""
        if self._lobby.browsers and self not in self._telling.timers:
            # The more browsers there are, the more an update costs, so it comes less often.
            seconds = self._limits.meeting_s * (1 + len(self._lobby.browsers) / _CROWD)
            self._telling.timers.set(self, seconds, self._tell_all)

    async def _tell_all(self) -> None:
        """Send all browsers the news of the lobby, a few at once, so that moves are handled in between."""
        async with self._in_order:
            text = json.dumps(self._describe())
            for number, line in enumerate(list(self._lobby.browsers), 1):
                line.send(text)
                if number % _TOLD_AT_ONCE == 0:
                    await asyncio.sleep(0)

    def _ratings_of(self, guest: Guest) -> Json:
        ratings = {} if guest.kind == GUEST else self._lobby.accounts.ratings(guest.name)
        return {game: each.shown for game, each in ratings.items()}

    def _describe(self) -> Json:
        """Return the message that lists the players and games. It does not change with the moves of a game."""
        lobby = self._lobby
        guests = sorted(lobby.guests.values(), key=lambda guest: guest.name.lower())[:_MOST_LISTED]
        here = [
            (
                each.name,
                each.kind,
                self._ratings_of(each),
                sorted(each.games) if each.stage == LoginStage.WAITING else [],
            )
            for each in guests
        ]
        for name, measured in self._seeks.ours.items():
            here.append((name, BOT, {game: f"{rating:.0f}" for game, rating in measured.items()}, sorted(measured)))
        return {
            "type": "lobby",
            "games": list(dict.fromkeys(split_spec(spec)[0].name for spec in lobby.offered.specs)),
            "here": [dict(zip(("name", "kind", "ratings", "waits"), each, strict=True)) for each in here],
            "seeks": self._seeks.describe(),
            "results": [
                {"game": f"{each.number}", "spec": each.spec, "players": [each.black, each.white]}
                | {"result": each.result}
                for each in reversed(lobby.results)
                if each.black in lobby.guests or each.white in lobby.guests
            ],
            "tournaments": [news for source in lobby.matchmakers for news in source.describe()],
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
