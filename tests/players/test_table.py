"""The table, and the behaviour that every host of a game relies on."""

from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.errors import GameOver, IllegalMove, NotationError
from gtp_variants.players.table import Table, set_dice
from gtp_variants.players.transcript import Transcript
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN, RESUME, TOLERATE, TURN
from gtp_variants.rules.traits import DicedRules, faces_of


def table(spec: str, seed: str = "table") -> Table:
    return Table(gv.parse(spec), lambda: gv.DiceStream(seed))


def at(game: Table, vertex: str) -> int:
    return game.rules.board.point(vertex)


def total(game: Table) -> int:
    """Return the total that the dice show for the side to move."""
    return sum(faces_of(game.rules, game.position, game.position.draws[0]))


def test_a_refused_stone_changes_nothing() -> None:
    here = table("aleago:size=9,dice=1d4")
    here.tell_draw(gv.BLACK, [2])
    before = (list(here.game.events), here.position, dict(here.draws.told))
    for actor in (gv.BLACK, gv.WHITE):
        with pytest.raises(IllegalMove):
            here.play(actor, at(here, "E4"))
        assert (list(here.game.events), here.position, here.draws.told) == before


def test_undo_brings_the_same_dice_again() -> None:
    here = table("aleago:size=9,dice=1d4")
    seen = [total(here)]
    for _ in range(12):
        here.play(here.position.mover, PASS)
        if here.suspended:
            here.play(here.position.mover, RESUME)
        seen.append(total(here))
    for expected in reversed(seen[:-1]):
        here.undo()
        assert total(here) == expected
    with pytest.raises(GameOver):
        here.undo()


def test_undo_after_passing_over_gives_back_the_turn() -> None:
    here = table("aleago:size=9,dice=1d4")
    here.play(gv.BLACK, PASS)
    here.tell_draw(gv.WHITE, [3])
    before = here.position
    here.play(gv.BLACK, at(here, "C3"))
    assert TURN in [event.action for event in here.game.events]
    here.undo()
    assert here.position == before
    assert here.position.mover == gv.WHITE


def test_undo_takes_refused_tries_of_the_turn_with_it() -> None:
    here = table("phantom:size=5")
    here.play(gv.BLACK, 7)
    for _ in range(3):
        here.play(gv.WHITE, 7)
    here.play(gv.WHITE, 8)
    here.play(gv.BLACK, 8)
    here.undo()
    assert len(here.game.events) == 1
    assert here.position.mover == gv.WHITE


def test_the_hosts_last_draw_replaces_the_thrown_one() -> None:
    here = table("aleago:size=9,dice=1d4")
    for face in (1, 4, 2):
        here.tell_draw(gv.BLACK, [face])
        assert total(here) == face
    assert sum(1 for event in here.game.events if event.actor == CHANCE) == 1
    with pytest.raises(NotationError):
        here.tell_draw(gv.WHITE, [1])
    with pytest.raises(NotationError):
        here.tell_draw(gv.BLACK, [5])


def test_with_the_crystal_ball_the_next_draw_can_be_told_too() -> None:
    here = table("aleago:size=9,dice=1d4,crystal_ball=true")
    here.tell_draw(gv.WHITE, [2])
    here.tell_draw(gv.BLACK, [3])
    here.play(gv.BLACK, at(here, "C3"))
    assert total(here) == 2
    here.tell_draw(gv.WHITE, [1])
    assert total(here) == 1
    assert here.game.events[-1].actor == CHANCE


def test_a_stone_off_the_line_can_be_taken_as_the_hosts_word() -> None:
    here = table("aleago:size=9,dice=1d4")
    here.tell_draw(gv.BLACK, [1])
    here.play_for_host(gv.BLACK, at(here, "E5"))
    assert here.draws.told[1, 0] == (4,)
    told, position = dict(here.draws.told), here.position
    with pytest.raises(IllegalMove):
        here.play_for_host(gv.WHITE, at(here, "E5"))
    assert (here.draws.told, here.position) == (told, position)
    here.undo()
    assert here.draws.told == {(1, 0): (1,)}
    assert total(here) == 1


def test_undoing_a_stone_off_the_line_drops_its_assumed_draw() -> None:
    here = table("aleago:size=9,dice=1d4")
    thrown = here.position
    shut = next(vertex for vertex in ("E5", "A1") if at(here, vertex) not in here.rules.actions(thrown))
    here.play_for_host(gv.BLACK, at(here, shut))
    here.undo()
    assert not here.draws.told
    assert here.position == thrown


