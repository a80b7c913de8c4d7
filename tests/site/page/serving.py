"""A page server in its own process or thread, and clients that behave as browsers do."""

import asyncio
import json
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websockets.sync.client import ClientConnection, connect

from gtp_variants.base.connection_gate import ConnectionLimits, Gate
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.game import Game
from gtp_variants.site.access.visitors import OwnerAddress
from gtp_variants.site.http import open_port
from gtp_variants.site.lobby.application import SitePort
from gtp_variants.site.lobby.guests import LobbySettings
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.page.guard import AccessPolicy
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.page_games import PageGames
from gtp_variants.site.page.seat_locks import SeatLock
from gtp_variants.site.site_file import SiteStore
from tests.support.programs import COMMAND

CHECKOUT = Path(__file__).resolve().parents[3]
PATIENCE_S = 60.0
KEY = "the-key-of-publishers"

Json = dict[str, Any]


@dataclass
class Answer:
    """The server's answer to a request."""

    status: int
    headers: Any
    body: bytes

    @property
    def cookie(self) -> str:
        """The cookie of a new visitor."""
        return str(self.headers.get("set-cookie", "")).partition(";")[0]

    @property
    def json(self) -> Any:
        """Return the JSON of the body, to which `seats` adds a cookie and a letter for each seat of the creator."""
        told = json.loads(self.body)
        if isinstance(told, dict) and "mine" in told:
            told["seats"] = {letter: f"{self.cookie}|{letter}" for letter in told["mine"]}
        return told


@dataclass
class Site:
    """A server that runs."""

    port: int
    games: PageGames | None = None
    loops: list[asyncio.AbstractEventLoop] = field(default_factory=list)
    # The first line that a process of its own printed.
    greeting: str = ""
    # The address for the user of this computer, if it has one.
    owner: OwnerAddress | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of a server in a thread."""
        return self.loops[0]

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, body: object = None, method: str = "", **headers: str) -> Answer:
        """Send a request; a body other than bytes is sent as JSON."""
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"content-type": "application/json"} if data is not None and not isinstance(body, bytes) else {}
        request = urllib.request.Request(self.base + path, data, {**kind, **headers}, method=method or None)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())

    def begin(self, spec: str, **more: Any) -> tuple[str, dict[str, str]]:
        """A new game: its name, and how a visitor sits at each of its seats, another one at each."""
        answer = self.ask("/api/games", {"spec": spec, **more})
        assert answer.status == 201, answer.body
        name, seats = answer.json["game"], answer.json["seats"]
        if self.games is not None:
            game = self.games.store.replay(name)
            for letter in [each for each in seats if each in COLOUR_WORDS][1:]:
                seats[letter] = f"{self.ask('/').cookie}|{letter}"
                owner = visitor_of(seats[letter])
                game.locks[COLOUR_WORDS[letter]] = SeatLock(owner)
            self.games.store.write_locks(name, game.locks)
        return name, seats

    def show(self, game: Game) -> str:
        """A game opened from its record, to be looked at; its name."""
        answer = self.ask("/api/records", to_sgf(Record(game)).encode())
        assert answer.status == 201, answer.body
        return str(answer.json["game"])

    @contextmanager
    def sit(self, game: str, seat: str | None = None, **headers: str) -> Iterator["Client"]:
        """A connection to a game, joined."""
        cookie, first = at_seat(game, seat)
        with self.dial(**{**headers, **cookie}) as line:
            line.send(json.dumps(first))
            yield Client(line)

    @contextmanager
    def dial(self, path: str = "/api/socket", **headers: str) -> Iterator[ClientConnection]:
        """A connection that has said nothing yet."""
        with connect(
            f"ws://127.0.0.1:{self.port}{path}",
            additional_headers=headers,
            open_timeout=PATIENCE_S,
            close_timeout=0.5,
            proxy=None,
        ) as line:
            yield line


def at_seat(game: str, seat: str | None, **more: str) -> tuple[dict[str, str], Json]:
    """The headers and the first message of who sits down at a seat of `begin`, or by the token of an old link."""
    cookie, _, letter = (seat or "").rpartition("|")
    first = {"join": game, "as": letter} if cookie else {"join": game, "seat": seat}
    return ({"Cookie": cookie} if cookie else {}), first | more


def visitor_of(cookie: str) -> str:
    """The visitor that a cookie names."""
    return cookie.partition("=")[2].partition(":")[0]


class Client:
    """One seat's end of a connection, which keeps all that came."""

    def __init__(self, line: ClientConnection) -> None:
        self.line = line
        self.came: list[str] = []
        self.whole: Json = {}
        self.state: Json = {}
        self.news: list[Json] = []
        self.take()

    def take(self) -> Json:
        """The next message."""
        text = self.line.recv(timeout=PATIENCE_S)
        assert isinstance(text, str)
        self.came.append(text)
        message: Json = json.loads(text)
        if message["type"] == "game":
            self.whole, self.news = message, list(message["news"])
        elif message["type"] == "news":
            self.news += message["news"]
        self.state = message.get("state", self.state)
        return message

    def until(self, key: str, value: object) -> Json:
        """Take messages until the state says so."""
        while self.state.get(key) != value:
            self.take()
        return self.state

    def take_one(self, kind: str) -> Json:
        """The next message of a kind, whatever comes before it."""
        while (message := self.take())["type"] != kind:
            pass
        return message

    def drain(self, most: int = 50) -> None:
        """Take messages until the connection ends; raises ConnectionClosed when it does."""
        for _ in range(most):
            self.take()

    def do(self, what: str, **more: Any) -> None:
        """Send a word."""
        self.line.send(json.dumps({"do": what, **more}))

    def refused(self, what: str, **more: Any) -> str:
        """Send a word that is refused; why."""
        self.do(what, **more)
        return str(self.take_one("error")["error"])


