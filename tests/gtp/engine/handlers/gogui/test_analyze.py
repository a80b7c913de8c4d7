"""GoGui's analyze commands: a menu whose every line works, and pictures GoGui can draw (gtp.md 5)."""

import re
from collections import Counter
from typing import Any

import pytest

from gtp_variants.gtp.engine.engine_host import HostQuirks
from gtp_variants.rules.actions import BLACK
from tests.gtp.talk import Talk
from tests.support.specs import EACH

KINDS = set("bwboard cboard dboard eplist gfx hstring hpstring none param plist pspairs pstring sboard string".split())
VERTEX = "[A-Z]{1,2}[0-9]+"
# What GoGui 1.6 reads of a picture, line by line; it takes no notice of anything else, so anything else is a mistake.
GFX = re.compile(
    rf"COLOR #[0-9a-f]{{6}}( {VERTEX})+|(MARK|SQUARE|CIRCLE|TRIANGLE|BLACK|WHITE)( {VERTEX})+"
    rf"|LABEL( {VERTEX} [0-9]{{1,3}})+|INFLUENCE( {VERTEX} -?[01]\.[0-9]+)+"
    rf"|VAR( [bw] ({VERTEX}|PASS))+|TEXT .+"
)


def menu(talk: Talk) -> list[tuple[str, str, str]]:
    lines = [line.split("/") for line in talk("gogui-analyze_commands").split("\n")]
    assert all(len(line) == 3 for line in lines)
    return [(kind, label, command) for kind, label, command in lines]


def pictures(text: str) -> dict[str, list[str]]:
    """The lines of a picture by their first word."""
    found: dict[str, list[str]] = {}
    for line in text.split("\n") if text else ():
        assert GFX.fullmatch(line), line
        found.setdefault(line.split()[0], []).append(line.partition(" ")[2])
    return found


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """People wait for seconds, tests for moments."""
    from gtp_variants.gtp.engine.handlers import gogui_analyze as analyze

    for name in ("_SECONDS", "_LIVE_SECONDS", "_OWNERS_SECONDS"):
        monkeypatch.setattr(analyze, name, 0.03)


@pytest.mark.parametrize("spec", EACH[:-1])
def test_every_line_of_the_menu_is_one_gogui_reads_and_answers(spec: str) -> None:
    talk = Talk(spec, seed="menu")
    talk("gogui-rules_game_id")
    for _ in range(5):
        talk(f"genmove {talk.state()['to_play']}")
    before = talk.snapshot()
    offers = menu(talk)
    assert len({label for _, label, _ in offers}) == len(offers)
    for kind, _, command in offers:
        assert kind in KINDS
        # A command that changes the game would change it in one of GoGui's processes only.
        assert kind != "none"
        assert talk(f"known_command {command.split()[0]}") == "true"
        status, text = talk._ask(command.replace("%m", "b"))
        if status == "?":
            assert spec.startswith("phantom"), (command, text)
        elif kind == "gfx":
            pictures(text)
        elif kind == "plist":
            assert re.fullmatch(rf"({VERTEX}( {VERTEX})*)?", text)
    assert talk.snapshot() == before


@pytest.mark.parametrize("spec", EACH[:-1])
def test_the_menu_offers_what_the_contract_names(spec: str) -> None:
    commands = {command.split()[0] for _, _, command in menu(Talk(spec))}
    everywhere = "show-ownership show-win_rates show-principal_variation show-atari show-liberties bot-param"
    own = {
        "aleago": "show-open_line show-odds show-eyes",
        "phantom": "phantom-announcements show-eyes",
        "rosette": "show-rosettes",
        "go": "show-eyes",
        "alter-igo": "alter-igo-losing_moves",
        "pentalath": "pentalath-line",
    }
    assert {*everywhere.split(), *own[spec.partition(":")[0]].split()} <= commands


def test_the_menu_is_that_of_the_game() -> None:
    talk = Talk("aleago")
    assert "show-odds" in talk("gogui-analyze_commands")
    talk("variant-set go:size=5")
    assert "show-odds" not in talk("gogui-analyze_commands")
    assert talk.fails("show-odds") == "not a aleago game"
    assert talk.fails("show-rosettes") == "not a rosette game"
    talk("variant-set pentalath:players=3")
    for command in ("show-ownership", "show-atari", "show-win_rates"):
        assert talk.fails(command) == "not a game for two"


