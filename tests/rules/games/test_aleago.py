"""Aléago: dice decide on which line a stone may be placed (rules.md 1; 000_b028ddfe0fa096f3.txt)."""

from typing import Any

import pytest

from gtp_variants.errors import IllegalMove, NotationError, SpecError, VariantsError
from gtp_variants.records.state import describe_position
from gtp_variants.rules import parse
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    FLAG,
    FORFEIT,
    PASS,
    RESIGN,
    RESUME,
    SET_DICE,
    SWAP,
    TURN,
    WHITE,
    pack,
)
from gtp_variants.rules.boards.board import rings
from gtp_variants.rules.dice import DiceKind, lines_of, mapping_from_rows, read_dice
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import faces_of
from tests.boards import begin, cast, legal, played, reason, refusal


def lines_open(rules: Rules, position: Any) -> list[int]:
    """Return the lines of the points that may be played now."""
    return sorted({rings(rules.board.width)[point] for point in rules.actions(position) if point >= 0})


def every_point_of(rules: Rules, lines: list[int]) -> set[int]:
    return {point for point, line in enumerate(rings(rules.board.width)) if line in lines}


def throws(rules: Rules, position: Any, total: int) -> str:
    """Return a throw with this total, as a word for `played`."""
    dice = position.dice
    outcome = next(number for number in range(dice.outcomes) if sum(dice.faces(number)) == total)
    return "+".join(map(str, dice.faces(outcome)))


# -- the draw ----------------------------------------------------------------------------------------------------------

TABLE = [
    ("size=9,dice=1d4", {1: [1], 2: [2], 3: [3], 4: [4, 5]}),
    ("size=13,dice=1d6", {1: [1], 2: [2], 3: [3], 4: [4], 5: [5], 6: [6, 7]}),
    ("size=19,dice=1d8", {**{t: [t] for t in range(1, 8)}, 8: [8, 9, 10]}),
    ("size=19,dice=1d10", {t: [t] for t in range(1, 11)}),
    ("size=19,dice=2d4", {**{t: [t] for t in range(2, 8)}, 8: [1, 8, 9, 10]}),
    ("size=19,dice=2d4,double_whole_board=true", {**{t: [t] for t in range(2, 8)}, 8: list(range(1, 11))}),
    ("size=19,dice=2d6", {**{t: [t] for t in range(2, 11)}, 11: [10], 12: [10]}),
    ("size=19,dice=2d6,double_whole_board=true", {**{t: [t] for t in range(2, 11)}, 11: [10], 12: list(range(1, 11))}),
]


@pytest.mark.parametrize(
    ("options", "total", "lines"),
    [(options, total, lines) for options, row in TABLE for total, lines in row.items()],
)
def test_every_draw_of_the_table_on_the_empty_board(options: str, total: int, lines: list[int]) -> None:
    """rules.md 1.1.3, 1.1.4; 000_b028ddfe0fa096f3.txt, "Dés et goban"."""
    rules: Any = parse(f"aleago:{options}")
    start = rules.start()
    throw = throws(rules, start, total)
    position = played(rules, start, throw)
    assert set(rules.actions(position)) == every_point_of(rules, lines) | {PASS}
    assert sorted(rules.open_lines(position)) == lines
    described = describe_position(rules, position)["draw"]
    assert (described["total"], described["open"]) == (total, lines)


@pytest.mark.parametrize("spec", ["aleago", "aleago:size=19,dice=2d4", "aleago:size=5,dice=3d3"])
def test_dice_are_thrown_before_every_turn(spec: str) -> None:
    """rules.md 1.1.2: "dice are thrown; total t = sum. Draw first, decision after"."""
    rules = parse(spec)
    position: Any = rules.start()
    assert (position.to_play, position.mover) == (CHANCE, BLACK)
    assert reason(rules, position, "b:A1") == "not your turn"
    assert reason(rules, position, "b:pass") == "not your turn"
    throw = "+".join("1" for _ in range(position.dice.count))
    position = played(rules, position, throw)
    assert position.to_play == BLACK
    position = played(rules, position, "pass")
    assert (position.to_play, position.mover) == (CHANCE, WHITE)


def test_a_move_before_the_throw_is_refused_with_the_reason() -> None:
    rules = parse("aleago")
    for move in ("b:G7", "b:pass"):
        assert refusal(rules, rules.start(), move).sentence == "the dice must be thrown first"


@pytest.mark.parametrize("spec", ["aleago", "aleago:size=19,dice=2d6", "aleago:dice=1d1", "aleago:dice=3d4"])
def test_every_throw_is_as_likely_as_any_other(spec: str) -> None:
    """rules.md 1.1.2: "dice are thrown; total t = sum"."""
    rules: Any = parse(spec)
    start = rules.start()
    dice = start.dice
    actions, odds = rules.actions(start), rules.odds(start)
    assert len(odds) == len(actions)
    chances = dict(zip(actions, odds, strict=True))
    # A host can declare a turn without a line; the dice never show it by themselves.
    assert chances.pop(dice.free) == 0
    assert len(chances) == dice.sides**dice.count
    assert all(chance == pytest.approx(dice.sides**-dice.count) for chance in chances.values())
    with pytest.raises(NotationError):
        rules.odds(played(rules, start, "free"))


