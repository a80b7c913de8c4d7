"""How many games and how much time it costs to know the Elo of a match to within a wished error."""

from math import exp

from gtp_variants.arena.config.match_config import MatchConfig, Sprt
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import columns, duration_words
from gtp_variants.arena.statistics.tally import MatchupTally
from gtp_variants.statistics.estimates import C, Z
from gtp_variants.statistics.sprt import bounds

WISHES = (50.0, 30.0, 20.0, 10.0, 5.0)

# The variance of a game's score between equals without draws.
_GAME = 0.25
_FEWEST_PAIRS = 10


def games_for(error: float, variance: float = _GAME) -> int:
    """Games until half the width of the 95 % interval is `error` Elo, `variance` being that of a game's score.

    Between equals; the error grows as the mean score leaves 1/2.
    """
    # A point of score is worth 1600 / ln 10 Elo there.
    return max(2, round(variance * (Z * 2 * C / error) ** 2))


def variance_of(tally: MatchupTally) -> float | None:
    """The variance of a game's score as pairs show it: what pairs share is not counted twice. None of too few."""
    pairs = tally.pairs
    n = sum(pairs)
    if n < _FEWEST_PAIRS:
        return None
    mean = sum(count * points / 4 for points, count in enumerate(pairs)) / n
    # Of the mean of two games; a single game that says as much has twice that.
    return 2 * sum(count * (points / 4 - mean) ** 2 for points, count in enumerate(pairs)) / n


def pairs_of_test(test: Sprt, nelo: float) -> float:
    """How many pairs a test takes on the average where the players are this far apart, in normalised Elo (Wald)."""
    low, high = bounds(test.alpha, test.beta)
    t0, t1, t = (2**0.5 * value / C for value in (test.elo0, test.elo1, nelo))
    drift, variance = (t1 - t0) * (t - (t0 + t1) / 2), (t1 - t0) ** 2
    if abs(drift) < 1e-12:
        return -low * high / variance
    exponent = -2 * drift / variance
    at_high = (1 - _exp(exponent * low)) / (_exp(exponent * high) - _exp(exponent * low))
    return (at_high * high + (1 - at_high) * low) / drift


def _exp(value: float) -> float:
    return exp(min(value, 700.0))


def render_plan(config: MatchConfig, result: Result, jobs: int, wished: float | None = None) -> str:
    """Games, and their time where it is known how long one takes, for several errors and for the test of the match."""
    games = sum(tally.count for tally in result.tallies)
    took_s = sum(tally.took_s for tally in result.tallies) / games if games else None
    known = [value for tally in result.tallies if (value := variance_of(tally)) is not None]
    variance = max(known, default=_GAME)
    lines = [
        f"A game takes {took_s:.2f} s (mean of {games}); {jobs} at a time."
        if took_s is not None
        else "No game has been played yet: play some (--max-games 20) and the time is told, too.",
        f"Variance of a game's score: {variance:.3f}"
        + (" as played." if known else ", as between equals without draws."),
        "",
    ]
    rows = [("error (95 %)", "games", "pairs", "time")]
    for error in (wished,) if wished else WISHES:
        count = games_for(error, variance)
        rows.append((f"+/- {error:g} Elo", str(count), str((count + 1) // 2), _time(count, took_s, jobs)))
    lines += [columns(rows, left=(0,)), "", "for each two who meet; one who meets several gains by all of them"]
    return "\n".join(lines + _of_test(config, took_s, jobs))


def _of_test(config: MatchConfig, took_s: float | None, jobs: int) -> list[str]:
    test = config.stops.sprt
    if test is None or test.model != "normalized":
        return []
    rows = [("true strength", "games", "pairs", "time")]
    for nelo in (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1, 2 * test.elo1 - test.elo0):
        pairs = pairs_of_test(test, nelo)
        rows.append((f"{nelo:g} nElo", f"{2 * pairs:.0f}", f"{pairs:.0f}", _time(2 * pairs, took_s, jobs)))
    about = f"the test of {' against '.join(test.players)} ends on the average after:"
    return ["", about, columns(rows, left=(0,))]


def _time(games: float, took_s: float | None, jobs: int) -> str:
    return "-" if took_s is None else duration_words(games * took_s / jobs)
