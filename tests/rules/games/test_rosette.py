"""Rosette: go on the vertices of a honeycomb (rules.md 3; 002_de0d3e2916539ccb.txt).

The diagrams show the sheared grid on which the board lies: the lines from a point go left, right, up, down, up to the
right and down to the left, as far as there are points; the blanks inside are the middles of the hexagons.
"""

from typing import Any

import pytest

from gtp_variants.records.state import describe_position
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from tests.boards import begin, drawn, legal, picture, played, reason, refusal

SMALL = "rosette:n=2"


def immune(rules: Rules, position: Any) -> str:
    return " ".join(describe_position(rules, position)["immune"])


# -- go on a honeycomb -------------------------------------------------------------------------------------------------


def test_the_default_game() -> None:
    """rules.md 3.2: "Black first ... komi 7.5; two passes end; area score"."""
    rules = parse("rosette")
    start = rules.start()
    assert (start.mover, len(rules.actions(start))) == (BLACK, 294 + 1)
    assert rules.outcome(played(rules, start, "pass pass")) == Outcome(WHITE, "score", 7.5)
    assert rules.outcome(played(rules, start, "A7 pass pass")) == Outcome(BLACK, "score", 294 - 7.5)


def test_a_stone_surrounded_on_three_sides_is_taken() -> None:
    """002_de0d3e2916539ccb.txt: "la vulnérabilité des pions, qu'il suffit d'entourer de 3 côtés"."""
    rules = parse(SMALL)
    diagram = """
                . .
            . .   . .
          .   . .   .
          . .   X .
        .   X O   .
        . .   . .
          . .
        """
    position = played(rules, begin(rules, diagram), "D2x")
    assert picture(rules.board, position.stones) == drawn(
        """
                . .
            . .   . .
          .   . .   .
          . .   X .
        .   X .   .
        . .   X .
          . .
        """
    )
    assert reason(rules, position, "D3") == "suicide"


def test_a_chain_goes_along_the_lines() -> None:
    """002_de0d3e2916539ccb.txt: "Deux intersections sont dites voisines quand elles sont sur la même ligne"."""
    rules = parse(SMALL)
    diagram = """
                . .
            . .   . .
          .   . .   .
          . .   . .
        .   . .   .
        X O   . .
          O X
    """
    # C1 and D2 touch; A2 and B2 touch; B1 and B2 are one chain with a liberty at C3.
    position = played(rules, begin(rules, diagram), "C3x")
    assert picture(rules.board, position.stones) == drawn(
        """
                . .
            . .   . .
          .   . .   .
          . .   . .
        .   X .   .
        X .   . .
          . X
        """
    )


def test_territory_is_bounded_by_one_colour() -> None:
    """[R-5]; "délimitées par des pierres de même couleur"."""
    rules = parse("rosette:n=1,komi=0")
    diagram = """
          O .
        .   X
        X .
    """
    # Only Black borders on B1; A2 and C3 border on both colours.
    assert rules.standing(begin(rules, diagram)) == Outcome(BLACK, "score", 2)


# -- the rosette -------------------------------------------------------------------------------------------------------

RING = """
                . .
            . O   . .
          .   X X   .
          O X   X O
        .   X X   .
        . O   O .
          . .
"""
RING_FILLED = """
                . .
            . O   O .
          .   X X   .
          O X   X O
        .   X X   .
        . O   O .
          . .
"""
RING_GONE = """
                . .
            . O   O .
          .   . .   .
          O .   . O
        .   . .   .
        . O   O .
          . .
"""


def test_a_rosette_is_never_captured() -> None:
    """rules.md 3.2, 3.3; "une disposition imprenable : l'hexagone constitué de 6 pions d'une même couleur"."""
    rules = parse(SMALL)
    position = played(rules, begin(rules, RING, WHITE), "F6")
    assert picture(rules.board, position.stones) == drawn(RING_FILLED)
    assert immune(rules, position) == "C3 C4 D3 D5 E4 E5"
    # The rosette stays immune as play continues, and its stones count.
    position = played(rules, position, "pass G6 pass A2")
    assert position.stones.count(BLACK) == 6


