"""play, genmove, undo and the end of a game (gtp.md 3)."""

import re
from itertools import cycle
from pathlib import Path

import pytest

from gtp_variants.rules.actions import PASS
from tests.gtp.talk import SCORED, UNSCORED, Talk
from tests.rules.games.test_go_options import BY_GNU_GO

REQUIRED = """
protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove
undo fixed_handicap place_free_handicap set_free_handicap time_settings time_left final_score final_status_list loadsgf
reg_genmove showboard gg-undo cputime set_random_seed printsgf kgs-time_settings kgs-rules kgs-game_over
kgs-genmove_cleanup kata-list_time_settings kata-time_settings rectangular_boardsize gomill-explain_last_move
gomill-describe_engine gomill-cpu_time gogui-play_sequence gogui-setup gogui-title gogui-interrupt
variant-list variant-set variant-get variant-describe variant-state variant-legal_moves variant-result variant-resign
variant-record aleago-draw aleago-open aleago-set_dice aleago-resume aleago-commitment aleago-reveal phantom-view
phantom-announcements alter-igo-losing_moves pentalath-line rosette-immune
gogui-rules_game_id gogui-rules_board_size gogui-rules_board gogui-rules_board_gfx gogui-rules_legal_moves
gogui-rules_side_to_move gogui-rules_captured_count gogui-rules_final_result
"""


def test_every_command_is_listed_once_and_known() -> None:
    talk = Talk("go:size=5")
    listed = talk("list_commands").split("\n")
    assert len(set(listed)) == len(listed)
    assert set(REQUIRED.split()) <= set(listed)
    assert {talk(f"known_command {name}") for name in listed} == {"true"}
    assert talk("known_command nonsense") == talk("known_command Play") == "false"


def test_every_listed_command_answers_something_but_no_internal_error() -> None:
    for name in Talk("go:size=5")("list_commands").split("\n"):
        for spec in ("go:size=5", "aleago:size=9", "pentalath:players=3"):
            answer = Talk(spec).raw(name.encode())
            assert answer is not None
            assert b"internal error" not in answer
            assert answer != b"? unknown command\n\n"


@pytest.mark.parametrize(
    "line",
    """
    play/play b/genmove/boardsize/boardsize x/komi/komi x/komi nan/komi inf/gg-undo x/time_settings/time_settings 1 1
    time_settings 1 x 1/time_settings -1 0 0/time_left/time_left b/time_left b x 1/set_free_handicap/kgs-rules
    kgs-rules x/final_status_list/final_status_list x/rectangular_boardsize 5/gogui-play_sequence b/gogui-setup b
    variant-set/variant-set x/variant-resign/variant-resign x/loadsgf/kgs-time_settings/kgs-time_settings x
    kata-time_settings/kata-time_settings fischer 1/fixed_handicap/fixed_handicap x/place_free_handicap/reg_genmove
    kgs-genmove_cleanup/genmove x/reg_genmove x/aleago
    """.replace("/", "\n")
    .strip()
    .split("\n"),
)
def test_commands_without_their_arguments_fail_and_change_nothing(line: str) -> None:
    talk = Talk("go:size=5")
    before = talk.snapshot()
    text = talk.fails(line.strip())
    wanted = ("syntax error: ", "invalid colour or vertex: ", "unknown command", "bad vertex list")
    assert text.startswith(wanted)
    assert talk.snapshot() == before


# -- why a move is refused ---------------------------------------------------------------------------------------------


def test_the_reason_comes_first_and_a_sentence_may_follow() -> None:
    talk = Talk("aleago:size=9")
    talk("aleago-draw b 2")
    assert talk.fails("play b D4") == "illegal move (line): D4 is on line 4, the draw opens line 2"
    talk = Talk("aleago:size=9,lang=fr")
    talk("aleago-draw b 2")
    assert talk.reason("play b D4") == "line"


