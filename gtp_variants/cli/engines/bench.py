"""The command `gtp-variants bench`: how fast the search thinks on this computer."""

import json
import sys
from collections.abc import Sequence

from gtp_variants.backend import announcement
from gtp_variants.cli.parser import CommandParser
from gtp_variants.mcts.bench import default_specs, rates
from gtp_variants.processes.cores import available_cores


def main(arguments: Sequence[str]) -> int:
    """Measure the search: a table, or JSON."""
    options = parser().parse_args(arguments)
    rows = []
    sys.stderr.write(f"{announcement(available_cores())}\n")
    for row in rates(options.spec or default_specs(), options.seconds):
        rows.append(row)
        if not options.json:
            threads = f"{row['threads']:>2} thread{' ' if row['threads'] == 1 else 's'}"
            head = f"{row['spec']:<28}{row['what']:<13}{row['form']:<8}{threads}"
            rate = f"{row['per_second']:>12,} a second{row['moves_per_second']:>15,} moves"
            how = ", ".join(str(each) for each in (f"{row['clock']} time", row["instructions"], row["weights"]) if each)
            sys.stdout.write(f"{head}{rate}   {how}\n")
            sys.stdout.flush()
    if options.json:
        sys.stdout.write(json.dumps(rows) + "\n")
    return 0


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("bench")
    made.add_argument("--json", action="store_true")
    made.add_argument("--spec", action="append", metavar="SPEC")
    made.add_argument("--seconds", type=float, default=1.0, metavar="S")
    return made
