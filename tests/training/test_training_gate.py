"""Gates of a training: opponents are reported correctly, and an interrupted gate is completed."""

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.ai.backend import load_native
from gtp_variants.arena.api import match
from gtp_variants.arena.config import player_config
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.store import MatchStore
from gtp_variants.cli import main
from gtp_variants.cli.commands import INTERRUPTED

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import describe_training
from gtp_variants.cli.engines import training_gate
from gtp_variants.cli.engines.training_gate import BEST, NO_NETWORK, GateResult, TrainingGate, show_strengths
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.rules import parse
from tests.ai.nets.networks import random_network

COMMAND = ["train", "go:size=4", "--channels", "16", "--blocks", "0", "--positions", "20", "--chunk", "2"]
OPTIONS = ["--playouts", "2", "--gate", "1", "--gate-pairs", "1", "--threads", "1"]


@dataclass
class Played:
    """The output of a match."""

    elo: float
    games: tuple[int, ...] = (1, 2)
    interval: tuple[float, float] = (-100.0, 100.0)
    players: tuple[str, ...] = ("new", "old")


class Matches:
    """Matches that are over at once; `elos` are what comes out of them, or the exception that ends them."""

    def __init__(self, *elos: float | type[BaseException]) -> None:
        self.elos = list(elos)
        self.stores: list[str] = []
        self.openings: list[list[str]] = []

    def __call__(self, rules: object, players: object, *, store: Path, openings: Path, **settings: Any) -> Played:
        self.stores.append(store.name)
        self.openings.append(openings.read_text().splitlines())
        elo = self.elos.pop(0)
        if isinstance(elo, type):
            raise elo
        return Played(elo)


def weights(folder: Path, iteration: int) -> Path:
    path = folder / "weights" / f"{iteration:05}.safetensors"
    path.parent.mkdir(exist_ok=True)
    network(iteration).save(path)
    return path


def network(seed: int, spec: str = "go:size=4") -> Network:
    return random_network(Encoder(parse(spec)), seed, 16, 0)


def test_the_network_that_is_met_is_the_best_one_and_not_the_latest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    # Against no network and against the best one: the second loses, the third wins.
    monkeypatch.setattr(training_gate, "match", Matches(10, 20, -5, 30, 5, 40, 6))
    met = [
        [each.against for each in gate.play(number, number / 10, weights(tmp_path, number))] for number in range(1, 5)
    ]
    assert met == [[NO_NETWORK], [NO_NETWORK, "iteration 1"], [NO_NETWORK, "iteration 1"], [NO_NETWORK, "iteration 3"]]
    assert Network.load(tmp_path / BEST) == network(4)
    # One that was not made here has no number.
    network(77).save(tmp_path / BEST)
    monkeypatch.setattr(training_gate, "match", Matches(10, 20))
    assert [each.against for each in gate.play(5, 0.5, weights(tmp_path, 5))] == [NO_NETWORK, BEST]


def test_the_hours_of_what_a_network_began_with_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_gate, "match", Matches(10))
    began_with = replace(
        network(7), training={"positions": "100", "hours": "0.5", "start": "go positions=9 hours=0.25"}
    )
    file = tmp_path / "begun.safetensors"
    replace(network(1), training={"hours": "0.1", "start": describe_training(began_with)}).save(file)
    gate = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    assert gate.measure(1, 0.1, file).hours == pytest.approx(0.85)


def test_finished_games_of_a_gate_are_not_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_gate, "match", matches := Matches(10, 20, KeyboardInterrupt))
    gate = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    gate.play(1, 0.1, weights(tmp_path, 1))
    with pytest.raises(KeyboardInterrupt):
        gate.play(2, 0.2, weights(tmp_path, 2))
    again = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    matches.elos = [5]
    assert [(each.against, each.elo) for each in again.play(2, 0.2, weights(tmp_path, 2))] == [("iteration 1", 5)]
    assert matches.stores[-2:] == ["00002-iteration-1-1-0.01s.db"] * 2
    assert Network.load(tmp_path / BEST) == network(2)
    assert again.play(2, 0.2, weights(tmp_path, 2)) == []
    # It was stopped before the file was there.
    network(1).save(tmp_path / BEST)
    assert again.play(2, 0.2, weights(tmp_path, 2)) == []
    assert Network.load(tmp_path / BEST) == network(2)


