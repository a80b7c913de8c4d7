"""The page on the architecture names files and names that exist, and its picture is that of the imports today."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGE = DOCS / "architecture.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is only in a checkout")


def test_every_step_names_a_place_that_exists() -> None:
    steps = re.findall(r"\| `([\w/]+\.py)(?:: (\w+))?` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(steps) > 25
    for path, name in steps:
        source = (ROOT / "gtp_variants" / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^(class|def|async def) {name}\b", source, re.MULTILINE), f"{path}: {name}"


@pytest.mark.slow
@pytest.mark.xdist_group("house")
def test_the_picture_of_the_house_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("draw_house", DOCS / "draw_house.py")
    assert spec is not None
    assert spec.loader is not None
    draw_house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw_house)
    drawn = draw_house.PICTURE.read_text(encoding="utf-8")
    assert drawn == draw_house.draw(), "write it anew with `python docs/draw_house.py`"