def test_two_dice_fall_more_often_around_the_middle() -> None:
    """000_b028ddfe0fa096f3.txt: "les valeurs données par deux dés tombent plus souvent aux alentours"."""
    rules = parse("aleago:size=19,dice=2d6")
    start = rules.start()
    totals: dict[int, float] = {}
    for action, chance in zip(rules.actions(start), rules.odds(start), strict=True):
        total = sum(faces_of(rules, start, action))
        totals[total] = totals.get(total, 0) + chance
    assert totals.pop(0) == 0
    assert totals == pytest.approx({t: (6 - abs(t - 7)) / 36 for t in range(2, 13)})


def test_an_outcome_that_the_dice_do_not_have_is_refused() -> None:
    rules = parse("aleago")
    with pytest.raises(NotationError):
        rules.play(rules.start(), 7)


@pytest.mark.parametrize("kind", [DiceKind(1, 6), DiceKind(2, 4), DiceKind(3, 3)], ids=str)
def test_outcomes_number_the_faces(kind: DiceKind) -> None:
    shown = [kind.faces(outcome) for outcome in range(kind.outcomes)]
    assert len(set(shown)) == kind.outcomes
    assert shown == sorted(shown)
    assert [kind.outcome(faces) for faces in shown] == list(range(kind.outcomes))
    for faces in ([], [0] * kind.count, [kind.sides + 1] * kind.count, [1] * (kind.count + 1)):
        with pytest.raises(NotationError):
            kind.outcome(faces)


@pytest.mark.parametrize("text", ["1d6", "2d4", "2D6", "10d3", " 1d100 "])
def test_dice_in_words(text: str) -> None:
    assert str(read_dice(text)) == text.strip().lower()


# -- lines -------------------------------------------------------------------------------------------------------------


def test_a_stone_goes_on_the_line_of_the_draw_only() -> None:
    """000_b028ddfe0fa096f3.txt: "Un deux nous laisse l'accès à la deuxième ligne seulement"."""
    rules = parse("aleago:size=9,dice=1d4")
    position = played(rules, rules.start(), "2")
    assert played(rules, position, "B2").to_play == CHANCE
    error = refusal(rules, position, "C3")
    assert (error.reason, error.sentence) == ("line", "C3 is on line 3, the draw opens line 2")
    assert reason(rules, position, "A1") == "line"


@pytest.mark.parametrize(
    ("lang", "draw", "sentence"),
    [
        ("en", "4", "B2 is on line 2, the draw opens lines 4 and 5"),
        ("fr", "4", "B2 est sur la ligne 2, le tirage ouvre les lignes 4 et 5"),
        ("fr", "3", "B2 est sur la ligne 2, le tirage ouvre la ligne 3"),
    ],
)
def test_a_refusal_names_the_lines(lang: str, draw: str, sentence: str) -> None:
    rules = parse(f"aleago:size=9,dice=1d4,lang={lang}")
    assert refusal(rules, played(rules, rules.start(), draw), "B2").sentence == sentence


def test_a_stone_that_is_impossible_for_another_reason_too() -> None:
    """gtp.md 3: `line` is the last of the possible reasons."""
    rules = parse("aleago:size=5,dice=1d3")
    diagram = """
        . X . . .
        X . . . .
        . . . . .
        . . . . .
        . . . . .
        """
    position = played(rules, begin(rules, diagram, WHITE), "3")
    assert reason(rules, position, "A4") == "occupied"
    assert reason(rules, position, "A5") == "suicide"
    assert reason(rules, position, "A1") == "line"


# A board of 5 x 5 with lines of 16, 8 and 1 points.
FALLBACKS = [
    pytest.param(
        """
        . . . . .
        . . . . .
        . . X . .
        . . . . .
        . . . . .
        """,
        "3",
        [2],
        id="one line down when it is full",
    ),
    pytest.param(
        """
        . . . . .
        . X O . .
        . O . O .
        . . O . .
        . . . . .
        """,
        "3",
        [2],
        id="one line down when only suicide is left",
    ),
    pytest.param(
        """
        . . . . .
        . X X X .
        . X . X .
        . X X X .
        . . . . .
        """,
        "3",
        [3],
        id="one's own eye blocks it",
    ),
    pytest.param(
        """
        . . . . .
        . O O O .
        . O . O .
        . O O O .
        . . . . .
        """,
        "3",
        [1],
        id="two lines down",
    ),
    pytest.param(
        """
        . . . . .
        . X X X .
        . X . X .
        . X X X .
        . . . . .
        """,
        "2",
        [1],
        id="one's own eye further in does not",
    ),
    pytest.param(
        """
        X X X X X
        X . O . X
        X O . O X
        X . O . X
        X X X X X
        """,
        "1",
        [],
        id="it never climbs",
    ),
]


@pytest.mark.parametrize(("diagram", "draw", "lines"), FALLBACKS)
def test_a_line_without_a_playable_point_opens_the_line_below(diagram: str, draw: str, lines: list[int]) -> None:
    """rules.md 1.1.5; 000_b028ddfe0fa096f3.txt, "Plus de place ?"."""
    rules = parse("aleago:size=5,dice=1d3")
    position = played(rules, begin(rules, diagram), draw)
    assert lines_open(rules, position) == lines
    assert describe_position(rules, position)["draw"]["open"] == lines
    # A player may always pass, and must pass here if no line is open.
    assert PASS in rules.actions(position)