@pytest.mark.parametrize(
    ("spec", "moves", "line", "reason"),
    [
        ("go:size=5", "b:A1", "play w A1", "occupied"),
        ("go:size=3", "b:A2 b:B1", "play w A1", "suicide"),
        ("go:size=5", "", "play b swap", "no swap"),
        ("alter-igo:size=3", "", "play b pass", "no pass"),
        ("alter-igo:size=3", "b:A1", "play b A1", "not your turn"),
        ("alter-igo:size=3", "b:A1", "play b pass", "not your turn"),
        ("alter-igo:size=3", "b:A1", "play b Z9", "not your turn"),
        ("alter-igo:size=3", "b:A1", "play w swap", "no swap"),
        ("alter-igo:white_passes=1", "b:A1 w:pass b:B1 w:C1 b:D1", "play w pass", "no pass"),
        ("pentalath", "", "play w pass", "no pass"),
        ("pentalath", "w:A1", "play w A1", "not your turn"),
        ("pentalath", "w:A1", "play w swap", "not your turn"),
        ("pentalath", "w:A1", "play b swap", "no swap"),
        ("pentalath:swap=true", "w:A1 b:B1 w:C1", "play b swap", "no swap"),
        ("pentalath:supply=1,no_move=pass", "w:A1 b:B1", "play w B1", "occupied"),
        ("pentalath:supply=2,no_move=pass", "w:A1 b:B1 w:C1 b:E1", "play w D1", "supply"),
        ("rosette:n=2,supply=1", "b:A3 w:B1", "play b C1", "supply"),
        ("rosette:n=2,supply=1", "b:A3 w:B1", "play b A3", "occupied"),
        ("pentalath:players=3", "w:A1", "play w B1", "not your turn"),
        ("pentalath:players=3", "", "play b B1", "not your turn"),
    ],
)
def test_each_reason_in_its_place(spec: str, moves: str, line: str, reason: str) -> None:
    talk = Talk(spec)
    talk.plays(moves)
    before = talk.snapshot()
    assert talk.reason(line) == reason
    assert talk.snapshot() == before


def test_game_over_comes_before_all_other_reasons() -> None:
    for spec in ("go:size=3", "alter-igo:size=3", "pentalath"):
        talk = Talk(spec)
        talk("variant-resign b")
        for move in ("b A1", "w A1", "b Z99", "b swap", "b resign"):
            assert talk.reason(f"play {move}") == "game over"
        assert talk.fails("play x A1").startswith("invalid colour or vertex")


def test_repetition_comes_before_the_line() -> None:
    talk = Talk("aleago:size=5,repetition=psk")
    talk.does("gogui-setup b B1 b A2 b B3 w C1 w D2 w C3 w B2/aleago-draw b free/play b C2/aleago-draw w 1")
    assert talk.reason("play w C2") == "occupied"
    assert talk.reason("play w B2") == "repetition"
    talk("aleago-draw w 2")
    assert talk.reason("play w A1") in ("suicide", "line")


# -- taking turns ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SCORED)
def test_one_colour_may_play_several_times_in_a_row(spec: str) -> None:
    talk = Talk(spec, seed="two in a row")
    points = talk("variant-legal_moves").split()
    talk(f"play b {points[0]}")
    state = talk.state()
    assert (state["to_play"], state["move_number"], state["passes"]) == ("w", 1, 0)
    again = next(word for word in talk("variant-legal_moves b").split() if word != "pass")
    talk(f"play b {again}")
    state = talk.state()
    assert (state["to_play"], state["move_number"], state["passes"]) == ("w", 2, 0)
    assert set(state["stones"].values()) == {"b"}
    talk("undo")
    assert talk.state()["stones"] == {points[0]: "b"}
    assert talk.state()["to_play"] == "w"


@pytest.mark.parametrize("spec", UNSCORED)
def test_without_a_pass_nobody_is_passed_over(spec: str) -> None:
    talk = Talk(spec)
    first, second = ("b", "w") if spec.startswith("alter") else ("w", "b")
    talk(f"play {first} A1")
    assert talk.reason(f"play {first} B2") == "not your turn"
    assert talk.reason(f"genmove {first}") == "not your turn"
    talk(f"play {second} B2")


@pytest.mark.parametrize("spec", [*SCORED, *UNSCORED])
@pytest.mark.parametrize("command", ["play {} {}", "genmove {}"])
@pytest.mark.parametrize("colour", "bw")
def test_either_colour_may_begin_a_game_for_two(spec: str, command: str, colour: str) -> None:
    talk = Talk(spec)
    point = talk(f"variant-legal_moves {colour}").split()[0]
    talk(command.format(colour, point))
    state = talk.state()
    assert set(state["stones"].values()) <= {colour}
    assert state["last"]["colour"] == colour
    assert state["to_play"] == {"b": "w", "w": "b"}[colour]


def test_three_players_keep_their_order() -> None:
    talk = Talk("pentalath:players=3")
    assert talk.reason("genmove b") == "not your turn"
    talk.plays("w:A1 b:B2 r:C3 w:D4")
    assert talk.state()["to_play"] == "b"


