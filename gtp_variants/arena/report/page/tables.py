"""The tables of a match's page: who met whom with what result, what each matchup came to, failures and times."""

from collections import defaultdict
from collections.abc import Iterator
from html import escape
from statistics import NormalDist

from gtp_variants.arena.report import text_report
from gtp_variants.arena.report.page.markup import table
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import number
from gtp_variants.arena.result_row import FAILURES, ResultRow
from gtp_variants.arena.statistics.tally import MatchupTally

# Failures that are told one by one; the list of games has all of them.
_MOST_FAILURES = 50
_SIDES = ("Black", "White", "Red")


def _are_of_two(result: Result) -> bool:
    return len(result.tallies) > 1 and all(len(tally.matchup.players) == 2 for tally in result.tallies)


def crosstable(result: Result) -> list[str]:
    """Who took how many points from whom, all and by colour; each cell leads to its games."""
    if not _are_of_two(result):
        return []
    order, met = result.ranking(), _points_between(result)
    rows = [
        [f"{place} {escape(name)}", *(_met_cell(met[name, other], games_of(result, name, other)) for other in order)]
        for place, name in enumerate(order, 1)
    ]
    return [table(["", *(str(place) for place in range(1, len(order) + 1))], rows, style="cross")]


def games_of(result: Result, *names: str) -> str:
    """The address of the games of one player, or of two against each other, on the page itself."""
    order = result.ranking()
    return "#games-" + "-".join(str(order.index(name)) for name in names)


def _points_between(result: Result) -> dict[tuple[str, str], list[tuple[float, int]]]:
    """Points and games of a player against another, as Black and as White."""
    met: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(lambda: [(0.0, 0)] * 2)
    for tally in result.tallies:
        for name, other in (tally.matchup.names, tally.matchup.names[::-1]):
            score, before = tally.scores[name], met[name, other]
            met[name, other] = [
                (points + score.points_as[seat], games + score.games_as[seat])
                for seat, (points, games) in enumerate(before)
            ]
    return met


def _met_cell(seats: list[tuple[float, int]], address: str) -> str:
    points, games = sum(each[0] for each in seats), sum(each[1] for each in seats)
    if not games:
        return ""
    as_black, as_white = (f"{each[0]:g}/{each[1]}" for each in seats)
    split = f"<small><i>{as_black}</i><b>{as_white}</b></small>"
    return f'<td{_heat(points / games)}><a href="{address}">{points:g}/{games}</a>{split}</td>'


def _heat(share: float) -> str:
    """The class of a cell's colour, from h0, red for nothing, to h9, green for all."""
    return f' class="h{min(9, int(10 * share))}"'


def los_matrix(result: Result) -> list[str]:
    """How likely each player is stronger than each other one, from the ratings of all games."""
    ratings = result.ratings
    if not _are_of_two(result) or ratings is None:
        return []
    order = [name for name in result.ranking() if name in ratings.players]
    rows = []
    for place, name in enumerate(order, 1):
        cells = []
        for other in order:
            elo, error = ratings.difference(ratings.players.index(name), ratings.players.index(other))
            los = NormalDist().cdf(elo / error) if error else 0.5
            cells.append("" if name == other else f"<td{_heat(los)}>{100 * los:.1f}</td>")
        rows.append([f"{place} {escape(name)}", *cells])
    return [table(["", *(str(place) for place in range(1, len(order) + 1))], rows, style="cross")]


# -- matchups ----------------------------------------------------------------------------------------------------------


def matchups(result: Result) -> list[str]:
    """What each matchup came to: a line a matchup, or a line a figure where there is one."""
    found = [dict(_figures(result, tally)) for tally in result.tallies]
    names = list(dict.fromkeys(name for each in found for name in each))
    if len(found) == 1:
        return [table(["", ""], [[name, found[0][name]] for name in names], (0, 1))]
    # What is the same everywhere is told once.
    common = [name for name in names if len({each.get(name) for each in found}) == 1]
    names = [name for name in names if name not in common]
    told = f'<p class="faint">All: {"; ".join(f"{name} {found[0][name]}" for name in common)}.</p>' if common else ""
    return [told, table(names, [[each.get(name, "") for name in names] for each in found])]


def _figures(result: Result, tally: MatchupTally) -> Iterator[tuple[str, str]]:
    names = tally.matchup.names
    yield "matchup", f'<a href="{games_of(result, *names[:2])}">{escape(" – ".join(names))}</a>'
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
    for side, count in zip(_SIDES, tally.by_colour, strict=False):
        yield f"{side} won", f"{count} ({100 * count / tally.games:.1f} %)"
    if (dice := result.dice(tally)) is not None:
        yield "dice", text_report.DICE_WORDS[dice]
    if words := text_report.process_words(tally.matchup):
        yield "processes", escape("; ".join(words))
    yield "duplicate games", text_report.duplicates_words(tally) or "0"
    void = text_report.void_at_limit(result, tally)
    yield "at the move limit", f"{tally.adjudicated} adjudicated, {void} void"
    if tampered := text_report.tampered_words(result, tally):
        yield "referee tampered with", escape("; ".join(tampered))


def _figures_of_two(result: Result, tally: MatchupTally) -> Iterator[tuple[str, str]]:
    found = result.estimate(tally)
    assert found is not None
    yield "won, drawn, lost", f"{tally.wins}, {tally.draws}, {tally.losses}"
    yield "Elo [95 %]", f"{number(found.elo)} [{number(found.interval[0])}, {number(found.interval[1])}]"
    yield "normalised Elo", text_report.nelo_words(found)
    yield "likelihood of superiority", f"{100 * found.los:.2f} %"
    yield "pairs: 0, ½, 1, 1½, 2 points", ", ".join(map(str, tally.pairs))
    if tally.matchup.game.match == 2:
        won, tied, lost = tally.matches
        yield "matches of two", f"{won} won, {tied} tied, {lost} lost; {tally.tiebreaks} by the tie-break"
    if ratio := text_report.llr_words(result, tally):
        yield "test", escape(f"{ratio[5:]}: {result.sprt(tally)}")


# -- failures and times ------------------------------------------------------------------------------------------------


def failures(result: Result) -> list[str]:
    """How often who failed, and the first failures one by one."""
    rows = [
        [escape(name), *(str(score.failures[kind]) for kind in FAILURES)]
        for name, score in result.scores.items()
        if score.failures.total()
    ]
    if not rows:
        return ["<p>None.</p>"]
    found = [(row, *failure) for row in result.rows for failure in row.failures]
    listed = [[_link(row), escape(who), kind, escape(why)] for row, who, kind, why in found[:_MOST_FAILURES]]
    parts = [table(["", *FAILURES], rows), table(["game", "player", "kind", "what happened"], listed, (0, 1, 2, 3))]
    more = len(found) - len(listed)
    return [*parts, f'<p class="faint">{more} more are in the list of games.</p>'] if more else parts


def _link(row: ResultRow) -> str:
    return f'<a href="{escape(row.id)}.html">{escape(row.id)}</a>'


def times(result: Result) -> list[str]:
    """How long who thought."""
    rows = []
    for name, score in result.scores.items():
        a_move = f"{1000 * score.thought_s / score.moves:.1f} ms" if score.moves else "-"
        rows.append([escape(name), f"{score.thought_s:.1f} s", a_move, f"{score.slowest_s:.3f} s"])
    games = sum(tally.count for tally in result.tallies)
    took_s = sum(tally.took_s for tally in result.tallies)
    mean = f"<p>{took_s / games:.2f} s a game.</p>" if games else ""
    return [mean, table(["", "thinking", "a move", "slowest move"], rows)]
