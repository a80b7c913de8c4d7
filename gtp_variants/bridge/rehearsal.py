"""A trial login to a real server, whose transcript is compared with our expectations.

The bridge logs in once, plays at most one game, against a named friend, and reports which expectations held. In the
transcript, `<` marks the server's lines and `>` ours. An expectation holds if a line matches `seen`. It is broken if a
line matches `broken`, or if a line matches `asked` but none matches `seen`.
"""

import asyncio
import re
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
from gtp_variants.records.files import write

# The sources of expectations.
DOCUMENTED, OBSERVED, IN_CLIENTS, GUESSED = "documented", "observed", "in clients", "guessed"
HOLDS, BROKEN, NOT_SEEN = "holds", "broken", "not seen"


@dataclass(frozen=True, slots=True)
class Expectation:
    """A statement about a server's lines. The three patterns match lines of the transcript; "" matches none."""

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


_CGOS = (
    Expectation("it begins with `protocol` and words for its abilities", OBSERVED, r"^< protocol"),
    Expectation("moves may carry an analysis (`genmove_analyze`)", OBSERVED, r"^< protocol .*genmove_analyze"),
    Expectation("it asks for `username`, then for `password`", OBSERVED, r"^< password", "", r"^> e1 "),
    Expectation("a wrong login is an `Error:`", OBSERVED, r"^< Error:"),
    Expectation("lines for people begin with `info`", OBSERVED, r"^< info "),
    Expectation(
        "a game begins with `setup GID SIZE KOMI MILLISECONDS WHITE(RATING) BLACK(RATING) MOVES`",
        OBSERVED,
        r"^< setup \S+ \d+ -?[\d.]+ \d+ \S+\([^)]*\) \S+\([^)]*\)",
        r"^< setup (?!\S+ \d+ -?[\d.]+ \d+ \S+ \S+)",
    ),
    Expectation("it asks for a move with `genmove COLOUR MILLISECONDS`", OBSERVED, r"^< genmove [bw] -?\d+"),
    Expectation("it sends a move as `play COLOUR MOVE MILLISECONDS`", OBSERVED, r"^< play [bw] \S+ -?\d+"),
    Expectation("the end is `gameover DATE RESULT`", OBSERVED, r"^< gameover \S+ ([BW]\+|Draw|Abort)"),
)

_NNGS = (
    Expectation("it asks for a name with `Login:`", OBSERVED, r"^< .*[Ll]ogin:"),
    Expectation("it asks known accounts for `Password:`, in client mode `1 1`", OBSERVED, r"^< (.*Password:|1 1)"),
    Expectation("a login ends with a prompt, `#>` or `1 5`", OBSERVED, r"^< (.*#>|1 [5-8])"),
    Expectation("`toggle client on` gives each line a code", OBSERVED, r"^< 9 ", "", r"^> toggle client on"),
    Expectation("`stats` shows our name on the server", OBSERVED, r"^< 9 Player:", "", r"^> stats"),
    Expectation(
        "`stored` ends with the number of stored games", OBSERVED, r"^< 9 Found \d+ stored games", "", r"^> stored"
    ),
    Expectation("`ayt` is answered", OBSERVED, r"^< 9 yes", "", r"^> ayt"),
    Expectation("an offer says how to accept it: `Use <match ...>`", OBSERVED, r"^< 9 .*Use <n?match "),
    Expectation("a game begins with `Creating match [N] with NAME`", OBSERVED, r"^< 9 Creating match \[\d+\] with "),
    Expectation(
        "its state is `Game N I: WHITE (c s b) vs BLACK (c s b)`",
        OBSERVED,
        r"^< 15 Game \d+ \S+ \S+ \(\d+ -?\d+ -?\d+\) vs ",
        r"^< 15 Game (?!\d+ \S+ \S+ \(\d+ -?\d+ -?\d+\) vs )",
    ),
    Expectation("moves are counted from 0: `15 0(B): D4`", OBSERVED, r"^< 15 +0\([BW]\): "),
    Expectation(
        "`games N` shows size, komi and overtime",
        OBSERVED,
        r"^< 7 \[\s*\d+\]\s*\S+ \[.*?\] vs\.\s*\S+ \[.*?\] \(\s*\d+\s+\d+\s+\d+\s+-?[\d.]+",
        "",
        r"^> games \d",
    ),
    Expectation("scoring begins with `You can check your score`", OBSERVED, r"^< 9 You can check your score"),
    Expectation("a dead chain is sent as `Removing @ VERTEX`", OBSERVED, r"^< 9 Removing @ "),
)

_NNGS_ONLY = (
    Expectation("a guest keeps their name, in lower case", OBSERVED, r"^< Your account name is [a-z0-9]+\.?$"),
    Expectation("`results NAME` is between two lines `25 File`", OBSERVED, r"^< 25 File"),
    Expectation("`undo` of the side to move needs no consent", OBSERVED, r"^< 28 .* undid "),
    Expectation("the end is `{Game N: WHITE vs BLACK : HOW}`", OBSERVED, r"^< (9|21) \{Game \d+: \S+ vs \S+ : "),
)

