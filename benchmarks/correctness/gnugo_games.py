"""Whole games against GNU Go as a GUI plays them: our engine is told the board, komi and clock, and nothing else.

    python -m benchmarks.correctness.gnugo_games [--games 20] [--size 9] [--level 10] [--seconds 60] [--sgf FOLDER]

The controller belongs to neither side. A second GNU Go follows every game and says whether each move is legal, by its
own rules, and who has won, by its own count after an aftermath (area scoring). Each game is a line; at the end stand
the numbers of illegal moves, of games lost on time, and of games whose winner, score or dead stones the two tell
differently. Colours alternate, and each side has `--seconds` for all its moves. GNU Go knows no superko: it may repeat
a position.
"""

import argparse
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.errors import Refused
from gtp_variants.gtp.client.peer import GtpController

KOMI = 7.5
# GNU Go's level of the referee, for the aftermath.
REFEREE_LEVEL = 10
MOST_MOVES = 400


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game, with its moves by Black and White in turn and how it ended.

    `fault` is an illegal move, a loss on time or "", and `resigned` the colour that resigned, or "". `ours` and
    `theirs` are the scores at the end by our engine and by the referee. `has_same_dead` is True if both call the same
    stones dead. `used_s` are the seconds of Black and of White.
    """

    our_colour: str
    moves: tuple[str, ...]
    fault: str
    resigned: str
    ours: str
    theirs: str
    has_same_dead: bool
    used_s: tuple[float, float]

    @property
    def winner(self) -> str:
        """The winner's letter by the moves and our count, or "0" for a draw."""
        return {"b": "W", "w": "B"}[self.resigned] if self.resigned else self.ours[0]

    @property
    def agrees(self) -> bool:
        return self.winner == self.theirs[0]


class Games:
    """Both engines and the referee, for one game after another."""

    def __init__(self, stack: ExitStack, arguments: argparse.Namespace) -> None:
        gnugo = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
        if gnugo is None:
            sys.exit("gnugo: program not found (Debian: apt-get install gnugo)")
        self._size, self._seconds = arguments.size, arguments.seconds
        rules = [gnugo, "--mode", "gtp", "--chinese-rules"]
        commands = {
            "ours": [sys.executable, "-m", "gtp_variants", "gtp", "go"],
            "theirs": [*rules, "--level", str(arguments.level)],
            "referee": [*rules, "--level", str(REFEREE_LEVEL)],
        }
        self._peers = {
            name: stack.enter_context(GtpController(ProcessChannel(command), timeout_s=600))
            for name, command in commands.items()
        }

    def play(self, number: int, our_colour: str) -> PlayedGame:
        """Play one game to two passes, a resignation, an illegal move or the end of a clock."""
        peers = self._peers
        for peer in peers.values():
            for line in (("boardsize", self._size), ("clear_board",), ("komi", KOMI)):
                peer.send(*line)
        peers["theirs"].send("set_random_seed", number)
        for name in ("ours", "theirs"):
            peers[name].send("time_settings", self._seconds, 0, 0)
        moves: list[str] = []
        used = {"b": 0.0, "w": 0.0}
        fault = resigned = ""
        for colour, mover, other in self._turns(our_colour):
            for each in "bw":
                mover.send("time_left", each, max(0, int(self._seconds - used[each])), 0)
            begun = time.monotonic()
            vertex = mover.send("genmove", colour).lower()
            used[colour] += time.monotonic() - begun
            moves.append(vertex)
            if used[colour] > self._seconds:
                fault = f"{colour} lost on time after {used[colour]:.1f} s"
            elif vertex == "resign":
                resigned = colour
            elif vertex != "pass" and peers["referee"].send("is_legal", colour, vertex) == "0":
                fault = f"{colour} {vertex} is illegal"
            if fault or resigned:
                break
            peers["referee"].send("play", colour, vertex)
            try:
                other.send("play", colour, vertex)
            except Refused as error:
                fault = f"{colour} {vertex} was refused: {error}"
                break
            if moves[-2:] == ["pass", "pass"] or len(moves) == MOST_MOVES:
                break
        judges = (peers["ours"], peers["referee"])
        ours, theirs = (peer.send("final_score") for peer in judges)
        dead, theirs_dead = (set(peer.send("final_status_list", "dead").split()) for peer in judges)
        times = (used["b"], used["w"])
        return PlayedGame(our_colour, tuple(moves), fault, resigned, ours, theirs, dead == theirs_dead, times)

    def _turns(self, our_colour: str) -> Iterator[tuple[str, GtpController, GtpController]]:
        """Yield the colour to move, the engine that moves and the other engine, for ever."""
        ours, theirs = self._peers["ours"], self._peers["theirs"]
        while True:
            for colour in "bw":
                yield (colour, ours, theirs) if colour == our_colour else (colour, theirs, ours)

    def save(self, folder: Path, number: int) -> None:
        """Write the game as our engine knows it."""
        self._peers["ours"].send("printsgf", folder / f"{number}.sgf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--level", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--sgf", type=Path)
    arguments = parser.parse_args()
    found: Counter[str] = Counter()
    with ExitStack() as stack:
        games = Games(stack, arguments)
        for number in range(arguments.games):
            game = games.play(number, "bw"[number % 2])
            if arguments.sgf is not None:
                arguments.sgf.mkdir(parents=True, exist_ok=True)
                games.save(arguments.sgf, number)
            found["games"] += 1
            found["illegal or refused moves"] += "illegal" in game.fault or "refused" in game.fault
            found["losses on time"] += "time" in game.fault
            found["other winners"] += not game.fault and not game.agrees
            found["other scores"] += not game.fault and not game.resigned and game.ours != game.theirs
            found["other dead stones"] += not game.fault and not game.resigned and not game.has_same_dead
            found["won by us"] += not game.fault and game.winner == game.our_colour.upper()
            told = game.fault or f"{game.winner} won{' by resignation' * bool(game.resigned)}"
            told += f", we count {game.ours}, GNU Go {game.theirs}"
            used = " and ".join(f"{each:.0f} s" for each in game.used_s)
            print(f"{number:3} we are {game.our_colour}, {len(game.moves)} moves, {used}: {told}", flush=True)
    print(", ".join(f"{name} {count}" for name, count in found.items()))


if __name__ == "__main__":
    main()
