"""The sources of the package and the bots, read without running them: modules, their syntax trees and imports.

Imports by string count like any other import: `import_module`, `__import__` and `load_native` with a constant, with a
variable whose text is in the module, or with an f-string that begins with the name of a folder.
"""

import ast
import gc
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = next(
    where / "gtp_variants"
    for where in [Path(__file__).resolve().parent.parent.parent, *map(Path, sys.path)]
    if (where / "gtp_variants").is_dir()
)
BOTS = PACKAGE.parent / "bots" if (PACKAGE.parent / "bots").is_dir() else PACKAGE / "bots"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name, absolute and dotted, such as `gtp_variants.errors.IllegalMove`."""

    name: str
    line: int
    is_lazy: bool  # True inside a function, or if only the type checker imports it
    is_for_types: bool = False
    is_by_string: bool = False

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]

    @property
    def is_ours(self) -> bool:
        return self.top == "gtp_variants"


def imports(tree: ast.Module, module: str, *, is_package: bool = False) -> Iterator[Import]:
    """Yield every import anywhere in a module, whether by name or by string."""
    package = module if is_package else module.rpartition(".")[0]

    def visit(node: ast.AST, is_lazy: bool, is_for_types: bool) -> Iterator[Import]:
        names: list[str] = []
        match node:
            case ast.Import(names=aliases):
                names = [alias.name for alias in aliases]
            case ast.ImportFrom(module=origin, names=aliases, level=level):
                if level:
                    above = package.split(".")[: len(package.split(".")) - level + 1]
                    origin = ".".join(above + ([origin] if origin else []))
                names = [f"{origin}.{alias.name}" for alias in aliases]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[given, *_]) if name in _IMPORTERS:
                names = imported_by_string(given, tree, module, package)
        if names and isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            is_by_string = isinstance(node, ast.Call)
            yield from (
                Import(name, node.lineno, is_lazy or is_for_types, is_for_types, is_by_string) for name in names
            )
        is_lazy |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        is_for_types |= isinstance(node, ast.If) and _is_type_checking(node.test)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, is_lazy, is_for_types)

    yield from visit(tree, False, False)


def _is_type_checking(test: ast.expr) -> bool:
    """Return True for the name `TYPE_CHECKING`, perhaps of a module."""
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


# Functions that import the module named by a string.
_IMPORTERS = {"import_module", "__import__", "load_native"}
_OURS = re.compile(r"gtp_variants(\.\w+)+")


def imported_by_string(given: ast.expr, tree: ast.Module, module: str, package: str) -> list[str]:
    """Return the dotted names that the argument of an import by string may have, as far as the sources show."""
    match given:
        case ast.Constant(value=str(name)):
            dots = len(name) - len(name.lstrip("."))
            above = package.split(".")[: len(package.split(".")) - dots + 1] if dots else []
            return [".".join([*above, name.lstrip(".")])]
        case ast.JoinedStr(values=[first, second, *_]):
            is_here = isinstance(first, ast.FormattedValue) and ast.unparse(first.value) == "__name__"
            beginning = module + _text(second) if is_here else _text(first)
            if beginning.startswith("gtp_variants."):
                return complete_names(beginning, texts_of(tree) | texts_imported(tree, module))
    return sorted(text for text in texts_of(tree) if _OURS.fullmatch(text))


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def texts_of(tree: ast.Module) -> set[str]:
    """Return all string constants in a module."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def texts_imported(tree: ast.Module, module: str) -> set[str]:
    """Return the strings in our modules from which a module imports at top level: they may contain tables of names."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module in modules() and node.module != module:
            found |= texts_of(trees()[node.module])
    return found


def complete_names(beginning: str, texts: set[str]) -> list[str]:
    """Return the modules named by `beginning` and a word of a text; if there are none, all with that beginning."""
    words = {word for text in texts for word in re.split(r"[:\s]", text)}
    named = {beginning + word for word in words} & set(modules())
    return sorted(named or {name for name in modules() if name.startswith(beginning)}) or [beginning.rstrip(".")]


@cache
def modules() -> dict[str, Path]:
    """Return every module of the package with its file, except the bots, for which `bots` exists."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[:2] == ("gtp_variants", "bots") and parts[2:] != ("__init__",):
            continue
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def bots() -> dict[str, Path]:
    """Return the file of every bot's module, by the module's name."""
    return {file.stem: file for file in sorted(BOTS.glob("*.py")) if file.stem != "__init__"}


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax tree of every module, and of every bot as `bots.NAME`."""
    files = modules() | {f"bots.{name}": file for name, file in bots().items()}
    # Collections would go through the growing trees again and again, and take two thirds of the time.
    gc.disable()
    try:
        return {module: ast.parse(file.read_text(encoding="utf-8")) for module, file in files.items()}
    finally:
        gc.enable()
