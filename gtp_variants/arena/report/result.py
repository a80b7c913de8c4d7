"""The figures of a match, as far as it was played: what every form of report shows."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import process
from gtp_variants.arena.result_row import FAILURES, ResultRow
from gtp_variants.arena.run.runner import COMPLETE, FAILED, INTERRUPTED
from gtp_variants.arena.stopping import StoppingRules, estimate_after, llr_of
from gtp_variants.arena.tally import (
    EloInterval,
    EloPoint,
    MatchupTally,
    PlayerScore,
    elo_by_player,
    elo_history,
    rate_players,
    tally_matchups,
    too_many_failures,
    total_scores,
)
from gtp_variants.arena.tuning import Tuning
from gtp_variants.base.json_values import Json
from gtp_variants.rules import parse
from gtp_variants.rules.traits import DicedRules
from gtp_variants.statistics.estimates import Estimate
from gtp_variants.statistics.ratings import Ratings


class Result:
    """The figures of a match as far as it was played. `rows` are all its games by id; `add` counts one more.

    Games behind the pair that decided the match are kept but do not count: `beyond` is how many there are. `status` is
    how the run ended that played them just now, None if nobody did.
    """

    def __init__(self, config: MatchConfig, rows: Mapping[str, ResultRow], status: int | None = None) -> None:
        self.config = config
        self.status = status
        self._all = dict(rows)
        self._every = tally_matchups(config, self._all.values())
        self.stopping = StoppingRules(config, self._all)
        self._counted = self._count()

    def _count(self) -> list[MatchupTally] | None:
        """The tallies up to the decision; None before it, when every game counts."""
        is_decided = self.stopping.decision is not None
        return tally_matchups(self.config, self.stopping.counted_rows()) if is_decided else None

    def add(self, row: ResultRow) -> None:
        """Count a game that has just ended."""
        if row.id in self._all:
            return
        self._all[row.id] = row
        for tally in self._every:
            if tally.matchup.id == row.matchup:
                tally.add(row)
        if self._counted is None:
            self.stopping.update()
            self._counted = self._count()
        for name in ("elos", "ratings", "scores"):
            self.__dict__.pop(name, None)

    @property
    def tallies(self) -> list[MatchupTally]:
        """The counts of each matchup; where results decide who meets, only of those that did."""
        found = self._every if self._counted is None else self._counted
        return [tally for tally in found if tally.count] if self.config.is_adaptive else found

    @property
    def beyond(self) -> int:
        """How many games do not count because the match was decided before them."""
        return 0 if self._counted is None else sum(t.count for t in self._every) - sum(t.count for t in self._counted)

    @property
    def every_row(self) -> Collection[ResultRow]:
        """All games, those too that do not count."""
        return self._all.values()

    @property
    def rows(self) -> list[ResultRow]:
        """The games that count."""
        return self.stopping.counted_rows()

    @cached_property
    def scores(self) -> dict[str, PlayerScore]:
        """What every player did in all its matchups."""
        return total_scores(self.tallies)

    @cached_property
    def ratings(self) -> Ratings | None:
        """The players' strengths from all their games; None where nothing connects them."""
        return rate_players(self.tallies)[1]

    def elo_history(self) -> list[EloPoint]:
        """How the players' Elo came about, over the games in the order of the schedule, up to the first one missing."""
        points = elo_history(self.config, self.stopping.rows_in_order)
        # The last one is the figure of the match, which knows that a test ended it.
        return [*points[:-1], EloPoint(points[-1].games, self.elos)] if points and self.stopping.is_over else points

    @property
    def failed(self) -> str | None:
        """Why the match must stop, if a player failed too often."""
        return too_many_failures(self._every)

    @property
    def exit(self) -> int:
        """The exit status of the run; without one, the one that tells how the match stands."""
        if self.status is not None:
            return self.status
        return FAILED if self.failed else COMPLETE if self.stopping.is_over else INTERRUPTED

    def estimate(self, tally: MatchupTally) -> Estimate | None:
        """Elo of the first player of a matchup against the second: median-unbiased where a test ended the match."""
        test, decision = self.config.stops.sprt, self.stopping.decision
        if test is None or decision is None or decision.hypothesis is None:
            return tally.estimate
        tested = [each for each in self.tallies if set(each.matchup.names) == set(test.players)]
        if tested != [tally]:
            return tally.estimate
        return estimate_after(test, tally)

    @cached_property
    def elos(self) -> dict[str, EloInterval]:
        """Elo of each player against the mean of all others, of two against each other; empty where there is none."""
        found = self.estimate(self.tallies[0]) if len(self.tallies) == 1 else None
        return elo_by_player(self.tallies, self.ratings, found)

    def ranking(self) -> list[str]:
        """The players, the best first: by points a game."""

        def key(name: str) -> tuple[float, str]:
            score = self.scores[name]
            return (-score.points / score.games if score.games else 1.0), name

        return sorted(self.scores, key=key)

    def llr(self, tally: MatchupTally) -> float | None:
        """The log-likelihood ratio of the test, if it is about these two."""
        test = self.config.stops.sprt
        if test is None or set(tally.matchup.names) != set(test.players):
            return None
        return llr_of(test, self.tallies)

    def sprt(self, tally: MatchupTally) -> str | None:
        """How the test of this matchup ended: "H0", "H1", "open"; None without one."""
        if self.llr(tally) is None:
            return None
        decision = self.stopping.decision
        return decision.hypothesis or "open" if decision is not None else "open"

    def dice(self, tally: MatchupTally) -> str | None:
        """Whose dice the games of a matchup have, `match_config.DICE`; None where there are no dice."""
        is_diced = isinstance(parse(tally.matchup.game.spec), DicedRules)
        return (self.config.dice or "own") if is_diced else None

    @property
    def tuning(self) -> Tuning | None:
        """How far a tuning is; None in any other match."""
        return self.stopping.schedule.tuning

    @property
    def byes(self) -> Mapping[str, Sequence[int]]:
        """The rounds of a Swiss tournament in which each player sits out; empty in any other match."""
        return self.stopping.schedule.byes

    def as_json(self) -> Json:
        """The report for programs."""
        tuning = {} if self.tuning is None else {"tuning": self.tuning.as_json()}
        return {
            "name": self.config.name,
            **tuning,
            "complete": self.stopping.is_over,
            "exit": self.exit,
            "games": sum(tally.count for tally in self.tallies),
            "players": [self._player(name) for name in self.ranking()],
            "matchups": [self._matchup(tally) for tally in self.tallies],
        }

    def _player(self, name: str) -> Json:
        score, elo = self.scores[name], self.elos.get(name)
        rounded = [None] * 3 if elo is None else [round(value, 2) for value in elo]
        byes = {"byes": list(self.byes[name])} if name in self.byes else {}
        return {
            "name": name,
            "games": score.games,
            **byes,
            "wins": score.wins,
            "draws": score.draws,
            "losses": score.losses,
            "points": round(score.points, 6),
            **dict(zip(("elo", "elo_low", "elo_high"), rounded, strict=True)),
            "process": process(self.config.players[name]),
            "failures": {kind: score.failures[kind] for kind in FAILURES},
        }

    def _matchup(self, tally: MatchupTally) -> Json:
        is_pair = len(tally.matchup.players) == 2
        ratio = self.llr(tally)
        return {
            "players": list(tally.matchup.names),
            "wdl": [tally.wins, tally.draws, tally.losses] if is_pair else None,
            "pentanomial": list(tally.pairs) if is_pair else None,
            "llr": None if ratio is None else round(ratio, 6),
            "sprt": self.sprt(tally),
            "dice": self.dice(tally),
        }
