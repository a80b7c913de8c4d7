"""The command `gtp-variants history`, which rates the versions of players over several matches."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from gtp_variants.arena.config import resolve
from gtp_variants.arena.report.history import as_json, rate_history, read_match, render_history, render_history_page
from gtp_variants.base.folders import user_path
from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import ConfigError
from gtp_variants.records.files import write


def main(arguments: Sequence[str]) -> int:
    """Print the ratings and return 0. Raises OSError, ConfigError or RecordError for a bad match or anchor."""
    options = parser().parse_args(arguments)
    matches = [match for name in options.matches for match in read_match(_find_store(user_path(name)))]
    try:
        found = rate_history(matches, options.anchor)
    except ValueError as error:
        raise ConfigError([f"--anchor: {error}"]) from None
    if options.html is not None:
        write(options.html, render_history_page(found).encode())
    lang = language_of(options)
    text = json.dumps(as_json(found), ensure_ascii=False) if options.json else render_history(found, lang)
    sys.stdout.write(f"{text}\n")
    return 0


def parser() -> CommandParser:
    made = CommandParser("history")
    made.add_argument("matches", nargs="+", metavar="MATCH")
    made.add_argument("--html", type=Path, metavar="FILE")
    made.add_argument("--anchor", default="", metavar="PLAYER")
    made.add_argument("--json", action="store_true")
    return made


def _find_store(path: Path) -> Path:
    if path.is_dir():
        return path / "arena.db"
    return resolve.load(path).store_file if path.suffix in (".yaml", ".yml") else path
