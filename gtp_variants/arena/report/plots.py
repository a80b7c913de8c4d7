"""Plots as HTML and SVG that fit any width: lines are stretched, their strokes and all words are not.

What is under the pointer is told by `page.js`, which finds the values beside each plot.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, log10

# The inside of a plot is a square of this side, stretched to where it stands.
_SIDE = 1000
_TICKS = 5
# More points than anybody can tell apart on a screen.
_MOST_POINTS = 300
# Colours of curves in `parts.css`.
COLOURS = 8


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A value at a place, perhaps with the bounds of its interval, and what is said where the pointer is."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class PlotCurve:
    """Points joined by a line; with `has_band` the intervals are an area, else bars at the points that have them."""

    name: str
    points: Sequence[PlotPoint]
    has_band: bool = False


@dataclass(frozen=True, slots=True)
class Axes:
    """What the axes are called, levels that are marked with a word, and the range of y that must be seen."""

    x: str
    y: str
    levels: Sequence[tuple[float, str]] = ()
    low: float = 0.0
    high: float = 0.0
    x_words: Sequence[tuple[float, str]] = field(default=())


def ticks(low: float, high: float, wished: int = _TICKS) -> list[float]:
    """Round numbers between two bounds, about so many."""
    span = (high - low) / wished
    unit = 10 ** floor(log10(span))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= span)
    return [round(number * step, 6) + 0.0 for number in range(ceil(low / step), floor(high / step) + 1)]


def plot(title: str, curves: Sequence[PlotCurve], axes: Axes) -> str:
    """A figure with curves; "" where there is no point."""
    curves = [PlotCurve(each.name, _thin(each.points), each.has_band) for each in curves if each.points]
    if not curves:
        return ""
    frame = _PlotFrame(curves, axes)
    legend = "".join(
        f'<span class="key"><i class="c{index % COLOURS}"></i>{escape(each.name)}</span>'
        for index, each in enumerate(curves)
        if len(curves) > 1
    )
    lines = [_grid(frame, axes), *(_curve(frame, each, index) for index, each in enumerate(curves))]
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
    """What part of the plane a plot shows."""

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
        # Intervals of the first games are so wide that they would leave no room for what came of it.
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
        """What the script says at each place: per curve x and y in thousandths, the words, and x as it is."""
        told = [
            {
                "n": each.name,
                "p": [[round(self.x(p.x)), round(self.y(p.y)), p.label or f"{p.y:g}", f"{p.x:g}"] for p in each.points],
            }
            for each in curves
        ]
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        return f'<script type="application/json">{text}</script>'


def _thin(points: Sequence[PlotPoint]) -> Sequence[PlotPoint]:
    """At most so many of the points; the first and the last one stay."""
    step = -(-len(points) // _MOST_POINTS)
    return points if step <= 1 else [*points[: len(points) - 1 : step], points[-1]]


def _grid(frame: _PlotFrame, axes: Axes) -> str:
    lines = "".join(f'<path class="grid" d="M0 {frame.y(v):.0f}H{_SIDE}"/>' for v in ticks(frame.low, frame.high))
    return lines + "".join(f'<path class="level" d="M0 {frame.y(v):.0f}H{_SIDE}"/>' for v, _ in axes.levels)


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
        # A line of no length with a round end is a dot, also where the picture is stretched.
        parts.append(f'<path class="dots {colour}" d="{"".join(f"M{x:.0f} {y:.0f}h0" for x, y in places)}"/>')
    return "".join(parts)
