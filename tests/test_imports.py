"""Imports go down only: the floors of the package, read from its sources without running them."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = next(
    where / "gtp_variants"
    for where in [Path(__file__).resolve().parent.parent, *map(Path, sys.path)]
    if (where / "gtp_variants").is_dir()
)
BOTS = PACKAGE.parent / "bots" if (PACKAGE.parent / "bots").is_dir() else PACKAGE / "bots"

ROOF = 5
FLOORS = {
    "_checkout": 0,
    "_version": 0,
    "errors": 0,
    "backend": 0,
    "rng": 0,
    "rules": 0,
    "lang": 1,
    "records": 1,
    "belief": 1,
    "mcts": 1,
    "bots": 2,
    "configs": 2,
    "players": 2,
    "config": 3,
    "gtp": 3,
    "adapters": 4,
    "arena": 4,
    "terminal": 4,
    "handbook": 2,
    "bridge": 4,
    "broadcast": 3,
    "web": 4,
    "server": 4,
    "cli": ROOF,
    "__init__": ROOF,
    "__main__": ROOF,
}
ROOFS = {part for part, floor in FLOORS.items() if floor == ROOF}
ALONE = {"_checkout", "_version", "errors"}  # these import nothing of ours
MAY_IMPORT = {"bots": {"_checkout"}, "configs": {"_checkout"}}  # and these nothing else of ours
EAGERLY = {"_version", "errors"}  # what `import gtp_variants` may pay for; the rest on first use


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name, absolute and dotted: `gtp_variants.rules.go`, `gtp_variants.errors.IllegalMove`."""

    name: str
    line: int
    is_lazy: bool  # inside a function, or for the type checker only

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]

    @property
    def is_ours(self) -> bool:
        return self.top == "gtp_variants"

    @property
    def part(self) -> str:
        """The file or folder of the package that it comes from; `__init__` for a public name."""
        second = self.name.split(".")[1:2]
        return second[0] if second and second[0] in FLOORS else "__init__"


def imports(source: str, module: str, *, is_package: bool = False) -> Iterator[Import]:
    """Every import of a module, wherever in it; calls of import_module with a literal name too."""
    package = module if is_package else module.rpartition(".")[0]

    def visit(node: ast.AST, is_lazy: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                yield from (Import(alias.name, node.lineno, is_lazy) for alias in names)
            case ast.ImportFrom(module=origin, names=names, level=level):
                if level:
                    above = package.split(".")[: len(package.split(".")) - level + 1]
                    origin = ".".join(above + ([origin] if origin else []))
                yield from (Import(f"{origin}.{alias.name}", node.lineno, is_lazy) for alias in names)
            case ast.Call(func=called, args=[ast.Constant(value=str(name)), *_]):
                if ast.unparse(called).rpartition(".")[2] in {"import_module", "__import__"}:
                    dots = len(name) - len(name.lstrip("."))
                    above = package.split(".")[: len(package.split(".")) - dots + 1] if dots else []
                    yield Import(".".join([*above, name.lstrip(".")]), node.lineno, is_lazy)
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        is_for_types = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            yield from visit(child, is_lazy or is_function or is_for_types)

    yield from visit(ast.parse(source), False)


def faults(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """What the imports of a module of the package do wrong, a sentence each."""
    here = [*module.split("."), "__init__"][1]
    if here not in FLOORS:
        return [f"{module}: {here} stands on no floor; give it one in tests/test_imports.py"]
    return [
        f"{module}, line {found.line}: imports {found.name}: {why}"
        for found in imports(source, module, is_package=is_package)
        if (why := fault(here, found))
    ]


def fault(here: str, found: Import) -> str | None:
    """Why this part of the package may not import that; None if it may."""
    if not found.is_ours:
        if here == "rules" and found.top not in sys.stdlib_module_names:
            return "rules know only the standard library"
        return None
    there = found.part
    if here in ALONE:
        return f"{here} imports nothing of ours"
    if here in MAY_IMPORT:
        return None if there in MAY_IMPORT[here] else f"{here} imports nothing of the floors"
    if FLOORS[there] > FLOORS[here]:
        return f"climbs from floor {FLOORS[here]} to {'the roof' if there in ROOFS else FLOORS[there]}"
    if FLOORS[here] == FLOORS[there] == 4 and here != there:
        return "the folders of floor 4 do not import each other"
    if here == "__init__" and not found.is_lazy and there not in EAGERLY | {"__init__"}:
        return "the package imports its parts on first use only"
    return None


def faults_of_a_bot(source: str, module: str) -> list[str]:
    """What the imports of a bot do wrong: of ours, it may import public names of `gtp_variants` only."""

    def is_public(found: Import) -> bool:
        _, *rest = found.name.split(".")
        return not rest or (len(rest) == 1 and rest[0] not in FLOORS and not rest[0].startswith("_"))

    return [
        f"{module}, line {found.line}: imports {found.name}: bots import only public names"
        for found in imports(source, f"gtp_variants.bots.{module}")
        if found.is_ours and not is_public(found)
    ]


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package with its file; not the bots, which follow their own rule."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[:2] == ("gtp_variants", "bots") and parts[2:] != ("__init__",):
            continue
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


@pytest.mark.parametrize(("module", "file"), [pytest.param(*each, id=each[0]) for each in modules()])
def test_no_import_climbs(module: str, file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    assert faults(source, module, is_package=file.name == "__init__.py") == []


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, id=file.stem) for file in sorted(BOTS.glob("*.py")) if file.stem != "__init__"],
)
def test_bots_import_public_names_only(file: Path) -> None:
    assert faults_of_a_bot(file.read_text(encoding="utf-8"), file.stem) == []


