"""The cost of talking to an engine that answers at once: through bare pipes, our channel, and as a player.

    python -m benchmarks.speed.runner_cost [--games 100] [--moves 100] [--cc gcc]

An engine in C is compiled for it; it answers every command with the first free point or with nothing. A game is so
many moves, half of them its own, so about two commands for each of them. Prints one line per figure.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from gtp_variants.base.processes.channel import PolledPipes, ProcessChannel, ThreadedPipes
from gtp_variants.errors import PeerError
from gtp_variants.gtp.client.peer import GtpController, Launch, Peer, TalkLog
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.outcome import Outcome

NULL_ENGINE = r"""
#include <stdio.h>
#include <string.h>
static char used[19][19];
static void point(char *text) {
    for (int y = 0; y < 19; y += 2)
        for (int x = 0; x < 19; x++)
            if (!used[y][x]) { used[y][x] = 1; sprintf(text, "%c%d", "ABCDEFGHJKLMNOPQRST"[x], y + 1); return; }
    strcpy(text, "pass");
}
int main(void) {
    char line[4096], text[16];
    while (fgets(line, sizeof line, stdin)) {
        char colour, column; int row;
        text[0] = 0;
        if (!strncmp(line, "protocol_version", 16)) strcpy(text, "2");
        else if (!strncmp(line, "clear_board", 11)) memset(used, 0, sizeof used);
        else if (!strncmp(line, "genmove", 7)) point(text);
        else if (sscanf(line, "play %c %c%d", &colour, &column, &row) == 3 && row < 20)
            used[row - 1][column - 'A' - (column > 'I')] = 1;
        printf("= %s\n\n", text);
        fflush(stdout);
        if (!strncmp(line, "quit", 4)) return 0;
    }
    return 0;
}
"""


class Engines:
    """The engine processes, one for each seat of each game."""

    def __init__(self, command: str, folder: Path) -> None:
        self.launch, self.folder = Launch((command,)), folder

    def take(self, colour: int, seed: str) -> Peer:
        stem = str(self.folder / f"{seed}-{colour}")
        return Peer(self.launch.start(Path(stem + ".stderr")), self.launch, TalkLog(Path(stem + ".gtp")))

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        peer.close()


def bare_game(command: str, moves: int) -> None:
    """Play a game of two engines through bare pipes."""
    both = [subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) for _ in range(2)]
    for number in range(moves):
        _bare(both[number % 2], b"genmove b\n")
        _bare(both[1 - number % 2], b"play b A1\n")
    for process in both:
        _bare(process, b"quit\n")
        process.wait()
        process.stdin.close()  # type: ignore[union-attr]
        process.stdout.close()  # type: ignore[union-attr]


def _bare(process: "subprocess.Popen[bytes]", line: bytes) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    answer = b""
    while not answer.endswith(b"\n\n"):
        answer += os.read(process.stdout.fileno(), 4096)


def channel_game(command: str, moves: int, pipes: type[PolledPipes] | type[ThreadedPipes]) -> None:
    """Play the same game through channel and controller."""
    both = [GtpController(ProcessChannel([command], pipes=pipes)) for _ in range(2)]
    for number in range(moves):
        both[number % 2].send("genmove", "b")
        both[1 - number % 2].send("play", "b", "A1")
    for peer in both:
        peer.close()


def played_game(engines: Engines, moves: int, number: int) -> None:
    """Play a game of two engines at a table, with rules and logs on disk."""
    table = Table(parse("go:size=19,repetition=simple"), lambda: DiceStream(b""))
    for colour in (BLACK, WHITE):
        table.seat(colour, GtpPlayer(engines), str(number))
    for _ in range(moves):
        table.step()
    table.close(None)


def rules_game(moves: int) -> None:
    """Play the same game with the rules alone."""
    table = Table(parse("go:size=19,repetition=simple"), lambda: DiceStream(b""))
    points = [19 * y + x for y in range(0, 19, 2) for x in range(19)]
    for number in range(moves):
        table.play((BLACK, WHITE)[number % 2], points[number])


def report(what: str, work: Callable[[int], None], games: int) -> None:
    """Print the median over the games, and this process's processor time for one."""
    times = []
    used = time.process_time()
    for number in range(games):
        began = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - began)
    used = time.process_time() - used
    print(f"{what:52} {1000 * median(times):8.2f} ms a game   {1000 * used / games:8.2f} ms of ours")


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs to speak to an engine that answers at once.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--moves", type=int, default=100, help="at most 190")
    parser.add_argument("--cc", default=shutil.which("cc") or "gcc")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, command = Path(folder) / "null.c", str(Path(folder) / "null")
        source.write_text(NULL_ENGINE, encoding="utf-8")
        subprocess.run([options.cc, "-O2", "-o", command, str(source)], check=True)
        engines, games, moves = Engines(command, Path(folder)), options.games, options.moves
        print(f"{moves} moves, {2 * moves} commands, two fresh engines a game, one game at a time")
        report("bare pipes", lambda number: bare_game(command, moves), games)
        report("channel and controller", lambda number: channel_game(command, moves, PolledPipes), games)
        report("the same with threads", lambda number: channel_game(command, moves, ThreadedPipes), games)
        report("the rules of 19x19 alone", lambda number: rules_game(moves), games)
        report("a game at a table, talks kept", lambda number: played_game(engines, moves, number), games)


if __name__ == "__main__":
    main()
