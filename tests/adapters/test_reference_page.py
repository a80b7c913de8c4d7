"""The page about the adapters: every public name is on it, with an example that runs; the examples in files, too."""

import doctest
import importlib.util
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "reference" / "adapters.rst"
NAMES = re.findall(r"auto(?:class|function):: gtp_variants\.adapters\.(\w+)\.(\w+)", PAGE.read_text(encoding="utf-8"))
PACKAGES = {"openspiel": "pyspiel", "pettingzoo": "pettingzoo", "gymnasium": "gymnasium"}


def load(adapter: str) -> object:
    pytest.importorskip(PACKAGES[adapter], reason=f"the extra `{adapter}` is not installed")
    return import_module(f"gtp_variants.adapters.{adapter}")


@pytest.mark.parametrize("adapter", PACKAGES)
def test_every_environment_and_game_is_on_the_page(adapter: str) -> None:
    module = load(adapter)
    own = {"env", "parallel_env", "load_game", "name_of", *(name for name in dir(module) if name.endswith("Env"))}
    public = {name for name in own if getattr(getattr(module, name, None), "__module__", "").startswith("gtp_variants")}
    assert public <= {name for where, name in NAMES if where == adapter}


@pytest.mark.parametrize(("adapter", "name"), NAMES)
def test_the_example_of_a_name_runs(adapter: str, name: str) -> None:
    text = getattr(load(adapter), name).__doc__
    example = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, None, 0)
    assert example.examples
    said: list[str] = []
    runner = doctest.DocTestRunner()
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)


def load_example(name: str, package: str) -> Any:
    pytest.importorskip(package, reason=f"{package} is not installed")
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the packages that the learners stand on
def test_stable_baselines_learns_with_masks() -> None:
    example = load_example("train_with_sb3", "sb3_contrib")
    assert 0 <= example.win_share(example.train(steps=512), games=4) <= 100


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_tianshou_learns_with_masks() -> None:
    _, before, after = load_example("train_with_tianshou", "tianshou").train(epochs=1, steps=160)
    assert 0 <= min(before, after) <= max(before, after) <= 100


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_rllib_learns_with_masks() -> None:
    [share] = load_example("train_with_rllib", "ray.rllib").train(rounds=1, actions=300)
    assert 0 <= share <= 100
