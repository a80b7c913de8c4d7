"""KataGo's JSON analysis protocol, as KaTrain and Ogatak speak it: every line is answered, in every game."""

import json
from pathlib import Path

import pytest

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.weight_choice import FOLDER, choose_network, reason_on_every_board
from gtp_variants.base.json_values import Json
from gtp_variants.cli import main
from gtp_variants.gtp.analysis.engine import AnalysisEngine
from gtp_variants.gtp.analysis.query import QueryDefaults
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.boards.board import Board
from tests.gtp.talk import Talk
from tests.support.programs import run
from tests.support.specs import EACH

GO = {"rules": "chinese", "boardXSize": 5, "boardYSize": 5, "moves": [], "maxVisits": 60}


def ask(*queries: Json | str, perspective: int | None = BLACK, cores: int = 1, network: str = "auto") -> list[Json]:
    """All answers to some lines, the end of the input after them."""
    told: list[Json] = []
    engine = AnalysisEngine(told.append, QueryDefaults(50, perspective), network, cores=cores)
    for query in queries:
        engine.take(query if isinstance(query, str) else json.dumps(query))
    engine.close(finishes=True)
    engine.work()
    return told


def answer(**query: object) -> Json:
    """The answer about one turn."""
    (told,) = ask({"id": "x", **GO, **query})
    return told


def policy_at(board: Board, policy: list[float], move: str) -> float:
    """The policy of a move: a list of the cells from the top left, and of the pass at the end."""
    if move == "pass":
        return policy[-1]
    return policy[[point for row in board.rows() for point in row].index(board.point(move))]


def test_a_position_is_answered_with_katagos_fields() -> None:
    told = answer(komi=0.5, includeOwnership=True, includeOwnershipStdev=True, includePolicy=True, includePVVisits=True)
    assert (told["id"], told["turnNumber"], told["isDuringSearch"]) == ("x", 0, False)
    best = told["moveInfos"][0]
    keys = (
        "move visits edgeVisits weight edgeWeight playSelectionValue winrate lcb prior order pv"
        " scoreLead scoreMean scoreSelfplay scoreStdev pvVisits pvEdgeVisits"
    )
    assert set(best) == set(keys.split())
    assert best["move"] == best["pv"][0]
    assert best["move"] in ("C3", "B3", "D3", "C2", "C4")
    assert (len(best["pvVisits"]), best["pvVisits"][0], best["order"]) == (len(best["pv"]), best["visits"], 0)
    assert best["lcb"] < best["winrate"]
    root = told["rootInfo"]
    assert (root["currentPlayer"], root["visits"]) == ("B", 60)
    assert {"winrate", "scoreLead", "scoreStdev"} <= set(root)
    assert len(told["ownership"]) == len(told["ownershipStdev"]) == 25
    assert len(told["policy"]) == 26
    assert sum(told["policy"]) == pytest.approx(1, abs=1e-4)


@pytest.mark.skipif(search_backend(parse("go:size=9")) == "python", reason="networks need the kernel")
def test_a_network_adds_what_it_says_and_what_the_search_compares() -> None:
    query = {
        "id": "x", "rules": "go:size=9", "moves": [["B", "E5"]], "maxVisits": 80,
        "includeNoResultValue": True, "overrideSettings": {"reportAnalysisWinratesAs": "SIDETOMOVE"},
    }  # fmt: skip
    (told,) = ask(query)
    root, moves = told["rootInfo"], told["moveInfos"]
    assert root["weight"] == root["visits"] == sum(each["weight"] for each in moves) == 80
    assert moves[0]["playSelectionValue"] == max(each["visits"] for each in moves)
    assert all(each["edgeWeight"] == each["edgeVisits"] == each["visits"] for each in moves)
    assert all(each["noResultValue"] == 0 for each in moves)
    # The utility counts the winrate from -1 to 1, and the score by at most 0.2.
    mean = sum(each["visits"] * each["utility"] for each in moves) / 80
    assert root["utility"] == pytest.approx(mean, abs=0.1)
    assert all(each["utilityLcb"] < each["utility"] for each in moves)
    talk = Talk("go:size=9")
    talk("play b E5")
    raw = dict(line.split(maxsplit=1) for line in talk("kata-raw-nn").split("\n") if " " in line.strip())
    assert root["rawWinrate"] == pytest.approx(float(raw["whiteWin"]), abs=1e-5)
    assert root["rawLead"] == root["rawScoreSelfplay"] == pytest.approx(float(raw["whiteLead"]), abs=1e-2)
    (black,) = ask({**query, "overrideSettings": {}})
    assert black["rootInfo"]["utility"] == -root["utility"]
    assert black["rootInfo"]["rawWinrate"] == pytest.approx(1 - root["rawWinrate"])


