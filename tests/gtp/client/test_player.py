"""Somebody else's engine in a seat: what it is sent at each level, word for word, and that it plays legal games."""

import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gtp_variants import configs
from gtp_variants.errors import PeerError, PeerUnfit
from gtp_variants.gtp.client.peer import Launch, Peer, TalkLog
from gtp_variants.gtp.client.player import GtpPlayer, time_settings
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, WHITE
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.traits import faces_of
from tests.gtp.client.engines import go_engine, our_engine, talk_of

GNUGO = shutil.which("gnugo", path="/usr/bin:/usr/local/bin:/usr/games")


class Engines:
    """A process for each seat."""

    def __init__(self, command: Sequence[str], file: Path) -> None:
        self.launch = Launch(tuple(command), command_s=30)
        self.file = file
        self.failures: list[PeerError] = []

    def take(self, colour: int, seed: str) -> Peer:
        return Peer(self.launch.start(self.file.with_suffix(".stderr")), self.launch, TalkLog(self.file))

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        self.failures += [failure] if failure else []
        peer.close()


Made = Callable[..., tuple[Table, GtpPlayer]]


@pytest.fixture
def seated(tmp_path: Path) -> Made:
    """A table with an engine in Black's seat, and nobody in White's; for Aléago the faces of the first draw."""

    def make(spec: str, command: Sequence[str], *draw: int) -> tuple[Table, GtpPlayer]:
        table = Table(parse(spec), lambda: DiceStream("7"))
        if draw:
            table.tell_draw(BLACK, draw)
        player = GtpPlayer(Engines(command, tmp_path / "talk"))
        table.seat(BLACK, player, "seed")
        return table, player

    return make


def asked(table: Table, player: GtpPlayer) -> str:
    """Return the engine's choice as a word."""
    action = table.choose(BLACK)
    return {PASS: "pass", RESIGN: "resign"}.get(action) or table.rules.board.vertex(action)


def sent(table: Table, file: Path) -> list[str]:
    """Everything that was said after the greeting, once the players have left."""
    table.close(None)
    lines = talk_of(file)
    listed = next(index for index, line in enumerate(lines) if line == "> list_commands")
    return [line for line in lines[listed + 1 :] if line.startswith((">", "#"))]


# -- word for word -----------------------------------------------------------------------------------------------------


LEVELS = Path(__file__).resolve().parent.parent.parent.parent / "docs" / "protocol" / "levels.md"


@pytest.mark.skipif(not LEVELS.exists(), reason="the pages are only in a checkout")
@pytest.mark.parametrize(
    ("level", "extra", "answers"),
    [
        ("variants", "variant-set aleago-draw", ["C4"]),
        ("draws", "aleago-draw undo", ["C4"]),
        ("allow", "restricted_genmove undo", ["C4"]),
        ("plain", "undo", ["C3", "C4"]),
    ],
)
def test_each_level_is_sent_what_the_page_shows(tmp_path: Path, level: str, extra: str, answers: list[str]) -> None:
    head, *rows = LEVELS.read_text(encoding="utf-8").partition("```text\n")[2].partition("\n```")[0].split("\n")
    start = head.index(level)
    end = start + len(re.match(r"\S+\s*", head[start:])[0])  # type: ignore[index]
    shown = [row[start : end if end < len(head) else None].strip() for row in rows]
    # The first two throws are 2 and 3.
    table = Table(parse("aleago:size=5"), lambda: DiceStream("75"))
    player = GtpPlayer(Engines(go_engine(extra, *answers), tmp_path / "talk"))
    table.seat(BLACK, player, "seed")
    assert player.level == level
    table.step()
    table.play(WHITE, table.rules.board.point("C3"))
    table.choose(BLACK)
    table.close(None)
    said = [line.removeprefix("> ").removeprefix("< ") for line in talk_of(tmp_path / "talk")]
    told = [line for line in said if not re.match(r"= ?$|set_random_seed", line)]
    begun = next(i for i, line in enumerate(told) if line.startswith(("variant-set", "boardsize")))
    expected = [line for line in shown if line]
    found = told[begun : begun + len(expected)]
    assert [re.sub("size=5,.*", "size=5,...", line) for line in found] == expected


