"""Descriptions of bots and of their errors, and protection for a process's memory."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dis import get_instructions
from pathlib import Path
from traceback import extract_tb
from types import CodeType, FunctionType

from gtp_variants.players import bots
from gtp_variants.players.player import Seat

_PR_SET_DUMPABLE = 4


def protect_memory() -> None:
    """Keep other processes of the same user from reading this one's secrets (on Linux). Root can still read them."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


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


# Names which, if a bot's code uses them, mean that its play may depend on the seed.
_LOTS = frozenset(("rng", "seed", "random", "Random", "SystemRandom", "default_rng", "secrets", "urandom", "time"))
_ENTRIES = ("hear", "choose", "leave", "sit")


def describe_here(name: str) -> BotDescription:
    """Load a bot into this process and return its description. Raises the same as `players.bots.load`."""
    bot = bots.load(name)
    file = getattr(sys.modules.get(type(bot).__module__), "__file__", None)
    return BotDescription(
        tuple(bots.parameters(bot)),
        bool(getattr(bot, "plays_hidden", True)),
        int(getattr(bot, "threads", None) or 1),
        None if file is None else Path(file),
        _draws_lots(type(bot)),
    )


def _draws_lots(kind: type) -> bool:
    """Return True if a player's methods, or their helpers in its class and module, use random numbers."""
    # Every `Seat` makes a random number generator in `sit`, which does not count unless it is used.
    left = [name for name in _ENTRIES if name == "choose" or getattr(kind, name, None) is not getattr(Seat, name)]
    seen: set[str] = set()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        for scope in kind.__mro__:
            method = scope.__dict__.get(name)
            if not isinstance(method, FunctionType):
                continue
            names = set(_names(method.__code__))
            helpers = [method.__globals__.get(each) for each in names]
            for helper in helpers:
                names |= set(_names(helper.__code__)) if isinstance(helper, FunctionType) else set()
            if names & _LOTS:
                return True
            left += names
            if "super" not in names:
                break
    return False


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names used in a function and in the functions inside it, but not its unused arguments."""
    for instruction in get_instructions(code):
        if isinstance(instruction.argval, str):
            yield instruction.argval
        elif isinstance(instruction.argval, CodeType):
            yield from _names(instruction.argval)
        elif isinstance(instruction.argval, tuple):
            yield from (each for each in instruction.argval if isinstance(each, str))
