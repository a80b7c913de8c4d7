"""The options of Go that differ between countries: scoring, suicide, points for handicap stones, the button, sizes."""

import pytest

from gtp_variants.ai.mcts.search import search
from gtp_variants.errors import IllegalMove
from gtp_variants.players.counting import points
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, MARK_DEAD, PASS, WHITE, pack
from gtp_variants.rules.boards.handicap import fixed_points
from gtp_variants.rules.game import Game
from gtp_variants.rules.rule_sets import RULE_SETS
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import AreaRules

# Games of GNU Go 3.8 (level 1, 26 random moves first), with the chains that it calls dead and its Japanese score.
BY_GNU_GO = [
    (
        "C2 E2 H8 H7 D2 H1 G7 A8 E4 B6 A1 A9 A7 D7 D8 H9 D6 D4 H5 J2 C5 J7 J4 E5 G1 H4 D5 G4 C7 G2 E3 G6 G8 J8 F5 "
        "G5 F6 E1 G9 F3 F4 D1 C1 H6 J9 F7 E7 H9 F8 J9 pass pass",
        "A9 A8 B6 E5 H5 D4 J4 G1",
        "B+16.5",
    ),
    (
        "A2 B6 C5 E4 A3 G7 J6 J8 J5 A1 F8 F7 G9 C9 C4 D1 C6 C3 J9 F9 J3 H7 F6 H3 G8 J4 B7 H4 C8 E6 E8 B3 B4 D4 B2 "
        "C2 H8 H9 J7 E7 D7 H5 J9 H6 J8 D5 B1 C1 D6 pass pass",
        "C9 F9 B6 F6 J3",
        "W+8.5",
    ),
    (
        "E6 J1 H4 A3 B6 G9 B4 A4 G5 C7 C2 C8 C3 A1 D4 D9 D3 D7 E1 F7 E2 F5 A6 B5 H6 H3 F6 C5 A5 D5 E5 B7 B3 H8 G7 "
        "E7 G8 F8 H7 A7 A2 C6 A4 C4 J8 H9 D6 F9 J7 J9 pass pass",
        "F5 H3 A1 J1",
        "B+20.5",
    ),
]
# Several-stone suicide: Black A2 removes A1, B1 and itself.
SUICIDE = "A1 A3 pass B2 pass C1 B1 pass"


def play(spec: str, moves: str, setup: str = "") -> Game:
    """Return the game after moves by turns; White begins if there are handicap stones."""
    rules = parse(spec)
    stones = {rules.board.point(vertex): BLACK for vertex in setup.split()}
    game = Game(rules, stones, WHITE if stones else None)
    for word in moves.split():
        game.play(game.position.to_play, PASS if word == "pass" else rules.board.point(word))
    return game


def result(game: Game) -> str:
    outcome = game.rules.standing(game.position)
    assert outcome is not None
    return outcome.sgf


@pytest.mark.parametrize(("moves", "dead", "score"), BY_GNU_GO)
def test_territory_and_prisoners_count_as_gnu_go_counts_them(moves: str, dead: str, score: str) -> None:
    game = play("go:size=9,komi=6.5,scoring=territory,repetition=simple,dead=agreed", moves)
    for vertex in dead.split():
        point = game.rules.board.point(vertex)
        if point not in game.position.dead:
            game.play(BLACK, pack(MARK_DEAD, point))
    assert result(game) == score
    counted = points(game)
    assert counted[BLACK] - counted[WHITE] - 6.5 == float(score[2:]) * (1 if score[0] == "B" else -1)


def test_suicide_of_several_stones_gives_prisoners_and_may_not_repeat_a_board() -> None:
    """New Zealand and Tromp-Taylor rules."""
    game = play("go:size=5,rules=new-zealand", SUICIDE)
    after = game.rules.play(game.position, game.rules.board.point("A2"))
    assert game.rules.board.vertices_of(after.captured) == ["A1", "A2", "B1"]
    assert (after.taken[WHITE], after.stones.count(BLACK)) == (3, 0)
    with pytest.raises(IllegalMove, match="suicide"):
        play("go:size=5,suicide=true", "B1 E5 A2 A1")
    with pytest.raises(IllegalMove, match="suicide"):
        play("go:size=5", f"{SUICIDE} A2")
    # The same suicide again would bring back the board that the first one left.
    again = play("go:size=5,rules=tromp-taylor", f"{SUICIDE} A2 pass B1 pass A2 pass")
    assert again.rules.board.point("A1") not in again.rules.legal(again.position)


def test_immune_chain_is_no_suicide_in_rosette() -> None:
    rules = parse("rosette:n=1,suicide=true,repetition=none")
    position = rules.start(dict.fromkeys(range(5), BLACK), BLACK)
    assert rules.legal(position) == (PASS,)
    legal = parse("rosette:n=1,suicide=true,repetition=none,rosette_suicide=legal")
    assert legal.play(legal.start(dict.fromkeys(range(5), BLACK), BLACK), 5).stones == bytes([BLACK]) * 6


