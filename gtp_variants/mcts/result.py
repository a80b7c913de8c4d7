"""What playouts and searches come to: wins and draws; the best move, how often each was tried, how the game stands."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gtp_variants.rules import words
from gtp_variants.rules.actions import PASS

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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    `action` is the move to play; `visits` how often each move was tried, in earlier searches too as far as they were
    kept; `values` the share of the score of each colour in turn order, 0 to 1, over the `playouts` of this search and
    their `turns`; `principal_variation` the most visited moves, one after the other; `proved` says that the side to
    play has a won game (True) or a lost one (False) whatever the other does, None that neither is proved; `shares` what
    its side won in the playouts of each move, 0 to 1, the virtual games of a new move included. `rules` and `at` are
    what was searched; with them a notebook shows the moves on the board.

    A search with an evaluator also says: `priors`, what the evaluator thought of each move, 0 to 1; `lines`, how play
    goes on after each move that was visited, that move first; `policy`, what a network should learn to think of each
    move; and where the evaluator says so `ownership` of each point, from 1 (the first colour of the turn order) to -1
    (the second), and `score`, by how many points the first colour leads, both as means over the positions it judged.

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
    policy: dict[int, float] = field(default_factory=dict)
    ownership: tuple[float, ...] = ()
    score: float | None = None
    rules: "Rules | None" = field(default=None, repr=False, compare=False)
    at: "Position | View | None" = field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str | None:
        if self.rules is None or self.at is None:
            return None
        from gtp_variants.records.drawing.candidates import Candidate, candidates_page, percent
        from gtp_variants.records.notation import write_move

        rules = self.rules
        shares, priors = self.shares, self.priors
        moves = [Candidate(move, n, shares.get(move), priors.get(move)) for move, n in self.visits.items()]
        stands = zip(rules.colours, self.values, strict=False)
        said = (
            f"{self.playouts} playouts",
            ", ".join(f"{words.name(colour, rules.lang)} {percent(value)}" for colour, value in stands),
            {True: "won", False: "lost", None: ""}[self.proved],
            " ".join(write_move(rules.board, move) for move in self.principal_variation),
        )
        return candidates_page(rules, self.at, moves, said)

    @classmethod
    def merge(cls, several: "Sequence[SearchResult]") -> "SearchResult":
        """Searches of positions that the side to play cannot tell apart, as one; nothing is proved."""
        if not several:
            return cls(PASS, {}, (), (), 0, 0)
        if len(several) == 1:
            return several[0]
        visits: dict[int, int] = {}
        weights: dict[int, int] = {}
        won: dict[int, float] = {}
        for found in several:
            for move, count in found.visits.items():
                visits[move] = visits.get(move, 0) + count
                if move in found.shares:
                    weights[move] = weights.get(move, 0) + count
                    won[move] = won.get(move, 0.0) + count * found.shares[move]
        shares = {move: won[move] / weight if weight else 0.0 for move, weight in weights.items()}
        valued = [found for found in several if found.values]
        weight = sum(found.playouts for found in valued)
        values = tuple(
            sum(share * found.playouts for share, found in zip(of_one, valued, strict=True)) / weight if weight else 0.0
            for of_one in zip(*(found.values for found in valued), strict=True)
        )
        best = max(visits, key=visits.__getitem__, default=several[0].action)
        # Of each move the line from where it was tried most.
        lines = {
            move: max(several, key=lambda found: found.visits.get(move, 0) if move in found.lines else -1).lines[move]
            for move in {move: None for found in several for move in found.lines}
        }
        return cls(
            best,
            visits,
            values,
            (best,),
            sum(found.playouts for found in several),
            sum(found.turns for found in several),
            shares=shares,
            priors=_mean_by_move(several, "priors"),
            lines=lines,
            policy=_mean_by_move(several, "policy"),
        )


def _mean_by_move(several: Sequence[SearchResult], field_name: str) -> dict[int, float]:
    """A field that has a number for each move, averaged by playouts; a move that a search does not have counts 0."""
    weight = sum(found.playouts for found in several)
    total: dict[int, float] = {}
    for found in several:
        for move, number in getattr(found, field_name).items():
            total[move] = total.get(move, 0.0) + number * found.playouts
    return {move: number / weight for move, number in total.items()} if weight else {}


# What a search asks again and again, with a way to see what it has found so far: whether to go on.
Ask = Callable[[Callable[[], SearchResult]], bool]
