"""The folder of a training run. Files are written atomically. An iteration counts once its state is written."""

import hashlib
import json
from collections.abc import Callable, Sequence
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
# The state file begins with the length of a JSON header, in this many bytes. The header and the learner's state follow.
_LENGTH_BYTES = 4
_CHECKSUM = "sha256"
# The key in the settings for the checksum of the starting network.
_START_CHECKSUM = "start_sha256"
# The keys in each line of the log, apart from the losses.
_ROW = ("iteration", "games", "positions", "self_play_s", "learning_s", "rate", "window")


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a training run after an iteration.

    Seconds are processor time over all threads and machines, without work that was lost when a run was killed. `unseen`
    contains the losses on new games before learning from them. `specs` lists the SPECs of all games so far, in order of
    arrival. Older folders lack `unseen` and `specs`. `labels` is the number of positions that `teachers` have labelled.
    """

    iteration: int
    games: int
    positions: int
    self_play_s: float
    learning_s: float
    losses: Losses
    unseen: Losses | None = None
    specs: tuple[str, ...] = ()
    labels: int = 0
    teachers: tuple[str, ...] = ()

    @property
    def hours(self) -> float:
        """The number of processor hours spent on self-play and learning."""
        return (self.self_play_s + self.learning_s) / 3600


class TrainingFolder:
    """The folder of a training run with these settings. Nothing is written before `begin`."""

    def __init__(self, path: Path, settings: TrainingSettings) -> None:
        self.path, self._settings = path, settings
        self._rules = parse(settings.specs[0])

    def weights_path(self, iteration: int) -> Path:
        return self.path / "weights" / f"{iteration:05}.safetensors"

    def games_path(self, iteration: int, chunk: int) -> Path:
        return self.path / "games" / f"{iteration:05}-{chunk:04}.npz"

    def check_settings(self) -> None:
        """Raise ConfigError if the folder has different settings, RecordError if its settings are lost or damaged."""
        path = self.path / _SETTINGS
        if not path.exists():
            if (self.path / _STATE).exists():
                raise RecordError(f"{path}: expected the settings of the training, but the file is missing")
            return
        begun = f"{self.path} was begun with"
        mine, theirs = json.loads(json.dumps(asdict(self._settings))), _read_settings(path)
        theirs.pop(_START_CHECKSUM, None)
        for spec in theirs.pop("specs"):
            if not self._is_same_game(path, spec):
                raise ConfigError([f"{self._settings.specs[0]}: {begun} {spec}, and a network plays one game"])
        del mine["specs"]
        changed = [key for key in mine | theirs if mine.get(key) != theirs.get(key)]
        if changed:
            raise ConfigError([f"{key}: {mine.get(key)!r}, but {begun} {theirs.get(key)!r}" for key in changed])

    def read_start(self) -> Network | None:
        """Return the starting network, if any, usually a copy. Raises RecordError if the copy is lost or damaged."""
        if not self._settings.start:
            return None
        copy, settings = self.path / _START, self.path / _SETTINGS
        # A copy without settings was left by a command that could not begin, so ignore it.
        if not settings.exists():
            return Network.load(self._settings.start)
        checksum = read_object(settings.read_bytes()).get(_START_CHECKSUM)
        if not copy.exists():
            # Older folders may have no copy, so read the original.
            if checksum is None:
                return Network.load(self._settings.start)
            raise RecordError(f"{copy}: expected the weights that the training began with, but the file is missing")
        network = Network.load(copy)
        if checksum not in (None, _checksum_of_file(copy)):
            raise RecordError(f"{copy}: not the weights that the training began with: its checksum differs")
        return network

    def begin(self, start: Network | None) -> None:
        """Create the folder if necessary, and bind it to the settings and the starting network."""
        (self.path / "games").mkdir(parents=True, exist_ok=True)
        (self.path / "weights").mkdir(exist_ok=True)
        copy, settings = self.path / _START, self.path / _SETTINGS
        about: Json = asdict(self._settings)
        if start is not None:
            if not (settings.exists() and copy.exists()):
                # Keep a copy, because the file may be replaced or deleted before the training continues.
                _save(start, copy)
            about[_START_CHECKSUM] = _checksum_of_file(copy)
        write(settings, json.dumps(about, indent=1).encode(), durable=True)

    def read_games(self, iteration: int, chunk: int, warn: Callable[[str], object]) -> PlayedGames | None:
        """Return a chunk of games, None if missing or, with a warning, damaged. Raises RecordError for another game."""
        path = self.games_path(iteration, chunk)
        if not path.exists():
            return None
        try:
            games = PlayedGames.load(path)
        except RecordError as error:
            warn(f"{error}; its games are played again")
            return None
        self._check_games(path, games)
        return games

    def read_play_times(self, iteration: int) -> list[float]:
        """Return each chunk's processor seconds, or [] if they are unknown. Raises RecordError for a damaged file."""
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
        """Write the processor seconds of each chunk so far."""
        write(self.path / _PLAY_TIMES, json.dumps({"iteration": iteration, "seconds": seconds}).encode(), durable=True)

    def latest_games(self, last: int, positions: int) -> list[PlayedGames]:
        """Read the latest games up to iteration `last`, enough for `positions`. Raises RecordError for a bad file."""
        found: list[PlayedGames] = []
        left = positions
        for iteration in range(last, 0, -1):
            if left <= 0:
                break
            for games in reversed(self.read_iteration(iteration)):
                if left > 0:
                    found.append(games)
                    left -= len(games.places)
        return found[::-1]

    def history(self, last: int) -> list[Json]:
        """Read the log up to iteration `last`. Raises RecordError if it is damaged."""
        rows = read_lines(self.path / _LOG, _read_row)
        return [row for row in rows if row["iteration"] <= last]

    def check_log(self, last: int) -> None:
        """Raise RecordError if the log is damaged or does not reach iteration `last`."""
        rows = self.history(last)
        if not rows or rows[-1]["iteration"] != last:
            raise RecordError(f"{self.path / _LOG}: expected a line of iteration {last}, found none")

    def explain_damage(self, iteration: int) -> str | None:
        """Return the fault in an iteration's weight file, or None if the file is sound or missing."""
        try:
            if self.weights_path(iteration).exists():
                Network.load(self.weights_path(iteration))
        except RecordError as error:
            return str(error)
        return None

    def save_weights(self, iteration: int, network: Network) -> None:
        _save(network, self.weights_path(iteration))

    def commit(self, progress: Progress, network: Network, learner: Learner, rate: float, window: int) -> None:
        """Write an iteration: its network, a log line with the learning rate and the window size, and the state."""
        self.save_weights(progress.iteration, network)
        row = asdict(progress) | {"rate": rate, "window": window}
        lines = "".join(json.dumps(each) + "\n" for each in [*self.history(progress.iteration - 1), row])
        write(self.path / _LOG, lines.encode(), durable=True)
        about, state = asdict(progress), learner.state()
        head = json.dumps(about | {_CHECKSUM: _checksum(about, state)}).encode()
        write(self.path / _STATE, len(head).to_bytes(_LENGTH_BYTES, "little") + head + state, durable=True)

    def restore(self, learner: Learner) -> Progress | None:
        """Restore the learner; return its progress, or None at the start. Raises RecordError for a faulty state."""
        path = self.path / _STATE
        if not path.exists():
            weights = [each.stem for each in (self.path / "weights").glob("*.safetensors")]
            rows = read_lines(self.path / _LOG, _read_row)
            numbers = [*(int(stem) for stem in weights if stem.isdecimal()), *(int(row["iteration"]) for row in rows)]
            # A killed run can lack only the state of its first iteration, so a missing later state is an error.
            if (last := max(numbers, default=0)) > 1:
                raise RecordError(f"{path}: expected the state after iteration {last}, but the file is missing")
            return None
        raw = path.read_bytes()
        end = _LENGTH_BYTES + int.from_bytes(raw[:_LENGTH_BYTES], "little")
        try:
            about = read_object(raw[_LENGTH_BYTES:end])
            # Older folders have no checksum, so a missing checksum is accepted.
            if about.pop(_CHECKSUM, None) not in (None, _checksum(about, raw[end:])):
                raise ValueError("its checksum differs")
            losses = {name: Losses(**about[name]) for name in ("losses", "unseen") if about.get(name)}
            lists = {name: tuple(about.get(name, ())) for name in ("specs", "teachers")}
            progress = Progress(**about | losses | lists)
            learner.restore(raw[end:])
        except (ValueError, KeyError, TypeError) as error:
            begin = f"a new folder can begin with its weights: --start {self.path / 'weights'}/N.safetensors"
            raise RecordError(f"{path}: not a state of training: {error}; {begin}") from error
        return progress

    def read_iteration(self, iteration: int) -> list[PlayedGames]:
        """Read the games that an iteration was trained on. Raises RecordError for a damaged or missing file."""
        played: list[PlayedGames] = []
        # Training used no more files than these positions need, so later files of the iteration are left out.
        while sum(len(each.places) for each in played) < self._settings.positions:
            path = self.games_path(iteration, len(played))
            if not path.exists():
                raise RecordError(f"{path}: expected games of iteration {iteration}, but the file is missing")
            played.append(PlayedGames.load(path))
            self._check_games(path, played[-1])
        return played

    def _check_games(self, path: Path, games: PlayedGames) -> None:
        if not self._is_same_game(path, games.spec):
            raise RecordError(f"{path}: games of {games.spec}, expected games of {self._settings.specs[0]}")

    def _is_same_game(self, path: Path, spec: str) -> bool:
        """Return True if the network can play the SPEC in a file. Raises RecordError if the SPEC is invalid."""
        try:
            return can_share_network(self._rules, parse(spec))
        except SpecError as error:
            raise RecordError(f"{path}: {error}") from None


