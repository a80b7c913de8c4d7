"""Write the reference of the GTP commands from their declarations: docs/protocol/commands.md.

`python docs/write_protocol.py` writes the page again; a test fails when it is out of date.
"""

from collections.abc import Iterator
from pathlib import Path

from gtp_variants.gtp.engine.commands import DECLARATIONS, GtpCommand
from gtp_variants.records.files import write

PAGE = Path(__file__).resolve().parent / "protocol" / "commands.md"

# A bar inside a cell of a table.
_BAR = r"\|"
_HEAD = """\
<!-- Written by python docs/write_protocol.py: change the declarations and run it again. -->
# Commands

Every name in the answer of `list_commands` is here. `help COMMAND` shows the same. All are part of version 1.1.

Arguments in capitals stand for a value. Those in brackets may be left out; `...` follows what may be repeated. COLOUR
is `b`, `black`, `w`, `white`, `r` or `red`. Every command can also fail with `syntax error: ...` for a value that
cannot be read. An engine implements what it needs; see [the first page](index.md#what-an-engine-needs)."""

# Subject -> its heading.
_HEADINGS = {
    "administration": "The engine itself",
    "setup": "A new game",
    "moves": "Moves",
    "score": "The end and the score",
    "game_files": "Files and records",
    "variants": "Games beyond Go",
    "gogui_rules": "GoGui as host",
    "katago": "KataGo's commands",
    "gnugo": "GNU Go's questions",
    "tactics": "GNU Go's tactics",
    "live_analysis": "Analysis",
    "gogui_analyze": "GoGui's analyze commands",
    "server_chat": "Chat on KGS",
}


def page() -> str:
    """Return the text of the page."""
    return "\n".join([_HEAD, *_tables()]) + "\n"


def _tables() -> Iterator[str]:
    for subject, commands in DECLARATIONS.items():
        yield from ("", f"## {_HEADINGS[subject]}", "", "| command | what it does | answer | games | errors |")
        yield "|---|---|---|---|---|"
        yield from map(_row, commands)


def _row(command: GtpCommand) -> str:
    games = command.games.words if command.games else "all"
    errors = "; ".join(f"`{error}`" for error in command.errors)
    usage = f"{command.name} {command.arguments}".strip()
    cells = (f"`{usage}`", command.help, command.answer or "empty", games, errors)
    return f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"


if __name__ == "__main__":
    write(PAGE, page().encode())
