"""Descriptions of bots and of their errors."""

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from inspect import getsource
from pathlib import Path
from traceback import extract_tb

from gtp_variants.players import bots
from gtp_variants.players.player import Seat

_MOST_SHOWN = 400


def describe_error(error: BaseException) -> str:
    """Return an exception as text, with the place where it was raised: `ValueError: no (mine.py, line 12)`."""
    last = extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(last[0].filename).name}, line {last[0].lineno})" if last else ""
    return f"{type(error).__name__}: {quote_value(error, str)}{where}"


def quote_value(value: object, form: Callable[[object], str] = repr) -> str:
    """Return a value as text, even if its own methods fail."""
    try:
        text = " ".join(form(value).split())
    except Exception:
        text = f"a {type(value).__name__} without a name"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


@dataclass(frozen=True, slots=True)
class BotDescription:
    """The facts that a host needs to know about a bot before the bot plays.

    `parameters` lists the names of its parameters. `threads` is the number of cores that it uses, and `source` is its
    file or None. `draws_lots` is False if its code uses no random numbers, so that it repeats its games.
    """

    parameters: tuple[str, ...]
    plays_hidden: bool
    threads: int
    source: Path | None
    draws_lots: bool = True


# Modules of base classes that use chance only if a subclass does: every `Seat` makes a random number generator.
_HARMLESS = {Seat.__module__, "builtins", "typing"}
# Names which, if a bot's source uses them, mean that its play may depend on the seed.
_LOTS = frozenset(("rng", "seed", "random", "Random", "SystemRandom", "default_rng", "secrets", "urandom", "time"))


def describe_here(name: str) -> BotDescription:
    """Load a bot into this process and return its description. Raises the same as `players.bots.load`."""
    bot = bots.load(name)
    file = getattr(sys.modules.get(type(bot).__module__), "__file__", None)
    parameters, plays_hidden = tuple(bots.parameters(bot)), bool(getattr(bot, "plays_hidden", True))
    threads, source = int(getattr(bot, "threads", None) or 1), None if file is None else Path(file)
    return BotDescription(parameters, plays_hidden, threads, source, _draws_lots(type(bot)))


@cache
def _draws_lots(kind: type) -> bool:
    """Return True if the modules of a player's class and of its bases may use random numbers."""
    if getattr(kind, "choose", None) is Seat.choose and getattr(kind, "pick", None) is Seat.pick:
        return True
    try:
        sources = [getsource(sys.modules[name]) for name in {each.__module__ for each in kind.__mro__} - _HARMLESS]
    except (KeyError, OSError, TypeError):
        return True
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    return any(getattr(node, field, None) in _LOTS for node in nodes for field in ("id", "attr", "name", "module"))
