"""Writes the reference of a configuration file from the keys that its blocks declare, as a Markdown page.

python -m gtp_variants.base.config_reference gtp_variants.arena.config.match_config:MatchFile docs/match-files.md
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

from gtp_variants.base.config_files import Key, keys_of

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def main(arguments: Sequence[str]) -> int:
    """Write the page of a dataclass, given as MODULE:CLASS, to a file; the exit status."""
    module, _, name = arguments[0].partition(":")
    Path(arguments[1]).write_text(render(getattr(import_module(module), name)), encoding="utf-8", newline="\n")
    return 0


def render(kind: type) -> str:
    """The page: every key of a file with what it may be, what it is if it is not given, and what it means."""
    about = (kind.__doc__ or "").partition("\n")[0]
    command = f"python -m gtp_variants.base.config_reference {kind.__module__}:{kind.__qualname__}"
    lines = [
        f"<!-- Written by {command}: change the declarations there and run it again. -->",
        *("", f"# The keys of a {_CAPITAL.sub(' ', kind.__name__).lower()}", "", about, ""),
        *("| key | value | if not given | meaning |", "|---|---|---|---|"),
        *_rows(keys_of(kind), "", []),
    ]
    return "\n".join(lines) + "\n"


def _rows(keys: Iterable[Key], path: str, seen: list[tuple[tuple[Key, ...], str]]) -> Iterator[str]:
    """A line for each key; the keys of a block that was `seen` elsewhere are not listed again."""
    for key in keys:
        where, reader = f"{path}{key.name}", key.reader
        default = "must be given" if key.missing is not None else ""
        if key.missing is None and not reader.keys and key.default not in (None, "", (), {}):
            default = f"`{reader.show(key.default)}`"
        like = next((other for known, other in seen if known == reader.keys), "")
        expected = f"a block like `{like}`" if like else reader.expected
        yield f"| `{where}` | {expected} | {default} | {key.meaning} |"
        if reader.keys and not like:
            seen.append((reader.keys, where))
            yield from _rows(reader.keys, f"{where}{reader.place}.", seen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
