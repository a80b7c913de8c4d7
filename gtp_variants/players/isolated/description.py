"""What is known of a bot before it plays.

What a bot did wrong, in words for a report: short, and whatever the bot did to its own values.

Keeps the memory of a process from others of the same user.
"""

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
    """Let no other process of the same user read this one's memory and open files, where the system can (Linux).

    A referee's holds the secrets of dice, and what is hidden from a seat; a bot's holds its own stones. Root reads all.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


_MOST_SHOWN = 400


def describe_error(error: BaseException) -> str:
    """An exception with the place where it was raised: `ValueError: no (mine.py, line 12)`."""
    last = extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(last[0].filename).name}, line {last[0].lineno})" if last else ""
    return f"{type(error).__name__}: {quote_value(error, str)}{where}"


def quote_value(value: object, form: Callable[[object], str] = repr) -> str:
    """A value in words, even if it does not want to be."""
    try:
        text = " ".join(form(value).split())
    except Exception:
        text = f"a {type(value).__name__} without a name"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


@dataclass(frozen=True, slots=True)
class BotDescription:
    """What a bot says of itself.

    `parameters` are the names of those it has, `plays_hidden` whether it can play where stones are hidden, `threads`
    how many cores it uses, and `source` the file it is written in, None if there is none. `draws_lots` is False for one
    whose code speaks of no random numbers: it plays the same game again.
    """

    parameters: tuple[str, ...]
    plays_hidden: bool
    threads: int
    source: Path | None
    draws_lots: bool = True


# Names in the code of whoever may play otherwise with another seed.
_LOTS = frozenset(("rng", "seed", "random", "Random", "SystemRandom", "default_rng", "secrets", "urandom", "time"))
_ENTRIES = ("hear", "choose", "leave", "sit")


def describe_here(name: str) -> BotDescription:
    """The description of a bot that is loaded into this process. Raises as `players.bots.load` does."""
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
    """Whether a player's methods, and what they call of their own class and module, speak of random numbers."""
    # Every seat of ours makes a generator when it sits down; whether it is used is the question.
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
    """The names that a function uses, not those of arguments it leaves alone; those of functions in it too."""
    for instruction in get_instructions(code):
        if isinstance(instruction.argval, str):
            yield instruction.argval
        elif isinstance(instruction.argval, CodeType):
            yield from _names(instruction.argval)
        elif isinstance(instruction.argval, tuple):
            yield from (each for each in instruction.argval if isinstance(each, str))
