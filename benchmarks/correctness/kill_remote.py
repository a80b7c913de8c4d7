"""Kills every part of a served match again and again, and compares its games with those of a calm one.

    python -m benchmarks.correctness.kill_remote [--kills 300] [--folder out/kill-remote]

Half of the kills are in matches of Aléago, half in Go Fantôme. Killed are, by SIGKILL and at random moments, the
serving side, a machine that joined, and whatever processes these have below them: guardians, workers and engines. A
match that is over is deleted and begins anew until there were kills enough. Each must have the games of the match that
nobody disturbed, and no process of it may be left. The count is kept in the folder: the same command goes on.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from gtp_variants.arena.store import MatchStore

SPECS = ("aleago:size=5,dice=1d2", "phantom:size=4")
BOTS = {"aleago": ("greedy", "uniform"), "phantom": ("phantom:playouts=16", "phantom:playouts=16")}
# Marks every process of a match, those too that nobody is the parent of any more.
MARK = "GTP_VARIANTS_KILL_REMOTE"
LEASE_S = 3
_ENDED_S = 20.0


def write_match(folder: Path, spec: str, pairs: int) -> None:
    """The match as a file in its folder: a bot against a program."""
    folder.mkdir(parents=True, exist_ok=True)
    bot, other = BOTS[spec.partition(":")[0]]
    program = f"{sys.executable} -m gtp_variants gtp {spec} --bot {other} --seed {{seed}}"
    (folder / "match.yaml").write_text(
        f"""arena: 1
name: kills
players: {{bot: {{command: "bot:{bot}"}}, program: {{command: "{program}"}}}}
defaults: {{variant: "{spec}", max_failures: null}}
tournament: {{type: playoff, pairs: {pairs}}}
outputs: {{dir: out, sgf: none, gtp_log: never}}
seed: "1"
""",
        encoding="utf-8",
    )


def fingerprints(folder: Path) -> dict[str, str]:
    """What happened in each game."""
    with MatchStore(folder / "out" / "arena.db") as store:
        return {id: f"{row.result} {row.fingerprint}" for id, row in store.rows().items()}


def calm_games(folder: Path, spec: str, pairs: int) -> dict[str, str]:
    """The games of the match that nobody disturbs."""
    where = folder / "calm"
    shutil.rmtree(where, ignore_errors=True)
    write_match(where, spec, pairs)
    command = [sys.executable, "-m", "gtp_variants", "match", "match.yaml", "--quiet"]
    subprocess.run(command, cwd=where, check=True, stdout=subprocess.DEVNULL)
    return fingerprints(where)


class RemoteMatch:
    """A served match and two machines that joined it, which are started again whenever they were killed."""

    def __init__(self, folder: Path, spec: str, pairs: int, seed: int) -> None:
        self.folder = folder / "killed"
        self.rng = Random(seed)
        self.mark = f"{os.getpid()}-{seed}"
        self.killed: dict[str, int] = {}
        shutil.rmtree(self.folder, ignore_errors=True)
        write_match(self.folder, spec, pairs)
        self.port = 20000 + self.rng.randrange(20000)
        self.server = self._serve()
        self.machines = [self._join() for _ in range(2)]

    def __enter__(self) -> "RemoteMatch":
        return self

    def __exit__(self, *about: object) -> None:
        for process in (self.server, *self.machines):
            process.kill()
            process.wait()

    def _start(self, *words: str) -> "subprocess.Popen[bytes]":
        environment = {**os.environ, MARK: self.mark, "GTP_VARIANTS_TOKEN": "kill"}
        with (self.folder / "said").open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "gtp_variants", "match", *words], cwd=self.folder, env=environment,
                stdout=said, stderr=said,
            )  # fmt: skip

    def _serve(self) -> "subprocess.Popen[bytes]":
        return self._start("match.yaml", "serve", "--listen", f"127.0.0.1:{self.port}", "--lease", str(LEASE_S))

    def _join(self) -> "subprocess.Popen[bytes]":
        return self._start("--join", f"http://127.0.0.1:{self.port}")

    def play(self, kills: int) -> int:
        """Play to the end and kill so often on the way; how many kills there were before it was over."""
        done = 0
        while self.server.poll() != 0:
            if done < kills:
                time.sleep(self.rng.uniform(0.2, 2.5))
                done += self._kill()
            else:
                time.sleep(0.1)
            if self.server.poll() not in (None, 0):
                self.server = self._serve()
            self.machines = [each if each.poll() is None else self._join() for each in self.machines]
        return done

    def _kill(self) -> bool:
        """Kill one part."""
        parts = {"server": [self.server.pid], "machine": [each.pid for each in self.machines]}
        parts["below"] = [
            number for number in self._find_processes() if number not in parts["server"] + parts["machine"]
        ]
        part = self.rng.choice([name for name, numbers in parts.items() if numbers])
        try:
            os.kill(self.rng.choice(parts[part]), signal.SIGKILL)
        except ProcessLookupError:
            return False
        self.killed[part] = self.killed.get(part, 0) + 1
        time.sleep(0.05)
        return True

    def _find_processes(self) -> list[int]:
        """The processes of the match that are there."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdecimal() and f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def games(self) -> dict[str, str]:
        """What happened in each game that was kept."""
        return fingerprints(self.folder)

    def orphans(self) -> list[int]:
        """The processes that are left although all was ended, and a while was waited."""
        until_s = time.monotonic() + _ENDED_S
        while (left := self._find_processes()) and time.monotonic() < until_s:
            time.sleep(0.1)
        return left


def main() -> None:
    """Kill until there were kills enough, and print what was killed and found."""
    parser = argparse.ArgumentParser(description="kill every part of a served match")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--folder", type=Path, default=Path("out/kill-remote"))
    parser.add_argument("--pairs", type=int, default=20)
    options = parser.parse_args()
    count_file = options.folder / "kills.json"
    options.folder.mkdir(parents=True, exist_ok=True)
    counts = json.loads(count_file.read_text()) if count_file.is_file() else {}
    for spec in SPECS:
        calm: dict[str, str] = {}
        while (before := sum(counts.get(spec, {}).values())) < options.kills // len(SPECS):
            calm = calm or calm_games(options.folder, spec, options.pairs)
            with RemoteMatch(options.folder, spec, options.pairs, before) as match:
                match.play(options.kills // len(SPECS) - before)
                assert match.games() == calm, f"other games, see {match.folder}"
            assert match.orphans() == [], f"left over: {match.orphans()}"
            counts[spec] = {
                part: counts.get(spec, {}).get(part, 0) + match.killed.get(part, 0)
                for part in ("server", "machine", "below")
            }
            count_file.write_text(json.dumps(counts))
            print(f"{spec}: killed {counts[spec]}, the same {len(calm)} games, no process left", flush=True)
    print(f"{sum(map(sum, (each.values() for each in counts.values())))} kills, no game lost or changed")


if __name__ == "__main__":
    main()
