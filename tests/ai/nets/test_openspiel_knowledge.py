"""Our tensor of Go Fantôme under OpenSpiel's rules holds all that its own phantom_go gives a player."""

from random import Random

import numpy as np
import pytest

import gtp_variants as gv

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


def as_openspiel(encoder: gv.Encoder, planes: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The observation of phantom_go from ours, and nothing else.

    Stones of Black and of White; then a plane each of the points that seem empty, of White's and of Black's stones that
    the player knows; then whether White is to play, on every point.
    """
    plane = dict(zip(encoder.planes, planes, strict=True))
    feature = dict(zip(encoder.globals, features, strict=True))
    is_black = feature["black"] == 1
    own, other = plane["own"], plane["next"]
    counts = [feature["own_stones"], feature["next_stones"]]
    black, white = (own, other) if is_black else (other, own)
    stones = np.rint(np.array(counts if is_black else counts[::-1]) * len(own))
    white_to_play = (feature["own_turn"] == 1) != is_black
    return np.concatenate([stones, 1 - own - other, white, black, np.full(len(own), white_to_play)])


def compare_game(size: int, rng: Random, most: int) -> int:
    """Play one random game in both libraries; return the number of compared states."""
    rules = gv.parse(f"phantom:size={size},rules=openspiel")
    encoder, game = gv.Encoder(rules), gv.Game(rules)
    state = pyspiel.load_game(f"phantom_go(board_size={size})").new_initial_state()
    watches = [rules.watch(colour) for colour in rules.colours]
    compared = 0
    while not state.is_terminal() and compared < most:
        for player, watch in enumerate(watches):
            ours = as_openspiel(encoder, *encoder.encode(watch.view()))
            assert np.array_equal(ours, np.array(state.observation_tensor(player)))
            compared += 1
        points = [action for action in state.legal_actions() if action < size * size]
        action = rng.choice(points) if points and rng.random() < 0.97 else size * size
        state.apply_action(action)
        before = game.position
        event = game.play(before.mover, gv.PASS if action == size * size else action)
        for colour, watch in zip(rules.colours, watches, strict=True):
            news = rules.hears(before, event, game.position, colour)
            if news is not None:
                watch.hear(news)
    return compared


def test_a_few_games() -> None:
    assert compare_game(4, Random(1), 200) > 50


@pytest.mark.slow
def test_ten_thousand_states() -> None:
    rng, compared = Random(2), 0
    while compared < 10_000:
        compared += compare_game(rng.choice((3, 4, 5, 7)), rng, 400)
