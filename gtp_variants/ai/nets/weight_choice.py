"""The choice of the network that judges positions for a search, or that tells hidden stones: ours, or a file.

The instructions of the processor that networks are evaluated with.

The weights that are shipped, a file a game or two; `nets.weight_choice` says which one plays.

A file is called by the game, where three play with their number behind it: `go.safetensors`, `pentalath-3.safetensors`.
Others may stand beside it, for other points for White and for larger boards: `go-komi.safetensors`,
`go-large.safetensors`. What tells where hidden stones may be has a file of its own:
`phantom-hidden-stones.safetensors`.
"""

import os
from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from pathlib import Path

from gtp_variants.ai.backend import load_native, search_backend
from gtp_variants.ai.nets.adaptation import adapt_to_rules
from gtp_variants.ai.nets.encoding.features import option_flags
from gtp_variants.ai.nets.network import Network
from gtp_variants.base.folders import user_path
from gtp_variants.errors import ConfigError, RecordError, VariantsError
from gtp_variants.lang import say
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules

FOLDER = Path(__file__).with_name("weights")
SUFFIX = ".safetensors"


_VARIABLE = "GTP_VARIANTS_INSTRUCTIONS"


def check_instructions() -> None:
    """Raise ConfigError for a GTP_VARIANTS_INSTRUCTIONS that cannot be; without one the kernel is not loaded."""
    if os.environ.get(_VARIABLE):
        instruction_set()


def instruction_set() -> str:
    """The instructions that networks are evaluated with here: "avx512-vnni", "avx-vnni", "avx2", "neon", "plain" or "".

    "" is none: the kernel was not built. They are the fastest that this processor has, or those that the environment
    variable GTP_VARIANTS_INSTRUCTIONS names. Raises ConfigError if it has not got those.
    """
    kernel = load_native("gtp_variants.ai.kernel._kernel")
    if kernel is None:
        return ""
    there: list[str] = kernel.instruction_sets()
    wanted = os.environ.get(_VARIABLE, "") or there[-1]
    if wanted not in there:
        raise ConfigError([f"{_VARIABLE}={wanted[:40]}: expected one of {', '.join(there)}, which this processor has"])
    return wanted


# Behind the name of a game: what its first file was not trained on, other points for White and larger boards.
_OTHER_KOMI, _LARGE_BOARDS = "-komi", "-large"
_HIDDEN_STONES = "-hidden-stones"
_KINDS = {True: "that tells hidden stones from what a seat was told", False: "that judges whole positions"}
# Where the package's weights were seen to beat the search without a network at equal time; other instructions were not
# measured.
_FAST_ENOUGH = ("avx512-vnni", "avx-vnni", "avx2")
# A board with so many times the points of the largest that a network was trained on is strange to it, and so is one
# with so few of the points of the smallest: trained on 9x9, Go's wins half of the games on 5x5 against the search
# without it, and in Go Fantôme there 30% [15, 52].
_LARGER = 1.5
_SMALLER = 0.4


def find_weights(rules: Rules) -> Path | None:
    """The file of the package with weights for a game, of its own or of the game it is judged as; None without one.

    Of several it is one to which the board is not strange, and that was trained on boards nearest to it, with komi
    nearest to the game's; the first of those that are alike in all this.
    """
    files = _files_of(rules)
    if len(files) < 2:
        return next(iter(files), None)
    return min(files, key=lambda file: _strangeness(rules, file))


def _strangeness(rules: Rules, file: Path) -> tuple[bool, float, float]:
    """What a file of the package does not know of a game, the worst first: boards like it, its size, its komi."""
    return not _is_familiar(rules, file), _size_ratio(rules, file), _komi_distance(rules, file)


def _files_of(rules: Rules) -> list[Path]:
    """The files of the package with weights for a game, whatever board and komi; that for the usual ones first."""
    players = f"-{len(rules.colours)}" if len(rules.colours) > 2 else ""
    for name in (rules.name, rules.profile.judged_as):
        files = [FOLDER / f"{name}{players}{kind}{SUFFIX}" for kind in ("", _OTHER_KOMI, _LARGE_BOARDS)]
        if found := [file for file in files if file.is_file()]:
            return found
    return []


def _size_ratio(rules: Rules, file: Path) -> float:
    """How many times larger or smaller a board is than all that a file was trained on; 1 for one among them."""
    points, trained = len(rules.board), _points_of(file)
    return max(1.0, points / max(trained), min(trained) / points) if trained else 1.0


def _komi_distance(rules: Rules, file: Path) -> float:
    """How far, in points, komi is from the nearest that a file was trained with; 0 for a file that does not say."""
    return min((abs(rules.komi - trained.komi) for trained in _trained_rules(file)), default=0.0)


def list_judging_weights() -> list[Path]:
    """The files of the package that "auto" lets judge positions here, whatever the board; none where none pays."""
    if instruction_set() not in _FAST_ENOUGH:
        return []
    files = (file for file in FOLDER.glob(f"*{SUFFIX}") if not file.stem.endswith(_HIDDEN_STONES))
    return sorted(files, key=lambda file: file.stem)


def choose_network(rules: Rules, choice: Network | str | Path) -> Network | None:
    """The network that is to judge positions of a game: "auto", "none", a file or a network; None for none.

    "auto" takes the package's own weights, if a network pays here: see `reason_without_network`. Raises RecordError for
    a file that is no weight file, NotationError for a home that is not there, ConfigError for a network that does not
    see what the game shows, with both shapes, and where the kernel was not built.
    """
    if choice == "none":
        return None
    if choice == "auto":
        file = find_weights(rules)
        return (
            None
            if file is None or reason_without_network(rules)
            else adapt_to_rules(_load(file, file.stat().st_mtime_ns), rules, str(file))
        )
    return _network_of(rules, choice, tells_hidden=False)


