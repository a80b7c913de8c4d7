"""A host's time, parameters and komi stay set when it changes the board."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from gtp_variants.gtp.engine import engine_bot, session
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.player import Seat
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View
from tests.gtp.talk import Talk

GAMES = (
    "go:size=9",
    "aleago:size=9",
    "phantom:size=9",
    "rosette:n=2",
    "alter-igo:size=4",
    "pentalath",
    "pentalath:players=3",
)
# What sets the time -> the control, and the periods or stones of the time left.
SETTINGS = {
    "time_settings 600 0 0": (TimeControl("absolute", 600.0), 0),
    "time_settings 600 30 25": (TimeControl("canadian", 600.0, 30.0, 25), 7),
    "kgs-time_settings byoyomi 600 30 5": (TimeControl("byoyomi", 600.0, 30.0, periods=5), 2),
    "kata-time_settings fischer 600 10": (TimeControl("fischer", 600.0, increment_s=10.0), 0),
}
TELLING = [
    (spec, setting)
    for number, spec in enumerate(GAMES)
    for setting in (list(SETTINGS) * 2)[number % 4 : number % 4 + 2]
]


class _Shown(Seat):
    """A player that remembers the clock it was shown, and its parameter."""

    parameters: ClassVar[dict[str, Any]] = {"playouts": 1}
    playouts = 1
    clock: Clock | None = None

    def choose(self, view: View, clock: Clock) -> int:
        self.clock = clock
        return self.points(view)[0]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[_Shown]:
    """Every player that an engine makes, whichever bot it names."""
    found: list[_Shown] = []

    def load(name: str) -> _Shown:
        found.append(_Shown())
        return found[-1]

    monkeypatch.setattr(bots, "load", load)
    return found


def board_commands(spec: str, folder: Path) -> list[str]:
    """Commands that make another board, set stones on it, or use it."""
    talk = Talk(spec)
    board = talk.session.rules.board
    size, vertex, name = board.width, talk.session.word(0), spec.partition(":")[0]
    file = folder / f"{name}.sgf"
    talk(f"printsgf {file}")
    stones = f"b {vertex}"
    return [
        "clear_board",
        f"boardsize {size}",
        f"variant-set {spec}",
        f"loadsgf {file}",
        f"set_position {stones}",
        f"gogui-setup {stones}",
        "play",
        "showboard",
        *(["phantom-seat b"] if name == "phantom" else []),
    ]


def use_board(talk: Talk, command: str) -> bool:
    """Give a command about the board; return True unless it is refused, as some are after others."""
    if command == "play":
        state = talk.state()
        command = f"play {state['to_play']} {state['legal'][0]}"
    answer = talk.raw(command.encode())
    assert answer is not None
    return answer.startswith(b"=")


def shown_clock(talk: Talk, made: list[_Shown], *, is_fresh: bool) -> tuple[Clock | None, int]:
    """The clock and the parameter with which a move is made; in a fresh process that is the board's first use."""
    colour = "bwr"[talk.session.rules.colours[0] - 1] if is_fresh else talk.state()["to_play"]
    talk(f"reg_genmove {colour}")
    thinker = next(player for player in reversed(made) if player.clock is not None)
    return thinker.clock, thinker.playouts


def orders(said: list[str], command: str) -> Iterator[list[str]]:
    """What is said, with a command about the board, unless it is empty, before, between and after."""
    for place in range(len(said) + 1):
        yield [*said[:place], *filter(None, [command]), *said[place:]]


