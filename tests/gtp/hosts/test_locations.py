"""The configuration for GoGui and Sabaki, and the search for their programs on simulated computers."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gtp_variants.cli.play.gui import main
from gtp_variants.errors import ConfigError
from gtp_variants.gtp.hosts import HOSTS, Computer, Done, for_gogui, gogui_command, our_command
from gtp_variants.lang import RequestRefused


def imagined(
    platform: str = "linux",
    there: Sequence[str] = (),
    path: Sequence[str] = (),
    **environment: str,
) -> Computer:
    """A computer with these files, these programs on the PATH and these variables."""
    return Computer(
        platform=platform,
        environment=environment,
        home=Path("/home/ann"),
        python="/home/ann/go games/.venv/bin/python",
        find=lambda name: f"/usr/bin/{name}" if name in path else None,
        is_there=lambda place: place.as_posix() in there,
        run=lambda *asked: Done(0, b"", b""),
    )


OURS = "/home/ann/go games/.venv/bin/gtp-variants"


# -- our own command ---------------------------------------------------------------------------------------------------


def test_the_program_beside_this_python_is_named_by_its_whole_path() -> None:
    assert our_command(imagined(there=[OURS])) == [OURS]
    assert our_command(imagined("win32", there=[OURS + ".exe"])) == [OURS + ".exe"]


def test_without_one_python_runs_the_package() -> None:
    assert our_command(imagined()) == ["/home/ann/go games/.venv/bin/python", "-m", "gtp_variants"]


# -- GoGui's quoting ---------------------------------------------------------------------------------------------------


def as_gogui_reads(text: str) -> list[str]:
    """GoGui 1.6's way to take a command apart: quotes toggle, blanks split outside of them, nothing else counts."""
    words, word, in_quotes, escaped = [], "", False, False
    for letter in text:
        if letter == '"' and not escaped:
            if in_quotes:
                words.append(word)
                word = ""
            in_quotes = not in_quotes
        elif letter.isspace() and not in_quotes:
            if word:
                words.append(word)
            word = ""
        else:
            word += letter
        escaped = letter == "\\" and not escaped
    return [*words, word] if word else words


@pytest.mark.parametrize(
    "words",
    [
        ["gtp-variants", "gtp"],
        [OURS, "gtp", "aleago:size=9,dice=1d4"],
        [r"C:\Program Files\Go\gtp-variants.exe", "gtp", "rosette"],
        [r"C:\go\gtp-variants.exe", "--seed", "", "x"],
        ["it's", "$HOME", "a\tb", "`ls`", "a'b c"],
    ],
)
def test_gogui_reads_what_was_meant(words: list[str]) -> None:
    assert as_gogui_reads(for_gogui(words)) == words


@pytest.mark.parametrize("word", ['a"b', "%SRAND", "in a folder\\"])
def test_paths_that_gogui_cannot_read_are_refused(word: str) -> None:
    with pytest.raises(ConfigError, match="GoGui cannot pass on"):
        for_gogui([word])


# -- where the programs are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("computer", "command"),
    [
        (imagined(path=["gogui"]), ["/usr/bin/gogui"]),
        (imagined(there=["/home/ann/gogui/bin/gogui"]), ["/home/ann/gogui/bin/gogui"]),
        (imagined(there=["/usr/share/gogui/lib/gogui.jar"], path=["java"]), ["/usr/bin/java", "-jar"]),
        (imagined("darwin", there=["/Applications/GoGui.app"]), ["open", "-n", "-W", "-a"]),
        (imagined("win32", there=["C:/P/GoGui/gogui.exe"], ProgramFiles="C:/P"), ["C:/P/GoGui/gogui.exe"]),
        (imagined("win32", there=["C:/P/GoGui/gogui.exe"], **{"ProgramFiles(x86)": "C:/P"}), ["C:/P/GoGui/gogui.exe"]),
        (imagined(there=["/opt/g/gogui.jar"], path=["java", "gogui"], GOGUI="/opt/g/gogui.jar"), ["/usr/bin/java"]),
        (imagined(there=["/opt/g"], path=["gogui"], GOGUI="/opt/g"), ["/opt/g"]),
    ],
)
def test_gogui_is_found(computer: Computer, command: list[str]) -> None:
    assert [word.replace("\\", "/") for word in gogui_command(computer)][: len(command)] == command


@pytest.mark.parametrize(
    ("computer", "says"),
    [
        (imagined(), "Get version 1.6 from https://.*set GOGUI"),
        (imagined(GOGUI="/nowhere", path=["gogui"]), "got /nowhere, which does not exist"),
        (imagined(there=["/usr/lib/gogui.jar"]), "needs Java"),
    ],
)
def test_a_missing_gogui_is_reported_with_the_next_step(computer: Computer, says: str) -> None:
    with pytest.raises(RequestRefused, match=says):
        gogui_command(computer)


