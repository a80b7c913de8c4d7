"""A seat of Go Fantôme under another program's referee (gtp.md 6), and questions to a seat at a table."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.ai.belief import stone_odds
from gtp_variants.ai.belief.hypothesis import Hypothesis
from gtp_variants.base.rng import Rng
from gtp_variants.gtp.client.player import NewsCommands
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.rules import Rules
from tests.gtp.talk import Talk

SEATS = (BLACK, WHITE)
SPECS = [
    "phantom:size=5",
    "phantom:size=5,impossible=private",
    "phantom:size=4,atari=all,lang=fr",
    "phantom:size=4,rules=olympiad",
    "phantom:size=4,rules=openspiel",
]


def seated(colour: str, spec: str = "phantom:size=9", bot: str = "uniform") -> Talk:
    talk = Talk(spec, bot=bot)
    talk(f"variant-set {spec}")
    talk("set_random_seed 1")
    talk(f"phantom-seat {colour}")
    return talk


def told(rules: Rules, game: Game, colour: int) -> list[str]:
    """Return a seat's news of a game as lines of GTP."""
    script = NewsCommands(rules, [])
    for news in game.heard(colour):
        script.hear(news)
    return [" ".join(line) for line in script.lines]


def known(talk: Talk, colour: str) -> list[str]:
    """The answers of every command that a seat may ask."""
    asked = (
        f"variant-state {colour}",
        f"phantom-view {colour}",
        f"variant-legal_moves {colour}",
        f"phantom-odds {colour}",
    )
    return [talk(line) for line in asked]


def test_the_example_of_the_contract() -> None:
    talk = seated("b")
    for line in (
        "phantom-hear b D4",
        "phantom-hear w ?",
        "phantom-hear b refused D5",
        "phantom-hear b E4",
        "phantom-hear w ? captured E4 self-atari",
    ):
        assert talk(line) == ""
    state = json.loads(talk("variant-state b"))
    assert state["stones"] == {"D4": "b"}
    assert (state["to_play"], state["captures"], state["move_number"]) == ("b", {"b": 0, "w": 1}, 4)
    assert [said["code"] for said in state["announcements"]] == ["captured", "self_atari"]
    assert (
        talk("phantom-announcements") == "White plays and captures 1 black stone\nWhite plays and puts itself in atari"
    )
    # No two stones of White's can take E4 beside D4.
    assert talk.fails("phantom-odds b") == "no position agrees with all the news"


def test_a_seat_hears_that_a_board_came_again() -> None:
    """With repetition=draw that is the end of the game, and a seat is told it like everything else."""
    rules = parse("phantom:size=2,repetition=draw")
    game = Game(rules)
    for vertex in ("B2", "A2", "B1", "pass", "A1", "A2", "B2"):
        game.play(game.position.mover, PASS if vertex == "pass" else rules.board.point(vertex))
    for colour in SEATS:
        letter = COLOUR_LETTERS[colour]
        talk = seated(letter, rules.spec)
        lines = told(rules, game, colour)
        assert lines[-1].endswith("repeated")
        for line in lines:
            assert not json.loads(talk(f"variant-state {letter}"))["over"]
            assert talk(line) == ""
        state = json.loads(talk(f"variant-state {letter}"))
        assert (state["over"], state["suspended"], state["legal"]) == (True, False, [])
        assert state["announcements"][-1]["code"] == "repeated"


def test_a_failed_search_for_worlds_ends_and_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A referee's news that contradicts itself costs so many steps, once."""
    steps: list[int] = []
    repair = Hypothesis.repair

    def counted(self: Hypothesis, rng: Rng, most: int, should_stop: Callable[[], bool]) -> bool:
        steps.append(most)
        return repair(self, rng, most, should_stop)

    monkeypatch.setattr(Hypothesis, "repair", counted)
    talk = seated("b", "phantom:size=3")
    talk.does("phantom-hear b B2 / phantom-hear w ? captured B2")
    assert talk.fails("phantom-odds b") == "no position agrees with all the news"
    assert 0 < sum(steps) < 400_000
    steps.clear()
    talk.does("phantom-hear b A1")
    assert talk.fails("phantom-odds b") == "no position agrees with all the news"
    assert not steps


def test_phantom_odds_shows_probable_enemy_stones() -> None:
    talk = seated("b", "phantom:size=3")
    talk.does("phantom-hear b B2 / phantom-hear w ? / phantom-hear b refused A1")
    assert talk("phantom-odds b").split() == ["0.000"] * 6 + ["1.000", "0.000", "0.000"]


