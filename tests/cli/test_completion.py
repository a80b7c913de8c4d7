"""Completion as the shells do it, and man pages as `man` reads them: all from the parsers."""

import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

from distribution.shared_files import shared_files
from gtp_variants.cli import load_command
from gtp_variants.cli.commands import COMMANDS
from gtp_variants.cli.help.completion import SHELLS
from gtp_variants.cli.help.description import describe_command, spec_table
from gtp_variants.cli.help.manual import pages

CASES = [
    ("pla", "play"),
    ("check", "check-engine"),
    ("play --lev", "--level"),
    ("play --lang f", "fr"),
    ("play ros", "rosette"),
    ("play alter-igo:white_", "alter-igo:white_passes="),
    ("gtp phantom:size=9,announce=j", "phantom:size=9,announce=joined"),
    ("match aleago-fi", "aleago-first"),
    ("verify game", "game.json"),
    ("help exit", "exit-status"),
    ("serve --ho", "--host"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("game.json").touch()
    return tmp_path


def script(shell: str, folder: Path) -> Path:
    file = folder.parent / f"completion.{shell}"
    file.write_text(SHELLS[shell](load_command), encoding="utf-8")
    return file


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"no {program}")


@needs("bash")
@pytest.mark.parametrize(("line", "wanted"), CASES)
def test_bash_completes(line: str, wanted: str, folder: Path) -> None:
    whole = f"gtp-variants {line}"
    code = f"""
        source {script("bash", folder)}
        COMP_LINE=$1 COMP_POINT=${{#1}}
        _gtp_variants
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-uc", code, "-", whole], capture_output=True, text=True, check=True, timeout=60)
    word = line.split()[-1]
    # bash has parted the word at its last `:` or `=` itself.
    parted = max(word.rfind(":"), word.rfind("=")) + 1
    assert wanted[parted:] in done.stdout.splitlines()
    assert not done.stderr


@needs("fish")
@pytest.mark.parametrize(("line", "wanted"), CASES)
def test_fish_completes(line: str, wanted: str, folder: Path) -> None:
    code = f"source {script('fish', folder)}; complete -C 'gtp-variants {line}'"
    done = subprocess.run(["fish", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert wanted in [each.split("\t")[0] for each in done.stdout.splitlines()]


@needs("zsh")
@pytest.mark.slow
def test_zsh_completes(folder: Path) -> None:
    with_code = f"autoload -Uz compinit; compinit -u -D; source {script('zsh', folder)}; PS1='%% '"
    terminal = pexpect.spawn("zsh", ["-f"], encoding="utf-8", timeout=60, dimensions=(24, 200))
    try:
        terminal.sendline(f"unsetopt beep; {with_code}; bindkey '^I' complete-word; echo rea''dy")
        terminal.expect("ready")
        for line, wanted in CASES:
            terminal.send(f"gtp-variants {line}\t")
            terminal.expect_exact(wanted.removeprefix(line.split()[-1]))
            terminal.send("\x15")  # kills the line
    finally:
        terminal.close(force=True)


def test_every_command_and_option_can_be_completed_in_every_shell() -> None:
    scripts = [write(load_command) for write in SHELLS.values()]
    for command in (describe_command(load_command, name) for name in COMMANDS):
        for option in command.options:
            for flag in option.flags:
                assert all(flag.lstrip("-") in text for text in scripts), (command.name, flag)
    assert all(f"{key}" in text for keys in spec_table().values() for key in keys for text in scripts)


def test_there_is_a_man_page_of_every_command_with_all_its_options() -> None:
    found = pages(load_command)
    assert list(found) == ["gtp-variants.1", *(f"gtp-variants-{name}.1" for name in COMMANDS)]
    for command in (describe_command(load_command, name) for name in COMMANDS):
        page = found[f"gtp-variants-{command.name}.1"].replace("\\-", "-")
        assert all(f"\\fB{flag}\\fR" in page for each in command.options for flag in each.flags)


@needs("groff")
def test_man_pages_are_read_without_a_warning(tmp_path: Path) -> None:
    for name, text in pages(load_command).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = sorted(str(file) for file in tmp_path.iterdir())
    done = subprocess.run(
        ["groff", "-k", "-man", "-ww", "-T", "utf8", *files], capture_output=True, check=True, timeout=60
    )
    assert done.stderr == b""
    assert "gtp-variants-check-engine" in done.stdout.decode()


def test_a_wheels_man_pages_and_completions_equal_the_printed_ones() -> None:
    files = shared_files()
    assert {path: text for path, text in files.items() if path.startswith("share/man/man1/")} == {
        f"share/man/man1/{name}": text for name, text in pages(load_command).items()
    }
    assert {path: text for path, text in files.items() if path.startswith("share/man/fr/")} == {
        f"share/man/fr/man1/{name}": text for name, text in pages(load_command, "fr").items()
    }
    assert files["share/bash-completion/completions/gtp-variants"] == SHELLS["bash"](load_command)
    # zsh loads it by its first line, as the function that the file is named after.
    assert files["share/zsh/site-functions/_gtp-variants"].startswith("#compdef gtp-variants\n")
    assert files["share/fish/vendor_completions.d/gtp-variants.fish"] == SHELLS["fish"](load_command)
