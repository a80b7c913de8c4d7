"""Under kgsGtp and gtp2ogs: whole games as these two bridges send them, to the engine that our examples start."""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from gtp_variants import configs
from gtp_variants.gtp.engine.engine_host import KGS, OGS, HostQuirks
from tests.gtp.pipes import Process
from tests.gtp.talk import Talk

CONFIGS = Path(configs.path("aleago-first")).parent
MOVE = re.compile(r"[A-HJ-T]\d{1,2}|pass|resign")

# What kgsGtp and gtp2ogs know, as far as they are documented.
KGS_KEYS = set(
    "name password room mode opponent engine gtp.in gtp.out engine.port rules rules.boardSize rules.time komi talk "
    "gameNotes undo reconnect automatch.rank automatch.speed hint.cleanup hint.noArguing verbose server.host "
    "server.port".split()
)
OGS_KEYS = set(
    "apikey engine verbosity log_game_chat status_update_frequency server max_pause_time blacklist whitelist "
    "bot opening_bot ending_bot greeting farewell farewellscore logfile allowed_time_control_systems "
    "allowed_blitz_settings allowed_rapid_settings allowed_live_settings allowed_correspondence_settings "
    "allowed_board_sizes allow_unranked allow_ranked allowed_rank_range allow_ranked_handicap "
    "allow_unranked_handicap allowed_komi_range hidden decline_new_challenges showboard min_move_time "
    "max_games_per_player".split()
)
OGS_BOT_KEYS = set(
    "command manager instances enable_clock send_chats send_pv_data release_delay quit_grace_period "
    "persistent_idle_timeout".split()
)


def properties(file: Path) -> dict[str, str]:
    """The keys of a Java properties file, as far as ours go: no continued lines, no escapes."""
    found: dict[str, str] = {}
    for line in file.read_text(encoding="iso-8859-1").splitlines():
        if line.strip() and not line.lstrip().startswith(("#", "!")):
            key, separator, value = line.partition("=")
            assert separator, line
            assert key not in found, key
            found[key] = value
    return found


def json5(file: Path) -> dict[str, object]:
    """A JSON5 file as ours are written: comments have their own lines, and what is left YAML reads, too."""
    lines = file.read_text(encoding="utf-8").splitlines()
    found = yaml.safe_load("\n".join(line for line in lines if not line.lstrip().startswith("//")))
    assert isinstance(found, dict)
    return found


def arguments_of(command: Sequence[str]) -> list[str]:
    """The arguments of an engine that an example starts, with a quick bot in the place of the strong one."""
    assert list(command[:2]) == ["gtp-variants", "gtp"]
    return [*command[2:], "--bot", "mcts:playouts=30,seconds=0"]