def test_a_plain_engine_in_go_hears_moves_and_is_asked(seated: Made, tmp_path: Path) -> None:
    table, player = seated("go:size=5,komi=3.5", go_engine())
    assert player.level == "plain"
    table.step()
    table.play(WHITE, table.rules.board.point("C3"))
    table.step()
    table.play(WHITE, PASS)
    assert sent(table, tmp_path / "talk") == [
        "> boardsize 5",
        "> komi 3.5",
        "> clear_board",
        "> genmove b",
        "> play w C3",
        "> genmove b",
        "> play w pass",
    ]


def test_an_engine_that_can_be_told_rules_hears_unusual_ones(seated: Made, tmp_path: Path) -> None:
    table, _ = seated("go:size=5,rules=new-zealand", go_engine("kata-set-rules"))
    rules = '{"ko":"SITUATIONAL","scoring":"AREA","suicide":true,"hasButton":false,"whiteHandicapBonus":"0"}'
    assert sent(table, tmp_path / "talk")[2] == f"> kata-set-rules {rules}"
    table, _ = seated("go:size=5,repetition=nssk", go_engine("kata-set-rules"))
    assert sent(table, tmp_path / "talk")[-3:] == ["> boardsize 5", "> komi 7.5", "> clear_board"]


def test_a_closed_answer_is_taken_back_and_asked_for_again(seated: Made, tmp_path: Path) -> None:
    table, player = seated("aleago:size=7,dice=1d4", go_engine("undo", "A1", "C4", "E5"), 3)
    assert asked(table, player) == "C4"
    talk = sent(table, tmp_path / "talk")
    assert talk[-3:] == ["> genmove b", "> undo", "> genmove b"]


def test_without_undo_the_board_is_set_up_again(seated: Made, tmp_path: Path) -> None:
    table, player = seated("aleago:size=9,dice=1d4", go_engine("", "A1", "A1"), 3)
    # The same answer twice: the rule plays. Nothing takes, so it is the nearest to A1, here a corner of line 3.
    assert asked(table, player) == "C3"
    assert "C3 is played instead" in player.explanation
    assert sent(table, tmp_path / "talk")[-4:] == [
        "> genmove b",
        "> clear_board",
        "> genmove b",
        "# the engine wanted A1, which is not open; C3 is played instead",
    ]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("restricted_genmove", "> restricted_genmove b D4 D5 D6 E4 E6 F4 F5 F6"),
        ("lz-genmove_analyze", "> lz-genmove_analyze b 100000 allow b D4,D5,D6,E4,E6,F4,F5,F6,pass 1"),
        ("kata-genmove_analyze", "> kata-genmove_analyze b 100000 allow b D4,D5,D6,E4,E6,F4,F5,F6,pass 1"),
    ],
)
def test_an_engine_that_can_be_held_is_held(seated: Made, tmp_path: Path, command: str, line: str) -> None:
    table, player = seated("aleago:size=9,dice=1d4,star=false", go_engine(f"undo {command}"), 4)
    assert player.level == "allow"
    assert asked(table, player) == "D4"
    assert sent(table, tmp_path / "talk")[-1] == line


def test_an_engine_without_a_choice_among_open_points_is_asked_again(seated: Made, tmp_path: Path) -> None:
    table, player = seated("aleago:size=9,dice=1d4,star=false", go_engine("restricted_genmove", "PASS", "J9"), 4)
    assert asked(table, player) == "F6"
    assert sent(table, tmp_path / "talk")[-3:] == [
        "> clear_board",
        "> genmove b",
        "# the engine wanted J9, which is not open; F6 is played instead",
    ]


def test_a_pass_of_one_that_passes_on_the_whole_board_counts(seated: Made) -> None:
    table, player = seated("aleago:size=9", go_engine("restricted_genmove", "PASS", "PASS"))
    assert asked(table, player) == "pass"
    table.close(None)


