"""The user's folders, paths that begin with `~`, and files that come from elsewhere."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from gtp_variants.errors import NotationError


def user_path(text: str | Path) -> Path:
    """Return a path that may begin with `~` or `~NAME`. Raises NotationError if that user has no home folder."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise NotationError(f"{text}: there is no home folder for {Path(text).parts[0]}") from None


def open_file(path: Path) -> BinaryIO:
    """Open a file to read it. Raises OSError, also for a pipe or a device, which might never end or never begin."""
    # Open without blocking, because opening a pipe would otherwise wait for its writer.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "expected a file, got a pipe or a device", str(path))
    return os.fdopen(handle, "rb")


def state_folder() -> Path:
    """Return the folder for this user's state, which may not exist. Raises NotationError if the user has no home."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".local" / "state") / "gtp-variants"
    except RuntimeError:
        raise NotationError("no home folder found; set XDG_STATE_HOME to a folder for saved files") from None
