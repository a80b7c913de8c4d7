"""A demonstration board at OGS: what is drawn there, and who plays on it, as its messages say.

Each message that draws says the whole way from the empty board to what is shown: `!1aa` puts a black stone down and
takes nothing, `!2aa` a white one, `!0aa` makes a point empty. So any game's captures can be shown, and the game can be
read back from the last message. The players and the result are lines of text beside the board.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gtp_variants.bridge.core.server import DrawnMove, ServerMove
from gtp_variants.bridge.ogs import values
from gtp_variants.json_values import Json
from gtp_variants.rules.actions import BLACK, WHITE

# A stone with its colour, a pass, and the points that become empty by it.
_MOVE = re.compile(r"(?:!([12])([a-y]{2})|(\.\.))((?:!0[a-y]{2})*)")
_LINE = re.compile(r"^(Black|White|Result): (.+)$", re.MULTILINE)
_SIDES = {"Black": BLACK, "White": WHITE}


@dataclass(eq=False, slots=True)
class OgsReview:
    """One board."""

    id: int
    size: int = 0
    path: str = ""
    names: dict[int, str] = field(default_factory=dict)
    result: str = ""

    def read(self, message: Json) -> None:
        """Take what was drawn or written; messages of other kinds say nothing of a game."""
        data = message.get("gamedata")
        if isinstance(data, Mapping):
            self.size = int(data["width"])
        if isinstance(message.get("m"), str):
            self.path = message["m"]
        for word, value in _LINE.findall(str(message.get("t") or "")):
            if word in _SIDES:
                self.names[_SIDES[word]] = value
            else:
                self.result = value

    def moves(self) -> tuple[ServerMove, ...]:
        """The moves that were drawn."""
        found: list[ServerMove] = []
        for colour, word, pass_word, _ in _MOVE.findall(self.path):
            last = found[-1][0] if found else WHITE
            found.append((int(colour) if colour else 3 - last, values.vertex_of(word or pass_word, self.size)))
        return tuple(found)

    def path_to(self, count: int) -> str:
        """The way to what was shown after so many moves."""
        return "".join(move[0] for move in list(_MOVE.finditer(self.path))[:count])

    def path_with(self, drawn: DrawnMove) -> str:
        """The way to what is shown after another move."""
        word = values.word_of(drawn.vertex, self.size)
        if drawn.vertex == values.PASS:
            return self.path + word
        gone = [*drawn.gone, *([] if drawn.stands else [drawn.vertex])]
        return f"{self.path}!{drawn.colour}{word}" + "".join(f"!0{values.word_of(each, self.size)}" for each in gone)


def marks_of(vertex: str, size: int) -> Json:
    """What shows the last move."""
    return {} if vertex == values.PASS else {"triangle": values.word_of(vertex, size)}


def names_text(names: Mapping[int, str]) -> str:
    """The players as they are written beside the board."""
    return "\n".join(f"{word}: {names[colour]}" for word, colour in _SIDES.items() if colour in names)


def demo_fields(name: str, size: int, names: Mapping[int, str]) -> Json:
    """What is posted to open a board."""
    return {
        "name": name,
        "rules": "chinese",
        "width": size,
        "height": size,
        "black_name": names.get(BLACK, "Black"),
        "black_ranking": 0,
        "white_name": names.get(WHITE, "White"),
        "white_ranking": 0,
        "black_pro": False,
        "white_pro": False,
        "private": False,
        "komi_auto": "automatic",
    }
