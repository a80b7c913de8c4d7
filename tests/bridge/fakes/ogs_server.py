"""A local OGS: its WebSocket and its REST interface on one port, for bots with API keys and people with their page.

Frames, names and orders are those that the server's own programs read and send; the real gtp2ogs plays here unchanged.
What was sent against the protocol is noted in `faults`. Lines can be cut at any frame. The games are `ogs_game.py`'s.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tests.bridge.fakes.fake_server import FakeServer
from tests.bridge.fakes.ogs_clock import Fields
from tests.bridge.fakes.ogs_game import LocalGame, OgsHabits
from tests.bridge.fakes.ogs_review import LocalReview
from tests.bridge.fakes.web_listener import WebListener

# Commands that are taken and need no answer of substance.
_IGNORED = ("chat/join", "chat/part", "game/latency", "notification/connect", "ui-pushes/subscribe")


@dataclass(eq=False)
class OgsLine:
    """A connection: who it is once that is known, and what is sent to it in order."""

    socket: WebSocket
    port: int
    name: str = ""
    is_bot: bool = False
    monitors: set[int] = field(default_factory=set)
    frames: asyncio.Queue[list[Any] | None] = field(default_factory=asyncio.Queue)


class OgsServer(FakeServer[OgsLine]):
    """Accounts by name and their secret: the API key of a bot, the password of a person."""

    def __init__(
        self, passwords: Mapping[str, str], address: str = "127.0.0.1", port: int = 0, first: int = 1000
    ) -> None:
        """Challenges and games are numbered after `first`."""
        super().__init__(passwords)
        self.habits = OgsHabits()
        self.faults: list[str] = []
        self.ids = {name: 40 + number for number, name in enumerate(passwords)}
        self.users: dict[str, Fields] = {}
        self.lines: set[OgsLine] = set()
        self.games: dict[int, LocalGame] = {}
        self.reviews: dict[int, LocalReview] = {}
        self.challenges: dict[int, Fields] = {}
        self.bot_configs: dict[str, Fields] = {}
        self.bot_statuses: dict[str, Fields] = {}
        self.posts: list[tuple[str, Fields]] = []
        # Whose line is cut at `cut_at`; a status for what is posted next.
        self.unlucky = "botty"
        self.post_status: int | None = None
        # Who cannot be challenged.
        self.unchallenged: set[str] = set()
        self._number = first
        routes = [
            WebSocketRoute("/", self._serve),
            Route("/api/v1/{path:path}", self._rest, methods=["GET", "POST", "DELETE"]),
        ]
        self._listener = WebListener(Starlette(routes=routes), "websockets-sansio", address, port)
        self.address = address

    async def open(self) -> None:
        self._listener.port = self._listener.port or self.port
        await self._listener.open()
        self.port = self._listener.port

    async def close(self) -> None:
        for game in self.games.values():
            game.stop()
        await self._listener.close()

    def cut(self, name: str) -> None:
        """Break somebody's line; where a bot has one, its own, and not that of a page of its account."""
        lines = [line for line in self.lines if line.name == name]
        ports = {line.port for line in lines if line.is_bot or not any(each.is_bot for each in lines)}
        self._listener.abort(ports.__contains__)

    # -- frames --------------------------------------------------------------------------------------------------------

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        line = OgsLine(socket, socket.client.port if socket.client is not None else 0)
        self.lines.add(line)
        writer = asyncio.create_task(self._write(line))
        try:
            while True:
                text = await socket.receive_text()
                if not self.is_stalled:
                    self._take(line, text)
        except (WebSocketDisconnect, RuntimeError, OSError):
            pass
        finally:
            writer.cancel()
            self._drop(line)

    async def _write(self, line: OgsLine) -> None:
        while (frame := await line.frames.get()) is not None:
            try:
                await line.socket.send_text(json.dumps(frame, ensure_ascii=False))
            except (WebSocketDisconnect, RuntimeError, OSError):
                return

    def _drop(self, line: OgsLine) -> None:
        self.lines.discard(line)
        if self.online.get(line.name) is line:
            del self.online[line.name]
        for game in self.games.values():
            game.watchers.discard(line)
        for review in self.reviews.values():
            review.watchers.discard(line)
        self._tell_presence(line.name)

    def send(self, line: OgsLine, *frame: Any) -> None:
        if line not in self.lines:
            return
        line.frames.put_nowait(list(frame))
        self.said.append((line.name, json.dumps(frame, ensure_ascii=False)))
        self.messages += 1
        if self.messages in self.cut_at:
            asyncio.get_running_loop().call_soon(self.cut, self.unlucky)

    def _tell_user(self, name: str, event: str, data: Any) -> None:
        for line in [each for each in self.lines if each.name == name]:
            self.send(line, event, data)

    def _take(self, line: OgsLine, text: str) -> None:
        try:
            frame = json.loads(text)
            command, data, *rest = frame
            number = rest[0] if rest else None
        except (ValueError, TypeError):
            self.faults.append(f"{line.name}: no frame: {text[:80]}")
            return
        self.heard.append((line.name, frame))
        found = getattr(self, "_do_" + command.replace("/", "_"), None)
        if found is None and command not in _IGNORED:
            self.faults.append(f"{line.name}: {command}: no such command")
        answer: Any = None
        error: Fields | None = None
        if found is not None:
            try:
                answer = found(line, data)
            except (KeyError, TypeError, ValueError) as raised:
                self.faults.append(f"{line.name}: {text[:200]}: {raised!r}")
                error = {"code": "bad_request", "message": repr(raised)}
        if isinstance(answer, str):
            answer, error = None, {"code": "refused", "message": answer}
        if number is not None:
            self.send(line, number, {} if answer is None else answer, *([error] if error else []))

    # -- logins --------------------------------------------------------------------------------------------------------

    def _user(self, name: str) -> Fields:
        more = self.users.get(name, {})
        return {"id": self.ids[name], "username": name, "country": "un", "ranking": 17.75, "ui_class": "", **more}

    def _do_net_ping(self, line: OgsLine, data: Fields) -> None:
        self.send(line, "net/pong", {"client": data["client"], "server": time.time() * 1000 + self.habits.drift_ms})

    def _do_authenticate(self, line: OgsLine, data: Fields) -> Any:
        secret = data.get("bot_apikey") or str(data["jwt"]).removeprefix("jwt-")
        name = next((each for each, known in self.passwords.items() if known == secret), None)
        if name is None or (data.get("bot_username") or name) != name:
            return 0
        line.name, line.is_bot = name, bool(data.get("bot_apikey"))
        if line.is_bot or name not in self.online:
            self.online[name] = line
        self._tell_presence(name)
        mine = [game for game in self.games.values() if game.side_of(self.ids[name]) and game.phase != "finished"]
        for game in mine:
            self.send(line, "active_game", game.listed())
        for challenge in self.challenges.values():
            if challenge["to"] == name:
                self.send(line, "notification", challenge["notification"])
        return {"id": self.ids[name], "username": name}

    def _do_bot_config(self, line: OgsLine, data: Fields) -> None:
        if data["_config_version"] != 2 or data["bot_id"] != self.ids[line.name]:
            self.faults.append(f"{line.name}: bot/config {data}")
        self.bot_configs[line.name] = data
        bots = {self.ids[name]: {**self._user(name), "config": each} for name, each in self.bot_configs.items()}
        for each in list(self.lines):
            self.send(each, "active-bots", bots)

    def _do_bot_status(self, line: OgsLine, data: Fields) -> None:
        self.bot_statuses[line.name] = data

    def _do_notification_delete(self, line: OgsLine, data: Fields) -> None:
        assert data["notification_id"]

    def _do_challenge_keepalive(self, line: OgsLine, data: Fields) -> None:
        challenge = self.challenges.get(data["challenge_id"])
        if challenge is not None:
            challenge["kept_alive"] = challenge.get("kept_alive", 0) + 1

    # -- REST ----------------------------------------------------------------------------------------------------------

    async def _rest(self, request: Request) -> Response:
        path = request.path_params["path"]
        body = await request.body()
        try:
            is_json = "json" in request.headers.get("content-type", "")
            data: Fields = json.loads(body) if is_json and body else dict(parse_qsl(body.decode()))
        except ValueError:
            return JSONResponse({"error": "cannot be read"}, 400)
        self.posts.append((f"{request.method} {path}", data))
        if self.post_status is not None:
            status, self.post_status = self.post_status, None
            return JSONResponse({"error": "fault"}, status)
        match request.method, path.rstrip("/").split("/"):
            case "GET", ["players"]:
                found = [self._user(name) for name in self.ids if name == request.query_params.get("username")]
                return JSONResponse({"count": len(found), "results": found})
            case "GET", ["games", number] if int(number) in self.games:
                return JSONResponse({"id": int(number), "gamedata": self.games[int(number)].data()})
        name = self._name_of(request, data)
        if name is None:
            return JSONResponse({"detail": "Authentication credentials were not provided."}, 401)
        return self._post(request.method, path, name, data)

    def _name_of(self, request: Request, data: Fields) -> str | None:
        """Who posts: a bot by its key, which has to be the bot's, a person by what their page sends."""
        secret = data.get("apikey") or request.headers.get("authorization", "").removeprefix("Bearer jwt-")
        name = next((each for each, known in self.passwords.items() if known == secret), None)
        if "apikey" in data and (name is None or str(data.get("bot_id")) != str(self.ids[name])):
            return None
        return name

    def _post(self, method: str, path: str, name: str, data: Fields) -> Response:
        match method, path.rstrip("/").split("/"):
            case "POST", ["players", number, "challenge"]:
                to = next((each for each, known in self.ids.items() if known == int(number)), None)
                if to in self.unchallenged:
                    return JSONResponse({"error": "this player takes no challenges"}, 403)
                return JSONResponse(self.challenge(name, to, data) if to else {}, 200 if to else 404)
            case "POST", ["me", "challenges", number, "accept"]:
                return self._accept(name, int(number))
            case (("POST" | "DELETE"), ["me", "challenges", number]):
                return self._reject(name, int(number), data)
            case "POST", ["me", "friends", "invitations"]:
                return JSONResponse({"success": "Accepted"})
            case "POST", ["demos"]:
                self._number += 1
                self.reviews[self._number] = LocalReview(self._number, data, self.ids[name], self._tell_review)
                return JSONResponse({"id": self._number})
        self.faults.append(f"{name}: {method} {path}: no such resource")
        return JSONResponse({"detail": "Not found."}, 404)

    # -- challenges ----------------------------------------------------------------------------------------------------

    def challenge(self, name: str, to: str, data: Fields) -> Fields:
        """Somebody challenges somebody, as their page or their program posts it."""
        self._number += 2
        number, game_id = self._number, self._number - 1
        game = data["game"]
        notification = {
            "id": f"{self.ids[to]}:{number}",
            "type": "challenge",
            "player_id": self.ids[to],
            "timestamp": int(time.time()),
            "read": 0,
            "game_id": game_id,
            "challenge_id": number,
            "user": self._user(name),
            "rules": game["rules"],
            "ranked": game["ranked"],
            "aga_rated": False,
            "disable_analysis": game["disable_analysis"],
            "handicap": game["handicap"],
            "komi": game.get("komi") if game.get("komi_auto") == "custom" else None,
            "time_control": game["time_control_parameters"],
            "challenger_color": data["challenger_color"],
            "width": game["width"],
            "height": game["height"],
        }
        whole = {"from": name, "to": to, "data": data, "game_id": game_id, "notification": notification}
        self.challenges[number] = whole
        self._tell_user(to, "notification", notification)
        return {"status": "ok", "challenge": number, "game": game_id}

    def _accept(self, name: str, number: int) -> Response:
        challenge = self.challenges.get(number)
        if challenge is None or challenge["to"] != name:
            return JSONResponse({"error": "no such challenge"}, 404)
        del self.challenges[number]
        data = challenge["data"]
        names = [challenge["from"], name]
        if data["challenger_color"] == "white" or (data["challenger_color"] != "black" and number // 2 % 2):
            names.reverse()
        players = {
            side: {"id": self.ids[each], "username": each} for side, each in zip(("black", "white"), names, strict=True)
        }
        fields = {**data["game"], "time_control": data["game"]["time_control_parameters"]}
        fields["komi"] = fields.get("komi") if fields.get("komi_auto") == "custom" else None
        tells = self._tell_game, self._tell_players
        game = LocalGame(challenge["game_id"], fields, players, self.habits, *tells)
        self.games[game.id] = game
        started = {"id": f"n:{game.id}", "type": "gameStarted", "game_id": game.id}
        for each in names:
            self._tell_user(each, "notification", started)
        game.begin()
        return JSONResponse({"game": game.id})

    def _reject(self, name: str, number: int, data: Fields) -> Response:
        challenge = self.challenges.pop(number, None)
        if challenge is None:
            return JSONResponse({"error": "no such challenge"}, 404)
        told = {key: data.get(key) for key in ("message", "rejection_details")}
        fields = {"id": f"r:{number}", "type": "gameOfferRejected", "game_id": challenge["game_id"], **told}
        self._tell_user(challenge["from"], "notification", fields)
        return JSONResponse({"success": "Challenge declined"})

    # -- games ---------------------------------------------------------------------------------------------------------

    def _tell_game(self, game: LocalGame, event: str, data: Any) -> None:
        for line in list(game.watchers):
            self.send(line, f"game/{game.id}/{event}", data)

    def _tell_players(self, game: LocalGame, event: str, data: Any) -> None:
        for player in game.players.values():
            self._tell_user(player["username"], event, data)

    def _at(self, line: OgsLine, data: Fields) -> tuple[LocalGame, int]:
        return self.games[data["game_id"]], self.ids.get(line.name, 0)

    def _do_game_connect(self, line: OgsLine, data: Fields) -> None:
        game, _ = self._at(line, data)
        game.watchers.add(line)
        for _ in range(2 if self.habits.repeats_data else 1):
            self.send(line, f"game/{game.id}/gamedata", game.data())
        for chat in game.chat if data.get("chat") else ():
            self._send_chat(game, line, chat)
        if game.undo is not None:
            self.send(line, f"game/{game.id}/undo_requested", dict(game.undo))

    def _do_game_disconnect(self, line: OgsLine, data: Fields) -> None:
        self._at(line, data)[0].watchers.discard(line)

    def _do_game_move(self, line: OgsLine, data: Fields) -> str | None:
        game, player = self._at(line, data)
        return game.move(player, data["move"]) or None

    def _do_game_resign(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.resign(player)

    def _do_game_cancel(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.cancel(player)

    def _do_game_pause(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.pause(player, True)

    def _do_game_resume(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.pause(player, False)

    def _do_game_undo_request(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.ask_undo(player)

    def _do_game_undo_accept(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.accept_undo(player, data["move_number"])

    def _do_game_undo_cancel(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.cancel_undo(player)

    def _do_game_removed_stones_accept(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.accept_stones(player, data["stones"])

    def _do_game_removed_stones_reject(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        game.reject_stones(player)

    def _do_game_chat(self, line: OgsLine, data: Fields) -> None:
        game, player = self._at(line, data)
        channel = data["type"] if game.side_of(player) else "spectator"
        chat = {
            "chat_id": f"c{len(game.chat)}-{game.id}",
            "body": data["body"],
            "date": time.time(),
            "move_number": data.get("move_number"),
            "player_id": player,
            "username": line.name,
            "channel": channel,
        }
        game.chat.append(chat)
        if channel == "main":
            game.seen.append(f"{line.name}: {data['body']}")
        for watcher in list(game.watchers):
            self._send_chat(game, watcher, chat)

    def _send_chat(self, game: LocalGame, line: OgsLine, chat: Fields) -> None:
        """Spectators hear all but what is for the end; players hear each other, and themselves."""
        is_over, is_theirs = game.phase == "finished", chat["username"] == line.name
        is_player = bool(game.side_of(self.ids.get(line.name, 0)))
        hears = chat["channel"] == "main" or (chat["channel"] == "spectator" and not is_player)
        if hears or is_over or is_theirs:
            self.send(line, f"game/{game.id}/chat", {"channel": chat["channel"], "line": chat})

    def _do_chat_pm(self, line: OgsLine, data: Fields) -> None:
        name = next(each for each, number in self.ids.items() if number == data["player_id"])
        if name != data["username"] or not data["uid"]:
            self.faults.append(f"{line.name}: chat/pm {data}")
        message = {"t": int(time.time()), "i": data["uid"], "m": data["message"]}
        told = {"from": self._user(line.name), "to": self._user(name), "message": message}
        for each in (name, line.name):
            self._tell_user(each, "private-message", told)

    def _do_user_monitor(self, line: OgsLine, data: Fields) -> None:
        line.monitors |= set(data["user_ids"])
        online = {self.ids[each.name] for each in self.lines if each.name}
        self.send(line, "user/state", {str(number): number in online for number in data["user_ids"]})

    def _tell_presence(self, name: str) -> None:
        """Tell everybody who monitors a user whether they are online."""
        is_online = any(line.name == name for line in self.lines)
        for line in [each for each in self.lines if self.ids.get(name) in each.monitors]:
            self.send(line, "user/state", {str(self.ids[name]): is_online})

    # -- reviews -------------------------------------------------------------------------------------------------------

    def _tell_review(self, review: LocalReview, event: str, data: Any) -> None:
        for line in list(review.watchers):
            self.send(line, f"review/{review.id}/{event}", data)

    def _do_review_connect(self, line: OgsLine, data: Fields) -> None:
        review = self.reviews[data["review_id"]]
        review.watchers.add(line)
        self.send(line, f"review/{review.id}/full_state", list(review.messages))

    def _do_review_disconnect(self, line: OgsLine, data: Fields) -> None:
        self.reviews[data["review_id"]].watchers.discard(line)

    def _do_review_append(self, line: OgsLine, data: Fields) -> str | None:
        review = self.reviews[data["review_id"]]
        return review.append(self.ids[line.name], data) or None

    def _do_review_chat(self, line: OgsLine, data: Fields) -> None:
        self.reviews[data["review_id"]].say(self.ids[line.name], line.name, data)
