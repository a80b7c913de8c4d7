"""Clocks of `play`, and what is thought being broken off."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.players.player import Seat
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.views import View
from gtp_variants.terminal.games.host import clock_text
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.save_file import PLAY, POLICY, GamesFolder
from tests.terminal.session_lines import everything, tell

SEATS = {BLACK: Participant(PERSON), WHITE: Participant(BOT, "greedy")}


class Watchmaker:
    """A clock that advances on request."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Interrupted(Seat):
    """A bot during whose move the person leaves."""

    session: PlaySession
    clock: Clock | None = None

    def choose(self, view: View, clock: Clock) -> int:
        self.clock = clock
        self.session.interrupt()
        if self.on_progress is not None:
            assert not self.on_progress(lambda: pytest.fail("nothing was found"))
        return view.actions[0]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[PlaySession]:
    game = HostedGame.new(
        new_record(parse("go:size=5"), "s"),
        SEATS,
        POLICY,
        TimeControl("fischer", 60, increment_s=5),
        notes={"kind": PLAY},
        now=Watchmaker(),
    )
    made = PlaySession(GamesFolder(tmp_path).new("go"), game)
    yield made
    made.host.file.release()


def pass_time(session: PlaySession, seconds: float) -> None:
    clock = session.game.clocks._now
    assert isinstance(clock, Watchmaker)
    clock.now_s += seconds


def test_clocks_are_told_and_a_move_earns_its_seconds(session: PlaySession) -> None:
    assert "time left: Black 1:00, White 1:00" in everything(session.begin())
    pass_time(session, 20)
    assert "time left: Black 0:45, White 1:05" in everything(tell(session, "C3"))


def test_running_out_of_time_loses_without_a_typed_line(session: PlaySession) -> None:
    list(session.begin())
    pass_time(session, 59)
    assert list(session.course.check_clock()) == []
    pass_time(session, 2)
    assert "White wins on time" in everything(session.course.check_clock())
    assert session.is_finished


def test_a_move_typed_after_the_time_ran_out_loses(session: PlaySession) -> None:
    list(session.begin())
    pass_time(session, 61)
    assert "White wins on time" in everything(tell(session, "C3"))


def test_a_bot_is_given_its_clock_and_what_it_answers_after_an_interruption_is_dropped(session: PlaySession) -> None:
    list(session.begin())
    bot = Interrupted()
    bot.session = session
    session.bots.by_colour[WHITE] = bot
    with pytest.raises(KeyboardInterrupt):
        tell(session, "C3")
    assert bot.clock is not None
    assert bot.clock.left_s == 60
    assert [event.actor for event in session.host.table.game.events] == [BLACK]
    again = session.again()
    again.host.table.seats.clear()
    assert [event.actor for event in again.host.table.game.events] == [BLACK]


def test_a_bot_that_ends_because_we_leave_has_not_failed(session: PlaySession, monkeypatch: pytest.MonkeyPatch) -> None:
    list(session.begin())
    bot = Interrupted()
    bot.session = session

    def end(view: View, clock: Clock) -> int:
        session.interrupt()
        raise RuntimeError("it ended its process")

    monkeypatch.setattr(bot, "choose", end)
    session.bots.by_colour[WHITE] = bot
    with pytest.raises(KeyboardInterrupt):
        tell(session, "C3")
    assert not session.game.is_over


def in_byoyomi(folder: Path) -> PlaySession:
    control = TimeControl("byoyomi", 60, period_s=30, periods=3)
    record = new_record(parse("go:size=5"), "s")
    game = HostedGame.new(record, SEATS, POLICY, control, notes={"kind": PLAY}, now=Watchmaker())
    return PlaySession(GamesFolder(folder).new("go"), game)


def test_byoyomi_is_counted_turn_by_turn_and_comes_back_with_the_game(tmp_path: Path) -> None:
    session = in_byoyomi(tmp_path)
    list(session.begin())
    pass_time(session, 70)
    # Ten seconds of the first period: a move in time gives it back whole.
    assert "time left: Black 0:30 (3x0:30), White 1:00" in everything(tell(session, "C3"))
    pass_time(session, 65)
    assert "time left: Black 0:30 (1x0:30), White 1:00" in everything(tell(session, "B3"))
    again = session.again()
    # It has a time of its own, which goes on.
    assert "(1x0:30), White 1:00" in everything(again.begin(is_resumed=True))
    again.host.file.release()


def test_using_up_the_last_period_loses(tmp_path: Path) -> None:
    session = in_byoyomi(tmp_path)
    list(session.begin())
    pass_time(session, 60 + 89)
    assert list(session.course.check_clock()) == []
    pass_time(session, 2)
    assert "White wins on time" in everything(session.course.check_clock())
    session.host.file.release()


@pytest.mark.parametrize(
    ("control", "elapsed_s", "shown"),
    [
        (TimeControl("byoyomi", 60, period_s=30, periods=3), 59.5, "0.5"),
        (TimeControl("byoyomi", 60, period_s=30, periods=3), 65, "0:25 (3x0:30)"),
        (TimeControl("byoyomi", 60, period_s=30, periods=3), 95, "0:25 (2x0:30)"),
        (TimeControl("byoyomi", 60, period_s=30, periods=3), 160, "0.0 (1x0:30)"),
        (TimeControl("canadian", 60, period_s=300, stones=25), 70, "4:50/25"),
        (TimeControl("fischer", 60, increment_s=5), 20, "0:40"),
    ],
)
def test_a_clock_goes_into_its_periods_while_somebody_thinks(
    control: TimeControl, elapsed_s: float, shown: str
) -> None:
    assert clock_text(Clock.full(control), elapsed_s=elapsed_s) == shown


def test_a_bot_that_uses_the_clock_is_introduced_so(tmp_path: Path) -> None:
    said = []
    for control in (TimeControl(), TimeControl("absolute", 1200)):
        seats = {BLACK: Participant(PERSON), WHITE: Participant(BOT, "mcts")}
        record = new_record(parse("go:size=5"), "s")
        game = HostedGame.new(record, seats, POLICY, control, notes={"kind": PLAY}, now=Watchmaker())
        session = PlaySession(GamesFolder(tmp_path).new("go"), game)
        said.append(session.bots.who(WHITE))
        session.host.file.release()
    assert said == ["Search: about a second a move", "Search: as its clock allows"]
