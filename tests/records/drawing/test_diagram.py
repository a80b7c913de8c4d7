"""Boards as text. The tests compare exactly what a person sees."""

from textwrap import dedent

import pytest

from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, RED, WHITE
from gtp_variants.rules.game import Game, random_game
from tests.records.games import game, names, recorded
from tests.support.specs import RECORDED


def seen(played: Game, colour: int | None = None) -> str:
    """Return the diagram of a game, or of one seat's view of it."""
    rules = played.rules
    view = None if colour is None else rules.view(played.heard(colour), colour)
    return "\n" + diagram(rules, played.position, view) + "\n"


def test_a_square_board() -> None:
    assert seen(game("go:size=9", "b C3, w E5, b D5, w G7")) == dedent(
        """
        9  . . . . . . . . .
        8  . . . . . . . . .
        7  . . + . . .(O). .
        6  . . . . . . . . .
        5  . . . X O . . . .
        4  . . . . . . . . .
        3  . . X . . . + . .
        2  . . . . . . . . .
        1  . . . . . . . . .
           A B C D E F G H J

        stones taken by Black 0, White 0
        turn 5: Black to play
        """
    )


def test_the_open_lines_of_aleago() -> None:
    played = game("aleago:size=7,dice=2d3,star=true", "chance 1 2, b C3, chance 3 3")
    assert seen(played) == dedent(
        """
        7  * * * * * * *
        6  * . . . . . *
        5  * . + . + . *
        4  * . . + . . *
        3  * .(X). + . *
        2  * . . . . . *
        1  * * * * * * *
           A B C D E F G

        draw 3 + 3 = 6: line 1 is open
        stones taken by Black 0, White 0
        turn 2: White to play
        * open
        """
    )


def test_dice_that_are_still_to_be_thrown_in_french() -> None:
    assert seen(game("aleago:size=3,lang=fr", "")) == dedent(
        """
        3  . . .
        2  . . .
        1  . . .
           A B C

        pierres prises par Noir 0, Blanc 0
        tour 1\u00a0: Noir joue
        on lance les dés pour Noir
        """
    )


def test_what_a_seat_of_go_fantome_knows() -> None:
    played = game("phantom:size=3,lang=fr", "b B2, w B2, w A1, b A1, b B1")
    assert seen(played) == dedent(
        """
        3  . . .
        2  . X .
        1  O(X).
           A B C

        pierres prises par Noir 0, Blanc 0
        tour 4\u00a0: Blanc joue
        """
    )
    assert seen(played, WHITE) == dedent(
        """
        3  . . .
        2  . . .
        1 (O). .
           A B C

        pierres prises par Noir 0, Blanc 0
        2 pierres noires sur le goban que Blanc ne voit pas
        tour 4\u00a0: Blanc joue
        """
    )
    played.undo()
    assert seen(played, BLACK) == dedent(
        """
        3  . . .
        2  .(X).
        1  ? . .
           A B C

        pierres prises par Noir 0, Blanc 0
        1 pierre blanche sur le goban que Noir ne voit pas
        tour 3\u00a0: Noir joue
        ? refusé
        """
    )


def test_a_honeycomb_and_its_immune_rosettes() -> None:
    rules = parse("rosette:n=2")
    black = {rules.board.point(vertex): BLACK for vertex in "C3 D3 C4 E4 D5 E5".split()}
    played = Game(rules, {**black, rules.board.point("B1"): WHITE, rules.board.point("C1"): WHITE})
    played.play(BLACK, rules.board.point("A2"))
    assert seen(played) == dedent(
        """
                7  .   .
          6  .   .       .   .
        5  .      [X] [X]      .
          4  .  [X]     [X]  .   G
        3  .      [X] [X]      .
          2 (X)  .       .   .   F
            1  A   O   O   D   E
                     B   C

        stones taken by Black 0, White 0
        turn 2: White to play
        [ ] immune
        """
    )


def test_a_trapezoid_and_its_winning_row() -> None:
    played = game("pentalath", "w C3, b A1, w D3, b B1, w E3, b G7, w F3, b N7, w B3")
    assert seen(played) == dedent(
        """
        7  .   .   .   .   .   .   X   .   .   .   .   .   X
          6  .   .   .   .   .   .   .   .   .   .   .   .   N
            5  .   .   .   .   .   .   .   .   .   .   .   M
              4  .   .   .   .   .   .   .   .   .   .   L
                3  .  (O) [O] [O] [O] [O]  .   .   .   K
                  2  .   .   .   .   .   .   .   .   J
                    1  X   X   .   .   .   .   .   H
                         A   B   C   D   E   F   G

        stones taken by White 0, Black 0
        White wins with five in a row
        [ ] five in a row
        """
    )


def test_three_colours() -> None:
    played = game("pentalath:board=hexhex5,players=3", "w E5, b D4, r F6", {0: RED, 1: BLACK, 2: WHITE})
    assert seen(played) == dedent(
        """
                9  .   .   .   .   .
              8  .   .   .   .   .   .
            7  .   .   .   .   .   .   .
          6  .   .   .   .  (R)  .   .   .
        5  .   .   .   .   O   .   .   .   .
          4  .   .   .   X   .   .   .   .   J
            3  .   .   .   .   .   .   .   H
              2  .   .   .   .   .   .   G
                1  R   X   O   .   .   F
                     A   B   C   D   E

        stones taken by White 0, Black 0, Red 0
        turn 4: White to play
        """
    )


@pytest.mark.parametrize("name", names())
def test_no_diagram_is_wider_than_100_columns(name: str) -> None:
    played = recorded(name)
    for colour in (None, *played.rules.colours):
        lines = seen(played, colour).split("\n")
        assert max(map(len, lines)) <= 100
        assert all(line == line.rstrip() for line in lines)


def test_a_game_is_drawn_as_it_stands_to_its_end() -> None:
    played = random_game(parse("pentalath"), seed=2)
    assert played.outcome is not None
    assert diagram(played) == diagram(played.rules, played.position)
    assert played.outcome.sentence() in diagram(played)


@pytest.mark.parametrize("spec", RECORDED)
def test_every_point_is_drawn_once(spec: str) -> None:
    rules = parse(spec)
    full = Game(rules)
    board = diagram(rules, full.position).split("\n\n")[0]
    assert sum(board.count(mark) for mark in ".+*") == len(rules.board)
