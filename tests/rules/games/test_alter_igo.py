"""Alter Igo (rules.md 4; 003_998ee6034542098c.txt). There is no rule six."""

from typing import Any

import pytest

from gtp_variants.errors import IllegalMove
from gtp_variants.records.state import describe_position
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, FLAG, FORFEIT, PASS, RESIGN, TURN, WHITE
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from tests.boards import begin, drawn, legal, picture, played, reason


def sized(diagram: str, more: str = "") -> Rules:
    """Return the rules for the size of a diagram."""
    rows = drawn(diagram).split("\n")
    return parse(f"alter-igo:width={(len(rows[0]) + 1) // 2},height={len(rows)}{more}")


# -- placing -----------------------------------------------------------------------------------------------------------


def test_the_default_game() -> None:
    """rules.md 4.1.1: "Any rectangular grid (default 9x9). Black first ... No pass"."""
    rules = parse("alter-igo")
    start = rules.start()
    assert (start.mover, len(rules.actions(start)), rules.outcome(start)) == (BLACK, 81, None)
    assert reason(rules, start, "pass") == "no pass"
    assert reason(rules, start, "swap") == "no swap"


@pytest.mark.parametrize(("width", "height"), [(1, 2), (3, 1), (7, 4), (25, 1), (4, 9)])
def test_any_rectangle(width: int, height: int) -> None:
    rules = parse(f"alter-igo:width={width},height={height}")
    assert len(rules.actions(rules.start())) == width * height


def test_stones_are_placed_in_turn_on_empty_points() -> None:
    """003_998ee6034542098c.txt, rule 2: "alternatingly place their respective stones on empty intersections"."""
    rules = parse("alter-igo:size=3")
    position = played(rules, rules.start(), "B2")
    assert position.mover == WHITE
    assert reason(rules, position, "B2") == "occupied"
    assert reason(rules, position, "b:A1") == "not your turn"
    assert legal(rules, position) == "A1 A2 A3 B1 B3 C1 C2 C3"


# -- capture -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "to_play", "move", "after"),
    [
        pytest.param("X . . O", BLACK, "B1", "X X . O", id="nothing goes while there is a liberty"),
        pytest.param("O . X . .", BLACK, "B1x", ". X X . .", id="only the enemy string"),
        pytest.param("X . O X .", BLACK, "B1x", ". . . X .", id="both colours at once"),
        pytest.param("X . O X .", WHITE, "B1x", ". . . X .", id="the capturer is not saved by its capture"),
        pytest.param(". O X .", BLACK, "A1x", ". . X .", id="one stone and an enemy one"),
        pytest.param("X . O .", BLACK, "B1x", ". . O .", id="suicide of two stones"),
        pytest.param("X X . O O", WHITE, "C1x", ". . . . .", id="the last point empties all"),
        pytest.param(
            """
            . . . . .
            O O O . .
            X X X O .
            X . X O .
            """,
            WHITE,
            "B1x",
            """
            . . . . .
            O O O . .
            . . . O .
            . . . O .
            """,
            id="six stones, five of Black and the capturing one",
        ),
        pytest.param(
            """
            . O X O .
            O X . X O
            . O X O .
            """,
            WHITE,
            "C2x",
            """
            . O . O .
            O . . . O
            . O . O .
            """,
            id="several strings and the stone between them",
        ),
        pytest.param(
            """
            X X O
            X . O
            X O O
            """,
            BLACK,
            "B2x",
            """
            . . .
            . . .
            . . .
            """,
            id="a full board",
        ),
    ],
)
def test_every_string_without_a_liberty_goes_at_once(before: str, to_play: int, move: str, after: str) -> None:
    """rules.md 4.1.2; 003_998ee6034542098c.txt, rule 4: "every string ... is removed"."""
    rules = sized(before)
    position = played(rules, begin(rules, before, to_play), move)
    assert picture(rules.board, position.stones) == drawn(after)
    assert rules.outcome(position) is None
    assert position.mover == 3 - to_play


def test_the_stones_that_left_are_named_the_one_just_played_included() -> None:
    """gtp.md 4, `last`: "of either colour, in Alter Igo the stone just played included"."""
    rules = parse("alter-igo:width=5,height=1")
    position = played(rules, begin(rules, "X . O X ."), "B1x")
    assert [rules.board.vertex(point) for point in position.captured] == ["A1", "B1", "C1"]
    # "stones of other colours taken by it"
    assert position.taken == (0, 1, 0, 0)


