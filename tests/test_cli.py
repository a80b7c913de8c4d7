"""The commands and their standard streams: nobody reads on, no room, none at all."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.cli import main
from tests.support.programs import COMMAND

COMMANDS = ["--help", "--version", "rules go", "check-engine --template"]

needs_posix = pytest.mark.skipif(os.name != "posix", reason="standard streams are closed by a shell")


def shell(line: str, **known: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", line, *COMMAND]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **known}
    )


@needs_posix
@pytest.mark.parametrize("words", COMMANDS)
def test_nobody_need_read_to_the_end(words: str) -> None:
    # The reader is gone before there is anything to read.
    done = shell(f'{{ sleep 0.2; "$0" "$@" {words}; echo "status $?" >&2; }} | true')
    assert done.stderr == "status 0\n"


@needs_posix
@pytest.mark.parametrize("words", ["play --list", "verify game.json", "replay game.json", "show game.json", "doctor"])
def test_a_command_that_tells_of_files_ends_quietly_when_nobody_reads_on(words: str, tmp_path: Path) -> None:
    gv.save(gv.random_game(gv.parse("go:size=5"), seed=1), tmp_path / "game.json")
    words = words.replace("game.json", str(tmp_path / "game.json"))
    done = shell(f'{{ sleep 0.2; "$0" "$@" {words}; echo "status $?" >&2; }} | true', XDG_STATE_HOME=str(tmp_path))
    assert done.stderr == "status 0\n"


@needs_posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("words", COMMANDS)
def test_a_full_disk_is_reported_in_one_line(words: str) -> None:
    done = shell(f'"$0" "$@" {words} > /dev/full')
    assert done.returncode == 2
    assert done.stderr == f"gtp-variants {words.split()[0]}: No space left on device\n"


@needs_posix
@pytest.mark.parametrize("words", COMMANDS)
def test_a_program_without_standard_streams_does_its_work(words: str) -> None:
    done = shell(f'"$0" "$@" {words} <&- >&-')
    assert (done.returncode, done.stderr) == (0, "")
    assert shell(f'"$0" "$@" {words} <&- >&- 2>&-').returncode == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--help", b"Go Fantome"),
        ("gui phantom", b"Go Fantome"),
        ("play --list --lang fr", b"inachevee"),
        ("dice 1d6 --lang fr", b"Secret : "),
        ("rules rosette --lang fr", b"?il"),
    ],
)
def test_accents_are_left_out_where_a_stream_lacks_them(words: str, told: bytes, tmp_path: Path) -> None:
    kept = {"XDG_STATE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    done = subprocess.run(
        [*COMMAND, *words.split()],
        input=b"",
        capture_output=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **kept, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert told in done.stdout


@needs_posix
def test_ctrl_c_prints_no_traceback() -> None:
    with subprocess.Popen(
        [*COMMAND, "bench", "--seconds", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert "search" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    # Where Ctrl-C meets the `exec` that makes a dataclass, Python ends by the signal, which is 130 for a shell, too.
    assert process.returncode in (130, -signal.SIGINT)
    assert told == ""


def test_a_bot_that_cannot_see_is_refused_before_there_is_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "phantom:size=5", "--bot", "mcts:playouts=4"]) == 2
    assert "mcts:playouts=4 cannot play phantom, where stones are hidden; phantom can" in capsys.readouterr().err
