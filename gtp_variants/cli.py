"""The commands of `gtp-variants`: the only place that wires everything together.

A GUI starts `gtp` several times for one window, so that command is dispatched before anything else is imported.
"""

import sys
from collections.abc import Callable, Sequence

from gtp_variants._version import __version__

USAGE = """\
usage: gtp-variants COMMAND ...

  gtp [SPEC] [--bot NAME] [--seed TEXT] ...   speak the Go Text Protocol on standard input and output
  match FILE                                  let bots play the games that a YAML file describes
  verify RECORD                               check a game's moves, dice and commitment
  dice DICE                                   throw dice for a game at a real board, with a log anybody can check

gtp-variants COMMAND --help tells more; --version prints the version.
A SPEC names a game and its options: aleago:size=9,dice=1d4
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. Without arguments, print the usage."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["--version"], ["-V"]):
        sys.stdout.write(f"gtp-variants {__version__}\n")
        return 0
    command = COMMANDS.get(words[0]) if words else None
    if command is None:
        asked = words in (["--help"], ["-h"], ["help"])
        if words and not asked:
            sys.stderr.write(f"gtp-variants: unknown command {words[0][:40]!r}\n")
        (sys.stdout if asked else sys.stderr).write(USAGE)
        return 0 if asked else 2
    return command(words[1:])


def _gtp(arguments: Sequence[str]) -> int:
    from gtp_variants.gtp.program import main

    return main(arguments)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "gtp": _gtp,
}
