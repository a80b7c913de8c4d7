"""Exact round trips of games through JSON and SGF; and another program's board at every node of the SGF."""

import sys
from collections.abc import Iterator
from itertools import zip_longest
from random import Random

import pytest
from sgfmill import boards, sgf

from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, PASS
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from tests.records.eventful import eventful_record
from tests.support.specs import RECORDED, two_quick

Stones = set[tuple[str, tuple[int, int]]]


def check_round_trips(spec: str, seeds: range) -> int:
    """Check round trips of records; return the number of positions compared with sgfmill's boards."""
    rules = parse(spec)
    compared = 0
    for seed in seeds:
        rng = Random(f"{spec} {seed}")
        record = eventful_record(rules, rng, rng.choice((3, 30, 100, 400)))
        line, text = to_json(record), to_sgf(record)
        read = from_json(line)
        assert read == record, seed
        assert (to_json(read), to_sgf(read)) == (line, text), seed
        assert from_sgf(text.encode()) == record, seed
        # sgfmill supports only square boards from 2 to 26.
        if rules.board.geometry == "rect" and 1 < rules.board.width == rules.board.height:
            compared += _check_boards(record, text)
    return compared


def _check_boards(record: Record, text: str) -> int:
    """Check that sgfmill shows our board after every move. A node that only sets stones belongs to the move before."""
    count = 0
    for ours, theirs in zip_longest(_our_boards(record), _boards_of_sgfmill(text)):
        assert ours == theirs, f"position {count} of {record.game!r}"
        count += 1
    return count


def _our_boards(record: Record) -> Iterator[Stones]:
    """Yield the board before the first move and after each move."""
    game = record.game
    board = game.rules.board
    for index in range(-1, len(game.events)):
        if index < 0 or (
            game.is_turn(index) and game.events[index].action >= PASS and game.events[index].actor != CHANCE
        ):
            stones = game.positions[index + 1].stones
            yield {(COLOUR_LETTERS[colour], board.cells[p][::-1]) for p, colour in enumerate(stones) if colour}


def _boards_of_sgfmill(text: str) -> Iterator[Stones]:
    """Yield the board at the root and after each move, including stones set by the nodes that follow it."""
    read = sgf.Sgf_game.from_string(text)
    board = boards.Board(read.get_size())
    nodes = read.get_main_sequence()
    for node, following in zip_longest(nodes, nodes[1:]):
        colour, move = node.get_move()
        if move is not None:
            board.play(*move, colour)
        if node.has_setup_stones():
            board.apply_setup(*node.get_setup_stones())
        if following is None or following.get_move()[0] is not None:
            yield set(board.list_occupied_points())


@pytest.mark.slow
@pytest.mark.parametrize("spec", two_quick(RECORDED))
def test_twenty_records_come_back_exactly(spec: str) -> None:
    check_round_trips(spec, range(20))


@pytest.mark.long
@pytest.mark.parametrize("spec", RECORDED)
def test_a_thousand_records_come_back_exactly(spec: str) -> None:
    compared = check_round_trips(spec, range(1000))
    sys.stdout.write(f"{spec}: 1000 records, {compared} boards of sgfmill\n")
