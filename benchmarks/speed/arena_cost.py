"""Measure the arena's own cost with a program that answers at once, and how busy real programs are.

    python -m benchmarks.speed.arena_cost [--games 200] [--size 19]

The program is a GTP engine in C (compiled here by `cc`) that puts stones on every second row, where nothing is ever
captured, and passes after 50. Printed are wall-clock and CPU milliseconds a game, of the process that plays and without
the programs' own CPU; starting and greeting the programs is part of a game unless they are kept (`restart: never`).

With bots of ours as programs it is how much of the processor time of a match is theirs, which depends little on what
else the machine does, and how busy they keep the cores by the clock, which is for a machine that does nothing else.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gtp_variants.arena.config import resolve
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.run.worker import pack_game
from gtp_variants.arena.schedule import units
from gtp_variants.base.processes.cores import available_cores

ENGINE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    static char line[65536];
    int size = 19, moves = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "boardsize", 9)) size = atoi(line + 9);
        if (!strncmp(line, "clear_board", 11)) moves = 0;
        if (!strncmp(line, "list_commands", 13)) {
            printf("= protocol_version\nname\nversion\nlist_commands\nquit\nboardsize\n");
            printf("clear_board\nkomi\nplay\ngenmove\n\n");
        } else if (!strncmp(line, "genmove", 7)) {
            int x = moves % size, y = 4 * (moves / size) + (line[8] == 'w' ? 3 : 1);
            if (moves++ < 50) printf("= %c%d\n\n", "ABCDEFGHJKLMNOPQRST"[x], y);
            else printf("= pass\n\n");
        } else printf("= 2\n\n");
        fflush(stdout);
        if (!strncmp(line, "quit", 4)) break;
    }
    return 0;
}
"""
MATCH = """
arena: 1
players:
  a: {{command: {command}, restart: {restart}}}
  b: {{command: {command}, restart: {restart}}}
defaults: {{variant: "go:size={size}"}}
tournament: {{type: playoff, pairs: {pairs}}}
outputs: {{gtp_log: never}}
seed: 1
"""
# Runs a program and adds its processor time to a file.
METER = """
import resource, subprocess, sys
subprocess.call(sys.argv[2:])
parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
with open(sys.argv[1], "a") as file:
    print(sum(part.ru_utime + part.ru_stime for part in parts), file=file)
"""
REAL = """
arena: 1
name: busy
players:
  a: {{command: [{python}, {meter}, {used}, {python}, -m, gtp_variants, gtp, --bot, "{bot}"], restart: never}}
  b: {{command: [{python}, {meter}, {used}, {python}, -m, gtp_variants, gtp, --bot, "{bot}"], restart: never}}
defaults: {{variant: "go:size=9"}}
tournament: {{type: playoff, pairs: {pairs}}}
outputs: {{dir: {folder}, gtp_log: never}}
seed: 1
"""


def cost(folder: Path, games: int, size: int, restart: str) -> None:
    """Play games of the program against itself in this process."""
    (folder / "engine.c").write_text(ENGINE)
    engine = folder / "engine"
    subprocess.run(["cc", "-O2", "-o", engine, folder / "engine.c"], check=True)
    text = MATCH.format(command=engine, restart=restart, size=size, pairs=games // 2 + 1)
    config = resolve.read(text)
    fixtures = [fixture for unit in units(config, {}) for fixture in unit.fixtures(config)]
    pack_game(fixtures[0], *play_game(fixtures[0], folder), {})  # everything is imported
    wall, cpu = time.perf_counter(), time.process_time()
    moves = 0
    for fixture in fixtures[1 : games + 1]:
        row, record = play_game(fixture, folder)
        assert not row.failures, row
        pack_game(fixture, row, record, {})
        moves += row.moves
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    engines.end_all()
    took = f"{1000 * wall / games:.1f} ms a game, {1000 * cpu / games:.1f} ms CPU"
    print(f"{size}x{size}, restart {restart}: {took} ({moves / games:.0f} moves, {2 * moves / games:.0f} commands)")


def busy(folder: Path, pairs: int, jobs: int, bot: str) -> None:
    """Let real programs play; print their share of the processor time, and of the cores."""
    file, meter, used = folder / "busy.yaml", folder / "meter.py", folder / f"used{jobs}"
    meter.write_text(METER)
    file.write_text(
        REAL.format(python=sys.executable, meter=meter, used=used, bot=bot, pairs=pairs, folder=folder / f"busy{jobs}")
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter()
    command = [sys.executable, "-m", "gtp_variants", "match", file, "-j", str(jobs), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    everybody = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    engines = sum(map(float, used.read_text().split()))
    cores = min(jobs, available_cores())
    print(
        f"-j {jobs}: {2 * pairs} games in {wall:.1f} s; processor time of the programs {engines:.1f} s, of all else "
        f"{everybody - engines:.2f} s: {100 * engines / everybody:.1f} % is theirs; "
        f"by the clock they had {100 * engines / (wall * cores):.0f} % of {cores} cores"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--pairs", type=int, default=20, help="of real programs")
    parser.add_argument("--bot", default="mcts:playouts=2000,seconds=0,resign=false", help="that they play")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for restart in ("game", "never"):
            cost(Path(name), options.games, options.size, restart)
        for jobs in (1, 2):
            busy(Path(name), options.pairs, jobs, options.bot)
