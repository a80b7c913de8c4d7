"""Talking to engines that do what engines do wrong: real processes that fall silent, die, babble or cling to life."""

import os
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.base.processes.channel import KEPT_HEAD, KEPT_TAIL, PolledPipes, ProcessChannel, ThreadedPipes
from gtp_variants.errors import NotationError, PeerError, PeerGarbled, PeerGone, PeerSilent, Refused
from gtp_variants.gtp.client.peer import GtpController
from tests.gtp.processes import is_alive, is_gone_soon
from tests.support.programs import COMMAND

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups are those of POSIX")

# An engine whose answers are the commands themselves: `say TEXT` writes the text, in Python's notation.
FAULTY = """
import ast, os, signal, subprocess, sys, time
def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    if command == "say":
        write(ast.literal_eval(rest))
    elif command == "last":
        write(ast.literal_eval(rest))
        break
    elif command == "hang":
        time.sleep(1000)
    elif command == "exit":
        os._exit(int(rest))
    elif command == "close":
        os.close(1)
        time.sleep(1000)
    elif command == "grumble":
        sys.stderr.write("x" * int(rest))
        sys.stderr.flush()
        write(b"= \\n\\n")
    elif command == "flood":
        while True:
            write(rest.encode() * 1000)
    elif command == "cling":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        write(b"= \\n\\n")
        while True:
            time.sleep(1000)
    elif command == "child":
        child = subprocess.Popen(["sleep", "1000"])
        write(b"= %d\\n\\n" % child.pid)
    elif command == "quit":
        write(b"= \\n\\n")
        break
    else:
        write(b"= " + command.encode() + b"\\n\\n")
"""


Pipes = type[PolledPipes] | type[ThreadedPipes]

# For what is bound to come: so late only if it never does, however busy the machine is.
PATIENCE_S = 60.0