class Bridge:
    """A program that speaks to the engine and takes a `?` as badly as the two do."""

    def __init__(self, command: Sequence[str], log: Path, newline: str) -> None:
        self.engine = Process(*arguments_of(command), log=log)
        self.log, self.newline = log, newline
        self.listed: set[str] = set()

    def __call__(self, line: str) -> str:
        answer = self.maybe(line)
        assert answer.startswith("= "), f"{line} -> {answer}"
        return answer[2:]

    def maybe(self, line: str) -> str:
        self.engine.send((line + self.newline).encode())
        return self.engine.answers(1)[0]

    def does(self, *lines: str) -> None:
        for line in lines:
            assert self(line) == ""

    def moves(self, line: str) -> str:
        move = self(line)
        assert MOVE.fullmatch(move), move
        return move

    def said(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines()

    def free(self) -> str:
        """A point where the side to move may play."""
        return self("variant-legal_moves").split()[0]


# -- kgsGtp ------------------------------------------------------------------------------------------------------------


def kgs(name: str, folder: Path) -> Bridge:
    file = CONFIGS / "kgsgtp" / f"{name}.properties"
    bridge = Bridge(shlex.split(properties(file)["engine"]), folder / "log", "\n")
    # It asks who is there before it logs in, and says it when a game begins.
    assert bridge("list_commands")
    bridge.listed = set(bridge("list_commands").split())
    assert bridge("name") == "GTP Variants"
    assert re.fullmatch(r"\d+\.\d+.*", bridge("version"))
    assert bridge("protocol_version") == "2"
    return bridge


@pytest.fixture
def go(tmp_path: Path) -> Iterator[Bridge]:
    bridge = kgs("go", tmp_path)
    yield bridge
    bridge.engine.close()


@pytest.fixture
def dice(tmp_path: Path) -> Iterator[Bridge]:
    bridge = kgs("aleago", tmp_path)
    yield bridge
    bridge.engine.close()


@pytest.mark.parametrize("name", ["go", "aleago"])
def test_the_examples_for_kgsgtp_say_what_it_knows(name: str) -> None:
    found = properties(CONFIGS / "kgsgtp" / f"{name}.properties")
    assert set(found) <= KGS_KEYS
    assert {"engine", "name", "password", "room", "mode", "rules", "rules.boardSize", "rules.time"} <= set(found)
    assert found["mode"] in ("auto", "custom", "tournament", "wait", "both")
    assert found["rules"] in ("chinese", "japanese", "aga", "new_zealand")
    assert re.fullmatch(r"0|\d+:\d\d(\+\d+(x\d+:\d\d|/\d+:\d\d))?", found["rules.time"])
    # What stands behind a value is part of it: no comments there.
    assert all("#" not in value and value == value.strip() for value in found.values())
    assert len(found["gameNotes"]) <= 80


def test_kgsgtp_needs_nothing_that_is_not_listed(go: Bridge) -> None:
    assert (
        set(
            "boardsize clear_board komi play genmove undo time_settings time_left kgs-time_settings kgs-rules "
            "place_free_handicap set_free_handicap final_status_list final_score kgs-genmove_cleanup kgs-game_over "
            "quit".split()
        )
        <= go.listed
    )
    # Its versions from 3.5.20 on fail with an engine that has it.
    assert "kgs-chat" not in go.listed
    assert go.maybe("kgs-chat private somebody hello") == "? unknown command"


@pytest.mark.parametrize(
    "time",
    [
        "kgs-time_settings none",
        "kgs-time_settings absolute 600",
        "kgs-time_settings byoyomi 600 30 5",
        "kgs-time_settings canadian 600 300 25",
        "time_settings 600 300 25",
    ],
)
def test_kgsgtp_plays_under_each_clock(go: Bridge, time: str) -> None:
    go.does("kgs-rules chinese", "boardsize 9", "clear_board", "komi 7.5", time)
    # No time is told before the first move.
    assert go.moves("genmove b")
    for _ in range(4):
        go.does("time_left b 500 0", "time_left w 600 0", f"play w {go.free()}")
        # In overtime the last number are stones, or periods.
        go.does("time_left w 30 5", "time_left b 30 1")
        go.moves("genmove b")
    go.does("kgs-game_over")


def test_kgsgtp_disputes_a_dead_stone_and_sees_it_captured(go: Bridge) -> None:
    go.does("kgs-rules chinese", "boardsize 9", "clear_board", "komi 0.5", "kgs-time_settings byoyomi 60 30 5")
    wall = [f"{column}5" for column in "ABCDEFGHJ"]
    for point in wall:
        go.does(f"play b {point}", f"play w {point[0]}6")
    # Both have eyes; the stone at D3 has none and no room for them.
    for black, white in (("B4", "B7"), ("D4", "D7"), ("F4", "F7"), ("H4", "H7"), ("A2", "D3")):
        go.does(f"play b {black}", f"play w {white}")
    go.does("play b pass", "play w pass")
    assert go("final_status_list dead") == "D3"
    # The other side undoes its pass, and what is dead is captured, one move at a time.
    go.does("undo")
    tried = []
    while "D3" in go("list_stones w").split():
        tried.append(go.moves("kgs-genmove_cleanup b"))
        go.does("play w pass")
        assert len(tried) <= 4
    assert set(tried) <= {"C3", "D2", "E3"}
    assert set(wall) <= set(go("final_status_list alive").split())
    go.does("kgs-game_over")


def test_kgsgtp_rejoins_a_game_on_the_same_board_or_by_a_replay(go: Bridge) -> None:
    go.does("kgs-rules aga", "boardsize 9", "clear_board", "komi 6.5", "kgs-time_settings none")
    moves = []
    for _ in range(5):
        moves.append(f"play b {go.moves('genmove b')}")
        moves.append(f"play w {go.free()}")
        go.does(moves[-1])
    before = go("variant-state")
    # Adjourned: the board stays, and the game may go straight on.
    go.does("kgs-game_over")
    assert go("variant-state") == before
    go.does("kgs-rules aga", "boardsize 9", "clear_board", "komi 6.5", "kgs-time_settings none", *moves)
    assert go("variant-state") == before
    go.moves("genmove b")
    go.does("undo", "undo", "kgs-game_over")


def test_kgsgtp_plays_with_handicap_on_both_sides(go: Bridge) -> None:
    go.does("kgs-rules new_zealand", "boardsize 19", "clear_board", "komi 0.5")
    assert len(go("place_free_handicap 4").split()) == 4
    go.does("play w K10")
    assert go.moves("genmove b")
    go.does("kgs-game_over", "kgs-rules japanese", "boardsize 13", "clear_board", "komi 0.5")
    go("set_free_handicap D4 K10 K4")
    assert go.moves("genmove w")
    go.does("undo")
    assert go.moves("genmove w")


def test_kgsgtp_hands_on_chat_and_says_the_answers(dice: Bridge) -> None:
    assert "kgs-chat" in dice.listed
    dice.does("kgs-rules chinese", "boardsize 9", "clear_board", "komi 7.5", "kgs-time_settings none")
    assert re.search(r"^We play Aléago: aleago:size=9.* counted from the edge", dice("kgs-chat private alpha rules"))
    assert re.search(r"^Nous jouons à Aléago.*comptée depuis le bord", dice("kgs-chat game alpha !règles"))
    assert "dés\u00a0: le tirage" in dice("kgs-chat game alpha aide")
    drawn = dice("kgs-chat game alpha dice?")
    found = re.fullmatch(r"Black, draw (\d)(?:: line \1 is|: lines .* are) open(?:: [A-J1-9 ]+)?\.", drawn)
    assert found, drawn
    assert dice("kgs-chat game alpha Dés").startswith(f"Noir, tirage {found[1]}\u00a0: ")
    # What is no question gets no answer, whatever is in it.
    for said in ("hello", "the dice are bad", "I am 5k # really", "\x07", "?", "é" * 300):
        assert dice.maybe(f"kgs-chat game alpha {said}").startswith("? ")
    assert dice("variant-state")


def test_kgsgtp_plays_aleago_to_the_end_and_points_at_stones_off_the_line(dice: Bridge) -> None:
    dice.does("kgs-rules chinese", "boardsize 9", "clear_board", "komi 7.5", "kgs-time_settings byoyomi 600 30 5")
    for _ in range(6):
        assert dice("kgs-chat game alpha dice").startswith("Black, draw ")
        dice.does(f"play b {dice.free()}", "time_left w 600 0")
        dice.moves("genmove w")
    wrong = _off_line(dice)
    before = dice("kgs-chat game alpha dice")
    # The server has the stone, so it must be taken; whoever asks is told.
    dice.does(f"play b {wrong}")
    dice.moves("genmove w")
    assert dice("kgs-chat game alpha dice").startswith(f"{wrong} was off its line; please take it back. Black, draw ")
    dice.does("undo", "undo")
    assert dice("kgs-chat game alpha dice") == before
    dice.does(f"play b {dice.free()}")
    dice.moves("genmove w")
    assert "off its line" not in dice("kgs-chat game alpha dice")
    dice.does("play b pass", "play w pass")
    # What seems dead is told, and counts as it stands.
    as_it_stands = dice("final_score")
    dead = dice("final_status_list dead").split()
    assert set(dead).isdisjoint(dice("final_status_list alive").split())
    assert dice("final_score") == as_it_stands
    dice.does("kgs-game_over")


def _off_line(bridge: Bridge) -> str:
    """A vertex of 9x9 that only the draw forbids: it has a free neighbour, so that a stone there has a liberty."""
    stones, opened = json.loads(bridge("variant-state"))["stones"], set(bridge("variant-legal_moves").split())
    columns = "ABCDEFGHJ"
    for x, column in enumerate(columns):
        for y in range(1, 10):
            near = [
                f"{columns[i]}{j}"
                for i, j in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                if 0 <= i < 9 and 0 < j < 10
            ]
            if f"{column}{y}" not in {*stones, *opened} and any(vertex not in stones for vertex in near):
                return f"{column}{y}"
    raise AssertionError("every free point is open")


def test_only_where_there_are_dice_are_they_told() -> None:
    talk = Talk("go:size=9", quirks=HostQuirks(chat=KGS))
    assert talk("kgs-chat game alpha dice") == "There are no dice in this game."
    assert talk("kgs-chat game alpha dés") == "On joue cette partie sans dés."
    assert talk("kgs-chat game alpha rules").startswith("We play Go: go:size=9")
    assert talk.fails("kgs-chat game alpha").startswith("syntax error")


# -- gtp2ogs -----------------------------------------------------------------------------------------------------------


def command_for_ogs(name: str) -> list[str]:
    bot = json5(CONFIGS / "gtp2ogs" / f"{name}.json5")["bot"]
    assert isinstance(bot, dict)
    return [str(word) for word in bot["command"]]


def ogs(name: str, folder: Path) -> Bridge:
    bridge = Bridge(command_for_ogs(name), folder / "log", "\r\n")
    bridge.listed = set(bridge("list_commands").split())
    return bridge


@pytest.fixture
def ogs_go(tmp_path: Path) -> Iterator[Bridge]:
    bridge = ogs("go", tmp_path)
    yield bridge
    bridge.engine.close()


@pytest.fixture
def ogs_dice(tmp_path: Path) -> Iterator[Bridge]:
    bridge = ogs("aleago", tmp_path)
    yield bridge
    bridge.engine.close()


@pytest.mark.parametrize("name", ["go", "aleago"])
def test_the_examples_for_gtp2ogs_say_what_it_knows(name: str) -> None:
    found = json5(CONFIGS / "gtp2ogs" / f"{name}.json5")
    assert set(found) <= OGS_KEYS
    assert {"apikey", "bot", "allowed_board_sizes"} <= set(found)
    bot = found["bot"]
    assert isinstance(bot, dict)
    assert set(bot) <= OGS_BOT_KEYS


@pytest.mark.parametrize(
    "clock",
    [
        ["kgs-time_settings byoyomi 600 30 5", "time_left black 590 0", "time_left white 25 3"],
        ["kgs-time_settings canadian 600 300 25", "time_left black 590 0", "time_left white 120 7"],
        ["kata-time_settings fischer-capped 120 30 300 -1", "time_left black 118 0", "time_left white 140 0"],
        ["kata-time_settings fischer-capped 60 20 300 -1", "time_left black 300 0", "time_left white 0 0"],
        ["time_settings 0 30 1", "time_left black 28 1", "time_left white 30 1"],
        ["time_settings 900 0 0", "time_left black 800 0", "time_left white 900 0"],
    ],
)
def test_gtp2ogs_plays_under_each_clock(ogs_go: Bridge, clock: list[str]) -> None:
    assert "fischer-capped" in ogs_go("kata-list_time_settings")
    ogs_go.does("boardsize 9", "clear_board", "komi 7.5", "play black d4", "play white e5")
    ogs_go.does(*clock)
    assert ogs_go.moves("genmove black")


def test_gtp2ogs_forks_places_handicap_and_reloads_at_any_time(ogs_go: Bridge) -> None:
    # A game that goes on from a position: all black stones, then all white ones, then the moves.
    ogs_go.does("boardsize 9", "clear_board", "komi 5.5", "play black d4", "play black e4", "play white d6")
    ogs_go.does("play white e6", "play black pass")
    ogs_go.moves("genmove white")
    ogs_go.does("boardsize 13", "clear_board", "komi 0.5")
    # It takes the answer apart at blanks, and wants as many as it asked for.
    assert len(ogs_go("place_free_handicap 3").split(" ")) == 3
    ogs_go.does("boardsize 19", "clear_board", "komi 0.5", "set_free_handicap d4 q16 q4 d16", "play white k10")
    ogs_go.moves("genmove black")
    assert ogs_go("showboard")
    assert re.fullmatch(r"[BW]\+[\d.]+|0", ogs_go("final_score"))
    ogs_go.does("boardsize 19 13", "clear_board", "play black t13")
    ogs_go.moves("genmove white")
    ogs_go.does("boardsize 9", "clear_board", "komi 7.5")
    ogs_go.moves("genmove black")


# The patterns that gtp2ogs looks for in the log.
_PV = re.compile(
    r"([A-Z]\d+|pass) -> +(\d+) \(V: +(\d+.\d\d)%\) (\(LCB: +(\d+.\d\d)%\) )?\(N: +(\d+.\d\d)%\) "
    r"PV:(( ([A-Z][0-9]+|pass)+)+)"
)
_VISITS = re.compile(r"(\d+) visits, (\d+) nodes, (\d+) playouts, (\d+) n\/s")
_CHAT = re.compile(r"(DISCUSSION|MALKOVICH|MAIN):(.*)")


def test_gtp2ogs_finds_the_win_rate_in_the_log(ogs_go: Bridge) -> None:
    ogs_go.does("boardsize 9", "clear_board", "komi 7.5")
    move = ogs_go.moves("genmove black")
    said = ogs_go.said()
    lines = [_PV.search(line) for line in said if _PV.search(line)]
    counts = [_VISITS.search(line) for line in said if _VISITS.search(line)]
    assert len(lines) == len(counts) == 1
    assert lines[0] is not None
    assert counts[0] is not None
    assert lines[0][1] == move
    assert lines[0][7].split()[0] == move
    assert 0 <= float(lines[0][3]) <= 100
    assert int(counts[0][1]) >= int(lines[0][2]) > 0
    assert not any(_CHAT.search(line) for line in said)


def test_gtp2ogs_says_the_draw_of_the_next_turn_in_the_game(ogs_dice: Bridge) -> None:
    def chat() -> list[str]:
        return [found[2] for found in map(_CHAT.search, ogs_dice.said()) if found]

    ogs_dice.does("boardsize 9", "clear_board", "komi 7.5")
    for number in range(1, 4):
        ogs_dice.moves("genmove black")
        assert len(chat()) == number
        drawn = re.match(r"White, draw (\d): ", chat()[-1])
        assert drawn
        assert ogs_dice("aleago-draw") == f"w {drawn[1]}"
        ogs_dice.does(f"play white {ogs_dice.free().lower()}")
    ogs_dice.moves("genmove black")
    wrong = _off_line(ogs_dice)
    said = len(chat())
    ogs_dice.does(f"play white {wrong.lower()}")
    ogs_dice.moves("genmove black")
    assert chat()[said] == f"{wrong} was off its line; please take it back."
    # Read again after a lost line, the game says nothing twice until the bot has moved.
    moves = ogs_dice("variant-record")
    assert moves
    said = len(chat())
    ogs_dice.does("boardsize 9", "clear_board", "komi 7.5", f"play black {ogs_dice.free()}")
    assert len(chat()) == said


def test_gtp2ogs_gets_no_analysis_of_a_hidden_game(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("phantom:size=5", bot="phantom:seconds=0.05", quirks=HostQuirks(chat=OGS))
    talk("genmove b")
    assert "PV:" not in capsys.readouterr().err
