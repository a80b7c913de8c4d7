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
from gtp_variants.lang import say, translate_fault
from gtp_variants.players import bots
from gtp_variants.players.config_readers import control_text
from gtp_variants.players.levels import title
from gtp_variants.statistics.estimates import Estimate
from gtp_variants.statistics.sprt import bounds

_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
# Maximum number of games that are named in a line.
_MOST_NAMED = 5
# Minimum seconds between two updates of the results on a live screen.
_EVERY_S = 0.5


def render_text(result: Result, lang: str = "en") -> str:
    """Return the report: of a tuning, or else of each matchup, with tables if there are several, and any decision."""
    if result.tuning is not None:
        return _render_tuning(result, result.tuning, lang)
    parts = [_render_matchup(result, tally, lang) for tally in result.tallies]
    if result.has_crosstable:
        parts.append(_crosstable(result))
    if len(result.tallies) > 1:
        parts.append(_ranking(result, lang))
    if byes := byes_words(result, lang):
        parts.append(byes)
    if result.stopping.schedule.standing is not None:
        parts.append("\n".join(translate_fault(line, lang) for line in result.stopping.schedule.standing.lines()))
    if (decision := result.stopping.decision) is not None:
        beyond = say("match.beyond", lang, count=result.beyond) if result.beyond else ""
        why = translate_fault(decision.why, lang)
        parts.append(say("match.decided", lang, unit=decision.unit, why=why, beyond=beyond))
    return "\n\n".join(parts)


def summarise(result: Result, lang: str = "en") -> str:
    """Return the result as one sentence that says who won how many games; "" while there is nothing to say."""
    if result.tuning is not None or not any(tally.count for tally in result.tallies):
        return ""
    if len(result.tallies) == 1 and len(result.tallies[0].scores) == 2:
        (first, best), (second, other) = sorted(
            result.tallies[0].scores.items(), key=lambda each: each[1].points, reverse=True
        )
        if best.wins == best.games:
            return say(f"match.{'won_all' if best.games > 1 else 'won_one'}", lang, name=first, count=best.games)
        drawn = say(f"match.drawn_{'one' if best.draws == 1 else 'many'}", lang, count=best.draws) if best.draws else ""
        parts = {"first": first, "second": second, "wins": best.wins, "losses": other.wins, "drawn": drawn}
        return say(f"match.won_{'each' if best.wins == other.wins else 'more'}", lang, count=best.games, **parts)
    scores, ranked = {name: (each.points, each.games) for name, each in result.scores.items()}, result.ranking()
    points = [(name, *scores[name]) for name in ranked[:3]]
    shown = ", ".join(
        say("match.player_points", lang, name=name, points=f"{got:g}", games=of) for name, got, of in points
    )
    return say(f"match.{'first_three' if len(ranked) > 3 else 'all_ranked'}", lang, count=len(ranked), scores=shown)


def _render_tuning(result: Result, tuning: Tuning, lang: str) -> str:
    """Return the best values so far, and the result of the games that are to confirm them."""
    settings, best = tuning.settings, tuning.best()
    player = settings.fill(settings.player, best)
    if isinstance(player, BotConfig):
        command = f"bot:{player.bot}"
    else:
        command = "; ".join((" ".join(player.command), *player.startup))
    rows: list[Sequence[str]] = [say("match.tuning_head", lang).split("|")]
    rows += [
        (name, each.word(settings.start[name]), each.word(best[name]), f"{each.low:g}", f"{each.high:g}")
        for name, each in settings.parameters.items()
    ]
    about = {"name": settings.player.name, "method": settings.method, "of": settings.pairs}
    lines = [
        say("match.tuning", lang, count=len(tuning.tried), **about),
        columns(rows, left=(0,)),
        say("match.best_values", lang, command=command),
    ]
    confirming = result.config.matchups[1:]
    tallies = [tally for tally in result.tallies if tally.matchup in confirming]
    if not tallies:
        follow = say("match.pairs_follow", lang, count=confirming[0].pairs) if confirming else "`confirm: PAIRS`"
        lines.append(say("match.unconfirmed", lang, follow=follow))
    for tally in tallies:
        found = result.estimate(tally)
        if found is not None:
            low, high = found.interval
            key, elo = "gain" if low > 0 else "no_gain", number(found.elo)
            lines += [say(f"match.{key}", lang, elo=elo, low=number(low), high=number(high)), ""]
        lines.append(_render_matchup(result, tally, lang))
    return "\n".join(lines)


