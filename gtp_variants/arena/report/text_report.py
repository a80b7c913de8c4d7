"""The report of a match as text or CSV, and its progress on stderr: one line per game, or a live screen."""

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

SIDES = ("Black", "White", "Red")
DICE_WORDS = {
    "own": "each game has its own",
    "shared": "the games of a pair have the same; a player who remembers one game knows them in the next",
}
_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
# Maximum number of games that are named in a line.
_MOST_NAMED = 5
# Minimum seconds between two updates of the results on a live screen.
_EVERY_S = 0.5


def render_text(result: Result) -> str:
    """Return the full report: a block for each matchup and, if there are several, a crosstable and a ranking."""
    if result.tuning is not None:
        return _render_tuning(result, result.tuning)
    parts = [_render_matchup(result, tally) for tally in result.tallies]
    if result.has_crosstable:
        parts.append(_crosstable(result))
    if len(result.tallies) > 1:
        parts.append(_ranking(result))
    if byes := byes_words(result):
        parts.append(byes)
    if result.stopping.schedule.standing is not None:
        parts.append("\n".join(result.stopping.schedule.standing.lines()))
    if result.stopping.decision is not None:
        beyond = f"; {result.beyond} games beyond do not count" if result.beyond else ""
        parts.append(f"Decided after {result.stopping.decision.unit}: {result.stopping.decision.why}{beyond}")
    return "\n\n".join(parts)


def summarise(result: Result) -> str:
    """Return the result as one sentence that says who won how many games; "" while there is nothing to say."""
    if result.tuning is not None or not any(tally.count for tally in result.tallies):
        return ""
    if len(result.tallies) == 1 and len(result.tallies[0].scores) == 2:
        (first, best), (second, other) = sorted(
            result.tallies[0].scores.items(), key=lambda each: each[1].points, reverse=True
        )
        if best.wins == best.games:
            return f"{first} won all {best.games} games." if best.games > 1 else f"{first} won the game."
        drawn = f", {best.draws} {'was' if best.draws == 1 else 'were'} drawn" if best.draws else ""
        if best.wins == other.wins:
            return f"{first} and {second} won {best.wins} games each{drawn}."
        return f"{first} won {best.wins} of {best.games} games, {second} {other.wins}{drawn}."
    scores, ranked = result.scores, result.ranking()
    shown = (f"{name} {scores[name].points:g} points in {scores[name].games} games" for name in ranked[:3])
    return f"{f'The first three of {len(ranked)}' if len(ranked) > 3 else 'Result'}: {', '.join(shown)}."


def _render_tuning(result: Result, tuning: Tuning) -> str:
    """Return the best values so far, and the result of the games that are to confirm them."""
    settings, best = tuning.settings, tuning.best()
    player = settings.fill(settings.player, best)
    if isinstance(player, BotConfig):
        command = f"bot:{player.bot}"
    else:
        command = "; ".join((" ".join(player.command), *player.startup))
    rows: list[Sequence[str]] = [("parameter", "start", "best", "min", "max")]
    rows += [
        (name, each.word(settings.start[name]), each.word(best[name]), f"{each.low:g}", f"{each.high:g}")
        for name, each in settings.parameters.items()
    ]
    lines = [
        f"Tuning of {settings.player.name} by {settings.method} ({len(tuning.tried)} of {settings.pairs} pairs):",
        columns(rows, left=(0,)),
        f"With the best values: {command}",
    ]
    confirming = result.config.matchups[1:]
    tallies = [tally for tally in result.tallies if tally.matchup in confirming]
    if not tallies:
        follow = f"{confirming[0].pairs} pairs follow" if confirming else "`confirm: PAIRS`"
        lines.append(f"Whether that is stronger than the start values only games can tell: {follow}")
    for tally in tallies:
        found = result.estimate(tally)
        if found is not None:
            low, high = found.interval
            says = f"a gain of {number(found.elo)} Elo is measured" if low > 0 else "no gain is measured"
            lines += [f"Against the start values {says}, 95 % interval {number(low)} to {number(high)}", ""]
        lines.append(_render_matchup(result, tally))
    return "\n".join(lines)