@pytest.mark.parametrize("spec", ["go:size=5", "alter-igo:size=3", "aleago:size=9"])
def test_the_side_set_to_move_on_an_empty_board_can_be_a_bot(spec: str) -> None:
    talk = Talk(spec)
    talk("gogui-setup_player w")
    assert talk.state()["to_play"] == "w"
    assert talk("genmove w") not in ("resign", "pass")


# -- the end -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SCORED)
def test_two_passes_suspend_and_a_stone_opens_again(spec: str) -> None:
    talk = Talk(spec)
    talk.plays("b:pass w:pass")
    state = talk.state()
    assert (state["over"], state["suspended"], state["result"], state["legal"]) == (True, True, "W+7.5", [])
    assert state["passes"] == 2
    assert talk("variant-result").startswith("W+7.5 ")
    assert talk("final_score") == "W+7.5"
    legal = talk("gogui-rules_legal_moves").split()
    assert legal[-1] == "pass"
    assert len(legal) > 1
    talk(f"play b {legal[0]}")
    state = talk.state()
    assert (state["over"], state["suspended"], state["result"], state["passes"]) == (False, False, None, 0)
    assert talk("variant-result") == "none"
    talk("undo")
    assert talk.state()["suspended"]


@pytest.mark.parametrize("spec", SCORED)
@pytest.mark.parametrize("colour", "bw")
def test_a_third_pass_of_either_side_confirms_the_end(spec: str, colour: str) -> None:
    talk = Talk(spec)
    talk.plays(f"b:pass w:pass {colour}:pass")
    state = talk.state()
    assert (state["over"], state["suspended"], state["result"], state["legal"]) == (True, False, "W+7.5", [])
    assert talk("gogui-rules_legal_moves") == ""
    before = talk.snapshot()
    assert talk.reason("play b A1") == "game over"
    assert talk.reason("play w resign") == "game over"
    assert talk.reason("variant-resign b") == "game over"
    for pass_of in "bwbwbw":
        talk(f"play {pass_of} pass")
    assert talk("genmove w") == "pass"
    assert talk("genmove b") == "resign"
    assert talk.snapshot() == before
    talk("undo")
    assert talk.state()["suspended"]


@pytest.mark.parametrize("spec", SCORED)
def test_genmove_of_a_suspended_game_thinks_and_does_not_resign(spec: str) -> None:
    talk = Talk(spec)
    talk.plays("b:pass w:pass")
    assert talk("genmove b") not in ("pass", "resign")
    assert not talk.state()["over"]


def test_aleago_without_agreement_is_over_at_once() -> None:
    talk = Talk("aleago:size=9,agreement=false")
    talk.plays("b:pass w:pass")
    state = talk.state()
    assert (state["over"], state["suspended"]) == (True, False)
    assert talk.reason("play b A1") == "game over"
    assert talk("gogui-rules_legal_moves") == ""


def test_aleago_ends_after_as_many_passes_as_were_set() -> None:
    talk = Talk("aleago:size=9,end_passes=4")
    talk.plays("b:pass w:pass b:pass")
    assert not talk.state()["over"]
    talk.plays("w:pass")
    assert talk.state()["suspended"]
    talk.plays("b:pass")
    assert not talk.state()["suspended"]
    assert talk.state()["over"]


@pytest.mark.parametrize("spec", [*SCORED, *UNSCORED])
def test_after_a_resignation_the_game_is_over_and_hosts_can_pass_to_its_end(spec: str) -> None:
    talk = Talk(spec)
    talk("variant-resign b")
    before = talk.snapshot()
    assert talk("final_score") == "W+R"
    assert talk("variant-result").startswith("W+R ")
    for colour in "bwwb":
        talk(f"play {colour} pass")
    assert (talk("genmove b"), talk("genmove w")) == ("resign", "pass")
    assert (talk("kgs-genmove_cleanup b"), talk("reg_genmove w")) == ("resign", "pass")
    assert talk.snapshot() == before
    talk("undo")
    assert not talk.state()["over"]
    assert talk.fails("undo") == "cannot undo"


def test_after_a_draw_both_sides_pass() -> None:
    talk = Talk("alter-igo:width=2,height=1")
    talk.plays("b:A1 w:B1")
    while not talk.state()["over"]:
        colour = talk.state()["to_play"]
        talk(f"play {colour} {talk.state()['legal'][0]}")
    assert talk.state()["result"] == "0"
    assert talk("final_score") == "0"
    assert talk("variant-result").startswith("0 ")
    assert (talk("genmove b"), talk("genmove w")) == ("pass", "pass")
    talk("play b pass")
    assert talk.reason("play b A1") == "game over"


