"""The package installs with and without a compiler, and says which form of the search it then has."""

import os
import shutil
from pathlib import Path

import pytest

from tests.test_packaging import ROOT, Environment, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / "gtp_variants").is_dir(), reason="no sources beside the tests"),
]

ASK = """
import gtp_variants as gv
from gtp_variants.backend import load_native, search_backend

assert (search_backend() == "native") == (load_native("gtp_variants.belief._belief") is not None)
rules = gv.parse("go:size=3")
print(search_backend(), sum(gv.playouts(rules, rules.start(), 4)))
"""


def installed_form(folder: Path) -> str:
    """What `search_backend()` is after an installation."""
    fresh = Environment(folder)
    fresh.borrow_dependencies()
    fresh.install("--no-deps", ROOT)
    form, share = run([fresh.python, "-c", ASK], fresh.empty).split()
    assert float(share) == 1
    return form


@pytest.fixture(autouse=True)
def no_choice_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CXX", "GTP_VARIANTS_PURE", "GTP_VARIANTS_FORM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.skipif(os.name == "nt", reason="other compilers are found in other ways")
def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/bin/false")
    assert installed_form(tmp_path) == "python"


def test_without_the_kernel_by_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GTP_VARIANTS_PURE", "1")
    assert installed_form(tmp_path) == "python"


@pytest.mark.skipif(os.name == "nt" or shutil.which("g++") is None, reason="needs g++")
def test_with_a_compiler(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".*", "build", "venv", "*.so", "__pycache__"))
    fresh = Environment(tmp_path)
    fresh.borrow_dependencies()
    fresh.install("--no-deps", "-e", checkout)
    assert run([fresh.python, "-c", ASK], fresh.empty).split()[0] == "native"
    where = run([fresh.python, "-c", "from gtp_variants.mcts import search; print(search.__file__)"], fresh.empty)
    assert Path(where.strip()).is_relative_to(checkout.resolve())
