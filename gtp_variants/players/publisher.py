"""Publishes games in progress to a server, which shows them on its page. Publishing never delays a game.

A background thread talks to the server, as described in `docs/web.md`. A server writes its address to a file beside
its store, as one line that only the server's own account can read. On another computer people enter it by hand::

    http://127.0.0.1:8361/#publish=KEY
"""

import http.client
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from math import inf
from pathlib import Path
from urllib.parse import quote, urlsplit

from gtp_variants.base.folders import state_folder
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.records.files import write
from gtp_variants.records.record import printable
from gtp_variants.rules.actions import Event
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game

# Seconds between signs of life. A server reports a game as silent after three times this interval.
HEARTBEAT_S = 10.0
# Minimum seconds between two messages about a game, because nobody can follow faster.
PAUSE_S = 0.25
MOST_EVENTS_AT_ONCE = 500
_TIMEOUT_S = 5.0
_FIRST_WAIT_S, _MOST_WAIT_S = 1.0, 15.0
# Maximum number of games kept. Finished games are dropped first.
_MOST_GAMES = 64
_LONGEST_ANSWER, _LONGEST_TEXT = 2000, 200
_UNKNOWN, _BUSY = 409, 429
_KEY = re.compile(r"publish=([A-Za-z0-9_-]{16,200})")
_ADDRESS_EXPECTED = "expected an address such as http://127.0.0.1:8361/#publish=KEY, or a file with such an address"
_LONGEST_ADDRESS = 1000


@dataclass(frozen=True, slots=True)
class Address:
    """A server's `url`, such as http://127.0.0.1:8361, and the `key` that admits publishers."""

    url: str
    key: str

    @property
    def line(self) -> str:
        """The address in its written form."""
        return f"{self.url}/#publish={self.key}"


class Place:
    """The server to publish on, by its address or a file with it, read before each use; by default this user's file."""

    def __init__(self, words: str = "") -> None:
        self._address = None if not words or Path(words).is_file() else parse_address(words)
        try:
            self._file = Path(words) if words else address_file(default_store())
        except NotationError as error:
            raise ConfigError([f"--watch: cannot find this user's server: {error}"]) from None
        if words and self._address is None and self.find() is None:
            raise ConfigError([f"{words[:80]}: {_ADDRESS_EXPECTED}"])

    def find(self) -> Address | None:
        """Return the server's current address, or None if there is no server."""
        if self._address is not None:
            return self._address
        with suppress(OSError, UnicodeDecodeError, ConfigError):
            return parse_address(self._file.read_text(encoding="ascii"))
        return None


def default_store() -> Path:
    """Return the file in which this user's server stores its games. Raises NotationError if there is no home folder."""
    return state_folder() / "web.sqlite3"


def address_file(store: Path) -> Path:
    """Return the file to which the server with this store writes its address."""
    return store.with_name(f"{store.name}.address")


def parse_address(text: str) -> Address:
    """Parse an address line. Raises ConfigError if it is invalid."""
    line = text.strip()
    with suppress(ValueError):
        parts = urlsplit(line) if len(line) < _LONGEST_ADDRESS else urlsplit("")
        key = _KEY.search(parts.fragment)
        if parts.scheme in ("http", "https") and parts.hostname and key and parts.port != 0:
            return Address(f"{parts.scheme}://{parts.netloc}", key[1])
    raise ConfigError([f"{line[:80]}: {_ADDRESS_EXPECTED}"])


def announce(store: Path, url: str) -> Address:
    """Write the server's address to a file beside its store, keeping an earlier key. Raises OSError if that fails."""
    file = address_file(store)
    SECRET_PLACES.add(file.absolute())
    try:
        key = parse_address(file.read_text(encoding="ascii")).key
    except (OSError, UnicodeDecodeError, ConfigError):
        key = secrets.token_urlsafe(24)
    address = Address(url, key)
    write(file, f"{address.line}\n".encode("ascii"), 0o600)
    return address


