"""Points that a pass at the end would give away: capturable stones, uncaptured dead stones, and neutral regions."""

from dataclasses import replace

import pytest

import gtp_variants as gv
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.players.thinking.endgame import is_sound
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from tests.boards import begin, setup, vertices

GO = gv.parse("go:size=5,komi=0.5")
ALONE = """
    . . . . .
    X X X X X
    . . . . .
    . . O . .
    . . . . .
"""


class Searching(gv.Seat):
    """A seat whose search has already judged the value of a pass."""

    def must_play(self, view: gv.View) -> bool:
        return False


def after_a_pass(diagram: str, rules: gv.Rules = GO) -> tuple[gv.Endgame, gv.View]:
    """Return Black's endgame and Black's view, after White has passed."""
    table, seat = gv.Table(rules, gv.DiceStream, setup(rules.board, diagram), WHITE), Searching()
    table.seat(BLACK, seat, "seed")
    table.play(WHITE, PASS)
    return gv.Endgame(seat), table.view(BLACK)


@pytest.mark.parametrize(
    ("vertex", "is_good", "why"),
    [
        ("A4", False, "the chain has A5 only"),
        ("C1", True, "the chain has A1 and D2"),
        ("E2", True, "it captures E1"),
        ("D2", True, "the chain has C1 and E2"),
        ("E4", True, "it stands alone, with three liberties"),
    ],
)
def test_a_stone_is_sound_if_it_captures_or_keeps_two_liberties(vertex: str, is_good: bool, why: str) -> None:
    diagram = """
        . O . . .
        . O O . .
        X O . O .
        O O O . .
        . X . X O
    """
    position = begin(GO, diagram, BLACK)
    assert is_sound(GO, position, GO.board.point(vertex)) == is_good, why


SETTLED = """
    X . X X X
    X X . X .
    X X X X X
    X X X X X
    . . . . .
"""
NEUTRAL = """
    . . . . .
    X X X X X
    . . . . .
    O O O O O
    . . . . .
"""
IN_ATARI = """
    . X . . .
    . X X X X
    X X O O O
    . X O . O
    . X O O O
"""


@pytest.mark.parametrize(
    ("diagram", "komi", "wins", "why"),
    [
        (SETTLED, "0.5", True, "everything is Black's"),
        (SETTLED, "30", False, "that is not enough"),
        (NEUTRAL, "-5", False, "the third row is nobody's"),
        (IN_ATARI, "0.5", False, "white stones can be taken"),
    ],
)
def test_a_pass_takes_a_count_that_is_won_and_settled(diagram: str, komi: str, wins: bool, why: str) -> None:
    endgame, view = after_a_pass(diagram, gv.parse(f"go:size=5,komi={komi}"))
    assert endgame.wins_by_passing(view) is wins, why


def test_a_pass_that_ends_nothing_takes_no_count() -> None:
    table, seat = gv.Table(GO, gv.DiceStream, setup(GO.board, SETTLED)), Searching()
    table.seat(BLACK, seat, "seed")
    assert not gv.Endgame(seat).wins_by_passing(table.view(BLACK))
    table.play(BLACK, PASS)
    table.play(WHITE, PASS)
    seat.avoided = [gv.AvoidedMove(BLACK, PASS, 1)]
    assert not gv.Endgame(seat).wins_by_passing(table.view(BLACK)), "the host wants no pass"


def search_result(owner: float) -> gv.SearchResult:
    """Return a search that prefers a pass and gives every point this ownership."""
    return replace(gv.SearchResult(PASS, {}, (0.9, 0.1), (), 1, 1), ownership=(owner,) * len(GO.board))


@pytest.mark.parametrize(
    ("options", "owner", "gains"),
    [("", 0.9, "C1 B2 D2 C3"), (",dead=none", 0.9, "C1 B2 D2 C3"), ("", 0.7, ""), (",dead=agreed", 0.9, "")],
)
def test_dead_stones_that_would_count_are_worth_a_stone_beside_them(options: str, owner: float, gains: str) -> None:
    endgame, view = after_a_pass(ALONE, gv.parse(f"go:size=5{options}"))
    found = endgame.find_gains(view, search_result(owner), NO_LIMIT, has_network=False)
    assert sorted(vertices(GO.board, found).split()) == sorted(gains.split())


@pytest.mark.parametrize(("left_s", "is_looked"), [(4, False), (5, True)])
def test_after_a_network_playouts_judge_what_is_dead_if_there_is_time(left_s: float, is_looked: bool) -> None:
    endgame, view = after_a_pass(ALONE)
    clock = Clock(TimeControl("absolute", 60), left_s)
    assert bool(endgame.find_gains(view, search_result(0.0), clock, has_network=True)) is is_looked


# The third row is neutral, and remains so where no stone has been placed.
DAME = """
    . O . O .
    O O O O O
    . . . . .
    X X X X X
    . X . X .
"""