def _render_matchup(result: Result, tally: MatchupTally) -> str:
    """Return the result of a matchup: in fastchess's format for two players, with points and places for three."""
    matchup, config = tally.matchup, result.config
    times = [control_text(player.limits.control) for player in matchup.players]
    conditions = [_brief_spec(matchup.game.spec)]
    if set(times) != {"none"}:
        conditions.append(times[0] if len(set(times)) == 1 else " vs ".join(times))
    if config.openings:
        conditions.append(f"openings {config.book.file}")
    of = matchup.pairs * len(matchup.names) if not config.is_paired_by_results else tally.count
    about = f"{', '.join(conditions)}; {tally.count} of {of} games"
    lines = [f"Results of {' vs '.join(matchup.names)} ({about}):"]
    tampered = tampered_words(tally)
    if not tally.games:
        lines.append(f"void: {tally.void}" if tally.count else "no game has been played")
        return "\n".join([*lines, *tampered])
    lines += _of_two(result, tally) if len(matchup.names) == 2 else _of_three(tally)
    if titles := [f"{each.name}: {title}" for each in matchup.players if (title := title_of(each))]:
        lines.append("; ".join(titles))
    if (dice := result.dice(tally)) is not None:
        lines.append(f"Dice: {DICE_WORDS[dice]}")
    if words := process_words(matchup):
        lines.append(f"Processes: {words}")
    void = void_at_limit(tally)
    if void or tally.adjudicated:
        lines.append(f"Ended at the move limit: {tally.adjudicated} adjudicated, {void} void")
    lines += tampered
    if words := unjudged_words(tally):
        lines.append(f"Dead stones: {words}")
    if tally.duplicates:
        lines.append(f"Duplicate games: {duplicates_words(tally)}")
    return "\n".join(lines)


def _brief_spec(spec: str) -> str:
    """Return a SPEC with only the options by which people distinguish games."""
    name, _, rest = spec.partition(":")
    options = dict(part.split("=", 1) for part in rest.split(","))
    told = [key for key in ("board", "size", "width", "height", "n", "dice", "players") if key in options]
    return f"{name}:" + ",".join(f"{key}={options[key]}" for key in told) if told else name


def _of_two(result: Result, tally: MatchupTally) -> list[str]:
    found = result.estimate(tally)
    assert found is not None
    failures = "failures: " + ", ".join(f"{name} {_kinds(score.failures)}" for name, score in tally.scores.items())
    elo = f"Elo: {number(found.elo)} +/- {number(found.error)}"
    pairs = f"    Ptnml(0-2): {list(tally.pairs)}" if any(tally.pairs) else ""
    first = tally.first
    lines = [
        f"{elo}, nElo: {nelo_words(found)}    LOS: {100 * found.los:.2f} %",
        f"Games: {first.games}, Wins: {first.wins}, Losses: {first.losses}, Draws: {first.draws}{pairs}",
    ]
    ratio = llr_words(result, tally)
    lines += [f"{ratio}    {failures}"] if ratio else []
    interval = f"95 % interval of Elo: [{number(found.interval[0])}, {number(found.interval[1])}]"
    if result.sprt(tally) in ("H0", "H1"):
        interval += " (median-unbiased, as the test ended the match)"
    lines.append(interval if ratio else f"{interval}    {failures}")
    if tally.matchup.game.match == 2:
        won, tied, lost = tally.matches
        lines.append(f"Matches of two: {won} won, {tied} tied, {lost} lost; by the tie-break: {tally.tiebreaks}")
    if any(tally.pairs) and tally.unpaired:
        lines.append(f"Elo is from complete pairs; {tally.unpaired} more games wait for their partner")
    return lines


def _of_three(tally: MatchupTally) -> list[str]:
    rows: list[Sequence[str]] = [("player", "games", "points", "a game", "places 1, 2, 3", "failures")]
    for name, score in sorted(tally.scores.items(), key=lambda item: -item[1].points):
        mean = tally.mean_points(name)
        shown = "-" if mean is None else f"{mean[0]:.3f} +/- {mean[1]:.3f}"
        places = [score.places[float(place)] for place in (1, 2, 3)]
        shared = sum(count for place, count in score.places.items() if place not in (1.0, 2.0, 3.0))
        of_places = ", ".join(map(str, places)) + (f", shared {shared}" if shared else "")
        rows.append((name, str(score.games), f"{score.points:.2f}", shown, of_places, _kinds(score.failures)))
    wins = ", ".join(f"{side} {count}" for side, count in zip(SIDES, tally.by_colour, strict=True))
    return [columns(rows, left=(0,)), f"Wins by colour: {wins}; drawn: {tally.drawn}"]


