"""The pages of the documentation that are made from the code: commands, games, bots and settings.

`python docs/write_reference.py` writes docs/reference; a test fails when a page is out of date.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from gtp_variants.ai.mcts.settings import PuctSettings, SearchLimits, SearchSettings
from gtp_variants.cli import load_command
from gtp_variants.cli.commands import GROUPS, STATUSES
from gtp_variants.cli.help.description import Argument, CommandDescription, describe_command
from gtp_variants.cli.help.page import about, does
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.lang import say
from gtp_variants.players.bots import is_ours, load, names, parameters, set_parameter
from gtp_variants.players.player import Player
from gtp_variants.records.files import write
from gtp_variants.rules import GAMES, game_class
from gtp_variants.rules.options import text_of

# Options of every command, which are explained once.
_EVERYWHERE = {"--help", "--lang"}

FOLDER = Path(__file__).resolve().parent / "reference"


def table_row(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(map(table_cell, cells))} |"


def table_cell(text: str) -> str:
    """Return a text for a cell of a table: on one line, with its bars escaped."""
    return text.replace("|", "\\|").replace("\n", " ")


# The first line about a name in a docstring, such as "`seconds`  how long".
_NAMED = re.compile(r"`(\w+)`\s+(.*)")
# Values that no numeric option accepts.
_NO_NUMBER, _BELOW_ALL = "?", "-1"


@dataclass(frozen=True, slots=True)
class Described:
    """A docstring in parts: the texts before and after its list of names, and the meaning of each name."""

    before: str
    meanings: Mapping[str, str]
    after: str


def read_docstring(kind: type) -> Described:
    """Split the docstring of a class into its parts."""
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
    """Yield the page about the options of our bots."""
    yield from ("# Bots and their options", "")
    yield "A bot is named `NAME[:OPTION=VALUE,...]` wherever one is asked for, such as `mcts:level=3`;"
    yield "`bot-param OPTION VALUE` sets an option while it plays."
    yield "[Bots, levels and time](../bots.md) shows how to choose."
    for name in names():
        if is_ours(name):
            yield from _bot(name, load(name))


def settings_page() -> Iterator[str]:
    """Yield the page about the settings of a search with an evaluator or a network."""
    described = read_docstring(PuctSettings)
    yield from ("# Settings of a search with an evaluator", "", described.before, "")
    yield "Keywords of `gv.search` and `gv.Thinker` beside an [evaluator](../evaluators.md) or a network."
    meanings = {**read_docstring(SearchLimits).meanings, **described.meanings}
    yield from ("", "| setting | default | meaning |", "|---|---|---|")
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


def _options(bot: Player, meanings: Mapping[str, str], defaults: Mapping[str, object]) -> Iterator[str]:
    """Yield the table of the bot's options that have a meaning here."""
    yield from ("| option | value | default | meaning |", "|---|---|---|---|")
    for key in parameters(bot):
        if key in meanings:
            yield table_row(f"`{key}`", _values(bot, key), _default_cell(defaults[key]), meanings[key])


def _values(bot: Player, key: str) -> str:
    """Return the allowed values of an option, taken from the bot's refusals of wrong ones."""
    expected = (_refusal(bot, key, text) for text in (_NO_NUMBER, _BELOW_ALL))
    return ", ".join(dict.fromkeys(filter(None, expected))) or "a string"


def _refusal(bot: Player, key: str, text: str) -> str:
    """Return what the bot expected instead of a text, "" if it accepts the text."""
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
_HEAD = "<!-- Written by python docs/write_reference.py -->"
_GRAMMAR = """\
```text
SPEC   = NAME [ ":" OPTION { "," OPTION } ]
NAME   = a name from the table below, in small or capital letters
OPTION = KEY "=" VALUE      each key once; an omitted option has its default
```"""


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        write(FOLDER / name, text.encode())


def pages() -> dict[str, str]:
    """Return file name -> page."""
    found = {"commands": _commands(), "specs": _specs(), "bots": bots_page(), "settings": settings_page()}
    return {f"{name}.md": "\n".join([_HEAD, "", *lines]) + "\n" for name, lines in found.items()}


def _commands() -> Iterator[str]:
    yield from ("# Commands", "")
    yield "`gtp-variants help COMMAND` and `gtp-variants man COMMAND` show the same. Tab completes it all after"
    yield "`source <(gtp-variants completion bash)` (zsh and fish alike). Every command also has `--help`."
    yield "`--lang en|fr` chooses the language of messages (default: the system's)."
    for heading, commands in GROUPS.items():
        yield from ("", f"## {say(f'cli.{heading}', _LANG)}")
        for name in commands:
            yield from _command(describe_command(load_command, name, _LANG))
    yield from ("", "## Exit status", "", "| status | meaning |", "|---|---|")
    yield from (f"| {status} | {table_cell(say(f'cli.{key}', _LANG))} |" for status, key in STATUSES.items())


def _command(command: CommandDescription) -> Iterator[str]:
    yield from ("", f"### {command.name}", "")
    about_it = does(command.name, _LANG)
    yield f"{about_it[:1].upper()}{about_it[1:]}."
    yield from ("", "```text", *command.usage, "```", "")
    yield from ("| option | meaning |", "|---|---|")
    for argument in (*command.words, *command.options):
        if not _EVERYWHERE.isdisjoint(argument.flags):
            continue
        yield f"| {_written(argument)} | {table_cell(argument.help)} |"
    if aliases := command.names[1:]:
        yield from ("", f"It was called {' '.join(f'`{alias}`' for alias in aliases)}, a name that still works.")


def _written(argument: Argument) -> str:
    words = [*argument.flags] or [argument.metavar]
    words[-1] += f" {argument.metavar}" if argument.flags and argument.metavar else ""
    return ", ".join(f"`{table_cell(word)}`" for word in words)


def _specs() -> Iterator[str]:
    yield from ("# Games and options", "")
    yield "A SPEC names a game and its options, on the command line, in match files, over GTP and in Python:"
    yield from (
        "",
        _GRAMMAR,
        "",
        "Every game also has `lang`, the language of its messages: `en` (default) or `fr`.",
        "",
    )
    yield from ("| game | NAME | summary | example |", "|---|---|---|---|")
    games = [game_class(name) for name in GAMES]
    for game in games:
        title = f"[{game.title}](../rules/{game.name}.en.md)"
        names = " ".join(f"`{name}`" for name in (game.name, *game.aliases))
        yield table_row(title, names, about(game.name, _LANG), f"`{game.profile.small_spec}`")
    for game in games:
        yield from ("", f"## {game.title}", "", "| key | values | default | meaning |", "|---|---|---|---|")
        usual = game({}).values
        for option in (each for each in game.options if each.key != "lang"):
            default = f"`{text_of(usual[option.key])}`"
            yield table_row(f"`{option.key}`", option.describe_values(), default, option.meaning)
        for key, keys in game.options.shorthands.items():
            yield from ("", f"`{key}` sets {' '.join(f'`{each}`' for each in keys)} at once.")
        for name, chosen in game.options.rule_sets.items():
            yield from ("", f"`rules={name}` is `{','.join(f'{key}={value}' for key, value in chosen.items())}`.")


if __name__ == "__main__":
    main()
