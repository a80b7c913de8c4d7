"""A training run's page, a single file that reloads itself. It shows losses, games, strength and sample games."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gtp_variants.base.json_values import Json

_RELOAD_S = 15
# As wide as a phone, so that labels keep their size there.
_WIDTH, _HEIGHT = 360, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 10, 10, 28
_LINE = 16
_COLOURS = 5
PAGE_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1a; --faint: #73736c; --line: #d9d9d2; --paper: #fcfcf8;
  --c0: #2563ad; --c1: #c2571a; --c2: #2e8b57; --c3: #8b4a9c; --c4: #7a6a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e3; --faint: #96968e; --line: #3d3d39; --paper: #1a1a18;
  --c0: #6aa9f4; --c1: #f0915a; --c2: #5cc48b; --c3: #c592d6; --c4: #cdbb45; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
.faint { color: var(--faint); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 0 1.5rem; }
svg.plot { width: 100%; max-width: 32rem; height: auto; }
svg.plot text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg.plot .axis { stroke: var(--line); } svg.plot polyline { fill: none; stroke-width: 2; }
table { border-collapse: collapse; } td, th { padding: 0 1.5rem 0 0; text-align: left; vertical-align: top; }
td:last-child { overflow-wrap: anywhere; }
@media (max-width: 40rem) { td, th { padding-right: .6rem; font-size: 14px; } }
.games { display: flex; flex-wrap: wrap; gap: 1rem; } .games a { width: 12rem; }
.games svg { width: 100%; height: auto; }
"""


@dataclass(frozen=True, slots=True)
class SampleGame:
    """A sample game: the file in which to replay it, its last position as SVG, and a caption."""

    file: str
    picture: str
    caption: str


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A named line in a plot. Its points are (x, y, low, high); `low` and `high` are the ends of the error bar."""

    name: str
    points: Sequence[tuple[float, float, float, float]]


def progress_page(title: str, history: Sequence[Json], strengths: str, games: Sequence[SampleGame]) -> str:
    """Return the page for the rows of `Trainer.history`. `strengths` is HTML with the results of matches."""
    last = history[-1] if history else None
    said = "It has not finished an iteration yet."
    if last:
        hours = (last["self_play_s"] + last["learning_s"]) / 3600
        said = (
            f"Iteration {last['iteration']}: {last['games']:,} games, {last['positions']:,} positions, "
            f"{hours:.2f} processor hours. The window holds {last['window']:,} positions; the step is {last['rate']:g}."
        )
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="refresh" content="{_RELOAD_S}"><title>{escape(title)}</title>',
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{PAGE_STYLE}</style></head><body>',
        f'<h1>{escape(title)}</h1><p class="faint">{said}</p>',
    ]
    parts.append(strengths)
    if len(history) > 1:
        parts.append('<div class="plots">')
        parts += [
            f"<div><h2>{head}</h2>{plot(curves, 'positions', unit)}</div>" for head, unit, curves in _curves(history)
        ]
        parts.append("</div>")
    if games:
        parts.append('<h2>Games of the latest iteration</h2><div class="games">')
        parts += [f'<a href="{escape(each.file)}">{each.picture}{escape(each.caption)}</a>' for each in games]
        parts.append("</div>")
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _curves(history: Sequence[Json]) -> list[tuple[str, str, list[PlotLine]]]:
    def over_positions(name: str, rows: Sequence[Json], values: Sequence[float]) -> PlotLine:
        pairs = zip(rows, values, strict=True)
        return PlotLine(name, [(row["positions"], value, value, value) for row, value in pairs])

    names = [name for name in history[0]["losses"] if any(row["losses"][name] for row in history)]
    # Older versions did not measure unseen games.
    told = [row for row in history if row.get("unseen")]
    plots = []
    for name in names:
        lines = [over_positions("learnt from" if told else "", history, [row["losses"][name] for row in history])]
        if told:
            lines.append(over_positions("unseen games", told, [row["unseen"][name] for row in told]))
        plots.append((f"Loss of the {name.replace('_', ' ')}", "nats", lines))
    before = [{"games": 0, "positions": 0}, *history[:-1]]
    lengths = [
        (row["positions"] - old["positions"]) / (row["games"] - old["games"])
        for old, row in zip(before, history, strict=True)
    ]
    return [*plots, ("Positions searched in a game", "positions", [over_positions("", history, lengths)])]


def plot(curves: Sequence[PlotLine], below: str, left: str) -> str:
    """Return the lines as SVG on common axes, with a legend for the named ones."""
    points = [point for curve in curves for point in curve.points]
    if not points:
        return ""
    low_x, high_x = min(x for x, *_ in points), max(x for x, *_ in points)
    low_y, high_y = min(low for _, _, low, _ in points), max(high for *_, high in points)
    span_x, span_y = (high_x - low_x) or 1, (high_y - low_y) or 1
    named = [curve.name for curve in curves if curve.name]
    top, bottom, right = _TOP + _LINE * len(named), _HEIGHT - _BOTTOM, _WIDTH - _RIGHT

    def place(x: float, y: float) -> tuple[float, float]:
        across = _LEFT + (x - low_x) / span_x * (right - _LEFT)
        return round(across, 1), round(top + (high_y - y) / span_y * (bottom - top), 1)

    parts = [
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" '
        f'aria-label="{left} over {below}">',
        f'<path class="axis" fill="none" d="M{_LEFT},{top}V{bottom}H{right}"/>',
        f'<text x="{_LEFT - 6}" y="{top + 8}" text-anchor="end">{_short(high_y)}</text>',
        f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">{_short(low_y)}</text>',
        f'<text x="{_LEFT}" y="{_HEIGHT - 10}">{_short(low_x)}</text>',
        f'<text x="{right}" y="{_HEIGHT - 10}" text-anchor="end">{_short(high_x)} {below}</text>',
    ]
    for number, curve in enumerate(curves):
        colour = f"var(--c{number % _COLOURS})"
        places = [place(x, y) for x, y, *_ in curve.points]
        line = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f'<g stroke="{colour}" fill="{colour}"><polyline points="{line}"/>')
        for (x, y), (at, value, low, high) in zip(places, curve.points, strict=True):
            if low < high:
                parts.append(f'<path d="M{x},{place(at, low)[1]}V{place(at, high)[1]}"/>')
            # A line with a single point would be invisible.
            if low < high or len(places) == 1:
                parts.append(f'<circle cx="{x}" cy="{y}" r="3"><title>{_short(value)}</title></circle>')
        parts.append("</g>")
    parts += [
        f'<text x="{_LEFT}" y="{_LINE * (number + 1)}" style="fill:var(--c{number % _COLOURS})">{escape(name)}</text>'
        for number, name in enumerate(named)
    ]
    return "".join([*parts, "</svg>"])


def _short(value: float) -> str:
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g}M"
    if abs(value) >= 1e4:
        return f"{value / 1e3:.3g}k"
    # From 999.5 upwards `.3g` would round to four digits and use an exponent.
    return f"{value:.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
