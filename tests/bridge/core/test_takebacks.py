"""Takebacks, wrong stones, dead stones and the first draw, each part with a game that is only what it must be."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gtp_variants.bridge.core.chat import Negotiation
from gtp_variants.bridge.core.game_sync import RESUMED, ReplayedGame, ReplayFault, Step, rules_of
from gtp_variants.bridge.core.go_server_game import (
    AskedUndo,
    DeadStones,
    DoublePass,
    FirstDraw,
    WrongStones,
    settle,
    stated_result,
)
from gtp_variants.bridge.core.server import ASKED, AT_ONCE, PLAYING, SCORING, ServerGame
from gtp_variants.errors import IllegalMove
from gtp_variants.records.notation import write_game
from gtp_variants.rules import parse
from tests.bridge.fakes.noting import Asked, GameStub, Noting
from tests.support.waiting import until

STATE = ServerGame("nngs-1", 5, 1, {1: "botty", 2: "alpha"}, moves=((1, "C3"), (2, "A1")))


async def test_a_refused_undo_does_what_was_asked_for_instead(tmp_path: Path) -> None:
    asked: Asked = []
    stub = GameStub(tmp_path, STATE, asked)
    undo, work = AskedUndo(stub.game), Noting([]).instead
    await undo.ask(work)
    assert asked == [("undo", STATE)]
    undo.refuse()
    assert stub.started == [work]
    undo.refuse()
    assert stub.started == [work], "once"


async def test_work_for_moves_that_have_changed_is_not_done(tmp_path: Path) -> None:
    stub = GameStub(tmp_path, STATE, [])
    undo, first, second = AskedUndo(stub.game), Noting([]).first, Noting([]).second
    undo.start_later(0.0, first)
    await until(lambda: stub.started == [first], "the work")
    undo.start_later(0.0, second)
    stub.state = ServerGame("nngs-1", 5, 1, {}, moves=((1, "C3"),))
    marker = AskedUndo(stub.game)
    marker.start_later(0.0, first)
    await until(lambda: len(stub.started) == 2, "the marker")
    assert second not in stub.started


def test_a_game_stands_still_until_its_last_move_has_gone(tmp_path: Path) -> None:
    stub = GameStub(tmp_path, STATE, [])
    undo, step = AskedUndo(stub.game), Step(2, RESUMED)
    assert not undo.holds_up(STATE)
    undo.stand_still({1: (step,)})
    assert undo.is_standing_still
    assert undo.holds_up(STATE)
    assert not undo.holds_up(ServerGame("nngs-1", 5, 1, {}, moves=((1, "C3"),)))
    assert undo.end(1) == (step,)
    assert not undo.is_standing_still
    assert undo.end(1) == ()


async def test_a_single_die_is_saved_even_while_the_game_stands_still(tmp_path: Path) -> None:
    asked: Asked = []
    stub = GameStub(tmp_path, STATE, asked)
    replay = ReplayedGame(parse("aleago:size=5,dice=2d2,repetition=none"), b"secret", {})
    followed = SimpleNamespace(follow=lambda steps: asked.append(("follow", *steps)))
    followed.table = replay.table
    extra = {
        "start_over": lambda keeps_player: asked.append(("start_over", keeps_player)),
        "replay": followed,
        "steps": lambda: ["a step"],
    }
    stub.__dict__.update(extra, people=("alpha",), colour_of=lambda name: 2, lang="en")
    voice: Any = SimpleNamespace(say_each=lambda make: Noting(asked).say(make()))
    voice.game = stub.game
    await Negotiation(voice).make("set_dice 1d2", 1)
    assert stub.stored.single_die_from == 1
    # It is saved before anybody hears of it, and followed although `update` may return at once.
    said = ("say", "Agreed: from the next throw that nobody has seen, we throw only 1d2.")
    assert asked == [("save",), ("start_over", False), ("follow", "a step"), said, ("update", STATE)]


def _fault(reason: str = "line") -> ReplayFault:
    return ReplayFault(1, Step(2, "A1"), IllegalMove(reason))


def _stub_with_steps(folder: Path, asked: Asked, more: str = "", **abilities: Any) -> GameStub:
    stub = GameStub(folder, STATE, asked, more, **abilities)
    chat: Any = stub.chat
    chat.__dict__.update(why=lambda fault: "off the line", open_points=lambda: "line 2")
    extra: dict[str, Any] = {"steps": lambda: [Step(1, "C3"), Step(2, "A1")], "leave": Noting(asked).leave}
    stub.__dict__.update(extra)
    return stub


@pytest.mark.parametrize(("undo", "asks"), [(AT_ONCE, True), (ASKED, False)])
async def test_a_wrong_stone_of_the_opponent_is_asked_back_once(tmp_path: Path, undo: str, asks: bool) -> None:
    asked: Asked = []
    stub = _stub_with_steps(tmp_path, asked, undo=undo)
    wrong = WrongStones(stub.game, AskedUndo(stub.game))
    await wrong.dispute(_fault())
    assert wrong.is_disputed
    assert stub.stored.warnings == 1
    assert (("undo", STATE) in asked) is asks, "where it is asked for, the opponent has time to do it"
    count = len(asked)
    await wrong.dispute(_fault())
    assert len(asked) == count, "the same state is settled already"
    wrong.settle()
    assert not wrong.is_disputed


async def test_a_wrong_stone_that_cannot_go_ends_the_game(tmp_path: Path) -> None:
    asked: Asked = []
    stub = _stub_with_steps(tmp_path, asked)
    await WrongStones(stub.game, AskedUndo(stub.game)).dispute(_fault("occupied"))
    assert ("say", "bridge.wrong_end", "off the line") in asked
    assert asked[-1][0] == "leave"


async def test_a_stone_off_its_line_that_cannot_go_stands(tmp_path: Path) -> None:
    asked: Asked = []
    stub = _stub_with_steps(tmp_path, asked, "policies: {illegal: let stand}\n")
    stub.__dict__["replay"] = SimpleNamespace(follow=lambda steps: None)
    await WrongStones(stub.game, AskedUndo(stub.game)).dispute(_fault())
    assert stub.stored.let_stand == (1,)
    assert [each[0] for each in asked[-2:]] == ["say", "update"]


def _replay(*steps: Step) -> ReplayedGame:
    replay = ReplayedGame(parse("go:size=5"), b"", {})
    assert replay.follow(steps) is None
    return replay


def _scoring(folder: Path, asked: Asked, dead: tuple[str, ...], **abilities: Any) -> GameStub:
    state = ServerGame("nngs-1", 5, 1, {}, phase=SCORING, removed=("C3",))
    stub = GameStub(folder, state, asked, **abilities)
    replay = _replay(Step(1, "C3"), Step(2, "A1"), Step(1, "pass"), Step(2, "pass"))
    player = Noting(asked, {"dead": dead})
    stub.turn = SimpleNamespace(player=player, start=stub.started.append)
    stub.__dict__.update(replay=replay, rules=replay.rules, steps=list)
    return stub


def _dead_stones(stub: GameStub) -> DeadStones:
    return DeadStones(stub.game, DoublePass(stub.game, AskedUndo(stub.game)))


def test_dead_stones_of_go_are_events_of_the_record_and_give_the_servers_result() -> None:
    replay = ReplayedGame(rules_of("go:size=5,komi=0.5", STATE), b"secret", {})
    # Black's wall on row 2 and White's on row 3; White's stone on A1 is dead.
    words = "A2 A3 B2 B3 C2 C3 D2 D3 E2 E3 pass A1 pass pass".split()
    assert replay.follow([Step(1 + number % 2, word) for number, word in enumerate(words)]) is None
    settle(replay.table, "W+5.5", ("A1",))
    assert write_game(replay.table.game)[-2:] == [("b", "dead A1"), ("b", "settle")]
    assert stated_result(replay.table.game, "W+5.5") == "W+5.5"


def test_the_draws_of_a_single_die_come_again_after_moves_were_taken_back() -> None:
    """Otherwise a player could take moves back in order to see other draws."""
    replay = ReplayedGame(parse("aleago:size=5,dice=2d2,end_passes=9"), b"secret", {}, single_die_from=4)
    passes = [Step(1 + number % 2, "pass") for number in range(6)]
    seen = []
    for steps in (passes, passes[:2], passes):
        assert replay.follow(steps) is None
        seen.append([word for actor, word in write_game(replay.table.game) if actor == "chance"])
    assert seen[0] == seen[2]
    assert seen[1] == seen[0][:3]
    assert [len(faces.split()) for faces in seen[0]] == [2, 2, 2, 1, 1, 1, 1]


async def test_stones_the_engine_calls_dead_are_marked_once_and_agreed(tmp_path: Path) -> None:
    asked: Asked = []
    stub = _scoring(tmp_path, asked, ("C3", "A1"), marks=True)
    dead_stones = _dead_stones(stub)
    await dead_stones.agree()
    await dead_stones.agree()
    assert [each[0] for each in asked] == ["dead", "mark_dead", "mark_dead", "agree", "dead", "agree"]


async def test_a_stone_of_ours_that_lives_is_played_out_twice_at_most(tmp_path: Path) -> None:
    asked: Asked = []
    stub = _scoring(tmp_path, asked, (), marks=True, resumes=True, undo=AT_ONCE)
    dead_stones = _dead_stones(stub)
    for _ in range(3):
        await dead_stones.agree()
    said = [each for each in asked if each[0] in ("say", "undo", "agree")]
    assert [each[0] for each in said] == ["say", "undo", "say", "undo", "agree"]
    assert said[0] == ("say", "bridge.alive", "C3")


async def test_a_server_that_counts_by_itself_is_asked_nothing(tmp_path: Path) -> None:
    asked: Asked = []
    await _dead_stones(_scoring(tmp_path, asked, ())).agree()
    assert asked == []


async def test_the_first_draw_waits_while_people_may_agree_and_is_shown_on_demand(tmp_path: Path) -> None:
    asked: Asked = []
    stub = GameStub(tmp_path, ServerGame("nngs-1", 5, 1, {}, phase=PLAYING), asked, "time: {first: 1h}\n")
    draw = FirstDraw(stub.game)
    stub.__dict__["may_negotiate"] = True
    assert draw.waits()
    await draw.show()
    assert asked == [("go_on",)]
    assert not draw.waits()
    draw.note_shown()
    assert stub.stored.has_shown_draw
    stub.__dict__["may_negotiate"] = False
    assert not FirstDraw(stub.game).waits()
