"""The basic rules shared by Aléago, Go Fantôme and Rosette (rules.md 0), tested on ordinary Go."""

import pytest

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    FLAG,
    FORFEIT,
    MARK_DEAD,
    PASS,
    RED,
    RESIGN,
    RESUME,
    SETTLE,
    SWAP,
    TURN,
    WHITE,
    Event,
    pack,
    unpack,
)
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.traits import faces_of
from tests.boards import begin, drawn, legal, picture, played, reason, refusal

# -- capture -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        pytest.param(
            """
            . . .
            X O .
            . X .
            """,
            "B3",
            """
            . X .
            X O .
            . X .
            """,
            id="a liberty left",
        ),
        pytest.param(
            """
            . X .
            X O .
            . X .
            """,
            "C2x",
            """
            . X .
            X . X
            . X .
            """,
            id="one stone",
        ),
        pytest.param(
            """
            O O X .
            O X . .
            . X . .
            X . . .
            """,
            "A2x",
            """
            . . X .
            . X . .
            X X . .
            X . . .
            """,
            id="a chain round the corner",
        ),
        pytest.param(
            """
            . X O .
            X O . X
            . X O .
            . . X .
            """,
            "C3x",
            """
            . X O .
            X . X X
            . X O .
            . . X .
            """,
            id="one of three chains around the stone",
        ),
        pytest.param(
            """
            . O X .
            O . O X
            X O X .
            . X . .
            """,
            "B3x",
            """
            . O X .
            O X . X
            X . X .
            . X . .
            """,
            id="several chains together",
        ),
        pytest.param(
            """
            . O X .
            O O X .
            X X X .
            . . . .
            """,
            "A4x",
            """
            X . X .
            . . X .
            X X X .
            . . . .
            """,
            id="no liberty of its own until it captures",
        ),
    ],
)
def test_enemy_chains_without_liberty_are_removed_together(before: str, move: str, after: str) -> None:
    """rules.md 0: "first remove every enemy chain left without liberty, all together"."""
    rules = parse(f"go:size={len(drawn(before).splitlines())}")
    position = played(rules, begin(rules, before), move)
    assert picture(rules.board, position.stones) == drawn(after)


def test_captured_stones_are_counted_and_named() -> None:
    rules = parse("go:size=4")
    diagram = """
        O O X .
        O X . .
        . X . .
        X . . .
        """
    position = played(rules, begin(rules, diagram), "A2x")
    assert [rules.board.vertex(point) for point in position.captured] == ["A3", "A4", "B4"]
    assert position.taken[BLACK] == 3
    assert position.taken[WHITE] == 0
    assert position.last == Event(BLACK, rules.board.point("A2"))
    position = played(rules, position, "D1")
    assert position.captured == ()
    assert position.taken[BLACK] == 3


@pytest.mark.parametrize(
    ("diagram", "point"),
    [
        pytest.param(
            """
            . O . .
            O . O .
            . O . .
            . . . .
            """,
            "B3",
            id="one stone",
        ),
        pytest.param(
            """
            X . O .
            O O . .
            . . . .
            . . . .
            """,
            "B4",
            id="a chain",
        ),
        pytest.param(
            """
            . X O .
            X X O .
            O O O .
            . . . .
            """,
            "A4",
            id="the last liberty of one's own chain",
        ),
    ],
)
def test_no_suicide(diagram: str, point: str) -> None:
    """rules.md 0: "if the chain of the placed stone has no liberty, the placement was illegal"."""
    rules = parse("go:size=4")
    position = begin(rules, diagram)
    assert reason(rules, position, point) == "suicide"
    assert rules.board.point(point) not in rules.actions(position)


# -- repetition --------------------------------------------------------------------------------------------------------

ALL = {"none", "simple", "psk", "ssk", "nssk"}

KO = """
    . X O .
    X O . .
    . X O .
    . . . .
"""
# The same shape before Black closed it on the left.
KO_OPEN = """
    . X O .
    . O . O
    . X O .
    . . . .
"""
TWO_FOR_ONE = """
    . . . .
    . . . .
    O O X .
    . X . X
"""
TWO_FOR_ONE_OPEN = """
    . . . .
    . . . .
    O O X .
    . . . X
"""


