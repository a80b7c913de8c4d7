"""Files of other programs: nothing is lost, what is guessed or mended is said, and illegal moves are shown."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sgfmill import sgf_grammar

import gtp_variants as gv
from gtp_variants.cli import main
from gtp_variants.errors import RecordError, RecordWarning
from gtp_variants.records.files import load_record, save
from gtp_variants.records.notation import write_move
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.records.sgf.syntax import GameTree, games_of
from gtp_variants.records.sgf.variations import Remark, read_remarks
from gtp_variants.records.steps import RecordSteps
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from tests.gtp.talk import Talk
from tests.records.damage import FOREIGN
from tests.records.foreign_files import foreign_tree

# A node as an independent reader has it: its properties in order, each with its raw values.
Properties = list[tuple[str, list[bytes]]]


def nodes_by_sgfmill(content: bytes) -> list[Properties]:
    """Return every node of the first game in the order of the file, as sgfmill's grammar reads it."""
    found: list[Properties] = []
    waiting = [sgf_grammar.parse_sgf_game(content)]
    while waiting:
        tree = waiting.pop()
        found += [list(node.items()) for node in tree.sequence]
        waiting += reversed(tree.children)
    return found


@pytest.mark.parametrize("part", range(5))
def test_generated_foreign_files_come_back_property_by_property(part: int) -> None:
    for seed in range(part * 100, part * 100 + 100):
        content = foreign_tree(Random(seed)).write().encode()
        record = from_sgf(content, is_lenient=True)
        written = to_sgf(record)
        assert nodes_by_sgfmill(written.encode()) == nodes_by_sgfmill(content), seed
        assert to_sgf(from_sgf(written, is_lenient=True)) == written


META = """(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]HA[0]PB[Bob]PW[Will]BR[3d]EV[Cup]RE[B+R]RU[Chinese]ON[opening]XY[?]
;B[ee]BL[1799.5]C[hello]LB[cc:A]TR[dd]N[node]DM[1]GB[1]
;W[cc]WL[1700]OW[5]TE[1]MA[aa]
(;B[gg])
(;B[gc]C[var]))
"""


