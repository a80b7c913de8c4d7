"""The report of a match as one HTML page, which needs no other files except the replays and records it links to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import NormalDist

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import ProgramConfig
from gtp_variants.arena.report import text_report
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import FAILURES, ResultRow
from gtp_variants.arena.tally import EloInterval, MatchupTally
from gtp_variants.base.pages import COLOURS, Axes, Plot, PlotCurve, PlotPoint, render, ticks
from gtp_variants.lang import say
from gtp_variants.statistics.ratings import Ratings
from gtp_variants.statistics.sprt import bounds

# Digits for the columns that have one character per game.
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DRAWN, _VOID = "-", "x"
# Maximum number of different notes, and maximum characters per note. Notes must take less space than the games.
_MOST_NOTES = 300
_LONGEST_NOTE = 160
_OTHER_NOTE = "the page has no room for this note: see the game's record"
# Maximum number of failures listed one by one; the list of games shows them all.
_MOST_FAILURES = 50


def game_columns(config: MatchConfig, rows: Iterable[ResultRow], names: Sequence[str]) -> Mapping[str, object]:
    """Return the games as columns for the page's script, about 15 bytes per game, in the order of the schedule.

    `names` are the players in the order in which links number them. For each matchup, `rounds` lists runs of complete
    pairs as [first pair, last pair] and incomplete pairs as [pair, legs]. `seats` and `winners` have one character per
    game: the index of its players in the `seatings` of its matchup, and the winner's seat, "-" for a drawn game or "x"
    for a void game. `kinds` and `results` are indices into `kind_names` and `result_names`; `notes` maps games to
    indices into `note_texts`. `took` is in tenths of a second. `same` maps duplicates to their originals. `logs` lists
    the games that have GTP logs.
    """
    games = sorted(rows, key=attrgetter("matchup", "pair", "leg"))
    kinds, results, notes = _Index(), _Index(), _Index()
    seatings = {matchup: _Index() for matchup in dict.fromkeys(row.matchup for row in games)}
    seen: dict[object, int] = {}
    keys = [(row.matchup, row.players, row.fingerprint) if row.fingerprint else row.id for row in games]
    firsts = [seen.setdefault(key, index) for index, key in enumerate(keys)]
    programs = {name for name, player in config.players.items() if isinstance(player, ProgramConfig)}
    return {
        "names": names,
        "rounds": _rounds(games),
        "seats": "".join(_DIGITS[seatings[row.matchup].of(row.players)] for row in games),
        "seatings": {matchup: found.values for matchup, found in seatings.items()},
        "winners": "".join(_winner(row) for row in games),
        "kinds": "".join(_DIGITS[kinds.of(row.status)] for row in games),
        "kind_names": kinds.values,
        "results": [results.of(row.result) for row in games],
        "result_names": results.values,
        "moves": [row.moves for row in games],
        "took": [round(10 * row.took_s) for row in games],
        "same": {index: first for index, first in enumerate(firsts) if first != index},
        "notes": {index: notes.of(_note(row, notes)) for index, row in enumerate(games) if row.why},
        "note_texts": notes.values,
        "logs": [index for index, row in enumerate(games) if any(who in programs for who, _, _ in row.failures)],
    }


class _Index:
    """Distinct values, numbered in the order of their first appearance."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._known: dict[object, int] = {}

    def __contains__(self, value: object) -> bool:
        return value in self._known

    def of(self, value: object) -> int:
        """Return the number of a value. A new value gets the next number."""
        number = self._known.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


def _winner(row: ResultRow) -> str:
    if row.is_void:
        return _VOID
    return _DRAWN if row.winner is None else str(row.players.index(row.winner))


def _note(row: ResultRow, notes: _Index) -> str:
    text = row.why if len(row.why) <= _LONGEST_NOTE else row.why[: _LONGEST_NOTE - 1] + "…"
    return text if text in notes or len(notes.values) < _MOST_NOTES else _OTHER_NOTE


