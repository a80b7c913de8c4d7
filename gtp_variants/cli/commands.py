"""The commands, with places and examples from `commands.toml` and texts from `lang/cli.toml`, and the exit statuses."""

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gtp_variants.base.processes.secrecy import protect_memory
from gtp_variants.lang import load

PROGRAM = "gtp-variants"


class CommandFunctions(NamedTuple):
    """The functions of a command: `main` runs it with its arguments, and `parser` returns its parser."""

    main: Callable[..., int]
    parser: Callable[[], ArgumentParser]


# A function that imports the command with a given name.
CommandLoader = Callable[[str], CommandFunctions]

DONE = 0
# The command worked, but found something wrong, such as a record that fails its checks.
NOT_TRUE = 1
# The command was used wrongly, or a file or an engine cannot be used.
WRONG = 2
# A player in a match kept failing, a server refused the login, or another login replaced it.
STOPPED = 3
# The engine of a bridge kept failing.
ENGINE_FAILED = 4
# The user pressed Ctrl-C or stopped a match: 128 + SIGINT, as in shells.
INTERRUPTED = 130

STATUSES = (DONE, NOT_TRUE, WRONG, STOPPED, ENGINE_FAILED, INTERRUPTED)


class CommandEntry(NamedTuple):
    """A command: its place in the package, and working examples, as `commands.toml` explains."""

    place: str
    examples: Sequence[str] = ()
    aliases: Sequence[str] = ()
    shows_commands: bool = False


# Heading (a key in `lang/cli.toml`) -> its commands by name, in the order in which the help lists them.
GROUPS = {
    heading: {name: CommandEntry(**entry) for name, entry in entries.items()}
    for heading, entries in load(Path(__file__).with_name("commands.toml")).items()
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
# These commands keep dice or passwords. They are protected from other programs before they import anything.
SECRETIVE = frozenset(("play", "web", "match", "bridge", "server"))
ALIASES = {alias: name for name, command in COMMANDS.items() for alias in command.aliases}


def called_as() -> str:
    """Return the program name as the user typed it, such as `.venv/bin/gtp-variants`, for use in suggested commands."""
    called = Path(sys.argv[0])
    if called.name != PROGRAM or shutil.which(PROGRAM) == str(called.absolute()):
        return PROGRAM
    return str(called)


def complete_name(word: str) -> str | None:
    """Return the current name of a command from its current or former name, or None for an unknown word."""
    return word if word in COMMANDS else ALIASES.get(word)


def run_command(name: str, arguments: Sequence[str], loader: CommandLoader) -> int:
    """Run a command by its name and return its exit status."""
    if name in SECRETIVE:
        protect_memory()
    main = loader(name).main
    return main(arguments, loader) if COMMANDS[name].shows_commands else main(arguments)
