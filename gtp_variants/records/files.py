"""Saving and loading games as `.json` or `.sgf`, and careful writing to files and standard output."""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gtp_variants.errors import RecordError, RecordWarning, SpecError
from gtp_variants.lang import RequestRefused, translate_fault
from gtp_variants.records.record import Caveat, Record, name_place, printable, read_bytes
from gtp_variants.rules.game import Game


def save(game: Game | Record, path: str | os.PathLike[str]) -> None:
    """Write a game to a .json or .sgf file, completely or not at all. Raises RecordError if that is impossible.

    A game that was loaded from SGF is written to SGF with everything in its file. A RecordWarning names all that JSON
    cannot hold.

    >>> import gtp_variants as gv
    >>> import tempfile, pathlib
    >>> game = gv.random_game(gv.parse("aleago:size=9"), seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "game.sgf"
    ...     gv.save(game, file)
    ...     gv.load(file) == game
    True
    """
    from gtp_variants.records.sgf.games import left_out_of_json, record_of_file, to_sgf

    target = Path(path)
    record = game if isinstance(game, Record) else record_of_file(game)
    with name_place(target):
        suffix = _suffix(target, ".json", ".sgf")
    if suffix == ".json":
        from gtp_variants.records.json import to_json

        text, caveat = to_json(record) + "\n", left_out_of_json(record)
        _warn(target, [] if caveat is None else [caveat])
    else:
        text = to_sgf(record)
    write(target, encode(text))


def load(path: str | os.PathLike[str], number: int = 1) -> Game:
    """Return the game in a file, or game `number` of a collection, counted from 1. For errors see `load_record`.

    A RecordWarning names what was guessed or mended in a file of another program, and each illegal move in it.

    >>> import gtp_variants as gv
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "two.sgf"
    ...     _ = file.write_text("(;SZ[9];B[ee];W[cc])(;SZ[9];B[ge])")
    ...     len(gv.load(file).events), len(gv.load(file, number=2).events)
    (2, 1)
    """
    record = load_record(path, number)
    _warn(path, record.caveats)
    return record.game


def _warn(path: str | os.PathLike[str], caveats: Sequence[Caveat]) -> None:
    for caveat in caveats:
        warnings.warn(f"{path}: {caveat.sentence()}", RecordWarning, stacklevel=3)


def load_record(path: str | os.PathLike[str], number: int = 1) -> Record:
    """Return the record in a file, or the record of game `number` of a collection, counted from 1.

    The suffix is .json (ours or of OGS), .sgf, .gib (of Tygem) or .ngf (of WBaduk). In a file of another program,
    damage and illegal moves become caveats of the record. Raises a RecordError that begins with the file name, or
    OSError if the file cannot be opened.
    """
    source = Path(path)
    with name_place(source):
        content, is_sgf = _read(source)
        if is_sgf:
            from gtp_variants.records.sgf.games import from_sgf

            return from_sgf(content, number=number, is_lenient=True)
        if number != 1:
            raise RecordError(f"game {number}: a .json file can hold only one game")
        return decode_json(content)


def load_all(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yield the records of a file one by one. Raises the same errors as `load_record`, on reaching the fault.

    >>> import gtp_variants as gv
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "two.sgf"
    ...     _ = file.write_text("(;SZ[9]PB[Ada];B[ee];W[cc])(;SZ[9]PB[Bea];B[ge])")
    ...     [record.players[gv.BLACK] for record in gv.load_all(file)]
    ['Ada', 'Bea']
    """
    for found in load_each(path):
        if isinstance(found, RecordError):
            raise found
        yield found


def load_each(path: str | os.PathLike[str]) -> Iterator[Record | RecordError]:
    """Yield each record of a file, or the error of an unreadable game. Raises OSError if the file cannot be opened."""
    source = Path(path)
    try:
        with name_place(source):
            content, is_sgf = _read(source)
            if not is_sgf:
                yield decode_json(content)
                return
    except RecordError as error:
        yield error
        return
    from gtp_variants.records.sgf.games import read_collection

    for found in read_collection(content, is_lenient=True):
        if isinstance(found, RecordError):
            raised = RecordError(printable(f"{source}: {found}"))
            raised.__cause__ = found
            yield raised
        else:
            yield found


def _read(source: Path) -> tuple[bytes, bool]:
    """Return the content of a file, and whether it is SGF or read as SGF."""
    suffix = _suffix(source, ".json", ".sgf", ".gib", ".ngf")
    return read_bytes(source), suffix != ".json"


def decode_json(content: bytes) -> Record:
    """Return the record in a JSON file, ours or of OGS. Raises RecordError, also for bytes that are not UTF-8."""
    from gtp_variants.records.json import from_json
    from gtp_variants.records.sgf.ogs_games import OGS_START

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"byte {error.start}: not UTF-8") from None
    if OGS_START.match(text) is None:
        return from_json(text)
    from gtp_variants.records.sgf.games import from_sgf

    return from_sgf(text, is_lenient=True)


def _suffix(path: Path, *known: str) -> str:
    suffix = path.suffix.lower()
    if suffix not in known:
        raise RecordError(f"expected a name that ends in {', '.join(known[:-1])} or {known[-1]}")
    return suffix


def write(target: Path, content: bytes, mode: int = 0o666, *, durable: bool = False) -> None:
    """Write a file completely or not at all: the new file replaces the old one in one step.

    The file gets the permissions `mode`, reduced by the user's mask. A pipe or a device is written to directly. With
    `durable` the file is complete even after a power cut: on return, after a while, it is on the disk.
    """
    if target.exists() and not target.is_file() and not target.is_dir():
        target.write_bytes(content)
        return
    place = target.resolve()
    fresh = place.with_name(f".{place.name}.{os.urandom(4).hex()}")
    try:
        with open(fresh, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        fresh.replace(place)
        if durable:
            _sync_folder(place.parent)
    except BaseException as error:
        fresh.unlink(missing_ok=True)
        if isinstance(error, OSError):
            # Name the target in the error, not the temporary file.
            raise OSError(error.errno, error.strerror, str(target)) from None
        raise


def sync(path: Path) -> None:
    """Return once a file that was written, and its folder entry, are safely on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk, if the system can open folders for that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def put_out(target: str, content: str | bytes) -> None:
    """Write bytes, or a text as UTF-8, to a file, or to standard output for `-`."""
    encoded = encode(content) if isinstance(content, str) else content
    if target != "-":
        write(Path(target), encoded)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(encoded)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def encode(text: str) -> bytes:
    """Return a text as UTF-8. Bytes of a file that could not be decoded are written back unchanged."""
    return text.encode("utf-8", "surrogateescape")


def complain(command: str, error: Exception, lang: str) -> int:
    """Print why a command failed, and return exit status 2. Raises a BrokenPipeError again: the reader has gone."""
    if isinstance(error, BrokenPipeError):
        raise error
    sys.stderr.write(f"gtp-variants {command}: {explain(error, lang)}\n")
    return 2


def explain(error: Exception, lang: str) -> str:
    """Return the message of an error, translated if possible, with the file name if the system reports it."""
    if isinstance(error, SpecError | RequestRefused):
        return error.reason(lang)
    if isinstance(error, OSError) and error.filename is not None:
        return translate_fault(f"{error.filename}: {error.strerror}", lang)
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return "\n".join(translate_fault(line, lang) for line in said.split("\n"))


def write_out(text: str) -> None:
    """Write to standard output. If its reader has closed the pipe, drop this and all further output."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """Discard all further output, and the buffered output, which Python would otherwise try to write at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
