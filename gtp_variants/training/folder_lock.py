"""One training at a time writes into a folder: two would do all work twice, or overwrite each other's."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.errors import ConfigError
from gtp_variants.records.files import write

_LOCK = ".lock"
# The number of the process that holds the lock.
_HOLDER = ".lock.pid"


@contextmanager
def lock_training_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, made if need be, as long as the context lasts; the lock goes with the process, however it ends.

    A folder that was made for it is gone afterwards if nothing was begun in it. Raises ConfigError where another
    process trains in the folder, RecordError where nobody can hold it.
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
            # The lock has a journal beside it.
            if is_new and folder.exists() and all(each.name.startswith(_LOCK) for each in folder.iterdir()):
                shutil.rmtree(folder)
