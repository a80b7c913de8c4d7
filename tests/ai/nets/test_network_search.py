"""A search that asks a network in the kernel finds what the same search finds with the network asked from Python."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gtp_variants as gv
from gtp_variants.ai.backend import load_native
from gtp_variants.ai.mcts.settings import PuctSettings
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.evaluators import Floats
from gtp_variants.ai.nets.network import SPECIALS, Network
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from tests.ai.nets.networks import random_network

if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("the native kernel was not built", allow_module_level=True)

from gtp_variants.ai.kernel import _kernel
from gtp_variants.ai.kernel.states import state_of
from gtp_variants.ai.mcts.kernel_calls import settings_by_name
from gtp_variants.ai.nets.kernel_network import kernel_encoder
from gtp_variants.ai.nets.raw_evaluation import evaluate_position

SPECS = (
    "go:size=5 aleago:size=5,dice=1d3 aleago:size=5,crystal_ball=true alter-igo:size=5 rosette:n=2 pentalath "
    "pentalath:players=3 pentalath:swap=true phantom:size=5"
).split()
PLAYOUTS = 60


class AskedFromPython:
    """An evaluator that judges one position at a time by the network."""

    batch = 1

    def __init__(self, rules: Rules, network: Network, encoder: Encoder) -> None:
        points, taps = encoder.taps.shape
        self.kernel = _kernel.KernelNetwork(asdict(network.shape), network.scales, network.tensors)
        self.board = _kernel.KernelNetworkBoard(points, taps, encoder.taps.ravel().tolist())
        self.columns = [*range(points), *[points] * rules.has_pass, *[points + 1] * rules.has_swap]
        self.rules, self.encoder = rules, encoder

    def evaluate(
        self, planes: Floats, globals: Floats, mask: NDArray[np.bool_], to_play: NDArray[np.int8]
    ) -> tuple[Floats, Floats]:
        levels = np.rint(planes[0] * self.encoder.scales[:, None]).astype(np.uint8)
        found = self.kernel.evaluate(self.board, levels.tobytes(), globals[0].tolist())
        assert len(found["logits"]) == planes.shape[2] + SPECIALS
        logits = [found["logits"][column] for column in self.columns]
        priors = _kernel.softmax(logits, mask[0].astype(np.uint8).tobytes())
        order = self.rules.colours
        values = np.roll(np.array(found["values"], np.float32), order.index(int(to_play[0])))
        return np.array([priors], np.float32), values[None]


def position_of(rules: Rules, seed: int) -> Position:
    return gv.random_game(rules, seed=seed, plies=6 + seed).position


@pytest.mark.parametrize("spec", SPECS)
def test_it_finds_what_a_search_from_python_finds(spec: str) -> None:
    rules = gv.parse(spec)
    encoder = Encoder(rules)
    network = random_network(encoder, 3, 16, 2)
    asked = AskedFromPython(rules, network, encoder)
    # An evaluator in Python says nothing of the score.
    settings = PuctSettings(playouts=PLAYOUTS, seed=1, score_weight=0.0)
    position = position_of(rules, 2)
    tree = _kernel.KernelPuct(state_of(rules, position), settings_by_name(settings), [])
    tree.begin(PLAYOUTS)
    tree.search_network(asked.kernel, asked.board, kernel_encoder(rules), PLAYOUTS)
    found = tree.result()
    expected = gv.search(rules, position, playouts=PLAYOUTS, seed=1, evaluator=asked)
    assert dict(found.visits) == expected.visits
    assert tuple(found.values) == expected.values
    assert dict(found.priors) == expected.priors


@pytest.mark.parametrize("spec", ["aleago:size=5,dice=1d3", "aleago:size=5,crystal_ball=true"])
def test_a_position_before_a_throw_is_judged_before_its_throws_are_looked_at(spec: str) -> None:
    rules = gv.parse(spec)
    network = random_network(Encoder(rules), 3, 16, 2)
    position = position_of(rules, 2)
    while position.to_play == CHANCE:
        position = rules.play(position, next(iter(rules.actions(position))))
    found = gv.search(rules, position, playouts=1, seed=1, network=network, playout_weight=0, symmetries=False)
    after = rules.play(position, found.action)
    assert after.to_play == CHANCE
    seat = rules.colours.index(position.mover)
    expected = evaluate_position(network, rules, after)
    assert found.shares[found.action] == pytest.approx(expected.values[seat])
    under_a_throw = gv.search(
        rules,
        position,
        playouts=1,
        seed=1,
        network=network,
        playout_weight=0,
        chance_values=False,
        symmetries=False,
    )
    thrown = rules.play(after, next(iter(rules.actions(after))))
    assert under_a_throw.shares[found.action] == pytest.approx(evaluate_position(network, rules, thrown).values[seat])
    deeper = gv.search(rules, position, playouts=400, seed=1, network=network)
    assert deeper.playouts == 400
    assert sum(deeper.values) == pytest.approx(1)
    assert max(map(len, deeper.lines.values())) > 1


def test_a_network_of_another_game_is_refused() -> None:
    rules, other = gv.parse("go:size=5"), gv.parse("pentalath")
    encoder = Encoder(other)
    asked = AskedFromPython(other, random_network(encoder, 1), encoder)
    tree = _kernel.KernelPuct(state_of(rules, rules.start()), settings_by_name(PuctSettings()), [])
    with pytest.raises(ValueError, match="a network of another game"):
        tree.search_network(asked.kernel, asked.board, kernel_encoder(rules), 1)


def board_under_symmetries(rules: Rules, encoder: Encoder) -> "_kernel.KernelNetworkBoard":
    points, taps = encoder.taps.shape
    return _kernel.KernelNetworkBoard(points, taps, encoder.taps.ravel().tolist(), gv.symmetries(rules).tolist())


def levels_of(encoder: Encoder, rules: Rules, position: Position) -> tuple[NDArray[np.uint8], list[float]]:
    planes, features = encoder.encode(position)
    return np.rint(planes * encoder.scales[:, None]).astype(np.uint8), features.tolist()


@pytest.mark.parametrize("spec", ["go:size=6", "pentalath", "rosette:n=2", "alter-igo:size=5", "aleago:size=5"])
@pytest.mark.parametrize("instructions", _kernel.instruction_sets())
def test_a_symmetry_moves_the_networks_answer_with_the_board(spec: str, instructions: str) -> None:
    rules = gv.parse(spec)
    encoder = Encoder(rules)
    network = random_network(encoder, 3, 16, 2)
    kernel = _kernel.KernelNetwork(asdict(network.shape), network.scales, network.tensors, instructions)
    board = board_under_symmetries(rules, encoder)
    levels, features = levels_of(encoder, rules, position_of(rules, 2))
    maps = gv.symmetries(rules)
    assert board.symmetries == len(maps) > 1
    points = len(rules.board)
    for symmetry, goes_to in enumerate(maps):
        moved = np.empty_like(levels)
        moved[:, goes_to] = levels
        expected = kernel.evaluate(board, moved.tobytes(), features)
        found = kernel.evaluate(board, levels.tobytes(), features, symmetry=symmetry)
        assert found["logits"] == [*(expected["logits"][there] for there in goes_to), *expected["logits"][points:]]
        assert found["owners"] == [expected["owners"][there] for there in goes_to if expected["owners"]]
        assert (found["values"], found["draw"], found["score"]) == tuple(
            expected[key] for key in ("values", "draw", "score")
        )
    with pytest.raises(ValueError, match="symmetry: the board was given fewer"):
        kernel.evaluate(board, levels.tobytes(), features, symmetry=len(maps))


@pytest.mark.parametrize(
    "maps", [[[0, 1, 2, 3], [0, 0, 2, 3]], [[0, 1, 2, 3], [0, 1, 2]], [[0, 1, 2, 3], [0, 1, 2, 4]]]
)
def test_symmetries_that_are_no_permutations_are_refused(maps: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="maps: expected permutations of the points"):
        _kernel.KernelNetworkBoard(4, 1, [0, 1, 2, 3], maps)


@pytest.mark.parametrize("spec", ["go:size=6", "pentalath", "rosette:n=2", "alter-igo:size=5", "pentalath:swap=true"])
def test_priors_of_the_root_are_those_of_the_mean_over_all_symmetries(spec: str) -> None:
    rules = gv.parse(spec)
    encoder = Encoder(rules)
    network = random_network(encoder, 3, 16, 2)
    position = position_of(rules, 2)
    asked = AskedFromPython(rules, network, encoder)
    board = board_under_symmetries(rules, encoder)
    levels, features = levels_of(encoder, rules, position)
    sums = np.sum(
        [
            asked.kernel.evaluate(board, levels.tobytes(), features, symmetry=symmetry)["logits"]
            for symmetry in range(board.symmetries)
        ],
        axis=0,
    )
    mean = [int(each / board.symmetries) for each in sums.tolist()]
    actions = encoder.actions.tolist()
    legal = set(rules.legal(position))
    mask = bytes(action in legal for action in actions)
    priors = _kernel.softmax([mean[column] for column in asked.columns], mask)
    found = gv.search(rules, position, playouts=64, seed=1, network=network)
    # Pentalath leaves out moves that do not prevent a five: what is left makes one.
    kept = {move: prior for move, prior in zip(actions, priors, strict=True) if move in found.priors}
    assert found.priors == pytest.approx({move: prior / sum(kept.values()) for move, prior in kept.items()})
    for fewer in (
        gv.search(rules, position, playouts=64, seed=1, network=network, symmetries=False),
        gv.search(rules, position, playouts=1, seed=1, network=network),
    ):
        assert fewer.priors != pytest.approx(found.priors)


def test_positions_visited_often_are_asked_about_again_and_counted_once() -> None:
    rules = gv.parse("go:size=5")
    network = random_network(Encoder(rules), 3, 16, 2)
    position = position_of(rules, 1)
    searched = gv.search(rules, position, playouts=500, seed=1, network=network)
    assert searched.playouts == sum(searched.visits.values()) == 500
    assert searched == gv.search(rules, position, playouts=500, seed=1, network=network)
    assert gv.search(rules, position, playouts=20_000, seed=1, network=network, memory_mb=1.0).playouts == 20_000


@pytest.mark.slow
@pytest.mark.parametrize("playouts", [1, 2, 900])
def test_threads_make_all_playouts_though_they_ask_again(playouts: int) -> None:
    rules = gv.parse("go:size=5")
    network = random_network(Encoder(rules), 3, 16, 2)
    for seed in range(100 if playouts > 2 else 300):
        found = gv.search(rules, rules.start(), playouts=playouts, seed=seed, network=network, threads=3)
        assert found.playouts == playouts


@pytest.mark.parametrize("spec", ["go:size=5", "rosette:n=2", "phantom:size=5", "aleago:size=5"])
def test_values_are_mixed_with_playout_results(spec: str) -> None:
    rules = gv.parse(spec)
    network = random_network(Encoder(gv.parse("go:size=5") if rules.profile.judged_as else rules), 3, 16, 2)
    points = len(rules.board)
    # Black has everything and three eyes: whatever the next move is, Black wins.
    eyes = (0, points // 2, points - 1)
    position = rules.start({point: gv.BLACK for point in range(points) if point not in eyes})

    def value(weight: float, equivalence: float = 0) -> float:
        settings: dict[str, Any] = {"playout_weight": weight, "playout_equivalence": equivalence}
        found = gv.search(rules, position, playouts=1, seed=1, network=network, **settings)
        return found.values[rules.colours.index(gv.BLACK)]

    assert value(1) == 1
    assert value(0.5) == pytest.approx((value(0) + 1) / 2)
    assert value(0) < 0.95
    # Two games, of the root and of a move; under dice there are more before the first move.
    if not isinstance(rules, DicedRules):
        assert value(1, equivalence=18) == pytest.approx(value(0) + (1 - value(0)) / 10)
    assert value(0) < value(1, equivalence=1e6) + 1e-4 < value(0.1)


def test_few_playouts_have_little_weight() -> None:
    rules = gv.parse("go:size=5")
    network = random_network(Encoder(rules), 4, 16, 2)

    def find(weight: float, **given: Any) -> gv.SearchResult:
        settings: dict[str, Any] = {"playouts": 20, "seed": 1, "score_weight": 0.0, "playout_weight": weight, **given}
        return gv.search(rules, rules.start(), network=network, **settings)

    alone, at_once, doubted, usual = (
        find(0),
        find(0.5, playout_equivalence=0.0),
        find(0.5, playout_equivalence=1e6),
        find(0.5),
    )
    # The network finds all even; one game is won or lost.
    once = [move for move, visits in at_once.visits.items() if visits == 1]
    assert all(abs(at_once.shares[move] - 0.5) > 0.1 for move in once)
    assert len(once) > 1
    assert all(abs(share - 0.5) < 0.05 for move, share in usual.shares.items() if usual.visits[move] <= 2)
    # If all that they say is doubted, it is the search without them.
    assert doubted.visits == alone.visits
    assert doubted.values == pytest.approx(alone.values, abs=1e-3)


def test_playouts_are_not_mixed_in_with_three_colours() -> None:
    rules = gv.parse("pentalath:players=3")
    network = random_network(Encoder(rules), 3, 16, 2)
    position = position_of(rules, 2)
    pure, mixed = (
        gv.search(rules, position, playouts=PLAYOUTS, seed=1, network=network, playout_weight=weight)
        for weight in (0, 1)
    )
    assert mixed == pure


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_contempt_divides_a_draw_between_the_colours(seat: int) -> None:
    rules = gv.parse("alter-igo:width=4,height=3")
    network = random_network(Encoder(rules), 3, 16, 2)
    position, move = position_with_a_drawing_move(rules, seat)

    def find(draw_value: float, playouts: int = 200) -> gv.SearchResult:
        return gv.search(rules, position, playouts=playouts, seed=1, network=network, draw_value=draw_value)

    worth_much, even, worth_nothing = (find(value) for value in ((1.0, 0.5, 0.0) if seat == 0 else (0.0, 0.5, 1.0)))
    assert worth_much.visits[move] > even.visits[move] > worth_nothing.visits[move]
    assert worth_much.action == move != worth_nothing.action
    # What is told counts it as half a game.
    assert worth_much.shares[move] == 0.5
    assert sum(worth_nothing.values) == pytest.approx(1)
    assert find(0.0, 1).values == find(1.0, 1).values
    assert find(0.5) == gv.search(rules, position, playouts=200, seed=1, network=network)


def position_with_a_drawing_move(rules: Rules, seat: int) -> tuple[Position, int]:
    """A position where a seat may draw by repetition, or play on."""
    for seed in range(2000):
        game = gv.Game(rules)
        for event in gv.random_game(rules, seed=seed, plies=200).events:
            position = game.position
            drawing = [move for move in rules.legal(position) if is_draw(rules, rules.play(position, move))]
            if len(drawing) == 1 and len(rules.legal(position)) > 3 and position.mover == rules.colours[seat]:
                return position, drawing[0]
            game.play(event.actor, event.action)
    raise AssertionError("no such position")


def is_draw(rules: Rules, position: Position) -> bool:
    outcome = rules.outcome(position)
    return outcome is not None and outcome.winner is None


def test_draws_count_alike_where_there_are_three_colours() -> None:
    rules = gv.parse("pentalath:players=3")
    network = random_network(Encoder(rules), 3, 16, 2)
    low, even = (
        gv.search(rules, rules.start(), playouts=PLAYOUTS, seed=1, network=network, draw_value=value)
        for value in (0.1, 0.5)
    )
    assert low == even


def test_games_played_on_follow_from_the_seed_and_two_threads_play_some_each() -> None:
    rules = gv.parse("alter-igo:size=5")
    network = random_network(Encoder(rules), 3, 16, 2)

    def values(seed: int, threads: int = 1) -> tuple[float, ...]:
        start = rules.start()
        found = gv.search(rules, start, playouts=200, seed=seed, threads=threads, network=network, playout_weight=0.5)
        return tuple(found.values)

    assert values(1) == values(1) != values(2)
    assert sum(values(1, threads=2)) == pytest.approx(1)


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=1d3", "rosette:n=2", "pentalath:swap=true"])
def test_calibration_raises_reported_odds_and_changes_nothing_else(spec: str) -> None:
    rules = gv.parse(spec)
    network = replace(random_network(Encoder(rules), 3, 16, 2), calibration=2.5)
    position = position_of(rules, 2)
    seen: list[gv.SearchResult] = []

    def look(now: Callable[[], gv.SearchResult]) -> bool:
        seen.append(now())
        return len(seen) < 3

    def find(**given: Any) -> gv.SearchResult:
        return gv.search(rules, position, playouts=PLAYOUTS, seed=1, network=network, **given)

    raw, usual = find(calibration=1.0), find()
    assert usual == raw.calibrate(2.5) != raw
    assert usual == replace(raw, values=usual.values, shares=usual.shares, calibration=2.5)
    # So is what is told while a search goes on.
    gv.search(rules, position, seconds=60, seed=1, network=network, calibration=1e6, on_progress=look)
    assert {round(value, 3) for found in seen if found.visits for value in found.values} <= {0, 0.5, 1}


def test_a_network_of_another_game_has_no_calibration_here() -> None:
    rules = gv.parse("phantom:size=5")
    network = replace(random_network(Encoder(gv.parse("go:size=5")), 3, 16, 2), calibration=4.0)
    thinker = gv.Thinker(rules, network=network, playouts=10)
    assert getattr(thinker.settings, "calibration", None) == 1
    assert getattr(gv.Thinker(gv.parse("go:size=5"), network=network, playouts=10).settings, "calibration", None) == 4


def test_values_are_reported_unchanged_without_calibration() -> None:
    rules = gv.parse("go:size=5")
    network = random_network(Encoder(rules), 3, 16, 2)
    asked = AskedFromPython(rules, network, Encoder(rules))
    raw = gv.search(rules, rules.start(), playouts=PLAYOUTS, seed=1, evaluator=asked)
    raised = gv.search(rules, rules.start(), playouts=PLAYOUTS, seed=1, evaluator=asked, calibration=2.0)
    assert raised == raw.calibrate(2)
    assert raised.values[0] / raised.values[1] == pytest.approx((raw.values[0] / raw.values[1]) ** 2)