def _render_matchup(result: Result, tally: MatchupTally, lang: str) -> str:
    """Return the result of a matchup: in fastchess's format for two players, with points and places for three."""
    matchup, config = tally.matchup, result.config
    times = [control_text(player.limits.control) for player in matchup.players]
    conditions = [_brief_spec(matchup.game.spec)]
    if set(times) != {"none"}:
        conditions.append(times[0] if len(set(times)) == 1 else " vs ".join(times))
    if config.openings:
        conditions.append(say("match.openings_of", lang, file=config.book.file))
    of = matchup.pairs * len(matchup.names) if not config.is_paired_by_results else tally.count
    about = {"names": " vs ".join(matchup.names), "about": ", ".join(conditions)}
    lines = [say("match.results", lang, count=tally.count, of=of, **about)]
    tampered = tampered_words(tally, lang)
    if not tally.games:
        lines.append(say(f"match.{'void_games' if tally.count else 'no_game'}", lang, count=tally.void))
        return "\n".join([*lines, *tampered])
    lines += _of_two(result, tally, lang) if len(matchup.names) == 2 else _of_three(tally, lang)
    if titles := [f"{each.name}: {title}" for each in matchup.players if (title := title_of(each, lang))]:
        lines.append("; ".join(titles))
    if (dice := result.dice(tally)) is not None:
        lines.append(say("match.dice", lang, words=say(f"match.dice_{dice}", lang)))
    if words := process_words(matchup, lang):
        lines.append(say("match.processes", lang, words=words))
    void = void_at_limit(tally)
    if void or tally.adjudicated:
        lines.append(say("match.move_limit", lang, adjudicated=tally.adjudicated, void=void))
    lines += tampered
    if words := unjudged_words(tally, lang):
        lines.append(say("match.dead", lang, words=words))
    if tally.duplicates:
        lines.append(say("match.duplicates", lang, words=duplicates_words(tally, lang)))
    return "\n".join(lines)


def _brief_spec(spec: str) -> str:
    """Return a SPEC with only the options by which people distinguish games."""
    name, _, rest = spec.partition(":")
    options = dict(part.split("=", 1) for part in rest.split(","))
    told = [key for key in ("board", "size", "width", "height", "n", "dice", "players") if key in options]
    return f"{name}:" + ",".join(f"{key}={options[key]}" for key in told) if told else name


def _of_two(result: Result, tally: MatchupTally, lang: str) -> list[str]:
    found = result.estimate(tally)
    assert found is not None
    failed = ", ".join(f"{name} {_kinds(score.failures)}" for name, score in tally.scores.items())
    failures = say("match.failures", lang, words=failed)
    elo = f"Elo: {number(found.elo)} +/- {number(found.error)}"
    pairs = f"    Ptnml(0-2): {list(tally.pairs)}" if any(tally.pairs) else ""
    first = tally.first
    lines = [
        f"{elo}, nElo: {nelo_words(found)}    LOS: {100 * found.los:.2f} %",
        say("match.games", lang, games=first.games, wins=first.wins, losses=first.losses, draws=first.draws) + pairs,
    ]
    ratio = llr_words(result, tally)
    lines += [f"{ratio}    {failures}"] if ratio else []
    low, high = map(number, found.interval)
    interval = say("match.interval", lang, low=low, high=high)
    if result.sprt(tally) in ("H0", "H1"):
        interval += say("match.unbiased", lang)
    lines.append(interval if ratio else f"{interval}    {failures}")
    if tally.matchup.game.match == 2:
        won, tied, lost = tally.matches
        lines.append(say("match.matches", lang, won=won, tied=tied, lost=lost, tiebreaks=tally.tiebreaks))
    if any(tally.pairs) and tally.unpaired:
        lines.append(say("match.unpaired", lang, count=tally.unpaired))
    return lines


