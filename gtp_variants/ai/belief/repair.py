"""Repairing a hypothesis about hidden stones until it agrees with everything the seat has heard.

A hypothesis assigns a point to every stone of the other side. The news that it would produce is compared with the
actual news, observation by observation. Each difference is a conflict with a cost. Min-conflicts repair (Minton et al.,
"Minimizing conflicts", 1992) picks one conflict and moves a stone involved in it. Steps that add conflicts are accepted
with the Metropolis probability. Conflicts that last gain weight, which leads the repair out of local minima (clause
weighting: Morris, "The breakout method", 1993). Only observations affected by a step are compared again.
"""

from bisect import bisect_left
from collections.abc import Sequence
from math import exp, log

from gtp_variants.ai.belief.observations import PLACING, Mismatch, Observation, ObservationHistory, ObservationKind
from gtp_variants.base.interruption import ShouldStop, never
from gtp_variants.base.rng import Rng
from gtp_variants.rules.actions import EMPTY

# Metropolis temperature, in units of one unweighted conflict of cost 1.
_HEAT = 0.4
# Weights are integers; this value stands for 1.
_ONE = 1024
# Weight added to each conflict at a local minimum, and how many tenths of earlier additions are kept there.
_MORE = 512
_FADE = 9
# Number of steps without improvement that define a local minimum, or the number of observations if that is larger.
_PATIENCE = 40
# Maximum number of points compared for a new stone.
_TRIES = 8
# Probability of moving the observed stone itself, rather than a stone around it.
_MOVE_ITSELF = 0.6
# Probability of swapping the turns of two stones, rather than moving a stone.
_SWAP_TURNS = 0.7
# Probability of moving only a stone that no later observation needs where it is.
_TAKE_SPARE = 0.7
# Probability of swapping turns in a step of `randomize`.
_SWAP_AT_RANDOM = 0.3
# Probability of explaining a refused try by a stone on its point.
_OCCUPIED = 0.9
# After an observation without a conflict, the steps spent on older conflicts are divided by this number.
_LATER = 8
# Steps between two polls of `should_stop`.
_ASK = 16


