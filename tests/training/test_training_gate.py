"""Gates of a training: whom a network meets is told truly, and a gate that was stopped is played to its end."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.arena.api import match
from gtp_variants.backend import load_native
from gtp_variants.cli import main
from gtp_variants.cli.exit_status import INTERRUPTED

pytest.importorskip("gtp_variants.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.cli.engines import training_gate
from gtp_variants.cli.engines.training_gate import BEST, NO_NETWORK, TrainingGate
from gtp_variants.errors import RecordError
from gtp_variants.rules import parse

COMMAND = ["train", "go:size=4", "--channels", "16", "--blocks", "0", "--positions", "20", "--chunk", "2"]
OPTIONS = ["--playouts", "2", "--gate", "1", "--gate-pairs", "1", "--threads", "1"]


@dataclass
class Played:
    """What a match says."""

    elo: float
    games: tuple[int, ...] = (1, 2)
    interval: tuple[float, float] = (-100.0, 100.0)
    players: tuple[str, ...] = ("new", "old")


class Matches:
    """Matches that are over at once; `elos` are what comes out of them, or the exception that ends them."""

    def __init__(self, *elos: float | type[BaseException]) -> None:
        self.elos = list(elos)
        self.stores: list[str] = []

    def __call__(self, rules: object, players: object, *, store: Path, **settings: Any) -> Played:
        self.stores.append(store.name)
        elo = self.elos.pop(0)
        if isinstance(elo, type):
            raise elo
        return Played(elo)


def weights(folder: Path, iteration: int) -> Path:
    path = folder / "weights" / f"{iteration:05}.safetensors"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"network {iteration}")
    return path


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
    assert (tmp_path / BEST).read_text() == "network 4"
    # One that was not made here has no number.
    (tmp_path / BEST).write_text("another one")
    monkeypatch.setattr(training_gate, "match", Matches(10, 20))
    assert [each.against for each in gate.play(5, 0.5, weights(tmp_path, 5))] == [NO_NETWORK, BEST]


def test_what_was_played_of_a_gate_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_gate, "match", matches := Matches(10, 20, KeyboardInterrupt))
    gate = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    gate.play(1, 0.1, weights(tmp_path, 1))
    with pytest.raises(KeyboardInterrupt):
        gate.play(2, 0.2, weights(tmp_path, 2))
    again = TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)
    matches.elos = [5]
    assert [(each.against, each.elo) for each in again.play(2, 0.2, weights(tmp_path, 2))] == [("iteration 1", 5)]
    assert matches.stores[-2:] == ["00002-iteration-1-0.01s.db"] * 2
    assert (tmp_path / BEST).read_text() == "network 2"
    assert again.play(2, 0.2, weights(tmp_path, 2)) == []
    # It was stopped before the file was there.
    (tmp_path / BEST).write_text("network 1")
    assert again.play(2, 0.2, weights(tmp_path, 2)) == []
    assert (tmp_path / BEST).read_text() == "network 2"


def test_a_gate_that_was_stopped_is_played_when_the_training_goes_on(
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
def test_a_match_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    began = (tmp_path / "gates" / "00001-no-network-0.001s.db").stat().st_ino
    assert main([*command, "--gate-pairs", "2"]) == 0
    assert played == [2, 4]
    assert (tmp_path / "gates" / "00001-no-network-0.001s.db").stat().st_ino == began
    assert json.loads((tmp_path / "gates.jsonl").read_text())["games"] == 4


@pytest.mark.parametrize("content", [b'{"iteration": 1', b"[]", b'{"iteration": 1}', b'{"a": 1}\n'])
def test_a_damaged_log_is_told_by_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "gates.jsonl").write_bytes(content)
    with pytest.raises(RecordError, match=r"gates\.jsonl, line 1: "):
        TrainingGate(parse("go:size=4"), tmp_path, pairs=1, seconds=0.01)


@pytest.mark.parametrize("spec", ["alter-igo:width=2,height=2", "go:size=2", "pentalath", "rosette:n=2"])
def test_no_opening_ends_the_game(tmp_path: Path, spec: str) -> None:
    rules = parse(spec)
    path = TrainingGate(rules, tmp_path, pairs=50, seconds=0.01)._openings()
    assert path is not None
    for line in path.read_text().splitlines():
        position = rules.start()
        for word in line.split():
            position = rules.play(position, rules.board.point(word))
        assert not rules.is_over(position)
