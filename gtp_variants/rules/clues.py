"""Go Fantôme: what the news that one seat heard says of single points at certain times.

A stone of the opponent stands on a point (a try was refused, he was captured there, he filled a liberty of a captured
chain), or none does (we stand there, he was captured there a moment before). Some sentences allow several readings:
"puts 2 stones in atari" does not say which. And a chain of ours that nobody calls in atari keeps two liberties.

Source: 001_d6d69fd415a28a9d.txt, "Annonces possibles de l'arbitre".
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from gtp_variants.rules.actions import EMPTY, MARK_DEAD, unpack
from gtp_variants.rules.board import Board
from gtp_variants.rules.chains import chain
from gtp_variants.rules.views import News

if TYPE_CHECKING:
    from gtp_variants.rules.phantom import PhantomRules

# A fact of a point just before an event: his stone stands there; it does not; it has just been taken off.
MUST, NOT, GONE = "must", "not", "gone"

_MOST_SETS = 60


@dataclass(frozen=True, slots=True)
class Heard:
    """A piece of news and the own stones before it."""

    news: News
    own: bytes

    @property
    def is_refused(self) -> bool:
        return self.news.refused

    @property
    def is_stone(self) -> bool:
        action = self.news.action
        return not self.news.refused and (action is None or action >= 0)


class Need(NamedTuple):
    """A stone of his that must come: before `deadline`, and not before `release`."""

    deadline: int
    release: int
    point: int


@dataclass(frozen=True, slots=True)
class Calm:
    """A time in which a chain of ours had two liberties or more among the points around it."""

    around: tuple[int, ...]
    end: int


class Facts:
    """What must hold of single points at certain times; `is_shown`: whether it is shown which stones go."""

    def __init__(
        self, slots: Sequence[int], of: dict[int, list[tuple[int, str]]] | None = None, is_shown: bool = True
    ) -> None:
        self._of = of or {}
        self._is_shown = is_shown
        # The times at which he placed a stone whose point is free to choose.
        self._slots = slots

    def copy(self) -> "Facts":
        """The same facts, to be added to."""
        return Facts(self._slots, {point: facts.copy() for point, facts in self._of.items()}, self._is_shown)

    def __iter__(self) -> Iterator[tuple[int, int, str]]:
        """Every fact as point, time and what holds."""
        return ((point, time, fact) for point, facts in self._of.items() for time, fact in facts)

    def add(self, point: int, time: int, fact: str) -> bool:
        """Take in one fact; False, and nothing is changed, if it contradicts the others."""
        facts = self._of.setdefault(point, [])
        at = bisect_left(facts, (time, ""))
        if at < len(facts) and facts[at][0] == time:
            return facts[at][1] == fact or (facts[at][1], fact) == (GONE, NOT)
        around = [*facts[max(0, at - 1) : at], (time, fact), *facts[at : at + 1]]
        if not all(self._follows(*first, *second) for first, second in pairwise(around)):
            return False
        facts.insert(at, (time, fact))
        return True

    def add_not(self, point: int, time: int) -> bool:
        """Take in that he does not stand on a point then, if nothing is known of that moment."""
        facts = self._of.get(point, ())
        at = bisect_left(facts, (time, ""))
        if at < len(facts) and facts[at][0] == time:
            return facts[at][1] != MUST
        return self.add(point, time, NOT)

    def _follows(self, before: int, first: str, time: int, second: str) -> bool:
        if second == MUST:
            return first == MUST or self.slots(before, time) > 0
        # A stone goes only by being taken, and that is heard.
        return second == GONE or first != MUST or not self._is_shown

    def slots(self, begin: int, end: int) -> int:
        """How many of his stones were placed at a time from `begin` up to, but without, `end`."""
        return bisect_left(self._slots, end) - bisect_left(self._slots, begin)

    def between(self, begin: int, end: int) -> Sequence[int]:
        """The times of his stones from `begin` up to, but without, `end`."""
        return self._slots[bisect_left(self._slots, begin) : bisect_left(self._slots, end)]

    def next(self, point: int, time: int) -> str | None:
        """The first fact of a point after the event at `time`, None if there is none."""
        facts = self._of.get(point)
        if not facts or facts[-1][0] <= time:
            return None
        return facts[bisect_left(facts, (time + 1, ""))][1]

    def holds(self, point: int, time: int) -> bool:
        """Whether it follows from the others that he stands on a point just before the event at `time`."""
        facts = self._of.get(point, ())
        at = bisect_left(facts, (time, ""))
        if at == len(facts) or facts[at][1] != MUST:
            return False
        return facts[at][0] == time or (at > 0 and facts[at - 1][1] == MUST)

    def stands(self, point: int, time: int) -> bool:
        """Whether it is known that he stands on a point just before the event at `time`."""
        facts = self._of.get(point, ())
        at = bisect_left(facts, (time + 1, ""))
        if at == 0 or facts[at - 1][1] != MUST:
            return False
        if not self._is_shown:
            return facts[at - 1][0] == time
        # Being taken is heard: where the next fact is that he is not there, it is not known when he went.
        return facts[at - 1][0] == time or at == len(facts) or facts[at][1] != NOT

    def needs(self) -> list[Need]:
        """The stones he must place at some time, by deadline."""
        found = []
        for point, facts in self._of.items():
            is_there, release = False, -1
            for time, fact in facts:
                if fact == MUST and not is_there:
                    found.append(Need(time, release, point))
                is_there, release = fact == MUST, time
        return sorted(found)

    def can_meet(self, needs: Sequence[Need], time: int) -> bool:
        """Whether his stones placed at `time` and later are enough, each need having its own in its time."""
        waiting = sorted((need.release, need.deadline) for need in needs)
        due: list[int] = []
        coming, count = 0, len(waiting)
        for slot in self._slots[bisect_left(self._slots, time) :]:
            while coming < count and waiting[coming][0] <= slot:
                heappush(due, waiting[coming][1])
                coming += 1
            if due and heappop(due) <= slot:
                return False
            if not due and coming == count:
                return True
        return not due and coming == count


@dataclass(frozen=True, slots=True)
class Reading:
    """One explanation of a sentence: facts (point, time, fact), and how likely it is beside the others."""

    facts: tuple[tuple[int, int, str], ...]
    weight: float = 1.0


# Where the readings that were listed may not be all there are.
_SOMEHOW = Reading((), 1e-3)


class Clues:
    """What one seat has heard, read for where the other's stones may be.

    `story`    the news with the own stones before each of it; a time is an index of it
    `facts`    what is certain
    `riddles`  the readings of every sentence that allows several, under its time and its number among those of it
    `trouble`  how often no reading of a riddle was left; those are better chosen first
    """

    def __init__(self, rules: "PhantomRules", colour: int, news: Sequence[News]) -> None:
        self.rules = rules
        self.colour = colour
        self._board = rules.board
        self.story = list(_story(len(rules.board), colour, news))
        slots = [
            time
            for time, heard in enumerate(self.story)
            for _ in range(heard.news.seating.unseen if heard.news.seating else self.is_theirs(heard))
        ]
        self.facts = Facts(slots, is_shown=rules.values["captures"] == "both")
        self.riddles: dict[tuple[int, int], list[Reading]] = {}
        self.trouble: Counter[tuple[int, int]] = Counter()
        self._around: dict[tuple[int, int], list[int]] = {}
        self._is_fresh = True
        for time, heard in enumerate(self.story):
            for number, readings in enumerate(self._read(time, heard)):
                self.riddles[time, number] = readings
            self._is_fresh = self._is_fresh and not heard.news.count
        self._calm_at: dict[int, list[Calm]] = {}
        for calm in self._calm_times():
            for point in calm.around:
                self._calm_at.setdefault(point, []).append(calm)
                if len(calm.around) == 2:
                    self.facts.add_not(point, calm.end)
        self.agree(self.facts, [fact for fact in self.facts if fact[2] == MUST])

    def is_theirs(self, heard: Heard) -> bool:
        """Whether the news is of a stone of his whose point was not told."""
        return heard.is_stone and heard.news.actor != self.colour and heard.news.seating is None

    def around(self, time: int, point: int) -> list[int]:
        """The points beside the chain of ours on a point, just before the event at `time`."""
        found = self._around.get((time, point))
        if found is None:
            own = self.story[time].own
            members = chain(self._board, own, point)
            found = self._outside(own, members)
            self._around |= {(time, member): found for member in members}
        return found

    def agree(self, facts: Facts, more: Iterable[tuple[int, int, str]]) -> bool:
        """Add facts and what follows from them for chains and their liberties; False for a contradiction."""
        waiting = list(more)
        touched: dict[Calm, None] = {}
        for point, time, fact in waiting:
            if not facts.add(point, time, fact):
                return False
            if fact == MUST:
                touched |= dict.fromkeys(self._calm_at.get(point, ()))
                follows = self._follows_for_chain(facts, point, time)
                if follows is None:
                    return False
                waiting += follows
        for calm in touched:
            free = [point for point in calm.around if not facts.stands(point, calm.end)]
            if len(free) < 2:
                return False
            if len(free) == 2 and not all(facts.add_not(point, calm.end) for point in free):
                return False
        return True

    def _follows_for_chain(self, facts: Facts, point: int, time: int) -> Sequence[tuple[int, int, str]] | None:
        """What follows from a stone of his before the event at `time` for his chain; None for a contradiction.

        It has a liberty; it has two where a stone of ours beside it put nothing in atari.
        """
        if time >= len(self.story):
            return ()
        news, own, near = self.story[time].news, self.story[time].own, self._board.neighbours
        ours = news.action if news.actor == self.colour and self.story[time].is_stone else None
        if point in news.captured or news.count > len(news.captured):
            return ()
        members, outside = [point], set()
        for member in members:
            for there in near[member]:
                if there == ours or own[there] == self.colour or there in members:
                    continue
                if there not in news.captured and facts.stands(there, time):
                    members.append(there)
                else:
                    outside.add(there)
        if not outside:
            return None
        if len(outside) > 1 or ours is None or any(item.code == "atari" for item in news.said):
            return ()
        if self.rules.values["atari"] == "none":
            return ()
        [last] = outside
        if all(ours not in near[member] for member in members):
            return ()
        return None if last in news.captured else [(last, time, MUST)]

    def _calm_times(self) -> Iterator[Calm]:
        """When chains of ours were known to have two liberties at least: while nothing else was said of them."""
        if self.rules.values["self_atari"] != "always" or self.rules.values["atari"] == "none":
            return
        calm: dict[tuple[int, ...], tuple[int, ...]] = {}
        for time, heard in enumerate(self.story):
            if not heard.is_stone:
                continue
            news, codes = heard.news, {item.code for item in heard.news.said}
            if news.actor == self.colour and news.action is not None:
                after = bytearray(heard.own)
                after[news.action] = self.colour
                members = chain(self._board, after, news.action)
                ended = [key for key in calm if key[0] in members]
                yield from (Calm(calm.pop(key), time) for key in ended)
                if "self_atari" not in codes:
                    calm[tuple(sorted(members))] = tuple(self._outside(after, members))
            elif news.captured or "atari" in codes:
                most = max((item.count for item in news.said if item.code == "atari"), default=0)
                ended = [key for key, around in calm.items() if len(key) <= most or self._is_touched(key, around, news)]
                yield from (Calm(calm.pop(key), time) for key in ended)
        yield from (Calm(around, len(self.story)) for around in calm.values())

    def _is_touched(self, members: Sequence[int], around: Sequence[int], news: News) -> bool:
        """Whether a capture took the chain, or stones beside it."""
        return members[0] in news.captured or not set(around).isdisjoint(news.captured)

    # -- reading -------------------------------------------------------------------------------------------------------

    def _read(self, time: int, heard: Heard) -> Iterator[list[Reading]]:
        """Take in what is certain; the readings of what is not."""
        news = heard.news
        if self.is_theirs(heard):
            yield from self._read_theirs(time, heard)
        elif news.action is None or news.seating is not None:
            return
        elif heard.is_refused:
            yield self._readings_of_refusal(time, heard, news.action)
        elif heard.is_stone:
            yield from self._read_own(time, heard, news.action)
        elif unpack(news.action)[0] == MARK_DEAD and not heard.own[unpack(news.action)[1]]:
            self.facts.add(unpack(news.action)[1], time, MUST)

    def _readings_of_refusal(self, time: int, heard: Heard, point: int) -> list[Reading]:
        """Occupied, or suicide, or a repetition; which of the last two shows when the game is played."""
        after = bytearray(heard.own)
        after[point] = self.colour
        around = self._outside(after, chain(self._board, after, point))
        suicide = (point, time, NOT), *((near, time, MUST) for near in around)
        readings = [Reading(((point, time, MUST),), 16.0), Reading(suicide)]
        if not self._is_fresh and self.rules.repetition != "none":
            readings.append(Reading(((point, time, NOT),), 1e-3))
        if heard.news.shown is None:
            return readings
        return readings[:1] if heard.news.shown else readings[1:]

    def _read_own(self, time: int, heard: Heard, point: int) -> Iterator[list[Reading]]:
        facts, news = self.facts, heard.news
        facts.add(point, time, NOT)
        for taken in news.captured:
            facts.add(taken, time, MUST)
            facts.add(taken, time + 1, GONE)
        said = {item.code: item.count for item in news.said}
        after = bytearray(heard.own)
        after[point] = self.colour
        if news.count > len(news.captured):
            readings = list(self._readings_of_own_capture(time, after, point, news))
            if len(readings) == 1:
                for fact in readings[0].facts:
                    facts.add(*fact)
            else:
                yield readings
            return
        around = self._outside(after, chain(self._board, after, point))
        freed = [near for near in around if near in news.captured]
        closed = [near for near in around if near not in news.captured]
        if "self_atari" in said:
            if len(freed) == 1:
                yield [Reading(tuple((near, time, MUST) for near in closed))]
            else:
                yield [self._all_but(time, closed, last) for last in closed]
        elif self.rules.values["self_atari"] == "always" and len(freed) + len(closed) == 2:
            for near in closed:
                facts.add(near, time, NOT)
                facts.add(near, time + 1, NOT)
        if said.get("atari") and self.rules.values["atari"] == "new":
            readings = self._readings_of_own_atari(time, after, point, news, said["atari"])
            # Of many stones, or of four chains at once, not every reading is listed.
            yield readings if readings and said["atari"] <= 3 else [*readings, _SOMEHOW]

    def _readings_of_own_capture(self, time: int, own: bytes | bytearray, point: int, news: News) -> Iterator[Reading]:
        """Our stone took so many of his: whole areas beside it that hold nothing of ours were full of them."""
        areas: set[frozenset[int]] = set()
        for begin in self._board.neighbours[point]:
            if own[begin] != self.colour:
                members = [begin]
                for member in members:
                    near = self._board.neighbours[member]
                    members += [there for there in near if own[there] != self.colour and there not in members]
                areas.add(frozenset(members))
        for number in range(1, len(areas) + 1):
            for taken in combinations(sorted(areas, key=sorted), number):
                points = sorted(set().union(*taken))
                if len(points) == news.count and set(news.captured) <= set(points):
                    facts = [(there, at, fact) for there in points for at, fact in ((time, MUST), (time + 1, NOT))]
                    yield Reading(tuple(facts))

    def _read_theirs(self, time: int, heard: Heard) -> Iterator[list[Reading]]:
        news, own = heard.news, heard.own
        said = {item.code: item.count for item in news.said}
        if news.captured:
            around = [set(self._outside(own, members)) for members in _chains_of(self._board, own, news.captured)]
            everything = sorted(set().union(*around))
            for near in news.captured:
                self.facts.add(near, time + 1, NOT)
            last = sorted(set.intersection(*around))
            yield [self._all_but(time, everything, point, is_stone=True) for point in last]
        elif said.get("atari") and self.rules.values["atari"] == "new":
            yield [*self._readings_of_their_atari(time, own, said["atari"], "self_atari" in said), _SOMEHOW]
        if "self_atari" in said:
            yield self._readings_of_their_self_atari(time, own, news)

    def _outside(self, own: bytes | bytearray, members: Sequence[int]) -> list[int]:
        """The points next to a chain of ours that are not ours."""
        near = self._board.neighbours
        return sorted({there for member in members for there in near[member] if own[there] != self.colour})

    def _all_but(self, time: int, points: Sequence[int], last: int, is_stone: bool = False) -> Reading:
        """He stands on all of the points but one before the event; after it there, too, if he plays there."""
        facts = [(point, time, MUST) for point in points if point != last]
        return Reading((*facts, (last, time, NOT), (last, time + 1, MUST if is_stone else NOT)))

    def _readings_of_their_atari(self, time: int, own: bytes, count: int, is_itself: bool) -> list[Reading]:
        """He left chains of ours, so many stones in all, one liberty each."""
        ours = [members for members in _chains_of(self._board, own, range(len(own))) if own[members[0]] == self.colour]
        readings: list[Reading] = []
        for number in (1, 2, 3):
            for group in combinations(ours, number):
                if sum(map(len, group)) != count:
                    continue
                around = [self._outside(own, members) for members in group]
                stones = sorted(set.intersection(*map(set, around)))
                for stone in stones:
                    readings += self._left_with_one(time, own, around, stone, is_itself)
                if len(readings) > _MOST_SETS * 10:
                    return readings
        return readings

    def _left_with_one(
        self, time: int, own: bytes, around: Sequence[Sequence[int]], stone: int, is_itself: bool
    ) -> Iterator[Reading]:
        """A stone of his on `stone` leaves each chain one of the points around it."""
        choices = [[near for near in points if near != stone] for points in around]
        lasts: list[tuple[int, ...]] = [()]
        for points in choices:
            lasts = [(*chosen, near) for chosen in lasts for near in points][:_MOST_SETS]
        for chosen in lasts:
            free = set(chosen)
            closed = sorted({near for points in choices for near in points} - free)
            # A chain has one liberty exactly if no other chain's last one is beside it.
            if any(len(free.intersection(points)) != 1 for points in choices):
                continue
            facts = [(near, time, MUST) for near in closed]
            facts += [(near, at, NOT) for near in sorted(free) for at in (time, time + 1)]
            facts += [(stone, time, NOT), (stone, time + 1, MUST)]
            if is_itself:
                yield Reading(tuple(facts))
                continue
            # The stone itself has two liberties, or is joined to others that have.
            beside = [near for near in self._board.neighbours[stone] if own[near] != self.colour]
            if len(beside) > 2 or any(near in closed for near in beside):
                yield Reading(tuple(facts))
            elif len(beside) == 2:
                empty = [(near, at, NOT) for near in beside for at in (time, time + 1)]
                yield Reading(tuple(dict.fromkeys([*facts, *empty])))
            for near in beside:
                if len(beside) <= 2 and near not in free and near not in closed:
                    yield Reading((*facts, (near, time, MUST)))

    def _readings_of_their_self_atari(self, time: int, own: bytes, news: News) -> list[Reading]:
        """He has one liberty left, as a lone stone, or as part of a small chain, or somehow."""
        after = bytearray(own)
        for point in news.captured:
            after[point] = EMPTY
        readings = [Reading((), 0.05)]
        for stone in range(len(own)):
            if own[stone] == self.colour:
                continue
            for size in (1, 2, 3):
                for members, last in self._closed_sets(after, -1, stone, size, news.captured):
                    facts = [(member, time, MUST) for member in members if member != stone]
                    freed = [] if last in news.captured else [(last, time, NOT)]
                    reading = (*facts, *freed, (last, time + 1, NOT), (stone, time, NOT), (stone, time + 1, MUST))
                    readings.append(Reading(reading))
        return readings

    def _readings_of_own_atari(
        self, time: int, own: bytes | bytearray, point: int, news: News, count: int
    ) -> list[Reading]:
        """Our stone left chains of his beside it, so many stones in all, one liberty each."""
        sets = [
            found
            for size in range(1, count + 1)
            for near in self._board.neighbours[point]
            if own[near] != self.colour and near not in news.captured
            for found in self._closed_sets(own, point, near, size, news.captured)
        ]
        unique = list(dict.fromkeys(sets))
        readings = []
        for number in (1, 2, 3):
            for group in combinations(unique, number):
                if sum(len(members) for members, _ in group) != count or not self._are_apart(group):
                    continue
                facts = {(member, time, MUST) for members, _ in group for member in members}
                for _, last in group:
                    facts.add((last, time + 1, NOT))
                    if last not in news.captured:
                        facts.add((last, time, NOT))
                readings.append(Reading(tuple(sorted(facts))))
                if len(readings) > _MOST_SETS * 10:
                    return readings
        return readings

    def _are_apart(self, group: Sequence[tuple[frozenset[int], int]]) -> bool:
        """Whether these are different chains: no shared point, none beside the other, no last liberty occupied."""
        for (first, last), (second, other) in combinations(group, 2):
            if first & second or last in second or other in first:
                return False
            if any(near in second for member in first for near in self._board.neighbours[member]):
                return False
        return True

    def _closed_sets(
        self, own: bytes | bytearray, point: int, begin: int, size: int, captured: Sequence[int]
    ) -> list[tuple[frozenset[int], int]]:
        """Connected sets of `size` points that are not ours, each with the only one beside it that is not ours, too."""
        found: list[tuple[frozenset[int], int]] = []
        neighbours = self._board.neighbours
        seen: set[frozenset[int]] = set()
        stack = [frozenset({begin})]
        while stack and len(seen) < _MOST_SETS * 20:
            members = stack.pop()
            if members in seen:
                continue
            seen.add(members)
            around = sorted(
                {
                    near
                    for member in members
                    for near in neighbours[member]
                    if near not in members and near != point and own[near] != self.colour
                }
            )
            if len(members) == size:
                if len(around) == 1:
                    found.append((members, around[0]))
                continue
            stack += [members | {near} for near in around if near not in captured]
        return found


def _story(points: int, colour: int, news: Sequence[News]) -> Iterator[Heard]:
    """The news with the own stones before each of it."""
    own = bytearray(points)
    for item in news:
        yield Heard(item, bytes(own))
        if item.seating is not None:
            for point in item.seating.placed:
                own[point] = colour
        elif not item.refused:
            if item.actor == colour and item.action is not None and item.action >= 0:
                own[item.action] = colour
            for point in item.captured:
                own[point] = EMPTY


def _chains_of(board: Board, stones: bytes | bytearray, points: Sequence[int]) -> list[list[int]]:
    """The chains that have a stone on one of the points."""
    seen: set[int] = set()
    found = []
    for point in points:
        if stones[point] and point not in seen:
            members = chain(board, stones, point)
            seen.update(members)
            found.append(members)
    return found
