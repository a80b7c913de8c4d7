"""Bots in their own processes: they see what a bot in our process sees, and can harm only themselves."""

import ctypes
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gtp_variants.base.processes import channel
from gtp_variants.errors import (
    BotFailed,
    ConfigError,
    NotationError,
    PeerError,
    PeerGarbled,
    PeerGone,
    PeerLate,
    PeerSilent,
)
from gtp_variants.gtp.client.isolated_bot import IsolatedBot, describe, launch_bot, make_player, set_parameter
from gtp_variants.gtp.client.player import FreshEngines
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.dice_stream import DiceStream
from tests.support.programs import environment
from tests.support.specs import EACH

SLOW = pytest.mark.slow

# Writes down everything that it is told and asked, and answers like `uniform`.
LISTENS = """
import gtp_variants as gv

class Listens(gv.Seat):
    parameters = {"level": 3, "file": str}
    threads = 2
    def note(self, *about):
        with open(self.file, "a") as file:
            print(*about, file=file)
    def sit(self, rules, colour, seed):
        super().sit(rules, colour, seed)
        self.note("sit", rules.spec, colour, seed)
    def hear(self, news):
        self.note("hear", news)
    def choose(self, view, clock):
        self.note("choose", view, view.actions, clock, view.position and sorted(view.position.history))
        self.explanation = f"turn {view.turn}"
        return super().choose(view, clock)
    def leave(self, outcome):
        self.note("leave", outcome)
"""
BAD = """
import os, sys, threading, time
import gtp_variants as gv
from pathlib import Path

class Bad(gv.Seat):
    parameters = {"act": ""}
    def sit(self, rules, colour, seed):
        super().sit(rules, colour, seed)
        self.count = 0
    def choose(self, view, clock):
        self.count += 1
        if self.count == 2:
            found = getattr(self, self.act)()
            if found is not None: return found
        return super().choose(view, clock)
    def prints(self):
        print("= D4"); print('{"answer": {"action": 0}}'); sys.stdout.flush(); os.system("echo = D5")
    def reads(self): assert sys.stdin.read() == ""
    def raises(self): raise KeyError("x")
    def leaves(self): sys.exit(3)
    def exits(self): os._exit(3)
    def hangs(self): time.sleep(600)
    def closes(self): os.closerange(0, 20); time.sleep(600)
    def nothing(self): return "D4"
    def odd(self): return [1, {2}]
    def huge(self): return 10 ** 10000
    def speaks(self):
        for number in range(3, 20):
            try: os.write(number, b'{"answer": {"action": 1}}\\n' * 2)
            except OSError: pass
    def floods(self):
        for number in range(3, 20):
            try:
                while True: os.write(number, b"x" * 65536)
            except OSError: pass
    def lies(self):
        for number in range(3, 20):
            try: os.write(number, b"[" * 50000 + b"\\n")
            except OSError: pass
        time.sleep(600)
    def pickles(self):
        for number in range(3, 20):
            try: os.write(number, b"cos\\nsystem\\n(S'touch gotcha'\\ntR.\\n")
            except OSError: pass
        time.sleep(600)
    def forks(self):
        if os.fork() == 0:
            Path(__file__).with_name("child").write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    def starts(self):
        thread = threading.Thread(target=time.sleep, args=(600,))
        thread.start()
"""


@pytest.fixture
def listens(tmp_path: Path) -> str:
    (tmp_path / "listens.py").write_text(LISTENS)
    return f"{tmp_path / 'listens.py'}:Listens"


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(BAD)
    return f"{tmp_path / 'bad.py'}:Bad"


def play(spec: str, black: Player, limit: int = 60) -> Table:
    """Play a game between `black` and built-in bots, up to `limit` events; return the table."""
    rules = parse(spec)
    table = Table(rules, lambda: DiceStream("dice"))
    try:
        for colour in rules.colours:
            one = black if colour == rules.colours[0] else bots.load("uniform")
            table.seat(colour, one, f"seed {colour}")
        while table.asked() is not None and len(table.game.events) < limit:
            table.step()
    finally:
        black.leave(table.game.outcome)
    return table


