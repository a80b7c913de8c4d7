"""Pentalath: five in a row with Go's captures, on hexagons (rules.md 5; 004_245878c87de04f55.txt).

The diagrams show the sheared grid: a cell touches those to its left and right, above and below, up to the right and
down to the left. Lines of five run along rows, columns and that diagonal.
"""

from typing import Any

import pytest

from gtp_variants.errors import IllegalMove, SpecError
from gtp_variants.records.state import describe_position
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, FLAG, FORFEIT, PASS, RED, RESIGN, SWAP, TURN, WHITE
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from tests.boards import begin, drawn, legal, picture, played, reason, setup


def corner(diagram: str) -> str:
    """Return a diagram that shows the acute corner on the left; the rest of the board is empty."""
    rows = drawn(diagram).split("\n")
    return "\n".join(f"{row}{' .' * 13}"[: 25 - 2 * y] for y, row in enumerate(rows + ["."] * (7 - len(rows))))


def line(rules: Rules, position: Any) -> str:
    return " ".join(describe_position(rules, position)["line"])


# -- placing -----------------------------------------------------------------------------------------------------------


def test_white_begins_on_an_empty_board_and_nobody_passes() -> None:
    """rules.md 5.1.3; "The board starts empty. White plays first. ... Passing is not allowed"."""
    rules = parse("pentalath")
    position = rules.start()
    assert picture(rules.board, position.stones) == drawn(corner("."))
    assert (position.mover, rules.colours, len(rules.actions(position))) == (WHITE, (WHITE, BLACK), 70)
    assert reason(rules, position, "pass") == "no pass"
    assert reason(rules, position, "b:A1") == reason(rules, position, "r:A1") == "not your turn"
    position = played(rules, position, "D4")
    assert position.mover == BLACK
    assert reason(rules, position, "D4") == "occupied"


# -- five in a row -----------------------------------------------------------------------------------------------------

FIVES = [
    pytest.param("D4 E4 F4 G4", "H4", "D4 E4 F4 G4 H4", id="along a row"),
    pytest.param("D4 E4 G4 H4", "F4", "D4 E4 F4 G4 H4", id="closed in the middle"),
    pytest.param("C1 C2 C4 C5", "C3", "C1 C2 C3 C4 C5", id="along a column"),
    pytest.param("A1 B2 C3 E5", "D4", "A1 B2 C3 D4 E5", id="along a diagonal"),
    pytest.param("A1 B1 C1 E1 F1 G1", "D1", "A1 B1 C1 D1 E1 F1 G1", id="seven"),
    pytest.param("A7 C7 D7 E7", "B7", "A7 B7 C7 D7 E7", id="in an acute corner"),
    pytest.param("N7 M7 K7 J7", "L7", "J7 K7 L7 M7 N7", id="in the other"),
    pytest.param("D1 D2 D3 D5 A4 B4 C4 E4", "D4", "A4 B4 C4 D1 D2 D3 D4 D5 E4", id="two lines at once"),
]


@pytest.mark.parametrize("colour", [WHITE, BLACK, RED])
@pytest.mark.parametrize(("stones", "last", "won"), FIVES)
def test_a_line_of_five_or_more_wins(stones: str, last: str, won: str, colour: int) -> None:
    """rules.md 5.1.5; "To make a line of 5 pieces of your colour (or more)"; [P-6]: "first five wins"."""
    rules = parse("pentalath:players=3" if colour == RED else "pentalath")
    position = rules.start({rules.board.point(vertex): colour for vertex in stones.split()}, colour)
    assert line(rules, position) == ""
    position = played(rules, position, last)
    outcome = rules.outcome(position)
    assert outcome == Outcome(colour, "five")
    assert outcome.gtp == f"{'.BWR'[colour]}+1"
    assert line(rules, position) == won
    assert rules.actions(position) == ()
    assert reason(rules, position, "A1") == "game over"
    assert reason(rules, position, "w:resign") == "game over"


@pytest.mark.parametrize(
    ("stones", "black", "last"),
    [
        pytest.param("D4 E4 F4", "", "G4", id="four"),
        pytest.param("D4 E4 F4 H4 J4", "", "K4", id="three and three"),
        pytest.param("A5 B4 C3 D2", "", "E1", id="the other diagonal is no line of hexagons"),
        pytest.param("F1 G1", "", "A2", id="a row does not go on in the next"),
        pytest.param("D4 E4 G4 H4", "F4", "J4", id="mixed colours"),
    ],
)
def test_less_than_five_or_no_line_does_not_win(stones: str, black: str, last: str) -> None:
    rules = parse("pentalath")
    start = rules.start(
        {rules.board.point(v): BLACK if v == black else WHITE for v in f"{stones} {black}".split()}, WHITE
    )
    assert rules.outcome(played(rules, start, last)) is None


