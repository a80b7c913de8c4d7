"""Board sizes, komi, handicap, rules of servers, time and files (gtp.md 3)."""

from itertools import pairwise
from pathlib import Path

import pytest

from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.records.files import load
from tests.gtp.talk import UNSCORED, Talk
from tests.support.specs import EACH


def option(talk: Talk, key: str) -> str:
    return dict(part.split("=") for part in talk("variant-get").partition(":")[2].split(","))[key]


# -- boardsize ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "kept"),
    [
        ("go:size=9,komi=5.5,repetition=ssk,lang=fr", ["komi=5.5", "repetition=ssk", "lang=fr"]),
        ("phantom:komi=0.5,announce=joined", ["komi=0.5", "announce=joined"]),
        ("aleago:crystal_ball=true,star=false", ["crystal_ball=true", "star=false"]),
        ("alter-igo:white_passes=6", ["white_passes=6"]),
    ],
)
def test_a_square_game_takes_a_size_and_keeps_its_other_options(spec: str, kept: list[str]) -> None:
    talk = Talk(spec)
    talk("boardsize 7")
    given = talk("variant-get")
    assert [part for part in kept if part not in given] == []
    if spec.startswith("alter"):
        assert (option(talk, "width"), option(talk, "height")) == ("7", "7")
    else:
        assert option(talk, "size") == "7"
    assert talk.state()["stones"] == {}


def test_a_size_set_by_hand_survives_clear_board_and_goes_with_the_next_variant() -> None:
    talk = Talk("go")
    talk.does("boardsize 9/komi 0.5/clear_board")
    assert (option(talk, "size"), option(talk, "komi")) == ("9", "0.5")
    talk.does("boardsize 13")
    assert option(talk, "komi") == "0.5"
    talk("variant-set go")
    assert (option(talk, "size"), option(talk, "komi")) == ("19", "7.5")


@pytest.mark.parametrize(("size", "dice"), [(9, "1d4"), (13, "1d6"), (19, "1d8"), (7, "1d6")])
def test_aleago_takes_the_tables_dice_for_a_size(size: int, dice: str) -> None:
    talk = Talk("aleago")
    talk(f"boardsize {size}")
    assert option(talk, "dice") == dice


def test_aleago_keeps_dice_that_were_given() -> None:
    talk = Talk("aleago:dice=2d4")
    talk("boardsize 9")
    assert option(talk, "dice") == "2d4"
    talk.does("variant-set aleago/boardsize 9")
    assert option(talk, "dice") == "1d4"


@pytest.mark.parametrize("size", [0, 26, 1000, 99999999999999999999])
@pytest.mark.parametrize("spec", ["go:size=5", "aleago", "phantom", "alter-igo"])
def test_sizes_that_no_board_has_are_unacceptable(spec: str, size: int) -> None:
    talk = Talk(spec)
    before = talk.snapshot()
    assert talk.fails(f"boardsize {size}") == "unacceptable size"
    assert talk.snapshot() == before


@pytest.mark.parametrize(
    ("spec", "grid"), [("rosette", 27), ("rosette:n=2", 7), ("pentalath", 13), ("pentalath:board=hexhex5", 9)]
)
def test_rosette_and_pentalath_accept_only_their_own_grid(spec: str, grid: int) -> None:
    talk = Talk(spec)
    for size in range(1, 30):
        if size == grid:
            talk(f"boardsize {size}")
        else:
            assert talk.fails(f"boardsize {size}") == "unacceptable size"


