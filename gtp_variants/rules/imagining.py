"""Go Fantôme: whole games that agree with everything one seat has heard.

What is hidden is one list of points: where each stone of the opponent was placed. `Clues` say of single points when a
stone of his must stand there, and which sentences have several readings; one is chosen by chance. Then the game is
played forward by the rules themselves, his stones going first where they are needed soonest, and what our seat would
hear is compared with what it heard, event by event. Where they differ another point is taken, or the last few moves
are taken back. So every game that comes out agrees with every sentence.

A game that agreed so far and no longer does is a good start for the next: it keeps what it can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Final

from gtp_variants.errors import VariantsError
from gtp_variants.rules.actions import Event
from gtp_variants.rules.board import Board
from gtp_variants.rules.chains import chain, is_eye
from gtp_variants.rules.clues import MUST, Clues, Need, Reading
from gtp_variants.rules.game import Game
from gtp_variants.rules.views import News

if TYPE_CHECKING:
    from gtp_variants.rules.phantom import PhantomPosition, PhantomRules

# How often a point on the edge, and an eye of his own, is put off when his next stone is guessed.
_EDGE_PUT_OFF, _EYE_PUT_OFF = 0.5, 0.95
# How often what an earlier game or attempt chose is chosen again: a reading, by the attempt; a point.
_KEEP_READING, _KEEP_POINT = (0.95, 0.8, 0.5, 0.0), 0.85
# A new stone that a reading asks for makes it so much less likely.
_PER_STONE = 0.25
# How many points are tried for the next stone of a game that goes on.
_TRIES = 16


@dataclass(slots=True)
class World:
    """A whole game that agrees with what one seat heard.

    `positions` are the start and the position after each piece of news; `chosen` the points of the other's stones and
    refused tries by the number of the news; `readings` how sentences were understood where that was decided first.
    """

    positions: "list[PhantomPosition]"
    chosen: dict[int, int] = field(default_factory=dict)
    readings: dict[tuple[int, int], Reading] = field(default_factory=dict)

    def copy(self) -> "World":
        """Another game that is the same so far."""
        return World(self.positions.copy(), self.chosen.copy(), self.readings)

    def go_on(self, rules: "PhantomRules", colour: int, news: News, rng: Random) -> bool:
        """Let happen what was heard next; False, and nothing is changed, if nothing that was tried sounds like it."""
        before = self.positions[-1]
        if news.action is not None:
            after = sounding(rules, colour, before, news.action, news)
        else:
            points = (
                refusable(before.stones, colour, rng)
                if news.refused
                else islice(likely(rules.board, before.stones, 3 - colour, rng), _TRIES)
            )
            after = None
            for point in points:
                after = sounding(rules, colour, before, point, news)
                if after is not None:
                    self.chosen[len(self.positions) - 1] = point
                    break
        if after is None:
            return False
        self.positions.append(after)
        return True

    def game(self, rules: "PhantomRules", news: Sequence[News]) -> Game:
        """The same as a game, played anew by the rules."""
        seated = bool(news) and news[0].seating is not None
        start = self.positions[0]
        events = (
            Event(item.actor, self.chosen[time] if item.action is None else item.action)
            for time, item in enumerate(news)
            if item.seating is None
        )
        setup = {point: colour for point, colour in enumerate(start.stones) if colour}
        return Game.replay(rules, events, setup, start.mover if seated else None)


def sounding(
    rules: "PhantomRules", colour: int, before: "PhantomPosition", action: int, news: News
) -> "PhantomPosition | None":
    """The position after an action, None if it cannot be or the seat would hear something else than it did."""
    try:
        after = rules.play(before, action, news.actor)
    except VariantsError:
        return None
    return after if rules.hears(before, Event(news.actor, action), after, colour) == news else None


def refusable(stones: bytes, colour: int, rng: Random) -> list[int]:
    """The points where a try of the other's may have been refused: most likely on a stone of ours."""
    points = [point for point, there in enumerate(stones) if there != 3 - colour]
    rng.shuffle(points)
    return sorted(points, key=lambda point: stones[point] != colour)