def test_a_forced_pass() -> None:
    """rules.md 1.1.5: "If line 1 has none either: forced pass"; [A-7]."""
    rules = parse("aleago:size=5,dice=1d3")
    diagram = """
        . X X X X
        X X . X X
        X X X . X
        X X X X X
        X X X X .
        """
    position = begin(rules, diagram, WHITE)
    for draw in ("1", "2", "3"):
        thrown = played(rules, position, draw)
        assert rules.actions(thrown) == (PASS,)
        assert describe_position(rules, thrown)["draw"]["open"] == []
        assert refusal(rules, thrown, "A5").reason == "suicide"
        after = played(rules, thrown, "pass")
        # "A forced pass counts as a pass".
        assert after.passes == 1


def test_the_star_lines_are_tried_together_before_any_fallback() -> None:
    """rules.md 1.1.4, 1.1.5: as long as one point of the open lines is playable, the lines below stay closed."""
    rules = parse("aleago:size=5,dice=1d2")
    diagram = """
        . . . . .
        . X X X .
        . X . X .
        . X X X .
        . . . . .
        """
    position = begin(rules, diagram)
    thrown = played(rules, position, "2")
    assert legal(rules, thrown) == "C3"
    described = describe_position(rules, thrown)["draw"]
    # "all of the drawn lines as soon as one of them has a playable point"
    assert (described["drawn"], described["open"]) == ([2, 3], [2, 3])
    # White can neither extend nor enter the ring.
    white = played(rules, begin(rules, THE_RING, WHITE), "2")
    assert lines_open(rules, white) == [1]


THE_RING = """
    . . . . .
    . X X X .
    . X . X .
    . X X X .
    . . . . .
"""


def test_a_line_that_is_taken_empty_again_is_open_again() -> None:
    """rules.md 1.1.5: the fallback depends on the board at the time of the turn."""
    rules = parse("aleago:size=3,dice=1d2")
    diagram = """
        . X .
        X O .
        . X .
        """
    position = begin(rules, diagram)
    thrown = played(rules, position, "2")
    assert lines_open(rules, thrown) == [1]
    taken = played(rules, thrown, "C2x 2 pass")
    assert legal(rules, played(rules, taken, "2")) == "B2"


# -- the star ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "throw", "lines"),
    [
        # "donne aussi accès au tengen, ou aux intersections ne correspondant pas à une valeur atteignable";
        # "(1d8: 8,9,10 under both.)".
        ("size=19,dice=2d4,star_lines=all", "4+4", [1, 8, 9, 10]),
        ("size=19,dice=2d4,star_lines=inner", "4+4", [8, 9, 10]),
        ("size=19,star_lines=all", "8", [8, 9, 10]),
        ("size=19,star_lines=inner", "8", [8, 9, 10]),
        # Only the highest total has the star; without the star it names a line like any other.
        ("star=false", "6", [6]),
        ("size=19,dice=2d4", "3+4", [7]),
        # [A-2] (c), `overflow=pass`.
        ("size=19,dice=2d6,overflow=pass", "6+6", []),
        # the agreed double is no overflow; only the highest double opens the board. A single die has no doubles.
        ("size=19,dice=2d6,double_whole_board=true,overflow=reroll", "6+6", list(range(1, 11))),
        ("size=19,dice=2d6,double_whole_board=true,overflow=pass", "6+6", list(range(1, 11))),
        ("size=19,dice=2d4,double_whole_board=true", "3+3", [6]),
        ("size=9,dice=1d4,double_whole_board=true", "4", [4, 5]),
        # "Le tengen est inaccessible. S'il n'y a plus de place, on est obligé de passer".
        ("size=5,dice=1d3,mapping=original", "2", [2]),
        ("size=5,dice=1d3,mapping=original", "3", []),
        ("mapping=original", "6", [6]),
        ("size=19,dice=2d6,mapping=original", "4+6", []),
        ("size=19,dice=2d6,mapping=original", "5+6", []),
        ("size=19,dice=2d6,mapping=original", "6+6", []),
        ("size=4,dice=1d2,mapping=original", "2", [2]),
        # "any N, any dice"; the lines that no total can name by 1.1.4.
        # A 13 x 13 board has lines 1 to 7; 2d6 cannot name line 1, and its highest total names no line at all.
        ("size=13,dice=2d6", "6+6", [1]),
        ("size=13,dice=2d6", "5+6", [7]),
        ("size=13,dice=2d6,star_lines=inner", "6+6", [7]),
        ("size=13,dice=2d6,star=false", "6+6", [7]),
        ("size=19,dice=2d6,star=true", "6+6", [1]),
        ("size=9,dice=3d2", "2+2+2", [1, 2]),
        ("size=9,dice=1d3", "3", [3, 4, 5]),
        ("size=10,dice=1d4", "4", [4, 5]),
        ("size=4,dice=1d6", "6", [2]),
        ("size=1,dice=1d6", "6", []),  # a lone stone has no liberty there
    ],
)
def test_lines_that_other_dice_open_on_the_empty_board(options: str, throw: str, lines: list[int]) -> None:
    rules = parse(f"aleago:{options}")
    position = played(rules, rules.start(), throw)
    assert set(rules.actions(position)) == every_point_of(rules, lines) | {PASS}
    assert describe_position(rules, position)["draw"]["open"] == lines


