"""The number of cores for a bot: the machine's, the user's choice, and their division."""

import os
from pathlib import Path
from typing import Any, ClassVar

import pytest

import gtp_variants as gv
from gtp_variants.ai.backend import search_backend
from gtp_variants.base.processes.cores import CORES_VARIABLE, available_cores, one_core, usable_cores
from gtp_variants.gtp.engine.session_search import settings_of
from gtp_variants.players import bots
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.site.page.opponents import read_engines
from tests.gtp.talk import Talk
from tests.terminal.session_lines import playing, put_away, tell

native = pytest.mark.skipif(search_backend() != "native", reason="the kernel was not built")


@pytest.mark.parametrize(("told", "cores"), [("1", 1), ("3", 3), ("1024", 1024)])
def test_the_environment_says_how_many(told: str, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CORES_VARIABLE, told)
    assert usable_cores() == cores


@pytest.mark.parametrize("told", ["0", "-1", "2.5", "many", "1025", "²", "9" * 5000])
def test_a_wrong_number_of_cores_is_an_error(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CORES_VARIABLE, told)
    with pytest.raises(gv.ConfigError, match=f"{CORES_VARIABLE}=.*: expected a whole number, 1 to 1024"):
        usable_cores()


@pytest.mark.parametrize(("there", "cores"), [(1, 1), (2, 2), (8, 8), (64, 8)])
def test_the_default_is_the_processs_allowed_cores(there: int, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CORES_VARIABLE, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(there)), raising=False)
    assert usable_cores() == cores
    # As on macOS and Windows.
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: there)
    assert usable_cores() == cores
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1


@pytest.mark.parametrize(
    ("quota", "cores"), [("max 100000", 6), ("150000 100000", 2), ("20000 100000", 1), ("9900000 100000", 6), ("?", 6)]
)
def test_the_quota_of_a_container_counts(
    quota: str, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CORES_VARIABLE, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    (tmp_path / "cpu.max").write_text(f"{quota}\n", encoding="ascii")
    monkeypatch.setattr("gtp_variants.base.processes.cores._QUOTA", tmp_path / "cpu.max")
    assert usable_cores() == available_cores() == cores


def test_an_engine_on_shared_cores_uses_one_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CORES_VARIABLE, raising=False)
    (launch,) = read_engines(["own=engine"]).values()
    assert launch.environment == one_core() == {CORES_VARIABLE: "1"}
    monkeypatch.setenv(CORES_VARIABLE, "4")
    assert one_core() == {CORES_VARIABLE: "4"}


def test_a_bots_own_threads_parameter_is_left_alone() -> None:
    class Counting(gv.Seat):
        parameters: ClassVar[dict[str, Any]] = {"cores": 2}
        cores = 2

    mine, ours = Counting(), bots.load("mcts")
    bots.lend_cores(mine, 7)
    bots.lend_cores(ours, 7)
    bots.lend_cores(object(), 7)
    assert (mine.cores, getattr(ours, "cores", None)) == (2, 7)


@pytest.mark.parametrize(
    ("bot", "clock", "threads"),
    [
        ("mcts:seconds=0.01", NO_LIMIT, 3),
        ("mcts:seconds=0.01,net=none", NO_LIMIT, 3),
        ("mcts", Clock.full(TimeControl("absolute", 0.5)), 3),
        ("mcts:level=10", Clock.full(TimeControl("absolute", 0.5)), 3),
        # Who has set them has them.
        ("mcts:seconds=0.01,threads=2", NO_LIMIT, 2),
        ("mcts:playouts=10,threads=2", NO_LIMIT, 2),
        # The same moves come out again, and processor time is that of one thread.
        ("mcts:playouts=10", NO_LIMIT, 1),
        ("mcts:playouts=10,seconds=1", NO_LIMIT, 1),
        ("mcts:seconds=0.01,cpu_time=true", NO_LIMIT, 1),
        ("mcts:level=8,slips=0,seconds=0.01", NO_LIMIT, 1),
        ("mcts:level=8,slips=0", Clock.full(TimeControl("absolute", 0.5)), 1),
    ],
)
def test_a_search_limited_by_the_clock_uses_all_cores(bot: str, clock: Clock, threads: int) -> None:
    rules = gv.parse("go:size=5")
    view = gv.Table(rules, gv.DiceStream).view(gv.BLACK)
    player: Any = bots.load(bot)
    player.cores = 3
    player.sit(rules, gv.BLACK, "seed")
    player.choose(view, clock)
    assert player._thinker.settings.threads == threads
    assert player.found.playouts > 0


@pytest.mark.parametrize(
    ("bot", "threads"),
    [
        ("phantom:seconds=0.05", 3),
        ("phantom:playouts=40", 1),
        ("phantom:playouts=40,threads=2", 2),
        ("phantom:seconds=0.05,cpu_time=true", 1),
    ],
)
def test_each_imagined_position_is_searched_by_them(bot: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse("phantom:size=5")
    searched, original = [], gv.search

    def search(*arguments: Any, **settings: Any) -> gv.SearchResult:
        searched.append(settings.get("threads", 1))
        return original(*arguments, **settings)

    monkeypatch.setattr(gv, "search", search)
    player: Any = bots.load(bot)
    player.cores = 3
    player.sit(rules, gv.BLACK, "seed")
    player.choose(gv.Table(rules, gv.DiceStream).view(gv.BLACK), NO_LIMIT)
    assert set(searched) == {threads}


def test_in_a_match_a_bot_has_one_core() -> None:
    player: Any = bots.load("mcts:seconds=0.01")
    assert player.cores == 1
    player.sit(gv.parse("go:size=5"), gv.BLACK, "seed")
    player.choose(gv.Table(player.rules, gv.DiceStream).view(gv.BLACK), NO_LIMIT)
    assert player._thinker.settings.threads == 1


def test_an_engine_passes_its_cores_to_bot_and_analysis() -> None:
    talk = Talk("go:size=5", bot="mcts:seconds=0.01")
    assert settings_of(talk.session)["threads"] == 1
    talk.session.bot.cores = 3
    talk.does("genmove b")
    (player,) = talk.session.table.seats.values()
    assert getattr(player, "cores", None) == 3
    assert settings_of(talk.session)["threads"] == 3
    talk.does("bot-param threads 2")
    assert settings_of(talk.session)["threads"] == 2


@pytest.mark.slow
@native
@pytest.mark.parametrize(
    "spec", ["go:size=9", "aleago:size=9", "rosette:n=3", "alter-igo", "pentalath", "phantom:size=7"]
)
def test_many_threads_on_few_cores_play_a_game(spec: str) -> None:
    talk = Talk(spec, bot="", seed="cores")
    talk.does("bot-param seconds 0.02")
    talk.session.bot.cores = 7
    for _ in range(10):
        talk.does("genmove b/genmove w")


def test_the_playing_bot_has_all_cores_in_the_terminal(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5", {gv.WHITE: "mcts:seconds=0.01"}, cores=3)
    try:
        tell(session, "C3")
        assert getattr(session.host.table.seats[gv.WHITE], "cores", None) == 3
    finally:
        put_away()
