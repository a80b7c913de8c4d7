"""The command `gtp-variants match`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from gtp_variants import configs
from gtp_variants.arena import config as configuration, report
from gtp_variants.arena.config import MatchConfig
from gtp_variants.arena.runner import COMPLETE, INTERRUPTED, WRONG, run
from gtp_variants.arena.screen import follow
from gtp_variants.arena.store import Store
from gtp_variants.errors import ConfigError, VariantsError

EPILOG = """\
actions:
  run      play what is left of the match (default); Ctrl-C stops it, the same command goes on
  show     print the result so far; `report` is the same
  check    read the file, start the players, play nothing
  reset    delete the games of the match
  stop     ask a running match to stop after the games that are on

exit status: 0 complete, 1 wrong usage or file, 2 interrupted (can go on), 3 stopped by failures of a player
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """2 would say that the match was interrupted."""
        self.print_usage(sys.stderr)
        self.exit(WRONG, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit status."""
    parser = _Parser(
        prog="gtp-variants match",
        description="Let bots play the games that a YAML file describes.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a YAML file, or the name of one of ours: " + _ours())
    parser.add_argument("action", nargs="?", default="run", choices=ACTIONS, metavar="ACTION", help="see below")
    parser.add_argument("--seed", metavar="TEXT", help="instead of the seed in the file")
    parser.add_argument("--max-games", type=_count, metavar="N", help="play at most N games this time")
    parser.add_argument("-j", "--jobs", type=_count, metavar="N", help="games at a time, each in its own process")
    parser.add_argument("--quiet", action="store_true", help="print nothing but the result")
    options = parser.parse_intermixed_args(arguments)
    try:
        config = configuration.load(_find(options.file))
        if options.seed is not None:
            config = replace(config, seed=options.seed)
        elif not config.seed:
            config = replace(config, seed=Store(config.folder).seed())
        return ACTIONS[options.action](config, options)
    except ConfigError as error:
        count = "" if len(error.faults) == 1 else f" {len(error.faults)} faults:"
        text = "".join(f"\n  {fault}" for fault in error.faults) if count else f" {error.faults[0]}"
        sys.stderr.write(f"{options.file}:{count}{text}\n")
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, VariantsError) as error:
        sys.stderr.write(f"gtp-variants match: {error}\n")
    return WRONG


def _ours() -> str:
    return ", ".join(configs.names())


def _find(name: str) -> Path:
    path = Path(name).expanduser()
    return path if path.is_file() else configs.path(name)


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 10**9:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, not {text[:40]!r}")
    return int(text)


def _run(config: MatchConfig, options: argparse.Namespace) -> int:
    store = Store(config.folder)
    with store.locked() as is_ours:
        if not is_ours:
            raise VariantsError(f"another process is playing this match in {config.folder}")
        if not config.seed:
            config = replace(config, seed=store.make_seed())
        changes = store.changes(config)
        if changes:
            listed = "".join(f"\n  {change}" for change in changes)
            why = f"the games in {config.folder} were played otherwise; `reset` them or change outputs.dir:"
            raise VariantsError(why + listed)
        jobs = options.jobs or config.concurrency
        if jobs > (os.cpu_count() or jobs):
            sys.stderr.write(f"warning: {jobs} games at a time on {os.cpu_count()} cores\n")
        with follow(config, store.played(), options.quiet) as watch:
            ending = run(config, store, watch, jobs, options.max_games)
    rows = store.played()
    sys.stdout.write(report.text(report.tallies(config, rows.values())) + "\n")
    if ending.status != COMPLETE:
        go_on = "; the same command goes on" if ending.status == INTERRUPTED else ""
        sys.stderr.write(f"{ending.why}{go_on}\n")
    elif not options.quiet:
        sys.stderr.write(f"records in {config.folder}\n")
    return ending.status


def _show(config: MatchConfig, options: argparse.Namespace) -> int:
    store = Store(config.folder)
    for change in store.changes(config):
        sys.stderr.write(f"warning: the games were played otherwise: {change}\n")
    sys.stdout.write(report.text(report.tallies(config, store.played().values())) + "\n")
    return COMPLETE


def _check(config: MatchConfig, options: argparse.Namespace) -> int:
    games = 2 * sum(matchup.pairs for matchup in config.matchups)
    lines = [f"{config.name}: {games} games, records in {config.folder}"]
    lines += [f"  {m.id}: {m.pairs} pairs of {m.game.spec}" for m in config.matchups]
    lines += [f"  {name}: {bot} is ready" for name, bot in config.players.items()]
    sys.stdout.write("\n".join(lines) + "\n")
    return COMPLETE


def _reset(config: MatchConfig, options: argparse.Namespace) -> int:
    store = Store(config.folder)
    if not config.folder.is_dir():
        count = 0
    else:
        with store.locked() as is_ours:
            if not is_ours:
                raise VariantsError(f"another process is playing this match in {config.folder}; `stop` it first")
            count = store.reset()
    sys.stdout.write(f"{count} games deleted from {config.folder}\n")
    return COMPLETE


def _stop(config: MatchConfig, options: argparse.Namespace) -> int:
    store = Store(config.folder)
    if config.folder.is_dir():
        with store.locked() as is_ours:
            if not is_ours:
                store.ask_to_stop()
                sys.stdout.write("asked to stop after the games that are on\n")
                return COMPLETE
    sys.stderr.write(f"nobody is playing this match in {config.folder}\n")
    return WRONG


ACTIONS: dict[str, Callable[[MatchConfig, argparse.Namespace], int]] = {
    "run": _run,
    "show": _show,
    "report": _show,
    "check": _check,
    "reset": _reset,
    "stop": _stop,
}
