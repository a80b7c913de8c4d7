"""The OGS adapters for the roles `board` and `private`. roles.toml explains the demonstration boards that both use.

Role `board` plays on a demonstration board of its own; people type their moves in its chat. Role `private` referees
games of hidden stones by private messages. As there is no room, everybody who writes to us counts as present until the
server reports them offline. It is a guess that a bot may write private messages; some years ago bots could not.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.chat import AT_BOARD, command_of
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.ogs import challenges, values
from gtp_variants.bridge.ogs.adapter import Ogs
from gtp_variants.bridge.ogs.challenges import OgsChallenge
from gtp_variants.bridge.ogs.transport import OgsNews
from gtp_variants.errors import PeerGone
from gtp_variants.lang import load, say
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE

# A stone with its colour, or a pass; then the points that the move empties.
_MOVE = re.compile(r"(?:!([12])([a-y]{2})|(\.\.))((?:!0[a-y]{2})*)")
_LINE = re.compile(r"^(Black|White|Result): (.+)$", re.MULTILINE)
_SIDES = {"Black": BLACK, "White": WHITE}


@dataclass(eq=False, slots=True)
class OgsReview:
    """One demonstration board."""

    id: int
    size: int = 0
    path: str = ""
    names: dict[int, str] = field(default_factory=dict)
    result: str = ""

    def read(self, message: Json) -> None:
        """Process a message that draws or writes text. Other messages do not concern the game."""
        data = message.get("gamedata")
        if isinstance(data, Mapping):
            self.size = int(data["width"])
        if isinstance(message.get("m"), str):
            self.path = message["m"]
        for word, value in _LINE.findall(str(message.get("t") or "")):
            if word in _SIDES:
                self.names[_SIDES[word]] = value
            else:
                self.result = value

    def moves(self) -> tuple[core.ServerMove, ...]:
        found: list[core.ServerMove] = []
        for colour, word, pass_word, _ in _MOVE.findall(self.path):
            last = found[-1][0] if found else WHITE
            vertex = values.vertex_of(word or pass_word, self.size, self.size)
            found.append((int(colour) if colour else 3 - last, vertex))
        return tuple(found)

    def path_with(self, drawn: core.DrawnMove) -> str:
        """Return the drawing of all moves, with another move added."""
        word = values.word_of(drawn.vertex, self.size)
        if drawn.vertex == values.PASS:
            return self.path + word
        gone = [*drawn.gone, *([] if drawn.stands else [drawn.vertex])]
        return f"{self.path}!{drawn.colour}{word}" + "".join(f"!0{values.word_of(each, self.size)}" for each in gone)


_DEMO: Json = load(Path(__file__).with_suffix(".toml"))["demo"]
_DRAWN = "(drawn)"
_TRY_AGAIN_S = 60.0


class OgsDemonstration(Ogs):
    """A login at OGS that shows games on demonstration boards, and accepts no challenges."""

    async def _begin(self) -> None:
        await self._line.send("bot/config", challenges.bot_config(self._config, self._people.me, declines=True))

    async def _ask_for_board(self, name: str, size: int, names: Mapping[int, str]) -> int:
        """Return the number of a new board. Raises PeerGone, or an `UNREADABLE` error if the server refuses it."""
        players = {f"{side}_name": names.get(colour, side.capitalize()) for side, colour in values.COLOURS.items()}
        fields = {**_DEMO, "name": name, "width": size, "height": size, **players}
        return int((await self._line.post("/api/v1/demos", fields))["id"])

    def _write(self, review: OgsReview, text: str) -> None:
        fields: Json = {"review_id": review.id, "from": 0, "moves": review.path, "body": text}
        self._line.chat(review.id, "review/chat", fields, "body")


class OgsBoard(OgsDemonstration):
    """A login at OGS that owns a demonstration board."""

    abilities = core.Abilities(chat=True, undo=core.AT_ONCE, challenges=True, edits=True)

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._reviews: dict[int, OgsReview] = {}
        # The board in use.
        self._board: OgsReview | None = None
        # The user who asked to play on the board, their colour and language.
        self._guest = ("", BLACK, "")

    async def _begin(self) -> None:
        """Return to the board of the last game, if a game is stored; otherwise open a new board."""
        await super()._begin()
        numbers = self._stored_numbers()
        for number in numbers:
            await self._connect(number)
        if not numbers:
            await self._open()

    async def _connect(self, number: int) -> None:
        self._board = self._reviews.setdefault(number, OgsReview(number))
        await self._line.send("review/connect", {"review_id": number})

    async def _open(self) -> None:
        rules, chat = parse(self._config.spec), self._config.chat
        name = self._config.offer.text or say("bridge.offer_board", chat.lang, title=rules.title)
        try:
            await self._connect(await self._ask_for_board(name, rules.board.width, {}))
        except core.UNREADABLE as error:
            self._log(f"cannot open a board: {error!r}")
            self._background.timers.set("open", _TRY_AGAIN_S, self._open)
            return
        assert self._board is not None
        self._write(self._board, say("bridge.board_help", chat.lang, title=rules.title))

    async def _append(self, review: OgsReview, **fields: object) -> None:
        message: Json = {"f": 0, "m": review.path, **fields}
        await self._line.send("review/append", {"review_id": review.id, **message})
        review.read(message)
        self._arrived.put_nowait(OgsNews(_DRAWN, review.id))

    async def _read(self, news: OgsNews) -> list[core.ServerEvent]:
        if news.event == _DRAWN:
            return self._state_of(self._reviews[cast(int, news.data)])
        match news.event.split("/"):
            case ["review", number, kind] if number.isdecimal() and int(number) in self._reviews:
                return await self._read_review(self._reviews[int(number)], kind, news.data)
        return await super()._read(news)

    async def _read_review(self, review: OgsReview, kind: str, data: object) -> list[core.ServerEvent]:
        if kind == "full_state" and isinstance(data, list):
            for message in data:
                review.read(message)
            return self._state_of(review)
        chat = data.get("chat") if kind == "r" and isinstance(data, dict) else None
        if not isinstance(chat, dict) or chat.get("player_id") == self._people.me:
            return []
        if chat.get("chat_id") in self._chat_ids:
            return []
        self._chat_ids.add(str(chat.get("chat_id")))
        user, text = str(chat.get("username") or chat["player_id"]), str(chat.get("body") or "")
        found = command_of(text, AT_BOARD)
        if user in review.names.values():
            return [core.ChatLine(user, text, self._games.key(review.id))]
        if not review.names and found is not None and found[0] in values.COLOURS:
            theirs = values.COLOURS[found[0]]
            self._guest = user, theirs, found[1] or ""
            return [core.Challenge(user, core.Terms(review.size, TimeControl(), 3 - theirs))]
        return []

    def _state_of(self, review: OgsReview) -> list[core.ServerEvent]:
        if len(review.names) < 2 or not review.size:
            return []
        key, me = self._games.key(review.id), self._config.server.account
        state = core.state_of_board(key, review.size, me, review.names, review.moves(), self._guest)
        if review.result:
            state = replace(state, phase=core.OVER, awaits_move=False, result=review.result)
        return [state]

    def _read_proposal(self, proposal: OgsChallenge) -> list[core.ServerEvent]:
        text = say("bridge.offer_board", self._challenges.lang_of(proposal), title=parse(self._config.spec).title)
        self._challenges.refuse(proposal, "bridge.leaving", text)
        return []

    def _review(self, game: core.ServerGame) -> OgsReview:
        """Return the board of a game. Raises PeerGone if the server has not sent it on this connection."""
        for each in self._reviews.values():
            if self._games.key(each.id) == game.key and each.size:
                return each
        raise PeerGone(f"{game.key}: the server has not sent this board")

    async def accept(self, challenge: core.Challenge) -> None:
        """Write both names beside the board."""
        guest, theirs, _ = self._guest
        if guest == challenge.user and self._board is not None:
            names = {theirs: guest, 3 - theirs: self._config.server.account}
            await self._append(self._board, t="\n".join(f"{word}: {names[each]}" for word, each in _SIDES.items()))

    async def decline(self, user: str, reason: core.DeclineReason | None = None) -> None:
        if reason is not None and reason.text:
            await self.tell(user, reason.text)

    async def draw(self, game: core.ServerGame, move: core.DrawnMove) -> None:
        review = self._review(game)
        mark = {} if move.vertex == values.PASS else {"triangle": values.word_of(move.vertex, review.size)}
        await self._append(review, m=review.path_with(move), k=mark)

    async def undo(self, game: core.ServerGame) -> None:
        """Go back to before the opponent's last move."""
        review = self._review(game)
        theirs = [number for number, (colour, _) in enumerate(review.moves()) if colour != game.colour]
        if theirs:
            before = list(_MOVE.finditer(review.path))[: theirs[-1]]
            await self._append(review, m="".join(move[0] for move in before))

    async def conclude(self, game: core.ServerGame, result: str) -> None:
        await self._append(self._review(game), t=f"Result: {result}")

    async def resign(self, game: core.ServerGame) -> None:
        await self.conclude(game, f"{'W' if game.colour == BLACK else 'B'}+R")

    async def ready(self, game: core.ServerGame) -> None:
        review = self._review(game)
        del self._reviews[review.id]
        # Let the last messages about this board be sent before another is opened.
        await asyncio.sleep(0)
        await self._open()

    async def say(self, game: core.ServerGame, text: str) -> None:
        self._write(self._review(game), text)

    async def tell(self, user: str, text: str) -> None:
        if self._board is not None:
            self._write(self._board, f"{user}: {text}")