@contextmanager
def site(
    store: Path | None = None,
    limits: PageLimits | None = None,
    token: str | None = None,
    opponents: Opponents | None = None,
    has_owner: bool = False,
    names: frozenset[str] = frozenset({"localhost"}),
) -> Iterator[Site]:
    """A server in a thread."""
    with TemporaryDirectory() as spare, open_port("127.0.0.1", 0) as listening:
        path = store or Path(spare) / "games.sqlite3"
        kept, folder = SiteStore(path), path.with_name("files")
        folder.mkdir(exist_ok=True)
        running, is_up, end = Site(listening.getsockname()[1]), threading.Event(), asyncio.Event()

        async def serve() -> None:
            settings = LobbySettings(("go:size=5",))
            lobby = Lobby(settings, kept, folder, print, opponents=opponents, limits=limits or PageLimits(pause_s=0.0))
            if has_owner:
                running.owner = OwnerAddress(kept.accounts.find_owner(), "", folder / "owner-address")
            access = AccessPolicy(names, token, KEY, running.owner)
            served = SitePort(lobby, folder, Gate(ConnectionLimits()), listening, access=access)
            running.games = lobby.games
            running.loops.append(asyncio.get_running_loop())
            is_up.set()
            await end.wait()
            await served.close()
            lobby.close()

        thread = threading.Thread(target=asyncio.run, args=[serve()])
        thread.start()
        try:
            assert is_up.wait(PATIENCE_S)
            yield running
        finally:
            running.loop.call_soon_threadsafe(end.set)
            thread.join(PATIENCE_S)
            kept.close()
        assert not thread.is_alive()


@contextmanager
def process(store: Path, *arguments: str) -> Iterator[tuple[Site, "subprocess.Popen[str]"]]:
    """Run the command `serve` as a process."""
    python_path = os.pathsep.join([str(CHECKOUT), os.environ.get("PYTHONPATH", "")])
    command = [*COMMAND, "serve", "--port", "0", "--store", str(store), *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": python_path}
    ) as child:
        assert child.stdout is not None
        try:
            first = child.stdout.readline()
            port = int(first.partition("127.0.0.1:")[2].partition("/")[0])
            _await_listening(port)
            yield Site(port, greeting=first), child
        finally:
            child.kill()


def _await_listening(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError("the server does not listen")
