"""What a match came to, as text and as CSV.

Where a tuning is: its parameters as a table, the command that they make, and plots of the way there.

A match as it goes: a line a game, or a bar and the results so far on a terminal. All of it on stderr.
"""

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from operator import attrgetter
from time import monotonic

from gtp_variants.arena.config.match_config import MatchConfig, Matchup
from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, process
from gtp_variants.arena.report.plots import Axes, PlotCurve, PlotPoint, plot
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import FinishedGame, ResultRow
from gtp_variants.arena.run.worker import MatchObserver
from gtp_variants.arena.schedule import count_games
from gtp_variants.arena.tally import MatchupTally
from gtp_variants.arena.tuning import Tuning
from gtp_variants.players import bots
from gtp_variants.players.config_readers import control_text
from gtp_variants.players.levels import title
from gtp_variants.statistics.estimates import Estimate
from gtp_variants.statistics.sprt import bounds


def tuning_rows(tuning: Tuning) -> list[tuple[str, ...]]:
    """A row for each parameter, below a head: how it began, how it is best, and its bounds."""
    settings, best = tuning.settings, tuning.best()
    rows: list[tuple[str, ...]] = [("parameter", "start", "best", "min", "max")]
    for name, each in settings.parameters.items():
        words = (each.word(settings.start[name]), each.word(best[name]), f"{each.low:g}", f"{each.high:g}")
        rows.append((name, *words))
    return rows


def best_command(tuning: Tuning) -> str:
    """The player's command with the best values, and what a program is sent before each game."""
    player = tuning.settings.fill(tuning.settings.player, tuning.best())
    return (
        f"bot:{player.bot}" if isinstance(player, BotConfig) else "; ".join((" ".join(player.command), *player.startup))
    )


def tuning_plots(tuning: Tuning) -> list[str]:
    """A figure for each parameter: its range upwards, pairs to the right. SPSA has an estimate, others only tries."""
    settings, best = tuning.settings, tuning.best()
    way = tuning.estimates if settings.method == "spsa" else list(enumerate(tuning.tried, 1))
    found = []
    for name, each in settings.parameters.items():
        points = [PlotPoint(pair, values[name]) for pair, values in way]
        levels = (
            (each.start, f"start {each.word(settings.start[name])}"),
            (best[name], f"best {each.word(best[name])}"),
        )
        axes = Axes("pairs", name, levels, each.low, each.high)
        found.append(plot(name, [PlotCurve("estimate" if settings.method == "spsa" else "tried", points)], axes))
    return found


DICE_WORDS = {
    "own": "each game has its own",
    "shared": "the games of a pair have the same; who remembers one knows them in the next",
}
_SIDES = ("Black", "White", "Red")
_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))


def render_text(result: Result) -> str:
    """The whole report: a block for each matchup, and crosstable and ranking where there are several."""
    if result.tuning is not None:
        return _render_tuning(result, result.tuning)
    parts = [render_matchup(result, tally) for tally in result.tallies]
    if len(result.tallies) > 1 and all(len(tally.matchup.players) == 2 for tally in result.tallies):
        parts.append(crosstable(result))
    if len(result.tallies) > 1:
        parts.append(ranking(result))
    if byes := byes_words(result):
        parts.append(byes)
    if result.stopping.schedule.standing is not None:
        parts.append("\n".join(result.stopping.schedule.standing.lines()))
    if result.stopping.decision is not None:
        beyond = f"; {result.beyond} games beyond do not count" if result.beyond else ""
        parts.append(f"Decided after {result.stopping.decision.unit}: {result.stopping.decision.why}{beyond}")
    return "\n\n".join(parts)


def _render_tuning(result: Result, tuning: Tuning) -> str:
    """Where a tuning is, and what the games say that confirm it."""
    settings = tuning.settings
    lines = [
        f"Tuning of {settings.player.name} by {settings.method} ({len(tuning.tried)} of {settings.pairs} pairs):",
        columns(tuning_rows(tuning), left=(0,)),
        f"With the best values: {best_command(tuning)}",
    ]
    tallies = [tally for tally in result.tallies if tally.matchup in result.config.matchups[1:]]
    if not tallies:
        follow = [f"{matchup.pairs} pairs follow" for matchup in result.config.matchups[1:]] or ["`confirm: PAIRS`"]
        lines.append(f"Whether that is stronger than the start values only games can tell: {follow[0]}")
    for tally in tallies:
        found = result.estimate(tally)
        if found is not None:
            low, high = found.interval
            says = f"a gain of {number(found.elo)} Elo is measured" if low > 0 else "no gain is measured"
            lines += [f"Against the start values {says}, 95 % interval {number(low)} to {number(high)}", ""]
        lines.append(render_matchup(result, tally))
    return "\n".join(lines)


