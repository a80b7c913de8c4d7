"""Samples exported by a match: a file for each stored game, even after interruptions."""

import sys
from pathlib import Path

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.samples import formats
from gtp_variants.arena.store import MatchStore, SampleFiles
from gtp_variants.base.installation import install_command
from tests.arena import matches
from tests.arena.matches import COMPLETE, WRONG, Process, write_match

SPEC = "go:size=4"
SEARCHES = {"mcts": "bot:mcts:playouts=20", "uniform": "bot:uniform"}


def exported(folder: Path = Path("out")) -> set[str]:
    """Return the games that have a sample file."""
    files = (folder / "arena.samples").rglob("*.*")
    return {file.relative_to(folder / "arena.samples").as_posix() for file in files}


def kept(folder: Path = Path("out")) -> set[str]:
    """Return the sample files of all stored games."""
    with MatchStore(folder / "arena.db") as store:
        return {f"{id}.npz" for id in store.rows()}


@pytest.mark.usefixtures("in_one_process")
def test_match_exports_the_results_of_its_searches(tmp_path: Path) -> None:
    store = tmp_path / "five.db"
    players = ["mcts:playouts=20", "uniform"]
    table = gv.match(SPEC, players, pairs=2, seed=1, store=store, export="npz")
    samples = gv.Samples(tmp_path / "five.samples")
    assert [file.relative_to(samples.folder).as_posix() for file in samples.files] == [
        f"{game.id}.npz" for game in table.games
    ]
    for row, game in zip(table.games, samples.games(), strict=True):
        is_mcts = np.array([row.players[colour - 1] == "mcts" for colour in game["to_play"]])
        is_told = game["visits"].sum(1) > 0
        # The bot passes without a search if it wins the count.
        assert not is_told[~is_mcts].any()
        assert is_told[is_mcts & (game["index"] < 16)].all()
        assert np.isfinite(game["values"]).all(1).tolist() == is_told.tolist()
        assert game["mask"][np.arange(len(is_mcts)), game["index"]].all()
        assert game["outcomes"][0].tolist() == [row.score(name) for name in row.players]
    # Export is off by default and does not change the games.
    assert [game.fingerprint for game in gv.match(SPEC, players, pairs=2, seed=1, store=tmp_path / "b.db").games] == [
        game.fingerprint for game in table.games
    ]
    assert not (tmp_path / "b.samples").exists()


@pytest.mark.long
def test_programs_and_isolated_bots_export_their_analysis(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(
        "import gtp_variants as gv\n"
        "class Mine(gv.Seat):\n"
        "    def choose(self, view, clock):\n"
        "        if view.turn < 5:\n"
        "            self.found = gv.search(self.rules, view, playouts=30, seed=1)\n"
        "            return self.found.action\n"
        "        return view.actions[0]\n"
    )
    program = f"{sys.executable} -m gtp_variants gtp --bot mcts:playouts=40"
    players = {"program": program, "mine": f"bot:{bot}:Mine"}
    table = gv.match("go:size=3", players, pairs=1, seed=1, store=tmp_path / "a.db", export="npz")
    for row, game in zip(table.games, gv.Samples(tmp_path / "a.samples").games(), strict=True):
        assert not row.failures
        colours = {name: colour for colour, name in enumerate(row.players, 1)}
        of_program, of_bot = (game["to_play"] == colours[name] for name in ("program", "mine"))
        # A program may pass without a search.
        assert game["visits"][of_program].sum(1)[:2].all()
        assert np.isfinite(game["values"][of_program][:2]).all()
        # The analysis of an earlier move is not exported again.
        assert (game["visits"].sum(1) > 0)[of_bot].tolist() == (game["move"][of_bot] < 4).tolist()


@pytest.mark.parametrize("broken", ["prepare", "publish"])
@pytest.mark.usefixtures("in_one_process")
def test_each_game_has_one_file_when_the_match_ends_between_file_and_store(
    here: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    write_match(here, SEARCHES, 2, spec=SPEC, outputs="dir: out, export: npz")
    calls = 0
    act = getattr(SampleFiles, broken)

    def act_and_end(files: SampleFiles, game: object) -> None:
        nonlocal calls
        calls += 1
        if (calls, broken) == (2, "publish"):
            raise KeyboardInterrupt
        act(files, game)
        if (calls, broken) == (2, "prepare"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SampleFiles, broken, act_and_end)
        matches.run("small.yaml", "--quiet")
    assert len(kept()) == (1 if broken == "prepare" else 2)
    assert sum(name.endswith(".npz") for name in exported()) == 1
    assert sum(name.endswith(".waiting") for name in exported()) == 1
    assert matches.run("small.yaml", "--quiet") == COMPLETE
    assert exported() == kept()
    assert len(kept()) == 4
    assert matches.run("small.yaml", "reset") == COMPLETE
    assert not (here / "out").exists()


@pytest.mark.long
def test_each_game_has_one_file_when_the_match_is_killed(here: Path) -> None:
    write_match(here, SEARCHES, 10, spec=SPEC, outputs="dir: out, export: npz")
    for _ in range(3):
        with Process(here, "-j", "2") as match:
            match.wait_for_games(2)
            match.process.kill()
            match.process.wait(timeout=60)
    with Process(here, "-j", "2") as match:
        status, _ = match.end()
    assert status == COMPLETE
    assert exported() == kept()
    rows = {(str(game["game"][0]), int(move)) for game in gv.Samples("out").games() for move in game["move"]}
    assert len(rows) == len(gv.Samples("out"))


def test_invalid_export_is_rejected(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(gv.ConfigError, match="export=npz: expected a store as well"):
        gv.match(SPEC, ["greedy", "uniform"], export="npz")
    with pytest.raises(gv.ConfigError, match="export='csv': expected npz, jsonl or parquet"):
        gv.match(SPEC, ["greedy", "uniform"], store=here / "a.db", export="csv")
    monkeypatch.setattr(formats, "find_spec", lambda name: None)
    write_match(here, outputs="dir: out, export: parquet")
    assert matches.run("small.yaml") == WRONG
    said = capsys.readouterr().err
    assert f"outputs.export: parquet needs numpy and pyarrow; {install_command('parquet')}" in said