def test_a_five_may_arise_with_a_capture() -> None:
    """rules.md 5.1.5: "Captures remove only enemy pieces, so they cannot break the mover's line"."""
    rules = parse("pentalath")
    diagram = corner("""
        X O
        . O
        O .
        O .
        O .
        O .
        """)
    position = played(rules, begin(rules, diagram, WHITE), "A6x")
    assert rules.outcome(position) == Outcome(WHITE, "five")
    assert line(rules, position) == "A2 A3 A4 A5 A6"


# -- capture -----------------------------------------------------------------------------------------------------------


def test_enemy_groups_without_freedom_are_captured() -> None:
    """rules.md 5.1.4; "A piece has freedom if the group it belongs to touches an empty cell"."""
    rules = parse("pentalath")
    diagram = corner("""
        . . . . . . .
        . . . . . . .
        . . . . O O O
        . . . O X X O
        . . . . O O .
        """)
    position = played(rules, begin(rules, diagram, WHITE), "D3x")
    assert picture(rules.board, position.stones) == drawn(
        corner("""
        . . . . . . .
        . . . . . . .
        . . . . O O O
        . . . O . . O
        . . . O O O .
        """)
    )
    assert position.taken == (0, 0, 2, 0)


CORNER_EYE = corner("""
    . X O
    X X O
    O O O
""")


def test_a_move_may_create_its_freedom_by_capturing() -> None:
    """rules.md 5.1.4; "The white piece 1 is totally surrounded when played, but it captures the black group"."""
    rules = parse("pentalath")
    position = played(rules, begin(rules, CORNER_EYE, WHITE), "A7x")
    assert len(position.captured) == 3
    assert position.stones[rules.board.point("A7")] == WHITE


def test_no_suicide() -> None:
    """rules.md 5.1.4; "It is not allowed to place a piece in a space without freedom"."""
    rules = parse("pentalath")
    diagram = corner("""
        . X
        X X
    """)
    assert reason(rules, begin(rules, diagram, WHITE), "A7") == "suicide"
    assert "A7" not in legal(rules, begin(rules, diagram, WHITE)).split()


def test_p4_it_is_the_group_that_needs_a_freedom() -> None:
    """[P-4]: "literal cell vs group ... Default group"."""
    rules = parse("pentalath")
    diagram = corner("""
        . O .
        X X O
        X X O
    """)
    # A7 itself has no empty neighbour when Black plays there, but its group has some below.
    assert played(rules, begin(rules, diagram, BLACK), "A7").stones[rules.board.point("A7")] == BLACK


def test_a_five_that_would_be_suicide_is_illegal() -> None:
    """rules.md 5.1.5: "a five which would be suicide is illegal (no win)"."""
    rules = parse("pentalath")
    diagram = corner("""
        . X
        O X
        O X
        O X
        O X
        X X
        """)
    position = begin(rules, diagram, WHITE)
    assert reason(rules, position, "A7") == "suicide"


# -- repetition --------------------------------------------------------------------------------------------------------


# White J7 J6 J5 J4 K7 K5 K4 M7, Black J3 K6 L7 L6 L5 A1 C1 E1, White to move.
CYCLE_START = """
    . . . . . . . . O O X O .
    . . . . . . . . O X X .
    . . . . . . . . O O X
    . . . . . . . . O O
    . . . . . . . . X
    . . . . . . . .
    X . X . X . .
"""
CYCLE = "N7 M6x M7 N7x M7x L7 M6 L6 N7 L5x M7 K6"


def test_positions_can_repeat_after_twelve_moves() -> None:
    """rules.md 5.2: "On the **real 70-cell board** a 12-ply cycle exists in the acute corner"."""
    rules = parse("pentalath")
    start = begin(rules, CYCLE_START, WHITE)
    position = played(rules, start, CYCLE)
    assert position.stones == start.stones
    assert position.mover == start.mover


