"""Knockout and sequential halving: pairings, advancement, and whole matches."""

import json
from pathlib import Path

import pytest

from gtp_variants.arena.schedule import MOST_EXTRA, HalvingStanding, KnockoutStanding, count_pairs
from tests.arena.matches import COMPLETE, played, run, write_match


def points(one: str, other: str, winner: str | None) -> dict[str, float]:
    return {player: 0.5 if winner is None else float(player == winner) for player in (one, other)}


def play(standing: KnockoutStanding | HalvingStanding, strongest: str = "p7") -> list[list[tuple[str, str, int]]]:
    """Play a tournament won by `strongest`, in which otherwise the later name wins; return its rounds."""
    rounds = []
    while meetings := standing.pair_up():
        rounds.append(meetings)
        for one, other, pairs in meetings:
            winner = strongest if strongest in (one, other) else max(one, other)
            for _ in range(2 * pairs):
                standing.add(points(one, other, winner))
    return rounds


@pytest.mark.parametrize("count", [2, 3, 5, 8, 13])
def test_knockout_eliminates_all_but_the_winner_once(count: int) -> None:
    names = [f"p{number:02}" for number in range(count)]
    standing = KnockoutStanding(names, 2)
    rounds = play(standing)
    assert sum(map(len, rounds)) == count - 1
    assert len(rounds) == (count - 1).bit_length()
    assert standing.winner == names[-1]
    assert standing.lines()[-1] == f"Winner: {names[-1]}"


def test_best_seeds_have_byes_and_meet_last() -> None:
    standing = KnockoutStanding(list("abcdef"), 1)
    assert standing.pair_up() == [("c", "f", 1), ("d", "e", 1)]
    for one, other in (("c", "f"), ("d", "e")):
        standing.add(points(one, other, one))
    assert standing.pair_up() == [("a", "d", 1), ("b", "c", 1)]
    standing.add(points("a", "d", "a"))
    standing.add(points("b", "c", "c"))
    assert standing.pair_up() == [("a", "c", 1)]
    standing.add(points("a", "c", "c"))
    assert standing.pair_up() == []
    assert standing.lines() == [
        "Round 1: c - f 1:0, d - e 1:0",
        "Round 2: a - d 1:0, c - b 1:0",
        "Round 3: c - a 1:0",
        "Winner: c",
    ]


def test_level_meeting_continues_pair_by_pair_until_the_better_seed_advances() -> None:
    standing = KnockoutStanding(list("abcd"), 3)
    assert standing.pair_up() == [("a", "d", 3), ("b", "c", 3)]
    standing.add(points("b", "c", "c"))
    for _ in range(MOST_EXTRA):
        assert standing.pair_up() == [("a", "d", 1)]
    assert standing.pair_up() == [("a", "c", 3)]


@pytest.mark.parametrize("seeds", [[], ["ref"], ["ref", "other"]])
@pytest.mark.parametrize("count", [2, 5, 8, 16])
def test_halving_spends_its_budget_and_finds_the_best_candidate(count: int, seeds: list[str]) -> None:
    names = [f"p{number}" for number in range(count)]
    standing = HalvingStanding(names, 300, seeds)
    rounds = play(standing, "p1")
    spent = sum(pairs for meetings in rounds for _, _, pairs in meetings)
    assert spent == count_pairs(count, 300, len(seeds))
    assert 200 <= spent <= 300
    assert standing.winner == "p1"
    assert [len(names) for names in standing.rounds] == [-(-count // 2**k) for k in range(len(rounds))]
    per_round = [sum(pairs for _, _, pairs in meetings) for meetings in rounds]
    assert max(per_round) - min(per_round) < 60


def test_halving_gives_all_candidates_of_a_round_equal_pairs() -> None:
    for meetings in play(HalvingStanding([f"p{number}" for number in range(8)], 200)):
        count: dict[str, int] = {}
        for one, other, pairs in meetings:
            for name in (one, other):
                count[name] = count.get(name, 0) + pairs
        assert len(set(count.values())) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("in_one_process")
@pytest.mark.parametrize(
    ("tournament", "last", "games"), [("knockout", "Winner: b", 12), ("halving, seeds: [d]", "Left: a", 4)]
)
def test_tournament_in_pieces_equals_one_in_a_single_run(
    here: Path, capsys: pytest.CaptureFixture[str], tournament: str, last: str, games: int
) -> None:
    players = {"a": "bot:greedy", "b": "bot:uniform", "c": "bot:uniform", "d": "bot:uniform"}
    write_match(here, players, 2, tournament=tournament)
    assert run("small.yaml", "--quiet") == COMPLETE
    assert last in capsys.readouterr().out
    write_match(here, players, 2, tournament=tournament, outputs="dir: pieces")
    for _ in range(9):
        assert run("small.yaml", "--quiet", "--max-games", "3") == COMPLETE
    assert played(here / "pieces") == played(here / "out")
    capsys.readouterr()
    assert run("small.yaml", "show", "--json") == COMPLETE
    found = json.loads(capsys.readouterr().out)
    assert (found["complete"], found["games"] >= games) == (True, True)