def _rounds(games: Sequence[ResultRow]) -> dict[str, list[list[object]]]:
    found: dict[str, list[list[object]]] = {}
    for (matchup, pair), legs_of in groupby(games, key=lambda row: (row.matchup, row.pair)):
        legs = list(legs_of)
        rounds = found.setdefault(matchup, [])
        if len(legs) < len(legs[0].players):
            rounds.append([pair, "".join(row.leg for row in legs)])
        elif rounds and rounds[-1][1] == pair - 1:
            rounds[-1][1] = pair
        else:
            rounds.append([pair, pair])
    return found


def _superiority(ratings: Ratings, name: str, other: str) -> float:
    """Return the likelihood, 0 to 1, that a player is stronger than another."""
    elo, error = ratings.difference(ratings.players.index(name), ratings.players.index(other))
    return NormalDist().cdf(elo / error) if error else 0.5


def _figures(result: Result, tally: MatchupTally) -> Iterator[tuple[str, str]]:
    names = tally.matchup.names
    yield "game", tally.matchup.game.spec.replace(",", ", ")
    of = tally.matchup.pairs * len(names)
    yield "games", f"{tally.games} of {of}" if not result.config.is_paired_by_results else str(tally.games)
    if not tally.games:
        return
    if len(names) == 2:
        yield from _figures_of_two(result, tally)
    else:
        for name in names:
            mean, score = tally.mean_points(name), tally.scores[name]
            places = ", ".join(f"{place:g}: {count}" for place, count in sorted(score.places.items()))
            shown = f"{score.points:.2f} points" + (", {:.3f} [{:.3f}, {:.3f}] a game".format(*mean) if mean else "")
            yield name, f"{shown}; places {places}"
    for side, count in zip(text_report.side_names(), tally.by_colour, strict=False):
        yield f"{side} won", f"{count} ({100 * count / tally.games:.1f} %)"
    dice = result.dice(tally)
    more = {
        "dice": dice and say(f"match.dice_{dice}", "en"),
        "processes": text_report.process_words(tally.matchup),
        "walls": text_report.wall_words(tally.matchup),
        "duplicate games": text_report.duplicates_words(tally) or "0",
        "at the move limit": f"{tally.adjudicated} adjudicated, {text_report.void_at_limit(tally)} void",
        "referee tampered with": "; ".join(text_report.tampered_words(tally)),
        "interference": text_report.with_ids("interfered", tally.interferences, tally.interfered),
        "dead stones": text_report.with_ids("unjudged", len(tally.unjudged), tally.unjudged),
    }
    yield from ((name, words) for name, words in more.items() if words)


def _figures_of_two(result: Result, tally: MatchupTally) -> Iterator[tuple[str, str]]:
    found = result.estimate(tally)
    assert found is not None
    yield "won, drawn, lost", f"{tally.first.wins}, {tally.first.draws}, {tally.first.losses}"
    yield "Elo [95 %]", found.elo_text
    yield "normalised Elo [95 %]", found.nelo_text
    yield "likelihood of superiority", text_report.los_text(found.los)
    yield "pairs: 0, ½, 1, 1½, 2 points", ", ".join(map(str, tally.pairs))
    if tally.matchup.game.match == 2:
        won, tied, lost = tally.matches
        yield "two-game matches", f"{won} won, {tied} tied, {lost} lost; decided by tie-break: {tally.tiebreaks}"
    if ratio := text_report.llr_words(result, tally):
        yield "test", f"{ratio[5:]}: {result.sprt(tally)}"


def render_page(result: Result) -> str:
    """Return the report as an HTML page."""
    test = result.config.stops.sprt
    figures = [dict(_figures(result, tally)) for tally in result.tallies]
    names = list(dict.fromkeys(name for each in figures for name in each))
    # Figures that are the same in all matchups are shown above the table.
    common = {name: figures[0][name] for name in names if len({each.get(name) for each in figures}) == 1}
    return render(
        "arena/report/match_page.html",
        **_common_values(result),
        title=result.config.name,
        test_bounds=bounds(test.alpha, test.beta) if test is not None else (),
        test_plot=_test_plot(result),
        test_words=[words for tally in result.tallies if (words := text_report.llr_words(result, tally))][:1],
        tuning_plots=_tuning_plots(result),
        elo_plot=_elo_plot(result),
        superiority=_superiority,
        figures=figures,
        common=common,
        columns=[name for name in names if name not in common],
        kinds=FAILURES,
        failing=[
            [name, *(score.failures[kind] for kind in FAILURES)]
            for name, score in result.scores.items()
            if score.failures.total()
        ],
        failed_games=[(row, who or "referee", *why) for row in result.rows for who, *why in row.failures],
        most_failures=_MOST_FAILURES,
        games_data=game_columns(result.config, result.rows, result.ranking()) if result.rows else None,
    )


