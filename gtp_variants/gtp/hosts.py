"""The commands that start our engine and GoGui on this computer, and the paths of other programs."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants.errors import ConfigError
from gtp_variants.lang import RequestRefused

GOGUI_PAGE = "https://github.com/Remi-Coulom/gogui/releases"
SABAKI_PAGE = "https://github.com/SabakiHQ/Sabaki/releases"


def _run(command: Sequence[str], sent: bytes, folder: Path | None, timeout_s: float) -> "Done":
    # An unrelated folder shows whether the engine starts no matter where a host runs it.
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
    # Do not resolve the link: the Python that it points to does not know the virtual environment.
    program = Path(computer.python).absolute().parent / name
    if computer.is_there(program):
        return [str(program)]
    return [str(Path(computer.python).absolute()), "-m", "gtp_variants"]


def gogui_command(computer: Computer) -> list[str]:
    """Return the command that starts GoGui. Raises RequestRefused with the page from which to download it."""
    told = computer.environment.get("GOGUI")
    if told:
        if not computer.is_there(Path(told)):
            raise RequestRefused("hosts.no_gogui_file", place=told)
        return _java_command(computer, Path(told))
    on_path = computer.find("gogui")
    if on_path:
        return [on_path]
    for place in _gogui_places(computer):
        if computer.is_there(place):
            return _java_command(computer, place)
    raise RequestRefused("hosts.no_gogui", page=GOGUI_PAGE)


def _java_command(computer: Computer, place: Path) -> list[str]:
    if place.suffix == ".app":
        return ["open", "-n", "-W", "-a", str(place), "--args"]
    if place.suffix != ".jar":
        return [str(place)]
    java = computer.find("java")
    if java is None:
        raise RequestRefused("hosts.no_java", place=place)
    return [java, "-jar", str(place)]


def _gogui_places(computer: Computer) -> list[Path]:
    if computer.platform == "win32":
        return [folder / "GoGui" / "gogui.exe" for folder in _program_folders(computer)]
    if computer.platform == "darwin":
        return [Path("/Applications/GoGui.app"), computer.home / "Applications" / "GoGui.app"]
    roots = [computer.home / "gogui", computer.home / ".local", Path("/usr/local"), Path("/usr"), Path("/opt/gogui")]
    return [root / rest for root in roots for rest in ("bin/gogui", "lib/gogui.jar", "share/gogui/lib/gogui.jar")]


def sabaki_place(computer: Computer) -> str | None:
    """Return the path of Sabaki, or None if it was not found."""
    on_path = computer.find("sabaki") or computer.find("Sabaki")
    if on_path:
        return on_path
    if computer.platform == "win32":
        places = [folder / "Sabaki" / "Sabaki.exe" for folder in _program_folders(computer)]
    elif computer.platform == "darwin":
        places = [Path("/Applications/Sabaki.app"), computer.home / "Applications" / "Sabaki.app"]
    else:
        places = [Path("/opt/Sabaki/sabaki"), Path("/usr/bin/sabaki"), Path("/snap/bin/sabaki")]
    return next((str(place) for place in places if computer.is_there(place)), None)


def _program_folders(computer: Computer) -> list[Path]:
    names = ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA")
    folders = [Path(computer.environment[name]) for name in names if name in computer.environment]
    return [*folders, *(folder / "Programs" for folder in folders)]


def for_gogui(words: Sequence[str]) -> str:
    """Return a command as GoGui reads it, with quoted words. Raises ConfigError if GoGui cannot pass on a word."""
    return " ".join(_quoted_for_gogui(word) for word in words)


def _quoted_for_gogui(word: str) -> str:
    if '"' in word or "%SRAND" in word:
        raise ConfigError([f"{word[:60]}: GoGui cannot pass on a word with a double quote or %SRAND in it"])
    if word and not any(letter.isspace() for letter in word):
        return word
    if word.endswith("\\"):
        raise ConfigError([f"{word[:60]}: GoGui cannot pass on a word with blanks that ends with a backslash"])
    return f'"{word}"'


def for_shell(words: Sequence[str], platform: str) -> str:
    """Return a command to paste into a shell on this platform."""
    return subprocess.list2cmdline(words) if platform == "win32" else shlex.join(words)
