"""The extension commands (gtp.md 4)."""

import hashlib
import json
from pathlib import Path

import pytest

from gtp_variants.records.files import load
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.illegal_moves import explain
from tests.gtp.talk import Talk, first_words
from tests.support.specs import EACH

OWN = {
    "aleago": [
        "aleago-draw",
        "aleago-open",
        "aleago-set_dice 1d4",
        "aleago-resume",
        "aleago-commitment",
        "aleago-reveal",
    ],
    "phantom": ["phantom-view b", "phantom-announcements", "phantom-announcements all"],
    "alter-igo": ["alter-igo-losing_moves", "alter-igo-losing_moves b"],
    "pentalath": ["pentalath-line"],
    "rosette": ["rosette-immune"],
}


@pytest.mark.parametrize("game", GAMES)
def test_a_command_of_another_game_says_so(game: str) -> None:
    talk = Talk(game, seed="s")
    for owner, commands in OWN.items():
        for command in commands:
            if owner != game:
                assert talk.fails(command) == f"not a {owner} game"


def test_the_list_has_a_game_a_line() -> None:
    lines = Talk()("variant-list").split("\n")
    assert [line.partition(" ")[0] for line in lines] == list(GAMES)
    assert all(line.partition(" ")[2] for line in lines)


@pytest.mark.parametrize(
    ("typed", "spec"),
    [
        ("Go Fantôme", "phantom"),
        ("go fantome:size=5,lang=fr", "phantom:size=5,lang=fr"),
        ("Aléago", "aleago"),
        ("ALTER IGO:width=5", "alter-igo:width=5"),
        ("Go", "go"),
    ],
)
def test_a_title_names_its_game(typed: str, spec: str) -> None:
    talk = Talk("rosette")
    assert talk(f"variant-describe {typed}") == talk(f"variant-describe {spec}")
    talk(f"variant-set {typed}")
    assert talk("variant-get") == parse(spec).spec


# -- variant-describe --------------------------------------------------------------------------------------------------


def test_a_description_has_the_sets_of_options_by_name() -> None:
    talk = Talk("go:size=3")
    found = json.loads(talk("variant-describe phantom"))
    assert found["rule_sets"]["olympiad"] == {"atari": "none", "self_atari": "none", "captures": "owner"}
    assert json.loads(talk("variant-describe go"))["rule_sets"]["new-zealand"] == {
        "komi": "7",
        "repetition": "ssk",
        "suicide": "true",
    }
    assert "rule_sets" not in json.loads(talk("variant-describe pentalath"))
    talk.does("variant-set phantom:size=5,rules=openspiel/boardsize 4")
    assert talk("variant-get") == (
        "phantom:size=4,komi=7.5,repetition=draw,announce=list,atari=none,self_atari=none,impossible=public,"
        "captures=owner,refused=shown,in_a_row=tries,length=4,dead=none,lang=en"
    )


@pytest.mark.parametrize("spec", [*EACH, "aleago", "rosette", "alter-igo:width=3,height=5"])
def test_a_description_has_everything_a_host_needs_to_draw(spec: str) -> None:
    talk = Talk("go:size=3")
    text = talk(f"variant-describe {spec}")
    assert "\n" not in text
    found = json.loads(text)
    rules = parse(spec)
    assert found["name"] == rules.name
    assert found["players"] == ["?bwr"[colour] for colour in rules.colours]
    assert [o["name"] for o in found["options"]] == list(rules.values)
    for described in found["options"]:
        assert set(described) == {"name", "type", "default", "choices", "meaning"}
        assert isinstance(described["default"], str)
        assert described["meaning"]
    width, height = found["grid"]
    assert (width, height) == (rules.board.width, rules.board.height)
    assert found["geometry"] in ("rect", "hex")
    assert len(found["points"]) == len(rules.board)
    for vertex, ((x, y), drawn) in found["points"].items():
        assert rules.board.at(x, y) == rules.board.point(vertex)
        assert len(drawn) == 2
    assert len({tuple(drawn) for _, drawn in found["points"].values()}) == len(found["points"])
    assert {frozenset(edge) for edge in found["edges"]} == {
        frozenset((rules.board.vertex(p), rules.board.vertex(q))) for p, q in rules.board.edges()
    }
    assert ("faces" in found) == (rules.name == "rosette")
    assert ("lines" in found) == (rules.name == "aleago")
    assert found["search"] in ("native", "python")
    talk(f"variant-set {spec}")
    assert json.loads(talk("variant-describe")) == found