def _kinds(failures: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(failures.items()) if count) or "0"


def tampered_words(tally: MatchupTally) -> list[str]:
    """Return a sentence for each game of a matchup in which the referee was tampered with."""
    rows = sorted(tally.tampered, key=attrgetter("id"))
    return [f"{'Void' if row.is_void else 'Forfeit'}: {row.id}: {row.why}" for row in rows]


def unjudged_words(tally: MatchupTally) -> str:
    """Return a sentence about the games whose winner depends on dead stones that nobody judged; "" without any."""
    ids = sorted(row.id for row in tally.unjudged)
    if not ids:
        return ""
    named = ", ".join([*ids[:_MOST_NAMED], *(["…"] if len(ids) > _MOST_NAMED else [])])
    games = "1 game has" if len(ids) == 1 else f"{len(ids)} games have"
    return f"{games} another winner without them ({named}); dead=judged in the SPEC has them judged"


def void_at_limit(tally: MatchupTally) -> int:
    """Return the number of a matchup's games that are void because they reached the move limit."""
    return tally.void - sum(row.is_void for row in tally.tampered)


def duration_words(seconds: float) -> str:
    """Return a duration in the largest unit that gives at least two: 35 hours, not 1 day."""
    for unit, unit_s in _UNITS:
        if seconds >= 2 * unit_s:
            return f"{seconds / unit_s:.0f} {unit}"
    return "1 second" if 0.5 < seconds < 1.5 else f"{seconds:.0f} seconds"


def title_of(player: PlayerConfig) -> str:
    """Return the title of a bot that has settings, such as "Search, level 4", or "" for any other player."""
    return title(player.bot, "en") if isinstance(player, BotConfig) and bots.split(player.bot)[1] else ""


def process_words(matchup: Matchup) -> str:
    """Return a text that names the processes of a matchup's players; "" if all bots are built in."""
    foreign = [player for player in matchup.players if isinstance(player, BotConfig) and not bots.is_ours(player.bot)]
    inside = [player.name for player in matchup.players if process(player) == "referee"]
    trusted = [player.name for player in foreign if player.is_trusted]
    said = [f"{', '.join(inside)} in the referee's own"] if inside else []
    said += [f"{', '.join(trusted)} because trusted"] if trusted else []
    return "; ".join([*said, "everybody else in one of their own"]) if foreign else ""


def duplicates_words(tally: MatchupTally) -> str:
    """Return a text with the number of a matchup's games that repeat others, and its meaning; "" if none do."""
    if not tally.duplicates:
        return ""
    pairs = f"; in {tally.repeated_pairs} pairs, which are no evidence" if tally.repeated_pairs else ""
    return f"{tally.duplicates}{pairs}; Elo and tests count equal games once"


def llr_words(result: Result, tally: MatchupTally) -> str:
    """Return the state of a matchup's test, or "" without a test."""
    test, ratio = result.config.stops.sprt, result.llr(tally)
    if test is None or ratio is None:
        return ""
    low, high = bounds(test.alpha, test.beta)
    part = ratio / (high if ratio >= 0 else -low)
    about = f"[{test.elo0:.2f}, {test.elo1:.2f}] {test.model}"
    return f"LLR: {ratio:.2f} ({100 * part:.1f}%) ({low:.2f}, {high:.2f}) {about}"


def nelo_words(found: Estimate) -> str:
    """Return a normalised Elo and its error as text."""
    return f"{number(found.nelo)} +/- {found.nelo_error:.2f}"


def number(value: float) -> str:
    """Return a number as text with two decimals, or as inf."""
    # Adding 0 turns a rounded -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}" if isfinite(value) else str(value)


def _crosstable(result: Result) -> str:
    """Return a table of each player's points against each other player, the best player first."""
    order, met = result.ranking(), result.points_between()

    def cell(name: str, other: str) -> str:
        points, games = map(sum, zip(*met[name, other], strict=True))
        return "-" if name == other else f"{points:g}/{games}" if games else ""

    rows = [[f"{place} {name}", *(cell(name, other) for other in order)] for place, name in enumerate(order, 1)]
    return columns([["", *map(str, range(1, len(order) + 1))], *rows], left=(0,))


