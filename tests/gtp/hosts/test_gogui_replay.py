"""GoGui's own stream of commands to two real processes of one window, which must agree at every step.

A player process hears each move once. A ruler hears the whole game again several times a move, with the last move
doubled, and is never told a size, a komi, an undo or to quit (what GoGui 1.6 was seen to send).
"""

import json

import pytest

from tests.gtp.hosts.gogui_host import Start


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


SUSPENDED = ["aleago:size=9", "phantom:size=5", pytest.param("rosette:n=3", marks=pytest.mark.slow)]


@pytest.mark.parametrize("spec", SUSPENDED)
def test_a_suspended_game_continues_with_a_click_and_ends_with_a_third_pass(start: Start, spec: str) -> None:
    host = start(spec)
    host.computer()
    for _ in range(2):
        host.human("pass")
    assert host.agree()["suspended"]
    # GoGui asks for a move only when somebody clicks; the result it may show is that of the count.
    assert host.ruler.send("gogui-rules_final_result") != ""
    assert "pass" in host.legal()
    # In a hidden game the first point may be taken; the try keeps the turn, and the next is asked for.
    assert any(host.human(word) is None for word in host.legal() if word != "pass")
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
