"""The encoder: boards one can see, and what holds for every game."""

import pickle
from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.nets.encoding.planes import TURN_PLANES
from tests.boards import begin, drawn, played
from tests.support.specs import ENDLESS, SMALL, two_quick

SPECS = (*SMALL, *ENDLESS)


def shown(rules: gv.Rules, seen: gv.Position | gv.View, plane: str) -> str:
    """A plane as a diagram: its levels as digits, dots for 0."""
    encoder = gv.Encoder(rules)
    levels = encoder.encode_levels(seen)[0][encoder.planes.index(plane)]
    rows, columns = encoder.grid
    picture = [[" "] * columns for _ in range(rows)]
    for (row, column), level in zip(encoder.cells, levels, strict=True):
        picture[row][column] = str(level) if level else "."
    return "\n".join(" ".join(row).rstrip() for row in picture)


def feature(rules: gv.Rules, seen: gv.Position | gv.View, name: str) -> float:
    encoder = gv.Encoder(rules)
    return float(encoder.encode(seen)[1][encoder.globals.index(name)])


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_shapes_scales_and_views(spec: str) -> None:
    rules = gv.parse(spec)
    encoder, points = gv.Encoder(rules), len(rules.board)
    game = gv.random_game(rules, 3, 40)
    for position in game.positions[::5]:
        planes, features = encoder.encode(position)
        levels, _ = encoder.encode_levels(position)
        assert planes.shape == (len(encoder.planes), points)
        assert features.shape == (len(encoder.globals),)
        assert planes.dtype == features.dtype == np.dtype(np.float32)
        assert (levels <= encoder.scales[:, None]).all()
        assert np.array_equal(planes, levels / encoder.scales[:, None].astype(np.float32))
        assert np.isfinite(features).all()
    for colour in rules.colours:
        seat, seen = encoder.encode(rules.view(game.heard(colour), colour)), encoder.encode(game.position)
        assert seat[0].max() <= 1
        assert not rules.is_open or all(np.array_equal(*pair) for pair in zip(seat, seen, strict=True))


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_planes_do_not_depend_on_options_but_for_the_players(spec: str) -> None:
    """One network can therefore serve every option and size of a game."""
    rules = gv.parse(spec)
    usual = gv.Encoder(gv.parse(f"{rules.name}:players={len(rules.colours)}" if rules.max_players > 2 else rules.name))
    encoder = gv.Encoder(rules)
    assert (encoder.planes, encoder.globals) == (usual.planes, usual.globals)
    assert len({*encoder.planes, *encoder.globals}) == len(encoder.planes) + len(encoder.globals)
    assert all(encoder.describe(name) for name in (*encoder.planes, *encoder.globals))


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_every_action_has_its_index(spec: str) -> None:
    rules = gv.parse(spec)
    encoder = gv.Encoder(rules)
    assert list(encoder.actions[: len(rules.board)]) == list(range(len(rules.board)))
    for position in gv.random_game(rules, 5, 60).positions:
        if position.to_play != gv.CHANCE:
            assert set(rules.actions(position)) <= set(encoder.actions)


@pytest.mark.parametrize(("spec", "taps"), [("go:size=5", 9), ("pentalath", 7), ("rosette:n=3", 4), ("go:size=1", 9)])
def test_taps_are_the_neighbours(spec: str, taps: int) -> None:
    rules = gv.parse(spec)
    encoder, board = gv.Encoder(rules), rules.board
    assert encoder.taps.shape == (len(board), taps)
    for point, (itself, *near) in enumerate(encoder.taps.tolist()):
        assert itself == point
        assert {tap for tap in near if tap < len(board)} == {*board.neighbours[point], *board.diagonals[point]}
        for column, tap in enumerate(near, 1):
            if tap < len(board) and taps != 4:
                # The same direction never leads to one point from two.
                assert list(encoder.taps[:, column]).count(tap) == 1


def test_a_table_cannot_be_written_to_and_an_encoder_can_be_sent() -> None:
    encoder = gv.Encoder(gv.parse("pentalath"))
    with pytest.raises(ValueError, match="read-only"):
        encoder.taps[0, 0] = 1
    assert pickle.loads(pickle.dumps(encoder)).planes == encoder.planes


@pytest.mark.parametrize("colour", [0, 3, -1, "x"])
@pytest.mark.parametrize("spec", ["go:size=5", "phantom:size=5", "pentalath"])
def test_a_side_that_nobody_plays_is_refused(spec: str, colour: Any) -> None:
    rules = gv.parse(spec)
    for seen in (rules.start(), rules.view([], gv.BLACK)):
        with pytest.raises(gv.NotationError, match=rf"colour {colour}: expected one of 1, 2, the colours of this game"):
            gv.Encoder(rules).encode(seen, colour)


