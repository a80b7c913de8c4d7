"""Our games beside OpenSpiel's phantom_go and go, try by try."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.game import Game

pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")


class Comparison:
    """OpenSpiel's phantom_go and ours with `rules=openspiel`, which must agree after every try.

    What is compared: who is to move, the true board, what each player knows of it, what each may try and is told, the
    end, and who has won.
    """

    def __init__(self, size: int, rng: Random) -> None:
        self._size, self._rng = size, rng
        self._theirs = pyspiel.load_game(f"phantom_go(board_size={size})")
        self.rules = parse(f"phantom:size={size},rules=openspiel")
        self.seen: Counter[str] = Counter()

    def play(self, most: int, passes: float) -> None:
        """Play one random game of at most `most` tries, with occasional passes."""
        state, game = self._theirs.new_initial_state(), Game(self.rules)
        watches = [self.rules.watch(colour) for colour in self.rules.colours]
        while most and not state.is_terminal():
            tries = [action for action in state.legal_actions() if action < self._size**2]
            action = self._size**2 if not tries or self._rng.random() < passes else self._rng.choice(tries)
            state.apply_action(action)
            game.play(game.position.mover, PASS if action == self._size**2 else action)
            self.seen["tries"] += 1
            self.seen["refused"] += game.is_refused(len(game.events) - 1)
            self.seen["captured"] += bool(game.position.captured) and game.is_turn(len(game.events) - 1)
            most -= 1
            self._compare(state, game, watches)
        if state.is_terminal():
            self.seen[self._end(state, game)] += 1

    def _compare(self, state: Any, game: Game, watches: list[Any]) -> None:
        before, position, event = game.positions[-2], game.position, game.events[-1]
        boards = boards_of(str(state), self._size)
        assert boards[0] == position.stones
        assert state.is_terminal() == self.rules.is_over(position)
        for player, colour in enumerate(self.rules.colours):
            news = self.rules.hears(before, event, position, colour)
            assert news is not None
            watches[player].hear(news)
            view = watches[player].view()
            # The referee's board comes first, then White's and Black's.
            assert boards[2 - player] == view.stones
            unseen = position.stones.count(3 - colour) - view.stones.count(3 - colour)
            assert view.hidden == unseen
            told = state.observation_string(player)
            assert ("observational" in told) == news.refused
            assert ("was a pass" in told) == (news.action == PASS)
            assert (f" {news.count} stones were captured" in told) == (news.count > 0)
        if not state.is_terminal():
            assert state.current_player() == self.rules.colours.index(position.mover)
            tries = [action for action in self.rules.actions(position) if action != PASS]
            assert state.legal_actions() == [*tries, self._size**2]
            assert watches[state.current_player()].view().actions == (*tries, PASS)

    def _end(self, state: Any, game: Game) -> str:
        outcome = self.rules.outcome(game.position)
        assert outcome is not None
        assert state.returns() == {None: [0, 0], 1: [1, -1], 2: [-1, 1]}[outcome.winner]
        return "passes" if game.position.passes == 2 else "repetition" if outcome.how == "repetition" else "length"


def boards_of(printed: str, size: int) -> list[bytes]:
    """The boards that OpenSpiel prints: rows from the top, X and O; the referee's, White's, Black's."""
    lines = [line.split() for line in printed.split("\n")]
    rows = [line[1] for line in lines if len(line) == 2 and line[0].isdigit() and set(line[1]) <= set("+XO")]
    boards = [rows[first : first + size] for first in range(0, len(rows), size)]
    return [bytes("+XO".index(letter) for row in reversed(board) for letter in row) for board in boards]


@pytest.mark.slow
def test_ten_thousand_random_tries_agree_with_openspiel() -> None:
    """Captures and legality, and with `rules=openspiel` everything else."""
    comparison = Comparison(9, Random(1))
    while comparison.seen["tries"] < 10_000:
        comparison.play(10_000 - comparison.seen["tries"], passes=0.01)
    assert comparison.seen["tries"] == 10_000
    assert comparison.seen["refused"] > 1000
    assert comparison.seen["captured"] > 100


@pytest.mark.slow
def test_every_end_agrees_with_openspiel() -> None:
    """Small boards, where boards come again and refused tries fall between passes."""
    ends: Counter[str] = Counter()
    for size, passes in ((2, 0.02), (3, 0.02), (3, 0.4), (4, 0.1), (5, 0.01)):
        comparison = Comparison(size, Random(size))
        for _ in range(100):
            comparison.play(1000, passes)
        ends += comparison.seen
    assert min(ends[end] for end in ("passes", "repetition", "length")) > 10


@pytest.mark.slow
@pytest.mark.parametrize("named", ["simple", "olympiad"])
def test_captures_and_legality_do_not_depend_on_announcements(named: str) -> None:
    """The same tries under rules that say other things."""
    size, rng = 9, Random(2)
    rules = parse(f"phantom:size={size},repetition=simple" + (",rules=olympiad" if named == "olympiad" else ""))
    theirs, done = pyspiel.load_game(f"phantom_go(board_size={size},max_game_length=100000)"), 0
    while done < 3000:
        state, game = theirs.new_initial_state(), Game(rules)
        while done < 3000 and not state.is_terminal():
            action = rng.choice([action for action in state.legal_actions() if action < size**2])
            state.apply_action(action)
            game.play(game.position.mover, action)
            done += 1
            if not state.is_terminal():
                assert (state.current_player() == 0) == (game.position.mover == 1)
                assert boards_of(str(state), size)[0] == game.position.stones


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_ordinary_go_agrees_with_openspiels(size: int) -> None:
    """Legal moves, boards and area winners agree; OpenSpiel also ends a game at a repeated board."""
    rng, rules = Random(size), parse(f"go:size={size},repetition=simple")
    theirs, ends = pyspiel.load_game(f"go(board_size={size},komi=7.5)"), 0
    for _ in range(30):
        state, game = theirs.new_initial_state(), Game(rules)
        while not state.is_terminal():
            legal = [size**2 if action == PASS else action for action in rules.actions(game.position)]
            assert state.legal_actions() == legal
            action = rng.choice(legal)
            state.apply_action(action)
            game.play(game.position.mover, PASS if action == size**2 else action)
            assert boards_of(str(state), size)[0] == game.position.stones
        if rules.is_over(game.position):
            outcome = rules.outcome(game.position)
            assert outcome is not None
            assert state.returns() == ([1, -1] if outcome.winner == 1 else [-1, 1])
            ends += 1
    assert ends > 3