def test_every_way_to_convert_keeps_everything(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file, copy, printed = (tmp_path / name for name in ("meta.sgf", "copy.sgf", "printed.sgf"))
    file.write_text(META)
    assert main(["diagram", str(file), "--sgf", "-"]) == 0
    assert capfdbinary.readouterr().out.decode() == META
    save(gv.load(file), copy)
    talk = Talk("go:size=9")
    talk(f"loadsgf {file}")
    talk(f"printsgf {printed}")
    assert copy.read_text() == printed.read_text() == META


def test_json_names_what_it_cannot_hold(tmp_path: Path) -> None:
    file = tmp_path / "meta.sgf"
    file.write_text(META)
    with pytest.warns(RecordWarning, match=r"BR EV ON XY C LB TR N DM GB TE MA and variations: 1$"):
        gv.save(gv.load(file), tmp_path / "meta.json")


def test_a_loaded_game_that_goes_on_keeps_the_rest_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "meta.sgf"
    file.write_text(META)
    talk = Talk("go:size=9")
    talk(f"loadsgf {file}")
    talk("play w A1")
    longer = talk("printsgf")
    assert longer == META.strip().replace("(;B[gg])", "(;B[gg]\n;W[ai])").replace("RE[B+R]", "")
    talk.does("undo/undo/play b A2")
    other = talk("printsgf")
    assert "MA[aa]\n(;B[ah])\n(;B[gg])\n(;B[gc]C[var]))" in other
    talk.does("undo/undo")
    assert ";W[cc]" in talk("printsgf").partition("(;)")[2]
    again = from_sgf(talk("printsgf"))
    assert len(again.game.events) == 1
    talk(f"loadsgf {file} 2")
    assert talk("printsgf").endswith("GB[1])")


def test_rules_that_a_host_sets_are_written_into_the_file(tmp_path: Path) -> None:
    file = tmp_path / "x.sgf"
    file.write_text("(;GM[1]SZ[5]PB[Ada];B[cc])")
    talk = Talk("go:size=5")
    talk(f"loadsgf {file}")
    talk("komi 3.5")
    assert "KM[3.5]" in talk("printsgf")
    talk("kata-set-rules japanese")
    assert "RU[Japanese]" in talk("printsgf")
    assert "PB[Ada]" in talk("printsgf")


def test_a_file_of_ours_keeps_what_another_program_added() -> None:
    text = to_sgf(Record(gv.random_game(gv.parse("aleago:size=5"), 3, 6)))
    added = text.replace("\n;", "C[mine]XX[1]\n(;", 1).replace(")\n", ")\n(;C[beside]))\n")
    assert to_sgf(from_sgf(added)) == added


@pytest.mark.parametrize("root", ["C[old: PB[Ann]PB[Ann]", "Pb[Ann]C[PB[Ann\\]]PB[Bob]", "PB[Ann][Bob]C[PB[Ann\\]]"])
def test_a_new_name_replaces_the_property_and_nothing_else(root: str) -> None:
    record = from_sgf(f"(;GM[1]SZ[9]{root};B[aa])")
    written = from_sgf(to_sgf(replace(record, players={BLACK: "Zoe"})))
    assert (written.players, written.comment) == ({BLACK: "Zoe"}, record.comment)
    assert to_sgf(written).count("B[") == 3


FACTS = "(;GM[1]CA[UTF-8]SZ[9]EV[Cup]PB[Ann]PW[Bo]RE[B+R]TM[60]TC[3]TT[30]C[old]\n;B[aa]\n;W[bb]C[node])\n"

CHANGES: list[dict[str, Any]] = [
    *({"result": text} for text in ("W+R", "B+3.5", None)),
    *({"comment": text} for text in ("new]", "")),
    *({"main_s": seconds} for seconds in (300.0, None)),
    *({"overtime": text} for text in ("25/600 Canadian", "")),
    *({"players": names} for names in ({}, {WHITE: "Zoe"}, {BLACK: "Zoe", WHITE: "Bo"})),
    {"players": {}, "result": None, "comment": "", "main_s": None, "overtime": ""},
    {},
]


@pytest.mark.parametrize("changes", CHANGES)
@pytest.mark.parametrize("goes_on", [False, True])
def test_changes_of_a_loaded_record_are_written_into_its_file(changes: dict[str, Any], goes_on: bool) -> None:
    record = replace(from_sgf(FACTS), **changes)
    if goes_on:
        record.game.play(BLACK, record.game.rules.board.point("E5"))
    written = to_sgf(record)
    again = from_sgf(written)
    assert again == record
    assert again.overtime == record.overtime
    assert (written == FACTS) is not bool(goes_on or changes)
    assert "EV[Cup]" in written
    assert "W[bb]C[node]" in written


def test_a_loaded_game_alone_keeps_what_its_file_says() -> None:
    counted = FACTS.replace("B+R", "B+3.5").replace(")\n", "\n;B[]\n;W[])\n")
    for text in (FACTS, counted, counted.replace("RE[B+3.5]", "")):
        game = from_sgf(text).game
        assert to_sgf(Record(game)) == text
        assert to_sgf(Record(game, players={BLACK: "Zoe"})) == text.replace("Ann", "Zoe")


def test_what_is_taken_from_a_record_of_ours_leaves_its_file() -> None:
    played = gv.random_game(gv.parse("aleago:size=5"), 3, 6)
    record = from_sgf(to_sgf(Record(played, players={BLACK: "Ann"}, comment="old", secret=b"s", commitment="0" * 64)))
    taken: list[dict[str, Any]] = [{"secret": None}, {"players": {}}, {"comment": ""}]
    for changes in taken:
        assert from_sgf(to_sgf(replace(record, **changes))) == replace(record, **changes)
    assert from_sgf(to_sgf(Record(record.game))) == record


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("(;SZ[9];B[aa];W[bb];B[cc]AE[bb];W[dd];B[ee])", 0),
        ("(;SZ[9];B[aa];W[bb];AE[bb];B[cc];W[dd];B[ee])", 0),
        ("(;SZ[9];B[aa];W[bb];AE[bb];C[a];B[cc];W[dd];B[ee])", 1),
        ("(;SZ[9];B[aa];W[bb];AE[bb];C[a]AE[aa];;B[cc];W[dd])", 0),
        ("(;SZ[9]B[aa];W[bb]AB[cc];B[dd])", 0),
        ("(;SZ[9];B[aa];W[aa];B[bb];W[cc])", 0),
        ("(;SZ[9];B[aa]AE[bb];W[bb]B[cc];W[dd])", 1),
        ("(;SZ[9];AB[aa][bb];W[cc];B[dd])", 0),
    ],
)
def test_a_game_with_a_setup_that_goes_on_from_an_earlier_move_is_read_back(text: str, kept: int) -> None:
    game = from_sgf(text, is_lenient=True).game
    game.cut(kept)
    game.play(game.position.mover, game.rules.board.point("E5"))
    assert from_sgf(to_sgf(Record(game)), is_lenient=True).game == game


# -- encodings --------------------------------------------------------------------------------------------------------