def test_descriptions_of_rosettes_and_lines() -> None:
    faces = json.loads(Talk("rosette")("variant-describe"))["faces"]
    assert len(faces) == 127
    assert {len(face) for face in faces} == {6}
    lines = json.loads(Talk("aleago")("variant-describe"))["lines"]
    assert (lines["A1"], lines["G7"], lines["B12"], lines["N7"]) == (1, 7, 2, 1)


def test_default_stands_in_a_description_whatever_was_set() -> None:
    options = json.loads(Talk("go:size=5,komi=0")("variant-describe"))["options"]
    assert {o["name"]: o["default"] for o in options} == {
        "size": "19",
        "width": "none",
        "height": "none",
        "komi": "7.5",
        "repetition": "psk",
        "dead": "judged",
        "suicide": "false",
        "scoring": "area",
        "handicap_bonus": "0",
        "komi_in_handicap": "true",
        "button": "false",
        "lang": "en",
    }


# -- variant-state -----------------------------------------------------------------------------------------------------

KEYS = """
    variant move_number to_play over suspended result reason stones captures legal passes draw announcements last
""".split()
MORE = {"alter-igo": ["losing", "occurrences", "passes_left"], "pentalath": ["line"], "rosette": ["immune"]}


@pytest.mark.parametrize("spec", EACH)
def test_a_state_has_every_key_from_start_to_end(spec: str) -> None:
    talk = Talk(spec, seed="state")
    keys = {*KEYS, *MORE.get(spec.partition(":")[0], [])}
    played = 0
    while True:
        assert "\n" not in talk("variant-state")
        state = talk.state()
        assert set(state) >= keys
        for colour in state["captures"]:
            assert set(talk.state(colour)) >= keys
        assert state["move_number"] == played
        assert (state["result"] is None) == (not state["over"])
        assert state["result"] == (None if not state["over"] else talk("variant-result").split()[0])
        assert (state["reason"] == "") == (not state["over"])
        assert state["legal"] == talk("variant-legal_moves").split()
        if state["over"]:
            assert state["legal"] == []
            assert state["draw"] is None
            break
        if played >= 40:
            break
        played += talk(f"genmove {state['to_play']}") != "resign"


def test_variant_state_reports_a_capture() -> None:
    talk = Talk("go:size=3")
    talk.plays("b:A1 w:B1 b:C3 w:A2")
    state = talk.state()
    assert state["stones"] == {"A2": "w", "B1": "w", "C3": "b"}
    assert state["captures"] == {"b": 0, "w": 1}
    assert state["last"] == {"colour": "w", "vertex": "A2", "captured": ["A1"]}
    assert (state["to_play"], state["passes"]) == ("b", 0)
    talk.plays("b:pass")
    state = talk.state()
    assert state["last"] == {"colour": "b", "vertex": "pass", "captured": []}
    assert state["passes"] == 1
    talk("variant-resign b")
    assert talk.state()["last"] == {"colour": "b", "vertex": "resign", "captured": []}


def test_variant_state_reports_alter_igo() -> None:
    talk = Talk("alter-igo:width=3,height=1,white_passes=2")
    state = talk.state()
    assert (state["losing"], state["occurrences"], state["passes_left"]) == ([], 1, {"b": 0, "w": 2})
    talk.plays("b:A1 w:C1")
    state = talk.state()
    assert state["losing"] == []
    assert "B1" in state["legal"]
    talk("play b B1")
    state = talk.state()
    assert state["last"] == {"colour": "b", "vertex": "B1", "captured": ["A1", "B1", "C1"]}
    assert state["stones"] == {}
    assert state["occurrences"] == 2
    assert state["captures"] == {"b": 1, "w": 0}
    assert state["legal"] == ["A1", "B1", "C1", "pass"]
    talk("play w pass")
    assert talk.state()["passes_left"] == {"b": 0, "w": 1}


def test_losing_moves_are_listed_and_stay_legal() -> None:
    talk = Talk("alter-igo:size=3")
    talk.plays("b:A2 w:C3 b:B1")
    assert talk("alter-igo-losing_moves") == talk("alter-igo-losing_moves w") == "A1"
    assert talk("alter-igo-losing_moves b") == ""
    assert talk.state()["losing"] == ["A1"]
    assert "A1" in talk.state()["legal"]
    assert "A1" in talk("gogui-rules_legal_moves").split()