def test_known_draws_are_sent_before_each_turn(seated: Made, tmp_path: Path) -> None:
    table, player = seated("aleago:size=9,dice=1d4", go_engine("aleago-draw"), 3)
    assert player.level == "draws"
    table.play(BLACK, table.rules.board.point("C3"))
    faces = faces_of(table.rules, table.position, table.position.draws[0])
    assert sent(table, tmp_path / "talk")[-3:] == [
        "> aleago-draw b 3",
        "> play b C3",
        f"> aleago-draw w {faces[0]}",
    ]


def test_where_captures_differ_the_board_is_set_up_again(seated: Made, tmp_path: Path) -> None:
    """Two black stones without a liberty go: a move that Go forbids."""
    table, player = seated("alter-igo:size=4", go_engine("undo"))
    board = table.rules.board
    for colour, vertex in zip((BLACK, WHITE) * 4, ("A1", "A2", "D4", "B2", "D3", "C1", "B1", "D1"), strict=True):
        table.play(colour, board.point(vertex))
    assert asked(table, player) == "A1"
    assert sent(table, tmp_path / "talk") == [
        "> boardsize 4",
        "> clear_board",
        *(f"> play {move}" for move in ("b A1", "w A2", "b D4", "w B2", "b D3", "w C1")),
        "> clear_board",
        *(f"> play {move}" for move in ("w A2", "w B2", "w C1", "b D3", "b D4", "w D1")),
        "> genmove b",
    ]


def test_news_are_sent_in_the_specified_words(seated: Made, tmp_path: Path) -> None:
    """The example of the contract: what Black hears of a ko-like corner fight."""
    table, _ = seated("phantom:size=9", go_engine("variant-set phantom-seat phantom-hear"))
    point = table.rules.board.point
    for colour, vertex in [
        (BLACK, "D4"),
        (WHITE, "D5"),
        (BLACK, "D5"),
        (BLACK, "E4"),
        (WHITE, "E5"),
        (BLACK, "A1"),
        (WHITE, "E3"),
        (BLACK, "A2"),
        (WHITE, "F4"),
        (BLACK, "A3"),
        (WHITE, "A3"),
        (WHITE, "D3"),
        (BLACK, "J9"),
        (WHITE, "C4"),
        (BLACK, "J8"),
    ]:
        table.play(colour, point(vertex))
    table.play(WHITE, PASS)
    told = [line.removeprefix("> phantom-hear ") for line in sent(table, tmp_path / "talk") if "phantom-hear" in line]
    assert told[:4] == ["b D4", "w ?", "b refused D5", "b E4"]
    assert "w refused ?" in told
    assert any(line.startswith("w ? captured D4 E4") for line in told)
    assert told[-1] == "w pass"


@pytest.mark.parametrize(
    ("spec", "extra", "reason"),
    [
        ("phantom", "", "its variant-set is missing or refuses it"),
        ("phantom", "variant-set phantom-seat", "it has no phantom-hear"),
        ("rosette", "", "Simple does not know rosette"),
        ("alter-igo:width=5,height=4", "", "rectangular_boardsize"),
    ],
)
def test_an_unsuitable_engine_is_rejected_with_the_reason(seated: Made, spec: str, extra: str, reason: str) -> None:
    with pytest.raises(PeerUnfit, match=reason):
        seated(spec, go_engine(extra))


def test_a_board_it_refuses_is_said(seated: Made) -> None:
    with pytest.raises(PeerUnfit, match="cannot play aleago here: 'boardsize 19' was refused: unacceptable size"):
        seated("aleago:size=19", go_engine())


# -- time --------------------------------------------------------------------------------------------------------------


def test_the_clock_is_sent_before_each_move(seated: Made, tmp_path: Path) -> None:
    table, _ = seated("go:size=5", go_engine("time_settings time_left"))
    table.clocks[BLACK] = Clock.full(TimeControl("canadian", 60, 30, 5))
    table.step()
    table.play(WHITE, PASS)
    table.clocks[BLACK] = Clock(TimeControl("canadian", 60, 30, 5), 12.7, 3)
    table.step()
    assert [line for line in sent(table, tmp_path / "talk") if "time" in line] == [
        "> time_settings 60 30 5",
        "> time_left b 60 0",
        "> time_left b 12 3",
    ]


