"""Every game in GoGui from the first click to the end of its processes, and every board GoGui may be asked to draw."""

import re
import time
from collections.abc import Iterator
from random import Random

import pytest

from gtp_variants.errors import SpecError
from tests.gtp.hosts.gogui_host import Start
from tests.gtp.talk import Talk

HOSTED = ("aleago:size=9", "rosette:n=3", "alter-igo:size=7", "pentalath", "phantom:size=7")
# So many moves are played in a window.
WINDOWS = [
    *(("aleago:size=9", 30), ("aleago:size=9,crystal_ball=true", 16), ("rosette:n=3", 20), ("alter-igo:size=7", 20)),
    *(("pentalath", 24), ("phantom:size=7", 20)),
    *(pytest.param(spec, 60, marks=pytest.mark.slow) for spec in HOSTED),
]


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "count"), WINDOWS)
def test_a_window_from_the_first_click_to_the_end(start: Start, spec: str, count: int) -> None:
    """Attach, moves of a person and the computer, undo, jumps, a saved game, the end, a new game."""
    host = start(spec)
    rng = Random(spec)
    first = host.agree()
    while len(host.moves) < count and (legal := host.legal()):
        if len(host.moves) % 2:
            if host.computer() == "resign":
                break
        else:
            words = [word for word in legal if word != "pass"] or legal
            # Of a refused try the tree knows nothing.
            host.human(rng.choice(words))
        assert host.agree()["move_number"] == len(host.moves)
    line = list(host.moves)
    whole = host.agree()
    for length in (len(line) - 1, len(line) // 2, 0, len(line)):
        host.go_to(line[:length])
        assert host.agree()["move_number"] == length
    assert host.agree()["stones"] == whole["stones"]
    host.new_game()
    assert host.agree() == first
    # A saved game, opened in another window: as moves of a tree, with dice of that window's own.
    other = start(spec)
    other.go_to(line)
    assert other.agree()["stones"] == whole["stones"]


@pytest.mark.slow
@pytest.mark.parametrize("spec", HOSTED)
def test_the_computer_against_itself_comes_to_an_end_both_processes_agree_on(start: Start, spec: str) -> None:
    host = start(spec)
    passes = 0
    while host.legal() and passes < 2:
        vertex = host.computer()
        if vertex == "resign":
            return
        passes = passes + 1 if vertex == "pass" else 0
        assert len(host.moves) < 600
    host.agree()
    results = [peer.send("gogui-rules_final_result") for peer in (host.player, host.ruler)]
    assert results[0] == results[1] != ""


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["aleago:size=9", "alter-igo:size=5", "pentalath", "rosette:n=2", "go:size=5"])
def test_two_engines_that_only_hear_each_others_moves_agree(start: Start, spec: str) -> None:
    """gogui-twogtp's way: each has its own process, and both must share the dice to play Aléago."""
    window = start(spec, "--seed", "twogtp")
    players = (window.player, window.ruler)
    for player in players:
        player.send("clear_board")
        player.send("komi", 7.5)
    passes = 0
    for number in range(400):
        mine, other = players if number % 2 == 0 else players[::-1]
        colour = "bw"[number % 2]
        vertex = mine.send("genmove", colour)
        if vertex == "resign":
            break
        other.send("play", colour, vertex)
        passes = passes + 1 if vertex == "pass" else 0
        if passes == 2:
            break
    assert players[0].send("variant-state") == players[1].send("variant-state") or vertex == "resign"
    if spec.startswith(("alter-igo", "pentalath")):
        assert vertex == "resign"
    else:
        assert players[0].send("final_score") == players[1].send("final_score")


