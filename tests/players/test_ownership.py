"""Ownership of points: from a search's network if possible, otherwise from playouts, and the same in all protocols."""

import json
import pickle
from pathlib import Path
from random import Random

import pytest

import gtp_variants as gv
from gtp_variants.ai.backend import load_native
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.nets import weight_choice
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.raw_evaluation import evaluate_position
from gtp_variants.ai.nets.weight_choice import instruction_set
from gtp_variants.base.json_values import Json
from gtp_variants.gtp.analysis.engine import AnalysisEngine
from gtp_variants.gtp.analysis.query import QueryDefaults
from gtp_variants.gtp.engine.session_search import search_of
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.players.thinking.sliced_search import PositionSearch, ViewSearch
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.site.page.advice import analysis
from tests.ai.nets.networks import random_network
from tests.gtp.talk import Talk

if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("the native kernel was not built", allow_module_level=True)

GO, SMALL = gv.parse("go:size=9"), gv.parse("go:size=5")
# Black's wall is on column D, White's on F, and stones behind each wall leave two eyes.
WALLS = [
    *(f"{colour}:{column}{row}" for row in range(1, 10) for colour, column in (("b", "D"), ("w", "F"))),
    *"b:C3 w:G3 b:B6 w:H6 b:C7 w:G7 b:B2 w:H2".split(),
]
BLACKS, WHITES = ("A1", "B8", "D5"), ("J1", "H8", "F5")


