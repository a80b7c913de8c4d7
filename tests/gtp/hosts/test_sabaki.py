"""Sabaki's stream: nothing waited for, every command after a `protocol_version` that stops whatever goes on, the game
brought to where its tree is by `undo` and `play`, or from an empty board (what its GTP library was seen to send).
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.gtp.hosts.sabaki_dialect import read_variations
from tests.gtp.pipes import Process
from tests.gtp.talk import Talk

Move = tuple[str, str]


class Sabaki:
    """A stand-in for Sabaki with one engine. It plays by its own board, and the engine hears only moves."""

    def __init__(self, engine: Process, size: int, *, newline: str = "\n", lower: bool = False) -> None:
        self.engine, self.size, self.newline, self.lower = engine, size, newline, lower
        self.known: list[Move] = []
        self.has_size = False
        asked = self._send("name", "version", "protocol_version", "list_commands")
        assert asked[0] == "= GTP Variants"
        assert asked[2] == "= 2"
        self.commands = set(asked[3].removeprefix("= ").split("\n"))

    def _send(self, *commands: str) -> list[str]:
        """Everything at once; then the answers."""
        lines = "".join(command + self.newline for command in commands)
        self.engine.send((lines.lower() if self.lower else lines).encode())
        return self.engine.answers(len(commands))

    def sync(self, moves: list[Move]) -> bool:
        """Bring the engine to where the tree is. False where Sabaki says that it cannot be synced."""
        start = ["protocol_version"]
        if not self.has_size:
            start += ["komi 6.5", f"boardsize {self.size}"]
        assert all(answer.startswith("=") for answer in self._send(*start))
        self.has_size = True
        shared = 0
        while shared < min(len(moves), len(self.known)) and moves[shared] == self.known[shared]:
            shared += 1
        back = len(self.known) - shared
        rest = [f"play {colour} {vertex}" for colour, vertex in moves[shared:]]
        self.known = list(moves)
        if back < shared:
            answers = self._send(*["undo"] * back, *rest) if back or rest else []
            if all(answer.startswith("=") for answer in answers):
                return True
        every = [f"play {colour} {vertex}" for colour, vertex in moves]
        return all(answer.startswith("=") for answer in self._send("clear_board", *every))

    def analyse(self, colour: str) -> str:
        """Analysis for a moment; its last line. Sabaki prefers the first of three commands."""
        assert "analyze" in self.commands
        self.engine.send(f"analyze {colour} 1{self.newline}".encode())
        assert self.engine.until(b"\n") == b"= \n"
        line = self.engine.until(b"\n").decode()
        self.engine.send(f"protocol_version{self.newline}".encode())
        self.engine.until(b"\n= 2\n\n")
        return line

    def computer(self, colour: str, moves: list[Move]) -> str:
        """A move of the engine's; Sabaki prefers the command that also tells what was seen."""
        assert "genmove_analyze" in self.commands
        assert self.sync(moves)
        answer = self._send("protocol_version", f"genmove_analyze {colour} 50")[1]
        vertex = answer.split("\n")[-1].removeprefix("play ")
        if vertex != "resign":
            self.known.append((colour, vertex))
        return vertex

    def state(self) -> dict[str, object]:
        found = json.loads(self._send("variant-state")[0].removeprefix("= "))
        assert isinstance(found, dict)
        return found


COMMANDS = ["analyze", "lz-analyze", "kata-analyze", "genmove_analyze", "lz-genmove_analyze", "kata-genmove_analyze"]


@pytest.mark.parametrize("command", [*COMMANDS, "kata-search_analyze"])
@pytest.mark.parametrize("mover", "bw")
@pytest.mark.parametrize("winner", "bw")
def test_won_position_shows_over_90_per_cent_for_the_winner(command: str, mover: str, winner: str) -> None:
    talk = Talk("go:size=5,komi=0.5", bot="mcts:playouts=200,seconds=0,net=none,resign=false,stop_early=false")
    wall = " ".join(f"{winner} {column}{row}" for column in "BD" for row in range(1, 6))
    talk(f"gogui-setup {wall}")
    talk(f"gogui-setup_player {mover}")
    lines = [line for line in talk(f"{command} {mover} 10").split("\n") if line.startswith("info")]
    variations = read_variations(command, lines[-1])
    best = max(variations, key=lambda each: each.visits)
    assert best.line[0] == best.vertex
    shown_for_winner = best.win_percent if mover == winner else 100 - best.win_percent
    assert 90 < shown_for_winner <= 100
    scale = 1 if command.startswith("kata-") else 10_000
    for key in ("winrate", "prior", "lcb"):
        values = re.findall(rf" {key} (\S+)", lines[-1])
        assert values
        assert all(0 <= float(value) <= scale for value in values), key
        assert all(("." in value) == (scale == 1) for value in values), key
    priors = sum(float(value) for value in re.findall(r" prior (\S+)", lines[-1])) / scale
    assert 0.01 < priors < 1.01