@pytest.mark.parametrize("game", ["go", "alter-igo"])
def test_go_and_alter_igo_take_any_rectangle_and_the_others_only_squares(game: str) -> None:
    talk = Talk(game)
    talk("rectangular_boardsize 3 25")
    assert (option(talk, "width"), option(talk, "height")) == ("3", "25")
    assert talk.fails("rectangular_boardsize 3 26") == "unacceptable size"
    for words in ("", " 4"):
        assert (
            talk.fails(f"rectangular_boardsize{words}") == "syntax error: expected rectangular_boardsize WIDTH HEIGHT"
        )
    assert talk.fails("rectangular_boardsize 4 5 6").startswith("syntax error: 6: expected")
    talk("rectangular_boardsize 4 5")
    assert (option(talk, "width"), option(talk, "height")) == ("4", "5")
    for spec in ("aleago", "phantom", "rosette", "pentalath"):
        assert Talk(spec).fails("rectangular_boardsize 5 6") == "unacceptable size"
    talk("boardsize 9")
    assert talk("query_boardsize") == "9"
    Talk("pentalath")("rectangular_boardsize 13 13")


# -- komi and rules ----------------------------------------------------------------------------------------------------


def test_komi_holds_for_the_game_that_is_being_played() -> None:
    talk = Talk("go:size=5")
    talk.plays("b:A1 w:pass b:pass")
    assert talk("final_score") == "B+17.5"
    talk("komi 100.25")
    assert talk("final_score") == "W+75.25"
    assert talk.state()["suspended"]
    assert talk.state()["stones"] == {"A1": "b"}
    assert option(talk, "komi") == "100.25"


@pytest.mark.parametrize(
    ("given", "told"),
    [("1e3", "1000"), ("5E-1", "0.5"), ("-1.25e+1", "-12.5"), ("0000000000000000.5", "0.5"), ("1e12", "1000000000000")],
)
def test_komi_is_any_float(given: str, told: str) -> None:
    """GTP version 2: the new komi is a float."""
    talk = Talk("go:size=5")
    talk(f"komi {given}")
    assert option(talk, "komi") == told


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("10000000000000000", "a number from -1e12 to 1e12"),
        ("-1e300", "a number from -1e12 to 1e12"),
        ("1e999", "a number from -1e12 to 1e12"),
        ("nan", "a number such as 7.5"),
        ("-inf", "a number such as 7.5"),
        ("sevenandahalfpointsforwhite", "a number such as 7.5"),
    ],
)
def test_invalid_komi_is_quoted_whole(given: str, expected: str) -> None:
    talk = Talk("go:size=5")
    before = talk.snapshot()
    assert talk.fails(f"komi {given}") == f"syntax error: komi {given}: expected {expected}"
    assert talk.snapshot() == before


@pytest.mark.parametrize("spec", UNSCORED)
def test_komi_has_no_effect_where_nothing_is_counted(spec: str) -> None:
    talk = Talk(spec)
    before = talk.snapshot()
    for komi in ("0", "-6.5", "375.5"):
        talk(f"komi {komi}")
    assert talk.snapshot() == before
    assert talk.fails("komi x").startswith("syntax error: ")


@pytest.mark.parametrize(
    ("rules", "repetition"), [("chinese", "psk"), ("aga", "ssk"), ("new_zealand", "ssk"), ("AGA", "ssk")]
)
def test_rules_of_kgs_set_the_repetition_in_go(rules: str, repetition: str) -> None:
    talk = Talk("go:size=5,repetition=none")
    talk(f"kgs-rules {rules}")
    assert option(talk, "repetition") == repetition


def test_rules_of_kgs_are_kept_in_every_respect_or_refused() -> None:
    talk = Talk("go:size=5")
    talk("kgs-rules japanese")
    assert (option(talk, "scoring"), option(talk, "komi")) == ("territory", "7.5")
    talk("kgs-rules new_zealand")
    assert (option(talk, "scoring"), option(talk, "suicide")) == ("area", "true")
    talk.plays("b:A1 w:A3 w:B2 w:C1 b:B1 b:A2")
    assert talk.state()["stones"] == {"A3": "w", "B2": "w", "C1": "w"}
    assert Talk("phantom").fails("kgs-rules new_zealand") == "Go Fantôme has no new_zealand rules"
    Talk("pentalath")("kgs-rules japanese")