def test_a_five_wins_without_a_score() -> None:
    talk = Talk("pentalath")
    talk.plays("w:A1 b:A2 w:B1 b:B2 w:C1 b:C2 w:D1 b:D2 w:E1")
    assert talk("final_score") == "W+1"
    assert talk("variant-result").startswith("W+ ")
    assert talk.state()["result"] == "W+"
    assert (talk("genmove b"), talk("genmove w")) == ("resign", "pass")
    talk.plays("b:pass w:pass")
    assert talk.reason("play b F6") == "game over"


def test_three_players_win_for_red_too() -> None:
    talk = Talk("pentalath:players=3")
    talk.plays("w:A1 b:A3 r:A2 w:C1 b:C3 r:B2 w:E1 b:E3 r:C2 w:G1 b:G3 r:D2 w:A4 b:C5 r:E2")
    assert talk("final_score") == "R+1"
    assert [talk(f"genmove {colour}") for colour in "wbr"] == ["resign", "resign", "pass"]


def test_a_lone_suicide_loses_in_alter_igo() -> None:
    talk = Talk("alter-igo:size=1")
    talk("play b A1")
    assert (talk("final_score"), talk("variant-result")[:3]) == ("W+1", "W+ ")
    state = talk.state()
    assert state["stones"] == {}
    assert state["last"] == {"colour": "b", "vertex": "A1", "captured": ["A1"]}


def test_a_bot_resigns_rather_than_losing_by_the_rules() -> None:
    talk = Talk("alter-igo:size=1")
    assert talk("genmove b") == "resign"
    assert talk("final_score") == "W+R"


@pytest.mark.parametrize("spec", SCORED)
def test_before_the_end_the_board_is_scored_as_it_stands(spec: str) -> None:
    talk = Talk(spec)
    assert talk("final_score") == "W+7.5"
    talk("komi 3")
    assert talk("final_score") == "W+3"
    talk("komi 0.1")
    assert talk("final_score") == "W+0.1"
    talk("komi 0")
    assert talk("final_score") == "0"
    talk("komi -2.25")
    assert talk("final_score") == "B+2.25"
    assert talk("variant-result") == "none"


@pytest.mark.parametrize("spec", UNSCORED)
def test_before_the_end_games_without_a_score_cannot_be_scored(spec: str) -> None:
    assert Talk(spec).fails("final_score") == "cannot score"


def test_status_lists_have_a_chain_a_line() -> None:
    talk = Talk("go:size=5")
    assert talk("final_status_list alive") == ""
    talk.plays("b:A1 b:A2 w:E5 b:C3")
    assert talk("final_status_list alive").split("\n") == ["A1 A2", "C3", "E5"]
    assert talk("final_status_list dead") == talk("final_status_list seki") == ""
    assert [talk(f"final_status {vertex}") for vertex in ("A1", "E5", "B1")] == ["alive", "alive", "dame"]
    assert talk.fails("final_status J9").startswith("illegal move (off board)")


# Black's stone at D3 has no room among White's, whose chain has two eyes, as Black's has.
_WALLS = (
    " ".join(f"w:{column}5 b:{column}6" for column in "ABCDEFGHJ") + " w:B4 b:B7 w:D4 b:D7 w:F4 b:F7 w:H4 b:H7 b:D3"
)


@pytest.mark.parametrize("game", ["go", "aleago", "phantom"])
def test_after_the_passes_dead_chains_are_listed_and_counted_as_the_option_says(game: str) -> None:
    scores = {}
    for dead in ("none", "judged"):
        talk = Talk(f"{game}:size=9,komi=0,dead={dead}")
        if game == "aleago":
            # A host that replays a game is taken at its word.
            talk("gogui-rules_game_id")
        talk.plays(_WALLS)
        assert talk("final_status_list dead") == ""
        talk.plays("w:pass b:pass")
        assert talk("final_status_list dead") == "D3"
        assert [talk(f"final_status {vertex}") for vertex in ("D3", "A5", "A6", "D2", "A9")] == [
            "dead", "alive", "alive", "white_territory", "black_territory"]  # fmt: skip
        assert len(talk("final_status_list alive").split("\n")) == 2
        assert talk("final_status_list seki") == ""
        scores[dead] = talk("final_score")
    # White's territory is 27 points and the stone, once it counts as dead.
    assert scores == {"none": "B+24", "judged": "W+9"}