def test_a_colour_swap_changes_colours_only() -> None:
    """Planes are relative: the same board with colours exchanged and the other side to move looks the same."""
    rules = gv.parse("go:size=5,komi=0")
    encoder = gv.Encoder(rules)
    stones = dict(enumerate(gv.random_game(rules, 4, 18).position.stones))
    setup = {point: colour for point, colour in stones.items() if colour}
    mine = encoder.encode(rules.start(setup, gv.BLACK))
    other = encoder.encode(rules.start({point: 3 - colour for point, colour in setup.items()}, gv.WHITE))
    assert np.array_equal(mine[0], other[0])
    changed = {name for name, a, b in zip(encoder.globals, mine[1], other[1], strict=True) if a != b}
    assert changed == {"black", "white"}


def test_liberties_captures_and_ko() -> None:
    rules = gv.parse("go:size=5,komi=0")
    position = begin(
        rules,
        """
        . . . . .
        . X O . .
        X O . O .
        . X O . .
        . . . . X
        """,
        gv.BLACK,
    )
    assert shown(rules, position, "captures") == drawn(
        """
        . . . . .
        . . . . .
        . . 1 . .
        . . . . .
        . . . . .
        """
    )
    position = played(rules, position, "C3x")
    assert shown(rules, position, "last").count("1") == shown(rules, position, "captured").count("1") == 1
    assert shown(rules, position, "repeats") == drawn(
        """
        . . . . .
        . . . . .
        . 3 . . .
        . . . . .
        . . . . .
        """
    )
    # White is to move, so Black's stones are the other's.
    assert shown(rules, position, "other_1_liberty") == drawn(
        """
        . . . . .
        . . . . .
        . . 1 . .
        . . . . .
        . . . . .
        """
    )
    assert shown(rules, position, "other_2_liberties").count("1") == 1
    assert feature(rules, position, "next_captures") == pytest.approx(1 / 25)
    assert feature(rules, position, "own_turn") == feature(rules, position, "white") == 1


@pytest.mark.parametrize("breaker", [".", "O"])
def test_a_ladder_fails_at_a_stone_on_its_way(breaker: str) -> None:
    rules = gv.parse("go:size=9,komi=0")
    board = f"""
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . {breaker} . . .
        . . . . . . . . .
        . X . . . . . . .
        . X O . . . . . .
        . . X . . . . . .
        . . . . . . . . .
        """
    position = begin(rules, board, gv.BLACK)
    found = [shown(rules, position, name) for name in ("laddered", "ladder_moves")]
    assert [picture.count("1") for picture in found] == ([1, 1] if breaker == "." else [0, 0])
    # The stone on C3, and D3.
    assert [picture.splitlines()[6].find("1") for picture in found] == ([4, 6] if breaker == "." else [-1, -1])
    # White, to move, has no chain of Black's to catch.
    assert "1" not in shown(rules, begin(rules, board, gv.WHITE), "ladder_moves")


def test_a_chain_in_atari_is_caught_unless_its_step_frees_it() -> None:
    rules = gv.parse("go:size=5,komi=0")
    position = begin(
        rules,
        """
        . . . . .
        . X X . .
        X O O . .
        . X X . .
        X O . . .
        """,
        gv.WHITE,
    )
    # B1 has no way out. B3 steps out to D3, where it has three liberties.
    assert shown(rules, position, "laddered") == drawn(
        """
        . . . . .
        . . . . .
        . . . . .
        . . . . .
        . 1 . . .
        """
    )


def test_runs_of_five() -> None:
    rules = gv.parse("pentalath:board=hexhex5")
    stones = {rules.board.point(vertex): gv.WHITE for vertex in ("A1", "B1", "C1", "D1")}
    position = rules.start(stones, gv.WHITE)
    board = rules.board
    encoder = gv.Encoder(rules)
    levels = dict(zip(encoder.planes, encoder.encode_levels(position)[0], strict=True))
    assert np.flatnonzero(levels["own_five"]).tolist() == [board.point("E1")]
    assert levels["own_run"][board.point("E1")] == levels["own_run"][board.point("A1")] == 4
    assert not levels["next_five"].any()
    seen_by_black = rules.start(stones, gv.BLACK)
    assert np.array_equal(
        encoder.encode_levels(seen_by_black)[0][encoder.planes.index("next_five")], levels["own_five"]
    )


def test_rosettes() -> None:
    rules = gv.parse("rosette:n=2")
    face = rules.board.faces[0]
    position = rules.start(dict.fromkeys(face[:5], gv.BLACK), gv.BLACK)
    encoder = gv.Encoder(rules)
    levels = dict(zip(encoder.planes, encoder.encode_levels(position)[0], strict=True))
    assert [int(levels["own_ring"][point]) for point in face] == [5] * 6
    assert not levels["immune"].any()
    levels = dict(zip(encoder.planes, encoder.encode_levels(rules.play(position, face[5]))[0], strict=True))
    assert np.flatnonzero(levels["immune"]).tolist() == sorted(face)


