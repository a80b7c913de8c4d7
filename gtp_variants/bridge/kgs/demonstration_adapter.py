"""The KGS adapter for role `board`: plays a game on a demonstration board of its own, whose moves are typed in chat.

Everything is in the board's own tree, so that a game can be derived anew from it: the players are its PLAYERNAMEs, the
moves are nodes as `demonstration_base.py` makes them, the end is its RESULT.
"""

from collections.abc import Callable

from gtp_variants.bridge.core import chat_commands
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import (
    ADJOURNED,
    AT_ONCE,
    OVER,
    PLAYING,
    Abilities,
    Challenge,
    ChatLine,
    DeclineReason,
    DrawnMove,
    ServerEvent,
    ServerGame,
    ServerMove,
    Terms,
)
from gtp_variants.bridge.core.state_store import StateStore
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.client import KgsNews
from gtp_variants.bridge.kgs.demonstration_base import KgsDemonstration, event, move_events, player_names
from gtp_variants.bridge.kgs.game_tree import ROOT, KgsGame, KgsNode
from gtp_variants.bridge.kgs.values import same_name, vertex_of
from gtp_variants.lang import say
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK


class KgsBoard(KgsDemonstration):
    """A login at KGS that owns a demonstration board."""

    abilities = Abilities(chat=True, undo=AT_ONCE, challenges=True, edits=True)

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._store = StateStore(config.outputs.folder / "games")
        # Who asked to play on the board, on which side and in which language.
        self._guest = ("", BLACK, "")

    # -- the board -----------------------------------------------------------------------------------------------------

    def _finish_login(self) -> None:
        """Go back to the board that was drawn last, if there was a game on it; else open a new one."""
        self._is_settled = True
        stamps = [name.removeprefix(f"{self._config.name}-") for name in self._store]
        for stamp in stamps:
            self._client.post("JOIN_GAME_BY_ID", timestamp=stamp)
        self._client.fence(lambda: self._load(stamps))

    def _load(self, stamps: list[str]) -> None:
        if self._board is None and stamps and self._room is not None:
            self._client.to(self._room, "ROOM_LOAD_GAME", timestamp=stamps[-1])
        self._client.fence(self._offer)

    def _offer(self) -> None:
        if self._is_settled:
            rules, chat = parse(self._config.spec), self._config.chat
            text = self._config.offer.text or say("bridge.offer_board", chat.lang, title=rules.title)
            self._open_board(rules.board.width, text)

    def _is_ours(self, game: KgsGame) -> bool:
        return self._owns(game) and len(_names(game)) == 2

    def _state(self, game: KgsGame, is_left: bool) -> ServerGame:
        names, moves = _names(game), _moves(game)
        colour = next(each for each, name in names.items() if same_name(name, self._client.me))
        result = "".join(str(prop.get("text", "")) for prop in game.tree.nodes[ROOT].all("RESULT"))
        phase = OVER if result else ADJOURNED if is_left else PLAYING
        return ServerGame(
            self._key(game),
            game.size,
            colour,
            names,
            moves,
            phase=phase,
            awaits_move=phase == PLAYING and _to_play(game) == colour,
            result=result,
            langs={self._guest[0]: self._guest[2]} if self._guest[2] and self._guest[0] in names.values() else {},
        )

    # -- what happens --------------------------------------------------------------------------------------------------

    def _begin_at_board(self, game: KgsGame) -> None:
        if not _names(game):
            self._client.chat(game.channel, say("bridge.board_help", self._config.chat.lang, title=self._title))

    @property
    def _title(self) -> str:
        return parse(self._config.spec).title

    def _read_chat(self, news: KgsNews) -> list[ServerEvent]:
        if news.game is None:
            return super()._read_chat(news)
        names, happened = _names(news.game), list[ServerEvent]()
        for chat in news.chats:
            found = chat_commands.command_of(chat.text, chat_commands.AT_BOARD)
            if any(same_name(chat.user, name) for name in names.values()):
                happened.append(ChatLine(chat.user, chat.text, self._key(news.game)))
            elif not names and found is not None and found[0] in values.COLOURS:
                theirs = values.COLOURS[found[0]]
                self._guest = chat.user, theirs, found[1] or ""
                happened.append(Challenge(chat.user, Terms(news.game.size, TimeControl(), 3 - theirs)))
        return happened

    async def accept(self, challenge: Challenge) -> None:
        """The guest sits down: both names go onto the board."""
        guest, theirs, _ = self._guest
        if guest == challenge.user and self._board is not None:
            self._change(self._board, player_names({theirs: guest, 3 - theirs: self._client.me}))

    async def decline(self, user: str, reason: DeclineReason | None = None) -> None:
        """Only tell why: whoever may not play stays."""
        if reason is not None and reason.text:
            await self.tell(user, reason.text)

    # -- what we do ----------------------------------------------------------------------------------------------------

    async def draw(self, game: ServerGame, drawn: DrawnMove) -> None:
        channel = self._channel(game)
        tree = self._client.games[channel].tree
        self._change(channel, move_events(drawn, game.size, tree.active, tree.next_number()))

    async def undo(self, game: ServerGame) -> None:
        """Back to before the opponent's last move; what came after stays in the tree, beside the game."""
        channel = self._channel(game)
        kgs = self._client.games[channel]
        path = kgs.tree.path()
        moves = _moves(kgs)
        count = max((number for number, (colour, _) in enumerate(moves) if colour != game.colour), default=None)
        if count is not None:
            target = [node for node in path if node.all("SETWHOSEMOVE")][count].parent
            assert target is not None
            self._change(channel, [event("ACTIVATED", target, prevNodeId=kgs.tree.active)])

    async def conclude(self, game: ServerGame, result: str) -> None:
        self._save(self._channel(game), result)

    async def resign(self, game: ServerGame) -> None:
        await self.conclude(game, f"{'W' if game.colour == BLACK else 'B'}+R")


def _names(game: KgsGame) -> dict[int, str]:
    """The players by colour, as the board names them."""
    return {
        values.COLOURS[str(prop["color"])]: str(prop.get("text", ""))
        for prop in game.tree.nodes[ROOT].all("PLAYERNAME")
        if prop.get("color") in values.COLOURS
    }


def _turn_after(node: KgsNode) -> int | None:
    """Whose turn a node says it is."""
    return next((values.COLOURS.get(str(prop.get("color"))) for prop in node.all("SETWHOSEMOVE")), None)


def _moves(game: KgsGame) -> tuple[ServerMove, ...]:
    """The moves that were drawn, on the way to where the board stands."""
    found: list[ServerMove] = []
    for node in game.tree.path():
        following = _turn_after(node)
        if following is not None:
            circles = node.all("CIRCLE")
            found.append((3 - following, vertex_of(circles[0]["loc"], game.size) if circles else values.PASS))
    return tuple(found)


def _to_play(game: KgsGame) -> int:
    return next((turn for turn in map(_turn_after, reversed(game.tree.path())) if turn is not None), BLACK)
