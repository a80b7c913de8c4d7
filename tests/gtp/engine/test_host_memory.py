"""A host's time, parameters and komi stay set when it changes the board."""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import pytest

from gtp_variants.players import bots
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.player import Seat
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
