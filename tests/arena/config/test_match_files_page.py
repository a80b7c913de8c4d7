"""The reference page of match files agrees with the declarations."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

WRITER = Path(__file__).resolve().parents[3] / "docs" / "write_match_files.py"

pytestmark = pytest.mark.skipif(not WRITER.exists(), reason="the documentation is only in a checkout")


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_match_files", WRITER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_match_files_is_up_to_date(writer: ModuleType) -> None:
    assert writer.PAGE.read_text(encoding="utf-8") == writer.write(), "run python docs/write_match_files.py"


def test_every_key_has_a_meaning_and_a_default_as_it_is_written(writer: ModuleType) -> None:
    page = writer.write()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in page.splitlines()[8:]]
    assert all(meaning.strip(" |") for *_, meaning in rows)
    cells = {row[0]: row[2] for row in rows}
    assert cells["`arena`"] == "must be given"
    assert cells["`players.NAME.limits.startup`"] == "`30s`"
    assert cells["`defaults.max_failures`"] == "`5`"
    assert "`tournament.matchups[].pairs`" in cells
    assert "| `tournament.matchups[].game` | a block like `defaults` |" in page
    assert cells["`outputs.csv`"] == "`false`"
    assert cells["`outputs.report.every`"] == "`0`"