def test_rules_that_come_in_the_middle_of_a_game_do_not_end_as_a_damaged_file() -> None:
    talk = Talk("go:size=4,repetition=none")
    talk.plays("b:B1 b:A2 b:B3 w:C1 w:D2 w:C3 b:C2 w:B2 b:C2")
    answer = talk.raw(b"kgs-rules chinese")
    assert answer is not None
    assert b"cannot load file" not in answer
    assert talk.state()["move_number"] == 9


# -- handicap ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["go", "aleago", "phantom"])
@pytest.mark.parametrize(
    ("size", "count", "points"),
    [
        (9, 2, "C3 G7"),
        (9, 5, "C3 C7 E5 G3 G7"),
        (9, 9, "C3 C5 C7 E3 E5 E7 G3 G5 G7"),
        (13, 4, "D4 D10 K4 K10"),
        (19, 3, "D4 D16 Q16"),
        (19, 9, "D4 D10 D16 K4 K10 K16 Q4 Q10 Q16"),
        (8, 4, "C3 C6 F3 F6"),
        (7, 4, "C3 C5 E3 E5"),
    ],
)
def test_fixed_handicap(game: str, size: int, count: int, points: str) -> None:
    talk = Talk(f"{game}:size={size}")
    placed = talk(f"fixed_handicap {count}").split()
    assert len(placed) == count
    if count != 3:
        assert placed == points.split()
    assert set(placed) <= set(talk.state()["stones"])
    state = talk.state()
    assert (state["move_number"], state["to_play"], set(state["stones"].values())) == (0, "w", {"b"})
    assert talk.fails(f"fixed_handicap {count}") == "board not empty"
    assert talk.fails("undo") == "cannot undo"
    talk("clear_board")
    assert talk.state()["stones"] == {}


@pytest.mark.parametrize(("size", "most"), [(5, 0), (6, 0), (7, 4), (8, 4), (9, 9), (10, 4), (19, 9)])
def test_fixed_handicap_has_only_the_numbers_of_the_draft(size: int, most: int) -> None:
    for count in range(-1, 12):
        talk = Talk(f"go:size={size}")
        if 2 <= count <= most:
            assert len(talk(f"fixed_handicap {count}").split()) == count
        else:
            assert talk.fails(f"fixed_handicap {count}") == "invalid number of stones"


@pytest.mark.parametrize("spec", ["go", "aleago", "phantom", "rosette"])
def test_free_handicap_is_for_rosette_too(spec: str) -> None:
    talk = Talk(spec)
    placed = talk("place_free_handicap 5").split()
    assert 2 <= len(placed) <= 5
    assert set(talk.state()["stones"]) == set(placed)
    assert talk.state()["to_play"] == "w"
    assert talk.state()["move_number"] == 0
    assert talk.fails("place_free_handicap 2") == talk.fails("set_free_handicap A7 B7") == "board not empty"
    talk("clear_board")
    two = [word for word in talk("variant-legal_moves").split() if word != "pass"][:2]
    assert talk("set_free_handicap " + " ".join(two)) == ""
    assert list(talk.state()["stones"]) == two
    talk("clear_board")
    talk(f"play b {two[0]}")
    assert talk.fails("place_free_handicap 2") == "board not empty"


@pytest.mark.parametrize("vertices", ["", "A1", "A1 A1", "A1 pass", "A1 Z9", "A1 x", "A1 I5", "A1 resign"])
def test_a_bad_vertex_list_is_said_to_be_one(vertices: str) -> None:
    talk = Talk("go:size=5")
    assert talk.fails(f"set_free_handicap {vertices}").startswith(("bad vertex list", "syntax error"))
    assert talk.state()["stones"] == {}


def test_handicap_takes_at_most_all_points_but_one() -> None:
    talk = Talk("go:size=2")
    assert talk.fails("set_free_handicap A1 A2 B1 B2") == "bad vertex list"
    talk("set_free_handicap A1 A2 B1")
    assert talk.state()["to_play"] == "w"
    talk = Talk("rosette:n=13")
    assert 2 <= len(talk("place_free_handicap 2000").split()) < 1014


