"""The learner: its losses are those of the integer network, its gradients lead downhill, threads change nothing."""

from dataclasses import astuple, replace

import numpy as np
import pytest
from numpy.typing import NDArray

import gtp_variants as gv
from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets import reference
from gtp_variants.ai.nets.encoder import Encoder
from tests.ai.nets.networks import random_network, shape_for

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.training.batch import LossWeights, SampleBatch
from gtp_variants.training.pytorch.forward_pass import GatheredConvolution, LayerLayout
from gtp_variants.training.pytorch.learner import Learner

SPECS = ["go:size=5", "pentalath", "pentalath:players=3", "rosette:n=3", "phantom:size=5"]
HEADS = ("later.points.weight", "later.points.bias", "later.board.weight", "later.board.bias")


def batch_of(encoder: Encoder, count: int, seed: int) -> SampleBatch:
    """Positions of random games with targets drawn by chance."""
    rng = np.random.default_rng(seed)
    rules, points = encoder.rules, len(encoder.taps)
    seen = [encoder.encode_levels(gv.random_game(rules, seed=i, plies=i % 12).position) for i in range(count)]
    mask = (rng.random((count, points + 2)) < 0.7).astype(np.uint8)
    mask[:, 0] = 1
    policy = (rng.random(mask.shape) ** 4 * mask).astype(np.float32)
    later = np.random.default_rng(seed + 1)
    ends = np.eye(len(rules.colours) + 1, dtype=np.float32)[rng.integers(0, len(rules.colours), count)]
    return SampleBatch(
        np.array([levels for levels, _ in seen]),
        np.array([features for _, features in seen]),
        mask,
        policy / policy.sum(1, keepdims=True),
        ends,
        rng.uniform(0.5, 1.5, count).astype(np.float32),
        later.integers(-1, points + 2, count).astype(np.int32),
        later.dirichlet(np.ones(len(rules.colours) + 1), count).astype(np.float32),
        rng.integers(-1, 2, (count, points)).astype(np.int8),
        rng.normal(0, 10, count).astype(np.float32),
        rng.integers(0, 2, (count, points)).astype(np.int8),
    )