def render_matchup(result: Result, tally: MatchupTally) -> str:
    """The result of a matchup in the form that users of fastchess know; of three players points and places."""
    names = tally.matchup.names
    of = tally.matchup.pairs * len(names) if not result.config.is_paired_by_results else tally.count
    lines = [f"Results of {' vs '.join(names)} ({conditions(result, tally)}; {tally.count} of {of} games):"]
    if not tally.games:
        lines.append(f"void: {tally.void}" if tally.count else "no game has been played")
        return "\n".join([*lines, *tampered_words(result, tally)])
    lines += _of_two(result, tally) if len(names) == 2 else _of_three(tally)
    lines += titles_words(tally.matchup.players)
    if (dice := result.dice(tally)) is not None:
        lines.append(f"Dice: {DICE_WORDS[dice]}")
    lines += [f"Processes: {words}" for words in process_words(tally.matchup)]
    tampered = tampered_words(result, tally)
    void = void_at_limit(result, tally)
    if void or tally.adjudicated:
        lines.append(f"Ended at the move limit: {tally.adjudicated} adjudicated, {void} void")
    lines += tampered
    if tally.duplicates:
        lines.append(f"Duplicate games: {duplicates_words(tally)}")
    return "\n".join(lines)


def _of_two(result: Result, tally: MatchupTally) -> list[str]:
    found = result.estimate(tally)
    assert found is not None
    pairs = f"    Ptnml(0-2): {list(tally.pairs)}" if any(tally.pairs) else ""
    lines = [
        f"{elo_words(found)}, nElo: {nelo_words(found)}    LOS: {100 * found.los:.2f} %",
        f"Games: {tally.games}, Wins: {tally.wins}, Losses: {tally.losses}, Draws: {tally.draws}{pairs}",
    ]
    ratio = llr_words(result, tally)
    lines += [f"{ratio}    {_failures(tally)}"] if ratio else []
    interval = f"95 % interval of Elo: [{number(found.interval[0])}, {number(found.interval[1])}]"
    if result.sprt(tally) in ("H0", "H1"):
        interval += " (median-unbiased, as the test ended the match)"
    lines.append(interval if ratio else f"{interval}    {_failures(tally)}")
    if tally.matchup.game.match == 2:
        won, tied, lost = tally.matches
        lines.append(f"Matches of two: {won} won, {tied} tied, {lost} lost; by the tie-break: {tally.tiebreaks}")
    if any(tally.pairs) and tally.unpaired:
        lines.append(f"Elo is from complete pairs; {tally.unpaired} more games wait for their partner")
    return lines


def _of_three(tally: MatchupTally) -> list[str]:
    rows: list[tuple[str, ...]] = [("player", "games", "points", "a game", "places 1, 2, 3", "failures")]
    for name, score in sorted(tally.scores.items(), key=lambda item: -item[1].points):
        mean = tally.mean_points(name)
        shown = "-" if mean is None else f"{mean[0]:.3f} +/- {mean[1]:.3f}"
        places = [score.places[float(place)] for place in (1, 2, 3)]
        shared = sum(count for place, count in score.places.items() if place not in (1.0, 2.0, 3.0))
        of_places = ", ".join(map(str, places)) + (f", shared {shared}" if shared else "")
        rows.append((name, str(score.games), f"{score.points:.2f}", shown, of_places, _kinds(score.failures)))
    sides = zip(_SIDES, tally.by_colour, strict=True)
    wins = ", ".join(f"{side} {count}" for side, count in sides)
    return [columns(rows, left=(0,)), f"Wins by colour: {wins}; drawn: {tally.drawn}"]


def tampered_words(result: Result, tally: MatchupTally) -> list[str]:
    """A sentence for each game of a matchup whose referee was tampered with."""
    rows = sorted(_tampered_rows(result, tally), key=attrgetter("id"))
    return [f"{'Void' if row.is_void else 'Forfeit'}: {row.id}: {row.why}" for row in rows]


def void_at_limit(result: Result, tally: MatchupTally) -> int:
    """How many games of a matchup are void for another reason: they ended at the move limit."""
    return tally.void - sum(row.is_void for row in _tampered_rows(result, tally))


def _tampered_rows(result: Result, tally: MatchupTally) -> list[ResultRow]:
    return [row for row in result.rows if row.matchup == tally.matchup.id and row.is_tampered]