@dataclass(frozen=True, slots=True)
class Clocks:
    """The seconds left at `at_s` (monotonic), `free_s` more that are not counted, and if the mover's clock `runs`."""

    left_s: Mapping[str, float]
    at_s: float
    runs: bool = True
    free_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Shown:
    """The state of a published game.

    `source` is what the game belongs to, such as a match, and `title` names the game within it. `players` are names by
    colour letter. `setup` consists of pairs of point and colour, and `first` is the colour that plays first after it.
    The `secret` of the dice is None until the end. `result` and `why` are for games not ended by the rules.
    """

    source: str
    title: str
    spec: str
    players: Mapping[str, str]
    events: tuple[Event, ...]
    setup: tuple[tuple[int, int], ...] = ()
    first: int | None = None
    commitment: str | None = None
    secret: str | None = None
    is_over: bool = False
    result: str = ""
    why: str = ""
    clocks: Clocks | None = None

    @classmethod
    def of(
        cls,
        source: str,
        title: str,
        game: Game,
        players: Mapping[int, str],
        commitment: str | None = None,
        secret: bytes | None = None,
        *,
        is_over: bool = False,
        result: str = "",
        why: str = "",
        left_s: Mapping[int, float] | None = None,
        free_s: float = 0.0,
    ) -> "Shown":
        """Return a game's current state, with players and clocks by colour. The secret is left out until the end."""
        names = {COLOUR_LETTERS[colour]: name for colour, name in players.items()}
        spec, events, setup = game.rules.spec, tuple(game.events), tuple(sorted(game.setup.items()))
        told = secret.hex() if secret is not None and is_over else None
        clocks = None
        if left_s is not None:
            shown_s = {COLOUR_LETTERS[colour]: seconds for colour, seconds in left_s.items()}
            clocks = Clocks(shown_s, time.monotonic(), free_s=free_s)
        return cls(
            source, title, spec, names, events, setup, game.first, commitment, told, is_over, result, why, clocks
        )

    @property
    def head(self) -> Json:
        """The values that do not change during the game."""
        return {
            "source": _cut(self.source),
            "title": _cut(self.title),
            "spec": self.spec,
            "players": {letter: _cut(name) for letter, name in self.players.items()},
            "setup": [list(pair) for pair in self.setup],
            "first": self.first,
            "commitment": self.commitment,
        }

    @property
    def end(self) -> Json:
        """The result, its reason and the secret, or {} during the game."""
        return {"result": self.result, "why": _cut(self.why), "secret": self.secret} if self.is_over else {}


@dataclass(slots=True)
class _Line:
    """The state of one game, and the part of it that the server has received."""

    shown: Shown
    name: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    is_begun: bool = False
    has: tuple[Event, ...] = ()
    is_done: bool = False
    # The state that the server refused. It may accept a later state.
    refused: Shown | None = None
    told_s: float = -1e9

    @property
    def due_s(self) -> float:
        """The time at which the next news, or else a sign of life, is due. It is infinite if nothing is to be sent."""
        if self.is_done or self.shown is self.refused:
            return inf
        is_new = not self.is_begun or self.has != self.shown.events or self.shown.is_over
        return self.told_s + (PAUSE_S if is_new else HEARTBEAT_S)


