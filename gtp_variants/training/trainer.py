"""`Trainer`: a network trained from nothing by games against itself, in a folder that it can go on from at any time.

An iteration plays games with the network so far and learns from the latest of all games. What is written is written
whole or not at all, and everything follows from the seed: a trainer that was killed comes to the same weights.
"""

import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from gtp_variants.errors import ConfigError, RecordError, SpecError
from gtp_variants.json_values import Json
from gtp_variants.nets.encoder import Encoder
from gtp_variants.nets.network import Network, NetworkShape
from gtp_variants.nets.weights import instruction_set
from gtp_variants.nets.weights.training_stages import describe_training, training_stages
from gtp_variants.processes.cores import available_cores
from gtp_variants.processes.dask_cluster import DaskCluster
from gtp_variants.records.files import sync, write
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.training.cluster_self_play import ClusterSelfPlayer, self_player
from gtp_variants.training.json_files import check_numbers, read_lines, read_object
from gtp_variants.training.learner import Learner, Losses, LossWeights, SampleBatch
from gtp_variants.training.ranges import SETTING_RANGES, find_faults
from gtp_variants.training.replay_window import ReplayWindow
from gtp_variants.training.self_play import CPU, PlayedGames, SelfPlaySettings

# No iteration plays more chunks: their numbers follow from it.
_MOST_CHUNKS = 10_000


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

    def check(self) -> None:
        """Raise ConfigError for numbers that cannot be, all of them at once."""
        if not self.specs:
            raise ConfigError(["specs: none, expected one or more"])
        if faults := [f"{name} {fault}" for name, fault in find_faults(asdict(self), SETTING_RANGES)]:
            raise ConfigError(faults)

    def check_chunk(self, rules: Sequence[Rules]) -> None:
        """Raise ConfigError where all chunks of an iteration, of the longest games, are too few for its positions."""
        longest = _MOVES_A_POINT * max(len(each.board) for each in rules)
        if self.chunk * _MOST_CHUNKS * longest < self.positions:
            least = -(-self.positions // (_MOST_CHUNKS * longest))
            raise ConfigError([f"{self.too_few_games}, expected {least} or more"])

    def chunk_positions(self, rules: Sequence[Rules]) -> int:
        """About how many positions a chunk has to learn from: a game has about a move a point."""
        points = sum(len(each.board) for each in rules) / len(rules)
        return round(self.chunk * points * (self.deep_share or 1))

    @property
    def too_few_games(self) -> str:
        """What is wrong where an iteration may not have enough chunks."""
        return f"chunk: {self.chunk} games are too few for {self.positions} positions an iteration"

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


# Small steps late are what a policy gains most from: that of Pentalath's network, alone against a search, went from 25%
# of 60 games to 40% of 100 in 270,000 positions at 1.5e-4, with half as many playouts again, after 1.6 million before.
_RATES = ((300_000, 1e-3), (800_000, 6e-4), (1_500_000, 3e-4), (5_000_000, 1.5e-4), (float("inf"), 7e-5))
_FIRST_WINDOW, _LARGEST_WINDOW = 100_000, 1_000_000
# Up to so many positions: how many times the playouts, and the moves considered. The first for games with a score.
_PLAYOUTS = ((400_000, 1 / 2, 2 / 3), (1_500_000, 1.0, 1.0), (5_000_000, 3 / 2, 7 / 6), (float("inf"), 2.0, 4 / 3))
# Twice what prototypes learnt best with on 9x9 Go and Pentalath: their values went from -1 to 1, these go from 0 to 1.
# With half of it Go learnt slowly, and Alter Igo, whose games are long, nothing.
_VALUE_SCALE, _VALUE_SCALE_OF_LINES = 0.7, 0.3
_MOVES_A_POINT = 3
# What the search thinks in the value to learn: of few playouts, of a deep search.
_ROOT_SHARE, _DEEP_ROOT_SHARE = 0.3, 0.75
# What values of deep searches count in the loss: three times as much as others brings them nearer to those of unseen
# games, and takes next to nothing from the policy.
_DEEP_VALUE_WEIGHT = 3.0
_Batch = tuple[Encoder, SampleBatch]
# In the folder of a training: what it began with, and how it is to go on.
_START = "start.safetensors"
_SETTINGS = "training.json"
_LOG = "log.jsonl"
# What the log says of an iteration, beside its losses.
_ROW = ("iteration", "games", "positions", "self_play_s", "learning_s", "rate", "window")
# What positions of another game count as at most: games are searched with all playouts at once, steps are still large.
_MOST_OF_ANOTHER_GAME = 400_000


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a training stands after an iteration; seconds are processor time of all threads and machines."""

    iteration: int
    games: int
    positions: int
    self_play_s: float
    learning_s: float
    losses: Losses

    @property
    def hours(self) -> float:
        """Processor hours of both together."""
        return (self.self_play_s + self.learning_s) / 3600


class Trainer:
    """A training that goes on in a folder: in so many threads of this machine, games on a cluster if there is one.

    `device` is where networks are evaluated and learn: `cpu`, or `cuda` for a graphics card, by PyTorch. Raises
    ConfigError for settings that cannot be, if the folder was begun with others, or if the SPECs are not of one game;
    RecordError for a file of the folder that is damaged. Nothing is written then.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        folder: Path,
        threads: int = 0,
        cluster: DaskCluster | None = None,
        device: str = CPU,
    ) -> None:
        self.settings, self.folder, self._cluster, self._device = settings, folder, cluster, device
        self._threads = threads or available_cores()
        settings.check()
        # A wrong name is told now and not by the first games.
        instruction_set()
        self.rules = [parse(spec) for spec in settings.specs]
        settings.check_chunk(self.rules)
        self._encoder = Encoder(self.rules[0])
        # Of each SPEC that came up whether the network plays it.
        self._plays: dict[str, bool] = {}
        for spec, rules in zip(settings.specs, self.rules, strict=True):
            if not self._plays_spec(spec):
                raise ConfigError([f"{spec}: another game than {settings.specs[0]}, a network plays one"])
            if settings.deep_share and not rules.is_open:
                raise ConfigError([f"{spec}: seats that do not see every stone search all moves alike, no deep_share"])
        self._check_settings()
        shape = network_shape(self._encoder, settings.channels, settings.blocks)
        try:
            self._learner = _make_learner(self._encoder, shape, settings.seed, self._threads, device)
        except MemoryError:
            size = f"channels {settings.channels}, blocks {settings.blocks}"
            raise ConfigError([f"{size}: this machine has no memory for so large a network"]) from None
        start = self._read_start()
        self._start, self._earlier = self._begin_from(start) if start else ("", 0)
        self._window = ReplayWindow(self._threads)
        self.progress = Progress(0, 0, 0, 0.0, 0.0, Losses(0, 0, 0, 0, 0))
        self._restore()
        # Once all is well: a folder is not bound to what could not begin.
        self._begin_folder(start)

    @property
    def network(self) -> Network:
        """The network after the latest iteration."""
        return self._learner.network(self._about())

    def run(
        self,
        is_enough: Callable[[Progress], bool],
        tell: Callable[[Progress], None],
        warn: Callable[[str], object] = warnings.warn,
    ) -> None:
        """Go on, iteration by iteration, until it is enough; `tell` hears of each, `warn` of files that are replaced.

        Raises RecordError for games in the folder that are another game's, ConfigError where chunks are too small.
        """
        while not is_enough(self.progress):
            self._iterate(warn)
            tell(self.progress)

    def history(self) -> list[Json]:
        """What was written down of each iteration. Raises RecordError for a log that is damaged."""
        rows = read_lines(self.folder / _LOG, _read_row)
        return [row for row in rows if row["iteration"] <= self.progress.iteration]

    def hours_after(self, iteration: int) -> float:
        """Processor hours of self-play and learning up to the end of an iteration, which must have ended."""
        rows = [row for row in self.history() if row["iteration"] <= iteration]
        return (rows[-1]["self_play_s"] + rows[-1]["learning_s"]) / 3600 if rows else 0.0

    def sample_games(self, most: int) -> list[Game]:
        """The first games of the latest iteration."""
        path = self._games_path(self.progress.iteration, 0)
        if not path.exists():
            return []
        games = PlayedGames.load(path)
        return [games.replay(number) for number in range(min(most, len(games)))]

    # -- an iteration

    def _iterate(self, warn: Callable[[str], object]) -> None:
        before, settings = self.progress, self.settings
        began = self._processor_s()
        played, workers_s = self._play(warn)
        played_s = self._processor_s() - began + workers_s
        new = sum(len(each.places) for each in played)
        positions = before.positions + new
        for each in played:
            self._window.append(each, settings.window(self._earlier + positions))
        began = self._processor_s()
        losses = self._learn(new, positions)
        learnt_s = self._processor_s() - began
        self.progress = Progress(
            before.iteration + 1,
            before.games + sum(map(len, played)),
            positions,
            before.self_play_s + played_s,
            before.learning_s + learnt_s,
            losses,
        )
        self._commit()

    def _play(self, warn: Callable[[str], object]) -> tuple[list[PlayedGames], float]:
        """The games of the next iteration, and what they took of a cluster's processors in seconds.

        Those that were written before a kill are read; from a file that is damaged, the same ones are played again.
        """
        iteration, settings = self.progress.iteration + 1, self.settings
        network = self.network
        players = [self_player(rules, network, self._threads, self._cluster, self._device) for rules in self.rules]
        played: list[PlayedGames] = []
        while sum(len(each.places) for each in played) < settings.positions:
            chunk = len(played)
            if chunk == _MOST_CHUNKS:
                raise ConfigError([settings.too_few_games])
            path = self._games_path(iteration, chunk)
            games = self._games_of(path, warn) if path.exists() else None
            if games is None:
                which = (self.progress.games // settings.chunk + chunk) % len(players)
                how = settings.self_play(self.rules[which], self._earlier + self.progress.positions)
                first = (iteration * _MOST_CHUNKS + chunk) * settings.chunk
                games = players[which].play(how, settings.seed, first, settings.chunk)
                games.save(path)
            played.append(games)
        return played, sum(each.workers_s for each in players if isinstance(each, ClusterSelfPlayer))

    def _games_of(self, path: Path, warn: Callable[[str], object]) -> PlayedGames | None:
        """The games in a file of the next iteration, None if it is damaged. Raises RecordError for another game's."""
        try:
            games = PlayedGames.load(path)
        except RecordError as error:
            warn(f"{error}; they are played again")
            return None
        self._check_games(path, games)
        return games

    def _learn(self, new: int, positions: int) -> Losses:
        settings = self.settings
        rng = np.random.default_rng([settings.seed, self.progress.iteration + 1])
        steps = max(1, round(new * settings.passes / settings.batch))
        sums = np.zeros(5)
        root_share = settings.root_share
        if root_share is None:
            root_share = _DEEP_ROOT_SHARE if settings.deep_share else _ROOT_SHARE
        weights = LossWeights(value=_DEEP_VALUE_WEIGHT) if settings.deep_share else LossWeights()
        for encoder, batch in _prefetch(self._window.draw(rng, steps, settings.batch, root_share)):
            found = self._learner.learn(batch, encoder, weights)
            sums += [found.policy, found.value, found.owners, found.score, found.hidden_stones]
            self._learner.step(settings.rate(self._earlier + positions))
        return Losses(*map(float, sums / steps))

    # -- what is on the disk

    def _games_path(self, iteration: int, chunk: int) -> Path:
        return self.folder / "games" / f"{iteration:05}-{chunk:04}.npz"

    def weights_path(self, iteration: int) -> Path:
        """The network after an iteration."""
        return self.folder / "weights" / f"{iteration:05}.safetensors"

    def _read_start(self) -> Network | None:
        """The network to begin with, None if there is none: the folder's copy, for the file may have changed since."""
        if not self.settings.start:
            return None
        copy = self.folder / _START
        return Network.load(copy if copy.exists() else self.settings.start)

    def _begin_from(self, network: Network) -> tuple[str, int]:
        """Begin with what another network knows; what is said of it, and how many positions that counts as."""
        try:
            self._learner.begin_from(network)
        except ValueError as error:
            raise ConfigError([f"{self.settings.start}: {error}"]) from None
        said = describe_training(network)
        if self.settings.start_positions is not None:
            return said, self.settings.start_positions
        stages = training_stages(network)
        own = sum(stage.positions for stage in stages if stage.game == self.rules[0].name)
        others = sum(stage.positions for stage in stages) - own
        return said, own + min(others, _MOST_OF_ANOTHER_GAME)

    def _plays_spec(self, spec: str) -> bool:
        """Whether the network plays a SPEC: its game, for as many, that shows the same. Raises SpecError."""
        if spec not in self._plays:
            mine, other = self._encoder, Encoder(parse(spec))
            self._plays[spec] = _inputs_of(mine) == _inputs_of(other)
        return self._plays[spec]

    def _plays_spec_of(self, path: Path, spec: str) -> bool:
        """The same of a SPEC that stands in a file. Raises RecordError."""
        try:
            return self._plays_spec(spec)
        except SpecError as error:
            raise RecordError(f"{path}: {error}") from None

    def _check_games(self, path: Path, games: PlayedGames) -> None:
        if not self._plays_spec_of(path, games.spec):
            raise RecordError(f"{path}: games of {games.spec}, expected games of {self.settings.specs[0]}")

    def _check_settings(self) -> None:
        path = self.folder / _SETTINGS
        if not path.exists():
            return
        mine, theirs = json.loads(json.dumps(asdict(self.settings))), _read_settings(path)
        for spec in theirs.pop("specs"):
            if not self._plays_spec_of(path, spec):
                raise ConfigError(
                    [f"{self.settings.specs[0]}: {self.folder} was begun with {spec}, and a network plays one game"]
                )
        del mine["specs"]
        faults = [
            f"{key}: {mine.get(key)!r}, but {self.folder} was begun with {theirs.get(key)!r}"
            for key in mine | theirs
            if mine.get(key) != theirs.get(key)
        ]
        if faults:
            raise ConfigError(faults)

    def _begin_folder(self, start: Network | None) -> None:
        (self.folder / "games").mkdir(parents=True, exist_ok=True)
        (self.folder / "weights").mkdir(exist_ok=True)
        copy = self.folder / _START
        if start is not None and not copy.exists():
            # The file may be written anew or deleted before the training goes on.
            self._save(start, copy)
        write(self.folder / _SETTINGS, json.dumps(asdict(self.settings), indent=1).encode(), durable=True)

    def _save(self, network: Network, path: Path) -> None:
        """Write a network to a file that counts once it is on the disk."""
        beside = path.with_name(f".{path.name}")
        network.save(beside)
        sync(beside)
        beside.replace(path)

    def _commit(self) -> None:
        """Write down an iteration: it counts once the state is there, which is written last."""
        progress = self.progress
        self._save(self.network, self.weights_path(progress.iteration))
        rate = self.settings.rate(self._earlier + progress.positions)
        row = asdict(progress) | {"rate": rate, "window": len(self._window)}
        rows = [each for each in self.history() if int(str(each["iteration"])) < progress.iteration]
        lines = "".join(json.dumps(each) + "\n" for each in [*rows, row])
        write(self.folder / _LOG, lines.encode(), durable=True)
        about = json.dumps(asdict(progress)).encode()
        state = len(about).to_bytes(4, "little") + about + self._learner.state()
        write(self.folder / "state.bin", state, durable=True)

    def _restore(self) -> None:
        path = self.folder / "state.bin"
        if not path.exists():
            return
        raw = path.read_bytes()
        length = int.from_bytes(raw[:4], "little")
        try:
            about = json.loads(raw[4 : 4 + length])
            self.progress = Progress(**about | {"losses": Losses(**about["losses"])})
            self._learner.restore(raw[4 + length :])
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path}: not a state of training: {error}") from error
        self.history()
        self._refill()

    def _refill(self) -> None:
        """Fill the window as it was: with the games of the iterations that count."""
        positions = 0
        for iteration in range(1, self.progress.iteration + 1):
            played: list[PlayedGames] = []
            # As it was played: files behind those that were enough have not been learnt from.
            while sum(len(each.places) for each in played) < self.settings.positions:
                path = self._games_path(iteration, len(played))
                if not path.exists():
                    break
                played.append(PlayedGames.load(path))
                self._check_games(path, played[-1])
            positions += sum(len(each.places) for each in played)
            for each in played:
                self._window.append(each, self.settings.window(self._earlier + positions))

    def _processor_s(self) -> float:
        """Processor time of this process, and of those that it began and that have ended.

        Workers of a cluster are told apart: their time comes with their games, also where they are processes of ours.
        """
        times = os.times()
        children_s = times.children_user + times.children_system if self._cluster is None else 0.0
        return times.user + times.system + children_s

    def _about(self) -> dict[str, str]:
        progress = self.progress
        return {
            "specs": " ".join(self.settings.specs),
            "games": str(progress.games),
            "positions": str(progress.positions),
            "hours": f"{progress.hours:.2f}",
            **({"start": self._start} if self._start else {}),
        }


