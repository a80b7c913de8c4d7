"""Thinking aloud: the forms that Sabaki and others read, and that a word of the host ends it at once (gtp.md 3)."""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.ai.mcts.result import NO_RESULT, OnProgress
from gtp_variants.errors import GameOver
from gtp_variants.gtp.engine import session_search
from gtp_variants.gtp.engine.handlers import live_analysis as live
from gtp_variants.gtp.engine.handlers.live_analysis import AnalysisRequest
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import positions_of
from gtp_variants.players.bots import parameters
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game
from gtp_variants.rules.games.phantom import PhantomRules
from gtp_variants.rules.traits import DicedRules
from tests.gtp.pipes import Process
from tests.gtp.talk import Talk
from tests.support.specs import EACH

OPEN = [spec for spec in EACH if not spec.startswith("phantom")]
# As Sabaki takes a line apart, which knows no swap.
SEGMENT = re.compile(
    r"info move (?P<move>[A-Z]{1,2}\d+|pass|swap) visits (?P<visits>\d+) winrate (?P<winrate>[\d.]+) "
    r"(weight \d+ (utility -?[\d.]+ utilityLcb -?[\d.]+ )?)?"
    r"(scoreMean (?P<score>-?[\d.]+) scoreStdev (?P<stdev>[\d.]+) scoreLead -?[\d.]+ scoreSelfplay -?[\d.]+ )?"
    r"prior (?P<prior>[\d.]+) "
    r"lcb (?P<lcb>[\d.]+) order (?P<order>\d+) pv(?P<pv>( ([A-Z]{1,2}\d+|pass|swap))+)"
)


def moves_of(line: str) -> list[dict[str, str]]:
    """The moves of an answer's lines, every one of which must be made of nothing but segments."""
    found = []
    for part in line.strip().split("\n"):
        text = part.partition(" ownership ")[0]
        segments = list(SEGMENT.finditer(text))
        assert " ".join(segment[0] for segment in segments) == text
        found = [segment.groupdict() for segment in segments]
    return found


def mover(talk: Talk) -> str:
    return str(talk.state()["to_play"])


@pytest.mark.parametrize("spec", OPEN)
def test_every_open_game_is_analysed_and_stays_as_it_was(spec: str) -> None:
    talk = Talk(spec, seed="analysis")
    for _ in range(3):
        talk(f"genmove {mover(talk)}")
    before = talk.snapshot()
    for command in ("analyze", "lz-analyze", "kata-analyze"):
        answer = talk(f"{command} {mover(talk)} 5")
        found = moves_of(answer)
        legal = set(talk("variant-legal_moves").split())
        assert found
        assert {move["move"] for move in found} <= legal
        assert [int(move["order"]) for move in found] == list(range(len(found)))
        assert int(found[0]["visits"]) > 0
        for move in found:
            for share in (move["winrate"], move["prior"], move["lcb"]):
                if command == "kata-analyze":
                    assert 0 <= float(share) <= 1
                else:
                    assert 0 <= int(share) <= 10_000
            assert move["pv"].split()[0] == move["move"]
    assert talk.snapshot() == before


def test_analysis_under_dice_lists_only_open_points() -> None:
    talk = Talk("aleago:size=9", seed="x")
    talk("aleago-draw b 2")
    found = {move["move"] for move in moves_of(talk("lz-analyze"))}
    assert found - {"pass"} == set(talk("aleago-open").split())


def test_both_draws_of_a_crystal_ball_are_searched_on() -> None:
    talk = Talk("aleago:size=9,crystal_ball=true", seed="x")
    assert moves_of(talk("kata-analyze b interval 5"))


def test_the_other_side_may_be_asked_for_where_the_rules_have_a_pass() -> None:
    talk = Talk("go:size=5")
    before = talk.snapshot()
    assert moves_of(talk("lz-analyze w 10"))
    assert talk.snapshot() == before
    talk = Talk("pentalath")
    talk("play w A1")
    assert talk.reason("lz-analyze w") == "not your turn"


