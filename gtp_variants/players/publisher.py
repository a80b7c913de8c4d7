"""Tells a server of games that go on here, so that they are watched on its page.

Whoever plays hands over how a game stands and never waits: a thread of its own speaks to the server, the last state of
each game replaces the one before, and a server that is absent, slow or gone costs a game nothing. What crosses the
line is described in `docs/web.md`.
"""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from secrets import token_urlsafe
from urllib.parse import quote, urlsplit

from gtp_variants.base.json_values import Json
from gtp_variants.players.publishing_address import Address, Place
from gtp_variants.records.record import printable
from gtp_variants.rules.actions import Event
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game

# A server that has not heard of a game for three times as long says so to those who watch.
HEARTBEAT_S = 10.0
# Of one game no more is told in so short a time: nobody can follow faster, and games need the processor more.
PAUSE_S = 0.25
# So many events go into one message.
MOST_EVENTS_AT_ONCE = 500
_TIMEOUT_S = 5.0
_FIRST_WAIT_S, _MOST_WAIT_S = 1.0, 15.0
# So many games are remembered while no server takes them; those that are over go first.
_MOST_GAMES = 64
_LONGEST_ANSWER, _LONGEST_TEXT = 2000, 200
_UNKNOWN, _BUSY = 409, 429


@dataclass(frozen=True, slots=True)
class Clocks:
    """What the clocks showed at `at_s` of the monotonic clock: seconds by colour letter.

    `runs`: that of the side to move has been running since, after the `free_s` that cost them nothing.
    """

    left_s: Mapping[str, float]
    at_s: float
    runs: bool = True
    free_s: float = 0.0

    @classmethod
    def now(cls, left_s: Mapping[int, float], free_s: float = 0.0) -> "Clocks":
        """What the clocks of each colour show at this moment."""
        by_letter = {COLOUR_LETTERS[colour]: seconds for colour, seconds in left_s.items()}
        return cls(by_letter, time.monotonic(), free_s=free_s)


