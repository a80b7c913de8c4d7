"""`gtp-variants replay`: keys, lines, screens of every size; and the terminal afterwards as it was before."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.cli import main
from gtp_variants.records.files import save
from gtp_variants.records.record import Record
from gtp_variants.records.steps import RecordSteps
from gtp_variants.rules import parse
from gtp_variants.rules.actions import WHITE
from gtp_variants.rules.game import Game, random_game
from gtp_variants.terminal.replay import ReplayCursor, split_keys
from tests.records.games import game
from tests.support.programs import COMMAND

ALEAGO = game("aleago:size=5,dice=1d2", "chance 1, b A1, chance 2, w B2, chance 1, b pass, chance 2, w C4, b resign")
CAPTURE = game("go:size=5", "b A1, w A2, b E5, w B1, b C3, w C4")
PHANTOM = game("phantom:size=5,lang=fr", "b C3, w C3, w D3, b D3, b C4")
PROGRAM = [*COMMAND, "replay"]

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


def reader(played: Game, seat: int | None = None) -> ReplayCursor:
    return ReplayCursor(RecordSteps(Record(played), seat))


def pressed(at: ReplayCursor, keys: str) -> int:
    """The moment after some keys."""
    for key in split_keys(keys):
        at.press(key)
    return at.number


# -- where a key leads ------------------------------------------------------------------------------------------------


def test_letters_arrows_and_numbers() -> None:
    at = reader(CAPTURE)
    assert [pressed(at, keys) for keys in ("n", "n", "b", "l", "n", "f", "b")] == [1, 2, 1, 6, 6, 0, 0]
    assert pressed(at, "\x1b[C\x1b[B \x1b[D") == 2
    assert pressed(at, "\x1b[F\x1b[A") == 5
    assert pressed(at, "\x1bOH") == 0
    assert pressed(at, "3\r") == 3
    assert pressed(at, "12\x7f\n") == 1
    assert pressed(at, "99\n") == 1
    assert at.note == "move 99: expected 0 to 6"


def test_enter_after_a_letter_changes_nothing() -> None:
    at = reader(CAPTURE)
    assert pressed(at, "n\nn\r\n\n") == 2
    assert pressed(at, "2b\n") == 1


def test_captures_forward_and_back() -> None:
    at = reader(CAPTURE)
    assert pressed(at, "c") == 4
    assert pressed(at, "c") == 4
    assert at.note == "no capture follows"
    assert pressed(at, "lC") == 4


def test_unknown_keys_are_named_and_do_nothing() -> None:
    at = reader(PHANTOM)
    for key in ("x", "\x1b[99~", "é", "\x00", "²"):
        assert pressed(at, key) == 0
    assert pressed(at, "x") == 0
    assert at.note.startswith("'x'\u00a0: n, b, f")
    pressed(at, "9" * 50)
    assert pressed(at, "\n") == 0
    pressed(at, "\x04")
    assert at.has_left


# -- pages ------------------------------------------------------------------------------------------------------------


def lines(at: ReplayCursor, width: int, height: int) -> list[str]:
    return [line.plain for line in at.page(width, height)]


@pytest.mark.parametrize(
    "spec", ["go", "aleago:size=9", "phantom", "rosette", "rosette:n=13", "alter-igo", "pentalath"]
)
@pytest.mark.parametrize("size", [(200, 60), (80, 24), (40, 20), (20, 8), (1, 1), (5, 200)], ids=str)
def test_a_page_fits_any_terminal_and_shows_the_last_stone(spec: str, size: tuple[int, int]) -> None:
    width, height = size
    at = reader(random_game(parse(spec), 1, 60))
    for _ in range(0, 60, 7):
        pressed(at, "n" * 7)
        page = at.page(width, height)
        assert len(page) <= max(height, 1)
        position = at.moments.position(at.moments.all[at.number])
        last = position.last
        stands = last is not None and last.action >= 0 and position.stones[last.action]
        if width >= 40 and height >= 20 and stands:
            # Where there is no room around a stone the last one is a small letter.
            board = [line.plain[:width] for line in page[2:-1]]
            assert any(re.search(r"\([XO]\)|[ .XO+][xo]([ .XO+]|$)", line) for line in board), board


def test_announcements_are_beside_a_board_too_high_for_the_screen() -> None:
    at = reader(game("go", "b D4, w Q16"))
    pressed(at, "l")
    beside = lines(at, 80, 24)
    assert beside[3].endswith(" . .   stones taken by Black 0, White 0")
    assert beside[4].endswith(" . .   turn 3: Black to play")
    assert beside[22].strip() == "A B C D E F G H J K L M N O P Q R S T"
    # Words that have no room in a row go on in the next.
    at = reader(random_game(parse("rosette"), 3, 60))
    words = " ".join(line[46:].strip() for line in lines(at, 80, 24)[3:-1] if len(line) > 49)
    assert "stones taken by Black 0, White 0 turn 1: Black to play" in " ".join(words.split())
    at = reader(game("go", "b D4, w Q16"))
    pressed(at, "l")
    below = lines(at, 80, 40)
    assert below[3] == "19" + "  ." + 18 * " ."
    assert "turn 3: Black to play" in below


def test_the_part_of_a_board_around_the_last_stone_keeps_its_names() -> None:
    at = reader(game("go", "b D4, w Q16"))
    pressed(at, "l")
    assert lines(at, 20, 12) == [
        "Go",
        "move 2 of 2: White Q16",
        "",
        "18 .................",
        "17 .................",
        "16 .+.....+.....o...",
        "15 .................",
        "   C E G J L N P R T",
        "",
        "stones taken by Black 0, White 0",
        "turn 3: Black to play",
        "q quit  the board is larger than the terminal  n next  b back  f first  l last  c capture  12 Enter move 12",
    ]


@pytest.mark.parametrize("spec", ["go", "rosette", "pentalath:players=3", "aleago:size=9"])
def test_a_painted_page_has_the_rows_of_a_plain_one(spec: str) -> None:
    at = reader(random_game(parse(spec), 1, 60))
    pressed(at, "l")
    for size in ((200, 60), (80, 24), (40, 20), (20, 8)):
        painted, plain = at.page(*size, is_painted=True), at.page(*size)
        assert len(painted) == len(plain)
        assert any(line.spans for line in painted[3:])


# -- without a keyboard or a screen -----------------------------------------------------------------------------------


def run(file: str, given: str) -> str:
    done = subprocess.run([*PROGRAM, file], input=given, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout


def test_lines_are_commands_where_there_is_no_keyboard(tmp_path: Path) -> None:
    save(CAPTURE, tmp_path / "x.json")
    text = run(str(tmp_path / "x.json"), "n n\n\n5\nwhat\nc\nq\nn\n")
    assert text.count(" of 6: ") == 3
    assert "'what': expected n, b, f, l, c, q or the number of a move" in text
    assert "no capture follows" in text
    assert "\x1b" not in text
    assert run(str(tmp_path / "x.json"), "").startswith("Go\nbefore the first move\n")


def test_a_record_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text("{", encoding="utf-8")
    assert main(["replay", str(tmp_path / "x.json")]) == 2
    assert "x.json: line 1, column 2: Expecting" in capsys.readouterr().err
    save(CAPTURE, tmp_path / "y.json")
    assert main(["replay", str(tmp_path / "y.json"), "--seat", "r"]) == 2
    assert "expected a colour of this game: b w" in capsys.readouterr().err


# -- in a terminal ----------------------------------------------------------------------------------------------------


@contextmanager
def terminal(
    tmp_path: Path, played: Game, *options: str, size: tuple[int, int] = (30, 90), **environment: str
) -> Iterator[Any]:
    """Run the command in its own terminal."""
    import pexpect

    save(played, tmp_path / "x.json")
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    child = pexpect.spawn(
        PROGRAM[0],
        [*PROGRAM[1:], str(tmp_path / "x.json"), *options],
        env={**known, "TERM": "xterm-256color", **environment},
        dimensions=size,
        encoding="utf-8",
        timeout=60,
    )
    try:
        yield child
    finally:
        child.close(force=True)


def wait_for_end(child: Any) -> int | None:
    import pexpect

    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus  # type: ignore[no-any-return]


@needs_terminal
def test_a_walk_through_a_game(tmp_path: Path) -> None:
    with terminal(tmp_path, ALEAGO) as child:
        child.expect("before the first move")
        child.expect("draw 1: line 1 is open")
        child.expect("q quit")
        child.send("n")
        child.expect(r"move 1 of 4: Black A1 \(draw 1\)")
        child.send("\x1b[C")
        child.expect("move 2 of 4: White B2")
        child.send("4")
        child.expect("go to move 4, Enter")
        child.send("\r")
        child.expect("move 4 of 4: White C4")
        # Ctrl-Z and Ctrl-\\ do nothing.
        child.send("\x1a\x1c")
        child.expect("expected n, b, f")
        child.send("b\n")
        child.expect("move 3 of 4: Black passes")
        child.send("q")
        child.expect(r"\x1b\[\?1049l")
        assert wait_for_end(child) == 0


@needs_terminal
def test_the_terminal_is_left_as_it_was(tmp_path: Path) -> None:
    import termios

    for leave, status in (("q", 0), ("\x03", 130), ("\x04", 0), (signal.SIGTERM, None)):
        with terminal(tmp_path, CAPTURE) as child:
            child.expect("q quit")
            # A terminal begins with both, and the program needs neither.
            assert not termios.tcgetattr(child.child_fd)[3] & (termios.ICANON | termios.ECHO)
            if isinstance(leave, str):
                child.send(leave)
            else:
                child.kill(leave)
            # The cursor is shown again and the other screen left.
            child.expect(r"\x1b\[\?25h")
            child.expect(r"\x1b\[\?1049l")
            # The last words of a child are its mode: the terminal goes when it does.
            assert wait_for_end(child) in (status, 143)


@needs_terminal
def test_the_modes_of_the_terminal_come_back(tmp_path: Path) -> None:
    """In a shell, which lives on, so that the modes can be compared."""
    import pexpect

    save(CAPTURE, tmp_path / "x.json")
    command = " ".join([*PROGRAM, str(tmp_path / "x.json")])
    script = f"stty -g > {tmp_path}/before; trap : INT; {command}; stty -g > {tmp_path}/after; echo done"
    child = pexpect.spawn("sh", ["-c", script], env={**os.environ, "TERM": "xterm"}, encoding="utf-8", timeout=60)
    child.expect("q quit")
    child.send("n\x03")
    child.expect("done")
    child.close(force=True)
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


@needs_terminal
def test_resizing_the_terminal_redraws_the_page(tmp_path: Path) -> None:
    with terminal(tmp_path, game("go", "b D4")) as child:
        child.expect("q quit")
        child.setwinsize(12, 30)
        child.expect("the board is larger")
        child.setwinsize(40, 90)
        child.expect("turn 1: Black to play")
        child.send("q")
        assert wait_for_end(child) == 0


@needs_terminal
def test_no_colour_where_none_is_wanted(tmp_path: Path) -> None:
    for no_colour, is_coloured in (("", True), ("1", False)):
        with terminal(tmp_path, ALEAGO, NO_COLOR=no_colour) as child:
            child.expect("before the first move")
            child.send("q")
            child.expect(r"\x1b\[\?1049l")
            coloured = re.search(r"\x1b\[[0-9;]*[34]8;", child.before)
            assert bool(coloured) == is_coloured
            assert ("•" in child.before) == is_coloured


@needs_terminal
def test_a_terminal_that_can_do_nothing_is_read_by_lines(tmp_path: Path) -> None:
    with terminal(tmp_path, CAPTURE, TERM="dumb") as child:
        child.expect("q quit")
        child.sendline("n 4")
        child.expect("move 1 of 6")
        child.expect("move 4 of 6")
        child.sendline("q")
        assert wait_for_end(child) == 0
        assert "\x1b" not in child.before


@needs_terminal
def test_a_pipe_gets_every_position(tmp_path: Path) -> None:
    import pexpect

    save(CAPTURE, tmp_path / "x.json")
    command = f"{' '.join(PROGRAM)} {tmp_path}/x.json | cat"
    text = str(pexpect.run(f"sh -c '{command}'", timeout=60, encoding="utf-8"))
    assert text.count("before the first move") == 1
    assert text.count(" of 6: ") == 6
    assert "\x1b" not in text


@needs_terminal
def test_a_seat_of_go_fantome_sees_its_own_stones_only(tmp_path: Path) -> None:
    with terminal(tmp_path, PHANTOM, "--seat", "w", "--lang", "fr", NO_COLOR="1") as child:
        seen = ""
        child.expect("q quitter")
        for key in "nnnnn":
            child.send(key)
            child.expect("q quitter")
            seen += child.before
        child.send("q")
        assert wait_for_end(child) == 0
        assert "(O)" in seen
        assert "X" not in seen
        assert "C4" not in seen
    at = reader(PHANTOM, WHITE)
    assert all("sur" not in line.split(":")[0] for line in lines(at, 80, 24)[:2])
