"""The KGS adapter for role `private`: referees games of hidden stones by private messages to each player.

A game that is over is shown in the room on a demonstration board, until the next one is.
"""

from collections import deque
from collections.abc import Callable, Sequence

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import Abilities, DrawnMove, RoomPresence, ServerEvent, ServerGame
from gtp_variants.bridge.kgs.client import KgsNews
from gtp_variants.bridge.kgs.demonstration_base import Events, KgsDemonstration, move_events, player_names
from gtp_variants.bridge.kgs.game_tree import KgsGame

# So many moves are drawn with one message.
_AT_ONCE = 20


class KgsPrivate(KgsDemonstration):
    """A login at KGS that is spoken to in private."""

    abilities = Abilities(chat=True, challenges=True, edits=True)
    answers_room = True

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        # Games that are over and wait to be shown, with what is said of them and their moves.
        self._over: deque[tuple[ServerGame, str, Sequence[DrawnMove]]] = deque()

    def _finish_login(self) -> None:
        self._is_settled = True
        self._offer()

    def _load_with(self, user: str) -> None:
        """Nothing: no game of ours is the server's."""

    def _is_ours(self, game: KgsGame) -> bool:
        return False

    def _read(self, news: KgsNews) -> list[ServerEvent]:
        happened = super()._read(news)
        room = self._client.rooms.get(news.channel)
        if news.kind in ("ROOM_JOIN", "USER_ADDED", "USER_REMOVED") and room is not None and news.channel == self._room:
            happened.append(RoomPresence(frozenset(room.users), frozenset(room.guests)))
        return happened

    # -- showing a game that is over -----------------------------------------------------------------------------------

    async def publish(self, game: ServerGame, text: str, moves: Sequence[DrawnMove]) -> None:
        self._over.append((game, text, moves))
        if self._room is not None:
            self._client.chat(self._room, text)
        if self._board is not None:
            self._client.leave(self._board)
        self._offer()

    def _offer(self) -> None:
        """Show the next game that is over."""
        if self._over and self._is_settled:
            game, text, _ = self._over[0]
            self._open_board(game.size, text)

    def _begin_at_board(self, game: KgsGame) -> None:
        if not self._over:
            return
        shown, _, moves = self._over.popleft()
        self._change(game.channel, player_names(shown.players))
        tree, first = game.tree, game.tree.next_number()
        for start in range(0, len(moves), _AT_ONCE):
            events: Events = []
            for node, drawn in enumerate(moves[start : start + _AT_ONCE], first + start):
                events += move_events(drawn, game.size, tree.active if node == first else node - 1, node)
            self._change(game.channel, events)
        self._save(game.channel, shown.result)