@pytest.mark.parametrize("repetition", sorted(ALL))
@pytest.mark.parametrize(
    ("diagram", "to_play", "moves", "last", "allowed_by"),
    [
        pytest.param(KO, WHITE, "D3 C3x", "B3x", {"none"}, id="retaken at once"),
        pytest.param(
            KO_OPEN, BLACK, "A3 pass C3x", "B3x", {"none", "nssk"}, id="retaken at once, the ko made by the other"
        ),
        pytest.param(KO, WHITE, "D3 C3x A1 D1", "B3x", ALL, id="retaken after a threat"),
        pytest.param(KO, WHITE, "D3 C3x pass D1", "B3x", ALL, id="retaken after a pass and a stone"),
        pytest.param(KO, WHITE, "D3 C3x pass pass", "B3x", {"none", "simple"}, id="retaken after two passes"),
        pytest.param(KO, WHITE, "D3 C3x turn D1", "B3x", ALL, id="retaken after White was passed over"),
        pytest.param(
            TWO_FOR_ONE, BLACK, "A1 C1x", "B1x", ALL - {"psk"}, id="two sent, one returned, the other to move"
        ),
        pytest.param(
            TWO_FOR_ONE_OPEN,
            BLACK,
            "B1 pass A1 C1x",
            "B1x",
            {"none", "simple"},
            id="two sent, one returned, by its maker",
        ),
        pytest.param(
            TWO_FOR_ONE_OPEN,
            BLACK,
            "B1 turn A1 C1x",
            "B1x",
            {"none", "simple"},
            id="the same, White passed over",
        ),
    ],
)
def test_repetition(repetition: str, diagram: str, to_play: int, moves: str, last: str, allowed_by: set[str]) -> None:
    """rules.md 0, "Repetition options" and "NSSK or SSK?"."""
    rules = parse(f"go:size=4,repetition={repetition}")
    position = begin(rules, diagram, to_play)
    for move in moves.split():
        if move == "turn":
            position = rules.play(position, TURN, 3 - position.mover)
        else:
            position = played(rules, position, move)
    point = rules.board.point(last.removesuffix("x"))
    assert (point in rules.actions(position)) == (repetition in allowed_by)
    if repetition in allowed_by:
        played(rules, position, last)
    else:
        assert reason(rules, position, last) == "repetition"


@pytest.mark.parametrize("repetition", ["psk", "ssk"])
def test_the_start_position_counts(repetition: str) -> None:
    """rules.md 0: "any earlier board"; the first of them is the board that was set up."""
    rules = parse(f"go:size=4,repetition={repetition}")
    diagram = """
        . X O .
        X O . O
        . X O .
        . . . .
    """
    assert reason(rules, played(rules, begin(rules, diagram), "C3x"), "B3") == "repetition"


def test_a_long_cycle_ends_by_superko_only() -> None:
    """rules.md 0: "psk (any earlier board)": a cycle of three kos that `simple` does not see."""
    diagram = """
        . X O . . . .
        X O . O . . .
        . X O . . . .
        . . . . X O .
        . X O X O . O
        X . X O X O .
        . X O . . . .
    """
    for repetition, refused in (("simple", False), ("psk", True), ("ssk", True)):
        rules = parse(f"go:size=7,repetition={repetition}")
        position = begin(rules, diagram)
        cycle = "C6x B2x F3x B6x C2x E3x"
        if refused:
            position = played(rules, position, cycle.rsplit(maxsplit=1)[0])
            assert reason(rules, position, "E3") == "repetition"
        else:
            position = played(rules, position, f"{cycle} {cycle}")
            assert picture(rules.board, position.stones) == drawn(diagram)


# -- the end -----------------------------------------------------------------------------------------------------------


