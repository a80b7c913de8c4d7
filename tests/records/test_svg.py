"""Boards as SVG: well formed, self-contained, every stone where `Board.drawn_at` puts it."""

from xml.etree import ElementTree

import pytest

from gtp_variants.records.svg import svg
from gtp_variants.rules.actions import WHITE
from gtp_variants.rules.game import Game
from tests.records.games import every_game, game

STONE_RADIUS = "18.4"


def elements(text: str, name: str) -> list[dict[str, str]]:
    """The attributes of every element of a name."""
    return [dict(each.attrib) for each in ElementTree.fromstring(text).iter(f"{{http://www.w3.org/2000/svg}}{name}")]


def stones_of(text: str) -> list[dict[str, str]]:
    return [circle for circle in elements(text, "circle") if circle["r"] == STONE_RADIUS]


@pytest.mark.parametrize("played", every_game(), ids=repr)
def test_every_stone_is_drawn_and_nothing_comes_from_outside(played: Game) -> None:
    rules, position = played.rules, played.position
    text = svg(rules, position)
    stones = stones_of(text)
    assert len(stones) == len(position.stones) - position.stones.count(0)
    assert "href" not in text
    assert "<script" not in text
    assert "url(" not in text
    page = elements(text, "svg")[0]
    for circle in stones:
        assert 0 < float(circle["cx"]) < float(page["width"])
        assert 0 < float(circle["cy"]) < float(page["height"])


def test_stones_lie_at_the_distances_of_the_board() -> None:
    played = game("go:size=9", "b A1, w B2")
    black, white = stones_of(svg(played.rules, played.position))
    assert float(white["cx"]) - float(black["cx"]) == pytest.approx(40)
    assert float(black["cy"]) - float(white["cy"]) == pytest.approx(40)


def test_the_dice_and_the_open_line_are_shown() -> None:
    played = game("aleago:size=9", "chance 3, b C3, chance 4")
    text = svg(played.rules, played.position)
    lit = [rect for rect in elements(text, "rect") if "fill-opacity" in rect]
    pips = [circle for circle in elements(text, "circle") if circle["r"] == "3.6"]
    assert (len(lit), len(pips)) == (8 + 1, 4)
    assert "draw 4: lines 4 and 5 are open" in text


def test_a_seat_of_go_fantome_sees_its_own_stones_only() -> None:
    played = game("phantom:size=5", "b B2, w B2, w D3, b C3, w C3")
    text = svg(played.rules, played.position, played.rules.view(played.heard(WHITE), WHITE))
    assert [stone["fill"] for stone in stones_of(text)] == ["#fbfbf8"]
    assert "× refused" in text


def test_a_winning_row_is_ringed() -> None:
    played = game("pentalath", "w C3, b A1, w D3, b B1, w E3, b G7, w F3, b N7, w B3")
    rings = [circle for circle in elements(svg(played.rules, played.position), "circle") if circle["r"] == "14.4"]
    assert len(rings) == 5
