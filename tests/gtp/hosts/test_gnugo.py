"""Ordinary Go against GNU Go: two programs, one game, one score.

The repetition is set to `simple`, which is all that GNU Go enforces: it neither avoids nor refuses a superko. Under
`psk` it may make a move that our rules forbid, and that we take in with a warning: the last test plays such a match.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import verify
from gtp_variants.rules.actions import TOLERATE
from tests.gtp.talk import Talk
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


# Black's inner chain and White's chain around it have no liberties but three kos: each move takes the one that saves a
# chain in atari. Black has taken one of them and lives outside.
TRIPLE_KO = {
    gv.BLACK: "D1 E1 C2 D2 E2 F2 C3 E3 B1 A3 A4 A5 B5 B6 C6 D6 E6 F6 F5 G5 G4 H4 H3 J3 J2 J1",
    gv.WHITE: "A1 A2 B2 B3 B4 C4 C5 D5 E5 E4 F4 F3 G3 G2 H2 H1 F1 D3",
}
ROUND = ("g1", "d4", "b1")


def test_whole_match_with_a_triple_ko_in_which_only_gnu_go_repeats(
    theirs: GtpController, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, file = Talk("go:size=9", bot="mcts:playouts=30,resign=false", seed="1"), tmp_path / "triple.sgf"
    stones = {
        colour: "".join(f"[{'abcdefghi'['ABCDEFGHJ'.index(v[0])]}{'ihgfedcba'[int(v[1]) - 1]}]" for v in listed.split())
        for colour, listed in TRIPLE_KO.items()
    }
    file.write_text(f"(;GM[1]FF[4]SZ[9]KM[7.5]PL[B]AB{stones[gv.BLACK]}AW{stones[gv.WHITE]})", encoding="ascii")
    theirs.send("set_random_seed", 1)
    assert theirs.send("loadsgf", file) == ours(f"loadsgf {file}") == "black"
    moves: list[str] = []
    while moves[-2:] != ["pass", "pass"] and len(moves) < 600:
        if len(moves) % 2:
            moves.append(theirs.send("genmove", "w").lower())
            ours(f"play w {moves[-1]}")
        else:
            # Black goes once round the kos, whatever its bot would like.
            moves.append(ROUND[len(moves) // 2] if len(moves) < 6 else ours("genmove b").lower())
            if len(moves) < 6:
                ours(f"play b {moves[-1]}")
            theirs.send("play", "b", moves[-1])
        for colour in ("black", "white"):
            assert set(ours(f"list_stones {colour}").split()) == set(theirs.send("list_stones", colour).split())
    assert moves[-2:] == ["pass", "pass"]
    events = ours.session.table.game.events
    taken_in = [events[index + 1].actor for index, event in enumerate(events) if event.action == TOLERATE]
    assert set(taken_in) == {gv.WHITE}
    assert capsys.readouterr().err.count("would repeat an earlier position; the stone stays") == len(taken_in)
    record = ours("variant-record")
    assert verify(from_json(record)).ok
    assert to_json(from_json(record)) == record
    ours(f"printsgf {file}")
    again, board = Talk("go"), ours.state()
    again(f"loadsgf {file}")
    assert (again.state(), again("variant-record")) == (board, record)
    for _ in moves:
        ours("undo")
    assert ours.state()["move_number"] == 0
    assert ours.fails("undo") == "cannot undo"
