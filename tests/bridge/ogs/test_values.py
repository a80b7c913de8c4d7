"""OGS's values and ours: points, results, games, and what a bridge's file may say of it."""

from pathlib import Path
from typing import Any

import pytest

from gtp_variants.bridge.core import config_file
from gtp_variants.errors import ConfigError, PeerGarbled
from gtp_variants.records.sgf.ogs_games import result_of
from tests.bridge.fakes.running_bridge import text_of

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")

from gtp_variants.bridge.ogs import values
from gtp_variants.bridge.ogs.game import OgsGame


@pytest.mark.parametrize(
    ("vertex", "word", "size"),
    [("A1", "as", 19), ("A19", "aa", 19), ("J10", "ij", 19), ("T1", "ss", 19), ("pass", "..", 9)],
)
def test_points_have_an_i_and_begin_at_the_top(vertex: str, word: str, size: int) -> None:
    assert values.word_of(vertex, size) == word
    assert values.vertex_of(word, size, size) == vertex


def test_points_of_a_rectangle_begin_at_its_top() -> None:
    assert [values.word_of(vertex, 9) for vertex in ("A1", "N9")] == ["ai", "ma"]
    assert [values.vertex_of(word, 13, 9) for word in ("ai", "ma")] == ["A1", "N9"]
    assert values.move_of([12, 8, 100], 13, 9) == "N1"
    assert values.vertices_of("ajnamaai", 13, 9) == ("N9", "A1")
    with pytest.raises(PeerGarbled):
        values.move_of([8, 12], 13, 9)


def test_rules_of_the_server_are_options_of_go() -> None:
    """The server's own table: nz has suicide and situational superko, chinese points for handicap stones."""
    assert values.go_options({"rules": "nz", "superko_algorithm": "ssk", "allow_self_capture": True}) == {
        "repetition": "ssk",
        "suicide": "true",
        "scoring": "area",
        "handicap_bonus": "0",
        "button": "false",
    }
    japanese = values.go_options({"rules": "japanese", "superko_algorithm": "noresult", "allow_self_capture": False})
    assert (japanese["repetition"], japanese["scoring"]) == ("simple", "territory")
    assert values.go_options({"rules": "chinese", "superko_algorithm": "csk"})["handicap_bonus"] == "N"
    assert values.go_options({}) == {}


@pytest.mark.parametrize("move", [None, [], [1], ["a", "b"], [9, 0], {"x": 1}, "zz", "a", 7])
def test_invalid_moves_are_rejected(move: object) -> None:
    with pytest.raises(PeerGarbled):
        values.move_of(move, 9, 9)


@pytest.mark.parametrize(
    ("outcome", "winner", "result"),
    [
        *(("3.5 points", 1, "B+3.5"), ("Resignation", 2, "W+R"), ("Timeout", 1, "B+T"), ("Cancellation", 0, "Void")),
        *(("0 points", 0, "0"), ("Moderator Decision", 2, "W+F"), ("", 0, ""), ("Disconnection", 2, "W+T")),
    ],
)
def test_results(outcome: str, winner: int, result: str) -> None:
    assert result_of({"outcome": outcome, "winner": winner}, {1: 1, 2: 2}) == result


def _game(**more: Any) -> OgsGame:
    game = OgsGame(7)
    players = {side: {"id": number, "username": side} for number, side in enumerate(("black", "white"), 1)}
    data = {"width": 9, "height": 9, "phase": "play", "moves": [], "players": players, "initial_player": "black"}
    game.read({**data, "clock": {"current_player": 1, "last_move": 1000}, **more})
    return game


def test_moves_that_do_not_follow_ask_for_the_whole_game() -> None:
    game = _game()
    assert game.read_move({"move_number": 1, "move": [0, 0, 5]})
    assert game.read_move({"move_number": 1, "move": [0, 0, 5]}), "the same again is no news"
    assert not game.read_move({"move_number": 3, "move": [1, 1, 5]})
    assert not game.read_move({"move_number": 1, "move": [1, 1, 5]})
    assert game.vertices == ["A9"]


@pytest.mark.parametrize(
    ("asked", "accepted", "left"),
    [(3, 3, 2), ({"move_number": 3, "undo_move_count": 2}, 1, 1), (3, {"move_number": 1, "undo_move_count": 2}, 1)],
)
def test_an_undo_removes_the_last_move(asked: object, accepted: object, left: int) -> None:
    game = _game(moves=[[0, 0, 1], [1, 0, 1], [2, 0, 1]])
    game.read_undo_request(asked)
    game.undo_moves(accepted)
    assert len(game.vertices) == left


def test_clocks_stand_still_while_a_game_is_paused_or_has_not_begun() -> None:
    control = {"system": "absolute", "total_time": 100}
    clock = {"current_player": 1, "last_move": 1000, "black_time": {"thinking_time": 100}}
    for more, left_s in (({}, 90), ({"start_mode": True}, 100), ({"paused_since": 3000}, 98)):
        pause = {"paused": {"pausing_player_id": 2}} if "paused_since" in more else {}
        game = _game(time_control=control, clock={**clock, **more}, pause_control=pause)
        assert game.state("ogs-7", 1, 11_000, {}).clocks[1].left_s == left_s


def _faults(folder: Path, server: str, more: str = "", kind: str = "ogs") -> str:
    with pytest.raises(ConfigError) as raised:
        config_file.read(text_of(kind, 443, folder, more, server=server))
    return str(raised.value)


def test_a_file_for_ogs(tmp_path: Path) -> None:
    more = "challenges: {ranks: [25k, 3d], speeds: {live: {games: 7, period: 1m}}}\noffer: {time: 5m+10s}\n"
    text = text_of("ogs", 443, tmp_path, more).replace("host: 127.0.0.1, port: 443, ", "")
    config = config_file.read(text)
    assert (config.server.host, config.server.port) == ("online-go.com", 443)
    assert config.challenges.ranks == (5, 32)
    assert config.challenges.limits("live").games == 7
    assert config.challenges.limits("live").period_s == (60.0, 60.0)
    assert config.challenges.limits("blitz").games == 0
    assert config.challenges.limits("").games is None


def test_faults_of_a_file_for_ogs(tmp_path: Path) -> None:
    assert "server.room: is for KGS only" in _faults(tmp_path, "room: x")
    assert "ogs does not support role referee" in _faults(tmp_path, "", "role: referee\n")
    assert "expected a rank such as 25k" in _faults(tmp_path, "", "challenges: {ranks: [5x]}\n")
    assert "server.tls: is for KGS and OGS only" in _faults(tmp_path, "tls: false", kind="nngs")
