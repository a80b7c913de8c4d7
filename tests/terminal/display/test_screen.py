"""`gtp-variants play` and `referee` on real terminals: wide and narrow, without colours, interrupted and killed."""

import os
import re
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pexpect
import pytest
from rich.console import Console

from gtp_variants.cli import main
from gtp_variants.records.files import load_record
from gtp_variants.terminal.blocks import TextBlock
from gtp_variants.terminal.games.save_file import PLAY, GamesFolder, load
from gtp_variants.terminal.screen import TerminalScreen
from tests.support.programs import COMMAND
from tests.support.waiting import wait_until

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CLEAR = "\x1b[H\x1b[2J\x1b[3J"
VERTEX = re.compile(r"\b[A-Ea-e][1-5]\b")
TIMEOUT_S = 60


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def piped(lines: bytes, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    """The program without a terminal."""
    return subprocess.run([*COMMAND, *arguments], input=lines, capture_output=True, timeout=TIMEOUT_S, check=False)


class Person:
    """A person at a terminal of a given width, who plays line by line."""

    def __init__(self, *arguments: str, columns: int = 100, environment: dict[str, str] | None = None) -> None:
        environment = environment or {}
        is_poor = environment.get("TERM") == "dumb"
        self.child = pexpect.spawn(
            COMMAND[0],
            [*COMMAND[1:], *arguments, *(["--plain"] if arguments[0] == "play" and not is_poor else [])],
            env={**os.environ, **environment},
            encoding="utf-8",
            dimensions=(40, columns),
            timeout=TIMEOUT_S,
        )
        self.child.delaybeforesend = None

    def sees(self, text: str) -> str:
        """Wait for a text; what came before it, escape codes and all."""
        self.child.expect_exact(text)
        return str(self.child.before) + text

    def types(self, *lines: str) -> None:
        """Type lines, each after a prompt."""
        for line in lines:
            self.child.sendline(line)

    def plays(self, prompt: str, *lines: str) -> str:
        """Type each line when the prompt is there; what was seen, without escape codes."""
        seen = ""
        for line in lines:
            seen += self.sees(prompt)
            self.types(line)
        return ESCAPE.sub("", seen)

    def sees_end(self) -> str:
        """Wait for the end of the program, which must have ended well; all that was seen."""
        self.child.expect(pexpect.EOF)
        seen = str(self.child.before)
        self.child.close()
        assert self.child.exitstatus == 0, seen
        return ESCAPE.sub("", seen).replace("\r\n", "\n")


def sees_result(person: Person, result: str) -> None:
    seen = person.sees_end()
    # A long path has a line of its own.
    found = re.search(r"([^\n]*)\. (?:Record:|Partie\u00a0:)\s+(\S+\.json)\s*$", seen)
    assert found is not None, seen
    assert found[1] == result
    assert main(["verify", found[2]]) == 0


# -- a whole game of each kind -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "lines", "sentence", "result"),
    [
        (
            "go:size=3",
            "B2 A1 help undo Z9 pass pass pass pass",
            "'z9' is not a point of this board",
            "Black wins by 1.5 points",
        ),
        (
            "alter-igo:size=3,lang=fr",
            "passe A2 C3 B1 A1",
            "On ne passe pas à ce jeu.",
            "Noir gagne\u00a0: la dernière pierre est la seule à avoir été prise",
        ),
        (
            "pentalath:players=3",
            "D4 A1 C1 E4 A2 C2 F4 A3 C3 G4 B1 E1 H4",
            "Red to play",
            "White wins with five in a row",
        ),
    ],
)
def test_a_whole_game(spec: str, lines: str, sentence: str, result: str) -> None:
    person = Person("play", spec, "--two")
    assert sentence in person.plays(" > ", *lines.split())
    sees_result(person, result)


