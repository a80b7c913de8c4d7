"""The options that say how strong a bot plays."""

from pathlib import Path

import pytest

from gtp_variants.cli import main
from gtp_variants.cli.parser import STONES

COMMANDS = ("play", "gui", "gtp")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((value, "more than 0") for value in ("0", "0.0", "-1", "nan")),
        ("inf", "a finite number"),
        *((value, "a number") for value in ("x", "")),
    ],
)
def test_a_time_that_limits_nothing_is_refused(
    command: str, value: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "aleago:size=5", "--seconds", value])
    assert f"--seconds: expected {expected}, not {value!r}\n" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((value, "1 or more") for value in ("0", "-3")),
        *((value, "a whole number") for value in ("nan", "inf", "2.5", "9,seconds=3", "")),
    ],
)
def test_a_number_of_playouts_that_limits_nothing_is_refused(
    command: str, value: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "aleago:size=5", "--playouts", value])
    assert f"--playouts: expected {expected}, not {value!r}\n" in capsys.readouterr().err


def test_only_one_strength_option_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["gtp", "--level", "3", "--seconds", "1"])
    assert ": --seconds: not allowed with argument --level\n" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("seconds", "10"), ("seconds", "0.25"), ("playouts", "200")])
def test_a_bot_is_given_the_number_as_it_was_typed(
    option: str, value: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    assert main(["gui", "go:size=9", f"--{option}", value]) == 0
    assert f"--bot mcts:{option}={value}\n" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "count"), [("0", 0), ("2", 2), ("60", 60)])
def test_number_of_handicap_stones_is_read(text: str, count: int) -> None:
    assert STONES.read_whole(text) == count


@pytest.mark.parametrize("text", ["1", "-2", "", "two", "1000", "٣"])
def test_handicap_is_refused_below_two_stones_and_in_other_digits(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected (0, or 2 to 999|a whole number)"):
        STONES.read_whole(text)
