"""`play` loads only the necessary modules before the first board."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import environment

pytest.importorskip("prompt_toolkit")

# Heavy, and for other things than the first board of a game: arrays, matches, protocols, reports, pipes to programs.
HEAVY = "numpy yaml rich pexpect sqlite3 multiprocessing http email unittest xmlrpc starlette httpx".split()

BEGIN = """
import sys
from gtp_variants.cli.play import play
from gtp_variants.terminal.fullscreen import client
from gtp_variants.terminal.games.scene import scene_of

options = play.parser().parse_args([sys.argv[1]])
options.lang = "en"
record = play._new(options)
seats = play._seats(record, options)
game = play.HostedGame.new(record, seats, play.POLICY, options.time, notes={"kind": play.PLAY})
session = play.PlaySession(play.GamesFolder().new(record.game.rules.name), game)
assert list(session.begin(is_terse=True))
assert scene_of(session).boards
session.host.file.release()
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("spec", ["aleago", "phantom", "rosette:n=7", "pentalath"])
def test_nothing_heavy_is_loaded_before_the_first_board(spec: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", BEGIN, spec]
    known = environment(XDG_STATE_HOME=str(tmp_path))
    loaded = subprocess.run(command, env=known, capture_output=True, text=True, check=True, timeout=120).stdout.split()
    assert "prompt_toolkit" in loaded
    assert set(HEAVY) & set(loaded) == set()