class Assignment:
    """A point for each stone and try of the other side; `conflicts` is the total cost of contradicting the news."""

    __slots__ = tuple(
        "_conflicting _costs _history _points _scope _theirs _weights _written conflicts first_changed".split()
    )

    def __init__(self, history: ObservationHistory) -> None:
        self._history = history
        self._points: dict[int, int] = {}
        # The enemy stones before each observation, and after the last observation.
        self._theirs = [0]
        self._costs: list[int] = []
        # For each observation, the points on which its mismatch depends, and the points it fills or empties anyway.
        self._scope: list[int] = []
        self._written: list[int] = []
        # The times of the conflicts, ascending.
        self._conflicting: list[int] = []
        # The weights that differ from `_ONE`, by time.
        self._weights: dict[int, int] = {}
        # The earliest time whose stone has been moved; the caller resets this time.
        self.first_changed = 0
        self.conflicts = 0

    def copy(self) -> "Assignment":
        other = Assignment(self._history)
        other.first_changed, other.conflicts = self.first_changed, self.conflicts
        other._points, other._conflicting = self._points.copy(), self._conflicting.copy()
        other._theirs, other._costs = self._theirs.copy(), self._costs.copy()
        other._scope, other._written = self._scope.copy(), self._written.copy()
        other._weights = self._weights.copy()
        return other

    @property
    def length(self) -> int:
        """The number of observations taken into account."""
        return len(self._costs)

    @property
    def stones(self) -> int:
        """The other side's stones after the last observation, as a bit mask of points."""
        return self._theirs[-1]

    def boards(self, times: Sequence[int]) -> list[bytes]:
        """Return the stones before the observations at these times; one byte per point, as in positions."""
        history, colour = self._history, self._history.colour
        return [
            bytes(
                colour if own >> point & 1 else 3 - colour if theirs >> point & 1 else EMPTY
                for point in range(len(history.near))
            )
            for own, theirs in ((history.own[time], self._theirs[time]) for time in times)
        ]

    def mismatches(self) -> list[int]:
        """Return the cost of contradicting each observation; 0 means agreement."""
        return self._costs.copy()

    def point(self, time: int) -> int:
        """Return the point of the other side's stone or refused try at a time."""
        return self._points[time]

    def extend(self, rng: Rng, steps: int = 0, should_stop: ShouldStop = never) -> None:
        """Choose points for the latest observations, until done or `should_stop` returns True.

        Each conflicting observation is followed by `steps` repair steps, and any other observation by fewer while
        conflicts remain, because a few conflicts are easier to repair than many.
        """
        for time in range(len(self._costs), len(self._history.observations)):
            if should_stop():
                break
            self._assign(time, rng)
            if steps and self.conflicts:
                self.repair(rng, steps if self._costs[time] else steps // _LATER, should_stop)

    def _assign(self, time: int, rng: Rng) -> None:
        """Process the observation at `time`, after all earlier observations. If its point is unknown, choose one."""
        observation, stones = self._history.observations[time], self._theirs[-1]
        conflicts, scope = (
            self._choose_point(time, rng) if observation.point < 0 else self._history.mismatch(time, self._theirs, -1)
        )
        after = self._history.after(time, stones, self._points.get(time, -1))
        self._theirs.append(after)
        put = 1 << self._points[time] if observation.kind in PLACING else 0
        self._written.append(observation.gone if observation.kind is ObservationKind.OURS else put)
        self._costs.append(conflicts)
        self._scope.append(scope)
        self.conflicts += conflicts
        if conflicts:
            self._conflicting.append(time)

    def _choose_point(self, time: int, rng: Rng) -> Mismatch:
        """Choose the point of a stone or try that costs least, and return its mismatch; (0, 0) if none is needed."""
        points = self._history.candidates.get(time)
        if points is None:
            return 0, 0
        best: Mismatch | None = None
        for point in self._rank_points(points & ~self._theirs[time] or points or self._history.whole, time, rng):
            mismatch = self._history.mismatch(time, self._theirs, point)
            if best is None or mismatch[0] < best[0]:
                best, self._points[time] = mismatch, point
            if not mismatch[0]:
                break
        assert best is not None
        return best

    def _rank_points(self, points: int, time: int, rng: Rng) -> list[int]:
        """Return up to `_TRIES` of `points` in random order; points needed soon or likely by the prior tend to lead."""
        history, theirs, random = self._history, self._theirs[time], rng.random
        left: list[tuple[float, int]] = []
        found, weights = [], {}
        while points:
            bit = points & -points
            points &= ~bit
            point = bit.bit_length() - 1
            next_requirement = history.next_requirement(point, time)
            if next_requirement:
                weights[point] = 1.0 / max(1, history.count_placements(time, next_requirement))
            else:
                left.append((-log(1.0 - random()) / exp(history.log_prior(time, theirs, point)), point))
        left.sort()
        needed = sorted(weights, key=lambda point: random() ** (1.0 / weights[point]))
        # Add one by one, as the kernel does, because since Python 3.12 `sum` rounds differently.
        total = 0.0
        for weight in weights.values():
            total += weight
        for _, point in left[:_TRIES]:
            while needed and random() < total:
                found.append(needed.pop())
            found.append(point)
        return [*found, *reversed(needed)][:_TRIES]

    def repair(self, rng: Rng, steps: int, should_stop: ShouldStop = never) -> bool:
        """Take up to `steps` steps, until `should_stop` returns True; return True if no conflict is left."""
        least, since, patience = self.conflicts, 0, max(_PATIENCE, len(self._costs))
        for step in range(steps):
            if not self.conflicts or (not step % _ASK and should_stop()):
                break
            changes = self._propose(rng)
            if changes:
                self._try_changes(changes, -_ONE * _HEAT * log(1.0 - rng.random()))
            since += 1
            if self.conflicts < least:
                least, since = self.conflicts, 0
            elif since == patience:
                # Earlier additions fade, and current conflicts gain weight.
                faded = {time: _ONE + (weight - _ONE) * _FADE // 10 for time, weight in self._weights.items()}
                self._weights = faded | {time: faded.get(time, _ONE) + _MORE for time in self._conflicting}
                least, since = self.conflicts, 0
        if not self.conflicts:
            self._weights.clear()
        return not self.conflicts

    def randomize(self, rng: Rng, steps: int, should_stop: ShouldStop = never) -> None:
        """Try `steps` random moves that keep all conflicts at 0; accept each by the Metropolis rule for the prior."""
        placements = self._assigned_placements()
        for step in range(steps if placements else 0):
            if not step % _ASK and should_stop():
                break
            time = placements[rng.below(len(placements))]
            if rng.random() < _SWAP_AT_RANDOM:
                changes = self._swap_turns(time, placements, rng)
            else:
                changes = self._move_anywhere(time, rng)
            if changes:
                self._try_changes(changes, 0.0, log(1.0 - rng.random()))

    def _propose(self, rng: Rng) -> dict[int, int]:
        """Propose other points for some stones, by time, to resolve one conflict; {} if there is no proposal."""
        time = self._conflicting[rng.below(len(self._conflicting))]
        observation, stones = self._history.observations[time], self._theirs[time]
        placements = self._assigned_placements()
        if time in self._points and (observation.kind is ObservationKind.THEY_REFUSED or rng.random() < _MOVE_ITSELF):
            is_exchange = observation.kind in PLACING and rng.random() < _SWAP_TURNS
            return self._swap_turns(time, placements, rng) if is_exchange else self._move(time, rng)
        if observation.kind is ObservationKind.MARKED or (
            observation.kind is ObservationKind.REFUSED and self._blames_its_point(observation, stones, rng)
        ):
            point = observation.point
        else:
            missing = observation.gone & ~stones if observation.kind is ObservationKind.OURS else 0
            own, put = self._history.own[time], self._points.get(time, -1)
            points = missing or self._history.find_conflict_points(time, stones, put, self._scope[time]) & ~own
            if not points:
                return {}
            point = choose_bit(points, rng)
        if stones >> point & 1:
            return self._vacate(point, time, placements, rng)
        return self._occupy(point, time, placements, rng)

    def _assigned_placements(self) -> Sequence[int]:
        """Return the times of the stones that have a point."""
        return self._history.placements[: bisect_left(self._history.placements, len(self._costs))]

    def _blames_its_point(self, observation: Observation, stones: int, rng: Rng) -> bool:
        """Return True if an enemy stone on the point of a refused try should explain the refusal."""
        if observation.news.shown is None:
            return rng.random() < _OCCUPIED
        return bool(observation.news.shown or stones >> observation.point & 1)

    def _move(self, time: int, rng: Rng) -> dict[int, int]:
        """Propose another point for the stone or try at a time; for a stone, prefer the likelier of two points."""
        first = self._move_anywhere(time, rng)
        if not first or self._history.observations[time].kind not in PLACING:
            return first
        second = self._move_anywhere(time, rng)
        one, other = (exp(self._history.log_prior(time, self._theirs[time], found[time])) for found in (first, second))
        return first if rng.random() * (one + other) < one else second

    def _move_anywhere(self, time: int, rng: Rng) -> dict[int, int]:
        """Propose another point, chosen uniformly at random, for the stone or try at `time`; {} if there is none."""
        points = self._history.candidates[time] & ~self._theirs[time] & ~(1 << self._points[time])
        return {time: choose_bit(points, rng)} if points else {}

    def _swap_turns(self, time: int, placements: Sequence[int], rng: Rng) -> dict[int, int]:
        """Propose that a random enemy stone swap turns with the stone placed at `time`; {} if none of them can."""
        points, may = self._points, self._history.candidates
        own, ours = points[time], may[time]
        others = [turn for turn in placements if may[turn] >> own & 1 and ours >> points[turn] & 1 and turn != time]
        if not others:
            return {}
        other = others[rng.below(len(others))]
        return {time: points[other], other: own}

    def _vacate(self, point: int, time: int, placements: Sequence[int], rng: Rng) -> dict[int, int]:
        """Propose to move the enemy stone that is on `point` before the observation at `time`; {} if it cannot move."""
        points = self._points
        put = next(turn for turn in reversed(placements[: bisect_left(placements, time)]) if points[turn] == point)
        if rng.random() < _SWAP_TURNS:
            return self._swap_turns(put, placements[bisect_left(placements, time) :], rng)
        return self._move(put, rng)

    def _occupy(self, point: int, time: int, placements: Sequence[int], rng: Rng) -> dict[int, int]:
        """Propose to put an enemy stone on `point` before the observation at `time`; {} if none can be there."""
        points, history = self._points, self._history
        begin, end = bisect_left(placements, history.earliest_placement(point, time)), bisect_left(placements, time)
        before = [turn for turn in placements[begin:end] if history.candidates[turn] >> point & 1]
        later = next((turn for turn in placements[end:] if points[turn] == point), None)
        if later is not None and rng.random() < _SWAP_TURNS:
            may = history.candidates[later]
            others = [turn for turn in before if may >> points[turn] & 1]
            if others:
                other = others[rng.below(len(others))]
                return {other: point, later: points[other]}
        if rng.random() < _TAKE_SPARE:
            before = [turn for turn in before if not history.is_required_later(points[turn], turn)] or before
        if not before:
            return {}
        put = before[rng.below(len(before))]
        return {put: point}

    def _try_changes(self, changes: dict[int, int], most: float, least: float | None = None) -> None:
        """Accept changes unless the weighted cost grows by more than `most` or the log prior by less than `least`."""
        history, theirs, scope, same, points = self._history, self._theirs, self._scope, self._written, self._points
        weigh, conflicts = self._weights.get, self._costs
        worst = most + sum(weigh(time, _ONE) * conflicts[time] for time in self._conflicting)
        trial, fresh, added, removed = theirs.copy(), {}, 0, 0
        # `differ`: the points at which the changed stones before the current time differ from the present stones.
        first, last, differ = min(changes), max(changes), 0
        for time in range(first, len(conflicts)):
            if differ & scope[time] or time in changes:
                point = changes.get(time, points.get(time, -1))
                fresh[time] = mismatch = history.mismatch(time, trial, point)
                weight = weigh(time, _ONE)
                added, removed = added + weight * mismatch[0], removed + weight * conflicts[time]
                if added > worst:
                    return
            if time in changes or time in history.hidden_capture_times:
                differ = history.after(time, trial[time], changes.get(time, -1)) ^ theirs[time + 1]
            else:
                differ &= ~same[time]
            if not differ and time >= last:
                break
            trial[time + 1] ^= differ
        for time in history.repetition_times[bisect_left(history.repetition_times, first) :]:
            if time in fresh or time >= len(conflicts):
                continue
            if any(trial[moment] != theirs[moment] for moment in history.observations[time].boards):
                fresh[time] = mismatch = history.mismatch(time, trial, points.get(time, -1))
                weight = weigh(time, _ONE)
                added, removed = added + weight * mismatch[0], removed + weight * conflicts[time]
        if added - removed <= most and (least is None or self._prior_gain(changes, trial) >= least):
            self._accept(changes, trial, fresh)

    def _prior_gain(self, changes: dict[int, int], trial: list[int]) -> float:
        """Return by how much these changes, with the resulting enemy stones `trial`, would raise the log prior."""
        history, more = self._history, 0.0
        placements = self._assigned_placements()
        for turn in placements[bisect_left(placements, min(changes)) :]:
            point = self._points[turn]
            other, differ = changes.get(turn, point), trial[turn] ^ self._theirs[turn]
            if point != other or differ & (history.near[point] | history.two_steps[point]):
                more += history.log_prior(turn, trial[turn], other)
                more -= history.log_prior(turn, self._theirs[turn], point)
        return more

    def _accept(self, changes: dict[int, int], theirs: list[int], fresh: dict[int, Mismatch]) -> None:
        """Apply changes; `theirs` holds the resulting enemy stones and `fresh` the new mismatches, by time."""
        self._theirs = theirs
        for time, point in changes.items():
            self._points[time] = point
            if self._history.observations[time].kind in PLACING:
                self._written[time] = 1 << point
        for time, (conflicts, scope) in fresh.items():
            self.conflicts += conflicts - self._costs[time]
            self._costs[time], self._scope[time] = conflicts, scope
            at = bisect_left(self._conflicting, time)
            is_known = self._conflicting[at : at + 1] == [time]
            if conflicts and not is_known:
                self._conflicting.insert(at, time)
            elif not conflicts and is_known:
                del self._conflicting[at]
        self.first_changed = min(self.first_changed, *changes)


def choose_bit(points: int, rng: Rng) -> int:
    """Return a random point of a mask."""
    for _ in range(rng.below(points.bit_count())):
        points &= points - 1
    return (points & -points).bit_length() - 1