# -- totals beyond the last line ---------------------------------------------------------------------------------------


def test_a2_a_total_beyond_the_last_line_falls_back() -> None:
    """[A-2] (a): "11 -> 10, (then 9...)"."""
    rules = parse("aleago:size=19,dice=2d6")
    taken = rules.start({rules.board.point("K10"): WHITE})
    for throw in ("5+6", "6+6"):
        assert lines_open(rules, played(rules, taken, throw)) == [9]


def test_a2_a_total_beyond_the_last_line_is_thrown_again() -> None:
    """[A-2] (b), `overflow=reroll`."""
    rules: Any = parse("aleago:size=19,dice=2d6,overflow=reroll")
    start = rules.start()
    dice = start.dice
    chances = dict(zip(rules.actions(start), rules.odds(start), strict=True))
    assert {sum(dice.faces(outcome)) for outcome in chances if outcome != dice.free} == set(range(2, 11))
    assert sum(chances.values()) == pytest.approx(1)
    assert chances[dice.outcome([1, 1])] == pytest.approx(1 / 33)
    with pytest.raises(NotationError):
        played(rules, start, "6+6")
    # A full line is no reason to throw again.
    taken = rules.start({rules.board.point("K10"): WHITE})
    assert lines_open(rules, played(rules, taken, "4+6")) == [9]


def test_a2_a_turn_without_a_line_is_free_where_totals_are_thrown_again() -> None:
    """gtp.md 4, `aleago-draw COLOUR free`, regardless of `overflow`."""
    for overflow in ("fallback", "reroll", "pass"):
        rules = parse(f"aleago:size=19,dice=2d6,overflow={overflow}")
        assert lines_open(rules, played(rules, rules.start(), "free")) == list(range(1, 11))


def test_a2_a_total_beyond_the_last_line_is_a_pass() -> None:
    """[A-2] (c), `overflow=pass`."""
    rules = parse("aleago:size=19,dice=2d6,overflow=pass")
    thrown = played(rules, rules.start(), "6+6")
    assert refusal(rules, thrown, "K10").sentence == "K10 is on line 10, but the draw opens no line"
    taken = rules.start({rules.board.point("K10"): WHITE})
    assert lines_open(rules, played(rules, taken, "4+6")) == [9]


@pytest.mark.parametrize("overflow", ["fallback", "reroll", "pass"])
def test_a2_the_agreed_double_is_no_overflow(overflow: str) -> None:
    """[A-4]: if the double is agreed, 6+6 opens the whole board, regardless of `overflow`."""
    rules = parse(f"aleago:size=19,dice=2d6,double_whole_board=true,overflow={overflow}")
    odds = [chance for chance in rules.odds(rules.start()) if chance]
    assert odds == pytest.approx([1 / 34] * 34 if overflow == "reroll" else [1 / 36] * 36)


def test_a3_line_1_is_reached_by_2d6_only_from_line_2() -> None:
    """[A-3]: "No star in that row: line 1 is only reached by fallback from 2"."""
    rules = parse("aleago:size=19,dice=2d6")
    full = {point: BLACK for point, line in enumerate(rings(19)) if line == 2}
    assert lines_open(rules, played(rules, rules.start(full, BLACK), "1+1")) == [1]


def test_a4_the_whole_board_still_obeys_the_rules_of_go() -> None:
    rules = parse("aleago:size=5,dice=2d2,double_whole_board=true")
    diagram = """
        . X . . .
        X . . . .
        . . . . .
        . . . . .
        . . . . .
        """
    position = begin(rules, diagram, WHITE)
    thrown = played(rules, position, "2+2")
    assert len(rules.actions(thrown)) == 25 - 3 + 1
    assert reason(rules, thrown, "A5") == "suicide"


# -- what blocks the fallback ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fallback_ko", "lines"), [("true", [1]), ("false", [])])
def test_a5_a_point_forbidden_by_repetition(fallback_ko: str, lines: list[int]) -> None:
    """[A-5]: (a) "any illegal move incl. ko/superko"; (b) "suicide only, a ko point blocks the fallback"."""
    rules = parse(f"aleago:size=5,dice=1d3,fallback_ko={fallback_ko}")
    position = played(rules, begin(rules, LINE_2_IS_A_KO), "3 C3x 2")
    assert reason(rules, position, "B3") == "repetition"
    assert lines_open(rules, position) == lines
    assert describe_position(rules, position)["draw"]["open"] == lines


# Line 2 is full. Once Black has captured B3 from C3, B3 is its only free point, and a ko.
LINE_2_IS_A_KO = """
    . . . . .
    . X O O .
    X O . O .
    . X O O .
    . . . . .
"""