def test_without_immunity_it_is_a_chain_like_others() -> None:
    """rules.md 3.3: "`false` = plain go, only as an analysis option"."""
    rules = parse(f"{SMALL},immunity=false")
    position = played(rules, begin(rules, RING, WHITE), "F6x")
    assert picture(rules.board, position.stones) == drawn(RING_GONE)
    assert immune(rules, begin(rules, RING)) == ""


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        pytest.param(
            """
                . .
            . O   O .
          .   X O   .
          O X   X O
        .   X X   .
        . O   . .
          . .
            """,
            "D2x",
            """
                . .
            . O   O .
          .   . O   .
          O .   . O
        .   . .   .
        . O   O .
          . .
            """,
            id="a mixed hexagon gives nothing",
        ),
        pytest.param(
            """
                . .
            . O   O .
          .   X .   .
          O X   X O
        .   X X   .
        . O   O .
          . .
            """,
            "E5x",
            """
                . .
            . O   O .
          .   . O   .
          O .   . O
        .   . .   .
        . O   O .
          . .
            """,
            id="five of six give nothing",
        ),
    ],
)
def test_anything_less_than_a_ring_of_six_gives_nothing(before: str, move: str, after: str) -> None:
    """rules.md 3.3: "Any 5 of 6, or a mixed hexagon, gives nothing"."""
    rules = parse(SMALL)
    position = played(rules, begin(rules, before, WHITE), move)
    assert picture(rules.board, position.stones) == drawn(after)


def test_every_stone_connected_to_a_rosette_lives_with_it() -> None:
    """rules.md 3.3; "survit avec tous les pions d'une même couleur qui lui sont connectés"."""
    rules = parse(SMALL)
    diagram = """
                . .
            . O   . .
          .   X X   .
          O X   X O
        .   X X   .
        O X   O .
          X O
    """
    position = played(rules, begin(rules, diagram, WHITE), "F6")
    assert immune(rules, position) == "B1 B2 C3 C4 D3 D5 E4 E5"
    assert position.stones.count(BLACK) == 8
    plain = parse(f"{SMALL},immunity=false")
    assert played(plain, begin(plain, diagram, WHITE), "F6x").stones.count(BLACK) == 0


def test_stones_of_another_chain_do_not_live_with_it() -> None:
    """rules.md 3.3: ""connected to it" = same chain"."""
    rules = parse(SMALL)
    diagram = """
                . .
            . O   O .
          .   X X   .
          O X   X O
        .   X X   .
        X O   O .
          . .
    """
    position = played(rules, begin(rules, diagram, WHITE), "A3x")
    assert [rules.board.vertex(point) for point in position.captured] == ["A2"]
    assert immune(rules, position) == "C3 C4 D3 D5 E4 E5"


def test_other_chains_fall_by_the_stone_that_fills_a_rosette() -> None:
    """rules.md 3.2: "enemy chains without liberty *and without rosette* are removed"."""
    rules = parse(SMALL)
    diagram = """
                O X
            . O   . O
          .   X X   .
          O X   X O
        .   X X   .
        . O   O .
          . .
    """
    position = played(rules, begin(rules, diagram, WHITE), "F6x")
    assert [rules.board.vertex(point) for point in position.captured] == ["F7"]
    assert immune(rules, position) == "C3 C4 D3 D5 E4 E5"


def test_filling_the_last_liberty_of_a_rosette_needs_a_liberty() -> None:
    """rules.md 3.3: "legal only if the stone has a liberty (or captures something else)"."""
    rules = parse(SMALL)
    # F7 is a one-point eye of a chain with a rosette. The enemy can never fill it, not even as the last liberty.
    assert reason(rules, begin(rules, EYE, WHITE), "F7") == "suicide"
    assert reason(rules, begin(rules, EYE_LAST, WHITE), "F7") == "suicide"
    assert rules.board.point("F7") not in rules.legal(begin(rules, EYE_LAST, WHITE))
    plain = parse(f"{SMALL},immunity=false")
    assert len(played(plain, begin(plain, EYE_LAST, WHITE), "F7x").captured) == 9


