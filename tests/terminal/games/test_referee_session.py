"""The referee for real boards, without the terminal: what is said, what is never said, corrections, the count."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from gtp_variants.cli import main
from gtp_variants.records.files import load_record
from gtp_variants.records.record import verify
from gtp_variants.records.sentences import announcements
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.game import random_game
from gtp_variants.terminal.blocks import BoardBlock, Secret, TextBlock
from gtp_variants.terminal.games.save_file import load
from tests.terminal.session_lines import everything, put_away, refereeing, tell, texts


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    put_away()


def test_the_sentences_of_the_source(tmp_path: Path) -> None:
    """Source: "Annonces possibles de l'arbitre"."""
    session = refereeing(tmp_path, "phantom:size=5,lang=fr")
    assert session.prompt == "Noir > "
    assert texts(tell(session, "n b1")) == ["Noir a joué"]
    assert texts(tell(session, "B A1")) == ["Blanc joue et se met en atari"]
    assert texts(tell(session, "e5")) == ["Noir a joué"]
    assert texts(tell(session, "blanc b1")) == ["coup impossible"]
    assert session.prompt == "Blanc > "
    assert texts(tell(session, "E4")) == ["Blanc joue et met 1 pierre noire en atari"]
    assert texts(tell(session, "A2")) == ["Noir joue et capture 1 pierre blanche", "montrées aux deux\u00a0: A1"]
    assert texts(tell(session, "passe")) == ["Blanc passe"]


def test_the_colours_of_each_language(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5")
    assert texts(tell(session, "w C3"), "error") == ["It is Black's turn."]
    assert texts(tell(session, "black c3")) == ["Black has played"]
    assert texts(tell(session, "b d3"), "error") == ["It is White's turn."]
    assert texts(tell(session, "w c3")) == ["impossible move"]
    session = refereeing(tmp_path, "phantom:size=5,lang=fr")
    assert texts(tell(session, "b c3"), "error") == ["C'est à Noir de jouer."]


@pytest.mark.parametrize("seed", range(4))
def test_a_random_game_is_announced_as_the_rules_say(seed: int, tmp_path: Path) -> None:
    rules = parse("phantom:size=5,lang=fr")
    game = random_game(rules, seed, 120)
    session = refereeing(tmp_path, rules.spec)
    for number, event in enumerate(game.events, 1):
        if game.positions[number].passes >= 2:
            break
        line = "passe" if event.action < 0 else session.rules.board.vertex(event.action)
        blocks = tell(session, line)
        after = game.positions[number]
        due = announcements(session.rules, after)
        assert texts(blocks, "said")[: len(due)] == due
        captured = rules.board.vertices_of(after.captured) if after.turn > game.positions[number - 1].turn else []
        assert re.findall(r"\b[A-Z][0-9]\b", everything(blocks)) == captured
        assert not any(isinstance(block, BoardBlock) for block in blocks)
        assert load(session.host.file.path).table.game == session.host.table.game


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize(
    "wrong", ["b z9", "d44", "xyzzy", "n d4 e5", "own d4", "correct", "correct Z9", "\x1b[2J", "é" * 999]
)
def test_typed_tries_are_never_shown(wrong: str, lang: str, tmp_path: Path) -> None:
    session = refereeing(tmp_path, f"phantom:size=9,lang={lang}")
    before = session.host.table.game.events[:]
    blocks = tell(session, wrong)
    assert len(blocks) == 1
    said = everything(blocks)
    assert not any(word in said.lower() for word in ("z9", "d4", "xyz", "éé", "\x1b"))
    assert texts(blocks, "error") == [said]
    assert session.host.table.game.events == before
    assert session.is_unseen


def test_a_referee_with_their_own_screen_sees_more(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=9", is_echoed=True)
    assert not session.is_unseen
    assert "'xyzzy': expected a command" in texts(tell(session, "xyzzy"), "error")[0]


def test_a_mistyped_entry_is_withdrawn_or_corrected(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5")
    assert texts(tell(session, "undo"), "error") == ["There is nothing to take back."]
    tell(session, "C3")
    said = texts(tell(session, "undo"), "said")
    assert said == ["Correction: the last announcement is withdrawn; Black to play"]
    assert not session.host.table.game.events
    tell(session, "C3", "C3")
    assert texts(tell(session, "correct D3"), "said")[1:] == ["White has played"]
    assert session.host.table.game.turns()[-1].action == session.rules.board.point("D3")
    tell(session, "correct Z9")
    assert len(session.host.table.game.turns()) == 2
    assert load(session.host.file.path).table.game == session.host.table.game


def test_boards_are_shown_only_after_confirmation(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5")
    tell(session, "C3", "D3")
    assert not tell(session, "own w")
    assert session.prompt == "Does White look at the screen, and Black look away? (yes/no) "
    assert not session.is_unseen
    assert not tell(session, "no")
    veil, board = tell(session, "own w", "yes")
    assert veil is Secret.BEGINS
    assert isinstance(board, BoardBlock)
    assert [p for p, colour in enumerate(board.picture.stones) if colour] == [session.rules.board.point("D3")]
    assert tell(session, "D5") == [Secret.ENDS]
    assert session.host.table.position.turn == 3
    assert not tell(session, "board")
    assert session.prompt == "Do both players look away? (yes/no) "
    assert texts(tell(session, "?"), "error") == ["yes or no?"]
    veil, board = tell(session, "yes")
    assert isinstance(board, BoardBlock)
    assert board.picture.stones == session.host.table.position.stones
    assert tell(session, "") == [Secret.ENDS]
    assert texts(tell(session, "own"), "error") == ["Whose stones? `own b` or `own w`."]


def test_the_count(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5,komi=0.5")
    assert texts(tell(session, "count"), "error") == ["`count` works after two passes."]
    assert texts(tell(session, "resume"), "error") == ["The game is not stopped: play a stone."]
    assert "Two passes" in everything(tell(session, "C3", "pass", "pass"))
    assert texts(tell(session, "resume"), "said") == ["the game continues"]
    tell(session, "D3", "pass", "pass", "pass")
    assert session.prompt == "Do both players agree that the game is over? (yes/no) "
    tell(session, "no")
    assert not session.is_finished
    blocks = tell(session, "count", "yes")
    assert sum(isinstance(block, BoardBlock) for block in blocks) == 3
    assert isinstance(blocks[0], TextBlock | Secret)
    assert session.is_finished
    last = texts(blocks)[-1]
    assert last.startswith("White wins by 0.5 points. Record: ") or "wins by" in last
    record = load_record(last.split("Record: ")[1])
    assert verify(record).ok
    assert record.game == session.host.table.game
    assert record.secret is None


def test_dead_stones_when_the_boards_are_shown(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5,komi=0.5,dead=agreed,lang=fr")
    tell(session, "C3", "A1")
    assert "après les passes" in texts(tell(session, "morte A1"), "error")[0]
    blocks = tell(session, "passe", "passe", "compte", "oui")
    assert sum(isinstance(block, BoardBlock) for block in blocks) == 3
    assert not session.is_unseen
    again = session.again()
    list(again.begin(is_resumed=True))
    assert "acceptent la fin" in texts(tell(again, "D4"), "error")[0]
    assert "la chaîne de A1 est dite morte" in everything(tell(again, "morte A1"))
    said = everything(tell(again, "compte"))
    assert said.startswith("Noir 25\nBlanc 0 + 0,5 de komi = 0,5\nNoir gagne de 24,5 points.")


def test_resigning(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5")
    tell(session, "C3", "resign", "no")
    assert not session.is_finished
    assert "Black wins by resignation" in texts(tell(session, "resign", "yes"))[-1]


def test_the_referee_continues_after_a_crash(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5")
    tell(session, "C3", "C3")
    again = session.again()
    said = texts(again.begin(is_resumed=True))
    assert "impossible move" in said
    assert again.prompt == "White > "
    assert again.host.table.position.tried == session.host.table.position.tried
    assert texts(tell(again, "repeat")) == ["impossible move"]


def test_help(tmp_path: Path) -> None:
    said = everything(tell(refereeing(tmp_path, "phantom:lang=fr"), "aide"))
    assert "n E5, b E5" in said
    assert "corrige POINT" in said
    assert "morte" not in said


@pytest.mark.parametrize("seed", range(3))
def test_no_line_is_an_exception(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    session = refereeing(tmp_path, "phantom:size=3,dead=agreed")
    lines = (
        "A1 B2 C3 a3 pass pass undo correct~B1 own~b own~w board repeat count dead~B2 resume resign yes no help Z9 x"
    )
    for _ in range(300):
        if session.is_finished:
            break
        for block in session.answer(rng.choice(lines.split()).replace("~", " ")):
            assert not isinstance(block, TextBlock) or block.text
        assert session.prompt


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("go", "go: expected phantom, a game with hidden stones"),
        ("phantom:impossible=private", "cannot be combined with a referee"),
        ("x", "unknown"),
    ],
)
def test_games_without_a_referee_are_refused(spec: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["referee", spec]) == 2
    assert why in capsys.readouterr().err


def test_black_is_the_first_to_be_told(tmp_path: Path) -> None:
    session = refereeing(tmp_path, "phantom:size=5")
    assert session.host.table.position.mover == BLACK
    assert texts(tell(session, "repeat"), "error") == ["There are no moves yet."]
