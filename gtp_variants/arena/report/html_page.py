"""The report as one HTML page that needs nothing beside it but the replays and records it links to."""

from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite

from gtp_variants.arena.config.match_config import Sprt
from gtp_variants.arena.config.player_config import ProgramConfig
from gtp_variants.arena.report import text_report
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import number
from gtp_variants.arena.result_row import FAILURES, ResultRow
from gtp_variants.arena.statistics.tally import MatchupTally
from gtp_variants.statistics.sprt import bounds

_PAGE_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fdfdfb; --faint: #8a8a85; --line: #dcdcd6; --mark: #1e6fd0;
  --good: #2e8b57; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e4; --paper: #1b1c1e; --faint: #8f9296; --line: #3a3c40;
  --mark: #6aa9f4; --good: #5cc48b; --bad: #ef7d74; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 68rem;
  margin: 2rem auto; padding: 0 1rem; }
"""
_STYLE = """
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.faint { color: var(--faint); } .bad { color: var(--bad); } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 600; } th.text, td.text { text-align: left; white-space: normal; } a { color: var(--mark); }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .axis { stroke: var(--line); } svg .bound { stroke: var(--faint); stroke-dasharray: 5 4; }
svg .course { stroke: var(--mark); fill: none; stroke-width: 2; } svg .dot { fill: var(--mark); }
svg .bar { stroke: var(--mark); stroke-width: 2; }
"""
# A notebook is light or dark by a setting of its own.
_NOTEBOOK_STYLE = (
    ".gv-standings { --ink: currentColor; --faint: #8a8a85; --line: #8a8a8566; --mark: #3f87e0; --bad: #d0453c; "
    f"{_STYLE} }}"
)
_WIDTH, _HEIGHT = 720, 260
_ROW = 26
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 20, 30
_MOST_DOTS = 2000


def render_page(result: Result) -> str:
    """The whole page."""
    config = result.config
    title = escape(config.name)
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_PAGE_STYLE}{_STYLE}</style>',
        "</head><body>",
        f"<h1>{title}</h1>",
        f"<p>{escape(config.description)}</p>" if config.description else "",
        f"<p>{_state(result)}</p>",
        *_players(result),
        *_crosstable(result),
        *(part for tally in result.tallies for part in _matchup(result, tally)),
        *_failures(result),
        *_times(result),
        *_games(result),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def render_standings(result: Result) -> str:
    """A piece of HTML for a notebook: how far the match is, the table of players, their Elo with its intervals."""
    parts = [f"<style>{_NOTEBOOK_STYLE}</style>", f"<p>{_state(result)}</p>", *_players(result)]
    return '<div class="gv-standings">' + "\n".join(part for part in parts if part) + "</div>"


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


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], text: Sequence[int] = (0,)) -> str:
    """A table of cells that are HTML already; the columns of `text` are left-aligned."""

    def line(tag: str, cells: Sequence[str]) -> str:
        kinds = [' class="text"' if column in text else "" for column in range(len(cells))]
        return "".join(f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))

    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{line("th", head)}</tr></thead><tbody>{body}</tbody></table></div>'


def _players(result: Result) -> list[str]:
    rows = []
    for rank, name in enumerate(result.ranking(), 1):
        score, elo = result.scores[name], result.elo(name)
        shown = "-" if elo is None else f"{number(elo[0])} [{number(elo[1])}, {number(elo[2])}]"
        share = f"{100 * score.points / score.games:.1f} %" if score.games else "-"
        counts = [score.games, score.wins, score.draws, score.losses]
        points = f"{round(score.points, 2):g}"
        rows.append([str(rank), escape(name), *map(str, counts), points, share, shown, str(score.failures.total())])
    head = ["", "player", "games", "won", "drawn", "lost", "points", "score", "Elo [95 %]", "failures"]
    parts = ["<h2>Players</h2>", _table(head, rows, (1,))]
    parts.append('<p class="faint">Elo is against the mean of all others.</p>' if result.ratings else "")
    if result.ratings is not None and result.ratings.has_prior:
        parts.append(
            '<p class="faint">Somebody won or lost everything, so half a won game was added between all who met.</p>'
        )
    return [*parts, *_intervals(result)]


def _intervals(result: Result) -> list[str]:
    """The players' Elo with its intervals, as a picture."""
    known = [(name, elo) for name in result.ranking() if (elo := result.elo(name)) is not None]
    if not known or not all(isfinite(value) for _, elo in known for value in elo):
        return []
    low, high = min(elo[1] for _, elo in known), max(elo[2] for _, elo in known)
    span = max(1.0, high - low)
    left = 150

    def x(value: float) -> float:
        return left + (value - low) / span * (_WIDTH - left - 2 * _RIGHT)

    height = _ROW * len(known) + _BOTTOM
    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" aria-label="Elo with intervals">']
    if low <= 0 <= high:
        parts.append(_line(x(0), 0, x(0), height - _BOTTOM, "bound") + _text(x(0), height - 10, "0", "middle"))
    for index, (name, (middle, bottom, top)) in enumerate(known):
        y = _ROW * index + _ROW / 2
        parts.append(_text(left - 12, y + 4, name, "end") + _line(x(bottom), y, x(top), y, "bar"))
        parts.append(f'<circle class="dot" cx="{x(middle):.1f}" cy="{y:.1f}" r="5"/>')
    ends = [(low, "start"), (high, "end")]
    parts += [_text(x(value), height - 10, f"{value:.0f}", anchor) for value, anchor in ends]
    return [*parts, "</svg>"]


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _crosstable(result: Result) -> list[str]:
    if len(result.tallies) < 2 or any(len(tally.matchup.players) != 2 for tally in result.tallies):
        return []
    order, taken = result.ranking(), text_report.points_between(result)
    rows = [
        [f"{place} {escape(name)}", *("-" if name == other else taken.get((name, other), "") for other in order)]
        for place, name in enumerate(order, 1)
    ]
    head = ["", *map(str, range(1, len(order) + 1))]
    return ["<h2>Crosstable</h2>", _table(head, rows)]


