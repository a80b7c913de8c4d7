"""Sabaki's stream: nothing waited for, every command after a `protocol_version` that stops whatever goes on, the game
brought to where its tree is by `undo` and `play`, or from an empty board (what its GTP library was seen to send).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.gtp.pipes import Process

Move = tuple[str, str]


class Sabaki:
    """What Sabaki does with one engine. It plays by a board of its own, of which the engine hears only moves."""

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
        """Analysis for a moment; its last line."""
        self.engine.send(f"kata-analyze {colour} 1{self.newline}".encode())
        assert self.engine.until(b"\n") == b"= \n"
        line = self.engine.until(b"\n").decode()
        self.engine.send(f"protocol_version{self.newline}".encode())
        self.engine.until(b"\n= 2\n\n")
        return line

    def computer(self, colour: str, moves: list[Move]) -> str:
        """A move of the engine's; Sabaki prefers the command that also tells what was seen."""
        assert "kata-genmove_analyze" in self.commands
        assert self.sync(moves)
        answer = self._send("protocol_version", f"kata-genmove_analyze {colour} 50")[1]
        vertex = answer.split("\n")[-1].removeprefix("play ")
        if vertex != "resign":
            self.known.append((colour, vertex))
        return vertex

    def state(self) -> dict[str, object]:
        found = json.loads(self._send("variant-state")[0].removeprefix("= "))
        assert isinstance(found, dict)
        return found


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
