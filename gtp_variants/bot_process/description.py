"""What is known of a bot before it plays."""

import sys
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.players import bots


@dataclass(frozen=True, slots=True)
class BotDescription:
    """What a bot says of itself.

    `parameters` are the names of those it has, `plays_hidden` whether it can play where stones are hidden, `threads`
    how many cores it uses, and `source` the file it is written in, None if there is none.
    """

    parameters: tuple[str, ...]
    plays_hidden: bool
    threads: int
    source: Path | None


def describe_here(name: str) -> BotDescription:
    """The description of a bot that is loaded into this process. Raises as `players.bots.load` does."""
    bot = bots.load(name)
    file = getattr(sys.modules.get(type(bot).__module__), "__file__", None)
    return BotDescription(
        tuple(bots.parameters(bot)),
        bool(getattr(bot, "plays_hidden", True)),
        int(getattr(bot, "threads", None) or 1),
        None if file is None else Path(file),
    )