def test_two_passes_suspend_and_a_third_confirms() -> None:
    """gtp.md 3: "The end by passes is provisional ... and one more pass confirms the end"."""
    rules = parse("go:size=3")
    position = played(rules, rules.start(), "B2 pass")
    assert (rules.is_over(position), rules.next_pass_ends(position)) == (False, True)
    assert rules.outcome(position) is None
    position = played(rules, position, "pass")
    assert (rules.is_over(position), rules.is_suspended(position), rules.is_final(position)) == (True, True, False)
    assert rules.outcome(position) == Outcome(BLACK, "score", 1.5)
    # Points and the pass are still listed.
    assert legal(rules, position) == "A1 A2 A3 B1 B3 C1 C2 C3"
    assert PASS in rules.actions(position)
    position = played(rules, position, "pass")
    assert (rules.is_over(position), rules.is_suspended(position), rules.is_final(position)) == (True, False, True)
    assert rules.outcome(position) == Outcome(BLACK, "score", 1.5)
    assert rules.actions(position) == ()
    assert reason(rules, position, "A1") == "game over"
    assert reason(rules, position, "pass") == "game over"
    assert reason(rules, position, "b:resign") == "game over"


def test_a_stone_opens_the_suspended_game_again() -> None:
    """gtp.md 3: "a stone by `play` or `genmove` opens the game again"."""
    rules = parse("go:size=3")
    position = played(rules, rules.start(), "B2 pass pass C1")
    assert (rules.is_over(position), position.passes) == (False, 0)
    assert rules.outcome(position) is None
    assert rules.is_suspended(played(rules, position, "pass pass"))


@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_either_side_may_object_to_the_end_or_confirm_it(colour: int) -> None:
    """gtp.md 3: "a stone ... opens the game again", whichever side plays it; "one more pass confirms the end"."""
    rules = parse("go:size=3")
    suspended = rules.play(played(rules, rules.start(), "B2 pass pass"), TURN, colour)
    assert (rules.is_suspended(suspended), suspended.mover) == (True, colour)
    assert not rules.is_over(played(rules, suspended, "A1"))
    assert rules.is_final(played(rules, suspended, "pass"))


def test_a_suspended_game_is_resumed_or_settled() -> None:
    rules = parse("go:size=3")
    suspended = played(rules, rules.start(), "B2 pass pass")
    resumed = rules.play(suspended, RESUME)
    assert (rules.is_over(resumed), resumed.passes, resumed.mover) == (False, 0, WHITE)
    settled = rules.play(suspended, SETTLE)
    assert rules.is_final(settled)
    assert rules.outcome(settled) == Outcome(BLACK, "score", 1.5)
    assert reason(rules, settled, "A1") == "game over"
    for action in (RESUME, SETTLE):
        with pytest.raises(NotationError):
            rules.play(rules.start(), action)


def test_passes_count_only_in_a_row() -> None:
    rules = parse("go:size=3")
    position = played(rules, rules.start(), "pass B2 pass A1 pass")
    assert (position.passes, rules.is_over(position)) == (1, False)


@pytest.mark.parametrize(
    ("leaving", "how", "sgf"), [(RESIGN, "resign", "R"), (FLAG, "time", "T"), (FORFEIT, "forfeit", "F")]
)
@pytest.mark.parametrize("moves", ["", "B2", "B2 pass pass"], ids=["at the start", "later", "suspended"])
@pytest.mark.parametrize("loser", [BLACK, WHITE])
def test_either_side_may_leave_at_any_moment(leaving: int, how: str, sgf: str, moves: str, loser: int) -> None:
    """gtp.md 3, `final_score`: "`W+R`, `W+T`"; 4, `variant-result`: "`B+F` by forfeit"."""
    rules = parse("go:size=3")
    position = rules.play(played(rules, rules.start(), moves), leaving, loser)
    outcome = rules.outcome(position)
    assert outcome == Outcome(3 - loser, how)
    assert outcome.sgf == outcome.gtp == f"{'BW'[2 - loser]}+{sgf}"
    assert rules.is_final(position)
    assert position.last == Event(loser, leaving)
    for action in (PASS, 0, RESIGN, FLAG, FORFEIT, SETTLE, RESUME):
        with pytest.raises(ValueError, match="game over"):
            rules.play(position, action)


@pytest.mark.parametrize("actor", [CHANCE, RED])
def test_a_colour_that_does_not_play_cannot_resign(actor: int) -> None:
    """rules.md 0: two colours play; a third colour's resignation is no win for either."""
    rules = parse("go:size=3")
    with pytest.raises(ValueError, match=r"not your turn|resign|colour"):
        rules.play(rules.start(), RESIGN, actor)


