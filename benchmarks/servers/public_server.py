"""Measure a public server: bots log in, play, lose the server and come back, with and without attackers.

    python -m benchmarks.servers.public_server                  # 200 bots, 500 hostile connections, 500 moves a second
    python -m benchmarks.servers.public_server --bots 20 --hostile 50 --rate 50 --seconds 3 --json figures.json

The server is a process of its own, the bots and the hostile connections are two others, all on this computer: they
share its processors, and what the others cost is in the figures; an echo of one line by a process that does nothing
else is timed meanwhile, and says how much of a figure is the computer's, and so does for how long the thread
of the games could run and had no processor. Bots come from 127.0.0.1, hostile connections
from five addresses beside it (`--beside` puts them on the bots' own). A move is timed from the bot that sends it to the
one that reads it. Hostile connections hang, flood, guess passwords and send noise, and come back as soon as they are
cut. With `--first` server, bots and echo have processors before everything else on the computer, the hostile
connections included, so that what is left of a figure is the server's own (Linux, as root: the group of the scheduler
is raised, in which the server's hashing still gives way to its games). `--stretches` shows how long the server's event
loop was at one thing at most; `--readers` load pages of its games meanwhile.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sized
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event as EventClass
from pathlib import Path
from socket import socket

SPEC = "go:size=9"
COLUMNS = "ABCDEFGHJ"
PASSWORD = "tulips-1637"
# The account whose password is guessed before there are bots.
VICTIM = "victim"
KINDS = ("hang", "flood", "guess", "noise")
# Seconds that a bot waits before it tries again.
AGAIN_S = 0.2
TIMED = "benchmarks.servers.timed_server"


@dataclass
class Figures:
    """Measurements of one bot or all: seconds per move, times of logins and of returns to a game."""

    moves_s: list[float] = field(default_factory=list)
    logged_in: dict[str, float] = field(default_factory=dict)
    seated: dict[str, float] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)


class Pace:
    """Schedules moves so that all bots together make a fixed number per second."""

    def __init__(self, rate_hz: float) -> None:
        self.rate_hz = rate_hz
        self._next_s = 0.0
        self.is_open = asyncio.Event()

    async def wait(self) -> None:
        """Until a move is due."""
        await self.is_open.wait()
        self._next_s = max(self._next_s + 1 / self.rate_hz, time.monotonic() - 0.1)
        await asyncio.sleep(max(0.0, self._next_s - time.monotonic()))


class Crowd:
    """Bots that play each other. Both seats of a game are in one process, so one clock times a move."""

    def __init__(self, port: int, pace: Pace) -> None:
        self.port = port
        self.pace = pace
        self.figures = Figures()
        self.is_over = False
        # (game, ply) -> when it was sent.
        self._sent: dict[tuple[str, str, str], float] = {}

    async def bot(self, name: str) -> None:
        """Log in, play, and come back whenever the line is lost."""
        while not self.is_over:
            writer = None
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                for answer in ("e1 crowd/1 variants=go", name, PASSWORD):
                    await reader.readuntil()
                    writer.write(f"{answer}\n".encode())
                await self._play(name, reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                pass
            finally:
                if writer is not None:
                    writer.close()
            if not self.is_over:
                await asyncio.sleep(AGAIN_S)

    async def _play(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        free: list[str] = []
        game = ""
        while True:
            line = (await reader.readuntil()).decode()
            words = line.split()
            now = time.monotonic()
            match words[0]:
                case "Error:":
                    self.figures.refused.append(line.strip())
                    return
                case "variant":
                    game = words[1]
                    free = [f"{column}{row}" for column in COLUMNS for row in range(1, 10)]
                    random.Random(game).shuffle(free)
                    # Every third line stays free, so nothing can be captured.
                    free = [point for point in free if int(point[1:]) % 3]
                case "setup":
                    self.figures.seated.setdefault(name, now)
                case "play":
                    sent = self._sent.pop((game, words[1], words[2].upper()), None)
                    if sent is not None:
                        self.figures.moves_s.append(now - sent)
                    if words[2].upper() in free:
                        free.remove(words[2].upper())
                case "genmove":
                    await self.pace.wait()
                    move = free.pop() if free else "resign"
                    self._sent[game, words[1], move] = time.monotonic()
                    writer.write(f"{move}\n".encode())
                case "gameover":
                    writer.write(b"ready\n")
            self.figures.logged_in.setdefault(name, now)


async def until(count: int, found: Sized, limit_s: float) -> None:
    """Wait until a collection has this many entries, up to a time limit."""
    end = time.monotonic() + limit_s
    while len(found) < count and time.monotonic() < end:
        await asyncio.sleep(0.02)


def start(
    folder: Path, port: int, more: list[str], stretches: bool = False, specs: tuple[str, ...] = (SPEC,)
) -> subprocess.Popen[bytes]:
    """Start the server, with its log in its folder."""
    program = [TIMED, str(folder / "stretches.json")] if stretches else ["gtp_variants", "server"]
    command = [sys.executable, "-m", *program, *specs, "--dir", str(folder), "--port", str(port)]
    command += ["--time", "1h", "--pause", "0s", "--pair", "1s", "--new-accounts", "5000", *more]
    with (folder / "server.log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)


async def time_echoes(found: list[float]) -> None:
    """Send a line to a process that echoes it, again and again, and note how long that takes."""
    echo = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-uc", "import sys\nfor line in sys.stdin: sys.stdout.write(line)"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert echo.stdin is not None
    assert echo.stdout is not None
    try:
        while True:
            since = time.monotonic()
            echo.stdin.write(b"echo\n")
            await echo.stdout.readline()
            found.append(time.monotonic() - since)
            await asyncio.sleep(0.02)
    finally:
        echo.kill()
        await echo.wait()


def free_port() -> int:
    """Return an unused port."""
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def attack(kind: str, port: int, address: str, number: int, are_in: EventClass) -> None:
    """Attack the server until killed; guess the bots' passwords once there are bots."""
    while True:
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            try:
                if kind == "flood":
                    writer.write(b"e1 flood/1\nx\n" + b"noise\n" * 5000)
                elif kind == "guess":
                    name = f"bot{number % 200:03}" if are_in.is_set() else VICTIM
                    writer.write(f"e1 guess/1\n{name}\nguess-{random.random()}\n".encode())
                elif kind == "noise":
                    writer.write(random.randbytes(400))
                while await reader.read(65536):
                    pass
            finally:
                writer.close()
        await asyncio.sleep(0.05)