class OgsPrivate(OgsDemonstration):
    """A login at OGS that referees by private messages."""

    abilities = core.Abilities(chat=True, challenges=True, edits=True)

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._here: set[str] = set()

    async def _begin(self) -> None:
        """Ask the server whether the players of stored games are online."""
        await super()._begin()
        stored = [self._store.load(key) for key in self._store]
        for user in sorted({name for game in stored if game is not None for name, _ in game.langs}):
            try:
                self._people.ids[user] = int((await self._line.find_player(user))["id"])
            except core.UNREADABLE as error:
                self._log(f"cannot find {user}: {error!r}")
                continue
            await self._watch_presence(user)

    async def _watch_presence(self, user: str) -> None:
        await self._line.send("user/monitor", {"user_ids": [self._people.ids[user]]})

    async def _read(self, news: OgsNews) -> list[core.ServerEvent]:
        data = news.data
        if news.event == "private-message" and isinstance(data, dict):
            said = self._read_private_message(data)
            user = str(data["from"]["username"])
            if said and user not in self._here:
                self._here.add(user)
                await self._watch_presence(user)
                return [core.RoomPresence(frozenset(self._here)), *said]
            return list(said)
        if news.event == "user/state" and isinstance(data, dict):
            return self._read_presence(data)
        return await super()._read(news)

    def _read_presence(self, data: Json) -> list[core.ServerEvent]:
        names = {number: name for name, number in self._people.ids.items() if number != self._people.me}
        before = set(self._here)
        for number, is_online in data.items():
            name = names.get(int(number))
            if name is not None:
                (self._here.add if is_online else self._here.discard)(name)
        return [core.RoomPresence(frozenset(self._here))] if self._here != before else []

    def _read_proposal(self, proposal: OgsChallenge) -> list[core.ServerEvent]:
        """Refuse a challenge, because the server's own boards cannot hide stones."""
        text = say("bridge.lobby_help", self._challenges.lang_of(proposal))
        self._challenges.refuse(proposal, "bridge.leaving", text)
        return []

    async def publish(self, game: core.ServerGame, text: str, moves: Sequence[core.DrawnMove]) -> None:
        """Show a finished game on a demonstration board, with the text in its chat."""
        self._background.start(self._show(game, text, moves))

    async def _show(self, game: core.ServerGame, text: str, moves: Sequence[core.DrawnMove]) -> None:
        try:
            review = OgsReview(await self._ask_for_board(text, game.size, game.players), game.size)
        except (PeerGone, *core.UNREADABLE) as error:
            self._log(f"cannot show the game: {error!r}")
            return
        for move in moves:
            review.path = review.path_with(move)
        await self._line.send("review/connect", {"review_id": review.id})
        message: Json = {"review_id": review.id, "f": 0, "m": review.path, "t": f"Result: {game.result}"}
        await self._line.send("review/append", message)
        # The text belongs to the empty board, where the moves begin.
        self._write(OgsReview(review.id), text)

    async def ready(self, game: core.ServerGame) -> None:
        """Do nothing: private games are not on the server."""
