"""How strong the search is: series of games with their scores and error bars.

    python -m benchmarks.strength.matches [NAME]... [--games 100] [-j 1]  play what is missing
    python -m benchmarks.strength.matches [NAME]... --report              print the table of what was played
    python -m benchmarks.strength.matches [NAME]... --levels [FILE]       each level against the one below
    python -m benchmarks.strength.matches --match SPEC FIRST SECOND       a series of your own
    python -m benchmarks.strength.matches --program SPEC COMMAND          a program of yours, told the time for a move
    python -m benchmarks.strength.matches --network SPEC FILE             a weight file against the search without one

NAME is that of a series or a pattern such as 'go9-*'; --list prints them, and they are played in the order named. Each
game that ends is a line in the file of results: a stopped run loses only the games in
progress, and the same command continues.

A move's seconds are those of the processor, so that other load does not bend a score. With --wall they are those of the
clock on the wall: for figures to be published, on a machine that does nothing else.

Games begin with two random stones; with --openings FILE, one of `configs/openings` for example, pair number n begins
with line n of it.

COMMAND of --program starts Pachi, KataGo or whatever speaks GTP, on one thread (`pachi -t =1 threads=1`). It is told a
clock of `--seconds` for each move, whole ones for most; ours thinks as long. With `--told 0` it is told no clock, for a
command that limits playouts. A series of --match, --program or --network is refused if one side thinks over a tenth
longer than the other; --unequal shows its score all the same. Nobody needs to take dead
stones off before passing: a search judges them in Go, unless SPEC has `dead=none`.

FILE of --levels is YAML, level: settings of the bot, for example `3: playouts=200,seconds=0`; without it the levels are
those that it has.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path

import gtp_variants as gv
from benchmarks.strength.matches.game import GameFailed, Played, load
from benchmarks.strength.matches.results import Results, is_unequal, score, table, verdict
from benchmarks.strength.matches.run import fixtures, play_all
from benchmarks.strength.matches.series import LEGS, LEVELS, SERIES, Series, phantom_timed, steps, timed
from gtp_variants.ai import backend
from gtp_variants.base import config_files
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.rules import parse
from gtp_variants.rules.traits import HiddenRules

_INTO = Path("out/strength/results.jsonl")


def main(arguments: Sequence[str]) -> int:
    """Run the command: 0, 1 after games that failed or a refused score, 2 for what cannot be read, 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    try:
        chosen = _chosen(options)
        if options.list:
            print("\n".join(f"{each.name:36} {each.first}\n{'':36} {each.second}" for each in chosen))
            return 0
        results = Results(options.into)
        status = 0 if options.report else _play(chosen, results, options)
        are_fair = _report(chosen, results, options)
    except (VariantsError, OSError) as error:
        print(f"strength: {error}", file=sys.stderr)
        return 2
    return status or int(not are_fair)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.strength.matches",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="series to play (default: all)")
    parser.add_argument("--games", type=int, default=100, help="games of each series (default %(default)s)")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="games at a time (default %(default)s)")
    parser.add_argument("--into", type=Path, default=_INTO, metavar="FILE", help="the results (default %(default)s)")
    parser.add_argument("--seed", default="strength", help="of openings, dice and thinking (default %(default)s)")
    parser.add_argument("--wall", action="store_true", help="measure seconds by the clock on the wall")
    parser.add_argument("--levels", nargs="?", const="", metavar="FILE", help="measure levels instead")
    parser.add_argument("--match", nargs=3, metavar=("SPEC", "FIRST", "SECOND"), help="measure two bots instead")
    parser.add_argument("--network", nargs=2, metavar=("SPEC", "FILE"), help="measure a weight file instead")
    parser.add_argument("--program", nargs=2, metavar=("SPEC", "COMMAND"), help="measure against a program instead")
    parser.add_argument("--seconds", type=float, default=0.1, help="a move of the last two (default %(default)s)")
    parser.add_argument("--told", type=float, metavar="SECONDS", help="clock of the program (default: as --seconds)")
    parser.add_argument("--unequal", action="store_true", help="show scores of sides that think unequally long")
    parser.add_argument("--openings", default="", metavar="FILE", help="begin with its lines")
    parser.add_argument("--report", action="store_true", help="play nothing")
    parser.add_argument("--list", action="store_true", help="print the series and their players")
    return parser


