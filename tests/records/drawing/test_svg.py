"""Boards as SVG: well formed, self-contained, and with every stone where `Board.drawn_at` places it."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import gtp_variants as gv
from gtp_variants.records.drawing.svg import svg
from gtp_variants.rules import parse
from gtp_variants.rules.actions import WHITE
from tests.records.drawing.golden import FOLDER, pictures
from tests.records.games import game, names, recorded

SVG = "{http://www.w3.org/2000/svg}"
# The radii of stones on lines and of stones in hexagons.
STONE_RADII = ("18.4", "16.8")
SHADOW = "#3a2608"


def elements(text: str, name: str) -> list[dict[str, str]]:
    """Return the attributes of every element with this name."""
    return [dict(each.attrib) for each in ElementTree.fromstring(text).iter(f"{SVG}{name}")]


def stones_of(text: str) -> list[dict[str, str]]:
    """Return the circles that are stones, each with the fill colour of its group."""
    groups = ElementTree.fromstring(text).iter(f"{SVG}g")
    return [
        {**circle.attrib, "fill": group.attrib["fill"]}
        for group in groups
        for circle in group
        if circle.attrib.get("r") in STONE_RADII and group.attrib["fill"] != SHADOW
    ]


@pytest.mark.parametrize("name", names())
def test_every_stone_is_drawn_and_nothing_comes_from_outside(name: str) -> None:
    played = recorded(name)
    rules, position = played.rules, played.position
    text = svg(rules, position)
    stones = stones_of(text)
    assert len(stones) == len(position.stones) - position.stones.count(0)
    assert "href" not in text
    assert "<script" not in text
    assert set(re.findall(r"url\((.*?)\)", text)) <= {f"#{gradient}" for gradient in re.findall('id="(.*?)"', text)}
    page = elements(text, "svg")[0]
    for circle in stones:
        assert 0 < float(circle["cx"]) < float(page["width"])
        assert 0 < float(circle["cy"]) < float(page["height"])


def test_a_notebook_shows_a_drawing_and_a_game_as_a_picture() -> None:
    played = gv.random_game(gv.parse("go:size=5"), seed=1)
    assert played.outcome is not None
    drawing = svg(played)
    assert drawing == svg(played.rules, played.position) == drawing._repr_svg_() == played._repr_svg_()
    assert played.outcome.sentence() in drawing


def test_points_may_be_coloured_and_written_on() -> None:
    rules = parse("pentalath")
    d4, e5, f6 = map(rules.board.point, ("D4", "E5", "F6"))
    text = svg(rules, rules.start(), heat={d4: 1.0, e5: 0.25, f6: 0.0}, labels={d4: "62%\n1<2", f6: "x"})
    root = ElementTree.fromstring(text)
    discs = [each for each in root.iter(f"{SVG}g") if each.attrib.get("fill") == "#1766c9"]
    assert [disc.attrib["fill-opacity"] for disc in discs] == ["1.00", "0.25"]
    written = {each.text: each.attrib["x"] for each in root.iter(f"{SVG}text")}
    assert written["62%"] == written["1<2"] == discs[0][0].attrib["cx"]
    assert "x" in written


def test_stones_lie_at_the_distances_of_the_board() -> None:
    played = game("go:size=9", "b A1, w B2")
    black, white = stones_of(svg(played.rules, played.position))
    assert float(white["cx"]) - float(black["cx"]) == pytest.approx(40)
    assert float(black["cy"]) - float(white["cy"]) == pytest.approx(40)


def test_the_dice_and_the_open_line_are_shown() -> None:
    played = game("aleago:size=9", "chance 3, b C3, chance 4")
    text = svg(played.rules, played.position)
    lit = [rect for rect in elements(text, "rect") if rect.get("rx") == "8"]
    pips = [circle for circle in elements(text, "circle") if circle["r"] == "4.8"]
    assert (len(lit), len(pips)) == (8 + 1, 4)
    assert "draw 4: lines 4 and 5 are open" in text


def test_a_seat_of_go_fantome_sees_its_own_stones_only() -> None:
    played = game("phantom:size=5", "b B2, w B2, w D3, b C3, w C3")
    text = svg(played.rules, played.position, played.rules.view(played.heard(WHITE), WHITE))
    assert [stone["fill"] for stone in stones_of(text)] == ["url(#gv-w)"]
    assert "× refused" in text


def test_a_winning_row_is_ringed() -> None:
    played = game("pentalath", "w C3, b A1, w D3, b B1, w E3, b G7, w F3, b N7, w B3")
    rings = [circle for circle in elements(svg(played.rules, played.position), "circle") if circle["r"] == "14.4"]
    assert len(rings) == 5


def test_a_rosette_is_filled_and_its_chain_ringed() -> None:
    text = pictures()["rosette.svg"]
    (filled,) = [path for path in elements(text, "path") if path.get("fill") == "#b9d4f6"]
    assert filled["d"].count("M") == 2
    assert len([circle for circle in elements(text, "circle") if circle["r"] == "14.4"]) == 14


def test_every_edge_of_a_honeycomb_is_drawn_once() -> None:
    rules = parse("rosette:n=4")
    drawn = next(path["d"] for path in elements(svg(rules, rules.start()), "path") if path.get("fill") == "none")
    pairs = [pair for trail in drawn.split("M")[1:] for pair in pairwise(trail.split("L"))]
    assert len(pairs) == len({frozenset(pair) for pair in pairs}) == len(rules.board.edges())


@pytest.mark.parametrize("name", pictures())
def test_pictures_equal_the_reviewed_ones(name: str) -> None:
    """After a change, redraw them with `python -m tests.records.drawing.golden` and look at them before a commit."""
    assert pictures()[name] == (FOLDER / name).read_text(encoding="utf-8")
    assert {file.name for file in FOLDER.iterdir()} == set(pictures())
