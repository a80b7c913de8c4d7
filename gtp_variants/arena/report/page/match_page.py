"""The report of a match as one HTML page that needs nothing beside it but the replays and records it links to."""

from collections.abc import Mapping, Sequence
from html import escape

from gtp_variants.arena.config.match_config import Sprt
from gtp_variants.arena.report import text_report
from gtp_variants.arena.report.page.game_columns import game_columns
from gtp_variants.arena.report.page.markup import page, read_asset, section, table, tile, write_data
from gtp_variants.arena.report.page.plots import COLOURS, Axes, PlotCurve, PlotPoint, plot, ticks
from gtp_variants.arena.report.page.tables import crosstable, failures, games_of, los_matrix, matchups, times
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import number, titles_of
from gtp_variants.arena.report.tuning_report import tuning_plots
from gtp_variants.arena.statistics.strength import EloInterval, EloPoint
from gtp_variants.statistics.sprt import bounds


def render_page(result: Result) -> str:
    """The whole page."""
    config = result.config
    parts = [
        f"<p>{escape(config.description)}</p>" if config.description else "",
        f'<p class="faint">{_state(result)}</p>',
        _tiles(result),
        section("Players", [_standings(result, has_games=True)], _about_standings(result)),
        section("Test", _test(result)),
        section("Tuning", [] if result.tuning is None else tuning_plots(result.tuning)),
        section("Elo over games", [_elo_plot(result)]),
        section("Crosstable", crosstable(result), "Points of the row's player, below as Black and as White."),
        section(
            "Who is stronger",
            los_matrix(result),
            "How likely it is that the row's player is the stronger one, in per cent.",
        ),
        section("Matchups" if len(result.tallies) > 1 else "Figures", matchups(result)),
        section("Failures", failures(result)),
        section("Times", times(result)),
        _games(result),
    ]
    return page(config.name, parts)


def render_standings(result: Result) -> str:
    """A piece of HTML for a notebook: how far the match is, the table of players, their Elo with its intervals."""
    # A notebook is light or dark by a setting of its own.
    style = (
        ".gv-standings { --ink: currentColor; --soft: #8a8a85; --line: #8a8a8566; --card: transparent; "
        f"--mark: #3f87e0; --bad: #d0453c; {read_asset('parts.css')} }}"
    )
    return (
        f'<div class="gv-standings"><style>{style}</style><p>{_state(result)}</p>{_standings(result, has_games=False)}'
        f'<p class="faint">{_about_standings(result)}</p></div>'
    )


def _state(result: Result) -> str:
    games = sum(tally.count for tally in result.tallies)
    if result.failed:
        state = f'<span class="bad">stopped: {escape(result.failed)}</span>'
    elif result.stopping.decision is not None:
        decision = result.stopping.decision
        state = f"decided after {escape(decision.unit)}: {escape(decision.why)}"
    else:
        state = "complete" if result.stopping.is_over else "not complete"
    beyond = f" {result.beyond} games beyond the decision do not count." if result.beyond else ""
    return f"{games} games, {state}.{beyond}"


def _tiles(result: Result) -> str:
    """What a match of two came to, in figures to be read from afar."""
    if len(result.tallies) != 1 or len(result.scores) != 2:
        return ""
    tally = result.tallies[0]
    found = result.estimate(tally)
    if found is None:
        return ""
    low, high = found.interval
    tiles = [
        tile(f"{tally.matchup.names[0]} won", f"{tally.wins} – {tally.losses}", f"{tally.draws} drawn"),
        tile("Elo", f"{found.elo:+.0f}", f"95 %: {low:+.0f} to {high:+.0f}"),
        tile("is the stronger one", f"{100 * found.los:.1f} %", "likelihood of superiority"),
    ]
    if (ratio := result.llr(tally)) is not None and (test := result.config.stops.sprt) is not None:
        ends = bounds(test.alpha, test.beta)
        words = {"H0": "H0 accepted", "H1": "H1 accepted"}.get(result.sprt(tally) or "", "not decided")
        tiles.append(tile("SPRT", f"{ratio:.2f}", f"{words}; {ends[0]:.2f} to {ends[1]:.2f}"))
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _about_standings(result: Result) -> str:
    byes = text_report.byes_words(result)
    return " ".join(filter(None, (_about_elo(result), f"{escape(byes)}." if byes else "")))


def _about_elo(result: Result) -> str:
    if result.ratings is None:
        return ""
    about = "Elo is against the mean of all others." if len(result.tallies) > 1 else ""
    imagined = " Somebody won or lost everything, so half a won game was added between all who met."
    return about + (imagined if result.ratings.has_prior and len(result.tallies) > 1 else "")