def test_arguments() -> None:
    talk = Talk("go:size=5")
    assert len(moves_of(talk("lz-analyze minmoves 3 maxmoves 3"))) == 3
    assert len(moves_of(talk("lz-analyze minmoves 20"))) >= 20
    assert len(moves_of(talk("lz-analyze maxmoves 1"))) == 1
    assert moves_of(talk("kata-analyze B interval 1 minmoves 2 maxmoves 4"))
    assert moves_of(talk("lz-analyze 10"))
    for wrong in ("b x", "b 10 interval", "b -5", "x 10", "b interval -1", "r", "b maxmoves x"):
        assert talk.fails(f"lz-analyze {wrong}").startswith(("syntax error: ", "invalid colour or vertex: ")), wrong


def test_an_unknown_key_goes_by_with_its_value() -> None:
    talk = Talk("go:size=5")
    for words in ("b 5 somethingNew 0.5 maxmoves 1", "5 somethingNew true maxmoves 1", "somethingNew 7 maxmoves 1"):
        assert len(moves_of(talk(f"kata-analyze {words}"))) == 1, words


def test_resignation_may_be_left_out() -> None:
    talk = Talk("go:size=9", bot="mcts:playouts=10,seconds=0")
    assert moves_of(talk("kata-analyze b 5 avoid b resign,pass 1"))
    bot = talk.session.bot
    player = bot.make_player()
    bot.may_resign = False
    bot.attend(player)
    assert not parameters(player)["resign"]
    bot.may_resign = True
    bot.attend(player)
    assert parameters(player)["resign"]


def test_moves_may_be_left_out() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=400,seconds=0")
    every = "minmoves 99"

    def told(line: str) -> set[str]:
        return {move["move"] for move in moves_of(talk(line))}

    assert told(f"lz-analyze b 10 {every}") >= {"C3", "pass"}
    left = told(f"lz-analyze b 10 avoid b C3,c4,pass 1 avoid b D4 3 {every}")
    assert left.isdisjoint({"C3", "C4", "D4", "pass"})
    assert "B2" in left
    assert told(f"kata-analyze 10 {every} allow B a1,E5 2") == {"A1", "E5"}
    assert told(f"kata-analyze allow b D4 1 interval 5 {every}") == {"D4"}
    assert told(f"lz-analyze b 10 avoid w C3 1 {every}") >= {"C3"}
    assert talk("kata-genmove_analyze b 5 allow b E1,E2 1").strip()[-2:] in ("E1", "E2")
    talk("undo")
    assert talk("genmove b") == "C3", "that was for once"


def test_a_bots_priors_where_stones_are_hidden_do_not_depend_on_what_is_left_out() -> None:
    def prior_of(key: str) -> float:
        talk = Talk("phantom:size=5", bot="phantom:playouts=200")
        talk("play b B2")
        lines = talk(f"kata-genmove_analyze w 5 minmoves 99 {key}").split("\nplay")[0]
        return next(float(move["prior"]) for move in moves_of(lines) if move["move"] == "C3")

    assert abs(prior_of("allow w C3,D4,A1 1") - prior_of("")) < 0.2
    assert prior_of("allow w C3 1") < 0.9


@pytest.mark.parametrize("command", ["kata-analyze", "kata-search_analyze", "kata-genmove_analyze"])
def test_a_prior_does_not_depend_on_what_is_left_out(command: str) -> None:
    def priors(keys: str = "") -> dict[str, str]:
        talk = Talk("go:size=5", bot="mcts:playouts=60,seconds=0")
        lines = talk(f"{command} b 5 minmoves 99 {keys}").split("\nplay")[0]
        return {move["move"]: move["prior"] for move in moves_of(lines)}

    free, allowed = priors(), priors("allow b A1,E5,B2 1")
    assert set(allowed) == {"A1", "E5", "B2"}
    assert allowed == {move: free[move] for move in allowed}