def test_the_open_line_in_colour_and_words() -> None:
    talk = Talk("aleago:size=9")
    talk("aleago-draw b 3")
    shown = pictures(talk("show-open_line"))
    assert shown["COLOR"][0].split()[1:] == talk("aleago-open").split()
    assert shown["TEXT"] == ["draw 3: line 3 is open"]
    talk("aleago-draw b free")
    assert pictures(talk("show-open_line"))["TEXT"] == ["no draw: every line is open"]


@pytest.mark.parametrize(
    "spec",
    ["aleago:size=9,dice=1d6", "aleago:size=5,dice=2d4", "aleago:size=5,dice=2d4,overflow=reroll", "aleago:size=13"],
)
def test_the_odds_are_those_of_the_dice(spec: str) -> None:
    """Of a thousand draws of the next turn, told one by one, each line opens as often as was said."""
    talk = Talk(spec, seed="odds")
    # Few enough that nobody passes yet.
    for _ in range(10):
        talk(f"genmove {talk.state()['to_play']}")
    text = pictures(talk("show-odds"))["TEXT"][0]
    told = {int(line): float(part) / 100 for line, part in re.findall(r"(\d+): ([\d.]+)%", text)}
    rules: Any = talk.session.rules
    assert set(told) == set(range(1, (rules.board.width + 1) // 2 + 1))
    # A pass leaves the board as it is, so the next turn's draws open what was told.
    side = talk.state()["to_play"]
    talk(f"play {side} pass")
    other = talk.state()["to_play"]
    dice = rules.dice_of(talk.session.position)
    counts: Counter[int] = Counter()
    outcomes = [o for o in range(dice.outcomes) if rules.line_table.stands_as_thrown(dice, dice.faces(o))]
    for outcome in outcomes:
        talk(f"aleago-draw {other} {' '.join(map(str, dice.faces(outcome)))}")
        counts.update(talk.state()["draw"]["open"])
    for line, chance in told.items():
        assert chance == pytest.approx(counts[line] / len(outcomes), abs=0.001), line


def test_the_free_player_has_every_line() -> None:
    talk = Talk("aleago:size=5,free_player=w")
    assert set(re.findall(r"[\d.]+%", talk("show-odds"))) == {"100.0%"}


def test_shapes() -> None:
    talk = Talk("go:size=5")
    talk.plays("b:B1 w:A1 b:B2 w:E5 b:A3 w:D5 b:B4 w:E4")
    shown = pictures(talk("show-atari"))
    assert shown == {"MARK": ["A1"], "CIRCLE": ["A2"]}
    counts = dict(zip(*[iter(pictures(talk("show-liberties"))["LABEL"][0].split())] * 2, strict=True))
    assert counts == {"A1": "1", "B1": "4", "B2": "4", "A3": "3", "B4": "4", "E5": "3", "D5": "3", "E4": "3"}
    talk = Talk("go:size=5")
    talk.plays("b:A2 b:B1 b:B2 b:B3 w:E4 w:D5 w:D4")
    assert pictures(talk("show-eyes")) == {"BLACK": ["A1"], "WHITE": ["E5"]}


def test_finished_and_possible_rosettes_are_marked_differently() -> None:
    talk = Talk("rosette:n=2")
    face = [talk.session.rules.board.vertex(point) for point in talk.session.rules.board.faces[0]]
    for vertex in face[:5]:
        talk(f"play b {vertex}")
    assert pictures(talk("show-rosettes")) == {"BLACK": [face[5]]}
    talk(f"play b {face[5]}")
    shown = pictures(talk("show-rosettes"))
    assert set(shown["TRIANGLE"][0].split()) == set(face)
    assert "BLACK" not in shown


def test_ownership_is_certain_in_settled_areas() -> None:
    talk = Talk("go:size=5")
    talk.plays("b:A4 w:E2 b:B4 w:D2 b:B5 w:D1 b:C4 w:C2 b:D4 w:B2 b:E4 w:A2")
    shown = pictures(talk("show-ownership"))
    values = dict(zip(*[iter(shown["INFLUENCE"][0].split())] * 2, strict=True))
    assert len(values) == 25
    assert float(values["A5"]) > 0.5
    assert float(values["E1"]) < -0.5
    black, white = (float(part) for part in re.findall(r"[\d.]+", shown["TEXT"][0]))
    assert black + white == pytest.approx(25, abs=0.2)


def test_a_picture_shows_no_more_than_its_viewer_knows() -> None:
    talk = Talk("phantom:size=5", view=BLACK)
    talk.plays("b:C3 w:C4 b:A1 w:A2 b:E1 w:B1")
    for command in ("show-atari", "show-liberties", "show-eyes"):
        text = talk(command)
        assert not set(re.findall(VERTEX, text)) & {"C4", "A2", "B1"}, text
    assert talk("show-atari") == ""


def test_the_result_of_the_menu_tells_no_count_while_a_hidden_game_may_continue() -> None:
    talk = Talk("phantom:size=5", view=BLACK, quirks=HostQuirks(uses_decoys=True))
    talk("gogui-rules_game_id")
    (command,) = [command for _, label, command in menu(talk) if label == "Result"]
    assert talk(command) == ""
    talk("play b C3")
    talk.plays("w:pass b:pass")
    assert talk.state()["suspended"]
    assert talk.state("b")["result"] is None
    assert talk(command) == "The game is suspended by passes"
    assert talk("variant-result").startswith("B+17.5")
    talk("play w pass")
    assert "17.5" in talk(command)
    open_game = Talk("go:size=5")
    open_game.plays("b:C3 w:pass b:pass")
    assert "17.5" in open_game(command)


def test_a_running_search_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from gtp_variants.gtp.engine.handlers import gogui_analyze as analyze

    monkeypatch.setattr("gtp_variants.gtp.engine.session_search._REPORT_EVERY_S", 0.01)
    monkeypatch.setattr(analyze, "_LIVE_SECONDS", 0.3)
    talk = Talk("go:size=5")
    talk.session.has_pending_command = lambda: False
    pictures(talk("show-search"))
    shown = capsys.readouterr().err.split("gogui-gfx:\n")[1:]
    assert shown
    for picture in shown:
        assert picture.endswith("\n\n")
        pictures(picture[:-2])


@pytest.mark.parametrize("command", ["show-win_rates", "show-search", "show-principal_variation", "show-ownership"])
def test_a_line_from_the_host_ends_the_search_with_its_result(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from gtp_variants.gtp.engine.handlers import gogui_analyze as analyze

    for seconds in ("_SECONDS", "_OWNERS_SECONDS", "_LIVE_SECONDS"):
        monkeypatch.setattr(analyze, seconds, 600.0)
    talk = Talk("go:size=5")
    assert set(pictures(talk(command))) & {"LABEL", "VAR", "INFLUENCE"}


def test_every_parameter_of_the_bot_is_offered() -> None:
    from gtp_variants.players.bots import parameters

    talk = Talk("go:size=5")
    lines = [line.split(" ") for line in talk("bot-param").split("\n")]
    assert [line[1] for line in lines] == list(parameters(talk.session.bot.make_player()))
    assert all(line[0] in ("[bool]", "[string]") for line in lines)


@pytest.mark.parametrize("spec", EACH[:-1])
def test_after_the_end_nothing_is_searched(spec: str) -> None:
    talk = Talk(spec, seed="x")
    talk(f"variant-resign {talk.state()['to_play']}")
    for kind, _, command in menu(talk):
        status, text = talk._ask(command.replace("%m", "b"))
        assert status == "=" or "game over" in text or "hidden" in text, (kind, command, text)


def test_long_messages_open_a_window_instead_of_the_status_bar() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=300,seconds=0")
    talk("genmove b")
    assert all(len(line) <= 70 for line in talk("show-explanation").split("\n"))
    assert "size = 5" in talk("show-options").split("\n")
    texts = [line for line in talk("show-win_rates").split("\n") if line.startswith("TEXT ")]
    assert len(texts) > 1
    assert max(map(len, texts)) <= 75


def test_rates_are_shown_of_moves_that_were_looked_at_often() -> None:
    picture = Talk("go:size=5")("show-win_rates").split("\n")
    labels = [line for line in picture if line.startswith("LABEL ")]
    assert labels
    assert all(0 <= int(line.split()[2]) <= 100 for line in labels)
