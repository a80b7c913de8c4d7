"""A record as a page: it contains every event, shows names only as text, and loads no other files."""

import json
import re
from typing import Any

import pytest

from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.record import Record
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game, random_game
from tests.records.games import five, rosette


def told(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="told">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.mark.parametrize("name", list(GAMES))
def test_every_board_on_the_way_is_in_the_page(name: str) -> None:
    game = random_game(parse(name), 7, 60)
    data = told(replay(Record(game)))
    assert len(data["places"]) == len(game.rules.board)
    stones: dict[str, str] = {}
    boards = []
    for moment in data["moments"]:
        stones |= moment.get("put", {})
        boards.append({int(point): colour for point, colour in stones.items() if colour})
        assert moment["say"]
    seen = [{p: "?bwr"[c] for p, c in enumerate(position.stones) if c} for position in game.positions]
    assert boards[0] == {}
    assert boards[-1] == seen[-1]
    assert [board for board in boards if board in seen] == boards


def test_draws_are_shown_with_the_lines_they_open() -> None:
    game = random_game(parse("aleago:size=9,dice=1d4,lang=fr"), 7, 20)
    page = replay(Record(game))
    first = told(page)["moments"][0]
    assert first["open"] == list(game.rules.describe_draw(game.positions[1])["open"])  # type: ignore[attr-defined]
    assert 'lang="fr"' in page
    assert 'aria-label="Reculer"' in page
    assert "tirage" in told(page)["moments"][1]["say"][0]


def test_immune_stones_are_marked_from_when_they_are() -> None:
    game = rosette()
    data = told(replay(Record(game)))
    face = game.rules.board.faces[0]
    assert {frozenset(each) for each in data["faces"]} == {frozenset(each) for each in game.rules.board.faces}
    around = next(each for each in data["faces"] if set(each) == set(face))
    assert all(b in game.rules.board.neighbours[a] for a, b in zip(around, [*around[1:], around[0]], strict=True))
    marked = [moment.get("marked") for moment in data["moments"]]
    count = marked.index(sorted(face))
    assert (marked[:count], set(map(str, marked[count:]))) == ([None] * count, {str(sorted(face))})
    assert all(("○ immune" in moment["say"]) == ("marked" in moment) for moment in data["moments"])


def test_the_winning_five_is_marked() -> None:
    game = five()
    first, *_, last = told(replay(Record(game)))["moments"]
    assert last["marked"] == sorted(game.rules.board.point(vertex) for vertex in ("A1", "B1", "C1", "D1", "E1"))
    assert "○ cinq pierres alignées" in last["say"]
    assert "marked" not in first


def test_handicap_stones_stand_from_the_beginning() -> None:
    rules = parse("go:size=9")
    game = Game(rules, {rules.board.point("C3"): BLACK, rules.board.point("G7"): BLACK}, WHITE)
    assert told(replay(Record(game)))["moments"][0]["put"] == {
        str(rules.board.point(vertex)): "b" for vertex in ("C3", "G7")
    }


def test_names_are_only_names_and_nothing_is_loaded() -> None:
    game = random_game(parse("go:size=5"), 7, 60)
    page = replay(Record(game, players={BLACK: "</script><script>alert(1)</script>", WHITE: "<b>"}, result="B+T"))
    assert page.count("<script") == 2
    assert "<b>" not in page
    assert not re.search(r'(src|href)="|url\((?!#)|@import', page)