def test_hashes_tell_positions_apart_but_for_symmetry() -> None:
    def hashes(*moves: list[str]) -> tuple[str, str]:
        root = answer(moves=list(moves), maxVisits=1)["rootInfo"]
        return root["thisHash"], root["symHash"]

    (one, sym), (other, other_sym) = hashes(["B", "B2"]), hashes(["B", "D4"])
    assert one != other
    assert sym == other_sym
    assert hashes(["B", "B2"], ["W", "pass"])[0] != one
    # A ko that may not be retaken is another position than the same stones.
    ko = [["B", "B1"], ["W", "C1"], ["B", "A2"], ["W", "D2"], ["B", "B3"], ["W", "C3"], ["B", "C2"], ["W", "B2"]]
    stones = [["B", "B1"], ["W", "C1"], ["B", "A2"], ["W", "D2"], ["B", "B3"], ["W", "C3"], ["W", "B2"]]
    laid = answer(initialStones=stones, initialPlayer="B", maxVisits=1)["rootInfo"]
    assert laid["thisHash"] != hashes(*ko)[0]


@pytest.mark.skipif(search_backend(parse("go:size=9")) == "python", reason="networks need the kernel")
def test_wide_root_noise_spreads_visits() -> None:
    def most(**settings: object) -> int:
        query = {"id": "x", "rules": "go:size=9", "moves": [], "maxVisits": 200, "overrideSettings": settings}
        (told,) = ask(query)
        return max(int(each["visits"]) for each in told["moveInfos"])

    assert most(wideRootNoise=1.0) < most() / 2
    assert most(wideRootNoise=0) == most()


def test_calibration_is_as_in_a_network_or_as_asked() -> None:
    moves = [["B", "E5"], ["W", "pass"], ["B", "C3"], ["W", "pass"]]

    def odds(**settings: float) -> float:
        query = {"id": "x", "rules": "go:size=9", "moves": moves, "maxVisits": 30, "overrideSettings": settings}
        (answer,) = ask(query)
        winrate = answer["rootInfo"]["winrate"]
        return float(winrate / (1 - winrate))

    network = choose_network(parse("go:size=9"), "auto")
    assert network is not None
    power = network.calibration
    assert power > 1
    assert odds(calibration=1) ** power == pytest.approx(odds(), rel=0.01)
    assert odds(calibration=power) == odds()


def test_calibration_without_a_network_is_warned_of() -> None:
    warning, answer = ask({"id": "x", **GO, "maxVisits": 30, "overrideSettings": {"calibration": 2}}, network="none")
    assert warning["field"] == "overrideSettings.calibration"
    assert warning["warning"] == "Has no effect without a network"
    assert answer["rootInfo"]


def test_on_several_cores_as_many_visits_are_made_as_are_asked_for() -> None:
    (told,) = ask({"id": "x", **GO, "maxVisits": 500}, cores=3)
    assert told["rootInfo"]["visits"] == 500
    done = run("analysis", GTP_VARIANTS_CORES="none")
    assert done.returncode == 2
    assert b"GTP_VARIANTS_CORES=none: expected a whole number, 1 to 1024" in done.stderr


def test_several_turns_of_a_game_and_points_that_are_taken() -> None:
    moves = [["B", "C3"], ["W", "D3"]]
    told = ask({"id": "x", **GO, "moves": moves, "analyzeTurns": [0, 1, 2], "includePolicy": True, "maxVisits": 20})
    assert {each["turnNumber"]: each["rootInfo"]["currentPlayer"] for each in told} == {0: "B", 1: "W", 2: "B"}
    last = next(each for each in told if each["turnNumber"] == 2)
    assert [index for index, prior in enumerate(last["policy"]) if prior == -1] == [12, 13]


@pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built")
def test_no_lead_is_larger_than_the_board() -> None:
    """Black's moves fill the eyes of its only chain: all points would be White's, and no network may say more."""
    rows = (".WWWWW.", "WWWWWWW", "WWWWWWW", "BBBWWWW", "B.BWWWW", "BBBWWW.", ".BBWWWW")
    stones = [[row[x], f"{'ABCDEFG'[x]}{7 - y}"] for y, row in enumerate(rows) for x in range(7) if row[x] != "."]
    told = answer(boardXSize=7, boardYSize=7, komi=0.5, initialStones=stones, initialPlayer="B", maxVisits=100)
    leads = {each["move"]: each["scoreLead"] for each in told["moveInfos"]}
    assert {"A1", "B3"} <= set(leads)
    assert min(leads.values()) >= -49.5


def test_win_rates_are_blacks_by_default() -> None:
    game = {"komi": 30.5, "moves": [["B", "C3"]], "maxVisits": 300}
    black = answer(**game)
    side = answer(**game, overrideSettings={"reportAnalysisWinratesAs": "sidetomove"})
    assert answer(**game, overrideSettings={"reportAnalysisWinratesAs": "w"})["rootInfo"] == side["rootInfo"]
    assert black["rootInfo"]["winrate"] < 0.5 < side["rootInfo"]["winrate"]
    assert black["rootInfo"]["scoreLead"] < 0 < side["rootInfo"]["scoreLead"]
    assert black["moveInfos"][0]["lcb"] > black["moveInfos"][0]["winrate"]


@pytest.mark.parametrize("spec", [spec for spec in EACH if not spec.startswith("phantom")])
def test_rules_may_be_a_spec(spec: str) -> None:
    (told,) = ask({"id": "x", "rules": spec, "moves": [], "maxVisits": 30})
    assert told["rootInfo"]["visits"] >= 1
    assert told["moveInfos"]


def test_a_played_stone_fixes_the_throw_of_its_turn() -> None:
    (told,) = ask({"id": "x", "rules": "aleago:size=9", "moves": [["b", "E5"], ["w", "A1"]], "maxVisits": 30})
    assert told["rootInfo"]["currentPlayer"] == "B"


def test_stones_that_stood_there_before_and_who_begins() -> None:
    told = answer(initialStones=[["B", "C3"], ["W", "D3"]], initialPlayer="W")
    assert told["rootInfo"]["currentPlayer"] == "W"
    assert {"C3", "D3"}.isdisjoint(each["move"] for each in told["moveInfos"])


def test_symmetric_moves_are_searched_whether_or_not_pruning_is_asked_for() -> None:
    for asked in (True, False):
        # No warning comes before the answer.
        (told,) = ask({"id": "x", **GO, "overrideSettings": {"rootSymmetryPruning": asked}})
        assert not any("isSymmetryOf" in each for each in told["moveInfos"])


def test_fields_without_effect_are_warned_about() -> None:
    said, _ = ask({"id": "x", **GO, "maxVisits": 2, "moves": [], "rootPolicyTemperature": 1.5})
    assert (said["field"], said["warning"]) == ("rootPolicyTemperature", "Has no effect here")


def test_moves_may_be_columns_and_rows() -> None:
    words, cells = (
        answer(moves=[["B", first], ["W", second]], avoidMoves=[{"player": "B", "moves": [third], "untilDepth": 1}])
        for first, second, third in (("A5", "E1", "C3"), ("(0,0)", "(4, 4)", "(2,2)"))
    )
    assert words == cells
    (refused,) = ask({"id": "x", **GO, "moves": [["B", "(5,0)"]]})
    assert refused["field"] == "moves"


def test_a_record_that_continues_behind_passes_is_analysed() -> None:
    passes = [["W", "pass"], ["B", "pass"], ["W", "pass"], ["B", "pass"]]
    told = ask({
        "id": "x", **GO, "moves": [["B", "C3"], *passes, ["W", "B2"], ["B", "B3"]], "maxVisits": 5,
        "analyzeTurns": [0, 5, 7],
    })  # fmt: skip
    found = {each["turnNumber"]: each for each in told}
    assert not found[5]["moveInfos"]
    assert found[7]["moveInfos"]
    assert found[7]["rootInfo"]["currentPlayer"] == "W"


def test_moves_are_left_out_or_allowed() -> None:
    left = answer(avoidMoves=[{"player": "B", "moves": ["C3", "C4"], "untilDepth": 1}])
    assert {"C3", "C4"}.isdisjoint(each["move"] for each in left["moveInfos"])
    allowed = answer(allowMoves=[{"player": "B", "moves": ["A1", "B1"], "untilDepth": 1}])
    assert {each["move"] for each in allowed["moveInfos"]} <= {"A1", "B1"}


