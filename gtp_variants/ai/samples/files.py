"""Samples of a game as the bytes of a file, and back: NumPy's `.npz`, `.jsonl` for everybody, and `.parquet`.

`docs/samples.md` describes the files for who reads them without this package.

Files of NumPy's `.npz`, whatever is damaged in them.
"""

import io
import json
import lzma
import tokenize
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import DTypeLike, NDArray

from gtp_variants.ai.samples.formats import FORMATS, KIND, SHARED, VERSION, describe_missing
from gtp_variants.ai.samples.game_samples import GameSamples
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError, RecordError

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


# The name under which `about` is kept beside the columns.
_ABOUT = "about"
_TYPES: dict[str, DTypeLike] = {
    "planes": np.uint8,
    "globals": np.float32,
    "mask": np.bool_,
    "to_play": np.int8,
    "index": np.int32,
    "visits": np.int32,
    "values": np.float32,
    "outcomes": np.float32,
    "score": np.float32,
    "move": np.int32,
    "news": np.str_,
}


def write_samples(samples: GameSamples, form: str) -> bytes:
    """The file of a format. Raises ConfigError for one that is not known, or for which something must be installed."""
    return _codec(form).write(samples)


def read_samples(path: Path) -> GameSamples:
    """The samples in a file, by its suffix.

    Raises RecordError, which names the file, for what is no such file, whole and of this version; OSError where it
    cannot be opened; ConfigError where something must be installed.
    """
    codec = _codec(path.suffix.removeprefix("."))
    try:
        samples = codec.read(path)
        _expect_whole(samples)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    return samples


def read_about(path: Path) -> Json:
    """What a file says of itself, without its columns. Raises as `read_samples` does."""
    codec = _codec(path.suffix.removeprefix("."))
    try:
        about = codec.read_about(path)
        _expect_version(about)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    return about


def _expect_version(about: object) -> None:
    if not isinstance(about, dict) or about.get("kind") != KIND:
        raise RecordError(f"no {KIND}")
    if about.get("version") != VERSION:
        raise RecordError(f"{KIND} of version {str(about.get('version'))[:20]}: expected version {VERSION}")
    missing = [key for key in (*SHARED, "rows", "game") if key not in about]
    if missing:
        raise RecordError(f"expected {', '.join(missing)} in what it says of itself, too")


def _expect_whole(samples: GameSamples) -> None:
    """That each column has its type, and a row for each that the file says it has."""
    _expect_version(samples.about)
    rows = samples.about["rows"]
    for name, column in samples.columns.items():
        wanted = np.dtype(_TYPES[name])
        if column.dtype.kind != wanted.kind or (wanted.kind != "U" and column.dtype != wanted):
            raise RecordError(f"{name}: {column.dtype}: expected {wanted}")
        if len(column) != rows:
            raise RecordError(f"{name}: {len(column)} rows: expected {rows}")
    missing = [name for name in _TYPES if name not in samples.columns and name != "news"]
    if missing:
        raise RecordError(f"expected the columns {', '.join(missing)}, too")


def _shape_of(name: str, about: Json) -> tuple[int, ...]:
    """The shape of one row of a column."""
    points, colours = sum(action >= 0 for action in about["actions"]), len(about["colours"])
    of_actions, of_colours = (len(about["actions"]),), (colours,)
    return {
        "planes": (len(about["planes"]), points),
        "globals": (len(about["globals"]),),
        "mask": of_actions,
        "visits": of_actions,
        "values": of_colours,
        "outcomes": of_colours,
    }.get(name, ())


# -- npz ---------------------------------------------------------------------------------------------------------------


def _write_npz(samples: GameSamples) -> bytes:
    out = io.BytesIO()
    about = np.array(json.dumps(samples.about, ensure_ascii=False))
    np.savez_compressed(out, allow_pickle=False, **{_ABOUT: about}, **samples.columns)
    return out.getvalue()


def _read_npz(path: Path) -> GameSamples:
    with open_npz(path) as arrays:
        about = json.loads(str(arrays[_ABOUT]))
        _expect_version(about)
        return GameSamples(about, {name: arrays[name] for name in arrays if name in _TYPES})


