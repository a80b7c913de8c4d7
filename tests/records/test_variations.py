"""Variations written into files: every game can be read back, and the file's earlier content stays."""

import pytest

from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.records.sgf.syntax import games_of
from gtp_variants.records.sgf.variations import add_variations, read_remarks
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.actions import BLACK, CHANCE, RESIGN, WHITE
from gtp_variants.rules.game import Game, random_game

SPECS = [game_class(name).profile.small_spec for name in GAMES]


def _go(moves: str) -> Game:
    game = Game(parse("go:size=5"))
    for number, word in enumerate(moves.split()):
        game.play(WHITE if number % 2 else BLACK, game.rules.board.point(word))
    return game


def _tried(main: Game, at: int, seed: int) -> Game:
    """Return a random continuation from the position after `at` events."""
    game = Game.replay(main.rules, main.events[:at], main.setup, main.first)
    for choice in range(6):
        if game.outcome is not None:
            break
        actions = game.rules.actions(game.position)
        game.play(game.position.to_play, actions[(seed + choice) % len(actions)])
    while game.position.to_play == CHANCE:
        game.cut(len(game.events) - 1)
    return game


@pytest.mark.parametrize("spec", SPECS)
def test_a_game_of_any_kind_is_read_as_before_beside_its_variations(spec: str) -> None:
    main = random_game(parse(spec), 3, 24)
    record = Record(main)
    tried = [_tried(main, at, at) for at in range(0, len(main.events), 5) if main.positions[at].to_play != CHANCE]
    text = add_variations(to_sgf(record), record, tried)
    assert from_sgf(text).game == from_sgf(to_sgf(record)).game
    _, lines = read_remarks(text, main.rules.board)
    assert lines
    assert max(line.after for line in lines) > 0


def test_shared_moves_of_variations_are_written_once() -> None:
    record = Record(_go("C3 D3 C4 D4"))
    tried = [_go("C3 D3 B2 B3 B4"), _go("C3 D3 B2 B3 A1"), _go("C3 D3 B2 C2"), _go("C3 D3 C4 D4 E4"), _go("A1 A2")]
    text = add_variations(to_sgf(record), record, tried)
    assert text.count("[bd]") == 1
    assert [sum(map(bool, read.main_line())) for read in games_of(text)] == [5]
    lines = read_remarks(text, record.game.rules.board)[1]
    assert sorted((line.after, len(line.moves)) for line in lines) == [(0, 2), (2, 3), (4, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[1]SZ[5]C[a \\] (; )];B[cc]C[good];W[dc];B[cb];W[db])",
        "(;GM[1]SZ[5];B[cc](;W[dc];B[cb];W[db])(;W[aa]C[mine]))",
        "(;GM[1]SZ[5](;B[cc];W[dc](;B[cb];W[db])(;B[ee]))(;B[aa]))  ",
        "(;GM[1]SZ[5];Black[cc];W[dc];C[between];B[cb];W[db])",
        "(;GM[1] B [cc] C[B[\\];good] PB[ann]SZ[5];W[dc];B[cb];W[db])",
    ],
)
@pytest.mark.parametrize("moves", ["C3 D3 B2 B3", "C3 E5", "A5 B5", "C3 D3 C4 D4 E4"])
def test_a_file_keeps_what_it_has(text: str, moves: str) -> None:
    record = from_sgf(text)
    before = read_remarks(text, record.game.rules.board)
    more = add_variations(text, record, [_go(moves)])
    remarks, lines = read_remarks(more, record.game.rules.board)
    assert from_sgf(more).game == record.game
    assert remarks == before[0]
    known = [line.moves for line in before[1]]
    assert [line for line in lines if line.moves not in known]
    assert all(moves in [line.moves for line in lines] for moves in known)


@pytest.mark.parametrize("beginning", ["(;", "(", "( ; "])
def test_a_variation_at_the_root_is_not_a_second_game(beginning: str) -> None:
    text = f"{beginning}GM[1]Black[cc]C[in the middle]PB[ann]SZ[5];W[dc])"
    record = from_sgf(text)
    more = add_variations(text, record, [_go("A5")])
    assert len(list(games_of(more))) == 1
    assert from_sgf(more).game == record.game
    assert read_remarks(more, record.game.rules.board)[0] == read_remarks(text, record.game.rules.board)[0]
    assert more == "(;GM[1]PB[ann]SZ[5]\n(;Black[cc]C[in the middle]\n;W[dc])\n(;B[aa]))\n"
    assert add_variations(text, record, [_go("C3")]) == text


def test_a_variation_instead_of_a_resignation_is_beside_it() -> None:
    main = _go("C3 D3 C4")
    main.play(WHITE, RESIGN)
    record = Record(main)
    text = add_variations(to_sgf(record), record, [_go("C3 D3 C4 D4 E4"), _go("C3 D3 C4")])
    assert from_sgf(text).game == main
    trunk, _, beside = text.partition("(;EVENT[w resign]")
    assert from_sgf(f"{trunk}{beside.partition('(')[2]}").game == _go("C3 D3 C4 D4 E4")


def test_a_try_that_is_refused_and_followed_by_nothing_is_kept() -> None:
    main = Game(parse("phantom:size=5"))
    for colour, point in ((BLACK, 0), (WHITE, 6), (BLACK, 6), (BLACK, 7)):
        main.play(colour, point)
    record = Record(main)
    other = Game.replay(main.rules, main.events[:1])
    other.play(WHITE, 0)
    text = add_variations(to_sgf(record), record, [other])
    assert from_sgf(text).game == main
    assert text.count("EVENT[w A1]") == 1
    assert add_variations(to_sgf(record), record, [Game.replay(main.rules, main.events[:3])]) == to_sgf(record)


def test_variations_equal_to_the_game_add_nothing() -> None:
    record = Record(_go("C3 D3 C4 D4"))
    assert add_variations(to_sgf(record), record, [_go("C3 D3")]) == to_sgf(record)
