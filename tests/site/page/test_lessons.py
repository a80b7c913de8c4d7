"""The lessons: every game has one of ten legal moves, and the learner sees only a seat's news."""

import json

import pytest

from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.actions import PASS
from gtp_variants.site.page.lessons import describe_lesson, find_lesson
from tests.site.page.serving import site


@pytest.mark.parametrize("name", list(GAMES))
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_every_game_has_a_lesson_of_ten_moves(name: str, lang: str) -> None:
    lesson = find_lesson(name)
    assert lesson is not None
    told = describe_lesson(lesson, lang)
    assert all(step["play"] in step["legal"] for step in told["steps"])
    acted = [item for step in told["steps"] for item in step["news"] if item["kind"] in ("place", "pass")]
    assert 9 <= len(acted) <= 10
    assert all(step["text"] for step in told["steps"])
    board = parse(told["spec"]).board
    for step in told["steps"]:
        if step["play"] != "pass":
            assert board.point(step["play"]) > PASS
            # The text leads to the point it wants.
            assert step["play"] in step["text"]


def test_the_learner_of_go_fantome_sees_what_a_seat_sees() -> None:
    lesson = find_lesson("phantom")
    assert lesson is not None
    told = describe_lesson(lesson, "en")
    seen = [item["at"] for step in told["steps"] for item in step["news"] if item["actor"] == "w"]
    assert set(seen) == {None}
    assert told["steps"][-1]["news"][0]["captured"] == ["D3"]


def test_a_game_without_a_lesson_says_so() -> None:
    assert find_lesson("nonsense") is None
    with site() as served:
        assert served.ask("/api/lesson?spec=nonsense").status == 400
        assert json.loads(served.ask("/api/lesson?spec=rosette&lang=fr").body)["title"] == "Rosette"
