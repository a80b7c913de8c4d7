"""The modules that Sabaki publishes, at their newest versions, with our engine: positions, counts and files by value.

Its reader of analyses is part of the program and not published: `sabaki_dialect` is one in our words.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sgfmill import sgf

import gtp_variants as gv
from gtp_variants.ai.backend import search_backend
from gtp_variants.records.notation import write_move
from tests.gtp.hosts.registries import install_from_npm
from tests.gtp.hosts.sabaki_dialect import Variation, read_variations
from tests.gtp.hosts.settled import COLUMNS, KOMI, POSITIONS, Settled, each_position
from tests.support.programs import COMMAND, environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("sabaki"),
    pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built"),
]

WINDOW = Path(__file__).with_name("sabaki_window.cjs")
MODULES = ("@sabaki/gtp", "@sabaki/go-board", "@sabaki/sgf", "@sabaki/deadstones")
ANALYSES = ("analyze", "lz-analyze", "kata-analyze")
GENERATIONS = ("genmove_analyze", "lz-genmove_analyze", "kata-genmove_analyze", "kata-search_analyze")
# A triple ko: White's last stone repeats the board.
SUPERKO = "B:B1 W:C1 B:A2 W:D2 B:B3 W:C3 B:C2 W:B2 B:pass W:pass B:C2 W:B2"
# Points that a lead may be wrong by: the network is small.
NEAR = 10


class SabakiWindow:
    """Sabaki's modules in a node process, with one engine of ours."""

    def __init__(self, modules: Path) -> None:
        node = shutil.which("node")
        assert node is not None
        self._process = subprocess.Popen(
            [node, str(WINDOW)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(NODE_PATH=str(modules)),
        )

    def __call__(self, name: str, *arguments: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, *arguments]) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        assert not (isinstance(found, dict) and "failed" in found), f"{name} {arguments}: {found['failed']}"
        return found

    def state(self) -> dict[str, Any]:
        found = json.loads(self("send", "variant-state"))
        assert isinstance(found, dict)
        return found

    def sync(self, moves: list[tuple[str, str]], width: int = 9, height: int = 9) -> dict[str, Any]:
        """Bring the engine to a position as Sabaki does; return what it takes for the engine's state."""
        history = [{"name": "play", "args": list(move)} for move in moves]
        found = self("sync", {"komi": KOMI, "boardsize": [width, height], "history": history})
        assert isinstance(found, dict)
        return found

    def settle(self, position: Settled) -> None:
        """Set a position up as Sabaki does: all of Black's stones are played, then all of White's."""
        self.sync([(colour, vertex) for colour in "BW" for vertex, stone in position.stones.items() if stone == colour])

    def close(self) -> None:
        self("stop")
        self._process.communicate(timeout=60)


@pytest.fixture(scope="module")
def sabaki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SabakiWindow]:
    window = SabakiWindow(install_from_npm(tmp_path_factory.mktemp("sabaki"), *MODULES))
    bot = "mcts:playouts=200,seconds=0,resign=false,stop_early=false"
    window("start", *COMMAND, "gtp", "go:size=9", "--bot", bot)
    yield window
    window.close()


def analyse(sabaki: SabakiWindow, command: str, *arguments: str) -> str:
    """Return the last report on a position."""
    if command in ANALYSES:
        return str(sabaki("analyze", 2, command, *arguments)[-1])
    lines = sabaki("send", command, *arguments).split("\n")
    assert re.fullmatch(r"play ([A-HJ][1-9]|pass)", lines[-1])
    return str(next(line for line in reversed(lines) if line.startswith("info ")))


def best_of(variations: list[Variation]) -> Variation:
    return max(variations, key=lambda each: each.visits)


@pytest.mark.parametrize("command", [*ANALYSES, *GENERATIONS])
@pytest.mark.parametrize("mover", "BW")
@pytest.mark.parametrize("position", POSITIONS[:2], ids=("White wins", "Black wins"))
def test_won_position_shows_winner_and_lead(sabaki: SabakiWindow, command: str, mover: str, position: Settled) -> None:
    sabaki.settle(position)
    shown = best_of(read_variations(command, analyse(sabaki, command, mover, "20")))
    for_winner = shown.win_percent if mover == position.winner else 100 - shown.win_percent
    assert 90 < for_winner <= 100
    lead = position.area_lead if mover == "B" else -position.area_lead
    assert shown.lead == pytest.approx(lead, abs=NEAR)


@pytest.mark.parametrize("mover", "BW")
@pytest.mark.parametrize("position", POSITIONS[:2], ids=("White wins", "Black wins"))
def test_cgos_is_told_winner_and_lead(sabaki: SabakiWindow, mover: str, position: Settled) -> None:
    sabaki.settle(position)
    told = json.loads(sabaki("send", "cgos-genmove_analyze", mover).strip().split("\n")[0])
    assert (told["winrate"] > 0.9) == (mover == position.winner)
    assert 0 <= min(told["winrate"], 1 - told["winrate"]) < 0.1
    lead = position.area_lead if mover == "B" else -position.area_lead
    assert told["moves"][0]["score"] == pytest.approx(lead, abs=NEAR)


@each_position
@pytest.mark.parametrize("mover", "BW")
def test_ownership_names_the_owner_of_every_point(sabaki: SabakiWindow, mover: str, position: Settled) -> None:
    sabaki.settle(position)
    line = analyse(sabaki, "kata-analyze", mover, "20", "ownership", "true")
    shares = [float(word) for word in line.split(" ownership ")[1].split()]
    other = "W" if mover == "B" else "B"
    # KataGo's order: rows from the top, each from the left; positive is the side to move.
    vertices = [f"{column}{row}" for row in range(9, 0, -1) for column in COLUMNS]
    assert {
        vertex: mover if share > 0 else other for vertex, share in zip(vertices, shares, strict=True)
    } == position.owners


