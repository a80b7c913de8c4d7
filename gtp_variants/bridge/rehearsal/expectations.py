"""What we believe of each kind of server, and how a transcript bears it out or not.

A transcript has the lines of both sides, `<` before the server's and `>` before ours. An expectation holds where a line
fits `seen`, and is broken where one fits `broken`, or where `asked` fits one of ours and nothing of the server's fits
`seen`; else nothing is said of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Where what we believe comes from.
DOCUMENTED, OBSERVED, IN_CLIENTS, IN_SOURCE, GUESSED = (
    "documented",
    "observed",
    "in clients",
    "in its source",
    "guessed",
)
HOLDS, BROKEN, NOT_SEEN = "holds", "broken", "not seen"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing that we believe; the three texts are regular expressions for a line of the transcript, "" for none."""

    says: str
    mark: str
    seen: str
    broken: str = ""
    asked: str = ""

    def verdict(self, lines: Sequence[str]) -> str:
        """HOLDS, BROKEN or NOT_SEEN."""
        if self.broken and _first(self.broken, lines) is not None:
            return BROKEN
        if _first(self.seen, lines) is not None:
            return HOLDS
        return BROKEN if self.asked and _first(self.asked, lines) is not None else NOT_SEEN


def _first(pattern: str, lines: Sequence[str]) -> str | None:
    found = re.compile(pattern)
    return next((line for line in lines if found.search(line)), None)


_CGOS = (
    Expectation("it begins with `protocol` and words for what it can do", OBSERVED, r"^< protocol"),
    Expectation("moves may carry an analysis (`genmove_analyze`)", OBSERVED, r"^< protocol .*genmove_analyze"),
    Expectation("it asks for `username`, then for `password`", OBSERVED, r"^< password", "", r"^> e1 "),
    Expectation("a wrong login is an `Error:`", OBSERVED, r"^< Error:"),
    Expectation("what is not for programs begins with `info`", OBSERVED, r"^< info "),
    Expectation(
        "a game begins by `setup GID SIZE KOMI MILLISECONDS WHITE(RATING) BLACK(RATING) MOVES`",
        OBSERVED,
        r"^< setup \S+ \d+ -?[\d.]+ \d+ \S+\([^)]*\) \S+\([^)]*\)",
        r"^< setup (?!\S+ \d+ -?[\d.]+ \d+ \S+ \S+)",
    ),
    Expectation("a move is asked for by `genmove COLOUR MILLISECONDS`", OBSERVED, r"^< genmove [bw] -?\d+"),
    Expectation("a move is told by `play COLOUR MOVE MILLISECONDS`", OBSERVED, r"^< play [bw] \S+ -?\d+"),
    Expectation("the end is `gameover DATE RESULT`", OBSERVED, r"^< gameover \S+ ([BW]\+|Draw|Abort)"),
)

_NNGS = (
    Expectation("it asks for a name by `Login:`", OBSERVED, r"^< .*[Ll]ogin:"),
    Expectation(
        "a known account is asked for its password by `Password:`, in client mode by `1 1`",
        OBSERVED,
        r"^< (.*Password:|1 1)",
    ),
    Expectation("who is in is greeted by a prompt, `#>` or `1 5`", OBSERVED, r"^< (.*#>|1 [5-8])"),
    Expectation("`toggle client on` gives each line a code", OBSERVED, r"^< 9 ", "", r"^> toggle client on"),
    Expectation("`stats` says what the server calls us", OBSERVED, r"^< 9 Player:", "", r"^> stats"),
    Expectation("`stored` ends with how many games wait", OBSERVED, r"^< 9 Found \d+ stored games", "", r"^> stored"),
    Expectation("`ayt` is answered", OBSERVED, r"^< 9 yes", "", r"^> ayt"),
    Expectation("an offer tells how it is taken: `Use <match ...>`", OBSERVED, r"^< 9 .*Use <n?match "),
    Expectation("a game begins by `Creating match [N] with NAME`", OBSERVED, r"^< 9 Creating match \[\d+\] with "),
    Expectation(
        "its state is `Game N I: WHITE (c s b) vs BLACK (c s b)`",
        OBSERVED,
        r"^< 15 Game \d+ \S+ \S+ \(\d+ -?\d+ -?\d+\) vs ",
        r"^< 15 Game (?!\d+ \S+ \S+ \(\d+ -?\d+ -?\d+\) vs )",
    ),
    Expectation("moves are counted from 0: `15 0(B): D4`", OBSERVED, r"^< 15 +0\([BW]\): "),
    Expectation(
        "`games N` says size, komi and overtime",
        OBSERVED,
        r"^< 7 \[\s*\d+\]\s*\S+ \[.*?\] vs\.\s*\S+ \[.*?\] \(\s*\d+\s+\d+\s+\d+\s+-?[\d.]+",
        "",
        r"^> games \d",
    ),
    Expectation("scoring begins by `You can check your score`", OBSERVED, r"^< 9 You can check your score"),
    Expectation("a dead chain is told by `Removing @ VERTEX`", OBSERVED, r"^< 9 Removing @ "),
)

