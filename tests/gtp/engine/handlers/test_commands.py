"""The declarations of commands, their handlers, and what `help COMMAND` makes of them."""

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