_IGS_ONLY = (
    Expectation("`toggle newundo on` and `toggle nmatch on` are known", IN_CLIENTS, r"^< 9 Set n(ewundo|match) "),
    Expectation("a guest gets a name from the server", DOCUMENTED, r"^< .*account name is guest\d+"),
    Expectation("offers are `nmatch` with handicap, size, seconds", IN_CLIENTS, r"^< 9 .*Use <nmatch "),
    Expectation("undo requests come from SYSTEM", IN_CLIENTS, r"^< (19|24) \*SYSTEM\*:? \S+ requests undo"),
    Expectation("the last line of the end is `Removed game file`", IN_CLIENTS, r"Removed game file \S+-\S+"),
    Expectation("`results NAME` lists games as on NNGS", GUESSED, r"^< 25 "),
)

_KGS = (
    Expectation("it says HELLO, then LOGIN_SUCCESS", DOCUMENTED, r"^< LOGIN_SUCCESS", r"^< LOGIN_FAILED", r"^> LOGIN"),
    Expectation("ROOM_NAMES_REQUEST is answered", DOCUMENTED, r"^< ROOM_NAMES", "", r"^> ROOM_NAMES_REQUEST"),
    Expectation("JOIN_REQUEST of our room brings ROOM_JOIN", DOCUMENTED, r"^< ROOM_JOIN"),
    Expectation("SYNC_REQUEST is a fence, answered by SYNC", DOCUMENTED, r"^< SYNC ", "", r"^> SYNC_REQUEST"),
    Expectation("our archive comes with ARCHIVE_JOIN", DOCUMENTED, r"^< ARCHIVE_JOIN", "", r"^> JOIN_ARCHIVE_REQUEST"),
    Expectation("no message is answered 400", IN_CLIENTS, r"^< LOGIN_SUCCESS", r"^refused: "),
    Expectation(
        "CHALLENGE_CREATE nests its proposal", DOCUMENTED, r"^< CHALLENGE_CREATED", r"^< CHALLENGE_NOT_CREATED"
    ),
    Expectation("a submission comes as CHALLENGE_SUBMIT", DOCUMENTED, r"^< CHALLENGE_SUBMIT"),
    Expectation("CHALLENGE_PROPOSAL has flat fields", IN_CLIENTS, r"^< CHALLENGE_FINAL", "", r"^> CHALLENGE_PROPOSAL"),
    Expectation("GAME_JOIN sends the whole game", DOCUMENTED, r"^< GAME_JOIN"),
    Expectation("GAME_UPDATE echoes our move", DOCUMENTED, r"^< GAME_UPDATE", "", r"^> GAME_MOVE"),
    Expectation("a game ends with GAME_OVER and a score", DOCUMENTED, r"^< GAME_OVER"),
    Expectation("an idle login is warned; WAKE_UP keeps it", DOCUMENTED, r"^< IDLE_WARNING"),
)

EXPECTATIONS: dict[str, tuple[Expectation, ...]] = {
    "cgos": _CGOS,
    "variants": _CGOS,
    "nngs": (*_NNGS, *_NNGS_ONLY),
    "igs": (*_NNGS, *_IGS_ONLY),
    "kgs": _KGS,
}


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
        found = [
            f"  {verdict:8}  {each.mark:13}  {each.says}"
            for wanted in (BROKEN, HOLDS, NOT_SEEN)
            for each, verdict in self.verdicts
            if verdict == wanted
        ]
        counts = ", ".join(
            f"{each}: {sum(verdict == each for _, verdict in self.verdicts)}" for each in (HOLDS, BROKEN, NOT_SEEN)
        )
        return [*found, f"{counts}; games: {self.games}", f"transcript without secrets: {self.transcript}"]


class Rehearsal:
    """One login, during which only `friend` may play. Without a game it ends after `listens_s` seconds."""

    def __init__(self, config: BridgeConfig, friend: str, connect: Connect, listens_s: float | None = None) -> None:
        kind = config.server.type
        self._config, self._connect = _quiet(config, friend), connect
        usual_s = _FRIEND_COMES_S if friend else _LISTENS_S.get(kind, _LISTENS_ELSE_S)
        self._listens_s = usual_s if listens_s is None else listens_s

    async def run(self) -> RehearsalReport:
        """Log in, leave after a game or when the time is up, and write the transcript. Raises OSError."""
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
    only = (friend,) if friend else ()
    challenges = replace(config.challenges, only_allowed=True, allow=only, allow_lists=())
    outputs = replace(config.outputs, folder=config.outputs.folder / "rehearsal")
    offer = replace(
        config.offer,
        opens=config.offer.opens and bool(friend),
        takes=False,
        automatch=False,
        players=only if config.offer.players else (),
    )
    return replace(config, challenges=challenges, outputs=outputs, offer=offer, hooks=HookConfig(), health=None)
