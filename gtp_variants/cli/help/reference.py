"""Pages of the documentation that follow from the code: commands, games, bots and settings of a search.

`python -m gtp_variants.cli.help.reference docs/reference` writes them anew.
"""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from gtp_variants.ai.mcts.settings import PuctSettings, SearchLimits, SearchSettings
from gtp_variants.cli import load_command
from gtp_variants.cli.commands import GROUPS, TABLE
from gtp_variants.cli.help.description import Argument, CommandDescription, describe_command
from gtp_variants.cli.help.page import does
from gtp_variants.cli.play.games import about
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.lang import say
from gtp_variants.players.bots import is_ours, load, names, parameters, set_parameter
from gtp_variants.players.player import Player
from gtp_variants.records.files import write
from gtp_variants.rules import GAMES, game_class
from gtp_variants.rules.options import Option, text_of
from gtp_variants.rules.rules import Rules


def table_row(*cells: str) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(table_cell, cells))} |"


def table_cell(text: str) -> str:
    """A text as it may stand in a table: on one line, and no bar of it ends the cell."""
    return text.replace("|", "\\|").replace("\n", " ")


# A line that begins what a docstring says of a name, such as "`seconds`  how long".
_NAMED = re.compile(r"`(\w+)`\s+(.*)")
# No number can be this, and below 0 nothing that a bot counts.
_NO_NUMBER, _BELOW_ALL = "?", "-1"


@dataclass(frozen=True, slots=True)
class Described:
    """What a docstring says: of the whole, before its list of names and after it, and of each name."""

    before: str
    meanings: Mapping[str, str]
    after: str


def read_docstring(kind: type) -> Described:
    """What the docstring of a class says of it, of each name that it lists, and then."""
    before: list[str] = []
    after: list[str] = []
    meanings: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(kind.__doc__ or "").splitlines():
        found = _NAMED.fullmatch(line)
        if found:
            name, meanings[found[1]] = found[1], found[2]
        elif name and line.startswith(" "):
            meanings[name] += f" {line.strip()}"
        else:
            name = ""
            (after if meanings else before).append(line)
    return Described("\n".join(before).strip(), meanings, "\n".join(after).strip())


def bots_page() -> Iterator[str]:
    """The page about the options of our bots."""
    yield from ("# Bots and their options", "")
    yield "A bot is named `NAME[:OPTION=VALUE,...]` wherever one is asked for, such as `mcts:level=3`;"
    yield "`bot-param OPTION VALUE` sets an option while it plays."
    yield "[Bots, levels and time](../bots.md) tells how to choose."
    for name in names():
        if is_ours(name):
            yield from _bot(name, load(name))


def settings_page() -> Iterator[str]:
    """The page about the settings of a search with an evaluator or a network."""
    described = read_docstring(PuctSettings)
    yield from ("# Settings of a search with an evaluator", "", described.before, "")
    yield "Keywords of `gv.search` and `gv.Thinker` beside an [evaluator](../evaluators.md) or a network."
    meanings = {**read_docstring(SearchLimits).meanings, **described.meanings}
    yield from ("", "| setting | usual | meaning |", "|---|---|---|")
    for field in fields(PuctSettings):
        yield table_row(f"`{field.name}`", _default_cell(field.default), meanings[field.name])


def _bot(name: str, bot: Player) -> Iterator[str]:
    described, known = read_docstring(type(bot)), parameters(bot)
    yield from ("", f"## {name}", "", described.before, "")
    if not known:
        yield "It has no options."
        return
    own = {**read_docstring(SearchLimits).meanings, **described.meanings}
    yield from _options(bot, own, known)
    if described.after:
        yield from ("", described.after)
    for title, kind in (("without a network", SearchSettings), ("with a network", PuctSettings)):
        meanings = {key: text for key, text in read_docstring(kind).meanings.items() if key in known and key not in own}
        if meanings:
            yield from ("", f"### {name} {title}", "")
            yield from _options(bot, meanings, {field.name: field.default for field in fields(kind)})


def _options(bot: Player, meanings: Mapping[str, str], usual: Mapping[str, object]) -> Iterator[str]:
    """The table of those options of a bot whose meanings are given."""
    yield from ("| option | value | usual | meaning |", "|---|---|---|---|")
    for key in parameters(bot):
        if key in meanings:
            yield table_row(f"`{key}`", _values(bot, key), _default_cell(usual[key]), meanings[key])


def _values(bot: Player, key: str) -> str:
    """What an option may be, as the bot says when it refuses something else."""
    expected = (_refusal(bot, key, text) for text in (_NO_NUMBER, _BELOW_ALL))
    return ", ".join(dict.fromkeys(filter(None, expected))) or "a text"


