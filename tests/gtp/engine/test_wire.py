"""Lines in, answers out (gtp.md 3 "Framing"; the GTP version 2 draft, 2 and 3.1)."""

import re
import subprocess
import sys

import pytest

from gtp_variants.gtp.engine.engine import Command, read_command, write_response
from tests.gtp.talk import Talk
from tests.support.programs import COMMAND, run
from tests.support.specs import EACH


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (b"name", Command("", "name", [])),
        (b"name\n", Command("", "name", [])),
        (b"name\r\n", Command("", "name", [])),
        (b"7 name\n", Command("7", "name", [])),
        (b"007 name\n", Command("007", "name", [])),
        (b"  play \t b   D4  \n", Command("", "play", ["b", "D4"])),
        (b"\tname\n", Command("", "name", [])),
        (b"na\x00me\x7f\x08\n", Command("", "name", [])),
        (b"na\rme\n", Command("", "name", [])),
        (b"play b D4 # a comment # and more\n", Command("", "play", ["b", "D4"])),
        (b"play#b D4\n", Command("", "play", [])),
        (b"1 2 3\n", Command("1", "2", ["3"])),
        (b"1name\n", Command("", "1name", [])),
        (b"-1 name\n", Command("", "-1", ["name"])),
        (b"Name\n", Command("", "Name", [])),
        (b"\n", None),
        (b"", None),
        (b" \t \r\n", None),
        (b"# comment\n", None),
        (b"12\n", None),
        (b"12 # name\n", None),
        (b"\x00\x01\x1f\x7f\n", None),
    ],
)
def test_a_line_is_read_as_the_draft_says(line: bytes, command: Command | None) -> None:
    assert read_command(line) == command


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", b"= \n\n"),
        ("a", b"= a\n\n"),
        ("a\nb", b"= a\nb\n\n"),
        ("a\n\nb\n\n", b"= a\nb\n\n"),
        ("a\r\n\r\nb", b"= a\nb\n\n"),
        ("a\n  \nb", b"= a\nb\n\n"),
        ("\na\nb", b"= \na\nb\n\n"),
        ("\n", b"= \n\n"),
        ("a\x07b\x7f", b"= ab\n\n"),
        ("é", "= é\n\n".encode()),
        ("\ud800", b"= ?\n\n"),
    ],
)
def test_an_answer_has_a_blank_before_it_and_one_empty_line_after(text: str, answer: bytes) -> None:
    assert write_response("", True, text) == answer
    assert write_response("12", False, text) == b"?12" + answer[1:]


def test_an_id_comes_back_as_it_was_sent() -> None:
    talk = Talk("go:size=5")
    assert talk.raw(b"42 protocol_version\n") == b"=42 2\n\n"
    assert talk.raw(b"0042 protocol_version\n") == b"=0042 2\n\n"
    assert talk.raw(b"3 nonsense\n") == b"?3 unknown command\n\n"
    assert talk.raw(b"99999999999999999999 clear_board\n") == b"=99999999999999999999 \n\n"
    assert talk.raw(b"clear_board\n") == b"= \n\n"


def test_command_names_have_their_case_and_arguments_have_none() -> None:
    talk = Talk("go:size=5")
    assert talk.fails("Play b A1") == "unknown command"
    talk.does("play BLACK a1/play White pASS")
    assert talk.state()["stones"] == {"A1": "b"}


@pytest.mark.parametrize("line", [b"\xff\xfe", b"play b \xff", b"\xc3\x28 b", b"play \xe2\x82 D4", b"variant-set \x80"])
def test_bytes_that_are_no_text_are_answered(line: bytes) -> None:
    answer = Talk("go:size=5").raw(line + b"\n")
    assert answer is not None
    assert answer.startswith(b"? ")
    assert answer.endswith(b"\n\n")
    answer.decode()


def test_byte_order_mark_before_a_command_is_ignored() -> None:
    talk = Talk("go:size=5")
    assert talk.raw(b"\xef\xbb\xbf7 protocol_version\r\n") == b"=7 2\n\n"
    assert talk.raw(b"\xef\xbb\xbf\n") is None


