"""Tunings of a bot whose best values are known, either in a match file or simulated."""

from collections.abc import Callable
from math import exp
from pathlib import Path
from random import Random

from gtp_variants.arena.config.match_config import BATCHES, TuneParameter, TuningConfig, Values
from gtp_variants.arena.config.player_config import BotConfig
from gtp_variants.arena.tuning import Tuning
from tests.arena.matches import write_match

PLANTED = Path(__file__).with_name("planted.py")
PARAMETERS = (
    "parameters: {a: {start: 0.5, min: 0, max: 1}, b: {start: 0, min: -5, max: 5}, "
    "c: {start: 50, min: 0, max: 100, whole: true}}"
)


def write_tuning(folder: Path, pairs: int, more: str = "", outputs: str = "dir: out") -> Path:
    """Write a match file that tunes the bot in `planted.py`; `more` adds keys to the tournament."""
    player = f'{{command: "bot:{PLANTED}:Planted:a={{a}},b={{b}},c={{c}}", trusted: true}}'
    said = f"tune, {PARAMETERS}{', ' if more else ''}{more}"
    return write_match(folder, {"mine": player}, pairs, tournament=said, spec="go:size=5", outputs=outputs)


def settings_of(pairs: int, method: str = "spsa", **parameters: TuneParameter) -> TuningConfig:
    found = parameters or dict.fromkeys("abc", TuneParameter(0.5, 0.0, 1.0))
    return TuningConfig(BotConfig("mine", "x"), found, method, pairs, BATCHES[method])


def simulate(settings: TuningConfig, strength: Callable[[Values], float], seed: int) -> Values:
    """Return the best values after games with random results; `strength` is the log of a Bradley-Terry strength."""
    tuning, random = Tuning(settings, str(seed)), Random(seed)
    for first in range(1, settings.pairs + 1, settings.batch):
        batch = range(first, min(first + settings.batch, settings.pairs + 1))
        tried = {pair: tuning.ask(pair, ("one", "other")) for pair in batch}
        for pair, values in tried.items():
            wins = 1 / (1 + exp(strength(values["other"]) - strength(values["one"])))
            tuning.tell(pair, values["one"], float((random.random() < wins) + (random.random() < wins)))
    return tuning.best()
