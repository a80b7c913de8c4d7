"""Playing at a terminal, without the terminal: whole games, every command, and what nobody should type."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.mcts.tree_search import Thinker
from gtp_variants.players.levels import title
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_game
from gtp_variants.records.record import verify
from gtp_variants.rules import GAMES
from gtp_variants.rules.actions import BLACK, PASS, RED, WHITE
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.traits import faces_of
from gtp_variants.terminal.blocks import (
    Block,
    BoardBlock,
    CandidatesBlock,
    DiceBlock,
    Secret,
    TextBlock,
    ThinkingBlock,
)
from gtp_variants.terminal.games.commands import PLAY
from gtp_variants.terminal.games.enquiries import tell_hint
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.save_file import load
from tests.terminal.session_lines import everything, playing, put_away, random_line, tell, texts

SHORT = (
    "go:size=3",
    "aleago:size=4,dice=1d2",
    "aleago:size=3,crystal_ball=true,free_player=w,lang=fr",
    "aleago:size=3,agreement=false,end_passes=3",
    "phantom:size=3",
    "phantom:size=3,impossible=private,announce=joined,lang=fr",
    "phantom:size=3,dead=agreed",
    "rosette:n=1",
    "rosette:n=2,lang=fr",
    "alter-igo:size=3",
    "alter-igo:width=4,height=2,first=w,white_passes=2,lang=fr",
    "pentalath:board=hexhex5",
    "pentalath:swap=true,lang=fr",
    "pentalath:players=3,no_move=pass",
)
MOST_LINES = 120


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    put_away()


def play_out(session: PlaySession, seed: int) -> list[Block]:
    """Play a random game to its end; every block that was shown."""
    rng = Random(seed)
    blocks: list[Block] = []
    for _ in range(MOST_LINES):
        if session.is_finished:
            return blocks
        blocks += session.answer(random_line(session, rng))
    while not session.is_finished:
        lines = ["", ""] if session.keyboard.is_curtained else ["resign", "oui" if session.lang == "fr" else "yes"]
        blocks += [block for line in lines for block in session.answer(line)]
    return blocks


def check_end(session: PlaySession, blocks: list[Block]) -> None:
    """The last line says who won and where the record is, and the record holds true."""
    last = blocks[-1]
    assert isinstance(last, TextBlock)
    assert last.kind == "title"
    assert not texts(blocks, "error")
    path = Path(re.split("Record: |Partie\u00a0: ", last.text)[1])
    record = load_record(path)
    outcome = record.game.outcome
    assert outcome is not None
    assert last.text.lower().startswith(outcome.sentence(session.lang).lower())
    verdict = verify(record)
    assert verdict.ok, verdict.lines
    assert record.game == session.host.table.game
    assert (record.secret is not None) == session.rules.spec.startswith("aleago")
    assert not session.host.file.path.exists()
    assert not list(session.host.file.path.parent.iterdir())


@pytest.mark.parametrize("spec", SHORT)
def test_people_play_a_whole_game(spec: str, tmp_path: Path) -> None:
    session = playing(tmp_path, spec)
    check_end(session, play_out(session, 1))


@pytest.mark.parametrize("spec", SHORT)
@pytest.mark.parametrize("bot", ["greedy", pytest.param("uniform", marks=pytest.mark.slow)])
def test_a_person_plays_a_whole_game_against_a_bot(spec: str, bot: str, tmp_path: Path) -> None:
    session = playing(tmp_path, spec, {BLACK: bot, **({RED: bot} if "players=3" in spec else {})})
    blocks = play_out(session, 2)
    check_end(session, blocks)
    assert any(isinstance(block, ThinkingBlock) for block in blocks)
    assert load_record(next((tmp_path / "finished").glob("*.json"))).players[BLACK] == title(
        bot, LANGUAGES["lang=fr" in spec]
    )


def test_a_game_is_told_in_order(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9", secret="x")
    assert session.prompt == "Black > "
    (refused,) = tell(session, "E5")
    assert refused == TextBlock("E5 is on line 5, the draw opens line 1.", "error")
    said, throw, board = tell(session, "a 1")
    assert said == TextBlock("Black: A1", "said")
    assert isinstance(throw, DiceBlock)
    assert throw.text == f"White throws {throw.faces[0]}"
    assert isinstance(board, BoardBlock)
    assert board.picture == picture(session.rules, session.host.table.position)
    assert session.prompt == "White > "


def test_the_dice_are_on_disk_before_they_are_shown(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9", secret="x")
    assert load(session.host.file.path).table.game.events == session.host.table.game.events[:1]
    for block in session.answer("A1"):
        if isinstance(block, DiceBlock):
            assert load(session.host.file.path).table.game == session.host.table.game


def test_captures_are_announced(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5")
    blocks = tell(session, "B1", "A1", "A2")
    assert texts(blocks, "said") == ["Black: A2", "off the board: A1"]


# -- undo, resume, the end ---------------------------------------------------------------------------------------------


def test_undo_goes_back_to_the_persons_turn_with_the_same_dice(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9", {WHITE: "uniform"}, secret="x")
    draws = session.host.table.position.draws
    tell(session, "A1")
    after = session.host.table.position
    assert session.host.table.position.turn == 3
    assert "Taken back" in everything(tell(session, "undo"))
    assert session.host.table.position.turn == 1
    assert session.host.table.position.draws == draws
    assert load(session.host.file.path).table.game == session.host.table.game
    tell(session, "A1")
    assert session.host.table.position == after
    assert texts(tell(session, "undo", "undo"), "error") == ["There is nothing to take back."]


def test_nothing_of_the_persons_own_can_be_taken_back_yet(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5", {BLACK: "greedy"})
    assert session.host.table.position.turn == 2
    assert texts(tell(session, "undo"), "error") == ["There is nothing to take back."]
    assert session.host.table.position.turn == 2


def test_two_at_one_keyboard_take_back_one_move(tmp_path: Path) -> None:
    session = playing(tmp_path, "pentalath:players=3")
    tell(session, "D4", "E4", "undo")
    assert session.host.table.position.turn == 2
    assert session.prompt == "Black > "


@pytest.mark.parametrize("bots", [{}, {WHITE: "greedy"}])
def test_nothing_is_taken_back_where_things_were_heard(bots: dict[int, str], tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5", bots)
    lines = ["", "C3", "", ""] if not bots else ["C3"]
    tell(session, *lines)
    turn = session.host.table.position.turn
    assert "cannot be taken back" in texts(tell(session, "undo"), "error")[0]
    assert session.host.table.position.turn == turn


def test_the_game_continues_after_passes(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5")
    assert texts(tell(session, "resume"), "error") == ["The game is not stopped: play a stone."]
    board = tell(session, "pass", "pass")[-1]
    assert isinstance(board, BoardBlock)
    assert any("Passes have stopped the game" in note for note in board.notes)
    assert everything(tell(session, "pass")).startswith("Black agrees to the end")
    assert session.prompt == "White > "
    tell(session, "resume", "C3")
    assert not session.host.table.suspended
    tell(session, "pass", "pass", "pass")
    assert session.host.table.suspended
    tell(session, "D3")
    assert not session.host.table.suspended


def test_both_call_stones_dead(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5,dead=agreed,komi=0.5")
    assert "after passes" in texts(tell(session, "dead C3"), "error")[0]
    tell(session, "C3", "A1", "pass", "pass")
    assert texts(tell(session, "dead B2"), "error") == ["There is no stone on B2."]
    assert "the chain on A1 is called dead\n" in everything(tell(session, "dead a1"))
    assert "the chain on A1 is alive again\n" in everything(tell(session, "dead a1"))
    assert "the chain on A1 is called dead\n" in everything(tell(session, "dead a1"))
    assert "At present: Black wins by 24.5 points" in everything(tell(session, "score"))
    assert "Black wins by 24.5 points" in everything(tell(session, "pass", "pass"))
    other = playing(tmp_path, "go:size=5")
    assert "Dead stones cannot be marked in this game" in texts(tell(other, "dead C3"), "error")[0]


def test_what_seems_dead_is_asked_and_taken_off_by_one_word(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5,dead=agreed,komi=0.5")
    said = everything(tell(session, "C3", "A1", "pass", "pass"))
    assert "look dead: A1. Without them: Black wins by 24.5 points. Agree?" in said
    assert "Black wins by 24.5 points" in everything(tell(session, "dead"))
    # What was called dead is not asked again.
    assert "look dead" not in everything(tell(session, "board"))


@pytest.mark.parametrize("bots", [{}, {WHITE: "uniform"}])
def test_dead_stones_of_a_hidden_game_are_called_when_all_is_shown(bots: dict[int, str], tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=3,dead=agreed,komi=0.5", bots)
    turns = [["B2"], ["A1"]] if not bots else [["B2"]]
    for lines in turns:
        tell(session, *(["", *lines, ""] if not bots else lines))
    while not session.game.is_counting:
        if session.keyboard.is_curtained:
            tell(session, "")
            continue
        assert texts(tell(session, "dead B2"), "error") == [
            "Dead stones can be marked only after passes have suspended the game."
        ]
        tell(session, "pass")
    assert "Both agree to the end" in texts(tell(session, "C3"), "error")[0]
    again = session.again()
    assert sum(isinstance(block, BoardBlock) for block in again.begin(is_resumed=True)) == 3
    stone = session.rules.board.vertex(next(p for p, colour in enumerate(session.host.table.position.stones) if colour))
    assert f"the chain on {stone} is called dead\n" in everything(tell(again, f"dead {stone}"))
    tell(again, f"dead {stone}")
    check_end(again, tell(again, "end"))


def test_resigning_is_asked_twice(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5,lang=fr")
    tell(session, "abandonne")
    assert session.prompt == "Noir abandonne vraiment\u00a0? (oui/non) "
    assert texts(tell(session, "peut-être"), "error") == ["oui ou non\u00a0?"]
    assert texts(tell(session, "non")) == ["Alors la partie continue."]
    assert not session.is_finished
    check_end(session, tell(session, "abandonne", "OUI"))


def test_of_three_one_may_leave(tmp_path: Path) -> None:
    session = playing(tmp_path, "pentalath:players=3")
    tell(session, "D4", "resign", "yes")
    assert not session.is_finished
    assert session.prompt == "Red > "
    assert "White wins by resignation" in everything(tell(session, "resign", "yes"))


def test_a_new_game_has_new_dice_and_keeps_the_old_one(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9", secret="x")
    before, commitment = session.host.file.path, session.game.record.commitment
    blocks = tell(session, "A1", "new")
    assert f"--resume {before.stem}" in everything(blocks)
    assert session.game.record.commitment != commitment
    assert session.host.file.path != before
    assert load(before).table.position.turn == 2
    assert session.host.table.position.turn == 1


def test_a_new_game_after_the_end_is_played_like_any_other(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5", {WHITE: "greedy"})
    list(session.begin(is_terse=True))
    tell(session, "C3", "resign", "yes")
    assert session.is_finished
    said = everything(tell(session, "new"))
    assert not session.is_finished
    # The game before is over: nobody can go on with it. What only lines need is not said on a whole screen.
    assert "--resume" not in said
    assert "`help`" not in said
    assert everything(tell(session, "C3")).startswith("Black: C3")


def test_a_finished_game_can_be_viewed_but_not_continued(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5", {WHITE: "mcts:level=1"})
    tell(session, "C3", "resign", "yes")
    for line in ("undo", "A1", "pass", "level 3", "hint", "analysis", "resign"):
        assert texts(tell(session, line), "error") == ["The game is over."]
    assert not session.host.question.text
    assert "undo" not in session.useful_commands()
    assert texts(tell(session, "record"))[0].startswith("1. Black C3")
    assert list((tmp_path / "games").iterdir()) == []
    hidden = playing(tmp_path, "phantom:size=5", {WHITE: "greedy"})
    assert texts(tell(hidden, "resign", "yes", f"save {tmp_path / 'over.json'}")) == [
        f"Saved in {tmp_path / 'over.json'}"
    ]


# -- asking ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["hint", "odds"])
@pytest.mark.parametrize("rest", ["xyz", "-1", "9" * 40, "C3", "level=3", "\x1b[31m"])
def test_words_after_a_command_without_arguments_are_reported(command: str, rest: str, tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=4", {WHITE: "greedy"})
    shown = rest[:20].replace("\x1b", "?")
    assert texts(tell(session, f"{command} {rest}"), "error") == [f"'{shown}': `{command}` takes no argument."]


def test_liberties_and_atari(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5")
    assert texts(tell(session, "atari")) == ["No chain is in atari."]
    tell(session, "B1", "A1")
    assert texts(tell(session, "liberties B1")) == ["1 black stone on B1: 2 liberties, B2 C1"]
    assert texts(tell(session, "libs a1")) == ["1 white stone on A1: 1 liberty, A2"]
    assert texts(tell(session, "atari")) == ["In atari: 1 white stone (A1; A2)"]
    assert texts(tell(session, "l C3"), "error") == ["C3 is empty."]
    assert texts(tell(session, "liberties"), "error") == ["Which point? Type `liberties C3`, for example."]


def test_draws_and_dice(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9", secret="x")
    said = texts(tell(session, "draws"))
    assert said[0].startswith("turn 1, Black: ")
    assert session.game.record.commitment is not None
    assert session.game.record.commitment in said[-1]
    assert texts(tell(session, "dice 7"), "error") == ["Unknown dice; expected a name such as 1d6 or 2d4."]
    assert "the dice are now 2d2" in everything(tell(session, "dice 2d2"))
    assert len(faces_of(session.rules, session.host.table.position, session.host.table.position.draws[0])) == 2
    assert load(session.host.file.path).table.game == session.host.table.game
    other = playing(tmp_path, "go:size=5")
    for line in ("draws", "dice 1d6"):
        assert texts(tell(other, line), "error") == ["There are no dice in this game."]


def test_each_person_mixes_a_text_into_the_dice(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9", secret="x")
    said = "Nonce in the dice (first draw, colour, hex): 2 b 6f7572207465787420c3a9"
    assert texts(tell(session, "nonce our text é")) == [said]
    assert texts(tell(session, "nonce again"), "error") == [
        "A nonce is one text of 1 to 64 bytes from each player, before the game is over."
    ]
    assert texts(tell(session, "draws"))[-1] == said
    assert load(session.host.file.path).record.nonces == session.game.record.nonces
    tell(session, "resign", "yes")
    assert verify(session.game.to_record()).kind == "proven"


def test_against_a_bot_other_dice_come_with_the_next_turn(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9", {WHITE: "uniform"}, secret="x")
    before = session.host.table.position
    assert texts(tell(session, "dice 2d2"), "said") == ["From the next turn the dice are 2d2."]
    assert session.host.table.position == before
    assert "the dice are now 2d2" in everything(tell(session, "pass"))
    assert texts(tell(session, "undo"), "error")[0].startswith("Moves before the change of dice cannot be taken back")


def test_score(tmp_path: Path) -> None:
    assert texts(tell(playing(tmp_path, "go:size=5"), "score")) == ["At present: White wins by 7.5 points"]
    assert texts(tell(playing(tmp_path, "alter-igo"), "score"), "error") == ["This game has no score."]
    hidden = playing(tmp_path, "phantom:size=5", {WHITE: "greedy"})
    assert texts(tell(hidden, "score"), "error") == ["The referee counts only at the end."]


@pytest.mark.parametrize("spec", ["aleago:size=4,dice=1d2", "phantom:size=5"])
def test_a_hint_is_a_move_that_can_be_played(spec: str, tmp_path: Path) -> None:
    session = playing(tmp_path, spec, {BLACK: "greedy"} if spec.startswith("phantom") else {})
    (said,) = texts(tell(session, "hint"))
    word = said.removeprefix("Hint: ").split(" (")[0]
    before = session.host.table.position.turn
    blocks = tell(session, word)
    assert spec.startswith("phantom") or session.host.table.position.turn == before + 1
    assert not texts(blocks, "error")


def test_a_hint_names_others_with_their_parts_of_the_search(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5")
    (candidates,) = [block for block in tell(session, "hint") if isinstance(block, CandidatesBlock)]
    parts = [each.part for each in candidates.candidates]
    assert 1 <= len(parts) <= 4
    assert all(part is not None and 0 < part <= 1 for part in parts)
    found = SearchResult(7, {7: 50, 12: 30, PASS: 15, 3: 4, 4: 1}, (), (), 100, 0)
    told = list(tell_hint(session.host, 7, found))
    assert texts(told) == ["Hint: C2 (50 %); or C3 (30 %), pass (15 %), D1 (4 %)"]
    # A bot may play what its search did not look at, such as a pass that ends a game it has won.
    assert texts(list(tell_hint(session.host, 24, found))) == ["Hint: E5"]


@pytest.mark.parametrize("spec", ["go:size=5", "go:size=9"])
def test_an_analysis_tells_what_its_whole_search_came_to(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also on 5x5, where no network judges positions: there each search has values of its own playouts only."""
    searches: list[SearchResult] = []
    think = Thinker.think

    def watch(*arguments: Any, **limits: Any) -> SearchResult:
        searches.append(think(*arguments, **limits))
        return searches[-1]

    monkeypatch.setattr(Thinker, "think", watch)
    session = playing(tmp_path, spec)
    (candidates,) = [block for block in tell(session, "analysis") if isinstance(block, CandidatesBlock)]
    playouts = sum(each.playouts for each in searches)
    assert candidates.notes[0].endswith(f"({playouts} playouts)")
    assert playouts == sum(searches[-1].visits.values())


