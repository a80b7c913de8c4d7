"""What judges positions for a search: any object with `batch` and `evaluate`; its answers are checked here.

`SharedEvaluator` lets several searches in threads share one, with batches made of what all of them ask.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from threading import Lock
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gtp_variants.errors import ConfigError, EvaluatorError
from gtp_variants.nets.encoder import Encoder

Floats: TypeAlias = NDArray[np.float32]

# Values may miss their range by this much, which is what rounding makes.
_ROUNDING = 1e-3


class Evaluator(Protocol):
    """Anything that can judge positions: how good each move looks, and what the position is worth to each colour.

    `batch` is how many positions it wants at once. `evaluate` gets arrays of n positions, 1 to `batch`:

    * `planes` float32 (n, planes, points) and `globals` float32 (n, G): what `Encoder.encode` gives
    * `mask` bool (n, A): which actions may be played, by the policy indices of `Encoder.actions`
    * `to_play` int8 (n,): the colour whose turn it is

    They are filled anew for the next call: copy what is kept. It answers with

    * priors (n, A): a number for each action, 0 or more. Those of actions that may not be played do not count, the
      others are divided by their sum
    * values (n, colours): the share of the score each colour will get, 1 for a win, 0 for a loss; in the order of
      `rules.colours`, whoever is to play
    * if it likes, a mapping with "ownership" (n, points): 1 where a point will be the first colour's, -1 the second's;
      and "score" (n,): the points by which the first colour will lead

    >>> import gtp_variants as gv
    >>> import numpy as np
    >>> rules = gv.parse("go:size=5")
    >>> class Even:
    ...     batch = 8
    ...     def evaluate(self, planes, globals, mask, to_play):
    ...         return np.ones(mask.shape), np.full((len(mask), 2), 0.5)
    >>> found = gv.search(rules, rules.start(), playouts=100, seed=1, evaluator=Even())
    >>> sum(found.visits.values()), [round(value, 2) for value in found.values]
    (100, [0.5, 0.5])
    """

    batch: int

    def evaluate(
        self, planes: Floats, globals: Floats, mask: NDArray[np.bool_], to_play: NDArray[np.int8], /
    ) -> "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, Mapping[str, ArrayLike]]": ...


@dataclass(frozen=True, slots=True)
class LeafBatch:
    """Arrays that searches write positions into, a row each, for an evaluator."""

    planes: Floats
    globals: Floats
    mask: NDArray[np.bool_]
    to_play: NDArray[np.int8]

    @classmethod
    def allocate(cls, encoder: Encoder, rows: int) -> "LeafBatch":
        """Room for so many positions."""
        return cls(
            np.zeros((rows, len(encoder.planes), len(encoder.cells)), np.float32),
            np.zeros((rows, len(encoder.globals)), np.float32),
            np.zeros((rows, len(encoder.actions)), np.bool_),
            np.zeros(rows, np.int8),
        )

    def first(self, rows: int) -> "LeafBatch":
        """The first rows, as views."""
        return LeafBatch(self.planes[:rows], self.globals[:rows], self.mask[:rows], self.to_play[:rows])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an evaluator answered, checked: see `Evaluator`. `priors` are divided by their sums, `extras` by name."""

    priors: Floats
    values: Floats
    extras: Mapping[str, Floats]


def batch_of(evaluator: Evaluator) -> int:
    """How many positions an evaluator wants at once. Raises ConfigError if that is no number of positions."""
    wanted: object = getattr(evaluator, "batch", None)
    if isinstance(wanted, bool) or not isinstance(wanted, Integral) or int(wanted) < 1:
        raise ConfigError([f"evaluator.batch={wanted!r}: expected a whole number, 1 or more"])
    return int(wanted)


def judge(evaluator: Evaluator, leaves: LeafBatch, colours: int) -> Judgement:
    """Ask an evaluator about positions. Raises EvaluatorError for an answer that is none, and whatever it raises."""
    answer = evaluator.evaluate(leaves.planes, leaves.globals, leaves.mask, leaves.to_play)
    told_priors, told_values, told_more = _parts_of(answer)
    rows, actions = leaves.mask.shape
    given = _numbers("priors", told_priors, (rows, actions))
    _check("priors", given, given >= 0, "0 or more")
    priors = np.where(leaves.mask, given, np.float32(0))
    empty = np.flatnonzero(~(priors.sum(axis=1) > 0))
    if len(empty):
        raise EvaluatorError(f"priors[{empty[0]}]: 0 on every action that may be played: expected a sum above 0")
    values = _numbers("values", told_values, (rows, colours))
    _check_range("values", values, 0, 1)
    return Judgement(priors, np.clip(values, 0, 1), _check_extras(told_more, leaves))


def _parts_of(answer: object) -> tuple[ArrayLike, ArrayLike, object]:
    """Priors, values and what was said beyond them. Raises EvaluatorError for what is no answer."""
    if not isinstance(answer, tuple | list) or len(answer) not in (2, 3):
        raise EvaluatorError(f"evaluate: {_describe(answer)}: expected (priors, values) or (priors, values, mapping)")
    return answer[0], answer[1], answer[2] if len(answer) == 3 else {}


def _check_extras(given: object, leaves: LeafBatch) -> dict[str, Floats]:
    rows, _, points = leaves.planes.shape
    shapes = {"ownership": (rows, points), "score": (rows,)}
    if not isinstance(given, Mapping) or not set(given) <= set(shapes):
        raise EvaluatorError(f"evaluate, third: {_describe(given)}: expected a mapping with ownership, score or both")
    extras = {name: _numbers(name, value, shapes[name]) for name, value in given.items()}
    if "ownership" in extras:
        _check_range("ownership", extras["ownership"], -1, 1)
    return extras


