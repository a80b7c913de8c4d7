"""Play honest bots among hostile ones, and count what the honest ones are charged with.

    python -m benchmarks.correctness.hostile_players [--games 1000] [--jobs 1] [--fast 10000] [--folder out/hostile]

Three honest players, two bots from this file and a program, are equally strong: all play at random. So do the hostile
ones, each with an attack of its own before its moves: signals to every process it finds, reading memory and
environments, processes that leave their group and never end, many processes, full folders, much memory, a flood of
standard error, a late answer, an invalid one, and an end in the middle of a game. Printed are the failures of each
player, the honest players' Elo with its 95 % interval, and the processes of
players that are left over.

With --fast, our own bots also play very short games with a deadline of two seconds for each answer. Printed is the
number of failures, which should be 0.
"""

import argparse
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import gtp_variants as gv

MARK = "hostile-players-runaway"
HONEST = ("honest1", "honest2", "program")
# Bytes of memory and of files that an attack takes at each move.
_GREED = 2**24


def others() -> Iterator[int]:
    """Return the other processes in sight, but not our group: a player that ends itself makes its game void."""
    ours = os.getpid()
    found = {int(each.name) for each in Path("/proc").glob("[0-9]*")} | set(range(max(1, ours - 300), ours + 300))
    return iter(found - {ours, os.getpgrp()})


def send_signals() -> None:
    """Send signals to every process, to every group, and to everything at once."""
    for pid in others():
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
            for send in (os.kill, os.killpg):
                attempt(send, pid, number)


def read_secrets() -> None:
    """Read the memory, the environment and the open files of every process."""
    for pid in others():
        for name in ("mem", "environ", "maps"):
            attempt(lambda name=name, pid=pid: Path(f"/proc/{pid}/{name}").read_bytes())


def run_away() -> None:
    """Start a process that leaves the group and outlives its parent."""
    code = (
        f"import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(600) # {MARK}"
    )
    subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


def multiply() -> None:
    """Start many processes."""
    for _ in range(10):
        attempt(subprocess.Popen, ["sleep", "5"], stdout=subprocess.DEVNULL)


def fill_folders() -> None:
    """Fill the temporary folder and the one in shared memory."""
    for folder in ("/tmp", "/dev/shm", "."):
        attempt(lambda folder=folder: Path(folder, f"greed-{time.time()}").write_bytes(bytes(_GREED)))


def flood_stderr() -> None:
    sys.stderr.write("x" * 2**22)


ATTACKS: dict[str, Callable[[], object]] = {
    "signals": send_signals,
    "reader": read_secrets,
    "runaway": run_away,
    "multiplier": multiply,
    "filler": fill_folders,
    "hoarder": lambda: Hostile.hoard.append(bytes(_GREED)),
    "flooder": flood_stderr,
    "sleeper": lambda: time.sleep(20),
    "liar": lambda: 10**6,
    "deserter": lambda: os._exit(3),
}
# Attacks that end a game, made only now and then.
_RARE = ("sleeper", "liar", "deserter")


def attempt(act: Callable[..., object], *arguments: object, **more: object) -> None:
    """Call a function, and ignore that the system forbids it."""
    with suppress(OSError):
        act(*arguments, **more)


class Plain(gv.Seat):
    """An honest bot from a file."""


class Hostile(gv.Seat):
    """Makes the attack named `kind` before its third, sixth, ... move."""

    parameters: ClassVar[dict[str, Any]] = {"kind": str}
    kind: str
    hoard: ClassVar[list[bytes]] = []

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """Attack, then choose a move."""
        is_due = view.turn // 2 % 3 == 2 and (self.kind not in _RARE or Random().random() < 0.02)
        found = ATTACKS[self.kind]() if is_due else None
        return found if isinstance(found, int) else super().choose(view, clock)


def play_mixed(folder: Path, games: int, jobs: int) -> None:
    """Play honest and hostile players against each other, and print what became of them."""
    bot = Path(__file__).absolute()
    program = f"{sys.executable} -m gtp_variants gtp --bot uniform"
    players = dict(zip(HONEST, (f"bot:{bot}:Plain", f"bot:{bot}:Plain", program), strict=True))
    players |= {kind: f"bot:{bot}:Hostile:kind={kind}" for kind in ATTACKS}
    pairs = math.ceil(games / (len(players) * (len(players) - 1)))
    result = run("mixed", "go:size=5", players, pairs, folder, jobs, "move_limit: 40, limits: {command: 10s}")
    report = result.as_json()
    print(f"{report['games']} games of {len(players)} players")
    for player in report["players"]:
        failures = {kind: count for kind, count in player["failures"].items() if count}
        print(f"  {player['name']:10} wall {player['wall']:10} games {player['games']:4} failures {failures or 'none'}")
    for name in HONEST:
        elo = result.elo_of(name)
        print(f"  Elo of {name}: " + ("unknown" if elo is None else "{:.0f} [{:.0f}, {:.0f}]".format(*elo)))
    time.sleep(5)
    left = [pid for pid in others() if MARK in read_command(pid)]
    print(f"  processes left over: {len(left)}")


def read_command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def play_fast(folder: Path, games: int, jobs: int) -> None:
    """Play very short games, and print the number of failures."""
    players = {"one": "bot:uniform", "two": "bot:uniform"}
    limits = "move_limit: 12, limits: {command: 2s}"
    report = run("fast", "go:size=3", players, games // 2, folder, jobs, limits).as_json()
    failures = sum(sum(player["failures"].values()) for player in report["players"])
    void = sum(each["interferences"] for each in report["matchups"])
    print(f"{report['games']} fast games: {failures} failures, {void} void")


def run(
    name: str, spec: str, players: dict[str, str], pairs: int, folder: Path, jobs: int, defaults: str
) -> gv.MatchResult:
    """Play a round robin from a match file, and return its result."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = "".join(f'  {player}: {{command: "{command}"}}\n' for player, command in players.items())
    file = folder / f"{name}.yaml"
    file.write_text(
        f'arena: 1\nplayers:\n{blocks}defaults: {{variant: "{spec}", max_failures: none, {defaults}}}\n'
        f"tournament: {{type: roundrobin, pairs: {pairs}}}\nconcurrency: {jobs}\n"
        f'outputs: {{dir: "{folder.absolute() / name}"}}\n'
    )
    return gv.Match(file).play()


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="of honest and hostile players; 0 for none")
    parser.add_argument("--fast", type=int, default=0, help="games of two of our bots")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    parser.add_argument("--folder", type=Path, default=Path("out/hostile"))
    options = parser.parse_args(arguments)
    if options.games:
        play_mixed(options.folder, options.games, options.jobs)
    if options.fast:
        play_fast(options.folder, options.fast, options.jobs)


if __name__ == "__main__":
    main()
