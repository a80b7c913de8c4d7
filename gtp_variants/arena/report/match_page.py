"""The report of a match as one HTML page, which needs no other files except the replays and records it links to."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from operator import attrgetter
from statistics import NormalDist

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import ProgramConfig
from gtp_variants.arena.report import text_report
from gtp_variants.arena.report.markup import (
    COLOURS,
    Axes,
    PlotCurve,
    PlotPoint,
    page,
    plot,
    read_asset,
    section,
    table,
    ticks,
    tile,
    write_data,
)
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import number
from gtp_variants.arena.result_row import FAILURES, ResultRow
from gtp_variants.arena.tally import EloInterval, MatchupTally
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
    game: the index of its players in the `seatings` of its matchup, and the winner's seat, "-" for a draw or "x" for a
    void game. `kinds` and `results` are indices into `kind_names` and `result_names`; `notes` maps games to indices
    into `note_texts`. `took` is in tenths of a second. `same` maps duplicates to their originals. `logs` lists the
    games that have GTP logs.
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
        """Return the number of a value."""
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


def _crosstable(result: Result) -> list[str]:
    """Return the table of each player's points against every other player. Each cell links to the games."""
    if not result.has_crosstable:
        return []
    met = result.points_between()

    def cell(name: str, other: str) -> str:
        points, games = map(sum, zip(*met[name, other], strict=True))
        if not games:
            return ""
        as_black, as_white = (f"{each[0]:g}/{each[1]}" for each in met[name, other])
        link = f'<a href="{_games_link(result, name, other)}">{points:g}/{games}</a>'
        return f"<td{_heat(points / games)}>{link}<small><i>{as_black}</i><b>{as_white}</b></small></td>"

    return [_square(result.ranking(), cell)]


def _square(order: Sequence[str], cell: Callable[[str, str], str]) -> str:
    rows = [[f"{place} {escape(name)}", *(cell(name, other) for other in order)] for place, name in enumerate(order, 1)]
    return table(["", *map(str, range(1, len(order) + 1))], rows, style="cross")


def _games_link(result: Result, *names: str) -> str:
    """Return a link within the page to the games of one player, or to the games between two players."""
    order = result.ranking()
    return "#games-" + "-".join(str(order.index(name)) for name in names)


def _heat(share: float) -> str:
    """Return the CSS class of a cell's colour: h0 (red) for a share of 0 to h9 (green) for 1."""
    return f' class="h{min(9, int(10 * share))}"'


def _los_matrix(result: Result) -> list[str]:
    """Return the table of the likelihood, from all games, that each player is stronger than each other player."""
    ratings = result.ratings
    if not result.has_crosstable or ratings is None:
        return []
    index = {name: number for number, name in enumerate(ratings.players)}

    def cell(name: str, other: str) -> str:
        elo, error = ratings.difference(index[name], index[other])
        los = NormalDist().cdf(elo / error) if error else 0.5
        return "" if name == other else f"<td{_heat(los)}>{100 * los:.1f}</td>"

    return [_square([name for name in result.ranking() if name in index], cell)]


def _matchups(result: Result) -> list[str]:
    """Return the table of figures: one row per matchup or, for a single matchup, one row per figure."""
    found = [dict(_figures(result, tally)) for tally in result.tallies]
    names = list(dict.fromkeys(name for each in found for name in each))
    if len(found) == 1:
        return [table(["", ""], [[name, found[0][name]] for name in names], (0, 1))]
    # Show figures that are the same in all matchups above the table.
    common = [name for name in names if len({each.get(name) for each in found}) == 1]
    names = [name for name in names if name not in common]
    told = f'<p class="faint">All: {"; ".join(f"{name} {found[0][name]}" for name in common)}.</p>' if common else ""
    return [told, table(names, [[each.get(name, "") for name in names] for each in found])]


def _figures(result: Result, tally: MatchupTally) -> Iterator[tuple[str, str]]:
    names = tally.matchup.names
    yield "matchup", f'<a href="{_games_link(result, *names[:2])}">{escape(" – ".join(names))}</a>'
    yield "game", escape(tally.matchup.game.spec.replace(",", ", "))
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
            shown = f"{score.points:.2f} points" + (f", {mean[0]:.3f} ± {mean[1]:.3f} a game" if mean else "")
            yield escape(name), f"{shown}; places {places}"
    for side, count in zip(text_report.SIDES, tally.by_colour, strict=False):
        yield f"{side} won", f"{count} ({100 * count / tally.games:.1f} %)"
    if (dice := result.dice(tally)) is not None:
        yield "dice", text_report.DICE_WORDS[dice]
    if words := text_report.process_words(tally.matchup):
        yield "processes", escape(words)
    yield "duplicate games", text_report.duplicates_words(tally) or "0"
    void = text_report.void_at_limit(tally)
    yield "at the move limit", f"{tally.adjudicated} adjudicated, {void} void"
    if tampered := text_report.tampered_words(tally):
        yield "referee tampered with", escape("; ".join(tampered))
    if words := text_report.unjudged_words(tally):
        yield "dead stones", escape(words)


