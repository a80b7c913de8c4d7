"""The checks of `gtp-variants check-engine`: the abilities of a GTP engine, its speed and its faults."""

import json
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from gtp_variants.base.pages import render
from gtp_variants.base.processes.wall import OPEN, SYSTEM_FOLDERS, around_words, wall_kind
from gtp_variants.errors import IllegalMove, PeerError, PeerUnfit
from gtp_variants.gtp.client.conformance import SAMPLE, RuleFault, find_fault
from gtp_variants.gtp.client.peer import REQUIRED, Launch, Peer
from gtp_variants.gtp.client.player import FreshEngines, GtpPlayer
from gtp_variants.lang import load
from gtp_variants.players import bots
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.dice_stream import DiceStream

# The levels of `player.level` in words, and useful commands with what happens without them.
_TEXTS = load(Path(__file__).with_suffix(".toml"))
_WANTED = ("protocol_version", "name", "version", "known_command", "list_commands", "quit", *REQUIRED)
_STEPS = 10
_MUCH_STDERR = 100_000
_SLOW_START_S = 5.0
_SLOW_ANSWER_S = 0.1
_SHOWN = 12
_LONGEST_ANSWER = 2**20


@dataclass(slots=True)
class GameTrial:
    """A trial game. `level` is "" if the engine cannot play it, for a `reason`; `failure` is what went wrong."""

    spec: str
    level: str = ""
    reason: str = ""
    sent: list[str] = field(default_factory=list)
    move_s: float | None = None
    failure: str = ""


@dataclass(slots=True)
class CheckReport:
    """The findings about an engine. `faults` make matches or hosts fail; `remarks` are harmless."""

    command: str
    wall: str = ""
    name: str = ""
    version: str = ""
    start_s: float | None = None
    answer_s: float | None = None
    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    games: list[GameTrial] = field(default_factory=list)
    rules: list[RuleFault] = field(default_factory=list)

    @property
    def is_ok(self) -> bool:
        return not self.faults and not self.rules and not any(trial.failure for trial in self.games)


def check(launch: Launch, specs: Sequence[str], *, must_play: bool = False) -> CheckReport:
    """Check an engine. With `must_play`, a game it cannot play is a fault. Raises PeerGone if it cannot start."""
    report = CheckReport(shlex.join(launch.command), wall_kind())
    with TemporaryDirectory() as folder:
        stderr = Path(folder) / "stderr"
        with closing(_Questions(launch, stderr, report)) as questions:
            is_speaking = questions.ask_all()
        said = stderr.read_bytes() if stderr.exists() else b""
        if len(said) > _MUCH_STDERR:
            report.faults.append(f"writes too much to its standard error: {len(said)} bytes for a few commands")
        elif said and not is_speaking:
            report.remarks.append(f"the end of its standard error: {_shorten(said.strip()[-60:])}")
        report.remarks += _find_missed(launch, said)
        if is_speaking:
            report.games = [_try(launch, spec, Path(folder)) for spec in specs]
            for trial in report.games:
                if must_play and not trial.level and not trial.failure:
                    report.faults.append(f"cannot play {trial.spec}: {trial.reason}")
            played = dict.fromkeys(parse(trial.spec).name for trial in report.games if trial.level)
            check_rules(launch, played, report, SAMPLE)
    return report


def check_rules(
    launch: Launch, games: Iterable[str], report: CheckReport | None = None, most_games: int | None = None
) -> CheckReport:
    """Return `report`, or a new one, with an engine's faults in conformance files, at most `most_games` games each."""
    report = CheckReport(shlex.join(launch.command)) if report is None else report
    for game in games:
        try:
            with closing(Peer(launch.start(is_quiet=True), launch)) as peer:
                fault = find_fault(peer, game, most_games)
                report.rules += [] if fault is None else [fault]
        except PeerError as error:
            report.faults.append(f"{game}: {error}")
    return report


def _find_missed(launch: Launch, said: bytes) -> list[str]:
    """Return a remark for each file that exists, that the wall hides and that the engine's standard error mentions."""
    assert launch.wall is not None
    if wall_kind() in OPEN:
        return []
    folder = (launch.folder or Path()).absolute()
    opened = launch.wall.open_to(launch.command, folder, {**os.environ, **launch.environment})
    words = {word.strip("\"'`,;:()[]") for word in said.decode(errors="replace").split() if "/" in word}
    places = sorted({place for word in words for place in around_words([word], folder)})
    return [
        f"its wall hides {place}, of which it speaks; `paths` in the match file opens it"
        for place in places
        if place.is_file() and not any(each in (place, *place.parents) for each in (*opened, *SYSTEM_FOLDERS))
    ]


class _Unanswered(Exception):
    """An error for an engine that is silent or has ended. The message names the command."""


