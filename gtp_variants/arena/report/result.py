"""The figures of a match so far, which all forms of report show."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from gtp_variants.arena import tally as counts
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import process, wall_around
from gtp_variants.arena.result_row import FAILURES, ResultRow
from gtp_variants.arena.run.runner import COMPLETE, FAILED, INTERRUPTED
from gtp_variants.arena.stopping import StoppingRules, estimate_after, llr_of
from gtp_variants.arena.tally import EloInterval, EloPoint, MatchupTally, PlayerScore
from gtp_variants.arena.tuning import Tuning
from gtp_variants.base.json_values import Json
from gtp_variants.rules import parse
from gtp_variants.rules.traits import DicedRules
from gtp_variants.statistics.estimates import Estimate
from gtp_variants.statistics.ratings import Ratings


class Result:
    """The figures of a match so far. `rows` are its games by id; `add` counts one more game.

    Games after the pair that decided the match do not count; `beyond` is the number of these games. `status` is the
    exit status of the run that has just ended, or None if there was no run.
    """

    def __init__(self, config: MatchConfig, rows: Mapping[str, ResultRow], status: int | None = None) -> None:
        self.config = config
        self.status = status
        self._all = dict(rows)
        self._every = counts.tally_matchups(config, self._all.values())
        self.stopping = StoppingRules(config, self._all)
        self._counted = self._count()

    def _count(self) -> list[MatchupTally] | None:
        """Return the tallies up to the decision; None while the match is undecided, because every game counts then."""
        is_decided = self.stopping.decision is not None
        return counts.tally_matchups(self.config, self.stopping.counted_rows()) if is_decided else None

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
        """The counts of each matchup; without unplayed matchups if results decide which games are played."""
        found = self._every if self._counted is None else self._counted
        return [tally for tally in found if tally.count] if self.config.is_adaptive else found

    @property
    def beyond(self) -> int:
        """The number of games that do not count because the match had already been decided."""
        return 0 if self._counted is None else sum(t.count for t in self._every) - sum(t.count for t in self._counted)

    @property
    def every_row(self) -> Collection[ResultRow]:
        """All games, including games that do not count."""
        return self._all.values()

    @property
    def rows(self) -> list[ResultRow]:
        """The games that count."""
        return self.stopping.counted_rows()

    @cached_property
    def scores(self) -> dict[str, PlayerScore]:
        """The scores of all players, each over all matchups of the player."""
        return counts.total_scores(self.tallies)

    @cached_property
    def ratings(self) -> Ratings | None:
        """The ratings of all players; None for games of three, or if no chain of games connects all players."""
        return counts.rate_players(self.tallies)

    def elo_history(self) -> list[EloPoint]:
        """Return the history of the players' Elo, in the order of the schedule, up to the first missing game."""
        points = counts.elo_history(self.config, self.stopping.rows_in_order)
        # The last point is the match's final figure, which takes into account that a test has ended the match.
        return [*points[:-1], EloPoint(points[-1].games, self.elos)] if points and self.stopping.is_over else points

    @property
    def failed(self) -> str | None:
        """The reason to stop if a player has failed too often or games were interfered with; None otherwise."""
        interfered = counts.interfered_matchups(self._every).values()
        return counts.too_many_failures(self._every) or "; ".join(interfered) or None

    @property
    def exit(self) -> int:
        """The exit status of the run or, if there was no run, the status that describes the match."""
        if self.status is not None:
            return self.status
        return FAILED if self.failed else COMPLETE if self.stopping.is_over else INTERRUPTED

    def estimate(self, tally: MatchupTally) -> Estimate | None:
        """Return the Elo of the first player against the second, None without games; median-unbiased after a test."""
        test, decision = self.config.stops.sprt, self.stopping.decision
        if test is None or decision is None or decision.hypothesis is None:
            return tally.estimate
        tested = [each for each in self.tallies if set(each.matchup.names) == set(test.players)]
        return estimate_after(test, tally) if tested == [tally] else tally.estimate

    @cached_property
    def elos(self) -> dict[str, EloInterval]:
        """Each player's Elo against the mean of all others; empty if there are no ratings."""
        found = self.estimate(self.tallies[0]) if len(self.tallies) == 1 else None
        return counts.elo_by_player(self.tallies, self.ratings, found)

    def ranking(self) -> list[str]:
        """Return the players sorted by points per game, the best first."""

        def key(name: str) -> tuple[float, str]:
            score = self.scores[name]
            return (-score.points / score.games if score.games else 1.0), name

        return sorted(self.scores, key=key)

    @property
    def has_crosstable(self) -> bool:
        """True if there are several matchups, each between two players."""
        return len(self.tallies) > 1 and all(len(tally.matchup.players) == 2 for tally in self.tallies)

    def points_between(self) -> Mapping[tuple[str, str], Sequence[tuple[float, int]]]:
        """Return each player's points and number of games against each other player, as Black and as White."""
        met: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(lambda: [(0.0, 0)] * 2)
        for row in self.rows:
            for seat, name in () if row.is_void else enumerate(row.players):
                found = met[name, row.players[1 - seat]]
                found[seat] = found[seat][0] + row.score(name), found[seat][1] + 1
        return met

    def llr(self, tally: MatchupTally) -> float | None:
        """Return the log-likelihood ratio of the test, or None if this matchup is not tested."""
        test = self.config.stops.sprt
        if test is None or set(tally.matchup.names) != set(test.players):
            return None
        return llr_of(test, self.tallies)

    def sprt(self, tally: MatchupTally) -> str | None:
        """Return the state of the test: "H0", "H1" or "open"; None if this matchup is not tested."""
        if self.llr(tally) is None:
            return None
        decision = self.stopping.decision
        return decision.hypothesis or "open" if decision is not None else "open"

    def dice(self, tally: MatchupTally) -> str | None:
        """Return the dice setting of a matchup's games, one of `match_config.DICE`; None for a game without dice."""
        is_diced = isinstance(parse(tally.matchup.game.spec), DicedRules)
        return (self.config.dice or "own") if is_diced else None

    @property
    def tuning(self) -> Tuning | None:
        """The state of a tuning; None in any other match."""
        return self.stopping.schedule.tuning

    @property
    def tuning_label(self) -> str:
        """A tuning's best values, and how they did against the start values: "a=1,b=2: Elo +70 [+38, +102]", or ""."""
        if self.tuning is None:
            return ""
        best = self.tuning.best()
        values = ",".join(f"{name}={each.word(best[name])}" for name, each in self.tuning.settings.parameters.items())
        confirmed = [self.estimate(tally) for tally in self.tallies if tally.matchup in self.config.matchups[1:]]
        return ": Elo ".join((values, *(found.elo_text for found in confirmed if found is not None)))

    @property
    def byes(self) -> Mapping[str, Sequence[int]]:
        """The rounds that each player sits out; empty except in a Swiss tournament."""
        return self.stopping.schedule.byes

    def as_json(self) -> Json:
        """Return the report as JSON data."""
        tuning = {} if self.tuning is None else {"tuning": self.tuning.as_json() | {"label": self.tuning_label}}
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
            "wall": wall_around(self.config.players[name]),
            "failures": {kind: score.failures[kind] for kind in FAILURES},
        }

    def _matchup(self, tally: MatchupTally) -> Json:
        is_pair = len(tally.matchup.players) == 2
        ratio = self.llr(tally)
        return {
            "players": list(tally.matchup.names),
            "wdl": [tally.first.wins, tally.first.draws, tally.first.losses] if is_pair else None,
            "pentanomial": list(tally.pairs) if is_pair else None,
            "llr": None if ratio is None else round(ratio, 6),
            "sprt": self.sprt(tally),
            "dice": self.dice(tally),
            "interferences": tally.interferences,
        }
