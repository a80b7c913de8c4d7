"""A little of what `benchmarks/correctness/bridge_chaos` does for hours: faulty engines, cut lines, kills."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bridge.fakes.running_bridge import PACKAGE, environment

PROGRAM = "benchmarks.correctness.bridge_chaos"


@pytest.mark.long
@pytest.mark.parametrize("kind", ["cgos", "nngs", "kgs", "ogs"])
def test_some_games_in_chaos_are_lost_by_play_alone_and_all_closed(tmp_path: Path, kind: str) -> None:
    bots = "2" if kind == "cgos" else "1"
    command = [sys.executable, "-m", PROGRAM, kind, "--games", "2", "--bots", bots, "--settle", "16"]
    # Whether a busy machine is fast enough is not asked here.
    command += ["--clock", "600", "--folder", str(tmp_path)]
    done = subprocess.run(
        command, cwd=PACKAGE, env=environment(), capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{kind}: " in done.stdout
