"""Walls around the programs and bots of other people, so that they reach neither the referee nor the user's files.

A wall is made by bubblewrap. It gives a player namespaces of its own: the player sees no other process, no network and
only the folders that it may read, and neither do its children. The program prlimit bounds memory, processes and files.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gtp_variants.errors import ConfigError

BUBBLEWRAP, NONE = KINDS = "bubblewrap", "none"
# The environment variable that chooses the kind, so that `none` plays without a wall.
VARIABLE = "GTP_VARIANTS_WALL"
SYSTEM_FOLDERS = tuple(
    Path(f"/{name}") for name in "usr bin sbin lib lib32 lib64 libx32 etc opt nix sys run/systemd/resolve".split()
)
# Beginnings of the names of graphics cards in /dev.
_GPUS = ("nvidia", "dri", "kfd")
# Bytes of a file, and of all files in each private folder in memory. Below: the number of threads of the user.
_FILE_BYTES = 2**30
_PROCESSES = 4096
_LONGEST_PATH = 4096
_PACKAGE = Path(__file__).resolve().parents[2]


def wall_kind() -> str:
    """Return the kind of wall on this system, or the one that GTP_VARIANTS_WALL names. Raises ConfigError."""
    told = os.environ.get(VARIABLE, "")
    if told and told not in KINDS:
        raise ConfigError([f"{VARIABLE}={told[:40]}: expected {' or '.join(KINDS)}"])
    return told or (BUBBLEWRAP if _works() else NONE)


@lru_cache
def _works() -> bool:
    """Return True if a wall can be built: a container may forbid namespaces, so it is tried out."""
    if sys.platform != "linux" or not all(map(shutil.which, ("bwrap", "prlimit"))):
        return False
    # Without a time limit: a busy machine must not lead to no wall.
    return not subprocess.run(WALL.build(["true"], Path("/"), os.environ), capture_output=True, check=False).returncode


@dataclass(frozen=True, slots=True)
class Wall:
    """The openings in the wall around one player.

    A player can read the system's programs, this package, its own program and the files and folders that its command
    names, with the folders of these files. It can write only into a private temporary folder, and into `paths`. With
    `network` it can talk to other computers. It sees nothing of the `hidden` folders, and `readable` are further places
    to read.
    """

    paths: tuple[Path, ...] = ()
    network: bool = False
    readable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    def enclose(self, command: Sequence[str], folder: Path | None, environment: Mapping[str, str]) -> list[str]:
        """Return the command that starts `command` behind the wall, or `command` itself if walls do not work.

        Raises FileNotFoundError if its program does not exist.
        """
        if wall_kind() == NONE:
            return list(command)
        folder = (folder or Path()).absolute()
        if not _find_program(command[0], folder, environment).exists():
            raise FileNotFoundError(command[0])
        return self.build(command, folder, environment)

    def build(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> list[str]:
        """Return the command that builds the wall and starts a command behind it."""
        binds = [("--ro-bind-try", each) for each in SYSTEM_FOLDERS]
        binds += [("--dev-bind-try", each) for each in Path("/dev").iterdir() if each.name.startswith(_GPUS)]
        binds += [("--ro-bind", each) for each in self.open_to(command, folder, environment)]
        binds += [("--tmpfs", each) for each in self.hidden if each.is_dir()]
        binds += [("--bind", each) for each in self.paths if each.exists()]
        words = [*_limits(), "bwrap", *(f"--unshare-{kind}" for kind in ("user", "pid", "ipc", "uts", "cgroup-try"))]
        words += [] if self.network else ["--unshare-net"]
        words += ["--proc", "/proc", "--dev", "/dev"]
        home = Path(environment.get("HOME", "/"))
        has_home = home.is_absolute() and str(home.resolve()) not in ("/", "/tmp")
        binds = [*(("--tmpfs", Path(each)) for each in ("/dev/shm", "/tmp", *[str(home)] * has_home)), *binds]
        for option, place in binds:
            is_new = option == "--tmpfs"
            words += ["--size", str(_FILE_BYTES), option, str(place)] if is_new else [option, str(place), str(place)]
        return [*words, "--chdir", str(folder), "--", *command]

    def open_to(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> list[Path]:
        """Return the places that a command can read, besides those of the system, the outer ones first."""
        ours = [_PACKAGE, *(_PACKAGE.parent / name for name in ("bots", "configs", "docs"))]
        ours += [Path(sys.prefix), Path(sys.base_prefix), *map(Path, sys.path)]
        program = _find_program(command[0], folder, environment)
        named = [*_around_program(program, environment), *around_words(command[1:], folder), folder]
        found = [each.absolute() for each in (*ours, *named, *self.readable)]
        opened: list[Path] = []
        for each in sorted(set(found)):
            # A folder opens everything in it.
            if each.exists() and not is_broad(each) and not any(outer in each.parents for outer in opened):
                opened.append(each)
        return opened


def _limits() -> list[str]:
    """Return the words that limit a program. A limit that is lower already stays."""
    import resource

    words, most = ["prlimit"], {"core": 0, "fsize": _FILE_BYTES, "nproc": _PROCESSES}
    most["data"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name, size in most.items():
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
        words.append(f"--{name}={size if hard == resource.RLIM_INFINITY else min(hard, size)}")
    return [*words, "--"]


# A wall without openings.
WALL = Wall()


def is_broad(folder: Path) -> bool:
    """Return True if a folder holds much that is no player's business, such as a home folder."""
    home = Path(os.environ.get("HOME", "/"))
    private = ("/tmp", "/var/tmp", "/run", "/proc", "/dev")
    return folder in (*home.parents, home, home / ".local", *map(Path, private))


def around_words(words: Iterable[str], folder: Path) -> Iterator[Path]:
    """Yield the files and folders that words name, alone, after `=` or before `:`, and the folders of these files."""
    for text in (part for word in words for part in (word, word.partition("=")[2], word.rpartition(":")[0])):
        place = folder / text
        if text and "\0" not in text and len(str(place)) < _LONGEST_PATH and os.path.lexists(place):
            yield from _with_folder(place)


def _find_program(word: str, folder: Path, environment: Mapping[str, str]) -> Path:
    found = None if os.sep in word else shutil.which(word, path=environment.get("PATH"))
    return Path(found) if found else folder / word


def _with_folder(place: Path) -> Iterator[Path]:
    for each in (place, place.resolve()):
        yield each
        if each.is_file():
            yield each.parent


def _around_program(program: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield a program, the folders that the links to it lie in, their installations, and its interpreter."""
    for _ in range(10):
        yield from _with_folder(program)
        if program.parent.name == "bin":
            yield program.parent.parent
        if not program.is_symlink():
            break
        program = program.parent / program.readlink()
    try:
        with program.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    for word in words[:2]:
        if (found := shutil.which(word, path=environment.get("PATH"))) and found != str(program):
            yield from _around_program(Path(found), environment)