@pytest.mark.parametrize("rules", ["go:size=5", "go:size=7", "alter-igo:size=4", "pentalath"])
def test_the_policy_does_not_depend_on_what_is_left_out(rules: str) -> None:
    query = {"id": "x", "rules": rules, "moves": [], "maxVisits": 3, "includePolicy": True}
    (free,) = ask(query)
    moves, player = [each["move"] for each in free["moveInfos"][:2]], free["rootInfo"]["currentPlayer"]
    for key in ("avoidMoves", "allowMoves"):
        (told,) = ask({**query, key: [{"player": player, "moves": moves, "untilDepth": 1}]})
        assert told["policy"] == free["policy"]
        for each in told["moveInfos"]:
            assert each["prior"] == policy_at(parse(rules).board, told["policy"], each["move"])


def test_a_swap_is_left_out_unless_it_is_allowed() -> None:
    second = {"rules": "pentalath:swap=true", "moves": [["B", "C3"]], "maxVisits": 30}
    for allowed in ("C4", "swap"):
        told, *_ = ask({"id": "x", **second, "allowMoves": [{"player": "W", "moves": [allowed], "untilDepth": 1}]})
        assert [each["move"] for each in told["moveInfos"]] == [allowed], told


def test_a_game_that_is_over_has_no_moves_but_a_winner() -> None:
    told = answer(moves=[["B", "C3"], ["W", "pass"], ["B", "pass"], ["W", "pass"]], komi=0.5)
    assert told["moveInfos"] == []
    assert (told["rootInfo"]["winrate"], told["rootInfo"]["scoreLead"]) == (1.0, 24.5)


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"moves": [["B", "C3"], ["W", "C3"]]}, "moves"),
        ({"moves": [["B"]]}, "moves"),
        ({"moves": "C3"}, "moves"),
        ({"moves": [["B", "Z9z"]]}, "moves"),
        ({"rules": "mine"}, "rules"),
        ({"rules": "phantom:size=5"}, "rules"),
        ({"rules": 5}, "rules"),
        ({"boardXSize": 26, "boardYSize": 26}, "boardXSize"),
        ({"boardYSize": 99}, "boardYSize"),
        ({"boardXSize": 5.5}, "boardXSize"),
        ({"rules": "aleago", "boardYSize": 7}, "boardXSize"),
        ({"rules": "stone-scoring"}, "rules"),
        ({"komi": 7.25}, "komi"),
        ({"komi": 1000}, "komi"),
        ({"komi": "7.5"}, "komi"),
        ({"overrideSettings": {"reportAnalysisWinratesAs": "FOO"}}, "overrideSettings"),
        ({"analyzeTurns": [1]}, "analyzeTurns"),
        ({"maxVisits": 0}, "maxVisits"),
        ({"maxVisits": "many"}, "maxVisits"),
        ({"maxVisits": 60, "overrideSettings": {"maxTime": -1}}, "maxTime"),
        ({"includePolicy": 3}, "includePolicy"),
        ({"initialPlayer": "R"}, "initialPlayer"),
        ({"initialStones": [["B", "A1"], ["W", "A2"], ["W", "B1"]]}, "initialStones"),
        ({"avoidMoves": [3]}, "avoidMoves"),
        ({"avoidMoves": [{"player": "B", "moves": ["C3", "T19"], "untilDepth": 1}]}, "avoidMoves"),
        ({"allowMoves": [{"player": "B", "moves": ["resign"], "untilDepth": 1}]}, "allowMoves"),
        ({"overrideSettings": {"playoutDoublingAdvantage": 1}}, "overrideSettings"),
        ({"allowMoves": [{"player": "B", "moves": ["(5,0)"], "untilDepth": 1}]}, "allowMoves"),
        ({"allowMoves": [{"player": "B", "moves": [], "untilDepth": 1}]}, "allowMoves"),
        ({"allowMoves": [{"player": "B", "moves": ["A1"]}, {"player": "B", "moves": ["B1"]}]}, "allowMoves"),
        ({"allowMoves": [{"player": "B", "moves": ["A1"]}], "avoidMoves": []}, "allowMoves"),
        ({"initialStones": [["B", "A1"]], "allowMoves": [{"player": "B", "moves": ["A1"]}]}, "allowMoves"),
        ({"rules": "aleago:size=5", "allowMoves": [{"player": "B", "moves": []}]}, "allowMoves"),
        ({"action": "dance"}, "action"),
        ({"action": "terminate"}, "terminateId"),
        ({"action": "terminate", "terminateId": "x", "turnNumbers": "x"}, "turnNumbers"),
        ({"action": "terminate_all", "turnNumbers": [1.5]}, "turnNumbers"),
    ],
)
def test_an_invalid_query_is_refused_with_its_field(wrong: Json, where: str) -> None:
    (told,) = ask({"id": "x", **GO, **wrong})
    assert (told["id"], told["field"]) == ("x", where), told
    assert told["error"]


