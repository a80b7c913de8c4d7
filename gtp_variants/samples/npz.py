"""Files of NumPy's `.npz`, whatever is damaged in them."""

import lzma
import tokenize
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile

# How a file fails that is cut short or damaged: as a file, an archive, packed data, the header of an array, an array.
_DAMAGED = (
    OSError,
    ArithmeticError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    tokenize.TokenError,
    zlib.error,
)


@contextmanager
def open_npz(path: Path) -> Iterator[NpzFile]:
    """The arrays of a file by name, each read when it is asked for.

    Raises OSError where it cannot be opened, ValueError for what is damaged, also for an array that is not there.
    """
    with path.open("rb") as opened:
        try:
            with np.load(opened, allow_pickle=False) as arrays:
                yield arrays
        except _DAMAGED as error:
            raise ValueError(str(error) or type(error).__name__) from error
