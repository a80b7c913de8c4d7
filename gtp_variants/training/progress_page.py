"""A training run's page, a single file that reloads itself. It shows losses, games, strength and sample games."""

from collections.abc import Sequence
from dataclasses import dataclass

from gtp_variants.base.json_values import Json
from gtp_variants.base.pages import Axes, Plot, PlotCurve, PlotPoint, render


@dataclass(frozen=True, slots=True)
class SampleGame:
    """A sample game: the file in which to replay it, its last position as SVG, and a caption."""

    file: str
    picture: str
    caption: str


def progress_page(title: str, history: Sequence[Json], strengths: str, games: Sequence[SampleGame]) -> str:
    """Return the page for the rows of `Trainer.history`. `strengths` is HTML with the results of matches."""
    about = {"last": history[-1] if history else None, "plots": _plots(history) if len(history) > 1 else ()}
    return render("training/progress_page.html", title=title, **about, strengths=strengths, games=games)


def _plots(history: Sequence[Json]) -> list[Plot]:
    def over_positions(name: str, rows: Sequence[Json], values: Sequence[float]) -> PlotCurve:
        return PlotCurve(name, [PlotPoint(row["positions"], value) for row, value in zip(rows, values, strict=True)])

    names = [name for name in history[0]["losses"] if any(row["losses"][name] for row in history)]
    # Older versions did not measure unseen games.
    told = [row for row in history if row.get("unseen")]
    plots = []
    for name in names:
        curves = [over_positions("learnt from", history, [row["losses"][name] for row in history])]
        if told:
            curves.append(over_positions("unseen games", told, [row["unseen"][name] for row in told]))
        plots.append(Plot(f"Loss of the {name.replace('_', ' ')}", curves, Axes("positions", "nats")))
    before = [{"games": 0, "positions": 0}, *history[:-1]]
    lengths = [
        (row["positions"] - old["positions"]) / (row["games"] - old["games"])
        for old, row in zip(before, history, strict=True)
    ]
    searched = over_positions("", history, lengths)
    return [*plots, Plot("Positions searched in a game", [searched], Axes("positions", "positions"))]