def _figures_of_two(result: Result, tally: MatchupTally) -> Iterator[tuple[str, str]]:
    found = result.estimate(tally)
    assert found is not None
    yield "won, drawn, lost", f"{tally.first.wins}, {tally.first.draws}, {tally.first.losses}"
    yield "Elo [95 %]", f"{number(found.elo)} [{number(found.interval[0])}, {number(found.interval[1])}]"
    yield "normalised Elo", text_report.nelo_words(found)
    yield "likelihood of superiority", f"{100 * found.los:.2f} %"
    yield "pairs: 0, ½, 1, 1½, 2 points", ", ".join(map(str, tally.pairs))
    if tally.matchup.game.match == 2:
        won, tied, lost = tally.matches
        yield "matches of two", f"{won} won, {tied} tied, {lost} lost; {tally.tiebreaks} by the tie-break"
    if ratio := text_report.llr_words(result, tally):
        yield "test", escape(f"{ratio[5:]}: {result.sprt(tally)}")


def _failures(result: Result) -> list[str]:
    """Return the number of failures of each player, and the first failures in full."""
    rows = [
        [escape(name), *(str(score.failures[kind]) for kind in FAILURES)]
        for name, score in result.scores.items()
        if score.failures.total()
    ]
    if not rows:
        return ["<p>None.</p>"]
    found = [(row, *failure) for row in result.rows for failure in row.failures]
    listed = [
        [f'<a href="{escape(row.id)}.html">{escape(row.id)}</a>', escape(who), kind, escape(why)]
        for row, who, kind, why in found[:_MOST_FAILURES]
    ]
    parts = [table(["", *FAILURES], rows), table(["game", "player", "kind", "what happened"], listed, (0, 1, 2, 3))]
    more = len(found) - len(listed)
    return [*parts, f'<p class="faint">{more} more are in the list of games.</p>'] if more else parts


def _times(result: Result) -> list[str]:
    rows = []
    for name, score in result.scores.items():
        a_move = f"{1000 * score.thought_s / score.moves:.1f} ms" if score.moves else "-"
        rows.append([escape(name), f"{score.thought_s:.1f} s", a_move, f"{score.slowest_s:.3f} s"])
    games = sum(tally.count for tally in result.tallies)
    took_s = sum(tally.took_s for tally in result.tallies)
    mean = f"<p>{took_s / games:.2f} s a game.</p>" if games else ""
    return [mean, table(["", "thinking", "a move", "slowest move"], rows)]


def render_page(result: Result) -> str:
    """Return the complete page."""
    config = result.config
    parts = [
        f"<p>{escape(config.description)}</p>" if config.description else "",
        f'<p class="faint">{_state(result)}</p>',
        _tiles(result),
        section("Players", [_standings(result, has_games=True)], _about_standings(result)),
        section("Test", _test(result)),
        section("Tuning", _tuning_plots(result)),
        section("Elo over games", [_elo_plot(result)]),
        section("Crosstable", _crosstable(result), "Points of the row's player, below as Black and as White."),
        section(
            "Who is stronger",
            _los_matrix(result),
            "The likelihood that the row's player is stronger than the column's, in per cent.",
        ),
        section("Matchups" if len(result.tallies) > 1 else "Figures", _matchups(result)),
        section("Failures", _failures(result)),
        section("Times", _times(result)),
        _games(result),
    ]
    return page(config.name, parts)


def render_standings(result: Result) -> str:
    """Return HTML for a notebook: the state of the match, and the table of players with their Elo."""
    # These colours suit both light and dark notebooks.
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
    """Return the main figures of a two-player match in large print."""
    if len(result.tallies) != 1 or len(result.scores) != 2:
        return ""
    tally = result.tallies[0]
    found = result.estimate(tally)
    if found is None:
        return ""
    (low, high), first = found.interval, tally.first
    tiles = [
        tile(f"{tally.matchup.names[0]} won", f"{first.wins} – {first.losses}", f"{first.draws} drawn"),
        tile("Elo", f"{found.elo:+.0f}", f"95 %: {low:+.0f} to {high:+.0f}"),
        tile("is the stronger one", f"{100 * found.los:.1f} %", "likelihood of superiority"),
    ]
    if (ratio := result.llr(tally)) is not None and (test := result.config.stops.sprt) is not None:
        ends = bounds(test.alpha, test.beta)
        words = {"H0": "H0 accepted", "H1": "H1 accepted"}.get(result.sprt(tally) or "", "not decided")
        tiles.append(tile("SPRT", f"{ratio:.2f}", f"{words}; {ends[0]:.2f} to {ends[1]:.2f}"))
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _about_standings(result: Result) -> str:
    said = []
    if result.ratings is not None and len(result.tallies) > 1:
        said.append("Elo is against the mean of all others.")
        if result.ratings.has_prior:
            said.append("A player won or lost all its games, so half a won game was added for each two who met.")
    if byes := text_report.byes_words(result):
        said.append(f"{escape(byes)}.")
    return " ".join(said)


