"""The referee: bots that cheat, raise errors or answer nonsense lose with a reason; clocks; and three players."""

import re
from pathlib import Path

import pytest

from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.player_config import NO_LIMITS, BotConfig, TimeLimits
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.players import bots, config_readers as times
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record, verify
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, FLAG, FORFEIT, WHITE, Event

BAD = """
import sys
import gtp_variants as gv
from gtp_variants.rules.actions import FORFEIT, SET_DICE, SETTLE, TURN, pack

class Base(gv.Seat):
    count = 0
    def choose(self, view, clock):
        self.count += 1
        return self.bad(view) if self.count == 3 else super().choose(view, clock)

class Boom(Exception):
    def __str__(self):
        raise RuntimeError("not even that")

class Occupied(Base):
    def bad(self, view): return next(p for p, stone in enumerate(view.stones) if stone)
class OffBoard(Base):
    def bad(self, view): return 10**30
class Nothing(Base):
    def bad(self, view): return None
class Text(Base):
    def bad(self, view): return "D4"
class Truth(Base):
    def bad(self, view): return True
class Swap(Base):
    def bad(self, view): return gv.SWAP
class Dice(Base):
    def bad(self, view): return pack(SET_DICE, view.position.dice.code)
class Settle(Base):
    def bad(self, view): return SETTLE
class Turn(Base):
    def bad(self, view): return TURN
class Unknown(Base):
    def bad(self, view): return -1000003
class Raises(Base):
    def bad(self, view): raise gv.IllegalMove("line", "mine")
class Mute(Base):
    def bad(self, view): raise Boom
class Exits(Base):
    def bad(self, view): sys.exit(0)
class Deep(Base):
    def bad(self, view): return self.bad(view)
class BadSit(Base):
    def sit(self, *about): 1 / 0
class BadHear(gv.Seat):
    heard = 0
    def hear(self, news):
        self.heard += 1
        if self.heard == 5: raise KeyError("x")
class BadLeave(gv.Seat):
    def leave(self, outcome): raise KeyError("x")
class Stubborn(gv.Seat):
    def choose(self, view, clock):
        return min(view.tried) if view.tried else super().choose(view, clock)
class Patient(gv.Seat):
    tries = 0
    def choose(self, view, clock):
        self.tries += bool(view.tried)
        return min(view.tried) if view.tried and self.tries < 60 else super().choose(view, clock)
class Dodger(gv.Seat):
    def choose(self, view, clock): return gv.PASS if view.turn < 60 else gv.RESIGN
"""


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.py"
    file.write_text(BAD)
    return file


def game(
    black: str,
    white: str,
    spec: str = "aleago:size=9",
    limit: int = 1000,
    at_limit: str = "score",
    tries: int | None = None,
) -> tuple[ResultRow, Record]:
    settings = GameSettings(parse(spec).spec, limit, at_limit, try_limit=tries)
    return play_game(Fixture("m", 1, "a", "seed", (BotConfig("one", black), BotConfig("two", white)), settings))


@pytest.mark.parametrize(
    ("bot", "kind", "why"),
    [
        ("Occupied", "illegal", "(occupied)"),
        ("OffBoard", "illegal", "(off board)"),
        ("Nothing", "illegal", "chose None, expected an action"),
        ("Text", "illegal", "chose 'D4', expected an action"),
        ("Truth", "illegal", "chose True, expected an action"),
        ("Swap", "illegal", "(no swap)"),
        ("Dice", "illegal", "expected a point, a pass, a swap or a resignation"),
        ("Settle", "illegal", "expected a point, a pass, a swap or a resignation"),
        ("Turn", "illegal", "expected a point, a pass, a swap or a resignation"),
        ("Unknown", "illegal", "expected a point, a pass, a swap or a resignation"),
        ("Raises", "crash", "in choose: IllegalMove: (line): mine (bad.py, line "),
        ("Mute", "crash", "in choose: Boom: a Boom without a name"),
        ("Exits", "crash", "in choose: SystemExit: 0"),
        ("Deep", "crash", "in choose: RecursionError"),
        ("BadSit", "crash", "in sit: ZeroDivisionError"),
        ("BadHear", "crash", "in hear: KeyError: 'x'"),
    ],
)
@pytest.mark.parametrize("as_black", [True, False])
def test_failure_loses_the_game(bad: Path, bot: str, kind: str, why: str, as_black: bool) -> None:
    name = f"{bad}:{bot}"
    row, record = game(name, "uniform") if as_black else game("uniform", name)
    loser, winner, result = ("one", "two", "W+F") if as_black else ("two", "one", "B+F")
    assert (row.kind, row.winner, row.result, record.result) == ("forfeit", winner, result, result)
    ((who, how, said),) = row.failures
    assert (who, how) == (loser, kind)
    assert why in said
    assert why in record.comment
    assert verify(record).ok


