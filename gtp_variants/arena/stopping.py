"""The rules that end a match early, applied to pairs in the order of the schedule.

Games played at the same time end in any order, short ones first. The rules therefore use only the complete pairs
before the first gap in the schedule, so that the number of simultaneous games does not affect a decision. Later pairs
do not count.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gtp_variants.arena.config.match_config import MatchConfig, Sprt
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.schedule import WHOLE, Schedule, Shard, Unit
from gtp_variants.arena.tally import MatchupTally, rate_players, rows_of_match
from gtp_variants.statistics import sprt
from gtp_variants.statistics.estimates import Estimate, estimate
from gtp_variants.statistics.sequential import estimate_after_test


@dataclass(frozen=True, slots=True)
class Decision:
    """A rule's decision: the reason, the id of the deciding pair, and for a test the hypothesis that it accepts."""

    why: str
    unit: str
    hypothesis: str | None = None


class StoppingRules:
    """Applies the rules of a match to its pairs in order, until one of the rules decides.

    `rows` are the finished games by id; after adding some, call `update`. `llr_history` is the log-likelihood ratio
    after each pair of the test. `rows_in_order` are the games of the complete pairs up to a gap or the decision.
    """

    def __init__(self, config: MatchConfig, rows: Mapping[str, ResultRow], shard: Shard = WHOLE) -> None:
        self.config = config
        self.decision: Decision | None = None
        self.llr_history: list[float] = []
        self._rows = rows
        self.rows_in_order: list[ResultRow] = []
        self._tallies = {matchup.id: MatchupTally(matchup) for matchup in config.matchups}
        self._seen = 0
        self.schedule = Schedule(config, rows, shard)
        self._next = self.schedule.next()
        self.update()

    @property
    def is_over(self) -> bool:
        """True if no games are left to play."""
        return self.decision is not None or self._next is None

    def update(self) -> None:
        """Apply the rules to the games that have been added."""
        while self.decision is None and self._next is not None and all(id in self._rows for id in self._next.ids):
            self._add(self._next)
            self._next = self.schedule.next()

    def counted_rows(self) -> list[ResultRow]:
        """Return the games that count: all games of the match or, once it is decided, the games up to the decision."""
        return self.rows_in_order if self.decision is not None else rows_of_match(self.config, self._rows.values())

    def _add(self, unit: Unit) -> None:
        """Count a complete pair and apply the rules."""
        tally = self._tallies[unit.matchup.id]
        for id in unit.ids:
            tally.add(self._rows[id])
            self.rows_in_order.append(self._rows[id])
        self._seen += 1
        self.decision = self._by_sprt(unit) or self._by_error(unit) or self._by_games(unit)

    def _by_sprt(self, unit: Unit) -> Decision | None:
        test = self.config.stops.sprt
        if test is None or set(unit.matchup.names) != set(test.players):
            return None
        ratio = llr_of(test, self._tallies.values())
        self.llr_history.append(ratio)
        found = accepted_hypothesis(test, ratio)
        if found is None:
            return None
        accepted = test.elo0 if found == "H0" else test.elo1
        about = " against ".join(test.players)
        return Decision(f"SPRT: {found} accepted, {about}: {accepted:g} Elo {test.model}", unit.id, found)

    def _by_error(self, unit: Unit) -> Decision | None:
        wished = self.config.stops.elo_error
        # Rating is expensive, so check only after one pair of each matchup, when all matchups have equally many pairs.
        if wished is None or self._seen % len(self._tallies):
            return None
        worst = elo_error_of(list(self._tallies.values()))
        if worst is None or worst > wished:
            return None
        return Decision(f"the error is {worst:.2f} Elo (stop.elo_error: {wished:g})", unit.id)

    def _by_games(self, unit: Unit) -> Decision | None:
        wished = self.config.stops.games
        if wished is None or len(self.rows_in_order) < wished:
            return None
        return Decision(f"{len(self.rows_in_order)} games are played (stop.games: {wished})", unit.id)


def accepted_hypothesis(test: Sprt, ratio: float) -> str | None:
    """Return "H0" or "H1" if the test ends at this log-likelihood ratio, or None if it continues."""
    low, high = sprt.bounds(test.alpha, test.beta)
    return "H0" if ratio <= low else "H1" if ratio >= high else None


def llr_of(test: Sprt, found: Iterable[MatchupTally]) -> float:
    """Return the log-likelihood ratio of a test, from all matchups of its two players."""
    total = [0] * (3 if test.model == "bayesian" else 5)
    for tally in found:
        if set(tally.matchup.names) != set(test.players):
            continue
        total = [count + more for count, more in zip(total, _counts_of(test, tally), strict=True)]
    return sprt.llr(tuple(total), test.elo0, test.elo1, test.model)


def _counts_of(test: Sprt, tally: MatchupTally) -> tuple[int, ...]:
    """Return a matchup's counts for a test, from the point of view of the test's first player."""
    counts = tuple(tally.distinct if test.model == "bayesian" else tally.pairs)
    return counts if tally.matchup.names == test.players else counts[::-1]


def estimate_after(test: Sprt, tally: MatchupTally) -> Estimate:
    """Return the Elo of a matchup's first player against its second, once the test between them has ended."""
    found = estimate_after_test(_counts_of(test, tally), test.elo0, test.elo1, test.alpha, test.beta, test.model)
    return found if tally.matchup.names == test.players else found.mirror()


def elo_error_of(found: list[MatchupTally]) -> float | None:
    """Return half the width of the only matchup's 95 % interval, or of a player's widest interval; None if unknown."""
    if len(found) == 1:
        return estimate(found[0].pairs).error if any(found[0].pairs) else None
    fitted = rate_players(found)
    if fitted is None or fitted.has_prior:
        return None
    return max(fitted.error(player) for player in range(len(fitted.players)))
