"""Go Fantôme: guesses of where the other's stones were put, mended until they sound like what was heard.

A guess gives every stone of his a point, whatever follows. What each piece of news would have sounded like is compared
with what was heard; a guess in which nothing is wrong is a game that agrees with every sentence. A wrong one is mended
in small steps: one sentence that sounds wrong is picked, and a stone of his that has to do with it goes elsewhere,
comes from elsewhere, or changes its turn with another. Only what the step touches is heard again. A step that makes
things worse is taken now and then, the worse the less often (Metropolis).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import log
from random import Random
from typing import TYPE_CHECKING

from gtp_variants.errors import GameOver, VariantsError
from gtp_variants.rules.actions import Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.story import PUT, Kind, Sound, Story, Tick

if TYPE_CHECKING:
    from gtp_variants.rules.phantom import PhantomPosition

# How readily a step is taken that makes a guess worse: by one wrong sentence with probability exp(-1 / this).
_HEAT = 0.4
# After so many steps that made nothing better, and one for each piece of news, what sounds wrong weighs so much more;
# such a part is left of what it weighed more before.
_PATIENCE, _MORE, _FADE = 40, 0.5, 0.9
# How often a point on the edge of an empty board, and an eye of his own, is put off when a stone of his is guessed; how
# full a board is on which the edge is as good as any other point. As bots play.
_EDGE_PUT_OFF, _EYE_PUT_OFF, _EDGE_IS_PLAYED = 0.8, 0.95, 0.6
# How many points are tried for a new stone.
_TRIES = 8
# How often: the stone that sounds wrong is moved itself; a stone changes its turn with another; only one that serves
# for nothing is taken where one is missing.
_MOVE_ITSELF, _CHANGE_TURNS, _TAKE_SPARE = 0.6, 0.7, 0.7
# How often a refused try is explained by a stone on its point.
_OCCUPIED = 0.9
# The first attempt at a guess takes so many steps after a piece of news that sounds wrong, and such a part of them
# after others as long as anything does; in the end so many for each piece of news, and so many at least. Every second
# attempt takes twice as many, every fourth four times as many, and so on, this many attempts: most guesses that are not
# mended soon never are, but some need long.
_FIRST, _LATER, _STEPS, _LEAST_STEPS, _ATTEMPTS = 100, 8, 25, 200, 64
# It is asked before every so many steps whether they are enough.
_ASK = 16


def never() -> bool:
    """Not yet."""
    return False


class Guess:
    """A guess of where each stone of his was put.

    `wrong` says how wrong everything heard so far would have sounded in all: 0 if it agrees with every sentence.
    """

    __slots__ = ("_faulty", "_his", "_points", "_positions", "_same", "_seen", "_story", "_weights", "_wrong", "wrong")

    def __init__(self, story: Story) -> None:
        self._story = story
        self._points: dict[int, int] = {}
        # His stones before each tick, and after the last.
        self._his = [0]
        self._wrong: list[int] = []
        # The points on which everything a tick sounds like depends, and those on which it leaves the same as ever.
        self._seen: list[int] = []
        self._same: list[int] = []
        self._faulty: set[int] = set()
        # How much a wrong tick weighs where steps are compared, where that is not 1.
        self._weights: dict[int, float] = {}
        # The positions of the game as far as it was played by the rules since a stone was changed.
        self._positions: list[PhantomPosition] = []
        self.wrong = 0

    def copy(self) -> "Guess":
        """Another guess that is the same so far."""
        other = Guess.__new__(Guess)
        other._story, other.wrong = self._story, self.wrong
        other._points, other._faulty = self._points.copy(), self._faulty.copy()
        other._his, other._wrong = self._his.copy(), self._wrong.copy()
        other._seen, other._same = self._seen.copy(), self._same.copy()
        other._weights, other._positions = self._weights.copy(), self._positions.copy()
        return other

    def go_on(self, rng: Random, steps: int = 0, enough: Callable[[], bool] = never) -> None:
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

    def _guess(self, time: int, rng: Random) -> None:
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
            self._faulty.add(time)

    def _put(self, time: int, rng: Random) -> Sound:
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

    def _likely(self, points: int, time: int, rng: Random) -> list[int]:
        """Some of the points: those needed soon sooner, the edge later and eyes of his last."""
        story, near, theirs, random = self._story, self._story.near, self._his[time], rng.random
        left, found, put_off, weights, edge = [], [], [], {}, self._edge_put_off(time)
        while points:
            bit = points & -points
            points &= ~bit
            point = bit.bit_length() - 1
            due = story.due(point, time)
            if due:
                weights[point] = 1.0 / max(1, story.puts(time, due))
            elif random() < (_EYE_PUT_OFF if not near[point] & ~theirs else edge if bit & story.edge else 0):
                put_off.append(point)
            else:
                left.append(point)
        rng.shuffle(left)
        rng.shuffle(put_off)
        needed = sorted(weights, key=lambda point: random() ** (1.0 / weights[point]))
        total = sum(weights.values())
        for point in (left + put_off)[:_TRIES]:
            while needed and random() < total:
                found.append(needed.pop())
            found.append(point)
        return [*found, *reversed(needed)][:_TRIES]

    # -- mending ---------------------------------------------------------------------------------------------------

    def mend(self, rng: Random, steps: int, enough: Callable[[], bool] = never) -> bool:
        """Take so many steps, fewer if nothing is wrong any more or it is `enough`; whether nothing is."""
        least, since, patience = self.wrong, 0, max(_PATIENCE, len(self._wrong))
        for step in range(steps):
            if not self.wrong or (not step % _ASK and enough()):
                break
            changes = self._proposal(rng)
            if changes:
                self._change(changes, -_HEAT * log(1.0 - rng.random()))
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
        weights = {time: 1.0 + _FADE * (weight - 1.0) for time, weight in self._weights.items()}
        self._weights = weights | {time: weights.get(time, 1.0) + _MORE for time in self._faulty}

    def stir(self, rng: Random, steps: int, enough: Callable[[], bool] = never) -> None:
        """Let his stones change places at random so many times, or until it is `enough`, where nothing sounds wrong
        afterwards.
        """
        slots = self._story.slots
        for step in range(steps if slots else 0):
            if not step % _ASK and enough():
                break
            time = rng.choice(slots)
            if rng.random() < _CHANGE_TURNS:
                changes = self._exchange(time, slots, rng)
            else:
                changes = self._elsewhere(time, rng)
            if changes:
                self._change(changes, 0.0)

    def _proposal(self, rng: Random) -> dict[int, int]:
        """Other points for some stones of his, because of one sentence that sounds wrong; none if nothing offers."""
        faulty = sorted(self._faulty)
        time = faulty[int(rng.random() * len(faulty))]
        tick, stones = self._story.ticks[time], self._his[time]
        slots = self._story.slots[: bisect_left(self._story.slots, len(self._wrong))]
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

    def _is_of_its_point(self, tick: Tick, stones: int, rng: Random) -> bool:
        """Whether a refused try is to be mended by a stone more or less on its point."""
        if tick.news.shown is None:
            return rng.random() < _OCCUPIED
        return bool(tick.news.shown or stones >> tick.point & 1)

    def _elsewhere(self, time: int, rng: Random) -> dict[int, int]:
        """Another point for the stone put at a time."""
        points = self._story.open[time] & ~self._his[time] & ~(1 << self._points[time])
        if not points:
            return {}
        point = chosen(points, rng)
        if self._story.edge >> point & 1 and rng.random() < self._edge_put_off(time):
            point = chosen(points, rng)
        return {time: point}

    def _edge_put_off(self, time: int) -> float:
        """How often a point on the edge is put off where the stone of a time is guessed: the less the fuller it is."""
        filled = (self._his[time] | self._story.own[time]).bit_count() / len(self._story.near)
        return _EDGE_PUT_OFF * max(0.0, 1 - filled / _EDGE_IS_PLAYED)

    def _exchange(self, time: int, slots: Sequence[int], rng: Random) -> dict[int, int]:
        """Another stone changes its turn with the one put at a time, as far as our own stones allow."""
        points, may = self._points, self._story.open
        own, ours = points[time], may[time]
        others = [slot for slot in slots if may[slot] >> own & 1 and ours >> points[slot] & 1 and slot != time]
        if not others:
            return {}
        other = others[int(rng.random() * len(others))]
        return {time: points[other], other: own}

    def _take_away(self, point: int, time: int, slots: Sequence[int], rng: Random) -> dict[int, int]:
        """His stone is not to stand on a point just before the tick at `time`."""
        points = self._points
        put = next(slot for slot in reversed(slots[: bisect_left(slots, time)]) if points[slot] == point)
        if rng.random() < _CHANGE_TURNS:
            return self._exchange(put, slots[bisect_left(slots, time) :], rng)
        return self._elsewhere(put, rng)

    def _bring(self, point: int, time: int, slots: Sequence[int], rng: Random) -> dict[int, int]:
        """A stone of his is to stand on a point just before the tick at `time`."""
        points, story = self._points, self._story
        begin, end = bisect_left(slots, story.came(point, time)), bisect_left(slots, time)
        before = [slot for slot in slots[begin:end] if story.open[slot] >> point & 1]
        later = next((slot for slot in slots[end:] if points[slot] == point), None)
        if later is not None and rng.random() < _CHANGE_TURNS:
            may = story.open[later]
            others = [slot for slot in before if may >> points[slot] & 1]
            if others:
                other = others[int(rng.random() * len(others))]
                return {other: point, later: points[other]}
        if rng.random() < _TAKE_SPARE:
            before = [slot for slot in before if not story.is_needed(points[slot], slot)] or before
        if not before:
            return {}
        put = before[int(rng.random() * len(before))]
        return {put: point}

    def _change(self, changes: dict[int, int], most: float) -> None:
        """Put his stones on other points, unless all would sound more wrong than before by more than `most`."""
        story, his, seen, same, points = self._story, self._his, self._seen, self._same, self._points
        weigh, wrong = self._weights.get, self._wrong
        worst = most + sum(weigh(time, 1.0) * wrong[time] for time in self._faulty)
        trial, heard, added, removed = his.copy(), {}, 0.0, 0.0
        # Which points are different from before, just before the tick at `time`.
        first, last, differ = min(changes), max(changes), 0
        for time in range(first, len(wrong)):
            if differ & seen[time] or time in changes:
                point = changes.get(time, points.get(time, -1))
                heard[time] = sound = story.sound(time, trial, point)
                weight = weigh(time, 1.0)
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
                weight = weigh(time, 1.0)
                added, removed = added + weight * sound[0], removed + weight * wrong[time]
        if added - removed <= most:
            self._take(changes, trial, heard)

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
            (self._faulty.add if wrong else self._faulty.discard)(time)
        first = min(changes)
        del self._positions[0 if self._story.ticks[first].kind is Kind.SEATED else first + 1 :]

    # -- the game that was guessed ---------------------------------------------------------------------------------

    @property
    def stones(self) -> int:
        """His stones at the end."""
        return self._his[-1]

    @property
    def position(self) -> "PhantomPosition":
        """The position at the end of a game that agrees."""
        return self._positions[-1]

    def agrees(self) -> bool:
        """Whether nothing sounds wrong; the game is then played by the rules, which have the last word."""
        if self.wrong or len(self._wrong) < len(self._story.ticks):
            return False
        rules, colour = self._story.rules, self._story.colour
        if not self._positions:
            self._positions.append(self._start())
        for time in range(len(self._positions) - 1, len(self._wrong)):
            tick, before = self._story.ticks[time], self._positions[-1]
            if tick.kind is Kind.SEATED:
                self._positions.append(before)
                continue
            event = self._event(time)
            try:
                after = rules.play(before, event.action, event.actor)
            except VariantsError:
                return False
            if rules.hears(before, event, after, colour) != tick.news:
                return False
            self._positions.append(after)
        return True

    def game(self) -> Game:
        """The game, played by the rules."""
        start, ticks = self._start(), self._story.ticks
        setup = {point: colour for point, colour in enumerate(start.stones) if colour}
        events = [self._event(time) for time, tick in enumerate(ticks) if tick.kind is not Kind.SEATED]
        return Game.replay(self._story.rules, events, setup, start.mover if self._story.seating else None)

    def _start(self) -> "PhantomPosition":
        seating = self._story.seating
        if seating is None:
            return self._story.rules.start()
        theirs = (self._points[time] for time, tick in enumerate(self._story.ticks) if tick.kind is Kind.SEATED)
        colour = self._story.colour
        setup = dict.fromkeys(seating.placed, colour) | dict.fromkeys(theirs, 3 - colour)
        return self._story.rules.start(setup, seating.to_play)

    def _event(self, time: int) -> Event:
        news = self._story.ticks[time].news
        return Event(news.actor, self._points[time] if news.action is None else news.action)


def chosen(points: int, rng: Random) -> int:
    """One of the points of a mask."""
    for _ in range(int(rng.random() * points.bit_count())):
        points &= points - 1
    return (points & -points).bit_length() - 1


def imagined(story: Story, rng: Random, enough: Callable[[], bool] = never) -> Guess:
    """A guess that agrees with all that was heard.

    `enough` is asked now and then whether to give up. Raises GameOver then, or after very many steps.
    """
    steps = max(_LEAST_STEPS, _STEPS * len(story.ticks))
    for attempt in range(1, _ATTEMPTS + 1):
        guess, times = Guess(story), attempt & -attempt
        guess.go_on(rng, times * _FIRST, enough)
        if guess.mend(rng, times * steps, enough):
            guess.stir(rng, len(story.slots), enough)
            if guess.agrees():
                return guess
        if enough():
            raise GameOver("no position was found in time that agrees with all the news")
    raise GameOver("no position was found that agrees with all the news")
