"""Our commands run as processes, in this Python and on this checkout's modules."""

import os
import subprocess
import sys

COMMAND = (sys.executable, "-m", "gtp_variants")


def environment(**more: str) -> dict[str, str]:
    """What a process of ours needs, whichever folder it runs in."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


def run(*arguments: str, sent: bytes = b"", timeout_s: float = 60, **more: str) -> subprocess.CompletedProcess[bytes]:
    """A command that is sent this and whose input ends then; `more` goes into its environment."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=sent,
        capture_output=True,
        timeout=timeout_s,
        check=False,
        env=environment(**more),
    )
