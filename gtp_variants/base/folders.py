"""The user's folders: the folder for files kept between runs, and paths that begin with `~`."""

import os
from pathlib import Path

from gtp_variants.errors import NotationError


def user_path(text: str | Path) -> Path:
    """Return a path that may begin with `~` or `~NAME`. Raises NotationError if that user has no home folder."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise NotationError(f"{text}: there is no home folder for {Path(text).parts[0]}") from None


def state_folder() -> Path:
    """Return the folder for this user's state, which may not exist. Raises NotationError if the user has no home."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".local" / "state") / "gtp-variants"
    except RuntimeError:
        raise NotationError("no home folder found; set XDG_STATE_HOME to a folder for saved files") from None
