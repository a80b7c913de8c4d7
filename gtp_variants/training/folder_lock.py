"""The lock on a training folder, which keeps two trainings from writing into it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.errors import ConfigError
from gtp_variants.records.files import write

_LOCK = ".lock"
# Holds the process number of the lock's holder.
_HOLDER = ".lock.pid"


@contextmanager
def lock_training_folder(folder: Path) -> Iterator[None]:
    """Lock a folder, made if need be, for the context or until the process ends. Remove it if it stays empty.

    Raises ConfigError if another process trains in the folder, RecordError if it cannot be locked.
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    holder = folder / _HOLDER
    with hold_file(folder / _LOCK) as is_ours:
        if not is_ours:
            number = f" {holder.read_text()}" if holder.exists() else ""
            raise ConfigError([f"{folder}: process{number} trains in it"])
        write(holder, str(os.getpid()).encode())
        try:
            yield
        finally:
            holder.unlink(missing_ok=True)
            # The lock file has a journal beside it.
            if is_new and folder.exists() and all(each.name.startswith(_LOCK) for each in folder.iterdir()):
                shutil.rmtree(folder)
