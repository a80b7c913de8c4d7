"""Screens of every size, put together from sessions without a terminal."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from gtp_variants.lang import say
from gtp_variants.rules.actions import WHITE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.terminal.blocks import TextBlock
from gtp_variants.terminal.fullscreen.client import completions
from gtp_variants.terminal.fullscreen.composition import compose, help_page, hint_row, key_hints, prompt_lines
from gtp_variants.terminal.fullscreen.screen_model import Message, ScreenModel
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.scene import scene_of
from tests.terminal.session_lines import playing, put_away, text_of

HIDDEN = ["phantom:size=5", "phantom:size=4,dead=agreed", "phantom:size=5,impossible=private"]
SIZES = [(80, 24), (63, 20), (40, 24), (20, 6), (10, 3), (200, 60), (1, 1)]


@pytest.fixture(autouse=True)
def _put_away() -> Iterator[None]:
    yield
    put_away()


def model_of(session: PlaySession) -> ScreenModel:
    return ScreenModel(scene_of(session), is_letters=False)


def tell(model: ScreenModel, session: PlaySession, *lines: str) -> None:
    for line in lines:
        model.begin_answer()
        for block in session.answer(line):
            model.show(block)
            model.update(scene_of(session))
        model.end_answer()
        model.update(scene_of(session))


def text(model: ScreenModel, width: int = 80, height: int = 22) -> str:
    rows = [*map(text_of, compose(model, width, height).rows), prompt_lines(model, width)[-1]]
    return "\n".join([*rows, text_of(hint_row(key_hints(model), width)[0])])


@pytest.mark.parametrize(
    "spec", ["go:size=19", "aleago:size=9", "phantom:size=5", "rosette", "alter-igo", "pentalath:players=3"]
)
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_screen_is_filled_exactly_at_every_size(spec: str, lang: str, tmp_path: Path) -> None:
    session = playing(tmp_path, f"{spec}{',' if ':' in spec else ':'}lang={lang}")
    model = model_of(session)
    for lines in ((), ("",), ("help",), ("rules",)):
        tell(model, session, *lines)
        for width, height in SIZES:
            frame = compose(model, width, height)
            assert len(frame.rows) == height
            assert {len(row) for row in frame.rows} == {width}
            assert len(hint_row(key_hints(model), width)[0]) == width


def test_last_moves_captures_and_whose_turn_it_is_stand_beside_the_board(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5")
    model = model_of(session)
    tell(model, session, "A1", "A2", "C3", "B1")
    assert "4. W B1 +1" in text(model)
    assert "took 1" in text(model)
    assert "turn 5: Black to play" in text(model)
    assert "(●)" in text(model)
    tell(model, session, "undo")
    assert "4. W B1" not in text(model)


def test_a_long_answer_has_a_page_that_is_turned_and_closed(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=9")
    model = model_of(session)
    tell(model, session, "rules")
    assert "●" not in text(model)
    first = text(model)
    model.turn_page(10, 100, 20)
    assert text(model) != first
    model.turn_page(10**6, 100, 20)
    assert model.page_top == 80
    assert model.back()
    assert "A B C" in text(model)
    assert not model.back()


def test_a_hint_lies_over_the_board_until_somebody_plays(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5", {WHITE: "greedy"})
    model = model_of(session)
    tell(model, session, "hint")
    point = next(point for point, word in model.overlay.words.items() if word == "1")
    assert f"Hint: {session.rules.board.vertex(point)} (" in text(model)
    tell(model, session, "C3" if session.rules.board.vertex(point) != "C3" else "C2")
    assert not model.overlay.words


def test_the_cursor_begins_where_a_stone_may_be_placed_until_somebody_moves_it(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9,dice=1d4,star=false", {WHITE: "greedy"})
    model = model_of(session)
    opened = model.board.picture.open if model.board else frozenset()
    assert opened
    assert model.cursor.point in opened
    tell(model, session, model.vertex)
    assert model.board is not None
    assert model.cursor.point in model.board.picture.open
    model.cursor.move("left")
    stays = model.cursor.point
    tell(model, session, session.rules.board.vertex(min(model.board.picture.open)))
    assert model.cursor.point == stays


def test_an_analysis_numbers_its_moves_on_the_board_and_leaves_the_game_alone(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5", {WHITE: "greedy"})
    model = model_of(session)
    before = list(session.host.table.game.events)
    tell(model, session, "analysis")
    assert "1" in model.overlay.words.values()
    assert "Chances: Black" in text(model)
    assert session.host.table.game.events == before
    model.back()
    assert not model.overlay.words


def test_a_game_that_hides_stones_is_not_analysed(tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5", {WHITE: "greedy"})
    model = model_of(session)
    tell(model, session, "analysis")
    assert not model.overlay.words
    assert "game with hidden stones cannot be analysed" in model.messages[-1].text


@pytest.mark.parametrize("lines", [(), ("A1", "analysis"), ("odds",)])
def test_a_long_answer_is_read_from_its_head_on_in_a_small_window(lines: tuple[str, ...], tmp_path: Path) -> None:
    spec = "phantom:size=5" if "odds" in lines else "go:size=5"
    session = playing(tmp_path, spec, {WHITE: "mcts:level=1" if spec == "go:size=5" else "phantom:level=1"})
    model = model_of(session)
    model.begin_answer()
    for block in session.begin(is_terse=True):
        model.show(block)
    model.end_answer()
    model.messages.append(Message(say("fullscreen.welcome", "en"), "welcome"))
    heads = {(): "evel 1: ", ("A1", "analysis"): "Chances: Black", ("odds",): "Where the stones"}
    tell(model, session, *lines)
    first = text(model, 40, 12)
    assert heads[lines] in first
    assert "Ctrl-Down: more below" in first
    # What follows is reached by the key that is named there, the newest at the bottom.
    model.log_scroll = -20
    last = text(model, 40, 12)
    assert "Ctrl-Down" not in last
    assert model.messages[-1].text.split()[-1] in last
    tell(model, session, "board")
    model.log_scroll = 2
    assert "Ctrl-Down: more below" in text(model, 40, 12)


@pytest.mark.parametrize("width", [40, 100])
def test_nothing_is_scrolled_beyond_what_was_said(width: int, tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5", {WHITE: "phantom:level=1"})
    model = model_of(session)
    tell(model, session, "odds")
    ends = []
    for far in (-1000, 1000):
        model.log_scroll = far
        ends.append(compose(model, width, 12).scroll)
    lowest, highest = ends
    assert lowest is not None
    assert highest is not None
    assert -100 < lowest <= 0 <= highest < 100
    model.log_scroll = lowest
    bottom = text(model, width, 12)
    model.log_scroll = lowest + 1
    assert text(model, width, 12) != bottom, "one row up is seen at once"


def test_a_new_game_after_the_end_is_no_longer_over(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5", {WHITE: "greedy"})
    model = model_of(session)
    tell(model, session, "resign", "yes")
    assert "White wins by resignation" in model.result
    assert "Enter closes this screen" in text(model)
    tell(model, session, "new")
    assert model.result == ""
    assert "Black > " in text(model)
    assert "F4 undo" in text(model, 120)


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("key", ["terminal.leave", "terminal.resign", "terminal.see", "fullscreen.close"])
def test_the_whole_question_is_seen_at_every_width(key: str, lang: str, tmp_path: Path) -> None:
    model = model_of(playing(tmp_path, f"go:size=9,lang={lang}"))
    asked = say(key, lang, name=colour_name(WHITE, lang))
    model.update(replace(model.scene, prompt=asked, is_asking=True))
    for width in range(20, 101):
        rows = [text_of(row).strip() for row in compose(model, width, 18).rows]
        assert " ".join([*rows, *prompt_lines(model, width)[-1:]]).split()[-len(asked.split()) :] == asked.split()


def test_in_french_a_blank_stands_before_a_colon(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=9,lang=fr", {WHITE: "mcts:level=1"})
    assert "Noir\u00a0: vous" in text(model_of(session))
    assert "Blanc\u00a0: Recherche, niveau 1" in text(model_of(session))


@pytest.mark.parametrize("lines", ["odds", "atari", "record", "libs A1", "board"])
def test_unseen_events_do_not_change_the_full_screen(lines: str, tmp_path: Path) -> None:
    """Two games that Black cannot tell apart look the same to Black, clocks of thought included."""
    screens = []
    for number, hidden in enumerate((["A1", "E5"], ["E4", "A2"])):
        session = playing(tmp_path / str(number), "phantom:size=5")
        model = model_of(session)
        tell(model, session, "")
        for own, other in zip(("C3", "C2"), hidden, strict=True):
            tell(model, session, own, "", "", other, "")
            assert "●" not in text(model)
            assert other not in text(model)
            tell(model, session, "")
        tell(model, session, lines)
        screens.append(text(model, 100, 40))
    assert screens[0] == screens[1]


@pytest.mark.parametrize("spec", HIDDEN)
def test_each_seat_sees_on_the_whole_screen_what_its_view_holds(spec: str, tmp_path: Path) -> None:
    session, rng = playing(tmp_path, spec), Random(1)
    model = model_of(session)
    for _ in range(60):
        if session.is_finished or session.game.is_counting:
            break
        tell(
            model, session, "" if session.keyboard.is_curtained else rng.choice([*session.rules.board.vertices, "pass"])
        )
        if session.keyboard.is_covered:
            assert model.board is None
            assert model.messages == []
            assert not scene_of(session).moves
        elif not session.game.is_shown and model.board is not None:
            view = session.keyboard.view
            assert model.board.picture.stones == view.stones
            others = [move for move in model.scene.moves if move.colour != view.colour]
            heard = [news for news in view.news if news.actor not in (0, view.colour) and not news.refused]
            words = [session.rules.board.vertex(n.action) for n in heard if n.action is not None and n.action >= 0]
            assert [move.word for move in others if move.word not in ("?", "pass")] == words


def test_completion_offers_what_has_a_use_in_the_language_of_the_game(tmp_path: Path) -> None:
    scene = scene_of(playing(tmp_path, "go:size=5,lang=fr", {WHITE: "mcts:playouts=2"}))
    everything = [each.text for each in completions("", scene)]
    assert {"passe", "conseil", "annule"} <= set(everything)
    assert "chances" not in everything
    assert [each.text for each in completions("ANN", scene)] == ["annule"]
    assert [each.text for each in completions("und", scene)] == ["annule"]
    assert [each.text for each in completions("niveau 1", scene)] == ["niveau 1", "niveau 10"]
    assert list(completions("xyz", scene)) == []


def test_help_tells_keys_and_commands(tmp_path: Path) -> None:
    scene = scene_of(playing(tmp_path, "pentalath"))
    page = "\n".join(help_page(scene))
    assert "PgUp" in page
    assert "resign" in page
    assert "odds" not in page


def test_on_a_narrow_screen_the_dice_stand_behind_the_draw_alone(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9,dice=2d4")
    faces = " ".join(f"[{face}]" for face in scene_of(session).faces)
    (found,) = [row for row in text(model_of(session), 40).split("\n") if faces in row]
    assert "draw" in found


@pytest.mark.parametrize("height", [14, 22])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_hint_on_a_narrow_screen_is_complete_and_breaks_between_moves(height: int, lang: str, tmp_path: Path) -> None:
    session = playing(tmp_path, f"aleago:size=13,lang={lang}")
    model = model_of(session)
    moves = {"action": "J1 (10 %)", "others": "L13 (10 %), J13 (7 %), K13 (4 %)"}
    model.begin_answer()
    model.show(TextBlock(say("terminal.hint_or", lang, **moves)))
    model.end_answer()
    shown = text(model, 40, height)
    assert all(move in shown for move in ("J1 (10 %)", "L13 (10 %)", "J13 (7 %)", "K13 (4 %)"))