@pytest.mark.slow
def test_a_long_game_of_rosette_costs_the_ruler_little() -> None:
    """250 moves as GoGui sends them, some 94,000 `play`s; measured 2 s on one core, 30 s are allowed."""
    talk = Talk("rosette", seed="long")
    ask = [f"gogui-rules_{what}".encode() for what in "board captured_count side_to_move board_gfx legal_moves".split()]
    for word in ("game_id", "board", "legal_moves"):
        talk(f"gogui-rules_{word}")
    rng, moves, plays = Random(1), list[bytes](), 0
    begun = time.process_time()
    for _ in range(250):
        words = [word for word in talk("gogui-rules_legal_moves").split() if word != "pass"]
        moves.append(f"play {talk('gogui-rules_side_to_move')} {rng.choice(words)}".encode())
        for _ in range(3):
            for line in (b"clear_board", *moves, *ask):
                talk.raw(line)
            plays += len(moves)
    assert plays > 90_000
    assert time.process_time() - begun < 30
    assert talk.state()["move_number"] == 250


# -- what GoGui can draw -----------------------------------------------------------------------------------------------


def every_board() -> Iterator[str]:
    """Every size of every game, as far as a SPEC may ask for it."""
    for game, key in (("aleago", "size"), ("phantom", "size"), ("alter-igo", "size"), ("go", "size"), ("rosette", "n")):
        for size in range(1, 60):
            spec = f"{game}:{key}={size}"
            try:
                Talk(spec)
            except SpecError:
                continue
            yield spec
    for board in ("trapezoid", "hexhex5"):
        yield f"pentalath:board={board}"


def faults(talk: Talk) -> Iterator[str]:
    """Return the answers that GoGui 1.6 would draw wrong or crash on."""
    size = talk("gogui-rules_board_size")
    form = re.fullmatch(r"(\d+)( hex)?", size)
    if form is None or int(form[1]) > 52:
        yield f"board_size {size}"
        return
    side = int(form[1])
    rows = [[mark for mark in row if mark in "XO.?"] for row in talk("gogui-rules_board").strip().split("\n")]
    if [len(row) for row in rows] != [side] * side:
        yield "board is no square"
        return
    if form[2] is None and any("?" in row for row in rows):
        yield "a hole in a square board, which GoGui does not draw"
    marks = {vertex(x, side - 1 - y): rows[y][x] for y in range(side) for x in range(side)}
    holes = {name for name, mark in marks.items() if mark == "?"}
    transposed = {vertex(side - 1 - y, x) for y in range(side) for x in range(side) if rows[y][x] == "?"}
    if holes != transposed:
        yield "holes that are not symmetric are drawn elsewhere"
    for line in talk("gogui-rules_board_gfx").split("\n"):
        cells = set(re.findall(r"\b[A-Z]{1,2}\d+\b", line))
        if line and not cells:
            yield f"gfx {line}"
        if cells & holes or cells - set(marks):
            yield f"gfx on a hole or outside: {line}"
    for word in talk("gogui-rules_legal_moves").split():
        if word != "pass" and marks.get(word) != ".":
            yield f"legal move {word} on {marks.get(word)}"
    if talk("gogui-rules_side_to_move")[:1] not in ("b", "w"):
        yield "side_to_move"
    if not re.fullmatch(r"\d+ \d+", talk("gogui-rules_captured_count")):
        yield "captured_count"
    if not re.fullmatch("[A-Z][a-z]+", talk("gogui-rules_game_id")):
        yield "game_id"


def vertex(x: int, y: int) -> str:
    """GoGui's name of a cell."""
    letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    column = letters[x] if x < 25 else letters[x // 25 - 1] + letters[x % 25]
    return f"{column}{y + 1}"


@pytest.mark.slow
def test_no_board_of_any_size_is_more_than_gogui_can_draw() -> None:
    seen = 0
    for spec in every_board():
        talk = Talk(spec, seed="layout", bot="uniform")
        for _ in range(4):
            assert list(faults(talk)) == [], spec
            if not talk("gogui-rules_legal_moves"):
                break
            talk(f"genmove {talk('gogui-rules_side_to_move')}")
        seen += 1
    assert seen > 60
