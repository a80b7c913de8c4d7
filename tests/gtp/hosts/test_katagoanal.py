"""The numbers that KataGoAnal writes into a game's comments, from our analysis engine in KataGo's place."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gtp_variants.ai.backend import search_backend
from tests.gtp.hosts.registries import install_from_pypi
from tests.gtp.hosts.settled import POSITIONS, Settled
from tests.support.programs import COMMAND, environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built"),
    pytest.mark.skipif(os.name == "nt", reason="the engine's stand-in is a shell script"),
]


@pytest.mark.parametrize("position", POSITIONS[:2], ids=("White wins", "Black wins"))
def test_comment_shows_win_rate_and_lead_of_the_side_that_moved(tmp_path: Path, position: Settled) -> None:
    modules = install_from_pypi(tmp_path / "modules", "KataGoAnal")
    engine, weights, game = tmp_path / "katago", tmp_path / "weights", tmp_path / "game.sgf"
    engine.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n', encoding="utf-8")
    engine.chmod(0o755)
    weights.touch()
    game.write_text(position.sgf("chinese", ";B[];W[aa];B[];W[]"), encoding="utf-8")
    folder = tmp_path / "settings" / "katagoanal"
    folder.mkdir(parents=True)
    paths = {"binary": str(engine), "config": str(weights), "model": str(weights)}
    (folder / "paths.json").write_text(json.dumps(paths), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "KataGoAnal.cli", str(game), "--visits", "100", "-o", str(tmp_path)],
        env=environment(modules, XDG_CONFIG_HOME=str(folder.parent)),
        timeout=120,
        check=True,
    )
    text = (tmp_path / "game.injected.sgf").read_text(encoding="latin-1")
    shown = re.findall(r"C\[(Black|White) Winrate: ([\d.]+)%.*\nScore Lead: (-?[\d.]+)", text)
    assert [colour for colour, _, _ in shown] == ["Black", "White"] * 2
    for colour, percent, lead in shown:
        assert (float(percent) > 90) == (colour[0] == position.winner)
        sign = 1 if colour == "Black" else -1
        assert sign * float(lead) == pytest.approx(position.area_lead, abs=13)