def test_a_swap_is_left_out_unless_it_is_allowed() -> None:
    talk = Talk("pentalath:swap=true")
    talk("play w C3")
    for wanted in ("C4", "swap", "C4,swap"):
        found = {move["move"] for move in moves_of(talk(f"kata-analyze 5 allow b {wanted} 1"))}
        assert set() < found <= set(wanted.split(",")), wanted
    assert "swap" not in {move["move"] for move in moves_of(talk("kata-analyze 5 avoid b swap 1"))}


def test_leaving_out_is_said_in_the_right_words() -> None:
    talk = Talk("go:size=5")
    for wrong in (
        "avoid b C3",
        "avoid b C3 0",
        "avoid b C3 -1",
        "avoid b C3 x",
        "avoid x C3 1",
        "avoid b Z9 1",
        "avoid b C3,,C4 1",
        "allow b C3 1 allow b C4 1",
        "allow b C3 1 avoid b C4 1",
        "avoid b C3 1 allow b C4 1",
        "allow",
    ):
        for command in ("lz-analyze", "kata-genmove_analyze"):
            said = talk.fails(f"{command} b {wrong}")
            assert said.startswith(("syntax error: ", "invalid colour or vertex: ", "illegal move (off board)")), wrong
    talk("play b C3")
    assert talk.fails("lz-analyze w allow w C3 1") == "cannot search: no legal move is left"
    assert talk.fails("kata-genmove_analyze w allow w C3 1") == "cannot search: no legal move is left"
    assert talk.state()["move_number"] == 1


