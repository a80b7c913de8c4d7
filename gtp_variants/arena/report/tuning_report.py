"""Where a tuning is: its parameters as a table, the command that they make, and plots of the way there."""

from gtp_variants.arena.config.player_config import BotConfig
from gtp_variants.arena.report.page.plots import Axes, PlotCurve, PlotPoint, plot
from gtp_variants.arena.tuning.tuner import Tuning


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
