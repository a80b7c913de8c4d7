"""Loading of bots by name: `NAME[:key=value,...]`. NAME is a bot of this package, `path/to/file.py:Class`, or a bot
that an installed package announces as an entry point in the group `gtp_variants.bots`.

The keys are the parameters that the bot's class declares with their defaults. Each becomes an attribute of the bot. A
parameter declared with a type has no default: it is None until somebody sets it, and setting it to `none` clears it.
A bot may check its parameters: `check` raises ConfigError if they contradict each other, `check_rules` if they do not
fit the game::

    class Mine(gv.Seat):
        parameters = {"playouts": 2000, "seconds": float}       # `mine.py:Mine:playouts=500` sets self.playouts = 500

        def check(self): ...                                    # after loading, and after each later change
        def check_rules(self, rules): ...                       # before a game begins, once its rules are known

The class need not be a `Seat`: any class with `sit`, `hear`, `choose` and `leave` can play.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from gtp_variants.base.folders import user_path
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.rules.options import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from gtp_variants.players.player import Player
    from gtp_variants.rules.rules import Rules

GROUP = "gtp_variants.bots"

Value = bool | int | float | str | None
Declared = bool | int | float | str | type

_FILE = re.compile(r"(?P<file>.+?\.py)(:(?P<cls>[A-Za-z_]\w*))?(:(?P<given>.*))?")
_NAME = re.compile(r"[A-Za-z]\w*([.-]\w+)*")
_SEAT = ("sit", "hear", "choose", "leave")
_KINDS: dict[type, tuple[str, Callable[[str], bool | int | float | str]]] = {
    bool: ("true or false", lambda text: {"true": True, "false": False}[text.lower()]),
    int: ("a whole number", int),
    float: ("a number", float),
    str: ("a string", str),
}


def load(text: str) -> "Player":
    """Return a bot with its parameters set. Raises NotationError if `text` is invalid, ConfigError if loading fails.

    >>> import gtp_variants as gv
    >>> bot = gv.load_bot("mcts:playouts=200")
    >>> bot.playouts
    200
    """
    name, chosen = split(text)
    if file := _FILE.fullmatch(name):
        name = file["file"]
    make = _class_in(_module_of_file(name), file["cls"], name) if file else _find_class(name)
    try:
        bot = make()
    except Exception as error:
        raise ConfigError([f"bot {name}: cannot be created: {type(error).__name__}: {error}"]) from error
    missing = [word for word in _SEAT if not callable(getattr(bot, word, None))]
    if missing:
        raise ConfigError([f"bot {name}: cannot play: it lacks {', '.join(missing)}"])
    for key, default in parameters(bot).items():
        setattr(bot, key, default)
    for key, word in chosen.items():
        setattr(bot, key, _read(bot, key, word))
    _check(bot)
    return bot


def file_of(text: str) -> Path | None:
    """Return the file that a bot's name contains, or None. Raises NotationError if the home folder is unknown."""
    found = _FILE.fullmatch(text)
    return user_path(found["file"]) if found else None


def relocate(folder: Path, text: str) -> str:
    """Return the bot's name with a relative path resolved against `folder` instead of the working directory."""
    found = _FILE.fullmatch(text)
    if found is None or folder == Path() or (file := user_path(found["file"])).is_absolute():
        return text
    return str(folder / file) + text[found.end("file") :]


def split(text: str) -> tuple[str, dict[str, str]]:
    """Split a bot's name from its parameters. Raises NotationError if these are not distinct key=value pairs.

    >>> split("mcts:level=3")
    ('mcts', {'level': '3'})
    """
    file = _FILE.fullmatch(text)
    given = (file["given"] or "") if file else text.partition(":")[2]
    return text.removesuffix(given).removesuffix(":").strip(), _read_pairs(given)


def with_parameter(text: str, key: str, value: str) -> str:
    """Return the bot's name with one parameter added or replaced."""
    name, given = split(text)
    return f"{name}:" + ",".join(f"{each}={word}" for each, word in {**given, key: value}.items())


def is_ours(text: str) -> bool:
    """Return True if the bot belongs to this package."""
    return _FILE.fullmatch(text) is None and text.partition(":")[0].strip() in _ours()


def names() -> list[str]:
    """Return the sorted names of the bots in this package and in other installed packages."""
    return sorted({*_ours(), *(point.name for point in _entry_points())})


def lend_cores(player: object, cores: int) -> None:
    """Let a player think with this many cores, unless it has a parameter `cores` of its own."""
    if hasattr(player, "cores") and "cores" not in _declarations(player):
        player.cores = cores


def parameters(bot: object) -> dict[str, Value]:
    """Return the current values of a bot's parameters. The value of an unset parameter is None."""
    return {
        key: getattr(bot, key, None if isinstance(default, type) else default)
        for key, default in _declarations(bot).items()
    }


def changed_parameters(bot: object) -> dict[str, Value]:
    """Return the parameters whose values differ from the defaults that the class declares."""
    declared = {key: None if isinstance(default, type) else default for key, default in _declarations(bot).items()}
    return {key: value for key, value in parameters(bot).items() if value != declared[key]}


