"""Reads a match from a YAML file. Every fault is told at once, with its path and the nearest known key."""

from pathlib import Path

from gtp_variants.arena.config.match_blocks import MatchFile
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.resolve import resolve
from gtp_variants.config import fields


def load(path: Path) -> MatchConfig:
    """The match a file describes. Raises ConfigError with every fault, OSError if the file cannot be read."""
    return read(fields.load(path), path.stem, path.parent, str(path))


def read(text: str, name: str = "match", folder: Path = Path(), file: str = "") -> MatchConfig:
    """The match a YAML text describes; `name` unless it says its own; files it names are sought from `folder`.

    With the name of a `file` every fault begins with FILE:LINE:COLUMN.
    """
    node = fields.parse(text, folder, file)
    return resolve(fields.read(MatchFile, node), node, name)
