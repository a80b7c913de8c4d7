"""The programs that can host our engine: commands to start host and engine, and the hosts' paths and settings files."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError
from gtp_variants.lang import RequestRefused, load


def _run(command: Sequence[str], sent: bytes, folder: Path | None, timeout_s: float) -> "Done":
    # Run in `folder`, if given, because an engine must start in whatever folder a host runs it.
    try:
        done = subprocess.run(command, input=sent, capture_output=True, cwd=folder, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        return Done(None, b"", b"")
    except OSError as error:
        return Done(None, b"", str(error).encode())
    return Done(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True, slots=True)
class Done:
    """The result of running a program. `status` is None if the program could not start or did not end in time."""

    status: int | None
    said: bytes
    complained: bytes


@dataclass(frozen=True, slots=True)
class Computer:
    """The facts about this computer, which tests can replace."""

    platform: str = sys.platform
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    home: Path = field(default_factory=Path.home)
    python: str = sys.executable
    version: tuple[int, ...] = sys.version_info[:3]
    find: Callable[[str], str | None] = shutil.which
    is_there: Callable[[Path], bool] = Path.exists
    run: Callable[[Sequence[str], bytes, Path | None, float], Done] = _run


def our_command(computer: Computer) -> list[str]:
    """Return the command that starts `gtp-variants` from any folder."""
    name = "gtp-variants.exe" if computer.platform == "win32" else "gtp-variants"
    # Do not resolve the link, because the Python that it points to does not know the virtual environment.
    program = Path(computer.python).absolute().parent / name
    if computer.is_there(program):
        return [str(program)]
    return [str(Path(computer.python).absolute()), "-m", "gtp_variants"]


def gogui_command(computer: Computer) -> list[str]:
    """Return the command that starts GoGui. Raises RequestRefused if GoGui or its Java is missing."""
    told = computer.environment.get("GOGUI")
    if told and not computer.is_there(Path(told)):
        raise RequestRefused("hosts.no_gogui_file", place=told)
    place = told or HOSTS["gogui"].find_program(computer)
    if not place:
        raise RequestRefused("hosts.no_gogui", page=HOSTS["gogui"].page)
    if place.endswith(".app"):
        return ["open", "-n", "-W", "-a", place, "--args"]
    if not place.endswith(".jar"):
        return [place]
    java = computer.find("java")
    if java is None:
        raise RequestRefused("hosts.no_java", place=place)
    return [java, "-jar", place]


def for_gogui(words: Sequence[str]) -> str:
    """Return a command quoted as GoGui and LizzieYzy read it. Raises ConfigError for a word that they would misread."""
    return " ".join(_quoted_for_gogui(word) for word in words)


def _quoted_for_gogui(word: str) -> str:
    if '"' in word or "%SRAND" in word:
        raise ConfigError([f"{word[:60]}: GoGui cannot pass on a word with a double quote or %SRAND in it"])
    # GoGui passes an apostrophe on unchanged, but LizzieYzy quotes with it, so such a word is quoted.
    if word and not any(letter.isspace() or letter == "'" for letter in word):
        return word
    if word.endswith("\\"):
        raise ConfigError([f"{word[:60]}: GoGui cannot pass on a word with blanks that ends with a backslash"])
    return f'"{word}"'


def for_shell(words: Sequence[str], platform: str) -> str:
    """Return a command to paste into a shell on this platform."""
    return subprocess.list2cmdline(words) if platform == "win32" else shlex.join(words)


# -- hosts and their settings ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HostProgram:
    """A program with a window that can host our engine, as `hosts.toml` describes it.

    `starts` are our command and its options, and `with_dice` more options for a game with dice. `quoting` is the way in
    which the host splits a command into words. By platform, `programs` lists the program's usual paths, and `settings`
    has the path of its settings file below the home folder. `format` is "json" or "lines". In JSON, the keys in `place`
    lead to our `entry`.
    """

    title: str
    page: str
    plays_go_only: bool = True
    starts: Sequence[str] = ("gtp",)
    with_dice: Sequence[str] = ()
    quoting: str = "shell"
    programs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    format: str = "json"
    place: Sequence[str] = ()
    entry: Json = field(default_factory=dict)

    def find_program(self, computer: Computer) -> str | None:
        """Return the path of the program on a computer, or None if it is neither on the PATH nor at a usual place."""
        on_path = computer.find(self.title.lower()) or computer.find(self.title)
        if on_path:
            return on_path
        names = ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA")
        roots = [computer.environment[name] for name in names if name in computer.environment]
        roots += [f"{root}/Programs" for root in roots]
        if computer.platform != "win32":
            roots = ["", str(computer.home)]
        places = (Path(f"{root}/{place}") for root in roots for place in self.programs.get(computer.platform, ()))
        return next((str(place) for place in places if computer.is_there(place)), None)

    def quote(self, words: Sequence[str], platform: str) -> str:
        """Return words as the host reads them. Raises ConfigError if the host cannot pass on a word."""
        if self.quoting == "gogui":
            return for_gogui(words)
        if self.quoting == "shell":
            return for_shell(words, platform)
        if any(len(word.split()) != 1 for word in words):
            raise ConfigError([f"{self.title} cannot pass on words with blanks: {for_shell(words, platform)}"])
        return " ".join(words)

    def settings_file(self, computer: Computer) -> Path | None:
        """Return the usual path of the settings file on a computer, or None if it is not known."""
        return computer.home / self.settings[computer.platform] if computer.platform in self.settings else None

    def add_entry(self, text: str, entry: Json) -> str:
        """Return the text of a settings file with an entry, and everything else as it was.

        In a list, an entry replaces the entry of the same name; in an object, it sets only its own keys. Raises
        RequestRefused if the text is not in the host's format.
        """
        if self.format == "lines":
            return _add_lines(text, entry)
        try:
            top = {"": json.loads(text or "{}")}
            *above, last = ("", *self.place)
            found = reduce(lambda place, key: place.setdefault(key, {}), above, top)
            if "name" in entry:
                found[last] = [*(each for each in found.get(last, []) if each.get("name") != entry["name"]), entry]
            else:
                found.setdefault(last, {}).update(entry)
        except (ValueError, AttributeError, TypeError, RecursionError) as error:
            raise RequestRefused("hosts.gui_bad_settings", title=self.title, error=error) from None
        return json.dumps(top[""], indent=2, ensure_ascii=False) + "\n"


def _add_lines(text: str, entry: Json) -> str:
    """Return q5Go's lines "KEY [VALUE]" with an engine added or replaced. ENGINE1a is the title of the first engine."""
    titles = dict(re.findall(r"^ENGINE(\d+)a \[(.*)\]$", text, re.MULTILINE))
    number = next((each for each, title in titles.items() if title == entry["a"]), len(titles) + 1)
    kept = [line for line in text.splitlines() if not re.match(rf"ENGINE{number}[a-g] ", line)]
    return "\n".join([*kept, *(f"ENGINE{number}{key} [{value}]" for key, value in entry.items())]) + "\n"


HOSTS = {name: HostProgram(**facts) for name, facts in load(Path(__file__).with_name("hosts.toml")).items()}
