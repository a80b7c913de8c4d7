"""The global features: each is one number for the whole position. `docs/encoder.md` is generated from this table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from gtp_variants.ai.nets.encoding import planes
from gtp_variants.ai.nets.encoding.scene import REMEMBERED_TURNS, HeardTurn, Scene
from gtp_variants.rules.actions import BLACK, PASS, RED, SWAP, WHITE
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.options import Option, Value
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.turn_rules import RepeatingRules

_KOMI_UNIT = 20
_DICE_UNIT = 10
_STONES_UNIT = 8
# An option that self-play does not apply, so that networks cannot learn it.
_UNLEARNT = "dead"


@dataclass(frozen=True, slots=True)
class Feature:
    """A global feature: `value` computes it from a scene; `meaning` and `bounds` describe it."""

    name: str
    bounds: str
    meaning: str
    value: Callable[[Scene], float]
    applies: planes.Applies = planes.always
    option: str = ""


@lru_cache(maxsize=64)
def features_of(rules: Rules) -> tuple[Feature, ...]:
    """Return a game's features in order: from the table, then a flag for each choice of each option."""
    flags = (
        Feature(name, "0 or 1", _meaning_of_flag(option), _constant(is_set))
        for option in rules.options
        for name, is_set in flags_of(option, rules.values[option.key]).items()
    )
    return (*(feature for feature in FEATURES if feature.applies(rules)), *flags)


def flags_of(option: Option, value: Value) -> dict[str, float]:
    """Return the flags for an option's choices, named KEY=WORD; {} for numbers and for options not encoded."""
    if option.wording or not option.is_encoded:
        return {}
    words = ("true",) if option.kind == "bool" else option.choices
    is_learnt = option.key != _UNLEARNT
    return {f"{option.key}={word}": float(is_learnt and value in (word, word == "true")) for word in words}


def _meaning_of_flag(option: Option) -> str:
    if option.key == _UNLEARNT:
        return "always 0, because networks learn from games in which every stone on the board counts"
    return f"1 for this choice of the option: {option.meaning}"


def option_flags(rules: Rules) -> list[float]:
    """Return the values of a game's last features: one flag for each choice of each option, constant during a game."""
    return [is_set for option in rules.options for is_set in flags_of(option, rules.values[option.key]).values()]


def _constant(value: float) -> Callable[[Scene], float]:
    return lambda scene: value


def _has_left(scene: Scene, colour: int) -> float:
    return float(scene.position is not None and any(event.actor == colour for event in scene.position.out))


def _supply(scene: Scene, colour: int) -> float:
    supply = scene.rules.supply
    return 0.0 if supply is None else (supply[colour] - scene.count(colour)) / scene.points


def _signed_komi(scene: Scene) -> float:
    return scene.komi if scene.own == WHITE else 0.0 - scene.komi


def _score(scene: Scene) -> float:
    if scene.hidden:
        return 0.0
    own, other = (len(scene.areas[colour]) for colour in scene.colours[:2])
    return (own - other + _signed_komi(scene)) / scene.points


def _occurrences(scene: Scene) -> float:
    rules, position = scene.rules, scene.position
    if not isinstance(rules, RepeatingRules) or position is None:
        return 0.0
    return (rules.occurrences(position) - 1) / (rules.most_occurrences - 1)


def _of_dice(of: Callable[[DiceKind], float]) -> Callable[[Scene], float]:
    def value(scene: Scene) -> float:
        rules, position = scene.rules, scene.position
        return of(rules.dice_of(position)) if isinstance(rules, DicedRules) and position is not None else 0.0

    return value


def _of_draw(slot: int, of: Callable[[int, DiceKind], float]) -> Callable[[Scene], float]:
    def value(scene: Scene) -> float:
        return _of_dice(lambda dice: of(scene.draws[slot], dice))(scene) if slot < len(scene.draws) else 0.0

    return value