@each_position
def test_finished_game_has_its_score_and_the_dead_stone_that_sabaki_finds(
    sabaki: SabakiWindow, position: Settled
) -> None:
    """A stone stands in the other side's territory, and nothing that it can do makes it live."""
    sabaki.settle(position)
    lead = position.area_lead
    assert sabaki("send", "final_score") == f"{position.winner}+{abs(lead):g}"
    inside = (vertex for vertex in ("D7", "G6", "F3", "C4") if vertex not in position.stones)
    lone = next(vertex for vertex in inside if position.owners[vertex] == position.winner)
    for colour, vertex in ((position.small, lone), ("B", "pass"), ("W", "pass")):
        sabaki("send", "play", colour, vertex)
    assert sabaki("dead", 9, 9, {**position.stones, lone: position.small}) == [lone]
    assert sabaki("send", "final_status_list", "dead").split() == [lone]
    assert sabaki("send", "final_score") == f"{position.winner}+{abs(lead):g}"


def random_moves(plies: int, width: int = 9, height: int = 9) -> list[tuple[str, str]]:
    """Return a random game with captures, as colours and vertices."""
    game = gv.random_game(gv.parse(f"go:width={width},height={height}"), seed=9, plies=plies)
    return [("BW"[event.actor - gv.BLACK], write_move(game.rules.board, event.action)) for event in game.events]


@pytest.mark.parametrize(("width", "height"), [(9, 9), (9, 13), (13, 9), (19, 5)])
def test_game_has_the_stones_and_captures_of_sabakis_board(sabaki: SabakiWindow, width: int, height: int) -> None:
    moves = random_moves(150, width, height)
    for length in (len(moves), 40, 41, 0, 90, len(moves)):
        told = sabaki.sync(moves[:length], width, height)
        assert [tuple(each["args"]) for each in told["history"]] == [
            (colour, vertex.upper()) for colour, vertex in moves[:length]
        ]
        board, state = sabaki("board", width, height, moves[:length]), sabaki.state()
        assert {vertex: colour.upper() for vertex, colour in state["stones"].items()} == board["stones"]
        assert [state["captures"]["b"], state["captures"]["w"]] == board["captures"]
    assert min(board["captures"]) >= 5


@pytest.mark.parametrize("command", ["genmove", *GENERATIONS[:3]])
def test_engines_move_is_in_sabakis_history(sabaki: SabakiWindow, command: str) -> None:
    sabaki.sync([("B", "E5")])
    sabaki("send", command, "W")
    last = sabaki.state()["last"]
    assert [each["args"] for each in sabaki("state")["history"]] == [["B", "E5"], ["W", last["vertex"]]]
    # One stone more is sent: the engine takes nothing back, and both go on from the same board.
    assert len(sabaki.sync([("B", "E5"), ("W", last["vertex"]), ("B", "A1")])["history"]) == 3
    assert sabaki.state()["move_number"] == 3


def test_repetition_is_taken_in_as_sabaki_shows_it(sabaki: SabakiWindow) -> None:
    moves = [(colour, vertex) for colour, _, vertex in (move.partition(":") for move in SUPERKO.split())]
    sabaki.sync(moves, 5, 5)
    state = sabaki.state()
    assert state["move_number"] == len(moves)
    assert {vertex: colour.upper() for vertex, colour in state["stones"].items()} == sabaki("board", 5, 5, moves)[
        "stones"
    ]
    # The engine's own move does not repeat a board: Black may not take back at once.
    assert "C2" not in state["legal"]


def test_file_of_the_engine_is_read_alike_and_comes_back_the_same(sabaki: SabakiWindow, tmp_path: Path) -> None:
    moves = [*random_moves(60), ("B", "pass"), ("W", "pass")]
    sabaki.sync(moves)
    ours, theirs = tmp_path / "ours.sgf", tmp_path / "theirs.sgf"
    sabaki("send", "printsgf", str(ours))
    played = sabaki.state()
    root, *nodes = sabaki("read", str(ours))
    assert (root["SZ"], root["KM"], root["RE"]) == (["9"], [f"{KOMI}"], [sabaki("send", "variant-result").split()[0]])
    # The engine's judgement of dead stones stands in nodes of its own behind the moves.
    played_nodes = [node for node in nodes if "B" in node or "W" in node]
    points = [node[colour][0] for node, (colour, _) in zip(played_nodes, moves, strict=True)]
    expected = ["" if v == "pass" else chr(97 + COLUMNS.index(v[0])) + chr(97 + 9 - int(v[1])) for _, v in moves]
    assert points == expected
    game = sgf.Sgf_game.from_bytes(ours.read_bytes())
    assert (game.get_size(), game.get_komi(), game.get_winner()) == (9, KOMI, root["RE"][0][0].lower())
    read = [move for node in game.get_main_sequence()[1:] if (move := node.get_move())[0]]
    assert read == [
        (colour.lower(), None if v == "pass" else (int(v[1]) - 1, COLUMNS.index(v[0]))) for colour, v in moves
    ]
    theirs.write_text(sabaki("write", str(ours)), encoding="utf-8")
    sabaki("send", "loadsgf", str(theirs))
    assert sabaki.state() == played