def _matchup(result: Result, tally: MatchupTally) -> list[str]:
    names = tally.matchup.names
    parts = [f"<h2>{escape(' against '.join(names))}</h2>"]
    spec = escape(tally.matchup.game.spec.replace(",", ", "))
    parts.append(f'<p class="faint">{spec}</p>')
    if not tally.games:
        return [*parts, "<p>No game that counts.</p>"]
    rows = [["games", f"{tally.games} of {tally.matchup.pairs * len(names)}"]]
    if len(names) == 2:
        rows += _of_two(result, tally)
    else:
        for name in names:
            mean = tally.mean_points(name)
            score = tally.scores[name]
            places = ", ".join(f"{place:g}: {count}" for place, count in sorted(score.places.items()))
            shown = f"{score.points:.2f} points" + (f", {mean[0]:.3f} ± {mean[1]:.3f} a game" if mean else "")
            rows.append([escape(name), f"{shown}; places {places}"])
    sides = zip(("Black", "White", "Red"), tally.by_colour, strict=False)
    balance = [f"{side} won {count} ({100 * count / tally.games:.1f} %)" for side, count in sides]
    rows.append(["colours", ", ".join([*balance, f"drawn {tally.drawn}"])])
    if (dice := result.dice(tally)) is not None:
        rows.append(["dice", text_report.DICE_WORDS[dice]])
    rows += [["processes", escape(words)] for words in text_report.process_words(tally.matchup)]
    rows.append(["duplicate games", str(tally.duplicates)])
    tampered = text_report.tampered_words(result, tally)
    rows.append(
        [
            "at the move limit",
            f"{tally.adjudicated} adjudicated, {text_report.void_at_limit(result, tally)} void",
        ]
    )
    rows += [["referee tampered with", escape(words)] for words in tampered]
    parts.append(_table(["", ""], rows, (0, 1)).replace("<thead><tr>", "<thead hidden><tr>"))
    return [*parts, *_course(result, tally)]


def _of_two(result: Result, tally: MatchupTally) -> list[list[str]]:
    found = tally.estimate
    assert found is not None
    rows = [
        ["won, drawn, lost", f"{tally.wins}, {tally.draws}, {tally.losses}"],
        [
            "Elo",
            f"{text_report.elo_words(found)[5:]}, 95 % [{number(found.interval[0])}, {number(found.interval[1])}]",
        ],
        ["normalised Elo", text_report.nelo_words(found)],
        ["likelihood of superiority", f"{100 * found.los:.2f} %"],
        ["pairs: 0, ½, 1, 1½, 2 points", ", ".join(map(str, tally.pairs))],
    ]
    if tally.matchup.game.match == 2:
        won, tied, lost = tally.matches
        rows.append(["matches of two", f"{won} won, {tied} tied, {lost} lost; {tally.tiebreaks} by the tie-break"])
    ratio = text_report.llr_words(result, tally)
    return rows + ([["test", escape(f"{ratio[5:]}: {result.sprt(tally)}")]] if ratio else [])


