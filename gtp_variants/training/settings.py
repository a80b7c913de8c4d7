"""The settings of a training run and of its self-play, some of which change as it proceeds. No numpy is needed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gtp_variants.ai.nets.encoding.features import features_of
from gtp_variants.ai.nets.encoding.planes import planes_of
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import training_stages
from gtp_variants.base.number_ranges import find_faults, read_ranges
from gtp_variants.errors import ConfigError
from gtp_variants.rules import parse, split_spec
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

SETTING_RANGES = read_ranges(Path(__file__).with_name("ranges.toml"))
# (limit of positions, learning rate below that limit). Small late steps improve a policy most.
_RATES = ((300_000, 1e-3), (800_000, 6e-4), (1_500_000, 3e-4), (5_000_000, 1.5e-4), (float("inf"), 7e-5))
_FIRST_WINDOW = 100_000
_LARGEST_WINDOW = 1_000_000
# (limit of positions, factors for playouts and for moves considered below it). Only games with a score use row 1.
_PLAYOUTS = ((400_000, 1 / 2, 2 / 3), (1_500_000, 1.0, 1.0), (5_000_000, 3 / 2, 7 / 6), (float("inf"), 2.0, 4 / 3))
# Twice the best weights of 9x9 Go and Pentalath prototypes, because their values ranged from -1 to 1, ours from 0 to 1.
_VALUE_SCALE = 0.7
_VALUE_SCALE_OF_LINES = 0.3
_MOVES_A_POINT = 3
# Weight of the search in the value to learn, for searches with few playouts and for deep searches.
_ROOT_SHARE = 0.3
_DEEP_ROOT_SHARE = 0.75
# Weight of a search by a seat that did not see the position. This value is not based on measurements.
_SEAT_ROOT_SHARE = 0.2
# Weight of the values in the loss. A higher weight for deep searches improves the values on unseen games.
_VALUE_WEIGHT = 1.0
_DEEP_VALUE_WEIGHT = 3.0
_TAUGHT_VALUE_WEIGHT = 2.0
# Number of positions of a game that a teacher labels. More positions of a game teach less than more games do.
LABELS_A_GAME = 20
# Maximum number of chunks per iteration. Game numbers depend on it, so it never changes.
_MOST_CHUNKS = 10_000
# Maximum number of positions that a start from another game counts as. Playouts then begin at their full number, and
# the learning rate stays high.
_MOST_OF_ANOTHER_GAME = 400_000


@dataclass(frozen=True, slots=True)
class SelfPlaySettings:
    """The settings of self-play.

    `playouts`: playouts per move, divided at the root among `considered` moves
    `value_scale`: weight of the values at the root relative to the priors
    `deep_share`: share of the moves searched with `deep_playouts`, as in play. Training uses only these moves, or all
    moves if it is 0. The method is playout cap randomisation (Wu, "Accelerating Self-Play Learning in Go", 2019)
    `opening`: maximum number of random moves at the start of a game; in every tenth game it is `long_opening`
    `most_moves`: maximum number of moves, after which the position is counted
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
    """The settings of a training run, to which its folder is bound.

    `specs`: games, boards and options to play, in equal numbers of games; more may be added later
    `positions`: minimum number of new positions per iteration
    `chunk`: number of games that are played and written at a time
    `passes`: how often, on average, each new position is trained on, in batches of `batch` positions
    `root_share`: weight of the search in the value to learn; None means 0.3, or 0.75 with deep searches
    `playouts`: playouts per move, divided among `considered` moves; later up to twice as many, and at first half as
    many in games with a score
    `deep_share`: share of the moves searched with `deep_playouts`, as in play; training uses only these moves
    `start`: weight file for a similar game to begin with, which is copied into the folder; "" for random weights
    `start_positions`: number of positions that `start` counts as, which affects the learning rate; None for the
    positions that it was trained on, at most 400,000 from other games, or for 0 with a teacher
    `teacher_share`: share of the positions to learn from that a teacher labels; 0 without a teacher
    `teacher_visits`: visits of a teacher's search of each position; 1 for its network's policy
    `play_as`: a game with hidden stones that a bot plays instead, whose full boards are learnt from; "" for none

    The argument `positions` of the methods includes the positions of `start`.
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
    teacher_share: float = 0.0
    teacher_visits: int = 1
    play_as: str = ""

    def rate(self, positions: int) -> float:
        """Return Adam's learning rate after this many positions, based on measurements for 9x9 Go and Pentalath."""
        return next(rate for most, rate in _RATES if positions < most)

    def window(self, positions: int) -> int:
        """Return how many latest positions to learn from: at most a million, and a smaller share without a teacher."""
        fresh = positions if self.teacher_share else max(0, positions - _FIRST_WINDOW) // 4
        return min(_LARGEST_WINDOW, _FIRST_WINDOW + fresh)

    @property
    def search_share(self) -> float:
        """The weight of the search in the value to learn: `root_share`, or the default for its kind of search."""
        if self.root_share is not None:
            return self.root_share
        if self.play_as:
            return _SEAT_ROOT_SHARE
        return _DEEP_ROOT_SHARE if self.deep_share else _ROOT_SHARE

    @property
    def value_weight(self) -> float:
        if self.teacher_share:
            return _TAUGHT_VALUE_WEIGHT
        return _DEEP_VALUE_WEIGHT if self.deep_share else _VALUE_WEIGHT

    def check(self) -> None:
        """Raise ConfigError if there is no SPEC, or with a list of all values that are out of range."""
        if not self.specs:
            raise ConfigError(["specs: expected one or more, got none"])
        if faults := [f"{name} {fault}" for name, fault in find_faults(asdict(self), SETTING_RANGES)]:
            raise ConfigError(faults)

    def check_rules(self, rules: Sequence[Rules]) -> None:
        """Raise ConfigError unless one network and the settings fit all SPECs, and iterations can be large enough."""
        longest = _MOVES_A_POINT * max(len(each.board) for each in rules)
        if self.chunk * _MOST_CHUNKS * longest < self.positions:
            least = -(-self.positions // (_MOST_CHUNKS * longest))
            raise ConfigError([f"{self._too_few_games}, expected {least} or more"])
        for spec, each in zip(self.specs, rules, strict=True):
            if not can_share_network(rules[0], each):
                raise ConfigError([f"{spec}: expected the game of {self.specs[0]}; a network plays one game"])
            # KataGo's protocol must be able to describe the positions and policies.
            is_simple = each.is_open and not isinstance(each, DicedRules) and not each.has_swap
            if self.teacher_share and not (is_simple and len(each.colours) == 2):
                why = "a teacher cannot label games with dice, hidden stones, a swap or three players"
                raise ConfigError([f"{spec}: {why}"])
            played = self.played_rules(each)
            seen = parse(each.name, split_spec(played.spec)[1])
            if self.play_as and (played.profile.judged_as, seen.spec) != (each.name, each.spec):
                raise ConfigError([f"{self.play_as}: expected a game whose positions are those of {spec}"])
            if self.deep_share and not played.is_open:
                raise ConfigError([f"{spec}: deep_share is not supported for hidden games"])

    def played_rules(self, rules: Rules) -> Rules:
        """Return the rules by which the games of a SPEC are played: those of `play_as`, with the shared options."""
        return parse(self.play_as, split_spec(rules.spec)[1]) if self.play_as else rules

    def first_game(self, iteration: int, chunk: int) -> int:
        """Return the number of the first game in a chunk. Raises ConfigError if the iteration has too many chunks."""
        if chunk >= _MOST_CHUNKS:
            raise ConfigError([self._too_few_games])
        return (iteration * _MOST_CHUNKS + chunk) * self.chunk

    def count_known_positions(self, start: Network, game: str) -> int:
        """Return how many positions the starting network's earlier training counts for in this game."""
        if self.start_positions is not None:
            return self.start_positions
        # A high learning rate is needed to forget what the network believed before.
        if self.teacher_share:
            return 0
        stages = training_stages(start)
        own = sum(stage.positions for stage in stages if stage.game == game)
        others = sum(stage.positions for stage in stages) - own
        return own + min(others, _MOST_OF_ANOTHER_GAME)

    def chunk_positions(self, rules: Sequence[Rules]) -> int:
        """Estimate the number of positions to learn from in a chunk, assuming about one move per point of the board."""
        if self.teacher_share:
            return round(self.chunk * LABELS_A_GAME / self.teacher_share)
        points = sum(len(each.board) for each in rules) / len(rules)
        return round(self.chunk * points * (self.deep_share or 1))

    def self_play(self, rules: Rules, positions: int) -> SelfPlaySettings:
        """Return the self-play settings after this many positions. Playouts increase with positions."""
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
        """The error message for an iteration that may run out of chunks."""
        return f"chunk: {self.chunk} games are too few for {self.positions} positions an iteration"


def can_share_network(rules: Rules, others: Rules) -> bool:
    """Return True if one network can play both games: the same game, colours and inputs, perhaps on other boards."""
    return _inputs_of(rules) == _inputs_of(others)


def _inputs_of(rules: Rules) -> tuple[object, ...]:
    planes, features = planes_of(rules), features_of(rules)
    return (rules.name, len(rules.colours), [plane.name for plane in planes], [feature.name for feature in features])
