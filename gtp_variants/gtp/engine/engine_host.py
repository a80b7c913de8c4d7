"""The host, the program that started the engine: its needs, and the key that all its engine processes share.

With the same key, the processes of one GUI window throw the same dice and use the same decoys. A decoy is a false point
that GoGui is given in place of a hidden move, because GoGui marks the last move and names it under the board. A process
that uses decoys answers with the false point, and replaces it with the real point when GoGui sends it back.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.base.folders import state_folder
from gtp_variants.errors import NotationError
from gtp_variants.gtp.identity import OURS, Identity

# Bridges to Go servers: kgsGtp asks the engine to answer chat, gtp2ogs posts lines of the log in the chat.
KGS, OGS = "kgs", "ogs"
# Programs that only start other programs, so the host is the engine's first ancestor process not among them.
_WRAPPERS = frozenset(
    "sh bash dash zsh ksh fish csh tcsh busybox env nice ionice nohup setsid stdbuf time timeout script sudo doas su "
    "uv uvx pipx py cmd powershell pwsh gtp-variants xargs".split()
)
_MAX_ANCESTORS = 32
_HAS_PROC = sys.platform.startswith("linux")


@dataclass(frozen=True, slots=True)
class HostQuirks:
    """Switches for the needs of hosts (GUIs, kgsGtp, gtp2ogs) that GTP has no command for.

    `accepts_off_line`  accept a stone off the open line with a warning, because the host shows it anyway
    `logs_news`         log every draw and every announcement of the referee
    `handicap`          number of handicap stones in each new game, in games with handicap
    `uses_decoys`       show decoys in place of moves that the viewer of the screen must not see
    `chat`              the bridge that passes our messages on to people, KGS or OGS; "" for none
    `identity`          the program that the engine claims to be
    """

    accepts_off_line: bool = False
    logs_news: bool = False
    handicap: int = 0
    uses_decoys: bool = False
    chat: str = ""
    identity: Identity = OURS


def shuffle(key: bytes, turn: int, points: Sequence[int]) -> dict[int, int]:
    """Return the decoy of each point in a turn. Without the key, a decoy reveals nothing about its point."""
    import hmac
    from random import Random

    names = list(points)
    Random(hmac.digest(key, f"veil {turn}".encode(), "sha256")).shuffle(names)
    return dict(zip(points, names, strict=True))


def shared_key(seed: str | None) -> bytes:
    """Return the secret key that the processes of one window share: their seed if set, or else the host's key."""
    return host_key() if seed is None else seed.encode("utf-8", "surrogateescape")


def host_key() -> bytes:
    """Return the key from GTP_VARIANTS_HOST if it is set, or else from the user's key file and the host process."""
    told = os.environ.get("GTP_VARIANTS_HOST")
    if told is not None:
        return b"host " + told.encode("utf-8", "surrogateescape")
    return _user_key() + _host_identity().encode()


def _user_key() -> bytes:
    """Return 32 random bytes that stay the same for this user, or b"" if they cannot be stored in a file."""
    try:
        folder = state_folder()
        path = folder / "host-key"
        with suppress(OSError):
            return path.read_bytes()[:64]
        folder.mkdir(parents=True, exist_ok=True)
        # Several processes may make a new user's key at once, so each writes its own file, and the first link wins.
        own = folder / f"host-key.{os.getpid()}"
        own.touch(mode=0o600)
        own.write_bytes(os.urandom(32))
        try:
            os.link(own, path)
        except OSError:
            if not path.exists():
                own.replace(path)
        own.unlink(missing_ok=True)
        return path.read_bytes()[:64]
    except (OSError, NotationError):
        return b""


def _host_identity() -> str:
    """Return the identity of the nearest ancestor process that is not a shell or wrapper."""
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
    """Return the name, parent id and start time of a process, or None if they are unknown."""
    if _HAS_PROC:
        # Do not use psutil's start time, which may change with the clock. The start time in ticks never changes.
        return _facts_of_proc(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        name = process.name().lower().removesuffix(".exe")
        if os.name == "nt" and name.startswith("python"):
            # In a virtual environment, python.exe only starts the real interpreter, so count it as a wrapper.
            name = "py"
        return name, process.ppid(), str(process.create_time())
    except psutil.Error:
        return None


def _facts_of_proc(pid: int) -> tuple[str, int, str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name is in brackets and may itself contain blanks and brackets, so fields are counted from its end.
    name = text[text.index("(") + 1 : text.rindex(")")]
    fields = text[text.rindex(")") + 2 :].split()
    return name, int(fields[1]), fields[19]