@pytest.mark.parametrize(("repetition", "cycles"), [("none", None), ("draw3", 2), ("draw3_situation", 2)])
def test_p1_the_third_occurrence_is_a_draw_by_option(repetition: str, cycles: int | None) -> None:
    """[P-1]: "(a) nothing forbidden, nothing drawn; (b) third occurrence = draw"."""
    rules = parse(f"pentalath:repetition={repetition}")
    position = begin(rules, CYCLE_START, WHITE)
    for count in range(1, 5):
        position = played(rules, position, CYCLE)
        if count == cycles:
            assert rules.outcome(position) == Outcome(None, "repetition")
            assert rules.actions(position) == ()
            return
        assert rules.outcome(position) is None
    assert cycles is None


def test_p1_a_ko_of_one_stone_does_not_exist() -> None:
    """rules.md 5.2: "One-stone ko is impossible with two colours"; its shape needs the common neighbour to be both."""
    rules = parse("pentalath")
    for point, other in rules.board.edges():
        common = set(rules.board.neighbours[point]) & set(rules.board.neighbours[other])
        assert common


# -- no move -----------------------------------------------------------------------------------------------------------


BLOCKED = Outcome(None, "blocked")


@pytest.mark.parametrize(
    ("no_move", "outcome"), [("draw", BLOCKED), ("loss", Outcome(BLACK, "blocked")), ("pass", None)]
)
def test_p2_a_player_without_a_move(no_move: str, outcome: Outcome | None) -> None:
    """[P-2]: "(a) draw; (b) loss; (c) forced pass ... Default **draw**"."""
    rules = parse(f"pentalath:supply=1,no_move={no_move}")
    position = played(rules, rules.start(), "A1 G1")
    # White has no discs left.
    assert rules.outcome(position) == outcome
    if no_move == "pass":
        assert rules.actions(position) == [PASS]
        assert reason(rules, position, "D4") == "supply"
        position = played(rules, position, "pass")
        assert (position.passes, position.mover, rules.outcome(position)) == (1, BLACK, None)
        # "with `no_move=pass` all players blocked in a row is a draw"
        assert rules.outcome(played(rules, position, "pass")) == BLOCKED
    else:
        assert rules.actions(position) == ()


def test_p2_passes_in_a_row_start_again_after_a_move() -> None:
    rules = parse("pentalath:supply=2,no_move=pass")
    # Passing is not allowed as long as there is a move.
    assert reason(rules, rules.start(), "pass") == "no pass"
    assert PASS not in rules.actions(rules.start())
    stones = {rules.board.point("A1"): WHITE, rules.board.point("A3"): WHITE, rules.board.point("G1"): BLACK}
    position = played(rules, rules.start(stones, WHITE), "pass")
    position = played(rules, position, "E5")
    assert (position.passes, rules.outcome(position)) == (0, None)
    position = played(rules, position, "pass")
    assert rules.outcome(position) is None
    assert rules.outcome(played(rules, position, "pass")) == BLOCKED


@pytest.mark.parametrize(
    ("no_move", "outcome"), [("draw", BLOCKED), ("loss", Outcome(WHITE, "blocked")), ("pass", None)]
)
def test_p2_blocked_by_suicide(no_move: str, outcome: Outcome | None) -> None:
    """[P-2]: it "happens in practice"; here every empty cell would be without freedom for Black."""
    rules = parse(f"pentalath:no_move={no_move}")
    before = begin(rules, BEFORE_J4, WHITE)
    position = played(rules, before, "J4")
    assert rules.outcome(position) == outcome
    if no_move == "pass":
        assert rules.actions(position) == [PASS]
        assert reason(rules, position, "A1") == "suicide"
        after = played(rules, position, "pass")
        assert (after.mover, PASS in rules.actions(after)) == (WHITE, False)


# A random game without fives led to this position: after White J4 Black has no cell with a freedom.
BEFORE_J4 = """
    O X X X X O O O X O . O O
    O X . X X O X O X O O X
    O O O O X O X X X O .
    O O O X O X X X . X
    . X O X O O X X X
    O O O O X O O X
    . O . X O O X
"""


# -- supply ------------------------------------------------------------------------------------------------------------


def test_p3_a_supply_limits_the_discs_on_the_board() -> None:
    """[P-3]: "`supply=40` (a player without a disc has no legal move)"."""
    rules = parse("pentalath:supply=3,no_move=pass")
    position = begin(rules, CORNER_EYE, WHITE)
    # White already has more than three discs on the board.
    assert rules.actions(position) == [PASS]
    assert reason(rules, position, "A7") == "supply"
    assert reason(rules, position, "B7") == "occupied"


