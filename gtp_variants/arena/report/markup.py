"""The HTML building blocks of report pages: sections, tables, and plots that fit any width.

Plots are stretched, but the width of strokes and the size of text stay the same. `page.js` shows the values at the
pointer; it reads them from the data beside each plot.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from math import ceil, floor, log10

# Side, in SVG units, of the square that is stretched to the plot's area.
_SIDE = 1000
# Maximum number of points in a curve; a screen cannot show more.
_MOST_POINTS = 300
# Number of curve colours in `parts.css`.
COLOURS = 8


def page(title: str, parts: Iterable[str]) -> str:
    """Return a complete page with its style sheet and the script for tables and plots."""
    name = escape(title)
    style = read_asset("page.css") + read_asset("parts.css")
    theme = '<button type="button" id="theme" aria-label="dark or light" title="dark or light">◐</button>'
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head><body>\n'
        f"<header><h1>{name}</h1>{theme}</header>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + f"\n</main><script>{read_asset('page.js')}</script></body></html>\n"
    )


def read_asset(name: str) -> str:
    """Return the text of a style sheet or script in this folder."""
    return (files("gtp_variants.arena.report") / name).read_text(encoding="utf-8")


def write_data(value: object, mark: str = "") -> str:
    """Return an element that contains a value as JSON for the page's script; `mark` is an attribute such as an id."""
    # Escape "<", so that no name can end the element.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json"{mark}>{text}</script>'


def section(title: str, parts: Iterable[str], about: str = "", id: str = "") -> str:
    """Return a titled section of a page, or "" if it has no content."""
    inside = "\n".join(part for part in parts if part)
    note = f'<p class="faint">{escape(about)}</p>' if about else ""
    mark = f' id="{id}"' if id else ""
    return f"<section{mark}><h2>{escape(title)}</h2>{note}\n{inside}</section>" if inside else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], text: Sequence[int] = (0,), style: str = "") -> str:
    """Return a table of HTML cells; a cell may include its own `<td>`. The columns in `text` are left-aligned."""

    def line(tag: str, cells: Sequence[str]) -> str:
        found = ""
        for column, cell in enumerate(cells):
            mark = ' class="text"' if column in text else ""
            kind = tag if cell else "td"
            found += cell if cell.startswith("<td") else f"<{kind}{mark}>{cell}</{kind}>"
        return f"<tr>{found}</tr>"

    top = f"<thead>{line('th', head)}</thead>" if any(head) else ""
    body = "".join(line("td", row) for row in rows)
    mark = f' class="{style}"' if style else ""
    return f'<div class="wide" tabindex="0"><table{mark}>{top}<tbody>{body}</tbody></table></div>'


def tile(label: str, value: str, about: str = "") -> str:
    """Return the HTML of a tile: a label, a value in large print and an optional note."""
    note = f"<small>{about}</small>" if about else ""
    return f'<div class="tile"><span>{escape(label)}</span><b>{value}</b>{note}</div>'


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
    low: float = 0.0
    high: float = 0.0
    x_words: Sequence[tuple[float, str]] = ()


def ticks(low: float, high: float, wished: int = 5) -> list[float]:
    """Return about `wished` round numbers between two bounds."""
    span = (high - low) / wished
    unit = 10 ** floor(log10(span))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= span)
    return [round(number * step, 6) + 0.0 for number in range(ceil(low / step), floor(high / step) + 1)]


def plot(title: str, curves: Sequence[PlotCurve], axes: Axes) -> str:
    """Return a figure that shows the curves, or "" if they have no points."""
    curves = [PlotCurve(each.name, _thin(each.points), each.has_band) for each in curves if each.points]
    if not curves:
        return ""
    frame = _PlotFrame(curves, axes)
    legend = "".join(
        f'<span class="key"><i class="c{index % COLOURS}"></i>{escape(each.name)}</span>'
        for index, each in enumerate(curves)
        if len(curves) > 1
    )
    grid = [("grid", value) for value in ticks(frame.low, frame.high)] + [("level", value) for value, _ in axes.levels]
    lines = [f'<path class="{kind}" d="M0 {frame.y(value):.0f}H{_SIDE}"/>' for kind, value in grid]
    lines += [_curve(frame, each, index) for index, each in enumerate(curves)]
    labels = "".join(f'<span style="top:{frame.y(v) / 10:.1f}%">{v:g}</span>' for v in ticks(frame.low, frame.high))
    levels = "".join(
        f'<em style="top:{frame.y(value) / 10:.1f}%">{escape(word)}</em>' for value, word in axes.levels if word
    )
    below = axes.x_words or [(value, f"{value:g}") for value in ticks(frame.left, frame.right) if value == int(value)]
    places = "".join(f'<span style="left:{frame.x(x) / 10:.1f}%">{escape(word)}</span>' for x, word in below)
    return (
        f'<figure class="plot"><figcaption><b>{escape(title)}</b> {legend}</figcaption><div class="frame">'
        f'<div class="ys">{labels}</div><div class="area"><svg viewBox="0 0 {_SIDE} {_SIDE}" '
        f'preserveAspectRatio="none" role="img" aria-label="{escape(title)}">{"".join(lines)}</svg>{levels}</div>'
        f'<div class="xs">{places}</div></div><div class="names"><span>{escape(axes.y)}</span>'
        f"<span>{escape(axes.x)}</span></div>{frame.hover(curves)}</figure>"
    )


