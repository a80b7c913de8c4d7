"""Composes the problems in benchmarks/strength/problem_sets at random and keeps those with one right move.

    python -m benchmarks.strength.compose_problems SUBJECT [--count 20] [--seed 1] > SUBJECT.txt
    python -m benchmarks.strength.compose_problems ladders --judge 'katago analysis ...' > ladders.txt

Exhaustive search, in which nobody fills an eye of their own, verifies all problems but ladders. In life and death,
semeai and seki all of the board outside a corner is Black's, and komi makes the game a question of life or death alone.
Problems that depend on a ko are left out. Needs minutes.

Ladders come from games between weak bots. They are read out: the attacker puts in atari, the defender runs or takes.
The judge, KataGo, chooses a komi with which the ladder decides the game. With the right move, which it plays, it thinks
that it wins; without this move it thinks that it loses, and its chances are lower by 40 points or more.
"""

import argparse
import json
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from math import floor
from random import Random

import gtp_variants as gv
from benchmarks.strength.problems import Problem
from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, PeerError, PeerGarbled, PeerGone

# Maximum number of positions searched for a problem.
MOST_POSITIONS = 3_000
# Maximum length of a line.
MOST_MOVES = 40
_OTHER = {gv.BLACK: gv.WHITE, gv.WHITE: gv.BLACK}


class TooHard(Exception):
    """The problem has too many positions, or depends on a repetition."""


class Solver:
    """Values of positions for Black by exhaustive search; greater is better.

    `moves` are those that are looked at, `judge` the value of a position that is over, None while it is not.
    """

    def __init__(
        self,
        rules: gv.Rules,
        moves: Callable[[gv.Position], list[int]],
        judge: Callable[[gv.Position], float | None],
    ) -> None:
        self._rules, self._moves, self._judge = rules, moves, judge
        self._known: dict[tuple[bytes, int, int], float] = {}
        self._path: set[tuple[bytes, int, int]] = set()

    def value(self, position: gv.Position) -> float:
        """Return the value of best play. Raises TooHard."""
        judged = self._judge(position)
        if judged is not None:
            return judged
        key = bytes(position.stones), position.to_play, position.passes
        if key in self._known:
            return self._known[key]
        if key in self._path or len(self._path) > MOST_MOVES or len(self._known) > MOST_POSITIONS:
            raise TooHard
        self._path.add(key)
        values = [value for _, value in self.children(position)]
        self._path.discard(key)
        self._known[key] = max(values) if position.to_play == gv.BLACK else min(values)
        return self._known[key]

    def children(self, position: gv.Position) -> Iterator[tuple[int, float]]:
        """Return each move with its value."""
        for action in self._moves(position):
            try:
                after = self._rules.play(position, action)
            except IllegalMove as error:
                if error.reason == "repetition":
                    raise TooHard from None
                continue
            yield action, self.value(after)


def _right(position: gv.Position, values: dict[int, float]) -> tuple[int | None, float]:
    """Return the single best move and its lead over the next, or None if several are best."""
    sign = 1 if position.to_play == gv.BLACK else -1
    ordered = sorted(values, key=lambda action: -sign * values[action])
    if len(ordered) < 2:
        return None, 0.0
    gap = sign * (values[ordered[0]] - values[ordered[1]])
    return (ordered[0], gap) if gap > 0 else (None, 0.0)


def _problem(spec: str, stones: dict[int, int], to_play: int, right: int) -> Problem:
    rules = gv.parse(spec)
    names = {
        colour: tuple(rules.board.vertex(p) for p, c in sorted(stones.items()) if c == colour) for colour in _OTHER
    }
    letter = "b" if to_play == gv.BLACK else "w"
    return Problem(spec, names[gv.BLACK], names[gv.WHITE], letter, (rules.board.vertex(right),))


# -- life and death ----------------------------------------------------------------------------------------------------

_BOXES = ((4, 2), (5, 2), (3, 3), (4, 3), (6, 2))
_SIZE = 7
# The whole board is worth 49 to Black; a living white stone makes it 47 at most.
_SPEC = f"go:size={_SIZE},komi=47.5"