# -- the score ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("diagram", "komi", "outcome"),
    [
        pytest.param(
            """
            . . .
            . . .
            . . .
            """,
            7.5,
            Outcome(WHITE, "score", 7.5),
            id="empty board",
        ),
        pytest.param(
            """
            . . .
            . X .
            . . .
            """,
            7.5,
            Outcome(BLACK, "score", 1.5),
            id="one stone owns everything",
        ),
        pytest.param(
            """
            . X O
            X X O
            X O .
            """,
            0,
            Outcome(BLACK, "score", 1),
            id="stones and territory",
        ),
        pytest.param(
            """
            X . O
            X . O
            X . O
            """,
            0,
            Outcome(None, "score"),
            id="between both it is nobody's",
        ),
        pytest.param(
            """
            X . O
            X . O
            X . O
            """,
            0.5,
            Outcome(WHITE, "score", 0.5),
            id="half a point",
        ),
        pytest.param(
            """
            X X .
            X X .
            . . O
            """,
            -2.5,
            Outcome(BLACK, "score", 5.5),
            id="dead stones count as they stand",
        ),
    ],
)
def test_area_score(diagram: str, komi: float, outcome: Outcome) -> None:
    """rules.md 0: "stones on the board + empty regions bordered by exactly one colour. White adds komi"."""
    rules = parse(f"go:size=3,komi={komi}")
    position = begin(rules, diagram)
    assert rules.standing(position) == outcome
    assert rules.outcome(played(rules, position, "pass pass")) == outcome


@pytest.mark.parametrize(
    ("outcome", "sgf", "gtp"),
    [
        (Outcome(BLACK, "score", 7.5), "B+7.5", "B+7.5"),
        (Outcome(WHITE, "score", 3), "W+3", "W+3"),
        (Outcome(WHITE, "score", 0.1), "W+0.1", "W+0.1"),
        (Outcome(None, "score"), "0", "0"),
        (Outcome(None, "repetition"), "0", "0"),
        (Outcome(WHITE, "resign"), "W+R", "W+R"),
        (Outcome(BLACK, "time"), "B+T", "B+T"),
        (Outcome(BLACK, "forfeit"), "B+F", "B+F"),
        (Outcome(WHITE, "five"), "W+", "W+1"),
        (Outcome(BLACK, "suicide"), "B+", "B+1"),
        (Outcome(RED, "five"), "R+", "R+1"),
        (Outcome(WHITE, "blocked"), "W+", "W+1"),
    ],
)
def test_results_in_words_of_sgf_and_gtp(outcome: Outcome, sgf: str, gtp: str) -> None:
    """gtp.md 3: "a win that has no score (five, lone suicide) is `W+1` ... three players: `R+1`"."""
    assert (outcome.sgf, outcome.gtp) == (sgf, gtp)


@pytest.mark.parametrize(
    ("outcome", "english", "french"),
    [
        (Outcome(BLACK, "score", 1), "Black wins by 1 point", "Noir gagne de 1 point"),
        (Outcome(WHITE, "score", 7.5), "White wins by 7.5 points", "Blanc gagne de 7,5 points"),
        (Outcome(RED, "resign"), "Red wins by resignation", "Rouge gagne par abandon"),
        (Outcome(BLACK, "time"), "Black wins on time", "Noir gagne au temps"),
        (Outcome(BLACK, "forfeit"), "Black wins by forfeit", "Noir gagne par forfait"),
        (Outcome(None, "repetition"), "a draw by repetition", "partie nulle par répétition"),
        (Outcome(None, "blocked"), "a draw: there is no move left", "partie nulle\u00a0: il n'y a plus de coup"),
    ],
)
def test_results_in_sentences(outcome: Outcome, english: str, french: str) -> None:
    assert outcome.sentence() == outcome.sentence("en") == english
    assert outcome.sentence("fr") == french


@pytest.mark.parametrize("how", ["score", "resign", "time", "forfeit", "five", "suicide", "blocked"])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_every_win_has_a_sentence(how: str, lang: str) -> None:
    assert Outcome(BLACK, how, 0.5).sentence(lang)


