"""The folder of a training: what it began with, its games, the networks, the log and the state that it goes on from.

Each file is written whole or not at all, and an iteration counts once its state is there, which is written last.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gtp_variants.ai.nets.network import Network
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError, RecordError, SpecError
from gtp_variants.records.files import sync, write
from gtp_variants.rules import parse
from gtp_variants.training.batch import Losses
from gtp_variants.training.json_files import check_numbers, read_lines, read_object
from gtp_variants.training.pytorch.learner import Learner
from gtp_variants.training.self_play import PlayedGames
from gtp_variants.training.settings import TrainingSettings, can_share_network

_START = "start.safetensors"
_SETTINGS = "training.json"
_LOG = "log.jsonl"
_STATE = "state.bin"
_PLAY_TIMES = "play_times.json"
# Before the state of the learner stands what it is of, behind its length in so many bytes.
_LENGTH_BYTES = 4
_CHECKSUM = "sha256"
# Beside the settings: what the copy of the network to begin with is known by.
_START_CHECKSUM = "start_sha256"
# What the log says of an iteration, beside its losses.
_ROW = ("iteration", "games", "positions", "self_play_s", "learning_s", "rate", "window")


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a training stands after an iteration.

    Seconds are processor time of all threads and machines, for what counts: not for what a kill has undone. `unseen`
    are losses on its games before it learnt from them, `specs` are those of all games that were learnt from so far, in
    the order in which they came; folders of earlier versions have neither.
    """

    iteration: int
    games: int
    positions: int
    self_play_s: float
    learning_s: float
    losses: Losses
    unseen: Losses | None = None
    specs: tuple[str, ...] = ()

    @property
    def hours(self) -> float:
        """Processor hours of both together."""
        return (self.self_play_s + self.learning_s) / 3600


