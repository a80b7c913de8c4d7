"""A match as it goes: a line a game, or a bar and the results so far on a terminal. All of it on stderr."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import render_line, render_text
from gtp_variants.arena.result_row import FinishedGame, ResultRow
from gtp_variants.arena.run.observer import MatchObserver
from gtp_variants.arena.schedule import count_games

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
