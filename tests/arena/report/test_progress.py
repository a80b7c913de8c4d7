"""The progress of a match on a terminal."""

import os
import sys
from io import StringIO
from pathlib import Path

import pexpect
import pytest

from tests.arena.matches import write_match

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="there is no pexpect.spawn")]


def test_terminal_shows_results_and_a_bar_during_a_match(tmp_path: Path) -> None:
    write_match(tmp_path, pairs=20, outputs="dir: out, sgf: none")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TERM": "xterm",
        "COLUMNS": "100",
    }
    child = pexpect.spawn(
        sys.executable,
        ["-m", "gtp_variants", "match", "small.yaml"],
        cwd=str(tmp_path),
        env=environment,
        echo=False,
        timeout=60,
        encoding="utf-8",
        dimensions=(40, 100),
    )
    written = child.logfile_read = StringIO()
    child.expect(r"Results of greedy vs uniform .*of 40 games")
    child.expect(r"\d+/40")
    child.expect(r"Results of greedy vs uniform \(aleago:size=5,dice=1d2; 40 of 40 games\):\r\nElo ")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    # The bar is erased before the result.
    text = written.getvalue()
    assert text.rindex("━") < text.rindex("\x1b[2K")
