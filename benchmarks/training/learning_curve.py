"""The learning curve of a training: Elo against the search without a network over processor hours, at equal time.

    python -m benchmarks.training.learning_curve FOLDER [--points 6] [--pairs 20] [--seconds 0.05]

FOLDER is one that `gtp-variants train` filled. `--points` networks, evenly spread over the training, play
like its gates. Finished games are kept, and the same command continues. The results
stand in the folder, where the page of the training and `gtp-variants net --html` show them.
"""

import argparse
import json
import sys
from pathlib import Path

from gtp_variants.cli.engines.training_gate import NO_NETWORK, TrainingGate
from gtp_variants.rules import parse


def main() -> int:
    """Play the missing games and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=6)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.05, help="processor time of a move")
    options = parser.parse_args()
    folder = options.folder
    specs = json.loads((folder / "training.json").read_text())["specs"]
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    gate = TrainingGate(parse(specs[0]), folder, options.pairs, options.seconds)
    wanted = [rows[round((number + 1) * len(rows) / options.points) - 1] for number in range(options.points)]
    for row in wanted:
        iteration = row["iteration"]
        if any(each.iteration == iteration for each in gate.results):
            continue
        hours = (row["self_play_s"] + row["learning_s"]) / 3600
        gate.measure(iteration, hours, folder / "weights" / f"{iteration:05}.safetensors")
    for each in gate.results:
        if each.against == NO_NETWORK:
            elo = f"{each.elo:+5.0f} [{each.low:+.0f}, {each.high:+.0f}]"
            print(f"{each.hours:6.2f} h  iteration {each.iteration:4}  Elo {elo}  {each.games} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
