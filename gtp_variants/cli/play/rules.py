"""The commands `games`, `options` and `rules`, which print the games, a game's options and a game's rules."""

import sys
from collections.abc import Sequence
from functools import partial
from shutil import get_terminal_size
from textwrap import wrap

from gtp_variants.cli.commands import CommandFunctions
from gtp_variants.cli.help.page import about
from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import NotationError
from gtp_variants.handbook.chapter import option_meaning
from gtp_variants.handbook.localised_text import NAMES, SPOKEN, Sentences, languages_of, spoken
from gtp_variants.handbook.pages import CHAPTERS, page, text
from gtp_variants.lang import say
from gtp_variants.records.files import put_out, write_out
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.options import RULES_KEY, text_of

_WIDTH = 80


def main(arguments: Sequence[str]) -> int:
    """Print the rules of a game or write a page. Raises NotationError for a bad SPEC or language, or OSError."""
    options = parser().parse_args(arguments)
    wished = language_of(options)
    rules = parse(options.spec, {"lang": spoken(wished)})
    if wished not in languages_of(rules.name):
        raise NotationError(f"--lang {wished}: {rules.name} has rules only in {', '.join(languages_of(rules.name))}")
    # The language in a SPEC overrides the option, except for languages that a SPEC cannot have.
    lang = wished if wished in SPOKEN else rules.lang
    if options.html is not None:
        put_out(options.html, page(rules, lang))
    else:
        write_out(text(rules, get_terminal_size().columns, lang))
    return 0


def parser() -> CommandParser:
    made = CommandParser("rules", languages=tuple(NAMES))
    made.add_argument("spec", metavar="SPEC")
    made.add_argument("--html", metavar="FILE")
    return made


# -- games ------------------------------------------------------------------------------------------------------------


def _print_games(arguments: Sequence[str]) -> int:
    lang = language_of(CommandParser("games").parse_args(arguments))
    width = max(map(len, GAMES)) + 2
    for name, game in ((name, game_class(name)) for name in GAMES):
        names = say("cli.about_aliases", lang, names=", ".join(game.aliases)) if game.aliases else ""
        said = " ".join(filter(None, (f"{game.title}.", about(name, lang), f"({names})" if names else "")))
        lines = wrap(said, _WIDTH, initial_indent=f"{name:<{width}}", subsequent_indent=" " * width)
        sys.stdout.write("\n".join(lines) + "\n")
    return 0


games = CommandFunctions(_print_games, partial(CommandParser, "games"))


# -- options ----------------------------------------------------------------------------------------------------------


def _print_options(arguments: Sequence[str]) -> int:
    """Print every option of a game, with its values as in a SPEC. Raises SpecError for an unknown game."""
    given = _options_parser().parse_args(arguments)
    lang = language_of(given)
    rules = parse(given.spec, {"lang": lang})
    game = game_class(rules.name)
    chapter = Sentences(game.name.replace("-", "_") if game.name in CHAPTERS else "common")
    lines = [say("cli.options_heading", lang, title=game.title, spec=game.profile.small_spec)]
    for option in game.options:
        usual = say("cli.default", lang, value=text_of(rules.values[option.key]))
        meaning = option_meaning(rules, option.key, chapter).render(lang)
        lines += ["", *wrap(f"{option.key}=({option.describe_values(lang)}) ({usual})", _WIDTH)]
        lines += wrap(meaning, _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4)
    sets = list(game.options.shorthands)
    if game.options.rule_sets:
        sets.append(f"{RULES_KEY}=({', '.join(game.options.rule_sets)})")
    if sets:
        lines += ["", *wrap(say("cli.rule_sets", lang, names=", ".join(sets)), _WIDTH, subsequent_indent=" " * 4)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _options_parser() -> CommandParser:
    made = CommandParser("options")
    made.add_argument("spec", metavar="SPEC")
    made.suggested["spec"] = list(GAMES)
    return made


options = CommandFunctions(_print_options, _options_parser)
