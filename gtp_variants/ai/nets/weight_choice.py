"""Choosing the network that judges positions or predicts hidden stones: a shipped weight file or the user's file.

Shipped files are named after the game, followed by the number of players if there are three: `go.safetensors`,
`pentalath-3.safetensors`. A game may have further files for other komi and larger boards, `go-komi.safetensors` and
`go-large.safetensors`, and a file that predicts hidden stones, `phantom-hidden-stones.safetensors`. Beside a file that
learnt from a teacher there is one that learnt from itself alone, `go-self.safetensors`.
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
    """Raise ConfigError for an invalid GTP_VARIANTS_INSTRUCTIONS; if it is unset, the kernel is not loaded."""
    if os.environ.get(_VARIABLE):
        instruction_set()


def instruction_set() -> str:
    """Return the instruction set used for networks, or "" without the kernel.

    It is "avx512-vnni", "avx-vnni", "avx2", "neon" or "plain": the fastest that this processor has, or the set named by
    the environment variable GTP_VARIANTS_INSTRUCTIONS. Raises ConfigError if the processor does not have that set.
    """
    kernel = load_native("gtp_variants.ai.kernel._kernel")
    if kernel is None:
        return ""
    there: list[str] = kernel.instruction_sets()
    wanted = os.environ.get(_VARIABLE, "") or there[-1]
    if wanted not in there:
        raise ConfigError([f"{_VARIABLE}={wanted[:40]}: expected one of {', '.join(there)}, which this processor has"])
    return wanted


# File name suffixes of networks trained with other values of komi, and of networks trained on larger boards.
_OTHER_KOMI, _LARGE_BOARDS = "-komi", "-large"
_HIDDEN_STONES = "-hidden-stones"
# Choices among the package's files that judge positions: the one that fits best, and one that learnt without a teacher.
_AUTO, _SELF = "auto", "self"
_KINDS = {True: "that predicts hidden stones", False: "that judges positions"}
# Instruction sets with which shipped weights beat the search without a network in equal time; other sets are untested.
_FAST_ENOUGH = ("avx512-vnni", "avx-vnni", "avx2")
# A board is familiar if it has at most `_LARGER` times the points of the largest board that a network was trained on,
# and at least `_SMALLER` times the points of the smallest. Go's network, trained on 9x9, gains nothing on 5x5.
_LARGER = 1.5
_SMALLER = 0.4


def find_weights(rules: Rules, choice: str = _AUTO) -> Path | None:
    """Return the shipped weight file that best fits a game, or the game that it is judged as; None if there is none.

    With "self" as `choice`, and for a game that is judged as another, only files without a teacher count.
    """
    files = _files_of(rules, choice)
    if len(files) < 2:
        return next(iter(files), None)

    # Among equally suitable files, one that learnt from a teacher comes first, then the usual one.
    def strangeness(file: Path) -> tuple[bool, float, float, bool]:
        points, sizes = len(rules.board), _points_of(file)
        size_ratio = max(1.0, points / max(sizes), min(sizes) / points) if sizes else 1.0
        komi_distance = min((abs(rules.komi - trained.komi) for trained in _trained_rules(file)), default=0.0)
        return not _is_familiar(rules, file), size_ratio, komi_distance, not _is_taught(file)

    return min(files, key=strangeness)


def _files_of(rules: Rules, choice: str = _AUTO) -> list[Path]:
    """Return the shipped weight files for a game, or for the game that it is judged as; the usual file is first."""
    players = f"-{len(rules.colours)}" if len(rules.colours) > 2 else ""
    for name in (rules.name, rules.profile.judged_as):
        files = [FOLDER / f"{name}{players}{kind}{SUFFIX}" for kind in ("", _OTHER_KOMI, _LARGE_BOARDS)]
        if found := [file for file in files if file.is_file()]:
            # What a seat imagines is judged better by a network without a teacher (docs/measurements.md).
            takes_taught = choice == _AUTO and name == rules.name
            return found if takes_taught else [file for file in map(_without_teacher, found) if not _is_taught(file)]
    return []


def _without_teacher(file: Path) -> Path:
    """Return the file beside this one that learnt from itself alone, or this one if there is none."""
    alone = file.with_stem(f"{file.stem}-{_SELF}")
    return alone if alone.is_file() else file


def _is_taught(file: Path) -> bool:
    """Return True if a file learnt from a teacher."""
    return "teacher" in _load(file, file.stat().st_mtime_ns).training


def list_judging_weights() -> list[Path]:
    """Return the shipped files that "auto" may use to judge positions; [] on processors that are too slow."""
    if instruction_set() not in _FAST_ENOUGH:
        return []
    files = (file for file in FOLDER.glob(f"*{SUFFIX}") if not file.stem.endswith(_HIDDEN_STONES))
    return sorted(files, key=lambda file: file.stem)


def choose_network(rules: Rules, choice: Network | str | Path) -> Network | None:
    """Return the network that judges positions, given "auto", "self", "none", a file or a network; None for no network.

    "auto" takes the package's own weights if they are stronger: see `reason_without_network`. "self" does the same, but
    not with weights that learnt from a teacher. Raises RecordError for an invalid weight file, NotationError for an
    unknown home folder, and ConfigError without the kernel or for a network that does not fit the game.
    """
    if choice == "none":
        return None
    if isinstance(choice, str) and choice in (_AUTO, _SELF):
        file = find_weights(rules, choice)
        return None if file is None or reason_without_network(rules) else _adapt_weights(file, rules)
    return _network_of(rules, choice, tells_hidden=False)


def choose_hidden_network(rules: Rules, choice: Network | str | Path) -> Network | None:
    """Return the network that predicts hidden stones, given "auto", "none", a file or a network; None for no network.

    "auto" takes the package's own weights if the kernel was built, the board is familiar, and the options that the
    network reads match a SPEC of its training. Raises what `choose_network` raises, and ConfigError for a network that
    does not predict hidden stones.
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
    network, source = _find_network(choice, rules, tells_hidden=tells_hidden)
    return adapt_to_rules(network, rules, source)


