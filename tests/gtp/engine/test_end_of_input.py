"""At the end of the input what is limited by time stops with an answer, and what is counted is finished."""

import re
from typing import Any

import pytest

from gtp_variants.gtp.engine.engine_bot import EngineBot
from gtp_variants.players.clock import Clock
from gtp_variants.players.levelled_seat import LevelledSeat
from gtp_variants.rules.views import View
from tests.gtp.talk import Talk
from tests.support.programs import run

# A search that went on would take a minute or more.
LONG = ("--seconds", "60")
ENDED_WITHIN_S = 20.0
# Answers: a move, one with what the search saw before it, lines of an analysis, any other word, nothing.
MOVE, ALOUD, SEEN, WORD, DONE = r"= [A-Z]\d+", r"= \n(.+\n)*play [A-Z]\d+", r"= \n(info .+\n?)+", r"= .+", r"= "


@pytest.mark.parametrize(
    ("arguments", "sent", "answers"),
    [
        (("go:size=9", *LONG), "genmove b", [MOVE]),
        (("go:size=9", *LONG), "genmove b\nkomi 7\ngenmove w\nname\nquit", [MOVE, DONE, MOVE, WORD, DONE]),
        (("go:size=9", *LONG), "reg_genmove b", [MOVE]),
        (("go:size=9", *LONG), "kata-search b\ntop_moves b", [MOVE, WORD]),
        (("go:size=9", *LONG), "kata-genmove_analyze b 10\nkata-search_analyze w 10", [ALOUD, ALOUD]),
        (("go:size=9", *LONG), "cgos-genmove_analyze b\nkata-analyze w 10", [ALOUD, SEEN]),
        (("go:size=9", "--bot", "mcts:net=none,seconds=60"), "genmove b", [MOVE]),
        (("go:size=9", "--bot", "mcts:net=none,variant=plain,seconds=60"), "genmove b", [MOVE]),
        (("go:size=9", "--bot", "mcts:playouts=1000000000,seconds=60"), "genmove b", [MOVE]),
        (("go:size=9", "--bot", "mcts:ponder=true,seconds=60"), "genmove b", [MOVE]),
        (("go:size=9",), "kata-time_settings byoyomi 0 100 5\ngenmove b", [DONE, MOVE]),
        (("aleago:size=9", *LONG), "genmove b", [MOVE]),
        (("phantom:size=9", *LONG), "genmove b\nkata-genmove_analyze w 10", [MOVE, ALOUD]),
        (("phantom:size=9", *LONG), "phantom-seat b\ngenmove b", [DONE, MOVE]),
        (("rosette:n=2", *LONG), "genmove b", [MOVE]),
        (("alter-igo:size=4", *LONG), "genmove b", [MOVE]),
        (("pentalath", *LONG), "genmove w", [MOVE]),
    ],
)
def test_a_search_by_time_ends_with_the_input_and_every_line_before_is_answered(
    arguments: tuple[str, ...], sent: str, answers: list[str]
) -> None:
    done = run("gtp", *arguments, sent=f"{sent}\n".encode(), timeout_s=ENDED_WITHIN_S)
    assert done.returncode == 0
    told = done.stdout.decode().split("\n\n")[:-1]
    assert len(told) == len(answers), told
    for answer, expected in zip(told, answers, strict=True):
        assert re.fullmatch(expected, answer), answer


class _Asking(LevelledSeat):
    """A player that asks, as searches do, whether it may think on."""

    is_to_go_on: bool | None = None

    def choose(self, view: View, clock: Clock) -> int:
        assert self.on_progress is not None
        so_far: Any = None
        self.is_to_go_on = self.on_progress(so_far)
        return self.points(view)[0]


@pytest.mark.parametrize(
    ("limits", "setting", "goes_on"),
    [
        ({"playouts": 500}, "", True),
        ({"playouts": 500, "seconds": 0.0}, "", True),
        ({"level": 4}, "", True),
        ({}, "", False),
        ({"seconds": 8.0}, "", False),
        ({"seconds": 8.0, "cpu_time": True}, "", False),
        ({"playouts": 500, "seconds": 8.0}, "", False),
        ({"level": 10}, "", False),
        ({"playouts": 500}, "time_settings 600 0 0", False),
    ],
)
@pytest.mark.parametrize("command", ["genmove b", "reg_genmove b", "kata-search b", "kata-genmove_analyze b"])
def test_only_a_search_that_counts_playouts_continues_after_the_end(
    limits: dict[str, Any], setting: str, goes_on: bool, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, player = Talk("go:size=9"), _Asking()
    for key, value in limits.items():
        setattr(player, key, value)
    monkeypatch.setattr(EngineBot, "make_player", lambda bot: player)
    talk(setting or "name")
    talk(command)
    assert player.is_to_go_on
    talk.session.has_input_ended = lambda: True
    talk.does(f"clear_board/{command}")
    assert player.is_to_go_on is goes_on
