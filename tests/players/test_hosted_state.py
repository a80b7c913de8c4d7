"""The state of a hosted game in a journal besides its events: it is written and read in one place."""

import json
from dataclasses import replace
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.errors import RecordError
from gtp_variants.players.agreements import BOT, Participant
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.hosted_game import new_record
from gtp_variants.players.hosted_state import HostedState, JournalWriter
from gtp_variants.records.journal import Journal, head_line
from gtp_variants.records.record import Time
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.dice import read_dice

RULES = gv.parse("aleago:size=9")
STATE = HostedState(
    seats={BLACK: Participant(name="Ann", key="0" * 64), WHITE: Participant(BOT, "mcts", level=3)},
    control=TimeControl("byoyomi", main_s=60.0, period_s=10.0, periods=3),
    free_s=2.5,
    left_s={BLACK: 12.5, WHITE: 60.0},
    left_counts={BLACK: 2},
    is_counting=True,
    agreed=frozenset([WHITE]),
    proposals={"dice": {BLACK: "1d4"}, "undo": {WHITE: ""}},
    end=("Void", "broken off"),
    coming_dice={7: read_dice("1d4")},
    furthest=6,
    notes={"kind": "play", "event": "Open 1"},
)


def through_json(state: HostedState) -> HostedState:
    values: dict[str, Any] = json.loads(json.dumps({**state.start_to_json(), **state.to_json()}))
    return HostedState.from_json(values, RULES)


@pytest.mark.parametrize("state", [STATE, HostedState()], ids=["full", "empty"])
def test_a_state_comes_back_from_json(state: HostedState) -> None:
    again = through_json(state)
    assert set(again.agreed) == set(state.agreed)
    assert {**again.start_to_json(), **again.to_json()} == {**state.start_to_json(), **state.to_json()}
    assert (again.seats, again.control, again.end, again.notes) == (state.seats, state.control, state.end, state.notes)


def test_missing_journal_notes_have_initial_values() -> None:
    assert HostedState.from_json({}, RULES) == HostedState(agreed={}.keys())
    assert HostedState.from_json({"end": None, "referee": "x"}, RULES).notes == {"referee": "x"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seats", {"b": {"kind": "x"}}),
        ("seats", {"b": {"colour": "x"}}),
        ("seats", []),
        ("control", {"kind": "fischer", "main_s": -1}),
        ("free_s", "x"),
        ("clocks", {"b": "x"}),
        ("left_counts", {"b": 0.5}),
        ("agreed", {"b": 1}),
        ("agreements", []),
        ("agreements", {"dice": {"b": 1}}),
        ("end", "Void"),
        ("end", ["Void", 1]),
        ("coming_dice", {"x": "1d4"}),
        ("furthest", "x"),
    ],
)
def test_invalid_state_is_refused_by_key(key: str, value: object) -> None:
    with pytest.raises(RecordError, match=key):
        HostedState.from_json({key: value}, RULES)


def test_journal_writer_adds_only_what_is_new_and_forgets_the_times_of_what_was_cut() -> None:
    record = new_record(gv.parse("go:size=5"), "s")
    state = HostedState(seats={BLACK: Participant(), WHITE: Participant()})
    writer = JournalWriter(Journal([head_line(record, state.start_to_json())], record, state.start_to_json()), state)
    for point in (0, 1):
        record.game.play(BLACK + point, point)
    times = writer.write(record.game, {0: Time(1.5), 1: Time(2.5)}, state)
    assert writer.lines[1:] == ['["b","A1",1.5,null]', '["w","B1",2.5,null]']
    assert writer.write(record.game, times, state) == {0: Time(1.5), 1: Time(2.5)}
    assert len(writer.lines) == 3
    record.game.cut(1)
    assert writer.count_common(record.game.events) == 1
    assert writer.write(record.game, times, replace(state, end=("Void", "broken off"))) == {0: Time(1.5)}
    assert writer.lines[3:] == ['{"cut":1}', '{"end":["Void","broken off"]}']
