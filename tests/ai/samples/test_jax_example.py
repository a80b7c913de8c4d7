"""The example that learns from samples with JAX: its loss falls."""

import runpy
from pathlib import Path

import pytest

import gtp_variants as gv
from tests.ai.samples.games import write_games

pytest.importorskip("jax", reason="JAX is not installed")

EXAMPLE = Path(__file__).parents[3] / "examples" / "jax_samples.py"


@pytest.mark.slow
def test_the_loss_falls(tmp_path: Path) -> None:
    write_games(tmp_path, "go:size=4", 4)
    first, *_, last = runpy.run_path(str(EXAMPLE))["learn"](gv.Samples(tmp_path), epochs=12)
    assert last < 0.9 * first