@pytest.mark.parametrize("spec", EACH)
def test_an_isolated_bot_gets_the_same_news_and_questions(tmp_path: Path, listens: str, spec: str) -> None:
    heard = []
    for place in ("here", "there"):
        bot = f"{listens}:file={tmp_path / place}"
        one = bots.load(bot) if place == "here" else IsolatedBot(bot)
        game = play(spec, one).game
        heard.append((game.events, re.sub(r" at 0x\w+", "", (tmp_path / place).read_text())))
        assert getattr(one, "explanation", "").startswith("turn ")
    assert heard[0] == heard[1]


@pytest.mark.slow
def test_a_bots_description_is_read_without_loading_it_in_our_process(listens: str) -> None:
    before = set(sys.modules)
    found = describe(listens)
    assert (found.parameters, found.plays_hidden, found.threads) == (("level", "file"), True, 2)
    assert found.source == Path(listens.removesuffix(":Listens"))
    assert not any("listens" in name for name in set(sys.modules) - before)
    with pytest.raises(NotationError, match="there is no class Other"):
        describe(listens.replace("Listens", "Other"))
    with pytest.raises(NotationError, match="level=x: expected a whole number"):
        describe(f"{listens}:level=x")
    with pytest.raises(NotationError, match=r"unknown bot 'gredy'.*did you mean greedy"):
        describe("gredy")


def test_a_file_that_does_not_load_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(ConfigError, match="ZeroDivisionError"):
        describe(str(tmp_path / "broken.py"))
    (tmp_path / "ends.py").write_text("import os\nos._exit(4)")
    with pytest.raises(ConfigError, match=r"ended before it answered 'describe' \(exit status 4\)"):
        describe(str(tmp_path / "ends.py"))
    with pytest.raises(ConfigError, match="ZeroDivisionError"):
        play("go:size=5", IsolatedBot(str(tmp_path / "broken.py")))


def test_ours_and_the_trusted_play_here(listens: str) -> None:
    assert type(make_player("uniform")).__name__ == "Uniform"
    assert type(make_player(listens, is_trusted=True)).__name__ == "Listens"
    assert isinstance(make_player(listens), IsolatedBot)


def test_a_parameter_is_set_before_and_during_a_game(tmp_path: Path, listens: str) -> None:
    bot = IsolatedBot(f"{listens}:file={tmp_path / 'log'}")
    set_parameter(bot, "level", "7")
    with pytest.raises(NotationError, match="level=x: expected a whole number"):
        set_parameter(bot, "level", "x")
    bot.sit(parse("go:size=5"), 1, "seed")
    set_parameter(bot, "file", str(tmp_path / "other"))
    with pytest.raises(NotationError, match="unknown parameter"):
        set_parameter(bot, "levl", "3")
    bot.leave(None)
    assert (tmp_path / "log").read_text().startswith("sit")
    assert (tmp_path / "other").read_text() == "leave None\n"


@pytest.mark.parametrize(
    ("act", "error", "why"),
    [
        ("raises", BotFailed, r"KeyError: 'x' \(bad.py, line"),
        pytest.param("leaves", BotFailed, r"SystemExit: 3", marks=SLOW),
        ("exits", PeerGone, r"it ended before it answered 'choose' \(exit status 3\)"),
        ("hangs", PeerSilent, "took more than 0.500 s for a move"),
        ("closes", PeerGone, "it ended before it answered 'choose'"),
        ("floods", PeerGarbled, "expected a GTP answer"),
        pytest.param("lies", PeerGarbled, "expected a GTP answer, got", marks=SLOW),
        pytest.param("pickles", PeerGarbled, "expected a GTP answer, got", marks=SLOW),
        pytest.param("speaks", PeerGarbled, "expected a GTP answer|without being asked", marks=SLOW),
    ],
)
def test_every_misbehaviour_is_the_bots_failure(
    bad: str, monkeypatch: pytest.MonkeyPatch, act: str, error: type[PeerError], why: str
) -> None:
    # A bot that closes its output does not end within any time.
    monkeypatch.setattr(channel, "_ENDING_S", 0.2 if act == "closes" else channel._ENDING_S)
    name = f"{bad}:act={act}"
    # No load makes another bot late.
    bot = IsolatedBot(name, FreshEngines(launch_bot(name, command_s=0.5 if act == "hangs" else 60.0)))
    with pytest.raises(error, match=why):
        play("go:size=5", bot)
    assert not Path("gotcha").exists()


@pytest.mark.parametrize(("act", "answer"), [("nothing", "'D4'"), ("odd", r"'\[1, \{2\}\]'")])
def test_an_answer_that_is_no_action_comes_as_it_is(bad: str, act: str, answer: str) -> None:
    with pytest.raises(NotationError, match=f"action {answer}: expected a whole number"):
        play("go:size=5", IsolatedBot(f"{bad}:act={act}"))


