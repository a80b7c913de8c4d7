"""A bot that plays at OGS: its login, and the messages that it receives and sends, for the bridge's core.

After each login the server lists every game in progress (`active_game`). We connect to each game and receive all its
data, so the state is right after any lost connection. We also request our games that ended in the meantime. The server
scores the games of bots by itself; if it waits too long for us, we accept its marks.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from secrets import token_hex

from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.state_store import StateStore
from gtp_variants.bridge.ogs import challenges, values
from gtp_variants.bridge.ogs.challenges import SPEEDS, Challenger, OgsChallenge, ReceivedChallenges
from gtp_variants.bridge.ogs.game import OgsGame, OgsGames
from gtp_variants.bridge.ogs.transport import OgsNews, OgsTransport
from gtp_variants.bridge.ogs.values import OgsPeople
from gtp_variants.errors import PeerGarbled, PeerGone, PeerSilent, Refused
from gtp_variants.lang import say

# Number of moves within which a game can be cancelled without losing it.
_CANCEL_MOVES = 5
# Age in milliseconds beyond which a line of chat needs no answer.
_OLD_MS = 60_000.0
_WAKE = "(wake)"


class Ogs(core.Server):
    """A login at OGS in the role `player`."""

    abilities = core.Abilities(
        chat=True, undo=core.ASKED, resumes=True, challenges=True, concurrent=True, passes_stay=True
    )

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        self._config = config
        self._log = log
        self._line = OgsTransport(config.server, log)
        self._store = StateStore(config.outputs.folder / "games")
        self._people = OgsPeople()
        self._arrived: asyncio.Queue[OgsNews | Exception] = asyncio.Queue()
        self._background = BackgroundTasks(lambda error: log(f"cannot send: {error}"), PeerGone)
        self._games = OgsGames(config, self._line, self._people, self._background)
        self._challenges = ReceivedChallenges(config, self._line, self._people, self._background, log, self._wake)
        self._chat_ids: set[str] = set()
        self._status: Counter[str] | None = None
        self.invitations = self._challenger = Challenger(config, self._line, self._background, log)

    async def login(self) -> None:
        await self._line.open()
        server = self._config.server
        key = server.password.reveal()
        number = await self._line.ask("authenticate", {"jwt": "", "bot_apikey": key, "bot_username": server.account})
        try:
            async with asyncio.timeout(server.silence_s):
                while (news := await self._line.receive()).number != number:
                    self._arrived.put_nowait(news)
        except TimeoutError:
            raise PeerSilent("no reply to the login") from None
        if not isinstance(news.data, dict) or not news.data.get("id"):
            raise Refused("authenticate", news.error or "the server does not know this API key as a bot's key")
        name = str(news.data.get("username", ""))
        if name.lower() != server.account.lower():
            raise Refused("authenticate", f"the API key is {name}'s, not {server.account}'s")
        self._people.me = self._line.bot_id = int(news.data["id"])
        self._people.ids[name] = self._people.me
        await self._begin()
        self._background.start(self._listen())

    async def _begin(self) -> None:
        await self._line.send("bot/config", challenges.bot_config(self._config, self._people.me, declines=False))
        await self._send_status()
        for number in self._stored_numbers():
            await self._games.join(number)

    def _stored_numbers(self) -> list[int]:
        return [int(number) for number in self._store.numbers(self._config.name) if number.isdecimal()]

    async def _listen(self) -> None:
        while True:
            try:
                self._arrived.put_nowait(await self._line.receive())
            except PeerGarbled as error:
                self._log(f"cannot be read: {error}")
            except Exception as error:
                self._arrived.put_nowait(error)
                return

    def _wake(self) -> None:
        """Make `events` judge the next challenge."""
        self._arrived.put_nowait(OgsNews(_WAKE))

    async def close(self) -> None:
        self._background.timers.stop_all()
        await self._line.close()
        await self._background.cancel()

    async def _receive(self) -> Callable[[], Awaitable[Sequence[core.ServerEvent]]]:
        await self._send_status()
        news = await self._arrived.get()
        if isinstance(news, Exception):
            raise news
        return partial(self._read, news)

    async def _read(self, news: OgsNews) -> list[core.ServerEvent]:
        if news.number is not None:
            return self._games.read_answer(news.number, news.error)
        data = news.data
        match news.event.split("/"):
            case ["game", number, kind] if number.isdecimal():
                game = self._games.get(int(number))
                return await self._read_game(game, kind, data) if game is not None else []
            case ["active_game"] if isinstance(data, dict):
                self._challenger.end(int(data["id"]))
                await self._games.read_active(data)
            case ["notification"] if isinstance(data, dict):
                return await self._read_notification(data)
            case ["private-message"] if isinstance(data, dict):
                return self._read_private_message(data)
            case ["ERROR"]:
                self._log(f"the server says: {data}")
            case ["HUP"]:
                raise PeerGone("the server closed the connection")
            case [event] if event == _WAKE:
                return self._challenges.next()
        return []

    async def _read_game(self, game: OgsGame, kind: str, data: object) -> list[core.ServerEvent]:
        if kind == "chat" and game.data is not None:
            return self._read_chat(game, data) if isinstance(data, dict) else []
        happened = await self._games.read(game, kind, data)
        if kind == "gamedata" and happened:
            self._challenges.note_game(game.id)
            happened += self._challenges.next()
        return happened

    async def _read_notification(self, data: Json) -> list[core.ServerEvent]:
        kind = data.get("type")
        refused: list[core.ServerEvent] = []
        if kind == "challenge":
            try:
                proposal = challenges.proposal_of(data, self._config)
            except core.UNREADABLE as error:
                self._log(f"cannot read a challenge: {error!r}")
                if isinstance(number := data.get("challenge_id"), int):
                    fields = {"delete": True, "message": say("bridge.unreadable", self._config.chat.lang)}
                    self._background.start(self._line.try_post(f"me/challenges/{number}", fields))
                return []
            return self._read_proposal(proposal)
        if kind == "friendRequest":
            invitation = {"from_user": data["user"]["id"]}
            self._background.start(self._line.try_post("me/friends/invitations", invitation))
        elif kind == "gameOfferRejected":
            user = self._challenger.end(int(data.get("game_id") or 0))
            self._log(f"our challenge was refused: {data.get('message')}")
            refused = [core.InvitationRefused(user)] if user else []
        if kind != "delete" and data.get("id"):
            await self._line.ask("notification/delete", {"notification_id": data["id"]})
        return refused

    def _read_proposal(self, proposal: OgsChallenge) -> list[core.ServerEvent]:
        return self._challenges.take(proposal)

    async def _send_status(self) -> None:
        status = self._games.count_speeds()
        if status != self._status:
            self._status = status
            await self._line.send("bot/status", {f"ongoing_{speed}_count": status[speed] for speed in SPEEDS})

    def _read_chat(self, game: OgsGame, data: Json) -> list[core.ServerEvent]:
        """Return a player's new line in a list, [] for other lines. The server repeats lines after a reconnection."""
        line = data.get("line")
        if not isinstance(line, dict):
            return []
        key = str(line.get("chat_id") or f"{line.get('player_id')} {line.get('date')} {line.get('body')}")
        user, channel = game.name_of(line.get("player_id")), str(line.get("channel") or data.get("channel") or "main")
        is_ours = line.get("player_id") == self._people.me
        if key in self._chat_ids or is_ours or not user or channel != "main":
            return []
        self._chat_ids.add(key)
        body, date = line.get("body"), line.get("date")
        # Old lines are ignored, because they were answered during an earlier login.
        is_old = isinstance(date, int | float) and date * 1000 < self._line.now_ms() - _OLD_MS
        return [core.ChatLine(user, body, self._games.key(game.id))] if isinstance(body, str) and not is_old else []

    def _read_private_message(self, data: Json) -> list[core.ServerEvent]:
        sender, message = data["from"], data["message"]
        user = str(sender["username"])
        if int(sender["id"]) == self._people.me:
            return []
        self._people.ids[user] = int(sender["id"])
        return [core.ChatLine(user, str(message["m"]))]

    async def say(self, game: core.ServerGame, text: str) -> None:
        self._games.say(self._games.find(game).id, text)

    async def tell(self, user: str, text: str) -> None:
        if user not in self._people.ids:
            self._log(f"cannot tell {user}, whose id is unknown: {text}")
            return
        fields: Json = {"player_id": self._people.ids[user], "username": user, "uid": token_hex(8), "message": text}
        self._line.chat(user, "chat/pm", fields, "message")

    async def accept(self, challenge: core.Challenge) -> None:
        await self._challenges.accept(challenge)

    async def decline(self, user: str, reason: core.DeclineReason | None = None) -> None:
        if reason is not None:
            self._challenges.decline(reason)

    async def play(self, game: core.ServerGame, vertex: str, note: str) -> None:
        ours = self._games.find(game)
        if ours.clock.paused_by_player_ms is not None:
            await self._line.send("game/resume", {"game_id": ours.id})
        await self._games.sent.send(ours, values.word_of(vertex, ours.size[1]))

    async def resign(self, game: core.ServerGame) -> None:
        await self._line.send("game/resign", {"game_id": self._games.find(game).id})

    async def ready(self, game: core.ServerGame) -> None:
        self._games.leave_soon(game, self._wake)

    async def undo(self, game: core.ServerGame) -> None:
        await self._games.undo(self._games.find(game))

    async def answer_undo(self, game: core.ServerGame, allowed: bool) -> None:
        ours = self._games.find(game)
        number = ours.undo.move_number if ours.undo is not None else len(ours.vertices)
        command = "game/undo/accept" if allowed else "game/undo/cancel"
        await self._line.send(command, {"game_id": ours.id, "move_number": number})

    async def adjourn(self, game: core.ServerGame) -> None:
        """Cancel the game if that is still possible, else leave it, because OGS does not adjourn games."""
        ours = self._games.find(game)
        if len(ours.vertices) < _CANCEL_MOVES:
            await self._line.send("game/cancel", {"game_id": ours.id})
        else:
            await self._line.send("game/disconnect", {"game_id": ours.id})
