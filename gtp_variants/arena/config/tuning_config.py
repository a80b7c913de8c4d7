"""What a match tunes, as values: parameters of one player's command, their bounds and steps, and the method."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gtp_variants.arena.config.player_config import BotConfig, PlayerConfig, ProgramConfig, fill_places
from gtp_variants.base.config_files import option, required
from gtp_variants.base.json_values import Json
from gtp_variants.players.config_readers import TRUTH, number

METHODS = ("spsa", "bayesian")
# Per batch all pairs have the same estimate behind them, so that they can be played at the same time.
BATCHES = {"spsa": 8, "bayesian": 16}
# The step where none is given, as a part of the range, and the rate: measured with `benchmarks/statistics/tuning.py`.
STEP = 0.1
RATE = 0.05

Values = Mapping[str, float]
# What the commands of players are filled in with, by player.
Parameters = Mapping[str, Values]


@dataclass(frozen=True, slots=True)
class TuneParameter:
    """A number in a player's command that is tuned. With `is_whole` the command gets whole numbers only.

    `step` (fishtest's c_end) is how far from the estimate SPSA tries it in the last pair, None for a tenth of the
    range; `rate` (its r_end) how much of what was learnt is believed then.
    """

    start: float = required("start", number(), "where tuning begins", "where tuning begins")
    low: float = required("min", number(), "the least that it may be", "the least that it may be")
    high: float = required("max", number(), "the most that it may be", "the most that it may be")
    step: float | None = option("step", number(above=0), None, "of spsa: how far from the estimate is tried at the end")
    rate: float = option("rate", number(above=0), RATE, "of spsa: how much of a result is believed at the end")
    is_whole: bool = option("whole", TRUTH, False, "whole numbers only")

    @property
    def range(self) -> float:
        """From the least to the most."""
        return self.high - self.low

    @property
    def last_step(self) -> float:
        """`step`, or what it is where it is not given."""
        return STEP * self.range if self.step is None else self.step

    def word(self, value: float) -> str:
        """A value as it stands in a command."""
        return f"{value:.0f}" if self.is_whole else f"{value:g}"

    def clip(self, value: float, rounding: float = 0.5) -> float:
        """The value that the command can have; a whole one is rounded up from `rounding` (0 to 1) below it on."""
        value = min(self.high, max(self.low, value))
        return float((value + rounding) // 1) if self.is_whole else float(f"{value:.6g}")


@dataclass(frozen=True)
class TuningConfig:
    """What is tuned and how: `player` is the one whose command has places such as {exploration} for `parameters`.

    `method` is one of `METHODS`. `against` is the player that candidates of the Bayesian method meet, "" for the start
    values. `batch` pairs are chosen at a time.
    """

    player: PlayerConfig
    parameters: Mapping[str, TuneParameter]
    method: str
    pairs: int
    batch: int
    against: str = ""

    @property
    def start(self) -> dict[str, float]:
        """Where every parameter begins."""
        return {name: each.clip(each.start) for name, each in self.parameters.items()}

    def fill(self, player: PlayerConfig, values: Values | None) -> PlayerConfig:
        """The player with values in the places of its command; None for one that has no such places."""
        if values is None:
            return player
        words = {name: self.parameters[name].word(value) for name, value in values.items()}
        if isinstance(player, BotConfig):
            assert isinstance(self.player, BotConfig)
            return replace(player, bot=fill_places(self.player.bot, words))
        assert isinstance(self.player, ProgramConfig)
        command, startup = self.player.command, self.player.startup
        return replace(
            player,
            command=tuple(fill_places(word, words) for word in command),
            startup=tuple(fill_places(line, words) for line in startup),
        )

    def settings(self) -> Json:
        """Everything that decides what is tried."""
        found = {
            name: [each.start, each.low, each.high, each.last_step, each.rate, each.is_whole]
            for name, each in self.parameters.items()
        }
        return {"method": self.method, "pairs": self.pairs, "batch": self.batch, "parameters": found}
