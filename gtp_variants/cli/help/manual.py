"""The command `gtp-variants man`, which makes man pages for all commands from their parsers."""

import sys
from collections.abc import Sequence
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.base.folders import user_path
from gtp_variants.base.pages import render
from gtp_variants.cli.commands import COMMANDS, DONE, GROUPS, STATUSES, WRONG, CommandLoader, complete_name
from gtp_variants.cli.help.description import CommandDescription, describe_command
from gtp_variants.cli.help.page import does, unknown_command
from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.lang import say
from gtp_variants.records.files import write


def main(arguments: Sequence[str], load: CommandLoader) -> int:
    """Print a man page, or write all to a folder. Return 2 for an unknown command. Raises OSError if writing fails."""
    options = parser().parse_args(arguments)
    lang = language_of(options)
    if options.into is not None:
        folder = user_path(options.into)
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in pages(load, lang).items():
            write(folder / file, text.encode())
        told = say("cli.man_pages", lang, count=len(COMMANDS) + 1, folder=folder, page=folder / "gtp-variants.1")
        sys.stdout.write(f"{told}\n")
        return DONE
    if not options.name:
        sys.stdout.write(page(None, lang))
        return DONE
    called = complete_name(options.name)
    if called is None:
        sys.stderr.write(unknown_command(options.name, lang))
        return WRONG
    sys.stdout.write(page(describe_command(load, called, lang), lang))
    return DONE


def parser() -> CommandParser:
    made = CommandParser("man")
    made.add_argument("name", metavar="COMMAND", nargs="?")
    made.add_argument("--into", type=Path, metavar="FOLDER")
    made.suggested["name"] = list(COMMANDS)
    return made


def pages(load: CommandLoader, lang: str = "en") -> dict[str, str]:
    """Return the man pages of the program and of every command, by file name."""
    each = {f"gtp-variants-{name}.1": page(describe_command(load, name, lang), lang) for name in COMMANDS}
    return {"gtp-variants.1": page(None, lang)} | each


def page(command: CommandDescription | None, lang: str) -> str:
    """Return the man page of a command, or of the program: its commands under their headings."""
    texts = {"say": lambda key: say(f"cli.{key}", lang), "does": lambda name: does(name, lang), "roff": _escape}
    values = {"command": command, "version": __version__, "groups": GROUPS, "statuses": STATUSES}
    return render("cli/help/manual.roff", **texts, **values)


def _escape(text: str) -> str:
    """Return a text escaped for roff, so that no line starts a request, and hyphens can be copied."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in shown.splitlines())
