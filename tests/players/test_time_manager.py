"""A bot's thinking time on a clock: its share, less the time that moves turn out to cost beyond thinking."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from tests.support.specs import EACH

GO = gv.parse("go:size=9")
PHANTOM = gv.parse("phantom:size=9")
MINUTE = Clock.full(TimeControl("absolute", 60))


class SimulatedTime:
    """A machine whose time is set by the test."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def now(self) -> float:
        return self.now_s

    def manager(self, rules: gv.Rules) -> gv.TimeManager:
        return gv.TimeManager(rules, self.now, self.now)


def seen(rules: gv.Rules, turn: int = 0) -> gv.View:
    """Return Black's view as if `turn` turns had been played."""
    return replace(gv.Table(rules, gv.DiceStream).view(gv.BLACK), turn=turn)


def test_without_a_clock_the_requested_time_is_allowed() -> None:
    manager, wanted = SimulatedTime().manager(GO), gv.SearchLimits(playouts=7, seconds=3.0, cpu_time=True)
    assert manager.allow(seen(GO), NO_LIMIT, wanted) == wanted
    assert manager.has_time(seen(GO), NO_LIMIT)


def test_a_clock_limits_the_requested_time() -> None:
    manager, view = SimulatedTime().manager(GO), seen(GO)
    share = manager.allow(view, MINUTE, gv.SearchLimits(playouts=7, stop_early=True))
    assert 1 < share.seconds < share.most_seconds < 4
    assert (share.playouts, share.stop_early) == (7, True)
    assert manager.allow(view, MINUTE, gv.SearchLimits(seconds=50.0)) == replace(share, playouts=0, stop_early=False)
    short = manager.allow(view, MINUTE, gv.SearchLimits(seconds=0.1, cpu_time=True))
    assert short == gv.SearchLimits(seconds=0.1, most_seconds=0.1), "a clock goes on whoever works"
    assert manager.allow(view, MINUTE, gv.SearchLimits(), may_extend=False) == gv.SearchLimits(seconds=share.seconds)


def test_the_hosts_lag_is_reserved() -> None:
    time = SimulatedTime()
    manager, clock = time.manager(GO), Clock.full(TimeControl("fischer", 20, increment_s=5))
    before = manager.allow(seen(GO), clock, gv.SearchLimits())
    with manager.measure(seen(GO), clock):
        time.now_s += 2
    # The host took two more seconds, and its clock shows a fraction of a second.
    with manager.measure(seen(GO, 2), replace(clock, left_s=20.9)):
        pass
    after = manager.allow(seen(GO), clock, gv.SearchLimits())
    assert after.seconds < before.seconds - 1


@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize("move_s", [None, 1.5])
def test_the_tries_of_a_turn_share_its_time_and_are_not_taken_for_the_hosts(
    move_s: float | None, is_told: bool
) -> None:
    """Some hosts report the time after each refused try, others only between turns."""
    time, clock = SimulatedTime(), Clock.full(TimeControl("fischer", 20, increment_s=5, move_s=move_s))
    manager, now, allowed_s = time.manager(PHANTOM), clock, []
    for _ in range(6):
        with manager.measure(seen(PHANTOM), now):
            allowed_s.append(manager.allow(seen(PHANTOM), now, gv.SearchLimits(), may_extend=False).seconds)
            time.now_s += allowed_s[-1]
        now = clock.while_thinking(time.now_s) if is_told else clock
    assert allowed_s == sorted(allowed_s, reverse=True)
    assert time.now_s < clock.longest_s
    later, now = seen(PHANTOM, 2), clock.after(time.now_s)
    with manager.measure(later, now):
        as_new = gv.TimeManager(PHANTOM).allow(later, now, gv.SearchLimits())
        assert manager.allow(later, now, gv.SearchLimits()).seconds == pytest.approx(as_new.seconds)


@pytest.mark.parametrize("control", [TimeControl("byoyomi", 0, 10, periods=1), TimeControl("canadian", 0, 10, 1)])
def test_a_try_that_may_be_refused_leaves_half_of_a_period(control: TimeControl) -> None:
    time, clock = SimulatedTime(), Clock(control, 10, 1)
    manager, tries = time.manager(PHANTOM), 3
    for number in range(tries):
        with manager.measure(seen(PHANTOM), clock):
            limits = manager.allow(seen(PHANTOM), clock, gv.SearchLimits(), may_extend=False)
            assert limits.seconds <= (10 - time.now_s) / 2, number
            time.now_s += limits.seconds
    assert 5 < time.now_s < 10


class SlowThinker:
    """A search that takes at least `least_s` seconds."""

    def __init__(self, time: SimulatedTime, least_s: float) -> None:
        self._time = time
        self._least_s = least_s

    def think(self, view: gv.View, on_progress: object, **limits: Any) -> gv.SearchResult:
        self._time.now_s += max(self._least_s, limits["seconds"])
        return gv.SearchResult(max(view.actions), {}, (0.5, 0.5), (), 1, 1)

    def stop(self) -> None: ...

    def forget(self) -> None: ...


