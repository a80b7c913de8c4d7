"""`Trainer`, which trains a network by self-play in a folder. A killed run can continue and reach the same weights."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import describe_training
from gtp_variants.ai.nets.weight_choice import instruction_set
from gtp_variants.base.interruption import ShouldStop
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.cores import available_cores
from gtp_variants.base.processes.dask_cluster import DaskCluster
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game
from gtp_variants.training.batch import Losses, LossWeights, SampleBatch, network_shape
from gtp_variants.training.cluster_self_play import ClusterSelfPlayer, GamesPlayer, self_player
from gtp_variants.training.folder import Progress, TrainingFolder
from gtp_variants.training.pytorch.learner import Learner
from gtp_variants.training.replay_window import ReplayWindow
from gtp_variants.training.self_play import CPU, PlayedGames
from gtp_variants.training.settings import TrainingSettings
from gtp_variants.training.teacher import Teacher, teach

# Number of actions after which games must have produced a position to learn from.
_ENOUGH_FOR_ONE = 100
# Number of unseen positions used to measure losses. About 0.03 nats of the policy's loss are due to chance.
_UNSEEN_POSITIONS = 1024

_Batch = tuple[Encoder, SampleBatch]


class Trainer:
    """A training run in a folder, on threads of this machine. A cluster may play the games.

    `device`, which evaluates networks and learns, is `cpu`, or `cuda` for a graphics card. `teachers` are processes
    of a teacher, if the settings give it a share. Raises TeacherFailed if a teacher fails, and ConfigError for
    invalid settings, for a folder with other settings, or for SPECs of several games. Raises RecordError if a file in
    the folder is damaged or missing. In all these cases nothing has been written.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        folder: Path,
        threads: int = 0,
        cluster: DaskCluster | None = None,
        device: str = CPU,
        teachers: Sequence[Teacher] = (),
    ) -> None:
        self.settings, self._cluster, self._device, self._teachers = settings, cluster, device, teachers
        self._threads = threads or available_cores()
        settings.check()
        # Report a wrong instruction set now, not when the first games are played.
        instruction_set()
        self.rules = [parse(spec) for spec in settings.specs]
        settings.check_rules(self.rules)
        if bool(teachers) != bool(settings.teacher_share):
            raise ConfigError([f"teacher_share: {settings.teacher_share:g} with {len(teachers)} teachers"])
        self.folder = TrainingFolder(folder, settings)
        self.folder.check_settings()
        self._teacher_names = tuple(each.introduce() for each in teachers)
        self._learner = self._make_learner()
        start = self.folder.read_start()
        self._start, self._earlier = self._begin_from(start) if start else ("", 0)
        self.progress = self.folder.restore(self._learner) or Progress(0, 0, 0, 0.0, 0.0, Losses(0, 0, 0, 0, 0))
        self._window = ReplayWindow(self._threads, self.progress.specs)
        if self.progress.iteration:
            # Report a damaged log now, not after the next iteration.
            self.folder.check_log(self.progress.iteration)
        self._play_times = self.folder.read_play_times(self.progress.iteration + 1)
        self._refill()
        # Do this last, so that the folder is not bound to a run that could not begin.
        self.folder.begin(start)

    @property
    def network(self) -> Network:
        """The network after the latest iteration."""
        return self._learner.network(self._about())

    def repair_weights(self, warn: Callable[[str], object]) -> None:
        """Warn about damaged and missing weight files, which training does not read. Rewrite the latest if needed."""
        latest, path_of = self.progress.iteration, self.folder.weights_path
        gone = [path_of(iteration) for iteration in range(1, latest + 1) if not path_of(iteration).exists()]
        faults = {iteration: self.folder.explain_damage(iteration) for iteration in range(1, latest + 1)}
        damaged = {iteration: fault for iteration, fault in faults.items() if fault is not None}
        if gone:
            more = f" (and {len(gone) - 1} more)" if len(gone) > 1 else ""
            warn(f"{gone[0]}: missing{more}; the training does not need it")
        for fault in damaged.values():
            warn(f"{fault}; the training does not need it")
        if latest in damaged or path_of(latest) in gone:
            self.folder.save_weights(latest, self.network)

    def run(
        self, should_stop: ShouldStop, tell: Callable[[Progress], None], warn: Callable[[str], object] = warnings.warn
    ) -> None:
        """Train until `should_stop()`. `tell` gets progress, `warn` lost games. Raises RecordError if more is lost."""
        while not should_stop():
            self._iterate(warn)
            tell(self.progress)

    def history(self) -> list[Json]:
        """Return the log of the iterations so far. Raises RecordError if it is damaged."""
        return self.folder.history(self.progress.iteration)

    def hours_after(self, iteration: int) -> float:
        """Return the processor hours up to the end of a finished iteration."""
        rows = self.folder.history(min(iteration, self.progress.iteration))
        return (rows[-1]["self_play_s"] + rows[-1]["learning_s"]) / 3600 if rows else 0.0

    def sample_games(self, most: int) -> list[Game]:
        """Return the first games of the latest iteration, at most `most`."""
        path = self.folder.games_path(self.progress.iteration, 0)
        if not path.exists():
            return []
        games = PlayedGames.load(path)
        return [games.replay(number) for number in range(min(most, len(games)))]

    def _make_learner(self) -> Learner:
        settings, encoder = self.settings, Encoder(self.rules[0])
        shape = network_shape(encoder, settings.channels, settings.blocks)
        try:
            return Learner(encoder, shape, settings.seed, self._threads, self._device)
        except (MemoryError, RuntimeError) as error:
            # PyTorch raises a RuntimeError that mentions memory if a graphics card's or the processor's runs out.
            if isinstance(error, RuntimeError) and "memory" not in str(error):
                raise
            size = f"channels {settings.channels}, blocks {settings.blocks}"
            raise ConfigError([f"{size}: not enough memory for so large a network"]) from None

    def _begin_from(self, network: Network) -> tuple[str, int]:
        """Begin with a network's weights. Return its description and how many positions its training counts for."""
        try:
            self._learner.begin_from(network)
        except ValueError as error:
            raise ConfigError([f"{self.settings.start}: {error}"]) from None
        return describe_training(network), self.settings.count_known_positions(network, self.rules[0].name)

    def _refill(self) -> None:
        """Refill the window with the games that it contained, or in older folders with all games from the first on."""
        positions, iteration = 0, self.progress.iteration
        expected = self.progress.positions
        if self.progress.specs:
            expected = self.history()[-1]["window"]
            for games in self.folder.latest_games(iteration, expected):
                positions += len(games.places)
                self._window.append(games, expected)
        else:
            for number in range(1, iteration + 1):
                played = self.folder.read_iteration(number)
                positions += _count_positions(played)
                self._take_in(played, positions)
        if positions != expected:
            folder = self.folder.games_path(1, 0).parent
            raise RecordError(f"{folder}: {positions} positions to learn from, expected {expected}")

    def _iterate(self, warn: Callable[[str], object]) -> None:
        before, settings = self.progress, self.settings
        played, played_s = self._play(warn)
        new = _count_positions(played)
        positions = before.positions + new
        unseen = self._find_unseen_losses(played)
        self._take_in(played, positions)
        began = self._processor_s()
        rate = settings.rate(self._earlier + positions)
        rng = np.random.default_rng([settings.seed, before.iteration + 1])
        steps = max(1, round(new * settings.passes / settings.batch))
        batches = self._window.draw(rng, steps, settings.batch, settings.search_share)
        losses = self._add_gradients(batches, lambda: self._learner.step(rate))
        learnt_s = self._processor_s() - began
        self.progress = Progress(
            before.iteration + 1,
            before.games + sum(map(len, played)),
            positions,
            before.self_play_s + played_s,
            before.learning_s + learnt_s,
            losses,
            unseen,
            self._window.specs,
            before.labels + sum(len(each.taught) for each in played),
            tuple(dict.fromkeys([*before.teachers, *self._teacher_names])),
        )
        self.folder.commit(self.progress, self.network, self._learner, rate, len(self._window))

    def _play(self, warn: Callable[[str], object]) -> tuple[list[PlayedGames], float]:
        """Play the next iteration's games, or read games already written. Also return their processor seconds."""
        iteration, settings = self.progress.iteration + 1, self.settings
        before_s, network = self._processor_s(), self.network
        where = self._threads, self._cluster, self._device
        players = [self_player(settings.played_rules(rules), network, *where) for rules in self.rules]
        played: list[PlayedGames] = []
        times, earlier_s = self._play_times, 0.0
        while _count_positions(played) < settings.positions:
            chunk = len(played)
            first = settings.first_game(iteration, chunk)
            path = self.folder.games_path(iteration, chunk)
            # The file of labels that have arrived. It is deleted once the games are written.
            labels = path.with_suffix(".labels")
            games = self.folder.read_games(iteration, chunk, warn)
            times += [0.0] * (chunk + 1 - len(times))
            if games is None:
                which = (self.progress.games // settings.chunk + chunk) % len(players)
                how = settings.self_play(self.rules[which], self._earlier + self.progress.positions)
                began_s = self._processor_s() + _workers_s(players)
                games = players[which].play(how, settings.seed, first, settings.chunk)
                if self._teachers:
                    share, visits = settings.teacher_share, settings.teacher_visits
                    games = teach(games, self._teachers, share, (settings.seed, first), labels, visits)
                times[chunk] = self._processor_s() + _workers_s(players) - began_s
                # The times are written before the games, so that a killed run cannot lose the times of written games.
                self.folder.write_play_times(iteration, times)
                games.save(path)
                labels.unlink(missing_ok=True)
            else:
                earlier_s += times[chunk]
            played.append(games)
            actions = sum(int(each.lengths.sum()) for each in played)
            if not _count_positions(played) and actions * (settings.deep_share or 1) >= _ENOUGH_FOR_ONE:
                # There is nothing to learn, for example, on a board with a single point.
                number = sum(map(len, played))
                raise ConfigError([f"{played[0].spec}: {number} games have no position to learn from"])
        self._play_times = []
        return played, self._processor_s() - before_s + _workers_s(players) + earlier_s

    def _take_in(self, played: list[PlayedGames], positions: int) -> None:
        """Add an iteration's games to the window. `positions` is the total number including them."""
        for games in played:
            self._window.append(games, self.settings.window(self._earlier + positions))

    def _find_unseen_losses(self, played: list[PlayedGames]) -> Losses:
        """Return the losses on games not trained on yet. Neither the learner nor the measured time changes."""
        settings, state = self.settings, self._learner.state()
        games = ReplayWindow(self._threads)
        for each in played:
            games.append(each, _count_positions(played))
        rng = np.random.default_rng([settings.seed, self.progress.iteration + 1, _UNSEEN_POSITIONS])
        rows = min(settings.batch, _UNSEEN_POSITIONS)
        losses = self._add_gradients(games.draw(rng, _UNSEEN_POSITIONS // rows, rows, settings.search_share))
        self._learner.restore(state)
        return losses

    def _add_gradients(self, batches: Iterator[_Batch], step: Callable[[], None] = lambda: None) -> Losses:
        """Learn from batches, call `step` after each batch, and return the mean losses."""
        value, usual = self.settings.value_weight, LossWeights()
        weights, found = replace(usual, value=value, short_term_value=value * usual.short_term_value), []
        for encoder, batch in _prefetch(batches):
            found.append(astuple(self._learner.learn(batch, encoder, weights)))
            step()
        return Losses(*map(float, np.sum(found, axis=0) / len(found)))

    def _processor_s(self) -> float:
        """Return the processor time of this process and, without a cluster, its ended children."""
        times = os.times()
        children_s = times.children_user + times.children_system if self._cluster is None else 0.0
        return times.user + times.system + children_s

    def _about(self) -> dict[str, str]:
        progress, visits = self.progress, str(self.settings.teacher_visits)
        taught = {"labels": str(progress.labels), "visits": visits, "teacher": " ".join(progress.teachers)}
        return {
            "specs": " ".join(self._specs()),
            "games": str(progress.games),
            "positions": str(progress.positions),
            "hours": f"{progress.hours:.2f}",
            **(taught if progress.labels else {}),
            **({"start": self._start} if self._start else {}),
        }

    def _specs(self) -> Sequence[str]:
        """Return the SPECs that the network has been trained on in this folder, as the user wrote them."""
        asked = {rules.spec: spec for rules, spec in zip(self.rules, self.settings.specs, strict=True)}
        learnt = [parse(spec) for spec in self._window.specs]
        if all(rules.spec in asked for rules in learnt):
            return self.settings.specs
        words = [asked.get(rules.spec, rules.short_spec) for rules in learnt]
        return tuple(dict.fromkeys([*words, *self.settings.specs]))


def _count_positions(played: list[PlayedGames]) -> int:
    return sum(len(each.places) for each in played)


def _workers_s(players: Iterable[GamesPlayer]) -> float:
    """Return the cluster's processor seconds used so far."""
    return sum(each.workers_s for each in players if isinstance(each, ClusterSelfPlayer))


def _prefetch(batches: Iterator[_Batch]) -> Iterator[_Batch]:
    """Yield the batches. Each batch is prepared while the learner works on the batch before."""
    with ThreadPoolExecutor(1) as maker:
        coming = maker.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = maker.submit(next, batches, None)
            yield batch
