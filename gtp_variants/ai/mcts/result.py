"""The results of playouts and searches, and how searches of several positions are merged."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import TYPE_CHECKING, Protocol

from gtp_variants.rules.actions import PASS
from gtp_variants.rules.colour_names import colour_name

if TYPE_CHECKING:
    from gtp_variants.rules.position import Position
    from gtp_variants.rules.rules import Rules
    from gtp_variants.rules.views import View


@dataclass(frozen=True, slots=True)
class PlayoutCounts:
    """The wins of playouts by colour in turn order, the number of drawn games, and the total number of turns."""

    wins: list[int]
    draws: int
    turns: int


class OwnerSums(Protocol):
    """Sums of each point's predicted owner, 1 (first colour) to -1, over the positions that a network judged."""

    @property
    def count(self) -> int: ...
    @property
    def sums(self) -> Sequence[float]: ...
    @property
    def squares(self) -> Sequence[float]: ...


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    `action` is the move to play. `visits` is how often each move was tried, including in earlier searches as far as
    their tree was kept. `values` holds each colour's share of the score, 0 to 1, in turn order, over the `playouts` of
    this search, which took `turns` turns in all. `principal_variation` is the expected continuation. `proved` is True
    for a proved win of the side to play, False for a proved loss, else None. `rules` and `at` are the game and the
    position or view searched, for drawing in a notebook.

    For each move, `priors` is its probability before any visit, from the evaluator or the virtual games of new moves
    (they sum to 1), and `policy` the probability that a network should learn. For each visited move, `shares` is the
    win rate, 0 to 1, of the side that plays it, `lines` the move and its continuation, `line_visits` the visits along
    this line.

    A search with an evaluator in the kernel has a `utility` of the position for the side to play, unless dice are due:
    the value that the choice of moves compares, without calibration, from -1 to 1, and beyond if settings value draws
    or the score. `utilities` has the utility of each visited move, with its lower bound, by which the move was chosen.

    In games with a score, `score` is the first colour's lead in points, `score_stdev` its standard deviation in single
    playouts, and `scores` both numbers for each visited move; an evaluator may leave them out. `ownership` of each
    point is from 1 (first colour) to -1 (second). `leaf_owners` holds the ownership that a network in the kernel
    predicts, summed over the leaves below each move, and over all leaves under the key None. The odds of a network's
    `values` and `shares` have been raised to the power `calibration`, so that they match actual results.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> found = gv.search(rules, rules.start(), playouts=200, seed=1)
    >>> found.playouts, found.action == max(found.visits, key=found.visits.get)
    (200, True)
    >>> abs(sum(found.values) - 1) < 1e-9
    True
    """

    action: int
    visits: dict[int, int]
    values: tuple[float, ...]
    principal_variation: tuple[int, ...]
    playouts: int
    turns: int
    proved: bool | None = None
    shares: dict[int, float] = field(default_factory=dict)
    utility: float | None = field(default=None, compare=False)
    utilities: dict[int, tuple[float, float]] = field(default_factory=dict, compare=False)
    priors: dict[int, float] = field(default_factory=dict)
    lines: dict[int, tuple[int, ...]] = field(default_factory=dict)
    line_visits: dict[int, tuple[int, ...]] = field(default_factory=dict)
    policy: dict[int, float] = field(default_factory=dict)
    ownership: tuple[float, ...] = ()
    score: float | None = None
    score_stdev: float | None = None
    scores: dict[int, tuple[float, float]] = field(default_factory=dict)
    leaf_owners: dict[int | None, OwnerSums] = field(default_factory=dict, repr=False, compare=False)
    calibration: float = 1.0
    rules: "Rules | None" = field(default=None, repr=False, compare=False)
    at: "Position | View | None" = field(default=None, repr=False, compare=False)

    def rank_moves(self, allowed: Iterable[int]) -> list[int]:
        """Return the allowed moves that were searched: first the move to play, then the others by visits."""

        def worth(move: int) -> tuple[bool, int, float, float]:
            return move == self.action, self.visits[move], self.shares.get(move, 0.0), self.priors.get(move, 0.0)

        return sorted((move for move in allowed if move in self.visits), key=worth, reverse=True)

    def _repr_html_(self) -> str | None:
        if self.rules is None or self.at is None:
            return None
        from gtp_variants.records.drawing.svg import Candidate, candidates_page, percent
        from gtp_variants.records.notation import write_move

        rules = self.rules
        ranked = self.rank_moves(self.visits)
        moves = [Candidate(move, self.visits[move], self.shares.get(move), self.priors.get(move)) for move in ranked]
        stands = zip(rules.colours, self.values, strict=False)
        said = (
            f"{self.playouts} playouts",
            ", ".join(f"{colour_name(colour, rules.lang)} {percent(value)}" for colour, value in stands),
            {True: "won", False: "lost", None: ""}[self.proved],
            " ".join(write_move(rules.board, move) for move in self.principal_variation),
        )
        return candidates_page(rules, self.at, moves, said)

    @classmethod
    def merge(cls, several: "Sequence[SearchResult]", rules: "Rules", view: "View") -> "SearchResult":
        """Merge the results of searching positions that agree with a seat's news; the merged result proves nothing.

        In every position the view's side is to move. Shares and values are averaged and moved towards even, because
        each search is surer than the seat can be. For the seat they are then lowered in proportion to the number of
        hidden stones, because these are better placed than the seat imagines. A single search is corrected too. Scores
        and owners are plain means.
        """
        seat = rules.colours.index(view.colour)
        loss = _LOG_ODDS_UNSEEN * view.hidden / len(rules.board)
        gain_of_mover = -loss if view.to_play == view.colour else loss
        if not several:
            return NO_RESULT
        visits, means = Counter[int](), _mean_shares(several)
        for found in several:
            visits.update(found.visits)
        shares = {
            move: _shift(raise_odds((mean, 1 - mean), _HIDDEN_CALIBRATION), 0, gain_of_mover)[0]
            for move, mean in means.items()
        }
        values = _shift(raise_odds(_mean_of(several, "values"), _HIDDEN_CALIBRATION), seat, -loss)
        best = max(visits, key=visits.__getitem__, default=several[0].action)
        # Each move's line comes from the search that visited it most.
        longest = {
            move: max(several, key=lambda found: found.visits.get(move, 0) if move in found.lines else -1)
            for move in {move: None for found in several for move in found.lines}
        }
        scores = {
            move: _pool([(found.visits[move], found.scores[move]) for found in several if move in found.scores])
            for move in {move: None for found in several for move in found.scores}
        }
        scored = [
            (found.playouts, (found.score, found.score_stdev or 0.0)) for found in several if found.score is not None
        ]
        score, score_stdev = _pool(scored) if scored else (None, None)
        return cls(
            best,
            dict(visits),
            values,
            longest[best].lines[best] if best in longest else (best,),
            sum(found.playouts for found in several),
            sum(found.turns for found in several),
            shares=shares,
            priors=_mean_by_move(several, "priors"),
            lines={move: found.lines[move] for move, found in longest.items()},
            line_visits={
                move: (visits[move], *_count_line_visits(several, found.lines[move])[1:])
                for move, found in longest.items()
                if move in found.line_visits
            },
            score=score,
            score_stdev=score_stdev,
            scores=scores,
            policy=_mean_by_move(several, "policy"),
            ownership=_mean_of([found for found in several if found.playouts], "ownership"),
            leaf_owners=_pool_owners(several),
        )

    def calibrate(self, power: float) -> "SearchResult":
        """Return the result with the odds of all values and shares raised to a power; the best move stays the same."""
        if power == 1:
            return self
        colours = max(2, len(self.values))
        shares = {move: raise_share(share, power, colours) for move, share in self.shares.items()}
        # Before the first playout all values are 0, so there are no odds to raise.
        values = raise_odds(self.values, power) if any(self.values) else self.values
        return replace(self, values=values, shares=shares, calibration=power * self.calibration)

    def shift(self, seat: int, log_odds: float, *, is_mover: bool) -> "SearchResult":
        """Return the result with a seat's `log_odds` added; `is_mover` is True if that seat is to move."""
        gain = log_odds if is_mover else -log_odds
        shares = {move: _shift((share, 1 - share), 0, gain)[0] for move, share in self.shares.items()}
        return replace(self, values=_shift(self.values, seat, log_odds), shares=shares)


