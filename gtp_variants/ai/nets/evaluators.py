"""The interface of evaluators, which judge positions for a search; checks of their answers; a shared evaluator."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Integral
from threading import Condition, Lock, get_ident
from time import monotonic
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.errors import ConfigError, EvaluatorError

Floats: TypeAlias = NDArray[np.float32]

# Rounding tolerance for values.
_ROUNDING = 1e-3
_FINITE = float(np.finfo(np.float32).max)
# A batch closes after some time without a new question: twice the time that the last batch took, within these limits.
_LEAST_PATIENCE_S = 0.005
_MOST_PATIENCE_S = 0.1


class Evaluator(Protocol):
    """Any object that judges positions: how good each move looks, and the value for each colour.

    `batch` is the number of positions that it wants at once. `evaluate` gets arrays for n positions, from 1 to `batch`:

    * `planes` float32 (n, planes, points) and `globals` float32 (n, G): the output of `Encoder.encode`
    * `mask` bool (n, A): the legal actions, by policy index (see `Encoder.actions`)
    * `to_play` int8 (n,): the colour to move

    The arrays are reused; copy anything you keep. `evaluate` returns

    * priors (n, A): a number for each action, 0 or more; priors of illegal actions are ignored, and the others divided
      by their sum
    * values (n, colours): each colour's share of the score, 1 for a win, 0 for a loss, in the order of `rules.colours`
    * optionally a mapping with "ownership" (n, points), from 1 for the first colour's points to -1 for the second's,
      and "score" (n,), the first colour's lead in points

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
    """Arrays with one row per position, which searches fill for an evaluator."""

    planes: Floats
    globals: Floats
    mask: NDArray[np.bool_]
    to_play: NDArray[np.int8]

    @classmethod
    def allocate(cls, encoder: Encoder, rows: int) -> "LeafBatch":
        """Return arrays for `rows` positions."""
        return cls(
            np.zeros((rows, len(encoder.planes), len(encoder.cells)), np.float32),
            np.zeros((rows, len(encoder.globals)), np.float32),
            np.zeros((rows, len(encoder.actions)), np.bool_),
            np.zeros(rows, np.int8),
        )

    def first(self, rows: int) -> "LeafBatch":
        """Return views of the first `rows` rows."""
        return LeafBatch(self.planes[:rows], self.globals[:rows], self.mask[:rows], self.to_play[:rows])


@dataclass(frozen=True, slots=True)
class Judgement:
    """A checked answer from an evaluator; `priors` of illegal actions are 0, `extras` holds ownership and score."""

    priors: Floats
    values: Floats
    extras: Mapping[str, Floats]


def batch_of(evaluator: Evaluator) -> int:
    """Return the number of positions an evaluator wants at once. Raises ConfigError if that number is invalid."""
    wanted: object = getattr(evaluator, "batch", None)
    if isinstance(wanted, bool) or not isinstance(wanted, Integral) or int(wanted) < 1:
        raise ConfigError([f"evaluator.batch={wanted!r}: expected a whole number, 1 or more"])
    return int(wanted)


def judge(evaluator: Evaluator, leaves: LeafBatch, colours: int) -> Judgement:
    """Return an evaluator's answer about positions, after checking it. Raises EvaluatorError if it is invalid."""
    answer = evaluator.evaluate(leaves.planes, leaves.globals, leaves.mask, leaves.to_play)
    told_priors, told_values, told_more = _parts_of(answer)
    rows, actions = leaves.mask.shape
    given = _numbers("priors", told_priors, (rows, actions), 0)
    priors = np.where(leaves.mask, given, np.float32(0))
    empty = np.flatnonzero(~(priors.sum(axis=1) > 0))
    if len(empty):
        raise EvaluatorError(f"priors[{empty[0]}]: 0 on every action that may be played: expected a sum above 0")
    values = _numbers("values", told_values, (rows, colours), 0, 1)
    return Judgement(priors, np.minimum(np.maximum(values, 0), 1), _check_extras(told_more, leaves))