def _course(result: Result, tally: MatchupTally) -> list[str]:
    test = result.config.stops.sprt
    if test is None or result.llr(tally) is None or not result.stopping.llr_history:
        return []
    return [_plot(test, result.stopping.llr_history)]


def _plot(test: Sprt, course: Sequence[float]) -> str:
    """The log-likelihood ratio from pair to pair, between the two bounds."""
    low, high = bounds(test.alpha, test.beta)
    bottom, top = min(low, *course) - 0.4, max(high, *course) + 0.4

    def x(pair: int) -> float:
        return _LEFT + pair / max(1, len(course)) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (top - value) / (top - bottom) * (_HEIGHT - _TOP - _BOTTOM)

    step = max(1, len(course) // _MOST_DOTS)
    shown = [(0, 0.0), *((pair, value) for pair, value in enumerate(course, 1) if pair % step == 0)]
    if shown[-1][0] != len(course):
        shown.append((len(course), course[-1]))
    points = " ".join(f"{x(pair):.1f},{y(value):.1f}" for pair, value in shown)
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" aria-label="course of the test">']
    for value, name in ((high, "H1"), (low, "H0")):
        parts.append(_line(_LEFT, y(value), _WIDTH - _RIGHT, y(value), "bound"))
        parts.append(_text(_LEFT - 8, y(value) + 4, f"{name} {value:.2f}", "end"))
    parts.append(_line(_LEFT, y(0), _WIDTH - _RIGHT, y(0), "axis") + _text(_LEFT - 8, y(0) + 4, "0", "end"))
    parts.append(f'<polyline class="course" points="{points}"/>')
    parts.append(_text(_WIDTH - _RIGHT, _HEIGHT - 8, f"{len(course)} pairs", "end"))
    parts.append(_text(_LEFT, _HEIGHT - 8, "log-likelihood ratio"))
    return "".join([*parts, "</svg>"])


def _failures(result: Result) -> list[str]:
    rows = [
        [escape(name), *(str(score.failures[kind]) for kind in FAILURES)]
        for name, score in result.scores.items()
        if score.failures.total()
    ]
    if not rows:
        return ["<h2>Failures</h2>", "<p>None.</p>"]
    told = [
        [_link(row.id, row), escape(player), kind, escape(why)]
        for row in result.rows
        for player, kind, why in row.failures
    ]
    return [
        "<h2>Failures</h2>",
        _table(["", *FAILURES], rows),
        _table(["game", "player", "kind", "what happened"], told, (0, 1, 2, 3)),
    ]


def _times(result: Result) -> list[str]:
    rows = []
    for name, score in result.scores.items():
        a_move = f"{1000 * score.thought_s / score.moves:.1f} ms" if score.moves else "-"
        rows.append([escape(name), f"{score.thought_s:.1f} s", a_move, f"{score.slowest_s:.3f} s"])
    games = sum(tally.count for tally in result.tallies)
    took = sum(tally.took_s for tally in result.tallies)
    mean = f"<p>{took / games:.2f} s a game.</p>" if games else ""
    return ["<h2>Times</h2>", mean, _table(["", "thinking", "a move", "slowest move"], rows)]


def _link(words: str, row: ResultRow) -> str:
    return f'<a href="{escape(row.id)}.html">{escape(words)}</a>'


def _links(result: Result, row: ResultRow) -> str:
    """To the replay, the record and, where programs failed, to what they said."""
    found = f'{_link("replay", row)} <a href="{escape(row.id)}.sgf">record</a>'
    has_logs = any(isinstance(result.config.players.get(who), ProgramConfig) for who, _, _ in row.failures)
    return found + (f' <a href="logs/{escape(row.id)}/">logs</a>' if has_logs else "")


def _games(result: Result) -> list[str]:
    seen: dict[str, str] = {}
    rows = []
    for row in sorted(result.rows, key=lambda row: (row.matchup, row.pair, row.leg)):
        first = seen.setdefault(row.fingerprint, row.id)
        note = [escape(row.why)] if row.why else []
        note += [f"the same as {escape(first)}"] if first != row.id else []
        players = escape(" - ".join(row.players))
        about = [row.status, str(row.moves), f"{row.took_s:.2f} s", _links(result, row), "; ".join(note)]
        rows.append([escape(row.id), players, escape(row.result), *about])
    head = ["game", "Black - White", "result", "how", "moves", "time", "", "note"]
    return ["<h2>Games</h2>", _table(head, rows, (0, 1, 3, 6, 7))]
