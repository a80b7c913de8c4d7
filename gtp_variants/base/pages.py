"""Pages made from Jinja2 templates, and the curves that their plots show.

A template is a file beside the module that fills it, such as `*.html`, and is named by its path in the package.
`page.html` is the frame of reports; `page_parts.html` has their sections, tables and plots. A plot is stretched to any
width, but the width of its strokes and the size of its text stay the same. `page.js` shows the values at the pointer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import ceil, floor, inf, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

# Side, in SVG units, of the square that is stretched to the plot's area.
_SIDE = 1000
# Number of points beyond which a curve is thinned, because a screen cannot show more.
_MOST_POINTS = 300
# Number of curve colours in `page_parts.css`.
COLOURS = 8


def render(template: str, **values: object) -> str:
    """Return a template's page, with values escaped unless `safe`. Raises jinja2.UndefinedError for a missing value."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> "Environment":
    # Imported here, because most commands write no page.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    # Use our own reader, because Jinja2's package loader does not find the templates of an editable installation.
    loader = FunctionLoader(_read_asset)
    made = Environment(autoescape=True, loader=loader, lstrip_blocks=True, trim_blocks=True, undefined=StrictUndefined)
    made.globals |= {"COLOURS": COLOURS, "asset": _read_asset, "short": short}
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return made


def _read_asset(name: str) -> str:
    """Return the text of a template, or of a style sheet or script that a template marks as `safe`."""
    return (files("gtp_variants") / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A point of a curve, with the label shown at the pointer and optionally the bounds of an interval."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class PlotCurve:
    """Points joined by a line. Their intervals are drawn as a shaded area if `has_band`, or else as bars."""

    name: str
    points: Sequence[PlotPoint]
    has_band: bool = False


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a plot: their names, labelled y levels, the smallest range of y, and texts in place of x values."""

    x: str
    y: str
    levels: Sequence[tuple[float, str]] = ()
    low: float = inf
    high: float = -inf
    x_words: Sequence[tuple[float, str]] = ()


def short(value: float) -> str:
    """Return a number as text, in thousands (k) from 10,000 on and in millions (M) from 1,000,000 on."""
    unit, name = (1e6, "M") if abs(value) >= 1e6 else (1e3, "k") if abs(value) >= 1e4 else (1, "")
    return f"{value / unit:g}{name}"


def ticks(low: float, high: float, wished: int = 5) -> list[float]:
    """Return about `wished` round numbers between two bounds."""
    span = (high - low) / wished
    unit = 10 ** floor(log10(span))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= span)
    return [round(number * step, 6) + 0.0 for number in range(ceil(low / step), floor(high / step) + 1)]


class Plot:
    """A plot's curves and the range of values that it shows. The macro `plot` draws it if there are any points."""

    def __init__(self, title: str, curves: Sequence[PlotCurve], axes: Axes) -> None:
        self.title, self.axes = title, axes
        self.curves = [PlotCurve(each.name, _thin(each.points), each.has_band) for each in curves if each.points]
        points = [point for each in self.curves for point in each.points]
        self.left, self.right = (choose((p.x for p in points), default=0.0) for choose in (min, max))
        if self.left == self.right:
            self.left, self.right = self.left - 1, self.right + 1
        has_bars = any(each.points[0].low is not None and not each.has_band for each in self.curves)
        # Leave room at both ends: words are wider than numbers, and the dots of bars wider than a line.
        room = (0.12 if axes.x_words else 0.02 if has_bars else 0) * (self.right - self.left)
        self.left, self.right = self.left - room, self.right + room
        low = min([axes.low, *(p.y for p in points), *(value for value, _ in axes.levels)])
        high = max([axes.high, *(p.y for p in points), *(value for value, _ in axes.levels)])
        # Ignore the wide intervals of the first games, which would flatten the rest.
        late = [point for each in self.curves for point in each.points[len(each.points) // 4 :]]
        low = min([low, *(p.low for p in late if p.low is not None)])
        high = max([high, *(p.high for p in late if p.high is not None)])
        margin = 0.06 * (high - low) or 1.0
        self.low, self.high = low - margin, high + margin

    def x(self, value: float) -> float:
        """Return the place of a value of x, in SVG units from the left."""
        return (value - self.left) / (self.right - self.left) * _SIDE

    def y(self, value: float) -> float:
        """Return the place of a value of y, in SVG units from the top."""
        return min(_SIDE, max(0.0, (self.high - value) / (self.high - self.low) * _SIDE))

    @property
    def y_ticks(self) -> list[float]:
        """The values of y that have a line and a label."""
        return ticks(self.low, self.high)

    @property
    def x_labels(self) -> Sequence[tuple[float, str]]:
        """The labels below the plot, each with its value of x. They are whole if all points are at whole numbers."""
        is_whole = all(point.x == int(point.x) for each in self.curves for point in each.points)
        shown = (value for value in ticks(self.left, self.right) if value == int(value) or not is_whole)
        labels = self.axes.x_words or [(value, short(value)) for value in shown]
        return [(value, words) for value, words in labels if self.left <= value <= self.right]

    @property
    def told(self) -> list[dict[str, object]]:
        """The script's data: each curve's name, and each point's x and y (SVG units), label and x value."""

        def values(p: PlotPoint) -> list[object]:
            return [round(self.x(p.x)), round(self.y(p.y)), p.label or short(p.y), short(p.x)]

        return [{"n": each.name, "p": [values(point) for point in each.points]} for each in self.curves]


def _thin(points: Sequence[PlotPoint]) -> Sequence[PlotPoint]:
    """Return the points or, if there are more than `_MOST_POINTS`, every n-th point and the last."""
    step = -(-len(points) // _MOST_POINTS)
    return points if step <= 1 else [*points[: len(points) - 1 : step], points[-1]]