@pytest.mark.parametrize("winner", "bw")
def test_cgos_is_told_fractions(winner: str) -> None:
    talk = Talk("go:size=5,komi=0.5", bot="mcts:playouts=200,seconds=0,net=none,resign=false,stop_early=false")
    talk("gogui-setup " + " ".join(f"{winner} {column}{row}" for column in "BD" for row in range(1, 6)))
    told = json.loads(talk(f"cgos-genmove_analyze {winner}").split("\n")[1])
    assert 0.9 < told["winrate"] <= 1
    assert 0.01 < sum(move["prior"] for move in told["moves"]) < 1.01


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def sabaki(request: pytest.FixtureRequest, log: Path) -> Iterator[Sabaki]:
    spec, more = request.param
    engine = Process(spec, "--seed", "sabaki", "--bot", "mcts:playouts=30", "--off-line", "accept", "--tell", log=log)
    yield Sabaki(engine, 9 if "size=9" in spec else 5, **more)
    engine.close()


GAMES = [
    pytest.param(("aleago:size=9", {}), id="aleago"),
    pytest.param(("go:size=5", {}), id="go"),
    pytest.param(("aleago:size=9", {"newline": "\r\n", "lower": True}), id="CRLF, lower case"),
]


@pytest.mark.parametrize("sabaki", GAMES, indirect=True)
def test_a_game_with_analysis_undo_and_a_new_game(sabaki: Sabaki) -> None:
    moves: list[Move] = []
    for number in range(12):
        colour = "BW"[number % 2]
        assert sabaki.analyse(colour).startswith("info move ")
        vertex = sabaki.computer(colour, moves)
        if vertex == "resign":
            break
        moves.append((colour, vertex))
        assert sabaki.state()["move_number"] == len(moves)
    whole = sabaki.state()
    for length in (len(moves) - 1, 2, len(moves), 0, 3):
        assert sabaki.sync(moves[:length])
        assert sabaki.state()["move_number"] == length
    assert sabaki.sync(moves)
    assert sabaki.state() == whole


@pytest.mark.parametrize("sabaki", [("aleago:size=9", {})], indirect=True)
def test_stones_wherever_a_person_clicks_do_not_break_the_sync(sabaki: Sabaki, log: Path) -> None:
    rng = Random(1)
    points = [f"{column}{row}" for column in "ABCDEFGHJ" for row in range(1, 10)]
    moves: list[Move] = []
    for number in range(20):
        moves.append(("BW"[number % 2], points.pop(rng.randrange(len(points)))))
        assert sabaki.sync(moves)
        assert sabaki.state()["move_number"] == len(moves)
    told = log.read_text(encoding="utf-8")
    assert "OFF THE LINE" in told
    assert "is open" in told
    assert sabaki.sync(moves[:10])
    assert sabaki.state()["stones"] == {vertex: colour.lower() for colour, vertex in moves[:10]}


def test_without_leave_a_stone_off_the_line_breaks_the_sync_until_it_is_taken_back() -> None:
    engine = Process("aleago:size=9", "--seed", "sabaki")
    try:
        sabaki = Sabaki(engine, 9)
        assert sabaki.sync([])
        opened = engine_says(engine, "aleago-open").split()
        shut = next(vertex for vertex in ("A1", "B2", "C3", "D4") if vertex not in opened)
        assert not sabaki.sync([("B", shut)])
        assert sabaki.sync([("B", opened[0])])
    finally:
        engine.close()


def engine_says(engine: Process, command: str) -> str:
    engine.send(f"{command}\n".encode())
    return engine.answers(1)[0].removeprefix("= ")