def be_hostile(count: int, port: int, beside: bool, are_in: EventClass) -> None:
    """Run hostile connections of every kind in their own process."""

    async def all_of_them() -> None:
        await asyncio.gather(
            *(
                attack(KINDS[n % len(KINDS)], port, "127.0.0.1" if beside else f"127.0.0.{2 + n % 5}", n, are_in)
                for n in range(count)
            )
        )

    # A separate group of the scheduler.
    os.setsid()
    os.nice(1)
    asyncio.run(all_of_them())


async def read_pages(port: int, number: int) -> None:
    """Load pages of games one after the other until killed."""
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            path = f"/game/{random.randrange(1, 100)}" if number % 2 else "/"
            writer.write(f"GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n".encode())
            await reader.read(-1)
            writer.close()
        await asyncio.sleep(0.01)


def take_precedence() -> None:
    """Give this process and its children the highest priority. Raises OSError if that is impossible."""
    with suppress(PermissionError):
        os.setsid()
    Path("/proc/self/autogroup").write_text("-20", encoding="ascii")


def show_stretches(server: subprocess.Popen[bytes], folder: Path) -> None:
    """Print the longest stretches of the server's event loop."""
    server.send_signal(signal.SIGUSR1)
    out = folder / "stretches.json"
    while not out.exists() and server.poll() is None:
        time.sleep(0.05)
    told = json.loads(out.read_text(encoding="utf-8"))
    print("  the longest stretches of its event loop, ms of processor time, and how often:")
    for name, (count, _, longest_s) in sorted(told["totals"].items(), key=lambda each: -each[1][2])[:10]:
        print(f"    {1000 * longest_s:8.1f} {count:8} {name}")
    rest_s = max((lasted_s - cpu_s - waited_s for _, lasted_s, cpu_s, waited_s in told["long"]), default=0.0)
    print(f"  the longest wait for a disk or another thread: {1000 * rest_s:.1f} ms")


