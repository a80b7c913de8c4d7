"""The README and the pages: what stands in them runs, links lead somewhere, what programs wrote is up to date."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.cli import load_command
from gtp_variants.cli.commands import ALIASES, complete_name
from gtp_variants.cli.parser import CommandParser

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
MOST_LINES_OF_README = 95
MOST_WORDS_OF_README = 700

pytestmark = pytest.mark.skipif(not README.exists(), reason="the documentation is only in a checkout")

# A block of commands, and what may stand before it: why it is not run here.
BLOCK = re.compile(r"(?:<!-- not run: ([^>]*) -->\n)?^ *```(?:sh|bash)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
# They work until they are told to end, and say when they are ready.
SERVING = {"web": "Ctrl-C stops", "server": "listening on"}
# What is written for one of its kind: other folders, less time, no network of its own.
LESS = {"match round-robin": " --max-games 1", "match configs/aleago-first.yaml": " --max-games 1"}


@dataclass(frozen=True)
class DocumentedCommand:
    """A line of a block in a page."""

    page: str
    line: str

    def __str__(self) -> str:
        return f"{self.page}: {self.line}"

    @property
    def words(self) -> str:
        """The line from the name of the command on, without the comment."""
        return re.sub(r"\s+# .*", "", self.line).partition("gtp-variants ")[2]


def blocks(page: Path) -> Iterator[tuple[str | None, list[DocumentedCommand]]]:
    name = page.relative_to(ROOT).as_posix()
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        lines = found[2].replace("\\\n", " ").splitlines()
        yield found[1], [DocumentedCommand(name, line.strip()) for line in lines if line.strip()]


def commands_of(page: Path) -> list[DocumentedCommand]:
    return [command for reason, lines in blocks(page) if reason is None for command in lines]


# -- the README ------------------------------------------------------------------------------------------------------


def test_readme_is_short_and_has_a_picture_below_its_first_sentence() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES_OF_README
    assert len(text.split()) < MOST_WORDS_OF_README
    assert [line for line in text.splitlines() if line][2].startswith("![")


def test_python_example_of_the_readme_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    exec(example[1], {})
    expected = re.findall(r"print\(.*\)  # (.*)", example[1])
    assert expected
    assert capsys.readouterr().out.splitlines() == expected


def test_the_readme_has_one_line_that_does_the_job_and_one_that_tests() -> None:
    lines = [line for line in README.read_text(encoding="utf-8").splitlines() if "&&" in line]
    assert len(lines) == 2
    assert "gtp-variants match" in lines[0]
    assert lines[1].endswith("pytest")
    text = README.read_text(encoding="utf-8")
    places = [text.index(part) for part in ("<!-- main line -->", lines[0], "<!-- test line -->", lines[1])]
    assert places == sorted(places)


def test_every_command_of_the_readme_works_from_a_bare_shell() -> None:
    for command in commands_of(README):
        assert re.match(r"(python3 -m venv \.venv|([A-Z_]+=\S+ )?\.venv/bin/)", command.line), command


def test_the_picture_is_drawn_from_the_games_beside_it() -> None:
    spec = importlib.util.spec_from_file_location("draw_welcome", ROOT / "docs" / "draw_welcome.py")
    assert spec is not None
    assert spec.loader is not None
    draw_welcome = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw_welcome)
    assert draw_welcome.PICTURE.read_text(encoding="utf-8") == draw_welcome.draw(), "python docs/draw_welcome.py"


# -- what can be typed -----------------------------------------------------------------------------------------------


def test_every_command_that_is_named_is_there() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for word in re.findall(r"gtp-variants ([a-z][a-z-]*)\b(?! tells| can| is)", text):
            named = complete_name(word) or word in ("hosts", "from", "authors", "samples")
            assert named, f"{page.name}: gtp-variants {word}"
            assert word not in ALIASES, f"{page.name}: gtp-variants {word} is now {ALIASES[word]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_that_is_not_run_says_why(page: Path) -> None:
    assert all(reason is None or len(reason) > 10 for reason, _ in blocks(page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_stands_in_a_block_that_is_read(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"^ *```console\n|^    +gtp-variants .*", BLOCK.sub("", text), re.MULTILINE)


def test_commands_have_their_documented_options() -> None:
    for page in PAGES:
        inline = re.findall(r"`gtp-variants ([^`]+)`", page.read_text(encoding="utf-8"))
        for line in [*inline, *(command.words for _, lines in blocks(page) for command in lines if command.words)]:
            name = complete_name(line.split()[0].rstrip(",.;"))
            if name is None or " -- " in line:
                continue
            parser = load_command(name).parser()
            assert isinstance(parser, CommandParser)
            for option in re.findall(r"(?<= )--[a-z][a-z-]+", line):
                assert option in parser._option_string_actions, f"{page.name}: {line}"


def test_every_dependency_has_its_reason_and_every_extra_its_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    extras = project["optional-dependencies"]
    assert all(f"`{extra}`" in page for extra in extras)
    for requirement in [*project["dependencies"], *(each for group in extras.values() for each in group)]:
        name = re.split(r"[\[<>=; ]", requirement)[0].lower()
        assert name.removeprefix("types-") in page or name == "gtp-variants", name


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            target, _, heading = link.partition("#")
            if target.startswith("https://"):
                continue
            file = page.parent / target if target else page
            assert file.exists(), f"{page.name}: {link}"
            if heading:
                heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
                assert heading in [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads], link


# -- everything runs -------------------------------------------------------------------------------------------------


class Shell:
    """A bare shell in a folder: no PATH but the system's and, outside the README, an environment with our command."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        path = os.pathsep.join([str(programs), "/usr/local/bin", "/usr/bin", "/bin"])
        state = str(folder / "state")
        self.environment = {"PATH": path, "HOME": str(folder), "XDG_STATE_HOME": state, "LANG": "C.UTF-8"}

    def run(self, line: str, timeout_s: float = 300) -> None:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"

    def serve(self, line: str, ready: str) -> None:
        """Start what serves, see that it is ready, and end it as a person does."""
        with subprocess.Popen(
            ["bash", "-c", f"exec {line}"],
            cwd=self.folder,
            env={**self.environment, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            assert process.stdout is not None
            # Who never says that it is ready is ended, so that the test fails instead of waiting for ever.
            too_late = threading.Timer(120, process.kill)
            too_late.start()
            said = ""
            for heard in process.stdout:
                said += heard
                if ready in heard:
                    break
            process.send_signal(signal.SIGINT)
            said += process.stdout.read()
            too_late.cancel()
            assert (process.wait(60), ready in said) == (0, True), f"{line}\n{said}"


def run_command(shell: Shell, command: DocumentedCommand) -> None:
    line = re.sub(r"\s+# .*", "", command.line)
    called = complete_name(command.words.split(" ")[0]) if command.words else None
    if called in SERVING and not command.words.startswith("server account"):
        shell.serve(f"{line} --port 0", SERVING[called])
    else:
        shell.run(line + next((more for start, more in LESS.items() if command.words == start), ""))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with our command and Python, as an environment's that is active."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "gtp-variants").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gtp_variants "$@"\n')
    for name in ("python", "python3"):
        (folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for file in folder.iterdir():
        file.chmod(0o755)
    return folder


RUN = [page for page in PAGES if page != README and commands_of(page)]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the commands are those of a POSIX shell")
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_run_one_after_the_other(
    page: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("starlette")
    shell = Shell(tmp_path, programs)
    shell.environment["PYTHONPATH"] = str(ROOT)
    game = gv.load(ROOT / "docs" / "welcome" / "aleago.json")
    (tmp_path / "out").mkdir()
    for name in ("game.json", "game.sgf", "out/game.json"):
        gv.save(game, tmp_path / name)
    (tmp_path / "password.txt").write_text("tulips-1637\n", encoding="utf-8")
    if page.name == "your-bot.md":
        bot = re.search(r"```python\n(import gtp_variants.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        assert bot is not None
        (tmp_path / "centre.py").write_text(bot[1], encoding="utf-8")
    for command in commands_of(page):
        if command.line.startswith("export "):
            name, _, value = command.line.removeprefix("export ").partition("=")
            shell.environment[name] = value
        else:
            run_command(shell, command)


@pytest.mark.slow
@pytest.mark.xdist_group("builds")
@pytest.mark.skipif(os.name != "posix", reason="the commands are those of a POSIX shell")
def test_the_readme_runs_from_top_to_bottom_in_a_clone(tmp_path: Path) -> None:
    """From nothing but a clone and a bare PATH; the test line alone is left to `.ci/run`."""
    clone = tmp_path / "clone"
    listing = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    shell = Shell(clone, Path("/nonexistent"))
    # The compiler would take half of the time; that it is used is what tests/test_packaging.py is about.
    shell.environment["GTP_VARIANTS_PURE"] = "1"
    shell.environment |= {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_"))}
    base = Path(getattr(sys, "_base_executable", sys.executable)).parent
    shell.environment["PATH"] = os.pathsep.join([str(base), "/usr/bin", "/bin"])
    for command in commands_of(README):
        if "pytest" not in command.line:
            run_command(shell, command)