@pytest.mark.parametrize(("spec", "setting"), TELLING)
def test_what_the_host_said_holds_in_every_order_with_commands_about_the_board(
    spec: str, setting: str, made: list[_Shown], tmp_path: Path
) -> None:
    control, count = SETTINGS[setting]
    commands = board_commands(spec, tmp_path)
    colours = ["bwr"[colour - 1] for colour in Talk(spec).session.rules.colours]
    said = [setting, *(f"time_left {colour} 3 {count}" for colour in colours), "kata-set-param playouts 77"]
    alone = [order for command in ("", *commands) for order in orders(said, command)]
    for order in [*alone, *([*said, *pair] for pair in permutations(commands, 2))]:
        talk, used = Talk(spec, bot="shown"), []
        for command in order:
            if command in said:
                talk(command)
            else:
                used.append(use_board(talk, command))
        # The second of two may be refused, as it is no command for a board with stones.
        assert all(used[:1]), order
        assert shown_clock(talk, made, is_fresh=not used) == (Clock(control, 3.0, count), 77), order


@pytest.mark.parametrize("spec", GAMES)
def test_clocks_are_full_in_every_order_when_the_host_tells_no_time_left(
    spec: str, made: list[_Shown], tmp_path: Path
) -> None:
    for setting, (control, _) in SETTINGS.items():
        for board in ("", *board_commands(spec, tmp_path)):
            for order in orders([setting], board):
                talk = Talk(spec, bot="shown")
                for command in order:
                    if command == setting:
                        talk(command)
                    else:
                        assert use_board(talk, command), order
                assert shown_clock(talk, made, is_fresh=not board) == (Clock.full(control), 1), order


@pytest.mark.parametrize("spec", ["go:size=9", "aleago:size=9", "phantom:size=9", "rosette:n=2"])
def test_komi_holds_over_every_other_board_that_names_none(spec: str, tmp_path: Path) -> None:
    for command in ("", *board_commands(spec, tmp_path)):
        if not command.startswith(("variant-set", "loadsgf")):
            talk = Talk(spec)
            talk("komi 3.5")
            assert not command or use_board(talk, command)
            assert talk("get_komi") == "3.5", command


def test_a_time_left_told_in_one_game_holds_in_the_next_until_the_time_is_set_again(made: list[_Shown]) -> None:
    """A host that clears the board and sends the moves again goes on with the game."""
    talk = Talk("go:size=9", bot="shown")
    talk.does("time_settings 600 0 0/genmove b/play w A9/time_left b 3 0/clear_board/play b A1/play w A9")
    assert shown_clock(talk, made, is_fresh=False)[0] == Clock(TimeControl("absolute", 600.0), 3.0)
    talk.does("time_settings 600 0 0/clear_board")
    assert shown_clock(talk, made, is_fresh=True)[0] == Clock.full(TimeControl("absolute", 600.0))


def test_a_third_player_who_joins_by_a_command_has_a_clock(made: list[_Shown]) -> None:
    talk = Talk("pentalath", bot="shown")
    talk.does("time_settings 60 0 0/showboard/kata-set-rules pentalath:players=3/genmove w/genmove b/genmove r")
    clock = made[-1].clock
    assert clock is not None
    assert clock.left_s == pytest.approx(60.0, abs=1)


# -- any order and mix -------------------------------------------------------------------------------------------------

BOARDS = (
    "boardsize 5/boardsize 9/clear_board/komi 3.5/set_free_handicap A1 B2/fixed_handicap 2/play/undo/showboard/loadsgf/"
    "kata-set-rules chinese/kgs-rules aga/clear_cache/set_random_seed 7/gogui-rules_game_id/final_score/genmove/"
    "variant-set go:size=9/variant-set aleago:size=9/variant-set phantom:size=9/variant-set rosette:n=2/"
    "variant-set alter-igo:size=4/variant-set pentalath"
).split("/")
TIMES = (
    "time_settings 600 0 0",
    "time_settings 0 1 0",
    "time_settings 600 30 25",
    "kgs-time_settings none",
    "kgs-time_settings canadian 60 300 25",
    "kgs-time_settings byoyomi 0 30 5",
    "kata-time_settings fischer 600 10",
    "kata-time_settings fischer-capped 600 10 900 20",
)
LEFT = ("time_left b 3 0", "time_left w 2.5 0", "time_left b 3 4", "time_left w 299 1", "time_left w 0 0")


