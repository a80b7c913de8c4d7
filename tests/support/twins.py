"""Twin games: two hidden games that one seat cannot tell apart, although different tries were refused in private."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from gtp_variants.players.player import news_of
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE, Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.games.phantom import PhantomPosition
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

_ANNOUNCED = {
    "impossible": ("public", "private"),
    "announce": ("list", "joined"),
    "atari": ("new", "all", "none"),
    "self_atari": ("always", "new_only", "none"),
    "captures": ("both", "owner"),
    "refused": ("silent", "shown"),
}
# Other options that affect which tries are refused, when a game is over and how announcements are worded.
_BESIDES = {
    "repetition": ("none", "simple", "psk", "ssk", "nssk", "draw"),
    "length": ("none", "9"),
    "dead": ("none", "agreed"),
    "lang": ("en", "fr"),
}
# Probability of a pass where the player need not pass.
_PASSES = 0.08
_COMBINATIONS = tuple(product(*_ANNOUNCED.values(), ("turns", "tries")))
# Number of pairs that contain every combination of announcements once from each seat.
PAIRS = 2 * len(_COMBINATIONS)
# Pair numbers for quick tests: private refusals, and the options that differ most from their defaults.
QUICK_PAIRS = (len(_COMBINATIONS) // 2, len(_COMBINATIONS) - 1)
# Pair numbers in which any two values of different announcement options occur together.
EVERY_TWO = tuple(range(32, PAIRS, 33))
# Every way in which the referee of Go Fantôme may announce events.
ALL_SPECS = tuple(
    "phantom:size=4," + ",".join(f"{key}={value}" for key, value in zip(_ANNOUNCED, values, strict=True))
    for values in product(*_ANNOUNCED.values())
)
QUICK_SPECS = (
    "phantom:size=4,impossible=private",
    "phantom:size=4,impossible=private,announce=joined,atari=all,captures=owner,refused=shown",
)


class Leak(Exception):
    """Raised if two games that sound alike to a seat do not look alike to it."""


@dataclass(frozen=True, slots=True)
class TwinPair:
    """Two unfinished games under one SPEC that the seat of a colour cannot tell apart."""

    number: int
    spec: str
    colour: int
    games: tuple[Game, Game]

    @property
    def differs(self) -> bool:
        """True if the two games differ."""
        return self.games[0].events != self.games[1].events


def twin_pair(number: int, plies: int = 40) -> TwinPair:
    """Return pair `number`, which is always the same. PAIRS pairs contain each combination from both seats."""
    keys, values = (*_ANNOUNCED, "in_a_row"), _COMBINATIONS[number % len(_COMBINATIONS)]
    rng = Random(f"twins {number}")
    besides = {key: rng.choice(choices) for key, choices in _BESIDES.items()}
    options = {**dict(zip(keys, values, strict=True)), **besides}
    spec = "phantom:size=4," + ",".join(f"{key}={value}" for key, value in options.items())
    colour = (BLACK, WHITE)[(number + number // len(_COMBINATIONS)) % 2]
    return TwinPair(number, spec, colour, make_twins(spec, colour, number, plies))


def _heard(rules: Rules, game: Game, action: int, colour: int) -> News | None:
    """Return the news that a colour would hear if the side to move took this action."""
    before = game.position
    return rules.hears(before, Event(before.mover, action), rules.play(before, action), colour)


def make_twins(spec: str, colour: int, seed: int, plies: int = 40) -> tuple[Game, Game]:
    """Return two games that sound the same to a colour; where possible, the other side's stones differ."""
    rules, rng = parse(spec), Random(seed)
    games = first, second = Game(rules), Game(rules)
    for _ in range(plies):
        mover = first.position.mover
        if mover != colour:
            for game in games:
                _try_unheard(game, colour, rng)
        if any(rules.is_over(game.position) for game in games):
            # A game may end because of its number of tries.
            break
        can_pass = not any(game.position.passes for game in games)
        passes = can_pass and rng.random() < _PASSES
        action, other = (PASS, PASS) if passes else _choose_alike(first, second, colour, rng)
        if action == PASS and not can_pass:
            break
        first.play(mover, action)
        second.play(mover, other)
    if first.position.mover != colour and not rules.is_over(first.position):
        _try_unheard(first, colour, rng)
    return games


def _new_tries(game: Game) -> Sequence[int]:
    """Return the actions of the side to move, except for points that were refused to it in this turn."""
    position = game.position
    assert isinstance(position, PhantomPosition)
    return [action for action in game.rules.actions(position) if action not in position.tried]


def _try_unheard(game: Game, colour: int, rng: Random) -> None:
    """Let the side to move try up to two points that are refused without the colour hearing of it."""
    for _ in range(rng.randrange(3)):
        unheard = [a for a in _new_tries(game) if _heard(game.rules, game, a, colour) is None]
        if unheard and not game.rules.is_over(game.position):
            game.play(game.position.mover, rng.choice(unheard))


def _choose_alike(first: Game, second: Game, colour: int, rng: Random) -> tuple[int, int]:
    """Return an action for each game after which the colour hears the same. Its own actions are identical."""
    rules = first.rules
    actions = [action for action in _new_tries(first) if action != PASS]
    rng.shuffle(actions)
    for action in actions:
        said = _heard(rules, first, action, colour)
        if said is None or said.repeated:
            # The colour would not hear of it, or the game would be over.
            continue
        others = [action] if first.position.mover == colour else _new_tries(second)
        alike = [a for a in others if a in _new_tries(second) and _heard(rules, second, a, colour) == said]
        if alike:
            return action, rng.choice([a for a in alike if a != action] or alike)
    return PASS, PASS


def is_unheard(game: Game, index: int) -> bool:
    """Return True if only the acting player hears of an event."""
    actor = game.events[index].actor
    return all(news_of(game, index, colour) is None for colour in game.rules.colours if colour != actor)
