"""One bridge at a time writes into a folder: two would overwrite each other's games, records and logs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.processes.file_lock import hold_file

_NAME = ".lock"

# Whoever only looks holds the lock for a moment.
_PATIENCE_S = 2.0


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, made if need be, as long as the context lasts; the lock goes with the process, however it ends.

    Raises ConfigError where another bridge holds it, or nobody can.
    """
    with ExitStack() as opened:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_ours = opened.enter_context(hold_file(folder / _NAME, _PATIENCE_S))
        except (OSError, RecordError) as error:
            raise ConfigError([f"outputs.dir: {folder}: cannot be written to: {error}"]) from None
        if not is_ours:
            raise ConfigError([f"outputs.dir: {folder}: another bridge is at work in it"])
        yield


def is_locked(folder: Path) -> bool:
    """Whether a bridge is at work in a folder; none is where nobody can hold its lock."""
    if not (folder / _NAME).exists():
        return False
    try:
        with hold_file(folder / _NAME) as is_ours:
            return not is_ours
    except RecordError:
        return False