@pytest.mark.parametrize(
    ("control", "extra", "line"),
    [
        (TimeControl("absolute", 90.5), "", "time_settings 90 0 0"),
        (TimeControl("fischer", 60, increment_s=1.5), "", "time_settings 60 0 0"),
        (TimeControl("fischer", 60, increment_s=1.5), "kata-time_settings", "kata-time_settings fischer 60 1.5"),
        (TimeControl("byoyomi", 60, 10, periods=3), "kgs-time_settings", "kgs-time_settings byoyomi 60 10 3"),
        (TimeControl(), "", None),
    ],
)
def test_a_time_control_is_sent_by_the_best_supported_command(
    control: TimeControl, extra: str, line: str | None
) -> None:
    launch = Launch(go_engine(extra))
    peer = Peer(launch.start(), launch)
    told = time_settings(control, peer)
    peer.close()
    assert (None if told is None else " ".join(told)) == line


# -- whole games -------------------------------------------------------------------------------------------------------

TEMPLATE = (sys.executable, str(configs.template_bot()))
GAMES = ("go:size=7", "aleago:size=9", "phantom:size=7", "rosette:n=2", "alter-igo:size=6", "pentalath")


def whole_game(spec: str, command: Sequence[str], folder: Path, number: int, bot: str = "uniform") -> GtpPlayer:
    """A game to its end against one of our bots; every action is legal or this raises."""
    rules = parse(spec)
    table = Table(rules, lambda: DiceStream(f"game {number}"))
    player = GtpPlayer(Engines(command, folder / f"{number}.gtp"))
    others = [bots.load(bot) for _ in rules.colours[1:]]
    seats = [*others[: number % 2], player, *others[number % 2 :]]
    for colour, seat in zip(rules.colours, seats, strict=True):
        table.seat(colour, seat, f"{number} {colour}")
    for _ in range(2000):
        if table.asked() is None:
            break
        table.step()
    outcome = table.game.outcome
    assert outcome is not None
    table.close(outcome)
    assert isinstance(player.engines, Engines)
    assert player.engines.failures == []
    return player


@pytest.mark.parametrize("spec", [*GAMES, "aleago:size=9,crystal_ball=true,end_passes=3", "pentalath:players=3"])
def test_the_template_plays_every_game(spec: str, tmp_path: Path) -> None:
    for number in range(2):
        assert whole_game(spec, TEMPLATE, tmp_path, number).level == "variants"


@pytest.mark.parametrize(
    "spec", ["go:size=5", "aleago:size=5,dice=1d4", "phantom:size=4", "rosette:n=2", "alter-igo:size=4", "pentalath"]
)
def test_our_own_engine_plays_as_a_program(spec: str, tmp_path: Path) -> None:
    assert whole_game(spec, our_engine("--bot", "uniform"), tmp_path, 1).level == "variants"


@pytest.mark.slow
@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian: apt-get install gnugo)")
@pytest.mark.parametrize("spec", ["aleago:size=9", "alter-igo:size=7"])
def test_gnu_go_plays_games_it_does_not_know(spec: str, tmp_path: Path) -> None:
    command = (str(GNUGO), "--mode", "gtp", "--level", "0", "--seed", "1")
    for number in range(2):
        assert whole_game(spec, command, tmp_path, number).level == "allow"


@pytest.mark.long
@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian: apt-get install gnugo)")
@pytest.mark.parametrize("bot", ["greedy", "uniform"])
@pytest.mark.parametrize("spec", ["aleago:size=13", "alter-igo:size=9"])
@pytest.mark.parametrize("number", range(20))
def test_gnu_go_plays_twenty_games_without_a_failure(spec: str, bot: str, number: int, tmp_path: Path) -> None:
    whole_game(spec, (str(GNUGO), "--mode", "gtp", "--level", "0"), tmp_path, number, bot)
