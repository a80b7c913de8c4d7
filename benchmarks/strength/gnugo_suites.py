"""How many of GNU Go's regression tests an engine answers as expected, by suite and by command.

    python -m benchmarks.strength.gnugo_suites FOLDER [SUITE ...] [--every 1] [--engine "gtp-variants gtp go"]
        [--failures]

FOLDER is `regression` in the sources of GNU Go (https://www.gnu.org/software/gnugo), which this package does not
contain. A suite is a file there without its `.tst`; without one, those about reading, life and connections.
`--every 5` asks every fifth question of a command.

A test is a numbered command and, after it, `#? [PATTERN]`, which its answer must match as a whole; `!PATTERN` must not.
Printed are the questions, the shares answered as expected and with the expected first word, and the mean seconds.
Tests that GNU Go itself is known to fail, marked by `*`, count like all others.
"""

import argparse
import os
import re
import shlex
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.errors import Refused
from gtp_variants.gtp.client.peer import GtpController

SUITES = ("reading", "owl", "ld_owl", "connect", "connection", "semeai")
COMMANDS = (
    *("attack", "defend", "connect", "disconnect", "owl_attack", "owl_defend", "dragon_status", "analyze_semeai"),
)
# Maximum seconds for an answer.
PATIENCE_S = 300.0
_EXPECTED = re.compile(r"#\? ?\[(!?)(.*)\]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line to send. A test has a number and what its answer must match, or must not."""

    command: str
    number: int = 0
    pattern: str = ""
    is_negated: bool = False

    def is_right(self, answer: str) -> bool:
        """Return True if the answer is the expected one."""
        return (re.fullmatch(self.pattern, answer) is None) == self.is_negated

    def is_near(self, answer: str) -> bool:
        """Return True if the first word of the answer is one that the pattern begins with."""
        wanted = re.match(r"\(?([\w|]+)", self.pattern)
        return wanted is not None and (answer.split(maxsplit=1)[0] in wanted[1].split("|")) != self.is_negated


def read_suite(text: str) -> Iterator[Line]:
    """Yield the lines of a test file; a test without an expected answer is left out."""
    number, command = 0, ""
    for line in map(str.strip, text.splitlines()):
        expected = _EXPECTED.match(line)
        head, _, rest = line.partition(" ")
        if expected and command:
            yield Line(command, number, expected[2], bool(expected[1]))
            command = ""
        elif head.isdigit():
            number, command = int(head), rest
        elif line and not line.startswith("#"):
            yield Line(line.partition("#")[0].strip())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("suites", nargs="*", default=SUITES)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--engine", default=f"{shlex.quote(sys.executable)} -m gtp_variants gtp go")
    parser.add_argument("--failures", action="store_true", help="print each question that was answered otherwise")
    given = parser.parse_args(arguments)
    # The files name games by paths from their folder.
    os.chdir(given.folder)
    for suite in given.suites:
        lines = list(read_suite(Path(f"{suite}.tst").read_text(encoding="utf-8", errors="replace")))
        # By command: questions, right answers, right first words, seconds.
        found: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0, 0.0])
        seen: dict[str, int] = defaultdict(int)
        with GtpController(ProcessChannel(shlex.split(given.engine)), timeout_s=PATIENCE_S) as engine:
            for line in lines:
                name = line.command.split(maxsplit=1)[0]
                seen[name] += 1
                if line.number and (name not in COMMANDS or seen[name] % given.every):
                    continue
                began = time.monotonic()
                try:
                    answer = engine.send(line.command).strip()
                except Refused as error:
                    answer = f"? {error}"
                if not line.number:
                    continue
                counts = found[name]
                for index, number in enumerate(
                    (1, line.is_right(answer), line.is_near(answer), time.monotonic() - began)
                ):
                    counts[index] += number
                if given.failures and not line.is_right(answer):
                    print(f"{suite} {line.number} {line.command}: expected {line.pattern}, got {answer}")
        for name, (count, right, near, seconds) in sorted(found.items()):
            print(
                f"{suite:12} {name:15} {count:4.0f} questions  {right / count:4.0%} as expected"
                f"  {near / count:4.0%} first word  {seconds / count:6.2f} s each",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