@pytest.mark.parametrize("fallback_ko", ["true", "false"])
def test_a5_suicide_never_blocks_the_fallback(fallback_ko: str) -> None:
    """000_b028ddfe0fa096f3.txt: "(formation de groupe sans liberté)"."""
    rules = parse(f"aleago:size=5,dice=1d2,star=true,fallback_ko={fallback_ko}")
    assert lines_open(rules, played(rules, begin(rules, THE_RING, WHITE), "2")) == [1]


# -- passes and the end ------------------------------------------------------------------------------------------------


def test_a_player_may_always_pass() -> None:
    """rules.md 1.1.6; "Dans le cas où les seules intersections disponibles ne l'intéressent pas ... doit passer"."""
    rules = parse("aleago:size=9")
    position = played(rules, rules.start(), "2 pass 3 pass")
    assert (position.turn, position.passes) == (3, 2)


def test_a6_two_passes_suspend() -> None:
    """[A-6] (a), the default: "two passes *suspend*; whoever objects plays on with the next draw"."""
    rules = parse("aleago:size=9")
    position = played(rules, rules.start(), "2 pass 3 pass")
    assert (rules.is_over(position), rules.is_suspended(position)) == (True, True)
    assert rules.outcome(position) == Outcome(WHITE, "score", 7.5)
    # The next dice are thrown; a stone objects, and one more pass agrees.
    assert position.to_play == CHANCE
    thrown = played(rules, position, "4")
    assert describe_position(rules, thrown)["draw"] is None
    objecting = played(rules, thrown, "E5")
    assert (rules.is_over(objecting), objecting.passes, objecting.turn) == (False, 0, 4)
    agreed = played(rules, thrown, "pass")
    assert (rules.is_final(agreed), agreed.turn) == (True, 4)
    assert agreed.to_play != CHANCE
    assert rules.actions(agreed) == ()


@pytest.mark.parametrize("thrown", ["", "4"], ids=["before the draw", "after the draw"])
def test_a6_resume_continues_with_the_next_draw(thrown: str) -> None:
    """gtp.md 4, `aleago-resume`: "play goes on with the next draw"."""
    rules = parse("aleago:size=9")
    position = played(rules, rules.start(), f"2 pass 3 pass {thrown}")
    resumed = rules.play(position, RESUME, position.mover)
    assert (rules.is_over(resumed), resumed.passes, resumed.mover, resumed.turn) == (False, 0, BLACK, 3)
    assert resumed.draws == position.draws
    again = played(rules, resumed, f"{'' if thrown else '4'} pass 1 pass")
    assert rules.is_suspended(again)


def test_a6_without_agreement_two_passes_end_it() -> None:
    """[A-6] (b), `agreement=false`: "two passes end, whoever wants more must play instead of passing"."""
    rules = parse("aleago:size=9,agreement=false")
    position = played(rules, rules.start(), "2 pass 3 pass")
    assert (rules.is_final(position), rules.is_suspended(position)) == (True, False)
    assert position.to_play != CHANCE
    assert reason(rules, position, "b:A1") == "game over"
    with pytest.raises(VariantsError):
        rules.play(position, RESUME)


@pytest.mark.parametrize("agreement", [True, False])
@pytest.mark.parametrize("passes", [1, 2, 3, 5])
def test_a6_the_double_pass_needs_the_set_number_of_passes(passes: int, agreement: bool) -> None:
    """[A-6] (c), `end_passes=K`."""
    rules = parse(f"aleago:size=9,end_passes={passes},agreement={str(agreement).lower()}")
    position = rules.start()
    for count in range(passes):
        assert not rules.is_over(position)
        assert rules.next_pass_ends(position) == (count == passes - 1)
        position = played(rules, position, "2 pass")
    assert rules.is_over(position)
    assert rules.is_suspended(position) == agreement
    assert rules.is_final(position) == (not agreement)
    if agreement:
        assert rules.is_final(played(rules, position, "1 pass"))


def test_a7_after_line_1_it_does_not_go_on_at_the_top() -> None:
    """[A-7]: "default **pass**"."""
    rules = parse("aleago:size=5,dice=1d3")
    diagram = """
        X X X X X
        X . O . X
        X O . O X
        X . O . X
        X X X X X
        """
    position = begin(rules, diagram)
    assert legal(rules, played(rules, position, "2")) == "B2 B4 D2 D4"
    assert rules.actions(played(rules, position, "1")) == (PASS,)


# -- other dice by agreement -------------------------------------------------------------------------------------------


def change(rules: Rules, position: Any, dice: str) -> Any:
    return rules.play(position, pack(SET_DICE, read_dice(dice).code))


@pytest.mark.parametrize(
    ("options", "dice", "throw", "lines"),
    [
        ("dice=2d4", "1d4", "4", list(range(4, 11))),
        ("dice=2d4", "1d4", "3", [3]),
        ("dice=2d6", "1d6", "6", [6]),
        ("dice=2d6,star=true", "1d6", "6", list(range(6, 11))),
        ("dice=2d4,double_whole_board=true", "1d4", "4", list(range(4, 11))),
    ],
)
def test_a8_one_die_late_keeps_the_star_of_the_row(options: str, dice: str, throw: str, lines: list[int]) -> None:
    """[A-8]: "from 2d4 the star stays (4 opens 4..10, "sur le(s) dé(s)"), from 2d6 there is none"."""
    rules = parse(f"aleago:size=19,{options}")
    assert lines_open(rules, played(rules, change(rules, rules.start(), dice), throw)) == lines


