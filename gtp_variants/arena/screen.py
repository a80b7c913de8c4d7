"""A match as it goes: a line a game, or a bar and the results so far on a terminal. All of it on stderr."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gtp_variants.arena.config import MatchConfig
from gtp_variants.arena.referee import Played
from gtp_variants.arena.report import line, tallies, text
from gtp_variants.arena.runner import Watch


class Silent:
    """Shows nothing."""

    def game(self, row: Played, number: int, of: int) -> None:
        """Nothing."""


class Lines:
    """A line for each game."""

    def game(self, row: Played, number: int, of: int) -> None:
        """The game in one line."""
        sys.stderr.write(line(row, number, of) + "\n")
        sys.stderr.flush()


@contextmanager
def follow(config: MatchConfig, kept: dict[str, Played], quiet: bool) -> Iterator[Watch]:
    """Whoever is to watch: nobody, lines, or a live screen where stderr is a terminal."""
    if quiet:
        yield Silent()
    elif sys.stderr.isatty():
        with _live(config, kept) as watch:
            yield watch
    else:
        yield Lines()


@contextmanager
def _live(config: MatchConfig, kept: dict[str, Played]) -> Iterator[Watch]:
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
    total = 2 * sum(matchup.pairs for matchup in config.matchups)
    task = bar.add_task(config.name, total=total, completed=len(kept))
    found = tallies(config, kept.values())
    of_matchup = {tally.matchup.id: tally for tally in found}

    class Screen:
        def __init__(self, live: Live) -> None:
            self.live = live

        def game(self, row: Played, number: int, of: int) -> None:
            of_matchup[row.matchup].add(row)
            bar.update(task, completed=number)
            last = Text(line(row, number, of), style="dim", no_wrap=True, overflow="ellipsis")
            self.live.update(Group(Text(text(found)), last, bar))

    # What is left on the screen afterwards is the report itself, so this vanishes.
    with Live(bar, console=Console(stderr=True), transient=True, refresh_per_second=8) as live:
        yield Screen(live)