def _refusal(bot: Player, key: str, text: str) -> str:
    """What the bot says that it expected instead of a text; "" if it takes it."""
    before = getattr(bot, key)
    try:
        set_parameter(bot, key, text)
    except NotationError as error:
        return str(error).partition("expected ")[2]
    except ConfigError as error:
        fault = next(fault for fault in error.faults if fault.startswith(f"{key}="))
        return fault.partition("expected ")[2]
    setattr(bot, key, before)
    return ""


def _default_cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"`{text.lower() if isinstance(value, bool) else text}`"


_LANG = "en"
_HEAD = "<!-- Written by python -m gtp_variants.cli.help.reference docs/reference -->"
_GRAMMAR = """\
```text
SPEC   = NAME [ ":" OPTION { "," OPTION } ]
NAME   = a name below, or another that the game is called by, in small or capital letters
OPTION = KEY "=" VALUE      each key once; what is left out has its usual value
```"""


def main() -> None:
    """Write the pages into the folder that is named."""
    folder = Path(sys.argv[1])
    for name, text in pages().items():
        write(folder / name, text.encode())


def pages() -> dict[str, str]:
    """File name -> page."""
    return {
        "commands.md": _join([_HEAD, "", *_commands()]),
        "specs.md": _join([_HEAD, "", *_specs()]),
        "bots.md": _join([_HEAD, "", *bots_page()]),
        "settings.md": _join([_HEAD, "", *settings_page()]),
    }


def _commands() -> Iterator[str]:
    yield from ("# Commands", "")
    yield "`gtp-variants help COMMAND` says the same, `gtp-variants man` as a man page, and Tab completes it all after"
    yield "`source <(gtp-variants completion bash)` (zsh, fish alike)."
    for heading, commands in GROUPS.items():
        yield from ("", f"## {say(f'cli.{heading}', _LANG)}")
        for name in commands:
            yield from _command(describe_command(load_command, name, _LANG))
    yield from ("", "## Exit status", "", "| status | meaning |", "|---|---|")
    yield from (f"| {status} | {table_cell(say(f'cli.{key}', _LANG))} |" for status, key in TABLE.items())


def _command(command: CommandDescription) -> Iterator[str]:
    yield from ("", f"### {command.name}", "")
    about_it = does(command.name, _LANG)
    yield f"{about_it[:1].upper()}{about_it[1:]}."
    yield from ("", "```text", *command.usage, "```", "")
    yield from ("| option | meaning |", "|---|---|")
    for argument in (*command.words, *command.options):
        yield f"| {_written(argument)} | {table_cell(argument.help)} |"
    if aliases := command.names[1:]:
        yield from ("", f"It was called {' '.join(f'`{alias}`' for alias in aliases)}, which goes on working.")


def _written(argument: Argument) -> str:
    words = [*argument.flags] or [argument.metavar]
    words[-1] += f" {argument.metavar}" if argument.flags and argument.metavar else ""
    return ", ".join(f"`{table_cell(word)}`" for word in words)


def _specs() -> Iterator[str]:
    yield from ("# Games and options", "")
    yield "A SPEC names a game and its options, on the command line, in match files, over GTP and in Python:"
    yield from ("", _GRAMMAR, "")
    yield from ("| game | NAME | in a sentence | example |", "|---|---|---|---|")
    games = [game_class(name) for name in GAMES]
    yield from (
        table_row(_title(game), _names(game), about(game.name, _LANG), f"`{game.profile.small_spec}`") for game in games
    )
    for game in games:
        yield from ("", f"## {game.title}", "", "| key | values | usual | meaning |", "|---|---|---|---|")
        usual = game({}).values
        yield from (_option(option, text_of(usual[option.key])) for option in game.options)
        yield from _shorthands(game)


def _title(game: type[Rules]) -> str:
    return f"[{game.title}](../rules/{game.name}.en.md)"


def _names(game: type[Rules]) -> str:
    return " ".join(f"`{name}`" for name in (game.name, *game.aliases))


def _option(option: Option, usual: str) -> str:
    return table_row(f"`{option.key}`", option.describe_values(), f"`{usual}`", option.meaning)


def _shorthands(game: type[Rules]) -> Iterator[str]:
    for key, keys in game.options.shorthands.items():
        yield from ("", f"`{key}` sets {' '.join(f'`{each}`' for each in keys)} at once.")
    for name, chosen in game.options.rule_sets.items():
        yield from ("", f"`rules={name}` is `{','.join(f'{key}={value}' for key, value in chosen.items())}`.")


def _join(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
