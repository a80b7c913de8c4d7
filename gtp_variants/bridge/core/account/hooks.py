"""Commands that are run when something happened: the user's own, told the facts by their environment."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping, Sequence

from gtp_variants.gtp.client.peer import is_secret

# How long a command may take.
LIMIT_S = 60.0
_PREFIX = "GTP_VARIANTS_"


async def run(command: Sequence[str], facts: Mapping[str, str], log: Callable[[str], None]) -> None:
    """Run a command to its end, at most a minute; what goes wrong is noted and harms nobody.

    It is told each fact as GTP_VARIANTS_NAME, and no variable that looks like a password.
    """
    environment = {name: value for name, value in os.environ.items() if not is_secret(name)}
    environment |= {_PREFIX + name: value for name, value in facts.items()}
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
        )
    except (OSError, ValueError) as error:
        log(f"hook {command[0]}: cannot be started: {error}")
        return
    try:
        async with asyncio.timeout(LIMIT_S):
            status = await process.wait()
    except (TimeoutError, asyncio.CancelledError):
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        log(f"hook {command[0]}: ended after {LIMIT_S:.0f} s")
        return
    if status:
        log(f"hook {command[0]}: exit status {status}")
