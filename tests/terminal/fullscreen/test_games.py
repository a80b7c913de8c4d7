"""Each game played to its end by cursor on a terminal of 80 columns and 24 rows."""

from pathlib import Path
from random import Random

import pytest

from gtp_variants.cli import main
from gtp_variants.players.table import Table, legal_actions
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.dice_stream import DiceStream
from tests.terminal.fullscreen.screens import WholeScreen


def play_to_the_end(screen: WholeScreen, spec: str, stones: int) -> str:
    """Both sides place stones where a fixed choice falls, then pass as long as it takes; the result in words."""
    rules = parse(spec)
    table = Table(rules, lambda: DiceStream("s"))
    rng = Random(1)
    while (colour := table.asked()) is not None:
        turn = table.position.turn
        points = [] if table.suspended else [point for point in legal_actions(table, colour) if point >= 0]
        if points and (turn <= stones or not rules.end_passes):
            point = rng.choice(points)
            screen.goes_to(rules.board, rules.board.vertex(point))
            screen.press("enter")
            table.answer(colour, point)
        else:
            screen.press("f5")
            table.answer(colour, PASS)
        if table.position.turn > turn and not table.is_final:
            screen.sees(f"turn {table.position.turn}:")
        elif table.suspended and table.agreed:
            screen.sees("agrees to the end")
    assert table.game.outcome is not None
    return table.game.outcome.sentence()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "stones"),
    [
        ("go:size=9", 12),
        ("aleago:size=9", 12),
        ("rosette:n=7", 16),
        ("alter-igo:size=5", 99),
        ("pentalath", 99),
        ("pentalath:players=3", 99),
    ],
)
def test_a_game_to_its_end_by_cursor(spec: str, stones: int, tmp_path: Path) -> None:
    screen = WholeScreen(spec, "--two", "--seed", "s", state=tmp_path) if "aleago" in spec else None
    screen = screen or WholeScreen(spec, "--two", state=tmp_path)
    screen.sees("turn 1:", " > ")
    result = play_to_the_end(screen, spec, stones)
    screen.sees("The game is over. Enter closes this screen.", result)
    screen.press("enter")
    assert result.lower() in " ".join(screen.sees_end().split()).lower()
    (record,) = (tmp_path / "gtp-variants" / "finished").glob("*.json")
    assert main(["verify", str(record)]) == 0


@pytest.mark.slow
def test_go_fantome_for_two_to_its_end_by_cursor(tmp_path: Path) -> None:
    """A curtain between the turns: nobody sees a stone of the other's, nor where it was tried."""
    screen, board = WholeScreen("phantom:size=5,komi=0", "--two", state=tmp_path), parse("phantom:size=5").board
    tried: list[str] = []
    for name, tries in (("Black", "C3"), ("White", "C3 B2"), ("Black", "D4"), ("White", ""), ("Black", "")):
        screen.sees("press Enter when nobody else is looking", without="then hand")
        assert not any(letter in screen.text for letter in "●·")
        assert not [vertex for vertex in tried if vertex in screen.text]
        screen.press("enter")
        screen.sees(f"{name} >")
        for number, vertex in enumerate(tries.split()):
            screen.goes_to(board, vertex)
            # Only the own stones are on the board, and what was tried in vain.
            assert stones_on(screen) == (1 if name == "Black" and tried else 0)
            tried.append(vertex)
            screen.press("enter")
            if number < len(tries.split()) - 1:
                screen.sees(f"{vertex} was refused")
        screen.press(*([] if tries else ["f5"]))
        screen.sees("Press Enter; then hand the keyboard")
        screen.press("enter")
    for name in ("White", "Black"):
        screen.sees("press Enter when nobody else is looking", without="then hand")
        screen.press("enter")
        screen.sees(f"{name} >")
        screen.press("f5")
        if name == "White":
            screen.sees("then hand the keyboard")
            screen.press("enter")
    screen.sees("These stones look dead: B2", "The referee's board")
    screen.types("end")
    screen.sees("The game is over. Enter closes this screen.", "The referee's board")
    assert stones_on(screen) == 3
    screen.press("f6")
    screen.sees("What Black knew")
    screen.press("enter")
    assert "Record:" in screen.sees_end()


def stones_on(screen: WholeScreen) -> int:
    """How many stones the board shows, which stands on the left."""
    return sum(row[:13].count("●") for row in screen.screen.display)


def test_leaving_at_a_curtain_shows_no_board(tmp_path: Path) -> None:
    for is_resumed in (False, True):
        screen = WholeScreen(*(["--resume"] if is_resumed else ["phantom:size=5", "--two"]), state=tmp_path)
        screen.sees("press Enter when nobody else is looking")
        if not is_resumed:
            screen.press("enter")
            screen.sees("Black >")
            screen.types("C3")
            screen.sees("Press Enter; then hand the keyboard")
        screen.press("f10")
        screen.sees_end()
        assert "White >" not in screen.raw.decode()


def test_enter_on_a_page_of_help_lifts_no_curtain(tmp_path: Path) -> None:
    screen = WholeScreen("phantom:size=5", "--two", state=tmp_path)
    screen.sees("press Enter when nobody else is looking")
    screen.press("f1")
    screen.sees("Arrows")
    screen.press("enter")
    screen.sees("press Enter when nobody else is looking", without="Arrows")
    screen.press("f10")
    screen.sees_end()
    assert "Black >" not in screen.raw.decode()
