"""Chat on a server: answers to questions, figures of a search, and stones off the open line."""

import pytest

from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.gtp.engine.engine_host import KGS, OGS, HostQuirks
from gtp_variants.gtp.engine.handlers.server_chat import tell_server
from gtp_variants.rules.actions import PASS
from tests.gtp.talk import Talk


def ask(talk: Talk, said: str) -> str:
    return talk(f"kgs-chat game alpha {said}")


@pytest.mark.parametrize("said", ["hello", "dice now", "rules of Go", "!", "help me"])
def test_only_one_word_is_a_question(said: str) -> None:
    talk = Talk("aleago:size=9", quirks=HostQuirks(chat=KGS))
    assert talk.fails(f"kgs-chat private alpha {said}") == "cannot answer: unknown word"


@pytest.mark.parametrize(("size", "is_listed"), [(7, True), (9, False)])
def test_up_to_twenty_four_points_are_named(size: int, is_listed: bool) -> None:
    talk = Talk(f"aleago:size={size}", quirks=HostQuirks(chat=KGS))
    talk("aleago-draw b 1")
    told = ask(talk, "dice")
    points = f": {talk('aleago-open')}" if is_listed else ""
    assert told == f"Black, draw 1: line 1 is open{points}."


def test_a_free_turn_names_no_points() -> None:
    talk = Talk("aleago:size=3", quirks=HostQuirks(chat=KGS))
    talk("aleago-draw b free")
    told = ask(talk, "dice")
    assert told.startswith("Black, ")
    assert "A1" in told or ":" not in told


def test_a_stone_off_its_line_is_spoken_of_until_the_answer_to_it_is_answered() -> None:
    talk = Talk("aleago:size=9", seed="chat", quirks=HostQuirks(accepts_off_line=True, chat=KGS))
    talk.does("aleago-draw b 1/play b D4")
    assert ask(talk, "dice").startswith("D4 was off its line; please take it back. White, ")
    talk(f"play w {talk('aleago-open').split()[0]}")
    assert ask(talk, "dice").startswith("D4 was off its line; please take it back. Black, ")
    talk(f"play b {talk('aleago-open').split()[0]}")
    assert ask(talk, "dice").startswith("White, ")
    # Taken back and played again on its line, it is another stone.
    talk.does("undo/undo/undo/aleago-draw b free/play b D4")
    assert ask(talk, "dice").startswith("White, ")


def found(**changed: object) -> SearchResult:
    """A search of 5x5 that looked at two moves."""
    values: dict[str, object] = {
        "action": 12,
        "visits": {12: 300, 7: 100},
        "values": (0.5, 0.5),
        "principal_variation": (12, 7, PASS),
        "playouts": 200,
        "turns": 9,
        "shares": {12: 0.625, 7: 0.25},
        "priors": {12: 0.75, 7: 0.25},
    }
    return SearchResult(**values | changed)  # type: ignore[arg-type]


def tell(talk: Talk, result: SearchResult | None, thought_s: float, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines that the host of a talk is told after a search."""
    talk.session.bot.found = result
    capsys.readouterr()
    tell_server(talk.session, thought_s)
    return capsys.readouterr().err.splitlines()


def test_a_search_is_reported_in_leela_zeros_format(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("go:size=5", quirks=HostQuirks(chat=OGS))
    assert tell(talk, found(), 0.5, capsys) == [
        "C3 ->     300 (V: 62.50%) (LCB: 53.87%) (N: 75.00%) PV: C3 C2 pass",
        "400 visits, 2 nodes, 200 playouts, 400 n/s",
    ]
    assert tell(talk, found(proved=True), 0.0, capsys) == [
        "C3 ->     300 (V: 100.00%) (LCB: 100.00%) (N: 75.00%) PV: C3 C2 pass",
        "400 visits, 2 nodes, 200 playouts, 200000 n/s",
    ]


@pytest.mark.parametrize("changed", [{"action": 1}, {"visits": {12: 0}}, {"principal_variation": ()}])
def test_chat_is_silent_about_an_empty_search(changed: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("go:size=5", quirks=HostQuirks(chat=OGS))
    assert tell(talk, found(**changed), 1.0, capsys) == []
    assert tell(talk, None, 1.0, capsys) == []


def test_chat_never_shows_a_search_of_hidden_stones(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("phantom:size=5", quirks=HostQuirks(chat=OGS))
    assert tell(talk, found(), 1.0, capsys) == []


def test_people_are_told_who_plays_and_how_strong() -> None:
    talk = Talk("go:size=5", bot="greedy", quirks=HostQuirks(chat=KGS))
    assert ask(talk, "level?") == "I am Greedy: looks one stone ahead."
    assert ask(talk, "niveau") == "Je suis Glouton\u00a0: regarde une pierre en avant."


def test_a_seat_moves_behind_gtp2ogs_without_telling_draws() -> None:
    talk = Talk("phantom:size=5", bot="uniform", quirks=HostQuirks(chat=OGS))
    talk("phantom-seat b")
    assert talk("genmove b") in talk("variant-legal_moves b").split()
