"""The report of a match as text or CSV, and its progress on stderr: one line per game, or a live screen."""

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from time import monotonic

from gtp_variants.arena.config.match_config import MatchConfig, Matchup
from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, process, wall_around
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import FinishedGame, ResultRow
from gtp_variants.arena.run.worker import MatchObserver
from gtp_variants.arena.schedule import count_games
from gtp_variants.arena.tally import MatchupTally
from gtp_variants.arena.tuning import Tuning
from gtp_variants.base.pages import render
from gtp_variants.base.processes.wall import JOB_OBJECT, NONE
from gtp_variants.lang import say, translate_fault as translate_fault
from gtp_variants.players import bots
from gtp_variants.players.config_readers import control_text
from gtp_variants.players.levels import title
from gtp_variants.statistics.estimates import elo_text as elo_text, los_text as los_text
from gtp_variants.statistics.sprt import bounds

_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
# Maximum number of games that are named in a line.
_MOST_NAMED = 5
# Minimum seconds between two updates of the results on a live screen.
_EVERY_S = 0.5


def render_text(result: Result, lang: str = "en") -> str:
    """Return the full report: a block for each matchup and, if there are several, a crosstable and a ranking."""
    values = {"result": result, "lang": lang, "text": sys.modules[__name__]}
    told = render("arena/report/text_report.txt", say=lambda key, **parts: say(f"match.{key}", lang, **parts), **values)
    return told.rstrip("\n")


def summarise(result: Result, lang: str = "en") -> str:
    """Return the result as one sentence that says who won how many games; "" while there is nothing to say."""
    if not any(tally.count for tally in result.tallies):
        return ""
    if result.tuning is not None:
        return f"{result.tuning.settings.player.name}: {result.tuning_label}"
    if len(result.tallies) == 1 and len(result.tallies[0].scores) == 2:
        (first, best), (second, other) = sorted(result.tallies[0].scores.items(), key=lambda each: -each[1].points)
        if best.wins == best.games:
            return say(f"match.{'won_all' if best.games > 1 else 'won_one'}", lang, name=first, count=best.games)
        drawn = say(f"match.drawn_{'one' if best.draws == 1 else 'many'}", lang, count=best.draws) if best.draws else ""
        parts = {"first": first, "second": second, "wins": best.wins, "losses": other.wins, "drawn": drawn}
        return say(f"match.won_{'each' if best.wins == other.wins else 'more'}", lang, count=best.games, **parts)
    ranked = result.ranking()
    leaders = {name: result.scores[name] for name in ranked[:3]}
    points = [(name, f"{each.points:g}", each.games) for name, each in leaders.items()]
    shown = ", ".join(say("match.player_points", lang, name=name, points=got, games=of) for name, got, of in points)
    return say(f"match.{'first_three' if len(ranked) > 3 else 'all_ranked'}", lang, count=len(ranked), scores=shown)


def parameters_table(tuning: Tuning, lang: str) -> str:
    """Return a table of the parameters of a tuning, with their best values so far."""
    settings, best = tuning.settings, tuning.best()
    rows: list[Sequence[str]] = [say("match.tuning_head", lang).split("|")]
    rows += [
        (name, each.word(settings.start[name]), each.word(best[name]), f"{each.low:g}", f"{each.high:g}")
        for name, each in settings.parameters.items()
    ]
    return columns(rows, left=(0,))


def best_command(tuning: Tuning) -> str:
    """Return the command of the tuned player with the best values so far."""
    player = tuning.settings.fill(tuning.settings.player, tuning.best())
    if isinstance(player, BotConfig):
        return f"bot:{player.bot}"
    return "; ".join((" ".join(player.command), *player.startup))


def conditions(result: Result, tally: MatchupTally, lang: str) -> str:
    """Return the game, the clocks and the openings of a matchup."""
    times = [control_text(player.limits.control) for player in tally.matchup.players]
    found = [_brief_spec(tally.matchup.game.spec), times[0] if len(set(times)) == 1 else " vs ".join(times)]
    found = found[:1] if set(times) == {"none"} else found
    found += [say("match.openings_of", lang, file=result.config.book.file)] if result.config.openings else []
    return ", ".join(found)


def _brief_spec(spec: str) -> str:
    """Return a SPEC with only the options by which people distinguish games."""
    name, _, rest = spec.partition(":")
    options = dict(part.split("=", 1) for part in rest.split(","))
    told = [key for key in ("board", "size", "width", "height", "n", "dice", "players") if key in options]
    return f"{name}:" + ",".join(f"{key}={options[key]}" for key in told) if told else name