_NNGS_ONLY = (
    Expectation("a guest keeps their name, in small letters", OBSERVED, r"^< Your account name is [a-z0-9]+\.?$"),
    Expectation("`results NAME` is between two lines `25 File`", OBSERVED, r"^< 25 File"),
    Expectation("the side to move takes the last move back by `undo`, unasked", OBSERVED, r"^< 28 .* undid "),
    Expectation("the end is `{Game N: WHITE vs BLACK : HOW}`", OBSERVED, r"^< (9|21) \{Game \d+: \S+ vs \S+ : "),
)

_IGS_ONLY = (
    Expectation("`toggle newundo on` and `toggle nmatch on` are known", IN_CLIENTS, r"^< 9 Set n(ewundo|match) "),
    Expectation("a guest gets a name of the server's", DOCUMENTED, r"^< .*account name is guest\d+"),
    Expectation("offers are `nmatch` with handicap, size, seconds", IN_CLIENTS, r"^< 9 .*Use <nmatch "),
    Expectation("an undo is asked for by SYSTEM", IN_CLIENTS, r"^< (19|24) \*SYSTEM\*:? \S+ requests undo"),
    Expectation(
        "the end comes in several lines, the last `Removed game file`", IN_CLIENTS, r"Removed game file \S+-\S+"
    ),
    Expectation("`results NAME` lists games as on NNGS", GUESSED, r"^< 25 "),
)

_KGS = (
    Expectation("it says HELLO, then LOGIN_SUCCESS", DOCUMENTED, r"^< LOGIN_SUCCESS", r"^< LOGIN_FAILED", r"^> LOGIN"),
    Expectation("ROOM_NAMES_REQUEST is answered", DOCUMENTED, r"^< ROOM_NAMES", "", r"^> ROOM_NAMES_REQUEST"),
    Expectation("JOIN_REQUEST of our room brings ROOM_JOIN", DOCUMENTED, r"^< ROOM_JOIN"),
    Expectation("SYNC_REQUEST is a fence, answered by SYNC", DOCUMENTED, r"^< SYNC ", "", r"^> SYNC_REQUEST"),
    Expectation("our archive comes by ARCHIVE_JOIN", DOCUMENTED, r"^< ARCHIVE_JOIN", "", r"^> JOIN_ARCHIVE_REQUEST"),
    Expectation("no message is answered 400", IN_CLIENTS, r"^< LOGIN_SUCCESS", r"^refused: "),
    Expectation(
        "CHALLENGE_CREATE takes a nested proposal", DOCUMENTED, r"^< CHALLENGE_CREATED", r"^< CHALLENGE_NOT_CREATED"
    ),
    Expectation("a submission comes as CHALLENGE_SUBMIT", DOCUMENTED, r"^< CHALLENGE_SUBMIT"),
    Expectation(
        "CHALLENGE_PROPOSAL takes flat fields", IN_CLIENTS, r"^< CHALLENGE_FINAL", "", r"^> CHALLENGE_PROPOSAL"
    ),
    Expectation("a game comes by GAME_JOIN, whole", DOCUMENTED, r"^< GAME_JOIN"),
    Expectation("a move of ours is echoed by GAME_UPDATE", DOCUMENTED, r"^< GAME_UPDATE", "", r"^> GAME_MOVE"),
    Expectation("the end is GAME_OVER with a score", DOCUMENTED, r"^< GAME_OVER"),
    Expectation("an idle login is warned and stays by WAKE_UP", DOCUMENTED, r"^< IDLE_WARNING"),
)

EXPECTATIONS: dict[str, tuple[Expectation, ...]] = {
    "cgos": _CGOS,
    "variants": _CGOS,
    "nngs": (*_NNGS, *_NNGS_ONLY),
    "igs": (*_NNGS, *_IGS_ONLY),
    "kgs": _KGS,
}
