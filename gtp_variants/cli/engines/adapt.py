"""The command `gtp-variants adapt`: an engine that knows only Go, made one that plays Aléago and Alter Igo."""

import sys
from collections.abc import Sequence

from gtp_variants.cli.parser import CommandParser
from gtp_variants.errors import VariantsError
from gtp_variants.gtp.client.adapter import AdaptedSession, OneEngine, make_adapter
from gtp_variants.gtp.client.peer import Launch
from gtp_variants.gtp.client.player import prepare
from gtp_variants.gtp.engine.stdio import serve

EPILOG = """\
A draw opens some points. The engine is held to them by `kata-genmove_analyze`, `lz-genmove_analyze` (with `allow`) or
`restricted_genmove`, whichever it has; one that has none of these is asked, taken back and asked again, and after
three answers that are not open the best open point is played for it.
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command until `quit` or the end of the input. Raises VariantsError for what cannot be adapted."""
    ours, command = _split(arguments)
    options = parser().parse_args(ours)
    engines = OneEngine(Launch(tuple(command), command_s=options.patience))
    try:
        if not command:
            raise VariantsError("no engine; expected: gtp-variants adapt SPEC -- COMMAND...")
        session = AdaptedSession(options.spec, engines, options.seed)
        prepare(engines.peer, session.rules, session.rules.colours[0])
        serve(make_adapter(session), sys.stdin.buffer, sys.stdout.buffer)
    except (BrokenPipeError, KeyboardInterrupt):
        return 0
    finally:
        engines.close()
    return 0


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and the command behind `--`."""
    words = list(arguments)
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser(
        "adapt",
        "Make an engine that knows only Go play Aléago or Alter Igo.",
        usage="gtp-variants adapt SPEC [--seed TEXT] [--patience SECONDS] -- COMMAND...",
        epilog=EPILOG,
    )
    made.add_argument("spec", metavar="SPEC", help="the game, such as aleago:size=9 or alter-igo")
    made.add_argument("--seed", metavar="TEXT", help="the secret of the dice; a short one can be guessed")
    made.add_argument("--patience", type=float, default=600.0, metavar="SECONDS", help="how long an answer may take")
    return made
