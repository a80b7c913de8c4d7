"""GoGui's own stream of commands to two real processes of one window, which must agree at every step.

A player process hears each move once. A ruler hears the whole game again several times a move, with the last move
doubled, and is never told a size, a komi, an undo or to quit (what GoGui 1.6 was seen to send).
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gtp_variants.errors import Refused
from gtp_variants.gtp.channel import ProcessChannel
from gtp_variants.gtp.controller import GtpController

Start = Callable[..., "GoGui"]


class GoGui:
    """What GoGui does with a player and a ruler. The tree is one line of moves."""

    def __init__(self, player: GtpController, ruler: GtpController) -> None:
        self.player, self.ruler = player, ruler
        self.moves: list[tuple[str, str]] = []
        self.known: list[tuple[str, str]] = []
        listed = player.send("list_commands").split("\n")
        for command in ("name", "protocol_version", "version", "gogui-interrupt", "gogui-rules_game_id"):
            player.send(command)
        self.size = player.send("gogui-rules_board_size").split()[0]
        self._start_player()
        player.send("komi", 6.5)
        for command in ("gogui-title", "gogui-rules_game_id", "gogui-rules_board_size", "name", "protocol_version"):
            player.send(command)
        if "gogui-analyze_commands" in listed:
            player.send("gogui-analyze_commands")
        self._start_player()
        for command in ("list_commands", "gogui-rules_game_id", "gogui-rules_board_size", "clear_board"):
            ruler.send(command)
        self._look()

    def _start_player(self) -> None:
        self.player.send("boardsize", self.size)
        self.player.send("clear_board")

    def _look(self) -> None:
        for what in ("board", "board_size", "captured_count", "side_to_move", "board_gfx", "legal_moves"):
            self.ruler.send(f"gogui-rules_{what}")

    def _replay(self) -> None:
        self.ruler.send("clear_board")
        for colour, vertex in self.moves:
            self.ruler.send("play", colour, vertex)
        self._look()

    def _again(self) -> None:
        # Whatever the ruler answers to the move it has already heard, GoGui takes no notice.
        with contextlib.suppress(Refused):
            self.ruler.send("play", *self.moves[-1])

    def legal(self) -> list[str]:
        return self.ruler.send("gogui-rules_legal_moves").split()

    def side(self) -> str:
        return self.ruler.send("gogui-rules_side_to_move")[0]

    def human(self, vertex: str) -> str | None:
        """A click: None, or the words of the refusal that GoGui shows, in which case no move is made."""
        assert vertex in self.legal()
        assert vertex in self.legal()
        colour = self.side()
        self._tell_player()
        try:
            self.player.send("play", colour, vertex)
        except Refused as refused:
            return refused.answer
        self.known.append((colour, vertex))
        self._made(colour, vertex)
        return None

    def computer(self) -> str:
        colour = self.side()
        self._tell_player()
        vertex = self.player.send("genmove", colour)
        if vertex == "resign":
            return vertex
        self.known.append((colour, vertex))
        self._made(colour, vertex)
        self._again()
        self._replay()
        return vertex

    def _made(self, colour: str, vertex: str) -> None:
        self.ruler.send("clear_board")
        self._look()
        self.moves.append((colour, vertex))
        self._replay()
        self._again()
        self._replay()

    def _tell_player(self) -> None:
        """Before it asks for anything GoGui brings the player where the tree is."""
        same = 0
        while same < min(len(self.known), len(self.moves)) and self.known[same] == self.moves[same]:
            same += 1
        back = len(self.known) - same
        if back:
            self.player.send("gg-undo", back)
        missing = self.moves[same:]
        if len(missing) > 1:
            self.player.send("gogui-play_sequence", *(word for move in missing for word in move))
        elif missing:
            self.player.send("play", *missing[0])
        self.known = list(self.moves)

    def go_to(self, moves: list[tuple[str, str]]) -> None:
        """A jump in the tree, of which the player hears only when it is needed."""
        self.moves = list(moves)
        self._replay()

    def new_game(self) -> None:
        self._start_player()
        self.player.send("komi", 6.5)
        self.moves, self.known = [], []
        self.ruler.send("clear_board")
        self._look()

    def states(self) -> tuple[dict[str, Any], dict[str, Any]]:
        player, ruler = (json.loads(peer.send("variant-state")) for peer in (self.player, self.ruler))
        return player, ruler

    def agree(self) -> dict[str, Any]:
        """Both processes at the same point of the game, dice and all."""
        self._tell_player()
        player, ruler = self.states()
        player.pop("announcements")
        ruler.pop("announcements")
        assert player == ruler
        return player


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    peers: list[GtpController] = []

    def begin(spec: str, *arguments: str) -> GoGui:
        environment = {**os.environ, "GTP_VARIANTS_HOST": f"window of {spec}"}
        for _ in range(2):
            command = [sys.executable, "-m", "gtp_variants", "gtp", spec, "--bot", "greedy", *arguments]
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
