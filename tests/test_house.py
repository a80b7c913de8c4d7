"""Rules for the sources: names, sizes, types and places, checked without running them.

Each guard answers who breaks its rule. Those who still may stand in `house_exceptions.txt`, a guard and an offender a
line. The list only shrinks: a line that is no longer needed fails too. `python -m tests.test_house` prints it as it
must be.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gtp_variants.rules import GAMES
from tests.support.sources import imports, modules, trees

# One process parses all sources for all guards.
pytestmark = pytest.mark.xdist_group("house")

EXCEPTIONS = Path(__file__).with_name("house_exceptions.txt")

LONGEST_FUNCTION = 59
MOST_METHODS = 30
# What the whole package may have: Python files, folders of them, lines, and modules with a single importer (a share).
MOST = {"files": 412, "folders": 58, "lines": 75_000, "single importers": 0.15}
MOST_LINES_WITH_ANY = 12

# Where JSON, YAML or what a stranger sends comes in and is checked: only there a value may have any type.
JSON_BORDERS = {
    "gtp_variants.base.json_values",
    "gtp_variants.adapters.gymnasium",  # none of these packages has types that hold
    "gtp_variants.adapters.openspiel.game",
    "gtp_variants.adapters.openspiel.observer",
    "gtp_variants.adapters.openspiel.state",
    "gtp_variants.adapters.pettingzoo",
    "gtp_variants.arena.config.configure",
    "gtp_variants.arena.config.match_config",
    "gtp_variants.arena.config.player_config",
    "gtp_variants.arena.config.resolve",
    "gtp_variants.arena.run.runner",  # dask has none
    "gtp_variants.base.processes.dask_cluster",
    "gtp_variants.training.cluster_self_play",
    "gtp_variants.training.pytorch.convolution",  # PyTorch's are left out: it is not installed everywhere
    "gtp_variants.training.pytorch.forward_pass",
    "gtp_variants.training.pytorch.integer_network",
    "gtp_variants.training.pytorch.learner",
    "gtp_variants.arena.run.worker",
    "gtp_variants.arena.store",
    "gtp_variants.arena.tuning",  # scikit-learn has no types
    "gtp_variants.base.config_files",
    "gtp_variants.records.state",
}
# Who may know a game by its name or its class.
KNOW_GAMES = ("gtp_variants.rules", "gtp_variants.handbook")
# A bot that is called like a game has that name in its class.
CALLED_LIKE_GAMES = {"bots.phantom: Phantom"}

PARTICIPLE = re.compile(r"(ed|told|heard|begun|shown|kept|drawn|sent|said|made|known|sworn|taken|given)$")
# What ends like one but is none: a verb, a claim, a verb with its object; names that are promised, asyncio's,
# and the word every reader of options has.
NO_PARTICIPLE = re.compile(
    r"(seed|need|feed|speed)$|^_?(is|has|can|find|expect|make|note|report)_|"
    r"^(asked|heard|required|connection_made|data_received)$"
)

# The modules of the games, as the register names them.
GAME_FILES = {f"rules.games.{place.partition(':')[0]}" for place in GAMES.values()}

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[FunctionNode]:
    return (node for node in ast.walk(tree) if isinstance(node, FunctionNode))


def classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def class_names_twice() -> set[str]:
    count = Counter(node.name for tree in trees().values() for node in classes(tree))
    return {name for name, times in count.items() if times > 1}


def long_functions() -> set[str]:
    return {
        f"{module}.{node.name}"
        for module, tree in trees().items()
        for node in functions(tree)
        if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    }


def large_classes() -> set[str]:
    """Return the classes with too many methods and properties, private ones included."""
    return {
        f"{module}.{node.name}"
        for module, tree in trees().items()
        for node in classes(tree)
        if sum(isinstance(each, FunctionNode) for each in node.body) > MOST_METHODS
    }


def functions_named_by_participles() -> set[str]:
    def is_property(function: FunctionNode) -> bool:
        return any("property" in ast.unparse(each) for each in function.decorator_list)

    return {
        f"{module}.{node.name}"
        for module, tree in trees().items()
        for node in functions(tree)
        if PARTICIPLE.search(node.name) and not NO_PARTICIPLE.search(node.name) and not is_property(node)
    }


def modules_without_a_first_sentence() -> set[str]:
    """Modules whose docstring does not come to a point in its first two lines."""

    def beginning(tree: ast.Module) -> str:
        return "\n".join((ast.get_docstring(tree) or "").splitlines()[:2])

    return {module for module, tree in trees().items() if not re.search(r"[.:;](\s|$)", beginning(tree))}


def games_known(tree: ast.Module) -> set[str]:
    """Return names of games in a module: classes, names that contain a game's, and SPECs."""
    games = "|".join(name.replace("-", "[-_]?") for name in GAMES if name != "go")
    identifier, text = re.compile(games, re.IGNORECASE), re.compile(rf"({games}|go)(:.*)?")
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(value)) if text.fullmatch(value):
                found.add(repr(value))
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                found |= {name} if identifier.search(name) else set()
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.ImportFrom(module=str(name)):
                found |= {name} if identifier.search(name) or name == "gtp_variants.rules.games.go" else set()
    return found


def modules_that_know_games() -> set[str]:
    return {
        f"{module}: {name}"
        for module, tree in trees().items()
        if not module.startswith(KNOW_GAMES)
        for name in games_known(tree)
    } - CALLED_LIKE_GAMES


