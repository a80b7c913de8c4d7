"""Tree search: the same moves in both forms, what it must find, and what it must refuse."""

from dataclasses import asdict, replace
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.errors import ConfigError, GameOver
from gtp_variants.players.bots import load
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN, TURN
from gtp_variants.rules.game import Game, random_game
from gtp_variants.thinking import form, search, tree
from tests.thinking.specs import SPECS

native = pytest.mark.skipif(form() != "native", reason="the native kernel was not built")

SETTINGS = (
    tree.Settings(playouts=60),
    tree.Settings(playouts=60, rave=False, exploration=0.5, even=0.0, expand_at=1),
    tree.Settings(playouts=60, proofs=False, equivalence=50.0, most_children=40),
)


def ready(spec: str, seed: int, plies: int) -> tuple[Any, Any]:
    """Rules and a position of a random game in which a player is to move."""
    rules = gv.parse(spec)
    game = random_game(rules, seed, plies)
    position = game.position
    while position.to_play == CHANCE and not rules.is_final(position):
        position = rules.play(position, 0)
    return rules, position


@native
@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_both_forms_find_the_same(spec: str) -> None:
    from gtp_variants.thinking import _kernel, native

    for seed in range(4):
        rules, position = ready(spec, seed, 4 * seed)
        if rules.is_final(position) or not rules.is_open:
            continue
        for settings in SETTINGS:
            settings = replace(settings, seed=seed)
            python = tree.search(rules, position, settings)
            found = _kernel.search(native.state_of(rules, position), asdict(settings))
            assert (found.action, dict(found.visits)) == (python.action, python.visits)
            assert (tuple(found.values), tuple(found.principal)) == (python.values, python.principal_variation)
            assert (found.playouts, found.turns) == (python.playouts, python.turns)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if not spec.startswith("phantom")])
def test_a_search_chooses_what_may_be_played(spec: str) -> None:
    for seed in range(3):
        rules, position = ready(spec, seed, 5 * seed)
        if rules.is_final(position):
            continue
        found = search(rules, position, playouts=40, seed=seed)
        allowed = set(rules.actions(position))
        # Where every move loses, or only eyes are left, there may be none that the tree holds.
        assert found.action in allowed or found.action == PASS
        assert sum(found.visits.values()) <= found.playouts
        assert found.playouts == 0 or sum(found.values) == pytest.approx(1)


def test_under_a_throw_only_open_lines_are_tried() -> None:
    rules = gv.parse("aleago:size=9,dice=1d4")
    for face in range(4):
        position = rules.play(rules.start(), face)
        tried = {move for move, visits in search(rules, position, playouts=100).visits.items() if visits}
        assert tried <= set(rules.actions(position))


def test_a_five_is_found_and_proved() -> None:
    rules = gv.parse("pentalath")
    board = rules.board
    four = {board.point(f"{column}4"): gv.WHITE for column in "BCDE"}
    others = {board.point(vertex): gv.BLACK for vertex in ("A1", "C1", "E1", "G1")}
    found = search(rules, rules.start({**four, **others}, gv.WHITE), playouts=5000, seed=1)
    assert board.vertex(found.action) in ("A4", "F4")
    assert found.playouts < 5000


def test_thirty_times_the_playouts_win() -> None:
    rules = gv.parse("go:size=5,komi=0.5")
    won = 0
    for number in range(6):
        table = gv.Table(rules, gv.DiceStream)
        strong = gv.BLACK if number % 2 else gv.WHITE
        for colour in rules.colours:
            bot = load(f"mcts:seconds=0,playouts={300 if colour == strong else 10}")
            table.seat(colour, bot, f"strength {number} {colour}")
        while table.asked() is not None and len(table.game.events) < 150:
            table.step()
        outcome = table.game.outcome or rules.standing(table.position)
        won += outcome is not None and outcome.winner == strong
    assert won >= 4


def test_the_same_seed_finds_the_same_and_seeds_matter() -> None:
    rules = gv.parse("go:size=7")
    found = [search(rules, rules.start(), playouts=200, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1]
    assert found[0].visits != found[2].visits


def test_time_ends_a_search() -> None:
    rules = gv.parse("go:size=9")
    found = search(rules, rules.start(), seconds=0.05)
    assert found.playouts > 0


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({}, "playouts and seconds: expected a limit in at least one of them"),
        ({"playouts": -1}, "playouts=-1: expected 0 or more"),
        ({"playouts": 1, "seconds": float("nan")}, "seconds=nan: expected 0 or more"),
        ({"playouts": 1, "most_children": 0}, "most_children=0: expected 1 or more"),
        ({"playouts": 1, "equivalence": 0}, "equivalence=0: expected more than 0"),
        ({"playouts": 1, "ponder": True}, "ponder: no such setting, known: playouts seconds"),
    ],
)
def test_a_wrong_setting_gets_one_clear_error(settings: dict[str, Any], fault: str) -> None:
    rules = gv.parse("go:size=5")
    with pytest.raises(ConfigError) as caught:
        search(rules, rules.start(), **settings)
    assert caught.value.faults[0].startswith(fault)


def test_what_cannot_be_searched() -> None:
    aleago = gv.parse("aleago")
    with pytest.raises(GameOver, match="dice"):
        search(aleago, aleago.start(), playouts=10)
    phantom = gv.parse("phantom")
    with pytest.raises(GameOver, match="hidden"):
        search(phantom, phantom.view([], gv.BLACK), playouts=10)
    go = gv.parse("go:size=5")
    game = Game(go)
    game.play(gv.BLACK, RESIGN)
    assert search(go, game, playouts=10).action == PASS


def test_three_players_have_a_value_each() -> None:
    rules = gv.parse("pentalath:players=3")
    found = search(rules, rules.start(), playouts=200, seed=3)
    assert len(found.values) == 3
    assert sum(found.values) == pytest.approx(1)


def test_whoever_begins_is_searched_for() -> None:
    rules = gv.parse("go:size=5")
    position = rules.play(rules.start(), TURN, gv.WHITE)
    assert search(rules, position, playouts=20).action in rules.actions(position)
