"""The planes: each has one small integer per point of the board. `docs/encoder.md` is generated from this table.

Functions such as `always` and `for_three` select the games to which a plane or a feature applies.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from gtp_variants.ai.nets.encoding.scene import REMEMBERED_TURNS, Levels, Runs, Scene, SeatMemory
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules
from gtp_variants.rules.turn_rules import RepeatingRules

Applies = Callable[[Rules], bool]


def always(rules: Rules) -> bool:
    return True


def for_three(rules: Rules) -> bool:
    return len(rules.colours) > 2


def with_score(rules: Rules) -> bool:
    return rules.is_scored


def with_ladders(rules: Rules) -> bool:
    """Return True on square grids in games with a score, where chains are captured as in Go."""
    return rules.is_scored and rules.board.geometry == "rect"


def with_end_by_passes(rules: Rules) -> bool:
    return rules.end_passes > 0


def with_repetition(rules: Rules) -> bool:
    """Return True if the rules have a rule of their own for repeated boards."""
    return isinstance(rules, RepeatingRules)


def with_repetition_draws(rules: Rules) -> bool:
    """Return True if repeating a board may end the game as a draw."""
    return isinstance(rules, RepeatingRules) and rules.draws_by_repetition


def with_earlier_moves(rules: Rules) -> bool:
    """Return True if all players see every move."""
    return rules.is_open


def with_passes_left(rules: Rules) -> bool:
    """Return True if an option limits the number of passes."""
    return rules.profile.limits_passes


def with_supply(rules: Rules) -> bool:
    """Return True if an option limits the number of stones."""
    return "supply" in rules.values


def with_fives(rules: Rules) -> bool:
    return bool(rules.board.fives)


def with_faces(rules: Rules) -> bool:
    return bool(rules.board.faces)


def with_dice(rules: Rules) -> bool:
    return isinstance(rules, DicedRules)


def with_hidden_stones(rules: Rules) -> bool:
    return isinstance(rules, HiddenRules)


def with_mark(name: str) -> Applies:
    """Return a test for games whose rules mark points under this name."""
    return lambda rules: name in rules.profile.decisive_marks


def both(first: Applies, second: Applies) -> Applies:
    return lambda rules: first(rules) and second(rules)


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane with values from 0 to 1: `levels` divided by `scale`. If `option` is off, the plane is 0 everywhere."""

    name: str
    scale: int
    meaning: str
    levels: Callable[[Scene], Levels]
    applies: Applies = always
    option: str = ""


@lru_cache(maxsize=64)
def planes_of(rules: Rules) -> tuple[Plane, ...]:
    """Return the planes of a game, in order."""
    return tuple(plane for plane in PLANES if plane.applies(rules))


def _at_points(scene: Scene, points: Iterable[int], level: int = 1) -> Levels:
    levels = [0] * scene.points
    for point in points:
        levels[point] = level
    return levels


def _stones(index: int) -> Callable[[Scene], Levels]:
    return lambda scene: [int(there == scene.colours[index]) for there in scene.stones]


def _with_liberties(own: bool, liberties: int) -> Callable[[Scene], Levels]:
    return lambda scene: [
        int(bool(there) and (there == scene.own) == own and free == liberties)
        for there, free in zip(scene.stones, scene.chain_liberties, strict=True)
    ]


_MOST_CAPTURED = 8


def _capturable(own: bool) -> Callable[[Scene], Levels]:
    def levels(scene: Scene) -> Levels:
        counts = [0] * scene.points
        for chain in scene.chains:
            if chain.last_liberty >= 0 and (chain.colour == scene.own) == own:
                counts[chain.last_liberty] += len(chain.members)
        return [min(count, _MOST_CAPTURED) for count in counts]

    return levels


def _earlier(back: int) -> Callable[[Scene], Levels]:
    return lambda scene: _at_points(scene, [action for action in scene.earlier[back : back + 1] if action >= 0])


# Levels of a repeated board: it has occurred before; may recur only once more; may not recur, or ends the game.
_SEEN, _LAST_TIME, _TOO_OFTEN = 1, 2, 3


