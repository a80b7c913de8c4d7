"""A search from a view that hides stones: nothing but what the seat heard, and the same moves everywhere."""

import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.errors import ConfigError
from gtp_variants.rules.actions import PASS, RESIGN

PHANTOM = gv.parse("phantom:size=5")


def seen(game: gv.Game, colour: int) -> gv.View:
    return PHANTOM.view(game.heard(colour), colour)


@pytest.mark.parametrize("plies", [0, 1, 9, 20])
def test_a_seat_finds_a_move_it_may_try(plies: int) -> None:
    game = gv.random_game(PHANTOM, seed=4, plies=plies)
    view = seen(game, game.position.to_play)
    found = gv.search(PHANTOM, view, playouts=100, seed=1)
    assert found.action in view.actions
    assert found.playouts == sum(found.visits.values()) == 100
    assert sum(found.values) == pytest.approx(1)
    assert found.principal_variation[0] == found.action
    assert found == gv.search(PHANTOM, view, playouts=100, seed=1)


@pytest.mark.parametrize("playouts", [1, 7, 25])
def test_no_playout_is_lost(playouts: int) -> None:
    view = seen(gv.random_game(PHANTOM, seed=4, plies=9), gv.WHITE)
    assert gv.search(PHANTOM, view, playouts=playouts, seed=2).playouts == playouts


def test_moves_and_settings_may_be_numbers_of_numpy() -> None:
    np = pytest.importorskip("numpy")
    actions, games = gv.Encoder(PHANTOM).actions, [gv.Game(PHANTOM), gv.Game(PHANTOM)]
    for index in (2, 3):
        games[0].play(games[0].position.to_play, actions[index])
        games[1].play(games[1].position.to_play, int(actions[index]))
    found = gv.search(PHANTOM, seen(games[0], gv.BLACK), playouts=np.int64(30), seed=np.int64(3), threads=np.int8(1))
    assert found == gv.search(PHANTOM, seen(games[1], gv.BLACK), playouts=30, seed=3, threads=1)


def test_two_games_that_sound_alike_are_searched_alike() -> None:
    games = [gv.Game(PHANTOM), gv.Game(PHANTOM)]
    for game, hidden in zip(games, ("A1", "E5"), strict=True):
        game.play(gv.BLACK, PHANTOM.board.point("C3"))
        game.play(gv.WHITE, PHANTOM.board.point(hidden))
    one, other = (gv.search(PHANTOM, seen(game, gv.BLACK), playouts=60, seed=3) for game in games)
    assert one == other


def test_a_refused_try_is_not_found_again() -> None:
    game = gv.Game(PHANTOM)
    for actor, vertex in ((gv.BLACK, "A2"), (gv.WHITE, "A1"), (gv.BLACK, "A1")):
        game.play(actor, PHANTOM.board.point(vertex))
    view = seen(game, gv.BLACK)
    assert view.tried == {PHANTOM.board.point("A1")}
    assert gv.search(PHANTOM, view, playouts=300, seed=1).action not in view.tried


def test_it_ends_in_time_or_when_it_is_told_to() -> None:
    view = seen(gv.random_game(PHANTOM, seed=4, plies=9), gv.WHITE)
    assert gv.search(PHANTOM, view, seconds=0.05, seed=1).playouts > 0
    told: list[SearchResult] = []

    def report(now: object) -> bool:
        assert callable(now)
        told.append(now())
        return False

    assert gv.search(PHANTOM, view, playouts=10**9, seed=1, on_progress=report).playouts < 10**9
    assert told


def test_a_game_that_is_over_has_no_moves() -> None:
    game = gv.random_game(PHANTOM, seed=4, plies=9)
    game.play(game.position.to_play, RESIGN)
    for limits in ({"playouts": 10}, {"seconds": 1e-4}):
        assert gv.search(PHANTOM, seen(game, gv.BLACK), **limits).action == PASS


def test_the_side_to_move_is_right_after_a_short_search() -> None:
    """Without time no consistent position is found, so the nearest one is searched."""
    rules = gv.parse("phantom:size=13")
    game = gv.random_game(rules, 6, 250)
    other = game.position.mover
    view = rules.view(game.heard(3 - other), 3 - other)
    assert view.to_play == other
    found = gv.search(rules, view, seconds=1e-6)
    assert all(action < 0 or view.stones[action] != 3 - other for action in found.visits)


def test_wrong_settings_are_reported() -> None:
    view = PHANTOM.view([], gv.BLACK)
    with pytest.raises(ConfigError, match="expected at least one limit"):
        gv.search(PHANTOM, view)
    with pytest.raises(ConfigError, match="unknown setting"):
        gv.search(PHANTOM, view, playouts=1, speed=3)


def test_moves_that_are_avoided_are_left_out() -> None:
    view = PHANTOM.view([], gv.BLACK)
    best = gv.search(PHANTOM, view, playouts=100, seed=1).action
    avoided = [gv.AvoidedMove(gv.BLACK, best, 1)]
    assert gv.search(PHANTOM, view, playouts=100, seed=1, avoided=avoided).action != best