@pytest.mark.parametrize("how", ["score", "repetition", "blocked"])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_every_draw_has_a_sentence(how: str, lang: str) -> None:
    assert Outcome(None, how).sentence(lang)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7.5, "7.5"),
        (3.0, "3"),
        (0.1, "0.1"),
        (-0.5, "-0.5"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e-9, "0"),
        (1234567.0, "1234567"),
    ],
)
def test_numbers_are_the_shortest_decimal(value: float, text: str) -> None:
    """gtp.md 3: "`final_score` is `B+7.5`, `W+3` (shortest decimal)"."""
    assert format_number(value) == text


# -- dead stones -------------------------------------------------------------------------------------------------------

DEAD = """
    . X . O O
    X X . O .
    . X . O O
    X X O O .
    . X . O X
"""


def test_no_stones_are_removed_unless_both_agree() -> None:
    """rules.md 0: "No dead-stone removal unless both agree (option `dead=`)"."""
    rules = parse("go:size=5,komi=2,dead=none")
    position = played(rules, begin(rules, DEAD), "pass pass")
    assert rules.outcome(position) == Outcome(None, "score")
    with pytest.raises(NotationError):
        rules.play(position, pack(MARK_DEAD, rules.board.point("E1")))


def test_chains_that_both_call_dead_are_taken_off_first() -> None:
    """rules.md, "Options by name": `dead=agreed`."""
    rules = parse("go:size=5,komi=2,dead=agreed")
    start = begin(rules, DEAD)
    mark = pack(MARK_DEAD, rules.board.point("E1"))
    with pytest.raises(NotationError):
        rules.play(start, mark)
    position = played(rules, start, "pass pass")
    assert rules.outcome(position) == Outcome(None, "score")
    marked = rules.play(position, mark)
    assert rules.outcome(marked) == Outcome(WHITE, "score", 3)
    assert marked.stones == position.stones
    # Marking a chain again removes the mark; a stone that reopens the game clears all marks.
    assert rules.outcome(rules.play(marked, mark)) == Outcome(None, "score")
    assert played(rules, marked, "C3").dead == frozenset()
    # The marks stay when the end is confirmed.
    assert rules.outcome(played(rules, marked, "pass")) == Outcome(WHITE, "score", 3)
    assert rules.play(marked, RESUME).dead == frozenset()
    with pytest.raises(NotationError):
        rules.play(position, pack(MARK_DEAD, rules.board.point("C1")))


def test_a_whole_chain_is_marked_dead() -> None:
    rules = parse("go:size=5,komi=2,dead=agreed")
    position = played(rules, begin(rules, DEAD), "pass pass")
    marked = rules.play(position, pack(MARK_DEAD, rules.board.point("D5")))
    assert len(marked.dead) == 8
    assert rules.play(marked, pack(MARK_DEAD, rules.board.point("D1"))) == position


# -- whose turn it is --------------------------------------------------------------------------------------------------


def test_black_begins_and_the_sides_alternate() -> None:
    rules = parse("go:size=3")
    position = rules.start()
    assert position.mover == BLACK
    assert played(rules, position, "A1").mover == WHITE
    assert played(rules, position, "A1 pass").mover == BLACK
    assert reason(rules, position, "w:A1") == "not your turn"
    assert reason(rules, position, "r:A1") == "not your turn"


def test_a_side_may_be_passed_over() -> None:
    """gtp.md 3: "the other side is taken to have been passed over, no pass and no draw are counted"."""
    rules = parse("go:size=3")
    position = played(rules, rules.start(), "A1")
    again = rules.play(position, TURN, BLACK)
    assert (again.mover, again.turn, again.passes, again.stones) == (BLACK, 2, 0, position.stones)
    assert played(rules, again, "B1").mover == WHITE
    assert rules.play(position, TURN, WHITE) == position


def test_being_passed_over_is_no_pass() -> None:
    """002_de0d3e2916539ccb.txt: "La partie s'arrête lorsque les deux joueurs passent consécutivement".

    If Black passes, White is passed over, and Black passes again, these are not passes of both players.
    """
    rules = parse("go:size=3")
    position = played(rules, rules.start(), "pass")
    position = played(rules, rules.play(position, TURN, BLACK), "pass")
    assert not rules.is_over(position)


