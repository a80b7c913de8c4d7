"""The reference pictures, kept as files for inspection. `python -m tests.records.drawing.golden` redraws them.

Run this in the root folder of a checkout, look at the changes on a light and a dark page, then commit them and say why.
"""

from functools import cache
from pathlib import Path

from gtp_variants.records.drawing.svg import svg
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game, random_game
from tests.records.games import game

FOLDER = Path(__file__).resolve().parent / "golden"


@cache
def pictures() -> dict[str, str]:
    """Return the pictures as SVG, by name."""
    phantom = game(
        "phantom:lang=fr", "b E5, w E5, w D4, b F4, w F4, w E4, b D5, w D3, b C4, w D5, w G7, b D4, b G5, w E5, w G5"
    )
    found = {
        "go": _drawn(random_game(parse("go"), 3, 90)),
        "aleago": _drawn(
            game("aleago", "chance 3, b C3, chance 4, w K4, chance 6, b F6, chance 2, w L12, chance 5, b J9, chance 6")
        ),
        "aleago-two-dice": _drawn(
            game("aleago:size=19,dice=2d6,lang=fr", "chance 3 4, b G7, chance 2 1, w C17, chance 5 3")
        ),
        "phantom": _drawn(phantom),
        "phantom-white": _drawn(phantom, WHITE),
        "rosette": _rosette(),
        "rosette-small": _drawn(random_game(parse("rosette:n=3"), 5, 30)),
        "alter-igo": _drawn(random_game(parse("alter-igo:width=9,height=7"), 5, 40)),
        "pentalath": _five(),
        "pentalath-three": _drawn(random_game(parse("pentalath:board=hexhex5,players=3"), 8, 30)),
    }
    return {f"{name}.svg": text for name, text in found.items()}


def _drawn(played: Game, seat: int | None = None) -> str:
    view = None if seat is None else played.rules.view(played.heard(seat), seat)
    return svg(played.rules, played.position, view)


def _rosette() -> str:
    """Return the picture of a game in which each colour has an immune chain."""
    rules = parse("rosette")
    board = rules.board
    black, white = board.faces[63], board.faces[38]
    stones = {**dict.fromkeys(black, BLACK), **dict.fromkeys(white, WHITE)}
    tails = [next(n for n in board.neighbours[face[-1]] if n not in stones) for face in (black, white)]
    stones |= {tails[0]: BLACK, tails[1]: WHITE}
    rest = random_game(rules, 7, 60).position.stones
    near = {n for point in stones for n in board.neighbours[point]}
    others = {p: colour for p, colour in enumerate(rest) if colour and p not in stones and p not in near}
    return _drawn(Game(rules, {**others, **stones}))


def _five() -> str:
    """Return the picture of a row of five completed by the last stone."""
    return _drawn(game("pentalath", "w D4, b C3, w E4, b F5, w F4, b E3, w H6, b G4, w C4, b D3, w B4"))


if __name__ == "__main__":
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