def _ranking(result: Result) -> str:
    """Return the table of all players, the best first. Each Elo is against the mean of all other players."""
    head = ("rank", "player", "games", "wins", "losses", "draws", "points", "score", "Elo", "failures")
    rows: list[Sequence[str]] = [head]
    for rank, name in enumerate(result.ranking(), 1):
        score, elo = result.scores[name], result.elos.get(name)
        share = f"{100 * score.points / score.games:.1f} %" if score.games else "-"
        counts = (score.games, score.wins, score.losses, score.draws)
        shown = "-" if elo is None else f"{number(elo.elo)} +/- {number((elo.high - elo.low) / 2)}"
        points = f"{round(score.points, 2):g}"
        rows.append((str(rank), name, *map(str, counts), points, share, shown, str(score.failures.total())))
    return columns(rows, left=(1,))


def byes_words(result: Result) -> str:
    """Return a text that lists the rounds of a Swiss tournament that players sat out; "" if nobody did."""
    found = [f"{name} in round {', '.join(map(str, rounds))}" for name, rounds in result.byes.items() if rounds]
    return f"Sat out, which counts as drawn when the next round is paired: {'; '.join(found)}" if found else ""


def columns(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Return rows of cells as a text table, right-aligned except for the columns in `left`."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


_COLUMNS = (
    *("id", "matchup", "pair", "leg", "black", "white", "red", "status", "result", "winner", "moves", "stones"),
    *("opening", "fingerprint", "took_s", "black_s", "white_s", "red_s", "failures", "why"),
)


def as_csv(rows: Iterable[ResultRow]) -> str:
    """Return the games as CSV, one line per game, sorted by matchup, pair and leg."""
    found = io.StringIO()
    writer = csv.writer(found, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in sorted(rows, key=attrgetter("matchup", "pair", "leg")):
        players = [*row.players, ""][:3]
        seconds = [row.thought_s.get(name, "") if name else "" for name in players]
        failures = "; ".join(f"{who} {kind}: {why}" for who, kind, why in row.failures)
        about = (row.status, row.result, row.winner or "", row.moves, row.stones, row.opening, row.fingerprint)
        writer.writerow(
            [row.id, row.matchup, row.pair, row.leg, *players, *about, row.took_s, *seconds, failures, row.why]
        )
    return found.getvalue()


def _render_line(row: ResultRow, number: int, of: int) -> str:
    width = len(str(of))
    note = f"  {row.status}: {row.failures[0][0]}: {row.why}" if row.failures else f"  {row.why}" if row.why else ""
    return f"{number:{width}}/{of}  {row.id}  {' - '.join(row.players)}  {row.result}  {row.moves} moves{note}"


class Lines(MatchObserver):
    """Writes one line for each finished game."""

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        sys.stderr.write(_render_line(game.row, number, of) + "\n")
        sys.stderr.flush()


@contextmanager
def follow(config: MatchConfig, kept: dict[str, ResultRow], quiet: bool) -> Iterator[MatchObserver]:
    """Yield an observer: a silent one if `quiet`, a live screen if stderr is a terminal, or else `Lines`."""
    if quiet:
        yield MatchObserver()
    elif sys.stderr.isatty():
        with _live(config, kept) as watch:
            yield watch
    else:
        yield Lines()


@contextmanager
def _live(config: MatchConfig, kept: dict[str, ResultRow]) -> Iterator[MatchObserver]:
    from rich import progress
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    times = progress.TimeElapsedColumn(), progress.TextColumn("left"), progress.TimeRemainingColumn()
    start = progress.TextColumn("{task.description}"), progress.BarColumn(), progress.MofNCompleteColumn()
    bar = progress.Progress(*start, *times)
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
            last = Text(_render_line(game.row, number, of), style="dim", no_wrap=True, overflow="ellipsis")
            self.live.update(Group(self.shown, last, bar))

    # Clear the screen at the end: the report follows.
    with Live(bar, console=Console(stderr=True), transient=True, refresh_per_second=8) as live:
        yield Screen(live)
