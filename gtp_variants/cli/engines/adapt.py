"""The command `gtp-variants adapt`: an engine that knows only Go, made one that plays Aléago and Alter Igo."""

import sys
from collections.abc import Sequence

from gtp_variants.cli.parser import CommandParser, positive_seconds
from gtp_variants.errors import VariantsError
from gtp_variants.gtp.client.adapter import AdaptedSession, OneEngine, make_adapter
from gtp_variants.gtp.client.peer import Launch
from gtp_variants.gtp.client.player import prepare
from gtp_variants.gtp.engine.stdio import serve


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
    made = CommandParser("adapt", usage="gtp-variants adapt SPEC [--seed TEXT] [--patience SECONDS] -- COMMAND...")
    made.add_argument("spec", metavar="SPEC")
    made.add_argument("--seed", metavar="TEXT")
    made.add_argument("--patience", type=positive_seconds, default=600.0, metavar="SECONDS")
    return made
