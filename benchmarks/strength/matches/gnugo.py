"""A player at our table for GNU Go or another GTP program."""

import os
import shlex
import shutil
from pathlib import Path

import gtp_variants as gv
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.errors import ConfigError
from gtp_variants.gtp.client.peer import GtpController
from gtp_variants.gtp.client.player import MoveCommands
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.traits import DicedRules

PREFIX = "gnugo:"
# `program:SECONDS:COMMAND` is told a wall-clock time for each move in seconds. With 0 it is told no clock: an older
# version of ours has its time in its command.
PROGRAM_PREFIX = "program:"
# Debian puts games into a folder that is not on the path of services.
_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
_PATIENCE_S = 600.0


class GnuGo:
    """A player that asks a GTP process. `refused` counts its moves that our rules forbid.

    It knows the simple ko only. A move that our rules forbid it takes back, and it is asked again for one of those that
    they allow; so it loses no game by a rule it does not know.
    """

    def __init__(self, command: str, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self._words = shlex.split(command)
        program = shutil.which(self._words[0], path=_PATH)
        if program is None:
            raise ConfigError([f"{self._words[0]}: there is no such program (Debian: apt-get install gnugo)"])
        self._words[0] = program
        self._pending: int | None = None
        self.refused = 0

    def sit(self, rules: gv.Rules, colour: int, seed: str) -> None:
        """Start the process."""
        self._rules, self._colour = rules, colour
        channel = ProcessChannel(self._words)
        self._group = channel.pid
        self._gtp = GtpController(channel, timeout_s=_PATIENCE_S)
        self._commands = self._gtp.send("list_commands").split()
        for command, key in (("boardsize", "size"), ("komi", "komi")):
            if key in rules.values:
                self._gtp.send(command, rules.values[key])
        self._gtp.send("clear_board")
        if "set_random_seed" in self._commands:
            self._gtp.send("set_random_seed", int(seed[:7], 16))
        if self._seconds:
            self._gtp.send("time_settings", 0, f"{self._seconds:g}", 1)
        # A program that knows the dice gets each draw.
        is_told_draws = isinstance(rules, DicedRules) and "aleago-draw" in self._commands
        self._draws = MoveCommands(rules, [], lambda command: False) if is_told_draws else None

    def hear(self, news: gv.News) -> None:
        """Send a draw or a move to the process, except its own last move."""
        if self._draws is not None:
            self._draws.hear(news)
            if news.actor == CHANCE and news.action is not None and news.action >= 0:
                self._gtp.send(*self._draws.lines[-1])
        if news.action is None or news.actor not in self._rules.colours or news.action < gv.PASS:
            return
        if (news.actor, news.action) == (self._colour, self._pending):
            self._pending = None
            return
        self._gtp.send("play", "?bw"[news.actor], self._vertex(news.action))

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """Return the process's move; after the passes that end a game, agree."""
        if self._rules.is_suspended(view.position):
            return gv.PASS
        if self._seconds:
            self._gtp.send("time_left", "?bw"[self._colour], f"{self._seconds:g}", 1)
        action = self._action(self._gtp.send("genmove", "?bw"[self._colour]))
        if action == gv.RESIGN or action in view.actions:
            self._pending = action
            return action
        self.refused += 1
        self._gtp.send("undo")
        if "restricted_genmove" not in self._commands:
            return gv.PASS
        points = [self._vertex(point) for point in view.actions if point >= 0]
        # Unlike genmove, this command does not change the board.
        return self._action(self._gtp.send("restricted_genmove", "?bw"[self._colour], *points)) if points else gv.PASS

    def leave(self, outcome: gv.Outcome | None) -> None:
        """End the process."""
        self._gtp.close()

    def processor_seconds(self) -> float:
        """Return the processor time of the program's process group, with ended children. Linux only."""
        ticks = 0
        for file in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = file.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == self._group:
                # utime, stime, cutime and cstime, see proc(5).
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def _vertex(self, action: int) -> str:
        return "pass" if action == gv.PASS else self._rules.board.vertex(action)

    def _action(self, word: str) -> int:
        special = {"pass": gv.PASS, "resign": gv.RESIGN}.get(word.lower())
        return self._rules.board.point(word) if special is None else special


def load(name: str) -> GnuGo:
    """Return a player by its name in a series. Raises ConfigError for an invalid name or a missing program."""
    if name.startswith(PREFIX):
        return GnuGo(name.removeprefix(PREFIX))
    seconds, _, command = name.removeprefix(PROGRAM_PREFIX).partition(":")
    try:
        return GnuGo(command, float(seconds))
    except (ValueError, IndexError):
        raise ConfigError([f"{name}: expected {PROGRAM_PREFIX}SECONDS:COMMAND"]) from None
