"""Matches that tune: tried values, interruptions, reports and faults."""

import json
import textwrap
from pathlib import Path
from random import Random

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import BotConfig, ProgramConfig
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.schedule import Fixture, Schedule, count_games
from gtp_variants.errors import ConfigError
from tests.arena.matches import COMPLETE, INTERRUPTED, Process, played, run
from tests.arena.tuning.tunings import PARAMETERS, write_tuning

TEXT = f"""
arena: 1
seed: x
players:
  mine: {{command: "bot:mcts:playouts={{c}},seconds={{a}},threads=1"}}
  engine: {{command: "engine --level {{c}} --seed {{seed}}", startup: ["set b {{b}}"]}}
  other: {{command: bot:greedy}}
defaults: {{variant: "go:size=5"}}
tournament: {{type: tune, players: [engine], pairs: 20, confirm: 2, batch: 4, {PARAMETERS.replace("a: {", "b2: {")}}}
outputs: {{dir: out}}
""".replace("b2: {start: 0.5, min: 0, max: 1}, ", "")


def row(fixture: Fixture, winner: str) -> ResultRow:
    about = (fixture.id, fixture.matchup, fixture.pair, fixture.leg, fixture.names, "played", "B+1", winner, 9)
    return ResultRow(*about, parameters=fixture.parameters)


def play(config: MatchConfig, stop_after: int, rows: dict[str, ResultRow], random: Random) -> list[Fixture]:
    """Play some more games of a match. The player with the larger b wins each of them."""
    schedule, found = Schedule(config, rows), []
    waiting: list[Fixture] = []
    while stop_after:
        while (unit := schedule.next()) is not None:
            waiting += [each for each in unit.fixtures(config) if each.id not in rows]
        if not waiting:
            break
        fixture = waiting.pop(random.randrange(len(waiting)))
        rows[fixture.id] = row(fixture, max(fixture.names, key=lambda name: fixture.parameters[name]["b"]))
        found.append(fixture)
        stop_after -= 1
    return found


def test_pair_plays_both_sides_of_the_estimate_in_its_commands() -> None:
    config = resolve.read(TEXT)
    first = Schedule(config, {}).next()
    assert first is not None
    one, other = first.fixtures(config)
    assert one.names == ("engine+", "engine-") == other.names[::-1]
    plus, minus = one.players
    assert isinstance(plus, ProgramConfig)
    assert isinstance(minus, ProgramConfig)
    assert plus.command == ("engine", "--level", f"{one.parameters['engine+']['c']:.0f}", "--seed", "{seed}")
    assert plus.startup == (f"set b {one.parameters['engine+']['b']:g}",)
    assert one.parameters["engine+"]["b"] == -one.parameters["engine-"]["b"] != 0
    assert one.parameters == other.parameters
    assert count_games(config) == 44


def test_next_batch_is_known_when_the_last_one_is_over() -> None:
    config = resolve.read(TEXT)
    rows: dict[str, ResultRow] = {}
    schedule = Schedule(config, rows)
    batch = [unit for _ in range(9) if (unit := schedule.next()) is not None]
    assert [unit.pair for unit in batch] == [1, 2, 3, 4]
    for unit in batch:
        for fixture in unit.fixtures(config):
            rows[fixture.id] = row(fixture, "engine+")
    assert schedule.tuning is not None
    assert schedule.tuning.tried == []
    unit = schedule.next()
    assert unit is not None
    assert unit.pair == 5
    assert len(schedule.tuning.tried) == 4


def test_interrupted_tuning_tries_and_finds_the_same() -> None:
    config = resolve.read(TEXT)
    whole: dict[str, ResultRow] = {}
    play(config, 99, whole, Random(0))
    assert len(whole) == 44
    pieces: dict[str, ResultRow] = {}
    random = Random(1)
    while play(config, 3, pieces, random):
        pass
    assert pieces == whole
    schedule = Schedule(config, whole)
    assert list(iter(schedule.next, None))
    assert schedule.tuning is not None
    assert schedule.tuning.best()["b"] > 0
    assert whole["engine-confirm/0001a"].parameters == {
        "engine-tuned": schedule.tuning.best(),
        "engine-start": {"b": 0.0, "c": 50.0},
    }


def test_bayesian_tuning_plays_the_start_values_or_an_opponent() -> None:
    bayesian = TEXT.replace("players: [engine]", "players: [engine], method: bayesian")
    assert resolve.read(bayesian).matchups[0].names == ("engine", "engine-start")
    against = resolve.read(bayesian.replace("players: [engine]", "players: [engine, other]"))
    assert against.matchups[0].names == ("engine", "other")
    assert isinstance(against.matchups[0].players[1], BotConfig)
    assert against.matchups[1].names == ("engine-tuned", "engine-start")


