"""The system's own voice: found at the start, told the text as it is."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from gtp_variants.cli import main
from gtp_variants.lang import RequestRefused
from gtp_variants.terminal.speech import Speaker, command, speaker

NASTY = "-o x; rm -rf $HOME `id` \"'"


@pytest.mark.parametrize("program", ["say", "spd-say", "espeak-ng", "espeak", "powershell", "pwsh"])
def test_each_program_is_found_and_told(program: str) -> None:
    found = speaker("fr", {program: f"/somewhere/{program}"}.get)
    assert found.program == f"/somewhere/{program}"
    arguments, more = command(found.program, NASTY, "fr")
    assert arguments[0] == found.program
    if more:
        assert list(more.values()) == [NASTY]
        assert not any(NASTY in argument for argument in arguments)
    else:
        assert arguments[-2:] == ["--", NASTY]


def test_the_language_is_told() -> None:
    assert command("spd-say", "x", "fr")[0] == ["spd-say", "--wait", "--language", "fr", "--", "x"]
    assert command("espeak-ng", "x", "en")[0] == ["espeak-ng", "-v", "en", "--", "x"]
    assert "fr-FR" in command("C:\\Windows\\powershell.EXE".replace("\\", os.sep), "x", "fr")[0][-1]


def test_no_voice_is_said_at_the_start(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RequestRefused, match="espeak-ng"):
        speaker("en", lambda name: None)
    monkeypatch.setenv("PATH", "")
    assert main(["referee", "--speak"]) == 2
    assert "--speak: this system has no speech command" in capsys.readouterr().err
    assert main(["referee", "--speak", "--lang", "fr"]) == 2
    assert "--speak\u00a0: ce système n'a pas de commande vocale" in capsys.readouterr().err


def fake(folder: Path, name: str, body: str) -> str:
    program = folder / name
    program.write_text(f"#!{sys.executable}\nimport json, sys\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_the_text_arrives_as_it_is(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    program = fake(tmp_path, "espeak-ng", f"open({str(heard)!r}, 'w').write(json.dumps(sys.argv[1:]))")
    Speaker(program, "fr")(NASTY + " à Blanc")
    assert json.loads(heard.read_text()) == ["-v", "fr", "--", NASTY + " à Blanc"]


def test_a_voice_of_the_language_is_chosen(tmp_path: Path) -> None:
    program = fake(tmp_path, "say", "print('Alex   en_US  # Hi\\nThomas Neural  fr_FR  # Salut')")
    assert command(program, "x", "fr")[0] == [program, "-v", "Thomas Neural", "--", "x"]
    assert command(str(tmp_path / "gone" / "say"), "x", "fr")[0][1:] == ["--", "x"]


def test_a_voice_that_fails_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voice = Speaker(fake(tmp_path, "espeak", "sys.exit(3)"), "en")
    voice("one")
    voice("two")
    assert capsys.readouterr().err.count("exit status 3") == 1
    Speaker(str(tmp_path / "nothing" / "espeak"), "en")("three")
    assert "espeak: " in capsys.readouterr().err
