"""Draw the floors of the package and the imports between its folders, read from the sources: docs/images/house.svg.

`python docs/draw_house.py` writes the picture anew; a test fails when it is out of date.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gtp_variants"
PICTURE = ROOT / "docs" / "images" / "house.svg"

# The folders of each floor, from the ground up, in the order they stand, and what each holds in three words or so.
FLOORS = (
    {"base": "files, processes, numbers", "rules": "the games"},
    {"lang": "sentences in two languages", "records": "files and pictures"},
    {"ai": "what thinks"},
    {"players": "seats, clocks, hosted games", "handbook": "the rules in words"},
    {"gtp": "the Go Text Protocol", "training": "self-play and learning", "adapters": "RL frameworks"},
    {
        "terminal": "play in a terminal",
        "site": "the page and the server",
        "arena": "matches",
        "bridge": "a bot on Go servers",
    },
    {"cli": "the commands"},
)
NAMES = ("floor 0", "floor 1", "floor 2", "floor 3", "floor 4", "floor 5", "roof")
COLOURS = ("#e8d8b8", "#d5e3cf", "#cfdfe8", "#dcd5e8", "#e8e4c8", "#ecd6d6", "#e6e0d0")

# Sizes in pixels.
WIDTH, MARGIN, LEFT = 1040, 16, 70
BOX_HEIGHT, ROW = 58, 118


@dataclass(frozen=True, slots=True)
class Box:
    """A folder as it is drawn: its corner, its width, and what is written in it."""

    name: str
    caption: str
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def folders_imported(source: str) -> Iterator[str]:
    """The folders of the package that a module imports from, a name an import."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != PACKAGE.name else [f"{PACKAGE.name}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith(f"{PACKAGE.name}."))


def read_imports() -> set[tuple[str, str]]:
    """Which folder imports from which other."""
    return {
        (folder, there)
        for file in PACKAGE.rglob("*.py")
        for folder in [file.relative_to(PACKAGE).parts[0]]
        for there in folders_imported(file.read_text(encoding="utf-8"))
        if there != folder
    }


def lay_out() -> dict[str, Box]:
    """Where each folder stands."""
    boxes = {}
    for floor, names in enumerate(FLOORS):
        y = MARGIN + (len(FLOORS) - 1 - floor) * ROW
        room = (WIDTH - LEFT - MARGIN) / len(names)
        width = min(room - 14, 300)
        for number, (name, caption) in enumerate(names.items()):
            boxes[name] = Box(name, caption, LEFT + number * room + (room - width) / 2, y, width)
    return boxes


def draw() -> str:
    """The picture as SVG."""
    boxes = lay_out()
    height = MARGIN + len(FLOORS) * ROW - (ROW - BOX_HEIGHT) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, sans-serif" role="img" aria-label="The floors of the package; imports go down">',
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fbfaf7"/>',
    ]
    for floor, name in enumerate(NAMES):
        y = MARGIN + (len(FLOORS) - 1 - floor) * ROW
        parts.append(f'<text x="{MARGIN}" y="{y + BOX_HEIGHT / 2 + 4}" font-size="12" fill="#777">{name}</text>')
    arrows = sorted(read_imports())
    parts += [_arrow(boxes[above], boxes[below]) for above, below in arrows if above in boxes and below in boxes]
    for floor, names in enumerate(FLOORS):
        parts += [_box(boxes[name], COLOURS[floor]) for name in names]
    return "\n".join([*parts, "</svg>\n"])


def _arrow(above: Box, below: Box) -> str:
    """One curve from a folder to another that it imports from."""
    if above.y == below.y:
        lift = BOX_HEIGHT + 26
        path = f"M{above.middle:.0f} {above.y + BOX_HEIGHT} Q{(above.middle + below.middle) / 2:.0f} {above.y + lift} "
        path += f"{below.middle:.0f} {below.y + BOX_HEIGHT}"
    else:
        start, end = above.y + BOX_HEIGHT, below.y
        bend = (end - start) * 0.5
        path = f"M{above.middle:.0f} {start} C{above.middle:.0f} {start + bend:.0f} "
        path += f"{below.middle:.0f} {end - bend:.0f} {below.middle:.0f} {end}"
    return f'<path d="{path}" fill="none" stroke="#556" stroke-opacity="0.3" stroke-width="1.2"/>'


def _box(box: Box, colour: str) -> str:
    place = f'x="{box.x:.0f}" y="{box.y}" width="{box.width:.0f}" height="{BOX_HEIGHT}" rx="6"'
    return (
        f'<g text-anchor="middle"><rect {place} fill="{colour}" stroke="#998"/>'
        f'<text x="{box.middle:.0f}" y="{box.y + 26}" font-size="16" fill="#222">{box.name}/</text>'
        f'<text x="{box.middle:.0f}" y="{box.y + 45}" font-size="11" fill="#555">{escape(box.caption)}</text></g>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    sys.stdout.write(f"{PICTURE}\n")