def modules_imported(tree: ast.Module, module: str, *, is_package: bool = False, by_string: bool = True) -> set[str]:
    """Return the modules that one imports: when it is loaded or later, for its types, or `by_string`."""

    def origin(name: str) -> str:
        while name not in modules():
            name = name.rpartition(".")[0]
        return name

    found = {
        origin(each.name)
        for each in imports(tree, module, is_package=is_package)
        if each.is_ours and (by_string or not each.is_by_string)
    }
    return found - {module}


def import_graph(*, by_string: bool = True) -> dict[str, set[str]]:
    """Return which module imports which."""
    return {
        module: modules_imported(trees()[module], module, is_package=file.name == "__init__.py", by_string=by_string)
        for module, file in modules().items()
    }


def counts() -> dict[str, float]:
    """Return the size of the package, under the keys of MOST.

    What a register names, such as a game or a command, has no importer: readers come to it by its name.
    """
    importers = Counter(other for others in import_graph(by_string=False).values() for other in others)
    files = modules().values()
    return {
        "files": len(files),
        "folders": len({file.parent for file in files}),
        "lines": sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files),
        "single importers": sum(importers[module] == 1 for module in modules()) / len(modules()),
    }


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of two or more nodes of a graph that all reach each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def modules_in_circles() -> set[str]:
    return {module for circle in circles(import_graph()) for module in circle}


def parts_in_circles() -> set[str]:
    """Folders of the package, and files beside them, that import each other, whichever modules of theirs do."""

    def part(module: str) -> str:
        return ".".join(module.split(".")[:2])

    graph = import_graph()
    edges: dict[str, set[str]] = {part(module): set() for module in graph}
    for module, others in graph.items():
        edges[part(module)] |= {part(other) for other in others} - {part(module)}
    return {" ".join(circle) for circle in circles(edges)}


GUARDS: dict[str, Callable[[], set[str]]] = {
    guard.__name__: guard
    for guard in [
        class_names_twice,
        long_functions,
        large_classes,
        functions_named_by_participles,
        modules_without_a_first_sentence,
        modules_that_know_games,
        modules_in_circles,
        parts_in_circles,
    ]
}


def lines_with_any() -> Counter[str]:
    """Return for each module on how many lines it names the type Any."""
    return Counter(
        module
        for module in modules()
        for _ in {node.lineno for node in ast.walk(trees()[module]) if isinstance(node, ast.Name) and node.id == "Any"}
    )


@pytest.mark.slow
@pytest.mark.parametrize("guard", GUARDS)
def test_guard(guard: str) -> None:
    lines = EXCEPTIONS.read_text(encoding="utf-8").splitlines()
    assert GUARDS[guard]() == {
        offender for name, _, offender in (line.partition(" ") for line in lines) if name == guard
    }


@pytest.mark.slow
def test_the_package_is_no_larger_than_a_reader_can_hold() -> None:
    found = counts()
    print(found)
    assert {name: value for name, value in found.items() if value > MOST[name]} == {}


def test_any_stays_at_the_borders() -> None:
    lines = lines_with_any()
    assert set(lines) >= JSON_BORDERS, "a border that needs no such value any more"
    inside = Counter({module: count for module, count in lines.items() if module not in JSON_BORDERS})
    assert inside.total() <= MOST_LINES_WITH_ANY, inside.most_common()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from gtp_variants.rules.game import Game", {"rules.game"}),
        ("if TYPE_CHECKING:\n    from gtp_variants.rules.game import Game", {"rules.game"}),
        ("def f():\n    from gtp_variants.rules.game import Game", {"rules.game"}),
        ("import_module('gtp_variants.rules.game')", {"rules.game"}),
        ("_PLACE = ('gtp_variants.rules.game', 'Game')\nimport_module(_PLACE[0])", {"rules.game"}),
        ("GAMES = {'go': 'go:GoRules'}\nimport_module(f'gtp_variants.rules.games.{name}')", {"rules.games.go"}),
        ("from gtp_variants.rules import GO\nimport_module(f'gtp_variants.rules.games.{GO}')", {"rules"} | GAME_FILES),
        ("load_native('gtp_variants.ai.kernel._kernel')", {"ai.kernel"}),
        ("import_module('json')", set()),
    ],
)
def test_an_import_counts_for_circles_wherever_it_stands(source: str, found: set[str]) -> None:
    imported = modules_imported(ast.parse(source), "gtp_variants.ai.mcts.search")
    assert imported == {f"gtp_variants.{name}" for name in found}


def test_a_folder_that_imports_its_own_modules_by_string_is_read() -> None:
    tree = ast.parse("import_module(f'{__name__}.{name}')\nNAMES = ['sgf.games']")
    assert modules_imported(tree, "gtp_variants.records", is_package=True) == {"gtp_variants.records.sgf.games"}


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set()}) == [["a", "b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("if rules.name == 'aleago': pass", {"'aleago'"}),
        ("from gtp_variants.rules.games.phantom import Spy", {"gtp_variants.rules.games.phantom"}),
        ("isinstance(rules, AlterIgoRules)", {"AlterIgoRules"}),
        ("parse('go:size=9')", {"'go:size=9'"}),
        ("help = 'a SPEC such as aleago:size=9'", set()),
    ],
)
def test_a_game_known_by_name_is_found(source: str, names: set[str]) -> None:
    assert games_known(ast.parse(source)) == names


if __name__ == "__main__":
    print(*(f"# {name}: {value:g}, at most {MOST[name]:g}\n" for name, value in counts().items()), sep="", end="")
    for name, guard in GUARDS.items():
        print(*(f"{name} {offender}\n" for offender in sorted(guard())), sep="", end="")