def test_small_tuning_is_reported_in_every_format(
    here: Path, capsys: pytest.CaptureFixture[str], in_one_process: None
) -> None:
    write_tuning(here, 6, "confirm: 2, batch: 2", "dir: out, report: {format: [html, text, json]}")
    assert run("small.yaml", "--quiet", "--max-games", "12") == COMPLETE
    assert "stronger than the start values: 2 pairs follow\n" in capsys.readouterr().out
    assert run("small.yaml", "--quiet", "--max-games", "1") == COMPLETE
    assert "Results of mine-tuned vs mine-start (go:size=5; 1 of 4 games):" in capsys.readouterr().out
    assert run("small.yaml") == COMPLETE
    said, summary = capsys.readouterr()
    assert said.startswith("Tuning of mine by spsa (6 of 6 pairs):\nparameter")
    assert "With the best values: bot:" in said
    assert "Against the start values no gain is measured: Elo " in said
    assert "Results of mine-tuned vs mine-start (go:size=5; 4 of 4 games):" in said
    found = json.loads((here / "out" / "report.json").read_text())["tuning"]
    assert (found["player"], found["method"], found["pairs"]) == ("mine", "spsa", 6)
    assert found["start"] == {"a": 0.5, "b": 0.0, "c": 50.0}
    assert found["best"]["c"] == int(found["best"]["c"])
    elo = said.partition("no gain is measured: ")[2].partition("\n")[0]
    values = ",".join(f"{name}={value:g}" for name, value in found["best"].items())
    assert found["label"] == f"{values}: {elo}"
    assert f"mine: {values}: {elo}\n" in summary
    page = (here / "out" / "report.html").read_text()
    assert f"<p>{values}: {elo}</p>" in page
    assert "<h2>Tuning</h2>" in page
    assert page.count('<figure class="plot"><figcaption><b>') >= 3
    assert set(played()["mine-tune/0003a"][0].parameters) == {"mine+", "mine-"}
    write_tuning(here, 8, "confirm: 2, batch: 2")
    assert run("small.yaml", "--quiet") != COMPLETE
    assert "tuning was" in capsys.readouterr().err


@pytest.mark.slow
def test_killed_tuning_continues_exactly(here: Path) -> None:
    write_tuning(here, 60, outputs="dir: whole")
    assert run("small.yaml", "--quiet") == COMPLETE
    write_tuning(here, 60)
    for _ in range(2):
        with Process(here, "-j", "2") as match:
            match.wait_for_games(7)
    with Process(here, "-j", "2") as match:
        assert match.end()[0] == COMPLETE
    assert played(here / "out") == played(here / "whole")
    assert run("small.yaml", "show", "--quiet") in (COMPLETE, INTERRUPTED)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "players: [engine]",
            "players: [other]",
            "tournament.parameters: expected one player whose command has",
        ),
        (
            "players: [engine]",
            "players: [engine, mine]",
            "expected one player whose command has these, not engine or mine",
        ),
        (
            "players: [engine]",
            "players: [engine, other]",
            "tournament.players: engine is tuned; expected no other player",
        ),
        ("players: [engine]", "players: [mine]", "tournament.parameters.b: the command of mine has no {b}"),
        ("players: [engine]", "players: [mine]", "players.mine.command: {a}: expected one of tournament.parameters"),
        ("--level {c}", "--level {c} --x {y}", "players.engine.command: {y}: expected one of tournament.parameters"),
        ("min: -5", "min: 7", "tournament.parameters.b.max: expected more than min, which is 7"),
        ("start: 50", "start: 500", "tournament.parameters.c.start: expected 0 to 100, not 500"),
        ("c: {", "seed: {", "tournament.parameters.seed: expected a word of letters, digits and _ that is not seed"),
        ("start: 50,", "", "tournament.parameters.c.start: is missing; where tuning begins"),
        ('--seed {seed}"', '--seed {seed}", restart: never', "players.engine.restart: never: its command changes"),
        ("type: tune", "type: roundrobin", "tournament.parameters: belongs to a tune, not to a roundrobin"),
        ("type: tune", "type: roundrobin", "players.mine.command: playouts={c}: expected a whole number"),
        ("outputs:", "stop: {games: 5}\noutputs:", "stop: not allowed, as a tune ends by itself"),
    ],
)
def test_invalid_tuning_is_rejected(old: str, new: str, fault: str) -> None:
    assert old in TEXT
    with pytest.raises(ConfigError) as refused:
        resolve.read(textwrap.dedent(TEXT.replace(old, new)))
    assert any(fault in each for each in refused.value.faults), refused.value.faults


def test_start_value_that_the_bot_refuses_is_rejected() -> None:
    text = TEXT.replace("players: [engine]", "players: [mine]").replace("seconds={a}", "seconds={b}")
    with pytest.raises(ConfigError) as refused:
        resolve.read(text.replace("b: {start: 0", "b: {start: -1"))
    assert refused.value.faults == ("players.mine.command: seconds=-1.0: expected 0 or more",)
