"""Folders of the user's: those in which programs keep files between two runs, and those that a path names by `~`."""

import os
from pathlib import Path

from gtp_variants.errors import NotationError


def user_path(text: str | Path) -> Path:
    """A path that may begin with `~` or `~NAME`. Raises NotationError where that user has no folder."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise NotationError(f"{text}: there is no home folder for {Path(text).parts[0]}") from None


def state_folder() -> Path:
    """Where this user's programs keep what they go on with; it need not be there yet. Raises RuntimeError: no home."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "state") / "gtp-variants"
