"""Running our commands as processes, with this Python and this checkout's modules."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = (sys.executable, "-m", "gtp_variants")


def environment(*first: Path, **more: str) -> dict[str, str]:
    """Return the environment that our processes need in any folder, with the variables in `more`.

    Modules are looked for in the folders `first` before any other.
    """
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, first), *filter(None, sys.path)]), **more}


def run(*arguments: str, sent: bytes = b"", timeout_s: float = 60, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command with `sent` as its input and `more` in its environment; return the completed process."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=sent,
        capture_output=True,
        timeout=timeout_s,
        check=False,
        env=environment(**more),
    )