def _standings(result: Result, has_games: bool) -> str:
    """Return the table of players, the best first. If `has_games`, the names link to the players' games."""
    scale = _EloScale(result.elos)
    titles = {each.name: text_report.title_of(each) for each in result.config.players.values()}
    rows = []
    for rank, name in enumerate(result.ranking(), 1):
        score, elo = result.scores[name], result.elos.get(name)
        share = f"{100 * score.points / score.games:.1f} %" if score.games else "-"
        shown = "-" if elo is None else f"{number(elo.elo)} <small>[{number(elo.low)}, {number(elo.high)}]</small>"
        more = (f'<td class="more">{count}</td>' for count in (score.wins, score.draws, score.losses))
        shown_name = f'<a href="{_games_link(result, name)}">{escape(name)}</a>' if has_games else escape(name)
        shown_name += f"<br><small>{escape(titles[name])}</small>" if titles.get(name) else ""
        points = f"{round(score.points, 2):g}"
        about = [str(rank), shown_name, shown, scale.bar(elo), share, points, str(score.games)]
        rows.append([*about, *more, str(score.failures.total())])
    head = ["", "player", "Elo [95 %]", scale.axis(), "score", "points", "games", "won", "drawn", "lost", "failures"]
    return table(head, rows, (1, 3), "standings")


class _EloScale:
    """A horizontal scale, in per cent, from the lowest to the highest bound of any Elo interval."""

    def __init__(self, elos: Mapping[str, EloInterval]) -> None:
        self.low = min((elo.low for elo in elos.values()), default=0.0)
        self.span = max(1.0, max((elo.high for elo in elos.values()), default=0.0) - self.low)
        self.is_empty = not elos

    def at(self, value: float) -> float:
        return 100 * (value - self.low) / self.span

    def axis(self) -> str:
        """Return the labels of the scale."""
        if self.is_empty:
            return ""
        marks = "".join(
            f'<i style="left:{self.at(v):.1f}%">{v:g}</i>' for v in ticks(self.low, self.low + self.span, 3)
        )
        return f'<div class="range axis">{marks}</div>'

    def bar(self, elo: EloInterval | None) -> str:
        """Return an Elo interval as a bar, with a dot at the estimate."""
        if elo is None:
            return ""
        left, right = self.at(elo.low), self.at(elo.high)
        zero = f'<s style="left:{self.at(0):.1f}%"></s>' if 0 <= self.at(0) <= 100 else ""
        bar = f'<i style="left:{left:.1f}%;width:{right - left:.1f}%"></i><b style="left:{self.at(elo.elo):.1f}%"></b>'
        return f'<div class="range">{zero}{bar}</div>'


def _test(result: Result) -> list[str]:
    """Return the state of a sequential test, and a plot of its log-likelihood ratio between the bounds."""
    test, path = result.config.stops.sprt, result.stopping.llr_history
    if test is None or not path:
        return []
    words = next(filter(None, (text_report.llr_words(result, tally) for tally in result.tallies)), "")
    low, high = bounds(test.alpha, test.beta)
    points = [PlotPoint(pair, value, label=f"{value:.2f}") for pair, value in enumerate([0.0, *path])]
    levels = [(high, f"H1: {test.elo1:g} Elo"), (low, f"H0: {test.elo0:g} Elo")]
    shown = plot("SPRT", [PlotCurve("log-likelihood ratio", points)], Axes("pairs", "log-likelihood ratio", levels))
    return [f"<p>{escape(' against '.join(test.players))}: {escape(words)}</p>", shown]


def _tuning_plots(result: Result) -> list[str]:
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
        found.append(plot(name, [curve], Axes("pairs", name, levels, each.low, each.high)))
    return found


def _elo_plot(result: Result) -> str:
    history = result.elo_history()
    if len(history) < 2:
        return ""
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
    return plot(title, curves, Axes("games, in the order of the schedule", "Elo", [(0.0, "")]))


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
        "Games", [inside, write_data(game_columns(result.config, rows, result.ranking()), ' id="columns"')], id="games"
    )