def _chosen(options: argparse.Namespace) -> list[Series]:
    """Return the requested series. Raises ConfigError for a pattern without a match."""
    if options.games < 1 or options.jobs < 1:
        raise ConfigError([f"--games {options.games} --jobs {options.jobs}: expected 1 or more"])
    if options.match or options.network or options.program:
        spec, *players = options.match or options.network or options.program
        if options.program:
            told = options.seconds if options.told is None else options.told
            players = [timed(options.seconds), f"program:{told}:{players[0]}"]
        if options.network:
            bot = phantom_timed if isinstance(parse(spec), HiddenRules) else timed
            players = [bot(options.seconds, f",net={net}") for net in (Path(players[0]).resolve(), "none")]
        first, second = players
        name = f"{first} : {second} at {spec}"
        fair = {"form": backend.search_backend(), "openings": options.openings, "equal_time": not options.unequal}
        known = [Series(name, spec, first, second, **fair)]
    elif options.levels is not None:
        known = list(steps(_read_levels(options.levels) if options.levels else LEVELS))
    else:
        known = list(SERIES)
    patterns = options.names or ["*"]
    missed = [f"{each}: no such series" for each in patterns if not any(fnmatchcase(one.name, each) for one in known)]
    if missed:
        raise ConfigError([*missed, f"known: {' '.join(series.name for series in known)}"])
    return list({one.name: one for each in patterns for one in known if fnmatchcase(one.name, each)}.values())


def _read_levels(path: str) -> dict[int, str]:
    document = config_files.read_yaml(Path(path).read_text(encoding="utf-8"))
    found, faults = document.tree, list(document.repeated)
    if faults:
        raise ConfigError([f"{path}: {fault}" for fault in faults])
    try:
        return {int(level): settings.strip() for level, settings in found.items()}
    except (AttributeError, ValueError):
        raise ConfigError([f"{path}: expected lines such as `3: playouts=200,seconds=0`"]) from None


def _play(chosen: Sequence[Series], results: Results, options: argparse.Namespace) -> int:
    """Play the missing games and print a line for each."""
    wanted = [fixture for each in chosen for fixture in fixtures(each, options.games, options.seed, options.wall)]
    todo = [fixture for fixture in wanted if fixture.id not in results.games]
    # Faults of all players are reported before the first game.
    if backend.search_backend() == "python" and any(each.series.form == "native" for each in todo):
        raise ConfigError(["the native kernel runs in most series, and here it does not; without it play '*-python'"])
    for spec, bot in {(each.series.spec, bot): None for each in todo for bot in each.bots}:
        if len(gv.parse(spec).colours) != len(LEGS):
            raise ConfigError([f"{spec}: expected a game for two"])
        load(bot)
    failed = 0
    try:
        with closing(play_all(todo, options.jobs)) as games:
            for fixture, ended in games:
                if isinstance(ended, GameFailed):
                    failed += 1
                    print(f"FAILED {ended}", file=sys.stderr, flush=True)
                    continue
                results.add(ended)
                print(_line(ended, results.of(fixture.series, fixture.settings), options.games), flush=True)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    except BrokenProcessPool:
        print("a process died in the middle of a game; the same command goes on", file=sys.stderr)
        return 1
    if failed:
        print(f"{failed} games failed and count for nobody; the same command tries them again", file=sys.stderr)
    return 1 if failed else 0


def _line(game: Played, so_far: Sequence[Played], of: int) -> str:
    """Return the line for a finished game, with its series' score so far."""
    mean, low, high = score(so_far)
    won = {1.0: "first", 0.0: "second"}.get(game.score, "draw")
    return (
        f"{game.series} {game.pair:03}{game.leg} {game.result:7} {won:6} {game.plies:3} plies {game.wall_s:6.1f} s   "
        f"{len(so_far)}/{of}: {mean:.1%} [{low:.1%}, {high:.1%}]"
    )


def _report(chosen: Sequence[Series], results: Results, options: argparse.Namespace) -> bool:
    """Print the table and what missed its aim; return False if a score is refused."""
    found = [(each, results.of(each, fixtures(each, 1, options.seed, options.wall)[0].settings)) for each in chosen]
    print(table(found))
    missed = [(each, games) for each, games in found if games and verdict(each, games) not in ("reached", "refused")]
    for series, games in missed:
        mean, low, high = score(games)
        print(f"{series.name}: {verdict(series, games)}, {mean:.1%} [{low:.1%}, {high:.1%}]: {series.first}")
    absent = [series.name for series, games in found if not games]
    if absent:
        print(f"no games yet: {' '.join(absent)}")
    return not any(games and is_unequal(series, games) for series, games in found)