def _total(draw: int, dice: DiceKind) -> float:
    return 0.0 if draw == dice.free else sum(dice.faces(draw)) / dice.highest


def _is_free(draw: int, dice: DiceKind) -> float:
    return float(draw == dice.free)


def _of_turn(back: int, of: Callable[[HeardTurn], float]) -> Callable[[Scene], float]:
    def value(scene: Scene) -> float:
        turns = () if scene.memory is None else scene.memory.turns
        return float(of(turns[back])) if back < len(turns) else 0.0

    return value


def _turn_features(back: int) -> tuple[Feature, ...]:
    when = "the last turn" if back == 0 else f"the turn {back + 1} turns ago"
    stones = f"0 and more, stones / {_STONES_UNIT}"
    rows: tuple[tuple[str, str, str, Callable[[HeardTurn], float]], ...] = (
        ("who", "-1, 0 or 1", "1: the seat's, -1: the other side's, 0: no such turn",
         lambda turn: 1 if turn.is_own else -1),
        ("pass", "0 or 1", "whether it was a pass", lambda turn: turn.is_pass),
        ("captured", stones, "stones captured", lambda turn: turn.captured / _STONES_UNIT),
        ("atari", stones, "stones of the other side announced as in atari", lambda turn: turn.atari / _STONES_UNIT),
        ("self_atari", "0 or 1", "whether a self-atari was announced", lambda turn: turn.self_atari),
        ("refused", "0 and more, tries / 8", "refused tries before it, as far as the seat heard",
         lambda turn: turn.refused / _STONES_UNIT),
    )  # fmt: skip
    return tuple(
        Feature(f"heard_{back + 1}_{name}", bounds, f"{when}: {meaning}", _of_turn(back, of), planes.with_hidden_stones)
        for name, bounds, meaning, of in rows
    )


_SHARE = "0 to 1, stones / points"


def _each_colour(
    name: str,
    bounds: str,
    meaning: str,
    value: Callable[[Scene, int], float],
    applies: planes.Applies = planes.always,
    option: str = "",
) -> tuple[Feature, ...]:
    """Return one feature each for the own colour, the next colour and, with three players, the third colour."""

    def for_colour(index: int) -> Callable[[Scene], float]:
        return lambda scene: value(scene, scene.colours[index])

    return tuple(
        Feature(f"{whose}_{name}", bounds, f"{meaning}: {words}", for_colour(index),
                applies if index < 2 else planes.both(applies, planes.for_three), option)
        for index, (whose, words) in enumerate(
            (("own", "the own colour"), ("next", "the next in turn order"), ("third", "the third")))
    )  # fmt: skip


