"""Finished games in a file, one line of JSON each, and the table of their results."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path

from benchmarks.strength.matches.game import Played
from benchmarks.strength.matches.series import LEGS, Series
from gtp_variants.errors import RecordError
from gtp_variants.statistics.estimates import Z

_HEADS = (
    "series",
    "games",
    "score",
    "95%",
    "aim",
    "as Black W/D/L",
    "as White W/D/L",
    "plies",
    "playouts a move",
    "s a move",
    "s a game",
)
# Maximum ratio of the times that the sides of a fair series take for a move.
_MOST_RATIO = 1.1


class Results:
    """The games of a file. If an id occurs twice, the first game counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games: dict[tuple[str, str, int, str], Played] = {}
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        # An incomplete last line was being written when the process was killed.
        whole, _, self._torn = text.rpartition("\n")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                game = Played.from_json(line)
            except (ValueError, TypeError, KeyError) as error:
                raise RecordError(f"{path}, line {number}: not a game: {error}") from error
            self.games.setdefault(game.id, game)

    def add(self, game: Played) -> None:
        """Keep a game; it is on the disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            if self._torn:
                file.truncate(file.seek(0, os.SEEK_END) - len(self._torn.encode()))
                self._torn = ""
            file.write(game.to_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.games.setdefault(game.id, game)

    def of(self, series: Series, settings: str) -> list[Played]:
        """Return the games of a series that were played with these settings."""
        return [game for game in self.games.values() if (game.series, game.settings) == (series.name, settings)]


def score(games: Sequence[Played]) -> tuple[float, float, float]:
    """Return the first player's mean score with Wilson's 95% interval, 0 to 1, of at least one game."""
    mean = sum(game.score for game in games) / len(games)
    return mean, *wilson(mean, len(games))


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share from n samples."""
    middle = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n))
    return (0.0 if mean == 0 else middle - half), (1.0 if mean == 1 else middle + half)


def is_unequal(series: Series, games: Sequence[Played]) -> bool:
    """Return True if the sides must think equally long, but one thinks over a tenth longer for a move."""
    spent = _a_move(games, [game.seconds for game in games])
    return series.equal_time and max(spent) > _MOST_RATIO * min(spent)


def verdict(series: Series, games: Sequence[Played]) -> str:
    """Return whether the score reaches its target; mark a miss that the interval still allows."""
    if is_unequal(series, games):
        return "refused"
    (lowest, highest), (mean, low, high) = series.aim, score(games)
    if lowest <= mean <= highest:
        return "reached"
    word = "too low" if mean < lowest else "too high"
    return f"{word}?" if low <= highest and high >= lowest else word


def table(found: Sequence[tuple[Series, Sequence[Played]]]) -> str:
    """Return the table in Markdown, followed by warnings about its figures."""
    rows = [_HEADS, *(_row(series, games) for series, games in found if games)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join([*lines, *_notes(found)]) + "\n"


def _row(series: Series, games: Sequence[Played]) -> tuple[str, ...]:
    mean, low, high = score(games)
    count = len(games)
    figures = ("refused", "") if is_unequal(series, games) else (f"{mean:.1%}", f"{low:.1%} to {high:.1%}")
    return (
        series.name,
        f"{count}",
        *figures,
        "" if series.aim == (0.0, 1.0) else f"{_aim(series)}: {verdict(series, games)}",
        *(_by_colour(games, leg) for leg in LEGS),
        f"{sum(game.plies for game in games) / count:.0f}",
        " : ".join(f"{share:,.0f}" for share in _a_move(games, [game.playouts for game in games])),
        " : ".join(f"{share:.2g}" for share in _a_move(games, [game.seconds for game in games])),
        f"{sum(game.wall_s for game in games) / count:.1f}",
    )


def _aim(series: Series) -> str:
    lowest, highest = series.aim
    return f"{lowest:.0%}" if highest == 1 else f"{lowest:.0%} to {highest:.0%}"


def _by_colour(games: Iterable[Played], leg: str) -> str:
    """Return the first player's wins, draws and losses with one colour."""
    scores = Counter(game.score for game in games if game.leg == leg)
    return f"{scores[1.0]}/{scores[0.5]}/{scores[0.0]}"


def _a_move(games: Sequence[Played], spent: Sequence[tuple[float, float]]) -> list[float]:
    """Return each player's time and playouts per move."""
    moves = [max(1, sum(game.moves[side] for game in games)) for side in range(2)]
    return [sum(each[side] for each in spent) / moves[side] for side in range(2)]


def _notes(found: Sequence[tuple[Series, Sequence[Played]]]) -> list[str]:
    notes: list[str] = []
    for series, games in found:
        builds = sorted({game.build for game in games})
        limited = sum(game.how == "adjudicated" for game in games)
        refused = sum(game.refused for game in games)
        if games and is_unequal(series, games):
            first, second = _a_move(games, [game.seconds for game in games])
            notes.append(
                f"{series.name}: refused, as the sides took {first:.2g} and {second:.2g} s a move (see --unequal)"
            )
        if len(builds) > 1:
            notes.append(f"{series.name}: played by different versions of the code: {' '.join(builds)}")
        if limited:
            notes.append(f"{series.name}: {limited} games were stopped at the move limit and scored as they stood")
        if refused:
            notes.append(f"{series.name}: {refused} moves of GNU Go were forbidden by our rules; it chose others")
    return ["", *notes] if notes else []
