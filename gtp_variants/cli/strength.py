"""The options that say how strong a bot plays: `--level`, `--seconds` and `--playouts`, one of them at a time."""

import argparse

from gtp_variants.cli.parser import COUNT, SECONDS
from gtp_variants.errors import NotationError

_KEYS = ("level", "seconds", "playouts")


def add_strength_options(parser: argparse.ArgumentParser) -> None:
    """Let the command line say how strong the bot plays."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--level", metavar="N")
    group.add_argument("--seconds", type=SECONDS.read, metavar="S")
    group.add_argument("--playouts", type=COUNT.read_whole, metavar="N")


def has_strength(options: argparse.Namespace) -> bool:
    """Whether one of the options was given."""
    return any(getattr(options, key) is not None for key in _KEYS)


def at_strength(bot: str, options: argparse.Namespace) -> str:
    """The bot as strong as the options say. Raises NotationError if it does not know what they mean."""
    for key in _KEYS:
        value = getattr(options, key)
        if value is None:
            continue
        # A GUI starts the engine several times for one window; most name no strength.
        from gtp_variants.players import bots
        from gtp_variants.players.isolated.player import describe

        if key not in describe(bot).parameters:
            raise NotationError(f"--{key} {value!s:.20}: the bot {bot} has no parameter {key}")
        # What a level is, the bot says.
        bot = bots.with_parameter(bot, key, value if isinstance(value, str) else f"{value:.12g}")
    return bot