NAMES = [
    ("cp932", "依田紀基 九段", "表示 ソニー", "第四期竜星戦"),
    ("cp932", "ゾ", "能力", "予選"),
    ("euc_jp", "武宮正樹", "趙治勲", "名人戦第七局"),
    ("gb18030", "李昌镐 九段", "马晓春", "应氏杯决赛"),
    ("gb18030", "聂卫平", "曹薰铉", "黑中盘胜"),
    ("big5", "周俊勳", "林至涵 七段", "棋王賽"),
    ("cp949", "이창호", "조훈현", "불계승"),
    ("cp1252", "Zoé", "Jürgen Größ", "Besançon"),
    ("cp1251", "Александр", "Иван", "Россия"),
    # Names alone: letters that look like another encoding's common, rare or very new letters, or like damaged UTF-8.
    ("gb18030", "古力", "李世石", ""),
    ("gb18030", "柯洁", "申真谞", "九段"),
    ("gb18030", "陈耀烨", "时越", ""),
    ("euc_jp", "本因坊秀策", "井上幻庵", "九段"),
    ("cp932", "依田紀基", "王立誠", "第四期棋聖戦"),
    ("big5", "黑嘉嘉", "張凱馨", "棋王賽"),
    ("cp1251", "Шикшин", "Динерштейн", ""),
    # Frequent letters of names decide between East Asian encodings, and capitals between those and Cyrillic.
    ("gb18030", "丁浩", "辜梓豪", ""),
    ("gb18030", "周睿羊", "李轩豪", ""),
    ("euc_jp", "木谷実", "依田紀基", ""),
    ("euc_jp", "藤沢里菜", "石田芳夫", ""),
    ("cp932", "一力遼", "丈和", ""),
    ("big5", "林君諺", "許家元", ""),
    ("cp949", "최정", "나현", ""),
    ("cp1251", "Иван", "Олег", ""),
    ("cp1251", "Дима", "Жора", ""),
]


@pytest.mark.parametrize(("charset", "black", "white", "event"), NAMES)
@pytest.mark.parametrize("declared", ["", "CA[UTF-8]"])
def test_encoding_that_is_not_declared_or_wrong_is_guessed(
    charset: str, black: str, white: str, event: str, declared: str
) -> None:
    content = f"(;GM[1]FF[3]{declared}SZ[9]PB[{black}]PW[{white}]EV[{event}];B[ee];W[cc])".encode(charset)
    record = from_sgf(content)
    assert record.players == {BLACK: black, WHITE: white}
    assert [caveat.key for caveat in record.caveats] == ["encoding_wrong" if declared else "encoding"]
    written = to_sgf(record)
    assert "CA[UTF-8]" in written
    assert f"EV[{event}]" in written
    assert from_sgf(written.encode()).players == record.players


def test_a_long_word_without_letters_to_guess_from_is_read_in_linear_time() -> None:
    """If each letter were tried as a start of the word, this would take many minutes."""
    word = "{" * 400_000
    record = from_sgf(f"(;SZ[9]PB[Ada]GC[{word}]C[".encode() + "Zoé".encode("cp1252") + b"];B[aa])")
    assert record.players == {BLACK: "Ada"}
    assert record.comment == "Zoé"
    assert f"GC[{word}]" in to_sgf(record)


def test_bytes_that_are_no_text_stay_as_they_are(tmp_path: Path) -> None:
    file, copy = tmp_path / "bytes.sgf", tmp_path / "copy.sgf"
    file.write_bytes(b"(;CA[UTF-8]SZ[9]PB[" + "棋".encode() + b"\x81\xff\x98\x30]\n;B[aa])\n")
    record = load_record(file)
    assert record.players == {BLACK: "棋\ufffd\ufffd\ufffd0"}
    assert [caveat.sentence() for caveat in record.caveats] == ["bytes that are not utf-8, kept as they are: 3"]
    save(record, copy)
    assert copy.read_bytes() == file.read_bytes()


# -- damage -----------------------------------------------------------------------------------------------------------

