"""The command `gtp-variants completion`: what makes Tab complete our words in a shell."""

import sys
from collections.abc import Sequence

from gtp_variants.cli.exit_status import DONE
from gtp_variants.cli.help.shells import bash, fish, zsh
from gtp_variants.cli.parser import CommandParser

SHELLS = {"bash": bash.write_completion, "zsh": zsh.write_completion, "fish": fish.write_completion}

_EPILOG = """\
in the shell that runs, and for good in the file it reads when it starts:
  source <(gtp-variants completion bash)      ~/.bashrc
  source <(gtp-variants completion zsh)       ~/.zshrc, after compinit
  gtp-variants completion fish | source       ~/.config/fish/config.fish
"""


def main(arguments: Sequence[str]) -> int:
    """Print the script for a shell."""
    options = parser().parse_args(arguments)
    sys.stdout.write(SHELLS[options.shell]())
    return DONE


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("completion", "Print what makes Tab complete commands, options and SPECs.", epilog=_EPILOG)
    made.add_argument("shell", choices=tuple(SHELLS), help="the shell it is for")
    return made
