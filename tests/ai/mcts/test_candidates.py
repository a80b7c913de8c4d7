"""A search's figures for each visited move: values without virtual games, bounds, lines and leads."""

from collections.abc import Callable
from dataclasses import replace

import pytest

import gtp_variants as gv
from gtp_variants.ai.mcts.candidates import find_candidates, lower_bound, playable_line, winrate_after, winrate_of
from gtp_variants.ai.mcts.result import NO_RESULT, SearchResult
from tests.boards import begin

# The four black stones have no second eye and White is about to take them: nothing near them is worth what a virtual
# game says.
LOST = """
    X X . O .
    X . O O .
    O O O . .
    O . O . .
    . . O . .
"""


PHANTOM = gv.parse("phantom:size=5")
# Whoever begins and has seen everything.
BEGINNER = PHANTOM.view((), gv.BLACK)


def merge(several: list[SearchResult], view: gv.View = BEGINNER) -> SearchResult:
    return SearchResult.merge(several, PHANTOM, view)


def find(visits: dict[int, int], shares: dict[int, float], **more: object) -> SearchResult:
    return SearchResult(0, visits, (0.5, 0.5), (0,), sum(visits.values()), 0, shares=shares, **more)  # type: ignore[arg-type]


def test_values_at_few_visits_are_those_of_their_playouts() -> None:
    rules = gv.parse("go:size=5")
    position = begin(rules, LOST, gv.BLACK)
    many = gv.search(rules, position, playouts=4000, seed=1)
    assert winrate_of(many) < 0.1
    few = gv.search(rules, position, playouts=60, seed=1)
    visited = [move for move, n in few.visits.items() if n]
    assert set(few.shares) == set(visited)
    assert max(few.shares[move] for move in visited if few.visits[move] >= 3) < 0.4
    assert winrate_after(few, next(move for move in few.visits if not few.visits[move])) == winrate_of(few)


@pytest.mark.parametrize("variant", ["plain", "full"])
def test_shares_lines_and_priors_are_consistent(variant: str) -> None:
    rules = gv.parse("go:size=5")
    early, late = (gv.search(rules, rules.start(), playouts=n, seed=1, variant=variant) for n in (20, 500))
    assert early.priors == late.priors
    assert sum(late.priors.values()) == pytest.approx(1)
    assert set(late.lines) == set(late.shares) == set(late.scores) == {move for move, n in late.visits.items() if n}
    assert winrate_of(late) == pytest.approx(late.values[0])
    for move, line in late.lines.items():
        counts = late.line_visits[move]
        assert (line[0], counts[0], len(counts)) == (move, late.visits[move], len(line))
        assert list(counts) == sorted(counts, reverse=True)


def test_a_lead_is_seen_from_the_side_to_play_and_komi_counts() -> None:
    leads = []
    for komi in (0, 20):
        rules = gv.parse(f"go:size=5,komi={komi}")
        found = gv.search(rules, rules.start(), playouts=300, seed=1)
        assert found.score is not None
        black, white = (find_candidates(rules, found, colour, list(found.visits)) for colour in rules.colours)
        assert [each.lead for each in black] == [-(each.lead or 0) for each in white]
        assert 0 < (black[0].lead_stdev or 0) < 25
        # Few playouts may all end alike.
        assert all(0 <= (each.lead_stdev or 0) < 25 for each in black)
        leads.append(found.score)
    assert leads[0] - leads[1] == pytest.approx(20, abs=4)
    pentalath = gv.parse("pentalath")
    found = gv.search(pentalath, pentalath.start(), playouts=100, seed=1)
    assert (found.score, found.scores, find_candidates(pentalath, found, gv.WHITE, [0])[0].lead) == (None, {}, None)