def test_a_gate_that_was_stopped_is_played_when_the_training_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*COMMAND, *OPTIONS, "--into", str(tmp_path), "--iterations", "2"]
    monkeypatch.setattr(training_gate, "match", matches := Matches(10, KeyboardInterrupt))
    assert main(command) == INTERRUPTED
    capsys.readouterr()
    matches.elos = [20, 30]
    # All iterations are there already.
    assert main(command) == 0
    told = capsys.readouterr().err
    assert told.count("against no network") == told.count("against iteration 1") == 1
    rows = [json.loads(line) for line in (tmp_path / "gates.jsonl").read_text().splitlines()]
    assert [(row["iteration"], row["against"]) for row in rows] == [
        (1, NO_NETWORK),
        (2, NO_NETWORK),
        (2, "iteration 1"),
    ]
    assert rows[0]["hours"] <= rows[1]["hours"]
    assert "Elo over processor hours" in (tmp_path / "training.html").read_text()
    assert main(command) == 0
    assert len(matches.stores) == 4


@pytest.mark.slow
def test_a_match_that_was_stopped_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*COMMAND, *OPTIONS, "--into", str(tmp_path), "--iterations", "1", "--gate-seconds", "0.001"]
    assert main([*command, "--gate", "0"]) == 0
    played: list[int] = []

    def count(*arguments: Any, pairs: int, **settings: Any) -> Any:
        found = match(*arguments, pairs=pairs, **settings)
        played.append(len(found.games))
        if len(played) == 1:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(training_gate, "match", count)
    assert main(command) == INTERRUPTED
    (store,) = (tmp_path / "gates").rglob("*.db")
    began = store.stat().st_ino
    assert main(command) == 0
    assert played == [2, 2]
    assert store.stat().st_ino == began
    assert json.loads((tmp_path / "gates.jsonl").read_text())["games"] == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (BEST, r"best\.safetensors: missing; expected the best network so far, a copy of weights/00003\.safetensors"),
        ("gates.jsonl", r"gates\.jsonl: missing; expected the log of the gates that best\.safetensors has won"),
    ],
)
def test_no_gate_is_played_without_the_best_network_or_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setattr(training_gate, "match", matches := Matches(10, 20, -5, 30, 5, 40, -6))
    gate = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    for iteration in range(1, 5):
        gate.play(iteration, 0.1, weights(tmp_path, iteration))
    (tmp_path / name).unlink()
    with pytest.raises(RecordError, match=said):
        TrainingGate(parse("go:size=4"), tmp_path, 1, 0.01).play(5, 0.1, weights(tmp_path, 5))
    assert not matches.elos


def stop_a_gate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, ResultRow]:
    """Play a pair of a gate's two; its games."""

    def stop(*arguments: Any, pairs: int, **settings: Any) -> None:
        match(*arguments, pairs=1, **settings)
        raise KeyboardInterrupt

    folder.mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(training_gate, "match", stop)
        file = weights(folder, 1)
        with pytest.raises(KeyboardInterrupt):
            TrainingGate(parse("go:size=4"), folder, pairs=2, seconds=0.001).play(1, 0.1, file)
    return games_of_gate(folder)


def go_on(folder: Path) -> dict[str, ResultRow]:
    """Play a gate to its end; its games."""
    gate = TrainingGate(parse("go:size=4"), folder, pairs=2, seconds=0.001)
    assert [each.games for each in gate.play(1, 0.1, folder / "weights" / "00001.safetensors")] == [4]
    return games_of_gate(folder)


def games_of_gate(folder: Path) -> dict[str, ResultRow]:
    (path,) = (folder / "gates").rglob("*.db")
    with MatchStore(path) as store:
        return dict(store.rows())


@pytest.mark.parametrize("is_of_an_earlier_version", [False, True])
def test_a_gate_continues_where_the_folder_was_moved_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_of_an_earlier_version: bool
) -> None:
    played = stop_a_gate(tmp_path / "one", monkeypatch)
    (tmp_path / "one").rename(tmp_path / "two")
    if is_of_an_earlier_version:
        (store,) = (tmp_path / "two" / "gates").rglob("*.db")
        with closing(sqlite3.connect(store)) as opened, opened:
            opened.execute("UPDATE matchups SET settings = replace(settings, 'net=0', 'net=/home/me/one/weights/0')")
    assert len(played) == 2
    assert played.items() <= go_on(tmp_path / "two").items()


@pytest.mark.parametrize("what", ["weights", "version"])
def test_a_gate_starts_again_with_other_weights_or_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    played = stop_a_gate(tmp_path / "one", monkeypatch)
    if what == "weights":
        network(2).save(tmp_path / "one" / "weights" / "00001.safetensors")
    else:
        monkeypatch.setattr(player_config, "__version__", "another")
    again = go_on(tmp_path / "one")
    assert played.keys() <= again.keys()
    assert all(again[id] != row for id, row in played.items())


@pytest.mark.parametrize("content", [b'{"iteration": 1', b"[]", b'{"iteration": 1}', b'{"a": 1}\n'])
def test_a_damaged_log_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "gates.jsonl").write_bytes(content)
    with pytest.raises(RecordError, match=r"gates\.jsonl, line 1: "):
        TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)