class _Machine:
    """A machine on which time passes only where a test lets it."""

    now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> _Machine:
    found = _Machine()
    monkeypatch.setattr(session, "time", found)
    monkeypatch.setattr(engine_bot, "time", found)
    return found


def clock_of_a_move(talk: Talk, made: list[_Shown], colour: str) -> Clock | None:
    made.clear()
    talk(f"genmove {colour}")
    return next((player.clock for player in reversed(made) if player.clock is not None), None)


@settings(derandomize=True, max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.lists(st.sampled_from(BOARDS), max_size=3),
    mix=st.lists(st.sampled_from([each for each in BOARDS if each != "genmove"] + [*TIMES, *LEFT] * 2), max_size=10),
)
@example(before=[], mix=["time_settings 600 0 0", "time_left b 3 0"])
@example(
    before=["genmove"], mix=["time_settings 600 0 0", "time_left b 3 0", "variant-set pentalath", "time_left w 0 0"]
)
def test_the_next_move_has_the_time_of_a_process_that_heard_only_the_clock(
    before: Sequence[str], mix: Sequence[str], made: list[_Shown], machine: _Machine, tmp_path: Path
) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]FF[4]SZ[9]KM[6.5];B[ee];W[cc])", encoding="ascii")
    talk, fresh = Talk("go:size=5", bot="shown"), Talk("go:size=5", bot="shown")
    for line in (*before, *mix):
        if line.startswith(("time", "kgs-time", "kata-time")):
            talk(line)
            fresh(line)
        elif line == "genmove":
            talk(f"genmove {talk.state()['to_play']}")
        else:
            # Some are refused after others.
            use_board(talk, f"loadsgf {file}" if line == "loadsgf" else line)
    colour = talk.state()["to_play"]
    assert clock_of_a_move(talk, made, colour) == clock_of_a_move(fresh, made, colour)


def test_the_time_that_a_bot_takes_to_load_is_part_of_its_move(
    machine: _Machine, made: list[_Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    def sit_slowly(player: _Shown, rules: Rules, colour: int, seed: str) -> None:
        Seat.sit(player, rules, colour, seed)
        machine.now_s += 1.5

    monkeypatch.setattr(_Shown, "sit", sit_slowly)
    talk, control = Talk("go:size=9", bot="shown"), TimeControl("byoyomi", 600.0, 30.0, periods=5)
    talk.does("kgs-time_settings byoyomi 600 30 5/time_left b 3 1")
    assert clock_of_a_move(talk, made, "b") == Clock(control, 1.5, 1)
    # In the second move nothing is loaded any more.
    talk.does("time_left b 3 1/genmove b")
    assert talk.session.clocks[1] == Clock(control, 30.0, 1)


@pytest.mark.parametrize(
    ("setting", "left", "count"),
    [
        ("kgs-time_settings canadian 60 2 1", "30 1", 0),
        ("time_settings 60 2 1", "30 1", 0),
        ("kata-time_settings canadian 60 10 5", "11.5 5", 0),
        ("kata-time_settings canadian 60 10 5", "10.5 5", 5),
        ("kgs-time_settings byoyomi 60 9.6 3", "10 1", 1),
        ("kata-time_settings canadian 60 10 5", "10 5", 5),
        ("kgs-time_settings byoyomi 60 2 3", "30 3", 0),
        ("kgs-time_settings byoyomi 60 30 3", "30 3", 3),
        ("kata-time_settings fischer 60 2", "30 1", 0),
        ("time_settings 60 0 0", "30 1", 0),
    ],
)
def test_more_time_than_a_period_has_is_main_time(setting: str, left: str, count: int) -> None:
    talk = Talk("go:size=9")
    talk.does(f"{setting}/time_left b {left}")
    clock = talk.session.clocks[1]
    assert (clock.left_s, clock.left_count) == (float(left.split()[0]), count)
    budget_s, most_s = clock.budget_s(40), clock.most_s(40)
    assert budget_s is not None
    assert most_s is not None
    if not count:
        assert most_s < 6