def row_of(batch: SampleBatch, row: int) -> SampleBatch:
    changes = {name: None if array is None else array[row : row + 1].copy() for name, array in batch.rows().items()}
    return replace(batch, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", SPECS)
def test_losses_are_those_of_the_integer_network(spec: str) -> None:
    encoder = Encoder(gv.parse(spec))
    learner = Learner(encoder, shape_for(encoder), seed=5)
    batch = batch_of(encoder, 3, seed=1)
    network = learner.network()
    for row in range(3):
        found = learner.learn(row_of(batch, row))
        outputs = reference.evaluate(network, encoder.taps, batch.planes[row], batch.globals[row])
        logits = np.where(batch.mask[row], outputs["logits"] / 4096, -np.inf)
        logits = logits - logits.max()
        log_shares = logits - np.log(np.exp(logits).sum())
        aim = batch.policy[row]
        assert found.policy == pytest.approx(-(aim[aim > 0] * log_shares[aim > 0]).sum(), rel=1e-5)
        ends = (outputs["board"][2 : 2 + network.shape.colours + 1] >> 4) / 4096
        log_ends = ends - ends.max() - np.log(np.exp(ends - ends.max()).sum())
        assert found.value == pytest.approx(-(batch.ends[row] * log_ends).sum(), rel=1e-4)


def slope_ratios(encoder: Encoder, seed: int) -> list[float]:
    """For each tensor how much the loss changes along its gradient, by what the gradient says."""
    learner = Learner(encoder, shape_for(encoder), seed)
    batch = batch_of(encoder, 96, seed=2)
    for _ in range(10):
        learner.learn(batch)
        learner.step(2e-3, decay=0, average=0.9)
    state = np.frombuffer(learner.state(), np.float32)
    count = (len(state) - 2) // 4

    def loss_at(weights: NDArray[np.floating]) -> float:
        moved = state.copy()
        moved[:count] = weights
        other = Learner(encoder, shape_for(encoder), seed)
        other.restore(moved.tobytes())
        weighted = zip(astuple(other.learn(batch)), astuple(LossWeights()), strict=True)
        return float(sum(loss * weight for loss, weight in weighted) * batch.weight.sum())

    # From weights that are whole steps already, the steepest few by two steps each: rounding plays no part.
    base = np.round(state[:count] * 128) / 128
    start = state.copy()
    start[:count] = base
    learner.restore(start.tobytes())
    learner.learn(batch)
    gradients = learner.gradients()
    ratios = []
    at = 0
    for values in gradients.values():
        gradient = np.array(values, np.float32)
        steepest = np.abs(gradient).argsort()[-12:]
        step = np.zeros(count, np.float32)
        step[at + steepest] = np.sign(gradient[steepest]) / 64
        change = loss_at(base + step) - loss_at(base - step)
        ratios.append(change / (2 * float(step[at : at + len(gradient)] @ gradient)))
        at += len(gradient)
    assert at == count
    return ratios


@pytest.mark.long
@pytest.mark.parametrize("spec", ["go:size=5", "rosette:n=3", "phantom:size=5"])
def test_gradients_lead_downhill(spec: str) -> None:
    """Rounding makes the ratios of single tensors differ, and from some first weights most of them together."""
    encoder = Encoder(gv.parse(spec))
    found = [slope_ratios(encoder, seed) for seed in range(1, 6)]
    fits = [
        0.8 < float(np.median(ratios)) < 1.2 and np.mean([0.4 < ratio < 1.8 for ratio in ratios]) > 0.85
        for ratios in found
    ]
    assert sum(fits) >= 3, found


def test_the_number_of_threads_changes_nothing() -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    learners = [Learner(encoder, shape_for(encoder), seed=3, threads=threads) for threads in (1, 2, 5)]
    for step in range(3):
        for learner in learners:
            learner.learn(batch_of(encoder, 40, seed=step))
            learner.step(1e-3)
    assert len({learner.state() for learner in learners}) == 1
    assert len({learner.network().tensors["stem.weight"] for learner in learners}) == 1


def test_a_learner_continues_from_its_state() -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    whole, first = (Learner(encoder, shape_for(encoder), seed=3) for _ in range(2))
    for step in range(4):
        whole.learn(batch_of(encoder, 20, seed=step))
        whole.step(1e-3)
    for step in range(2):
        first.learn(batch_of(encoder, 20, seed=step))
        first.step(1e-3)
    second = Learner(encoder, shape_for(encoder), seed=99)
    second.restore(first.state())
    for step in (2, 3):
        second.learn(batch_of(encoder, 20, seed=step))
        second.step(1e-3)
    assert second.state() == whole.state()
    with pytest.raises(ValueError, match="expected a state of this network"):
        second.restore(b"1234")


def test_state_holds_weights_by_tap_input_and_output_then_their_mean_moments_and_steps() -> None:
    """Folders of earlier versions, of which those of Go Fantôme continue, have it in this form, too."""
    encoder = Encoder(gv.parse("phantom:size=5"))
    learner = Learner(encoder, shape_for(encoder, 16, 1), seed=3)
    known = random_network(encoder, 4, 16, 1)
    mean = []
    for name, whole in reference.tensors_of(known).items():
        unit = 7 if name.endswith("weight") else 16 if name in ("dense.bias", "board.bias") else 12
        mean.append(np.moveaxis(whole, 0, -1).ravel() / 2**unit)
    weights = np.concatenate(mean).astype(np.float32)
    state = np.concatenate([weights / 2, weights, weights / 4, weights**2, [1, 5]]).astype(np.float32).tobytes()
    learner.restore(state)
    assert learner.network().tensors == known.tensors
    # The heads for later turns, which those versions did not have, begin as in a new training.
    old, found, new = (
        np.frombuffer(each[:-8], np.float32).reshape(4, -1)
        for each in (state, learner.state(), Learner(encoder, shape_for(encoder, 16, 1), seed=3).state())
    )
    assert np.array_equal(found[:, : len(weights)], old)
    assert np.array_equal(found[:, len(weights) :], new[:, len(weights) :])
    assert found[:2, len(weights) :].any(axis=1).all()
    assert not found[2:, len(weights) :].any()
    again = Learner(encoder, shape_for(encoder, 16, 1), seed=99)
    again.restore(learner.state())
    assert again.state() == learner.state()
    learner.learn(batch_of(encoder, 8, seed=1))
    learner.step(1e-3)
    assert np.frombuffer(learner.state(), np.float32)[-2:].tolist() == [1, 6]


@pytest.mark.parametrize("spec", ["go:size=5", "pentalath:players=3"])
def test_heads_for_later_turns_are_the_last_tensors_and_learn_their_targets(spec: str) -> None:
    encoder = Encoder(gv.parse(spec))
    points, ends = len(encoder.taps), len(encoder.rules.colours) + 1
    shape = shape_for(encoder, 16, 1)
    learner = Learner(encoder, shape, seed=3)
    sizes = {name: len(values) for name, values in learner.gradients().items()}
    assert [*sizes][: -len(HEADS)] == [*shape.tensors()]
    assert {name: sizes[name] for name in HEADS} == {
        "later.points.weight": 16,
        "later.points.bias": 1,
        "later.board.weight": (2 + ends) * shape.hidden,
        "later.board.bias": 2 + ends,
    }
    # With weights of 0 the outputs are the biases: 1/4 for each point, 1/2 for PASS, 0 for SWAP, then 1, 2 and so on.
    state = np.frombuffer(learner.state(), np.float32).copy()
    count = sum(sizes.values())
    head = state[:count][-sum(sizes[name] for name in HEADS) :]
    head[:] = 0
    head[16] = 1 / 4
    head[-ends - 2 :] = [1 / 2, 0, *range(1, ends + 1)]
    learner.restore(state.tobytes())
    batch = row_of(batch_of(encoder, 1, seed=1), 0)
    whole = np.log(points * np.exp(1 / 4) + np.exp(1 / 2) + 1)
    for reply, logit in ((0, 1 / 4), (points - 1, 1 / 4), (points, 1 / 2), (points + 1, 0)):
        found = learner.learn(replace(batch, reply=np.array([reply], np.int32)))
        assert found.reply == pytest.approx(whole - logit, rel=1e-5)
    assert learner.learn(replace(batch, reply=np.array([-1], np.int32))).reply == 0
    shares = batch.short_term_ends[0].astype(float)
    expected = np.log(np.exp(np.arange(1, ends + 1)).sum()) - (shares * np.arange(1, ends + 1)).sum()
    assert found.short_term_value == pytest.approx(expected, rel=1e-5)


def test_the_network_knows_later_turns_only_by_what_their_heads_teach() -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    batch = batch_of(encoder, 20, seed=1)
    other = replace(batch, reply=batch.reply[::-1].copy(), short_term_ends=batch.short_term_ends[::-1].copy())
    found = []
    for weights in (LossWeights(reply=0, short_term_value=0), LossWeights()):
        for each in (batch, other):
            learner = Learner(encoder, shape_for(encoder), seed=3)
            learner.learn(each, weights=weights)
            learner.step(1e-2)
            network = learner.network()
            assert network.tensors.keys() == learner.shape.tensors().keys()
            found.append(network.tensors)
    assert found[0] == found[1]
    assert found[2] != found[3]


def test_heads_for_later_turns_begin_at_random_beside_a_known_network() -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    fresh, begun = (Learner(encoder, shape_for(encoder), seed=3) for _ in range(2))
    begun.begin_from(random_network(encoder, 4))
    count = sum(len(values) for name, values in begun.gradients().items() if name in HEADS)
    heads = [np.frombuffer(learner.state()[:-8], np.float32).reshape(4, -1)[:, -count:] for learner in (fresh, begun)]
    assert np.array_equal(heads[0], heads[1])
    assert begun.network().tensors == random_network(encoder, 4).tensors


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=6"])
def test_boards_of_squares_learn_the_same_as_pictures_and_point_by_point(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Encoder(gv.parse(spec))
    shape, batch = shape_for(encoder), batch_of(encoder, 40, seed=2)
    found = []
    for is_picture in (True, False):
        if not is_picture:
            monkeypatch.setattr(LayerLayout, "is_picture", lambda layout, sizes: False)
            monkeypatch.setattr(
                LayerLayout, "convolution", lambda layout, seen, device: GatheredConvolution(seen.taps, device)
            )
        learner = Learner(encoder, shape, seed=3)
        found.append((astuple(learner.learn(batch)), learner.gradients()))
    (losses, gradients), (others_losses, others) = found
    assert losses == pytest.approx(others_losses, rel=1e-6)
    steepest = max(np.abs(each).max() for each in gradients.values())
    for name, each in gradients.items():
        assert np.allclose(each, others[name], atol=1e-5 * steepest), name


@pytest.mark.slow
def test_the_learner_learns_what_the_planes_show() -> None:
    """The policy aims at the last stone's point, the value at the colour of most stones: both are in the planes."""
    rules = gv.parse("go:size=5")
    encoder = Encoder(rules)
    batch = batch_of(encoder, 128, seed=4)
    own, other = (encoder.planes.index(name) for name in ("own", "next"))
    stones = batch.planes[:, own].astype(int) - batch.planes[:, other]
    mask = np.ones_like(batch.mask)
    policy = np.zeros_like(batch.policy)
    policy[np.arange(128), stones.argmax(1)] = 1
    ends = np.eye(3, dtype=np.float32)[(stones.sum(1) < 0).astype(int)]
    batch = replace(batch, mask=mask, policy=policy, ends=ends, owners=np.where(stones > 0, 1, -1).astype(np.int8))
    learner = Learner(encoder, shape_for(encoder, blocks=2), seed=1)
    first = learner.learn(batch)
    for _ in range(60):
        learner.step(3e-3)
        last = learner.learn(batch)
    assert last.policy < 0.5 < 2 < first.policy
    assert last.value < 0.1
    assert last.owners < 0.4 < first.owners


def test_arrays_of_another_size_are_refused() -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    learner = Learner(encoder, shape_for(encoder), seed=1)
    batch = batch_of(encoder, 4, seed=1)
    with pytest.raises(ValueError, match="mask: expected 108 numbers, not 104"):
        learner.learn(replace(batch, mask=batch.mask[:, :-1].copy()))
    other = Encoder(gv.parse("go:size=6"))
    with pytest.raises(ValueError, match="planes: expected"):
        learner.learn(batch, other)


def test_more_threads_than_there_is_work_for_do_no_harm() -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    batch = batch_of(encoder, 2, seed=1)
    few, many = (Learner(encoder, shape_for(encoder, 16, 0), 1, threads) for threads in (1, 1_000_000))
    assert few.learn(batch) == many.learn(batch)


def test_a_network_begins_with_what_another_knows() -> None:
    go, aleago = Encoder(gv.parse("go:size=5")), Encoder(gv.parse("aleago:size=5"))
    known = random_network(go, 3)
    learner = Learner(aleago, shape_for(aleago), seed=1)
    learner.begin_from(known)
    begun = learner.network()
    assert begun.tensors["blocks.0.first.weight"] == known.tensors["blocks.0.first.weight"]
    assert begun.tensors["dense.bias"] == known.tensors["dense.bias"]
    mine = np.frombuffer(begun.tensors["stem.weight"], np.int8).reshape(32, 9, -1)
    theirs = np.frombuffer(known.tensors["stem.weight"], np.int8).reshape(32, 9, -1)
    for at, plane in enumerate(aleago.planes):
        expected = theirs[..., go.planes.index(plane)] if plane in go.planes else 0
        assert (mine[..., at] == expected).all()


def test_a_network_with_other_neighbours_is_no_beginning() -> None:
    pentalath, go = Encoder(gv.parse("pentalath")), Encoder(gv.parse("go:size=5"))
    with pytest.raises(ValueError, match="a network for go from one for pentalath: taps is 7, expected 9"):
        Learner(go, shape_for(go), seed=1).begin_from(random_network(pentalath, 3))


@pytest.mark.parametrize("spec", ["go:size=5", "pentalath:players=3", "phantom:size=5"])
@pytest.mark.parametrize(("channels", "blocks"), [(48, 4), (32, 6), (64, 5)])
def test_a_larger_network_begins_with_what_a_smaller_one_says(spec: str, channels: int, blocks: int) -> None:
    encoder = Encoder(gv.parse(spec))
    known = random_network(encoder, 3)
    learner = Learner(encoder, shape_for(encoder, channels, blocks), seed=1)
    learner.begin_from(known)
    begun = learner.network()
    for plies in range(5):
        seen = encoder.encode_levels(gv.random_game(encoder.rules, seed=plies, plies=plies).position)
        before, after = (reference.evaluate(each, encoder.taps, *seen) for each in (known, begun))
        assert all((before[name] == after[name]).all() for name in before)
    # What is new takes part as soon as something is learnt, in a step as large as a training takes.
    learner.learn(batch_of(encoder, 32, seed=2))
    learner.step(1e-3)
    learner.learn(batch_of(encoder, 32, seed=3))
    added = np.frombuffer(begun.tensors["blocks.1.first.weight"], np.int8).reshape(channels, -1, channels)
    assert channels == 32 or added[32:].any()
    grads = np.array(learner.gradients()["blocks.1.first.weight"])
    assert np.count_nonzero(grads) > 0.5 * grads.size


def test_a_smaller_network_cannot_begin_with_a_larger_one() -> None:
    encoder = Encoder(gv.parse("go:size=5"))
    with pytest.raises(ValueError, match="with 3 blocks of 32 channels from a larger network: 4 blocks of 32"):
        Learner(encoder, shape_for(encoder, 32, 3), seed=1).begin_from(random_network(encoder, 3))
