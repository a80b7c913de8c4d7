"""`gtp-variants show`: what a reader sees of a record, and what a seat could see."""

import re
import struct
import sys
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gtp_variants.cli import main
from gtp_variants.records.files import load, save
from gtp_variants.records.record import Record, Time, printable
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.records.steps import RecordSteps
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game, random_game
from tests.records.games import game, names, recorded

ALEAGO = game("aleago:size=5,dice=1d2", "chance 1, b A1, chance 2, w B2, chance 1, b pass, chance 2, w C4, b resign")
PHANTOM = game("phantom:size=5,impossible=private", "b C3, w C3, w D3, b D3, b C4, w pass, b E5")


def kept(tmp_path: Path, played: Game | Record, name: str = "x.json") -> str:
    """The name of a file with a game in it."""
    save(played, tmp_path / name)
    return str(tmp_path / name)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the command's output after success."""
    assert main(["show", *arguments]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line of an error."""
    assert main(["show", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    return line


def test_the_end_of_a_game_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = Record(ALEAGO, players={BLACK: "Ada"}, times={6: Time(2.54, 57.5, 3)})
    text = shown(capsys, kept(tmp_path, record))
    assert text.startswith("Aléago, Black: Ada\nmove 4 of 4: Black resigns\n\n5  . . . . .\n")
    assert "White wins by resignation" in text


def test_a_move_with_its_draw_its_time_and_the_next_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = kept(tmp_path, Record(ALEAGO, times={3: Time(2.54, 57.5, 3)}))
    text = shown(capsys, file, "--move", "2")
    assert "move 2 of 4: White B2 (draw 2), took 2.5 s, 57.5 s left, stones or periods left: 3" in text
    assert "draw 1: line 1 is open" in text
    assert "2  *(O). . *" in text
    assert shown(capsys, file, "--move", "0").startswith("Aléago\nbefore the first move\n")
    assert "Black passes (draw 1)" in shown(capsys, file, "--move", "3")


@pytest.mark.parametrize("spec", ["go:size=5", "go:size=5,lang=fr"])
def test_a_record_is_shown_in_the_language_of_the_reader(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever language it was played in: programs that know nothing of ours write records, too."""
    file = kept(tmp_path, Record(random_game(parse(spec), 1), times={0: Time(2.54)}))
    assert ", took 2.5 s" in shown(capsys, file, "--move", "1", "--lang", "en")
    assert ", a réfléchi 2,5 s" in shown(capsys, file, "--move", "1", "--lang", "fr")
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    assert ", a réfléchi 2,5 s" in shown(capsys, file, "--move", "1")
    monkeypatch.setattr(sys, "stdin", StringIO("q\n"))
    assert main(["replay", file]) == 0
    assert "avant le premier coup" in capsys.readouterr().out


def test_a_record_that_names_a_result_the_board_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.sgf"
    file.write_text("(;SZ[9]RE[B+3.5]PB[\x1b[2J\u202e];B[aa];W[bb])", encoding="utf-8")
    text = shown(capsys, str(file))
    assert "result in the record: B+3.5" in text
    assert "result" not in shown(capsys, str(file), "--move", "1")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_picture_of_a_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = kept(tmp_path, ALEAGO)
    text = shown(capsys, file, "--move", "1", "--svg", "-")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert shown(capsys, file, "--move", "1", "--svg", str(tmp_path / "x.svg")) == ""
    assert (tmp_path / "x.svg").read_text(encoding="utf-8") == text


def test_a_game_of_a_collection_and_all_of_it_as_sgf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = [game("go:size=9", "b D4"), game("alter-igo:width=3,height=1", "b A1, w C1, b B1, w B1")]
    file = tmp_path / "x.sgf"
    file.write_text("".join(to_sgf(Record(played)) for played in games), encoding="utf-8")
    assert shown(capsys, str(file)).startswith("Go\n")
    assert shown(capsys, str(file), "--game", "2").startswith("Alter Igo\nmove 4 of 4")
    assert shown(capsys, str(file), "--game", "2", "--sgf", "-") == to_sgf(Record(games[1]))
    assert shown(capsys, str(file), "--game", "2", "--sgf", str(tmp_path / "y.sgf")) == ""
    assert load(tmp_path / "y.sgf") == games[1]


def test_what_a_seat_of_go_fantome_could_know(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = kept(tmp_path, Record(PHANTOM, result="B+R", comment="White's stones are on D3", secret=b"x"))
    text = shown(capsys, file, "--seat", "b")
    assert text == (
        "Go Fantôme\nmove 5: Black E5\nBlack has played\n\n"
        "5  . . . .(X)\n4  . . X . .\n3  . . X . .\n2  . . . . .\n1  . . . . .\n   A B C D E\n\n"
        "stones taken by Black 0, White 0\n1 white stone on the board that Black does not see\nturn 6: White to play\n"
    )
    white = shown(capsys, file, "--seat", "white", "--move", "2")
    assert "move 2: White D3\nWhite has played\n" in white
    assert "X" not in white
    assert "C3" not in white
    assert "×" not in shown(capsys, file, "--seat", "b", "--svg", "-")
    assert "--sgf: cannot be combined with --seat" in refused(capsys, file, "--seat", "b", "--sgf", "-")


@pytest.mark.parametrize(("ending", "is_over"), [("b resign", True), ("w resign", True), ("w pass, b pass", False)])
@pytest.mark.parametrize("seat", ["b", "w"])
def test_once_a_game_is_over_its_board_is_shown_to_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str, is_over: bool, seat: str
) -> None:
    """Two passes may still be taken back by a stone: until then nothing is shown."""
    file = kept(tmp_path, game("phantom:size=5", f"b C3, w D3, b C4, {ending}"))
    text = shown(capsys, file, "--seat", seat)
    assert ("X" in text and "O" in text) == is_over
    assert ("to play" in text) != is_over
    last_word = "resignation" if is_over else "to play"
    assert last_word in text.splitlines()[-1]
    # What it knew last is a moment before.
    before = shown(capsys, file, "--seat", seat, "--move", "3")
    assert ("X" in before) == (seat == "b")
    assert ("O" in before) == (seat == "w")


@pytest.mark.parametrize("seat", [BLACK, WHITE])
@pytest.mark.parametrize("spec", ["phantom:size=5", "phantom:size=5,impossible=private,announce=joined,dead=agreed"])
def test_a_seats_pages_show_only_its_news(spec: str, seat: int) -> None:
    """No page names a point that the seat neither played on nor saw a stone taken from."""
    rules = parse(spec)
    for seed in range(30):
        played = random_game(rules, seed, 60)
        moments = RecordSteps(Record(played, result="B+R", comment="all is told here"), seat)
        other = WHITE if seat == BLACK else BLACK
        for number, moment in enumerate(moments.all):
            view = moments.view(moment)
            if view is None:
                assert rules.is_final(moments.position(moment))
                continue
            assert other not in view.stones
            caption = "\n".join(moments.caption(moment))
            own = {
                rules.board.vertex(e.action)
                for e in played.events[: moment.events]
                if e.actor == seat and e.action >= 0
            }
            taken = {rules.board.vertex(point) for news in view.news for point in news.captured}
            named = {vertex for vertex in rules.board.vertices if vertex in caption.split()}
            assert named <= own | taken, (seed, number, caption)
            assert moments.remark(moment) == []
            assert " of " not in caption.split(":")[0]


def test_a_refused_try_that_is_private_makes_no_moment_for_the_other_seat() -> None:
    record = Record(PHANTOM)
    assert [len(RecordSteps(record, seat).all) for seat in (None, BLACK, WHITE)] == [8, 7, 7]


def test_in_an_open_game_a_seat_sees_what_everybody_sees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = kept(tmp_path, ALEAGO)
    assert shown(capsys, file, "--seat", "w") == shown(capsys, file)


@pytest.mark.parametrize("name", names())
def test_every_moment_of_every_game_can_be_told(name: str) -> None:
    played = recorded(name)
    for seat in (None, *played.rules.colours):
        moments = RecordSteps(Record(played), seat)
        for moment in (moments.all[0], *moments.all[-40:]):
            lines = [moments.title(), *moments.caption(moment), *moments.remark(moment)]
            assert all(printable(line) == line and len(line) <= 100 for line in lines), lines
        assert moments.all[-1].events == len(played.events) or seat is not None
        assert [moment.move for moment in moments.all] == sorted(moment.move for moment in moments.all)


def test_invalid_arguments_of_diagram_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = kept(tmp_path, ALEAGO)
    assert refused(capsys, file, "--move", "5") == "gtp-variants diagram: move 5: expected 0 to 4"
    with pytest.raises(SystemExit):
        main(["show", file, "--move", "-1"])
    assert "--move: expected 0 or more, not '-1'" in capsys.readouterr().err
    assert refused(capsys, file, "--seat", "r") == "gtp-variants diagram: --seat r: expected a colour of this game: b w"
    assert "x.json: game 2: a .json file can hold only one game" in refused(capsys, file, "--game", "2")
    assert "No such file" in refused(capsys, str(tmp_path / "y.json"))
    assert "Is a directory" in refused(capsys, file, "--svg", str(tmp_path)) or sys.platform == "win32"
    (tmp_path / "z.json").write_text('{"format":', encoding="utf-8")
    assert "z.json: line 1, column 11: Expecting value" in refused(capsys, str(tmp_path / "z.json"))


def test_a_position_as_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resvg = pytest.importorskip("resvg_py")
    target, file = tmp_path / "x.png", kept(tmp_path, ALEAGO)
    shown(capsys, file, "--png", str(target))
    shown(capsys, file, "--svg", str(tmp_path / "x.svg"))
    content, picture = target.read_bytes(), (tmp_path / "x.svg").read_text(encoding="utf-8")
    # The size stands behind the signature and the name of the first chunk.
    assert struct.unpack(">II", content[16:24]) == (638, 640)
    assert 'viewBox="0 0 318.7 320"' in picture
    # A text without a font would be left out.
    assert content != bytes(resvg.svg_to_bytes(svg_string=re.sub("<text.*?</text>", "", picture), zoom=2))


def test_png_without_its_library_names_the_extra(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert "--png needs resvg-py; " in refused(capsys, kept(tmp_path, ALEAGO), "--png", str(tmp_path / "x.png"))