@pytest.mark.parametrize(("moves", "dead", "score"), BY_GNU_GO)
def test_judged_dead_stones_are_prisoners_as_gnu_go_counts_them(moves: str, dead: str, score: str) -> None:
    pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
    talk = Talk("go:size=9,rules=japanese,dead=judged")
    talk.plays(" ".join(f"{colour}:{word}" for colour, word in zip(cycle("bw"), moves.split(), strict=False)))
    assert set(talk("final_status_list dead").split()) == set(dead.split())
    assert talk("final_score") == score


def test_a_judged_end_is_the_result_until_a_stone_opens_the_game_again() -> None:
    talk = Talk("go:size=9,komi=0,dead=judged")
    talk.plays(_WALLS + " w:pass b:pass")
    assert talk("variant-result").startswith("W+9 ")
    talk("undo")
    assert talk("variant-result") == "none"
    talk.plays("b:pass w:pass")
    assert talk("variant-result").startswith("W+9 ")
    assert talk("genmove w") == "pass"


def test_a_judged_end_of_hidden_stones_has_one_result_and_tells_no_seat_where_they_stand(tmp_path: Path) -> None:
    talk = Talk("phantom:size=9,komi=0,dead=judged")
    talk.plays(_WALLS + " w:pass b:pass")
    assert talk("variant-result").startswith("W+9 ")
    assert (talk.state()["result"], talk("final_score"), talk("variant-dead")) == ("W+9", "W+9", "D3")
    assert "RE[W+9]" in talk("printsgf")
    for colour in talk.session.rules.colours:
        assert talk.session.play.view(colour).news[-1].action == PASS
    # A stone opens the game again, and a third pass ends it.
    talk("play w J9")
    assert (talk("variant-result"), talk("variant-dead")) == ("none", "")
    talk("undo")
    talk("play w pass")
    assert (talk.state()["suspended"], talk.state()["result"], talk("final_score")) == (False, "W+9", "W+9")


def test_a_record_that_says_nothing_of_dead_stones_has_them_judged(tmp_path: Path) -> None:
    talk = Talk("go:size=9,komi=0,dead=judged")
    talk.plays(_WALLS + " w:pass b:pass")
    told = re.sub(r"VARIANT\[.*?\]|EVENT(\[.*?\])+", "", talk("printsgf"))
    (tmp_path / "game.sgf").write_text(told)
    for game in ("go", "phantom"):
        loaded = Talk(f"{game}:size=9,komi=0,dead=judged")
        loaded(f"loadsgf {tmp_path / 'game.sgf'}")
        assert (loaded("final_score"), loaded.state()["result"]) == ("W+9", "W+9")


def test_both_sides_call_chains_dead_and_living_again() -> None:
    talk = Talk("go:size=5,komi=0,dead=agreed")
    talk.plays("b:A1 b:A2 w:E5 b:C3")
    assert talk.fails("variant-dead A1")
    talk.plays("b:pass w:pass")
    assert talk("variant-dead") == ""
    assert talk("variant-dead A2 E5") == "A1 A2 E5"
    assert talk("variant-result").startswith("B+25")
    # Named again it lives again; where one of them cannot be, none is.
    assert talk("variant-dead A1") == "E5"
    before = talk.snapshot()
    assert talk.fails("variant-dead C3 D4")
    assert talk.snapshot() == before
    assert talk("variant-dead") == "E5"


# -- undo --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*SCORED, *UNSCORED, "pentalath:players=3"])
def test_undo_goes_back_the_way_the_game_came(spec: str) -> None:
    talk = Talk(spec, seed="undo")
    seen: list[tuple[str, str, str]] = []
    while len(seen) < 12 and not talk.state()["over"]:
        seen.append(talk.snapshot())
        talk(f"genmove {talk.state()['to_play']}")
    while seen:
        talk("undo")
        assert talk.snapshot() == seen.pop()


def test_undo_fails_when_nothing_happened() -> None:
    talk = Talk("go:size=5")
    assert talk.fails("undo") == "cannot undo"
    talk("set_free_handicap A1 E5")
    assert talk.fails("undo") == "cannot undo"
    talk.plays("w:C3 b:pass")
    assert talk.fails("gg-undo 3") == "cannot undo"
    assert talk.fails("gg-undo -1") == "cannot undo"
    assert talk.state()["move_number"] == 2
    talk("gg-undo 2")
    assert talk.state()["stones"] == {"A1": "b", "E5": "b"}
    assert talk.fails("gg-undo") == "cannot undo"
    talk("gg-undo 0")