def _make_learner(encoder: Encoder, shape: NetworkShape, seed: int, threads: int, device: str) -> Learner:
    if device == CPU:
        return Learner(encoder, shape, seed, threads)
    from gtp_variants.training.pytorch.learner import TorchLearner

    return TorchLearner(encoder, shape, seed, device)


def _prefetch(batches: Iterator[_Batch]) -> Iterator[_Batch]:
    """The same, each made while the one before is learnt from."""
    with ThreadPoolExecutor(1) as maker:
        coming = maker.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = maker.submit(next, batches, None)
            yield batch


def _inputs_of(encoder: Encoder) -> tuple[object, ...]:
    """What the network of a game depends on, boards and other options left out."""
    return encoder.rules.name, len(encoder.rules.colours), encoder.planes, encoder.globals


def _read_row(row: Json) -> Json:
    """A row of the log. Raises ValueError."""
    check_numbers(row, *_ROW)
    if not isinstance(row.get("losses"), dict):
        raise ValueError(f"losses: {row.get('losses')!r}, expected an object")
    check_numbers(row["losses"], *row["losses"])
    return row


def _read_settings(path: Path) -> Json:
    """The settings of a folder; those that did not exist when it was begun are as they are without them."""
    try:
        theirs: Json = {**asdict(TrainingSettings(())), **read_object(path.read_bytes())}
    except ValueError as error:
        raise RecordError(f"{path}: not the settings of a training: {error}") from None
    specs = theirs["specs"]
    if not isinstance(specs, list) or not all(isinstance(spec, str) for spec in specs):
        raise RecordError(f"{path}: specs: {specs!r}, expected a list of SPECs")
    # Earlier folders say what is now the default, and have a setting that is gone.
    if theirs["root_share"] == _ROOT_SHARE and not theirs["deep_share"]:
        theirs["root_share"] = None
    if not theirs.get("cheap_share"):
        theirs.pop("cheap_share", None)
    return theirs


def network_shape(encoder: Encoder, channels: int = 32, blocks: int = 4) -> NetworkShape:
    """The shape of a network that plays the encoder's game."""
    rules = encoder.rules
    return NetworkShape(
        len(encoder.planes),
        len(encoder.globals),
        encoder.taps.shape[1],
        channels,
        blocks,
        colours=len(rules.colours),
        has_score=rules.is_scored,
        has_owners=rules.is_scored,
        has_hidden_stones=not rules.is_open,
    )
