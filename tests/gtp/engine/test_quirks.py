"""Options for hosts with limits: stones off the line, a talking log, handicap, veiled moves."""

from collections.abc import Callable, Sequence

import pytest

from gtp_variants.cli.engines import gtp
from gtp_variants.cli.play import gui
from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.gtp.engine.engine_bot import NamedBot
from gtp_variants.gtp.engine.engine_host import HostQuirks, shuffle
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.stdio import NewsLog
from gtp_variants.rules.actions import BLACK, WHITE
from tests.gtp.talk import Talk


def with_quirks(spec: str, quirks: HostQuirks, **more: object) -> Talk:
    talk = Talk(spec)
    talk.session = Session(spec, bot=NamedBot("greedy"), quirks=quirks, **more)  # type: ignore[arg-type]
    talk.engine = GtpEngine(talk.session)
    return talk


# -- a stone off the open line -----------------------------------------------------------------------------------------


def test_a_stone_off_the_line_is_taken_and_the_log_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    talk = with_quirks("aleago:size=9", HostQuirks(accepts_off_line=True))
    talk("aleago-draw b 1")
    assert talk("play b D4") == ""
    assert talk.state()["stones"] == {"D4": "b"}
    said = capsys.readouterr().err
    assert said.startswith("warning: ")
    assert "OFF THE LINE: D4 is on line 4, the draw opens line 1" in said
    talk("undo")
    assert talk("aleago-draw") == "b 1"
    talk("play b A5")
    assert capsys.readouterr().err == ""


def test_other_illegal_moves_stay_refused() -> None:
    talk = with_quirks("aleago:size=9", HostQuirks(accepts_off_line=True))
    talk("play b D4")
    before = talk.snapshot()
    assert talk.reason("play w D4") == "occupied"
    assert talk.reason("play w Z25") == "off board"
    assert talk.snapshot() == before


def test_without_leave_it_is_refused() -> None:
    talk = with_quirks("aleago:size=9", HostQuirks())
    talk("aleago-draw b 1")
    assert talk.reason("play b D4") == "line"


# -- the log -----------------------------------------------------------------------------------------------------------


def test_the_log_tells_each_draw_once(capsys: pytest.CaptureFixture[str]) -> None:
    talk = with_quirks("aleago:size=9,lang=fr", HostQuirks(logs_news=True))
    talk("aleago-draw b 4")
    news_log = NewsLog()
    news_log.update(talk.session)
    news_log.update(talk.session)
    assert capsys.readouterr().err == (
        "Noir, tirage 4\u00a0: les lignes 4 et 5 sont ouvertes D4 D5 D6 E4 E5 E6 F4 F5 F6\n"
    )
    talk.plays("b:pass w:pass")
    news_log.update(talk.session)
    assert "suspendue" in capsys.readouterr().err


def test_the_log_tells_what_the_referee_says(capsys: pytest.CaptureFixture[str]) -> None:
    talk = with_quirks("phantom:size=5", HostQuirks(logs_news=True))
    talk("play b C3")
    talk.fails("play w C3")
    NewsLog().update(talk.session)
    assert capsys.readouterr().err == "impossible move\n"


def test_the_log_of_one_player_tells_what_that_player_hears(capsys: pytest.CaptureFixture[str]) -> None:
    talk = with_quirks("phantom:size=5,impossible=private", HostQuirks(logs_news=True), viewer=BLACK)
    news_log = NewsLog()
    for line, told in (("b C3", "Black has played\n"), ("w C3", ""), ("w A1", "White has played\n")):
        talk.raw(f"play {line}".encode())
        news_log.update(talk.session)
        assert capsys.readouterr().err == told
    talk.raw(b"play b A1")
    news_log.update(talk.session)
    assert capsys.readouterr().err == "impossible move\n"
    talk.plays("b:pass w:pass")
    news_log.update(talk.session)
    assert "suspended" in capsys.readouterr().err


def test_the_log_of_a_seat_under_a_referee_tells_what_it_hears(capsys: pytest.CaptureFixture[str]) -> None:
    talk = with_quirks("phantom:size=5", HostQuirks(logs_news=True))
    news_log = NewsLog()
    for line, told in (("seat b", ""), ("hear b C3", "Black has played\n"), ("hear w refused ?", "impossible move\n")):
        talk(f"phantom-{line}")
        news_log.update(talk.session)
        assert capsys.readouterr().err == told


