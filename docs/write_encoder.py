"""Write what a network sees, plane by plane and feature by feature, from the tables in the code: docs/encoder.md.

`python docs/write_encoder.py` writes the page anew; a test fails when it is out of date.
"""

from pathlib import Path

from gtp_variants.ai.nets.encoding.features import FEATURES
from gtp_variants.ai.nets.encoding.planes import PLANES, Applies
from gtp_variants.ai.nets.encoding.scene import REMEMBERED_TURNS
from gtp_variants.rules import GAMES, game_class, parse

PAGE = Path(__file__).resolve().parent / "encoder.md"

_INTRODUCTION = """\
# What a network sees

`gv.Encoder(rules)` turns a position, or what a seat knows, into planes (a number for each point) and global features
(one number each). `python docs/write_encoder.py` writes this page from the tables in `gtp_variants/ai/nets/encoding/`.

```python
import gtp_variants as gv

rules = gv.parse("aleago:size=9")
encoder = gv.Encoder(rules)
planes, features = encoder.encode(rules.start())  # float32 (planes, points) and (globals,)
levels, features = encoder.encode_levels(rules.start())  # the planes as whole numbers, uint8
assert planes.shape == (len(encoder.planes), len(rules.board)) and encoder.describe("legal")
assert (planes == levels / encoder.scales[:, None].astype("float32")).all()

import numpy as np

picture = np.zeros((len(planes), *encoder.grid))  # (planes, rows, columns), row 0 at the top
picture[:, encoder.cells[:, 0], encoder.cells[:, 1]] = planes
```

* **Colours are relative**: *own* is the side whose view it is, *next* the colour after it, *third* the one after that.
  An open game is seen from the side to move. A `View` of a hidden game is seen from its seat; a `Position` is the
  referee's whole board, as if the side to move saw it.
* **Names** depend on the game and the number of players. Options are features, so one network can serve all of them.
* **History**: `last` and `captured` show the last turn, `last_2` to `last_5` the turns before it. They are empty where
  the past is unknown; training leaves them out now and then. `repeats` shows what earlier boards forbid. A seat of a
  hidden game has the news of its last turns among the features instead.
* **Levels** are whole numbers from 0 to the plane's scale; `encode` divides them by it.
* **Policy indices** (`encoder.actions`) are the points, then PASS and SWAP where the rules have them.
* **Taps** are a point and its neighbours by direction: eight on squares, six on hexagons, three on a honeycomb.
  `gv.symmetries(rules)` gives the permutations that respect them.
"""


def games_with(applies: Applies) -> str:
    """The games to which something applies, in words."""
    names = [name for name in GAMES if any(applies(rules) for rules in map(parse, _specs(name)))]
    return "all" if len(names) == len(GAMES) else ", ".join(names)


def _specs(name: str) -> list[str]:
    most = game_class(name).max_players
    return [name] + [f"{name}:players={most}"] * (most > 2)


def write() -> str:
    """The page."""
    lines = [
        _INTRODUCTION,
        "## Planes",
        "",
        "| plane | scale | games | what it holds | option |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| `{p.name}` | {p.scale} | {games_with(p.applies)} | {p.meaning} | {p.option} |" for p in PLANES]
    lines += [
        "",
        "## Global features",
        "",
        "| feature | range, unit | games | what it is | option |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| `{f.name}` | {f.bounds} | {games_with(f.applies)} | {f.meaning} | {f.option} |"
        for f in FEATURES
        if not f.name.startswith("heard_") or f.name.startswith("heard_1_")
    ]
    lines += [
        "",
        f"`heard_2_...` to `heard_{REMEMBERED_TURNS}_...` are the same of the turns before: the seat's last eight "
        "turns and those of the other side between them. Then comes `KEY=WORD`, 0 or 1, for each choice of each option "
        "that changes what happens, such as `repetition=ssk`. Where a whole position is encoded, what only a seat "
        "remembers is 0.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(write(), encoding="utf-8")
    print(PAGE)