# Factor for log odds where stones are hidden, because searches assume that all players see every stone. Series of 30
# and 40 self-play games of Go Fantôme on 9x9 fit factors from 0.5 to 1.
_HIDDEN_CALIBRATION = 0.7
# Loss in a seat's log odds, multiplied by the number of unseen stones per point of the board: the seat imagines them
# worse placed than they are. In 40 such games, seats that estimated 85% won 58%; this value fits that best.
_LOG_ODDS_UNSEEN = 1.4
# The result for a finished game, or before any search.
NO_RESULT = SearchResult(PASS, {}, (), (), 0, 0)


def raise_odds(shares: Sequence[float], power: float) -> tuple[float, ...]:
    """Return the shares after raising the odds between any two shares to a power; if all are 0, return equal shares."""
    most = max(shares, default=0.0)
    if most <= 0:
        return tuple(1 / len(shares) for _ in shares)
    powers = [max(0.0, share / most) ** power for share in shares]
    whole = sum(powers)
    return tuple(each / whole for each in powers)


def raise_share(share: float, power: float, colours: int = 2) -> float:
    """Return one share after raising all odds to a power; the other colours are assumed to have equal shares."""
    if power == 1:
        return share
    others = colours - 1
    return raise_odds((share, *[(1 - share) / others] * others), power)[0]


