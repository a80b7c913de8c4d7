"""Valid answers of evaluators, and evaluators shared by several searches."""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.nets.evaluators import LeafBatch, judge
from tests.support.evaluators import Arbitrary, Even

RULES = gv.parse("go:size=3")
ACTIONS = 10


def two_leaves() -> LeafBatch:
    leaves = LeafBatch.allocate(gv.Encoder(RULES), 2)
    leaves.mask[:, :3] = True
    return leaves


class Fixed:
    batch = 2

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
        return self.answer


def change(array: Any, at: Any, value: float) -> Any:
    copy = array.copy()
    copy[at] = value
    return copy


PRIORS = np.ones((2, ACTIONS), np.float32)
VALUES = np.full((2, 2), 0.5, np.float32)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, r"evaluate: NoneType 'None': expected \(priors, values\)"),
        ((PRIORS,), r"expected \(priors, values\)"),
        ((PRIORS[:1], VALUES), r"priors: shape \(1, 10\): expected \(2, 10\)"),
        ((PRIORS, VALUES[:, 0]), r"values: shape \(2,\): expected \(2, 2\)"),
        (("many", VALUES), r"priors: str 'many': expected float32 \(2, 10\)"),
        (([[1, 2], [3]], VALUES), r"priors: list '\[\[1, 2\], \[3\]\]': expected float32"),
        ((change(PRIORS, (1, 2), np.nan), VALUES), r"priors\[1, 2\] = nan: expected finite numbers"),
        ((change(PRIORS, (0, 9), -0.5), VALUES), r"priors\[0, 9\] = -0.5: expected 0 or more"),
        ((change(PRIORS, (1, slice(3)), 0), VALUES), r"priors\[1\]: 0 on every action that may be played"),
        ((PRIORS, change(VALUES, (0, 1), np.inf)), r"values\[0, 1\] = inf: expected finite numbers"),
        ((PRIORS, change(VALUES, (1, 0), -1)), r"values\[1, 0\] = -1.0: expected 0 to 1"),
        ((PRIORS, VALUES, [1]), r"evaluate: extras list '\[1\]': expected a mapping"),
        ((PRIORS, VALUES, {"owner": VALUES}), "expected a mapping with ownership, score or both"),
        ((PRIORS, VALUES, {"ownership": np.full((2, 9), 2)}), r"ownership\[0, 0\] = 2.0: expected -1 to 1"),
        ((PRIORS, VALUES, {"score": np.zeros((2, 1))}), r"score: shape \(2, 1\): expected \(2,\)"),
    ],
)
def test_an_invalid_answer_is_reported(answer: object, message: str) -> None:
    with pytest.raises(gv.EvaluatorError, match=message):
        judge(Fixed(answer), two_leaves(), 2)


def test_priors_of_what_may_not_be_played_do_not_count() -> None:
    judged = judge(Fixed((PRIORS, VALUES + 0.0005)), two_leaves(), 2)
    assert np.array_equal(judged.priors[0], [1, 1, 1, *[0] * 7])
    found = gv.search(RULES, RULES.play(RULES.start(), 4), playouts=1, evaluator=Even(RULES))
    assert found.priors == pytest.approx(dict.fromkeys([0, 1, 2, 3, 5, 6, 7, 8, gv.PASS], 1 / 9))


def test_lists_and_doubles_will_do() -> None:
    judged = judge(Fixed((PRIORS.tolist(), VALUES.astype(np.float64))), two_leaves(), 2)
    assert judged.priors.dtype == judged.values.dtype == np.float32


