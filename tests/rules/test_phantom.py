"""Go Fantôme: one true board, the referee's, and what he says of it (rules.md 2; 001_d6d69fd415a28a9d.txt)."""

from typing import Any

import pytest

from gtp_variants.errors import NotationError
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.rules import (
    BLACK,
    CHANCE,
    FORFEIT,
    PASS,
    RESIGN,
    RESUME,
    SETTLE,
    TURN,
    WHITE,
    News,
    Outcome,
    Position,
    Rules,
    Said,
    View,
)
from tests.boards import begin, drawn, legal, picture, played, setup, vertices

GAMES = ["phantom:size=5", "phantom:size=5,impossible=private", "phantom:size=3,repetition=none", "phantom:size=4,atari=all"]


def spoken(rules: Rules[Any], position: Any) -> list[str]:
    """What the referee said after the last try."""
    return [item["text"] for item in rules.describe_state(position)["announcements"]]


def tried(rules: Rules[Any], position: Any, vertex: str) -> Any:
    """The position after a try that must be refused."""
    after = rules.play(position, rules.board.point(vertex))
    assert (after.mover, after.turn, after.stones) == (position.mover, position.turn, position.stones)
    assert [said.code for said in after.said] == ["impossible"]
    return after


# -- the announcements -------------------------------------------------------------------------------------------------

NOTHING = """
    . . . . .
    . . . . .
    . . . . .
    . . . . .
    . . . . .
"""
ONE_CAPTURED = """
    . X . . .
    X O . . .
    . X . . .
    . . . . .
    . . . . .
"""
THREE_CAPTURED = """
    . X . . .
    X O X . .
    X O O . .
    . X X . .
    . . . . .
"""
ONE_IN_ATARI = """
    . . . . .
    X O . . .
    . X . . .
    . . . . .
    . . . . .
"""
# Chains of one and of two that lose their last liberty but one together.
THREE_IN_ATARI = """
    . X . . .
    . O . O X
    . X . O X
    . . . X .
    . . . . .
"""
SELF_ATARI = """
    . X . . .
    . . . . .
    . . . . .
    . . . . .
    . . . . .
"""
EVERYTHING = """
    . X O . .
    X O . O .
    X O O . O
    X X O O .
    . . X X .
"""

SENTENCES = [
    (NOTHING, BLACK, "C3", ["Black has played"], ["Noir a joué"]),
    (NOTHING, WHITE, "C3", ["White has played"], ["Blanc a joué"]),
    (NOTHING, BLACK, "pass", ["Black passes"], ["Noir passe"]),
    (NOTHING, WHITE, "pass", ["White passes"], ["Blanc passe"]),
    (ONE_CAPTURED, BLACK, "C4x", ["Black plays and captures 1 white stone"], ["Noir joue et capture 1 pierre blanche"]),
    (
        THREE_CAPTURED,
        BLACK,
        "D3x",
        ["Black plays and captures 3 white stones"],
        ["Noir joue et capture 3 pierres blanches"],
    ),
    (
        ONE_IN_ATARI,
        BLACK,
        "B5",
        ["Black plays and puts 1 white stone in atari"],
        ["Noir joue et met 1 pierre blanche en atari"],
    ),
    (
        THREE_IN_ATARI,
        BLACK,
        "C4",
        ["Black plays and puts 3 white stones in atari"],
        ["Noir joue et met 3 pierres blanches en atari"],
    ),
    (SELF_ATARI, WHITE, "A5", ["White plays and puts itself in atari"], ["Blanc joue et se met en atari"]),
]


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize(("diagram", "mover", "move", "english", "french"), SENTENCES)
def test_what_the_referee_says(
    diagram: str, mover: int, move: str, english: list[str], french: list[str], lang: str
) -> None:
    """rules.md 2.1.3, [F-2]; 001_d6d69fd415a28a9d.txt, "Annonces possibles de l'arbitre"."""
    rules = parse(f"phantom:size=5,lang={lang}")
    position = played(rules, begin(rules, diagram, mover), move)
    assert spoken(rules, position) == (english if lang == "en" else french)


def mirrored(diagram: str) -> str:
    return diagram.translate(str.maketrans("XO", "OX"))


@pytest.mark.parametrize(
    ("diagram", "move", "english", "french"),
    [
        (ONE_CAPTURED, "C4x", "White plays and captures 1 black stone", "Blanc joue et capture 1 pierre noire"),
        (THREE_CAPTURED, "D3x", "White plays and captures 3 black stones", "Blanc joue et capture 3 pierres noires"),
        (ONE_IN_ATARI, "B5", "White plays and puts 1 black stone in atari", "Blanc joue et met 1 pierre noire en atari"),
        (THREE_IN_ATARI, "C4", "White plays and puts 3 black stones in atari", "Blanc joue et met 3 pierres noires en atari"),
    ],
)
def test_what_the_referee_says_of_black_stones(diagram: str, move: str, english: str, french: str) -> None:
    """rules.md 2.1.3: "(Same with Blanc / noire(s).)"."""
    for lang, sentence in (("en", english), ("fr", french)):
        rules = parse(f"phantom:size=5,lang={lang}")
        position = played(rules, begin(rules, mirrored(diagram), WHITE), move)
        assert spoken(rules, position) == [sentence]


# C4 takes D4 and gives atari to B4 - and has, D4's point apart, no liberty itself.
ALL_THREE = """
    . O X . .
    O . . X .
    . O O . .
    . . . . .
    . . . . .
"""


def test_f2_every_sentence_that_applies_in_order() -> None:
    """[F-2] and rules.md 2.1.3: "in the order capture, enemy atari, own atari"."""
    diagram = """
        . . O X .
        . O . O X
        . X O X .
        . . X . .
        . . . . .
    """
    # Black C4 takes D4's last liberties but one ... it captures C3 and C5? Only what the diagram says.
    rules = parse("phantom:size=5,lang=fr")
    position = played(rules, begin(rules, diagram), "C4x")
    assert [said.code for said in position.said] == ["captured", "self_atari"]
    joined = parse("phantom:size=5,lang=fr,announce=joined")
    assert spoken(rules, position) == spoken(joined, position)


def test_refused_tries() -> None:
    assert ALL_THREE
"""
"""