def _shift(shares: Sequence[float], seat: int, log_odds: float) -> tuple[float, ...]:
    """Return the shares after adding `log_odds` to the log odds of one seat's share."""
    odds = [share * exp(log_odds) if index == seat else share for index, share in enumerate(shares)]
    whole = sum(odds)
    return tuple(each / whole for each in odds)


def _count_line_visits(several: Sequence[SearchResult], line: Sequence[int]) -> list[int]:
    """Count the visits to each move of a line, in the searches whose own line is the same up to that move."""
    counts = [0] * len(line)
    for found in several:
        own, own_visits = found.lines.get(line[0], ()), found.line_visits.get(line[0], ())
        for index, (move, own_move, count) in enumerate(zip(line, own, own_visits, strict=False)):
            if move != own_move:
                break
            counts[index] += count
    return counts


def _mean_shares(several: Sequence[SearchResult]) -> dict[int, float]:
    """Return the mean share of each visited move, weighted by visits."""
    weights: dict[int, int] = {}
    won: dict[int, float] = {}
    for found in several:
        for move, share in found.shares.items():
            count = found.visits.get(move, 0)
            weights[move] = weights.get(move, 0) + count
            won[move] = won.get(move, 0.0) + count * share
    return {move: won[move] / weight for move, weight in weights.items() if weight}


def _mean_of(several: Sequence[SearchResult], field_name: str) -> tuple[float, ...]:
    """Average a field that has a number per colour or point, weighted by playouts; () if no search has the field."""
    known = [(getattr(found, field_name), found.playouts) for found in several if getattr(found, field_name)]
    weight = sum(playouts for _, playouts in known) or 1
    return tuple(
        sum(number * playouts for number, (_, playouts) in zip(of_one, known, strict=True)) / weight
        for of_one in zip(*(numbers for numbers, _ in known), strict=True)
    )


class _PooledSums:
    """The owner sums of several searches, added up only on demand."""

    def __init__(self, several: Sequence[OwnerSums]) -> None:
        self._several = several

    @property
    def count(self) -> int:
        return sum(each.count for each in self._several)

    @property
    def sums(self) -> list[float]:
        return [sum(of_one) for of_one in zip(*(each.sums for each in self._several), strict=True)]

    @property
    def squares(self) -> list[float]:
        return [sum(of_one) for of_one in zip(*(each.squares for each in self._several), strict=True)]


def _pool_owners(several: Sequence[SearchResult]) -> dict[int | None, OwnerSums]:
    pooled: dict[int | None, list[OwnerSums]] = {}
    for found in several:
        for move, sums in found.leaf_owners.items():
            pooled.setdefault(move, []).append(sums)
    return {move: _PooledSums(sums) for move, sums in pooled.items()}


def _pool(several: Sequence[tuple[int, tuple[float, float]]]) -> tuple[float, float]:
    """Return the mean and standard deviation of pooled groups, each given as (count, (mean, deviation))."""
    whole = sum(count for count, _ in several) or 1
    mean = sum(count * of_one for count, (of_one, _) in several) / whole
    square = sum(count * (of_one**2 + deviation**2) for count, (of_one, deviation) in several) / whole
    return mean, max(0.0, square - mean**2) ** 0.5


def _mean_by_move(several: Sequence[SearchResult], field_name: str) -> dict[int, float]:
    """Average a field with a number per move, weighted by playouts; a missing move counts as 0. {} without playouts."""
    weight = sum(found.playouts for found in several)
    total: dict[int, float] = {}
    for found in several:
        for move, number in getattr(found, field_name).items():
            total[move] = total.get(move, 0.0) + number * found.playouts
    return {move: number / weight for move, number in total.items()} if weight else {}


# A callback from searches: it is given a function that returns the result so far, and it returns False to stop.
OnProgress = Callable[[Callable[[], SearchResult]], bool]