def test_a_move_that_the_rules_forbid_is_told_with_them_where_a_query_asks_for_others() -> None:
    moves = [["B", "B1"], ["W", "E5"], ["B", "A2"], ["W", "A1"]]
    (told,) = ask({"id": "x", "rules": "tromp-taylor", "komi": 0, "boardXSize": 5, "boardYSize": 5, "moves": moves})
    assert told["field"] == "moves"
    why = "(suicide): a stone on A1 would have no liberty, by the rules of go:size=5,komi=0,suicide=true"
    assert told["error"] == f"Illegal move 3: {why}"


def test_repetition_and_suicide_of_several_stones_in_the_moves_are_analysed() -> None:
    """KataGo's analysis engine plays `moves` by `makeBoardMoveTolerant`."""
    ko = "B B1 W C1 B A2 W D2 B B3 W C3 B C2 W B2 B C2"
    suicide = "B B1 W A1 B B2 W E5 B A3 W A2"
    for text, last in ((ko, "C2"), (suicide, "A1")):
        words = text.split()
        moves = [list(pair) for pair in zip(words[::2], words[1::2], strict=True)]
        told = answer(moves=moves, includePolicy=True)
        board = parse("go:size=5").board
        assert (told["turnNumber"], "error" in told) == (len(moves), False)
        # The point of the retaken stone is not empty, that of a stone which its player killed is.
        assert (policy_at(board, told["policy"], last) < 0) == (last == "C2")


@pytest.mark.parametrize(("told", "missing"), [("boardXSize", "boardYSize"), ("boardYSize", "boardXSize")])
def test_a_board_of_which_one_size_is_missing_is_refused_with_that(told: str, missing: str) -> None:
    (refused,) = ask({"id": "x", "rules": "chinese", "moves": [], told: 9})
    assert refused["field"] == missing
    (known,) = ask({"id": "x", "rules": "go:size=5", "moves": [], "maxVisits": 2, told: 5})
    assert known["rootInfo"]["visits"] == 2


def test_terminating_an_unknown_query_has_no_effect() -> None:
    refused, told = ask({"id": "x", **GO}, {"id": "t", "action": "terminate", "terminateId": "x", "turnNumbers": "x"})
    assert (refused["id"], refused["field"]) == ("t", "turnNumbers")
    assert told["rootInfo"]["visits"] == 60


@pytest.mark.parametrize(
    ("stones", "player"),
    [("B:B2", "B"), ("B:B2 B:D4", "W"), ("B:B2 B:D4 W:C3", "B"), ("W:B2 W:D4", "B"), ("", "B")],
)
def test_white_begins_after_handicap_stones_unless_the_query_says_who(stones: str, player: str) -> None:
    game = {"initialStones": [each.split(":") for each in stones.split()], "whiteHandicapBonus": "0", "maxVisits": 2}
    assert answer(**game)["rootInfo"]["currentPlayer"] == player
    assert answer(**game, initialPlayer="B")["rootInfo"]["currentPlayer"] == "B"
    assert answer(**game, moves=[["B", "A1"]])["rootInfo"]["currentPlayer"] == "W"


def test_visits_may_be_limited_by_the_settings_unless_the_query_says_itself() -> None:
    game = {key: value for key, value in GO.items() if key != "maxVisits"}
    (by_settings,) = ask({"id": "x", **game, "overrideSettings": {"maxVisits": 3}})
    (by_itself,) = ask({"id": "x", **game, "maxVisits": 7, "overrideSettings": {"maxVisits": 3}})
    assert (by_settings["rootInfo"]["visits"], by_itself["rootInfo"]["visits"]) == (3, 7)


