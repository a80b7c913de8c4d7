"""Records as one line of JSON: an exact round trip, and a place for every fault."""

import json
from typing import Any

import pytest

from gtp_variants.errors import RecordError
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import MAX_BYTES, Record, Time
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules.actions import BLACK, WHITE
from tests.records.games import game, names, recorded


@pytest.mark.parametrize("name", names())
def test_a_game_comes_back_exactly(name: str) -> None:
    played = recorded(name)
    text = to_json(Record(played))
    assert "\n" not in text
    assert from_json(text).game == played


def test_a_record_comes_back_exactly() -> None:
    record = Record(
        game("aleago:size=9", "chance 3, b C3, chance 1, w resign"),
        dice="secret",
        commitment="ab" * 32,
        secret=b"\x00\xff",
        told=frozenset({2, 7}),
        players={BLACK: 'Zoé "Z"', WHITE: "]\\\n"},
        comment="first game",
    )
    assert record.result == "B+R"
    assert from_json(to_json(record)) == record


def test_a_record_that_names_no_rule_for_dead_stones_counts_the_board_as_it_stands() -> None:
    """Records name the option `dead` since before Go judged dead stones by default."""
    played = game("go:size=5,komi=0,dead=none", "b C3, w A1, b pass, w pass, b pass")
    record = Record(played)
    again = [from_json(to_json(record).replace(",dead=none", "")), from_sgf(to_sgf(record).replace(",dead=none", ""))]
    assert [(each.game, each.result) for each in again] == [(played, "0")] * 2


def test_times_come_back_exactly() -> None:
    played = game("phantom:size=5", "b C3, w C3, w D3, b resign")
    times = {0: Time(0.1 + 0.2, 598.75), 2: Time(left_s=30, left_count=3), 3: Time(5e-324)}
    record = Record(played, main_s=600, overtime="3x30 byo-yomi", times=times)
    text = to_json(record)
    assert '"main_s":600,"overtime":"3x30 byo-yomi","times":[[0,0.30000000000000004,598.75,null],[2,null,30,3],' in text
    assert from_json(text) == record
    for wrong in ({4: Time()}, {-1: Time()}):
        with pytest.raises(RecordError, match="there are 4 events"):
            Record(played, times=wrong)
    for seconds in (-1.0, float("nan"), 1e10):
        with pytest.raises(RecordError, match="seconds: expected 0 to"):
            Time(seconds)


def test_the_line_reads_as_documented() -> None:
    record = Record(game("phantom:size=9", "b D4, w D4, w E5"), players={BLACK: "Ada"})
    spec = record.game.rules.spec
    assert to_json(record) == (
        f'{{"format":"gtp-variants","version":1,"spec":"{spec}","players":{{"b":"Ada"}},'
        '"dice":null,"commitment":null,"secret":null,"told":[],'
        '"events":[["b","D4"],["w","D4"],["w","E5"]],"result":null,"reason":null}'
    )


def test_setup_and_every_kind_of_event() -> None:
    played = game("aleago:size=9", "chance 3, w C3, chance 4, b set_dice 2d6, chance 2 5, b time", {40: BLACK}, WHITE)
    fields = json.loads(to_json(Record(played)))
    assert fields["setup"] == {"b": ["E5"], "to_play": "w"}
    assert fields["events"][3:] == [["b", "set_dice 2d6"], ["chance", "2 5"], ["b", "time"]]
    assert (fields["result"], fields["reason"]) == ("W+T", "White wins on time")


def line(**changes: Any) -> str:
    """Return a valid record with some keys changed; None removes a key."""
    fields: dict[str, Any] = {"format": "gtp-variants", "version": 1, "spec": "go:size=9", "events": [["b", "D4"]]}
    fields |= changes
    return json.dumps({key: value for key, value in fields.items() if value is not ...})


