"""The command `gtp-variants games`: the list of games, each with a summary."""

import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.lang import say, sentences
from gtp_variants.rules import GAMES, game_class

_WIDTH = 80


def main(arguments: Sequence[str]) -> int:
    """Print the list and return 0."""
    options = parser().parse_args(arguments)
    lang = language_of(options)
    for name in GAMES:
        sys.stdout.write("\n".join(_lines(name, lang)) + "\n")
    return 0


def parser() -> CommandParser:
    return CommandParser("games")


def about(name: str, lang: str) -> str:
    """Return a game's summary, "" if it has none."""
    key = f"about_{name.replace('-', '_')}"
    return say(f"cli.{key}", lang) if key in sentences("cli") else ""


def _lines(name: str, lang: str) -> Iterator[str]:
    game = game_class(name)
    width = max(map(len, GAMES)) + 2
    names = say("cli.about_aliases", lang, names=", ".join(game.aliases)) if game.aliases else ""
    text = " ".join(filter(None, (f"{game.title}.", about(name, lang), f"({names})" if names else "")))
    yield from wrap(text, _WIDTH, initial_indent=f"{name:<{width}}", subsequent_indent=" " * width)