def _parts_of(answer: object) -> tuple[ArrayLike, ArrayLike, object]:
    """Return priors, values and extras of an answer. Raises EvaluatorError if the answer is not a tuple of these."""
    if not isinstance(answer, tuple | list) or len(answer) not in (2, 3):
        raise EvaluatorError(f"evaluate: {_describe(answer)}: expected (priors, values) or (priors, values, mapping)")
    return answer[0], answer[1], answer[2] if len(answer) == 3 else {}


def _check_extras(given: object, leaves: LeafBatch) -> dict[str, Floats]:
    rows, _, points = leaves.planes.shape
    shapes = {"ownership": (rows, points), "score": (rows,)}
    if not isinstance(given, Mapping) or not set(given) <= set(shapes):
        raise EvaluatorError(f"evaluate: extras {_describe(given)}: expected a mapping with ownership, score or both")
    ranges = {"ownership": (-1, 1), "score": (None, None)}
    return {name: _numbers(name, value, shapes[name], *ranges[name]) for name, value in given.items()}


def _numbers(
    name: str, given: ArrayLike, shape: tuple[int | None, ...], least: int | None = None, most: int | None = None
) -> Floats:
    """Return part of an answer as an array; None in a shape means any length. Raises EvaluatorError if invalid."""
    try:
        array = np.ascontiguousarray(given, np.float32)
    except (TypeError, ValueError) as error:
        expected = str(shape).replace("None", "colours")
        raise EvaluatorError(f"{name}: {_describe(given)}: expected float32 {expected} ({error})") from None
    if array.ndim == len(shape):
        shape = tuple(has if wanted is None else wanted for has, wanted in zip(array.shape, shape, strict=True))
    if array.shape != shape:
        raise EvaluatorError(f"{name}: shape {array.shape}: expected {str(shape).replace('None', 'colours')}")
    above = -_FINITE if least is None else least - (0 if most is None else _ROUNDING)
    below = _FINITE if most is None else most + _ROUNDING
    # NaN fails this test too, because min and max propagate it.
    if array.size and not (above <= array.min() and array.max() <= below):
        _check(name, array, np.isfinite(array), "finite numbers")
        expected = f"{least} or more" if most is None else f"{least} to {most}"
        _check(name, array, (array >= above) & (array <= below), expected)
    return array


def _check(name: str, array: Floats, is_right: NDArray[np.bool_], expected: str) -> None:
    if not is_right.all():
        at = tuple(int(each) for each in np.argwhere(~is_right)[0])
        raise EvaluatorError(f"{name}{list(at)} = {array[at]}: expected {expected}")


def _describe(given: object) -> str:
    return f"{type(given).__name__} {str(given)[:40]!r}"


@dataclass(slots=True, eq=False)
class _Question:
    """The positions that one search asks about, and later the answer, or the exception raised instead.

    The search waits on `wake`, which is released when there is an answer or the search must lead. The search then wakes
    the `next` search of its batch: if all woke at once, they would only wait for the interpreter's lock.
    """

    leaves: LeafBatch
    thread: int = field(default_factory=get_ident)
    wake: Lock = field(default_factory=Lock)
    answer: object = None
    error: BaseException | None = None
    is_open: bool = True
    is_abandoned: bool = False
    next: "_Question | None" = None

    @property
    def rows(self) -> int:
        return len(self.leaves.to_play)

    @property
    def shape(self) -> tuple[int, ...]:
        leaves = self.leaves
        return leaves.planes.shape[1:] + leaves.globals.shape[1:] + leaves.mask.shape[1:]


