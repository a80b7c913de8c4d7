"""The rules compared with an independent implementation of rules.md (reference.py), move by move in random games."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from gtp_variants.errors import IllegalMove
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN, TURN
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import faces_of
from tests.rules.games import reference

COLOURS = ".bwr"


def words(rules: Rules, stones: bytes) -> reference.Stones:
    return {rules.board.vertex(point): COLOURS[colour] for point, colour in enumerate(stones) if colour}


def points(rules: Rules, actions: Any) -> set[str]:
    return {rules.board.vertex(action) for action in actions if action >= 0}


def refused(rules: Rules, position: Any, vertex: str) -> str:
    """Return the reason for which a stone is refused."""
    with pytest.raises(IllegalMove) as caught:
        rules.play(position, rules.board.point(vertex))
    return caught.value.reason


def same_graph(rules: Rules, graph: reference.Graph) -> None:
    """Fail unless the board of the rules equals that of the reference."""
    board = rules.board
    assert {board.vertex(p): board.cells[p] for p in range(len(board))} == graph.where
    for point, near in enumerate(board.neighbours):
        assert {board.vertex(other) for other in near} == graph.near[board.vertex(point)]
    faces = {frozenset(board.vertex(p) for p in face) for face in board.faces}
    assert faces == set(graph.faces)


# -- the Go family -----------------------------------------------------------------------------------------------------

REPETITIONS = ("none", "simple", "psk", "ssk", "nssk")


def compare_go(rules: Rules, fresh: Any, moves: int, seed: int) -> int:
    """Play random moves, passes and turns passed over; return the number of captured stones."""
    rng = Random(seed)
    position, game = rules.start(), fresh()
    same_graph(rules, game.graph)
    captures = 0
    for _ in range(moves):
        legal = game.legal()
        if rules.name == "phantom":
            assert points(rules, rules.actions(position)) == {
                v for v in game.graph.near if game.stones.get(v) != game.mover
            }
        else:
            assert points(rules, rules.actions(position)) == legal
        assert points(rules, rules.legal(position)) == legal
        for vertex in rng.choices(sorted(game.graph.near), k=2):
            why = game.reason(vertex)
            if why and rules.name != "phantom":
                assert refused(rules, position, vertex) == why
        chosen = rng.random()
        if chosen < 0.05:
            colour = rng.choice((1, 2))
            position = rules.play(position, TURN, colour)
            game.turn_to(COLOURS[colour])
        elif chosen < 0.12 or not legal:
            position = rules.play(position, PASS)
            game.pass_turn()
        else:
            vertex = rng.choice(sorted(legal))
            before = len(game.stones)
            position = rules.play(position, rules.board.point(vertex))
            game.place(vertex)
            captures += before + 1 - len(game.stones)
        assert words(rules, position.stones) == game.stones
        assert COLOURS[position.mover] == game.mover
        margin = game.margin() - 7.5
        assert rules.standing(position) == Outcome(1 if margin > 0 else 2, "score", abs(margin))
        if rules.is_final(position):
            position, game = rules.start(), fresh()
    return captures


@pytest.mark.parametrize("repetition", REPETITIONS)
@pytest.mark.parametrize(("size", "moves"), [(1, 20), (2, 400), (3, 500), (4, 400), (5, 250)])
def test_go(size: int, moves: int, repetition: str) -> None:
    """rules.md 0: capture, suicide, all repetition rules, passes and area score on small boards."""
    graph = reference.rectangle(size, size)
    rules = parse(f"go:size={size},repetition={repetition}")
    captures = compare_go(rules, lambda: reference.Go(graph, repetition), moves, seed=size)
    assert captures > 20 or size < 2


@pytest.mark.parametrize("repetition", REPETITIONS)
@pytest.mark.parametrize("immunity", [True, False])
@pytest.mark.parametrize("suicide", ["illegal", "legal"])
@pytest.mark.parametrize(("n", "moves"), [(1, 150), (2, 250)])
def test_rosette(n: int, moves: int, suicide: str, immunity: bool, repetition: str) -> None:
    """rules.md 3.2, [R-1], [R-2] on honeycombs of one and seven hexagons."""
    graph = reference.honeycomb(n)
    options = f"n={n},repetition={repetition},immunity={str(immunity).lower()},rosette_suicide={suicide}"
    rules = parse(f"rosette:{options}")
    compare_go(rules, lambda: reference.Go(graph, repetition, immunity, suicide == "legal"), moves, seed=n)


def test_rosette_of_nineteen_hexagons() -> None:
    graph = reference.honeycomb(3)
    rules = parse("rosette:n=3")
    assert compare_go(rules, lambda: reference.Go(graph, "nssk", True), 400, seed=3) > 0


@pytest.mark.parametrize("supply", [1, 3, 6])
def test_rosette_with_a_supply(supply: int) -> None:
    """[R-3]: the number of stones on the board is limited."""
    graph = reference.honeycomb(2)
    rules = parse(f"rosette:n=2,supply={supply}")
    compare_go(rules, lambda: reference.Go(graph, "nssk", True, supply=supply), 150, seed=supply)


@pytest.mark.parametrize("repetition", REPETITIONS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_phantom(size: int, repetition: str) -> None:
    """rules.md 2.1.2: the impossible moves are those forbidden in Go."""
    graph = reference.rectangle(size, size)
    rules = parse(f"phantom:size={size},repetition={repetition}")
    compare_go(rules, lambda: reference.Go(graph, repetition), 250, seed=size)


@pytest.mark.parametrize("atari", ["new", "all"])
@pytest.mark.parametrize("self_atari", ["always", "new_only"])
@pytest.mark.parametrize("size", [3, 5])
def test_phantom_announcements(size: int, self_atari: str, atari: str) -> None:
    """rules.md 2.1.3, [F-3], [F-4]: the referee's announcements after every try, accepted or not."""
    graph = reference.rectangle(size, size)
    rules = parse(f"phantom:size={size},atari={atari},self_atari={self_atari}")
    rng = Random(size)
    position, game = rules.start(), reference.Go(graph, "ssk")
    heard: set[str] = set()
    for _ in range(700):
        vertex = rng.choice(sorted(v for v in graph.near if game.stones.get(v) != game.mover))
        after: Any = rules.play(position, rules.board.point(vertex))
        if game.reason(vertex):
            expected = [("impossible", 0)]
            assert (after.mover, after.turn, after.stones) == (position.mover, position.turn, position.stones)
        else:
            expected = reference.announcements(game, vertex, atari, self_atari)
            game.place(vertex)
        assert [(said.code, said.count) for said in after.said] == expected
        heard.update(code for code, _ in expected)
        position = after
        if rng.random() < 0.1:
            position = rules.play(position, PASS)
            game.pass_turn()
        assert words(rules, position.stones) == game.stones
        if rules.is_over(position) or not game.legal() or len(game.seen) > 60:
            position, game = rules.start(), reference.Go(graph, "ssk")
    assert heard == {"played", "captured", "atari", "self_atari", "impossible"}


# -- Aléago ------------------------------------------------------------------------------------------------------------


def random_draw(rng: Random) -> tuple[str, reference.Draw]:
    """Return a SPEC with random size, dice and options, and the same settings for the reference."""
    size, count = rng.randint(1, 6), rng.randint(1, 2)
    sides = rng.randint(1, 7 if count == 1 else 4)
    star, fallback_ko, double = rng.random() < 0.5, rng.random() < 0.7, rng.random() < 0.3
    star_lines, overflow = rng.choice(("all", "inner")), rng.choice(("fallback", "fallback", "pass"))
    options = {
        "size": size,
        "dice": f"{count}d{sides}",
        "star": str(star).lower(),
        "star_lines": star_lines,
        "overflow": overflow,
        "fallback_ko": str(fallback_ko).lower(),
        "double_whole_board": str(double).lower(),
        "end_passes": 50,
    }
    spec = "aleago:" + ",".join(f"{key}={value}" for key, value in options.items())
    return spec, reference.Draw(size, count, sides, star, star_lines, overflow, fallback_ko, double)


def compare_aleago(spec: str, draw: reference.Draw, moves: int, rng: Random) -> set[int]:
    """Compare every throw in every position of a random game; return the numbers of points that throws opened."""
    rules = parse(spec)
    position = rules.start()
    game = reference.Go(reference.rectangle(draw.size, draw.size), "ssk")
    opened = set()
    for _ in range(moves):
        throws = [action for action, odds in zip(rules.actions(position), rules.odds(position), strict=True) if odds]
        for throw in throws:
            thrown = rules.play(position, throw, CHANCE)
            expected = draw.opens(game, faces_of(rules, position, throw))
            assert points(rules, rules.actions(thrown)) == expected, (spec, faces_of(rules, position, throw))
            opened.add(len(expected))
            for vertex in rng.sample(sorted(game.graph.near), 1):
                if vertex not in expected:
                    assert refused(rules, thrown, vertex) == (game.reason(vertex) or "line")
        position = rules.play(position, rng.choice(throws), CHANCE)
        options = sorted(points(rules, rules.actions(position)))
        if not options or rng.random() < 0.15:
            position = rules.play(position, PASS)
            game.pass_turn()
        else:
            vertex = rng.choice(options)
            position = rules.play(position, rules.board.point(vertex))
            game.place(vertex)
        assert words(rules, position.stones) == game.stones
        if rules.is_over(position):
            break
    return opened


