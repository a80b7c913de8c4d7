"""KGS's values and ours, and what a bridge's file may say of it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.bridge.core import config_file
from gtp_variants.bridge.core.chat import with_command
from gtp_variants.bridge.kgs import values
from gtp_variants.errors import ConfigError, NotationError, PeerGarbled
from gtp_variants.players import config_readers as times
from gtp_variants.players.clock import Clock, TimeControl
from tests.bridge.fakes.running_bridge import environment, text_of


@pytest.mark.parametrize(("vertex", "x", "y"), [("A1", 0, 18), ("T19", 18, 0), ("J10", 8, 9), ("H1", 7, 18)])
def test_places_are_counted_from_the_top_left(vertex: str, x: int, y: int) -> None:
    assert values.loc_of(vertex, 19) == {"x": x, "y": y}
    assert values.vertex_of({"x": x, "y": y}, 19) == vertex


def test_rules_of_the_server_are_options_of_go() -> None:
    assert values.go_options({"rules": "japanese", "size": 19})["scoring"] == "territory"
    assert values.go_options({"rules": "new_zealand"})["suicide"] == "true"
    assert values.go_options({"size": 9}) == {}


def test_passes_and_senseless_places() -> None:
    assert values.loc_of("pass", 9) == "PASS"
    assert values.vertex_of("PASS", 9) == "pass"
    for loc in (None, {}, {"x": 1}, {"x": "1", "y": 2}, 7):
        with pytest.raises(PeerGarbled):
            values.vertex_of(loc, 9)


@pytest.mark.parametrize(
    ("written", "role"),
    [("black", "black"), ("KRole[black]", "black"), (4, "black"), ("KRole[white]", "white"), (2, "white"), ("", "")],
)
def test_a_role_however_it_is_written(written: Any, role: str) -> None:
    assert values.role_of(written) == role


@pytest.mark.parametrize(
    ("score", "result"),
    [
        *((3.5, "B+3.5"), (-12, "W+12"), (0, "0"), ("B+RESIGN", "B+R"), ("W+TIME", "W+T"), ("B+FORFEIT", "B+F")),
        *(("NO_RESULT", "Void"), ("UNFINISHED", ""), ("UNKNOWN", ""), (None, ""), (True, ""), ("B+", ""), ({}, "")),
    ],
)
def test_results(score: Any, result: str) -> None:
    assert values.result_of(score) == result


@pytest.mark.parametrize("text", ["none", "10m", "10m+5x30s", "0+3x20s", "5m+5m/25"])
def test_time_controls_go_there_and_back(text: str) -> None:
    control = times.control(text)
    assert values.control_of(values.time_fields(control)) == control


def test_clocks() -> None:
    byoyomi = TimeControl("byoyomi", 600.0, period_s=30.0, periods=5)
    assert values.clock_of({"time": 12.5, "periodsLeft": 2}, byoyomi) == Clock(byoyomi, 12.5, 2)
    canadian = TimeControl("canadian", 600.0, period_s=300.0, stones=25)
    assert values.clock_of({"time": 200, "stonesLeft": 7}, canadian) == Clock(canadian, 200.0, 7)
    assert values.clock_of({"time": -3}, TimeControl("absolute", 60.0)).left_s == 0


def test_lines_of_a_comment() -> None:
    assert values.chat_lines("alpha [5k]: !dice\nbeta: hi: you\nand more\nalpha [?]: bye") == [
        ("alpha", "!dice"),
        ("beta", "hi: you\nand more"),
        ("alpha", "bye"),
    ]
    grown = values.KgsTree()
    for text in ("alpha [5k]: one", "alpha [5k]: one\nbeta [-]: two"):
        said, unread = grown.apply([{"type": "PROP_CHANGED", "nodeId": 0, "prop": {"name": "COMMENT", "text": text}}])
        assert unread == []
    assert said == [("beta", "two")]


def test_proposals_are_the_same_where_the_game_is() -> None:
    rules = {"size": 9, "komi": 7.5, "rules": "chinese", "timeSystem": "absolute", "mainTime": 600}
    one = {"gameType": "free", "nigiri": False, "rules": rules}
    mine: dict[str, Any] = {**one, "players": [{"role": "white", "name": "Botty"}, {"role": "black", "name": "alpha"}]}
    down: dict[str, Any] = {
        **one,
        "players": [{"role": "white", "user": {"name": "botty"}}, {"role": "black", "user": "alpha"}],
    }
    assert values.is_same(mine, down)
    assert values.upstream(down)["players"][0] == {"role": "white", "name": "botty"}
    assert values.is_same(mine, {**down, "rules": {**rules, "handicap": 0}})
    for changed in ({"size": 13}, {"komi": 6.5}, {"handicap": 2}, {"rules": "japanese"}, {"mainTime": 60}):
        assert not values.is_same(mine, {**down, "rules": {**rules, **changed}})
    assert not values.is_same(mine, {**down, "players": down["players"][::-1]})
    assert values.is_same({**mine, "nigiri": True}, {**down, "nigiri": True, "players": down["players"][::-1]})


def test_a_tree_whose_events_come_in_another_order() -> None:
    events: list[dict[str, Any]] = [
        {"type": "ACTIVATED", "nodeId": 1, "prevNodeId": 0},
        {"type": "PROP_ADDED", "nodeId": 1, "prop": {"name": "MOVE", "color": "black", "loc": {"x": 0, "y": 0}}},
        {"type": "CHILD_ADDED", "nodeId": 0, "childNodeId": 1},
        {"type": "PROP_GROUP_ADDED", "nodeId": 0, "props": [{"name": "RULES", "size": 5}]},
        {"type": "NOVELTY", "nodeId": 1},
        {"nodeId": 1},
    ]
    game = values.KgsGame(7, "now", "free", {"black": "alpha", "white": "beta"})
    _, unread = game.tree.apply(events)
    assert len(unread) == 1
    assert game.moves() == ((1, "A5"),)
    # A circle does not hold anybody up.
    game.tree.apply([{"type": "CHILD_ADDED", "nodeId": 1, "childNodeId": 0}])
    assert len(game.moves()) <= 3


@pytest.mark.parametrize(
    ("command", "word", "spec"),
    [
        ("dice", "2D6", "aleago:komi=6.5,dice=2d6"),
        ("dice", "table", "aleago:komi=6.5"),
        ("dice", "tableau", "aleago:komi=6.5"),
        ("crystal", "", "aleago:komi=6.5,dice=1d4,star=true,crystal_ball=true"),
        ("crystal", "non", "aleago:komi=6.5,dice=1d4,star=true,crystal_ball=false"),
        ("handicap", "Noir", "aleago:komi=6.5,dice=1d4,star=true,free_player=b"),
        ("handicap", "none", "aleago:komi=6.5,dice=1d4,star=true,free_player=none"),
    ],
)
def test_options_that_are_agreed_on(command: str, word: str, spec: str) -> None:
    assert with_command("aleago:komi=6.5,dice=1d4,star=true", command, word, 9) == spec


@pytest.mark.parametrize(("command", "word"), [("dice", "7"), ("dice", "99d999"), ("crystal", "?"), ("handicap", "")])
def test_invalid_options_are_rejected(command: str, word: str) -> None:
    with pytest.raises(NotationError):
        with_command("aleago", command, word, 9)


def _faults(folder: Path, server: str, more: str = "", name: str = "botty", kind: str = "kgs") -> str:
    with pytest.raises(ConfigError) as raised:
        config_file.read(text_of(kind, 443, folder, more, name=name, server=server))
    return str(raised.value)


def test_a_file_for_kgs(tmp_path: Path) -> None:
    text = text_of("kgs", 443, tmp_path, "offer: {text: Hello, time: 5m+3x20s}\n", server="room: Dice Room")
    config = config_file.read(text.replace("host: 127.0.0.1, port: 443, ", ""))
    assert config.server.url == "https://www.gokgs.com:443/json/access"
    assert config.server.room == "Dice Room"
    assert config.offer.control == TimeControl("byoyomi", 300.0, period_s=20.0, periods=3)


def test_faults_of_a_file_for_kgs(tmp_path: Path) -> None:
    assert "server.room: is missing" in _faults(tmp_path, "")
    assert "a letter and at most nine more" in _faults(tmp_path, "room: x", name="much-too-long-a-name")
    assert "KGS has no increments" in _faults(tmp_path, "room: x", "offer: {time: 10m+5s}\n")
    assert "at most 80" in _faults(tmp_path, "room: x", f"offer: {{text: {'x' * 81}}}\n")
    assert "offer: would be refused" in _faults(tmp_path, "room: x", "challenges: {sizes: [9]}\n")
    assert "minutes, not 10" in _faults(tmp_path, "room: x", "challenges: {main: 5m}\n")
    assert "server.room: is for KGS only" in _faults(tmp_path, "room: x", kind="nngs")
    assert "offer.rank: needs automatch: true" in _faults(tmp_path, "room: x", "offer: {rank: 5k}\n")
    assert "KGS pairs only for go:size=19" in _faults(tmp_path, "room: x", "offer: {automatch: true}\n")


def test_nobody_else_loads_an_http_library() -> None:
    code = "import sys, gtp_variants.cli.compete.bridge, gtp_variants.cli.engines.gtp; print('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr
