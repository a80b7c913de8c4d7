"""The checking command: what it finds at good engines and at bad ones."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gtp_variants import configs
from gtp_variants.cli import main
from tests.gtp.client.engines import GO, go_engine
from tests.support.programs import COMMAND

TEMPLATE = [sys.executable, str(configs.template_bot())]


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit status and what was found."""
    status = main(["check", "--json", *arguments])
    (line,) = capsys.readouterr().out.splitlines()
    return status, json.loads(line)


def test_the_template_can_do_everything(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = check(capsys, *TEMPLATE)
    assert (status, found["ok"], found["faults"]) == (0, True, [])
    assert found["name"] == "Template"
    # Whoever begins with it is told of nothing they did not write.
    assert found["remarks"] == ["no undo: without it the board is set up again to take back a move"]
    assert [(game["level"], game["failure"]) for game in found["games"]] == [("variants", "")] * 6
    assert found["start_s"] > found["answer_s"] > 0


@pytest.mark.slow
def test_our_own_engine_is_one_of_the_good(capsys: pytest.CaptureFixture[str]) -> None:
    ours = [*COMMAND, "gtp", "--bot", "greedy"]
    status, found = check(capsys, "--spec", "aleago:size=9", "--", *ours)
    assert (status, found["faults"], found["remarks"]) == (0, [], [])


def test_an_invalid_answer_is_not_read_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    echo = "import sys\nfor line in sys.stdin: print(line.strip(), flush=True)"
    status, found = check(capsys, "--timeout", "600", "--", sys.executable, "-c", echo)
    assert status == 1
    assert found["faults"][0].startswith("begins with 'protocol_version")


def test_check_shows_the_commands_a_go_engine_would_get(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = check(capsys, *go_engine("undo restricted_genmove"))
    assert (status, found["faults"]) == (1, [])
    # It does not look at its board.
    assert [fault["belief"] for fault in found["rules"]] == ["suicide"]
    games = {game["spec"]: game for game in found["games"]}
    assert games["go:size=9"]["level"] == "plain"
    assert games["aleago:size=9"]["level"] == "allow"
    assert any(line.startswith("restricted_genmove b ") for line in games["aleago:size=9"]["sent"])
    assert games["phantom:size=9"]["level"] == ""
    assert "its variant-set is missing" in games["phantom:size=9"]["reason"]


def test_a_game_that_was_asked_for_must_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys, "--spec", "go:size=5", "--", *TEMPLATE)[0] == 0
    status, found = check(capsys, "--spec", "rosette", "--", *go_engine())
    assert status == 1
    assert found["faults"][0].startswith("cannot play rosette: Simple does not know rosette")


def change(old: str, new: str) -> list[str]:
    """The simple engine with one thing done otherwise."""
    assert old in GO
    return [sys.executable, "-c", GO.replace(old, new), "undo"]


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        pytest.param(
            [sys.executable, "-c", GO + "import time\ntime.sleep(1000)\n", ""],
            "does not end when its input ends",
            marks=pytest.mark.slow,
        ),
        (change('print(f"{mark}{number} {text}"', 'print(f"hello\\n{mark}{number} {text}"'), "begins with 'hello"),
        (change("komi play genmove", "komi play"), "list_commands: lacks genmove"),
        (change("reply(2)", "reply(1)"), "protocol_version: answered '= 1'"),
        (change("str(words[0] in known).lower()", '"true"'), "known_command no_such_command"),
        (
            change('        stones.append(words[1])\n        reply("")', '        reply("no", "?")'),
            "'play b D4' on 9x9 is refused",
        ),
        (
            change("stones, size = [], 9", "stones, size = [], 9\nsys.stderr.write('x' * 200_000)"),
            "writes too much to its standard error",
        ),
        (change("stones, size = [], 9", "raise SystemExit(4)"), "it ended (exit status 4)"),
        (change("    if not words:\n        continue\n", "    words = words or ['name']\n"), "blank lines"),
    ],
)
def test_check_finds_each_fault(command: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = check(capsys, "--timeout", "20", "--spec", "go:size=5", "--", *command)
    assert status == 1
    assert any(fault in text for text in found["faults"]), found["faults"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no terminal to open on Windows")
def test_unflushed_output_is_distinguished_from_silence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    # The C library writes a line at once on a terminal and in blocks on a pipe; so does Python's print.
    status, found = check(capsys, "--timeout", "3", *change(', end="\\n\\n", flush=True', ', end="\\n\\n"'))
    assert status == 1
    assert found["faults"] == ["answers on a terminal but not on a pipe: flush stdout after each answer"]
    status, found = check(capsys, "--timeout", "0.5", "sleep", "1000")
    assert found["faults"] == ["does not answer within 0.5 s, neither on a pipe nor on a terminal"]


def test_the_last_words_of_one_that_ends_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = check(capsys, sys.executable, "-c", "raise SystemExit('no network file')")
    assert (status, found["faults"], found["start_s"]) == (1, ["it ended (exit status 1)"], None)
    assert found["remarks"] == ["the end of its standard error: 'no network file'"]


def test_a_bad_move_is_a_fault_with_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = check(capsys, "--spec", "go:size=5", "--", *go_engine("", "A1", "A1"))
    assert status == 1
    assert found["games"][0]["failure"].startswith("illegal: A1 (occupied)")


def test_a_person_reads_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--spec", "go:size=5", "--", *go_engine()]) == 1
    text = capsys.readouterr().out
    assert "go:size=5: plain (knows Go only" in text
    assert "    boardsize 5\n" in text
    assert "FAULT: go:size=3: it believes that suicide is legal." in text
    assert text.endswith("something is wrong: see FAULT\n")
    assert main(["check", "--spec", "go:size=5", "--", *TEMPLATE]) == 0
    assert capsys.readouterr().out.endswith("nothing is wrong\n")


@pytest.mark.parametrize(("belief", "words"), [("suicide", "believes that suicide is legal"), ("no ko", "knows no ko")])
def test_a_wrong_rule_is_named(belief: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    sample = [sys.executable, "-m", "tests.gtp.client.sample_engine", "go", *belief.split()]
    assert main(["conformance", "--games", "go", "--", *sample]) == 1
    assert f"it {words}. The rule: " in capsys.readouterr().out


def test_the_template_is_printed_and_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["check", "--template"]) == 0
    file = tmp_path / "mine.py"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", str(file)],
        input="boardsize 9\n7 genmove b\nx\nplay b\nquit\nname\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = done.stdout.split("\n\n")
    assert answers[0] == "= "
    assert answers[1].startswith("=7 ")
    assert answers[2:] == ["? unknown command", "? syntax error", "= ", ""]
    assert done.stderr == ""


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "x"])
@pytest.mark.parametrize("command", [["check-engine", "--timeout"], ["adapt", "aleago", "--patience"]])
def test_an_invalid_time_is_not_the_engines_fault(
    command: list[str], seconds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*command[:-1], f"{command[-1]}={seconds}", "--", *go_engine()])
    expected = {"x": "a number", "inf": "a finite number"}.get(seconds, "more than 0")
    assert f"{command[-1]}: expected {expected}, not {seconds!r}\n" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--spec", "nonsense", "--", "x"], ["/no/such/program"]])
def test_wrong_usage_has_a_status_of_its_own(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *arguments]) == 2
    assert capsys.readouterr().err.startswith("gtp-variants check-engine: ")
