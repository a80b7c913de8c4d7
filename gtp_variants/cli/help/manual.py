"""The command `gtp-variants man`: man pages of all commands, made from their parsers."""

import sys
from collections.abc import Sequence
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.cli.commands import COMMANDS, GROUPS, complete_name
from gtp_variants.cli.exit_status import DONE, TABLE, WRONG
from gtp_variants.cli.help.description import Argument, CommandDescription, describe_command
from gtp_variants.cli.help.page import does, unknown_command
from gtp_variants.cli.parser import CommandParser
from gtp_variants.lang import say
from gtp_variants.records.files import write

_LANG = "en"


def main(arguments: Sequence[str]) -> int:
    """Print one page, or write all into a folder; 2 for a command there is none of. Raises OSError."""
    options = parser().parse_args(arguments)
    if options.into is not None:
        folder = options.into.expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in pages().items():
            write(folder / file, text.encode())
        sys.stdout.write(f"{len(COMMANDS) + 1} pages are in {folder}; `man -l {folder / 'gtp-variants.1'}` shows one\n")
        return DONE
    if not options.name:
        sys.stdout.write(overview_page())
        return DONE
    called = complete_name(options.name)
    if called is None:
        sys.stderr.write(unknown_command(options.name))
        return WRONG
    sys.stdout.write(command_page(describe_command(called, _LANG)))
    return DONE


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("man", "Print the man page of a command, or write those of all into a folder.")
    made.add_argument("name", metavar="COMMAND", nargs="?", help="which command; without one, the page of them all")
    made.add_argument("--into", type=Path, metavar="FOLDER", help="write every page there, such as .../share/man/man1")
    made.suggested["name"] = list(COMMANDS)
    return made


def pages() -> dict[str, str]:
    """File name -> man page, of the program and of every command."""
    each = {f"gtp-variants-{name}.1": command_page(describe_command(name, _LANG)) for name in COMMANDS}
    return {"gtp-variants.1": overview_page()} | each


def overview_page() -> str:
    """The page of the program: its commands under their headings, the exit statuses."""
    lines = [*_head("gtp-variants", say("cli.what", _LANG).rstrip(".")), ".B gtp-variants", ".I COMMAND", "\\&..."]
    for heading, commands in GROUPS.items():
        lines.append(f".SH {say(f'cli.{heading}', _LANG).upper()}")
        for name in commands:
            lines += [".TP", f".BR gtp\\-variants\\-{_escape(name)} (1)", _escape(does(name, _LANG))]
    return "\n".join([*lines, *_exit_status()]) + "\n"


def command_page(command: CommandDescription) -> str:
    """The page of one command."""
    lines = _head(f"gtp-variants-{command.name}", command.does)
    lines += [".nf", *map(_escape, command.usage), ".fi"]
    lines += [".SH DESCRIPTION", _escape(command.about)]
    if command.words:
        lines.append(".SH ARGUMENTS")
    for word in command.words:
        lines += [".TP", f".I {_escape(word.metavar)}", _escape(word.help) or "\\&"]
    lines.append(".SH OPTIONS")
    for option in command.options:
        lines += [".TP", _option(option), _escape(option.help) or "\\&"]
    if command.epilog:
        lines += [".SH NOTES", ".nf", _escape(command.epilog), ".fi"]
    lines += _exit_status()
    return "\n".join([*lines, ".SH SEE ALSO", ".BR gtp\\-variants (1)"]) + "\n"


def _head(name: str, about: str) -> list[str]:
    title = _escape(name)
    return [
        f'.TH {title.upper()} 1 "" "gtp\\-variants {__version__}" "gtp\\-variants"',
        ".SH NAME",
        f"{title} \\- {_escape(about)}",
        ".SH SYNOPSIS",
    ]


def _option(option: Argument) -> str:
    flags = ", ".join(f"\\fB{_escape(flag)}\\fR" for flag in option.flags)
    return f"{flags} \\fI{_escape(option.metavar)}\\fR" if option.metavar else flags


def _exit_status() -> list[str]:
    lines = [".SH EXIT STATUS"]
    for status, key in TABLE.items():
        lines += [".TP", f".B {status}", _escape(say(f"cli.{key}", _LANG))]
    return lines


def _escape(text: str) -> str:
    """Roff that shows a text: no line begins a request, hyphens can be copied."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in shown.splitlines())
