"""The parts of a game at the keyboard, each alone: the curtain, the bots, the enquiries, the course, the end."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, RED, WHITE
from gtp_variants.terminal.blocks import BoardBlock, Secret, TextBlock, ThinkingBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.enquiries import Enquiries
from gtp_variants.terminal.games.game_end import GameEnd
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.play_session import GameCourse
from gtp_variants.terminal.games.save_file import PLAY, POLICY, GamesFolder
from gtp_variants.terminal.games.seats import BotSeats, Interruption, Keyboard
from tests.terminal.session_lines import everything, texts


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for host in HOSTS:
        host.file.release()
    HOSTS.clear()


HOSTS: list[GameHost] = []


def host_of(folder: Path, spec: str, bots: dict[int, str] | None = None) -> GameHost:
    rules = parse(spec)
    seats = dict.fromkeys(rules.colours, Participant(PERSON))
    seats |= {colour: Participant(BOT, name) for colour, name in (bots or {}).items()}
    game = HostedGame.new(new_record(rules, "s"), seats, POLICY, notes={"kind": PLAY})
    HOSTS.append(GameHost(GamesFolder(folder).new(rules.name), game))
    return HOSTS[-1]


def test_the_curtain_falls_after_the_mover_has_read_and_rises_for_the_other(folder: Path) -> None:
    host = host_of(folder, "phantom:size=5")
    keyboard = Keyboard(host)
    assert (keyboard.is_covered, keyboard.prompt) == (
        True,
        "The keyboard goes to Black. Black, press Enter when nobody else is looking. ",
    )
    assert [type(block) for block in keyboard.move_curtain()] == [Secret, BoardBlock]
    assert (keyboard.is_curtained, keyboard.seat, keyboard.prompt) == (False, BLACK, "Black > ")
    host.game.answer(BLACK, 7)
    list(keyboard.report())
    (board,) = keyboard.show_board()
    assert isinstance(board, BoardBlock)
    assert board.picture.stones[7] == BLACK
    assert (keyboard.is_curtained, keyboard.is_covered, keyboard.seat) == (True, False, BLACK)
    covering = keyboard.move_curtain()
    assert next(covering) is Secret.CLEARED
    # Nobody may look before the screen has been cleared.
    assert keyboard.is_covered
    assert list(covering) == []
    said = [block for block in keyboard.move_curtain() if isinstance(block, BoardBlock)]
    assert (keyboard.seat, said[0].picture.stones[7]) == (WHITE, 0)


def test_a_single_person_hears_each_announcement_once(folder: Path) -> None:
    host = host_of(folder, "go:size=5")
    keyboard = Keyboard(host)
    assert not keyboard.is_secret
    host.game.answer(BLACK, 0)
    assert texts(keyboard.report()) == ["Black: A1"]
    list(keyboard.show_board())
    assert keyboard.seat == WHITE
    assert texts(keyboard.report()) == []
    host.game.answer(WHITE, 1)
    keyboard.skip_news()
    assert texts(keyboard.report()) == []


def test_an_interruption_breaks_off_what_is_thought() -> None:
    interruption = Interruption()
    interruption.check()
    interruption.is_set = True
    with pytest.raises(KeyboardInterrupt):
        interruption.check()


def test_bots_are_named_act_in_their_turn_and_lose_when_they_fail(folder: Path) -> None:
    host = host_of(folder, "go:size=5", {BLACK: "greedy"})
    bots = BotSeats(host, Interruption(), 1)
    assert list(bots.by_colour) == [BLACK]
    assert bots.names() == {BLACK: bots.title_of(BLACK), WHITE: host.say("terminal.person")}
    assert bots.title_of(WHITE) == ""
    assert list(bots.act(BLACK)) == []
    assert [event.actor for event in host.table.game.events] == [BLACK]
    assert texts(bots.set_level("5"), "error") == [host.say("terminal.no_level", bot=bots.title_of(BLACK))]
    (failed,) = bots.forfeit(BLACK, ValueError("it broke"))
    assert isinstance(failed, TextBlock)
    assert "ValueError: it broke" in failed.text
    assert host.game.is_over
    assert not host.table.seats


def test_enquiries_change_nothing_and_an_interrupted_hint_says_nothing(folder: Path) -> None:
    host = host_of(folder, "go:size=5")
    interruption = Interruption()
    enquiries = Enquiries(host, Keyboard(host), interruption, 1).handlers()
    host.game.answer(BLACK, 0)
    lines = list(host.game.lines)
    assert texts(enquiries["record"]("")) == ["1. Black A1"]
    (free,) = texts(enquiries["liberties"]("A1"))
    assert {"B1", "A2"} <= set(re.findall(r"\w+", free))
    assert texts(enquiries["atari"]("")) == [host.say("terminal.no_atari")]
    interruption.is_set = True
    hint = enquiries["hint"]("")
    assert isinstance(next(hint), ThinkingBlock)
    with pytest.raises(KeyboardInterrupt):
        next(hint)
    assert host.game.lines == lines


def test_the_course_lets_bots_act_until_a_person_is_asked(folder: Path) -> None:
    host = host_of(folder, "pentalath:players=3", {BLACK: "greedy", RED: "greedy"})
    keyboard = Keyboard(host)
    course = GameCourse(host, keyboard, BotSeats(host, Interruption(), 1))
    blocks = list(course.act(0))
    assert sum(isinstance(block, ThinkingBlock) for block in blocks) == 2
    assert isinstance(blocks[-1], BoardBlock)
    assert (host.game.asked(), keyboard.seat, course.end.is_finished) == (WHITE, WHITE, False)


def test_the_end_of_a_hidden_game_shows_it_once_counts_it_and_keeps_its_record(folder: Path) -> None:
    host = host_of(folder, "phantom:size=3,dead=agreed")
    end = GameEnd(host)
    for colour in (BLACK, WHITE):
        host.game.answer(colour, PASS)
    while (asked := host.game.asked()) is not None:
        host.game.answer(asked, PASS)
    shown = list(end.show_count("terminal.counting"))
    assert shown[0] is Secret.ENDS
    assert sum(isinstance(block, BoardBlock) for block in shown) == 3
    host.game.settle(BLACK)
    blocks = list(end.finish({BLACK: "Ann", WHITE: "Bob"}))
    assert end.is_finished
    assert not any(isinstance(block, BoardBlock) for block in blocks)
    assert "White wins" in everything(blocks)
    assert len(list((folder / "finished").iterdir())) == 1


@pytest.mark.parametrize(
    ("spec", "is_finished", "useful", "useless"),
    [
        ("go:size=5", False, {"undo", "analysis", "score", "save"}, {"odds", "dice", "draws", "swap", "level"}),
        ("phantom:size=5", False, {"odds"}, {"undo", "analysis", "save", "score"}),
        ("phantom:size=5", True, {"save", "record"}, {"pass", "resign", "hint"}),
        ("aleago:size=5", False, {"dice", "draws"}, {"odds"}),
    ],
)
def test_commands_have_a_use_where_the_game_has_what_they_ask_for(
    spec: str, is_finished: bool, useful: set[str], useless: set[str]
) -> None:
    found = {each.name for each in commands.PLAY if commands.has_use(each.name, parse(spec), [], False, is_finished)}
    assert useful <= found
    assert not useless & found
    assert commands.has_use("level", parse(spec), [], True, False)
