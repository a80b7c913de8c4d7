"""One seat's news in Go Fantôme, and the cost of hidden stones that contradict the news.

The seat's own stones are always known, and so are captures, except where the rules announce only their number. What is
unknown is the point where each enemy stone was placed. In names, the seat is "us" and the other side "them". Sets of
points are masks: bit p is point p.

Source: "Annonces possibles de l'arbitre" in the file 001_d6d69fd415a28a9d.txt of the specification.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from gtp_variants.ai.backend import load_native
from gtp_variants.ai.belief.prior import COUNTS, FITTED, LINES, PlacementPrior, load_prior
from gtp_variants.rules.actions import EMPTY, MARK_DEAD, PASS, RESUME, TURN, unpack
from gtp_variants.rules.position import Position
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.views import News, Seating

if TYPE_CHECKING:
    from gtp_variants.ai.belief._belief import ObservationHistory as KernelHistory


class PassRow:
    """The passes in a row, for rules under which refused tries interrupt passes and the other side's tries are private.

    `parted` holds the times of the other side's passes that a refused private try must have preceded, because the game
    would otherwise have been over. Replaying a game needs these tries; a view needs only the possible number of passes
    in a row, which `rules/games/phantom.py` and the kernel count.
    """

    def __init__(self, rules: HiddenRules, colour: int) -> None:
        self.parted: frozenset[int] = frozenset()
        self._is_wanted = rules.refusal_is_private and rules.refusal_parts_passes
        self._end = rules.end_passes
        self._has_button = rules.button
        self._colour = colour
        self._row: list[tuple[int, News]] = []

    def hear(self, time: int, news: News) -> None:
        """Add one piece of news, which shows that the game had not ended before."""
        if not self._is_wanted:
            return
        if self._is_over(self.parted):
            theirs = (each for each, passed in reversed(self._row) if _is_pass(passed) and passed.actor != self._colour)
            more = (self.parted | {each} for each in theirs)
            self.parted = next((parted for parted in more if not self._is_over(parted)), self.parted)
        if self._has_button and _is_pass(news):
            self._has_button = False
        elif news.refused or news.action in (PASS, TURN):
            self._row.append((time, news))
        elif news.action is None or news.action >= 0 or news.action == RESUME:
            self._row.clear()

    def _is_over(self, parted: frozenset[int]) -> bool:
        """Return True if the passes would have ended the game for good, with private tries at the times in `parted`."""
        count = 0
        for time, news in self._row:
            if count > self._end:
                return True
            # Once passes have provisionally ended the game, nothing resets the count.
            if count < self._end and (time in parted or not _is_pass(news)):
                count = 0
            count += _is_pass(news)
        return count > self._end


def _is_pass(news: News) -> bool:
    return news.action == PASS and not news.refused


# Costs of mismatches: a stone on an occupied point; a suicide; a repeated board; a refused try that was legal; wrong
# captures, plus 1 for each stone too many or too few, up to a maximum.
_OCCUPIED = 4
_SUICIDE = 3
_REPEATED = 2
_PLAYABLE = 1
_CAPTURES = 1
_MOST_CAPTURES = 3
# Maximum cost of a wrong number of stones in atari, and of stones that differ from the board to be repeated.
_MOST_ATARI = 2
_MOST_OTHER = 4


class ObservationKind(Enum):
    """The kinds of observations; the kernel uses the same numbers."""

    START = auto()  # an enemy stone present from the start
    OURS = auto()
    THEIRS = auto()
    REFUSED = auto()  # a refused try of this seat
    THEY_REFUSED = auto()
    MARKED = auto()  # a chain marked as dead
    OTHER = auto()


# Kinds that place an enemy stone; kinds that place a stone of either side; kinds explained by a stone on the point.
PLACING = (ObservationKind.START, ObservationKind.THEIRS)
ACCEPTED = (ObservationKind.OURS, ObservationKind.THEIRS)
OCCUPIED = (ObservationKind.REFUSED, ObservationKind.THEY_REFUSED, ObservationKind.MARKED)


@dataclass(frozen=True, slots=True)
class Observation:
    """One piece of news, or one enemy stone of the starting position.

    `point`  the point of the seat's own stone or try, or of a chain that either side marked as dead; otherwise -1
    `gone`  captured stones, as far as they were shown; `count` is the number of all captured stones
    `atari`  number of stones announced as put in atari; `self_atari` is True if the placed stone itself was
    `boards`  times of earlier boards with the same own stones, which must not recur; if a recurrence ended the game,
        times of the boards that may have recurred
    """

    news: News
    kind: ObservationKind
    point: int = -1
    gone: int = 0
    count: int = 0
    atari: int = 0
    self_atari: bool = False
    boards: tuple[int, ...] = ()


# The cost of contradicting an observation, and the points that cause the cost, or that prove a cost of 0.
Mismatch = tuple[int, int]


class StoneEffect(NamedTuple):
    """The effect of a stone: the stones `taken`, the number of stones that it puts in `atari`, and its `liberties`.

    `around` contains all chains concerned and the points beside them, `witness` enough points to prove the effect.
    """

    taken: int
    atari: int
    liberties: int
    around: int
    witness: int


class ObservationHistory:
    """Everything that one seat has heard.

    `observations`  the observations; a time is an index of this list
    `own`  the seat's stones before each observation, and after the last observation
    `placements`  times at which enemy stones were placed
    `candidates`  possible points of enemy stones and refused tries, by time, judging by own stones alone
    `repetition_times`  times of the observations that have `boards`
    `hidden_capture_times`  times at which the seat captured stones that were not all shown
    `required`  for each point, the times at which an enemy stone is certainly or very likely there
    `native`  the same history in the kernel, or None
    `times`  the time of the board after each turn; `makers`: the colour that moved; `by_placing`: True for a stone
    `last`  time of the last stone or pass
    `passes`  finds where private tries must have interrupted passes
    `played_position`  final position, by the rules, of a game that fits the news; None until such a game is played
    """

    def __init__(self, rules: HiddenRules, colour: int, prior: str = FITTED) -> None:
        board = rules.board
        self.rules = rules
        self.colour = colour
        self.observations: list[Observation] = []
        self.own = [0]
        self.placements: list[int] = []
        self.candidates: dict[int, int] = {}
        self.repetition_times: list[int] = []
        self.hidden_capture_times: list[int] = []
        self.seating: Seating | None = None
        self.required: list[list[int]] = [[] for _ in range(len(board))]
        self.near = tuple(mask(near) for near in board.neighbours)
        self.whole = (1 << len(board)) - 1
        # For each point, the points two steps away, and its line from the edge, from 0 to `LINES` - 1.
        self.two_steps = tuple(
            mask({further for near in beside for further in board.neighbours[near]} - {point, *beside})
            for point, beside in enumerate(board.neighbours)
        )
        self.lines = tuple(min(max(ring, 1), LINES) - 1 for ring in board.rings)
        # Times at which an enemy stone on each point was captured.
        self._taken: list[list[int]] = [[] for _ in range(len(board))]
        # The number of enemy stones now; and for each `_key`, the (time, number of enemy stones) of its boards.
        self._their_count = 0
        self._moments: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        self.times: list[int] = []
        self.makers: list[int] = []
        self.by_placing: list[bool] = []
        self.last = 0
        self._mover = rules.start().mover
        self._has_marked_dead = False
        self.passes = PassRow(rules, colour)
        self.played_position: Position | None = None
        # How the referee announces enemy stones in atari, and a placed stone that is itself in atari.
        self._atari, self._self_atari = rules.enemy_atari, rules.own_atari
        native = load_native("gtp_variants.ai.belief._belief")
        self.prior = load_prior(prior)
        facts = (board.neighbours, board.rings, colour, self._atari, self._self_atari, *astuple(self.prior))
        self.native: KernelHistory | None = native.make_history(*facts) if native else None
        # The log odds given to `expect`, for each point.
        self._expected: Sequence[float] = (0.0,) * len(board)
        self._remember(3 - rules.start().mover, is_stone=False)

    def hear(self, news: News) -> None:
        """Add one piece of news."""
        self.played_position = None
        self.passes.hear(len(self.observations), news)
        if news.seating is not None:
            self.seating = news.seating
            self._moments.clear()
            for each in (self.times, self.makers, self.by_placing):
                each.clear()
            self.last = self._their_count = news.seating.unseen
            self._mover = news.seating.to_play
            self.own[-1] = mask(news.seating.placed)
            if self.native:
                self.native.seat(self._bytes(self.own[-1]))
            for _ in range(news.seating.unseen):
                self._add(Observation(news, ObservationKind.START))
            self._remember(3 - news.seating.to_play, is_stone=False)
        elif news.refused:
            self._hear_refusal(news)
        elif news.action is None or news.action >= 0:
            self._hear_stone(news)
        else:
            self._hear_other(news, news.action)

    def expect(self, log_odds: Sequence[float]) -> None:
        """Set the log odds, for each point, to add to the log prior of an enemy stone there."""
        self._expected = log_odds
        if self.native:
            self.native.expect(log_odds)

    def _hear_refusal(self, news: News) -> None:
        if news.action is None:
            self.candidates[len(self.observations)] = self.own[-1] or self.whole
            boards = () if self.own[-1] else self._boards(news.actor, 0, self._their_count + 1, is_refused=True)
            self._add(Observation(news, ObservationKind.THEY_REFUSED, boards=boards))
            return
        if news.shown != EMPTY:
            self.required[news.action].append(len(self.observations))
        boards = self._boards(news.actor, self.own[-1] | 1 << news.action, None, is_refused=True)
        self._add(Observation(news, ObservationKind.REFUSED, news.action, boards=boards))

    def _hear_stone(self, news: News) -> None:
        said = {item.code: item.count for item in news.said}
        time, own, gone = len(self.observations), self.own[-1], mask(news.captured)
        if news.action is None:
            self._their_count += 1
            after, kind, point = own & ~gone, ObservationKind.THEIRS, -1
            for around, near in enumerate(self.near):
                if near & gone and not own >> around & 1:
                    # Require an enemy stone here, because only such a stone can have taken this liberty.
                    self.required[around].append(time + 1)
        else:
            self._their_count -= news.count
            after, kind, point = own | 1 << news.action, ObservationKind.OURS, news.action
            begin = max([self.earliest_placement(point, time), *self.hidden_capture_times[-1:]])
            for turn in self.placements[bisect_left(self.placements, begin) :]:
                self.candidates[turn] &= ~(1 << point)
            for taken in news.captured:
                self._taken[taken].append(time)
                self.required[taken].append(time)
        boards = self._boards(news.actor, after, self._their_count)
        if news.repeated:
            # Leave out the board before the last move, because the ko rule refuses a stone that recreates it.
            boards = tuple(moment for moment in boards if moment != self.last)
        if kind is ObservationKind.OURS and news.count > len(news.captured):
            self.hidden_capture_times.append(time)
        observation = Observation(
            news, kind, point, gone, news.count, said.get("atari", 0), "self_atari" in said, boards
        )
        self._add(observation, after)
        self.last, self._mover = time, 3 - news.actor
        self._remember(news.actor, is_stone=True)

    def _hear_other(self, news: News, action: int) -> None:
        kind, point = unpack(action)
        if kind == MARK_DEAD:
            if not self.own[-1] >> point & 1:
                self.required[point].append(len(self.observations))
            self._add(Observation(news, ObservationKind.MARKED, point))
            self._has_marked_dead = True
            return
        self._add(Observation(news, ObservationKind.OTHER))
        if action == PASS:
            self.last = len(self.observations) - 1
            self._mover = 3 - news.actor
            self._remember(news.actor, is_stone=False)
        elif action == TURN and news.actor != self._mover:
            self._mover = news.actor
            self._remember(3 - news.actor, is_stone=False)

    def _add(self, observation: Observation, own: int | None = None) -> None:
        time, before = len(self.observations), self.own[-1]
        if observation.kind in PLACING:
            self.placements.append(time)
            self.candidates[time] = self.whole & ~before
        if observation.boards:
            self.repetition_times.append(time)
        self.observations.append(observation)
        self.own.append(before if own is None else own)
        if self.native:
            shown = observation.news.shown
            self.native.hear(
                kind=observation.kind.value,
                point=observation.point,
                gone=self._bytes(observation.gone),
                count=observation.count,
                atari=observation.atari,
                self_atari=observation.self_atari,
                ends=observation.news.repeated,
                shown=-1 if shown is None else int(shown != EMPTY),
                boards=observation.boards,
                after=self._bytes(self.own[-1]),
            )

    def _bytes(self, points: int) -> bytes:
        """Return a mask as bytes for the kernel."""
        return points.to_bytes((len(self.near) + 7) // 8, "little")

    def hides_stones_only(self, position: Position) -> bool:
        """Return True if all games that agree with the news share this position except for its enemy stones."""
        is_hidden = self.rules.refusal_shows_stone or self.rules.only_owner_sees_captures
        return not (is_hidden or self._has_marked_dead or (position.tried and position.mover != self.colour))

    def after(self, time: int, stones: int, point: int) -> int:
        """Return the enemy stones after an observation, given `stones` before and the `point` of its enemy stone."""
        observation = self.observations[time]
        if observation.kind in PLACING:
            return stones | 1 << point
        if observation.kind is not ObservationKind.OURS:
            return stones
        bit = 1 << observation.point
        if observation.count == observation.gone.bit_count() or stones & bit:
            return stones & ~observation.gone
        return stones & ~(observation.gone | self._place(self.own[time] | bit, stones, observation.point).taken)

    def next_requirement(self, point: int, time: int) -> int:
        """Return the next time when an enemy stone put on `point` at `time` must still be there; 0 if there is none."""
        required = self.required[point]
        at = bisect_right(required, time)
        return required[at] if at < len(required) and self.earliest_placement(point, required[at]) <= time else 0

    def count_placements(self, begin: int, end: int) -> int:
        """Count the enemy stones placed from `begin` up to, but excluding, `end`."""
        return bisect_left(self.placements, end) - bisect_left(self.placements, begin)

    def earliest_placement(self, point: int, time: int) -> int:
        """Return the earliest time at which an enemy stone that is on `point` at `time` can have been placed."""
        taken = self._taken[point]
        at = bisect_left(taken, time)
        return taken[at - 1] if at else 0

    def is_required_later(self, point: int, time: int) -> bool:
        """Return True if an enemy stone is required on `point` at any time after `time`."""
        required = self.required[point]
        return bool(required) and required[-1] > time

    def _key(self, maker: int, own: int, is_stone: bool) -> tuple[int, ...]:
        """Return a key that is equal for boards that the repetition rule may equate, whatever their enemy stones."""
        kind = self.rules.repetition
        if kind == "nssk":
            return (own, maker, is_stone)
        return (own, maker) if kind == "ssk" else (own,)

    def _remember(self, maker: int, is_stone: bool) -> None:
        """Record that the current board arose from a turn of `maker`, a stone if `is_stone`, or from the start."""
        key = self._key(maker, self.own[-1], is_stone)
        self._moments.setdefault(key, []).append((len(self.observations), self._their_count))
        self.times.append(len(self.observations))
        self.makers.append(maker)
        self.by_placing.append(is_stone)

    def _boards(self, maker: int, own: int, count: int | None, is_refused: bool = False) -> tuple[int, ...]:
        """Return the times of boards with `own` and, if known, `count` enemy stones that `maker` must not repeat."""
        kind = self.rules.repetition
        if kind == "none":
            return ()
        # Where repetition draws the game, only the simple ko refuses a try because of repetition.
        if kind == "simple" or (kind == "draw" and is_refused):
            return (self.last,) if self.own[self.last] == own else ()
        moments = self._moments.get(self._key(maker, own, is_stone=True), ())
        return tuple(moment for moment, there in moments if count is None or there == count)

    def log_prior(self, time: int, theirs: int, point: int, other: PlacementPrior | None = None) -> float:
        """Return the log prior of an enemy stone put on `point` beside `theirs`, by `other` or else `self.prior`."""
        prior, ours, beside = other or self.prior, self.own[time], self.near[point]
        filled = (theirs | ours).bit_count() / len(self.near)
        line = self.lines[point]
        total = prior.line[line] + prior.early_line[line] * max(0.0, 1 - filled / prior.early)
        total += prior.beside_theirs[min(COUNTS - 1, (beside & theirs).bit_count())]
        total += prior.beside_ours[min(COUNTS - 1, (beside & ours).bit_count())]
        total += prior.near_theirs * (self.two_steps[point] & theirs).bit_count()
        if not beside & ~theirs:
            total += prior.eye
        # Expected log odds are added to every prior alike, so that `Worlds.weights` compares only the priors.
        return total + self._expected[point]

    def mismatch(self, time: int, theirs: Sequence[int], point: int) -> Mismatch:
        """Return the mismatch of observation number `time` with an enemy stone on `point`.

        `theirs` has the enemy stones at each time. An observation of an own stone uses its own point.
        """
        observation, own, stones = self.observations[time], self.own[time], theirs[time]
        kind = observation.kind
        if kind is ObservationKind.OTHER:
            return 0, 0
        is_ours = observation.point >= 0
        point = observation.point if is_ours else point
        bit = 1 << point
        if (own | stones) & bit:
            if kind is ObservationKind.REFUSED and observation.news.shown == EMPTY:
                return _OCCUPIED, bit
            return (0 if kind in OCCUPIED else _OCCUPIED), bit
        if kind is ObservationKind.MARKED:
            return _OCCUPIED, bit
        mine, other = (own, stones) if is_ours else (stones, own)
        effect = self._place(mine | bit, other, point)
        after = stones & ~effect.taken if is_ours else stones | bit
        repeated = any(theirs[moment] == after for moment in observation.boards)
        if kind in OCCUPIED:
            is_right = (repeated or not effect.liberties) and not observation.news.shown
            return (0 if is_right else _PLAYABLE), effect.around
        if not effect.liberties:
            return _SUICIDE, effect.around
        conflicts = _REPEATED if repeated and not observation.news.repeated else 0
        other_taken = (observation.gone & ~effect.taken).bit_count() + abs(effect.taken.bit_count() - observation.count)
        if other_taken:
            conflicts += _CAPTURES + min(_MOST_CAPTURES, other_taken)
        atari, around, witness = effect.atari, effect.around, effect.witness
        if self._atari == "all":
            atari, _ = self._in_atari(mine | bit, other & ~effect.taken)
            around = witness = self.whole
        self_atari = not effect.liberties & (effect.liberties - 1)
        if self_atari and self._self_atari == "new_only":
            self_atari = not self._was_in_atari(mine, other, point)
        if kind is not ObservationKind.START and self._atari != "none":
            conflicts += min(_MOST_ATARI, abs(atari - observation.atari))
        if kind is not ObservationKind.START and self._self_atari != "none":
            conflicts += self_atari != observation.self_atari
        if observation.news.repeated:
            differences = (theirs[moment] ^ after for moment in observation.boards)
            unlike = min(differences, key=int.bit_count, default=self.whole)
            conflicts += min(_MOST_OTHER, unlike.bit_count())
            around, witness = around | unlike, self.whole
        return conflicts, around if conflicts else witness

    def find_conflict_points(self, time: int, stones: int, point: int, around: int) -> int:
        """Return the points where adding or removing a stone may resolve a conflict; `around` is the mismatch's set."""
        observation, own = self.observations[time], self.own[time]
        if self._atari != "all" or observation.kind not in ACCEPTED:
            return around
        point = observation.point if observation.point >= 0 else point
        mine, other = (own, stones) if observation.point >= 0 else (stones, own)
        return self._place(mine | 1 << point, other, point).around | self._in_atari(mine, other)[1]

    def _in_atari(self, mine: int, other: int) -> tuple[int, int]:
        """Return how many stones of `other` are in atari, and its chains of 1 or 2 liberties with their borders."""
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
        """Return True if a stone on `point` touches chains of `mine`, all of which are already in atari."""
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

    def _place(self, mine: int, other: int, point: int) -> StoneEffect:
        """Return the effect of a stone on a point; `mine` are the stones of its colour, including this stone."""
        empty, beside = self.whole & ~(mine | other), self.near[point] & other
        taken = atari = scope = 0
        witness = 1 << point | self.near[point]
        while beside:
            members, around = self._chain(other, (beside & -beside).bit_length() - 1)
            beside &= ~members
            scope |= members | around
            free = around & empty
            more = free & (free - 1)
            if more:
                # Two liberties prove that the chain is not in atari, so the witness needs only these.
                witness |= members | free & -free | more & -more
                continue
            witness |= members | around
            if free:
                atari += members.bit_count()
            else:
                taken |= members
        members, around = self._chain(mine, point)
        free = around & (empty | taken)
        more = free & (free - 1)
        witness |= members | (free & -free | more & -more if more else around)
        return StoneEffect(taken, atari, free, scope | members | around, witness)

    def _chain(self, stones: int, point: int) -> tuple[int, int]:
        """Return, as masks, the chain of the stone on `point` among `stones`, and the points beside the chain."""
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
    """Return a set of points as a mask."""
    return sum(1 << point for point in points)
