"""The reference pages of configuration files are as the declarations are."""

from pathlib import Path

import pytest

from gtp_variants.arena.config.match_config import MatchFile
from gtp_variants.base.config_reference import main, render

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.skipif(not DOCS.is_dir(), reason="not a checkout")
def test_the_page_of_match_files_is_up_to_date(tmp_path: Path) -> None:
    assert (DOCS / "match-files.md").read_text(encoding="utf-8") == render(MatchFile)
    assert main(["gtp_variants.arena.config.match_config:MatchFile", str(tmp_path / "page.md")]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == render(MatchFile)


def test_every_key_has_a_meaning_and_a_default_as_it_is_written() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in render(MatchFile).splitlines()[8:]]
    assert all(meaning.strip(" |") for *_, meaning in rows)
    cells = {row[0]: row[2] for row in rows}
    assert cells["`arena`"] == "must be given"
    assert cells["`players.NAME.limits.startup`"] == "`30s`"
    assert cells["`defaults.max_failures`"] == "`5`"
    assert "`tournament.matchups[].pairs`" in cells
    assert "| `tournament.matchups[].game` | a block like `defaults` |" in render(MatchFile)
    assert cells["`outputs.csv`"] == "`false`"
    assert cells["`outputs.report.every`"] == "`0`"