def test_the_winning_line_of_pentalath() -> None:
    talk = Talk("pentalath")
    talk.plays("w:A1 b:A2 w:B1 b:B2 w:C1 b:C2 w:D1 b:D2")
    assert talk("pentalath-line") == ""
    assert talk.state()["line"] == []
    talk("play w E1")
    assert talk("pentalath-line").split() == talk.state()["line"] == ["A1", "B1", "C1", "D1", "E1"]


def test_immune_rosettes() -> None:
    talk = Talk("rosette:n=2")
    face = json.loads(talk("variant-describe"))["faces"][0]
    assert talk("rosette-immune") == ""
    for vertex in face:
        talk(f"play b {vertex}")
    assert sorted(talk("rosette-immune").split()) == sorted(face) == sorted(talk.state()["immune"])


def test_draws_in_a_state() -> None:
    talk = Talk("aleago:size=9")
    talk("aleago-draw b 4")
    assert talk.state()["draw"] == {"dice": "1d4", "total": 4, "drawn": [4, 5], "open": [4, 5]}
    talk.does("play b E5/aleago-draw w 4")
    # A star line stays listed when it is full.
    assert talk.state()["draw"] == {"dice": "1d4", "total": 4, "drawn": [4, 5], "open": [4, 5]}
    talk("aleago-draw w free")
    assert talk.state()["draw"] is None
    assert len(talk("aleago-open").split()) == 80
    assert talk("aleago-open").split() == talk.state()["legal"][:-1]


def test_the_fallback_in_a_state() -> None:
    talk = Talk("aleago:size=5,dice=1d3,repetition=none")
    talk.does("aleago-draw b 3/play b C3/aleago-draw w 3")
    assert talk.state()["draw"] == {"dice": "1d3", "total": 3, "drawn": [3], "open": [2]}
    assert set(talk("aleago-open").split()) == {"B2", "B3", "B4", "C2", "C4", "D2", "D3", "D4"}


def test_the_second_dice_table_row_opens_line_one_too() -> None:
    talk = Talk("aleago:size=19,dice=2d4")
    talk("aleago-draw b 4 4")
    assert talk.state()["draw"] == {"dice": "2d4", "total": 8, "drawn": [1, 8, 9, 10], "open": [1, 8, 9, 10]}
    talk.does("variant-set aleago:size=19,dice=2d4,double_whole_board=true/aleago-draw b 4 4")
    assert talk.state()["draw"]["open"] == list(range(1, 11))
    talk.does("variant-set aleago:size=19,dice=2d6/aleago-draw b 6 5")
    assert talk.state()["draw"] == {"dice": "2d6", "total": 11, "drawn": [], "open": [10]}
    assert talk("aleago-open") == "K10"


def test_the_centre_of_the_original_mapping_is_open_to_nobody() -> None:
    talk = Talk("aleago:size=5,dice=1d3,mapping=original")
    talk("aleago-draw b 3")
    assert talk.state()["draw"] == {"dice": "1d3", "total": 3, "drawn": [], "open": []}
    assert talk("aleago-open") == ""
    assert talk.state()["legal"] == ["pass"]


# -- resignation and record --------------------------------------------------------------------------------------------


def test_resigning_on_the_other_sides_turn_is_allowed() -> None:
    talk = Talk("alter-igo:size=3")
    talk("variant-resign w")
    assert talk("variant-result").startswith("B+R ")
    assert talk.reason("variant-resign b") == "game over"


def test_one_of_three_may_resign_and_the_others_continue() -> None:
    talk = Talk("pentalath:players=3")
    talk.plays("w:A1 b:B2")
    talk("variant-resign b")
    assert talk("variant-result") == "none"
    talk.plays("r:C3 w:D4 r:E5")
    assert talk.reason("variant-resign b") == "game over"
    talk("variant-resign r")
    assert talk("variant-result").startswith("W+R ")
    talk("gg-undo 2")
    assert talk.state()["to_play"] == "r"


@pytest.mark.parametrize("spec", [*EACH, "aleago:size=9,crystal_ball=true", "aleago:size=5,free_player=w"])
@pytest.mark.parametrize("seed", ["record", None])
def test_a_record_replays_exactly(spec: str, seed: str | None, tmp_path: Path) -> None:
    # A bot that passes only when there is nothing else to do, so that nobody has passed when the passes below come.
    talk = Talk(spec, seed=seed, bot="uniform")
    for _ in range(6):
        talk(f"genmove {talk.state()['to_play']}")
    if spec.startswith("phantom"):
        for vertex in list(talk.state()["stones"])[:2]:
            talk.fails(f"play {talk.state()['to_play']} {vertex}")
    if spec.startswith("aleago"):
        talk(f"aleago-draw {talk.state()['to_play']} free")
        talk.does("aleago-set_dice 1d2/play b pass/play w pass/aleago-resume")
    talk("variant-resign w")
    text = talk("variant-record")
    assert "\n" not in text
    record = json.loads(text)
    assert record["spec"] == talk("variant-get")
    path = tmp_path / "game.json"
    path.write_text(text, encoding="utf-8")
    game = load(path)
    assert game.events == talk.session.table.game.events
    assert list(game.positions) == list(talk.session.table.game.positions)
    if spec.startswith("aleago") and seed is not None:
        assert talk("aleago-commitment") in text


