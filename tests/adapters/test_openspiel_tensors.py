"""Observations of OpenSpiel's players: our encoder's arrays and, with perfect recall, all news."""

from random import Random
from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.rules.views import Announcement, News
from tests.ai.nets.test_openspiel_knowledge import as_openspiel
from tests.support.specs import EACH

pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

RECALL = pyspiel.IIGObservationType(perfect_recall=True)
PRIVATE = pyspiel.PrivateInfoType


@pytest.fixture(scope="module")
def adapter() -> Any:
    import gtp_variants.adapters.openspiel as adapter

    return adapter


def play(state: Any, rng: Random, plies: int) -> None:
    while plies and not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        plies -= 1


def observe(game: Any, kind: Any, state: Any, player: int) -> Any:
    from open_spiel.python.observation import make_observation

    observation = make_observation(game, kind)
    observation.set_from(state, player)
    return observation


@pytest.mark.parametrize("spec", EACH)
def test_the_tensor_holds_what_the_encoder_gives(spec: str, adapter: Any) -> None:
    game, rules, rng = adapter.load_game(spec), gv.parse(spec), Random(2)
    state, encoder = game.new_initial_state(), gv.Encoder(rules)
    for _ in range(6):
        play(state, rng, 5)
        if state.is_terminal():
            break
        for player, colour in enumerate(rules.colours):
            seen = rules.view(state.game.heard(colour), colour)
            planes, features = encoder.encode(seen, colour)
            expected = np.concatenate([planes.ravel(), features])
            assert np.array_equal(np.array(state.observation_tensor(player), np.float32), expected)
    assert game.observation_tensor_shape() == [len(encoder.planes) * len(rules.board) + len(encoder.globals)]


def test_a_picture_for_convolutions(adapter: Any) -> None:
    game = adapter.load_game("pentalath", picture=True)
    encoder, state = gv.Encoder(game.rules), game.new_initial_state()
    state.apply_action(30)
    picture = np.array(state.observation_tensor()).reshape(game.observation_tensor_shape())
    assert picture.shape == (*encoder.grid, len(encoder.planes) + len(encoder.globals))
    planes, features = encoder.encode(state.game.position)
    rows, columns = encoder.cells.T
    points = len(game.rules.board)
    expected = np.hstack([planes.T, np.tile(features, (points, 1))])
    assert np.array_equal(picture[rows, columns].astype(np.float32), expected)
    assert picture[..., 0].sum() == points


def test_a_recalled_game_differs_from_every_other(adapter: Any) -> None:
    """Equal information states as strings are equal tensors, and no others."""
    for spec in ("phantom:size=2", "aleago:size=3,dice=1d2"):
        game, rng, found = adapter.load_game(spec, max_game_length=12), Random(4), dict[bytes, str]()
        for _ in range(16):
            state = game.new_initial_state()
            for _ in range(12):
                play(state, rng, 1)
                if state.is_terminal():
                    break
                for player in (0, 1):
                    tensor = np.array(state.information_state_tensor(player), np.float32).tobytes()
                    told = state.information_state_string(player)
                    assert found.setdefault(tensor, told) == told
        assert len(found) == len(set(found.values())) > 50


def test_every_kind_of_news_has_its_row() -> None:
    from gtp_variants.adapters.openspiel.observer import NewsRows

    rules = gv.parse("phantom:size=6")
    pieces = [
        News(1, None),
        News(1, 3),
        News(2, 3),
        News(1, 3, refused=True),
        News(1, None, refused=True),
        News(1, 3, refused=True, shown=0),
        News(1, 3, refused=True, shown=2),
        News(1, 3, captured=(1, 2)),
        News(1, 3, captured=(30, 2)),
        News(1, gv.PASS),
        *(News(1, 3, said=(Announcement(code, 1, count),)) for code in ("captured", "atari") for count in (1, 2)),
        *(News(1, 3, said=(Announcement(code, 1),)) for code in ("played", "self_atari", "impossible", "repeated")),
    ]
    rows = NewsRows(rules, 38, 0)
    written = np.zeros((len(pieces) + 1, rows.width), np.float32)
    rows.write(pieces, written)
    assert len({row.tobytes() for row in written}) == len(pieces) + 1
    assert written.min() == 0
    assert written.max() <= 1