class _PlotFrame:
    """The range of x and y values that a plot shows."""

    def __init__(self, curves: Sequence[PlotCurve], axes: Axes) -> None:
        points = [point for each in curves for point in each.points]
        self.left, self.right = min(p.x for p in points), max(p.x for p in points)
        if self.left == self.right:
            self.left, self.right = self.left - 1, self.right + 1
        if axes.x_words:
            # Words are wider than numbers.
            room = 0.12 * (self.right - self.left)
            self.left, self.right = self.left - room, self.right + room
        low = min([axes.low, *(p.y for p in points), *(value for value, _ in axes.levels)])
        high = max([axes.high, *(p.y for p in points), *(value for value, _ in axes.levels)])
        # Ignore the wide intervals of the first games, which would flatten the rest.
        late = [point for each in curves for point in each.points[len(each.points) // 4 :]]
        low = min([low, *(p.low for p in late if p.low is not None)])
        high = max([high, *(p.high for p in late if p.high is not None)])
        margin = 0.06 * (high - low) or 1.0
        self.low, self.high = low - margin, high + margin

    def x(self, value: float) -> float:
        return (value - self.left) / (self.right - self.left) * _SIDE

    def y(self, value: float) -> float:
        return min(_SIDE, max(0.0, (self.high - value) / (self.high - self.low) * _SIDE))

    def hover(self, curves: Sequence[PlotCurve]) -> str:
        """Return the script's data: each curve's name, and each point's x and y (SVG units), label and x value."""

        def values(point: PlotPoint) -> list[object]:
            return [round(self.x(point.x)), round(self.y(point.y)), point.label or f"{point.y:g}", f"{point.x:g}"]

        return write_data([{"n": each.name, "p": [values(point) for point in each.points]} for each in curves])


def _thin(points: Sequence[PlotPoint]) -> Sequence[PlotPoint]:
    """Return at most `_MOST_POINTS` of the points, including the first and the last."""
    step = -(-len(points) // _MOST_POINTS)
    return points if step <= 1 else [*points[: len(points) - 1 : step], points[-1]]


def _curve(frame: _PlotFrame, curve: PlotCurve, index: int) -> str:
    colour = f"c{index % COLOURS}"
    places = [(frame.x(p.x), frame.y(p.y)) for p in curve.points]
    known = [
        (frame.x(p.x), frame.y(p.low), frame.y(p.high))
        for p in curve.points
        if p.low is not None and p.high is not None
    ]
    parts = []
    if curve.has_band and known:
        edge = [f"{x:.0f} {low:.0f}" for x, low, _ in known] + [f"{x:.0f} {high:.0f}" for x, _, high in reversed(known)]
        parts.append(f'<path class="band {colour}" d="M{"L".join(edge)}Z"/>')
    elif known:
        bars = "".join(f"M{x:.0f} {low:.0f}V{high:.0f}" for x, low, high in known)
        parts.append(f'<path class="bars {colour}" d="{bars}"/>')
    if len(places) > 1:
        parts.append(f'<path class="line {colour}" d="M{"L".join(f"{x:.0f} {y:.0f}" for x, y in places)}"/>')
    if len(places) == 1 or (known and not curve.has_band):
        # A line of zero length with round ends is drawn as a dot, which stretching does not distort.
        parts.append(f'<path class="dots {colour}" d="{"".join(f"M{x:.0f} {y:.0f}h0" for x, y in places)}"/>')
    return "".join(parts)