def _of_three(tally: MatchupTally, lang: str) -> list[str]:
    rows: list[Sequence[str]] = [say("match.three_head", lang).split("|")]
    for name, score in sorted(tally.scores.items(), key=lambda item: -item[1].points):
        mean = tally.mean_points(name)
        shown = "-" if mean is None else f"{mean[0]:.3f} +/- {mean[1]:.3f}"
        places = [score.places[float(place)] for place in (1, 2, 3)]
        shared = sum(count for place, count in score.places.items() if place not in (1.0, 2.0, 3.0))
        of_places = ", ".join(map(str, places)) + (say("match.shared_places", lang, count=shared) if shared else "")
        rows.append((name, str(score.games), f"{score.points:.2f}", shown, of_places, _kinds(score.failures)))
    wins = ", ".join(f"{side} {count}" for side, count in zip(side_names(lang), tally.by_colour, strict=True))
    return [columns(rows, left=(0,)), say("match.by_colour", lang, sides=wins, drawn=tally.drawn)]


def side_names(lang: str = "en") -> list[str]:
    """Return the names of the three colours, in the order of play."""
    return say("match.sides", lang).split("|")


def _kinds(failures: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(failures.items()) if count) or "0"


def tampered_words(tally: MatchupTally, lang: str = "en") -> list[str]:
    """Return a sentence for each game of a matchup in which the referee was tampered with."""
    rows = sorted(tally.tampered, key=attrgetter("id"))
    kinds = {True: "void", False: "forfeit"}
    return [say(f"match.tampered_{kinds[row.is_void]}", lang, id=row.id, why=row.why) for row in rows]


def unjudged_words(tally: MatchupTally, lang: str = "en") -> str:
    """Return a sentence about games whose winner depends on dead stones that nobody judged, or "" if there are none."""
    ids = sorted(row.id for row in tally.unjudged)
    if not ids:
        return ""
    named = ", ".join([*ids[:_MOST_NAMED], *(["…"] if len(ids) > _MOST_NAMED else [])])
    return say(f"match.unjudged_{'one' if len(ids) == 1 else 'many'}", lang, count=len(ids), ids=named)


def void_at_limit(tally: MatchupTally) -> int:
    """Return the number of a matchup's games that are void because they reached the move limit."""
    return tally.void - sum(row.is_void for row in tally.tampered)


def duration_words(seconds: float, lang: str = "en") -> str:
    """Return a duration in the largest unit that gives at least two: 35 hours, not 1 day."""
    for unit, unit_s in _UNITS:
        if seconds >= 2 * unit_s:
            return say(f"match.{unit}", lang, count=f"{seconds / unit_s:.0f}")
    return say(f"match.{'second' if 0.5 < seconds < 1.5 else 'seconds'}", lang, count=f"{seconds:.0f}")


def title_of(player: PlayerConfig, lang: str = "en") -> str:
    """Return the title of a bot that has settings, such as "Search, level 4", or "" for any other player."""
    return title(player.bot, lang) if isinstance(player, BotConfig) and bots.split(player.bot)[1] else ""


def process_words(matchup: Matchup, lang: str = "en") -> str:
    """Return a text that names the processes of a matchup's players; "" if all bots are built in."""
    foreign = [player for player in matchup.players if isinstance(player, BotConfig) and not bots.is_ours(player.bot)]
    inside = [player.name for player in matchup.players if process(player) == "referee"]
    trusted = [player.name for player in foreign if player.is_trusted]
    said = [say("match.inside", lang, names=", ".join(inside))] if inside else []
    said += [say("match.trusted", lang, names=", ".join(trusted))] if trusted else []
    return "; ".join([*said, say("match.apart", lang)]) if foreign else ""


