"""`gtp-variants dice`: by pipe, on a terminal, and after a crash."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from gtp_variants.cli import main
from gtp_variants.cli.play.dice import draw_dice
from gtp_variants.rules.dice_stream import throw_face
from tests.support.programs import COMMAND

PROGRAM = [*COMMAND, "dice"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    return tmp_path


def piped(lines: str, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run([*PROGRAM, *arguments], input=lines.encode(), capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def rows(log: str = "log") -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(log).read_text().splitlines()]


def test_each_line_of_a_pipe_is_a_throw() -> None:
    status, said, _ = piped("\nanything\n\nq\n\n", "2d6", "--log", "log", "--seed", "x")
    assert status == 0
    due = [[throw_face(b"x", draw, index, 6) for index in (0, 1)] for draw in (1, 2, 3)]
    header, *throws, last = rows()
    assert [row["faces"] for row in throws] == due
    assert last == {"secret": b"x".hex()}
    assert said.index(str(header["commitment"])) < said.index("Turn 1, Black: " + " ".join(map(str, due[0])))
    assert "Turn 2, White: " in said
    assert f"Secret: {b'x'.hex()}" in said
    assert not Path("log.secret").exists()
    assert main(["verify", "log"]) == 0


def test_the_path_of_an_unnamed_log_is_printed(here: Path) -> None:
    status, said, _ = piped("\n", "1d6")
    (log,) = here.glob("dice-*.jsonl")
    assert status == 0
    assert log.name in said
    assert main(["verify", str(log)]) == 0


def test_each_log_has_its_own_secret() -> None:
    for log in ("one", "two"):
        assert piped("\n", "1d6", "--log", log)[0] == 0
    assert rows("one")[-1] != rows("two")[-1]


@pytest.mark.parametrize(("dice", "expected"), [("6", "dice such as 1d6"), ("0d6", ""), ("1d999999", ""), ("", "")])
def test_invalid_dice_are_reported(dice: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["dice", dice])
    said = capsys.readouterr().err
    assert said.startswith("gtp-variants dice: DICE: expected dice such as 1d6")
    assert f", not {dice!r}\n" in said


def test_a_finished_log_and_a_strange_file_are_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert piped("\n", "1d6", "--log", "log")[0] == 0
    Path("diary").write_text("dear diary\n")
    for name, why in [("log", "its secret revealed; choose another file"), ("diary", "diary: line 1: not JSON")]:
        before = Path(name).read_bytes()
        assert main(["dice", "1d6", "--log", name]) == 2
        assert why in capsys.readouterr().err
        assert Path(name).read_bytes() == before


class Terminal:
    """The program in its own terminal."""

    def __init__(self, *arguments: str) -> None:
        self.child = pexpect.spawn(PROGRAM[0], [*PROGRAM[1:], *arguments], encoding="utf-8", timeout=60)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *about: object) -> None:
        self.child.close(force=True)

    def see(self, text: str) -> str:
        """Wait for a text; what stood before it."""
        self.child.expect_exact(text)
        return str(self.child.before)

    def type(self, line: str) -> None:
        self.child.sendline(line)

    def end(self) -> int | None:
        self.child.expect(pexpect.EOF)
        self.child.close()
        status: int | None = self.child.exitstatus
        return status


def test_on_a_terminal() -> None:
    with Terminal("1d6", "--log", "log", "--seed", "x") as screen:
        assert "Commitment: " in screen.see("Turn 1, Black > ")
        screen.type("")
        shown = screen.see("Turn 2, White > ").replace("\r\n", "\n")
        assert draw_dice([throw_face(b"x", 1, 0, 6)]) in shown
        screen.type("oops")
        screen.see("expected Enter to throw or q to end, got 'oops'")
        screen.see("Turn 2, White > ")
        screen.type("q")
        screen.see("Secret: 78")
        assert screen.end() == 0
    assert len(rows()) == 3


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_ctrl_c_and_ctrl_d_reveal(key: str) -> None:
    with Terminal("1d6", "--log", "log", "--lang", "fr") as screen:
        screen.see("Tour 1, Noir > ")
        screen.type("")
        screen.see("Tour 2, Blanc > ")
        screen.child.send(key)
        screen.see("Secret\u00a0: ")
        assert screen.end() == 0
    assert main(["verify", "log"]) == 0


def test_an_interrupted_log_continues_with_the_same_dice() -> None:
    with Terminal("1d6", "--log", "log") as screen:
        commitment = re.search(r"Commitment: (\w{64})", screen.see("Turn 1, Black > "))
        assert commitment
        for turn in ("Turn 2, White > ", "Turn 3, Black > "):
            screen.type("")
            screen.see(turn)
        screen.child.kill(9)
        screen.child.expect(pexpect.EOF)
    companion = Path("log.secret")
    assert stat.S_IMODE(companion.stat().st_mode) == 0o600
    secret = bytes.fromhex(companion.read_text())
    assert main(["verify", "log"]) == 0  # nothing can be checked yet
    with Path("log").open("a") as file:
        file.write('{"draw": 3, "fa')  # as if it had died in the middle of a line
    assert piped("", "2d6", "--log", "log")[2].endswith("expected a log of 2d6, got a log of 1d6\n")
    status, said, _ = piped("\n", "1d6", "--log", "log")
    assert status == 0
    assert commitment[1] in said
    assert "Turn 3, Black: " in said
    assert [row.get("faces") for row in rows()[1:4]] == [[throw_face(secret, draw, 0, 6)] for draw in (1, 2, 3)]
    assert rows()[-1] == {"secret": secret.hex()}
    assert main(["verify", "log"]) == 0


def test_without_its_secret_a_log_cannot_continue(capsys: pytest.CaptureFixture[str]) -> None:
    assert piped("\n", "1d6", "--log", "log", "--seed", "x")[0] == 0
    lines = Path("log").read_text().splitlines(keepends=True)
    Path("log").write_text("".join(lines[:-1]))
    assert main(["dice", "1d6", "--log", "log"]) == 2
    assert "no secret in log.secret" in capsys.readouterr().err
    assert main(["dice", "1d6", "--log", "log", "--seed", "y"]) == 2
    assert "the secret does not match the commitment" in capsys.readouterr().err
    assert piped("\n", "1d6", "--log", "log", "--seed", "x")[0] == 0
    assert len(rows()) == 4


def test_dice_can_be_drawn_in_any_terminal() -> None:
    assert draw_dice([1, 20], "#") == "\n".join(
        [
            "   +-------+  +-----------+",
            "   |   #   |  |  ### ###  |",
            "   |  ##   |  |    # # #  |",
            "   |   #   |  |  ### # #  |",
            "   |   #   |  |  #   # #  |",
            "   |  ###  |  |  ### ###  |",
            "   +-------+  +-----------+",
        ]
    )


def test_a_drawn_die_has_equal_rows_and_a_picture_of_its_own_for_every_digit() -> None:
    drawn = draw_dice([17])
    assert drawn.splitlines()[1:6] == [
        "   │   █  ███  │",
        "   │  ██    █  │",
        "   │   █    █  │",
        "   │   █    █  │",
        "   │  ███   █  │",
    ]
    pictures = [draw_dice([digit]) for digit in range(10)]
    assert len(set(pictures)) == 10
    assert {len(row) for picture in pictures for row in picture.splitlines()} == {12}
