"""Ordinary Go against GNU Go: two programs, one game, one score.

The repetition is set to `simple`, which is all that GNU Go enforces: it neither avoids nor refuses a superko. Under
`psk` it could make a move that our rules forbid, and that we would take in with a warning.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
from tests.support.programs import COMMAND

# Debian puts games where the path of a service does not look.
GNUGO = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
SPEC = "go:size=9,komi=7.5,repetition=simple"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian: apt-get install gnugo)"),
]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GtpController]:
    log = tmp_path_factory.mktemp("ours") / "stderr"
    command = [*COMMAND, "gtp", "go", "--bot", "mcts:level=4,resign=false"]
    with GtpController(ProcessChannel(command, stderr=log)) as peer:
        peer.send("variant-set", SPEC)
        yield peer
    assert log.read_text(encoding="utf-8").count("\n") == 1


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GtpController]:
    command = [str(GNUGO), "--mode", "gtp", "--chinese-rules", "--capture-all-dead", "--komi", "7.5", "--level", "0"]
    log = tmp_path_factory.mktemp("theirs") / "stderr"
    with GtpController(ProcessChannel([*command, "--seed", "1"], stderr=log)) as peer:
        assert peer.send("name") == "GNU Go"
        peer.send("boardsize", 9)
        yield peer


def play(black: GtpController, white: GtpController, number: int) -> list[str]:
    """A game to its end: two passes in a row, or a resignation."""
    for peer in (black, white):
        peer.send("komi", 7.5)
        peer.send("clear_board")
        peer.send("set_random_seed", number)
    moves: list[str] = []
    sides = [("b", black, white), ("w", white, black)]
    while moves[-2:] != ["pass", "pass"] and len(moves) < 600:
        colour, mover, other = sides[len(moves) % 2]
        vertex = mover.send("genmove", colour).lower()
        moves.append(vertex)
        if vertex == "resign":
            break
        other.send("play", colour, vertex)
    return moves


@pytest.mark.parametrize("number", range(10))
def test_a_game_against_gnu_go_has_one_score(ours: GtpController, theirs: GtpController, number: int) -> None:
    moves = play(*((ours, theirs) if number % 2 else (theirs, ours)), number)
    assert moves[-2:] == ["pass", "pass"], moves[-5:]
    assert ours.send("variant-state").count('"suspended": true') == 1
    # GNU Go leaves out eyes in seki, which the rules count.
    if not theirs.send("final_status_list", "seki"):
        dead = [sorted(peer.send("final_status_list", "dead").split()) for peer in (ours, theirs)]
        assert dead[0] == dead[1]
        assert ours.send("final_score") == theirs.send("final_score")
    board = ours.send("variant-state")
    for colour in ("black", "white"):
        for vertex in theirs.send("list_stones", colour).split():
            assert f'"{vertex}": "{colour[0]}"' in board
    ours.send("kgs-game_over")


def test_both_refuse_and_accept_the_same_moves(ours: GtpController, theirs: GtpController, tmp_path: Path) -> None:
    """After every move of a game: the points GNU Go calls legal are those we list."""
    play(theirs, ours, 99)
    path = tmp_path / "game.sgf"
    ours.send("printsgf", path)
    for peer in (ours, theirs):
        peer.send("clear_board")
    for number in range(1, 40):
        ours.send("loadsgf", path, number)
        colour = theirs.send("loadsgf", path, number)
        legal = set(ours.send("variant-legal_moves", colour).split()) - {"pass"}
        assert legal == set(theirs.send("all_legal", colour).split())
