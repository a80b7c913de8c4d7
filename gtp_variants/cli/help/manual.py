"""The command `gtp-variants man`, which makes man pages for all commands from their parsers."""

import sys
from collections.abc import Sequence
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.base.folders import user_path
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
        sys.stdout.write(overview_page(lang))
        return DONE
    called = complete_name(options.name)
    if called is None:
        sys.stderr.write(unknown_command(options.name, lang))
        return WRONG
    sys.stdout.write(command_page(describe_command(load, called, lang), lang))
    return DONE


def parser() -> CommandParser:
    made = CommandParser("man")
    made.add_argument("name", metavar="COMMAND", nargs="?")
    made.add_argument("--into", type=Path, metavar="FOLDER")
    made.suggested["name"] = list(COMMANDS)
    return made


def pages(load: CommandLoader, lang: str = "en") -> dict[str, str]:
    """Return the man pages of the program and of every command, by file name."""
    each = {f"gtp-variants-{name}.1": command_page(describe_command(load, name, lang), lang) for name in COMMANDS}
    return {"gtp-variants.1": overview_page(lang)} | each


def overview_page(lang: str) -> str:
    """Return the man page of the program: its commands under their headings, and the exit statuses."""
    lines = [*_head("gtp-variants", say("cli.what", lang).rstrip("."), lang), ".B gtp-variants", ".I COMMAND", "\\&..."]
    for heading, commands in GROUPS.items():
        lines.append(f".SH {say(f'cli.{heading}', lang).upper()}")
        for name in commands:
            lines += [".TP", f".BR gtp\\-variants\\-{_escape(name)} (1)", _escape(does(name, lang))]
    return "\n".join([*lines, *_exit_status(lang)]) + "\n"


def command_page(command: CommandDescription, lang: str) -> str:
    """Return the man page of one command."""
    lines = _head(f"gtp-variants-{command.name}", command.does, lang)
    lines += [".nf", *map(_escape, command.usage), ".fi"]
    lines += [_section("description", lang), _escape(command.about)]
    if command.words:
        lines.append(_section("arguments", lang))
    for word in command.words:
        lines += [".TP", f".I {_escape(word.metavar)}", _escape(word.help) or "\\&"]
    lines.append(_section("options", lang))
    for option in command.options:
        flags = ", ".join(f"\\fB{_escape(flag)}\\fR" for flag in option.flags)
        value = f" \\fI{_escape(option.metavar)}\\fR" if option.metavar else ""
        lines += [".TP", f"{flags}{value}", _escape(option.help) or "\\&"]
    if command.epilog:
        lines += [_section("notes", lang), ".nf", _escape(command.epilog), ".fi"]
    lines += _exit_status(lang)
    return "\n".join([*lines, _section("see_also", lang), ".BR gtp\\-variants (1)"]) + "\n"


def _head(name: str, about: str, lang: str) -> list[str]:
    title = _escape(name)
    return [
        f'.TH {title.upper()} 1 "" "gtp\\-variants {__version__}" "gtp\\-variants"',
        _section("name", lang),
        f"{title} \\- {_escape(about)}",
        _section("synopsis", lang),
    ]


def _section(key: str, lang: str) -> str:
    return f".SH {say(f'cli.man_{key}', lang)}"


def _exit_status(lang: str) -> list[str]:
    lines = [_section("exit_status", lang)]
    for status in STATUSES:
        lines += [".TP", f".B {status}", _escape(say(f"cli.status_{status}", lang))]
    return lines


def _escape(text: str) -> str:
    """Return a text escaped for roff, so that no line starts a request, and hyphens can be copied."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in shown.splitlines())