def corner(rng: Random) -> tuple[gv.Rules, dict[int, int], set[int]]:
    """Return a board, its stones, and the points of the disputed corner."""
    rules = gv.parse(_SPEC)
    width, height = rng.choice(_BOXES)
    box = {y * _SIZE + x for x in range(width) for y in range(height)}
    eyes = {p for p in (_SIZE * _SIZE - 1, _SIZE * _SIZE - 3, _SIZE * _SIZE - 2 * _SIZE - 1) if p not in box}
    stones = {p: gv.BLACK for p in range(_SIZE * _SIZE) if p not in box and p not in eyes}
    for point in box:
        drawn = rng.random()
        if drawn < 0.62:
            stones[point] = gv.WHITE if drawn < 0.45 else gv.BLACK
    return rules, stones, box


def life_and_death(rng: Random, subject: str) -> Problem | None:
    """Return a corner in which a single move kills or lives."""
    rules, stones, box = corner(rng)
    board = rules.board
    seen = bytes(stones.get(point, 0) for point in range(len(board)))
    chains = [gv.chain(board, seen, point) for point in stones]
    if not 4 <= len(box - set(stones)) <= 6 or any(not gv.liberties(board, seen, each) for each in chains):
        return None
    captives = [each for each in chains if seen[each[0]] == gv.BLACK and set(each) <= box and len(each) > 1]
    kind = "semeai" if captives else "life-and-death"
    if subject == "semeai" and kind != subject:
        return None

    def moves(position: gv.Position) -> list[int]:
        return [each for each in sensible(rules, position) if each in box or each == gv.PASS]

    def judge(position: gv.Position) -> float | None:
        if gv.WHITE not in position.stones:
            return 1.0
        return -1.0 if position.passes >= 2 else None

    to_play = rng.choice((gv.BLACK, gv.WHITE))
    position = rules.start(stones, to_play)
    solver = Solver(rules, moves, judge)
    right, gap = _right(position, dict(solver.children(position)))
    if right is None or right == gv.PASS or gap < 1:
        return None
    found = _is_seki(rules, solver, rules.play(position, right), box)
    if found != (subject == "seki") and subject != "semeai":
        return None
    return _problem(_SPEC, stones, to_play, right) if subject in (kind, "seki") else None


def _is_seki(rules: gv.Rules, solver: Solver, position: gv.Position, box: set[int]) -> bool:
    """Return True if best play leaves both colours in the corner with shared liberties, without two eyes."""
    board = rules.board
    while position.passes < 2 and gv.WHITE in position.stones:
        values = dict(solver.children(position))
        best = (max if position.to_play == gv.BLACK else min)(values.values())
        # Try a harmless pass first, because it ends the line soonest.
        action = next(each for each in sorted(values) if values[each] == best)
        position = rules.play(position, action)
    for point in box:
        near = {position.stones[each] for each in board.neighbours[point]}
        if not position.stones[point] and {gv.BLACK, gv.WHITE} <= near:
            inside = {each for each in board.neighbours[point] if position.stones[each] == gv.BLACK}
            if any(set(gv.chain(board, position.stones, each)) <= box for each in inside):
                return gv.WHITE in position.stones
    return False


# -- endgames ----------------------------------------------------------------------------------------------------------


def endgame(rng: Random, subject: str) -> Problem | None:
    """Return a nearly full 5x5 board in which one move is two points better than all others; komi makes it decisive."""
    rules = gv.parse("go:size=5,komi=0")
    game = gv.Game(rules)
    for _ in range(rng.randint(16, 26)):
        position = game.position
        wanted = [
            action
            for action in rules.actions(position)
            if action >= 0 and not is_own_eye(rules, position, action) and leaves_liberties(rules, position, action)
        ]
        if not wanted:
            return None
        game.play(position.to_play, rng.choice(wanted))
    stones = {point: colour for point, colour in enumerate(game.position.stones) if colour}
    if not 4 <= 25 - len(stones) <= 7:
        return None

    def judge(position: gv.Position) -> float | None:
        outcome = rules.outcome(position) if position.passes >= 2 else None
        return None if outcome is None else margin(outcome)

    to_play = rng.choice((gv.BLACK, gv.WHITE))
    position = rules.start(stones, to_play)
    values = dict(Solver(rules, lambda at: sensible(rules, at), judge).children(position))
    right, gap = _right(position, values)
    if right is None or right == gv.PASS or gap < 2:
        return None
    best = values[right]
    komi = best - 1 if to_play == gv.BLACK else best + 1
    return _problem(f"go:size=5,komi={komi:g}", stones, to_play, right) if abs(komi) < 20 else None