class Publisher:
    """Shows games on the server that `find` returns. `say` receives each message for people only once."""

    def __init__(self, find: Callable[[], Address | None], say: Callable[[str], None]) -> None:
        self._find = find
        self._say = say
        self._lines: dict[str, _Line] = {}
        self._changed = threading.Condition()
        self._is_closing = False
        self._until_s = 0.0
        self._address: Address | None = None
        self._said: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)
        self._thread.start()

    def show(self, key: str, shown: Shown) -> None:
        """Publish a state of the game with this key, in place of its earlier state."""
        with self._changed:
            line = self._lines.get(key)
            if line is None or line.shown.head != shown.head:
                self._lines[key] = _Line(shown)
                over = [key for key, line in self._lines.items() if line.is_done or line.shown.is_over]
                for old in (over + list(self._lines))[: max(0, len(self._lines) - _MOST_GAMES)]:
                    self._lines.pop(old, None)
            elif line.shown != shown:
                line.shown = shown
            self._changed.notify()

    def leave(self, key: str) -> None:
        """Stop publishing an unfinished game, which the page will then report as silent."""
        with self._changed:
            line = self._lines.get(key)
            if line is not None and not line.shown.is_over:
                del self._lines[key]

    def close(self, patience_s: float = 2.0) -> None:
        """Send what has not been sent yet, for at most `patience_s` seconds."""
        with self._changed:
            self._is_closing = True
            self._until_s = time.monotonic() + patience_s
            self._changed.notify()
        self._thread.join(patience_s)

    def _run(self) -> None:
        wait_s = _FIRST_WAIT_S
        while True:
            with self._changed:
                line = min(self._lines.values(), key=lambda each: each.due_s, default=None)
                left_s = HEARTBEAT_S if line is None else line.due_s - time.monotonic()
                if self._is_closing and (line is None or left_s > PAUSE_S or time.monotonic() > self._until_s):
                    break
                if line is None or left_s > 0:
                    self._changed.wait(min(left_s, HEARTBEAT_S))
                    continue
                shown = line.shown
            try:
                is_heard = self._tell(line, shown)
            except (OSError, http.client.HTTPException, ValueError):
                is_heard = False
            if is_heard:
                wait_s = _FIRST_WAIT_S
                continue
            if self._is_closing:
                break
            self._say_once("no server shows the games at the moment; the games continue")
            with self._changed:
                self._changed.wait_for(lambda: self._is_closing, wait_s)
            wait_s = min(_MOST_WAIT_S, 2 * wait_s)

    def _tell(self, line: _Line, shown: Shown) -> bool:
        """Send one message about a game. Return False if no server answered or it was busy, else True."""
        pairs = zip(shown.events, line.has, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        sent = shown.events[: same + MOST_EVENTS_AT_ONCE]
        is_last = len(sent) == len(shown.events)
        body: Json = {"from": same, "events": [[event.actor, event.action] for event in sent[same:]]}
        if not line.is_begun:
            body["head"] = shown.head
        if shown.is_over and is_last:
            body["end"] = shown.end
        if (clocks := shown.clocks) is not None:
            # The server's clock may differ, so send the age of the readings, not their time.
            left_s = {letter: round(seconds, 2) for letter, seconds in clocks.left_s.items()}
            age_s = round(max(0.0, time.monotonic() - clocks.at_s), 2)
            body["clocks"] = {"left_s": left_s, "age_s": age_s, "runs": clocks.runs, "free_s": round(clocks.free_s, 2)}
        status, why = self._post(line.name, body)
        if status is None or status == _BUSY:
            return False
        with self._changed:
            line.told_s = time.monotonic()
            if status == _UNKNOWN and line.is_begun:
                # The server has lost the game, so send all of it again.
                line.is_begun, line.has = False, ()
            elif status >= 300:
                line.refused = shown
                self._say_once(f"the server refused a game: {why}")
            else:
                line.is_begun, line.has = True, sent
                line.is_done = "end" in body and line.shown == shown
                assert self._address is not None
                self._say_once(f"games are shown at {self._address.url}/#live={quote(shown.source)}")
        return True

    def _post(self, name: str, body: Json) -> tuple[int | None, str]:
        """Post a message. Return the status (None: no server) and the error. Raises OSError or HTTPException."""
        self._address = self._find()
        if self._address is None:
            return None, ""
        parts = urlsplit(self._address.url)
        make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        # Connect anew for each message, which costs little on loopback and works after a restart of the server.
        server = make(parts.hostname or "", parts.port, timeout=_TIMEOUT_S)
        try:
            headers = {"authorization": f"Bearer {self._address.key}", "content-type": "application/json"}
            server.request("POST", f"/api/live/{name}", json.dumps(body), headers)
            answer = server.getresponse()
            return answer.status, _why(answer.read(_LONGEST_ANSWER))
        finally:
            server.close()

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)


def open_publisher(place: Place | None, say: Callable[[str], None]) -> AbstractContextManager[Publisher | None]:
    """Return a context that opens and closes a publisher for the server at a place, or yields None without a place."""
    return nullcontext() if place is None else closing(Publisher(place.find, say))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def _why(body: bytes) -> str:
    """Return the error in a server's answer as one printable line."""
    text = body.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        told = json.loads(text)
        text = str(told.get("error", "")) if isinstance(told, dict) else text
    return _cut(printable(text).strip())
