"""Ratings of versions over time as one HTML page."""

from collections.abc import Iterable, Iterator
from html import escape

from gtp_variants.arena.report.history import RatedVersion, VariantHistory
from gtp_variants.arena.report.page.markup import page, section, table
from gtp_variants.arena.report.page.plots import Axes, PlotCurve, PlotPoint, plot
from gtp_variants.arena.report.text_report import number


def render_history_page(histories: Iterable[VariantHistory]) -> str:
    """The whole page: for each variant a plot and a table for those whom games connect."""
    return page("Ratings over time", [part for history in histories for part in _variant(history)])


def _variant(history: VariantHistory) -> Iterator[str]:
    games = sum(len(match.games) for match in history.matches)
    name, _, options = history.variant.partition(":")
    said = f"{options.replace(',', ', ')}. " if options else ""
    about = f"{said}{games} games of {len(history.matches)} matches."
    parts = [part for group in history.groups for part in (_plot(group, history), _table(group))]
    if len(history.groups) > 1:
        parts.insert(0, "<p>No game connects the players of one table with those of another.</p>")
    yield section(name, parts, about)


def _plot(group: list[RatedVersion], history: VariantHistory) -> str:
    """Elo of each player with its interval, in every match it played, as the version that played there."""
    rated = {each.version: each for each in group}
    points: dict[str, list[PlotPoint]] = {each.version.name: [] for each in group}
    for place, match in enumerate(history.matches):
        for version in dict.fromkeys(version for game in match.games for version in game[:2]):
            if (each := rated.get(version)) is not None:
                label = f"{version.version} {each.elo:+.0f} ± {each.error:.0f}".strip()
                point = PlotPoint(place, each.elo, each.elo - each.error, each.elo + each.error, label)
                points[version.name].append(point)
    curves = [PlotCurve(name, found) for name, found in points.items()]
    dates = [f"{match.begun:%Y-%m-%d}" for match in history.matches]
    step = -(-len(dates) // 5)
    words = [(index, dates[index]) for index in range(0, len(dates), step)]
    return plot("Elo, 95 % intervals", curves, Axes("match", "Elo", [(0.0, "")], x_words=words))


def _table(group: list[RatedVersion]) -> str:
    rows = [
        [
            escape(each.version.name),
            f"{number(each.elo)} <small>± {number(each.error)}</small>",
            f"{escape(each.version.version)} <small>{each.version.digest}</small>",
            f"{100 * each.points / each.games:.1f} %",
            str(each.games),
            f"{each.since:%Y-%m-%d}",
            escape(each.match),
        ]
        for each in sorted(group, key=lambda each: -each.elo)
    ]
    return table(["player", "Elo", "version", "score", "games", "since", "match"], rows, (0, 2, 6))