def test_try_limit_loses_the_game_when_exceeded(bad: Path) -> None:
    """rules.md 2.3, [F-6]: "no limit on tries"; the arena may set one."""
    row, record = game(f"{bad}:Stubborn", "uniform", "phantom:size=5", tries=7)
    assert row.failures[0][:2] == ("one", "illegal")
    assert row.why.endswith("made more than 7 tries in one turn")
    refused = [record.game.is_refused(index) for index in range(len(record.game.events))]
    assert refused[-8:-1] == [True] * 7
    assert verify(record).ok


def test_tries_are_unlimited_by_default(bad: Path) -> None:
    """The number of tries in the turn exceeds the number of points on the board."""
    row, record = game(f"{bad}:Patient", "uniform", "phantom:size=5")
    assert (row.kind, row.failures) == ("played", ())
    assert sum(record.game.is_refused(index) for index in range(len(record.game.events))) >= 60


def test_crash_after_the_end_keeps_the_result(bad: Path) -> None:
    row, record = game(f"{bad}:BadLeave", "uniform")
    assert row.kind == "played"
    assert row.result == record.result
    assert row.failures[0][:2] == ("one", "crash")


def test_both_players_may_fail(bad: Path) -> None:
    row, _ = game(f"{bad}:BadSit", f"{bad}:BadSit")
    assert (row.kind, row.winner, row.moves) == ("forfeit", "two", 0)


@pytest.mark.parametrize(("at_limit", "kind"), [("score", "adjudicated"), ("draw", "adjudicated"), ("void", "void")])
def test_move_limit_ends_a_game(at_limit: str, kind: str) -> None:
    row, record = game("uniform", "uniform", limit=20, at_limit=at_limit)
    assert (row.kind, row.moves, record.result) == (kind, 20, None)
    assert "stopped at the limit of 20 moves" in record.comment
    assert {"score": row.result[:2] in ("B+", "W+"), "draw": row.result == "0", "void": row.result == "void"}[at_limit]
    assert verify(record).ok


def test_resignation_is_not_a_failure(bad: Path) -> None:
    row, _ = game(f"{bad}:Dodger", "greedy", "alter-igo")
    assert row.kind in ("played", "forfeit")
    row, _ = game(f"{bad}:Dodger", "greedy", "go:size=9")
    assert (row.kind, row.failures) == ("played", ())


@pytest.mark.parametrize(
    "spec", ["go:size=7", "aleago:size=7", "phantom:size=5", "rosette:n=3", "alter-igo", "pentalath"]
)
def test_every_game_for_two_is_played_and_verified(spec: str) -> None:
    row, record = game("greedy", "uniform", spec)
    assert row.kind in ("played", "adjudicated", "void")
    assert verify(record).ok
    assert (record.secret is None) == (spec != "aleago:size=7")


# -- clocks ------------------------------------------------------------------------------------------------------------

