"""Measure the cost of a separate process for a user's bot, and of a match compared with an older checkout.

    python -m benchmarks.speed.bot_process_cost [--games 20] [--against PATH]

The user's bot is a copy of `uniform`, against ours. Its games are played in turn in the referee's process (trusted), in
one of its own, and by the engine as a program (`gtp --bot FILE`). Printed are medians of milliseconds of a game for
each move of that bot, by the processor (this process and those it started, on Linux) and by the clock, and how much
more than trusted. The first says most on a machine that does other things as well, the second on one that does not.

With --against, another checkout, games of our own bots are played there and here in turn, in processes of their own:
processor milliseconds a game, medians and their ratio.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from site import getsitepackages
from statistics import median

from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, ProgramConfig
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.bots import uniform
from gtp_variants.rules import parse

SPECS = ("go:size=5", "aleago:size=9", "go:size=19", "phantom:size=9", "pentalath")
MOVE_LIMIT = 100
# Games of our own bots before the other checkout's turn.
GAMES_A_ROUND = 40
OURS = """\
import sys, time
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.player_config import BotConfig
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.rules import parse

players = BotConfig("one", "greedy"), BotConfig("two", "uniform")
settings = GameSettings(parse("aleago:size=9").spec, 100)
play_game(Fixture("m", 1, "a", "warm", players, settings))
start = time.process_time()
for number in range(int(sys.argv[1])):
    play_game(Fixture("m", number, "a", "seed", players, settings))
print((time.process_time() - start) / int(sys.argv[1]))
"""


def ways(file: Path) -> Mapping[str, PlayerConfig]:
    """Return the user's bot in its three forms; engine and process are kept between games."""
    command = (sys.executable, "-m", "gtp_variants", "gtp", "--bot", str(file))
    return {
        "trusted": BotConfig("mine", str(file), is_trusted=True),
        "its own": BotConfig("mine", str(file)),
        "engine": ProgramConfig("mine", command, restart="never", gtp_log="never", stderr="discard"),
    }


def processor_s() -> float:
    """Return the processor seconds of this process and its children."""
    total = time.process_time()
    for task in Path("/proc/self/task").glob("*"):
        for pid in (task / "children").read_text().split():
            # As clock_getcpuclockid(3) makes it.
            total += time.clock_gettime((~int(pid) << 3) | 2)
    return total


def move_ms(spec: str, player: PlayerConfig, number: int, folder: Path) -> tuple[float, float]:
    """Return milliseconds per move of the player, by processor time and by wall clock."""
    settings = GameSettings(parse(spec).spec, MOVE_LIMIT, try_limit=None)
    fixture = Fixture("m", number, "a", "seed", (player, BotConfig("other", "uniform")), settings)
    before_s = processor_s()
    row, record = play_game(fixture, folder)
    used_s = processor_s() - before_s
    assert not row.failures, row
    acted = sum(event.actor == record.game.rules.colours[0] for event in record.game.events)
    return 1000 * used_s / acted, 1000 * row.took_s / acted


def compare_ways(games: int, folder: Path) -> None:
    """Print the cost of a move in each form."""
    file = folder / "mine.py"
    file.write_text(Path(str(uniform.__file__)).read_text(encoding="utf-8"), encoding="utf-8")
    for spec in SPECS:
        took: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for number in range(games + 1):
            for way, player in ways(file).items():
                took[way].append(move_ms(spec, player, number, folder))
        # The first game also starts processes.
        for index, by in enumerate(("processor", "clock")):
            found = {way: [each[index] for each in times[1:]] for way, times in took.items()}
            usual = median(found["trusted"])
            said = ", ".join(f"{way} {median(ms):.2f} ({median(ms) - usual:+.2f})" for way, ms in found.items())
            print(f"{spec:14} ms a move by the {by:9}: {said}", flush=True)
    engines.end_all()


def compare_checkouts(rounds: int, other: Path) -> None:
    """Print the cost of a game of our own bots in both checkouts."""
    here = Path(__file__).resolve().parents[2]
    took: dict[Path, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for root in (other.resolve(), here):
            # Without `site`, which would find the installed package first.
            code = f"import sys; sys.path[:0] = {[str(root), *getsitepackages()]!r}\n{OURS}"
            command = [sys.executable, "-P", "-S", "-c", code, str(GAMES_A_ROUND)]
            done = subprocess.run(command, capture_output=True, check=True, cwd=root)
            took[root].append(1000 * float(done.stdout))
    (_, before), (_, now) = ((root, median(times)) for root, times in took.items())
    ratio = median(b / a for a, b in zip(*took.values(), strict=True))
    print(f"our own bots: {before:.2f} ms a game there, {now:.2f} ms here, ratio {ratio:.3f}")


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        compare_ways(options.games, Path(folder))
    if options.against is not None:
        compare_checkouts(options.games, options.against)


if __name__ == "__main__":
    main()
