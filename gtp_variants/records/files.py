"""Games to files and back, by suffix: `.json` or `.sgf`."""

import os
from pathlib import Path

from gtp_variants.errors import RecordError
from gtp_variants.records.record import MAX_BYTES, Record
from gtp_variants.rules.game import Game


def save(game: Game | Record, path: str | os.PathLike[str]) -> None:
    """Write a game to a file, all of it or nothing. Raises RecordError for another suffix than .json and .sgf."""
    target = Path(path)
    record = game if isinstance(game, Record) else Record(game)
    try:
        suffix = _suffix(target)
    except RecordError as error:
        raise RecordError(f"{target.name}: {error}") from error
    if suffix == ".json":
        from gtp_variants.records.json import to_json

        text = to_json(record) + "\n"
    else:
        from gtp_variants.records.sgf import to_sgf

        text = to_sgf(record)
    write(target, text.encode())


def load(path: str | os.PathLike[str]) -> Game:
    """The game in a file. Raises RecordError that begins with the file's name, OSError if it cannot be opened."""
    return load_record(path).game


def load_record(path: str | os.PathLike[str]) -> Record:
    """The record in a file. Raises RecordError that begins with the file's name, OSError if it cannot be opened."""
    source = Path(path)
    try:
        return _read(source)
    except RecordError as error:
        raise RecordError(f"{source.name}: {error}") from error


def _read(source: Path) -> Record:
    suffix = _suffix(source)
    with source.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if suffix == ".sgf":
        from gtp_variants.records.sgf import from_sgf

        return from_sgf(content)
    from gtp_variants.records.json import from_json

    try:
        return from_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RecordError(f"byte {error.start}: not UTF-8") from None


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (".json", ".sgf"):
        raise RecordError("expected a name that ends in .json or .sgf")
    return suffix


def write(target: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file, all of it or nothing: the new one takes the old one's place in one step.

    `mode` are the rights it is made with, as far as the user's mask leaves them.
    """
    target = target.resolve()
    fresh = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    try:
        with open(fresh, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.write(content)
        fresh.replace(target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
