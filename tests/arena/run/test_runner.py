"""A run of a match: its end, its observers, and stores of an earlier version."""

import re
import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.result_row import CRASH, ILLEGAL, TIME, FinishedGame, ResultRow
from gtp_variants.arena.run import runner
from gtp_variants.arena.run.runner import COMPLETE, FAILED, INTERRUPTED, RunOptions, RunStatus, run
from gtp_variants.arena.run.worker import MatchObserver
from gtp_variants.arena.schedule import Fixture
from gtp_variants.arena.store import MatchStore
from tests.arena import matches

DATA = Path(__file__).parent.parent / "data"
MATCH = """
arena: 1
seed: x
players: {a: {command: bot:greedy}, b: {command: bot:uniform}, c: {command: bot:uniform}}
defaults: {variant: "aleago:size=5", max_failures: none}
tournament:
  type: playoff
  pairs: 2
  matchups: [{players: [a, b]}, {players: [a, c], game: {GAME}}, {players: [b, c]}]
outputs: {dir: DIR}
"""
# For each matchup: the player that fails, and the kind of failure.
Failures = dict[str, tuple[str, str]]


class Seen(MatchObserver):
    def __init__(self) -> None:
        self.games: list[str] = []
        self.numbers: list[tuple[int, int]] = []

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        self.games.append(game.row.id)
        self.numbers.append((number, of))


def play(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    failures: Failures,
    after: Callable[[int], None] | None = None,
) -> tuple[RunStatus, list[str]]:
    """Run three matchups with given results, without playing any games."""

    def games(
        feed: runner.Feed, jobs: int, logs: Path, observers: Sequence[MatchObserver]
    ) -> Generator[FinishedGame, None, None]:
        count = 0
        while (fixture := feed()) is not None:
            count += 1
            yield FinishedGame(row(fixture, failures.get(fixture.matchup)), "")
            if after is not None:
                after(count)

    monkeypatch.setattr(runner, "play_in_processes", games)
    config = resolve.read(MATCH.replace("GAME", game).replace("DIR", str(folder)))
    seen = Seen()
    with MatchStore(config.store_file) as store:
        status = run(config, store, RunOptions(), [seen])
        kept = list(store.rows())
    assert kept[len(kept) - len(seen.games) :] == seen.games
    assert seen.numbers == [(number + 1, 12) for number in range(len(kept) - len(seen.games), len(kept))]
    return status, seen.games


def row(fixture: Fixture, failure: tuple[str, str] | None) -> ResultRow:
    failed = () if failure is None else ((*failure, "it happened"),)
    winner = next(name for name in fixture.names if failure is None or name != failure[0])
    kind = "played" if failure is None else "forfeit"
    names = fixture.names
    return ResultRow(
        fixture.id, fixture.matchup, fixture.pair, fixture.leg, names, kind, "B+1", winner, 9, failures=failed
    )


@pytest.mark.parametrize(
    ("game", "failures", "why"),
    [
        ("on_crash: stop", {"a-b": ("a", CRASH), "b-c": ("b", CRASH)}, ""),
        ("on_crash: stop", {"a-c": ("c", TIME)}, ""),
        ("on_crash: stop", {"a-c": ("c", ILLEGAL)}, ""),
        (
            "on_crash: stop",
            {"a-c": ("c", CRASH)},
            "c failed in a-c/0001a (crash: it happened), and the settings say stop",
        ),
        ("on_timeout: stop", {"a-c": ("c", CRASH), "a-b": ("a", TIME)}, ""),
        (
            "on_timeout: stop",
            {"a-c": ("c", TIME)},
            "c failed in a-c/0001a (time: it happened), and the settings say stop",
        ),
        ("max_failures: 3", {"a-b": ("b", CRASH), "b-c": ("b", CRASH)}, ""),
        ("max_failures: 3", {"a-c": ("c", CRASH)}, "c failed 3 times (max_failures: 3)"),
        ("max_failures: 3", {"a-c": ("c", CRASH), "b-c": ("c", TIME)}, "c failed 3 times (max_failures: 3)"),
    ],
)
def test_failure_settings_apply_only_to_their_matchup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, failures: Failures, why: str
) -> None:
    status, games = play(tmp_path, monkeypatch, game, failures)
    assert status == (RunStatus(FAILED, why) if why else RunStatus(COMPLETE))
    assert (len(games) == 12) == (not why)
    if "say stop" in why:
        # The game that stopped the match was not stored, so it is played again.
        assert games == ["a-b/0001a", "a-b/0001b"]
        assert play(tmp_path, monkeypatch, game, {})[0] == RunStatus(COMPLETE)


def test_run_ends_after_the_current_game_when_asked_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(count: int) -> None:
        if count == 2:
            with MatchStore(tmp_path / "arena.db") as store:
                store.ask_to_stop()

    status, games = play(tmp_path, monkeypatch, "", {}, ask)
    assert (status, len(games)) == (RunStatus(INTERRUPTED, "stopped as asked"), 3)


BOT = '''"""The first point that may be played, or a pass: a bot that never changes."""

import gtp_variants as gv


class First(gv.Seat):
    def choose(self, view, clock):
        return next((action for action in view.actions if action >= 0), gv.PASS)
'''


@pytest.mark.slow
@pytest.mark.usefixtures("in_one_process")
def test_match_of_an_earlier_version_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The store was written by a version of November 2026 and has the first two pairs."""
    monkeypatch.chdir(tmp_path)
    Path("first.py").write_text(BOT)
    Path("match.yaml").write_text("""
        arena: 1
        players: {a: {command: "bot:first.py:First"}, b: {command: "bot:first.py:First", limits: {time: 1m+5x30s}}}
        defaults: {variant: "aleago:size=5,dice=1d2", move_limit: 8, on_crash: replay:2}
        tournament: {type: playoff, pairs: 3}
        seed: old
        outputs: {dir: out}
        """)
    Path("out").mkdir()
    with closing(sqlite3.connect("out/arena.db")) as connection:
        connection.executescript((DATA / "store_of_format_1.sql").read_text(encoding="utf-8"))
    before = matches.played(tmp_path / "out")
    assert len(before) == 4
    assert matches.run("match.yaml", "--quiet") == matches.COMPLETE
    after = matches.played(tmp_path / "out")
    assert len(after) == 6
    assert before.items() <= after.items()
    # That version offered no choice of dice, so the games of a pair continue to share their dice.
    secrets = [re.findall(r"SECRET\[\w+\]", after[f"a-b/0003{leg}"][1]) for leg in "ab"]
    assert secrets[0] == secrets[1] != []
    assert "the games of a pair have the same" in capsys.readouterr().out
    file = Path("match.yaml").read_text()
    Path("match.yaml").write_text(file.replace("seed: old", "seed: old\n        dice: own"))
    assert matches.run("match.yaml", "--quiet") == matches.WRONG
    assert "a-b: dice was shared, is now own" in capsys.readouterr().err
    # The match has the same results when played from the start.
    Path("match.yaml").write_text(file.replace("seed: old", "seed: old\n        dice: shared"))
    assert matches.run("match.yaml", "reset") == matches.COMPLETE
    assert matches.run("match.yaml", "--quiet") == matches.COMPLETE
    assert matches.played(tmp_path / "out") == after
