"""Writing the samples of a game to files, and reading them back; `docs/samples.md` describes the formats."""

import io
import json
import lzma
import tokenize
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from gtp_variants.ai.samples.formats import FORMATS, KIND, SHARED, VERSION, describe_missing
from gtp_variants.ai.samples.game_samples import COLUMNS, Columns, GameSamples, row_shape
from gtp_variants.base.folders import open_file
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError, RecordError

# The description in an open file, and a function that reads its columns.
_Contents = tuple[Json, Callable[[], Columns]]
# Errors raised for a truncated or damaged file: by the file, archive, compressed data, array header or array.
_DAMAGED: tuple[type[Exception], ...] = (
    *(OSError, ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, RuntimeError, SyntaxError),
    *(TypeError, ValueError, BadZipFile, lzma.LZMAError, tokenize.TokenError, zlib.error),
)
# Bytes of a file's arrays. The games of an iteration of a training take a tenth of this.
_MOST_UNPACKED = 2**29
# The name under which `about` is stored beside the columns.
_ABOUT = "about"


@contextmanager
def open_npz(path: Path) -> Iterator[NpzFile]:
    """Open a file of arrays, each read on access. Raises OSError, or ValueError for damaged, missing or huge ones."""
    with open_file(path) as opened:
        try:
            with np.load(opened, allow_pickle=False) as arrays:
                size = sum(each.file_size for each in arrays.zip.infolist())
                if size > _MOST_UNPACKED:
                    raise ValueError(f"expected at most {_MOST_UNPACKED} bytes when unpacked, got {size}")
                yield arrays
        except _DAMAGED as error:
            raise ValueError(str(error) or type(error).__name__) from error


def write_samples(samples: GameSamples, form: str) -> bytes:
    """Return samples as the bytes of a file. Raises ConfigError for an unknown format or a missing package."""
    _check_format(form)
    return _WRITERS[form](samples)


def read_samples(path: Path) -> GameSamples:
    """Return the samples in a file, whose suffix gives the format.

    Raises RecordError, naming the file, unless it is complete and of this version; OSError if it cannot be opened;
    ConfigError if a package is missing.
    """
    with _open_file(path) as (about, read_columns):
        samples = GameSamples(about, read_columns())
        _expect_whole(samples)
    return samples


def read_about(path: Path) -> Json:
    """Return the description in a file, without reading its columns. Raises the same errors as `read_samples`."""
    with _open_file(path) as (about, _):
        return about


@contextmanager
def _open_file(path: Path) -> Iterator[_Contents]:
    form = path.suffix.removeprefix(".")
    _check_format(form)
    try:
        with _OPENERS[form](path) as (about, read_columns):
            _expect_version(about)
            yield about, read_columns
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None


def _expect_version(about: object) -> None:
    if not isinstance(about, dict) or about.get("kind") != KIND:
        raise RecordError(f"expected a file of {KIND}")
    if about.get("version") != VERSION:
        raise RecordError(f"version: expected {VERSION}, got {str(about.get('version'))[:20]}")
    missing = [key for key in (*SHARED, "rows", "game") if key not in about]
    if missing:
        raise RecordError(f"description: missing {', '.join(missing)}")


def _expect_whole(samples: GameSamples) -> None:
    """Raise RecordError unless every column is there, with its type and the right number of rows."""
    rows = samples.about["rows"]
    for name, column in samples.columns.items():
        wanted = np.dtype(COLUMNS[name].kind)
        if column.dtype.kind != wanted.kind or (wanted.kind != "U" and column.dtype != wanted):
            raise RecordError(f"{name}: expected {wanted}, got {column.dtype}")
        if len(column) != rows:
            raise RecordError(f"{name}: expected {rows} rows, got {len(column)}")
    missing = [name for name in COLUMNS if name not in samples.columns and name != "news"]
    if missing:
        raise RecordError(f"columns: missing {', '.join(missing)}")


def _write_npz(samples: GameSamples) -> bytes:
    out = io.BytesIO()
    about = np.array(json.dumps(samples.about, ensure_ascii=False))
    np.savez_compressed(out, allow_pickle=False, **{_ABOUT: about}, **samples.columns)
    return out.getvalue()


@contextmanager
def _open_npz_samples(path: Path) -> Iterator[_Contents]:
    with open_npz(path) as arrays:
        yield json.loads(str(arrays[_ABOUT])), lambda: {name: arrays[name] for name in arrays if name in COLUMNS}


def _write_jsonl(samples: GameSamples) -> bytes:
    lines = [samples.about]
    # JSON has no NaN, so write null.
    columns = {
        name: np.where(np.isnan(column), None, column).tolist() if column.dtype.kind == "f" else column.tolist()  # type: ignore[call-overload]
        for name, column in samples.columns.items()
    }
    lines += [{name: column[row] for name, column in columns.items()} for row in range(samples.about["rows"])]
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines).encode()


@contextmanager
def _open_jsonl(path: Path) -> Iterator[_Contents]:
    with path.open(encoding="utf-8") as file:
        about = json.loads(next(file, ""))
        yield about, lambda: _columns_of_rows([json.loads(line) for line in file], about)


def _columns_of_rows(rows: Sequence[Json], about: Json) -> Columns:
    names = [name for name in COLUMNS if not rows or name in rows[0]]
    return {
        name: np.array([row[name] for row in rows], COLUMNS[name].kind).reshape(len(rows), *row_shape(name, about))
        for name in names
    }


def _write_parquet(samples: GameSamples) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    def to_arrow(column: NDArray[np.generic]) -> pa.Array:
        if column.ndim == 1:
            return pa.array(column.tolist() if column.dtype.kind == "U" else column)
        flat = column.reshape(-1)
        return pa.FixedSizeListArray.from_arrays(pa.array(flat), int(np.prod(column.shape[1:])))

    table = pa.table({name: to_arrow(column) for name, column in samples.columns.items()})
    out = io.BytesIO()
    about = json.dumps(samples.about, ensure_ascii=False).encode()
    parquet.write_table(table.replace_schema_metadata({_ABOUT.encode(): about}), out, compression="zstd")
    return out.getvalue()


@contextmanager
def _open_parquet(path: Path) -> Iterator[_Contents]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    def read_columns() -> Columns:
        table = file.read()
        return {name: to_numpy(name, table.column(name)) for name in table.column_names if name in COLUMNS}

    def to_numpy(name: str, chunks: pa.ChunkedArray) -> NDArray[np.generic]:
        column = chunks.combine_chunks()
        flat = column.flatten() if pa.types.is_fixed_size_list(column.type) else column
        numbers = flat.to_pylist() if name == "news" else flat.to_numpy(zero_copy_only=False)
        found = np.array(numbers, COLUMNS[name].kind)
        return found.reshape(len(column), *row_shape(name, about))

    with path.open("rb") as opened:
        try:
            file = parquet.ParquetFile(opened)
            about = json.loads((file.schema_arrow.metadata or {}).get(_ABOUT.encode(), b"null"))
            yield about, read_columns
        except (pa.ArrowException, OSError) as error:
            raise RecordError(f"cannot be read: {error}") from None


_WRITERS = {"npz": _write_npz, "jsonl": _write_jsonl, "parquet": _write_parquet}
_OPENERS = {"npz": _open_npz_samples, "jsonl": _open_jsonl, "parquet": _open_parquet}


def _check_format(form: str) -> None:
    if form not in FORMATS:
        raise ConfigError([f"{form[:20]!r}: expected a format of samples, {', '.join(FORMATS)}"])
    missing = describe_missing(form)
    if missing:
        raise ConfigError([missing])