def _repeats(scene: Scene) -> Levels:
    levels = [0] * scene.points
    if isinstance(scene.rules, RepeatingRules):
        for point, times in scene.repeats.items():
            left = scene.rules.most_occurrences - 1 - times
            levels[point] = _TOO_OFTEN if left <= 0 else _LAST_TIME if left == 1 else _SEEN
    return levels


def _eyes(own: bool) -> Callable[[Scene], Levels]:
    def levels(scene: Scene) -> Levels:
        colours = scene.colours[:1] if own else scene.colours[1:]
        return [int(not there and scene.is_eye(point, colours)) for point, there in enumerate(scene.stones)]

    return levels


def _area(index: int) -> Callable[[Scene], Levels]:
    return lambda scene: _at_points(scene, scene.areas[scene.colours[index]])


def _runs(index: int, of: Callable[[Runs], Levels], most: int) -> Callable[[Scene], Levels]:
    return lambda scene: [min(level, most) for level in of(scene.runs[scene.colours[index]])]


_ODDS_SCALE = 127


def _odds(scene: Scene) -> Levels:
    naming, throws = scene.throws_naming
    return [(2 * _ODDS_SCALE * count + throws) // (2 * throws) for count in naming]


# Level of an event in this turn. Each later turn subtracts 1; level 1 means longer ago than a seat remembers.
_NOW = REMEMBERED_TURNS + 1


def _ages(turn_of: Callable[[SeatMemory], list[int]]) -> Callable[[Scene], Levels]:
    def levels(scene: Scene) -> Levels:
        if scene.memory is None:
            return [0] * scene.points
        return [max(1, _NOW - scene.turn + turn) if turn else 0 for turn in turn_of(scene.memory)]

    return levels


def _ages_of_stones(scene: Scene) -> Levels:
    """Return the ages of own stones as levels; stones placed before the first turn have level 1."""
    levels = _ages(lambda memory: memory.placed)(scene)
    if scene.memory is None:
        return levels
    return [max(level, 1) if there == scene.own else 0 for level, there in zip(levels, scene.stones, strict=True)]


def _run_planes(name: str, index: int, applies: Applies, whose: str) -> tuple[Plane, ...]:
    """Return the planes for runs of five that contain no stone of another colour."""
    return (
        Plane(f"{name}_run", 5, f"most of {whose} stones in a run of five through the point without other colours",
              _runs(index, lambda runs: runs.longest, 5), applies),
        Plane(f"{name}_five", 1, f"empty points where a stone completes five of {whose} stones",
              _runs(index, lambda runs: runs.fives, 1), applies),
        Plane(f"{name}_four", 3, f"empty points: runs of five with only three of {whose} stones, at most 3",
              _runs(index, lambda runs: runs.fours, 3), applies),
        Plane(f"{name}_three", 6, f"empty points: runs of five with only two of {whose} stones, at most 6",
              _runs(index, lambda runs: runs.threes, 6), applies),
    )  # fmt: skip


# The planes that show the moves of the last turns, the latest turn first.
TURN_PLANES = (("last", "captured"), *((f"last_{turns}",) for turns in range(2, Position.EARLIER + 2)))

_AGE = f"{_NOW}: in this turn, one less for each turn since, 1: more than {REMEMBERED_TURNS - 1} turns ago; 0 where a \
whole position is encoded"

# fmt: off
PLANES: tuple[Plane, ...] = (
    Plane("board", 1, "1 on every point, which shows convolutions the edge", lambda scene: [1] * scene.points),
    Plane("own", 1, "own stones, those of the viewing side", _stones(0)),
    Plane("next", 1, "stones of the next colour in turn order, as far as known", _stones(1)),
    Plane("third", 1, "stones of the third colour", _stones(2), for_three, "players=3"),
    *(Plane(f"own_{n}_libert{'y' if n == 1 else 'ies'}", 1,
            f"own stones in chains with {n} libert{'y' if n == 1 else 'ies'}, as far as known",
            _with_liberties(True, n)) for n in (1, 2, 3)),
    *(Plane(f"other_{n}_libert{'y' if n == 1 else 'ies'}", 1,
            f"stones of other colours in chains with {n} libert{'y' if n == 1 else 'ies'}",
            _with_liberties(False, n)) for n in (1, 2, 3)),
    Plane("captures", _MOST_CAPTURED, "stones of other colours whose last liberty this is, at most 8",
          _capturable(False)),
    Plane("endangered", _MOST_CAPTURED, "own stones whose last liberty this is, at most 8", _capturable(True)),
    Plane("legal", 1, "points where the side to move may place a stone under some throw; with hidden stones where it "
          "may try", lambda scene: _at_points(scene, scene.legal_points)),
    Plane("last", 1, "the stone of the last turn, if known",
          lambda scene: _at_points(scene, [scene.last_point] if scene.last_point >= 0 else [])),
    Plane("captured", 1, "stones captured in the last turn, as far as known",
          lambda scene: _at_points(scene, scene.captured_last)),
    *(Plane(name, 1, f"the stone placed {turns} turns ago, even if it has been captured", _earlier(turns - 2),
            with_earlier_moves) for turns, (name,) in enumerate(TURN_PLANES[1:], 2)),
    Plane("repeats", _TOO_OFTEN, "a stone here repeats an earlier board; 3: forbidden (ko, superko) or the end of the "
          "game, 2: the next repetition would be, 1: otherwise", _repeats, with_repetition, "repetition"),
    Plane("own_eye", 1, "own eyes, which should not be filled without need", _eyes(True)),
    Plane("other_eye", 1, "eyes of another colour", _eyes(False)),
    Plane("own_area", 1, "own stones and empty regions that touch no other colour; 0 while stones are hidden",
          _area(0), with_score),
    Plane("other_area", 1, "the same for the other colour", _area(1), with_score),
    *_run_planes("own", 0, with_fives, "the own"),
    *_run_planes("next", 1, with_fives, "the next colour's"),
    *_run_planes("third", 2, both(with_fives, for_three), "the third colour's"),
    Plane("own_ring", 6, "own stones around the fullest hexagon at the point without other colours",
          lambda scene: scene.rings(scene.colours[:1]), with_faces),
    Plane("other_ring", 6, "the same for the other colours", lambda scene: scene.rings(scene.colours[1:]), with_faces),
    Plane("immune", 1, "stones of chains made immune by a rosette",
          lambda scene: _at_points(scene, scene.marks("immune")), with_mark("immune"), "immunity=true"),
    Plane("losing", 1, "points where a stone of the side to move loses at once",
          lambda scene: _at_points(scene, scene.marks("losing")), with_mark("losing")),
    Plane("open", 1, "points of the lines open under the draw in force; 0 before the throw",
          lambda scene: _at_points(scene, scene.open_points), with_dice),
    Plane("odds", _ODDS_SCALE, "chance that a throw of the dice in force names the point's line, to the nearest 1/127",
          _odds, with_dice),
    Plane("next_open", 1, "points of the lines that the next turn's throw names",
          lambda scene: _at_points(scene, scene.next_open_points), with_dice, "crystal_ball=true"),
    Plane("own_age", _NOW, f"when the own stone was placed. {_AGE}", _ages_of_stones, with_hidden_stones),
    Plane("refused", _NOW, f"when the seat's try was last refused here, until the reason is known to be gone. {_AGE}",
          _ages(lambda memory: memory.refused), with_hidden_stones),
    Plane("lost", _NOW, f"when an own stone was captured here, until the seat places a stone. {_AGE}",
          _ages(lambda memory: memory.lost), with_hidden_stones),
    Plane("taken", _NOW, f"when a stone of the other side was captured here, until the seat places a stone. {_AGE}",
          _ages(lambda memory: memory.taken), with_hidden_stones),
    Plane("laddered", 1, "visible stones of chains that a ladder captures; one in atari moves first",
          lambda scene: _at_points(scene, scene.ladders[0]), with_ladders),
    Plane("ladder_moves", 1, "points from which a ladder captures a chain of the other colour with two liberties",
          lambda scene: _at_points(scene, scene.ladders[1]), with_ladders),
)
# fmt: on
