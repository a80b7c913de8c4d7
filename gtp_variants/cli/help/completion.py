"""The command `gtp-variants completion`: what makes Tab complete our words in a shell."""

import sys
from collections.abc import Sequence

from gtp_variants.cli.commands import CommandLoader
from gtp_variants.cli.exit_status import DONE
from gtp_variants.cli.help.shells import bash, fish, zsh
from gtp_variants.cli.parser import CommandParser, language_of

SHELLS = {"bash": bash.write_completion, "zsh": zsh.write_completion, "fish": fish.write_completion}


def main(arguments: Sequence[str], load: CommandLoader) -> int:
    """Print the script for a shell."""
    options = parser().parse_args(arguments)
    sys.stdout.write(SHELLS[options.shell](load, language_of(options)))
    return DONE


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("completion")
    made.add_argument("shell", choices=tuple(SHELLS))
    return made