def test_p6_each_colour_may_have_a_supply_of_its_own() -> None:
    """THREE PLAYERS: "An expansion kit of 30 red pieces is available"; White and Black have 40 discs each."""
    rules = parse("pentalath:players=3,supply=40/40/30")
    assert rules.supply is not None
    assert [rules.supply[colour] for colour in (WHITE, BLACK, RED)] == [40, 40, 30]
    assert parse("pentalath:players=3,supply=30/30/30") == parse("pentalath:players=3,supply=30")

    rules = parse("pentalath:players=3,supply=2/2/1,no_move=pass")
    position = played(rules, rules.start(), "A1 C1 E1 A3")
    # Black has a second disc, but Red has none.
    assert rules.actions(played(rules, position, "C3")) == [PASS]
    assert reason(rules, played(rules, position, "C3"), "E3") == "supply"

    with pytest.raises(SpecError, match=r"supply=40/40/30: expected one number, or 2, one for each colour"):
        parse("pentalath:supply=40/40/30")


@pytest.mark.parametrize(("no_move", "winner"), [("draw", None), ("loss", BLACK)])
def test_p2_a_setup_may_leave_the_first_player_without_a_move(no_move: str, winner: int | None) -> None:
    """[P-2]: having no legal move is a draw or a loss even at the start; a game in progress always offers an action."""
    rules = parse(f"pentalath:supply=3,no_move={no_move}")
    position = begin(rules, CORNER_EYE, WHITE)
    assert rules.outcome(position) == Outcome(winner, "blocked")
    assert rules.is_over(position)


def test_p3_captured_discs_go_back() -> None:
    """[P-3] (a): "captured discs go back to their owner"."""
    rules = parse("pentalath:supply=6,no_move=pass")
    diagram = corner("""
        . X O . .
        X X O . .
        O O O . .
        . . . . .
        . . . . .
        X . X . X
    """)
    position = begin(rules, diagram, WHITE)
    assert reason(rules, rules.start(setup(rules.board, diagram), BLACK), "D4") == "supply"
    position = played(rules, position, "A7x")
    assert len(rules.actions(position)) > 0


# -- swap --------------------------------------------------------------------------------------------------------------


def test_p5_the_second_player_may_take_over_the_first_stone() -> None:
    """[P-5]: "the white stone turns black where it stands, it counts as Black's move, White is to play"."""
    rules = parse("pentalath:swap=true")
    position = played(rules, rules.start(), "D4")
    assert rules.actions(position)[-1] == SWAP
    assert reason(rules, position, "w:swap") == "not your turn"
    assert reason(rules, played(rules, position, "w:resign"), "b:swap") == "game over"
    after = played(rules, position, "swap")
    assert {rules.board.vertex(p): c for p, c in enumerate(after.stones) if c} == {"D4": BLACK}
    assert (after.mover, after.turn, after.captured, after.passes) == (WHITE, 3, (), 0)
    assert (after.last.actor, after.last.action) == (BLACK, SWAP)
    assert reason(rules, after, "swap") == "no swap"
    assert SWAP not in rules.actions(after)


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("pentalath", "D4"),
        ("pentalath:swap=true", ""),
        ("pentalath:swap=true", "D4 E5"),
        ("pentalath:swap=true", "D4 E5 F6"),
        ("pentalath:swap=true", "D4 swap E5"),
        ("pentalath:swap=true,players=3", "D4"),
        ("pentalath:swap=true,players=3", "D4 E5"),
    ],
)
def test_p5_otherwise_it_is_refused(spec: str, moves: str) -> None:
    """[P-5]: "as the second action only ... two players only; otherwise refused with `no swap`"."""
    rules = parse(spec)
    position = played(rules, rules.start(), moves)
    assert reason(rules, position, "swap") == "no swap"
    assert SWAP not in rules.actions(position)


def test_p5_only_the_first_stone_changes_hands() -> None:
    """[P-5]: "the white stone turns black where it stands"; stones of a set-up problem stay what they are."""
    rules = parse("pentalath:swap=true")
    position = rules.start({rules.board.point("A1"): WHITE, rules.board.point("G1"): BLACK}, WHITE)
    position = played(rules, position, "D4")
    if SWAP in rules.actions(position):
        position = played(rules, position, "swap")
        assert position.stones[rules.board.point("A1")] == WHITE