def test_the_lines_of_aleago_do_not_bind_handicap_stones() -> None:
    talk = Talk("aleago:size=9")
    talk.does("aleago-draw b 1/set_free_handicap E5 C3 A1")
    assert talk("aleago-draw").startswith("w ")


@pytest.mark.parametrize("spec", UNSCORED)
def test_handicap_is_refused_in_games_without_it(spec: str) -> None:
    talk = Talk(spec)
    for line in ("fixed_handicap 2", "place_free_handicap 2", "set_free_handicap A1 B2"):
        assert talk.fails(line) == "not a game with handicap"
    assert Talk("rosette").fails("fixed_handicap 2") == "not a game with handicap"


# -- time --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", EACH)
def test_every_kind_of_time_is_accepted(spec: str) -> None:
    talk = Talk(spec)
    for line in """time_settings 0 1 0
        time_settings 600 0 0
        time_settings 600 30 25
        time_settings 1.5 0 0
        time_left b 20 0
        time_left w 5 3
        time_left b 0 0
        time_left white 12.5 1
        kgs-time_settings none
        kgs-time_settings absolute 60
        kgs-time_settings canadian 60 30 25
        kgs-time_settings byoyomi 60 30 5
        kata-time_settings none
        kata-time_settings absolute 60
        kata-time_settings fischer 60 5
        kata-time_settings fischer-capped 60 5 90 30
        kata-time_settings byoyomi 60 30 5
        kata-time_settings canadian 60 30 25""".split("\n"):
        assert talk(line.strip()) == ""
    assert {"none", "absolute", "byoyomi", "canadian", "fischer"} <= set(talk("kata-list_time_settings").split())
    talk(f"genmove {talk.state()['to_play']}")


@pytest.mark.parametrize(
    ("line", "control"),
    [
        ("time_settings 600 0 0", TimeControl("absolute", 600.0)),
        ("time_settings 600 0 5", TimeControl("absolute", 600.0, 0.0, 5)),
        ("time_settings 600 30 25", TimeControl("canadian", 600.0, 30.0, 25)),
        ("time_settings 600 30 0", TimeControl("none", 600.0, 30.0)),
        ("time_settings 0 1 0", TimeControl("none", 0.0, 1.0)),
        ("kgs-time_settings none", TimeControl()),
        ("kgs-time_settings absolute 60", TimeControl("absolute", 60.0)),
        ("kgs-time_settings canadian 60 30 25", TimeControl("canadian", 60.0, 30.0, 25)),
        ("kgs-time_settings BYOYOMI 60 30 5", TimeControl("byoyomi", 60.0, 30.0, periods=5)),
        ("kata-time_settings fischer 60 5", TimeControl("fischer", 60.0, increment_s=5.0)),
    ],
)
def test_clocks_are_what_the_host_sets(line: str, control: TimeControl) -> None:
    talk = Talk("go:size=5")
    talk(line)
    assert talk.session.clocks.control == control
    assert talk.session.clocks == dict.fromkeys((1, 2), Clock.full(control))
    for wrong in (line.rpartition(" ")[0], f"{line.rpartition(' ')[0]} -1"):
        talk.fails(wrong)
    assert talk.session.clocks.control == control


def test_only_the_limits_of_a_capped_clock_may_be_negative() -> None:
    talk = Talk("go:size=5")
    for told, limit_s, move_s in (
        ("60 5 90 30", 90.0, 30.0),
        ("60 5 90 -1", 90.0, None),
        ("60 5 -1 -1", None, None),
        ("60 0 0 -1", 0.0, None),
    ):
        talk(f"kata-time_settings fischer-capped {told}")
        control = talk.session.clocks.control
        assert (control.kind, control.main_s, control.limit_s, control.move_s) == ("fischer", 60.0, limit_s, move_s)
    for told in ("-60 5 90 30", "60 -5 90 30", "60 5 90", "60 5 x 30"):
        assert talk.fails(f"kata-time_settings fischer-capped {told}").startswith("syntax error: ")
    assert talk.session.clocks.control.limit_s == 0.0


