"""Go Fantôme: guesses of where the other's stones were put, mended until they sound like what was heard.

A guess gives every stone of his a point, whatever follows. What each piece of news would have sounded like is compared
with what was heard; a guess in which nothing is wrong is a game that agrees with every sentence. A wrong one is mended
in small steps: one sentence that sounds wrong is picked, and a stone of his that has to do with it goes elsewhere,
comes from elsewhere, or changes its turn with another. Only what the step touches is heard again. A step that makes
things worse is taken now and then, the worse the less often (Metropolis).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import exp, log

from gtp_variants.belief.observations import PUT, Kind, Sound, Story, Tick
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import EMPTY

# How readily a step is taken that makes a guess worse: by one wrong sentence with probability exp(-1 / this).
_HEAT = 0.4
# After so many steps that made nothing better, and one for each piece of news, what sounds wrong weighs so much more;
# so many tenths are left of what it weighed more before. Weights are whole numbers, of which this one is 1.
_PATIENCE, _ONE, _MORE, _FADE = 40, 1024, 512, 9
# How many points are tried for a new stone.
_TRIES = 8
# How often: the stone that sounds wrong is moved itself; a stone changes its turn with another; only one that serves
# for nothing is taken where one is missing. How often stones change turns where nothing is wrong.
_MOVE_ITSELF, _CHANGE_TURNS, _TAKE_SPARE, _EXCHANGE = 0.6, 0.7, 0.7, 0.3
# How often a refused try is explained by a stone on its point.
_OCCUPIED = 0.9
# After a piece of news that sounds right a guess in which something is wrong takes such a part of the steps that it
# takes after others.
_LATER = 8
# It is asked before every so many steps whether they are enough.
_ASK = 16


def never() -> bool:
    """Not yet."""
    return False


class Mender:
    """A guess of where each stone of his was put.

    `wrong` says how wrong everything heard so far would have sounded in all: 0 if it agrees with every sentence.
    """

    __slots__ = ("_faulty", "_his", "_points", "_same", "_seen", "_story", "_weights", "_wrong", "changed", "wrong")

    def __init__(self, story: Story) -> None:
        self._story = story
        self._points: dict[int, int] = {}
        # His stones before each tick, and after the last.
        self._his = [0]
        self._wrong: list[int] = []
        # The points on which everything a tick sounds like depends, and those on which it leaves the same as ever.
        self._seen: list[int] = []
        self._same: list[int] = []
        # The times at which something sounds wrong, in order.
        self._faulty: list[int] = []
        # How much a wrong tick weighs where steps are compared, where that is not `_ONE`.
        self._weights: dict[int, int] = {}
        # The first time at which a stone was put elsewhere since somebody set this.
        self.changed = 0
        self.wrong = 0

    def copy(self) -> "Mender":
        """Another guess that is the same so far."""
        other = Mender(self._story)
        other.changed, other.wrong = self.changed, self.wrong
        other._points, other._faulty = self._points.copy(), self._faulty.copy()
        other._his, other._wrong = self._his.copy(), self._wrong.copy()
        other._seen, other._same = self._seen.copy(), self._same.copy()
        other._weights = self._weights.copy()
        return other

    @property
    def heard(self) -> int:
        """How many ticks were guessed so far."""
        return len(self._wrong)

    @property
    def stones(self) -> int:
        """His stones at the end."""
        return self._his[-1]

    def boards(self, times: Sequence[int]) -> list[bytes]:
        """The stones before the ticks of these times, as far as guessed; one byte a point, as positions have them."""
        story, colour = self._story, self._story.colour
        return [
            bytes(
                colour if own >> point & 1 else 3 - colour if his >> point & 1 else EMPTY
                for point in range(len(story.near))
            )
            for own, his in ((story.own[time], self._his[time]) for time in times)
        ]

    def faults(self) -> list[int]:
        """How wrong each tick sounds."""
        return self._wrong.copy()

    def point(self, time: int) -> int:
        """Where he acted at a time, as it is guessed."""
        return self._points[time]

    def go_on(self, rng: Rng, steps: int = 0, enough: Callable[[], bool] = never) -> None:
        """Guess what happened in all that was heard since, or until it is `enough`.

        After each piece of news that sounds wrong so many steps are taken to mend the guess, and some after others as
        long as anything does: a little is mended more easily than much, of which each part holds the others.
        """
        for time in range(len(self._wrong), len(self._story.ticks)):
            if enough():
                break
            self._guess(time, rng)
            if steps and self.wrong:
                self.mend(rng, steps if self._wrong[time] else steps // _LATER, enough)

    def _guess(self, time: int, rng: Rng) -> None:
        """Guess what happened at a time, all before being guessed."""
        tick, stones = self._story.ticks[time], self._his[-1]
        wrong, seen = self._put(time, rng) if tick.point < 0 else self._story.sound(time, self._his, -1)
        after = self._story.after(time, stones, self._points.get(time, -1))
        self._his.append(after)
        put = 1 << self._points[time] if tick.kind in PUT else 0
        self._same.append(tick.gone if tick.kind is Kind.OURS else put)
        self._wrong.append(wrong)
        self._seen.append(seen)
        self.wrong += wrong
        if wrong:
            self._faulty.append(time)

    def _put(self, time: int, rng: Rng) -> Sound:
        """Choose the point of a new stone of his, the first that sounds right."""
        points = self._story.open.get(time)
        if points is None:
            return 0, 0
        best: Sound | None = None
        for point in self._likely(points & ~self._his[time] or points or self._story.whole, time, rng):
            sound = self._story.sound(time, self._his, point)
            if best is None or sound[0] < best[0]:
                best, self._points[time] = sound, point
            if not sound[0]:
                break
        assert best is not None
        return best

    def _likely(self, points: int, time: int, rng: Rng) -> list[int]:
        """Some of the points: those needed soon sooner, the others as he likes them."""
        story, theirs, random = self._story, self._his[time], rng.random
        left: list[tuple[float, int]] = []
        found, weights = [], {}
        while points:
            bit = points & -points
            points &= ~bit
            point = bit.bit_length() - 1
            due = story.due(point, time)
            if due:
                weights[point] = 1.0 / max(1, story.puts(time, due))
            else:
                left.append((-log(1.0 - random()) / exp(story.liking(time, theirs, point)), point))
        left.sort()
        needed = sorted(weights, key=lambda point: random() ** (1.0 / weights[point]))
        # One after the other, as the kernel does it; `sum` rounds in another way since Python 3.12.
        total = 0.0
        for weight in weights.values():
            total += weight
        for _, point in left[:_TRIES]:
            while needed and random() < total:
                found.append(needed.pop())
            found.append(point)
        return [*found, *reversed(needed)][:_TRIES]

    # -- mending ---------------------------------------------------------------------------------------------------

    def mend(self, rng: Rng, steps: int, enough: Callable[[], bool] = never) -> bool:
        """Take so many steps, fewer if nothing is wrong any more or it is `enough`; whether nothing is."""
        least, since, patience = self.wrong, 0, max(_PATIENCE, len(self._wrong))
        for step in range(steps):
            if not self.wrong or (not step % _ASK and enough()):
                break
            changes = self._proposal(rng)
            if changes:
                self._change(changes, -_ONE * _HEAT * log(1.0 - rng.random()))
            since += 1
            if self.wrong < least:
                least, since = self.wrong, 0
            elif since == patience:
                self._insist()
                least, since = self.wrong, 0
        if not self.wrong:
            self._weights.clear()
        return not self.wrong

    def _insist(self) -> None:
        """Let what sounds wrong now weigh more from here on, which leads out of dead ends; older weights fade."""
        weights = {time: _ONE + (weight - _ONE) * _FADE // 10 for time, weight in self._weights.items()}
        self._weights = weights | {time: weights.get(time, _ONE) + _MORE for time in self._faulty}

    def stir(self, rng: Rng, steps: int, enough: Callable[[], bool] = never) -> None:
        """Let his stones change places so many times, or until it is `enough`, where nothing sounds wrong afterwards.

        What he likes more is taken more often, so that in the long run a guess comes up about as often as it is likely
        (Metropolis, with what is the same for all points left out).
        """
        slots = self._slots()
        for step in range(steps if slots else 0):
            if not step % _ASK and enough():
                break
            time = slots[rng.below(len(slots))]
            if rng.random() < _EXCHANGE:
                changes = self._exchange(time, slots, rng)
            else:
                changes = self._anywhere(time, rng)
            if changes:
                self._change(changes, 0.0, log(1.0 - rng.random()))

    def _proposal(self, rng: Rng) -> dict[int, int]:
        """Other points for some stones of his, because of one sentence that sounds wrong; none if nothing offers."""
        time = self._faulty[rng.below(len(self._faulty))]
        tick, stones = self._story.ticks[time], self._his[time]
        slots = self._slots()
        if time in self._points and (tick.kind is Kind.THEY_REFUSED or rng.random() < _MOVE_ITSELF):
            is_exchange = tick.kind in PUT and rng.random() < _CHANGE_TURNS
            return self._exchange(time, slots, rng) if is_exchange else self._elsewhere(time, rng)
        if tick.kind is Kind.MARKED or (tick.kind is Kind.REFUSED and self._is_of_its_point(tick, stones, rng)):
            point = tick.point
        else:
            missing = tick.gone & ~stones if tick.kind is Kind.OURS else 0
            own, put = self._story.own[time], self._points.get(time, -1)
            points = missing or self._story.suspects(time, stones, put, self._seen[time]) & ~own
            if not points:
                return {}
            point = chosen(points, rng)
        if stones >> point & 1:
            return self._take_away(point, time, slots, rng)
        return self._bring(point, time, slots, rng)

    def _slots(self) -> Sequence[int]:
        """The times of his stones, as far as they were guessed."""
        return self._story.slots[: bisect_left(self._story.slots, len(self._wrong))]

    def _is_of_its_point(self, tick: Tick, stones: int, rng: Rng) -> bool:
        """Whether a refused try is to be mended by a stone more or less on its point."""
        if tick.news.shown is None:
            return rng.random() < _OCCUPIED
        return bool(tick.news.shown or stones >> tick.point & 1)

    def _elsewhere(self, time: int, rng: Rng) -> dict[int, int]:
        """Another point for the stone put at a time: of two the one he likes better, more often."""
        first = self._anywhere(time, rng)
        if not first or self._story.ticks[time].kind not in PUT:
            return first
        second = self._anywhere(time, rng)
        one, other = (exp(self._story.liking(time, self._his[time], found[time])) for found in (first, second))
        return first if rng.random() * (one + other) < one else second

    def _anywhere(self, time: int, rng: Rng) -> dict[int, int]:
        """Any other point for the stone put at a time."""
        points = self._story.open[time] & ~self._his[time] & ~(1 << self._points[time])
        return {time: chosen(points, rng)} if points else {}

    def _exchange(self, time: int, slots: Sequence[int], rng: Rng) -> dict[int, int]:
        """Another stone changes its turn with the one put at a time, as far as our own stones allow."""
        points, may = self._points, self._story.open
        own, ours = points[time], may[time]
        others = [slot for slot in slots if may[slot] >> own & 1 and ours >> points[slot] & 1 and slot != time]
        if not others:
            return {}
        other = others[rng.below(len(others))]
        return {time: points[other], other: own}

    def _take_away(self, point: int, time: int, slots: Sequence[int], rng: Rng) -> dict[int, int]:
        """His stone is not to stand on a point just before the tick at `time`."""
        points = self._points
        put = next(slot for slot in reversed(slots[: bisect_left(slots, time)]) if points[slot] == point)
        if rng.random() < _CHANGE_TURNS:
            return self._exchange(put, slots[bisect_left(slots, time) :], rng)
        return self._elsewhere(put, rng)

    def _bring(self, point: int, time: int, slots: Sequence[int], rng: Rng) -> dict[int, int]:
        """A stone of his is to stand on a point just before the tick at `time`."""
        points, story = self._points, self._story
        begin, end = bisect_left(slots, story.came(point, time)), bisect_left(slots, time)
        before = [slot for slot in slots[begin:end] if story.open[slot] >> point & 1]
        later = next((slot for slot in slots[end:] if points[slot] == point), None)
        if later is not None and rng.random() < _CHANGE_TURNS:
            may = story.open[later]
            others = [slot for slot in before if may >> points[slot] & 1]
            if others:
                other = others[rng.below(len(others))]
                return {other: point, later: points[other]}
        if rng.random() < _TAKE_SPARE:
            before = [slot for slot in before if not story.is_needed(points[slot], slot)] or before
        if not before:
            return {}
        put = before[rng.below(len(before))]
        return {put: point}

    def _change(self, changes: dict[int, int], most: float, least: float | None = None) -> None:
        """Put his stones on other points, unless all would sound more wrong than before by more than `most`, or he
        would like it so little more than that.
        """
        story, his, seen, same, points = self._story, self._his, self._seen, self._same, self._points
        weigh, wrong = self._weights.get, self._wrong
        worst = most + sum(weigh(time, _ONE) * wrong[time] for time in self._faulty)
        trial, heard, added, removed = his.copy(), {}, 0, 0
        # Which points are different from before, just before the tick at `time`.
        first, last, differ = min(changes), max(changes), 0
        for time in range(first, len(wrong)):
            if differ & seen[time] or time in changes:
                point = changes.get(time, points.get(time, -1))
                heard[time] = sound = story.sound(time, trial, point)
                weight = weigh(time, _ONE)
                added, removed = added + weight * sound[0], removed + weight * wrong[time]
                if added > worst:
                    return
            if time in changes or time in story.untold:
                differ = story.after(time, trial[time], changes.get(time, -1)) ^ his[time + 1]
            else:
                differ &= ~same[time]
            if not differ and time >= last:
                break
            trial[time + 1] ^= differ
        for time in story.wary[bisect_left(story.wary, first) :]:
            if time in heard or time >= len(wrong):
                continue
            if any(trial[moment] != his[moment] for moment in story.ticks[time].boards):
                heard[time] = sound = story.sound(time, trial, points.get(time, -1))
                weight = weigh(time, _ONE)
                added, removed = added + weight * sound[0], removed + weight * wrong[time]
        if added - removed <= most and (least is None or self._liked_more(changes, trial) >= least):
            self._take(changes, trial, heard)

    def _liked_more(self, changes: dict[int, int], trial: list[int]) -> float:
        """How much more he would like the stones as they are tried than those there are."""
        story, more = self._story, 0.0
        slots = self._slots()
        for slot in slots[bisect_left(slots, min(changes)) :]:
            point = self._points[slot]
            other, differ = changes.get(slot, point), trial[slot] ^ self._his[slot]
            if point != other or differ & (story.near[point] | story.second[point]):
                more += story.liking(slot, trial[slot], other)
                more -= story.liking(slot, self._his[slot], point)
        return more

    def _take(self, changes: dict[int, int], his: list[int], heard: dict[int, Sound]) -> None:
        """Make the changes, of which everything was found out."""
        self._his = his
        for time, point in changes.items():
            self._points[time] = point
            if self._story.ticks[time].kind in PUT:
                self._same[time] = 1 << point
        for time, (wrong, seen) in heard.items():
            self.wrong += wrong - self._wrong[time]
            self._wrong[time], self._seen[time] = wrong, seen
            at = bisect_left(self._faulty, time)
            is_known = self._faulty[at : at + 1] == [time]
            if wrong and not is_known:
                self._faulty.insert(at, time)
            elif not wrong and is_known:
                del self._faulty[at]
        self.changed = min(self.changed, *changes)


def chosen(points: int, rng: Rng) -> int:
    """One of the points of a mask."""
    for _ in range(rng.below(points.bit_count())):
        points &= points - 1
    return (points & -points).bit_length() - 1