def winning_search(moves: dict[str, tuple[float, float]]) -> gv.SearchResult:
    """Return a search in which a pass wins by half a point. `moves` gives the share and lead of the other moves."""
    known = {PASS: (1.0, 0.5)} | {GO.board.point(vertex): said for vertex, said in moves.items()}
    return replace(
        gv.SearchResult(PASS, dict.fromkeys(known, 100), (1.0, 0.0), (), 1, 1),
        shares={move: share for move, (share, _) in known.items()},
        scores={move: (lead, 0.0) for move, (_, lead) in known.items()},
        ownership=(0.0,) * len(GO.board),
    )


@pytest.mark.parametrize(
    ("moves", "best", "why"),
    [
        ({}, "A3", "each point between living stones is worth one"),
        ({"E3": (0.98, 1.5), "A3": (1.0, 1.4)}, "E3", "both win alike, and this by more"),
        (dict.fromkeys(("A3", "B3", "C3", "D3", "E3"), (0.9, 5.0)), "", "they lose too often"),
        ({"A1": (1.0, 4.0), "C3": (1.0, 1.5)}, "C3", "one's own eye is never filled"),
    ],
)
def test_a_pass_that_wins_alike_leaves_no_point_between_living_stones(
    moves: dict[str, tuple[float, float]], best: str, why: str
) -> None:
    endgame, view = after_a_pass(DAME)
    ranked = endgame.rank_open_points(view, winning_search(moves), NO_LIMIT, has_network=False)
    assert vertices(GO.board, ranked[:1]) == best, why


# White's stones in the middle have at most two liberties once C3 is filled.
SHARED = """
    O . O X X
    O O O X .
    O O . X X
    O O O X .
    O . O X X
"""


@pytest.mark.parametrize(("moves", "best"), [({}, ""), ({"C3": (1.0, 1.4)}, "C3"), ({"C3": (0.9, 1.4)}, "")])
def test_a_liberty_that_a_group_may_need_is_not_filled_where_no_search_looked(
    moves: dict[str, tuple[float, float]], best: str
) -> None:
    endgame, view = after_a_pass(SHARED)
    ranked = endgame.rank_open_points(view, winning_search(moves), NO_LIMIT, has_network=False)
    assert vertices(GO.board, ranked) == best


OPEN = """
    . O X . .
    . O X . .
    . . . . .
    . O X . .
    . O X . .
"""


@pytest.mark.parametrize(
    ("moves", "best", "why"),
    [
        ({"E3": (0.99, 5.0), "B3": (0.99, 3.0)}, "E3", "an open region is played where most is gained"),
        ({"E3": (0.99, 0.5)}, "", "what gains nothing is not played"),
    ],
)
def test_a_region_that_is_open_is_played_where_the_search_expects_more(
    moves: dict[str, tuple[float, float]], best: str, why: str
) -> None:
    endgame, view = after_a_pass(OPEN)
    ranked = [
        point
        for point in endgame.rank_open_points(view, winning_search(moves), NO_LIMIT, has_network=False)
        if point in winning_search(moves).visits
    ]
    assert vertices(GO.board, ranked[:1]) == best, why


def test_stones_that_can_be_taken_are_taken_and_settled_boards_left_alone() -> None:
    endgame, view = after_a_pass(IN_ATARI)
    assert endgame.rank_open_points(view, winning_search({"D2": (1.0, 9.0)}), NO_LIMIT, has_network=False)
    endgame, view = after_a_pass(SETTLED)
    a_little_more = dict.fromkeys(("A1", "C1", "E1"), (1.0, 2.0))
    assert not endgame.rank_open_points(view, winning_search(a_little_more), NO_LIMIT, has_network=False)


OPEN_BORDER = "b C9 C8 C7 C4 C3 C2 C1 w D9 D8 D7 D4 D3 D2 D1"
NEUTRAL_COLUMN = "b D9 D8 D7 D6 D5 D4 D3 D2 D1 w F9 F8 F7 F6 F5 F4 F3 F2 F1"
CLOSED_BORDER = "b D9 D8 D7 D6 D5 D4 D3 D2 D1 w E9 E8 E7 E6 E5 E4 E3 E2 E1 G5"


@pytest.mark.parametrize(
    ("setup_of", "bot", "passes"),
    [
        (OPEN_BORDER, "mcts:playouts=20000", False),
        (OPEN_BORDER, "phantom:playouts=8000", False),
        (NEUTRAL_COLUMN, "mcts:playouts=8000", False),
        (NEUTRAL_COLUMN, "phantom:playouts=8000", False),
        (CLOSED_BORDER, "mcts:playouts=300", True),
    ],
)
def test_a_bot_that_wins_either_way_does_not_pass_points_away(setup_of: str, bot: str, passes: bool) -> None:
    rules = gv.parse("go:size=9")
    table = gv.Table(rules, gv.DiceStream, _read_setup(rules, setup_of), BLACK)
    player = gv.load_bot(bot)
    table.seat(WHITE, player, seed="1")
    table.play(BLACK, PASS)
    assert (player.choose(table.view(WHITE), NO_LIMIT) == PASS) is passes


def _read_setup(rules: gv.Rules, words: str) -> dict[int, int]:
    stones, colour = {}, BLACK
    for word in words.split():
        if word in "bw":
            colour = {"b": BLACK, "w": WHITE}[word]
        else:
            stones[rules.board.point(word)] = colour
    return stones