def likely(board: Board, stones: bytes, colour: int, rng: Random) -> Iterator[int]:
    """The empty points in a random order, the edge later and eyes of the colour last."""
    random = rng.random
    points = [point for point, there in enumerate(stones) if not there]
    put_off: list[int] = []
    while points:
        index = int(random() * len(points))
        point, points[index] = points[index], points[-1]
        points.pop()
        if (board.rings[point] == 1 and random() < _EDGE_PUT_OFF) or (
            is_eye(board, stones, point, colour) and random() < _EYE_PUT_OFF
        ):
            put_off.append(point)
        else:
            yield point
    rng.shuffle(put_off)
    yield from put_off


class Attempt:
    """One attempt to play a game that sounds like the one that was heard.

    `old` is a game that agrees with the beginning of it.
    """

    # Failures at one event, and in all, after which the attempt is given up.
    _MOST_AT_ONE: Final = 4
    _MOST: Final = 20

    def __init__(self, clues: Clues, rng: Random, old: World | None = None) -> None:
        self._clues = clues
        self._rules = clues.rules
        self._board = clues.rules.board
        self._colour = clues.colour
        self._other = 3 - clues.colour
        self._rng = rng
        self._old = old
        self._facts = clues.facts
        self._needs: list[Need] = []
        self._readings: dict[tuple[int, int], Reading] = {}
        self._positions: list[PhantomPosition] = []
        self._chosen = dict(old.chosen) if old else {}
        self._refuted: dict[int, set[int]] = {}
        self._failed: dict[int, int] = {}
        self._keep_reading = rng.choice(_KEEP_READING) if old else 0.0
        # When a stone was placed that may be to blame for what does not sound right.
        self._culprit = -1

    def run(self) -> World | None:
        """The game, None if the attempt failed."""
        if not self._explain():
            return None
        self._positions = self._beginning()
        total = 0
        while len(self._positions) <= len(self._clues.story):
            time = len(self._positions) - 1
            self._culprit = -1
            after = self._next(time)
            if after is not None:
                self._positions.append(after)
                continue
            total += 1
            failed = self._failed[time] = self._failed.get(time, 0) + 1
            if failed > self._MOST_AT_ONE or total > self._MOST or not self._go_back(time):
                return None
        return World(self._positions, self._chosen, self._readings)

    def longest(self, old: World) -> World:
        """After a failure: how far this attempt came, or the old game if that goes on for longer."""
        if len(old.positions) > len(self._positions):
            return old
        return World(self._positions, self._chosen, self._readings)

    # -- reading ---------------------------------------------------------------------------------------------------

    def _explain(self) -> bool:
        """Choose a reading of every sentence that has several; False if those chosen leave none for another."""
        trouble = self._clues.trouble
        for key, readings in sorted(
            self._clues.riddles.items(), key=lambda item: len(item[1]) / (1 + trouble[item[0]])
        ):
            reading = self._old_reading(key, readings) or self._new_reading(readings)
            if reading is None:
                trouble[key] += 1
                return False
            self._readings[key] = reading
        return self._plan()

    def _plan(self) -> bool:
        """Find out which of his stones must come when; False if one of them cannot come in time."""
        needs = []
        for need in self._facts.needs():
            slots = self._facts.between(max(need.release, 0), need.deadline)
            times = [time for time in slots if self._may_come(need.point, time)]
            if not times:
                return False
            needs.append(Need(times[-1] + 1, times[0] if need.release >= 0 else -1, need.point))
        self._needs = sorted(needs)
        return self._facts.can_meet(needs, 0)

    def _may_come(self, point: int, time: int) -> bool:
        """Whether a stone of his may be placed on a point at a time, as far as our stones and the sentences tell."""
        heard = self._clues.story[time]
        if heard.news.captured or heard.news.seating is not None:
            return True
        facts, codes, values = self._facts, {item.code for item in heard.news.said}, self._rules.values
        # What the referee never says of anything may be so of every stone.
        codes |= {code for code in ("atari", "self_atari") if values[code] == "none"}
        beside = [near for near in self._board.neighbours[point] if heard.own[near] != self._colour]
        # It must join a stone of his: alone it would be in atari, and that is said, or could not be placed at all.
        if not beside or (
            len(beside) == 1 and "self_atari" not in codes and facts.next(beside[0], time - 1) not in (None, MUST)
        ):
            return False
        if "atari" in codes:
            return True
        # Nor may it leave a chain of ours one liberty.
        ours = (near for near in self._board.neighbours[point] if heard.own[near] == self._colour)
        return all(
            sum(there != point and not facts.stands(there, time) for there in self._clues.around(time, near)) > 1
            for near in ours
        )

    def _old_reading(self, key: tuple[int, int], readings: Sequence[Reading]) -> Reading | None:
        """How the old game understood the sentence, if that still agrees with all others and chance wants it."""
        if self._old is None or key[0] + 1 >= len(self._old.positions) or self._rng.random() >= self._keep_reading:
            return None
        reading = self._old.readings.get(key) or next((one for one in readings if self._is_true(one)), None)
        return reading if reading is not None and self._accept(reading) else None

    def _is_true(self, reading: Reading) -> bool:
        assert self._old is not None
        positions, other = self._old.positions, self._other
        return all((positions[time].stones[point] == other) == (fact == MUST) for point, time, fact in reading.facts)

    def _new_reading(self, readings: Sequence[Reading]) -> Reading | None:
        """A reading that agrees with those chosen already; the fewer new stones it needs the likelier."""
        left = list(readings)
        weights = [reading.weight * _PER_STONE ** self._new_stones(reading) for reading in left]
        while left:
            [index] = self._rng.choices(range(len(left)), weights)
            if self._accept(left[index]):
                return left[index]
            del left[index], weights[index]
        return None

    def _new_stones(self, reading: Reading) -> int:
        holds = self._facts.holds
        return sum(fact == MUST and not holds(point, time) for point, time, fact in reading.facts)

    def _accept(self, reading: Reading) -> bool:
        kept = self._facts.copy()
        if not self._clues.agree(kept, reading.facts) or not kept.can_meet(kept.needs(), 0):
            return False
        self._facts = kept
        return True

    # -- playing ---------------------------------------------------------------------------------------------------

    def _beginning(self) -> "list[PhantomPosition]":
        """The start, or as much of the old game as is kept."""
        if self._old is None:
            return [self._start()]
        time = self._first_change(self._old)
        self._refuted[time] = {self._chosen[time]} if time in self._chosen else set()
        return self._old.positions[: time + 1] if time else [self._start()]

    def _first_change(self, old: World) -> int:
        """A time from which the old game is played anew: before every stone that is wrong, and in time for one that
        is missing."""
        wrong, missing = [], []
        for point, time, fact in self._facts:
            if time < len(old.positions) and (old.positions[time].stones[point] == self._other) != (fact == MUST):
                if fact == MUST:
                    missing.append(time)
                else:
                    wrong.append(self._came(old.positions[: time + 1], point))
        latest = min([*wrong, *missing, len(old.positions) - 1])
        slots = [time for time in self._facts.between(0, latest) if time in old.chosen]
        return self._rng.choice([*wrong, *slots] if wrong and min(wrong) == latest else slots or [0])

    def _start(self) -> "PhantomPosition":
        seating = self._clues.story[0].news.seating if self._clues.story else None
        if seating is None:
            return self._rules.start()
        free = [
            p for p in range(len(self._board)) if p not in seating.placed and self._facts.next(p, 0) in (None, MUST)
        ]
        needed = [need.point for need in self._needs if need.release < 0 and need.point in free]
        chosen = needed[: seating.unseen]
        rest = [point for point in free if point not in chosen]
        self._rng.shuffle(rest)
        chosen += rest[: seating.unseen - len(chosen)]
        setup = dict.fromkeys(chosen, self._other) | dict.fromkeys(seating.placed, self._colour)
        return self._rules.start(setup, seating.to_play)

    def _next(self, time: int) -> "PhantomPosition | None":
        """The position after the event at `time`; None if it would not sound as it was heard."""
        heard = self._clues.story[time]
        news, before = heard.news, self._positions[-1]
        if news.seating is not None:
            return before
        if self._clues.is_theirs(heard):
            return self._place(time, before, news)
        if news.action is None:
            return self._refuse(time, before, news)
        after = sounding(self._rules, self._colour, before, news.action, news)
        if after is None and news.action >= 0:
            self._learn(time, before, news, news.action)
        return after

    def _place(self, time: int, before: "PhantomPosition", news: News) -> "PhantomPosition | None":
        """A stone of his, where it is needed or where it may be, that sounds as it was heard."""
        refuted = self._refuted.setdefault(time, set())
        for point in self._candidates(time, before.stones):
            if point in refuted:
                continue
            refuted.add(point)
            after = sounding(self._rules, self._colour, before, point, news)
            if after is not None:
                self._chosen[time] = point
                return after
            self._blame(before, point)
        return None

    def _refuse(self, time: int, before: "PhantomPosition", news: News) -> "PhantomPosition | None":
        """A try of his that was refused."""
        for point in refusable(before.stones, self._colour, self._rng):
            after = sounding(self._rules, self._colour, before, point, news)
            if after is not None:
                self._chosen[time] = point
                return after
        return None

    def _candidates(self, time: int, stones: bytes) -> Iterator[int]:
        """Points for a stone of his, the needed and the likely ones sooner."""
        facts, other, random = self._facts, self._other, self._rng.random
        needs = [need for need in self._needs if need[0] > time and (need[1] > time or stones[need[2]] != other)]
        ready = [need for need in needs if need.release <= time and not stones[need.point]]
        is_free = facts.can_meet(needs, time + 1)
        if not is_free:
            ready = [one for one in ready if facts.can_meet([need for need in needs if need is not one], time + 1)]
        kept = self._chosen.get(time)
        if kept is not None and not stones[kept] and random() < _KEEP_POINT:
            is_open = is_free and facts.next(kept, time) is None
            yield from (kept,) if is_open or any(need.point == kept for need in ready) else ()
        weights = {need.point: 1.0 / max(1, facts.slots(time, need.deadline)) for need in ready}
        total = sum(weights.values())
        needed = sorted(weights, key=lambda point: -(random() ** (1.0 / weights[point])))
        if is_free:
            for point in likely(self._board, stones, other, self._rng):
                while needed and random() < total:
                    yield needed.pop(0)
                if facts.next(point, time) is None:
                    yield point
        yield from needed

    # -- learning from what did not fit ----------------------------------------------------------------------------

    def _go_back(self, time: int) -> bool:
        """Forget the last few events, up to a stone of his that was chosen; False if there is none."""
        chosen = sorted(when for when in self._refuted if when < time)
        if not chosen:
            return False
        random = self._rng.random
        if self._culprit in self._refuted and self._culprit < time and random() < 0.5:
            back = self._culprit
        elif random() < 0.3:
            back = self._rng.choice(chosen)
        else:
            far = 1
            while far < len(chosen) and random() < 0.6:
                far += 1
            back = chosen[-far]
        del self._positions[back + 1 :]
        for when in chosen:
            if when > back:
                del self._refuted[when]
        self._refuted.pop(time, None)
        return True

    def _blame(self, before: "PhantomPosition", point: int) -> None:
        """His stone on a point would have sounded differently: perhaps for another beside the same chain of ours."""
        stones = before.stones
        ours = [near for near in self._board.neighbours[point] if stones[near] == self._colour]
        if ours and not stones[point]:
            self._suspect(self._beside(stones, self._rng.choice(ours)))

    def _learn(self, time: int, before: "PhantomPosition", news: News, point: int) -> None:
        """Our own try would have sounded differently: find a stone of his that is wrong, or one that is missing."""
        if news.refused:
            kept = self._facts.copy()
            if kept.add(point, time, MUST):
                self._facts, before_that = kept, self._facts
                if not self._plan():
                    self._facts = before_that
            return
        after = self._rules.play(before, point, news.actor)
        wrong = set(after.captured) - set(news.captured)
        if not wrong:
            stones = bytearray(after.stones)
            stones[point] = self._colour
            wrong = self._beside(stones, point)
            beside = [near for near in self._board.neighbours[point] if stones[near] == self._other]
            if beside and self._rng.random() < 0.5:
                wrong = set(chain(self._board, stones, self._rng.choice(beside)))
        self._suspect({near for near in wrong if before.stones[near] == self._other})

    def _beside(self, stones: bytes | bytearray, point: int) -> set[int]:
        """His stones beside the chain on a point."""
        near = self._board.neighbours
        return {there for m in chain(self._board, stones, point) for there in near[m] if stones[there] == self._other}

    def _suspect(self, points: set[int]) -> None:
        """Blame one of his stones."""
        if points:
            self._culprit = self._came(self._positions, self._rng.choice(sorted(points)))

    def _came(self, positions: "Sequence[PhantomPosition]", point: int) -> int:
        """When his stone on a point of the last position was placed."""
        time = len(positions) - 1
        while time > 0 and positions[time - 1].stones[point] == self._other:
            time -= 1
        return max(0, time - 1)