class TrainingFolder:
    """The folder at a path, for a training with these settings; nothing is written before `begin`."""

    def __init__(self, path: Path, settings: TrainingSettings) -> None:
        self.path, self._settings = path, settings
        self._rules = parse(settings.specs[0])

    def weights_path(self, iteration: int) -> Path:
        """The network after an iteration."""
        return self.path / "weights" / f"{iteration:05}.safetensors"

    def games_path(self, iteration: int, chunk: int) -> Path:
        """The games of a chunk of an iteration."""
        return self.path / "games" / f"{iteration:05}-{chunk:04}.npz"

    def check_settings(self) -> None:
        """Raise ConfigError if the folder was begun with other settings, RecordError if it does not say with which."""
        path = self.path / _SETTINGS
        if not path.exists():
            if (self.path / _STATE).exists():
                raise RecordError(f"{path}: expected the settings that the training was begun with, it is gone")
            return
        mine, theirs = json.loads(json.dumps(asdict(self._settings))), _read_settings(path)
        theirs.pop(_START_CHECKSUM, None)
        for spec in theirs.pop("specs"):
            if not self._is_same_game(path, spec):
                raise ConfigError(
                    [f"{self._settings.specs[0]}: {self.path} was begun with {spec}, and a network plays one game"]
                )
        del mine["specs"]
        faults = [
            f"{key}: {mine.get(key)!r}, but {self.path} was begun with {theirs.get(key)!r}"
            for key in mine | theirs
            if mine.get(key) != theirs.get(key)
        ]
        if faults:
            raise ConfigError(faults)

    def read_start(self) -> Network | None:
        """The network to begin with, None if there is none: the folder's copy, for the file may have changed since.

        Raises RecordError for a copy that is damaged, or gone.
        """
        if not self._settings.start:
            return None
        copy, settings = self.path / _START, self.path / _SETTINGS
        # A copy that was written before the settings, which never were, is of a command that could not begin.
        if not settings.exists():
            return Network.load(self._settings.start)
        checksum = read_object(settings.read_bytes()).get(_START_CHECKSUM)
        if not copy.exists():
            # Folders of earlier versions may have none.
            if checksum is None:
                return Network.load(self._settings.start)
            raise RecordError(f"{copy}: expected the weights that the training was begun with, it is gone")
        network = Network.load(copy)
        if checksum not in (None, _checksum_of_file(copy)):
            raise RecordError(f"{copy}: not the weights that the training was begun with: its checksum is another one")
        return network

    def begin(self, start: Network | None) -> None:
        """Make the folder where it is not there, and bind it to the settings and to the network to begin with."""
        (self.path / "games").mkdir(parents=True, exist_ok=True)
        (self.path / "weights").mkdir(exist_ok=True)
        copy, settings = self.path / _START, self.path / _SETTINGS
        about: Json = asdict(self._settings)
        if start is not None:
            if not (settings.exists() and copy.exists()):
                # The file may be written anew or deleted before the training goes on.
                _save(start, copy)
            about[_START_CHECKSUM] = _checksum_of_file(copy)
        write(settings, json.dumps(about, indent=1).encode(), durable=True)

    def read_games(self, iteration: int, chunk: int, warn: Callable[[str], object]) -> PlayedGames | None:
        """The games of a chunk that were written before; None without them, or if the file is damaged.

        `warn` hears of a damaged file. Raises RecordError for another game's.
        """
        path = self.games_path(iteration, chunk)
        if not path.exists():
            return None
        try:
            games = PlayedGames.load(path)
        except RecordError as error:
            warn(f"{error}; they are played again")
            return None
        self._check_games(path, games)
        return games

    def read_play_times(self, iteration: int) -> list[float]:
        """What each chunk of an iteration took of processors in seconds; earlier folders and other games say nothing.

        Raises RecordError for a file that is damaged.
        """
        path = self.path / _PLAY_TIMES
        if not path.exists():
            return []
        try:
            found = read_object(path.read_bytes())
            check_numbers(found, "iteration")
            seconds = found.get("seconds")
            if not isinstance(seconds, list):
                raise ValueError(f"seconds: {seconds!r}, expected a list")
            check_numbers({str(chunk): each for chunk, each in enumerate(seconds)}, *map(str, range(len(seconds))))
        except ValueError as error:
            raise RecordError(f"{path}: {error}") from None
        return seconds if found["iteration"] == iteration else []

    def write_play_times(self, iteration: int, seconds: Sequence[float]) -> None:
        """Write down what each chunk of an iteration took so far."""
        write(self.path / _PLAY_TIMES, json.dumps({"iteration": iteration, "seconds": seconds}).encode(), durable=True)

    def iterations(self, last: int) -> Iterator[list[PlayedGames]]:
        """The games that each iteration up to the last one learnt from.

        Raises RecordError for a file that is damaged, or not there.
        """
        return (self._read_iteration(iteration) for iteration in range(1, last + 1))

    def latest_games(self, last: int, positions: int) -> list[PlayedGames]:
        """The latest games of the iterations up to the last one, with so many positions at least if there are so many.

        Raises RecordError for a file that is damaged, or not there; iterations before them are not looked at.
        """
        found: list[PlayedGames] = []
        left = positions
        for iteration in range(last, 0, -1):
            if left <= 0:
                break
            for games in reversed(self._read_iteration(iteration)):
                if left > 0:
                    found.append(games)
                    left -= len(games.places)
        return found[::-1]

    def history(self, last: int) -> list[Json]:
        """What was written down of each iteration up to the last one. Raises RecordError for a log that is damaged."""
        rows = read_lines(self.path / _LOG, _read_row)
        return [row for row in rows if row["iteration"] <= last]

    def check_log(self, last: int) -> None:
        """Raise RecordError for a log that is damaged, or does not come to the iteration that is the last one."""
        rows = self.history(last)
        if not rows or rows[-1]["iteration"] != last:
            raise RecordError(f"{self.path / _LOG}: expected a line of iteration {last}, it is gone")

    def find_damaged_weights(self, last: int) -> dict[int, str]:
        """What is wrong with weights after iterations up to the last one, by iteration; those that are gone are not."""
        faults = {iteration: self.explain_damage(iteration) for iteration in range(1, last + 1)}
        return {iteration: fault for iteration, fault in faults.items() if fault is not None}

    def explain_damage(self, iteration: int) -> str | None:
        """What is wrong with the weights after an iteration; None where nothing is, or where they are gone."""
        try:
            if self.weights_path(iteration).exists():
                Network.load(self.weights_path(iteration))
        except RecordError as error:
            return str(error)
        return None

    def save_weights(self, iteration: int, network: Network) -> None:
        """Write the network after an iteration."""
        _save(network, self.weights_path(iteration))

    def commit(self, progress: Progress, network: Network, learner: Learner, rate: float, window: int) -> None:
        """Write down an iteration, with the step that it learnt with and how many positions it learnt from."""
        self.save_weights(progress.iteration, network)
        row = asdict(progress) | {"rate": rate, "window": window}
        lines = "".join(json.dumps(each) + "\n" for each in [*self.history(progress.iteration - 1), row])
        write(self.path / _LOG, lines.encode(), durable=True)
        about, state = asdict(progress), learner.state()
        head = json.dumps(about | {_CHECKSUM: _checksum(about, state)}).encode()
        write(self.path / _STATE, len(head).to_bytes(_LENGTH_BYTES, "little") + head + state, durable=True)

    def restore(self, learner: Learner) -> Progress | None:
        """Where the training stands, and the learner as it was there; None before the first iteration.

        Raises RecordError for a state that is damaged, gone, or another network's.
        """
        path = self.path / _STATE
        if not path.exists():
            # The first iteration may have been killed when all but its state was there: it comes to the same again.
            if (last := self._last_written()) > 1:
                raise RecordError(f"{path}: expected the state after iteration {last}, it is gone")
            return None
        raw = path.read_bytes()
        end = _LENGTH_BYTES + int.from_bytes(raw[:_LENGTH_BYTES], "little")
        try:
            about = read_object(raw[_LENGTH_BYTES:end])
            # Earlier folders have none.
            if about.pop(_CHECKSUM, None) not in (None, _checksum(about, raw[end:])):
                raise ValueError("its checksum is another one")
            losses = {name: Losses(**about[name]) for name in ("losses", "unseen") if about.get(name)}
            progress = Progress(**about | losses | {"specs": tuple(about.get("specs", ()))})
            learner.restore(raw[end:])
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path}: not a state of training: {error}") from error
        return progress

    def _last_written(self) -> int:
        """The last iteration of which there are weights or a line of the log; 0 without any."""
        weights = (each.stem for each in (self.path / "weights").glob("*.safetensors"))
        rows = read_lines(self.path / _LOG, _read_row)
        numbers = [*(int(stem) for stem in weights if stem.isdecimal()), *(int(row["iteration"]) for row in rows)]
        return max(numbers, default=0)

    def _read_iteration(self, iteration: int) -> list[PlayedGames]:
        played: list[PlayedGames] = []
        # As it was played: files behind those that were enough have not been learnt from.
        while sum(len(each.places) for each in played) < self._settings.positions:
            path = self.games_path(iteration, len(played))
            if not path.exists():
                raise RecordError(f"{path}: expected the games that iteration {iteration} has learnt from, it is gone")
            played.append(PlayedGames.load(path))
            self._check_games(path, played[-1])
        return played

    def _check_games(self, path: Path, games: PlayedGames) -> None:
        if not self._is_same_game(path, games.spec):
            raise RecordError(f"{path}: games of {games.spec}, expected games of {self._settings.specs[0]}")

    def _is_same_game(self, path: Path, spec: str) -> bool:
        """Whether the network plays a SPEC that stands in a file. Raises RecordError."""
        try:
            return can_share_network(self._rules, parse(spec))
        except SpecError as error:
            raise RecordError(f"{path}: {error}") from None