@dataclass(frozen=True, slots=True)
class Shown:
    """A game as it stands.

    `source` is what it belongs to, such as a match, `title` which game of that it is. `players` are names by colour
    letter; `setup` points and colours, `first` who begins then. The `secret` of the dice is only ever given when
    nobody plays under them any more. `result` and `why` are for a game that `is_over` without an end by the rules.
    `clocks` are None where none are known.
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
        """A game with players and clocks by colour, as they stand now; the secret is left out while it goes on."""
        return cls(
            source,
            title,
            game.rules.spec,
            {COLOUR_LETTERS[colour]: name for colour, name in players.items()},
            tuple(game.events),
            tuple(sorted(game.setup.items())),
            game.first,
            commitment,
            secret.hex() if secret is not None and is_over else None,
            is_over,
            result,
            why,
            None if left_s is None else Clocks.now(left_s, free_s),
        )

    @property
    def head(self) -> Json:
        """What does not change while it is played."""
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
        """How it ended; nothing while it goes on."""
        return {"result": self.result, "why": _cut(self.why), "secret": self.secret} if self.is_over else {}


@dataclass(slots=True)
class _Line:
    """One game on its way to the server: how it stands, and what of that the server has."""

    shown: Shown
    name: str = field(default_factory=lambda: token_urlsafe(16))
    is_begun: bool = False
    has: tuple[Event, ...] = ()
    is_done: bool = False
    # What the server did not take; it may take what comes after it.
    refused: Shown | None = None
    told_s: float = -1e9

    @property
    def due_s(self) -> float:
        """When there is something to say, if only that it still goes on."""
        if self.is_done or self.shown is self.refused:
            return inf
        is_new = not self.is_begun or self.has != self.shown.events or self.shown.is_over
        return self.told_s + (PAUSE_S if is_new else HEARTBEAT_S)

    def forget(self) -> None:
        """The server has nothing of it any more."""
        self.is_begun, self.has = False, ()


class Publisher:
    """Shows games on a server's page. `find` says where that is; `say` is told, once each, what people should know."""

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

    # -- for those who play --------------------------------------------------------------------------------------------

    def show(self, key: str, shown: Shown) -> None:
        """A game stands so now; under the same `key` the next state replaces it."""
        with self._changed:
            line = self._lines.get(key)
            if line is None or line.shown.head != shown.head:
                self._lines[key] = _Line(shown)
                self._make_room()
            elif line.shown != shown:
                line.shown = shown
            self._changed.notify()

    def leave(self, key: str) -> None:
        """Say no more of a game; those who watch are told after a while that nothing is heard of it."""
        with self._changed:
            line = self._lines.get(key)
            if line is not None and not line.shown.is_over:
                del self._lines[key]

    def close(self, patience_s: float = 2.0) -> None:
        """Say what is left to say, if that is quickly done."""
        with self._changed:
            self._is_closing = True
            self._until_s = time.monotonic() + patience_s
            self._changed.notify()
        self._thread.join(patience_s)

    def _make_room(self) -> None:
        spare = len(self._lines) - _MOST_GAMES
        over = [key for key, line in self._lines.items() if line.is_done or line.shown.is_over]
        for key in (over + list(self._lines))[: max(0, spare)]:
            self._lines.pop(key, None)

    # -- the thread ----------------------------------------------------------------------------------------------------

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
            self._say_once("no server shows the games at the moment; they go on")
            with self._changed:
                self._changed.wait_for(lambda: self._is_closing, wait_s)
            wait_s = min(_MOST_WAIT_S, 2 * wait_s)

    def _tell(self, line: _Line, shown: Shown) -> bool:
        """One message about a game; whether a server took it, or will never take it."""
        same = 0
        for mine, theirs in zip(shown.events, line.has, strict=False):
            if mine != theirs:
                break
            same += 1
        sent = shown.events[: same + MOST_EVENTS_AT_ONCE]
        is_last = len(sent) == len(shown.events)
        body: Json = {"from": same, "events": [[event.actor, event.action] for event in sent[same:]]}
        if not line.is_begun:
            body["head"] = shown.head
        if shown.is_over and is_last:
            body["end"] = shown.end
        if shown.clocks is not None:
            body["clocks"] = _to_json(shown.clocks)
        status, why = self._post(line.name, body)
        if status is None or status == _BUSY:
            return False
        with self._changed:
            line.told_s = time.monotonic()
            if status == _UNKNOWN and line.is_begun:
                line.forget()
            elif status >= 300:
                line.refused = shown
                self._say_once(f"the server shows no game: {why}")
            else:
                line.is_begun, line.has = True, sent
                line.is_done = "end" in body and line.shown == shown
                self._say_once(self._invitation(shown))
        return True

    def _invitation(self, shown: Shown) -> str:
        assert self._address is not None
        return f"games are shown at {self._address.url}/#live={quote(shown.source)}"

    def _post(self, name: str, body: Json) -> tuple[int | None, str]:
        """The status the server answers, None if there is no server, and what it says. Raises OSError."""
        self._address = self._find()
        if self._address is None:
            return None, ""
        parts = urlsplit(self._address.url)
        make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        # A connection for each message: it outlives no restart, and on loopback it costs next to nothing.
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


@contextmanager
def open_publisher(place: Place | None, say: Callable[[str], None]) -> Iterator[Publisher | None]:
    """The publisher of games to the server at a place, closed at the end; None without a place."""
    if place is None:
        yield None
        return
    publisher = Publisher(place.find, say)
    try:
        yield publisher
    finally:
        publisher.close()


def _to_json(clocks: Clocks) -> Json:
    """Clocks as they cross the line, to a computer whose own clock is another."""
    left_s = {letter: round(seconds, 2) for letter, seconds in clocks.left_s.items()}
    age_s, free_s = max(0.0, time.monotonic() - clocks.at_s), clocks.free_s
    return {"left_s": left_s, "age_s": round(age_s, 2), "runs": clocks.runs, "free_s": round(free_s, 2)}


def _cut(text: str) -> str:
    """As much of a text as a server takes."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def _why(body: bytes) -> str:
    """What a server says is wrong, in its answer or instead of one: one line that a terminal can show."""
    text = body.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        told = json.loads(text)
        text = str(told.get("error", "")) if isinstance(told, dict) else text
    return _cut(printable(text).strip())