FAULTS = {
    "events[1]: illegal move (occupied)": line(events=[["b", "D4"], ["w", "D4"]]),
    "events[1]: illegal move (not your turn)": line(events=[["b", "D4"], ["b", "D5"]]),
    "events[0]: invalid colour or vertex: I9": line(events=[["b", "I9"]]),
    "events[0]: illegal move (off board)": line(events=[["b", "T19"]]),
    "events[0]: not a game with dice": line(events=[["chance", "4"]]),
    "events[0]: 'r' is not an actor of this game": line(events=[["r", "D4"]]),
    "events[0]: chance resign: expected a player, not chance": line(events=[["chance", "resign"]]),
    "events[0]: white_passes 6: expected 3, as the options": line(
        spec="alter-igo:white_passes=3", events=[["w", "white_passes 6"]]
    ),
    "events[1]: the terms of a game are agreed on": line(spec="go", events=[["b", "D4"], ["w", "match 1/2"]]),
    "events[0]: match: expected one of two games": line(spec="pentalath:players=3", events=[["b", "match 1/2"]]),
    "events[0]: set_dice 0d6: expected dice": line(spec="aleago", events=[["b", "set_dice 0d6"]]),
    "events[0]: 7: expected 1 faces from 1 to 6": line(spec="aleago", events=[["chance", "7"]]),
    "events[0]: '4.0': expected the faces of 1d6": line(spec="aleago", events=[["chance", "4.0"]]),
    "events[1]: illegal move (line)": line(spec="aleago", events=[["chance", "1"], ["b", "D4"]]),
    "events[0]: expected two words": line(events=[["b", "D4", "x"]]),
    "events[1]: expected two words": line(events=[["b", "D4"], ["w", 4]]),
    "events: expected a list": line(events={"b": "D4"}),
    "events: is missing": line(events=...),
    "unknown key 'evnts'": line(evnts=[]),
    "version: expected 1, got 2": line(version=2),
    "version: expected 1, got True": line(version=True),
    "format: expected": line(format="chess"),
    "spec: unknown game 'chess'": line(spec="chess"),
    "spec: expected a string": line(spec=7),
    "setup.r: expected a colour of this game: b w": line(setup={"r": ["D4"]}),
    "setup.b: illegal move (off board)": line(setup={"b": ["T19"]}),
    "setup.b: expected a list of vertices": line(setup={"b": "D4"}),
    "setup.w: D4 is given twice": line(setup={"b": ["D4"], "w": ["d4"]}),
    "setup.to_play: expected a colour": line(setup={"to_play": "chance"}),
    "setup: the chain on A1 has no liberty": line(setup={"b": ["A1"], "w": ["A2", "B1"]}),
    "players: expected an object of colours and names": line(players={"b": 3}),
    "players.x: expected a colour": line(players={"x": "Ada"}),
    "told: expected a list of turn numbers": line(told=[True]),
    "dice: expected": line(dice="loaded"),
    "nonces: expected a first draw": line(nonces=["0 b 00"]),
    "nonces: expected": line(nonces={"b": "00"}),
    "secret: expected pairs of lower-case hex digits": line(secret="abc"),
    "commitment: expected 64 lower-case hex digits": line(commitment="ab"),
    "result: expected a string or null": line(result=1),
    "times[1]: expected the number of an event": line(
        events=[["b", "D4"], ["w", "E5"]], times=[[0, 1, 2, 3], [0, 1, 2, 3]]
    ),
    "times[0]: expected the number of": line(times=[[True, 1, 2, 3]]),
    "times[0]: expected event, seconds": line(times=[[0, 1]]),
    "times[0]: expected seconds as a number": line(times=[[0, "1", None, None]]),
    "times[0]: expected stones or periods": line(times=[[0, 1, 2, 3.5]]),
    "times[0]: -1 seconds: expected 0": line(times=[[0, -1, 2, 3]]),
    "times[0]: inf seconds": line(times=[[0, 7, 2, 3]]).replace("7", "1e999"),
    "times: expected a list with at most one": line(times=[[0, 1, 2, 3]] * 2),
    "main_s: expected seconds as a number": line(main_s="600"),
    "-5 seconds of main time": line(main_s=-5),
    "'spec': given twice": line()[:-1] + ',"spec":"go"}',
    "line 1, column 97: NaN is not a number": line(told=[float("nan")]),
    "line 1, column 1: Expecting value": "",
    "line 1, column 28: Unterminated string": line()[:30],
    "line 2, column 5: Expecting": '{"format":\n    }',
    "expected an object with the keys of a record": "[]",
    "half of a surrogate pair": line(result="\ud800"),
    "line 1, column 11: a number has too many digits": '{"told": [' + "9" * 5000 + "]}",
    "line 1, column 101: nested too deeply": "[" * 200_000,
    f"expected at most {MAX_BYTES}": " " * (MAX_BYTES + 1),
}


@pytest.mark.parametrize(("said", "text"), FAULTS.items(), ids=list(FAULTS))
def test_a_fault_is_named_with_its_place(said: str, text: str) -> None:
    with pytest.raises(RecordError) as caught:
        from_json(text)
    assert said in str(caught.value)