EYE = """
                X .
            . X   X .
          .   X X   .
          . X   X .
        .   X X   .
        . O   O .
          . .
"""
EYE_LAST = """
                X .
            O X   X O
          .   X X   .
          O X   X O
        .   X X   .
        . O   O .
          . .
"""

LAST_LIBERTY = """
                . O
            . O   . O
          .   X X   .
          O X   X O
        .   X X   .
        . O   O .
          . .
"""
FIVE_AND_NO_LIBERTY = """
                . .
            . O   O .
          .   X .   .
          O X   X O
        .   X X   .
        . O   O .
          . .
"""


@pytest.mark.parametrize(
    ("diagram", "vertex"),
    [
        pytest.param(LAST_LIBERTY, "F6", id="the last liberty of one's own rosette"),
        pytest.param(FIVE_AND_NO_LIBERTY, "E5", id="the sixth stone"),
    ],
)
def test_r1_filling_ones_own_last_liberty(diagram: str, vertex: str) -> None:
    """[R-1]: "un joueur ne doit pas construire une chaîne sans liberté, sauf si par ce coup il capture"."""
    rules = parse(SMALL)
    assert reason(rules, begin(rules, diagram), vertex) == "suicide"
    assert vertex not in legal(rules, begin(rules, diagram)).split()
    rules = parse(f"{SMALL},rosette_suicide=legal")
    assert vertex in legal(rules, begin(rules, diagram)).split()
    position = played(rules, begin(rules, diagram), vertex)
    assert set(immune(rules, position).split()) >= {"C3", "C4", "D3", "D5", "E4", "E5"}
    # Without immunity there is no rosette whose stones could remain.
    rules = parse(f"{SMALL},rosette_suicide=legal,immunity=false")
    assert reason(rules, begin(rules, diagram), vertex) == "suicide"


@pytest.mark.parametrize("option", ["illegal", "legal"])
def test_r1_other_suicide_stays_illegal(option: str) -> None:
    rules = parse(f"{SMALL},rosette_suicide={option}")
    assert reason(rules, begin(rules, EYE_LAST, WHITE), "F7") == "suicide"


def test_r1_the_sixth_stone_may_capture() -> None:
    """[R-1]: "sauf si par ce coup il capture"."""
    rules = parse(SMALL)
    diagram = """
                . X
            . O   O X
          .   X .   .
          O X   X O
        .   X X   .
        . O   O .
          . .
    """
    position = played(rules, begin(rules, diagram), "E5x")
    assert immune(rules, position) == "C3 C4 D3 D5 E4 E5"
    assert [rules.board.vertex(point) for point in position.captured] == ["F6"]


def test_the_smallest_board_is_one_hexagon() -> None:
    rules = parse("rosette:n=1,komi=0")
    position = played(rules, rules.start(), "A1 pass B1 pass C2 pass C3 pass B3 pass")
    assert reason(rules, position, "A2") == "suicide"
    legal_rules = parse("rosette:n=1,komi=0,rosette_suicide=legal")
    position = played(legal_rules, legal_rules.start(), "A1 pass B1 pass C2 pass C3 pass B3 pass A2")
    assert immune(legal_rules, position) == "A1 A2 B1 B3 C2 C3"
    assert legal_rules.actions(position) == (PASS,)
    assert legal_rules.standing(position) == Outcome(BLACK, "score", 6)


def test_stones_of_a_living_chain_without_liberties_count() -> None:
    """rules.md 3.2: "stones of living zero-liberty chains count as stones"."""
    rules = parse(f"{SMALL},komi=0")
    # White has six stones and everything around them, Black has six stones.
    assert rules.standing(begin(rules, RING_FILLED)) == Outcome(WHITE, "score", 18 - 6)