class SharedEvaluator:
    """An evaluator for several searches, each in its own thread, that share batches.

    Each of the `searches` should ask about `batch` positions at once. Searches may be of different games if the
    evaluator supports that; only arrays of equal shape share a batch. An exception from the evaluator, or
    EvaluatorError for an invalid answer, is raised in every search of the batch. Raises ConfigError if `searches` or
    the evaluator's `batch` is below 1.

    A batch is complete when it is full, or when every search that got an answer has asked again. After a search ends,
    the others wait for it once, for about twice the time that the evaluator takes for a batch, but for at most 0.1 s.

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
        self._patience_s = _LEAST_PATIENCE_S
        # Guards the fields below; notified when the leader's batch is complete.
        self._queue = Condition(Lock())
        # The question whose thread will ask the evaluator: the oldest in the queue when it was chosen.
        self._leader: _Question | None = None
        self._waiting: list[_Question] = []
        self._rows: Counter[tuple[int, ...]] = Counter()
        # Threads that have received an answer and have not asked again.
        self._at_work: set[int] = set()

    def evaluate(
        self, planes: Floats, globals: Floats, mask: NDArray[np.bool_], to_play: NDArray[np.int8], /
    ) -> "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, Mapping[str, ArrayLike]]":
        """Return the evaluator's answer about these positions, batched with positions of other searches."""
        question = _Question(LeafBatch(planes, globals, mask, to_play))
        question.wake.acquire()
        try:
            self._join(question)
            if question is not self._leader:
                question.wake.acquire()
            if question is self._leader:
                self._gather(question.shape)
                self._answer(self._take(question.shape))
        finally:
            if question.is_open or question is self._leader:
                self._leave(question)
            if question.next is not None:
                question.next.wake.release()
        if question.error is not None:
            raise question.error
        return cast("tuple[ArrayLike, ArrayLike]", question.answer)

    def _join(self, question: _Question) -> None:
        """Queue a question; it leads if no other question does."""
        with self._queue:
            self._at_work.discard(question.thread)
            self._waiting.append(question)
            self._rows[question.shape] += question.rows
            if self._leader is None:
                self._leader = question
            elif self._is_complete(self._leader.shape):
                self._queue.notify()

    def _leave(self, question: _Question) -> None:
        """Remove a question that has been answered or interrupted; if it led, the next question takes over."""
        with self._queue:
            question.is_abandoned = question.is_open
            if question in self._waiting:
                self._waiting.remove(question)
                self._rows[question.shape] -= question.rows
            if self._leader is question:
                self._leader = self._waiting[0] if self._waiting else None
                if self._leader is not None:
                    self._leader.wake.release()

    def _is_complete(self, shape: tuple[int, ...]) -> bool:
        return not self._at_work or self._rows[shape] >= self._most

    def _gather(self, shape: tuple[int, ...]) -> None:
        """Wait until the batch is complete or no more questions arrive."""
        with self._queue:
            waiting = 0
            while not self._is_complete(shape):
                if waiting == len(self._waiting):
                    self._at_work.clear()
                    return
                waiting = len(self._waiting)
                self._queue.wait(self._patience_s)

    def _take(self, shape: tuple[int, ...]) -> list[_Question]:
        """Take the questions of a shape that have waited longest, up to the size of a batch."""
        taken: list[_Question] = []
        left: list[_Question] = []
        rows = 0
        with self._queue:
            for question in self._waiting:
                fits = question.shape == shape and (not taken or rows + question.rows <= self._most)
                (taken if fits else left).append(question)
                rows += question.rows if fits else 0
            self._waiting = left
            self._rows[shape] -= rows
        return taken

    def _answer(self, questions: Sequence[_Question]) -> None:
        begun = monotonic()
        all_leaves = [question.leaves for question in questions]
        try:
            together = [
                np.concatenate(arrays) if len(questions) > 1 else arrays[0]
                for arrays in zip(
                    *((each.planes, each.globals, each.mask, each.to_play) for each in all_leaves), strict=True
                )
            ]
            answer = self._evaluator.evaluate(*together)
            # A search that is alone in its batch checks its own answer, so only shared answers are checked here.
            answers = [answer] if len(questions) == 1 else _divide(answer, LeafBatch(*together), questions)
            for question, its_own in zip(questions, answers, strict=True):
                question.answer = its_own
        except BaseException as error:
            for question in questions:
                question.error = error
        self._patience_s = min(max(_LEAST_PATIENCE_S, 2 * (monotonic() - begun)), _MOST_PATIENCE_S)
        with self._queue:
            present = [question for question in questions if not question.is_abandoned]
            self._at_work.update(question.thread for question in present if question.error is None)
            for question, following in pairwise(present):
                question.next = following
            for question in questions:
                question.is_open = False


def _divide(answer: object, together: LeafBatch, questions: Sequence[_Question]) -> list[object]:
    """Divide an answer among the questions. Raises EvaluatorError if the answer is invalid."""
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
