"""People who play in a browser: the line protocol over a WebSocket, with the state of the board.

The browser sends JSON objects: first {"name", "password", "games"}, then {"line"}, with lines as from
a bot. It receives {"line"}, and the {"board"} and {"state"} of its game in progress as its seat knows them. The state
is null without a game.
"""

import asyncio
import time
from collections import deque
from contextlib import suppress
from functools import lru_cache, partial

from starlette.websockets import WebSocket, WebSocketDisconnect

from gtp_variants.base.connection_gate import Arrival, Gate, TokenBucket
from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.errors import Refused
from gtp_variants.players.table import legal_actions
from gtp_variants.records.drawing.svg import stage
from gtp_variants.records.state import describe_for_seat
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.site.access.accounts import PERSON
from gtp_variants.site.http import find_address, find_network
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import Guest, LoginStage
from gtp_variants.site.lobby.lobby import Lobby

_LOGIN_S = 20.0
_LINES_AT_ONCE, _LINES_A_SECOND = 20.0, 4.0
# Maximum unsent lines for a browser that does not read.
_MOST_WAITING = 2000
_REMEMBERED = 64
_LAST_WORDS_S = 2.0


class PersonLine:
    """The connection of one person's browser."""

    def __init__(self, lobby: Lobby, gate: Gate, socket: WebSocket) -> None:
        self._lobby = lobby
        self._gate = gate
        self._socket = socket
        self._guest = Guest(
            self._say,
            self._hang_up,
            find_address(socket),
            find_network(socket),
            kind=PERSON,
            is_told=True,
            refresh=self._show,
        )
        # A browser needs no greeting: its first message has the name and the password.
        self._guest.program, self._guest.stage = "page", LoginStage.NAME
        self._arrival = Arrival(self._guest.network, partial(lobby.displace, self._guest))
        self._lines: deque[str] = deque()
        self._has_news = asyncio.Event()
        self._is_stale = self._is_closing = False
        self._patience: asyncio.Timeout | None = None
        self._allowed = TokenBucket(_LINES_AT_ONCE, _LINES_A_SECOND, time.monotonic())

    async def serve(self) -> None:
        """Serve the connection until either side closes it."""
        self._gate.enter(self._arrival)
        try:
            await self._socket.accept()
            await self._serve()
        finally:
            self._gate.leave(self._arrival)

    async def _serve(self) -> None:
        self._lobby.enter(self._guest)
        writing = asyncio.create_task(self._write())
        try:
            async with asyncio.timeout(None) as self._patience:
                await self._log_in()
                while True:
                    said = await self._read()
                    if not self._allowed.take(time.monotonic()):
                        raise Refused("line", "too many lines")
                    self._lobby.receive(self._guest, str(said.get("line", ""))[:200])
                    # No line reports a seat's own move to it, but its board has changed.
                    self._show()
        except Refused as error:
            if not self._guest.is_in:
                self._gate.note_fault(self._guest.network)
            self._lobby.send_away(self._guest, error.answer)
        except (WebSocketDisconnect, RuntimeError, ValueError, KeyError, TimeoutError):
            pass
        finally:
            self._lobby.leave(self._guest)
            self._hang_up()
            await asyncio.wait([writing], timeout=_LAST_WORDS_S)
            writing.cancel()

    async def _log_in(self) -> None:
        async with asyncio.timeout(_LOGIN_S):
            said = await self._read()
        self._arrival.is_busy = True
        guest = self._guest
        games = said.get("games")
        wanted = GAMES if not isinstance(games, list) else [str(game) for game in games]
        guest.games = frozenset(GAMES).intersection(wanted)
        self._lobby.receive(guest, str(said.get("name", ""))[:40])
        guest.stage = LoginStage.CHECKING
        password = str(said.get("password", ""))
        # A second word would be taken for a new password.
        if len(password.split()) > 1:
            raise Refused("password", "expected a password without blanks")
        await self._lobby.log_in(guest, password[:140])
        self._gate.leave(self._arrival)
        # The game of a player who reconnects may be over by now.
        self._show()

    async def _read(self) -> Json:
        return parse_object(await self._socket.receive_text())

    def _say(self, line: str) -> None:
        """Queue a line as a bot would get it, and note whether it changes the board."""
        if len(self._lines) > _MOST_WAITING:
            self._hang_up()
            return
        # Only programs read records.
        if not line.startswith("record"):
            self._lines.append(line)
        self._is_stale |= line.startswith(("setup", "play", "hear", "genmove", "gameover"))
        self._has_news.set()

    def _show(self) -> None:
        """Mark the board as changed, so that its state is sent soon."""
        self._is_stale = True
        self._has_news.set()

    def _hang_up(self) -> None:
        if self._patience is not None and not self._is_closing:
            # A browser that does not read never notices the end: do not wait for it long.
            with suppress(RuntimeError):
                self._patience.reschedule(asyncio.get_running_loop().time() + _LAST_WORDS_S)
        self._is_closing = True
        self._has_news.set()

    async def _write(self) -> None:
        spec = ""
        try:
            while not self._is_closing or self._lines:
                await self._has_news.wait()
                self._has_news.clear()
                while self._lines:
                    await self._socket.send_json({"line": self._lines.popleft()})
                # Only the latest state matters.
                game = self._guest.game
                if not self._is_stale:
                    continue
                self._is_stale = False
                if game is None:
                    await self._socket.send_json({"state": None})
                    continue
                if game.rules.spec != spec:
                    spec = game.rules.spec
                    await self._socket.send_json({"board": describe_board(spec)})
                await self._socket.send_json({"state": describe_seat(game, self._guest.name)})
            await self._socket.close()
        except (RuntimeError, WebSocketDisconnect):
            # The browser is gone, as the reading task will notice.
            return


@lru_cache(_REMEMBERED)
def describe_board(spec: str) -> Json:
    """Return the picture of the empty board, and the places of its points in the picture."""
    rules = parse(spec)
    empty = stage(rules)
    places = dict(zip(rules.board.vertices, empty.places, strict=True))
    return {"spec": spec, "svg": f"{empty.opening}</svg>", "places": places, "radius": empty.radius}


def describe_seat(game: AccountGame, name: str) -> Json:
    """Return the state of a game, as far as an account's seat may know it."""
    table, clocks, colour = game.hosted.table, game.hosted.clocks, game.colour(name)
    view = table.view(colour)
    state = describe_for_seat(table.game, view, legal_actions(table, colour))
    asked, tried = game.asked, game.rules.board.vertices_of(view.tried)
    return {
        **state,
        # A try refused in this turn would be refused again.
        "legal": [word for word in state["legal"] if word not in tried],
        "tried": tried,
        "me": COLOUR_LETTERS[colour],
        "asked": None if asked is None else COLOUR_LETTERS[asked],
        "names": {COLOUR_LETTERS[seat]: each for seat, each in game.names.items()},
        "left_s": {COLOUR_LETTERS[seat]: clocks.clock(seat).left_s for seat in game.names},
        "free_s": clocks.free_left_s,
        # During the pause before the first move the clocks are stopped, and nobody may move.
        "running": clocks.is_started,
        "ended": game.result,
        "why": game.hosted.why,
    }