# fmt: off
_SIDE = (
    Feature("own_turn", "0 or 1", "whether the viewing side has the turn",
            lambda scene: float(scene.mover == scene.own)),
    Feature("chance", "0 or 1", "whether the dice are to be thrown",
            lambda scene: float(scene.awaits_dice), planes.with_dice),
    Feature("black", "0 or 1", "whether the viewing side is Black", lambda scene: float(scene.own == BLACK)),
    Feature("white", "0 or 1", "whether the viewing side is White", lambda scene: float(scene.own == WHITE)),
    Feature("red", "0 or 1", "whether the viewing side is Red", lambda scene: float(scene.own == RED),
            planes.for_three, "players=3"),
)
_COURSE = (
    Feature("points", "0 to 3, points / 361", "size of the board", lambda scene: scene.points / 361),
    Feature("turn", "0 and more, turns / points", "stones and passes so far",
            lambda scene: (scene.turn - 1) / scene.points),
    Feature("may_pass", "0 or 1", "whether the side to move may pass",
            lambda scene: float(PASS in scene.actions)),
    Feature("may_swap", "0 or 1", "whether the side to move may take over the first stone",
            lambda scene: float(SWAP in scene.actions), planes.always, "swap"),
    Feature("passes", "0 and more, passes / those that end the game", "passes in a row",
            lambda scene: scene.passes / scene.rules.end_passes, planes.with_end_by_passes),
    Feature("pass_ends", "0 or 1", "whether one more pass ends or suspends the game, or confirms its end",
            lambda scene: float(scene.next_pass_ends), planes.with_end_by_passes),
    Feature("suspended", "0 or 1", "whether the game is over unless a player objects",
            lambda scene: float(scene.is_suspended), planes.with_end_by_passes),
    *_each_colour("stones", _SHARE, "stones on the board, hidden ones too",
                  lambda scene, colour: scene.count(colour) / scene.points),
    *_each_colour("captures", "0 and more, stones / points", "stones captured from others so far",
                  lambda scene, colour: scene.captures[colour] / scene.points),
    *_each_colour("left", "0 or 1", "whether it has left the game", _has_left, planes.for_three, "players=3"),
    Feature("komi", f"any, points / {_KOMI_UNIT}", "points besides area of the viewing side; negative if it gives them",
            lambda scene: _signed_komi(scene) / _KOMI_UNIT, planes.with_score, "komi"),
    Feature("score", "any, points / points of the board",
            "lead of the viewing side if the game were counted now; 0 while stones are hidden",
            _score, planes.with_score),
    Feature("occurrences", "0 to 1", "earlier occurrences of the board, as a share of those that draw",
            _occurrences, planes.with_repetition_draws, "repetition"),
    Feature("passes_left", f"0 and more, passes / {_STONES_UNIT}", "passes that White has left",
            lambda scene: 0.0 if scene.position is None else scene.position.passes_left / _STONES_UNIT,
            planes.with_passes_left, "white_passes"),
    *_each_colour("supply", _SHARE, "stones that may still be placed", _supply, planes.with_supply, "supply"),
)
_DICE = (
    Feature("dice", f"dice / {_DICE_UNIT}", "number of dice",
            _of_dice(lambda dice: dice.count / _DICE_UNIT), planes.with_dice, "dice"),
    Feature("sides", f"sides / {_DICE_UNIT}", "number of sides of each die",
            _of_dice(lambda dice: dice.sides / _DICE_UNIT), planes.with_dice, "dice"),
    Feature("total", "0 to 1, eyes / the most there can be", "total of this turn's throw; 0 before it and without dice",
            _of_draw(0, _total), planes.with_dice),
    Feature("next_total", "0 to 1, eyes / the most there can be", "total of the next turn's throw, if it is known",
            _of_draw(1, _total), planes.with_dice, "crystal_ball=true"),
    Feature("free", "0 or 1", "whether this turn has no dice and every point is open", _of_draw(0, _is_free),
            planes.with_dice, "free_player"),
    Feature("next_free", "0 or 1", "whether the next turn is known to have no dice", _of_draw(1, _is_free),
            planes.with_dice, "free_player"),
)
_SEAT = (
    Feature("hidden", _SHARE, "unseen stones of the other side", lambda scene: scene.hidden / scene.points,
            planes.with_hidden_stones),
    Feature("tries", "0 and more, tries / points", "tries so far, as far as the seat heard, stones and passes included",
            lambda scene: 0.0 if scene.memory is None else scene.memory.tries / scene.points,
            planes.with_hidden_stones, "length"),
    Feature("refused_now", f"0 and more, tries / {_STONES_UNIT}", "refused tries of this turn that the seat heard of",
            lambda scene: 0.0 if scene.memory is None else scene.memory.refused_now / _STONES_UNIT,
            planes.with_hidden_stones),
    *(feature for back in range(REMEMBERED_TURNS) for feature in _turn_features(back)),
)
# fmt: on

# Features in `_SEAT` are 0 if a whole position is encoded.
FEATURES: tuple[Feature, ...] = (*_SIDE, *_COURSE, *_DICE, *_SEAT)
