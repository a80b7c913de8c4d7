"""The command `gtp-variants completion`, which prints scripts to complete our command lines in bash, zsh and fish."""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from shlex import quote

from gtp_variants.base.pages import render
from gtp_variants.cli.commands import COMMANDS, DONE, CommandLoader
from gtp_variants.cli.help.description import describe_command, spec_table
from gtp_variants.cli.parser import CommandParser, language_of


def _write(shell: str, load: CommandLoader, lang: str = "en") -> str:
    """Return the script for a shell, to be sourced. For bash it has no descriptions and is the same in every language.

    The script for zsh can also be saved as `_gtp-variants` in a folder on the `fpath`.
    """
    shown = {"table": spec_table(), "commands": [describe_command(load, name, lang) for name in COMMANDS]}
    # Some characters would end a description in zsh.
    escape = partial(re.sub, r"([\\\[\]:])", r"\\\1")
    return render(f"cli/help/completion.{shell}", quoted=_QUOTED[shell], escape=escape, **shown)


SHELLS = {shell: partial(_write, shell) for shell in ("bash", "zsh", "fish")}


def _quote_each(words: Iterable[str], backslash: str, mark: str) -> str:
    """Return the words in single quotes; `backslash` and `mark` replace backslashes and single quotes in them."""
    return " ".join("'" + word.replace("\\", backslash).replace("'", mark) + "'" for word in words)


# The form of a list of words in each shell.
_QUOTED: dict[str, Callable[[Iterable[str]], str]] = {
    "bash": lambda words: quote(" ".join(words)),
    "zsh": lambda words: _quote_each(words, "\\", "'\\''"),
    "fish": lambda words: _quote_each(words, "\\\\", "\\'"),
}


def main(arguments: Sequence[str], load: CommandLoader) -> int:
    """Print the script for a shell."""
    options = parser().parse_args(arguments)
    sys.stdout.write(SHELLS[options.shell](load, language_of(options)))
    return DONE


def parser() -> CommandParser:
    made = CommandParser("completion")
    made.add_argument("shell", choices=tuple(SHELLS))
    return made
