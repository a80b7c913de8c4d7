"""The pages of the package's networks, docs/networks/*.html: each is up to date, and tells of its network alone."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gtp_variants.ai.backend import load_native

if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("the native kernel was not built", allow_module_level=True)

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture
def draw_networks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if not DOCS.exists():
        pytest.skip("the documentation is only in a checkout")
    spec = importlib.util.spec_from_file_location("draw_networks", DOCS / "draw_networks.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up there.
    monkeypatch.setitem(sys.modules, "draw_networks", found)
    spec.loader.exec_module(found)
    return found


def test_page_of_a_network_shows_no_matches_of_another(draw_networks: ModuleType) -> None:
    shown = {stem: draw_networks.matches(sources.rows) for stem, sources in draw_networks.SOURCES.items()}
    found = {stem: re.findall(r"\d+% \[\d+, \d+\]|\d+\.\d% \[\d+, \d+\]", text) for stem, text in shown.items()}
    assert found["go"] == ["76.0% [67, 83]", "95.8% [80, 99]", "100% [94, 100]", "50.0% [35, 65]"]
    assert {"92.3% [84, 96]", "93.8% [72, 99]", "97.6% [92, 99]"} <= set(found["go-self"])
    assert found["go-komi"] == ["82.5% [68, 91]", "60.0% [45, 74]"]
    assert found["go-komi-self"] == ["86.3% [80, 91]"]
    assert found["go-large"] == ["96.8% [84, 99]"]
    assert found["go-large-self"][0] == "100% [83, 100]"
    assert found["pentalath"] == ["60.0% [50, 69]"]
    assert found["pentalath-3"] == ["60.0% [47, 71]"]
    assert found["phantom-hidden-stones"] == ["55% [42, 67]"]
    assert all(text.count("measurements.html") for text in shown.values())


def test_page_of_a_network_shows_no_rows_of_other_games(draw_networks: ModuleType) -> None:
    shown = draw_networks.matches(["Pentalath"])
    assert "60.0% [50, 69] of 100" in shown
    assert "Go" not in shown.replace("commit", "")


@pytest.mark.long
def test_the_pages_of_the_packages_networks_are_up_to_date(draw_networks: ModuleType) -> None:
    drawn = dict(draw_networks.pages())
    assert {path.name for path in drawn} == {path.name for path in (DOCS / "networks").iterdir()}
    for path, text in drawn.items():
        assert "$ gtp-variants train " in text
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name}: write it anew with `python docs/draw_networks.py`"
        )