def test_host_of_go_is_right_about_a_repetition_and_players_hear_of_the_stone_alone() -> None:
    here = table("go:size=4")
    for number, vertex in enumerate("B1 C1 A2 D2 B3 C3 C2 B2".split()):
        here.play(1 + number % 2, at(here, vertex))
    for colour in here.rules.colours:
        here.seat(colour, gv.load_bot("greedy"), seed="1")
    before, count, heard = here.position, len(here.game.events), len(here.game.heard(gv.BLACK))
    with pytest.raises(IllegalMove):
        here.play(gv.BLACK, at(here, "C2"))
    for vertex in ("B1", "B2"):
        with pytest.raises(IllegalMove):
            here.play_for_host(gv.BLACK, at(here, vertex))
        assert (here.position, len(here.game.events), set(here.seats)) == (before, count, {gv.BLACK, gv.WHITE})
    here.play_for_host(gv.BLACK, at(here, "C2"))
    assert here.game.events[count:] == [gv.Event(CHANCE, TOLERATE), gv.Event(gv.BLACK, at(here, "C2"))]
    assert here.game.is_tolerated(count + 1)
    assert [news.action for news in here.game.heard(gv.WHITE)[heard:]] == [at(here, "C2")]
    assert set(here.seats) == {gv.BLACK, gv.WHITE}
    assert gv.Game.replay(here.rules, here.game.events) == here.game
    told = [item["at"] for item in Transcript(here, gv.WHITE).catch_up() if item["kind"] == "place"]
    assert told[-1] == "C2"
    here.undo()
    assert here.position == before
    with pytest.raises(IllegalMove):
        here.play(gv.BLACK, at(here, "C2"))
    # A host plays a forbidden stone for Black, so White is passed over: one undo takes back all of that.
    here.play(gv.BLACK, PASS)
    here.play_for_host(gv.BLACK, at(here, "C2"))
    assert [event.action for event in here.game.events[count:]] == [PASS, TURN, TOLERATE, at(here, "C2")]
    here.undo()
    assert [event.action for event in here.game.events[count:]] == [PASS]


def test_a_draw_that_cannot_be_told_changes_nothing() -> None:
    here = table("aleago:size=19,dice=2d6,overflow=reroll")
    before = (list(here.game.events), here.position)
    with pytest.raises(NotationError):
        here.tell_draw(gv.BLACK, [6, 6])
    assert (list(here.game.events), here.position) == before


def test_a_told_draw_comes_back_when_a_change_of_dice_is_taken_back() -> None:
    here = table("aleago:size=19,dice=2d6")
    here.play(gv.BLACK, PASS)
    here.tell_draw(gv.WHITE, [1, 1])
    set_dice(here, 1, 6)
    assert isinstance(here.rules, DicedRules)
    assert here.rules.dice_of(here.position).count == 1
    here.undo()
    here.play(gv.BLACK, PASS)
    assert total(here) == 2


def test_after_the_passes_each_side_is_asked_in_turn() -> None:
    """rules.md, A-6: "each side is asked in turn after the second pass: a stone objects, a pass agrees"."""
    here = table("go:size=5")
    here.play(gv.BLACK, PASS)
    here.play(gv.WHITE, PASS)
    assert here.suspended
    assert here.asked() == gv.BLACK
    here.answer(gv.BLACK, PASS)
    assert here.asked() == gv.WHITE
    here.answer(gv.WHITE, 12)
    assert not here.suspended
    assert here.position.stones[12] == gv.WHITE
    here.play(gv.BLACK, PASS)
    here.play(gv.WHITE, PASS)
    here.answer(gv.BLACK, PASS)
    here.answer(gv.WHITE, PASS)
    assert here.asked() is None
    assert here.is_final


def test_a_refused_try_after_the_passes_leaves_the_agreement_as_it_is() -> None:
    """rules.md, F-8: a refused try changes nothing. Otherwise two players who each know one more try never end."""
    here = table("phantom:size=3")
    here.play(gv.BLACK, 4)
    here.play(gv.WHITE, PASS)
    here.play(gv.BLACK, PASS)
    assert here.suspended
    assert here.asked() == gv.WHITE
    here.answer(gv.WHITE, PASS)
    here.answer(gv.BLACK, 4)
    assert here.asked() == gv.BLACK
    here.answer(gv.BLACK, PASS)
    assert here.asked() is None
    assert here.is_final


def test_anybody_may_leave_on_anybodys_turn() -> None:
    here = table("pentalath:players=3")
    here.play(gv.BLACK, RESIGN)
    assert here.game.outcome is None
    here.play(gv.WHITE, 0)
    assert here.position.mover == gv.RED
    here.play(gv.WHITE, RESIGN)
    outcome = here.game.outcome
    assert outcome is not None
    assert outcome.winner == gv.RED
    here.undo()
    assert here.position.mover == gv.RED


def test_the_view_follows_the_game_back_and_forth() -> None:
    here = table("phantom:size=5")
    for actor, point in ((gv.BLACK, 0), (gv.WHITE, 0), (gv.WHITE, 1), (gv.BLACK, 5), (gv.WHITE, 6)):
        here.play(actor, point)
        assert here.view(gv.WHITE) == here.rules.view(here.game.heard(gv.WHITE), gv.WHITE)
    here.undo()
    assert here.view(gv.WHITE) == here.rules.view(here.game.heard(gv.WHITE), gv.WHITE)
    assert here.view(gv.BLACK).hidden == 1


def test_a_hosts_draw_is_dropped_after_a_change_of_dice() -> None:
    """White's draw was given under a six-sided die. Then both agree on a one-sided die, and Black is passed over."""
    rules: Any = gv.parse("aleago:size=5,dice=1d6,crystal_ball=true,free_player=b")
    table = Table(rules, lambda: gv.DiceStream("a"))
    for vertex in ("A4", None, "C4"):
        point = rules.legal(table.position)[0] if vertex is None else rules.board.point(vertex)
        table.play(table.position.mover, point)
    table.undo()
    table.tell_draw(gv.WHITE, [3])
    table.undo()
    set_dice(table, 1, 1)
    table.play(gv.WHITE, rules.board.point("A1"))
    assert table.position.to_play == gv.BLACK
    assert table.draws.told == {}
