"""Checks before the first game: equal games, and players that differ between machines."""

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import ProgramConfig
from gtp_variants.arena.run import preflight
from gtp_variants.arena.run.preflight import find_repeating, try_players
from gtp_variants.arena.store import MatchStore
from gtp_variants.errors import ConfigError
from tests.arena.matches import COMPLETE, run, write_match
from tests.gtp.client.engines import GO

FIRST = "import gtp_variants as gv\nclass First(gv.Seat):\n    def choose(self, view, clock): return view.actions[0]\n"
TWO = {"a": "bot:first.py:First", "b": "bot:first.py:First"}


@pytest.fixture
def here(here: Path) -> Path:
    (here / "first.py").write_text(FIRST)
    (here / "engine.py").write_text(GO)
    return here


@pytest.mark.slow
def test_equal_games_are_warned_about_before_the_first_game(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trusted = "{command: 'bot:first.py:First', trusted: true}"
    write_match(here, {"a": trusted, "b": trusted}, 2, spec="go:size=3")
    assert run("small.yaml") == COMPLETE
    said = capsys.readouterr()
    assert said.err.index("a-b: all ") < said.err.index("a-b/0001a")
    assert "Duplicate games: 2; in 1 pairs" in said.out
    with MatchStore(here / "out" / "arena.db") as store:
        assert len({(row.players, row.fingerprint) for row in store.rows().values()}) == 2


@pytest.mark.parametrize(
    ("players", "spec", "more", "count"),
    [
        (TWO, "go:size=5", "", 1),
        ({**TWO, "b": "bot:uniform"}, "go:size=5", "", 0),
        (TWO, "aleago:size=5,dice=1d2", "", 0),
        (TWO, "go:size=9", "openings: {file: go-9x9}", 0),
    ],
)
def test_warning_appears_only_when_all_games_are_equal(
    here: Path, players: dict[str, str], spec: str, more: str, count: int
) -> None:
    config = resolve.load(write_match(here, players, 2, spec=spec, more=more))
    assert len(find_repeating(config)) == count


@pytest.mark.skipif(os.name == "nt", reason="programs are ended by the signals of POSIX")
@pytest.mark.parametrize(("arguments", "count"), [("''", 1), ("set_random_seed", 0), ("'', '{seed}'", 0)])
def test_program_is_warned_about_unless_it_takes_a_seed(here: Path, arguments: str, count: int) -> None:
    program = f"{{command: [{sys.executable}, engine.py, {arguments}]}}"
    config = resolve.load(write_match(here, {"a": program, "b": "bot:first.py:First"}, 2, spec="go:size=5"))
    assert len(find_repeating(try_players(config))) == count


@pytest.mark.parametrize(("more", "is_tested"), [("preflight: rules", True), ("preflight: start", False), ("", False)])
def test_a_program_with_a_wrong_rule_is_rejected_if_rules_are_tested(here: Path, more: str, is_tested: bool) -> None:
    # The simple engine does not look at its board, so that it knows no suicide.
    players = {"a": f"{{command: '{sys.executable} engine.py undo'}}", "b": "bot:uniform"}
    config = resolve.load(write_match(here, players, 1, spec="go:size=5", more=more))
    if is_tested:
        with pytest.raises(
            ConfigError, match=r"players\.a: cannot play go: go:size=3: it believes that suicide is legal"
        ):
            try_players(config)
    else:
        assert try_players(config).players["a"].name == "a"


def test_machines_with_other_players_are_rejected(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster runs in this process. Each of its machines changes one setting before it describes its players."""
    players = {"a": "bot:first.py:First", "program": f"{{command: [{sys.executable}, engine.py, '']}}"}
    more = "executor: dask:tcp://s:1\nseed: 5"
    config = resolve.load(write_match(here, players, 2, spec="go:size=5", more=more))
    asked: list[MatchConfig] = []

    class Cluster:
        changes: Mapping[str, tuple[str, str]] = {}

        def run_on_hosts(self, work: Callable[[MatchConfig], object], given: MatchConfig) -> dict[str, object]:
            asked.append(given)
            found = {}
            for worker, (name, text) in self.changes.items():
                before = (here / name).read_text()
                (here / name).write_text(text)
                found[worker] = work(given)
                (here / name).write_text(before)
            return found

    monkeypatch.setattr(preflight, "open_cluster", lambda *given: nullcontext(Cluster()))
    same = ("engine.py", GO)
    Cluster.changes = {"tcp://x": same, "tcp://y": same}
    found = try_players(config).players["program"]
    assert isinstance(found, ProgramConfig)
    assert found.version
    assert (asked[0].seed, asked[0].openings) == ("", ())
    Cluster.changes = {"tcp://x": same, "tcp://y": ("engine.py", GO + "# faster")}
    with pytest.raises(ConfigError, match=r"players.program: expected files .* as on tcp://x, got .* on tcp://y"):
        try_players(config)
    Cluster.changes = {"tcp://x": ("first.py", FIRST + "# faster")}
    with pytest.raises(ConfigError, match=r"players.a: expected version 'sha256:.*' as here, got .* on tcp://x"):
        try_players(config)


@pytest.mark.slow
def test_match_from_python_warns_about_equal_games(here: Path) -> None:
    with pytest.warns(UserWarning, match="pairs of games will be equal"):
        gv.match("go:size=3", ["first.py:First", "first.py:First"], pairs=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gv.match("go:size=3", ["first.py:First", "uniform"], pairs=1)
