"""`gtp_variants.match`: matches from Python."""

from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.errors import VariantsError

SPEC = "aleago:size=5,dice=1d2"

pytestmark = pytest.mark.slow


def test_a_match_of_two(tmp_path: Path) -> None:
    rules, store = gv.parse(SPEC), tmp_path / "dice.db"
    table = gv.match(rules, ["greedy", "uniform"], pairs=6, seed=7, store=store, jobs=2)
    assert (table.players, len(table.games), sum(table.wdl), sum(table.pentanomial)) == (
        ("greedy", "uniform"),
        12,
        12,
        6,
    )
    low, high = table.interval
    assert low <= table.elo <= high
    assert 0.5 < table.los <= 1
    assert str(table).startswith("Results of greedy vs uniform")
    # The same seed gives the same games, however they are played; a store goes on.
    again = gv.match(SPEC, ["greedy", "uniform"], pairs=4, seed=7)
    assert [game.fingerprint for game in again.games] == [game.fingerprint for game in table.games[:8]]
    more = gv.match(SPEC, ["greedy", "uniform"], pairs=7, seed=7, store=store)
    assert more.games[:12] == table.games
    assert len(more.games) == 14
    with pytest.raises(VariantsError, match="seed was 7, is now 8"):
        gv.match(SPEC, ["greedy", "uniform"], pairs=7, seed=8, store=store)


def test_a_match_of_many() -> None:
    table = gv.match(SPEC, {"a": "bot:greedy", "b": "bot:uniform", "c": "bot:uniform"}, pairs=2, seed=1)
    assert table.players == ("a", "b", "c")
    assert sum(table.points(name) for name in table.players) == 12
    assert table.elo_of("a") is not None
    assert table.as_json()["games"] == 12
    with pytest.raises(ValueError, match="elo is of a match of two players, here are 3"):
        _ = table.elo


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(gv.ConfigError, match=r"players\.gredy\.command: unknown bot 'gredy'"):
        gv.match(SPEC, ["gredy", "uniform"])
    with pytest.raises(gv.ConfigError, match="expected several"):
        gv.match(SPEC, "greedy")
    with pytest.raises(gv.ConfigError, match=r"defaults\.variant: unknown game"):
        gv.match("chess", ["greedy", "uniform"])


def test_a_bot_that_keeps_failing_ends_it(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import gtp_variants as gv\nclass Bad(gv.Seat):\n    def choose(self, *about): 1 / 0\n")
    with pytest.raises(VariantsError, match=r"bad\.py failed 5 times"):
        gv.match(SPEC, [f"{bad}:Bad", "uniform"], pairs=9)