# -- Aléago ------------------------------------------------------------------------------------------------------------


def test_a_hosts_draw_replaces_the_engines_own() -> None:
    talk = Talk("aleago:size=9", seed="x")
    for face in (1, 2, 3, 4, 3):
        talk(f"aleago-draw b {face}")
        assert talk("aleago-draw") == f"b {face}"
    assert talk.reason("play b A1") == "line"
    assert talk("aleago-draw") == "b 3"
    talk("play b C3")
    drawn = talk("aleago-draw")
    talk("aleago-draw w 1")
    assert talk.reason("play w C3") == "occupied"
    talk.does("play w A1/gg-undo 2")
    assert talk("aleago-draw") == "b 3"
    talk("play b C4")
    assert talk("aleago-draw") == "w 1"
    talk.does("clear_board/aleago-draw b 3/play b C3")
    assert talk("aleago-draw") == drawn


@pytest.mark.parametrize("line", ["b", "b 1 2", "b 0", "b 5", "b x", "b -1", "w 1", "b free 1", "b 1.5"])
def test_an_invalid_draw_is_a_syntax_error_and_changes_nothing(line: str) -> None:
    talk = Talk("aleago:size=9")
    before = talk.snapshot()
    assert talk.fails(f"aleago-draw {line}").startswith("syntax error: ")
    assert talk.snapshot() == before


@pytest.mark.parametrize("colour", ["x", "r"])
def test_a_draw_of_nobody_is_an_invalid_colour(colour: str) -> None:
    assert Talk("aleago").fails(f"aleago-draw {colour} 1").startswith("invalid colour or vertex: ")


def test_a_draw_that_is_thrown_again_cannot_be_told() -> None:
    talk = Talk("aleago:size=19,dice=2d6,overflow=reroll")
    before = talk.snapshot()
    assert talk.fails("aleago-draw b 6 6").startswith("syntax error: ")
    assert talk.snapshot() == before
    talk.does("aleago-draw b 6 4/play b K10")


def test_two_dice_need_two_faces() -> None:
    talk = Talk("aleago:size=19,dice=2d6")
    talk.fails("aleago-draw b 7")
    talk("aleago-draw b 2 5")
    assert talk("aleago-draw") == "b 2 5"
    assert talk.state()["draw"]["total"] == 7


def test_a_free_turn_has_no_line() -> None:
    talk = Talk("aleago:size=9")
    talk("aleago-draw b free")
    assert talk("aleago-draw") == "b free"
    assert len(talk("aleago-open").split()) == 81
    talk.plays("b:E5")
    assert talk("aleago-draw") != "w free"
    talk("undo")
    assert talk("aleago-draw") == "b free"
    talk("aleago-draw b 1")
    assert talk.reason("play b E5") == "line"


def test_a_free_player_never_draws() -> None:
    talk = Talk("aleago:size=9,free_player=w")
    assert talk("aleago-draw").startswith("b ")
    talk.does("aleago-draw b 1/play b A1")
    assert talk("aleago-draw") == "w free"
    assert talk.state()["draw"] is None
    talk.plays("w:E5")
    assert first_words(talk("aleago-draw")) == ["b"]


def test_the_crystal_ball_knows_one_draw_more() -> None:
    talk = Talk("aleago:size=9,crystal_ball=true", seed="ball")
    assert first_words(talk("aleago-draw")) == ["b", "w"]
    talk.does("aleago-draw w 3/aleago-draw b 2")
    assert talk("aleago-draw") == "b 2\nw 3"
    talk("play b B2")
    lines = talk("aleago-draw").split("\n")
    assert lines[0] == "w 3"
    assert lines[1].startswith("b ")
    talk("play w pass")
    assert talk("aleago-draw").split("\n")[0] == lines[1]
    talk("gg-undo 2")
    assert talk("aleago-draw") == "b 2\nw 3"


