"""The KGS adapters for the roles `board`, `private` and `referee`.

Role `board` plays on a demonstration board of its own; people type their moves in its chat. A move is a node with a
CIRCLE on the placed stone (none for a pass) and SETWHOSEMOVE for the next turn. Captured stones are drawn as empty
points; MOVE is never used, because it would capture as in Go. PLAYERNAME and RESULT give the players and the result,
so that the whole game can be read from the board.

Role `private` referees games of hidden stones by private messages. It shows a finished game on a demonstration board in
the room, until the next game is over.

Role `referee` watches games of two people in a room and throws the dice for them: in games whose players ask for it, or
in all free games of the room. After a login it returns to the games that it refereed before.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.chat import AT_BOARD, command_of
from gtp_variants.bridge.core.config import ROOM, BridgeConfig
from gtp_variants.bridge.core.state_store import StateStore
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.adapter import Kgs
from gtp_variants.bridge.kgs.client import KgsNews
from gtp_variants.bridge.kgs.values import LONGEST_OFFER, ROOT, KgsGame, loc_of, name_of, vertex_of
from gtp_variants.lang import say
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK

_OWNER, _KIND = "owner", "demonstration"
_ADDED = "PROP_ADDED"
Events = list[Json]


class KgsDemonstration(Kgs, ABC):
    """A login at KGS that owns at most one demonstration board at a time."""

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._board: int | None = None
        self._is_asked = False

    def _open_board(self, size: int, text: str) -> None:
        """Ask for a board in our room, unless we have one or have asked already."""
        if self._board is not None or self._is_asked or self._room is None:
            return
        self._is_asked = True
        rules = {"size": size, "rules": "chinese", "komi": 0.5, "timeSystem": "none"}
        players = [{"role": _OWNER, "name": self._client.me}]
        proposal = {"gameType": _KIND, "nigiri": False, "rules": rules, "players": players}
        fields: Json = {"callbackKey": self._client.next_key(), "global": True, "text": text[:LONGEST_OFFER]}
        self._client.to(self._room, "CHALLENGE_CREATE", **fields, proposal=proposal)

    def _owns(self, game: KgsGame) -> bool:
        return game.kind == _KIND and core.same_name(game.players.get(_OWNER, ""), self._client.me)

    async def _read(self, news: KgsNews) -> list[core.ServerEvent]:
        game = news.game
        if news.kind in ("CHALLENGE_NOT_CREATED", "CANT_PLAY_TWICE"):
            self._is_asked = False
        elif news.kind == "GAME_JOIN" and game is not None and self._owns(game):
            self._board, self._is_asked = game.channel, False
            self._begin_at_board(game)
        elif news.kind in ("UNJOIN", "CLOSE") and news.channel == self._board:
            self._board = None
            self._offer()
        return await super()._read(news)

    @abstractmethod
    def _begin_at_board(self, game: KgsGame) -> None:
        """Begin a game on our demonstration board."""

    def _change(self, channel: int, events: Events) -> None:
        self._client.to(channel, "KGS_SGF_CHANGE", sgfEvents=events)

    def _save(self, channel: int, result: str) -> None:
        """Write the result on the board, and let the server keep the game."""
        self._change(channel, [event(_ADDED, ROOT, prop={"name": "RESULT", "text": result})])
        self._client.to(channel, "GAME_LIST_ENTRY_SET_FLAGS", saved=True)


def event(kind: str, node: int, **fields: object) -> Json:
    """Return an event that changes a board's tree."""
    return {"type": kind, "nodeId": node, **fields}


def player_names(names: Mapping[int, str]) -> Events:
    """Return the events that write the players' names on a board."""
    props = [{"name": "PLAYERNAME", "color": values.ROLES[each], "text": names[each]} for each in names]
    return [event(_ADDED, ROOT, prop=prop) for prop in props]


def move_events(drawn: core.DrawnMove, size: int, before: int, node: int) -> Events:
    """Return the events that draw a move on a new node after the node `before`."""
    props: list[Json] = []
    if drawn.vertex != values.PASS:
        loc = loc_of(drawn.vertex, size)
        if drawn.stands:
            props.append({"name": "ADDSTONE", "color": values.ROLES[drawn.colour], "loc": loc})
        props += [{"name": "ADDSTONE", "color": "empty", "loc": loc_of(vertex, size)} for vertex in drawn.gone]
        props.append({"name": "CIRCLE", "loc": loc})
    props.append({"name": "SETWHOSEMOVE", "color": values.ROLES[drawn.to_play]})
    new_node = [event("CHILD_ADDED", before, childNodeId=node), event("ACTIVATED", node, prevNodeId=before)]
    return new_node + [event(_ADDED, node, prop=prop) for prop in props]