class _Questions:
    """The questions that hosts ask, sent over a raw channel so that faulty answers are seen exactly as they come."""

    def __init__(self, launch: Launch, stderr: Path, report: CheckReport) -> None:
        self._began = time.monotonic()
        self._way, self._launch, self._report = launch.start(stderr), launch, report
        self._fault, self._remark = report.faults.append, report.remarks.append
        self._arrived = b""

    def close(self) -> None:
        self._way.close()

    def ask_all(self) -> bool:
        """Ask the questions. Return False, without asking the rest, if the engine speaks GTP too badly for games."""
        if not self._greets():
            return False
        try:
            self._identifies()
            if not self._keeps_to_the_frame():
                return False
            self._lists()
            self._refuses()
            self._plays()
            self._ends()
        except _Unanswered as error:
            self._fault(str(error))
        return True

    def _answers(self, count: int, timeout_s: float) -> list[bytes]:
        """Return the next `count` answers, or fewer if no more come. An answer ends at an empty line."""
        deadline = time.monotonic() + timeout_s
        while self._arrived.count(b"\n\n") < count and len(self._arrived) < _LONGEST_ANSWER:
            chunk = self._way.read(max(0.0, deadline - time.monotonic()))
            if not chunk:
                break
            self._arrived = (self._arrived + chunk).replace(b"\r", b"")
            if not self._arrived.lstrip(b"\n").startswith((b"=", b"?")):
                break
        *found, self._arrived = self._arrived.split(b"\n\n", count)
        if len(found) < count and self._arrived:
            # Return the invalid or unfinished answer, too.
            found.append(self._arrived)
            self._arrived = b""
        return found

    def _ask(self, line: str, timeout_s: float | None = None) -> str:
        """Return the answer to a command. A missing first answer is "", a missing later answer raises _Unanswered."""
        self._way.write(line.encode() + b"\n")
        found = self._answers(1, self._launch.command_s if timeout_s is None else timeout_s)
        if not found and self._report.start_s is not None:
            raise _Unanswered(f"{line!r}: {self._ending() or 'no answer'}")
        return found[0].decode("utf-8", "replace").strip("\n") if found else ""

    def _ending(self) -> str:
        how = self._way.ending()
        return f"it ended ({how})" if how else ""

    def _greets(self) -> bool:
        first = self._ask("protocol_version", self._launch.startup_s)
        start_s = time.monotonic() - self._began
        if not first:
            if how := self._ending():
                self._fault(how)
            elif _answers_on_terminal(self._launch):
                self._fault("answers on a terminal but not on a pipe: flush stdout after each answer")
            else:
                self._fault(f"does not answer within {self._launch.startup_s:g} s, neither on a pipe nor on a terminal")
            return False
        if not first.startswith(("=", "?")):
            self._fault(f"begins with {first[:60]!r}: standard output is for answers only, the rest for standard error")
            return False
        self._report.start_s = start_s
        if first.split()[1:] != ["2"]:
            self._fault(f"protocol_version: answered {first[:60]!r}, expected '= 2'")
        if start_s > _SLOW_START_S:
            self._remark(f"starts in {start_s:.1f} s: set `restart: never` in matches")
        return True

    def _identifies(self) -> None:
        times = []
        for _ in range(20):
            began = time.monotonic()
            name = self._ask("name")
            times.append(time.monotonic() - began)
        self._report.name = name.partition(" ")[2]
        self._report.version = self._ask("version").partition(" ")[2]
        self._report.answer_s = median(times)
        if self._report.answer_s > _SLOW_ANSWER_S:
            self._fault(f"takes {1000 * self._report.answer_s:.0f} ms for `name`")

    def _keeps_to_the_frame(self) -> bool:
        """Check ids, comments, blank lines, CR and queued commands. Return False if answers do not match commands."""
        self._way.write(
            b"\n# a comment\n  \n17 name # and another\r\n18 no_such_command\n19 version\n20 list_commands\n21 name\n"
        )
        found = self._answers(5, self._launch.command_s)
        wanted = [b"=17", b"?18", b"=19", b"=20", b"=21"]
        for answer, head in zip(found, wanted, strict=False):
            start = answer.lstrip(b"\n")
            if not start.startswith(head) or start[len(head) : len(head) + 1] not in (b" ", b"", b"\n"):
                expected = f"expected {head.decode()!r} and a blank"
                self._fault(f"ids, blank lines or comments: answered {_shorten(start)}, {expected}")
                return False
            if head != b"=20" and start[:1] == b"=" and start[len(head) : len(head) + 1] == b"\n":
                self._remark(f"answers {_shorten(start)}: some hosts need a blank after `=`")
        if len(found) < len(wanted):
            self._fault(f"five commands sent at once: {len(found)} answers came; {self._ending() or 'no more came'}")
            return False
        return True

    def _lists(self) -> None:
        commands = self._ask("list_commands").partition(" ")[2].split()
        if not commands:
            self._fault("list_commands: lists nothing")
            return
        missing = [name for name in _WANTED if name not in commands]
        if missing:
            self._fault(f"list_commands: lacks {', '.join(missing)}")
        self._report.remarks += [f"no {name}: {why}" for name, why in _TEXTS["useful"].items() if name not in commands]
        for name, known in (("genmove", "true"), ("no_such_command", "false")):
            answer = self._ask(f"known_command {name}")
            if answer.split()[1:] != [known]:
                self._fault(f"known_command {name}: answered {answer[:60]!r}, expected '= {known}'")

    def _refuses(self) -> None:
        self._ask("boardsize 9")
        self._ask("clear_board")
        for line in ("play", "play b", "play b Z99", "play purple D4", "boardsize x", "genmove"):
            answer = self._ask(line)
            if not answer.startswith("?"):
                self._remark(f"{line!r}: expected a refusal by '?', got {answer[:40]!r}")

    def _plays(self) -> None:
        """Check that the engine accepts moves of either colour in any order."""
        # Set engines that play several games to Go. Other engines do not know the command, so ignore the answer.
        self._ask("variant-set go:size=9")
        self._ask("clear_board")
        for line in ("play b D4", "play b E5", "play w pass"):
            answer = self._ask(line)
            if not answer.startswith("="):
                self._fault(f"{line!r} on 9x9 is refused: {answer[:60]!r}; GTP lets either colour play at any time")

    def _ends(self) -> None:
        """Check that the engine ends at the end of its input and on quit."""
        other = self._launch.start(is_quiet=True)
        try:
            other.write(b"name\n")
            other.read(self._launch.startup_s)
            if not other.ends_with_its_input(self._launch.grace_s):
                self._fault("does not end when its input ends: it outlives a host that is killed")
        finally:
            other.close(0.2)
        self._way.write(b"quit\n")
        if not self._answers(1, self._launch.command_s):
            self._fault("quit: ends without an answer")