@pytest.mark.parametrize("seed", range(40))
def test_aleago_with_random_boards_dice_and_options(seed: int) -> None:
    """rules.md 1.1.4, 1.1.5 and [A-1] to [A-5], [A-12], compared with the reference."""
    rng = Random(seed)
    spec, draw = random_draw(rng)
    compare_aleago(spec, draw, 25, rng)


@pytest.mark.parametrize(
    ("spec", "draw"),
    [
        ("aleago:size=5,dice=1d3", reference.Draw(5, 1, 3, False)),
        ("aleago:size=5,dice=1d2", reference.Draw(5, 1, 2, True)),
        ("aleago:size=6,dice=2d2,double_whole_board=true", reference.Draw(6, 2, 2, True, double_whole_board=True)),
        ("aleago:size=4,dice=1d4,fallback_ko=false", reference.Draw(4, 1, 4, False, fallback_ko=False)),
        ("aleago:size=3,dice=1d2,fallback_ko=false", reference.Draw(3, 1, 2, False, fallback_ko=False)),
        ("aleago:size=7,dice=2d2,star_lines=inner", reference.Draw(7, 2, 2, True, star_lines="inner")),
    ],
)
def test_aleago_until_the_board_is_full(spec: str, draw: reference.Draw) -> None:
    """rules.md 1.1.5: fallbacks and forced passes late in the game."""
    opened = set()
    for seed in range(3):
        opened |= compare_aleago(f"{spec},end_passes=1000", draw, 70, Random(seed))
    assert len(opened) > 5


# -- Alter Igo ---------------------------------------------------------------------------------------------------------

ALTER_IGO: list[Mapping[str, Any]] = [
    {},
    {"repetition": "situation"},
    {"repeat_count": 4},
    {"repeat_count": 2, "repetition": "situation"},
    {"white_passes": 3},
    {"mover": "w"},
    {"mover": "w", "white_passes": 2, "repetition": "situation"},
]


def compare_alter_igo(width: int, height: int, options: Mapping[str, Any], games: int) -> None:
    """Compare random games in which players never give a stone away if they have another move."""
    graph = reference.rectangle(width, height)
    more = "".join(f",{'first' if key == 'mover' else key}={value}" for key, value in options.items())
    rules: Any = parse(f"alter-igo:width={width},height={height}{more}")
    rng = Random(width * height)
    results = set()
    same_graph(rules, graph)
    for _ in range(games):
        position, game = rules.start(), reference.AlterIgo(graph, **options)
        for _ in range(200):
            actions = rules.actions(position)
            assert points(rules, actions) == game.legal()
            assert (PASS in actions) == game.may_pass()
            if game.result:
                break
            for colour in (1, 2):
                assert points(rules, rules.losing(position, colour)) == game.losing(COLOURS[colour])
            safe = [action for action in actions if action not in rules.losing(position, position.mover)]
            action = rng.choice(safe or actions)
            position = rules.play(position, action)
            if action == PASS:
                game.pass_turn()
            else:
                game.place(rules.board.vertex(action))
            assert words(rules, position.stones) == game.stones
            assert COLOURS[position.mover] == game.mover
            assert result_of(rules, position) == game.result
        results.add(game.result)
    assert results - {""}