def _numbers(name: str, given: ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """The array of an answer; None in a shape is any length.

    Raises EvaluatorError unless it has this shape and finite numbers.
    """
    try:
        array = np.ascontiguousarray(given, np.float32)
    except (TypeError, ValueError) as error:
        expected = str(shape).replace("None", "colours")
        raise EvaluatorError(f"{name}: {_describe(given)}: expected float32 {expected} ({error})") from None
    if array.ndim == len(shape):
        shape = tuple(has if wanted is None else wanted for has, wanted in zip(array.shape, shape, strict=True))
    if array.shape != shape:
        raise EvaluatorError(f"{name}: shape {array.shape}: expected {str(shape).replace('None', 'colours')}")
    _check(name, array, np.isfinite(array), "finite numbers")
    return array


def _check_range(name: str, array: Floats, least: int, most: int) -> None:
    _check(name, array, (array >= least - _ROUNDING) & (array <= most + _ROUNDING), f"{least} to {most}")


def _check(name: str, array: Floats, is_right: NDArray[np.bool_], expected: str) -> None:
    if not is_right.all():
        at = tuple(int(each) for each in np.argwhere(~is_right)[0])
        raise EvaluatorError(f"{name}{list(at)} = {array[at]}: expected {expected}")


def _describe(given: object) -> str:
    return f"{type(given).__name__} {str(given)[:40]!r}"


@dataclass(slots=True, eq=False)
class _Question:
    """What one search waits for: its positions, then the answer to them or what was raised instead."""

    leaves: LeafBatch
    answer: object = None
    error: BaseException | None = None
    is_open: bool = True


class SharedEvaluator:
    """An evaluator for several searches in threads: what they ask while it is busy becomes its next batch.

    `searches` is how many share it: each is to ask about that part of a batch at once. They may be of different games
    if the evaluator takes them; only equal shapes come into one batch. What the evaluator raises is raised by every
    search whose positions were in the batch, and so is EvaluatorError for an answer that is none. Raises ConfigError if
    `searches` or the evaluator's `batch` is below 1.

    >>> import gtp_variants as gv
    >>> import numpy as np
    >>> rules = gv.parse("go:size=5")
    >>> class Even:
    ...     batch = 8
    ...     def evaluate(self, planes, globals, mask, to_play):
    ...         return np.ones(mask.shape), np.full((len(mask), 2), 0.5)
    >>> shared = gv.SharedEvaluator(Even(), searches=2)
    >>> [gv.search(rules, rules.start(), playouts=50, seed=seed, evaluator=shared).playouts for seed in (1, 2)]
    [50, 50]
    """

    def __init__(self, evaluator: Evaluator, searches: int) -> None:
        if searches < 1:
            raise ConfigError([f"searches={searches}: expected 1 or more"])
        self._most = batch_of(evaluator)
        self.batch = max(1, self._most // searches)
        self._evaluator = evaluator
        self._waiting: list[_Question] = []
        self._queue = Lock()
        # Held by the thread that asks the evaluator.
        self._turn = Lock()

    def evaluate(
        self, planes: Floats, globals: Floats, mask: NDArray[np.bool_], to_play: NDArray[np.int8], /
    ) -> "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, Mapping[str, ArrayLike]]":
        """What the evaluator answers about these positions, asked together with those of other searches."""
        question = _Question(LeafBatch(planes, globals, mask, to_play))
        with self._queue:
            self._waiting.append(question)
        while question.is_open:
            # Whoever gets the turn asks for all who wait by then; the others find their answer when they get it.
            with self._turn:
                if question.is_open:
                    self._answer(self._take())
        if question.error is not None:
            raise question.error
        return cast("tuple[ArrayLike, ArrayLike]", question.answer)

    def _take(self) -> list[_Question]:
        """The questions that have waited longest, as many of one shape as the evaluator wants at once."""
        taken: list[_Question] = []
        with self._queue:
            shape, rows = self._waiting[0].leaves.planes.shape[1:], 0
            for question in self._waiting:
                rows += len(question.leaves.to_play)
                if taken and (question.leaves.planes.shape[1:] != shape or rows > self._most):
                    break
                taken.append(question)
            del self._waiting[: len(taken)]
        return taken

    def _answer(self, questions: Sequence[_Question]) -> None:
        all_leaves = [question.leaves for question in questions]
        together = [
            np.concatenate(arrays) if len(questions) > 1 else arrays[0]
            for arrays in zip(
                *((each.planes, each.globals, each.mask, each.to_play) for each in all_leaves), strict=True
            )
        ]
        try:
            answer = self._evaluator.evaluate(*together)
            # Whoever asked alone looks at the answer to its own question.
            answers = [answer] if len(questions) == 1 else _divide(answer, LeafBatch(*together), questions)
            for question, its_own in zip(questions, answers, strict=True):
                question.answer = its_own
        except BaseException as error:
            for question in questions:
                question.error = error
        for question in questions:
            question.is_open = False


def _divide(answer: object, together: LeafBatch, questions: Sequence[_Question]) -> list[object]:
    """The part of an answer that is to each question. Raises EvaluatorError for an answer that is none."""
    told_priors, told_values, told_more = _parts_of(answer)
    priors = _numbers("priors", told_priors, together.mask.shape)
    values = _numbers("values", told_values, (len(priors), None))
    named = _check_extras(told_more, together)
    parts: list[object] = []
    begin = 0
    for question in questions:
        rows = slice(begin, begin := begin + len(question.leaves.to_play))
        parts.append((priors[rows], values[rows], {name: value[rows] for name, value in named.items()}))
    return parts
