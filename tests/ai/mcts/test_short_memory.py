"""Searches without free memory: the caller gets an error from any thread and may continue."""

import subprocess
import sys

import pytest

from gtp_variants.ai.backend import load_native
from tests.support.programs import environment

pytest.importorskip("resource", reason="memory is limited as POSIX does")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("the native kernel was not built, or plain Python was chosen", allow_module_level=True)

# A search that may take 24 MiB beside what the process has; one with a network gives that back and searches again.
SCRIPT = """
import resource, sys
from pathlib import Path
from gtp_variants.ai.mcts.kernel_calls import KernelTree
from gtp_variants.ai.mcts.kernel_puct import KernelNetworkTree
from gtp_variants.ai.mcts.settings import SearchLimits, SearchSettings, make_puct_settings
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.rules import parse
from tests.ai.nets.networks import random_network

kind, threads = sys.argv[1], int(sys.argv[2])
rules = parse("go:size=9")
if kind == "network":
    settings = make_puct_settings(memory_mb=1e6, threads=threads, symmetries=False)
    tree = KernelNetworkTree(rules, rules.start(), settings, (), random_network(Encoder(rules), 1, 16, 1))
else:
    tree = KernelTree(rules, rules.start(), SearchSettings(memory_mb=1e6, threads=threads, seed=1))
# The threads' stacks and what they allocate from are there before.
tree.think(SearchLimits(playouts=100))
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + (24 << 20)
resource.setrlimit(resource.RLIMIT_AS, (size, size))
try:
    print(tree.think(SearchLimits(seconds=60 if kind == "network" else 1)).playouts)
except MemoryError:
    print("no memory")
    print(tree.think(SearchLimits(playouts=200)).playouts)
"""


def search(kind: str, threads: int) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, kind, str(threads)],
        capture_output=True,
        timeout=60,
        check=False,
        env=environment(),
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split("\n")[:-1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="what a process has is read from /proc")
@pytest.mark.parametrize("threads", [1, 3])
def test_a_search_with_a_network_says_so_and_the_next_one_has_memory_again(threads: int) -> None:
    said, playouts = search("network", threads)
    assert said == "no memory"
    assert int(playouts) >= 200


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="what a process has is read from /proc")
def test_a_search_without_a_network_continues_with_the_nodes_it_has() -> None:
    (playouts,) = search("tree", 3)
    assert int(playouts) > 1000