@pytest.mark.parametrize("options", ALTER_IGO, ids=str)
@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 2), (3, 1), (2, 2), (3, 2), (4, 3), (5, 4)])
def test_alter_igo(width: int, height: int, options: Mapping[str, Any]) -> None:
    """rules.md 4.1: placement, removal, loss and draw on rectangles."""
    compare_alter_igo(width, height, options, games=max(8, 60 // (width * height)))


def result_of(rules: Rules, position: Any) -> str:
    outcome = rules.outcome(position)
    if outcome is None:
        return ""
    return "draw" if outcome.winner is None else COLOURS[outcome.winner]


# -- Pentalath ---------------------------------------------------------------------------------------------------------

PENTALATH: list[Mapping[str, Any]] = [
    {},
    {"no_move": "loss"},
    {"no_move": "pass", "supply": 14},
    {"supply": 9, "no_move": "loss"},
    {"repetition": "draw3"},
    {"repetition": "draw3_situation"},
    {"players": 3},
    {"players": 3, "no_move": "pass", "supply": 11},
    {"players": 3, "no_move": "loss", "supply": 13},
]


def compare_pentalath(board: str, options: Mapping[str, Any], games: int, seed: int) -> None:
    """Compare random games in which fives are avoided; with three players, one of them sometimes leaves."""
    graph = {"hexhex5": reference.hexhex5, "trapezoid": reference.trapezoid}[board]()
    rules = parse(f"pentalath:board={board}" + "".join(f",{key}={value}" for key, value in options.items()))
    more = {key: value for key, value in options.items() if key != "players"}
    colours = ("w", "b", "r")[: options.get("players", 2)]
    rng = Random(seed)
    results = set()
    same_graph(rules, graph)
    for _ in range(games):
        position, game = rules.start(), reference.Pentalath(graph, colours, **more)
        for _ in range(150):
            actions = rules.actions(position)
            assert points(rules, actions) == game.legal()
            assert (PASS in actions) == game.may_pass()
            if game.result:
                break
            vertex = rng.choice(sorted(graph.near))
            if game.reason(vertex):
                assert refused(rules, position, vertex) == game.reason(vertex)
            if len(colours) == 3 and rng.random() < 0.004:
                leaver = rng.choice([colour for colour in colours if colour not in game.gone])
                position = rules.play(position, RESIGN, COLOURS.index(leaver))
                game.leave(leaver)
            else:
                action = calm(rules, position, rng)
                position = rules.play(position, action)
                if action == PASS:
                    game.pass_turn()
                else:
                    game.place(rules.board.vertex(action))
            assert words(rules, position.stones) == game.stones
            assert game.result or COLOURS[position.mover] == game.mover
            assert result_of(rules, position) == game.result
        results.add(game.result)
    assert results - {""}


@pytest.mark.parametrize("options", PENTALATH, ids=str)
@pytest.mark.parametrize("board", [pytest.param("hexhex5", marks=pytest.mark.slow), "trapezoid"])
def test_pentalath(board: str, options: Mapping[str, Any]) -> None:
    """rules.md 5.1 and [P-1] to [P-6]."""
    compare_pentalath(board, options, games=2 if board == "hexhex5" else 1, seed=len(str(options)))


def calm(rules: Rules, position: Any, rng: Random) -> int:
    """Return a random action, if possible one that makes no five, so that games are long and captures frequent."""
    for _ in range(6):
        action = int(rng.choice(rules.actions(position)))
        outcome = rules.outcome(rules.play(position, action))
        if outcome is None or outcome.how != "five":
            return action
    return action


# -- the same for longer -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("repetition", REPETITIONS)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_go_for_longer(size: int, repetition: str) -> None:
    graph = reference.rectangle(size, size)
    rules = parse(f"go:size={size},repetition={repetition}")
    compare_go(rules, lambda: reference.Go(graph, repetition), 1500, seed=100 + size)


@pytest.mark.slow
@pytest.mark.parametrize("repetition", REPETITIONS)
@pytest.mark.parametrize("n", [2, 3])
def test_rosette_for_longer(n: int, repetition: str) -> None:
    graph = reference.honeycomb(n)
    rules = parse(f"rosette:n={n},repetition={repetition}")
    compare_go(rules, lambda: reference.Go(graph, repetition, True), 3600 // n**2, seed=100 + n)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_aleago_for_longer(seed: int) -> None:
    rng = Random(seed)
    spec, draw = random_draw(rng)
    compare_aleago(spec, draw, 40, rng)


@pytest.mark.slow
@pytest.mark.parametrize("options", ALTER_IGO, ids=str)
@pytest.mark.parametrize(("width", "height"), [(4, 1), (3, 3), (6, 2), (5, 5)])
def test_alter_igo_for_longer(width: int, height: int, options: Mapping[str, Any]) -> None:
    # Play more games on small boards, because these end soon.
    compare_alter_igo(width, height, options, games=200 // (width * height))


@pytest.mark.slow
@pytest.mark.parametrize("options", PENTALATH, ids=str)
@pytest.mark.parametrize("board", ["hexhex5", "trapezoid"])
def test_pentalath_for_longer(board: str, options: Mapping[str, Any]) -> None:
    compare_pentalath(board, options, games=3, seed=100 + len(str(options)))
