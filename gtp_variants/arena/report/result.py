"""The figures of a match, as far as it was played: what every form of report shows."""

from collections.abc import Mapping

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import process
from gtp_variants.arena.result_row import FAILURES, ResultRow
from gtp_variants.arena.run.runner import COMPLETE, FAILED, INTERRUPTED
from gtp_variants.arena.statistics.stopping import StoppingRules, llr_of
from gtp_variants.arena.statistics.tally import (
    MatchupTally,
    rate_players,
    tally_matchups,
    too_many_failures,
    total_scores,
)
from gtp_variants.json_values import Json
from gtp_variants.rules import parse
from gtp_variants.rules.diced import DicedRules


class Result:
    """The figures of a match as far as it was played. `rows` are all its games by id.

    Games behind the pair that decided the match are kept but do not count: `beyond` is how many there are. `status` is
    how the run ended that played them just now, None if nobody did.
    """

    def __init__(self, config: MatchConfig, rows: Mapping[str, ResultRow], status: int | None = None) -> None:
        self.config = config
        self.status = status
        self.stopping = StoppingRules(config, rows)
        every = tally_matchups(config, rows.values())
        decided = self.stopping.decision is not None
        self.tallies = tally_matchups(config, self.stopping.counted_rows()) if decided else every
        if config.type == "swiss":
            self.tallies = [tally for tally in self.tallies if tally.count]
        self.beyond = sum(tally.count for tally in every) - sum(tally.count for tally in self.tallies)
        self.rows = self.stopping.counted_rows()
        self.scores = total_scores(self.tallies)
        self.names, self.ratings = rate_players(self.tallies)
        self.failed = too_many_failures(every)

    @property
    def exit(self) -> int:
        """The exit status of the run; without one, the one that tells how the match stands."""
        if self.status is not None:
            return self.status
        return FAILED if self.failed else COMPLETE if self.stopping.is_over else INTERRUPTED

    def elo(self, player: str) -> tuple[float, float, float] | None:
        """Elo of a player against the mean of all others, with the 95 % interval; None where there is no Elo."""
        if len(self.tallies) == 1 and player in self.names:
            found = self.tallies[0].estimate if len(self.names) == 2 else None
            if found is not None:
                low, high = found.interval
                return (found.elo, low, high) if player == self.names[0] else (-found.elo, -high, -low)
        if self.ratings is None or player not in self.names:
            return None
        index, factor = self.names.index(player), len(self.names) / (len(self.names) - 1)
        elo, error = factor * self.ratings.elo[index], factor * self.ratings.error(index)
        return elo, elo - error, elo + error

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

    def as_json(self) -> Json:
        """The report for programs."""
        return {
            "name": self.config.name,
            "complete": self.stopping.is_over,
            "exit": self.exit,
            "games": sum(tally.count for tally in self.tallies),
            "players": [self._player(name) for name in self.ranking()],
            "matchups": [self._matchup(tally) for tally in self.tallies],
        }

    def _player(self, name: str) -> Json:
        score, elo = self.scores[name], self.elo(name)
        rounded = [None] * 3 if elo is None else [round(value, 2) for value in elo]
        return {
            "name": name,
            "games": score.games,
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