def _answers_on_terminal(launch: Launch) -> bool:
    """Return True if this can be tried and the engine answers on a terminal, where the C library flushes each line."""
    try:
        import pexpect
    except ImportError:
        return False
    if sys.platform == "win32":
        return False
    environment = {**os.environ, **launch.environment}
    assert launch.wall is not None
    program, *arguments = launch.wall.enclose(launch.command, launch.folder, environment)
    folder = None if launch.folder is None else str(launch.folder)
    child = pexpect.spawn(program, arguments, timeout=launch.startup_s, echo=False, cwd=folder, env=environment)
    child.delaybeforesend = None
    try:
        child.sendline("protocol_version")
        return int(child.expect(["=[0-9]* *2\r\n\r\n", pexpect.EOF, pexpect.TIMEOUT])) == 0
    finally:
        child.close(force=True)


def _shorten(answer: bytes) -> str:
    return repr(answer[:60].decode("utf-8", "replace"))


def _try(launch: Launch, spec: str, folder: Path) -> GameTrial:
    """Begin a game against a random player, with rules and dice as in a match, and return how it went."""
    rules = parse(spec)
    trial = GameTrial(spec)
    file = folder / f"{rules.name}.gtp"
    file.unlink(missing_ok=True)
    table = Table(rules, lambda: DiceStream("check"))
    player = GtpPlayer(FreshEngines(launch, talk=file))
    times: list[float] = []
    try:
        for colour in rules.colours:
            table.seat(colour, player if colour == rules.colours[0] else bots.load("uniform"), f"check {colour}")
        trial.level = player.level
        for _ in range(_STEPS):
            asked = table.asked()
            if asked is None:
                break
            began = time.monotonic()
            action = table.choose(asked)
            if asked == player.colour:
                times.append(time.monotonic() - began)
            table.answer(asked, action)
    except PeerUnfit as error:
        trial.reason = str(error)
    except PeerError as error:
        trial.failure = f"{error.failure}: {error}"
    except IllegalMove as error:
        move = rules.board.vertex(action) if 0 <= action < len(rules.board) else action
        trial.failure = f"illegal: {move} {error}"
    finally:
        table.close(None)
    trial.move_s = median(times) if times else None
    trial.sent = list(_read_commands(file))
    return trial


def _read_commands(file: Path) -> Iterator[str]:
    """Yield the commands in a log file, with the answers to commands that request a move."""
    is_asked = False
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        mark, _, text = line[10:].partition(" ")
        if mark == ">" and len(text) > 0:
            is_asked = "genmove" in text
            yield text
        elif mark in "<!" and is_asked:
            yield f"  {text}"


def as_json(report: CheckReport) -> str:
    return json.dumps({"ok": report.is_ok, **asdict(report)}, ensure_ascii=False) + "\n"


def as_text(report: CheckReport) -> str:
    return render("gtp/client/check.txt", report=report, levels=_TEXTS["levels"], most_shown=_SHOWN)
