"""The adapter as a program: an engine that knows only Go, made one for Aléago and Alter Igo."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.cli import main
from gtp_variants.errors import Refused
from gtp_variants.gtp.client.peer import GtpController
from tests.gtp.client.engines import go_engine
from tests.support.programs import COMMAND


def adapter(folder: Path, spec: str, command: Sequence[str], *options: str) -> GtpController:
    ours = [*COMMAND, "adapt", spec, *options, "--", *command]
    return GtpController(ProcessChannel(ours, stderr=folder / "stderr"), timeout_s=30)


def test_it_plays_under_the_draw_for_both_sides(tmp_path: Path) -> None:
    with adapter(tmp_path, "aleago:size=9", go_engine("restricted_genmove"), "--seed", "x") as peer:
        assert peer.send("name") == "Simple in Aléago"
        for colour in "bwbwbw":
            opened = peer.send("aleago-open").split()
            assert peer.send("genmove", colour) in opened
        before = peer.send("variant-state")
        move = peer.send("genmove", "b")
        peer.send("undo")
        assert peer.send("variant-state") == before
        assert peer.send("reg_genmove", "b") == move
        assert peer.send("genmove", "b") == move


def test_it_never_passes_where_there_is_no_pass(tmp_path: Path) -> None:
    with adapter(tmp_path, "alter-igo:size=4", go_engine("", *["pass"] * 12)) as peer:
        for colour in "bwbwbw":
            assert peer.send("genmove", colour) not in ("pass", "resign")
        assert "is played instead" in peer.send("gomill-explain_last_move")


def test_a_board_it_does_not_support_is_refused_and_said(tmp_path: Path) -> None:
    with adapter(tmp_path, "aleago:size=9", go_engine()) as peer:
        peer.send("genmove", "b")
        before = peer.send("variant-state")
        with pytest.raises(Refused, match=r"unacceptable size .*'boardsize 21' was refused"):
            peer.send("boardsize", 21)
        with pytest.raises(Refused, match="Simple does not know rosette"):
            peer.send("variant-set", "rosette")
        assert peer.send("variant-get").startswith("aleago:size=9,")
        assert peer.send("variant-state") == before
        assert peer.send("boardsize", 13) == ""
        assert peer.send("genmove", "b") != ""


def test_an_engine_that_ends_is_started_again(tmp_path: Path) -> None:
    # It plays an answer that is no move, and the adapter gives it up; the next one answers the same.
    with adapter(tmp_path, "aleago:size=9", go_engine("undo", "nonsense")) as peer:
        for _ in range(2):
            with pytest.raises(Refused, match="got 'nonsense'"):
                peer.send("genmove", "b")
        assert peer.send("variant-state").count('"move_number": 0') == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["aleago"], "no engine; expected"),
        (["aleago", "--"], "no engine; expected"),
        (["aleago", "--", "/no/such/program"], "cannot start"),
        (["nonsense", "--", *go_engine()], "nonsense"),
        (["rosette", "--", *go_engine()], "Simple does not know rosette"),
        (["aleago:size=19", "--", *go_engine()], "'boardsize 19' was refused: unacceptable size"),
    ],
)
def test_an_unsuitable_engine_is_rejected_at_once(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["adapt", *arguments]) == 2
    assert message in capsys.readouterr().err


# Thinks until it is interrupted; the comment is dropped by whoever reads lines as GTP.
SLOW = r"""
import sys
known = "protocol_version name version list_commands boardsize clear_board komi play genmove undo gogui-interrupt quit"
while True:
    words = sys.stdin.readline().partition("#")[0].split()
    if not words:
        continue
    text = {"protocol_version": "2", "name": "Slow", "version": "1", "list_commands": known.replace(" ", "\n")}
    if words[0] == "genmove":
        while (line := sys.stdin.readline()) != "# interrupt\n":
            assert line
        text["genmove"] = "pass"
    print("=", text.get(words[0], ""), end="\n\n", flush=True)
    if words[0] == "quit":
        break
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["genmove b", "kata-genmove_analyze b 10"])
def test_an_engine_that_can_be_interrupted_is(command: str, tmp_path: Path) -> None:
    ours = [*COMMAND, "adapt", "go:size=9", "--", sys.executable, "-c", SLOW]
    channel = ProcessChannel(ours, stderr=tmp_path / "stderr")
    with GtpController(channel, timeout_s=60) as peer:
        for _ in range(2):
            asked = 0

            def meanwhile() -> str | None:
                nonlocal asked
                asked += 1
                return "interrupt" if asked == 20 else None

            answer = peer.send(*command.split(), meanwhile=meanwhile)
            assert answer.split()[-1] == "pass"
            assert asked >= 20, "not before it was told to"