def _read_npz_about(path: Path) -> Json:
    with open_npz(path) as arrays:
        about: Json = json.loads(str(arrays[_ABOUT]))
        return about


# -- jsonl -------------------------------------------------------------------------------------------------------------


def _write_jsonl(samples: GameSamples) -> bytes:
    lines = [samples.about]
    # NaN is no JSON; null it is.
    columns = {
        name: np.where(np.isnan(column), None, column).tolist() if column.dtype.kind == "f" else column.tolist()  # type: ignore[call-overload]
        for name, column in samples.columns.items()
    }
    lines += [{name: column[row] for name, column in columns.items()} for row in range(samples.about["rows"])]
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines).encode()


def _read_jsonl(path: Path) -> GameSamples:
    with path.open(encoding="utf-8") as file:
        about = json.loads(next(file, ""))
        _expect_version(about)
        rows = [json.loads(line) for line in file]
    names = [name for name in _TYPES if rows == [] or name in rows[0]]
    columns = {
        name: np.array([row[name] for row in rows], _TYPES[name]).reshape(len(rows), *_shape_of(name, about))
        for name in names
    }
    return GameSamples(about, columns)


def _read_jsonl_about(path: Path) -> Json:
    with path.open(encoding="utf-8") as file:
        about: Json = json.loads(next(file, ""))
        return about


# -- parquet -----------------------------------------------------------------------------------------------------------


def _write_parquet(samples: GameSamples) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    def to_arrow(column: NDArray[np.generic]) -> pa.Array:
        """A number or a text a row, or lists of one length."""
        if column.ndim == 1:
            return pa.array(column.tolist() if column.dtype.kind == "U" else column)
        flat = column.reshape(-1)
        return pa.FixedSizeListArray.from_arrays(pa.array(flat), int(np.prod(column.shape[1:])))

    table = pa.table({name: to_arrow(column) for name, column in samples.columns.items()})
    out = io.BytesIO()
    about = json.dumps(samples.about, ensure_ascii=False).encode()
    parquet.write_table(table.replace_schema_metadata({_ABOUT.encode(): about}), out, compression="zstd")
    return out.getvalue()


def _read_parquet(path: Path) -> GameSamples:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    about = _read_parquet_about(path)
    _expect_version(about)
    with path.open("rb") as opened:
        try:
            table = parquet.read_table(opened)
        except (pa.ArrowException, OSError) as error:
            raise RecordError(f"cannot be read: {error}") from None

    def to_numpy(name: str) -> NDArray[np.generic]:
        column = table.column(name).combine_chunks()
        flat = column.flatten() if pa.types.is_fixed_size_list(column.type) else column
        found = np.array(flat.to_pylist() if name == "news" else flat.to_numpy(zero_copy_only=False), _TYPES[name])
        return found.reshape(len(column), *_shape_of(name, about))

    return GameSamples(about, {name: to_numpy(name) for name in table.column_names if name in _TYPES})


def _read_parquet_about(path: Path) -> Json:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    with path.open("rb") as opened:
        try:
            metadata = parquet.read_schema(opened).metadata or {}
        except (pa.ArrowException, OSError) as error:
            raise RecordError(f"cannot be read: {error}") from None
    about: Json = json.loads(metadata.get(_ABOUT.encode(), b"null"))
    return about


# -- all of them -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Codec:
    write: Callable[[GameSamples], bytes]
    read: Callable[[Path], GameSamples]
    read_about: Callable[[Path], Json]


_CODECS = {
    "npz": _Codec(_write_npz, _read_npz, _read_npz_about),
    "jsonl": _Codec(_write_jsonl, _read_jsonl, _read_jsonl_about),
    "parquet": _Codec(_write_parquet, _read_parquet, _read_parquet_about),
}


def _codec(form: str) -> _Codec:
    if form not in FORMATS:
        raise ConfigError([f"{form[:20]!r}: expected a format of samples, {', '.join(FORMATS)}"])
    missing = describe_missing(form)
    if missing:
        raise ConfigError([missing])
    return _CODECS[form]