def test_undo_takes_back_a_swap() -> None:
    talk = Talk("pentalath:swap=true")
    talk("play w D4")
    assert talk("variant-legal_moves").split()[-1] == "swap"
    talk("play b swap")
    state = talk.state()
    assert (state["stones"], state["to_play"], state["last"]) == (
        {"D4": "b"},
        "w",
        {"colour": "b", "vertex": "swap", "captured": []},
    )
    talk("undo")
    assert (talk.state()["stones"], talk.state()["to_play"]) == ({"D4": "w"}, "b")


def test_undo_takes_refused_tries_with_the_turn_they_belong_to() -> None:
    talk = Talk("phantom:size=5")
    talk("play b C3")
    after = talk.snapshot()
    for _ in range(3):
        assert talk.fails("play w C3") == "impossible move"
    talk.does("play w D4/undo")
    assert talk.snapshot() == after
    talk.fails("play w C3")
    talk("undo")
    assert talk.state()["stones"] == {}
    assert talk.state()["to_play"] == "b"
    assert talk.fails("undo") == "cannot undo"


# -- sequences and setups ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", ["b A1", "w Z9", "x B2", "b I5", "b", "b swap"])
def test_a_sequence_is_played_whole_or_not_at_all(bad: str) -> None:
    talk = Talk("go:size=5")
    talk("play b E5")
    before = talk.snapshot()
    talk.fails(f"gogui-play_sequence b A1 w B1 b pass w pass b A2 {bad}")
    assert talk.snapshot() == before
    talk("gogui-play_sequence b A1 w B1 b pass w pass b A2")
    assert talk.state()["move_number"] == 6
    assert talk("gogui-play_sequence") == ""


def test_a_long_sequence_is_one_line() -> None:
    talk = Talk("go:size=25,repetition=none")
    points = [word for word in talk("variant-legal_moves").split() if word != "pass"][:600]
    talk("gogui-play_sequence " + " ".join(f"b {point}" for point in points))
    assert talk.state()["move_number"] == 600


def test_a_setup_is_laid_on_an_empty_board_only() -> None:
    talk = Talk("go:size=5")
    talk("gogui-setup b A1 w E5 black C3")
    state = talk.state()
    assert state["stones"] == {"A1": "b", "C3": "b", "E5": "w"}
    assert (state["move_number"], state["to_play"]) == (0, "b")
    assert talk.fails("gogui-setup b B2") == "board not empty"
    talk("gogui-setup_player w")
    assert talk.state()["to_play"] == "w"
    talk("clear_board")
    before = talk.snapshot()
    for bad in ("b A1 b A1", "b Z9", "b pass", "x A1", "b"):
        talk.fails(f"gogui-setup {bad}")
    assert talk.snapshot() == before
    talk("play b A1")
    assert talk.fails("gogui-setup b B2") == "board not empty"


# -- bots --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*SCORED, *UNSCORED])
def test_reg_genmove_does_not_play_and_says_the_same_again(spec: str) -> None:
    talk = Talk(spec, seed="s")
    before = talk.snapshot()
    colour = talk.state()["to_play"]
    moves = {talk(f"reg_genmove {colour}") for _ in range(3)}
    assert len(moves) == 1
    assert talk.snapshot() == before


def test_the_random_seed_is_the_bots() -> None:
    def game(seed: int) -> list[str]:
        talk = Talk("go:size=9", bot="mcts:playouts=200,net=none")
        talk(f"set_random_seed {seed}")
        return [talk(f"genmove {colour}") for colour in "bwbwbw"]

    assert game(1) == game(1)
    assert game(1) != game(2)


@pytest.mark.parametrize("spec", [*SCORED, *UNSCORED, "pentalath:players=3", "alter-igo:size=3"])
def test_bots_play_whole_games_by_genmove(spec: str) -> None:
    talk = Talk(spec, seed="whole")
    for _ in range(400):
        state = talk.state()
        if state["over"] and not state["suspended"]:
            break
        word = talk(f"genmove {state['to_play']}")
        after = talk.state()
        assert after["last"]["vertex"] == word
        assert after["last"]["colour"] == state["to_play"]
    assert talk.state()["over"]
    assert talk("variant-result") != "none"