def test_dice_are_changed_by_agreement_and_the_star_stays() -> None:
    talk = Talk("aleago:size=19,dice=2d4", seed="dice")
    talk("aleago-set_dice 1d4")
    assert talk.state()["draw"]["dice"] == "1d4"
    assert talk("aleago-draw").split()[0] == "b"
    talk("aleago-draw b 4")
    assert talk.state()["draw"]["drawn"] == [4, 5, 6, 7, 8, 9, 10]
    talk.does("variant-set aleago:size=19,dice=2d6/aleago-set_dice 1d6/aleago-draw b 6")
    assert talk.state()["draw"]["drawn"] == [6]
    talk("clear_board")
    assert talk.state()["draw"]["dice"] == "2d6"


@pytest.mark.parametrize("dice", ["", "x", "0d6", "d6", "100d6", "2d1000"])
def test_dice_that_do_not_exist_are_a_syntax_error(dice: str) -> None:
    talk = Talk("aleago:size=9")
    talk("aleago-draw b 3")
    before = talk.snapshot()
    assert talk.fails(f"aleago-set_dice {dice}").startswith("syntax error: ")
    assert talk.snapshot() == before


def test_undo_takes_back_dice_that_were_set_after_the_last_stone() -> None:
    talk = Talk("aleago:size=9", seed="dice")
    talk.does("aleago-draw b 1/play b A1/aleago-draw w 3")
    before = talk.snapshot()
    talk("aleago-set_dice 1d6")
    assert talk.state()["draw"]["dice"] == "1d6"
    talk.does("undo/play b A1")
    assert talk("aleago-draw") == "w 3"
    assert talk.snapshot() == before
    talk.does("aleago-set_dice 1d6/play w pass/undo")
    assert talk.state()["draw"]["dice"] == "1d6"


def test_a_suspended_game_is_resumed_under_the_next_draw() -> None:
    talk = Talk("aleago:size=9", seed="resume")
    assert talk.fails("aleago-resume")
    talk.plays("b:pass w:pass")
    drawn = talk("aleago-draw")
    suspended = talk.snapshot()
    talk("aleago-resume")
    state = talk.state()
    assert (state["over"], state["suspended"], state["passes"], state["move_number"]) == (False, False, 0, 2)
    assert talk("aleago-draw") == drawn
    assert talk.fails("aleago-resume")
    resumed = talk.snapshot()
    talk("play b pass")
    assert not talk.state()["over"]
    talk("undo")
    assert talk.snapshot() == resumed
    talk("undo")
    assert talk.state()["passes"] == 1
    talk("play w pass")
    assert talk.snapshot() == suspended


def test_a_stone_is_the_same_as_a_resume_and_a_stone() -> None:
    first, second = Talk("aleago:size=9", seed="same"), Talk("aleago:size=9", seed="same")
    for talk in (first, second):
        talk.plays("b:pass w:pass")
    second("aleago-resume")
    point = second("variant-legal_moves").split()[0]
    for talk in (first, second):
        talk(f"play b {point}")
    assert first.state() == second.state()


def test_the_commitment_is_kept() -> None:
    talk = Talk("aleago:size=9", seed="a secret")
    commitment = talk("aleago-commitment")
    assert talk.fails("aleago-reveal") == "game not over"
    talk.plays("b:pass w:pass")
    secret = talk("aleago-reveal")
    assert secret == b"a secret".hex()
    assert hashlib.sha256(bytes.fromhex(secret)).hexdigest() == commitment == talk("aleago-commitment")
    # It ends the game for good.
    state = talk.state()
    assert (state["over"], state["suspended"]) == (True, False)
    assert talk.reason("play b A1") == "game over"
    assert talk.reason("play w A1") == "game over"
    assert "game over" in talk.fails("aleago-resume")
    assert "game over" in talk.fails("aleago-draw b 1")
    assert "game over" in talk.fails("aleago-set_dice 1d6")
    assert talk.fails("undo") == "cannot undo"
    assert talk("gogui-rules_legal_moves") == ""
    assert (talk("genmove b"), talk("genmove w")) == ("resign", "pass")
    assert json.loads(talk("variant-record"))["spec"] == talk("variant-get")
    assert talk.fails("gogui-play_sequence b A1")
    talk("clear_board")
    assert not talk.state()["over"]


def test_shared_dice_have_nothing_to_reveal() -> None:
    talk = Talk("aleago:size=9")
    assert talk.fails("aleago-commitment") == talk.fails("aleago-reveal") == "shared dice: start with --seed"
    talk.plays("b:pass w:pass w:pass")
    assert talk.fails("aleago-reveal") == "shared dice: start with --seed"


