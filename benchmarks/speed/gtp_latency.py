"""How long a host waits for the GTP engine: medians over real processes and pipes.

    python -m benchmarks.speed.gtp_latency [--starts 20] [--moves 250]

Prints one line per figure, with its target. A slow machine is not a failure.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from statistics import median

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.game import Game

ENGINE = [sys.executable, "-m", "gtp_variants", "gtp"]


def report(what: str, seconds: Iterable[float], aim: str = "") -> None:
    """Print the median of some times."""
    times = sorted(seconds)
    worst = times[int(0.99 * (len(times) - 1))]
    print(f"{what:58} {1000 * median(times):9.3f} ms   99% {1000 * worst:9.3f} ms   {aim}")


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def seconds_to_answer(command: list[str], environment: Mapping[str, str]) -> float:
    """Seconds from the start of a process to the end of its answer to `name`."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"name\n")
        process.stdin.flush()
        while process.stdout.readline().strip():
            pass
        return time.perf_counter() - began


def measure_start(times: int) -> None:
    """Measure the time from process start to the answer to `name`, against a bare interpreter."""
    bare = [sys.executable, "-c", "import sys; sys.stdin.readline(); sys.stdout.write('= bare\\n\\n')"]
    with tempfile.TemporaryDirectory() as compiled:
        # As for any user: modules compiled once and kept.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for command in (bare, ENGINE):
            seconds_to_answer(command, environment)
        pairs = [(seconds_to_answer(bare, environment), seconds_to_answer(ENGINE, environment)) for _ in range(times)]
    report("a bare interpreter, start to an answer", (first for first, _ in pairs))
    report("our engine, start to the answer to `name`", (second for _, second in pairs))
    print(f"{'the same as a ratio, paired':58} {median(second / first for first, second in pairs):9.2f}")


def moves_of(spec: str, seed: int, count: int) -> list[str]:
    """Return the `play` lines of a random game without passes, with dice that allow each stone."""
    rules = parse(spec)
    rng, game = random.Random(seed), Game(rules)
    while len(game.turns()) < count and not rules.is_over(game.position):
        actions = [action for action in rules.actions(game.position) if action >= 0 or game.position.to_play == CHANCE]
        if not actions:
            break
        game.play(game.position.to_play, rng.choice(actions))
    return [f"play {'?bw'[event.actor]} {rules.board.vertex(event.action)}" for event in game.turns()]


def measure_play(moves: int) -> None:
    """`play` alone, in process and through a pipe."""
    games = "go:size=13 go:size=19 aleago:size=13 aleago:size=19 phantom:size=13 phantom:size=19 rosette pentalath"
    for spec in games.split():
        lines = [line.encode() for line in moves_of(spec, 1, min(moves, 120 if "13" in spec else 200))]
        fresh, again = [], []
        for _ in range(5):
            engine = GtpEngine(Session(spec))
            engine.answer(b"gogui-rules_game_id\n")
            fresh += [timed(partial(engine.answer, line)) for line in lines]
            engine.answer(b"clear_board\n")
            again += [timed(partial(engine.answer, line)) for line in lines]
        report(f"play, {spec}, {len(lines)} moves", fresh, "aim 0.3 ms")
        report(f"play, {spec}, the same replayed", again, "aim 0.3 ms")
    with GtpController(ProcessChannel([*ENGINE, "rosette"])) as peer:
        times = [timed(partial(peer.send, line)) for line in moves_of("rosette", 1, moves)]
        report("play, rosette, through a pipe", times, "aim 0.3 ms")


def measure_legal_moves(spec: str) -> None:
    """Measure `gogui-rules_legal_moves` in a new, a repeated and a revisited position."""
    lines = moves_of(spec, 2, 150)
    engine = GtpEngine(Session(spec))
    engine.answer(b"gogui-rules_game_id\n")

    def ask() -> None:
        engine.answer(b"gogui-rules_legal_moves\n")

    first, again, replayed = [], [], []
    for line in lines:
        engine.answer(line.encode())
        first.append(timed(ask))
        again.append(timed(ask))
    for _ in range(20):
        engine.answer(b"clear_board\n")
        for line in lines:
            engine.answer(line.encode())
        replayed.append(timed(ask))
    report(f"legal_moves, {spec}, first time", first, "aim 3 ms")
    report(f"legal_moves, {spec}, repeated", again, "aim 0.1 ms")
    report(f"legal_moves, {spec}, after a replay of {len(lines)}", replayed, "aim 0.1 ms")


def measure_gogui(moves: int) -> None:
    """Measure a whole game as GoGui sends it to its ruler: three replays per move, each with all queries."""
    looks = [
        f"gogui-rules_{what}"
        for what in ("board", "board_size", "captured_count", "side_to_move", "board_gfx", "legal_moves")
    ]
    lines = moves_of("rosette", 3, moves)
    with tempfile.TemporaryDirectory() as folder:
        way = ProcessChannel([*ENGINE, "rosette"], stderr=Path(folder) / "stderr")
        with GtpController(way) as ruler:
            ruler.send("gogui-rules_game_id")
            per_move, plays = [], 0
            for number in range(1, len(lines) + 1):
                began = time.perf_counter()
                for _ in range(3):
                    ruler.send("clear_board")
                    for line in lines[:number]:
                        ruler.send(line)
                    plays += number
                    for look in looks:
                        ruler.send(look)
                per_move.append(time.perf_counter() - began)
    print(f"a Rosette game of {len(lines)} moves in GoGui's manner: {plays} plays, {sum(per_move):.1f} s in all")
    report("one move of it", per_move)
    report("one of its last ten moves", per_move[-10:])


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--moves", type=int, default=250)
    options = parser.parse_args()
    # The dice are those that GoGui's processes share.
    os.environ.setdefault("GTP_VARIANTS_HOST", "benchmark")
    measure_start(options.starts)
    measure_play(options.moves)
    for spec in ("go:size=19", "aleago:size=19", "rosette", "alter-igo:size=19", "pentalath"):
        measure_legal_moves(spec)
    measure_gogui(options.moves)


if __name__ == "__main__":
    main()
