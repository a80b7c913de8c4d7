"""Running our commands as processes, with this Python and this checkout's modules."""

import os
import subprocess
import sys

COMMAND = (sys.executable, "-m", "gtp_variants")


def environment(**more: str) -> dict[str, str]:
    """Return the environment that our processes need in any folder, with the variables in `more`."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


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
