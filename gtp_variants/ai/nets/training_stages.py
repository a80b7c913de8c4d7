"""The history of a network's training, stage by stage, from its weight file."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite

from gtp_variants.ai.nets.network import Network

# The text of a stage has its game, then each key with its value, then the stage that it started from.
_KEYS = ("specs", "games", "positions", "hours", "labels", "visits", "teacher")
_BEGAN_WITH = "start"
# Keys of a weight file's `training` that stages contain.
STAGE_KEYS = frozenset((*_KEYS, _BEGAN_WITH))


@dataclass(frozen=True, slots=True)
class TrainingStage:
    """One training run: its game, SPECs, games, positions and processor hours, and how many labels `teacher` gave.

    `visits` is the number of visits of the teacher's searches. With 0 or 1 it did not search.
    """

    game: str
    specs: tuple[str, ...] = ()
    games: int = 0
    positions: int = 0
    hours: float = 0.0
    labels: int = 0
    visits: int = 0
    teacher: str = ""

    def __str__(self) -> str:
        """Return a text such as `0.95 hours, 18,624 games, 2,012,281 positions of go:size=9`."""
        return f"{self.hours:.2f} hours, {self.games:,} games, {self.positions:,} positions of {self.origin}"

    @property
    def origin(self) -> str:
        """The source of the positions, such as `go:size=9 (1,280 labelled by katago-b10, 100 visits each)`."""
        searched = f", {self.visits:,} visits each" if self.visits > 1 else ""
        taught = f" ({self.labels:,} labelled by {self.teacher}{searched})" if self.labels else ""
        return (" ".join(self.specs) or self.game) + taught


def training_stages(network: Network) -> list[TrainingStage]:
    """Return the stages of a network's training, from first to last.

    Missing or invalid numbers are 0. A file without training data yields one stage with its game.

    >>> from gtp_variants.ai.nets.weight_choice import FOLDER
    >>> [stage.game for stage in training_stages(Network.load(FOLDER / "aleago.safetensors"))]
    ['go', 'go', 'go', 'aleago']
    """
    return list(reversed([_read_stage(each.split()) for each in describe_training(network).split(f" {_BEGAN_WITH}=")]))


def describe_training(network: Network) -> str:
    """Return the line that a network trained from this network stores for `training_stages` to read."""
    return " ".join([network.game, *(f"{key}={value}" for key, value in network.training.items())])


def _read_stage(words: Iterable[str]) -> TrainingStage:
    game, *rest = [*words] or [""]
    found: dict[str, list[str]] = {}
    key = ""
    for word in rest:
        name, _, value = word.partition("=")
        # Only these names are keys: a SPEC contains `=` too.
        if name in _KEYS:
            key, word = name, value
        found.setdefault(key, []).append(word)
    numbers = dict.fromkeys(_KEYS[1:-1], 0.0)
    for name in numbers:
        with suppress(ValueError):
            number = float(" ".join(found.get(name, ())))
            numbers[name] = number if isfinite(number) else 0.0
    specs = tuple(dict.fromkeys(found.get("specs", ())))
    hours, teacher = numbers.pop("hours"), " ".join(found.get("teacher", ()))
    return TrainingStage(game, specs, hours=hours, teacher=teacher, **{name: int(n) for name, n in numbers.items()})
