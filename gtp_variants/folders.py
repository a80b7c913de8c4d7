"""Folders of the user's in which programs keep files between two runs."""

import os
from pathlib import Path


def state_folder() -> Path:
    """Where this user's programs keep what they go on with; it need not be there yet. Raises RuntimeError: no home."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "state") / "gtp-variants"
