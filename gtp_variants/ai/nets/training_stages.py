"""How a network was trained, stage by stage, as its weight file says."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from gtp_variants.ai.nets.network import Network

# In the words of a stage its game comes first, then these, each with what belongs to it, then the stage it began with.
_KEYS = ("specs", "games", "positions", "hours")
_BEGAN_WITH = "start"
# What of a file's `training` the stages say.
STAGE_KEYS = frozenset((*_KEYS, _BEGAN_WITH))


@dataclass(frozen=True, slots=True)
class TrainingStage:
    """One training: `game` and `specs` that it played, `games`, `positions` learnt from, processor `hours`."""

    game: str
    specs: tuple[str, ...] = ()
    games: int = 0
    positions: int = 0
    hours: float = 0.0

    def __str__(self) -> str:
        """As people read it: `0.95 hours, 18,624 games, 2,012,281 positions of go:size=9`."""
        played = " ".join(self.specs) or self.game
        return f"{self.hours:.2f} hours, {self.games:,} games, {self.positions:,} positions of {played}"


def training_stages(network: Network) -> list[TrainingStage]:
    """The trainings that a network has behind it, from the first to the last.

    What a file does not say, or says in no number, is 0; of a file that says nothing the one stage is its game.

    >>> from gtp_variants.ai.nets.weight_choice import FOLDER
    >>> [stage.game for stage in training_stages(Network.load(FOLDER / "aleago.safetensors"))]
    ['go', 'go', 'go', 'aleago']
    """
    return list(reversed([_read_stage(each.split()) for each in describe_training(network).split(f" {_BEGAN_WITH}=")]))


def describe_training(network: Network) -> str:
    """In one line what a network that begins with another says of it; `training_stages` reads it."""
    return " ".join([network.game, *(f"{key}={value}" for key, value in network.training.items())])


def _read_stage(words: Iterable[str]) -> TrainingStage:
    game, *rest = [*words] or [""]
    found: dict[str, list[str]] = {}
    key = ""
    for word in rest:
        name, _, value = word.partition("=")
        # A SPEC has the sign, too.
        if name in _KEYS:
            key, word = name, value
        found.setdefault(key, []).append(word)
    specs = tuple(dict.fromkeys(found.get("specs", ())))
    games, positions, hours = (_number(found.get(name, ())) for name in _KEYS[1:])
    return TrainingStage(game, specs, int(games), int(positions), hours)


def _number(words: Iterable[str]) -> float:
    try:
        number = float(" ".join(words))
    except ValueError:
        return 0.0
    return number if isfinite(number) else 0.0
