"""The diagrams show what their captions say."""

import pytest

from gtp_variants.handbook.chapter import Figure, figures
from gtp_variants.handbook.pages import chapter
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.state import describe_position
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, EMPTY, WHITE
from gtp_variants.rules.game import Game


def figure(spec: str, name: str) -> Figure:
    (found,) = [each for each in figures(chapter(parse(spec))) if each.name == name]
    return found


def games(spec: str, name: str) -> list[Game]:
    return [board.game("en") for board in figure(spec, name).diagrams]


@pytest.mark.parametrize(
    "spec", ["go", "aleago:size=19", "phantom:size=13", "rosette", "pentalath", "pentalath:board=hexhex5"]
)
def test_a_capture_takes_stones(spec: str) -> None:
    before, after = games(spec, "capture")
    assert list(after.events[:-1]) == list(before.events)
    assert after.position.captured
    assert after.events[-1].action not in after.position.captured


@pytest.mark.parametrize("repetition", ["none", "simple", "psk", "ssk", "nssk"])
def test_the_ko_may_be_taken_back_without_a_rule_against_it_only(repetition: str) -> None:
    (game,) = games(f"go:repetition={repetition}", "ko")
    point = game.rules.board.point("D3")
    assert (point in game.rules.legal(game.position)) == (repetition == "none")


def test_the_count_is_that_of_the_rules() -> None:
    shown = figure("go:komi=0", "count")
    (game,) = [board.game("en") for board in shown.diagrams]
    assert "Black has 5 stones and 10 points of territory, White has 5 stones and 5 points" in shown.caption.render(
        "en"
    )
    assert game.outcome is not None
    assert (game.outcome.winner, game.outcome.margin) == (BLACK, 5)
    assert game.rules.is_final(game.position)


@pytest.mark.parametrize(
    ("spec", "opened"),
    [
        ("aleago", {6, 7}),
        ("aleago:star=false", {6}),
        ("aleago:size=19,dice=2d6", {10}),
        ("aleago:size=19,dice=2d6,overflow=pass", {10}),
        ("aleago:size=19,dice=2d6,overflow=reroll,free_player=b,crystal_ball=true", {10}),
        ("aleago:size=1", set()),
        ("aleago:size=1,dice=1d4,overflow=reroll,end_passes=1,agreement=false", set()),
    ],
)
def test_the_draw_opens_its_lines(spec: str, opened: set[int]) -> None:
    rules = parse(spec)
    (game,) = games(spec, "draw")
    lit = picture(game.rules, game.position).open
    assert {rules.lines[point] for point in lit} == opened  # type: ignore[attr-defined]
    assert bool(lit) == ("marked are open" in figure(spec, "draw").caption.render("en"))


def test_a_full_line_opens_the_one_below() -> None:
    (game,) = games("aleago", "below")
    assert describe_position(game.rules, game.position)["draw"]["open"] == [2]


def test_the_players_of_go_fantome_see_their_own_gobans() -> None:
    black, referee, white = figure("phantom", "gobans").diagrams
    game = referee.game("en")
    stones = game.position.stones
    for board, colour in ((black, BLACK), (white, WHITE)):
        shown = picture(game.rules, game.position, board.view(game))
        assert shown.stones == bytes(stone if stone == colour else 0 for stone in stones)
    assert {BLACK, WHITE} <= set(picture(game.rules, game.position, referee.view(game)).stones)


def test_a_rosette_lives_as_long_as_it_is_immune() -> None:
    (alive,) = games("rosette", "rosette")
    (taken,) = games("rosette:immunity=false", "rosette")
    assert alive.events == taken.events
    assert len(picture(alive.rules, alive.position).marked) == 6
    assert not alive.position.captured
    assert len(taken.position.captured) == 6


def test_alter_igo_removes_both_colours_and_ends_with_one_stone_alone() -> None:
    _, after = games("alter-igo", "together")
    assert after.rules.board.vertices_of(after.position.captured) == ["A1", "A2", "B1"]
    assert after.outcome is None
    (lone,) = games("alter-igo", "lone")
    assert lone.outcome is not None
    assert (lone.outcome.winner, lone.outcome.how) == (BLACK, "suicide")


@pytest.mark.parametrize("board", ["trapezoid", "hexhex5"])
def test_five_win_unless_they_are_suicide(board: str) -> None:
    (won,) = games(f"pentalath:board={board}", "five")
    assert won.outcome is not None
    assert (won.outcome.winner, won.outcome.how) == (WHITE, "five")
    (barred,) = games(f"pentalath:board={board}", "suicide")
    point = barred.rules.board.point("C1")
    stones = barred.position.stones
    assert any(
        all(stones[each] == WHITE or each == point for each in five) for five in barred.rules.board.fives_at(point)
    )
    assert barred.position.mover == WHITE


def test_three_players_capture_together() -> None:
    before, by_white, by_red = games("pentalath:players=3", "three")
    black = before.rules.board.point("A1")
    assert before.position.stones[black] == BLACK
    assert by_white.position.stones[black] == by_red.position.stones[black] == EMPTY


def test_a_ladder_is_turned_by_four_in_a_row() -> None:
    before, run, escape, careless = games("pentalath", "ladder")
    board, stones = before.rules.board, before.position.stones
    group = [board.point("B1"), board.point("B2")]
    free = {near for point in group for near in board.neighbours[point] if stones[near] == EMPTY}
    assert free == {board.point("C1")}
    assert run.outcome is None
    assert careless.outcome is not None
    assert (careless.outcome.winner, escape.outcome) == (BLACK, None)


def test_spare_eyes_decide_alter_igo() -> None:
    before, filled, after = games("alter-igo", "spare")
    assert before.position.stones.count(EMPTY) == 5
    rules, white = filled.rules, filled.position.to_play
    for vertex in ("A1", "A3"):
        outcome = rules.outcome(rules.play(filled.position, rules.board.point(vertex)))
        assert outcome is not None
        assert outcome.winner == BLACK != white
    assert after.position.stones.count(white) == 0


@pytest.mark.parametrize("who", ["b", "w"])
@pytest.mark.parametrize("crystal_ball", ["true", "false"])
def test_a_player_without_dice_does_not_throw_on_the_page(who: str, crystal_ball: str) -> None:
    for name in ("draw", "below"):
        (game,) = games(f"aleago:free_player={who},crystal_ball={crystal_ball}", name)
        assert game.position.to_play != {"b": BLACK, "w": WHITE}[who]
