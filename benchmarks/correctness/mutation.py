"""Mutation testing: small faults are put into our modules one at a time, and the tests have to find them.

    python -m benchmarks.correctness.mutation gtp_variants/rules --tests tests/rules --sample 60 [--seed 1]

A mutation changes one comparison, number, truth, arithmetic or boolean operator, negation or answer of the files that
are named. The chosen tests run against each, up to their first failure; a mutation that none of them finds survives,
and so does a gap in the tests. Tests that run three times as long as without it have found it, too. The file is put
back after each run. The state file keeps the progress, so that a stopped run can continue.
"""

import argparse
import ast
import copy
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: the bytes of a file, and their replacement."""

    file: str
    line: int
    start: int
    old: str
    new: str

    @property
    def key(self) -> str:
        return f"{self.file}:{self.line}:{self.start} {self.old!r} -> {self.new!r}"


def mutations(file: Path) -> Iterator[Mutation]:
    """Return every possible fault of a file."""
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, mutant in _mutants(ast.parse(source)):
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        new = ast.unparse(mutant) if isinstance(mutant, ast.stmt) else f"({ast.unparse(mutant)})"
        yield Mutation(str(file), node.lineno, start, source[start:end].decode(), new)


def _mutants(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, ast.expr | ast.stmt]]:
    """Yield nodes with their replacements; skip annotations, docstrings and formatted texts."""
    for name, field in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params") or isinstance(tree, ast.JoinedStr):
            continue
        for node in field if isinstance(field, list) else [field]:
            if isinstance(node, ast.expr | ast.stmt):
                yield from ((node, mutant) for mutant in _faults(node))
            if isinstance(node, ast.AST):
                yield from _mutants(node)


def _faults(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    """Return the replacements of a node."""
    match node:
        case ast.Compare(ops=[only]):
            yield _with(node, ops=[COMPARISONS[type(only)]()])
        case ast.Compare(ops=[first, *others]):
            yield _with(node, ops=[COMPARISONS[type(first)](), *others])
        case ast.BinOp(op=operator) if type(operator) in OPERATORS:
            yield _with(node, op=OPERATORS[type(operator)]())
        case ast.BoolOp(op=ast.And()):
            yield _with(node, op=ast.Or())
        case ast.BoolOp(op=ast.Or()):
            yield _with(node, op=ast.And())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) not in ("None", "NotImplemented"):
            yield ast.Return(ast.Constant(None))


def _with(node: ast.expr, **fields: object) -> ast.expr:
    found = copy.copy(node)
    for name, value in fields.items():
        setattr(found, name, value)
    return found


def survives(mutation: Mutation, tests: list[str], limit_s: float) -> bool:
    """Return True if the tests pass with this fault. The file is always restored."""
    file = Path(mutation.file)
    whole = file.read_bytes()
    end = mutation.start + len(mutation.old.encode())
    try:
        file.write_bytes(whole[: mutation.start] + mutation.new.encode() + whole[end:])
        return passes(tests, limit_s)
    finally:
        file.write_bytes(whole)


def passes(tests: list[str], limit_s: float | None = None) -> bool:
    """Return True if the tests pass in one process within the time limit."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n", "0", *tests]
    try:
        return subprocess.run(command, capture_output=True, timeout=limit_s, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> int:
    """Test a sample of mutations; print the survivors and their share."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="modules or folders to put faults into")
    parser.add_argument("--tests", nargs="+", required=True, help="the tests that have to find them")
    parser.add_argument("--sample", type=int, default=60, help="how many mutations (default %(default)s)")
    parser.add_argument("--seed", default="1", help="which ones (default %(default)s)")
    parser.add_argument("--state", type=Path, default=Path("results/mutation.json"), help="where progress is kept")
    arguments = parser.parse_args()
    files = [each for file in arguments.files for each in (sorted(file.rglob("*.py")) if file.is_dir() else [file])]
    every = [mutation for file in files for mutation in mutations(file)]
    chosen = random.Random(arguments.seed).sample(every, min(arguments.sample, len(every)))

    began = time.monotonic()
    if not passes(arguments.tests):
        print("the tests do not pass as it is", file=sys.stderr)
        return 2
    limit_s = 3 * (time.monotonic() - began) + 10
    known: dict[str, bool] = json.loads(arguments.state.read_text()) if arguments.state.exists() else {}
    arguments.state.parent.mkdir(parents=True, exist_ok=True)
    for mutation in chosen:
        if mutation.key not in known:
            known[mutation.key] = survives(mutation, arguments.tests, limit_s)
            arguments.state.write_text(json.dumps(known, indent=1))
        if known[mutation.key]:
            print("survives", mutation.key, flush=True)
    alive = sum(known[mutation.key] for mutation in chosen)
    print(f"{alive} of {len(chosen)} survive ({alive / len(chosen):.0%}); {len(every)} mutations there are")
    return 0


if __name__ == "__main__":
    sys.exit(main())
