"""The whole screen on a real terminal: keys, mouse, sizes, colours, interruptions, and when it is not used."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.rules import parse
from tests.support.programs import COMMAND, environment
from tests.terminal.fullscreen.screens import WholeScreen

GO5 = parse("go:size=5").board
SLOW_BOT = """
import time
import gtp_variants as gv
class Slow(gv.Seat):
    def choose(self, view, clock):
        print("a bot that prints")
        time.sleep(600)
        return view.actions[0]
"""


@pytest.fixture
def screens(tmp_path: Path) -> Iterator[list[WholeScreen]]:
    made: list[WholeScreen] = []
    yield made
    for screen in made:
        screen.close()


def kept(state: Path) -> list[str]:
    """The lines of the only game that is kept."""
    (path,) = (state / "gtp-variants" / "games").glob("*.json")
    return path.read_text().splitlines()


def test_cursor_and_enter_place_a_stone(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("go:size=5", "--bot", "greedy", state=tmp_path)
    screens.append(screen)
    screen.sees("Arrows or the mouse move the cursor", "C3")
    screen.press("left", "up")
    screen.sees("B4")
    screen.press("enter")
    screen.sees("1. B B4", "2. W", "turn 3: Black to play")
    screen.press("enter")
    screen.sees("stone")
    screen.press("f4")
    screen.sees("Taken back", "turn 1: Black to play", without="1. B B4")
    screen.press("f1")
    screen.sees("Home PgUp")
    screen.press("escape")
    screen.sees("turn 1")
    screen.press("f10")
    assert "play --resume" in screen.sees_end()
    assert b"\x1b[?1049l" in screen.raw


@pytest.mark.slow
def test_typing_tab_and_refusals(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("go:size=5", "--two", "--lang", "fr", state=tmp_path)
    screens.append(screen)
    screen.sees("Les flèches ou la souris")
    screen.types("c3")
    screen.sees("1. N C3")
    screen.types("c3")
    screen.sees("C3", "tour 2")
    screen.press("tab")
    screen.sees("conseil", "les chaînes qui n'ont qu'une liberté")
    screen.press("escape")
    screen.sees("tour 2", without="plateau")
    screen.press("ann", "tab")
    screen.sees("> annule")
    screen.press("enter")
    screen.sees("tour 1", without="1. N C3")
    screen.types("nonsense")
    screen.sees("n'est ni une commande ni un point")
    screen.types("abandonne")
    screen.sees("abandonne vraiment ?")
    screen.types("")
    screen.sees("oui ou non ?")
    screen.types("oui")
    screen.sees("La partie est finie", "Blanc gagne par abandon")
    screen.press("enter")
    assert "Blanc gagne par abandon" in screen.sees_end()


@pytest.mark.slow
def test_a_click_moves_the_cursor_and_a_second_one_plays(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("rosette:n=7", "--two", state=tmp_path)
    screens.append(screen)
    screen.sees("turn 1")
    row, column = next((r, c) for r, line in enumerate(screen.screen.display) for c in [line.find("•─•", 12)] if c > 0)
    screen.clicks(row, column)
    screen.sees("turn 1", without="N13")
    vertex = screen.vertex
    # The board may have moved under the cursor.
    (at,) = [
        (r, c)
        for r in range(24)
        for c in range(50)
        if screen.style_at(r, c).data == "•" and screen.style_at(r, c).bg == screen.style_at(r, c - 1).bg == "ffff87"
    ]
    screen.clicks(*at)
    screen.sees(f"1. B {vertex}")
    hint = next(line for line in [screen.screen.display[23]])
    screen.clicks(23, hint.index("help"))
    screen.sees("Keys")


@pytest.mark.slow
def test_a_terminal_that_becomes_smaller_and_larger(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("rosette:n=7", "--two", state=tmp_path)
    screens.append(screen)
    screen.sees("turn 1")
    for rows, columns in ((24, 40), (10, 30), (40, 140), (24, 80)):
        screen.screen.resize(rows, columns)
        screen.child.setwinsize(rows, columns)
        screen.press("left")
        screen.sees("turn 1")
        assert max(map(len, screen.screen.display)) == columns
    screen.child.setwinsize(3, 12)
    screen.press("left")
    screen.child.setwinsize(24, 80)
    screen.sees("turn 1")
    screen.press("enter")
    screen.sees("1. B")


@pytest.mark.slow
def test_ctrl_c_while_a_bot_thinks(tmp_path: Path, screens: list[WholeScreen]) -> None:
    (tmp_path / "slow.py").write_text(SLOW_BOT)
    screen = WholeScreen("go:size=5", "--bot", str(tmp_path / "slow.py"), state=tmp_path)
    screens.append(screen)
    screen.sees("turn 1")
    screen.press("enter")
    screen.sees("White thinks")
    screen.press("f5")
    screen.sees("One moment")
    screen.press("ctrl-c")
    screen.sees("Leave? The game is saved.")
    screen.types("yes")
    left = screen.sees_end()
    assert "play --resume" in left
    # The stone is kept, and nothing that the bot might have answered.
    events = [line for line in kept(tmp_path) if '"C3"' in line]
    assert len(events) == 1


@pytest.mark.slow
def test_a_question_that_needs_two_lines_is_seen_whole(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("go:size=9", "--two", state=tmp_path, columns=40, rows=20)
    screens.append(screen)
    screen.sees("turn 1")
    screen.types("resign")
    screen.sees("Does Black really resign? (yes/no)")
    screen.types("no")
    screen.sees("The game continues.")
    screen.press("ctrl-c")
    screen.sees("Leave? The game is saved. (yes/no)")


@pytest.mark.slow
def test_interrupting_a_search_keeps_the_game_going(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("go:size=9", "--bot", "mcts:seconds=600", state=tmp_path)
    screens.append(screen)
    screen.sees("turn 1")
    screen.press("enter")
    screen.sees("White thinks")
    screen.press("ctrl-c")
    screen.sees("Leave? The game is saved.")
    screen.types("no")
    screen.sees("The game continues where it was.", "White thinks", "1. B E5")
    screen.press("ctrl-c", "ctrl-c")
    assert "play --resume" in screen.sees_end()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT, signal.SIGKILL])
def test_a_killed_game_continues_with_the_same_dice(number: int, tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("aleago:size=9", "--two", state=tmp_path)
    screens.append(screen)
    screen.sees("turn 1")
    screen.press("f5")
    screen.sees("turn 2", "White throws")
    faces = re.search(r"White throws (\d)", screen.words)
    assert faces is not None
    screen.child.kill(number)
    screen.child.wait()
    while screen._read(0.2):
        pass
    if number != signal.SIGKILL:
        assert b"\x1b[?1049l" in screen.raw
    again = WholeScreen("--resume", state=tmp_path)
    screens.append(again)
    again.sees("turn 2", f"[{faces[1]}]", "The game continues where it was.")


@pytest.mark.slow
def test_stones_are_called_dead_by_the_cursor(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("go:size=5,dead=agreed", "--two", state=tmp_path)
    screens.append(screen)
    for number, vertex in enumerate("C3 A1 C2 A5".split(), 1):
        screen.sees(f"turn {number}")
        screen.goes_to(GO5, vertex)
        screen.press("enter")
    screen.sees("turn 5")
    screen.press("f5")
    screen.sees("turn 6")
    screen.press("f5")
    screen.sees("Passes have stopped the game", "dead or alive")
    screen.goes_to(GO5, "A1")
    screen.press("enter")
    screen.sees("×", "At present")
    screen.press("enter")
    screen.sees("At present", without="×")


@pytest.mark.slow
def test_running_out_of_time_loses(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("go:size=5", "--two", "--time", "2s", state=tmp_path)
    screens.append(screen)
    screen.sees("White wins on time", "The game is over")
    screen.press("enter")
    assert "White wins on time" in screen.sees_end()


@pytest.mark.slow
def test_a_bots_prints_appear_after_the_game(tmp_path: Path, screens: list[WholeScreen]) -> None:
    (tmp_path / "loud.py").write_text(SLOW_BOT.replace("time.sleep(600)", "pass").replace("Slow", "Loud"))
    screen = WholeScreen("go:size=5", "--bot", f"{tmp_path / 'loud.py'}", state=tmp_path)
    screens.append(screen)
    screen.sees("turn 1")
    screen.press("enter")
    screen.sees("turn 3", without="a bot that prints")
    screen.press("f10")
    assert "a bot that prints" in screen.sees_end()


@pytest.mark.slow
def test_without_colours_stones_are_letters(tmp_path: Path, screens: list[WholeScreen]) -> None:
    screen = WholeScreen("go:size=5", "--two", state=tmp_path, NO_COLOR="1")
    screens.append(screen)
    screen.sees("turn 1")
    screen.press("enter")
    screen.sees("(X)", "> O White")
    assert {cell.fg for row in screen.screen.buffer.values() for cell in row.values()} == {"default"}


@pytest.mark.parametrize(
    ("arguments", "term"), [(["--plain"], "xterm"), ([], "dumb")], ids=["asked for", "poor terminal"]
)
def test_line_mode_is_used_without_a_full_screen(
    arguments: list[str], term: str, tmp_path: Path, screens: list[WholeScreen]
) -> None:
    screen = WholeScreen("go:size=5", "--two", *arguments, state=tmp_path, TERM=term)
    screens.append(screen)
    screen.sees("Type a point such as", "Black > ")
    assert b"\x1b[?1049h" not in screen.raw


def test_lines_without_a_terminal(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "play", "go:size=5", "--two"],
        input=b"C3\n",
        capture_output=True,
        timeout=60,
        env=environment(XDG_STATE_HOME=str(tmp_path)),
        check=False,
    )
    assert done.returncode == 0
    assert b"Black: C3" in done.stdout
    assert b"\x1b" not in done.stdout
    assert json.loads(kept(tmp_path)[0])


def test_the_first_board_waits_for_nothing_that_it_does_not_need() -> None:
    """What a search, a network or the plain client needs is loaded when it is asked for."""
    code = "import gtp_variants.cli.play.play, gtp_variants.terminal.fullscreen.client, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment())
    ours = ("ai.mcts", "ai.nets", "ai.belief", "gtp.engine")
    late = ("rich", "numpy", "yaml", *(f"gtp_variants.{name}" for name in ours))
    assert [name for name in done.stdout.split() if name.startswith(late)] == []