@pytest.fixture(params=[PolledPipes, ThreadedPipes])
def pipes(request: pytest.FixtureRequest) -> Pipes:
    """Both ways to read pipes; only one of them is used on each system."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def peer(tmp_path: Path, pipes: Pipes) -> Iterator[GtpController]:
    with GtpController(channel(tmp_path, pipes)) as controller:
        yield controller


def channel(folder: Path, pipes: Pipes = PolledPipes, grace_s: float = 0.1) -> ProcessChannel:
    return ProcessChannel([sys.executable, "-c", FAULTY], stderr=folder / "stderr", grace_s=grace_s, pipes=pipes)


def says(peer: GtpController, answer: bytes) -> str:
    return peer.send("say", repr(answer).replace("#", "\\x23"), timeout_s=PATIENCE_S)


# -- answers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"= hello\n\n", "hello"),
        (b"=\n\n", ""),
        (b"= \n\n", ""),
        (b"=12 hello\n\n", "hello"),
        (b"=12\n\n", ""),
        (b"=hello\n\n", "hello"),
        (b"= a\r\nb\r\n\r\n", "a\nb"),
        (b"= a\tb \x07\x7f\n\n", "a b"),
        (b"=\n  A B\n2 . .\n\n", "  A B\n2 . ."),
        (b"= \n  A B\n2 . .\n\n", "  A B\n2 . ."),
        (b"\n\r\n \n= after blank lines\n\n", "after blank lines"),
        ("= Aléago\n\n".encode(), "Aléago"),
        (b"= \xff\n\n", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_answers_are_read_as_other_programs_write_them(peer: GtpController, answer: bytes, text: str) -> None:
    assert says(peer, answer) == text
    assert peer.send("still", timeout_s=PATIENCE_S) == "still"


@pytest.mark.parametrize("answer", [b"? illegal move\n\n", b"?illegal move\n\n", b"?3 illegal move\r\n\r\n"])
def test_a_question_mark_is_a_refusal_and_no_fault(peer: GtpController, answer: bytes) -> None:
    with pytest.raises(Refused) as caught:
        says(peer, answer)
    assert caught.value.answer == "illegal move"
    assert peer.send("still", timeout_s=PATIENCE_S) == "still"


def test_a_flood_on_stderr_is_kept_in_part(tmp_path: Path, pipes: Pipes) -> None:
    with GtpController(channel(tmp_path, pipes, grace_s=PATIENCE_S)) as peer:
        assert peer.send("grumble", 3_000_000, timeout_s=PATIENCE_S) == ""
    kept = (tmp_path / "stderr").read_bytes()
    assert b"bytes left out" in kept
    assert len(kept) < KEPT_HEAD + KEPT_TAIL + 100


def test_later_stderr_output_can_go_to_another_log(tmp_path: Path) -> None:
    way = channel(tmp_path, grace_s=PATIENCE_S)
    with GtpController(way) as peer:
        assert peer.send("grumble", 10, timeout_s=PATIENCE_S) == ""
        deadline = time.monotonic() + PATIENCE_S
        while not (tmp_path / "stderr").exists() and time.monotonic() < deadline:
            os.sched_yield()
        way.turn_stderr_to(tmp_path / "later")
        assert peer.send("grumble", 20, timeout_s=PATIENCE_S) == ""
    assert (tmp_path / "stderr").stat().st_size == 10
    assert (tmp_path / "later").stat().st_size == 20


def test_an_engine_that_says_nothing_on_stderr_leaves_no_file(peer: GtpController, tmp_path: Path) -> None:
    assert peer.send("hello", timeout_s=PATIENCE_S) == "hello"
    peer.close()
    assert list(tmp_path.iterdir()) == []


def test_a_long_command_and_a_long_answer_cross(peer: GtpController) -> None:
    text = "0123456789" * 10_000
    assert says(peer, b"= " + text.encode() + b"\n\n") == text


def test_a_flood_on_stderr_goes_to_its_file_and_holds_nothing_up(tmp_path: Path, pipes: Pipes) -> None:
    with GtpController(channel(tmp_path, pipes, grace_s=PATIENCE_S)) as peer:
        assert peer.send("grumble", 300_000, timeout_s=PATIENCE_S) == ""
    assert (tmp_path / "stderr").stat().st_size == 300_000


@pytest.mark.parametrize("command", ["", " ", "play b\nquit", "play # b", "play\x00", "play\tb"])
def test_a_command_that_gtp_would_alter_is_not_sent(peer: GtpController, command: str) -> None:
    with pytest.raises(NotationError):
        peer.send(command)
    assert peer.send("still", timeout_s=PATIENCE_S) == "still"


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fault", "message"),
    [
        ("exit 3", PeerGone, "ended before it answered 'exit 3'"),
        ("last b'= half\\n'", PeerGone, "so far it said '= half"),
        ("close", PeerGone, "ended before"),
        ("hang", PeerSilent, "'hang' was not answered in time"),
        ("say b'= half\\n'", PeerSilent, "so far it said '= half"),
        ("say b''", PeerSilent, "not answered in time"),
        ("say b'hello\\n\\n'", PeerGarbled, "expected a GTP answer, got 'hello"),
        ("say b'\\n\\nDEBUG = 1'", PeerGarbled, "expected a GTP answer, got 'DEBUG = 1"),
        ("flood noise", PeerGarbled, "expected a GTP answer, got 'noise"),
        ("flood =", PeerGarbled, "over 16777216 bytes"),
    ],
)
def test_faults_have_names_and_stay(peer: GtpController, line: str, fault: type[PeerError], message: str) -> None:
    assert peer.send("hello", timeout_s=PATIENCE_S) == "hello"
    with pytest.raises(fault, match=message):
        # Long enough for half an answer to arrive.
        peer.send(line, timeout_s=1 if fault is PeerSilent else PATIENCE_S)
    # What comes next might be the answer to this command, so nothing more is asked.
    with pytest.raises(fault, match=message):
        peer.send("hello", timeout_s=PATIENCE_S)


def test_words_nobody_asked_for_are_not_taken_for_the_next_answer(peer: GtpController) -> None:
    assert says(peer, b"= one\n\n= two\n\n") == "one"
    with pytest.raises(PeerGarbled, match=r"before 'hello' it said, without being asked: '= two"):
        peer.send("hello", timeout_s=PATIENCE_S)


def test_blank_lines_between_answers_are_nothing(peer: GtpController) -> None:
    assert says(peer, b"= one\n\n\n\r\n") == "one"
    assert peer.send("hello", timeout_s=PATIENCE_S) == "hello"


def test_a_missing_program_counts_as_gone(tmp_path: Path) -> None:
    with pytest.raises(PeerGone, match="cannot start"):
        ProcessChannel([str(tmp_path / "nothing")])


def test_the_deadline_of_the_controller_holds_where_a_command_has_none(tmp_path: Path) -> None:
    with GtpController(channel(tmp_path), timeout_s=0.2) as peer, pytest.raises(PeerSilent):
        peer.send("hang")


# -- the end -----------------------------------------------------------------------------------------------------------


def close(peer: GtpController, pid: int) -> None:
    """Close, after which the process must be gone; nothing here would end by itself while somebody waits."""
    began = time.monotonic()
    peer.close()
    assert time.monotonic() - began < PATIENCE_S
    assert not is_alive(pid)
    peer.close()


def test_closing_asks_to_quit_first(tmp_path: Path, pipes: Pipes) -> None:
    way = channel(tmp_path, pipes, grace_s=PATIENCE_S)
    peer = GtpController(way)
    assert peer.send("hello", timeout_s=PATIENCE_S) == "hello"
    close(peer, way.pid)
    assert way.ending() == "exit status 0"
    with pytest.raises(PeerGone):
        peer.send("hello")


@pytest.mark.parametrize("line", ["hang", "cling", "flood =", "close"])
def test_closing_ends_an_engine_that_does_not_listen(tmp_path: Path, pipes: Pipes, line: str) -> None:
    way = channel(tmp_path, pipes)
    peer = GtpController(way)
    if line == "cling":
        peer.send(line, timeout_s=PATIENCE_S)
    else:
        with pytest.raises(PeerError):
            peer.send(line, timeout_s=0.2)
    close(peer, way.pid)


def test_closing_ends_an_engine_that_reads_nothing_of_what_was_sent(tmp_path: Path, pipes: Pipes) -> None:
    way = ProcessChannel(["sleep", "1000"], grace_s=0.1, pipes=pipes)
    peer = GtpController(way)
    with pytest.raises(PeerSilent):
        peer.send("x" * 1_000_000, timeout_s=0.1)
    close(peer, way.pid)


def test_closing_ends_what_the_engine_started(tmp_path: Path, pipes: Pipes) -> None:
    way = channel(tmp_path, pipes)
    peer = GtpController(way)
    child = int(peer.send("child", timeout_s=PATIENCE_S))
    assert is_alive(child)
    close(peer, way.pid)
    assert is_gone_soon(child)


def test_a_shell_around_an_engine_is_ended_with_it(tmp_path: Path, pipes: Pipes) -> None:
    way = ProcessChannel(["sh", "-c", "sleep 1000 & sleep 1000"], stderr=tmp_path / "stderr", grace_s=0.1, pipes=pipes)
    close(GtpController(way), way.pid)


def test_a_forgotten_channel_takes_its_process_along(tmp_path: Path, pipes: Pipes) -> None:
    way = channel(tmp_path, pipes)
    pid, forgotten = way.pid, weakref.ref(way)
    peer = GtpController(way)
    assert peer.send("hello", timeout_s=PATIENCE_S) == "hello"
    del peer, way
    # No thread, cycle or frame holds it, so that it goes at once, and its process is buried with it.
    assert forgotten() is None
    assert not is_alive(pid)


def test_an_engine_of_ours_is_a_process_like_any_other(tmp_path: Path) -> None:
    command = [*COMMAND, "gtp", "alter-igo:size=3"]
    with GtpController(ProcessChannel(command, stderr=tmp_path / "stderr")) as peer:
        assert peer.send("protocol_version") == "2"
        assert peer.send("variant-get").startswith("alter-igo:width=3,height=3")


# Echoes ids, but for the number of them that it is told to get wrong.
ECHO = r"""
import sys
for line in sys.stdin:
    number, command, *words = line.split() if line[0].isdigit() else ("", *line.split())
    wrong = command == "wrong"
    print(f"={words[0] if wrong else number} {number or 'none'}", end="\n\n", flush=True)
    if command == "quit":
        break
"""


@pytest.mark.parametrize("wrong", ["1", ""])
def test_ids_are_sent_to_engines_that_echo_them_and_wrong_ids_rejected(tmp_path: Path, wrong: str) -> None:
    log: list[str] = []
    with GtpController(ProcessChannel([sys.executable, "-c", ECHO]), timeout_s=60, log=log.append) as peer:
        assert peer.send("name") == "none"
        assert peer.try_ids("name") == "1"
        assert [peer.send("play") for _ in range(2)] == ["2", "3"]
        assert "> play" in log
        with pytest.raises(PeerGarbled, match="was sent with the id 4 and answered with"):
            peer.send("wrong", wrong or '""')
        with pytest.raises(PeerGarbled):
            peer.send("play")


def test_an_engine_that_misreads_ids_gets_none(peer: GtpController) -> None:
    """The faulty engine answers nothing to what it does not know, so the command is sent again as it is."""
    assert peer.try_ids("say b'= me\\n\\n'") == "me"
    assert says(peer, b"= still\n\n") == "still"
