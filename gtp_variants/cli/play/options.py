"""The command `gtp-variants options`: the options of a game."""

import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.handbook.chapter import option_meaning
from gtp_variants.handbook.localised_text import Sentences
from gtp_variants.handbook.pages import CHAPTERS
from gtp_variants.lang import say
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.options import RULES_KEY, text_of

_WIDTH = 80
_INDENT = " " * 4


def main(arguments: Sequence[str]) -> int:
    """Print the options of a game. Raises SpecError for an unknown game."""
    options = parser().parse_args(arguments)
    sys.stdout.write("\n".join(lines(options.spec, language_of(options))) + "\n")
    return 0


def parser() -> CommandParser:
    made = CommandParser("options")
    made.add_argument("spec", metavar="GAME")
    made.suggested["spec"] = list(GAMES)
    return made


def lines(spec: str, lang: str) -> Iterator[str]:
    """Yield lines on every option of a game, with values as in a SPEC. Raises SpecError."""
    rules = parse(spec, {"lang": lang})
    game = game_class(rules.name)
    sentences = Sentences(game.name.replace("-", "_") if game.name in CHAPTERS else "common")
    yield say("cli.options_heading", lang, title=game.title, spec=game.profile.small_spec)
    for option in game.options:
        usual = say("cli.default", lang, value=text_of(rules.values[option.key]))
        meaning = option_meaning(rules, option.key, sentences).render(lang)
        yield ""
        yield from wrap(f"{option.key}={_values(option.words(), option.describe_values())} ({usual})", _WIDTH)
        yield from wrap(meaning, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    sets = [*game.options.shorthands, *(f"{RULES_KEY}={name}" for name in game.options.rule_sets)]
    if sets:
        yield ""
        yield from wrap(say("cli.rule_sets", lang, names=", ".join(sets)), _WIDTH)


def _values(words: Sequence[str], description: str) -> str:
    return "|".join(words) if words and description.count(" ") == 0 else f"({description})"
