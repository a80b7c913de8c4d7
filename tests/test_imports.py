"""Imports go down only: the floors of the package, read from its sources without running them."""

import ast
import sys
from pathlib import Path

import pytest

from tests.support.sources import Import, bots, imports, modules, trees

# One process parses all sources for this module and for the guards of the house.
pytestmark = pytest.mark.xdist_group("house")

ROOF = 6
FLOORS = {
    "_version": 0,
    "errors": 0,
    "statistics": 0,
    "base": 0,
    "rules": 0,
    "lang": 1,
    "records": 1,
    "ai": 2,
    "bots": 3,
    "configs": 3,
    "players": 3,
    "handbook": 3,
    "gtp": 4,
    "training": 4,
    "adapters": 4,
    "terminal": 5,
    "site": 5,
    "arena": 5,
    "bridge": 5,
    "cli": ROOF,
    "matches": ROOF,
    "__init__": ROOF,
    "__main__": ROOF,
}
ROOFS = {part for part, floor in FLOORS.items() if floor == ROOF}
# The rooms of one floor do not import each other, but for these and the modules that stand alone.
BESIDE = {("records", "lang"), ("players", "bots")}
ALONE = {"_version", "errors"}  # these import nothing of ours
MAY_IMPORT = {"bots": {"gtp_variants.base.checkout"}, "configs": {"gtp_variants.base.checkout"}}  # and nothing else
EAGERLY = {"_version", "errors"}  # what `import gtp_variants` may pay for; the rest on first use


def faults(tree: ast.Module, module: str, *, is_package: bool = False) -> list[str]:
    """Return a sentence for each wrong import of a module."""
    here = [*module.split("."), "__init__"][1]
    if here not in FLOORS:
        return [f"{module}: {here} stands on no floor; give it one in tests/test_imports.py"]
    return [
        f"{module}, line {found.line}: imports {found.name}: {why}"
        for found in imports(tree, module, is_package=is_package)
        if (why := fault(here, found))
    ]


def part(name: str) -> str:
    """The file or folder of the package that a dotted name comes from; `__init__` for a public name."""
    second = name.split(".")[1:2]
    return second[0] if second and second[0] in FLOORS else "__init__"


def fault(here: str, found: Import) -> str | None:
    """Why this part of the package may not import that; None if it may."""
    if not found.is_ours:
        is_for_types = found.is_lazy and found.top == "typing_extensions"
        if here == "rules" and found.top not in sys.stdlib_module_names and not is_for_types:
            return "rules know only the standard library"
        return None
    there = part(found.name)
    if here in ALONE:
        return f"{here} imports nothing of ours"
    if here in MAY_IMPORT:
        is_allowed = any(found.name == name or found.name.startswith(f"{name}.") for name in MAY_IMPORT[here])
        return None if is_allowed else f"{here} imports nothing of the floors"
    if FLOORS[there] > FLOORS[here]:
        return f"climbs from floor {FLOORS[here]} to {'the roof' if there in ROOFS else FLOORS[there]}"
    is_beside = FLOORS[here] == FLOORS[there] < ROOF and here != there
    if is_beside and there not in ALONE and (here, there) not in BESIDE:
        return f"the rooms of floor {FLOORS[here]} do not import each other"
    if here == "__init__" and not found.is_lazy and there not in EAGERLY | {"__init__"}:
        return "the package imports its parts on first use only"
    return None


def faults_of_a_bot(source: str, module: str) -> list[str]:
    """Return the wrong imports of a bot, which may import only public names of `gtp_variants`."""

    def is_public(found: Import) -> bool:
        _, *rest = found.name.split(".")
        return not rest or (len(rest) == 1 and rest[0] not in FLOORS and not rest[0].startswith("_"))

    return [
        f"{module}, line {found.line}: imports {found.name}: bots import only public names"
        for found in imports(ast.parse(source), f"gtp_variants.bots.{module}")
        if found.is_ours and not is_public(found)
    ]


def test_no_import_climbs() -> None:
    wrong = [
        fault
        for module, file in modules().items()
        for fault in faults(trees()[module], module, is_package=file.name == "__init__.py")
    ]
    assert wrong == []


