"""The declarations of commands, their handlers, and what `help COMMAND` makes of them."""

from pathlib import Path

import pytest

from gtp_variants.gtp.engine.commands import COMMANDS, DECLARATIONS, HANDLERS, command
from gtp_variants.gtp.engine.engine import load_subject
from gtp_variants.gtp.engine.engine_host import KGS, HostQuirks
from gtp_variants.gtp.engine.handlers.setup import _KATA_TIMES, _KGS_TIMES
from gtp_variants.gtp.engine.session import Session
from tests.gtp.talk import Talk


def _answer_nothing(session: Session, arguments: list[str]) -> str:
    return ""


@pytest.mark.parametrize("subject", DECLARATIONS)
def test_every_declared_command_has_a_handler(subject: str) -> None:
    load_subject(subject)
    assert {each.name for each in DECLARATIONS[subject]} <= {name for name, _ in HANDLERS}


def test_a_declared_command_without_handler_is_an_import_error(monkeypatch: pytest.MonkeyPatch) -> None:
    load_subject("moves")
    monkeypatch.delitem(HANDLERS, ("undo", False))
    with pytest.raises(ImportError, match="moves: no handler of undo"):
        load_subject("moves")


def test_a_handler_without_declaration_is_an_import_error() -> None:
    for name, in_seat in (("nonsense", None), ("play", True), ("phantom-hear", False)):
        with pytest.raises(ImportError, match=name):
            command(name, in_seat=in_seat)(_answer_nothing)


def test_a_second_handler_is_an_import_error() -> None:
    load_subject("moves")
    with pytest.raises(ImportError, match="undo"):
        command("undo")(_answer_nothing)


def test_the_kinds_of_time_control_are_those_that_are_declared() -> None:
    for name, times in (("kgs-time_settings", _KGS_TIMES), ("kata-time_settings", _KATA_TIMES)):
        assert COMMANDS[name].arguments == f"{'|'.join(times)} ..."


def test_every_help_is_short() -> None:
    assert [each.name for each in COMMANDS.values() if not 0 < len(each.help) <= 60] == []


def test_help_describes_a_command() -> None:
    talk = Talk("go:size=5")
    assert talk("help play").split("\n") == [
        "Play a move",
        "arguments: COLOUR VERTEX",
        "answer: empty",
        "games: all",
        "error: syntax error: expected play COLOUR VERTEX",
        "error: under a referee",
    ]
    assert talk("help aleago-open").split("\n") == [
        "List the points the draw opens",
        "arguments: none",
        "answer: vertices",
        "games: games with dice",
        "error: not a aleago game",
        "error: under a referee",
    ]
    assert talk.fails("help nonsense") == "unknown command"


def test_kgs_chat_is_known_only_where_it_was_asked_for() -> None:
    for quirks, known in ((HostQuirks(), "false"), (HostQuirks(chat=KGS), "true")):
        talk = Talk("go:size=5", quirks=quirks)
        assert talk("known_command kgs-chat") == known
        assert ("kgs-chat" in talk("list_commands").split()) is (known == "true")


@pytest.mark.parametrize("line", ["play", "play x D4", "loadsgf", "final_status Z99"])
def test_a_command_for_the_table_says_so_in_a_seat_whatever_its_arguments(line: str) -> None:
    talk = Talk("phantom:size=5", bot="uniform")
    talk("phantom-seat b")
    assert talk.fails(line) == "under a referee"


def test_too_few_arguments_are_answered_with_the_usage_of_the_command_that_was_asked() -> None:
    talk = Talk("go:size=5")
    assert talk.fails("gg_genmove") == "syntax error: expected gg_genmove COLOUR [SEED]"
    assert talk.fails("kata-search") == "syntax error: expected kata-search COLOUR"
    assert talk.fails("fixed_handicap") == "syntax error: expected a number of stones"


# Lines with every argument that the command takes.
EXACT = """boardsize 5 5|komi 6.5|fixed_handicap 2|place_free_handicap 2|time_settings 60 0 0|time_left b 3 0|undo
    gg-undo 1|set_random_seed 7|variant-get|kata-get-param playouts|top_moves b|is_legal b A1
    trymove b A1|gogui-setup_player w|final_status A1|kata-raw-nn b 0|variant-record|gogui-rules_board|cputime|help play
    printsgf FILE|loadsgf FILE 1""".replace("\n", "|").split("|")
LENIENT = (
    "name|version|protocol_version|known_command play|list_commands|clear_board|play b A1|genmove b|showboard|quit"
)


@pytest.mark.parametrize("line", [each.strip() for each in EXACT])
def test_surplus_argument_is_refused_and_changes_nothing(line: str, tmp_path: Path) -> None:
    file = tmp_path / "my"
    file.write_text("(;GM[1]FF[4]SZ[5];B[aa];W[bb])", encoding="ascii")
    talk = Talk("go:size=5")
    talk.plays("b:C3")
    before = talk.snapshot()
    assert talk.fails(f"{line.replace('FILE', str(file))} game.sgf").startswith("syntax error: game.sgf: expected ")
    assert talk.snapshot() == before
    assert [each.name for each in tmp_path.iterdir()] == ["my"]
    assert file.read_text(encoding="ascii").startswith("(;GM[1]FF[4]SZ[5];B[aa]")


@pytest.mark.parametrize("line", LENIENT.split("|"))
def test_standard_commands_ignore_surplus_arguments_as_gnu_go_does(line: str) -> None:
    Talk("go:size=5")(f"{line} and more")


def test_file_with_a_blank_in_its_name_is_neither_written_nor_loaded(tmp_path: Path) -> None:
    talk = Talk("go:size=5")
    assert talk.fails(f"printsgf {tmp_path}/my game.sgf") == (
        "syntax error: game.sgf: expected printsgf [FILE], FILE without blanks"
    )
    assert list(tmp_path.iterdir()) == []
    assert "FILE without blanks" in talk.fails(f"loadsgf {tmp_path}/my game.sgf")


@pytest.mark.parametrize("number", ["-1", "0", "1.5", "x", "game.sgf"])
def test_number_of_a_move_to_load_is_1_or_more(number: str, tmp_path: Path) -> None:
    talk, file = Talk("go:size=5"), tmp_path / "game.sgf"
    file.write_text("(;GM[1]FF[4]SZ[5];B[aa];W[bb])", encoding="ascii")
    assert talk.fails(f"loadsgf {file} {number}").startswith(f"syntax error: {number}: expected loadsgf FILE [MOVE]")


@pytest.mark.parametrize(
    ("sgf", "number", "colour"),
    [
        ("(;GM[1]FF[4]SZ[5];B[aa];W[bb];B[cc])", "", "white"),
        ("(;GM[1]FF[4]SZ[5];B[aa];W[bb];B[cc])", "1", "black"),
        ("(;GM[1]FF[4]SZ[5];B[aa];W[bb];B[cc])", "2", "white"),
        ("(;GM[1]FF[4]SZ[5];B[aa];W[bb];B[cc])", "99", "white"),
        ("(;GM[1]FF[4]SZ[5]HA[2]AB[aa][bb])", "", "white"),
        ("(;GM[1]FF[4]SZ[5]PL[W])", "", "white"),
    ],
)
def test_loadsgf_answers_the_colour_to_move(sgf: str, number: str, colour: str, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(sgf, encoding="ascii")
    talk = Talk("go:size=5")
    assert talk(f"loadsgf {file} {number}".strip()) == colour
    assert talk.state()["to_play"] == colour[0]