def _standings(result: Result, has_games: bool) -> str:
    """The players, the best first; each name leads to the games where these are on the same page."""
    scale = _EloScale(result.elos)
    titles = {each.name: titles_of(each) for each in result.config.players.values()}
    rows = []
    for rank, name in enumerate(result.ranking(), 1):
        score, elo = result.scores[name], result.elos.get(name)
        share = f"{100 * score.points / score.games:.1f} %" if score.games else "-"
        shown = "-" if elo is None else f"{number(elo.elo)} <small>[{number(elo.low)}, {number(elo.high)}]</small>"
        counts = [
            str(score.games),
            *(f'<td class="more">{count}</td>' for count in (score.wins, score.draws, score.losses)),
        ]
        shown_name = f'<a href="{games_of(result, name)}">{escape(name)}</a>' if has_games else escape(name)
        shown_name += "".join(f"<br><small>{escape(each)}</small>" for each in titles.get(name, ()))
        points = f"{round(score.points, 2):g}"
        about = [str(rank), shown_name, shown, scale.bar(elo), share, points, *counts]
        rows.append([*about, str(score.failures.total())])
    head = ["", "player", "Elo [95 %]", scale.axis(), "score", "points", "games", "won", "drawn", "lost", "failures"]
    return table(head, rows, (1, 3), "standings")


class _EloScale:
    """Where an Elo is between the lowest and the highest bound of all intervals, in per cent."""

    def __init__(self, elos: Mapping[str, EloInterval]) -> None:
        self.low = min((elo.low for elo in elos.values()), default=0.0)
        self.span = max(1.0, max((elo.high for elo in elos.values()), default=0.0) - self.low)
        self.is_empty = not elos

    def at(self, value: float) -> float:
        return 100 * (value - self.low) / self.span

    def axis(self) -> str:
        """Round numbers where they are."""
        if self.is_empty:
            return ""
        marks = "".join(
            f'<i style="left:{self.at(v):.1f}%">{v:g}</i>' for v in ticks(self.low, self.low + self.span, 3)
        )
        return f'<div class="range axis">{marks}</div>'

    def bar(self, elo: EloInterval | None) -> str:
        """An interval as a bar with a dot where the Elo is."""
        if elo is None:
            return ""
        left, right = self.at(elo.low), self.at(elo.high)
        zero = f'<s style="left:{self.at(0):.1f}%"></s>' if 0 <= self.at(0) <= 100 else ""
        bar = f'<i style="left:{left:.1f}%;width:{right - left:.1f}%"></i><b style="left:{self.at(elo.elo):.1f}%"></b>'
        return f'<div class="range">{zero}{bar}</div>'


def _test(result: Result) -> list[str]:
    """The path of a sequential test between its bounds."""
    test, path = result.config.stops.sprt, result.stopping.llr_history
    if test is None or not path:
        return []
    words = next(
        (text_report.llr_words(result, tally) for tally in result.tallies if result.llr(tally) is not None), ""
    )
    return [f"<p>{escape(' against '.join(test.players))}: {escape(words)}</p>", _llr_plot(test, path)]


def _llr_plot(test: Sprt, path: Sequence[float]) -> str:
    low, high = bounds(test.alpha, test.beta)
    points = [PlotPoint(pair, value, label=f"{value:.2f}") for pair, value in enumerate([0.0, *path])]
    levels = [(high, f"H1: {test.elo1:g} Elo"), (low, f"H0: {test.elo0:g} Elo")]
    return plot("SPRT", [PlotCurve("log-likelihood ratio", points)], Axes("pairs", "log-likelihood ratio", levels))


def _elo_plot(result: Result) -> str:
    history = result.elo_history()
    if len(history) < 2:
        return ""
    is_pair = len(result.tallies) == 1
    shown = result.ranking()[: 1 if is_pair else COLOURS]
    if is_pair:
        shown = [result.tallies[0].matchup.names[0]]
    curves = [PlotCurve(name, _elo_points(history, name, is_pair), is_pair) for name in shown]
    title = f"Elo of {shown[0]}, 95 % interval" if is_pair else "Elo against the mean of all others"
    if len(result.scores) > len(shown) > 1:
        title += f": the first {len(shown)}"
    return plot(title, curves, Axes("games, in the order of the schedule", "Elo", [(0.0, "")]))


def _elo_points(history: Sequence[EloPoint], name: str, with_interval: bool) -> list[PlotPoint]:
    points = []
    for each in history:
        if (found := each.elos.get(name)) is not None:
            label = f"{found.elo:+.0f} [{found.low:+.0f}, {found.high:+.0f}]"
            low, high = (found.low, found.high) if with_interval else (None, None)
            points.append(PlotPoint(each.games, found.elo, low, high, label))
    return points


def _games(result: Result) -> str:
    rows = result.rows
    if not rows:
        return ""
    inside = (
        '<div id="filters"></div><div class="wide" tabindex="0"><table id="list"></table></div><div id="pages"></div>'
        "<noscript>The list of games needs JavaScript; "
        "<code>gtp-variants match FILE report</code> writes it as games.csv too.</noscript>"
    )
    return section(
        "Games", [inside, write_data("columns", game_columns(result.config, rows, result.ranking()))], id="games"
    )