def test_lines_that_are_no_queries_and_queries_that_can_be_answered_in_part() -> None:
    assert set(ask("nonsense")[0]) == {"error"}
    assert set(ask("[]")[0]) == {"error"}
    assert ask("", "  ") == []
    *warnings, told = ask({"id": "x", **GO, "rules": "japanese", "colour": 1})
    assert {each["field"] for each in warnings} == {"colour"}
    assert all(each["id"] == "x" and each["warning"] for each in warnings)
    assert told["moveInfos"]


def test_actions_are_echoed_and_a_query_that_is_ended_is_answered_too() -> None:
    version, models, cleared = ask(
        *({"id": "v", "action": action} for action in ("query_version", "query_models", "clear_cache"))
    )
    assert (version["action"], version["version"][0].isdigit()) == ("query_version", True)
    stems = ("go", "go-komi", "go-komi-self", "go-large", "go-large-self", "go-self", "pentalath-3")
    every = {f"{stem}.safetensors" for stem in stems}
    judging = set() if reason_on_every_board(parse("go")) else every
    named = {each["name"] for each in models["models"]}
    assert judging <= named if judging else not named
    assert not any("hidden" in name for name in named)
    assert cleared == {"id": "v", "action": "clear_cache"}
    ended = {"id": "t", "action": "terminate", "terminateId": "x"}
    told = ask({"id": "x", **GO, "maxVisits": 10**9}, {"id": "y", **GO}, ended)
    assert told[0] == ended
    assert told[1] == {"id": "x", "isDuringSearch": False, "noResults": True, "turnNumber": 0}
    assert told[2]["id"] == "y"


@pytest.mark.parametrize(("network", "names"), [("none", []), (str(FOLDER / "go.safetensors"), ["go.safetensors"])])
def test_the_chosen_network_is_the_only_model(network: str, names: list[str]) -> None:
    told: list[Json] = []
    AnalysisEngine(told.append, QueryDefaults(), network).take('{"id": "m", "action": "query_models"}')
    assert [each["name"] for each in told[0]["models"]] == names
    keys = {"name", "internalName", "maxBatchSize", "usesHumanSLProfile", "version", "usingFP16"}
    assert all(set(each) == keys for each in told[0]["models"])


def test_the_urgent_come_first_and_an_endless_search_stops_nobody() -> None:
    told: list[Json] = []

    def tell(answer: Json) -> None:
        told.append(answer)
        if answer["id"] == "last":
            engine.take('{"id": "t", "action": "terminate_all"}')

    engine = AnalysisEngine(tell, QueryDefaults())
    for query in (
        {"id": "endless", **GO, "maxVisits": 10**9, "reportDuringSearchEvery": 0.001},
        {"id": "last", **GO, "priority": -1},
        {"id": "first", **GO, "priority": 5, "maxVisits": 5},
    ):
        engine.take(json.dumps(query))
    engine.close(finishes=True)
    engine.work()
    final = [each["id"] for each in told if not each.get("isDuringSearch", True)]
    assert (final[0], final[-1]) == ("first", "endless")
    assert any(each["isDuringSearch"] for each in told if each["id"] == "endless" and "isDuringSearch" in each)


def test_time_ends_with_the_input_and_visits_are_searched_to_the_end() -> None:
    told: list[Json] = []
    engine = AnalysisEngine(told.append, QueryDefaults())
    minute = {"maxVisits": 10**9, "overrideSettings": {"maxTime": 60}}
    for query in ({"id": "time", **GO, **minute}, {"id": "visits", **GO}):
        engine.take(json.dumps(query))
    engine.close(finishes=True)
    engine.work()
    visits = {each["id"]: each["rootInfo"]["visits"] for each in told}
    assert visits["visits"] == GO["maxVisits"]
    # A slice of 10 ms, not a minute.
    assert 0 < visits["time"] < 100_000


def test_a_process_starts_as_katrain_and_ogatak_start_it() -> None:
    noise = b"\n\xff\n" + b"[" * 200_000 + b"\n"
    # Some programs begin a text with a byte order mark.
    lines = b'\xef\xbb\xbf{"id":"v","action":"query_version"}' + noise + json.dumps({"id": "x", **GO}).encode() + b"\n"
    done = run("analysis", "-config", "a.cfg", "-model", "b.bin.gz", sent=lines)
    assert done.returncode == 0
    assert b"ready to begin handling requests" in done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each.get("id") for each in told} == {"v", "x", None}