def margin(outcome: gv.Outcome) -> float:
    """Return Black's points minus White's, without komi."""
    word = outcome.sgf
    return 0.0 if word == "0" else float(word[2:]) * (1 if word[0] == "B" else -1)


def sensible(rules: gv.Rules, position: gv.Position) -> list[int]:
    """Return a pass and all points outside own eyes."""
    return [each for each in rules.actions(position) if each < 0 or not is_own_eye(rules, position, each)]


def is_own_eye(rules: gv.Rules, position: gv.Position, point: int) -> bool:
    """Return True if a stone there fills an own eye."""
    return all(position.stones[near] == position.to_play for near in rules.board.neighbours[point])


def leaves_liberties(rules: gv.Rules, position: gv.Position, point: int) -> bool:
    """Return True if a stone there cannot be captured at once, or captures something."""
    after = rules.play(position, point)
    chain = gv.chain(rules.board, after.stones, point)
    return bool(after.captured) or len(gv.liberties(rules.board, after.stones, chain)) > 1


# -- ladders -----------------------------------------------------------------------------------------------------------

# Visits of the judge's searches, how many points a ladder must be worth, and how much worse the chances are without it.
_JUDGE_VISITS = 100
_WORTH = 8
_DECISIVE = 0.4
# Maximum of Black's lead that komi evens out.
_LARGEST_KOMI = 40
# Minimum number of times that a laddered chain runs.
_SHORTEST_LADDER = 3


