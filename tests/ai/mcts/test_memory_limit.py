"""Memory use of a search against its limit, measured as the growth of a separate process."""

import subprocess
import sys

import pytest

from gtp_variants.ai.backend import load_native
from tests.support.programs import environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("the native kernel was not built, or plain Python was chosen", allow_module_level=True)

# Prints by how many MiB the process was larger at its largest than before the search, after a short one for warming up.
SCRIPT = """
import re, sys, time
from pathlib import Path
import gtp_variants as gv
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.rules.actions import CHANCE
from tests.ai.nets.networks import random_network
from tests.support.evaluators import Even

kind, spec, memory_mb, threads, playouts = sys.argv[1], *sys.argv[2:3], *map(int, sys.argv[3:])
rules = gv.parse(spec)
game = gv.random_game(rules, 4, 9)
at = game.position
settings = {}
if kind == "network":
    settings = {"network": random_network(Encoder(rules), 1, 16, 1), "threads": threads, "playout_weight": 0.0}
elif kind == "tree":
    settings = {"expand_at": 1, "threads": threads}
else:
    settings = {"evaluator": Even(rules, 32)}
if kind == "hidden":
    at = rules.view(game.heard(at.to_play), at.to_play)


def measured(name):
    return int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


gv.search(rules, at, playouts=500, seed=1, memory_mb=1.0, **settings)
before = measured("VmRSS")
if kind == "hidden":
    gv.search(rules, at, playouts=playouts, seed=1, memory_mb=float(memory_mb), **settings)
else:
    thinker = gv.Thinker(rules, 1, memory_mb=float(memory_mb), **settings)
    for _ in range(2):
        # It ends once the memory is full: then the search goes on with what another thread has allocated.
        thinker.ponder(at)
        while thinker.is_pondering:
            time.sleep(0.01)
        found = thinker.think(at, playouts=playouts)
        if at.to_play != CHANCE:
            at = rules.play(at, found.action)
print(measured("VmHWM") - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "spec", "memory_mb", "threads", "playouts"),
    [
        ("network", "go:size=9", 64, 1, 20_000),
        ("network", "go:size=9", 32, 3, 10_000),
        ("network", "aleago:size=9", 32, 1, 10_000),
        ("tree", "go:size=9", 64, 2, 20_000),
        ("evaluator", "pentalath", 32, 1, 20_000),
        ("hidden", "phantom:size=9", 64, 1, 40_000),
    ],
)
def test_search_fills_the_memory_it_may_use_and_no_more(
    kind: str, spec: str, memory_mb: int, threads: int, playouts: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, kind, spec, *map(str, (memory_mb, threads, playouts))],
        capture_output=True,
        timeout=120,
        check=False,
        env=environment(),
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    # A mebibyte is for what malloc keeps.
    assert 0.85 * memory_mb <= float(done.stdout) <= 1.05 * memory_mb + 1