def duration_words(seconds: float) -> str:
    """A duration as people say it, in the largest unit of which there are two: "35 hours" and not 1 day."""
    for unit, unit_s in _UNITS:
        if seconds >= 2 * unit_s:
            return f"{seconds / unit_s:.0f} {unit}"
    return "1 second" if 0.5 < seconds < 1.5 else f"{seconds:.0f} seconds"


def titles_words(players: Iterable[PlayerConfig]) -> list[str]:
    """What is set of the bots, in a line; none where nothing is."""
    called = [f"{each.name}: {known_as}" for each in players for known_as in titles_of(each)]
    return ["; ".join(called)] if called else []


def titles_of(player: PlayerConfig) -> list[str]:
    """What people call a bot of which something is set; none for others."""
    if not isinstance(player, BotConfig) or not bots.split(player.bot)[1]:
        return []
    return [title(player.bot, "en")]


def process_words(matchup: Matchup) -> list[str]:
    """Who of a matchup plays where, in a sentence; none where all bots are ours."""
    foreign = [player for player in matchup.players if isinstance(player, BotConfig) and not bots.is_ours(player.bot)]
    inside = [player.name for player in matchup.players if process(player) == "referee"]
    if not foreign:
        return []
    trusted = [player.name for player in foreign if player.is_trusted]
    said = [f"{', '.join(inside)} in the referee's own"] if inside else []
    said += [f"{', '.join(trusted)} because trusted"] if trusted else []
    return ["; ".join([*said, "everybody else in one of their own"])]


def duplicates_words(tally: MatchupTally) -> str:
    """How many games of a matchup repeat others, and what that means; "" if none does."""
    if not tally.duplicates:
        return ""
    pairs = f"; in {tally.repeated_pairs} pairs, which are no evidence" if tally.repeated_pairs else ""
    return f"{tally.duplicates}{pairs}; Elo and tests count equal games once"


def llr_words(result: Result, tally: MatchupTally) -> str:
    """How the test of a matchup stands, "" without one."""
    test, ratio = result.config.stops.sprt, result.llr(tally)
    if test is None or ratio is None:
        return ""
    low, high = bounds(test.alpha, test.beta)
    part = ratio / (high if ratio >= 0 else -low)
    about = f"[{test.elo0:.2f}, {test.elo1:.2f}] {test.model}"
    return f"LLR: {ratio:.2f} ({100 * part:.1f}%) ({low:.2f}, {high:.2f}) {about}"


def conditions(result: Result, tally: MatchupTally) -> str:
    """The game, the time and the openings, as far as there are any."""
    times = [control_text(player.limits.control) for player in tally.matchup.players]
    said = [brief(tally.matchup)]
    if set(times) != {"none"}:
        said.append(times[0] if len(set(times)) == 1 else " vs ".join(times))
    if result.config.openings:
        said.append(f"openings {result.config.book.file}")
    return ", ".join(said)


def brief(matchup: Matchup) -> str:
    """The game with what people tell games apart by; the whole SPEC is in the settings."""
    name, _, rest = matchup.game.spec.partition(":")
    options = dict(part.split("=", 1) for part in rest.split(","))
    told = [key for key in ("board", "size", "width", "height", "n", "dice", "players") if key in options]
    return f"{name}:" + ",".join(f"{key}={options[key]}" for key in told) if told else name


def elo_words(found: Estimate) -> str:
    """Elo with its error."""
    return f"Elo: {number(found.elo)} +/- {number(found.error)}"


def nelo_words(found: Estimate) -> str:
    """Normalised Elo with its error."""
    return f"{number(found.nelo)} +/- {found.nelo_error:.2f}"


def number(value: float) -> str:
    """Two decimals, or inf."""
    # Adding 0 turns a rounded -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}" if isfinite(value) else str(value)


def _failures(tally: MatchupTally) -> str:
    return "failures: " + ", ".join(f"{name} {_kinds(score.failures)}" for name, score in tally.scores.items())


def _kinds(failures: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(failures.items()) if count) or "0"


def crosstable(result: Result) -> str:
    """Who took how many points from whom, a row per player, the best first."""
    order = result.ranking()
    taken = points_between(result)
    rows: list[tuple[str, ...]] = [("", *(str(place) for place in range(1, len(order) + 1)))]
    for place, name in enumerate(order, 1):
        cells = ["-" if name == other else taken.get((name, other), "") for other in order]
        rows.append((f"{place} {name}", *cells))
    return columns(rows, left=(0,))


