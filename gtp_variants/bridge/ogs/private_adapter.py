"""The OGS adapter for role `private`: referees games of hidden stones by private messages to each player.

There is no room: who writes to us is here until the server says that they went offline. That a bot may write private
messages at all is a guess; some years ago it could not. A game that is over is shown on a demonstration board.
"""

from collections.abc import Callable, Sequence

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import (
    UNREADABLE,
    Abilities,
    DeclineReason,
    DrawnMove,
    RoomPresence,
    ServerEvent,
    ServerGame,
)
from gtp_variants.bridge.ogs import challenges
from gtp_variants.bridge.ogs.adapter import Ogs
from gtp_variants.bridge.ogs.challenges import OgsChallenge
from gtp_variants.bridge.ogs.reviews import OgsReview, demo_fields
from gtp_variants.bridge.ogs.transport import OgsNews
from gtp_variants.errors import PeerGone
from gtp_variants.json_values import Json
from gtp_variants.lang import say


class OgsPrivate(Ogs):
    """A login at OGS that is spoken to in private."""

    abilities = Abilities(chat=True, challenges=True, edits=True)

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._here: set[str] = set()

    async def _begin(self) -> None:
        """Look for the players of games that go on: the server tells whether they are online."""
        await self._line.send("bot/config", challenges.bot_config(self._config, self._me, declines=True))
        stored = [self._store.load(key) for key in self._store]
        for user in sorted({name for game in stored if game is not None for name, _ in game.langs}):
            try:
                self._ids[user] = int((await self._line.find_player(user))["id"])
            except UNREADABLE as error:
                self._log(f"{user} cannot be found: {error!r}")
                continue
            await self._watch_presence(user)

    async def _watch_presence(self, user: str) -> None:
        await self._line.send("user/monitor", {"user_ids": [self._ids[user]]})

    async def _read(self, news: OgsNews) -> list[ServerEvent]:
        data = news.data
        if news.event == "private-message" and isinstance(data, dict):
            said = self._read_private_message(data)
            user = str(data["from"]["username"])
            if said and user not in self._here:
                self._here.add(user)
                await self._watch_presence(user)
                return [RoomPresence(frozenset(self._here)), *said]
            return list(said)
        if news.event == "user/state" and isinstance(data, dict):
            return self._read_presence(data)
        return await super()._read(news)

    def _read_presence(self, data: Json) -> list[ServerEvent]:
        names = {number: name for name, number in self._ids.items() if number != self._me}
        before = set(self._here)
        for number, is_online in data.items():
            name = names.get(int(number))
            if name is not None:
                (self._here.add if is_online else self._here.discard)(name)
        return [RoomPresence(frozenset(self._here))] if self._here != before else []

    async def _read_proposal(self, proposal: OgsChallenge) -> list[ServerEvent]:
        """Nobody is played on the server's own boards, where everything is seen."""
        self._proposals[str(proposal.id)] = proposal
        text = say("bridge.lobby_help", self._lang_of(proposal))
        await self.decline(proposal.user, DeclineReason("bridge.leaving", text, str(proposal.id)))
        return []

    async def publish(self, game: ServerGame, text: str, moves: Sequence[DrawnMove]) -> None:
        """Show a game that is over on a demonstration board, whose chat says what it was."""
        self._background(self._show(game, text, moves))

    async def _show(self, game: ServerGame, text: str, moves: Sequence[DrawnMove]) -> None:
        try:
            answer = await self._line.post("/api/v1/demos", demo_fields(text, game.size, game.players))
            review = OgsReview(int(answer["id"]), game.size)
        except (PeerGone, *UNREADABLE) as error:
            self._log(f"the game cannot be shown: {error!r}")
            return
        for move in moves:
            review.path = review.path_with(move)
        await self._line.send("review/connect", {"review_id": review.id})
        message: Json = {"review_id": review.id, "f": 0, "m": review.path, "t": f"Result: {game.result}"}
        await self._line.send("review/append", message)
        fields: Json = {"review_id": review.id, "from": 0, "moves": "", "body": text}
        self._line.chat(review.id, "review/chat", fields, "body")

    async def ready(self, game: ServerGame) -> None:
        """Nothing: no game of ours is the server's."""