def test_dice() -> None:
    rules = gv.parse("aleago:size=5,dice=1d3,crystal_ball=true")
    before = rules.start()
    assert feature(rules, before, "chance") == 1
    assert "1" not in shown(rules, before, "open")
    position = played(rules, before, "2 3")
    assert feature(rules, position, "chance") == 0
    assert shown(rules, position, "open") == drawn(
        """
        . . . . .
        . 1 1 1 .
        . 1 . 1 .
        . 1 1 1 .
        . . . . .
        """
    )
    assert shown(rules, position, "next_open").count("1") == 1
    encoder = gv.Encoder(rules)
    odds = encoder.encode(position)[0][encoder.planes.index("odds")]
    assert odds == pytest.approx(1 / 3, abs=1 / 250)
    assert feature(rules, position, "total") == pytest.approx(2 / 3)
    assert feature(rules, position, "next_total") == 1


def test_repetition_that_draws() -> None:
    """On three points in a row the empty board comes back; the third time draws."""
    rules = gv.parse("alter-igo:width=1,height=3")
    position = played(rules, rules.start(), "A1 A3 A2x")
    assert not any(position.stones)
    assert feature(rules, position, "occurrences") == 0.5
    position = played(rules, position, "A1 A3")
    assert "3" in shown(rules, position, "repeats")


def test_a_seat_of_go_fantome() -> None:
    rules = gv.parse("phantom:size=5")
    encoder, game, board = gv.Encoder(rules), gv.Game(rules), rules.board
    centre = board.point("C3")

    def levels(plane: str, colour: int) -> np.ndarray:
        view = rules.view(game.heard(colour), colour)
        levels: np.ndarray = encoder.encode_levels(view)[0][encoder.planes.index(plane)]
        return levels

    # White tries C3, is refused, and goes to B3.
    for vertex in ("C3", "C3", "B3", "E5", "D3", "E4", "C4", "E3"):
        game.play(game.position.mover, board.point(vertex))
    assert game.position.turn == 8
    # It was in the second turn, six turns ago.
    assert np.flatnonzero(levels("refused", gv.WHITE)).tolist() == [centre]
    assert levels("refused", gv.WHITE)[centre] == 17 - 6
    assert not levels("refused", gv.BLACK).any()
    assert not levels("next", gv.WHITE).any()
    white = rules.view(game.heard(gv.WHITE), gv.WHITE)
    assert feature(rules, white, "hidden") == pytest.approx(4 / 25)
    assert feature(rules, white, "heard_1_who") == -1
    assert feature(rules, white, "heard_6_refused") == pytest.approx(1 / 8)
    # White captures there: a refusal says nothing any more.
    game.play(gv.WHITE, board.point("C2"))
    assert not levels("refused", gv.WHITE).any()
    assert levels("taken", gv.WHITE)[centre] == levels("lost", gv.BLACK)[centre] == 16
    assert levels("own_age", gv.WHITE)[board.point("B3")] == 17 - 7
    black = rules.view(game.heard(gv.BLACK), gv.BLACK)
    assert feature(rules, black, "heard_1_captured") == pytest.approx(1 / 8)
    # A position is the referee's board, whole.
    whole = encoder.encode_levels(game.position)[0]
    assert whole[encoder.planes.index("next")].sum() == game.position.stones.count(gv.WHITE)


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_the_last_turns_are_the_same_from_a_position_a_view_and_a_state(spec: str) -> None:
    """A position knows its last five moves and what the last one captured; so nothing else is encoded."""
    rules = gv.parse(spec)
    encoder, game = gv.Encoder(rules), gv.random_game(rules, 5, 40)
    state, before, gone = gv.State(rules, chance="given"), game.positions[0], set[int]()
    placed: list[int] = []
    planes = np.zeros((len(encoder.planes), len(rules.board)), np.uint8)
    features = np.zeros(len(encoder.globals), np.float32)
    names = [name for turn in TURN_PLANES[: 5 if rules.is_open else 1] for name in turn]
    rows = [encoder.planes.index(name) for name in names]
    for number, event in enumerate(game.events):
        after = game.positions[number + 1]
        if game.is_turn(number):
            placed.insert(0, event.action)
            stones = dict(enumerate(zip(before.stones, after.stones, strict=True)))
            gone = {point for point, (was, now) in stones.items() if now == 0 and (was or point == placed[0])}
        before = after
        state.play(event.action)
        state.encode(planes, features)
        heard = gv.Game.replay(rules, game.events[: number + 1]).heard(after.mover)
        seen = encoder.encode_levels(rules.view(heard, after.mover))[0][rows]
        whole = encoder.encode_levels(after)[0][rows]
        moves = [{point} if point >= 0 else set() for point in [*placed, *[-1] * 5]]
        assert [set(np.flatnonzero(row)) for row in whole] == [moves[0], gone, *moves[1:]][: len(rows)], event
        assert np.array_equal(planes[rows], seen)
        # A seat sees of it what it was told.
        assert (seen <= whole).all()
