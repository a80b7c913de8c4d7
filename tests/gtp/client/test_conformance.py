"""The conformance files and the search for wrong rules: sample engines with one rule changed are all found."""

import json
from importlib.resources import files
from typing import cast

import pytest

from benchmarks.correctness import write_conformance
from gtp_variants.base.json_values import Json
from gtp_variants.gtp.client.conformance import RuleFault, find_fault, read_file
from gtp_variants.gtp.client.peer import Peer
from gtp_variants.records.notation import read_faces, read_move
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import read_colour
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules
from tests.gtp.client.sample_engine import InProcess, SampleEngine, Trusting
from tests.gtp.client.wrong_rules import BELIEFS

SEEDED = [(game, belief.name) for game, beliefs in BELIEFS.items() for belief in beliefs]

# The commands of an engine that lists its legal moves, and can sit down at a hidden game.
LISTS = ("variant-legal_moves", "phantom-seat", "phantom-hear")


def fault_of(game: str, belief: str, *extra: str, most_games: int = 0) -> RuleFault | None:
    return find_fault(cast("Peer", InProcess(SampleEngine(game, belief, *extra))), game, most_games)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "belief"), [seeded for seeded in SEEDED if seeded[0] != "phantom"])
def test_an_engine_that_only_plays_is_found_and_its_belief_named(game: str, belief: str) -> None:
    fault = fault_of(game, belief)
    assert fault is not None
    assert fault.belief == belief, fault.text()


@pytest.mark.parametrize("belief", ["suicide", "no ko"])
def test_the_fault_says_the_position_and_the_expected_answer(belief: str) -> None:
    fault = fault_of("go", belief)
    assert fault is not None
    words = next(each for each in BELIEFS["go"] if each.name == belief)
    assert f"it {words.fault}. The rule: {words.rule}" in fault.text()
    assert fault.asked == f"genmove {fault.sent[-1].split()[1]}"
    assert fault.expected.endswith("pass")
    assert "A B C" in fault.position


@pytest.mark.parametrize("belief", ["suicide", "no ko", "captures stay"])
def test_an_engine_that_accepts_every_stone_is_found_by_its_moves(belief: str) -> None:
    fault = find_fault(cast("Peer", InProcess(Trusting("go", belief))), "go", 0)
    assert fault is not None
    assert fault.belief == belief
    assert fault.asked.startswith("genmove")


def test_an_engine_that_accepts_every_stone_may_have_the_right_rules() -> None:
    assert find_fault(cast("Peer", InProcess(Trusting("go", ""))), "go", 1) is None


def test_a_game_of_an_extension_has_no_file_and_so_no_fault() -> None:
    assert read_file("atari-go") == ({}, [])
    assert find_fault(cast("Peer", InProcess(Trusting("go", "suicide"))), "atari-go") is None


@pytest.mark.slow
@pytest.mark.parametrize(("game", "belief"), SEEDED)
def test_an_engine_that_lists_its_moves_is_found_and_its_belief_named(game: str, belief: str) -> None:
    fault = fault_of(game, belief, *LISTS)
    assert fault is not None
    assert fault.belief == belief, fault.text()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_an_engine_with_the_right_rules_has_no_fault(game: str) -> None:
    assert fault_of(game, "", most_games=3) is None
    assert fault_of(game, "", *LISTS, most_games=3) is None


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_writing_a_file_again_changes_nothing(game: str) -> None:
    stored = files("gtp_variants.gtp").joinpath("conformance", f"{game}.jsonl").read_text(encoding="utf-8")
    assert write_conformance.write(game) == stored


@pytest.mark.parametrize("game", GAMES)
def test_each_file_is_free_and_has_hundreds_of_games(game: str) -> None:
    head, lines = read_file(game)
    assert (head["conformance"], head["licence"]) == (game, "CC0-1.0")
    assert sum("result" in line for line in lines) >= 200
    assert len(json.dumps(lines)) < 700_000


def test_node_counts_are_those_of_an_independent_count() -> None:
    # Every point and the pass; then one point less after each of nine stones, and all ten after a pass.
    _, lines = read_file("go")
    nodes = {line["perft"]: line["nodes"] for line in lines if "perft" in line}
    assert nodes["go:size=3"][:2] == [9 + 1, 9 * (8 + 1) + 10]
    assert nodes["go"] == [362]


def replay(line: Json) -> Game:
    """Return the game that the steps of a line play."""
    rules = parse(line["spec"])
    game = Game(rules)
    for step in line["steps"]:
        word, *rest = (step if isinstance(step, str) else step["do"]).split()
        if word == "draw":
            dice = cast("DicedRules", rules).dice_of(game.position)
            game.play(CHANCE, dice.outcome(read_faces(rest[1:])))
        else:
            game.play(read_colour(word), read_move(rules.board, rest[0]))
    return game


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_kernel_plays_the_files_as_the_rules_do(name: str) -> None:
    pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the kernel is not built")
    from tests.ai.mcts.differential import compare_events

    _, lines = read_file(name)
    for line in lines:
        if "steps" in line:
            game = replay(line)
            compare_events(game.rules, [(event.actor, event.action) for event in game.events])
            if "result" in line:
                assert line["result"] == (None if game.outcome is None else game.outcome.sgf), line["spec"]