@pytest.mark.parametrize("file", bots().values(), ids=bots())
def test_bots_import_public_names_only(file: Path) -> None:
    assert faults_of_a_bot(file.read_text(encoding="utf-8"), file.stem) == []


@pytest.mark.parametrize(
    ("module", "source", "why"),
    [
        ("gtp_variants.rules.games.go", "from gtp_variants.players import table", "climbs from floor 0 to 3"),
        ("gtp_variants.rules.games.go", "def f():\n    import gtp_variants.arena", "climbs from floor 0 to 5"),
        ("gtp_variants.rules.games.go", "from ...records.sgf import read", "climbs from floor 0 to 1"),
        ("gtp_variants.rules.games.go", "from ... import gtp", "climbs from floor 0 to 4"),
        ("gtp_variants.rules.games.go", "import gtp_variants", "climbs from floor 0 to the roof"),
        ("gtp_variants.rules.games.go", "from gtp_variants import GAMES", "climbs from floor 0 to the roof"),
        ("gtp_variants.rules.games.go", "import_module('gtp_variants.cli')", "climbs from floor 0 to the roof"),
        ("gtp_variants.rules.games.go", "if TYPE_CHECKING:\n    import gtp_variants.lang", "climbs from floor 0 to 1"),
        (
            "gtp_variants.rules.game",
            "_SVG = ('gtp_variants.records', 'x')\nimport_module(_SVG[0])",
            "climbs from floor 0 to 1",
        ),
        (
            "gtp_variants.rules.game",
            "import_module(f'gtp_variants.records.{x}')\nx = 'files'",
            "climbs from floor 0 to 1",
        ),
        ("gtp_variants.base.rng", "load_native('gtp_variants.ai.kernel._kernel')", "climbs from floor 0 to 2"),
        ("gtp_variants.rules.games.go", "import yaml", "rules know only the standard library"),
        ("gtp_variants.errors", "from gtp_variants.rules import go", "errors imports nothing of ours"),
        ("gtp_variants.gtp.engine.engine", "from gtp_variants.arena import store", "climbs from floor 4 to 5"),
        ("gtp_variants.arena.store", "import gtp_variants.site.page.server", "do not import each other"),
        ("gtp_variants.configs.extra", "import gtp_variants.errors", "configs imports nothing of the floors"),
        ("gtp_variants.nowhere", "", "stands on no floor"),
    ],
)
def test_a_climbing_import_is_found(module: str, source: str, why: str) -> None:
    (only,) = faults(ast.parse(source), module)
    assert why in only


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("gtp_variants.rules.games.go", "import random\nfrom gtp_variants.errors import IllegalMove"),
        ("gtp_variants.rules.games.go", "from .board import square\nfrom ..errors import IllegalMove"),
        ("gtp_variants.arena.run.referee", "from gtp_variants.players.table import Table\nimport yaml"),
        ("gtp_variants.arena.run.referee", "from .config import Config"),
        ("gtp_variants.cli", "import gtp_variants.site.page\nfrom gtp_variants import bots, __version__"),
    ],
)
def test_an_import_that_goes_down_is_let_through(module: str, source: str) -> None:
    assert faults(ast.parse(source), module) == []


def test_the_package_imports_its_parts_on_first_use() -> None:
    eager = "from gtp_variants._version import __version__\nfrom gtp_variants.rules import GAMES"
    (only,) = faults(ast.parse(eager), "gtp_variants", is_package=True)
    assert "line 2" in only
    for first in ["def __getattr__(name):", "if TYPE_CHECKING:"]:
        assert faults(ast.parse(f"{first}\n    from .rules import GAMES"), "gtp_variants", is_package=True) == []


def test_a_bot_that_reaches_inside_is_found() -> None:
    assert faults_of_a_bot("import random\nimport gtp_variants as gv", "mine") == []
    assert faults_of_a_bot("from gtp_variants import Player, View", "mine") == []
    for reach in [
        "from gtp_variants.rules import go",
        "import gtp_variants.players.table",
        "from gtp_variants import rules",
        "from gtp_variants import _version",
        "from . import greedy",
    ]:
        assert len(faults_of_a_bot(reach, "mine")) == 1, reach
