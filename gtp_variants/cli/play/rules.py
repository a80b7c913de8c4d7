"""The `rules` command: the rules of a game in words."""

from collections.abc import Sequence
from shutil import get_terminal_size

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import NotationError
from gtp_variants.handbook.localised_text import NAMES, SPOKEN, languages_of, spoken
from gtp_variants.handbook.pages import page, text
from gtp_variants.records.files import put_out, write_out
from gtp_variants.rules import parse


def main(arguments: Sequence[str]) -> int:
    """Print the rules of a game, or write them as a page. Raises SpecError, NotationError or OSError."""
    options = parser().parse_args(arguments)
    wished = language_of(options)
    rules = parse(options.spec, {"lang": spoken(wished)})
    if wished not in languages_of(rules.name):
        raise NotationError(f"--lang {wished}: {rules.name} is written in {', '.join(languages_of(rules.name))}")
    # The language in a SPEC wins over the option, except for languages that a SPEC cannot name.
    lang = wished if wished in SPOKEN else rules.lang
    if options.html is not None:
        put_out(options.html, page(rules, lang))
        return 0
    write_out(text(rules, get_terminal_size().columns, lang))
    return 0


def parser() -> CommandParser:
    made = CommandParser("rules", languages=tuple(NAMES))
    made.add_argument("spec", metavar="SPEC")
    made.add_argument("--html", metavar="FILE")
    return made
