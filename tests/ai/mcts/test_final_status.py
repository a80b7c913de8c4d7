"""The final status of chains, on small boards and compared with GNU Go on its own games."""

import os
import shutil
import subprocess
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.final_status import Status, find_dead_chains, find_other_winner, judge_position
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.turn_rules import AreaRules
from tests.boards import begin, setup, vertices

GNUGO = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
# Boards on which GNU Go 3.8, level 1, passed twice against itself under Chinese rules with komi 7.5 (seeds 1 to 8,
# those in which something died first), what it then calls dead, and its score.
FINISHED = (
    (
        """
        . . . . X X O . .
        . . . X X O O . .
        . . X X O . O . .
        . . X O O . O . .
        . X O O . . O . .
        . X X O . O O . .
        . X O O O . . . .
        X X O . . . . . .
        X O O . . . . . .
        """,
        "",
        "W+32.5",
    ),
    (
        """
        . . O O O O O X .
        . . O . O X X X .
        . . O O X X O . .
        . . O X . . . . .
        . . O X X . X . .
        . O O O X . . X .
        . . O X X O O . .
        . O O X O X . . .
        . O X X . . . . .
        """,
        "G7 F3 G3 E2",
        "B+5.5",
    ),
    (
        """
        X X X X X . . . .
        O X O X . X . X O
        O O O O X . X . X
        . . O X X . X X X
        . . . O X X O O X
        . O O O O X X O O
        O . O X X X O . O
        O O X . X O O O .
        . O X X X O . . .
        """,
        "J8",
        "W+6.5",
    ),
    (
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . X X . X X X
        X . X O . . X O X
        O X X O X X O O O
        O O O X X O O . .
        . . O O O . . . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        "D6 D5",
        "W+4.5",
    ),
    (
        """
        . . . O O X . . .
        . . O O X . X . .
        . . O X X . . . .
        . . O X X X X X X
        . . . O O O O O X
        . . O X . . . O X
        . . O X . X O O X
        . X O X . . O . O
        . . X . . . . . .
        """,
        "D4 D3 D2 F3 B2 C1",
        "W+40.5",
    ),
    (
        """
        . X O O . . . . .
        . X X O . . O . .
        . . X O O . . O .
        . . X O . O X . .
        . X . X O O O O O
        . . . X X X X X O
        . . X O . . X . X
        . . X . . . . . .
        . . . . . . . . .
        """,
        "G6 D3",
        "B+11.5",
    ),
)
# Black lives with two eyes, White as well; the white stone at D3 has no room.
WALLS = """
    . . . . . . . . .
    . . . . . . . . .
    . O . O . O . O .
    O O O O O O O O O
    X X X X X X X X X
    . X . X . X . X .
    . . . O . . . . .
    X . . . . . . . .
    . . . . . . . . .
    """
# Black's chain in the corner has an eye, White's around it has one, and who plays at C1, which they share, is captured.
SEKI = """
    . . . . . . . . .
    . . . X . X . . .
    . . . . . . . . .
    . . . . . X . . .
    . . . . . . . . .
    X X X X X X X . .
    O O O O O O X . .
    X X O O O O X . .
    . X . O . O X . .
    """

# The same with both chains walled in, and room for dead stones behind both walls.
WALLED_SEKI = """
    X X O O . . . . .
    X X X O . . . . .
    . . X O O O O O O
    O O O X X X X X X
    O O X . . . . . .
    X X X . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    """


def statuses(rules: Any, diagram: str) -> dict[str, str]:
    """The points of each status, in words."""
    found: dict[str, list[int]] = {status: [] for status in Status}
    for each in judge_position(rules, begin(rules, diagram)):
        found[each.status] += each.points
    return {status: vertices(rules.board, points) for status, points in found.items()}


@pytest.mark.parametrize("spec", ["go:size=9", "aleago:size=9", "phantom:size=9"])
def test_a_stone_without_room_is_dead(spec: str) -> None:
    found = statuses(gv.parse(spec), WALLS)
    assert (found[Status.DEAD], found[Status.SEKI]) == ("D3", "")


@pytest.mark.parametrize("spec", ["go:size=9", "aleago:size=9"])
def test_walls_around_open_areas_are_alive_and_not_in_seki(spec: str) -> None:
    row = ". . . . X O . . ."
    bare = "\n".join([row] * 9)
    invaded = "\n".join([*[row] * 4, ". . O . X O . X .", *[row] * 4])
    assert statuses(gv.parse(spec), bare)[Status.SEKI] == ""
    found = statuses(gv.parse(spec), invaded)
    assert (set(found[Status.DEAD].split()), found[Status.SEKI]) == ({"C5", "H5"}, "")


def test_chains_with_untouchable_shared_liberties_are_in_seki() -> None:
    found = statuses(gv.parse("go:size=9"), SEKI)
    assert set(found[Status.SEKI].split()) == {
        *("A2", "B2", "B1"),
        *("A3", "B3", "C3", "D3", "E3", "F3", "C2", "D2", "E2", "F2", "D1", "F1"),
    }
    assert found[Status.DEAD] == ""


