"""GoGui's own stream of commands to two real processes of one window, which must agree at every step.

A player process hears each move once. A ruler hears the whole game again several times a move, with the last move
doubled, and is never told a size, a komi, an undo or to quit (what GoGui 1.6 was seen to send).
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from gtp_variants.gtp.client.channel import ProcessChannel
from gtp_variants.gtp.client.controller import GtpController
from tests.gtp.hosts.gogui_host import GoGui
from tests.support.programs import COMMAND

Start = Callable[..., "GoGui"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    peers: list[GtpController] = []

    def begin(spec: str, *arguments: str) -> GoGui:
        environment = {**os.environ, "GTP_VARIANTS_HOST": f"window of {spec}"}
        for _ in range(2):
            command = [*COMMAND, "gtp", spec, "--bot", "greedy", *arguments]
            way = ProcessChannel(command, environment=environment, stderr=tmp_path / "stderr")
            peers.append(GtpController(way, timeout_s=30))
        return GoGui(*peers[-2:])

    yield begin
    for peer in peers:
        peer.close()
    # A file nothing was written to is not made.
    stderr = tmp_path / "stderr"
    lines = stderr.read_text(encoding="utf-8").splitlines() if stderr.exists() else []
    assert [line for line in lines if " search, 1 thread" not in line] == []


GAMES = [
    pytest.param("aleago:size=9", 60, id="aleago"),
    pytest.param("aleago:size=9,crystal_ball=true", 16, id="crystal ball"),
    pytest.param("rosette:n=3", 30, id="rosette"),
    pytest.param("alter-igo:size=7", 30, id="alter-igo"),
    pytest.param("pentalath", 24, id="pentalath"),
    pytest.param("phantom:size=7", 30, id="phantom"),
]


@pytest.mark.parametrize(("spec", "count"), GAMES)
def test_player_and_ruler_agree_through_a_game(start: Start, spec: str, count: int) -> None:
    host = start(spec)
    rng = Random(spec)
    for number in range(count):
        legal = host.legal()
        if not legal:
            break
        if number % 2:
            points = [word for word in legal if word != "pass"] or legal
            assert host.human(rng.choice(points)) is None
        elif host.computer() == "resign":
            break
        assert host.agree()["move_number"] == len(host.moves)


def test_undo_jumps_and_new_games(start: Start) -> None:
    host = start("aleago:size=9")
    first = host.agree()
    for _ in range(6):
        host.computer()
        host.agree()
    line = list(host.moves)
    for length in (5, 2, 6, 0, 4):
        host.go_to(line[:length])
        assert host.agree()["move_number"] == length
    assert host.computer() != "resign"
    host.agree()
    host.go_to(line[:3])
    host.human(next(word for word in host.legal() if word != "pass"))
    host.agree()
    host.new_game()
    assert host.agree() == first


def test_a_suspended_game_goes_on_with_a_click_and_ends_with_a_third_pass(start: Start) -> None:
    for spec in ("aleago:size=9", "phantom:size=5"):
        host = start(spec)
        host.computer()
        for _ in range(2):
            host.human("pass")
        assert host.agree()["suspended"]
        legal = host.legal()
        assert "pass" in legal
        assert len(legal) > 1
        host.human(legal[0])
        assert not host.agree()["over"]
        for _ in range(3):
            host.human("pass")
        state = host.agree()
        assert (state["over"], state["suspended"]) == (True, False)
        assert host.legal() == []
        assert host.ruler.send("gogui-rules_final_result") != ""
        assert host.ruler.send("gogui-rules_final_result") == host.player.send("gogui-rules_final_result")
        host.go_to(host.moves[:-1])
        assert host.agree()["suspended"]


def test_games_without_a_pass_come_to_their_end(start: Start) -> None:
    host = start("pentalath")
    for vertex in ("A1", "A2", "B1", "B2", "C1", "C2", "D1", "D2", "E1"):
        assert host.human(vertex) is None
        state = host.agree()
    assert (state["over"], state["result"]) == (True, "W+")
    assert host.legal() == []
    host.go_to(host.moves[:4])
    assert not host.agree()["over"]
    assert host.human("G1") is None


def test_a_saved_game_that_other_dice_threw_is_read_again(start: Start) -> None:
    host = start("aleago:size=9")
    host.go_to([("b", "E5"), ("w", "A1"), ("b", "D4"), ("w", "C3"), ("b", "pass"), ("w", "B2")])
    assert host.agree()["stones"] == {"A1": "w", "B2": "w", "C3": "w", "D4": "b", "E5": "b"}
    host.go_to(host.moves[:3])
    host.agree()
    host.computer()
    host.agree()
    host.go_to([])
    host.agree()
    host.computer()
    host.agree()


def test_the_referee_speaks_through_the_player_and_a_refused_try_is_no_move(start: Start) -> None:
    host = start("phantom:size=5", "--view", "b")
    host.human("C3")
    answer = host.computer()
    stone = answer if answer != "pass" else "C3"
    if answer != "pass":
        # Black's screen offers the point, because Black does not know.
        assert stone in host.legal()
        assert host.human(stone) == "impossible move"
        assert len(host.moves) == 2
        assert host.side() == "b"
        assert host.player.send("phantom-announcements") == "impossible move"
    board = host.ruler.send("gogui-rules_board")
    assert "O" not in board
    assert board.count("X") == 1
    free = next(word for word in host.legal() if word not in (stone, "pass"))
    assert host.human(free) is None
    host.agree()


def test_a_ruler_alone_with_two_people_keeps_refused_tries_as_moves(start: Start) -> None:
    host = start("phantom:size=5")
    host.go_to([("b", "C3"), ("w", "C3"), ("w", "D4"), ("b", "D4"), ("b", "C3"), ("b", "E5")])
    assert json.loads(host.ruler.send("variant-state"))["stones"] == {"C3": "b", "D4": "w", "E5": "b"}
    assert host.side() == "w"