def carry_over(bot: object, substitute: object) -> list[str]:
    """Copy changed parameters to a substitute bot. Return the keys that the substitute cannot take."""
    left = []
    for key, value in changed_parameters(bot).items():
        if key not in _declarations(substitute) or kind(substitute, key) is not kind(bot, key):
            left.append(key)
            continue
        try:
            _set(substitute, key, value)
        except ConfigError:
            left.append(key)
    return left


def kind(bot: object, key: str) -> type:
    default = _declarations(bot)[key]
    return default if isinstance(default, type) else type(default)


def set_parameter(bot: object, key: str, text: str) -> None:
    """Set a parameter from text. If this raises NotationError or ConfigError, the parameter keeps its old value."""
    _set(bot, key, _read(bot, key, text))


def _set(bot: object, key: str, value: Value) -> None:
    before = getattr(bot, key, None)
    setattr(bot, key, value)
    try:
        _check(bot)
    except ConfigError:
        setattr(bot, key, before)
        raise


def check_rules(bot: object, rules: "Rules") -> None:
    """Raise ConfigError if the bot's parameters do not let it play this game."""
    _check(bot, "check_rules", rules)


def _declarations(bot: object) -> Mapping[str, Declared]:
    return getattr(bot, "parameters", {})


def _read(bot: object, key: str, text: str) -> Value:
    declared = _declarations(bot)
    if key not in declared:
        known, hint = " ".join(declared) or "none", did_you_mean(key, [*declared])
        raise NotationError(f"unknown parameter {key[:40]!r} of bot {type(bot).__name__}, known: {known}{hint}")
    if isinstance(declared[key], type) and text.strip().lower() == "none":
        return None
    expected, read = _KINDS[kind(bot, key)]
    try:
        return read(text.strip())
    except (KeyError, ValueError):
        raise NotationError(f"{key}={text[:40]}: expected {expected}") from None


def _check(bot: object, name: str = "check", *arguments: object) -> None:
    """Call a check of the bot, if it has that method."""
    check = getattr(bot, name, None)
    if callable(check):
        check(*arguments)


def _read_pairs(given: str) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for part in given.split(",") if given else ():
        key, equals, word = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise NotationError(f"{part[:40]!r}: expected key=value")
        if key in chosen:
            raise NotationError(f"{key}: given twice")
        chosen[key] = word
    return chosen


def _find_class(name: str) -> "Callable[[], Player]":
    if name in _ours():
        try:
            module = import_module(f"{GROUP}.{name}")
        except Exception as error:
            raise ConfigError([f"bot {name}: {type(error).__name__}: {error}"]) from error
        return _class_in(module, None, name)
    point = next((point for point in _entry_points() if point.name == name), None) if _NAME.fullmatch(name) else None
    if point is None:
        known = names()
        files = f"or path/to/file.py:Class{did_you_mean(name, known)}"
        raise NotationError(f"unknown bot {name[:40]!r}, known: {' '.join(known)}, {files}")
    try:
        found = point.load()
    except Exception as error:
        raise ConfigError([f"bot {name}: cannot load {point.value}: {type(error).__name__}: {error}"]) from error
    return found if callable(found) else _class_in(found, None, name)


@lru_cache
def _ours() -> list[str]:
    from gtp_variants import bots

    files = (file.stem for folder in bots.__path__ for file in Path(folder).glob("*.py"))
    return sorted(stem for stem in files if not stem.startswith("_"))


def _entry_points() -> "Iterator[EntryPoint]":
    # Imported only here, because the import is slow and the bots of this package do not need it.
    from importlib.metadata import entry_points

    yield from entry_points(group=GROUP)


def _module_of_file(name: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    path = user_path(name).resolve()
    if not path.is_file():
        raise NotationError(f"bot {name}: there is no such file")
    module_name = f"_bot_{path}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    spec = spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # Registered before it runs, because dataclasses and pickle look up the module in sys.modules.
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise ConfigError([f"bot {name}: {type(error).__name__}: {error}"]) from error
    return module


def _class_in(module: ModuleType, cls: str | None, name: str) -> "Callable[[], Player]":
    """Return class `cls`, by default one named like the module or the only player. Raises NotationError without one."""

    def can_play(found: type) -> bool:
        return found.__module__ == module.__name__ and all(callable(getattr(found, word, None)) for word in _SEAT)

    classes = {key: found for key, found in vars(module).items() if isinstance(found, type)}
    own = {key: found for key, found in classes.items() if key == cls or can_play(found)}
    wanted = cls or Path(name).stem.replace("_", " ").title().replace(" ", "")
    if wanted in own:
        return own[wanted]
    if cls is None and len(own) == 1:
        return next(iter(own.values()))
    known = " ".join(own) or "none"
    if cls is None:
        raise NotationError(f"bot {name}: expected one class that plays, found: {known}")
    raise NotationError(f"bot {name}: there is no class {cls}, known: {known}")
