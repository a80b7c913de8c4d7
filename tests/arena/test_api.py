"""Matches from Python: `gtp_variants.Match`, `gtp_variants.match` and their values."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants import matches
from gtp_variants.arena import store as store_module
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.records.record import verify
from tests.arena.matches import write_match

SPEC = "aleago:size=5,dice=1d2"

pytestmark = pytest.mark.usefixtures("in_one_process")


def test_match_of_two_has_elo_and_counts(tmp_path: Path) -> None:
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
    # The same seed leads to the same games for any number of jobs, also when continuing from a store.
    again = gv.match(SPEC, ["greedy", "uniform"], pairs=4, seed=7)
    assert [game.fingerprint for game in again.games] == [game.fingerprint for game in table.games[:8]]
    more = gv.match(SPEC, ["greedy", "uniform"], pairs=7, seed=7, store=store)
    assert more.games[:12] == table.games
    assert len(more.games) == 14
    with pytest.raises(VariantsError, match="seed was 7, is now 8"):
        gv.match(SPEC, ["greedy", "uniform"], pairs=7, seed=8, store=store)


def test_stored_games_of_other_matches_and_later_pairs_do_not_count(tmp_path: Path) -> None:
    first = gv.match(SPEC, ["greedy", "uniform"], pairs=3, seed=7, store=tmp_path / "arena.db")
    other = gv.match(SPEC, ["greedy", "mcts:playouts=1"], pairs=1, seed=7, store=tmp_path / "arena.db")
    fewer = gv.match(SPEC, ["greedy", "uniform"], pairs=2, seed=7, store=tmp_path / "arena.db")
    assert [(len(found.games), sum(found.wdl)) for found in (first, other, fewer)] == [(6, 6), (2, 2), (4, 4)]
    assert fewer.games == first.games[:4]
    match = gv.Match(configure(tmp_path, pairs=2))
    assert match.progress == gv.MatchProgress(4, 4, True)
    assert [game.row for game in match.games()] == list(match.result.games) == list(fewer.games)
    more = gv.Match(configure(tmp_path, pairs=4))
    for _ in more:
        assert more.progress.games == 7
        break
    assert more.progress == gv.MatchProgress(7, 8, False)


def test_result_shows_standings_in_a_notebook() -> None:
    page = gv.match(SPEC, {"a-b": "bot:greedy", "b": "bot:uniform"}, pairs=2, seed=1)._repr_html_()
    assert page.startswith('<div class="gv-standings">')
    assert "4 games, complete." in page
    assert ">a-b</td>" in page
    assert "<a href" not in page
    # The piece of HTML includes its own style.
    assert "body {" not in page


def test_match_of_many_has_elo_of_each_player() -> None:
    table = gv.match(SPEC, {"a": "bot:greedy", "b": "bot:uniform", "c": "bot:uniform"}, pairs=2, seed=1)
    assert table.players == ("a", "b", "c")
    assert sum(table.points(name) for name in table.players) == 12
    assert table.elo_of("a") is not None
    assert table.as_json()["games"] == 12
    with pytest.raises(ValueError, match="elo: expected a match of two players, got 3"):
        _ = table.elo


def test_invalid_arguments_are_rejected() -> None:
    with pytest.raises(gv.ConfigError, match=r"players\.gredy\.command: unknown bot 'gredy'"):
        gv.match(SPEC, ["gredy", "uniform"])
    with pytest.raises(gv.ConfigError, match="expected several"):
        gv.match(SPEC, "greedy")
    with pytest.raises(gv.ConfigError, match=r"defaults\.variant: unknown game"):
        gv.match("chess", ["greedy", "uniform"])
    with pytest.raises(gv.ConfigError, match="jobs=0: expected 1 or more"):
        gv.match(SPEC, ["greedy", "uniform"], jobs=0)
    for store in ("", "."):
        with pytest.raises(gv.ConfigError, match="expected the name of a file"):
            gv.match(SPEC, ["greedy", "uniform"], store=store)
    with pytest.raises(gv.NotationError, match="there is no home folder for ~nobodyhere"):
        gv.match(SPEC, ["greedy", "uniform"], store="~nobodyhere/arena.db")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"pairs": "3"}, "pairs '3': expected a whole number"),
        ({"pairs": None}, "pairs 'None': expected a whole number"),
        ({"pairs": 1.5}, "pairs '1.5': expected a whole number"),
        ({"jobs": 1.5}, "jobs '1.5': expected a whole number"),
        ({"jobs": "2"}, "jobs '2': expected a whole number"),
    ],
)
def test_invalid_numbers_are_rejected(given: dict[str, Any], why: str) -> None:
    with pytest.raises(gv.NotationError, match=why):
        gv.match(SPEC, ["greedy", "uniform"], **given)


@pytest.mark.parametrize(
    ("players", "fault"),
    [
        ([], "players: is missing; at least two, such as `mine: {command: bot:greedy}`"),
        (["greedy"], "tournament.players: expected at least two players"),
    ],
)
def test_too_few_players_give_one_fault(players: list[str], fault: str) -> None:
    with pytest.raises(gv.ConfigError) as caught:
        gv.match(SPEC, players)
    assert caught.value.faults == (fault,)


def test_store_of_another_match_is_rejected_with_advice_for_python(here: Path) -> None:
    gv.match(SPEC, ["greedy", "uniform"], pairs=1, seed=1, store="dice.db")
    with pytest.raises(VariantsError) as caught:
        gv.match(SPEC, ["greedy", "uniform"], pairs=1, seed=2, store="dice.db")
    told = str(caught.value)
    assert told.startswith("the games in dice.db had other settings:\n")
    assert "--dir, store= in Python" in told


def test_program_logs_are_in_the_folder_that_the_error_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program = tmp_path / "mute.py"
    program.write_text("import sys\nprint('no licence', file=sys.stderr)\n")
    with pytest.raises(gv.ConfigError, match="the logs of these programs are in") as caught:
        gv.match(SPEC, {"a": f"{sys.executable} {program}", "b": "bot:greedy"}, pairs=1)
    folder = Path(caught.value.faults[-1].removeprefix("the logs of these programs are in "))
    assert any("no licence" in file.read_text(encoding="utf-8") for file in folder.rglob("*") if file.is_file())
    assert folder.is_relative_to(tmp_path)
    # No folder remains after a match that ended, or that failed without leaving a program's logs.
    gv.match(SPEC, ["greedy", "uniform"], pairs=1, seed=1)
    assert [each for each in tmp_path.iterdir() if each.is_dir()] == [folder.parents[1]]


def test_match_ends_when_a_bot_keeps_failing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import gtp_variants as gv\nclass Bad(gv.Seat):\n    def choose(self, *about): 1 / 0\n")
    with pytest.raises(VariantsError, match=r"bad\.py failed 5 times"):
        gv.match(SPEC, [f"{bad}:Bad", "uniform"], pairs=9)


def no_database(store: Path) -> None:
    store.write_text("no database, but a text that is long enough to be taken for one, almost " * 20)


def no_file(store: Path) -> None:
    store.mkdir()


def without_its_tables(store: Path) -> None:
    gv.match(SPEC, ["greedy", "uniform"], pairs=1, seed=1, store=store)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DROP TABLE matchups")
        connection.execute("CREATE TABLE matchups (something)")
        connection.commit()


def without_room(store: Path) -> None:
    gv.match(SPEC, ["greedy", "uniform"], pairs=1, seed=1, store=store)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON games BEGIN SELECT RAISE(FAIL, 'disk is full'); END")
        connection.commit()


def without_a_lock(store: Path) -> None:
    store.with_name("dice.db.lock").mkdir()


@pytest.mark.parametrize("damage", [no_database, no_file, without_its_tables, without_room, without_a_lock])
def test_unusable_store_raises_an_error_with_its_name(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    store = tmp_path / "dice.db"
    damage(store)
    with pytest.raises(RecordError, match=r"dice\.db(\.lock)?: cannot be (read|written|locked): "):
        gv.match(SPEC, ["greedy", "uniform"], pairs=2, seed=1, store=store)


def test_busy_store_is_waited_for_until_a_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_PATIENCE_S", 0.1)
    store = tmp_path / "dice.db"
    gv.match(SPEC, ["greedy", "uniform"], pairs=1, seed=1, store=store)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecordError, match=r"dice\.db: cannot be written: database is locked"):
            gv.match(SPEC, ["greedy", "uniform"], pairs=2, seed=1, store=store)
    assert len(gv.match(SPEC, ["greedy", "uniform"], pairs=2, seed=1, store=store).games) == 4


def configure(folder: Path, pairs: int = 2, stop: matches.Stops | None = None) -> MatchConfig:
    tournament = matches.TournamentBlock("playoff", pairs=pairs)
    outputs = matches.Outputs(folder, sgf="none")
    return matches.configure(SPEC, ["greedy", "uniform"], tournament, stop=stop, seed=7, outputs=outputs)


def test_match_yields_games_as_they_end_with_exact_records(tmp_path: Path) -> None:
    match = gv.Match(configure(tmp_path))
    found = list(match)
    assert [game.id for game in found] == ["greedy-uniform/" + id for id in ("0001a", "0001b", "0002a", "0002b")]
    for game in found:
        assert verify(game.record).ok
        assert game.outcome == game.record.game.outcome
        assert game.outcome is not None
        assert game.outcome.winner is not None
        assert game.players[game.outcome.winner - 1] == game.row.winner
        assert game.failures == ()
    assert list(match.games()) == found
    assert match.progress == gv.MatchProgress(4, 4, True)


def test_match_continues_when_it_was_left_or_stopped(tmp_path: Path) -> None:
    match = gv.Match(configure(tmp_path))
    for _ in match:
        break
    assert match.progress == gv.MatchProgress(1, 4, False)
    for game in gv.Match(configure(tmp_path)):
        assert game.id.endswith("0001b")
        match.stop()  # Another match, which is not played.
        break
    for game in match:
        match.stop()
        assert game.id.endswith("0002a")
    assert match.progress.games == 3
    whole = gv.match(SPEC, ["greedy", "uniform"], pairs=2, seed=7)
    assert [row.fingerprint for row in match.play().games] == [row.fingerprint for row in whole.games]
    assert list(match) == []


def test_forfeited_and_adjudicated_games_have_outcomes(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import gtp_variants as gv\nclass Bad(gv.Seat):\n    def choose(self, *about): 1 / 0\n")
    tournament = matches.TournamentBlock("playoff", pairs=1)
    players = ("uniform", matches.BotConfig("bad", f"{bad}:Bad", is_trusted=True))
    short = matches.GameSettings(SPEC, move_limit=1)
    lost, short_loss = gv.Match(matches.configure(short, players, tournament, seed=1))
    assert lost.outcome is not None
    assert (lost.outcome.how, lost.outcome.winner) == ("score", gv.BLACK)
    assert short_loss.outcome is not None
    assert (short_loss.outcome.how, short_loss.outcome.winner) == ("forfeit", gv.WHITE)
    assert short_loss.failures[0][:2] == ("bad", "crash")
    void = matches.GameSettings(SPEC, move_limit=1, on_move_limit="void")
    assert [game.outcome for game in gv.Match(matches.configure(void, ["uniform", "greedy"], tournament))] == [None] * 2


def test_progress_has_the_reason_when_a_test_decides(tmp_path: Path) -> None:
    test = matches.Sprt(elo0=0, elo1=400)
    match = gv.Match(configure(tmp_path, 50, matches.Stops(sprt=test)))
    result = match.play()
    assert result.elo > 0
    assert result.los > 0.9
    assert match.progress.is_over
    assert match.progress.games < match.progress.of == 100
    assert match.progress.why.startswith("SPRT: H1 accepted, greedy against uniform")


def test_match_from_values_equals_match_from_a_file(tmp_path: Path) -> None:
    file = write_match(tmp_path, game="move_limit: 30, on_crash: replay:2, limits: {margin: 1s}", outputs="dir: out")
    settings = matches.GameSettings(SPEC, move_limit=30, on_crash="replay", replays=2)
    from_values = matches.configure(
        settings,
        {"greedy": "bot:greedy", "uniform": "bot:uniform"},
        matches.TournamentBlock("playoff", pairs=3),
        limits=matches.TimeLimits(margin_s=1.0),
        seed=1,
        name="small",
        outputs=matches.Outputs(Path("out")),
    )
    assert from_values == matches.load(file) == matches.read(file.read_text(), folder=tmp_path)
    assert gv.Match(file).config == from_values


def test_values_that_no_file_could_have_are_rejected() -> None:
    settings = matches.GameSettings(SPEC, move_limit=-4, max_failures=-3)
    stop = matches.Stops(sprt=matches.Sprt(elo1=float("nan"), alpha=0, model="x"), games=-1)
    outputs = matches.Outputs(sgf="all")
    players = ["greedy", "uniform"]
    with pytest.raises(gv.ConfigError) as refused:
        matches.configure(settings, players, matches.TournamentBlock("foo", pairs=-2), stop=stop, outputs=outputs)
    assert refused.value.faults == (
        "defaults.move_limit: expected a whole number of 1 or more, not '-4'",
        "defaults.max_failures: expected a whole number of 1 or more, not '-3'",
        "tournament.type: expected playoff, roundrobin, gauntlet, swiss, knockout, halving or tune, not 'foo'",
        "tournament.pairs: expected a whole number of 1 or more, not '-2'",
        "stop.games: expected a whole number of 1 or more, not '-1'",
        "stop.sprt.elo1: expected a number, not 'nan'",
        "stop.sprt.alpha: expected a number between 0 and 0.5, not 0",
        "stop.sprt.model: expected normalized, logistic or bayesian, not 'x'",
        "outputs.sgf: expected per-game, collection or none, not 'all'",
    )
    matchups = (matches.MatchupBlock(("greedy", "uniform"), pairs=0),)
    with pytest.raises(gv.ConfigError, match=r"tournament\.matchups\[0\]\.pairs: expected a whole number of 1 or more"):
        matches.configure(SPEC, players, matches.TournamentBlock("playoff", matchups=matchups))
    # A file would have to write this number in full.
    test = matches.Sprt(elo1=1, alpha=1e-7)
    assert matches.configure(SPEC, players, stop=matches.Stops(sprt=test)).stops.sprt is not None


@pytest.mark.parametrize("figure", ["elo", "interval", "los"])
def test_result_has_no_elo_when_no_game_is_over(tmp_path: Path, figure: str) -> None:
    result = gv.Match(configure(tmp_path)).result
    assert (result.wdl, result.pentanomial, result.elo_of("greedy")) == ((0, 0, 0), (0, 0, 0, 0, 0), None)
    with pytest.raises(ValueError, match=f"{figure}: expected a finished game that counts, but there is none yet"):
        getattr(result, figure)


def test_every_fault_of_values_has_its_path() -> None:
    players = (matches.BotConfig("mine", "gredy"), matches.ProgramConfig("my engine", ("gnugo",)))
    with pytest.raises(gv.ConfigError) as refused:
        matches.configure("go:size=99", players, matches.TournamentBlock("gauntlet", pairs=1))
    said = str(refused.value)
    for path in ("players.mine.command", "players.my engine", "defaults.variant", "tournament.seeds"):
        assert path in said
