"""Games of Tygem (GIB), WBaduk (NGF) and OGS (JSON).

The expected values are those of pysgf's readers, which KaTrain uses, and of the client of OGS, goban.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.cli import main
from gtp_variants.errors import RecordError
from gtp_variants.records.files import load_record, save
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.records.sgf.syntax import Node, first_game, property_text
from gtp_variants.rules.actions import BLACK, WHITE
from tests.records.damage import GIB, NGF, OGS


def nodes(text: str, encoding: str = "utf-8") -> tuple[list[Node], list[str]]:
    """Return the nodes of a text, and the keys of its remarks."""
    game = first_game(text.encode(encoding))
    return game.main_line(), [caveat.key for caveat in game.caveats]


def test_gib_with_its_main_head() -> None:
    (root, *moves), remarks = nodes(GIB)
    assert moves == [{"B": ["pd"]}, {"W": ["dd"]}, {"B": ["pq"]}, {"W": ["dq"]}, {"B": [""]}, {"W": ["cc"]}]
    assert {name: value for name, (value,) in root.items() if name != "GC"} == {
        "GM": "1",
        "FF": "4",
        "SZ": "19",
        "PB": "Ada",
        "BR": "9D",
        "PW": "Bea Bay",
        "WR": "18K",
        "KM": "6.5",
        "RE": "W+2.5",
        "DT": "2026-07-30",
        "TM": "7200",
        "OT": "5x60 byo-yomi",
        "EV": "rank game",
        "PC": "www.example.com",
    }
    # The head is kept whole.
    assert root["GC"][0].splitlines() == GIB.splitlines()[1:6]
    assert remarks == []


@pytest.mark.parametrize(
    ("code", "margin", "result"),
    [(0, 25, "B+2.5"), (1, 5, "W+0.5"), (3, 0, "B+R"), (4, 0, "W+R"), (7, 0, "B+T"), (8, 0, "W+T"), (255, 0, None)],
)
def test_gib_with_only_its_tag(code: int, margin: int, result: str | None) -> None:
    head = rf"\[GAMETAG=S1,R3,D5,G75,W{code},Z{margin},T30-3-1200,C2016:03:26:17:29\]"
    (root, *_), _ = nodes(f"\\HS\n{head}\n\\HE\n\\GS\nSTO 0 2 1 3 3\n\\GE")
    assert (root["KM"], root["DT"], root.get("RE", [None])[0]) == (["7.5"], ["2016-03-26"], result)


@pytest.mark.parametrize(("count", "stones"), [(2, "D4 Q16"), (3, "D4 D16 Q16"), (7, "D4 D10 D16 K10 Q4 Q10 Q16")])
def test_gib_with_a_handicap(count: int, stones: str) -> None:
    record = from_sgf(f"\\HS\n\\HE\n\\GS\nINI 0 1 {count} &4\nSTO 0 2 2 2 2\n\\GE", is_lenient=True)
    assert record.game.rules.board.vertices_of(record.game.setup) == stones.split()
    assert [caveat.key for caveat in record.caveats] == ["handicap"]
    assert record.game.events[0].actor == WHITE


def test_ngf_in_the_encodings_of_its_server() -> None:
    (root, *moves), remarks = nodes(NGF, "cp932")
    assert moves == [{"B": ["pd"]}, {"W": ["dd"]}, {"B": [""]}]
    found = {name: value for name, (value,) in root.items() if name != "GC"}
    assert found == {
        "GM": "1",
        "FF": "4",
        "SZ": "19",
        "PB": "江維傑",
        "BR": "5段P",
        "PW": "アギラール",
        "WR": "7段*",
        "KM": "6.5",
        "RE": "黒中押し勝ち!",
        "DT": "2011-08-12",
        "EV": "レーティング対局",
        "PC": "www.example.com",
    }
    assert remarks == ["encoding", "komi"]
    assert nodes(NGF)[1] == ["komi"]


@pytest.mark.parametrize(
    ("text", "remarks"),
    [
        (GIB.replace("\\GE\n", ""), ["ends"]),
        (GIB.replace("STO 0 3 2 3 3", "STO 0 3 2 x 3"), ["line"]),
        (GIB.replace("STO 0 3 2 3 3", "STO 0 3 2 3 77\nREM 0"), ["line", "line"]),
        (NGF.replace("PMACWEEEE", "PMAC"), ["komi", "line", "ends"]),
        (NGF.removesuffix("PMADBAAAA\n"), ["komi", "ends"]),
        (NGF.replace("480\n", ""), ["head"]),
        (NGF.replace("480\n", "480\n\n"), ["head"]),
        ("PMABBQEEQ", ["head"]),
        (NGF.replace("\n0\n0\n6\n", "\n2\n0\n0\n"), []),
    ],
)
def test_what_is_not_understood_is_told(text: str, remarks: list[str]) -> None:
    assert nodes(text)[1] == remarks


def ogs(**changed: Any) -> tuple[Node, list[Node]]:
    """Return the root and the moves of a game of OGS whose `gamedata` is changed."""
    told = json.loads(OGS)
    told["gamedata"] |= changed
    (root, *moves), remarks = nodes(json.dumps(told))
    assert remarks == []
    return root, moves


def test_ogs_with_a_fork_on_a_rectangle() -> None:
    root, moves = ogs()
    assert moves == [{"W": ["ee"]}, {"B": ["mi"]}, {"W": [""]}, {"AW": ["gg"]}, {"B": ["ff"]}]
    assert "".join(property_text(name, *values) for name, values in root.items() if name != "GC") == (
        "GM[1]FF[4]SZ[13:9]PB[ada]PW[bea]BR[5k]WR[2d]KM[5.5]RU[Chinese]RE[W+3.5]DT[2020-05-20]TM[600]OT[5x30 byo-yomi]"
        "GN[Friendly (; Match]PC[OGS: https://online-go.com/game/1]AB[aa][bb]AW[cc]PL[W]"
    )
    # Everything else is kept, but for what belongs to the account that downloaded the game.
    told = json.loads(OGS)
    del told["auth"], told["gamedata"]["game_chat_auth"]
    assert json.loads(root["GC"][0]) == told


@pytest.mark.parametrize(
    ("changed", "root", "moves"),
    [
        (
            {"handicap": 2, "initial_state": {}, "initial_player": "black"},
            {"HA": "2", "AB": "ee mi", "PL": "W"},
            {"W": "", "AW": "gg", "B": "ff"},
        ),
        (
            {"handicap": 2, "initial_state": {"black": "dddg"}, "moves": [[1, 0, 5, None, {"played_by": 3}]]},
            {"HA": "2", "AB": "dd dg", "PL": "W"},
            {"W": "ba"},
        ),
        ({"moves": [[13, 0, 5], ["a"], [0, 0, 5, 0]]}, {}, {"W": "13,0", "B": "['a']", "AE": "aa"}),
        ({"width": 19, "height": 19, "moves": [[19, 19]]}, {"SZ": "19"}, {"W": "19,19"}),
        ({"rengo_teams": {"black": [{"username": "x"}, {"username": "y"}]}}, {"PB": "x, y", "PW": "bea"}, None),
        ({"players": {"white": {"username": "p", "rank": 1043, "professional": True}}}, {"PW": "p", "WR": "7p"}, None),
        ({"winner": 7, "outcome": "Resignation"}, {"RE": "B+R"}, None),
        (
            {"time_control": {"system": "fischer", "initial_time": 60, "time_increment": 5}},
            {"TM": "60", "OT": "5 fischer"},
            None,
        ),
        ({"time_control": {"time_control": "simple", "per_move": 20}}, {"OT": "20 simple"}, None),
    ],
)
def test_ogs_in_other_games(changed: dict[str, Any], root: dict[str, str], moves: dict[str, str] | None) -> None:
    found, played = ogs(**changed)
    assert {name: " ".join(found[name]) for name in root} == root
    if moves is not None:
        assert [{name: value} for name, value in moves.items()] == [
            {n: v[0] for n, v in node.items()} for node in played
        ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"gamedata":{"original_sgf":"(;B[aa])","moves":[]}}', "download this game as SGF"),
        ('{"gamedata":{"width":19}}', "download this game as SGF"),
        ('{"moves":[[1,2]', "line 1, column 16: "),
        ('{"moves":[],"width":"x","height":2}', r"SZ\[x:2\]: expected a size"),
    ],
)
def test_ogs_without_a_game_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(RecordError, match=why):
        load_record(tmp_path / "x.json")


def test_such_files_go_through_every_door(tmp_path: Path) -> None:
    for name, text in (("a.gib", GIB), ("b.NGF", NGF), ("c.json", OGS)):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        record = load_record(file)
        assert record.game.events[0].actor in (BLACK, WHITE)
        save(record, tmp_path / "as.sgf")
        assert load_record(tmp_path / "as.sgf").game == record.game
        assert from_sgf(to_sgf(record)).players == record.players
        assert main(["diagram", str(file)]) == 0
        assert main(["verify", str(file)]) == 0
        if file.suffix != ".json":
            with pytest.raises(RecordError, match=r"ends in \.json or \.sgf"):
                save(record, file)


def test_a_text_that_is_no_game_is_refused() -> None:
    for text in ("hello", "", "\n" * 20, "PMABB", "a\n" * 13):
        with pytest.raises(RecordError, match="no game found"):
            first_game(text)
    with pytest.raises(RecordError, match="more than 200 faults"):
        first_game("\\GS\n" + "what\n" * 201)