def test_a8_the_draw_of_the_side_to_move_is_thrown_again() -> None:
    """gtp.md 4, `aleago-set_dice`: "from the draw of the side to move on, which is thrown anew with the new dice"."""
    rules = parse("aleago:size=19,dice=2d4")
    position = played(rules, rules.start(), "2+2 D4 4+4")
    anew = change(rules, position, "1d4")
    assert (anew.to_play, anew.mover, anew.turn) == (CHANCE, WHITE, 2)
    assert len(rules.actions(anew)) == 5
    later = played(rules, anew, "1 A1 3")
    assert (later.mover, str(later.dice)) == (BLACK, "1d4")
    assert lines_open(rules, later) == [3]


def test_a8_with_the_crystal_ball_both_known_draws_are_thrown_again() -> None:
    rules = parse("aleago:size=19,dice=2d4,crystal_ball=true")
    position = change(rules, played(rules, rules.start(), "2+2 3+3"), "1d4")
    assert (position.to_play, position.draws) == (CHANCE, ())
    assert played(rules, position, "1 2").to_play == BLACK


@pytest.mark.parametrize(("ball", "casts"), [("false", [(1, 0), (2, 0), (0, 0)]), ("true", [(1, 1), (2, 2), (2, 0)])])
def test_a8_each_change_of_the_dice_in_a_turn_is_another_cast(ball: str, casts: list[tuple[int, int]]) -> None:
    """gtp.md 4: dice changed twice in a turn show other faces than dice changed once."""
    rules: Any = parse(f"aleago:size=9,dice=1d4,crystal_ball={ball}")
    once = change(rules, played(rules, rules.start(), "3 3" if ball == "true" else "3"), "1d6")
    twice = change(rules, once, "1d8")
    drawn = played(rules, twice, "1 1" if ball == "true" else "1")
    assert [once.casts, twice.casts, played(rules, drawn, "A1").casts] == casts
    assert [rules.throw_due(each) for each in (once, twice)] == [(1, 1), (1, 2)]


def test_a2_the_turn_without_a_line_is_told_and_never_falls_where_totals_are_thrown_again() -> None:
    rules: Any = parse("aleago:size=5,dice=2d6,overflow=reroll")
    start = rules.start()
    assert (rules.actions(start)[-1], rules.odds(start)[-1]) == (start.dice.free, 0.0)
    free = rules.play(start, start.dice.free, CHANCE)
    assert (free.to_play, rules.faces(free, free.draws[0]), rules.describe_draw(free)) == (BLACK, (), None)
    # Its number follows that of the last throw, whose faces would start over with a total that is thrown again here.
    own: Any = parse("aleago:size=2,mapping=3.3/3.3,dice=2d6,overflow=reroll")
    assert own.play(own.start(), own.start().dice.free, CHANCE).to_play == BLACK
    with pytest.raises(NotationError, match="there is no number 37"):
        rules.play(start, start.dice.free + 1, CHANCE)


def test_a8_dice_are_not_changed_after_the_end() -> None:
    rules = parse("aleago:size=9")
    suspended = played(rules, rules.start(), "2 pass 3 pass")
    for position in (suspended, played(rules, suspended, "1 pass")):
        with pytest.raises(ValueError, match="game over"):
            change(rules, position, "1d6")


@pytest.mark.parametrize("action", [RESIGN, FLAG, FORFEIT])
def test_nothing_is_thrown_for_a_game_that_somebody_left(action: int) -> None:
    rules: Any = parse("aleago:size=9")
    for position in (rules.start(), played(rules, rules.start(), "2 C2")):
        assert position.to_play == CHANCE
        left = rules.play(position, action, position.mover)
        assert (left.to_play, rules.actions(left)) == (left.mover, ())
        with pytest.raises(IllegalMove):
            rules.play(left, 0, CHANCE)


def test_a8_invalid_dice_are_refused_as_a_fault_of_the_word() -> None:
    """design.md: "`failure raises`": unreadable text raises NotationError, also if it comes from a damaged record."""
    rules = parse("aleago:size=9")
    for code in (0, 1000, 99_099):
        with pytest.raises(VariantsError):
            rules.play(rules.start(), pack(SET_DICE, code))
    rules = parse("aleago:size=3,overflow=reroll")
    with pytest.raises(VariantsError):
        change(rules, rules.start(), "5d2")


# -- the crystal ball --------------------------------------------------------------------------------------------------


def test_a9_one_draw_is_always_known_ahead() -> None:
    """[A-9]: "Draw order d1(B) d2(W), B places under d1; d3(B) thrown, W places under d2; ..."."""
    rules = parse("aleago:size=9,crystal_ball=true")
    position = rules.start()
    assert position.to_play == CHANCE
    position = played(rules, position, "1")
    assert position.to_play == CHANCE
    position = played(rules, position, "2")
    assert (position.to_play, lines_open(rules, position)) == (BLACK, [1])
    position = played(rules, position, "A1 3")
    assert (position.to_play, lines_open(rules, position)) == (WHITE, [2])
    # A pass consumes its draw.
    position = played(rules, position, "pass 4")
    assert (position.to_play, lines_open(rules, position)) == (BLACK, [3])
    position = played(rules, position, "C3 1")
    assert (position.to_play, lines_open(rules, position)) == (WHITE, [4, 5])