# -- the end -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("diagram", "mover", "move"),
    [
        pytest.param(". O .", BLACK, "A1x", id="at the edge"),
        pytest.param(". X .", WHITE, "C1x", id="of White"),
        pytest.param(".", BLACK, "A1x", id="on one point"),
        pytest.param(
            """
            . O .
            O . O
            . O .
            """,
            BLACK,
            "B2x",
            id="in an eye",
        ),
    ],
)
def test_a_stone_that_is_alone_removed_loses(diagram: str, mover: int, move: str) -> None:
    """rules.md 4.1.3; rule 5, "if a player places a stone so that it is the only stone to be immediately removed"."""
    rules = sized(diagram)
    position = begin(rules, diagram, mover)
    vertex = move.removesuffix("x")
    # The stone can be played nevertheless, and is listed as a losing move.
    assert vertex in legal(rules, position).split()
    assert vertex in describe_position(rules, position)["losing"]
    after = played(rules, position, move)
    outcome = rules.outcome(after)
    assert outcome == Outcome(3 - mover, "suicide")
    assert outcome.gtp == f"{'BW'[2 - mover]}+1"
    assert (after.stones, rules.actions(after)) == (position.stones, ())
    assert describe_position(rules, after)["losing"] == []
    assert reason(rules, after, "A1") == "game over"
    assert reason(rules, after, "b:resign") == "game over"


@pytest.mark.parametrize(("diagram", "vertex"), [("X . O .", "B1"), ("X . O X .", "B1"), (". O X .", "A1")])
def test_removing_more_than_the_single_own_stone_does_not_lose(diagram: str, vertex: str) -> None:
    """rules.md 4.1.3: "own stone together with anything else: no"; 4.2: "two stone suicide (which is ok)"."""
    rules = sized(diagram)
    position = begin(rules, diagram)
    assert vertex not in describe_position(rules, position)["losing"]
    assert rules.outcome(played(rules, position, f"{vertex}x")) is None


def test_losing_moves_of_either_side() -> None:
    """gtp.md 4, `alter-igo-losing_moves [COLOUR]`."""
    rules: Any = parse("alter-igo:size=3")
    diagram = """
        . O .
        O . X
        . X .
        """
    position = begin(rules, diagram)
    assert [rules.board.vertex(point) for point in rules.losing(position, BLACK)] == ["A3"]
    assert [rules.board.vertex(point) for point in rules.losing(position, WHITE)] == ["C1"]


def draws_after(rules: Rules, cycle: str, limit: int = 40) -> int:
    """Return the number of moves of a repeated cycle after which the game is drawn; 0 if it never is."""
    position = rules.start()
    words = cycle.split()
    for count in range(limit):
        move = words[count % len(words)]
        position = rules.play(position, rules.board.point(move))
        if rules.outcome(position) is not None:
            assert rules.outcome(position) == Outcome(None, "repetition")
            return count + 1
    return 0


@pytest.mark.parametrize(
    ("options", "cycle", "moves"),
    [
        # The start position counts: it occurs for the second time after two moves and for the third after four.
        ("width=2,height=1", "A1 B1", 4),
        ("width=1,height=2", "A1 A2", 4),
        ("width=2,height=1,repetition=situation", "A1 B1", 4),
        ("width=2,height=1,repeat_count=4", "A1 B1", 6),
        ("width=2,height=1,repeat_count=2", "A1 B1", 2),
        # The cycle is odd: B A1, W C1, B B1 empties the board with White to move.
        ("width=3,height=1", "A1 C1 B1", 6),
        ("width=3,height=1,repetition=situation", "A1 C1 B1", 12),
        ("width=3,height=1,repeat_count=4", "A1 C1 B1", 9),
        ("width=3,height=1,repeat_count=4,repetition=situation", "A1 C1 B1", 18),
        ("width=3,height=1,first=w", "A1 C1 B1", 6),
        ("width=3,height=1,first=w,repetition=situation", "A1 C1 B1", 12),
    ],
)
def test_the_third_occurrence_is_a_draw(options: str, cycle: str, moves: int) -> None:
    """rules.md 4.1.4, [I-1], [I-2]; "a draw, if the same board position is repeated three times"."""
    assert draws_after(parse(f"alter-igo:{options}"), cycle) == moves


def test_the_first_board_counts_for_the_side_that_begins() -> None:
    """[I-2] "Start position counts"; gtp.md 3: with an empty history either colour may begin."""
    rules = parse("alter-igo:width=2,height=1,repetition=situation")
    game = Game(rules)
    game.play(WHITE, TURN)
    moves = 0
    while game.outcome is None:
        game.play(game.position.mover, moves % 2)
        moves += 1
    assert moves == 4


def test_a_draw_in_words_and_its_result() -> None:
    rules = parse("alter-igo:width=2,height=1")
    game = Game(rules)
    for move in range(4):
        assert describe_position(rules, game.position)["occurrences"] == 1 + move // 2
        game.play(game.position.mover, move % 2)
    assert game.outcome == Outcome(None, "repetition")
    assert game.outcome.gtp == "0"
    assert describe_position(rules, game.position)["occurrences"] == 3
    assert rules.actions(game.position) == ()


