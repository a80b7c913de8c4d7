"""What playouts and searches come to: wins and draws; the best move, how often each was tried, how the game stands."""

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
    """What playouts came to: won by each colour of the turn order, drawn, and the turns of all of them."""

    wins: list[int]
    draws: int
    turns: int


class OwnerSums(Protocol):
    """Who owns each point, summed over positions that a network judged: from 1 (the first colour) to -1 each."""

    @property
    def count(self) -> int: ...
    @property
    def sums(self) -> Sequence[float]: ...
    @property
    def squares(self) -> Sequence[float]: ...


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    `action` is the move to play; `visits` how often each move was tried, in earlier searches too as far as they were
    kept; `values` the share of the score of each colour in turn order, 0 to 1, over the `playouts` of this search and
    their `turns`; `principal_variation` that move and the most visited ones after it; `proved` says that the side to
    play has a won game (True) or a lost one (False) whatever the other does, None that neither is proved. `rules` and
    `at` are what was searched; with them a notebook shows the moves on the board.

    Where a network judges, `values` and `shares` are told with their odds raised to the power `calibration`, at which
    they come true.

    Of each move: `priors`, what it was worth before it was tried, 1 together, as the evaluator says or, without one,
    its part of the virtual games with which new moves begin; and of those that were visited `shares`, what its side
    won after it, 0 to 1, `lines`, how play goes on, that move first, and `line_visits`, how often each move of the line
    was visited there. `policy` is what a network should learn to think of each move.

    In games with a score `score` says by how many points the first colour of the turn order leads, `score_stdev` how
    far single playouts are from that (the standard deviation), and `scores` both of each move that was visited; with an
    evaluator only if it knows them. `ownership` is of each point from 1 (the first colour) to -1 (the second).
    Where a network in the kernel judges the positions and knows owners, `leaf_owners` has what it said of the leaves
    under each move, and under all of them as that of None.

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
        """Those of the moves that the search knows, the one to play first, then the most visited ones.

        The move to play need not be the one that was visited most.
        """

        def worth(move: int) -> tuple[bool, int, float, float]:
            return move == self.action, self.visits[move], self.shares.get(move, 0.0), self.priors.get(move, 0.0)

        return sorted((move for move in allowed if move in self.visits), key=worth, reverse=True)

    def _repr_html_(self) -> str | None:
        if self.rules is None or self.at is None:
            return None
        from gtp_variants.records.drawing.svg import Candidate, candidates_page, percent
        from gtp_variants.records.notation import write_move

        rules = self.rules
        shares, priors = self.shares, self.priors
        moves = [
            Candidate(move, self.visits[move], shares.get(move), priors.get(move))
            for move in self.rank_moves(self.visits)
        ]
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
        """Searches of positions that agree with what a seat was told, as one; nothing is proved.

        In the positions the side is to move that is in the view. Shares and values are averaged, brought nearer to
        even, for each search is surer than who cannot tell, and lowered for the seat by as much as it does not see:
        hidden stones stand better than it imagines them. So are those of one search, which is of one of the positions
        that the seat may be in. Scores and owners are means as they are.
        """
        seat = rules.colours.index(view.colour)
        loss = _LOG_ODDS_UNSEEN * view.hidden / len(rules.board)
        gain_of_mover = -loss if view.to_play == view.colour else loss
        if not several:
            return NO_RESULT
        visits, means = _count_visits(several), _mean_shares(several)
        shares = {
            move: _shift(raise_odds((mean, 1 - mean), _HIDDEN_CALIBRATION), 0, gain_of_mover)[0]
            for move, mean in means.items()
        }
        values = _shift(raise_odds(_mean_values(several), _HIDDEN_CALIBRATION), seat, -loss)
        best = max(visits, key=visits.__getitem__, default=several[0].action)
        # Of each move the line from where it was tried most.
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
            visits,
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
            ownership=_mean_ownership(several),
            leaf_owners=_pool_owners(several),
        )

    def calibrate(self, power: float) -> "SearchResult":
        """The same with the odds of all values and shares raised to a power: above 1 they are surer, below it less.

        Of three players, of whom a share tells but one, the others count as alike. Which move is best does not change.
        """
        if power == 1:
            return self
        colours = max(2, len(self.values))
        shares = {move: raise_share(share, power, colours) for move, share in self.shares.items()}
        # All are 0 where nothing was looked at yet.
        values = raise_odds(self.values, power) if any(self.values) else self.values
        return replace(self, values=values, shares=shares, calibration=power * self.calibration)

    def shift(self, seat: int, log_odds: float, *, is_mover: bool) -> "SearchResult":
        """The same with other chances of a seat, an index in turn order, by so much on the scale of log odds.

        `is_mover`: whether that seat is the side to play, whose moves the shares are of; else they are of another's.
        """
        gain = log_odds if is_mover else -log_odds
        shares = {move: _shift((share, 1 - share), 0, gain)[0] for move, share in self.shares.items()}
        return replace(self, values=_shift(self.values, seat, log_odds), shares=shares)