def test_a_bound_holds_and_comes_nearer_with_visits() -> None:
    bounds = [lower_bound(find({0: n}, {0: 0.6}), 0) for n in (1, 10, 100, 1000, 100_000)]
    assert bounds == sorted(bounds)
    assert 0 <= bounds[0] < 0.2 < bounds[-1] < 0.6
    assert lower_bound(find({0: 10}, {0: 1.0}), 0) < 0.7
    assert lower_bound(find({0: 10}, {0: 0.0}), 0) < 1e-9
    assert lower_bound(find({0: 0}, {}), 0) == 0
    assert lower_bound(find({0: 3}, {0: 0.5}, proved=True), 0) == 1


CRYSTAL_BALL = "aleago:size=4,dice=1d3,crystal_ball=true"


def test_a_line_under_known_dice_is_complete() -> None:
    rules = gv.parse(CRYSTAL_BALL)
    known = replace(find({0: 8}, {0: 0.5}), rules=rules, at=rules.start())
    # The point of the first move is used again, after a stone there was taken.
    line = (0, 1, 15, 4, 0)
    assert playable_line(known, line)[:4] == line[:4]
    assert playable_line(known, (5, 10, 9, 6, 15, gv.PASS)) == (5, 10, 9, 6, 15, gv.PASS)
    twice = (5, 10, 15, 0, 5)
    assert playable_line(known, twice) == twice[:4]


@pytest.mark.parametrize("spec", ["go:size=2", "go:size=2,repetition=ssk", "go:size=3", "aleago:size=2,dice=1d1"])
def test_lines_can_be_played(spec: str) -> None:
    rules = gv.parse(spec)
    seen: list[SearchResult] = []

    def look(so_far: Callable[[], SearchResult]) -> bool:
        seen.append(so_far())
        return True

    found = gv.search(rules, rules.start(), playouts=3000, seed=1, on_progress=look)
    for each in (found, *seen[-1:]):
        for move in find_candidates(rules, each, gv.BLACK, list(each.visits)):
            assert move.line == each.lines.get(move.move, (move.move,))[: len(move.line)]
            assert len(move.line_visits) in (0, len(move.line))
            table = gv.Table(rules, lambda: gv.DiceStream(""))
            for number, action in enumerate(move.line):
                table.play_for_host(rules.colours[number % 2], action)


def test_a_line_ends_where_the_rules_refuse_it() -> None:
    rules = gv.parse("go:size=2")
    line = (0, 3, 1, 2, 0, 1, 0, 3)
    known = replace(find({0: 8}, {0: 0.5}), rules=rules, at=rules.start())
    assert playable_line(known, line) == line[:6]
    assert playable_line(known, line[:3]) == line[:3]
    assert playable_line(known, ()) == ()
    # Nobody knows what was searched.
    assert playable_line(replace(known, at=None), line) == line
    # A ko is taken back: the point has had a stone before the search.
    game = gv.Game(gv.parse("go:size=5"))
    for number, vertex in enumerate("B1 C1 A2 D2 B3 C3 C2 B2".split()):
        game.play((gv.BLACK, gv.WHITE)[number % 2], game.rules.board.point(vertex))
    pass_and_back = (gv.PASS, gv.PASS)
    taking = game.rules.board.point("C2")
    ko = replace(known, rules=game.rules, at=game.position)
    assert playable_line(ko, (game.rules.board.point("E5"), gv.PASS, taking))[-1] == taking
    assert playable_line(ko, (*pass_and_back, taking)) == pass_and_back


def test_searches_that_are_merged_pool_their_scores() -> None:
    one, other = (
        find({0: n}, {0: 1.0}, scores={0: (s, 0.0)}, score=s, score_stdev=0.0, lines={0: line}, line_visits={0: counts})
        for n, s, line, counts in ((10, 5.0, (0, 1), (10, 4)), (30, 1.0, (0, 2), (30, 9)))
    )
    merged = merge([one, other])
    assert merged.scores[0] == pytest.approx((2, 3**0.5))
    assert (merged.score, merged.score_stdev) == merged.scores[0]
    # Both played the first move, one of them went on so.
    assert (merged.lines[0], merged.line_visits[0]) == ((0, 2), (40, 9))
    assert merge([one, other, other]).line_visits[0] == (merge([one, other, other]).visits[0], 18)
    assert merged.principal_variation == (0, 2)
    owned = [replace(one, ownership=(1.0, -1.0)), replace(other, ownership=(0.5, 0.0)), replace(one, ownership=())]
    whole = one.playouts + other.playouts
    expected = ((one.playouts + other.playouts / 2) / whole, -one.playouts / whole)
    assert merge(owned).ownership == pytest.approx(expected)