DAMAGED = [
    ("(;SZ[9];B[ee];W[cc]", "ends", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ("(;SZ[9];B[ee];W[cc]C[cut off", "ends", "(;SZ[9]\n;B[ee]\n;W[cc]C[cut off])\n"),
    ("(;SZ[9];B[ee];W[cc]C[cut off\\", "ends", "(;SZ[9]\n;B[ee]\n;W[cc]C[cut off])\n"),
    ("(;SZ[9];B[ee];W[cc];B[g", "ends", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ("(;SZ[9];B[ee];W[cc]TR[aa][b", "ends", "(;SZ[9]\n;B[ee]\n;W[cc]TR[aa])\n"),
    ("(;SZ[9](;B[ee](;W[cc]", "ends", "(;SZ[9]\n(;B[ee]\n(;W[cc])))\n"),
    ("(;SZ[9];B[ee]C[see [1] there];W[cc])", "bracket", "(;SZ[9]\n;B[ee]C[see [1\\] there]\n;W[cc])\n"),
    ("(;SZ[9];B[ee]C[[a], [b] é];W[cc])", "bracket", "(;SZ[9]\n;B[ee]C[[a\\], [b\\] é]\n;W[cc])\n"),
    ("From: x\n(;SZ[9];B[ee];W[cc])", "outside", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ("(;SZ[9];B[ee];W[cc])\n-- \nsigned", "outside", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ("(;SZ[9];B[ee];W[cc]))", "outside", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ("(;SZ[9] & ;B[ee];W[cc])", "stray", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ("(;SZ[9];[aa]B[ee];W[cc])", "stray", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ('(;SZ[9];B[ee];"note" W[cc])', "stray", "(;SZ[9]\n;B[ee]\n;W[cc])\n"),
    ("(;SZ[9](B[ee];W[cc]))", "no_semicolon", "(;SZ[9]\n(;B[ee]\n;W[cc]))\n"),
    ("(;SZ[9](;B[ee];W[cc]);B[bb])", "misplaced", "(;SZ[9]\n(;B[ee]\n;W[cc])\n(;B[bb]))\n"),
    ("(;SZ[9]AB[];B[ee];W[cc])", "no_point", "(;SZ[9]AB[]\n;B[ee]\n;W[cc])\n"),
]


@pytest.mark.parametrize(("text", "key", "mended"), DAMAGED)
def test_damage_is_mended_with_a_remark(text: str, key: str, mended: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = from_sgf(text)
    assert {caveat.key for caveat in record.caveats} == {key}
    assert len(record.game.events) == 2
    assert next(games_of(text)).tree.write() == mended
    # What was mended needs no mending again; an empty AB remains as the file has it.
    assert {caveat.key for caveat in from_sgf(mended).caveats} <= {"no_point"}


def test_a_long_word_among_the_nodes_takes_linear_time() -> None:
    # In quadratic time, this would take hours.
    record = from_sgf('(;SZ[9];B[ee] "' + "u" * 2_000_000 + ";W[cc])")
    assert [caveat.parts["text"] for caveat in record.caveats] == ['"' + "u" * 19]
    assert len(record.game.events) == 2


def test_remarks_of_a_file_are_told_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.sgf"
    file.write_text("(;SZ[9];B[ee];W[cc]")
    assert main(["diagram", str(file)]) == 0
    said = capsys.readouterr()
    assert "move 2 of 2: White C7" in said.out
    assert said.err == f"gtp-variants: {file}: line 1, column 20: the file ends early; it was read up to there\n"
    Talk("go:size=9")(f"loadsgf {file}")
    assert capsys.readouterr().err == "warning: line 1, column 20: the file ends early; it was read up to there\n"
    with pytest.warns(RecordWarning, match="the file ends early"):
        gv.load(file)


def test_a_damaged_file_of_ours_is_refused() -> None:
    text = to_sgf(Record(gv.random_game(gv.parse("go:size=5"), 1, 5)))
    with pytest.raises(RecordError, match="the file ends early"):
        from_sgf(text.rstrip().removesuffix(")"), is_lenient=True)


# -- dialects ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["Ing", "GOE", "house rules"])
def test_unknown_rules_are_told(named: str) -> None:
    record = from_sgf(f"(;SZ[9]RU[{named}]KM[8];B[ee])")
    [caveat] = record.caveats
    assert caveat.sentence() == f"the rules {named} are unknown; go:size=9,komi=8 is used"
    # In a game with rules of its own, names of rules of Go mean nothing.
    assert from_sgf(f"(;SZ[9]RU[{named}];B[ee])", rules=parse("alter-igo")).caveats == []


@pytest.mark.parametrize("root", ["", "RU[]", "RU[ ]", "RU[Chinese]", "RU[koSIMPLEscoreAREAtaxNONEsui0]"])
def test_known_rules_are_not_remarked_upon(root: str) -> None:
    assert from_sgf(f"(;SZ[9]{root};B[ee])").caveats == []


@pytest.mark.parametrize(
    ("root", "komi"),
    [
        *[("KM[375]AP[foxwq]RU[Chinese]", 7.5), ("KM[650]AP[foxwq]RU[Japanese]", 6.5), ("KM[50]", 0.5)],
        *[("KM[3.75]RU[Chinese]", 7.5), ("KM[2.75]", 5.5), ("KM[325]", 6.5), ("KM[-750]", -7.5)],
        *[("KM[65]", 6.5), ("KM[75]", 7.5)],
    ],
)
def test_komi_that_cannot_be_one_is_read_by_the_habit_of_its_writer(root: str, komi: float) -> None:
    record = from_sgf(f"(;GM[1]SZ[19]{root};B[pd])")
    assert record.game.rules.values["komi"] == komi
    assert [caveat.key for caveat in record.caveats] == ["komi"]


@pytest.mark.parametrize(
    ("root", "komi"),
    [
        *[("KM[3.75 zi]", 7.5), ("KM[3又3/4子]", 7.5), ("KM[6目半]", 6.5), ("KM[6집반]", 6.5), ("KM[7 1/2]", 7.5)],
        *[("KM[½]", 0.5), ("KO[5.5]", 5.5), ("KM[0]", 0), ("KM[6,5]", 6.5)],
        *[("KM[黑贴3又3/4子]", 7.5), ("KM[コミ6目半]", 6.5), ("KM[덤 6집반]", 6.5), ("KM[5.5.]", 5.5)],
        *[("KM[5目半コミ出し]", 5.5), ("KM[コミ出し5目半]", 5.5)],
    ],
)
def test_komi_in_other_words(root: str, komi: float) -> None:
    record = from_sgf(f"(;GM[1]SZ[19]{root};B[pd])")
    assert record.game.rules.values["komi"] == komi
    assert not record.caveats


def test_komi_that_cannot_be_read_is_the_usual_one_for_a_viewer() -> None:
    text = "(;GM[1]SZ[19]KM[much];B[pd])"
    record = from_sgf(text, is_lenient=True)
    assert record.game.rules.values["komi"] == 7.5
    assert [caveat.sentence() for caveat in record.caveats] == ["the komi much cannot be read; the usual komi is used"]
    with pytest.raises(RecordError, match="komi=much: expected"):
        from_sgf(text)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        *[("300", 300), ("1小时", 3600), ("2時間30分", 9000), ("1시간 30분", 5400), ("1 heure 30 minutes", 5400)],
        *[("90 min", 5400), ("1:30:00", 5400), ("30:00", 1800), ("各2小时", 7200), ("1h each", 3600), ("soon", None)],
    ],
)
def test_main_time_in_other_words(written: str, seconds: float | None) -> None:
    assert from_sgf(f"(;SZ[9]TM[{written}])").main_s == seconds


def test_time_and_size_as_fox_and_people_write_them() -> None:
    record = from_sgf("(;GM[1]SZ[19x19]KM[375]TM[300]TC[3]TT[30]RL[0];B[pp])")
    assert (record.main_s, record.overtime) == (300, "3x30 byo-yomi")
    assert record.game.rules.board.width == 19


@pytest.mark.parametrize("count", ["²", "③", "٣", "３", "0x3", "-3", "1²", pytest.param("9" * 5000, id="long")])
def test_number_that_is_none_leaves_the_overtime_unknown(count: str) -> None:
    for pair in (f"TC[{count}]TT[30]", f"TC[3]TT[{count}]"):
        assert from_sgf(f"(;GM[1]SZ[9]{pair};B[aa])").overtime == ""
    (time,) = from_sgf(f"(;GM[1]SZ[9];B[aa]BL[5]OB[{count}])").times.values()
    assert (time.left_s, time.left_count) == (5, None)


@pytest.mark.parametrize("named", ["日本规则", "日本ルール", "한국룰", "中国规则", "Règles françaises"])
def test_rules_in_other_words(named: str) -> None:
    scoring = from_sgf(f"(;SZ[9]RU[{named}])").game.rules.values["scoring"]
    assert scoring == ("territory" if named[0] in "日한" else "area")


def test_komi_of_fox_agrees_with_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fox.sgf"
    file.write_text("(;GM[1]FF[4]SZ[9]KM[375]HA[0]RU[Chinese]AP[foxwq]RE[B+73.5];B[ee];W[];B[])")
    assert main(["verify", str(file)]) == 0
    assert "result B+73.5: Black wins by 73.5 points" in capsys.readouterr().out


RESULTS = {
    "B+R.": "B+R",
    "Black wins by resignation": "B+R",
    "白中盘胜": "W+R",
    "黑胜2又3/4子": "B+5.5",
    "白胜43.5目": "W+43.5",
    "黒中押し勝ち": "B+R",
    "Jigo": "0",
    "*": "?",
    "Left unfinished": "Void",
    "B+3 1/2": "B+3.5",
    "B+0,5": "B+0.5",
    "b+r": "B+R",
    "B + 3.5": "B+3.5",
    "W+R (time)": "W+R",
    "Both Lost": "",
    "持碁": "0",
    "NR": "Void",
    "백 불계승": "W+R",
    "Noir gagne par abandon": "B+R",
    "Weiß gewinnt durch Aufgabe": "W+R",
    "who knows": "",
}


@pytest.mark.parametrize(("written", "meant"), RESULTS.items())
def test_result_in_other_words_is_never_called_false(
    written: str, meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.sgf"
    file.write_text(f"(;GM[1]FF[4]CA[UTF-8]SZ[9]RE[{written}];B[ee];W[cc])", encoding="utf-8")
    assert main(["verify", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{file}: consistent: the result cannot be proved\n")
    shown = f"{written} ({meant})" if meant else f"{written}, cannot be read"
    assert shown in said


# -- illegal moves and stones set up ----------------------------------------------------------------------------------


def boards(record: Record) -> Iterator[tuple[int, str]]:
    """Yield the number of moves and the stones of each step, as letters from the top left to the bottom right."""
    steps = RecordSteps(record)
    for step in steps.all:
        board, stones = steps.rules.board, steps.position(step).stones
        rows = range(board.height - 1, -1, -1)
        yield step.move, "/".join("".join(".xo"[stones[board.at(x, y)]] for x in range(board.width)) for y in rows)  # type: ignore[index]


def test_an_illegal_move_is_carried_out_and_marked() -> None:
    record = from_sgf("(;SZ[3];B[bb];W[bb];B[aa])", is_lenient=True)
    assert list(boards(record)) == [
        (0, ".../.../..."),
        (1, ".../.x./..."),
        (2, ".../.o./..."),
        (3, "x../.o./..."),
    ]
    steps = RecordSteps(record)
    assert steps.caption(steps.all[2]) == ["node 2: illegal move (occupied): B2 holds a black stone"]
    suicide = from_sgf("(;SZ[3]AB[ab][ba];W[aa];B[cc])", is_lenient=True)
    assert list(boards(suicide)) == [(0, ".x./x../..."), (1, ".x./x../..."), (2, ".x./x../..x")]
    ko = from_sgf("(;SZ[4]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[bb];B[aa])", is_lenient=True)
    assert [caveat.key for caveat in ko.caveats] == ["illegal"]
    assert [stones.split("/")[1] for _, stones in boards(ko)][-3:] == ["x.xo", "xo.o", "xo.o"]
    with pytest.raises(RecordError, match=r"node 2: illegal move \(occupied\)"):
        from_sgf("(;SZ[3];B[bb];W[bb];B[aa])")


def test_a_move_that_has_no_point_is_passed_over() -> None:
    record = from_sgf("(;SZ[3];B[bb];W[zz];B[aa])", is_lenient=True)
    assert [stones for _, stones in boards(record)][-1] == "x../.x./..."
    assert [caveat.sentence() for caveat in record.caveats] == ["node 2: W[zz]: expected a point of a board of 3 by 3"]


def test_stones_set_up_in_mid_game_keep_the_moves_before_them(tmp_path: Path) -> None:
    record = from_sgf("(;SZ[3];B[bb];W[aa];AE[aa]AB[cc];W[ab])", is_lenient=True)
    assert list(boards(record)) == [
        (0, ".../.../..."),
        (1, ".../.x./..."),
        (2, "o../.x./..."),
        (2, ".../.x./..x"),
        (3, ".../ox./..x"),
    ]
    steps = RecordSteps(record)
    assert steps.caption(steps.all[3]) == ["node 3 sets up stones"]
    assert steps.at_move(1) == 1


@pytest.mark.parametrize("moves", [";B[ee];W[ee]", ";B[aa];W[zz]"])
def test_verify_calls_an_illegal_move_false(moves: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.sgf"
    file.write_text(f"(;SZ[9]{moves};B[cc])")
    assert main(["verify", str(file)]) == 1
    assert capsys.readouterr().out.startswith(f"{file}: FALSE\n  node 2: ")
    assert main(["diagram", str(file)]) == 0


def test_a_page_of_a_foreign_game_is_written(tmp_path: Path) -> None:
    file, page = tmp_path / "meta.sgf", tmp_path / "meta.html"
    file.write_text(META)
    assert main(["diagram", str(file), "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!")


def test_variations_and_marks_of_a_mended_file_are_read() -> None:
    text = META.rstrip().removesuffix(")")
    remarks, lines = read_remarks(text, gv.parse("go:size=9").board)
    assert remarks[1].comment == "hello"
    assert [(line.after, line.comment) for line in lines] == [(2, "var")]


def test_remarks_of_nodes_without_a_move_are_joined_and_each_point_is_marked_once() -> None:
    text = "(;SZ[9]C[a]TR[aa][aa:ba];C[b]TR[ba]SQ[aa]LB[aa:1];LB[aa:2][zz:3];B[cc]TR[cc])"
    board = gv.parse("go:size=9").board
    remarks, _ = read_remarks(text, board)
    a9, b9, c7 = map(board.point, ("A9", "B9", "C7"))
    assert remarks == {
        0: Remark("a\nb", {"triangle": [a9, b9], "square": [a9]}, {a9: "2"}),
        1: Remark("", {"triangle": [c7]}, {}),
    }


# 554 times the 361 points of a board, which leaves 6 of 200,000.
BOARDS = ["[aa:ss]" * 554, "[aa:ss]" * 200 + ";{name}" + "[aa:ss]" * 354]
TOO_MANY = "more than 200000 points set up or marked in one game$"


@pytest.mark.parametrize("boards", BOARDS, ids=["one-node", "two-nodes"])
@pytest.mark.parametrize("name", ["TR", "SQ", "CR", "MA"])
def test_a_file_that_marks_too_many_points_is_refused_with_the_bound(name: str, boards: str) -> None:
    text, board = f"(;SZ[19]{name}{boards.format(name=name)};SQ[aa:fa]", gv.parse("go:size=19").board
    remarks, _ = read_remarks(text + ")", board)
    assert max(map(len, remarks[0].marks.values())) == 361
    for more in ("LB[aa:1])", ";B[aa]TR[aa])"):
        with pytest.raises(RecordError, match=f"^{TOO_MANY}"):
            read_remarks(text + more, board)


def test_a_file_that_sets_up_too_many_points_is_refused_with_the_bound() -> None:
    text = f"(;SZ[19]AE{BOARDS[1].format(name='AE')};AB[aa:fa]"
    assert len(from_sgf(text + ")").game.setup) == 6
    with pytest.raises(RecordError, match=f"^node 3: {TOO_MANY}"):
        from_sgf(text + ";AE[ss])", is_lenient=True)


def test_a_game_with_too_many_nodes_is_refused_with_the_bound() -> None:
    largest = "(;" + ("(" + ";" * 99_999 + ")") * 5 + "(;;;;)"
    assert len(from_sgf(largest + ")").game.events) == 0
    refused = {
        largest + "(;))": "500000 nodes",
        "(" + ";" * 100_001 + ")": "100000 nodes in the main line",
        "(;" + "(;)" * 250_001 + ")": "250000 variations",
    }
    for text, bound in refused.items():
        with pytest.raises(RecordError, match=rf"^more than {bound}$"):
            from_sgf(text)


def test_cut_copies_only_the_way_to_its_place() -> None:
    tree = next(games_of("(;SZ[9];B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))")).tree
    copy, end, rest = tree.cut(3)
    assert (len(copy.main_line()), len(tree.main_line())) == (4, 4)
    assert isinstance(rest, GameTree)
    assert rest.nodes == ["B[cc]"]
    assert [each.nodes for each in end.trees] == [["B[dd]"]]


def test_a_property_of_ours_in_another_programs_file_means_nothing() -> None:
    record = from_sgf("(;SZ[9]DICE[loaded]COMMITMENT[x]SECRET[zz]TOLD[all];B[aa])")
    assert (record.dice, record.commitment, record.secret, record.told) == (None, None, None, frozenset())


@pytest.mark.parametrize(
    ("text", "stones"),
    [
        ("(;SZ[19]HA[2];W[dd])", "D4 Q16"),
        ("(;SZ[19]HA[4]KM[0.5];C[a comment];W[qo])", "D4 D16 Q4 Q16"),
        ("(;SZ[13]HA[5];W[gc];B[cc])", "D4 D10 G7 K4 K10"),
        ("(;SZ[9]HA[2];W[ee])", "C3 G7"),
    ],
)
def test_a_handicap_without_its_stones_is_put_on_the_fixed_points_where_white_begins(text: str, stones: str) -> None:
    record = from_sgf(text, is_lenient=True)
    board = record.game.rules.board
    assert sorted(board.vertices_of(record.game.setup)) == sorted(stones.split())
    assert set(record.game.setup.values()) == {BLACK}
    assert record.game.events[0].actor == WHITE
    (caveat,) = record.caveats
    assert caveat.sentence().endswith(f"they were put on {stones}")
    # The file is written as it was, and read in the same way again.
    assert from_sgf(to_sgf(record)).game == record.game


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("(;SZ[19]HA[2];B[dd];B[pp];W[qd])", ["no_handicap"]),
        ("(;SZ[19]HA[12];W[dd])", ["no_handicap"]),
        ("(;SZ[5]HA[2];W[cc])", ["no_handicap"]),
        ("(;SZ[19]HA[3])", ["no_handicap"]),
        ("(;SZ[19]HA[0];W[dd])", []),
        ("(;SZ[19]HA[1];B[dd])", []),
        ("(;SZ[19]HA[2]AB[dd][pp];W[qd])", []),
        ("(;SZ[19]HA[2];AB[dd][pp];W[qd])", []),
    ],
)
def test_no_stones_are_added_where_a_file_may_have_them_elsewhere(text: str, keys: list[str]) -> None:
    record = from_sgf(text, is_lenient=True)
    assert [caveat.key for caveat in record.caveats] == keys
    assert len(record.game.setup) == text.count("AB") * 2


@pytest.mark.parametrize(
    ("root", "players"),
    [
        ("PB[Ada]PW[Bea]", {BLACK: "Ada", WHITE: "Bea"}),
        ("PB[Ada][Eva]PW[Bea, Ida]", {BLACK: "Ada, Eva", WHITE: "Bea, Ida"}),
        ("BT[Ada, Eva]WT[The whites]PW[]", {BLACK: "Ada, Eva", WHITE: "The whites"}),
        ("BT[Team]PB[Ada]", {BLACK: "Ada"}),
    ],
)
def test_every_player_of_a_team_is_named(root: str, players: dict[int, str]) -> None:
    record = from_sgf(f"(;SZ[9]{root};B[aa])")
    assert record.players == players
    assert root in to_sgf(record)


def test_a_game_of_four_on_kgs_and_a_fork_of_ogs_are_read_as_they_are() -> None:
    kgs, ogs = (from_sgf(text, is_lenient=True) for text in FOREIGN if "CGoban" in text or "PC[OGS" in text)
    assert kgs.players == {BLACK: "cid,dan", WHITE: "ada,bea"}
    assert (kgs.result, kgs.overtime, kgs.main_s) == ("B+12.50", "5x30 byo-yomi", 1200.0)
    assert [len(each.game.setup) for each in (kgs, ogs)] == [3, 3]
    for record, actors in ((kgs, [WHITE, BLACK, WHITE, BLACK]), (ogs, [WHITE, BLACK, WHITE])):
        assert [event.actor for event in record.game.events] == actors
        assert record.caveats == []
    assert {ogs.game.rules.board.vertex(point) for point in ogs.game.setup} == {"D10", "K4", "K10"}


def test_a_fork_on_a_rectangle_starts_from_the_stones_of_both_sides() -> None:
    record = from_sgf("(;GM[1]SZ[13:9]RU[Chinese]KM[7.5]HA[0]AB[cc][dd]AW[ee][mi]PL[W]GN[forked from 12];W[ff];B[ma])")
    board = record.game.rules.board
    assert (board.width, board.height) == (13, 9)
    colours = {board.vertex(point): colour for point, colour in record.game.setup.items()}
    assert colours == {"C7": BLACK, "D6": BLACK, "E5": WHITE, "N1": WHITE}
    assert [(event.actor, board.vertex(event.action)) for event in record.game.events] == [(WHITE, "F4"), (BLACK, "N9")]
    assert record.caveats == []


@pytest.mark.parametrize(
    ("content", "charset", "comment"),
    [
        (b"CA[hz]C[a~x]", "ascii", "a~x"),
        (b"CA[hz]C[caf\xe9 a~x]", "cp1252", "café a~x"),
        (b"CA[iso-2022-jp]C[\x1b(x]", "ascii", "\x1b(x"),
    ],
)
def test_text_that_is_not_in_its_declared_encoding_of_seven_bits_is_kept(
    content: bytes, charset: str, comment: str
) -> None:
    record = from_sgf(b"(;SZ[9]" + content + b";B[aa])")
    assert [(caveat.key, caveat.parts["charset"]) for caveat in record.caveats] == [("encoding_wrong", charset)]
    assert record.comment == comment


@pytest.mark.parametrize(
    ("declared", "encoding", "names", "read_as"),
    [
        ("gb2312", "utf-8", "柯洁", "utf-8"),
        ("Shift_JIS", "utf-8", "井山裕太", "utf-8"),
        ("ISO-8859-1", "utf-8", "Zoé", "utf-8"),
        ("Martian", "utf-8", "Zoé", "utf-8"),
        ("Martian", "cp949", "이창호 조훈현", "cp949"),
        # Two bytes of these are letters of UTF-8 too.
        ("gb2312", "gb2312", "联通", None),
        ("ISO-8859-1", "latin-1", "Zoé", None),
        ("windows-1251", "cp1251", "Иван", None),
    ],
)
def test_declared_encoding_is_believed_unless_the_text_is_in_another(
    declared: str, encoding: str, names: str, read_as: str | None
) -> None:
    record = from_sgf(f"(;CA[{declared}]SZ[9]PB[{names}];B[aa])".encode(encoding))
    assert record.players == {BLACK: names}
    assert len(record.game.events) == 1
    assert [caveat.parts["charset"] for caveat in record.caveats] == ([read_as] if read_as else [])


@pytest.mark.parametrize(
    ("node", "moves"),
    [("B[aa]W[bb]B[cc]", "b A9, w B8, b C7"), ("W[bb]B[aa]", "w B8, b A9"), ("B[aa]C[x]W[]", "b A9, w pass")],
)
def test_moves_without_their_semicolons_are_played_in_turn(node: str, moves: str) -> None:
    record = from_sgf(f"(;SZ[9];{node})")
    board = record.game.rules.board
    played = [each for each in record.game.events if each.action >= -1]
    assert ", ".join(f"{'_bw'[each.actor]} {write_move(board, each.action)}" for each in played) == moves
    assert [caveat.sentence() for caveat in record.caveats] == [
        f"node 1 has {len(played)} moves; they were played in turn"
    ]


def test_unknown_player_to_move_is_left_out_with_a_remark() -> None:
    record = from_sgf("(;SZ[9]PL[x];W[aa])", is_lenient=True)
    assert record.game.events[0].actor == WHITE
    assert [each.sentence() for each in record.caveats] == ["node 0: left out PL[x]: expected a colour of this game"]
    with pytest.raises(RecordError, match=r"PL\[x\]: expected a colour"):
        from_sgf("(;SZ[9]PL[x];W[aa])")


def test_a_loaded_game_keeps_the_facts_of_its_file_in_json(tmp_path: Path) -> None:
    file = tmp_path / "x.sgf"
    file.write_text("(;GM[1]SZ[9]PB[Ada]PW[Bea]RE[B+R]TM[60]OT[3x10 byo-yomi];B[aa]BL[55];W[bb])")
    record = load_record(file)
    save(record.game, tmp_path / "x.json")
    assert load_record(tmp_path / "x.json") == replace(record, counted_by=None)
    record.game.play(BLACK, 3)
    save(record.game, tmp_path / "x.json")
    again = load_record(tmp_path / "x.json")
    assert (again.players, again.result, len(again.game.events)) == ({BLACK: "Ada", WHITE: "Bea"}, None, 3)
    file.write_text("(;SZ[9]TM[soon];B[aa];AE[aa];W[bb])")
    with pytest.warns(RecordWarning, match="left out are the properties TM AB "):
        save(gv.load(file), tmp_path / "x.json")