@pytest.fixture(params=["network", "playouts"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Let positions be judged by the package's network on any processor, or by playouts because weights are missing."""
    monkeypatch.setattr(weight_choice, "_FAST_ENOUGH", (instruction_set(),))
    if request.param == "playouts":
        monkeypatch.setattr(weight_choice, "FOLDER", tmp_path)
    return str(request.param)


def walls() -> gv.Game:
    game = gv.Game(GO)
    for move in WALLS:
        game.play(BLACK if move[0] == "b" else WHITE, GO.board.point(move[2:]))
    return game


def search_small(seed: int = 3, playouts: int = 200, at: gv.Position | None = None) -> SearchResult:
    network = random_network(Encoder(SMALL), seed, 16, 2)
    return gv.search(SMALL, at or SMALL.start(), playouts=playouts, seed=1, network=network)


@pytest.mark.parametrize(("bot", "judges"), [("", True), ("phantom:net=none", False), ("phantom:variant=plain", False)])
def test_hidden_stones_are_analysed_with_the_network_that_the_bot_plays_with(
    bot: str, judges: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weight_choice, "_FAST_ENOUGH", (instruction_set(),))
    talk = Talk("phantom:size=9", bot=bot)
    talk.plays("b:E5 w:E6 b:D4 w:C3")
    # Ownership is known only for leaves that were judged by a network.
    assert bool(search_of(talk.session, BLACK).run_slice().leaf_owners) is judges


@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_walled_areas_have_certain_owners(kind: str, colour: int) -> None:
    game = walls()
    search, owners = PositionSearch(GO, game.position), OwnershipEstimate(GO, colour)
    for _ in range(20):
        found = search.run_slice()
        owners.sample(game.position, found)
    shares, spread = owners.shares(found), owners.spread(found)
    sign = 1 if colour == BLACK else -1
    assert all(sign * shares[GO.board.point(vertex)] > 0.5 for vertex in BLACKS)
    assert all(sign * shares[GO.board.point(vertex)] < -0.5 for vertex in WHITES)
    assert all(-1 <= share <= 1 for share in shares)
    assert all(0 <= deviation <= 1 for deviation in spread)
    assert bool(found.leaf_owners) == (kind == "network")
    if kind == "network":
        assert shares == pytest.approx([sign * owner for owner in found.ownership])
        # All leaves agree about the walls; the points between them belong to whoever plays there.
        assert spread[GO.board.point("D5")] < 0.2 < spread[GO.board.point("E5")]


def test_a_search_without_a_network_knows_owners_of_no_leaves() -> None:
    found = gv.search(SMALL, SMALL.start(), playouts=50, seed=1, network="none")
    assert found.ownership
    assert found.leaf_owners == {}


def test_the_leaves_under_all_moves_and_the_root_are_all_leaves() -> None:
    found = search_small(4)
    everything = found.leaf_owners[None]
    under = {move: each for move, each in found.leaf_owners.items() if move is not None}
    assert {move: each.count for move, each in under.items()} == {m: n for m, n in found.visits.items() if n}
    assert everything.count == sum(each.count for each in under.values()) + 1
    root = evaluate_position(random_network(Encoder(SMALL), 4, 16, 2), SMALL, SMALL.start()).ownership
    sums = zip(everything.sums, *(each.sums for each in under.values()), strict=True)
    assert [whole - sum(parts) for whole, *parts in sums] == pytest.approx(root)
    squares = zip(everything.squares, *(each.squares for each in under.values()), strict=True)
    assert [whole - sum(parts) for whole, *parts in squares] == pytest.approx([owner**2 for owner in root])


def test_owners_are_those_of_the_position_that_is_searched() -> None:
    thinker = gv.Thinker(SMALL, seed=1, network=random_network(Encoder(SMALL), 4, 16, 2))
    game = gv.Game(SMALL)
    first = thinker.think(game.position, playouts=100)
    # Searching the same position again adds to the earlier result.
    found = thinker.think(game.position, playouts=100)
    assert (first.leaf_owners[None].count, found.leaf_owners[None].count) == (101, 201)
    game.play(BLACK, found.action)
    after = thinker.think(game.position, playouts=50)
    assert sum(after.visits.values()) > 50
    assert after.leaf_owners[None].count == 50
    assert first.leaf_owners[None].count == 101


def test_a_result_can_be_sent_to_another_process() -> None:
    found = search_small()
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.leaf_owners[None].sums == found.leaf_owners[None].sums


def test_after_a_pass_that_ends_the_game_playouts_say_who_owns_what() -> None:
    game = gv.Game(SMALL)
    for move in (12, PASS):
        game.play(game.position.to_play, move)
    found = search_small(at=game.position)
    assert found.visits[PASS]
    assert PASS not in found.leaf_owners
    owners = OwnershipEstimate(SMALL, WHITE)
    assert owners.after(found, PASS) is None
    owners.sample(game.position, found)
    shares, spread = owners.after(found, PASS), owners.spread_after(found, PASS)
    assert shares is not None
    assert spread is not None
    assert shares[12] < 0
    assert all(0 <= deviation <= 1 for deviation in spread)
    # No playouts were made after the other moves.
    best = max(found.visits, key=lambda move: found.visits[move] if move in found.leaf_owners else 0)
    told = found.leaf_owners[best]
    assert owners.after(found, best) == [-total / told.count for total in told.sums]
    assert owners.shares(found) == pytest.approx([-owner for owner in found.ownership])


def test_searches_of_imagined_positions_are_pooled() -> None:
    one, other = (search_small(seed, playouts) for seed, playouts in ((3, 50), (4, 150)))
    view = SMALL.view((), BLACK)
    merged = SearchResult.merge([one, other], SMALL, view)
    both = merged.leaf_owners[None]
    assert both.count == one.leaf_owners[None].count + other.leaf_owners[None].count
    for name in ("sums", "squares"):
        parts = (getattr(found.leaf_owners[None], name) for found in (one, other))
        assert getattr(both, name) == pytest.approx([sum(of_one) for of_one in zip(*parts, strict=True)])
    assert set(merged.leaf_owners) == {*one.leaf_owners, *other.leaf_owners}
    assert OwnershipEstimate(SMALL, BLACK).shares(merged) == pytest.approx(merged.ownership, abs=0.02)
    assert (
        SearchResult.merge([merged, one], SMALL, view).leaf_owners[None].count
        == both.count + one.leaf_owners[None].count
    )


def test_ownership_with_hidden_stones_averages_imagined_positions(kind: str) -> None:
    rules = gv.parse("phantom:size=9")
    rng, positions = Random(1), []
    for _ in range(3):
        game = gv.Game(rules)
        for vertex in ("D3", "F3", "D5", "F5", "D7", "F7", "C4", rng.choice(["G6", "G4", "G8"])):
            game.play(game.position.to_play, rules.board.point(vertex))
        positions.append(game.position)
    search, owners = ViewSearch(rules, rules.view((), BLACK), positions), OwnershipEstimate(rules, BLACK)
    for _ in range(12):
        found = search.run_slice()
        owners.sample(search.position, found)
    assert bool(found.leaf_owners) == (kind == "network")
    shares = owners.shares(found)
    assert shares[rules.board.point("D5")] > 0 > shares[rules.board.point("F5")]
    assert all(0 <= deviation <= 1 for deviation in owners.spread(found))


# -- in protocols and on the page --------------------------------------------------------------------------------------


def gtp_owners(colour: str, key: str) -> list[float]:
    talk = Talk("go:size=9")
    talk.plays(" ".join(WALLS))
    slices = iter(range(40))
    talk.session.has_pending_command = lambda: next(slices, None) is None
    line = talk(f"kata-analyze {colour} 60000 {key} true").strip()
    return [float(word) for word in line.partition(f" {key} ")[2].partition(" info ")[0].split()]


def json_answer(perspective: int | None, moves: list[str] = WALLS, visits: int = 300) -> Json:
    told: list[Json] = []
    engine = AnalysisEngine(told.append, QueryDefaults(50, perspective))
    played = [[move[0].upper(), move[2:]] for move in moves]
    asked = {"id": "x", "rules": "chinese", "boardXSize": 9, "boardYSize": 9, "moves": played, "maxVisits": visits}
    keys = ("includeOwnership", "includeOwnershipStdev", "includeMovesOwnership", "includeMovesOwnershipStdev")
    engine.take(json.dumps(asked | dict.fromkeys(keys, True)))
    engine.close(finishes=True)
    engine.work()
    return told[0]


def cell(vertex: str) -> int:
    """Return the index of a vertex in a grid that begins at the top left."""
    x, y = GO.board.cells[GO.board.point(vertex)]
    return int((8 - y) * 9 + x)


def mean(shares: list[float], vertices: tuple[str, ...]) -> float:
    return sum(shares[cell(vertex)] for vertex in vertices) / len(vertices)


@pytest.mark.slow
def test_json_tells_owners_from_whose_side_it_is_asked(kind: str) -> None:
    # In the first position Black is to move, in the second White.
    for moves, black_moves in ((WALLS, True), ([*WALLS, "b:E5"], False)):
        for perspective, sign in ((BLACK, 1), (WHITE, -1), (None, 1 if black_moves else -1)):
            # These numbers of visits take equally long; with playouts, ownership is sampled in every fourth slice.
            told = json_answer(perspective, moves, 300 if kind == "network" else 5000)
            # There may be few playouts for a single move.
            for shares in [told["ownership"], *[told["moveInfos"][0]["ownership"]] * (kind == "network")]:
                assert sign * mean(shares, BLACKS) > 0.3
                assert sign * mean(shares, WHITES) < -0.3
            for spread in (told["ownershipStdev"], told["moveInfos"][0]["ownershipStdev"]):
                assert len(spread) == 81
                assert all(0 <= deviation <= 1 for deviation in spread)


@pytest.mark.slow
def test_gtp_and_json_tell_the_same_owners(kind: str) -> None:
    for colour, perspective in (("b", BLACK), ("w", WHITE)):
        # In GTP either side may be to move. This affects which moves are searched, but not who owns the walls.
        told = json_answer(perspective, visits=300 if kind == "network" else 5000)["ownership"]
        gtp = gtp_owners(colour, "ownership")
        assert len(gtp) == len(told) == 81
        for vertices in (BLACKS, WHITES):
            assert mean(gtp, vertices) == pytest.approx(mean(told, vertices), abs=0.2 if kind == "network" else 0.5)
    if kind == "network":
        best, by_move = json_answer(BLACK)["moveInfos"][0]["ownership"], gtp_owners("b", "movesOwnership")
        assert len(by_move) == 81
        for vertices in (BLACKS, WHITES):
            assert mean(by_move, vertices) == pytest.approx(mean(best, vertices), abs=0.2)


def test_the_page_and_gogui_show_what_the_search_knows(kind: str) -> None:
    owners = analysis(GO, walls().position)["owners"]
    talk = Talk("go:size=9")
    talk.plays(" ".join(WALLS))
    words = talk("show-ownership").split("\n")[0].split()[1:]
    shown = dict(zip(words[::2], map(float, words[1::2]), strict=True))
    for vertices, sign in ((BLACKS, 1), (WHITES, -1)):
        assert sign * sum(owners[vertex] for vertex in vertices) > 1
        assert sign * sum(shown[vertex] for vertex in vertices) > 1


def test_a_bot_that_thinks_aloud_tells_its_own_searchs_owners(kind: str) -> None:
    talk = Talk("go:size=9", bot="mcts:playouts=400,seconds=9")
    talk.plays(" ".join(WALLS))
    for colour, sign in (("b", 1), ("w", -1)):
        line = talk(f"kata-search_analyze {colour} 1 ownership true").strip().split("\n")[-2]
        shares = [float(word) for word in line.partition(" ownership ")[2].split()]
        assert sign * mean(shares, BLACKS) > 0.3
        assert sign * mean(shares, WHITES) < -0.3
        found = talk.session.bot.found
        assert found is None or bool(found.leaf_owners) == (kind == "network")