@pytest.mark.parametrize(
    "spec", ["alter-igo:width=2,height=2", "go:size=2", "pentalath", "rosette:n=2", "phantom:size=3"]
)
def test_no_opening_ends_the_game(tmp_path: Path, spec: str) -> None:
    rules = parse(spec)
    path = TrainingGate(rules, tmp_path, pairs=50, seconds=0.01)._write_openings(tmp_path)
    assert path is not None
    for line in path.read_text().splitlines():
        position = rules.start()
        for word in line.split():
            position = rules.play(position, rules.board.point(word))
        assert not rules.is_over(position)


def test_each_pair_has_an_opening_of_its_own_also_with_more_pairs_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_gate, "match", matches := Matches(10, 10, 10, 10))
    for iteration, (spec, pairs) in enumerate([("go:size=9", 1), ("go:size=9", 5), ("go:size=4", 5)], 1):
        gate = TrainingGate(parse(spec), tmp_path, pairs, 0.01)
        gate.measure(iteration, 0.1, weights(tmp_path, iteration))
    assert [len(set(each)) for each in matches.openings] == [1, 5, 5]
    # What somebody did to a file of an earlier gate is no matter.
    for path in (tmp_path / "gates").rglob("openings*"):
        path.write_text("nonsense")
    TrainingGate(parse("go:size=4"), tmp_path, 5, 0.01).measure(4, 0.1, weights(tmp_path, 4))
    assert matches.openings[-1] == matches.openings[-2]


@pytest.mark.parametrize(("file", "which"), [("weights", 2), (BEST, 1)])
def test_a_damaged_network_is_reported_and_plays_no_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, which: int
) -> None:
    monkeypatch.setattr(training_gate, "match", matches := Matches(10, 20, 30))
    gate = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    gate.play(1, 0.1, weights(tmp_path, 1))
    second = weights(tmp_path, 2)
    damaged = second if file == "weights" else tmp_path / BEST
    damaged.write_bytes(damaged.read_bytes()[:-100])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(RecordError, match=rf"{damaged.name}: .* bytes, expected "):
        gate.play(2, 0.2, second)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert len(matches.stores) == 1
    damaged.write_bytes(b"")
    network(1, "pentalath").save(tmp_path / BEST)
    with pytest.raises(ConfigError, match=r"best\.safetensors: weights of pentalath, expected go"):
        gate.check()


def test_a_path_unusable_in_a_bots_options_is_refused_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "go9,new"
    command = [*COMMAND, *OPTIONS, "--into", str(folder), "--iterations", "1"]
    assert main(command) == 2
    assert f"{folder}: expected a path without a comma" in capsys.readouterr().err
    assert not folder.exists()
    assert main([*command, "--gate", "0"]) == 0


@pytest.mark.slow
def test_gates_continue_with_the_specs_in_another_order(tmp_path: Path) -> None:
    options = [*COMMAND[2:], *OPTIONS, "--into", str(tmp_path), "--gate-seconds", "0.001"]
    assert main(["train", "go:size=9", "go:size=4", *options, "--iterations", "1"]) == 0
    assert main(["train", "go:size=4", "go:size=9", *options, "--iterations", "2"]) == 0
    assert len((tmp_path / "gates.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize("file", ["gates.jsonl", BEST])
def test_a_command_that_is_refused_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str
) -> None:
    command = [*COMMAND, *OPTIONS, "--into", str(tmp_path), "--iterations", "1"]
    assert main([*command, "--gate", "0"]) == 0
    (tmp_path / file).write_text("{bad")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["train", "go:size=5", *command[1:]]) == 2
    assert str(tmp_path / file) in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_gate_results_are_shown_with_figures_and_marks() -> None:
    results = [
        GateResult(1, 0.1, NO_NETWORK, 40, 120.4, 30.2, 250.9),
        GateResult(2, 0.2, NO_NETWORK, 40, 180.0, 90.0, 300.0),
        GateResult(2, 0.2, "iteration 1", 40, -12.0, -90.0, 60.0),
    ]
    shown = show_strengths(results)
    assert all(word in shown for word in ("against no network", "against the best before it", "+120 [+30, +251]"))
    assert '<td class="text">iteration 1</td>\n<td>-12 [-90, +60]</td><td>40</td>' in shown
    dots = re.findall(r'class="dots (c\d)" d="([^"]*)"', shown)
    assert [(colour, path.count("M")) for colour, path in dots] == [("c0", 2), ("c1", 1)]
    assert "<b>Elo against no network, 95 % intervals</b>" in show_strengths(results[:2])
    assert show_strengths([]) == ""
