"""The side that joins: asks for games, plays them in processes of its own, and hands them in."""

import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

from gtp_variants._version import __version__
from gtp_variants.arena.config.match_config import MatchConfig, Outputs
from gtp_variants.arena.config.player_config import identity
from gtp_variants.arena.remote.messages import (
    HEARTBEAT,
    JOIN,
    LEASE,
    LEAVE,
    RESULT,
    SIGNATURE,
    decode,
    encode,
    is_signed,
    sign,
    unpack_game,
    unpack_match,
    write_report,
)
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.pool import play_in_processes
from gtp_variants.arena.run.preflight import try_programs
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.json_values import Json

_REQUEST_S = 30.0
# While there is nothing to do, and between tries to reach a serving side that is not there.
_PAUSE_S = 1.0
# How often a machine is heard of: several times within its term, and soon when the match is over.
_HEARTBEATS = 4
_LONGEST_SILENCE_S = 3.0


class ServerGone(VariantsError):
    """The serving side could not be reached for longer than it takes to start again."""


class ServingSide:
    """The other end of the line: sends messages, and again while nobody answers.

    `patience_s` is how long that may last before ServerGone is raised; `say` is told that it is tried again. Raises
    ConfigError for what is no address, and where the token is another.
    """

    def __init__(self, url: str, token: str, patience_s: float, say: Callable[[str], None]) -> None:
        if not _is_address(url):
            raise ConfigError([f"expected http://HOST:PORT or https://HOST, not {url[:80]!r}"])
        self._url = url.rstrip("/")
        self._token = token
        self._patience_s = patience_s
        self._say = say
        self._closed = threading.Event()

    def close(self) -> None:
        """Try no more."""
        self._closed.set()

    def ask(self, address: str, message: Json) -> Json:
        """The answer to a message."""
        until_s = monotonic() + self._patience_s
        has_said = False
        while True:
            try:
                return self._ask_once(address, message)
            except urllib.error.HTTPError as error:
                if error.code == 403:
                    raise ConfigError([f"--token: {self._url} has another"]) from None
                raise VariantsError(f"{self._url}: {error}: {error.read(500).decode(errors='replace')}") from None
            except (OSError, HTTPException) as error:
                # Also half an answer, of a serving side that was killed.
                if not has_said and not self._closed.is_set():
                    self._say(f"{self._url} cannot be reached ({error}); trying for {self._patience_s:.0f} s")
                has_said = True
                if monotonic() > until_s or self._closed.wait(_PAUSE_S):
                    raise ServerGone(f"{self._url} cannot be reached: {error}") from None

    def _ask_once(self, address: str, message: Json) -> Json:
        body = encode(message)
        signature = sign(self._token, address.encode(), body)
        headers = {SIGNATURE: signature, "Content-Type": "application/json"}
        request = urllib.request.Request(self._url + address, body, headers)
        with urllib.request.urlopen(request, timeout=_REQUEST_S) as response:
            found = response.read()
            if not is_signed(response.headers.get(SIGNATURE, ""), self._token, signature.encode(), found):
                raise ConfigError([f"--token: the answer of {self._url} is not signed with it"])
        return decode(found)


def _is_address(url: str) -> bool:
    """Whether a serving side may be at an address."""
    try:
        parts = urlsplit(url)
        has_spaces = any(letter.isspace() for letter in url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not has_spaces
    except ValueError:
        return False


@dataclass(slots=True)
class _Membership:
    """As whom we are known, and which games we have by which lease."""

    word: str
    leases: dict[str, str]


class JoinedMachine:
    """This machine at somebody else's match."""

    def __init__(self, server: ServingSide, name: str, jobs: int, say: Callable[[str], None]) -> None:
        self._server = server
        self._name = name
        self._jobs = jobs
        self._say = say
        self._is_over = False
        self._member = _Membership("", {})

    def play(self) -> int:
        """Play until the match is over; how many games were kept. Raises VariantsError where we are sent away."""
        kept = 0
        with tempfile.TemporaryDirectory(prefix="gtp-variants-", ignore_cleanup_errors=True) as folder:
            term_s = self._join(Path(folder))
            with self._heartbeats(min(_LONGEST_SILENCE_S, term_s / _HEARTBEATS)):
                try:
                    while not self._is_over:
                        for game in play_in_processes(self._take, self._jobs, Path(folder) / "logs"):
                            kept += self._hand_in(game)
                        if not self._is_over:
                            threading.Event().wait(_PAUSE_S)
                finally:
                    self._leave()
        return kept

    def _join(self, folder: Path) -> float:
        """Become known; the time in seconds in which we must be heard of."""
        answer = self._server.ask(JOIN, {"version": __version__, "name": self._name})
        if answer["state"] != "known":
            raise ConfigError([f"cannot join: {answer['why']}"])
        config = unpack_match(answer["match"])
        _expect_same_players(replace(config, outputs=Outputs(folder)), answer["players"])
        self._member = _Membership(answer["machine"], {})
        self._folder = folder
        return float(answer["term_s"])

    def _ask(self, address: str, **message: object) -> Json:
        """The answer to a message of ours; a serving side that was started anew does not know us any more."""
        answer = self._server.ask(address, {"machine": self._member.word, **message})
        if answer["state"] == "refused":
            raise VariantsError(f"sent away: {answer['why']}")
        return answer

    def _take(self) -> Fixture | None:
        if self._is_over:
            return None
        answer = self._ask(LEASE)
        if answer["state"] == "unknown":
            self._say("the match goes on at a serving side that was started anew")
            self._join(self._folder)
            answer = self._ask(LEASE)
        if answer["state"] == "over":
            self._is_over = True
        if answer["state"] != "game":
            return None
        fixture = unpack_game(answer["game"])
        self._member.leases[fixture.id] = answer["lease"]
        return fixture

    def _hand_in(self, game: FinishedGame) -> bool:
        """Hand a game in; False if it came too late, and somebody else plays it."""
        lease = self._member.leases.pop(game.row.id, None)
        if lease is None or self._is_over:
            return False
        answer = self._ask(RESULT, lease=lease, game=write_report(game))
        self._say(f"{game.row.id}  {' - '.join(game.row.players)}  {game.row.result}  {answer['state']}")
        return bool(answer["state"] == "kept")

    def _leave(self) -> None:
        self._server.close()
        if not self._is_over:
            with suppress(VariantsError):
                self._server.ask(LEAVE, {"machine": self._member.word})

    @contextmanager
    def _heartbeats(self, every_s: float) -> Iterator[None]:
        """Be heard of from another thread, however long a game takes."""
        ended = threading.Event()

        def run() -> None:
            while not ended.wait(every_s):
                with suppress(VariantsError):
                    answer = self._server.ask(HEARTBEAT, {"machine": self._member.word})
                    self._is_over |= answer["state"] == "over"

        thread = threading.Thread(target=run, name="heartbeats", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()


def _expect_same_players(config: MatchConfig, theirs: Mapping[str, Json]) -> None:
    """Raises ConfigError where a program cannot be started here, or a player is another one than there."""
    faults = []
    for name, player in try_programs(config).players.items():
        ours: Json = identity(player)
        faults += [
            f"players.{name}: its {key} is {ours.get(key)!r} here, {value!r} there"
            for key, value in theirs[name].items()
            if ours.get(key) != value
        ]
    if faults:
        raise ConfigError(faults)