@pytest.mark.parametrize(
    ("module", "source", "why"),
    [
        ("gtp_variants.rules.go", "from gtp_variants.players import table", "climbs from floor 0 to 2"),
        ("gtp_variants.rules.go", "def f():\n    import gtp_variants.arena", "climbs from floor 0 to 4"),
        ("gtp_variants.rules.go", "from ..records.sgf import read", "climbs from floor 0 to 1"),
        ("gtp_variants.rules.go", "from .. import gtp", "climbs from floor 0 to 3"),
        ("gtp_variants.rules.go", "import gtp_variants", "climbs from floor 0 to the roof"),
        ("gtp_variants.rules.go", "from gtp_variants import GAMES", "climbs from floor 0 to the roof"),
        ("gtp_variants.rules.go", "import_module('gtp_variants.cli')", "climbs from floor 0 to the roof"),
        ("gtp_variants.rules.go", "import yaml", "rules know only the standard library"),
        ("gtp_variants.errors", "from gtp_variants.rules import go", "errors imports nothing of ours"),
        ("gtp_variants.gtp.engine", "from gtp_variants.arena import store", "climbs from floor 3 to 4"),
        ("gtp_variants.arena.store", "import gtp_variants.web.server", "do not import each other"),
        ("gtp_variants.configs.extra", "import gtp_variants.errors", "configs imports nothing of the floors"),
        ("gtp_variants.nowhere", "", "stands on no floor"),
    ],
)
def test_a_climbing_import_is_found(module: str, source: str, why: str) -> None:
    (only,) = faults(source, module)
    assert why in only


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("gtp_variants.rules.go", "import random\nfrom gtp_variants.errors import IllegalMove"),
        ("gtp_variants.rules.go", "from .board import square\nfrom ..errors import IllegalMove"),
        ("gtp_variants.arena.referee", "from gtp_variants.players.table import Table\nimport yaml"),
        ("gtp_variants.arena.referee", "from .config import Config"),
        ("gtp_variants.cli", "import gtp_variants.web\nfrom gtp_variants import bots, __version__"),
    ],
)
def test_an_import_that_goes_down_is_let_through(module: str, source: str) -> None:
    assert faults(source, module) == []


def test_the_package_imports_its_parts_on_first_use() -> None:
    eager = "from gtp_variants._version import __version__\nfrom gtp_variants.rules import GAMES"
    (only,) = faults(eager, "gtp_variants", is_package=True)
    assert "line 2" in only
    for first in ["def __getattr__(name):", "if TYPE_CHECKING:"]:
        assert faults(f"{first}\n    from .rules import GAMES", "gtp_variants", is_package=True) == []


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