# -- handicap ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["aleago:size=9", "phantom:size=9", "rosette:n=3", "go:size=9"])
def test_every_new_game_begins_with_handicap_stones(spec: str) -> None:
    talk = with_quirks(spec, HostQuirks(handicap=4))
    for command in ("clear_board", "gogui-rules_game_id", "clear_board", "variant-get"):
        talk(command)
        state = talk.state()
        assert list(state["stones"].values()) == ["b"] * 4
        assert (state["to_play"], state["move_number"]) == ("w", 0)
    assert talk("gogui-rules_side_to_move") == "white"
    assert talk("gogui-rules_board").count("X") == 4
    assert talk.fails("undo") == "cannot undo"


@pytest.mark.parametrize("spec", ["alter-igo:size=5", "pentalath"])
def test_games_without_handicap_begin_as_ever(spec: str) -> None:
    assert with_quirks(spec, HostQuirks(handicap=4)).state()["stones"] == {}


@pytest.mark.parametrize("main", [gtp.main, gui.main])
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *((word, "0, or 2 to 999") for word in ("-3", "1")),
        *((word, "a whole number") for word in ("x", "2.5", "", "9" * 5000)),
    ],
)
def test_handicaps_that_nobody_can_give_are_refused(
    main: Callable[[Sequence[str]], int], word: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["aleago:size=9", f"--handicap={word}"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert f"--handicap: expected {expected}, not {word[:40]!r}\n" in told
    assert len(told) < 3000


# -- the veil ----------------------------------------------------------------------------------------------------------


def veiled_pair() -> tuple[Talk, Talk]:
    quirks = HostQuirks(uses_decoys=True)
    player, ruler = (with_quirks("phantom:size=5", quirks, seed="s", viewer=BLACK) for _ in range(2))
    for talk in (player, ruler):
        talk("gogui-rules_game_id")
    ruler("gogui-rules_board")
    return player, ruler


def test_veiled_vertices_are_read_by_every_process() -> None:
    player, ruler = veiled_pair()
    wrong = 0
    for vertex in ("C3", "D4", "B2", "A5", "E1", "D2"):
        status, _ = player._ask(f"play b {vertex}")
        if status == "=":
            ruler(f"play b {vertex}")
            shown = player("genmove w")
            ruler(f"play w {shown}")
            last = player.state()["last"]["vertex"]
            wrong += shown != last
            assert shown in ruler("gogui-rules_legal_moves").upper() or shown == "pass"
        assert player.state()["stones"] == ruler.state()["stones"]
    assert wrong
    assert "O" not in ruler("gogui-rules_board")


def test_a_game_that_is_played_again_is_read_again() -> None:
    player, ruler = veiled_pair()
    moves = []
    for vertex in ("C3", "D4", "B2"):
        if player._ask(f"play b {vertex}")[0] == "=":
            moves += ["b", vertex, "w", player("genmove w")]
    stones = player.state()["stones"]
    player(f"gg-undo {len(moves) // 2}")
    player(f"gogui-play_sequence {' '.join(moves)}")
    assert player.state()["stones"] == stones
    ruler("clear_board")
    ruler(f"gogui-play_sequence {' '.join(moves)}")
    assert ruler.state()["stones"] == stones


def test_the_viewers_own_moves_and_hosts_that_show_nothing_go_unveiled() -> None:
    player, _ = veiled_pair()
    player("play b C3")
    assert player.state()["stones"] == {"C3": "b"}
    for quirks, viewer, spec, hosted in (
        (HostQuirks(), BLACK, "phantom:size=5", True),
        (HostQuirks(uses_decoys=True), None, "phantom:size=5", True),
        (HostQuirks(uses_decoys=True), BLACK, "phantom:size=5", False),
        (HostQuirks(uses_decoys=True), BLACK, "go:size=5", True),
    ):
        talk = with_quirks(spec, quirks, seed="s", viewer=viewer)
        if hosted:
            talk("gogui-rules_game_id")
        assert talk.session.play.find_decoys(WHITE) == {}


def test_the_veil_is_a_permutation_that_each_turn_and_each_key_changes() -> None:
    points = list(range(81))
    first = shuffle(b"key", 3, points)
    assert sorted(first.values()) == points
    assert first == shuffle(b"key", 3, points)
    assert first != shuffle(b"key", 4, points) != shuffle(b"other", 4, points)