def duplicates_words(tally: MatchupTally, lang: str = "en") -> str:
    """Return a text about how many of a matchup's games repeat other games, or "" if none do."""
    if not tally.duplicates:
        return ""
    key = "repeated_pairs" if tally.repeated_pairs else "repeated"
    return say(f"match.{key}", lang, count=tally.duplicates, pairs=tally.repeated_pairs)


def llr_words(result: Result, tally: MatchupTally) -> str:
    """Return the state of a matchup's test, or "" if the matchup is not tested."""
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


def _ranking(result: Result, lang: str) -> str:
    """Return the table of all players, the best first. Each Elo is against the mean of all other players."""
    rows: list[Sequence[str]] = [say("match.ranking_head", lang).split("|")]
    for rank, name in enumerate(result.ranking(), 1):
        score, elo = result.scores[name], result.elos.get(name)
        share = f"{100 * score.points / score.games:.1f} %" if score.games else "-"
        counts = (score.games, score.wins, score.losses, score.draws)
        shown = "-" if elo is None else f"{number(elo.elo)} +/- {number((elo.high - elo.low) / 2)}"
        points = f"{round(score.points, 2):g}"
        rows.append((str(rank), name, *map(str, counts), points, share, shown, str(score.failures.total())))
    return columns(rows, left=(1,))


def byes_words(result: Result, lang: str = "en") -> str:
    """Return a text that lists the rounds of a Swiss tournament that players sat out; "" if nobody did."""
    byes = {name: ", ".join(map(str, rounds)) for name, rounds in result.byes.items() if rounds}
    words = "; ".join(say("match.bye", lang, name=name, rounds=rounds) for name, rounds in byes.items())
    return say("match.byes", lang, words=words) if words else ""


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


def _render_line(row: ResultRow, number: int, of: int, lang: str) -> str:
    width, moves = len(str(of)), say("match.moves", lang, count=row.moves)
    note = f"  {row.status}: {row.failures[0][0]}: {row.why}" if row.failures else f"  {row.why}" if row.why else ""
    return f"{number:{width}}/{of}  {row.id}  {' - '.join(row.players)}  {row.result}  {moves}{note}"


class Lines(MatchObserver):
    """Writes one line for each finished game."""

    def __init__(self, lang: str) -> None:
        self._lang = lang

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        sys.stderr.write(_render_line(game.row, number, of, self._lang) + "\n")
        sys.stderr.flush()


@contextmanager
def follow(config: MatchConfig, kept: dict[str, ResultRow], quiet: bool, lang: str) -> Iterator[MatchObserver]:
    """Yield an observer: a silent one if `quiet`, a live screen if stderr is a terminal, or else `Lines`."""
    if quiet:
        yield MatchObserver()
    elif sys.stderr.isatty():
        with _live(config, kept, lang) as watch:
            yield watch
    else:
        yield Lines(lang)


@contextmanager
def _live(config: MatchConfig, kept: dict[str, ResultRow], lang: str) -> Iterator[MatchObserver]:
    from rich import progress
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    times = progress.TimeElapsedColumn(), progress.TextColumn(say("match.left", lang)), progress.TimeRemainingColumn()
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
                self.shown = Text(render_text(result, lang))
                self.counted_at = monotonic()
            last = Text(_render_line(game.row, number, of, lang), style="dim", no_wrap=True, overflow="ellipsis")
            self.live.update(Group(self.shown, last, bar))

    # Clear the screen at the end, because the report follows.
    with Live(bar, console=Console(stderr=True), transient=True, refresh_per_second=8) as live:
        yield Screen(live)
