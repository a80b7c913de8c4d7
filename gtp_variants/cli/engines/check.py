"""The command `gtp-variants check-engine`: what a GTP engine can do here, its speed and its faults."""

import argparse
import sys
from collections.abc import Sequence

from gtp_variants import configs
from gtp_variants.cli.parser import SECONDS, CommandParser
from gtp_variants.errors import NotationError
from gtp_variants.gtp.client.check import as_json, as_text, check
from gtp_variants.gtp.client.peer import Launch
from gtp_variants.rules import GAMES, game_class, parse


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status. Raises VariantsError if the engine cannot be checked."""
    options = parser().parse_args(arguments)
    if options.template:
        sys.stdout.write(configs.template_bot().read_text(encoding="utf-8"))
        return 0
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise NotationError("no engine; expected: gtp-variants check-engine [--spec SPEC] COMMAND...")
    specs = options.spec or [game_class(name).profile.small_spec for name in GAMES]
    for spec in specs:
        parse(spec)
    launch = Launch(tuple(command), startup_s=options.timeout, command_s=options.timeout, grace_s=2.0)
    report = check(launch, specs, must_play=bool(options.spec))
    sys.stdout.write(as_json(report) if options.json else as_text(report))
    return 0 if report.is_ok else 1


def parser() -> CommandParser:
    made = CommandParser(
        "check-engine", usage="gtp-variants check-engine [--spec SPEC]... [--json] [--timeout SECONDS] [--] COMMAND..."
    )
    made.add_argument("--spec", action="append", metavar="SPEC")
    made.add_argument("--json", action="store_true")
    made.add_argument("--timeout", type=SECONDS.read, default=10.0, metavar="SECONDS")
    made.add_argument("--template", action="store_true")
    made.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    return made