@pytest.mark.parametrize("spec", [spec for spec in EACH if "players=3" not in spec])
@pytest.mark.parametrize("bot", ["greedy", "uniform", "mcts:playouts=30,seconds=0", "phantom:playouts=60,seconds=5"])
def test_every_bot_plays_only_what_is_allowed(spec: str, bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where a search of hidden stones has to be replaced, by somebody quick.
    monkeypatch.setattr(PhantomRules, "profile", replace(PhantomRules.profile, default_bot="greedy"))
    talk = Talk(spec, seed="x", bot=bot)
    side = mover(talk)
    allowed = talk("variant-legal_moves").split()[:2]
    for _ in range(2):
        word = talk(f"lz-genmove_analyze {side} allow {side} {','.join(allowed)} 1").split()[-1]
        assert word in allowed
        talk("undo")


@pytest.mark.parametrize(
    "bot", ["greedy", "mcts:playouts=30,seconds=0", "mcts:level=1", "phantom:playouts=60,seconds=5"]
)
def test_a_pass_may_be_left_out_and_even_own_eyes_are_played_then(bot: str) -> None:
    talk = Talk("go:size=3", bot=bot)
    talk.plays("b:A2 b:B2 b:C2 b:A3 b:C3 b:B1 w:pass")
    # Nothing but eyes of Black's own is left.
    assert talk("genmove b") == "pass"
    talk("undo")
    word = talk("kata-genmove_analyze b 5 avoid b pass 1").split()[-1]
    assert word in ("A1", "B3", "C1")


def test_the_root_may_be_told() -> None:
    line = Talk("go:size=5")("kata-analyze b 10 rootInfo true maxmoves 2").strip()
    told = re.search(r" rootInfo visits (\d+) winrate ([\d.]+)( \w+ \S+)+$", line)
    assert told is not None
    assert int(told[1]) >= sum(int(count) for count in re.findall(r"move \S+ visits (\d+)", line)) > 0
    assert 0 < float(told[2]) < 1


def test_a_prior_is_there_before_the_search_and_stays() -> None:
    talk = Talk("go:size=5")
    talk.plays("b:C3 w:C4")

    def priors() -> dict[str, str]:
        return {move["move"]: move["prior"] for move in moves_of(talk("kata-analyze b 2 minmoves 99 maxmoves 99"))}

    early, late = priors(), {**priors(), **priors()}
    assert len(early) > 10
    assert early == late
    assert sum(map(float, early.values())) == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize("spec", OPEN)
def test_every_candidate_has_a_line_and_a_bound_of_its_own(spec: str) -> None:
    talk = Talk(spec, seed="lines")
    found = moves_of(talk(f"kata-analyze {mover(talk)} 10"))
    assert all(move["pv"].split()[0] == move["move"] for move in found)
    # With dice a move is looked at once before the throw and under each of its four numbers before anything follows.
    enough = 6 if isinstance(talk.session.rules, DicedRules) else 4
    assert all(len(move["pv"].split()) > 1 for move in found if int(move["visits"]) >= enough)
    assert all(float(move["lcb"]) < float(move["winrate"]) for move in found if float(move["winrate"]) > 0)
    is_scored = talk.session.rules.is_scored
    assert all((move["score"] is not None) == is_scored for move in found)
    if is_scored:
        talk.does("komi 100")
        assert moves_of(talk(f"kata-analyze {mover(talk)} 10"))[0]["score"].startswith("-")


def test_visits_and_spread_are_reported_on_request() -> None:
    talk = Talk("go:size=5")
    line = talk("kata-analyze b 10 maxmoves 1 pvVisits true pvEdgeVisits true ownershipStdev true").strip()
    keys = " pv | pvVisits | pvEdgeVisits | ownershipStdev "
    pv, visits, edges, spread = (part.split() for part in re.split(keys, line)[1:])
    assert len(pv) == len(visits) == len(edges)
    assert int(visits[0]) >= int(visits[-1]) >= 1
    assert len(spread) == 25
    assert all(0 <= float(number) <= 1 for number in spread)
    line = talk("kata-analyze b 10 maxmoves 1 movesOwnershipStdev true")
    assert len(line.split(" movesOwnershipStdev ")[1].split()) == 25


def test_flags_are_true_or_false() -> None:
    talk = Talk("go:size=5")
    for key in ("rootInfo", "ownership", "movesOwnership"):
        assert key.lower() not in talk(f"kata-analyze b 5 {key} false").lower()
        assert talk.fails(f"kata-analyze b 5 {key} maybe").startswith("syntax error: ")


@pytest.mark.parametrize("spec", ["go:size=5", "phantom:size=5", "pentalath:players=3"])
def test_a_bot_that_thinks_aloud_tells_owners_too(spec: str) -> None:
    bot = "phantom:playouts=200,seconds=9" if spec.startswith("phantom") else None
    talk = Talk(spec, bot=bot)
    board = talk.session.rules.board
    told: list[list[float]] = []
    # A line may rest on games of which as many went one way as the other, on a small board for every point.
    for _ in range(4):
        lines = talk(f"kata-genmove_analyze {mover(talk)} 1 ownership true").strip().split("\n")[:-1]
        told += [[float(word) for word in line.partition(" ownership ")[2].split()] for line in lines]
    assert {len(numbers) for numbers in told} == {board.width * board.height}
    assert any(map(any, told))


def test_a_bot_that_has_searched_nothing_yet_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    generate = live._generate

    def wait_and_generate(session: Session, request: AnalysisRequest, on_progress: OnProgress, **how: bool) -> str:
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            on_progress(lambda: NO_RESULT)
        return generate(session, request, on_progress, **how)

    monkeypatch.setattr(live, "_generate", wait_and_generate)
    talk = Talk("go:size=5", bot="mcts:playouts=100")
    *told, move = talk("kata-genmove_analyze b 1 ownership true").strip("\n").split("\n")
    assert told
    assert all(line.startswith("info move ") for line in told)
    assert move.startswith("play ")


def test_owners_of_positions_that_allow_no_move_that_was_looked_at_are_nobody() -> None:
    from gtp_variants.ai.mcts.result import SearchResult
    from gtp_variants.players.thinking.ownership import OwnershipEstimate
    from gtp_variants.rules import parse

    rules = parse("go:size=3")
    owners = OwnershipEstimate(rules, BLACK)
    found = SearchResult(4, {4: 9}, (0.5, 0.5), (4,), 9, 99)
    owners.sample(Game(rules, {4: WHITE, 0: BLACK}, BLACK).position, found)
    assert owners.shares(found) == [0.0] * 9
    assert owners.after(found, 4) is None
    owners.sample(rules.start(), found)
    assert any(owners.shares(found))


@pytest.mark.slow
def test_each_move_has_owners_of_its_own() -> None:
    talk = Talk("go:size=5")
    slices = iter(range(60))
    talk.session.has_pending_command = lambda: next(slices, None) is None
    line = talk("kata-analyze b 60000 minmoves 3 maxmoves 3 movesOwnership true ownership true").strip()
    parts = line.partition(" ownership ")
    assert len(parts[2].split()) == 25
    moves = parts[0].split("info move ")[1:]
    assert len(moves) == 3
    for number, move in enumerate(moves):
        vertex = move.split()[0]
        numbers = [float(word) for word in move.partition(" movesOwnership ")[2].split()]
        # Of a move that nobody looked at nothing is known.
        assert len(numbers) == (0 if " visits 0 " in move else 25)
        assert all(-1 <= share <= 1 for share in numbers)
        if number == 0:
            place = (5 - int(vertex[1:])) * 5 + "ABCDE".index(vertex[0])
            assert numbers[place] > 0, "a stone there mostly stays ours"


@pytest.mark.parametrize("spec", EACH)
def test_ownership_is_reported_in_every_game(spec: str) -> None:
    talk = Talk(spec, seed="x")
    numbers = talk("kata-analyze ownership true").partition(" ownership ")[2].split()
    board = talk.session.rules.board
    assert len(numbers) == board.width * board.height
    if len(talk.session.rules.colours) == 2:
        assert "INFLUENCE" in talk("show-ownership")


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=9", "rosette:n=2", "alter-igo:size=4", "pentalath"])
def test_ownership_is_a_number_for_each_cell_of_the_grid(spec: str) -> None:
    talk = Talk(spec, seed="x")
    line = talk("kata-analyze ownership true")
    numbers = line.partition(" ownership ")[2].split()
    board = talk.session.rules.board
    assert len(numbers) == board.width * board.height
    assert all(-1 <= float(number) <= 1 for number in numbers)
    holes = sum(board.at(x, y) is None for x in range(board.width) for y in range(board.height))
    assert numbers.count("0") >= holes


def test_ownership_is_the_players_own_and_begins_at_the_top_left() -> None:
    talk = Talk("go:size=5")
    talk.plays("b:A4 w:E2 b:B4 w:D2 b:B5 w:D1 b:C4 w:C2 b:D4 w:B2 b:E4 w:A2")
    for colour, sign in (("b", 1), ("w", -1)):
        numbers = [
            float(word) for word in talk(f"kata-analyze {colour} ownership true").partition("ership ")[2].split()
        ]
        assert sign * numbers[5] > 0.5
        assert sign * numbers[-5 - 4] < -0.5


@pytest.mark.parametrize("spec", EACH)
@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze", "cgos-genmove_analyze"])
def test_the_reported_move_is_played(spec: str, command: str) -> None:
    talk = Talk(spec, seed="x")
    side = mover(talk)
    *told, last = talk(f"{command} {side} 10" if "cgos" not in command else f"{command} {side}").strip().split("\n")
    word = last.removeprefix("play ")
    assert last.startswith("play ")
    assert talk.state()["last"] == {"colour": side, "vertex": word, "captured": []}
    if spec.startswith("phantom"):
        assert not told, "greedy does not search"
    elif "cgos" in command:
        found = json.loads(told[0])
        assert found["moves"][0]["move"] == word
        assert 0 <= found["winrate"] <= 1
    else:
        assert moves_of("\n".join(told))[0]["move"] == word


def test_after_the_end_there_is_nothing_to_analyse_and_moves_say_who_won() -> None:
    talk = Talk("pentalath")
    talk.plays("w:A1 b:A2 w:B1 b:B2 w:C1 b:C2 w:D1 b:D2 w:E1")
    assert talk.fails("lz-analyze b") == "game over"
    assert talk("lz-genmove_analyze b").strip() == "play resign"
    assert talk("lz-genmove_analyze w").strip() == "play pass"
    assert talk("kata-genmove_analyze").strip() == "play resign", "the side to move, as nobody is named"


def test_in_a_hidden_game_positions_that_agree_with_the_news_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they are is the game's business: here as if all white stones stood on the first line."""
    talk = Talk("phantom:size=5")
    rules: Any = talk.session.rules
    talk.plays("b:C3 w:D4")
    found = moves_of(talk("kata-analyze b 10"))
    assert {move["move"] for move in found} <= set(talk("variant-legal_moves b").split())
    asked: list[int] = []

    def imagined(colour: int) -> list[Any]:
        asked.append(colour)
        return [Game(rules, {0: WHITE, 2: WHITE, point: BLACK}, BLACK).position for point in (7, 12)]

    monkeypatch.setattr(session_search, "positions_of", lambda session, colour: imagined(colour))
    assert "LABEL" in talk("show-win_rates")
    assert {move["move"] for move in moves_of(talk("kata-analyze b 10"))}.isdisjoint({"A1", "C1"})
    assert set(asked) == {BLACK}


def test_contradictory_news_are_not_analysed(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk("phantom:size=5")

    def find_none(odds: Any, rules: Any, view: Any) -> Any:
        raise GameOver("no position was found")

    monkeypatch.setattr("gtp_variants.ai.belief.stone_odds.StoneOdds.worlds", find_none)
    assert talk.fails("lz-analyze b").startswith("cannot analyse: ")


def test_the_analysis_of_a_seat_does_not_depend_on_what_it_cannot_know() -> None:
    """White's stones stand elsewhere, Black hears the same: the same positions are searched."""
    searched = []
    for white in ("E5", "A1"):
        talk = Talk("phantom:size=5")
        talk.plays(f"b:C3 w:{white}")
        legal = {move["move"] for move in moves_of(talk("lz-analyze b minmoves 99"))}
        assert {"E5", "A1"} <= legal
        assert len(talk("kata-analyze b ownership true").partition(" ownership ")[2].split()) == 25
        searched.append([position.stones for position in positions_of(talk.session, BLACK)])
    assert searched[0] == searched[1]
    assert len({*searched[0]}) > 1


def test_a_seat_under_a_referee_is_analysed() -> None:
    talk = Talk("phantom:size=5")
    talk("phantom-seat b")
    assert moves_of(talk("lz-analyze"))
    talk.does("phantom-hear b C3/phantom-hear w ?")
    found = {move["move"] for move in moves_of(talk("kata-analyze b 10 minmoves 99"))}
    assert "C3" not in found
    assert "B2" in found
    assert talk.fails("lz-analyze w") == "under a referee"
    assert talk("kata-genmove_analyze b").strip().rpartition("\n")[2].startswith("play ")


def test_a_won_position_is_reported_as_won() -> None:
    talk = Talk("pentalath")
    talk.plays("w:A1 b:A7 w:B1 b:C7 w:C1 b:E7 w:D1 b:G7")
    best = moves_of(talk("kata-analyze w"))[0]
    assert (best["move"], float(best["winrate"])) == ("E1", 1.0)


# -- a real process ----------------------------------------------------------------------------------------------------


@pytest.fixture
def process() -> Iterator[Process]:
    engine = Process("go:size=9", "--bot", "mcts:playouts=20")
    yield engine
    engine.close()


def test_analysis_continues_until_anything_is_said_and_nothing_said_is_lost(process: Process) -> None:
    for stop in (
        b"protocol_version\n",
        b"\n8 protocol_version\n",
        b"# nothing\nPROTOCOL_VERSION\r\nprotocol_version\r\n",
    ):
        process.send(b"7 lz-analyze b 1\n")
        assert process.until(b"=7 \n") == b"=7 \n"
        for _ in range(3):
            assert process.until(b"\n").startswith(b"info move ")
        process.send(stop)
        rest = process.until(b" 2\n\n")
        assert b"\n\n=" in b"\n" + rest or b"\n\n?" in b"\n" + rest
    process.send(b"1 lz-analyze b 1\n2 play b E5\n3 lz-analyze w 1\n4 genmove w\n5 name\n")
    answers = process.until(b"GTP Variants\n\n").split(b"\n\n")
    assert [answer[:2] for answer in answers if answer] == [b"=1", b"=2", b"=3", b"=4", b"=5"]


def test_analysis_ends_with_the_input(process: Process) -> None:
    process.send(b"kata-analyze 1\n")
    process.until(b"info move ")


def test_the_host_that_speaks_is_not_kept_waiting_until_the_next_report(process: Process) -> None:
    """The engine listens after every 10 ms, and would report after 1000 seconds: `until` does not wait so long."""
    for _ in range(3):
        process.send(b"lz-analyze b 100000\n")
        process.until(b"=")
        process.send(b"name\n")
        process.until(b"GTP Variants\n\n")


def test_gogui_interrupts_a_search_by_a_comment(process: Process) -> None:
    process.send(b"show-search\n")
    time.sleep(0.2)
    process.send(b"# interrupt\nname\n")
    answer = process.until(b"GTP Variants\n\n")
    assert answer.startswith(b"= COLOR #")
    # Any other word does it, too.
    process.send(b"show-search\n")
    time.sleep(0.2)
    process.send(b"name\n")
    assert process.until(b"GTP Variants\n\n").startswith(b"= COLOR #")
    # What was said while nothing could be interrupted interrupts nothing later.
    process.send(b"# interrupt\nshow-win_rates\nname\n")
    assert b"LABEL" in process.until(b"GTP Variants\n\n")


def test_gogui_interrupts_a_bot_that_thinks() -> None:
    """It answers with the best it has found, as GoGui's Interrupt wants it."""
    engine = Process("go:size=9", "--bot", "mcts:seconds=300,stop_early=false")
    begun = time.monotonic()
    for command in (b"genmove b\n", b"reg_genmove w\n", b"lz-genmove_analyze w 5\n", b"cgos-genmove_analyze b\n"):
        engine.send(command)
        time.sleep(0.2)
        engine.send(b"# interrupt\n")
        assert re.search(rb"[A-HJ][1-9]\n\n$", engine.until(b"\n\n")), command
    engine.send(b"showboard\ngenmove b\n# interrupt\nundo\n# interrupt\nname\n")
    assert engine.until(b"GTP Variants\n\n").count(b"=") >= 4
    assert time.monotonic() - begun < 200
    engine.close()


def test_an_interrupt_cancels_a_search_at_whatever_moment_it_comes() -> None:
    """The host speaks between two questions of the engine about what it has said."""
    talk = Talk("go:size=5", bot="mcts:seconds=300,stop_early=false")
    asked: list[int] = []

    def has_spoken() -> bool:
        asked.append(len(asked))
        return len(asked) > 1

    talk.session.has_pending_command = has_spoken
    talk.session.is_interrupted = has_spoken
    assert talk("kata-search_cancellable b") == "cancelled"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "bot"), [("go:size=9", "mcts:seconds=300,stop_early=false"), ("phantom:size=9", "phantom:seconds=300")]
)
def test_a_search_is_cancelled_by_whatever_the_host_says(spec: str, bot: str) -> None:
    engine = Process(spec, "--bot", bot)
    engine.send(b"1 showboard\n")
    board = engine.until(b"\n\n")
    for said in (b"\n", b"# interrupt\n", b"", b"no_such_command\n"):
        engine.send(b"4 kata-search_cancellable b\n" + said + b"5 name\n")
        assert engine.until(b"\n\n") == b"=4 cancelled\n\n"
        engine.until(b"=5 GTP Variants\n\n")
        engine.send(b"6 kata-search_analyze_cancellable b 5\n")
        assert engine.until(b"\n") == b"=6 \n"
        assert engine.until(b"\n").startswith(b"info move ")
        engine.send(said + b"7 name\n")
        assert engine.until(b"\n\n").endswith(b"play cancelled\n\n")
        engine.until(b"=7 GTP Variants\n\n")
    engine.send(b"1 showboard\n")
    assert engine.until(b"\n\n") == board
    # The end of the input says something, too.
    engine.send(b"kata-search_analyze_cancellable w 5\n")
    engine.until(b"info move ")
    engine.close()