def render_standings(result: Result) -> str:
    """Return HTML for a notebook: the state of the match, and the table of players with their Elo."""
    return render("arena/report/standings.html", **_common_values(result))


def _common_values(result: Result) -> dict[str, object]:
    """Return the values that `match_parts.html` uses."""
    return {"result": result, "scale": _EloScale(result.elos), "text": text_report}


class _EloScale:
    """A horizontal scale, in per cent, from the lowest to the highest bound of any Elo interval."""

    def __init__(self, elos: Mapping[str, EloInterval]) -> None:
        self.low = min((elo.low for elo in elos.values()), default=0.0)
        self.span = max(1.0, max((elo.high for elo in elos.values()), default=0.0) - self.low)
        self.ticks = ticks(self.low, self.low + self.span, 3)

    def at(self, value: float) -> float:
        return 100 * (value - self.low) / self.span


def _test_plot(result: Result) -> Plot | None:
    """Return a plot of a test's log-likelihood ratio between its bounds; None without a test or a value."""
    test, path = result.config.stops.sprt, result.stopping.llr_history
    if test is None or not path:
        return None
    low, high = bounds(test.alpha, test.beta)
    points = [PlotPoint(pair, value, label=f"{value:.2f}") for pair, value in enumerate([0.0, *path])]
    levels = [(high, f"H1: {test.elo1:g} Elo"), (low, f"H0: {test.elo0:g} Elo")]
    return Plot("SPRT", [PlotCurve("log-likelihood ratio", points)], Axes("pairs", "log-likelihood ratio", levels))


def _tuning_plots(result: Result) -> list[Plot]:
    """Return a plot for each tuned parameter: SPSA's estimates over the pairs, or the values tried by other methods."""
    if result.tuning is None:
        return []
    settings, best = result.tuning.settings, result.tuning.best()
    is_spsa = settings.method == "spsa"
    values = result.tuning.estimates if is_spsa else list(enumerate(result.tuning.tried, 1))
    found = []
    for name, each in settings.parameters.items():
        curve = PlotCurve("estimate" if is_spsa else "tried", [PlotPoint(pair, at[name]) for pair, at in values])
        words = f"start {each.word(settings.start[name])}", f"best {each.word(best[name])}"
        levels = list(zip((each.start, best[name]), words, strict=True))
        found.append(Plot(name, [curve], Axes("pairs", name, levels, each.low, each.high)))
    return found


def _elo_plot(result: Result) -> Plot | None:
    history = result.elo_history()
    if len(history) < 2:
        return None
    is_pair = len(result.tallies) == 1
    shown = result.ranking()[: 1 if is_pair else COLOURS]
    if is_pair:
        shown = [result.tallies[0].matchup.names[0]]
    curves = []
    for name in shown:
        points = []
        for count, found in ((each.games, each.elos[name]) for each in history if name in each.elos):
            label = f"{found.elo:+.0f} [{found.low:+.0f}, {found.high:+.0f}]"
            low, high = (found.low, found.high) if is_pair else (None, None)
            points.append(PlotPoint(count, found.elo, low, high, label))
        curves.append(PlotCurve(name, points, is_pair))
    title = f"Elo of {shown[0]}, 95 % interval" if is_pair else "Elo against the mean of all others"
    if len(result.scores) > len(shown) > 1:
        title += f": the first {len(shown)}"
    return Plot(title, curves, Axes("games, in the order of the schedule", "Elo", [(0.0, "")]))