SLOW = """
import time
import gtp_variants as gv

class Slow(gv.Seat):
    def choose(self, view, clock):
        if view.turn < 8: time.sleep(0.3)
        return super().choose(view, clock)
class Late(gv.Seat):
    def choose(self, view, clock):
        if view.turn > 4: time.sleep(3)
        return super().choose(view, clock)
class Telling(gv.Seat):
    seen = []
    def choose(self, view, clock):
        Telling.seen.append((clock.control.kind, round(clock.left_s, 1)))
        return super().choose(view, clock)
"""


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    file = tmp_path / "slow.py"
    file.write_text(SLOW)
    return file


def limits(time: str, margin: str = "0") -> TimeLimits:
    return TimeLimits(times.control(time), times.duration(margin))


def timed(slow: Path, bot: str, limits: TimeLimits, *, is_trusted: bool = False) -> ResultRow:
    return with_record(slow, bot, limits, is_trusted=is_trusted)[0]


def with_record(
    slow: Path,
    bot: str,
    limits: TimeLimits,
    others: TimeLimits = NO_LIMITS,
    spec: str = "aleago:size=9",
    *,
    is_trusted: bool = False,
) -> tuple[ResultRow, Record]:
    settings = GameSettings(parse(spec).spec, 30)
    players = (BotConfig("one", f"{slow}:{bot}", limits, is_trusted=is_trusted), BotConfig("two", "uniform", others))
    row, record = play_game(Fixture("m", 1, "a", "seed", players, settings))
    assert verify(record).ok
    assert record.result == row.result or row.kind == "adjudicated"
    return row, record


@pytest.mark.parametrize("time", ["2s", "2s+10ms", "0+1x1s", "0+1s/1"])
def test_player_loses_when_it_exceeds_its_time(slow: Path, time: str) -> None:
    """The first moves are in time, unless the machine is very slow."""
    row = timed(slow, "Late", limits(time))
    assert (row.result, row.winner, row.status) == ("W+T", "two", "forfeit:time")
    # On a slow machine the move may arrive just after its time was checked.
    assert re.search(r"took (more than )?\d+\.\d+ s for a move", row.why)
    assert row.slowest_s["one"] > 0.5


def test_late_move_within_the_margin_is_accepted(slow: Path) -> None:
    assert timed(slow, "Slow", limits("100ms+50ms", "10s")).status == "adjudicated"


def test_late_bot_in_the_referees_process_has_its_time_reported(slow: Path) -> None:
    row = timed(slow, "Slow", limits("200ms"), is_trusted=True)
    assert row.status == "forfeit:time"
    assert "s for a move, had 0." in row.why
    row = timed(slow, "Slow", TimeLimits(command_s=0.1), is_trusted=True)
    assert row.status == "forfeit:hang"
    assert "may take 0.1 s" in row.why


def test_move_without_a_clock_has_the_command_deadline(slow: Path) -> None:
    row = timed(slow, "Slow", TimeLimits(command_s=0.1))
    assert (row.result, row.status) == ("W+F", "forfeit:hang")
    assert "took more than 0.100 s for a move" in row.why


def test_bot_gets_its_clock(slow: Path) -> None:
    assert timed(slow, "Telling", limits("20s+1s"), is_trusted=True).status == "adjudicated"
    seen = bots.load(f"{slow}:Telling").seen  # type: ignore[attr-defined]
    assert seen[0] == ("fischer", 20.0)
    assert seen[-1][1] > 30