def test_p5_when_black_began_white_swaps() -> None:
    """gtp.md 3: "With an empty history the first `play` or `genmove` may name either colour"."""
    rules = parse("pentalath:swap=true")
    position = played(rules, rules.play(rules.start(), TURN, BLACK), "D4 swap")
    assert (position.stones[rules.board.point("D4")], position.mover) == (WHITE, BLACK)


# -- three players -----------------------------------------------------------------------------------------------------


def test_p6_white_black_red_in_turn() -> None:
    """[P-6]: "order White, Black, Red"."""
    rules = parse("pentalath:players=3")
    assert rules.colours == (WHITE, BLACK, RED)
    position = rules.start()
    order = []
    for vertex in "A1 B1 C1 D1 E1 F1".split():
        order.append(position.mover)
        position = played(rules, position, vertex)
    assert order == [WHITE, BLACK, RED] * 2
    assert reason(rules, position, "r:G1") == "not your turn"


def test_p6_one_move_takes_groups_of_both_others() -> None:
    """[P-6]: "one move may remove groups of both (together, before the freedom test)"."""
    rules = parse("pentalath:players=3")
    diagram = corner("""
        . . . . . . .
        . . . . . . .
        . . . O O . .
        . . O X . O O
        . . O O R R O
        . . . O O O O
    """)
    position = played(rules, begin(rules, diagram, WHITE), "E4x")
    assert picture(rules.board, position.stones) == drawn(
        corner("""
        . . . . . . .
        . . . . . . .
        . . . O O . .
        . . O . O O O
        . . O O . . O
        . . . O O O O
        """)
    )
    assert position.taken == (0, 0, 3, 0)
    assert [rules.board.vertex(point) for point in position.captured] == ["E3", "F3", "D4"]


def test_p6_a_stone_without_freedom_that_takes_both() -> None:
    """[P-6]: both are removed "before the freedom test"; until then the stone has no freedom."""
    rules = parse("pentalath:players=3")
    diagram = corner("""
        . X O
        R O O
        O O .
    """)
    position = played(rules, begin(rules, diagram, WHITE), "A7x")
    assert len(position.captured) == 2
    # On the same cell, Black captures only the red stone; then its own stone has a freedom.
    position = played(rules, begin(rules, diagram, BLACK), "A7x")
    assert [rules.board.vertex(point) for point in position.captured] == ["A6"]


def test_p6_a_group_may_be_taken_by_either_of_the_others() -> None:
    """004_245878c87de04f55.txt: "a black group with a single freedom that can be captured by white or red"."""
    rules = parse("pentalath:players=3")
    diagram = corner("""
        X O
        . R
    """)
    for colour in (WHITE, RED):
        assert len(played(rules, begin(rules, diagram, colour), "A6x").captured) == 1


@pytest.mark.parametrize("action", [RESIGN, FLAG, FORFEIT])
def test_p6_a_player_who_leaves_drops_out(action: int) -> None:
    """[P-6]: "that colour drops out, its stones stay (and can be captured), its turns are skipped"."""
    rules = parse("pentalath:players=3")
    position = played(rules, rules.start(), "A7 A6 G1")
    # A player leaves on its own turn.
    left = rules.play(position, action, WHITE)
    assert (rules.outcome(left), left.mover) == (None, BLACK)
    assert left.stones == position.stones
    with pytest.raises(IllegalMove, match="not your turn"):
        rules.play(left, 30, WHITE)
    order = []
    for vertex in ("C3", "E1", "D3", "F1"):
        order.append(left.mover)
        left = played(rules, left, vertex)
    assert order == [BLACK, RED, BLACK, RED]
    # Black A6 and Red B7 capture White's A7, which had stayed.
    left = played(rules, left, "B7x")
    assert left.stones[rules.board.point("A7")] == 0


def test_p6_leaving_on_the_turn_of_another() -> None:
    rules = parse("pentalath:players=3")
    position = played(rules, rules.start(), "A7")
    left = rules.play(position, RESIGN, RED)
    assert (left.mover, rules.outcome(left)) == (BLACK, None)
    left = played(rules, left, "C3")
    assert left.mover == WHITE
    with pytest.raises(IllegalMove):
        rules.play(left, RESIGN, RED)