def places_table(tally: MatchupTally, lang: str) -> str:
    """Return a table of points and places, and the wins by colour."""
    rows: list[Sequence[str]] = [say("match.three_head", lang).split("|")]
    for name, score in sorted(tally.scores.items(), key=lambda item: -item[1].points):
        mean = tally.mean_points(name)
        shown = "-" if mean is None else "{:.3f} [{:.3f}, {:.3f}]".format(*mean)
        places = [score.places[float(place)] for place in (1, 2, 3)]
        shared = sum(count for place, count in score.places.items() if place not in (1.0, 2.0, 3.0))
        of_places = ", ".join(map(str, places)) + (say("match.shared_places", lang, count=shared) if shared else "")
        rows.append((name, str(score.games), f"{score.points:.2f}", shown, of_places, kinds_words(score.failures)))
    wins = ", ".join(f"{side} {count}" for side, count in zip(side_names(lang), tally.by_colour, strict=True))
    return f"{columns(rows, left=(0,))}\n{say('match.by_colour', lang, sides=wins, drawn=tally.drawn)}"


def side_names(lang: str = "en") -> list[str]:
    """Return the names of the three colours, in the order of play."""
    return say("match.sides", lang).split("|")


def kinds_words(failures: Counter[str]) -> str:
    """Return the numbers of failures by kind, or "0"."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(failures.items()) if count) or "0"


def tampered_words(tally: MatchupTally, lang: str = "en") -> list[str]:
    """Return a sentence for each game of a matchup in which the referee was tampered with."""
    rows = sorted(tally.tampered, key=attrgetter("id"))
    kinds = {True: "void", False: "forfeit"}
    return [say(f"match.tampered_{kinds[row.is_void]}", lang, id=row.id, why=row.why) for row in rows]


def with_ids(key: str, count: int, rows: Iterable[ResultRow], lang: str = "en") -> str:
    """Return a sentence with a count and the ids of the first games; "" without games."""
    ids = sorted(row.id for row in rows)
    named = ", ".join([*ids[:_MOST_NAMED], *(["…"] if len(ids) > _MOST_NAMED else [])])
    return say(f"match.{key}_{'one' if count == 1 else 'many'}", lang, count=count, ids=named) if ids else ""


def void_at_limit(tally: MatchupTally) -> int:
    """Return the number of a matchup's games that are void because they reached the move limit."""
    return tally.void - sum(row.is_void for row in (*tally.tampered, *tally.interfered))


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


def wall_words(matchup: Matchup, lang: str = "en") -> str:
    """Return a text that names the walls around a matchup's players; "" if all play in the referee's process."""
    walls = {player.name: wall_around(player) for player in matchup.players if process(player) == "own"}
    keys = {NONE: "no_wall", JOB_OBJECT: "job_object"}
    return ", ".join(say(f"match.{keys.get(kind, 'wall')}", lang, name=name, kind=kind) for name, kind in walls.items())


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


def crosstable(result: Result) -> str:
    """Return a table of each player's points against each other player, the best player first."""
    order, met = result.ranking(), result.points_between()

    def cell(name: str, other: str) -> str:
        points, games = map(sum, zip(*met[name, other], strict=True))
        return "-" if name == other else f"{points:g}/{games}" if games else ""

    rows = [[f"{place} {name}", *(cell(name, other) for other in order)] for place, name in enumerate(order, 1)]
    return columns([["", *map(str, range(1, len(order) + 1))], *rows], left=(0,))


def ranking_table(result: Result, lang: str) -> str:
    """Return the table of all players, the best first. Each Elo is against the mean of all other players."""
    rows: list[Sequence[str]] = [say("match.ranking_head", lang).split("|")]
    for rank, name in enumerate(result.ranking(), 1):
        score, elo = result.scores[name], result.elos.get(name)
        share = f"{100 * score.points / score.games:.1f} %" if score.games else "-"
        counts = (score.games, score.wins, score.losses, score.draws)
        shown = "-" if elo is None else elo_text(*elo)
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
    aligned = [str.ljust if column in left else str.rjust for column in range(len(widths))]
    lines = ([align(cell, width) for align, cell, width in zip(aligned, row, widths, strict=True)] for row in rows)
    return "\n".join("  ".join(line).rstrip() for line in lines)


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
        failures = "; ".join(f"{who or 'referee'} {kind}: {why}" for who, kind, why in row.failures)
        about = (row.status, row.result, row.winner or "", row.moves, row.stones, row.opening, row.fingerprint)
        place = (row.id, row.matchup, row.pair, row.leg)
        writer.writerow([*place, *players, *about, row.took_s, *seconds, failures, row.why])
    return found.getvalue()


def _render_line(row: ResultRow, number: int, of: int, lang: str) -> str:
    width, moves = len(str(of)), say("match.moves", lang, count=row.moves)
    who = f"{row.status}: {row.failures[0][0] or 'referee'}: " if row.failures else ""
    note = f"  {who}{row.why}" if row.why else ""
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
