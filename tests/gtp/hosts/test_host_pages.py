"""The pages about hosts name commands, options and files that are there."""

import re
from pathlib import Path

import pytest

from gtp_variants.cli.commands import COMMANDS
from gtp_variants.cli.engines import gtp
from gtp_variants.gtp.engine.engine_host import KGS, HostQuirks
from gtp_variants.gtp.identity import IDENTITIES
from tests.gtp.talk import Talk

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = sorted(DOCS.glob("hosts/*.md"))
PREFIXES = "kgs gomill gogui lz kata cgos show variant aleago"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="docs are only in a checkout")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert all(target.startswith("https://") or (page.parent / target).is_file() for target in targets)


def test_the_readme_links_every_page() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    assert PAGES
    assert all(f"(hosts/{page.name})" in text for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_on_the_host_pages_work(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    called = set(re.findall(r"gtp-variants ([a-z-]+)\b", text))
    assert called <= set(COMMANDS)
    listed = Talk(quirks=HostQuirks(chat=KGS))("list_commands").split()
    for command in re.findall(rf"`((?:{PREFIXES.replace(' ', '|')})-[a-z_]+)[` ]", text):
        assert command in listed or command.startswith(("gogui-twogtp", "gogui-statistics")), command
    # Options of the engine, of the command that prints them, of gtp2ogs, and of programs that the engine claims to be.
    known = gtp.parser().format_help() + " --computer --level --run --for --write --sgf --seed --config"
    known += " ".join(flag for each in IDENTITIES.values() for flag in (*each.effects, *each.ignored))
    for option in set(re.findall(r"(?<![|-])(--[a-z][a-z-]*)", text)):
        assert option in known, option
