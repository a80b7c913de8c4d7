"""Real machines that join a real match: whoever is killed, the same games come out in the end, and nobody is left."""

import sys
from pathlib import Path

import pytest

from benchmarks.correctness.kill_remote import RemoteMatch, calm_games

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]


def test_a_few_kills(tmp_path: Path) -> None:
    with RemoteMatch(tmp_path, "aleago:size=5,dice=1d2", pairs=3, seed=1) as match:
        match.play(kills=2)
        assert match.games() == calm_games(tmp_path, "aleago:size=5,dice=1d2", pairs=3)
    assert match.orphans() == []