def test_walls_that_share_no_liberty_are_in_no_seki_and_a_stone_in_doubt_is_not_called_dead() -> None:
    """GNU Go 3.8 finds no seki here, and C4 alive."""
    board = """
        . . . X O O . . .
        . O . . X O . . .
        . . . . X O . X .
        . . . X X O . . .
        . . . X O . . . .
        . . O X O . . . .
        . . . X O . X . .
        . . . X O . . . .
        . . . X O . . . .
        """
    found = statuses(gv.parse("go:size=9"), board)
    assert (found[Status.SEKI], found[Status.DEAD]) == ("", "")


@pytest.mark.parametrize(
    ("added", "dead"),
    [
        ({}, ""),
        ({"G8": "X"}, "G8"),
        ({"E3": "O"}, "E3"),
        ({"E8": "X", "E9": "X"}, "E9 E8"),
        ({"G8": "X", "E3": "O"}, "E3 G8"),
    ],
)
def test_dead_stones_behind_its_walls_change_nothing_in_a_seki(added: dict[str, str], dead: str) -> None:
    rules = gv.parse("go:size=9")
    more = {rules.board.point(vertex): BLACK if stone == "X" else WHITE for vertex, stone in added.items()}
    found = judge_position(rules, rules.start({**setup(rules.board, WALLED_SEKI), **more}))
    vertices_of = {
        status: {rules.board.vertex(point) for each in found if each.status is status for point in each.points}
        for status in Status
    }
    assert vertices_of[Status.SEKI] == set("A5 A6 B5 B6 C6 A8 A9 B8 B9 C7 C8".split())
    assert vertices_of[Status.DEAD] == set(dead.split())


def test_the_judgement_does_not_depend_on_who_is_to_move() -> None:
    rules = gv.parse("go:size=9")
    black, white = (judge_position(rules, begin(rules, WALLS, colour)) for colour in rules.colours)
    assert black == white
    assert len(black) == 4


def test_an_empty_board_has_no_chains() -> None:
    rules = gv.parse("go:size=9")
    assert not judge_position(rules, rules.start())


@pytest.mark.parametrize("spec", ["alter-igo:size=5", "pentalath"])
def test_in_games_without_area_every_chain_is_alive(spec: str) -> None:
    rules = gv.parse(spec)
    position = gv.random_game(rules, seed=1, plies=9).position
    judged = judge_position(rules, position)
    assert judged
    assert all(each.status is Status.ALIVE for each in judged)


def test_a_rosette_is_never_dead() -> None:
    """Source: 002_de0d3e2916539ccb.txt, "VIE ET MORT": a chain with a rosette is never captured."""
    rules: Any = gv.parse("rosette:n=2")
    ring = rules.board.faces[0]
    others = [point for point in range(len(rules.board)) if point not in ring]
    stones = dict.fromkeys(ring, gv.BLACK) | dict.fromkeys(others[1:], gv.WHITE)
    position = rules.start(stones)
    assert not any(position.stones[points[0]] == gv.BLACK for points in find_dead_chains(rules, position))


@pytest.mark.parametrize(("board", "dead", "score"), FINISHED)
def test_finished_games_are_judged_as_gnu_go_judges_them(board: str, dead: str, score: str) -> None:
    rules = gv.parse("go:size=9")
    assert isinstance(rules, AreaRules)
    assert set(statuses(rules, board)[Status.DEAD].split()) == set(dead.split())
    position = begin(rules, board)
    found = [point for points in find_dead_chains(rules, position) for point in points]
    assert rules.score(position, found).gtp == score


def test_chains_without_captors_are_alive() -> None:
    """GNU Go 3.8 counts a lone stone in the corner of an empty board as alive: B+25 without komi."""
    rules = gv.parse("go:size=5")
    assert not find_dead_chains(rules, rules.start({0: BLACK}))


@pytest.mark.parametrize(
    ("stones", "komi", "winner"),
    [
        # The stone at D3 is dead. With it White has 24 points more than Black, without it Black has nine more.
        (WALLS, 0, "B+9"),
        (WALLS, 30, None),
        (SEKI, 0, None),
    ],
)
def test_another_winner_is_found_only_if_dead_stones_decide(stones: str, komi: float, winner: str | None) -> None:
    rules = gv.parse(f"go:size=9,komi={komi},dead=none")
    other = find_other_winner(rules, begin(rules, stones))
    assert (other and other.gtp) == winner


@pytest.mark.slow
@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian: apt-get install gnugo)")
def test_a_new_game_is_judged_as_gnu_go_judges_it() -> None:
    moves = "\n".join(["genmove b", "genmove w"] * 50)
    command = [str(GNUGO), "--mode", "gtp", "--chinese-rules", "--level", "1", "--seed", "21"]
    talk = f"boardsize 9\nkomi 7.5\n{moves}\nlist_stones b\nlist_stones w\nfinal_status_list dead\nquit\n"
    done = subprocess.run(command, input=talk, capture_output=True, text=True, check=True, timeout=120)
    *_, black, white, dead, _ = [answer.strip("= \n") for answer in done.stdout.split("\n\n") if answer.strip()]
    rules = gv.parse("go:size=9")
    colours = {gv.BLACK: black, gv.WHITE: white}
    stones = {rules.board.point(v): colour for colour, words in colours.items() for v in words.split()}
    found = find_dead_chains(rules, rules.start(stones))
    assert {rules.board.vertex(point) for points in found for point in points} == set(dead.split())