def policy_with(network: str, **query: object) -> list[float]:
    told: list[Json] = []
    engine = AnalysisEngine(told.append, QueryDefaults(50, BLACK), network)
    engine.take(json.dumps({"id": "x", **GO, "includePolicy": True, **query}))
    engine.close(finishes=True)
    engine.work()
    (answered,) = told
    return answered.get("policy") or [str(answered.get("error"))]


@pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built")
def test_a_network_of_the_users_judges() -> None:
    file = str(FOLDER / "go.safetensors")
    assert policy_with(file) != policy_with("none")
    # It is for one game, and a query of another is refused with both named.
    (fault,) = policy_with(file, rules="pentalath", boardXSize=13, boardYSize=13)
    assert "pentalath" in str(fault)
    assert "go" in str(fault)


def test_a_file_that_is_no_network_ends_the_command_at_once(tmp_path: Path) -> None:
    (tmp_path / "no.safetensors").write_text("no")
    assert main(["analysis", "--net", str(tmp_path / "no.safetensors")]) == 2


@pytest.mark.slow
def test_katagos_option_says_how_many_positions_are_searched_at_once() -> None:
    told: list[Json] = []
    engine = AnalysisEngine(told.append, QueryDefaults(), at_once=1)
    for name in ("long", "short"):
        engine.take(json.dumps({"id": name, **GO, "maxVisits": 20_000 if name == "long" else 1}))
    engine.close(finishes=True)
    engine.work()
    assert [each["id"] for each in told] == ["long", "short"]
    for option in ("-analysis-threads", "--analysis-threads"):
        assert run("analysis", option, "3").returncode == 0
    assert b"-analysis-threads: expected 1 to 16384, not '0'" in run("analysis", "-analysis-threads", "0").stderr


def test_turns_are_answered_in_the_order_of_their_priorities() -> None:
    moves = [["B", "C3"], ["W", "D3"]]
    one_by_one: list[Json] = []
    engine = AnalysisEngine(one_by_one.append, QueryDefaults(), at_once=1)
    game = {"id": "x", **GO, "moves": moves, "maxVisits": 2}
    engine.take(json.dumps({**game, "analyzeTurns": [0, 1, 2], "priorities": [1, 3, 2]}))
    engine.take(json.dumps({**game, "id": "less", "priority": -5}))
    engine.take(json.dumps({**game, "id": "more", "priority": 5}))
    engine.close(finishes=True)
    engine.work()
    said = [(each["id"], each["turnNumber"]) for each in one_by_one]
    assert said == [("more", 2), ("x", 1), ("x", 2), ("x", 0), ("less", 2)]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"analyzeTurns": [0], "priorities": [1, 2]}, "priorities"),
        ({"analyzeTurns": [0], "priorities": []}, "priorities"),
        ({"analyzeTurns": [0], "priorities": ["1"]}, "priorities"),
        ({"analyzeTurns": [0], "priorities": [2**63]}, "priorities"),
        ({"analyzeTurns": [0], "priorities": 1}, "priorities"),
        ({"priorities": [1]}, "priorities"),
        ({"analyzeTurns": [0], "priorities": [1], "priority": 1}, "priority"),
    ],
)
def test_invalid_priorities_are_refused(asked: Json, named: str) -> None:
    (refused,) = ask({"id": "x", **GO, **asked})
    assert refused["field"] == named


def test_a_line_has_its_first_move_and_as_many_as_are_asked_for() -> None:
    told = answer(maxVisits=200, analysisPVLen=1, includePVVisits=True)
    assert len(told["moveInfos"][0]["pv"]) == len(told["moveInfos"][0]["pvVisits"]) == 2


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"analysisPVLen": 0}, "analysisPVLen"),
        ({"analysisPVLen": 1001}, "analysisPVLen"),
        ({"whiteHandicapBonus": 0}, "whiteHandicapBonus"),
        ({"whiteHandicapBonus": "N+1"}, "whiteHandicapBonus"),
        ({"rules": {"ko": "TRIPLE"}}, "rules"),
        ({"rules": {"scoring": "POINTS"}}, "rules"),
        ({"rules": {"tax": "SOME"}}, "rules"),
        ({"rules": {"suicide": 0}}, "rules"),
        ({"rules": {"friendlyPassOk": "yes"}}, "rules"),
    ],
)
def test_values_that_katago_does_not_know_are_refused(asked: Json, named: str) -> None:
    (refused,) = ask({"id": "x", **GO, "rules": "aga", **asked})
    assert refused["field"] == named