def test_where_hidden_stones_may_be(tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=3,komi=0")
    tell(session, "", "B2", "", "", "A1", "", "")
    thinking, guess = tell(session, "odds")
    assert thinking == ThinkingBlock("Black thinks ...")
    assert isinstance(guess, BoardBlock)
    assert guess.picture.stones == session.keyboard.view.stones
    # One white stone somewhere but in the middle.
    assert guess.chances[4] == 0
    assert sum(guess.chances) == pytest.approx(1)
    assert max(guess.chances) < 0.5
    assert guess.title == "Where the stones that Black does not see may be"
    assert "1 white stone hidden" in guess.notes[0]
    assert guess.notes[0].endswith(
        "that fit everything you heard. All possible games were counted, so the chances are exact."
    )
    assert re.fullmatch(r" +[A-C][1-3] +[0-9]+ % #+-+", guess.notes[1])
    assert texts(tell(session, "board")) == []
    # It goes on with the news: the middle is taken, and A1 is where the stone is.
    tell(session, "A1")
    thinking, guess = tell(session, "odds")
    assert isinstance(guess, BoardBlock)
    assert guess.chances == (1, *[0] * 8)
    assert guess.notes[1:] == ("  A1 100 % ####################",)


def test_hidden_stones_in_french_and_in_open_games(tmp_path: Path) -> None:
    session = playing(tmp_path / "fr", "phantom:size=3,lang=fr", {BLACK: "uniform"})
    _, guess = tell(session, "chances")
    assert isinstance(guess, BoardBlock)
    assert guess.title == "Où peuvent être les pierres que Blanc ne voit pas"
    assert "1 pierre noire hors de vue" in guess.notes[0]
    assert any("chances" in text and "pierres cachées" in text for text in texts(tell(session, "aide")))
    open_game = playing(tmp_path / "go", "go:size=3")
    assert texts(tell(open_game, "odds"), "error") == ["This game has no hidden stones."]
    assert not any("do not see" in text for text in texts(tell(open_game, "help")))


def test_hidden_stones_that_cannot_be_found_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = playing(tmp_path, "phantom:size=3", {BLACK: "uniform"})
    monkeypatch.setattr("gtp_variants.ai.belief.stone_odds.StoneOdds.find", lambda *_: None)
    assert texts(tell(session, "odds"), "error") == [
        "No board was found in time that agrees with everything you heard; ask again to continue the search."
    ]


def test_the_moves_so_far(tmp_path: Path) -> None:
    session = playing(tmp_path, "pentalath:swap=true")
    assert texts(tell(session, "record")) == ["There are no moves yet."]
    assert texts(tell(session, "D4", "swap", "E4", "record")) == ["1. White D4 2. Black swap 3. White E4"]


def test_an_objection_to_the_end_belongs_to_the_right_player(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5")
    tell(session, "pass", "pass", "pass")
    assert session.prompt == "White > "
    assert texts(tell(session, "resume"), "said") == ["the game continues"]


def test_the_record_says_how_long_everybody_thought(tmp_path: Path) -> None:
    now_s = [0.0]
    session = playing(tmp_path, "aleago:size=5", now=lambda: now_s[0])
    for now_s[0], line in ((2.0, "pass"), (2.5, "pass"), (4.0, "undo"), (7.0, "pass"), (8.26, "resign"), (9.0, "yes")):
        tell(session, line)
    record = load_record(next((tmp_path / "finished").glob("*.json")))
    took = [(str(record.game.events[number].actor), time.took_s) for number, time in sorted(record.times.items())]
    assert took == [("1", 2.0), ("2", 3.0), ("1", 2.0)]


@pytest.mark.parametrize(
    ("bot", "level", "why"),
    [
        ("mcts", "eleven", "level=eleven\u00a0: il faut un nombre entier"),
        ("mcts", "11", "level=11\u00a0: il faut un nombre de 1 à 10"),
        ("mcts:playouts=9", "3",
         "level=3\u00a0: un niveau est un nombre de simulations, il n'en faut pas d'autre (playouts)"),
    ],
)  # fmt: skip
def test_a_level_is_refused_in_french(tmp_path: Path, bot: str, level: str, why: str) -> None:
    session = playing(tmp_path, "go:size=5,lang=fr", {WHITE: bot})
    assert texts(tell(session, f"niveau {level}"), "error") == [f"Il n'y a pas de tel niveau\u00a0: {why}"]


def test_levels(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import gtp_variants as gv\n"
        "class Mine(gv.Seat):\n"
        "    parameters = {'level': 10}\n"
        "    def check(self):\n"
        "        if self.level > 10:\n"
        "            raise gv.ConfigError([f'level={self.level}: expected 1 to 10'])\n"
        "    def pick(self, view, points):\n"
        "        return points[self.level]\n"
    )
    session = playing(tmp_path, "go:size=9", {WHITE: str(file)})
    assert texts(tell(session, "level"), "error") == ["level: expected a number, as in: level 6"]
    for line in ("level x", "level 1.5"):
        (said,) = texts(tell(session, line), "error")
        assert said == f"unknown level: level={line[6:]}: expected a whole number"
    (said,) = texts(tell(session, "level 11"), "error")
    assert said == "unknown level: level=11: expected 1 to 10"
    assert texts(tell(session, "level 3")) == ["The bot now plays at level 3."]
    tell(session, "J9")
    assert session.rules.board.vertex(session.host.table.game.turns()[-1].action) == "D1"
    assert load(session.host.file.path).seats[WHITE].name == f"{file}:level=3"
    again = session.again()
    assert "White: mine, level 3" in everything(again.begin(is_resumed=True))
    tell(again, "A9")
    assert session.rules.board.vertex(again.host.table.game.turns()[-1].action) == "E1"
    assert texts(tell(playing(tmp_path, "go", {WHITE: "greedy"}), "level 3"), "error") == ["Greedy has no levels."]
    assert texts(tell(playing(tmp_path, "go"), "level 3"), "error") == ["No bot plays here."]


def test_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = playing(tmp_path / "state", "aleago:size=9", secret="x")
    tell(session, "A1")
    assert str(tmp_path / "my.sgf") in everything(tell(session, "save my.sgf"))
    record = load_record("my.sgf")
    assert record.game == session.host.table.game
    assert record.commitment == session.game.record.commitment
    assert b"78" not in re.findall(b'"secret":"([^"]*)"', Path("my.sgf").read_bytes())
    assert record.secret is None
    for line, why in [
        ("save my.sgf", "already exists"),
        ("save my.txt", "Cannot save: my.txt: expected a name that ends in .json or .sgf"),
        ("save no/such/folder.json", "Cannot save: no/such/folder.json: No such file or directory"),
        ("save ~nobodyhere/my.sgf", "Cannot save: ~nobodyhere/my.sgf: there is no home folder for ~nobodyhere"),
    ]:
        assert why in texts(tell(session, line), "error")[0]
    tell(session, "save")
    assert json.loads(Path(session.host.file.path.name).read_text())["secret"] is None
    hidden = playing(tmp_path / "state", "phantom:size=5", {WHITE: "greedy"})
    assert "the file would show hidden stones" in texts(tell(hidden, "save x.json"), "error")[0]
    assert not Path("x.json").exists()


def test_help_names_what_has_a_use_here(tmp_path: Path) -> None:
    said = everything(tell(playing(tmp_path, "pentalath"), "help"))
    assert "liberties POINT" in said
    for useless in ("draws", "score", "pass", "level", "dead", "swap", "resume"):
        assert f"\n{useless} " not in said
    said = everything(tell(playing(tmp_path, "aleago:lang=fr,dead=agreed", {WHITE: "greedy"}), "aide"))
    for useful in ("tirages", "passe", "dés 1d6", "morte POINT", "niveau N", "annule"):
        assert f"\n{useful} " in said
    assert "undo" not in said


# -- what nobody should type -------------------------------------------------------------------------------------------

WRONG = ("Z99", "I5", "A0", "5", "D44", "d4 d5", "hnt", "ndo", "??", "pass now", "undo 3", "é", "\x1b[2J", "x" * 9999)
FUZZED = [word for command in PLAY for word in command.words if command.name not in ("save", "hint", "odds")]
TAKING = ["", "dead ", "liberties ", "level ", "dice ", "play "]


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("game", GAMES)
def test_wrong_input_gets_one_helpful_line(game: str, lang: str, tmp_path: Path) -> None:
    session = playing(tmp_path, f"{game}:lang={lang}", {BLACK: "uniform"} if game == "phantom" else {})
    before = session.host.table.position
    for wrong in WRONG:
        (block,) = tell(session, wrong)
        assert isinstance(block, TextBlock)
        assert block.kind == "error"
        assert len(block.text) < 120
        assert block.text.replace("\u00a0", " ").isprintable()
        assert session.host.table.position == before


def test_a_vertex_in_column_i_is_explained(tmp_path: Path) -> None:
    said = "'i5' is not a point of this board: columns skip I, so J follows H."
    assert texts(tell(playing(tmp_path, "go:size=9"), "I5"), "error") == [said[:1].upper() + said[1:]]
    said = "'i5' n'est pas un point de ce plateau\u00a0: il n'y a pas de colonne I, J suit H."
    session = playing(tmp_path, "aleago:size=9,lang=fr", {WHITE: "uniform"})
    assert texts(tell(session, "liberties i5"), "error") == [said]
    assert "C3" in texts(tell(playing(tmp_path, "go:size=5"), "Z9"), "error")[0]


def test_illegal_moves_are_explained_in_the_players_language(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=3,lang=fr")
    tell(session, "A2", "C3", "B1", "C2")
    assert texts(tell(session, "A2"), "error") == ["A2 porte une pierre noire."]
    tell(session, "passe")
    assert texts(tell(session, "A1"), "error") == ["Une pierre en A1 n'aurait pas de liberté."]
    session = playing(tmp_path, "alter-igo:lang=fr")
    assert texts(tell(session, "passe"), "error") == ["On ne passe pas à ce jeu."]
    assert texts(tell(session, "échange"), "error")[0].startswith("L'échange des couleurs")
    session = playing(tmp_path, "go:lang=fr")
    for wrong, like in (("anule", "annule"), ("liberte D4", "libertés"), ("conseils", "conseil")):
        assert f"«\u00a0{like}\u00a0»" in texts(tell(session, wrong), "error")[0]
    assert not texts(tell(session, "liberties A1"), "error")[0].startswith("'")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    game=st.sampled_from(["go:size=3", "aleago:size=3", "phantom:size=3", "pentalath:players=3", "alter-igo:size=2"]),
    lines=st.lists(
        st.one_of(
            st.sampled_from(FUZZED),
            st.tuples(st.sampled_from(TAKING), st.text(max_size=9)).map("".join),
            st.from_regex(r"[a-d] ?[1-4]", fullmatch=True),
            st.sampled_from(["yes", "no", "", "dice 1d3", "dead A1", "end", "pass", "pass"]),
        ),
        max_size=40,
    ),
)
def test_no_line_is_an_exception(game: str, lines: list[str], tmp_path: Path) -> None:
    session = playing(tmp_path, game + ("" if game.startswith(("pen", "alt")) else ",dead=agreed"))
    for line in lines:
        if session.is_finished or session.is_left:
            break
        for block in session.answer(line):
            assert not isinstance(block, TextBlock) or block.text
        assert isinstance(session.prompt, str)


@pytest.mark.parametrize(
    ("method", "lines", "result"),
    [
        ("choose", ["C3"], "Black wins by forfeit"),
        ("sit", ["C3"], "Black wins by forfeit"),
        ("hear", ["C3"], "Black wins by forfeit"),
        ("leave", ["C3", "resign", "yes"], "White wins by resignation"),  # at the end it costs nothing
    ],
)
def test_a_bot_that_fails_loses(method: str, lines: list[str], result: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(
        "import gtp_variants as gv\n"
        "class Bad(gv.Seat):\n"
        f"    def {method}(self, *given):\n"
        "        raise RuntimeError('no idea')\n"
    )
    session = playing(tmp_path, "go:size=5", {WHITE: str(file)})
    blocks = tell(session, *lines)
    assert "RuntimeError: no idea" in texts(blocks, "error")[0]
    assert result in texts(blocks)[-1]
    assert session.is_finished


# -- what is hidden ----------------------------------------------------------------------------------------------------

HIDDEN = ("phantom:size=4", "phantom:size=5,announce=joined,impossible=private,atari=all,self_atari=new_only,lang=fr")
VERTEX = re.compile(r"\b[A-Z]{1,2}[0-9]{1,2}\b")
NOSY = "atari|record|score|undo|save x.json|board|libs A1|libs B2|dead A1|draws|hint|odds".split("|")


@pytest.mark.parametrize("spec", HIDDEN)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_each_seat_sees_what_its_view_holds(spec: str, seed: int, tmp_path: Path) -> None:
    session = playing(tmp_path, spec)
    rng = Random(seed)
    curtains = 0
    for _ in range(150):
        if session.is_finished:
            break
        game = session.host.table.game
        seat = session.keyboard.seat
        known_before = session.rules.view(game.heard(seat), seat)
        nosy = not session.keyboard.is_curtained and rng.random() < 0.2
        line = rng.choice(NOSY) if nosy else random_line(session, rng)
        was_curtained = session.keyboard.is_curtained
        for block in session.answer(line):
            if block is Secret.ENDS:
                assert session.host.table.is_final
                break
            if block is Secret.CLEARED:
                curtains += 1
                seat = session.keyboard.seat
                continue
            view = session.rules.view(game.heard(seat), seat)
            if isinstance(block, BoardBlock):
                assert block.picture.stones == view.stones
                assert block.chances or block.picture == picture(session.rules, None, view)
            own = {p for known in (known_before, view) for p, colour in enumerate(known.stones) if colour == seat}
            captured = {point for news in view.news for point in news.captured}
            free = {session.rules.board.point(v) for v in VERTEX.findall(line.upper())}
            free |= {p for stone in own for p in session.rules.board.neighbours[stone]} | set(view.tried)
            told = {session.rules.board.point(v) for v in VERTEX.findall(everything([block]))}
            if not was_curtained and line in ("hint", "odds"):
                assert told <= {point for point, there in enumerate(view.stones) if not there}
            else:
                assert told <= own | captured | free | {len(session.rules.board) // 2}
    assert curtains > 4


def test_unseen_events_do_not_change_the_screen(tmp_path: Path) -> None:
    """Two games that Black cannot tell apart look the same to Black, whatever Black asks."""
    screens = []
    for number, hidden in enumerate((["A1", "E5"], ["E4", "A2"])):
        session = playing(tmp_path / str(number), "phantom:size=5")
        shown: list[Block] = []
        tell(session, "")
        for own, other in zip(("C3", "C2"), hidden, strict=True):
            shown += session.answer(own)
            tell(session, "", "", other, "")
            assert session.keyboard.is_curtained
            shown += session.answer("")
            for nosy in (*NOSY, "help", "A1", "liberties C3"):
                before = session.host.table.game.events[:]
                shown += session.answer("B5" if nosy == "A1" else nosy)
                if session.keyboard.is_curtained:
                    tell(session, "", "", "pass", "")
                    shown += session.answer("")
                assert before == session.host.table.game.events[: len(before)]
        screens.append(shown)
    assert screens[0] == screens[1]


def test_the_curtain(tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5,lang=fr")
    assert session.prompt.startswith("Le clavier est à Noir.")
    cleared, board = tell(session, "")
    assert cleared is Secret.CLEARED
    assert isinstance(board, BoardBlock)
    blocks = tell(session, "c3")
    assert texts(blocks) == ["Noir a joué"]
    assert "passez le clavier à Blanc" in session.prompt
    assert texts(tell(session, "d4"), "error")
    assert "passez le clavier à Blanc" in session.prompt
    assert tell(session, " ") == [Secret.CLEARED]
    assert session.host.table.position.turn == 2
    assert session.prompt.startswith("Le clavier est à Blanc.")
    cleared, *rest = tell(session, "")
    assert cleared is Secret.CLEARED
    assert texts(rest) == ["Depuis votre dernier tour\u00a0:", "Noir a joué"]
    assert texts(tell(session, "C3")) == ["coup impossible", "C3 a été refusé"]
    assert not session.keyboard.is_curtained
    # What one side asks in vain takes nothing of what the other is going to be told.
    assert texts(tell(session, "mort C3"), "error")
    tell(session, "D4", "")
    assert "coup impossible" in everything(tell(session, ""))


@pytest.mark.parametrize("word", ["quit", "Q", "exit", "quitter"])
def test_quitting_at_a_curtain_shows_no_board(word: str, tmp_path: Path) -> None:
    for number, entered in enumerate((["", "C3"], ["", "C3", ""], [])):
        session = playing(tmp_path / str(number), "phantom:size=5")
        tell(session, *entered)
        prompt = session.prompt
        assert tell(session, word) == []
        assert session.is_left
        assert session.prompt == prompt
        again = session.again()
        assert not any(isinstance(block, BoardBlock) for block in again.begin(is_resumed=True))
        assert tell(again, word) == []
        assert again.keyboard.is_covered


@pytest.mark.parametrize("line", ["d4", "pass", "hint", "board", "anything", "quit now"])
def test_only_enter_lifts_a_curtain(line: str, tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5")
    cleared, said = tell(session, line)
    assert cleared is Secret.CLEARED
    assert texts([said], "error") == ["Press Enter to continue; `quit` leaves, and the game is saved."]
    assert session.keyboard.is_covered
    assert not session.host.table.game.events


def test_a_hidden_game_begins_behind_a_veil(tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5")
    tell(session, "", "C3")
    again = session.again()
    blocks = list(again.begin(is_resumed=True))
    assert blocks[0] is Secret.BEGINS
    assert not any(isinstance(block, BoardBlock) for block in blocks)
    assert again.keyboard.is_curtained
    assert "C3" not in everything(blocks)[len("A point such as C3") :].split("help")[1]
    assert "Black has played" in everything(tell(again, ""))
    assert "C3" not in session.host.file.path.name


def test_tries_refused_before_a_crash_stay_refused(tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5")
    tell(session, "", "C3", "", "", "C3")
    again = session.again()
    list(again.begin(is_resumed=True))
    board = tell(again, "")[-1]
    assert isinstance(board, BoardBlock)
    assert board.picture.tried == {again.rules.board.point("C3")}


# -- terms -------------------------------------------------------------------------------------------------------------


def test_whites_passes_are_agreed_on_before_ones_first_move(tmp_path: Path) -> None:
    session = playing(tmp_path, "alter-igo:size=3", {BLACK: "uniform"})
    # The bot has moved; it agrees and begins again.
    assert everything(tell(session, "passes 6")).startswith("White may pass 6 times, as agreed")
    assert load(session.host.file.path).table.game == session.host.table.game
    events = write_game(session.host.table.game)
    assert (events[0], [actor for actor, _ in events]) == (("w", "white_passes 6"), ["w", "b"])
    assert texts(tell(session, "passes 5"), "error") == [
        "Unknown terms; expected `passes 6` in Alter Igo, `match` or `match black_moves`."
    ]
    tell(session, "pass")
    assert session.host.table.position.passes_left == 5
    for line in ("passes 6", "match"):
        assert texts(tell(session, line), "error") == ["This can be agreed on only once, and before your first move."]
    for spec, line in (
        ("go:size=5", "passes 6"),
        ("alter-igo", "passes 0"),
        ("alter-igo", "match 3"),
        ("alter-igo", "passes x"),
    ):
        assert "Unknown terms" in everything(tell(playing(tmp_path, spec), line))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        # Black resigns both games: each has won one, as White.
        (("resign", "yes"), ("resign", "yes"), "The match of two games is tied."),
        # White, in the second game Black, resigns both.
        (("A1", "resign", "yes"), ("resign", "yes"), "White of this game wins the match of two games."),
        # Both win as Black, the second after fewer stones.
        (("A1", "B2", "C3", "resign", "yes"), ("A1", "resign", "yes"), "Black of this game won in fewer moves"),
    ],
)
def test_a_match_of_two_games_has_a_winner_and_two_records(
    tmp_path: Path, first: tuple[str, ...], second: tuple[str, ...], said: str
) -> None:
    session = playing(tmp_path, "alter-igo:size=3")
    assert "game 1 of a match of two games" in everything(tell(session, "match black_moves"))
    assert "Type `new` for the second" in everything(tell(session, *first))
    tell(session, "new")
    # The second game continues after a restart, too.
    session = PlaySession(session.host.file, session.host.load())
    assert said in everything(tell(session, *second))
    records = [load_record(path) for path in session.host.file.folder.finished.glob("*.json")]
    stated = [write_game(record.game)[0][1] for record in records]
    assert sorted(stated) == ["match 1/2 black_moves", "match 2/2 black_moves"]
    assert "of a match" not in everything(tell(session, "new"))
    session.host.file.release()
