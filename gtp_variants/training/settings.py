"""How a network is trained and how its games are played: what people may set, and what changes on the way.

Loads neither numpy nor the kernel.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from gtp_variants.ai.nets.encoding.features import features_of
from gtp_variants.ai.nets.encoding.planes import planes_of
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import training_stages
from gtp_variants.base.number_ranges import NumberRange, find_faults
from gtp_variants.errors import ConfigError
from gtp_variants.rules.rules import Rules

# Of the fields of `TrainingSettings`. Larger numbers do no harm but wait for ever, or find no memory.
SETTING_RANGES = {
    "seed": NumberRange(0, 2**64 - 1),
    "channels": NumberRange(16, 512, step=16),
    "blocks": NumberRange(0, 100),
    "positions": NumberRange(1, 100_000_000),
    "chunk": NumberRange(1, 1_000_000),
    "passes": NumberRange(0, 1000, is_more=True),
    "batch": NumberRange(1, 100_000),
    "root_share": NumberRange(0, 1),
    "playouts": NumberRange(2, 1_000_000),
    "considered": NumberRange(2, 1000),
    "start_positions": NumberRange(0, 1_000_000_000_000),
    # With fewer positions a game an iteration would take more games than it has numbers for.
    "deep_share": NumberRange(0.01, 1, may_be_off=True),
    "deep_playouts": NumberRange(2, 1_000_000),
}
# Small steps late are what a policy gains most from: that of Pentalath's network, alone against a search, went from 25%
# of 60 games to 40% of 100 in 270,000 positions at 1.5e-4, with half as many playouts again, after 1.6 million before.
_RATES = ((300_000, 1e-3), (800_000, 6e-4), (1_500_000, 3e-4), (5_000_000, 1.5e-4), (float("inf"), 7e-5))
_FIRST_WINDOW = 100_000
_LARGEST_WINDOW = 1_000_000
# Up to so many positions: how many times the playouts, and the moves considered. The first for games with a score.
_PLAYOUTS = ((400_000, 1 / 2, 2 / 3), (1_500_000, 1.0, 1.0), (5_000_000, 3 / 2, 7 / 6), (float("inf"), 2.0, 4 / 3))
# Twice what prototypes learnt best with on 9x9 Go and Pentalath: their values went from -1 to 1, these go from 0 to 1.
# With half of it Go learnt slowly, and Alter Igo, whose games are long, nothing.
_VALUE_SCALE = 0.7
_VALUE_SCALE_OF_LINES = 0.3
_MOVES_A_POINT = 3
# What the search thinks in the value to learn: of few playouts, of a deep search.
_ROOT_SHARE = 0.3
_DEEP_ROOT_SHARE = 0.75
# What values count in the loss: those of deep searches three times as much as others, which brings them nearer to those
# of unseen games and takes next to nothing from the policy.
_VALUE_WEIGHT = 1.0
_DEEP_VALUE_WEIGHT = 3.0
# No iteration plays more chunks: their numbers follow from it.
_MOST_CHUNKS = 10_000
# What positions of another game count as at most: games are searched with all playouts at once, steps are still large.
_MOST_OF_ANOTHER_GAME = 400_000


@dataclass(frozen=True, slots=True)
class SelfPlaySettings:
    """How games against oneself are played.

    `playouts` of a move, shared at the root by `considered` moves; `value_scale`: weight of values there against priors
    `deep_share`: so many of the moves are searched with `deep_playouts`, as in play, and only they are learnt from; 0:
    all moves are searched and learnt from alike. Few positions, searched as well as the network is used (after playout
    cap randomisation, Wu, "Accelerating Self-Play Learning in Go", 2019)
    `opening`: a game begins with 0 to so many moves at random, every tenth with up to `long_opening`
    `most_moves`: then a game is counted as it stands
    """

    playouts: int = 32
    considered: int = 12
    value_scale: float = 0.35
    opening: int = 4
    long_opening: int = 12
    most_moves: int = 1000
    deep_share: float = 0.0
    deep_playouts: int = 400


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a network is trained; a folder that was begun with others is refused.

    `specs`: the games, boards and options that it shall play, each gets as many games; more may come in later
    `positions`: to learn from in an iteration, at least; `chunk`: games that are played and written at a time
    `passes`: how often a position is learnt from on the average while it is new, in batches of `batch`
    `root_share`: part of the search's opinion in the value to learn; None: 0.3, of deep searches 0.75
    `playouts` of a move, shared by so many moves `considered`: up to twice as many later, in games with a score half of
    it at first
    `deep_share`: so many of the moves are searched with `deep_playouts`, as in play, and only they are learnt from
    `start`: a weight file whose knowledge it begins with, of a like game, copied into the folder; empty: none
    `start_positions`: as how many positions that knowledge counts, which decides how large steps still are; None: as
    many as it was learnt from, those of another game as 400,000 at most

    The positions that the methods take count those behind `start`.
    """

    specs: tuple[str, ...]
    seed: int = 1
    channels: int = 32
    blocks: int = 4
    positions: int = 16_384
    chunk: int = 64
    passes: float = 1.0
    batch: int = 128
    root_share: float | None = None
    playouts: int = 32
    considered: int = 12
    start: str = ""
    start_positions: int | None = None
    deep_share: float = 0.0
    deep_playouts: int = 400

    def rate(self, positions: int) -> float:
        """The step of Adam after so many positions: steep at first, as measured on 9x9 Go and Pentalath."""
        return next(rate for most, rate in _RATES if positions < most)

    def window(self, positions: int) -> int:
        """How many of the latest positions are learnt from: all at first, then a shrinking part."""
        return min(_LARGEST_WINDOW, _FIRST_WINDOW + max(0, positions - _FIRST_WINDOW) // 4)

    @property
    def search_share(self) -> float:
        """The part of the search's opinion in the value to learn: `root_share`, or what suits the searches."""
        if self.root_share is not None:
            return self.root_share
        return _DEEP_ROOT_SHARE if self.deep_share else _ROOT_SHARE

    @property
    def value_weight(self) -> float:
        """What values count in the loss."""
        return _DEEP_VALUE_WEIGHT if self.deep_share else _VALUE_WEIGHT

    def check(self) -> None:
        """Raise ConfigError for numbers that cannot be, all of them at once."""
        if not self.specs:
            raise ConfigError(["specs: none, expected one or more"])
        if faults := [f"{name} {fault}" for name, fault in find_faults(asdict(self), SETTING_RANGES)]:
            raise ConfigError(faults)

    def check_rules(self, rules: Sequence[Rules]) -> None:
        """Raise ConfigError unless one network can play the games of all SPECs, and an iteration can be long enough.

        It cannot where all its chunks, of the longest games, are too few for its positions.
        """
        longest = _MOVES_A_POINT * max(len(each.board) for each in rules)
        if self.chunk * _MOST_CHUNKS * longest < self.positions:
            least = -(-self.positions // (_MOST_CHUNKS * longest))
            raise ConfigError([f"{self._too_few_games}, expected {least} or more"])
        for spec, each in zip(self.specs, rules, strict=True):
            if not can_share_network(rules[0], each):
                raise ConfigError([f"{spec}: another game than {self.specs[0]}, a network plays one"])
            if self.deep_share and not each.is_open:
                raise ConfigError([f"{spec}: seats that do not see every stone search all moves alike, no deep_share"])

    def first_game(self, iteration: int, chunk: int) -> int:
        """The number of the first game of a chunk. Raises ConfigError where the iteration has too many chunks."""
        if chunk >= _MOST_CHUNKS:
            raise ConfigError([self._too_few_games])
        return (iteration * _MOST_CHUNKS + chunk) * self.chunk

    def count_known_positions(self, start: Network, game: str) -> int:
        """As how many positions the knowledge counts that a training of a game begins with."""
        if self.start_positions is not None:
            return self.start_positions
        stages = training_stages(start)
        own = sum(stage.positions for stage in stages if stage.game == game)
        others = sum(stage.positions for stage in stages) - own
        return own + min(others, _MOST_OF_ANOTHER_GAME)

    def chunk_positions(self, rules: Sequence[Rules]) -> int:
        """About how many positions a chunk has to learn from: a game has about a move a point."""
        points = sum(len(each.board) for each in rules) / len(rules)
        return round(self.chunk * points * (self.deep_share or 1))

    def self_play(self, rules: Rules, positions: int) -> SelfPlaySettings:
        """How games are played after so many positions: with the more playouts, the more the network knows."""
        steps = _PLAYOUTS if rules.is_scored else _PLAYOUTS[1:]
        playouts, considered = next((more, wider) for most, more, wider in steps if positions < most)
        return SelfPlaySettings(
            max(2, round(self.playouts * playouts)),
            max(2, round(self.considered * considered)),
            _VALUE_SCALE_OF_LINES if rules.board.fives else _VALUE_SCALE,
            most_moves=_MOVES_A_POINT * len(rules.board),
            deep_share=self.deep_share,
            deep_playouts=self.deep_playouts,
        )

    @property
    def _too_few_games(self) -> str:
        """What is wrong where an iteration may not have enough chunks."""
        return f"chunk: {self.chunk} games are too few for {self.positions} positions an iteration"


def can_share_network(rules: Rules, others: Rules) -> bool:
    """Whether one network plays both: one game, for as many, that shows the same; boards may differ."""
    return _inputs_of(rules) == _inputs_of(others)


def _inputs_of(rules: Rules) -> tuple[object, ...]:
    planes, features = planes_of(rules), features_of(rules)
    return (
        rules.name,
        len(rules.colours),
        [plane.name for plane in planes],
        [feature.name for feature in features],
    )
