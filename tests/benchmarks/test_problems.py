"""Problems that measure the search: every file can be read, its moves are legal, and its verification still holds."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

import gtp_variants as gv
from benchmarks.strength import compose_problems, problems
from benchmarks.strength.compose_problems import Solver, is_taken, sensible, wins, wins_next
from benchmarks.strength.problems import FOLDER, Problem, read
from gtp_variants.errors import PeerGone

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_every_problem_is_a_position_with_a_legal_answer(file: Path) -> None:
    found = list(read(file))
    assert found
    assert len({each.line() for each in found}) == len(found)
    for each in found:
        position = each.position()
        assert not each.rules.is_over(position)
        right = [action for action in each.rules.actions(position) if each.is_solved(action)]
        assert len(right) == len(each.right) == 1
        assert Problem.read(each.line()) == each


def test_a_problem_is_solved_by_the_right_move_only() -> None:
    problem = Problem.read("go:size=5; A1 B2; C3; w; D4 pass")
    assert problem.position().to_play == gv.WHITE
    assert [problem.is_solved(problem.rules.board.point(vertex)) for vertex in ("D4", "D5")] == [True, False]
    assert problem.is_solved(gv.PASS)


def test_the_solver_knows_what_a_corner_is_worth() -> None:
    """Three points in a row: the side that takes the middle decides the corner."""
    white, black = "D1 D2 C2 B2 A2", "E1 E2 D3 C3 B3 A3 E3"
    results = []
    for letter in "bw":
        problem = Problem.read(f"go:size=5,komi=0; {black}; {white}; {letter}; B1")
        rules, position = problem.rules, problem.position()
        box = {rules.board.point(vertex) for vertex in ("A1", "B1", "C1")}

        def moves(at: gv.Position, rules: gv.Rules = rules, box: set[int] = box) -> list[int]:
            return [each for each in sensible(rules, at) if each in box or each == gv.PASS]

        def judge(at: gv.Position) -> float | None:
            return 1.0 if gv.WHITE not in at.stones else -1.0 if at.passes >= 2 else None

        values = dict(Solver(rules, moves, judge).children(position))
        best = (max if letter == "b" else min)(values.values())
        results.append([rules.board.vertex(each) for each in values if each >= 0 and values[each] == best])
    assert results == [["B1"], ["B1"]]


def test_ladders_work_in_one_direction_only() -> None:
    for each in read(FOLDER / "ladders.txt"):
        rules, board, position = each.rules, each.rules.board, each.position()
        (right,) = (action for action in rules.actions(position) if each.is_solved(action))
        others = []
        for near in board.neighbours[right]:
            if position.stones[near] not in (0, position.to_play):
                after = rules.play(position, right)
                others += [
                    point
                    for point in gv.liberties(board, position.stones, gv.chain(board, position.stones, near)) - {right}
                    if after.stones[near] and is_taken(rules, after, near)
                    if point not in rules.legal(position) or not is_taken(rules, rules.play(position, point), near)
                ]
        assert others, each.line()


# A judge that plays C4 and leads by ten points with it; without it, it is ten points behind.
JUDGE = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    assert asked["initialPlayer"] == "B" and ["W", "C3"] in asked["initialStones"] and not asked["moves"]
    move, lead = ("G7", -10) if asked["avoidMoves"] else ("C4", 10)
    lead -= asked["komi"]
    chance = 0.9 if lead > 0 else 0.1
    print(json.dumps({"id": asked["id"], "warning": "an unknown field"}))
    root = {"winrate": chance, "scoreLead": lead}
    print(json.dumps({"id": asked["id"], "moveInfos": [{"move": move}], "rootInfo": root}), flush=True)
"""


def test_a_judge_chooses_a_komi_at_which_a_move_decides_the_game(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(JUDGE)
    rules = gv.parse("go:size=9")
    black, white = ([rules.board.point(vertex) for vertex in names.split()] for names in ("B3 C2 D2", "C3"))
    position = rules.start(dict.fromkeys(black, gv.BLACK) | dict.fromkeys(white, gv.WHITE), gv.BLACK)
    with closing(compose_problems.Judge([sys.executable, str(tmp_path / "judge.py")])) as judge:
        assert judge.fair_komi(position, "C4") == 0.5
        assert judge.fair_komi(position, "D3") is None
    gone = closing(compose_problems.Judge([sys.executable, "-c", "input()"]))
    with gone as judge, pytest.raises(PeerGone, match="the judge ended before it answered"):
        judge.fair_komi(position, "C4")


@pytest.mark.parametrize("subject", ["pentalath-wins", "alter-igo-circles"])
def test_wins_of_other_games_are_wins(subject: str) -> None:
    file = FOLDER / f"{subject}.txt"
    for each in list(read(file))[:3]:
        rules, position = each.rules, each.position()
        (move,) = (action for action in rules.actions(position) if each.is_solved(action))
        after = rules.play(position, move)
        if subject == "pentalath-wins":
            assert wins_next(rules, after)
        else:
            assert wins(rules, after, position.to_play, 6)


def test_problems_are_composed_reproducibly() -> None:
    made = [next(compose_problems.compose("pentalath-wins", 1, 1)).line() for _ in range(2)]
    assert made[0] == made[1]
    assert made[0] in [each.line() for each in read(FOLDER / "pentalath-wins.txt")]


def test_the_runner_prints_a_share_for_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    file = FOLDER / "pentalath-wins.txt"
    assert problems.main([str(file), "--seconds", "0.002", "--net", "none"]) == 0
    row = capsys.readouterr().out.splitlines()[-1].split()
    assert row[0] == "pentalath-wins"
    assert 0 <= int(row[2].rstrip("%")) <= 100