class KgsBoard(KgsDemonstration):
    """A login at KGS that owns a demonstration board."""

    abilities = core.Abilities(chat=True, undo=core.AT_ONCE, challenges=True, edits=True)

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._store = StateStore(config.outputs.folder / "games")
        # The user who asked to play on the board, their colour and language.
        self._guest = ("", BLACK, "")

    def _finish_login(self) -> None:
        """Return to the board of the last game, if a game is stored; otherwise open a new board."""
        self._challenges.is_settled = True
        stamps = self._store.numbers(self._config.name)
        for stamp in stamps:
            self._client.post("JOIN_GAME_BY_ID", timestamp=stamp)
        self._client.fence(lambda: self._load(stamps))

    def _load(self, stamps: list[str]) -> None:
        if self._board is None and stamps and self._room is not None:
            self._client.to(self._room, "ROOM_LOAD_GAME", timestamp=stamps[-1])
        self._client.fence(self._offer)

    def _offer(self) -> None:
        if self._challenges.is_settled:
            rules, chat = parse(self._config.spec), self._config.chat
            text = self._config.offer.text or say("bridge.offer_board", chat.lang, title=rules.title)
            self._open_board(rules.board.width, text)

    def _is_ours(self, game: KgsGame) -> bool:
        return self._owns(game) and len(_names(game)) == 2

    def _state(self, game: KgsGame, is_left: bool) -> core.ServerGame:
        names, moves = _names(game), _moves(game)
        state = core.state_of_board(self._key(game), game.size, self._client.me, names, moves, self._guest)
        result = "".join(str(prop.get("text", "")) for prop in game.tree.nodes[ROOT].all("RESULT"))
        phase = core.OVER if result else core.ADJOURNED if is_left else core.PLAYING
        return replace(state, phase=phase, awaits_move=state.awaits_move and phase == core.PLAYING, result=result)

    def _begin_at_board(self, game: KgsGame) -> None:
        if not _names(game):
            title = parse(self._config.spec).title
            self._client.chat(game.channel, say("bridge.board_help", self._config.chat.lang, title=title))

    def _read_chat(self, news: KgsNews) -> list[core.ServerEvent]:
        if news.game is None:
            return super()._read_chat(news)
        names, happened = _names(news.game), list[core.ServerEvent]()
        for chat in news.chats:
            found = command_of(chat.text, AT_BOARD)
            if any(core.same_name(chat.user, name) for name in names.values()):
                happened.append(core.ChatLine(chat.user, chat.text, self._key(news.game)))
            elif not names and found is not None and found[0] in values.COLOURS:
                theirs = values.COLOURS[found[0]]
                self._guest = chat.user, theirs, found[1] or ""
                happened.append(core.Challenge(chat.user, core.Terms(news.game.size, TimeControl(), 3 - theirs)))
        return happened

    async def accept(self, challenge: core.Challenge) -> None:
        """Write both names on the board."""
        guest, theirs, _ = self._guest
        if guest == challenge.user and self._board is not None:
            self._change(self._board, player_names({theirs: guest, 3 - theirs: self._client.me}))

    async def draw(self, game: core.ServerGame, drawn: core.DrawnMove) -> None:
        channel = self._channel(game)
        tree = self._client.games[channel].tree
        self._change(channel, move_events(drawn, game.size, tree.active, tree.next_number()))

    async def undo(self, game: core.ServerGame) -> None:
        """Go back to before the opponent's last move; later moves stay in the tree."""
        channel = self._channel(game)
        kgs = self._client.games[channel]
        path = kgs.tree.path()
        moves = _moves(kgs)
        count = max((number for number, (colour, _) in enumerate(moves) if colour != game.colour), default=None)
        if count is not None:
            target = [node for node in path if node.all("SETWHOSEMOVE")][count].parent
            assert target is not None
            self._change(channel, [event("ACTIVATED", target, prevNodeId=kgs.tree.active)])

    async def conclude(self, game: core.ServerGame, result: str) -> None:
        self._save(self._channel(game), result)

    async def resign(self, game: core.ServerGame) -> None:
        await self.conclude(game, f"{'W' if game.colour == BLACK else 'B'}+R")


def _names(game: KgsGame) -> dict[int, str]:
    props = (prop for prop in game.tree.nodes[ROOT].all("PLAYERNAME") if prop.get("color") in values.COLOURS)
    return {values.COLOURS[str(prop["color"])]: str(prop.get("text", "")) for prop in props}


