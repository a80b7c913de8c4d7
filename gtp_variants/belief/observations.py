"""Go Fantôme: what one seat heard, and whether stones of the other's would have sounded like it.

Our stones are known at every moment, and so are captures, but for a rule set in which we hear only how many stones of
his went. What is hidden is one list of points: where each stone of the other's was put. Sets of points are masks here:
bit p is point p.

Source: 001_d6d69fd415a28a9d.txt, "Annonces possibles de l'arbitre".
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from gtp_variants.backend import load_native
from gtp_variants.rules.actions import EMPTY, MARK_DEAD, PASS, TURN, unpack
from gtp_variants.rules.views import News, Seating

if TYPE_CHECKING:
    from gtp_variants.belief._belief import Story as KernelStory
    from gtp_variants.rules.games.phantom import PhantomPosition, PhantomRules

# How wrong it is that a stone cannot be put where it was, or only by suicide or repetition; that a try was refused
# which could be played; that other stones are captured, and how much each of them counts, up to so many; how much each
# stone counts that keeps a board from coming again where it did, up to so many.
_MOST_OTHER = 4
_OCCUPIED, _SUICIDE, _REPEATED, _PLAYABLE, _CAPTURES, _MOST_CAPTURES, _MOST_ATARI = 4, 3, 2, 1, 1, 3, 2

# Where he likes to put stones, as logarithms: on which line from the edge, and what is added on a board that is empty,
# the less the fuller it is; beside so many stones of his and of ours; for each of his two steps away; in an eye of his.
# Fitted to 2,503 moves of 24 games of the bot `phantom` against itself on 9x9, and rounded (conditional logit; 2.79
# nats a move where a choice at random takes 3.44).
_EARLY = 0.6
_LINE, _EARLY_LINE = (1.5, 0.25, 0.05, 0.0), (-3.2, -0.35, 0.6, 0.0)
_BESIDE_HIS, _BESIDE_OURS, _NEAR_HIS, _EYE = (0.0, 1.1, 0.4, 0.8), (0.0, 1.0, 1.0, 2.5), 0.37, -4.5


class Kind(Enum):
    """What a piece of news is of; the kernel knows the kinds by their numbers."""

    SEATED = auto()  # a stone of his that stood there from the start
    OURS = auto()
    THEIRS = auto()
    REFUSED = auto()  # a try of ours
    THEY_REFUSED = auto()
    MARKED = auto()  # a chain called dead
    OTHER = auto()


# A stone of his was put; a stone was accepted; what needs a stone on its point.
PUT = (Kind.SEATED, Kind.THEIRS)
ACCEPTED = (Kind.OURS, Kind.THEIRS)
OCCUPIED = (Kind.REFUSED, Kind.THEY_REFUSED, Kind.MARKED)


@dataclass(frozen=True, slots=True)
class Tick:
    """One piece of news, or one stone of a start.

    `point`    where we acted, -1 where that was not us
    `gone`     what was captured, as far as it was shown, and `count` how many stones
    `atari`    how many stones were said to be put in atari; `self_atari` whether it was said of the stone itself
    `boards`   the earlier moments with the same stones of ours, whose board must not come again; where one came again
               and that was the end, those it can have been
    """

    news: News
    kind: Kind
    point: int = -1
    gone: int = 0
    count: int = 0
    atari: int = 0
    self_atari: bool = False
    boards: tuple[int, ...] = ()


# How one tick would have sounded: how wrong that is, 0 for not at all, and the points that have to do with it if it is
# wrong; if it is not, those that must stay as they are for it to stay right.
Sound = tuple[int, int]


class Placed(NamedTuple):
    """What an accepted stone does: what it takes, how many stones it puts in atari, its liberties.

    `around` are the points that have to do with it. It stays like that while those of `enough` stay as they are.
    """

    taken: int
    atari: int
    liberties: int
    around: int
    enough: int


class Story:
    """All that one seat heard so far.

    `ticks`  what was heard; a time is an index of it
    `own`    our stones before each tick, and after the last
    `slots`  the times at which a stone of his was put
    `open`   the points it may have been put on, as far as our own stones tell; also for his refused tries
    `wary`   the times at which a board may come again
    `untold` the times at which it was not shown what we captured
    `needs`  for each point the times at which he stands there, or in all likelihood
    `told`   the same story in the native kernel, None where that does not run
    `times`  when a board was left to the other side, `makers` by whom, `by_placing` whether by a stone
    `last`   the time of the last stone or pass
    `example`  where a game that agrees stands, as the rules played it; None as long as none was played since the last
             piece of news
    """

    def __init__(self, rules: "PhantomRules", colour: int) -> None:
        board = rules.board
        self.rules = rules
        self.colour = colour
        self.ticks: list[Tick] = []
        self.own = [0]
        self.slots: list[int] = []
        self.open: dict[int, int] = {}
        self.wary: list[int] = []
        self.untold: list[int] = []
        self.seating: Seating | None = None
        self.needs: list[list[int]] = [[] for _ in range(len(board))]
        self.near = tuple(mask(near) for near in board.neighbours)
        self.whole = (1 << len(board)) - 1
        # The points two steps away, and the line of each point, 0 for the edge, as far as it matters.
        self.second = tuple(
            mask({further for near in beside for further in board.neighbours[near]} - {point, *beside})
            for point, beside in enumerate(board.neighbours)
        )
        self.lines = tuple(min(max(ring, 1), len(_LINE)) - 1 for ring in board.rings)
        # When his stone on a point was captured.
        self._taken: list[list[int]] = [[] for _ in range(len(board))]
        # How many stones of his there are; the moments, each with that, by what is the same when a board comes again.
        self._count = 0
        self._moments: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        self.times: list[int] = []
        self.makers: list[int] = []
        self.by_placing: list[bool] = []
        self.last = 0
        self._mover = rules.start().mover
        self._is_marked = False
        self.example: PhantomPosition | None = None
        # What the referee says of enemy stones in atari, and of a stone that is in atari itself.
        self._atari, self._self_atari = rules.values["atari"], rules.values["self_atari"]
        native = load_native("gtp_variants.belief._belief")
        facts = (board.neighbours, board.rings, colour, self._atari, self._self_atari)
        self.told: KernelStory | None = native.make_story(*facts) if native else None
        self._remember(3 - rules.start().mover, is_stone=False)

    def hear(self, news: News) -> None:
        """Take in one piece of news."""
        self.example = None
        if news.seating is not None:
            self.seating = news.seating
            self._moments.clear()
            for kept in (self.times, self.makers, self.by_placing):
                kept.clear()
            self.last = self._count = news.seating.unseen
            self._mover = news.seating.to_play
            self.own[-1] = mask(news.seating.placed)
            if self.told:
                self.told.seat(self._bytes(self.own[-1]))
            for _ in range(news.seating.unseen):
                self._add(Tick(news, Kind.SEATED))
            self._remember(3 - news.seating.to_play, is_stone=False)
        elif news.refused:
            self._hear_refusal(news)
        elif news.action is None or news.action >= 0:
            self._hear_stone(news)
        else:
            self._hear_other(news, news.action)

    def _hear_refusal(self, news: News) -> None:
        if news.action is None:
            self.open[len(self.ticks)] = self.own[-1] or self.whole
            boards = () if self.own[-1] else self._boards(news.actor, 0, self._count + 1, is_refused=True)
            self._add(Tick(news, Kind.THEY_REFUSED, boards=boards))
            return
        if news.shown != EMPTY:
            self.needs[news.action].append(len(self.ticks))
        boards = self._boards(news.actor, self.own[-1] | 1 << news.action, None, is_refused=True)
        self._add(Tick(news, Kind.REFUSED, news.action, boards=boards))

    def _hear_stone(self, news: News) -> None:
        said = {item.code: item.count for item in news.said}
        time, own, gone = len(self.ticks), self.own[-1], mask(news.captured)
        if news.action is None:
            self._count += 1
            after, kind, point = own & ~gone, Kind.THEIRS, -1
            for around in self._around(gone, own):
                self.needs[around].append(time + 1)
        else:
            self._count -= news.count
            after, kind, point = own | 1 << news.action, Kind.OURS, news.action
            begin = max([self.came(point, time), *self.untold[-1:]])
            for slot in self.slots[bisect_left(self.slots, begin) :]:
                self.open[slot] &= ~(1 << point)
            for taken in news.captured:
                self._taken[taken].append(time)
                self.needs[taken].append(time)
        boards = self._boards(news.actor, after, self._count)
        if news.repeated:
            # The board before the last move cannot come again.
            boards = tuple(moment for moment in boards if moment != self.last)
        if kind is Kind.OURS and news.count > len(news.captured):
            self.untold.append(time)
        tick = Tick(news, kind, point, gone, news.count, said.get("atari", 0), "self_atari" in said, boards)
        self._add(tick, after)
        self.last, self._mover = time, 3 - news.actor
        self._remember(news.actor, is_stone=True)

    def _around(self, gone: int, own: int) -> list[int]:
        """The points on which he must stand once stones of ours are gone: what is next to them and not ours."""
        return [point for point, near in enumerate(self.near) if near & gone and not own >> point & 1]

    def _hear_other(self, news: News, action: int) -> None:
        kind, point = unpack(action)
        if kind == MARK_DEAD:
            if not self.own[-1] >> point & 1:
                self.needs[point].append(len(self.ticks))
            self._add(Tick(news, Kind.MARKED, point))
            self._is_marked = True
            return
        self._add(Tick(news, Kind.OTHER))
        if action == PASS:
            self.last = len(self.ticks) - 1
            self._mover = 3 - news.actor
            self._remember(news.actor, is_stone=False)
        elif action == TURN and news.actor != self._mover:
            self._mover = news.actor
            self._remember(3 - news.actor, is_stone=False)

    def _add(self, tick: Tick, own: int | None = None) -> None:
        time, before = len(self.ticks), self.own[-1]
        if tick.kind in PUT:
            self.slots.append(time)
            self.open[time] = self.whole & ~before
        if tick.boards:
            self.wary.append(time)
        self.ticks.append(tick)
        self.own.append(before if own is None else own)
        if self.told:
            shown = tick.news.shown
            self.told.hear(
                kind=tick.kind.value,
                point=tick.point,
                gone=self._bytes(tick.gone),
                count=tick.count,
                atari=tick.atari,
                self_atari=tick.self_atari,
                ends=tick.news.repeated,
                shown=-1 if shown is None else int(shown != EMPTY),
                boards=tick.boards,
                after=self._bytes(self.own[-1]),
            )

    def _bytes(self, points: int) -> bytes:
        """A mask for the kernel."""
        return points.to_bytes((len(self.near) + 7) // 8, "little")

    def hides_stones_only(self, position: "PhantomPosition") -> bool:
        """Whether all games that agree come to this position, but for his stones and those that stood before."""
        values = self.rules.values
        is_hidden = values["refused"] == "shown" or values["captures"] == "owner"
        return not (is_hidden or self._is_marked or (position.tried and position.mover != self.colour))

    def after(self, time: int, stones: int, point: int) -> int:
        """His stones after a tick at which he may have put one on `point`."""
        tick = self.ticks[time]
        if tick.kind in PUT:
            return stones | 1 << point
        if tick.kind is not Kind.OURS:
            return stones
        bit = 1 << tick.point
        if tick.count == tick.gone.bit_count() or stones & bit:
            return stones & ~tick.gone
        return stones & ~(tick.gone | self._place(self.own[time] | bit, stones, tick.point).taken)

    def due(self, point: int, time: int) -> int:
        """The first time after `time` at which a stone put there then serves for something; 0 if there is none."""
        needs = self.needs[point]
        at = bisect_right(needs, time)
        return needs[at] if at < len(needs) and self.came(point, needs[at]) <= time else 0

    def puts(self, begin: int, end: int) -> int:
        """How many stones of his were put at a time from `begin` up to, but without, `end`."""
        return bisect_left(self.slots, end) - bisect_left(self.slots, begin)

    def came(self, point: int, time: int) -> int:
        """The first time at which a stone on a point could be put that is still there at `time`."""
        taken = self._taken[point]
        at = bisect_left(taken, time)
        return taken[at - 1] if at else 0

    def is_needed(self, point: int, time: int) -> bool:
        """Whether a stone put on a point at a time serves for something that was heard later."""
        needs = self.needs[point]
        return bool(needs) and needs[-1] > time

    # -- repetition ------------------------------------------------------------------------------------------------

    def _key(self, maker: int, own: int, is_stone: bool) -> tuple[int, ...]:
        """What must be the same for a board to come again, apart from his stones."""
        kind = self.rules.repetition
        if kind == "nssk":
            return (own, maker, is_stone)
        return (own, maker) if kind == "ssk" else (own,)

    def _remember(self, maker: int, is_stone: bool) -> None:
        """The board as it is now was left by `maker`."""
        key = self._key(maker, self.own[-1], is_stone)
        self._moments.setdefault(key, []).append((len(self.ticks), self._count))
        self.times.append(len(self.ticks))
        self.makers.append(maker)
        self.by_placing.append(is_stone)

    def _boards(self, maker: int, own: int, count: int | None, is_refused: bool = False) -> tuple[int, ...]:
        """The moments whose board a stone of `maker` must not make again; `count` are the stones of his, if known."""
        kind = self.rules.repetition
        if kind == "none":
            return ()
        # Where any other board that comes again ends the game it did not come; no try is refused for that.
        if kind == "simple" or (kind == "draw" and is_refused):
            return (self.last,) if self.own[self.last] == own else ()
        moments = self._moments.get(self._key(maker, own, is_stone=True), ())
        return tuple(moment for moment, there in moments if count is None or there == count)

    # -- what is likely ----------------------------------------------------------------------------------------------

    def liking(self, time: int, his: int, point: int) -> float:
        """How likely it is that he puts a stone on a point where these are his: a logarithm, up to a constant."""
        ours, one = self.own[time], self.near[point]
        filled = (his | ours).bit_count() / len(self.near)
        line = self.lines[point]
        liking = _LINE[line] + _EARLY_LINE[line] * max(0.0, 1 - filled / _EARLY)
        liking += _BESIDE_HIS[min(3, (one & his).bit_count())]
        liking += _BESIDE_OURS[min(3, (one & ours).bit_count())]
        liking += _NEAR_HIS * (self.second[point] & his).bit_count()
        return liking if one & ~his else liking + _EYE

    # -- what it would have sounded like ---------------------------------------------------------------------------

    def sound(self, time: int, his: Sequence[int], point: int) -> Sound:
        """How a tick would have sounded had his stones stood as `his` says, and his own been put on `point`.

        `his` holds his stones before every tick up to this one.
        """
        tick, own, stones = self.ticks[time], self.own[time], his[time]
        kind = tick.kind
        if kind is Kind.OTHER:
            return 0, 0
        is_ours = tick.point >= 0
        point = tick.point if is_ours else point
        bit = 1 << point
        if (own | stones) & bit:
            if kind is Kind.REFUSED and tick.news.shown == EMPTY:
                return _OCCUPIED, bit
            return (0 if kind in OCCUPIED else _OCCUPIED), bit
        if kind is Kind.MARKED:
            return _OCCUPIED, bit
        mine, other = (own, stones) if is_ours else (stones, own)
        placed = self._place(mine | bit, other, point)
        after = stones & ~placed.taken if is_ours else stones | bit
        repeated = any(his[moment] == after for moment in tick.boards)
        if kind in OCCUPIED:
            is_right = (repeated or not placed.liberties) and not tick.news.shown
            return (0 if is_right else _PLAYABLE), placed.around
        if not placed.liberties:
            return _SUICIDE, placed.around
        wrong = _REPEATED if repeated and not tick.news.repeated else 0
        other_taken = (tick.gone & ~placed.taken).bit_count() + abs(placed.taken.bit_count() - tick.count)
        if other_taken:
            wrong += _CAPTURES + min(_MOST_CAPTURES, other_taken)
        atari, around, enough = placed.atari, placed.around, placed.enough
        if self._atari == "all":
            atari, _ = self._in_atari(mine | bit, other & ~placed.taken)
            around = enough = self.whole
        self_atari = not placed.liberties & (placed.liberties - 1)
        if self_atari and self._self_atari == "new_only":
            self_atari = not self._was_in_atari(mine, other, point)
        if kind is not Kind.SEATED and self._atari != "none":
            wrong += min(_MOST_ATARI, abs(atari - tick.atari))
        if kind is not Kind.SEATED and self._self_atari != "none":
            wrong += self_atari != tick.self_atari
        if tick.news.repeated:
            unlike = min((his[moment] ^ after for moment in tick.boards), key=int.bit_count, default=self.whole)
            wrong += min(_MOST_OTHER, unlike.bit_count())
            around, enough = around | unlike, self.whole
        return wrong, around if wrong else enough

    def suspects(self, time: int, stones: int, point: int, around: int) -> int:
        """Of the points that have to do with a wrong tick those on which a stone more or less may mend it."""
        tick, own = self.ticks[time], self.own[time]
        if self._atari != "all" or tick.kind not in ACCEPTED:
            return around
        point = tick.point if tick.point >= 0 else point
        mine, other = (own, stones) if tick.point >= 0 else (stones, own)
        return self._place(mine | 1 << point, other, point).around | self._in_atari(mine, other)[1]

    def _in_atari(self, mine: int, other: int) -> tuple[int, int]:
        """How many stones of `other` are in atari; those chains, and the ones that nearly are, with what is around."""
        empty, count, near, rest = self.whole & ~(mine | other), 0, 0, other
        while rest:
            members, around = self._chain(other, (rest & -rest).bit_length() - 1)
            rest &= ~members
            free = around & empty
            more = free & (free - 1)
            if free and not more:
                count += members.bit_count()
            if not more & (more - 1):
                near |= members | around
        return count, near

    def _was_in_atari(self, mine: int, other: int, point: int) -> bool:
        """Whether a stone there only extends chains of `mine` that are in atari already."""
        empty, beside = self.whole & ~(mine | other), self.near[point] & mine
        if not beside:
            return False
        while beside:
            members, around = self._chain(mine, (beside & -beside).bit_length() - 1)
            beside &= ~members
            free = around & empty
            if free & (free - 1):
                return False
        return True

    def _place(self, mine: int, other: int, point: int) -> Placed:
        """What a stone on a point does: `mine` are the stones of its colour, it among them."""
        empty, beside = self.whole & ~(mine | other), self.near[point] & other
        taken = atari = seen = 0
        enough = 1 << point | self.near[point]
        while beside:
            members, around = self._chain(other, (beside & -beside).bit_length() - 1)
            beside &= ~members
            seen |= members | around
            free = around & empty
            more = free & (free - 1)
            if more:
                # Two liberties are enough to know.
                enough |= members | free & -free | more & -more
                continue
            enough |= members | around
            if free:
                atari += members.bit_count()
            else:
                taken |= members
        members, around = self._chain(mine, point)
        free = around & (empty | taken)
        more = free & (free - 1)
        enough |= members | (free & -free | more & -more if more else around)
        return Placed(taken, atari, free, seen | members | around, enough)

    def _chain(self, stones: int, point: int) -> tuple[int, int]:
        """The chain of a stone, and the points around it."""
        near = self.near
        members, around = 1 << point, near[point]
        more = around & stones
        while more:
            bit = more & -more
            members |= bit
            around |= near[bit.bit_length() - 1]
            more = around & stones & ~members
        return members, around & ~members


def mask(points: Iterable[int]) -> int:
    """A set of points as a mask."""
    return sum(1 << point for point in points)
