"""Write the reference of match files from the keys that their blocks declare: docs/match-files.md.

`python docs/write_match_files.py` writes the page again; a test fails when it is out of date.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gtp_variants.arena.config.match_config import MatchFile
from gtp_variants.base.config_files import Key, keys_of

PAGE = Path(__file__).resolve().parent / "match-files.md"

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def write(kind: type = MatchFile) -> str:
    """Return the page: each key of a file with its values, its default and its meaning."""
    about = (kind.__doc__ or "").partition("\n")[0]
    lines = [
        "<!-- Written by python docs/write_match_files.py: change the declarations and run it again. -->",
        *("", f"# The keys of a {_CAPITAL.sub(' ', kind.__name__).lower()}", "", about, ""),
        *("| key | value | if not given | meaning |", "|---|---|---|---|"),
        *_rows(keys_of(kind), "", []),
    ]
    return "\n".join(lines) + "\n"


def _rows(keys: Iterable[Key], path: str, seen: list[tuple[tuple[Key, ...], str]]) -> Iterator[str]:
    """Yield a row for each key. The keys of a block that was `seen` elsewhere are not listed again."""
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
    PAGE.write_text(write(), encoding="utf-8", newline="\n")