@pytest.mark.parametrize(
    ("options", "komi"),
    [
        ("", 7.5),
        ("handicap_bonus=N", 10.5),
        ("handicap_bonus=N-1", 9.5),
        ("komi_in_handicap=false", 0.5),
        ("rules=aga", 2.5),
        ("rules=chinese", 3.5),
        ("rules=japanese", 0.5),
    ],
)
def test_handicap_stones_give_white_points(options: str, komi: float) -> None:
    game = play(f"go:size=9,{options}".rstrip(","), "", setup="C3 G7 C7")
    # Black's three stones own the board; under territory they do not count themselves.
    area = 78 if "japanese" in options else 81
    assert result(game) == f"B+{area - komi:g}"
    even = play(f"go:size=9,{options}".rstrip(","), "E5")
    assert isinstance(even.rules, AreaRules)
    assert even.rules.effective_komi(even.position) == even.rules.komi + (1 if "japanese" in options else 0)


def test_first_pass_takes_the_button_and_does_not_end_the_game() -> None:
    black, white = (play("go:size=5,komi=0,button=true", moves) for moves in ("pass C3 pass", "C3 pass D3 pass"))
    assert (result(black), result(white)) == ("W+24.5", "B+24.5")
    assert (black.position.passes, black.position.button) == (1, BLACK)
    assert (white.position.passes, white.position.button) == (1, WHITE)
    ended = play("go:size=5,komi=0,button=true", "C3 pass pass pass")
    assert ended.outcome is not None
    assert ended.outcome.sgf == "B+24.5"
    assert play("go:size=5,komi=0,button=true", "C3 pass pass").outcome is None


@pytest.mark.parametrize("name", RULE_SETS)
def test_rules_are_kept_in_a_file_and_named_in_it(name: str) -> None:
    rules = parse(f"go:size=5,rules={name}")
    game = Game(rules)
    game.play(BLACK, 0)
    text = to_sgf(Record(game))
    assert from_sgf(text).game.rules == rules
    # Without our own property, the name alone says how the game was played.
    foreign = text.replace(f"VARIANT[{rules.spec}]", "")
    assert "VARIANT" not in foreign
    read = from_sgf(foreign).game.rules
    assert [read.values[key] for key in ("repetition", "scoring", "suicide", "button")] == [
        rules.values[key] for key in ("repetition", "scoring", "suicide", "button")
    ]


def test_file_of_a_handicap_game_has_the_komi_and_the_rules_that_were_played() -> None:
    game = play("go:size=9,rules=aga", "E5", setup="C3 G7")
    text = to_sgf(Record(game))
    assert "KM[0.5]RU[AGA]HA[2]AB[cg][gc]" in text
    assert from_sgf(text).game == game
    foreign = from_sgf(text.replace(f"VARIANT[{game.rules.spec}]", "")).game
    # One point for two stones, and half a point.
    assert result(foreign) == result(game) == "W+0.5"


def test_suicide_in_a_file_is_read_under_the_rules_that_allow_it() -> None:
    """Black A5, B5 and A4 as letters from the top left."""
    text = "(;SZ[5]RU[NZ];B[aa];W[ac];B[ee];W[bb];B[ed];W[ca];B[ba];W[ec];B[ab])"
    game = from_sgf(text).game
    assert game.rules.short_spec == "go:size=5,repetition=ssk,suicide=true"
    assert game.rules.board.vertices_of(game.position.captured) == ["A4", "A5", "B5"]
    assert not game.is_tolerated(len(game.events) - 1)


def test_rectangle_is_played_to_its_end_by_the_kernel() -> None:
    rules: Rules = parse("go:width=7,height=4,komi=0.5")
    game = Game(rules)
    while game.outcome is None:
        found = search(rules, game.position, playouts=30, seed=1)
        game.play(game.position.to_play, found.action)
        assert len(game.events) < 200
    assert game.outcome.how == "score"
    assert (rules.board.vertices[0], rules.board.vertices[-1]) == ("A1", "G4")
    record = from_sgf(to_sgf(Record(game)))
    assert record.game == game
    assert "SZ[7:4]" in to_sgf(Record(game))


def test_handicap_points_of_a_rectangle_lie_on_its_lines() -> None:
    board = parse("go:width=9,height=13").board
    points_of = {count: fixed_points(board, count) for count in (2, 5, 9, 10)}
    named = {count: found and board.vertices_of(found) for count, found in points_of.items()}
    assert named == {
        2: ["C4", "G10"],
        5: ["C4", "C10", "E7", "G4", "G10"],
        9: ["C4", "C7", "C10", "E4", "E7", "E10", "G4", "G7", "G10"],
        10: None,
    }
    assert fixed_points(parse("go:width=9,height=10").board, 5) is None