def test_a9_the_fallback_is_computed_when_the_stone_is_placed() -> None:
    """[A-9]: "Draws never depend on the board; the fallback is computed at placement time"."""
    rules = parse("aleago:size=3,dice=1d2,crystal_ball=true")
    position = played(rules, rules.start(), "2 2")
    assert legal(rules, position) == "B2"
    # White drew 2 while the tengen was still free.
    position = played(rules, position, "B2 1")
    assert lines_open(rules, position) == [1]


# -- the player without dice -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("free", "free_colour"), [("b", BLACK), ("w", WHITE)])
def test_a11_the_weaker_player_draws_nothing(free: str, free_colour: int) -> None:
    """[A-11]; "Le joueur le plus faible peut être dispensé de la contrainte" / "doesn't draw a random number"."""
    rules = parse(f"aleago:size=9,free_player={free}")
    position = rules.start()
    for _ in range(4):
        if position.mover == free_colour:
            assert position.to_play == free_colour
            assert lines_open(rules, position) == [1, 2, 3, 4, 5]
            assert describe_position(rules, position)["draw"] is None
        else:
            assert position.to_play == CHANCE
            position = played(rules, position, "3")
            assert lines_open(rules, position) == [3]
        position = rules.play(position, rules.actions(position)[0])


@pytest.mark.parametrize("free", ["b", "w"])
def test_a11_with_the_crystal_ball_only_the_other_draws(free: str) -> None:
    """[A-11]: "In crystal ball only the other draws"."""
    rules = parse(f"aleago:size=9,crystal_ball=true,free_player={free}")
    position = rules.start()
    draws = 0
    for turn in range(1, 9):
        while position.to_play == CHANCE:
            position = played(rules, position, "3")
            draws += 1
        free_now = (position.mover == BLACK) == (free == "b")
        assert lines_open(rules, position) == ([1, 2, 3, 4, 5] if free_now else [3])
        position = rules.play(position, rules.actions(position)[0])
        # The known draws are those of the other side in turns 1 to turn + 1.
        others = [number for number in range(1, turn + 2) if (number % 2 == 1) == (free == "w")]
        assert draws == len(others)


def test_a11_the_free_player_obeys_the_rules_of_go() -> None:
    rules = parse("aleago:size=5,free_player=w")
    position = played(rules, begin(rules, THE_RING, WHITE), "")
    assert reason(rules, position, "C3") == "suicide"


# -- mappings ----------------------------------------------------------------------------------------------------------


def test_a10_original_mapping_has_no_star_and_no_fallback() -> None:
    """[A-10]; "S'il n'y a plus de place, on est obligé de passer"."""
    rules = parse("aleago:size=5,dice=1d3,mapping=original")
    assert rules.actions(played(rules, begin(rules, THE_RING), "2")) == (PASS,)
    assert "star=false" in rules.spec


def test_a10_the_free_player_may_use_the_tengen() -> None:
    """rules.md, "Options by name": "With `mapping=original` the free player may use the tengen"."""
    rules = parse("aleago:size=5,dice=1d2,mapping=original,free_player=b")
    assert played(rules, rules.start(), "C3").stones[12] == BLACK


def test_a10_the_agreed_double_leaves_the_tengen_shut() -> None:
    """rules.md 1.3 [A-10]: "tengen unplayable for ever"."""
    rules = parse("aleago:size=5,dice=2d2,mapping=original,double_whole_board=true")
    thrown = played(rules, rules.start(), "2+2")
    assert len(rules.actions(thrown)) == 24 + 1
    assert reason(rules, thrown, "C3") == "line"


MINE = """
    1 1 2
    3 0 2
    3 3 2
"""


def test_a10_a_mapping_of_the_players_own() -> None:
    """[A-10]: "user-supplied map point->number"; gtp.md: "rows of numbers, from the top"."""
    mapping = mapping_from_rows(MINE)
    assert mapping == "1.1.2/3.0.2/3.3.2"
    rules = parse(f"aleago:size=3,dice=1d3,mapping={mapping}")
    assert rules.spec == parse(rules.spec).spec
    expected = {"1": "A3 B3", "2": "C1 C2 C3", "3": "A1 A2 B1"}
    for throw, points in expected.items():
        assert legal(rules, played(rules, rules.start(), throw)) == points
    # The fallback applies: it opens the line with the next lower number.
    start = rules.start({rules.board.point(vertex): BLACK for vertex in ("C1", "C2", "C3")}, BLACK)
    assert legal(rules, played(rules, start, "2")) == "A3 B3"


def test_a10_a_number_that_is_not_on_the_map_falls_back() -> None:
    rules = parse("aleago:size=2,dice=1d6,mapping=2.2/5.5,star=false")
    assert legal(rules, played(rules, rules.start(), "6")) == "A1 B1"
    assert legal(rules, played(rules, rules.start(), "4")) == "A2 B2"
    assert legal(rules, played(rules, rules.start(), "1")) == ""