@pytest.mark.slow
def test_a_game_of_aleago_in_french_on_forty_columns() -> None:
    person = Person("play", "aleago:size=9", "--two", "--lang", "fr", "--seed", "x", columns=40)
    seen = person.plays(" > ", "passe", "tirages", "zz", "passe", "passe", "passe")
    assert "╭───╮" in seen
    assert "la ligne" in seen
    boards = [line for line in seen.splitlines() if "·" in line]
    assert max(map(len, boards)) <= 40
    seen = " ".join(person.sees_end().split())
    assert "Blanc gagne de" in seen
    assert "vérifie, dés compris" in seen


@pytest.mark.slow
def test_a_game_of_rosette_too_wide_then_wide_enough() -> None:
    person = Person("play", "rosette", "--two", columns=40)
    seen = person.sees("Black > ")
    assert "needs 48 columns" in seen
    person.child.setwinsize(40, 60)
    person.types("board")
    person.sees("AB")
    person.plays("Black > ", "resign")
    person.plays("(yes/no) ", "yes")
    sees_result(person, "White wins by resignation")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["phantom:size=3", "aleago:size=4,dice=1d2"])
def test_a_game_against_a_bot(game: str) -> None:
    person = Person("play", game, "--bot", "uniform", "--as", "w", "--seed", "y")
    seen = person.plays("White > ", *(["odds", "hint"] if game.startswith("phantom") else ["atari"]), "resign")
    assert "Black thinks ..." in seen
    person.plays("(yes/no) ", "yes")
    sees_result(person, "Black wins by resignation")


def test_go_fantome_for_two() -> None:
    """Between two clearings one seat's stones are on the screen, and what the other typed cannot be called back."""
    person = Person("play", "phantom:size=5", "--two")
    screens = [person.sees("Black, press Enter when nobody else is looking. ")]
    moves = [("Black", "White", "c3"), ("White", "Black", "d4"), ("Black", "White", "c2"), ("White", "Black", "e5")]
    for name, other, move in moves:
        person.types("")
        person.sees(CLEAR)
        screens.append(person.sees(f"{name} > "))
        # Where lines are edited, up would bring back what the other typed, and Ctrl-Y what they cut with Ctrl-U.
        person.child.send("\x1b[A\x1b[A\x19\x15a1\x15")
        person.types(move)
        screens[-1] += person.sees(f"hand the keyboard to {other}. ")
        person.types("")
        covered = person.sees(f"{other}, press Enter when nobody else is looking. ")
        assert CLEAR in covered
        assert not VERTEX.search(ESCAPE.sub("", covered))
    stones = {"Black": {"c3", "c2"}, "White": {"d4", "e5"}}
    for (name, _, _), screen in zip(moves, screens[1:], strict=True):
        others = stones["White" if name == "Black" else "Black"]
        assert screen.lower().count("a1") == 1
        assert not others & set(map(str.lower, VERTEX.findall(ESCAPE.sub("", screen))))
    person.types("")
    person.plays("Black > ", "resign")
    person.plays("(yes/no) ", "yes")
    seen = person.sees_end()
    assert seen.index("What Black knew") < seen.index("What White knew") < seen.index("The referee's board")
    assert "White wins by resignation" in seen


@pytest.mark.slow
def test_the_screen_of_two_is_another_one_and_is_left_clean() -> None:
    person = Person("play", "phantom:size=5", "--two")
    seen = person.sees("nobody else is looking. ")
    assert seen.index("\x1b[?1049h") < seen.index(CLEAR)
    person.types("")
    person.plays("Black > ", "C3")
    person.sees("hand the keyboard")
    person.child.sendintr()
    person.sees("(yes/no) ")
    person.types("yes")
    person.child.expect(pexpect.EOF)
    seen = str(person.child.before)
    assert CLEAR + "\x1b[?1049l" in seen
    after = seen.split("\x1b[?1049l")[1]
    assert "--resume phantom-" in after
    assert not VERTEX.search(after)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT])