def test_handicap_stones_stand_before_the_first_turn() -> None:
    """gtp.md 3: "no turn is counted, White begins"."""
    rules = parse("go:size=9")
    stones = {rules.board.point(vertex): BLACK for vertex in ("C3", "G7", "C7")}
    position = rules.start(stones, WHITE)
    assert (position.mover, position.turn, position.passes) == (WHITE, 1, 0)
    assert position.last is None
    assert {point: BLACK for point, colour in enumerate(position.stones) if colour} == stones


def test_a_setup_must_be_able_to_stand() -> None:
    rules = parse("go:size=3")
    with pytest.raises(NotationError, match="A1 has no liberty"):
        rules.start({rules.board.point("A1"): BLACK, **{rules.board.point(v): WHITE for v in ("A2", "B1")}})
    with pytest.raises(NotationError, match="Red"):
        rules.start({0: RED})


# -- what is refused, and why ------------------------------------------------------------------------------------------


def test_the_first_reason_that_applies_is_given() -> None:
    """gtp.md 3: "If several reasons apply, the first of: `game over`, `not your turn`, ..."."""
    rules = parse("go:size=3")
    position = played(rules, rules.start(), "B2")
    assert reason(rules, position, "b:B2") == "not your turn"
    assert reason(rules, position, "w:B2") == "occupied"
    assert reason(rules, position, "w:D4") == "off board"
    over = played(rules, position, "pass pass pass")
    assert reason(rules, over, "b:B2") == "game over"
    assert refusal(rules, over, "w:B2").reason == "game over"
    with pytest.raises(ValueError, match="off board"):
        rules.play(position, 9)
    with pytest.raises(ValueError, match="not your turn"):
        rules.play(position, 9, BLACK)
    with pytest.raises(ValueError, match="no swap"):
        rules.play(position, SWAP)


@pytest.mark.parametrize(
    ("lang", "sentence"), [("en", "B2 holds a black stone"), ("fr", "B2 porte une pierre noire")], ids=["en", "fr"]
)
def test_a_refusal_says_why_in_the_language_of_the_game(lang: str, sentence: str) -> None:
    rules = parse(f"go:size=3,lang={lang}")
    error = refusal(rules, played(rules, rules.start(), "B2"), "B2")
    assert (error.reason, error.sentence) == ("occupied", sentence)
    assert str(error) == f"(occupied): {sentence}"


def test_a_refusal_of_a_colour_that_does_not_play_is_in_one_language() -> None:
    rules = parse("go:size=3,lang=fr")
    with pytest.raises(ValueError, match="c'est à Noir de jouer"):
        rules.play(rules.start(), TURN, RED)


def test_dice_and_hidden_things_are_of_other_games() -> None:
    rules = parse("go:size=3")
    position = rules.start()
    assert faces_of(rules, position, 0) == ()
    with pytest.raises(ValueError, match="thrown"):
        rules.odds(position)
    with pytest.raises(ValueError, match="dice"):
        rules.play(position, pack(-5, 1006))


@pytest.mark.parametrize("kind", range(-1, -11, -1))
@pytest.mark.parametrize("argument", [0, 1, 7, 360, 99_999])
def test_a_kind_and_an_argument_make_an_action(kind: int, argument: int) -> None:
    assert unpack(pack(kind, argument)) == (kind, argument)
    assert pack(kind, argument) < 0


def test_dead_stones_are_agreed_on_before_the_end_is_confirmed() -> None:
    """gtp.md 3: "one more pass confirms the end. After that ...: `game over`"."""
    rules = parse("go:size=5,dead=agreed")
    position = played(rules, rules.start(), "A1 C3 pass pass")
    point = rules.board.point("A1")
    position = rules.play(position, pack(MARK_DEAD, point))
    assert position.dead == {point}
    position = played(rules, position, "pass")
    with pytest.raises(IllegalMove, match="game over"):
        rules.play(position, pack(MARK_DEAD, point))
