"""OGS's values and ours: points, results, rules, people, and how clocks are read.

The server tells a clock as it was when the last move was made. What has gone since is counted by the server's own time.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.base.json_values import Json
from gtp_variants.errors import PeerGarbled
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.board import column_name, read_vertex

PASS = "pass"
COLOURS = {"black": BLACK, "white": WHITE}
# Two letters a point, of which there are 25 of either kind at most; `..` is a pass.
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_PASSES = ".."
_POINTS = re.compile(r"(\d+(?:\.\d+)?) points?")
_HOW = {"resignation": "R", "timeout": "T", "time": "T", "disconnection": "T"}
# The server's repetition rules in our words: those that it settles by itself forbid no more than a simple ko.
_REPETITIONS = {"psk": "psk", "csk": "psk", "ssk": "ssk"}


def word_of(vertex: str, size: int) -> str:
    """A vertex or `pass` as the server writes it: column and row from the top left, `..` for a pass."""
    if vertex == PASS:
        return _PASSES
    x, y = read_vertex(vertex)
    return _LETTERS[x] + _LETTERS[size - 1 - y]


def vertex_of(word: str, size: int) -> str:
    """The vertex of two letters, or `pass`. Raises PeerGarbled."""
    if word == _PASSES:
        return PASS
    if len(word) != 2 or any(letter not in _LETTERS[:size] for letter in word):
        raise PeerGarbled(f"{word[:10]!r}: expected two letters, or {_PASSES}")
    return f"{column_name(_LETTERS.index(word[0]))}{size - _LETTERS.index(word[1])}"


def vertices_of(words: object, size: int) -> tuple[str, ...]:
    """The vertices of a text of two letters each, those that are none left out."""
    text = words if isinstance(words, str) else ""
    pairs = (text[start : start + 2] for start in range(0, len(text) - 1, 2))
    return tuple(vertex_of(pair, size) for pair in pairs if all(letter in _LETTERS[:size] for letter in pair))


def move_of(move: object, size: int) -> str:
    """The vertex of a move in the list of a game, or `pass`: `[x, y, milliseconds, ...]`. Raises PeerGarbled."""
    if isinstance(move, Mapping):
        move = [move.get("x"), move.get("y")]
    if isinstance(move, str):
        return vertex_of(move, size)
    if not isinstance(move, Sequence) or len(move) < 2 or not all(isinstance(each, int) for each in move[:2]):
        raise PeerGarbled(f"{str(move)[:40]}: expected a move, [x, y, milliseconds]")
    x, y = move[:2]
    if x < 0 or y < 0:
        return PASS
    if x >= size or y >= size:
        raise PeerGarbled(f"{str(move)[:40]}: off the board")
    return f"{column_name(x)}{size - y}"


def result_of(data: Json, players: Mapping[int, int]) -> str:
    """The result of a game that is over as an SGF `RE`; `players` are the ids by colour. "" where nothing is told."""
    outcome = str(data.get("outcome") or "").strip()
    if not outcome:
        return ""
    if outcome.lower().startswith("cancel") or data.get("annulled"):
        return "Void"
    colour = next((each for each, player in players.items() if player == data.get("winner")), None)
    points = _POINTS.search(outcome)
    if colour is None:
        return "0" if points or "tie" in outcome.lower() or "draw" in outcome.lower() else "Void"
    # Whatever else there is, such as a moderator's decision, is nobody's resignation.
    how = points[1] if points else _HOW.get(outcome.lower().split()[0], "F")
    return f"{'B' if colour == BLACK else 'W'}+{how}"


def go_options(data: Json) -> dict[str, str]:
    """Return the server's rules as options of our Go."""
    algorithm = data.get("superko_algorithm")
    return {"repetition": _REPETITIONS.get(str(algorithm), "simple")} if algorithm else {}


def rank_of(user: Mapping[str, object]) -> float | None:
    """The rank in what is told of a user, 30 for 1 dan; None where there is none."""
    rank = user.get("ranking")
    return float(rank) if isinstance(rank, int | float) else None


def is_program(user: Mapping[str, object]) -> bool:
    """Return True if the server marks a user as a bot; its mark is a guess from those of moderators and beginners."""
    return "bot" in str(user.get("ui_class", "")).split()


@dataclass(slots=True)
class OgsPeople:
    """The accounts we know by name, with their ids and their languages; `me` is our own id."""

    me: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    langs: dict[str, str] = field(default_factory=dict)

    def langs_of(self, names: Iterable[str]) -> dict[str, str]:
        """The languages, by name, that are known."""
        return {name: self.langs[name] for name in names if name in self.langs}
