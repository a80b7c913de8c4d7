"""A GTP engine that plays random stones on Go boards and misbehaves now and then, in every way an engine can.

    python -m benchmarks.correctness.bridge_chaos.engine [SHARE [FAULT...]]

SHARE is how many of its moves are faults (0.15), FAULT which of occupied, off, nonsense, hang, crash, slow, chatty.
"""

import argparse
import random
import sys
import time

FAULTS = ("occupied", "off", "nonsense", "hang", "crash", "slow", "chatty")
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
COMMANDS = "protocol_version name version list_commands boardsize clear_board komi play genmove undo time_left quit"
# Share of the board that is filled before the engine passes. It knows no captures.
FULL = 0.75


def main() -> None:
    """Answer commands until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("share", nargs="?", type=float, default=0.15)
    parser.add_argument("faults", nargs="*", default=FAULTS)
    options = parser.parse_args()
    size, stones = 19, set[str]()
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        answer = ""
        match words[0]:
            case "protocol_version":
                answer = "2"
            case "name":
                answer = "chaos"
            case "list_commands":
                answer = "\n".join(COMMANDS.split())
            case "boardsize":
                size, stones = int(words[1]), set()
            case "clear_board":
                stones = set()
            case "play":
                stones.add(words[2].upper())
            case "genmove":
                fault = random.choice(options.faults) if random.random() < options.share else ""
                answer = _move(fault, size, stones)
                stones.add(answer)
        print(f"= {answer}\n", flush=True)
        if words[0] == "quit":
            return


def _move(fault: str, size: int, stones: set[str]) -> str:
    """Return a random unused point, or the faulty answer."""
    points = [f"{column}{row}" for column in COLUMNS[:size] for row in range(1, size + 1)]
    free = [point for point in points if point not in stones]
    if fault == "crash":
        sys.exit(3)
    if fault in ("hang", "slow"):
        time.sleep(3600 if fault == "hang" else 3)
    if fault == "nonsense":
        print("what? " * 100, flush=True)
    if fault == "chatty":
        sys.stderr.write("thinking " * 200_000 + "\n")
        print("\n\n\n", end="", flush=True)
    if fault == "off":
        return random.choice(["T19" if size < 19 else "Z25", "A99", "resing", ""])
    if fault == "occupied" and stones - {"PASS"}:
        return random.choice(sorted(stones - {"PASS"}))
    return random.choice(free) if len(free) > (1 - FULL) * len(points) else "pass"


if __name__ == "__main__":
    main()
