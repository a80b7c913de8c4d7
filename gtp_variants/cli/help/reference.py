"""Pages of the documentation that follow from the code: commands, games, bots and settings of a search.

`python -m gtp_variants.cli.help.reference docs/reference` writes them anew.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from gtp_variants.cli import load_command
from gtp_variants.cli.commands import COMMANDS, GROUPS
from gtp_variants.cli.exit_status import TABLE
from gtp_variants.cli.help.bot_reference import bots_page, settings_page
from gtp_variants.cli.help.description import Argument, CommandDescription, describe_command
from gtp_variants.cli.help.page import does
from gtp_variants.cli.help.tables import table_cell, table_row
from gtp_variants.cli.play.games import about
from gtp_variants.lang import say
from gtp_variants.records.files import write
from gtp_variants.rules import GAMES, game_class
from gtp_variants.rules.options import Option, text_of
from gtp_variants.rules.rules import Rules

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
    aliases = COMMANDS[command.name].aliases
    if aliases:
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