@pytest.mark.parametrize("spec", EACH)
def test_extra_arguments_are_ignored(spec: str) -> None:
    talk = Talk(spec)
    assert talk("protocol_version and more") == "2"
    talk("clear_board now")


# What the engine says on stderr before anything else: which form of the search runs.
FIRST_LINE = re.compile(rb"gtp-variants \S+: (native|python) search, \d+ threads?\n")


# -- the process -------------------------------------------------------------------------------------------------------


def process_answers(sent: bytes, *arguments: str) -> bytes:
    """Everything a process writes to stdout for what it is sent, after which its input ends."""
    done = run("gtp", *arguments, sent=sent, GTP_VARIANTS_HOST="tests")
    assert done.returncode == 0
    assert FIRST_LINE.fullmatch(done.stderr)
    return done.stdout


def test_a_process_answers_each_line_in_order_and_ends_with_its_input() -> None:
    sent = b"""\
        # GoGui sends comments

        1 protocol_version\r
        2 play b D4 # here\r
        3\t \tplay\tw  d4
        4
        \x00\x01
        5 nonsense
        komi 0
        # interrupt
        7 showboard"""
    answers = process_answers(sent, "go:size=4")
    assert [answer[:2] for answer in answers.split(b"\n\n")] == [b"=1", b"=2", b"?3", b"?5", b"= ", b"=7", b""]


def test_a_process_ends_on_quit_after_answering_it_and_reads_no_further() -> None:
    assert process_answers(b"1 quit\n2 name\n", "go:size=5") == b"=1 \n\n"


def test_a_process_whose_input_ends_at_once_ends() -> None:
    assert process_answers(b"", "go:size=5") == b""


def test_the_last_line_needs_no_newline() -> None:
    assert process_answers(b"protocol_version", "go:size=5") == b"= 2\n\n"
    assert process_answers(b"1 quit", "go:size=5") == b"=1 \n\n"


@pytest.mark.slow
def test_lines_of_any_length_are_handled() -> None:
    long = 2 * 2**20
    endless = 17 * 2**20
    sent = b"\n".join(
        [
            b"1 play b A1 " + b"x" * long,
            b"2 play b " + b"A" * long,
            b"3 play b A" + b"1" * long,
            b"4 " + b"y" * long,
            b"5" * long,
            b"6 " + b"\x00" * long + b"protocol_version",
            b" " * long,
            b"#" * long,
            b" " * endless,
            b"#" * endless,
            b"7 play w A2 " + b"z" * endless,
            b"8 protocol_version",
            b"",
        ]
    )
    answers = process_answers(sent, "go:size=5").split(b"\n\n")
    assert [answer[:2] for answer in answers] == [b"=1", b"?2", b"?3", b"?4", b"=6", answers[5][:2], b"=8", b""]
    assert answers[1].startswith((b"?2 illegal move (off board)", b"?2 invalid colour or vertex"))
    assert answers[2].startswith(b"?3 illegal move (off board)")
    assert answers[3] == b"?4 unknown command"
    assert answers[5][1:2] == b"7"
    assert max(map(len, answers)) < 500


def test_a_host_that_goes_away_ends_the_process_quietly() -> None:
    process = subprocess.Popen(
        [*COMMAND, "gtp", "go:size=5"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(b"name\n" * 100)
    process.stdin.close()
    with process.stderr as errors:
        assert FIRST_LINE.fullmatch(errors.read())
    assert process.wait(timeout=60) == 0


def test_the_name_is_answered_without_loading_search_or_bots() -> None:
    program = (
        "import sys; from gtp_variants.cli import main; main(['gtp']); "
        "print(*sorted(m for m in sys.modules if 'bots' in m or 'search' in m or m in ('numpy', 'asyncio')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"name\nversion\nlist_commands\n", capture_output=True, check=True
    )
    assert done.stdout.endswith(b"\n\n\n")
    assert FIRST_LINE.fullmatch(done.stderr)