def choose_hidden_network(rules: Rules, choice: Network | str | Path) -> Network | None:
    """The network that is to tell hidden stones from what a seat knows: "auto", "none", a file or a network.

    "auto" takes the package's own weights where the kernel was built, the board is not strange to them, and the referee
    says what they learnt from: the options are those of a SPEC that they were trained on. Raises what `choose_network`
    raises, ConfigError also for a network that tells no hidden stones.
    """
    if choice == "none":
        return None
    if choice == "auto":
        file = FOLDER / f"{rules.name}{_HIDDEN_STONES}{SUFFIX}"
        if search_backend(rules) == "python" or not file.is_file():
            return None
        knows = any(option_flags(trained) == option_flags(rules) for trained in _trained_rules(file))
        if not knows or not _is_familiar(rules, file):
            return None
        choice = file
    return _network_of(rules, choice, tells_hidden=True)


def _network_of(rules: Rules, choice: Network | str | Path, *, tells_hidden: bool) -> Network:
    """The network of a file, or a network as it is, as one that fits the game; whether it is to tell hidden stones."""
    _expect_kernel(choice, rules)
    network, source = _find_network(choice, tells_hidden=tells_hidden)
    return adapt_to_rules(network, rules, source)


def check_network_file(choice: str | Path, *, tells_hidden: bool) -> None:
    """Raise what makes a file useless as a network of a kind, whatever the game.

    RecordError for a file that is no weight file, NotationError for a home that is not there, ConfigError for a network
    of the other kind, and where the kernel was not built.
    """
    _expect_kernel(choice)
    _find_network(choice, tells_hidden=tells_hidden)


def _expect_kernel(choice: Network | str | Path, rules: Rules | None = None) -> None:
    if search_backend(rules) == "python":
        name = choice.game if isinstance(choice, Network) else choice
        raise ConfigError([f"{name}: needs the native kernel"])


def _find_network(choice: Network | str | Path, *, tells_hidden: bool) -> tuple[Network, str]:
    """The network of a file, or a network as it is, and what to call it; whether it is to tell hidden stones."""
    if not isinstance(choice, Network | str | Path):
        raise ConfigError([f"network={choice!r}: expected auto, none, a file or a network"])
    if isinstance(choice, Network):
        network, source = choice, f"a network of {choice.game}"
    else:
        file = user_path(choice)
        try:
            changed = file.stat().st_mtime_ns
        except OSError as error:
            raise RecordError(f"{file}: {error.strerror}") from error
        network, source = _load(file, changed), str(file)
    if network.shape.has_hidden_stones != tells_hidden:
        expected = "one that tells hidden stones" if tells_hidden else "one that judges positions"
        raise ConfigError([f"{source}: a network {_KINDS[network.shape.has_hidden_stones]}, expected {expected}"])
    return network, source


def reason_without_network(rules: Rules) -> str:
    """Why "auto" lets no network judge positions of a game here, in words; "" where one does."""
    reason, file = reason_on_every_board(rules), find_weights(rules)
    if reason or file is None or _is_familiar(rules, file):
        return reason
    least, most = board_range(rules)
    return f"its network is for boards of {least} to {most} points, this one has {len(rules.board)}"


def reason_on_every_board(rules: Rules, lang: str = "en") -> str:
    """Why "auto" lets no network judge positions of a game here, whatever the board is; "" where one does."""
    if search_backend(rules) == "python":
        return say("doctor.needs_kernel", lang)
    file = find_weights(rules)
    if file is None:
        return say("doctor.no_weights", lang)
    if instruction_set() not in _FAST_ENOUGH:
        return say("doctor.slow_instructions", lang, instructions=instruction_set())
    try:
        adapt_to_rules(_load(file, file.stat().st_mtime_ns), rules, str(file))
    except VariantsError as error:
        return str(error)
    return ""


def board_range(rules: Rules) -> tuple[int, int]:
    """The fewest and the most points of a board that "auto" lets a network of the package judge; 0, 0: any, or none."""
    boards = [_boards_of(file) for file in _files_of(rules)] or [(0, 0)]
    return min(least for least, _ in boards), max(most for _, most in boards)


def _is_familiar(rules: Rules, file: Path) -> bool:
    """Whether a board is not strange to a file of the package."""
    least, most = _boards_of(file)
    return not most or least <= len(rules.board) <= most


def _boards_of(file: Path) -> tuple[int, int]:
    """The fewest and the most points of a board that is not strange to a file of the package; 0, 0: any."""
    points = _points_of(file) or [0]
    return ceil(_SMALLER * min(points)), int(_LARGER * max(points))


def _points_of(file: Path) -> Sequence[int]:
    """How many points the boards have that a file of the package was trained on."""
    return [len(rules.board) for rules in _trained_rules(file)]


def _trained_rules(file: Path) -> Sequence[Rules]:
    """The games that a file of the package was trained on."""
    return _parse_specs(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _parse_specs(file: Path, changed: int) -> Sequence[Rules]:
    return [parse(spec) for spec in dict.fromkeys(_specs_of(file))]


def _specs_of(file: Path) -> list[str]:
    """What a file of the package was trained on."""
    return _load(file, file.stat().st_mtime_ns).training.get("specs", "").split()


@lru_cache(maxsize=16)
def _load(file: Path, changed: int) -> Network:
    """The network of a file that was changed last at some time."""
    return Network.load(file)
