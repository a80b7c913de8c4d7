"""Helpers that run matches with the command, in a folder of their own."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.store import MatchStore
from gtp_variants.cli import main
from tests.support.programs import COMMAND

_TIMES = re.compile(r"(?<![A-Z])(?:TIME|BL|WL|OB|OW)(?:\[[^\]]*\])+")

COMPLETE, WRONG, FAILED, INTERRUPTED = 0, 2, 3, 130
TWO = {"greedy": "bot:greedy", "uniform": "bot:uniform"}
SPEC = "aleago:size=5,dice=1d2"


def write_match(
    folder: Path,
    players: Mapping[str, str] = TWO,
    pairs: int = 3,
    *,
    tournament: str = "playoff",
    spec: str = SPEC,
    game: str = "",
    outputs: str = "dir: out",
    more: str = 'seed: "1"',
) -> Path:
    """Write a small match as `small.yaml` into a folder. `players` are commands, or blocks in `{}`.

    `game` adds keys to `defaults`, `tournament` is the type with any further keys, `more` adds lines to the file."""
    blocks = {name: text if text.startswith("{") else f'{{command: "{text}"}}' for name, text in players.items()}
    lines = [
        "arena: 1",
        "name: small",
        "players:",
        *(f"  {name}: {text}" for name, text in blocks.items()),
        f'defaults: {{{game}{", " if game else ""}variant: "{spec}"}}',
        f"tournament: {{type: {tournament}, pairs: {pairs}}}",
        f"outputs: {{{outputs}}}",
        more,
    ]
    file = folder / "small.yaml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def run(*arguments: str) -> int:
    """Run `gtp-variants match`; return its exit status."""
    try:
        return main(["match", *arguments])
    except SystemExit as error:
        return int(error.code or 0)


def played(folder: Path = Path("out")) -> dict[str, tuple[ResultRow, str]]:
    """Return the games of a folder with their records, both without times, which differ between runs."""
    with MatchStore(folder / "arena.db") as store:
        return {
            id: (replace(row, took_s=0, thought_s={}, slowest_s={}), without_times(store.record(id)))
            for id, row in store.rows().items()
        }


def records(folder: Path = Path("out")) -> dict[str, str]:
    """Return the records of a folder without their times."""
    return {id: record for id, (_, record) in played(folder).items()}


def without_times(record: str) -> str:
    """Return an SGF record without its times."""
    return _TIMES.sub("", record)


class Process:
    """A match played by another process."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "match", "small.yaml", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *about: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=60)

    def wait_for_games(self, count: int) -> None:
        """Wait until this number of games has been played."""
        assert self.process.stderr is not None
        while count:
            line = self.process.stderr.readline()
            assert line, "it ended"
            count -= "/" in line

    def end(self, timeout_s: float = 120) -> tuple[int, str]:
        """Wait for the process to end; return its exit status and the rest of its stderr."""
        _, said = self.process.communicate(timeout=timeout_s)
        return self.process.returncode, said

    def children(self) -> list[int]:
        """Return the child processes of all threads of the process."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return [int(word) for task in tasks for word in (task / "children").read_text().split()]
