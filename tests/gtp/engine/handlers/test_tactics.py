"""GNU Go's questions about tactics; its version 3.8 gives the same answers where nothing else is said."""

import pytest

from tests.gtp.talk import Talk

# Black at D4 can be captured at D3, White's stones cannot.
CHAIN = "b:D4 w:E4 w:D5 w:C4"
# Black drives D4 to the upper right corner.
LADDER = "w:D4 b:D3 b:C4 w:A9 b:C5"
# White takes D4 at E4, where Black could take back.
KO = "b:D4 w:C4 b:E3 w:D3 b:E5 w:D5 b:F4"


def go(size: int, moves: str) -> Talk:
    talk = Talk(f"go:size={size}")
    talk.plays(moves)
    return talk


def test_a_chain_is_captured_or_saved() -> None:
    talk = go(9, CHAIN)
    answers = {
        "attack D4": "1 D3",
        "defend D4": "1 D3",
        "attack E4": "0",
        "owl_attack D4": "1 D3",
        "owl_defend D4": "0",
        "dragon_status D4": "dead",
        "connect D5 E4": "1 E5",
        "disconnect D5 E4": "0",
        "analyze_semeai D4 E4": "0 0 PASS",
    }
    assert {question: talk(question) for question in answers} == answers
    # GNU Go lists dragons, of several chains, in another order.
    assert talk("dragon_status") == "C4: alive\nD4: dead\nE4: alive\nD5: alive"


@pytest.mark.parametrize(("breaker", "answer"), [("w:A8", "1 E4"), ("w:G7", "0"), ("w:F6", "0")])
def test_a_ladder_is_read_to_its_end(breaker: str, answer: str) -> None:
    assert go(9, f"{LADDER} {breaker}")("attack D4") == answer


def test_who_takes_a_ko_first_is_told() -> None:
    assert go(9, KO)("attack D4") == "2 E4"
    # Now Black needs a threat before D4 can be taken back, which would capture E4.
    assert go(9, f"{KO} w:E4")("attack E4") == "3 D4"


@pytest.mark.parametrize(
    ("group", "wall", "answer"),
    [
        ("b:A2 b:B2 b:C2 b:D2 b:D1", "w:A3 w:B3 w:C3 w:D3 w:E2 w:E1 w:E3", "critical B1 B1"),
        ("b:A2 b:B2 b:C2 b:C1", "w:A3 w:B3 w:C3 w:D2 w:D1 w:D3", "dead"),
        ("b:A2 b:B2 b:C2 b:D2 b:E2 b:E1", "w:A3 w:B3 w:C3 w:D3 w:E3 w:F2 w:F1 w:F3", "alive"),
    ],
)
def test_a_group_with_two_three_or_four_points_inside(group: str, wall: str, answer: str) -> None:
    assert go(9, f"{group} {wall} w:G7")("dragon_status A2") == answer


def test_questions_that_cannot_be_asked_are_refused() -> None:
    talk = go(9, CHAIN)
    for question in ("attack A1", "owl_defend A1", "connect D5 A1", "analyze_semeai D4 A1", "dragon_status A1"):
        assert talk.fails(question) == "vertex must not be empty"
    assert talk.fails("connect D4 E4") == "vertices must have same color"
    assert talk.fails("analyze_semeai D5 E4") == "vertices must have different colors"
    assert Talk("aleago:size=9").fails("attack A1") == "not a go game"