def test_i2_boards_between_placement_and_removal_do_not_count() -> None:
    """[I-2]: "Positions between placement and removal do not count": the full board is none."""
    rules = parse("alter-igo:width=2,height=1,repeat_count=2")
    position = played(rules, rules.start(), "A1")
    assert describe_position(rules, position)["occurrences"] == 1


def test_i3_the_loss_comes_before_the_draw() -> None:
    """[I-3]: "lone suicide which recreates a twice-seen board: loss before draw"."""
    rules = parse("alter-igo:width=3,height=1,repeat_count=2")
    position = played(rules, begin(rules, ". O ."), "A1x")
    assert rules.outcome(position) == Outcome(WHITE, "suicide")


@pytest.mark.parametrize(("action", "how"), [(RESIGN, "resign"), (FLAG, "time"), (FORFEIT, "forfeit")])
@pytest.mark.parametrize("loser", [BLACK, WHITE])
def test_i7_resigning_on_either_turn(action: int, how: str, loser: int) -> None:
    """rules.md 4.1.5, [I-7]: "resign on the opponent's turn: ... allowed"."""
    rules = parse("alter-igo:size=3")
    position = rules.play(played(rules, rules.start(), "B2"), action, loser)
    assert rules.outcome(position) == Outcome(3 - loser, how)
    assert rules.is_final(position)
    assert rules.actions(position) == ()
    with pytest.raises(IllegalMove, match="game over"):
        rules.play(position, action, 3 - loser)


# -- who begins, White's passes ----------------------------------------------------------------------------------------


def test_i4_white_may_begin_by_option() -> None:
    """[I-4]: "Option `first`"."""
    rules = parse("alter-igo:size=3,first=w")
    position = rules.start()
    assert position.mover == WHITE
    assert played(rules, position, "B2").mover == BLACK


def test_either_side_may_begin_but_not_move_twice() -> None:
    """gtp.md 3: "in Alter Igo and Pentalath it is `not your turn`. With an empty history ... either colour"."""
    rules = parse("alter-igo:size=3")
    position = rules.play(rules.start(), TURN, WHITE)
    assert position.mover == WHITE
    position = played(rules, position, "B2")
    with pytest.raises(IllegalMove, match="not your turn"):
        rules.play(position, TURN, WHITE)


def test_i5_white_has_a_limited_number_of_passes() -> None:
    """[I-5]; "a rule 7 that allows white 6 passes ... at any time he wants"."""
    rules = parse("alter-igo:size=3,white_passes=2")
    position = rules.start()
    assert describe_position(rules, position)["passes_left"] == {"b": 0, "w": 2}
    assert PASS not in rules.actions(position)
    assert reason(rules, position, "pass") == "no pass"
    position = played(rules, position, "A1")
    assert rules.actions(position)[-1] == PASS
    position = played(rules, position, "pass B2 pass C3")
    assert (position.mover, position.turn) == (WHITE, 6)
    assert describe_position(rules, position)["passes_left"] == {"b": 0, "w": 0}
    assert PASS not in rules.actions(position)
    assert reason(rules, position, "pass") == "no pass"


def test_i5_a_pass_is_not_a_new_occurrence_of_the_board() -> None:
    """[I-5]: "a pass is not a new occurrence of the board (else two passes would be a draw)"."""
    rules = parse("alter-igo:size=3,white_passes=6,repeat_count=2")
    position = played(rules, rules.start(), "A1 pass")
    assert rules.outcome(position) is None
    assert describe_position(rules, position)["occurrences"] == 1


def test_i5_passing_saves_from_a_losing_move() -> None:
    """[I-5]: "Rule 3 then is never forced while passes remain"."""
    rules = parse("alter-igo:width=3,height=1,white_passes=1")
    position = begin(rules, ". X .", WHITE)
    assert describe_position(rules, position)["losing"] == ["A1", "C1"]
    after = played(rules, position, "pass")
    assert (rules.outcome(after), after.mover) == (None, BLACK)


# -- rule six ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", ["width=1,height=1", "width=2,height=1", "width=2,height=2", "width=4,height=1"])
def test_there_is_always_a_move(size: str) -> None:
    """rules.md 4.1.6: "A legal move always exists"; every line of play on small boards, five moves deep."""
    rules = parse(f"alter-igo:{size}")
    reached = [rules.start()]
    for _ in range(5):
        following = []
        for position in reached:
            if rules.outcome(position) is None:
                assert rules.actions(position)
                following += [rules.play(position, action) for action in rules.actions(position)]
        reached = following