def _save(network: Network, path: Path) -> None:
    """Write a network to a file. The file appears only once it is complete and on the disk."""
    beside = path.with_name(f".{path.name}")
    network.save(beside)
    sync(beside)
    beside.replace(path)


def _checksum(about: Json, state: bytes) -> str:
    return hashlib.sha256(json.dumps(about).encode() + state).hexdigest()


def _checksum_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_row(row: Json) -> Json:
    """Check a line of the log and return it. Raises ValueError if it is invalid."""
    check_numbers(row, *_ROW)
    # Older versions did not measure unseen games, so `unseen` may be missing.
    for name in ("losses", "unseen") if row.get("unseen") else ("losses",):
        if not isinstance(row.get(name), dict):
            raise ValueError(f"{name}: {row.get(name)!r}, expected an object")
        check_numbers(row[name], *row[name])
    return row


def _read_settings(path: Path) -> Json:
    """Read a folder's settings. Settings that did not exist when the folder was written get their default."""
    default = TrainingSettings(())
    try:
        theirs: Json = {**asdict(default), **read_object(path.read_bytes())}
    except ValueError as error:
        raise RecordError(f"{path}: not the settings of a training: {error}") from None
    specs = theirs["specs"]
    if not isinstance(specs, list) or not all(isinstance(spec, str) for spec in specs):
        raise RecordError(f"{path}: specs: {specs!r}, expected a list of SPECs")
    # Older folders spell out what is now the default, and contain a setting that no longer exists.
    if theirs["root_share"] == default.search_share and not theirs["deep_share"]:
        theirs["root_share"] = None
    if not theirs.get("cheap_share"):
        theirs.pop("cheap_share", None)
    return theirs