def test_a_program_that_is_told_to_end_clears_the_screen_of_two(number: signal.Signals) -> None:
    person = Person("play", "phantom:size=5", "--two")
    person.sees("nobody else is looking. ")
    person.types("")
    person.plays("Black > ", "C3")
    person.sees("hand the keyboard")
    person.child.kill(number)
    person.child.expect(pexpect.EOF)
    person.child.close()
    assert person.child.exitstatus == 128 + number
    assert str(person.child.before).endswith(CLEAR + "\x1b[?1049l")


# -- interrupted and killed --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ctrl_c_and_ctrl_d_ask_and_lose_nothing() -> None:
    person = Person("play", "go:size=5", "--two", "--lang", "fr")
    person.plays("Noir > ", "C3")
    person.sees("Blanc > ")
    person.child.sendintr()
    person.sees("(oui/non) ")
    person.types("hein", "non")
    person.sees("Blanc > ")
    person.child.sendeof()
    person.sees("(oui/non) ")
    person.types("n")
    person.plays("Blanc > ", "D3")
    person.sees("Noir > ")
    person.child.sendintr()
    person.sees("(oui/non) ")
    person.types("oui")
    seen = person.sees_end()
    assert "gtp-variants play --resume go-" in seen
    (path,) = GamesFolder(Path(os.environ["XDG_STATE_HOME"]) / "gtp-variants").paths(PLAY)
    assert load(path).table.position.turn == 3


def test_ctrl_c_while_a_bot_thinks(home: Path) -> None:
    Path("slow.py").write_text(
        "import time\nimport gtp_variants as gv\n"
        "class Slow(gv.Seat):\n"
        "    def pick(self, view, points):\n"
        "        time.sleep(0 if view.turn > 2 or gv.os_done() else 60)\n"
        "        return points[0]\n"
        "import pathlib\n"
        "def done():\n"
        "    was = pathlib.Path('woken').exists(); pathlib.Path('woken').touch(); return was\n"
        "gv.os_done = done\n"
    )
    person = Person("play", "go:size=5", "--bot", "slow.py")
    person.plays("Black > ", "C3")
    person.sees("White thinks ...")
    # On a busy machine the bot's process takes a while to begin.
    wait_until(Path("woken").exists)
    person.child.sendintr()
    person.sees("(yes/no) ")
    person.types("no")
    seen = person.sees("Black > ")
    assert "White: A1" in seen
    person.types("quit")
    assert "--resume go-" in person.sees_end()


@pytest.mark.slow
def test_a_killed_terminal_resumes_with_the_same_dice(home: Path) -> None:
    person = Person("play", "aleago:size=9", "--two")
    person.sees("Black > ")
    person.types("pass")
    person.sees("White throws ")
    person.sees("White > ")
    (path,) = GamesFolder(home / "state" / "gtp-variants").paths(PLAY)
    before = load(path)
    person.child.kill(signal.SIGKILL)
    person.child.close()
    person = Person("play", "--resume")
    seen = person.sees("White > ")
    assert "The game continues where it was." in seen
    assert before.record.commitment is not None
    assert before.record.commitment in ESCAPE.sub("", seen).replace("\r\n", "")
    assert load(path).table.game == before.record.game
    person.types("pass")
    person.plays("Black > ", "pass")
    person.plays("White > ", "pass")
    person.sees_end()
    (finished,) = (home / "state" / "gtp-variants" / "finished").glob("*.json")
    assert main(["verify", str(finished)]) == 0
    assert load_record(finished).game.events[: len(before.record.game.events)] == before.record.game.events


