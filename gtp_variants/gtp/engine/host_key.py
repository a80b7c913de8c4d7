"""The key that all engine processes of one GUI window share: they throw equal dice and read each other's decoys.

Decoys are false points that GoGui is shown in place of hidden moves. GoGui marks the last move and names it under the
board, whoever may look. So a process that is told to use decoys answers with another point and takes that point for the
real one when it hears it again; so does every process with the same key.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gtp_variants.base.folders import state_folder
from gtp_variants.errors import NotationError

# Programs that only start others: the host is above them.
_WRAPPERS = frozenset(
    "sh bash dash zsh ksh fish csh tcsh busybox env nice ionice nohup setsid stdbuf time timeout script sudo doas su "
    "uv uvx pipx py cmd powershell pwsh gtp-variants xargs".split()
)
_MAX_ANCESTORS = 32
_HAS_PROC = sys.platform.startswith("linux")


def shuffle(key: bytes, turn: int, points: Sequence[int]) -> dict[int, int]:
    """Each point and the one named instead in a turn; whoever lacks the key learns nothing from it."""
    import hmac
    from random import Random

    names = list(points)
    Random(hmac.digest(key, f"veil {turn}".encode(), "sha256")).shuffle(names)
    return dict(zip(points, names, strict=True))


def shared_key(seed: str | None) -> bytes:
    """Return the key that all processes of one window know and nobody else: their seed, or the host's."""
    return host_key() if seed is None else seed.encode("utf-8", "surrogateescape")


def host_key() -> bytes:
    """The key from GTP_VARIANTS_HOST, else from the user's random file and the identity of the host's process."""
    told = os.environ.get("GTP_VARIANTS_HOST")
    if told is not None:
        return b"host " + told.encode("utf-8", "surrogateescape")
    return _user_key() + _host_identity().encode()


def _user_key() -> bytes:
    """32 random bytes that stay the same for this user; none where no file can be kept."""
    try:
        folder = state_folder()
        path = folder / "host-key"
        with suppress(OSError):
            return _read_key(path)
        folder.mkdir(parents=True, exist_ok=True)
        # Several processes of a new user may come here at once: each writes its own file, the first link wins.
        own = folder / f"host-key.{os.getpid()}"
        own.touch(mode=0o600)
        own.write_bytes(os.urandom(32))
        try:
            os.link(own, path)
        except OSError:
            if not path.exists():
                own.replace(path)
        own.unlink(missing_ok=True)
        return _read_key(path)
    except (OSError, NotationError):
        return b""


def _read_key(path: Path) -> bytes:
    return path.read_bytes()[:64]


def _host_identity() -> str:
    """Process number and start time of the nearest ancestor that is no shell or wrapper."""
    pid = os.getppid()
    for _ in range(_MAX_ANCESTORS):
        facts = _facts(pid)
        if facts is None:
            return str(pid)
        name, parent, started = facts
        if name not in _WRAPPERS or parent <= 1:
            return f"{pid} {started}"
        pid = parent
    return str(pid)


def _facts(pid: int) -> tuple[str, int, str] | None:
    """Name, parent and start time of a process, None where the system does not tell."""
    # On Linux read directly: the start time in clock ticks never changes, while one made from the time of day may.
    return _facts_of_proc(pid) if _HAS_PROC else _facts_of_system(pid)


def _facts_of_system(pid: int) -> tuple[str, int, str] | None:
    import psutil

    try:
        process = psutil.Process(pid)
        name = process.name().lower().removesuffix(".exe")
        if os.name == "nt" and name.startswith("python"):
            # The python of a virtual environment only starts the real one.
            name = "py"
        return name, process.ppid(), str(process.create_time())
    except psutil.Error:
        return None


def _facts_of_proc(pid: int) -> tuple[str, int, str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name stands in brackets and may hold blanks and brackets itself; the fields after it are counted from its end.
    name = text[text.index("(") + 1 : text.rindex(")")]
    fields = text[text.rindex(")") + 2 :].split()
    return name, int(fields[1]), fields[19]