def search_in_threads(shared: gv.SharedEvaluator, count: int, spec: str = "go:size=3") -> list[Any]:
    found: list[Any] = [None] * count
    rules = gv.parse(spec)

    def search(number: int) -> None:
        try:
            found[number] = gv.search(
                rules, rules.start(), playouts=40, seed=number, exploration=1.0 + number, evaluator=shared
            )
        except LookupError as error:
            found[number] = error

    threads = [threading.Thread(target=search, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return found


def test_searches_that_share_an_evaluator_find_what_each_would_alone() -> None:
    judging = Arbitrary(RULES, 8)
    found = search_in_threads(gv.SharedEvaluator(judging, 4), 4)
    for number, each in enumerate(found):
        alone = gv.search(
            RULES, RULES.start(), playouts=40, seed=number, exploration=1.0 + number, evaluator=Arbitrary(RULES, 2)
        )
        assert each == alone
    assert max(judging.asked) <= 8


class Gate:
    """An evaluator that keeps its first question until the gate is opened; it counts the rows of each."""

    def __init__(self, evaluator: Any) -> None:
        self.batch = evaluator.batch
        self.evaluator = evaluator
        self.asked: list[int] = []
        self.is_busy, self.is_open = threading.Event(), threading.Event()

    def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
        self.asked.append(len(mask))
        self.is_busy.set()
        assert self.is_open.wait(60)
        return self.evaluator.evaluate(planes, globals, mask, to_play)


def wait_for_questions(shared: gv.SharedEvaluator, count: int) -> None:
    while len(shared._waiting) < count:
        threading.Event().wait(0.001)


def run_behind_gate(shared: gv.SharedEvaluator, gate: Gate, count: int, run: Callable[[int], None]) -> None:
    """Run that in threads. The first one's first question is alone; all others wait before it is answered."""
    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    threads[0].start()
    assert gate.is_busy.wait(60)
    for waiting, thread in enumerate(threads[1:], 1):
        thread.start()
        wait_for_questions(shared, waiting)
    gate.is_open.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly a thread asks, the others wait for it."""
    monkeypatch.setattr("gtp_variants.ai.nets.evaluators._LEAST_PATIENCE_S", 50)
    monkeypatch.setattr("gtp_variants.ai.nets.evaluators._MOST_PATIENCE_S", 50)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("count", "searches", "batch", "rows"), [(64, 64, 64, 64), (64, 64, 256, 256), (8, 64, 64, 8), (1, 1, 4, 4)]
)
def test_shared_evaluator_asks_once_everybody_waits(count: int, searches: int, batch: int, rows: int) -> None:
    gate = Gate(Even(RULES, batch))
    shared = gv.SharedEvaluator(gate, searches)

    def ask(number: int) -> None:
        leaves = LeafBatch.allocate(gv.Encoder(RULES), shared.batch)
        # One question more of the thread that was first: all end with the same batch.
        for _ in range(20 + (number == 0)):
            shared.evaluate(leaves.planes, leaves.globals, leaves.mask, leaves.to_play)

    run_behind_gate(shared, gate, count, ask)
    assert gate.asked == [shared.batch, *[rows] * 20]


@pytest.mark.parametrize(("searches", "batch"), [(16, 16), (16, 64), (16, 5)])
def test_shared_evaluator_does_not_wait_long_for_ended_searches(searches: int, batch: int) -> None:
    gate = Gate(Even(RULES, batch))
    shared = gv.SharedEvaluator(gate, searches)
    found: list[int] = [0] * searches

    def search(number: int) -> None:
        playouts = 3 * number + 1
        found[number] = gv.search(RULES, RULES.start(), playouts=playouts, seed=number, evaluator=shared).playouts

    run_behind_gate(shared, gate, searches, search)
    assert found == [3 * number + 1 for number in range(searches)]
    assert max(gate.asked) <= batch


def test_shared_evaluator_takes_equal_shapes_together() -> None:
    gate = Gate(Fixed(None))
    gate.batch = 4
    shared = gv.SharedEvaluator(gate, 2)
    # Of planes, and of the mask: games may differ in one of them alone.
    shapes = [((2, 9), 4), ((2, 9), 4), ((2, 9), 5), ((2, 4), 4), ((2, 9), 4), ((2, 4), 4), ((2, 9), 5)]

    def ask(number: int) -> None:
        of_planes, actions = shapes[number]
        planes, mask = np.zeros((2, *of_planes), np.float32), np.ones((2, actions), np.bool_)
        with suppress(gv.EvaluatorError):
            shared.evaluate(planes, np.zeros((2, 1), np.float32), mask, np.ones(2, np.int8))

    run_behind_gate(shared, gate, len(shapes), ask)
    assert gate.asked == [2, 4, 4, 4]


def test_interrupted_search_leaves_the_others_their_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(Even(RULES, 8))
    shared = gv.SharedEvaluator(gate, 4)
    gather = shared._gather

    def interrupt(shape: tuple[int, ...]) -> None:
        if gate.asked:
            monkeypatch.setattr(shared, "_gather", gather)
            raise KeyboardInterrupt
        gather(shape)

    monkeypatch.setattr(shared, "_gather", interrupt)
    answers: list[Any] = [None] * 4

    def ask(number: int) -> None:
        leaves = two_leaves()
        try:
            answers[number] = shared.evaluate(leaves.planes, leaves.globals, leaves.mask, leaves.to_play)
        except KeyboardInterrupt as error:
            answers[number] = error

    run_behind_gate(shared, gate, 4, ask)
    assert isinstance(answers[1], KeyboardInterrupt)
    assert gate.asked == [2, 4]
    assert all(len(answers[number][0]) == 2 for number in (0, 2, 3))


def test_questions_waiting_for_a_busy_evaluator_form_one_batch() -> None:
    busy, waiting = threading.Event(), threading.Event()

    class Slow(Arbitrary):
        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            busy.set()
            assert waiting.wait(60)
            return *super().evaluate(planes, globals, mask, to_play), {"score": planes[:, 0, 0]}

    slow = Slow(RULES, 8)
    shared = gv.SharedEvaluator(slow, 4)
    assert shared.batch == 2
    answers: dict[int, Any] = {}

    def ask(number: int) -> None:
        leaves = two_leaves()
        leaves.planes[:] = number
        answers[number] = shared.evaluate(leaves.planes, leaves.globals, leaves.mask, leaves.to_play)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    threads[0].start()
    assert busy.wait(60)
    for thread in threads[1:]:
        thread.start()
    while len(shared._waiting) < 5:
        threading.Event().wait(0.001)
    waiting.set()
    for thread in threads:
        thread.join(60)
    assert slow.asked == [2, 8, 2]
    assert {number: list(extras["score"]) for number, (_, _, extras) in answers.items()} == {
        number: [number, number] for number in range(6)
    }


def test_an_evaluators_error_reaches_every_waiting_search() -> None:
    class Broken(Even):
        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            raise LookupError("broken")

    assert [str(error) for error in search_in_threads(gv.SharedEvaluator(Broken(RULES), 3), 3)] == ["broken"] * 3


WRONG: list[tuple[Callable[[int], object], str]] = [
    (lambda rows: None, r"evaluate: NoneType 'None': expected \(priors, values\)"),
    (lambda rows: (PRIORS,), r"expected \(priors, values\)"),
    (lambda rows: (PRIORS, VALUES, {}, {}), r"expected \(priors, values\)"),
    (lambda rows: (PRIORS[:1], VALUES), r"priors: shape \(1, 10\): expected \(\d, 10\)"),
    (lambda rows: ("many", VALUES), r"priors: str 'many': expected float32 \(\d, 10\)"),
    (lambda rows: (np.ones((rows, ACTIONS)), VALUES[:1, :]), r"values: shape \(1, 2\): expected \(\d, 2\)"),
    (lambda rows: (np.ones((rows, ACTIONS)), "few"), r"values: str 'few': expected float32 \(\d, (2|colours)\)"),
    (
        lambda rows: (np.ones((rows, ACTIONS)), np.ones((rows, 2)), 5),
        "evaluate: extras int '5': expected a mapping",
    ),
    (lambda rows: (np.ones((rows, ACTIONS)), np.full((rows, 2), -1)), r"values\[0, 0\] = -1.0: expected 0 to 1"),
]


@pytest.mark.parametrize(("answer", "message"), WRONG)
@pytest.mark.parametrize("count", [1, 3])
def test_a_shared_evaluator_reports_an_invalid_answer(
    answer: Callable[[int], object], message: str, count: int
) -> None:
    class Wrong:
        batch = 9

        def evaluate(self, planes: Any, globals: Any, mask: Any, to_play: Any) -> Any:
            return answer(len(mask))

    gate = Gate(Wrong())
    shared, caught = gv.SharedEvaluator(gate, count), []

    def ask(number: int) -> None:
        try:
            judge(shared, two_leaves(), 2)
        except gv.EvaluatorError as error:
            caught.append(error)

    # The first one asks alone, the others together.
    run_behind_gate(shared, gate, count, ask)
    assert gate.asked == ([2, 4] if count == 3 else [2])
    assert len(caught) == count
    for error in caught:
        assert re.search(message, str(error))


@pytest.mark.parametrize("batch", [0, -1, 2.5, True, None])
def test_a_shared_evaluator_rejects_a_batch_that_is_not_a_number(batch: Any) -> None:
    wrong = Fixed((PRIORS, VALUES))
    wrong.batch = batch
    for share in (lambda: gv.SharedEvaluator(wrong, 2), lambda: gv.search(RULES, RULES.start(), 9, evaluator=wrong)):
        with pytest.raises(gv.ConfigError, match=f"evaluator.batch={batch}: expected a whole number, 1 or more"):
            share()


def test_nobody_shares_with_less_than_one() -> None:
    with pytest.raises(gv.ConfigError, match="searches=0: expected 1 or more"):
        gv.SharedEvaluator(Even(RULES), 0)