# -- times in the record -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["aleago:size=9", "phantom:size=5"])
@pytest.mark.parametrize(
    ("time", "main_s", "overtime", "left_count"),
    [
        ("none", None, "", None),
        ("100s", 100, "", None),
        ("50s+2s", 50, "2 fischer", None),
        ("0+3x40s", 0, "3x40 byo-yomi", 3),
        ("0+1m/25", 0, "25/60 Canadian", 24),
    ],
)
def test_record_has_the_times_of_all_actions(
    slow: Path, spec: str, time: str, main_s: float | None, overtime: str, left_count: int | None
) -> None:
    row, record = with_record(slow, "Telling", limits(time), limits(time), spec)
    acted = [number for number, event in enumerate(record.game.events) if event.actor != CHANCE]
    assert list(record.times) == acted
    assert (record.main_s, record.overtime) == (main_s, overtime)
    took = dict.fromkeys((BLACK, WHITE), 0.0)
    for number, each in record.times.items():
        assert each.took_s is not None
        took[record.game.events[number].actor] += each.took_s
    # Each time is rounded to the millisecond.
    assert took[BLACK] == pytest.approx(row.thought_s["one"], abs=0.001 * len(acted))
    assert took[WHITE] == pytest.approx(row.thought_s["two"], abs=0.001 * len(acted))
    first = record.times[acted[0]]
    assert (first.left_s is None, first.left_count) == (time == "none", left_count)
    if time == "50s+2s":
        assert first.left_s == pytest.approx(52 - (first.took_s or 0), abs=0.002)
    # The times are preserved in files.
    read = from_sgf(to_sgf(record))
    assert (read.times, read.main_s, read.overtime) == (record.times, main_s, overtime)
    assert from_json(to_json(record)).times == record.times


def test_record_has_the_time_of_a_forfeit(bad: Path, slow: Path) -> None:
    _, record = with_record(slow, "Slow", limits("200ms"))
    flag = len(record.game.events) - 1
    assert record.game.events[flag] == Event(BLACK, FLAG)
    assert (record.times[flag].took_s or 0) > 0
    assert record.times[flag].left_s is None
    _, record = game(f"{bad}:Occupied", "uniform")
    assert record.game.events[-1] == Event(BLACK, FORFEIT)
    assert record.times[len(record.game.events) - 1].took_s is not None


def test_record_has_no_time_control_when_clocks_differ(slow: Path) -> None:
    settings = GameSettings(parse("go:size=5").spec, 10)
    players = (BotConfig("one", "uniform", limits("10s")), BotConfig("two", "uniform", limits("20s")))
    _, record = play_game(Fixture("m", 1, "a", "seed", players, settings))
    assert (record.main_s, record.overtime) == (None, "")
    full = [(record.times[number].left_s or 0) + (record.times[number].took_s or 0) for number in (0, 1)]
    assert full == pytest.approx([10, 20], abs=0.002)


# -- three players -----------------------------------------------------------------------------------------------------


def three(*bots_of: str) -> tuple[ResultRow, Record]:
    settings = GameSettings(parse("pentalath:players=3").spec, 300, "draw")
    players = tuple(BotConfig(name, bot) for name, bot in zip(("one", "two", "three"), bots_of, strict=True))
    return play_game(Fixture("m", 1, "a", "seed", players, settings))


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("bot", ["Occupied", "BadSit", "BadHear"])
def test_two_players_continue_when_the_third_fails(bad: Path, bot: str, seat: int) -> None:
    names = ["greedy", "greedy", "greedy"]
    names[seat] = f"{bad}:{bot}"
    row, record = three(*names)
    failing = ("one", "two", "three")[seat]
    assert (row.kind, row.left, row.winner != failing) == ("played", (failing,), True)
    assert [failure[0] for failure in row.failures] == [failing]
    assert (row.place(failing), row.score(failing)) == (3.0, 0.0)
    assert verify(record).ok


def test_last_player_wins_when_two_of_three_fail(bad: Path) -> None:
    row, record = three(f"{bad}:Occupied", f"{bad}:BadSit", "greedy")
    assert (row.kind, row.winner, row.left) == ("forfeit", "three", ("two", "one"))
    assert [row.place(name) for name in ("one", "two", "three")] == [2.0, 3.0, 1.0]
    assert verify(record).ok


def test_all_three_players_may_fail(bad: Path) -> None:
    row, _ = three(*[f"{bad}:BadSit"] * 3)
    assert row.kind == "forfeit"
    assert len(row.failures) == 2
    assert sum(row.score(name) for name in row.players) == 1


def test_three_players_play_to_the_end() -> None:
    row, record = three("greedy", "uniform", "uniform")
    assert row.kind in ("played", "adjudicated")
    assert verify(record).ok