def check_network_file(choice: str | Path, *, tells_hidden: bool) -> None:
    """Raise RecordError or NotationError for an unreadable file, ConfigError for the wrong kind or without a kernel."""
    _find_network(choice, tells_hidden=tells_hidden)


def _find_network(
    choice: Network | str | Path, rules: Rules | None = None, *, tells_hidden: bool
) -> tuple[Network, str]:
    """Return a given network or a file's network, and its name for messages. Raises as `check_network_file` does."""
    if search_backend(rules) == "python":
        name = choice.game if isinstance(choice, Network) else choice
        raise ConfigError([f"{name}: needs the native kernel"])
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
        raise ConfigError([f"{source}: expected a network {_KINDS[tells_hidden]}, got one {_KINDS[not tells_hidden]}"])
    return network, source


def reason_without_network(rules: Rules) -> str:
    """Return the reason why "auto" uses no network for a game here, or "" if it uses a network."""
    reason, file = reason_on_every_board(rules), find_weights(rules)
    if reason or file is None or _is_familiar(rules, file):
        return reason
    least, most = board_range(rules)
    return f"its network is for boards of {least} to {most} points, this board has {len(rules.board)}"


def reason_on_every_board(rules: Rules, lang: str = "en") -> str:
    """Return the reason why "auto" uses no network here on any board of a game, or "" if it may use a network."""
    if search_backend(rules) == "python":
        return say("doctor.needs_kernel", lang)
    file = find_weights(rules)
    if file is None:
        return say("doctor.no_weights", lang)
    if instruction_set() not in _FAST_ENOUGH:
        return say("doctor.slow_instructions", lang, instructions=instruction_set())
    try:
        _adapt_weights(file, rules)
    except VariantsError as error:
        return str(error)
    return ""


def board_range(rules: Rules) -> tuple[int, int]:
    """Return the smallest and largest board for `net=auto`, in points; 0, 0 means any board, or no network."""
    boards = [_boards_of(file) for file in _files_of(rules)] or [(0, 0)]
    return min(least for least, _ in boards), max(most for _, most in boards)


def _is_familiar(rules: Rules, file: Path) -> bool:
    """Return True if a board's size is close to the sizes that a file was trained on."""
    least, most = _boards_of(file)
    return not most or least <= len(rules.board) <= most


def _boards_of(file: Path) -> tuple[int, int]:
    """Return the smallest and largest board familiar to a file, in points; 0, 0 means any board."""
    points = _points_of(file) or [0]
    return ceil(_SMALLER * min(points)), int(_LARGER * max(points))


def _points_of(file: Path) -> Sequence[int]:
    """Return the sizes, in points, of the boards that a file was trained on."""
    return [len(rules.board) for rules in _trained_rules(file)]


def _trained_rules(file: Path) -> Sequence[Rules]:
    """Return the rules that a file was trained on."""
    return _parse_specs(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _parse_specs(file: Path, changed: int) -> Sequence[Rules]:
    return [parse(spec) for spec in dict.fromkeys(_load(file, changed).training.get("specs", "").split())]


def _adapt_weights(file: Path, rules: Rules) -> Network:
    return adapt_to_rules(_load(file, file.stat().st_mtime_ns), rules, str(file))


@lru_cache(maxsize=16)
def _load(file: Path, changed: int) -> Network:
    """Return a file's network. `changed`, the file's modification time, makes the cache notice a new file."""
    return Network.load(file)
