"""Requests between people at a table that has no clocks, journal or agreements."""

import pytest

from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import BOT, Participant, TableRequests
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, RED, RESIGN, WHITE
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.dice_stream import DiceStream


def seated(spec: str, bots: tuple[int, ...] = (), speaks_for_all: bool = False) -> tuple[Table, TableRequests]:
    table = Table(parse(spec), lambda: DiceStream("s"))
    seats = {each: Participant(BOT, "uniform") if each in bots else Participant() for each in table.rules.colours}
    return table, TableRequests(table, seats, speaks_for_all)


def test_undo_takes_back_the_bots_answer_with_the_persons_turn() -> None:
    table, requests = seated("go:size=5", bots=(WHITE,))
    table.play(BLACK, 0)
    table.play(WHITE, 1)
    requests.expect_undoable(is_counting=False)
    requests.take_back()
    assert not table.game.events
    with pytest.raises(RequestRefused):
        requests.expect_undoable(is_counting=False)


def test_undo_is_refused_while_the_board_is_counted_and_where_stones_are_hidden() -> None:
    for spec, is_counting in (("go:size=5", True), ("phantom:size=5", False)):
        table, requests = seated(spec)
        table.play(BLACK, 0)
        with pytest.raises(RequestRefused):
            requests.expect_undoable(is_counting)


def test_only_those_who_still_play_are_asked() -> None:
    table, requests = seated("pentalath:players=3")
    assert set(requests.voters) == {BLACK, WHITE, RED}
    table.play(RED, RESIGN)
    assert set(requests.voters) == {BLACK, WHITE}
    requests.expect_voter(BLACK)
    with pytest.raises(RequestRefused):
        requests.expect_voter(RED)


def test_at_one_keyboard_one_person_speaks_for_all() -> None:
    assert list(seated("go:size=5", speaks_for_all=True)[1].voices(WHITE)) == [BLACK, WHITE]
    assert list(seated("go:size=5")[1].voices(WHITE)) == [WHITE]


def test_dice_change_at_once_between_people_and_a_turn_later_against_a_bot() -> None:
    spec = "aleago:size=5,dice=1d5"
    table, requests = seated(spec)
    assert requests.read_other_dice("2D3") == "2d3"
    requests.change_dice(DiceKind(2, 3))
    assert table.game.events[-1].actor == CHANCE
    assert table.draws.coming.by_turn == {}
    table, requests = seated(spec, bots=(WHITE,))
    before = list(table.game.events)
    requests.change_dice(DiceKind(2, 3))
    assert table.game.events == before
    assert table.draws.coming.after(table.position.turn) == DiceKind(2, 3)
    with pytest.raises(RequestRefused):
        requests.read_other_dice("2d3")


@pytest.mark.parametrize(("spec", "text"), [("go:size=5", "1d4"), ("aleago:size=5", "x"), ("aleago:size=5", "1d6")])
def test_dice_that_cannot_come_are_refused(spec: str, text: str) -> None:
    _, requests = seated(spec)
    with pytest.raises(RequestRefused):
        requests.read_other_dice(text)
