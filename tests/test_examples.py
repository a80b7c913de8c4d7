"""The programs of `examples/` that were written from the protocol's pages alone: two engines and a host."""

import ast
import json
import random
import shlex
import shutil
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants import matches
from gtp_variants.gtp.client.conformance import find_fault
from gtp_variants.gtp.client.peer import Launch, Peer
from gtp_variants.records.json import from_json
from gtp_variants.records.record import verify
from tests.support.programs import COMMAND

FOLDER = Path(__file__).resolve().parent.parent / "examples"
PYTHON, HOST = FOLDER / "gtp_engine.py", FOLDER / "phantom_host.py"
NODE = FOLDER / "gtp_engine.js"
LONGEST = {PYTHON: 150, NODE: 200, HOST: 130}
OURS = shlex.join([*COMMAND, "gtp", "--bot", "uniform"])
# For each fault, what an engine answers to line number `n`, and the seat that forfeits if both engines are so.
FAULTY = {
    "refuses": ("'= ' if n < 2 else '? no'", "b"),
    "off board": ("'= Z99' if line.startswith('genmove') else '= '", "b"),
    "ends": ("'= ' if n < 2 else exit()", "b"),
    # Black's stone is there; White tries its point for ever.
    "repeats": ("'= A1' if line.startswith('genmove') else '= '", "w"),
}

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the examples are only in a checkout")


def command(engine: Path) -> tuple[str, ...]:
    """Return the command of an engine, or skip the test."""
    if engine == PYTHON:
        return (sys.executable, str(engine))
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    return (node, str(engine))


@pytest.mark.parametrize("file", LONGEST, ids=lambda file: file.name)
def test_a_program_is_short_and_imports_nothing_of_ours(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST[file]
    if file == NODE:
        assert text.count("require(") == text.count('require("readline")') == 1
        return
    modules = {
        name.name.partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import)
        for name in node.names
    } | {node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert modules <= sys.stdlib_module_names


def conforms(engine: Path, game: str, most_games: int | None) -> None:
    launch = Launch(command(engine))
    with closing(Peer(launch.start(is_quiet=True), launch)) as peer:
        fault = find_fault(peer, game, most_games)
    assert fault is None, fault.text()


@pytest.mark.parametrize("engine", [PYTHON, NODE], ids=lambda file: file.name)
@pytest.mark.parametrize("game", ["aleago", "alter-igo"])
def test_an_engine_passes_the_probes_and_a_game_of_the_conformance_files(engine: Path, game: str) -> None:
    conforms(engine, game, 1)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [PYTHON, NODE], ids=lambda file: file.name)
@pytest.mark.parametrize("game", ["aleago", "alter-igo"])
def test_an_engine_passes_the_conformance_files(engine: Path, game: str) -> None:
    conforms(engine, game, None)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [PYTHON, NODE], ids=lambda file: file.name)
@pytest.mark.parametrize(
    "spec", ["aleago:size=4,dice=1d3", "aleago:size=3,dice=1d2,crystal_ball=true", "alter-igo:size=3"]
)
def test_an_engine_plays_a_match_against_our_engine_with_no_forfeit(tmp_path: Path, engine: Path, spec: str) -> None:
    players = [
        matches.ProgramConfig("stranger", command(engine)),
        matches.ProgramConfig("ours", tuple(shlex.split(OURS))),
    ]
    outputs = matches.Outputs(tmp_path, sgf="none")
    config = matches.configure(spec, players, matches.TournamentBlock("playoff", pairs=1), seed=5, outputs=outputs)
    played = list(gv.Match(config))
    assert [(each.row.kind, each.row.failures) for each in played] == [("played", ())] * 2
    assert all(verify(each.record).ok for each in played)


def host(*engines: str, size: int = 5) -> dict[str, object]:
    """Let the host referee a game, and return its record."""
    run = subprocess.run(
        [sys.executable, HOST, str(size), *engines], capture_output=True, text=True, timeout=60, check=True
    )
    record: dict[str, object] = json.loads(run.stdout)
    return record


def test_the_host_referees_two_of_our_engines_as_our_own_referee_would() -> None:
    record = host(OURS, OURS)
    checked = verify(from_json(json.dumps(record)))
    assert checked.ok, checked
    game = from_json(json.dumps(record)).game
    assert game.outcome is not None
    assert game.outcome.sgf == record["result"]
    assert any(game.is_refused(index) for index in range(len(game.events)))


class Chooser:
    """An engine that tries any point, or passes."""

    def __init__(self, colour: str, points: list[str], seed: int) -> None:
        self.colour, self._points, self._rng = colour, points, random.Random(f"{colour} {seed}")

    def ask(self, command: str) -> str:
        return self._rng.choice([*self._points, "pass"]) if command.startswith("genmove") else ""


def test_the_host_refuses_what_our_rules_refuse() -> None:
    """A pass makes a situation, too, which situational superko may forbid to recur."""
    names: dict[str, Any] = {}
    exec(HOST.read_text(encoding="utf-8").rpartition("\nmain(")[0], names)
    spec = f"phantom:size=3,{names['OPTIONS']}"
    for seed in range(300):
        board, events = names["Board"](3), list[list[str]]()
        with suppress(names["Forfeit"]):
            result = names["play"]({each: Chooser(each, [*board.near], seed) for each in "bw"}, board, events)
            record = {"format": "gtp-variants", "version": 1, "spec": spec, "events": events, "result": result}
            checked = verify(from_json(json.dumps(record)))
            assert checked.ok, checked


@pytest.mark.parametrize("fault", FAULTY)
def test_the_host_ends_a_game_between_faulty_engines(tmp_path: Path, fault: str) -> None:
    answer, loser = FAULTY[fault]
    file = tmp_path / "engine.py"
    file.write_text(
        f"import sys\nfor n, line in enumerate(sys.stdin):\n    print({answer}, end='\\n\\n', flush=True)\n"
    )
    engine = shlex.join([sys.executable, str(file)])
    record = host(engine, engine, size=3)
    events = record["events"]
    assert isinstance(events, list)
    assert (events[-1], record["result"]) == ([loser, "forfeit"], f"{'W' if loser == 'b' else 'B'}+F")
    assert len(events) == (2 + 20 * 9 + 1 if fault == "repeats" else 1)