def test_sabaki_is_found() -> None:
    find = HOSTS["sabaki"].find_program
    assert find(imagined()) is None
    assert find(imagined(path=["sabaki"])) == "/usr/bin/sabaki"
    assert find(imagined("darwin", there=["/Applications/Sabaki.app"])) == "/Applications/Sabaki.app"
    found = find(imagined("win32", there=["C:/L/Programs/Sabaki/Sabaki.exe"], LOCALAPPDATA="C:/L"))
    assert found is not None
    assert found.replace("\\", "/") == "C:/L/Programs/Sabaki/Sabaki.exe"


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, computer: Computer | None = None) -> str:
    assert main(arguments, computer or imagined(there=[OURS])) == 0
    return capsys.readouterr().out


def gogui_words(text: str) -> list[str]:
    """Return the words that GoGui starts for a command line."""
    line = next(line for line in text.split("\n") if line.startswith("    gogui "))
    words = shlex.split(line)
    assert words[:2] == ["gogui", "-program"]
    return as_gogui_reads(words[2])


def test_the_line_for_a_terminal_and_the_field_of_the_dialog_start_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "aleago:size=9")
    words = gogui_words(text)
    field = next(line for line in text.split("\n") if line.startswith("    Command "))
    assert as_gogui_reads(field.removeprefix("    Command ")) == words
    assert words[:4] == [OURS, "gtp", "aleago:size=9", "--seed-file"]


def test_every_call_has_a_secret_of_its_own_of_sixteen_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    files = [Path(gogui_words(printed(capsys))[4]) for _ in range(3)]
    assert len({file.read_text(encoding="utf-8") for file in files}) == 3
    assert all(len(bytes.fromhex(file.read_text(encoding="utf-8").strip())) == 16 for file in files)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such rights")
def test_gogui_which_saves_an_engines_command_with_a_game_learns_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--seed", 'my "own" secret')
    assert "own" not in text.replace("of its own", "")
    file = Path(gogui_words(text)[4])
    assert file.read_text(encoding="utf-8") == 'my "own" secret\n'
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_computer_plays_second_with_either_colour_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert "-computer-white" in printed(capsys, "aleago")
    assert "-computer-black" in printed(capsys, "pentalath")
    assert "-computer-both" in printed(capsys, "pentalath", "--computer", "both")


def test_options_reach_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    words = gogui_words(printed(capsys, "aleago:size=9", "--level", "3", "--lang", "fr", "--handicap", "4"))
    assert words[5:] == ["--bot", "mcts:level=3", "--lang", "fr", "--handicap", "4"]


def test_hidden_games_show_the_players_view_with_veiled_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert gogui_words(printed(capsys, "phantom"))[-3:] == ["--view", "b", "--veil"]
    assert gogui_words(printed(capsys, "phantom", "--computer", "black"))[-3:] == ["--view", "w", "--veil"]
    assert "--veil" not in printed(capsys, "phantom", "--computer", "both")
    assert "--veil" not in printed(capsys, "phantom", "--view", "all")


def test_sabaki_is_told_to_take_stones_off_the_line_and_what_it_cannot_play(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "aleago")
    assert "--off-line accept --tell" in text
    assert f"    Path               {OURS}\n" in text
    assert "--off-line" not in printed(capsys, "go")
    for spec in ("rosette", "alter-igo", "pentalath", "phantom"):
        text = printed(capsys, spec)
        assert "gtp-variants diagram RECORD --sgf FILE" in text
        assert "Initial commands" not in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["pentalath:players=3"], "only two colours"),
        (["alter-igo:width=5,height=4"], "square boards only"),
        (["chess"], "unknown"),
        (["go", "--level", "99"], "level=99"),
        (["go", "--bot", "nobody"], "unknown bot"),
        (["go", "--handicap", "4"], "--handicap: Go: use GoGui"),
        (["pentalath", "--handicap", "4"], "--handicap: Pentalath has no handicap"),
        (["go", "--run"], "Get version 1.6 from"),
        (["go", "--bot", 'a"b'], "unknown bot"),
    ],
)
def test_invalid_input_is_reported(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments, imagined()) == 2
    assert says in capsys.readouterr().err


def test_gogui_is_started_with_the_words_that_would_be_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    class Ended:
        returncode = 7

    def run(command: list[str], *, check: bool) -> Ended:
        started.append(command)
        return Ended()

    monkeypatch.setattr("subprocess.run", run)
    assert main(["rosette", "--run", "--seed", "x"], imagined(path=["gogui"], there=[OURS])) == 7
    ((program, option, engine, plays),) = started
    assert (program, option, plays) == ("/usr/bin/gogui", "-program", "-computer-white")
    assert as_gogui_reads(engine) == [OURS, "gtp", "rosette", "--seed-file", engine.split()[-1]]


def test_a_bot_in_a_file_is_named_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(
        "import gtp_variants as gv\n\n\nclass Mine(gv.Seat):\n    pass\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert f"{tmp_path / 'mine.py'}:Mine" in gogui_words(printed(capsys, "go", "--bot", "mine.py:Mine"))