# Searches play on as if everybody saw every stone: this part of the logarithm of the odds comes true where stones are
# hidden. Series of 30 and 40 games of Go Fantôme's self-play on 9x9 fit 0.5 to 1.
_HIDDEN_CALIBRATION = 0.7
# A seat imagines the other's stones worse placed than they are: so much less are its log odds for each stone a point of
# the board that it does not see. In 40 such games seats that were promised 85% got 58%, which this fits best.
_LOG_ODDS_UNSEEN = 1.4


# Of a position without moves, of a game that is over, of what nobody has searched.
NO_RESULT = SearchResult(PASS, {}, (), (), 0, 0)


def raise_odds(shares: Sequence[float], power: float) -> tuple[float, ...]:
    """Shares of a whole after the odds between any two of them were raised to a power; of nothing they are equal."""
    most = max(shares, default=0.0)
    if most <= 0:
        return tuple(1 / len(shares) for _ in shares)
    powers = [max(0.0, share / most) ** power for share in shares]
    whole = sum(powers)
    return tuple(each / whole for each in powers)


def raise_share(share: float, power: float, colours: int = 2) -> float:
    """One's share of a whole after all odds were raised to a power; the other colours count as alike."""
    if power == 1:
        return share
    others = colours - 1
    return raise_odds((share, *[(1 - share) / others] * others), power)[0]


def _shift(shares: Sequence[float], seat: int, log_odds: float) -> tuple[float, ...]:
    """Shares of a whole after the odds of one have changed."""
    odds = [share * exp(log_odds) if index == seat else share for index, share in enumerate(shares)]
    whole = sum(odds)
    return tuple(each / whole for each in odds)


def _count_visits(several: Sequence[SearchResult]) -> dict[int, int]:
    visits: dict[int, int] = {}
    for found in several:
        for move, count in found.visits.items():
            visits[move] = visits.get(move, 0) + count
    return visits


def _count_line_visits(several: Sequence[SearchResult], line: Sequence[int]) -> list[int]:
    """How often each move of a line was visited there, by the searches whose own lines go the same way so far."""
    counts = [0] * len(line)
    for found in several:
        own, own_visits = found.lines.get(line[0], ()), found.line_visits.get(line[0], ())
        for index, (move, own_move, count) in enumerate(zip(line, own, own_visits, strict=False)):
            if move != own_move:
                break
            counts[index] += count
    return counts


def _mean_shares(several: Sequence[SearchResult]) -> dict[int, float]:
    """Of each move that was visited, by its visits."""
    weights: dict[int, int] = {}
    won: dict[int, float] = {}
    for found in several:
        for move, share in found.shares.items():
            count = found.visits.get(move, 0)
            weights[move] = weights.get(move, 0) + count
            won[move] = won.get(move, 0.0) + count * share
    return {move: won[move] / weight for move, weight in weights.items() if weight}


def _mean_values(several: Sequence[SearchResult]) -> list[float]:
    """Of the searches that have some, by their playouts; all 0 where nothing was played."""
    valued = [found for found in several if found.values]
    weight = sum(found.playouts for found in valued) or 1
    return [
        sum(share * found.playouts for share, found in zip(of_one, valued, strict=True)) / weight
        for of_one in zip(*(found.values for found in valued), strict=True)
    ]


class _PooledSums:
    """The leaves of several searches together; they are added up only if somebody asks."""

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


def _mean_ownership(several: "Sequence[SearchResult]") -> tuple[float, ...]:
    """Who owns each point, the mean over playouts; empty where no search knows it."""
    known = [found for found in several if found.ownership and found.playouts]
    whole = sum(found.playouts for found in known)
    return tuple(
        sum(owner * found.playouts for owner, found in zip(of_one, known, strict=True)) / whole
        for of_one in zip(*(found.ownership for found in known), strict=True)
    )


def _pool(several: Sequence[tuple[int, tuple[float, float]]]) -> tuple[float, float]:
    """Mean and standard deviation of numbers that come in groups: how many each has, its mean and its deviation."""
    whole = sum(count for count, _ in several) or 1
    mean = sum(count * of_one for count, (of_one, _) in several) / whole
    square = sum(count * (of_one**2 + deviation**2) for count, (of_one, deviation) in several) / whole
    return mean, max(0.0, square - mean**2) ** 0.5


def _mean_by_move(several: Sequence[SearchResult], field_name: str) -> dict[int, float]:
    """A field that has a number for each move, averaged by playouts; a move that a search does not have counts 0."""
    weight = sum(found.playouts for found in several)
    total: dict[int, float] = {}
    for found in several:
        for move, number in getattr(found, field_name).items():
            total[move] = total.get(move, 0.0) + number * found.playouts
    return {move: number / weight for move, number in total.items()} if weight else {}


# What a search calls now and then, with a way to see what it has found so far; once it answers False the search ends.
OnProgress = Callable[[Callable[[], SearchResult]], bool]