@pytest.mark.parametrize("first", [WHITE, BLACK, RED])
@pytest.mark.parametrize("second", [WHITE, BLACK, RED])
@pytest.mark.parametrize(("action", "how"), [(RESIGN, "resign"), (FLAG, "time"), (FORFEIT, "forfeit")])
def test_p6_the_last_one_left_wins(first: int, second: int, action: int, how: str) -> None:
    """[P-6]: "the last one left wins"."""
    if first == second:
        return
    rules = parse("pentalath:players=3")
    position = rules.play(played(rules, rules.start(), "A7 D4"), RESIGN, first)
    assert rules.outcome(position) is None
    position = rules.play(position, action, second)
    (winner,) = {WHITE, BLACK, RED} - {first, second}
    assert rules.outcome(position) == Outcome(winner, how)
    assert rules.actions(position) == ()
    with pytest.raises(IllegalMove, match="game over"):
        rules.play(position, RESIGN, winner)


def test_p6_the_two_remaining_players_continue_to_five() -> None:
    rules = parse("pentalath:players=3")
    position = rules.play(rules.start(), RESIGN, BLACK)
    position = played(rules, position, "D4 A1 E4 C1 F4 E1 G4 G1 H4")
    assert rules.outcome(position) == Outcome(WHITE, "five")


@pytest.mark.parametrize("no_move", ["draw", "loss"])
def test_p6_without_a_move(no_move: str) -> None:
    """rules.md, "Options by name": "With three players `no_move=loss` counts as a draw"."""
    rules = parse(f"pentalath:players=3,supply=1,no_move={no_move}")
    assert rules.outcome(played(rules, rules.start(), "A1 C1 E1")) == BLOCKED


@pytest.mark.parametrize("moves", ["pass pass", "b:resign pass"])
def test_p6_all_who_are_left_are_blocked_in_a_row(moves: str) -> None:
    rules = parse("pentalath:players=3,supply=1,no_move=pass")
    position = played(rules, rules.start(), f"A1 C1 E1 {moves}")
    assert (rules.outcome(position), position.mover) == (None, RED)
    assert rules.outcome(played(rules, position, "pass")) == BLOCKED


def test_p6_a_departure_may_leave_the_next_one_without_a_move() -> None:
    """[P-6] and [P-2]: no legal move = draw, even if a player's turn comes early."""
    rules = parse("pentalath:players=3,supply=1")
    stones = {rules.board.point("A1"): BLACK}
    position = rules.play(rules.start(stones, WHITE), RESIGN, WHITE)
    assert rules.outcome(position) == BLOCKED


def test_p6_a_ko_with_three_colours() -> None:
    """rules.md 5.2: "With three colours even the one-stone ko shape exists (common neighbours of the third colour)"."""
    rules = parse("pentalath:players=3")
    diagram = corner("""
        O R
        . O
        O .
    """)
    position = played(rules, begin(rules, diagram, BLACK), "A6x G1 A7x")
    assert picture(rules.board, position.stones) == drawn(
        """
        O R . . . . . . . . . . .
        . O . . . . . . . . . .
        O . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . .
        . . . . . . . .
        . . . . . . R
        """
    )


# -- the other board ---------------------------------------------------------------------------------------------------


def test_on_the_board_of_yavalath() -> None:
    """rules.md 5.1.1: "Option `board=hexhex5`"; "Ça peut être joué sur le plateau hexagonal de Yavalath"."""
    rules = parse("pentalath:board=hexhex5")
    diagram = """
                . . . . .
              . . . . . .
            . . . . . . .
          . . . . . . . .
        O O O O . . . . .
        . . . . . . . .
        . . . . . . .
        . . . . . .
        . . . . .
        """
    position = begin(rules, diagram, WHITE)
    assert rules.outcome(played(rules, position, "E5")) == Outcome(WHITE, "five")


# -- either colour may begin -------------------------------------------------------------------------------------------


def test_black_may_begin_where_a_host_starts_so() -> None:
    """gtp.md 3: "so that hosts which always start with Black can play Pentalath"."""
    rules = parse("pentalath")
    game = Game(rules)
    game.play(BLACK, TURN)
    game.play(BLACK, rules.board.point("D4"))
    assert game.position.mover == WHITE
    with pytest.raises(IllegalMove, match="not your turn"):
        game.play(BLACK, TURN)


@pytest.mark.parametrize("colour", [BLACK, RED])
def test_with_three_players_white_begins(colour: int) -> None:
    """gtp.md 3: "in a two-player game"."""
    rules = parse("pentalath:players=3")
    with pytest.raises(IllegalMove, match="not your turn"):
        rules.play(rules.start(), TURN, colour)
