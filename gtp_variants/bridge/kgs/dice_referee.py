"""The KGS adapter for role `referee`: watches games of two people in a room and throws the dice for them.

It comes to the games of those who ask for it, or to all free games of the room. After a login it goes back to the games
that it refereed before, where these are open.
"""

from collections.abc import Callable

from gtp_variants.bridge.core.config import ROOM, BridgeConfig
from gtp_variants.bridge.core.server import ServerEvent, ServerGame
from gtp_variants.bridge.core.state_store import StateStore
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.adapter import Kgs
from gtp_variants.bridge.kgs.client import KgsNews
from gtp_variants.bridge.kgs.game_tree import KgsGame
from gtp_variants.bridge.kgs.values import name_of, same_name
from gtp_variants.json_values import Json

# Games that do not count, and in which nobody else sees to the rules.
_KINDS = ("free",)


class KgsReferee(Kgs):
    """A login at KGS that looks on."""

    answers_room = True

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._store = StateStore(config.outputs.folder / "games")
        self._watched: set[str] = set()
        self._joining: set[int] = set()
        # The channels of games in which we are not wanted, or cannot go on.
        self._done_with: set[int] = set()

    # -- which games ---------------------------------------------------------------------------------------------------

    def _finish_login(self) -> None:
        self._challenges.is_settled = True
        for key in self._store:
            self._client.post("JOIN_GAME_BY_ID", timestamp=key.removeprefix(f"{self._config.name}-"))
        self._look()

    def _offer(self) -> None:
        """Nothing: a referee plays with nobody."""

    async def watch(self, user: str) -> None:
        self._watched.add(user.lower())
        self._done_with.clear()
        self._look()

    def _look(self) -> None:
        """Join the games in the room that are ours to referee."""
        room = self._client.rooms.get(self._room or 0)
        if room is None or not self._challenges.is_settled:
            return
        for channel, listed in room.games.items():
            names = {role: name_of(user).lower() for role, user in listed.get("players", {}).items()}
            is_wanted = self._config.watch == ROOM or self._watched & set(names.values())
            if (
                set(names) == set(values.COLOURS)
                and listed.get("gameType") in _KINDS
                and is_wanted
                and channel not in self._joining | self._done_with
                and not self._client.is_in(channel)
            ):
                self._joining.add(channel)
                self._client.join(channel)

    def _is_ours(self, game: KgsGame) -> bool:
        players = set(game.players)
        return players == set(values.COLOURS) and not any(
            same_name(name, self._client.me) for name in game.players.values()
        )

    # -- what happens --------------------------------------------------------------------------------------------------

    def _read(self, news: KgsNews) -> list[ServerEvent]:
        happened = super()._read(news)
        match news.kind:
            case "GAME_LIST" | "ROOM_JOIN" if news.channel == self._room:
                self._look()
            case "GAME_CONTAINER_REMOVE_GAME":
                self._joining.discard(int(news.message["gameId"]))
                self._done_with.discard(int(news.message["gameId"]))
            case "USER_REMOVED" if news.game is not None:
                self._leave_if_empty(news.game)
            case "UNJOIN" | "CLOSE":
                self._joining.discard(news.channel)
        return happened

    def _update_of(self, game: KgsGame, *, is_left: bool) -> list[ServerEvent]:
        happened = super()._update_of(game, is_left=is_left)
        if "over" in game.flags:
            self._watched -= {name.lower() for name in game.players.values()}
        return happened

    def _leave_if_empty(self, game: KgsGame) -> None:
        """A game without players would stay open for our sake alone, and could not be loaded again."""
        here = {user.lower() for user in game.users}
        if not here & {name.lower() for name in game.players.values()} and self._client.is_in(game.channel):
            self._client.leave(game.channel)

    async def adjourn(self, game: ServerGame) -> None:
        self._done_with.add(self._channel(game))
        await super().adjourn(game)

    async def resign(self, game: ServerGame) -> None:
        """There is nothing to give up: we leave."""
        await self.adjourn(game)

    def _read_refusal(self, message: Json, why: str) -> list[ServerEvent]:
        return []