def seat_slow_bot(table: gv.Table, time: SimulatedTime, least_s: float) -> Any:
    """Seat the game's bot as Black, with searches that take at least `least_s` seconds; return it."""
    rules = table.rules
    bot: Any = gv.load_bot("mcts:resign=false" if rules.is_open else "phantom:net=none,hidden_net=none,worlds=1")
    table.seat(gv.BLACK, bot, "seed")
    bot.time_manager = time.manager(rules)
    thinker = SlowThinker(time, least_s)
    if rules.is_open:
        bot._thinker_now = lambda: thinker
    else:
        think = bot.think

        def think_slowly(view: gv.View, limits: gv.SearchLimits) -> Any:
            time.now_s += max(least_s, limits.seconds)
            return think(view, gv.SearchLimits(playouts=1))

        bot.think = think_slowly
    return bot


CONTROLS = [
    TimeControl("absolute", 1),
    TimeControl("absolute", 10),
    TimeControl("canadian", 0, 1, 10),
    TimeControl("canadian", 1, 2, 25),
    TimeControl("byoyomi", 0, 1, periods=1),
    TimeControl("byoyomi", 1, 0.3, periods=3),
    TimeControl("fischer", 1, increment_s=0.02),
    TimeControl("fischer", 1, increment_s=0.5, limit_s=1.5),
]


@pytest.mark.long
@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.kind)
@pytest.mark.parametrize("rules", [GO, PHANTOM], ids=lambda rules: rules.name)
@pytest.mark.parametrize("least_s", [0.0, 0.002, 0.02, 0.2])
@pytest.mark.parametrize("late_s", [0.0, 0.004])
def test_where_a_search_takes_too_long_bots_move_without(
    rules: gv.Rules, control: TimeControl, late_s: float, least_s: float
) -> None:
    """A search takes at least `least_s`, a move without a search a millisecond, and the host `late_s`."""
    time, table = SimulatedTime(), gv.Table(rules, gv.DiceStream)
    bot = seat_slow_bot(table, time, least_s)
    clock = Clock.full(control)
    while table.position.turn < 70:
        before_s, turn = time.now_s, table.position.turn
        time.now_s += 0.001
        action = bot.choose(table.view(gv.BLACK), clock)
        time.now_s += late_s
        spent_s = time.now_s - before_s
        assert spent_s < clock.longest_s
        table.play(gv.BLACK, action)
        if table.position.turn == turn:
            # The referee refused the try, so the same turn continues.
            clock = clock.while_thinking(spent_s)
            continue
        clock = clock.after(spent_s)
        table.play(gv.WHITE, max(rules.legal(table.position)))


def test_what_a_bot_loads_before_it_searches_is_part_of_its_move() -> None:
    time, clock = SimulatedTime(), Clock(TimeControl("byoyomi", 60, 30, periods=1), 3.0, 1)
    manager = time.manager(GO)
    with manager.measure(seen(GO), clock):
        at_once = manager.allow(seen(GO), clock, gv.SearchLimits())
        time.now_s += 2.5
        after_loading = manager.allow(seen(GO), clock, gv.SearchLimits())
    assert at_once.seconds == pytest.approx(2.4)
    assert 0 < after_loading.seconds <= after_loading.most_seconds < 0.5


LITTLE = [
    (TimeControl("absolute", 600), 0),
    (TimeControl("canadian", 600, 30, 1), 1),
    (TimeControl("canadian", 600, 300, 25), 7),
    (TimeControl("byoyomi", 600, 30, periods=5), 1),
    (TimeControl("fischer", 600, increment_s=30), 0),
    (TimeControl("fischer", 600, increment_s=30, limit_s=900, move_s=20), 0),
]


@pytest.mark.parametrize("spec", ["go:size=19", *EACH])
@pytest.mark.parametrize("options", ["", ":seconds=30", ":playouts=1000000"])
def test_every_bot_limits_its_search_by_the_little_time_on_its_clock(spec: str, options: str) -> None:
    rules: Any = gv.parse(spec)
    bot: Any = gv.load_bot(rules.profile.default_bot + options)
    bot.sit(rules, rules.colours[0], "seed")
    view = gv.Table(rules, gv.DiceStream).view(rules.colours[0])
    for (control, count), left_s in product(LITTLE, (0.0, 0.001, 0.5, 3.0)):
        limits = bot.limits(view, Clock(control, left_s, count))
        # 0 seconds would be a search without a limit.
        assert 0 < limits.seconds <= max(left_s, 1e-3), (control, left_s)
        assert limits.most_seconds <= max(left_s, 1e-3), (control, left_s)