@pytest.mark.parametrize("act", ["prints", pytest.param("reads", marks=SLOW), pytest.param("starts", marks=SLOW)])
def test_output_input_and_children_of_a_bot_do_not_disturb_its_answers(bad: str, tmp_path: Path, act: str) -> None:
    name = f"{bad}:act={act}"
    bot = IsolatedBot(name, FreshEngines(launch_bot(name), tmp_path / "said.txt"))
    assert play("go:size=5", bot).game.outcome is not None
    if act == "prints":
        assert (tmp_path / "said.txt").read_text().splitlines() == ["= D4", '{"answer": {"action": 0}}', "= D5"]


def test_a_late_move_loses_on_time(bad: str) -> None:
    bot = IsolatedBot(f"{bad}:act=hangs")
    rules = parse("go:size=5")
    table = Table(rules, lambda: DiceStream("dice"))
    table.seat(1, bot, "one")
    table.seat(2, bots.load("uniform"), "two")
    table.step()
    table.step()
    table.clocks[1] = Clock.full(TimeControl("absolute", 0.3))
    with pytest.raises(PeerLate, match=r"took more than 0\.400 s"):
        table.step()


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_bots_child_processes_end_with_it(bad: str, tmp_path: Path) -> None:
    with pytest.raises(PeerGone):
        play("go:size=5", IsolatedBot(f"{bad}:act=forks"))
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 60
    while Path(f"/proc/{child}/stat").exists() and time.monotonic() < deadline:
        if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            break
    else:
        assert not Path(f"/proc/{child}").exists()


def test_passwords_of_ours_are_not_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER_PASSWORD", "hunter2")
    monkeypatch.setenv("MODE", "fast")
    (tmp_path / "curious.py").write_text(
        "import json, os\nfrom pathlib import Path\nimport gtp_variants as gv\n"
        "Path(__file__).with_name('found').write_text(json.dumps(dict(os.environ)))\n"
        "class Curious(gv.Seat): pass\n"
    )
    describe(f"{tmp_path / 'curious.py'}")
    found = json.loads((tmp_path / "found").read_text())
    assert (found["SERVER_PASSWORD"], found["MODE"]) == ("", "fast")


# Tries to read the memory of its parent process, once the parent has become an ordinary process of its user.
READS_MEMORY = """
import ctypes, os, sys
from gtp_variants.base.processes.secrecy import protect_memory

if os.geteuid() == 0:
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
if sys.argv[1] == "closed":
    protect_memory()
child = os.fork()
if child == 0:
    try:
        open(f"/proc/{os.getppid()}/mem", "rb").close()
        os.listdir(f"/proc/{os.getppid()}/fd")
    except PermissionError:
        os._exit(1)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")
def test_memory_that_is_closed_can_be_read_by_no_process_of_the_same_user() -> None:
    found = {}
    for state in ("open", "closed"):
        command = [sys.executable, "-c", READS_MEMORY, state]
        found[state] = subprocess.run(command, env=environment(), capture_output=True, check=True, text=True).stdout
    if found["open"] != "0\n":
        pytest.skip("this system lets no process look into another")
    assert found["closed"] == "1\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")
def test_memory_of_bot_and_parent_process_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "curious.py").write_text(
        "import ctypes\nimport gtp_variants as gv\n"
        "class Curious(gv.Seat): plays_hidden = bool(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))\n"
    )
    # Option 3 is PR_GET_DUMPABLE.
    assert not describe(f"{tmp_path / 'curious.py'}").plays_hidden
    assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0


def test_control_characters_of_a_bot_are_removed(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "import gtp_variants as gv\n"
        "class Loud(gv.Seat):\n"
        "    def choose(self, view, clock):\n"
        "        self.explanation = 'a\\x1b[2Jb\\nc' + 2000 * 'x'\n"
        "        if view.turn > 1: raise KeyError('\\x1b[31m')\n"
        "        return super().choose(view, clock)\n"
    )
    bot = IsolatedBot(str(tmp_path / "loud.py"))
    with pytest.raises(BotFailed) as failed:
        play("go:size=5", bot)
    assert bot.explanation.isprintable()
    assert len(bot.explanation) == 1000
    assert str(failed.value).isprintable()
