"""The options of `gtp-variants train`: invalid ones are reported in one line before anything is written."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gtp_variants.ai.backend import load_native
from gtp_variants.cli import main
from gtp_variants.cli.engines.train import lock_training_folder

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("the native kernel was not built, or plain Python was chosen", allow_module_level=True)

SMALL = ["--channels", "16", "--blocks", "0", "--positions", "20", "--chunk", "2", "--playouts", "2", "--gate", "0"]


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("channels", "33", "a multiple of 16 from 16 to 512"),
        ("channels", "0", "a multiple of 16 from 16 to 512"),
        ("channels", "1000000", "a multiple of 16 from 16 to 512"),
        ("blocks", "-1", "0 to 100"),
        ("seed", "-1", "0 to 18446744073709551615"),
        ("seed", "18446744073709551616", "0 to 18446744073709551615"),
        ("playouts", "1", "2 to 1000000"),
        ("playouts", "99999999999", "2 to 1000000"),
        ("chunk", "3000000000", "1 to 1000000"),
        ("positions", "0", "1 to 100000000"),
        ("batch", "0", "1 to 100000"),
        ("passes", "nan", "more than 0, at most 1000"),
        ("passes", "0", "more than 0, at most 1000"),
        ("deep-share", "1.1", "0, or 0.01 to 1"),
        ("deep-share", "nan", "0, or 0.01 to 1"),
        ("deep-playouts", "1", "2 to 1000000"),
        ("hours", "nan", "more than 0, at most 1000000"),
        ("hours", "0", "more than 0, at most 1000000"),
        ("iterations", "0", "1 to 1000000000"),
        ("threads", "1000000", "1 to 1024"),
        ("gate", "-1", "0 to 1000000000"),
        ("gate-pairs", "0", "1 to 1000000"),
        ("gate-seconds", "nan", "more than 0, at most 3600"),
        ("start-positions", "-1", "0 to 1000000000000"),
    ],
)
def test_invalid_numbers_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, expected: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", "go:size=4", "--into", str(tmp_path / "new"), f"--{option}", value])
    assert ended.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == f"gtp-variants train: --{option}: expected {expected}, not {value!r}"
    assert not (tmp_path / "new").exists()


def test_start_positions_without_a_start_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", "go:size=4", "--into", str(tmp_path / "new"), "--start-positions", "5"])
    assert ended.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "gtp-variants train: --start-positions 5: expected --start FILE with it"
    assert not (tmp_path / "new").exists()


def test_an_oversized_chunk_is_reported_at_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "go:size=4", "--into", str(tmp_path / "many"), *SMALL, "--iterations", "1"]
    assert main([*command, "--chunk", "3"]) == 0
    said = "a chunk of 3 games has about 48 positions: an iteration plays and learns from that many, not from 20"
    assert capsys.readouterr().err.splitlines()[0] == said
    few = ["train", "go:size=4", "--into", str(tmp_path / "few"), "--chunk", "1", "--positions", "1000000"]
    assert main(few) == 2
    said = "chunk: 1 games are too few for 1000000 positions an iteration, expected 3 or more"
    assert said in capsys.readouterr().err
    assert not (tmp_path / "few").exists()
    assert main([*command, "--chunk", "2", "--into", str(tmp_path / "fitting")]) == 0
    assert "a chunk of" not in capsys.readouterr().err


@pytest.mark.parametrize("file", ["training.json", "log.jsonl", "gates.jsonl"])
def test_a_damaged_file_is_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str) -> None:
    command = ["train", "go:size=4", "--into", str(tmp_path), *SMALL, "--iterations", "1"]
    assert main(command) == 0
    (tmp_path / file).write_bytes(b"{")
    capsys.readouterr()
    assert main(command) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[-1].startswith(f"gtp-variants train: {tmp_path / file}")


def test_replayed_games_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "00001-0000.npz").touch()
    assert main(["train", "go:size=4", "--into", str(tmp_path), *SMALL, "--iterations", "1"]) == 0
    assert "00001-0000.npz: not games of self-play: " in capsys.readouterr().err.splitlines()[0]


HOLD = """
import sys
from pathlib import Path
from gtp_variants.cli.engines.train import lock_training_folder
with lock_training_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_in_which_another_process_trains_is_refused_until_that_one_is_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "go:size=4", "--into", str(tmp_path / "one"), *SMALL, "--iterations", "1"]
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "one")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert first.stdin is not None
    assert first.stdout is not None
    with first.stdin, first.stdout:
        assert first.stdout.readline() == b"held\n"
        assert main(command) == 2
        assert capsys.readouterr().err.splitlines() == [
            f"gtp-variants train: {tmp_path / 'one'}: process {first.pid} is training in it"
        ]
        assert not (tmp_path / "one" / "training.json").exists()
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    assert main(command) == 0
    # Nobody holds it any more.
    with lock_training_folder(tmp_path / "one"):
        pass


def test_the_reason_for_a_missing_kernel_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GTP_VARIANTS_FORM", "python")
    load_native.cache_clear()
    try:
        assert main(["train", "go:size=4", "--into", str(tmp_path / "new")]) == 2
    finally:
        monkeypatch.undo()
        load_native.cache_clear()
    assert "training needs the compiled kernel: GTP_VARIANTS_FORM=python chose plain Python" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