def points_between(result: Result) -> dict[tuple[str, str], str]:
    """The points of one player against another, such as 7.5/10, for every two who met."""
    points: Counter[tuple[str, str]] = Counter()
    games: Counter[tuple[str, str]] = Counter()
    for tally in result.tallies:
        one, other = tally.matchup.names
        for name, against in ((one, other), (other, one)):
            points[name, against] += tally.scores[name].points  # type: ignore[assignment]
            games[name, against] += tally.games
    return {met: f"{points[met]:g}/{count}" for met, count in games.items() if count}


def ranking(result: Result) -> str:
    """Every player with games, points, score in per cent and Elo against all others, the best first."""
    rows: list[tuple[str, ...]] = [
        ("rank", "player", "games", "wins", "losses", "draws", "points", "score", "Elo", "failures")
    ]
    for rank, name in enumerate(result.ranking(), 1):
        score, elo = result.scores[name], result.elos.get(name)
        share = f"{100 * score.points / score.games:.1f} %" if score.games else "-"
        counts = (score.games, score.wins, score.losses, score.draws)
        shown = "-" if elo is None else f"{number(elo[0])} +/- {number((elo[2] - elo[1]) / 2)}"
        points = f"{round(score.points, 2):g}"
        rows.append((str(rank), name, *map(str, counts), points, share, shown, str(score.failures.total())))
    return columns(rows, left=(1,))


def byes_words(result: Result) -> str:
    """Who had nobody to play in which rounds of a Swiss tournament, "" if nobody."""
    found = [f"{name} in round {', '.join(map(str, rounds))}" for name, rounds in result.byes.items() if rounds]
    return f"Sat out, which counts as drawn when the next round is paired: {'; '.join(found)}" if found else ""


def columns(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Rows of cells under each other, right-aligned but for the columns named."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def render_line(row: ResultRow, number: int, of: int) -> str:
    """A finished game in one line."""
    width = len(str(of))
    note = f"  {row.status}: {row.failures[0][0]}: {row.why}" if row.failures else f"  {row.why}" if row.why else ""
    return f"{number:{width}}/{of}  {row.id}  {' - '.join(row.players)}  {row.result}  {row.moves} moves{note}"


_COLUMNS = (
    *("id", "matchup", "pair", "leg", "black", "white", "red", "status", "result", "winner", "moves", "stones"),
    *("opening", "fingerprint", "took_s", "black_s", "white_s", "red_s", "failures", "why"),
)


def as_csv(rows: Iterable[ResultRow]) -> str:
    """A line per game, in the order of their ids."""
    found = io.StringIO()
    writer = csv.writer(found, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in sorted(rows, key=lambda row: (row.matchup, row.pair, row.leg)):
        players = [*row.players, ""][:3]
        seconds = [row.thought_s.get(name, "") if name else "" for name in players]
        failures = "; ".join(f"{who} {kind}: {why}" for who, kind, why in row.failures)
        about = (row.status, row.result, row.winner or "", row.moves, row.stones, row.opening, row.fingerprint)
        writer.writerow(
            [row.id, row.matchup, row.pair, row.leg, *players, *about, row.took_s, *seconds, failures, row.why]
        )
    return found.getvalue()


# The results on a terminal are counted anew after a game, at most so often.
_EVERY_S = 0.5


class Lines(MatchObserver):
    """A line for each game."""

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        """The game in one line."""
        sys.stderr.write(render_line(game.row, number, of) + "\n")
        sys.stderr.flush()


@contextmanager
def follow(config: MatchConfig, kept: dict[str, ResultRow], quiet: bool) -> Iterator[MatchObserver]:
    """Whoever is to watch: nobody, lines, or a live screen where stderr is a terminal."""
    if quiet:
        yield MatchObserver()
    elif sys.stderr.isatty():
        with _live(config, kept) as watch:
            yield watch
    else:
        yield Lines()


@contextmanager
def _live(config: MatchConfig, kept: dict[str, ResultRow]) -> Iterator[MatchObserver]:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    task = bar.add_task(config.name, total=count_games(config), completed=len(kept))
    result = Result(config, kept)

    class Screen(MatchObserver):
        def __init__(self, live: Live) -> None:
            self.live = live
            self.counted_at = 0.0
            self.shown = Text()

        def on_result(self, game: FinishedGame, number: int, of: int) -> None:
            result.add(game.row)
            bar.update(task, completed=number)
            if monotonic() - self.counted_at > _EVERY_S:
                self.shown = Text(render_text(result))
                self.counted_at = monotonic()
            last = Text(render_line(game.row, number, of), style="dim", no_wrap=True, overflow="ellipsis")
            self.live.update(Group(self.shown, last, bar))

    # What is left on the screen afterwards is the report itself, so this vanishes.
    with Live(bar, console=Console(stderr=True), transient=True, refresh_per_second=8) as live:
        yield Screen(live)
