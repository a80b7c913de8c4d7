"""A bridge process that is killed and restarted, and a check that it closed all of its games."""

import argparse
import asyncio
import contextlib
import json
import random
import re
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import BLACK, PASS, WHITE

ENGINE = Path(__file__).with_name("engine.py")
KILL_S = 20.0, 60.0
_LAST_GAME_S = 300.0
_OVER = re.compile(r" (\S+): over, (.*)")


@dataclass(frozen=True, slots=True)
class ClosedGame:
    """A game that a bot closed: the path of its record, its moves, the server's result, and the bot's result."""

    record: Path
    moves: tuple[str, ...]
    result: str
    kind: str


@dataclass(slots=True)
class BotReport:
    """The games that a bot closed, their log lines by key, and all faults found."""

    games: list[ClosedGame] = field(default_factory=list)
    ends: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


class Bot:
    """A bridge in a process, killed and started again."""

    def __init__(
        self, name: str, server: str, password: str, game: str, folder: Path, options: argparse.Namespace
    ) -> None:
        """`server` are the keys of its server but for the account."""
        self._settle_s = options.settle
        self.name, self.folder = name, folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kills = 0
        self.is_over = False
        secret = self.folder / "password"
        secret.write_text(password + "\n")
        secret.chmod(0o600)
        hook = f"sh -c 'echo $GTP_VARIANTS_RESULT $GTP_VARIANTS_RECORD >> {shlex.quote(str(self.folder / 'ends'))}'"
        self.file = self.folder / "bridge.yaml"
        self.file.write_text(
            f"bridge: 1\nname: {name}\ngame: {game}\n"
            f"server: {{{server}, host: 127.0.0.1, account: {name}, password: {{file: {secret}}}}}\n"
            f"engine:\n  command: [{sys.executable}, {ENGINE}, '{options.faults}']\n  fallback: greedy\n"
            f"  grace: 100ms\n  failed_games: 1000000\n  limits: {{command: 4s}}\n"
            f"challenges: {{sizes: [{game.rpartition('=')[2]}]}}\nreconnect: {{first: 500ms}}\n"
            f"outputs: {{dir: {self.folder / 'out'}, keep_logs: 100000, log_files: 100}}\n"
            f"hooks: {{on_game_end: {json.dumps(hook)}}}\n"
        )

    @property
    def ends(self) -> int:
        """The number of ended games that the hook has reported."""
        return len(_lines(self.folder / "ends"))

    def drop_unfinished(self) -> int:
        """Set aside games whose server process has ended; return their number."""
        aside = self.folder / "broken-off"
        aside.mkdir(exist_ok=True)
        told = {line.split(" ", 1)[1] for line in _lines(self.folder / "ends")}
        left = [path for path in self._records() if str(path) not in told]
        for path in (*left, *self.stored()):
            path.rename(aside / path.name)
        return len(left)

    async def live(self, rng: random.Random, is_calm: Callable[[], bool]) -> None:
        """Run the bridge with occasional kills until `is_calm`, then end it."""
        while not self.is_over:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "gtp_variants", "bridge", str(self.file)),
                stderr=asyncio.subprocess.DEVNULL,
            )
            try:
                await self._wait_and_kill(process, rng.uniform(*KILL_S), is_calm)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def _wait_and_kill(
        self, process: asyncio.subprocess.Process, lives_s: float, is_calm: Callable[[], bool]
    ) -> None:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + lives_s
        while process.returncode is None and loop.time() < ends_at and not is_calm():
            await asyncio.sleep(0.2)
        if not is_calm():
            self.kills += 1
            return
        # The bridge closes games that ended in the meantime and finishes games that began.
        await asyncio.sleep(self._settle_s)
        while self.has_game() and loop.time() < ends_at + _LAST_GAME_S:
            await asyncio.sleep(0.2)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _LAST_GAME_S)
        self.is_over = True

    def stored(self) -> list[Path]:
        """The games that the bridge has not closed."""
        return sorted((self.folder / "out" / "games").glob("*.json"))

    def has_game(self) -> bool:
        """Return True if any game is not closed yet."""
        return bool(self.stored())

    def _records(self) -> list[Path]:
        return sorted((self.folder / "out" / "records").glob("*.sgf"))

    def report(self) -> BotReport:
        """Return the bot's games and all faults found."""
        found = BotReport()
        told = Counter(line.split(" ", 1)[1] for line in _lines(self.folder / "ends"))
        for path in self._records():
            count = told.pop(str(path), 0)
            if count != 1:
                found.faults.append(f"{path.name}: the hook was told {count} times")
            found.games.append(self._read(path))
            if not found.games[-1].result:
                found.faults.append(f"{path.name}: no result")
        self._read_log(found)
        found.faults += [f"the hook was told of {path}, which is no record" for path in told]
        found.faults += [f"still stored: {path.name}" for path in self.stored()]
        found.faults = [f"{self.name}: {fault}" for fault in found.faults]
        return found

    def _read_log(self, found: BotReport) -> None:
        logs = sorted((self.folder / "out").glob("bridge.log*"))
        lines = [line for path in logs for line in _lines(path)]
        ends = [(end[1], end[2]) for line in lines if (end := _OVER.search(line)) is not None]
        found.ends = dict(ends)
        if len(ends) < len(found.games):
            found.faults.append(f"{len(found.games)} records, {len(ends)} ends in the log")
        found.faults += [f"{key}: ended {count} times in the log" for key, count in _twice(ends).items()]
        unexpected = sum("unexpected" in line for line in lines)
        found.faults += [f"'unexpected' {unexpected} times in the log"] if unexpected else []

    def _read(self, path: Path) -> ClosedGame:
        record = load_record(path)
        board = record.game.rules.board
        moves = tuple(write_move(board, each.action) for each in record.game.events if each.action >= PASS)
        result = record.result or ""
        return ClosedGame(path, tuple(map(str.lower, moves)), result, self._kind(record.players, result))

    def _kind(self, players: Mapping[int, str], result: str) -> str:
        mine = next((colour for colour, name in players.items() if name.lower() == self.name.lower()), 0)
        winner = {"B": BLACK, "W": WHITE}.get(result[:1], 0)
        how = {"T": " by time", "F": " by forfeit", "R": " by resignation"}.get(result[2:], "")
        return "drawn" if result == "0" else "unknown" if not winner else f"{'won' if winner == mine else 'lost'}{how}"


def _twice(ends: list[tuple[str, str]]) -> dict[str, int]:
    return {key: count for key, count in Counter(key for key, _ in ends).items() if count > 1}


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.exists() else []
