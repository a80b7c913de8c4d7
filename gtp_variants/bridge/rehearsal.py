"""A trial login to a real server, whose transcript is compared with our expectations.

The bridge logs in once, plays at most one game, against a named friend, and reports which expectations held. In the
transcript, `<` marks the server's lines and `>` ours. An expectation holds if a line matches `seen`. It is broken if a
line matches `broken`, or if a line matches `asked` but none matches `seen`.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.bridge.core.config import BridgeConfig, HookConfig, Password
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import Server
from gtp_variants.bridge.core.session import ENDED, AccountSession, Connect
from gtp_variants.lang import load
from gtp_variants.records.files import write

HOLDS, BROKEN, NOT_SEEN = "holds", "broken", "not seen"


@dataclass(frozen=True, slots=True)
class Expectation:
    """A statement about a server's lines, its source (`mark`), and patterns for transcript lines; "" matches none."""

    says: str
    mark: str
    seen: str
    broken: str = ""
    asked: str = ""

    def verdict(self, lines: Sequence[str]) -> str:
        """Return HOLDS, BROKEN or NOT_SEEN."""

        def occurs(pattern: str) -> bool:
            return bool(pattern) and any(re.search(pattern, line) for line in lines)

        if occurs(self.broken):
            return BROKEN
        return HOLDS if occurs(self.seen) else BROKEN if occurs(self.asked) else NOT_SEEN


# The expectations by kind of server. A key of the file names the kinds that share its entries.
EXPECTATIONS: dict[str, list[Expectation]] = {}
for _kinds, _entries in load(Path(__file__).with_name("expectations.toml")).items():
    for _kind in _kinds.split():
        EXPECTATIONS.setdefault(_kind, []).extend(Expectation(**entry) for entry in _entries)


# Maximum number of characters kept of each line.
_LONGEST = 2000


class ServerTranscript:
    """The transcript so far. Connections made through `wrap` add their lines to it."""

    def __init__(self, secret: Password) -> None:
        self.lines: list[str] = []
        self._times: list[datetime] = []
        self._secret = secret

    def note(self, text: str) -> None:
        """Add a line, with the password replaced by stars."""
        self.lines.append(self._secret.hidden_in(text)[:_LONGEST])
        self._times.append(datetime.now(UTC))

    def wrap(self, connect: Connect) -> Connect:
        """Return a function whose connections also add their lines here."""

        def make(config: BridgeConfig, log: Callable[[str], None]) -> Server:
            def tell(text: str) -> None:
                self.note(text)
                log(text)

            return connect(config, tell)

        return make

    def text(self) -> str:
        """Return all lines, each with its time."""
        return "".join(f"{time:%H:%M:%S.%f} {line}\n" for time, line in zip(self._times, self.lines, strict=True))


# Seconds to listen if no game is played. An empty poll at KGS takes a minute.
_LISTENS_S = {"kgs": 75.0, "cgos": 5.0, "variants": 5.0}
_LISTENS_ELSE_S = 15.0
_FRIEND_COMES_S = 900.0
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class RehearsalReport:
    """The result of a rehearsal: the exit status, the verdict on each expectation, and the transcript file."""

    status: int
    verdicts: tuple[tuple[Expectation, str], ...]
    games: int
    transcript: Path

    @property
    def went_well(self) -> bool:
        """True if the login succeeded and no expectation was broken."""
        return self.status == ENDED and all(verdict != BROKEN for _, verdict in self.verdicts)

    def lines(self) -> list[str]:
        """Return the report as lines of text, broken expectations first."""
        ranked = sorted(self.verdicts, key=lambda pair: (BROKEN, HOLDS, NOT_SEEN).index(pair[1]))
        found = [f"  {verdict:8}  {each.mark:13}  {each.says}" for each, verdict in ranked]
        numbers = Counter(verdict for _, verdict in self.verdicts)
        counts = ", ".join(f"{each}: {numbers[each]}" for each in (HOLDS, BROKEN, NOT_SEEN))
        return [*found, f"{counts}; games: {self.games}", f"transcript without secrets: {self.transcript}"]


class Rehearsal:
    """One login, during which only `friend` may play. Without a game it ends after `listens_s` seconds."""

    def __init__(self, config: BridgeConfig, friend: str, connect: Connect, listens_s: float | None = None) -> None:
        kind = config.server.type
        self._config, self._connect = _quiet(config, friend), connect
        usual_s = _FRIEND_COMES_S if friend else _LISTENS_S.get(kind, _LISTENS_ELSE_S)
        self._listens_s = usual_s if listens_s is None else listens_s

    async def run(self) -> RehearsalReport:
        """Log in, leave after a game or when time is up, and write the transcript. Raises OSError if writing fails."""
        config, transcript = self._config, ServerTranscript(self._config.server.password)
        transcript.note(f"# gtp-variants {__version__}, {config.server.type} at {config.server.host}")
        log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password, is_shown=True)
        session = AccountSession(config, log, make=transcript.wrap(self._connect))
        watching = asyncio.ensure_future(self._stop_in_time(session))
        try:
            status = await session.run()
        finally:
            watching.cancel()
            log.close()
        verdicts = tuple((each, each.verdict(transcript.lines)) for each in EXPECTATIONS.get(config.server.type, ()))
        path = config.outputs.folder / f"transcript-{datetime.now():%Y%m%d-%H%M%S}.txt"
        report = RehearsalReport(status, verdicts, session.counters.games, path)
        text = transcript.text() + "".join(f"# {line}\n" for line in report.lines())
        write(path, text.encode(), _OWNER_ONLY)
        return report

    async def _stop_in_time(self, session: AccountSession) -> None:
        """Stop after the first game, when the time is up without one, or when the connection has failed twice."""
        loop = asyncio.get_running_loop()
        began: float | None = None
        while True:
            await asyncio.sleep(0.05)
            counters = session.counters
            if began is None and counters.logins:
                began = loop.time()
                with suppress(Exception):
                    await session.ask_past()
            if counters.games or counters.lost_lines > 1 or (began and loop.time() - began > self._listens_s):
                session.stop(at_once=not counters.games)
                return


def _quiet(config: BridgeConfig, friend: str) -> BridgeConfig:
    """Return the configuration for a rehearsal: only the friend may play, no hook runs, files get their own folder."""
    only, usual = (friend,) if friend else (), config.offer
    challenges = replace(config.challenges, only_allowed=True, allow=only, allow_lists=())
    outputs = replace(config.outputs, folder=config.outputs.folder / "rehearsal")
    opens, players = usual.opens and bool(friend), only if usual.players else ()
    offer = replace(usual, opens=opens, takes=False, automatch=False, players=players)
    return replace(config, challenges=challenges, outputs=outputs, offer=offer, hooks=HookConfig(), health=None)