@pytest.mark.parametrize(
    ("told", "left_s", "count"),
    [("0 0", 0.0, 0), ("-3 -2", 0.0, 0), ("0 4", 0.0, 4), ("2.5 0", 2.5, 0), ("7 1", 7.0, 1)],
)
def test_the_time_left_is_what_the_host_tells_and_never_below_nothing(told: str, left_s: float, count: int) -> None:
    talk = Talk("go:size=5")
    talk.does(f"time_settings 60 30 5/time_left w {told}")
    black, white = talk.session.clocks[1], talk.session.clocks[2]
    assert (white.left_s, white.left_count) == (left_s, count)
    assert (black.left_s, black.left_count) == (60.0, 0)
    assert white.control == black.control == talk.session.clocks.control


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_game_goes_to_a_file_and_comes_back(tmp_path: Path) -> None:
    for spec in EACH:
        talk = Talk(spec, seed="file")
        for _ in range(8):
            talk(f"genmove {talk.state()['to_play']}")
        path = tmp_path / f"{spec.replace(':', '-')}.sgf"
        assert talk(f"printsgf {path}") == ""
        assert path.read_text(encoding="utf-8").strip().startswith("(;")
        assert talk("printsgf").startswith("(;")
        other = Talk("go:size=3", seed="other")
        other(f"loadsgf {path}")
        assert other("variant-get") == talk("variant-get")
        assert other.state() == talk.state()
        for number in range(1, 9):
            other(f"loadsgf {path} {number}")
            assert other.state()["move_number"] == number - 1
        other(f"loadsgf {path}")
        talk("undo")
        other("undo")
        assert other.state() == talk.state()


FOREIGN = "(;GM[1]FF[4]SZ[9]KM[5.5]HA[2]AB[cc][gg];W[ee];B[dd];W[];B[ef];W[tt])"


def test_a_file_of_another_program_sets_size_and_komi(tmp_path: Path) -> None:
    path = tmp_path / "foreign.sgf"
    path.write_text(FOREIGN, encoding="utf-8")
    talk = Talk("go:size=5,repetition=ssk")
    talk(f"loadsgf {path}")
    assert talk("variant-get") == "go:size=9,komi=5.5,repetition=ssk,dead=judged,suicide=false,scoring=area,lang=en"
    state = talk.state()
    assert state["stones"] == {"C7": "b", "D6": "b", "E4": "b", "E5": "w", "G3": "b"}
    assert (state["move_number"], state["to_play"]) == (5, "b")
    talk(f"loadsgf {path} 1")
    assert talk.state()["stones"] == {"C7": "b", "G3": "b"}
    assert talk.state()["to_play"] == "w"
    talk(f"loadsgf {path} 3")
    assert talk.state()["move_number"] == 2
    talk("undo")
    assert talk.state()["stones"] == {"C7": "b", "E5": "w", "G3": "b"}


# Lawful under Japanese rules alone: the last stone makes a board that came up before.
LONG_CYCLE = (
    "(;GM[1]FF[4]SZ[3]KM[6.5]RU[Japanese];B[cc];W[ba];B[aa];W[bb];B[ab];W[ca];B[ac];W[cb];B[bc];W[cb];B[bb];W[ba];B[cc]"
    ";W[aa];B[bb];W[ac];B[bc];W[ab];B[bc];W[ca];B[cc];W[bb];B[cc];W[bc];B[cc])"
)


def test_a_file_of_another_program_sets_the_rule_of_repetition_of_go(tmp_path: Path) -> None:
    path = tmp_path / "cycle.sgf"
    path.write_text(LONG_CYCLE, encoding="utf-8")
    talk = Talk("go:size=3")
    talk(f"loadsgf {path}")
    spec = "go:size=3,komi=6.5,repetition=simple,dead=judged,suicide=false,scoring=territory,lang=en"
    assert talk("variant-get") == load(path).rules.spec == spec
    # Like size and komi it stays until somebody sets a game.
    talk.does("clear_board/boardsize 5")
    assert option(talk, "repetition") == "simple"
    talk("variant-set go:size=3")
    assert option(talk, "repetition") == "psk"