def percentile(values: list[float], share: float) -> float:
    """Return the percentile of the values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


async def measure(options: argparse.Namespace, folder: Path, hostile: int) -> dict[str, float]:
    """The figures of one server: logins, moves, and what happens after a kill."""
    port = free_port()
    pages = free_port()
    more = [*options.option, *([f"--http={pages}"] if options.readers else [])]
    server = start(folder, port, more, options.stretches)
    processes = multiprocessing.get_context("spawn")
    are_in = processes.Event()
    attackers = processes.Process(target=be_hostile, args=(hostile, port, options.beside, are_in))
    pace = Pace(options.rate)
    crowd = Crowd(port, pace)
    figures = crowd.figures
    await until_open(port, server)
    if hostile:
        victim = asyncio.create_task(crowd.bot(VICTIM))
        # The server sends nothing after the login until there is an opponent.
        await asyncio.sleep(1.0)
        victim.cancel()
        attackers.start()
        await asyncio.sleep(2.0)
    begun = time.monotonic()
    bots = [asyncio.create_task(crowd.bot(f"bot{number:03}")) for number in range(options.bots)]
    try:
        await until(options.bots, figures.logged_in, options.patience)
        found = {
            "logged in": len(figures.logged_in),
            "logins, s": max(figures.logged_in.values(), default=float("nan")) - begun,
        }
        are_in.set()
        await until(options.bots, figures.seated, options.patience)
        found["seated"] = len(figures.seated)
        pace.is_open.set()
        await asyncio.sleep(1.0)
        figures.moves_s.clear()
        echoes: list[float] = []
        beside = [asyncio.create_task(time_echoes(echoes))]
        beside += [asyncio.create_task(read_pages(pages, number)) for number in range(options.readers)]
        since, cpu_s, waited_s = time.monotonic(), cpu_of(server.pid), waited_of(server.pid)
        await asyncio.sleep(options.seconds)
        await until(1, figures.moves_s, options.patience)
        for task in beside:
            task.cancel()
        await asyncio.wait(beside)
        found["moves/s"] = len(figures.moves_s) / (time.monotonic() - since)
        found["server's processor, %"] = 100 * (cpu_of(server.pid) - cpu_s) / (time.monotonic() - since)
        found["waits for a processor, %"] = 100 * (waited_of(server.pid) - waited_s) / (time.monotonic() - since)
        found["processor a move, ms"] = 1000 * (cpu_of(server.pid) - cpu_s) / max(1, len(figures.moves_s))
        for share in (0.5, 0.99, 0.999):
            found[f"p{100 * share:g} of a move, ms"] = 1000 * percentile(figures.moves_s, share)
            found[f"p{100 * share:g} of an echo, ms"] = 1000 * percentile(echoes[1:], share)
        if options.stretches:
            show_stretches(server, folder)
        # Every bot has a game in progress or waits for the next.
        server.send_signal(signal.SIGKILL)
        server.wait()
        killed = time.monotonic()
        figures.logged_in.clear()
        figures.seated.clear()
        server = start(folder, port, more)
        await until(options.bots, figures.seated, options.patience)
        found["back"] = len(figures.seated)
        found["back after the kill, s"] = max(figures.seated.values(), default=float("nan")) - killed
        found["refused bots"] = len(figures.refused)
    finally:
        crowd.is_over = True
        for bot in bots:
            bot.cancel()
        await asyncio.wait(bots)
        if hostile:
            attackers.kill()
            attackers.join()
        server.terminate()
        server.wait()
    return found


async def until_open(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait for a server to listen. Raises RuntimeError if it ends instead."""
    while server.poll() is None:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise RuntimeError(f"the server ended with status {server.returncode}")


def cpu_of(pid: int) -> float:
    """Seconds of processor time that a process has had, with all its threads."""
    words = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def waited_of(pid: int) -> float:
    """Seconds in which the first thread of a process could run and had no processor."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9


def main() -> int:
    """Measure and print; return 1 if a bot did not come back."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--hostile", type=int, default=500)
    parser.add_argument("--rate", type=float, default=500.0, help="moves a second")
    parser.add_argument("--seconds", type=float, default=10.0, help="for which moves are timed")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for logins and a move")
    parser.add_argument("--beside", action="store_true", help="hostile connections come from the bots' own address")
    parser.add_argument("--option", action="append", default=[], help="of the server, such as --option=--half-open=100")
    parser.add_argument("--only", choices=("quiet", "hostile"), help="measure one of the two")
    parser.add_argument("--first", action="store_true", help="before all else on this computer; needs Linux and root")
    parser.add_argument("--stretches", action="store_true", help="show what the server's event loop was at longest")
    parser.add_argument("--readers", type=int, default=0, help="browsers that load pages meanwhile")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    if options.first:
        take_precedence()
    results = {}
    for name, hostile in {"quiet": 0, "hostile": options.hostile}.items():
        if options.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            results[name] = asyncio.run(measure(options, Path(folder), hostile))
        print(f"{name}: load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        for key, value in results[name].items():
            print(f"  {key:28} {value:10.2f}")
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return int(any(found["back"] < options.bots for found in results.values()))


if __name__ == "__main__":
    sys.exit(main())