# -- repetition --------------------------------------------------------------------------------------------------------

KO = """
                . .
            . O   . .
          .   . O   .
          X O   . .
        .   X .   .
        . .   . .
          . .
"""
KO_WHITE_OPEN = """
                . .
            . O   . .
          .   . .   .
          X O   . .
        .   X .   .
        . .   . .
          . .
"""
KO_BLACK_OPEN = """
                . .
            . O   . .
          .   . O   .
          . O   . .
        .   X .   .
        . .   . .
          . .
"""


def test_a_ko_on_the_honeycomb() -> None:
    """rules.md 3.4: "Ko exists on this grid (degree 3)"."""
    rules = parse(SMALL)
    position = played(rules, begin(rules, KO_WHITE_OPEN, WHITE), "E5 D5x")
    assert refusal(rules, position, "C4").reason == "repetition"
    played(rules, position, "A2 E2 C4x")


@pytest.mark.parametrize(("repetition", "refused"), [("nssk", False), ("ssk", True), ("psk", True), ("simple", True)])
def test_r2_only_boards_a_player_made_himself_by_placing(repetition: str, refused: bool) -> None:
    """[R-2]: "ne doit pas donner un état identique à l'un de ceux qu'il lui avait déjà donné"."""
    rules = parse(f"{SMALL},repetition={repetition}")
    position = played(rules, begin(rules, KO_BLACK_OPEN), "B4 pass D5x")
    if refused:
        assert reason(rules, position, "C4") == "repetition"
    else:
        played(rules, position, "C4x")


def test_r2_nssk_is_the_default() -> None:
    assert "repetition=nssk" in parse("rosette").spec


def test_a_board_set_up_was_made_by_nobody() -> None:
    """[R-2]: only placements count."""
    rules = parse(SMALL)
    played(rules, begin(rules, KO), "D5x C4x")


# -- supply, dead stones, komi -----------------------------------------------------------------------------------------


def test_r3_a_supply_limits_the_stones_on_the_board() -> None:
    """[R-3]: "`supply=150` = at most 150 of a colour on the board, then only pass"."""
    rules = parse(f"{SMALL},supply=2")
    position = played(rules, rules.start(), "A2 B2 F7 F6")
    assert rules.actions(position) == (PASS,)
    error = refusal(rules, position, "D3")
    assert (error.reason, error.sentence) == ("supply", "Black has no stone left")
    assert reason(rules, position, "A2") == "occupied"
    # Captured stones go back to their owner.
    diagram = """
                . .
            . .   . .
          .   . .   .
          . .   . .
        .   . .   .
        X .   . .
          . X
    """
    position = played(rules, begin(rules, diagram, WHITE), "B2 pass A3x")
    assert len(rules.actions(position)) > 1


def test_r3_no_limit_by_default() -> None:
    """[R-3] (a): "equipment only, captured pawns go back"."""
    assert "supply=none" in parse("rosette").spec


def test_r4_dead_stones_count_unless_both_agree() -> None:
    """[R-4]: "Default: count what is on the board; `dead=` by agreement"."""
    rules = parse(f"{SMALL},dead=agreed,komi=0")
    position = played(rules, begin(rules, RING_FILLED), "pass pass")
    assert rules.outcome(position) == Outcome(WHITE, "score", 12)
    marked = rules.play(position, -6 - 16 * rules.board.point("D5"))
    assert rules.outcome(marked) == Outcome(WHITE, "score", 24)


def test_r7_komi_is_an_option() -> None:
    """[R-7]: "komi only in even games; option `komi`"."""
    rules = parse("rosette:komi=0")
    assert rules.outcome(played(rules, rules.start(), "pass pass")) == Outcome(None, "score")


@pytest.mark.parametrize(("n", "points"), [(5, 150), (6, 216)])
def test_smaller_boards(n: int, points: int) -> None:
    """rules.md 3.4: "Smaller boards n=5 (150), 6 (216) exist at MindSports: option `n`"."""
    assert len(parse(f"rosette:n={n}").board) == points