@pytest.mark.slow
def test_a_killed_game_of_go_fantome_continues_behind_the_curtain(home: Path) -> None:
    person = Person("play", "phantom:size=5", "--two")
    person.sees("nobody else is looking. ")
    person.types("")
    person.plays("Black > ", "C3")
    person.sees("hand the keyboard")
    person.types("")
    person.sees("nobody else is looking. ")
    person.types("")
    person.plays("White > ", "C3")
    person.sees("impossible move")
    person.sees("White > ")
    person.child.kill(signal.SIGKILL)
    person.child.close()
    person = Person("play", "--resume")
    seen = person.sees("White, press Enter when nobody else is looking. ")
    assert "·" not in ESCAPE.sub("", seen)
    person.types("")
    assert "?" in ESCAPE.sub("", person.sees("White > ")).split("stones taken")[0]
    person.types("quit")
    person.sees_end()


def test_leaving_at_a_curtain_shows_nobody_a_board(home: Path) -> None:
    person = Person("play", "phantom:size=3", "--two")
    person.sees("nobody else is looking. ")
    person.types("")
    person.plays("Black > ", "B2")
    person.sees("hand the keyboard to White. ")
    person.types("quit")
    assert "White > " not in person.sees_end()
    person = Person("play", "--resume")
    person.sees("White, press Enter when nobody else is looking. ")
    person.types("quit")
    assert "White > " not in person.sees_end()


# -- terminals ---------------------------------------------------------------------------------------------------------


def test_a_narrow_terminal_that_can_do_nothing() -> None:
    person = Person("play", "pentalath", "--two", columns=40, environment={"TERM": "dumb"})
    person.plays("White > ", "D4")
    seen = person.sees("Black > ").replace("\r", "")
    assert max(map(len, seen.split("\n"))) <= 40
    assert "(O)" in seen
    person.types("quit")
    person.sees_end()


@pytest.mark.slow
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colours_the_board_is_letters(environment: dict[str, str]) -> None:
    person = Person("play", "aleago:size=9", "--two", "--seed", "x", environment=environment)
    seen = person.sees("Black > ")
    assert "* open" in seen
    assert "Black throws 1" in seen
    assert "╭" not in seen
    assert not re.search(r"\x1b\[[0-9;]*[34][0-9][;m]", seen)
    assert ("\x1b" in seen) == ("NO_COLOR" in environment)
    person.types("quit")
    person.sees_end()


@pytest.mark.slow
def test_in_colours_the_open_line_is_lit() -> None:
    person = Person("play", "aleago:size=9", "--two", "--seed", "x")
    seen = person.sees("Black > ")
    assert seen.count("•") == 32 + 1
    assert "\x1b[3A" in seen
    person.types("quit")
    person.sees_end()


