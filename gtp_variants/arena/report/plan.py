"""The plan of a match, made without playing it: its games, openings and seeds, and the time for an Elo error."""

import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from math import exp, inf

from gtp_variants.arena.config.match_config import MatchConfig, Sprt
from gtp_variants.arena.config.player_config import PlayerConfig
from gtp_variants.arena.report import text_report
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import columns, duration_words, side_names
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.schedule import COLOURS, Fixture, count_games, units
from gtp_variants.arena.tally import MatchupTally
from gtp_variants.base.pages import render
from gtp_variants.gtp.client.player import random_seed
from gtp_variants.lang import say
from gtp_variants.rules import parse
from gtp_variants.statistics.estimates import C, Z, moments
from gtp_variants.statistics.sprt import bounds

# Elo errors for which the number of games needed is shown.
ERRORS = (50.0, 30.0, 20.0, 10.0, 5.0)

# Variance of a game's score between equal players, without drawn games.
_GAME = 0.25
# Minimum number of pairs for measuring the variance.
_FEWEST_PAIRS = 10
# Number of upcoming games to show.
_SHOWN = 10
# Number of moves per player in a long game, for computing the longest time that clocks allow.
_LONG_GAME = 200


def games_for(error: float, variance: float = _GAME) -> int:
    """Return the number of games between equals for a 95 % interval of +/- `error` Elo, given a variance of scores."""
    # Between equal players, one point of score is worth 1600 / ln 10 Elo.
    return max(2, round(variance * (Z * 2 * C / error) ** 2))


def variance_of(tally: MatchupTally) -> float | None:
    """Return the variance of a game's score, from pairs, as their games are correlated; None for too few pairs."""
    # The mean score of a pair has half the variance of a game's score.
    return (
        2 * moments(tally.pairs, [points / 4 for points in range(5)])[1] if sum(tally.pairs) >= _FEWEST_PAIRS else None
    )


def pairs_of_test(test: Sprt, nelo: float) -> float:
    """Return the expected number of pairs in a test if the true normalised Elo difference is `nelo` (Wald)."""
    low, high = bounds(test.alpha, test.beta)
    t0, t1, t = (2**0.5 * value / C for value in (test.elo0, test.elo1, nelo))
    drift, variance = (t1 - t0) * (t - (t0 + t1) / 2), (t1 - t0) ** 2
    if abs(drift) < 1e-12:
        return -low * high / variance
    # Keep the argument within the range of exp.
    at_low, at_high = (exp(min(-2 * drift / variance * bound, 700.0)) for bound in (low, high))
    share = (1 - at_low) / (at_high - at_low)
    return (share * high + (1 - share) * low) / drift