def test_rules_that_a_go_program_names_are_those_of_go_alone(tmp_path: Path) -> None:
    path = tmp_path / "foreign.sgf"
    path.write_text("(;SZ[9]RU[Japanese];B[ee])", encoding="utf-8")
    talk = Talk("aleago:size=9")
    talk(f"loadsgf {path}")
    assert option(talk, "repetition") == "ssk"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"(;",
        b"(;SZ[99])",
        b"(;SZ[9];B[zz])",
        b"(;SZ[x])",
        b"(;SZ[9];B[aa];W[aa])",
        b"\xff\xfe\x00",
        b"(" * 100_000,
        b"(;SZ[9]" + b"(;B[aa]" * 5_000,
        b"(;SZ[3]AW[ba][ab]AB[aa])",
        b"(;SZ[9]KM[x])",
        b"(;VARIANT[chess])",
        b"(;VARIANT[go:size=5];B[aa];W[aa])",
    ],
)
def test_a_file_that_cannot_be_loaded_leaves_everything_as_it_was(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.sgf"
    path.write_bytes(content)
    talk = Talk("go:size=5")
    talk("play b A1")
    before = talk.snapshot()
    assert talk.fails(f"loadsgf {path}").startswith("cannot load file")
    assert talk.snapshot() == before


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large.sgf").open("wb") as file:
        file.truncate(100 * 2**20)
    said = Talk("go:size=5").fails(f"loadsgf {tmp_path / 'large.sgf'}")
    assert said == "cannot load file: 104857600 bytes: expected at most 16777216"


def test_a_path_that_is_no_file_cannot_be_loaded_or_written(tmp_path: Path) -> None:
    talk = Talk("go:size=5")
    for path in (tmp_path, tmp_path / "none" / "none", "x" * 5000):
        assert talk.fails(f"loadsgf {path}").startswith("cannot load file")
        talk.fails(f"printsgf {path}")


def test_the_draws_of_a_foreign_game_are_those_that_open_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "foreign.sgf"
    path.write_text("(;SZ[9];B[ee];W[aa];B[];W[cc])", encoding="utf-8")
    talk = Talk("aleago:size=9")
    talk(f"loadsgf {path}")
    assert talk.state()["stones"] == {"A9": "w", "C7": "w", "E5": "b"}
    draws = []
    for _ in range(4):
        talk("undo")
        draws.append(talk("aleago-draw"))
    assert [draws[0], draws[2], draws[3]] == ["w 3", "w 1", "b 4"]


def test_a_new_game_begins_with_full_clocks() -> None:
    """Match runners send `time_settings` once for all their games."""
    talk = Talk("go:size=5", bot="uniform")
    talk.does("time_settings 60 0 0/genmove b")
    assert talk.session.clocks[1].left_s < 60
    talk("clear_board")
    assert [clock.left_s for clock in talk.session.clocks.values()] == [60, 60]
    # What the host itself told holds on.
    talk.does("genmove b/time_left w 3 0/clear_board")
    assert [clock.left_s for clock in talk.session.clocks.values()] == [60, 3]


@pytest.mark.parametrize("seat", [False, True])
def test_a_host_that_never_tells_the_time_left_is_timed_by_us(seat: bool) -> None:
    talk = Talk("phantom:size=5", bot="uniform")
    talk("time_settings 60 0 0")
    if seat:
        talk("phantom-seat b")
    left = [60.0]
    for point in ("A1", "B2", "C3", "D4"):
        talk("genmove b")
        if seat:
            talk.does(f"phantom-hear b {point}/phantom-hear w ?")
        else:
            talk("play w pass")
        left.append(talk.session.clocks[1].left_s)
    assert all(0 < later < before for before, later in pairwise(left))
    assert talk.session.clocks[2].left_s == 60