@pytest.mark.parametrize("under_referee", [False, True])
def test_the_state_of_a_seat_needs_no_search(under_referee: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """gtp.md 4 lists the keys of `variant-state`; the odds of hidden stones have a command of their own."""
    talk = seated("b") if under_referee else Talk("phantom:size=9")
    if not under_referee:
        talk.plays("b:D4 w:E5")
    monkeypatch.setattr(stone_odds.StoneOdds, "find", None)
    assert "odds" not in talk.state("b")
    assert talk.state("b").keys() == Talk("phantom:size=9").state().keys()


def test_a_try_changes_nothing_until_the_referee_speaks() -> None:
    talk = seated("b")
    before = talk("variant-state b")
    first = talk("genmove b")
    assert talk("variant-state b") == before
    talk(f"phantom-hear b {first}")
    assert json.loads(talk("variant-state b"))["stones"] == {first: "b"}
    talk("phantom-hear w ?")
    tried = talk("genmove b")
    talk(f"phantom-hear b refused {tried}")
    assert talk("genmove b") != tried


def test_no_file_is_loaded_in_a_seat(tmp_path: Path) -> None:
    """A seat knows only what a referee says: a record of the whole board would be another game."""
    record = tmp_path / "open.sgf"
    record.write_text("(;SZ[9];B[ee];W[cc])", encoding="utf-8")
    talk = seated("b")
    talk("phantom-hear b D4")
    before = talk("variant-state b")
    assert talk.fails(f"loadsgf {record}") == "under a referee"
    assert talk.fails("loadsgf none.sgf") == "under a referee"
    assert talk("variant-state b") == before
    talk("phantom-hear w ?")


def test_commands_available_under_a_referee() -> None:
    talk = seated("w")
    for line in (
        "play b D4",
        "play w D4",
        "undo",
        "variant-record",
        "variant-resign w",
        "variant-state b",
        "phantom-odds b",
        "gogui-rules_board",
        "variant-dead D4",
    ):
        assert talk.fails(line) == "under a referee", line
    assert talk.fails("genmove b").startswith("illegal move (not your turn)")
    assert talk.fails("final_score") == "cannot score"
    assert talk("variant-result") == "none"
    assert "D4" in talk("variant-legal_moves")
    assert talk("showboard")


def test_a_refused_question_of_gogui_leaves_no_ruler_behind() -> None:
    """After the seat, `play` still answers a refused try with the referee's words."""
    talk = seated("b", "phantom:size=5")
    assert talk.fails("gogui-rules_board") == talk.fails("gogui-rules_legal_moves") == "under a referee"
    talk.does("clear_board/play b C3")
    assert talk.fails("play w C3") == "impossible move"


@pytest.mark.parametrize("command", ["clear_board", "variant-set phantom:size=9", "boardsize 9"])
def test_each_ending_of_a_refereed_seat(command: str) -> None:
    talk = seated("b")
    talk("phantom-hear b D4")
    talk(command)
    assert talk.fails("phantom-hear w ?") == "not under a referee: phantom-seat COLOUR comes first"
    talk("play b D4")


def test_sitting_down_again_is_a_new_game() -> None:
    talk = seated("b")
    talk.does("phantom-hear b D4/phantom-seat w")
    assert json.loads(talk("variant-state w"))["stones"] == {}
    assert Talk("go:size=5").fails("phantom-seat b") == "not a phantom game"


@pytest.mark.parametrize(
    "news",
    [
        "",
        "b",
        "x D4",
        "r ?",
        "b ?",
        "w D4",
        "b Z99",
        "b D4",
        "w refused E4",
        "b refused",
        "b pass captured D4",
        "w ? captured",
        "w ? captured E4",
        "w ? captured D4 D4",
        "w ? atari",
        "w ? atari 0",
        "w ? atari -1",
        "w ? atari 99999999999",
        "w ? self-atari atari 1",
        "w ? nonsense",
        "w ? repeated",
        "w refused ? atari 1",
        "b E5 captured D4",
        "b E5 captured E5",
        "end",
        "end B+1 W+1",
    ],
)
def test_impossible_news_changes_nothing(news: str) -> None:
    talk = seated("b")
    talk("phantom-hear b D4")
    before = talk("variant-state b")
    assert talk.fails(f"phantom-hear {news}")
    assert talk("variant-state b") == before


def test_facts_shown_to_one_player_alone() -> None:
    """News of `refused=shown` and `captures=owner`."""
    talk = seated("b", "phantom:size=5,rules=openspiel")
    for news in ("b B2", "w ?", "b refused A1 stone", "b refused C1 empty", "b A2", "w ?", "b B1 captured 2 A1"):
        talk(f"phantom-hear {news}")
    state = json.loads(talk("variant-state b"))
    assert state["stones"] == {"A2": "b", "B1": "b", "B2": "b"}
    assert state["captures"] == {"b": 2, "w": 0}
    assert state["last"] == {"colour": "b", "vertex": "B1", "captured": ["A1"]}
    assert [item["text"] for item in state["announcements"]] == ["Black plays and captures 2 white stones"]


@pytest.mark.parametrize(("spec", "what"), [("phantom:size=5", ""), ("phantom:size=5,rules=openspiel", " Stone")])
def test_a_try_on_an_own_stone_may_be_refused_too(spec: str, what: str) -> None:
    """rules.md 2.1.2: "a stone (either colour)"."""
    talk = seated("b", spec)
    for news in ("b B2", "w ?"):
        talk(f"phantom-hear {news}")
    talk(f"phantom-hear b refused B2{what}")
    state = json.loads(talk("variant-state b"))
    assert (state["stones"], state["to_play"], state["move_number"]) == ({"B2": "b"}, "b", 2)
    assert talk("phantom-odds b")


def test_a_stone_that_was_shown_is_on_the_board() -> None:
    talk = seated("b", "phantom:size=5,rules=openspiel")
    for news in ("b B2", "w ?", "b refused A1 stone"):
        talk(f"phantom-hear {news}")
    assert json.loads(talk("variant-state b"))["stones"] == {"A1": "w", "B2": "b"}
    assert "A1" not in talk("variant-legal_moves b").split()
    assert talk("phantom-view b").splitlines()[-1].split()[:2] == ["O", "."]


@pytest.mark.parametrize(
    "news",
    [
        "b refused D1",
        "b refused D1 black",
        "b refused D1 stone empty",
        "w refused ? stone",
        "b D1 captured",
        "b D1 captured E5",
        "b D1 captured 0",
        "b D1 captured 1 E5",
        "b D1 captured 1 A1 A1",
        "b D1 captured 26",
        "b D1 captured -1",
        "b A1",
    ],
)
def test_impossible_shown_news_is_refused(news: str) -> None:
    talk = seated("b", "phantom:size=5,rules=openspiel")
    for line in ("b B2", "w ?", "b refused A1 stone"):
        talk(f"phantom-hear {line}")
    before = talk("variant-state b")
    assert talk.fails(f"phantom-hear {news}")
    assert talk("variant-state b") == before


@pytest.mark.parametrize(("result", "answer"), [("B+7.5", "pass"), ("0", "pass"), ("W+R", "resign"), ("W+F", "resign")])
def test_the_end(result: str, answer: str) -> None:
    talk = seated("b")
    talk(f"phantom-hear end {result}")
    state = json.loads(talk("variant-state b"))
    assert (state["over"], state["result"], state["legal"]) == (True, result, [])
    assert talk("genmove b") == answer
    assert talk("final_score") == talk("estimate_score") == result
    assert talk("variant-result").split()[0] == result
    assert talk.fails("phantom-hear b D4").startswith("illegal move (game over)")


@pytest.mark.parametrize("before", ["", "phantom-hear b D4", "phantom-hear b pass/phantom-hear w pass"])
@pytest.mark.parametrize(
    ("who", "result", "answer", "reason"),
    [
        ("w", "B+R", "pass", "Black wins by resignation"),
        ("b", "W+R", "resign", "White wins by resignation"),
    ],
)
def test_a_resignation_ends_the_game(before: str, who: str, result: str, answer: str, reason: str) -> None:
    """gtp.md 3: after a resignation `game over`; the result as at a table."""
    at_table = Talk("phantom:size=9")
    at_table(f"variant-resign {who}")
    talk = seated("b")
    talk.does("/".join(filter(None, (before, f"phantom-hear {who} resign"))))
    state = talk.state("b")
    assert (state["over"], state["suspended"], state["legal"]) == (True, False, [])
    assert (state["result"], state["reason"]) == (result, reason)
    assert talk("variant-result") == at_table("variant-result") == f"{result} {reason}"
    assert talk("final_score") == at_table("final_score") == result
    assert talk("variant-legal_moves") == ""
    assert talk("genmove b") == answer
    for news in ("b E5", "w ?", "b pass", "w resign", "b refused E5"):
        assert talk.reason(f"phantom-hear {news}") == "game over"
    assert talk.state("b") == state
    talk(f"phantom-hear end {result}")
    assert talk("variant-result") == f"{result} {reason}"
    assert talk.reason("phantom-hear end 0") == "game over"


def test_a_third_pass_ends_the_game_and_the_referee_tells_the_result() -> None:
    talk = seated("b")
    talk.does("phantom-hear b pass/phantom-hear w pass/phantom-hear b pass")
    for news in ("w ?", "b C3", "w pass", "w resign"):
        assert talk.reason(f"phantom-hear {news}") == "game over"
    state = talk.state("b")
    assert (state["over"], state["suspended"], state["result"]) == (True, False, None)
    assert (talk("variant-result"), talk.fails("final_score")) == ("none", "cannot score")
    talk("phantom-hear end W+7.5")
    assert (talk("variant-result"), talk("final_score")) == ("W+7.5 as the referee says", "W+7.5")
    assert talk("variant-legal_moves") == ""


def test_passes_that_a_stone_opens_again() -> None:
    talk = seated("b")
    talk.does("phantom-hear b pass/phantom-hear w pass")
    state = json.loads(talk("variant-state b"))
    assert (state["over"], state["suspended"], state["passes"], state["result"]) == (True, True, 2, None)
    assert talk("genmove b"), "a stone opens the game again"
    talk("phantom-hear b pass")
    assert talk("phantom-announcements all") == "Black passes\nWhite passes\nBlack passes"


@pytest.fixture
def few_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances of hidden stones from a tenth of the games: what is compared is whether they are the same."""
    monkeypatch.setattr(stone_odds, "_WORLDS", 20)


@pytest.mark.usefixtures("few_worlds")
@pytest.mark.parametrize("spec", SPECS)
def test_a_game_is_rebuilt_from_the_news_alone(spec: str) -> None:
    """A seat that was only told the lines of its news knows what a seat at the table knows, word for word."""
    rules = parse(spec)
    for seed in (1, 2):
        game = random_game(rules, seed, 30)
        for colour in SEATS:
            letter = COLOUR_LETTERS[colour]
            at_table, under_referee = Talk(spec, bot="uniform"), seated(letter, spec)
            for event in game.events:
                at_table.session.table.play(event.actor, event.action)
            for line in told(rules, game, colour):
                under_referee(line)
            if not rules.is_final(game.position):
                assert known(under_referee, letter) == known(at_table, letter)


@pytest.mark.usefixtures("few_worlds")
@pytest.mark.parametrize("spec", SPECS)
def test_a_seat_at_the_table_learns_only_its_news(spec: str) -> None:
    """Two games that sound alike to a seat give it the same answers."""
    rules = parse(spec)
    compared = 0
    for seed in range(4):
        game = random_game(rules, seed, 25)
        for colour in SEATS:
            news, letter = game.heard(colour), COLOUR_LETTERS[colour]
            other = _another(rules, news, colour)
            answers = []
            for one in (game, other):
                talk = Talk(spec, bot="uniform")
                for event in one.events:
                    talk.session.table.play(event.actor, event.action)
                answers.append(known(talk, letter))
            assert answers[0] == answers[1]
            compared += game.position.stones != other.position.stones
    assert compared


def _another(rules: Rules, news: list[Any], colour: int) -> Game:
    """Return another game with the same news."""
    from gtp_variants.ai.belief.worlds import Worlds

    worlds = Worlds(rules, colour, 4)
    for item in news:
        worlds.hear(item)
    return worlds.games()[0]


def test_a_bot_plays_a_whole_game_under_a_referee() -> None:
    rules = parse("phantom:size=4")
    game = Game(rules)
    talks = {BLACK: seated("b", "phantom:size=4"), WHITE: seated("w", "phantom:size=4", "phantom:playouts=60,worlds=3")}
    scripts = {colour: NewsCommands(rules, []) for colour in SEATS}
    while not rules.is_over(game.position):
        colour = game.position.mover
        action = talks[colour].session.action(talks[colour](f"genmove {COLOUR_LETTERS[colour]}"))
        before = game.position
        event = game.play(colour, action)
        for seat, script in scripts.items():
            news = rules.hears(before, event, game.position, seat)
            if news is not None:
                script.hear(news)
                talks[seat](" ".join(script.lines[-1]))
        assert len(game.events) < 600
    assert game.events[-1].action == PASS


def test_a_seat_may_be_told_another_komi_and_asked_for_regression() -> None:
    talk = seated("b", "phantom:size=5")
    talk("phantom-hear b C3")
    assert talk("komi 0.5") == ""
    assert "komi=0.5" in talk("variant-get")
    before = known(talk, "b")
    words = {talk("reg_genmove b") for _ in range(3)}
    assert len(words) == 1
    assert words <= {*talk("variant-legal_moves b").split()}
    assert talk.reason("reg_genmove w") == "not your turn"
    assert known(talk, "b") == before
    talk("phantom-hear w ?")
    assert talk.state("b")["move_number"] == 2
    talk("phantom-hear end W+3")
    assert talk("reg_genmove b") == "resign"
