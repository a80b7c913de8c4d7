"""Matches that grow: more games and players, merged parts, and changed players."""

import json
from pathlib import Path

import pytest

from tests.arena.matches import COMPLETE, WRONG, played, run, write_match

BOT = "import gtp_variants as gv\nclass Mine(gv.Seat):\n    pass\n"

pytestmark = pytest.mark.usefixtures("in_one_process")


STOP = "seed: x\nstop: {games: 7}"
PLAYERS = {"a": "bot:greedy", "b": "bot:uniform", "mine": "bot:mine.py:Mine"}


def write(folder: Path, players: str = "a b", pairs: int = 3, where: str = "out", more: str = "seed: x") -> None:
    if not (folder / "mine.py").exists():
        (folder / "mine.py").write_text(BOT)
    given = {name: PLAYERS[name] for name in players.split()}
    write_match(folder, given, pairs, tournament="roundrobin", outputs=f"dir: {where}, sgf: none", more=more)


@pytest.mark.slow
def test_match_grows_by_games_and_players(here: Path) -> None:
    write(here)
    assert run("small.yaml", "--quiet") == COMPLETE
    before = played(here / "out")
    write(here, "a b mine", 4)
    assert run("small.yaml", "--quiet") == COMPLETE
    after = played(here / "out")
    assert before.items() <= after.items()
    assert len(after) == 3 * 4 * 2
    write(here, "a b mine", 4, where="fresh")
    assert run("small.yaml", "--quiet", "-j", "2") == COMPLETE
    assert played(here / "fresh") == after


@pytest.mark.slow
def test_changed_player_needs_a_new_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, "a b mine", 1)
    assert run("small.yaml", "--quiet") == COMPLETE
    old = played(here / "out")
    (here / "mine.py").write_text(BOT + "# faster now\n")
    capsys.readouterr()
    assert run("small.yaml") == WRONG
    said = capsys.readouterr().err
    assert "a-mine: mine's version was sha256:" in said
    assert "Give the changed player (mine) a name of its own" in said
    assert "reset --only mine" in said
    assert "b-mine" in said
    assert played(here / "out") == old
    assert run("small.yaml", "reset", "--only", "mine") == COMPLETE
    assert "4 games deleted" in capsys.readouterr().out
    assert sorted(played(here / "out")) == ["a-b/0001a", "a-b/0001b"]
    assert run("small.yaml", "--quiet") == COMPLETE
    assert len(played(here / "out")) == 6


@pytest.mark.long
def test_merged_parts_equal_the_whole_match(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, "a b mine", 3, more=STOP)
    assert run("small.yaml", "--quiet", "--json") == COMPLETE
    whole, result = played(here / "out"), json.loads(capsys.readouterr().out)
    for part in "123":
        write(here, "a b mine", 3, where=f"part{part}", more=STOP)
        assert run("small.yaml", "--quiet", "--shard", f"{part}/3", "--max-games", "2") == COMPLETE
        assert len(played(here / f"part{part}")) == 2
        assert run("small.yaml", "--quiet", "--shard", f"{part}/3") == COMPLETE
        assert len(played(here / f"part{part}")) == 6
    write(here, "a b mine", 3, where="merged", more=STOP)
    stores = [f"part{part}/arena.db" for part in "123"]
    capsys.readouterr()
    assert run("small.yaml", "merge", *stores[:2]) == COMPLETE
    said = capsys.readouterr().out
    assert "6 new games, 0 games that were already here" in said
    assert "this match now has 12 of 18 games\n" in said
    assert run("small.yaml", "merge", *stores) == COMPLETE
    assert "this match now has 18 of 18 games\n" in capsys.readouterr().out
    assert whole.items() <= played(here / "merged").items()
    # Games that a single machine would not have played do not count.
    assert run("small.yaml", "show", "--json") == COMPLETE
    assert json.loads(capsys.readouterr().out) == result
    assert result["games"] == 8
    assert run("small.yaml", "--quiet") == COMPLETE
    assert len(played(here / "merged")) == 18


def test_parts_of_another_match_are_rejected(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, where="other")
    assert run("small.yaml", "--quiet", "--seed", "y") == COMPLETE
    write(here)
    assert run("small.yaml", "--quiet", "--max-games", "1") == COMPLETE
    assert run("small.yaml", "merge", "other/arena.db") == WRONG
    assert "played with other settings: a-b: seed was y, is now x" in capsys.readouterr().err
    assert run("small.yaml", "merge", "nowhere.db") == WRONG
    assert run("small.yaml", "merge") == WRONG
    (here / "text.db").write_text("no database, but a text that is long enough to be read as one, almost" * 20)
    assert run("small.yaml", "merge", "text.db") == WRONG
    assert len(played(here / "out")) == 1


def test_shard_is_rejected_without_a_seed_or_in_a_swiss_tournament(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(here)
    write(here, more="")
    assert run("small.yaml", "--shard", "1/2") == WRONG
    assert "all parts need the same" in capsys.readouterr().err
    write_match(here, tournament="swiss, rounds: 1")
    assert run("small.yaml", "--shard", "1/2") == WRONG
    assert "cannot be shared among machines" in capsys.readouterr().err
    for wrong in ("0/2", "3/2", "1", "a/b"):
        assert run("small.yaml", "--shard", wrong) == WRONG


@pytest.mark.slow
def test_swiss_rounds_are_played_in_order(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    players = {"a": "bot:greedy", "b": "bot:uniform", "c": "bot:uniform"}
    write_match(here, players, 2, tournament="swiss, rounds: 3")
    assert run("small.yaml", "--quiet", "--json") == COMPLETE
    found = json.loads(capsys.readouterr().out)
    assert (found["complete"], found["games"]) == (True, 12)
    assert [matchup["wdl"] is not None for matchup in found["matchups"]] == [True] * 3
    write_match(here, players, 2, tournament="swiss, rounds: 3", outputs="dir: pieces")
    for _ in range(5):
        assert run("small.yaml", "--quiet", "--max-games", "3") == COMPLETE
    assert played(here / "pieces") == played(here / "out")
