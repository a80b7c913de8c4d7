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
  bench                                       measure how fast the search thinks on this computer

gtp-variants COMMAND --help tells more; --version prints the version.
A SPEC names a game and its options: aleago:size=9,dice=1d4
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. Without arguments, print the usage."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["--version"], ["-V"]):
        from gtp_variants.thinking import form

        sys.stdout.write(f"gtp-variants {__version__}, {form()} search\n")
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


def _match(arguments: Sequence[str]) -> int:
    try:
        from gtp_variants.arena.program import main
    except KeyboardInterrupt:
        # As if it had come a moment later: interrupted, and the same command goes on.
        return 2

    return main(arguments)


def _dice(arguments: Sequence[str]) -> int:
    from gtp_variants.arena.dice import main

    return main(arguments)


def _verify(arguments: Sequence[str]) -> int:
    """Check records and dice logs: 0 if all hold true, 1 if one does not, 2 if one cannot be read."""
    import argparse
    from pathlib import Path

    from gtp_variants.errors import RecordError
    from gtp_variants.records import dice_log, record
    from gtp_variants.records.files import load_record

    parser = argparse.ArgumentParser(
        prog="gtp-variants verify",
        description="Play records again and check dice, commitment and result; check dice logs.",
        epilog="exit status: 0 all hold true, 1 one does not, 2 one cannot be read",
    )
    parser.add_argument("records", nargs="+", metavar="RECORD", help="a .json or .sgf record, or a log of dice")
    status = 0
    for name in parser.parse_args(arguments).records:
        path = Path(name)
        try:
            if dice_log.is_dice_log(path):
                verdict = dice_log.verify(dice_log.load(path))
            else:
                verdict = record.verify(load_record(path))
        except (OSError, RecordError) as error:
            sys.stderr.write(f"{name}: cannot be read: {error}\n")
            status = 2
            continue
        sys.stdout.write(f"{name}: {'holds true' if verdict.ok else 'DOES NOT HOLD TRUE'}\n")
        sys.stdout.writelines(f"  {line}\n" for line in verdict.lines)
        status = max(status, 0 if verdict.ok else 1)
    return status


def _bench(arguments: Sequence[str]) -> int:
    """Measure the search: a table, or JSON."""
    import argparse
    import json

    from gtp_variants.errors import VariantsError
    from gtp_variants.thinking import bench

    parser = argparse.ArgumentParser(
        prog="gtp-variants bench",
        description="Playouts and simulations a second, of the native kernel and of plain Python.",
    )
    parser.add_argument("--json", action="store_true", help="print a list of JSON objects instead of a table")
    parser.add_argument("--spec", action="append", metavar="SPEC", help="a game; may be given again (default: many)")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="time for each line (default: 1)")
    options = parser.parse_args(arguments)
    rows = []
    try:
        for row in bench.rates(options.spec or bench.SPECS, options.seconds):
            rows.append(row)
            if not options.json:
                head = f"{row['spec']:<28}{row['what']:<13}{row['form']:<8}{row['threads']:>2} thread"
                sys.stdout.write(f"{head}{row['per_second']:>12,} a second{row['moves_per_second']:>15,} moves\n")
                sys.stdout.flush()
    except VariantsError as error:
        sys.stderr.write(f"gtp-variants bench: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    if options.json:
        sys.stdout.write(json.dumps(rows) + "\n")
    return 0


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "gtp": _gtp,
    "match": _match,
    "verify": _verify,
    "dice": _dice,
    "bench": _bench,
}
