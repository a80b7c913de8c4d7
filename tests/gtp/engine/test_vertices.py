"""Points, vertices and colours (gtp.md 2)."""

import pytest

from tests.gtp.talk import Talk


@pytest.mark.parametrize(
    ("spec", "count", "first", "last"),
    [
        ("go:size=25", 625, "A1", "Z25"),
        ("aleago:free_player=b", 169, "A1", "N13"),
        ("phantom", 81, "A1", "J9"),
        ("rosette", 294, "A7", "AB21"),
        ("rosette:n=13", 1014, "A13", "AZ39"),
        ("pentalath", 70, "A1", "N7"),
        ("pentalath:board=hexhex5", 61, "A1", "J9"),
        ("alter-igo:width=25,height=2", 50, "A1", "Z2"),
    ],
)
def test_points_have_names_by_column_and_row(spec: str, count: int, first: str, last: str) -> None:
    points = [word for word in Talk(spec)("variant-legal_moves").split() if word != "pass"]
    assert len(points) == count
    assert points[0] == first
    assert last in points
    assert not any("I" in point for point in points)


def test_columns_go_on_with_two_letters_and_leave_out_i() -> None:
    talk = Talk("rosette:n=13")
    points = talk("variant-legal_moves").split()
    columns = list(dict.fromkeys(point.rstrip("0123456789") for point in points if point != "pass"))
    assert columns[7:10] == ["H", "J", "K"]
    assert columns[24:27] == ["Z", "AA", "AB"]
    assert columns[-1] == "BA"
    assert "AI" not in columns


def test_lists_are_in_order_of_column_then_row() -> None:
    talk = Talk("go:size=11")
    points = talk("variant-legal_moves").split()
    assert points[:12] == ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11", "B1"]
    talk.plays("b:K11 b:A10 b:A2 b:B1")
    assert list(talk.state()["stones"]) == ["A2", "A10", "B1", "K11"]


def test_words_are_read_in_either_case_and_written_in_one() -> None:
    talk = Talk("go:size=5")
    talk.plays("B:a1 wHiTe:b2 black:PASS W:Pass")
    assert talk.state()["stones"] == {"A1": "b", "B2": "w"}
    assert talk.state()["last"] == {"colour": "w", "vertex": "pass", "captured": []}
    talk("play b RESIGN")
    assert talk.state()["last"]["vertex"] == "resign"


def test_three_colours_have_names() -> None:
    talk = Talk("pentalath:players=3")
    talk.plays("white:A1 black:B2 red:C3 w:A2 b:B1 R:D4")
    assert talk.state()["stones"]["D4"] == "r"


@pytest.mark.parametrize("word", ["I1", "A", "1", "A0", "A00", "A-1", "A1B", "AI3", "é4", "A\u0661", "swapp", "D4D4"])
def test_an_unreadable_word_is_an_invalid_vertex(word: str) -> None:
    assert Talk("go:size=5").fails(f"play b {word}").startswith("invalid colour or vertex: ")


@pytest.mark.parametrize("word", ["x", "blue", "blacks", "1", "é"])
def test_other_words_are_an_invalid_colour(word: str) -> None:
    talk = Talk("go:size=5")
    assert talk.fails(f"play {word} A1").startswith("invalid colour or vertex: ")
    assert talk.fails(f"genmove {word}").startswith("invalid colour or vertex: ")


@pytest.mark.parametrize("word", ["F1", "A6", "Z1", "AA1", "ZZZZZZZZZZZZ1", "A99999999999999999999", "z26"])
@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5", "phantom:size=5", "alter-igo:size=5"])
def test_a_vertex_that_can_be_read_but_is_no_point_is_off_the_board(spec: str, word: str) -> None:
    talk = Talk(spec)
    assert talk.reason(f"play b {word}") == "off board"


def test_cells_of_the_grid_that_are_no_points_are_off_the_board() -> None:
    assert Talk("rosette:n=2").reason("play b D4") == "off board"
    assert Talk("rosette:n=2").reason("play b A1") == "off board"
    assert Talk("pentalath").reason("play w A8") == "off board"
    assert Talk("pentalath").reason("play w H1") == "off board"