@pytest.mark.parametrize("text", ["", "1 2\n3", "1 x\n2 3", "1 2 3\n4 5 6", "1 -2\n3 4", "1000 1\n1 1"])
def test_a10_a_mapping_that_is_no_square_of_numbers(text: str) -> None:
    with pytest.raises(NotationError):
        mapping_from_rows(text)


def test_a10_a_mapping_of_another_size() -> None:
    with pytest.raises(SpecError, match="expected 9"):
        parse("aleago:size=9,mapping=1.1/1.1")
    with pytest.raises(SpecError):
        lines_of(5, "1.1/1.1")


# -- being passed over, told draws -------------------------------------------------------------------------------------


def test_a_side_that_is_passed_over_uses_up_no_draw() -> None:
    """gtp.md 3: "the other side is taken to have been passed over, no pass and no draw are counted"."""
    rules = parse("aleago:size=9")
    position = played(rules, rules.start(), "2 B2")
    again = rules.play(position, TURN, BLACK)
    assert (again.mover, again.turn, again.draws, again.to_play) == (BLACK, 2, (), CHANCE)
    thrown = played(rules, position, "3")
    over = rules.play(thrown, TURN, BLACK)
    assert (over.to_play, lines_open(rules, over), over.turn) == (BLACK, [3], 2)


@pytest.mark.parametrize("crystal_ball", ["true", "false"])
def test_the_free_turn_does_not_go_over_to_the_other_side(crystal_ball: str) -> None:
    rules = parse(f"aleago:size=9,free_player=w,crystal_ball={crystal_ball}")
    position = rules.start()
    while position.to_play == CHANCE:
        position = played(rules, position, "2")
    white = rules.play(position, TURN, WHITE)
    while white.to_play == CHANCE:
        white = played(rules, white, "2")
    assert lines_open(rules, white) == [1, 2, 3, 4, 5]
    black = rules.play(white, TURN, BLACK)
    while black.to_play == CHANCE:
        black = played(rules, black, "4")
    assert lines_open(rules, black) in ([4, 5], [2])
    assert black.mover == BLACK


def test_a_host_can_lift_the_line_for_a_turn() -> None:
    """gtp.md 4: "`aleago-draw COLOUR free` lifts the line for this turn"."""
    rules = parse("aleago:size=9")
    position = played(rules, rules.start(), "free")
    assert lines_open(rules, position) == [1, 2, 3, 4, 5]
    assert describe_position(rules, position)["draw"] is None
    assert played(rules, position, "E5").to_play == CHANCE


def test_handicap_stones_are_not_bound_by_lines_and_count_no_turn() -> None:
    """gtp.md 3: "Aléago's lines do not bind them, no turn is counted, White begins"."""
    rules = parse("aleago:size=9")
    game = Game(rules, {rules.board.point("E5"): BLACK, rules.board.point("A1"): BLACK}, WHITE)
    position = game.position
    assert (position.mover, position.turn, position.to_play) == (WHITE, 1, CHANCE)


def test_repetition_is_ssk_and_passes_count() -> None:
    """rules.md 0: "in Aléago passes are so frequent that the anomaly would really occur"."""
    rules = parse("aleago:size=7,dice=1d4")
    diagram = """
        . . . . . . .
        . . . . . . .
        . . X O . . .
        . . O . O . .
        . . X O . . .
        . . . . . . .
        . . . . . . .
    """
    # Black plays B4, White passes, and Black takes the ko. Under nssk White could retake at once.
    position = played(rules, begin(rules, diagram), "2 B4 1 pass 4 D4x 3")
    assert reason(rules, position, "C4") == "repetition"
    nssk = parse("aleago:size=7,dice=1d4,repetition=nssk")
    played(nssk, begin(nssk, diagram), "2 B4 1 pass 4 D4x 3 C4x")


def test_a_throw_in_words_is_read_back() -> None:
    rules = parse("aleago:size=19,dice=2d4")
    start = rules.start()
    assert faces_of(rules, start, cast(start, "3+1")) == (3, 1)
    assert faces_of(rules, start, cast(start, "free")) == ()


@pytest.mark.parametrize("spec", ["aleago:size=5,dice=1d3", "aleago:size=19,dice=2d6", "aleago:size=7,dice=2d2"])
def test_a_draw_can_be_told_for_every_legal_point(spec: str) -> None:
    """gtp.md 5, on a saved game that is read again: "the draw is then the one that opens the stone's line"."""
    rules: Any = parse(spec)
    stones = {point: WHITE for point, line in enumerate(rings(rules.board.width)) if line == 2 and point % 3}
    position = rules.start(stones, BLACK)
    for point in rules.legal_points(position):
        thrown = rules.play(position, rules.opening_draw(position, point), CHANCE)
        assert point in rules.actions(thrown)


def test_the_dice_neither_pass_nor_swap() -> None:
    """The actor CHANCE can only throw."""
    rules = parse("aleago:size=5")
    for action in (PASS, SWAP):
        with pytest.raises(IllegalMove, match="not your turn"):
            rules.play(rules.start(), action, CHANCE)