def _save(network: Network, path: Path) -> None:
    """Write a network to a file that counts once it is on the disk."""
    beside = path.with_name(f".{path.name}")
    network.save(beside)
    sync(beside)
    beside.replace(path)


def _checksum(about: Json, state: bytes) -> str:
    """What tells a state, and what is said of it, from any other."""
    return hashlib.sha256(json.dumps(about).encode() + state).hexdigest()


def _checksum_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_row(row: Json) -> Json:
    """A row of the log. Raises ValueError."""
    check_numbers(row, *_ROW)
    # Earlier versions did not look at games that are not seen yet.
    for name in ("losses", "unseen") if row.get("unseen") else ("losses",):
        if not isinstance(row.get(name), dict):
            raise ValueError(f"{name}: {row.get(name)!r}, expected an object")
        check_numbers(row[name], *row[name])
    return row


def _read_settings(path: Path) -> Json:
    """The settings of a folder; those that did not exist when it was begun are as they are without them."""
    default = TrainingSettings(())
    try:
        theirs: Json = {**asdict(default), **read_object(path.read_bytes())}
    except ValueError as error:
        raise RecordError(f"{path}: not the settings of a training: {error}") from None
    specs = theirs["specs"]
    if not isinstance(specs, list) or not all(isinstance(spec, str) for spec in specs):
        raise RecordError(f"{path}: specs: {specs!r}, expected a list of SPECs")
    # Earlier folders say what is now the default, and have a setting that is gone.
    if theirs["root_share"] == default.search_share and not theirs["deep_share"]:
        theirs["root_share"] = None
    if not theirs.get("cheap_share"):
        theirs.pop("cheap_share", None)
    return theirs