def test_public_and_private_information(adapter: Any) -> None:
    game = adapter.load_game("phantom:size=4", max_game_length=30)
    first, other = game.new_initial_state(), game.new_initial_state()
    for action in (5, 6, 5):
        first.apply_action(action)
    for action in (9, 6, 9):
        other.apply_action(action)
    public = pyspiel.IIGObservationType(perfect_recall=True, public_info=True, private_info=PRIVATE.NONE)
    private = pyspiel.IIGObservationType(perfect_recall=False, public_info=False, private_info=PRIVATE.SINGLE_PLAYER)
    everything = pyspiel.IIGObservationType(perfect_recall=True, public_info=True, private_info=PRIVATE.ALL_PLAYERS)
    one, two = (observe(game, public, state, 0) for state in (first, other))
    assert np.array_equal(one.tensor, two.tensor)
    assert one.string_from(first, 0) == two.string_from(other, 0)
    assert one.dict["public"].tolist()[:2] == [1, 0]
    assert list(observe(game, private, first, 0).dict) == ["planes"]
    seen = [observe(game, everything, state, 0) for state in (first, other)]
    assert list(seen[0].dict) == ["planes_0", "globals_0", "planes_1", "globals_1", "news"]
    assert not np.array_equal(seen[0].tensor, seen[1].tensor)
    assert seen[0].string_from(first, 0) == seen[0].string_from(first, 1)


def test_an_open_game_has_nothing_private(adapter: Any) -> None:
    game = adapter.load_game("go:size=3")
    state = game.new_initial_state()
    private = pyspiel.IIGObservationType(perfect_recall=False, public_info=False, private_info=PRIVATE.SINGLE_PLAYER)
    public = pyspiel.IIGObservationType(perfect_recall=False, public_info=True, private_info=PRIVATE.NONE)
    assert observe(game, private, state, 0).tensor.size == 0
    assert observe(game, public, state, 0).tensor.tolist() == state.observation_tensor(0)
    with pytest.raises(ValueError, match="not supported"):
        game.make_py_observer(None, {"what": 1})


def compare_knowledge(adapter: Any, size: int, rng: Random, most: int) -> int:
    """One random game in both: what OpenSpiel's phantom_go tells is a function of what our tensor holds."""
    ours_game = adapter.load_game(f"phantom:size={size},rules=openspiel")
    ours, encoder = ours_game.new_initial_state(), ours_game.encoder
    theirs = pyspiel.load_game(f"phantom_go(board_size={size})").new_initial_state()
    compared = 0
    while not theirs.is_terminal() and compared < most:
        for player in (0, 1):
            tensor = np.array(ours.observation_tensor(player), np.float32)
            planes = tensor[: len(encoder.planes) * size * size].reshape(len(encoder.planes), -1)
            knowledge = as_openspiel(encoder, planes, tensor[planes.size :])
            assert np.array_equal(knowledge, np.array(theirs.observation_tensor(player)))
            compared += 1
        points = [action for action in theirs.legal_actions() if action < size * size]
        action = rng.choice(points) if points and rng.random() < 0.97 else size * size
        theirs.apply_action(action)
        ours.apply_action(action if action < size * size else size * size + 1)
    return compared


def test_phantom_go_knows_no_more(adapter: Any) -> None:
    assert compare_knowledge(adapter, 4, Random(1), 100) > 50


@pytest.mark.long
def test_phantom_go_knows_no_more_in_ten_thousand_states(adapter: Any) -> None:
    rng, compared = Random(2), 0
    while compared < 10_000:
        compared += compare_knowledge(adapter, rng.choice((3, 4, 5, 7)), rng, 400)