def test_merged_searches_are_less_sure_than_each() -> None:
    """As they are surer than what comes true where stones are hidden."""
    one = replace(find({0: 10}, {0: 0.9}), values=(0.9, 0.1))
    merged = merge([one, one])
    assert 0.5 < merged.values[0] < 0.85
    assert sum(merged.values) == pytest.approx(1)
    assert merged.shares[0] == pytest.approx(merged.values[0])
    assert merge([replace(one, values=(0.5, 0.5))] * 2).values == pytest.approx((0.5, 0.5))
    assert merge([replace(one, values=(1.0, 0.0))] * 2).values == (1, 0)
    # One search is of one of the positions that there may be: it knows no more than several that agree.
    alone = merge([replace(one, proved=True)])
    assert (alone.values, alone.shares, alone.proved) == (merged.values, merged.shares, None)


def test_more_hidden_stones_lower_the_shown_win_rate() -> None:
    one = replace(find({0: 10}, {0: 0.7}), values=(0.7, 0.3))
    for colour in PHANTOM.colours:
        seat = PHANTOM.colours.index(colour)
        view = replace(PHANTOM.view((), colour), to_play=colour)
        few, many = (merge([one], replace(view, hidden=hidden)) for hidden in (2, 8))
        assert many.values[seat] < few.values[seat] < merge([one], view).values[seat]
        assert many.shares[0] < few.shares[0] < merge([one], view).shares[0]
        assert sum(many.values) == pytest.approx(1)


def test_win_rate_and_shares_agree_for_either_side_to_move() -> None:
    """Shares are those of the side to move, which need not be the seat's."""
    view = replace(BEGINNER, hidden=8)
    own = merge([replace(find({0: 10}, {0: 0.7}), values=(0.7, 0.3))], view)
    assert own.values[0] == pytest.approx(own.shares[0])
    others = merge([replace(find({0: 10}, {0: 0.3}), values=(0.7, 0.3))], replace(view, to_play=gv.WHITE))
    assert others.values[1] == pytest.approx(others.shares[0])
    assert others.values == pytest.approx(own.values)
    higher = others.shift(0, 0.5, is_mover=False)
    assert higher.values[0] > others.values[0]
    assert higher.values[1] == pytest.approx(higher.shares[0])
    assert sum(higher.values) == pytest.approx(1)


def test_merging_no_searches_gives_no_candidates() -> None:
    assert merge([NO_RESULT, NO_RESULT]).values == ()


def test_shares_are_even_without_a_search() -> None:
    nothing = replace(find({0: 0}, {}), values=(0.0, 1.0), playouts=0)
    assert merge([nothing, nothing]).values == (0.5, 0.5)


@pytest.mark.parametrize("power", [0.5, 3.0])
def test_bounds_and_means_are_the_searchs_own_calibrated_like_values(power: float) -> None:
    raw = find({0: 400, 1: 100, 2: 3, 3: 0}, {0: 0.6, 1: 0.5, 2: 0.2})
    told = raw.calibrate(power)
    for move in raw.visits:
        bound = lower_bound(raw, move)
        assert lower_bound(told, move) == pytest.approx(bound**power / (bound**power + (1 - bound) ** power))
        assert lower_bound(told, move) <= winrate_after(told, move)
    mean = winrate_of(raw)
    assert mean == pytest.approx((400 * 0.6 + 100 * 0.5 + 3 * 0.2) / 503)
    assert winrate_of(told) == pytest.approx(mean**power / (mean**power + (1 - mean) ** power))
