"""Count the problems that a search solves in a given time: life and death, ladders, endgames, wins and others.

    python -m benchmarks.strength.problems [FILE]... [--seconds 0.01 0.1 1] [--net auto]

A FILE, such as those in `problem_sets`, has a line a problem: the game, stones, whose move it is, and the moves that
are right; `compose_problems.py` made them and says how each was verified. A problem is solved if the search plays one
of the right moves. Seconds are those of the processor.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import gtp_variants as gv

FOLDER = Path(__file__).with_name("problem_sets")
_LETTERS = {"b": gv.BLACK, "w": gv.WHITE}


@dataclass(frozen=True, slots=True)
class Problem:
    """A position and the moves that are right in it, as vertices or `pass`."""

    spec: str
    black: tuple[str, ...]
    white: tuple[str, ...]
    to_play: str
    right: tuple[str, ...]

    @classmethod
    def read(cls, line: str) -> "Problem":
        """Return the problem of a line. Raises ValueError for an invalid line."""
        spec, black, white, to_play, right = (part.strip() for part in line.split(";"))
        return cls(spec, tuple(black.split()), tuple(white.split()), to_play, tuple(right.split()))

    def line(self) -> str:
        """Return the problem as a line for `read`."""
        return "; ".join([self.spec, " ".join(self.black), " ".join(self.white), self.to_play, " ".join(self.right)])

    @property
    def rules(self) -> gv.Rules:
        """The game."""
        return _rules(self.spec)

    def position(self) -> gv.Position:
        """The position. Raises VariantsError for an impossible one."""
        point = self.rules.board.point
        stones = {point(vertex): gv.BLACK for vertex in self.black}
        stones |= {point(vertex): gv.WHITE for vertex in self.white}
        position: gv.Position = self.rules.start(stones, _LETTERS[self.to_play])
        return position

    def is_solved(self, action: int) -> bool:
        """Return True if an action is one of the right moves."""
        return ("pass" if action == gv.PASS else self.rules.board.vertex(action)) in self.right


_rules = cache(gv.parse)


def read(file: Path) -> Iterator[Problem]:
    """Return the problems of a file; comments begin with #."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.partition("#")[0].strip():
            yield Problem.read(line)


def solved(problem: Problem, seconds: float, net: str, seed: int = 1) -> bool:
    """Return True if the search finds a right move within this many processor seconds."""
    thinker = gv.Thinker(problem.rules, seed, network=net)
    return problem.is_solved(thinker.think(problem.position(), seconds=seconds, cpu_time=True).action)


def main(arguments: Sequence[str]) -> int:
    """Print the share of solved problems, with a row per file and a column per time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="all of them by default")
    parser.add_argument("--seconds", nargs="+", type=float, default=[0.01, 0.1, 1.0])
    parser.add_argument("--net", default="auto", help="a weight file, none, or auto (default)")
    options = parser.parse_args(arguments)
    print(f"{'':24}{'problems':>9}" + "".join(f"{seconds:>8g} s" for seconds in options.seconds))
    for file in options.files or sorted(FOLDER.glob("*.txt")):
        problems = list(read(file))
        shares = [
            sum(solved(each, seconds, options.net) for each in problems) / len(problems) for seconds in options.seconds
        ]
        print(f"{file.stem:24}{len(problems):>9}" + "".join(f"{share:>10.0%}" for share in shares), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