class Judge:
    """KataGo, or another engine that speaks its JSON analysis protocol. `command` is the program with its arguments."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        """End the engine."""
        with self._process:
            self._process.kill()

    def fair_komi(self, position: gv.Position, vertex: str) -> float | None:
        """Return the komi with which the game depends on a move, or None if the judge prefers another or does not care.

        With this komi the judge wins with the move and loses without it.
        """
        best, _, with_it = self._search(position, 0, "")
        if best != vertex or abs(with_it) > _LARGEST_KOMI:
            return None
        _, _, without = self._search(position, 0, vertex)
        komi = floor((with_it + without) / 2) + 0.5
        if abs(with_it - without) < _WORTH:
            return None
        best, chance, _ = self._search(position, komi, "")
        other = self._search(position, komi, vertex)[1]
        return komi if best == vertex and chance > 0.5 > other and chance - other >= _DECISIVE else None

    def _search(self, position: gv.Position, komi: float, avoided: str) -> tuple[str, float, float]:
        """Return the best move, the mover's chances, and Black's lead. Raises PeerError if the judge fails."""
        board, is_black = position.board, position.to_play == gv.BLACK
        assert board is not None
        without = {"player": "WB"[is_black], "moves": [avoided], "untilDepth": 1}
        query = {
            "id": "ladder",
            "rules": "chinese",
            "komi": komi,
            "boardXSize": board.width,
            "boardYSize": board.height,
            "initialStones": [
                ["WB"[stone == gv.BLACK], board.vertex(point)] for point, stone in enumerate(position.stones) if stone
            ],
            "initialPlayer": "WB"[is_black],
            "moves": [],
            "maxVisits": _JUDGE_VISITS,
            "avoidMoves": [without] if avoided else [],
            "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"},
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(query), file=self._process.stdin, flush=True)
        answer: Json = {"warning": ""}
        while "warning" in answer:
            line = self._process.stdout.readline()
            if not line:
                raise PeerGone("the judge ended before it answered")
            answer = json.loads(line)
        if "rootInfo" not in answer:
            raise PeerGarbled(f"expected an answer with rootInfo from the judge, got {answer}")
        chance, lead = answer["rootInfo"]["winrate"], answer["rootInfo"]["scoreLead"]
        return answer["moveInfos"][0]["move"], chance if is_black else 1 - chance, lead


def ladder(judge: Judge, rng: Random, subject: str) -> Problem | None:
    """Return a chain with two liberties, where the ladder works in one direction only and decides the game."""
    rules = gv.parse(f"go:size={rng.choice((9, 9, 13))}")
    board, game = rules.board, gv.Game(rules)
    thinker = gv.Thinker(rules, playouts=16, seed=rng.getrandbits(32))
    for _ in range(rng.randint(14, 2 * board.width + 14)):
        wanted = [action for action in rules.legal(game.position) if action >= 0]
        action = rng.choice(wanted) if rng.random() < 0.04 else thinker.think(game).action
        if action == gv.PASS:
            return None
        game.play(game.position.to_play, action)
    # Neither the judge nor whoever solves the problem knows the moves before it.
    colour = game.position.to_play
    stones = {point: stone for point, stone in enumerate(game.position.stones) if stone}
    position = rules.start(stones, colour)
    for target in {min(gv.chain(board, position.stones, p)) for p in range(len(board)) if position.stones[p]}:
        chain = gv.chain(board, position.stones, target)
        free = gv.liberties(board, position.stones, chain)
        if position.stones[target] == colour or len(chain) < 2 or len(free) != 2:
            continue
        after = {point: rules.play(position, point) for point in free if point in rules.legal(position)}
        working = [point for point in after if is_taken(rules, after[point], target)]
        if len(working) != 1 or is_taken(rules, after[working[0]], target, _SHORTEST_LADDER):
            continue
        komi = judge.fair_komi(position, board.vertex(working[0]))
        if komi is not None:
            return _problem(f"go:size={board.width},komi={komi:g}", stones, colour, working[0])
    return None


def is_taken(rules: gv.Rules, position: gv.Position, target: int, depth: int = 60) -> bool:
    """Return True if the target, which is in atari and to play, is lost before it has run `depth` times."""
    board, stones = rules.board, position.stones
    chain = gv.chain(board, stones, target)
    free = gv.liberties(board, stones, chain)
    if len(free) != 1 or depth == 0:
        return False
    beside = {near for point in chain for near in board.neighbours[point] if stones[near] == _OTHER[stones[target]]}
    answers = set(free)
    for near in beside:
        left = gv.liberties(board, stones, gv.chain(board, stones, near))
        answers |= left if len(left) == 1 else set()
    return all(not escapes(rules, position, answer, target, depth) for answer in answers)


def escapes(rules: gv.Rules, position: gv.Position, answer: int, target: int, depth: int) -> bool:
    """Return True if an answer saves the target from another atari and capture."""
    try:
        after = rules.play(position, answer)
    except IllegalMove:
        return False
    free = gv.liberties(rules.board, after.stones, gv.chain(rules.board, after.stones, target))
    if len(free) != 2:
        return len(free) > 2
    for point in free:
        try:
            if is_taken(rules, rules.play(after, point), target, depth - 1):
                return False
        except IllegalMove:
            continue
    return True


# -- wins of other games -----------------------------------------------------------------------------------------------


def pentalath_win(rng: Random, subject: str) -> Problem | None:
    """Return a position with a single winning move that threatens two fives, where nobody wins at once."""
    rules = gv.parse("pentalath")
    position = rules.start()
    for _ in range(rng.randint(14, 26)):
        if rules.outcome(position) is not None:
            return None
        points = [action for action in rules.actions(position) if action >= 0]
        weights = [
            1 + sum(3 ** len(five_of(rules, position, five)) for five in rules.board.fives_at(p)) for p in points
        ]
        position = rules.play(position, rng.choices(points, weights)[0])
    if rules.outcome(position) is not None or any(fives(rules, position, colour) for colour in _OTHER):
        return None
    stones = {point: colour for point, colour in enumerate(position.stones) if colour}
    position = rules.start(stones, position.to_play)
    winning = [p for p in rules.actions(position) if p >= 0 and wins_next(rules, rules.play(position, p))]
    return _problem("pentalath", stones, position.to_play, winning[0]) if len(winning) == 1 else None


def five_of(rules: gv.Rules, position: gv.Position, five: tuple[int, ...]) -> list[int]:
    """Return the stones in a window of five if all have one colour."""
    there = [position.stones[point] for point in five if position.stones[point]]
    return there if len(set(there)) == 1 else []


def fives(rules: gv.Rules, position: gv.Position, colour: int) -> list[int]:
    """Return the points where a stone of a colour makes five in a row."""
    free = [point for point, stone in enumerate(position.stones) if not stone]
    return [p for p in free if any(five_of(rules, position, five) == [colour] * 4 for five in rules.board.fives_at(p))]


def wins_next(rules: gv.Rules, position: gv.Position) -> bool:
    """Return True if the side that has just played makes a five next after every answer."""
    mover, own = position.to_play, _OTHER[position.to_play]
    if rules.outcome(position) is not None or len(fives(rules, position, own)) < 2 or fives(rules, position, mover):
        return False
    for answer in rules.actions(position):
        after = rules.play(position, answer)
        outcome = rules.outcome(after)
        if outcome is not None or not fives(rules, after, own):
            return outcome is not None and outcome.winner == own
    return True


# Alter Igo: maximum number of moves of both sides in a win.
_WINNING_MOVES = 7


def alter_igo_win(rng: Random, subject: str) -> Problem | None:
    """Return a small board in which a single move forces a win within a few moves, but not at once."""
    rules = gv.parse("alter-igo:size=4")
    position = rules.start()
    for _ in range(rng.randint(6, 30)):
        points = [action for action in rules.actions(position) if action >= 0 and not rules.loses(position, action)]
        if not points or rules.outcome(position) is not None:
            return None
        position = rules.play(position, rng.choice(points))
    stones = {point: colour for point, colour in enumerate(position.stones) if colour}
    position = rules.start(stones, position.to_play)
    moves = list(rules.actions(position))
    if rules.outcome(position) is not None or not 3 <= len(moves) <= 7:
        return None
    own = position.to_play
    after = {move: rules.play(position, move) for move in moves}
    if any(wins(rules, each, own, 0) for each in after.values()):
        return None
    winning = [move for move in moves if wins(rules, after[move], own, _WINNING_MOVES - 1)]
    return _problem("alter-igo:size=4", stones, own, winning[0]) if len(winning) == 1 and winning[0] >= 0 else None


def wins(rules: gv.Rules, position: gv.Position, colour: int, moves: int) -> bool:
    """Return True if a colour forces a win within this number of moves."""
    outcome = rules.outcome(position)
    if outcome is not None or not moves:
        return outcome is not None and outcome.winner == colour
    after = (rules.play(position, action) for action in rules.actions(position))
    won = (wins(rules, each, colour, moves - 1) for each in after)
    return any(won) if position.to_play == colour else all(won)


SUBJECTS: dict[str, Callable[[Random, str], Problem | None]] = {
    "life-and-death": life_and_death,
    "semeai": life_and_death,
    "seki": life_and_death,
    "endgames": endgame,
    "pentalath-wins": pentalath_win,
    "alter-igo-circles": alter_igo_win,
}


def compose(subject: str, count: int, seed: int, judge: Judge | None = None) -> Iterator[Problem]:
    """Yield a number of different problems. Ladders need a judge."""
    rng, seen = Random(f"{subject} {seed}"), set[str]()
    make = SUBJECTS[subject] if judge is None else partial(ladder, judge)
    while len(seen) < count:
        try:
            problem = make(rng, subject)
        except PeerError:
            raise
        except (TooHard, IllegalMove, gv.VariantsError):
            continue
        if problem is not None and problem.line() not in seen:
            seen.add(problem.line())
            yield problem


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subject", choices=[*SUBJECTS, "ladders"])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judge", help="for ladders: a program that speaks KataGo's JSON analysis protocol")
    options = parser.parse_args()
    if (options.judge is not None) != (options.subject == "ladders"):
        parser.error("expected --judge with ladders, and only with them")
    print(
        f"# Made by benchmarks/strength/compose_problems.py {options.subject}: "
        "game; Black; White; to play; the only right move."
    )
    with ExitStack() as stack:
        judge = stack.enter_context(closing(Judge(shlex.split(options.judge)))) if options.judge else None
        for each in compose(options.subject, options.count, options.seed, judge):
            print(each.line(), flush=True)