# -- Go Fantôme --------------------------------------------------------------------------------------------------------


def test_each_seats_state_and_news() -> None:
    talk = Talk("phantom:size=3")
    assert talk("phantom-announcements") == ""
    assert talk.state()["announcements"] == []
    talk("play b B2")
    assert talk("phantom-announcements") == "Black has played"
    assert talk.fails("play w B2") == "impossible move"
    assert talk.state()["announcements"] == [
        {"code": "impossible", "colour": "w", "count": 0, "points": [], "text": "impossible move"}
    ]
    assert talk.state()["last"]["vertex"] == "B2"
    talk("play w A1")
    assert talk("phantom-view b").strip().split("\n") == [". . .", ". X .", ". . ."]
    assert talk("phantom-view w").strip().split("\n") == [". . .", ". . .", "O . ."]
    assert talk.state("b")["stones"] == {"B2": "b"}
    assert talk.state("w")["stones"] == {"A1": "w"}
    assert "A1" in talk.state("b")["legal"]
    assert "A1" not in talk.state()["legal"]
    assert talk.state("b")["last"] == {"colour": "w", "vertex": None, "captured": []}
    talk("play b A2")
    assert talk("phantom-announcements") == "Black plays and puts 1 white stone in atari"
    talk.does("play w C3/play b B1")
    assert talk("phantom-announcements") == "Black plays and captures 1 white stone"
    assert talk.state("w")["last"]["captured"] == ["A1"]
    assert talk.state("w")["announcements"][0]["points"] == ["A1"]
    assert talk.state("w")["stones"] == {"C3": "w"}
    talk("play w pass")
    assert talk("phantom-announcements all").split("\n") == [
        "Black has played",
        "impossible move",
        "White has played",
        "Black plays and puts 1 white stone in atari",
        "White has played",
        "Black plays and captures 1 white stone",
        "White passes",
    ]
    assert talk.fails("phantom-announcements some").startswith("syntax error: ")
    assert talk.fails("phantom-view").startswith("syntax error: ")
    assert talk.fails("phantom-view r").startswith("invalid colour or vertex: ")


def test_no_reason_is_given_whatever_it_is() -> None:
    talk = Talk("phantom:size=4")
    talk.plays("b:B1 b:A2 b:B3 w:C1 w:D2 w:C3 b:C2 w:B2")
    for vertex in ("C2", "B1", "C1"):
        assert talk.fails(f"play b {vertex}") == "impossible move"
    assert talk.reason("play b Z9") == "off board"
    talk = Talk("phantom:size=4")
    talk.plays("b:A2 b:B1")
    assert talk.fails("play w A1") == "impossible move"
    assert explain("impossible", Talk("phantom:lang=fr").session.rules.lang) == "coup impossible"


def test_a_refused_try_keeps_the_turn_and_counts_for_nothing() -> None:
    talk = Talk("phantom:size=5")
    talk.plays("b:C3 w:pass b:pass")
    before = talk.state()
    assert before["suspended"]
    assert talk.fails("play w C3") == "impossible move"
    after = talk.state()
    for key in ("move_number", "to_play", "passes", "stones", "last", "over", "suspended"):
        assert after[key] == before[key]


def test_a_seat_does_not_learn_the_count_before_the_end_is_final() -> None:
    talk = Talk("phantom:size=5")
    talk.plays("b:C3 w:D4 b:pass w:pass")
    state = talk.state("w")
    assert (state["over"], state["result"], state["reason"], state["stones"]) == (True, None, "", {"D4": "w"})
    talk("play b pass")
    state = talk.state("w")
    assert state["stones"] == {"C3": "b", "D4": "w"}
    assert state["result"] == talk("variant-result").split()[0]


def test_a_private_refusal_is_heard_by_nobody_else() -> None:
    talk = Talk("phantom:size=5,impossible=private")
    talk("play b C3")
    talk.fails("play w C3")
    assert [said["code"] for said in talk.state("w")["announcements"]] == ["impossible"]
    assert [said["code"] for said in talk.state("b")["announcements"]] == ["played"]


def test_a_bot_tries_again_until_the_referee_accepts() -> None:
    talk = Talk("phantom:size=3", seed="tries")
    for _ in range(60):
        if talk.state()["over"]:
            break
        talk(f"genmove {talk.state()['to_play']}")
    assert "impossible move" in talk("phantom-announcements all")