def test_piped_input_and_binary_lines_are_handled() -> None:
    lines = "A1\nxyzzy\n\xff\xfe\n\x00\nresign\nyes\n".encode("latin-1")
    done = subprocess.run(
        [*COMMAND, "play", "aleago:size=9", "--two", "--seed", "x"],
        input=lines,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    said = done.stdout.decode()
    assert "\x1b" not in said
    assert "Black: A1" in said
    assert said.count("expected a command or a point") == 3
    assert said.splitlines()[-1].startswith("Black wins by resignation. Record: ")


def test_the_end_of_a_pipe_keeps_the_game() -> None:
    done = subprocess.run(
        [*COMMAND, "play", "go:size=5", "--two"], input=b"C3\n", capture_output=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0
    assert b"gtp-variants play --resume go-" in done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_a_terminal_of_plain_ascii() -> None:
    person = Person("play", "phantom:size=5,lang=fr", "--bot", "greedy", environment={"PYTHONIOENCODING": "ascii"})
    seen = person.plays("Noir > ", "C3", "abandonne")
    assert "Noir a joue" in seen
    person.types("o")
    person.sees_end()


# -- the referee -------------------------------------------------------------------------------------------------------


@pytest.fixture
def voice(home: Path) -> Path:
    folder = home / "bin"
    folder.mkdir()
    program = folder / "espeak-ng"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nopen({str(home / 'heard')!r}, 'a').write(sys.argv[-1] + '\\n')\n"
    )
    program.chmod(0o755)
    return folder


def test_the_referee_says_what_he_may_and_shows_nothing(voice: Path, home: Path) -> None:
    person = Person("referee", "phantom:size=5", "--lang", "fr", "--speak", environment={"PATH": str(voice)})
    # The first line names a point as an example.
    person.sees("Noir > ")
    seen = ""
    for line, prompt in [("n b1", "Blanc > "), ("b b1", "Blanc > "), ("a1", "Noir > "), ("z9", "Noir > ")]:
        person.types(line)
        seen += person.sees(prompt)
    assert not re.search(r"\b[ABZabz][19]\b", ESCAPE.sub("", seen))
    for said in ("Noir a joué", "coup impossible", "Blanc joue et se met en atari", "Pas compris"):
        assert said in seen
    person.child.kill(signal.SIGKILL)
    person.child.close()
    person = Person("referee", "--resume", "--speak", environment={"PATH": str(voice)})
    person.sees("Noir > ")
    person.types("A2")
    assert "montrées aux deux\u00a0: A1" in person.sees("Blanc > ")
    person.types("goban")
    person.sees("(oui/non) ")
    person.types("oui")
    seen = person.sees("Entrée pour cacher. ")
    assert seen.index("\x1b[?1049h") < seen.index("Le goban de l'arbitre")
    person.types("")
    person.sees(CLEAR + "\x1b[?1049l")
    person.plays("Blanc > ", "passe")
    person.plays("Noir > ", "passe")
    person.sees("Deux passes")
    person.plays("Blanc > ", "compte")
    person.sees("(oui/non) ")
    person.types("oui")
    person.sees("Les deux acceptent la fin")
    person.plays("Blanc > ", "compte")
    sees_result(person, "Noir gagne de 17,5 points")
    heard = (home / "heard").read_text().splitlines()
    assert heard[:3] == ["Noir a joué", "coup impossible", "Blanc joue et se met en atari"]
    assert "montrées aux deux\u00a0: A1" in heard


@pytest.mark.slow
def test_typing_during_the_referees_speech_is_not_shown(voice: Path, home: Path) -> None:
    (voice / "espeak-ng").write_text(
        f"#!{sys.executable}\nimport time\nfrom pathlib import Path\n"
        f"while not Path({str(home / 'said')!r}).exists():\n    time.sleep(0.02)\n"
    )
    person = Person("referee", "phantom:size=5", "--speak", environment={"PATH": str(voice)})
    person.plays("Black > ", "C3")
    person.sees("Black has played")
    person.child.send("d4")
    (home / "said").touch()
    seen = person.sees("White > ")
    assert "d4" not in seen
    person.types("D3")
    seen = person.sees("Black > ")
    assert "White plays" in seen or "White has played" in seen
    # Other questions are answered in sight.
    person.types("resign")
    person.sees("(yes/no) ")
    person.types("yes")
    assert "yes" in person.sees_end()


def test_the_referee_reads_a_pipe() -> None:
    lines = b"b C3\nw C3\nD3\npass\npass\ncount\nyes\ncount\n"
    done = subprocess.run(
        [*COMMAND, "referee", "phantom:size=5"], input=lines, capture_output=True, timeout=TIMEOUT_S, check=False
    )
    said = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "impossible move" in said
    assert "wins by" in said.splitlines()[-1]


def test_a_line_does_not_begin_with_a_colon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    screen = TerminalScreen("fr")
    shown = StringIO()
    screen.console = Console(file=shown, force_terminal=True, no_color=True, highlight=False)
    screen.show(TextBlock("La partie est finie\u00a0: Noir gagne par abandon.", "said"))
    lines = ESCAPE.sub("", shown.getvalue()).splitlines()
    assert [line.rstrip() for line in lines] == ["La partie est", "finie\u00a0: Noir gagne", "par abandon."]