def test_gogui_interrupts_the_bot_of_go_fantome() -> None:
    engine = Process("phantom", "--bot", "phantom:seconds=300")
    for command in (b"genmove b\n", b"genmove w\n", b"kata-genmove_analyze b 5\n"):
        engine.send(command)
        time.sleep(0.3)
        engine.send(b"# interrupt\n")
        assert engine.until(b"\n\n").startswith(b"=")
    engine.close()


@pytest.mark.slow
def test_a_thinking_bots_search_is_reported_live() -> None:
    engine = Process("go:size=9", "--bot", "mcts:seconds=300,stop_early=false")
    for command in (b"4 lz-genmove_analyze b 10\n", b"4 kata-genmove_analyze w interval 10 ownership true\n"):
        engine.send(command)
        assert engine.until(b"\n") == b"=4 \n"
        engine.until(b"info move ")
        # The next command does not end it, as with other engines.
        engine.send(b"5 name\n")
        for _ in range(2):
            engine.until(b"\ninfo move ")
        engine.send(b"# interrupt\n")
        assert engine.until(b"\n\n").split(b"\n")[-3].startswith(b"play ")
        assert engine.until(b"\n\n") == b"=5 GTP Variants\n\n"
    engine.close()


def test_a_prior_stays_while_more_positions_are_imagined() -> None:
    engine = Process("phantom:size=5", "--bot", "phantom")
    engine.send(b"play b C3\nplay w B2\n7 kata-analyze b 5\n")
    engine.until(b"=7 \n")
    told: dict[str, set[str]] = {}
    for _ in range(8):
        for move in moves_of(engine.until(b"\n").decode()):
            told.setdefault(move["move"], set()).add(move["prior"])
    engine.send(b"name\n")
    engine.close()
    assert told
    assert all(len(priors) == 1 for priors in told.values())


def test_an_interrupt_ends_an_analysis(process: Process) -> None:
    process.send(b"lz-analyze b 100\n")
    process.until(b"=")
    process.send(b"# interrupt\n")
    process.until(b"\n\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal, nor pipes that break")
@pytest.mark.parametrize("bot", ["mcts:seconds=300", "mcts:seconds=300,threads=2"])
@pytest.mark.parametrize("is_broken", [True, False])
def test_a_host_that_goes_away_while_a_bot_thinks_aloud_ends_it_quietly(
    bot: str, is_broken: bool, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    engine = Process("go:size=9", "--bot", bot, log=log)
    engine.send(b"kata-genmove_analyze b 5\n")
    engine.until(b"info move ")
    if is_broken:
        assert engine.process.stdout is not None
        engine.process.stdout.close()
    else:
        engine.process.send_signal(signal.SIGINT)
    assert engine.process.wait(timeout=60) == 0
    engine.close()
    assert [line for line in log.read_text(encoding="utf-8").splitlines() if " search, " not in line] == []