def render_plan(config: MatchConfig, result: Result, jobs: int, wished: float | None = None, lang: str = "en") -> str:
    """Return, as text, the games and time needed for an error of `wished` Elo, or for `ERRORS`, and for the test."""
    games = sum(tally.count for tally in result.tallies)
    took_s = sum(tally.took_s for tally in result.tallies) / games if games else None
    known = [value for tally in result.tallies if (value := variance_of(tally)) is not None]
    variance = max(known, default=_GAME)
    lines = [
        say("match.game_time", lang, seconds=f"{took_s:.2f}", games=games, jobs=jobs)
        if took_s is not None
        else say("match.no_game_yet", lang),
        say(f"match.variance_{'played' if known else 'equal'}", lang, variance=f"{variance:.3f}"),
        "",
    ]
    rows: list[Sequence[str]] = [say("match.errors_head", lang).split("|")]
    for error in (wished,) if wished else ERRORS:
        count = games_for(error, variance)
        rows.append((f"+/- {error:g} Elo", str(count), str((count + 1) // 2), _time_words(count, took_s, jobs, lang)))
    lines += [columns(rows, left=(0,)), "", say("match.for_two", lang)]
    return "\n".join(lines + _of_test(config, took_s, jobs, lang))


def _of_test(config: MatchConfig, took_s: float | None, jobs: int, lang: str) -> list[str]:
    test = config.stops.sprt
    if test is None or test.model != "normalized":
        return []
    rows: list[Sequence[str]] = [say("match.test_head", lang).split("|")]
    for nelo in (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1, 2 * test.elo1 - test.elo0):
        pairs = pairs_of_test(test, nelo)
        rows.append((f"{nelo:g} nElo", f"{2 * pairs:.0f}", f"{pairs:.0f}", _time_words(2 * pairs, took_s, jobs, lang)))
    about = say("match.test_length", lang, names=say("match.against", lang).join(test.players))
    return ["", about, columns(rows, left=(0,))]


def _time_words(games: float, took_s: float | None, jobs: int, lang: str) -> str:
    return "-" if took_s is None else duration_words(games * took_s / jobs, lang)


def render_games(config: MatchConfig, rows: Mapping[str, ResultRow], jobs: int, lang: str = "en") -> str:
    """Return the matchups, players, time, openings and seed, and details of the next games."""
    total = count_games(config)
    unplayed = (game for unit in units(config, rows) for game in unit.fixtures(config) if game.id not in rows)
    shown = {"plan": sys.modules[__name__], "text": text_report, "config": config, "jobs": jobs, "lang": lang}
    shown |= {"rows": rows, "total": total, "left": max(0, total - len(rows))}
    shown["following"] = list(islice(unplayed, _SHOWN))
    shown["took_s"] = sum(row.took_s for row in rows.values()) / len(rows) if rows else None
    shown["say"] = lambda key, **parts: say(f"match.{key}", lang, **parts)
    return render("arena/report/plan.txt", **shown).rstrip("\n")


def describe_meetings(config: MatchConfig, lang: str) -> list[str]:
    """Return one line for each matchup, or a single line if results decide who meets."""
    if not config.is_paired_by_results:
        met = [(each.id, each.pairs, parse(each.game.spec).short_spec) for each in config.matchups]
        return [say("match.meeting", lang, id=id, pairs=pairs, spec=spec) for id, pairs, spec in met]
    about = {"rounds": config.swiss_rounds, "pairs": config.tournament.pairs, "players": len(config.players)}
    spec = parse(config.matchups[0].game.spec).short_spec
    return [say(f"match.meeting_{config.tournament.type}", lang, spec=spec, **about)]


def longest_time(config: MatchConfig, total: int, jobs: int, lang: str) -> str:
    """Return the longest time that the clocks allow for all games, or "" if some player has no clock."""
    longest = [(sum(map(_most_s, each.players)), each.pairs * len(each.players)) for each in config.matchups]
    if config.is_paired_by_results:
        longest = [(max(game_s for game_s, _ in longest), total)]
    most_s = sum(game_s * games for game_s, games in longest)
    return "" if most_s == inf else text_report.duration_words(most_s / jobs, lang)


def _most_s(player: PlayerConfig) -> float:
    control = player.limits.control
    if control.kind == "none":
        return inf
    stones = max(1, control.stones)
    return control.main_s + _LONG_GAME * (control.increment_s + control.period_s / stones)


def games_table(config: MatchConfig, following: list[Fixture], lang: str) -> str:
    """Return a table of the next games."""
    count = max(len(fixture.players) for fixture in following)
    sides = side_names(lang)[:count]
    is_known = bool(config.seed) and not config.has_fresh_seeds
    order_is_known = bool(config.seed) or config.book.order == "sequential"
    seeds_of, secret = [say("match.seed_of", lang, side=side) for side in sides], say("match.secret", lang)
    table = [(say("match.next_head", lang), *sides, say("match.opening", lang), *seeds_of)]
    for fixture in following:
        opening = fixture.opening.name if fixture.opening else "-"
        seeds = [str(random_seed(fixture.seat_seed(colour))) if is_known else secret for colour in COLOURS[:count]]
        table.append((fixture.id, *fixture.names, opening if order_is_known else "?", *seeds))
    return columns(table, left=range(1 + count + 1))