def _moves(game: KgsGame) -> tuple[core.ServerMove, ...]:
    """Return the moves drawn on the path to the active node."""
    found: list[core.ServerMove] = []
    for node in game.tree.path():
        following = next((values.COLOURS.get(str(prop.get("color"))) for prop in node.all("SETWHOSEMOVE")), None)
        if following is not None:
            circles = node.all("CIRCLE")
            found.append((3 - following, vertex_of(circles[0]["loc"], game.size) if circles else values.PASS))
    return tuple(found)


# Maximum number of moves drawn by one message.
_AT_ONCE = 20


class KgsPrivate(KgsDemonstration):
    """A login at KGS that referees by private messages."""

    abilities = core.Abilities(chat=True, challenges=True, edits=True)
    answers_room = True

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        # Finished games that are waiting to be shown, each with its text and its moves.
        self._over: deque[tuple[core.ServerGame, str, Sequence[core.DrawnMove]]] = deque()

    def _finish_login(self) -> None:
        self._challenges.is_settled = True
        self._offer()

    def _load_with(self, user: str) -> None:
        """Do nothing: private games are not on the server."""

    def _is_ours(self, game: KgsGame) -> bool:
        return False

    async def _read(self, news: KgsNews) -> list[core.ServerEvent]:
        happened = await super()._read(news)
        room = self._client.rooms.get(news.channel)
        if news.kind in ("ROOM_JOIN", "USER_ADDED", "USER_REMOVED") and room is not None and news.channel == self._room:
            happened.append(core.RoomPresence(frozenset(room.users), frozenset(room.guests)))
        return happened

    async def publish(self, game: core.ServerGame, text: str, moves: Sequence[core.DrawnMove]) -> None:
        self._over.append((game, text, moves))
        if self._room is not None:
            self._client.chat(self._room, text)
        if self._board is not None:
            self._client.leave(self._board)
        self._offer()

    def _offer(self) -> None:
        if self._over and self._challenges.is_settled:
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


class KgsReferee(Kgs):
    """A login at KGS that referees other people's games."""

    answers_room = True

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._store = StateStore(config.outputs.folder / "games")
        self._watched: set[str] = set()
        self._joining: set[int] = set()
        # Channels of games that we have left and do not join again.
        self._done_with: set[int] = set()

    def _finish_login(self) -> None:
        self._challenges.is_settled = True
        for stamp in self._store.numbers(self._config.name):
            self._client.post("JOIN_GAME_BY_ID", timestamp=stamp)
        self._look()

    def _offer(self) -> None:
        """Do nothing: a referee does not play."""

    async def watch(self, user: str) -> None:
        self._watched.add(user.lower())
        self._done_with.clear()
        self._look()

    def _look(self) -> None:
        """Join the games in the room that we should referee."""
        room = self._client.rooms.get(self._room or 0)
        if room is None or not self._challenges.is_settled:
            return
        for channel, listed in room.games.items():
            names = {role: name_of(user).lower() for role, user in listed.get("players", {}).items()}
            is_wanted = self._config.watch == ROOM or self._watched & set(names.values())
            if (
                set(names) == set(values.COLOURS)
                # Watch only games of this type, which are unrated and have no other referee.
                and listed.get("gameType") == "free"
                and is_wanted
                and channel not in self._joining | self._done_with
                and not self._client.is_in(channel)
            ):
                self._joining.add(channel)
                self._client.join(channel)

    def _is_ours(self, game: KgsGame) -> bool:
        is_mine = any(core.same_name(name, self._client.me) for name in game.players.values())
        return set(game.players) == set(values.COLOURS) and not is_mine

    async def _read(self, news: KgsNews) -> list[core.ServerEvent]:
        happened = await super()._read(news)
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

    def _update_of(self, game: KgsGame, *, is_left: bool) -> list[core.ServerEvent]:
        happened = super()._update_of(game, is_left=is_left)
        if "over" in game.flags:
            self._watched -= {name.lower() for name in game.players.values()}
        return happened

    def _leave_if_empty(self, game: KgsGame) -> None:
        """Leave a game without players: it would stay open because of us and could not be loaded again."""
        here = {user.lower() for user in game.users}
        if not here & {name.lower() for name in game.players.values()} and self._client.is_in(game.channel):
            self._client.leave(game.channel)

    async def adjourn(self, game: core.ServerGame) -> None:
        self._done_with.add(self._channel(game))
        await super().adjourn(game)

    async def resign(self, game: core.ServerGame) -> None:
        """Leave, because a referee cannot resign."""
        await self.adjourn(game)

    def _read_refusal(self, message: Json, why: str) -> list[core.ServerEvent]:
        return []
