"""Walls around the programs and bots of other people, so that they reach neither the referee nor the user's files.

Bubblewrap gives a player namespaces of its own: the player sees no other process, no network and only the folders that
it may read, and neither do its children. Where it is missing, Landlock and seccomp forbid what they cannot hide, and
processes and files are counted: see `landlock.cpp`, which also forbids sockets that no namespace holds back. The
program prlimit sets further bounds. On macOS the wall is a profile of sandbox-exec. On Windows there are only bounds:
see `job_object.py`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.errors import ConfigError

# The best comes first.
KINDS = "bubblewrap", "landlock", "sandbox-exec", "job-object", "none"
BUBBLEWRAP, LANDLOCK, SANDBOX_EXEC, JOB_OBJECT, NONE = KINDS
# Kinds that leave all files of the user open.
OPEN = JOB_OBJECT, NONE
# The environment variable that chooses the kind, so that `none` plays without a wall.
VARIABLE = "GTP_VARIANTS_WALL"
# Not the whole of /nix and /run/systemd/resolve: services listen there that talk to other computers for anybody.
_SYSTEM = "usr bin sbin lib lib32 lib64 libx32 etc opt sys nix/store nix/var/nix/profiles"
_RESOLVER = "run/systemd/resolve/resolv.conf run/systemd/resolve/stub-resolv.conf"
SYSTEM_FOLDERS = tuple(Path(f"/{name}") for name in f"{_SYSTEM} {_RESOLVER}".split())
# The graphics cards.
_GPUS = tuple(each for name in ("nvidia*", "dri", "kfd") for each in Path("/dev").glob(name))
# Maximum bytes of a file and of each private folder in memory. Below: the maximum number of processes.
_FILE_BYTES = 2**30
_PROCESSES = 4096
_LONGEST_PATH = 4096
_PACKAGE = Path(__file__).resolve().parents[2]
_FILES = "landlock", "wall.sh", "wall.sb", "job_object.py"
_LANDLOCK, _SANDBOX, _PROFILE, _JOB = map(Path(__file__).with_name, _FILES)
# The system of each kind of wall, and the programs that build it.
_NEEDS = {
    BUBBLEWRAP: ("linux", "bwrap", "prlimit"),
    LANDLOCK: ("linux", "prlimit"),
    SANDBOX_EXEC: ("darwin", "sandbox-exec"),
    JOB_OBJECT: ("win32",),
}
_DEVICES = tuple(Path(f"/dev/{name}") for name in ("null", "zero", "full", "random", "urandom"))


def wall_kind() -> str:
    """Return the kind of wall that GTP_VARIANTS_WALL names, or else that works. Raises ConfigError if unknown."""
    told = os.environ.get(VARIABLE, "")
    if told and told not in KINDS:
        raise ConfigError([f"{VARIABLE}={told[:40]}: expected {', '.join(KINDS[:-1])} or {NONE}"])
    return told or next(filter(_works, KINDS[:-1]), NONE)


@lru_cache
def _landlock_program() -> str:
    """Return the compiled program that builds a wall by Landlock, or "" if it was not built."""
    # An engine starts faster without this import.
    from gtp_variants.base.installation import find_installed

    found = _LANDLOCK if _LANDLOCK.exists() else find_installed([_LANDLOCK.relative_to(_PACKAGE.parent).as_posix()])
    return str(found or "")


@lru_cache
def _works(kind: str) -> bool:
    """Return True if a wall can be built: a container may forbid namespaces, so it is tried out."""
    system, *programs = _NEEDS[kind]
    if sys.platform != system or not all(map(shutil.which, programs)) or (kind == LANDLOCK and not _landlock_program()):
        return False
    # Set no time limit, because a busy machine might exceed it although it can build a wall.
    nothing = ["cmd", "/c", "exit"] if kind == JOB_OBJECT else ["true"]
    command = WALL.build(nothing, Path("/"), os.environ, kind)
    return not subprocess.run(command, capture_output=True, check=False, start_new_session=True).returncode


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
        if (kind := wall_kind()) == NONE:
            return list(command)
        folder = (folder or Path()).absolute()
        if not _find_program(command[0], folder, environment).exists():
            raise FileNotFoundError(command[0])
        return self.build(command, folder, environment, kind)

    def build(self, command: Sequence[str], folder: Path, environment: Mapping[str, str], kind: str) -> list[str]:
        """Return the command that builds a kind of wall and starts a command behind it."""
        if kind == JOB_OBJECT:
            return [sys.executable, "-I", "-S", str(_JOB), str(_PROCESSES), *command]
        opened = self.open_to(command, folder, environment)
        if kind == SANDBOX_EXEC:
            return ["sh", str(_SANDBOX), self._profile(opened), *command]
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        most = _limit({"core": 0, "fsize": _FILE_BYTES, "data": memory})
        if kind == LANDLOCK:
            return [*most, *self._landlock(opened), *command]
        # Within the namespace only the player's own processes count: it cannot use up those of the other players.
        within = _limit({"nproc": _PROCESSES})
        within += [program, "families", "--"] if (program := _landlock_program()) else []
        return [*most, *self._bubblewrap(opened, folder, environment), *within, *command]

    def _hidden(self) -> list[Path]:
        return [each.resolve() for each in (*self.hidden, *SECRET_PLACES) if each.exists()]

    def _bubblewrap(self, opened: Sequence[Path], folder: Path, environment: Mapping[str, str]) -> list[str]:
        binds = [("--ro-bind-try", each) for each in SYSTEM_FOLDERS]
        binds += [("--dev-bind-try", each) for each in _GPUS]
        binds += [("--ro-bind", each) for each in opened]
        hidden = self._hidden()
        binds += [("--tmpfs", each) for each in hidden if each.is_dir()]
        binds += [("--bind", each) for each in self.paths if each.exists()]
        words = ["bwrap", *(f"--unshare-{kind}" for kind in ("user", "pid", "ipc", "uts", "cgroup-try"))]
        words += [] if self.network else ["--unshare-net"]
        words += ["--proc", "/proc", "--dev", "/dev"]
        home = Path(environment.get("HOME", "/"))
        has_home = home.is_absolute() and str(home.resolve()) not in ("/", "/tmp")
        binds = [*(("--tmpfs", Path(each)) for each in ("/dev/shm", "/tmp", *[str(home)] * has_home)), *binds]
        for option, place in binds:
            is_new = option == "--tmpfs"
            words += ["--size", str(_FILE_BYTES), option, str(place)] if is_new else [option, str(place), str(place)]
        for place in hidden:
            words += [] if place.is_dir() else ["--ro-bind", "/dev/null", str(place)]
        return [*words, "--chdir", str(folder), "--"]

    def _landlock(self, opened: Sequence[Path]) -> list[str]:
        hidden = set(self._hidden())
        listed, read = [], [*SYSTEM_FOLDERS, *(each for each in Path("/proc").iterdir() if not each.name.isdigit())]
        waiting = [each.resolve() for each in opened]
        while waiting:
            # Landlock cannot close a place within an open folder, so the places beside it are opened instead.
            place = waiting.pop()
            if any(place in each.parents for each in hidden):
                listed.append(place)
                waiting += place.iterdir()
            elif hidden.isdisjoint((place, *place.parents)):
                read.append(place)
        places = {"read": read, "write": (*self.paths, *_DEVICES, *_GPUS), "list": listed}
        words = [f"{right}={each}" for right in places for each in places[right]]
        return [_landlock_program(), *words, *["network=1"] * self.network, f"temporary={tempfile.gettempdir()}", "--"]

    def _profile(self, opened: Sequence[Path]) -> str:
        """Return the profile of sandbox-exec. Of several lines that fit, the last one counts."""
        rules = [("allow", "file-read*", each) for each in opened]
        rules += [("deny", "file-read* file-write*", each) for each in self._hidden()]
        rules += [("allow", "file-read* file-write*", each) for each in self.paths]
        lines = [f"({does} {what} (subpath {json.dumps(str(each.resolve()))}))" for does, what, each in rules]
        lines += [] if self.network else ["(deny network*)"]
        return "\n".join([_PROFILE.read_text(encoding="utf-8").rstrip(), *lines])

    def open_to(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> list[Path]:
        """Return the files and folders that a command can read besides the system's, outer folders first."""
        ours = [_PACKAGE, *(_PACKAGE.parent / name for name in ("bots", "configs", "docs"))]
        ours += [Path(sys.prefix), Path(sys.base_prefix), Path(_landlock_program() or sys.prefix), *map(Path, sys.path)]
        program = _find_program(command[0], folder, environment)
        named = [*_around_program(program, environment), *around_words(command[1:], folder), folder]
        found = [each.absolute() for each in (*ours, *named, *self.readable)]
        opened: list[Path] = []
        for each in sorted(set(found)):
            # Skip what is in a folder that is open already.
            if each.exists() and not is_broad(each) and not any(outer in each.parents for outer in opened):
                opened.append(each)
        return opened


def _limit(most: Mapping[str, int]) -> list[str]:
    """Return the words that start a command with limits. A limit that is already lower is kept."""
    import resource

    words = [str(Path(shutil.which("prlimit") or "prlimit").resolve())]
    for name, size in most.items():
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
        words.append(f"--{name}={size if hard == resource.RLIM_INFINITY else min(hard, size)}")
    return [*words, "--"]


# A wall without openings.
WALL = Wall()


def is_broad(folder: Path) -> bool:
    """Return True if a folder, such as a home folder, holds much that no player should read."""
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
    # On Windows a path may lack its ".exe".
    found = shutil.which(word if Path(word).name == word else str(folder / word), path=environment.get("PATH"))
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
